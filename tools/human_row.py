"""Compute the row of people against people again and keep it with its table (about two minutes)."""

import csv
import json
from pathlib import Path
from typing import Any

import concord.people
from concord.files.codec import encode
from concord.people.protocol import STANDARD
from concord.people.public import replication_table
from concord.people.result import SCORES, HumanRow
from concord.people.results.one import MEASURED_TWICE, score_table
from concord.people.studies.catalog import row_keys
from concord.people.studies.load import find_studies


def compute_human_row() -> dict[str, Any]:
    """Score the table of replications: what `human_row` reads."""
    found = score_table(replication_table(), STANDARD, n_simulations=1000)
    made: dict[str, Any] = encode(HumanRow(len(found.tests), found.pas, found.ecs, found.apr))
    return made


def measured_twice() -> list[dict[str, Any]]:
    """Return the tests of bundled studies whose original is known: human original, agent people."""
    rows = []
    for file in find_studies(["many-labs-2"]):
        for finding, spec in file.study.findings.items():
            for test in spec.tests:
                if test.original is None or test.human is None:
                    continue
                people = {key.replace("human_", "agent_"): v for key, v in test.human.columns().items()}
                rows.append(row_keys(file.study, finding, test) | test.original.columns() | people)
    return rows


def main() -> None:
    """Write the scores that `human_row` reads, and the effects that people showed twice."""
    folder = Path(concord.people.__path__[0]) / "data"
    rows = measured_twice()
    columns = list(dict.fromkeys(key for row in rows for key in row))
    with (folder / MEASURED_TWICE[0]).open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, columns, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    path = folder / SCORES
    path.write_text(json.dumps(compute_human_row(), ensure_ascii=False, indent=1) + "\n", "utf-8")


if __name__ == "__main__":
    main()
