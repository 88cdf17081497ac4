"""Shares beside percentages: no verdict; counts, Likert answers and logs of one harness are compared."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from typer.testing import CliRunner

import concord
from concord.cli.app import app
from concord.comparing.doubts import in_one_unit
from concord.comparing.records import ScoreFile
from concord.errors import MismatchError, OptionError

SHARES = [0.8, 0.5, 0.9, 0.25, 1.0, 0.6, 0.0, 0.75]
PERCENT = [85, 45, 92.5, 30, 100, 55, 0, 80]


def difference(first: list[Any], second: list[Any], **how: Any) -> float | None:
    found = concord.compare(rows(first), rows(second), by=None, **how)
    assert found.difference is not None
    return found.difference.value


def rows(scores: list[Any]) -> list[dict[str, Any]]:
    return [{"item": i, "score": score} for i, score in enumerate(scores)]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (SHARES, PERCENT),
        (PERCENT, SHARES),
        ([0.5, 1, 0, 1, 1, 1, 0, 0.5], PERCENT),
        ([1, 1, 0, 1, 1, 1, 0, 0], [100, 100, 0, 100, 0, 100, 0, 100]),
    ],
)
def test_shares_beside_percentages_give_no_verdict(first: list[Any], second: list[Any]) -> None:
    with pytest.raises(MismatchError, match=r"(?s)shares beside percentages.*unit='percent'.*--unit same"):
        concord.compare(rows(first), rows(second))


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (SHARES, SHARES[::-1]),
        (PERCENT, PERCENT[::-1]),
        ([1, 2, 3, 4, 5, 5, 4, 1], [1, 1, 2, 3, 4, 5, 5, 2]),
        ([0, 1, 0, 1, 1, 0, 0, 1], [3, 2, 4, 1, 5, 2, 0, 4]),
        ([0, 1, 0, 1, 1, 0, 0, 1], [13, 22, 4, 1, 35, 2, 0, 40]),
        (SHARES, [0.5, 0.1, 0.9, 0.3, 12.0, 0.2, 0.8, 0.1]),
        (SHARES, [250, 1200, 400, 33, 90, 61, 700, 45]),
        (SHARES, [-5, 10, 40, 20, 33, 12, 60, 70]),
        (SHARES, [1, 2, 3, 4, 5, 5, 4, 1]),
    ],
    ids=[
        "shares",
        "percent",
        "likert",
        "small-counts",
        "counts",
        "one-far",
        "milliseconds",
        "signed",
        "likert-share",
    ],
)
def test_scores_that_may_have_one_unit_are_compared(first: list[Any], second: list[Any]) -> None:
    assert difference(first, second) is not None


def test_percentages_are_divided_where_it_is_said() -> None:
    found = concord.compare(rows(SHARES), rows(PERCENT), unit="percent")
    byhand = sum(a - b / 100 for a, b in zip(SHARES, PERCENT, strict=True)) / len(SHARES)
    assert difference(SHARES, PERCENT, unit="percent") == pytest.approx(byhand, rel=1e-12)
    assert not any("percentages" in warning for warning in found.warnings)


def test_scores_are_taken_as_they_are_where_it_is_said() -> None:
    byhand = sum(a - b for a, b in zip(SHARES, PERCENT, strict=True)) / len(SHARES)
    assert difference(SHARES, PERCENT, unit="same") == pytest.approx(byhand, rel=1e-12)


def test_counts_beside_0_and_1_are_compared_and_told() -> None:
    found = concord.compare(rows([0, 1, 0, 1, 1, 0, 0, 1]), rows([13, 22, 4, 1, 35, 2, 0, 40]))
    assert any("if one file holds shares" in warning for warning in found.warnings)


def test_what_can_be_no_percentage_is_not_divided() -> None:
    with pytest.raises(OptionError, match=r"lie from 33 to 1200, percentages from 0 to 100"):
        concord.compare(rows(SHARES), rows([250, 1200, 400, 33, 90, 61, 700, 45]), unit="percent")
    with pytest.raises(OptionError, match="unit is 'share', expected one of auto, percent, same"):
        concord.compare(rows(SHARES), rows(PERCENT), unit="share")


def test_models_of_one_table_are_called_by_their_names() -> None:
    wide = [{"item": i, "a": s, "b": p} for i, (s, p) in enumerate(zip(SHARES, PERCENT, strict=True))]
    with pytest.raises(MismatchError, match=r"scores of a lie from 0 to 1, those of b from 0 to 100"):
        concord.compare(pl.DataFrame(wide))


@pytest.mark.parametrize(("kind", "refused"), [("lm-eval", False), ("table", True)])
def test_one_metric_of_one_harness_has_one_unit(kind: str, refused: bool) -> None:
    files = [
        ScoreFile(name, name, kind, pl.DataFrame({"score": scores}, strict=False), metric="bleu")
        for name, scores in (("a", SHARES), ("b", PERCENT))
    ]
    if refused:
        with pytest.raises(MismatchError, match="one of units"):
            in_one_unit(files, "auto")
    else:
        assert len(in_one_unit(files, "auto")) == 2


def test_a_gate_ends_with_2_and_says_what_to_do(tmp_path: Path) -> None:
    for name, scores in (("new.csv", SHARES), ("old.csv", PERCENT)):
        lines = [f"{i},{score}" for i, score in enumerate(scores)]
        (tmp_path / name).write_text("\n".join(["item,score", *lines]))
    both = [str(tmp_path / "new.csv"), str(tmp_path / "old.csv")]
    found = CliRunner().invoke(app, ["compare", *both, "--fail-if-worse"])
    assert found.exit_code == 2
    assert "by 100" in " ".join(found.output.split())
    assert "higher" not in found.output
    told = CliRunner().invoke(app, ["compare", *both, "--unit", "percent", "--fail-if-worse"])
    assert told.exit_code == 0, told.output
