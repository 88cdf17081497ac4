"""Numeric options: what each may be, on the command line and in Python alike, and one way to refuse.

A rule says what is meant; a value that is none is refused with its name and what was expected. Public
functions are `gated`: every keyword with a rule is checked before anything is read, and whole numbers
arrive as whole numbers.
"""

import functools
import inspect
import math
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from numbers import Real
from typing import Any, ParamSpec, TypeVar

from concord.errors import OptionError, quoted

P = ParamSpec("P")
R = TypeVar("R")


LEAST = 1e-12
"""Numbers closer to 0 are slips of the hand, whatever the option."""


@dataclass(frozen=True, slots=True)
class NumberRule:
    """What a number may be: its ends, whether these belong to it, and how it is asked for in words."""

    low: float
    high: float
    words: str
    """What is expected, such as ``a number between 0 and 1, such as 0.95``."""
    whole: bool = False
    open_low: bool = False
    open_high: bool = False
    besides: tuple[float, ...] = ()
    """Values outside the ends that are meant too: 0 for none."""
    share: bool = False
    """Whether percentages are a likely slip."""

    def holds(self, value: float) -> bool:
        """Whether a number is one that can be meant; NaN is none."""
        if value in self.besides:
            return True
        above = value > self.low if self.open_low else value >= self.low
        below = value < self.high if self.open_high else value <= self.high
        return above and below and (not self.whole or value == math.floor(value))

    def check(self, name: str, value: object) -> Any:
        """Return the number that is meant, whole where it must be, or refuse it by its name."""
        if not isinstance(value, Real) or isinstance(value, bool):
            text = isinstance(value, str) and _is_number(value)
            raise self._refusal(name, value, ", without quotation marks" if text else "")
        number = value if isinstance(value, int) else float(value)
        if 0 < abs(number) < LEAST:
            nearest = "; write 0" if self.holds(0) else ""
            raise self._refusal(name, value, f" (nobody means a number so close to 0{nearest})")
        if not self.holds(number):
            slip = self.share and 1 < number <= 100 and self.holds(number / 100)
            raise self._refusal(name, value, f" ({number:g} % is {number / 100:g})" if slip else "")
        return int(number) if self.whole and not isinstance(value, int) else value

    def _refusal(self, name: str, value: object, advice: str) -> OptionError:
        return OptionError(f"{name} is {quoted(value)}; expected {self.words}{advice}")


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


MOST = 10_000_000
"""Items, repeats and assumed sizes beyond this are slips of the hand: no evaluation comes near it."""


def whole(low: int, high: int = MOST, *, words: str = "", besides: tuple[int, ...] = ()) -> NumberRule:
    """Return the rule of a count."""
    none = "0 (none) or " if 0 in besides else ""
    said = f"{none}a whole number from {low:,} to {high:,}"
    return NumberRule(low, high, said + words, whole=True, besides=besides)


def at_least(low: int) -> NumberRule:
    """Return the rule of a count whose upper end depends on what is counted."""
    return NumberRule(low, math.inf, f"a whole number from {low} on", whole=True, open_high=True)


def above_zero(words: str, high: float = 1e12) -> NumberRule:
    """Return the rule of a positive number that a person can mean."""
    return NumberRule(0, high, words, open_low=True)


def from_zero(words: str, high: float = 1e12) -> NumberRule:
    """Return the rule of a number that may also be 0."""
    return NumberRule(0, high, words)


LEVEL = NumberRule(0.01, 0.999999, "a number between 0 and 1, such as 0.95", share=True)
POWER = NumberRule(0.01, 0.999999, "a number between 0 and 1, such as 0.8", share=True)
SEED = whole(0, 2**63 - 1)
COUNT = whole(1)
SMALLEST_D = above_zero("the smallest d of interest, a number above 0, 10 at most", 10)
DRAWN = 1_000_000
"""Resamples, permutations and random signs beyond this add nothing but time."""
RULES: Mapping[str, NumberRule] = {
    "level": LEVEL,
    "power": POWER,
    "seed": SEED,
    "plan_seed": SEED,
    "margin": above_zero("the smallest difference that matters, a number above 0"),
    "n_resamples": whole(2, 100_000, besides=(0,)),
    "n_simulations": whole(1, 100_000, besides=(0,)),
    "n_permutations": whole(99, DRAWN),
    "n_flips": whole(1, DRAWN),
    "wrong": NumberRule(-1e12, 1e12, "the score of a wrong answer, a number"),
    "limit": at_least(1),
    "repeats": at_least(1),
    "arrangements": at_least(1),
    "n": at_least(1),
    "ask_again": whole(0, 100),
    "processes": whole(1, 256),
    "temperature": NumberRule(0, 2, "a number from 0 to 2"),
    "max_tokens": whole(1, 10**9),
    "top_p": NumberRule(1e-9, 1, "a number above 0, 1 at most"),
    "reasoning_tokens": whole(1, 10**9),
    "max_connections": whole(1, 100_000),
    "max_retries": whole(0, 100_000),
    "timeout": whole(1, 10**8, words=" seconds"),
    "give_up_after": COUNT,
    "give_up_minutes": above_zero("minutes, a number above 0", 1e8),
    "max_cost": NumberRule(0, 1e12, "a number above 0", open_low=True),
    "max_tokens_total": whole(1, 10**15),
    "max_time": NumberRule(0, 1e8, "minutes, a number above 0", open_low=True),
    "rate": NumberRule(1e-9, 1e8, "calls per minute, a number above 0"),
    "price_in": from_zero("the price of a million tokens, a number from 0 to 1e12"),
    "price_out": from_zero("the price of a million tokens, a number from 0 to 1e12"),
    "price_cached": from_zero("the price of a million tokens, a number from 0 to 1e12"),
    "price_cache_written": from_zero("the price of a million tokens, a number from 0 to 1e12"),
    "port": whole(0, 65_535),
}
"""What numeric options may be, by the names they have everywhere; a function can narrow one of them."""


def shown_name(name: str) -> str:
    """Return what a message calls an option: the command line has no ``n_`` before what is counted."""
    return name[2:] if name.startswith("n_") else name


def check_numbers(
    given: Mapping[str, object], *, required: Collection[str] = (), **own: NumberRule
) -> dict[str, Any]:
    """Return the numbers among options by name, each checked; None is nothing chosen, unless required."""
    found: dict[str, Any] = {}
    for name, value in given.items():
        rule = own[name] if name in own else RULES.get(name)
        if rule is not None and (value is not None or name in required):
            found[name] = rule.check(shown_name(name), value)
    return found


def gated(**own: NumberRule) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Check every numeric keyword of a public function before it begins; None where that is the default."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        required = {
            name
            for name, one in inspect.signature(function).parameters.items()
            if one.kind is inspect.Parameter.KEYWORD_ONLY and one.default is not None
        }

        @functools.wraps(function)
        def run(*args: P.args, **kwargs: P.kwargs) -> R:
            kwargs.update(check_numbers(kwargs, required=required, **own))
            return function(*args, **kwargs)

        return run

    return decorate
