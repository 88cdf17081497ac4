"""Agreement with itself as terminal tables and a notebook table."""

from html import escape

from rich import box
from rich.table import Table

from concord.errors import printable
from concord.records import Interval
from concord.show.terminal import drawn
from concord.structure.files import StructureResult
from concord.structure.records import Difference, ModelResult


def structure_html(result: StructureResult) -> str:
    """Return the numbers and the sentence of each model for a notebook, escaped."""
    reading = escape(result.scores.options.reading)
    head = "".join(f"<th>{name}</th>" for name in ("Model", "E_perf", "R_sens", "S_Cons", "tau", "p"))
    body = "".join(
        f"<tr>{''.join(f'<td>{escape(c)}</td>' for c in _html_cells(m))}</tr>" for m in result.models
    )
    lines = "".join(f"<p>{escape(model.sentence)}</p>" for model in result.models)
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


def structure_text(result: StructureResult, *, colour: bool = False, width: int = 110) -> str:
    """Draw the terminal tables and the closing sentences as text."""
    tables = (_main_table(result), _beside_table(result), _order_table(result))
    text = drawn(*tables, width=width, colour=colour) + "\n".join(map(printable, _closing(result)))
    return "\n".join(line.rstrip() for line in text.split("\n")).strip("\n")


def _table(title: str, *columns: str, longest: int) -> Table:
    """Start a plain table: first column left, numbers right."""
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


def _main_table(result: StructureResult) -> Table:
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


def _beside_table(result: StructureResult) -> Table:
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


def _order_table(result: StructureResult) -> Table:
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
