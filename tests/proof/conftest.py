"""A registered run of a scripted model, scored and packed once for all tests."""

import hashlib
import re
import warnings
from pathlib import Path
from typing import Any

import pytest

import concord
from concord.asking import runs
from concord.asking.askable import usual_sampling
from concord.asking.requests import Sampling

CLAIMS = "claims:\n  - {claim: pas, who: mockllm/model, margin: 0.3}\n"
QUICK: dict[str, Any] = {"n_resamples": 0, "n_simulations": 0}


def ask(study: list[str], out: Path, *, n: int = 4, **more: Any) -> runs.RunResult:
    """Let a model answer that says something else to each participant."""
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def reply(messages: Any, tools: Any, tool_choice: Any, config: Any) -> ModelOutput:
        text = messages[-1].text
        digest = hashlib.sha256(f"{config.seed}|{text[-400:]}".encode()).digest()[0]
        letters = re.findall(r"^\(?([A-Z])[).]", text, re.MULTILINE)
        said = letters[digest % len(letters)] if letters else str(1 + digest % 5)
        numbered = re.findall(r"^(\d)\. ", text, re.MULTILINE)[:-1]  # the last is that of the example
        lines = [f"{i}. {min(7, 2 + digest % 3 + 2 * ('you lose' in text))}" for i in numbered]
        made = ModelOutput.from_content("mockllm/model", "\n".join(lines) if lines else f"ANSWER: {said}")
        made.usage = ModelUsage(input_tokens=20, output_tokens=5, total_tokens=25)
        return made

    usual = usual_sampling("people")
    sampling = Sampling(usual.temperature, usual.max_tokens, seed=1)
    job = runs.job("people", "mockllm/model", study=study, n=n, sampling=sampling, **more)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of Inspect's own libraries
        return runs.run_job(job, out, model=get_model("mockllm/model", custom_outputs=reply))


@pytest.fixture(scope="session")
def packed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with claims, registration, run, scores and pack."""
    home = tmp_path_factory.mktemp("proof")
    (home / "claims.yaml").write_text(CLAIMS)
    concord.register(
        "framing",
        home / "claims.yaml",
        out=home / "registration.json",
        model="mockllm/model",
        n=4,
        seed=1,
        score=QUICK,
        run_out=home / "run",
    )
    ask(["framing"], home / "run").score(**QUICK).write(home / "run" / "results")
    concord.pack(home / "run", registration=home / "registration.json", out=home / "pack.zip")
    return home
