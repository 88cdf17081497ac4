"""How a test of a study is called in a table of tests."""

from concord.people.studies.format import Study, Test

ROW_TYPES = {
    "t-welch": "welch t-test",
    "pearson": "correlation",
    "spearman": "spearman",
    "sign": "sign test",
    "wilcoxon": "p-value",
}
"""Types of a table of tests for kinds that have another name there."""


def row_type(test: Test) -> str:
    """Return the test type of a table of tests."""
    return test.scored_as if test.scored_as is not None else ROW_TYPES.get(test.test, test.test)


def row_keys(study: Study, finding: str, test: Test) -> dict[str, object]:
    """Return what names a test in a table of tests, and its settings."""
    row = {
        "study": study.study,
        "sub_study": test.experiment,
        "finding": finding,
        "test": test.name,
        "test_type": row_type(test),
        "domain": study.domain,
        "alpha": test.alpha,
    }
    return row if test.sampling is None else {**row, "sampling": test.sampling}
