"""Results in a notebook: tables are tables, drawings keep their spaces, nothing is read as HTML."""

import pytest
from rich.console import Group
from rich.table import Table
from rich.text import Text

from concord import api
from concord.show.declared import as_html
from concord.show.terminal import fitting


def made(title: str | None = "T < U") -> Table:
    table = Table(title=title)
    table.add_column("name")
    table.add_column("value", justify="right")
    table.add_row("  <b>x</b>", Text("1\n[0, 2]"))
    return table


def test_a_table_is_a_table_with_its_numbers_to_the_right() -> None:
    html = as_html(made())
    assert html.count("<tr>") == 2
    assert "T &lt; U</caption>" in html
    assert "&nbsp;&nbsp;&lt;b&gt;x&lt;/b&gt;</td>" in html
    assert 'text-align:right">1<br>[0, 2]</td>' in html
    assert as_html(fitting(made())) == html


def test_a_table_without_a_title_has_no_empty_caption() -> None:
    assert "<caption" not in as_html(made(None))


def test_indented_lines_keep_their_spaces_and_empty_ones_are_left_out() -> None:
    html = as_html(Group(Text("\nRanking"), Text("  1 a    0.8 │"), Text("")))
    assert '<p style="margin:.3em 0">Ranking</p>' in html
    assert "&nbsp;&nbsp;1 a    0.8 │</pre>" in html
    assert html.count("<p") == 2


def test_controls_are_spelt_out() -> None:
    assert "\x1b" not in as_html(Text("a\x1b[31mb"))


@pytest.fixture(scope="module")
def shown() -> str:
    return str(api.score_people(api.demo_table(), n_resamples=20, n_simulations=0)._repr_html_())


@pytest.mark.parametrize("part", ["<caption", "PAS same conclusion", "<svg", "A test of the model leads"])
def test_a_result_about_people_shows_its_tables_and_its_sentence(shown: str, part: str) -> None:
    assert part in shown.replace("  ", " ")
