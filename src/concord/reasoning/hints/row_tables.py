"""Tables of answers to hinted and unhinted questions, read and checked."""

from concord.files.grids import Grid
from concord.reasoning.hints.rows import HintRow
from concord.reasoning.record_table import RecordTable, TableLike, read_records


def read_hint_rows(source: TableLike | Grid) -> RecordTable[HintRow]:
    """Read a table of answers to hinted and unhinted questions.

    Columns ``id, kind, target`` and ``sample, answer, outcome, n_options, correct, mention_thinking,
    mention_answer, reliance_thinking, reliance_answer, model``; ``kind`` is ``unhinted`` without a hint.

    Raises
    ------
    FileFormatError, TableError
        The file cannot be read, or cells cannot be used: every one is named.
    """
    table = read_records(source, HintRow)
    targets: dict[str, str] = {}
    table.refuse(
        "target",
        lambda row: targets.setdefault(row.id, row.target) == row.target,
        "one target per item, the same for all kinds of hint",
    )
    table.refuse("sample", lambda row: row.sample >= 0, "a whole number, 0 or more")
    return table
