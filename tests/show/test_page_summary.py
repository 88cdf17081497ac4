"""The first section of the page: one plain line a question for every model, and no more models than fit."""

import json
import re
from pathlib import Path

import polars as pl
from tests.show.made_results import NAMES, structure_rows

from concord import api
from concord.questions import page as make_page
from concord.show.page.summary import MOST


def section(html: str) -> str:
    found = re.search(r'<section id="short".*?</section>', html, re.DOTALL)
    assert found is not None
    return found[0]


def test_every_model_is_told_of_before_the_table_of_files(results: Path) -> None:
    html = make_page([results]).html
    assert html.index('id="short"') < html.index('id="asked"')
    told = section(html)
    for question in ("With people:", "With itself:", "With its reasoning:"):
        assert question in told
    assert "&lt;b&gt;bold&lt;/b&gt;" in told
    assert "<b>bold" not in told
    assert NAMES[1] in told


def test_the_lines_give_the_numbers_of_the_results(tmp_path: Path) -> None:
    result = api.score_people(api.demo_table(), model="agent", n_resamples=20, n_simulations=0)
    result.write(tmp_path)
    pas = result.pas
    assert pas.value is not None
    assert pas.interval is not None
    wanted = f"probability {pas.value:.2f} (95 % {pas.interval.low:.2f} to {pas.interval.high:.2f})"
    assert wanted in section(make_page([tmp_path]).html)


def test_of_many_models_the_first_are_told_and_the_rest_are_folded(tmp_path: Path) -> None:
    rows = structure_rows(1)
    names = rows["model"].unique().to_list()
    for i in range(MOST):
        one = rows.filter(rows["model"] == names[0]).with_columns(model=pl.lit(f"model {i}"))
        api.score_structure(scores=one, reading="paired", resamples=200).write(tmp_path / str(i))
    assert "<details>" not in section(make_page([tmp_path]).html)
    one = rows.filter(rows["model"] == names[0]).with_columns(model=pl.lit("one more"))
    api.score_structure(scores=one, reading="paired", resamples=200).write(tmp_path / "more")
    told = section(make_page([tmp_path]).html)
    assert "<summary>1 more, in the order of the leaderboard</summary>" in told
    assert told.count("<dt>") == MOST + 1


def test_the_tokens_of_a_run_stand_beside_its_result(tmp_path: Path) -> None:
    api.score_people(api.demo_table(), model="agent", n_resamples=20, n_simulations=0).write(
        tmp_path / "results"
    )
    (tmp_path / "run.json").write_text(json.dumps({"tokens": {"input": 539122, "output": 11484}}), "utf-8")
    assert "<td>539,122 in, 11,484 out</td>" in make_page([tmp_path]).html
