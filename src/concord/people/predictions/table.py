"""The table of measured and predicted effects: a file, a frame or a list to checked pairs."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from concord.errors import CellProblem, FileFormatError, TableError, listed
from concord.files import cells
from concord.files.cells import BadCellError, number, with_point
from concord.files.gate import refuse_more
from concord.files.grids import Grid
from concord.files.limits import AGENTS, EFFECTS, LARGEST_NUMBER
from concord.files.tables import TableSource, read_grid
from concord.people.table.columns import AGENT, OTHER_AGENT_NAMES, fold
from concord.records import InputFile
from concord.stats.predicted_effects import control_error

OTHER_NAMES = {
    "human_effect": "human_estimate",
    "human_effect_d": "human_estimate",
    "agent_effect": "agent_estimate",
    "agent_effect_d": "agent_estimate",
    "agent_prediction": "agent_estimate",
    "finding": "outcome",
    "test": "condition",
}
"""What a column is where the table does not have it under its own name."""
_WIDE = "_prediction"
"""How a column ends that holds the predictions of one more agent."""
_AGENTS = ("agent", "model", "design", "config")


def is_prediction_grid(grid: Grid) -> bool:
    """Whether a table holds effects with standard errors, not tests.

    Effects under the names of a table of tests are meant where they have a standard error and a unit or a
    scale, and no statistic: a share of a scale must not be read as d.
    """
    names = {fold(title) for title in grid.header}
    if "human_estimate" in names:
        return True
    has_effect = "human_se" in names and bool({"human_effect", "human_effect_d"} & names)
    return has_effect and bool({"unit", "scale_min"} & names) and "human_statistic" not in names


def as_estimates(grid: Grid) -> Grid:
    """Return a table of effects under the names of the format, one row per effect and agent."""
    names = [fold(title) for title in grid.header]
    renamed = tuple(
        OTHER_NAMES[name] if name in OTHER_NAMES and OTHER_NAMES[name] not in names else title
        for name, title in zip(names, grid.header, strict=True)
    )
    wide = [j for j, name in enumerate(names) if name.endswith(_WIDE) and name != f"agent{_WIDE}"]
    own = [fold(title) for title in renamed]
    if not wide and "agent_estimate" not in own:  # one column per agent, under its own name
        wide = [
            j for j, name in enumerate(own) if name not in (*KNOWN, *_AGENTS, "") and _has_numbers(grid, j)
        ]
    if not wide or any(name in own for name in _AGENTS):
        return replace(grid, header=renamed)
    return _below_each_other(replace(grid, header=renamed), own, wide)


def _has_numbers(grid: Grid, column: int) -> bool:
    """Whether a column holds numbers, and nothing else but missing cells."""
    try:
        found = [number(cell) for cell in grid.cells(column)]
    except BadCellError:
        return False
    return any(one is not None for one in found)


def _below_each_other(grid: Grid, names: list[str], wide: list[int]) -> Grid:
    """Return predictions that stand beside each other below each other, each with its agent."""
    first = names.index("agent_estimate") if "agent_estimate" in names else None
    sources = [*([("agent", first)] if first is not None else []),
               *((names[j].removesuffix(_WIDE), j) for j in wide)]  # fmt: skip
    kept = [j for j in range(len(names)) if j not in wide and j != first]
    cells = {j: grid.cells(j) for j in range(len(names))}
    header = (*(grid.header[j] for j in kept), "agent", "agent_estimate")
    n = len(grid.rows)
    columns: tuple[list[object], ...] = (
        *([*cells[j]] * len(sources) for j in kept),
        [name for name, _ in sources for _ in range(n)],
        [cell for _, j in sources for cell in cells[j]],
    )
    note = f"{grid.place}: read as effects of {len(sources)} agents: {', '.join(name for name, _ in sources)}"
    rows = [*grid.rows] * len(sources)
    return replace(grid, header=header, rows=rows, columns=columns, warnings=(*grid.warnings, note))


REQUIRED = ("study", "human_estimate", "human_se")
NAMES = ("study", "outcome", "condition", "agent", "unit", "control")
NUMBERS = (
    *("human_estimate", "human_se", "agent_estimate", "agent_se", "scale_min", "scale_max"),
    *("human_n", "agent_n", "n", "human_sd", "control_se", "control_n"),
)
KNOWN = (*NAMES, *NUMBERS)
AGENT_COLUMNS = (AGENT, *OTHER_AGENT_NAMES)
"""Names of the column that says whose predictions a row holds, the first that is there."""
POINTS = "percentage points of the scale"
_UNITS = {
    "share of scale range": 100.0,
    "share of scale": 100.0,
    "percentage points": 1.0,
    "pp": 1.0,
    "percent of scale": 1.0,
}
"""Units that are carried to percentage points, and by which factor."""
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


def read_predictions(
    source: TableSource | Grid,
    *,
    sheet: str | None = None,
    encoding: str | None = None,
    decimal_comma: bool = False,
    agent_column: str | None = None,
) -> PredictionTable:
    """Read a table of effects: one row per effect and agent."""
    grid = (
        source
        if isinstance(source, Grid)
        else read_grid(source, sheet=sheet, encoding=encoding, decimal_comma=decimal_comma)
    )
    grid = as_estimates(grid)
    return _Reader(grid, _locate(grid, agent_column), problems=list(grid.problems)).table()


def _locate(grid: Grid, agent_column: str | None) -> dict[str, int]:
    """Find the known columns."""
    titles = [fold(title) for title in grid.header]
    found = {name: titles.index(name) for name in KNOWN if name in titles}
    usual = AGENT_COLUMNS if agent_column is None else (fold(agent_column),)
    agents = [name for name in usual if name in titles]
    if agent_column is not None and not agents:
        raise FileFormatError(f"{grid.place}: no column {agent_column!r}; found {listed(grid.header)}")
    if agents:
        found["agent"] = titles.index(agents[0])
    missing = [name for name in REQUIRED if name not in found]
    if missing:
        raise FileFormatError(
            f"{grid.place}: columns are missing: {', '.join(map(repr, missing))}; found {listed(grid.header)}"
        )
    return found


@dataclass(slots=True)
class _Reader:
    """The work of reading one grid."""

    grid: Grid
    position: dict[str, int]
    problems: list[CellProblem]
    pairs: dict[tuple[str, str, str], EffectPair] = field(default_factory=dict)
    agents: dict[str, dict[tuple[str, str, str], Prediction]] = field(default_factory=dict)
    units: dict[str, int] = field(default_factory=dict)
    """Each unit, and the first row that has it."""
    columns: dict[str, list[object]] = field(default_factory=dict)
    supposed_controls: int = 0
    """Rows whose control group is as large as the treated one only by supposition."""

    def table(self) -> PredictionTable:
        """Read every row, or raise once with all that is wrong."""
        for index in range(len(self.grid.rows)):
            self.row(index)
        if self.problems:
            raise TableError(self.problems)
        if len(self.units) > 1:
            named = ", ".join(f"{unit!r} (row {row})" for unit, row in self.units.items())
            raise FileFormatError(
                f"{self.grid.place}: effects are in several units: {named}; give scale_min and scale_max, so "
                "that all become percentage points of their scale"
            )
        advice = "score them in several files"
        refuse_more(len(self.agents), AGENTS, "agents", self.grid.place, advice)
        refuse_more(len(self.grid.rows), EFFECTS, "effects", self.grid.place, advice)
        return PredictionTable(
            tuple(self.pairs.values()),
            self.agents,
            next(iter(self.units), "as given"),
            self.grid.inputs,
            (*self.grid.warnings, *self._unused(), *self._supposed()),
        )

    def row(self, index: int) -> None:
        """Read one row: an effect, and a prediction of it where there is one."""
        names = {name: self.cell(index, name) for name in NAMES}
        numbers = {name: self.cell(index, name) for name in NUMBERS}
        study, estimate, se = names["study"], numbers["human_estimate"], numbers["human_se"]
        for name, value in (("study", study), ("human_estimate", estimate), ("human_se", se)):
            if value is None and not self.is_bad(index, name):
                self.problem(index, name, None, "a value")
        if not isinstance(study, str) or not isinstance(estimate, float) or not isinstance(se, float):
            return
        if se < 1 / LARGEST_NUMBER:  # of less, z leaves the range of numbers
            self.problem(index, "human_se", se, "a standard error above 0")
            return
        factor = self.factor(index, names["unit"], numbers)
        if factor is None:
            return
        outcome = str(names["outcome"] or "")
        # an intervention that is named again with its outcome is one intervention
        condition = str(names["condition"] or "").removesuffix(f"({outcome})").rstrip()
        key = (study, outcome, condition)
        if not self.sizes_fit(index, numbers):
            return
        sd = self.answer_sd(factor, numbers)
        row = self.grid.rows[index]
        n = _first_number(numbers["human_n"], numbers["n"])
        control = self.control(factor * se, factor, n, names["control"], numbers)
        pair = EffectPair(*key, factor * estimate, factor * se, row, n, *sd, *control, per_unit=factor)
        first = self.pairs.setdefault(key, pair)
        if (first.estimate, first.se) != (pair.estimate, pair.se):
            self.problem(
                index, "human_estimate", estimate, f"the effect of row {first.row}, which has the same name"
            )
            return
        self.predict(index, key, factor, numbers, agent=names["agent"])

    def predict(
        self,
        index: int,
        key: tuple[str, str, str],
        factor: float,
        numbers: Mapping[str, object],
        *,
        agent: object,
    ) -> None:
        """Keep a prediction; an agent is known even where it gave none."""
        who = self.agents.setdefault(str(agent) if agent is not None else "agent", {})
        given, se = numbers["agent_estimate"], numbers["agent_se"]
        if not isinstance(given, float):
            return
        if isinstance(se, float) and se < 0:
            self.problem(index, "agent_se", se, "a standard error, 0 or more")
            return
        if key in who:
            self.problem(
                index, "agent_estimate", given, "one prediction per agent and effect; this is a second"
            )
            return
        n = _first_number(numbers["agent_n"], numbers["n"])
        who[key] = Prediction(factor * given, factor * se if isinstance(se, float) else None, n)

    def sizes_fit(self, index: int, numbers: Mapping[str, object]) -> bool:
        """Whether sample sizes and the SD of an answer can be; each that cannot is named."""
        bad = [
            (name, value, wanted)
            for name, least, wanted in (
                ("human_n", 1, "a number of people, 1 or more"),
                ("agent_n", 1, "a number of replies, 1 or more"),
                ("n", 1, "a number of people, 1 or more"),
                ("human_sd", 0, "a standard deviation above 0"),
                ("control_n", 1, "a number of people, 1 or more"),
                ("control_se", 0, "a standard error above 0"),
            )
            if isinstance(value := numbers[name], float) and (value < least or value <= 0)
        ]
        common, whole = numbers["control_se"], numbers["human_se"]
        if isinstance(common, float) and isinstance(whole, float) and common >= whole:
            bad.append(("control_se", common, f"less than human_se, of which it is a part ({whole:g})"))
        for name, value, wanted in bad:
            self.problem(index, name, value, wanted)
        return not bad

    def answer_sd(self, factor: float, numbers: Mapping[str, object]) -> tuple[float | None, bool]:
        """Return the SD of one answer, and whether it had to be supposed from the scale."""
        given = numbers["human_sd"]
        if isinstance(given, float):
            return factor * given, False
        return (UNIFORM_SD, True) if POINTS in self.units else (None, False)

    def control(
        self, se: float, factor: float, n: float | None, name: object, numbers: Mapping[str, object]
    ) -> tuple[str, float | None]:
        """Return the control group of an effect and the standard error of its mean, where one is said."""
        given, size = _first_number(numbers["control_se"]), _first_number(numbers["control_n"])
        if name is None and given is None and size is None:
            return "", None
        found, supposed = control_error(se, None if given is None else factor * given, size, n)
        self.supposed_controls += supposed
        return str(name) if name is not None else "control", found

    def factor(self, index: int, unit: object, numbers: Mapping[str, object]) -> float | None:
        """Return what carries an effect to percentage points of its scale, and note the unit."""
        low, high = numbers["scale_min"], numbers["scale_max"]
        if isinstance(low, float) and isinstance(high, float):
            if high <= low:
                self.problem(index, "scale_max", high, f"more than scale_min, which is {low:g}")
                return None
            self.units.setdefault(POINTS, self.grid.rows[index])
            return 100 / (high - low)
        known = _UNITS.get(str(unit).casefold()) if unit is not None else None
        self.units.setdefault(POINTS if known is not None else str(unit or "as given"), self.grid.rows[index])
        return 1.0 if known is None else known

    def cell(self, index: int, name: str) -> str | float | None:
        """Read a cell; an unusable one becomes a problem."""
        if name not in self.position:
            return None
        raw = self.column(name)[index]
        parse = cells.name if name in NAMES else cells.number
        try:
            value = parse(with_point(raw) if self.grid.decimal_comma and name in NUMBERS else raw)
        except BadCellError as error:
            self.problem(index, name, raw, str(error))
            return None
        return value

    def column(self, name: str) -> list[object]:
        """Return a column's cells, which are taken out of the grid once."""
        if name not in self.columns:
            self.columns[name] = self.grid.cells(self.position[name])
        return self.columns[name]

    def is_bad(self, index: int, name: str) -> bool:
        """Whether a cell was complained about already."""
        row, title = self.grid.rows[index], self.title(name)
        return any(problem.row == row and problem.column == title for problem in self.problems)

    def problem(self, index: int, name: str, value: object, expected: str) -> None:
        """Note an unusable cell."""
        self.problems.append(
            CellProblem(
                self.grid.name, self.grid.sheet, self.grid.rows[index], self.title(name), value, expected
            )
        )

    def title(self, name: str) -> str:
        """Return a column's name as the file has it."""
        return self.grid.header[self.position[name]] if name in self.position else name

    def _supposed(self) -> tuple[str, ...]:
        """Say where the size of a shared control group had to be supposed."""
        n = self.supposed_controls
        words = "control groups are taken to be as large as treated ones; give control_se, or control_n and n"
        return (f"{self.grid.place}: {n} rows name a control group: {words}",) if n else ()

    def _unused(self) -> tuple[str, ...]:
        """Name the columns that are not used."""
        used = set(self.position.values())
        others = [title for j, title in enumerate(self.grid.header) if j not in used and title]
        return (f"{self.grid.place}: columns not used: {listed(others)}",) if others else ()


def _first_number(*values: object) -> float | None:
    return next((value for value in values if isinstance(value, float)), None)
