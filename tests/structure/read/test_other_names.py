"""Tables of scores under the names that other programs give them."""

from pathlib import Path

import numpy as np
import pytest

from concord.errors import FileFormatError
from concord.structure.score.models import score_structure

ORDERS, ITEMS, RUNS = ("AB", "BA", "CA"), 6, 2


def scores() -> dict[tuple[str, int, int], int]:
    rng = np.random.default_rng(4)
    return {
        (order, item, run): int(rng.random() < 0.6)
        for order in ORDERS
        for item in range(ITEMS)
        for run in range(RUNS)
    }


def test_a_table_of_ones_own_names_gives_the_same_numbers(tmp_path: Path) -> None:
    known, own, lines = (tmp_path / name for name in ("known.csv", "own.csv", "own.jsonl"))
    rows = scores().items()
    known.write_text(
        "model,arrangement,item,sample,score\n" + "".join(f"own,{o},q{i},{r},{s}\n" for (o, i, r), s in rows)
    )
    own.write_text(
        "question_id,order,run,correct\n" + "".join(f"q{i},{o},{r},{s == 1}\n" for (o, i, r), s in rows)
    )
    lines.write_text(
        "".join(
            f'{{"instance_id": "q{i}", "perturbation": "{o}", "trial": {r}, "exact_match": {s}}}\n'
            for (o, i, r), s in rows
        )
    )
    wanted = score_structure(scores=known, resamples=200).models[0]
    for path in (own, lines):
        result = score_structure(scores=path, resamples=200)
        (found,) = result.models
        assert (found.model, found.order, found.consistency) == ("own", wanted.order, wanted.consistency)
        assert any(
            "no column 'model'; all rows count as those of one model" in one for one in result.warnings
        )
        assert any("read by its columns" in one for one in result.warnings)


def test_two_columns_that_may_be_the_score_are_asked_about(tmp_path: Path) -> None:
    path = tmp_path / "two.csv"
    path.write_text("order,id,acc,exact_match\nAB,q,1,0\n")
    with pytest.raises(
        FileFormatError, match="'acc' and 'exact_match' may be the score; name one with --column"
    ):
        score_structure(scores=path)


def test_a_line_that_is_no_object_is_named(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"order": "AB", "id": "q", "score": 1}\n[1]\n')
    with pytest.raises(
        FileFormatError, match=r"a.jsonl: line 2 cannot be read: \[1\], expected an object with named fields"
    ):
        score_structure(scores=path)
