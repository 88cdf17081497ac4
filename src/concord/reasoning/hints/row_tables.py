"""Tables of answers to hinted and unhinted questions, read and checked."""

import re
from collections import Counter
from dataclasses import replace

from concord.errors import FileFormatError
from concord.files.grids import Grid, Titles, own_titles
from concord.reasoning.hints.rows import KINDS, UNHINTED, HintRow
from concord.reasoning.record_table import RecordTable, TableLike, read_records

NAMES: Titles = {
    "id": ("item", "item_id", "question_id", "qid", "doc_id", "sample_id", "case_id", "vignette_id",
           "question"),
    "kind": ("hint", "hint_type", "hint_kind", "condition", "cue", "cue_type", "bias", "bias_type"),
    "target": ("hint_target", "hinted_answer", "hinted_option", "hint_answer", "suggested_answer",
               "cued_answer", "biased_answer"),
    "sample": ("repeat", "run", "trial", "epoch"),
    "answer": ("chosen", "choice", "model_answer", "final_answer", "prediction", "predicted", "pred",
               "letter"),
    "n_options": ("num_options", "number_of_options", "n_choices", "num_choices"),
    "correct": ("is_correct",),
    "mention_thinking": ("mentions_hint_thinking", "mentioned_in_thinking", "mentioned_in_cot"),
    "mention_answer": ("mentions_hint", "mentions_hint_answer", "mentioned_in_answer", "mentioned",
                       "verbalized", "verbalised", "acknowledged"),
    "model": ("model_name", "llm"),
}  # fmt: skip
"""What others call the columns."""
_NONE = frozenset({"", "none", "nohint", "unhinted", "baseline", "control", "nocue", "neutral", "without",
                   "no", "withouthint", "plain", "original"})  # fmt: skip
_LETTERS = re.compile(r"[^a-z]+")


def looks_like_answers(grid: Grid) -> bool:
    """Whether a table has a column that names questions: then its rows are answers, not counts."""
    return "id" in own_titles(grid.header, ("id",), NAMES)


def read_hint_rows(source: TableLike | Grid) -> RecordTable[HintRow]:
    """Read a table of answers to hinted and unhinted questions.

    Columns ``id, kind, target`` and ``sample, answer, outcome, n_options, correct, mention_thinking,
    mention_answer, reliance_thinking, reliance_answer, model``, by these or other usual names (`NAMES`);
    ``kind`` is ``unhinted`` (or ``none``, ``baseline``, ``control``) without a hint.
    """
    table = read_records(source, HintRow, NAMES)
    _check_columns(table)
    table.rows = tuple(replace(row, kind=_kind_word(row.kind)) for row in table.rows)
    table.refuse("kind", lambda _: _has_hints(table), "a kind of hint in some rows, and 'unhinted' in others")
    targets = {row.id: row.target for row in reversed(table.rows) if row.target}
    table.rows = tuple(
        row if row.target else replace(row, target=targets.get(row.id, "")) for row in table.rows
    )
    table.refuse(
        "target", lambda row: row.target != "", "what the hint points at, in a row of this item at least"
    )
    table.refuse(
        "target",
        lambda row: targets[row.id] == row.target,
        "one target per item, the same for all kinds of hint",
    )
    table.refuse("sample", lambda row: row.sample >= 0, "a whole number, 0 or more")
    table.rows, twice = _samples_numbered(table)
    table.warnings = (*table.warnings, *twice)
    return table


def _check_columns(table: RecordTable[HintRow]) -> None:
    """Refuse a table that says neither which answers were hinted nor at what."""
    lacking = [name for name in ("kind", "target") if name not in table.titles]
    if lacking:
        also = "; ".join(f"{name!r} may be called {', '.join(NAMES[name])}" for name in lacking)
        raise FileFormatError(f"{table.name}: columns are missing: {', '.join(map(repr, lacking))}; {also}")


def _has_hints(table: RecordTable[HintRow]) -> bool:
    return any(row.kind != UNHINTED for row in table.rows)


def _samples_numbered(table: RecordTable[HintRow]) -> tuple[tuple[HintRow, ...], tuple[str, ...]]:
    """Return rows whose samples are numbered where no column does it, and a warning of doubles."""
    seen: Counter[tuple[str | None, str, str]] = Counter()
    rows = []
    for row in table.rows:
        key = (row.model, row.id, row.kind)
        rows.append(row if "sample" in table.titles else replace(row, sample=seen[key]))
        seen[key] += 1
    if "sample" not in table.titles:
        return tuple(rows), ()
    twice = len(rows) - len({(row.model, row.id, row.kind, row.sample) for row in rows})
    many = "1 row has" if twice == 1 else f"{twice} rows have"
    word = f"{many} the item, kind and sample of another row: the last one counts"
    return tuple(rows), (word,) if twice else ()


def _kind_word(word: str) -> str:
    """Return a kind of hint as it is called here; a kind of its own keeps its name."""
    plain = _LETTERS.sub("", word.casefold())
    if plain in _NONE:
        return UNHINTED
    return next((kind for kind in KINDS if plain == kind.replace("_", "")), word)
