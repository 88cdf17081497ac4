"""Agreement with people as a panel of the page."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from concord.files.output import distinct_names
from concord.people import NAME
from concord.people.files import SUMMARY
from concord.people.result import Bounds, Score
from concord.people.words.sentences import relative_words, size_words, turned_words
from concord.records import Estimate, Interval
from concord.show import plots
from concord.show.methods import PEOPLE_SOURCES, people_methods
from concord.show.page import people_tests
from concord.show.page.data import listed, packed
from concord.show.page.panel import Metric, PageData, Panel, Reference, route
from concord.show.page.people import (
    FINDING_COLUMNS,
    PeopleView,
    forest,
    key_of,
    people_view,
    pictures,
    study_map,
)
from concord.show.page.people_answer import ANSWER
from concord.show.page.people_answers import COLUMNS, sentence
from concord.show.page.values import (
    Document,
    Problem,
    ResultFile,
    ShownNumber,
    behind,
    count_words,
    inline,
    number,
    part,
    texts,
    words,
)
from concord.show.svg import Picture


def _read(source: ResultFile) -> tuple[Sequence[PeopleView], list[Problem]]:
    view, problems = people_view(source)
    return [view], problems


def _people_units(document: Document) -> str:
    keys = ("n_studies", "n_findings", "n_tests_scored", "n_tests")
    studies, findings, scored, tests = (count_words(number(document, key)) for key in keys)
    return (
        f"{studies} {'study' if studies == '1' else 'studies'}, "
        f"{findings} {'finding' if findings == '1' else 'findings'}, {scored} of {tests} tests scored"
    )


def _size(view: PeopleView) -> str:
    """Say how large the model's effects are beside the human ones; empty where that is undefined."""
    document = view.source.document
    ratio = number(document, "effect_sizes", "size_ratio", "value")
    return size_words(Estimate(ratio, _interval_at(document, "effect_sizes", "size_ratio", "interval")))


def people_sentence(view: PeopleView) -> str:
    """Say how often conclusions agree, against what could be reached, and whether effects are as large."""
    pas, size = view.metric("PAS"), _size(view)
    if pas.value is None:
        return "No test has both sides, so nothing can be said about conclusions."
    told = f"{plots.short(pas.value)}{behind(pas)}{_relative(view, pas)}"
    said = f"A conclusion drawn from this model agrees with that drawn from people with probability {told}."
    turned = turned_words(test.get("turned") for test in view.tests)
    return (f"{said} Of its effects: {size}." if size else said) + (
        f" Of the effects that people show,{turned}" if turned else ""
    )


def _relative(view: PeopleView, pas: ShownNumber) -> str:
    """Say what a perfect replication and an agent without effects would reach."""
    ends = _interval_at(view.source.document, "average_pas_raw_place_interval")
    place = Estimate(pas.place, ends, note=pas.place_note)
    return relative_words(Bounds(Estimate(pas.floor), Estimate(pas.ceiling), place))


def _interval_at(document: Document, *keys: str) -> Interval | None:
    low, high, level = (number(document, *keys, name) for name in ("low", "high", "level"))
    if low is None or high is None or level is None:
        return None
    return Interval(low, high, level, "")


def _people_context(view: PeopleView, i: int) -> dict[str, Any]:
    document = view.source.document
    readings = [
        (name, *plots.READINGS.get(name, (name, "")), n, _quadrant_examples(view, name))
        for name, n in sorted(view.quadrants.items(), key=lambda entry: -entry[1])
    ]
    return {
        "view": view,
        "pictures": {k: inline(p, f"{NAME}{i}-{k}") for k, p in _on_page(view).items()},
        "readings": readings,
        "assumptions": texts(document, "assumptions"),
        "companions": list(_companions(document)),
        "pas_words": _pas_words(view),
        "outcomes": view.outcomes,
        "answers": sentence(view.answers) if view.answers else "",
        "sentence": people_sentence(view),
        "address": route(view.label, NAME),
        "about_zero": number(document, "auxiliary", "concordance_about_zero"),
    }


def _on_page(view: PeopleView) -> dict[str, Picture]:
    """Choose the pictures of the page; the others are drawn for files and notebooks."""
    drawn = pictures(view)
    shown = ("effects", "conclusions", "losses", "pas")
    return {key: drawn[key] for key in shown if key in drawn}


def _map_together(views: Sequence[PeopleView]) -> dict[str, Any]:
    drawn = study_map(views, addresses=True) if len(views) > 1 else None
    return {"people_map": None if drawn is None else inline(drawn, "people-map")}


COMPANIONS = {
    "ecs_strict_overall": "ECS-strict: PAS and ECS of a test at once",
    "normalized_score": "PAS, divided by what people's own evidence allows",
    "pearson": "correlation of effect sizes (Pearson)",
    "caricature_slope": "slope of the model's effects on the human ones",
    "caricature_intercept": "intercept of that line",
    "concordance_about_zero": "concordance of effects about zero, whatever their coding",
    "share_without_effects": "share of tests whose effect sizes are not known on both sides",
    "apr_human_significant": "APR of tests that are significant in people",
    "apr_all": "APR of all tests",
    "nulls_kept": "share of human nulls that are kept",
    "n_human_nulls": "human nulls",
    "pas_ecs_test": "correlation over tests of PAS and ECS_Test",
    "pas_apr": "correlation over tests of PAS and replication",
    "ecs_test_apr": "correlation over tests of ECS_Test and replication",
    "match": "mean ECS_Test where directions match",
    "mismatch": "mean ECS_Test where directions do not match",
    "opposite": "mean ECS_Test where directions are opposite",
}
"""What the companion numbers of a result are called on the page."""


def _companions(document: Document) -> Iterator[tuple[str, float | None, int]]:
    """Return companion numbers in plain words, with the decimals they are shown by."""
    for group in (("auxiliary",), ("diagnosis", "correlations"), ("diagnosis", "ecs_test_by_direction")):
        for key, value in part(document, *group).items():
            if value is None or (isinstance(value, int | float) and not isinstance(value, bool)):
                called = COMPANIONS.get(str(key), str(key).replace("_", " "))
                yield called, number(document, *group, str(key)), 0 if str(key).startswith("n_") else 3


def _pas_words(view: PeopleView) -> str:
    """Say why some studies of the picture have no interval."""
    lone = any(group.pas.value is not None and group.pas.low is None for group in view.groups)
    return "A study without a line has too few findings for one." if lone else ""


def _quadrant_examples(view: PeopleView, quadrant: str) -> str:
    wanted = None if quadrant == "undefined" else quadrant
    found = [f for f in view.findings if f.get("quadrant") == wanted]
    names = [f"{words(f, 'study')} {words(f, 'finding')}" for f in found[:3]]
    return ", ".join(names) + (" …" if len(found) > 3 else "")


def _people_files(view: PeopleView, width: float) -> Sequence[tuple[Path, Picture]]:
    studies = list(dict.fromkeys(str(test["study"]) for test in view.tests))
    stems = zip(studies, distinct_names(studies), strict=True)
    drawn = [(Path(), picture) for picture in pictures(view, width=width).values()]
    drawn = list({picture.name: (folder, picture) for folder, picture in drawn}.values())
    return [*drawn, *((Path("forest") / stem, forest(view, study)) for study, stem in stems)]


def _fill_people(data: PageData, view: PeopleView, i: int) -> None:
    """Put in the tests of one model, its answers and findings."""
    _fill_tests(data, view, i)
    if view.answers:
        data.tables[f"answers-{i}"] = packed(COLUMNS, view.answers)
    data.studies.update({card.study: card.to_dict() for card in view.studies_told})
    if view.findings:
        data.tables[f"findings-{i}"] = listed(FINDING_COLUMNS, data.sources.index(view.source), "findings")


def _fill_tests(data: PageData, view: PeopleView, i: int) -> None:
    """Put in the tests; the human side of tests that models share is there once."""
    if not view.tests:
        return
    key, rows = key_of(view), [people_tests.stored(test) for test in view.tests]
    if key not in data.shared:
        data.shared[key] = f"{NAME}-{i}"
        data.tables[f"{NAME}-{i}"] = packed(people_tests.HUMAN_COLUMNS, rows)
    data.tables[f"tests-{i}"] = {
        **packed(people_tests.AGENT_COLUMNS, rows),
        "base": data.shared[key],
        "result": view.source.shown,
        "behind": list(view.behind),
    }


def _maps(views: Sequence[PeopleView], width: float) -> list[tuple[Path, Picture]]:
    drawn = study_map(views, width=max(width, 960.0)) if len(views) > 1 else None
    return [] if drawn is None else [(Path(), drawn)]


def _human_row(views: Sequence[PeopleView]) -> Sequence[Reference]:
    """Return the row of people against people: what a rerun of a study with people reaches."""
    from concord.people.result import human_row

    if not views:
        return []
    row = human_row()
    scores = {"PAS": row.pas, "ECS": row.ecs, "APR": row.apr}
    return [Reference(row.label, {name: _of_score(score) for name, score in scores.items()})]


def _of_score(score: Score) -> ShownNumber:
    ends = score.interval
    bounds = score.bounds
    return ShownNumber(
        score.value,
        None if ends is None else ends.low,
        None if ends is None else ends.high,
        floor=None if bounds is None else bounds.floor.value,
        ceiling=None if bounds is None else bounds.ceiling.value,
        place=None if bounds is None else bounds.place.value,
    )


PANEL = Panel(
    name=NAME,
    agrees="with people",
    heading="With people",
    file=SUMMARY,
    key="average_pas_raw",
    choice="protocol",
    again="concord score people TABLE --protocol NAME --out FOLDER",
    by_units="study by study",
    answer=ANSWER,
    metrics=(
        Metric("PAS", "PAS", (0.0, 1.0)),
        Metric("ECS", "ECS", (-1.0, 1.0)),
        Metric("APR", "APR", (0.0, 1.0)),
    ),
    read=_read,
    over=lambda view: _people_units(view.source.document),
    shown=_people_context,
    pictures=_people_files,
    methods=lambda view: people_methods(view.source.document),
    sources=PEOPLE_SOURCES,
    fill=_fill_people,
    together=_map_together,
    pictures_together=_maps,
    references=_human_row,
)
