"""Prices of tokens: given, from a file, or from Inspect's data about models."""

import json
from pathlib import Path

from concord.asking.plan import Prices
from concord.errors import FileFormatError

_FREE = ("local", "mockllm")


def read_prices(path: Path) -> dict[str, Prices]:
    """Read a file of prices: ``{"PROVIDER/MODEL": {"in": 0.15, "out": 0.6}}``, per million tokens.

    Raises
    ------
    FileFormatError
        The file is not of this form; the model is named.
    """
    try:
        document = json.loads(path.read_bytes())
    except OSError as fault:
        raise FileFormatError(f"cannot read {path}: {fault.strerror}") from fault
    except ValueError as fault:
        raise FileFormatError(f"{path} is not JSON: {fault}") from fault
    if not isinstance(document, dict):
        raise FileFormatError(f"{path}: expected an object of models, each with 'in' and 'out'")
    found = {}
    for model, pair in document.items():
        numbers = [pair.get(name) if isinstance(pair, dict) else None for name in ("in", "out")]
        if not all(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers):
            raise FileFormatError(f"{path}: {model!r} is {pair!r}, expected {{'in': NUMBER, 'out': NUMBER}}")
        found[model] = Prices(float(numbers[0]), float(numbers[1]))  # type: ignore[arg-type]
    return found


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
