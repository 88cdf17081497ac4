"""What makes a comparison doubtful, and is told: the same file twice, other prompts or settings."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from concord.comparing.records import ScoreFile
from concord.files.limits import listed

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
