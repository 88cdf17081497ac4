"""Frozen types that cross packages."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from importlib import import_module
from os import PathLike
from typing import Any, Protocol

OMITTED = "omitted"
"""Metadata of a field that documents leave out where it is empty."""


@dataclass(frozen=True, slots=True)
class Interval:
    """An uncertainty interval and how it was made."""

    low: float
    high: float
    level: float
    method: str
    clusters: int | None = field(default=None, metadata={OMITTED: True})
    """Families of units that it is over, where units of one family are not independent."""


@dataclass(frozen=True, slots=True)
class UnreadBounds:
    """The two ends between which a number lies whatever the answers that could not be read were."""

    low: float
    high: float
    interval: Interval | None
    """Covers everything between the ends, and the chance in them."""
    n_unread: int

    def side(self, of: float = 0.0) -> int:
        """Return 1 or -1 where the number lies above or below another whatever was unread, 0 where not."""
        # The interval decides, and the ends alone where there is none.
        ends = self if self.interval is None else self.interval
        return int(ends.low > of) - int(ends.high < of)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A number with what a reader needs to trust it.

    ``value`` is ``None`` when the number is undefined for this input, and then ``note`` says why.
    ``interval`` is ``None`` only when no interval exists for this input, and then ``note`` says why.
    """

    value: float | None
    interval: Interval | None = None
    n: int = 0
    """Units the value rests on."""
    n_left_out: int = 0
    """Units that were asked for and not scored."""
    method: str = ""
    note: str = ""
    bounds: UnreadBounds | None = field(default=None, metadata={OMITTED: True})
    """What unread answers could make of the value, where more than a few are unread."""

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """Both ends of the interval, two cells of a table; ``None`` where there is no interval."""
        return (None, None) if self.interval is None else (self.interval.low, self.interval.high)

    def turned(self, sign: float = -1.0) -> "Estimate":
        """Return the number, or its negative with the interval turned round."""
        if sign > 0 or self.value is None:
            return self
        ends = self.interval
        return replace(
            self,
            value=-self.value,
            interval=None if ends is None else replace(ends, low=-ends.high, high=-ends.low),
        )


@dataclass(frozen=True, slots=True)
class UnreadGroup:
    """The answers of one group."""

    group: str
    asked: int
    unread: int
    outcomes: dict[str, int]
    """Unread answers by what became of them."""

    @property
    def share(self) -> float:
        """Share of unread answers."""
        return self.unread / self.asked


@dataclass(frozen=True, slots=True)
class Unread:
    """Unread answers of one model, judge or study, by condition, arm, order or mode."""

    what: str
    """Whose; empty where a result is of one."""
    by: str
    """What the groups are, such as ``order``."""
    groups: tuple[UnreadGroup, ...]
    p: float | None
    """That the share is the same in all groups; None where nothing can differ."""
    test: str
    differs: bool = False
    """Whether a difference is shown, all tests of the result together."""

    @property
    def asked(self) -> int:
        """Answers that were asked for."""
        return sum(one.asked for one in self.groups)

    @property
    def unread(self) -> int:
        """Those that could not be read."""
        return sum(one.unread for one in self.groups)

    @property
    def share(self) -> float:
        """Share of unread answers."""
        return self.unread / self.asked


Told = tuple[Unread, ...]
EMPTY = {OMITTED: True}
"""How a record declares its field: ``unread: Told = field(default=(), metadata=EMPTY)``."""


class SideOutcome(StrEnum):
    """What became of one side of a test."""

    OK = "ok"
    MISSING = "missing"
    """Nothing was given for this side."""
    TOO_SMALL = "too small"
    """The sample is too small for the test to exist (agent side only; an error on the human side)."""
    LEFT_OUT = "left out"
    """A cell of the side could not be read."""
    UNREAD = "no readable answer"
    """Participants were asked, and in a group of the test no answer could be read (agent side only)."""


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a test: the numbers its type needs, checked and completed by the reader.

    Guaranteed present after reading, unless the side holds only precomputed numbers
    (``effect_d``, ``log_bf``): t-independent ``statistic, n1, n2``; t-paired and t-one-sample
    ``statistic, n``; anova, anova-within and regression ``statistic, df1, df2, n``; correlation
    ``statistic, n``; chi-square ``table`` or ``statistic, df1, n``; binomial ``k, n, p0``;
    mann-whitney ``statistic`` (U counted for group 2), ``n1, n2``; variance-ratio ``statistic, df1, df2``;
    p-value ``p_value``.
    """

    statistic: float | None = None
    df1: float | None = None
    df2: float | None = None
    n1: float | None = None
    n2: float | None = None
    k: float | None = None
    n: float | None = None
    p0: float | None = None
    p_value: float | None = None
    direction: int | None = None
    """Sign of the observed effect as given, -1, 0 or 1; ``None`` where none was given."""
    table: tuple[tuple[float, ...], ...] | None = None
    z: float | None = None
    """Mann-Whitney: the reported z, group 1 higher positive, where the string gives one (ties included)."""
    se: float | None = None
    """Standard error of a regression coefficient."""
    effect_d: float | None = None
    log_bf: float | None = None
    prior_odds: float | None = None
    flags: tuple[str, ...] = ()
    """What was assumed to complete this side, in words a reader of the report understands."""


@dataclass(frozen=True, slots=True)
class TestRow:
    """One row of a table of tests."""

    __test__ = False  # not a test class, whatever pytest thinks of the name

    study: str
    sub_study: str
    finding: str
    test: str
    test_type: str
    domain: str | None = None
    alpha: float = 0.05
    sampling: str = "joint"
    human: Side | None = None
    agent: Side | None = None
    human_outcome: SideOutcome = SideOutcome.MISSING
    agent_outcome: SideOutcome = SideOutcome.MISSING
    pas: float | None = None
    n_eff: float | None = None
    row: int | None = None
    """The row in the file as the spreadsheet shows it."""

    @property
    def key(self) -> tuple[str, str, str, str]:
        """What names the test: study, sub-study, finding, test."""
        return (self.study, self.sub_study, self.finding, self.test)


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that went into a result."""

    name: str
    sha256: str
    size: int


@dataclass(frozen=True, slots=True)
class LeftOutCell:
    """A cell that could not be read, and what was left out of the scores because of it."""

    file: str
    sheet: str | None
    row: int | None
    column: str
    value: str
    reason: str
    """In a word or two, as it is counted."""
    expected: str
    part: str = ""
    """Of a table of tests: ``human``, ``agent`` or ``row``."""
    agent: str = ""
    """Whose side it is, where a row holds several agents."""

    @property
    def what_to_do(self) -> str:
        """What would bring it back; a side of a test may also be left empty."""
        return f"give {self.expected}; or leave the cell empty" if self.part else f"expected {self.expected}"


@dataclass(frozen=True, slots=True)
class TestTable:
    """A table of tests, read and checked."""

    __test__ = False

    rows: tuple[TestRow, ...]
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = field(default=())
    """Everything a reader of the table should know and that is not an error, naming file, row and column."""
    inconsistencies: tuple[str, ...] = field(default=())
    """Those of the warnings that say a reported statistic contradicts its own p-value."""
    model: str | None = None
    """Who took the place of the participants, where the table says."""
    made: "Provenance | None" = None
    """How the agent's replies were made, where a run says so."""
    left_out: tuple[LeftOutCell, ...] = field(default=(), metadata=EMPTY)
    """Cells that could not be read; their sides, or their rows, are not scored."""

    @property
    def rows_used(self) -> tuple[int, int]:
        """How many rows could be read, and how many are left out."""
        gone = {one.row for one in self.left_out} - {row.row for row in self.rows}
        lost = sum(SideOutcome.LEFT_OUT in (row.human_outcome, row.agent_outcome) for row in self.rows)
        return len(self.rows) - lost, lost + len(gone)


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt."""

    role: str
    """``system``, ``user`` or ``assistant``."""
    text: str


@dataclass(frozen=True, slots=True)
class AnswerForm:
    """The answer that a prompt asks for: what can be said, and where it is to be written."""

    kind: str
    """``choice``, ``number``, ``ranking``, ``split``, ``label`` or ``text``."""
    names: tuple[tuple[str, str], ...] = ()
    """Letters of options with their words, as shown; what is ranked, or divided between."""
    low: float | None = None
    high: float | None = None
    whole: bool = False
    """Only whole numbers."""
    unit: str = ""
    """Unit of a number: one in another unit of its kind is no answer."""
    total: float | None = None
    """What a split adds up to."""
    mark: str = "ANSWER"
    """What begins the line of the answer."""
    reasoning: bool = False
    """Whether reasoning is asked for before the answer."""


@dataclass(frozen=True, slots=True)
class Trial:
    """One thing to ask a model: what names it, and every word that is sent."""

    suite: str
    """``people``, ``structure`` or ``reasoning``."""
    item: str
    cell: str
    """What is varied within an item: the mode of reasoning, the arrangement, the condition."""
    messages: tuple[Message, ...]
    repeat: int = 0
    template: str = ""
    """Name of the prompt template, whose hash the run records."""
    about: tuple[tuple[str, str], ...] = ()
    """What a scorer needs to know of the item (its gold answer, say); never sent."""
    forms: tuple[AnswerForm, ...] = ()
    """The answers that the prompt asks for; none where its reply is not read as an answer."""

    @property
    def name(self) -> tuple[str, str, int]:
        """What names the trial inside its suite: item, cell, repeat."""
        return (self.item, self.cell, self.repeat)


class AskOutcome(StrEnum):
    """What became of asking. Only ``ok`` is an answer; everything else is counted apart."""

    OK = "ok"
    EMPTY = "empty"
    """The model returned no text."""
    TRUNCATED = "truncated"
    """The reply was cut at the limit of tokens."""
    OVERFLOW = "context overflow"
    """The prompt does not fit into the model's context."""
    FILTERED = "filtered"
    """The provider withheld the reply."""
    TOO_LONG = "too long"
    """The reply is longer than is read; its beginning is kept."""
    FAILED = "failed"
    """No reply after all attempts; asked again when the run is resumed."""
    NOT_ASKED = "not asked"
    """The run ended before this trial was asked."""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one reply; ``None`` where the provider does not say."""

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_tokens: int | None = None
    """Of the input: read from the provider's cache."""
    cache_written_tokens: int | None = None
    """Of the input: written to that cache."""
    reasoning_tokens: int | None = None
    """Of the output: thought before the reply."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back from a model for one trial."""

    outcome: AskOutcome
    response: str
    thinking: str | None = None
    stop_reason: str | None = None
    error: str | None = None
    usage: Usage = Usage()
    seconds: float | None = None
    more: tuple[tuple[str, object], ...] = ()
    """Further fields of the stored line: outcomes of a session's turns, log probabilities."""


@dataclass(frozen=True, slots=True)
class Provenance:
    """How replies were made, where a run says so; what is not known is ``None``, never 0."""

    model_settings: Mapping[str, object] | None = None
    templates: Mapping[str, str] | None = None
    tokens: Mapping[str, int] | None = None
    cost: float | None = None


@dataclass(frozen=True, slots=True)
class ScoredBy:
    """What computed a result that was read from its files; what they do not say is ``None``."""

    concord_version: str | None = None
    commit: str | None = None
    python_version: str | None = None
    packages: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Template:
    """A prompt template with its hash."""

    name: str
    """Question, template and version, such as ``reasoning/cot.v1``."""
    text: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Design:
    """What one suite asks: every trial in the order of asking, and what it was made from."""

    suite: str
    trials: tuple[Trial, ...]
    templates: tuple[Template, ...]
    files: tuple[tuple[str, bytes], ...] = ()
    """Name and content of the question files; a run keeps a copy."""
    options: tuple[tuple[str, str | int | float | bool | None], ...] = ()
    """Choices of the design that shape the prompts."""
    notes: tuple[str, ...] = ()
    """What whoever asks should know of what was read, before anything is asked."""


class Drawing(Protocol):
    """A picture of a result: shows itself in a notebook and saves itself as SVG, PDF or PNG."""

    def to_svg(self) -> str:
        """Return the picture as the text of an SVG file."""

    def to_png(self, *, dpi: float | None = None) -> bytes:
        """Return the picture as the bytes of a PNG file."""

    def to_pdf(self) -> bytes:
        """Return the picture as the bytes of a PDF file."""

    def save(self, path: str | PathLike[str], *, dpi: float | None = None) -> object:
        """Write a file: SVG, PDF or PNG, as its name ends."""


def _views() -> Any:
    """Return what shows results, loaded when the first one is looked at."""
    return import_module("concord.show.declared")


class Presented:
    """A result that can be looked at; how it looks is no part of it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(_views().shown_text(self))

    def _repr_html_(self) -> str:
        return str(_views().shown_html(self))

    def plot(self, *kind: str, **choices: str | float | None) -> Drawing:
        """Draw the result; the picture shows itself in a notebook.

        Parameters
        ----------
        kind
            Which picture, the usual one by default; the error about one that does not exist names those that
            do.
        choices
            What else the picture of this result can be told, such as ``model=`` where it holds several; and
            how it is set for paper: ``width`` (``"89mm"``), ``size`` of text in points (7), ``font``, and
            ``theme`` (``paper``, ``slide`` or ``dark``).
        """
        drawn: Drawing = _views().plot_of(self, *kind, **choices)
        return drawn

    def methods(self) -> str:
        """Return a methods paragraph for a paper, made of what the result records."""
        return str(_views().methods_of(self))

    def write_up(self, folder: str | PathLike[str] = "paper", *, wanted: str = "nature") -> Any:
        """Write what a paper needs of the result into a folder.

        Figures in the order of the text with captions and numbers, tables, a methods and a results paragraph,
        references, and a README that says which figure shows what.

        Parameters
        ----------
        folder
            Where it is written.
        wanted
            What figures are for: ``nature`` (89, 120 or 183 mm wide), ``apa`` or ``slides``.
        """
        return import_module("concord.show.write_up").write_up([self], folder, wanted=wanted)

    def table(self, name: str = "headline") -> Any:
        """Return a table for a paper: `to_latex()`, `to_markdown()`, `to_docx(path)`.

        Parameters
        ----------
        name
            ``headline``; of people also ``studies`` and ``tests``.
        """
        return _views().paper_table_of(self, name)
