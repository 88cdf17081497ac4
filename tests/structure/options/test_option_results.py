"""Results about options: written and read back, compared, planned, shown on the page."""

import itertools
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.structure.options.scripted import replies, result

import concord
from concord.errors import FileFormatError, MismatchError, OptionError, UndefinedError
from concord.planning.pilots import OptionPlan
from concord.show import structure_plots
from concord.show.page.declared import shown_results
from concord.structure.arrangers import rotations
from concord.structure.options.result import OptionReply, OptionResult
from concord.structure.options.score import option_items, rstd_of, score_options


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    root = tmp_path_factory.mktemp("options")
    result("biased", 0.6, 0.9).write(root / "a")
    result("steady", 0.0, 0.9, seed=1).write(root / "b")
    return root / "a", root / "b"


def test_a_result_is_written_and_read_back_whole(folders: tuple[Path, Path]) -> None:
    assert OptionResult.read(folders[0]) == result("biased", 0.6, 0.9)
    assert OptionResult.read(folders[0]).to_frame().height == 5 + 4 + 4


def test_a_damaged_result_is_named(tmp_path: Path, folders: tuple[Path, Path]) -> None:
    document = json.loads((folders[0] / OptionResult.FILE).read_text("utf-8"))
    document["option_scores"]["n_items"] = "many"
    (tmp_path / OptionResult.FILE).write_text(json.dumps(document), "utf-8")
    with pytest.raises(FileFormatError, match="n_items"):
        OptionResult.read(tmp_path)


def test_models_are_compared_on_the_same_questions(folders: tuple[Path, Path]) -> None:
    found = concord.compare(*folders, metric="first_option")
    metrics = {one.metric: one for one in found.pairs[0].metrics}  # type: ignore[union-attr]
    assert set(metrics) == {"consistency", "option_flips", "first_option", "last_option", "rstd"}
    assert metrics["first_option"].difference.value == pytest.approx(0.45, abs=0.15)
    for name in ("consistency", "option_flips", "first_option", "rstd"):
        p_value = metrics[name].p_value
        assert p_value is not None and p_value < 0.05
    assert found.standing.order == ("steady", "biased")  # type: ignore[union-attr]


@pytest.mark.parametrize("metric", ["consistency", "option_flips", "first_option", "last_option", "rstd"])
def test_a_ranking_has_the_interval_of_each_model(folders: tuple[Path, Path], metric: str) -> None:
    found = concord.compare(*folders, metric=metric).to_dict()
    for one, folder in zip(found["models"], folders, strict=True):
        value, ends = found["ranking_values"][one["name"]], one["ranking_interval"]
        assert ends["low"] <= value <= ends["high"]
        scores = OptionResult.read(folder).scores
        own = {"consistency": scores.consistency, "first_option": scores.selection[0]}.get(metric)
        if own is not None and own.interval is not None and own.interval.low > 0:
            assert (ends["low"], ends["high"]) == (own.interval.low, own.interval.high)
    other = concord.compare(*folders, metric=metric, level=0.9).to_dict()
    assert all(one["ranking_interval"] is None for one in other["models"])


def test_a_model_does_not_differ_from_itself(folders: tuple[Path, Path]) -> None:
    found = concord.compare(folders[0], folders[0])
    assert found.difference is not None and found.difference.value == 0
    for one in found.pairs[0].metrics:  # type: ignore[union-attr]
        assert one.p_value is None or one.p_value == 1


def test_unlike_arrangers_are_not_compared(folders: tuple[Path, Path], tmp_path: Path) -> None:
    result("other", 0, 0.9, arranger="option-ids").write(tmp_path)
    with pytest.raises(MismatchError, match="'options-cyclic' and other under 'option-ids'"):
        concord.compare(folders[0], tmp_path, metric="rstd")
    with pytest.raises(OptionError, match="no metric 'foo'|'foo'"):
        concord.compare(*folders, metric="foo")


def test_questions_are_planned_from_a_pilot(folders: tuple[Path, Path]) -> None:
    plan = concord.plan(folders[1], metric="first_option", effect=0.05)
    assert isinstance(plan, OptionPlan)
    items = [items for _, items, _ in plan.needed]
    assert items == sorted(items, reverse=True)  # more repeats, fewer questions
    assert plan.needed[0][2] == plan.needed[0][1] * 4
    flips = concord.plan(folders[1], metric="option_flips")
    assert isinstance(flips, OptionPlan) and len(flips.needed) == 1
    assert "no effect was named" in flips.warnings[0]
    with pytest.raises(OptionError, match="not 'rstd'"):
        concord.plan(folders[1], metric="rstd")


def test_the_planned_power_is_reached_in_simulation() -> None:
    """The plan's spread, from one large pilot, predicts how shares of new sets of questions spread."""
    pilot = option_items(replies(0.1, 0.8, n=400, seed=5)).values["first_option"]
    drawn = [option_items(replies(0.1, 0.8, n=24, seed=s)).values["first_option"].mean() for s in range(60)]
    assert np.std(drawn, ddof=1) == pytest.approx(np.std(pilot, ddof=1) / np.sqrt(24), rel=0.3)


def test_a_plan_counts_families_of_questions(tmp_path: Path) -> None:
    """Questions that are there four times over say no more than one: four times as many are needed."""
    once = replies(0.3, 0.6, n=30, seed=5)
    copied = [replace(one, item=f"{one.item} {copy}", cluster=one.item) for copy in range(4) for one in once]
    plans = []
    for name, rows in (("once", once), ("copied", copied)):
        OptionResult(name, score_options(rows, n_permutations=9), "s", "options", tuple(rows)).write(
            tmp_path / name
        )
        plans.append(concord.plan(tmp_path / name, metric="option_flips", effect=0.1))
    alone, families = plans
    assert isinstance(alone, OptionPlan) and isinstance(families, OptionPlan)
    assert families.sd_between == pytest.approx(2 * alone.sd_between)
    assert families.power == pytest.approx(alone.power)  # 120 questions in 30 families are 30
    assert any("120 questions are in 30 families" in told for told in families.warnings)


def test_options_are_a_section_of_the_page(folders: tuple[Path, Path], tmp_path: Path) -> None:
    made = concord.report(list(folders), out=tmp_path / "page.html", plots=tmp_path / "plots")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert not made.problems
    assert "Options and formats" in text and "Right answers by the place of the right option" in text
    said = "steady: Choices could not be shown to change more often with the arrangement than between repeats"
    assert said in text
    assert any("option-places" in path.name for path in (tmp_path / "plots").rglob("*.svg"))


def test_a_result_can_be_drawn_and_shows_itself(folders: tuple[Path, Path]) -> None:
    found = OptionResult.read(folders[0])
    assert "24 questions under 4 arrangements (options-cyclic)" in repr(found)
    assert found.plot("choices").to_svg().startswith("<svg")
    with pytest.raises(OptionError, match="expected one of accuracy, choices"):
        found.plot("foo")


def test_every_surface_has_the_level_that_was_asked_for() -> None:
    rows = replies(0.3, 0.5, n=24)
    found = OptionResult("m", score_options(rows, n_permutations=9, level=0.8), "set", "options-cyclic")
    drawn = structure_plots.places_picture(found)
    assert drawn is not None
    page = shown_results([found])
    for shown in (repr(found), found._repr_html_(), str(found.table()), page, drawn.caption):
        assert "80 %" in shown
        assert "95 %" not in shown
    value = f"{found.scores.accuracy_by_place[2].value:.3f}"
    assert value in repr(found) and value in str(found.table("places")) and value in page


def test_a_result_without_places_has_no_picture() -> None:
    rows = [replace(one, right_place=0) for one in replies(0.3, 0.5, n=10)]
    found = OptionResult("m", score_options(rows, n_permutations=9))
    assert "the right option is never in this place" in repr(found)
    with pytest.raises(UndefinedError, match="nothing to draw"):
        OptionResult("m", replace(found.scores, selection=())).plot("choices")


def test_families_of_items_widen_the_intervals() -> None:
    alone = replies(0.3, 0.5, n=40)
    family = [replace(one, cluster=f"f{int(one.item[1:]) % 10}") for one in alone]
    first, second = (score_options(rows, n_permutations=9).consistency for rows in (alone, family))
    assert first.value == pytest.approx(second.value)
    assert "clustered" in second.method and "clustered" not in first.method


def test_families_count_in_comparisons_too(tmp_path: Path) -> None:
    """Eight families of ten like items are eight witnesses, not eighty."""
    rng = np.random.default_rng(3)
    for model, seed in (("a", 1), ("b", 2)):
        leans = rng.random(8) * 0.6
        rows = [
            replace(one, item=f"{family}.{one.item}", cluster=f"f{family}")
            for family, lean in enumerate(leans)
            for one in replies(float(lean), 0.5, n=10, seed=10 * seed + family)
        ]
        OptionResult(model, score_options(rows, n_permutations=9), "s", "options", tuple(rows)).write(
            tmp_path / model
        )
        alone = [replace(one, cluster="") for one in rows]
        OptionResult(model, score_options(alone, n_permutations=9), "s", "options", tuple(alone)).write(
            tmp_path / f"{model} alone"
        )
    wide, narrow = (
        {one.metric: one for one in concord.compare(*pair).pairs[0].metrics}  # type: ignore[union-attr]
        for pair in ((tmp_path / "a", tmp_path / "b"), (tmp_path / "a alone", tmp_path / "b alone"))
    )
    for metric in ("first_option", "rstd"):
        ends = [one[metric].difference.interval for one in (wide, narrow)]
        assert ends[0] is not None and ends[1] is not None
        assert ends[0].high - ends[0].low > 1.2 * (ends[1].high - ends[1].low)


def claims(bias: float, *, times: int, n: int) -> tuple[float, float]:
    """Return how often flips, and places, are claimed."""
    found = [
        score_options(replies(bias, 0.6, n=n, seed=1000 + i), n_permutations=99).sentence
        for i in range(times)
    ]
    flips = sum(one.startswith("Choices change") for one in found) / times
    places = sum("; accuracy depends" in one for one in found) / times
    return flips, places


@pytest.mark.long
def test_nothing_is_claimed_of_a_model_without_a_preference_and_all_of_one_with() -> None:
    flips, places = claims(0.0, times=60, n=20)
    assert flips <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60) and places <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)
    assert min(claims(0.5, times=10, n=20)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("n", [12, 23, 80])
def test_claims_about_options_are_rarely_false(n: int) -> None:
    flips, places = claims(0.0, times=1000, n=n)
    assert max(flips, places) <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 1000)


def steady_claims(times: int, n: int, orders: int) -> float:
    """Return how often places are claimed of a model at temperature 0 that the order moves by chance.

    Every arrangement of a question is right or wrong by a coin of its own, and repeats are the same.
    """
    turns = list(itertools.permutations(range(4))) if orders == 24 else rotations(4)
    found = []
    for seed in range(times):
        rng = np.random.default_rng([seed, n, orders])
        rows = []
        for i, coin in enumerate(rng.random((n, len(turns)))):
            for turn, right in zip(turns, coin < 0.6, strict=True):
                at = turn.index(0)
                place = at if right else (at + 1) % 4
                rows += [OptionReply(f"i{i}", str(turn), str(turn[place]), place, at, 4, bool(right))] * 2
        found.append("; accuracy depends" in score_options(rows, n_permutations=99).sentence)
    return float(np.mean(found))


@pytest.mark.long
def test_repeats_that_are_the_same_do_not_make_an_effect_of_places() -> None:
    """Divided reply by reply, right answers gave a false claim in 36 of 100 sets."""
    assert steady_claims(60, 24, 4) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "orders"), [(24, 4), (80, 4), (24, 24)])
def test_repeats_that_are_the_same_rarely_make_an_effect_of_places(n: int, orders: int) -> None:
    rate = steady_claims(1000, n, orders)
    print(n, orders, rate)  # noqa: T201
    assert rate <= 0.05 + 2 * np.sqrt(0.05 * 0.95 / 1000)


def test_rstd_has_no_value_where_a_place_was_never_seen() -> None:
    assert np.isnan(rstd_of(np.array([[1.0, np.nan], [0.0, np.nan]])))


def test_the_page_does_not_call_a_model_steady_whose_answers_change_while_its_mean_stays(
    tmp_path: Path,
) -> None:
    import polars as pl

    rows = [
        {"model": "m", "arrangement": one.arrangement, "item": one.item, "sample": i % 2,
         "S_Acc": float(bool(one.correct)), "answer": one.answer}
        for i, one in enumerate(replies(0.6, 0.9))
    ]  # fmt: skip
    concord.score_structure(scores=pl.DataFrame(rows)).write(tmp_path / "r")
    concord.report(tmp_path / "r", out=tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text("utf-8")
    assert "No effect of order is seen" not in text
    assert "Answers of m change with the order." in text
