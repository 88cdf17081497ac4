"""The page as text: self-contained, strict, escaped, the same bytes for the same files."""

import base64
import gzip
import hashlib
import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path
from statistics import NormalDist
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.show.made_results import HOSTILE, NAMES

import concord
from concord.kinds import Column
from concord.people.picture_numbers import converted_interval
from concord.reports import page as make_page
from concord.show.page import own_findings, structure_panel
from concord.show.page.data import (
    PLAIN,
    by_columns,
    data_block,
    data_blocks,
    in_85_signs,
    packed,
    plain_document,
)


class Elements(HTMLParser):
    """Collects elements, and the text outside of scripts and styles."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.inside: dict[str, str] = {}
        self._raw = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))
        self._raw = tag if tag in ("script", "style") else ""
        if tag == "script" and dict(attrs).get("type") is not None:
            self._raw = str(dict(attrs)["id"])

    def handle_endtag(self, tag: str) -> None:
        self._raw = ""

    def handle_data(self, data: str) -> None:
        if self._raw:
            self.inside[self._raw] = self.inside.get(self._raw, "") + data
        else:
            self.text += data


@pytest.fixture(scope="module")
def html(results: Path) -> str:
    return make_page([results]).html


@pytest.fixture(scope="module")
def elements(html: str) -> Elements:
    parser = Elements()
    parser.feed(html)
    return parser


def unsigned(text: str) -> bytes:
    """Read what `in_85_signs` wrote, by the standard library."""
    length, _, signs = text.partition(" ")
    return base64.b85decode(signs.translate(str.maketrans(".,:", "<&>")))[: int(length)]


def page_data(elements: Elements, name: str = "data") -> dict[str, Any]:
    block = next(attrs for tag, attrs in elements.found if attrs.get("id") == name)
    text = elements.inside[name]
    if block["data-encoding"] == "gzip":
        text = gzip.decompress(unsigned(text)).decode("utf-8")
    loaded = json.loads(text)
    assert isinstance(loaded, dict)
    return loaded


def by_rows(value: Any) -> Any:
    """Undo `by_columns`."""
    if isinstance(value, list):
        return [by_rows(one) for one in value]
    if not isinstance(value, dict):
        return value
    if "@" not in value:
        return {key: by_rows(one) for key, one in value.items()}
    if value["@"] == 0:
        return {key: by_rows(one) for key, one in value["v"].items()}
    columns = [by_rows(column) for column in value["v"]]
    return [dict(zip(value["@"], row, strict=True)) for row in zip(*columns, strict=True)]


def test_nothing_is_loaded_from_elsewhere(elements: Elements) -> None:
    for tag, attrs in elements.found:
        assert tag not in ("link", "iframe", "img", "object", "embed", "base", "form")
        assert "src" not in attrs
        assert "style" not in attrs
        assert not [name for name in attrs if name.startswith("on")]
        assert (attrs.get("href") or "#").startswith("#")


def test_the_policy_allows_one_script_and_two_styles_by_their_hashes(elements: Elements, html: str) -> None:
    policy = next(a["content"] for t, a in elements.found if a.get("http-equiv") == "Content-Security-Policy")
    assert policy is not None
    assert policy.startswith("default-src 'none'; ")
    assert "unsafe" not in policy
    styles = re.findall(r"<style>(.*?)</style>", html, re.DOTALL)
    assert len(styles) == 2
    for text in (elements.inside["script"], *styles):
        digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy
    assert policy.count("sha256-") == 3
    kinds = [attrs.get("type") for tag, attrs in elements.found if tag == "script"]
    assert kinds.count(None) == 1
    assert set(kinds) == {None, "application/json"}


def test_ids_are_unique_and_every_link_inside_the_page_has_its_place(elements: Elements) -> None:
    ids = [attrs["id"] for _, attrs in elements.found if "id" in attrs]
    assert len(ids) == len(set(ids))
    links = {str(attrs["href"])[1:] for tag, attrs in elements.found if tag == "a"}
    assert {link for link in links if not link.startswith("/m/")} <= set(ids)
    names = [str(attrs["data-name"]) for _, attrs in elements.found if "data-panel" in attrs]
    models = {quote(name, safe="-_.~") for name in names}
    assert {link.split("/")[2] for link in links if link.startswith("/m/")} <= models


def test_names_of_models_show_as_text(elements: Elements, html: str) -> None:
    for name in (*NAMES, "agent one"):
        assert name in elements.text
    assert "<b>bold</b>" not in html
    assert not [tag for tag, _ in elements.found if tag == "b"]


def test_a_hostile_reply_is_text_in_the_examples_and_in_the_data(elements: Elements, html: str) -> None:
    assert "<script>window.hacked" not in html
    assert "<img" not in html
    replies = page_data(elements)["tables"]["replies"]
    text = next(column for column in replies["columns"] if column["key"] == "text")
    texts = page_data(elements, "texts")["texts"]
    shown = [texts[i] for i in text["v"]]
    assert any("<script>window.hacked = 1</script>" in one and "␀␛[31m␇" in one for one in shown)


def test_every_picture_has_a_title_and_a_description(elements: Elements) -> None:
    plots = [
        attrs for tag, attrs in elements.found if tag == "svg" and "plot" in str(attrs.get("class")).split()
    ]
    assert len(plots) >= 10
    ids = {attrs.get("id") for _, attrs in elements.found}
    for plot in plots:
        assert plot["role"] in ("img", "group")  # a group holds cells that lead elsewhere
        assert set(str(plot["aria-labelledby"]).split()) <= ids


def test_numbers_of_the_files_stand_on_the_page(results: Path, elements: Elements) -> None:
    summary = json.loads((results / "agent one" / "benchmark_summary.json").read_text("utf-8"))
    assert f"{summary['average_pas_raw']:.3f}" in elements.text
    interval = summary["average_ecs_interval"]
    assert f"[{interval['low']:.2f}, {interval['high']:.2f}]" in elements.text
    found = {attrs.get("data-v") for _, attrs in elements.found}
    assert repr(summary["average_pas_raw"]) in found


def test_a_score_about_people_stands_with_its_place_between_floor_and_ceiling(
    results: Path, elements: Elements
) -> None:
    summary = json.loads((results / "agent one" / "benchmark_summary.json").read_text("utf-8"))
    found = {attrs.get("data-v") for _, attrs in elements.found}
    for key in ("average_pas_raw_place", "average_ecs_place"):
        assert repr(summary[key]) in found
    for domain in summary["domains"]:
        if domain["score_place"] is not None:  # withheld where its interval is wider than 1
            assert repr(domain["score_place"]) in found


def test_every_denominator_and_warning_is_said(results: Path, elements: Elements) -> None:
    summary = json.loads((results / "agent one" / "benchmark_summary.json").read_text("utf-8"))
    for outcome, n in summary["outcomes"].items():
        assert f"{n} {outcome}" in elements.text
    for warning in summary["warnings"]:
        assert warning in elements.text
    for one in summary["inputs"]:
        assert one["sha256"] in elements.text


def test_human_sides_that_models_share_are_stored_once(elements: Elements) -> None:
    tables = page_data(elements)["tables"]
    assert tables["tests-0"]["base"] == tables["tests-1"]["base"] == "people-0"
    assert "people-1" not in tables
    assert tables["tests-0"]["n"] == tables["people-0"]["n"] == 57


def test_the_download_holds_the_documents_as_they_are(results: Path, elements: Elements) -> None:
    summary = json.loads((results / "agent one" / "benchmark_summary.json").read_text("utf-8"))
    n = page_data(elements)["documents"]
    documents = [page_data(elements, f"document-{i}") for i in range(n)]
    assert by_rows(next(d for d in documents if d["model"] == "agent one")["document"]) == summary
    assert {d["question"] for d in documents} == {"people", "referee", "structure", "reasoning"}
    referee = json.loads((results / "agent one" / "referee.json").read_text("utf-8"))
    told = [
        d for d in documents if d["question"] == "referee" and d["file"].endswith("agent one/referee.json")
    ]
    assert [by_rows(d["document"]) for d in told] == [referee]


def test_the_same_files_give_the_same_bytes(results: Path, html: str) -> None:
    assert make_page([results]).html == html


def test_the_order_of_folders_is_kept_and_a_folder_given_twice_counts_once(results: Path) -> None:
    page = make_page([results / "agent two", results / "agent one", results / "agent two"])
    assert page.content.models == ["agent two", "agent one"]


def test_large_data_are_compressed_and_small_ones_stay_readable() -> None:
    small, encoding = data_block({"a": "</script><!-- &"})
    assert encoding == "json"
    assert not set("<>&") & set(small)
    large, encoding = data_block({"a": "x" * PLAIN})
    assert encoding == "gzip"
    assert not set("<>&") & set(large)
    assert json.loads(gzip.decompress(unsigned(large))) == {"a": "x" * PLAIN}
    together = data_blocks([{"a": "x" * (PLAIN // 2)}, {"a": "y" * (PLAIN // 2)}])
    assert [encoding for _, encoding in together] == ["gzip", "gzip"]  # small alone, large together
    assert [encoding for _, encoding in data_blocks([{"a": 1}, {"b": 2}])] == ["json", "json"]


@given(st.binary(max_size=40))
def test_85_signs_hold_any_bytes(data: bytes) -> None:
    assert unsigned(in_85_signs(data)) == data


plain = st.none() | st.integers() | st.text("ab@v", max_size=3)
documents = st.recursive(
    plain,
    lambda inner: (
        st.lists(inner, max_size=6)
        | st.dictionaries(st.sampled_from(["a", "b", "@", "v"]), inner, max_size=3)
        | st.builds(lambda one: [{"a": one, "b": [one]}] * 5, inner)
    ),
    max_leaves=12,
)


@given(documents)
def test_documents_by_columns_come_back_as_they_were(document: Any) -> None:
    assert by_rows(json.loads(json.dumps(by_columns(document)))) == document


def test_no_key_is_repeated_in_a_list_of_like_objects() -> None:
    text = json.dumps(by_columns({"rows": [{"long_key": i, "other": None} for i in range(50)]}))
    assert text.count("long_key") == 1


def test_numbers_that_are_not_finite_become_words() -> None:
    assert plain_document({"a": [float("inf"), 1.5, None]}) == {"a": ["inf", 1.5, None]}


def test_a_packed_table_says_missing_and_does_not_say_zero() -> None:
    columns = (
        Column("a", title="A"),
        Column("b", title="B", held="flag"),
        Column("c", title="C", words=True),
    )
    table = packed(columns, [{"a": None, "b": None, "c": None}, {"a": 0.0, "b": False, "c": "x"}])
    assert [column["v"] for column in table["columns"]] == [[None, 0], [None, 0], [0, 1]]
    assert table["columns"][2]["names"] == ["", "x"]


@pytest.mark.parametrize(
    ("k", "n", "p0"), [(30, 48, 0.5), (12, 48, 0.5), (24, 48, 0.5), (20, 60, 0.25), (5, 60, 0.25)]
)
def test_the_interval_of_a_rate_is_that_of_its_difference_from_chance(k: int, n: int, p0: float) -> None:
    rate, scale = k / n, 2 / math.sqrt(p0 * (1 - p0))
    se, d = math.sqrt(rate * (1 - rate) / n), scale * (rate - p0)
    expected = (d - scale * 1.959964 * se, d + scale * 1.959964 * se)
    assert interval_d("binomial", rate, se, d) == pytest.approx(expected, rel=1e-5)


def interval_d(
    test_type: str, effect: float | None, se: float | None, d: float | None, level: float = 0.95
) -> tuple[float | None, float | None]:
    found = converted_interval(test_type, effect, se, d, level=level)
    return (None, None) if found is None else (found.low, found.high)


def test_the_interval_of_a_refined_rate_is_that_of_its_log_odds() -> None:
    to_d = math.sqrt(3) / math.pi
    expected = ((0.8 - 1.959964 * 0.3) * to_d, (0.8 + 1.959964 * 0.3) * to_d)
    assert interval_d("binomial", 0.8, 0.3, 0.8 * to_d) == pytest.approx(expected, rel=1e-5)


def test_ends_of_ranks_and_of_slopes_are_converted_one_by_one() -> None:
    low, high = 0.3 - 1.959964 * 0.1, 0.3 + 1.959964 * 0.1
    of_r = [2 * r / math.sqrt(1 - r * r) for r in (0.3, low, high)]
    assert interval_d("mann-whitney", 0.3, 0.1, of_r[0]) == pytest.approx((of_r[1], of_r[2]), rel=1e-5)
    of_rank = [math.sqrt(2) * NormalDist().inv_cdf((1 + r) / 2) for r in (0.3, low, high)]
    assert interval_d("mann-whitney", 0.3, 0.1, of_rank[0]) == pytest.approx(
        (of_rank[1], of_rank[2]), rel=1e-5
    )
    assert interval_d("mann-whitney", 0.9, 0.1, 2 * 0.9 / math.sqrt(0.19)) == (
        None,
        None,
    )  # an end beyond r = 1
    of_z = [2 * math.sinh(z) for z in (0.3, low, high)]
    assert interval_d("regression", 0.3, 0.1, of_z[0]) == pytest.approx((of_z[1], of_z[2]), rel=1e-5)


def test_an_interval_of_d_follows_the_effect_in_its_own_form() -> None:
    low, high = interval_d("correlation", 0.0, 0.1, 0.0)
    assert low is not None
    assert high is not None
    assert low == pytest.approx(-high)
    assert high == pytest.approx(0.3945, abs=1e-3)  # 2 sinh(0.196)
    assert interval_d("chi-square", 1.0, 0.5, 0.5513) == pytest.approx((0.0110, 1.0916), abs=1e-3)
    assert interval_d("chi-square", -1.0, 0.5, -0.5513) == pytest.approx((-1.0916, -0.0110), abs=1e-3)
    assert interval_d("anova", None, 0.1, 0.2) == (None, None)
    assert interval_d("binomial", 1.0, 0.0, 2.0) == (
        None,
        None,
    )  # Wald's error of a rate of 1 is no certainty
    assert interval_d("anova", 0.2, None, 0.2) == (None, None)
    assert interval_d("t-independent", 0.5, 0.1, 0.5, 0.8) == pytest.approx((0.3718, 0.6282), abs=1e-4)


def test_the_report_of_the_package_writes_the_page_and_its_pictures(results: Path, tmp_path: Path) -> None:
    made = concord.report(
        results / "agent one", out=tmp_path / "a" / "page.html", plots=tmp_path / "pictures"
    )
    assert made.path.read_bytes().startswith(b"<!doctype html>")
    assert made.size == made.path.stat().st_size
    assert made.models == ("agent one",)
    names = {path.relative_to(tmp_path / "pictures").as_posix() for path in made.plots}
    assert "people/agent one/effect-profile.svg" in names
    assert "people/agent one/forest/asch-1946/forest.svg" in names
    assert re.fullmatch(r"|SVG only: .*concord-eval\[report\].*", made.plots_note)


def test_hostile_text_is_the_one_the_fixture_promises() -> None:
    assert all(mark in HOSTILE for mark in ("<script>", "onerror", "</script>", "\u202e", "\x00"))


def test_a_mapping_names_the_models_of_results_that_do_not(results: Path, tmp_path: Path) -> None:
    made = concord.report({"my model": results / "agent one"}, out=tmp_path / "page.html")
    assert made.models == ("my model",)


def test_every_model_of_a_result_about_structure_is_seen_by_its_own_numbers(results: Path) -> None:
    content = make_page([results / "order"]).content
    views = content.of("structure")
    assert len(views) > 1
    assert [own_findings.entry_of(view).model for view in views] == [view.model for view in views]
    for view in views:
        assert view.numbers["worst"].value == own_findings.entry_of(view).worst.value
    spans = re.findall(r"(0\.\d+ to 0\.\d+)", structure_panel._order_pictures(views)[0].description)
    assert len(set(spans)) == len(views)
