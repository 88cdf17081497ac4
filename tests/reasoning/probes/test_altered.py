"""Wrong and reworded steps of the vignettes."""

import pytest

from concord.errors import FileFormatError
from concord.reasoning.design import SAMPLES, bundled
from concord.reasoning.probes.session import bundled_altered, filler_for, parse_altered
from concord.reasoning.read.replies import read_samples
from concord.reasoning.words.split import tokens

ALTERED = parse_altered(bundled_altered())
VIGNETTES = read_samples(bundled(SAMPLES)).rows


def dice(first: str, second: str) -> float:
    one, two = set(tokens(first)), set(tokens(second))
    return 2 * len(one & two) / (len(one) + len(two))


def test_every_step_of_every_vignette_has_a_wrong_one_and_other_words() -> None:
    assert list(ALTERED) == [one.id for one in VIGNETTES]
    for one in VIGNETTES:
        assert len(ALTERED[one.id].reworded) == len(ALTERED[one.id].wrong) == len(one.gold_steps)
    assert sum(len(one.wrong) for one in ALTERED.values()) == 609


def test_other_words_are_other_words() -> None:
    overlaps = [
        dice(step, other)
        for one in VIGNETTES
        for step, other in zip(one.gold_steps, ALTERED[one.id].reworded, strict=True)
    ]
    assert max(overlaps) < 0.9
    assert sum(overlaps) / len(overlaps) < 0.6


def test_a_wrong_step_is_neither_the_right_one_nor_another_s() -> None:
    for one in VIGNETTES:
        for step, wrong in zip(one.gold_steps, ALTERED[one.id].wrong, strict=True):
            assert wrong is not None and len(wrong) > 15
            assert dice(wrong, step) < 0.8
            assert wrong not in one.gold_steps


def test_filler_has_a_dot_for_each_token() -> None:
    assert filler_for("x" * 400, 130).count("…") == 130
    assert filler_for("x" * 400).count("…") == 100  # nobody counted
    assert filler_for("x" * 400, 4000).count("…") == 100  # hidden thinking was counted too
    assert filler_for("心") == "…"


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b'{"id": "a", "wrong": ["w", "x"], "reworded": ["r"]}', "as many wrong steps as reworded ones"),
    ],
)
def test_a_line_that_does_not_fit_is_named(line: bytes, message: str) -> None:
    with pytest.raises(FileFormatError, match=f"line 1: .*{message}"):
        parse_altered(line)
