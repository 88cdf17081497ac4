"""What recorded verdicts say about judges: records, and their files written and read back."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.errors import OptionError
from concord.files.codec import encode
from concord.files.documents import folder_with, heading, holding_folder, provenance, read_record
from concord.files.output import frame_of, write_csv, write_json
from concord.records import Estimate, InputFile, Presented, Provenance

if TYPE_CHECKING:
    import polars as pl


Counts = tuple[int, int, int]
"""Votes for answer A, for answer B, ties."""
NONE: Counts = (0, 0, 0)

NUMBERS = {
    "flip_excess": "verdicts that change with the seats, minus those that change anyway",
    "preference": "votes for the first seat minus 1/2",
    "inconsistency": "verdicts that change with the seats",
    "repeat": "verdicts that change between votes of one order",
    "reversal": "winners that change with the seats, ties left out",
    "ties": "ties",
    "longer": "votes for the longer answer, ties left out",
    "length_slope": "log odds of winning per doubling of length",
    "length_slope_human": "the same for people",
    "agreement": "votes that agree with a person",
    "agreement_human": "people who agree with one another",
    "agreement_gap": "the first minus the second, on pairs that several people judged",
    "kappa": "agreement beyond chance",
    "kappa_human": "agreement of people beyond chance",
}
"""Every number of a judge, with the words that a table heads it with."""


@dataclass(frozen=True, slots=True)
class PairVotes:
    """All votes of one judge on one pair of answers."""

    pair: str
    ab: Counts = NONE
    """Votes where answer A was in the first seat."""
    ba: Counts = NONE
    """Votes where answer B was in the first seat."""
    unordered: Counts = NONE
    """Votes whose order was not recorded."""
    unreadable: tuple[int, int, int] = (0, 0, 0)
    """Replies without a verdict: A first, B first, order not recorded."""
    human: Counts = NONE
    """People's verdicts on the pair."""
    length_a: float | None = None
    """Characters of answer A."""
    length_b: float | None = None
    model_a: str = "A"
    model_b: str = "B"
    cluster: str = ""
    """What pairs have in common, such as the question; each its own where it is empty."""


@dataclass(frozen=True, slots=True)
class ModelWins:
    """How often one model's answers win, both orders alike, ties half."""

    model: str
    rate: Estimate


@dataclass(frozen=True, slots=True)
class JudgeScores:
    """One judge."""

    judge: str
    numbers: dict[str, Estimate]
    """The numbers of `NUMBERS` by name."""
    preference_p: float | None
    """Exact sign test over pairs, or their clusters, that the seats are preferred alike."""
    flips_p: float | None
    """Permutation test that verdicts do not depend on the seats."""
    position: str
    """``first``, ``second`` or ``varying`` where position bias is shown, ``not shown``, ``not tested``."""
    wins: tuple[ModelWins, ...]
    pairs: tuple[PairVotes, ...]
    gate: str = ""
    """Why nothing may be concluded; empty where it may."""
    sentence: str = ""

    @property
    def n_votes(self) -> int:
        """Votes that were read."""
        return sum(sum(pair.ab) + sum(pair.ba) + sum(pair.unordered) for pair in self.pairs)

    @property
    def n_unreadable(self) -> int:
        """Replies without a verdict."""
        return sum(sum(pair.unreadable) for pair in self.pairs)

    @property
    def votes_per_order(self) -> tuple[int, int]:
        """Fewest and most votes on a pair in one order."""
        sizes = [sum(votes) for pair in self.pairs for votes in (pair.ab, pair.ba) if sum(votes)]
        return (min(sizes), max(sizes)) if sizes else (0, 0)


DOCUMENT, TABLE, PAIRS, WINS = "judge.json", "judge.csv", "judge_pairs.csv", "judge_wins.csv"
NUMBER_COLUMNS = ("judge", "number", "value", "low", "high", "p", "n", "n_left_out", "note")
PAIR_COLUMNS = (
    "judge", "pair", "cluster", "model_a", "model_b", "length_a", "length_b",
    *(f"{order}_{verdict}" for order in ("ab", "ba", "unordered", "human") for verdict in ("a", "b", "tie")),
    "unreadable_ab", "unreadable_ba", "unreadable_unordered",
)  # fmt: skip
WIN_COLUMNS = ("judge", "model", "win_rate", "low", "high", "n", "note")
_KIND = "judge result"


@dataclass(frozen=True, slots=True, repr=False)
class JudgeResult(Presented):
    """What recorded verdicts say about one or more judges."""

    judges: tuple[JudgeScores, ...]
    """By name."""
    level: float = 0.95
    n_permutations: int = 9999
    seed: int = 0
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    made: Provenance | None = None
    """How the verdicts were made, where a run says so."""

    def judge(self, name: str | None = None) -> JudgeScores:
        """Return one judge, the only one by default.

        Raises
        ------
        OptionError
            There is no such judge, or several and none named.
        """
        names = [one.judge for one in self.judges]
        if name is None and len(names) == 1:
            return self.judges[0]
        if name not in names:
            raise OptionError(f"judge {name!r} is not one of {', '.join(map(repr, names))}")
        return self.judges[names.index(name)]

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `judge.json` holds."""
        return {**heading(_KIND), **encode(self), "provenance": provenance(self.inputs)}

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per judge and number, the columns of `judge.csv`."""
        return frame_of(NUMBER_COLUMNS, judge_rows(self))

    def write(self, out: str | Path = "results") -> tuple[Path, ...]:
        """Write the files of the result and return their paths."""
        return write(self, Path(out))


def write(result: JudgeResult, folder: Path) -> tuple[Path, ...]:
    """Write all files of a result and return their paths."""
    write_json(folder / DOCUMENT, result.to_dict())
    write_csv(folder / TABLE, NUMBER_COLUMNS, judge_rows(result))
    write_csv(folder / WINS, WIN_COLUMNS, _win_rows(result))
    write_csv(folder / PAIRS, PAIR_COLUMNS, _pair_rows(result))
    return tuple(folder / name for name in (DOCUMENT, TABLE, WINS, PAIRS))


def read(folder: Path) -> JudgeResult:
    """Read a result back, whole."""
    path = holding_folder(folder, DOCUMENT) / DOCUMENT
    return read_record(JudgeResult, path, _KIND)


def is_judge_folder(source: object) -> bool:
    """Whether a path is a folder with the files of `concord score judge`."""
    return folder_with(source, DOCUMENT) is not None


def judge_rows(result: JudgeResult) -> Iterator[list[object]]:
    """Return one row per judge and number."""
    for one in result.judges:
        tests = {"preference": one.preference_p, "flip_excess": one.flips_p}
        for name in NUMBERS:
            number = one.numbers[name]
            counts = (number.n, number.n_left_out, number.note)
            yield [one.judge, name, number.value, *number.ends, tests.get(name), *counts]


def _win_rows(result: JudgeResult) -> Iterator[list[object]]:
    for one in result.judges:
        for wins in one.wins:
            yield [
                one.judge,
                wins.model,
                wins.rate.value,
                *wins.rate.ends,
                wins.rate.n,
                wins.rate.note,
            ]


def _pair_rows(result: JudgeResult) -> Iterator[list[object]]:
    for one in result.judges:
        for pair in one.pairs:
            names = (pair.pair, pair.cluster, pair.model_a, pair.model_b, pair.length_a, pair.length_b)
            yield [one.judge, *names, *pair.ab, *pair.ba, *pair.unordered, *pair.human, *pair.unreadable]
