"""Lay out what will be asked, and lock it with what will be computed and claimed."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from concord.asking.askable import NAMES
from concord.asking.folder import RECORD, now, read_record, read_run
from concord.asking.job import Job
from concord.asking.options import options_of
from concord.asking.requests import requests_of
from concord.asking.runs import plan_each
from concord.errors import OptionError
from concord.files.contents import fingerprint, is_file, read_bytes
from concord.files.json_text import parsed
from concord.files.yaml_file import read_yaml
from concord.numeric import check_numbers
from concord.people import NAME as PEOPLE
from concord.people.protocol_file import get_protocol
from concord.people.results.one import N_RESAMPLES
from concord.people.studies.load import find_studies
from concord.people.uncertainty.floor_ceiling import N_SIMULATIONS
from concord.proof.claims import ClaimFile, claims_of, read_claims
from concord.proof.registration import RegisteredRun, Registration, registered_of_record
from concord.records import InputFile

_PLAN_KEYS = ("question", "model", "models")
_TABLES = (".csv", ".tsv", ".txt", ".xlsx", ".xlsm", ".ods", ".parquet", ".jsonl", ".ndjson")


def register(
    source: str | Path | Sequence[str | Path],
    claims: str | Path | Sequence[Mapping[str, Any]] | None = None,
    *,
    out: str | Path | None = None,
    after_the_fact: bool = False,
    score: Mapping[str, Any] | None = None,
    run_out: str | Path | None = None,
    **options: Any,
) -> Registration:
    """Lock what will be asked, computed and claimed, before any reply exists.

    Parameters
    ----------
    source
        A study (a file, or the name of a bundled one; several), a plan (YAML or JSON with ``question``,
        ``model`` and other options of `concord.run`), the folder of a run, or a table that will be scored.
    claims
        File of claims, or a list of them: ``claim`` (pas, order, gap, better, as-good, worth), ``who``,
        ``margin``, ``level``.
    out
        File to write, with the same in Markdown beside it.
    after_the_fact
        Register although replies exist, marked so; it is refused otherwise.
    score
        How results will be computed, where not as usual: ``protocol``, ``level``, ``margin``, ...
    run_out
        Folder that the run will be kept in, where it is not the usual one: no replies may be there.
    options
        Options of `concord.run`: ``model``, ``models``, ``n``, ``temperature``, ``question``, ...

    Returns
    -------
    Registration
        With ``digest``, the hash to publish.

    Raises
    ------
    OptionError
        Replies exist, or an option does not fit.
    """
    check_numbers({} if score is None else score)
    check_numbers(options)
    (expected, how), claimed = _expected(claims)
    chosen = {**how, **({} if score is None else score)}
    if isinstance(source, str | Path) and (Path(source) / RECORD).is_file():
        runs, stored, files = _registered_folder(Path(source))
    elif isinstance(source, str | Path) and is_file(source) and Path(source).suffix.lower() in _TABLES:
        runs, stored, files = [], 1, (fingerprint(Path(source).name, read_bytes(source)),)
    else:
        folder = {} if run_out is None else {"out": run_out}
        runs, stored, files = _laid_out(source, {**options, **folder})
    if stored and not after_the_fact:
        raise OptionError(
            f"{stored:,} replies to this exist already: a registration comes before them. Register a new run "
            "(another folder), or mark it with --after-the-fact"
        )
    made = Registration(
        registered=now(),
        after_the_fact=stored > 0,
        replies_found=stored,
        asked=tuple(runs),
        computed=_computed([one.suite for one in runs], chosen),
        claims=expected,
        inputs=tuple(dict.fromkeys((*files, *(one for run in runs for one in run.inputs), *claimed))),
    )
    _check_level(made)
    if out is not None:
        made.write(out)
    return made


def _expected(claims: Any) -> tuple[ClaimFile, tuple[InputFile, ...]]:
    """Return the claims, and the file that holds them."""
    if claims is None:
        return ((), {}), ()
    if isinstance(claims, str | Path):
        return read_claims(Path(claims)), (fingerprint(Path(claims).name, read_bytes(claims)),)
    return claims_of({"claims": list(claims)}, "claims"), ()


def _laid_out(
    source: Any, options: Mapping[str, Any]
) -> tuple[list[RegisteredRun], int, tuple[InputFile, ...]]:
    """Lay out the runs of a plan or of studies, and count the replies that their folders hold."""
    given, files = _run_options(source, dict(options))
    question = str(given.pop("question", PEOPLE))
    asking = options_of(question, given)
    planned = plan_each(replace(asking, dry_run=True))
    return [_registered(one.job) for one in planned], sum(one.plan.n_stored for one in planned), files


def _run_options(source: Any, options: dict[str, Any]) -> tuple[dict[str, Any], tuple[InputFile, ...]]:
    """Return the options of `concord.run` that a source names: a plan file's, or those of studies."""
    if isinstance(source, str | Path) and is_file(source):
        path = Path(source)
        data = parsed(path.name, read_bytes(path)) if path.suffix == ".json" else read_yaml(path).data
        if isinstance(data, Mapping) and "experiments" not in data:
            if not set(data) & set(_PLAN_KEYS):
                raise OptionError(
                    f"{path.name}: neither a study (no 'experiments') nor a plan; a plan has question, model "
                    f"and options of concord run; questions are {', '.join(NAMES)}"
                )
            return {**data, **options}, (fingerprint(path.name, read_bytes(path)),)
    studies = [source] if isinstance(source, str | Path) else list(source)
    find_studies([str(one) for one in studies])  # a name that is none is told before an option is looked at
    return {"study": [str(one) for one in studies], **options}, ()


def _registered(of: Job) -> RegisteredRun:
    """Return what the record of a run will hold."""
    requests = requests_of(of.design, of.model, of.sampling)
    keys, prompts = hashlib.sha256(), hashlib.sha256()
    for request in requests:
        keys.update(request.key.encode())
        prompts.update(json.dumps([asdict(one) for one in request.trial.messages]).encode())
    return RegisteredRun(
        of.design.suite,
        of.model,
        of.sampling.record(),
        dict(of.design.options),
        {one.name: one.sha256 for one in of.design.templates},
        of.structured,
        of.ask_again,
        tuple(fingerprint(name, data) for name, data in of.design.files),
        len(requests),
        prompts.hexdigest(),
        keys.hexdigest(),
    )


def _registered_folder(path: Path) -> tuple[list[RegisteredRun], int, tuple[InputFile, ...]]:
    """Return what the folder of a run holds, and how many replies."""
    record, stored = read_record(path), read_run(path)
    return [registered_of_record(record, path)], stored.n_planned - stored.n_not_asked, ()


_SCORED = ("protocol", "level", "margin", "n_resamples", "n_simulations", "seed", "reader")


def _computed(suites: Sequence[str], chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return how results will be computed: what was chosen, and what is usual."""
    unknown = [name for name in chosen if name not in _SCORED]
    if unknown:
        raise OptionError(f"score: {unknown[0]!r} is not known; expected some of {', '.join(_SCORED)}")
    usual: dict[str, Any] = {"level": 0.95, "seed": 0, "reader": "rules"}
    if not suites or PEOPLE in suites:
        usual |= {"margin": 0.2, "n_resamples": N_RESAMPLES, "n_simulations": N_SIMULATIONS}
        protocol = get_protocol(chosen.get("protocol", "standard"))
        usual |= {"protocol": protocol.name, "protocol_choices": asdict(protocol)}
    elif "protocol" in chosen:
        raise OptionError("score: protocol is of the question about people alone")
    return {**usual, **{name: value for name, value in chosen.items() if name != "protocol"}}


def _check_level(made: Registration) -> None:
    other = next((one for one in made.claims if one.level != made.computed["level"]), None)
    if other is not None:
        raise OptionError(
            f"{other.key}: claimed at level {other.level:g}, but intervals will be of level "
            f"{made.computed['level']:g}; give both the same (score: level)"
        )
