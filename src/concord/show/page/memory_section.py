"""What a model remembers of studies as a section of the page: recognition, and original against variant."""

from collections.abc import Sequence

from concord.errors import FileFormatError
from concord.people import NAME
from concord.people.memory.files import DOCUMENT, MemoryResult, difference, read
from concord.show import plots
from concord.show.further_methods import memory_methods
from concord.show.memory_terminal import directions, yes
from concord.show.page import fragments
from concord.show.page.found import ResultFile
from concord.show.page.section import Section
from concord.show.svg import Picture


def _read_memory(source: ResultFile) -> MemoryResult:
    if source.file is None or source.file.name != DOCUMENT:
        raise FileFormatError(f"is not called {DOCUMENT}, so what the model remembers is not shown")
    return read(source.file.parent)


def memory_picture(result: MemoryResult) -> Picture | None:
    """Draw what each study loses under another surface, and the mean over recognised studies."""
    marks = [
        plots.Mark(f"{one.study}: {one.variant}", change, None, None)
        for one in result.pairs
        if (change := difference(one.pas, one.variant_pas)) is not None
    ]
    if not marks:
        return None
    delta, ends = result.delta_pas, result.delta_pas.interval
    if delta.value is not None:
        low, high = (None, None) if ends is None else (ends.low, ends.high)
        marks.append(plots.Mark("mean, recognised", delta.value, low, high, strong=True))
    return plots.intervals(
        "memory",
        "Does the model do better on the study as published?",
        marks,
        label="PAS of the original minus PAS of the variant",
        lines=[(0.0, "no difference")],
    )


def _said_of(result: MemoryResult) -> str:
    return result.sentence if result.model is None else f"{result.model}: {result.sentence}"


def _one_memory(result: MemoryResult, i: int) -> str:
    picture = memory_picture(result)
    known: list[fragments.Heading | str] = [
        "study",
        "recognised",
        "year right",
        "directions right",
        "authors named",
    ]
    pairs: list[fragments.Heading | str] = [
        "study",
        "variant",
        "recognised",
        *(
            fragments.Heading(name)
            for name in ("PAS", "PAS of variant", "difference", "ECS", "ECS of variant")
        ),
        fragments.Heading("findings", digits=0),
    ]
    rows: list[list[fragments.Cell]] = [
        [
            one.study, one.variant, yes(one.recognised), one.pas, one.variant_pas,
            difference(one.pas, one.variant_pas), one.ecs, one.variant_ecs, float(one.n_findings),
        ]
        for one in result.pairs
    ]  # fmt: skip
    asked: list[list[fragments.Cell]] = [
        [one.study, yes(one.recognised), yes(one.year_right), directions(one), one.authors]
        for one in result.recognised
    ]
    return fragments.fragment(
        fragments.paragraph(_said_of(result)),
        *(
            []
            if picture is None
            else [
                fragments.figure(
                    picture,
                    f"memory{i}",
                    "Above 0 the model does better on the published surface. Line: the interval of the mean.",
                )
            ]
        ),
        *([fragments.table(f"memory-variants-{i}", "Original against variant", pairs, rows)] if rows else []),
        *([fragments.table(f"memory-known-{i}", "What the model recognised", known, asked)] if asked else []),
    )


def _show_memory(records: Sequence[MemoryResult]) -> str:
    return fragments.fragment(*(_one_memory(result, i) for i, result in enumerate(records)))


SECTION = Section(
    name="memory",
    question=NAME,
    heading="Has the model read the studies?",
    file=DOCUMENT,
    key="delta_pas",
    read=_read_memory,
    show=_show_memory,
    pictures=lambda records: [drawn for one in records if (drawn := memory_picture(one)) is not None],
    says=lambda result: [_said_of(result)],
    who=lambda result: [] if result.model is None else [result.model],
    methods=memory_methods,
)
