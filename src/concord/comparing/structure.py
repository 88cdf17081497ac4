"""Results about structure compared: what may be compared with what, who is who, and how to fix it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from concord.comparing.kinds import (
    ComparedPairs,
    ComparedSide,
    CompareRequest,
    Lineup,
    Stored,
    Ways,
    known_metric,
    named_by_folder,
    ranked_interval,
    within,
)
from concord.errors import MismatchError, OptionError
from concord.records import Estimate, Interval
from concord.stats.compare import Choices
from concord.stats.equivalence import WithinMargin
from concord.stats.pairs import ModelPair, RankedPairs
from concord.structure.records import ModelResult, ScoreOptions
from concord.structure.result import StructureResult
from concord.structure.score.difference import (
    FIXED_M,
    METRICS,
    ORDER_METRICS,
    compare_structure,
    counted_model,
)
from concord.structure.score.order import release_ceilings

LEAST_RESAMPLES = 200
_USUAL = "tau"


@dataclass(frozen=True, slots=True)
class _Arranged:
    """What is compared of a model, and how its scores were turned into numbers."""

    model: ModelResult
    options: ScoreOptions
    with_source: bool
    """Whether S_Cons, E_perf and R_sens are comparable."""


def _arranged_models(results: Sequence[Stored[StructureResult]], metric: str | None) -> Lineup:
    chosen = known_metric(_USUAL if metric is None else metric, (*METRICS, *FIXED_M))
    alone = chosen in ORDER_METRICS  # comparable whatever the definition and the number of samples
    left_out = _refusal(results) if alone else None
    if not alone:
        _same_definitions(results)
    models = release_ceilings([model for one in results for model in one.result.models])
    whose = [one for one in results for _ in one.result.models]
    cells = list(zip(whose, models, strict=True))
    fixed, warnings = chosen in FIXED_M, list[str]()
    if fixed:
        _same_m(cells, results)
    elif left_out is None:
        left_out = _warned(warnings, [model for _, model in cells], alone)
    if left_out is not None:
        warnings.append(f"S_Cons, E_perf and R_sens are not compared: {left_out}")
    options = results[0].result.scores.options
    compared = _compared(options.definition, fixed, options.m)
    sides = [
        ComparedSide(
            model.model,
            one.name,
            {"model": model.model, "samples_per_cell": model.samples_per_cell},
            _Arranged(model, options, left_out is None),
            model.gate,
        )
        for one, model in cells
    ]
    return Lineup(
        sides=named_by_folder(sides),
        how=f"definition {compared} · the same items and arrangements",
        metrics=(*METRICS, *FIXED_M),
        usual=_USUAL,
        about={"reading": options.definition, "compared_reading": compared},
        warnings=warnings,
    )


def _same_arrangements(found: Lineup, metric: str, asked: CompareRequest) -> ComparedPairs:
    choices, first = asked.choices, found.sides[0].scores
    if choices.n_flips < LEAST_RESAMPLES:
        raise OptionError(f"flips is {choices.n_flips!r}; a band over items needs at least {LEAST_RESAMPLES}")
    fixed = metric in FIXED_M
    data = [counted_model(side.scores.model, side.name, fixed_m=fixed) for side in found.sides]
    definition = "paired" if fixed else first.options.definition
    options = ScoreOptions(definition, seed=choices.seed, resamples=choices.n_flips, level=choices.level)
    gates = {side.name: side.gate for side in found.sides if side.gate}

    def at(level: float) -> RankedPairs:
        return compare_structure(
            data,
            replace(options, level=level),
            metric=metric,
            gates=gates,
            with_source=first.with_source,
            engine=asked.engine,
        )

    done = at(choices.level)
    ranked = dict(done.standing.values)
    margin = {} if choices.margin is None else {"margin": choices.margin}
    return ComparedPairs(
        pairs=done.pairs if choices.margin is None else _with_margin(done.pairs, metric, choices, at),
        standing=done.standing,
        options={"level": choices.level, "resamples": choices.n_flips, "seed": choices.seed, **margin},
        intervals={
            side.name: _ranked_tau(side.scores.model, ranked.get(side.name)) if metric == _USUAL else None
            for side in found.sides
        },
        about=dict(done.common),
    )


def _ranked_tau(model: ModelResult, ranked: float | None) -> Interval | None:
    effect = model.order.effect
    return None if effect is None else ranked_interval(Estimate(effect.tau, effect.interval), ranked)


def _with_margin(
    pairs: Sequence[ModelPair], metric: str, choices: Choices, at: Callable[[float], RankedPairs]
) -> tuple[ModelPair, ...]:
    """Return pairs that say whether the interval of level 1 - 2 alpha lies inside the margin."""
    # Bands and limits of spreads come from resamples, so there is no p-value; of several pairs alpha is
    # shared (Bonferroni).
    margin, alpha = choices.margin, (1 - choices.level) / max(1, len(pairs))
    narrower = at(1 - 2 * alpha).pairs
    out = []
    for pair, other in zip(pairs, narrower, strict=True):
        ends, note = other.metric(metric).difference.interval, other.metric(metric).difference.note
        assert margin is not None  # noqa: S101 - the caller looked
        inside = ends is not None and -margin < ends.low and ends.high < margin
        held = WithinMargin(margin, None, inside, ends, note if ends is None else "")
        out.append(within(pair, metric, held))
    return tuple(out)


def _refusal(results: Sequence[Stored[StructureResult]]) -> str | None:
    """Say why numbers as defined in the source do not compare; nothing where they do."""
    try:
        _same_definitions(results)
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


def _same_definitions(results: Sequence[Stored[StructureResult]]) -> None:
    """Refuse results that were scored differently."""
    first, own = results[0], results[0].result.scores.options
    for other in results[1:]:
        options = other.result.scores.options
        if options.definition != own.definition:
            raise MismatchError(
                f"{first.name} was scored under the definition {own.definition!r} and {other.name} under "
                f"{options.definition!r}: these do not compare; score one of them again with: concord score "
                f"structure ... --reading {own.definition} --out FOLDER"
            )
        if options.baseline != own.baseline:
            raise MismatchError(
                f"{first.name} was scored with the baseline {own.baseline!r} and {other.name} with "
                f"{options.baseline!r}, so E and R run over other arrangements; score both with one "
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


def _same_m(
    cells: Sequence[tuple[Stored[StructureResult], ModelResult]], results: Sequence[Stored[StructureResult]]
) -> None:
    """Refuse a fixed-m gap that was not computed, or with another m."""
    sizes = [(one.name, one.result.scores.options.m) for one in results]
    if len({m for _, m in sizes}) > 1:
        listed = "; ".join(f"{name}: m = {m}" for name, m in sizes)
        raise MismatchError(f"these were scored with other --fixed-m ({listed}); score them with one")
    for one, model in cells:
        if all(gap is None for item in model.items for *_, gap in item.scores):
            raise MismatchError(
                f"{model.model} in {one.name} has no fixed-m gap: the number of samples per cell is not "
                "known, or too small; score it again with: concord score structure ... --samples K"
            )


WAYS = Ways(StructureResult.read, _arranged_models, _same_arrangements)
