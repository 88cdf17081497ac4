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

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from concord.errors import FileFormatError, OptionError, listed
from concord.files.cells import number, number_that
from concord.files.columns import ColumnTable, options_of_each, refuse_nested
from concord.files.declared import DeclaredTable, TableColumn, named_column
from concord.files.grids import names_of, plain_title, plain_titles
from concord.files.survey import without_codes
from concord.files.tables import TableOptions, TableSource
from concord.people.answers.records import AnswerSet, AnswerSets, Moments, OutcomeKey
from concord.people.answers.sides import (
    HUMAN_WORDS,
    AnswerColumns,
    read_answers_frame,
    read_counts_frame,
    refuse_vast,
    sums_of_options,
)
from concord.people.answers.surveys import (
    DESCRIBES,
    NAMES,
    holds_numbers,
    identifies,
    is_added,
    of_log,
    survey_table,
)
from concord.people.table.by_side import by_side
from concord.people.table.columns import SIDES, fold
from concord.people.table.handmade.words import is_people, names_statistic

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


_MOST_GROUPS = 12
_BESIDE = frozenset(NAMES["weight"])
"""Columns that count though one side alone has them."""
AGENT_NAMES = NAMES["agent"]
"""AnswerColumns that name agents; ``agent`` only where another column holds the agent's answers."""
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
    tables[1:] = [of_log(tables[0], one) for one in tables[1:]]
    table = _given_apart(tables) if agents else tables[0]
    is_counted = not agents and counts_options(table)
    found = None if is_counted else _read_layout(table, agent_column, questions, weights)
    if found is None:
        sided = _sided(table)
        found = _read_layout(table if sided is None else sided, agent_column, questions, weights)
    if found is None:
        raise FileFormatError(f"{table.name}: found the columns {listed(table.header)}; {_WANTED}")
    return found


def _read_layout(
    table: ColumnTable, agent_column: str | None, questions: str | Sequence[str] | None, weights: str | None
) -> AnswerSets | None:
    """Read a table by the layout that its columns have; None where they have none."""
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
    return None


def _sided(table: ColumnTable) -> ColumnTable | None:
    """Return columns that are called by their side under the names of the layouts, agents below each other.

    Where rows are options, the columns below the sides are counts.
    """
    import polars as pl

    sides = by_side(table.header, names_of("answers_of_side"))
    agents = sides.shared()
    of_tests = any(names_statistic(words) for words in sides.said.values())
    if sides.twice or not agents or of_tests:
        return None
    names = {part: f"_{sides.said.get(part, part)}" if part else "" for part in sides.people}
    frame = table.take([title for title in table.header if title.strip()])
    told, counted = [], counts_options(table)
    if counted and "" in names:
        names[""] = "_count"
        counts = [sides.people[""], *(held[""] for held in agents.values() if "" in held)]
        told += _add_up(table, [table.header[j] for j in counts])
    shared = {part for held in agents.values() for part in held}
    owned = {
        *(sides.people[part] for part in shared),
        *(j for held in agents.values() for j in held.values()),
    }
    common = [title for j, title in enumerate(table.header) if j not in owned and title.strip()]
    made = {f"{side}{name}" for name in names.values() for side in SIDES}
    if {"model", "agent_answer", *made} & {*common}:
        return None  # which of two columns is meant is not clear
    parts, said = [], []
    for name, held in agents.items():
        shown = name if name else "agent"
        both = {f"human{names[part]}": sides.people[part] for part in held}
        both |= {f"agent{names[part]}" if names[part] else "agent_answer": j for part, j in held.items()}
        picked = (pl.col(table.header[j]).alias(new) for new, j in both.items())
        parts.append(frame.select(*common, *picked, pl.lit(shown).alias("model")))
        said.append(f"{listed([table.header[j] for j in held.values()], shown=4)} for those of {shown}")
    people = listed([table.header[j] for part, j in sides.people.items() if part in shared], shown=4)
    what = "counts of people's answers" if counted else "people's answers"
    told.append(f"{table.name}: {people} taken for {what}, {', '.join(said)}")
    whole = pl.concat(parts, how="diagonal_relaxed")
    rows = np.arange(2, frame.height + 2) if table.rows is None else table.rows[: frame.height]
    return replace(
        table,
        header=tuple(whole.columns),
        rows=np.tile(rows, len(parts)),
        load=whole.select,
        warnings=(*table.warnings, *told),
    )


def _keys_of_options(table: ColumnTable) -> list[str]:
    """Return the columns that say which option of which question a row is about; the option is the last."""
    titles = dict(zip(plain_titles(table.header), table.header, strict=True))
    parts = ("study", "outcome", "condition", "group", "option")
    found = [next((titles[name] for name in NAMES[part] if name in titles), None) for part in parts]
    is_of_person = any(name in titles for name in NAMES["person"])
    return [] if None in (found[1], found[-1]) or is_of_person else [one for one in found if one is not None]


def counts_options(table: ColumnTable) -> bool:
    """Whether a table holds a row per option: every question has several, each of them once."""
    keys = _keys_of_options(table)
    if not keys or "" not in by_side(table.header, {}).people:
        return False
    frame = table.take(keys)
    several = frame.group_by(keys[:-1]).len()["len"].min()
    return not frame.is_duplicated().any() and isinstance(several, int) and several > 1


def _add_up(table: ColumnTable, counts: Sequence[str]) -> list[str]:
    """Say that the counts of every question and side add up to 100, as percentages do."""
    import polars as pl

    keys = _keys_of_options(table)
    frame = table.take([*keys, *counts]).with_columns(pl.col(*counts).cast(pl.Float64, strict=False))
    frame = frame.filter(~pl.Series(sums_of_options(frame, keys, counts)))
    sums = frame.group_by(keys[:-1]).agg(pl.col(*counts).sum()).select(counts)
    if not bool((sums.to_numpy() == 100).all()):
        return []
    return [
        f"{table.name}: the counts of every question add up to 100: where they are percentages, how many "
        "answered is not known and no interval holds; give counts"
    ]


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
    identify = [one for one in free if not is_added(one) and identifies(frame[one], by_name=chosen is None)]
    describe = [one for one in free if DESCRIBES.fullmatch(fold(one)) and one not in identify]
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
    return name is not None and is_people(name)
