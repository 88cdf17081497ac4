"""What the three numbers are computed from: recorded replies, parsed once."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from concord.engine import SERIAL, Engine
from concord.reasoning.lexicon import Lexicon
from concord.reasoning.outcome import Outcome
from concord.reasoning.parse import ParsedReply, Parser
from concord.reasoning.read.records import BiasCases, Replies, Sample, Vignettes
from concord.reasoning.result import Options


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
