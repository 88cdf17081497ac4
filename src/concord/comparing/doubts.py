"""What makes a comparison doubtful: the same file twice, other prompts, settings, runs or units of scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from concord.comparing.records import ScoreFile
from concord.errors import MismatchError, OptionError, listed
from concord.files.documents import RunFacts, run_facts

if TYPE_CHECKING:
    import polars as pl


def doubts(files: Sequence[ScoreFile], long: "pl.DataFrame | None") -> tuple[str, ...]:
    """Return the warnings about files that can be laid side by side and may not be meant to."""
    found = [
        *_same_file(files),
        *_tasks_of_groups(files),
        *other_settings([dict(file.settings) for file in files]),
    ]
    if long is not None and "prompt" in long.columns:
        found += _prompts(long)
    return tuple(found)


def _same_file(files: Sequence[ScoreFile]) -> list[str]:
    """Tell of two models that are one file: a comparison of it with itself finds nothing."""
    seen: dict[object, ScoreFile] = {}
    for file in files:
        key = tuple(one.sha256 for one in file.inputs)
        first = seen.setdefault((key, file.name, file.metric), file) if key else file
        if first is not file:
            return [
                f"{first.source} and {file.source} are the same file, byte for byte; is one of them meant?"
            ]
    return []


def _tasks_of_groups(files: Sequence[ScoreFile]) -> list[str]:
    """Name the tasks that not every group has."""
    groups = [file for file in files if file.parts]
    if len(groups) < 2:
        return []
    common = set.intersection(*(set(file.parts) for file in groups))
    lacking = [
        f"only {file.source} has {listed(sorted(set(file.parts) - common))}"
        for file in groups
        if set(file.parts) - common
    ]
    return [f"{len(common)} tasks are compared; {'; '.join(lacking)}"] if lacking else []


def other_settings(known: Sequence[Mapping[str, str]]) -> list[str]:
    """Name the settings in which models were asked differently; none where a model's are not known."""
    if len(known) < 2 or not all(known):
        return []
    names = dict.fromkeys(name for one in known for name in one)
    other = [
        f"{name} ({', '.join(one.get(name, 'not given') for one in known)})"
        for name in names
        if len({one.get(name) for one in known}) > 1
    ]
    if not other:
        return []
    return [f"the models were not asked alike: {'; '.join(other)}; the difference belongs to these as well"]


def _prompts(long: "pl.DataFrame") -> list[str]:
    """Count the documents that were asked with other prompts, such as another number of examples."""
    import polars as pl

    known = long.filter(pl.col("prompt").is_not_null())
    kinds = known.group_by("place").agg(n=pl.col("prompt").n_unique(), models=pl.col("model").n_unique())
    both = kinds.filter(pl.col("models") > 1)
    other = both.filter(pl.col("n") > 1).height
    if not other:
        return []
    return [
        f"{other} of {both.height} documents were asked with other prompts (other examples, template or "
        "instruction): the difference belongs to these as well"
    ]


_NOT_SETTINGS = frozenset(("items", "samples", "bias_cases", "pairs", "first", "second"))
"""Options that name files: whether the same was asked is seen by the items themselves."""


def run_doubts(sources: Sequence[Any]) -> tuple[str, ...]:
    """Tell which runs did not end, and in what the runs were asked differently."""
    runs = [_run_of(source) for source in sources]
    unfinished = [
        f"{source}: the run did not end, {run.n_not_asked:,} of {run.n_trials:,} trials were not asked"
        for source, run in zip(sources, runs, strict=True)
        if run.n_not_asked
    ]
    return (*unfinished, *other_settings([_settings_of(run) for run in runs]))


def _run_of(source: Any) -> RunFacts:
    """Return what a run says of itself; nothing where the source is none."""
    found = run_facts(Path(source), Path(source).parent) if isinstance(source, str | Path) else RunFacts()
    return found if found.kind == "run" else RunFacts()


def _settings_of(run: RunFacts) -> dict[str, str]:
    """Return sampling, options and templates; what was not given is no setting."""
    chosen = {name: value[:60] for name, value in (*run.settings, *run.options) if name not in _NOT_SETTINGS}
    return chosen | {f"template {name}": digest[:8] for name, digest in run.templates}


UNITS = ("auto", "percent", "same")
"""Refuse shares beside percentages; divide percentages by 100; take all scores as they are."""
_FACTOR = 10
"""Scores that reach so many times 1, beside others that lie from 0 to 1, have another scale."""
_WHOLE = 100


@dataclass(frozen=True, slots=True)
class _Range:
    """Where the single scores of a file lie."""

    low: float
    high: float
    has_fractions: bool
    """Whether a score lies between 0 and 1."""
    mostly_above: bool
    """Whether most scores that are not 0 lie above 1."""
    all_or_nothing: bool
    """Whether every score is 0 or 100."""

    @property
    def is_share(self) -> bool:
        return self.low >= 0 and self.high <= 1

    @property
    def reaches_far(self) -> bool:
        return self.high >= _FACTOR

    @property
    def is_percentage(self) -> bool:
        return self.low >= 0 and self.reaches_far and self.high <= _WHOLE and self.mostly_above


def in_one_unit(files: Sequence[ScoreFile], unit: str) -> list[ScoreFile]:
    """Return files whose scores can be subtracted from each other."""
    # Shares with fractions beside percentages are refused: their difference is one of units. Scores of 0 and
    # 1 beside others that reach above 10 may be counts, and logs of one harness have one unit under one name
    # of a metric: both are told and compared.
    if unit not in UNITS:
        raise OptionError(f"unit is {unit!r}, expected one of {', '.join(UNITS)}")
    if unit == "same":
        return list(files)
    ranges = [_range_of(file) for file in files]
    if unit == "percent":
        return [_as_shares(file, found) for file, found in zip(files, ranges, strict=True)]
    shares = [i for i, found in enumerate(ranges) if found.is_share]
    far = [i for i, found in enumerate(ranges) if found.reaches_far]
    if not shares or not far:
        return list(files)
    for one in shares:
        for other in far:
            if _other_unit(files[one], files[other], ranges[one], ranges[other]):
                raise MismatchError(
                    f"{_lying(files, ranges, one, other)}: shares beside percentages, whose difference would "
                    f"be one of units. If so, divide the scores of {_file_or_name(files, other, one)} by "
                    "100, or compare with --unit percent (unit='percent'); if both have one unit, with "
                    "--unit same"
                )
    told = (
        f"{_lying(files, ranges, shares[0], far[0])}: if one file holds shares and the other percentages, "
        "the difference below is one of units; give both in one unit"
    )
    return [replace(files[0], warnings=(*files[0].warnings, told)), *files[1:]]


def _range_of(file: ScoreFile) -> _Range:
    """Look at the scores of a file; without any, its ends are NaN."""
    scores = file.frame["score"].drop_nulls().to_numpy()
    if not scores.size:
        return _Range(np.nan, np.nan, False, False, False)
    other = scores[scores != 0]
    return _Range(
        float(scores.min()),
        float(scores.max()),
        bool(np.any((scores > 0) & (scores < 1))),
        bool(other.size and np.mean(other > 1) > 0.5),
        bool(np.all(other == _WHOLE)),
    )


def _other_unit(one: ScoreFile, other: ScoreFile, shares: _Range, far: _Range) -> bool:
    """Whether a file of scores from 0 to 1 holds shares and one that reaches far above percentages."""
    if one.kind == other.kind != "table" or not far.is_percentage:
        return False
    return shares.has_fractions or far.all_or_nothing


def _as_shares(file: ScoreFile, found: _Range) -> ScoreFile:
    """Turn percentages into shares; what lies from 0 to 1 is one already."""
    if found.is_share:
        return file
    if found.low < 0 or found.high > _WHOLE:
        raise OptionError(
            f"{file.source}: scores lie from {found.low:g} to {found.high:g}, percentages from 0 to 100; "
            "leave --unit percent (unit='percent') out"
        )
    return replace(file, frame=file.frame.with_columns(file.frame["score"] / _WHOLE))


def _lying(files: Sequence[ScoreFile], ranges: Sequence[_Range], one: int, other: int) -> str:
    first, second = ranges[one], ranges[other]
    return (
        f"scores of {_file_or_name(files, one, other)} lie from {first.low:g} to {first.high:g}, those of "
        f"{_file_or_name(files, other, one)} from {second.low:g} to {second.high:g}"
    )


def _file_or_name(files: Sequence[ScoreFile], which: int, beside: int) -> str:
    """Call a model by its file, or by its name where both are in one."""
    alike = files[which].source == files[beside].source
    return files[which].name if alike else files[which].source
