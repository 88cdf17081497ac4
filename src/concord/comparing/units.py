"""Whether the scores of several files have one unit: shares beside percentages give no verdict."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from concord.comparing.records import ScoreFile
from concord.errors import MismatchError, OptionError

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
    """Return files whose scores can be subtracted from each other.

    Shares with fractions beside percentages are refused: their difference is one of units. Scores of 0 and 1
    beside others that reach above 10 may be counts, and logs of one harness have one unit under one name of a
    metric: both are told and compared.
    """
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
