"""What a referee asks as a section of the page: replication, difference, selection, priors, equivalence."""

from collections.abc import Sequence
from dataclasses import dataclass

from concord.errors import FileFormatError
from concord.people import NAME
from concord.people.referee import DOCUMENT, KEY, AgentMinusHuman, Referee, RefereeTest, referee_of
from concord.records import Estimate
from concord.show import plots
from concord.show.numbers import typeset
from concord.show.page import fragments
from concord.show.page.found import ResultFile
from concord.show.page.section import Section
from concord.show.referee_terminal import referee_lines
from concord.show.svg import Picture

MOST_ROWS = 40
"""Tests that the forest plot shows: those that differ most."""


@dataclass(frozen=True, slots=True)
class RefereeOf:
    """What a referee asks of one model."""

    model: str
    found: Referee


def _read_referee(source: ResultFile) -> RefereeOf:
    if source.file is None or source.file.name != DOCUMENT:
        raise FileFormatError(f"is not called {DOCUMENT}, so it is not shown")
    model, found = referee_of(source.file)
    return RefereeOf(model if model is not None else source.shown, found)


def difference_picture(one: RefereeOf) -> Picture:
    """Draw agent minus human d of the tests that differ most, with the meta-analytic mean."""
    known = [t for t in one.found.tests if t.difference_d is not None and t.difference_se is not None]
    known.sort(key=lambda t: -abs(_distance(t)))
    marks = [_test_mark(t) for t in known[:MOST_ROWS]]
    meta = one.found.difference.meta
    if meta is not None and meta.mean.interval is not None:
        ends = meta.mean.interval
        marks.insert(0, plots.Mark("mean of all tests", meta.mean.value, ends.low, ends.high, strong=True))
    title = f"Agent minus human d, {one.model}"
    return plots.intervals("referee", title, marks, label="agent − human, d", lines=((0.0, "no difference"),))


def _distance(test: RefereeTest) -> float:
    d, se = test.difference_d, test.difference_se
    return 0.0 if d is None or se is None else d / se


def _test_mark(test: RefereeTest) -> plots.Mark:
    d, se = test.difference_d, test.difference_se
    assert d is not None
    assert se is not None
    # a finding that its test names again says nothing
    finding = "" if test.finding in test.test else f" {test.finding}"
    name = f"{test.study}{finding} {test.test}"
    return plots.Mark(name, d, d - 1.96 * se, d + 1.96 * se)


def _inside_rows(found: Referee) -> list[list[fragments.Cell]]:
    rows = [found.inside, *found.inside_studies]
    return [[one.name, float(one.inside), float(one.n), one.share, one.p_value] for one in rows]


def _meta_row(one: AgentMinusHuman) -> list[fragments.Cell]:
    if one.meta is None:
        return [one.name, None, None, None, None, None]
    meta = one.meta
    spread = Estimate(meta.mean.value, meta.prediction)
    return [one.name, meta.mean, spread, meta.tau2**0.5, meta.i2, meta.p_value]


def _study_rows(found: Referee) -> list[list[fragments.Cell]]:
    return [
        [
            one.study,
            one.difference,
            float(one.n_replications),
            float(one.n_supported),
            float(one.n_opposed),
            float(one.n_too_small),
            float(one.n_kept),
            float(one.n_equivalent),
        ]
        for one in found.studies
    ]


def _prior_rows(found: Referee) -> list[list[fragments.Cell]]:
    scales = dict.fromkeys(cell.scale for cell in found.priors)
    return [
        [f"scales of the priors × {scale:g}", *(cell.pas for cell in found.priors if cell.scale == scale)]
        for scale in scales
    ]


def _show_one(one: RefereeOf, i: int) -> str:
    found = one.found
    number = fragments.Heading
    odds = dict.fromkeys(cell.odds for cell in found.priors)
    words = [typeset(line.strip()) for line in referee_lines(found)][1:]
    picture = fragments.figure(
        difference_picture(one), f"referee{i}", "Lines are 95 % intervals; widest gaps first."
    )
    return fragments.fragment(
        fragments.facts(words),
        fragments.folded(
            "Test by test, by study and under other priors",
            picture,
            fragments.table(
                f"replication-intervals-{i}",
                "Tests inside the interval of a human replication",
                ["", number("inside", digits=0), number("tests", digits=0), number("share"), number("p")],
                _inside_rows(found),
            ),
            fragments.table(
                f"agent-minus-human-{i}",
                "Meta-analysis of agent minus human d",
                [
                    "",
                    number("mean"),
                    number("another test"),
                    number("tau"),
                    number("I²"),
                    number("p", digits=3),
                ],
                map(_meta_row, (found.difference, found.difference_sized, *found.difference_domains)),
            ),
            fragments.table(
                f"referee-studies-{i}",
                "By study: difference, replication Bayes factors, small telescopes, equivalence",
                [
                    "study",
                    number("agent - human d"),
                    number("human effects", digits=0),
                    number("factor above 3", digits=0),
                    number("below 1/3", digits=0),
                    number("too small", digits=0),
                    number("nulls kept", digits=0),
                    number("equivalent", digits=0),
                ],
                _study_rows(found),
            ),
            fragments.table(
                f"priors-{i}",
                "PAS under other priors",
                ["", *(number(f"odds {value:.2g}") for value in odds)],
                _prior_rows(found),
            ),
        ),
    )


def _show_referee(records: Sequence[RefereeOf]) -> str:
    return fragments.fragment(
        *(
            fragments.fragment(fragments.subheading(one.model), _show_one(one, i))
            for i, one in enumerate(records)
        )
    )


SECTION = Section(
    name="referee",
    question=NAME,
    heading="For the referee",
    file=DOCUMENT,
    key=KEY,
    read=_read_referee,
    show=_show_referee,
    show_one=_show_one,
    pictures=lambda records: [difference_picture(one) for one in records],
)
