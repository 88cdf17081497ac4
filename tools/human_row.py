"""Compute the row of people against people again and keep it with its table (about two minutes)."""

import json
from pathlib import Path

import concord.people
from concord.people.human_row import SCORES
from concord.people.replications import compute_human_row


def main() -> None:
    """Write the scores that `human_row` reads."""
    path = Path(concord.people.__path__[0]) / "data" / SCORES
    path.write_text(json.dumps(compute_human_row(), ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
