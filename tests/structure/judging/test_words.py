"""What is said of judges: who comes first, of length, of labels."""

import numpy as np
from tests.structure.judging import scripted

import concord


def _voted(judge: str, n: int, first: float, rng: np.random.Generator) -> list[dict[str, object]]:
    """Return two votes in each order by a judge that takes the first seat so often, else one at random."""
    return [
        {"judge": judge, "pair": i, "order": order, "repeat": k,
         "verdict": "first" if rng.random() < first else rng.choice(["first", "second"])}
        for i in range(n) for order in ("ab", "ba") for k in range(2)
    ]  # fmt: skip


def test_judges_are_ranked_by_least_excess_best_and_worst_named_first() -> None:
    rng = np.random.default_rng(3)
    rows = [row for name, first in (("able", 0.9), ("zest", 0.0)) for row in _voted(name, 60, first, rng)]
    result = concord.score_judge(rows, n_permutations=199)
    assert [one.judge for one in result.ranked()] == ["zest", "able"]
    lead = result.sentences()[0]
    assert lead.index("zest changes its verdicts least") < lead.index("able most")
    assert "of pairs of votes" in lead
    told = concord.plan(result, items=60).warnings
    assert any("the plan is for" in one and "2 judges" in one for one in told)


def test_length_is_not_said_to_matter_where_its_two_numbers_contradict() -> None:
    # the shorter answer wins in most pairs, where lengths hardly differ; a few far longer ones always win
    rows = [
        {"pair": i, "order": order, "length_a": 1000, "length_b": 990 if i < 75 else 60,
         "winner": "b" if i < 75 else "a"}
        for i in range(100) for order in ("ab", "ba")
    ]  # fmt: skip
    for row in rows[:16]:  # noise, so that the odds are finite
        row["winner"] = "a" if row["winner"] == "b" else "b"
    for row in rows[-4:]:
        row["winner"] = "a" if row["winner"] == "b" else "b"
    (judge,) = concord.score_judge(rows, n_permutations=99).judges
    slope, longer = judge.numbers["length_slope"].interval, judge.numbers["longer"].interval
    assert slope is not None and longer is not None
    assert slope.low > 0
    assert longer.high < 0.5
    assert "win more often" not in judge.sentence
    assert "Nothing is said about length" in judge.sentence


def test_a_label_is_not_called_a_person() -> None:
    rows = [
        {"pair": i, "order": order, "winner": "a" if i % 3 else "b", "gold": "a"}
        for i in range(40) for order in ("ab", "ba")
    ]  # fmt: skip
    labelled = concord.score_judge(rows, n_permutations=99).judges[0].sentence
    assert "agrees with the label" in labelled
    assert "person" not in labelled
    judged = concord.score_judge([row | {"human": "a"} for row in rows], n_permutations=99)
    assert "agrees with a person" in judged.judges[0].sentence
    assert {sum(pair.human) for pair in judged.judges[0].pairs} == {1}  # the label is no second person


def test_many_judges_are_counted_and_each_is_in_the_table() -> None:
    votes = {"first": scripted.always_first, "fair": scripted.fair_coin}
    rows = [
        row | {"judge": f"{name} {i}"}
        for name, vote in votes.items()
        for i in range(7)
        for row in scripted.rows(vote, n=40, seed=i)
    ]
    found = concord.score_judge(rows, n_permutations=99)
    assert len(found.sentences()) == 2
    assert "7 prefer the answer that comes first; for 7 no position bias" in found.sentences()[1]
    assert "comes second" not in found.sentences()[1]
    few = concord.score_judge([row for row in rows if row["judge"].endswith((" 1", " 2"))], n_permutations=99)
    assert len(few.sentences()) == 5
