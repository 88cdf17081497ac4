"""Interventions on reasoning asked of models: sessions, helper, prefill, a broken run that goes on."""

import hashlib
import json
import shutil
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from concord.asking import runs
from concord.asking.plan import make_plan
from concord.errors import OptionError
from concord.reasoning.probes.design import design_probes, probe_names, probe_openers
from concord.reasoning.probes.records import PROBES
from concord.records import Design

pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
CALLS: list[str] = []
DIAGNOSES = ("Specific Phobia", "Delirium", "Panic Disorder", "Generalized Anxiety Disorder")


def said(prompt: str, seed: int | None, last_role: str) -> str:
    """Reply as a function of the prompt: chains, letters, diagnoses, a helper's sentence."""
    digest = hashlib.sha256(f"{seed}|{prompt}".encode()).digest()
    if "Write the new sentence alone" in prompt or "Write the changed step alone" in prompt:
        return f"This is sentence number {digest[0]} in quite other words."
    if "MENTIONED: yes or no" in prompt:
        return "MENTIONED: yes\nRELIED: no"
    if "ANSWER:" in prompt:
        return f"<think>The record says so, I follow it.</think>REASONING: x\nANSWER: {'ABCD'[digest[0] % 4]}"
    diagnosis = DIAGNOSES[digest[0] % 4]
    if "Answer at once" in prompt or last_role == "assistant":
        return diagnosis
    steps = " ".join(f"Finding number {k} has been there for {digest[k]} long days now." for k in range(1, 6))
    return f"REASONING: {steps}\nDIAGNOSIS: {diagnosis}"


class ProbedAPI(ModelAPI):
    async def generate(
        self, input: list[Any], tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        CALLS.append(self.model_name)
        text = said("\n".join(one.text for one in input), config.seed, input[-1].role)
        cut = self.model_name == "cut" and "Answer at once" in input[-1].text
        output = ModelOutput.from_content(self.model_name, text, "max_tokens" if cut else "stop")
        output.usage = ModelUsage(input_tokens=9, output_tokens=9, total_tokens=18)
        return output


@modelapi(name="probed")
def probed() -> type[ModelAPI]:
    return ProbedAPI


def ask(out: Path, **choices: Any) -> Mapping[str, Any]:
    CALLS.clear()
    result = runs.run("probes", "probed/model", out=out, seed=3, temperature=1.0, **choices)
    assert result.outcomes == {"ok": sum(result.outcomes.values())}
    found: Mapping[str, Any] = result.score().to_dict()["scores"]
    return found


@pytest.fixture(scope="module")
def finished(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Mapping[str, Any], int]:
    folder = tmp_path_factory.mktemp("probes") / "r"
    return folder, ask(folder, probe="all", limit=3), len(CALLS)


def test_every_probe_is_asked_and_scored(finished: tuple[Path, Mapping[str, Any], int]) -> None:
    _, scores, n_calls = finished
    assert all(scores[probe] is not None for probe in PROBES)
    assert scores["early"]["n_short"] == 0
    assert scores["early"]["floor"]["n"] == 3
    assert scores["mistake"]["floor"]["n"] == 3 * 3
    assert [one["kind"] for one in scores["hints"]["kinds"]][0] == "all kinds"
    assert scores["asked"]["by"] == "instruction"
    # per vignette: chain, filler, direct, five early and one second, gold chain, 3 x (mistake, again), 3 x 2
    # paraphrase
    per_vignette = 1 + 2 + 6 + 1 + 6 + 6
    assert n_calls == 3 * per_vignette + 3 * 7 * 2 + 3 * 4


def test_a_run_that_was_killed_goes_on_and_gives_the_same_scores(
    finished: tuple[Path, Mapping[str, Any], int], tmp_path: Path
) -> None:
    folder, scores, _ = finished
    shutil.copytree(folder, tmp_path / "r")
    replies, turns = tmp_path / "r" / "replies.jsonl", tmp_path / "r" / "turns.jsonl"
    kept = replies.read_text().splitlines()
    chain = next(line for line in kept if json.loads(line)["id"] == "chain/v002")
    lost = [chain, kept[-1]]
    replies.write_text("".join(f"{line}\n" for line in kept if line not in lost))
    lines = turns.read_text().splitlines()
    gone = [line for line in lines if "chain/v002/early" in json.loads(line)["id"]][:2]
    turns.write_text("".join(f"{line}\n" for line in lines if line not in gone))
    assert ask(tmp_path / "r", probe="all", limit=3) == scores
    assert len(CALLS) == len(gone)


def test_a_helper_writes_the_steps_and_the_model_s_own_chain_is_changed(tmp_path: Path) -> None:
    scores = ask(tmp_path / "r", probe=["mistake", "paraphrase"], limit=2, helper="probed/helper")
    assert CALLS.count("helper") == 2 * (3 + 5)
    assert scores["asked"]["changed steps"] == "written by probed/helper"
    assert scores["mistake"]["floor"]["n"] == 2 * 3
    assert scores["paraphrase"]["flips"]["n"] == 2 * 3


def test_prefill_puts_the_reasoning_into_the_model_s_own_turn(tmp_path: Path) -> None:
    design = design_probes("early", prefill=True, limit=1)
    session = probe_openers(dict(design.files), dict(design.options))["chain/v001"].open()
    session.answer(session.waiting()[0].id, said("x", 0, "user"))
    sent = session.waiting()[1].messages
    assert [one.role for one in sent] == ["user", "assistant"]
    assert sent[-1].text.startswith("REASONING: Finding number 1") and sent[-1].text.endswith("DIAGNOSIS:")
    assert ask(tmp_path / "r", probe="early", limit=2, prefill=True)["asked"]["by"] == "prefill"


def test_an_answer_that_was_cut_is_counted_as_truncated_and_not_as_failed(tmp_path: Path) -> None:
    result = runs.run("probes", "probed/cut", out=tmp_path / "r", probe="filler", limit=2, seed=3)
    assert result.score().scores.outcomes["filler"] == {"ok": 2, "truncated": 4}
    assert runs.score_run(tmp_path / "r").scores.outcomes["filler"] == {"ok": 2, "truncated": 4}


def test_thinking_is_kept_apart_from_the_answer(finished: tuple[Path, Mapping[str, Any], int]) -> None:
    folder = finished[0]
    rows = runs.score_run(folder).hint_rows
    hinted = [row for row in rows if row.kind == "metadata"]
    assert all(row.mention_thinking and row.reliance_thinking for row in hinted)
    assert not any(row.mention_answer for row in hinted)


def test_questions_with_options_can_have_their_chains_probed(tmp_path: Path) -> None:
    scores = ask(tmp_path / "r", probe=["early", "filler"], limit=2, chains_of="choices")
    assert scores["filler"]["gap"]["n"] + scores["filler"]["gap"]["n_left_out"] == 2
    with pytest.raises(OptionError, match="need --helper MODEL"):
        design_probes("mistake", chains_of="choices")


def test_the_plan_counts_every_call_of_every_session() -> None:
    design: Design = design_probes("all", limit=2)
    plan = make_plan(design, design.trials, max_tokens=100, prices=None)
    assert plan.n_calls > 2 * (1 + 14 + 4)
    assert plan.n_trials == 6


@pytest.mark.parametrize("probe", ["", "erly", "early,foo"])
def test_a_probe_that_is_not_known_is_told(probe: str) -> None:
    with pytest.raises(OptionError, match="is not known; expected early, filler, mistake"):
        probe_names(probe)


def test_one_s_own_vignettes_need_a_helper_for_changed_steps(tmp_path: Path) -> None:
    own = tmp_path / "own.json"
    own.write_text('{"samples": [{"id": "x", "prompt": "p", "gold_answer": "Gout", "gold_reasoning": []}]}')
    with pytest.raises(OptionError, match="1 of your vignettes have no bundled"):
        design_probes("mistake", own)
    assert len(design_probes("early", own).trials) == 1


@pytest.mark.long
def test_the_inspect_task_gives_a_log_that_is_scored(tmp_path: Path) -> None:
    from inspect_ai import eval as inspect_eval

    from concord.asking.asked.probes import ASKED
    from concord.asking.inspect.registered import task_for

    task = task_for(ASKED)(probe="filler,pairs", items=2)
    (log,) = inspect_eval(task, model="probed/model", log_dir=str(tmp_path), display="none")
    scores = runs.score_run(log.location).scores
    assert scores.filler is not None and scores.pairs is not None
    assert scores.pairs.dimensions[0].n_pairs == 2


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.usefixtures("embedded_model")
def test_the_embedded_model_is_probed(tmp_path: Path) -> None:
    pytest.importorskip("xllamacpp", reason="the extra `live` is not installed")
    result = runs.run(
        "probes", "local/smollm2-135m", out=tmp_path / "r", probe="filler,hints", limit=1, max_tokens=24
    )
    assert sum(result.outcomes.values()) == 2
    scores = result.score().scores
    assert sum(scores.outcomes["hints"].values()) == 14
    assert scores.filler is None or sum(scores.outcomes["filler"].values()) in (1, 3)


def test_a_judge_is_asked_about_influenced_texts_and_its_verdicts_are_used(tmp_path: Path) -> None:
    from concord.asking.asked.probes import judging_of
    from concord.asking.recorded import recorded_folder

    ask_folder = tmp_path / "r"
    CALLS.clear()
    result = runs.run(
        "probes", "probed/model", out=ask_folder, seed=3, temperature=1.0, probe="hints", limit=6,
        detector="judge:probed/judge",
    )  # fmt: skip
    assert runs.read_folder(ask_folder / "judge").complete
    shutil.rmtree(ask_folder / "judge")
    follow = judging_of(recorded_folder(result.stored))
    assert follow is not None and follow.model == "probed/judge"
    moved = result.score().scores.hints
    assert moved is not None and len(follow.design.trials) == 2 * moved.kinds[0].n_influenced
    assert moved.kinds[0].verbalised["mention"]["either"].note == "no text was judged"
    assert "MENTIONED" in follow.design.trials[0].messages[0].text
    judging = runs.follow_up(result)
    assert judging is not None
    runs.run_job(*judging)
    judged = result.score().scores.hints
    assert judged is not None and judged.detector == "judge:probed/judge"
    said = judged.kinds[0].verbalised
    assert said["mention"]["thinking"].value == 1.0 and said["reliance"]["either"].value == 0.0


def test_results_of_probes_are_compared_and_planned_item_by_item(
    finished: tuple[Path, Mapping[str, Any], int], tmp_path: Path
) -> None:
    import concord

    first = runs.score_run(finished[0])
    for name, model in (("a", "first"), ("b", "second")):
        again = runs.score_run(finished[0])
        object.__setattr__(again.scores, "model", model)
        again.write(tmp_path / name)
    compared = concord.compare(tmp_path / "a", tmp_path / "b", metric="early_aoc")
    assert compared.difference is not None and compared.difference.value == 0
    assert set(first.estimates) >= {"early_aoc", "hints_excess", "pairs_excess"}
    with pytest.raises(OptionError, match="no metric 'foo'; it has early_aoc"):
        concord.compare(tmp_path / "a", tmp_path / "b", metric="foo")


def test_the_detectors_are_audited(finished: tuple[Path, Mapping[str, Any], int]) -> None:
    from concord.audit.estimate import audit_result
    from concord.audit.items import HINTS, detected_hints

    model, items = detected_hints(finished[0])
    groups = {item.group for item in items}
    assert groups == {"mention, thinking", "reliance, thinking", "mention, answer", "reliance, answer"}
    said = {item.key: "misread" if item.group == "mention, answer" else "same" for item in items}
    rates = {rate.group: rate.rate.value for rate in audit_result(model, HINTS, items, said).rates}
    assert rates == dict.fromkeys(groups, 0.0) | {"mention, answer": 1.0}
