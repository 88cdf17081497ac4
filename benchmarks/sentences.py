"""How often the other sentences are false, and how often missed: `python benchmarks/claims.py words`.

Every simulation is one that the tests of Concord repeat in small (`module:function`, called with the number
of data sets where RUNS stands), or one of the functions below. A rate is that of printing the sentence where
it is false (`false`), or of not printing it where it is true (`missed`).
"""

import importlib
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
RUNS = object()
"""Stands for the number of data sets."""


@dataclass(frozen=True, slots=True)
class Simulated:
    """One population of one sentence."""

    sentence: str
    cell: str
    side: str
    """``false`` or ``missed``."""
    source: str
    """``module:function``; a module of `tests`, or ``:function`` of this file."""
    args: tuple[Any, ...]
    pick: Any = None
    """Which part of what it returns is the rate; ``count`` divides by the number of data sets."""
    share: float = 1.0
    """Of the data sets of the command, where one takes long."""
    options: tuple[tuple[str, Any], ...] = ()

    def rate(self, runs: int) -> tuple[float, int]:
        """Return the rate and the number of data sets behind it."""
        n = max(2, round(runs * self.share))
        module, name = self.source.split(":")
        function = globals()[name] if not module else getattr(tests_module(module), name)
        given = [n if one is RUNS else one for one in self.args]
        found = function(*given, **{key: n if one is RUNS else one for key, one in self.options})
        for part in self.pick if isinstance(self.pick, tuple) else () if self.pick is None else (self.pick,):
            found = found / n if part == "count" else found[part]
        return (1 - float(found) if self.side == "missed" else float(found)), n


def tests_module(name: str) -> Any:
    """Import a module of the tests, also where nothing but what Concord needs is installed."""
    if str(ROOT) not in sys.path:
        sys.path.insert(0, str(ROOT))
    try:
        import pytest  # noqa: F401
    except ImportError:
        sys.modules["pytest"] = _no_pytest()
    return importlib.import_module(f"tests.{name}")


def _no_pytest() -> Any:
    """Return what stands for pytest where only the functions of a module of tests are called."""

    class Any_(SimpleNamespace):
        def __getattr__(self, name: str) -> "Any_":
            return Any_()

        def __call__(self, *given: Any, **named: Any) -> Any:
            alone = len(given) == 1 and not named and callable(given[0]) and not isinstance(given[0], Any_)
            return given[0] if alone else Any_()

    return Any_()


def none_replicate(runs: int, n: int) -> float:
    """Share of effects of d = 0.5 on both sides, significant for people, that do not replicate."""
    claims = tests_module("people.results.test_people_claims")
    found = claims.verdicts("t-independent", 0.5, 0.5, runs, n)
    return float(claims.share(found, "does not replicate", "replicates"))


def replicate(runs: int, n: int) -> float:
    """Share of effects of d = 0.5 on both sides, significant for people, that replicate."""
    return 1 - none_replicate(runs, n)


def only_model(runs: int, n: int) -> float:
    """Share of agents with d = 0.5, where people have no effect, that are said to have one alone."""
    claims = tests_module("people.results.test_people_claims")
    found = claims.verdicts("t-independent", 0.0, 0.5, runs, n)
    return float(claims.share(found, "effect only in the model", "no effect in either"))


def turned(runs: int, effects: int, reversed_: bool) -> float:
    """Share of agents without effects, or of ones turned round, of which most effects are said to be so."""
    from scipy.stats import t as student

    from concord.people.words import turned_words

    claims = tests_module("people.simulated_agents")
    rng = np.random.default_rng([runs, effects])
    n, hits = 60, 0
    border = float(student.ppf(0.975, 2 * n - 2))
    for _ in range(runs):
        t = claims.seen(rng, np.full(effects, -0.8 if reversed_ else 0.0), n)
        hits += bool(turned_words([bool(one < -border) for one in t]))
    return hits / runs


def placed(runs: int, follows: float, n: int, word: str) -> float:
    """Share of agents that follow people in so many tests of which the word for their place is said."""
    claims = tests_module("people.results.test_people_claims")
    found = claims.place_claims(follows, max(2, runs // 4), n, tables=4)
    return float(found[getattr(claims, word)] / found.total())


def needless(runs: int) -> float:
    """Share of warnings about coding where no coding moves ECS by half the threshold."""
    warned, wrong = tests_module("people.results.test_people_claims").needless_warnings(runs)
    return float(wrong / max(1, warned))


@cache
def predicted(runs: int, studies: str, factor: float) -> tuple[float, float]:
    """Share of agents told to differ in size, and of pairs in error; the first is so much larger."""
    from concord.people.differences import ALPHA
    from concord.people.predictions.result import size_words
    from concord.people.predictions.score import score_predictions
    from concord.people.predictions.table import read_predictions

    rng, sizes, errors = np.random.default_rng(runs), 0, 0
    truth = tests_module("people.predictions.test_claims").TRUTHS[studies]
    for _ in range(runs):
        rows = truth.rows(rng, 2)
        for row in rows:
            row["agent_estimate"] *= factor if row["agent"] == "a0" else 1
        found = score_predictions(read_predictions(rows))
        error = next(row for row in found.differences if row.metric == "rmse")
        errors += error.p_holm is not None and error.p_holm < ALPHA
        sizes += size_words(found.agents[0]).startswith("Its effects are")
    return sizes / runs, errors / runs


def varied(runs: int, n: int) -> float:
    """Share of agents with half the variance of people of which too little is said."""
    claims, rng = tests_module("people.answers.test_claims"), np.random.default_rng([runs, n])
    pairs = ((np.sqrt(0.5) * rng.normal(size=n), rng.normal(size=n)) for _ in range(runs))
    return float(np.mean(["too little" in claims.said_of(*pair) for pair in pairs]))


def remembered(runs: int, from_memory: bool) -> float:
    """Share of models, six studies and variants, that are called memory."""
    claims, rng = tests_module("people.memory.test_memory"), np.random.default_rng(runs)
    hits = 0
    for _ in range(runs):
        base, noise = rng.beta(6, 2, 6), rng.normal(0, 0.1, (2, 6))
        sides = (0.9, base - 0.3) if from_memory else (base, base)
        hits += (
            claims._result(*(side + own for side, own in zip(sides, noise, strict=True))).verdict
            == claims.MEMORY
        )
    return hits / runs


def replication_factor(runs: int, n: int, above: bool, true: float) -> float:
    """Share of replication Bayes factors above 3, or below 1/3, of agents with a true effect."""
    from concord.stats.replication import log_bf_replication

    rng = np.random.default_rng([runs, n, above])
    se = np.sqrt(2 / n)
    people = 0.5 + se * rng.standard_normal(40 * runs)
    people = people[np.abs(people) > 1.96 * se][:runs]
    agent = true + se * rng.standard_normal(people.size)
    found = np.asarray(log_bf_replication(people, np.full(people.size, se), agent, np.full(people.size, se)))
    return float(np.mean(found > np.log(3)) if above else np.mean(found < -np.log(3)))


def moved(runs: int, n: int, points: float, slope: float, what: str) -> float:
    """Share of models whose mean score, or whose answers, the order moves, of which that is said."""
    claims, rng = tests_module("structure.score.test_claims"), np.random.default_rng([runs, n])
    accuracy = 0.6 + points * np.linspace(-1, 1, claims.P)
    hits = 0
    for _ in range(runs):
        data = claims.answered(rng, n, accuracy, slope).counted("m")
        if what == "means":
            p = claims.order_effect(data.mean).p_value
            hits += p is not None and p < 0.05
        else:
            interval = claims.flip_estimate(data.flips, data, 0.95).interval
            hits += interval is not None and interval.low > 0
    return hits / runs


@cache
def models_differ(runs: int, n: int, first: str, second: str) -> Any:
    """Share of pairs of models said to differ in each number: steady, moved by the order, never varying."""
    claims, rng = tests_module("structure.score.test_claims"), np.random.default_rng([runs, n])
    hits = np.zeros(3)
    for r in range(runs):
        models = {"a": _model(claims, rng, n, first, "a"), "b": _model(claims, rng, n, second, "b")}
        parts = claims.ResampledModels(claims.ScoreOptions("paired"), claims.ItemWeights(r, 200))
        found = claims.compared_models("a", "b", models, parts).order_p_values
        hits += [p is not None and p < 0.05 for p in found]
    return hits / runs


def _model(claims: Any, rng: np.random.Generator, n: int, kind: str, name: str) -> Any:
    if kind == "never varies":
        right = np.broadcast_to((rng.random((n, 1, 1)) < 0.6), (n, claims.P, claims.K))
        return claims.Answers(right).counted(name)
    return claims.answered(rng, n, claims.MOVED if kind == "moved" else claims.STEADY).counted(name)


def gated(runs: int, n: int) -> float:
    """Share of guessing models of which nothing is read."""
    return 1 - float(tests_module("structure.score.test_claims").gate_misses(runs, n))


def unlike_predictions(runs: int, shift: float, skewed: bool) -> float:
    """Share of tables whose further predictions differ so far from people's that are said to be unlike."""
    from concord.people.mixed.combine import combine

    rng, hits = np.random.default_rng([runs, skewed]), 0
    for _ in range(runs):
        f = rng.exponential(size=1200) if skewed else rng.standard_normal(1200)
        y = 0.6 * f[:200] + 0.8 * rng.standard_normal(200)
        people = [{"answer": float(a), "prediction": float(b)} for a, b in zip(y, f[:200], strict=True)]
        more = [{"prediction": float(one + shift)} for one in f[200:]]
        hits += "give no unbiased estimate" in combine(people, more).sentence
    return hits / runs


def compared_items(runs: int, kind: str, n: int, shift: float) -> float:
    """Share of pairs of models of which one is said to score higher; the second is shifted."""
    from concord.stats.compare import Choices, compare_items

    claims, rng = tests_module("comparing.test_claims"), np.random.default_rng([runs, n, len(kind)])
    hits = 0
    for _ in range(runs):
        first, second = claims.KINDS[kind](rng, n)
        if kind == "right or wrong" and shift:
            second = np.where(rng.random(n) < shift / 0.4, 1.0, second)
        elif shift:
            second = second + shift
        p = compare_items(first, second, choices=Choices(n_flips=999)).p_value
        hits += p is not None and p < 0.05
    return hits / runs


def called_words(runs: int, shared: float) -> float:
    """Share of scorers, by chance or partly by shared characters, that are said to measure shared words."""
    from concord.structure.words.judged import calibrate, calibration_words
    from concord.structure.words.scorers import chrf

    rng, known = np.random.default_rng(runs), cache(chrf)
    shares = np.array([shared, 1 - shared])
    said = [
        calibration_words(calibrate("coin", lambda a, b: float(shares @ [known(a, b), rng.random()]), "en"))
        for _ in range(runs)
    ]
    return float(np.mean(["measures shared words, not meaning" in one for one in said]))


def moved_probe(runs: int, name: str, n: int) -> float:
    """Share of agents that an intervention moves of which that is said."""
    claims, made = tests_module(PROBES), tests_module("reasoning.probes.scripted")

    def claim(rng: np.random.Generator, n: int) -> bool:
        if name == "mistake":
            verdict = claims.score_mistake(made.FollowsMistakes(q=0.4, r=0.2).rows(rng, n)).verdict
        elif name == "attribute":
            verdict = claims.score_pairs(made.Pairs(0.6, 0.3).rows(rng, n)).verdict
        elif name == "hint":
            verdict = claims.score_hint_rows(made.Hinted(p=0.3, p0=0.15).rows(rng, n)).kinds[0].verdict
        else:
            verdict = claims.score_paraphrase(made.Rewords(0.8, 0.6).rows(rng, n)).verdict
        return bool(verdict in (claims.FOLLOWS, "the wording matters"))

    return float(claims.share_claimed(claim, n, runs))


def verdicts_on_gap(runs: int, word: str, n: int, shares: tuple[float, float, float]) -> float:
    """Share of sets of which a verdict on the gap is printed; pairs right in both, after reasoning, early."""
    return float(tests_module("reasoning.score.test_claims").share_claimed(word, n, shares, runs, seed=runs))


PEOPLE, ITSELF = "people.results.test_people_claims", "structure.score.test_claims"
ANSWERS, PROBES = "people.answers.test_claims", "reasoning.probes.test_claims"
SIZES = (15, 40, 150)


def simulated() -> Iterator[Simulated]:
    """Return every population of every sentence."""
    yield from _of_people()
    yield from _of_other_tables()
    yield from _of_structure()
    yield from _of_judges_and_options()
    yield from _of_several()
    yield from _of_reasoning()
    yield from _of_items()


def _of_people() -> Iterator[Simulated]:
    for kind in ("t-independent", "correlation", "chi-square", "binomial"):
        for pick, sentence in enumerate(("*replicates*", "*effect only in the model*")):
            yield Simulated(
                sentence, f"{kind}, 60 per group", "false", f"{PEOPLE}:false_verdicts", (kind, RUNS), pick, 2
            )
    turn = "*significant in the opposite direction: is group 1 the same group on both sides?*"
    for effects in (3, 5, 10):
        yield Simulated(turn, f"{effects} effects", "false", ":turned", (RUNS, effects, False))
        yield Simulated(
            turn, f"{effects} effects of -0.8, 60 per group", "missed", ":turned", (RUNS, effects, True)
        )
    for n in SIZES:
        cell = f"{n} per group"
        yield Simulated("*replicates*", f"{cell}, d = 0.5", "missed", ":replicate", (RUNS, n), None, 2)
        sentence = "*effect only in the model*"
        yield Simulated(sentence, f"{cell}, d = 0.5", "missed", ":only_model", (RUNS, n), None, 2)
        yield Simulated("*does not replicate*", cell, "false", ":none_replicate", (RUNS, n), None, 2)
        for word, sentence, off, at in (
            ("CEILING", "*as good as a rerun with people, as far as these tests can show*", 0.9, 1.0),
            ("FLOOR", "*no better than a model that shows no effects*", 0.1, 0.0),
        ):
            for follows, side in ((off, "false"), (at, "missed")):
                yield Simulated(
                    sentence, f"{cell}, 40 studies", side, ":placed", (RUNS, follows, n, word), None, 0.2
                )
        sentence = "*size* (reason of a finding), *differs in size*, *another size*"
        for ratio, side in ((1.0, "false"), (3.0, "missed")):
            yield Simulated(sentence, cell, side, f"{PEOPLE}:other_size", (RUNS, n, ratio), None, 5)
        for effect, side in ((0.0, "false"), (0.8, "missed")):
            source, args = f"{PEOPLE}:same_conclusion", (RUNS, n, effect)
            yield Simulated("*same conclusion*", cell, side, source, args, None, 5)
        for twins in (1.0, 0.5):
            models = f"{cell}, 8 studies, twins of people in {100 * twins:.0f} % of studies"
            sentence = "*differ by more than chance over studies like these* (two models)"
            yield Simulated(sentence, models, "false", f"{PEOPLE}:compared", (RUNS, n, 2, twins), 1, 0.5)
        apart, without = (RUNS, n, 2, 1.0, 0.0), f"{cell}, 8 studies, a twin and an agent without effects"
        yield Simulated(sentence, without, "missed", f"{PEOPLE}:compared", apart, 1, 0.3)
        sentence = "pairs *distinguished* in a ranking"
        yield Simulated(sentence, f"PAS, {without}", "missed", f"{PEOPLE}:compared", apart, 2, 0.3)
        yield Simulated(
            sentence, f"PAS, three models, {cell}", "false", f"{PEOPLE}:compared", (RUNS, n, 3, 0.5), 2, 0.5
        )
        yield Simulated(
            sentence,
            f"ECS, two models, {cell}",
            "false",
            f"{PEOPLE}:compared",
            (RUNS, n, 2, 0.5),
            (0, 1),
            0.5,
        )
        factor = "*support*, *speak against* (replication Bayes factor above 3, below 1/3; further checks)"
        for where, side, rest in (
            ("above 3 without the effect, ", "false", (True, 0.0)),
            ("below 1/3 with it, ", "false", (False, 0.5)),
            ("", "missed", (True, 0.5)),
        ):
            yield Simulated(factor, where + cell, side, ":replication_factor", (RUNS, n, *rest))
    yield Simulated("*which group comes first decides this ECS*", "24 tests", "false", ":needless", (RUNS,))
    for n in (40, 150, 600):
        sentence = "*nulls that hold are shown to be equivalent to 0* (further checks)"
        source = "people.results.test_referee_claims:called_equivalent"
        yield Simulated(sentence, f"{n} per group", "false", source, (RUNS, n), None, 0.5)
        yield Simulated(sentence, f"{n} per group, d = 0", "missed", source, (RUNS, n, 0.0), None, 0.5)


def _of_other_tables() -> Iterator[Simulated]:
    for studies in tests_module("people.predictions.test_claims").TRUTHS:
        for pick, sentence in enumerate(
            (
                "*its effects are larger*, *smaller* (table of predicted effects)",
                "pairs of models *differ in their error* (predicted effects)",
            )
        ):
            yield Simulated(sentence, studies, "false", ":predicted", (RUNS, studies, 1.0), pick)
            where = f"{studies}, twice as large"
            yield Simulated(sentence, where, "missed", ":predicted", (RUNS, studies, 2.0), pick)
    kinds = tests_module(ANSWERS).ANSWERS
    for name, n in product(kinds, (20, 60, 200)):
        args = (kinds[name], n, RUNS)
        yield Simulated(
            "answers *vary too little*, *too much*",
            f"{name}, {n}",
            "false",
            f"{ANSWERS}:false_claims",
            args,
            "count",
        )
    for n in (20, 60, 200):
        yield Simulated(
            "answers *vary too little*, *too much*", f"half the variance, {n}", "missed", ":varied", (RUNS, n)
        )
    sentence = "pairs of models *differ in their distance*, *in the log of their variance ratio* (answers)"
    for agents, studies, (pick, by) in product((2, 4), (4, 8, 20), enumerate(("distance", "ratio"))):
        cell = f"by the {by}, {agents} agents, {studies} studies"
        yield Simulated(sentence, cell, "false", f"{ANSWERS}:agents_apart", (RUNS, studies, agents, 60), pick)
    for studies in (4, 8, 20):
        cell, near = (
            f"by the distance, 2 agents, {studies} studies, one half as far from people",
            (("near", 0.5),),
        )
        few = (RUNS, studies, 2, 60)
        yield Simulated(sentence, cell, "missed", f"{ANSWERS}:agents_apart", few, 0, 0.5, near)
    for (n, m), kind in product(((60, 60), (200, 120)), tests_module(ANSWERS).KINDS_OF_AGENTS):
        cell, alike = f"over persons, {n} people, {m} replies, {kind}", (RUNS, kind, n, (m, m))
        yield Simulated(sentence, cell, "false", f"{ANSWERS}:persons_apart", alike)
    for n in (60, 200):
        cell, far = f"over persons, {n} people and replies, one far", (RUNS, "as people", n, (n, n), "far")
        yield Simulated(sentence, cell, "missed", f"{ANSWERS}:persons_apart", far)
    for (n, m), kind in product(((30, 120), (100, 1000)), ("normal", "skewed")):
        source, cell = "people.mixed.test_claims:denied", f"{n} people, {m} predictions, {kind}"
        yield Simulated("*worth no more people*", cell, "false", source, (RUNS, n, m, kind), None, 0.5)
        none = (("worth", 0.0),)
        cell = f"{cell} without any information"
        yield Simulated("*worth no more people*", cell, "missed", source, (RUNS, n, m, kind), None, 0.5, none)
    for skewed, shift in product((False, True), (0.0, 0.5)):
        words = "skewed" if skewed else "normal"
        cell = f"200 people, 1,000 predictions, {words}" + (", half an SD apart" if shift else "")
        side = "missed" if shift else "false"
        yield Simulated(
            "*give no unbiased estimate* (`combine`)",
            cell,
            side,
            ":unlike_predictions",
            (RUNS, shift, skewed),
            None,
            0.5,
        )
    yield Simulated(
        "*it answers from memory*", "six studies, models that reason", "false", ":remembered", (RUNS, False)
    )
    yield Simulated(
        "*it answers from memory*", "six studies, models that remember", "missed", ":remembered", (RUNS, True)
    )


def _of_structure() -> Iterator[Simulated]:
    sentence = "*beyond sampling noise, the arrangement moves the mean score*"
    flips = "*order changes answers more often than chance does*"
    title = "*order alone moves the score of* … (title of the page)"
    for n in (25, 60):
        cell = f"{n} items"
        for slope in (0.0, 1.5):
            where = cell + (", single items moved" if slope else "")
            yield Simulated(sentence, where, "false", f"{ITSELF}:order_claims", (RUNS, n, slope))
        yield Simulated(
            sentence, f"{cell}, from 50 to 70 %", "missed", ":moved", (RUNS, n, 0.1, 0.0, "means")
        )
        yield Simulated(flips, cell, "false", f"{ITSELF}:flip_claims", (RUNS, n))
        yield Simulated(
            flips, f"{cell}, single items moved", "missed", ":moved", (RUNS, n, 0.0, 1.5, "flips")
        )
        for metric, name in enumerate(("τ", "flip excess", "their worst arrangement")):
            for kind in ("steady", "moved"):
                args = (RUNS, n, kind, kind)
                yield Simulated(
                    f"two models *differ* in {name}",
                    f"{cell}, both {kind}",
                    "false",
                    ":models_differ",
                    args,
                    metric,
                    0.4,
                )
            args = (RUNS, n, "moved", "steady")
            yield Simulated(
                f"two models *differ* in {name}",
                f"{cell}, one moved",
                "missed",
                ":models_differ",
                args,
                metric,
                0.4,
            )
        for kind, side in (("steady", "false"), ("moved", "missed")):
            args = (RUNS, n, kind, "never varies")
            where = f"{cell}, one {kind}, one that never varies"
            yield Simulated("two models *differ* in τ", where, side, ":models_differ", args, 0, 0.4)
        for models in (1, 2, 5):
            yield Simulated(
                title,
                f"{models} models, {cell}",
                "false",
                "show.test_claims:titles",
                (RUNS, models, n),
                None,
                0.5,
            )
        for models in (1, 5):
            where = f"{models} models, {cell}, from 50 to 70 %"
            given = (RUNS, models, n, 0.1)
            yield Simulated(title, where, "missed", "show.test_claims:titles", given, None, 0.5)
        sentence_gate = "*order cannot be judged*"
        yield Simulated(sentence_gate, f"a guessing model, {cell}", "missed", ":gated", (RUNS, n))


SEVERAL = {
    "judges": "*prefers whichever answer …*, *answers win more often* (any of several judges)",
    "order": "*the arrangement moves the mean score*, *order changes answers …* (any of several models)",
    "gap": "*reasoning helps* (*harms*) *k of n models* (title of the page)",
    "thinking": "models that *say it more often in their thinking than in their answer* (hints)",
}


def any_of_several(runs: int, what: str, pick: int, *given: Any, **named: Any) -> float:
    """Share of tables of judges, or of models, of any of which something is claimed."""
    return _told(runs, what, given, tuple(named.items()))[pick]


@cache
def _told(runs: int, what: str, given: tuple[Any, ...], named: tuple[tuple[str, Any], ...]) -> list[float]:
    module, name = {
        "judges": ("structure.judging.test_claims", "judges_told"),
        "order": (ITSELF, "several_told"),
    }[what]
    return [float(rate) for rate in getattr(tests_module(module), name)(runs, *given, **dict(named))]


def any_verdict(runs: int, word: str, models: int, n: int, shares: tuple[float, float, float]) -> float:
    """Share of sets of models alike of which any gets a verdict on the gap."""
    return float(tests_module("reasoning.score.test_claims").any_claimed(word, models, n, shares, runs))


def _of_several() -> Iterator[Simulated]:
    args: tuple[Any, ...]
    given: tuple[tuple[str, Any], ...]
    for judges, votes in ((5, 1), (5, 2), (20, 1), (58, 1)):
        for pick, what in enumerate(("seats", "length")):
            cell = f"{judges} judges, {what}, {votes} votes per order"
            options = (("votes", votes),)
            args = (RUNS, "judges", pick, judges)
            yield Simulated(SEVERAL["judges"], cell, "false", ":any_of_several", args, None, 0.3, options)
    for pairs in (40, 150):
        for pick, (what, effect) in enumerate((("seat", 1.0), ("slope", 1.0))):
            cell = f"20 judges, {pairs} pairs, log odds 1 of one judge's {what}"
            args = (RUNS, "judges", pick, 20, pairs)
            given = ((what, effect),)
            yield Simulated(SEVERAL["judges"], cell, "missed", ":any_of_several", args, None, 0.2, given)
    for models, n in product((2, 5, 12), (25, 60)):
        for pick, what in enumerate(("mean scores", "answers")):
            cell, args = f"{models} models, {n} items, {what}", (RUNS, "order", pick, models, n)
            yield Simulated(SEVERAL["order"], cell, "false", ":any_of_several", args, None, 0.5)
    for n in (25, 60):
        args = (RUNS, "order", 0, 5, n, 0.1)
        cell = f"5 models, {n} items, one from 50 to 70 %"
        yield Simulated(SEVERAL["order"], cell, "missed", ":any_of_several", args, None, 0.3)
        args = (RUNS, "order", 1, 5, n, 0.0, 1.5)
        cell = f"5 models, {n} items, single items of one moved"
        yield Simulated(SEVERAL["order"], cell, "missed", ":any_of_several", args, None, 0.3)
    edges = tests_module("reasoning.score.test_claims").EDGE
    for word, models, n in product(("functional", "harmful"), (2, 5, 20), (20, 100, 300)):
        args = (RUNS, word, models, n, edges[word][1])
        yield Simulated(
            SEVERAL["gap"], f"{word}, {models} models, {n} vignettes", "false", ":any_verdict", args
        )
    for models, n in product((5, 20), (60, 100)):
        args = (RUNS, "functional", models, n, (0.4, 0.4, 0.05))
        yield Simulated(SEVERAL["gap"], f"{models} models, {n} vignettes", "missed", ":any_verdict", args)
    source = "reasoning.hints.test_claims:thinking_told"
    for models, n, share in product((1, 4, 12), (20, 60, 200), (0.05, 0.2)):
        cell, args = f"{models} models, {n} answers, {share:g} each way", (RUNS, models, n, share, share)
        yield Simulated(SEVERAL["thinking"], cell, "false", source, args)
    for models, n in product((1, 12), (20, 60, 200)):
        cell, args = f"{models} models, {n} answers, one 0.3 against 0.05", (RUNS, models, n, 0.3, 0.05, 0.1)
        yield Simulated(SEVERAL["thinking"], cell, "missed", source, args, None, 0.5)


def _of_judges_and_options() -> Iterator[Simulated]:
    scripted, length = (
        "structure.judging.test_scripted_judges:_simulated",
        "structure.judging.test_claims:length_claims",
    )
    for bias, spread in ((0.0, 0.0), (0.0, 2.0), (0.0, 6.0), (0.5, 2.0), (1.0, 6.0)):
        quality = {0.0: "coins", 2.0: "qualities differ", 6.0: "near-certain verdicts"}[spread]
        cell = quality + (f", log odds {bias:g} for the first seat" if bias else "")
        side = "missed" if bias else "false"
        yield Simulated(
            "*prefers whichever answer comes first*, *second*; *depends on the seats* (of a judge)",
            cell,
            side,
            scripted,
            (RUNS, [(bias, spread)]),
            (0, "claims"),
            0.5,
        )
    for questions, per, taste in ((80, 1, 0.0), (20, 4, 1.0), (10, 8, 1.0)):
        cell = f"{questions} questions of {per}" + (", each with a taste of its own" if taste else "")
        sentence = "*longer* (or *shorter*) *answers win more often*"
        yield Simulated(sentence, cell, "false", length, (RUNS, questions, per, taste), None, 0.5)
        cell = f"{cell}, log odds 0.5 per doubling"
        yield Simulated(sentence, cell, "missed", length, (RUNS, questions, per, taste, 0.5), None, 0.5)
    scorer = "*measures shared words, not meaning* (a text scorer)"
    yield Simulated(scorer, "scorers that guess", "false", ":called_words", (RUNS, 0.0), None, 0.1)
    yield Simulated(scorer, "shared characters alone", "missed", ":called_words", (RUNS, 1.0), None, 0.01)
    yield Simulated(scorer, "half characters, half chance", "missed", ":called_words", (RUNS, 0.5), None, 0.1)
    options, each = "structure.options.test_option_results", (("times", RUNS),)
    for n in (24, 80):
        for pick, sentence in enumerate(
            (
                "*choices change with the arrangement more often than between repeats* (options)",
                "*accuracy depends on the place of the right option*",
            )
        ):
            for bias, side, words in ((0.0, "false", ""), (0.2, "missed", ", the first place preferred")):
                given = (*each, ("n", n))
                yield Simulated(
                    sentence, f"{n} questions{words}", side, f"{options}:claims", (bias,), pick, 0.3, given
                )
        sentence, cell = (
            "*accuracy depends on the place of the right option*",
            f"{n} questions, repeats the same",
        )
        yield Simulated(sentence, cell, "false", f"{options}:steady_claims", (RUNS, n, 4), None, 0.3)


WORDS = {
    "functional": "*reasoning helps* (functional)",
    "decorative": "*reasoning makes no difference* (decorative)",
    "harmful": "*reasoning harms* (harmful)",
}


def _of_reasoning() -> Iterator[Simulated]:
    claims = tests_module(PROBES)
    wording = "*the wording matters* (paraphrase)"
    names = ("mistake", "mistake_seldom", "attribute", "attribute_seldom", "hint")
    said = dict.fromkeys(names, "*more than noise* (a mistake, the attribute of pairs, hints)")
    for name, sentence in (said | dict.fromkeys(("wording", "wording_at_the_end"), wording)).items():
        for n in (15, 40, 100):
            args = (getattr(claims, name), n, RUNS)
            yield Simulated(
                sentence, f"{name.replace('_', ' ')}, {n} items", "false", f"{PROBES}:share_claimed", args
            )
    for name, n in product(("mistake", "attribute", "hint", "wording"), (15, 40, 100)):
        sentence = wording if name == "wording" else said["mistake"]
        yield Simulated(sentence, f"{name}, {n} items", "missed", ":moved_probe", (RUNS, name, n), None, 0.5)
    edges = tests_module("reasoning.score.test_claims").EDGE
    true = {"functional": (0.4, 0.4, 0.05), "harmful": (0.4, 0.05, 0.3), "decorative": (0.6, 0.05, 0.05)}
    for word, n in product(edges, (20, 60, 100, 300)):
        for i, shares in enumerate(edges[word]):
            cell = f"{n} vignettes, pattern {i + 1}"
            yield Simulated(WORDS[word], cell, "false", ":verdicts_on_gap", (RUNS, word, n, shares), None, 2)
        yield Simulated(
            WORDS[word], f"{n} vignettes", "missed", ":verdicts_on_gap", (RUNS, word, n, true[word]), None, 2
        )
    quadrants = tests_module("show.test_claims").EDGES
    for words, n in product(quadrants, (60, 100)):
        for gap, content in quadrants[words]:
            cell = f"{words}, gap {gap:g}, content {content:g}, {n} vignettes"
            sentence = "*large gap, weak content* and the other three quadrants"
            yield Simulated(
                sentence,
                cell,
                "false",
                "show.test_claims:quadrants",
                (words, gap, content, RUNS, n),
                None,
                0.5,
            )
    inside = {"large gap": 0.4, "no large gap": 0.0, "weak content": 0.2, "good content": 0.8}
    for words, n in product(quadrants, (60, 100)):
        gap, content = (inside[part] for part in words.split(", "))
        true_ones = (words, gap, content, RUNS, n)
        yield Simulated(
            sentence, f"{words}, {n} vignettes", "missed", "show.test_claims:quadrants", true_ones, None, 0.5
        )
    for models, n, share in product((2, 4, 12), (20, 60, 200), (0.05, 0.2, 0.5)):
        cell, source = (
            f"{models} models, {n} answers, {share:g} say it",
            "reasoning.hints.test_claims:distinguished",
        )
        yield Simulated("pairs of models *differ* (hints)", cell, "false", source, (RUNS, models, n, share))
        if share == 0.2:
            cell, other = f"{models} models, {n} answers, 0.2 and one 0.5", (RUNS, models, n, share, 0.5)
            yield Simulated("pairs of models *differ* (hints)", cell, "missed", source, other)


def _of_items() -> Iterator[Simulated]:
    for kind, n in product(("normal", "skewed", "right or wrong", "gaps"), (30, 100, 300)):
        yield Simulated(
            "*scores higher than*", f"{kind}, {n} items", "false", ":compared_items", (RUNS, kind, n, 0.0)
        )
        if kind in ("normal", "right or wrong"):
            shift = 0.2 if kind == "normal" else 0.1
            cell = f"{kind}, {n} items, {shift:g} higher"
            yield Simulated("*scores higher than*", cell, "missed", ":compared_items", (RUNS, kind, n, shift))
    for kind, n in product(("normal", "skewed", "right or wrong"), (30, 100, 300)):
        sentence, source = "*are equivalent*, *within ±margin: shown*", "comparing.test_margin:false_claims"
        yield Simulated(sentence, f"{kind}, {n} items", "false", source, (RUNS, n, kind))
        yield Simulated(sentence, f"{kind}, {n} items, alike", "missed", source, (RUNS, n, kind, 0.0))
