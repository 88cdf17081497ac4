"""What the numbers mean, in words; each claim is printed only when its rule says so (docs: words)."""

from collections.abc import Iterable, Mapping, Sequence

from concord.number_words import interval_words, level_words, number, percent
from concord.people.result import Bounds, CompanionNumbers, EffectSizes, Score, TestResult
from concord.records import Estimate, Interval

FEWEST_STUDIES = 3
"""Studies without which nothing is said about others like them."""
NEAR_END = 0.10
"""A place whose interval lies within this distance of ceiling or floor is called as good as it."""


def conclusion_words(pas: Score, tests: Sequence[TestResult], outcomes: Mapping[str, int]) -> str:
    """Say how often conclusions agree, against what could be reached at these sample sizes."""
    if pas.value is None:
        ended = ", ".join(f"{n} {outcome}" for outcome, n in outcomes.items() if outcome != "scored")
        why = f" ({ended})" if ended else ""
        return f"No test has both sides{why}, so nothing can be said about conclusions."
    ends = (
        "" if pas.interval is None else f" ({level_words(pas.interval.level)} {interval_words(pas.interval)})"
    )
    said = (
        "A conclusion drawn from the agent agrees with the one drawn from people with probability "
        f"{number(pas.value, 2)}{ends}"
    )
    said = f"{said}{'' if pas.bounds is None else relative_words(pas.bounds)}."
    few = len({test.study for test in tests if test.pas is not None})
    if pas.interval is None and tests and few < FEWEST_STUDIES:
        studies = "One study says" if few == 1 else f"{few} studies say"
        said += f" {studies} nothing about other studies: that takes at least {FEWEST_STUDIES}."
    return said


def relative_words(bounds: Bounds) -> str:
    """Say what a perfect replication and an agent without effects would reach, and the place between."""
    floor, ceiling = bounds.floor.value, bounds.ceiling.value
    if floor is None or ceiling is None:
        return ""
    said = (
        f", where a perfect replication at these sample sizes would reach {number(ceiling, 2)} "
        f"and an agent without effects {number(floor, 2)}"
    )
    place = place_words(bounds.place)
    if bounds.place.value is not None and bounds.place.value >= 1 and not place.startswith("as good"):
        reach = bounds.ceiling.interval
        between = (
            "" if reach is None else f"; such a rerun lies between {' and '.join(_ends_of_rerun(reach))}"
        )
        return (
            f": as high as a rerun with people would usually score ({number(ceiling, 2)}{between}); an agent "
            f"without effects reaches {number(floor, 2)}"
        )
    if place:
        return f"{said}: {place}"
    return f"{said}; these tests cannot tell the two apart" if "apart" in bounds.place.note else said


def _ends_of_rerun(reach: Interval) -> tuple[str, str]:
    return number(reach.low, 2), number(reach.high, 2)


def place_words(place: Estimate) -> str:
    """Say where a score lies between floor and ceiling; empty where that is withheld."""
    # A score at its ceiling may be there by luck: of agents that follow people in nine tests of ten a third
    # or so reach it. So *as good as a rerun* and *no better than an agent without effects* are said only
    # where the whole interval lies within a tenth of ceiling or floor; else the place is told, held between 0
    # and 100 %.
    if place.value is None:
        return ""
    interval = place.interval
    way = f"{percent(_held(place.value))} of the way"
    if interval is None:
        return f"{way}, without an interval"
    low, high = (percent(_held(end)) for end in (interval.low, interval.high))
    span = f"{percent(interval.level)} interval {low} to {high}"
    if interval.low >= 1 - NEAR_END:
        return f"as good as a rerun could be seen to be ({span} of the way)"
    if interval.high <= NEAR_END:
        return f"no better than an agent without effects ({span} of the way)"
    return f"{way} ({span})"


def _held(place: float) -> float:
    """Return a place between 0 and 1: below the floor and above the ceiling there is nothing to tell."""
    return min(1.0, max(0.0, place))


def replication_words(companions: CompanionNumbers, tests: Sequence[TestResult]) -> str:
    """Say how many human effects replicate and how many human nulls hold."""
    parts = []
    n = sum(test.verdict in ("replicates", "does not replicate") for test in tests)
    if companions.apr_human_significant is not None:
        shown = sum(test.verdict == "replicates" for test in tests)
        alone = "does" if shown else "does not"
        one = f"the one effect that people show {alone} replicate"
        parts.append(one if n == 1 else f"{shown} of {n} effects replicate")
    if companions.nulls_kept is not None:
        nulls = companions.n_human_nulls
        alone = "kept" if companions.nulls_kept else "broken"
        kept = round(companions.nulls_kept * nulls)
        parts.append(f"the one human null is {alone}" if nulls == 1 else f"{kept} of {nulls} nulls hold")
    said = "; ".join(parts)
    return f"{said[0].upper()}{said[1:]}.{reversal_words(tests)}" if said else ""


def reversal_words(tests: Sequence[TestResult]) -> str:
    """Say that most effects are turned round, which often means that groups were."""
    return turned_words(
        [
            turned_round(
                test.human_significant, test.human_direction, test.agent_significant, test.agent_direction
            )
            for test in tests
        ]
    )


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
    return (
        f" {n_turned} of {len(counted)} are significant in the opposite direction: is group 1 the same group "
        "on both sides?"
    )


def effect_words(ecs: Score, companions: CompanionNumbers, sizes: EffectSizes | None) -> str:
    """Say how effects agree, and how large they are against the human ones.

    One agreement: about zero where the coding of tests decides ECS, ECS itself elsewhere.
    """
    size = "" if sizes is None else size_words(sizes.size_ratio, sizes)
    if ecs.value is None:
        said = f"Effect sizes cannot be compared ({ecs.estimate.note})"
        return f"{said}; {size}." if size else f"{said}."
    zero = companions.concordance_about_zero
    arbitrary = sizes is not None and coding_decides(sizes.ecs_codings)
    shown, how = (zero, " about zero") if zero is not None and arbitrary else (ecs.value, "")
    said = f"Its effects agree with the human ones at {number(shown, 2)}{how} (1 is identity)"
    return f"{said}; {size}." if size else f"{said}."


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
        return (
            ""
            if median.value is None
            else f"their size relative to the human ones: {_times_words(ratio, median)}"
        )
    ends = ratio.interval
    if ends is None:
        return f"their size relative to the human ones is {number(ratio.value, 2)}, without an interval"
    claim = "larger" if ends.low > 1 else "smaller" if ends.high < 1 else ""
    claim = claim if sizes is None else sizes.claim
    told, selected = _times_words(ratio, median), None if sizes is None else sizes.selected
    if selected is not None:
        excess = f"{selected.n_significant} of {selected.n_tests} human tests are significant where " + (
            f"{number(selected.n_expected, 0)} are expected"
        )
        undone = _times_words(selected.size_ratio, selected.median_ratio)
        if claim:
            return f"they are {claim} than the human ones, {told}; with selection undone {undone} ({excess})"
        return (
            f"against published effects {told}; {excess}, and with that selection undone no difference in "
            f"size could be shown ({undone})"
        )
    if claim:
        return f"they are {claim} than the human ones, {told}"
    return f"no difference in size could be shown ({told})"


def _times_words(ratio: Estimate, median: Estimate) -> str:
    """Return the size ratio and the median ratio, each with its interval."""
    ends, middle = ratio.interval, median.interval
    said = "not known" if ratio.value is None else f"{number(ratio.value, 2)} times"
    said += (
        "" if ends is None else f", {level_words(ends.level)} {_off_one(ends.low)} to {_off_one(ends.high)}"
    )
    if median.value is None:
        return said
    span = "" if middle is None else f", {_off_one(middle.low)} to {_off_one(middle.high)}"
    return f"{said}; in the median {number(median.value, 2)}{span}"


def _off_one(end: float) -> str:
    """Return a limit with as many decimals, from two to five, as show on which side of 1 it lies."""
    shown = (number(end, decimals) for decimals in range(2, 6))
    return next((text for text in shown if float(text) != 1), number(end, 2))
