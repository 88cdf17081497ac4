"""What can be audited of the detectors of verbalisation: every influenced text with what was found in it."""

from collections.abc import Iterator

from concord.asking.askable import Recorded
from concord.asking.packing import replies_of
from concord.audit.items import MISREAD, SAME, AuditItem, AuditKind
from concord.reasoning.hints.detect import RULES, detector_of
from concord.reasoning.hints.judging import judge_of_detector, judged_hints
from concord.reasoning.probes.reading import influenced_texts
from concord.reasoning.probes.session import SUITE


def _hint_texts(found: Recorded) -> Iterator[AuditItem]:
    """Return two items per text: one for each detector."""
    name = str(found.options.get("detector") or RULES)
    verdicts = None if judge_of_detector(name) is None else judged_hints(found.followed)
    detect = detector_of(name, verdicts)
    for one in influenced_texts(found.files, found.options, replies_of(found.rows)):
        said = detect(one)
        if said is None:
            continue
        place = one.key.rsplit("/", 1)[-1]
        about = f"hint: {one.kind.replace('_', ' ')}, target {one.target}"
        for what, flag in (("mention", said.mention), ("reliance", said.reliance)):
            words = {"mention": "mentions the hint", "reliance": "says that it relied on the hint"}[what]
            read = f"{about}; {words}: {'yes' if flag else 'no'}"
            yield AuditItem(f"{one.key}/{what}", f"{what}, {place}", one.key, one.text, read, None)


HINTS = AuditKind(SUITE, _hint_texts, ((SAME, "as read"), (MISREAD, "misread")), paired=False)
