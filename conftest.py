"""What pytest leaves alone: modules that import Inspect, which may not be installed, and live demos."""

import gc
import os
from collections.abc import Generator
from typing import Any

import pytest
from hypothesis import settings

# Machines are busy: how long an example takes says nothing about the code.
settings.register_profile("house", deadline=None)
settings.load_profile("house")

# Pages and tests that run `concord demo` get the bundled replies, whatever is installed.
os.environ.setdefault("CONCORD_RECORDED", "1")

collect_ignore_glob = ["src/concord/asking/inspect/*.py"]


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector from going through all modules and tests again and again: they stay."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.set_threshold(
            50_000, 20, 20
        )  # rarely: trees of syntax and random records are large and short-lived
        gc.enable()


def _sendable(value: Any) -> Any:
    """Return a value whose texts are all UTF-8: half a surrogate pair is written as its escape."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {key: _sendable(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(map(_sendable, value))
    return value


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Generator[None, Any, Any]:
    """Let a test's log name a file of any bytes: a report that cannot be sent ends its whole worker."""
    return _sendable((yield))
