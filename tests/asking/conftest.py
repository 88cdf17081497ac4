"""Inspect and its clients leave things for the garbage collector: collected here, not in another's test."""

import gc
import warnings
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def swept() -> Iterator[None]:
    yield
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        gc.collect()
        gc.freeze()  # what lives is not looked at again after every test: a third of a second each
