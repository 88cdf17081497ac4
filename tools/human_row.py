"""Compute the row of people against people again and keep it with its table (about two minutes)."""

import json
from pathlib import Path
from typing import Any

import concord.people
from concord.files.codec import encode
from concord.people.protocol import STANDARD
from concord.people.public import replication_table
from concord.people.result import SCORES, HumanRow
from concord.people.results.one import score_table


def compute_human_row() -> dict[str, Any]:
    """Score the table of replications: what `human_row` reads."""
    found = score_table(replication_table(), STANDARD, n_simulations=1000)
    made: dict[str, Any] = encode(HumanRow(len(found.tests), found.pas, found.ecs, found.apr))
    return made


def main() -> None:
    """Write the scores that `human_row` reads."""
    path = Path(concord.people.__path__[0]) / "data" / SCORES
    path.write_text(json.dumps(compute_human_row(), ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
