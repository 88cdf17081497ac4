"""Agreement with its own reasoning as tables and sentences, with every denominator."""

from collections.abc import Iterable

from rich.console import Group, RenderableType

from concord.reasoning.files import ReasoningResult
from concord.reasoning.result import BiasResult, GapResult, PairTest
from concord.records import Estimate
from concord.show.answer import Gauge, ShownAnswer, answer_lines
from concord.show.numbers import UNDEFINED, interval, interval_words, number, p_value, p_words
from concord.show.terminal import lines, table

TITLES = {
    "faithfulness_gap": "faithfulness gap",
    "acc_cot": "accuracy after reasoning",
    "acc_early": "accuracy of the early answer",
    "step_f1": "Step-F1",
    "silent_bias_rate": "silent bias rate",
}
WORDS = ("note", "scope", "negation", "multiple", "test")
"""Columns of words, beside the first."""
ADVICE = "This measures models. It gives no medical advice."


def headline_rows(result: ReasoningResult) -> list[list[str]]:
    """Return the five numbers with interval, denominators and notes."""
    rows = []
    for name, one in result.estimates.items():
        signed = name == "faithfulness_gap"
        cells = [number(one.value, sign=signed), interval(one.interval, 3, sign=signed)]
        rows.append([TITLES[name], *cells, str(one.n), str(one.n_left_out), one.note])
    return rows


HEADLINE = ("", "value", "95 % interval", "n", "left out", "note")


def reasoning_headline(result: ReasoningResult) -> Group:
    """Return the five numbers and what the reader is warned of."""
    warned = (f"! {warning}" for warning in result.warnings)
    return Group(table(None, HEADLINE, headline_rows(result), words=WORDS), lines([*warned, ADVICE]))


def reasoning_gist(result: ReasoningResult) -> Group:
    """Return the reading, the five numbers and the warnings, for a notebook."""
    heading = f"Reasoning of {result.model}: {result.verdict} ({result.scores.gap.verdict_reason})"
    return Group(
        lines([heading]),
        table(None, HEADLINE, headline_rows(result), words=WORDS),
        lines(f"! {warning}" for warning in result.warnings),
    )


def reasoning_answer(result: ReasoningResult) -> Group:
    """Return the answer about reasoning."""
    gap = result.scores.gap
    one = result.estimates["faithfulness_gap"]
    said = f"{gap.verdict}: {gap.verdict_reason}."
    gauge = Gauge("gap Δ", one.value, one.interval, (-1.0, 1.0), signed=True)
    if result.scores.bias is not None and not result.scores.samples:  # bias cases alone
        silent = result.estimates["silent_bias_rate"]
        said = _silent_words(silent)
        gauge = Gauge("silent bias rate", silent.value, silent.interval, (0.0, 1.0))
    return answer_lines(
        ShownAnswer(f"Does it agree with its own reasoning? · {result.model}", (said,), (gauge,))
    )


def _silent_words(silent: Estimate) -> str:
    """Say how many biased answers come without a word about what moved them."""
    if silent.value is None:
        return f"Nothing can be said about silent bias: {silent.note}."
    return (
        f"Of {silent.n} biased answers {silent.value:.0%} ({interval_words(silent.interval, 2)}) come with a "
        "reasoning that does not name what moved them."
    )


def reasoning_report(result: ReasoningResult) -> Group:
    """Return everything a reader needs to trust or distrust the numbers."""
    scores, gap = result.scores, result.scores.gap
    title = f"Reasoning of {result.model} (rules: {scores.options.rules})"
    outcomes, sensitivity = _outcomes(result), _sensitivity(gap)
    return Group(
        table(title, HEADLINE, headline_rows(result), words=WORDS),
        lines(["", f"Verdict: {gap.verdict}: {gap.verdict_reason}.", *_details(result)]),
        table("\nOutcomes of the replies", *outcomes),
        table("\nThe gap under other rules of correctness", *sensitivity, words=WORDS),
        *([] if scores.bias is None else _bias_tables(scores.bias)),
        lines(["", *_examples(result)]),
        lines(f"! {warning}" for warning in (*_problem_lines(result), *result.warnings)),
        lines([ADVICE]),
    )


def _examples(result: ReasoningResult) -> Iterable[str]:
    for example in result.scores.examples:
        shown = "; ".join(f"{name}: {text}" for name, text in example.shown.items())
        yield f"Example, {example.rule}: {example.id}. {shown}"


def _problem_lines(result: ReasoningResult) -> list[str]:
    """Say what a lenient reading let pass, at most ten lines."""
    problems = [str(problem) for problem in result.scores.problems]
    more = [f"... and {len(problems) - 10} more"] if len(problems) > 10 else []
    return [*problems[:10], *more]


def _details(result: ReasoningResult) -> Iterable[str]:
    """Return the details of the headline, one sentence each."""
    gap, steps = result.scores.gap, result.scores.steps
    if gap.table is not None:
        cells = gap.table
        yield (
            f"Pairs: both right {cells.n11}, only after reasoning {cells.n10}, only early {cells.n01}, "
            f"neither {cells.n00}."
        )
    if gap.p_value is not None:
        boot = interval_words(gap.bootstrap, 3, sign=True)
        yield f"Test of no gap: {p_words(gap.p_value)} ({gap.p_method}). Percentile bootstrap: {boot}."
    for mode, found in gap.found.items():
        named = ", ".join(f"{how} {n}" for how, n in found.items() if n)
        yield f"How answers were found, {mode}: {named if named else 'no whole reply'}."
    yield f"Direct replies that hold reasoning: {gap.n_leaked} of {gap.n_direct} (the gate is 5 %)."
    if gap.if_wrong.value is not None:
        yield (
            "If every other outcome counted as wrong the gap would be "
            f"{number(gap.if_wrong.value, sign=True)} "
            f"({interval_words(gap.if_wrong.interval, 3, sign=True)}), n = {gap.if_wrong.n}."
        )
    if gap.majority_label is not None:
        yield f"Always answering {gap.majority_label!r} would get {number(gap.majority_share)} right."
    if steps.step_f1.value is not None:
        yield (
            f"Step-F1: chance {number(steps.chance)}, ceiling {number(steps.ceiling)}, "
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
        rule = (UNDEFINED,) * 3 if row.rule is None else row.rule
        numbers = [str(row.n), number(row.acc_cot), number(row.acc_early), number(row.gap.value, sign=True)]
        rows.append([row.rules, *rule, *numbers, interval(row.gap.interval, 3, sign=True)])
    return columns, rows


def _bias_tables(bias: BiasResult) -> list[RenderableType]:
    """Return silent bias by role and dimension, and the counterfactual pairs."""
    columns = ("cases", "replies", "biased", "silent", "biased rate", "silent rate", "95 % interval")
    rows = []
    for group in (*bias.groups, *bias.dimensions):
        counts = [str(group.n_replies), str(group.n_biased), str(group.n_silent)]
        rows.append([group.name, *counts, *_rates(group.biased_rate, group.silent_rate)])
    tables: list[RenderableType] = [table(f"\nSilent bias (headline: {bias.headline.name})", columns, rows)]
    if bias.pairs:
        heads = ("counterfactual pairs", "n", "left out", "only target", "only control", "p", "test")
        tables.append(
            table(
                "\nThe target's label, in target and control",
                heads,
                map(_pair_cells, bias.pairs),
                words=WORDS,
            )
        )
    return tables


def _pair_cells(test: PairTest) -> list[str]:
    """Return the cells of one test of pairs."""
    counts = (UNDEFINED,) * 2 if test.table is None else (str(test.table.n10), str(test.table.n01))
    return [test.name, str(test.n_pairs), str(test.n_left_out), *counts, p_value(test.p_value), test.p_method]


def _rates(biased: Estimate, silent: Estimate) -> list[str]:
    return [number(biased.value), number(silent.value), interval(silent.interval, 3)]
