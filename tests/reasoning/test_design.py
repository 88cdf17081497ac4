"""What the reasoning question asks, and from which prompts."""

import hashlib
import json
from pathlib import Path

import pytest

from concord.errors import FileFormatError, OptionError
from concord.files.templates import fill, read_template
from concord.reasoning.design import design_reasoning
from concord.records import Template


def test_every_vignette_is_asked_in_both_modes_and_every_bias_case_once() -> None:
    design = design_reasoning(repeats=2)
    cells = [(trial.cell, trial.repeat) for trial in design.trials]
    assert cells.count(("cot", 0)) == cells.count(("direct", 1)) == 103
    assert cells.count(("bias", 0)) == cells.count(("bias", 1)) == 80
    assert len({trial.name for trial in design.trials}) == len(design.trials)


def test_a_limit_keeps_pairs_whole() -> None:
    design = design_reasoning(limit=3)
    assert [t.item for t in design.trials if t.cell == "cot"] == ["v001", "v002", "v003"]
    assert len([t for t in design.trials if t.cell == "bias"]) == 6


def test_prompts_ask_for_the_sections_that_scoring_looks_for() -> None:
    cot, direct = (trial.messages[0].text for trial in design_reasoning(limit=1).trials[:2])
    assert cot.index("REASONING:") < cot.index("DIAGNOSIS:")
    assert direct.endswith("REASONING: [SKIP]\nDIAGNOSIS:")
    assert "gold" not in cot


@pytest.mark.parametrize(
    ("name", "digest"),
    [
        ("cot.v1", "97fe8727"),
        ("bias.v1", "97fe8727"),
        ("direct.v1", "4177232d"),
    ],
)
def test_a_released_template_never_changes(name: str, digest: str) -> None:
    template = read_template("reasoning", name)
    assert template.sha256.startswith(digest)
    assert template.sha256 == hashlib.sha256((template.text + "\n").encode()).hexdigest()


def test_braces_in_a_vignette_stay() -> None:
    assert fill(Template("t", "{a}-{b}-{a}", ""), a="{b}", b="{a}") == "{b}-{a}-{b}"


def test_a_vignette_without_a_prompt_cannot_be_asked(tmp_path: Path) -> None:
    path = tmp_path / "s.json"
    path.write_text(json.dumps({"samples": [{"id": "x", "gold_answer": "y"}]}))
    with pytest.raises(FileFormatError, match="'x' has no 'prompt', so it cannot be asked"):
        design_reasoning(path)


def test_choices_that_do_not_fit_are_told() -> None:
    with pytest.raises(OptionError, match="--bias-cases without --samples"):
        design_reasoning(None, Path("cases.json"))
    with pytest.raises(OptionError, match="limit is 0"):
        design_reasoning(limit=0)
    with pytest.raises(OptionError, match="repeats is 0"):
        design_reasoning(repeats=0)
