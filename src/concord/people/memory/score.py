"""Original against variant, paired by study, and what may be said about memory."""

from collections.abc import Mapping, Sequence

import numpy as np
from scipy import special

from concord.people.memory.files import MemoryResult
from concord.people.memory.names import MARK, base_of
from concord.people.memory.result import MEMORY, NO_SIGN, NOT_RECOGNISED, UNKNOWN, Recognition, VariantPair
from concord.people.result import FindingResult, GroupResult
from concord.records import Estimate, Interval

FEWEST_STUDIES = 3


def memory_result(
    recognised: Sequence[Recognition],
    studies: Sequence[GroupResult],
    findings: Sequence[FindingResult],
    *,
    level: float = 0.95,
    model: str | None = None,
) -> MemoryResult:
    """Compare originals with their variants and say what follows."""
    known = {one.study: one.recognised for one in recognised}
    pairs = tuple(_paired(studies, findings, known))
    used = [pair for pair in pairs if pair.recognised]
    pas = _delta([(pair.pas, pair.variant_pas) for pair in used], level)
    ecs = _delta([(pair.ecs, pair.variant_ecs) for pair in used], level)
    verdict = _verdict(recognised, pairs, pas)
    sentence = _sentence(verdict, recognised, pas)
    return MemoryResult(tuple(recognised), pairs, pas, ecs, verdict, sentence, model)


def _paired(
    studies: Sequence[GroupResult], findings: Sequence[FindingResult], known: Mapping[str, bool]
) -> list[VariantPair]:
    by_name = {one.name: one for one in studies}
    made = []
    for name, variant in by_name.items():
        base = by_name.get(base_of(name))
        if MARK not in name or base is None:
            continue
        own = {(one.sub_study, one.finding): one.pas for one in findings if one.study == name}
        theirs = {(one.sub_study, one.finding): one.pas for one in findings if one.study == base.name}
        both = [key for key in own if own[key] is not None and theirs.get(key) is not None]
        sides = [_mean_of([side[key] for key in both]) for side in (theirs, own)]
        made.append(
            VariantPair(
                base.name, name.partition(MARK)[2], known.get(base.name), sides[0], sides[1],
                base.ecs.value, variant.ecs.value, len(both),
            )
        )  # fmt: skip
    return made


def _mean_of(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _delta(pairs: Sequence[tuple[float | None, float | None]], level: float) -> Estimate:
    """Return the mean of paired differences with Student's t over studies."""
    gaps = np.array([one - two for one, two in pairs if one is not None and two is not None])
    if not gaps.size:
        return Estimate(None, note="undefined: no recognised study has a variant with both numbers")
    value = float(gaps.mean())
    if gaps.size < FEWEST_STUDIES or np.ptp(gaps) == 0:
        return Estimate(
            value, n=gaps.size, note=f"no interval: {gaps.size} studies, or no spread between them"
        )
    reach = float(special.stdtrit(gaps.size - 1, 0.5 + level / 2) * gaps.std(ddof=1) / np.sqrt(gaps.size))
    return Estimate(value, Interval(value - reach, value + reach, level, "t over studies"), n=gaps.size)


def _verdict(recognised: Sequence[Recognition], pairs: Sequence[VariantPair], delta: Estimate) -> str:
    if not recognised or not pairs:
        return UNKNOWN
    if not any(pair.recognised for pair in pairs):
        return NOT_RECOGNISED
    return MEMORY if delta.interval is not None and delta.interval.low > 0 else NO_SIGN


def _sentence(verdict: str, recognised: Sequence[Recognition], delta: Estimate) -> str:
    n = sum(one.recognised for one in recognised)
    start = f"The model recognised {n} of {len(recognised)} studies"
    if verdict == UNKNOWN:
        return (
            f"{start}; run variants too (--variant all) to see whether it answers from memory."
            if recognised
            else ("Whether the model knows the studies was not asked (--memory).")
        )
    if verdict == NOT_RECOGNISED:
        return f"{start}, none of those that have a variant."
    ends = delta.interval
    between = "no interval" if ends is None else f"{ends.low:+.2f} to {ends.high:+.2f}"
    value = "undefined" if delta.value is None else f"{delta.value:+.2f}"
    told = f"PAS of the originals minus that of their variants is {value} ({between})"
    if verdict == MEMORY:
        return (
            f"{start}, and agrees less with people when the surface changes: {told}. It answers from memory."
        )
    return f"{start}; {told}: no sign that it answers from memory could be shown."
