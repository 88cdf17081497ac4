"""`result.json` of format version 1, brought to the shape of version 2."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from concord.errors import FileFormatError, UndefinedError
from concord.files.codec import encode
from concord.stats.order import order_effect
from concord.structure.gate import mean_gate
from concord.structure.records import ItemRow

_ESTIMATES = ("E_perf", "R_sens", "S_Cons", "R_crossfit")


def upgraded(
    document: Mapping[str, Any], items: Mapping[str, Sequence[ItemRow]], *, where: str
) -> dict[str, Any]:
    """Return a document of version 1 in the shape of version 2.

    Version 1 kept the ends of an interval beside the value, and of an order effect the test but not the mean
    squares; these are computed again from the cells.
    """
    try:
        level = document["options"].get("level", 0.95)
        return {
            **document,
            "models": [_model(entry, items.get(entry["model"], ()), level) for entry in document["models"]],
            "arrangements": [_arrangement(row, level) for row in document["arrangements"]],
            "differences": [_estimates(entry, (*_ESTIMATES, "tau")) for entry in document["differences"]],
        }
    except (AttributeError, KeyError, TypeError) as fault:
        raise FileFormatError(
            f"{where}: is not a whole result of format version 1 ({fault}); score the same scores again"
        ) from fault


def _with_interval(entry: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if entry is None:
        return None
    ends = {key: entry.get(key) for key in ("low", "high", "level")}
    interval = None if ends["low"] is None else {**ends, "method": entry.get("interval_method") or ""}
    return {**entry, "interval": interval}


def _estimates(entry: Mapping[str, Any], keys: Sequence[str]) -> dict[str, Any]:
    return {**entry, **{key: _with_interval(entry[key]) for key in keys if key in entry}}


def _model(entry: Mapping[str, Any], items: Sequence[ItemRow], level: float) -> dict[str, Any]:
    fixed = entry.get("fixed_m")
    return {
        **entry,
        "readings": [_estimates(one, _ESTIMATES) for one in entry["readings"]],
        "fixed_m": None if fixed is None else _estimates(fixed, _ESTIMATES),
        "flip_excess": _with_interval(entry.get("flip_excess")),
        "gate": _gate(items),
        "order": {**entry["order"], "effect": _effect(entry["order"], items, level)},
    }


def _gate(items: Sequence[ItemRow]) -> str:
    """Return why there is nothing to be consistent about, as far as the mean score says so."""
    means = [item.mean_score for item in items if item.mean_score is not None]
    return mean_gate(sum(means) / len(means)) if means else ""


def _effect(order: Mapping[str, Any], items: Sequence[ItemRow], level: float) -> dict[str, Any] | None:
    """Compute the order effect again; on clusters, where that was done."""
    if order.get("tau") is None:
        return None
    names = sorted({name for item in items for name, *_ in item.scores})
    grid = [{name: mean for name, mean, *_ in item.scores} for item in items]
    cells = np.array([[np.nan if (m := row.get(name)) is None else m for name in names] for row in grid])
    whole = ~np.isnan(cells).any(axis=1) if cells.size else np.zeros(0, dtype=np.bool_)
    clusters = [item.cluster for item in items]
    layout = cells[whole]
    if all(cluster is not None for cluster in clusters):
        kept = np.array([str(cluster) for cluster in clusters])[whole]
        layout = np.array([layout[kept == name].mean(axis=0) for name in sorted(set(kept.tolist()))])
    try:
        found: dict[str, Any] = encode(order_effect(layout, level=level))
    except (UndefinedError, ValueError):
        return None
    return found


def _arrangement(row: Mapping[str, Any], level: float) -> dict[str, Any]:
    if row.get("low") is None:
        return {**row, "interval": None}
    ends = {"low": row["low"], "high": row["high"], "level": level, "method": "simultaneous max-t band"}
    return {**row, "interval": ends}
