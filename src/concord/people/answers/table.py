"""A table of answers, counts or moments to sets of answers: every layout that people keep such data in.

A file says by its columns what it is:

- answers side by side: ``outcome, human, agent`` (``person``, ``study``, ``condition``, ``group``);
- answers one below the other: ``outcome, source, answer``, where ``source`` is ``human`` or an agent's name;
- wide: one row per person, ``human_X`` and ``agent_X`` for every outcome X;
- one column per question: ``source, Q1, Q2, …``, where ``source`` is ``human`` or an agent's name;
- counts: ``outcome, option, human_count, agent_count``;
- moments: ``outcome, n, human_mean, human_sd, agent_mean, agent_sd`` (``r``).
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from concord.errors import CellProblem, FileFormatError, TableError, listed
from concord.files.cells import BadCellError, number, with_point
from concord.files.columns import ColumnTable, read_columns, refuse_nested
from concord.files.survey import coded, from_limesurvey, is_limesurvey, read_qsf
from concord.files.tables import TableOptions, TableSource
from concord.people.answers.records import AnswerSets, Moments, OutcomeKey
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


R_NAMES = ("r_person", "r", "person_r", "correlation")
FIELDS = ("human_mean", "human_sd", "agent_mean", "agent_sd")


def read_moments(
    table: ColumnTable, titles: dict[str, str], found: dict[str, str], agent: str | None
) -> AnswerSets:
    """Read moments, one row per agent and outcome."""
    sizes = {
        side: titles[name] for side in ("human", "agent") for name in ("n", f"{side}_n") if name in titles
    }
    if len(sizes) < 2 or "outcome" not in found:
        raise FileFormatError(
            f"{table.name}: moments need the columns 'outcome' and 'n' (or 'human_n' and 'agent_n')"
        )
    r = next((titles[name] for name in R_NAMES if name in titles), None)
    wanted = {name: titles[name] for name in FIELDS} | {f"{side}_n": title for side, title in sizes.items()}
    columns = [*wanted.values(), *found.values(), *(one for one in (agent, r) if one is not None)]
    frame = table.take([title for title in table.header if title in columns])
    return _Rows(table, frame, wanted, found, agent, r).table()


class _Rows:
    """The rows of a table of moments."""

    def __init__(
        self,
        table: ColumnTable,
        frame: "pl.DataFrame",
        wanted: dict[str, str],
        found: dict[str, str],
        agent: str | None,
        r: str | None,
    ) -> None:
        self.source, self.wanted, self.found, self.agent, self.r = table, wanted, found, agent, r
        self.rows = frame.rows(named=True)
        self.problems: list[CellProblem] = []

    def table(self) -> AnswerSets:
        """Read every row, or raise once with every bad cell."""
        sets: dict[str, dict[OutcomeKey, Moments]] = {}
        empty = 0
        for i, row in enumerate(self.rows):
            who = "agent" if self.agent is None else str(row[self.agent]).strip()
            made = self.moments(i, row)
            if made is None:
                empty += 1
                continue
            own = sets.setdefault(who, {})
            if made.key in own:
                self.problem(i, self.found["outcome"], row, "an outcome that this agent has once")
            own[made.key] = made
        if self.problems:
            raise TableError(self.problems)
        if not sets:
            raise FileFormatError(f"{self.source.name}: no row holds the moments of both sides")
        left = (f"{self.source.name}: {empty} rows lack a moment and are left out",) if empty else ()
        return AnswerSets(
            {name: tuple(found.values()) for name, found in sets.items()},
            (),
            self.source.inputs,
            (*self.source.warnings, *left),
        )

    def moments(self, i: int, row: dict[str, object]) -> Moments | None:
        """Read one row; None where a moment is missing."""
        values = {name: self.value(i, title, row) for name, title in self.wanted.items()}
        if any(value is None for value in values.values()):
            return None
        known = {name: value for name, value in values.items() if value is not None}
        for name in ("human_sd", "agent_sd"):
            if known[name] < 0:
                self.problem(i, self.wanted[name], row, "a standard deviation, 0 or more")
        for name in ("human_n", "agent_n"):
            if known[name] < 2 or known[name] != round(known[name]):
                self.problem(i, self.wanted[name], row, "a whole number, 2 or more")
        r = None if self.r is None else self.value(i, self.r, row)
        if r is not None and abs(r) > 1:
            self.problem(i, str(self.r), row, "a correlation from -1 to 1")
        names = {part: str(row[self.found[part]]).strip() for part in ("study", "outcome", "condition")
                 if part in self.found and row[self.found[part]] is not None}  # fmt: skip
        key = OutcomeKey(
            names.get("study", "all"), names.get("outcome", "outcome"), names.get("condition", "")
        )
        return Moments(
            key,
            known["human_mean"],
            known["human_sd"],
            int(known["human_n"]),
            known["agent_mean"],
            known["agent_sd"],
            int(known["agent_n"]),
            r,
        )

    def value(self, i: int, title: str, row: dict[str, object]) -> float | None:
        """Read a number; an unusable cell becomes a problem."""
        cell = row[title]
        try:
            return number(with_point(cell) if self.source.decimal_comma else cell)
        except BadCellError as error:
            self.problem(i, title, row, str(error))
            return None

    def problem(self, i: int, title: str, row: dict[str, object], expected: str) -> None:
        """Note an unusable cell."""
        self.problems.append(
            CellProblem(self.source.name, None, self.source.row(i), title, row[title], expected)
        )


NAMES = {
    "study": ("study", "study_id", "experiment"),
    "outcome": ("outcome", "item", "question", "variable", "dv"),
    "condition": ("condition", "arm", "treatment", "cell"),
    "person": ("person", "person_id", "participant", "respondent", "subject", "pid"),
    "group": ("group", "subgroup", "demographic"),
    "scale_min": ("scale_min",),
    "scale_max": ("scale_max",),
    "option": ("option", "choice", "category", "answer_option"),
    "human_count": ("human_count", "human_n_option", "people_count"),
    "agent_count": ("agent_count", "model_count", "synthetic_count"),
    "source": ("source", "who", "respondent_type"),
    "answer": ("answer", "value", "response"),
    "human": ("human", "human_answer", "human_value", "people"),
    "agent_answer": ("agent_answer", "agent_value", "model_answer", "synthetic"),
}
AGENT_NAMES = ("agent", "model", "design", "config")
"""AnswerColumns that name agents; ``agent`` only where another column holds the agent's answers."""
_IMPORT_ID = '{"ImportId"'
_IMPORT_LINES = 3
"""Lines below the titles in which import ids are looked for."""
_META = re.compile(
    "(?:start|end|recorded)date|status|ipaddress|progress|durationinseconds|finished|responseid|"
    "recipient(?:last|first)name|recipientemail|externalreference|location(?:latitude|longitude)|"
    "distributionchannel|userlanguage"
)
"""Columns that survey programs add."""
_WANTED = (
    "expected answers (outcome, human, agent), one below the other (outcome, source, answer), one column per "
    "question (source, Q1, Q2), wide (human_X, agent_X), counts (outcome, option, human_count, agent_count) "
    "or moments (outcome, n, human_mean, human_sd, agent_mean, agent_sd). "
    "A table of tests (t, F, r, χ², means) is scored by concord score people"
)


def read_answer_table(
    source: TableSource,
    *,
    agent_column: str | None = None,
    sheet: str | None = None,
    encoding: str | None = None,
    decimal_comma: bool = False,
    labels: str | Path | None = None,
) -> AnswerSets:
    """Read a table of answers."""
    table = survey_table(source, TableOptions(sheet, encoding, decimal_comma), labels)
    titles = {fold(title): title for title in table.header}
    found = {part: titles[name] for part, names in NAMES.items() for name in names[::-1] if name in titles}
    if {"human_mean", "human_sd", "agent_mean", "agent_sd"} <= set(titles):
        who = _agent_column(table, titles, agent_column, reserved=())
        return read_moments(table, titles, found, who)
    if {"option", "human_count", "agent_count"} <= set(found):
        who = _agent_column(table, titles, agent_column, reserved=())
        return read_counts_frame(table, AnswerColumns(found, who))
    if "source" in found and "answer" in found and "human" not in found:
        return read_answers_frame(table, AnswerColumns(found, None), stacked_frame(table, found))
    if "source" in found and "human" not in found and "outcome" not in found:
        questions = _questions(table.header, found)
        if questions:
            return read_answers_frame(
                table,
                AnswerColumns(found | {"outcome": "outcome"}, None),
                by_question_frame(table, found, questions),
            )
    if "human" in found and "agent_answer" not in found and "agent" in titles:
        found["agent_answer"] = titles["agent"]
    if "human" in found and "agent_answer" in found and "outcome" in found:
        who = _agent_column(table, titles, agent_column, reserved=(found["agent_answer"],))
        return read_answers_frame(table, AnswerColumns(found, who))
    wide = _wide_outcomes(table.header)
    if wide:
        who = _agent_column(table, titles, agent_column, reserved=())
        return read_answers_frame(
            table, AnswerColumns(found | {"outcome": "outcome"}, who), wide_frame(table, wide)
        )
    raise FileFormatError(f"{table.name}: found the columns {listed(table.header)}; {_WANTED}")


def survey_table(source: TableSource, options: TableOptions, labels: str | Path | None = None) -> ColumnTable:
    """Open a table of answers; exports of survey programs without what these add, texts as numbers.

    ``labels`` is the survey file of Qualtrics, which says what the texts of choices are as numbers.
    """
    table = without_import_ids(read_columns(source, options))
    if labels is None and not is_limesurvey(table.header):
        return table
    frame = table.take(table.header)
    if labels is not None:
        frame = coded(frame, read_qsf(Path(labels)))
    if is_limesurvey(table.header):
        frame = from_limesurvey(frame)
    return replace(table, header=tuple(frame.columns), load=frame.select)


def without_import_ids(table: ColumnTable) -> ColumnTable:
    """Return a table without the lines of question texts and import ids that Qualtrics puts below titles."""
    if not table.header:
        return table
    import polars as pl

    head = table.load([table.header[0]]).head(_IMPORT_LINES)[table.header[0]]
    if head.dtype != pl.String:  # and dates beyond the calendar cannot be listed
        return table
    marks = [i for i, cell in enumerate(head.to_list()) if cell is not None and cell.startswith(_IMPORT_ID)]
    if not marks:
        return table
    cut = marks[0] + 1
    lines = " and ".join(str(table.row(i)) for i in range(cut))
    told = f"{table.name}: rows {lines} hold question texts and import ids of Qualtrics, left out"
    rows = np.arange(cut + 2, 10**9) if table.rows is None else table.rows[cut:]
    return replace(
        table,
        rows=rows,
        load=lambda names: table.load(names).slice(cut),
        warnings=(*table.warnings, told),
    )


def _questions(header: Sequence[str], found: dict[str, str]) -> list[str]:
    """Return the columns of questions: those that no other part of a table takes, and no survey program."""
    taken = {*found.values()}
    return [title for title in header if title.strip() and title not in taken and not _is_meta(title)]


def _is_meta(title: str) -> bool:
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
        if fold(wanted) not in titles:
            raise FileFormatError(f"{table.name}: no column {wanted!r}; found {listed(table.header)}")
        return titles[fold(wanted)]
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
    is_human = source.str.to_lowercase().is_in(list(HUMAN_WORDS))
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
