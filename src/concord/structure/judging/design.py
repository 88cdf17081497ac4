"""What a judge is asked: pairs of answers, read and checked, in both orders, as often as votes are wanted."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from concord.errors import (
    FileFormatError,
    InputError,
    OptionError,
    RunFolderError,
    TableError,
    quoted,
    quoted_path,
)
from concord.files.contents import is_file, read_bytes
from concord.files.declared import table_of
from concord.files.documents import FileCheck, FileKind
from concord.files.gate import check_trials
from concord.files.json_text import parsed
from concord.files.rows import StoredRecords
from concord.files.tables import TableOptions
from concord.files.templates import fill, read_template
from concord.numeric import gated
from concord.reading import StoredReading, trial_name
from concord.records import AnswerForm, AskOutcome, Design, Message, Trial
from concord.structure.judging.plain import AB, BA, TIE, A, B, stored_verdict
from concord.structure.judging.read import read_votes
from concord.structure.judging.result import JudgeResult
from concord.structure.judging.score import score_votes, unread_votes

PAIRS = "pairs.json"
BUNDLED = "judge-pairs-en"
_TEXTS = ("prompt", "answer_a", "answer_b")
_NAMES = ("model_a", "model_b", "cluster")
_IDS = ("id", "pair", "item", "question_id")


@dataclass(frozen=True, slots=True)
class AnswerPair:
    """A prompt and two answers to it."""

    id: str
    prompt: str
    answer_a: str
    answer_b: str
    model_a: str = "A"
    model_b: str = "B"
    cluster: str = ""
    human: tuple[str, ...] = ()
    """People's verdicts: a, b or tie."""

    def document(self) -> dict[str, Any]:
        """Return the pair as the run keeps it."""
        return {
            "id": self.id,
            "prompt": self.prompt,
            "answer_a": self.answer_a,
            "answer_b": self.answer_b,
            "model_a": self.model_a,
            "model_b": self.model_b,
            "cluster": self.cluster,
            "human": list(self.human),
        }


def read_pairs(source: str | Path) -> tuple[AnswerPair, ...]:
    """Read pairs: the bundled set by its name, a JSON document, JSON lines, or a table."""
    if str(source) == BUNDLED:
        data = resources.files("concord").joinpath("structure", "data", f"{BUNDLED}.json").read_bytes()
        return parse_pairs(data, BUNDLED)
    path = Path(source)
    if not is_file(path):
        raise OptionError(f"--pairs {quoted_path(source)} is neither a file nor the bundled set {BUNDLED}")
    if path.suffix.lower() == ".json":
        return parse_pairs(read_bytes(path), path.name)
    table = table_of(path, TableOptions())
    if table.problems:
        raise TableError(table.problems)
    return checked_pairs(table.rows(), [f"{table.place}, row {table.row(i)}" for i in range(table.n_rows)])


def parse_pairs(data: bytes, name: str) -> tuple[AnswerPair, ...]:
    """Read pairs from the bytes of a JSON document: a list, or an object whose ``pairs`` is one."""
    document = parsed(name, data)
    rows = document.get("pairs") if isinstance(document, dict) else document
    if not isinstance(rows, list) or not rows:
        raise FileFormatError(f'{name}: expected {{"pairs": [...]}} with at least one pair')
    return checked_pairs(rows, [f"{name}, pair {i}" for i in range(1, len(rows) + 1)])


def checked_pairs(rows: Sequence[Any], places: Sequence[str]) -> tuple[AnswerPair, ...]:
    """Return pairs from rows, each under a name of its own."""
    pairs = tuple(
        _checked_pair(row, i, place) for i, (row, place) in enumerate(zip(rows, places, strict=True))
    )
    seen: set[str] = set()
    for pair, place in zip(pairs, places, strict=True):
        if pair.id in seen:
            raise FileFormatError(f"{place}: two pairs are called {pair.id!r}; every id must be its own")
        seen.add(pair.id)
    return pairs


def _checked_pair(row: object, index: int, place: str) -> AnswerPair:
    if not isinstance(row, Mapping):
        raise FileFormatError(
            f"{place}: got {quoted(row)}, expected an object with prompt, answer_a, answer_b"
        )
    cells = {str(key).strip().casefold(): value for key, value in row.items()}
    texts = []
    for key in _TEXTS:
        value = cells.get(key)
        if not isinstance(value, str | int | float) or not str(value).strip():
            raise FileFormatError(f"{place}: {key!r} is {quoted(value)}, expected text")
        texts.append(str(value).strip())
    names = {key: str(cells[key]).strip() for key in _NAMES if cells.get(key) not in (None, "")}
    named = next((cells[key] for key in _IDS if cells.get(key) not in (None, "")), f"pair-{index + 1}")
    human = tuple(_verdicts(cells.get("human"), place))
    return AnswerPair(str(named), texts[0], texts[1], texts[2], human=human, **names)


def _verdicts(value: object, place: str) -> list[str]:
    if value is None:
        return []
    found = [
        str(part).strip().casefold() for part in (value if isinstance(value, list) else str(value).split(";"))
    ]
    for part in found:
        if part not in (A, B, TIE):
            raise FileFormatError(f"{place}: 'human' is {quoted(value)}, expected a, b or tie")
    return found


def pairs_file(pairs: Sequence[AnswerPair]) -> bytes:
    """Return pairs as the bytes of the file that a run keeps."""
    document = {"pairs": [pair.document() for pair in pairs]}
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8")


JUDGE = "judge"
FORM = AnswerForm("choice", (("1", "Answer 1"), ("2", "Answer 2"), ("0", "equally good")))


@gated()
def design_judge(
    pairs: Sequence[AnswerPair], *, name: str, limit: int | None = None, repeats: int = 2
) -> Design:
    """Lay out every trial of a judge."""
    kept = pairs[:limit]
    template = read_template("structure", "pair.v1")
    laid_out = []
    for pair in kept:
        for order, first, second in ((AB, pair.answer_a, pair.answer_b), (BA, pair.answer_b, pair.answer_a)):
            text = fill(template, prompt=pair.prompt, first=first, second=second)
            laid_out.append((pair.id, order, (Message("user", text),)))
    check_trials(len(laid_out) * repeats, "--votes")
    trials = tuple(
        Trial(JUDGE, pair, order, messages, repeat, template.name, forms=(FORM,))
        for repeat in range(repeats)
        for pair, order, messages in laid_out
    )
    return Design(JUDGE, trials, (template,), ((PAIRS, pairs_file(kept)),), (("pairs", name),))


def result_of(
    files: Mapping[str, bytes],
    rows: Iterable[Mapping[str, Any]],
    *,
    model: str,
    source: str,
    **choices: Any,
) -> JudgeResult:
    """Score the stored replies of a judge's run."""
    if PAIRS not in files:
        raise RunFolderError(
            f"{source}: this judge scored the replies of another run; score that run instead"
        )
    pairs = {pair.id: pair for pair in parse_pairs(files[PAIRS], PAIRS)}
    readings = StoredRecords(StoredReading)
    counted: Counter[tuple[str, str, str]] = Counter()  # votes that are alike are one row of so many
    for row in rows:
        pair, order, seat = str(row["id"]), str(row["mode"]), ""
        if row["outcome"] == AskOutcome.OK:
            said = stored_verdict(trial_name(pair, order, int(row["repeat"])), str(row["response"]))
            readings.append(said)
            seat = said.reading
        counted[pair, order, seat] += 1
    recorded = [_vote_row(pairs[pair], order, seat, model) for pair, order, seat in counted]
    votes = read_votes([table_of(recorded, TableOptions(strict=True))], times=tuple(counted.values()))
    unread = unread_votes(votes.judges)
    scores = score_votes(votes.judges, **choices)
    return JudgeResult(scores, **choices, unread=unread, readings=readings.as_tuple())


def _vote_row(pair: AnswerPair, order: str, seat: str, model: str) -> dict[str, Any]:
    return {
        "pair": pair.id,
        "order": order,
        "verdict": seat if seat else None,
        "judge": model,
        "model_a": pair.model_a,
        "model_b": pair.model_b,
        "answer_a": pair.answer_a,
        "answer_b": pair.answer_b,
        "cluster": pair.cluster,
        "human": ";".join(pair.human),
    }


def check_pairs(path: Path) -> FileCheck:
    """Check pairs of answers that a judge is to be asked about."""
    try:
        found = read_pairs(path)
    except InputError as fault:
        return FileCheck(str(path), (str(fault),), (), {}, _PAIRS)
    return FileCheck(str(path), (), (), {"pairs": len(found)}, _PAIRS)


_PAIRS = "pairs of answers to judge"
FILES = (FileKind(check_pairs, key="pairs", commands=("concord run judge --pairs",)),)
