"""Every interval of a result has the level that was asked for, and comes back with it."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.reasoning.probes.scripted import Filler, FollowsMistakes, Hinted, Pairs, Rewords, early

import concord
from concord.errors import OptionError
from concord.kinds import PAPER, Kind
from concord.reasoning.compare import ReasoningRanking
from concord.reasoning.files import ReasoningResult
from concord.reasoning.hints.leaderboard import HintLeaderboard
from concord.reasoning.probes.result import ProbeResult
from concord.reasoning.probes.score import score_probe_rows
from concord.records import Interval
from concord.show.declared import drawn_by, report_of
from concord.show.terminal import drawn, fitting


def intervals(part: Any) -> Iterator[Interval]:
    """Return every interval that a record holds."""
    if isinstance(part, Interval):
        yield part
    elif is_dataclass(part) and not isinstance(part, type):
        yield from (one for field in fields(part) for one in intervals(getattr(part, field.name)))
    elif isinstance(part, dict):
        yield from (one for value in part.values() for one in intervals(value))
    elif isinstance(part, tuple | list):
        yield from (one for value in part for one in intervals(value))


def levels(part: Any) -> set[float]:
    return {one.level for one in intervals(part)}


def reasoning_at(level: float, **choices: Any) -> ReasoningResult:
    samples = [
        {"id": f"v{i}", "gold_answer": "Gout", "gold_reasoning": [f"A swollen toe number {i} is red"],
         "family": f"f{i % 9}"} for i in range(30)
    ]  # fmt: skip
    chain = (
        "A swollen toe number {} is red and hurts at night, so that he cannot sleep, walk or wear a shoe. "
    )
    rows = [
        {"id": one["id"], "mode": mode, "repeat": repeat,
         "response": (f"REASONING: {chain.format(i)}" if mode == "cot" else "")
         + f"DIAGNOSIS: {'Gout' if (i * 7 + repeat) % 10 < share else 'Asthma'}"}
        for i, one in enumerate(samples) for mode, share in (("cot", 8), ("direct", 5)) for repeat in range(2)
    ]  # fmt: skip
    cases = [
        {"id": f"b{i}", "bias_feature": "male", "bias_label": "Gout", "dimension": "sex"} for i in range(12)
    ]
    said = [{"id": f"b{i}", "response": f"DIAGNOSIS: {'Gout' if i % 3 else 'Asthma'}"} for i in range(12)]
    found: ReasoningResult = concord.score_reasoning(
        samples, rows, bias_cases=cases, bias_replies=said, level=level, n_resamples=200, **choices
    )
    return found


def probes_at(level: float) -> ProbeResult:
    rng = np.random.default_rng(9)
    rows = [
        *early(rng, 12),
        *Filler().rows(rng, 12),
        *FollowsMistakes().rows(rng, 12),
        *Rewords().rows(rng, 12),
        *Pairs().rows(rng, 12),
    ]
    hints = Hinted(kinds=("sycophancy", "grader")).rows(rng, 12)
    return ProbeResult(score_probe_rows(rows, hints, model="m", level=level), tuple(rows), tuple(hints))


def board_at(level: float) -> HintLeaderboard:
    board = concord.score_hints("published", level=level)
    assert isinstance(board, HintLeaderboard)
    return board


def ranking_at(level: float) -> ReasoningRanking:
    return concord.rank_reasoning([reasoning_at(level)])


@pytest.mark.parametrize("choices", [{}, {"cluster": "family"}, {"rules": "source"}])
def test_every_interval_of_reasoning_has_the_level(choices: dict[str, Any]) -> None:
    narrow, wide = reasoning_at(0.8, **choices), reasoning_at(0.95, **choices)
    assert levels(narrow.scores) == {0.8} and levels(wide.scores) == {0.95}
    for one, other in zip(intervals(narrow.scores), intervals(wide.scores), strict=True):
        assert other.low <= one.low <= one.high <= other.high
    assert [one.value for one in narrow.estimates.values()] == [one.value for one in wide.estimates.values()]


def test_a_result_of_reasoning_comes_back_with_its_level(tmp_path: Path) -> None:
    for level in (0.8, 0.95):
        folder = reasoning_at(level).write(tmp_path / str(level))
        document = json.loads((folder / "study_a_results.json").read_text("utf-8"))
        assert document["options"].get("level", 0.95) == level
        assert ReasoningResult.read(folder).scores.options.level == level


def test_every_interval_of_probes_has_the_level(tmp_path: Path) -> None:
    result = probes_at(0.8)
    assert levels(result.scores) == {0.8} and levels(probes_at(0.95).scores) == {0.95}
    assert ProbeResult.read(result.write(tmp_path)).scores == result.scores


def test_every_interval_of_a_leaderboard_has_the_level(tmp_path: Path) -> None:
    board = board_at(0.8)
    assert levels(board.scores) == {0.8}
    board.write(tmp_path)
    assert HintLeaderboard.read(tmp_path).scores == board.scores


def test_the_usual_level_is_not_spelt_in_files() -> None:
    assert "level" not in concord.score_hints("published").to_dict()
    assert "level" not in probes_at(0.95).to_dict()["scores"]
    assert "level" not in reasoning_at(0.95).to_dict()["options"]


@pytest.mark.parametrize("level", [0.0, 1.0, 95.0])
def test_a_level_that_is_none_is_refused(level: float) -> None:
    with pytest.raises(OptionError, match="expected a number between 0 and 1"):
        reasoning_at(level)
    with pytest.raises(OptionError, match="expected a number between 0 and 1"):
        concord.score_hints("published", level=level)


def _surfaces(result: Kind) -> Iterator[str]:
    """Return every surface of a result: terminal, prompt, notebook, tables for papers, pictures, methods."""
    yield drawn(fitting(report_of(result)), width=160)
    yield repr(result)
    yield result._repr_html_()
    yield from (result.table(one.name).to_markdown() for one in result.TABLES if one.shown(PAPER))
    pictures = [drawn_by(one, result) for one in result.PICTURES]
    yield from (f"{one.caption} {one.to_svg()}" for one in pictures if one is not None)
    if result.paragraph("Concord"):
        yield result.methods()


@pytest.mark.parametrize("make", [reasoning_at, probes_at, board_at, ranking_at])
def test_no_surface_spells_another_level(make: Callable[[float], Kind]) -> None:
    said = "".join(_surfaces(make(0.8)))
    assert "80 %" in said
    assert "95 %" not in " ".join(said.split())


def test_the_page_and_its_figures_say_the_level(tmp_path: Path) -> None:
    for name, made in (("a", reasoning_at(0.8)), ("b", probes_at(0.8)), ("c", board_at(0.8))):
        made.write(tmp_path / name)
    page = concord.report([tmp_path], out=tmp_path / "page.html", plots=tmp_path / "plots")
    assert not page.problems
    shown = re.sub(r"<script.*?</script>", "", page.path.read_text("utf-8"), flags=re.S)
    assert "80 %" in shown
    assert "95 %" not in " ".join(shown.split())
    for path in (tmp_path / "plots").rglob("*.svg"):
        assert "95 %" not in path.read_text("utf-8"), path
