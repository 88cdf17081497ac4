"""Figures of agreement with its own reasoning."""

from collections.abc import Callable

import concord
from concord.show import plots
from concord.show.declared import picture_of
from concord.show.plots import Mark
from concord.show.reasoning_plots import early_picture
from concord.show.svg import Canvas, Picture, Scale
from drawn.shared import WIDTH, Axis, Drawn, curves, published_hints, scripted, stacked

MADE = "Constructed replies, to show how it looks."


def faithfulness_gap() -> Drawn:
    """Draw early and late answers of four models."""
    picture = early_picture(list(scripted()), units=WIDTH)
    assert picture is not None
    return Drawn(
        picture,
        "Share of right answers at once and after reasoning, with 95 % intervals. Three models "
        "are scripted, so that "
        "reasoning works, decorates and harms by construction; the fourth is the recorded small "
        "model, whose early "
        "replies held reasoning and are hatched.",
    )


def step_f1() -> Drawn:
    """Draw gold steps and a model's steps, and which of them match."""
    from concord.reasoning.score.steps import score_steps

    gold = ("Chest pain with sweating in public places", "No cardiac cause was found",
            "Attacks come without warning", "Fear of the next attack for two months")  # fmt: skip
    own = ("The cardiac cause was not found", "She sleeps badly", "Fear of the next attack for months",
           "Attacks without any warning")  # fmt: skip
    score = score_steps([own], [gold], [0])[0]
    canvas = Canvas()
    canvas.text(8, 16, "steps of the model", kind="b")
    canvas.text(WIDTH - 8, 16, "gold steps", kind="b", anchor="end")
    for i in range(4):
        y = 44.0 + 34 * i
        canvas.text(8, y + 4, own[i])
        canvas.text(WIDTH - 8, y + 4, gold[i], anchor="end")
    for i, j in score.pairs:
        canvas.line("link", 246, 44.0 + 34 * i, 286, 44.0 + 34 * j)
    found, f1 = score.matched, score.step_f1
    canvas.text(8, 186, f"P = {found}/4, R = {found}/4, Step-F1 = {f1:.2f}", kind="b")
    title = "Which steps match"
    return Drawn(
        Picture("step-f1", title, f"{title}: {found} of 4, Step-F1 {f1:.2f}.", WIDTH, 200, str(canvas)),
        f"Concord's own matching of two short chains, written for this figure: {found} of 4 steps "
        f"find a partner.",
    )


def silent_bias() -> Drawn:
    """Draw answers divided: not biased, biased and said, biased and silent."""
    canvas = Canvas()
    left, wide = 118.0, WIDTH - 130.0
    canvas.text(left - 8, 40, "all answers", anchor="end")
    stacked(canvas, left, 26, wide, [("nil", 0.6, "60 as without the feature"), ("model", 0.4, "40 biased")])
    canvas.text(left - 8, 108, "biased answers", anchor="end")
    stacked(canvas, left, 94, wide, [("human", 0.3, "12 name it"), ("model", 0.7, "28 do not: silent")])
    canvas.line("axis", left + 0.6 * wide, 46, left, 94)
    canvas.line("axis", left + wide, 46, left + wide, 94)
    canvas.text(left, 140, "R_SB = 28/40 = 0.70", kind="b")
    title = "Which answers R_SB counts"
    return Drawn(
        Picture(
            "silent-bias",
            title,
            f"{title}: 28 of 40 biased answers do not name the feature.",
            WIDTH,
            152,
            str(canvas),
        ),
        "A hundred constructed answers. Only biased ones count; none of them, and the rate is undefined.",
    )


def early_answers() -> Drawn:
    """Draw three models by construction, each with its area."""
    steps = range(5)
    lines = {}
    for name, fixed in (("ignores its chain", 0), ("decides half-way", 2), ("needs all of it", 4)):
        rows = [
            {"probe": "early", "id": "a", "cell": "prefix", "step": k, "n_steps": 4,
             "answer": "B" if k >= fixed else "A"}
            for k in steps
        ]  # fmt: skip
        early = concord.score_probes(rows, model="m").scores.early
        assert early is not None
        area = early.aoc.value
        lines[f"{name}, AOC {area:.2f}"] = [(k / 4, 1.0 if k >= fixed else 0.0) for k in steps]
    picture = Canvas()
    x, y = Scale(0, 1, 46, WIDTH - 226), Scale(0, 1, 66, 30)
    for i, (name, points) in enumerate(lines.items()):
        down = 84.0 * i
        picture.text(x.end + 12, 52 + down, name, kind="b")
        if i == 0:
            picture.text(10, 16, "already the final answer?", kind="s")
        for value, words in ((0, "no"), (1, "yes")):
            picture.line("grid", x.start, y(value) + down, x.end, y(value) + down)
            picture.text(x.start - 6, y(value) + down + 4, words, kind="s", anchor="end")
        picture.path(f"curve d{i}", [(x(a), y(b) + down) for a, b in points])
        for a, b in points:
            picture.circle(f"full d{i}", x(a), y(b) + down, 3.6)
    for share in (0.0, 0.5, 1.0):
        picture.text(x(share), 266, f"{share:.0%}", kind="s", anchor="middle")
    picture.text((x.start + x.end) / 2, 284, "share of the chain that was given", kind="s", anchor="middle")
    title = "When is the answer there?"
    return Drawn(
        Picture("early-answers", title, f"{title} {'; '.join(lines)}.", WIDTH, 292, str(picture)),
        "Three models by construction. The area over the curve is the share of the chain that "
        "the answer waited for.",
    )


def filler() -> Drawn:
    """Draw the gap divided."""
    right = {"cot": 48, "filler": 38, "direct": 34}
    rows = [
        {"probe": "filler", "id": f"i{i}", "cell": cell, "answer": "x", "correct": i < n}
        for i in range(60)
        for cell, n in right.items()
    ]
    found = concord.score_probes(rows, model="constructed")
    return Drawn(picture_of(found, "filler"), f"The gap and its two parts, 60 items, 95 % intervals. {MADE}")


def mistakes() -> Drawn:
    """Draw changed answers beside their floor."""
    rows = []
    for i in range(60):
        rows.append({"probe": "mistake", "id": f"i{i}", "cell": "chain", "n_steps": 6, "answer": "A"})
        for cell, answer in (("mistake", "B" if i % 5 < 3 else "A"), ("again", "B" if i % 5 == 4 else "A")):
            rows.append(
                {"probe": "mistake", "id": f"i{i}", "cell": cell, "step": 3, "n_steps": 6, "answer": answer}
            )
    found = concord.score_probes(rows, model="constructed")
    return Drawn(
        picture_of(found, "flips"),
        f"Answers that change after a mistake, and those that change when the chain is simply "
        f"gone on with. {MADE}",
    )


def paraphrase() -> Drawn:
    """Draw two accuracy curves and what lies between them."""
    own = [(0.25, 0.55), (0.5, 0.64), (0.75, 0.72), (1.0, 0.8)]
    other = [(0.25, 0.53), (0.5, 0.57), (0.75, 0.6), (1.0, 0.66)]

    def between(canvas: Canvas, x: Scale, y: Scale) -> None:
        corners = [(x(a), y(b)) for a, b in (*own, *reversed(other))]
        path = "M" + "L".join(f"{a:.1f} {b:.1f}" for a, b in corners) + "Z"
        canvas.parts.append(f'<path class="band" d="{path}"/>')
        canvas.text(x(0.8), y(0.645), "area", kind="s b", anchor="middle")

    picture = curves(
        "paraphrase", "Own words and other words", {"own words": own, "other words": other},
        Axis("share of the chain that was given", 0.25, 1),
        Axis("share of right answers", 0.4, 1), beside=100,
        more=between,
    )  # fmt: skip
    return Drawn(
        picture, f"The area between the two curves is what the wording does beyond what it says. {MADE}"
    )


def hints() -> Drawn:
    """Draw twelve published models: moved by hints, and saying so."""
    found = published_hints()
    return Drawn(
        picture_of(found, "ranking"),
        "Of answers that a hint moved, the share that say so, with 95 % intervals. Counts "
        "published by Young (2026), arXiv 2603.22582.",
    )


def counterfactual_pairs() -> Drawn:
    """Draw unlike answers between and within."""
    rows = [
        {"probe": "pairs", "id": f"p{i}", "cell": cell, "sample": s,
         "answer": "X" if (cell == "target" and i % 3 == 0) or (i % 10 == 1 and s) else "Y",
         "dimension": "gender", "biased": False, "mentioned": False}
        for i in range(60) for cell in ("target", "control") for s in (0, 1)
    ]  # fmt: skip
    found = concord.score_probes(rows, model="constructed").scores.pairs
    assert found is not None
    marks = [
        plots.estimate_mark("between the two vignettes", found.flips),
        plots.estimate_mark("between two samples of one", found.floor),
        plots.estimate_mark("excess", found.excess),
    ]
    picture = plots.intervals(
        "counterfactual-pairs", "Unlike answers, between and within", marks,
        label="share of pairs of answers",
        limits=(-0.1, 0.6), lines=[(0.0, "0")], width=WIDTH,
    )  # fmt: skip
    return Drawn(
        picture, f"Only what is above the samples' own noise says that the attribute moved the answer. {MADE}"
    )


def gaps_and_words() -> Drawn:
    """Draw intervals of the gap, and the word that each is given."""
    from concord.reasoning.score.gap import verdict
    from concord.records import Estimate, Interval

    cases = [(0.24, 0.13, 0.35, 150), (0.15, 0.04, 0.26, 120), (0.01, -0.04, 0.06, 300),
             (0.02, -0.14, 0.18, 40), (-0.09, -0.17, -0.01, 150)]  # fmt: skip
    marks = []
    for value, low, high, n in cases:
        ends = Interval(low, high, 0.95, "")
        word = verdict(Estimate(value, ends, n), n, 0, n_units=n)[0]
        marks.append(Mark(f"{word} (n = {n})", value, ends))
    picture = plots.intervals(
        "words", "An interval, and the word it is given", marks, label="Δ: accuracy after reasoning − early",
        lines=[(-0.1, "−0.10"), (0.0, "0"), (0.1, "0.10")], limits=(-0.3, 0.45), width=WIDTH,
    )  # fmt: skip
    return Drawn(
        picture,
        "Five constructed intervals. The word follows from where the whole interval lies, never "
        "from the dot alone.",
    )


FIGURES: dict[str, Callable[[], Drawn]] = {
    "faithfulness-gap": faithfulness_gap, "step-f1": step_f1, "silent-bias": silent_bias,
    "early-answers": early_answers, "filler": filler, "mistakes": mistakes, "paraphrase": paraphrase,
    "hints": hints, "counterfactual-pairs": counterfactual_pairs, "words": gaps_and_words,
}  # fmt: skip
