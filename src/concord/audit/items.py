"""The sample of an audit, the form that a person fills in, and the verdicts; detected hints as items."""

import json
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path

import numpy as np

from concord.asking.askable import Recorded
from concord.asking.folder import read_run
from concord.asking.recorded import recorded_folder
from concord.asking.replies import TurnTexts
from concord.audit.estimate import (
    MISREAD,
    OTHER,
    SAME,
    VERDICTS,
    AuditItem,
    AuditKind,
    HintAudit,
)
from concord.errors import FileFormatError, RunFolderError
from concord.files.documents import heading, read_document
from concord.files.output import write_json, write_text
from concord.numeric import check_numbers
from concord.reasoning.hints.detect import RULES, detector_of, judge_of_detector, judged_hints
from concord.reasoning.probes.reading import influenced_texts
from concord.reasoning.probes.session import SUITE
from concord.show.page.fragments import marked_reply

_FEWEST = 2
"""Replies of each stratum at least."""


def sampled(items: Sequence[AuditItem], n: int, seed: int) -> list[AuditItem]:
    """Draw a sample by how answers were found, in random order; the same seed draws the same."""
    # Strata have shares like the roots of their sizes, so that rare ones are seen and frequent ones count;
    # within a stratum all groups have the same share.
    check_numbers({"n": n, "seed": seed}, required=("n", "seed"))
    rng = np.random.default_rng(seed)
    strata = [_in_shares(rng, [one for one in items if one.stratum == name]) for name in _strata(items)]
    sizes = [0] * len(strata)
    for _ in range(min(n, len(items))):
        open_ones = [k for k, own in enumerate(strata) if sizes[k] < len(own)]
        k = min(open_ones, key=lambda k: (sizes[k] >= _FEWEST, (sizes[k] + 1) / len(strata[k]) ** 0.5))
        sizes[k] += 1
    kept = [item for own, size in zip(strata, sizes, strict=True) for item in own[:size]]
    return [kept[k] for k in rng.permutation(len(kept))]


def _strata(items: Sequence[AuditItem]) -> list[str]:
    return sorted({item.stratum for item in items})


def _in_shares(rng: np.random.Generator, items: Sequence[AuditItem]) -> list[AuditItem]:
    """Return items in an order of which every beginning has all groups in their shares."""
    places: list[tuple[float, AuditItem]] = []
    for group in sorted({item.group for item in items}):
        own = [item for item in items if item.group == group]
        start = rng.random()
        places += [((i + start) / len(own), own[k]) for i, k in enumerate(rng.permutation(len(own)))]
    return [item for _, item in sorted(places, key=lambda one: one[0])]


def detected_hints(folder: Path) -> tuple[str, list[AuditItem]]:
    """Return the model's name and every text of a run with hints, twice: mention and reliance."""
    found = recorded_folder(read_run(folder))
    if found.suite != SUITE:
        raise RunFolderError(f"{folder} holds a run of {found.suite!r}, expected one with hints")
    items = list(_hint_texts(found))
    if not items:
        raise RunFolderError(f"{folder} holds no reply with a hint; run the same command again")
    return found.model, items


def _hint_texts(found: Recorded) -> Iterator[AuditItem]:
    """Return two items per text: one for each detector."""
    name = str(found.options.get("detector") or RULES)
    verdicts = None if judge_of_detector(name) is None else judged_hints(found.followed)
    detect = detector_of(name, verdicts)
    for one in influenced_texts(found.files, found.options, TurnTexts(found.rows)):
        said = detect(one)
        if said is None:
            continue
        place = one.key.rsplit("/", 1)[-1]
        about = f"hint: {one.kind.replace('_', ' ')}, target {one.target}"
        for what, flag in (("mention", said.mention), ("reliance", said.reliance)):
            words = {"mention": "mentions the hint", "reliance": "says that it relied on the hint"}[what]
            answer = "yes" if flag else "no"
            read = f"{about}; {words}: {answer}"
            yield AuditItem(
                f"{one.key}/{what}", f"{what}, {place}", one.key, one.text, read, None, answer, answer, what
            )


HINTS = AuditKind(SUITE, HintAudit, ((SAME, "as read"), (MISREAD, "misread")))


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
    if not isinstance(found, dict) or not all(map(_is_verdict, found.values())):
        bad = json.dumps(found)[:60]
        raise FileFormatError(
            f"{path}: verdicts are {bad}, expected one of {', '.join(VERDICTS)} for each reply, or "
            f"'{OTHER}ANSWER'"
        )
    return {str(key): str(verdict) for key, verdict in found.items()}


def _is_verdict(verdict: object) -> bool:
    return isinstance(verdict, str) and (verdict in VERDICTS or verdict.startswith(OTHER))


_STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem}"
    "pre{white-space:pre-wrap;background:#8881;padding:.8rem;border-radius:4px}fieldset{border:0;padding:0}"
    "label{margin-right:1.2rem}article{border-top:1px solid #8886;margin-top:1.5rem}button{font:inherit}"
)
_SCRIPT = """
const head = JSON.parse(document.getElementById("head").textContent);
document.getElementById("save").addEventListener("click", () => {
  const verdicts = {};
  for (const one of document.querySelectorAll("input:checked")) {
    const said = one.parentElement.querySelector("input[type=text]");
    const words = said ? said.value.trim() : "";
    verdicts[one.name] = said && !words ? "misread" : one.value + words;
  }
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
    write_text(
        path,
        '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Audit</title>'
        f"<style>{_STYLE}</style></head><body><h1>Audit of {escape(model)}, {escape(kind.question)}</h1>"
        "<p>Read each reply, then say what it answers. Save, and give the file to "
        "<code>concord audit FOLDER --verdicts verdicts.json</code>.</p>"
        f"{body}"
        '<p><button id="save" type="button">Save the verdicts</button></p>'
        f'<script type="application/json" id="head">{head}</script><script>{_SCRIPT}</script>'
        "</body></html>\n",
    )


_FIELD = ': <input type="text" maxlength="200" aria-label="the answer">'


def _article(number: int, kind: AuditKind, item: AuditItem) -> str:
    choices = "".join(
        f'<label><input type="radio" name="{escape(item.key)}" value="{value}"> {escape(word)}'
        f"{_FIELD if value == OTHER else ''}</label>"
        for value, word in kind.choices_of(item)
    )
    places = [] if item.place is None else [item.place]
    return (
        f"<article><h2>{number}. {escape(item.group)}</h2><pre>{marked_reply(item.reply, places)}</pre>"
        f"<p>Read as: {escape(item.read)}</p>"
        f"<fieldset><legend>In truth the answer is</legend>{choices}</fieldset></article>"
    )
