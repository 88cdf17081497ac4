"""The result of scoring a model's reasoning, declared once: its folder, tables, sentences and pictures."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from concord.errors import FileFormatError, LineProblem, OptionError
from concord.files.codec import decode, encode
from concord.files.contents import read_bytes
from concord.files.documents import holding_folder, read_document, recorded
from concord.files.json_text import decoded, parsed
from concord.files.output import safe_name, write_json, write_lines
from concord.files.rows import read_rows, write_rows
from concord.kinds import (
    LEFT_OUT_CELLS,
    PAPER,
    Column,
    Gauge,
    Kind,
    PictureOf,
    Table,
    asked_words,
    unread_table,
)
from concord.reading.stored import readings_beside, written_readings
from concord.reasoning import NAME
from concord.reasoning.document import document_of, scores_of
from concord.reasoning.read.records import Outcome
from concord.reasoning.result import UNDECIDED, VOIDED, BiasRow, Case, ReasoningScores, SampleRow, verdict_key
from concord.records import Estimate, LeftOutCell, Provenance, ScoredBy, Told
from concord.unread import unread_notes, unread_sentences
from concord.words import say

if TYPE_CHECKING:
    import polars as pl

SAMPLES_FILE = "study_a_samples.csv"
BIAS_FILE = "study_a_bias.csv"
STEPS_FILE = "study_a_steps.jsonl"
TITLES = {
    "faithfulness_gap": "Δ faithfulness gap",
    "acc_cot": "accuracy after reasoning",
    "acc_early": "accuracy of the early answer",
    "step_f1": "Step-F1",
    "silent_bias_rate": "silent bias rate",
}
"""What the headline numbers are called."""
MOST_PROBLEMS = 10
"""Lines about what was left out; the file holds all."""
_NO_BIAS = Estimate(None, note="no bias cases were given")


class HeadlineRow(NamedTuple):
    """One of the five numbers."""

    key: str
    found: Estimate

    @property
    def name(self) -> str:
        """What it is called."""
        return TITLES[self.key]

    @property
    def note(self) -> str:
        """How well its interval holds; what lacks one says why below the table."""
        return "" if self.found.interval is None else self.found.note


def _outcome_rows(result: "ReasoningResult") -> list[tuple[str, Mapping[str, int]]]:
    """Return the outcomes of every mode."""
    bias = result.scores.bias
    return [*result.scores.outcomes.items(), *([] if bias is None else [("bias", bias.outcomes)])]


def _count_of(outcome: str, row: tuple[str, Mapping[str, int]]) -> int | None:
    return row[1].get(outcome)


HEADLINE = Table(
    "headline",
    rows=lambda result: [HeadlineRow(key, one) for key, one in result.estimates.items()],
    title=lambda result: say("reasoning.title", model=result.model, rules=result.scores.options.rules),
    columns=(
        Column("name", title="number", words=True),
        Column("found", title="value", digits=3, signed=lambda row: row.key == "faithfulness_gap"),
        Column("n", lambda row: row.found.n, count=True),
        Column("left out", lambda row: row.found.n_left_out, count=True),
        Column("note", words=True, optional=True),
    ),
    note=lambda result: f"{result.verdict_sentence()} {say('reasoning.advice')}",
)
OUTCOMES = Table(
    "outcomes",
    rows=_outcome_rows,
    title="Outcomes of the replies",
    columns=(
        Column("mode", lambda row: row[0], words=True),
        *(Column(str(one), partial(_count_of, str(one)), count=True) for one in Outcome),
    ),
)
UNREAD = unread_table("")
SENSITIVITY = Table(
    "rules",
    rows=lambda result: result.scores.gap.sensitivity,
    title="The gap under other rules of correctness",
    columns=(
        Column("rules", words=True),
        Column("scope", lambda row: "" if row.rule is None else row.rule.scope, words=True),
        Column("n", count=True),
        Column("cot", lambda row: row.acc_cot, digits=3),
        Column("early", lambda row: row.acc_early, digits=3),
        Column("gap", digits=3, sign=True),
    ),
)
LABELS = Table(
    "labels",
    rows=lambda result: result.scores.gap.labels,
    title="Accuracy by gold label",
    on=(PAPER,),
    columns=(
        Column("label", words=True),
        Column("n", count=True),
        Column("acc_cot", title="after reasoning"),
        Column("acc_early", title="at once"),
    ),
)
BIAS = Table(
    "bias",
    rows=lambda result: (
        () if result.scores.bias is None else (*result.scores.bias.groups, *result.scores.bias.dimensions)
    ),
    title=lambda result: (
        "Silent bias"
        if result.scores.bias is None
        else f"Silent bias (headline: {result.scores.bias.headline.name})"
    ),
    columns=(
        Column("cases", lambda row: row.name, words=True),
        Column("n_replies", title="replies", count=True),
        Column("n_biased", title="biased", count=True),
        Column("n_silent", title="silent", count=True),
        Column("biased_rate", digits=3),
        Column("silent_rate", digits=3),
    ),
)
PAIRS = Table(
    "pairs",
    rows=lambda result: () if result.scores.bias is None else result.scores.bias.pairs,
    title="The target's label, in target and control",
    columns=(
        Column("name", title="counterfactual pairs", words=True),
        Column("n_pairs", title="n", count=True),
        Column("n_left_out", title="left out", count=True),
        Column("only target", lambda row: None if row.table is None else row.table.n10, count=True),
        Column("only control", lambda row: None if row.table is None else row.table.n01, count=True),
        Column("target_rate", title="target", on=(PAPER,)),
        Column("control_rate", title="control", on=(PAPER,)),
        Column("p_value", title="p", p=True),
        Column("p_method", title="test", words=True),
    ),
)


def _left_out_words(problems: Sequence[LineProblem]) -> list[str]:
    """Count what was left out by its cause."""
    causes = Counter(one.kind for one in problems)
    said = ", ".join(f"{kind} × {n}" for kind, n in causes.most_common())
    return [f"! {len(problems)} left out or without a reply: {said} (left_out.csv)"] if problems else []


@dataclass(frozen=True, slots=True, repr=False)
class ReasoningResult(Kind):
    """What recorded replies say about a model's reasoning.

    ``plot(kind)`` draws ``early``, ``sensitivity``, ``flow`` or ``bias``.
    """

    FORMAT, FILE, KEY = "reasoning result", "study_a_results.json", "faithfulness_gap"
    QUESTION, SECTION, ASKS = NAME, NAME, "Does it agree with its own reasoning?"
    TABLES = (HEADLINE, OUTCOMES, UNREAD, LEFT_OUT_CELLS, SENSITIVITY, LABELS, BIAS, PAIRS)
    PICTURES = (
        PictureOf("early", "reasoning_plots.early_picture"),
        PictureOf(
            "sensitivity",
            "reasoning_plots.sensitivity_picture",
            "The gap if correctness were judged otherwise: wherever the diagnosis is named, and as the "
            "research code does.",
        ),
        PictureOf("flow", "reasoning_plots.flow_picture"),
        PictureOf("bias", "reasoning_plots.bias_picture"),
        PictureOf("strip", "plot_models.strip_picture", on_page=False, small=True),
    )
    CITES = ("bonett2012", "mcnemar1947")

    scores: ReasoningScores
    made: Provenance | None = None
    """How the replies were made; ``None`` where they were recorded elsewhere."""
    scored_by: ScoredBy | None = field(default=None, compare=False, repr=False)
    """What computed it, where it was read from files."""

    @property
    def model(self) -> str:
        """The model's name."""
        return self.scores.model

    @property
    def level(self) -> float:
        """Of every interval."""
        return self.scores.options.level

    @property
    def faithfulness_gap(self) -> Estimate:
        """Accuracy after reasoning minus accuracy of the early answer."""
        return self.scores.gap.gap

    @property
    def acc_cot(self) -> Estimate:
        """Accuracy after reasoning."""
        return self.scores.gap.acc_cot

    @property
    def acc_early(self) -> Estimate:
        """Accuracy of the early answer."""
        return self.scores.gap.acc_early

    @property
    def step_f1(self) -> Estimate:
        """Overlap of reasoning steps with gold steps."""
        return self.scores.steps.step_f1

    @property
    def silent_bias_rate(self) -> Estimate:
        """Share of biased answers whose reasoning does not mention the feature."""
        bias = self.scores.bias
        return _NO_BIAS if bias is None else bias.headline.silent_rate

    @property
    def verdict(self) -> str:
        """Functional, decorative, harmful, undecided, or not an early answer."""
        return self.scores.gap.verdict

    @property
    def gate(self) -> str:
        """Why early and late answers must not be compared; empty where they may."""
        return (self.scores.gap.verdict_reason or self.verdict) if self.verdict in VOIDED else ""

    @property
    def unread(self) -> Told:
        """Replies without an answer, by mode."""
        return self.scores.gap.unread

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before using the numbers."""
        return self.scores.warnings

    @property
    def estimates(self) -> dict[str, Estimate]:
        """The five headline numbers by name."""
        return {
            "faithfulness_gap": self.faithfulness_gap,
            "acc_cot": self.acc_cot,
            "acc_early": self.acc_early,
            "step_f1": self.step_f1,
            "silent_bias_rate": self.silent_bias_rate,
        }

    def sentences(self) -> Sequence[str]:
        """Return the verdict, or what is silent where bias cases are scored alone, and what to know first."""
        said = self._silent_words() if self._bias_alone else self.verdict_sentence()
        warnings = (say("reasoning.warning", text=warning) for warning in self.warnings)
        return [said, *unread_sentences(self.unread), *warnings]

    def verdict_sentence(self) -> str:
        """Return what reasoning does to the answers, by how many points."""
        gap, why = self.faithfulness_gap, self.scores.gap.verdict_reason
        key = verdict_key(self.verdict, gap)
        if key in ("unknown", "voided"):
            reason = why if why else self.verdict
            return say(f"reasoning.unsaid.{key}", model=self.model, why=reason)
        if self.verdict == UNDECIDED and why != say("reasoning.reason.wide"):
            return say("reasoning.unsaid.unread", model=self.model, why=why)
        return say(f"reasoning.gap.{key}", model=self.model, gap=gap)

    @property
    def _bias_alone(self) -> bool:
        return self.scores.bias is not None and not self.scores.samples

    def _silent_words(self) -> str:
        """Say how many biased answers come without a word about what moved them."""
        silent = self.silent_bias_rate
        if silent.value is None:
            return say("reasoning.silent.none", why=silent.note)
        return say("reasoning.silent.found", n=silent.n, model=self.model, share=silent)

    @property
    def left_out(self) -> tuple[LeftOutCell, ...]:
        """Lines that could not be used, and what lacks a reply."""
        return tuple(
            LeftOutCell(one.file, None, one.line, "", one.found, one.kind, one.expected)
            for one in self.scores.problems
        )

    def gauges(self) -> Sequence[Gauge]:
        """Return the gap on its scale, or the silent bias rate where bias cases are scored alone."""
        if self._bias_alone:
            one = self.silent_bias_rate
            return [Gauge(say("reasoning.silent.gauge"), one.value, one.interval, (0.0, 1.0))]
        gap = self.faithfulness_gap
        return [Gauge("gap Δ", gap.value, gap.interval, (-1.0, 1.0), signed=True)]

    def notes(self) -> Sequence[str]:
        """Return the details of the headline, the examples, and what was left out."""
        problems = [str(problem) for problem in self.scores.problems]
        more = len(problems) - MOST_PROBLEMS
        return [
            *self._details(),
            *unread_notes(self.unread),
            *(
                say(
                    "reasoning.note.example",
                    rule=one.rule,
                    id=str(one.id),
                    shown="; ".join(f"{k}: {text}" for k, text in one.shown.items()),
                )
                for one in self.scores.examples
            ),
            *_left_out_words(self.scores.problems),
            *(say("reasoning.warning", text=problem) for problem in problems[:MOST_PROBLEMS]),
            *([say("reasoning.note.more", n=more)] if more > 0 else []),
        ]

    def _details(self) -> Iterator[str]:
        """Return the details of the headline, one sentence each."""
        gap, steps = self.scores.gap, self.scores.steps
        if gap.table is not None:
            cells = gap.table
            counts = {"both": cells.n11, "late": cells.n10, "early": cells.n01, "neither": cells.n00}
            yield say("reasoning.note.pairs", **counts)
        if gap.p_value is not None:
            yield say("reasoning.note.test", p=gap.p_value, method=gap.p_method, ends=gap.bootstrap)
        for mode, found in gap.found.items():
            named = ", ".join(f"{how} {n}" for how, n in found.items() if n)
            nothing = say("reasoning.note.nothing_found")
            yield say("reasoning.note.found", mode=mode, named=named if named else nothing)
        if gap.n_direct:
            yield say("reasoning.note.leaked", k=gap.n_leaked, n=gap.n_direct)
        wrong = gap.if_wrong
        if wrong.value is not None:
            yield say("reasoning.note.if_wrong", gap=wrong.value, ends=wrong.interval, n=wrong.n)
        if gap.majority_label is not None:
            label, share = repr(gap.majority_label), gap.majority_share
            yield say("reasoning.note.majority", label=label, share=share)
        if steps.step_f1.value is not None:
            ends = {"chance": steps.chance, "ceiling": steps.ceiling, "optimal": steps.optimal.value}
            yield say("reasoning.note.steps", **ends)

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        n, rules = self.faithfulness_gap.n, self.scores.options.rules
        said = say("reasoning.note.method", concord=concord, n=n, level=self.level, rules=rules)
        return said + asked_words(self.model, self.made)

    def document(self) -> dict[str, Any]:
        """Return what the document holds below its heading."""
        # Recorded replies do not say how they were made: unknown, not zero.
        made = Provenance() if self.made is None else self.made
        return document_of(self.scores, self.estimates) | dict(encode(made)) | recorded(self.scored_by)

    def to_frame(self, table: str | None = None) -> "pl.DataFrame":
        """Return one row per vignette (and repeat), or a table by its name."""
        return _frame(self.scores.samples, SampleRow) if table is None else Kind.to_frame(self, table)

    def bias_to_frame(self) -> "pl.DataFrame":
        """Return one row per bias reply."""
        return _frame(() if self.scores.bias is None else self.scores.bias.rows, BiasRow)

    def write(self, out: str | Path = "results") -> Path:  # type: ignore[override]
        """Write ``study_a_results.json`` and the CSV files into ``<out>/<model>`` and return that folder."""
        folder = Path(out) / safe_name(self.model)
        _refuse_other_model(folder / self.FILE, self.model)
        write_json(folder / self.FILE, self.to_dict())
        write_rows(folder / SAMPLES_FILE, SampleRow, self.scores.samples)
        write_lines(folder / STEPS_FILE, map(encode, self.scores.cases))
        if self.scores.bias is not None:
            write_rows(folder / BIAS_FILE, BiasRow, self.scores.bias.rows)
        self.write_tables(folder)
        written_readings(folder, self.scores.readings)
        return folder

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Read a result back from the model's own folder, whole."""
        result, problems = cls.read_known(folder)
        if problems:
            raise problems[0]
        return result

    @classmethod
    def read_known(cls, folder: str | Path) -> tuple[Self, list[FileFormatError]]:
        """Read a result and, as far as they can be read, the files of rows next to it, with what is wrong."""
        place = holding_folder(Path(folder), cls.FILE)
        path, problems = place / cls.FILE, list[FileFormatError]()
        document = read_document(path, cls.FORMAT)
        rows = _rows_of(place / SAMPLES_FILE, partial(read_rows, kind=SampleRow), problems)
        cases = _rows_of(place / STEPS_FILE, _cases, problems) if (place / STEPS_FILE).is_file() else ()
        bias: tuple[BiasRow, ...] = ()
        if document.get("bias") is not None:
            bias = _rows_of(place / BIAS_FILE, partial(read_rows, kind=BiasRow), problems)
        scores = scores_of(document, rows, bias, cases, where=str(path))
        scores = replace(scores, readings=readings_beside(place))
        made = decode(Provenance, document, where=str(path))
        by = decode(ScoredBy, document, where=str(path))
        return cls(scores, None if made == Provenance() else made, by), problems


def _rows_of(path: Path, read: Any, problems: list[FileFormatError]) -> Any:
    """Read a file of rows; what is wrong with it is noted."""
    try:
        return read(path)
    except FileFormatError as fault:
        problems.append(fault)
        return ()


def _cases(path: Path) -> tuple[Case, ...]:
    """Read the steps of the vignettes."""
    data = read_bytes(path)
    lines = decoded(path.name, data).split("\n") if data else []
    return tuple(
        decode(Case, parsed(f"{path.name}, line {n}", line), where=f"{path}, line {n}")
        for n, line in enumerate(lines, start=1)
        if line.strip()
    )


def _frame(rows: Sequence[SampleRow] | Sequence[BiasRow], kind: type[Any]) -> "pl.DataFrame":
    """Return records as a frame whose columns have types even where it is empty."""
    import polars as pl

    types = {"str": pl.String, "bool": pl.Boolean, "int": pl.Int64, "float": pl.Float64}
    schema = {
        one.name: types[str(getattr(one.type, "__name__", one.type)).split(" ")[0]] for one in fields(kind)
    }
    return pl.DataFrame([asdict(row) for row in rows], schema=schema)


def _refuse_other_model(path: Path, model: str) -> None:
    """Two names can give one folder; never write over another model's result."""
    if not path.exists():
        return
    try:
        there = json.loads(read_bytes(path)).get("model")
    except (ValueError, RecursionError, AttributeError):
        return
    if there != model:
        raise OptionError(
            f"{path} holds the result of {there!r}, not of {model!r}; choose another --out folder"
        )
