"""What the figures share: curves with their names beside them, stacked bars, and results computed once."""

import functools
import json
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import concord
from concord.reasoning.hints.leaderboard import HintLeaderboard
from concord.show.plots import axis, ticks
from concord.show.svg import Canvas, Picture, Scale

WIDTH = 560.0


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture with what is written below it."""

    picture: Picture
    caption: str


@dataclass(frozen=True, slots=True)
class Axis:
    """An axis: what it measures, between which numbers, and the marks where they are not the usual ones."""

    label: str
    low: float
    high: float
    marks: Sequence[tuple[float, str]] = ()
    down: bool = False
    """Whether numbers grow downwards, as ranks do."""


def drawn(picture: Picture | None, caption: str) -> Drawn:
    """Return a picture with its words; a picture that does not exist is a fault of the site."""
    if picture is None:
        raise ValueError(f"there is nothing to draw for: {caption}")
    return Drawn(picture, caption)


@functools.cache
def agents() -> Any:
    """Return the fifteen agents of the public mega-study, scored."""
    from concord import api

    return api.score_people(api.public_table("twin-2k-500"), n_resamples=100, n_simulations=200)


@functools.cache
def agent(name: str = "GPT5") -> Any:
    """Return one of them alone, with its tests."""
    return agents()[name]


@functools.cache
def agent_table(name: str) -> Any:
    """Return the table of tests of one of them."""
    from concord import api
    from concord.people.table.agents import read_agents

    found = read_agents(api.public_table("twin-2k-500"))
    assert isinstance(found, dict)
    return found[name]


@functools.cache
def published_hints() -> HintLeaderboard:
    """Return the published counts of twelve models, scored."""
    found = concord.score_hints("published")
    assert isinstance(found, HintLeaderboard)
    return found


@functools.cache
def classics() -> Any:
    """Return the bundled table of classic studies, whose agent is invented, scored."""
    from concord import api

    return api.score_people(api.demo_table(), n_resamples=0, n_simulations=0)


@functools.cache
def recorded(question: str) -> Any:
    """Return the recorded replies of the embedded model, scored."""
    from concord.asking import runs

    return runs.score_bundled(question)


def framed(
    canvas: Canvas, across: Axis, up: Axis, box: tuple[float, float, float, float]
) -> tuple[Scale, Scale]:
    """Draw two axes around a box (left, top, right, bottom) and return the ways to it."""
    left, top, right, bottom = box
    x = Scale(across.low, across.high, left, right)
    y = Scale(up.low, up.high, *((top, bottom) if up.down else (bottom, top)))
    if across.marks:
        for value, words in across.marks:
            canvas.line("grid", x(value), top, x(value), bottom)
            canvas.text(x(value), bottom + 16, words, kind="s", anchor="middle")
        canvas.line("axis", left, bottom, right, bottom)
        canvas.text((left + right) / 2, bottom + 34, across.label, kind="s", anchor="middle")
    else:
        axis(canvas, x, top, bottom, across.label)
    for value, words in up.marks or [
        (tick, f"{tick:g}".replace("-", "−")) for tick in ticks(up.low, up.high)
    ]:
        canvas.line("grid", left, y(value), right, y(value))
        canvas.text(left - 6, y(value) + 4, words, kind="s", anchor="end")
    canvas.text(left - 36, top - 10, up.label, kind="s")
    return x, y


def curves(
    name: str,
    title: str,
    lines: Mapping[str, Sequence[tuple[float, float]]],
    across: Axis,
    up: Axis,
    *,
    height: float = 250.0,
    beside: float = 120.0,
    more: Callable[[Canvas, Scale, Scale], None] | None = None,
) -> Picture:
    """Draw curves, each with its name at its end."""
    canvas = Canvas()
    x, y = framed(canvas, across, up, (46.0, 30.0, WIDTH - beside, height - 44))
    if more is not None:
        more(canvas, x, y)
    ends = sorted(
        (y(points[-1][1]), y(points[len(points) // 2][1]), label) for label, points in lines.items()
    )  # of curves that end alike the higher one first
    places: dict[str, float] = {}
    free = -100.0
    for place, _, label in ends:  # names keep apart from one another
        free = max(place, free + 16)
        places[label] = free
    for i, (label, points) in enumerate(lines.items()):
        canvas.path(f"curve d{min(i, 3)}", [(x(a), y(b)) for a, b in points])
        canvas.text(x(points[-1][0]) + 6, places[label] + 4, label, kind="s b")
    said = "; ".join(
        f"{label}: from {points[0][1]:.2g} to {points[-1][1]:.2g}" for label, points in lines.items()
    )
    return Picture(name, title, f"{title}. {said}.", WIDTH, height, str(canvas))


def stacked(canvas: Canvas, x: float, y: float, wide: float, parts: Sequence[tuple[str, float, str]], *,
            tall: float = 20.0) -> None:  # fmt: skip
    """Draw shares one after another: kind, share, and what is inside where there is room."""
    at = x
    for kind, share, words in parts:
        canvas.rect(f"cell {kind}", at, y, wide * share, tall)
        if words and wide * share > 8.0 * len(words) + 4:
            canvas.text(at + wide * share / 2, y + tall / 2 + 4, words, kind="on t", anchor="middle")
        at += wide * share


SCRIPTS = {
    "scripted: reasoning works": (0.40, 0.85),
    "scripted: decoration": (0.70, 0.70),
    "scripted: reasoning harms": (0.85, 0.45),
}
"""Model: how often it is right at once, and after reasoning."""


@functools.cache
def scripted() -> tuple[Any, ...]:
    """Return results about the reasoning of one recorded and three scripted models."""
    from concord import api
    from concord.reasoning.words.names import SAMPLES

    samples = json.loads(Path(str(SAMPLES)).read_text("utf-8"))["samples"]
    made = [
        api.score_reasoning(samples, _script(samples, skills, seed), model=name)
        for seed, (name, skills) in enumerate(SCRIPTS.items(), 1)
    ]
    return recorded("reasoning"), *made


def _script(samples: list[dict[str, Any]], skills: tuple[float, float], seed: int) -> list[dict[str, str]]:
    """Make replies that are right with one probability at once and with another after reasoning."""
    rng = random.Random(seed)
    labels = sorted({sample["gold_answer"] for sample in samples})
    rows = []
    for sample in samples:
        for mode, skill in zip(("direct", "cot"), skills, strict=True):
            answer = sample["gold_answer"] if rng.random() < skill else rng.choice(labels)
            steps = " ".join(f"{i}. {step}" for i, step in enumerate(sample["gold_reasoning"], 1))
            reasoning = f"REASONING: {steps}\n" if mode == "cot" else ""
            rows.append({"id": sample["id"], "mode": mode, "response": f"{reasoning}DIAGNOSIS: {answer}"})
    return rows
