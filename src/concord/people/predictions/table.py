"""The table of measured and predicted effects: a file, a frame or a list to checked pairs."""

import math
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

from concord.errors import FileFormatError, listed
from concord.files.cells import are_numbers, name, number, number_that, with_point
from concord.files.declared import DeclaredTable, TableColumn, columns_of, named_column
from concord.files.frames import from_mappings
from concord.files.gate import refuse_more
from concord.files.grids import Grid, names_of, plain_title, plain_titles
from concord.files.limits import AGENTS, EFFECTS, LARGEST_NUMBER
from concord.files.tables import TableOptions, TableSource, grid_of
from concord.people.table.by_side import BySide, by_side
from concord.people.table.columns import AGENT, CONTROLS, OTHER_AGENT_NAMES
from concord.people.table.handmade.words import is_people, owned_title
from concord.records import InputFile, LeftOutCell
from concord.stats.predicted_effects import control_error

OTHER_NAMES = {
    other: name for name, others in names_of("effects").items() for other in others[1:] if name != "agent"
}
"""What a column is where the table does not have it under its own name."""
_OBSERVED = names_of("effects")["human_estimate"][3:]
"""Names of people's effect that no table of tests has."""
_WIDE = ("_prediction", "_forecast")
"""How a column ends that holds the predictions of one more agent."""
_AGENTS = names_of("effects")["agent"]
_OF_SIDE = {part: names for part, names in names_of("effects_of_side").items() if not part.endswith("_side")}
_OBSERVED_WORDS, _PREDICTED_WORDS = (names_of("effects_of_side")[f"{one}_side"] for one in ("human", "agent"))
"""Words that name a side where effects are measured and predicted."""
_PREDICTED = {"", "estimate", "predicted"}
"""What a column of an agent holds that is a prediction."""
_ENDS = ("human_ci_low", "human_ci_high")


def is_prediction_grid(grid: Grid) -> bool:
    """Whether a table holds effects with standard errors, not tests."""
    # Effects under the names of a table of tests are meant where they have a standard error and a unit or a
    # scale, and no statistic: a share of a scale must not be read as d. Predictions alone are no tests.
    names = set(plain_titles(grid.header))
    if names & {"human_estimate", *_OBSERVED}:
        return True
    sides = by_side(grid.header, _OF_SIDE, _OBSERVED_WORDS, _PREDICTED_WORDS)
    errors = {"se"} <= sides.people.keys() or {"ci_low", "ci_high"} <= sides.people.keys()
    measured = "estimate" in sides.people and errors and sides.people.keys() <= _OF_SIDE.keys()
    if measured and sides.agents and all(one.keys() <= _PREDICTED for one in sides.agents.values()):
        return all(_has_numbers(grid, j) for one in sides.agents.values() for j in one.values())
    has_effect = "human_se" in names and bool({"human_effect", "human_effect_d"} & names)
    return has_effect and bool({"unit", "scale_min"} & names) and "human_statistic" not in names


def effect_titles(grid: Grid) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the titles of a table of effects under the names of the format, and what is told of them."""
    names = plain_titles(grid.header)
    sides = by_side(grid.header, _OF_SIDE, _OBSERVED_WORDS, _PREDICTED_WORDS)
    people = {j: f"human_{part if part else 'estimate'}" for part, j in sides.people.items()}
    bare = {name: f"human_{part}" for part in ("ci_low", "ci_high") for name in _OF_SIDE[part]}
    made = [*grid.header]
    for j, own in enumerate(names):
        tried = (OTHER_NAMES.get(own), people.get(j), bare.get(own))
        new = next((one for one in tried if one is not None), "")
        if new in KNOWN and own not in KNOWN and new not in names and new not in made:
            made[j] = new
    if "human_se" in plain_titles(made):  # an interval says nothing more
        made = [old if new in _ENDS else new for new, old in zip(made, grid.header, strict=True)]
    others = {new: old for new, old in zip(made, grid.header, strict=True) if new != old}
    told = []
    if "human_se" in others and not owned_title(others["human_se"]):
        told.append(f"{others['human_se']!r} is taken for the standard error of people's effects")
    if _by_intervals(plain_titles(made)):
        low, high = (others.get(one, one) for one in _ENDS)
        told.append(
            f"{low!r} and {high!r} are taken for 95 % intervals of people's effects: a standard error is "
            "their width over 2 × 1.96"
        )
    return tuple(made), tuple(f"{grid.place}: {one}" for one in told)


def _by_intervals(names: Collection[str]) -> bool:
    """Whether intervals give the standard errors."""
    return "human_se" not in names and set(_ENDS) <= {*names}


def as_estimates(grid: Grid) -> Grid:
    """Return a table of effects under the names of the format, one row per effect and agent."""
    header, told = effect_titles(grid)
    sides = by_side(grid.header, _OF_SIDE, _OBSERVED_WORDS, _PREDICTED_WORDS)
    grid = replace(grid, header=header, warnings=(*grid.warnings, *told))
    own = plain_titles(header)
    if any(name in own for name in _AGENTS):
        return grid
    beside = {j for held in sides.agents.values() for part, j in held.items() if part not in _PREDICTED}
    beside |= {*sides.people.values()}
    wide = [j for j, name in enumerate(own) if name.endswith(_WIDE) and name != "agent_prediction"]
    if not wide and "agent_estimate" not in own:  # one column per agent, under its own name
        wide = [
            j for j, name in enumerate(own)
            if name not in (*KNOWN, *_AGENTS, "") and j not in beside and _has_numbers(grid, j)
        ]  # fmt: skip
    named = {j: name for name, held in sides.agents.items() if name for j in held.values()}
    sources = [
        (
            named.get(j, own[j])
            if not own[j].endswith(_WIDE)
            else re.sub(rf"(?:{'|'.join(_WIDE)})$", "", own[j]),
            j,
        )
        for j in wide
    ]
    return _below_each_other(grid, own, sources, sides) if wide else grid


def _has_numbers(grid: Grid, column: int) -> bool:
    return are_numbers(map(with_point, grid.cells(column)))


def _below_each_other(grid: Grid, names: list[str], sources: list[tuple[str, int]], sides: BySide) -> Grid:
    """Return predictions that stand beside each other below each other, each with its agent."""
    first = names.index("agent_estimate") if "agent_estimate" in names else None
    sources = [*([("agent", first)] if first is not None else []), *sources]
    errors = {name: held["se"] for name, held in sides.agents.items() if "se" in held}
    taken = {*(j for _, j in sources), *(j for name, j in errors.items() if name in dict(sources))}
    kept = [j for j in range(len(names)) if j not in taken]
    cells = {j: grid.cells(j) for j in range(len(names))}
    n = len(grid.rows)
    further: dict[str, list[object]] = {
        "agent": [name for name, _ in sources for _ in range(n)],
        "agent_estimate": [cell for _, j in sources for cell in cells[j]],
    }
    if len(taken) > len(sources):
        empty: list[object] = [None] * n
        own = (cells[errors[name]] if name in errors else empty for name, _ in sources)
        further["agent_se"] = [cell for column in own for cell in column]
    header = (*(grid.header[j] for j in kept), *further)
    columns = (*([*cells[j]] * len(sources) for j in kept), *further.values())
    note = f"{grid.place}: read as effects of {len(sources)} models: {', '.join(name for name, _ in sources)}"
    rows = [*grid.rows] * len(sources)
    return replace(grid, header=header, rows=rows, columns=columns, warnings=(*grid.warnings, note))


AGENT_COLUMNS = (AGENT, *OTHER_AGENT_NAMES)
"""Names of the column that says whose predictions a row holds, the first that is there."""
_PARSED = {
    **dict.fromkeys(("human_estimate", "agent_estimate", "scale_min", "scale_max"), number),
    **dict.fromkeys(_ENDS, number),
    # of less, z leaves the range of numbers
    "human_se": number_that(lambda value: value >= 1 / LARGEST_NUMBER, "a standard error above 0"),
    "control_se": number_that(lambda value: value > 0, "a standard error above 0"),
    "human_sd": number_that(lambda value: value > 0, "a standard deviation above 0"),
    **dict.fromkeys(
        ("human_n", "n", "control_n"), number_that(lambda value: value >= 1, "a number of people, 1 or more")
    ),
    "agent_se": number_that(lambda value: value >= 0, "a standard error, 0 or more"),
    "agent_n": number_that(lambda value: value >= 1, "a number of replies, 1 or more"),
}
REQUIRED = ("study", "human_estimate", "human_se")
COLUMNS = tuple(
    TableColumn(
        part, (), _PARSED.get(part, name), part in REQUIRED, "agent" if part.startswith("agent_") else ""
    )
    for part in dict.fromkeys((*REQUIRED, "outcome", "condition", "unit", "control", *_PARSED))
)
KNOWN = (*(one.name for one in COLUMNS), "agent")
POINTS = "percentage points of the scale"
_UNITS = {
    "share of scale range": 100.0,
    "share of scale": 100.0,
    "percentage points": 1.0,
    "pp": 1.0,
    "percent of scale": 1.0,
}
"""Units that are carried to percentage points, and by which factor."""
Z95 = 1.959963984540054
"""Standard errors on either side of an estimate in a 95 % interval."""
UNIFORM_SD = 100 / math.sqrt(12)
"""SD of uniform answers on a scale, in its percentage points."""


@dataclass(frozen=True, slots=True)
class EffectPair:
    """One measured effect of people."""

    study: str
    outcome: str
    condition: str
    estimate: float
    se: float
    row: int
    """The first row that names it, as the spreadsheet shows it."""
    n: float | None = None
    """People behind the estimate."""
    sd: float | None = None
    """Standard deviation of one answer, in the unit of the estimate."""
    sd_is_supposed: bool = False
    """Whether it is that of uniform answers on the scale, because none was given."""
    control: str = ""
    """The control group that it was measured against."""
    control_se: float | None = None
    """Standard error of that group's mean, where the table says that effects share it."""
    per_unit: float = 1.0
    """What carried the effect to its unit."""

    @property
    def key(self) -> tuple[str, str, str]:
        """What names the effect."""
        return (self.study, self.outcome, self.condition)


@dataclass(frozen=True, slots=True)
class Prediction:
    """What an agent gave for one effect; without a standard error it is taken as exact."""

    estimate: float
    se: float | None = None
    n: float | None = None
    """Replies behind the prediction."""


@dataclass(frozen=True, slots=True)
class PredictionTable:
    """Measured effects, and each agent's predictions of them, all in one unit."""

    pairs: tuple[EffectPair, ...]
    agents: Mapping[str, Mapping[tuple[str, str, str], Prediction]]
    unit: str
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()
    left_out: tuple[LeftOutCell, ...] = ()


def read_predictions(
    source: TableSource | Grid,
    *,
    agent_column: str | None = None,
    options: TableOptions = TableOptions(),  # noqa: B008 - frozen
) -> PredictionTable:
    """Read a table of effects: one row per effect and agent."""
    grid = source if isinstance(source, Grid) else grid_of(source, options)
    shown = {new: old for new, old in zip(effect_titles(grid)[0], grid.header, strict=True) if new != old}
    grid = as_estimates(grid)
    agent = TableColumn("agent", AGENT_COLUMNS[1:])
    if agent_column is not None:
        named = named_column(grid.place, grid.header, agent_column)
        agent = TableColumn("agent", (plain_title(named),))
    return _Reader(DeclaredTable(grid, (*effect_columns(grid), agent), options, shown=shown)).table()


def effect_columns(grid: Grid) -> tuple[TableColumn, ...]:
    """Return the columns of a table of effects; where intervals give the standard errors, these may lack."""
    by_intervals = _by_intervals(plain_titles(grid.header))
    return tuple(
        replace(one, required=one.required and not (by_intervals and one.name == "human_se"))
        for one in COLUMNS
    )


@dataclass(slots=True)
class _Reader:
    """The work of reading one table."""

    cells: DeclaredTable
    pairs: dict[tuple[str, str, str], EffectPair] = field(default_factory=dict)
    agents: dict[str, dict[tuple[str, str, str], Prediction]] = field(default_factory=dict)
    units: dict[str, int] = field(default_factory=dict)
    """Each unit, and the first row that has it."""
    supposed_controls: int = 0
    """Rows whose control group is as large as the treated one only by supposition."""

    def table(self) -> PredictionTable:
        """Read every row; what cannot be read is left out, or refuses the table."""
        columns = {one.name: self.cells.values(one.name) for one in self.cells.columns}
        for index in range(self.cells.n_rows):
            self.row(index, {name: values[index] for name, values in columns.items()})
        place = self.cells.place
        left, told = self.cells.left_out()
        if len(self.units) > 1:
            named = ", ".join(f"{unit!r} (row {row})" for unit, row in self.units.items())
            raise FileFormatError(
                f"{place}: effects are in several units: {named}; give scale_min and scale_max, so "
                "that all become percentage points of their scale"
            )
        advice = "score them in several files"
        refuse_more(len(self.agents), AGENTS, "agents", place, advice)
        refuse_more(self.cells.n_rows, EFFECTS, "effects", place, advice)
        n = self.supposed_controls
        words = "control groups are taken to be as large as treated ones; give control_se, or control_n and n"
        return PredictionTable(
            tuple(self.pairs.values()),
            self.agents,
            next(iter(self.units), "as given"),
            self.cells.table.inputs,
            (
                *told, *self.cells.table.warnings, *self.cells.unused(),
                *((f"{place}: {n} rows name a control group: {words}",) if n else ()),
            ),
            left,
        )  # fmt: skip

    def row(self, index: int, found: Mapping[str, Any]) -> None:
        """Read one row: an effect, and a prediction of it where there is one."""
        agent = {one.name for one in COLUMNS if one.side == "agent"}
        spread = _ENDS if _by_intervals(self.cells.titles) else ("human_se",)
        if not self.cells.needed(index, ("study", "human_estimate", *spread)):
            return
        if any((index, name) in self.cells.bad for name in found if name not in agent):
            return
        study, estimate, se = (found[name] for name in REQUIRED)
        if spread == _ENDS:
            low, high = (found[name] for name in _ENDS)
            if not low <= estimate <= high or low == high:
                end = _ENDS[estimate >= low]
                expected = f"an interval from below to above the estimate, {estimate:g}"
                self.cells.problem(index, end, expected, found[end])
                return
            se = (high - low) / (2 * Z95)
        common, factor = found["control_se"], self.factor(index, found)
        if common is not None and common >= se:
            expected = f"less than human_se, of which it is a part ({se:g})"
            self.cells.problem(index, "control_se", expected, common)
            return
        if factor is None:
            return
        outcome = "" if found["outcome"] is None else found["outcome"]
        condition = "" if found["condition"] is None else found["condition"]
        # an intervention that is named again with its outcome is one intervention
        key = (study, outcome, condition.removesuffix(f"({outcome})").rstrip())
        n = _first_number(found["human_n"], found["n"])
        control = self.control(factor * se, factor, n, found)
        row = self.cells.row(index)
        sd = self.answer_sd(factor, found)
        pair = EffectPair(*key, factor * estimate, factor * se, row, n, *sd, *control, per_unit=factor)
        first = self.pairs.setdefault(key, pair)
        if (first.estimate, first.se) != (pair.estimate, pair.se):
            expected = f"the effect of row {first.row}, which has the same name"
            self.cells.problem(index, "human_estimate", expected, estimate, refused=True)
            return
        if not any((index, name) in self.cells.bad for name in agent):
            self.predict(index, key, factor, found)

    def predict(self, index: int, key: tuple[str, str, str], factor: float, found: Mapping[str, Any]) -> None:
        """Keep a prediction; an agent is known even where it gave none."""
        who = self.agents.setdefault("agent" if found["agent"] is None else found["agent"], {})
        given, se = found["agent_estimate"], found["agent_se"]
        if given is None:
            return
        if key in who:
            expected = "one prediction per agent and effect; this is a second"
            self.cells.problem(index, "agent_estimate", expected, given, refused=True)
            return
        n = _first_number(found["agent_n"], found["n"])
        who[key] = Prediction(factor * given, None if se is None else factor * se, n)

    def answer_sd(self, factor: float, numbers: Mapping[str, Any]) -> tuple[float | None, bool]:
        """Return the SD of one answer, and whether it had to be supposed from the scale."""
        given = numbers["human_sd"]
        if given is not None:
            return factor * given, False
        return (UNIFORM_SD, True) if POINTS in self.units else (None, False)

    def control(
        self, se: float, factor: float, n: float | None, found: Mapping[str, Any]
    ) -> tuple[str, float | None]:
        """Return the control group of an effect and the standard error of its mean, where one is said."""
        name, given, size = found["control"], found["control_se"], found["control_n"]
        if name is None and given is None and size is None:
            return "", None
        error, supposed = control_error(se, None if given is None else factor * given, size, n)
        self.supposed_controls += supposed
        return name if name is not None else "control", error

    def factor(self, index: int, found: Mapping[str, Any]) -> float | None:
        """Return what carries an effect to percentage points of its scale, and note the unit."""
        low, high, unit = found["scale_min"], found["scale_max"], found["unit"]
        if low is not None and high is not None:
            if high <= low:
                self.cells.problem(index, "scale_max", f"more than scale_min, which is {low:g}", high)
                return None
            self.units.setdefault(POINTS, self.cells.row(index))
            return float(100 / (high - low))
        known = _UNITS.get(unit.casefold()) if unit is not None else None
        name = POINTS if known is not None else "as given" if unit is None else unit
        self.units.setdefault(name, self.cells.row(index))
        return 1.0 if known is None else known


def _first_number(*values: object) -> float | None:
    return next((value for value in values if isinstance(value, float)), None)


CELLS = columns_of(
    "cells",
    {
        **dict.fromkeys(("mean", "scale_min", "scale_max"), number),
        "n": number_that(lambda value: value >= 1, "a number, 1 or more"),
        **dict.fromkeys(("sd", "se"), number_that(lambda value: value >= 0, "a number, 0 or more")),
    },
    required=("condition", "mean"),
)
"""Columns of a table of cells: what people, or an agent, answered on average in each condition."""
_NAMED = ("study", "outcome", "condition")
_Cell = tuple[int, Mapping[str, Any]]


def is_cell_grid(grid: Grid) -> bool:
    """Whether a table holds means of conditions, one row each, of one side or of both below each other."""
    names = set(plain_titles(grid.header))
    needed = [
        {one.name, *one.others} & names for one in CELLS if one.name in ("condition", "mean", "n", "sd")
    ]
    sides = {"human_estimate", "human_mean", "human", "human_statistic"}
    return bool(needed[0] and "mean" in names and (needed[2] or needed[3])) and not names & sides


def effects_of_cells(
    sources: Sequence[TableSource | Grid],
    options: TableOptions = TableOptions(),  # noqa: B008 - frozen
) -> Grid:
    """Return cells of people and of agents as effects against control, whose error effects share.

    People's table is the first, or its rows are named so in a column such as ``source``. An effect is a
    difference of means, SE² = SD²/n of both groups, and the control group's part of it is in all effects.
    """
    sides: dict[str, dict[tuple[str, str, str], _Cell]] = {}
    tables = [
        DeclaredTable(one if isinstance(one, Grid) else grid_of(one, options), CELLS, options)
        for one in sources
    ]
    for place, table in enumerate(tables):
        stem = PurePath(table.table.name).stem
        for i in range(table.n_rows):
            row = {one.name: table.values(one.name)[i] for one in CELLS}
            if not table.needed(i, ("condition", "mean")) or any((i, name) in table.bad for name in row):
                continue
            who = stem if row["who"] is None else row["who"]
            who = "human" if (place == 0 and len(tables) > 1) or is_people(who) else who
            study, outcome, condition = ("" if row[one] is None else row[one] for one in _NAMED)
            key = (study, outcome, condition)
            own = sides.setdefault(who, {})
            if key in own:
                table.problem(i, "condition", f"a cell that {who} has once", row["condition"], refused=True)
            own.setdefault(key, (table.row(i), row | {"table": table, "index": i}))
    if "human" not in sides or len(sides) < 2:
        raise FileFormatError(
            f"{tables[0].place}: means of conditions of one side alone; give people's file first, then one "
            "file per agent: concord score people PEOPLE.csv AGENT.csv"
        )
    return _effects_grid(tables, sides)


def _effects_grid(
    tables: Sequence[DeclaredTable], sides: Mapping[str, Mapping[tuple[str, str, str], _Cell]]
) -> Grid:
    """Return a row per effect and agent, under the names of a table of effects."""
    people = sides["human"]
    controls = _control_cells(tables[0], people)
    rows, places, told = [], [], []
    for who, own in sides.items():
        if who == "human":
            continue
        unknown = [" · ".join(part for part in key if part) for key in own if key not in people]
        if unknown:
            told.append(f"{who}: {len(unknown)} cells are not among people's: {listed(unknown, shown=5)}")
        for key, (place, cell) in people.items():
            control = controls[key[:2]]
            if key == control:
                continue
            effect = _cell_effect(cell, people[control][1], required=True)
            given = _cell_effect(own[key][1], own[control][1]) if key in own and control in own else None
            rows.append({
                "study": key[0] if key[0] else PurePath(tables[0].table.name).stem, "outcome": key[1],
                "condition": key[2], "control": control[2],
                **{f"human_{name}": effect.get(name) for name in ("estimate", "se", "n", "sd")},
                "control_se": effect.get("control_se"), "agent": who,
                **{f"agent_{name}": None if given is None else given.get(name)
                   for name in ("estimate", "se", "n")},
                **{name: cell[name] for name in ("scale_min", "scale_max", "unit")},
            })  # fmt: skip
            places.append(place)
    n = len({(row["study"], row["outcome"], row["condition"]) for row in rows})
    told.append(
        f"{tables[0].place}: {n} effects against control, whose error they share: "
        + listed(sorted({key[2] for key in controls.values()}))
    )
    grid = from_mappings(rows, tables[0].table.name)
    return replace(
        grid,
        rows=places,
        inputs=tuple(dict.fromkeys(item for table in tables for item in table.inputs)),
        warnings=(*(note for table in tables for note in table.table.warnings), *told),
        problems=tuple(problem for table in tables for problem in table.problems),
    )


def _control_cells(
    table: DeclaredTable, people: Mapping[tuple[str, str, str], _Cell]
) -> dict[tuple[str, str], tuple[str, str, str]]:
    """Return the control cell of every outcome: flagged, named in ``control``, or called so."""
    found: dict[tuple[str, str], tuple[str, str, str]] = {}
    for key, (_, cell) in people.items():
        told = "" if cell["control"] is None else str(cell["control"]).casefold().removesuffix(".0")
        named = {str(one["control"]).casefold() for k, (_, one) in people.items() if k[:2] == key[:2]}
        called = key[2].casefold() in CONTROLS or key[2].casefold().replace("_", " ").startswith("control ")
        if told in ("1", "true", "yes") or key[2].casefold() in named or (called and not named - {"none"}):
            found.setdefault(key[:2], key)
    lacking = [key for key in people if key[:2] not in found]
    if lacking:
        shown = listed(sorted({key[2] for key in lacking}))
        of = f" of {' '.join(lacking[0][:2]).strip()!r}" if any(lacking[0][:2]) else ""
        raise FileFormatError(
            f"{table.place}: no control condition{of}; found the conditions {shown}; call it "
            "'control', or name it in a column 'control'"
        )
    return found


def _cell_effect(
    treated: Mapping[str, Any], control: Mapping[str, Any], *, required: bool = False
) -> dict[str, float | None]:
    """Return a difference of means with its error, that of the control group, and the people behind it."""
    errors = [_cell_error(one, required=required) for one in (treated, control)]
    made: dict[str, float | None] = {"estimate": treated["mean"] - control["mean"]}
    own, common = errors
    if own is not None and common is not None:
        made |= {"se": math.hypot(own, common), "control_se": common}
    sizes, spreads = ([one[name] for one in (treated, control)] for name in ("n", "sd"))
    if None not in sizes:
        made["n"] = sum(sizes)
        if None not in spreads and sum(sizes) > 2:
            squares = sum((n - 1) * sd**2 for n, sd in zip(sizes, spreads, strict=True))
            made["sd"] = math.sqrt(max(squares, 0.0) / (sum(sizes) - 2))
    return made


def _cell_error(cell: Mapping[str, Any], *, required: bool) -> float | None:
    """Return the standard error of a cell's mean; of people it must be known."""
    table, index = cell["table"], cell["index"]
    if cell["se"] is not None:
        return float(cell["se"])
    if cell["sd"] is not None and cell["n"] is not None:
        return float(cell["sd"] / math.sqrt(cell["n"]))
    if required:
        table.problem(index, "n" if cell["n"] is None else "sd", "sd and n of people's cells, or se")
    return None
