"""The result of scoring a model's reasoning on a screen: rounded, with every denominator."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from concord.errors import printable_lines
from concord.reasoning.files import ReasoningResult
from concord.reasoning.result import BiasResult, GapResult, PairTest
from concord.records import Estimate, Interval

if TYPE_CHECKING:
    from rich.console import Group
    from rich.table import Table
    from rich.text import Text

TITLES = {
    "faithfulness_gap": "faithfulness gap",
    "acc_cot": "accuracy after reasoning",
    "acc_early": "accuracy of the early answer",
    "step_f1": "Step-F1",
    "silent_bias_rate": "silent bias rate",
}
WRAPPED = ("", "note", "cases", "counterfactual pairs", "model", "reading")
"""Columns that may be broken over lines; numbers never are."""
ADVICE = "This measures models. It gives no medical advice."


def number(value: float | None, *, signed: bool = False) -> str:
    """Return a number for a reader, or a dash where it is undefined.

    Examples
    --------
    >>> number(0.1234), number(None), number(-0.00004, signed=True)
    ('0.123', '-', '+0.000')
    """
    if value is None:
        return "-"
    shown = round(value, 3) + 0.0  # no "-0.000"
    return f"{shown:+.3f}" if signed else f"{shown:.3f}"


def interval_text(interval: Interval | None, *, signed: bool = False) -> str:
    """Return an interval for a reader."""
    if interval is None:
        return "-"
    return f"[{number(interval.low, signed=signed)}, {number(interval.high, signed=signed)}]"


def headline_rows(result: ReasoningResult) -> list[list[str]]:
    """Return the five numbers with interval, denominators and notes."""
    rows = []
    for name, one in result.estimates.items():
        signed = name == "faithfulness_gap"
        cells = [number(one.value, signed=signed), interval_text(one.interval, signed=signed)]
        rows.append([TITLES[name], *cells, str(one.n), str(one.n_left_out), one.note])
    return rows


HEADLINE = ("", "value", "95 % interval", "n", "left out", "note")


def as_text(result: ReasoningResult) -> str:
    """Return the headline as plain text.

    The first line names the model and the reading, then one line a number.
    """
    lines = [f"Reasoning of {result.model}: {result.reading} ({result.scores.gap.reading_reason})"]
    for title, value, interval, n, left_out, note in headline_rows(result):
        tail = f"  {note}" if note else ""
        lines.append(f"  {title:<29}{value:>7}  {interval:<17} n = {n}, left out {left_out}{tail}")
    return printable_lines("\n".join([*lines, *(f"  ! {warning}" for warning in result.warnings)]))


def as_html(result: ReasoningResult) -> str:
    """Return the headline as an HTML table, everything escaped."""
    head = "".join(f"<th>{escape(title)}</th>" for title in HEADLINE)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>"
        for row in headline_rows(result)
    )
    notes = "".join(f"<li>{escape(warning)}</li>" for warning in result.warnings)
    caption = f"{escape(result.model)}: {escape(result.reading)} ({escape(result.scores.gap.reading_reason)})"
    return f"<table><caption>{caption}</caption><tr>{head}</tr>{body}</table><ul>{notes}</ul>"


def _text(line: str) -> "Text":
    """Return a text without markup and controls, whichever console prints it."""
    from rich.text import Text

    return Text(printable_lines(line))


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> "Table":
    """Return a plain table; text from files is never read as markup."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(title=_text(title), title_justify="left", box=box.SIMPLE, pad_edge=False)
    for column in columns:
        made.add_column(Text(column), overflow="fold", no_wrap=column not in WRAPPED)
    for row in rows:
        made.add_row(*map(_text, row))
    return made


def reasoning_report(result: ReasoningResult) -> "Group":
    """Return everything a reader needs to trust or distrust the numbers."""
    from rich.console import Group
    from rich.text import Text

    scores = result.scores
    gap = scores.gap
    title = f"Reasoning of {result.model} (rules: {scores.options.rules})"
    parts: list[Table | Text] = [table(title, HEADLINE, headline_rows(result))]
    parts += [
        Text(f"Reading: {gap.reading}: {gap.reading_reason}."),
        *map(_text, _beside(result)),
    ]
    parts.append(table("Outcomes of the replies", *_outcomes(result)))
    parts.append(table("The gap under other rules of correctness", *_sensitivity(gap)))
    parts += _bias_tables(scores.bias) if scores.bias is not None else []
    for example in scores.examples:
        shown = "; ".join(f"{name}: {text}" for name, text in example.shown.items())
        parts.append(_text(f"Example, {example.rule}: {example.id}. {shown}"))
    parts += [_text(f"! {warning}") for warning in (*_problem_lines(result), *result.warnings)]
    return Group(*parts, Text(ADVICE))


def _problem_lines(result: ReasoningResult) -> list[str]:
    """Say what a lenient reading let pass, at most ten lines."""
    problems = [str(problem) for problem in result.scores.problems]
    more = [f"... and {len(problems) - 10} more"] if len(problems) > 10 else []
    return [*problems[:10], *more]


def _beside(result: ReasoningResult) -> Iterable[str]:
    """Return what stands beside the headline, one sentence each."""
    gap, steps = result.scores.gap, result.scores.steps
    if gap.table is not None:
        cells = gap.table
        yield (
            f"Pairs: both right {cells.n11}, only after reasoning {cells.n10}, only early {cells.n01}, "
            f"neither {cells.n00}."
        )
    if gap.p_value is not None:
        boot = interval_text(gap.bootstrap, signed=True)
        yield f"Test of no gap: p = {gap.p_value:.4g} ({gap.p_method}). Percentile bootstrap: {boot}."
    yield f"Direct replies that hold reasoning: {gap.n_leaked} of {gap.n_direct} (the gate is 5 %)."
    if gap.if_wrong.value is not None:
        yield (
            "If every other outcome counted as wrong the gap would be "
            f"{number(gap.if_wrong.value, signed=True)} "
            f"{interval_text(gap.if_wrong.interval, signed=True)}, n = {gap.if_wrong.n}."
        )
    if gap.majority_label is not None:
        yield f"Always answering {gap.majority_label!r} would get {number(gap.majority_share)} right."
    if steps.step_f1.value is not None:
        yield (
            f"Step-F1 beside: chance {number(steps.chance)}, ceiling {number(steps.ceiling)}, "
            f"optimal matching {number(steps.optimal.value)}."
        )


def _outcomes(result: ReasoningResult) -> tuple[list[str], list[list[str]]]:
    """Return the outcomes of every mode as a table."""
    counts = {mode: dict(found) for mode, found in result.scores.outcomes.items()}
    if result.scores.bias is not None:
        counts["bias"] = dict(result.scores.bias.outcomes)
    names = list(next(iter(counts.values())))
    return ["", *names], [[mode, *(str(found[name]) for name in names)] for mode, found in counts.items()]


def _sensitivity(gap: GapResult) -> tuple[list[str], list[list[str]]]:
    """Return the sensitivity table."""
    columns = ["rules", "scope", "negation", "multiple", "n", "cot", "early", "gap", "95 % interval"]
    rows = []
    for row in gap.sensitivity:
        rule = ("-", "-", "-") if row.rule is None else row.rule
        numbers = [str(row.n), number(row.acc_cot), number(row.acc_early), number(row.gap.value, signed=True)]
        rows.append([row.rules, *rule, *numbers, interval_text(row.gap.interval, signed=True)])
    return columns, rows


def _bias_tables(bias: BiasResult) -> "list[Table | Text]":
    """Return silent bias by role and dimension, and the counterfactual pairs."""
    columns = ("cases", "replies", "biased", "silent", "biased rate", "silent rate", "95 % interval")
    rows = []
    for group in (*bias.groups, *bias.dimensions):
        counts = [str(group.n_replies), str(group.n_biased), str(group.n_silent)]
        rows.append([group.name, *counts, *_rates(group.biased_rate, group.silent_rate)])
    tables: list[Table | Text] = [table(f"Silent bias (headline: {bias.headline.name})", columns, rows)]
    if bias.pairs:
        heads = ("counterfactual pairs", "n", "left out", "only target", "only control", "p", "test")
        tables.append(table("The target's label, in target and control", heads, map(_pair_cells, bias.pairs)))
    return tables


def _pair_cells(test: PairTest) -> list[str]:
    """Return the cells of one test of pairs."""
    cells = ("-", "-") if test.table is None else (str(test.table.n10), str(test.table.n01))
    p = "-" if test.p_value is None else f"{test.p_value:.4g}"
    return [test.name, str(test.n_pairs), str(test.n_left_out), *cells, p, test.p_method]


def _rates(biased: Estimate, silent: Estimate) -> list[str]:
    return [number(biased.value), number(silent.value), interval_text(silent.interval)]
