"""What can be asked, one record each: how it is laid out, with which settings, how replies are scored.

A new one is a file in `asked` and a name in `NAMES`. A record is loaded when it is first looked for: whoever
asks about reasoning loads no study.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

from concord.asking.requests import Sampling
from concord.asking.talks import Reads
from concord.errors import OptionError
from concord.records import Design, Provenance, Trial


@dataclass(frozen=True, slots=True)
class Recorded:
    """What scoring needs of a run, wherever it was kept."""

    source: str
    suite: str
    model: str
    rows: Sequence[Mapping[str, Any]]
    """As they are on the disk, where a folder holds them: whoever needs them all at once makes a list."""
    planned: Sequence[Mapping[str, Any]]
    n_missing: int
    files: Mapping[str, bytes]
    options: Mapping[str, Any]
    made: Provenance
    followed: Sequence[Mapping[str, Any]] = ()
    """Replies of the run that followed this one (a judge's, say); none where there was none."""


@dataclass(frozen=True, slots=True)
class AnswerTable:
    """The answers that were read from the replies of a run, and what is counted of them."""

    columns: tuple[str, ...]
    rows: Iterable[Sequence[object]]
    """Made as they are written: those of a long run would fill the memory."""
    counted: Mapping[str, Any]
    """Added to the run's document."""
    lines: tuple[str, ...] = ()
    """The same in words."""
    tables: Mapping[str, tuple[tuple[str, ...], Iterable[Sequence[object]]]] = field(default_factory=dict)
    """Further tables by the path below the results: columns and rows."""
    documents: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Further JSON documents by the path below the results."""


@dataclass(frozen=True, slots=True)
class FollowUp:
    """A run that the replies of another call for; it is kept in a folder inside that run's."""

    design: Design
    model: str
    folder: str
    temperature: float = 0.0
    max_tokens: int = 64


def _unread(files: Mapping[str, bytes], options: Mapping[str, Any]) -> Callable[[Any, str], Sequence[str]]:
    """Read nothing: replies are no answers."""
    return lambda question, reply: ()


def _no_file(path: Path, **choices: Any) -> Any:
    raise OptionError(f"{path.name}: a file of replies alone cannot be scored; give the folder of its run")


@dataclass(frozen=True, slots=True)
class Sessions:
    """How something is asked whose trials are conversations of many turns."""

    openers: Callable[[Mapping[str, bytes], Mapping[str, Any]], dict[str, Any]]
    """Every session by its id, from the question files and options of a design."""
    reply: Callable[[Any, Any], str]
    """A usual reply to a question of a session, from which the texts that will be sent are estimated."""
    turn: Callable[[Any], Trial]
    """A question of a session as a trial."""
    lined: bool = False
    """Whether its design takes ``answer_line``, since its prompts are written as a session goes on."""
    thinking: bool = False
    """Whether thinking is kept with a reply, in tags before it."""
    reads: Callable[[Mapping[str, bytes], Mapping[str, Any]], Callable[[Any, str], Sequence[str]]] = _unread
    """Make what reads a reply to a question: the outcome of each answer, by the question's own reader."""
    helper: Callable[[Mapping[str, Any]], str | None] = lambda options: None
    """Model that writes what sessions need (questions that say ``by_helper``), from a design's options."""


@dataclass(frozen=True, slots=True)
class Demo:
    """What the demo asks the embedded model."""

    title: str
    asked: Mapping[str, Any]
    """A small version of the question: about a minute on two cores."""
    folder: str = ""
    """Where results lie below the folder of the demo."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Askable:
    """Something that a model can be asked. Asking, scoring, Inspect tasks and the demo loop over these."""

    name: str
    """What `concord.run` calls it, and the suite of its trials."""
    design: Callable[..., Design]
    """Lay out its trials; keyword arguments are its choices, ``limit`` and ``repeats`` among them."""
    score: Callable[..., Any]
    """Score a `Recorded`, with ``partial`` (what is missing is counted) and choices of its own; the result
    is a `Kind`: written, read back and shown by its declaration."""
    passed_on: Callable[[], Callable[..., Any]] | None = None
    """Load the function whose keywords those choices are, where it is not ``score`` itself."""
    score_file: Callable[..., Any] = _no_file
    """Score a file of replies that no run wrote, by its path and choices."""
    temperature: float = 0.0
    max_tokens: int = 512
    """Longest reply, in tokens, unless another is chosen."""
    repeats: int = 1
    """How often each item is asked, unless another number is chosen."""
    reads: Callable[[Mapping[str, bytes], Mapping[str, Any]], Reads] | None = None
    """Make what reads a reply to a trial, by the question's own reader; by the form of the answer without."""
    task: Mapping[str, str] = field(default_factory=dict)
    """Names of the design's choices as an Inspect task takes them, where they differ."""
    sessions: Sessions | None = None
    answers: Callable[[Recorded], AnswerTable | None] | None = None
    """Read the answers of a run, which then writes `answers.csv`."""
    follow: Callable[[Recorded], FollowUp | None] | None = None
    """Lay out the run that follows, where the replies call for one."""
    followed_in: str = ""
    """Folder of the run that follows, inside the run's own."""
    demo: Demo | None = None


NAMES = ("people", "structure", "reasoning", "probes", "judge")
"""Names of what can be asked, each that of its file in `asked`, in the order of showing."""


def find(name: str) -> Askable | None:
    """Return what has this name; a run that follows another (a judge's, say) has none."""
    if name not in NAMES:
        return None
    found: Askable = import_module(f"concord.asking.asked.{name}").ASKED
    return found


def everything() -> tuple[Askable, ...]:
    """Return all that can be asked."""
    return tuple(map(askable, NAMES))


def askable(name: str) -> Askable:
    """Return what has this name."""
    found = find(name)
    if found is None:
        raise OptionError(f"question {name!r} is not known; expected {', '.join(NAMES)}")
    return found


def usual_sampling(name: str) -> Sampling:
    """Return the settings that something is asked with unless others are chosen: in a run and in Inspect."""
    one = askable(name)
    return Sampling(temperature=one.temperature, max_tokens=one.max_tokens)
