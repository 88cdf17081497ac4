"""Structural consistency shown: files, terminal tables, notebook view."""

from dataclasses import asdict, dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.errors import OptionError, printable
from concord.files.output import write_csv, write_json
from concord.files.provenance import provenance
from concord.records import Interval, Made
from concord.structure import tables
from concord.structure.read.records import ReadOptions
from concord.structure.read.results import FORMAT
from concord.structure.records import Difference, ModelResult, StructureScores

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

    from concord.show.svg import Picture

FOLDER = "consistency"


@dataclass(frozen=True, slots=True, repr=False)
class StructureResult:
    """Structural consistency of one or more models, ready to be shown, compared and kept."""

    scores: StructureScores
    read_options: ReadOptions
    made: Made | None = None
    """How the replies behind the scores were made; ``None`` where only scores were given."""

    @property
    def models(self) -> tuple[ModelResult, ...]:
        """Every model that was scored, sorted by name."""
        return self.scores.models

    @property
    def warnings(self) -> tuple[str, ...]:
        """Everything worth knowing that is not an error."""
        return self.scores.warnings

    @property
    def left_out(self) -> tuple[str, ...]:
        """Everything that was given and could not be scored, and why."""
        return tuple(str(entry) for entry in self.scores.left_out)

    def difference(self, first: str, second: str) -> Difference:
        """Difference of two models, first less second.

        Parameters
        ----------
        first, second
            Names of two scored models, in the order of their names.

        Returns
        -------
        Difference
            E, R, S and tau with their intervals.

        Raises
        ------
        OptionError
            No such pair was scored.
        """
        for entry in self.scores.differences:
            if (entry.first, entry.second) == (first, second):
                return entry
        names = ", ".join(repr(model.model) for model in self.models)
        raise OptionError(f"no difference {first!r} less {second!r}; scored, in this order: {names}")

    def to_frame(self) -> "pl.DataFrame":
        """One row per model, the columns of `s_cons_results.csv`."""
        import polars as pl

        rows = [tables.model_row(model) for model in self.models]
        return pl.DataFrame(rows, schema=list(tables.S_COLUMNS), orient="row", infer_schema_length=None)

    def to_dict(self) -> dict[str, Any]:
        """Return the whole result as one JSON-ready document."""
        return self._document() | ({} if self.made is None else asdict(self.made))

    def _document(self) -> dict[str, Any]:
        left = self.scores.left_out
        return {
            "format": FORMAT,
            **provenance(self.scores.inputs),
            "reading": self.scores.options.reading,
            "seed": self.scores.options.seed,
            "options": {**asdict(self.scores.options), **asdict(self.read_options)},
            **asdict(Made()),
            "counts": {
                "models_scored": len(self.models),
                "models_left_out": sum(entry.arrangement is None for entry in left),
                "arrangements_left_out": sum(entry.arrangement is not None for entry in left),
                "scores_missing": sum(model.n_missing for model in self.models),
                "warnings": len(self.warnings),
            },
            "models": [tables.model_dict(model) for model in self.models],
            "arrangements": [
                dict(zip(tables.ARRANGEMENT_COLUMNS, row, strict=True))
                for row in tables.arrangement_rows(self.scores)
            ],
            "differences": [tables.difference_dict(entry) for entry in self.scores.differences],
            "left_out": [asdict(entry) for entry in left],
            "warnings": list(self.warnings),
        }

    def plot(self, kind: str = "gaps", *, model: str | None = None) -> "Picture":
        """Draw a model, the first by default: ``gaps``, ``means``, ``heat``; shows itself in a notebook."""
        from concord.show.drawing import draw_structure

        return draw_structure(self, kind, model)

    def write(self, out: str | Path = "results") -> tuple[Path, ...]:
        """Write the result files into `<out>/consistency/` and return their paths."""
        folder = Path(out) / FOLDER
        rows = [tables.model_row(model) for model in self.models]
        files: dict[str, tuple[tuple[str, ...], Any]] = {
            "e_perf_results.csv": (("Model Name", "E_perf"), [row[:2] for row in rows]),
            "r_sens_results.csv": (("Model Name", "R_sens"), [[row[0], row[2]] for row in rows]),
            "s_cons_results.csv": (tables.S_COLUMNS, rows),
            "arrangements.csv": (tables.ARRANGEMENT_COLUMNS, tables.arrangement_rows(self.scores)),
            "items.csv": (tables.ITEM_COLUMNS, tables.item_rows(self.scores)),
            "cells.csv": (tables.CELL_COLUMNS, tables.cell_rows(self.scores)),
            "differences.csv": (
                tables.DIFFERENCE_COLUMNS,
                [tables.difference_row(entry) for entry in self.scores.differences],
            ),
            "left_out.csv": (
                tables.LEFT_OUT_COLUMNS,
                [[e.model, e.arrangement, e.file, e.reason] for e in self.scores.left_out],
            ),
        }
        for name, (columns, lines) in files.items():
            write_csv(folder / name, columns, lines)
        write_json(folder / "result.json", self.to_dict())
        return tuple(folder / name for name in (*files, "result.json"))

    def __repr__(self) -> str:
        return render(self, colour=False)

    def _repr_html_(self) -> str:
        """Notebook view: the numbers and the sentence of each model, escaped."""
        reading = escape(self.scores.options.reading)
        head = "".join(f"<th>{name}</th>" for name in ("Model", "E_perf", "R_sens", "S_Cons", "tau", "p"))
        body = "".join(
            f"<tr>{''.join(f'<td>{escape(c)}</td>' for c in _html_cells(m))}</tr>" for m in self.models
        )
        lines = "".join(f"<p>{escape(model.sentence)}</p>" for model in self.models)
        return (
            f"<table><caption>Structural consistency, reading <b>{reading}</b></caption>"
            f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>{lines}"
        )


def _html_cells(model: ModelResult) -> list[str]:
    """Cells of the notebook view."""
    main, effect = model.consistency, model.order.effect
    return [
        model.model,
        *(_number(part.value) for part in (main.e_perf, main.r_sens, main.s_cons)),
        _number(None if effect is None else effect.tau),
        _p(None if effect is None else effect.p_value),
    ]


def render(result: StructureResult, *, colour: bool, width: int = 110) -> str:
    """Draw the terminal tables and the closing sentences as text."""
    from concord.show.terminal import drawn

    tables = (_main_table(result), _beside_table(result), _order_table(result))
    text = drawn(*tables, width=width, colour=colour) + "\n".join(map(printable, _closing(result)))
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def _table(title: str, *columns: str, longest: int) -> "Table":
    """Start a plain table: first column left, numbers right."""
    from rich import box
    from rich.table import Table

    table = Table(
        title=title, box=box.SIMPLE_HEAD, title_justify="left", pad_edge=False, collapse_padding=True
    )
    table.add_column(columns[0], overflow="fold", min_width=min(longest, 18))
    for column in columns[1:]:
        table.add_column(column, justify="right", overflow="fold")
    return table


def _longest(result: StructureResult) -> int:
    """Length of the longest name of a model."""
    return max(len(model.model) for model in result.models)


def _main_table(result: StructureResult) -> "Table":
    """E_perf, R_sens, S_Cons under the chosen reading."""
    reading = result.scores.options.reading
    table = _table(
        f"Structural consistency, reading `{reading}`",
        "Model", "E_perf", "R_sens", "S_Cons", "R at", "cross-fit", "items", "orders", "missing",
        longest=_longest(result),
    )  # fmt: skip
    for model in result.models:
        main = model.consistency
        table.add_row(
            model.model,
            *(_stacked(part.value, part.interval) for part in (main.e_perf, main.r_sens, main.s_cons)),
            "-" if main.r_at is None else main.r_at,
            _number(None if main.r_crossfit is None else main.r_crossfit.value),
            *(str(count) for count in (model.n_items, model.n_arrangements, model.n_missing)),
        )
    return table


def _beside_table(result: StructureResult) -> "Table":
    """Lay out the readings that stand beside, with intervals, and the fixed-m gap."""
    m = result.scores.options.m
    table = _table(
        f"Beside it: item by item (`paired`), over arrangements (`across`), at m = {m} samples (*)",
        "Model", "E paired", "R paired", "S paired", "cross-fit", "S across", "E*", "R*", "S*",
        longest=_longest(result),
    )  # fmt: skip
    for model in result.models:
        paired, across, star = model.reading("paired"), model.reading("across"), model.star
        parts = () if paired is None else (paired.e_perf, paired.r_sens, paired.s_cons)
        crossfit = None if paired is None or paired.r_crossfit is None else paired.r_crossfit.value
        starred = () if star is None else (star.e_perf, star.r_sens, star.s_cons)
        table.add_row(
            model.model,
            *(_stacked(part.value, part.interval) for part in parts),
            _number(crossfit),
            _number(None if across is None else across.s_cons.value),
            *([_number(part.value) for part in starred] or ["-"] * 3),
        )
    return table


def _order_table(result: StructureResult) -> "Table":
    """Lay out the order effect."""
    table = _table(
        "Order effect",
        "Model",
        "worst",
        "mean",
        "best",
        "mean",
        "spread",
        "tau",
        "p",
        "shares",
        longest=_longest(result),
    )
    for model in result.models:
        order, effect, shares = model.order, model.order.effect, model.order.shares
        parts = () if shares is None else (shares.arrangement, shares.interaction, shares.noise)
        table.add_row(
            model.model,
            str(order.worst),
            _number(order.lowest),
            str(order.best),
            _number(order.highest),
            _number(order.spread),
            "-" if effect is None else _stacked(effect.tau, effect.interval),
            _p(None if effect is None else effect.p_value),
            " / ".join(f"{part:.0%}" for part in parts) or "-",
        )
    return table


def _closing(result: StructureResult) -> list[str]:
    """Say what the tables cannot: notes on the reading, flips, two models' difference, plain sentences."""
    lines = []
    if result.scores.options.reading == "peak":
        lines.append("`peak` has no interval: an extreme over items has no honest one. `-` is undefined.")
    if any(model.order.shares is not None for model in result.models):
        lines.append(
            "shares of variance: arrangement / arrangement x item / decoding noise; the rest is items."
        )
    lines += sorted({f"* {model.star_note}" for model in result.models if model.star_note})
    for model in result.models:
        if model.flip_excess is not None:
            flips = _interval(model.flip_excess.value, model.flip_excess.interval)
            lines.append(f"{model.model}: flip excess {flips}")
    if len(result.scores.differences) == 1:
        lines.append(_difference_line(result.scores.differences[0]))
    elif result.scores.differences:
        lines.append(f"Differences of all {len(result.scores.differences)} pairs of models: differences.csv")
    return [*lines, *(model.sentence for model in result.models)]


def _difference_line(entry: Difference) -> str:
    """One line for two models."""
    parts = (("E", entry.e_perf), ("R", entry.r_sens), ("S", entry.s_cons), ("tau", entry.tau))
    numbers = ", ".join(f"{name} {_interval(part.value, part.interval)}" for name, part in parts)
    return f"{entry.first} less {entry.second} ({entry.reading}): {numbers}"


def _number(value: float | None) -> str:
    """Round for reading; undefined is a dash."""
    return "-" if value is None else f"{round(value, 4) + 0.0:.4f}"


def _interval(value: float | None, interval: Interval | None) -> str:
    """Value with its interval."""
    if interval is None:
        return _number(value)
    return f"{_number(value)} ({interval.low:.3f} to {interval.high:.3f})"


def _stacked(value: float | None, interval: Interval | None) -> str:
    """Value with its interval below it, for narrow columns."""
    if interval is None:
        return _number(value)
    return f"{_number(value)}\n{interval.low:.3f}–{interval.high:.3f}"


def _p(value: float | None) -> str:
    """Round a p value; a tiny one is a bound."""
    if value is None:
        return "-"
    return "<0.001" if value < 0.001 else f"{value:.3f}"
