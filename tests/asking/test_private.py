"""The parts of Inspect that Concord uses and Inspect does not promise: each is named when it moves."""

import importlib
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest

pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
pytestmark = pytest.mark.filterwarnings("ignore")
SOURCE = Path(__file__).parents[2] / "src" / "concord" / "asking"
PARTS = (
    ("inspect_ai._util.registry", "get_installed_package_name"),
    ("inspect_ai._eval.registry", "get_installed_package_name"),
    ("inspect_ai._util.entrypoints", "entry_points"),
    ("inspect_ai._util.entrypoints", "clear_entry_points_state"),
    ("inspect_ai._util.http", "parse_retry_after_from_exception"),
    ("inspect_ai.model._model", "use_model_event_sink"),
)


@pytest.mark.parametrize(("module", "name"), PARTS)
def test_the_part_is_where_it_was(module: str, name: str) -> None:
    version = metadata.version("inspect-ai")
    assert callable(getattr(importlib.import_module(module), name, None)), (
        f"inspect-ai {version} has no {module}.{name}: change concord.asking.inspect.private, "
        "or the range of versions in pyproject.toml"
    )


def test_only_one_module_looks_inside_inspect() -> None:
    inside = re.compile(r"from inspect_ai(?:\.\w+)*\._\w+|import inspect_ai(?:\.\w+)*\._\w+")
    found = {path.name for path in SOURCE.rglob("*.py") if inside.search(path.read_text("utf-8"))}
    assert found == {"private.py"}


def test_an_installed_inspect_is_one_of_the_versions_that_were_tried() -> None:
    needs = metadata.requires("concord-eval") or []
    wanted = next((one for one in needs if one.startswith("inspect-ai")), "")
    if ">=" not in wanted:
        pytest.skip("concord-eval is not installed here")
    version = tuple(int(part) for part in metadata.version("inspect-ai").split(".")[:3])
    assert (0, 3, 285) <= version < (0, 4)


def test_tasks_are_named_after_the_package_however_it_was_installed() -> None:
    from inspect_ai._util.registry import registry_info

    from concord.asking.inspect.registered import TASKS

    assert registry_info(TASKS["reasoning"]).name == "concord/reasoning"


@pytest.mark.long
def test_finding_a_model_loads_no_task_and_inspect_still_finds_them_afterwards() -> None:
    script = """
import sys
from inspect_ai._util.registry import registry_lookup
from concord.asking.connection import Connection
from concord.asking.inspect.models import find_model

find_model("mockllm/model", Connection())
print("concord.asking.inspect.registered" in sys.modules)
print(registry_lookup("task", "concord/people") is not None)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    if not metadata.entry_points(group="inspect_ai", name="concord"):
        pytest.skip("concord-eval is not installed here")
    assert done.stdout.split() == ["False", "True"], done.stderr


def test_calls_leave_nothing_in_the_transcript() -> None:
    import asyncio

    from inspect_ai.log import transcript

    from concord.asking.connection import Connection
    from concord.asking.inspect.models import find_model
    from concord.asking.inspect.private import without_transcript

    async def ask() -> int:
        model = find_model("mockllm/model", Connection())
        with without_transcript():
            for _ in range(3):
                await model.generate("hello")
        return len(transcript().events)

    assert asyncio.run(ask()) == 0


class Faked:
    """A client of a provider, as far as it is touched."""

    max_retries = 2


def test_the_retries_of_the_client_are_switched_off() -> None:
    from types import SimpleNamespace

    from concord.asking.inspect.private import retry_nowhere_else

    client = Faked()
    retry_nowhere_else(SimpleNamespace(api=SimpleNamespace(client=client)))
    assert client.max_retries == 0
