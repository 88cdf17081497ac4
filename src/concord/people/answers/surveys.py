"""Tables of answers as survey programs and logs write them: what they add is known, and taken off.

Exports of Qualtrics and LimeSurvey, results of EDSL and logs of Inspect become the table that people would
have made; columns that identify, weigh or describe are told from questions.
"""

import os
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from concord.errors import FileFormatError, listed
from concord.files.cells import are_numbers
from concord.files.columns import ColumnTable, read_columns
from concord.files.contents import fingerprint_file, is_file, read_bytes
from concord.files.grids import names_of, plain_title, plain_titles
from concord.files.json_text import parsed
from concord.files.survey import (
    coded,
    edsl_document,
    edsl_interviews,
    from_limesurvey,
    is_limesurvey,
    read_qsf,
)
from concord.files.tables import TableOptions, TableSource
from concord.files.text import vocabulary
from concord.people.table.columns import fold
from concord.reading import read_reply

if TYPE_CHECKING:
    import polars as pl


NAMES = names_of("answers")
IDENTIFIES, DESCRIBES, _META = (
    re.compile(vocabulary()["surveys"][name]) for name in ("identifies", "describes", "added")
)
"""Columns that identify a row, describe a person or an interview, or are added by survey programs."""


_FEWEST_IDS = 20


_IMPORT_ID = '{"ImportId"'


_IMPORT_LINES = 3
"""Lines below the titles in which import ids are looked for."""


_LOG = frozenset({"id", "epoch", "model", "model_answer"})
"""Columns of the samples of a log."""


def of_log(people: ColumnTable, table: ColumnTable) -> ColumnTable:
    """Return the answers in a log of Inspect in the layout of people's; any other table as it is.

    A sample is an answer to the question that its id names, or a column of its metadata.
    """
    if not set(table.header) >= _LOG:
        return table
    titles = dict(zip(plain_titles(people.header), people.header, strict=True))
    long = [titles[name] for part in ("outcome", "answer") for name in NAMES[part] if name in titles][:2]
    frame = people.take([one for one in people.header if one.strip()])
    if len(long) == 2:
        held = {str(key[0]): part[long[1]] for key, part in frame.group_by(long[0])}
    else:
        held = {title: frame[title] for title in frame.columns if not role_of(frame[title])}
    samples = table.take(table.header).to_dicts()
    names = ["id", *(title for title in table.header if plain_title(title) in NAMES["outcome"])]
    by = max(reversed(names), key=lambda name: sum(str(one[name]) in held for one in samples))
    known = [one for one in samples if str(one[by]) in held]
    if not known:
        found, there = (listed(list(dict.fromkeys(some)), shown=8)
                        for some in ((str(one[by]) for one in samples), held))  # fmt: skip
        raise FileFormatError(
            f"{table.name}: has no question of {people.name}: found {found}, there {there}; the id of a "
            "sample names its question"
        )
    readers = {name: _reading_of(column) for name, column in held.items()}
    rows: dict[tuple[int, str], dict[str, object]] = {}
    times: Counter[str] = Counter()
    unread = 0
    for one in known:
        question, said = str(one[by]), one["model_answer"]
        value = readers[question](None if said is None else str(said))
        unread += value is None
        row = rows.setdefault((times[question], question if len(long) == 2 else ""), {"model": one["model"]})
        row |= {long[0]: question, long[1]: value} if len(long) == 2 else {question: value}
        times[question] += 1
    made = read_columns(list(rows.values()), people.options, name=table.name)
    told = [f"{table.name}: {len(known)} of {len(samples)} samples answer a question of {people.name}"]
    told += [f"{table.name}: in {unread} replies no answer could be read: left out"] if unread else []
    return replace(made, inputs=table.inputs, warnings=(*table.warnings, *told))


def _reading_of(column: "pl.Series") -> Callable[[str | None], object]:
    """Return what reads a reply to a question: as a number, or as one of the words of people."""
    if holds_numbers(column):
        return lambda said: read_reply(said, number=(None, None)).value
    words = [str(one).strip() for one in column.drop_nulls().unique(maintain_order=True)]
    same = {word.casefold(): word for word in words}
    return lambda said: same.get(str(said).strip().casefold(), _label(said, words))


def _label(said: str | None, words: Sequence[str]) -> object:
    found = read_reply(said, labels=words)
    return found.value if found.ok and found.value in words else None


def _edsl_table(source: TableSource, options: TableOptions) -> ColumnTable | None:
    """Open results of EDSL: a row per interview, a column per question; None for any other source."""
    if not isinstance(source, str | os.PathLike):
        return None
    path = Path(source)
    if path.suffix.lower() != ".json" or not is_file(path):
        return None
    found = edsl_interviews(parsed(path.name, read_bytes(path)))
    if found is None:
        return None
    return replace(read_columns(_edsl_rows(found), options, name=path.name), inputs=(fingerprint_file(path),))


def _edsl_rows(found: Sequence[Mapping[str, Any]]) -> list[dict[str, object]]:
    """Return interviews as rows: who answered, under which scenario, and every answer."""
    once = len({str((one["agent"], one["scenario"], one["model"])) for one in found}) == len(found)
    shown = len({str(one["scenario"]) for one in found}) > 1
    return [
        {
            **({"person": one["agent"]} if once else {}),
            "source": one["model"],
            **({"condition": ", ".join(map(str, one["scenario"].values()))} if shown else {}),
            **one["traits"],
            **one["answer"],
        }
        for one in found
    ]


def survey_table(source: TableSource, options: TableOptions, labels: str | Path | None = None) -> ColumnTable:
    """Open a table of answers; exports of survey programs without what these add, texts as numbers."""
    # ``labels`` is the survey file of Qualtrics, which says what the texts of choices are as numbers.
    edsl = _edsl_table(source, options)
    table = without_import_ids(read_columns(source, options)) if edsl is None else edsl
    if "model.model" in table.header:
        document = edsl_document(table.header, table.take(table.header).iter_rows())
        interviews = None if document is None else edsl_interviews(document)
        if interviews is not None:
            rows = read_columns(_edsl_rows(interviews), options, name=table.name)
            table = replace(rows, name=table.name, inputs=table.inputs)
    if labels is None and not is_limesurvey(table.header):
        return table
    frame = table.take(table.header)
    if labels is not None:
        frame = coded(frame, read_qsf(Path(labels)))
    told: tuple[str, ...] = ()
    if is_limesurvey(table.header):
        frame, told = from_limesurvey(frame)
    notes = (*table.warnings, *(f"{table.name}: {note}" for note in told))
    return replace(table, header=tuple(frame.columns), load=frame.select, warnings=notes)


def identifies(column: "pl.Series", *, by_name: bool) -> bool:
    """Whether a column identifies rows: by its name, or running numbers and codes that never repeat."""
    if by_name and IDENTIFIES.fullmatch(fold(column.name)) is not None:
        return True
    cells = column.drop_nulls()
    if len(cells) < _FEWEST_IDS or cells.n_unique() < len(cells):
        return False
    try:
        values = np.array([float(str(cell)) for cell in cells.to_list()])
    except ValueError:
        return not cells.cast(str, strict=False).str.contains(r"\s").any()
    if np.any(values != np.round(values)):
        return False
    return bool(np.ptp(values) <= 1.5 * values.size or values.min() >= 1000)


def holds_numbers(column: "pl.Series") -> bool:
    """Whether every cell of a column that holds something holds a number."""
    if column.dtype.is_numeric():
        return column.null_count() < len(column)
    return are_numbers(column.drop_nulls().to_list())


def role_of(column: "pl.Series") -> str:
    """Say what a column is that is no question; nothing where it may be one."""
    if is_added(column.name) or not column.name.strip():
        return "about the interview"
    if fold(column.name) in NAMES["weight"]:
        return "weight"
    if identifies(column, by_name=True):
        return "person"
    return "describes a person" if DESCRIBES.fullmatch(fold(column.name)) else ""


def without_import_ids(table: ColumnTable) -> ColumnTable:
    """Return a table without the lines of question texts and import ids that Qualtrics puts below titles."""
    if not table.header:
        return table
    import polars as pl

    head = table.load([table.header[0]]).head(_IMPORT_LINES)[table.header[0]]
    if head.dtype != pl.String:  # and dates beyond the calendar cannot be listed
        return table
    marks = [i for i, cell in enumerate(head.to_list()) if cell is not None and cell.startswith(_IMPORT_ID)]
    if not marks and not _is_head_of_texts(table):
        return table
    cut = marks[0] + 1 if marks else 1
    lines = " and ".join(str(table.row(i)) for i in range(cut))
    told = f"{table.name}: row {lines} holds question texts of Qualtrics, left out"
    if marks:
        told = f"{table.name}: rows {lines} hold question texts and import ids of Qualtrics, left out"
    rows = np.arange(cut + 2, 10**9) if table.rows is None else table.rows[cut:]
    return replace(
        table,
        rows=rows,
        load=lambda names: table.load(names).slice(cut),
        warnings=(*table.warnings, told),
    )


def _is_head_of_texts(table: ColumnTable) -> bool:
    """Whether the first row of an export of Qualtrics holds the texts of its questions: no date in it."""
    titles = {fold(title): title for title in table.header}
    if not is_qualtrics(table.header):
        return False
    first = table.load([titles["startdate"]]).head(1).to_series().cast(str, strict=False).to_list()
    return bool(first) and first[0] is not None and not first[0].strip()[:1].isdigit()


def is_qualtrics(header: Sequence[str]) -> bool:
    """Whether a table is an export of Qualtrics, by the columns that it adds."""
    return {"startdate", "responseid"} <= {fold(title) for title in header}


def is_added(title: str) -> bool:
    """Whether a column is one that survey programs add."""
    return _META.fullmatch(re.sub(r"[^a-z]", "", title.casefold())) is not None
