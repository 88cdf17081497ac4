"""Results about structure compared: what may be compared with what, who is who, and how to fix it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from concord.comparing.kinds import ResultKind
from concord.comparing.metrics import ComparedModel, MetricCompareResult, UnitWords
from concord.comparing.naming import check_names, distinct, known_metric
from concord.engine import Engine
from concord.errors import MismatchError, OptionError
from concord.stats.compare import Choices
from concord.structure import NAME
from concord.structure.compare import METRICS, STARRED, compare_structure, of_stars
from concord.structure.read.results import (
    ModelCells,
    StructureFolder,
    is_structure_folder,
    read_structure_folder,
)
from concord.structure.readings import Counted, counted_cells
from concord.structure.records import ScoreOptions

LEAST_RESAMPLES = 200
WORDS = UnitWords("cell", "cells", "item", "items", least="20 items")
_RESCORE = "concord score structure ... --reading {reading} --out FOLDER"


def compare_structure_folders(
    sources: Sequence[Any],
    names: Sequence[str] | None,
    *,
    metric: str | None,
    choices: Choices,
    engine: Engine,
) -> MetricCompareResult:
    """Compare every model of results about structure on the same items and arrangements.

    Raises
    ------
    MismatchError
        Other readings, baselines or numbers of samples, or nothing in common.
    OptionError
        No such metric, fewer than two models, or another number of names.
    """
    chosen = known_metric("S_Cons" if metric is None else metric, (*METRICS, *STARRED))
    if choices.n_flips < LEAST_RESAMPLES:
        raise OptionError(f"flips is {choices.n_flips!r}; a band over items needs at least {LEAST_RESAMPLES}")
    folders = [read_structure_folder(Path(source)) for source in sources]
    _same_readings(folders)
    cells = [(folder, model) for folder in folders for model in folder.models]
    if len(cells) < 2:
        raise OptionError(
            f"comparing needs at least two models, {folders[0].name} holds one: {cells[0][1].model}"
        )
    check_names(names, len(cells), f"models ({', '.join(model.model for _, model in cells[:6])}, ...)")
    starred = chosen in STARRED
    warnings = _stars(cells, folders) if starred else _samples([model for _, model in cells])
    called = _structure_names(cells) if names is None else list(names)
    data = [_counted(name, model, starred) for name, (_, model) in zip(called, cells, strict=True)]
    reading = "paired" if starred else folders[0].reading
    options = ScoreOptions(reading, seed=choices.seed, resamples=choices.n_flips, level=choices.level)
    found = compare_structure(data, options, metric=chosen, engine=engine)
    compared = _compared(reading, starred, folders[0].fixed_m)
    return MetricCompareResult(
        NAME,
        WORDS,
        f"reading {compared} · the same items and arrangements",
        {
            "reading": folders[0].reading,
            "compared_reading": compared,
            "n_items": found.n_items,
            "n_arrangements": found.n_arrangements,
        },
        tuple(
            ComparedModel(name, folder.name, {"model": model.model, "samples_per_cell": model.samples})
            for name, (folder, model) in zip(called, cells, strict=True)
        ),
        found.pairs,
        found.standing,
        {"level": choices.level, "resamples": choices.n_flips, "seed": choices.seed},
        tuple(item for folder in folders for item in folder.inputs),
        tuple(warnings),
    )


def _compared(reading: str, starred: bool, m: int) -> str:
    if starred:
        return f"fixed m = {m}"
    return "unpaired" if reading == "unpaired" else "paired"


def _structure_names(cells: Sequence[tuple[StructureFolder, ModelCells]]) -> list[str]:
    """Name models as they are called; by their folders too where two have one name."""
    names = [model.model for _, model in cells]
    called = [
        f"{model.model} ({folder.name})" if names.count(model.model) > 1 else model.model
        for folder, model in cells
    ]
    return distinct(called)


def _counted(name: str, model: ModelCells, starred: bool) -> Counted:
    data = counted_cells(
        name, (model.arrangements, model.items), model.mean, model.largest, clusters=model.clusters
    )
    return of_stars(data, model.star) if starred else data


def _same_readings(folders: Sequence[StructureFolder]) -> None:
    """Refuse results that were scored differently."""
    first = folders[0]
    for other in folders[1:]:
        if other.reading != first.reading:
            raise MismatchError(
                f"{first.name} was scored under the reading {first.reading!r} and {other.name} under "
                f"{other.reading!r}: these do not compare; score one of them again with: "
                + _RESCORE.format(reading=first.reading)
            )
        if other.baseline != first.baseline:
            raise MismatchError(
                f"{first.name} was scored with the baseline {first.baseline!r} and {other.name} with "
                f"{other.baseline!r}, so E and R run over other arrangements; score both with one "
                "--baseline, or both without"
            )


def _samples(models: Sequence[ModelCells]) -> list[str]:
    """Refuse other numbers of samples a cell: the gap grows with them, order or no order."""
    known = [(model.model, model.samples) for model in models if model.samples is not None]
    listed = "; ".join(f"{name}: {_range(samples)}" for name, samples in known)
    if len({samples[1] for _, samples in known}) > 1:
        raise MismatchError(
            f"the number of samples a cell differs ({listed}), and max less mean grows with it even when "
            "order has no effect; compare numbers that do not with --metric S_star, E_star or R_star, or ask "
            "every model as often"
        )
    if len({samples for _, samples in known}) > 1:
        return [f"some cells have fewer samples than others ({listed}); their gaps are smaller for it"]
    if known and len(known) < len(models):
        return [
            f"the number of samples a cell is known for some models only ({listed}); S_Cons falls with it: "
            "make sure that it is the same, and say so with: concord score structure ... --samples K"
        ]
    return []


def _range(samples: tuple[int, int]) -> str:
    low, high = samples
    return str(low) if low == high else f"{low} to {high}"


def _stars(
    cells: Sequence[tuple[StructureFolder, ModelCells]], folders: Sequence[StructureFolder]
) -> list[str]:
    """Refuse a fixed-m gap that was not computed, or with another m."""
    if len({folder.fixed_m for folder in folders}) > 1:
        listed = "; ".join(f"{folder.name}: m = {folder.fixed_m}" for folder in folders)
        raise MismatchError(f"these were scored with other --fixed-m ({listed}); score them with one")
    for folder, model in cells:
        if np.isnan(model.star).all():
            raise MismatchError(
                f"{model.model} in {folder.name} has no fixed-m gap: the number of samples a cell is not "
                "known, or too small; score it again with: concord score structure ... --samples K"
            )
    return []


KIND = ResultKind(
    NAME, "a result about structure", is_structure_folder, compare_structure_folders, alone=True
)
