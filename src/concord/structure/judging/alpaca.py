"""Annotations of AlpacaEval: a preference from 1 to 2 beside two outputs, its order drawn and not written."""

import hashlib
import math
import re
from collections.abc import Iterator, Sequence

from concord.errors import FileFormatError, quoted
from concord.structure.judging.ballots import AB, BA, TIE, UNORDERED, UNREADABLE, A, B, Ballot
from concord.structure.named_rows import Row

_SWITCHED = re.compile(r"^is_switch(ed)?_output_\d_output_\d$")
_EVEN = 1.5


def alpaca_eval(row: Row, place: str, judge: str) -> Iterator[Ballot]:
    """Read an annotation: 1 prefers output_1, 2 prefers output_2, 1.5 or 0 is a draw, nothing is unreadable.

    AlpacaEval draws the order of the outputs and drops it when it writes; where the column with it was kept,
    the order is known.
    """
    lacking = [name for name in ("output_1", "output_2", "preference") if name not in row]
    if lacking:
        raise FileFormatError(f"{place}: no {lacking[0]!r}, expected an annotation of AlpacaEval")
    instruction = str(row.get("instruction", "")).strip()
    first, second = str(row["output_1"]), str(row["output_2"])
    code = hashlib.sha256(instruction.encode("utf-8", "replace")).hexdigest()[:8]
    words = " ".join(instruction.split())
    models = (str(row.get("generator_1", "A")), str(row.get("generator_2", "B")))
    switched = [row[key] for key in row if _SWITCHED.match(str(key))]
    order = UNORDERED if not switched else BA if switched[0] in (True, 1, "True", "true", "1") else AB
    swap = models[1] < models[0]
    verdict = _preferred(row["preference"], place)
    if swap:
        models, first, second = (models[1], models[0]), second, first
        verdict, order = {A: B, B: A}.get(verdict, verdict), {AB: BA, BA: AB}.get(order, order)
    yield Ballot(
        str(row.get("annotator", "")).strip() or judge,
        f"{words[:40]} #{code} · {models[0]} / {models[1]}",
        order,
        verdict,
        *models,
        f"#{code}",
        float(len(first)),
        float(len(second)),
    )


def alpaca_notes(rows: Sequence[Row]) -> list[str]:
    """Say that a weighted preference is one vote, and what AlpacaEval's own mean of them is."""
    found = [number for row in rows if (number := _preference(row.get("preference"))) is not None]
    weighted = sum(number not in (0, 1, _EVEN, 2) for number in found)
    if not weighted:
        return []
    # AlpacaEval's win rate of output_2 is the mean of preference - 1, a draw (0 or 1.5) being one half
    mean = sum(0.5 if number == 0 else number - 1 for number in found) / len(found)
    return [
        f"{weighted} of {len(found)} preferences are weighted (a number between 1 and 2); each counts as one "
        f"vote for the side it leans to. AlpacaEval's own win rate of output_2 averages them: {mean:.3f}"
    ]


def _preference(value: object) -> float | None:
    """Return a preference as a number; ``None`` where there is none."""
    try:
        number = float(str(value))
    except ValueError:
        return None
    return None if math.isnan(number) else number


def _preferred(value: object, place: str) -> str:
    number = _preference(value)
    if number is None and (value is None or str(value).strip().casefold() in ("", "nan", "none")):
        return UNREADABLE
    if number in (0, _EVEN):
        return TIE
    if number is None or not 1 <= number <= 2:
        raise FileFormatError(f"{place}: 'preference' is {quoted(value)}, expected a number from 1 to 2")
    return A if number < _EVEN else B  # a weighted preference counts for the side it leans to
