"""Results about structure compared: what may be compared with what, who is who, and how to fix it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from concord.comparing.metrics import (
    ComparedModel,
    CompareRequest,
    MetricCompareResult,
    ResultKind,
    UnitWords,
    check_names,
    distinct,
    known_metric,
    ranked_interval,
)
from concord.errors import MismatchError, OptionError
from concord.files.documents import folder_name
from concord.records import Estimate, Interval
from concord.stats.compare import Choices
from concord.stats.equivalence import WithinMargin
from concord.stats.pairs import ModelPair
from concord.structure import NAME
from concord.structure import result as structure_files
from concord.structure.records import ModelResult, ScoreOptions
from concord.structure.result import is_structure_folder
from concord.structure.score.compare import (
    FIXED_M,
    METRICS,
    ORDER_METRICS,
    StructureComparison,
    compare_structure,
    counted_model,
)

LEAST_RESAMPLES = 200
WORDS = UnitWords("cell", "cells", "item", "items", least="20 items")
_RESCORE = "concord score structure ... --reading {reading} --out FOLDER"


def compare_structure_folders(asked: CompareRequest) -> MetricCompareResult:
    """Compare every model of results about structure on the same items and arrangements."""
    names, metric, choices = asked.names, asked.metric, asked.choices
    chosen = known_metric("tau" if metric is None else metric, (*METRICS, *FIXED_M))
    if choices.n_flips < LEAST_RESAMPLES:
        raise OptionError(f"flips is {choices.n_flips!r}; a band over items needs at least {LEAST_RESAMPLES}")
    folders = [StructureFolder(Path(source), structure_files.read(source)) for source in asked.sources]
    alone = chosen in ORDER_METRICS  # comparable whatever the definition and the number of samples
    left_out = _refusal(folders) if alone else None
    if not alone:
        _same_definitions(folders)
    cells = [(folder, model) for folder in folders for model in folder.result.models]
    if len(cells) < 2:
        raise OptionError(
            f"comparing needs at least two models, {folders[0].name} holds one: {cells[0][1].model}"
        )
    check_names(names, len(cells), f"models ({', '.join(model.model for _, model in cells[:6])}, ...)")
    fixed = chosen in FIXED_M
    warnings = list(_fixed_m(cells, folders) if fixed else [])
    if not fixed and left_out is None:
        left_out = _warned(warnings, [model for _, model in cells], alone)
    if left_out is not None:
        warnings.append(f"S_Cons, E_perf and R_sens are not compared: {left_out}")
    called = _structure_names(cells) if names is None else list(names)
    data = [counted_model(model, name, fixed_m=fixed) for name, (_, model) in zip(called, cells, strict=True)]
    definition = "paired" if fixed else folders[0].options.definition
    options = ScoreOptions(definition, seed=choices.seed, resamples=choices.n_flips, level=choices.level)
    gates = {name: model.gate for name, (_, model) in zip(called, cells, strict=True) if model.gate}
    warnings += [f"{name} has no rank: {gate}" for name, gate in gates.items()]

    def at(level: float) -> StructureComparison:
        chosen_level = replace(options, level=level)
        return compare_structure(
            data, chosen_level, metric=chosen, gates=gates, with_source=left_out is None, engine=asked.engine
        )

    found = at(choices.level)
    compared, ranked = _compared(definition, fixed, folders[0].options.m), dict(found.standing.values)
    return MetricCompareResult(
        NAME,
        WORDS,
        f"definition {compared} · the same items and arrangements",
        {
            "reading": folders[0].options.definition,
            "compared_reading": compared,
            "n_items": found.n_items,
            "n_arrangements": found.n_arrangements,
        },
        tuple(
            ComparedModel(
                name,
                folder.name,
                {"model": model.model, "samples_per_cell": model.samples_per_cell},
                _ranked_tau(model, ranked.get(name)) if chosen == "tau" else None,
            )
            for name, (folder, model) in zip(called, cells, strict=True)
        ),
        found.pairs if choices.margin is None else _with_margin(found.pairs, chosen, choices, at),
        found.standing,
        {
            "level": choices.level,
            "resamples": choices.n_flips,
            "seed": choices.seed,
            **({} if choices.margin is None else {"margin": choices.margin}),
        },
        tuple(item for folder in folders for item in structure_files.fingerprints(folder.source)),
        tuple(warnings),
    )


def _ranked_tau(model: ModelResult, ranked: float | None) -> Interval | None:
    effect = model.order.effect
    return None if effect is None else ranked_interval(Estimate(effect.tau, effect.interval), ranked)


def _with_margin(
    pairs: Sequence[ModelPair],
    metric: str,
    choices: Choices,
    at: Callable[[float], StructureComparison],
) -> tuple[ModelPair, ...]:
    """Return pairs that say whether the interval of level 1 - 2 alpha lies inside the margin.

    Bands and limits of spreads come from resamples, so there is no p-value; of several pairs alpha is shared
    (Bonferroni).
    """
    margin, alpha = choices.margin, (1 - choices.level) / max(1, len(pairs))
    narrower = at(1 - 2 * alpha).pairs
    out = []
    for pair, other in zip(pairs, narrower, strict=True):
        ends, note = other.metric(metric).difference.interval, other.metric(metric).difference.note
        assert margin is not None  # noqa: S101 - the caller looked
        inside = ends is not None and -margin < ends.low and ends.high < margin
        held = WithinMargin(margin, None, inside, ends, note if ends is None else "")
        out.append(
            replace(
                pair,
                metrics=tuple(replace(m, within=held) if m.metric == metric else m for m in pair.metrics),
            )
        )
    return tuple(out)


@dataclass(frozen=True, slots=True)
class StructureFolder:
    """One result about structure and the folder it is in."""

    source: Path
    result: structure_files.StructureResult

    @property
    def name(self) -> str:
        """What the folder is called."""
        return folder_name(self.source)

    @property
    def options(self) -> ScoreOptions:
        """How the scores were turned into numbers."""
        return self.result.scores.options


def _refusal(folders: Sequence[StructureFolder]) -> str | None:
    """Say why numbers as defined in the source do not compare; nothing where they do."""
    try:
        _same_definitions(folders)
    except MismatchError as refusal:
        return str(refusal)
    return None


def _warned(warnings: list[str], models: Sequence[ModelResult], alone: bool) -> str | None:
    """Add what is to be known about the number of samples; refuse, or say why, where it differs."""
    try:
        warnings += _same_samples(models)
    except MismatchError as refusal:
        if not alone:
            raise
        return str(refusal)
    return None


def _compared(definition: str, fixed: bool, m: int) -> str:
    if fixed:
        return f"fixed m = {m}"
    return "unpaired" if definition == "unpaired" else "paired"


def _structure_names(cells: Sequence[tuple[StructureFolder, ModelResult]]) -> list[str]:
    """Name models as they are called; by their folders too where two have one name."""
    names = [model.model for _, model in cells]
    called = [
        f"{model.model} ({folder.name})" if names.count(model.model) > 1 else model.model
        for folder, model in cells
    ]
    return distinct(called)


def _same_definitions(folders: Sequence[StructureFolder]) -> None:
    """Refuse results that were scored differently."""
    first = folders[0]
    for other in folders[1:]:
        if other.options.definition != first.options.definition:
            raise MismatchError(
                f"{first.name} was scored under the definition {first.options.definition!r} and {other.name} "
                f"under {other.options.definition!r}: these do not compare; score one of them again with: "
                + _RESCORE.format(reading=first.options.definition)
            )
        if other.options.baseline != first.options.baseline:
            raise MismatchError(
                f"{first.name} was scored with the baseline {first.options.baseline!r} and {other.name} with "
                f"{other.options.baseline!r}, so E and R run over other arrangements; score both with one "
                "--baseline, or both without"
            )


def _same_samples(models: Sequence[ModelResult]) -> list[str]:
    """Refuse other numbers of samples per cell: the gap grows with them, order or no order."""
    known = [(model.model, model.samples_per_cell) for model in models if model.samples_per_cell is not None]
    listed = "; ".join(f"{name}: {_range_words(samples)}" for name, samples in known)
    if len({samples[1] for _, samples in known}) > 1:
        raise MismatchError(
            f"the number of samples per cell differs ({listed}), and max minus mean grows with it even when "
            "order has no effect; compare numbers that do not with --metric S_star, E_star or R_star, or ask "
            "every model as often"
        )
    if len({samples for _, samples in known}) > 1:
        return [f"some cells have fewer samples than others ({listed}); their gaps are smaller for it"]
    if known and len(known) < len(models):
        return [
            f"the number of samples per cell is known for some models only ({listed}); S_Cons falls with it: "
            "make sure that it is the same, and say so with: concord score structure ... --samples K"
        ]
    return []


def _range_words(samples: tuple[int, int]) -> str:
    low, high = samples
    return str(low) if low == high else f"{low} to {high}"


def _fixed_m(
    cells: Sequence[tuple[StructureFolder, ModelResult]], folders: Sequence[StructureFolder]
) -> list[str]:
    """Refuse a fixed-m gap that was not computed, or with another m."""
    if len({folder.options.m for folder in folders}) > 1:
        listed = "; ".join(f"{folder.name}: m = {folder.options.m}" for folder in folders)
        raise MismatchError(f"these were scored with other --fixed-m ({listed}); score them with one")
    for folder, model in cells:
        if all(gap is None for item in model.items for *_, gap in item.scores):
            raise MismatchError(
                f"{model.model} in {folder.name} has no fixed-m gap: the number of samples per cell is not "
                "known, or too small; score it again with: concord score structure ... --samples K"
            )
    return []


KIND = ResultKind(
    NAME, "a result about structure", is_structure_folder, compare_structure_folders, alone=True
)
