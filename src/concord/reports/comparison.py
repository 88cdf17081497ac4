"""From files to a comparison: read, pair, compare, name."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from concord.errors import FileFormatError, MismatchError, OptionError
from concord.people.compare import PeopleScoresOf, compare_people
from concord.people.protocol import Protocol, check_protocol
from concord.readers.people_results import PeopleFolder, is_people_folder, read_people_folder
from concord.readers.score_join import JoinedScores, join_scores
from concord.readers.score_tables import Columns
from concord.readers.scores import read_scores
from concord.reports.compare import CompareResult, make_result
from concord.reports.compare_people import PeopleCompareResult
from concord.stats.compare import Choices, mean_estimate
from concord.stats.engine import SERIAL, Engine, get_engine
from concord.stats.ranking import compare_models


@dataclass(frozen=True, slots=True)
class Reading:
    """How files of scores are read."""

    columns: Columns = Columns()
    metric: str | None = None
    names: Sequence[str] | None = None
    """What the report calls the models."""
    wrong: float | None = None
    """Score of a wrong answer; None: 0 where all scores lie from 0 to 1."""

    def name(self, i: int) -> str | None:
        """Give the name of the i-th model, where one was given."""
        return None if self.names is None else self.names[i]


def compare(
    *sources: Any,
    item: str | None = None,
    score: str | None = None,
    cluster: str | None = None,
    repeat: str | None = None,
    metric: str | None = None,
    names: Sequence[str] | None = None,
    wrong: float | None = None,
    engine: str = "serial",
    scheduler: str | None = None,
    **choices: Any,
) -> CompareResult | PeopleCompareResult:
    """Compare two or more models on the same items, or on the same studies of people.

    Parameters
    ----------
    sources
        Two or more of one kind: Inspect `.eval` logs, lm-eval `--log_samples` files, tables (CSV, XLSX,
        Parquet, JSON, frames, lists of rows) with an item and a score a row, or folders that
        `concord score people` wrote.
    item, score, cluster, repeat
        Names of columns of a table; ``cluster`` also of sample metadata (Inspect) or of a document's field
        (lm-eval).
    metric
        Which scorer or metric, where a log has several.
    names
        What the report calls the models, one each.
    wrong
        Score of a wrong answer; 0 by default where all scores lie from 0 to 1.
    engine, scheduler
        ``serial``, ``processes``, or ``dask`` with the address of its scheduler; changes nothing in the
        result.
    choices
        ``level`` (0.95), ``test`` (``auto``), ``n_flips`` (9999), ``seed`` (0).

    Returns
    -------
    CompareResult or PeopleCompareResult
        Frozen; prints itself, and gives ``to_frame()``, ``to_dict()``, ``write(folder)``.

    Raises
    ------
    MismatchError
        Different tasks, metrics, items or protocols; the message says what is comparable.

    Examples
    --------
    >>> first = [{"item": i, "score": s} for i, s in enumerate([1, 1, 0, 1, 1, 1])]
    >>> second = [{"item": i, "score": s} for i, s in enumerate([0, 1, 0, 0, 1, 0])]
    >>> result = compare(first, second, names=["new", "old"])
    >>> result.difference.value, result.p_value
    (0.5, 0.25)
    """
    return compare_sources(
        sources,
        Reading(Columns(item, score, cluster, repeat), metric, names, wrong),
        choices=Choices(**choices),
        engine=get_engine(engine, scheduler=scheduler),
    )


def compare_sources(
    sources: Sequence[Any], reading: Reading, *, choices: Choices, engine: Engine = SERIAL
) -> CompareResult | PeopleCompareResult:
    """Compare whatever was given: score files item by item, people results study by study.

    Parameters
    ----------
    sources
        Paths, frames or lists of rows, at least two.
    reading
        Columns, metric, names.
    choices
        Level, test, flips, seed.
    engine
        Where the work is done.

    Raises
    ------
    OptionError
        Fewer than two sources, or another number of names.
    MismatchError
        Sources that cannot be compared with each other.
    """
    if len(sources) < 2:
        raise OptionError(f"comparing needs at least two results, got {len(sources)}")
    if reading.names is not None and len(reading.names) != len(sources):
        raise OptionError(f"{len(reading.names)} name(s) for {len(sources)} results; give one each")
    people = [is_people_folder(source) for source in sources]
    if all(people):
        folders = [read_people_folder(Path(source), name=reading.name(i)) for i, source in enumerate(sources)]
        return _people(folders, choices.level)
    if any(people):
        one, other = sources[people.index(True)], sources[people.index(False)]
        raise MismatchError(
            f"{one} is a result about people and {other} is not; compare results of one kind with each other"
        )
    joined = joined_scores(sources, reading)
    return compare_joined(joined, wrong=reading.wrong, choices=choices, engine=engine)


def joined_scores(sources: Sequence[Any], reading: Reading) -> JoinedScores:
    """Read score files and lay them side by side."""
    files = []
    for i, source in enumerate(sources):
        _own_result(source)
        files.append(
            read_scores(source, columns=reading.columns, metric=reading.metric, name=reading.name(i))
        )
    return join_scores(files)


def _own_result(source: Any) -> None:
    """Point to where differences of Concord's other results are."""
    if isinstance(source, str | Path) and (Path(source) / "s_cons_results.csv").is_file():
        raise FileFormatError(
            f"{source}: a result about structure; its differences between models, with intervals from the "
            "same items, are in differences.csv when models are scored together by: concord score structure"
        )


def compare_joined(
    joined: JoinedScores, *, wrong: float | None, choices: Choices, engine: Engine = SERIAL
) -> CompareResult:
    """Compare models whose scores lie side by side."""
    ranking = compare_models(joined.scores, joined.clusters, choices=choices, engine=engine)
    common = ~np.isnan(joined.scores).any(axis=0)
    clusters = None if joined.clusters is None else joined.clusters[common]
    means = tuple(mean_estimate(row[common], clusters, level=choices.level) for row in joined.scores)
    noted = replace(joined, warnings=(*joined.warnings, *_repeats(joined)))
    return make_result(noted, ranking, means, choices=choices, wrong=_wrong(joined, wrong))


def _wrong(joined: JoinedScores, wrong: float | None) -> float | None:
    """Give the score of a wrong answer: as given, or 0 where all scores lie from 0 to 1."""
    if wrong is not None:
        return wrong
    low, high = np.nanmin(joined.scores), np.nanmax(joined.scores)
    return 0.0 if low >= 0 and high <= 1 else None


def _repeats(joined: JoinedScores) -> tuple[str, ...]:
    """Word the warning about different numbers of repeats."""
    ranges = []
    for i, name in enumerate(joined.names):
        asked = joined.asked[i][joined.asked[i] > 0]
        low, high = int(asked.min()), int(asked.max())
        ranges.append((low, high, f"{name}: {low}" if low == high else f"{name}: {low} to {high}"))
    if len({(low, high) for low, high, _ in ranges}) == 1 and ranges[0][0] == ranges[0][1]:
        return ()
    listed = "; ".join(text for _, _, text in ranges)
    return (
        f"the number of repeats an item differs ({listed}): an item counts once, as the mean of its repeats",
    )


def _people(folders: Sequence[PeopleFolder], level: float) -> PeopleCompareResult:
    """Compare people results after a look at their protocols."""
    first = folders[0]
    for other in folders[1:]:
        if other.choices != first.choices:
            raise MismatchError(_protocols(first, other))
    protocol = check_protocol(Protocol(**first.choices))
    names = _distinct([folder.name for folder in folders])
    models = [
        PeopleScoresOf(name, folder.rows, folder.values) for name, folder in zip(names, folders, strict=True)
    ]
    pairs = compare_people(models, protocol, level=level)
    inputs = tuple(item for folder in folders for item in folder.inputs)
    return PeopleCompareResult(first.protocol, pairs, level, inputs)


def _protocols(first: PeopleFolder, other: PeopleFolder) -> str:
    """Say how two protocols differ and how to make the results comparable."""
    keys = [key for key in first.choices if key != "name" and first.choices[key] != other.choices.get(key)]
    shown = ", ".join(f"{key} {first.choices[key]!r} / {other.choices.get(key)!r}" for key in keys[:4])
    return (
        f"{first.name} was scored under protocol {first.protocol!r} and {other.name} under "
        f"{other.protocol!r} ({shown}): these do not compare; score one of the tables again with: "
        f"concord score people TESTS --protocol {first.protocol.partition(' ')[0]}"
    )


def _distinct(names: Sequence[str]) -> list[str]:
    """Give numbers to names that are the same."""
    return [f"{name} [{i}]" if names.count(name) > 1 else name for i, name in enumerate(names, 1)]
