"""A run from Python asks as the command does."""

import dataclasses

from concord.asking.registry import askable
from concord.asking.runs import job
from concord.cli.run_options import AskingArrangements, AskingItems
from concord.reasoning import NAME as REASONING
from concord.structure import NAME as STRUCTURE


def _default(options: type) -> object:
    return next(field.default for field in dataclasses.fields(options) if field.name == "repeats")


def test_repeats_of_a_run_are_those_of_the_command() -> None:
    assert askable(STRUCTURE).repeats == _default(AskingArrangements) == 2
    assert askable(REASONING).repeats == _default(AskingItems) == 1


def test_a_job_about_structure_asks_every_arrangement_twice() -> None:
    design = job(STRUCTURE, "local/smollm2-135m", limit=2, arrangements=3).design
    assert len(design.trials) == 2 * 3 * 2
