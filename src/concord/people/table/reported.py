"""Reported statistics in a table of tests: they fill what columns lack and are checked against the rest."""

import functools
import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from concord.errors import ApaError
from concord.people.apa.records import EXAMPLES, ApaResult
from concord.people.families.draft import Draft, in_words, sign
from concord.people.families.registry import KINDS, complete

COLUMNS_WIN = "the columns are used"
"""How a warning ends that a reported statistic says something else than the columns."""
_NUMBERS = ("statistic", "df1", "df2", "n", "n1", "n2", "k", "p0", "se", "ci_low", "ci_high")


@dataclass(slots=True)
class _Reported:
    """What a reported statistic says, in the terms of a test type."""

    values: dict[str, float] = field(default_factory=dict)
    tolerance: float = 0.0
    """Half a unit of the last printed digit of the statistic."""
    p_value: float | None = None
    direction: int | None = None
    flags: tuple[str, ...] = ()
    """What is assumed when the p-value is used."""


def complete_with_reported(draft: Draft, *, alpha: float) -> Draft:
    """Complete a side that has a reported statistic."""
    # The columns win: where they suffice, the reported statistic is only checked, and a disagreement is a
    # note. Where they do not, it fills what they lack.
    trial = draft.copied()
    complete(trial)
    if trial.faults or trial.too_small is not None:
        return trial
    result = _parsed(draft, needed=bool(trial.lacking))
    if result is None:
        return draft if draft.faults else _completed(draft)
    reading = _translated(result, draft.test_type)
    for text in _disagreements(trial, result, reading):
        draft.note("reported", text)
    for text in _inconsistencies(trial, result, alpha):
        draft.contradict("reported", text)
    for text in _one_tailed(result, alpha):
        draft.note("reported", text)
    if KINDS[draft.test_type].core(trial) and not trial.lacking:
        _fill_extras(draft, reading)
        return _completed(draft)
    filled = draft.copied()
    _fill(filled, result, reading)
    if not filled.faults:
        complete(filled)
    if trial.lacking or not filled.failed:
        return filled
    draft.note(
        "reported", f"{draft.reported!r} does not give what test type {draft.test_type} needs; not used"
    )
    return _completed(draft)


def _one_tailed(result: ApaResult, alpha: float) -> tuple[str, ...]:
    """Say that a test is significant in the paper and not here, where tests are two-tailed."""
    if not result.one_tailed or result.p_value is None or result.p_relation not in ("=", "<"):
        return ()
    p = result.p_bounds()[1] if result.p_relation == "<" else result.p_value
    if not p <= alpha < 2 * p:
        return ()
    return (
        f"{result.text!r} is significant one-tailed only: here tests are two-tailed, and it counts as no "
        f"effect (alpha = {2 * alpha:g} in its row makes it one)",
    )


def _completed(draft: Draft) -> Draft:
    """Complete a draft and give it back."""
    complete(draft)
    return draft


@functools.lru_cache(maxsize=4096)
def _parse(text: str) -> ApaResult | ApaError:
    """Parse a reported statistic; papers' tables repeat them, so keep the last few thousand."""
    from concord.people.apa.read import parse_apa

    try:
        return parse_apa(text)
    except ApaError as error:
        return error


def reports_coefficient(text: str | None) -> bool:
    """Whether a reported statistic is a coefficient b."""
    result = None if text is None else _parse(text)
    return isinstance(result, ApaResult) and result.kind == "b"


def _parsed(draft: Draft, *, needed: bool) -> ApaResult | None:
    """Parse the reported statistic of a side; what does not parse is a fault if needed, else a note."""
    text = draft.reported
    if text is None:
        return None
    result = _parse(text)
    if isinstance(result, ApaResult):
        return result
    if needed:
        draft.fault("reported", f"{result.expected} (at character {result.position + 1})")
    else:
        draft.note("reported", f"{text!r} does not parse and is not used; the other columns suffice")
    return None


def _translated(result: ApaResult, test_type: str) -> _Reported:
    """Translate a reported statistic into the terms of a test type."""
    reading = _Reported()
    if result.kind in ("t", "r", "z", "b") and result.statistic is not None and result.statistic != 0:
        reading.direction = sign(result.statistic)
    _read_p(result, reading)
    kind = KINDS[test_type]
    better = kind.reported_p(result)
    if better is not None:
        reading.p_value, reading.flags = better, ()
    values = {name: getattr(result, name) for name in _NUMBERS}
    half = 0.0 if result.statistic_decimals is None else 0.5 * 10.0**-result.statistic_decimals
    values, half = kind.translate(result, values, half)
    if result.statistic_relation != "=":
        values.pop("statistic", None)
    reading.values = {name: float(value) for name, value in values.items() if value is not None}
    reading.tolerance = half
    return reading


def _read_p(result: ApaResult, reading: _Reported) -> None:
    """Take the two-sided p-value of a reported statistic, or the bound that is all it gives."""
    if result.p_value is None or result.p_relation not in ("=", "<"):
        return
    p_value, flags = result.p_value, []
    if result.p_relation == "<" or p_value == 0:
        p_value = result.p_bounds()[1]
        flags.append(f"only p < {in_words(p_value)} is reported: the bound is used as the p-value")
    if result.one_tailed:
        p_value = min(1.0, 2 * p_value)
        flags.append("the reported p-value is one-tailed: doubled")
    reading.p_value, reading.flags = p_value, tuple(flags)


def _fill(draft: Draft, result: ApaResult, reading: _Reported) -> None:
    """Fill the fields that the columns leave empty."""
    kind = KINDS[draft.test_type]
    fitting = kind.reported
    if not fitting and kind.takes_p(draft):
        _fill_p(draft, reading)
        if draft.p_value is None:
            draft.fault("reported", "a p-value such as 'p = .03' or 'p < .01'")
        return
    if result.kind not in fitting:
        examples = " or ".join(EXAMPLES[kind] for kind in fitting) if fitting else f"{draft.side}_table"
        hint = "; for a p-value alone the test type is p-value" if result.kind == "p" else ""
        draft.fault("reported", f"{examples}, as test type {draft.test_type} needs{hint}")
    elif result.statistic_relation != "=" and draft.statistic is None:
        draft.fault("reported", f"the value of the statistic; {result.text!r} only bounds it")
    else:
        _fill_sizes(draft, reading.values)
        for name in ("statistic", "df1", "df2", "k", "p0", "z", "se", "ci_low", "ci_high"):
            _put(draft, name, reading.values.get(name))
        if kind.takes_p(draft):
            _fill_p(draft, reading)
        elif kind.direction_from_report:
            _fill_direction(draft, reading)


def _put(draft: Draft, name: str, value: float | None) -> None:
    """Fill one field if the columns leave it empty."""
    if value is not None and getattr(draft, name) is None:
        setattr(draft, name, value)
        draft.source[name] = "reported"


def _fill_sizes(draft: Draft, values: dict[str, float]) -> None:
    """Fill sample sizes, unless those in the columns already say another total."""
    if draft.n1 is not None and draft.n2 is not None:
        return
    groups = [values.get("n1"), values.get("n2")]
    if (
        draft.n is not None
        and None not in groups
        and draft.n != math.fsum(n for n in groups if n is not None)
    ):
        return
    names = ("n1", "n2", "n") if draft.n1 is None and draft.n2 is None else ("n",)
    for name in names:
        _put(draft, name, values.get(name))


def _fill_p(draft: Draft, reading: _Reported) -> None:
    """Fill the p-value and the direction that is given with it, and say what is assumed."""
    if draft.p_value is None and reading.p_value is not None:
        _put(draft, "p_value", reading.p_value)
        draft.flags.extend(reading.flags)
    _fill_direction(draft, reading)


def _fill_direction(draft: Draft, reading: _Reported) -> None:
    """Take the direction from the sign of a reported t, r or z; a column that contradicts it is a fault."""
    if reading.direction is None:
        return
    if draft.direction is None:
        draft.direction = reading.direction
    elif draft.direction != reading.direction:
        way = "positive" if reading.direction > 0 else "negative"
        draft.fault(
            "direction",
            f"the {way} direction of {draft.side}_reported = {draft.reported!r}, or an empty cell",
        )


def _fill_extras(draft: Draft, reading: _Reported) -> None:
    """Take what no column can hold or what evidence rests on: the z of a U, the p of a within-subjects F."""
    kind = KINDS[draft.test_type]
    if "z" in kind.reported:
        _put(draft, "z", reading.values.get("z"))
    elif kind.reported and kind.takes_p(draft):
        _fill_p(draft, reading)


def _inconsistencies(draft: Draft, result: ApaResult, alpha: float) -> Iterator[str]:
    """Tell of a reported p-value that does not follow from the reported statistic."""
    from concord.people.apa.read import check_apa

    if result.p_relation is None:
        return  # nothing is claimed; recomputing takes longer than all the rest
    absent = {name: getattr(draft, name) for name in ("df1", "df2", "p0") if getattr(result, name) is None}
    result = replace(result, **absent)
    kind = KINDS[draft.test_type]
    n1, n2 = kind.check_sizes(draft)
    check = check_apa(result, alpha=alpha, n1=n1, n2=n2)
    if check.verdict in ("inconsistent", "decision error") and not kind.excuses(result, check):
        yield f"{draft.reported!r}: {check.verdict}: {check.reason}"


def _disagreements(draft: Draft, result: ApaResult, reading: _Reported) -> Iterator[str]:
    """Tell of every number that the columns and the reported statistic give differently."""
    fitting = KINDS[draft.test_type].reported
    if fitting and result.kind not in (*fitting, "p"):
        if KINDS[draft.test_type].core(draft):
            yield f"{draft.reported!r} is not a statistic for test type {draft.test_type}; not used"
        return
    pairs = {name: (getattr(draft, name), said) for name, said in reading.values.items() if name != "z"}
    for name, (column, said) in pairs.items():
        if column is not None and not _agree(draft, name, (column, said), reading.tolerance):
            yield _versus(draft, f"{name} = {in_words(said)}", column)
    if draft.p_value is not None and result.p_value is not None and not result.one_tailed:
        low, high = result.p_bounds()
        if not low - 1e-12 <= draft.p_value <= high + 1e-12:
            yield _versus(draft, f"p {result.p_relation} {in_words(result.p_value)}", draft.p_value)


def _versus(draft: Draft, said: str, column: float) -> str:
    """Word a disagreement between a reported statistic and the columns."""
    return f"{draft.reported!r} says {said}, the columns {in_words(column)}; {COLUMNS_WIN}"


def _agree(draft: Draft, name: str, pair: tuple[float, float], tolerance: float) -> bool:
    """Whether a column and a reported number are the same but for rounding."""
    column, said = pair
    if name != "statistic":
        return math.isclose(column, said, rel_tol=1e-3)
    digits = repr(column).partition("e")[0].partition(".")[2]
    coarse = 1.000001 * max(tolerance, 0.5 * 10.0 ** -len(digits) if "e" not in repr(column) else 0.0)
    if abs(column - said) <= coarse:
        return True
    return KINDS[draft.test_type].same_statistic(draft, said, coarse)
