"""Runs from Python: lay out, plan, ask, score what was stored."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from concord.asking.askable import NAMES, AnswerTable, askable, usual_sampling
from concord.asking.connection import Connection
from concord.asking.folder import LOGS, RECORD, StoredRun, journals_changed, left_to_ask, read_run
from concord.asking.job import Job, Listeners, ask_all, load_ahead, open_model
from concord.asking.journal import read_index
from concord.asking.ledger import Paid, paid_so_far
from concord.asking.limits import SPENT, Limits, Prices
from concord.asking.plan import Plan, make_plan
from concord.asking.recorded import recorded_folder, score_bundled, score_run
from concord.asking.requests import PlannedKeys, Sampling, requests_of
from concord.asking.structured import AUTO, OFF, WAYS, lined
from concord.asking.talks import read_words
from concord.errors import InputError, MissingExtraError, OptionError
from concord.kinds import Column, Kind, Table
from concord.records import AskOutcome, InputFile

if TYPE_CHECKING:
    from inspect_ai.model import Model

__all__ = [
    "NAMES",
    "RunResult",
    "job",
    "plan_run",
    "read_folder",
    "run",
    "run_job",
    "score_bundled",
    "score_run",
]


OUTCOMES = Table(
    "outcomes",
    rows=lambda result: result.outcomes.items(),
    title="Outcomes",
    columns=(
        Column("outcome", itemgetter(0), words=True),
        Column("trials", itemgetter(1), count=True),
    ),
)


@dataclass(frozen=True, slots=True, repr=False)
class RunResult(Kind):
    """A run's folder as it is."""

    FORMAT: ClassVar[str] = "run"
    FILE: ClassVar[str] = RECORD
    TABLES: ClassVar[tuple[Table, ...]] = (OUTCOMES,)

    stored: StoredRun
    _scored: dict[str, str] = field(default_factory=dict, init=False, compare=False)
    """The headline, once it was asked for: scoring takes a while."""

    @property
    def folder(self) -> Path:
        """Where everything is kept."""
        return self.stored.path

    @property
    def outcomes(self) -> dict[str, int]:
        """How every planned trial ended, counted."""
        return {name: n for name in map(str, AskOutcome) if (n := self.stored.tally.outcomes[name])}

    @property
    def answers(self) -> dict[str, int]:
        """What became of reading the answers, counted; empty where replies are not read as answers."""
        return dict(sorted(self.stored.tally.answers.items()))

    @property
    def asked_again(self) -> int:
        """Answers that were asked for once more."""
        return self.stored.tally.n_asked_again

    def answers_words(self) -> str:
        """Say how many answers were read; nothing where replies are not read as answers."""
        return read_words(self.answers, self.asked_again)

    @property
    def model(self) -> str:
        """Whom was asked."""
        return str(self.stored.record["model"])

    @property
    def stopped(self) -> str | None:
        """Which limit ended the run, if one did."""
        reason = self.stored.record.get("stopped")
        return None if reason is None else str(reason)

    def left_of(self, limits: Limits) -> Limits:
        """Return what this run has left of limits that it shares with others."""
        paid, told = self.paid, self.stored.record.get("cost")
        cost = 0.0 if told is None else float(told)
        tokens = limits.max_tokens_total
        return replace(
            limits,
            max_cost=None if limits.max_cost is None else max(limits.max_cost - cost, SPENT),
            max_tokens_total=None
            if tokens is None
            else max(tokens - paid.input_tokens - paid.output_tokens, 1),
        )

    @property
    def paid(self) -> Paid:
        """What the calls of the run took, of all its sessions."""
        tally, paid = self.stored.tally, paid_so_far(self.folder)
        return paid if paid is not None else Paid.of(tally)

    @property
    def complete(self) -> bool:
        """Every planned trial was asked."""
        return self.stored.n_not_asked == 0

    def score(self, **choices: Any) -> Any:
        """Score what was stored."""
        return score_run(self.folder, **choices)

    def to_dict(self) -> dict[str, Any]:
        """Return the run's record with the outcomes as they are."""
        read = {"answers_read": self.answers, "asked_again": self.asked_again} if self.answers else {}
        return {**self.stored.record, "folder": str(self.folder), "outcomes": self.outcomes, **read}

    def write(self, out: str | Path | None = None) -> tuple[Path, ...]:
        """Return the files of the run: each reply was written as it came, into the run's own folder."""
        if out is not None and Path(out).resolve() != self.folder.resolve():
            raise OptionError(f"a run is kept where it was asked, in {self.folder}; copy that folder")
        return tuple(sorted(path for path in self.folder.iterdir() if path.is_file()))

    @classmethod
    def read(cls, folder: str | Path) -> "RunResult":
        """Read a run's folder, finished or not."""
        return cls(read_run(Path(folder)))

    def who(self) -> Sequence[str]:
        """Return the model."""
        return [self.model]

    def sentences(self) -> Sequence[str]:
        """Return what was asked of whom, what came back, what it took, the headline, and the folder."""
        record, left = self.stored.record, self.stored.n_not_asked
        n, ok = self.stored.n_planned, self.outcomes.get("ok", 0)
        counted = ", ".join(f"{k:,} {name}" for name, k in self.outcomes.items())
        status = "" if self.complete else f" {left:,} have not been asked; the same call goes on."
        stopped = "" if self.stopped is None else f" Stopped: {self.stopped}."
        return [
            f"{record['suite']}, asked of {self.model}: {ok:,} of {n:,} trials answered ({counted})."
            + status
            + stopped,
            *([f"{said}."] if (said := self.answers_words()) else []),
            self._took(),
            self._headline(),
            f"Folder: {self.folder}",
        ]

    def _took(self) -> str:
        """Say what the run took, as far as that is known."""
        paid, cost = self.paid, self.stored.record.get("cost")
        known = f"Tokens: {paid.input_tokens:,} in, {paid.output_tokens:,} out"
        if paid.n_estimated:
            known += f" ({paid.n_estimated:,} calls did not say, and are counted by their characters)"
        if not paid.calls:
            known = "Tokens: not known"
        return f"{known}; cost {float(cost):,.2f}." if cost is not None else f"{known}; cost not known."

    def _headline(self) -> str:
        """Return the first thing that the scored replies say, or why there is nothing yet."""
        if not self.complete or "ok" not in self.outcomes:
            return "Nothing is scored yet." if not self.complete else "No reply can be scored."
        if "said" not in self._scored:
            try:
                found = self.score()
            except InputError as fault:
                self._scored["said"] = f"Not scored: {fault}"
            else:
                said = found.sentences() if isinstance(found, Kind) else str(found).strip().splitlines()
                self._scored["said"] = next(iter(said), "")
        return self._scored["said"]

    def paragraph(self, concord: str) -> str:
        """Return how replies were collected, for a paper."""
        record = self.stored.record
        sent = {name: value for name, value in record["sampling"].items() if value is not None}
        settings = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in sent.items())
        return (
            f"Replies of {self.model} to {self.stored.n_planned:,} prompts ({record['suite']}; {settings}) "
            f"were collected with {concord}.{self._how_read()}"
        )

    def _how_read(self) -> str:
        """Say how answers were asked for and how many were read, for a paper."""
        if not self.answers:
            return ""
        most, words = int(self.stored.record.get("ask_again", 0)), read_words(self.answers)
        times = {0: "", 1: " once more"}.get(most, f" up to {most} times more")
        again = (
            f" An answer that could not be read was asked for{times} in the same conversation, but not after "
            f"a refusal ({self.asked_again:,} times)."
            if most
            else " No answer was asked for again."
        )
        n, all_ = self.stored.tally.n_structured, sum(self.outcomes.values())
        schema = f" A schema of the answer was sent with {n:,} of {all_:,} prompts." if n else ""
        asked = " Prompts asked for the answer in a last line." if self._lined else ""
        return f"{asked}{schema}{again} {words[:1].upper()}{words[1:]}."

    @property
    def _lined(self) -> bool:
        """Whether prompts asked for the answer in a last line."""
        return bool(self.stored.record.get("structured", OFF) == AUTO)


def job(
    question: str,
    model: str,
    *,
    limit: int | None = None,
    repeats: int | None = None,
    sampling: Sampling | None = None,
    connection: Connection | None = None,
    limits: Limits | None = None,
    processes: int = 1,
    cache: bool = False,
    structured: str = AUTO,
    ask_again: int = 1,
    **design: Any,
) -> Job:
    """Lay out a run.

    Parameters
    ----------
    question
        ``people``, ``reasoning`` or ``structure``.
    model
        Provider and model as Inspect names them, such as ``openai/gpt-4o-mini`` or ``local/smollm2-135m``.
    limit, repeats
        How many items are asked, and how often each; structure twice by default, the others once.
    sampling
        What is sent with the prompt; temperature 0 by default, 1 for people.
    connection
        How the model is reached.
    limits
        What the run may take: cost, tokens, time, calls per minute.
    processes
        How many processes ask.
    cache
        Whether Inspect's cache of replies is used.
    structured
        ``auto``: prompts ask for the answer in a last line, and a schema of it is sent where the provider
        takes one; ``off``: the words of the source and nothing else.
    ask_again
        How often an answer that cannot be read is asked for once more, in the same conversation; never
        after a refusal.
    design
        Choices of the question: ``samples, bias_cases``, ``items, arranger, ...``, or
        ``study, folder, n, design, plan_seed``.

    Raises
    ------
    InputError
        Something does not fit; the message says what to do.
    """
    if not model.strip():
        raise OptionError("the model's name is blank: expected PROVIDER/MODEL")
    usual = usual_sampling(question)
    chosen = usual if sampling is None else sampling
    chosen.check()
    if chosen.max_tokens is None:
        chosen = replace(chosen, max_tokens=usual.max_tokens)
    if ask_again < 0:
        raise OptionError(f"--ask-again {ask_again}: expected a whole number from 0 on")
    if structured not in WAYS:
        raise OptionError(f"--structured {structured!r}: expected {' or '.join(WAYS)}")
    one = askable(question)
    if one.sessions is not None and one.sessions.lined:
        design["answer_line"] = structured == AUTO
    laid_out = one.design(limit=limit, repeats=one.repeats if repeats is None else repeats, **design)
    return Job(
        lined(laid_out) if structured == AUTO and one.sessions is None else laid_out,
        model,
        chosen,
        Connection() if connection is None else connection,
        limits=Limits() if limits is None else limits,
        processes=processes,
        cache=cache,
        structured=structured,
        ask_again=ask_again,
    )


def folder_of(question: str, model: str) -> Path:
    """Return the folder of a run that names none."""
    from concord.files.output import safe_name

    return Path("runs") / safe_name(f"{question}-{model.replace('/', '-')}")


def export_inspect(folder: Path, out: Path | None = None, *, only_new: bool = False) -> list[Path]:
    """Write a run as Inspect logs of about a thousand samples each."""
    if only_new and not journals_changed(folder, folder / LOGS if out is None else out):
        return []
    try:
        from concord.asking.inspect.export import export_logs
    except ImportError as fault:
        raise MissingExtraError("writing Inspect logs", "live") from fault
    return export_logs(folder, out)


def plan_run(of: Job, out: Path | None = None, *, prices: Prices | None = None) -> Plan:
    """Say what a run will take, given what its folder already holds; asks nothing and writes nothing."""
    folder = folder_of(of.design.suite, of.model) if out is None else out
    requests = requests_of(of.design, of.model, of.sampling)
    index = read_index(folder, PlannedKeys(requests))
    left = left_to_ask(requests, index, of.again).trials
    chosen = of.prices if prices is None else prices
    limit = of.sampling.max_tokens if of.again is None else of.again.sampling.max_tokens
    return replace(
        make_plan(of.design, left, max_tokens=limit, prices=chosen), index=index, requests=requests
    )


def run_job(
    of: Job,
    out: Path | None = None,
    *,
    on_answer: Callable[[Mapping[str, Any]], None] | None = None,
    listeners: Listeners | None = None,
    plan: Plan | None = None,
    model: "Model | None" = None,
) -> RunResult:
    """Ask every trial whose reply the folder lacks; what arrives is stored at once.

    Parameters
    ----------
    of
        What to run.
    out
        The run's folder.
    on_answer, listeners
        Who is told while it goes on.
    plan, model
        From `plan_run` and `open_model`, where they were called already.

    Raises
    ------
    InputError
        The model cannot be reached, or the folder cannot be used; what was stored is kept.
    KeyboardInterrupt
        Ctrl-C; what was stored is kept.
    """
    from concord.files.documents import provenance

    folder = folder_of(of.design.suite, of.model) if out is None else Path(out)
    if of.processes > 1:
        load_ahead()
    about = provenance(
        [InputFile(name, hashlib.sha256(data).hexdigest(), len(data)) for name, data in of.design.files]
    )
    told = Listeners() if listeners is None else listeners
    told = told if on_answer is None else replace(told, on_answer=on_answer)
    known = plan_run(of, folder) if plan is None else plan
    # A finished run needs neither the extra nor a key; an unusable model leaves no folder behind.
    asked = (open_model(of.model, of.connection) if model is None else model) if known.n_to_ask else None
    if of.cache and asked is not None:
        from concord.asking.inspect.models import check_cache

        check_cache()
    return RunResult(ask_all(of, folder, model=asked, provenance=about, listeners=told, known=known))


def run(
    question: str,
    model: str,
    *,
    out: str | Path | None = None,
    temperature: float | Literal["usual"] | None = "usual",
    max_tokens: int | None = None,
    seed: int | None = None,
    base_url: str | None = None,
    max_connections: int | None = None,
    **choices: Any,
) -> RunResult:
    """Ask a model one of the questions and keep its replies in a folder; a run begun there is resumed.

    Parameters
    ----------
    question
        ``people``, ``reasoning`` or ``structure``.
    model
        Provider and model as Inspect names them.
    out
        The run's folder, ``runs/QUESTION-MODEL`` by default.
    temperature, max_tokens, seed
        Sent with every prompt; ``None`` is not sent, except that a limit of tokens always is. The usual
        temperature is 0, and 1 for people.
    base_url
        Address of a server with an OpenAI-compatible interface.
    max_connections
        Calls at the same time.
    choices
        ``limit``, ``repeats``, ``structured``, ``ask_again`` and choices of the question (see `job`).

    Returns
    -------
    RunResult
        With ``outcomes``, ``folder`` and ``score()``.
    """
    usual = askable(question).temperature
    sampling = Sampling(usual if temperature == "usual" else temperature, max_tokens, None, seed)
    connection = Connection(base_url=base_url, max_connections=max_connections)
    laid_out = job(question, model, sampling=sampling, connection=connection, **choices)
    return run_job(laid_out, None if out is None else Path(out))


def read_folder(folder: str | Path) -> RunResult:
    """Read a run's folder, finished or not."""
    return RunResult.read(folder)


def follow_up(
    result: RunResult,
    *,
    connection: Connection | None = None,
    limits: Limits | None = None,
    structured: str = AUTO,
    ask_again: int = 1,
) -> tuple[Job, Path] | None:
    """Lay out the run that a run's replies call for (a judge's, say) and name its folder, where they do."""
    follow = askable(str(result.stored.record["suite"])).follow
    asked = None if follow is None else follow(recorded_folder(result.stored))
    if asked is None:
        return None
    chosen = Connection() if connection is None else connection
    if _service(asked.model) != _service(result.model):
        chosen = replace(chosen, base_url=None)  # the address is that of the other model's server
    sampling = Sampling(temperature=asked.temperature, max_tokens=asked.max_tokens)
    chosen_limits = Limits() if limits is None else limits
    design = lined(asked.design) if structured == AUTO else asked.design
    job = Job(design, asked.model, sampling, chosen, limits=chosen_limits)
    return replace(job, structured=structured, ask_again=ask_again), result.folder / asked.folder


def answers_of_run(result: RunResult) -> AnswerTable | None:
    """Return the answers that were read from a run's replies, where the question keeps such a table."""
    read = askable(str(result.stored.record["suite"])).answers
    return None if read is None else read(recorded_folder(result.stored))


def _service(model: str) -> list[str]:
    """Return what names the server of a model."""
    parts = model.split("/")
    return parts[:2] if parts[0] == "openai-api" else parts[:1]
