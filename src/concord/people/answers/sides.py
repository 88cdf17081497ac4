"""Columns of answers to sets of answers: words and codes read, persons joined, groups and scales kept."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from concord.errors import CellProblem, FileFormatError, TableError, listed, quoted
from concord.files import limits
from concord.files.cells import is_missing, number
from concord.files.columns import ColumnTable, read_numbers, refuse_nested
from concord.files.gate import refuse_more
from concord.files.grids import rows_in_words
from concord.files.left_out import left_out_cells, told_left_out
from concord.files.missing import found_codes, is_refusal
from concord.files.raw import TOTALS
from concord.people.answers.records import AnswerSet, AnswerSets, OutcomeKey
from concord.stats.elementwise import Floats
from concord.words import say

if TYPE_CHECKING:
    import polars as pl


_MIDDLE = re.compile(r"neither .*|neutral|undecided|(?:neither|no opinion)")
_POLES = (("disagree", "agree"), ("unlikely", "likely"), ("dissatisfied", "satisfied"))
_STRENGTHS = {
    **dict.fromkeys(("strongly", "very", "extremely", "completely", "totally", "highly"), 3),
    **dict.fromkeys(("", "mostly", "moderately", "quite"), 2),
    **dict.fromkeys(("somewhat", "slightly", "rather", "a little"), 1),
}


def scale_of_words(words: list[str]) -> dict[str, float] | None:
    """Return the numbers of the words of a scale, from 1; ``None`` where one of them is on no scale."""
    places = {word: _place_on_scale(word) for word in words}
    found = [place for place in places.values() if place is not None]
    if len(found) < len(words) or len({place for place in found if place[0] is not None}) < 2:
        return None
    if len({pole for pole, _ in found if pole is not None}) > 1:
        return None
    strengths = {abs(at) for _, at in found}
    steps = [-3, -2, -1, 0, 1, 2, 3]
    if not {1, 2} <= strengths:
        steps = [-3, -1, 0, 1, 3] if 1 in strengths else [-3, -2, 0, 2, 3]
    number = {step: float(i) for i, step in enumerate(steps, 1)}
    return {word: number[place[1]] for word, place in places.items() if place is not None}


def _place_on_scale(word: str) -> tuple[int | None, int] | None:
    """Return the pair of poles and the step from the middle that a word names."""
    text = " ".join(word.casefold().split())
    if _MIDDLE.fullmatch(text):
        return (None, 0)
    for which, (low, high) in enumerate(_POLES):
        for pole, sign in ((low, -1), (high, 1)):
            strength = text.removesuffix(pole).strip()
            if text.endswith(pole) and strength in _STRENGTHS:
                return (which, sign * _STRENGTHS[strength])
    return None


HUMAN_WORDS = ("human", "humans", "people", "person", "participant", "participants")
NUMBERS_SHARE = 0.9
"""An outcome with at least this share of numbers is numeric, and other cells in it are mistakes."""


@dataclass(frozen=True, slots=True)
class AnswerColumns:
    """Where each part of a table is."""

    found: dict[str, str]
    """Titles by part."""
    agent: str | None
    """The column that names agents."""
    used: frozenset[str] = frozenset()
    """Further columns that are used."""


def refuse_vast(table: ColumnTable, answers: float) -> None:
    """Refuse more answers than can be scored, before they are laid out."""
    advice = "score them in several files, or draw a random part of them"
    refuse_more(int(answers), limits.ANSWERS, "answers", table.name, advice)


def refuse_many(n_outcomes: int, place: str) -> None:
    """Refuse more outcomes than can be scored, those of every agent counted."""
    advice = "score them in several files, or check the column of outcomes"
    refuse_more(n_outcomes, limits.OUTCOMES, "outcomes", place, advice)


def read_answers_frame(
    table: ColumnTable, columns: AnswerColumns, frame: "pl.DataFrame | None" = None
) -> AnswerSets:
    """Read answers, side by side in ``frame`` or in the table itself."""
    import polars as pl

    counts = ("option", "human_count", "agent_count")
    found = {part: title for part, title in columns.found.items() if part not in counts}
    used = set(found.values())
    if frame is None:
        wanted = [title for title in table.header if title in used or title == columns.agent]
        frame = table.take(wanted).with_row_index("row_number")
    else:
        found |= {"human": "human", "agent_answer": "agent_answer"}
    refuse_vast(table, frame.height)
    for title in frame.columns:
        if title in {*found.values(), columns.agent}:
            refuse_nested(table.name, frame[title], "names or answers")
    who = "agent_name" if "agent_name" in frame.columns else columns.agent
    parts = {
        **_name_columns(frame, found | {"who": who}),
        "weight": pl.Series("weight", _weight_column(table, frame, found.get("weight")), dtype=pl.Float64),
        "human": frame[found["human"]],
        "agent": frame[found["agent_answer"]],
        "row_number": frame["row_number"],
    }
    for end in ("scale_min", "scale_max"):
        if end in found:
            parts[end] = frame[found[end]]
    whole = pl.DataFrame([series.alias(name) for name, series in parts.items()])
    names = ("human", found["human"]), ("agent", found["agent_answer"])
    return _Reading(table, dict(names), "person" in found).table(whole, _unused(table, columns))


def _weight_column(table: ColumnTable, frame: "pl.DataFrame", title: str | None) -> list[float | None]:
    """Return survey weights; one that is none is named."""
    if title is None:
        return [None] * frame.height
    values, bad = read_numbers(frame[title], decimal_comma=table.decimal_comma)
    wrong = sorted({*bad, *np.flatnonzero(values < 0).tolist()})
    if wrong:
        rows, said = {i: table.row(int(frame["row_number"][i])) for i in wrong}, "a weight, 0 or more"
        raise TableError(
            [CellProblem(table.name, None, row, title, frame[title][i], said) for i, row in rows.items()]
        )
    return [None if np.isnan(value) else value for value in values.tolist()]


_NAMED: dict[str, str | None] = {
    **{"study": "all", "outcome": "outcome", "condition": "", "who": "agent"},
    **{"person": None, "group": None, "option": None},
}
"""Columns of names, and what is taken where one is missing."""


def _name_columns(frame: "pl.DataFrame", found: Mapping[str, str | None]) -> "dict[str, pl.Series]":
    """Return columns of names as text; what is missing as the usual name."""
    import polars as pl

    made = {}
    for part, usual in _NAMED.items():
        title = found.get(part)
        if title is None:
            made[part] = pl.Series("", [usual], dtype=pl.String).new_from_index(0, frame.height)
            continue
        text = frame[title].cast(pl.String).str.strip_chars()
        text = text.set(text == "", None)
        made[part] = text if usual is None else text.fill_null(usual)
    return made


def _unused(table: ColumnTable, columns: AnswerColumns) -> tuple[str, ...]:
    used = {*columns.found.values(), *columns.used, columns.agent}
    others = [
        title
        for title in table.header
        if title not in used and title and not title.casefold().startswith(("human_", "agent_"))
    ]
    return (
        *table.warnings,
        *((f"{table.name}: columns not used: {listed(others)}",) if others else ()),
    )


@dataclass(slots=True)
class _Reading:
    """The work of reading one table of answers."""

    table_: ColumnTable
    titles: dict[str, str]
    has_persons: bool
    told: list[str] = field(default_factory=list)
    counted: dict[tuple[str, str], tuple[int, dict[str, None]]] = field(default_factory=dict)
    """Side and what became of answers: how many, and of which outcomes."""
    problems: dict[tuple[int | None, str, str], CellProblem] = field(default_factory=dict)

    def table(self, whole: "pl.DataFrame", warnings: tuple[str, ...]) -> AnswerSets:
        """Read every outcome; cells that cannot be read are left out, or refuse the table."""
        refuse_many(whole.select("study", "outcome", "who", "condition").n_unique(), self.table_.name)
        groups = tuple(whole["group"].drop_nulls().unique().sort().to_list())
        sets: dict[str, list[AnswerSet]] = {}
        kinds = {}
        for (study, outcome), part in whole.group_by(["study", "outcome"], maintain_order=True):
            kinds[(study, outcome)] = self.values(part)
        n_rows = whole["row_number"].n_unique()
        bad = sorted(self.problems.values(), key=lambda one: -1 if one.row is None else one.row)
        left = left_out_cells(bad, n_rows, strict=self.table_.options.strict)
        for key, (part, options) in kinds.items():
            for (who, condition), own in part.group_by(["who", "condition"], maintain_order=True):
                made = self.answers(
                    own, OutcomeKey(str(key[0]), str(key[1]), str(condition)), options, groups
                )
                sets.setdefault(str(who), []).append(made)
        counted = [
            f"{self.table_.name}: {n} answers of {side} to {listed(list(names), shown=8)} {what}"
            for (side, what), (n, names) in self.counted.items()
        ]
        return AnswerSets(
            {name: tuple(found) for name, found in sets.items()},
            groups,
            self.table_.inputs,
            (*told_left_out(left, n_rows), *warnings, *self.told, *counted),
            left,
        )

    def values(self, part: "pl.DataFrame") -> "tuple[pl.DataFrame, tuple[str, ...]]":
        """Return the answers of one outcome as numbers, or as places among its options."""
        import polars as pl

        part = self.without_declared(part)
        columns = {side: self.numbers(part, side) for side in ("human", "agent")}
        name = str(part["outcome"][0])
        bad = sum(len(odd) for _, odd in columns.values())
        filled = sum(int(np.count_nonzero(~np.isnan(values))) for values, _ in columns.values()) + bad
        numeric = all(part[side].dtype.is_numeric() for side in columns)
        if bad and not numeric and bad > (1 - NUMBERS_SHARE) * filled:
            return self.words(part, name)
        for side, (values, odd) in columns.items():
            values[odd] = np.nan
            for i in odd:
                place = int(self.places(part, side)[i])
                self.problems.setdefault((place, side, name), self.problem(part, side, i))
            self.tell_refusals(part, side, name)
        self.leave_out_codes(part, {side: values for side, (values, _) in columns.items()}, name)
        made = [pl.Series(side, values) for side, (values, _) in columns.items()]
        return part.with_columns(*made), ()

    def without_declared(self, part: "pl.DataFrame") -> "pl.DataFrame":
        """Leave out what the user declared to be no answer."""
        import polars as pl

        codes = self.table_.options.missing
        for side in ("human", "agent") if codes.shown else ():
            held = [cell for cell in part[side].unique().to_list() if codes.holds(cell)]
            if held:
                taken = part[side].is_in(held).fill_null(value=False)
                self.count(part, taken.to_numpy(), side, f"are {codes.shown} (--missing): left out")
                part = part.with_columns(pl.when(taken).then(None).otherwise(pl.col(side)).alias(side))
        return part

    def leave_out_codes(self, part: "pl.DataFrame", sides: dict[str, Floats], name: str) -> None:
        """Leave out what lies off a declared scale, else codes that are known; ask about the others."""
        scale = _scale(part)
        if scale is not None:
            for side, values in sides.items():
                off = (values < scale[0]) | (values > scale[1])
                shown = ", ".join(f"{code:g}" for code in np.unique(values[off])[:5])
                values[off] = np.nan
                where = f"{scale[0]:g} to {scale[1]:g}"
                self.count(part, off, side, f"lie off the scale {where} ({shown}): no answers, left out")
            return
        codes = found_codes(sides["human"], sides["agent"])
        question = codes.asked_words(np.concatenate(list(sides.values())))
        for side, values in sides.items():
            taken = np.isin(values, codes.taken)
            values[taken] = np.nan
            self.count(part, taken, side, codes.taken_words)
            self.count(part, np.isin(values, codes.asked), side, question)

    def places(self, part: "pl.DataFrame", side: str) -> Any:
        """Return which answer each row holds: those of people who meet several agents are the same."""
        places, rows = part["row_number"].to_numpy(), self.table_.rows
        return places if rows is None or side != "human" else rows[places]

    def count(self, part: "pl.DataFrame", which: Any, side: str, what: str) -> None:
        """Count answers under one cause; people who meet several agents are counted once."""
        n = np.unique(self.places(part, side)[which]).size
        if n:
            so_far, names = self.counted.get((side, what), (0, {}))
            self.counted[side, what] = so_far + n, {**names, str(part["outcome"][0]): None}

    def tell_refusals(
        self, part: "pl.DataFrame", side: str, name: str, *, among_numbers: bool = True
    ) -> None:
        """Note how many cells say that there is no answer."""
        import polars as pl

        if part[side].dtype == pl.String:
            cells = part[side].unique().to_list()
            refusals = [cell for cell in cells if is_refusal(cell, among_numbers=among_numbers)]
            if refusals:
                which = part[side].is_in(refusals).fill_null(value=False).to_numpy()
                self.count(part, which, side, "say that there is none: left out")

    def words(self, part: "pl.DataFrame", name: str) -> "tuple[pl.DataFrame, tuple[str, ...]]":
        """Return the words of a scale as its numbers, other words as places among the options."""
        import polars as pl

        made, options = self.options(part)
        unsure = [word for word in options if is_refusal(word, among_numbers=True)]
        scale = scale_of_words([word for word in options if word not in unsure])
        for side in ("human", "agent"):
            self.tell_refusals(part, side, name, among_numbers=scale is not None)
        if scale is None:
            return made, options
        read = ", ".join(f"{word!r} as {value:g}" for word, value in sorted(scale.items(), key=itemgetter(1)))
        self.told.append(f"{self.table_.name}: answers to {name!r} are read as numbers: {read}")
        number = np.array([scale.get(word, np.nan) for word in options] + [np.nan])
        last = len(options)
        for side in ("human", "agent"):
            places = made[side].fill_nan(last).fill_null(last).to_numpy().astype(np.intp)
            made = made.with_columns(pl.Series(side, number[places]))
        if "scale_min" not in part.columns:
            top = 7.0 if max(scale.values()) > 5 else 5.0
            made = made.with_columns(pl.lit(1.0).alias("scale_min"), pl.lit(top).alias("scale_max"))
        return made, ()

    def numbers(self, part: "pl.DataFrame", side: str) -> tuple[Floats, list[int]]:
        """Return a column as numbers, NaN where a cell is missing, and the places of other cells."""

        def read(cell: object) -> float | None:
            return None if is_refusal(cell, among_numbers=True) else number(cell)

        values, bad = read_numbers(part[side], read, decimal_comma=self.table_.decimal_comma)
        return values, list(bad)

    def problem(self, part: "pl.DataFrame", side: str, index: int) -> CellProblem:
        """Name a cell that is text in an outcome of numbers."""
        row = self.table_.row(int(part["row_number"][index]))
        expected = "a number, like the other answers to this outcome, or an empty cell"
        return CellProblem(self.table_.name, None, row, self.titles[side], part[side][index], expected)

    def options(self, part: "pl.DataFrame") -> "tuple[pl.DataFrame, tuple[str, ...]]":
        """Return choices as places among their options, in the order of their names."""
        import polars as pl

        texts = {side: part[side].cast(pl.String).str.strip_chars() for side in ("human", "agent")}
        names = sorted(
            {word for text in texts.values() for word in text.unique().to_list()
             if not is_missing(word) and not is_refusal(word)}
        )  # fmt: skip
        what = f"different answers to {quoted(part['outcome'][0])}"
        refuse_more(len(names), limits.OPTIONS, what, self.table_.name, "give numbers, or fewer options")
        place = {name: float(i) for i, name in enumerate(names)}
        made = [
            pl.Series(side, [place.get(word, np.nan) if word is not None else np.nan for word in text])
            for side, text in texts.items()
        ]
        return part.with_columns(*made), tuple(names)

    def answers(
        self, part: "pl.DataFrame", key: OutcomeKey, options: tuple[str, ...], groups: tuple[str, ...]
    ) -> AnswerSet:
        """Return the answers of one agent to one outcome, one row per person where persons are known."""
        import polars as pl

        own = part.select("human", "agent", "group", "person", "weight").with_columns(
            pl.col("human").fill_nan(None), pl.col("agent").fill_nan(None)
        )
        if self.has_persons and own["person"].null_count() == 0 and own["person"].is_duplicated().any():
            doubled = own.group_by("person").agg(
                pl.col("human").count().alias("h"), pl.col("agent").count().alias("a")
            )
            if doubled.filter((pl.col("h") > 1) | (pl.col("a") > 1)).height:
                who = doubled.filter((pl.col("h") > 1) | (pl.col("a") > 1))["person"][0]
                raise FileFormatError(
                    f"{self.table_.name}: person {who!r} answered {key.words!r} of {key.study!r} more than "
                    "once; keep one row per person and outcome, or leave out the column of persons"
                )
            own = own.group_by("person", maintain_order=True).agg(
                pl.col("human", "agent", "group", "weight").drop_nulls().first()
            )
        weight = None
        if part["weight"].null_count() < len(part):
            has_none = own["weight"].is_null() & own["human"].is_not_null()
            unweighted = has_none | (own["weight"] == 0).fill_null(value=False)
            if unweighted.any():
                names = self.counted.setdefault(("human", "have no weight: left out"), (0, {}))
                said = {**names[1], key.outcome: None}
                self.counted["human", "have no weight: left out"] = names[0] + int(unweighted.sum()), said
                own = own.filter(~unweighted)
            weight = own["weight"].fill_null(1.0).to_numpy()
        place = {name: i for i, name in enumerate(groups)}
        group = (
            np.array([place.get(one, -1) if one is not None else -1 for one in own["group"]], dtype=np.intp)
            if groups
            else None
        )
        return AnswerSet(
            key,
            own["human"].fill_null(np.nan).to_numpy(),
            own["agent"].fill_null(np.nan).to_numpy(),
            group,
            options,
            _scale(part),
            self.has_persons,
            weight,
        )


def _scale(part: "pl.DataFrame") -> tuple[float, float] | None:
    import polars as pl

    if "scale_min" not in part.columns or "scale_max" not in part.columns:
        return None
    ends = [part[end].cast(pl.Float64, strict=False).drop_nulls() for end in ("scale_min", "scale_max")]
    if not all(len(end) for end in ends):
        return None
    low, high = float(ends[0][0]), float(ends[1][0])
    return (low, high) if high > low else None


def read_counts_frame(table: ColumnTable, columns: AnswerColumns) -> AnswerSets:
    """Read counts per option: as many answers as were counted."""
    import polars as pl

    found = columns.found
    frame = table.take([title for title in table.header if title in {*found.values(), columns.agent}])
    for title in frame.columns:
        refuse_nested(table.name, frame[title], "names or counts")
    parts = _name_columns(frame, found | {"who": columns.agent})
    counts = {side: _whole_counts(table, frame, found[f"{side}_count"]) for side in ("human", "agent")}
    refuse_vast(table, sum(map(sum, counts.values())))
    named = [found[part] for part in ("study", "outcome", "condition", "group") if part in found]
    keys = [*named, *([] if columns.agent is None else [columns.agent]), found["option"]]
    held = frame.with_columns(pl.Series(found[f"{side}_count"], own) for side, own in counts.items())
    sums = sums_of_options(held, keys, [found["human_count"], found["agent_count"]])
    if any(sums):
        gone = rows_in_words([table.row(i) for i in np.flatnonzero(sums).tolist()])
        told = say("shared.sheet.totals", place=table.name, rows=gone)
        table = replace(table, warnings=(*table.warnings, told))
        counts = {side: [0 if is_sum else n for n, is_sum in zip(own, sums, strict=True)]
                  for side, own in counts.items()}  # fmt: skip
    made = [series.alias(name) for name, series in parts.items()]
    whole = pl.DataFrame([*made, *(pl.Series(side, values) for side, values in counts.items())])
    rows = [
        pl.DataFrame(
            {
                **{
                    name: whole[name].gather(index)
                    for name in ("study", "outcome", "condition", "who", "group")
                },
                side: whole["option"].gather(index),
                "row_number": index,
            }
        )
        for side in ("human", "agent")
        for index in [np.repeat(np.arange(whole.height), whole[side].to_numpy().astype(np.intp))]
    ]
    long = pl.concat(rows, how="diagonal")
    long = long.with_columns(
        pl.lit(None, dtype=pl.String).alias("person"), pl.lit(None, dtype=pl.Float64).alias("weight")
    )
    titles = {"human": found["option"], "agent": found["option"]}
    return _Reading(table, titles, has_persons=False).table(long, _unused(table, columns))


def sums_of_options(frame: "pl.DataFrame", keys: Sequence[str], counts: Sequence[str]) -> list[bool]:
    """Whether each row is no option but the sum of the others of its question, and is called so."""
    import polars as pl

    words = frame[keys[-1]].cast(pl.String).fill_null("").str.to_lowercase().str.strip_chars().to_list()
    named = pl.Series([word.split(" ")[0] in TOTALS for word in words])
    if not named.any():
        return [False] * frame.height
    whole = [pl.col(one).fill_null(0).sum().over(keys[:-1]) == 2 * pl.col(one).fill_null(0) for one in counts]
    return (named & frame.select(pl.all_horizontal(whole)).to_series()).to_list()


def _whole_counts(table: ColumnTable, frame: "pl.DataFrame", title: str) -> list[int]:
    """Return a column of counts; every cell that is none is named."""
    values, bad = read_numbers(frame[title])
    values = np.where(np.isnan(values), 0.0, values)  # an empty cell of a table of counts counts nobody
    wrong = sorted({*bad, *np.flatnonzero((values < 0) | (values != np.round(values))).tolist()})
    if wrong:
        expected = "a count, a whole number of 0 or more: of a share alone, how many answered is not known"
        raise TableError(
            [CellProblem(table.name, None, table.row(i), title, frame[title][i], expected) for i in wrong]
        )
    return [int(value) for value in values]
