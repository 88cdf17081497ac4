"""Judges who give scores: with themselves, with people, by length and system, corrected by labels."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import special
from typer.testing import CliRunner

import concord
from concord.cli.app import app
from concord.errors import InputError
from concord.planning.pilots import LabelPlan
from concord.structure.judging.rated import Scores, rate_judges
from concord.structure.judging.rated_result import RatedResult


def rows_of(
    seed: int = 1, *, items: int = 60, label: float = 0.5, noise: float = 0.5
) -> list[dict[str, Any]]:
    """Draw scores of a judge that favours its own family and long answers."""
    rng = np.random.default_rng(seed)
    made = []
    for i in range(items):
        for k, system in enumerate(("gpt-4o", "claude-3", "llama-3")):
            quality, log2, labelled = 5 + rng.normal(), rng.normal(8, 0.8), rng.random() < label
            for repeat in range(3):
                score = quality + 0.3 + 0.4 * (log2 - 8) + 0.5 * (k == 0) + noise * rng.normal()
                made.append(
                    {"item": i, "system": system, "judge": "gpt-4", "repeat": repeat, "score": score}
                    | {"length": 2**log2, "human": quality if labelled else None}
                )
    return made


def test_a_scripted_judge_is_seen_for_what_it_is() -> None:
    result = concord.score_judge(rows_of())
    assert isinstance(result, RatedResult)
    one = result.judges[0]
    for name, truth in (("repeat_sd", 0.5), ("length", 0.4), ("own_family", 0.5), ("bias", 0.3 + 0.5 / 3)):
        ends = getattr(one, name).interval
        assert ends.low <= truth <= ends.high, name
    share = 0.25 / (0.25 + 1 + 0.16 * 0.64 + 0.25 * 2 / 9)
    assert one.noise.interval is not None
    assert one.noise.interval.low <= share <= one.noise.interval.high
    assert "an answer twice as long gets" in one.sentence


def test_noise_is_one_minus_the_intraclass_correlation() -> None:
    # Shrout & Fleiss (1979), table 2: ICC(1,1) = .17
    ratings = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]
    rows = [
        {"item": i, "system": "s", "judge": "j", "repeat": k, "score": score}
        for i, line in enumerate(ratings)
        for k, score in enumerate(line)
    ]
    noise = concord.score_judge(rows).judges[0].noise.value
    assert noise == pytest.approx(1 - 0.1657, abs=5e-5)


def test_agreement_of_levels_is_kappa_with_quadratic_weights() -> None:
    rng = np.random.default_rng(3)
    human = rng.integers(1, 6, 80)
    judge = np.clip(human + rng.integers(-1, 2, 80), 1, 5)
    counts = np.zeros((5, 5))
    np.add.at(counts, (judge - 1, human - 1), 1)
    weights = (np.arange(5)[:, None] - np.arange(5)) ** 2
    expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / 80
    kappa = 1 - (weights * counts).sum() / (weights * expected).sum()
    rows = [
        {"item": i, "score": int(s), "human": int(h)}
        for i, (s, h) in enumerate(zip(judge, human, strict=True))
    ]
    found = concord.score_judge(rows, judge="j").judges[0].agreement
    assert found.value == pytest.approx(kappa)


def test_a_pass_rate_is_corrected_by_labels() -> None:
    rng = np.random.default_rng(5)
    truth = rng.random(1500) < 0.6
    judged = np.where(rng.random(1500) < 0.85, truth, ~truth)
    rows = [
        {"item": i, "system": "a", "judge": "j", "score": "pass" if judged[i] else "fail"}
        | ({"human": "pass" if truth[i] else "fail"} if i < 200 else {})
        for i in range(1500)
    ]
    group = concord.score_judge(rows).groups[0]
    assert group.corrected.interval is not None
    assert group.corrected.interval.low <= truth.mean() <= group.corrected.interval.high
    assert group.n_labels == 200
    known, further = judged[:200].astype(float), judged[200:].astype(float)
    y = truth[:200].astype(float)
    weight = np.cov(y, known, ddof=0)[0, 1] / np.concatenate([known, further]).var(ddof=1) / (1 + 200 / 1300)
    assert group.corrected.value == pytest.approx(
        y.mean() + weight * (further.mean() - known.mean()), abs=1e-3
    )


@pytest.mark.parametrize(("labels", "right"), [(50, 0.9), (200, 0.85), (400, 0.6)])
def test_a_corrected_pass_rate_is_that_of_ppi_py(labels: int, right: float) -> None:
    ppi = pytest.importorskip("ppi_py", reason="the extra `oracles` is not installed")
    rng = np.random.default_rng(labels)
    truth = rng.random(1500) < 0.6
    judged = np.where(rng.random(1500) < right, truth, ~truth)
    rows = [
        {"item": i, "system": "a", "judge": "j", "score": int(judged[i])}
        | ({"human": int(truth[i])} if i < labels else {})
        for i in range(1500)
    ]
    found = concord.score_judge(rows).groups[0].corrected
    y, f, more = (np.asarray(x, dtype=float) for x in (truth[:labels], judged[:labels], judged[labels:]))
    low, high = (float(end[0]) for end in ppi.ppi_mean_ci(y, f, more, alpha=0.05))
    assert found.value == pytest.approx(float(np.squeeze(ppi.ppi_mean_pointestimate(y, f, more))), abs=1e-9)
    assert found.interval is not None
    # Student's t and n - 1 in place of the normal distribution and n
    wider = (found.interval.high - found.interval.low) / (high - low)
    t = float(special.stdtrit(labels - 1, 0.975)) / 1.959964
    assert wider == pytest.approx(t, rel=0.02)


def test_what_cannot_be_known_has_a_reason(tmp_path: Path) -> None:
    result = concord.score_judge([{"item": i, "score": i % 3} for i in range(30)], judge="j")
    one = result.judges[0]
    assert one.noise.note == "no answer was scored twice"
    assert one.bias.note == one.agreement.note == "people scored none of these answers"
    assert one.length.note == "no length of the answers is given"
    assert result.pairs == ()
    result.write(tmp_path)
    assert RatedResult.read(tmp_path) == result
    with pytest.raises(InputError):
        concord.score_judge([{"item": 1, "score": "lovely"}, {"item": 2, "score": "bad"}], judge="j")


def test_a_table_of_pairs_is_still_one_of_pairs() -> None:
    rows = [{"pair": str(i), "order": o, "verdict": "first"} for i in range(12) for o in ("ab", "ba")]
    assert type(concord.score_judge(rows, judge="j")).__name__ == "JudgeResult"


@pytest.mark.parametrize("labels", [100])
def test_intervals_hold_and_false_claims_are_rare(labels: int) -> None:
    rng = np.random.default_rng(labels)
    held, false = 0, 0
    for _ in range(60):
        quality = rng.normal(size=600)
        human = np.where(np.arange(600) % 300 < labels // 2, quality, np.nan)
        item = np.array([f"i{k % 300}" for k in range(600)], dtype=object)
        empty = np.full(600, "", dtype=object)
        rows = Scores(
            0.7 * quality + 0.3 + 0.5 * rng.normal(size=600), item,
            np.repeat(np.array(["a", "b"], dtype=object), 300), human, np.full(600, np.nan), empty, empty,
            np.full(600, np.nan), item, empty, empty,
        )  # fmt: skip
        _, groups, pairs, _ = rate_judges({"j": (rows, 0)}, margin=0.1, level=0.95)
        ends = groups[0].corrected.interval
        held += ends is not None and ends.low <= 0 <= ends.high
        false += pairs[0].p_holm is not None and pairs[0].p_holm < 0.05
    assert held >= 52
    assert false <= 8


def test_labels_are_planned_from_a_pilot(tmp_path: Path) -> None:
    result = concord.score_judge(rows_of())
    plan = concord.plan(result, width=0.4)
    assert isinstance(plan, LabelPlan)
    assert {row[1] for row in plan.needed} == {"gpt-4o", "claude-3", "llama-3"}
    assert all(row[3] is None or 20 <= row[3] <= row[2] for row in plan.needed)
    result.write(tmp_path)
    again = concord.plan(tmp_path, width=0.4)
    assert isinstance(again, LabelPlan)
    assert again.needed == plan.needed


@pytest.mark.parametrize(
    "word", ["C", "i", "P", "n", "pass", "Fail", "yes", "no", "correct", "incorrect", "true", "FALSE"]
)
def test_a_word_for_a_grade_is_the_same_score_of_judges_and_in_compare(word: str) -> None:
    from concord.comparing.records import grade as compared
    from concord.structure.judging.rated import COLUMNS

    (score,) = (column for column in COLUMNS if column.name == "score")
    assert score.parse(word) == compared(word)


def test_the_wished_margin_and_decimal_commas_are_options_of_the_command(tmp_path: Path) -> None:
    lines = [f"q{i};a;j;{1 + i % 3},5" for i in range(12)]
    (tmp_path / "s.csv").write_text("\n".join(["item;system;judge;score", *lines]) + "\n", "utf-8")
    words = ["score", "judge", str(tmp_path / "s.csv"), "--decimal-comma", "--margin", "0.3", "--json"]
    done = CliRunner().invoke(app, [*words, "--out", str(tmp_path / "out")])
    assert done.exit_code == 0, done.stderr
    held = json.loads(done.stdout)
    assert held["margin"] == 0.3
    assert held["judges"][0]["mean"]["value"] == pytest.approx(2.5)
