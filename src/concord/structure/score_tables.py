"""Tables of scores to a result: read, check, score."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.engine import Engine, chosen_engine

if TYPE_CHECKING:
    from concord.structure.files import StructureResult


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
    sheet: str | None = None,
    seed: int = 0,
    fixed_m: int = 2,
    resamples: int = 2000,
    chance: float | None = None,
    engine: str | Engine = "serial",
) -> "StructureResult":
    """Score structural consistency: whether a model stays the same when only the arrangement changes.

    Parameters
    ----------
    mean, max
        Folders of mean and of max scores, one file (or one set of files) per model.
    scores
        Instead of the folders: one long table (a path to CSV, XLSX, Parquet or JSON, a polars or pandas
        frame, or a list of rows), with the columns `model, arrangement, item`
        and `S_mean, S_max` or `sample, S_Acc`.
    reading
        What the gap runs over: ``peak``, ``paired``, ``unpaired`` or ``across``.
    column
        Name of the score column, where it does not end in S_Acc or several do.
    percent
        Scores run from 0 to 100.
    lenient
        A score cell that holds text counts as missing instead of refusing the model.
    samples
        Samples per cell behind mean and max, where known.
    baseline
        Arrangement that is shown with E and R, not counted in them.
    encoding
        Encoding of text files; UTF-8 otherwise.
    decimal_comma
        ``0,85`` is a number.
    sheet
        Sheet of a workbook that holds the long table, the first by default.
    seed
        Seed of resampling and splitting; the same seed gives the same bytes.
    fixed_m
        Size of the subsets of the fixed-m gap.
    resamples
        Resamples of the items behind simultaneous bands.
    chance
        Score of guessing, for multiple choice: a model that is not shown to be above it has nothing to be
        consistent about.
    engine
        Where resamples are computed: ``serial``, ``processes``, ``dask``; changes no number.

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
    from concord.structure.files import StructureResult
    from concord.structure.read.folder import check_sources, read_folders
    from concord.structure.read.long import read_long
    from concord.structure.read.records import ReadOptions
    from concord.structure.records import ScoreOptions
    from concord.structure.score import check_options, score

    check_sources(mean, max, scores)
    options = ScoreOptions(reading, samples, baseline, seed, fixed_m, resamples, chance=chance)
    check_options(options)
    reading_options = ReadOptions(column, percent, lenient, encoding, decimal_comma, sheet)
    if scores is not None:
        data = read_long(scores, reading_options)
    else:
        assert mean is not None and max is not None  # noqa: S101 - check_sources looked
        data = read_folders(Path(mean), Path(max), reading_options)
    return StructureResult(score(data, options, engine=chosen_engine(engine)), reading_options)
