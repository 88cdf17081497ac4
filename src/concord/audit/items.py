"""The sample of an audit, the form that a person fills in, and the verdicts; detected hints as items."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np

from concord import people, reasoning, structure
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
    AuditResult,
    HintAudit,
    PeopleAudit,
    StructureAudit,
)
from concord.errors import FileFormatError, OptionError, RunFolderError, listed
from concord.files.contents import is_file, is_folder, read_bytes
from concord.files.documents import (
    DocumentFacts,
    document_facts,
    heading,
    read_document,
    read_record,
    run_facts,
    text_of,
)
from concord.files.json_text import parsed
from concord.files.kept_replies import ANSWERS, ObjectLines
from concord.files.output import write_json, write_text
from concord.files.raw_replies import raw_reply
from concord.files.rows import read_back
from concord.files.tables import read_grid
from concord.kinds import Kind
from concord.numeric import check_numbers
from concord.people.files import PeopleResult
from concord.reading.records import StoredReading
from concord.reading.second import HOW as MODEL
from concord.reading.second import READER_FILE, READER_FORMAT, ModelReader, write_reader
from concord.reading.stored import FILE, read_readings, reply_hash, trial_name
from concord.reasoning.design import MODES
from concord.reasoning.files import ReasoningResult
from concord.reasoning.hints.detect import RULES, detector_of, judge_of_detector, judged_hints
from concord.reasoning.probes.reading import influenced_texts
from concord.reasoning.probes.result import ProbeResult
from concord.reasoning.probes.session import SUITE
from concord.show.page.fragments import marked_reply
from concord.structure.judging.design import JUDGE
from concord.structure.judging.result import JudgeResult
from concord.structure.options.result import OptionResult
from concord.structure.result import StructureResult

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


_QUESTIONS: Mapping[type[Kind], str] = {
    PeopleResult: people.NAME,
    StructureResult: structure.NAME,
    OptionResult: structure.NAME,
    JudgeResult: structure.NAME,
    ReasoningResult: reasoning.NAME,
    ProbeResult: reasoning.NAME,
}
_SUITES = {
    **dict.fromkeys((structure.NAME, JUDGE), structure.NAME),
    **dict.fromkeys((reasoning.NAME, SUITE), reasoning.NAME),
    people.NAME: people.NAME,
}
"""Questions by what a run says that it asked: a run in which nothing was read has no result."""
_RESULTS: Mapping[str, type[AuditResult]] = {
    people.NAME: PeopleAudit,
    structure.NAME: StructureAudit,
    reasoning.NAME: AuditResult,
}
_DEEP = 3
"""Levels below a folder in which its readings may lie."""
_DEPTH = 12
"""Levels of a JSON document that are searched for replies."""


@dataclass(frozen=True, slots=True)
class AuditedFolder:
    """What is audited: readings as items, and where the replies are."""

    place: Path
    """Where the readings are."""
    model: str
    kind: AuditKind
    items: tuple[AuditItem, ...]
    """Without the texts of their replies."""
    hashes: Mapping[str, str]
    """The hash of an item's reply, by the item's key."""
    inputs: tuple[str, ...] = ()
    """Names of the files that were scored."""

    def with_replies(self, items: Sequence[AuditItem], files: Sequence[Path] = ()) -> list[AuditItem]:
        """Return items with the texts of their replies; where some are nowhere, say which file is needed."""
        wanted = {self.hashes[item.key] for item in items} - {""}
        texts: dict[str, str] = {}
        for file in (*files, *_files_beside(self.place)):
            if wanted - texts.keys():
                texts |= _texts_of(file, wanted)
        gone = wanted - texts.keys()
        if gone:
            needed = f", such as {listed(self.inputs)}" if self.inputs else ""
            raise RunFolderError(
                f"{self.place}: the texts of {len(gone)} of {len(wanted)} replies are not there; give the "
                f"file that was scored with --replies{needed}"
            )
        return [replace(item, reply=texts.get(self.hashes[item.key], "")) for item in items]


def open_folder(folder: Path) -> AuditedFolder:
    """Read what a folder of results, or of a run, says of its readings."""
    place = _place_of_readings(folder)
    rows = read_readings(place)
    if not rows:
        raise RunFolderError(f"{place / FILE} holds no reading; nothing can be audited")
    facts = _facts(place)
    question = next((name for kind, name in _QUESTIONS.items() if f"concord {kind.FORMAT}" in facts), None)
    question = _SUITES.get(_suite(place)) if question is None else question
    if question is None:
        raise RunFolderError(f"{place}: no result of Concord beside {FILE}; give the folder of a result")
    rights, conditions = _rights(place), _conditions(place)
    paired = MODES[0] in {_parts(row.trial)[1] for row in rows} and question == reasoning.NAME
    items = tuple(_audit_item(row, rights, conditions, paired) for row in rows)
    twice = len(items) - len({item.key for item in items})
    if twice:
        raise FileFormatError(f"{place / FILE}: {twice} rows name a trial and question of another row")
    kind = AuditKind(question, _RESULTS[question], paired=(MODES[0], MODES[1]) if paired else None)
    models = [one.model for one in facts.values() if one.model]
    model = models[0] if models else run_facts(place, folder.absolute().parent).model
    inputs = tuple(dict.fromkeys(one.name for each in facts.values() for one in each.inputs if one.name))
    hashes = {item.key: row.reply for item, row in zip(items, rows, strict=True)}
    return AuditedFolder(place, model if model else folder.name, kind, items, hashes, inputs)


def _place_of_readings(folder: Path) -> Path:
    """Return the one folder that holds readings: the given one, or one below it."""
    if is_file(folder / FILE):
        return folder
    if not is_folder(folder):
        raise RunFolderError(f"{folder}: no such folder; give a folder of results or of a run")
    below = (folder.glob("/".join(["*"] * deep + [FILE])) for deep in range(1, _DEEP + 1))
    found = sorted(path.parent for some in below for path in some)
    if not found:
        raise RunFolderError(
            f"{folder} holds no {FILE}, which says what was read in each reply; score the replies again "
            "(concord score)"
        )
    if len(found) > 1:
        raise OptionError(
            f"{folder} holds several results: give one of {listed([str(one) for one in found])}"
        )
    return found[0]


def _suite(place: Path) -> str:
    """Return what the run around a folder asked; empty without one."""
    for folder in list(place.absolute().parents)[:_DEEP]:
        if is_file(folder / "run.json"):
            held = parsed("run.json", read_bytes(folder / "run.json"))
            return text_of(held, "suite") if isinstance(held, Mapping) else ""
    return ""


def _facts(place: Path) -> dict[str, DocumentFacts]:
    """Return what the documents of results beside the readings tell of themselves, by their format."""
    found = {}
    for path in sorted((*place.glob("*.json"), *place.glob("*/result.json"))):
        try:
            held = parsed(path.name, read_bytes(path))
        except FileFormatError:
            continue
        if isinstance(held, Mapping):
            facts = document_facts(held)
            found[facts.format] = facts
    return found


def _parts(trial: str) -> tuple[str, str, str]:
    """Return id, mode and repeat of a trial; mode and repeat are empty where its name has none."""
    parts = trial.rsplit("/", 2)
    numbered = len(parts) == 3 and parts[2].rpartition(".")[2].isdecimal()
    return (parts[0], parts[1], parts[2]) if numbered else (trial, "", "")


def _audit_item(
    row: StoredReading, rights: Mapping[str, bool], conditions: Mapping[str, str], paired: bool
) -> AuditItem:
    if row.trial in conditions:  # of a study: everything of one participant is a unit
        name, mode, repeat = "/".join(row.trial.split("/")[:4]), "", ""
    else:
        name, mode, repeat = _parts(row.trial)
    group = conditions.get(row.trial, mode)
    unit = f"{name}/{repeat}" if paired else name
    right = rights.get(row.trial)
    if paired and mode in MODES:
        right = bool(right)
    said = f"{row.question}: " if row.question else ""
    said += "; ".join(filter(None, (row.outcome, row.reading, row.how)))
    if right is not None:
        said += "; right" if right else "; not right"
    return AuditItem(
        f"{row.trial}|{row.question}" if row.question else row.trial,
        group if group else "replies",
        unit,
        "",
        said,
        right,
        row.how,
        row.reading,
        row.question,
        row.place,
    )


def _rights(place: Path) -> dict[str, bool]:
    """Return whether the answer of a trial is right, as the tables beside the readings say."""
    found: dict[str, bool] = {}
    for row in _written_rows(place / "study_a_samples.csv", ("id", "repeat", "correct_cot", "correct_early")):
        for mode, column in zip(MODES, ("correct_cot", "correct_early"), strict=True):
            found[_trial_named(row["id"], mode, row["repeat"])] = row[column].casefold() == "true"
    scored = _written_rows(place / "answers.csv", ("item", "arrangement", "sample", "score"))
    if all(row["score"] in ("", "0.0", "1.0", "0", "1") for row in scored):
        for row in scored:
            found[_trial_named(row["item"], row["arrangement"], row["sample"])] = row["score"] in ("1.0", "1")
    counts: Counter[tuple[str, str]] = Counter()
    for row in _written_rows(place / "option_replies.csv", ("item", "arrangement", "correct")):
        one = (row["item"], row["arrangement"])
        found.setdefault(trial_name(*one, counts[one]), row["correct"].casefold() == "true")
        counts[one] += 1
    return found


def _trial_named(name: str, mode: str, repeat: str) -> str:
    return trial_name(name, mode, int(repeat) if repeat.isdecimal() else 0)


def _written_rows(path: Path, columns: Sequence[str]) -> list[dict[str, str]]:
    """Return the rows of a table that Concord wrote; none where there is no such table."""
    if not is_file(path):
        return []
    try:
        return [row for _, row in read_back(path.name, read_bytes(path), columns, fix="score it again")]
    except FileFormatError:
        return []  # a table of that name with other columns: that of another question


def _conditions(place: Path) -> dict[str, str]:
    """Return study and condition of each question of a study."""
    if not is_file(place / ANSWERS):
        return {}
    return {
        text_of(row, "id"): ": ".join(filter(None, (text_of(row, "study"), text_of(row, "condition"))))
        for row in ObjectLines(place / ANSWERS)
    }


def _files_beside(place: Path) -> Iterator[Path]:
    """Return the files that may hold the replies: those of the folder, then those of the run it is in."""
    yield from sorted(place.glob("*.jsonl"))
    for folder in list(place.absolute().parents)[:_DEEP]:
        if is_file(folder / "run.json"):
            yield from sorted((*folder.glob("*.jsonl"), *folder.glob("*/replies.jsonl")))
            return


def _texts_of(file: Path, wanted: set[str]) -> dict[str, str]:
    """Return the texts of a file whose hashes are wanted."""
    found: dict[str, str] = {}
    for text in _strings(_documents_in(file), _DEPTH):
        name = reply_hash(text)
        if name in wanted:
            found[name] = text
    return found


def _documents_in(file: Path) -> Iterable[object]:
    if file.suffix.lower() == ".jsonl":
        if not is_file(file):
            raise FileFormatError(f"{file}: no such file; check the path")
        return ObjectLines(file)
    if file.suffix.lower() == ".json":
        return [parsed(file.name, read_bytes(file))]
    grid = read_grid(file)
    return [grid.cells(i) for i in range(len(grid.header))]


def _strings(value: Any, depth: int) -> Iterator[str]:
    """Return every text of a document: also those of a text that is JSON itself, and replies in parts."""
    if isinstance(value, str):
        yield value
        if value.startswith("{") and depth > 0:
            try:
                held = parsed("reply", value)
            except FileFormatError:
                return
            yield from _strings(held, depth - 1) if isinstance(held, dict) else ()
    elif depth > 0 and isinstance(value, Mapping | Iterable):
        whole = raw_reply(value)
        if whole is not None and whole.text is not None:
            yield whole.text
        for one in value.values() if isinstance(value, Mapping) else value:
            yield from _strings(one, depth - 1)


def store_audit(place: Path, result: AuditResult) -> None:
    """Keep the audited error rate of a model as reader beside what it did, where one read."""
    rate = next((one.rate for one in result.hows if one.group == MODEL), None)
    if rate is not None and is_file(place / READER_FILE):
        found = read_record(ModelReader, place / READER_FILE, READER_FORMAT)
        write_reader(place, replace(found, audited=rate))
