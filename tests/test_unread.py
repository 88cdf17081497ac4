"""Unread answers are counted, told on every surface, and withhold what they could overturn."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import pytest

from concord.files.codec import decode, encode
from concord.kinds import Column, Kind, Table, unread_table
from concord.records import EMPTY, Estimate, Interval, Told, UnreadBounds
from concord.show.declared import report_of
from concord.show.page.declared import shown_results
from concord.show.terminal import drawn, fitting
from concord.stats.unread import bounded, count_unread, share_bounds, told
from concord.unread import holds, unread_notes, unread_sentence, unread_sentences, withheld


@dataclass(frozen=True, slots=True, repr=False)
class YesResult(Kind):
    """A share of yes."""

    FORMAT: ClassVar[str] = "yes result"
    FILE: ClassVar[str] = "yes.json"
    QUESTION: ClassVar[str] = "people"
    SECTION: ClassVar[str] = "yes"
    HEADING: ClassVar[str] = "Yes"
    KEY: ClassVar[str] = "yes"
    TABLES: ClassVar[tuple[Table, ...]] = (
        Table("yes", lambda result: [result], (Column("of", lambda _: "m", words=True), Column("yes"))),
        unread_table("yes_unread.csv"),
    )

    yes: Estimate
    unread: Told = field(default=(), metadata=EMPTY)

    def sentences(self) -> Sequence[str]:
        """Return what was found."""
        return [*unread_sentences(self.unread), "Yes was said."]

    def notes(self) -> Sequence[str]:
        """Return what was not read."""
        return unread_notes(self.unread)


SHARE = Estimate(0.45, Interval(0.33, 0.57, 0.95, "Wilson"), n=60)
LOST = ["ok"] * 58 + ["unreadable"] * 2 + ["ok"] * 40 + ["unreadable"] * 15 + ["refused"] * 5
ORDERS = ["AB"] * 60 + ["BA"] * 60


def _lost(outcomes: Sequence[str] = LOST) -> Told:
    return told([count_unread(outcomes, ORDERS, by="order")])


def test_unread_answers_are_counted_by_group_and_outcome() -> None:
    (found,) = _lost()
    assert (found.asked, found.unread, found.differs) == (120, 22, True)
    assert [(one.group, one.asked, one.unread, one.outcomes) for one in found.groups] == [
        ("AB", 60, 2, {"unreadable": 2}),
        ("BA", 60, 20, {"refused": 5, "unreadable": 15}),
    ]
    assert unread_sentence(found) == (
        "22 of 120 answers could not be read (17 unreadable, 5 refused), and the share differs by order "
        "(AB 3 %, BA 33 %; p < .001), so differences by order may come from what was not read."
    )
    assert unread_sentences((found,)) == [f"Warning: {unread_sentence(found)}"] and not unread_notes((found,))


def test_what_is_alike_in_all_groups_is_a_note() -> None:
    (found,) = _lost((["ok"] * 55 + ["empty"] * 5) * 2)
    assert unread_sentence(found) == (
        "10 of 120 answers could not be read (10 empty); no difference by order is shown, p = 1.000."
    )
    assert unread_notes((found,)) == [unread_sentence(found)] and not unread_sentences((found,))


def test_many_groups_are_named_by_the_most_and_the_least() -> None:
    outcomes = (["ok"] * 20) * 4 + ["ok"] * 4 + ["empty"] * 16
    groups = [name for name in "abcde" for _ in range(20)]
    assert "(e 80 %, a 0 %; p < .001)" in count_unread_and_told(outcomes, groups)


def count_unread_and_told(outcomes: Sequence[str], groups: Sequence[str]) -> str:
    (found,) = told([count_unread(outcomes, groups, by="arm", what="m")])
    assert unread_sentence(found).startswith("m: 16 of 100 answers could not be read")
    return unread_sentence(found)


def test_where_everything_was_read_nothing_is_kept() -> None:
    assert _lost(["ok"] * 120) == ()
    assert encode(YesResult(SHARE)).keys() == {"yes"}
    assert encode(SHARE).keys() == {"value", "interval", "n", "n_left_out", "method", "note"}


def test_tests_of_a_result_are_taken_together() -> None:
    lost = ["ok"] * 59 + ["empty"] + ["ok"] * 52 + ["empty"] * 8
    one = count_unread(lost, ORDERS, by="order")
    assert one.p is not None and 0.01 < one.p < 0.05
    assert told([one])[0].differs
    assert not any(found.differs for found in told([replace(one, what=name) for name in "abcde"]))


def _result() -> YesResult:
    return YesResult(bounded(SHARE, share_bounds(27, 60, 12), asked=72), _lost())


def test_every_surface_shows_the_bounds_and_the_warning(tmp_path: Path) -> None:
    result = _result()
    page = str(shown_results([result])).replace("−", "-")
    terminal = drawn(fitting(report_of(result)), width=160)
    for shown in (page, terminal, result._repr_html_(), repr(result)):
        for said in (
            "{0.38, 0.54}",
            "Braces: bounds",
            "Warning: 22 of 120 answers could not be read",
            "refused",
        ):
            assert said in shown, (said, shown)
    assert "{0.38, 0.54}" in result.table("yes").to_markdown().replace("\\", "")
    assert [path.name for path in result.write(tmp_path)] == ["yes.json", "yes_unread.csv"]
    assert YesResult.read(tmp_path) == result
    rows = (tmp_path / "yes_unread.csv").read_text("utf-8").splitlines()
    assert rows[0] == "of,by,group,asked,unread,share,outcomes,p,test,differs"
    assert rows[2].startswith(',order,BA,60,20,0.3333333333333333,"5 refused, 15 unreadable",')


def test_a_result_without_unread_answers_shows_and_writes_none_of_it(tmp_path: Path) -> None:
    _result().write(tmp_path)
    result = YesResult(SHARE)
    assert [path.name for path in result.write(tmp_path)] == ["yes.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["yes.json"]  # that of the earlier result is gone
    shown = repr(result) + str(shown_results([result]))
    assert "unread" not in shown.replace("yes-unread", "") and "{" not in shown
    assert decode(Estimate, encode(SHARE), where="x") == SHARE


@pytest.mark.parametrize(("n_unread", "shown"), [(1, False), (2, False), (3, True)])
def test_bounds_are_shown_beyond_2_percent(n_unread: int, shown: bool) -> None:
    found = bounded(SHARE, share_bounds(40, 100 - n_unread, n_unread), asked=100)
    assert (found.bounds is not None) == shown


def test_an_undefined_number_has_no_bounds_and_holds_nowhere() -> None:
    nothing = Estimate(None, note="no answer")
    assert bounded(nothing, UnreadBounds(0, 1, None, 9), asked=9) == nothing
    assert not holds(nothing)


@pytest.mark.parametrize(
    ("estimate", "bounds", "kept"),
    [
        (0.3, None, True),
        (0.3, UnreadBounds(0.1, 0.4, Interval(0.02, 0.5, 0.95, ""), 5), True),
        (0.3, UnreadBounds(0.1, 0.4, Interval(-0.02, 0.5, 0.95, ""), 5), False),
        (-0.3, UnreadBounds(-0.4, -0.1, Interval(-0.5, -0.02, 0.95, ""), 5), True),
        (-0.3, UnreadBounds(-0.4, 0.1, None, 5), False),
    ],
)
def test_a_claim_holds_where_no_filling_overturns_it(
    estimate: float, bounds: UnreadBounds | None, kept: bool
) -> None:
    assert holds(Estimate(estimate, bounds=bounds)) == kept


def test_a_withheld_claim_says_why() -> None:
    found = Estimate(0.3, bounds=UnreadBounds(-0.1, 0.4, None, 12))
    assert withheld("the first seat is preferred", found) == (
        "It is not said whether the first seat is preferred: 12 answers could not be read, and with all of "
        "them one way or the other the number is -0.10 to 0.40."
    )
    assert withheld("it moved", Estimate(0.3)) == (
        "It is not said whether it moved: answers that could not be read could overturn it."
    )
