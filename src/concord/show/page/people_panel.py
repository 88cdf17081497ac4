"""Agreement with people as a panel of the page, and on its first screen, with what is known of each study."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError
from concord.files.output import distinct_names
from concord.kinds import PAGE, Column
from concord.number_words import number, p_words, typeset
from concord.people import NAME, tables
from concord.people.files import PeopleResult
from concord.people.picture_numbers import d_interval
from concord.people.result import HumanRow, TestResult
from concord.people.results.one import people_again
from concord.people.studies.replies import ITEM_OUTCOMES
from concord.people.studies.results import TABLE as TESTS_FILE
from concord.people.studies.results import HeldStudy, ItemCount, TestInputs, read_counts, read_plans
from concord.people.table.values import stored_table
from concord.records import Estimate, Side, TestTable
from concord.show import plot_effects
from concord.show.declared import drawn_by, pictures_of
from concord.show.page import fragments
from concord.show.page.data import listed, packed
from concord.show.page.declared import table_html
from concord.show.page.findings import people_finding
from concord.show.page.panel import PageData, Panel, ShownModel, route
from concord.show.page.values import Problem, ResultFile, without_folder
from concord.show.svg import Picture, visible


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


def _view(source: ResultFile, result: PeopleResult, beside: Beside) -> ShownModel:
    told = (source.facts.design, source.run.design, *(one.design.name for one in beside.plans))
    design = next(filter(None, told), "")
    label = f"{source.model}, {design}" if design else source.model
    place = result.pas.end("place")
    numbers = {"PAS": result.pas.estimate, "ECS": result.ecs.estimate, "APR": result.apr.estimate}
    return ShownModel(
        source=source,
        model=source.model,
        design=design,
        label=label,
        result=result,
        numbers={**numbers, "place": Estimate(None) if place is None else place},
        n_units=len(result.tests),
        beside=beside,
    )


def people_views(source: ResultFile) -> tuple[list[ShownModel], list[Problem]]:
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


def _people_units(view: ShownModel) -> str:
    found = view.result
    studies, findings = len(found.studies), len(found.findings)
    return (
        f"{studies} {'study' if studies == 1 else 'studies'}, "
        f"{findings} {'finding' if findings == 1 else 'findings'}, "
        f"{found.pas.estimate.n} of {sum(found.outcomes.values())} tests scored"
    )


def _people_context(view: ShownModel, i: int) -> dict[str, Any]:
    found = replace(view.result, model=view.label)
    shown = pictures_of(found, _ON_PAGE)
    answers = answer_rows(view.beside.answers)
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
        "answers": answers_sentence(answers) if answers else "",
    }


def _why_no_effects(found: PeopleResult) -> str:
    note = found.ecs.estimate.note.removeprefix("undefined: ")
    return note if note else "no test has finite effects on both sides"


def study_map(
    views: Sequence[ShownModel], *, width: float = 960.0, addresses: bool = False
) -> Picture | None:
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


def _map_together(views: Sequence[ShownModel]) -> dict[str, Any]:
    drawn = study_map(views, addresses=True) if len(views) > 1 else None
    if drawn is None:
        return {"people_map": None}
    told = f"{drawn.caption} A cell leads to the study."
    return {"people_map": fragments.figure(drawn, "people-map", told)}


def _maps(views: Sequence[ShownModel], width: float) -> list[tuple[Path, Picture]]:
    drawn = study_map(views, width=max(width, 960.0)) if len(views) > 1 else None
    return [] if drawn is None else [(Path(), drawn)]


def _people_files(view: ShownModel, width: float) -> Sequence[tuple[Path, Picture]]:
    found = replace(view.result, model=view.label)
    names = [one.name for one in PeopleResult.PICTURES if one.on_page]
    drawn = [(Path(), picture) for picture in pictures_of(found, names, units=width).values()]
    forests = next(one for one in PeopleResult.PICTURES if one.name == "forest")
    studies = list(dict.fromkeys(test.study for test in view.result.tests))
    for study, stem in zip(studies, distinct_names(studies), strict=True):
        picture = drawn_by(forests, found, agent=study)
        drawn += [] if picture is None else [(Path("forest") / stem, picture)]
    return drawn


def _fill_people(data: PageData, view: ShownModel, i: int) -> None:
    """Put in the tests of one model, its answers and findings; a human side that is shared is there once."""
    rows = test_rows(view.result, view.beside.table)
    if rows:
        keys = [column.name for column in HUMAN_COLUMNS]
        key = tuple(tuple(row[name] for name in keys) for row in rows)
        if key not in data.shared:
            data.shared[key] = f"{NAME}-{i}"
            data.tables[f"{NAME}-{i}"] = packed(HUMAN_COLUMNS, rows)
        data.tables[f"tests-{i}"] = {
            **packed(AGENT_COLUMNS, rows),
            "base": data.shared[key],
            "result": view.source.shown,
            "behind": _behind(view),
        }
    answers = answer_rows(view.beside.answers)
    if answers:
        data.tables[f"answers-{i}"] = packed(ANSWER_COLUMNS, answers)
    data.studies.update({card.study: card.to_dict() for card in view.beside.cards})
    if view.result.findings:
        columns = [
            replace(one, hidden=one.name in _HIDDEN, held="share" if one.name == "pas" else "")
            for one in tables.FINDINGS.columns
        ]
        data.tables[f"findings-{i}"] = listed(columns, data.sources.index(view.source), "findings")


def _behind(view: ShownModel) -> list[dict[str, Any] | None]:
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


_SIDE = {
    "d": "d",
    "low": "d, low",
    "high": "d, high",
    "log_bf": "log BF",
    "p": "p",
    "up": "P(up)",
    "down": "P(down)",
    "null": "P(no effect)",
}
"""Numbers of a side of a test, as the page calls them."""


def _side_columns(who: str, called: str) -> Iterator[Column]:
    for key, title in _SIDE.items():
        held = "share" if title.startswith("P(") else ""
        yield Column(f"{who}_{key}", title=f"{called} {title}", held=held, hidden=key != "d")


HUMAN_COLUMNS = (
    Column("study", words=True),
    Column("sub_study", title="sub-study", words=True, hidden=True),
    Column("finding", words=True),
    Column("test", words=True),
    Column("test_type", title="type", words=True, hidden=True),
    Column("domain", words=True, hidden=True),
    *_side_columns("human", "human"),
    Column("human_apa", title="statistics of people", words=True, hidden=True),
)
"""What does not depend on the model: stored once for all models that were put to the same tests."""
AGENT_COLUMNS = (
    *_side_columns("agent", "model"),
    Column("agent_apa", title="statistics of the model", words=True, hidden=True),
    Column("pas", title="PAS", held="share"),
    Column("ecs_test", title="ECS_Test", held="share"),
    Column("z_diff", title="Z of the difference", hidden=True),
    Column("verdict", words=True),
    Column("passed", title="passes (APR)", held="flag", hidden=True),
    Column("outcome", words=True, hidden=True),
    Column("flags", title="assumed", words=True, hidden=True),
    Column("reasons", title="undefined because", words=True, hidden=True),
)
ANSWERED = "ok"
OUTCOMES = tuple(str(one) for one in ITEM_OUTCOMES if one != ANSWERED)
_PLACE = ("study", "experiment", "item", "condition")
ANSWER_COLUMNS = (
    *(Column(key, words=True) for key in _PLACE),
    Column("asked", title="answers", count=True),
    Column(ANSWERED, title="read", count=True),
    Column("unread", title="share not read", held="share"),
    *(Column(key, title=key, count=True) for key in OUTCOMES),
)


def test_rows(result: PeopleResult, table: TestTable | None) -> list[dict[str, Any]]:
    """Return the rows of all tests; `table` holds their statistics, where it is known."""
    rows = {} if table is None else {row.key: row for row in table.rows}
    made = []
    for test in result.tests:
        row = rows.get((test.study, test.sub_study, test.finding, test.test))
        sides = {} if row is None else {"human": row.human, "agent": row.agent}
        apa = {
            f"{who}_apa": apa_string(
                test.test_type,
                sides.get(who),
                p=getattr(test, f"{who}_p"),
                d=getattr(test, f"{who}_effect_d"),
            )
            for who in ("human", "agent")
        }
        made.append(_test_row(test, result.level) | apa)
    return made


def _test_row(test: TestResult, level: float) -> dict[str, Any]:
    same = ("study", "sub_study", "finding", "test", "test_type", "pas", "ecs_test", "z_diff", "passed")
    return {
        **{name: getattr(test, name) for name in (*same, "domain", "verdict")},
        "outcome": test.outcome.replace("agent", "model:", 1),  # files call the model's side agent
        "flags": "; ".join(test.flags),
        "reasons": "; ".join(test.reasons),
        **_side_row(test, "human", level),
        **_side_row(test, "agent", level),
    }


def _side_row(test: TestResult, who: str, level: float) -> dict[str, Any]:
    """Return one side, without numbers that follow from its others, which the script puts in again."""
    # The upper end of an interval that lies evenly around d, and the share of no effect beside both others.
    d: float | None = getattr(test, f"{who}_effect_d")
    ends = d_interval(test, who, level)
    low, high = (None, None) if ends is None else (ends.low, ends.high)
    up, null, down = test.states(who)
    if d is not None and low is not None and high is not None:
        even = math.isclose(2 * d - low, high, rel_tol=1e-9, abs_tol=1e-12)
        high = None if even else high
    return {
        f"{who}_d": d,
        f"{who}_low": low,
        f"{who}_high": high,
        f"{who}_log_bf": getattr(test, f"{who}_log_bf"),
        f"{who}_p": getattr(test, f"{who}_p"),
        f"{who}_up": up,
        f"{who}_down": down,
        f"{who}_null": null if up is None else None,
    }


def answer_rows(counts: tuple[ItemCount, ...]) -> list[Mapping[str, Any]]:
    """Return what became of the answers by item and condition, most losses first."""
    made = [
        {
            **{key: getattr(one, key) for key in _PLACE},
            "asked": one.n,
            **{key: one.outcomes.get(key, 0) for key in (ANSWERED, *OUTCOMES)},
            "unread": 1 - one.outcomes.get(ANSWERED, 0) / one.n,
        }
        for one in counts
    ]
    return sorted(made, key=lambda row: -row["unread"])


def answers_sentence(rows: list[Mapping[str, Any]]) -> str:
    """Say how many answers were read, and where most were not."""
    asked, read = sum(row["asked"] for row in rows), sum(row[ANSWERED] for row in rows)
    said = f"{read:,} of {asked:,} answers could be read and enter tests."
    worst = rows[0]
    if worst["unread"] == 0:
        return said
    where = f"{worst['study']}, {worst['item']}" + (f" ({worst['condition']})" if worst["condition"] else "")
    return (
        f"{said} Most are lost in {visible(where)}: {worst['asked'] - worst[ANSWERED]} of {worst['asked']}."
    )


def apa_string(test_type: str, side: Side | None, *, p: float | None = None, d: float | None = None) -> str:
    """Return one side of a test in the form of APA; empty where nothing is known of it."""
    said = "" if side is None else _STRINGS.get(test_type, _no_statistic)(side)
    parts = [said] if said else []
    if p is not None:
        parts.append(p_words(p))
    if d is not None:
        parts.append(f"d = {typeset(number(d, 2))}")
    return ", ".join(parts)


def _degrees(value: float) -> str:
    return f"{value:g}" if value == round(value) else f"{value:.1f}"


def _equals(name: str, inside: str, side: Side) -> str:
    value = side.statistic
    if value is None:
        return ""
    return (
        f"{name}({inside}) = {typeset(number(value, 2))}"
        if inside
        else f"{name} = {typeset(number(value, 2))}"
    )


def _t_two(side: Side) -> str:
    given, n1, n2 = side.df2, side.n1, side.n2
    df = given if given is not None else None if n1 is None or n2 is None else n1 + n2 - 2
    return _equals("t", "" if df is None else _degrees(df), side)


def _t_one(side: Side) -> str:
    n = side.n
    return _equals("t", "" if n is None else _degrees(n - 1), side)


def _f_string(side: Side) -> str:
    degrees = (side.df1, side.df2)
    return _equals("F", ", ".join(_degrees(df) for df in degrees if df is not None), side)


def _r_string(side: Side) -> str:
    n, value = side.n, side.statistic
    if value is None:
        return ""
    shown = typeset(number(value, 2).replace("0.", ".", 1)) if abs(value) < 1 else typeset(number(value, 2))
    return f"r = {shown}" if n is None else f"r({_degrees(n - 2)}) = {shown}"


def _chi(side: Side) -> str:
    df, n, table = side.df1, side.n, side.table
    inside = [_degrees(df)] if df is not None else []
    inside += [f"N = {n:g}"] if n is not None else []
    head = _equals("χ²", ", ".join(inside), side)
    if head:
        return head
    counts = ", ".join("/".join(f"{cell:g}" for cell in row) for row in table or ())
    return f"χ²({', '.join(inside)}){f', counts {counts}' if counts else ''}" if inside or counts else ""


def _k_of_n(side: Side) -> str:
    k, n, null = side.k, side.n, side.p0
    if k is None or n is None:
        return ""
    return f"{k:g} of {n:g}" + ("" if null is None else f" against {null:g}")


def _u_string(side: Side) -> str:
    sizes = (side.n1, side.n2)
    inside = ", ".join(f"n{i} = {n:g}" for i, n in enumerate(sizes, 1) if n is not None)
    return _equals("U", inside, side)


def _no_statistic(side: Side) -> str:
    return ""


_STRINGS: dict[str, Callable[[Side], str]] = {
    "t-independent": _t_two, "t-paired": _t_one, "t-one-sample": _t_one, "anova": _f_string,
    "anova-within": _f_string, "regression": _f_string, "variance-ratio": _f_string,
    "correlation": _r_string, "chi-square": _chi, "binomial": _k_of_n, "mann-whitney": _u_string,
}  # fmt: skip
"""How each kind of test is written; a kind that is not here shows its p and effect alone."""
