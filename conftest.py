"""What pytest leaves alone: modules that import Inspect, which may not be installed, and live demos."""

import gc
import os
from collections.abc import Generator

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
        gc.enable()
