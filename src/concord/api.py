"""What a notebook imports: paths or frames in, frozen results out."""

from pathlib import Path
from typing import Any

from concord.readers.structure_folder import check_sources, read_folders
from concord.readers.structure_long import read_long
from concord.readers.structure_records import ReadOptions
from concord.reports.structure import StructureResult
from concord.structure.records import ScoreOptions
from concord.structure.score import check_options, score

__all__ = ["score_people", "score_structure"]


def score_people() -> None:
    """Not written yet."""


def score_structure(
    mean: str | Path | None = None,
    max: str | Path | None = None,
    scores: Any = None,
    *,
    reading: str = "peak",
    column: str | None = None,
    percent: bool = False,
    lenient: bool = False,
    samples: int | None = None,
    baseline: str | None = None,
    encoding: str | None = None,
    decimal_comma: bool = False,
    seed: int = 0,
    fixed_m: int = 2,
    resamples: int = 2000,
) -> StructureResult:
    """Score structural consistency: whether a model stays the same when only the arrangement changes.

    Parameters
    ----------
    mean, max
        Folders of mean and of max scores, one file (or one set of files) a model.
    scores
        Instead of the folders: a path to one long table (CSV or Parquet), or a polars or pandas frame, with
        the columns `model, arrangement, item` and `S_mean, S_max` or `sample, S_Acc`.
    reading
        What the gap runs over: ``peak``, ``paired``, ``unpaired`` or ``across``.
    column
        Name of the score column, where it does not end in S_Acc or several do.
    percent
        Scores run from 0 to 100.
    lenient
        A score cell that holds text counts as missing instead of refusing the model.
    samples
        Samples a cell behind mean and max, where known.
    baseline
        Arrangement that is shown beside E and R, not counted in them.
    encoding
        Encoding of text files; UTF-8 otherwise.
    decimal_comma
        ``0,85`` is a number.
    seed
        Seed of resampling and splitting; the same seed gives the same bytes.
    fixed_m
        Size of the subsets of the fixed-m gap.
    resamples
        Resamples of the items behind simultaneous bands.

    Returns
    -------
    StructureResult
        Numbers, intervals and evidence of every model that could be scored, and all that could not.

    Raises
    ------
    InputError
        Nothing can be scored; the message names file, sheet, row, column and value, and what to do.

    Examples
    --------
    >>> import polars as pl
    >>> table = pl.DataFrame({
    ...     "model": ["m"] * 4, "arrangement": ["AB", "AB", "BA", "BA"], "item": ["x", "y", "x", "y"],
    ...     "S_mean": [0.5, 0.6, 0.4, 0.6], "S_max": [0.6, 0.8, 0.6, 0.8],
    ... })
    >>> result = score_structure(scores=table, reading="paired")
    >>> round(result.models[0].consistency.s_cons.value, 4)
    0.66
    """
    check_sources(mean, max, scores)
    options = ScoreOptions(reading, samples, baseline, seed, fixed_m, resamples)
    check_options(options)
    reading_options = ReadOptions(column, percent, lenient, encoding, decimal_comma)
    if scores is not None:
        data = read_long(scores, reading_options)
    else:
        assert mean is not None and max is not None  # noqa: S101 - check_sources looked
        data = read_folders(Path(mean), Path(max), reading_options)
    return StructureResult(score(data, options), reading_options)
