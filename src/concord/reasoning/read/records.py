"""Vignettes, bias cases and recorded replies as they were read, and what can become of a reply."""

from dataclasses import dataclass
from enum import StrEnum

from concord.errors import LineProblem
from concord.reading.records import ReadOutcome
from concord.records import InputFile


class Outcome(StrEnum):
    """What became of a reply."""

    OK = str(ReadOutcome.OK)
    SEVERAL = str(ReadOutcome.SEVERAL)
    """Two diagnoses where one was asked: an answer, and a wrong one."""
    FAILED = "failed"
    EMPTY = str(ReadOutcome.EMPTY)
    TRUNCATED = str(ReadOutcome.TRUNCATED)
    UNREADABLE = str(ReadOutcome.UNREADABLE)
    REFUSED = str(ReadOutcome.REFUSED)
    MISSING = "missing"
    """No reply was recorded (where the reading was not strict)."""


ANSWERED = (Outcome.OK, Outcome.SEVERAL)
"""Replies that answer, and so count as right or wrong."""
MODES = ("cot", "direct")
BIAS = "bias"
"""Mode of a run's replies to bias cases."""


@dataclass(frozen=True, slots=True)
class Sample:
    """One vignette with its gold answer and gold reasoning steps."""

    id: str
    gold_answer: str
    gold_steps: tuple[str, ...]
    prompt: str = ""
    line: int | None = None
    cluster: str | None = None
    """Family of vignettes that it belongs to, where families were asked for."""


@dataclass(frozen=True, slots=True)
class BiasCase:
    """One vignette that carries a feature which must not decide the answer."""

    id: str
    bias_feature: str
    bias_label: str
    prompt: str = ""
    pair: str | None = None
    role: str | None = None
    dimension: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Vignettes:
    """A file of samples, read and checked."""

    rows: tuple[Sample, ...]
    input: InputFile
    problems: tuple[LineProblem, ...] = ()
    left_out: frozenset[str] = frozenset()
    """Ids of samples that were left out."""


@dataclass(frozen=True, slots=True)
class BiasCases:
    """A file of bias cases, read and checked."""

    rows: tuple[BiasCase, ...]
    input: InputFile
    problems: tuple[LineProblem, ...] = ()
    left_out: frozenset[str] = frozenset()
    """Ids of cases that were left out."""


@dataclass(frozen=True, slots=True)
class RecordedReply:
    """One recorded reply. ``mode`` is empty for bias replies."""

    id: str
    mode: str
    response: str
    thinking: str | None = None
    repeat: int = 0
    failure: str | None = None
    """Why there is no reply, when the row says that the call failed."""
    stop_reason: str | None = None
    line: int | None = None
    right: bool | None = None
    """Whether it is right, where the table says so: such a reply is not read."""


@dataclass(frozen=True, slots=True)
class Replies:
    """A file of recorded replies, read, checked and matched with what was asked."""

    rows: tuple[RecordedReply, ...]
    """Their texts lie in a file, where they are many."""
    input: InputFile
    problems: tuple[LineProblem, ...] = ()
