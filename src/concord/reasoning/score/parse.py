"""Recorded replies, parsed once: parts, what became of each, correctness under every rule, leakage."""

from array import array
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from concord.engine import SERIAL, Engine
from concord.reading.records import Reading, ReadOutcome
from concord.reasoning.read.records import (
    ANSWERED,
    BiasCase,
    BiasCases,
    Outcome,
    RecordedReply,
    Replies,
    Sample,
    Vignettes,
)
from concord.reasoning.result import RULES, Options, Rule
from concord.reasoning.words.correct import Judge, correct_source
from concord.reasoning.words.names import Lexicon
from concord.reasoning.words.split import (
    Split,
    reasoning_steps,
    split_reply,
    split_reply_source,
    steps_text_source,
)

LEAK_TOKENS = 20
"""A direct reply with this many tokens before the answer was no early answer."""

LEAK_CHARACTERS = 2000
"""Of a direct reply in which these tokens are counted."""
_CUT_SHORT = ("length", "max_tokens", "model_length")
NOT_FOUND = "none"
"""How an answer was found that was not."""


SOURCE = len(RULES)
"""Column of the research code's verdict, after those of ``RULES``."""


@dataclass(frozen=True, slots=True)
class ParsedReply:
    """One reply to a vignette."""

    reply: RecordedReply
    split: Split
    outcome: Outcome
    usable: bool
    right: tuple[bool, ...]
    """Verdict under each of ``RULES`` and, last, of the research code."""
    leaked: bool
    reading: Reading

    @property
    def how(self) -> str:
        """How the answer was found."""
        return self.reading.how or NOT_FOUND


@dataclass(frozen=True, slots=True)
class ScoredCase:
    """One bias reply with its two parts."""

    case: BiasCase
    answer: str
    reasoning: str
    repeat: int
    outcome: str
    usable: bool
    reading: Reading


class Parser:
    """Parses the replies to one set of vignettes."""

    def __init__(self, samples: Sequence[Sample], lexicon: Lexicon, rules: str) -> None:
        self.judge = Judge.of(lexicon.aliases, (sample.gold_answer for sample in samples))
        self.source = rules == "source"

    def reply(self, reply: RecordedReply, gold: str) -> ParsedReply:
        """Parse one reply to a vignette with this gold label; one that was graded elsewhere is not read."""
        if reply.right is not None:
            split, graded = Split("", reply.response, False, True), (reply.right,) * (SOURCE + 1)
            reading = Reading(reply.response, ReadOutcome.OK)
            return ParsedReply(reply, split, Outcome.OK, True, graded, False, reading)
        reading, split, outcome = self._read(reply, gold)
        whole = reply.response if reply.thinking is None else f"{reply.thinking}\n{reply.response}"
        right = (
            self.judge.is_right(reading, reply.response, gold),
            self.judge.names_gold(whole, gold),
            correct_source(reply.response, gold),
        )
        usable = self.source or outcome in ANSWERED
        leaked = reply.mode == "direct" and self._leaked(split)
        return ParsedReply(reply, split, outcome, usable, right, leaked, reading)

    def _read(self, reply: RecordedReply, label: str) -> tuple[Reading, Split, Outcome]:
        """Read a reply, split it where its answer is, and say what became of it."""
        reading = self.judge.read(reply.response, label)
        split = split_reply(reply.response, reading, reply.thinking)
        if reply.failure is not None:
            return reading, split, Outcome.FAILED
        if (
            reply.stop_reason or ""
        ).strip().lower() in _CUT_SHORT and reading.outcome is not ReadOutcome.EMPTY:
            return reading, split, Outcome.TRUNCATED
        if reading.outcome is ReadOutcome.EMPTY and split.thought:  # thought, and said nothing
            return reading, split, Outcome.UNREADABLE
        return reading, split, Outcome(str(reading.outcome))

    def _leaked(self, split: Split) -> bool:
        """Whether a direct reply holds reasoning before its answer."""
        # A thinking block that holds something, or 20 tokens before the answer. Where no answer was read it
        # starts at the first known diagnosis.
        if split.thought:
            return True
        if split.marked:
            return split.lead >= LEAK_TOKENS
        return self.judge.tokens_before_name(split.rest[:LEAK_CHARACTERS]) >= LEAK_TOKENS

    def steps(self, parsed: ParsedReply) -> list[str]:
        """Return the reasoning steps of a reply."""
        text = steps_text_source(parsed.reply.response) if self.source else parsed.split.reasoning
        return reasoning_steps(text)

    def bias_reply(self, reply: RecordedReply, case: BiasCase) -> ScoredCase:
        """Parse one reply to a bias case."""
        reading, split, outcome = self._read(reply, case.bias_label)
        if self.source:
            split = split_reply_source(reply.response, reply.thinking)
        usable = self.source or outcome in ANSWERED
        return ScoredCase(case, split.answer, split.reasoning, reply.repeat, str(outcome), usable, reading)


def column(rules: str, rule: Rule) -> int:
    """Return the verdict that makes the headline."""
    return SOURCE if rules == "source" else RULES.index(rule)


@dataclass(frozen=True, slots=True)
class RecordedReplies:
    """What was asked and what was answered."""

    samples: Vignettes | None
    """``None`` where bias cases are scored alone."""
    replies: Replies | None
    bias_cases: BiasCases | None = None
    bias_replies: Replies | None = None

    def parts(self) -> list[tuple[str, Vignettes | BiasCases | Replies]]:
        """Return every file that was given, by what it is."""
        named = (
            ("samples", self.samples),
            ("replies", self.replies),
            ("bias_cases", self.bias_cases),
            ("bias_replies", self.bias_replies),
        )
        return [(name, part) for name, part in named if part is not None]


@dataclass(frozen=True, slots=True)
class Streams:
    """One random stream for each use, so that none depends on the others."""

    gap: np.random.Generator
    test: np.random.Generator
    steps: np.random.Generator
    shifts: np.random.Generator
    pairs: np.random.Generator

    @classmethod
    def of(cls, seed: int) -> "Streams":
        """Derive every stream from one seed."""
        return cls(*(np.random.default_rng(child) for child in np.random.SeedSequence(seed).spawn(5)))


class ReplyColumns:
    """What scoring needs of each reply to a vignette, without its texts: columns, filled in turn."""

    def __init__(self) -> None:
        self._owner, self._right = array("l"), bytearray()
        self._flags = {name: bytearray() for name in ("cot", "usable", "leaked", "graded")}
        self._codes = {name: bytearray() for name in ("outcome", "how")}
        self._names: dict[str, dict[str, int]] = {"outcome": {}, "how": {}}
        self.repeat: list[int] = []
        self._repeats: dict[int, int] = {}

    def add(self, owner: int, one: ParsedReply) -> None:
        """Add a reply to the vignette of this number."""
        self._owner.append(owner)
        self.repeat.append(self._repeats.setdefault(one.reply.repeat, one.reply.repeat))
        self._right.extend(one.right)
        flags = (one.reply.mode == "cot", one.usable, one.leaked, one.reply.right is not None)
        for column, flag in zip(self._flags.values(), flags, strict=True):
            column.append(flag)
        for name, said in (("outcome", str(one.outcome)), ("how", one.how)):
            known = self._names[name]
            self._codes[name].append(known.setdefault(said, len(known)))

    def __len__(self) -> int:
        return len(self._owner)

    @property
    def owner(self) -> NDArray[np.intp]:
        """For each reply the number of its vignette."""
        return np.array(self._owner, dtype=np.intp)

    @property
    def right(self) -> NDArray[np.bool_]:
        """Replies x rules."""
        return np.array(self._right, dtype=bool).reshape(len(self), SOURCE + 1)

    def flag(self, name: str) -> NDArray[np.bool_]:
        """Return a column of flags: cot, usable, leaked, graded."""
        return np.array(self._flags[name], dtype=bool)

    def names(self, name: str) -> NDArray[np.object_]:
        """Return outcome or how, each name once in the memory."""
        said = np.array([*self._names[name], ""], dtype=object)
        return said[np.array(self._codes[name], dtype=np.intp)]

    def where(self, *outcomes: str) -> NDArray[np.bool_]:
        """Return which replies have one of these outcomes."""
        codes = [self._names["outcome"][one] for one in outcomes if one in self._names["outcome"]]
        return np.isin(np.array(self._codes["outcome"], dtype=np.uint8), codes)


@dataclass(frozen=True, slots=True)
class ScoringContext:
    """Parsed replies with what is needed to score them."""

    recorded: RecordedReplies
    parser: Parser
    lexicon: Lexicon
    options: Options
    streams: Streams
    replies: ReplyColumns = field(default_factory=ReplyColumns)
    engine: Engine = SERIAL
    """Where resamples are computed; changes nothing in the result."""

    @property
    def samples(self) -> Sequence[Sample]:
        """The vignettes."""
        return () if self.recorded.samples is None else self.recorded.samples.rows

    def parsed(self) -> Iterator[tuple[int, ParsedReply]]:
        """Parse every reply, once, into the columns; return it with the number of its vignette."""
        samples = self.samples
        place = {sample.id: number for number, sample in enumerate(samples)}
        for reply in () if self.recorded.replies is None else self.recorded.replies.rows:
            owner = place[reply.id]
            one = self.parser.reply(reply, samples[owner].gold_answer)
            self.replies.add(owner, one)
            yield owner, one

    @classmethod
    def of(
        cls, recorded: RecordedReplies, lexicon: Lexicon, options: Options, engine: Engine = SERIAL
    ) -> "ScoringContext":
        """Make ready to parse replies."""
        samples = () if recorded.samples is None else recorded.samples.rows
        parser = Parser(samples, lexicon, options.rules)
        return cls(recorded, parser, lexicon, options, Streams.of(options.seed), engine=engine)


def count_outcomes(outcomes: Iterable[str]) -> dict[str, int]:
    """Count every outcome, those that did not occur as 0."""
    found = Counter(outcomes)
    return {str(outcome): found.get(str(outcome), 0) for outcome in Outcome}
