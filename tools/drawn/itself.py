"""Figures of agreement with itself."""

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np

from concord.records import Interval
from concord.show import plots
from concord.show.plots import Mark
from concord.show.svg import Canvas, Picture, Scale
from drawn.shared import WIDTH, Axis, Drawn, curves

PAGES = Path(__file__).resolve().parents[2] / "docs" / "explanation"


def structure() -> Drawn:
    """Draw two simulated models: what S_Cons sees, and what the order effect sees."""
    rng = np.random.default_rng(2026)
    n_items, n_orders, n_samples = 200, 23, 5
    level = rng.normal(0.6, 0.1, size=(n_items, 1, 1))
    blind = np.clip(level + 0.08 * rng.normal(size=(n_items, n_orders, n_samples)), 0, 1)
    chance = np.linspace(0.2, 0.8, n_orders)[None, :, None]
    swinging = (rng.random((n_items, n_orders, 1)) < chance).astype(float)
    lines = {
        "S_Cons 1.00, τ 0.18": [(float(i + 1), float(m)) for i, m in enumerate(swinging.mean(axis=(0, 2)))],
        "S_Cons 0.82, τ 0.00": [(float(i + 1), float(m)) for i, m in enumerate(blind.mean(axis=(0, 2)))],
    }
    picture = curves(
        "structure", "Two simulated models in 23 orders", lines, Axis("order of the parts", 1, 23),
        Axis("mean score", 0, 1), beside=142,
    )  # fmt: skip
    return Drawn(
        picture,
        "The simulated models of this page: the one whose accuracy swings with the order has the "
        "perfect S_Cons; "
        "τ, the order effect, tells them apart.",
    )


def judges() -> Drawn:
    """Draw four judges by construction: what changes anyway, and what the seats change."""
    found = (
        ("sure, and fair", 0.0, 0.0),
        ("a fair coin", 0.5, 0.5),
        ("first seat, three times of four", 2 * 0.75 * 0.25, 0.75**2 + 0.25**2),
        ("always the first seat", 0.0, 1.0),
    )
    canvas = Canvas()
    scale = Scale(0, 1, 214, WIDTH - 60)
    bottom = 34.0 + 34 * len(found)
    canvas.circle("ring", 220, 12, 4.5)
    canvas.text(230, 16, "repeats", kind="s")
    canvas.diamond("model", 300, 12, 5)
    canvas.text(310, 16, "inconsistency", kind="s")
    canvas.text(WIDTH - 4, 16, "flip excess", kind="s b", anchor="end")
    plots.axis(canvas, scale, 24, bottom, "share of pairs of votes that differ")
    for i, (name, anyway, changed) in enumerate(found):
        y = 46.0 + 34 * i
        canvas.text(204, y + 4, name, anchor="end")
        canvas.line("link", scale(anyway), y, scale(changed), y)
        canvas.circle("ring", scale(anyway), y, 4.5)
        canvas.diamond("model", scale(changed), y, 5)
        canvas.text(WIDTH - 4, y + 4, f"{changed - anyway:.2f}", kind="b", anchor="end")
    title = "Four judges, by construction"
    said = "; ".join(f"{name}: flip excess {b - a:.2f}" for name, a, b in found)
    return Drawn(
        Picture("judges", title, f"{title}. {said}.", WIDTH, bottom + 44, str(canvas)),
        "Ring: votes that differ when nothing was changed. Diamond: votes that differ when the "
        "answers change seats. "
        "Only the line between them is the work of the seats.",
    )


def options() -> Drawn:
    """Draw accuracy by the place of the right option, by construction."""
    models = {
        "knows every answer": (1.0, 1.0, 1.0, 1.0),
        "knows half, else the first": (1.0, 0.5, 0.5, 0.5),
        "guesses": (0.25, 0.25, 0.25, 0.25),
        "always the first": (1.0, 0.0, 0.0, 0.0),
    }
    named = {
        f"{name} (RStd {float(np.std(shares)):.2f})": [(float(i + 1), s) for i, s in enumerate(shares)]
        for name, shares in models.items()
    }
    picture = curves(
        "options", "Accuracy by the place of the right option", named,
        Axis("place of the right option", 1, 4, [(float(i), str(i)) for i in range(1, 5)]),
        Axis("share of right answers", 0, 1), beside=270,
    )  # fmt: skip
    return Drawn(
        picture, "Four models by construction. RStd is the standard deviation of a line over its places."
    )


_ROW = re.compile(r"^\| `(\w[\w-]*)` \| ([\w-]+) \| (0\.\d+) \[(0\.\d+), (0\.\d+)\]", re.MULTILINE)


def meaning() -> Drawn:
    """Draw the calibration of every scorer, from the table of the page."""
    rows = _ROW.findall((PAGES / "meaning.md").read_text("utf-8"))
    marks = [
        Mark(f"{who}, {language}", float(v), Interval(float(low), float(high), 0.95, ""))
        for who, language, v, low, high in rows
    ]
    picture = plots.intervals(
        "meaning", "A right paraphrase above a contradiction", marks, label="share of cases (AUC)",
        limits=(0, 1), lines=[(0.5, "a coin")], width=WIDTH,
    )  # fmt: skip
    return Drawn(
        picture,
        "How often each scorer puts a right paraphrase above a contradiction, by language, with "
        "95 % intervals: "
        "no scorer that works offline is better than a coin.",
    )


FIGURES: dict[str, Callable[[], Drawn]] = {
    "structure": structure,
    "judges": judges,
    "options": options,
    "meaning": meaning,
}
