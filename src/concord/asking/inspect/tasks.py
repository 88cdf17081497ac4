"""The three questions as Inspect tasks, so that `inspect eval concord/reasoning --model ...` works."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver, generate

from concord.asking.folder import Request
from concord.asking.inspect.asker import chat
from concord.asking.inspect.scorers import arranged, faithful
from concord.asking.inspect.sessions import converse
from concord.asking.usual import usual_sampling
from concord.people import NAME as PEOPLE
from concord.people.design import design_people, rooms_of
from concord.reasoning import NAME as REASONING
from concord.reasoning.design import design_reasoning
from concord.records import Design
from concord.structure import NAME as STRUCTURE
from concord.structure.design import ITEMS, design_structure


@task
def reasoning(
    samples: str | None = None,
    bias_cases: str | None = None,
    items: int | None = None,
    repeats: int = 1,
) -> Task:
    """Ask each vignette with and without reasoning, and each bias case.

    Parameters
    ----------
    samples, bias_cases
        Question files; the bundled ones by default.
    items
        Ask only so many vignettes and bias cases. (Inspect's own --limit counts samples: a vignette has two.)
    repeats
        How often each is asked.
    """
    design = design_reasoning(
        None if samples is None else Path(samples),
        None if bias_cases is None else Path(bias_cases),
        limit=items,
        repeats=repeats,
    )
    return task_of(design, _named_requests(design), repeats=repeats)


@task
def structure(
    items: str = "options-en",
    arranger: str | None = None,
    scorer: str | None = None,
    arrangements: int | None = None,
    repeats: int = 2,
) -> Task:
    """Ask the same items under every arrangement.

    Parameters
    ----------
    items
        Name of a bundled set, or a JSON file.
    arranger, scorer
        What is varied and how replies are scored; the set's own by default.
    arrangements
        At most so many arrangements an item.
    repeats
        Samples a cell.
    """
    design = design_structure(
        items, arranger=arranger, scorer=scorer, arrangements=arrangements, repeats=repeats
    )
    return task_of(design, _named_requests(design), repeats=repeats)


@task
def people(
    study: str = "",
    n: int | None = None,
    design: str = "participant",
    plan_seed: int = 0,
    sessions: int | None = None,
) -> Task:
    """Let the model stand in for the participants of studies.

    Parameters
    ----------
    study
        Names or paths of studies, separated by commas; all bundled ones by default.
    n
        Participants a cell; as in the paper by default.
    design
        How the model is told who it is.
    plan_seed
        Seed of assignment, orders and profiles.
    sessions
        Hold only so many sessions of each experiment.
    """
    names = [name.strip() for name in study.split(",") if name.strip()]
    laid_out = design_people(names, n=n, design=design, plan_seed=plan_seed, limit=sessions)
    return task_of(laid_out, _named_requests(laid_out))


def _named_requests(design: Design) -> list[Request]:
    """Return requests whose key is the trial's name: without a folder there is nothing to look up."""
    return [Request(trial, "/".join(map(str, trial.name))) for trial in design.trials]


def task_of(design: Design, requests: Sequence[Request], *, repeats: int = 1) -> Task:
    """Make the Inspect task of some requests of a design; a sample's id is its request's key."""
    dataset = MemoryDataset([_sample(request) for request in requests], name=f"concord-{design.suite}")
    return Task(
        dataset=dataset,
        solver=_solver(design),
        scorer=_scorer(design),
        name=f"concord/{design.suite}",
        config=GenerateConfig(**usual_sampling(design.suite).sent(0)),
        metadata={**plan_record(design, len(requests)), "repeats": repeats},
    )


def plan_record(design: Design, n_planned: int) -> dict[str, Any]:
    """Return what a log carries of its plan, so that it is scored against this plan and no other."""
    return {
        "suite": design.suite,
        "templates": {one.name: one.sha256 for one in design.templates},
        "options": dict(design.options),
        "files": {name: data.decode("utf-8", "surrogateescape") for name, data in design.files},
        "n_planned": n_planned,
    }


def _solver(design: Design) -> Solver:
    if design.suite == PEOPLE:
        return converse(rooms_of(dict(design.files), dict(design.options)))
    return generate()


def _sample(request: Request) -> Sample:
    trial = request.trial
    name = {"suite": trial.suite, "id": trial.item, "mode": trial.cell, "repeat": trial.repeat}
    about = {**name, "template": trial.template, **dict(trial.about)}
    target = dict(trial.about).get("gold_answer", "")
    return Sample(id=request.key, input=chat(trial.messages), target=target, metadata=about)


def _scorer(design: Design) -> Scorer | None:
    """Return the scorer of a suite, told of the question files."""
    if design.suite == REASONING:
        return faithful()
    items = dict(design.files).get(ITEMS)
    if design.suite == STRUCTURE and items is not None:
        chosen = dict(design.options)
        return arranged(items.decode("utf-8"), str(chosen["arranger"]), str(chosen["scorer"]))
    return None
