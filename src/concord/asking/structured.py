"""Asking for what is read: an answer in a last line, and a schema where Inspect passes one to the provider.

The words of a prompt are the same with and without a schema, so that models of different providers read the
same; a schema only keeps to its form what the words ask for.
"""

from dataclasses import replace

from concord.reading.forms import answer_line
from concord.records import Design, Message, Trial

AUTO, OFF = "auto", "off"
WAYS = (AUTO, OFF)
_ALL = ""
_PROVIDERS = {
    **dict.fromkeys(("openai", "anthropic", "google", "mistral", "groq", "grok", "sagemaker"), _ALL),
    # Servers with OpenAI's interface: one that refuses a schema is asked without it.
    **dict.fromkeys(("openai-api", "vllm", "sglang", "ollama", "llama-cpp-python", "openrouter"), _ALL),
    **dict.fromkeys(("together", "fireworks", "moonshot", "meta", "litellm-proxy", "sambanova"), _ALL),
    **dict.fromkeys(("perplexity", "cloudflare", "hf-inference-providers"), _ALL),
    # Inspect passes one to Claude on Bedrock, and to no other model there.
    "bedrock": "anthropic",
}
"""Provider to what the name of a model must hold. Not here: DeepSeek, which knows JSON without a schema only,
Azure AI, models that run in Inspect's own process, and those of tests."""


_OWN = "/own"
"""How templates end that somebody else has written: their words stay as they are."""


def lined(design: Design) -> Design:
    """Return a design whose prompts ask for the answer in a last line, where they do not do so already."""
    known: dict[tuple[int, int, str], tuple[Message, ...]] = {}

    def with_line(trial: Trial) -> Trial:
        place = (
            id(trial.messages),
            id(trial.forms),
            trial.template,
        )  # repeats share their words, which the design keeps
        messages = known.get(place)
        if messages is None:
            messages = known[place] = _lined_words(trial)
        if messages is trial.messages:
            return trial
        rest = (trial.repeat, trial.template, trial.about, trial.forms)
        return Trial(trial.suite, trial.item, trial.cell, messages, *rest)

    return replace(design, trials=tuple(map(with_line, design.trials)))


def _lined_words(trial: Trial) -> tuple[Message, ...]:
    line = "" if trial.template.endswith(_OWN) or not trial.messages else answer_line(trial.forms)
    if not line or f"{trial.forms[0].mark}:" in trial.messages[-1].text:
        return trial.messages
    last = trial.messages[-1]
    return (*trial.messages[:-1], Message(last.role, f"{last.text}\n{line}"))


def takes_schema(model: str) -> bool:
    """Whether a schema of the answer is sent to a model."""
    provider, _, name = model.partition("/")
    needed = _PROVIDERS.get(provider)
    return needed is not None and needed in name
