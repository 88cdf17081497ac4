"""The screen in a narrow terminal: rows one below the other, and no digit cut."""

import io
import re

import pytest
from rich.console import Group, RenderableType
from rich.table import Table

from concord import api
from concord.asking import runs
from concord.reasoning.files import ReasoningResult
from concord.show.declared import report_of
from concord.show.terminal import SafeConsole, drawn, fitting


def narrow(renderable: RenderableType, width: int) -> str:
    buffer = io.StringIO()
    SafeConsole(file=buffer, width=width).print(fitting(renderable))
    return buffer.getvalue()


def table() -> Table:
    made = Table(title="Two models", box=None, pad_edge=False)
    made.add_column("model")
    for name in ("mean", "interval"):
        made.add_column(name, no_wrap=True)
    made.add_row("first", "0.818", "[0.523, 0.949]")
    made.add_row("second", "0.273", "")
    return made


def test_a_table_that_fits_stays_a_table() -> None:
    assert narrow(table(), 80) == drawn(table(), width=80)


def test_a_table_that_does_not_fit_becomes_one_record_a_row() -> None:
    assert narrow(Group(table()), 30) == (
        "Two models\nfirst\n    mean 0.818\n    interval [0.523, 0.949]\nsecond\n    mean 0.273\n"
    )


def test_parts_of_a_record_share_a_line_where_they_fit() -> None:
    assert "    mean 0.818 · interval [0.523, 0.949]\n" not in narrow(table(), 30)
    wide = Table(box=None)
    for name in ("name", "a", "b", "c"):
        wide.add_column(name, no_wrap=True)
    wide.add_row("x" * 40, "1", "2", "3")
    assert "    a 1 · b 2 · c 3" in narrow(wide, 42)


NUMBER = re.compile(r"[-+]?\d+\.\d+")


@pytest.fixture(scope="module")
def reports() -> list[RenderableType]:
    people = api.score_people(api.demo_table(), n_resamples=20, n_simulations=20)
    reasoning = runs.score_bundled("reasoning")
    assert isinstance(reasoning, ReasoningResult)
    return [report_of(people), report_of(reasoning)]


@pytest.mark.parametrize("width", [40, 60, 80, 100, 200])
def test_no_number_of_a_report_is_cut_in_any_terminal(width: int, reports: list[RenderableType]) -> None:
    for report in reports:
        whole, shown = drawn(report, width=300), narrow(report, width)
        assert sorted(NUMBER.findall(shown)) == sorted(NUMBER.findall(whole))
        assert max(map(len, shown.splitlines())) <= width
