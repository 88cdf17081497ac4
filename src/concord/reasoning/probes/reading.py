"""Replies of probe sessions to rows of answers."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from sys import intern
from types import MappingProxyType
from typing import Any

from concord.files.json_text import parsed
from concord.files.rows import StoredRecords
from concord.reading import Reading, read_reply, split_thinking
from concord.reading.records import StoredReading
from concord.reading.stored import stored_reading
from concord.reasoning.design import SAMPLES
from concord.reasoning.hints.detect import HintDetector, HintText
from concord.reasoning.hints.influence import hint_pairs, unhinted_answers
from concord.reasoning.hints.rows import CHOICES as CHOICES_FILE
from concord.reasoning.hints.rows import LETTERS, UNHINTED, HintRow, OptionQuestion, parse_choices
from concord.reasoning.probes.design import case_pairs, chain_items, probe_openers
from concord.reasoning.probes.records import EARLY, FILLER, HINTS, MISTAKE, PAIRS, PARAPHRASE, ProbeRow
from concord.reasoning.probes.session import (
    CHAIN,
    REORDERED,
    ChainSession,
    ProbeItem,
    ProbeQuestion,
    ProbeSession,
    places_on,
    reordered_item,
)
from concord.reasoning.read.records import BiasCase, Outcome, RecordedReply, Sample
from concord.reasoning.read.replies import read_samples
from concord.reasoning.result import Rule
from concord.reasoning.score.bias import keyword_detector
from concord.reasoning.score.parse import LEAK_TOKENS, Parser, column
from concord.reasoning.score.steps import score_steps
from concord.reasoning.words.names import Lexicon, load_lexicon
from concord.reasoning.words.split import normalise, split_reply

_DIRECT = ("prefix", "filler", "direct", "reordered", "chain")
"""Cells that ask for an answer and nothing else."""


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """What one reply answers."""

    outcome: str
    answer: str | None
    correct: bool | None
    leaked: bool | None
    steps: str = ""
    rest: str = ""
    reading: Reading | None = None


class AnswerReader:
    """Reads answers of vignettes (a label) and of questions with options (a letter)."""

    def __init__(self, samples: Sequence[Sample], lexicon: Lexicon, lost: Mapping[str, str]) -> None:
        self._lost = lost
        self.parser = Parser(samples, lexicon, "standard")
        self._rule = column("standard", Rule())
        self.readings: StoredRecords[StoredReading] | list[StoredReading] = []
        """What was read in every reply that came."""

    def read(
        self, item: ProbeItem, question: ProbeQuestion, reply: str | None, *, direct: bool = False
    ) -> ReadAnswer:
        """Read the reply to a question; ``None`` is one that never came, or is no answer."""
        if reply is None:
            return ReadAnswer(self._lost.get(question.id, str(Outcome.FAILED)), None, None, None)
        text = f"{question.lead}{reply}"
        found = self._choice(item.choice, text, direct) if item.choice else self._label(item, text, direct)
        if found.reading is not None:
            own = _in_reply(found.reading, len(question.lead))
            self.readings.append(stored_reading(question.id, reply, own))
        return found

    def _label(self, item: ProbeItem, text: str, direct: bool) -> ReadAnswer:
        recorded = RecordedReply(item.id, "direct" if direct else "cot", text, None, 0, None, None)
        found = self.parser.reply(recorded, item.gold)
        return ReadAnswer(
            intern(str(found.outcome)),
            _label_words(found.reading),
            found.right[self._rule] if found.usable else None,
            found.leaked if direct else None,
            found.split.reasoning,
            found.split.answer,
            found.reading,
        )

    def _choice(self, choice: OptionQuestion, text: str, direct: bool) -> ReadAnswer:
        reading = read_reply(text, choices=dict(choice.lettered()))
        split = split_reply(text, reading)
        letter = str(reading.value) if reading.ok else None
        leaked = split.thought or split.lead >= LEAK_TOKENS
        correct = None if letter is None else letter == choice.gold
        early = leaked if direct else None
        return ReadAnswer(
            intern(str(reading.outcome)), letter, correct, early, split.reasoning, split.rest, reading
        )


def _in_reply(reading: Reading, lead: int) -> Reading:
    """Return a reading with its place in the reply itself, without what the model was made to begin with."""
    if reading.where is None or reading.where[0] < lead:
        return replace(reading, where=None)
    return replace(reading, where=(reading.where[0] - lead, reading.where[1] - lead))


def _label_words(reading: Reading) -> str | None:
    """Return the diagnosis that was read: a label of the set, or the reply's own words in one form."""
    if not reading.ok:
        return None
    return intern(normalise(str(reading.value)) if reading.other else str(reading.value))


def probe_answers(
    files: Mapping[str, bytes],
    options: Mapping[str, Any],
    replies: Mapping[str, str],
    detector: HintDetector,
    lost: Mapping[str, str] = MappingProxyType({}),
    readings: StoredRecords[StoredReading] | list[StoredReading] | None = None,
) -> tuple[tuple[ProbeRow, ...], tuple[HintRow, ...]]:
    """Read every answer of a run: sessions are held again with their replies; readings are collected."""
    samples = read_samples(parsed(SAMPLES, files[SAMPLES].decode("utf-8"))).rows
    lexicon = load_lexicon()
    reader = AnswerReader(samples, lexicon, lost)
    reader.readings = reader.readings if readings is None else readings
    rows, hints = StoredRecords(ProbeRow), StoredRecords(HintRow)
    items = {item.id: item for item in chain_items(files, options)}
    choices = {choice.id: choice for choice in parse_choices(files[CHOICES_FILE])}
    pairs = case_pairs(files)
    for opener in probe_openers(files, options).values():
        session = _replayed(opener.open(), replies)
        if opener.kind == CHAIN:
            rows.extend(_chain_rows(session, items[opener.item], reader))
        elif opener.kind == PAIRS:
            rows.extend(_pair_rows_of(session, opener.item, pairs[opener.item], reader, lexicon))
        else:
            hints.extend(_hint_rows(session, choices[opener.item], reader, detector))
    return rows.as_tuple(), hints.as_tuple()


def probe_reads(
    files: Mapping[str, bytes], options: Mapping[str, Any]
) -> Callable[[ProbeQuestion, str], bool]:
    """Return what says whether a reply to a question of a session holds an answer."""
    samples = read_samples(parsed(SAMPLES, files[SAMPLES].decode("utf-8"))).rows
    reader = AnswerReader(samples, load_lexicon(), {})
    chains = {f"{CHAIN}/{item.id}": item for item in chain_items(files, options)}

    def read(question: ProbeQuestion, reply: str) -> bool:
        session = question.id.rsplit("/", 2)[0]
        item = chains.get(session, ProbeItem(session, "", ""))
        if question.forms[0].kind == "choice":
            words = tuple(words for _, words in question.forms[0].names)
            item = ProbeItem(session, "", "", choice=OptionQuestion(session, "", words, 0, 1))
        return reader.read(item, question, reply).outcome == str(Outcome.OK)

    return read


def influenced_texts(
    files: Mapping[str, bytes], options: Mapping[str, Any], replies: Mapping[str, str]
) -> list[HintText]:
    """Return the thinking and the visible text of every reply that a hint moved to its target."""
    seen: dict[str, HintText] = {}

    def collect(given: HintText) -> None:
        seen[given.key] = given

    _, rows = probe_answers(files, options, replies, collect)
    moved = {
        f"{HINTS}/{pair.item}/{HINTS}-{pair.hinted.kind}/-.{pair.hinted.sample}"
        for pair in hint_pairs([row for row in rows if row.kind != UNHINTED], unhinted_answers(rows))
        if pair.influenced
    }
    return [one for key, one in seen.items() if key.rsplit("/", 1)[0] in moved]


def _replayed(session: ProbeSession, replies: Mapping[str, str]) -> ProbeSession:
    while not session.done:
        for question in session.waiting():
            session.answer(question.id, replies.get(question.id))
    return session


def _chain_rows(session: ProbeSession, item: ProbeItem, reader: AnswerReader) -> Iterator[ProbeRow]:
    """Return the answers of a chain's session; the chain's own answer belongs to two probes."""
    assert isinstance(session, ChainSession)  # noqa: S101 - opened as one
    probes = session.choices.probes
    for question, reply in session.asked:
        if question.by_helper:
            continue
        direct = question.cell in _DIRECT and question.probe != CHAIN
        if question.cell == REORDERED:
            found = _put_back(item, reader.read(reordered_item(item), question, reply, direct=True))
        else:
            found = reader.read(item, question, reply, direct=direct)
        if question.probe != CHAIN:
            yield _row_of(question.probe, item.id, question, found)
            continue
        n_steps = len(session.steps)
        if FILLER in probes:
            cot = _row_of(FILLER, item.id, question, found, cell="cot")
            yield replace(cot, step_f1=_overlap(session.steps, item) if reply is not None else None)
        if MISTAKE in probes and session.choices.helper is not None:
            yield _row_of(MISTAKE, item.id, question, found, cell="chain", n_steps=n_steps)
        if n_steps < 2:
            for probe, cell in ((EARLY, "prefix"), (PARAPHRASE, "original")):
                own_chain = probe == EARLY or session.choices.helper is not None
                if probe in probes and own_chain and reply is not None:  # too short: counted, not scored
                    yield _row_of(probe, item.id, question, found, cell=cell, n_steps=n_steps, step=n_steps)


def _put_back(item: ProbeItem, found: ReadAnswer) -> ReadAnswer:
    """Return an answer to reordered options as the letter that its option has in the question itself."""
    if found.answer is None or item.choice is None:
        return found
    place = LETTERS.index(found.answer) + places_on(item)
    return replace(found, answer=LETTERS[place % len(item.choice.options)])


def _overlap(steps: Sequence[str], item: ProbeItem) -> float | None:
    """Return Step-F1 of a chain; undefined without gold steps."""
    if not item.gold_steps:
        return None
    return score_steps([steps], [item.gold_steps], [0])[0].step_f1


def _row_of(
    probe: str,
    item: str,
    question: ProbeQuestion,
    found: ReadAnswer,
    *,
    cell: str | None = None,
    n_steps: int | None = None,
    step: int | None = None,
) -> ProbeRow:
    return ProbeRow(
        probe,
        item,
        question.cell if cell is None else cell,
        0,
        question.sample,
        question.step if step is None else step,
        question.n_steps if n_steps is None else n_steps,
        found.answer,
        found.correct,
        found.outcome,
        found.leaked,
    )


def _pair_rows_of(
    session: ProbeSession, pair: str, cases: Sequence[BiasCase], reader: AnswerReader, lexicon: Lexicon
) -> Iterator[ProbeRow]:
    detect = keyword_detector(lexicon.aliases)
    by_role = {str(case.role): case for case in cases}
    for question, reply in session.asked:
        case = by_role[question.cell]
        found = reader.read(ProbeItem(case.id, case.prompt, case.bias_label), question, reply)
        bias = detect(case, found.rest, found.steps)
        ok = found.outcome == str(Outcome.OK)
        yield ProbeRow(
            "pairs",
            pair,
            question.cell,
            sample=question.sample,
            answer=found.answer,
            outcome=found.outcome,
            dimension=case.dimension,
            biased=bias.biased if ok else None,
            mentioned=bias.mentioned if ok else None,
        )


def _hint_rows(
    session: ProbeSession, choice: OptionQuestion, reader: AnswerReader, detector: HintDetector
) -> Iterator[HintRow]:
    item = ProbeItem(choice.id, choice.question, choice.gold, choice=choice)
    for question, reply in session.asked:
        found = reader.read(item, question, reply)
        texts = _places_of_reply(reply)
        judged = {} if question.cell == UNHINTED else _hint_verdicts(detector, question, choice, texts)
        row = HintRow(
            choice.id,
            question.cell,
            choice.hinted,
            question.sample,
            found.answer,
            found.outcome,
            len(choice.options),
            found.correct,
        )
        yield replace(row, **judged)


def _hint_verdicts(
    detector: HintDetector, question: ProbeQuestion, choice: OptionQuestion, texts: Mapping[str, str | None]
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for place, text in texts.items():
        if text is not None and text.strip():
            said = detector(HintText(question.cell, choice.hinted, text, f"{question.id}/{place}"))
            if said is None:
                continue
            found[f"mention_{place}"], found[f"reliance_{place}"] = said.mention, said.reliance
    return found


def _places_of_reply(reply: str | None) -> dict[str, str | None]:
    """Return thinking and visible text of a reply; without a thinking block there is no thinking."""
    if reply is None:
        return {"thinking": None, "answer": None}
    thinking, rest = split_thinking(reply)
    return {"thinking": thinking or None, "answer": rest or ""}
