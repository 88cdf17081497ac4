"""What can be asked is a record: a new one is asked, resumed, scored and made an Inspect task."""

import sys
from dataclasses import dataclass, fields
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from concord.asking import askable, runs
from concord.asking.askable import Askable, Recorded
from concord.asking.options import AskingArrangements, AskingItems
from concord.errors import OptionError, RunFolderError
from concord.reasoning import NAME as REASONING
from concord.records import Design, Message, Trial
from concord.structure import NAME as STRUCTURE


@dataclass(frozen=True)
class Count:
    """How many replies hold a word."""

    n: int

    def write(self, folder: Path) -> None:
        """Write nothing."""

    def to_dict(self) -> dict[str, Any]:
        """Return the number."""
        return {"n": self.n}


def lay_out_greetings(names: str = "Ada,Bo", *, limit: int | None = None, repeats: int = 1) -> Design:
    """Lay out one greeting per name."""
    asked = names.split(",")[:limit]
    trials = tuple(
        Trial("greetings", name, "plain", (Message("user", f"Greet {name}."),), repeat)
        for repeat in range(repeats)
        for name in asked
    )
    return Design("greetings", trials, (), (), (("names", names),))


def count_default(found: Recorded, *, partial: bool = False, word: str = "Default") -> Count:
    """Count the replies that hold a word."""
    return Count(sum(word in str(row["response"]) for row in found.rows))


GREETINGS = Askable(
    name="greetings", design=lay_out_greetings, score=count_default, max_tokens=8, task={"limit": "people"}
)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    listed = SimpleNamespace(ASKED=GREETINGS)
    monkeypatch.setitem(sys.modules, "concord.asking.asked.greetings", listed)
    monkeypatch.setattr(askable, "NAMES", (*askable.NAMES, "greetings"))


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("listed")
def test_one_record_is_enough_to_ask_resume_and_score(tmp_path: Path) -> None:
    first = runs.run("greetings", "mockllm/model", out=tmp_path / "r", repeats=2)
    assert first.outcomes == {"ok": 4}
    assert first.stored.record["sampling"]["max_tokens"] == 8
    assert runs.plan_run(runs.job("greetings", "mockllm/model", repeats=2), tmp_path / "r").n_to_ask == 0
    assert runs.score_run(tmp_path / "r").to_dict() == {"n": 4}
    assert runs.score_run(tmp_path / "r", word="none says this").n == 0
    (log,) = runs.export_inspect(tmp_path / "r")
    assert runs.score_run(log).n == 4


@pytest.mark.filterwarnings("ignore")
@pytest.mark.usefixtures("listed")
def test_an_inspect_task_takes_what_the_design_takes() -> None:
    from concord.asking.inspect.registered import task_for

    made = task_for(GREETINGS)(names="Ada,Bo,Cy", people=2)
    assert [sample.metadata["id"] for sample in made.dataset] == ["Ada", "Bo"]
    assert made.config.max_tokens == 8
    with pytest.raises(TypeError, match="unexpected keyword"):
        task_for(GREETINGS)(limit=2)


def test_the_names_of_tasks_are_those_that_the_pages_show() -> None:
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    import inspect

    from concord.asking.inspect.registered import TASKS

    taken = {name: list(inspect.signature(task).parameters) for name, task in TASKS.items()}
    assert taken["reasoning"] == ["samples", "bias_cases", "items", "repeats"]
    assert {"items", "arranger", "scorer", "arrangements", "repeats"} <= set(taken["structure"])
    assert {"study", "n", "design", "plan_seed", "sessions"} <= set(taken["people"])


def test_what_is_not_listed_is_neither_asked_nor_scored(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="'greetings' is not known; expected people, structure, reasoning"):
        runs.job("greetings", "mockllm/model")
    from dataclasses import replace

    from concord.asking.recorded import bundled_run, score_recorded

    with pytest.raises(RunFolderError, match="holds a run of 'greetings', which cannot be scored here"):
        score_recorded(replace(bundled_run("reasoning"), suite="greetings"))


def _default(options: type) -> object:
    return next(field.default for field in fields(options) if field.name == "repeats")


def test_repeats_of_a_run_are_those_of_the_command() -> None:
    assert askable.askable(STRUCTURE).repeats == _default(AskingArrangements) == 2
    assert askable.askable(REASONING).repeats == _default(AskingItems) == 1


def test_a_job_about_structure_asks_every_arrangement_twice() -> None:
    design = runs.job(STRUCTURE, "local/smollm2-135m", limit=2, arrangements=3).design
    assert len(design.trials) == 2 * 3 * 2
