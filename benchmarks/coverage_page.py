# ruff: noqa: E501 - paragraphs of the page are single lines
"""What `coverage.py` found as a page of the documentation and as the table that the program warns from."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from coverage_kinds import Kind

NAMED, AT_RANDOM, FRESH = "named", "drawn at random", "drawn afresh"
INSIDE = (0.93, 0.97)
OFTEN = 0.10
"""A look that so large a share of a population's data has is typical of it."""
ENOUGH = 500
"""Fewer replicates than this cannot tell 95 % from 97 %."""
_HEAD = """# Coverage

```python
import numpy as np
from concord.stats import wilson_interval

rng, truth = np.random.default_rng(1), 0.9
found = [wilson_interval(k, 12) for k in rng.binomial(12, truth, size=2000)]
held = np.mean([one.low <= truth <= one.high for one in found])
print(f"{held:.1%} of 2,000 intervals of 12 answers hold the truth")
```

```text
97.7% of 2,000 intervals of 12 answers hold the truth
```

How often 95 % intervals hold the truth, by simulation on populations whose truth is known. The page is made by `benchmarks/coverage.py`; every cell has its own seed, and any number of processes gives the same table. ± is the Monte Carlo error. The intervals are those that the commands print: `pas_interval`, `apr_interval` and `ecs_interval` over studies, `skewed_mean` in comparisons, `bounded_mean` for Step-F1 and E_perf, `wilson_clustered` for accuracies and silent bias with repeats, and the spread of means for the order effect. Cells outside 93–97 % are bold: ▼ too low, ▲ wider than need be: conservative, as the program says beside such a number.

<!-- figure: coverage -->

**Why more cells lie above 97 % than below 93 %.** PAS, APR and ECS over few studies allow for studies unlike those seen (half a study at either end of the scale; half a study in full agreement): an agent that fails one study in eight shows no failure among five studies in half of all benchmarks, and only such an interval can hold its score. Where such studies do not exist, it is wider than need be. Rates of few cases with few repeats take few values, so that no interval of theirs comes close to 95 % everywhere. What lies below is mostly what the data at hand do not show: rare large gains of which twelve items hold none, failures behind a middle, effects far larger than those seen.

**What the program says.** From the same table come the program's warnings (`coverage_note` in `concord.stats.coverage`): for every kind of number, number of units and look of the data (scores at an end of the scale, skewed differences, one study that holds most tests, …) the lowest and highest coverage among the populations that often look so, named ones and those drawn at random. Where one lies outside 93–97 % the estimate's note, and the terminal, say so with the size of the fault; where all are above, it says that the interval is conservative. Differences are told of rare gains only where the data may be of that kind: a few items decide, or one unit that gained the whole range of the scores would move the mean by more than the interval reaches; of misses for rare gains 98 % are told, of other populations 0 to 17 % of all intervals. Populations *drawn afresh* played no part in that, nor in choosing any method: they show how often a warning comes where it should.
"""


def flagged(cells: Sequence[Any]) -> dict[tuple[str, int, str], tuple[Any, Any]]:
    """By kind, size and look: the cells with the lowest and the highest coverage, where one is outside."""
    found: dict[tuple[str, int, str], list[Any]] = {}
    for cell in cells:
        if cell.drawn == FRESH or not cell.shown or cell.kind == "benchmark":
            continue
        for look, n in cell.looks.items():
            if n >= OFTEN * cell.shown:
                found.setdefault((_called(cell), cell.size, look), []).append(cell)
    rows = {}
    for key, group in sorted(found.items()):
        low, high = (pick(group, key=lambda one: one.covered) for pick in (min, max))
        if low.covered < INSIDE[0] or high.covered > INSIDE[1]:
            rows[key] = (low, high)
    return rows


def _where(cell: Any) -> str:
    return str(cell.population) if cell.drawn == NAMED else "a population drawn at random"


def _called(cell: Any) -> str:
    return str(cell.number if cell.number else cell.kind)


def lookup_table(cells: Sequence[Any]) -> str:
    """The table that the program warns from; sizes without a fault are kept as bounds of others."""
    sizes: dict[str, set[int]] = {}
    for cell in cells:
        if cell.kind != "benchmark":
            sizes.setdefault(_called(cell), set()).add(cell.size)
    rows = [
        [*key, round(low.covered, 3), _where(low), round(high.covered, 3), _where(high)]
        for key, (low, high) in flagged(cells).items()
    ]
    listed = ",\n".join(f"  {json.dumps(row, ensure_ascii=False)}" for row in rows)
    kinds = json.dumps({kind: sorted(found) for kind, found in sorted(sizes.items())})
    return f'{{"sizes": {kinds},\n "rows": [\n{listed}\n]}}\n'


def warned(cell: Any, rows: Mapping[tuple[str, int, str], Any]) -> float:
    """Share of a cell's intervals that come with a warning: from the table, or the program's own note."""
    if cell.kind == "benchmark":
        return float(cell.noted / cell.shown)
    by_table = sum(n for look, n in cell.looks.items() if (_called(cell), cell.size, look) in rows)
    return float(max(by_table, cell.noted) / cell.shown)


def _inside(cell: Any) -> bool:
    return bool(INSIDE[0] <= cell.covered <= INSIDE[1])


def counts(cells: Sequence[Any], rows: Mapping[tuple[str, int, str], Any]) -> dict[str, int]:
    """Cells inside, below, above; of those outside the ones that most intervals of which are warned about."""
    known = [cell for cell in cells if cell.shown]
    outside = [cell for cell in known if not _inside(cell)]
    return {
        "cells": len(known),
        "inside": len(known) - len(outside),
        "below": sum(cell.covered < INSIDE[0] for cell in outside),
        "above": sum(cell.covered > INSIDE[1] for cell in outside),
        "warned": sum(warned(cell, rows) >= 0.5 for cell in outside),
        "below and warned": sum(warned(c, rows) >= 0.5 and c.covered < INSIDE[0] for c in outside),
    }


def summary(cells: Sequence[Any]) -> str:
    """Counts of named and random populations, in lines."""
    rows = flagged(cells)
    lines = []
    for name in (NAMED, AT_RANDOM, FRESH):
        own = [cell for cell in cells if cell.drawn == name]
        lines.append(f"{name}: " + ", ".join(f"{key} {n}" for key, n in counts(own, rows).items()))
    return "\n".join(lines)


def page(cells: Sequence[Any], kinds: Mapping[str, Kind], ceiling: str = "") -> str:
    """The page of the documentation, with the section about floor and ceiling where there is one."""
    rows = flagged(cells)
    parts = [_HEAD, _overview(cells, rows, kinds)]
    for name, kind in kinds.items():
        for number in kind.numbers:
            own = [cell for cell in cells if (cell.kind, cell.number) == (name, number)]
            if own:
                parts.append(_section(kind, number, own, rows))
    parts += [ceiling, _warnings(rows)] if ceiling else [_warnings(rows)]
    return "\n".join(parts)


def _overview(cells: Sequence[Any], rows: Mapping[Any, Any], kinds: Mapping[str, Kind]) -> str:
    lines = [
        "## In all",
        "",
        "| kind | populations | cells | inside 93–97 % | below | above | outside and warned about |",
        "|---|---|---|---|---|---|---|",
    ]
    for title in (NAMED, AT_RANDOM, FRESH):
        for name in (*kinds, ""):
            own = [c for c in cells if c.drawn == title and (not name or c.kind == name)]
            if not own:
                continue
            n = counts(own, rows)
            outside = n["below"] + n["above"]
            share = f"{n['inside']} ({n['inside'] / n['cells']:.0%})" if n["cells"] else "–"
            shown = kinds[name].what if name else "**all**"
            lines.append(
                f"| {shown} | {title} | {n['cells']} | {share} | {n['below']} | {n['above']} | "
                f"{n['warned']} of {outside} |"
            )
    return "\n".join([*lines, ""])


def _section(kind: Kind, number: str, cells: Sequence[Any], rows: Mapping[Any, Any]) -> str:
    title = f"{kind.what}: {number}" if number else kind.what
    named = [cell for cell in cells if cell.drawn == NAMED]
    sizes = sorted({cell.size for cell in named})
    table = {(cell.population, cell.size): cell for cell in named}
    heads = "".join(f" {size} {kind.unit} | width |" for size in sizes)
    fewest = min(cell.replicates for cell in named)
    said = f"{fewest:,} replicates per cell."
    if fewest < ENOUGH:
        said += " That is few: with ± of about 2 points, cells lie outside 93–97 % by chance alone."
    lines = [f"## {title}", "", said, "", f"| population |{heads}", "|---|" + "---|---|" * len(sizes)]
    for population in kind.populations:
        shown = [table.get((population, size)) for size in sizes]
        lines.append(f"| {population} |" + "".join(f" {text(cell)} |" for cell in shown))
    for how in (AT_RANDOM, FRESH):
        drawn = sorted(
            (cell for cell in cells if cell.drawn == how and cell.shown), key=lambda one: one.covered
        )
        if drawn:
            inside = sum(_inside(cell) for cell in drawn)
            listed = ", ".join(f"{100 * cell.covered:.1f} ({cell.size})" for cell in drawn)
            said = f"{how.capitalize()}: {inside} of {len(drawn)} inside."
            lines += ["", f"{said} Coverage ({kind.unit}): {listed}."]
    return "\n".join([*lines, ""])


def text(cell: Any) -> str:
    """One cell: coverage with its error, what was withheld, mean width."""
    if cell is None:
        return "– | –"
    if not cell.shown:
        return "withheld | –"
    error = np.sqrt(cell.covered * (1 - cell.covered) / cell.shown)
    number = f"{100 * cell.covered:.1f} ± {100 * error:.1f}"
    mark = "▼" if cell.covered < INSIDE[0] else "▲" if cell.covered > INSIDE[1] else ""
    number = f"**{number} {mark}**" if mark else number
    withheld = 1 - cell.shown / cell.replicates
    kept = f" ({withheld:.0%} withheld)" if withheld else ""
    return f"{number}{kept} | {cell.width / cell.shown:.2f}"


def _warnings(rows: Mapping[tuple[str, int, str], tuple[Any, Any]]) -> str:
    lines = [
        "## What is warned about",
        "",
        "| number | units | the data look | lowest | where | highest | where |",
        "|---|---|---|---|---|---|---|",
        *_warning_rows(rows),
        "",
    ]
    return "\n".join(lines)


def _warning_rows(rows: Mapping[tuple[str, int, str], tuple[Any, Any]]) -> Iterator[str]:
    for (kind, size, look), (low, high) in rows.items():
        yield (
            f"| {kind} | {size} | {look} | {100 * low.covered:.1f} | {_where(low)} | "
            f"{100 * high.covered:.1f} | {_where(high)} |"
        )
