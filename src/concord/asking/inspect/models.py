"""Find a model: its provider, its key, its address, in this order, before anything is planned or asked."""

import importlib
import inspect
import json
import os
import re
import tempfile
from collections.abc import Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import Any

from inspect_ai.model import GenerateConfig, Model, cache_path, get_model

from concord.asking.connection import (
    Connection,
    Redactor,
    base_url_of,
    check_keys,
    check_reachable,
    is_loopback,
    strip_keys,
)
from concord.asking.inspect.batches import check_batches
from concord.asking.inspect.private import (
    name_our_objects,
    receive_no_more,
    retry_nowhere_else,
    stay_at_origin,
    without_our_tasks,
)
from concord.asking.inspect.received import read_strictly
from concord.errors import InputError, ModelError, OptionError

PLACEHOLDER_KEY = "none-needed"
_EXPECTED = (
    "expected PROVIDER/MODEL, such as openai/gpt-4o-mini, anthropic/claude-haiku-4-5, "
    "openai-api/NAME/MODEL with --base-url, or local/smollm2-135m"
)
_PROVIDERS = (
    "openai", "anthropic", "google", "mistral", "together", "groq", "openrouter", "ollama", "vllm", "hf",
    "bedrock", "azureai", "deepseek", "grok", "openai-api", "local", "mockllm",
)  # fmt: skip
"""Names that a slip of the pen is compared with."""
_VARIABLE = re.compile(r"\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b")
_INSTALL = re.compile(r"pip install [\w.\[\]-]*\w\]?(?:\s*[<>=]=?\s*[\w.]+)?")
_MARKUP = re.compile(r"\[/?[a-z ]+\]")


def find_model(name: str, connection: Connection, arguments: str | None = None) -> Model:
    """Find the provider and its key, without asking anything yet; some arguments are the provider's own."""
    model = _opened(name, connection)
    if arguments is not None:
        settings, own = _placed(model, json.loads(arguments))
        model = _opened(name, connection, settings, own)
    if connection.batch:
        check_batches(model, name)
    retry_nowhere_else(model)
    stay_at_origin(model)
    receive_no_more(model)
    read_strictly(model)
    return model


def _placed(model: Model, arguments: dict[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return which arguments go along with every call, and which a provider takes when it is opened."""
    kinds: tuple[Any, ...] = type(model.api).__mro__
    named = {name for kind in kinds for name in inspect.signature(kind.__init__).parameters}
    client: Any = getattr(model.api, "client", None)
    settings: dict[str, Any] = {}
    own: dict[str, Any] = {}
    body: dict[str, Any] = {}
    for name, value in arguments.items():
        if name in GenerateConfig.model_fields:
            settings[name] = value
        elif name in named or not (hasattr(client, "chat") or hasattr(client, "messages")):
            own[name] = value
        else:
            body[name] = value
    if body:  # the clients of Anthropic and OpenAI send whatever they are given
        place = settings if hasattr(client, "chat") else own
        place["extra_body"] = {**place.get("extra_body", {}), **body}
    return settings, own


def _opened(
    name: str,
    connection: Connection,
    settings: Mapping[str, Any] = MappingProxyType({}),
    own: Mapping[str, Any] = MappingProxyType({}),
) -> Model:
    strip_keys(name)
    check_keys(name)
    url = base_url_of(name, connection.base_url)
    if url is not None:
        check_reachable(url)
    if name.startswith("local/"):
        name_our_objects()
        importlib.import_module("concord.asking.inspect.local")  # is made known to Inspect by that
    try:
        with without_our_tasks():
            model = get_model(
                name,
                config=GenerateConfig(
                    max_retries=0,
                    attempt_timeout=connection.attempt_seconds,
                    cache_prompt=connection.cache_prompt,
                    **settings,
                ),
                base_url=url,
                api_key=_key(name, url),
                memoize=False,
                **_arguments(name),
                **({"streaming": False} if connection.batch and name.startswith("anthropic/") else {}),
                **own,
            )
    except InputError:
        raise
    except Exception as fault:  # noqa: BLE001 - providers raise what they like; none of it is our bug
        if settings or own:
            given = ", ".join(sorted((*settings, *own)))
            words = " ".join(str(fault).split())[:300]
            raise OptionError(f"--set {given}: {name} does not take it: {words}") from None
        raise ModelError(_told(name, fault)) from None
    return model


def check_cache() -> None:
    """Refuse to use Inspect's cache of replies where it cannot be kept, before every call would find out."""
    try:
        with tempfile.TemporaryFile(dir=cache_path()):
            pass
    except OSError as fault:
        raise OptionError(
            f"--cache: Inspect's cache cannot be written ({fault.strerror}: {fault.filename}); leave --cache "
            "out, or name another folder in INSPECT_CACHE_DIR"
        ) from fault


def _told(name: str, fault: Exception) -> str:
    """Say in one plain line what a model lacks."""
    text = _MARKUP.sub("", " ".join(str(getattr(fault, "message", fault)).split())).strip()
    text = text.removeprefix("ERROR: ")
    variables = list(dict.fromkeys(found for found in _VARIABLE.findall(text) if found not in os.environ))
    if type(fault).__name__ == "PrerequisiteError" and variables:
        return f"the model {name!r} needs {' or '.join(variables)} in the environment; nothing was asked"
    provider, slash, _ = name.partition("/")
    if not slash:
        return f"the model {name!r} cannot be used: it names no provider; {_EXPECTED}"
    if (missing := _INSTALL.search(text)) is not None:
        return f"the model {name!r} needs a package that is not installed: {missing[0]}; nothing was asked"
    if "not recognized" in text:
        near = get_close_matches(provider, _PROVIDERS, 1)
        hint = f"; did you mean {near[0]}/?" if near else ""
        return f"the model {name!r} cannot be used: the provider {provider!r} is not known{hint}; {_EXPECTED}"
    return f"the model {name!r} cannot be used: {Redactor.of(name).text(text.rstrip('.'))}; {_EXPECTED}"


def _key(model: str, url: str | None) -> str | None:
    """Return a key for a server on this machine: it usually wants none, but the client does."""
    parts = model.split("/")
    if parts[0] != "openai-api" or len(parts) < 3 or url is None or not is_loopback(url):
        return None
    name = parts[1].upper().replace("-", "_") + "_API_KEY"
    return os.environ.get(name, PLACEHOLDER_KEY)


def _arguments(model: str) -> dict[str, Any]:
    """Return what a provider needs beyond its name: Inspect's mock fetches a table to count tokens."""
    if not model.startswith("mockllm/"):
        return {}
    from inspect_ai.model import ModelOutput, ModelUsage

    def reply(*asked: object) -> ModelOutput:
        output = ModelOutput.from_content(model, "Default output from mockllm/model")
        output.usage = ModelUsage()
        return output

    return {"custom_outputs": reply}
