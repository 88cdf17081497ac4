"""What the numbers mean, in words; each claim is printed only when its rule says so (docs: words)."""

from collections.abc import Collection, Iterable, Mapping, Sequence

from concord.number_words import level_lead, times
from concord.people.families.base import TestKind
from concord.people.protocol import Protocol
from concord.people.result import Bounds, CompanionNumbers, EffectSizes, Score, TestResult
from concord.records import Estimate, Interval, Side, SideOutcome, TestRow
from concord.words import say, sentence_of

FEWEST_STUDIES = 3
"""Studies without which nothing is said about others like them."""
ADJUSTED = "of the adjusted effects"
"""Names, in the method of a ceiling, replications of effects whose selection for significance is undone."""
NEAR_END = 0.10
"""A place whose interval lies within this distance of ceiling or floor is called as good as it."""


def conclusion_words(pas: Score, tests: Sequence[TestResult], outcomes: Mapping[str, int]) -> str:
    """Say how often conclusions agree, against what could be reached at these sample sizes."""
    if pas.value is None:
        ended = ", ".join(f"{n} {outcome}" for outcome, n in outcomes.items() if outcome != "scored")
        return say("people.conclusion.none", why=ended)
    said = [say("people.conclusion.found", value=pas.value, ends=pas.interval)]
    if pas.bounds is not None:
        said.append(relative_words(pas.bounds))
    few = len({test.study for test in tests if test.pas is not None})
    if pas.interval is None and tests and few < FEWEST_STUDIES:
        said.append(sentence_of(say("people.conclusion.few", n=few, fewest=FEWEST_STUDIES)))
    return " ".join(filter(None, said))


def place_claim(place: Estimate) -> str:
    """Return what is said of the place of a score between floor and ceiling; empty where that is withheld."""
    # A score at its ceiling may be there by luck: of models that follow people in nine tests of ten a third
    # or so reach it. So *as good as a rerun* and *no better than a model that shows no effects* are said only
    # where the whole interval lies within a tenth of ceiling or floor.
    if place.value is None:
        return ""
    if place.interval is not None and place.interval.low >= 1 - NEAR_END:
        return "as_good"
    if place.interval is not None and place.interval.high <= NEAR_END:
        return "no_better"
    return "as_high" if place.value >= 1 else "way"


def relative_words(bounds: Bounds) -> str:
    """Say what a rerun with people and a model that shows no effects would reach, and the place between."""
    place, reach, claim = bounds.place, bounds.place.interval, place_claim(bounds.place)
    ends: dict[str, object] = {"floor": bounds.floor.value, "ceiling": bounds.ceiling.value}
    if None in ends.values():
        return ""
    ends["undone"] = ADJUSTED in bounds.ceiling.method
    if claim == "as_high":
        low, high = bounds.ceiling.ends
        return say("people.conclusion.as_high", **ends, low=low, high=high)
    span: dict[str, object] = dict.fromkeys(("low", "high", "level"))
    if reach is not None:
        span = {"low": _held(reach.low), "high": _held(reach.high), "level": reach.level}
    if claim in ("as_good", "no_better"):
        return say(f"people.conclusion.claim_{claim}", **ends, **span)
    way = None if place.value is None else _held(place.value)
    apart = place.value is None and "apart" in place.note
    return say("people.conclusion.way", **ends, way=way, apart=apart, **span)


def _held(place: float) -> float:
    """Return a place between 0 and 1: nothing is said of how far a score lies below or above."""
    return min(1.0, max(0.0, place))


def replication_words(companions: CompanionNumbers, tests: Sequence[TestResult]) -> str:
    """Say how many human effects replicate and how many human nulls hold."""
    parts = []
    known = [replicates for test in tests if (replicates := test.replicates) is not None]
    if companions.apr_human_significant is not None:
        k, n = sum(known), len(known)
        one = say("people.replication.one", replicates=k)
        parts.append(one if n == 1 else say("people.replication.some", k=k, n=n))
    if companions.nulls_kept is not None:
        nulls = companions.n_human_nulls
        kept = round(companions.nulls_kept * nulls)
        one = say("people.replication.one_null", kept=kept)
        parts.append(one if nulls == 1 else say("people.replication.nulls", k=kept, n=nulls))
    said = sentence_of("; ".join(parts))
    turned = [
        turned_round(
            test.human_significant, test.human_direction, test.agent_significant, test.agent_direction
        )
        for test in tests
    ]
    return f"{said}{turned_words(turned)}" if said else ""


def turned_round(
    human_significant: bool | None,
    human_direction: float | None,
    agent_significant: bool | None,
    agent_direction: float | None,
) -> bool | None:
    """Whether the agent shows an effect of people significantly in the other direction."""
    # ``None`` where that is no question: nothing significant for people, or no direction on one side.
    if not human_significant or not human_direction or not agent_direction:
        return None
    return bool(agent_significant) and human_direction * agent_direction < 0


def turned_words(turned: Iterable[bool | None]) -> str:
    """Say how many effects are turned round where they are at least 2, and over half of those counted."""
    counted = [one for one in turned if one is not None]
    n_turned = sum(counted)
    if n_turned < 2 or 2 * n_turned <= len(counted):
        return ""
    return f" {sentence_of(say('people.replication.turned', k=n_turned, n=len(counted)))}"


def effect_words(ecs: Score, companions: CompanionNumbers, sizes: EffectSizes | None) -> str:
    """Say how effects agree, and how large they are against the human ones.

    One agreement: about zero where the coding of tests decides ECS, ECS itself elsewhere.
    """
    size = "" if sizes is None else size_words(sizes.size_ratio, sizes)
    if ecs.value is None:
        said = say("people.effect.none", why=ecs.estimate.note)
    else:
        zero = companions.concordance_about_zero
        arbitrary = sizes is not None and coding_decides(sizes.ecs_codings) and zero is not None
        said = say("people.effect.agree", value=zero if arbitrary else ecs.value, zero=arbitrary)
    return " ".join(sentence_of(part) for part in (said, size) if part)


CODING_MATTERS = 0.10
"""Beyond this distance between ECS as given and about zero a warning says that the coding matters."""


def coding_decides(codings: Mapping[str, float | None]) -> bool:
    """Whether which group comes first decides ECS."""
    given, zero = codings.get("as_given"), codings.get("about_zero")
    return given is not None and zero is not None and abs(given - zero) > CODING_MATTERS


def size_words(ratio: Estimate, sizes: EffectSizes | None = None) -> str:
    """Say whether effects are larger or smaller than the human ones: where size and median ratio agree."""
    median = Estimate(None) if sizes is None else sizes.median_ratio
    if ratio.value is None:
        known = median.value is not None
        return say("people.effect.median_alone", times=_times_words(median, Estimate(None))) if known else ""
    ends, times = ratio.interval, _times_words(ratio, median)
    if ends is None:
        return say("people.effect.size", times=times)
    claim = "larger" if ends.low > 1 else "smaller" if ends.high < 1 else ""
    if sizes is not None:  # the word is from a file: one that is not known claims nothing
        claim = sizes.claim if sizes.claim in ("larger", "smaller") else ""
    selected = None if sizes is None else sizes.selected
    if selected is None:
        return say(f"people.effect.claim_{claim if claim else 'either'}", times=times)
    excess = say(
        "people.effect.published", k=selected.n_significant, n=selected.n_tests, expected=selected.n_expected
    )
    undone = _times_words(selected.size_ratio, selected.median_ratio)
    if claim:
        corrected = say("people.effect.corrected", times=undone)
        return f"{say(f'people.effect.claim_{claim}', times=times)}; {corrected} ({excess})"
    return f"{say('people.effect.published_either', times=times, corrected=undone)}; {excess}"


def _times_words(ratio: Estimate, median: Estimate) -> str:
    """Return the size ratio and the median ratio, each with its interval."""
    said = say("people.effect.not_known")
    if ratio.value is not None:
        said = say("people.effect.times", ratio=_off_one(ratio.value), **_ratio_span(ratio.interval))
    if median.value is None:
        return said
    return say(
        "people.effect.median", times=said, median=_off_one(median.value), **_ratio_span(median.interval)
    )


def _ratio_span(ends: Interval | None) -> dict[str, str | None]:
    if ends is None:
        return {"low": None, "high": None}
    return {"low": level_lead(ends) + _off_one(ends.low), "high": _off_one(ends.high)}


def _off_one(end: float) -> str:
    """Return a ratio with as many digits, from two to five, as show on which side of 1 it lies."""
    shown = (times(end, digits) for digits in range(2, 6))
    return next((text for text in shown if float(text.replace(",", "")) != 1), times(end, 2))


def outcome_of(row: TestRow, pas: float | None, used: bool, passed: bool | None) -> str:
    """Return the one outcome a listed test is counted under."""
    if row.pas is None:
        for who, outcome in (("human", row.human_outcome), ("agent", row.agent_outcome)):
            if outcome is not SideOutcome.OK:
                return f"{who} {outcome.value}"
    return "scored" if pas is not None or used or passed is not None else "no number follows"


def flags_of(
    row: TestRow, kind: TestKind, protocol: Protocol, *, two_states: bool, half_directed: str | None
) -> tuple[str, ...]:
    """Name every assumption and approximation behind a test's numbers."""
    flags: list[str] = []
    for who, side in (("human", row.human), ("agent", row.agent)):
        if side is not None:
            flags += [f"{who}: {flag}" for flag in (*side.flags, *_side_flags(row, kind, side, protocol))]
    if two_states and protocol.states == 3:
        flags.append("scored in two states: a side has no direction")
    if row.pas is not None:
        flags.append("PAS as given")
    if half_directed is not None:
        flags.append(f"cannot pass: the {half_directed} effect has no direction and the other has one")
    return tuple(flags)


def _side_flags(row: TestRow, kind: TestKind, side: Side, protocol: Protocol) -> list[str]:
    flags = []
    if side.log_bf is not None:
        flags.append("log BF as given")
    if side.effect_d is not None:
        flags.append("d as given")
    return flags + kind.flags(row, side, protocol)


def reasons_of(
    row: TestRow,
    kind: TestKind,
    *,
    pas: float | None,
    effects: tuple[float | None, float | None],
    z: float | None,
) -> tuple[str, ...]:
    """Say why a test's numbers are undefined."""
    reasons = []
    sides = (("human", row.human, row.human_outcome), ("agent", row.agent, row.agent_outcome))
    for (who, side, outcome), d in zip(sides, effects, strict=True):
        if outcome is not SideOutcome.OK and side is None:
            reasons.append(f"{who} side {outcome.value}")
        elif d is None and side is not None:
            reasons.append(f"{who} d: {kind.no_d(side)}")
    if pas is None and row.human is not None and row.agent is not None:
        reasons.append(f"PAS: {kind.no_pas(row.agent)}")
    if z is None and None not in effects:
        reasons.append("Z: a standard error is missing or 0")
    return tuple(reasons)


_ASSUMED: tuple[tuple[str, str, str], ...] = (
    ("group sizes not given", "assume equal groups", "n1 and n2"),
    ("two equal cells assumed", "assume two equal cells", "n1 and n2"),
    ("p0 not given: taken as 0.5", "are tested against a rate of .5", "p0"),
    ("p0 not given: taken from", "take the rate under the null from the other side", "p0"),
    ("N not given: taken as df1 + df2 + 1", "take N from the degrees of freedom", "n"),
    ("U not given: derived from z", "take U from its z", "statistic"),
    ("W not given: derived from z", "take W from its z", "statistic"),
    ("SE not given: taken from the interval", "take the standard error from an interval of 95 %", "se"),
    ("is reported: the bound is used", "use a bound on p as the p-value", "p_value"),
    ("one-tailed: doubled", "double a one-tailed p-value", "p_value"),
    ("scored in two states: a side has no direction", "are scored without a direction", "direction"),
    ("cannot pass: the", "cannot pass, since one side has no direction", "direction"),
    ("rank correlation is scored as a product-moment", "score a rank correlation as Pearson's", ""),
    ("Welch's t is scored as Student's", "score Welch's t as Student's", ""),
)
"""How a flag begins or what it holds, what it says of the tests, and the column that would remove it."""
_MOST_NAMED = 3


def assumptions_of(flags: Iterable[tuple[tuple[str, str, str], Collection[str]]]) -> tuple[str, ...]:
    """Return one line per assumption: how many tests rest on it, which, and what would remove it.

    Given are the study, the finding and the name of each test, with what was assumed for it.
    """
    lines, tests = [], list(flags)
    for part, words, column in _ASSUMED:
        inside = [named for named, assumed in tests if any(part in flag for flag in assumed)]
        if inside:
            names = ", ".join(" ".join(dict.fromkeys(named)) for named in inside[:_MOST_NAMED])
            said = {"words": _agree(words, len(inside)), "names": names, "column": column}
            lines.append(say("people.assumed.line", n=len(inside), more=len(inside) > _MOST_NAMED, **said))
    return tuple(lines)


def _agree(words: str, n: int) -> str:
    """Put the verb of a single test in the third person."""
    if n != 1:
        return words
    verb, _, rest = words.partition(" ")
    return {"are": "is", "cannot": "cannot"}.get(verb, verb + "s") + " " + rest if rest else verb
