"""What is asked for is what is read: a reply to a prompt that asks for an answer of some form."""

from collections.abc import Sequence

from concord.reading.read import read_reply
from concord.reading.records import Reading, ReadOutcome
from concord.records import AnswerForm

AGAIN_AFTER = (ReadOutcome.UNREADABLE, ReadOutcome.SEVERAL, ReadOutcome.OUT_OF_RANGE)
"""After these an answer is asked for once more. A refusal is an answer of its kind; a reply that is cut or
empty is no answer of this conversation: it is asked anew, with more tokens, by ``--again``."""


def read_form(form: AnswerForm, text: str | None) -> Reading:
    """Read a reply to a prompt that asks for this answer."""
    names = dict(form.names)
    if form.kind == "choice":
        return read_reply(text, choices=names)
    if form.kind == "number":
        return read_reply(text, number=(form.low, form.high), whole=form.whole)
    if form.kind == "ranking":
        return read_reply(text, ranking=names)
    if form.kind == "split":
        return read_reply(text, split=(0.0 if form.total is None else form.total, names))
    if form.kind == "label":
        return read_reply(text, labels=names)
    said = "" if text is None else text.strip()
    return Reading(said, ReadOutcome.OK) if said else Reading(None, ReadOutcome.EMPTY)


def asks_again(outcomes: Sequence[str]) -> bool:
    """Whether the answers of a reply are asked for once more; never after a refusal.

    Examples
    --------
    >>> asks_again(["ok", "unreadable"]), asks_again(["refused"]), asks_again(["ok"]), asks_again(["empty"])
    (True, False, False, False)
    """
    return str(ReadOutcome.REFUSED) not in outcomes and any(one in AGAIN_AFTER for one in outcomes)


def both(first: str, second: str, form: AnswerForm) -> str:
    r"""Return a reply and the answer that was asked for after it as one text: its last line is the answer.

    Examples
    --------
    >>> both("REASONING: It fits.", "Panic Disorder", AnswerForm("label", mark="DIAGNOSIS", reasoning=True))
    'REASONING: It fits.\n\nDIAGNOSIS: Panic Disorder'
    """
    said = second.strip()
    found, marked = read_form(form, said), f"{form.mark}: {said}"
    surely = found.ok and found.how != "bare"
    last = marked if not surely and read_form(form, marked).ok else said
    return f"{first.rstrip()}\n\n{last}"
