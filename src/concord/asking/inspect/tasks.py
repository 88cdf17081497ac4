"""What can be asked as Inspect tasks, so that `inspect eval concord/reasoning --model ...` works."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver, generate

from concord.asking.askable import Askable
from concord.asking.inspect.asker import chat
from concord.asking.inspect.scorers import FIRST_LOOKS
from concord.asking.inspect.sessions import converse
from concord.asking.registry import everything, find, usual_sampling
from concord.asking.requests import Request
from concord.records import Design


def task_for(one: Askable) -> Callable[..., Task]:
    """Return the Inspect task of something that can be asked; it takes what its design takes."""
    names = {choice: one.task.get(choice, choice) for choice in inspect.signature(one.design).parameters}

    def made(**given: Any) -> Task:
        chosen = {choice: given[name] for choice, name in names.items() if name in given}
        repeats = chosen.setdefault("repeats", one.repeats)
        design = one.design(**chosen)
        return task_of(design, _named_requests(design), repeats=repeats)

    # Inspect looks at name, module and signature to learn what a task is called and takes.
    made.__name__ = made.__qualname__ = one.name
    made.__doc__ = one.design.__doc__
    taken = [
        parameter.replace(name=names[choice], kind=inspect.Parameter.KEYWORD_ONLY)
        for choice, parameter in inspect.signature(one.design).parameters.items()
    ]
    made.__signature__ = inspect.Signature(taken, return_annotation=Task)  # type: ignore[attr-defined]
    return task(made)


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
    one = find(design.suite)
    if one is not None and one.sessions is not None:
        files, options = dict(design.files), dict(design.options)
        return converse(one.sessions.openers(files, options), one.sessions, one.sessions.helper(options))
    return generate()


def _sample(request: Request) -> Sample:
    trial = request.trial
    name = {"suite": trial.suite, "id": trial.item, "mode": trial.cell, "repeat": trial.repeat}
    about = {**name, "template": trial.template, **dict(trial.about)}
    target = dict(trial.about).get("gold_answer", "")
    return Sample(id=request.key, input=chat(trial.messages), target=target, metadata=about)


def _scorer(design: Design) -> Scorer | None:
    """Return the scorer of a suite, told of the question files."""
    look = FIRST_LOOKS.get(design.suite)
    return None if look is None else look.scorer(dict(design.files), dict(design.options))


TASKS = {one.name: task_for(one) for one in everything()}
