"""What a referee asks: every number is that of its kernel on the effects of the table, and files keep all."""

import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.people.rows import row, scores_of, t_side

import concord
from concord.errors import OptionError
from concord.people.files import PeopleResult
from concord.people.referee import Referee, RefereeResult
from concord.people.results.one import score_table
from concord.records import Side, TestRow, TestTable
from concord.show.page.declared import shown_results
from concord.show.people_plots import referee_picture
from concord.stats.agreement import hedges_g
from concord.stats.equivalence import equivalence
from concord.stats.meta_analysis import meta_analysis
from concord.stats.replication import log_bf_replication, selection_adjusted, small_telescopes


def _rows() -> list[TestRow]:
    """Six studies of two tests: clear effects, nulls, one that the agent misses."""
    human, agent = [3.5, -2.9, 0.3, 4.2, 2.4, 0.1], [3.0, -1.8, 0.2, 0.1, 5.5, 0.4]
    return [
        row(f"s{i}/f/t{j}", t_side(h + 0.2 * j, 40), t_side(a - 0.3 * j, 60), domain="A" if i < 3 else "B")
        for i, (h, a) in enumerate(zip(human, agent, strict=True))
        for j in range(2)
    ]


@pytest.fixture(scope="module")
def scored() -> PeopleResult:
    return score_table(TestTable(tuple(_rows())), n_resamples=0, n_simulations=40)


@pytest.fixture(scope="module")
def found(scored: PeopleResult) -> Referee:
    assert scored.referee is not None
    return scored.referee


def test_a_test_is_inside_where_its_difference_is_no_larger_than_chance(
    scored: PeopleResult, found: Referee
) -> None:
    for test, one in zip(scored.tests, found.tests, strict=True):
        assert test.z_diff is not None
        assert one.inside is (abs(test.z_diff) <= 1.959963984540054)
    assert found.inside.n == 12
    assert found.inside.inside == sum(bool(one.inside) for one in found.tests)
    assert sum(one.inside for one in found.inside_studies) == found.inside.inside


def test_perfect_replications_are_inside_in_95_of_100() -> None:
    rng = np.random.default_rng(5)
    true, n = rng.normal(0.3, 0.4, 400), 60
    human, agent = (rng.standard_normal(400) + true * math.sqrt(n / 2) for _ in range(2))
    rows = [
        row(f"s{i % 10}/f{i}/t", t_side(float(human[i]), n), t_side(float(agent[i]), n)) for i in range(400)
    ]
    tests = scores_of(rows, for_referee=True).referee
    assert tests is not None
    assert tests.inside.inside / tests.inside.n == pytest.approx(0.95, abs=0.03)
    assert tests.replications.n_too_small / tests.replications.n < 0.05


def test_the_difference_is_the_clustered_meta_analysis(scored: PeopleResult, found: Referee) -> None:
    y = [one.difference_d for one in found.tests]
    se = [one.difference_se for one in found.tests]
    expected = meta_analysis(np.array(y, float), np.array(se, float), [one.study for one in found.tests])
    meta = found.difference.meta
    assert meta is not None
    assert meta.mean.value == pytest.approx(expected.mean.value, abs=1e-12)
    assert (meta.tau2, meta.df) == pytest.approx((expected.tau2, expected.df), abs=1e-9)
    test = scored.tests[0]
    assert y[0] == pytest.approx(test.agent_effect_d - test.human_effect_d)  # type: ignore[operator]
    assert [one.name for one in found.difference_domains] == ["A", "B"]


def test_turning_all_tests_around_leaves_the_sized_difference_as_it_is(found: Referee) -> None:
    turned = [
        row(
            f"{r.study}/{r.finding}/{r.test}",
            t_side(-r.human.statistic, 40),  # type: ignore[operator, union-attr]
            t_side(-r.agent.statistic, 60),  # type: ignore[operator, union-attr]
            domain=r.domain,
        )
        for r in _rows()
    ]
    other = scores_of(turned, for_referee=True).referee
    assert other is not None
    assert other.difference_sized.meta is not None
    assert found.difference_sized.meta is not None
    assert other.difference_sized.meta.mean.value == pytest.approx(found.difference_sized.meta.mean.value)
    assert other.difference.meta is not None
    assert found.difference.meta is not None
    assert other.difference.meta.mean.value == pytest.approx(-found.difference.meta.mean.value)  # type: ignore[operator]


def test_single_numbers_are_those_of_the_kernels(scored: PeopleResult, found: Referee) -> None:
    for test, one in zip(scored.tests, found.tests, strict=True):
        h, hs, a, as_ = (
            float(x)  # type: ignore[arg-type]
            for x in (test.human_effect, test.human_effect_se, test.agent_effect, test.agent_effect_se)
        )
        assert one.log_bf_replication == pytest.approx(log_bf_replication(h, hs, a, as_))
        small = small_telescopes(hs, math.copysign(1, h) * a, as_)
        assert one.detectable == pytest.approx(small.detectable)
        assert one.p_too_small == pytest.approx(small.p_smaller)
        assert one.human_d_adjusted == pytest.approx(float(selection_adjusted([h], [hs]).effect[0]))
        assert one.human_g == pytest.approx(float(hedges_g(h, 78)))
        assert one.agent_g == pytest.approx(float(hedges_g(a, 118)))


def test_kept_nulls_are_tested_for_equivalence(scored: PeopleResult, found: Referee) -> None:
    pairs = zip(scored.tests, found.tests, strict=True)
    kept = [(t, one) for t, one in pairs if t.verdict == "no effect in either"]
    assert len(kept) == found.equivalence.n_kept > 0
    for test, one in kept:
        expected = equivalence(test.agent_effect_d, test.agent_effect_se, margin=0.2)  # type: ignore[arg-type]
        assert one.p_equivalent == pytest.approx(expected.p_value)
    wide = score_table(TestTable(tuple(_rows())), n_resamples=0, margin=5.0).referee
    assert wide is not None
    assert wide.equivalence.n_equivalent == wide.equivalence.n_kept
    with pytest.raises(OptionError, match="margin is 0"):
        score_table(TestTable(tuple(_rows())), margin=0)


def test_the_grid_of_priors_holds_the_headline_and_moves_with_the_odds(
    scored: PeopleResult, found: Referee
) -> None:
    cells = {(cell.scale, cell.odds): cell.pas for cell in found.priors}
    assert len(cells) == 9
    assert cells[1.0, 1.0] == pytest.approx(scored.pas.value, abs=1e-12)
    assert len(set(cells.values())) == 9


def test_selection_makes_effects_smaller_and_never_turns_them(found: Referee) -> None:
    for one in found.tests:
        assert one.human_d is not None
        assert one.human_d_adjusted is not None
        assert abs(one.human_d_adjusted) <= abs(one.human_d) + 1e-12
        assert one.human_d_adjusted * one.human_d >= 0
    selection = found.selection
    assert selection.n_adjusted > 0
    assert selection.mean_adjusted < selection.mean_published  # type: ignore[operator]
    assert selection.ceiling_pas is not None
    assert selection.ceiling_pas.n == 40


def test_tests_without_comparable_effects_are_undefined_not_outside() -> None:
    rows = [row(f"s{i}/f/t", Side(p_value=0.01), Side(p_value=0.2), test_type="p-value") for i in range(3)]
    found = scores_of(rows, for_referee=True).referee
    assert found is not None
    assert found.inside.n == 0
    assert found.inside.share.value is None
    assert all(one.inside is None for one in found.tests)
    assert found.difference.meta is None
    assert found.difference.note
    assert "undefined" in "\n".join(found.sentences())


def test_files_keep_everything(scored: PeopleResult, found: Referee, tmp_path: Path) -> None:
    scored.write(tmp_path)
    assert PeopleResult.read(tmp_path).referee == found
    lines = (tmp_path / "referee.csv").read_text().splitlines()
    assert len(lines) == 13
    assert "replication_low" in lines[0]
    summary = scored.to_dict()["referee"]
    assert summary["inside"]["inside"] == found.inside.inside
    assert "tests" not in summary


def test_the_page_and_the_terminal_show_it(found: Referee) -> None:
    record = RefereeResult("a <b> model", found)
    html = str(shown_results([record]))
    assert "a &lt;b&gt; model" in html
    assert "<b>" not in html
    drawn = referee_picture(record)
    assert drawn is not None
    assert drawn.name == "referee"
    said = "\n".join(found.sentences())
    assert f"{found.inside.inside} of 12 tests" in said


def test_studies_add_up_to_the_counts_over_all(found: Referee) -> None:
    assert [one.study for one in found.studies] == [f"s{i}" for i in range(6)]
    assert sum(one.inside for one in found.studies) == found.inside.inside
    told, kept = found.replications, found.equivalence
    sums = [
        sum(getattr(one, name) for one in found.studies)
        for name in ("n_replications", "n_supported", "n_opposed", "n_too_small", "n_kept", "n_equivalent")
    ]
    assert sums == [
        told.n,
        told.n_supported,
        told.n_opposed,
        told.n_too_small,
        kept.n_kept,
        kept.n_equivalent,
    ]


def test_the_difference_of_a_study_allows_for_the_same_people(found: Referee) -> None:
    pair = [test for test in found.tests if test.study == "s0"]
    d = np.array([test.difference_d for test in pair], dtype=float)
    se = np.array([test.difference_se for test in pair], dtype=float)
    weights = se**-2 / np.sum(se**-2)
    spread = np.outer(se, se) * np.array([[1.0, 0.5], [0.5, 1.0]])
    error = math.sqrt(weights @ spread @ weights)
    one = found.studies[0].difference
    assert one.interval is not None
    assert one.value == pytest.approx(weights @ d, abs=1e-12)
    assert one.interval.high - one.interval.low == pytest.approx(2 * 1.959963984540054 * error, abs=1e-12)


def test_studies_have_a_table_and_a_place_on_the_page(
    scored: PeopleResult, found: Referee, tmp_path: Path
) -> None:
    scored.write(tmp_path)
    lines = (tmp_path / "referee_studies.csv").read_text().splitlines()
    assert lines[0].startswith("study,difference_d,difference_low,difference_high,n,inside")
    assert len(lines) == 7
    assert "small telescopes, equivalence" in str(shown_results([RefereeResult("m", found)]))


def test_a_comparison_says_what_a_referee_asks_of_each_model(tmp_path: Path) -> None:
    weaker = [replace(one, agent=t_side(0.1, 60)) for one in _rows()]
    for name, rows in (("strong", _rows()), ("weak", weaker)):
        score_table(TestTable(tuple(rows)), n_resamples=0, n_simulations=0).write(tmp_path / name)
    result = concord.compare(tmp_path / "strong", tmp_path / "weak")
    document = result.to_dict()
    strong, weak = (one["referee"] for one in document["models"])
    assert strong["n_inside"] == weak["n_inside"] == 12
    assert strong["n_supported"] > weak["n_supported"] == 0
    ranks = document["pas_ranks_over_priors"]
    assert len(ranks) == 9
    assert all(row["order"] == sorted(row["pas"], key=lambda name: -row["pas"][name]) for row in ranks)
    said = str(result)
    assert "Further checks" in said
    assert "PAS under 9 priors" in said
