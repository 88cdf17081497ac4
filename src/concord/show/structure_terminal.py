"""Agreement with itself as tables and closing sentences."""

from collections.abc import Iterator

from rich.console import Group
from rich.table import Table

from concord.records import Estimate, Interval
from concord.show.answer import Gauge, ShownAnswer, answer_lines
from concord.show.numbers import UNDEFINED, interval, interval_words, number, p_value
from concord.show.terminal import lines, table
from concord.structure.records import Difference
from concord.structure.result import StructureResult

_DIGITS = 4
_OF_ENDS = 3
_MOST_MODELS = 12


def structure_answer(result: StructureResult) -> Group:
    """Return the answer about arrangements, of every model."""
    models = result.models[:_MOST_MODELS]
    rest = len(result.models) - len(models)
    told = [model.sentence for model in models]
    if rest:
        told.append(f"{rest} further models are in the tables.")
    effects = [(model.model, model.order.effect) for model in models]
    return answer_lines(
        ShownAnswer(
            "Does it agree with itself?",
            tuple(told),
            tuple(
                Gauge(
                    f"order effect of {name}" if len(models) > 1 else "order effect",
                    one.tau,
                    one.interval,
                    (0.0, 0.5),
                )
                for name, one in effects
                if one is not None
            ),
        )
    )


def structure_report(result: StructureResult) -> Group:
    """Return everything a reader of the terminal should see."""
    tables = (_answer_table, _spread_table, _source_table, _paired_table, _others_table)
    return Group(*(laid_out(result) for laid_out in tables), lines(_closing(result)))


def structure_headline(result: StructureResult) -> Table:
    """Return order effect, flip excess and worst arrangement of every model."""
    return _answer_table(result)


def structure_gist(result: StructureResult) -> Group:
    """Return the answer and the sentence of each model."""
    return Group(_answer_table(result), lines(model.sentence for model in result.models))


def _answer_table(result: StructureResult) -> Table:
    """Order effect, flip excess and worst arrangement: whether the model agrees with itself."""
    columns = ("Model", "order effect", "p", "flip excess", "worst", "at", "items", "orders", "missing")
    rows = []
    for model in result.models:
        effect, flips = model.order.effect, model.flip_excess
        cells = [
            model.model,
            UNDEFINED if effect is None else _stacked(effect.tau, effect.interval),
            p_value(None if effect is None else effect.p_value),
            UNDEFINED if flips is None else _stacked(flips.value, flips.interval),
            _stacked(model.worst.value, model.worst.interval),
            UNDEFINED if model.order.worst is None else model.order.worst,
            *(str(count) for count in (model.n_items, model.n_arrangements, model.n_missing)),
        ]
        rows.append(cells)
    return table("Does the arrangement matter?", columns, rows, words=("at",))


def _spread_table(result: StructureResult) -> Table:
    """Lay out worst and best arrangement and where the variance comes from."""
    columns = ("Model", "worst", "mean", "best", "mean", "spread", "shares")
    rows = []
    for model in result.models:
        order, shares = model.order, model.order.shares
        parts = () if shares is None else (shares.arrangement, shares.interaction, shares.noise)
        cells = [
            model.model,
            str(order.worst),
            number(order.lowest, _DIGITS),
            str(order.best),
            number(order.highest, _DIGITS),
            number(order.spread, _DIGITS),
            " / ".join(f"{part:.0%}" for part in parts) or UNDEFINED,
        ]
        rows.append(cells)
    return table("\nWorst and best arrangement", columns, rows, words=("worst", "best"))


def _source_table(result: StructureResult) -> Table:
    """E_perf, R_sens, S_Cons under the chosen definition."""
    columns = ("Model", "E_perf", "R_sens", "S_Cons", "R at", "cross-fit")
    rows = []
    for model in result.models:
        main = model.consistency
        cells = [
            model.model,
            *(_stacked(part.value, part.interval) for part in (main.e_perf, main.r_sens, main.s_cons)),
            UNDEFINED if main.r_at is None else main.r_at,
            _estimate_value(main.r_crossfit),
        ]
        rows.append(cells)
    title = f"\nAs defined in the source, definition `{result.scores.options.definition}`"
    return table(title, columns, rows, words=("R at",))


def _paired_table(result: StructureResult) -> Table:
    """Lay out the definition item by item."""
    rows = []
    for model in result.models:
        paired = model.definition("paired")
        parts = () if paired is None else (paired.e_perf, paired.r_sens, paired.s_cons)
        stacked = [_stacked(part.value, part.interval) for part in parts]
        crossfit = _estimate_value(None if paired is None else paired.r_crossfit)
        rows.append([model.model, *(stacked or [UNDEFINED] * 3), crossfit])
    columns = ("Model", "E paired", "R paired", "S paired", "cross-fit")
    return table("\nThe same item by item (`paired`)", columns, rows)


def _others_table(result: StructureResult) -> Table:
    """Lay out the definition over arrangements and the fixed-m gap."""
    rows = []
    for model in result.models:
        across, fixed = model.definition("across"), model.fixed_m
        parts = () if fixed is None else (fixed.e_perf, fixed.r_sens, fixed.s_cons)
        cells = [_estimate_value(part) for part in parts] or [UNDEFINED] * 3
        rows.append([model.model, _estimate_value(None if across is None else across.s_cons), *cells])
    title = f"\nOver arrangements (`across`), and at m = {result.scores.options.m} samples (*)"
    return table(title, ("Model", "S across", "E*", "R*", "S*"), rows)


def _closing(result: StructureResult) -> Iterator[str]:
    """Say what the tables cannot: how to read them, two models' difference, plain sentences."""
    yield ""
    yield "order effect: tau, the standard deviation of the arrangements' true mean scores."
    if any(model.flip_excess is not None for model in result.models):
        yield "flip excess: answers that change with the arrangement minus those that change between repeats."
    yield from sorted({note for model in result.models for note in model.notes})
    yield "S_Cons measures decoding noise and peaks, not the order effect: an order effect can leave it at 1."
    if result.scores.options.definition == "peak":
        yield f"`peak` has no interval: an extreme over items has no honest one. `{UNDEFINED}` is undefined."
    if any(model.order.shares is not None for model in result.models):
        yield "shares of variance: arrangement / arrangement x item / decoding noise; the rest is items."
    yield from sorted({f"* {model.fixed_m_note}" for model in result.models if model.fixed_m_note})
    if len(result.scores.differences) == 1:
        yield _difference_line(result.scores.differences[0])
    elif result.scores.differences:
        yield f"Differences of all {len(result.scores.differences)} pairs of models: differences.csv"
    yield from (model.sentence for model in result.models)


def _difference_line(entry: Difference) -> str:
    """One line for two models."""
    p = p_value(entry.order_p_values[0])
    parts = (("worst", entry.worst), ("E", entry.e_perf), ("R", entry.r_sens), ("S", entry.s_cons))
    numbers = ", ".join(f"{name} {_told(part)}" for name, part in parts)
    tau = f"tau {_told(entry.tau)}, p {p}"
    return f"{entry.first} minus {entry.second} ({entry.definition}): {tau}; {numbers}"


def _estimate_value(one: Estimate | None) -> str:
    return number(None if one is None else one.value, _DIGITS)


def _told(one: Estimate) -> str:
    """Value with its interval, in a sentence."""
    shown = number(one.value, _DIGITS)
    return shown if one.interval is None else f"{shown} ({interval_words(one.interval, _OF_ENDS)})"


def _stacked(value: float | None, ends: Interval | None) -> str:
    """Value with its interval below it, for narrow columns."""
    shown = number(value, _DIGITS)
    return shown if ends is None else f"{shown}\n{interval(ends, _OF_ENDS)}"
