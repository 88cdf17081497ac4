"""What answers of people look like in files: words of a scale as numbers, codes and words for no answer."""

import re

import numpy as np

from concord.stats.elementwise import Floats

_REFUSALS = re.compile(
    r"prefer not to (?:say|answer|respond)|no answer|refused|not answered|skipped|missing|keine angabe"
    r"|k\.?\s?a\.?|sans r[ée]ponse|ns/nr|sin respuesta|sem resposta|nessuna risposta",
    re.IGNORECASE,
)
_CODES = (-9.0, -66.0, -77.0, -88.0, -99.0, -999.0, -9999.0, 77.0, 88.0, 99.0, 999.0, 9999.0)
_WIDEST_SCALE = 20.0
"""The widest scale beside which a positive code cannot be an answer; sliders reach 100."""
_MIDDLE = re.compile(r"neither .*|neutral|undecided|(?:neither|no opinion)")
_POLES = (("disagree", "agree"), ("unlikely", "likely"), ("dissatisfied", "satisfied"))
_STRENGTHS = {
    **dict.fromkeys(("strongly", "very", "extremely", "completely", "totally", "highly"), 3),
    **dict.fromkeys(("", "mostly", "moderately", "quite"), 2),
    **dict.fromkeys(("somewhat", "slightly", "rather", "a little"), 1),
}


def is_refusal(cell: object) -> bool:
    """Whether a cell says that a person did not answer.

    Examples
    --------
    >>> is_refusal("Prefer not to say"), is_refusal("k. A."), is_refusal("no")
    (True, True, False)
    """
    return isinstance(cell, str) and _REFUSALS.fullmatch(cell.strip()) is not None


def codes_of_missing(values: Floats) -> tuple[float, ...]:
    """Return the codes of missing answers among numbers: usual ones, farther off than the scale is wide.

    Examples
    --------
    >>> codes_of_missing(np.array([1.0, 5.0, 3.0, -99.0, 7.0]))
    (-99.0,)
    >>> codes_of_missing(np.array([0.0, 99.0, 40.0])), codes_of_missing(np.array([1.0, 99.0, 7.0]))
    ((), (99.0,))
    """
    there = np.unique(values[np.isfinite(values)])
    others = there[~np.isin(there, _CODES)]
    if len(others) < 2:
        return ()
    low, high = float(others[0]), float(others[-1])
    if low < 0 or high - low > 100:
        return ()
    return tuple(
        float(code)
        for code in there[np.isin(there, _CODES)]
        if code < 0 or (high - low <= _WIDEST_SCALE and code - high > high - low)
    )


def scale_of_words(words: list[str]) -> dict[str, float] | None:
    """Return the numbers of the words of a scale, from 1; ``None`` where one of them is on no scale.

    Examples
    --------
    >>> scale_of_words(["Agree", "Strongly disagree", "Neither agree nor disagree"])
    {'Agree': 4.0, 'Strongly disagree': 1.0, 'Neither agree nor disagree': 3.0}
    >>> scale_of_words(["Somewhat likely", "Very unlikely"])
    {'Somewhat likely': 4.0, 'Very unlikely': 1.0}
    >>> scale_of_words(["yes", "no"]) is None
    True
    """
    places = {word: _place(word) for word in words}
    found = [place for place in places.values() if place is not None]
    if len(found) < len(words) or len({place for place in found if place[0] is not None}) < 2:
        return None
    if len({pole for pole, _ in found if pole is not None}) > 1:
        return None
    strengths = {abs(at) for _, at in found}
    steps = [-3, -2, -1, 0, 1, 2, 3]
    if not {1, 2} <= strengths:
        steps = [-3, -1, 0, 1, 3] if 1 in strengths else [-3, -2, 0, 2, 3]
    number = {step: float(i) for i, step in enumerate(steps, 1)}
    return {word: number[place[1]] for word, place in places.items() if place is not None}


def _place(word: str) -> tuple[int | None, int] | None:
    """Return the pair of poles and the step from the middle that a word names."""
    text = " ".join(word.casefold().split())
    if _MIDDLE.fullmatch(text):
        return (None, 0)
    for which, (low, high) in enumerate(_POLES):
        for pole, sign in ((low, -1), (high, 1)):
            strength = text.removesuffix(pole).strip()
            if text.endswith(pole) and strength in _STRENGTHS:
                return (which, sign * _STRENGTHS[strength])
    return None
