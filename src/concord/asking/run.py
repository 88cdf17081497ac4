"""One run: a design, a model and a folder to stored replies. Decides nothing about scores."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import UTC, datetime
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.asking.folder import FORMAT_VERSION, RunFolder, StoredRun
from concord.asking.index import Tally
from concord.asking.limits import Budget
from concord.asking.outcomes import ProviderRefusedError
from concord.asking.part import Job, Listeners, Part, ask_part, find, helpers_of
from concord.asking.plan import Plan
from concord.asking.prices import Prices
from concord.asking.redact import Redactor
from concord.asking.requests import Again, Request, requests_of
from concord.errors import ModelError

if TYPE_CHECKING:
    from inspect_ai.model import Model


def open_model(job: Job) -> "Model":
    """Find the provider and its key, without asking anything yet."""
    return find(job.model, job.connection)


def record_of(job: Job, provenance: Mapping[str, Any]) -> dict[str, Any]:
    """Return the record of a run as it begins."""
    design = job.design
    again = {} if job.again is None else {"again": _again_record(job.again)}
    return {
        **provenance,
        "packages": {**provenance.get("packages", {}), **_versions()},
        "kind": "run",
        "format_version": FORMAT_VERSION,
        "suite": design.suite,
        "model": job.model,
        "sampling": job.sampling.record(),
        "templates": {one.name: one.sha256 for one in design.templates},
        "options": dict(design.options),
        "connection": asdict(job.connection),
        "limits": asdict(job.limits),
        "prices": None if job.prices is None else asdict(job.prices),
        "cache": job.cache,
        "processes": job.processes,
        "n_trials": len(design.trials),
        "started": _now(),
        "ended": None,
        "status": "running",
        **again,
    }


def _again_record(again: Again) -> dict[str, Any]:
    return {"outcomes": sorted(again.outcomes), "sampling": again.sampling.record()}


def _versions() -> dict[str, str]:
    """Versions of the packages that asking rests on, as far as they are there."""
    found = {name: list(metadata.distributions(name=name)) for name in ("inspect-ai", "openai", "xllamacpp")}
    return {name: parts[0].version for name, parts in found.items() if parts}


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")


def run(
    job: Job,
    out: Path,
    *,
    model: "Model | None",
    provenance: Mapping[str, Any],
    listeners: Listeners = Listeners(),  # noqa: B008 - frozen
    known: Plan | None = None,
) -> StoredRun:
    """Ask every trial that the folder lacks, and return the folder as it is then."""
    made = None if known is None else known.requests
    requests = requests_of(job.design, job.model, job.sampling) if made is None else made
    index = None if known is None else known.index
    redactor = redactor_of(job, model)
    folder = RunFolder(out, record_of(job, provenance), requests, redactor=redactor, index=index)
    status, reached = "interrupted", None
    try:
        folder.copy_inputs(job.design.files)
        missing = folder.missing(job.again)
        if missing and model is not None:
            reached = _ask_all(job, folder, missing, model=model, listeners=listeners)
        status = "finished" if reached is None else "stopped"
    except ModelError as fault:
        status, reached = "refused" if isinstance(fault, ProviderRefusedError) else "gave up", str(fault)
        raise
    finally:
        tally = _close(folder, status, job.prices, reached)
    return StoredRun(out, folder.record, tally, len(requests), len(folder.index.outside))


def redactor_of(job: Job, model: "Model | None" = None) -> Redactor:
    """Return what hides the keys of all models that a job asks."""
    if model is None:
        return Redactor.of(job.model, *helpers_of(job))
    from concord.asking.inspect import models

    return models.redactor_of(job.model, model, *helpers_of(job))


def _close(folder: RunFolder, status: str, prices: Prices | None, reached: str | None) -> Tally:
    tally = folder.tally()
    tokens: dict[str, int] = {"input": tally.input_tokens, "output": tally.output_tokens}
    if tally.n_unknown_usage:
        tokens["calls_without_usage"] = tally.n_unknown_usage
    # Where no call said what it took, the cost is not known; it is not nothing.
    known = tally.n_known_usage > 0 or not tally.n_unknown_usage
    cost = prices.cost(tally.input_tokens, tally.output_tokens) if prices is not None and known else None
    try:
        folder.write_record(
            status=status,
            stopped=reached,
            ended=_now(),
            outcomes=dict(sorted(tally.outcomes.items())),
            tokens=tokens,
            cost=cost,
        )
    finally:
        folder.close()
    return tally


def _ask_all(
    job: Job, folder: RunFolder, missing: Sequence[Request], *, model: "Model", listeners: Listeners
) -> str | None:
    """Ask, in this process or in several; return which limit was reached, if any."""
    tally = folder.tally()
    budget = Budget(job.limits, job.prices, (tally.input_tokens, tally.output_tokens))
    if job.processes > 1:
        from concord.asking.shards import run_shards

        try:
            return run_shards(job, folder.path, missing, budget=budget, listeners=listeners)
        finally:
            folder.read_again()
    part = Part(folder.path, folder.redactor, folder.store)
    return ask_part(job, part, missing, model=model, budget=budget, listeners=listeners)
