"""Agreement of predicted effects as a terminal table."""

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from concord.people.predictions.files import PredictionResult
from concord.people.predictions.result import AgentAgreement, AgentDifference
from concord.records import Estimate
from concord.show.numbers import UNDEFINED, interval, interval_words, number, p_words
from concord.show.terminal import lines, table

COLUMNS = {
    "r": "pearson",
    "r adjusted": "pearson_adjusted",
    "direction": "direction",
    "RMSE": "rmse",
    "slope": "slope",
    "size": "size_ratio",
    "PAS": "pas",
    "APR": "apr",
}
ALPHA = 0.05
"""Level of the statements about pairs and sizes, after Holm's correction."""


def predictions_report(result: PredictionResult) -> RenderableType:
    """Return everything a reader of the terminal should see: the answer first."""
    rows = [_agent_cells(one) for one in (*by_error(result), *result.references)]
    title = f"\nPredicted against measured effects · {result.n_effects} effects, {result.unit}"
    columns = ("agent", *COLUMNS, "effects", "missing")
    return Group(lines([answer(result)]), table(title, columns, rows), lines(_notes(result)), Text(""))


def by_error(result: PredictionResult) -> list[AgentAgreement]:
    """Return agents by their error, the smallest first; those without one last."""
    return sorted(result.agents, key=_error_first)


def _error_first(one: AgentAgreement) -> tuple[bool, float]:
    value = one.numbers["rmse"].value
    return (value is None, 0.0 if value is None else value)


def _agent_cells(one: AgentAgreement) -> tuple[str, ...]:
    name = f"({one.agent})" if one.is_reference else one.agent
    return (
        name,
        *(_estimate_cell(one.numbers.get(key, Estimate(None))) for key in COLUMNS.values()),
        str(one.n),
        str(one.n_missing),
    )


def _estimate_cell(found: Estimate) -> str:
    if found.value is None:
        return UNDEFINED
    return (
        number(found.value, 2)
        if found.interval is None
        else f"{number(found.value, 2)}\n{interval(found.interval)}"
    )


def answer(result: PredictionResult) -> str:
    """Return the finding in a sentence: the smallest error, and that of predicting no effect at all."""
    best = by_error(result)[0]
    error, nothing = best.numbers["rmse"].value, result.references[0].numbers["rmse"].value
    if error is None or nothing is None:
        return f"No agent has enough predictions for a number ({result.n_effects} effects)."
    found = best.numbers["pearson_adjusted"]
    r = f", adjusted r {number(found.value, 2)} ({interval_words(found.interval)})"
    fit = "" if found.value is None else r
    return (
        f"{best.agent} is off by {number(error, 2)} on average (RMSE{fit}), where predicting no effect at "
        f"all is off by {number(nothing, 2)}. {size_words(best)}"
    )


def size_words(one: AgentAgreement) -> str:
    """Return what may be said about the size of predicted effects: only what the interval shows."""
    found = one.numbers["size_ratio"]
    if found.value is None or found.interval is None:
        return "Nothing can be said about the size of its effects."
    ratio = f"{number(found.value, 2)} times people's ({interval_words(found.interval)})"
    if found.interval.low > 1:
        return f"Its effects are larger, {ratio}."
    if found.interval.high < 1:
        return f"Its effects are smaller, {ratio}."
    return f"No difference in size could be shown ({ratio})."


def _notes(result: PredictionResult) -> Iterator[str]:
    yield ""
    yield (
        f"Intervals: {result.level:.0%} jackknife-t, leaving out {result.clusters} one at a time. "
        f"Direction: predicting 'positive' every time reaches {number(result.all_positive, 2)}."
    )
    yield from dict.fromkeys(
        f"PAS and APR: {one.numbers['pas'].note}."
        for one in result.agents
        if "pas" in one.numbers and one.numbers["pas"].note
    )
    shown = [row for row in result.differences if row.metric == "rmse"]
    if shown:
        yield from _distinguishable(shown)
    yield _controls_words(result)
    yield from result.warnings


def _controls_words(result: PredictionResult) -> str:
    """Say whether errors that effects of one control group share are known."""
    known = any(effect.people.control_se is not None for one in result.agents for effect in one.effects)
    if known:
        return "Effects share control groups; the error they have in common is in the intervals."
    return "Effects that share a control group have errors in common; a column 'control' makes them known."


def _distinguishable(rows: list[AgentDifference]) -> Iterator[str]:
    apart = [row for row in rows if row.p_holm is not None and row.p_holm < ALPHA]
    yield f"{len(apart)} of {len(rows)} pairs of agents are distinguishable by their error (Holm, {ALPHA})."
    for row in apart[:10]:
        shown = number(row.difference.value, 2, sign=True)
        yield f"  {row.first} − {row.second}: {shown} ({p_words(row.p_holm)})"
    if len(apart) > 10:
        yield f"  and {len(apart) - 10} more, in prediction_differences.csv"
