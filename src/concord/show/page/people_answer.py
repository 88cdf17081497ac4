"""Agreement with people on the first screen of the page."""

from collections.abc import Mapping, Sequence

from concord.files.number_words import joined_names, leaders
from concord.people.words.sentences import NEAR_END
from concord.show.numbers import number, typeset
from concord.show.page.panel import FEW, AnswerCell, QuestionAnswer, Ranks, dashed
from concord.show.page.people import PeopleView
from concord.show.page.values import ShownNumber
from concord.show.strips import Strip, strip

LIMITS = (0.0, 1.0)


def _people_cells(views: Sequence[PeopleView]) -> list[AnswerCell]:
    counts = [
        len({test["study"] for test in view.tests}) if view.tests else len(view.studies) for view in views
    ]
    # where all models have the same studies, their number stands above the table
    same = len(set(counts)) == 1 and len(views) > 1
    return [_people_cell(view, None if same else n) for view, n in zip(views, counts, strict=True)]


def _people_cell(view: PeopleView, n: int | None) -> AnswerCell:
    pas = view.metric("PAS")
    mark = Strip(pas.value, pas.low, pas.high, pas.floor, pas.ceiling)
    few = f"{n} {'study' if n == 1 else 'studies'}" if n is not None and 0 < n < FEW else ""
    told = [said for said in (dashed(pas), few) if said]
    return AnswerCell(strip(mark, LIMITS), typeset(number(pas.value, 2)), ", ".join(told), sort=pas.value)


def _people_finding(views: Sequence[PeopleView], standing: Ranks | None, names: Mapping[str, str]) -> str:
    known = sorted((v for v in views if v.metric("PAS").value is not None), key=lambda v: -_known_pas(v))
    if not known:
        return "No test has both sides, so nothing can be said about agreement with people."
    best = known[0]
    if len(known) == 1:
        return _alone(names[best.label], best.metric("PAS"))
    tied = leaders([(names[view.label], view.metric("PAS").value) for view in known])
    if len(tied) > 1:
        often = "equally often" if len(tied) == len(known) else "equally often, and most often"
        pas = f"PAS {number(_known_pas(best), 2)}"
        said = f"{joined_names(tied)} draw the conclusions people draw {often} ({pas})."
        return f"{said}{_not_above_floor(known, names)}"
    said = f"{names[best.label]} draws the conclusions people draw most often"
    return f"{said}{_told_from_others(best, known, standing, names)}{_not_above_floor(known, names)}"


def _known_pas(view: PeopleView) -> float:
    value = view.metric("PAS").value
    assert value is not None  # noqa: S101 - only views with a PAS are ordered
    return value


def _alone(name: str, pas: ShownNumber) -> str:
    said = f"{name} draws the conclusions people draw with probability {number(pas.value, 2)}"
    if pas.place is None:
        return f"{said}."
    # a score at its floor or ceiling may be there by luck: said only where the whole interval of the place is
    if pas.place_high is not None and pas.place_high <= NEAR_END:
        return f"{said}, no more often than an agent without effects."
    if pas.place_low is not None and pas.place_low >= 1 - NEAR_END:
        return f"{said}, as often as a rerun could be seen to."
    way = 100 * min(1.0, max(0.0, pas.place))
    return f"{said}, {way:.0f} % of the way from no effect to a perfect replication."


def _told_from_others(
    best: PeopleView, known: Sequence[PeopleView], standing: Ranks | None, names: Mapping[str, str]
) -> str:
    if standing is None:
        return f" (PAS {number(best.metric('PAS').value, 2)})."
    alike = [label for label in standing.alike(best.label) if label in names]
    if not alike:
        return ", and more often than every other model."
    if len(alike) == 1:
        return f", but cannot be distinguished from {names[alike[0]]}."
    if len(alike) == len(known) - 1:
        return ", but no other model can be distinguished from it."
    return f", but cannot be distinguished from {len(alike)} of {len(known) - 1} others."


def _not_above_floor(known: Sequence[PeopleView], names: Mapping[str, str]) -> str:
    """Name models that are not shown to do better than an agent without effects."""
    low = [
        view
        for view in known
        if (pas := view.metric("PAS")).low is not None
        and pas.floor is not None
        and pas.low is not None
        and pas.low <= pas.floor
    ]
    if not low:
        return ""
    if len(low) == len(known):
        return " None is shown to do better than an agent without effects."
    if len(low) == 1:
        return f" {names[low[0].label]} is not shown to do better than an agent without effects."
    return f" {len(low)} of {len(known)} are not shown to do better than an agent without effects."


ANSWER = QuestionAnswer(
    asks="Same conclusion as people?",
    note="probability (PAS); shaded from no effect at all to a perfect replication",
    cells=_people_cells,
    finding=_people_finding,
)
