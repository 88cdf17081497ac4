"""A group of lm-eval tasks as one file of scores: a folder per model, a file and a cluster per task."""

from collections.abc import Sequence
from pathlib import Path

from concord.comparing.lm_eval import read_lm_eval_scores
from concord.comparing.records import ScoreFile
from concord.errors import FileFormatError, OptionError
from concord.files.limits import listed


def read_lm_eval_group(
    folder: Path, files: Sequence[Path], *, metric: str | None, cluster: str | None
) -> ScoreFile:
    """Read the tasks of a group, such as the 57 files of MMLU, as items of one file."""
    import polars as pl

    if cluster is not None:
        raise OptionError(f"--cluster {cluster!r}: in a group of tasks the task is the cluster; leave it out")
    read: dict[str, ScoreFile] = {}
    again: list[str] = []
    for path in sorted(files, key=lambda file: file.name):
        found = read_lm_eval_scores(path, metric=metric, cluster=None)
        if found.task is None:
            raise FileFormatError(
                f"{path.name}: its name does not say the task; expected samples_TASK_TIME.jsonl"
            )
        if found.task in read:
            _same_model(folder, read[found.task].name, found.name, found.task)
            again.append(found.task)
        read[found.task] = found
    metrics = list(dict.fromkeys(str(found.metric) for found in read.values()))
    if len(metrics) > 1:
        raise OptionError(f"{folder}: the tasks have the metrics {listed(metrics)}; choose one with --metric")
    frames = [
        found.frame.with_columns(
            (pl.lit(f"{task}/") + pl.col("item")).alias("item"), pl.lit(task).alias("cluster")
        )
        for task, found in read.items()
    ]
    twice = f"{folder.name}: of {listed(sorted(set(again)))} the newest file is read"
    parents = {path.parent.name for path in files}
    return ScoreFile(
        name=parents.pop() if len(parents) == 1 else folder.name,
        source=str(folder),
        kind="lm-eval",
        frame=pl.concat(frames),
        task="a group of lm-eval tasks",
        parts=tuple(read),
        metric=metrics[0],
        inputs=tuple(one for found in read.values() for one in found.inputs),
        warnings=(twice,) if again else (),
    )


def _same_model(folder: Path, first: str, second: str, task: str) -> None:
    """Refuse a folder that holds one task of several models: which of them is meant is not to be guessed."""
    if first != second:
        raise FileFormatError(
            f"{folder}: holds {task!r} of {first!r} and of {second!r}; give the folder of each model: "
            f"concord compare {folder / first} {folder / second}"
        )
