"""Files that were refused, or counted without being listed: now read, with the numbers of numpy and scipy."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

import concord
from concord.errors import FileFormatError, TableError
from concord.people.predictions.table import read_predictions
from tests.files_of_every_kind import as_csv

Rows = list[dict[str, Any]]
RNG = np.random.default_rng(8)
EFFECTS, GUESSED = RNG.normal(0.3, 0.4, 12).round(2), RNG.normal(0.3, 0.5, 12).round(2)
ERRORS = RNG.uniform(0.05, 0.2, 12)
Z = float(stats.norm.ppf(0.975))


def numbers(low: int, high: int, n: int, seed: int) -> list[int]:
    return [int(one) for one in np.random.default_rng(seed).integers(low, high + 1, n)]


OWN = {"trust": numbers(1, 7, 80, 1), "risk": numbers(1, 7, 80, 2)}
OTHER = {"trust": numbers(3, 5, 80, 3), "risk": numbers(2, 7, 80, 4)}
THIRD = {"trust": numbers(4, 5, 80, 5), "risk": numbers(1, 3, 80, 6)}


def ratio(own: list[int], other: list[int]) -> float:
    return float(np.var(other, ddof=1) / np.var(own, ddof=1))


def ratios(*tables: Any) -> dict[tuple[str, str], float | None]:
    found = concord.score_answers(*tables, n_resamples=20).agents
    return {
        (one.agent, o.outcome): o.numbers["variance_ratio"].estimate.value
        for one in found
        for o in one.outcomes
    }


@pytest.mark.parametrize(
    ("estimate", "low", "high"),
    [
        ("human_estimate", "people_ci_low", "people_ci_high"),
        ("Observed effect", "human_ci_lower", "human_ci_upper"),
        ("human_estimate", "ci_lower", "ci_upper"),
    ],
)
def test_an_interval_gives_the_standard_error_of_peoples_effect(estimate: str, low: str, high: str) -> None:
    rows: Rows = [
        {"study": f"S{i % 3}", "condition": f"c{i}", estimate: e, low: e - Z * s, high: e + Z * s, "gpt4": g}
        for i, (e, s, g) in enumerate(zip(EFFECTS, ERRORS, GUESSED, strict=True))
    ]
    table = read_predictions(rows)
    assert [one.se for one in table.pairs] == pytest.approx(ERRORS, rel=1e-9)
    assert list(table.agents) == ["gpt4"]
    assert any("taken for 95 % intervals" in one for one in table.warnings)
    found = concord.score_predictions(rows).agents[0].numbers["pearson"].value
    assert found == pytest.approx(np.corrcoef(EFFECTS, GUESSED)[0, 1], abs=1e-12)


def test_an_interval_without_its_estimate_inside_is_left_out_by_name() -> None:
    rows: Rows = [
        {"study": "S", "condition": f"c{i}", "human_estimate": e, "people_ci_low": e - 0.2}
        | {"people_ci_high": e - 0.1 if i == 3 else e + 0.2, "gpt4": 0.1}
        for i, e in enumerate(EFFECTS)
    ]
    (cell,) = read_predictions(rows).left_out
    assert (cell.row, cell.column) == (5, "people_ci_high")


@pytest.mark.parametrize("title", ["{q}_{side}", "{side}_{q}", "{side} {q}", "{q} ({side})"])
def test_answers_stand_in_columns_of_question_and_side(title: str) -> None:
    sides = {"human": OWN, "gpt4": OTHER, "Claude 3 Opus": THIRD}
    rows = [
        {"pid": i} | {title.format(q=q, side=s): held[q][i] for q in OWN for s, held in sides.items()}
        for i in range(80)
    ]
    true = {(who, q): ratio(OWN[q], held[q]) for q in OWN for who, held in list(sides.items())[1:]}
    assert ratios(rows) == pytest.approx(true, abs=1e-12)


def test_check_names_answers_in_columns_of_question_and_side(tmp_path: Path) -> None:
    rows = [{"pid": i, "trust_human": OWN["trust"][i], "trust_gpt4": OTHER["trust"][i]} for i in range(80)]
    as_csv(tmp_path / "wide.csv", rows)
    assert concord.check(tmp_path / "wide.csv").commands == ("concord score answers",)


def test_a_column_that_names_models_beside_columns_of_sides_is_unclear() -> None:
    rows = [{"model": "m", "trust_human": OWN["trust"][i], "trust_gpt4": 3} for i in range(80)]
    with pytest.raises(FileFormatError, match="found the columns 'model', 'trust_human', 'trust_gpt4'"):
        concord.score_answers(rows)


def test_trust_in_people_and_in_ai_is_no_pair_of_sides() -> None:
    rows = [{"pid": i, "trust_human": OWN["trust"][i], "trust_ai": OTHER["trust"][i]} for i in range(80)]
    with pytest.raises(FileFormatError, match="found the columns"):
        concord.score_answers(rows)


@pytest.mark.parametrize("word", ["real participant", "Real participants", "actual human", "real people"])
def test_real_participants_are_people(word: str) -> None:
    rows = [
        {"question": "trust", "source": who, "answer": one}
        for who, held in ((word, OWN), ("gpt-4o", OTHER))
        for one in held["trust"]
    ]
    assert ratios(rows) == pytest.approx(
        {("gpt-4o", "trust"): ratio(OWN["trust"], OTHER["trust"])}, abs=1e-12
    )


COUNTS = {"yes": (40, 12), "no": (35, 60), "unsure": (30, 35)}


def share(counts: Any) -> float:
    a, b = np.array(list(counts.values()), dtype=float).T
    return float(0.5 * np.abs(a / a.sum() - b / b.sum()).sum())


def test_counts_of_choices_stand_below_people_and_models() -> None:
    rows = [{"question": "ban", "option": o, "people": a, "gpt4": b} for o, (a, b) in COUNTS.items()]
    outcome = concord.score_answers(rows, n_resamples=20).agents[0].outcomes[0]
    assert outcome.numbers["tvd"].estimate.value == pytest.approx(share(COUNTS), abs=1e-12)
    assert outcome.numbers["tvd"].estimate.n == 105


def test_counts_below_human_and_agent_are_no_answers() -> None:
    rows = [{"question": "ban", "option": o, "human": a, "agent": b} for o, (a, b) in COUNTS.items()]
    outcome = concord.score_answers(rows, n_resamples=20).agents[0].outcomes[0]
    assert outcome.numbers["tvd"].estimate.value == pytest.approx(share(COUNTS), abs=1e-12)


@pytest.mark.parametrize(("people", "model"), [("people", "gpt4"), ("human_count", "agent_count")])
def test_a_total_below_the_options_is_none_of_them(people: str, model: str) -> None:
    rows = [{"question": "ban", "option": o, people: a, model: b} for o, (a, b) in COUNTS.items()]
    result = concord.score_answers([*rows, {"question": "ban", "option": "Total", people: 105, model: 107}])
    assert result.agents[0].outcomes[0].numbers["tvd"].estimate.value == pytest.approx(share(COUNTS))
    assert any("row 5: sums up the rows above" in one for one in result.warnings)


def test_forecasts_of_people_and_how_many_they_are_are_no_measured_effects() -> None:
    rows = [
        {"study": "S", "condition": f"c{i}", "Participants": 100 + i, "SE": 0.1, "Human forecast": 0.2}
        | {"GPT-4 forecast": 0.1 * i}
        for i in range(8)
    ]
    with pytest.raises(FileFormatError, match="columns are missing: 'human_estimate'"):
        concord.score_predictions(rows)


def test_original_prompts_are_no_people() -> None:
    rows = [{"question": "q", "source": s, "answer": i % 5} for s in ("original", "gpt-4") for i in range(40)]
    with pytest.raises(FileFormatError, match="must hold 'human' in some rows"):
        concord.score_answers(rows)


def test_whole_numbers_that_add_up_to_a_hundred_are_doubted_and_shares_refused() -> None:
    rows: Rows = [
        {"question": "ban", "option": o, "people": a, "gpt4": b} for o, a, b in (("y", 60, 45), ("n", 40, 55))
    ]
    told = concord.score_answers(rows, n_resamples=20).warnings
    assert any("add up to 100" in one and "percentages" in one for one in told)
    shares = [row | {"people": row["people"] / 100, "gpt4": row["gpt4"] / 100} for row in rows]
    with pytest.raises(TableError, match="a count"):
        concord.score_answers(shares)


@pytest.mark.parametrize(
    "titles",
    [
        ("M Mensch", "SD Mensch", "n Mensch", "M GPT-4", "SD GPT-4", "n GPT-4"),
        ("M humains", "ET humains", "n humains", "M GPT-4", "ET GPT-4", "n GPT-4"),
        ("평균 인간", "표준편차 인간", "n 인간", "평균 GPT-4", "표준편차 GPT-4", "n GPT-4"),
    ],
)
def test_a_statistic_may_stand_before_its_side(titles: tuple[str, ...]) -> None:
    own = [(4.1, 1.2, 80, 4.4, 0.6, 100), (3.0, 1.5, 80, 3.9, 0.9, 100), (5.5, 1.0, 80, 5.4, 0.5, 100)]
    rows = [{"Frage": f"q{i}", **dict(zip(titles, one, strict=True))} for i, one in enumerate(own)]
    found = concord.score_answers(rows, n_resamples=20).agents[0]
    assert found.agent == "GPT-4"
    ratios = [one.numbers["variance_ratio"].estimate.value for one in found.outcomes]
    assert ratios == pytest.approx([(one[4] / one[1]) ** 2 for one in own], abs=1e-12)


def test_degrees_of_freedom_stand_in_brackets_behind_the_statistic() -> None:
    rows = [
        {"Study": "S1", "Finding": "a", "Human t(df)": "−1.74 (62)", "GPT-4 t(df)": "2.05 (98)"},
        {"Study": "S2", "Finding": "b", "Human t(df)": "3.10 (48)", "GPT-4 t(df)": "0.40 (98)"},
        {"Study": "S3", "Finding": "c", "Human t(df)": "2,20 (30)", "GPT-4 t(df)": "1,11 (98)"},
    ]
    found = concord.score_people(rows, n_resamples=0, n_simulations=0).tests
    true = [2 * stats.t.sf(*one) for one in ((1.74, 62), (3.1, 48), (2.2, 30))]
    assert [one.human_p for one in found] == pytest.approx(true, abs=1e-9)
    assert [one.human_direction for one in found] == [-1, 1, 1]
    assert found[0].agent_p == pytest.approx(2 * stats.t.sf(2.05, 98), abs=1e-9)


def test_degrees_of_freedom_of_f_stand_in_brackets_too() -> None:
    rows = [
        {
            "Study": f"S{i}",
            "Finding": "a",
            "Human F (df)": f"{6.1 + i} (1, 62)",
            "GPT-4 F (df)": "4.2 (1, 98)",
        }
        for i in range(3)
    ]
    found = concord.score_people(rows, n_resamples=0, n_simulations=0).tests
    assert [one.human_p for one in found] == pytest.approx([stats.f.sf(6.1 + i, 1, 62) for i in range(3)])


def log(path: Path, *, brackets: bool = False) -> Path:
    said = "I would say ({}).\n\nAnswer: {}" if brackets else "{}"
    samples = [
        {
            "id": q,
            "epoch": i + 1,
            "input": f"How much {q}?",
            "target": "",
            "output": {"choices": [{"message": {"role": "assistant", "content": said.format(one, one)}}]},
            "scores": {},
        }
        for q, held in OTHER.items()
        for i, one in enumerate(held)
    ]
    held = {"version": 2, "status": "success", "eval": {"task": "survey", "model": "openai/gpt-4o"}}
    path.write_text(json.dumps(held | {"samples": samples}), "utf-8")
    return path


@pytest.mark.parametrize("brackets", [False, True])
@pytest.mark.parametrize("layout", ["wide", "long"])
def test_a_log_of_inspect_holds_a_models_answers(tmp_path: Path, layout: str, brackets: bool) -> None:
    rows: Rows = [{"pid": i, "trust": OWN["trust"][i], "risk": OWN["risk"][i]} for i in range(80)]
    if layout == "long":
        rows = [{"pid": i, "question": q, "answer": held[i]} for q, held in OWN.items() for i in range(80)]
    as_csv(tmp_path / "people.csv", rows)
    true = {("openai/gpt-4o", q): ratio(OWN[q], OTHER[q]) for q in OWN}
    found = ratios(tmp_path / "people.csv", log(tmp_path / "log.json", brackets=brackets))
    assert found == pytest.approx(true, abs=1e-12)


def test_samples_that_name_their_question_beside_the_id_are_all_kept(tmp_path: Path) -> None:
    path = log(tmp_path / "log.json")
    document = json.loads(path.read_text("utf-8"))
    for i, one in enumerate(document["samples"]):
        one |= {"id": f"s{i}", "epoch": 1, "metadata": {"question": one["id"]}}
    path.write_text(json.dumps(document), "utf-8")
    as_csv(
        tmp_path / "people.csv", [{"pid": i, **{q: held[i] for q, held in OWN.items()}} for i in range(80)]
    )
    true = {("openai/gpt-4o", q): ratio(OWN[q], OTHER[q]) for q in OWN}
    assert ratios(tmp_path / "people.csv", path) == pytest.approx(true, abs=1e-12)


def test_a_log_without_a_question_of_people_is_refused_by_both_names(tmp_path: Path) -> None:
    as_csv(tmp_path / "people.csv", [{"pid": i, "hope": OWN["trust"][i]} for i in range(80)])
    with pytest.raises(
        FileFormatError, match="log.json: has no question of people.csv: found 'trust', 'risk'"
    ):
        concord.score_answers(tmp_path / "people.csv", log(tmp_path / "log.json"))


@pytest.mark.parametrize("key", ["verdicts", "votes", "results", "rows", "data"])
def test_rows_may_lie_under_one_key(tmp_path: Path, key: str) -> None:
    votes = [("first", "first"), ("first", "second"), ("second", "second"), ("second", "first")] * 4
    rows = [
        {"pair": i, "order": order, "verdict": one, "judge": "j"}
        for i, both in enumerate(votes)
        for order, one in zip(("ab", "ba"), both, strict=True)
    ]
    (tmp_path / "a.json").write_text(json.dumps({"made": "2026-05-01", key: rows}), "utf-8")
    (judge,) = concord.score_judge(tmp_path / "a.json", n_permutations=99).judges
    assert judge.numbers["inconsistency"].value == pytest.approx(0.5)
    told = concord.score_judge(tmp_path / "a.json", n_permutations=99).warnings
    assert any(f"rows are those of {key!r}; not used: 'made'" in one for one in told)
    assert concord.check(tmp_path / "a.json").kind == "verdicts of judges"


def test_two_lists_of_rows_are_no_table(tmp_path: Path) -> None:
    rows = [{"pair": 1, "order": "ab", "verdict": "first"}]
    (tmp_path / "a.json").write_text(json.dumps({"verdicts": rows, "votes": rows}), "utf-8")
    with pytest.raises(FileFormatError, match="one object with the keys 'verdicts', 'votes'"):
        concord.score_judge(tmp_path / "a.json")


@pytest.mark.parametrize(
    "said", ["see text", "n/a in paper", "not reported in paper", "see Table 3", "siehe Text"]
)
def test_a_result_that_stands_elsewhere_is_listed(said: str) -> None:
    rows = [
        {"Study": f"S{i}", "Finding": "F", "Humans": "t(48) = 2.10", "GPT-4o": one}
        for i, one in enumerate(("t(98) = 3.10", "t(98) = 1.20", said, "", "t(98) = 2.2"))
    ]
    result = concord.score_people(rows, n_resamples=0, n_simulations=0)
    (cell,) = result.left_out
    assert (cell.row, cell.column, cell.value) == (4, "GPT-4o", said)
    assert "elsewhere" in cell.reason + cell.expected and cell.expected
    assert [one.outcome for one in result.tests] == [
        "scored",
        "scored",
        "agent left out",
        "agent missing",
        "scored",
    ]


ARMS = ("group", "condition", "arm", "treatment")


def mixed(title: str, names: tuple[str, ...], n: int, seed: int) -> Rows:
    rng = np.random.default_rng(seed)
    return [
        {title: names[i % len(names)], "human": float(y), "prediction": float(y + rng.normal()), "shoe": i}
        for i, y in enumerate(rng.normal(0, 1, n) + np.arange(n) % len(names))
    ]


def predicted(title: str, names: tuple[str, ...]) -> Rows:
    return [
        {key: value for key, value in row.items() if key != "human"} for row in mixed(title, names, 300, 2)
    ]


@pytest.mark.parametrize("title", ARMS)
def test_two_arms_are_found_under_usual_titles(title: str) -> None:
    people = mixed(title, ("control", "nudge"), 80, 1)
    more = [
        {k: v for k, v in row.items() if k != "human"} for row in mixed(title, ("control", "nudge"), 300, 2)
    ]
    result = concord.combine(people, more)
    (found,) = [one for one in result.estimates if one.kind == "difference"]
    own = [np.mean([row["human"] for row in people if row[title] == one]) for one in ("control", "nudge")]
    assert abs(found.people_only.value or 0) == pytest.approx(own[1] - own[0], abs=1e-12)
    assert any("columns not used: 'shoe'" in one for one in result.warnings)


def test_a_group_of_many_values_is_no_arm() -> None:
    people = mixed("group", ("a", "b", "c", "d"), 80, 1)
    more = [
        {k: v for k, v in row.items() if k != "human"} for row in mixed("group", ("a", "b", "c", "d"), 300, 2)
    ]
    result = concord.combine(people, more)
    assert [one.kind for one in result.estimates] == ["mean"]
    assert any("columns not used: 'group', 'shoe'" in one for one in result.warnings)
