"""Judges as a section of the page: what the seats do, length, people, wins."""

from collections.abc import Sequence

from concord.errors import FileFormatError
from concord.records import Estimate
from concord.show import plots
from concord.show.citations import CONCORD, METHODS
from concord.show.further_methods import judge_methods
from concord.show.page import fragments
from concord.show.page.found import ResultFile
from concord.show.page.section import Section
from concord.show.svg import Picture
from concord.structure import NAME
from concord.structure.judging.result import DOCUMENT, JudgeResult, JudgeScores, read

_SEATS = ("flip_excess", "preference", "inconsistency", "repeat", "ties")
_OTHERS = ("longer", "length_slope", "agreement", "kappa", "agreement_human", "kappa_human")


def _read_judges(source: ResultFile) -> JudgeResult:
    if source.file is None or source.file.name != DOCUMENT:
        raise FileFormatError(f"is not called {DOCUMENT}, so its judges are not shown")
    return read(source.file.parent)


def _judge_mark(one: JudgeScores) -> plots.Mark:
    number = one.numbers["preference"]
    ends = number.interval
    return plots.Mark(
        one.judge, number.value, None if ends is None else ends.low, None if ends is None else ends.high
    )


def judge_picture(result: JudgeResult) -> Picture:
    """Draw every judge's preference for the first seat with its interval."""
    marks = [_judge_mark(one) for one in result.judges if one.numbers["preference"].value is not None]
    label = "votes for the first seat minus 1/2 (0: no preference)"
    return plots.intervals("judges", "Preference for the first seat", marks, label=label, limits=(-0.5, 0.5))


def _judge_cells(one: JudgeScores, names: Sequence[str]) -> list[fragments.Cell]:
    return [one.judge, *(Estimate(one.numbers[name].value, one.numbers[name].interval) for name in names)]


def _one_result(result: JudgeResult, i: int) -> str:
    seats: list[fragments.Heading | str] = [
        "judge",
        *map(fragments.Heading, ("flip excess", "preference", "inconsistency", "repeats", "ties")),
    ]
    others: list[fragments.Heading | str] = [
        "judge",
        *map(fragments.Heading, ("longer wins", "log odds", "agree", "kappa", "people agree", "their kappa")),
    ]
    wins: list[fragments.Heading | str] = ["judge", "model", fragments.Heading("win rate")]
    rows: list[list[fragments.Cell]] = [
        [one.judge, win.model, Estimate(win.rate.value, win.rate.interval)]
        for one in result.judges
        for win in one.wins
    ]
    drawn = any(one.numbers["preference"].value is not None for one in result.judges)
    note = f"Lines are {result.level:.0%} intervals."
    return fragments.fragment(
        *(fragments.paragraph(one.sentence) for one in result.judges),
        *([fragments.figure(judge_picture(result), f"judges{i}", note)] if drawn else []),
        fragments.table(
            f"judge-seats-{i}",
            "What the seats do",
            seats,
            [_judge_cells(one, _SEATS) for one in result.judges],
        ),
        fragments.table(
            f"judge-others-{i}",
            "Length and people",
            others,
            [_judge_cells(one, _OTHERS) for one in result.judges],
        ),
        fragments.table(f"judge-wins-{i}", "Wins after both orders, ties half", wins, rows),
    )


def _show_judges(records: Sequence[JudgeResult]) -> str:
    return fragments.fragment(*(_one_result(result, i) for i, result in enumerate(records)))


SECTION = Section(
    name="judges",
    question=NAME,
    heading="Judges",
    file=DOCUMENT,
    key="judges",
    read=_read_judges,
    show=_show_judges,
    pictures=lambda records: [
        judge_picture(result)
        for result in records
        if any(one.numbers["preference"].value is not None for one in result.judges)
    ],
    says=lambda result: [one.sentence for one in result.judges],
    who=lambda result: [one.judge for one in result.judges],
    methods=judge_methods,
    cites=(CONCORD, METHODS["holm1979"]),
)
