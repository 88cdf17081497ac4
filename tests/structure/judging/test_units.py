"""What a pair is and who a judge is: public tables of votes in small."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import concord
from concord.errors import FileFormatError, OptionError, TableError
from concord.structure.judging.result import JudgeResult

Rows = list[dict[str, Any]]


def _votes(n: int = 24, repeats: int = 3) -> Rows:
    """Return votes as a public table has them: `pair` names the models, items are many."""
    rows: Rows = []
    for i in range(n):
        for repetition in range(1, repeats + 1):
            for seating, first, second in (("ab", "gpt", "human"), ("ba", "human", "gpt")):
                winner = first if i % 4 == 0 else "gpt"  # in a quarter of the items the first seat wins
                rows.append(
                    {"item": f"i{i}", "task": f"t{i % 3}", "pair": "gpt|human", "judge": "j",
                     "repetition": repetition, "seating": seating, "first": first, "second": second,
                     "vote": "A" if winner == first else "B"}
                )  # fmt: skip
    return rows


def test_a_comparison_is_an_item_and_its_two_answers() -> None:
    result = concord.score_judge(_votes(), n_permutations=99)
    found = result.judge()
    assert len(found.pairs) == 24
    assert found.numbers["flip_excess"].value == pytest.approx(0.25)
    assert any("a pair is one item and its two models" in note for note in result.warnings)


def test_more_votes_than_repetitions_are_refused_by_row() -> None:
    rows = _votes(4)
    with pytest.raises(FileFormatError, match=r"units are there more than once.*row 2.*repetition"):
        concord.score_judge([*rows, *rows])


def _gold(names_answer: bool, judges: int = 2) -> pl.DataFrame:
    rows: Rows = []
    for judge in range(judges):
        for i in range(40):
            for seating in ("given", "swapped"):
                gold = 1 + i % 2
                said = gold if i % 8 else 3 - gold  # right in seven of eight
                seat = said if names_answer or seating == "given" else 3 - said
                rows.append(
                    {"item": i, "subset": "x", "model": f"j{judge}", "seating": seating, "verdict": str(seat),
                     "gold": gold}
                )  # fmt: skip
    return pl.DataFrame(rows)


@pytest.mark.parametrize("names_answer", [True, False])
def test_verdicts_that_name_an_answer_are_told_by_gold(names_answer: bool) -> None:
    result = concord.score_judge(_gold(names_answer), n_permutations=99)
    found = result.judge("j0")
    assert found.numbers["inconsistency"].value == 0
    assert found.numbers["agreement"].value == pytest.approx(7 / 8)
    assert any("verdicts name the answer" in note for note in result.warnings) == names_answer


def test_verdicts_that_may_name_an_answer_are_asked_about() -> None:
    result = concord.score_judge(_gold(True).drop("gold"), n_permutations=99)
    assert any("call the column 'verdict' 'winner'" in note for note in result.warnings)


def test_ways_of_asking_one_judge_are_several_judges_and_one_can_be_chosen() -> None:
    rows = [row | {"strategy": one} for one in ("plain", "cot") for row in _votes(12)]
    result = concord.score_judge(rows, n_permutations=99)
    assert [one.judge for one in result.judges] == ["j cot", "j plain"]
    more = [*rows, *(row | {"judge": "k"} for row in rows)]
    assert [one.judge for one in concord.score_judge(more, judge="k", n_permutations=99).judges] == [
        "k cot",
        "k plain",
    ]
    with pytest.raises(OptionError, match="no verdict is of the judge 'l'"):
        concord.score_judge(more, judge="l")


def test_a_verdict_that_cannot_be_read_is_unread_and_any_other_cell_leaves_its_row_out(
    tmp_path: Path,
) -> None:
    rows = _votes()
    rows[0]["vote"], rows[1]["vote"], rows[2]["item"] = "perhaps", 99, None
    with pytest.raises(TableError, match="column 'vote': got 'perhaps', expected first, second or tie"):
        concord.score_judge(rows, missing="99", strict=True)
    result = concord.score_judge(rows, missing="99", n_permutations=99)
    assert "142 of 144 rows scored; 2 left out" in result.warnings[0]
    found = result.judge()
    assert (found.n_unreadable, found.n_votes) == (2, 141) and result.unread
    result.write(tmp_path)
    assert JudgeResult.read(tmp_path).left_out == result.left_out != ()
