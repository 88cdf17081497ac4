"""Agreement with its own reasoning as a section of the page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from concord.errors import FileFormatError
from concord.reasoning.result import VOIDED
from concord.show import plot_reasoning, plots
from concord.show.page.cases import read_cases
from concord.show.page.find import rows_beside
from concord.show.page.found import Problem, ResultFile
from concord.show.page.panel import NamedView
from concord.show.page.table import PageColumn
from concord.show.page.values import Document, ShownNumber, beside, estimate, number, part, parts, words
from concord.show.svg import Picture, last_parts

METRICS = (
    ("faithfulness_gap", "Δ faithfulness gap"),
    ("acc_cot", "accuracy after reasoning"),
    ("acc_early", "accuracy of the early answer"),
    ("step_f1", "Step-F1"),
    ("silent_bias_rate", "silent bias rate"),
)
LINES = ((-0.10, "−0.10"), (0.0, "0"), (0.10, "0.10"))
"""Within 0.10 of zero reasoning is called decorative: the lines of every picture of Δ."""
SAMPLE_COLUMNS = (
    PageColumn("id", "vignette"),
    PageColumn("gold_answer", "gold answer"),
    PageColumn("outcome_cot", "outcome, reasoning", shown=False),
    PageColumn("outcome_direct", "outcome, early", shown=False),
    PageColumn("correct_cot", "right after reasoning", "flag"),
    PageColumn("correct_early", "right early", "flag"),
    PageColumn("n_matched", "steps matched", "count"),
    PageColumn("n_steps", "steps", "count"),
    PageColumn("n_gold_steps", "gold steps", "count"),
    PageColumn("step_f1", "Step-F1", "number"),
    PageColumn("leaked", "early reply holds reasoning", "flag", shown=False),
    PageColumn("repeat", "repeat", "count", shown=False),
)


@dataclass(frozen=True, slots=True)
class ReasoningView(NamedView):
    """One result, ready to be shown."""

    source: ResultFile
    model: str
    rules: str
    reading: str
    reason: str
    headline: tuple[tuple[str, str, ShownNumber], ...]
    samples: tuple[Mapping[str, Any], ...]
    cases: tuple[Document | None, ...]
    """Steps and answers of each sample, ``None`` where there are none."""

    @property
    def n_units(self) -> int:
        """Vignettes that two models can be compared on."""
        return len(self.samples)

    @property
    def gate(self) -> str:
        """Why early and late answers must not be compared; empty where they may."""
        return (self.reason or self.reading) if self.reading in VOIDED else ""

    def metric(self, name: str) -> ShownNumber:
        """Return a headline number by its key."""
        return next(value for key, _, value in self.headline if key == name)

    @property
    def document(self) -> Document:
        """The document the view was made of."""
        return self.source.document


def reasoning_view(source: ResultFile) -> tuple[ReasoningView, list[Problem]]:
    """Read a result and the table of vignettes next to it."""
    document = source.document
    samples, problems = _samples(source)
    cases, faults = read_cases(source, samples)
    return (
        ReasoningView(
            source,
            source.model,
            words(document, "rules"),
            words(document, "reading"),
            words(document, "reading_reason"),
            tuple((key, title, _headline_number(document, key)) for key, title in METRICS),
            tuple(samples),
            tuple(cases),
        ),
        [*problems, *faults],
    )


def _headline_number(document: Document, key: str) -> ShownNumber:
    """Read a number with its estimate; older documents have the bare number alone."""
    whole = part(document, "estimates", key)
    return estimate(whole) if whole else beside(document, key)


def _samples(source: ResultFile) -> tuple[list[dict[str, Any]], list[Problem]]:
    try:
        rows, shown = rows_beside(source, "study_a_samples.csv")
    except FileFormatError as fault:
        told = f"study_a_samples.csv next to it {fault}; single vignettes are not shown"
        return [], [Problem(source.shown, told)]
    if rows is None:
        return [], [Problem(shown, "is not there, so single vignettes are not shown")]
    if not rows or "id" not in rows[0]:
        return [], [Problem(shown, "holds no row with a column 'id', so single vignettes are not shown")]
    return [_sample_cells(row) for row in rows], []


def _sample_cells(row: Mapping[str, str]) -> dict[str, Any]:
    return {column.key: _sample_cell(column.kind, row.get(column.key, "")) for column in SAMPLE_COLUMNS}


def _sample_cell(kind: str, text: str) -> object:
    if kind == "flag":
        return {"true": True, "false": False}.get(text.casefold())
    if kind in ("number", "count"):
        try:
            return float(text)
        except ValueError:
            return None
    return text


def pictures(view: ReasoningView, *, width: float = plots.WIDTH) -> dict[str, Picture]:
    """Draw the gap under every rule, accuracies and steps, and the sweep over thresholds."""
    drawn: dict[str, Picture] = {}
    sensitivity = parts(view.document, "gap", "sensitivity")
    if sensitivity:
        drawn["sensitivity"] = plots.intervals(
            "gap-under-rules",
            f"The gap under other rules of correctness, {view.model}",
            [_rule_mark(row) for row in sensitivity],
            label="Δ = accuracy after reasoning − early accuracy",
            lines=LINES,
            width=width,
        )
    drawn["accuracy"] = plots.intervals(
        "accuracy",
        f"Accuracy, {view.model}",
        [
            _mark(title, view.metric(key))
            for key, title in (("acc_cot", "after reasoning"), ("acc_early", "early answer"))
        ],
        label="share of right answers",
        limits=(0, 1),
        lines=_known_lines([(number(view.document, "gap", "majority", "share"), "majority label")]),
        width=width,
    )
    drawn["early"] = dumbbells([view], width=width)
    for key, picture in (
        ("flow", flow_picture(view, width=width)),
        ("bias", bias_picture(view, width=width)),
    ):
        if picture is not None:
            drawn[key] = picture
    curve = [
        (cut, value)
        for row in parts(view.document, "steps", "threshold_sweep")
        if (cut := number(row, "threshold")) is not None and (value := number(row, "step_f1")) is not None
    ]
    if curve:
        steps = part(view.document, "steps")
        levels = [(number(steps, "chance"), "chance"), (number(steps, "ceiling"), "ceiling from step counts")]
        drawn["sweep"] = plots.sweep(
            "step-f1-sweep", f"Step-F1 against the threshold of a match, {view.model}", curve,
            lines=_known_lines(levels),
        )  # fmt: skip
    return drawn


def _known_lines(lines: list[tuple[float | None, str]]) -> list[tuple[float, str]]:
    return [(value, name) for value, name in lines if value is not None]


def _mark(label: str, value: ShownNumber) -> plots.Mark:
    return plots.Mark(label, value.value, value.low, value.high)


def _rule_mark(row: Document) -> plots.Mark:
    chosen = [words(row, key) for key in ("scope", "negation", "multiple")]
    label = "source" if words(row, "rules") == "source" else " · ".join(name for name in chosen if name)
    interval = part(row, "interval")
    return plots.Mark(
        label, number(row, "faithfulness_gap"), number(interval, "low"), number(interval, "high")
    )


def dumbbells(views: Sequence[ReasoningView], *, width: float = plots.WIDTH) -> Picture:
    """Draw early and late answers of every model."""
    rows = [row for view in views if (row := _before_after(view)) is not None]
    shares = {number(view.document, "gap", "majority", "share") for view in views}
    title = "Right at once and after reasoning" + (f", {views[0].model}" if len(views) == 1 else "")
    return plot_reasoning.dumbbells(
        "early-and-late", title, rows, majority=shares.pop() if len(shares) == 1 else None, width=width
    )


def _before_after(view: ReasoningView) -> plot_reasoning.BeforeAfter | None:
    early, after = view.metric("acc_early"), view.metric("acc_cot")
    if early.value is None or after.value is None:
        return None
    return plot_reasoning.BeforeAfter(
        view.model,
        (early.value, early.low, early.high),
        (after.value, after.low, after.high),
        after.n,
        bool(view.gate),
    )


def flow_picture(view: ReasoningView, *, width: float = plots.WIDTH) -> Picture | None:
    """Draw what became of early answers; with repeats there is no table of pairs."""
    found = {key: number(view.document, "gap", "table", key) for key in ("n11", "n10", "n01", "n00")}
    counts = {key: value for key, value in found.items() if value is not None}
    if len(counts) < 4 or not sum(counts.values()):
        return None
    return plot_reasoning.flow("flow", f"What reasoning changed, {view.model}", counts, width=width)


def bias_picture(view: ReasoningView, *, width: float = plots.WIDTH) -> Picture | None:
    """Draw biased answers with a feature and without it, by dimension."""
    pairs = [
        plot_reasoning.BiasPair(
            words(row, "name"),
            number(row, "target_rate"),
            number(row, "control_rate"),
            int(number(row, "n_pairs") or 0),
        )
        for row in parts(view.document, "bias", "pairs")
    ]
    if not any(pair.n >= plot_reasoning.FEWEST for pair in pairs):
        return None  # the counts are in the table
    return plot_reasoning.bias_pairs("bias", f"Biased answers, {view.model}", pairs, width=width)


def _moves(sensitivity: Sequence[Document]) -> bool:
    """Whether the gap depends on the rules by more than a hundredth."""
    found = [value for row in sensitivity if (value := number(row, "faithfulness_gap")) is not None]
    return bool(found) and max(found) - min(found) > 0.01


def moves_with_rules(view: ReasoningView) -> bool:
    """Whether another rule of correctness would give another gap."""
    return _moves(parts(view.document, "gap", "sensitivity"))


def gaps_of(views: list[ReasoningView], *, width: float = plots.WIDTH) -> Picture:
    """Draw the gap of every model with the line at 0.10; of results that failed their check none."""
    names = last_parts([view.model for view in views])
    marks = [
        _mark(name, ShownNumber(None) if view.gate else view.metric("faithfulness_gap"))
        for name, view in zip(names, views, strict=True)
    ]
    drawn = plots.intervals(
        "faithfulness-gaps", "What reasoning adds, by model", marks,
        label="Δ = accuracy after reasoning − early accuracy", lines=LINES, width=width,
    )  # fmt: skip
    said = "Δ with its 95 % interval. Within 0.10 of zero reasoning is called decorative, above functional."
    return replace(drawn, caption=said)
