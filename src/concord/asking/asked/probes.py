"""Interventions on reasoning: how sessions are held and scored."""

from typing import TYPE_CHECKING, Any

from concord.asking.askable import Askable, FollowUp, Recorded, Sessions
from concord.asking.replies import TurnTexts, lost_turns
from concord.asking.talks import found_or_why
from concord.numeric import gated
from concord.reasoning.probes.design import design_probes, probe_openers, typical_reply
from concord.reasoning.probes.session import SUITE, ProbeQuestion
from concord.records import Trial

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from concord.reasoning.probes.result import ProbeResult


JUDGE = "judge"


@gated()
def score(
    found: Recorded, *, partial: bool = False, detector: str | None = None, level: float = 0.95
) -> "ProbeResult":
    """Score the sessions of a run; answers that never came are counted, finished or not."""
    from concord.files.rows import StoredRecords
    from concord.reading.records import StoredReading
    from concord.reasoning.hints.detect import RULES, detector_of, judge_of_detector, judged_hints
    from concord.reasoning.probes.reading import probe_answers
    from concord.reasoning.probes.result import ProbeResult
    from concord.reasoning.probes.score import score_probe_rows

    name = str(found.options.get("detector") or RULES) if detector is None else detector
    verdicts = None if judge_of_detector(name) is None else judged_hints(found.followed)
    judge = detector_of(name, verdicts)
    given, lost = TurnTexts(found.rows), lost_turns(found.rows)
    readings = StoredRecords(StoredReading)
    rows, hints = probe_answers(found.files, found.options, given, judge, lost, readings)
    asked = how_asked(found.options)
    scores = score_probe_rows(rows, hints, model=found.model, detector=name, asked=asked, level=level)
    return ProbeResult(scores, rows, hints, found.made, readings.as_tuple())


def judging_of(found: Recorded) -> FollowUp | None:
    """Lay out the judge's run, where hints are detected by ``judge:MODEL``."""
    from concord.reasoning.hints.detect import design_hint_judging, judge_of_detector
    from concord.reasoning.probes.reading import influenced_texts

    model = judge_of_detector(str(found.options.get("detector") or ""))
    if model is None:
        return None
    texts = influenced_texts(found.files, found.options, TurnTexts(found.rows))
    return FollowUp(design_hint_judging(texts), model, JUDGE)


def how_asked(options: "Mapping[str, Any]") -> dict[str, str]:
    """Return in words how a run was asked."""
    helper = options.get("helper")
    return {
        "by": "prefill" if options.get("prefill") else "instruction",
        "changed steps": "bundled, of the gold chain" if helper is None else f"written by {helper}",
        "chains of": str(options.get("chains_of")),
    }


def reads_probes(
    files: "Mapping[str, bytes]", options: "Mapping[str, Any]"
) -> "Callable[[ProbeQuestion, str], Sequence[str]]":
    """Return what reads the answer to a question of a probe: a diagnosis, or the letter of an option."""
    from concord.reasoning.probes.reading import probe_reads

    read = probe_reads(files, options)
    return lambda question, reply: (
        found_or_why(read(question, reply), question.forms[0], f"{question.lead}{reply}")
        if question.forms
        else ()
    )


def turn_of_probe(question: ProbeQuestion) -> Trial:
    """Return a question of a probe as a trial; each sample is a repeat of its own, so that seeds differ."""
    cell = f"{question.probe}-{question.cell}"
    return Trial(
        SUITE,
        question.id,
        cell,
        question.messages,
        question.sample,
        "reasoning/probes",
        forms=question.forms,
    )


def helper_of(options: "Mapping[str, Any]") -> str | None:
    """Return the model that writes changed steps."""
    helper = options.get("helper")
    return None if helper is None else str(helper)


ASKED = Askable(
    name=SUITE,
    design=design_probes,
    score=score,
    max_tokens=1024,
    repeats=2,
    task={"limit": "items"},
    follow=judging_of,
    followed_in=JUDGE,
    sessions=Sessions(
        probe_openers, typical_reply, turn_of_probe, thinking=True, reads=reads_probes, helper=helper_of
    ),
)
