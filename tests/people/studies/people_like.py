"""Scripted participants with known parameters, one script a bundled study.

Draws are stratified (a Kronecker sequence within each cell), so that at the sizes of the paper a sample
has almost exactly the effects of its parameters. ``way`` is 1 for people as published and -1 for people
who do the opposite in every test that has a direction.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from scipy.special import ndtri

from concord.people.studies.format import Allocation, Choice
from concord.people.studies.sessions import Question

Answers = Mapping[str, object]
Script = Callable[["Person", int], Answers]
_STEPS = [math.sqrt(prime) % 1 for prime in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)]


@dataclass
class Person:
    """One participant: a place in the sequence of its cell, and what it remembers."""

    question: Question
    place: int
    memory: dict[str, float] = field(default_factory=dict)

    @property
    def experiment(self) -> str:
        return self.question.session.plan.experiment

    @property
    def cell(self) -> Mapping[str, str]:
        return self.question.condition

    def uniform(self, dimension: int) -> float:
        """Return a number between 0 and 1 that is evenly spread over the people of a cell."""
        return (0.5 + (self.place + 1) * _STEPS[dimension]) % 1

    def normal(self, dimension: int, mean: float = 0.0, sd: float = 1.0) -> float:
        return mean + sd * float(ndtri(self.uniform(dimension)))

    def agrees(self, dimension: int, rate: float) -> bool:
        return self.uniform(dimension) < rate


class PeopleLike:
    """An agent that answers by a script."""

    def __init__(self, script: Script, way: int) -> None:
        self.script, self.way = script, way
        self.people: dict[tuple[str, int], Person] = {}
        self.places: Counter[tuple[str, ...]] = Counter()

    def __call__(self, question: Question) -> str:
        plan = question.session.plan
        key = (plan.id, question.member.number)
        if key not in self.people:
            cell = (
                plan.experiment,
                *plan.cell.values(),
                question.member.role,
                str(question.member.profile.get("sex")),
            )
            self.people[key] = Person(question, self.places[cell])
            self.places[cell] += 1
        person = self.people[key]
        person.question = question
        answers = self.script(person, self.way)
        said = [_said(question, name, item, answers[name]) for name, item in question.items]
        return said[0] if len(said) == 1 else "\n".join(f"{i}. {text}" for i, text in enumerate(said, 1))


def _said(question: Question, name: str, item: object, value: object) -> str:
    if isinstance(item, Choice):
        return "ABCDEFG"[question.order_of(name).index(str(value))]
    if isinstance(item, Allocation) and isinstance(value, dict):
        return ", ".join(f"{to}: {amount:.2f}" for to, amount in value.items())
    return str(value)


def _rounded(value: float, low: float, high: float) -> int:
    return round(min(max(value, low), high))


def _swap(rates: tuple[float, float], first: bool, way: int) -> float:
    """Return the rate of a cell; the other cell's when everything is the other way round."""
    return rates[0 if first == (way > 0) else 1]


def framing(person: Person, way: int) -> Answers:
    level = next(iter(person.cell.values()))
    rates = {
        "disease": (109 / 152, 34 / 155),
        "concurrent": (110.5 / 151, 0.5 / 87),
        "certainty": (63 / 85, 34 / 81),
        "theatre": (161 / 183, 92 / 200),
        "calculator": (63 / 93, 26 / 88),
    }[person.experiment]
    first = level in ("gain", "apart", "two_stage", "cash", "cheap")
    yes = person.agrees(0, _swap(rates, first, way))
    return {
        "programme": "sure" if yes else "risky",
        "gains": "sure" if yes else "risky",
        "losses": "risky",
        "both": "ad" if yes else "bc",
        "bet": "safe" if yes else "bold",
        "buy": "yes" if yes else "no",
        "drive": "yes" if yes else "no",
    }


def side_effect(person: Person, way: int) -> Answers:
    harm = person.cell["effect"] == "harm"
    rates = (32 / 39, 9 / 39) if person.cell["story"] == "chairman" else (16 / 21, 6 / 21)
    if way < 0:  # a weak reversal of both, and a strong negative relation between them
        rates = (0.25, 0.75)
    u, z = person.uniform(0), person.normal(1)
    latent = (0.36 if way > 0 else -0.95) * float(ndtri(1 - u))
    noise = math.sqrt(1 - (0.36 if way > 0 else 0.95) ** 2) * z
    centre = (4.5 if harm else 2.0) if way > 0 else (2.6 if harm else 3.4)
    rating = _rounded(centre + 1.65 * (latent + noise), 0, 6)
    return {"rating": rating, "intentional": "yes" if u < rates[0 if harm else 1] else "no"}


_CONSENSUS = {
    "supermarket": (17.7, 17.27, 80),
    "term_paper": (16.5, 21.83, 80),
    "ticket": (12.8, 3.18, 80),
    "space": (4.9, 1.81, 80),
    "eat": (33.3, 8.53, 51),
    "repent": (23.5, 9.74, 53),
}
"""Published F of estimates and of traits, and N."""


def false_consensus(person: Person, way: int) -> Answers:
    level = next(iter(person.cell.values()))
    f_common, f_trait, n = _CONSENSUS[level]
    chooses = person.agrees(0, 0.5)
    half = (0.5 if chooses else -0.5) * way
    common = person.normal(1, 50 + half * 2 * math.sqrt(f_common / n) * 15, 15)
    trait = person.normal(2, 50 - half * 2 * math.sqrt(f_trait / n) * 15, 15)
    names = ("one", "two") if "story" in person.cell else ("wear", "refuse")
    return {
        "own": names[0] if chooses else names[1],
        "common": round(min(max(common, 0.0), 100.0), 1),
        "trait_one": _rounded(trait, 0, 100),
        "trait_two": 50,
    }


_ANCHORS = {
    "everest": (2_000, 45_500),
    "chicago": (200_000, 5_000_000),
    "road": (1_500, 6_000),
    "babies": (100, 50_000),
}


def anchoring(person: Person, way: int) -> Answers:
    question, group = person.cell["question"], person.cell["group"]
    low, high = _ANCHORS[question]
    place = list(_ANCHORS).index(question)
    above, u = person.uniform(place), person.uniform(4 + place)
    is_high = (group == "first_set") == (question in ("everest", "road"))
    between = low + (u**0.85 if is_high else u**1.15) * (high - low)
    if way > 0:
        estimate = (
            high * 1.2 if is_high and above < 0.38 else low / 2 if not is_high and above < 0.13 else between
        )
    else:  # away from the anchor, and beyond the low anchor more often
        estimate = (
            low + (high - low) * u * 0.4
            if is_high
            else low / 2
            if above < 0.3
            else high - (high - low) * u * 0.4
        )
        estimate = high * 1.2 if is_high and above < 0.02 else estimate
    anchored = group != "calibration"
    confidence = person.normal(8, 5 + (0.6 * 2 * way if anchored else 0.0), 2)
    return {"above": "higher", "estimate": round(estimate, 3), "sure": _rounded(confidence, 0, 10)}


def representativeness(person: Person, way: int) -> Answers:
    rate = {"birth-order": 75 / 92, "programs": 67 / 89, "marbles": 36 / 52, "heights": 86 / 115}
    yes = person.agrees(0, rate[person.experiment]) == (way > 0)
    return {
        "families": 30 if yes else 72,
        "program": "a" if yes else "b",
        "type": "one" if yes else "two",
        "one_person": 8 if yes else 2,
        "six_people": 5,
    }


def disjunction(person: Person, way: int) -> Answers:
    rates = {"competed": 14 / 444, "cooperated": 73 / 444, "unknown": 164 / 444}
    if way < 0:
        rates = {"competed": 0.5, "cooperated": 0.6, "unknown": 0.1}
    other = person.cell.get("other", "unknown")
    cooperates = person.agrees(list(rates).index(other), rates[other])
    one = person.agrees(0, 26 / 40 if way > 0 else 0.05)
    return {"move": "cooperate" if cooperates else "compete", "boxes": "one" if one else "both"}


def dictator(person: Person, way: int) -> Answers:
    ultimatum, unpaid = person.cell["game"] == "ultimatum", person.cell.get("pay") == "unpaid"
    ten = person.experiment == "ten-dollars"
    shift = 1.726 if ten and ultimatum else 1.576 - 0.164 * unpaid if ultimatum else 0.872 * unpaid
    share = min(max(person.normal(0, 0.35 + way * (shift - 0.8) * 0.08, 0.08), 0.0), 1.0)
    pie = 10 if ten else 5
    offer = round(share * pie, 2)
    return {"split": {"me": pie - offer, "other": offer}, "answer": "accept"}


def minimal_groups(person: Person, way: int) -> Answers:
    groups, similar = person.cell["groups"] == "yes", person.cell["similar"] == "yes"
    effect = 0.893 * (groups - 0.5) + 0.469 * (similar - 0.5)
    first = _rounded(person.normal(0, 15 + way * effect * 4, 4), 0, 30)
    return {"share": {"first": first, "second": 30 - first}}


def pluralistic(person: Person, way: int) -> Answers:
    woman = person.question.member.profile["sex"] == "female"
    narrow, wide = person.normal(0), person.normal(1)
    near = person.agrees(2, 0.5)
    own = person.uniform(3) * 10
    half = (0.5 if near else -0.5) * way
    spreads = (1.2, 2.1) if way > 0 else (2.1, 1.2)
    gap = 1.7 + (0.7 if woman else -0.7)
    rounded = _rounded(own, 0, 10)
    return {
        "average": _rounded(6 + way * gap / 2 + spreads[0] * narrow, 1, 11),
        "self": _rounded(6 - way * gap / 2 + spreads[1] * wide, 1, 11),
        "friend": _rounded(6 + person.normal(4), 1, 11),
        "own": rounded,
        "others": rounded if near else (rounded + 5) % 11,
        "signatures": _rounded(person.normal(5, 50 + half * 0.907 * 15, 15), 0, 100),
        "hours": round(min(max(person.normal(6, 10 + half * 0.691 * 3, 3), 0.0), 20.0), 2),
        "reunions": _rounded(person.normal(6, 50 + half * 0.62 * 15, 15), 0, 100),
    }


def guessing(person: Person, way: int) -> Answers:
    p, question = person.cell["p"], person.question
    starts = {"half": (25.0, 10.0), "two_thirds": (36.0, 10.0), "four_thirds": (60.0, 12.0)}
    rates = {"half": 135 / 144, "two_thirds": 163 / 201, "four_thirds": 133 / 153}
    memory = person.memory
    if question.round == 1:
        start = dict(zip(starts, starts.values() if way > 0 else [*starts.values()][::-1], strict=True))[p]
        memory["guess"] = min(max(person.normal(0, *start), 3.0), 97.0)
        return {"guess": round(memory["guess"], 2)}
    toward = person.agrees(question.round, rates[p]) == (way > 0)
    up = toward == (p == "four_thirds")
    memory["guess"] = _moved(memory["guess"], up, p, way, question)
    return {"guess": round(memory["guess"], 2)}


def _moved(guess: float, up: bool, p: str, way: int, question: Question) -> float:
    """Move toward the last target, or a little against it; the other way round in reverse."""
    target = float(question.session.feedback["target"] or 0.0)
    if way > 0:
        pull = {"half": 0.75, "two_thirds": 0.6, "four_thirds": 0.6}[p]
        moved = guess + pull * (target - guess)
        if (moved > guess) == up:
            return min(moved, 100.0)
        return min(guess * (1.08 if up else 0.8), 100.0)
    return min(max(guess * (1.3 if up and p == "half" else 1.02 if up else 0.8), 0.5), 99.0)


def trust(person: Person, way: int) -> Answers:
    social = person.cell["history"] == "social"
    sends = social or person.agrees(2, 30 / 32 if way > 0 else 4 / 32)
    sent = 1 + int(person.uniform(0) * 10) if sends else 0
    rho = 0.48 if social else -0.05
    if person.question.member.role == "receiver":
        person_sent = float(person.question.items[0][1].max) / 3  # type: ignore[union-attr, arg-type]
        z = (person_sent - 5.5) / 2.87
        share = 0.4 + 0.12 * (way * rho * z + math.sqrt(1 - rho * rho) * person.normal(1))
        return {"back": _rounded(share * 3 * person_sent, 0, 3 * person_sent)}
    return {"sent": sent}


def impressions(person: Person, way: int) -> Answers:
    answers: dict[str, object] = {}
    study = person.question.session.compiled.spec
    for i, (name, item) in enumerate(study.items.items()):
        assert isinstance(item, Choice)
        yes, no = item.options
        dimension = i % 12
        if person.experiment == "neither":
            rate = 23 / 56 if way > 0 else 0.95
        elif person.experiment == "order":
            rates = (11 / 34, 1 / 24) if name == "happy" else (18 / 34, 5 / 24)
            rate = _swap(rates, person.cell["first"] == "favourable", way)
        else:
            rate = _swap(_WARM[name], person.cell["person"] == "warm", way)
        answers[name] = yes if person.agrees(dimension, rate) else no
    return answers


_WARM = {
    "generous": (82 / 90, 6 / 76),
    "wise": (58 / 90, 19 / 76),
    "happy": (81 / 90, 26 / 76),
    "good_natured": (85 / 90, 13 / 76),
    "humorous": (69 / 90, 10 / 76),
    "sociable": (82 / 90, 29 / 76),
    "popular": (76 / 90, 21 / 76),
    "reliable": (85 / 90, 75 / 76),
    "important": (79 / 90, 75 / 76),
    "humane": (77 / 90, 24 / 76),
    "good_looking": (69 / 90, 52 / 76),
    "persistent": (1.0, 74 / 76),
    "serious": (1.0, 75 / 76),
    "restrained": (69 / 90, 68 / 76),
    "altruistic": (62 / 90, 14 / 76),
    "imaginative": (46 / 90, 14 / 76),
    "strong": (88 / 90, 72 / 76),
    "honest": (88 / 90, 71 / 76),
}

SCRIPTS: dict[str, Script] = {
    "anchoring": anchoring,
    "dictator-ultimatum": dictator,
    "disjunction-effect": disjunction,
    "false-consensus": false_consensus,
    "framing": framing,
    "guessing-game": guessing,
    "impressions": impressions,
    "minimal-groups": minimal_groups,
    "pluralistic-ignorance": pluralistic,
    "representativeness": representativeness,
    "side-effect": side_effect,
    "trust-game": trust,
}
