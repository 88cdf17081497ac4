"""Recorded answers to questions with options, scored without a run."""

from concord.files.tables import TableOptions, TableSource
from concord.stats.intervals import checked_level
from concord.structure.named_rows import rows_of
from concord.structure.options.files import OptionResult
from concord.structure.options.score import score_options as score_replies
from concord.structure.options.table import read_option_replies

RECORDED = "recorded"
"""What a result calls the arranger of answers that were recorded elsewhere."""


def score_options(
    table: TableSource,
    *,
    model: str | None = None,
    arranger: str = RECORDED,
    sheet: str | None = None,
    encoding: str | None = None,
    level: float = 0.95,
    n_permutations: int = 999,
    seed: int = 0,
) -> OptionResult:
    """Score recorded answers to questions with options: consistency, places, selection bias, over repeats.

    Parameters
    ----------
    table
        One row per reply, a file, a frame or rows: ``item``, ``arrangement``, the chosen place in ``chosen``
        and that of the right option in ``right`` (letters, or numbers from 1 on), ``n_options``; and which
        option it was, whatever its place: ``answer``, ``options`` as a list, or arrangements such as
        ``BCDA``. Where known ``correct``, ``cluster``, ``model``. Also `option_replies.csv` of a run.
    model
        Which model of a table of several, or its name where rows name none.
    arranger
        What was varied, in a word; comparisons want it to be the same.
    sheet, encoding
        How the table is read.
    level
        Nominal coverage of intervals, over items.
    n_permutations, seed
        Divisions drawn for the test of places, and their seed.

    Returns
    -------
    OptionResult
        Frozen; prints itself, and gives ``to_frame()``, ``to_dict()``, ``write(folder)``.

    Raises
    ------
    InputError
        The table cannot be used; the message names file, row, column and value.

    Examples
    --------
    >>> turns = {"ABCD": "A", "BCDA": "D", "CDAB": "C", "DABC": "B"}
    >>> rows = [
    ...     {"item": i, "arrangement": order, "chosen": "A", "right": right, "n_options": 4}
    ...     for i in range(12) for order, right in turns.items() for _ in range(2)
    ... ]
    >>> found = score_options(rows, model="always A").scores
    >>> found.consistency.value, found.flip_excess.value, found.selection[0].value
    (0.0, 1.0, 0.75)
    """
    checked_level(level)
    named = rows_of(table, TableOptions(sheet, encoding))
    recorded = read_option_replies(named, model=model)
    return OptionResult(
        recorded.model,
        score_replies(recorded.replies, level=level, n_permutations=n_permutations, seed=seed),
        named.name,
        arranger,
        recorded.replies,
        recorded.inputs,
        recorded.warnings,
    )
