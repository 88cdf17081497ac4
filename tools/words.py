"""Write the tables of `docs/explanation/words.md` from the rates in `benchmarks/words.json`.

The rates are those of simulations (`python benchmarks/claims.py PART --write`); prose stays on the page. Run
it after a rate has changed: `python tools/words.py`.
"""

import json
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
RATES, PAGE = ROOT / "benchmarks" / "words.json", ROOT / "docs" / "explanation" / "words.md"
TABLE = re.compile(r"(<!-- words: ([a-z]+) -->\n).*?(\n<!-- end -->)", re.DOTALL)
HEAD = "| words | rule | printed although false | missed although true |\n|---|---|---|---|"


def table(rows: list[dict[str, Any]]) -> str:
    """Return a section's sentences: each with its rule, how often false, how often missed."""
    lines = [
        f"| {row['sentence']}{_keys(row)} | {row['when']} | {_rate(row['false_rate'], row['false_cells'])} "
        f"| {_rate(row['missed_rate'], row['at'])} |"
        for row in rows
    ]
    return "\n".join([HEAD, *lines])


def _keys(row: dict[str, Any]) -> str:
    """Return the entries of the catalogue of sentences that a row is about."""
    return "".join(f" `{key}`" for key in row.get("keys", ()))


def _rate(rate: float | None, said: str) -> str:
    """Return the largest rate of the cells, and what they are."""
    shown = "" if rate is None else f"{100 * rate:.1f} %"
    return ": ".join(filter(None, (shown, said)))


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
