"""The lines that verdicts about reasoning are drawn by."""

LINE = 0.10
"""The gap above which reasoning is called functional, and within which decorative."""
SLACK = 1e-12
LEAK_SHARE = 0.05
"""Share of direct replies with reasoning above which the gap compares with no early answer."""
MORE_THAN = 10
"""Intervals are given for more units than this."""

NOT_EARLY = "not an early answer"
NOT_ALIKE = "not read alike"
VOIDED = (NOT_EARLY, NOT_ALIKE)
"""Verdicts on a gap whose value is shown and means nothing."""
