"""Answers of participants that could not be read: by condition, and what they could make of the scores."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from concord.people.studies.observe import Observations
from concord.unread import Told, Unread, count_unread, told


def unread_answers(observed: Sequence[Observations]) -> Told:
    """Count the answers of every experiment that could not be read, by condition.

    Replies that never came are no answers. All answers of a participant are permuted together.
    """
    return told(one for each in observed for one in _by_condition(each))


def _by_condition(observed: Observations) -> Iterator[Unread]:
    trials: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for given in observed.given:
        session, member, step = given.id.rsplit("/", 2)
        level = step.partition("@")[2].partition("#")[0]
        condition = ", ".join([*given.condition.values(), *([level] if level else [])]) or "all"
        for _, answer in given.answers:
            if answer.reading is not None:
                trials[session.split("/")[1]].append((str(answer.outcome), condition, f"{session}/{member}"))
    study = observed.plan.study.study
    for experiment, entries in trials.items():
        outcomes, conditions, participants = zip(*entries, strict=True)
        what = study if len(observed.plan.study.experiments) == 1 else f"{study}, {experiment}"
        yield count_unread(outcomes, conditions, by="condition", what=what, units=participants)
