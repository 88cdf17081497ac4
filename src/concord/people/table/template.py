"""Empty tables to fill in: a workbook with drop-downs, examples and notes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from concord.errors import OptionError
from concord.files.workbook_writer import SheetToWrite, write_workbook
from concord.people.families.registry import TEST_TYPES

_SIDE = ("reported", "statistic", "df1", "df2", "n1", "n2", "n", "k", "table", "direction")
_TESTS = (
    *("study", "domain", "finding", "test", "test_type"),
    *(f"{side}_{name}" for side in ("human", "agent") for name in _SIDE),
)
_TEST_NOTES = {
    "study": "name of the study; blank cells below it are not filled: repeat the name",
    "domain": "such as Cognition, Strategic, Social; may stay empty",
    "finding": "name of the finding within its study",
    "test": "name of the test; study, finding and test together occur once",
    "test_type": "choose from the list",
    "reported": "the statistic as printed: F(1, 312) = 49.1, p < .001; enough where it says everything",
    "statistic": "t, F, r, χ², U, W, z, H, Q, b or an odds ratio, with its sign where it has one",
    "df1": "first degrees of freedom (F, χ²)",
    "df2": "second degrees of freedom (t, F, r)",
    "n1": "size of group 1",
    "n2": "size of group 2",
    "n": "total, or the size of the only sample",
    "k": "successes of a binomial test",
    "table": "counts as [[12, 8], [5, 15]], groups in rows",
    "direction": "1, -1 or 0: group 1 minus group 2; needed where the statistic has no sign (F, χ²)",
}


@dataclass(frozen=True, slots=True)
class TableTemplate:
    """An empty table: its columns, what they may hold, and a filled example."""

    sheet: str
    columns: Sequence[str]
    notes: Mapping[str, str]
    choices: Mapping[str, Sequence[str]]
    examples: Sequence[Mapping[str, object]]
    then: str
    """The command for the filled table."""

    def note(self, column: str) -> str:
        """Return what a column holds; both sides of a test share their notes."""
        return self.notes.get(column, self.notes.get(column.partition("_")[2], ""))


_SIGN = ("1", "-1", "0")
TEMPLATES = {
    "people": TableTemplate(
        "Tests",
        _TESTS,
        _TEST_NOTES,
        {"test_type": TEST_TYPES, "human_direction": _SIGN, "agent_direction": _SIGN},
        (
            {
                "study": "Asch 1946", "domain": "Social", "finding": "warm-cold", "test": "generous",
                "test_type": "t-independent", "human_reported": "t(58) = 2.41, p = .019",
                "agent_statistic": 4.02, "agent_n1": 100, "agent_n2": 100,
            },
            {
                "study": "Tversky 1981", "domain": "Cognition", "finding": "framing", "test": "gain, loss",
                "test_type": "chi-square", "human_table": "[[109, 43], [34, 121]]",
                "agent_table": "[[80, 10], [13, 77]]",
            },
        ),
        "concord score people FILE",
    ),
    "effects": TableTemplate(
        "Effects",
        ("agent", "study", "outcome", "condition", "human_estimate", "human_se", "agent_estimate", "agent_se",
         "scale_min", "scale_max"),
        {
            "agent": "which agent the row is about; may stay empty for one",
            "study": "name of the study",
            "outcome": "what was measured",
            "condition": "the treatment, against the control group",
            "human_estimate": "effect of people, in the units of the scale",
            "human_se": "its standard error",
            "agent_estimate": "effect of the agent",
            "agent_se": "its standard error; may stay empty",
            "scale_min": "lowest answer of the scale",
            "scale_max": "highest answer of the scale",
        },
        {},
        (
            {"agent": "GPT-4", "study": "megastudy", "outcome": "trust", "condition": "video",
             "human_estimate": 3.1, "human_se": 0.9, "agent_estimate": 4.4, "scale_min": 0, "scale_max": 100},
        ),
        "concord score people FILE",
    ),
    "scores": TableTemplate(
        "Scores",
        ("item", "score", "cluster", "repeat"),
        {
            "item": "name of the item, the same in the tables of all models",
            "score": "0 or 1, or any number",
            "cluster": "family of items, such as the passage they are about; may stay empty",
            "repeat": "number of the repeat; may stay empty",
        },
        {},
        ({"item": "q1", "score": 1, "cluster": "passage 1", "repeat": 1},),
        "concord compare FILE OTHER_FILE --cluster cluster",
    ),
}  # fmt: skip
"""Tables that can be filled in, by name."""


def write_template(path: Path, kind: str | None = None) -> TableTemplate:
    """Write an empty workbook with drop-downs, examples and notes."""
    named = path.stem.casefold() if kind is None else kind
    if kind is None and named not in TEMPLATES:
        named = "people"
    if named not in TEMPLATES:
        raise OptionError(f"template {named!r} is not known; expected {', '.join(TEMPLATES)}")
    if path.suffix.lower() != ".xlsx":
        raise OptionError(f"{path}: expected the name of a workbook, such as {path.stem or 'people'}.xlsx")
    if path.exists():
        raise OptionError(f"{path} is there already and may be filled in; choose another name")
    made = TEMPLATES[named]
    columns = list(made.columns)
    examples = [[row.get(column) for column in columns] for row in made.examples]
    notes = [["column", "what it holds"], *([column, made.note(column)] for column in columns)]
    wide = [max(10.0, len(column) + 2.0) for column in columns]
    write_workbook(
        path,
        [
            SheetToWrite(made.sheet, [columns], made.choices, wide),
            SheetToWrite("Examples", [columns, *examples], {}, wide),
            SheetToWrite("Notes", notes, {}, [18.0, 90.0]),
        ],
    )
    return made
