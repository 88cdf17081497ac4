"""Agreement with people as a panel of the page, and on its first screen, with what is known of each study."""

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError
from concord.files.output import distinct_names
from concord.kinds import PAGE
from concord.people import NAME, tables
from concord.people.files import PeopleResult
from concord.people.result import HumanRow
from concord.people.results.one import people_again
from concord.people.studies.results import TABLE as TESTS_FILE
from concord.people.studies.results import HeldStudy, ItemCount, TestInputs, read_counts, read_plans
from concord.people.table.values import stored_table
from concord.records import Estimate, TestTable
from concord.show import plot_effects
from concord.show.declared import drawn_by, pictures_of
from concord.show.page import fragments, people_tests
from concord.show.page.data import listed, packed
from concord.show.page.declared import table_html
from concord.show.page.findings import people_finding
from concord.show.page.panel import ModelView, PageData, Panel, route
from concord.show.page.values import Problem, ResultFile, without_folder
from concord.show.svg import Picture


@dataclass(frozen=True, slots=True)
class StudyCard:
    """A study, as far as a result or Concord itself knows it."""

    study: str
    title: str
    source: Mapping[str, str]
    """``authors``, ``year``, ``title``, ``published``, ``doi``."""
    says: Mapping[str, str]
    """What each finding says, by its name."""

    @property
    def citation(self) -> str:
        """The source as a list of references has it."""
        given = self.source
        head = f"{given.get('authors', '')} ({given.get('year', '')})." if given.get("authors") else ""
        return " ".join(
            said
            for said in (head, _ended(given.get("title", "")), _ended(given.get("published", "")))
            if said
        )

    def to_dict(self) -> dict[str, object]:
        """Return what the page's script is given."""
        return {
            "title": self.title,
            "cite": self.citation,
            "doi": self.source.get("doi", ""),
            "says": dict(self.says),
        }


def _ended(text: str) -> str:
    return text if not text or text.endswith((".", "?", "!")) else f"{text}."


def study_cards(plans: Sequence[HeldStudy], studies: Sequence[str]) -> Iterator[StudyCard]:
    """Return cards from the plans beside a result; of other studies those that come with Concord."""
    told = {one.study: one for one in plans if one.findings}
    for name in dict.fromkeys(studies):
        if name in told:
            yield _plan_card(told[name])
        elif name in _bundled():
            yield _bundled_card(name)


def _plan_card(plan: HeldStudy) -> StudyCard:
    kept = {key: str(plan.source.get(key) or "") for key in ("authors", "year", "title", "published", "doi")}
    return StudyCard(plan.study, plan.title, kept, dict(plan.findings))


@cache
def _bundled() -> frozenset[str]:
    from concord.people.studies.load import bundled_names

    return frozenset(bundled_names())


@cache
def _bundled_card(name: str) -> StudyCard:
    from concord.people.studies.load import find_studies

    (file,) = find_studies([name])
    source = file.study.source
    return StudyCard(
        name,
        file.study.title,
        {
            "authors": source.authors,
            "year": str(source.year),
            "title": source.title,
            "published": source.published,
            "doi": source.doi or "",
        },
        {key: finding.says for key, finding in file.study.findings.items()},
    )


_HIDDEN = ("sub_study", "n_tests", "normalised_pas", "usual_reason")
"""Columns of findings that are seen in the detail of a row only."""
_ON_PAGE = ("effects", "conclusions", "losses", "pas")
"""Pictures of the page; the others are drawn for files and notebooks."""
_SLOPE = (
    "The least-squares slope is made flatter by errors of the human effects: the size ratio says how large "
    "effects are. Click a dot for its test."
)

_COUNTED = "Here every test counts alike; in PAS every study does, so that the two shares differ."


@dataclass(frozen=True, slots=True)
class Beside:
    """What lies beside a result about people."""

    plans: tuple[HeldStudy, ...] = ()
    """The studies as they were held, where the result is from replies."""
    inputs: tuple[TestInputs, ...] = ()
    """Which replies each test was computed from; empty where nothing says it."""
    answers: tuple[ItemCount, ...] = ()
    """What became of the answers by item and condition; empty where nothing was asked."""
    table: TestTable | None = None
    """The statistics behind the tests, where they were kept."""
    cards: tuple[StudyCard, ...] = ()
    """What is known of the studies themselves: titles, sources, what their findings say."""
    again: HumanRow | None = None
    """People on the same effects, where all of these were measured twice."""


def _view(source: ResultFile, result: PeopleResult, beside: Beside) -> ModelView:
    told = (source.facts.design, source.run.design, *(one.design.name for one in beside.plans))
    design = next(filter(None, told), "")
    label = f"{source.model}, {design}" if design else source.model
    place = result.pas.end("place")
    numbers = {"PAS": result.pas.estimate, "ECS": result.ecs.estimate, "APR": result.apr.estimate}
    return ModelView(
        source=source,
        model=source.model,
        design=design,
        label=label,
        result=result,
        numbers={**numbers, "place": Estimate(None) if place is None else place},
        n_units=len(result.tests),
        beside=beside,
    )


def people_views(source: ResultFile) -> tuple[list[ModelView], list[Problem]]:
    """Read a result and what lies beside it; tests that cannot be used are told, and not shown."""
    assert source.file is not None  # noqa: S101 - what was found lies in a folder
    problems: list[Problem] = []
    for with_tests in (True, False):
        try:
            result = PeopleResult.read_file(source.file, with_tests=with_tests)
        except FileFormatError as fault:
            more = "; single tests are not shown" if with_tests else ""
            problems.append(Problem(source.shown, f"{without_folder(fault, source.file.parent)}{more}"))
        else:
            beside, faults = _read_beside(source, result)
            return [_view(source, result, beside)], [*problems, *faults]
    return [], problems[-1:]


def _read_beside(source: ResultFile, result: PeopleResult) -> tuple[Beside, list[Problem]]:
    """Read what a result from replies has beside it; what cannot be used is told, and left out."""
    assert source.file is not None  # noqa: S101 - what was found lies in a folder
    folder, problems, found = source.file.parent, [], dict[str, Any]()
    try:
        found["plans"], found["inputs"] = read_plans(folder)
    except FileFormatError as fault:
        problems.append(Problem(source.shown, f"{without_folder(fault, folder)}; replies have no test"))
    try:
        found["answers"] = read_counts(folder)
    except FileFormatError as fault:
        problems.append(Problem(source.shown, f"{without_folder(fault, folder)}; answers are not counted"))
    with suppress(FileFormatError):  # the numbers that were scored are there all the same
        found["table"] = stored_table(folder / TESTS_FILE) if (folder / TESTS_FILE).is_file() else None
    if found.get("table") is not None:
        found["again"] = people_again(found["table"].rows, result.protocol)
    studies = [study.name for study in result.studies]
    return Beside(**found, cards=tuple(study_cards(found.get("plans", ()), studies))), problems


def _people_units(view: ModelView) -> str:
    found = view.result
    studies, findings = len(found.studies), len(found.findings)
    return (
        f"{studies} {'study' if studies == 1 else 'studies'}, "
        f"{findings} {'finding' if findings == 1 else 'findings'}, "
        f"{found.pas.estimate.n} of {sum(found.outcomes.values())} tests scored"
    )


def _people_context(view: ModelView, i: int) -> dict[str, Any]:
    found = replace(view.result, model=view.label)
    shown = pictures_of(found, _ON_PAGE)
    answers = people_tests.answer_rows(view.beside.answers)
    lone = any(one.pas.value is not None and one.pas.interval is None for one in found.studies)
    more = {
        "effects": _SLOPE,
        "conclusions": _COUNTED,
        "pas": "A study without a line has too few findings for one." if lone else "",
    }
    return {
        "view": view,
        "says": " ".join(line for line in found.sentences() if not line.startswith("Assumed: ")),
        "assumed": [line for line in found.sentences() if line.startswith("Assumed: ")],
        "pictures": fragments.panel_figures(shown, f"{NAME}{i}", more, {"pas": f"groups{i}"}),
        "undrawn": "" if "effects" in shown else f"No effects are drawn: {_why_no_effects(found)}.",
        "tables": [
            piece
            for one in found.TABLES
            if one.shown(PAGE) and one is not tables.FINDINGS
            for piece in table_html(found, one, i)
        ],
        "notes": found.notes(),
        "answers": people_tests.answers_sentence(answers) if answers else "",
    }


def _why_no_effects(found: PeopleResult) -> str:
    note = found.ecs.estimate.note.removeprefix("undefined: ")
    return note if note else "no test has finite effects on both sides"


def study_map(views: Sequence[ModelView], *, width: float = 960.0, addresses: bool = False) -> Picture | None:
    """Draw PAS of every model in every study."""
    names = list(dict.fromkeys(group.name for view in views for group in view.result.studies))
    if not names:
        return None
    ordered = sorted(views, key=lambda v: -(-1.0 if (pas := v.result.pas.value) is None else pas))
    found = [{group.name: group for group in view.result.studies} for view in ordered]
    columns = [
        plot_effects.StudyColumn(
            name,
            next((one[name].domain for one in found if name in one), None) or "",
            tuple(one[name].pas.value if name in one else None for one in found),
        )
        for name in names
    ]
    places = {
        (i, j): route(view.label, NAME, name)
        for i, view in enumerate(ordered)
        for j, name in enumerate(names)
        if addresses and name in found[i]
    }
    title = "Which studies divide the models" if len(views) > 1 else "Study by study"
    return plot_effects.study_map(
        "studies-by-models", title, [view.label for view in ordered], columns, addresses=places, width=width
    )


def _map_together(views: Sequence[ModelView]) -> dict[str, Any]:
    drawn = study_map(views, addresses=True) if len(views) > 1 else None
    if drawn is None:
        return {"people_map": None}
    told = f"{drawn.caption} A cell leads to the study."
    return {"people_map": fragments.figure(drawn, "people-map", told)}


def _maps(views: Sequence[ModelView], width: float) -> list[tuple[Path, Picture]]:
    drawn = study_map(views, width=max(width, 960.0)) if len(views) > 1 else None
    return [] if drawn is None else [(Path(), drawn)]


def _people_files(view: ModelView, width: float) -> Sequence[tuple[Path, Picture]]:
    found = replace(view.result, model=view.label)
    names = [one.name for one in PeopleResult.PICTURES if one.on_page]
    drawn = [(Path(), picture) for picture in pictures_of(found, names, units=width).values()]
    forests = next(one for one in PeopleResult.PICTURES if one.name == "forest")
    studies = list(dict.fromkeys(test.study for test in view.result.tests))
    for study, stem in zip(studies, distinct_names(studies), strict=True):
        picture = drawn_by(forests, found, agent=study)
        drawn += [] if picture is None else [(Path("forest") / stem, picture)]
    return drawn


def _fill_people(data: PageData, view: ModelView, i: int) -> None:
    """Put in the tests of one model, its answers and findings; a human side that is shared is there once."""
    rows = people_tests.test_rows(view.result, view.beside.table)
    if rows:
        keys = [column.name for column in people_tests.HUMAN_COLUMNS]
        key = tuple(tuple(row[name] for name in keys) for row in rows)
        if key not in data.shared:
            data.shared[key] = f"{NAME}-{i}"
            data.tables[f"{NAME}-{i}"] = packed(people_tests.HUMAN_COLUMNS, rows)
        data.tables[f"tests-{i}"] = {
            **packed(people_tests.AGENT_COLUMNS, rows),
            "base": data.shared[key],
            "result": view.source.shown,
            "behind": _behind(view),
        }
    answers = people_tests.answer_rows(view.beside.answers)
    if answers:
        data.tables[f"answers-{i}"] = packed(people_tests.ANSWER_COLUMNS, answers)
    data.studies.update({card.study: card.to_dict() for card in view.beside.cards})
    if view.result.findings:
        columns = [
            replace(one, hidden=one.name in _HIDDEN, held="share" if one.name == "pas" else "")
            for one in tables.FINDINGS.columns
        ]
        data.tables[f"findings-{i}"] = listed(columns, data.sources.index(view.source), "findings")


def _behind(view: ModelView) -> list[dict[str, Any] | None]:
    """Return which replies each test was computed from, ``None`` where nothing says of one."""
    known = {(one.study, one.sub_study, one.finding, one.test): one for one in view.beside.inputs}
    found = [known.get((one.study, one.sub_study, one.finding, one.test)) for one in view.result.tests]
    return [
        None
        if one is None
        else {
            "variables": list(one.variables),
            "conditions": list(one.conditions),
            "experiment": one.experiment,
            "where": one.where,
        }
        for one in (found if known else ())
    ]


PANEL = Panel(
    name=NAME,
    kind=PeopleResult,
    choice="protocol",
    again="concord score people TABLE --protocol NAME --out FOLDER",
    order=lambda view: math.inf if (pas := view.result.pas.value) is None else -pas,
    finding=people_finding,
    metrics={"PAS": "PAS", "place": "place of PAS", "ECS": "ECS", "APR": "APR"},
    read=people_views,
    over=_people_units,
    shown=_people_context,
    pictures=_people_files,
    fill=_fill_people,
    together=_map_together,
    pictures_together=_maps,
)
