"""What a referee asks, of several models side by side; their ranks by PAS under other priors."""

from collections.abc import Mapping, Sequence
from typing import Any

from concord.people.referee.records import PriorCell, Referee

KEY, RANKS = "referee", "pas_ranks_over_priors"


def referee_summary(found: Referee | None) -> dict[str, Any] | None:
    """Return a model's answers as its entry in a comparison holds them; None where its result has none."""
    if found is None:
        return None
    meta, told, kept = found.difference.meta, found.replications, found.equivalence
    ends = None if meta is None else meta.mean.interval
    return {
        "inside": found.inside.inside,
        "n_inside": found.inside.n,
        "difference_d": None if meta is None else meta.mean.value,
        "difference_d_interval": None if ends is None else [ends.low, ends.high],
        "n_replications": told.n,
        "n_supported": told.n_supported,
        "n_opposed": told.n_opposed,
        "n_too_small": told.n_too_small,
        "margin": kept.margin,
        "n_kept": kept.n_kept,
        "n_equivalent": kept.n_equivalent,
        "selection_size_ratio": found.selection.size_ratio.value,
        "ecs_hedges": found.ecs_hedges,
        "ecs_precision": found.ecs_precision,
    }


def prior_ranks(models: Mapping[str, Referee | None]) -> list[dict[str, Any]]:
    """Rank models by PAS under every prior of the grid; empty unless all were scored over one grid."""
    grids = [_grid(found.priors) for found in models.values() if found is not None]
    if len(grids) < max(2, len(models)) or any(set(grid) != set(grids[0]) for grid in grids):
        return []
    rows = []
    for scale, odds in grids[0]:
        known = {
            name: value
            for name, grid in zip(models, grids, strict=True)
            if (value := grid[scale, odds]) is not None
        }
        order = sorted(known, key=lambda name: -known[name])
        rows.append({"scale": scale, "odds": odds, "order": order, "pas": known})
    return rows


def _grid(cells: Sequence[PriorCell]) -> dict[tuple[float, float], float | None]:
    return {(cell.scale, cell.odds): cell.pas for cell in cells}
