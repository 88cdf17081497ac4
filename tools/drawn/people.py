"""Figures of agreement with people."""

import math
from collections.abc import Callable

import numpy as np

from concord import stats
from concord.show import people_plots, plots
from concord.show.plots import Mark
from concord.show.svg import Canvas, Picture, Scale
from drawn.shared import WIDTH, Axis, Drawn, agent, agent_table, agents, classics, curves, drawn, stacked

SOURCE = "Data: Peng et al. 2025, Twin-2K-500 mega-study."


def _states(posterior: float, positive: float) -> tuple[float, float, float]:
    """Return up, none, down."""
    return posterior * positive, 1 - posterior, posterior * (1 - positive)


def pas() -> Drawn:
    """Draw PAS as two stacked bars and what they share."""
    tests = [t for t in agent().tests if t.pas is not None and not t.two_states]
    ordered = sorted(tests, key=lambda t: -t.pas)
    unsure = min(tests, key=lambda t: (abs(t.agent_posterior - 0.5) + abs(t.human_posterior - 0.5), t.test))
    picked = [
        ("both sure, and alike", ordered[0]),
        ("unsure", unsure),
        ("both sure, and unlike", ordered[-1]),
    ]
    canvas = Canvas()
    left, wide = 96.0, WIDTH - 156.0
    for i, (kind, words) in enumerate((("up", "effect up"), ("nil", "no effect"), ("down", "effect down"))):
        canvas.rect(kind, left + 120 * i, 4, 12, 12)
        canvas.text(left + 17 + 120 * i, 15, words, kind="s")
    said = []
    for i, (words, test) in enumerate(picked):
        y = 34.0 + 104 * i
        people = _states(test.human_posterior, test.human_prob_positive)
        model = _states(test.agent_posterior, test.agent_prob_positive)
        same = [a * b for a, b in zip(people, model, strict=True)]
        canvas.text(left, y + 8, f"{words}: {test.study}, {test.test}", kind="b", width=wide + 50)
        for row, (who, shares) in enumerate((("people", people), ("model", model), ("the same", same))):
            top = y + 16 + 24 * row
            canvas.text(left - 8, top + 14, who, kind="b" if row == 2 else "", anchor="end")
            names = [f"{share:.2f}" for share in shares]
            stacked(canvas, left, top, wide, list(zip(("up", "nil", "down"), shares, names, strict=True)))
        canvas.rect("edge", left, y + 64, wide * sum(same), 20)
        canvas.text(left + wide + 8, y + 78, f"{sum(same):.2f}", kind="b")
        said.append(f"{test.test}: PAS {sum(same):.2f}")
    canvas.text(left + wide + 8, 42, "PAS", kind="s b")
    title = "PAS: how probable it is that people and model are in the same state"
    picture = Picture("pas", title, f"{title}. {'; '.join(said)}.", WIDTH, 346, str(canvas))
    return Drawn(
        picture,
        "Three tests of one agent (GPT5). Each upper pair of bars is what the data say of people "
        "and of the model; the outlined bar is the sum of the products, colour by colour: the "
        "PAS of the test. " + SOURCE,
    )


def ecs() -> Drawn:
    """Draw effects beside effects."""
    return drawn(
        people_plots.effects_picture(agent(), units=WIDTH),
        "Every test of GPT5: the effect in people across, in the model up. ECS is 1 where all "
        "lie on the dashed line. " + SOURCE,
    )


def apr() -> Drawn:
    """Draw power: how often even a perfect replication passes."""
    sizes = np.geomspace(10, 1000, 60)
    lines = {
        f"d = {d}": [(math.log10(n), float(stats.power_two_sample(d, n, n))) for n in sizes]
        for d in (0.8, 0.5, 0.2)
    }
    marks = [(math.log10(n), str(n)) for n in (10, 30, 100, 300, 1000)]
    picture = curves(
        "apr", "How often a perfect replication passes", lines,
        Axis("participants per group", 1, 3, marks), Axis("probability of p < .05", 0, 1), beside=70,
    )  # fmt: skip
    return Drawn(
        picture,
        "APR of a model that has exactly the human effect d, by its number of participants: a "
        "pass rate below 1 is no proof of disagreement.",
    )


def protocols() -> Drawn:
    """Draw one agent under three protocols."""
    from concord import api

    table = agent_table("GPT5")
    marks = []
    for name in ("standard", "refined", "published"):
        found = api.score_people(table, protocol=name, n_resamples=0, n_simulations=0)
        for metric in ("pas", "ecs", "apr"):
            score = getattr(found, metric)
            marks.append((metric, Mark(f"{metric.upper()}, {name}", score.value, score.interval)))
    ordered = [mark for metric in ("pas", "ecs", "apr") for own, mark in marks if own == metric]
    picture = plots.intervals(
        "protocols", "One table under three protocols", ordered, label="score", limits=(-0.2, 1), width=WIDTH
    )
    return Drawn(
        picture, f"GPT5, 47 tests, scored three times; lines are 95 % over other studies like these. {SOURCE}"
    )


def bayes_factors() -> Drawn:
    """Draw evidence against t."""
    ts = np.linspace(0, 4.5, 80)
    lines = {
        f"n = {n} per group": [(float(t), float(stats.log_bf_t(t, n, n)) / math.log(10)) for t in ts]
        for n in (20, 100, 500)
    }

    def even(canvas: Canvas, x: Scale, y: Scale) -> None:
        canvas.line("ref", x.start, y(0), x.end, y(0))
        canvas.line("ref", x(1.96), y.start, x(1.96), y.end)
        canvas.text(x(1.96) + 4, y.end + 12, "p ≈ .05", kind="s")

    marks = [(k, {-1: "1/10", 0: "1", 1: "10", 2: "100", 3: "1,000", 4: "10,000"}[k]) for k in range(-1, 5)]
    picture = curves(
        "bayes-factors", "The Bayes factor of a two-sample t test", lines, Axis("t", 0, 4.5),
        Axis("times as probable under an effect", -1.4, 4, marks), beside=128, more=even,
    )  # fmt: skip
    return Drawn(
        picture,
        "The same t says less for an effect the more participants it took: at t = 1.96 the data "
        "of 500 per group speak for no effect.",
    )


def uncertainty() -> Drawn:
    """Draw both intervals of every agent."""
    best = sorted(agents().agents, key=lambda one: -one.pas.value)
    marks = [
        Mark(one.name, one.pas.value, other, new)
        for one in best
        if (other := one.pas.interval) is not None and (new := one.pas.new_participants) is not None
    ]
    key = ("95 %: other studies like these", "95 %: new participants")
    picture = plots.intervals(
        "uncertainty", "Two intervals of one number", marks, label="PAS", limits=(0, 1), key=key, width=WIDTH
    )
    return Drawn(
        picture,
        f"Six studies say little about other studies (thin line), much about themselves (pale "
        f"band). {SOURCE}",
    )


def floor_and_ceiling() -> Drawn:
    """Draw scores between what no effect and what a perfect replication would reach."""
    best = sorted(agents().agents, key=lambda one: -one.pas.value)[:8]
    marks = []
    for one in best:
        b = one.pas.bounds
        assert b is not None
        marks.append(Mark(one.name, one.pas.value, one.pas.interval,
                          floor=b.floor.value, ceiling=b.ceiling.value))  # fmt: skip
    picture = plots.intervals(
        "floor-and-ceiling",
        "A score between its floor and its ceiling",
        marks,
        label="PAS",
        limits=(0, 1),
        width=WIDTH,
    )
    return Drawn(
        picture,
        f"Ticks: what models that show no effects score (left) and what perfect replications score "
        f"(right), on the same tests. {SOURCE}",
    )


def diagnosis() -> Drawn:
    """Draw conclusions of people against those of the agent."""
    return drawn(
        people_plots.conclusions_picture(classics()),
        "Tests of the table of classic studies by what people and the agent lead to conclude. The agent is "
        "invented.",
    )


def referee() -> Drawn:
    """Draw effects against what another human study would have given."""
    found = agent()
    tests = [
        t
        for t in found.tests
        if t.human_effect_d is not None and t.agent_effect_d is not None and t.human_effect_se
    ][:14]
    canvas = Canvas()
    scale = Scale(-1.6, 1.6, 210, WIDTH - 12)
    bottom = 34.0 + 20 * len(tests)
    plots.axis(canvas, scale, 26, bottom, "effect, d")
    canvas.line("pband", 212, 12, 240, 12)
    canvas.text(246, 16, "95 % of replications by people", kind="s")
    canvas.diamond("model", 442, 12, 5)
    canvas.text(452, 16, "the model", kind="s")
    inside = 0
    for i, t in enumerate(tests):
        y = 42.0 + 20 * i
        reach = 1.96 * math.hypot(t.human_effect_se, t.agent_effect_se)
        low, high = t.human_effect_d - reach, t.human_effect_d + reach
        inside += low <= t.agent_effect_d <= high
        canvas.text(202, y + 4, t.test, anchor="end", width=196)
        canvas.line("pband", scale(low), y, scale(high), y)
        canvas.circle("human", scale(t.human_effect_d), y, 3)
        canvas.diamond("model", scale(t.agent_effect_d), y, 5)
    title = "Inside the replication interval?"
    said = f"{title} {inside} of {len(tests)} tests of GPT5 lie inside."
    picture = Picture("referee", title, said, WIDTH, bottom + 44, str(canvas))
    return Drawn(
        picture,
        f"{inside} of the first {len(tests)} tests of GPT5 lie where another study with people, "
        f"of the model's size, would be expected. {SOURCE}",
    )


def predicted_effects() -> Drawn:
    """Draw noise in people's effects lowers the correlation of a perfect prediction."""
    ratio = np.linspace(0.05, 3, 60)
    lines = {
        "true r = 1": [(float(q), float(1 / math.sqrt(1 + q * q))) for q in ratio],
        "true r = .7": [(float(q), float(0.7 / math.sqrt(1 + q * q))) for q in ratio],
    }
    picture = curves(
        "predicted-effects", "Noise in people's effects lowers r", lines,
        Axis("standard error of an effect, in SDs of the true effects", 0, 3),
        Axis("r that is seen", 0, 1), beside=86,
    )  # fmt: skip
    return Drawn(
        picture,
        "r = ρ·√(var true/(var true + SE²)): a perfect prediction of effects as large as their "
        "standard errors reaches r = .71. The adjusted r undoes it.",
    )


def answers() -> Drawn:
    """Draw answers of people and of their digital twins."""
    from concord import api
    from concord.show.answers_plots import histograms_picture

    found = api.score_answers("twin-2k-500-answers", n_resamples=20)
    return drawn(
        histograms_picture(found),
        "The outcomes farthest from people: answers of people above the line, of their digital "
        "twins below, in the pale band where another sample of people would end. Data: Peng et al. 2025.",
    )


def mixed() -> Drawn:
    """Draw what predictions are worth in people, by their correlation."""
    rs = np.linspace(0, 0.9, 60)
    lines = {
        words: [(float(r), 100 / (1 - r * r * times / (1 + times)) - 100) for r in rs]
        for times, words in ((100, "100 replies per person"), (10, "10 replies"), (1, "1 reply"))
    }
    picture = curves(
        "mixed", "What a model is worth", lines, Axis("correlation of answers and predictions", 0, 0.9),
        Axis("further people it replaces, for every 100 asked", 0, 420), beside=164,
    )  # fmt: skip
    return Drawn(
        picture,
        "n₀ − n for 100 people. However many replies are bought, little is gained below a "
        "correlation of one half.",
    )


def looks() -> Drawn:
    """Draw the looks at an outcome of people and their digital twins."""
    import polars as pl

    from concord import api
    from concord.show.answers_plots import looks_picture

    answers = pl.read_parquet(api.public_table("twin-2k-500-answers"))
    asked = answers.filter(
        pl.col("outcome") == "Redistribution 1", pl.col("human").is_finite() & pl.col("agent").is_finite()
    ).select(answer="human", prediction="agent")
    low, high = (float(end) for end in np.quantile(asked["answer"].to_numpy(), (0, 1)))
    further = asked[600:].select("prediction")
    found = api.combine_sequential(asked[:60], further, scale_min=low, scale_max=high)
    for start in range(60, 600, 60):
        found = api.combine_sequential(asked[start : start + 60], state=found)
    return drawn(
        looks_picture(found),
        "People with the predictions of digital twins, looked at after every 60 people: the interval "
        "that holds at every look; dashed: that of a single look. Data: Peng et al. 2025.",
    )


def memory() -> Drawn:
    """Draw four cases of two questions."""
    canvas = Canvas()
    left, top, wide, tall = 150.0, 52.0, 190.0, 74.0
    heads = ("agreement survives", "agreement falls")
    rows = ("names the authors", "does not")
    cells = (
        (("no sign of memory", "nil"), ("memory", "model")),
        (("not recognised", "nil"), ("not recognised", "nil")),
    )
    canvas.text(left + wide, 14, "ΔPAS under another surface", kind="s", anchor="middle")
    for j, head in enumerate(heads):
        canvas.text(left + wide * (j + 0.5), 38, head, kind="b", anchor="middle")
    for i, row in enumerate(rows):
        canvas.text(left - 10, top + tall * (i + 0.5) + 4, row, kind="b", anchor="end")
        for j, (words, kind) in enumerate(cells[i]):
            canvas.rect(f"cell {kind}", left + wide * j, top + tall * i, wide, tall,
                        opacity=None if kind == "model" else 0.35)  # fmt: skip
            canvas.text(left + wide * (j + 0.5), top + tall * (i + 0.5) + 4, words,
                        kind="on t" if kind == "model" else "b", anchor="middle")  # fmt: skip
    title = "When memory is said"
    picture = Picture(
        "memory",
        title,
        f"{title}: only where a study is recognised and agreement falls.",
        WIDTH,
        214,
        str(canvas),
    )
    return Drawn(
        picture, "Two questions, one verdict: memory is said only where both answers point the same way."
    )


def read_a_row() -> Drawn:
    """Draw one row of the page with an arrow to each of its parts."""
    pas = agent().pas
    assert pas.bounds is not None and pas.interval is not None and pas.value is not None
    scale = Scale(0, 1, 60, WIDTH - 30)
    canvas, y = Canvas(), 104.0
    floor, ceiling = scale(pas.bounds.floor.value), scale(pas.bounds.ceiling.value)
    canvas.rect("band", floor, y - 22, ceiling - floor, 44)
    plots.axis(canvas, scale, y - 26, y + 26, "probability of the same conclusion as people (PAS)")
    canvas.line("mline", scale(pas.interval.low), y, scale(pas.interval.high), y)
    canvas.circle("model", scale(pas.value), y, 6)
    low, value = scale(pas.interval.low), scale(pas.value)
    notes = (
        (floor, y - 22, 14, floor - 60, "here: a model that shows no effects", "start"),
        (ceiling, y - 22, 14, WIDTH - 4, "here: a rerun with people", "end"),
        (low, y - 4, 36, low + 8, "could be this low", "start"),
        (value, y - 8, 56, value - 8, f"the number: {plots.short(pas.value)}", "end"),
    )
    for x, tip, up, at, words, anchor in notes:
        canvas.text(at, up, words, kind="s", anchor=anchor)
        canvas.line("axis", x, up + (6 if abs(up - 14) < 1 else -8), x, tip - 2)
        canvas.path("axis", [(x - 4, tip - 8), (x, tip - 2), (x + 4, tip - 8)])
    said = "One row of the page: number, interval, and the band from no effects to a rerun with people."
    picture = Picture("read-a-row", "How to read a row", said, WIDTH, y + 68, str(canvas))
    return Drawn(picture, f"GPT5, the first of fifteen designs. {SOURCE}")


FIGURES: dict[str, Callable[[], Drawn]] = {
    "pas": pas, "ecs": ecs, "apr": apr, "protocols": protocols, "bayes-factors": bayes_factors,
    "uncertainty": uncertainty, "floor-and-ceiling": floor_and_ceiling, "diagnosis": diagnosis,
    "referee": referee, "predicted-effects": predicted_effects, "answers": answers, "mixed": mixed,
    "looks": looks, "memory": memory, "read-a-row": read_a_row,
}  # fmt: skip
