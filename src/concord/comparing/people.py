"""Results about people compared: what may be compared with what, who is who, and how to fix it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from concord.comparing.kinds import (
    PEOPLE_RESULTS,
    ComparedPairs,
    ComparedSide,
    CompareRequest,
    Lineup,
    Stored,
    Ways,
    ranked_interval,
)
from concord.comparing.metrics import MOVED, MOVED_ANSWERS, RANKS, REFEREE, PriorRanks, RefereeNumbers
from concord.errors import MismatchError
from concord.files.codec import encode
from concord.people.answers.records import OutcomeAnswers
from concord.people.answers.result import AnswersResult
from concord.people.files import PeopleResult
from concord.people.referee import Referee
from concord.people.result import TestResult
from concord.people.results.pairs import FURTHER, METRICS, PeopleScoresOf, compare_people
from concord.people.studies.agents import DESIGNS
from concord.people.studies.results import DISTRIBUTIONS, read_plans
from concord.records import TestRow


def _people_models(results: Sequence[Stored[PeopleResult]], metric: str | None) -> Lineup:
    for other in results[1:]:
        if other.result.protocol != results[0].result.protocol:
            raise MismatchError(_protocols(results[0], other))
    protocol = results[0].result.protocol.name
    designs = [None if one.folder is None else _design(one.folder) for one in results]
    models = [one.result.model for one in results]
    return Lineup(
        sides=[
            ComparedSide(
                name,
                one.source,
                {"model": one.result.model, "design": design, REFEREE: referee_summary(one.result.referee)},
                one.result,
            )
            for name, one, design in zip(_people_names(results, designs), results, designs, strict=True)
        ],
        how=f"protocol {protocol} · the same tests and studies",
        metrics=(*METRICS, *FURTHER),
        usual=METRICS[0],
        about={"protocol": protocol},
        warnings=_design_warnings(models, designs),
    )


def _design(folder: Path) -> str | None:
    """Name the design of the agents; None where the result comes from a table of tests."""
    designs = sorted({(one.design.name, one.design.sha256 or "") for one in read_plans(folder)[0]})
    named = (f"{name} {sha[:8]}" if name not in DESIGNS else name for name, sha in designs)
    return ", ".join(named) if designs else None


def _people_names(results: Sequence[Stored[PeopleResult]], designs: Sequence[str | None]) -> list[str]:
    """Name results by their models where these differ, else by folders, and by designs where these differ."""
    models = [one.result.model for one in results]
    by_model = None not in models and len(set(models)) == len(models)
    names = [str(one.result.model) if by_model else one.name for one in results]
    if len(set(designs)) == 1:
        return names
    return [
        name if design is None or design in name else f"{name} ({design})"
        for name, design in zip(names, designs, strict=True)
    ]


def _design_warnings(models: Sequence[str | None], designs: Sequence[str | None]) -> list[str]:
    """Say when model and design change together: the difference then belongs to neither alone."""
    if len({*models} - {None}) < 2 or len({*designs} - {None}) < 2:
        return []
    return [
        "both the model and the design of the agents differ between these results: a difference may come "
        "from either; run the models under one design, or one model under several designs"
    ]


def _protocols(first: Stored[PeopleResult], other: Stored[PeopleResult]) -> str:
    """Say how two protocols differ and how to make the results comparable."""
    one, two = asdict(first.result.protocol), asdict(other.result.protocol)
    keys = [key for key in one if key != "name" and one[key] != two[key]]
    shown = ", ".join(f"{key} {one[key]!r} / {two[key]!r}" for key in keys[:4])
    return (
        f"{first.name} was scored under protocol {one['name']!r} and {other.name} under "
        f"{two['name']!r} ({shown}): these do not compare; score one of the tables again with: "
        f"concord score people TESTS --protocol {one['name'].partition(' ')[0]}"
    )


def _study_by_study(found: Lineup, metric: str, asked: CompareRequest) -> ComparedPairs:
    scores = [_of_model(side.name, side.scores) for side in found.sides]
    level, protocol = asked.choices.level, found.sides[0].scores.protocol
    compared = compare_people(scores, protocol, level=level, metric=metric, engine=asked.engine)
    ranked = dict(compared.standing.values)
    referees = {side.name: side.scores.referee for side in found.sides}
    return ComparedPairs(
        pairs=compared.pairs,
        standing=compared.standing,
        options={"level": level},
        intervals={
            side.name: ranked_interval(getattr(side.scores, metric, None), ranked.get(side.name))
            for side in found.sides
        },
        about={RANKS: prior_ranks(referees) if _same_tests(scores) else []},
    )


MOST_MOVED = 10
"""Effects that are named of those that moved between two versions."""


def as_people(sources: Sequence[Any]) -> dict[str, list[dict[str, Any]]]:
    """Return effects and distributions that moved from an old version to a new one, given new and old."""
    return {MOVED: _moved_effects(sources), MOVED_ANSWERS: _moved_answers(sources)}


def _answers_beside(source: Any) -> dict[str, OutcomeAnswers]:
    """Return the answers as distributions that lie beside a result, by outcome; none where there are none."""
    folder = PEOPLE_RESULTS.stored(source).folder
    if folder is None or not (folder / DISTRIBUTIONS / AnswersResult.FILE).is_file():
        return {}
    agents = AnswersResult.read(folder / DISTRIBUTIONS).agents
    return {one.full_name: one for one in agents[0].outcomes} if len(agents) == 1 else {}


def _moved_answers(sources: Sequence[Any]) -> list[dict[str, Any]]:
    """Return outcomes whose answers moved towards people's or away: spread and distance of both versions."""
    new, old = (_answers_beside(one) for one in sources)
    rows: list[dict[str, Any]] = []
    for name in new.keys() & old.keys():
        row: dict[str, Any] = {"outcome": name}
        for which, one in (("second", old[name]), ("first", new[name])):
            spread, far = one.spread, one.numbers.get("tvd")
            row[f"{which}_spread"] = None if spread is None else spread.estimate.value
            row[f"{which}_tvd"] = None if far is None else far.estimate.value
            row["people_tvd"] = None if far is None or far.people is None else far.people.value
        if row["first_tvd"] is not None and row["second_tvd"] is not None:
            row["moved"] = row["first_tvd"] - row["second_tvd"]
            rows.append({**row, "nearer": row["moved"] < 0})
    return sorted(rows, key=lambda row: (-abs(row["moved"]), row["outcome"]))[:MOST_MOVED]


def _moved_effects(sources: Sequence[Any]) -> list[dict[str, Any]]:
    """Return the effects of agents that moved most."""
    new, old = (
        {
            (test.study, test.sub_study, test.finding, test.test): test
            for test in PEOPLE_RESULTS.stored(one).result.tests
        }
        for one in sources
    )
    rows = []
    for key, test in new.items():
        before, human = old.get(key), test.human_effect_d
        if before is None or test.agent_effect_d is None or before.agent_effect_d is None or human is None:
            continue
        now, then = test.agent_effect_d, before.agent_effect_d
        named = " / ".join(part for part in key if part)
        nearer = abs(now - human) < abs(then - human)
        rows.append(
            {
                "test": named,
                "human_d": human,
                "second_d": then,
                "first_d": now,
                "moved": now - then,
                "nearer": nearer,
            }
        )
    return sorted(rows, key=lambda row: -abs(row["moved"]))[:MOST_MOVED]


def _of_model(name: str, scores: PeopleResult) -> PeopleScoresOf:
    """Return a model's tests as a comparison takes them: what names each, and its numbers."""
    rows = tuple(
        TestRow(test.study, test.sub_study, test.finding, test.test, test.test_type, test.domain)
        for test in scores.tests
    )
    return PeopleScoresOf(name, rows, tuple(map(_test_values, scores.tests)))


def _test_values(test: TestResult) -> dict[str, float | None]:
    return {
        "pas": test.pas,
        "n_eff": test.n_eff,
        "human_d": test.human_effect_d,
        "agent_d": test.agent_effect_d,
        "ecs_test": test.ecs_test,
        "passes": None if test.passed is None else float(test.passed),
        "human_significant": None if test.human_significant is None else float(test.human_significant),
    }


def _same_tests(scores: Sequence[PeopleScoresOf]) -> bool:
    """Whether all models have a PAS for the same tests: PAS over different ones do not rank them."""
    scored = [
        {(row.study, row.sub_study, row.finding, row.test)
         for row, values in zip(one.rows, one.values, strict=True) if values["pas"] is not None}
        for one in scores
    ]  # fmt: skip
    return all(one == scored[0] for one in scored[1:])


def referee_summary(found: Referee | None) -> dict[str, Any] | None:
    """Return a model's answers as its entry in a comparison holds them; None where its result has none."""
    if found is None:
        return None
    meta, told, kept = found.difference.meta, found.replications, found.equivalence
    ends = None if meta is None else meta.mean.interval
    numbers = RefereeNumbers(
        inside=found.inside.inside,
        n_inside=found.inside.n,
        difference_d=None if meta is None else meta.mean.value,
        difference_d_interval=None if ends is None else (ends.low, ends.high),
        difference_d_level=None if ends is None else ends.level,
        n_replications=told.n,
        n_supported=told.n_supported,
        n_opposed=told.n_opposed,
        n_too_small=told.n_too_small,
        margin=kept.margin,
        n_kept=kept.n_kept,
        n_equivalent=kept.n_equivalent,
        selection_size_ratio=found.selection.size_ratio.value,
        ecs_hedges=found.ecs_hedges,
        ecs_precision=found.ecs_precision,
    )
    held: dict[str, Any] = encode(numbers)
    return held


def prior_ranks(models: Mapping[str, Referee | None]) -> list[dict[str, Any]]:
    """Rank models by PAS under every prior of the grid; empty unless all were scored over one grid."""
    grids = [
        {(cell.scale, cell.odds): cell.pas for cell in found.priors}
        for found in models.values()
        if found is not None
    ]
    if len(grids) < max(2, len(models)) or any(set(grid) != set(grids[0]) for grid in grids):
        return []
    rows = []
    for scale, odds in grids[0]:
        known = {
            name: value
            for name, grid in zip(models, grids, strict=True)
            if (value := grid[scale, odds]) is not None
        }
        order = sorted(known, key=lambda name: -known[name])
        rows.append(encode(PriorRanks(scale, odds, tuple(order), known)))
    return rows


WAYS = Ways(PeopleResult.read, _people_models, _study_by_study)
