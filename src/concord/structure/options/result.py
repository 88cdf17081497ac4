"""What options do to a model's choices: records, and their files written and read back."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.files.codec import decode, encode
from concord.files.documents import folder_with, heading, holding_folder, provenance, read_document
from concord.files.output import frame_of, write_csv, write_json
from concord.files.rows import read_rows, write_rows
from concord.records import Estimate, InputFile, Presented

if TYPE_CHECKING:
    import polars as pl


OPTION_COLUMNS = ("number", "place", "value", "low", "high", "p", "n", "note")


CLAIM_LEVEL = 0.05
"""Level of the test behind what is said about places."""


@dataclass(frozen=True, slots=True)
class OptionReply:
    """One reply to a question with options."""

    item: str
    arrangement: str
    answer: str | None
    """The option that was chosen, wherever it was; ``None``: none could be read."""
    place: int | None
    """Where the chosen option was, from 0."""
    right_place: int
    n_options: int
    correct: bool | None
    cluster: str = ""
    """Family of the item, which intervals are then over."""


@dataclass(frozen=True, slots=True)
class OptionScores:
    """What options and formats do to one model's choices."""

    n_items: int
    n_arrangements: int
    n_unread: int
    consistency: Estimate
    """Chance that replies under two arrangements of an item choose the same option."""
    repeat_agreement: Estimate
    """The same for two replies under one arrangement: what would change anyway."""
    flip_excess: Estimate
    """The second minus the first."""
    accuracy_by_place: tuple[Estimate, ...]
    """Share of right answers where the right option is in that place."""
    rstd: Estimate
    """Standard deviation of these accuracies over places."""
    rstd_floor: float | None
    """What it would be without an effect of the place: right answers divided at random over arrangements."""
    rstd_p: float | None
    """Share of such divisions with an RStd at least as large."""
    selection: tuple[Estimate, ...]
    """Share of choices of each place minus an even share, where the right option is in each place alike."""
    places_note: str = ""
    """Why an effect of the place cannot be tested; empty where it can, or where there are no places."""

    def rows(self) -> Iterator[tuple[object, ...]]:
        """Return one row per number, the columns of `options.csv`."""
        named: list[tuple[str, int | None, Estimate]] = [
            ("consistency", None, self.consistency),
            ("repeat_agreement", None, self.repeat_agreement),
            ("flip_excess", None, self.flip_excess),
            ("rstd", None, self.rstd),
            ("rstd_floor", None, Estimate(self.rstd_floor)),
            *(("accuracy_by_place", i, one) for i, one in enumerate(self.accuracy_by_place, 1)),
            *(("selection", i, one) for i, one in enumerate(self.selection, 1)),
        ]
        for name, place, found in named:
            p = self.rstd_p if name == "rstd" else None
            yield (name, place, found.value, *found.ends, p, found.n, found.note)

    @property
    def sentence(self) -> str:
        """What may be said: each claim only where its own interval or test shows it."""
        excess, said = self.flip_excess, []
        if excess.interval is None:
            said.append(f"whether choices change with the arrangement is not known ({excess.note})")
        elif excess.interval.low > 0:
            said.append("choices change with the arrangement more than between repeats")
        else:
            said.append("that choices change with the arrangement more than between repeats is not shown")
        if self._places_matter:
            said.append("accuracy depends on the place of the right option")
        elif self.rstd_p is not None:
            said.append("that accuracy depends on the place of the right option is not shown")
        elif self.places_note:
            said.append(f"whether accuracy depends on the place cannot be tested ({self.places_note})")
        return "; ".join(said).capitalize() + "."

    @property
    def _places_matter(self) -> bool:
        """Whether test and interval say so; the interval counts families of items, the test does not."""
        ends = self.rstd.interval
        return self.rstd_p is not None and self.rstd_p < CLAIM_LEVEL and (ends is None or ends.low > 0)

    def lines(self) -> list[str]:
        """Return the numbers in words."""
        excess = self.flip_excess
        told = [
            self.sentence,
            f"consistency over arrangements {_spelt(self.consistency)}, over repeats "
            f"{_spelt(self.repeat_agreement)}, flip excess {_spelt(excess)}",
        ]
        if self.rstd.value is not None:
            floor = "–" if self.rstd_floor is None else f"{self.rstd_floor:.3f}"
            p = "–" if self.rstd_p is None else f"{self.rstd_p:.3f}"
            told.append(f"RStd over places {_spelt(self.rstd)}, without their effect {floor} (p = {p})")
            told.append("accuracy by place: " + ", ".join(_spelt(one) for one in self.accuracy_by_place))
        if self.selection and self.selection[0].value is None:
            told.append(f"selection bias: {_spelt(self.selection[0])}")
        elif self.selection:
            told.append(
                f"selection bias: first {_spelt(self.selection[0])}, last {_spelt(self.selection[-1])} "
                "beyond an even choice"
            )
        return told


def _spelt(found: Estimate) -> str:
    if found.value is None:
        return f"– ({found.note})" if found.note else "–"
    ends = "" if found.interval is None else f" [{found.interval.low:.3f}, {found.interval.high:.3f}]"
    return f"{found.value:.3f}{ends}"


DOCUMENT, TABLE, REPLIES = "options.json", "options.csv", "option_replies.csv"
_KIND = "option result"


@dataclass(frozen=True, slots=True, repr=False)
class OptionResult(Presented):
    """What places, names and dress of options do to one model's choices."""

    model: str
    scores: OptionScores
    items: str = ""
    """What the set of questions is called."""
    arranger: str = ""
    """What was varied."""
    replies: tuple[OptionReply, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    """The table that was scored; empty for a run, whose folder says it."""
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the document that `options.json` holds; replies are in a table of their own."""
        return {
            **heading(_KIND),
            "model": self.model,
            "items": self.items,
            "arranger": self.arranger,
            "option_scores": encode(self.scores),
            "inputs": encode(self.inputs),
            "warnings": list(self.warnings),
            "provenance": provenance(self.inputs),
        }

    def to_frame(self) -> "pl.DataFrame":
        """Return one row per number, the columns of `options.csv`."""
        return frame_of(OPTION_COLUMNS, [list(row) for row in self.scores.rows()])

    def write(self, out: str | Path = "results") -> tuple[Path, ...]:
        """Write the files of the result and return their paths."""
        return write(self, Path(out))


def write(result: OptionResult, folder: Path) -> tuple[Path, ...]:
    """Write all files of a result and return their paths."""
    write_json(folder / DOCUMENT, result.to_dict())
    write_csv(folder / TABLE, OPTION_COLUMNS, result.scores.rows())
    write_rows(folder / REPLIES, OptionReply, result.replies)
    return tuple(folder / name for name in (DOCUMENT, TABLE, REPLIES))


def read(folder: Path) -> OptionResult:
    """Read a result back, whole."""
    place = holding_folder(folder, DOCUMENT)
    path = place / DOCUMENT
    document: Mapping[str, Any] = read_document(path, _KIND)
    scores = decode(OptionScores, document.get("option_scores"), where=f"{path}, 'option_scores'")
    named = {
        key: decode(str, document.get(key), where=f"{path}, {key!r}")
        for key in ("model", "items", "arranger")
    }
    replies = read_rows(place / REPLIES, OptionReply) if (place / REPLIES).is_file() else ()
    # results of earlier versions have neither
    inputs = decode(tuple[InputFile, ...], document.get("inputs", []), where=f"{path}, 'inputs'")
    warnings = decode(tuple[str, ...], document.get("warnings", []), where=f"{path}, 'warnings'")
    return OptionResult(named["model"], scores, named["items"], named["arranger"], replies, inputs, warnings)


def is_option_folder(source: object) -> bool:
    """Whether a path is a folder with what options do."""
    return folder_with(source, DOCUMENT) is not None
