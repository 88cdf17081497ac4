"""What Inspect finds by the entry point `concord`: the embedded model and, as tasks, all that can be asked.

`inspect eval concord/reasoning --model ...` then works.
"""

import inspect
from collections.abc import Callable
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import GenerateConfig
from inspect_ai.scorer import Scorer
from inspect_ai.solver import Solver, generate

from concord.asking.inspect.private import name_our_objects

name_our_objects()  # before what Inspect gives names to is made: solvers, scorers, tasks, the model

from concord.asking.askable import Askable, everything, find, usual_sampling  # noqa: E402
from concord.asking.inspect.asker import chat  # noqa: E402
from concord.asking.inspect.local import local  # noqa: E402
from concord.asking.inspect.scorers import FIRST_LOOKS  # noqa: E402
from concord.asking.inspect.sessions import converse  # noqa: E402
from concord.asking.recorded import carried_plan  # noqa: E402
from concord.asking.requests import lined  # noqa: E402
from concord.records import Design, Trial  # noqa: E402

__all__ = ["TASKS", "local"]


def task_for(one: Askable) -> Callable[..., Task]:
    """Return the Inspect task of something that can be asked; it takes what its design takes."""
    names = {choice: one.task.get(choice, choice) for choice in inspect.signature(one.design).parameters}

    def made(**given: Any) -> Task:
        chosen = {choice: given[name] for choice, name in names.items() if name in given}
        repeats = chosen.setdefault("repeats", one.repeats)
        design = one.design(**chosen)
        return _task_of(design if one.sessions is not None else lined(design), repeats)

    # Inspect looks at name, module and signature to learn what a task is called and takes.
    made.__name__ = made.__qualname__ = one.name
    made.__doc__ = one.design.__doc__
    taken = [
        parameter.replace(name=names[choice], kind=inspect.Parameter.KEYWORD_ONLY)
        for choice, parameter in inspect.signature(one.design).parameters.items()
    ]
    made.__signature__ = inspect.Signature(taken, return_annotation=Task)  # type: ignore[attr-defined]
    return task(made)


def _task_of(design: Design, repeats: int) -> Task:
    """Make the Inspect task of a design; a sample's id is its trial's name."""
    dataset = MemoryDataset([_sample(trial) for trial in design.trials], name=f"concord-{design.suite}")
    return Task(
        dataset=dataset,
        solver=_solver(design),
        scorer=_scorer(design),
        name=f"concord/{design.suite}",
        config=GenerateConfig(**usual_sampling(design.suite).sent(0)),
        metadata=carried_plan(
            design.suite,
            {one.name: one.sha256 for one in design.templates},
            dict(design.options),
            dict(design.files),
            len(design.trials),
            repeats,
        ),
    )


def _solver(design: Design) -> Solver:
    one = find(design.suite)
    if one is not None and one.sessions is not None:
        files, options = dict(design.files), dict(design.options)
        return converse(one.sessions.openers(files, options), one.sessions, one.sessions.helper(options))
    return generate()


def _sample(trial: Trial) -> Sample:
    name = {"suite": trial.suite, "id": trial.item, "mode": trial.cell, "repeat": trial.repeat}
    about = {**name, "template": trial.template, **dict(trial.about)}
    target = dict(trial.about).get("gold_answer", "")
    return Sample(
        id="/".join(map(str, trial.name)), input=chat(trial.messages), target=target, metadata=about
    )


def _scorer(design: Design) -> Scorer | None:
    """Return the scorer of a suite, told of the question files."""
    look = FIRST_LOOKS.get(design.suite)
    return None if look is None else look.scorer(dict(design.files), dict(design.options))


TASKS = {one.name: task_for(one) for one in everything()}
