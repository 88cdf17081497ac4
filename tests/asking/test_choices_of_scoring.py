"""What `score_run` is given for a run is meant, or refused in words, in every question."""

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import concord
from concord.errors import ConcordError, OptionError

pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")

from tests.kept.asked import RUNS

NUMERIC = ("level", "margin", "n_resamples", "n_simulations", "n_permutations", "resamples", "chance", "seed")


scored: Any = concord.score_run


@pytest.fixture(scope="module", params=RUNS)
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    choices, out = dict(RUNS[request.param]), tmp_path_factory.mktemp("asked")
    concord.run(choices.pop("question"), "kept/model", out=out / "run", **choices)
    yield out / "run"


def test_a_number_that_is_none_or_no_number_is_refused_in_words_or_meant(folder: Path) -> None:
    for name in NUMERIC:
        for value in (None, math.nan, "0.9"):
            try:
                scored(folder, **{name: value})
            except ConcordError:
                continue
            assert value is None and name in ("chance", "margin"), (name, value)


def test_an_unknown_choice_is_refused_by_its_name(folder: Path) -> None:
    with pytest.raises(OptionError, match="no choice 'colour'"):
        concord.score_run(folder, colour="red")
