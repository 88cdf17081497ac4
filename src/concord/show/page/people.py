"""Agreement with people as a section of the page."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from concord.errors import FileFormatError
from concord.people import NAME
from concord.show import plot_effects, plots
from concord.show.forest import ForestRow
from concord.show.forest import forest as draw_forest
from concord.show.page.data import PageColumn
from concord.show.page.find import read_document
from concord.show.page.panel import route
from concord.show.page.people_answers import read_answers
from concord.show.page.people_tests import HUMAN_COLUMNS, read_tests
from concord.show.page.study_cards import StudyCard, study_cards
from concord.show.page.values import (
    Document,
    Problem,
    ResultFile,
    ShownNumber,
    beside,
    count,
    counts,
    number,
    part,
    parts,
    texts,
    words,
)
from concord.show.svg import Picture

METRICS = (
    ("PAS", "same conclusion", "average_pas_raw"),
    ("ECS", "same effects", "average_ecs"),
    ("APR", "pass rate", "average_apr"),
)
PLANS_FILE = "plans.json"
INTERVALS = ("95 %: other studies like these", "95 %: new participants")
"""What the two intervals of every number speak of."""

FINDING_COLUMNS = (
    PageColumn("study", "study"),
    PageColumn("sub_study", "sub-study", shown=False),
    PageColumn("finding", "finding"),
    PageColumn("n_scored", "tests scored", "count"),
    PageColumn("n_tests", "tests", "count", shown=False),
    PageColumn("pas", "PAS", "share"),
    PageColumn("ecs_strict", "ECS-strict", "number"),
    PageColumn("apr", "APR", "number"),
    PageColumn("reading", "reading"),
    PageColumn("usual_reason", "usual reason", shown=False),
)


@dataclass(frozen=True, slots=True)
class GroupView:
    """A study or a domain."""

    name: str
    domain: str
    is_domain: bool
    pas: ShownNumber
    ecs: ShownNumber
    apr: ShownNumber
    n_findings: int | None
    n_tests: int | None
    n_scored: int | None


@dataclass(frozen=True, slots=True)
class PeopleView:
    """One result, ready to be shown."""

    source: ResultFile
    model: str
    protocol: str
    headline: tuple[tuple[str, str, ShownNumber], ...]
    groups: tuple[GroupView, ...]
    findings: tuple[Document, ...]
    tests: tuple[Mapping[str, Any], ...]
    quadrants: dict[str, int]
    outcomes: dict[str, int]
    behind: tuple[Document | None, ...] = ()
    """Which replies each test was computed from, ``None`` where nothing says of one; empty: of none."""
    design: str = ""
    studies_told: tuple[StudyCard, ...] = ()
    """What is known of the studies themselves: titles, sources, what their findings say."""
    answers: tuple[Mapping[str, Any], ...] = ()
    """What became of the answers by item and condition; empty where nothing was asked."""

    @property
    def label(self) -> str:
        """The model, with the design it was asked by where that is known."""
        return f"{self.model}, {self.design}" if self.design else self.model

    @property
    def n_units(self) -> int:
        """Tests that two models can be compared on."""
        return len(self.tests)

    def metric(self, name: str) -> ShownNumber:
        """Return a headline number by its name."""
        return next(value for key, _, value in self.headline if key == name)

    @property
    def studies(self) -> tuple[GroupView, ...]:
        """Groups that are studies."""
        return tuple(group for group in self.groups if not group.is_domain)


def people_view(source: ResultFile) -> tuple[PeopleView, list[Problem]]:
    """Read a summary, the table of tests next to it, and the plans that replies were asked by."""
    tests, problems = read_tests(source)
    plans, faults = _plans(source)
    known = {_test_key(one): one for one in parts(plans, "tests")}
    behind = tuple(_behind(known.get(_test_key(test))) for test in tests) if known else ()
    designs = [words(one, "design", "name") for one in parts(plans, "plans")]
    design = [words(source.document, "design"), source.run.design, *designs]
    answers, unread = read_answers(source)
    view = replace(
        view_of(source, tests),
        behind=behind,
        design=next(filter(None, design), ""),
        answers=tuple(answers),
        studies_told=tuple(study_cards(plans, [str(test["study"]) for test in tests])),
    )
    return view, [*problems, *faults, *unread]


def _plans(source: ResultFile) -> tuple[Document, list[Problem]]:
    file = None if source.file is None else source.file.parent / PLANS_FILE
    if file is None or not file.is_file():
        return {}, []
    try:
        return read_document(file), []
    except FileFormatError as fault:
        return {}, [Problem(source.shown, f"{PLANS_FILE} next to it {fault}; replies have no test")]


def _test_key(entry: Document) -> tuple[str, ...]:
    return tuple(words(entry, key) for key in ("study", "sub_study", "finding", "test"))


def _behind(entry: Document | None) -> Document | None:
    if entry is None:
        return None
    kept = {key: texts(entry, key) for key in ("variables", "conditions")}
    return {**kept, "experiment": words(entry, "experiment"), "where": words(entry, "where")}


def view_of(source: ResultFile, tests: Sequence[Mapping[str, Any]]) -> PeopleView:
    """Make a view of a summary and its tests."""
    document = source.document
    findings = parts(document, "findings")
    quadrants = counts(document, "diagnosis", "quadrants")
    return PeopleView(
        source,
        source.model,
        words(document, "protocol"),
        tuple((short, long, beside(document, key)) for short, long, key in METRICS),
        tuple(_group_views(document)),
        tuple(findings),
        tuple(tests),
        quadrants,
        counts(document, "outcomes"),
    )


def _group_views(document: Document) -> Iterator[GroupView]:
    """Return each domain with its studies, then the studies without one."""
    studies = [_group_view(study, is_domain=False) for study in parts(document, "studies")]
    domains = [_group_view(domain, is_domain=True) for domain in parts(document, "domains")]
    for domain in domains:
        yield domain
        yield from (study for study in studies if study.domain == domain.name)
    named = {domain.name for domain in domains}
    yield from (study for study in studies if study.domain not in named)


def _group_view(entry: Document, *, is_domain: bool) -> GroupView:
    domain = words(entry, "domain")
    return GroupView(
        domain if is_domain else words(entry, "study_id"),
        domain,
        is_domain,
        beside(entry, "score"),
        beside(entry, "ecs_corr_study"),
        beside(entry, "apr"),
        count(entry, "n_findings"),
        count(entry, "n_tests"),
        count(entry, "n_tests_scored"),
    )


def key_of(view: PeopleView) -> tuple[Any, ...]:
    """Return what must agree for two models to share one human side."""
    keys = [column.key for column in HUMAN_COLUMNS]
    return tuple(tuple(test.get(key) for key in keys) for test in view.tests)


def _mark(label: str, value: ShownNumber, *, strong: bool = False) -> plots.Mark:
    return plots.Mark(
        label, value.value, value.low, value.high, value.new_low, value.new_high, value.floor,
        value.ceiling, strong,
    )  # fmt: skip


def pictures(view: PeopleView, *, width: float = plots.WIDTH) -> dict[str, Picture]:
    """Draw everything that is drawn of one result, forest plots apart."""
    drawn = {
        "pas": plots.intervals(
            "pas-by-study", f"PAS by study, {view.label}",
            [_mark(g.name, g.pas, strong=g.is_domain) for g in view.groups],
            label="PAS: probability of the same conclusion", limits=(0, 1), key=INTERVALS, width=width,
        ),
        "ecs": plots.intervals(
            "ecs-by-study", f"ECS by study, {view.label}",
            [_mark(g.name, g.ecs, strong=g.is_domain) for g in view.groups],
            label="ECS: concordance of effect sizes", limits=(-1, 1), key=INTERVALS, width=width,
        ),
    }  # fmt: skip
    drawn["quadrants"] = plots.quadrants(
        "quadrants", f"Where findings lie, {view.label}", _placed(view.findings), view.quadrants
    )
    drawn["effects"] = drawn["scatter"] = effects_picture(view, width=width)
    drawn["conclusions"] = conclusions_picture(view, width=width)
    lost = losses_picture(view, width=width)
    return drawn if lost is None else {**drawn, "losses": lost}


def effects_picture(view: PeopleView, *, width: float = plots.WIDTH) -> Picture:
    """Draw effects in people against effects in the model, of the tests that ECS uses."""
    beside_it = part(view.source.document, "auxiliary")
    ecs, slope = view.metric("ECS").value, number(beside_it, "caricature_slope")
    said = [f"ECS {plots.short(ecs)}"] if ecs is not None else []
    said += [f"slope {plots.short(slope)}"] if slope is not None else []
    return plot_effects.effects(
        "effect-profile",
        f"Effects of {view.label} beside the human ones",
        [
            plot_effects.Effect(
                f"{t['study']}: {t['test']}",
                (t["human_d"], t["human_low"], t["human_high"]),
                (t["agent_d"], t["agent_low"], t["agent_high"]),
                str(t["domain"]),
                t["verdict"] == "replicates",
            )
            for t in used(view.tests)
        ],
        slope=slope,
        intercept=number(beside_it, "caricature_intercept"),
        slopes=_slope_ends(view),
        said=", ".join(said),
        width=width,
    )


def _slope_ends(view: PeopleView) -> tuple[float, float] | None:
    ends = part(view.source.document, "effect_sizes", "slope", "interval")
    low, high = number(ends, "low"), number(ends, "high")
    return None if low is None or high is None else (low, high)


def conclusions_picture(view: PeopleView, *, width: float = plots.WIDTH) -> Picture:
    """Draw the conclusions of people against those of the model, as expected numbers of tests."""
    counts = {(p, m): 0.0 for p in plot_effects.STATES for m in plot_effects.STATES}
    for test in view.tests:
        sides = [[test[f"{who}_{key}"] for key in ("up", "null", "down")] for who in ("human", "agent")]
        if all(value is not None for side in sides for value in side):
            for i, people in enumerate(plot_effects.STATES):
                for j, model in enumerate(plot_effects.STATES):
                    counts[people, model] += sides[0][i] * sides[1][j]
    return plot_effects.mosaic(
        "conclusions", f"Conclusions of people and of {view.label}", counts, width=width
    )


def losses_picture(view: PeopleView, *, width: float = plots.WIDTH) -> Picture | None:
    """Draw where points are lost; without a ceiling there is nothing to lose them against."""
    ceiling = view.metric("PAS").ceiling
    known = [(group.name, group.pas.value) for group in view.studies if group.pas.value is not None]
    if ceiling is None or not known:
        return None
    lost = [(name, (value - ceiling) / len(known)) for name, value in known]
    return plot_effects.losses("losses", f"Where {view.label} loses points", lost, width=width)


def study_map(
    views: Sequence[PeopleView],
    *,
    width: float = 960.0,
    addresses: bool = False,
) -> Picture | None:
    """Draw PAS of every model in every study."""
    names = list(dict.fromkeys(group.name for view in views for group in view.studies))
    if not names:
        return None
    ordered = sorted(views, key=lambda v: -(-1.0 if (pas := v.metric("PAS").value) is None else pas))
    found = [{group.name: group for group in view.studies} for view in ordered]
    columns = [
        plot_effects.StudyColumn(
            name,
            next((one[name].domain for one in found if name in one), ""),
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


def used(tests: Sequence[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Return the tests with both effects that ECS uses (all with both, where the file does not say)."""
    for test in tests:
        both = test.get("human_d") is not None and test.get("agent_d") is not None
        if both and test.get("in_ecs") is not False and math.isfinite(test["human_d"] + test["agent_d"]):
            yield test


def _placed(findings: Sequence[Document]) -> list[plots.Point]:
    placed = []
    for finding in findings:
        x, y = number(finding, "ecs_strict"), number(finding, "pas")
        if x is not None and y is not None:
            placed.append(plots.Point(x, y, f"{words(finding, 'study')} {words(finding, 'finding')}"))
    return placed


def forest(view: PeopleView, study: str) -> Picture:
    """Draw the tests of one study."""
    pairs = [
        ForestRow(
            str(test["test"]),
            (test["human_d"], test["human_low"], test["human_high"]),
            (test["agent_d"], test["agent_low"], test["agent_high"]),
        )
        for test in view.tests
        if test["study"] == study
    ]
    return draw_forest("forest", f"Effects of {study}, people and {view.label}", pairs)
