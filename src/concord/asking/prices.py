"""Prices of tokens: given, from a file, or from Inspect's data about models."""

from dataclasses import dataclass
from pathlib import Path

from concord.errors import FileFormatError, OptionError
from concord.files.contents import read_bytes
from concord.files.json_text import parsed
from concord.files.limits import quoted

_DEAREST = 1e12
"""Nobody pays more for a million tokens."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Price of a million tokens, in any one currency."""

    input: float
    output: float

    def __post_init__(self) -> None:
        for name, value in (("--price-in", self.input), ("--price-out", self.output)):
            if not 0 <= value <= _DEAREST:
                raise OptionError(
                    f"{name} {value}: expected the price of a million tokens, from 0 to {_DEAREST:g}"
                )

    def cost(self, input_tokens: float, output_tokens: float) -> float:
        """Return what so many tokens cost."""
        return (input_tokens * self.input + output_tokens * self.output) / 1e6


_FREE = ("local", "mockllm")


def read_prices(path: Path) -> dict[str, Prices]:
    """Read a file of prices: ``{"PROVIDER/MODEL": {"in": 0.15, "out": 0.6}}``, per million tokens."""
    document = parsed(str(path), read_bytes(path))
    if not isinstance(document, dict):
        raise FileFormatError(f"{path}: expected an object of models, each with 'in' and 'out'")
    found = {}
    for model, pair in document.items():
        numbers = [pair.get(name) if isinstance(pair, dict) else None for name in ("in", "out")]
        if not all(map(_is_price, numbers)):
            raise FileFormatError(
                f"{path}: {quoted(model)} is {quoted(pair)}, expected {{'in': NUMBER, 'out': NUMBER}}"
            )
        found[model] = Prices(float(numbers[0]), float(numbers[1]))  # type: ignore[arg-type]
    return found


def _is_price(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value <= _DEAREST


def known_prices(model: str) -> Prices | None:
    """Return the prices in Inspect's data about models, where it has them and is installed."""
    if model.split("/")[0] in _FREE:
        return None
    try:
        from inspect_ai.model import get_model_info
    except ImportError:
        return None
    info = get_model_info(model)
    cost = None if info is None else info.cost
    return None if cost is None else Prices(float(cost.input), float(cost.output))
