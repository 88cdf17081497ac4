"""A table of answers, counts or moments to sets of answers: every layout that people keep such data in.

A file says by its columns what it is:

- answers side by side: ``outcome, human, agent`` (``person``, ``study``, ``condition``, ``group``);
- answers one below the other: ``outcome, source, answer``, where ``source`` is ``human`` or an agent's name;
- wide: one row per person, ``human_X`` and ``agent_X`` for every outcome X;
- one column per question: ``source, Q1, Q2, …``, where ``source`` is ``human`` or an agent's name;
- counts: ``outcome, option, human_count, agent_count``;
- moments: ``outcome, n, human_mean, human_sd, agent_mean, agent_sd`` (``r``).

People's answers and those of agents may lie in files of their own, with the same questions.
"""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from concord.errors import FileFormatError, OptionError, listed
from concord.files.cells import are_numbers, number, number_that
from concord.files.columns import ColumnTable, options_of_each, read_columns, refuse_nested
from concord.files.contents import fingerprint_file, is_file, read_bytes
from concord.files.declared import DeclaredTable, TableColumn, named_column
from concord.files.grids import names_of, plain_title, plain_titles
from concord.files.json_text import parsed
from concord.files.survey import (
    coded,
    edsl_document,
    edsl_interviews,
    from_limesurvey,
    is_limesurvey,
    read_qsf,
    without_codes,
)
from concord.files.tables import TableOptions, TableSource
from concord.files.text import vocabulary
from concord.people.answers.records import AnswerSet, AnswerSets, Moments, OutcomeKey
from concord.people.answers.sides import (
    HUMAN_WORDS,
    AnswerColumns,
    read_answers_frame,
    read_counts_frame,
    refuse_vast,
)
from concord.people.table.columns import fold

if TYPE_CHECKING:
    import polars as pl


FIELDS = ("human_mean", "human_sd", "agent_mean", "agent_sd")
_SPREAD = number_that(lambda value: value >= 0, "a standard deviation, 0 or more")
_SAMPLE = number_that(lambda value: value >= 2 and value == round(value), "a whole number, 2 or more")
_CORRELATION = number_that(lambda value: abs(value) <= 1, "a correlation from -1 to 1")


def read_moments(
    table: ColumnTable, titles: dict[str, str], found: dict[str, str], agent: str | None
) -> AnswerSets:
    """Read moments, one row per agent and outcome."""
    if "outcome" not in found or not ("n" in titles or {"human_n", "agent_n"} <= set(titles)):
        raise FileFormatError(
            f"{table.name}: moments need the columns 'outcome' and 'n' (or 'human_n' and 'agent_n')"
        )
    parts = {part: plain_title(found[part]) for part in ("study", "outcome", "condition") if part in found}
    columns = [
        *(
            TableColumn(part, (parts[part],) if part in parts else ())
            for part in ("study", "outcome", "condition")
        ),
        TableColumn("agent", () if agent is None else (plain_title(agent),)),
        *(TableColumn(name, parse=_SPREAD if name.endswith("sd") else number) for name in FIELDS),
        *(TableColumn(name, parse=_SAMPLE) for name in ("human_n", "agent_n")),
        TableColumn("r", names_of("answers")["r"], _CORRELATION),
    ]
    cells = DeclaredTable(table, columns, table.options)
    for side in ("human_n", "agent_n"):
        cells.titles.setdefault(side, titles.get("n", side))
    if agent is None:
        cells.titles.pop("agent", None)
    sets: dict[str, dict[OutcomeKey, Moments]] = {}
    empty = 0
    for i in range(cells.n_rows):
        made, who = _moments_of(cells, i), cells.values("agent")[i]
        if made is None:
            empty += not any(index == i for index, _ in cells.bad)
            continue
        own = sets.setdefault("agent" if who is None else who, {})
        if made.key in own:
            cells.problem(i, "outcome", "an outcome that this agent has once", made.key.outcome, refused=True)
        own.setdefault(made.key, made)
    left, told = cells.left_out()
    if not sets:
        raise FileFormatError(f"{table.name}: no row holds the moments of both sides")
    lacking = (f"{table.name}: {empty} rows lack a moment and are left out",) if empty else ()
    kept: dict[str, tuple[AnswerSet | Moments, ...]] = {n: tuple(own.values()) for n, own in sets.items()}
    return AnswerSets(kept, (), table.inputs, (*told, *table.warnings, *lacking), left)


def _moments_of(table: DeclaredTable, i: int) -> Moments | None:
    """Read one row; None where a moment is missing or cannot be."""
    wanted = [*FIELDS, *(name for name in ("human_n", "agent_n"))]
    found = {name: table.values(name)[i] for name in (*wanted, "r")}
    if any(found[name] is None for name in wanted) or any((i, name) in table.bad for name in found):
        return None
    names = {part: table.values(part)[i] for part in ("study", "outcome", "condition")}
    usual = {"study": "all", "outcome": "outcome", "condition": ""}
    key = OutcomeKey(*(usual[part] if name is None else name for part, name in names.items()))
    h_mean, h_sd, a_mean, a_sd = (found[name] for name in FIELDS)
    return Moments(key, h_mean, h_sd, int(found["human_n"]), a_mean, a_sd, int(found["agent_n"]), found["r"])


NAMES = names_of("answers")
IDENTIFIES, _DESCRIBES, _META = (
    re.compile(vocabulary()["surveys"][name]) for name in ("identifies", "describes", "added")
)
"""Columns that identify a row, describe a person or an interview, or are added by survey programs."""
_MOST_GROUPS, _FEWEST_IDS = 12, 20
_BESIDE = frozenset(NAMES["weight"])
"""Columns that count though one side alone has them."""
AGENT_NAMES = NAMES["agent"]
"""AnswerColumns that name agents; ``agent`` only where another column holds the agent's answers."""
_IMPORT_ID = '{"ImportId"'
_IMPORT_LINES = 3
"""Lines below the titles in which import ids are looked for."""
_WANTED = (
    "expected answers (outcome, human, agent), one below the other (outcome, source, answer), one column per "
    "question (source, Q1, Q2), wide (human_X, agent_X), counts (outcome, option, human_count, agent_count) "
    "or moments (outcome, n, human_mean, human_sd, agent_mean, agent_sd); --map 'TITLE=outcome' says which "
    "column it is. A table of tests (t, F, r, χ², means) is scored by concord score people"
)


def read_answer_table(
    source: TableSource,
    *agents: TableSource,
    agent_column: str | None = None,
    questions: str | Sequence[str] | None = None,
    weights: str | None = None,
    labels: str | Path | None = None,
    options: TableOptions = TableOptions(),  # noqa: B008 - frozen
) -> AnswerSets:
    """Read a table of answers, or people's and those of agents."""
    hows = options_of_each((source, *agents), options)
    tables = [survey_table(one, how, labels) for one, how in zip((source, *agents), hows, strict=True)]
    table = _given_apart(tables) if agents else tables[0]
    titles = dict(zip(plain_titles(table.header), table.header, strict=True))
    found = {part: titles[name] for part, names in NAMES.items() for name in names[::-1] if name in titles}
    if weights is not None:
        found["weight"] = named_column(table.name, table.header, weights)
    if {"human_mean", "human_sd", "agent_mean", "agent_sd"} <= set(titles):
        who = _agent_column(table, titles, agent_column, reserved=())
        return read_moments(table, titles, found, who)
    if {"option", "human_count", "agent_count"} <= set(found):
        who = _agent_column(table, titles, agent_column, reserved=())
        return read_counts_frame(table, AnswerColumns(found, who))
    if questions is None and "source" in found and "answer" in found and "human" not in found:
        return read_answers_frame(table, AnswerColumns(found, None), stacked_frame(table, found))
    if "source" in found and (questions is not None or ("human" not in found and "outcome" not in found)):
        wide = _wide_columns(table, found, questions)
        if wide.questions:
            return read_answers_frame(
                replace(table, warnings=(*table.warnings, wide.told)),
                AnswerColumns(wide.found | {"outcome": "outcome"}, None, wide.used),
                by_question_frame(table, wide.found, wide.questions),
            )
    if questions is not None:
        raise OptionError(
            f"--questions was given, but {table.name} has no column 'source' that names people and agents; "
            f"found {listed(table.header)}"
        )
    if "human" in found and "agent_answer" not in found:
        own = [titles[name] for name in ("agent", "model") if name in titles]
        given = [one for one in own if one == titles.get("agent") or holds_numbers(table.take([one])[one])]
        found |= {"agent_answer": given[0]} if given else {}
    if "human" in found and "agent_answer" in found and "outcome" in found:
        who = _agent_column(table, titles, agent_column, reserved=(found["agent_answer"],))
        return read_answers_frame(table, AnswerColumns(found, who))
    pairs = _wide_outcomes(table.header)
    if pairs:
        who = _agent_column(table, titles, agent_column, reserved=())
        return read_answers_frame(
            table, AnswerColumns(found | {"outcome": "outcome"}, who), wide_frame(table, pairs)
        )
    raise FileFormatError(f"{table.name}: found the columns {listed(table.header)}; {_WANTED}")


def _given_apart(tables: Sequence[ColumnTable]) -> ColumnTable:
    """Return people's answers and those of agents as one table with a column ``source``."""
    import polars as pl

    frames = []
    for place, table in enumerate(tables):
        titles = dict(zip(plain_titles(table.header), table.header, strict=True))
        frame = without_codes(table.take(table.header))  # of which one side may have the numbers alone
        named = [titles[name] for name in (*AGENT_NAMES, *NAMES["source"]) if name in titles]
        who = pl.lit(Path(table.name).stem) if not named else pl.col(named[0])
        found = pl.lit(HUMAN_WORDS[0]) if place == 0 else who
        frames.append(frame.with_columns(found.alias("source")).drop(set(named) - {"source"}))
    shared = [one for one in frames[0].columns if all(one in frame.columns for frame in frames[1:])]
    if set(shared) <= {"source", *NAMES["person"]}:
        raise FileFormatError(
            f"{tables[1].name}: has no question of {tables[0].name}: found {listed(tables[1].header)}, there "
            f"{listed(tables[0].header)}; give both the same titles"
        )
    kept = [title for title in frames[0].columns if title in shared or fold(title) in _BESIDE]
    lacking = [title for title in frames[0].columns if title not in kept]
    told = (f"{tables[0].name}: only people have {listed(lacking, shown=8)}: left out",) if lacking else ()
    whole = pl.concat(
        [frame.select(one for one in frame.columns if one in kept) for frame in frames], how="diagonal"
    )
    rows = [
        np.arange(2, frame.height + 2) if table.rows is None else table.rows[: frame.height]
        for table, frame in zip(tables, frames, strict=True)
    ]
    return replace(
        tables[0],
        name=" + ".join(table.name for table in tables),
        header=tuple(whole.columns),
        rows=np.concatenate(rows),
        load=whole.select,
        inputs=tuple(one for table in tables for one in table.inputs),
        warnings=(*(note for table in tables for note in table.warnings), *told),
        typed=False,
    )


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
    once = len({(one["agent"], str(one["scenario"]), one["model"]) for one in found}) == len(found)
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


@dataclass(frozen=True, slots=True)
class _WideColumns:
    """What the columns of a table with one column per question are."""

    questions: list[str]
    found: dict[str, str]
    used: frozenset[str]
    told: str


def _wide_columns(
    table: ColumnTable, found: dict[str, str], wanted: str | Sequence[str] | None
) -> _WideColumns:
    """Tell questions from columns that identify, weigh or describe, by name and content."""
    chosen = None if wanted is None else _chosen_questions(table, wanted)
    found = {part: title for part, title in found.items() if chosen is None or title not in chosen}
    found = {part: title for part, title in found.items() if part not in ("human", "agent_answer", "outcome")}
    taken = {*found.values()}
    free = [title for title in table.header if title.strip() and title not in taken]
    if chosen is not None:
        free = [title for title in free if title not in chosen]
    frame = table.take(free)
    identify = [one for one in free if not is_added(one) and _identifies(frame[one], by_name=chosen is None)]
    describe = [one for one in free if _DESCRIBES.fullmatch(fold(one)) and one not in identify]
    aside = {*identify, *describe, *(one for one in free if is_added(one))}
    questions = [one for one in free if one not in aside] if chosen is None else chosen
    if "person" not in found and identify:
        found["person"] = identify[0]
    if "group" not in found:
        few = [one for one in describe if 2 <= frame[one].n_unique() <= _MOST_GROUPS]
        found |= {"group": few[0]} if few else {}
    roles = [f"{part} {found[part]!r}" for part in ("person", "weight", "group") if part in found]
    said = f"{len(questions)} questions: {listed(questions, shown=8)}"
    hint = "" if chosen is not None else "; --questions q1..q12 decides which columns are questions"
    told = f"{table.name}: {'; '.join([said, *roles])}{hint}"
    return _WideColumns(questions, found, frozenset({*questions, *found.values()}), told)


def _chosen_questions(table: ColumnTable, wanted: str | Sequence[str]) -> list[str]:
    """Return the columns that a user named: ``q1..q12`` by their numbers or their order, or names."""
    chosen: list[str] = []
    for part in wanted.split(",") if isinstance(wanted, str) else wanted:
        first, dots, last = (one.strip() for one in part.partition(".."))
        ends = [named_column(table.name, table.header, one) for one in ((first, last) if dots else (first,))]
        numbered = [re.fullmatch(r"(.*?)(\d+)", one) for one in ends]
        if len(ends) == 2 and all(numbered) and len({one[1] for one in numbered if one}) == 1:
            low, high = (int(one[2]) for one in numbered if one)
            stem = re.compile(re.escape(numbered[0][1]) + r"(\d+)")  # type: ignore[index]
            held = [(one, stem.fullmatch(one)) for one in table.header]
            chosen += [one for one, found in held if found and low <= int(found[1]) <= high]
        elif len(ends) == 2:
            places = sorted(table.header.index(one) for one in ends)
            chosen += table.header[places[0] : places[1] + 1]
        else:
            chosen += ends
    return list(dict.fromkeys(chosen))


def _identifies(column: "pl.Series", *, by_name: bool) -> bool:
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
    if _identifies(column, by_name=True):
        return "person"
    return "describes a person" if _DESCRIBES.fullmatch(fold(column.name)) else ""


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


def by_question_frame(table: ColumnTable, found: dict[str, str], questions: Sequence[str]) -> "pl.DataFrame":
    """Return one row per person and question of a table with a column per question."""
    import polars as pl

    kept = [title for part, title in found.items() if part not in ("answer", "option")]
    whole = table.take([*kept, *questions])
    parts = [
        whole.select(*kept, pl.lit(name).alias("outcome"), pl.col(name).cast(pl.String).alias("answer"))
        for name in questions
    ]
    long = replace(table, header=(*kept, "outcome", "answer"), load=pl.concat(parts).select)
    frame = stacked_frame(long, found | {"answer": "answer"})
    return frame.with_columns((pl.col("row_number") % whole.height).cast(pl.UInt32))


def _agent_column(
    table: ColumnTable, titles: dict[str, str], wanted: str | None, *, reserved: Sequence[str]
) -> str | None:
    """Find the column that names the agents."""
    if wanted is not None:
        return named_column(table.name, table.header, wanted)
    names = [titles[name] for name in AGENT_NAMES if name in titles and titles[name] not in reserved]
    return names[0] if names else None


def _wide_outcomes(header: Sequence[str]) -> dict[str, tuple[str, str]]:
    """Find pairs of columns human_X and agent_X."""
    sides: dict[str, dict[str, str]] = {"human_": {}, "agent_": {}}
    for title in header:
        for prefix, columns in sides.items():
            if title.casefold().startswith(prefix):
                columns[title[len(prefix) :]] = title
    return {
        name: (column, sides["agent_"][name])
        for name, column in sides["human_"].items()
        if name and name in sides["agent_"]
    }


def wide_frame(table: ColumnTable, outcomes: dict[str, tuple[str, str]]) -> "pl.DataFrame":
    """Return a wide table one row per person and outcome, under the names of the other layouts."""
    import polars as pl

    used = {column for pair in outcomes.values() for column in pair}
    kept = [title for title in table.header if title not in used and title.strip()]
    taken = [title for title in kept if title in ("row_number", "outcome", "human", "agent_answer")]
    if taken:
        raise FileFormatError(
            f"{table.name}: the column {taken[0]!r} is there beside pairs such as {min(used)!r}, so "
            "the layout is not clear; keep one of the two"
        )
    whole = table.take([*kept, *used]).with_row_index("row_number")
    refuse_vast(table, whole.height * len(outcomes))
    for title in used:
        refuse_nested(table.name, whole[title], "answers")
    parts = [
        whole.select(
            "row_number",
            *kept,
            pl.lit(name).alias("outcome"),
            pl.col(human).cast(pl.String).alias("human"),
            pl.col(agent).cast(pl.String).alias("agent_answer"),
        )
        for name, (human, agent) in outcomes.items()
    ]
    return pl.concat(parts)


def stacked_frame(table: ColumnTable, found: dict[str, str]) -> "pl.DataFrame":
    """Return answers that lie one below the other as two columns; every agent meets the same people."""
    import polars as pl

    whole = table.take(list(table.header)).with_row_index("row_number")
    for title in (found["source"], found["answer"]):
        refuse_nested(table.name, whole[title], "names or answers")
    source = pl.col(found["source"]).cast(pl.String).str.strip_chars()
    is_human = source.is_in([name for name in whole.select(source).to_series().unique() if _is_people(name)])
    answer = pl.col(found["answer"]).cast(pl.String)
    people, replies = whole.filter(is_human), whole.filter(~is_human)
    names = replies.select(source.alias("agent_name")).to_series().unique(maintain_order=True).to_list()
    refuse_vast(table, people.height * len(names) + replies.height)
    nothing = pl.lit(None, dtype=pl.String)
    parts = []
    for name in names:
        own = replies.filter(source == name)
        parts.append(people.with_columns(answer.alias("human"), nothing.alias("agent_answer"),
                                         pl.lit(name).alias("agent_name")))  # fmt: skip
        parts.append(own.with_columns(nothing.alias("human"), answer.alias("agent_answer"),
                                      pl.lit(name).alias("agent_name")))  # fmt: skip
    if not parts or not people.height:
        raise FileFormatError(
            f"{table.name}: the column {found['source']!r} must hold 'human' in some rows and the names of "
            "agents in the others"
        )
    return pl.concat(parts)


def _is_people(name: str | None) -> bool:
    """Whether a cell says that people answered, in any language of the vocabulary."""
    if name is None:
        return False
    return name.casefold() in HUMAN_WORDS or plain_titles([name])[0] in ("human", "person")
