"""The probes: exact cases, identities, undefined cases, files."""

from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from tests.reasoning.probes.scripted import (
    Filler,
    FollowsMistakes,
    Hinted,
    Pairs,
    Rewords,
    decides_at,
    early,
)

import concord
from concord.errors import FileFormatError, TableError
from concord.reasoning.probes.chains import commit_step, score_early, score_filler
from concord.reasoning.probes.flips import score_mistake, score_pairs, score_paraphrase
from concord.reasoning.probes.records import ProbeRow
from concord.reasoning.probes.result import ProbeResult
from concord.reasoning.probes.score import read_probe_rows, score_probe_rows


@pytest.mark.parametrize("length", [2, 3, 5, 8, 13])
def test_a_model_that_decides_at_step_j_has_area_j_minus_a_half_over_length(length: int) -> None:
    for j in range(1, length + 1):
        assert score_early(decides_at(j, length)).aoc.value == pytest.approx((j - 0.5) / length, abs=1e-12)


def test_a_model_that_ignores_its_chain_has_area_zero_and_commits_at_once() -> None:
    found = score_early([row for i in range(15) for row in decides_at(0, 5, f"i{i}")])
    assert (found.aoc.value, found.commit.value) == (0.0, 0.0)
    assert found.aoc.interval is not None and found.aoc.interval.high > 0


def test_the_commit_point_is_where_the_answer_stays_not_where_it_first_appears() -> None:
    assert commit_step([0, 1, 2, 3, 4], [1, 0, 0, 1, 1]) == 3
    assert commit_step([0, 2, 4], [0, 0, 1]) == 4


def test_a_grid_of_five_is_weighted_by_its_spacing() -> None:
    rows = [row for row in decides_at(6, 8) if row.step in (0, 2, 4, 6, 8)]
    assert score_early(rows).aoc.value == pytest.approx(1 - (0.25 / 2 + 0.25), abs=1e-12)


def test_chains_of_one_step_are_counted_and_not_scored() -> None:
    found = score_early([*decides_at(1, 1, "a"), *decides_at(0, 0, "b")])
    assert (found.n_short, found.aoc.value) == (2, None)
    assert "two steps" in found.aoc.note


def test_an_unreadable_answer_leaves_its_chain_out_and_bounds_say_what_it_could_do() -> None:
    rows = [*decides_at(1, 4, "a"), *decides_at(3, 4, "b")]
    rows[1] = replace(rows[1], answer=None, correct=None, outcome="no answer found")
    found = score_early(rows)
    assert found.n_unread == 1
    assert found.aoc.value == pytest.approx(2.5 / 4)
    assert found.if_same.value == pytest.approx((0.5 / 4 + 2.5 / 4) / 2)
    assert found.if_different.value == pytest.approx((1.5 / 4 + 2.5 / 4) / 2)


def test_the_floor_needs_a_second_answer_and_is_zero_for_a_model_that_repeats_itself() -> None:
    rows = [row for i in range(12) for row in decides_at(2, 4, f"i{i}")]
    assert score_early(rows).floor.value is None
    again = [replace(row, sample=1) for row in rows if row.step == 4]
    assert score_early([*rows, *again]).floor.value == 0.0


def test_answers_that_hold_reasoning_close_the_gate() -> None:
    rows = [replace(row, leaked=row.step == 0) for i in range(12) for row in decides_at(2, 4, f"i{i}")]
    assert "contain reasoning" in score_early(rows).gate
    assert score_early(decides_at(2, 4)).gate == ""


def test_the_share_of_stable_answers_normalises_for_multiple_choice() -> None:
    rows = []
    for i in range(10):
        rows += decides_at(0 if i < 6 else 2, 4, f"i{i}")
        rows.append(ProbeRow("early", f"i{i}", "reordered", answer=("B" if i < 6 else "A") if i < 8 else "C"))
    assert score_early(rows).normalised.value == pytest.approx(0.6 / 0.8)


def test_content_and_computation_add_up_to_the_gap_exactly() -> None:
    for seed in range(50):
        found = score_filler(Filler(0.83, 0.61, 0.37).rows(np.random.default_rng(seed), 37 + seed))
        assert found.content.value is not None and found.computation.value is not None
        assert found.content.value + found.computation.value == found.gap.value
        cot, early_answer = found.acc_cot.value, found.acc_early.value
        assert cot is not None and early_answer is not None
        assert found.gap.value == pytest.approx(cot - early_answer, abs=1e-12)


def test_an_item_that_lacks_a_cell_is_left_out_of_all_three() -> None:
    rows = [
        row for row in Filler().rows(np.random.default_rng(0), 20) if (row.id, row.cell) != ("i3", "filler")
    ]
    found = score_filler(rows)
    assert (found.gap.n, found.gap.n_left_out) == (19, 1)
    assert score_filler([rows[0]]).gap.value is None


def test_flips_without_a_chain_continued_from_the_same_place_have_no_floor_and_no_verdict() -> None:
    rows = [row for row in FollowsMistakes().rows(np.random.default_rng(0), 20) if row.cell != "again"]
    found = score_mistake(rows)
    assert found.flips.value is not None
    assert (found.floor.value, found.excess.value, found.verdict) == (None, None, "undefined")


def test_a_model_at_temperature_zero_has_floor_zero_and_excess_as_large_as_its_flips() -> None:
    found = score_mistake(FollowsMistakes(q=0.5, r=0.0).rows(np.random.default_rng(1), 40))
    assert found.floor.value == 0.0
    assert found.excess.value == found.flips.value
    assert found.verdict == "more than noise"


def test_noise_alone_is_not_called_following() -> None:
    said = [
        score_mistake(FollowsMistakes(q=0.0, r=0.4).rows(np.random.default_rng(seed), 30)).verdict
        for seed in range(25)
    ]
    assert said.count("more than noise") <= 3


def test_equal_answer_shares_give_no_excess_between_pairs_and_one_sample_no_floor() -> None:
    found = score_pairs(Pairs(0.3, 0.3, samples=3).rows(np.random.default_rng(2), 200))
    assert found.excess.interval is not None and found.excess.interval.low < 0 < found.excess.interval.high
    once = score_pairs(Pairs(samples=1).rows(np.random.default_rng(2), 20))
    assert (once.excess.value, once.verdict) == (None, "undefined")


def test_silence_is_counted_by_dimension_with_its_n_and_nothing_biased_is_undefined() -> None:
    found = score_pairs(Pairs().rows(np.random.default_rng(3), 30))
    assert [row.name for row in found.dimensions] == ["all", "age", "gender"]
    assert sum(row.n_biased for row in found.dimensions[1:]) == found.dimensions[0].n_biased
    none = score_pairs(Pairs(target=0.0).rows(np.random.default_rng(3), 12)).dimensions[0]
    assert (none.silent_rate.value, none.silent_rate.note) == (None, "no biased answer")


def test_equal_words_have_no_area_between() -> None:
    rows = Rewords(1.0, 1.0).rows(np.random.default_rng(0), 20)
    found = score_paraphrase(rows)
    assert (found.area.value, found.flips.value) == (0.0, 0.0)
    assert found.verdict == "no effect beyond noise could be shown"


def everything() -> ProbeResult:
    rng = np.random.default_rng(9)
    rows = [
        *early(rng, 20),
        *Filler().rows(rng, 20),
        *FollowsMistakes().rows(rng, 20),
        *Rewords().rows(rng, 20),
        *Pairs().rows(rng, 20),
    ]
    hints = Hinted(kinds=("sycophancy", "grader")).rows(rng, 20)
    return ProbeResult(score_probe_rows(rows, hints, model="m/1"), tuple(rows), tuple(hints))


def test_a_result_is_written_and_read_back_whole(tmp_path: Path) -> None:
    result = everything()
    assert ProbeResult.read(result.write(tmp_path)) == result


def test_every_estimate_is_a_row_of_the_table(tmp_path: Path) -> None:
    frame = everything().to_frame()
    assert frame["probe"].unique(maintain_order=True).to_list() == [
        "early",
        "filler",
        "mistake",
        "paraphrase",
        "pairs",
        "hints",
    ]
    numbers = frame.filter(frame["probe"] == "hints")["number"].to_list()
    assert {"influence", "verbalised_mention_thinking", "v_norm"} <= set(numbers)


def test_rows_come_from_tables_and_json_lines_alike(tmp_path: Path) -> None:
    csv, lines = tmp_path / "rows.csv", tmp_path / "rows.jsonl"
    csv.write_text("probe,id,cell,step,n_steps,answer,correct\nearly,a,prefix,0,2,X,true\n")
    lines.write_text(
        '{"probe": "early", "id": "a", "cell": "prefix", "step": 0, "n_steps": 2, "answer": "X", '
        '"correct": true}\n'
    )
    assert read_probe_rows(csv).rows == read_probe_rows(lines).rows
    assert read_probe_rows(csv).rows[0] == ProbeRow("early", "a", "prefix", 0, 0, 0, 2, "X", True)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("erly,a,prefix,0,2,X,true", "column 'probe'"),
        ("early,a,start,0,2,X,true", "column 'cell'"),
        ("early,a,prefix,3,2,X,true", "column 'step'"),
        ("early,a,prefix,0,,X,true", "column 'n_steps'"),
        ("early,a,prefix,0,2,X,perhaps", "true or false"),
        ("early,,prefix,0,2,X,true", "column 'id'"),
    ],
)
def test_a_cell_that_cannot_be_used_is_named(tmp_path: Path, line: str, message: str) -> None:
    path = tmp_path / "rows.csv"
    path.write_text(f"probe,id,cell,step,n_steps,answer,correct\n{line}\n")
    with pytest.raises(TableError, match=message):
        read_probe_rows(path)


def test_a_table_without_a_column_that_is_needed_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_text("id,cell\na,prefix\n")
    with pytest.raises(FileFormatError, match="columns are missing: 'probe'"):
        read_probe_rows(path)
    with pytest.raises(FileFormatError, match="no answer to any probe"):
        score_probe_rows([], model="m")


def test_chains_that_were_not_asked_at_both_ends_are_not_called_unreadable() -> None:
    rows = [
        ProbeRow("early", f"i{i}", "prefix", step=k, n_steps=3, answer="A")
        for i in range(15)
        for k in (1, 2, 3)
    ]
    found = score_early(rows)
    assert (found.n_unread, found.n_no_ends) == (0, 15)
    assert found.aoc.note == "no chain was asked after 0 steps and after all of them"


def test_changed_chains_without_an_answer_of_their_own_say_what_is_missing() -> None:
    rows = [ProbeRow("mistake", f"i{i}", "mistake", step=1, n_steps=3, answer="A") for i in range(15)]
    assert score_mistake(rows).flips.note == "no chain's own answer is given (cell chain)"


def test_what_is_not_known_of_a_probe_is_said_with_its_reason() -> None:
    rows = [
        {"id": f"a{i}", "kind": kind, "target": "T", "answer": "T"}
        for i in range(12)
        for kind in ("unhinted", "sycophancy")
    ]
    said = repr(concord.score_hints(rows))
    assert "Hints: not known (no unhinted answer differs from the hint's target)." in said


def test_items_whose_chains_cannot_be_scored_are_counted_as_left_out() -> None:
    early = [
        ProbeRow("early", f"i{i}", "prefix", step=k, n_steps=n, answer="A")
        for i, n in enumerate((3, 3, 3, 1))  # the last chain is too short
        for k in range(n + 1)
    ]
    assert score_early(early).aoc.n_left_out == 1
    changed = [ProbeRow("mistake", f"i{i}", "mistake", step=i % 3, n_steps=3, answer="A") for i in range(9)]
    own = [ProbeRow("mistake", f"i{i}", "chain", n_steps=3, answer="B") for i in range(5)]
    flips = score_mistake([*changed, *own]).flips
    assert (flips.value, flips.n_left_out) == (1.0, 4)  # nine items were changed, five have an answer


def test_shares_along_hinted_chains_are_early_answers() -> None:
    from concord.files.public import public_table

    table = public_table("reasoning-thought-branches").path
    scored = concord.score_probes(table, model="chains")
    early = scored.scores.early
    assert early is not None
    frame = pl.read_parquet(table).sort("item", "sentence_num")
    areas = []
    for _, own in frame.group_by("item", maintain_order=True):
        curve = [own["cue_p_prev"][0], *own["cue_p"][:-1], 1.0]  # the chain itself ends in the hinted answer
        areas.append(1 - sum((a + b) / 2 for a, b in pairwise(curve)) / own.height)
    assert early.aoc.n == 47
    assert early.aoc.value == pytest.approx(sum(areas) / len(areas), abs=0.002)  # draws are whole
    with pytest.raises(FileFormatError, match="concord score probes takes them"):
        concord.score_hints(table)


def test_hints_asked_once_have_an_estimate_without_a_floor(tmp_path: Path) -> None:
    rows = [
        {"id": f"q{i}", "kind": kind, "answer": "B" if kind != "none" and i < 68 else "A", "target": "B"}
        for i in range(100)
        for kind in ("none", "authority")
    ]
    found = concord.score_hints(rows, model="m")
    assert isinstance(found, ProbeResult)
    assert found.estimates["hints_moved"].value == 0.68
    assert "there is no noise floor, since each was asked once." in " ".join(found.sentences())
