"""What must not change a result: order of rows and columns, format, names, units, direction, others."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import concord
from concord.errors import FileFormatError

Row = dict[str, Any]
Numbers = Mapping[str, float | None]


def table_of_tests(agents: Sequence[str] = ("m",)) -> list[Row]:
    rng = np.random.default_rng(5)
    rows: list[Row] = []
    for i in range(12):
        human = rng.normal(1.5, 1.5)
        for k, agent in enumerate(agents):
            kind = ("t-test", "correlation", "Mann-Whitney")[i % 3]
            n = 40 + i
            both = np.array([human, human + float(rng.normal()) + k])
            made = {"t-test": both, "correlation": np.tanh(both / 6),
                    "Mann-Whitney": np.round(n * n / 2 * (1 + np.tanh(both / 5)))}[kind]  # fmt: skip
            h, a = (float(one) for one in made)
            rows.append({
                "agent": agent, "study": f"S{i // 3}", "finding": f"F{i}", "test": "t", "test_type": kind,
                "human_statistic": h, "human_n1": n, "human_n2": n,
                "agent_statistic": a, "agent_n1": n, "agent_n2": n,
                "human_n": 2 * n, "agent_n": 2 * n,
            })  # fmt: skip
    used = {
        "t-test": ("n1", "n2"), "Mann-Whitney": ("n1", "n2"), "correlation": ("n",),
    }  # fmt: skip
    for row in rows:
        for part in ("n1", "n2", "n"):
            if part not in used[row["test_type"]]:
                row[f"human_{part}"] = row[f"agent_{part}"] = None
    return rows


def people(rows: Any) -> Numbers:
    found = concord.score_people(rows, n_resamples=0, n_simulations=0)
    extra = found.companions
    return {
        "pas": found.pas.value, "ecs": found.ecs.value, "apr": found.apr.value,
        "zero": extra.concordance_about_zero,
        "size": None if found.sizes is None else found.sizes.size_ratio.value,
    }  # fmt: skip


def answer_table() -> list[Row]:
    rng = np.random.default_rng(1)
    return [
        {"study": "s", "outcome": o, "person": f"p{i}", "human": int(rng.integers(1, 8)),
         "agent": int(rng.integers(2, 7))}
        for o in ("trust", "risk") for i in range(60)
    ]  # fmt: skip


def answers(rows: Any) -> Numbers:
    found = concord.score_answers(rows, n_resamples=20).agents[0]
    return {
        f"{one.outcome} {name}": number.estimate.value
        for one in found.outcomes
        for name, number in one.numbers.items()
    }


def option_table() -> list[Row]:
    rng = np.random.default_rng(2)
    return [
        {"item": f"q{i}", "arrangement": f"r{k}", "sample": s, "n_options": 4, "right": "ABCD"[(i + k) % 4],
         "chosen": "ABCD"[(i + k) % 4] if rng.random() < 0.5 else "ABCD"[int(rng.integers(4))]}
        for i in range(12) for k in range(4) for s in (1, 2)
    ]  # fmt: skip


def options(rows: Any) -> Numbers:
    found = concord.score_options(rows, n_permutations=199).scores
    return {
        "consistency": found.consistency.value, "excess": found.flip_excess.value, "rstd": found.rstd.value,
        "p": found.rstd_p, "floor": found.rstd_floor,
    }  # fmt: skip


def vote_table() -> list[Row]:
    rng = np.random.default_rng(3)
    return [
        {"pair": f"p{i}", "order": order, "vote": v, "judge": "j", "length_a": 10 + i, "length_b": 40 - i,
         "verdict": ("first", "second", "tie")[int(rng.choice(3, p=(0.6, 0.3, 0.1)))]}
        for i in range(15) for order in ("ab", "ba") for v in (1, 2)
    ]  # fmt: skip


def votes(rows: Any) -> Numbers:
    found = concord.score_judge(rows, n_permutations=199).judge()
    return {name: one.value for name, one in found.numbers.items()} | {
        "p": found.flips_p,
        "seat": found.preference_p,
    }


def hint_table() -> list[Row]:
    rng = np.random.default_rng(4)
    return [
        {"id": f"q{i}", "kind": kind, "target": "C", "n_options": 4, "gold": "A",
         "answer": "ABCD"[int(rng.integers(4))] if kind == "none" or rng.random() < 0.4 else "C"}
        for i in range(30) for kind in ("none", "sycophancy")
    ]  # fmt: skip


def hints(rows: Any) -> Numbers:
    found: Any = concord.score_hints(rows)
    return {f"{one.kind} {name}": getattr(one, name).value for one in found.scores.hints.kinds
            for name in ("influence", "other", "alpha")}  # fmt: skip


def effect_table(agents: Sequence[str] = ("m",)) -> list[Row]:
    rng = np.random.default_rng(6)
    rows = []
    for i in range(10):
        human = float(rng.normal(0.2, 0.4))
        rows += [
            {"study": f"s{i % 4}", "condition": f"c{i}", "human_estimate": human, "human_se": 0.1,
             "human_sd": 1.0, "scale_min": 1.0, "scale_max": 7.0, "agent": name,
             "agent_estimate": human + 0.1 * k + 0.2 * float(rng.normal())}
            for k, name in enumerate(agents)
        ]  # fmt: skip
    return rows


def effects(rows: Any, agent: str = "m") -> Numbers:
    found = concord.score_predictions(rows).agent(agent)
    return {name: one.value for name, one in found.numbers.items()}


def score_table() -> list[Row]:
    rng = np.random.default_rng(7)
    return [
        {"item": f"q{i}", "model": m, "score": round(float(rng.random()), 3), "cluster": f"c{i % 5}"}
        for i in range(20) for m in ("one", "two")
    ]  # fmt: skip


def compared(rows: Any) -> Numbers:
    found: Any = concord.compare(rows)
    return {one.name: one.mean.value for one in found.models} | {"p": found.pairs[0].p_value}


def mixed_table() -> list[Row]:
    rng = np.random.default_rng(8)
    return [
        {"human": float(rng.normal(i % 2)), "prediction": float(rng.normal(i % 2)), "arm": "ab"[i % 2]}
        for i in range(40)
    ]  # fmt: skip


def mixed(rows: Any) -> Numbers:
    more = [{"prediction": float(k % 7) / 7, "arm": "ab"[k % 2]} for k in range(60)]
    found = concord.combine(rows, more)
    return {one.name: one.estimate.value for one in found.estimates}


def structure_table() -> list[Row]:
    rng = np.random.default_rng(5)
    return [
        {"model": model, "arrangement": f"o{a}", "item": f"i{i:02d}", "sample": k,
         "S_Acc": round(float(np.clip(0.6 + 0.05 * a * (model == "m") + 0.2 * rng.normal(), 0, 1)), 3)}
        for model in ("m", "n") for a in range(3) for i in range(15) for k in range(2)
    ]  # fmt: skip


def structure(rows: Any) -> Numbers:
    held: dict[str, float | None] = {}
    for place, one in enumerate(concord.score_structure(scores=rows, resamples=200).models):
        assert one.order.effect is not None and one.order.effect.interval is not None
        held[f"{place} tau"], held[f"{place} p"] = one.order.effect.tau, one.order.effect.p_value
        held[f"{place} high"] = one.order.effect.interval.high
        for name, value in (("s_cons", one.consistency.s_cons), ("r_sens", one.consistency.r_sens)):
            held[f"{place} {name}"] = value.value
            held[f"{place} {name} low"] = None if value.interval is None else value.interval.low
    return held


def graded_table() -> list[Row]:
    return [
        {"item": f"q{i:02d}", "mode": mode, "correct": int((i * 7 + 3 * (mode == "cot")) % 5 > 1)}
        for i in range(30) for mode in ("cot", "direct")
    ]  # fmt: skip


def graded(rows: Any) -> Numbers:
    gap = concord.score_reasoning(replies=rows, model="m", n_resamples=200).scores.gap.gap
    return {"gap": gap.value, "low": gap.interval.low, "high": gap.interval.high}


KINDS: dict[str, tuple[Callable[[], list[Row]], Callable[[Any], Numbers]]] = {
    "people": (lambda: [{k: v for k, v in row.items() if k != "agent"} for row in table_of_tests()], people),
    "answers": (answer_table, answers),
    "options": (option_table, options),
    "judge": (vote_table, votes),
    "hints": (hint_table, hints),
    "effects": (effect_table, effects),
    "compare": (score_table, compared),
    "combine": (mixed_table, mixed),
    "structure": (structure_table, structure),
    "graded": (graded_table, graded),
}


def same(found: Numbers, expected: Numbers) -> None:
    assert expected and any(value is not None for value in expected.values())
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert found[name] == (value if value is None else pytest.approx(value, abs=1e-9)), name


def shuffled(rows: list[Row]) -> list[Row]:
    return [rows[i] for i in np.random.default_rng(9).permutation(len(rows))]


def turned(rows: list[Row]) -> list[Row]:
    return [dict(reversed(row.items())) for row in rows]


@pytest.mark.parametrize("change", [shuffled, turned])
@pytest.mark.parametrize("kind", KINDS)
def test_the_order_of_rows_and_columns_changes_nothing(
    kind: str, change: Callable[[list[Row]], list[Row]]
) -> None:
    make, score = KINDS[kind]
    same(score(change(make())), score(make()))


LONG = pytest.mark.long


@pytest.mark.parametrize(
    "ending",
    ["csv", "xlsx", *(pytest.param(one, marks=LONG) for one in ("parquet", "json", "ndjson"))],
)
@pytest.mark.parametrize("kind", KINDS)
def test_the_format_changes_nothing(kind: str, ending: str, tmp_path: Path) -> None:
    make, score = KINDS[kind]
    frame, path = pl.DataFrame(make(), infer_schema_length=None), tmp_path / f"scores.{ending}"
    if ending == "xlsx":
        import openpyxl

        book = openpyxl.Workbook()
        sheet: Any = book.active
        for row in (frame.columns, *frame.rows()):
            sheet.append(list(row))
        book.save(path)
    else:
        getattr(frame, f"write_{ending}")(path)
    same(score(path), score(make()))


def renamed(rows: list[Row], column: str) -> list[Row]:
    names = {value: f"z{k}" for k, value in enumerate(dict.fromkeys(row[column] for row in rows))}
    return [row | {column: names[row[column]]} for row in rows]


@pytest.mark.parametrize(
    ("kind", "column"),
    [("people", "study"), ("people", "finding"), ("answers", "person"), ("options", "item"),
     ("options", "arrangement"), ("judge", "pair"), ("judge", "judge"), ("hints", "id"), ("effects", "study"),
     ("effects", "condition"), ("compare", "item"), ("compare", "cluster"), ("structure", "item"),
     ("structure", "arrangement"), ("graded", "item")],
)  # fmt: skip
def test_names_change_nothing(kind: str, column: str) -> None:
    make, score = KINDS[kind]
    same(score(renamed(make(), column)), score(make()))


def test_an_unrelated_agent_changes_nothing_of_the_others() -> None:
    alone, both = (effects(effect_table(who)) for who in (("m",), ("m", "x")))
    first = {row["condition"]: row for row in effect_table(("m", "x")) if row["agent"] == "m"}
    same(both, effects(list(first.values())))
    assert alone.keys() == both.keys()
    rows = table_of_tests(("m", "x"))
    table: Any = concord.score_people(rows, agent_column="agent", n_resamples=0, n_simulations=0)
    own = people([{k: v for k, v in row.items() if k != "agent"} for row in rows if row["agent"] == "m"])
    found = next(one for one in table.agents if one.name == "m")
    assert found.pas.value == pytest.approx(own["pas"])
    assert found.ecs.value == pytest.approx(own["ecs"])


def test_units_and_a_reversed_scale_change_no_ratio_of_answers() -> None:
    plain = answers(answer_table())
    for by, to in ((10.0, 3.0), (-1.0, 8.0)):
        rows = [row | {side: by * row[side] + to for side in ("human", "agent")} for row in answer_table()]
        found = answers(rows)
        for name, value in plain.items():
            sign = -1 if "mean_gap" in name and by < 0 else 1
            assert value is not None and found[name] == pytest.approx(sign * value, abs=1e-9), name


def test_units_and_direction_of_effects_change_nothing() -> None:
    plain = effects(effect_table())
    tenth = ("human_estimate", "human_se", "human_sd", "agent_estimate", "scale_min", "scale_max")
    same(effects([row | {name: 10 * row[name] for name in tenth} for row in effect_table()]), plain)
    other = effects(
        [row | {name: -row[name] for name in ("human_estimate", "agent_estimate")} for row in effect_table()]
    )
    for name in ("pearson", "spearman", "rmse", "direction", "slope", "size_ratio", "pas", "apr"):
        if name in plain:
            assert other[name] == pytest.approx(plain[name]), name


def reversed_tests(rows: list[Row]) -> list[Row]:
    """Turn every outcome round on both sides: t and r change their sign, U becomes n1 n2 - U."""
    made = []
    for row in rows:
        new = dict(row)
        for side in ("human", "agent"):
            value, n1 = row[f"{side}_statistic"], row[f"{side}_n1"]
            new[f"{side}_statistic"] = n1 * n1 - value if row["test_type"] == "Mann-Whitney" else -value
        made.append(new)
    return made


def test_outcomes_turned_round_on_both_sides_change_neither_conclusions_nor_sizes() -> None:
    rows = KINDS["people"][0]()
    plain, other = people(rows), people(reversed_tests(rows))
    for name in ("pas", "apr", "zero", "size"):
        assert other[name] == pytest.approx(plain[name]), name
    rng = np.random.default_rng(2)
    only = [
        {"study": f"S{i}", "finding": "F", "test": "t", "test_type": "Mann-Whitney",
         **{f"{side}_{part}": value for side in ("human", "agent") for part, value in
            (("statistic", float(rng.integers(200, 1400))), ("n1", 40), ("n2", 40))}}
        for i in range(20)
    ]  # fmt: skip
    plain, other = people(only), people(reversed_tests(only))
    assert plain["size"] is not None and other["size"] == pytest.approx(plain["size"])


def test_swapped_sides_change_no_symmetric_number() -> None:
    rows = KINDS["people"][0]()
    swapped = [
        {
            k.replace("human_", "x_").replace("agent_", "human_").replace("x_", "agent_"): v
            for k, v in row.items()
        }
        for row in rows
    ]
    plain, other = people(rows), people(swapped)
    for name in ("pas", "ecs", "zero"):
        assert other[name] == pytest.approx(plain[name]), name
    turned_votes = [
        row | {"order": {"ab": "ba", "ba": "ab"}[row["order"]], "length_a": row["length_b"],
               "length_b": row["length_a"]} for row in vote_table()
    ]  # fmt: skip
    plain, other = votes(vote_table()), votes(turned_votes)
    same({k: v for k, v in other.items() if k != "p"}, {k: v for k, v in plain.items() if k != "p"})
    models = [row | {"model": {"one": "two", "two": "one"}[row["model"]]} for row in score_table()]
    plain, other = compared(score_table()), compared(models)
    assert other["p"] == pytest.approx(plain["p"]) and other["one"] == pytest.approx(plain["two"])


def test_repeats_that_no_column_numbers_are_told_and_numbered_doubles_are_refused() -> None:
    """Two conditions put below each other would be averaged in silence."""
    for make, score in (
        (option_table, concord.score_options),
        (vote_table, lambda rows: concord.score_judge(rows, n_permutations=99)),
        (hint_table, concord.score_hints),
    ):
        bare = [{k: v for k, v in row.items() if k not in ("sample", "vote")} for row in make()]
        told = [one for one in score(bare + bare).warnings if "taken as repeats" in one]
        assert len(told) == 1 and "no column numbers them" in told[0]
    with pytest.raises(FileFormatError, match="are there more than once"):
        concord.score_options(option_table() * 2)
