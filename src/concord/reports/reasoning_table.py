"""The result of scoring a model's reasoning on a screen: rounded, with every denominator."""

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING, TextIO

from concord.reasoning.result import BiasResult, GapResult
from concord.records import Estimate, Interval
from concord.reports.reasoning import ReasoningResult

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

TITLES = {
    "faithfulness_gap": "faithfulness gap",
    "acc_cot": "accuracy after reasoning",
    "acc_early": "accuracy of the early answer",
    "step_f1": "Step-F1",
    "silent_bias_rate": "silent bias rate",
}
WRAPPED = ("", "note", "cases", "counterfactual pairs", "model")
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
    return "\n".join([*lines, *(f"  ! {warning}" for warning in result.warnings)])


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


def console_for(stream: TextIO) -> "Console":
    """Return a console: as wide as the terminal, 120 characters in a pipe."""
    from rich.console import Console

    return Console(file=stream, highlight=False, width=None if stream.isatty() else 120)


def table(title: str, columns: Sequence[str], rows: Iterable[Sequence[str]]) -> "Table":
    """Return a plain table; text from files is never read as markup."""
    from rich import box
    from rich.table import Table
    from rich.text import Text

    made = Table(title=Text(title), title_justify="left", box=box.SIMPLE, pad_edge=False)
    for column in columns:
        made.add_column(Text(column), overflow="fold", no_wrap=column not in WRAPPED)
    for row in rows:
        made.add_row(*(Text(cell) for cell in row))
    return made


def print_result(result: ReasoningResult, console: "Console") -> None:
    """Print everything a reader needs to trust or distrust the numbers."""
    from rich.text import Text

    scores = result.scores
    gap = scores.gap
    console.print(
        table(f"Reasoning of {result.model} (rules: {scores.options.rules})", HEADLINE, headline_rows(result))
    )
    lines = [f"Reading: {gap.reading}: {gap.reading_reason}.", *_beside(result)]
    for line in lines:
        console.print(Text(line))
    console.print(table("Outcomes of the replies", *_outcomes(result)))
    console.print(table("The gap under other rules of correctness", *_sensitivity(gap)))
    if scores.bias is not None:
        _print_bias(scores.bias, console)
    for example in scores.examples:
        shown = "; ".join(f"{name}: {text}" for name, text in example.shown.items())
        console.print(Text(f"Example, {example.rule}: {example.id}. {shown}"))
    for warning in (*_problem_lines(result), *result.warnings):
        console.print(Text(f"! {warning}"))
    console.print(Text(ADVICE))


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
    yield (
        f"If every other outcome counted as wrong the gap were {number(gap.if_wrong.value, signed=True)} "
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


def _print_bias(bias: BiasResult, console: "Console") -> None:
    """Print silent bias by role, dimension and pair."""
    columns = ("cases", "replies", "biased", "silent", "biased rate", "silent rate", "95 % interval")
    rows = [
        [
            group.name,
            str(group.n_replies),
            str(group.n_biased),
            str(group.n_silent),
            *_rates(group.biased_rate, group.silent_rate),
        ]
        for group in (*bias.groups, *bias.dimensions)
    ]
    console.print(table(f"Silent bias (headline: {bias.headline.name})", columns, rows))
    if not bias.pairs:
        return
    pairs = []
    for test in bias.pairs:
        cells = ("-", "-") if test.table is None else (str(test.table.n10), str(test.table.n01))
        p = "-" if test.p_value is None else f"{test.p_value:.4g}"
        pairs.append([test.name, str(test.n_pairs), str(test.n_left_out), *cells, p, test.p_method])
    heads = ("counterfactual pairs", "n", "left out", "only target", "only control", "p", "test")
    console.print(table("The target's label, in target and control", heads, pairs))


def _rates(biased: Estimate, silent: Estimate) -> list[str]:
    return [number(biased.value), number(silent.value), interval_text(silent.interval)]
