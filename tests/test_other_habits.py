"""Tables in other people's habits: what is read is what the same rows under documented names give."""

import json
import random
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

import openpyxl
import pytest

import concord
from concord.errors import ConcordError

Rows = list[dict[str, Any]]
_APART = ("inputs", "warnings", "left_out", "notes", "readings", "sha256", "sentences", "source", "file")


def numbers(found: Any) -> list[float]:
    """Return every number of a result, but for where it comes from."""
    if isinstance(found, dict):
        return [one for key, value in found.items() if key not in _APART for one in numbers(value)]
    if isinstance(found, list):
        return [one for value in found for one in numbers(value)]
    return [round(found, 9)] if isinstance(found, int | float) and not isinstance(found, bool) else []


def of(result: Any) -> list[float]:
    return numbers(json.loads(json.dumps(result.document(), default=str)))


def options(table: Any, **how: Any) -> list[float]:
    return of(concord.score_options(table, n_permutations=999, **how))


def judge(table: Any) -> list[float]:
    return of(concord.score_judge(table, n_permutations=999))


def hints(table: Any) -> list[float]:
    return of(concord.score_hints(table))


def text(path: Path, head: str, rows: Iterable[Sequence[object]], *below: str, sep: str = ";") -> Path:
    lines = [head, *(sep.join("" if one is None else str(one) for one in row) for row in rows), *below]
    path.write_text("\ufeff" + "\n".join(lines) + "\n", "utf-8")
    return path


def book(path: Path, lines: Iterable[Sequence[object]], *merged: str) -> Path:
    made = openpyxl.Workbook()
    for line in lines:
        made.worksheets[0].append(list(line))
    for area in merged:
        made.worksheets[0].merge_cells(area)
    made.save(path)
    return path


_DRAWN = random.Random(20261117)
_ITEMS = [f"q{i}" for i in range(1, 13)]
CHOSEN: Rows = [
    {"item": i, "arrangement": o, "chosen": _DRAWN.choice("ABCD"), "right": "ABCD"[o.index("A")]}
    | {"n_options": 4}
    for i in _ITEMS
    for o in ("ABCD", "BCDA", "CDAB", "DABC")
]
VOTES: Rows = [
    {"pair": f"p{i}", "order": o, "verdict": _DRAWN.choice(["first", "first", "second", "tie"]), "judge": "j"}
    for i in range(16)
    for o in ("ab", "ba")
]
HINTS: Rows = [
    {"id": i, "kind": kind, "target": "B", "answer": _DRAWN.choice(answers), "n_options": 4}
    for i in _ITEMS
    for kind, answers in (("none", "ACD"), ("sycophancy", "BBA"))
]
_WORDS = {"first": "erste", "second": "zweite", "tie": "unentschieden"}


def by_order(rows: Rows) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for row in rows:
        found.setdefault(row["pair"], {})[row["order"]] = row["verdict"]
    return found


def values(rows: Rows) -> list[list[object]]:
    return [list(row.values()) for row in rows]


Case = tuple[Callable[..., list[float]], Rows, Callable[[Path], Path]]
CASES: dict[str, Case] = {
    "options: an index, units": (
        options,
        CHOSEN,
        lambda at: text(at / "a.csv", ";Item (ID);Order;Chosen (letter);Right (letter);n options",
                        [[i, *row] for i, row in enumerate(values(CHOSEN))]),
    ),
    "options: French titles": (
        options,
        CHOSEN,
        lambda at: text(at / "a.csv", "question;ordre;réponse choisie;bonne réponse;nombre d'options",
                        values(CHOSEN)),
    ),
    "options: a title, a total": (
        options,
        CHOSEN,
        lambda at: text(at / "a.csv", "Appendix B\n\nItem;Arrangement;Chosen;Right;N options",
                        values(CHOSEN), "Total;;48;;"),
    ),
    "judges: a merged head over the orders": (
        judge,
        VOTES,
        lambda at: book(at / "a.xlsx", [["pair", "Verdict", None], [None, "AB", "BA"],
                        *([pair, one["ab"], one["ba"]] for pair, one in by_order(VOTES).items())],
                        "A1:A2", "B1:C1"),
    ),
    "judges: German words": (
        judge,
        VOTES,
        lambda at: text(at / "a.csv", "Paar;Reihenfolge;Urteil;Richter",
                        [[r["pair"], r["order"].upper(), _WORDS[r["verdict"]], "j"] for r in VOTES]),
    ),
    "judges: a note": (
        judge,
        VOTES,
        lambda at: text(at / "a.csv", "Pair;Order;Verdict;Judge", values(VOTES), "Note: no ties;;;"),
    ),
    "hints: Korean titles": (
        hints,
        HINTS,
        lambda at: text(at / "a.csv", "문항;힌트;힌트 답;답;보기 수", values(HINTS)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", list(CASES))
def test_a_table_in_other_habits_gives_the_numbers_of_its_rows(tmp_path: Path, name: str) -> None:
    score, rows, write = CASES[name]
    assert score(write(tmp_path)) == score(rows)


def test_two_numbers_in_a_cell_are_refused_by_the_column_that_is_missing(tmp_path: Path) -> None:
    rows = [[f"S{i}", f"0.2{i} (0.10)", "gpt", f"0.1{i}"] for i in range(8)]
    path = text(tmp_path / "a.csv", "Study;Human estimate (SE);Agent;Agent estimate", rows)
    with pytest.raises(ConcordError, match="'human_se'; found 'Study', 'Human estimate \\(SE\\)'"):
        concord.score_predictions(path)
