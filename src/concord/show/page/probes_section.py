"""Interventions on reasoning, and leaderboards of hints, as sections of the page."""

from collections.abc import Iterator, Sequence

from concord.errors import FileFormatError
from concord.reasoning import NAME
from concord.reasoning.hints import leaderboard as hint_files
from concord.reasoning.hints.leaderboard import HintLeaderboard, HintModel
from concord.reasoning.probes import result as probe_files
from concord.reasoning.probes.result import ProbeResult
from concord.show import probe_plots
from concord.show.further_methods import hint_methods, probe_methods
from concord.show.hints_terminal import hints_answer
from concord.show.page import fragments
from concord.show.page.found import ResultFile
from concord.show.page.section import Section
from concord.show.probes_terminal import named_numbers, probe_claims, probe_sentences
from concord.show.svg import Picture


def _read_probes(source: ResultFile) -> ProbeResult:
    if source.file is None or source.file.name != probe_files.RESULTS_FILE:
        raise FileFormatError(f"is not called {probe_files.RESULTS_FILE}, so its probes are not shown")
    return probe_files.read(source.file.parent)


def _read_board(source: ResultFile) -> HintLeaderboard:
    if source.file is None or source.file.name != hint_files.DOCUMENT:
        raise FileFormatError(f"is not called {hint_files.DOCUMENT}, so its hints are not shown")
    return hint_files.read(source.file.parent)


def probe_pictures(results: Sequence[ProbeResult]) -> Iterator[Picture]:
    """Return every picture that these results have something for."""
    for result in results:
        early = result.scores.early
        if early is not None and early.aoc.value is not None:
            yield probe_plots.early_picture(result.model, early)
    if any(result.scores.filler is not None for result in results):
        yield probe_plots.filler_picture(results)
    if any(result.scores.mistake is not None or result.scores.pairs is not None for result in results):
        yield probe_plots.flips_picture(results)
    for result in results:
        if result.scores.hints is not None and result.scores.hints.kinds[0].influence.value is not None:
            yield probe_plots.hints_picture(result)
    joint = [
        (result.model, part.gap, part.step_f1)
        for result in results
        if (part := result.scores.filler) is not None
        and part.gap.value is not None
        and part.step_f1.value is not None
    ]
    if joint:
        yield probe_plots.joint_picture(joint)


_CAPTIONS = {
    "early": "The area over the curve is 0 where the chain is ignored.",
    "filler": "The two parts add up to the gap. Lines are 95 % intervals; above 0.10 reasoning works.",
    "flips": "Only what lies above its floor says something about the model.",
    "hints": "Where the diamond is left of the ring, the answer says less than the thinking.",
    "joint": "A large gap with weak content is the case to look into; words come from intervals only.",
}


def _show_probes(records: Sequence[ProbeResult]) -> str:
    drawn = [
        fragments.figure(picture, f"probe{i}", _CAPTIONS.get(picture.name, ""))
        for i, picture in enumerate(probe_pictures(records))
    ]
    rows: list[list[fragments.Cell]] = []
    for result in records:
        for name, found, _ in named_numbers(result.scores):
            rows.append([result.model, name, found, float(found.n), float(found.n_left_out), found.note])
    columns: list[fragments.Heading | str] = [
        "model",
        "number",
        fragments.Heading("value"),
        fragments.Heading("n", digits=0),
        fragments.Heading("left out", digits=0),
        "note",
    ]
    said = [
        fragments.paragraph(f"{result.model}: {sentence}")
        for result in records
        for sentence in probe_sentences(result.scores)
    ]
    return fragments.fragment(
        fragments.figures(*drawn),
        fragments.table("probes", "Every number of every probe", columns, rows),
        _hint_rows_table(records),
        fragments.folded("What was asked, and what could be read", *said),
    )


def _hint_rows_table(records: Sequence[ProbeResult]) -> str:
    rows: list[list[fragments.Cell]] = [
        [
            f"{result.model}: {one.kind.replace('_', ' ')}",
            one.influence,
            one.floor,
            one.excess,
            one.verbalised["mention"]["thinking"],
            one.verbalised["mention"]["answer"],
            one.verbalised["reliance"]["either"],
            one.v_norm,
            one.verdict,
        ]
        for result in records
        if result.scores.hints is not None
        for one in result.scores.hints.kinds
    ]
    if not rows:
        return fragments.fragment()
    heads = ("moved", "floor", "excess", "says so: thinking", "says so: answer", "says it relied", "V_norm")
    columns: list[fragments.Heading | str] = ["hint", *map(fragments.Heading, heads), "verdict"]
    return fragments.table("hints", "Hints by kind", columns, rows)


def _board_row(one: HintModel) -> list[fragments.Cell]:
    numbers = [one.verbalised, one.thinking, one.answer, one.gap, one.kappa]
    return [one.model, *numbers, *one.detectors.values()]


def _show_boards(records: Sequence[HintLeaderboard]) -> str:
    pieces = []
    for i, result in enumerate(records):
        models = result.scores.models
        judges = list(models[0].detectors) if models else []
        heads = ("says so", "thinking", "answer", "gap", "kappa", *judges)
        columns: list[fragments.Heading | str] = ["model", *map(fragments.Heading, heads)]
        kinds = list(models[0].influence) if models else []
        moved: list[fragments.Heading | str] = [
            "model",
            *(fragments.Heading(k.replace("_", " ")) for k in kinds),
        ]
        pieces += [
            fragments.paragraph(hints_answer(result)),
            fragments.figures(
                *(
                    fragments.figure(
                        picture, f"board{i}-{k}", "Lines are 95 % intervals." if k else picture.caption
                    )
                    for k, picture in enumerate(_board_pictures([result]))
                )
            ),
            fragments.table(
                f"hint-models-{i}", "Influenced answers that say so", columns, map(_board_row, models)
            ),
            fragments.table(
                f"hint-kinds-{i}",
                "Answers that the hint moved, by kind",
                moved,
                [[one.model, *(one.influence[k] for k in kinds)] for one in models],
            ),
            *(_warned(result.warnings)),
        ]
    return fragments.fragment(*pieces)


def _warned(warnings: Sequence[str]) -> list[str]:
    """Return what limits the numbers, for readers who unfold it."""
    said = [fragments.paragraph(text, soft=True) for text in warnings]
    return [fragments.folded("What limits these numbers", *said)] if said else []


def _board_pictures(records: Sequence[HintLeaderboard]) -> list[Picture]:
    return [
        picture
        for result in records
        for picture in (probe_plots.board_picture(result), probe_plots.said_picture(result))
    ]


PROBES = Section(
    name="probes",
    question=NAME,
    heading="Interventions on reasoning",
    file=probe_files.RESULTS_FILE,
    key="scores",
    read=_read_probes,
    show=_show_probes,
    pictures=lambda records: list(probe_pictures(records)),
    says=lambda result: [
        f"{result.model}, {line[0].lower()}{line[1:]}" for line in probe_claims(result.scores)
    ],
    who=lambda result: [result.model],
    methods=probe_methods,
)
BOARD = Section(
    name="hints",
    question=NAME,
    heading="Hints: who says what moved the answer",
    file=hint_files.DOCUMENT,
    key="groups",
    read=_read_board,
    show=_show_boards,
    pictures=_board_pictures,
    says=lambda result: [hints_answer(result)],
    who=lambda result: [one.model for one in result.scores.models],
    methods=hint_methods,
)
