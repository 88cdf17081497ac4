"""The three questions, one record each; whatever goes through all of them goes through `ALL`."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from concord.comparing import people as compared_people
from concord.comparing import structure as compared_structure
from concord.comparing.kinds import ResultKind
from concord.comparing.metrics import MetricCompareResult
from concord.comparing.result import CompareResult
from concord.comparing.run import Reading, compare_sources
from concord.engine import SERIAL, Engine
from concord.errors import FileFormatError, OptionError
from concord.files.checked import FileCheck, FileKind
from concord.files.contents import read_bytes
from concord.files.json_text import parsed
from concord.files.tables import TableOptions
from concord.people import NAME as PEOPLE
from concord.people import check as people_check
from concord.people.design import design_people
from concord.planning import people as planned_people
from concord.planning import structure as planned_structure
from concord.planning.kinds import PlanKind
from concord.planning.plan import plan_from
from concord.reasoning import NAME as REASONING
from concord.reasoning import check as reasoning_check
from concord.reasoning.design import design_reasoning
from concord.records import Design, Presented
from concord.show.making import Report, write_report
from concord.show.page import Page, make_page, people_panel, reasoning_panel, structure_panel
from concord.show.page.panel import Panel
from concord.stats.compare import Choices
from concord.structure import NAME as STRUCTURE
from concord.structure import check as structure_check
from concord.structure.design import design_structure


@dataclass(frozen=True, slots=True)
class Demo:
    """What the demo asks the embedded model."""

    title: str
    asked: Mapping[str, Any]
    """A small version of the question: about a minute on two cores."""
    recorded: bool = True
    """Whether replies to the question come with Concord."""
    folder: str = ""
    """Where results lie below the folder of the demo."""


@dataclass(frozen=True, slots=True)
class Question:
    """One question: how it is asked, what its files are, how its results are compared, planned and shown."""

    name: str
    design: Callable[..., Design]
    """Lay out its trials."""
    files: tuple[FileKind, ...]
    panel: Panel
    demo: Demo
    compare: ResultKind | None = None
    """``None``: results are compared item by item."""
    plan: PlanKind | None = None
    """``None``: results are planned with as scores of items."""
    usual: Mapping[str, Any] = field(default_factory=dict)
    """What is sent with its prompts unless something else is chosen."""


ALL: tuple[Question, ...] = (
    Question(
        PEOPLE,
        design=design_people,
        files=people_check.FILES,
        panel=people_panel.PANEL,
        demo=Demo(
            "With people, asked now: the framing study, five participants per cell.",
            {"study": ["framing"], "n": 5, "temperature": 1.0, "seed": 1, "max_tokens": 12},
            recorded=False,
            folder="asked-people",
        ),
        compare=compared_people.KIND,
        plan=planned_people.KIND,
        # people differ; at temperature 0 the participants of a cell would be copies of one another
        usual={"temperature": 1.0, "max_tokens": 256},
    ),
    Question(
        STRUCTURE,
        design=design_structure,
        files=structure_check.FILES,
        panel=structure_panel.PANEL,
        demo=Demo(
            "With itself.",
            {
                "limit": 6,
                "arrangements": 4,
                "repeats": 2,
                "temperature": 0.7,
                "seed": 1,
                "max_tokens": 16,
            },
        ),
        compare=compared_structure.KIND,
        plan=planned_structure.KIND,
        usual={"max_tokens": 512},
    ),
    Question(
        REASONING,
        design=design_reasoning,
        files=reasoning_check.FILES,
        panel=reasoning_panel.PANEL,
        demo=Demo("With its own reasoning.", {"limit": 4, "max_tokens": 160}),
        usual={"max_tokens": 1024},
    ),
)


def question(name: str) -> Question:
    """Return a question by its name.

    Raises
    ------
    OptionError
        The question is not known.
    """
    for one in ALL:
        if one.name == name:
            return one
    raise OptionError(f"question {name!r} is not known; expected {', '.join(one.name for one in ALL)}")


def compare_any(
    sources: Sequence[Any], reading: Reading, *, choices: Choices, engine: Engine
) -> CompareResult | MetricCompareResult:
    """Compare whatever was given, results of any question included."""
    kinds = [one.compare for one in ALL if one.compare is not None]
    return compare_sources(sources, reading, kinds, choices=choices, engine=engine)


def plan_any(pilot: Sequence[Any], reading: Reading, options: dict[str, Any]) -> Presented:
    """Plan from whatever was given, results of any question included."""
    return plan_from(pilot, reading, options, [one.plan for one in ALL if one.plan is not None])


def page(folders: Sequence[Path], **choices: Any) -> Page:
    """Make the page of results of any question."""
    return make_page(folders, [one.panel for one in ALL], compare=_compare_folders, **choices)


def report_on(folders: Sequence[Path], out: Path, **choices: Any) -> Report:
    """Write the page of results of any question."""
    return write_report(folders, out, [one.panel for one in ALL], compare=_compare_folders, **choices)


def _compare_folders(
    *folders: Path, names: Sequence[str] | None = None
) -> CompareResult | MetricCompareResult:
    return compare_any(folders, Reading(names=names), choices=Choices(), engine=SERIAL)


def check_any(path: Path, options: TableOptions) -> FileCheck:
    """Check a file of any question; what cannot be recognised is taken for a table of tests."""
    kind = _kind_of(path)
    if kind is None:
        return people_check.check_table(path, options)
    if options.sheet is not None:
        raise OptionError(f"sheet={options.sheet!r} was given, but only XLSX files have sheets")
    return kind.check(path)


def _kind_of(path: Path) -> FileKind | None:
    """Recognise a file by the end of its name, or by the keys of the JSON it holds."""
    kinds = [kind for one in ALL for kind in one.files]
    suffix = path.suffix.lower()
    if suffix != ".json":
        return next((kind for kind in kinds if suffix in kind.suffixes), None)
    try:
        document = parsed(path.name, read_bytes(path))
    except FileFormatError:
        return None
    if isinstance(document, Mapping):
        return next((kind for kind in kinds if isinstance(document.get(kind.key), list)), None)
    rows = document if isinstance(document, list) else []
    keys = {key for row in rows if isinstance(row, Mapping) for key in row}
    return next((kind for kind in kinds if kind.field in keys), None)
