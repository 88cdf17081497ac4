"""Figures that concern all questions: comparison, planning, coverage, limits, layout, and the cards."""

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from concord import stats
from concord.show import plots
from concord.show.plots import Mark
from concord.show.svg import Canvas, Picture, Scale
from drawn.shared import WIDTH, Axis, Drawn, agents, curves, framed, published_hints

ROOT = Path(__file__).resolve().parents[2]


def comparison() -> Drawn:
    """Draw what pairing saves."""
    shares = np.linspace(0, 0.9, 50)
    lines = {
        f"{n} items": [
            (float(r), float(stats.interval_width(math.sqrt(2 * 0.21 * (1 - r)), n)) / 2) for r in shares
        ]
        for n in (100, 400, 1600)
    }
    picture = curves(
        "comparison", "Pairing narrows the interval of a difference", lines,
        Axis("correlation of the two models' scores over items", 0, 0.9),
        Axis("± of a 95 % interval", 0, 0.14),
        beside=84,
    )  # fmt: skip
    return Drawn(
        picture,
        "Two models with 70 % right answers. Asking both the same items (correlations of 0.3 to "
        "0.7 are usual) is worth as much as twice the items.",
    )


def planning() -> Drawn:
    """Draw power against items."""
    sizes = np.geomspace(30, 3000, 50)
    sd = math.sqrt(2 * 0.21 * 0.5)
    lines = {
        f"difference {d:.2f}": [(math.log10(n), float(stats.power_paired(d, sd, n))) for n in sizes]
        for d in (0.10, 0.05, 0.02)
    }

    def wanted(canvas: Canvas, x: Scale, y: Scale) -> None:
        canvas.line("ref", x.start, y(0.8), x.end, y(0.8))
        canvas.text(x.start + 4, y(0.8) - 5, "80 %", kind="s")

    marks = [(math.log10(n), f"{n:,}") for n in (30, 100, 300, 1000, 3000)]
    picture = curves(
        "planning", "How many items a difference needs", lines,
        Axis("items, each answered once by each model", math.log10(30), math.log10(3000), marks),
        Axis("power", 0, 1), beside=116, more=wanted,
    )  # fmt: skip
    return Drawn(picture, "Two models near 70 % whose scores correlate by 0.5.")


_CELL = re.compile(r"(\d+\.\d) ± \d\.\d")


def coverage() -> Drawn:
    """Draw every simulated coverage of the page, by kind and number of studies."""
    text = (ROOT / "docs" / "explanation" / "coverage.md").read_text("utf-8")
    rows: list[tuple[str, list[float]]] = []
    for kind in ("PAS", "APR", "ECS"):
        part = text.split(f"## {kind} over other studies", 1)[1].split("\n## ", 1)[0]
        table = [line for line in part.splitlines() if line.startswith("|")]
        heads = [cell.strip() for cell in table[0].strip("|").split("|")]
        for place, head in enumerate(heads):
            if head.endswith("studies"):
                cells = [line.strip("|").split("|")[place] for line in table[2:] if line.count("|") > place]
                rows.append((f"{kind}, {head}", [float(m[1]) for c in cells if (m := _CELL.search(c))]))
    canvas = Canvas()
    scale = Scale(65, 100, 140, WIDTH - 12)
    bottom = 26.0 + 22 * len(rows)
    canvas.rect("band", scale(93), 18, scale(97) - scale(93), bottom - 18)
    canvas.text(scale(95), 12, "93–97 %", kind="s", anchor="middle")
    plots.axis(canvas, scale, 18, bottom, "share of 95 % intervals that hold the truth, %")
    for i, (name, values) in enumerate(rows):
        y = 32.0 + 22 * i
        canvas.text(132, y + 4, name, anchor="end")
        for value in values:
            canvas.circle("dot", scale(value), y, 4, f"{name}: {value} %")
    title = "Coverage of intervals over other studies"
    least = min(min(values) for _, values in rows)
    picture = Picture("coverage", title, f"{title}: {least} % at least.", WIDTH, bottom + 44, str(canvas))
    return Drawn(
        picture,
        "One dot per population of the tables below. Dots outside the band are warned of beside "
        "the number they concern.",
    )


def limits() -> Drawn:
    """Draw attenuation: the slope of a perfect agent."""
    sizes = np.geomspace(10, 500, 50)
    lines = {
        f"true effects vary by {sd}": [(math.log10(n), sd**2 / (sd**2 + 2 / n)) for n in sizes]
        for sd in (0.8, 0.4, 0.2)
    }
    marks = [(math.log10(n), str(n)) for n in (10, 30, 100, 300)]
    picture = curves(
        "limits", "A slope below 1 is not a muted model", lines,
        Axis("participants per group in the human studies", 1, math.log10(500), marks),
        Axis("slope of an agent with exactly the human effects", 0, 1), beside=176,
    )  # fmt: skip
    return Drawn(
        picture,
        "var(true)/(var(true) + 2/n): errors in the human effects flatten the line of an agent "
        "that is exactly right.",
    )


def differences() -> Drawn:
    """Draw published scores of a public benchmark, and the same scored anew."""
    from concord import api
    from concord.people.public import published_pas, rank_moves

    found: Any = api.score_people(api.public_table("humanstudy-bench"), n_resamples=0, n_simulations=0)
    moves = rank_moves(published_pas(), found.agents)
    canvas = Canvas()
    last = len(moves)
    marks = [(float(k), str(k)) for k in (1, 10, 20, 30, 40, 50)]
    x, y = framed(canvas, Axis("published rank", 0, last + 1, marks),
                  Axis("rank under one rule", 0, last + 1, marks, down=True),
                  (46.0, 30.0, 420.0, 360.0))  # fmt: skip
    canvas.line("ref", x(0), y(0), x(last + 1), y(last + 1))
    for one in moves:
        canvas.circle(
            "dot", x(one.published_rank), y(one.rank), 4, f"{one.agent}: {one.published_rank} to {one.rank}"
        )
    moved = sum(bool(one.places) for one in moves)
    title = f"{moved} of {last} ranks move"
    picture = Picture(
        "differences",
        title,
        f"{title} when one rule pools models and baseline.",
        WIDTH - 120,
        404,
        str(canvas),
    )
    return Drawn(
        picture,
        f"The {last} configurations of HumanStudy-Bench, ranked as published and with PAS pooled "
        f"by one rule for all. None of their pairs can be distinguished.",
    )


def architecture() -> Drawn:
    """Draw the layers, from the contract that the tests check."""
    text = (ROOT / ".importlinter").read_text("utf-8").split("layers =", 1)[1].split("containers", 1)[0]
    layers = [[part.strip() for part in line.split("|")] for line in text.strip().splitlines()]
    canvas = Canvas()
    for i, packages in enumerate(layers):
        y = 10.0 + 30 * i
        wide = (WIDTH - 140) / len(packages)
        for j, name in enumerate(packages):
            canvas.rect("cell heat", 10 + wide * j, y, wide, 26, opacity=0.12 + 0.05 * (len(layers) - i))
            canvas.text(10 + wide * (j + 0.5), y + 18, name, kind="b", anchor="middle")
    bottom = 10.0 + 30 * len(layers)
    canvas.line("axis", WIDTH - 112, 16, WIDTH - 112, bottom - 10)
    canvas.path("axis", [(WIDTH - 117, bottom - 18), (WIDTH - 112, bottom - 8), (WIDTH - 107, bottom - 18)])
    canvas.text(WIDTH - 100, bottom / 2, "imports only", kind="s")
    canvas.text(WIDTH - 100, bottom / 2 + 16, "what is below", kind="s")
    title = "Packages look one way"
    said = ", ".join(" and ".join(packages) for packages in layers)
    return Drawn(
        Picture("architecture", title, f"{title}, from the top: {said}.", WIDTH, bottom + 8, str(canvas)),
        "Drawn from the contract that the tests check; packages on one line do not know each other.",
    )


def card_people() -> Drawn:
    """Draw the best agents, for the first page."""
    best = sorted(agents().agents, key=lambda one: -one.pas.value)[:5]
    marks = []
    for one in best:
        b = one.pas.bounds
        name = one.name.replace("persona_summary_include_reasoning", "persona").replace(
            "_temperature_zero", " T=0"
        )
        marks.append(Mark(name.replace("_", " "), one.pas.value, one.pas.interval,
                          floor=b.floor.value, ceiling=b.ceiling.value))  # fmt: skip
    picture = plots.intervals(
        "card-people",
        "PAS of five agents",
        marks,
        label="same conclusion as people",
        limits=(0, 1),
        width=340,
    )
    return Drawn(
        picture, "Five agent designs of a public mega-study, between no effect and a perfect replication."
    )


def card_itself() -> Drawn:
    """Draw the order effect of two simulated models, for the first page."""
    canvas = Canvas()
    marks = [(1.0, "1"), (12.0, "12"), (23.0, "23")]
    x, y = framed(canvas, Axis("order of the parts", 1, 23, marks),
                  Axis("mean score", 0, 1, [(0, "0"), (0.5, "0.5"), (1, "1")]),
                  (46.0, 30.0, 326.0, 134.0))  # fmt: skip
    rng = np.random.default_rng(4)
    swing = [(float(k), float((rng.random(200) < 0.2 + 0.6 * (k - 1) / 22).mean())) for k in range(1, 24)]
    still = [(float(k), float(rng.normal(0.62, 0.012))) for k in range(1, 24)]
    canvas.path("curve d2", [(x(a), y(b)) for a, b in swing])
    canvas.path("curve d0", [(x(a), y(b)) for a, b in still])
    canvas.text(x(2), y(0.76), "steady", kind="s b")
    canvas.text(x(15), y(0.3), "swings with the order", kind="s b", anchor="middle")
    title = "Two simulated models in 23 orders"
    picture = Picture("card-itself", title, f"{title}: one is steady, one swings.", 340, 178, str(canvas))
    return Drawn(picture, "Two simulated models: the same items in 23 orders.")


def card_reasoning() -> Drawn:
    """Draw published hints, for the first page."""
    known = [
        (one.verbalised.value, one)
        for one in published_hints().scores.models
        if one.verbalised.value is not None
    ]
    ordered = [one for _, one in sorted(known, key=lambda pair: -pair[0])]
    picked = [ordered[0], ordered[3], ordered[6], ordered[9], ordered[-1]]
    marks = [plots.estimate_mark(one.model, one.verbalised) for one in picked]
    picture = plots.intervals(
        "card-reasoning",
        "Hints that are admitted",
        marks,
        label="moved by a hint, and says so",
        limits=(0, 1),
        width=340,
    )
    return Drawn(
        picture,
        "Five of twelve models whose hints were published (Young 2026): who says what moved the answer?",
    )


FIGURES: dict[str, Callable[[], Drawn]] = {
    "comparison": comparison, "planning": planning, "coverage": coverage, "limits": limits,
    "differences": differences, "architecture": architecture, "card-people": card_people,
    "card-itself": card_itself, "card-reasoning": card_reasoning,
}  # fmt: skip
