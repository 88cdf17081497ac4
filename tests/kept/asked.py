"""Runs of every question, asked of a model whose replies are a function of the prompt."""

import hashlib
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi

import concord

DIAGNOSES = ("Specific Phobia", "Delirium", "Panic Disorder", "Generalized Anxiety Disorder")
_SCALE = re.compile(r"from (\d+) .{0,60}?to (\d+)")


def reply_to(prompt: str, seed: int | None, last_role: str) -> str:
    """Return chains, letters, numbers, diagnoses, verdicts; one reply in twelve cannot be read."""
    digest = hashlib.sha256(f"{seed}|{prompt}".encode()).digest()
    if digest[5] % 12 == 0:
        return "That is hard to say."
    if "Write the new sentence alone" in prompt or "Write the changed step alone" in prompt:
        return f"This is sentence number {digest[0]} in quite other words."
    if "MENTIONED: yes or no" in prompt:
        return f"MENTIONED: {('yes', 'no')[digest[0] % 2]}\nRELIED: no"
    if "ANSWER:" in prompt:
        return f"<think>The record says so.</think>REASONING: x\nANSWER: {'ABCD'[digest[0] % 4]}"
    if "DIAGNOSIS" in prompt or "Answer at once" in prompt or last_role == "assistant":
        diagnosis = DIAGNOSES[digest[0] % 4]
        if "Answer at once" in prompt or last_role == "assistant":
            return diagnosis
        steps = " ".join(f"Finding {k} has been there for {digest[k]} long days now." for k in range(1, 6))
        return (
            f"DIAGNOSIS: {diagnosis}" if "[SKIP]" in prompt else f"REASONING: {steps}\nDIAGNOSIS: {diagnosis}"
        )
    if "one letter" in prompt:
        return "ABCD"[digest[0] % 2 + 2 * (digest[1] % 5 == 0)]
    scale = _SCALE.search(prompt)
    low, high = (int(scale[1]), int(scale[2])) if scale is not None else (0, 2)
    return str(low + digest[0] % (high - low + 1))


class KeptAPI(ModelAPI):
    async def generate(
        self, input: list[Any], tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        text = reply_to("\n".join(one.text for one in input), config.seed, input[-1].role)
        output = ModelOutput.from_content(self.model_name, text)
        output.usage = ModelUsage(input_tokens=40, output_tokens=9, total_tokens=49)
        return output


@modelapi(name="kept")
def kept() -> type[ModelAPI]:
    return KeptAPI


RUNS: dict[str, dict[str, Any]] = {
    "run structure": {
        "question": "structure",
        "items": "idioms-ko",
        "limit": 4,
        "arrangements": 4,
        "repeats": 2,
    },
    "run options": {"question": "structure", "items": "options-en", "arranger": "options-cyclic", "limit": 5},
    "run judge": {"question": "judge", "limit": 8, "repeats": 2},
    "run reasoning": {"question": "reasoning", "limit": 8},
    "run probes": {
        "question": "reasoning",
        "limit": 3,
        "probe": ["early", "filler", "mistake", "paraphrase", "pairs", "hints"],
    },
    "run people": {"question": "people", "study": ["framing"], "n": 6},
}


def run_cases() -> Iterator[tuple[str, Any]]:
    """Return each run, scored, as a case."""
    for name, choices in RUNS.items():

        def asked(folder: Path, choices: dict[str, Any] = choices) -> Any:
            given = dict(choices)
            concord.run(given.pop("question"), "kept/model", out=folder / "run", **given)
            return concord.score_run(folder / "run")

        yield name, asked
