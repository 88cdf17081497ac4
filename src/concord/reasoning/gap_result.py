"""The faithfulness gap of recorded replies, with its companion numbers."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.reasoning import gap as gaps
from concord.reasoning.answer import MARKED, How
from concord.reasoning.context import ScoringContext
from concord.reasoning.correct import RULES
from concord.reasoning.outcome import Outcome
from concord.reasoning.parse import SOURCE, ParsedReply, column
from concord.reasoning.read.records import MODES
from concord.reasoning.result import GapResult, LabelRow, SensitivityRow
from concord.records import Estimate


@dataclass(frozen=True, slots=True)
class _Columns:
    """Parsed replies as columns."""

    owner: NDArray[np.intp]
    is_cot: NDArray[np.bool_]
    usable: NDArray[np.bool_]
    ok: NDArray[np.bool_]
    right: NDArray[np.bool_]
    """Replies x rules."""

    def items(self, rule: int, usable: NDArray[np.bool_]) -> gaps.Items:
        return gaps.items(self.owner, self.is_cot, usable, self.right[:, rule])


def _columns(context: ScoringContext) -> _Columns:
    """Turn parsed replies into columns."""
    parsed = context.parsed
    right = np.array([one.right for one in parsed], dtype=bool).reshape(len(parsed), SOURCE + 1)
    return _Columns(
        np.array(context.owner, dtype=np.intp),
        np.array([one.reply.mode == "cot" for one in parsed], dtype=bool),
        np.array([one.usable for one in parsed], dtype=bool),
        np.array([one.outcome is Outcome.OK for one in parsed], dtype=bool),
        right,
    )


def gap_result(context: ScoringContext) -> GapResult:
    """Compare the two modes."""
    options, streams, samples, parsed = context.options, context.streams, context.samples, context.parsed
    columns = _columns(context)
    rule = column(options.rules, options.rule)
    families = [sample.cluster for sample in samples]
    found = columns.items(rule, columns.usable).with_families(families)
    left_out = len(samples) - len(found.which)
    estimate = gaps.gap_estimate(found, left_out)
    table, p_value, method = gaps.paired_test(
        found.cot, found.direct, repeated=found.repeated, rng=streams.test, families=found.families
    )
    direct = [one for one in parsed if one.reply.mode == "direct" and _has_text(one)]
    n_leaked = sum(one.leaked for one in direct)
    found_by = {mode: _found(parsed, mode) for mode in MODES}
    shares = (0.0, 0.0) if options.rules == "source" else tuple(map(_unmarked, found_by.values()))
    word, reason = gaps.verdict(
        estimate, len(direct), n_leaked, (shares[0], shares[1]), n_units=found.n_units
    )
    labels = [samples[item].gold_answer.strip() for item in found.which]
    return GapResult(
        estimate,
        gaps.accuracy(found.cot, found.correct_cot, found.n_cot, left_out, families=found.families),
        gaps.accuracy(found.direct, found.correct_direct, found.n_direct, left_out, families=found.families),
        found.correct_cot,
        found.correct_direct,
        gaps.gap_bootstrap(found, rng=streams.gap, n_resamples=options.n_resamples, engine=context.engine),
        table,
        p_value,
        method,
        word,
        reason,
        len(direct),
        n_leaked,
        _if_wrong(columns, rule, families),
        *gaps.majority(labels),
        tuple(_sensitivity(columns, families)),
        tuple(_labels(found, labels)),
        found_by,
    )


def _found(parsed: Sequence[ParsedReply], mode: str) -> dict[str, int]:
    """Count how answers were found, over the replies of a mode that came whole and were no refusal."""
    whole = [
        one for one in parsed if one.reply.mode == mode and one.outcome in (Outcome.OK, Outcome.NO_ANSWER)
    ]
    counts = Counter(str(one.how) for one in whole)
    return {str(how): counts[str(how)] for how in How}


def _unmarked(found: Mapping[str, int]) -> float:
    """Return the share of replies whose answer nothing marks."""
    n = sum(found.values())
    return 1 - sum(found[str(how)] for how in MARKED) / n if n else 0.0


def _has_text(one: ParsedReply) -> bool:
    return one.outcome not in (Outcome.FAILED, Outcome.EMPTY)


def _if_wrong(columns: _Columns, rule: int, families: Sequence[str | None]) -> Estimate:
    """Return the gap if every outcome but ok counted as a wrong answer."""
    right = columns.right[:, rule] & (columns.ok if rule != SOURCE else True)
    everything = np.ones(len(columns.owner), dtype=bool)
    found = gaps.items(columns.owner, columns.is_cot, everything, right).with_families(families)
    return gaps.gap_estimate(found, len(families) - len(found.which))


def _sensitivity(columns: _Columns, families: Sequence[str | None]) -> Iterable[SensitivityRow]:
    """Return the gap under every rule of correctness, and under the rules of the research code."""
    everything = np.ones(len(columns.owner), dtype=bool)
    for number in range(SOURCE + 1):
        source = number == SOURCE
        found = columns.items(number, everything if source else columns.ok).with_families(families)
        n = len(found.which)
        estimate = gaps.gap_estimate(found, len(families) - n)
        means = (float(found.cot.mean()), float(found.direct.mean())) if n else (None, None)
        name, rule = ("source", None) if source else ("standard", RULES[number])
        yield SensitivityRow(name, rule, n, means[0], means[1], estimate)


def _labels(found: gaps.Items, labels: Sequence[str]) -> Iterable[LabelRow]:
    """Return the accuracy for each gold label."""
    names = np.array(labels, dtype=object)
    for label in sorted(set(labels)):
        own = names == label
        yield LabelRow(label, int(own.sum()), float(found.cot[own].mean()), float(found.direct[own].mean()))
