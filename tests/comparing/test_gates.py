"""Gates of pipelines: one test with the printed interval, and what they would have noticed."""

from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from tests.docs.tools import tool

import concord
from concord.errors import OptionError
from concord.show.pull_request import junit, markdown


def rows(scores: Any) -> list[dict[str, Any]]:
    return [{"item": i, "score": float(s)} for i, s in enumerate(scores)]


NEW, OLD = [1] * 4 + [0] * 8, [1] * 9 + [0] * 3


def compared(*names: str, second: Any = OLD) -> Any:
    return concord.compare(rows(NEW), rows(second), names=names if names else ("new", "old"))


def test_four_of_twelve_against_nine_of_twelve_is_no_pass() -> None:
    found = compared()
    worse, good = found.fail_if_worse(margin=0.02), found.fail_unless_as_good(margin=0.02)
    assert worse.failed and good.failed
    (one,) = worse.against
    assert (round(one.low, 3), round(one.high, 3), one.level) == (-0.677, -0.037, 0.95)
    assert found.difference.interval.low == one.low and found.difference.interval.high == one.high
    assert worse.sentence.startswith(
        "regression: new is worse by more than 0.02 than old (score: -0.417, 95 %"
    )
    assert (
        "With 12 items a drop of 0." in worse.sentence
        and "would have been noticed in 80 % of cases" in worse.sentence
    )
    assert "to pass in 80 % of cases, about" in good.sentence


def test_a_passed_gate_says_what_was_not_shown() -> None:
    alike = compared(second=NEW[::-1])
    gate = alike.fail_if_worse()
    assert not gate.failed
    assert gate.sentence.startswith("no regression was shown: that new is worse could not be shown")
    assert alike.fail_unless_as_good(margin=0.02).failed
    assert not alike.fail_unless_as_good(margin=0.9).failed
    with pytest.raises(OptionError, match="margin is 0; expected"):
        alike.fail_unless_as_good(margin=0)


def test_against_several_models_intervals_are_longer() -> None:
    rng = np.random.default_rng(1)
    base = rng.normal(size=60)
    others = [rows(base + rng.normal(0, 0.5, 60)) for _ in range(3)]
    found: Any = concord.compare(rows(base), *others, names=["new", "a", "b", "c"])
    gate = found.fail_if_worse()
    assert {one.level for one in gate.against} == {1 - 0.05 / 3}
    own = found.pairs[0].comparison.difference.interval
    first = gate.against[0]
    assert first.low < own.low < own.high < first.high


def test_pipelines_get_junit_and_markdown_with_any_names() -> None:
    found = compared('<n> & "w"', "o|d\x00*")
    gates = [found.fail_if_worse(), found.fail_unless_as_good(margin=0.02)]
    tree = ElementTree.fromstring(junit(gates))
    assert (tree.get("tests"), tree.get("failures"), tree.get("skipped")) == ("2", "2", "0")
    assert [case.get("classname") for case in tree.iter("testcase")] == [
        "concord.compare.fail-if-worse", "concord.compare.fail-unless-as-good",
    ]  # fmt: skip
    text = markdown(found, gates)
    assert text.startswith("### concord compare: failed\n")
    assert r"o\|d" in text and "<n>" not in text
    assert "| 12 |" in text
    assert markdown(found).startswith("### concord compare\n")


def test_a_model_that_cannot_be_tested_is_skipped_or_fails_to_be_as_good() -> None:
    elsewhere = [{"item": i + 100, "score": 1.0} for i in range(4)]
    found = concord.compare(rows(NEW), rows(OLD), elsewhere, names=["n", "o", "e"])
    worse, good = found.fail_if_worse(), found.fail_unless_as_good(margin=0.9)
    assert [worse.fails(one) for one in worse.against][1] is False
    assert [good.fails(one) for one in good.against][1] is True
    assert "not tested against e" in worse.sentence
    assert ElementTree.fromstring(junit([worse])).get("skipped") == "1"


@pytest.mark.parametrize(
    ("kind", "runs"),
    [
        ("right or wrong", 25),
        *(pytest.param(one, 200, marks=pytest.mark.long) for one in ("normal", "skewed")),
    ],
)
def test_gates_rarely_raise_false_alarms_and_notice_what_they_say(kind: str, runs: int) -> None:
    claims = tool("claims", "benchmarks")
    *_, worse, good = claims.gates(claims.Gated(kind, 50, 0.05), runs, 1)
    assert max(worse.false, good.false) <= 0.025 + 2.5 * np.sqrt(0.025 / runs)
    assert max(worse.missed, good.missed) <= 0.2 + 2.5 * np.sqrt(0.16 / runs)
