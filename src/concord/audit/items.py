"""What is audited: every reply of a run with what was read from it; the sample, the form, the verdicts."""

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from concord import people, reasoning
from concord.asking.askable import Recorded
from concord.asking.folder import read_run
from concord.asking.recorded import recorded_folder
from concord.asking.replies import replies_of
from concord.audit.estimate import (
    MISREAD,
    NONE,
    RIGHT,
    SAME,
    VERDICTS,
    WRONG,
    AuditItem,
    AuditKind,
    HintAudit,
    PeopleAudit,
)
from concord.errors import FileFormatError, OptionError, RunFolderError
from concord.files.documents import heading, read_document
from concord.files.json_text import parsed
from concord.files.output import write_json
from concord.people.design import plans_of
from concord.reasoning.design import MODES
from concord.reasoning.design import SAMPLES as VIGNETTES
from concord.reasoning.hints.detect import RULES, detector_of, judge_of_detector, judged_hints
from concord.reasoning.probes.reading import influenced_texts
from concord.reasoning.probes.session import SUITE
from concord.reasoning.read.replies import read_samples, reply_of
from concord.reasoning.result import Rule
from concord.reasoning.score.parse import Parser, column
from concord.reasoning.words.names import load_lexicon


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


REASONING = AuditKind(
    reasoning.NAME,
    _reasoning,
    ((SAME, "as read"), (RIGHT, "right"), (WRONG, "wrong"), (NONE, "no answer")),
    paired=True,
)
_AS_READ_OR_NOT = ((SAME, "as read"), (MISREAD, "misread"))
PEOPLE = AuditKind(people.NAME, _people, _AS_READ_OR_NOT, paired=False, result=PeopleAudit)
HINTS = AuditKind(SUITE, _hint_texts, _AS_READ_OR_NOT, paired=False, result=HintAudit)


KIND = "audit verdicts"


def write_verdicts(path: Path, question: str, verdicts: Mapping[str, str]) -> None:
    """Write what a person said: key of a reply to verdict."""
    write_json(path, {**heading(KIND), "question": question, "verdicts": dict(verdicts)})


def read_verdicts(path: Path, question: str) -> dict[str, str]:
    """Read what `write_verdicts` wrote, or what the page saved."""
    document = read_document(path, KIND)
    if document.get("question") != question:
        raise FileFormatError(f"{path}: verdicts on {document.get('question')!r}, expected {question!r}")
    found = document.get("verdicts")
    if not isinstance(found, dict) or not all(verdict in VERDICTS for verdict in found.values()):
        bad = json.dumps(found)[:60]
        raise FileFormatError(
            f"{path}: verdicts are {bad}, expected one of {', '.join(VERDICTS)} for each reply"
        )
    return {str(key): str(verdict) for key, verdict in found.items()}


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}"
    "pre{white-space:pre-wrap;background:#8881;padding:.8rem;border-radius:4px}fieldset{border:0;padding:0}"
    "label{margin-right:1.2rem}article{border-top:1px solid #8886;margin-top:1.5rem}button{font:inherit}"
)
_SCRIPT = """
const head = JSON.parse(document.getElementById("head").textContent);
document.getElementById("save").addEventListener("click", () => {
  const verdicts = {};
  for (const one of document.querySelectorAll("input:checked")) verdicts[one.name] = one.value;
  const file = new Blob([JSON.stringify({...head, verdicts}, null, 2)], {type: "application/json"});
  const link = document.createElement("a");
  link.href = URL.createObjectURL(file);
  link.download = "verdicts.json";
  link.click();
});
"""


def write_page(path: Path, model: str, kind: AuditKind, items: Sequence[AuditItem]) -> None:
    """Write the page; everything from replies is escaped, and nothing is loaded from elsewhere."""
    head = json.dumps({**heading(KIND), "question": kind.question}).replace("<", "\\\\u003c")
    body = "".join(_article(number, kind, item) for number, item in enumerate(items, start=1))
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Audit</title>'
        f"<style>{_STYLE}</style></head><body><h1>Audit of {escape(model)}, {escape(kind.question)}</h1>"
        "<p>Read each reply, then say what it answers. Save, and give the file to "
        f"<code>concord audit {escape(kind.question)} RUN --verdicts verdicts.json</code>.</p>{body}"
        '<p><button id="save" type="button">Save the verdicts</button></p>'
        f'<script type="application/json" id="head">{head}</script><script>{_SCRIPT}</script>'
        "</body></html>\n",
        encoding="utf-8",
    )


def _article(number: int, kind: AuditKind, item: AuditItem) -> str:
    choices = "".join(
        f'<label><input type="radio" name="{escape(item.key)}" value="{value}"> {escape(word)}</label>'
        for value, word in kind.choices
    )
    return (
        f"<article><h2>{number}. {escape(item.group)}</h2><pre>{escape(item.reply)}</pre>"
        f"<p>Read as: {escape(item.read)}</p>"
        f"<fieldset><legend>In truth the answer is</legend>{choices}</fieldset></article>"
    )
