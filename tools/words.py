"""Write the tables of `docs/explanation/words.md` from the rates in `benchmarks/words.json`.

The rates are those of simulations (`python benchmarks/claims.py PART --write`); prose stays on the page. Run
it after a rate has changed: `python tools/words.py`.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RATES, PAGE = ROOT / "benchmarks" / "words.json", ROOT / "docs" / "explanation" / "words.md"
TABLE = re.compile(r"(<!-- words: ([a-z]+) -->\n).*?(\n<!-- end -->)", re.DOTALL)
HEAD = "| words | rule | printed although false | missed although true |\n|---|---|---|---|"
MOST_LISTED = 4
"""Populations that are listed one by one; of more the range is told, and all are in the file of rates."""


def table(rows: list[dict[str, Any]]) -> str:
    """Return a section's sentences: each with its rule, how often false, how often missed."""
    lines = []
    for row in rows:
        rates = (rate_words(row[side]) for side in ("false", "missed"))
        parts = (f"{row['sentence']}{_keys(row)}", row["when"], *rates)
        lines.append("| " + " | ".join(part.replace("|", "\\|") for part in parts) + " |")
    return "\n".join([HEAD, *lines])


def _keys(row: dict[str, Any]) -> str:
    """Return the entries of the catalogue of sentences that a row is about."""
    return "".join(f" `{key}`" for key in row.get("keys", ()))


def rate_words(part: Mapping[str, Any]) -> str:
    """Return what was simulated, and its rates: each of a few populations, or the range and the largest."""
    rates: Mapping[str, float] = part.get("rates", {})
    if not rates:
        return str(part["said"])
    low, high = part["runs"]
    sets = f"{low:,}" if low == high else f"{low:,} to {high:,}"
    most = max(rates, key=lambda cell: rates[cell])
    error = 100 * (rates[most] * (1 - rates[most]) / low) ** 0.5
    if len(rates) <= MOST_LISTED:
        told = "; ".join(f"{cell} {100 * rate:.1f} %" for cell, rate in rates.items())
        return f"{part['said']}: {told} (± {error:.1f} at most; {sets} sets each)"
    least = 100 * min(rates.values())
    middle = 100 * sum(rates.values()) / len(rates)
    return (
        f"{part['said']}: {middle:.1f} % in the mean of {len(rates)} populations, {least:.1f} to "
        f"{100 * rates[most]:.1f} % (± {error:.1f}: {most}); {sets} sets each"
    )


def page(text: str, rows: list[dict[str, Any]]) -> str:
    """Return the page with its tables made from the rates."""
    return TABLE.sub(
        lambda found: found[1] + table([row for row in rows if row["section"] == found[2]]) + found[3], text
    )


def main() -> None:
    """Write the page."""
    rows = json.loads(RATES.read_text(encoding="utf-8"))
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")


if __name__ == "__main__":
    main()
