"""Recorded answers to questions with options: cells and rows read, then scored."""

import json
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

from concord.errors import FileFormatError, OptionError, listed
from concord.files.cells import FLAGS, BadCellError, is_missing, number_or_none, whole, with_point
from concord.files.columns import form_notes, read_shares
from concord.files.declared import BadRowError, DeclaredTable, table_of
from concord.files.grids import names_of, plain_title
from concord.files.keys import CONTEXT, refuse_duplicates, told_repeats, with_units
from concord.files.raw_replies import reply_text
from concord.files.tables import TableChoices, TableOptions, TableSource, grid_of, table_options
from concord.files.text import vocabulary
from concord.numeric import gated
from concord.reading import Reading, ReadOutcome, StoredReading, read_reply, stored_reading, trial_name
from concord.reading.second import rules_alone
from concord.records import InputFile, LeftOutCell
from concord.structure.arrangers import LETTERS
from concord.structure.options.result import OptionReply, OptionResult
from concord.structure.options.score import score_options as score_replies

UNREADABLE = frozenset(vocabulary()["no_option"].split())
_CODE = re.compile(r"[\s\[(*\"']{0,6}([A-Za-z]|\d{1,2})[\s\])*\"'.:]{0,6}")
"""A cell that is a letter or a number and nothing else."""
_MOST_CODE_WORDS = 3
"""Words of a cell that may be a mistyped code; a longer one is a reply."""
_SPLIT = re.compile(r"[^A-Za-z0-9]+")
MOST_OPTIONS = len(LETTERS)


def cell_text(value: object) -> str | None:
    """Return what a cell holds, trimmed; ``None`` where it holds nothing."""
    if value is None or value != value:  # NaN alone is not itself
        return None
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return str(value).strip() or None


def place_in_cell(
    value: object, column: str, size: int, *, from_zero: bool = False, shown: Sequence[str] | None = None
) -> int | None:
    """Read a place from 0 on, in a code or in a reply; ``None`` where nothing could be read."""
    text = cell_text(value)
    if text is None or text.casefold() in UNREADABLE:
        return None
    if shown is not None:
        same = [i for i, option in enumerate(shown) if option.casefold() == text.casefold()]
        if len(same) == 1:
            return same[0]
    found = _CODE.fullmatch(text)
    if found is not None:
        word = found.group(1).upper()
        place = int(word) - (not from_zero) if word.isdigit() else LETTERS.find(word)
        if 0 <= place < size:
            return place
    elif 0 < size <= MOST_OPTIONS:
        reading = _option_reading(text, size, shown)
        if reading.ok:
            return LETTERS.index(str(reading.value))
        if len(text.split()) > _MOST_CODE_WORDS or reading.outcome is not ReadOutcome.UNREADABLE:
            return None
    numbers = f"0 to {size - 1}" if from_zero else f"1 to {size}"
    end = f"A to {LETTERS[size - 1]} or {numbers}" if 0 < size <= MOST_OPTIONS else "a letter"
    raise BadRowError(column, value, end)


def _option_reading(text: str, size: int, shown: Sequence[str] | None) -> Reading:
    words = [()] * size if shown is None else shown
    return read_reply(text, choices=dict(zip(LETTERS, words, strict=False)))


def counts_from_zero(held: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether numbers of places in a table begin at 0: one of them is 0."""
    return any(cell_text(cells[key]) == "0" for cells in held for key in ("chosen", "right"))


def letters_are_places(held: Sequence[Mapping[str, Any]]) -> bool:
    """Return whether ``answer`` is the letter as shown: the right one exactly where the reply is correct."""
    told = False
    for cells in held:
        answer, right, correct = (cell_text(cells[key]) for key in ("answer", "right", "correct"))
        if answer is None:
            continue
        flag = None if correct is None else FLAGS.get(correct.casefold())
        if right is None or flag is None or _CODE.fullmatch(answer) is None:
            return False
        if (answer.casefold() == right.casefold()) != flag:
            return False
        told = True
    return told


def option_at(arrangement: str, place: int, size: int) -> str | None:
    """Return which option an order such as ``BCDA``, ``B-C-D-A`` or ``1,2,3,0`` has in a place."""
    parts = [part.upper() for part in _SPLIT.split(arrangement) if part]
    if len(parts) == 1 and len(parts[0]) == size:
        parts = list(parts[0])
    for names in (list(LETTERS[:size]), [str(i) for i in range(size)], [str(i + 1) for i in range(size)]):
        if sorted(parts) == sorted(names):
            return LETTERS[names.index(parts[place])]
    return None


_NAMES = names_of("options")


@dataclass(frozen=True, slots=True)
class RecordedOptions:
    """Replies of one model, and what was assumed about them."""

    model: str
    replies: tuple[OptionReply, ...]
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()
    readings: tuple[StoredReading, ...] = ()
    """What was read, where a table holds replies and not codes alone."""
    left_out: tuple[LeftOutCell, ...] = ()


def read_option_replies(
    source: TableSource, options: TableOptions, *, model: str | None = None
) -> list[RecordedOptions]:
    """Read replies from a table with one row per reply, model by model."""
    grid = grid_of(source, options)
    table = table_of(grid, options, _NAMES)
    _check_titles(table)
    within = [
        plain_title(table.titles[one]) for one in ("arrangement", "model", "sample") if one in table.titles
    ]
    table = table_of(with_units(grid, table.titles["item"], within, CONTEXT), options, _NAMES)
    rows = _in_columns(table)
    repeated = _refuse_twice(table, rows)
    read = [_of_model(table, rows, keep, name) for name, keep in _by_model(rows, model).items()]
    left, told = table.left_out()
    empty = [one.model for one in read if not one.replies]
    if empty:
        raise FileFormatError(f"{table.place}: no row of {listed(empty)} can be used")
    notes = (*told, *table.table.warnings, *table.notes)
    return [replace(one, warnings=(*notes, *one.warnings, *repeated), left_out=left) for one in read]


def _of_model(
    table: DeclaredTable, rows: Sequence[dict[str, Any]], keep: Sequence[int], name: str
) -> RecordedOptions:
    """Read the replies of one model; a choice that cannot be read is a reply without one, and noted."""
    warnings = _settled([rows[i] for i in keep])
    from_zero = counts_from_zero([rows[i] for i in keep])
    if from_zero:
        warnings.append("numbers of options count from 0, since one of them is 0")
    size, told = _usual_size([rows[i] for i in keep], from_zero)
    warnings += told
    replies: list[OptionReply] = []
    held = []
    for index in keep:
        for cells in (rows[index], {**rows[index], "chosen": None}):
            try:
                replies += _replies(cells, size, from_zero)
                held.append(rows[index])
                break
            except BadRowError as fault:
                table.problem(index, fault.column, str(fault), fault.value)
                if fault.column != "chosen":
                    break
    if not any(one.answer is not None for one in replies) and any(one.place is not None for one in replies):
        warnings.append(
            "which option was chosen is not said, only where it was: consistency and flips need 'answer', "
            "'options' as shown, or arrangements such as BCDA"
        )
    readings = tuple(_stored_choices(held, size)) if _has_replies(held) else ()
    return RecordedOptions(name, tuple(replies), table.inputs, tuple(warnings), readings)


def _has_replies(held: Sequence[Mapping[str, Any]]) -> bool:
    """Whether choices are given as replies: a cell is no code, and not the words of an option alone."""
    texts = [text for cells in held if (text := cell_text(cells["chosen"])) is not None]
    return any(len(text.split()) > _MOST_CODE_WORDS for text in texts)


def _stored_choices(held: Sequence[Mapping[str, Any]], usual: int) -> Iterator[StoredReading]:
    """Return what was read in each reply, under its item, arrangement and sample or number."""
    counts: Counter[tuple[str, str]] = Counter()
    for cells in held:
        text, shown = cell_text(cells["chosen"]), _shown_options(cells["options"])
        place = (str(cell_text(cells["item"])), cell_text(cells["arrangement"]) or "")
        size = _n_options(cells["n_options"], usual, shown)
        reading = _option_reading("" if text is None else text, size, shown)
        yield stored_reading(trial_name(*place, counts[place]), text, reading)
        counts[place] += 1


def _check_titles(table: DeclaredTable) -> None:
    """Refuse a table without items, choices or places of right options."""
    has = table.titles.keys()
    ours = {"place", "right_place", "n_options"} <= has
    keyed = {"answer", "chosen"} <= has
    lacking = [
        f"{key!r} ({', '.join(_NAMES[key][1:])})" if len(_NAMES[key]) > 1 else repr(key)
        for key in ("item", *(() if ours or keyed else ("right",)))
        if key not in has
    ]
    if not ours and not {"chosen", "correct"} & has:
        lacking.append("'chosen' (or 'correct')")
    if lacking:
        raise FileFormatError(
            f"{table.place}: found the columns {listed(sorted(table.plain))}, and none for "
            f"{', '.join(lacking)}; expected item, arrangement, chosen (a letter), right (the letter "
            "of the right option), n_options"
        )


def _by_model(rows: Sequence[Mapping[str, Any]], model: str | None) -> dict[str, list[int]]:
    """Return the rows of every model, or of the one that is asked for; rows that name none are of one."""
    named = [cell_text(row["model"]) for row in rows]
    names = sorted({name for name in named if name is not None})
    if not names:
        return {"model" if model is None else model: list(range(len(rows)))}
    if model is not None and model not in names:
        raise OptionError(f"no row is of {model!r}; the table has {listed(names)}")
    if len(names) == 1:
        return {names[0]: list(range(len(rows)))}
    kept = names if model is None else [model]
    return {name: [i for i, one in enumerate(named) if one == name] for name in kept}


def _settled(held: list[dict[str, Any]]) -> list[str]:
    """Settle what ``answer`` means in a table without another column for it, and return what is told."""
    has = {key: any(cell_text(cells[key]) is not None for cells in held) for key in ("chosen", "right")}
    if has["chosen"] and not has["right"]:
        for cells in held:
            cells["right"], cells["answer"] = cells["answer"], None
        return ["'answer' is taken for the right option, since no other column says which it is"]
    if has["right"] and not has["chosen"] and letters_are_places(held):
        for cells in held:
            cells["chosen"], cells["answer"] = cells["answer"], None
        return ["'answer' is taken for the chosen place: it is the right letter exactly where it is correct"]
    return []


def _in_columns(table: DeclaredTable) -> list[dict[str, Any]]:
    """Return rows by what their cells hold; options may be in columns of their own, as MMLU has them."""
    found = table.by_meaning()
    given = [with_point(cells["correct"]) if table.decimal_comma else cells["correct"] for cells in found]
    shares, _, forms = read_shares(given, decimal_comma=table.decimal_comma)
    if forms:  # shares of draws
        table.notes |= dict.fromkeys(form_notes(f"{table.place}, column {table.titles['correct']!r}", forms))
        given = [None if math.isnan(share) else share for share in shares.tolist()]
    for cells, share in zip(found, given, strict=True):
        cells["correct"] = share
        cells["chosen"] = reply_text(cells["chosen"])
    if {"a", "b"} <= set(table.plain) and "options" not in table.titles:
        for cells, row in zip(found, table.rows(), strict=True):
            own = [row.get(letter) for letter in "abcdefgh"]
            if cell_text(own[0]) is not None and cell_text(own[1]) is not None:
                cells["options"] = [str(one) for one in own if cell_text(one) is not None]
    return found


def _usual_size(held: Sequence[Mapping[str, Any]], from_zero: bool) -> tuple[int, list[str]]:
    """Return the number of options of rows that do not say it: the furthest place in the table."""
    if not held or all(
        cell_text(cells["n_options"]) is not None or cells["options"] is not None for cells in held
    ):
        return 0, []
    seen = [_lenient_place(cells[key], from_zero) for cells in held for key in ("chosen", "right")]
    largest = max((place + 1 for place in seen if place is not None), default=0)
    return largest, [f"'n_options' is not given: taken as {largest}, the furthest place in the table"]


def _lenient_place(value: object, from_zero: bool) -> int | None:
    try:
        with rules_alone():
            return place_in_cell(value, "", MOST_OPTIONS, from_zero=from_zero)
    except BadRowError:
        return None


def _replies(row: Mapping[str, Any], usual: int, from_zero: bool) -> list[OptionReply]:
    """Read one row: a reply, or so many as a share of right ones is over."""
    item = cell_text(row["item"])
    if item is None:
        raise BadRowError("item", None, "the name of an item")
    arrangement = cell_text(row["arrangement"])
    arrangement = "" if arrangement is None else arrangement
    shown = _shown_options(row["options"])
    size = _n_options(row["n_options"], usual, shown)
    if row["right_place"] is not None:
        place, right = (
            _whole_in(row[key], key, 0, size - 1, f"0 to {size - 1}") for key in ("place", "right_place")
        )
    else:
        right, place = (
            place_in_cell(row[key], key, size, from_zero=from_zero, shown=shown)
            for key in ("right", "chosen")
        )
    if right is None:
        raise BadRowError("right", row["right"], "the place of the right option")
    cluster = cell_text(row["cluster"])
    family = "" if cluster is None else cluster
    n_right, draws = _share_of_draws(row)
    if draws:
        flags = [True] * n_right + [False] * (draws - n_right)
        return [OptionReply(item, arrangement, None, None, right, size, one, family) for one in flags]
    correct = _correct(row["correct"], place, right)
    answer = _chosen_of(row["answer"], place, shown, arrangement, size)
    return [OptionReply(item, arrangement, answer, place, right, size, correct, family)]


def _share_of_draws(row: Mapping[str, Any]) -> tuple[int, int]:
    """Return how many of how many draws were right, where a row is of several; 0 of 0 elsewhere."""
    draws = whole_or_none(row["draws"])
    if draws is None or draws < 2 or is_missing(row["correct"]):
        return 0, 0
    value = math.nan if (given := number_or_none(row["correct"])) is None else given
    n_right = value * draws if value <= 1 else value
    if not 0 <= n_right <= draws or abs(n_right - round(n_right)) > _ROUNDED * draws:
        raise BadRowError("correct", row["correct"], f"a share or a number of {draws} draws")
    return round(n_right), draws


_ROUNDED = 0.0051
"""What a share may be off that was rounded to two digits."""


def whole_or_none(value: object) -> int | None:
    """Return a whole number above 0 in a cell; nothing where it is another."""
    text = cell_text(value)
    return int(text) if text is not None and text.isascii() and text.isdigit() and len(text) < 7 else None


def _shown_options(value: object) -> list[str] | None:
    """Read the options as they were shown: a list, or a list as JSON text."""
    if isinstance(value, str) and value.strip().startswith("["):
        try:
            value = json.loads(value)
        except ValueError:
            raise BadRowError("options", value, 'a list such as ["red", "blue"]') from None
    if value is None or cell_text(value) is None:
        return None
    if not isinstance(value, list) or not 2 <= len(value) <= MOST_OPTIONS:
        raise BadRowError("options", value, f"a list of 2 to {MOST_OPTIONS} options")
    return [str(one).strip() for one in value]


def _whole_in(value: object, column: str, low: int, high: int, expected: str) -> int | None:
    """Read a whole number of a range; nothing where a cell holds nothing."""
    try:
        found = whole(value)
    except BadCellError:
        found = math.nan
    if found is not None and not low <= found <= high:
        raise BadRowError(column, value, expected)
    return None if found is None else int(found)


def _n_options(value: object, usual: int, shown: Sequence[str] | None) -> int:
    size = _whole_in(value, "n_options", 2, MOST_OPTIONS, f"a whole number from 2 to {MOST_OPTIONS}")
    if size is None:
        return usual if shown is None else len(shown)
    if shown is not None and len(shown) != size:
        raise BadRowError("n_options", size, f"{len(shown)}, as many as 'options' lists")
    return size


def _correct(value: object, place: int | None, right: int) -> bool | None:
    """Return whether the right option was chosen; refuse a word that contradicts the places."""
    text = cell_text(value)
    found = None if text is None else FLAGS.get(text.casefold())
    if text is not None and found is None:
        raise BadRowError("correct", value, "true or false, 1 or 0; of a share also the number of 'draws'")
    by_place = None if place is None else place == right
    if found is not None and by_place is not None and found != by_place:
        raise BadRowError("correct", value, "what the chosen place and the right one say, which is otherwise")
    return found if by_place is None else by_place


def _chosen_of(
    value: object, place: int | None, shown: Sequence[str] | None, arrangement: str, size: int
) -> str | None:
    """Return which option was chosen, wherever it was; ``None`` where that is not known."""
    text = cell_text(value)
    if text is not None and text.casefold() not in UNREADABLE:
        return text
    if place is None:
        return None
    if shown is not None:
        return shown[place]
    return option_at(arrangement, place, size)


def _refuse_twice(table: DeclaredTable, rows: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Refuse rows that are of the same item, arrangement and repeat of a model; tell of repeats."""
    parts = [part for part in ("model", "item", "arrangement", "sample") if part in table.titles]
    keys = [tuple(cell_text(cells[part]) for part in parts) for cells in rows]
    if "sample" not in parts and "draws" not in parts:
        told = told_repeats("one " + " · ".join(parts), keys)
        return tuple(f"{table.place}: {text}" for text in told)
    if "draws" not in parts:
        own = [(key, f"row {table.row(i)}") for i, key in enumerate(keys) if key[-1] is not None]
        what = "one " + " · ".join(parts)
        refuse_duplicates(table.place, what, [key for key, _ in own], [line for _, line in own])
    return ()


RECORDED = "recorded"
"""What a result calls the arranger of answers that were recorded elsewhere."""


@gated()
def score_options(
    table: TableSource,
    *,
    model: str | None = None,
    arranger: str = RECORDED,
    level: float = 0.95,
    n_permutations: int = 999,
    seed: int = 0,
    **how: Unpack[TableChoices],
) -> Any:
    """Score recorded answers to questions with options: consistency, places, selection bias, over repeats.

    Parameters
    ----------
    table
        One row per reply, a file, a frame or rows: ``item``, ``arrangement``, the chosen place in ``chosen``
        and that of the right option in ``right`` (letters, or numbers from 1 on), ``n_options``; and which
        option it was, whatever its place: ``answer``, ``options`` as a list, or arrangements such as
        ``BCDA``. Where known ``correct`` (of several ``draws`` their share), ``cluster``, ``model``. Also
        `option_replies.csv` of a run, and logs of Inspect whose samples hold these.
    model
        Which model of a table of several, or its name where rows name none.
    arranger
        What was varied, in a word; comparisons want it to be the same.
    n_permutations, seed
        Divisions drawn for the test of places, and their seed.
    how
        How the table is read, as `TableChoices` says.

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
    found = {
        one.model: OptionResult(
            one.model,
            score_replies(one.replies, level=level, n_permutations=n_permutations, seed=seed),
            Path(table).stem if isinstance(table, str | Path) else "list",
            arranger,
            one.replies,
            one.inputs,
            one.warnings,
            one.readings,
            one.left_out,
        )
        for one in read_option_replies(table, table_options(**how), model=model)
    }
    return found if len(found) > 1 else next(iter(found.values()))
