"""Scripted participants with known parameters, one script a bundled study.

Draws are stratified (a Kronecker sequence within each cell), so that at the sizes of the paper a sample
has almost exactly the effects of its parameters. ``way`` is 1 for people as published and -1 for people
who do the opposite in every test that has a direction.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from scipy.special import ndtr, ndtri

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

    person: type[Person] = Person

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
            self.people[key] = self.person(question, self.places[cell])
            self.places[cell] += 1
        return self.said(key, question)

    def said(self, key: tuple[str, int], question: Question) -> str:
        """Return what a participant who is known answers."""
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
    if person.experiment == "certainty":
        bets = {"two_stage": 63 / 85, "one_stage": 34 / 81, "certain": 60 / 77}
        if way < 0:
            bets = {"two_stage": 0.4, "one_stage": 0.75, "certain": 0.3}
        return {"bet": "safe" if person.agrees(0, bets[level]) else "bold"}
    rates = {
        "disease": (109 / 152, 34 / 155),
        "concurrent": (110.5 / 151, 0.5 / 87),
        "theatre": (161 / 183, 92 / 200),
        "calculator": (63 / 93, 26 / 88),
    }[person.experiment]
    first = level in ("gain", "apart", "cash", "cheap")
    yes = person.agrees(0, _swap(rates, first, way))
    return {
        "programme": "sure" if yes else "risky",
        "gains": "sure" if yes else "risky",
        "losses": "risky",
        "both": "ad" if yes else "bc",
        "buy": "yes" if yes else "no",
        "drive": "yes" if yes else "no",
    }


def side_effect(person: Person, way: int) -> Answers:
    harm = person.cell["effect"] == "harm"
    rates = (32 / 39, 9 / 39) if person.cell["story"] == "chairman" else (17 / 22, 6 / 20)
    if way < 0:  # a weak reversal of both, and a strong negative relation between them
        rates = (0.25, 0.75)
    u, z = person.uniform(0), person.normal(1)
    latent = (0.36 if way > 0 else -0.95) * float(ndtri(1 - u))
    noise = math.sqrt(1 - (0.36 if way > 0 else 0.95) ** 2) * z
    centre = (4.5 if harm else 2.0) if way > 0 else (2.6 if harm else 3.4)
    rating = _rounded(centre + 1.65 * (latent + noise), 0, 6)
    return {"rating": rating, "intentional": "yes" if u < rates[0 if harm else 1] else "no"}


_TRAIT = 10
_MONTHS = {"september": (10, 5, 7), "december": (11, 8, 4)}
_KEGS = (9, 4, 7, 6)
"""Dimensions whose draws are hardly related within groups of these sizes."""

_CONSENSUS = {
    ("stories", "supermarket"): (17.7, 17.27, 53, 27),
    ("stories", "term_paper"): (16.5, 21.83, 64, 16),
    ("stories", "ticket"): (12.8, 3.18, 37, 43),
    ("stories", "space"): (4.9, 1.81, 32, 48),
    ("boards", "eat"): (33.3, 8.53, 27, 24),
    ("boards", "repent"): (23.5, 9.74, 27, 26),
    ("request", "eat"): (4.0, 4.37, 28, 12),
    ("request", "repent"): (34.14, 3.93, 20, 20),
}
"""Published F of estimates and of traits, and the numbers of choosers and of the others."""
_HABITS = (2.66, 2.58, 1.35, 3.96, 3.26, 1.18, 2.0, 1.01, 1.63, 2.76, 1.57, 1.68, 2.87, 3.26, 3.25, 2.29) + (
    (1.06, 1.86, 2.81, 6.19, 3.81, 3.21, 5.48)
)
"""Published t of the items of study 2."""


def false_consensus(person: Person, way: int) -> Answers:
    if person.experiment == "habits":
        return _habits(person, way)
    f_common, f_trait, n1, n2 = _CONSENSUS[person.experiment, next(iter(person.cell.values()))]
    chooses = person.agrees(0, n1 / (n1 + n2))
    half = (0.5 if chooses else -0.5) * way
    per_f = 15 * math.sqrt(1 / n1 + 1 / n2)
    common = person.normal(1, 50 + half * math.sqrt(f_common) * per_f, 15)
    trait = person.normal(_TRAIT, 50 - half * math.sqrt(f_trait) * per_f, 15)
    names = ("one", "two") if "story" in person.cell else ("wear", "refuse")
    return {
        "own": names[0] if chooses else names[1],
        "common": round(min(max(common, 0.0), 100.0), 1),
        "trait_one": _rounded(trait, 0, 100),
        "trait_two": 50,
    }


def _habits(person: Person, way: int) -> Answers:
    names = [name for name in person.question.session.compiled.spec.items if name.startswith("own_")]
    answers: dict[str, object] = {}
    for i, (name, t) in enumerate(zip(names, _HABITS, strict=True)):
        chooses = person.agrees(i % 12, 0.5)
        shift = (0.5 if chooses else -0.5) * way * 2 * t / math.sqrt(80)
        if way < 0:
            shift -= 0.4 if chooses else -0.4
        answers[name] = "one" if chooses else "two"
        share = person.normal((i + 5) % 12, 50 + 15 * shift, 15)
        answers[name.replace("own_", "common_")] = round(min(max(share, 0.0), 100.0), 1)
    return answers


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
    confidence = person.normal(8, 5.2 + (0.6 * 2 * way if anchored else 0.0), 2)
    return {"above": "higher", "estimate": round(estimate, 2), "sure": _rounded(confidence, 1, 10)}


def representativeness(person: Person, way: int) -> Answers:
    if "form" in person.cell:
        rate = {("hospital", "more"): 28 / 50, ("hospital", "less"): 25 / 45, ("words", "more"): 20 / 49}
        rate |= {("words", "less"): 23 / 48, ("team", "taller"): 23 / 48, ("team", "shorter"): 17 / 48}
        share = rate[person.experiment, person.cell["form"]] if way > 0 else 0.0
        item = person.question.items[0][1]
        assert isinstance(item, Choice)
        return {"answer": "same" if person.agrees(0, share) else next(iter(item.options))}
    rates = {"birth-order": 75 / 92, "programs": 67 / 89, "marbles": 36 / 52, "heights": 86 / 115}
    yes = person.agrees(0, rates[person.experiment]) == (way > 0)
    return {
        "families": 30 if yes else 72,
        "program": "a" if yes else "b",
        "type": "one" if yes else "two",
        "one_person": 8 if yes else 2,
        "six_people": 5,
    }


_TRIADS = {"ucd": 5, "uc": 43, "ud": 3, "u": 113, "cd": 2, "c": 23, "d": 4, "": 251}
"""Of 444 triads, who cooperates when the other's move is (u)nknown, is to (c)ooperate, is to compete (d)."""


def disjunction(person: Person, way: int) -> Answers:
    u, below, pattern = person.uniform(0), 0.0, ""
    for name, count in _TRIADS.items():
        below += count / 444
        if u < below:
            pattern = name
            break
    if way < 0:  # the more is known against cooperation, the more of it
        pattern = "".join(name for name, rate in (("u", 0.1), ("c", 0.5), ("d", 0.85)) if u < rate)
    move = "c" if person.cell.get("other") == "cooperated" else "d"
    one = person.agrees(0, 26 / 40 if way > 0 else 0.05)
    return {
        "move_unknown": "cooperate" if "u" in pattern else "compete",
        "move": "cooperate" if move in pattern else "compete",
        "boxes": "one" if one else "both",
    }


_OFFERS = {
    "dictator, paid": (0.356, 0.08, 0.45, 0.778, 0.5),
    "ultimatum, paid": (0.0, 0.21, 0.49, 0.349, 0.52),
    "dictator, unpaid": (0.1, 0.12, 0.48, 0.42, 0.52),
    "ultimatum, unpaid": (0.02, 0.15, 0.49, 0.36, 0.51),
    "dictator": (0.208, 0.08, 0.36, 0.792, 0.5),
    "ultimatum": (0.0, 0.25, 0.48, 0.25, 0.5),
}
"""Share who give nothing, least and most of those between, share below one half, what the others give."""


def _offer(person: Person, way: int) -> float:
    game, pay = person.cell["game"], person.cell.get("pay")
    if way < 0:
        game = {"dictator": "ultimatum", "ultimatum": "dictator"}[game] if pay != "unpaid" else "dictator"
        pay = "paid" if pay == "unpaid" else pay
    none, least, most, below, rest = _OFFERS[game if pay is None else f"{game}, {pay}"]
    u = person.uniform(0)
    if u < none:
        return 0.0
    return least + (most - least) * (u - none) / (below - none) if u < below else rest


def dictator(person: Person, way: int) -> Answers:
    pie = 10 if person.experiment == "ten-dollars" else 5
    offer = round(_offer(person, way) * pie, 2)
    share = offer / pie
    if person.question.member.role == "responder":
        offered = re.search(r"\$(\d+(?:\.\d+)?)\. If you accept", person.question.messages[-1].text)
        assert offered is not None
        share = float(offered[1]) / pie
    refuses = (share < 0.5) == (way > 0) and person.agrees(1, 0.2)
    return {"split": {"me": pie - offer, "other": offer}, "answer": "refuse" if refuses else "accept"}


def minimal_groups(person: Person, way: int) -> Answers:
    groups, similar = (0.5 if person.cell[name] == "yes" else -0.5 for name in ("groups", "similar"))
    effect = 2 * (math.sqrt(6.76) * groups + math.sqrt(5.09) * similar) / math.sqrt(75)
    effect += 4 * math.sqrt(1.19) * groups * similar / math.sqrt(75)
    if way < 0:
        effect *= 2
    first = _rounded(person.normal(0, 15 + way * effect * 4, 4), 0, 30)
    return {"share": {"first": first, "second": 30 - first}}


_TERM = {
    ("female", "september"): (0.60, 0.56, 0.13),
    ("female", "december"): (-0.08, 0.45, -0.16),
    ("male", "september"): (0.34, 0.28, -0.11),
    ("male", "december"): (0.76, 0.59, 0.34),
}
"""Correlations of own with others' attitudes, and of drinking with either."""


def pluralistic(person: Person, way: int) -> Answers:
    if person.experiment == "semester":
        return _term(person, way)
    if person.experiment == "kegs":
        return _kegs(person, way)
    woman = person.question.member.profile["sex"] == "female"
    rho = way * (0.37 if person.experiment == "comfort" else 0.33)
    wide = 1.75 if person.experiment == "comfort" else 1.8
    one, two, three = person.normal(0), person.normal(1), person.normal(4)
    mixed = rho * one + math.sqrt(1 - rho * rho) * two
    apart = 0.0 if person.experiment == "comfort" else 0.35
    low, high = (4.7 if woman else 6.0) - apart, 7.05 + apart
    others, own = (high, low) if way > 0 else (low, high)
    narrow, broad = (1.6, 1.6 * wide) if way > 0 else (1.6 * wide, 1.6)
    return {
        "average": _rounded(others + narrow * one, 1, 11),
        "self": _rounded(own + broad * mixed, 1, 11),
        "friend": _rounded(6 + 1.6 * (1.6 if way > 0 else 1.0) * three, 1, 11),
    }


def _term(person: Person, way: int) -> Answers:
    month = person.cell["month"]
    together, drinks_own, drinks_others = _TERM[str(person.question.member.profile["sex"]), month]
    together, drinks_own = way * together, way * drinks_own
    z = [person.normal(i) for i in _MONTHS[month]]
    slope = (drinks_others - drinks_own * together) / math.sqrt(1 - together * together)
    rest = math.sqrt(1 - drinks_own * drinks_own - slope * slope)
    return {
        "own": _rounded(6 + 2 * z[0], 1, 11),
        "others": _rounded(6 + 2 * (together * z[0] + math.sqrt(1 - together**2) * z[1]), 1, 11),
        "drinks": round(max(20 + 5 * (drinks_own * z[0] + slope * z[1] + rest * z[2]), 0.0), 1),
    }


def _kegs(person: Person, way: int) -> Answers:
    u = person.uniform(2)
    same, lower = (22 / 94, 92.5 / 94) if way > 0 else (0.25, 0.5)
    near = u < same
    half = (0.5 if near else -0.5) * way
    sex = (0.5 if person.question.member.profile["sex"] == "female" else -0.5) * way
    more = 1.0 if way > 0 else 2.0
    signatures = person.normal(_KEGS[1], 50 + (half * 1.07 * more + sex * 0.446) * 15, 15)
    hours = person.normal(_KEGS[2], 5 + (half * 0.81 * more + sex * 0.386) * 1.5, 1.5)
    return {
        "own": _rounded(person.normal(_KEGS[0], 5 - half * 1.45 * 2 * more, 2), 0, 10),
        "compared": 3 if near else 2 if u < lower else 4,
        "signatures": _rounded(signatures, 0, 100),
        "hours": round(min(max(hours, 0.0), 10.0), 2),
        "reunions": _rounded(person.normal(_KEGS[3], 50 + half * 0.70 * more * 15, 15), 0, 100),
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
    moved = _moved(memory["guess"], up, p, way, question)
    if way > 0 and "average" in memory:
        moved = _in_line(person, moved, up)
    memory["average"] = float(question.session.feedback["average"] or 0.0)
    memory["guess"] = moved
    return {"guess": round(memory["guess"], 2)}


def _in_line(person: Person, moved: float, up: bool) -> float:
    """Change the share of the last mean as would have been better in 72 % of moves; no move is turned."""
    feedback, guess = person.question.session.feedback, person.memory["guess"]
    same = float(feedback["average"] or 0.0) * guess / person.memory["average"]
    better = float(feedback["target"] or 0.0) > guess
    above = better == person.agrees(6 + person.question.round, 0.72)
    low, high = (guess, min(100.0, 1.3 * guess)) if up else (0.0, guess)
    low, high = (max(low, same), high) if above else (low, min(high, same))
    return moved if low >= high or low < moved < high else (low + high) / 2


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


_SENT = {"none": (2, 2, 2, 4, 2, 6, 5, 3, 1, 0, 5), "social": (3, 1, 4, 2, 0, 7, 1, 1, 1, 1, 7)}
"""How many sent 0, 1, … 10 dollars."""
_BACK = {"none": (0.42, 0.64, 0.85), "social": (0.24, 0.48, 0.78)}
"""Share who return nothing, share who return no more than was sent, the largest part returned."""


def trust(person: Person, way: int) -> Answers:
    history = person.cell["history"]
    counts = _SENT[history]
    if person.question.member.role != "receiver":
        if way < 0:  # few send, and only without a history
            return {"sent": 10 - person.place // 5 if history == "none" and person.place % 5 == 0 else 0}
        place, below = person.uniform(0) * sum(counts), 0
        for dollars, count in enumerate(counts):
            below += count
            if place < below:
                return {"sent": dollars}
    sent = float(person.question.items[0][1].max) / 3  # type: ignore[union-attr, arg-type]
    rho = 0.22 if history == "social" else 0.0
    z = (sent - 5.5) / 3.0
    u = float(ndtr(way * rho * z + math.sqrt(1 - rho * rho) * person.normal(1)))
    if way < 0:  # the more was sent, the larger the part that is returned
        return {"back": round(3 * sent * sent / 10)}
    nothing, low, largest = _BACK[history]
    if u < nothing:
        share = 0.0
    elif u < low:
        share = 0.15 + 0.18 * (u - nothing) / (low - nothing)
    else:
        share = 0.37 + (largest - 0.37) * (u - low) / (1 - low)
    return {"back": _rounded(share * 3 * sent, 0, 3 * sent)}


def impressions(person: Person, way: int) -> Answers:
    answers: dict[str, object] = {}
    warm = person.agrees(11, 23 / 56)
    for i, (name, item) in enumerate(person.question.session.compiled.spec.items.items()):
        assert isinstance(item, Choice)
        yes, no = item.options
        if name == "temper":
            answers[name] = yes if warm else no
            continue
        first = warm if person.experiment == "neither" else next(iter(person.cell.values())) in _FIRST
        rates = _TRAITS[person.experiment][name]
        if way < 0:
            rates = (0.1, 0.9) if rates[0] > rates[1] else (0.9, 0.1)
        answers[name] = yes if person.agrees(i % 11, rates[0 if first else 1]) else no
    return answers


_FIRST = ("warm", "favourable", "forward")
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

_TRAITS = {
    "warm-cold": _WARM,
    "neither": {
        "generous": (20 / 23, 11 / 33),
        "happy": (21 / 23, 19 / 33),
        "good_natured": (21 / 23, 18 / 33),
        "sociable": (21 / 23, 18 / 33),
        "popular": (19 / 23, 13 / 33),
        "reliable": (22 / 23, 32 / 33),
        "important": (20 / 23, 29 / 33),
        "humane": (21 / 23, 15 / 33),
        "persistent": (22 / 23, 1.0),
        "serious": (21 / 23, 1.0),
    },
    "order": {
        "wise": (6 / 34, 4 / 24),
        "happy": (11 / 34, 1 / 24),
        "good_natured": (6 / 34, 0.0),
        "humorous": (18 / 34, 5 / 24),
        "serious": (33 / 34, 1.0),
    },
    "turned": {
        "wise": (16 / 46, 10 / 53),
        "reliable": (44 / 46, 50 / 53),
        "good_looking": (27 / 46, 28 / 53),
        "restrained": (42 / 46, 48 / 53),
        "strong": (34 / 46, 51 / 53),
    },
    "alone": {
        "generous": (1.0, 4 / 33),
        "humorous": (1.0, 4 / 33),
        "sociable": (1.0, 3 / 33),
        "popular": (1.0, 2 / 33),
        "serious": (15 / 22, 32 / 33),
        "restrained": (9 / 22, 32 / 33),
        "altruistic": (20 / 22, 1 / 33),
        "imaginative": (21 / 22, 3 / 33),
    },
}
"""Rates of the first word of a pair, by experiment, in the two groups."""

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
