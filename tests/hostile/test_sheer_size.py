"""Tables of very many studies, agents, judges or outcomes end soon: in a result or in a message."""

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import concord
from concord import api
from concord.cli.app import app
from concord.comparing.scores import read_scores
from concord.errors import FileFormatError, TableError, UndefinedError
from concord.files import limits
from concord.files.codec import encode
from concord.files.declared import _element_lines
from concord.files.grids import from_records
from concord.files.tables import read_grid
from concord.people.agents import AgentsResult
from concord.people.answers.records import AnswerSets, OutcomeKey
from concord.people.answers.score import score_answer_table
from concord.people.predictions.table import read_predictions
from concord.people.results import agent_pairs
from concord.people.studies.scoring import _choices, _numbers_counted
from concord.people.table.read import read_tests
from concord.stats.predicted_effects import predicted_effects
from concord.stats.study_intervals import apr_interval, pas_interval
from concord.stats.votes import _divisions, seat_test

ROW = {"finding": "F", "test_type": "t-paired", "human_n": 40, "agent_n": 40}


def _tests(studies: int) -> list[dict[str, object]]:
    numbers = np.random.default_rng(1).normal(2, 1, (studies, 2))
    return [
        {**ROW, "study": f"S{i}", "test": "t", "human_statistic": float(h), "agent_statistic": float(a)}
        for i, (h, a) in enumerate(numbers)
    ]


@pytest.mark.parametrize(
    ("most", "read", "message"),
    [
        ("STUDIES", lambda n: read_tests(_tests(n)), "4 studies, more than the 3 that are scored at once"),
        (
            "AGENTS",
            lambda n: concord.score_people(
                [{**row, "agent": f"a{i}"} for i in range(n) for row in _tests(2)],
                n_resamples=0,
                n_simulations=0,
            ),
            "4 agents, more than the 3",
        ),
        (
            "EFFECTS",
            lambda n: read_predictions(
                [
                    {"study": f"S{i}", "human_estimate": 0.1 * i, "human_se": 0.1, "agent_estimate": 0.2}
                    for i in range(n)
                ]
            ),
            "4 effects, more than the 3",
        ),
    ],
)
def test_more_than_can_be_scored_is_refused_with_what_to_do(
    monkeypatch: pytest.MonkeyPatch, most: str, read: object, message: str
) -> None:
    for module in ("table.read", "table.agents", "predictions.table"):
        monkeypatch.setattr(f"concord.people.{module}.{most}", 3, raising=False)
    assert callable(read)
    read(3)
    with pytest.raises(FileFormatError, match=f"{message}.*several files"):
        read(4)


def test_judges_and_pairs_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [
        {"judge": f"j{i}", "pair": f"p{i}", "model_a": "x", "model_b": "y", "order": "ab", "verdict": "A"}
        for i in range(4)
    ]
    monkeypatch.setattr("concord.structure.judging.read.JUDGES", 3)
    with pytest.raises(FileFormatError, match="4 judges, more than the 3"):
        concord.score_judge(rows)
    monkeypatch.setattr("concord.structure.judging.read.JUDGES", 4)
    monkeypatch.setattr("concord.structure.judging.read.JUDGED_PAIRS", 3)
    with pytest.raises(FileFormatError, match="4 pairs, more than the 3.*random part"):
        concord.score_judge(rows)


def test_outcomes_of_answers_have_a_limit() -> None:
    nothing: tuple[object, ...] = (None,) * (limits.OUTCOMES + 1)
    with pytest.raises(FileFormatError, match="5,001 outcomes, more than the 5,000"):
        score_answer_table(AnswerSets({"a": nothing}))  # type: ignore[dict-item]


def test_outcomes_are_counted_before_they_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("concord.files.limits.OUTCOMES", 3)
    rows = [{"outcome": f"o{k}", "human": "odd" if k else 1, "agent": 2} for k in range(4)]
    with pytest.raises(FileFormatError, match="4 outcomes, more than the 3"):
        concord.score_answers(rows)


@pytest.mark.parametrize(
    "rows",
    [
        [{"outcome": "o", "option": "1", "human_count": 10**12, "agent_count": 3}],
        [{"outcome": "o", "option": "1", "human_count": 1, "agent_count": 1e50}],
        [{"outcome": "o", "source": "human", "answer": 1}] * 1500
        + [{"outcome": "o", "source": f"m{i}", "answer": 2} for i in range(1500)],
    ],
)
def test_answers_are_counted_before_they_are_laid_out(rows: list[dict[str, object]]) -> None:
    with pytest.raises(FileFormatError, match="answers, more than the 2,000,000 .*random part"):
        concord.score_answers(rows)


def test_answers_of_too_many_different_words_are_refused() -> None:
    rows = [{"outcome": "o", "human": f"word {i}", "agent": f"word {i + 1}"} for i in range(1001)]
    with pytest.raises(FileFormatError, match="1,002 different answers to 'o', more than the 1,000"):
        concord.score_answers(rows)
    assert concord.score_answers(rows[:50], n_resamples=10).agents


def test_outcomes_of_very_many_options_are_refused_before_they_are_drawn() -> None:
    rows = [
        {"outcome": f"o{i}", "option": f"w{k}", "human_count": 1, "agent_count": 1}
        for i in range(61)
        for k in range(1000)
    ]
    with pytest.raises(
        FileFormatError, match="24,400,000 options by resamples, more than .* fewer resamples"
    ):
        concord.score_answers(rows)


def test_very_many_agents_of_answers_are_not_compared_in_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [{"outcome": "o", "source": "human", "answer": i % 5} for i in range(9)]
    rows += [{"outcome": "o", "source": f"m{k}", "answer": (i + k) % 5} for k in range(4) for i in range(6)]
    compared = concord.score_answers(rows, n_resamples=10)
    monkeypatch.setattr("concord.people.answers.score.COMPARED_IN_PAIRS", 3)
    found = concord.score_answers(rows, n_resamples=10)
    assert compared.differences and not found.differences
    assert found.agents == compared.agents
    assert any("4 models are not compared" in text for text in found.warnings)


@pytest.mark.parametrize(
    ("counts", "said"), [([10**12, 3], "more than the 2,000,000"), ([-1, 3], "negative")]
)
def test_published_counts_of_a_study_are_added_up_before_they_are_laid_out(
    counts: list[int], said: str
) -> None:
    with pytest.raises(UndefinedError, match=said):
        _choices(OutcomeKey("s", "o", ""), counts, [1, 2], ("a", "b"))
    with pytest.raises(UndefinedError, match=said):
        _numbers_counted(dict(zip("12", counts, strict=True)))


def test_very_many_votes_of_one_pair_are_divided_as_counts() -> None:
    votes = np.array([[[40_000, 30_000, 5_000], [39_000, 31_000, 5_000]]])
    tracemalloc.start()
    p = seat_test(votes, n_permutations=999, rng=np.random.default_rng(1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 5 * 2**20  # every vote in 2,000 random orders took 2.4 GB
    # 2 x 3 table, chi-square 29 with 2 degrees of freedom: p = 4e-7
    assert p == 1 / 1000
    even = seat_test(votes[:, :1].repeat(2, axis=1), n_permutations=999, rng=np.random.default_rng(1))
    assert even is not None and even > 0.99


def test_counts_and_single_votes_are_divided_alike(monkeypatch: pytest.MonkeyPatch) -> None:
    votes = np.array([[30.0, 20.0, 10.0], [25.0, 25.0, 10.0]])
    one_by_one = _divisions(votes, np.random.default_rng(1))
    monkeypatch.setattr("concord.stats.votes.MOST_LISTED", 10)
    counted = _divisions(votes, np.random.default_rng(2))
    for found in (one_by_one, counted):
        assert found.shape == (2000, 2, 3) and (found.sum(axis=1) == votes.sum(axis=0)).all()
        assert (found.sum(axis=2) == 60).all()
        # hypergeometric: 60 of 120 votes, 55 of them A: mean 27.5, variance 60 * 55/120 * 65/120 * 60/119
        assert found[:, 0, 0].mean() == pytest.approx(27.5, abs=0.25)
        assert found[:, 0, 0].var() == pytest.approx(60 * 55 / 120 * 65 / 120 * 60 / 119, rel=0.12)


@pytest.mark.parametrize("count", [10**15, 1_000_001, 2.5])
def test_a_count_of_hints_is_a_whole_number_that_can_be_scored(count: float) -> None:
    counts = {"both_count": 0, "answer_only_count": 0, "neither_count": 0}
    row = {"model": "m", "influenced_count": count, "thinking_only_count": count, **counts}
    with pytest.raises(TableError, match="a whole number of replies, 1,000,000 at most"):
        api.score_hints([row])


def test_many_agents_get_no_folder_each_and_are_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rows = _tests(4)
    tables = {
        f"a{i}": [{**row, "agent_statistic": 0.1 * i + j} for j, row in enumerate(rows)] for i in range(4)
    }
    for module in ("agents", "results.many"):
        monkeypatch.setattr(f"concord.people.{module}.AGENT_FOLDERS", 3)
    found = concord.score_people(tables, n_resamples=0, n_simulations=0)
    assert any("a folder for each is written for at most 3" in text for text in found.warnings)
    written = found.write(tmp_path / "out")
    assert sorted(path.name for path in written) == ["agent_pairs.csv", "agents.csv", AgentsResult.FILE]
    assert {path.name for path in (tmp_path / "out").iterdir()} == {path.name for path in written}
    assert '"folders": {}' in (tmp_path / "out" / AgentsResult.FILE).read_text("utf-8")


def test_very_many_agents_have_an_order_and_no_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = _tests(4)
    tables = {
        f"a{i}": [{**row, "agent_statistic": 0.5 * i + j} for j, row in enumerate(rows)] for i in range(4)
    }
    compared = concord.score_people(tables, n_resamples=0, n_simulations=0)
    monkeypatch.setattr(agent_pairs, "COMPARED_AGENTS", 3)
    found = concord.score_people(tables, n_resamples=0, n_simulations=0)
    assert found.pairs == () and "4 models are not compared" in found.pairs_note
    for metric in ("pas", "ecs", "apr"):
        assert found.standing(metric).order == compared.standing(metric).order
    assert str(found)


def test_work_grows_with_the_studies_and_not_with_their_square() -> None:
    studies = 20_000
    rates = np.random.default_rng(2).integers(0, 4, studies)
    tracemalloc.start()
    estimates = [
        apr_interval(rates, np.full(studies, 3)),
        pas_interval(np.random.default_rng(3).beta(9, 1, studies), jackknife=_known()),
    ]
    effects = np.random.default_rng(4).normal(size=studies)
    agreement = predicted_effects(effects, effects, human_se=np.full(studies, 0.1))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 100 * 2**20  # a matrix of all by all would take 3 GB
    assert all(one.interval is not None for one in estimates)
    assert agreement.spearman == pytest.approx(1.0)


def _known() -> concord.records.Interval:
    return concord.records.Interval(0.89, 0.91, 0.95, "jackknife")


def test_ranks_have_ties_at_their_mean() -> None:
    found = predicted_effects([1.0, 2.0, 2.0, 5.0], [3.0, 1.0, 1.0, 0.0], human_se=[0.1] * 4)
    assert float(found.spearman) == pytest.approx(np.corrcoef([1, 2.5, 2.5, 4], [4, 2.5, 2.5, 1])[0, 1])


def test_documents_of_studies_go_through_the_tests_once(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    scored = concord.score_people(_tests(6), n_resamples=0, n_simulations=0)
    calls = 0

    def counted(value: object) -> object:
        nonlocal calls
        calls += 1
        return encode(value)

    monkeypatch.setattr("concord.people.files.encode", counted)
    scored.write(tmp_path / "six")
    six, calls = calls, 0
    concord.score_people(_tests(12), n_resamples=0, n_simulations=0).write(tmp_path / "twelve")
    assert six < calls < 2.2 * six


@pytest.mark.parametrize("most", ["HANDMADE_CELLS", "HANDMADE_COLUMNS"])
@pytest.mark.parametrize("command", [["check"], ["score", "people"]])
def test_a_large_table_is_not_read_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: list[str], most: str
) -> None:
    read = []

    def counted(*arguments: object) -> object:
        read.append(1)
        return from_records(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("concord.files.rows.from_records", counted)
    monkeypatch.setattr(f"concord.people.table.agents.{most}", 1)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.csv").write_text("colour,shape\n" + "red,round\n" * 10, "utf-8")
    found = CliRunner().invoke(app, [*command, str(tmp_path / "t.csv")])
    assert found.exit_code == 2 and "required columns are missing" in found.output
    assert len(read) == 1


def test_texts_of_very_many_escapes_are_passed_over_without_a_way_back() -> None:
    text = '{"samples": [\n{"id": "a", "prompt": "' + "\\u0041" * 100_000 + '"},\n{"id": "b"}]}'
    tracemalloc.start()
    lines = _element_lines(text, "samples", 2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert lines == [2, 3]
    assert peak < 5 * 2**20  # six hundred bytes for each escape were 60 MB


def test_lines_are_counted_before_they_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("concord.files.limits.ROWS", 3)
    (tmp_path / "t.jsonl").write_text("{}\n\n{}\n \n{}\nno row\n", "utf-8")
    for read in (read_grid, read_scores):
        with pytest.raises(FileFormatError, match=r"t\.jsonl: 4 rows, expected at most 3"):
            read(tmp_path / "t.jsonl")
