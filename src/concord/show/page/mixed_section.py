"""People and predictions together as a section of the page: the estimates, and what the model is worth."""

from collections.abc import Sequence

from concord.errors import FileFormatError, OptionError
from concord.people import NAME
from concord.people.mixed.result import DOCUMENT, CombinedEstimate, CombineResult, read_combined
from concord.show import plots
from concord.show.further_methods import combine_methods
from concord.show.mixed_terminal import estimate_name, rests_on_words
from concord.show.page import fragments
from concord.show.page.found import ResultFile
from concord.show.page.section import Section
from concord.show.svg import Picture

_HEADS = ("combined", "people only", "r", "weight")


def _read_combine(source: ResultFile) -> CombineResult:
    if source.file is None or source.file.name != DOCUMENT:
        raise FileFormatError(f"is not called {DOCUMENT}, so its estimates are not shown")
    return read_combined(source.file.parent)


def _combined_marks(one: CombinedEstimate) -> list[plots.Mark]:
    """Return people alone, then people with the predictions, each with its interval."""
    name = estimate_name(one)
    people, both = one.people_only, one.estimate
    return [
        plots.Mark(f"{name}: {one.n_people:,} people", people.value, *people.ends, people=True),
        plots.Mark(f"and {one.n_predictions:,} predictions", both.value, *both.ends),
    ]


def combined_picture(result: CombineResult, *, width: float = plots.WIDTH) -> Picture:
    """Draw every estimate from people alone and from people and predictions together."""
    marks = [mark for one in result.estimates for mark in _combined_marks(one)]
    kinds = {one.kind for one in result.estimates}
    what = {"mean": "mean answer", "share": "share", "difference": "difference"}
    label = what.get(next(iter(kinds)), "estimate") if len(kinds) == 1 else "estimate"
    return plots.intervals("combined", "People alone, and with predictions", marks, label=label, width=width)


def draw_combined(result: CombineResult, kind: str = "estimates", *, units: float = plots.WIDTH) -> Picture:
    """Draw the estimates."""
    if kind != "estimates":
        raise OptionError(f"there is no picture {kind!r} of combined estimates; expected estimates")
    return combined_picture(result, width=units)


def _combined_row(one: CombinedEstimate) -> list[fragments.Cell]:
    numbers: list[fragments.Cell] = [one.estimate, one.people_only, one.correlation, one.weight]
    return [estimate_name(one), *numbers, one.worth, float(one.n_people), float(one.n_predictions)]


def _warned_of(result: CombineResult) -> list[str]:
    return [f"Before using it: {line}." for line in result.warnings]


def _show_combined(records: Sequence[CombineResult]) -> str:
    columns: list[fragments.Heading | str] = [
        "estimate",
        *map(fragments.Heading, _HEADS),
        *(fragments.Heading(words, digits=0) for words in ("worth", "persons", "predictions")),
    ]
    pieces = []
    for i, result in enumerate(records):
        note = f"Lines are {100 * result.level:g} % intervals."
        pieces += [
            *(fragments.paragraph(line) for line in (result.sentence, *_warned_of(result))),
            fragments.figure(combined_picture(result), f"combined{i}", note),
            fragments.table(f"combined-{i}", "Every estimate", columns, map(_combined_row, result.estimates)),
            *(fragments.paragraph(line, soft=True) for line in rests_on_words(result) if line),
        ]
    return fragments.fragment(*pieces)


SECTION = Section(
    name="combined",
    question=NAME,
    heading="People and predictions together",
    file=DOCUMENT,
    key="estimates",
    read=_read_combine,
    show=_show_combined,
    pictures=lambda records: [combined_picture(result) for result in records],
    says=lambda result: [result.sentence, *_warned_of(result)],
    methods=combine_methods,
)
