"""A provider whose replies are a function of what is asked, and the command line with it.

Run as a script it is `concord`, with one more provider: `scripted/NAME`. Every call leaves a line in the file
that ``SCRIPTED_CALLS`` names, so that a test can count what was asked. The name sets the pace.
"""

import asyncio
import hashlib
import itertools
import os
from typing import Any

from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi

DIAGNOSES = ("Major Depressive Disorder", "Panic Disorder", "Generalized Anxiety Disorder", "No diagnosis")
PAUSE = {"fast": 0.0, "steady": 0.01, "slow": 0.2, "stuck": 60.0}
HANGS_AFTER = int(os.environ.get("SCRIPTED_HANGS_AFTER", "12"))
"""So many calls does `scripted/hung` answer; the next ones take an hour."""
_calls = itertools.count(1)


def pause(name: str) -> float:
    """How long a provider of this name takes for its next call, in seconds."""
    if name == "hung":
        return 3600.0 if next(_calls) > HANGS_AFTER else 0.0
    return PAUSE[name]


def scripted_reply(prompt: str, seed: int | None) -> str:
    """What the provider says to a prompt."""
    digest = hashlib.sha256(f"{seed}|{prompt}".encode()).digest()
    if prompt.startswith("State only your answer"):
        return "1. 1" if "numbered" in prompt else "A" if " or " in prompt else "1"
    if "Answer with one letter" in prompt:
        return "AB"[digest[0] % 2]
    if "Answer with one " in prompt:
        return str(digest[0] % 11)
    if "ANSWER:" in prompt:
        return f"REASONING: The note {digest[2]} decides it.\nANSWER: {'ABCD'[digest[0] % 4]}"
    diagnosis = DIAGNOSES[digest[0] % len(DIAGNOSES)]
    if "[SKIP]" in prompt:
        return f"DIAGNOSIS: {diagnosis}"
    return f"REASONING: It has been going on for {digest[1]} days and fits.\nDIAGNOSIS: {diagnosis}"


class ScriptedAPI(ModelAPI):
    async def generate(
        self, input: list[Any], tools: Any, tool_choice: Any, config: GenerateConfig
    ) -> ModelOutput:
        prompt = input[-1].text
        await asyncio.sleep(pause(self.model_name))
        calls = os.environ.get("SCRIPTED_CALLS")
        if calls is not None:
            line = hashlib.sha256(f"{config.seed}|{prompt}".encode()).hexdigest() + "\n"
            fd = os.open(calls, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
            os.write(fd, line.encode())
            os.close(fd)
        output = ModelOutput.from_content(self.model_name, scripted_reply(prompt, config.seed))
        output.usage = ModelUsage(input_tokens=len(prompt), output_tokens=9, total_tokens=len(prompt) + 9)
        return output

    def max_connections(self) -> int:
        return 10


@modelapi(name="scripted")
def scripted() -> type[ModelAPI]:
    return ScriptedAPI


if __name__ == "__main__":
    from concord.cli.app import main

    main()
