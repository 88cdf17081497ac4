"""Every kind of test, by its name: a new one is a file and a line here. A side is completed by its kind."""

import json
from importlib import resources

from concord.people.families.base import TestKind
from concord.people.families.binomial import BINOMIAL_KINDS
from concord.people.families.chi_square import CHI_SQUARE_KINDS, COCHRAN_KINDS
from concord.people.families.coefficient import COEFFICIENT_KINDS
from concord.people.families.correlation import CORRELATION_KINDS
from concord.people.families.draft import Draft, join_groups, one_sample, sign
from concord.people.families.f import F_KINDS
from concord.people.families.fisher_exact import FISHER_KINDS
from concord.people.families.kruskal_wallis import KRUSKAL_WALLIS_KINDS
from concord.people.families.mann_whitney import MANN_WHITNEY_KINDS
from concord.people.families.p_value import P_VALUE_KINDS
from concord.people.families.t import T_KINDS
from concord.people.families.wilcoxon import WILCOXON_KINDS
from concord.people.families.z_test import Z_KINDS

KINDS: dict[str, TestKind] = {
    kind.name: kind
    for kinds in (
        T_KINDS,
        F_KINDS,
        CORRELATION_KINDS,
        CHI_SQUARE_KINDS,
        BINOMIAL_KINDS,
        MANN_WHITNEY_KINDS,
        WILCOXON_KINDS,
        Z_KINDS,
        FISHER_KINDS,
        KRUSKAL_WALLIS_KINDS,
        COCHRAN_KINDS,
        COEFFICIENT_KINDS,
        P_VALUE_KINDS,
    )
    for kind in kinds
}
TEST_TYPES = tuple(KINDS)
"""The canonical test types of a table of tests."""
OTHER_NAMES: dict[str, list[str]] = json.loads(
    resources.files("concord").joinpath("people", "families", "names.json").read_bytes()
)
"""What each test type is called elsewhere."""
_DISPENSABLE = (
    *("statistic", "df1", "df2", "n1", "n2", "k", "n", "p0", "table"),
    *("se", "ci_low", "ci_high", "u_of"),
)


def complete(draft: Draft) -> None:
    """Complete and check the numbers of a side in place; afterwards it has failed or it is a `Side`."""
    # A side with an effect or a Bayes factor that somebody computed, and without the result of the test
    # itself, is complete as it is.
    # empty the fields that mean nothing for this type, and say so
    for name in _DISPENSABLE:
        if name not in KINDS[draft.test_type].used and getattr(draft, name) is not None:
            if name in draft.given:
                draft.note(name, f"not used by {draft.test_type}")
            setattr(draft, name, None)
    kind = KINDS[draft.test_type]
    if draft.precomputed and not kind.core(draft):
        (join_groups if "n2" in kind.used else one_sample)(draft)
    else:
        kind.complete(draft)
    if not draft.failed:
        _check_direction(draft)


def _check_direction(draft: Draft) -> None:
    """Refuse a direction that the numbers of the same side contradict; an effect of 0 does not."""
    shown = [] if (seen := KINDS[draft.test_type].observed_sign(draft)) is None else [seen]
    if draft.effect_d is not None:
        shown.append((sign(draft.effect_d), "effect_d"))
    if len(shown) == 2 and shown[0][0] * shown[1][0] < 0:
        _contradiction(draft, "effect_d", *shown[0])
    for shows, name in shown:
        if draft.direction is not None and shows != 0 and shows != draft.direction:
            _contradiction(draft, "direction", shows, name)


def _contradiction(draft: Draft, field: str, shows: int, name: str) -> None:
    """Name both cells of a contradiction about the direction of the effect."""
    column, value = (
        draft.side + "_" + draft.source.get(name, name),
        draft.given.get(draft.source.get(name, name)),
    )
    way = "positive" if shows > 0 else "negative"
    draft.fault(field, f"the {way} direction of {column} = {value!r}, or an empty cell")
