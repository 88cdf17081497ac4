"""Every kind of test has every verb, and the registry is the only list of them."""

import inspect
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import concord
from concord.people.families.base import Family, TestKind, Truth
from concord.people.families.registry import KINDS, TEST_TYPES
from concord.people.protocol import PROTOCOLS, STANDARD
from concord.people.score.sides import SideTable
from concord.people.table.read import read_tests
from concord.people.uncertainty.true_effects import human_effects
from concord.records import Side, TestRow

SIDES: dict[str, dict[str, object]] = {
    "t-independent": {"statistic": 2.1, "n1": 30, "n2": 31},
    "t-paired": {"statistic": 2.1, "n": 30},
    "t-one-sample": {"statistic": -1.1, "n": 30},
    "anova": {"statistic": 5.2, "df1": 1, "df2": 58, "direction": 1},
    "anova-within": {"statistic": 5.2, "df1": 1, "df2": 28, "direction": 1},
    "regression": {"statistic": 5.2, "df1": 1, "df2": 58, "direction": -1},
    "correlation": {"statistic": 0.31, "n": 50},
    "chi-square": {"table": "[[20, 10], [12, 18]]"},
    "binomial": {"k": 19, "n": 30, "p0": 0.5},
    "mann-whitney": {"statistic": 300, "n1": 30, "n2": 30, "u_of": "group2"},
    "variance-ratio": {"statistic": 1.9, "df1": 29, "df2": 29},
    "p-value": {"p_value": 0.02, "direction": 1},
    "wilcoxon": {"statistic": 330, "n": 30, "direction": 1},
    "z-test": {"statistic": 2.1, "n1": 40, "n2": 45},
    "fisher-exact": {"table": "[[9, 3], [4, 11]]"},
    "kruskal-wallis": {"statistic": 9.4, "df1": 2, "n": 60},
    "cochran-q": {"statistic": 11.2, "df1": 3, "n": 40},
    "coefficient": {"statistic": 0.45, "se": 0.12, "n": 100},
    "logistic": {"statistic": 0.45, "se": 0.12, "n": 300},
    "odds-ratio": {"statistic": 1.57, "ci_low": 1.2, "ci_high": 2.05, "n": 300},
}


def row(kind: str, agent: dict[str, object] | None = None) -> dict[str, object]:
    agent = SIDES[kind] if agent is None else agent
    made: dict[str, object] = {"study": "S", "finding": kind, "test": "x", "test_type": kind}
    made |= {f"human_{name}": value for name, value in SIDES[kind].items()}
    return made | {f"agent_{name}": value for name, value in agent.items()}


def family_of(kind: str) -> Family:
    rows = read_tests([row(kind)]).rows
    ((_, family),) = SideTable.from_rows(rows, [rows[0].human], 1.0, KINDS).families
    return family


def test_every_type_has_an_example_here() -> None:
    assert set(SIDES) == set(TEST_TYPES)


@pytest.mark.parametrize("kind", TEST_TYPES)
@pytest.mark.parametrize("name", list(PROTOCOLS))
def test_a_row_of_every_type_is_scored_with_intervals_floor_and_ceiling(kind: str, name: str) -> None:
    rows = [row(kind) | {"study": f"S{i}"} for i in range(4)]
    found = concord.score_people(rows, protocol=name, n_resamples=40, n_simulations=40)
    assert found.pas.value is not None
    assert found.pas.bounds is not None
    assert found.pas.bounds.floor.value is not None
    for test in found.tests:
        assert test.outcome == "scored"
        assert test.agent_p is not None
        assert test.agent_log_bf == pytest.approx(test.human_log_bf)
        undefined = [reason for reason in test.reasons if " d: " in reason]
        assert (test.agent_effect_d is None) == bool(undefined)


@pytest.mark.parametrize("kind", TEST_TYPES)
def test_new_samples_lie_around_what_was_observed(kind: str) -> None:
    family = family_of(kind)
    drawn = family.draw(np.random.default_rng(1), 4000)
    brief = drawn.brief(STANDARD)
    assert brief.log_bf.shape == (4000, 1)
    assert np.isfinite(brief.log_bf).all()
    d, own = drawn.d(STANDARD)[:, 0], family.d(STANDARD)[0]
    if np.isnan(own):
        return
    effects = family.human_effects(STANDARD)
    assert np.nanmean(d) == pytest.approx(own, abs=0.25 * abs(own) + 0.02)
    assert np.nanstd(d) == pytest.approx(effects.se[0], rel=0.15)


@pytest.mark.parametrize("kind", TEST_TYPES)
def test_a_smooth_family_takes_back_the_statistic_it_is_given(kind: str) -> None:
    smooth = family_of(kind).smooth
    if smooth is None:
        return
    s = np.array([[0.3], [1.7], [-2.2]])
    again = smooth.with_statistic(s).statistic()
    assert np.abs(again) == pytest.approx(np.abs(s), rel=1e-9)


SIGNED = [kind for kind in TEST_TYPES if not np.isnan(family_of(kind).d(STANDARD)[0])]


@pytest.mark.parametrize("kind", SIGNED)
def test_replicates_have_the_true_effect(kind: str) -> None:
    rows = read_tests([row(kind)]).rows
    side = SideTable.from_rows(rows, [rows[0].human], 1.0, KINDS)
    truth = Truth(np.full((4000, 1), 0.4), human_effects(side, STANDARD), null=False)
    drawn = side.families[0][1].replicate(truth, STANDARD, np.random.default_rng(2))
    assert np.nanmean(drawn.d(STANDARD)) == pytest.approx(0.4, abs=0.05)


def test_no_module_asks_of_which_family_tests_are() -> None:
    """A ladder of isinstance over families is what the registry is there to end."""
    source = Path(concord.__file__).parent
    families = {
        name
        for path in (source / "people" / "families").glob("*.py")
        for name, cls in inspect.getmembers(
            __import__(f"concord.people.families.{path.stem}", fromlist=["x"]), inspect.isclass
        )
        if issubclass(cls, Family | TestKind)
    }
    for path in source.rglob("*.py"):
        for line in path.read_text("utf-8").splitlines():
            if "isinstance(" in line:
                assert not any(f"{name})" in line or f"{name} |" in line for name in families), (path, line)


def test_a_forgotten_verb_is_an_error_when_the_kind_is_made() -> None:
    class Forgetful(TestKind):
        pass

    with pytest.raises(TypeError, match="abstract"):
        Forgetful(name="x", needs="", used=frozenset(), reported=())  # type: ignore[abstract]
    assert all(name == kind.name for name, kind in KINDS.items())


def test_a_perfect_correlation_is_flagged_as_rounded() -> None:
    kind = KINDS["correlation"]
    row = TestRow("s", "", "f", "t", "correlation", None)
    assert "may be 0.995" in kind.flags(row, Side(statistic=-1.0, n=30), STANDARD)[0]
    assert kind.flags(row, Side(statistic=0.99, n=30), STANDARD) == []


FURTHER: list[tuple[str, dict[str, object]]] = [
    *SIDES.items(),
    ("anova", {"statistic": 3.2, "df1": 3, "df2": 96}),
    ("anova-within", {"statistic": 3.2, "df1": 3, "df2": 96}),
    ("regression", {"statistic": 3.2, "df1": 3, "df2": 96}),
    ("chi-square", {"table": "[[20, 10, 14], [12, 18, 20]]"}),
    ("chi-square", {"statistic": 6.4, "df1": 1, "n": 80, "direction": 1}),
    ("chi-square", {"statistic": 9.4, "df1": 3, "n": 80}),
    ("kruskal-wallis", {"statistic": 6.4, "df1": 1, "n": 60, "direction": 1}),
    ("cochran-q", {"statistic": 6.4, "df1": 1, "n": 60, "direction": 1}),
]
DRAWS = 6000


def replicated(kind: str, given: dict[str, object], d: float, *, null: bool) -> Family:
    """One test in many agents with this true effect, each a test of its own."""
    made = {"study": "S", "finding": kind, "test": "x", "test_type": kind}
    rows = read_tests([made | {f"human_{name}": value for name, value in given.items()}]).rows
    side = SideTable.from_rows(rows, [rows[0].human], 1.0, KINDS)
    truth = Truth(np.full((DRAWS, 1), d), human_effects(side, STANDARD), null=null)
    drawn = side.families[0][1].replicate(truth, STANDARD, np.random.default_rng(2))
    return drawn.pick_outcomes(np.arange(DRAWS), np.zeros(DRAWS, np.intp))


@pytest.mark.parametrize(("kind", "given"), FURTHER)
def test_agents_without_effects_are_significant_in_5_of_100(kind: str, given: dict[str, object]) -> None:
    p = replicated(kind, given, 0.0, null=True).evidence(STANDARD).p_value
    below = float(np.mean(p < 0.05))
    # Fisher's exact test of few people stays below its level, which is known of it
    assert (0.01 if kind == "fisher-exact" else 0.04) < below < 0.06


@pytest.mark.parametrize("kind", ["kruskal-wallis", "cochran-q", "chi-square"])
def test_two_groups_of_ranks_or_counts_have_the_root_of_the_true_d(kind: str) -> None:
    """r = d / sqrt(d² + 4) of two equal groups (Borenstein et al. 2009, 7.9): 1/sqrt(5) for d = 1."""
    drawn: Any = replicated(kind, {"statistic": 9.4, "df1": 1, "n": 500, "direction": 1}, 1.0, null=False)
    statistic = drawn.h if kind == "kruskal-wallis" else drawn.chi2
    assert np.mean(drawn.direction * np.sqrt(statistic)) == pytest.approx(np.sqrt(500 / 5), abs=0.06)
    assert np.std(drawn.direction * np.sqrt(statistic)) == pytest.approx(1.0, abs=0.04)


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("kruskal-wallis", {"statistic": 9.4, "df1": 2, "n": 60}),
        ("kruskal-wallis", {"statistic": 24.0, "df1": 4, "n": 60}),
        ("cochran-q", {"statistic": 11.2, "df1": 3, "n": 40}),
        ("anova", {"statistic": 5.2, "df1": 3, "df2": 96}),
        ("anova-within", {"statistic": 5.2, "df1": 3, "df2": 96}),
    ],
)
def test_agents_as_strong_as_people_have_their_statistic_on_average(
    kind: str, given: dict[str, object]
) -> None:
    drawn: Any = replicated(kind, given, 0.0, null=False)
    name = {"kruskal-wallis": "h", "cochran-q": "chi2"}.get(kind, "f")
    assert np.mean(getattr(drawn, name)) == pytest.approx(given["statistic"], rel=0.06)


def test_the_ends_of_an_effect_are_converted_as_the_effect_was() -> None:
    kind = next(one for one in KINDS.values() if type(one).to_d is TestKind.to_d)
    convert = kind.to_d(2.0, 0.5)
    assert convert is not None and convert(4.0) == 1.0 and convert(-1.0) == -0.25
    assert kind.to_d(0.0, 0.0) is None


def test_the_rate_of_a_strong_effect_ends_at_nobody_and_at_everybody() -> None:
    from concord.people.families.binomial import rate_from_d

    rates = rate_from_d(np.array([-9.0, 0.0, 9.0]), np.array([0.5, 0.5, 0.5]), STANDARD)
    assert rates.tolist() == [0.0, 0.5, 1.0]
