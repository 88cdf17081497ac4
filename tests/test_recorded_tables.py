"""Recorded answers of known models: every finding recomputed by plain code, beside Concord's."""

import sys
from importlib.util import module_from_spec, spec_from_file_location
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import concord
from concord import api
from concord.errors import FileFormatError, LinesError, OptionError
from concord.files.public import public_tables


def table(name: str) -> pl.DataFrame:
    return pl.read_parquet(api.public_table(name))


def _changes(votes: pl.DataFrame) -> tuple[float, float]:
    """Return the share of unlike winners between seatings and within them, by plain loops."""
    between, within = [], []
    winners: dict[tuple[str, str], dict[str, list[str]]] = {}
    for row in votes.drop_nulls("winner").iter_rows(named=True):
        pair = winners.setdefault((row["item"], row["pair"]), {"ab": [], "ba": []})
        pair[row["seating"]].append(row["winner"])
    for one, two in (pair.values() for pair in winners.values()):
        repeats = [a != b for side in (one, two) for a, b in combinations(side, 2)]
        if one and two:
            between.append(np.mean([a != b for a in one for b in two]))
        if repeats:
            within.append(np.mean(repeats))
    return float(np.mean(between)), float(np.mean(within)) if within else float("nan")


@pytest.fixture(scope="module")
def seats() -> tuple[pl.DataFrame, Any]:
    votes = table("judges-seats").filter(pl.col("benchmark") == "DevBench")
    return votes, concord.score_judge(votes, n_permutations=99)


@pytest.mark.parametrize(
    ("judge", "swapped", "repeated"),
    [
        ("claude-3-haiku-20240307", 0.82, 0.19),
        ("gpt-4-0125-preview", 0.40, 0.06),
        ("gpt-4-0613", 0.17, 0.06),
    ],
)
def test_a_judge_changes_its_winner_with_the_seats(
    seats: Any, judge: str, swapped: float, repeated: float
) -> None:
    votes, result = seats
    own = _changes(votes.filter(pl.col("judge") == judge))
    found = result.judge(judge).numbers
    assert own == pytest.approx((swapped, repeated), abs=0.006)  # as the source of the table has them
    assert (found["inconsistency"].value, found["repeat"].value) == pytest.approx(own, abs=1e-12)
    assert found["flip_excess"].value == pytest.approx(own[0] - own[1], abs=1e-12)


def test_under_a_judge_led_by_the_seat_every_model_wins_half(seats: Any) -> None:
    _, result = seats
    rates = {}
    for judge in ("claude-3-haiku-20240307", "gpt-4-0613"):
        for win in result.judge(judge).wins:
            rates[judge, win.model] = win.rate.value
    weak, strong = "deepseek-coder-1.3b-instruct", "gpt-4-1106-preview"
    assert rates["claude-3-haiku-20240307", strong] == pytest.approx(0.54, abs=0.01)
    assert rates["claude-3-haiku-20240307", weak] == pytest.approx(0.47, abs=0.01)
    assert rates["gpt-4-0613", strong] > 0.98
    assert rates["gpt-4-0613", weak] < 0.07


def test_without_repeats_the_same_winner_is_the_published_share() -> None:
    votes = table("judges-seats-full").filter(
        (pl.col("judge") == "gpt-4-0613"), pl.col("benchmark") == "MTBench"
    )
    found = concord.score_judge(votes, n_permutations=99).judge().numbers["inconsistency"]
    assert 1 - _changes(votes)[0] == pytest.approx(0.815, abs=0.001)
    assert found.value == pytest.approx(_changes(votes)[0], abs=1e-12)


def test_verdicts_that_name_the_answer_are_read_so() -> None:
    changes = {"GPT-4": 0.072, "PaLM2": 0.277}
    rows = table("judges-llmbar").filter(
        pl.col("set") == "LLMBar", pl.col("strategy") == "Vanilla", pl.col("model").is_in(changes)
    )
    result = concord.score_judge(rows, n_permutations=99)
    for model, printed in changes.items():
        wide = rows.filter(pl.col("model") == model).pivot(
            on="seating", index=["subset", "item", "gold"], values="verdict"
        )
        wide = wide.filter(pl.col("given") != "None", pl.col("swapped") != "None")
        changed = float((wide["given"] != wide["swapped"]).mean())  # type: ignore[arg-type]
        judge = next(one for one in result.judges if one.judge.split()[0] == model)
        assert changed == pytest.approx(printed, abs=0.001)
        assert judge.numbers["inconsistency"].value == pytest.approx(changed, abs=1e-12)


def test_orders_contradict_each_other_beyond_the_floor_of_repeats() -> None:
    frame = table("orders-chainscope")
    mini, sonnet = (f"p_correct:{name}" for name in ("openai/gpt-4o-mini", "anthropic/claude-3.7-sonnet_1k"))
    result = concord.score_structure(
        scores=frame.select("property", "pair", "order", mini, sonnet), samples=10, cluster="property",
        resamples=200,
    )  # fmt: skip
    for column, excess in ((mini, 0.087), (sonnet, 0.004)):
        p, q = (frame.filter(pl.col("order") == o).sort("pair")[column].to_numpy() for o in ("xy", "yx"))
        between, within = p * (1 - q) + q * (1 - p), (p * (1 - p) + q * (1 - q)) * 10 / 9
        flips = result[column.split(":")[1]].models[0].flips
        assert flips.value == pytest.approx(float((between - within).mean()), abs=1e-12)
        assert flips.value == pytest.approx(excess, abs=0.0005)
        assert flips.interval is not None and flips.interval.low > 0


def test_a_chain_of_thought_helps_codex_by_items_and_tasks() -> None:
    wide = table("reasoning-bbh-codex").pivot(on="reasoning", index=["task", "item"], values="correct")
    mended = wide.filter(pl.col("cot") > pl.col("direct")).height
    broken = wide.filter(pl.col("cot") < pl.col("direct")).height
    gap = concord.score_reasoning(replies=api.public_table("reasoning-bbh-codex"), n_resamples=100).scores.gap
    assert (mended, broken) == (1981, 573)
    assert gap.table is not None
    assert (gap.table.n10, gap.table.n01) == (mended, broken)
    assert gap.gap.value == pytest.approx((mended - broken) / 6511, abs=1e-12)
    families = wide.group_by("task").agg(
        pl.len().alias("n"), (pl.col("cot") - pl.col("direct")).sum().alias("s")
    )
    n, s = families["n"].to_numpy(), families["s"].to_numpy()
    se = np.sqrt(27 / 26 * ((s - s.sum() / n.sum() * n) ** 2).sum()) / n.sum()
    assert gap.gap.interval is not None
    low, high = gap.gap.interval.low, gap.gap.interval.high
    assert (high - low) / 2 == pytest.approx(2.06 * se, rel=0.1)  # tasks, not items, are the units
    assert gap.verdict == "functional"


def test_who_follows_a_wrong_suggestion_and_who_says_so() -> None:
    frame = table("reasoning-turpin-2026")
    result: Any = concord.score_hints(api.public_table("reasoning-turpin-2026"))
    found = {one.model: one for one in result.scores.models}
    for model, moved, n, said in (("gpt-3.5-turbo", 100, 148, 15), ("claude-sonnet-4-6", 7, 167, 0)):
        own = frame.filter(
            (pl.col("model") == model) & (pl.col("pointed") != pl.col("gold"))
            & pl.col("unbiased").is_not_null() & (pl.col("unbiased") != pl.col("pointed"))
        )  # fmt: skip
        follows = own.filter(pl.col("biased") == pl.col("pointed"))
        assert follows.height == moved
        assert follows["verbalized"].sum() == said
        assert (found[model].verbalised.value, found[model].verbalised.n) == (
            pytest.approx(said / moved),
            moved,
        )
        assert n >= own.filter(pl.col("biased").is_not_null()).height >= moved


def test_a_chain_written_under_a_hint_leads_there_without_it() -> None:
    frame = table("reasoning-thought-branches").sort("item", "sentence_num")
    ends = frame.group_by("item", maintain_order=True).agg(
        pl.col("cue_p_prev").first().alias("start"), pl.col("cue_p").last().alias("end")
    )
    assert ends.height == 47
    assert float(ends["start"].mean()) == pytest.approx(0.28, abs=0.01)  # type: ignore[arg-type]
    assert float(ends["end"].mean()) == pytest.approx(0.99, abs=0.01)  # type: ignore[arg-type]
    early = concord.score_probes(frame).scores.early
    own = [_area_over(chain) for _, chain in frame.group_by("item")]
    assert early is not None and early.aoc.value == pytest.approx(np.mean(own), abs=1e-12)
    assert early.commit.value is None  # draws after one sentence are others than those after the next


def _area_over(chain: pl.DataFrame) -> float:
    """Return the area over the share of 50 draws with the hinted answer; the chain itself ends in it."""
    share = [round(one * 50) / 50 for one in (chain["cue_p_prev"][0], *chain["cue_p"][:-1], 1.0)]
    n = int(chain["sentences"][0])
    return float(1 - sum(a + b for a, b in zip(share, share[1:], strict=False)) / 2 / n)


@pytest.fixture(scope="module")
def findings() -> Any:
    path = Path(__file__).parents[1] / "benchmarks" / "findings.py"
    spec = spec_from_file_location("findings", path)
    assert spec is not None and spec.loader is not None
    sys.modules[spec.name] = module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_every_bundled_table_has_its_finding_computed_twice(findings: Any) -> None:
    assert set(public_tables()) <= set(findings.TABLES)
    found = [
        one for name in ("twin-2k-500-moments", "reasoning-turpin-2026") for one in findings.TABLES[name]()
    ]
    assert len(found) == 14 and not [one for one in found if findings.unlike(one)]


@pytest.mark.slow
def test_no_finding_of_a_bundled_table_differs_from_plain_code(findings: Any) -> None:
    found = [one for table in findings.TABLES.values() for one in table()]
    assert len(found) > 90 and not [one for one in found if findings.unlike(one)]


def test_shares_of_another_number_of_draws_are_counted() -> None:
    shares = [0.1, 0.2, 0.3, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0, 0.125]
    rows = [
        {"item": i, "sentence_num": k, "sentences": 10, "cue_p": share, "cue_p_prev": 0.1, "hinted": "A"}
        for i in range(3)
        for k, share in enumerate(shares)
    ]
    result: Any = concord.score_probes(rows, model="chains")
    told = "shares of 10 draws along chains are taken as draws (3 of 33 are of another number of draws"
    assert any(told in one for one in result.warnings)


ROWS = [
    {"model": model, "item": i, "reasoning": mode, "correct": int(right)}
    for model in ("a", "b")
    for i in range(4)
    for mode, right in (("cot", True), ("none", i > 1 and model == "b"))
]


def test_graded_answers_are_scored_without_vignettes() -> None:
    gap = concord.score_reasoning(replies=ROWS, model="b", n_resamples=100).scores.gap
    assert (gap.gap.value, gap.gap.n, gap.n_direct) == (0.5, 4, 0)


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([{"id": "1", "mode": "cot", "response": "x"}], "every row needs 'id', 'mode' .* and 'correct'"),
        ([{**ROWS[0], "correct": "x"}, ROWS[1]], "'correct' is 'x'"),
        ([*ROWS[:2], ROWS[0]], "is there twice"),
        (ROWS[:1], "has only the mode 'cot'|have only the mode"),
    ],
)
def test_graded_answers_that_cannot_be_used_are_refused(rows: Any, message: str) -> None:
    with pytest.raises((OptionError, FileFormatError, LinesError), match=message):
        concord.score_reasoning(replies=rows, strict=True)


def test_graded_answers_of_several_models_are_scored_each() -> None:
    assert set(concord.score_reasoning(replies=ROWS, n_resamples=100)) == {"a", "b"}


def test_every_recorded_table_has_its_page() -> None:
    from tests.docs.tools import RECORDED, tool

    assert list(tool("recorded_pages").FINDINGS) == RECORDED


@pytest.mark.parametrize(
    ("right", "wrong", "direct"), [("yes", "no", "none"), ("C", "I", "no reasoning"), ("1.0", "0.0", "early")]
)
def test_words_for_right_wrong_and_no_reasoning_are_those_of_every_table(
    right: str, wrong: str, direct: str
) -> None:
    rows = [
        {
            **row,
            "correct": right if row["correct"] else wrong,
            "reasoning": direct if row["reasoning"] == "none" else "cot",
        }
        for row in ROWS
    ]
    gap = concord.score_reasoning(replies=rows, model="b", n_resamples=100).scores.gap
    assert (gap.gap.value, gap.gap.n) == (0.5, 4)
