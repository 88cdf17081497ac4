"""The eight recorded tables as they are and as CSV: what a user is told equals plain loops over the rows."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import concord
from concord import api

Numbers = dict[str, float]


def _mean(values: list[Any]) -> float:
    return float(np.mean(values)) if values else float("nan")


def _unlike(one: list[str], two: list[str]) -> list[bool]:
    return [a != b for a in one for b in two]


def _judged(votes: Mapping[Any, Mapping[str, list[str]]], name: str) -> Numbers:
    """Return numbers of one judge; votes are lists of a, b and tie, by pair and by who was first."""
    both = [(one.get("ab", []), one.get("ba", [])) for one in votes.values()]
    seated = [(ab, ba) for ab, ba in both if ab and ba]
    repeats = [[x != y for side in one for x, y in combinations(side, 2)] for one in both]
    first = {"ab": {"a": 1.0, "b": 0.0, "tie": 0.5}, "ba": {"a": 0.0, "b": 1.0, "tie": 0.5}}
    preference = [
        (_mean([first["ab"][v] for v in ab]) + _mean([first["ba"][v] for v in ba])) / 2 - 0.5
        for ab, ba in seated
    ]
    winners = [([v for v in ab if v != "tie"], [v for v in ba if v != "tie"]) for ab, ba in both]
    ties = [_mean([v == "tie" for v in ab + ba]) for ab, ba in both if ab or ba]
    return {
        f"{name} inconsistency": _mean([_mean(_unlike(*one)) for one in seated]),
        f"{name} repeat": _mean([_mean(one) for one in repeats if one]),
        f"{name} preference": _mean(preference),
        f"{name} reversal": _mean([_mean(_unlike(*one)) for one in winners if all(one)]),
        f"{name} ties": _mean(ties),
    }


def _judge_numbers(path: Path) -> tuple[Numbers, tuple[str, ...]]:
    result = concord.score_judge(path, n_permutations=99)
    found = {
        f"{one.judge} {name}": float("nan") if (value := one.numbers[name].value) is None else value
        for one in result.judges
        for name in ("inconsistency", "repeat", "preference", "reversal", "ties", "agreement")
    }
    found |= {f"{one.judge} wins {win.model}": win.rate.value for one in result.judges for win in one.wins}
    found |= {
        f"{one.judge} unread": float(sum(sum(pair.unreadable) for pair in one.pairs)) for one in result.judges
    }
    return found, tuple(result.warnings)


def seats(frame: pl.DataFrame) -> Numbers:
    found: Numbers = {}
    for (judge,), own in frame.group_by("judge"):
        votes: dict[Any, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        wins: dict[str, dict[Any, dict[str, list[float]]]] = defaultdict(
            lambda: defaultdict(lambda: defaultdict(list))
        )
        for row in own.drop_nulls("winner").iter_rows(named=True):
            a, b = sorted((row["first"], row["second"]))
            key = (row["item"], a, b)
            order = "ab" if row["first"] == a else "ba"
            votes[key][order].append({a: "a", b: "b"}.get(row["winner"], "tie"))
            for model in (a, b):
                won = 1.0 if row["winner"] == model else 0.5 if row["winner"] == "tie" else 0.0
                wins[model][key][order].append(won)
        found |= _judged(votes, judge)
        for model, pairs in wins.items():
            rates = [_mean([_mean(side) for side in one.values()]) for one in pairs.values() if len(one) == 2]
            found[f"{judge} wins {model}"] = _mean(rates)
        found[f"{judge} unread"] = own["winner"].null_count()
    return found


def llmbar(frame: pl.DataFrame) -> Numbers:
    """Verdicts name the answer; ``None`` is what LLMBar writes where it found no verdict in a reply."""
    found: Numbers = {}
    for (model, strategy), own in frame.group_by("model", "strategy"):
        votes: dict[Any, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
        right: dict[Any, list[bool]] = defaultdict(list)
        for row in own.filter(pl.col("verdict") != "None").iter_rows(named=True):
            key = (row["set"], row["subset"], row["item"])
            votes[key]["ab" if row["seating"] == "given" else "ba"].append("ab"[int(row["verdict"]) - 1])
            right[key].append(row["verdict"] == str(row["gold"]))
        found |= _judged(votes, f"{model} {strategy}")
        found[f"{model} {strategy} agreement"] = _mean([_mean(one) for one in right.values()])
        found[f"{model} {strategy} unread"] = float((own["verdict"] == "None").sum())
    return found


def _order_numbers(path: Path) -> tuple[Numbers, tuple[str, ...]]:
    result: Any = concord.score_structure(scores=path, resamples=200)
    found: Numbers = {}
    for one in result.models:
        effect = one.order.effect
        found |= {f"{one.model} mean {two.name}": two.mean_score for two in one.arrangements}
        found |= {
            f"{one.model} p": effect.p_value,
            f"{one.model} tau": effect.tau,
            f"{one.model} n": one.n_items,
        }
    return found, tuple(result.warnings)


def orders(frame: pl.DataFrame) -> Numbers:
    from scipy import stats

    found: Numbers = {}
    for column in (one for one in frame.columns if one.startswith("p_correct:")):
        model = column.partition(":")[2]
        sides = [frame.filter(pl.col("order") == one).sort("pair")[column].to_numpy() for one in ("xy", "yx")]
        found |= {
            f"{model} mean {name}": float(side.mean()) for name, side in zip(("xy", "yx"), sides, strict=True)
        }
        change = sides[0] - sides[1]
        n = len(change)
        within = change.var(ddof=1) / 2  # residual mean square of two arrangements
        between = n * np.var([side.mean() for side in sides], ddof=1)
        found[f"{model} p"] = float(stats.ttest_1samp(change, 0).pvalue)
        found[f"{model} tau"] = float(np.sqrt(max(0.0, (between - within) / n)))
        found[f"{model} n"] = n
    return found


def _gap_numbers(path: Path) -> tuple[Numbers, tuple[str, ...]]:
    result = concord.score_reasoning(replies=path, n_resamples=100)
    gap = result.scores.gap
    assert gap.table is not None
    found = {"gap": gap.gap.value, "cot": gap.acc_cot.value, "direct": gap.acc_early.value, "p": gap.p_value}
    found |= {name: getattr(gap.table, name) for name in ("n11", "n10", "n01", "n00")}
    return {name: float("nan") if one is None else one for name, one in found.items()}, tuple(result.warnings)


def graded(frame: pl.DataFrame) -> Numbers:
    wide: dict[Any, dict[str, int]] = {key: {} for key in frame.select("task", "item").iter_rows()}
    for task, item, mode, right in frame.select("task", "item", "reasoning", "correct").iter_rows():
        wide[task, item][mode] = right
    counts = {
        f"n{a}{b}": sum(one == {"cot": a, "direct": b} for one in wide.values())
        for a in (1, 0)
        for b in (1, 0)
    }
    cot, direct = (_mean([one[mode] for one in wide.values()]) for mode in ("cot", "direct"))
    return {"gap": cot - direct, "cot": cot, "direct": direct, **counts}


def _hint_numbers(path: Path) -> tuple[Numbers, tuple[str, ...]]:
    result: Any = concord.score_hints(path)
    found: Numbers = {}
    for one in result.scores.models:
        for kind, rate in one.influence.items():
            found |= {f"{one.model} {kind}": rate.value, f"{one.model} {kind} n": rate.n}
        if one.verbalised is not None and one.verbalised.value is not None:
            found |= {f"{one.model} says": one.verbalised.value, f"{one.model} says n": one.verbalised.n}
    return found, tuple(result.warnings)


def turpin(frame: pl.DataFrame) -> Numbers:
    """Options are numbered from 0; −1 is what the source writes where it found no answer in a reply."""
    found: dict[str, list[bool]] = defaultdict(list)
    cells: dict[Any, dict[str, int]] = defaultdict(dict)
    for row in frame.iter_rows(named=True):
        if row["gold"] != row["pointed"] and row["answer"] >= 0:
            model = f"{row['model']} · reasoning {row['reasoning']} · few_shot {str(row['few_shot']).lower()}"
            key = (model, row["bias"], row["task"], row["item"], row["pointed"])
            cells[key][row["context"]] = row["answer"]
    for (model, bias, *_, pointed), one in cells.items():
        if len(one) == 2 and one["unbiased"] != pointed:
            found[f"{model} {bias}"].append(one["biased"] == pointed)
    return {name: _mean(own) for name, own in found.items()} | {
        f"{name} n": len(own) for name, own in found.items()
    }


def turpin_2026(frame: pl.DataFrame) -> Numbers:
    found: Numbers = {}
    for (model,), own in frame.group_by("model"):
        moved, said = [], []
        for row in own.iter_rows(named=True):
            known = row["unbiased"] is not None and row["biased"] is not None
            if known and row["gold"] != row["pointed"] != row["unbiased"]:
                moved.append(row["biased"] == row["pointed"])
                if moved[-1] and row["verbalized"] is not None:
                    said.append(row["verbalized"])
        found |= {f"{model} hint": _mean(moved), f"{model} hint n": len(moved)}
        found |= {f"{model} says": _mean(said), f"{model} says n": len(said)}
    return found


def _chain_numbers(path: Path) -> tuple[Numbers, tuple[str, ...]]:
    result: Any = concord.score_probes(path, model="chains")
    early = result.scores.early
    found = {"area": early.aoc.value, "n": early.aoc.n, "area by length": early.aoc_by_length.value}
    found |= {f"area of {one.n_steps}": one.aoc for one in early.lengths}
    found |= {f"after {one.share:g}": one.same.value for one in early.curve}
    return found, tuple(result.warnings)


def chains(frame: pl.DataFrame) -> Numbers:
    """Areas over shares of 50 draws; shares of other numbers are rounded, which is told."""
    areas: dict[int, list[float]] = defaultdict(list)
    starts = []
    for _, own in frame.sort("item", "sentence_num").group_by("item", maintain_order=True):
        shares = [own["cue_p_prev"][0], *own["cue_p"][:-1], 1.0]  # the chain itself ends in the answer
        shares = [round(50 * share) / 50 for share in shares]
        starts.append(shares[0])
        areas[int(own["sentences"][0])].append(1 - float(np.trapezoid(shares)) / (len(shares) - 1))
    every = [area for own in areas.values() for area in own]
    found = {"area": _mean(every), "n": len(every), "area by length": _mean(every), "after 0": _mean(starts)}
    return found | {f"area of {n}": _mean(own) for n, own in areas.items()}


TABLES: dict[
    str, tuple[Callable[[Path], tuple[Numbers, tuple[str, ...]]], Callable[[pl.DataFrame], Numbers]]
] = {
    "judges-seats": (_judge_numbers, seats),
    "judges-seats-full": (_judge_numbers, seats),
    "judges-llmbar": (_judge_numbers, llmbar),
    "orders-chainscope": (_order_numbers, orders),
    "reasoning-bbh-codex": (_gap_numbers, graded),
    "reasoning-turpin": (_hint_numbers, turpin),
    "reasoning-turpin-2026": (_hint_numbers, turpin_2026),
    "reasoning-thought-branches": (_chain_numbers, chains),
}


@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("form", ["parquet", "csv"])
def test_every_number_of_a_recorded_table_is_that_of_plain_loops(
    name: str, form: str, tmp_path: Path
) -> None:
    score, own = TABLES[name]
    path = Path(str(api.public_table(name)))
    frame = pl.read_parquet(path)
    if form == "csv":
        path = tmp_path / f"{path.stem}.csv"
        frame.write_csv(path)
    found, _ = score(path)
    expected = own(frame)
    assert len(expected) >= 5
    assert {key: found.get(key) for key in expected} == pytest.approx(expected, abs=1e-9, nan_ok=True)


def test_what_is_no_answer_is_told_with_its_word() -> None:
    """LLMBar writes None where it found no verdict, Turpin et al. -1 where they found no option."""
    _, verdicts = _judge_numbers(Path(str(api.public_table("judges-llmbar"))))
    assert any("348 cells of 'verdict' are 'None'" in one for one in verdicts)
    _, answers = _hint_numbers(Path(str(api.public_table("reasoning-turpin"))))
    assert any(one.startswith("221 answers are -1, the place of no option") for one in answers)
    assert any(one.startswith("114 of 47,848 answers are missing or could not be read") for one in answers)
    _, missing = _hint_numbers(Path(str(api.public_table("reasoning-turpin-2026"))))
    assert any("answers are missing or could not be read" in one for one in missing)


@pytest.mark.parametrize(("target", "n"), [("1", 4), ("58", 9)])
def test_minus_one_is_no_answer_where_answers_are_places_of_options(target: str, n: int) -> None:
    rows = [
        {"model": model, "item": i, "hint": kind, "target": target, "answer": -1 if i < 5 else 0}
        for model in ("a", "b")
        for i in range(9)
        for kind in ("none", "sycophancy")
    ]
    found: Any = concord.score_hints(rows)
    assert found.scores.models[0].influence["sycophancy"].n == n
