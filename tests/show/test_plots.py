"""Pictures: well-formed, inside their frame, honest about what is missing."""

import re
import xml.etree.ElementTree as ET
from itertools import combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.show.made_results import structure_rows

from concord import api
from concord.errors import OptionError
from concord.reasoning.result import PairTest
from concord.records import Estimate, Interval, Presented
from concord.show import people_plots, plot_effects, plot_standing, plots, reasoning_plots, structure_plots
from concord.show.plot_effects import StudyColumn, forest, study_map
from concord.show.plot_standing import standing_picture
from concord.show.reasoning_plots import two_ends_picture
from concord.show.svg import Picture, Scale, fitted, visible

SVG = "{http://www.w3.org/2000/svg}"
maybe = st.none() | st.floats(-5, 5)


def parsed(picture: Picture) -> ET.Element:
    return ET.fromstring(picture.to_svg())


def inside(picture: Picture) -> None:
    """Every coordinate lies in the frame."""
    root = parsed(picture)
    for element in root.iter():
        for name in ("x", "x1", "x2", "cx"):
            assert -1 <= float(element.get(name, "0")) <= picture.width + 1
        for name in ("y", "y1", "y2", "cy"):
            assert -1 <= float(element.get(name, "0")) <= picture.height + 1


def drawn_mark(label: str, value: float | None, low: float | None, high: float | None) -> plots.Mark:
    return plots.Mark(label, value, None if low is None or high is None else Interval(low, high, 0.8, ""))


@given(st.lists(st.tuples(st.text(max_size=40), maybe, maybe, maybe), min_size=1, max_size=8))
def test_a_chart_of_intervals_is_well_formed_for_any_marks(
    rows: list[tuple[str, float, float, float]],
) -> None:
    picture = plots.intervals("a", "Title", [drawn_mark(*row) for row in rows], label="x")
    inside(picture)
    words = [(element.get("class"), element.text) for element in parsed(picture).iter(f"{SVG}text")]
    assert words.count(("s", "undefined")) == sum(row[1] is None for row in rows)


@given(st.lists(st.tuples(st.floats(-5, 5), st.floats(-5, 5), st.text(max_size=10)), max_size=30))
def test_effects_have_one_dot_per_test_and_stay_inside(points: list[tuple[float, float, str]]) -> None:
    drawn = [
        plot_effects.Effect(name, (x, x - 1, x + 1), (y, None, None), name[:1], x > 0)
        for x, y, name in points
    ]
    picture = plot_effects.effects("a", "T", drawn, level=0.95, slope=3.0, intercept=-1.0, said="ECS 0.5")
    inside(picture)
    kinds = [
        (e.get("class") or "").split()[0] for e in parsed(picture).iter(f"{SVG}circle") if e.get("r") == "3.6"
    ]
    keys = len(set(p.domain for p in drawn if p.domain))
    legend = min(len({p.domain for p in drawn}), 4) if keys > 1 else 0
    assert len(kinds) - legend == len(points)
    assert kinds.count("open") == sum(not p.replicates for p in drawn)


def test_a_line_that_is_undefined_is_not_drawn() -> None:
    assert 'class="fit"' not in plot_effects.effects("a", "T", [], level=0.95).body


def test_conclusions_fill_their_columns_and_say_how_many_agree() -> None:
    counts = {("up", "up"): 3.0, ("up", "none"): 1.0, ("none", "none"): 4.0}
    picture = plot_effects.mosaic("a", "T", counts, same=(7.0, 8.0))
    inside(picture)
    assert "7.0 of 8 tests agree (88 %)" in picture.body
    cells = [e for e in parsed(picture).iter(f"{SVG}rect") if (e.get("class") or "").startswith("cell")]
    area = sum(float(e.get("width") or 0) * float(e.get("height") or 0) for e in cells)
    assert area == pytest.approx((plots.WIDTH - 160) * 220, rel=0.01)


def test_losses_are_sorted_and_signed() -> None:
    picture = plot_effects.losses("a", "T", [("x", -0.01), ("y", 0.02), ("z", -0.05)])
    inside(picture)
    assert [row[0] for row in picture.rows[1:]] == ["z", "x", "y"]
    assert picture.body.count('class="loss"') == 2


def test_studies_of_a_map_are_grouped_by_domain_and_sorted_by_spread() -> None:
    columns = [
        plot_effects.StudyColumn("a", "D", (0.5, 0.6)), plot_effects.StudyColumn("b", "E", (0.5, 0.6)),
        plot_effects.StudyColumn("c", "D", (0.1, 0.9)), plot_effects.StudyColumn("d", "E", (None, 0.6)),
    ]  # fmt: skip
    picture = plot_effects.study_map("a", "T", ["m", "n"], columns, addresses={(0, 2): "#/m/m"})
    inside(picture)
    assert picture.rows[0] == ("model", "c", "a", "b", "d")
    assert picture.body.count("<a href=") == 1
    assert picture.body.count("cell none") == 1


def test_orders_are_sorted_and_have_their_band() -> None:
    marks = [drawn_mark("ABC", 0.1, 0.0, 0.2), drawn_mark("CAB", -0.1, -0.2, 0.0)]
    picture = structure_plots.order_effect("a", "T", marks, n_items=9)
    inside(picture)
    assert [row[0] for row in picture.rows[1:]] == ["CAB", "ABC"]
    assert picture.body.count('class="mline"') == 2


def test_every_pair_is_in_the_triangle_once_and_grey_where_nothing_is_shown() -> None:
    cells = {
        (0, 1): plot_standing.PairCell(0.1, False),
        (0, 2): plot_standing.PairCell(0.4, True),
        (1, 2): plot_standing.PairCell(0.3, True),
    }
    picture = plot_standing.triangle("a", "T", ["x", "y", "z"], cells, label="PAS", level=0.95)
    inside(picture)
    assert picture.body.count("cell heat") == 2
    assert picture.body.count("cell band") == 1
    assert "2 of 3 pairs" in picture.description


def _of(value: float, low: float, high: float) -> Estimate:
    return Estimate(value, Interval(low, high, 0.8, ""), n=40)


def test_early_and_late_answers_are_hatched_where_they_cannot_be_compared() -> None:
    rows = [
        reasoning_plots.BeforeAfter("good", _of(0.4, 0.3, 0.5), _of(0.6, 0.5, 0.7), 0.2),
        reasoning_plots.BeforeAfter("bad", Estimate(0.4, n=40), Estimate(0.6, n=40), 0.2, failed=True),
    ]
    picture = reasoning_plots.dumbbells("a", "T", rows, majority=0.2)
    inside(picture)
    assert picture.body.count('class="hatch"') == 1
    assert "+0.20" in picture.body
    assert "concord-hatch" in picture.to_svg()
    assert "with 80 % intervals" in picture.caption


def test_rates_of_few_pairs_are_not_drawn() -> None:
    pairs = [PairTest(name, n, 0, None, 0.5, 0.1, None, "") for name, n in (("age", 9), ("all", 40))]
    picture = reasoning_plots.bias_pairs("a", "T", pairs)
    inside(picture)
    assert "age" not in picture.body
    assert picture.body.count("n = 40") == 1
    assert picture.caption.endswith("Too few pairs for a rate: age 9.")


def test_the_flow_of_answers_counts_what_changed() -> None:
    picture = reasoning_plots.flow("a", "T", {"n11": 5, "n10": 4, "n01": 1, "n00": 2})
    inside(picture)
    assert "became right: 4 · became wrong: 1" in picture.body


def test_a_forest_plot_draws_people_and_model_by_shape() -> None:
    pairs = [
        ("a", (0.5, 0.2, 0.8), (0.4, None, None)),
        ("b", (None, None, None), (1.0, 0.5, 1.5)),
    ]
    picture = forest("a", "T", pairs, level=0.95)
    inside(picture)
    kinds = [element.get("class") for element in parsed(picture).iter()]
    assert kinds.count("human") == 2  # one test and the legend
    assert kinds.count("model") == 3
    assert (kinds.count("pline"), kinds.count("mline")) == (1, 1)


def test_a_missing_cell_of_the_map_is_not_a_low_score() -> None:
    picture = structure_plots.item_map(
        "a", "T", [("i", 0.0), ("j", 0.75)], [("A", 0.5), ("B", 0.5)], [[0.0, None], [1.0, 0.5]]
    )
    inside(picture)
    rects = [e for e in parsed(picture).iter(f"{SVG}rect") if "cell" in (e.get("class") or "")]
    missing = [e for e in rects if e.get("class") == "cell none"]
    assert len(missing) == 1
    assert missing[0].find(f"{SVG}title") is not None
    # j has the mean 0.75 and is first; its scores lie 0.25 above and below, on a scale that ends at 0.5
    assert [(e.get("class"), e.get("fill-opacity")) for e in rects[:2]] == [
        ("cell over", "0.50"),
        ("cell under", "0.50"),
    ]
    assert "missing" in str(picture.body), "the legend names what an empty cell is"


@given(st.text(max_size=80), st.floats(20, 300))
def test_cut_text_is_never_wider_than_its_place(text: str, width: float) -> None:
    from concord.show.svg import _advance

    shown = fitted(text, width)
    assert sum(map(_advance, shown.rstrip("…"))) <= width
    assert not set("\u202e\u2066") & set(shown)


@given(st.text(st.characters(codec=None), max_size=30))
def test_visible_text_can_be_encoded_and_parsed(text: str) -> None:
    shown = visible(text)
    assert ET.fromstring(f"<a>{shown.replace('&', '').replace('<', '')}</a>") is not None
    assert len(shown) == len(text)


def test_a_scale_keeps_numbers_at_its_edge() -> None:
    scale = Scale(0, 1, 10, 110)
    assert [scale(value) for value in (-5, 0, 0.5, 1, 7)] == [10, 10, 60, 110, 110]


def test_ticks_are_round_and_inside() -> None:
    assert plots.ticks(0, 0.07) == [0.0, 0.02, 0.04, 0.06]
    assert plots.ticks(-3, 12) == [0.0, 5.0, 10.0]


def test_lines_that_stand_close_keep_the_names_that_fit() -> None:
    lines = [(0.0, "zero"), (0.001, "nearly"), (1.0, "one")]
    words = plots.intervals("a", "T", [plots.Mark("m", 0.5)], label="x", lines=lines).to_svg()
    assert ">zero<" in words
    assert ">nearly<" not in words
    assert ">one<" in words


def _plotted(result: Presented, *kind: str, **choices: str) -> Picture:
    picture = result.plot(*kind, **choices)
    assert isinstance(picture, Picture)
    return picture


def test_results_draw_themselves(tmp_path: Path) -> None:
    result = api.score_people(api.demo_table(), n_resamples=0)
    for kind in ("scatter", "effects", "conclusions", "losses", "pas", "ecs", "calibration", "asch-1946"):
        inside(_plotted(result, kind))
    with pytest.raises(
        OptionError, match="there is no picture 'pie' of this result; expected one of effects"
    ):
        result.plot("pie")
    structure = api.score_structure(scores=structure_rows(1), reading="paired", resamples=200)
    inside(_plotted(structure, "slopes"))
    with pytest.raises(OptionError, match="there is no model 'nobody'"):
        structure.plot(model="nobody")


def test_a_picture_saves_itself_as_its_name_ends(tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    picture = _plotted(api.score_people(api.demo_table(), n_resamples=0))
    assert picture.name == "effect-profile"
    assert picture.save(tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    assert ET.parse(picture.save(tmp_path / "a.svg")).getroot().tag == f"{SVG}svg"
    assert picture._repr_svg_() == picture.to_svg()
    assert picture.save(tmp_path / "a.pdf").read_bytes().startswith(b"%PDF")
    with pytest.raises(OptionError, match="ends neither in .svg nor in .pdf nor in .png"):
        picture.save(tmp_path / "a.gif")


@given(
    st.lists(st.floats(-5, 5), min_size=1, max_size=12),
    st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=6),
)
def test_lines_of_a_ranking_join_their_models_and_touch_no_other(
    values: list[float], spans: list[tuple[int, int]]
) -> None:
    ranked = [(f"m{i}", value) for i, value in enumerate(sorted(values, reverse=True))]
    groups = [[f"m{k}" for k in range(min(s), max(s) + 1) if k < len(ranked)] for s in spans]
    picture = standing_picture("r", "T", ranked, groups, label="x")
    inside(picture)
    root = parsed(picture)
    assert len([e for e in root.iter(f"{SVG}circle")]) == len(ranked)
    lines = [
        tuple(float(e.get(name, "")) for name in ("x1", "y1", "y2"))
        for e in root.iter(f"{SVG}line")
        if e.get("class") == "bar"
    ]
    assert len(lines) == sum(len(group) > 1 for group in groups)
    for i, (x, top, bottom) in enumerate(lines):
        for other, other_top, other_bottom in lines[:i]:
            assert x != other or bottom <= other_top or other_bottom <= top


def test_a_line_is_thin_where_it_passes_a_model_by() -> None:
    ranked = [("a", 0.9), ("b", 0.8), ("c", 0.5), ("d", 0.4)]
    root = parsed(standing_picture("r", "T", ranked, [["a", "c", "d"], ["b"]], label="x"))
    upright = [e for e in root.iter(f"{SVG}line") if e.get("x1") == e.get("x2")]
    bars = [e for e in upright if e.get("class") == "bar"]
    beside = [e for e in upright if e.get("class") == "axis" and e.get("x1") == bars[0].get("x1")]
    assert (len(bars), len(beside)) == (2, 1)


def test_what_has_no_picture_says_so() -> None:
    with pytest.raises(OptionError, match="there is no picture of a PlanResult"):
        api.plan(effect=0.05, items=200, means=(0.7, 0.75)).plot()


def test_a_comparison_draws_its_ranking() -> None:
    rows = [[{"item": i, "score": (i * 7 + k) % 10 / 10 - 0.2 * k} for i in range(40)] for k in range(3)]
    picture = _plotted(api.compare(*rows, names=["a", "b", "c"]))
    inside(picture)
    assert picture.description.startswith("score of 3 models. 1 a ")


def test_names_that_differ_stay_different_when_they_are_cut() -> None:
    names = ["persona_summary_with_thoughts_at_zero", "persona_summary_at_zero", "persona_at_zero"]
    columns = [StudyColumn(f"study {i}", "", (0.1, 0.5, 0.9)) for i in range(18)]
    picture = study_map("a", "T", names, columns)
    inside(picture)
    rows = [e.text for e in parsed(picture).iter(f"{SVG}text") if (e.text or "").startswith("pers")]
    assert len(set(rows)) == 3


def test_models_are_named_by_their_last_part_and_whole_where_one_points_at_them() -> None:
    columns = [StudyColumn("s", "", (0.1, 0.5))]
    picture = study_map("a", "T", ["org/team/model-a", "lab/model-b"], columns)
    assert ">model-a<title>org/team/model-a</title>" in picture.body
    same = study_map("a", "T", ["x/same", "y/same"], columns)
    assert ">x/same<" in same.body


def test_hints_name_every_model_in_a_row_of_its_own() -> None:
    rows = [(f"model {i}", Estimate(0.3), Estimate(0.9 - 0.1 * i), Estimate(0.1)) for i in range(5)]
    picture = two_ends_picture("a", "T", rows)
    assert picture is not None
    inside(picture)
    named = [e.text for e in parsed(picture).iter(f"{SVG}text") if (e.text or "").startswith("model ")]
    assert named == [f"model {i}" for i in range(5)]
    assert picture.rows[1] == ("model 0", 0.3, 0.9, None, None, 0.1, None, None)


def test_the_picture_of_worst_and_best_orders_keeps_its_name_for_few_and_many_models() -> None:
    for n in (3, 30):
        models = [structure_plots.OrderSlope(f"lab/model-{i}", 0.3, 0.4 + i / 100) for i in range(n)]
        picture = structure_plots.slopes("order-slopes", "From the worst order to the best", models)
        assert picture.name == "order-slopes"
        assert len(picture.rows) == n + 1
        assert f">model-{n - 1}<" in picture.to_svg()


def test_a_long_name_of_a_row_has_two_lines_and_is_whole() -> None:
    marks = [drawn_mark("Digital certificates for luxury consumption", 0.5, 0.4, 0.6)]
    svg = plots.intervals("pas", "PAS by study", marks, label="PAS", limits=(0, 1)).to_svg()
    assert "Digital certificates" in svg
    assert "luxury consumption<" in svg


def test_numbers_beside_outlying_tests_do_not_lie_on_each_other() -> None:
    points = [plot_effects.Effect(f"t{i}", (0.1, None, None), (2.0 + i / 50, None, None)) for i in range(4)]
    points += [plot_effects.Effect(f"n{i}", (0.1 * i, None, None), (0.1 * i, None, None)) for i in range(5)]
    svg = plot_effects.effects("e", "Effects", points, level=0.95).to_svg()
    found = re.findall(r'<text x="([\d.]+)" y="([\d.]+)"[^>]*class="s halo">t\d', svg)
    places = [(float(x), float(y)) for x, y in found]
    assert 1 <= len(places) <= 4
    assert all(abs(a - c) >= 8 or abs(b - d) >= 8 for (a, b), (c, d) in combinations(places, 2))


def test_many_tests_are_shaded_by_how_many_there_are_and_have_no_crosses() -> None:
    def drawn(n: int, *, predicted: bool = False) -> Picture:
        points = [plot_effects.Effect(f"t{i}", (0.1, 0.0, 0.2), (0.9, 0.8, 1.0)) for i in range(n)]
        return plot_effects.effects(
            "e", "E", points, level=0.8, slope=2.0, intercept=0.1, predicted=predicted
        )

    few, many = drawn(50), drawn(51)
    assert "cross" in few.body and "cross" not in many.body
    assert "fill-opacity" not in few.body and 'class="nil"' in many.body
    assert "80 %" in few.caption and "80 %" not in many.caption
    # what was predicted is across, people are up; the numbers are those of people and model all the same
    turned = drawn(50, predicted=True)
    assert "effect that was predicted, d" in turned.body
    assert "of the effect in people on the effect that was predicted" in turned.caption
    assert turned.rows[1][2] == 0.1


def test_outcomes_of_answers_are_joined_and_add_up() -> None:
    from types import SimpleNamespace
    from typing import cast

    from concord.people.studies.results import StudiesResult

    counted = {"a": {"ok": 6, "refused": 2, "several": 1, "missing": 1}, "b": {"ok": 3}, "c": {}}
    drawn = people_plots.outcomes_picture(cast(StudiesResult, SimpleNamespace(outcomes=counted)))
    assert drawn is not None
    assert drawn.rows[1:] == (("a", 0.1, 0.2, 0.1, 0.6), ("b", 0.0, 0.0, 0.0, 1.0))


def test_columns_of_many_pairs_have_numbers_and_those_of_few_names() -> None:
    from concord.show.plot_standing import PairCell, triangle

    for n, numbered in ((12, False), (40, True)):
        names = [f"lab/model-{i}" for i in range(n)]
        cells = {(i, j): PairCell(0.1, True) for i in range(n) for j in range(i + 1, n)}
        drawn = triangle("pairs", "T", names, cells, label="PAS", level=0.95)
        assert ("rotate(42)" in drawn.body or "rotate(42" in drawn.body) is not numbered
        assert (">25</text>" in drawn.body) is numbered
        assert ("25 model-24" in drawn.body) is numbered
        assert ("1 is lab/model-0" in drawn.caption) is numbered
