"""What can be audited: every reply of a run with what was read from it, in groups that are compared."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from concord import people, reasoning
from concord.asking.askable import Recorded
from concord.asking.folder import read_run
from concord.asking.packing import replies_of
from concord.asking.recorded import recorded_folder
from concord.errors import OptionError, RunFolderError
from concord.files.json_text import parsed
from concord.people.design import plans_of
from concord.reasoning.correct import Rule
from concord.reasoning.design import MODES
from concord.reasoning.design import SAMPLES as VIGNETTES
from concord.reasoning.lexicon import load_lexicon
from concord.reasoning.parse import Parser, column
from concord.reasoning.read.replies import reply_of
from concord.reasoning.read.vignettes import read_samples

RIGHT, WRONG, NONE, SAME, MISREAD = "right", "wrong", "none", "same", "misread"
VERDICTS = (SAME, RIGHT, WRONG, NONE, MISREAD)
"""As read; the answer is right, wrong, or there is none; misread, where there is no right answer."""


@dataclass(frozen=True, slots=True)
class AuditItem:
    """One reply and what was read from it."""

    key: str
    group: str
    """The mode, or the condition."""
    unit: str
    """What the groups have in common: the vignette and repeat, or the question."""
    reply: str
    read: str
    """What the reader says, in words."""
    right: bool | None
    """Whether the reader calls the answer right; ``None`` where there is no right answer."""


@dataclass(frozen=True, slots=True)
class AuditKind:
    """What is audited of a question's replies."""

    question: str
    items: Callable[[Recorded], Iterator[AuditItem]]
    choices: tuple[tuple[str, str], ...]
    """Verdicts that a person can give, with the word that is shown."""
    paired: bool
    """Whether each unit has a reply in two modes whose gap is corrected."""


def items_of(folder: Path, kind: AuditKind) -> tuple[str, list[AuditItem]]:
    """Return the model's name and every reply of a run that came with a text."""
    found = recorded_folder(read_run(folder))
    if found.suite != kind.question:
        raise RunFolderError(f"{folder} holds a run of {found.suite!r}, not of {kind.question!r}")
    items = list(kind.items(found))
    if not items:
        raise RunFolderError(f"{folder} holds no reply with a text; run the same command again")
    return found.model, items


def sampled(items: Sequence[AuditItem], n: int, seed: int) -> list[AuditItem]:
    """Draw a sample, as even over groups as it goes, in random order; the same seed draws the same."""
    if n < 1:
        raise OptionError(f"--n {n}: expected a whole number from 1 on")
    rng = np.random.default_rng(seed)
    groups = sorted({item.group for item in items})
    shuffled = [[one for one in items if one.group == group] for group in groups]
    shuffled = [[own[k] for k in rng.permutation(len(own))] for own in shuffled]
    drawn: list[AuditItem] = []
    for place in range(max(map(len, shuffled), default=0)):
        drawn += [own[place] for own in shuffled if place < len(own)]
    kept = drawn[: min(n, len(drawn))]
    return [kept[k] for k in rng.permutation(len(kept))]


def _reasoning(found: Recorded) -> Iterator[AuditItem]:
    samples = read_samples(parsed(VIGNETTES, found.files[VIGNETTES].decode("utf-8")))
    gold = {sample.id: sample.gold_answer for sample in samples.rows}
    parser = Parser(samples.rows, load_lexicon(), "standard")
    headline = column("standard", Rule())
    for row in found.rows:
        if row["mode"] not in MODES or not str(row.get("response") or "").strip():
            continue
        reply = reply_of(row, None, modes=True)
        one = parser.reply(reply, gold[reply.id])
        right = one.usable and one.right[headline]
        said = f"{one.outcome}; answer ({one.how}): {one.split.answer or '-'}; gold: {gold[reply.id]}; "
        said += "right" if right else "not right"
        unit = f"{reply.id}/{reply.repeat}"
        yield AuditItem(f"{unit}/{reply.mode}", reply.mode, unit, reply.response, said, right)


def _people(found: Recorded) -> Iterator[AuditItem]:
    from concord.people.studies.observe import observe
    from concord.people.studies.sessions import replaying

    replies = replies_of(found.rows)
    for plan in plans_of(found.files, found.options):
        for given in observe(plan, replaying(replies)).given:
            if given.reply is None or not given.reply.strip():
                continue
            condition = ", ".join(given.condition.values())
            group = f"{plan.study.study}: {condition}" if condition else str(plan.study.study)
            for name, answer in given.answers:
                said = f"{name}: {answer.outcome}{_values_of(answer.values)}"
                yield AuditItem(f"{given.id}/{name}", group, given.id, given.reply, said, None)


def _values_of(values: Mapping[str, Any]) -> str:
    known = ", ".join(f"{name} = {value}" for name, value in values.items() if value is not None)
    return f"; {known}" if known else ""


REASONING = AuditKind(
    reasoning.NAME,
    _reasoning,
    ((SAME, "as read"), (RIGHT, "right"), (WRONG, "wrong"), (NONE, "no answer")),
    paired=True,
)
PEOPLE = AuditKind(people.NAME, _people, ((SAME, "as read"), (MISREAD, "misread")), paired=False)
