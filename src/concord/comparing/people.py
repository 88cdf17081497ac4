"""Results about people compared: what may be compared with what, who is who, and how to fix it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from concord.comparing.metrics import (
    ComparedModel,
    CompareRequest,
    MetricCompareResult,
    ResultKind,
    UnitWords,
    check_names,
    distinct,
    known_metric,
    ranked_interval,
)
from concord.errors import FileFormatError, MismatchError
from concord.files.contents import fingerprint_file, is_file, read_bytes
from concord.files.documents import folder_name, folder_with
from concord.files.json_text import parsed
from concord.people import NAME
from concord.people.compare import FURTHER, PeopleScoresOf, compare_people
from concord.people.compare import METRICS as PEOPLE_METRICS
from concord.people.files import DETAILED, SUMMARY, PeopleResult, read
from concord.people.referee.records import PriorCell, Referee
from concord.people.result import TestResult
from concord.people.studies.agents import DESIGNS
from concord.records import InputFile, TestRow

PLANS = "plans.json"
WORDS = UnitWords("test", "tests", "study", "studies", least="3 studies", counts_units=True)


@dataclass(frozen=True, slots=True)
class PeopleFolder:
    """One model's result on a table of tests, and who was asked how."""

    name: str
    scores: PeopleResult
    inputs: tuple[InputFile, ...] = ()
    design: str | None = None
    """How the model was told who it is, where replies to studies were scored."""

    @property
    def model(self) -> str | None:
        """The model that took the place of the participants, where the result says."""
        return self.scores.model


def is_people_folder(source: object) -> bool:
    """Whether a path is a folder with the files of `concord score people`."""
    return folder_with(source, SUMMARY) is not None


def read_people_folder(source: Path, *, name: str | None = None) -> PeopleFolder:
    """Read one result folder."""
    folder = folder_with(source, SUMMARY)
    if folder is None:
        raise FileFormatError(f"{source}: holds no result about people ({SUMMARY})")
    files = [folder / SUMMARY, folder / DETAILED]
    return PeopleFolder(
        name=folder_name(source) if name is None else name,
        scores=read(folder),
        inputs=tuple(fingerprint_file(file) for file in files if is_file(file)),
        design=_design(folder / PLANS),
    )


def _design(path: Path) -> str | None:
    """Name the design of the agents; None where the result comes from a table of tests."""
    if not is_file(path):
        return None
    try:
        plans = parsed(str(path), read_bytes(path))["plans"]
        designs = {(str(plan["design"]["name"]), str(plan["design"]["sha256"])) for plan in plans}
    except (LookupError, TypeError) as error:
        raise FileFormatError(f"{path}: names no designs of agents ({error}); score the run again") from error
    return ", ".join(f"{name} {sha[:8]}" if name not in DESIGNS else name for name, sha in sorted(designs))


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


def compare_people_folders(asked: CompareRequest) -> MetricCompareResult:
    """Compare results about people, study by study."""
    sources, names, metric, choices = asked.sources, asked.names, asked.metric, asked.choices
    chosen = known_metric("pas" if metric is None else metric.lower(), (*PEOPLE_METRICS, *FURTHER))
    check_names(names, len(sources), "results")
    folders = [read_people_folder(Path(source)) for source in sources]
    first = folders[0]
    for other in folders[1:]:
        if other.scores.protocol != first.scores.protocol:
            raise MismatchError(_protocols(first, other))
    protocol = first.scores.protocol
    called = _people_names(folders) if names is None else list(names)
    scores = [_of_model(name, one.scores) for name, one in zip(called, folders, strict=True)]
    found = compare_people(scores, protocol, level=choices.level, metric=chosen, engine=asked.engine)
    ranked = dict(found.standing.values)
    models = [
        ComparedModel(
            name,
            str(source),
            {"model": one.model, "design": one.design, KEY: referee_summary(one.scores.referee)},
            ranked_interval(getattr(one.scores, chosen, None), ranked.get(name)),
        )
        for name, source, one in zip(called, sources, folders, strict=True)
    ]
    asked_by_referee = {name: one.scores.referee for name, one in zip(called, folders, strict=True)}
    return MetricCompareResult(
        NAME,
        WORDS,
        f"protocol {protocol.name} · the same tests and studies",
        {"protocol": protocol.name, RANKS: prior_ranks(asked_by_referee) if _same_tests(scores) else []},
        tuple(models),
        found.pairs,
        found.standing,
        {"level": choices.level},
        tuple(item for folder in folders for item in folder.inputs),
        tuple(_design_warnings(folders)),
    )


def _same_tests(scores: Sequence[PeopleScoresOf]) -> bool:
    """Whether all models have a PAS for the same tests: PAS over different ones do not rank them."""
    scored = [
        {(row.study, row.sub_study, row.finding, row.test)
         for row, values in zip(one.rows, one.values, strict=True) if values["pas"] is not None}
        for one in scores
    ]  # fmt: skip
    return all(one == scored[0] for one in scored[1:])


def _people_names(folders: Sequence[PeopleFolder]) -> list[str]:
    """Name results by their models where these differ, else by folders, and by designs where these differ."""
    models = [folder.model for folder in folders]
    by_model = None not in models and len(set(models)) == len(models)
    names = [str(folder.model) if by_model else folder.name for folder in folders]
    if len({folder.design for folder in folders}) > 1:
        names = [
            name if folder.design is None or folder.design in name else f"{name} ({folder.design})"
            for name, folder in zip(names, folders, strict=True)
        ]
    return distinct(names)


def _design_warnings(folders: Sequence[PeopleFolder]) -> list[str]:
    """Say when model and design change together: the difference then belongs to neither alone."""
    models = {folder.model for folder in folders if folder.model is not None}
    designs = {folder.design for folder in folders if folder.design is not None}
    if len(models) < 2 or len(designs) < 2:
        return []
    return [
        "both the model and the design of the agents differ between these results: a difference may come "
        "from either; run the models under one design, or one model under several designs"
    ]


def _protocols(first: PeopleFolder, other: PeopleFolder) -> str:
    """Say how two protocols differ and how to make the results comparable."""
    one, two = asdict(first.scores.protocol), asdict(other.scores.protocol)
    keys = [key for key in one if key != "name" and one[key] != two[key]]
    shown = ", ".join(f"{key} {one[key]!r} / {two[key]!r}" for key in keys[:4])
    return (
        f"{first.name} was scored under protocol {one['name']!r} and {other.name} under "
        f"{two['name']!r} ({shown}): these do not compare; score one of the tables again with: "
        f"concord score people TESTS --protocol {one['name'].partition(' ')[0]}"
    )


KIND = ResultKind(NAME, "a result about people", is_people_folder, compare_people_folders)


KEY, RANKS = "referee", "pas_ranks_over_priors"


def referee_summary(found: Referee | None) -> dict[str, Any] | None:
    """Return a model's answers as its entry in a comparison holds them; None where its result has none."""
    if found is None:
        return None
    meta, told, kept = found.difference.meta, found.replications, found.equivalence
    ends = None if meta is None else meta.mean.interval
    return {
        "inside": found.inside.inside,
        "n_inside": found.inside.n,
        "difference_d": None if meta is None else meta.mean.value,
        "difference_d_interval": None if ends is None else [ends.low, ends.high],
        "n_replications": told.n,
        "n_supported": told.n_supported,
        "n_opposed": told.n_opposed,
        "n_too_small": told.n_too_small,
        "margin": kept.margin,
        "n_kept": kept.n_kept,
        "n_equivalent": kept.n_equivalent,
        "selection_size_ratio": found.selection.size_ratio.value,
        "ecs_hedges": found.ecs_hedges,
        "ecs_precision": found.ecs_precision,
    }


def prior_ranks(models: Mapping[str, Referee | None]) -> list[dict[str, Any]]:
    """Rank models by PAS under every prior of the grid; empty unless all were scored over one grid."""
    grids = [_grid(found.priors) for found in models.values() if found is not None]
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
        rows.append({"scale": scale, "odds": odds, "order": order, "pas": known})
    return rows


def _grid(cells: Sequence[PriorCell]) -> dict[tuple[float, float], float | None]:
    return {(cell.scale, cell.odds): cell.pas for cell in cells}
