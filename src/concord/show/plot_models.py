"""All models and all three questions in one picture: agreement, order, early and late answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from concord.errors import OptionError
from concord.numeric import NumberRule, gated
from concord.people.files import PeopleResult
from concord.people.result import Score
from concord.people.studies.results import StudiesResult
from concord.reasoning.files import ReasoningResult
from concord.show.plots import Mark, axis, levels_words, short
from concord.show.svg import Canvas, Picture, Scale, last_parts
from concord.structure.records import ModelResult
from concord.structure.result import StructureResult
from concord.words import say

_ROW, _TOP = 26.0, 46.0


@dataclass(frozen=True, slots=True)
class ModelMarks:
    """One model: what each question found, ``None`` where it was not asked."""

    name: str
    agreement: Mark | None = None
    order: Mark | None = None
    early: float | None = None
    after: float | None = None


@gated(width=NumberRule(100, 10_000, "units from 100 to 10,000"))
def plot_models(results: Sequence[Any] | Mapping[str, Any], *, width: float = 960.0) -> Picture:
    """Draw results of any question, one row per model.

    Parameters
    ----------
    results
        Results of people, structure and reasoning, in any order; a mapping gives the names of models that
        results do not say themselves. Results of the same model share a row.
    width
        In units of the drawing, text being 13 high.

    Examples
    --------
    >>> from concord import api
    >>> agent = api.score_people(api.demo_table(), n_resamples=0, n_simulations=0)
    >>> plot_models({"agent": agent}).rows[1][0]
    'agent'
    """
    named = results.items() if isinstance(results, Mapping) else ((None, one) for one in results)
    rows: dict[str, ModelMarks] = {}
    for name, one in named:
        for found in _marks(name, one):
            rows[found.name] = _row_with(rows.get(found.name), found)
    if not rows:
        raise OptionError("there is no result to draw")
    return models_picture(list(rows.values()), width=width)


def strip_picture(result: Any, *, units: float = 560.0) -> Picture:
    """Draw one result as a row, for a notebook."""
    return plot_models([result], width=units)


def score_mark(name: str, score: Score, *, inner: bool = False, strong: bool = False) -> Mark:
    """Return a score with its floor and ceiling as a row of a chart, the second interval where asked for."""
    bounds = score.bounds
    return Mark(
        name,
        score.value,
        score.interval,
        score.fresh.interval if inner else None,
        floor=None if bounds is None else bounds.floor.value,
        ceiling=None if bounds is None else bounds.ceiling.value,
        strong=strong,
    )


def _marks(name: str | None, result: Any) -> list[ModelMarks]:
    """Return what a result says of its model, or of its models."""
    if isinstance(result, StudiesResult):
        result = result.result
    if isinstance(result, PeopleResult):
        model = name if name is not None else result.model if result.model else "model"
        return [ModelMarks(model, agreement=score_mark(model, result.pas))]
    if isinstance(result, StructureResult):
        return [_order_marks(one) for one in result.models]
    if isinstance(result, ReasoningResult):
        model = name if name is not None else result.model
        return [ModelMarks(model, early=result.acc_early.value, after=result.acc_cot.value)]
    raise OptionError(f"a {type(result).__name__} is no result of the three questions")


def _order_marks(one: ModelResult) -> ModelMarks:
    """Return the order effect of one model; undefined where there is none."""
    effect = one.order.effect
    tau = Mark(one.model, None) if effect is None else Mark(one.model, effect.tau, effect.interval)
    return ModelMarks(one.model, order=tau)


def _row_with(before: ModelMarks | None, now: ModelMarks) -> ModelMarks:
    if before is None:
        return now
    kept = {key: getattr(now, key) for key in ("agreement", "order", "early", "after")}
    return replace(before, **{key: value for key, value in kept.items() if value is not None})


def models_picture(models: Sequence[ModelMarks], *, width: float = 960.0) -> Picture:
    """Draw the rows of models, the highest agreement first, with a panel for each question that was asked."""
    ordered = sorted(models, key=_best_first_key)
    asked = [
        ("With people", "probability of the same conclusion (PAS)", any(m.agreement for m in models)),
        ("With itself", "order effect τ; 0 is best", any(m.order for m in models)),
        (
            "With its reasoning",
            "share right, at once ○ and after ◆",
            any(m.early is not None for m in models),
        ),
    ]
    shown = [i for i, one in enumerate(asked) if one[2]]
    label = min(230.0, 0.24 * width)
    wide = (width - label - 20) / max(len(shown), 1)
    bottom = _TOP + _ROW * len(ordered)
    canvas = Canvas()
    places = [_TOP + _ROW * (i + 0.5) + 4 for i in range(len(ordered))]
    canvas.row_names(label, places, last_parts([model.name for model in ordered]), label - 6)
    draw = (_draw_agreement, _draw_order, _draw_early)
    for place, k in enumerate(shown):
        left = label + 22 + wide * place
        canvas.text(left, 18, f"{'abc'[place]} {asked[k][0]}", kind="t")
        scale = Scale(*_limits(ordered, k), left, left + wide - 40)
        axis(canvas, scale, _TOP - 8, bottom, asked[k][1])
        for i, model in enumerate(ordered):
            draw[k](canvas, scale, model, _TOP + _ROW * (i + 0.5))
    head = ("model", "PAS", "low", "high", "floor", "ceiling", "tau", "low", "high", "early", "after")
    said = "; ".join(f"{m.name} {short(m.agreement.value) if m.agreement else '–'}" for m in ordered[:40])
    title = say("figures.said.title_models", n=len(ordered))
    levels = levels_words(mark for m in ordered for mark in (m.agreement, m.order) if mark is not None)
    caption = say("figures.caption.models", levels=levels)
    return Picture(
        "models", title, f"{title}. PAS: {said}.", width, bottom + 42, str(canvas),
        rows=(head, *map(_row_numbers, ordered)), caption=caption,
    )  # fmt: skip


def _best_first_key(model: ModelMarks) -> tuple[bool, float, float, str]:
    """Return what puts the highest agreement first, then the smallest order effect, then the most right."""
    value = None if model.agreement is None else model.agreement.value
    moved = None if model.order is None else model.order.value
    right = 0.0 if model.after is None else -model.after
    return (value is None, 0.0 if value is None else -value, right if moved is None else moved, model.name)


def _limits(models: Sequence[ModelMarks], k: int) -> tuple[float, float]:
    ends = [v for m in models if m.order for v in (m.order.value, m.order.ends[1]) if v is not None]
    return (0.0, max([0.1, *ends]) * 1.05) if k == 1 else (0.0, 1.0)


def _draw_agreement(canvas: Canvas, scale: Scale, model: ModelMarks, y: float) -> None:
    mark = model.agreement
    if mark is None:
        return
    if mark.floor is not None and mark.ceiling is not None:
        canvas.rect("band", scale(mark.floor), y - 9, scale(mark.ceiling) - scale(mark.floor), 18)
    _interval_mark(canvas, scale, mark, y)


def _draw_order(canvas: Canvas, scale: Scale, model: ModelMarks, y: float) -> None:
    if model.order is not None:
        _interval_mark(canvas, scale, model.order, y)


def _draw_early(canvas: Canvas, scale: Scale, model: ModelMarks, y: float) -> None:
    if model.early is None or model.after is None:
        return
    kind = "link" if model.after >= model.early else "link worse"
    canvas.line(kind, scale(model.early), y, scale(model.after), y)
    canvas.circle("ring", scale(model.early), y, 4.5, f"{model.name}, at once: {short(model.early)}")
    canvas.diamond("model", scale(model.after), y, 5, f"{model.name}, after reasoning: {short(model.after)}")


def _interval_mark(canvas: Canvas, scale: Scale, mark: Mark, y: float) -> None:
    if mark.value is None:
        return
    if mark.interval is not None:
        canvas.line("mline", scale(mark.interval.low), y, scale(mark.interval.high), y)
    canvas.diamond("model", scale(mark.value), y, 5, f"{mark.label}: {short(mark.value)}")


def _row_numbers(model: ModelMarks) -> tuple[object, ...]:
    a, o = model.agreement, model.order
    return (
        model.name,
        *((a.value, *a.ends, a.floor, a.ceiling) if a else (None,) * 5),
        *((o.value, *o.ends) if o else (None,) * 3),
        model.early, model.after,
    )  # fmt: skip
