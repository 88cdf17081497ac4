"""Recorded replies, parsed once: parts, what became of each, correctness under every rule, leakage."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from concord.engine import SERIAL, Engine
from concord.reading.names import NameIndex
from concord.reasoning.read.records import (
    BiasCase,
    BiasCases,
    Outcome,
    RecordedReply,
    Replies,
    Sample,
    Vignettes,
)
from concord.reasoning.result import RULES, Options, Rule
from concord.reasoning.words.answer import How, is_cut
from concord.reasoning.words.correct import Judge, correct_source
from concord.reasoning.words.names import Lexicon
from concord.reasoning.words.phrases import REFUSAL
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
_DISCLAIMER = "disclaimer"
_DISCLAIMERS = re.compile(
    r"not a (?:doctor|licensed|physician|medical)|kein arzt|no soy m[eé]dic|pas m[eé]decin|不是医生|不是醫生|"
    r"医師ではありません|의사가 아니",
    re.IGNORECASE,
)
"""Phrases that say who speaks; alone they refuse, before a diagnosis they do not."""
_LETTER = re.compile(r"[\W_]*[A-Za-z][\W_]*")
_CUT_SHORT = ("length", "max_tokens", "model_length")


@dataclass(slots=True)
class Triage:
    """Sorts replies by what became of them."""

    judge: Judge
    refusals: NameIndex

    @classmethod
    def of(cls, judge: Judge, refusals: Sequence[str]) -> "Triage":
        """Make a triage with these phrases of refusal."""
        index = NameIndex()
        for phrase in refusals:
            index.add(_DISCLAIMER if _DISCLAIMERS.search(phrase) else "refusal", [phrase])
        return cls(judge, index)

    def outcome(self, reply: RecordedReply, split: Split) -> Outcome:
        """Return the first outcome that applies."""
        if reply.failure is not None:
            return Outcome.FAILED
        if not reply.response.strip() and not split.thought:
            return Outcome.EMPTY
        if split.unclosed or (reply.stop_reason or "").strip().lower() in _CUT_SHORT:
            return Outcome.TRUNCATED
        return self._of_text(split)

    def _of_text(self, split: Split) -> Outcome:
        """Return the outcome of a reply that came whole, by what it says."""
        marked = split.how in (How.STRUCTURED, How.MARKER)
        if marked and self.judge.n_put_forward(split.answer):
            return Outcome.OK
        found = {label for one in self.refusals.find(split.answer if marked else split.rest)
                 for label in one.labels}  # fmt: skip
        if found == {_DISCLAIMER} and split.how is How.SENTENCE and self.judge.n_put_forward(split.answer):
            return Outcome.OK  # "I'm not a doctor, but this is gout"
        if found:
            return Outcome.REFUSED
        if split.how in (How.NONE, How.BLANK) and REFUSAL.search(split.rest):
            return Outcome.REFUSED
        if is_cut(split.rest, split.how):
            return Outcome.TRUNCATED
        if not split.answer or self.judge.denies_only(split.answer):
            return Outcome.NO_ANSWER
        if not marked and self._is_letter(split.answer):
            return Outcome.NO_ANSWER
        return Outcome.OK

    def _is_letter(self, answer: str) -> bool:
        """Whether an answer is the letter of an option that nothing explains: no label is called so."""
        return _LETTER.fullmatch(answer) is not None and not self.judge.names_any(answer)

    def leaked(self, split: Split) -> bool:
        """Whether a direct reply holds reasoning before its answer.

        A thinking block that holds something, or 20 tokens before the answer. Where nothing marks the
        answer it starts at the first known diagnosis.
        """
        if split.thought:
            return True
        if split.marked:
            return split.lead >= LEAK_TOKENS
        return self.judge.tokens_before_name(split.rest[:LEAK_CHARACTERS]) >= LEAK_TOKENS


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

    @property
    def how(self) -> How:
        """How the answer was found."""
        return self.split.how


@dataclass(frozen=True, slots=True)
class ScoredCase:
    """One bias reply with its two parts."""

    case: BiasCase
    answer: str
    reasoning: str
    repeat: int
    outcome: str
    usable: bool


class Parser:
    """Parses the replies to one set of vignettes."""

    def __init__(self, samples: Sequence[Sample], lexicon: Lexicon, rules: str) -> None:
        self.judge = Judge.of(lexicon.aliases, (sample.gold_answer for sample in samples))
        self.triage = Triage.of(self.judge, lexicon.refusals)
        self.source = rules == "source"

    def reply(self, reply: RecordedReply, gold: str) -> ParsedReply:
        """Parse one reply to a vignette with this gold label."""
        split = split_reply(reply.response, reply.thinking, self.judge.n_put_forward)
        outcome = self.triage.outcome(reply, split)
        return ParsedReply(
            reply,
            split,
            outcome,
            self.source or outcome is Outcome.OK,
            self._right(reply, split, gold),
            reply.mode == "direct" and self.triage.leaked(split),
        )

    def _right(self, reply: RecordedReply, split: Split, gold: str) -> tuple[bool, ...]:
        """Judge a reply under every rule."""
        whole = reply.response if reply.thinking is None else f"{reply.thinking}\n{reply.response}"
        verdicts = {
            "answer": self.judge.verdicts(split.answer, gold, first=True),
            "whole": self.judge.verdicts(whole, gold),
        }
        standard = [verdicts[rule.scope][rule.negation, rule.multiple] for rule in RULES]
        return (*standard, correct_source(reply.response, gold))

    def steps(self, parsed: ParsedReply) -> list[str]:
        """Return the reasoning steps of a reply."""
        text = steps_text_source(parsed.reply.response) if self.source else parsed.split.reasoning
        return reasoning_steps(text)

    def bias_reply(self, reply: RecordedReply, case: BiasCase) -> ScoredCase:
        """Parse one reply to a bias case."""
        split = split_reply(reply.response, reply.thinking, self.judge.n_put_forward)
        outcome = self.triage.outcome(reply, split)
        if self.source:
            split = split_reply_source(reply.response, reply.thinking)
        usable = self.source or outcome is Outcome.OK
        return ScoredCase(case, split.answer, split.reasoning, reply.repeat, str(outcome), usable)


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


@dataclass(frozen=True, slots=True)
class ScoringContext:
    """Parsed replies with what is needed to score them."""

    recorded: RecordedReplies
    parser: Parser
    lexicon: Lexicon
    options: Options
    streams: Streams
    parsed: Sequence[ParsedReply]
    owner: Sequence[int]
    """For each reply the number of its vignette."""
    engine: Engine = SERIAL
    """Where resamples are computed; changes nothing in the result."""

    @property
    def samples(self) -> Sequence[Sample]:
        """The vignettes."""
        return () if self.recorded.samples is None else self.recorded.samples.rows

    @classmethod
    def of(
        cls, recorded: RecordedReplies, lexicon: Lexicon, options: Options, engine: Engine = SERIAL
    ) -> "ScoringContext":
        """Parse every reply."""
        samples = () if recorded.samples is None else recorded.samples.rows
        replies = () if recorded.replies is None else recorded.replies.rows
        parser = Parser(samples, lexicon, options.rules)
        place = {sample.id: number for number, sample in enumerate(samples)}
        owner = [place[reply.id] for reply in replies]
        parsed = [
            parser.reply(reply, samples[number].gold_answer)
            for reply, number in zip(replies, owner, strict=True)
        ]
        return cls(recorded, parser, lexicon, options, Streams.of(options.seed), parsed, owner, engine)


def count_outcomes(outcomes: Iterable[str]) -> dict[str, int]:
    """Count every outcome, those that did not occur as 0."""
    found = Counter(outcomes)
    return {str(outcome): found.get(str(outcome), 0) for outcome in Outcome}
