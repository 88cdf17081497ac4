"""Tables of effects as people publish them: other names of columns, and one column per agent."""

from dataclasses import replace

from concord.files.grids import Grid
from concord.people.table.columns import fold

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
    if not wide or any(name in own for name in _AGENTS):
        return replace(grid, header=renamed)
    return _below_each_other(replace(grid, header=renamed), own, wide)


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
