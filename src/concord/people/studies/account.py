"""From observations to what a result keeps of them."""

from collections.abc import Iterable, Iterator

from concord.people.studies.held import HeldDesign, HeldStudy, ReplyItem, StudyReply, TestInputs
from concord.people.studies.inputs import inputs_of
from concord.people.studies.observe import Observations


def held_study(observed: Observations) -> HeldStudy:
    """Return the plan of a study, and how many of its sessions ended early."""
    plan = observed.plan
    study, design = plan.study, plan.design
    return HeldStudy(
        study=study.study,
        title=study.title,
        domain=study.domain,
        source=study.source.model_dump(),
        findings={name: finding.says for name, finding in study.findings.items()},
        file=plan.file.file,
        design=HeldDesign(design.name, design.text, design.sha256),
        seed=plan.seed,
        n_per_cell=plan.n,
        sessions=len(plan.sessions),
        participants=sum(len(session.members) for session in plan.sessions),
        sessions_ended_early=sum(observed.ended_early.values()),
    )


def study_replies(observed: Iterable[Observations]) -> Iterator[StudyReply]:
    """Return every reply with where it was asked and what was read from it."""
    for one in observed:
        for given in one.given:
            session, member, step = given.id.rsplit("/", 2)
            study, experiment, number = session.split("/", 2)
            yield StudyReply(
                given.id,
                study,
                experiment,
                ", ".join(given.condition.values()),
                f"{number}/{member}",
                step,
                tuple(
                    ReplyItem(name, str(answer.outcome), dict(answer.values))
                    for name, answer in given.answers
                ),
                given.reply,
                given.prompt,
                given.told,
            )


def all_test_inputs(observed: Iterable[Observations]) -> Iterator[TestInputs]:
    """Say of every test which answers and conditions it was computed from."""
    for one in observed:
        study = one.plan.study
        for finding, spec in study.findings.items():
            for test in spec.tests:
                yield inputs_of(study, finding, test)
