"""Runs from Python: plan, ask, score what was stored."""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord import api
from concord.errors import OptionError, RunFolderError
from concord.records import AskOutcome, Design, InputFile
from concord.running.folder import INPUTS, REPLIES, StoredRun, planned_prompts, read_run, requests_of
from concord.running.journal import read_lines
from concord.running.keys import Sampling
from concord.running.plan import Plan, Prices, make_plan
from concord.running.run import Connection, Job

if TYPE_CHECKING:
    from concord.reports.reasoning import ReasoningResult
    from concord.reports.structure import StructureResult

__all__ = ["QUESTIONS", "RunResult", "job", "plan_run", "read_folder", "run", "run_job", "score_run"]

QUESTIONS = ("people", "structure", "reasoning")
DEFAULT_MAX_TOKENS = {"reasoning": 1024, "structure": 512}
NO_STUDIES = (
    "asking models about people needs studies, and this version of Concord has no study format yet; "
    "score a table of tests with: concord score people TESTS"
)


@dataclass(frozen=True, slots=True)
class RunResult:
    """A run's folder as it stands."""

    stored: StoredRun

    @property
    def folder(self) -> Path:
        """Where everything is kept."""
        return self.stored.path

    @property
    def outcomes(self) -> dict[str, int]:
        """How every planned trial ended, counted."""
        return {name: n for name in map(str, AskOutcome) if (n := self.stored.tally.outcomes[name])}

    @property
    def complete(self) -> bool:
        """Every planned trial was asked."""
        return self.stored.n_not_asked == 0

    def score(self, **choices: Any) -> "ReasoningResult | StructureResult":
        """Score what was stored."""
        return score_run(self.folder, **choices)

    def to_dict(self) -> dict[str, Any]:
        """Give the run's record with the outcomes as they stand."""
        return {**self.stored.record, "folder": str(self.folder), "outcomes": self.outcomes}


def job(
    question: str,
    model: str,
    *,
    limit: int | None = None,
    repeats: int = 1,
    sampling: Sampling | None = None,
    connection: Connection | None = None,
    **design: Any,
) -> Job:
    """Lay out a run.

    Parameters
    ----------
    question
        ``reasoning`` or ``structure``.
    model
        Provider and model as Inspect names them, such as ``openai/gpt-4o-mini`` or ``local/smollm2-135m``.
    limit, repeats
        How many items are asked, and how often each.
    sampling
        What is sent beside the prompt; temperature 0 by default.
    connection
        How the model is reached.
    design
        Choices of the question: ``samples, bias_cases``, or ``items, arranger, ...``.

    Raises
    ------
    InputError
        Something does not fit; the message says what to do.
    """
    if not model.strip():
        raise OptionError("the model's name is blank: expected PROVIDER/MODEL")
    chosen = Sampling(temperature=0.0) if sampling is None else sampling
    _check_sampling(chosen)
    if chosen.max_tokens is None:
        chosen = replace(chosen, max_tokens=DEFAULT_MAX_TOKENS.get(question))
    laid_out = _design(question, limit=limit, repeats=repeats, **design)
    return Job(laid_out, model, chosen, Connection() if connection is None else connection)


def _check_sampling(sampling: Sampling) -> None:
    if sampling.temperature is not None and not 0 <= sampling.temperature <= 2:
        raise OptionError(f"--temperature {sampling.temperature}: expected a number from 0 to 2")
    if sampling.max_tokens is not None and sampling.max_tokens < 1:
        raise OptionError(f"--max-tokens {sampling.max_tokens}: expected a whole number from 1 on")
    if sampling.top_p is not None and not 0 < sampling.top_p <= 1:
        raise OptionError(f"--top-p {sampling.top_p}: expected a number above 0, 1 at most")


def _design(question: str, **choices: Any) -> Design:
    if question == "reasoning":
        from concord.reasoning.design import design_reasoning

        return design_reasoning(choices.pop("samples", None), choices.pop("bias_cases", None), **choices)
    if question == "structure":
        from concord.structure.design import design_structure

        return design_structure(**choices)
    if question == "people":
        raise OptionError(NO_STUDIES)
    raise OptionError(f"question {question!r} is not known; expected {', '.join(QUESTIONS)}")


def default_folder(of: Job) -> Path:
    """Give the folder of a run that names none."""
    from concord.reports.files import safe_name

    return Path("runs") / safe_name(f"{of.design.suite}-{of.model.replace('/', '-')}")


def plan_run(of: Job, out: Path | None = None, *, prices: Prices | None = None) -> Plan:
    """Say what a run will take, given what its folder already holds; asks nothing and writes nothing."""
    folder = default_folder(of) if out is None else out
    stored = {line.row["key"] for line in read_lines(folder / REPLIES)}
    left = [one for one in requests_of(of.design, of.model, of.sampling) if one.key not in stored]
    names = frozenset(one.trial.name for one in left)
    return make_plan(of.design, names, max_tokens=of.sampling.max_tokens, prices=prices)


def run_job(
    of: Job,
    out: Path | None = None,
    *,
    on_answer: Callable[[Mapping[str, Any]], None] | None = None,
    on_interrupt: Callable[[], None] | None = None,
) -> RunResult:
    """Ask every trial whose reply the folder lacks; what arrives is stored at once.

    Raises
    ------
    InputError
        The model cannot be reached, or the folder cannot be used; what was stored is kept.
    KeyboardInterrupt
        Ctrl-C; what was stored is kept.
    """
    from concord.reports.provenance import provenance
    from concord.running.run import open_model, run

    folder = default_folder(of) if out is None else Path(out)
    about = provenance([_input(name, data) for name, data in of.design.files])
    tell = on_answer if on_answer is not None else lambda row: None
    # A finished run needs neither the extra nor a key; an unusable model leaves no folder behind.
    model = open_model(of) if plan_run(of, folder).n_to_ask else None
    return RunResult(
        run(of, folder, model=model, provenance=about, on_answer=tell, on_interrupt=on_interrupt)
    )


def _input(name: str, data: bytes) -> InputFile:
    import hashlib

    return InputFile(name, hashlib.sha256(data).hexdigest(), len(data))


def run(
    question: str,
    model: str,
    *,
    out: str | Path | None = None,
    temperature: float | None = 0.0,
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
        ``reasoning`` or ``structure``.
    model
        Provider and model as Inspect names them.
    out
        The run's folder, ``runs/QUESTION-MODEL`` by default.
    temperature, max_tokens, seed
        Sent with every prompt; ``None`` is not sent, except that a limit of tokens always is.
    base_url
        Address of a server with an OpenAI-compatible interface.
    max_connections
        Calls at the same time.
    choices
        ``limit``, ``repeats`` and choices of the question (see `job`).

    Returns
    -------
    RunResult
        With ``outcomes``, ``folder`` and ``score()``.
    """
    sampling = Sampling(temperature, max_tokens, None, seed)
    connection = Connection(base_url=base_url, max_connections=max_connections)
    laid_out = job(question, model, sampling=sampling, connection=connection, **choices)
    return run_job(laid_out, None if out is None else Path(out))


def read_folder(folder: str | Path) -> RunResult:
    """Read a run's folder, finished or not."""
    return RunResult(read_run(Path(folder)))


def score_run(
    folder: str | Path, *, partial: bool = False, **choices: Any
) -> "ReasoningResult | StructureResult":
    """Score a run's folder, without asking any model.

    Parameters
    ----------
    folder
        What `concord run` wrote.
    partial
        Score an unfinished run, with what is missing counted.
    choices
        Passed on to `score_reasoning` or `score_structure`.

    Raises
    ------
    RunFolderError
        The folder holds no run, or one that is not finished.
    """
    stored = read_run(Path(folder))
    if stored.n_not_asked and not partial:
        raise RunFolderError(
            f"{folder}: {stored.n_not_asked} of {stored.n_planned} trials have not been asked; finish the "
            "run with the same `concord run` command, or score what is there with --partial"
        )
    if not stored.rows:
        raise RunFolderError(f"{folder} holds no reply yet; run the same `concord run` command again")
    if stored.record["suite"] == "reasoning":
        return _score_reasoning(stored, partial, choices)
    if stored.record["suite"] == "structure":
        return _score_structure(stored, choices)
    raise RunFolderError(f"{folder} holds a run of {stored.record['suite']!r}, which cannot be scored here")


def _score_reasoning(stored: StoredRun, partial: bool, choices: dict[str, Any]) -> "ReasoningResult":
    from concord.reasoning.design import BIAS, CASES, SAMPLES

    asked = Counter((row["mode"] == BIAS, row["id"]) for row in planned_prompts(stored.path))
    rows = {True: [row for row in stored.rows if row["mode"] == BIAS]}
    rows[False] = [row for row in stored.rows if row["mode"] != BIAS]
    entries = {
        False: [row for row in _document(stored, SAMPLES, "samples") if (False, row.get("id")) in asked],
        True: [row for row in _document(stored, CASES, "cases") if (True, row.get("id")) in asked],
    }
    if not rows[False]:
        raise RunFolderError(f"{stored.path}: no vignette has a reply yet; finish the run first")
    biased = bool(entries[True]) and bool(rows[True])
    return api.score_reasoning(
        entries[False],
        rows[False],
        bias_cases=entries[True] if biased else None,
        bias_replies=rows[True] if biased else None,
        model=str(stored.record["model"]),
        lenient=partial,
        **choices,
    )


def _document(stored: StoredRun, name: str, key: str) -> list[dict[str, Any]]:
    """Give the rows of a question file that the run kept; the run has checked them."""
    path = stored.path / INPUTS / name
    if not path.is_file():
        return []
    document = json.loads(path.read_bytes())
    rows: list[dict[str, Any]] = document[key] if isinstance(document, dict) else document
    return rows


def _score_structure(stored: StoredRun, choices: dict[str, Any]) -> "StructureResult":
    from concord.structure.answers import scores_of

    table = scores_of(stored.record, stored.rows, planned_prompts(stored.path))
    return api.score_structure(scores=table, **choices)
