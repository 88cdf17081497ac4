"""The first screen of the page: the finding, the badges, one row per model, and which rank it may have."""

import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import cast

import polars as pl
import pytest
from tests.show.made_results import NAMES, structure_rows

from concord import api
from concord.records import Estimate, Interval
from concord.reports import page as make_page
from concord.show.page.findings import _covered
from concord.show.page.panel import Ranks, route, short_names
from concord.structure.records import ModelResult
from concord.structure.result import order_claims


def answer(html: str) -> str:
    first = html[html.index('<section id="answer"') :]
    return re.split('<section id="(?:board|people|structure|reasoning)"', first)[0]


def heading(html: str) -> str:
    found = re.search(r"<h1[^>]*>(.*?)</h1>", html, re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One model asked two questions, in a design for people, and a second one asked about order alone."""
    folder = tmp_path_factory.mktemp("both")
    api.score_people(api.demo_table(), model="lab/one", n_resamples=0, n_simulations=50).write(folder / "p")
    (folder / "p" / "run.json").write_text(json.dumps({"options": {"design": "participant"}}), "utf-8")
    rows = structure_rows(3).with_columns(
        model=pl.when(pl.col("model") == NAMES[0]).then(pl.lit("lab/one")).otherwise(pl.lit("lab/two"))
    )
    api.score_structure(scores=rows, reading="paired", resamples=200).write(folder / "s")
    return folder


def test_each_question_has_its_own_rows(both: Path) -> None:
    told = answer(make_page([both]).html)
    assert told.count("<tbody>") == 2
    studies, orders = (part[: part.index("</tbody>")] for part in told.split("<tbody>")[1:])
    assert studies.count("<tr") == 10  # one model with people: its studies
    assert orders.count("<tr") == 2 and "<bdi>two</bdi>" in orders  # a card with bars
    assert "3 · With its reasoning" in told and "Not asked of these models." in told


def test_a_cell_leads_to_its_question(both: Path) -> None:
    told = answer(make_page([both]).html)
    assert f'href="{route("lab/one, participant", "people", "asch-1946")}"' in told
    assert f'href="{route("lab/two", "structure")}"' in told


def test_the_title_says_what_was_found_of_one_model(both: Path) -> None:
    result = api.score_people(api.demo_table(), n_resamples=0, n_simulations=50)
    assert result.pas.value is not None
    said = heading(make_page([both]).html)
    assert said == f"one leads to people&#39;s conclusions {100 * result.pas.value:.0f} % of the time."


def test_invented_agents_are_marked_on_the_page_itself(tmp_path: Path) -> None:
    for name in ("scripted-1", "lab/real"):
        api.score_people(api.demo_table(), model=name, n_resamples=0, n_simulations=0).write(
            tmp_path / name.replace("/", "-")
        )
    assert ">synthetic data: 1 of 2</span>" in answer(make_page([tmp_path]).html)
    assert "synthetic data" not in answer(make_page([tmp_path / "lab-real"]).html)


def test_a_number_that_its_own_check_rejects_is_hatched_and_not_given(tmp_path: Path) -> None:
    rows = structure_rows(3).with_columns(S_Acc=pl.lit(0.0))
    api.score_structure(scores=rows, reading="paired", resamples=200, chance=0.25).write(tmp_path)
    told = answer(make_page([tmp_path]).html)
    assert "score at the floor" in told
    assert told.count('class="hatch"') == 2
    assert "its own check says that the number must not be read" in told


def test_the_tokens_and_settings_of_a_run_are_beside_its_result(tmp_path: Path) -> None:
    api.score_people(api.demo_table(), model="agent", n_resamples=0, n_simulations=0).write(
        tmp_path / "results"
    )
    (tmp_path / "run.json").write_text(json.dumps({"tokens": {"input": 539122, "output": 11484}}), "utf-8")
    assert '<td data-t="tokens">539,122 in, 11,484 out</td>' in make_page([tmp_path]).html


def test_settings_that_the_result_itself_records_are_told(tmp_path: Path) -> None:
    api.score_people(api.demo_table(), model="agent", n_resamples=0, n_simulations=0).write(tmp_path)
    file = tmp_path / "benchmark_summary.json"
    document = json.loads(file.read_text("utf-8"))
    document |= {"model_settings": {"temperature": 0.5}, "tokens": {"input": 7, "output": 8}}
    file.write_text(json.dumps(document), "utf-8")
    html = make_page([tmp_path]).html
    assert '<td data-t="sampling">temperature 0.5</td><td data-t="tokens">7 in, 8 out</td>' in html


@pytest.mark.parametrize(
    ("place", "ends", "said"),
    [
        (1.3, (0.4, 2.2), "100 % of that way"),
        (1.1, (0.92, 1.3), "as close as a rerun could be seen to be."),
        (-0.2, (-1.0, 0.6), "covered 0 % of that way"),
        (-0.2, (-0.5, 0.08), "no better than a model that shows no effects."),
        (1.3, None, "100 % of that way"),
    ],
)
def test_an_end_of_the_scale_is_claimed_only_where_the_whole_interval_lies_there(
    place: float, ends: tuple[float, float] | None, said: str
) -> None:
    interval = None if ends is None else Interval(*ends, 0.95, "")
    assert said in _covered("one", Estimate(place, interval))


def test_of_many_steady_models_the_title_rarely_says_that_order_moves_one() -> None:
    """One p of 0.02 among eight is chance; one of 0.001 is not."""
    rest = [0.1 * i for i in range(2, 9)]
    views = [_ordered(f"m{i}", p) for i, p in enumerate([0.02, *rest])]
    assert not any(one.means for one in order_claims(views))
    assert order_claims(views[:1])[0].means
    claims = order_claims([_ordered("strong", 0.001), *views])
    assert [one.means for one in claims] == [True, *[False] * len(views)]
    assert claims[0].p_holm == pytest.approx(0.009)


def _ordered(label: str, p: float) -> ModelResult:
    order = SimpleNamespace(p_value=p, claim_p=p)
    held = SimpleNamespace(model=label, gate="", flips=Estimate(None), flips_p=None, order=order)
    return cast("ModelResult", held)


def test_a_rank_range_counts_only_models_shown_to_be_better_or_worse() -> None:
    ranks = Ranks(("a", "b", "c", "d"), frozenset({("a", "d"), ("b", "d"), ("a", "c")}))
    assert [ranks.ranks(name) for name in "abcd"] == [(1, 2), (1, 3), (2, 4), (3, 4)]
    assert ranks.ranks("unknown") is None
    assert ranks.alike("a") == ["b"]


def test_names_are_shortened_only_where_they_stay_distinct() -> None:
    assert short_names(["a/x", "b/x", "c/y"]) == {"a/x": "a/x", "b/x": "b/x", "c/y": "y"}
