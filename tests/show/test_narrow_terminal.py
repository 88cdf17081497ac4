"""The screen in a narrow terminal: columns that do not fit are named, and no digit is cut."""

import io
import re
from collections import Counter

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
    assert narrow(table(), 80).splitlines()[1:] == drawn(table(), width=80).splitlines()[1:]


def test_columns_that_do_not_fit_are_dropped_and_named() -> None:
    shown = narrow(Group(table()), 26).splitlines()
    assert [line.split() for line in shown[1:4]] == [
        ["model", "mean"],
        ["first", "0.818"],
        ["second", "0.273"],
    ]
    assert " ".join(shown[4:]).split() == ["Not", "shown", "at", "this", "width:", "interval."]


def test_a_table_of_which_no_two_columns_fit_becomes_one_record_a_row() -> None:
    assert narrow(Group(table()), 14).startswith("Two models\nfirst\n    mean 0.818\n    interval")


def test_parts_of_a_record_share_a_line_where_they_fit() -> None:
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
        here, all_of_them = Counter(NUMBER.findall(shown)), Counter(NUMBER.findall(whole))
        assert not here - all_of_them  # none is cut to another
        assert here == all_of_them or "Not shown at this width" in " ".join(shown.split())
        assert max(map(len, shown.splitlines())) <= width
