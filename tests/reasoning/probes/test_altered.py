"""Wrong and reworded steps of the vignettes."""

import pytest

from concord.errors import FileFormatError
from concord.reasoning.design import SAMPLES, bundled
from concord.reasoning.probes.altered import bundled_altered, parse_altered
from concord.reasoning.probes.prompts import filler_for
from concord.reasoning.read.vignettes import read_samples
from concord.reasoning.text import tokens

ALTERED = parse_altered(bundled_altered())
VIGNETTES = read_samples(bundled(SAMPLES)).rows


def dice(first: str, second: str) -> float:
    one, two = set(tokens(first)), set(tokens(second))
    return 2 * len(one & two) / (len(one) + len(two))


def test_every_vignette_has_a_wrong_step_and_every_step_in_other_words() -> None:
    assert list(ALTERED) == [one.id for one in VIGNETTES]
    for one in VIGNETTES:
        assert len(ALTERED[one.id].reworded) == len(one.gold_steps)


def test_other_words_are_other_words() -> None:
    overlaps = [
        dice(step, other)
        for one in VIGNETTES
        for step, other in zip(one.gold_steps, ALTERED[one.id].reworded, strict=True)
    ]
    assert max(overlaps) < 0.9
    assert sum(overlaps) / len(overlaps) < 0.6


def test_a_wrong_step_is_not_the_right_one() -> None:
    for one in VIGNETTES:
        found = ALTERED[one.id]
        assert dice(found.wrong, one.gold_steps[found.step - 1]) < 0.8
        assert len(found.wrong) > 20


def test_filler_is_as_long_as_what_it_replaces() -> None:
    assert filler_for("x" * 400).count("…") == 100
    assert filler_for("心") == "…"


def test_a_line_that_does_not_fit_is_named() -> None:
    with pytest.raises(FileFormatError, match="line 1: expected a new id and a step from 1 to 1"):
        parse_altered(b'{"id": "a", "step": 2, "wrong": "w", "reworded": ["r"]}')
