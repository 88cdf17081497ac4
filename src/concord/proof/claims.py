"""Claims: what somebody says will be found, of whom and beyond which margin, and whether results show it."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from concord.comparing.result import CompareResult
from concord.errors import FileFormatError, InputError, OptionError, quoted
from concord.files.contents import read_bytes
from concord.files.json_text import parsed
from concord.files.yaml_file import read_yaml
from concord.kinds import Column, Kind, Table
from concord.number_words import significant
from concord.numeric import LEVEL
from concord.people.agents import AgentsResult
from concord.people.files import PeopleResult
from concord.people.mixed.result import CombineResult, in_question
from concord.reasoning.files import ReasoningResult
from concord.records import Estimate, Interval
from concord.structure.result import StructureResult
from concord.unread import holds, withheld
from concord.words import say

SHOWN, NOT_SHOWN, OPPOSITE, UNJUDGED = "shown", "not shown", "the opposite is shown", "not judged"


@dataclass(frozen=True, slots=True)
class ClaimRule:
    """How one kind of claim is judged."""

    margin: float | None
    """Where none is given; ``None``: what the result itself says (a floor, a p)."""
    two: bool = False
    """Whether it is about two models."""
    below: bool = False
    """Whether the margin is a tolerated loss: the number has to lie above minus it."""


RULES: Mapping[str, ClaimRule] = {
    "pas": ClaimRule(None),
    "order": ClaimRule(None),
    "gap": ClaimRule(0.10),
    "better": ClaimRule(0.0, two=True),
    "as-good": ClaimRule(None, two=True, below=True),
    "worth": ClaimRule(0.0),
}
"""What can be claimed, in the words of the page "Words, and when they are printed"."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim."""

    claim: str
    who: tuple[str, ...]
    margin: float | None = None
    level: float = 0.95

    @property
    def key(self) -> str:
        """What makes it the same claim, whatever its margin and level."""
        return f"{self.claim} of {' against '.join(self.who)}"

    @property
    def limit(self) -> float | None:
        """The margin that counts."""
        return RULES[self.claim].margin if self.margin is None else self.margin

    @property
    def words(self) -> str:
        """What it says."""
        limit = "what chance gives" if self.limit is None else f"{self.limit:g}"
        other = {"other": self.who[-1]} if RULES[self.claim].two else {}
        return say(f"proof.says.{self.claim.replace('-', '_')}", who=self.who[0], margin=limit, **other)

    @property
    def rule(self) -> str:
        """How it is judged."""
        return say(f"proof.rule.{self.claim.replace('-', '_')}")


@dataclass(frozen=True, slots=True)
class JudgedClaim:
    """A claim and what results say to it."""

    claim: Claim
    verdict: str
    number: Estimate
    """The number it is about, with its interval."""
    limit: float | None = None
    """What the interval had to lie above."""
    source: str = ""
    """The folder of the result that was looked at."""
    reason: str = ""


ClaimFile = tuple[tuple[Claim, ...], Mapping[str, Any]]
"""A file of claims: the claims, and how results are to be computed where that is not as usual."""


def read_claims(path: Path) -> ClaimFile:
    """Read a file of claims (YAML or JSON): a list of them, or one under ``claims`` beside ``score``."""
    is_json = path.suffix.lower() == ".json"
    return claims_of(parsed(path.name, read_bytes(path)) if is_json else read_yaml(path).data, path.name)


def claims_of(data: object, name: str) -> ClaimFile:
    """Return the claims of plain data; `name` is its file."""
    held = data if isinstance(data, Mapping) else {"claims": data}
    listed = held.get("claims")
    if not isinstance(listed, list) or not listed:
        raise FileFormatError(
            f"{name}: expected a list of claims, such as '- claim: pas' with 'who: MODEL' below it"
        )
    unknown = [str(key) for key in held if key not in ("claims", "score")]
    if unknown:
        raise FileFormatError(f"{name}: the key {unknown[0]!r} is not known; expected claims, score")
    score = held.get("score")
    if score is not None and not isinstance(score, Mapping):
        raise FileFormatError(f"{name}: 'score' is {score!r}, expected choices such as protocol: refined")
    claims = tuple(_claim(one, f"{name}, claim {i}") for i, one in enumerate(listed, 1))
    keys = [one.key for one in claims]
    twice = next((key for key in keys if keys.count(key) > 1), None)
    if twice is not None:
        raise FileFormatError(f"{name}: {twice!r} is claimed twice; expected each claim once")
    return claims, {} if score is None else dict(score)


def _claim(held: object, where: str) -> Claim:
    if not isinstance(held, Mapping):
        raise FileFormatError(f"{where}: got {held!r}, expected claim, who and, where it has one, margin")
    unknown = [str(key) for key in held if key not in ("claim", "who", "margin", "level")]
    if unknown:
        raise FileFormatError(f"{where}: {unknown[0]!r} is not known; expected claim, who, margin, level")
    kind = held.get("claim")
    if not isinstance(kind, str) or kind not in RULES:
        raise FileFormatError(f"{where}: claim is {quoted(str(kind))}; expected one of {', '.join(RULES)}")
    who, wanted = held.get("who"), 2 if RULES[kind].two else 1
    names = [who] if isinstance(who, str) else who
    named = isinstance(names, list) and all(isinstance(one, str) and one.strip() for one in names)
    if not isinstance(names, list) or len(names) != wanted or not named:
        two = "two models, [FIRST, SECOND]" if wanted == 2 else "the name of a model"
        raise FileFormatError(f"{where}: who is {who!r}; expected {two}")
    margin = held.get("margin")
    if margin is not None and (not isinstance(margin, int | float) or isinstance(margin, bool)):
        raise FileFormatError(f"{where}: margin is {margin!r}; expected a number")
    if margin is None and RULES[kind].below:
        raise FileFormatError(f"{where}: {kind!r} needs a margin: the loss that would not matter")
    if margin is not None and RULES[kind].below and margin <= 0:
        raise FileFormatError(f"{where}: margin is {margin!r}; expected a number above 0")
    try:
        level = LEVEL.check("level", held.get("level", 0.95))
    except OptionError as fault:
        raise FileFormatError(f"{where}: {fault}") from None
    return Claim(kind, tuple(names), None if margin is None else float(margin), level)


READ: tuple[type[Kind], ...] = (
    *(PeopleResult, AgentsResult, StructureResult, ReasoningResult, CombineResult),
)
"""Kinds of results that claims are about."""


@dataclass(frozen=True, slots=True)
class ClaimedResult:
    """A result of a folder."""

    place: str
    folder: Path
    result: Any

    def names(self) -> list[str]:
        """Return whom it is about."""
        told = [str(one) for one in self.result.who()]
        return told if told else ["agent"]


def results_below(top: Path) -> tuple[list[ClaimedResult], list[str]]:
    """Read every result below a folder that claims can be about; and say which cannot be read."""
    found, faults = [], []
    for kind in READ:
        for path in sorted(top.rglob(kind.FILE)):
            try:
                found.append(
                    ClaimedResult(
                        path.parent.relative_to(top).as_posix(), path.parent, kind.read(path.parent)
                    )
                )
            except (InputError, ValueError, KeyError, TypeError) as fault:
                faults.append(f"{path.relative_to(top).as_posix()}: {fault}")
    return found, faults


def judge(
    claims: Iterable[Claim], results: Sequence[ClaimedResult], compare: Callable[..., Any]
) -> tuple[JudgedClaim, ...]:
    """Judge claims by the results that there are; `compare` is that of Concord."""
    return tuple(_judged(one, results, compare) for one in claims)


def _judged(claim: Claim, results: Sequence[ClaimedResult], compare: Callable[..., Any]) -> JudgedClaim:
    try:
        if RULES[claim.claim].two:
            found = _of_two(claim, results, compare)
        else:
            found = _NUMBERS[claim.claim](claim, results)
    except InputError as fault:
        return JudgedClaim(claim, UNJUDGED, Estimate(None), reason=str(fault))
    number, limit = found.number, found.limit
    low, high = number.ends
    level = None if number.interval is None else number.interval.level
    if number.value is None or low is None or high is None:
        why = number.note if number.note else "it has no interval"
        return replace(found, verdict=UNJUDGED, reason=f"undefined: {why.removeprefix('undefined: ')}")
    if level is not None and abs(level - claim.level) > 1e-9:
        why = f"claimed at level {claim.level:g}, but the interval is one of {level:g}"
        return replace(found, verdict=UNJUDGED, reason=why)
    if limit is None:
        return replace(found, verdict=UNJUDGED, reason="the result says no floor; give a margin")
    verdict = found.verdict or (SHOWN if low > limit else OPPOSITE if high < limit else NOT_SHOWN)
    if verdict != NOT_SHOWN and not holds(number, limit):
        return replace(found, verdict=NOT_SHOWN, reason=withheld(claim.words, number))
    return replace(found, verdict=verdict)


def _is(name: str, who: str) -> bool:
    """Whether a result's name is that of a claim: whole, or behind the provider."""
    return name == who or name.rsplit("/", 1)[-1] == who


def _result_of(claim: Claim, results: Sequence[ClaimedResult], kind: type[Kind], who: str) -> ClaimedResult:
    own = [one for one in results if isinstance(one.result, kind)]
    found = [one for one in own if any(_is(name, who) for name in one.names())]
    if not found:
        names = sorted({name for one in own for name in one.names()})
        there = f"; there are {', '.join(names)}" if names else ""
        raise OptionError(f"no {kind.FORMAT} of {who}{there}")
    return found[0]


def _of_agent(claim: Claim, results: Sequence[ClaimedResult]) -> JudgedClaim:
    many = [one for one in results if isinstance(one.result, AgentsResult)]
    for one in many:
        for agent in one.result.agents:
            if _is(agent.name, claim.who[0]):
                return _above_floor(claim, agent.pas, one.place)
    found = _result_of(claim, results, PeopleResult, claim.who[0])
    return _above_floor(claim, found.result.pas, found.place)


def _above_floor(claim: Claim, score: Any, place: str) -> JudgedClaim:
    floor = None if score.bounds is None else score.bounds.floor.value
    limit = claim.limit if claim.limit is not None else floor
    if score.interval is not None or score.new_participants is None:
        return JudgedClaim(claim, "", score.estimate, limit, place)
    here = replace(score.estimate, interval=score.new_participants)
    return JudgedClaim(
        claim, "", here, limit, place, "on these studies, of new participants; says nothing of other studies"
    )


def _order(claim: Claim, results: Sequence[ClaimedResult]) -> JudgedClaim:
    found = _result_of(claim, results, StructureResult, claim.who[0])
    model = next(one for one in found.result.models if _is(one.model, claim.who[0]))
    p, tau = model.order.p_value, model.order.tau
    if claim.limit is not None or p is None:
        return JudgedClaim(claim, "", tau, claim.limit, found.place)
    verdict = SHOWN if p < 1 - claim.level else NOT_SHOWN
    return JudgedClaim(claim, verdict, tau, 0.0, found.place, f"p = {significant(p, 4)}")


def _gap(claim: Claim, results: Sequence[ClaimedResult]) -> JudgedClaim:
    found = _result_of(claim, results, ReasoningResult, claim.who[0])
    return JudgedClaim(claim, "", _ungated(found.result), claim.limit, found.place)


def _ungated(result: ReasoningResult) -> Estimate:
    """Return the gap, undefined where early and late answers must not be compared."""
    gap = result.faithfulness_gap
    return replace(gap, value=None, interval=None, note=result.gate) if result.gate else gap


def _of_two(claim: Claim, results: Sequence[ClaimedResult], compare: Callable[..., Any]) -> JudgedClaim:
    first, second = claim.who
    limit = claim.limit if claim.limit is None or not RULES[claim.claim].below else -claim.limit
    for one in results:
        for pair in one.result.pairs if isinstance(one.result, AgentsResult) else ():
            ends = (_is(pair.first, first), _is(pair.second, second))
            other = (_is(pair.first, second), _is(pair.second, first))
            if pair.metric == "pas" and (all(ends) or all(other)):
                number = _of_pair(pair, 1 if all(ends) else -1, one.result.level)
                return JudgedClaim(claim, "", number, limit, one.place)
    for kind in (PeopleResult, StructureResult, ReasoningResult):
        own = [one for one in results if isinstance(one.result, kind)]
        if own:
            both = [_result_of(claim, own, kind, name) for name in claim.who]
            gates = [one.result.gate for one in both if kind is ReasoningResult and one.result.gate]
            if gates:
                return JudgedClaim(claim, "", Estimate(None, note=gates[0]), limit, both[0].place)
            compared = compare(*(one.folder for one in both), names=list(claim.who), level=claim.level)
            sign = 1.0 if kind is not StructureResult else -1.0  # less of an order effect is better
            number = _compared_difference(compared).turned(sign)
            return JudgedClaim(claim, "", number, limit, " and ".join(one.place for one in both))
    raise OptionError(f"no results of {first} and {second}")


def _compared_difference(compared: Any) -> Estimate:
    """Return the difference of two compared models: of scores of items, or of a number of each result."""
    pair = compared.pairs[0]
    if not isinstance(compared, CompareResult):
        number: Estimate = pair.metric(compared.metric).difference
        return number
    if pair.comparison is None:
        return Estimate(None, note="the two models share no item that both answered")
    difference: Estimate = pair.comparison.difference
    return difference


def _of_pair(pair: Any, sign: int, level: float) -> Estimate:
    answer = pair.other_studies
    ends = None
    if answer.low is not None and answer.high is not None:
        ends = Interval(answer.low, answer.high, level, "over studies")
    return Estimate(pair.difference, ends, n=pair.n_studies, note=answer.note).turned(sign)


def _worth(claim: Claim, results: Sequence[ClaimedResult]) -> JudgedClaim:
    own = [one for one in results if isinstance(one.result, CombineResult)]
    if not own:
        raise OptionError(f"no combined estimates of {claim.who[0]} with people")
    told = [(one, estimate) for one in own for estimate in in_question(one.result.estimates)]
    undefined = [one for one in told if one[1].worth.ends[0] is None]
    # what is claimed of the predictions is claimed of each estimate: the one worth least decides
    least, estimate = undefined[0] if undefined else min(told, key=lambda one: _low(one[1].worth))
    why = "" if len(told) == 1 else f"worth least of {len(told)} estimates: {estimate.of}"
    return JudgedClaim(claim, "", estimate.worth, claim.limit, least.place, why)


def _low(number: Estimate) -> float:
    low = number.ends[0]
    return float("-inf") if low is None else low


_NUMBERS: Mapping[str, Callable[[Claim, Sequence[ClaimedResult]], JudgedClaim]] = {
    "pas": _of_agent,
    "order": _order,
    "gap": _gap,
    "worth": _worth,
}


@dataclass(frozen=True, slots=True, repr=False)
class ClaimsResult(Kind):
    """Claims and what results say to each."""

    FORMAT, FILE, KEY = "judged claims", "claims.json", "claims"
    TABLES = (
        Table(
            "claims",
            rows=lambda result: result.claims,
            title="Claims",
            file="claims.csv",
            columns=(
                Column("claim", lambda one: one.claim.words, words=True),
                Column("verdict", words=True),
                Column("number", spread={"value": "value", "low": "low", "high": "high", "level": "level"}),
                Column("limit", title="has to exceed", digits=2),
                Column("reason", words=True, optional=True),
            ),
        ),
    )
    UNSHOWN = frozenset({"claims.claim", "claims.source"})

    claims: tuple[JudgedClaim, ...]

    def sentences(self) -> Sequence[str]:
        """Count the verdicts."""
        shown = sum(one.verdict == SHOWN for one in self.claims)
        return [say("proof.claims.shown", k=shown, n=len(self.claims))]
