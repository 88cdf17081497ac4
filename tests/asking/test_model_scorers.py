"""Models as scorers of texts: asked through the model layer, read, and shown texts whose truth is known."""

import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from concord.errors import RunFolderError
from concord.files.codec import encode
from concord.structure.design import design_structure
from concord.structure.words.judged import (
    KNOWN_TRIPLES,
    JudgedText,
    calibration_of,
    calibration_words,
    design_judging,
    known_triples,
    model_calibration,
    read_triples,
    relation,
    verdicts_of,
)

pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi  # noqa: E402

from concord.asking import runs  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
RIGHT = {one.paraphrase for one in read_triples("en")}
WRONG = {one.contradiction for one in read_triples("en")}


def said(prompt: str, seed: int | None) -> str:
    """Explain, or judge: a paraphrase of the calibration set is known, a contradiction nearly always."""
    if "SAME if it says the same" in prompt or "whole number from 0" in prompt:
        text = prompt.split("Text: ", 1)[-1].split("Explanation: ", 1)[-1].split("\n\n", 1)[0]
        words = ("SAME", "CONTRARY", "OTHER") if "SAME if" in prompt else ("9", "1", "3")
        fooled = text in WRONG and hashlib.sha256(text.encode()).digest()[0] < 20
        return words[0] if text in RIGHT or fooled else words[1] if text in WRONG else words[2]
    return f"It means number {hashlib.sha256(f'{seed}|{prompt}'.encode()).digest()[0] % 3}."


class MeantAPI(ModelAPI):
    async def generate(
        self, input: list[Any], tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        output = ModelOutput.from_content(self.model_name, said(input[-1].text, config.seed))
        output.usage = ModelUsage(input_tokens=9, output_tokens=1, total_tokens=10)
        return output


@modelapi(name="meant")
def meant() -> type[ModelAPI]:
    return MeantAPI


@pytest.mark.parametrize("scorer", ["nli:meant/judge", "judge:meant/judge"])
def test_a_model_scores_texts_and_its_own_errors_are_told(tmp_path: Path, scorer: str) -> None:
    from concord.asking.recorded import stored_answers

    result = runs.run(
        "structure", "meant/model", out=tmp_path / "r", items="proverbs-en", limit=3, scorer=scorer, seed=1,
        temperature=1.0,
    )  # fmt: skip
    judging = runs.follow_up(result)
    assert judging is not None and judging[0].model == "meant/judge"
    assert len(judging[0].design.trials) == 3 * 3 * 2 + 3 * KNOWN_TRIPLES
    runs.run_job(*judging)
    answers = stored_answers(result.stored)
    assert answers is not None
    scores = {row[answers.columns.index("score")] for row in answers.rows}
    assert scores == ({0.0} if scorer.startswith("nli") else {0.3})
    labels = {row[answers.columns.index("answer")] for row in answers.rows}
    assert labels == ({"other"} if scorer.startswith("nli") else {None})
    told = answers.counted["scorer_calibration"]
    assert told["n"] == KNOWN_TRIPLES and told["against_contradiction"]["value"] > 0.8
    assert any(
        line.startswith(f"scorer {scorer} on {KNOWN_TRIPLES} calibration triples") for line in answers.lines
    )


def test_before_the_model_was_asked_nothing_is_said_of_its_errors() -> None:
    assert model_calibration("nli:m/x", "en", {}) is None
    assert known_triples(None) == known_triples("fr") == ()


@pytest.mark.parametrize(
    ("reply", "found"),
    [
        ("SAME", JudgedText(1.0, "same")),
        ("**contrary**", JudgedText(0.0, "contrary")),
        ("Other.", JudgedText(0.0, "other")),
        ("SAME, not OTHER", JudgedText(1.0, "same")),
        ("SAME or OTHER", JudgedText(None)),
        ("I cannot tell", JudgedText(None)),
        ("The text is not the same as the reference.", JudgedText(None)),
        ("It is NOT the SAME.", JudgedText(None)),
        ("On the other hand it is late.", JudgedText(None)),
        ("Both speak of rain. Answer: same", JudgedText(1.0, "same")),
        ("They differ in the other part, so the relation is CONTRARY.", JudgedText(0.0, "contrary")),
        ("", JudgedText(None)),
    ],
)
def test_a_relation_is_one_word_or_none(reply: str, found: JudgedText) -> None:
    assert relation(reply) == found


def test_texts_without_a_verdict_are_left_out_of_the_calibration() -> None:
    scores = np.array([[1.0, 0.0, 0.0], [1.0, np.nan, 0.0], [0.0, 0.0, 1.0], [1.0, 1.0, 0.0]])
    found = calibration_of("nli:m/x", "en", scores)
    assert found.n == 3
    assert found.against_contradiction.value == pytest.approx((2 * 2.5 + 1) / 9)  # ties half
    nothing = calibration_of("nli:m/x", "en", np.full((2, 3), np.nan))
    assert "its errors are not known" in calibration_words(nothing)
    assert set(nothing.means.values()) == {None}
    assert encode(nothing)["n"] == 0  # not a number has no form in a result


def test_a_scoring_model_that_rambles_is_told_from_replies_without_an_answer(tmp_path: Path) -> None:
    result = runs.run(
        "structure", "meant/model", out=tmp_path / "r", items="proverbs-en", limit=2, seed=1,
        scorer="judge:mockllm/model",
    )  # fmt: skip
    judging = runs.follow_up(result)
    assert judging is not None
    runs.run_job(*judging)
    with pytest.raises(RunFolderError, match="no verdict of the scoring model mockllm/model could be read"):
        result.score()


@pytest.mark.parametrize("scorer", ["judge:meant/judge", "nli:meant/judge"])
def test_the_plan_counts_what_a_scoring_model_is_shown(scorer: str) -> None:
    from concord.asking.plan import make_plan
    from concord.cli.run_show import plan_lines

    asked = runs.job("structure", "meant/model", items="proverbs-en", limit=2, scorer=scorer)
    plan = make_plan(asked.design, asked.design.trials, max_tokens=64, prices=None)
    lines = plan_lines(asked, plan, Path("r"))
    n = len(asked.design.trials)
    assert lines[-1] == (
        f"then the scoring model meant/judge: at most {n} calls, and {3 * KNOWN_TRIPLES} on texts whose "
        "truth is known"
    )


def test_a_failed_call_is_no_verdict_and_sets_without_a_language_have_no_known_texts() -> None:
    rows = [
        {"id": "k", "outcome": "failed", "response": ""},
        {"id": "l", "outcome": "ok", "response": "SAME"},
    ]
    found = verdicts_of(rows, "nli:m/x")
    assert found["k"].score is None and found["l"].score == 1
    items = b'{"items": [{"id": "i", "text": "x", "reference": "y"}]}'
    row = {"key": "k", "id": "i", "mode": "m", "outcome": "ok", "response": "z"}
    design = design_judging(items, {"scorer": "nli:m/x", "arranger": "paraphrases"}, [row])
    assert [trial.item for trial in design.trials] == ["k"]


def test_a_set_whose_language_is_not_said_is_not_scored_in_silence(tmp_path: Path) -> None:
    from concord.asking.recorded import stored_answers

    own = tmp_path / "own.json"
    own.write_text(
        '{"arranger": "paraphrases", "scorer": "chrf2", "template": "{text}", "items": [{"id": "a",'
        ' "text": "x", "reference": "y z", "paraphrases": ["p {x}", "q", "r"]}]}',
        "utf-8",
    )
    result = runs.run("structure", "meant/model", out=tmp_path / "r", items=own, seed=1)
    answers = stored_answers(result.stored)
    assert answers is not None
    assert any(
        "what its scores mean for texts whose language the set does not say" in line for line in answers.lines
    )
    assert dict(design_structure(own).options)["scorer"] == "chrf2"
