"""Answers as distributions: every layout gives the same numbers; what cannot be used is named."""

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import concord
from concord.comparing.metrics import MetricCompareResult
from concord.errors import FileFormatError, TableError
from concord.files.tables import TableOptions
from concord.people.answers.outcome import _mean_gap
from concord.people.answers.records import AnswerSet, Moments, OutcomeKey
from concord.people.answers.result import AnswersResult
from concord.people.answers.sides import scale_of_words
from concord.people.answers.table import read_answer_table
from concord.show.declared import report_of
from concord.show.terminal import drawn, fitting

RNG = np.random.default_rng(4)
PEOPLE = RNG.integers(1, 6, 120)
AGENT = np.clip(PEOPLE + RNG.integers(-1, 2, 120), 2, 4)


def _long() -> pl.DataFrame:
    group = ["a", "b"] * 60
    return pl.DataFrame(
        {"study": "s", "outcome": "o", "person": range(120), "group": group, "human": PEOPLE, "agent": AGENT}
    )


def _numbers(result: AnswersResult) -> dict[str, float | None]:
    return {name: one.estimate.value for name, one in result.agents[0].outcomes[0].numbers.items()}


def test_counts_and_answers_one_below_the_other_give_what_answers_side_by_side_give() -> None:
    side = _numbers(concord.score_answers(_long().drop("person", "group")))
    rows = [
        {"study": "s", "outcome": "o", "source": who, "answer": int(value)}
        for who, values in (("human", PEOPLE), ("gpt", AGENT))
        for value in values
    ]
    assert _numbers(concord.score_answers(rows)) == side
    counts = [
        {
            "study": "s",
            "outcome": "o",
            "option": k,
            "human_count": int(np.sum(k == PEOPLE)),
            "agent_count": int(np.sum(k == AGENT)),
        }
        for k in range(1, 6)
    ]
    assert _numbers(concord.score_answers(counts)) == pytest.approx(side)


def test_a_wide_table_gives_what_a_long_one_gives(tmp_path: Path) -> None:
    wide = pl.DataFrame({"person": range(120), "human_o": PEOPLE, "agent_o": AGENT})
    wide.write_csv(tmp_path / "wide.csv")
    long = concord.score_answers(_long().drop("group"))
    assert _numbers(concord.score_answers(tmp_path / "wide.csv")) == _numbers(long)


def test_a_workbook_gives_what_a_csv_file_gives(tmp_path: Path) -> None:
    _long().write_excel(tmp_path / "long.xlsx")
    _long().write_csv(tmp_path / "long.csv")
    one, two = (concord.score_answers(tmp_path / name) for name in ("long.xlsx", "long.csv"))
    assert one.agents == two.agents


def test_numbers_are_those_by_hand() -> None:
    found = _numbers(concord.score_answers(_long()))
    assert found["variance_ratio"] == pytest.approx(AGENT.var(ddof=1) / PEOPLE.var(ddof=1))
    shares = [np.bincount(side, minlength=6)[1:] / 120 for side in (PEOPLE, AGENT)]
    assert found["tvd"] == pytest.approx(np.abs(shares[0] - shares[1]).sum() / 2)
    assert found["overlap"] == pytest.approx(1 - np.abs(shares[0] - shares[1]).sum() / 2)
    assert found["person_r"] == pytest.approx(np.corrcoef(PEOPLE, AGENT)[0, 1])
    uniform = np.abs(shares[0] - 0.2).sum() / 2
    assert found["simbench"] == pytest.approx(100 * (1 - found["tvd"] / uniform))


def test_moments_give_the_ratio_and_the_given_correlation() -> None:
    row = {"outcome": "o", "n": 120, "human_mean": 3, "human_sd": 2, "agent_mean": 4, "agent_sd": 1, "r": 0.3}
    found = concord.score_answers([row]).agents[0].outcomes[0]
    assert found.kind == "moments"
    values = {name: one.estimate.value for name, one in found.numbers.items()}
    assert values == pytest.approx({"variance_ratio": 0.25, "mean_gap": 0.5, "person_r": 0.3})
    note = found.numbers["variance_ratio"].estimate.note
    assert "normal distribution is supposed" in note


def test_choices_without_an_order_have_no_mean() -> None:
    rows = [{"outcome": "o", "human": "abcc"[i % 4], "agent": "ab"[i % 2]} for i in range(60)]
    found = _numbers(concord.score_answers(rows))
    assert set(found) == {"entropy_ratio", "tvd", "overlap", "jsd", "simbench"}
    assert found["entropy_ratio"] == pytest.approx(1 / 1.5)


def test_many_agents_meet_the_same_people() -> None:
    rows = [
        {"study": f"s{i % 4}", "outcome": f"o{i % 8}", "model": name, "human": h, "agent_answer": a}
        for name, shift in (("one", 0), ("two", 1))
        for i, (h, a) in enumerate(zip(PEOPLE, np.clip(AGENT + shift, 1, 5), strict=True))
    ]
    found = concord.score_answers(rows)
    assert [one.agent for one in found.agents] == ["one", "two"]
    assert {row.metric for row in found.differences} == {"variance_ratio", "tvd", "w1"}
    assert all(row.difference.interval is not None for row in found.differences)


def test_a_group_of_few_is_named_and_not_scored() -> None:
    frame = _long().with_columns(
        pl.when(pl.int_range(120) < 10).then(pl.lit("c")).otherwise("group").alias("group")
    )
    found = concord.score_answers(frame).agents[0].groups
    assert found is not None
    assert [one.group for one in found.groups] == ["a", "b"]
    assert found.too_small == ("c (10)",)


def test_an_agent_that_exaggerates_groups_has_a_slope_above_1() -> None:
    rng = np.random.default_rng(8)
    rows = []
    for study in range(6):
        group = rng.integers(0, 2, 300)
        human = group * 0.5 + rng.normal(size=300)
        agent = group * 1.5 + rng.normal(size=300)
        rows += [
            {"study": f"s{study}", "outcome": "o", "group": "xy"[g], "human": h, "agent": a}
            for g, h, a in zip(group, human, agent, strict=True)
        ]
    found = concord.score_answers(rows, n_resamples=40).agents[0].groups
    assert found is not None and found.slope.interval is not None
    assert found.slope.interval.low > 1.5


def test_groups_that_explain_everything_explain_the_correlation() -> None:
    rng = np.random.default_rng(9)
    group = rng.integers(0, 3, 900)
    rows = [
        {"outcome": "o", "person": i, "group": str(g), "human": g + rng.normal(), "agent": g + rng.normal()}
        for i, g in enumerate(group)
    ]
    found = concord.score_answers(rows, n_resamples=40).agents[0].outcomes[0].numbers["r_explained"].estimate
    assert found.value == pytest.approx(1, abs=0.15)
    assert found.interval is not None and found.interval.low < 1 < found.interval.high


def test_values_without_a_scale_have_no_random_reference_and_with_conditions_the_marginal() -> None:
    rng = np.random.default_rng(2)
    rows: list[dict[str, Any]] = [
        {"outcome": "o", "human": float(np.exp(rng.normal())), "agent": float(np.exp(rng.normal()))}
        for _ in range(200)
    ]
    place = concord.score_answers(rows).agents[0].outcomes[0].numbers["tvd"].place
    assert place is not None and "scale_min" in place.note
    split = [
        row | {"condition": "ab"[i % 2], "human": float(row["human"]) + 3 * (i % 2)}
        for i, row in enumerate(rows)
    ]
    place = concord.score_answers(split).agents[0].outcomes[0].numbers["tvd"].place
    assert place is not None and place.value is not None


def test_a_word_among_numbers_is_named_by_row_and_column(tmp_path: Path) -> None:
    frame = _long().with_columns(pl.col("agent").cast(pl.String))
    frame[7, "agent"] = "seven"
    frame.write_csv(tmp_path / "answers.csv")
    with pytest.raises(TableError, match=r"answers.csv, row 9, column 'agent': got 'seven'"):
        concord.score_answers(tmp_path / "answers.csv", strict=True)
    result = concord.score_answers(tmp_path / "answers.csv", n_resamples=40)
    (cell,) = result.left_out
    assert (cell.row, cell.column, cell.value) == (9, "agent", "seven")
    assert "left out: column 'agent' cannot be read × 1 (left_out.csv)" in result.warnings[0]
    result.write(tmp_path / "out")
    assert "answers.csv,,9,agent,seven" in (tmp_path / "out" / "left_out.csv").read_text("utf-8")


def test_a_person_who_answered_twice_is_named() -> None:
    twice = pl.concat([_long(), _long()[:1]])
    with pytest.raises(FileFormatError, match="person '0' answered 'o' of 's' more than once"):
        read_answer_table(twice)


def test_columns_of_no_known_layout_are_refused_with_what_is_expected() -> None:
    with pytest.raises(FileFormatError, match="expected answers"):
        read_answer_table([{"a": 1, "b": 2}])


@pytest.mark.parametrize(("column", "value"), [("n", 1), ("human_sd", -1.0), ("r", 1.5), ("n", "many")])
def test_a_moment_that_cannot_be_is_named(column: str, value: object) -> None:
    row = {"outcome": "o", "n": 12, "human_mean": 3, "human_sd": 2, "agent_mean": 4, "agent_sd": 1, "r": 0.3}
    with pytest.raises(TableError, match=f"column '{column}'"):
        read_answer_table([row | {column: value}])


def test_a_missing_moment_is_counted() -> None:
    row = {"outcome": "o", "n": 12, "human_mean": 3, "human_sd": 2, "agent_mean": 4, "agent_sd": 1}
    found = read_answer_table([row, row | {"outcome": "p", "agent_sd": None}])
    assert found.warnings == ("list: 1 rows lack a moment and are left out",)
    assert isinstance(found.sets["agent"][0], Moments)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.integers(5, 40), st.integers(5, 40), st.integers(0, 3))
def test_what_is_written_is_read_back_whole(tmp_path: Path, n: int, m: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rows = [
        {"outcome": o, "group": "ab"[i % 2], "source": who, "answer": float(rng.integers(1, 4))}
        for o in ("x", "y")
        for who, size in (("human", n), ("agent 1", m), ("agent 2", m))
        for i in range(size)
    ]
    result = concord.score_answers(rows, n_resamples=20)
    result.write(tmp_path)
    assert AnswersResult.read(tmp_path) == result


def test_the_report_fits_eighty_columns_and_says_the_answer_first() -> None:
    result = concord.score_answers(_long())
    text = drawn(fitting(report_of(result)), width=80)
    assert max(map(len, text.splitlines())) <= 80
    assert text.startswith("The model's answers vary too little: they have 0.")
    assert "another sample of people" in text


def test_two_results_are_compared_outcome_by_outcome(tmp_path: Path) -> None:
    for name, shift in (("near", 0), ("far", 2)):
        rows = [
            {"study": f"s{i % 4}", "outcome": f"o{i % 8}", "human": h, "agent": min(5, a + shift)}
            for i, (h, a) in enumerate(zip(PEOPLE, AGENT, strict=True))
        ]
        concord.score_answers(rows, n_resamples=40).write(tmp_path / name)
    found = concord.compare(tmp_path / "near", tmp_path / "far")
    assert isinstance(found, MetricCompareResult)
    assert found.standing.order == ("near", "far")
    assert found.metric == "tvd"


def _answers(humans: list[object], agents: list[object], **more: object) -> list[dict[str, object]]:
    sides = (("human", humans), ("gpt", agents))
    return [{"outcome": "q", "source": who, "answer": one, **more} for who, each in sides for one in each]


def test_codes_of_missing_answers_are_left_out_and_told() -> None:
    people, agent = [1, 2, 3, 4, 5, 4, 3, 2] * 5, [3, 4, 4, 3] * 10
    plain = concord.score_answers(_answers([*people], [*agent]))
    coded = concord.score_answers(_answers([*people, -99, -99], [*agent, 99]))
    assert _numbers(coded) == _numbers(plain)
    assert "2 answers of human to 'q' are -99, 99, codes for no answer: left out" in coded.warnings[0]
    slider = concord.score_answers(_answers([0, 50, 99, 100] * 10, [40, 60] * 20))
    assert not slider.warnings


def test_words_for_no_answer_are_left_out_of_numbers_and_told() -> None:
    people, agent = [1, 2, 3, 4, 5, 4, 3, 2] * 5, [3, 4, 4, 3] * 10
    refused = concord.score_answers(_answers([*people, "Prefer not to say"], [*agent]))
    assert _numbers(refused) == _numbers(concord.score_answers(_answers([*people], [*agent])))
    assert any("1 answers of human to 'q' say that there is none: left out" in w for w in refused.warnings)


def test_words_of_a_scale_are_its_numbers() -> None:
    words = ["Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"]
    people, agent = [0, 1, 2, 3, 4, 3, 2, 1] * 5, [2, 3, 3, 2] * 10
    worded = concord.score_answers(_answers([words[i] for i in people], [words[i] for i in agent]))
    scale = {"scale_min": 1, "scale_max": 5}
    numbers = concord.score_answers(_answers([i + 1 for i in people], [i + 1 for i in agent], **scale))
    assert _numbers(worded) == _numbers(numbers)
    assert any("'Strongly disagree' as 1, 'Disagree' as 2" in warning for warning in worded.warnings)


def test_a_column_per_question_with_the_lines_of_a_survey_program_is_read(tmp_path: Path) -> None:
    path = tmp_path / "export.csv"
    path.write_text(
        "ResponseId,source,Q1,Q2\nResponse ID,source,How warm?,Trust?\n"
        '"{""ImportId"":""_recordId""}","{""ImportId"":""s""}","{""ImportId"":""QID1""}","{""ImportId"":""QID2""}"\n'
        "R_1,human,5,1\nR_2,human,6,2\nR_3,human,4,3\nR_4,gpt-4o,5,2\nR_5,gpt-4o,5,4\nR_6,gpt-4o,6,5\n",
        "utf-8",
    )
    found = read_answer_table(path)
    sets = {one.key.outcome: one for one in found.sets["gpt-4o"]}
    human, agent = sets["Q2"].human, sets["Q2"].agent  # type: ignore[union-attr]
    assert sorted(human[~np.isnan(human)].tolist()) == [1, 2, 3]
    assert sorted(agent[~np.isnan(agent)].tolist()) == [2, 4, 5]
    assert set(sets) == {"Q1", "Q2"}
    said = "\n".join(found.warnings)
    assert "rows 2 and 3 hold question texts and import ids of Qualtrics, left out" in said
    assert "not used: 'ResponseId'" in said
    path.write_text(path.read_text("utf-8").replace("R_1,human,5", "R_1,human,warm"), "utf-8")
    text = path.read_text("utf-8") + "".join(f"R_{i},human,4,2\n" for i in range(9, 19))
    path.write_text(text, "utf-8")
    with pytest.raises(TableError, match="row 4, column .*: got 'warm'"):
        read_answer_table(path, options=TableOptions(strict=True))
    assert [(cell.row, cell.value) for cell in read_answer_table(path).left_out] == [(4, "warm")]


def _survey(n: int = 60) -> pl.DataFrame:
    """Return a survey with one column per question beside ids, weights and demographics."""
    rng = np.random.default_rng(4)
    columns = {
        "resp_id": range(1001, 1001 + n),
        "source": ["human", "gpt"] * (n // 2),
        "weight": rng.uniform(0.3, 2.5, n).round(2),
        "party": rng.choice(["left", "right", "none"], n),
        "age": rng.integers(18, 90, n),
        **{f"q{i}": rng.integers(1, 6, n) for i in range(1, 5)},
        "q_note": ["text"] * n,
    }
    return pl.DataFrame({name: list(column) for name, column in columns.items()})


def test_ids_weights_and_demographics_are_no_questions() -> None:
    found = read_answer_table(_survey(), questions="q1..q3")
    (sets,) = found.sets.values()
    assert [one.key.outcome for one in sets] == ["q1", "q2", "q3"]
    assert found.groups == ("left", "none", "right")
    said = "\n".join(found.warnings)
    assert "3 questions: 'q1', 'q2', 'q3'; person 'resp_id'; weight 'weight'; group 'party'" in said
    assert "columns not used: 'age', 'q4', 'q_note'" in said
    guessed = read_answer_table(_survey().drop("q_note"))
    assert [one.key.outcome for one in next(iter(guessed.sets.values()))] == ["q1", "q2", "q3", "q4"]
    assert "columns not used: 'age'" in "\n".join(guessed.warnings)
    hidden = read_answer_table(_survey().drop("q_note").rename({"resp_id": "nummer"}))
    assert "person 'nummer'" in "\n".join(hidden.warnings)
    with pytest.raises(FileFormatError, match="no column 'q9'"):
        read_answer_table(_survey(), questions="q1..q9")


def test_weights_are_in_every_number() -> None:
    frame = _survey()
    result = concord.score_answers(frame, questions="q1", n_resamples=60)
    outcome = result.agents[0].outcomes[0]
    people, agent = (frame.filter(pl.col("source") == who) for who in ("human", "gpt"))
    h, w = people["q1"].to_numpy().astype(float), people["weight"].to_numpy()
    a, v = agent["q1"].to_numpy().astype(float), agent["weight"].to_numpy()

    def variance(x: np.ndarray, weights: np.ndarray) -> float:
        mean = np.average(x, weights=weights)
        share = weights / weights.sum()
        return float(share @ (x - mean) ** 2 / (1 - (share**2).sum()))

    shares = [
        np.array([weights[x == k].sum() for k in range(1, 6)]) / weights.sum()
        for x, weights in ((h, w), (a, v))
    ]
    value = {name: number.estimate.value for name, number in outcome.numbers.items()}
    assert value["variance_ratio"] == pytest.approx(variance(a, v) / variance(h, w))
    assert value["tvd"] == pytest.approx(np.abs(shares[0] - shares[1]).sum() / 2)
    assert value["w1"] == pytest.approx(np.abs(np.cumsum(shares[0] - shares[1])[:-1]).sum() / 4)
    gap = (np.average(a, weights=v) - np.average(h, weights=w)) / np.sqrt(variance(h, w))
    assert value["mean_gap"] == pytest.approx(gap)
    assert outcome.means[0] == pytest.approx(np.average(h, weights=w))
    assert outcome.kish_n == pytest.approx(w.sum() ** 2 / (w**2).sum())
    equal = frame.with_columns(weight=pl.lit(3.0))
    with_equal, without = (
        concord.score_answers(one, questions="q1,q2", n_resamples=60) for one in (equal, frame.drop("weight"))
    )
    for one, two in zip(with_equal.agents[0].outcomes, without.agents[0].outcomes, strict=True):
        for name, number in two.numbers.items():
            assert one.numbers[name].estimate.value == pytest.approx(number.estimate.value)
    bad = frame.with_columns(weight=pl.lit(-1.0))
    with pytest.raises(TableError, match="a weight, 0 or more"):
        concord.score_answers(bad)


def test_a_summary_is_not_placed_where_random_answers_are_as_near_as_people() -> None:
    people, agent = [1, 2, 3, 4, 5] * 12, [3, 4, 4, 4] * 15
    (summary,) = (one.overall for one in concord.score_answers(_answers([*people], [*agent])).agents)
    for name in ("tvd", "overlap"):
        number = summary.numbers[name]
        assert number.place is not None
        assert number.place.value is None


def test_the_ends_of_a_place_are_in_order_for_overlap_too() -> None:
    counts = [("yes", 34, 80), ("no", 50, 15), ("dont know", 16, 5)]
    rows = [{"outcome": "q", "option": o, "human_count": h, "agent_count": a} for o, h, a in counts]
    (summary,) = (one.overall for one in concord.score_answers(rows).agents)
    for name in ("tvd", "overlap"):
        place = summary.numbers[name].place
        assert place is not None and place.interval is not None
        assert place.interval.low < place.interval.high


def test_a_correlation_that_few_persons_decide_is_noted() -> None:
    rng = np.random.default_rng(1)
    for rare, noted in ((4, True), (40, False)):
        yes = np.arange(100) < rare
        rows = [
            {"outcome": "o", "person": i, "human": int(a), "agent": int(a if rng.random() < 0.8 else not a)}
            for i, a in enumerate(yes)
        ]
        found = concord.score_answers(rows).agents[0].outcomes[0].numbers["person_r"].estimate
        assert found.interval is not None
        assert ("fewer than 10 persons" in found.note) == noted


def test_intervals_that_may_cover_less_are_told_on_the_terminal() -> None:
    rng = np.random.default_rng(1)
    sides = (("human", rng.lognormal(0, 1, 30)), ("gpt", rng.normal(1, 0.5, 30)))
    rows = [{"outcome": "price", "source": who, "answer": float(x)} for who, each in sides for x in each]
    found = concord.score_answers(rows)
    told = " ".join(drawn(fitting(report_of(found)), width=80).split())
    assert "variance ratio, mean gap (SD), W1: fewer than 50 answers on a scale without ends" in told
    more = [{**row, "outcome": "warmth", "answer": 1 + i % 5} for i, row in enumerate(rows)]
    found = concord.score_answers([*rows, *more])
    told = " ".join(drawn(fitting(report_of(found)), width=80).split())
    assert "W1 (1 of 2 outcomes): fewer than 50 answers" in told


@pytest.mark.parametrize("paired", [True, False])
def test_the_error_of_a_mean_gap_is_that_of_leaving_persons_out(paired: bool) -> None:
    """Skewed answers move the mean and the SD it is divided by: the delta method against the jackknife."""
    rng = np.random.default_rng(8)
    people = rng.lognormal(0, 0.6, 300)
    agent = 2.5 + 0.8 * people + rng.normal(0, 0.4, 300)
    one = AnswerSet(OutcomeKey("s", "o", "c"), people, agent, has_pairs=paired)
    found = _mean_gap(one, 0.95, "")

    def gap(h: np.ndarray, a: np.ndarray) -> float:
        return float((a.mean() - h.mean()) / h.std(ddof=1))

    each = np.arange(300)
    if paired:
        without = np.array([gap(np.delete(people, i), np.delete(agent, i)) for i in each])
        variance = 299 / 300 * np.sum((without - without.mean()) ** 2)
    else:
        h = np.array([gap(np.delete(people, i), agent) for i in each])
        a = np.array([gap(people, np.delete(agent, i)) for i in each])
        variance = 299 / 300 * (np.sum((h - h.mean()) ** 2) + np.sum((a - a.mean()) ** 2))
    assert found.value == pytest.approx(gap(people, agent))
    assert found.interval is not None
    half = (found.interval.high - found.interval.low) / 2
    # t of the degrees of freedom that such tails leave: more than 1.96, less than t of 10
    assert 1.96 * np.sqrt(variance) < 1.03 * half < 2.3 * np.sqrt(variance)


@pytest.mark.parametrize(
    "words",
    [
        ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"],
        ["Very unlikely", "Somewhat unlikely", "Undecided", "Somewhat likely", "Very likely"],
        [
            "extremely dissatisfied", "mostly dissatisfied", "slightly dissatisfied",
            "neither satisfied nor dissatisfied", "slightly satisfied", "mostly satisfied",
            "extremely satisfied",
        ],
    ],
)  # fmt: skip
def test_the_words_of_a_whole_scale_are_numbered_from_1(words: list[str]) -> None:
    assert scale_of_words(words) == {word: float(i) for i, word in enumerate(words, 1)}
    assert scale_of_words(words[::-1]) == scale_of_words(words)


@pytest.mark.parametrize(
    "words", [["Agree"], ["Agree", "Neutral"], ["Agree", "Likely"], ["Agree", "perhaps"]]
)
def test_words_of_no_one_scale_are_no_numbers(words: list[str]) -> None:
    assert scale_of_words(words) is None


def of_two_models(n: int, shares: tuple[list[float], list[float]]) -> AnswersResult:
    """One survey: a question, people, and two models."""
    rng = np.random.default_rng(4)
    people = rng.choice(5, n, p=[0.1, 0.2, 0.3, 0.25, 0.15])
    return concord.score_answers(
        [
            {"study": "s", "outcome": "trust", "model": name, "human": int(h), "agent_answer": int(a)}
            for name, p in zip(("one", "two"), shares, strict=True)
            for h, a in zip(people, rng.choice(5, n, p=p), strict=True)
        ]
    )


NEAR, FAR = [0.12, 0.2, 0.28, 0.25, 0.15], [0.02, 0.05, 0.13, 0.3, 0.5]


def test_pairs_of_agents_on_one_survey_are_tested_over_persons() -> None:
    found = of_two_models(150, (NEAR, FAR))
    told = [*found.sentences(), *found.notes()]
    assert "one comes closest to people" in told[0] and "the difference is significant" in told[0]
    assert any("says nothing about other studies" in one for one in told)
    (distance,) = (row for row in found.differences if row.metric == "tvd")
    ends = distance.difference.interval
    assert ends is not None and ends.high < 0 and ends.method == "bootstrap over persons"
    assert "for other people and other replies on these outcomes" in found.paragraph("Concord")
    assert of_two_models(150, (NEAR, FAR)).differences == found.differences, "the same seed, the same bytes"
    assert any("1 pair of models was not compared" in one and "1 study" in one for one in told)


def test_two_agents_alike_on_one_survey_may_be_as_close() -> None:
    assert "the other may be as close" in of_two_models(150, (NEAR, NEAR)).sentences()[0]


def test_a_few_answers_on_one_survey_are_not_tested_and_said_to_be_so() -> None:
    found = of_two_models(20, (NEAR, FAR))
    told = [*found.sentences(), *found.notes()]
    assert "whether it differs from the other was not tested" in told[0]
    assert any("over persons it needs 30 answers per side" in one for one in told)
