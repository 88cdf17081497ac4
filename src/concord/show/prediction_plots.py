"""Pictures of predicted effects: the error of every agent, and effects one by one."""

from concord.people.predictions.result import PredictionResult
from concord.show import plot_effects, plots
from concord.show.svg import Picture


def errors_picture(result: PredictionResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw the error of every agent and reference row with its interval, the smallest first."""
    if all(one.numbers["rmse"].value is None for one in result.agents):
        return None
    marks = [
        plots.estimate_mark(one.label, found)
        for one in (*result.by_error(), *result.references)
        if (found := one.numbers["rmse"]).value is not None
    ]
    furthest = max(end for mark in marks for end in (mark.value, mark.ends[1]) if end is not None)
    return plots.intervals(
        "prediction-errors",
        "Error of predicted effects",
        marks,
        label=f"root mean squared error, {result.unit}",
        limits=(0, 1.05 * furthest if furthest > 0 else 1.0),  # errors may all be 0
        width=units,
    )


def effects_picture(
    result: PredictionResult, *, agent: str | None = None, units: float = plots.WIDTH
) -> Picture | None:
    """Draw the measured effects against those that one agent predicted, by default the nearest."""
    one = result.by_error()[0] if agent is None else result.agent(agent)
    if not one.effects:
        return None
    points = []
    for effect in one.effects:
        name = " · ".join(part for part in effect.people.key if part)
        sides = effect.with_ends(result.level)
        points.append(plot_effects.Effect(name, *sides, effect.people.outcome, effect.passes == 1))
    line = one.line
    correlation, error = (one.numbers[name].value for name in ("pearson", "rmse"))
    return plot_effects.effects(
        "predicted-effects",
        f"Effects in people and as {one.agent} predicted them",
        points,
        slope=None if line is None else line[0],
        intercept=None if line is None else line[1],
        said=f"r = {plots.short(correlation)}, RMSE = {plots.short(error)}",
        unit=result.unit,
        level=result.level,
        width=units,
    )
