"""Options and formats as a section of the page: what changes with them, and what their places do."""

from collections.abc import Sequence

from concord.errors import FileFormatError
from concord.records import Estimate
from concord.show.further_methods import option_methods
from concord.show.options_plots import choices_picture, has_places, places_picture
from concord.show.page import fragments
from concord.show.page.found import ResultFile
from concord.show.page.section import Section
from concord.show.svg import Picture
from concord.structure import NAME
from concord.structure.options.result import DOCUMENT, OptionResult, read

_HEADS = ("consistency", "repeats agree", "flip excess", "RStd", "RStd without places", "p", "first", "last")


def _read_options(source: ResultFile) -> OptionResult:
    if source.file is None or source.file.name != DOCUMENT:
        raise FileFormatError(f"is not called {DOCUMENT}, so its options are not shown")
    return read(source.file.parent)


def _option_row(result: OptionResult) -> list[fragments.Cell]:
    scores = result.scores
    ends: list[Estimate | None] = (
        [scores.selection[0], scores.selection[-1]] if scores.selection else [None, None]
    )
    return [
        f"{result.model}: {result.arranger}",
        scores.consistency,
        scores.repeat_agreement,
        scores.flip_excess,
        scores.rstd,
        scores.rstd_floor,
        scores.rstd_p,
        *ends,
    ]


def _option_pictures(records: Sequence[OptionResult]) -> list[Picture]:
    drawn = [result for result in records if has_places(result)]
    return [places_picture(drawn), choices_picture(drawn)] if drawn else []


def _show_options(records: Sequence[OptionResult]) -> str:
    columns: list[fragments.Heading | str] = ["model", *map(fragments.Heading, _HEADS)]
    notes = ("Lines are 95 % intervals over questions.", "0: every place is chosen as often as any other.")
    return fragments.fragment(
        *(fragments.paragraph(f"{result.model}: {result.scores.sentence}") for result in records),
        fragments.figures(
            *(
                fragments.figure(picture, f"options{i}", notes[i])
                for i, picture in enumerate(_option_pictures(records))
            )
        ),
        fragments.table(
            "options", "Options in other places, names and formats", columns, map(_option_row, records)
        ),
        fragments.paragraph(
            "Consistency: two replies under unlike arrangements choose the same option. Flip excess: what "
            "the arrangement changes beyond what changes between repeats. RStd: standard deviation of "
            "accuracy over places of the right option, beside what it would be if places did nothing, with "
            "the test against that. First, last: choices of that place beyond an even share.",
            soft=True,
        ),
    )


SECTION = Section(
    name="options",
    question=NAME,
    heading="Options and formats",
    file=DOCUMENT,
    key="option_scores",
    read=_read_options,
    show=_show_options,
    pictures=_option_pictures,
    says=lambda result: [f"{result.model}: {result.scores.sentence}"],
    who=lambda result: [result.model],
    methods=option_methods,
)
