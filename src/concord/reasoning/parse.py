"""Recorded replies to what was answered: parts, outcome, correctness under every rule, leakage."""

from collections.abc import Sequence
from dataclasses import dataclass

from concord.reasoning.answer import How
from concord.reasoning.bias import ScoredCase
from concord.reasoning.correct import RULES, Judge, Rule, correct_source
from concord.reasoning.lexicon import Lexicon
from concord.reasoning.outcome import Outcome
from concord.reasoning.read.records import BiasCase, RecordedReply, Sample
from concord.reasoning.split import Split, split_reply, split_reply_source, steps_text_source
from concord.reasoning.steps import reasoning_steps
from concord.reasoning.triage import Triage

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
