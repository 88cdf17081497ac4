"""How a model is reached: the address of its server, and its keys, which leave no trace.

Nothing here changes what is sent. Only the keys of the models that are asked are hidden in what is written:
the value of another environment variable may be a word of an answer, and a reply must not be rewritten.
"""

import json
import os
import re
import socket
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from html import escape
from typing import Any
from urllib.parse import quote, urlsplit

from concord.errors import ModelError, OptionError, quoted
from concord.numeric import check_numbers

_ATTEMPT, _BATCH = 600, 26 * 3600
"""Seconds for one attempt where none are chosen, and for one in a batch."""


@dataclass(frozen=True, slots=True)
class Connection:
    """How the model is reached."""

    base_url: str | None = None
    max_connections: int | None = None
    max_retries: int = 5
    timeout: int | None = _ATTEMPT
    """Seconds for one attempt."""
    give_up_after: int = 20
    """Failed calls in a row after which the run stops."""
    give_up_seconds: float = 600.0
    """Seconds without any reply, and with failed attempts, after which the run stops."""
    batch: bool = False
    """Whether calls are sent in batches, which come back within a day."""
    cache_prompt: bool | None = None
    """Whether the provider is asked to keep prompts in its cache; ``None``: as it does by itself."""

    def __post_init__(self) -> None:
        minutes = {"give_up_minutes": self.give_up_seconds / 60}
        check_numbers({**asdict(self), **minutes}, required=("max_retries", "give_up_after", *minutes))

    @property
    def attempt_seconds(self) -> int:
        """Seconds for one attempt; there is always a limit, since a call can hang for ever."""
        if self.batch:
            return _BATCH
        return _ATTEMPT if self.timeout is None else self.timeout


def check_url(url: str, name: str = "--base-url") -> str:
    """Refuse a server address that is none, or that carries a password or a key."""
    try:
        parts = urlsplit(url)
        port, _ = parts.port, str(parts.hostname).encode("idna")
    except ValueError:  # also what no name of a host can be
        raise _no_address(name) from None
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        raise OptionError(
            f"{name} holds a user name, a password, a query or a fragment, which would be written to the "
            "run's record; put the key into the environment instead"
        )
    if parts.scheme not in ("http", "https") or not parts.hostname or port == 0:
        raise _no_address(name, url)
    return url


def _no_address(name: str, url: str | None = None) -> OptionError:
    """Return the refusal of what is no address; one that may hold a secret is not repeated."""
    told = name if url is None else f"{name} {quoted(url)}"
    return OptionError(f"{told}: expected an address such as http://127.0.0.1:8000/v1")


def base_url_of(model: str, given: str | None) -> str | None:
    """Return the checked address of a model's server: the one given, or that of the environment."""
    if given is not None:
        return check_url(given)
    parts = model.split("/")
    service = parts[1] if parts[0] == "openai-api" and len(parts) > 2 else parts[0]
    name = service.upper().replace("-", "_") + "_BASE_URL"
    return check_url(os.environ[name], name) if os.environ.get(name) else None


def check_reachable(url: str) -> None:
    """Refuse an address where nobody listens, before every call would find out by itself."""
    proxied = any(name.lower() in ("http_proxy", "https_proxy", "all_proxy") for name in os.environ)
    if proxied and not is_loopback(url):
        return
    parts = urlsplit(url)
    port = parts.port if parts.port is not None else (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((str(parts.hostname), port), timeout=5.0).close()
    except OSError as fault:
        reason = fault.strerror if fault.strerror is not None else str(fault)
        raise ModelError(
            f"no server answers at {url}: {reason}; start it, or correct --base-url; nothing was asked"
        ) from fault


def is_loopback(url: str) -> bool:
    """Whether a server address is on this machine."""
    return urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1")


HIDDEN = "[hidden]"
_SHORT = 8
"""A key shorter than this is hidden only where it is alone: it may be part of a word."""
_LEAST, _LONG = 5, 16
"""Characters of a key that mixes letters with other signs, and of any other, that it is a secret."""
_IN_ADDRESSES = str.maketrans("+/", "-_")
_PLACEHOLDERS = frozenset(
    (
        *("none", "none-needed", "no-key", "not-needed", "empty", "dummy", "fake", "null", "x", "xxx"),
        *("ollama", "vllm", "lm-studio", "local", "test", "sk-no-key-required"),
    )
)
"""What servers without keys are given as one; nothing secret, and often a word."""
_ENDINGS = ("_API_KEY", "_KEY", "_TOKEN", "_SECRET_ACCESS_KEY", "_CREDENTIALS")
_VARIABLES = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"),
    "google": ("GOOGLE_API_KEY", "GEMINI_API_KEY"),
    "azureai": ("AZUREAI_API_KEY", "AZURE_API_KEY"),
    "bedrock": ("AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_ACCESS_KEY_ID"),
    "hf": ("HF_TOKEN",),
    "hf-inference-providers": ("HF_TOKEN",),
}
"""Where providers look for keys that are not called after them."""


def key_variables(model: str, environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return the variables that hold keys for a model, as far as they are set."""
    parts = model.split("/")
    service = parts[1] if parts[0] in ("openai-api", "anthropic-api") and len(parts) > 2 else parts[0]
    stem = service.upper().replace("-", "_")
    named = {*_VARIABLES.get(parts[0], ()), *(stem + ending for ending in _ENDINGS)}
    return tuple(sorted(name for name in named if name in environment))


def check_keys(model: str, environment: Mapping[str, str] = os.environ) -> None:
    """Refuse a key that no provider can have given, by the name of its variable and never by its value."""
    for name in key_variables(model, environment):
        value = environment[name].strip()
        if not value:
            raise ModelError(f"{name} is set and blank; put the key there, or unset it")
        if any(not " " < letter <= "~" for letter in value):
            raise ModelError(
                f"{name} holds a blank, a line feed or another character that no key has; copy the key again"
            )


def strip_keys(model: str, environment: Any = os.environ) -> None:
    """Take blanks and line feeds off the ends of a model's keys, where a file or a paste has left them."""
    for name in key_variables(model, environment):
        if environment[name] != environment[name].strip():
            environment[name] = environment[name].strip()


def is_secret(key: str) -> bool:
    """Whether a key can be told from the words and numbers of replies; another one is never hidden."""
    if key.lower() in _PLACEHOLDERS:
        return False
    mixed = any(letter.isalpha() for letter in key) and any(not letter.isalpha() for letter in key)
    return len(key) >= _LONG or (mixed and len(key) >= _LEAST)


def plain_keys(*models: str) -> tuple[str, ...]:
    """Return the variables whose keys are plain words or numbers, which nothing hides."""
    named = {name for model in models for name in key_variables(model)}
    held = {name: os.environ[name].strip() for name in named}
    return tuple(
        sorted(name for name, key in held.items() if key.lower() not in _PLACEHOLDERS and not is_secret(key))
    )


class Redactor:
    """Takes keys out of what is written or shown."""

    def __init__(self, keys: Iterable[str] = ()) -> None:
        secret = {key for one in keys if is_secret(key := one.strip())}
        shapes = {shape for key in secret for shape in _shapes(key)}
        ordered = sorted(shapes, key=lambda shape: (-len(shape), shape))
        self._shapes = ordered
        self._pattern = re.compile("|".join(map(_pattern, ordered))) if ordered else None

    @classmethod
    def of(cls, *models: str, more: Iterable[str] = ()) -> "Redactor":
        """Return the redactor for the keys of some models that are in the environment."""
        found = [os.environ[name] for model in models for name in key_variables(model)]
        return cls([*found, *more])

    def text(self, text: str) -> str:
        """Return a text without keys."""
        if self._pattern is None or not any(map(text.__contains__, self._shapes)):  # nearly always
            return text
        return self._pattern.sub(HIDDEN, text)

    def value(self, value: Any) -> Any:
        """Return a value of a document without keys, whatever it is made of."""
        if self._pattern is None:
            return value
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return {self.value(name): self.value(part) for name, part in value.items()}
        if isinstance(value, list | tuple):
            return [self.value(part) for part in value]
        return value


def _shapes(key: str) -> set[str]:
    """Return a key as it may come back: as it is, in JSON, HTML, an address, a header, in base64 or hex."""
    shapes = {key, json.dumps(key)[1:-1], quote(key, safe=""), escape(key), escape(key, quote=False)}
    if len(key) >= _SHORT:
        # In base64 a key looks different behind 0, 1 or 2 bytes; what its neighbours touch is left out.
        held = [b64encode(b"\0" * before + key.encode()).decode().rstrip("=") for before in range(3)]
        cut = {text[-(-before * 4 // 3) : end] for before, text in enumerate(held) for end in (-1, None)}
        shapes |= cut | {text.translate(_IN_ADDRESSES) for text in cut}
        shapes |= {key.encode().hex(), key.encode().hex().upper()}
    return shapes


def _pattern(shape: str) -> str:
    if len(shape) >= _SHORT:
        return re.escape(shape)
    return rf"(?<![A-Za-z0-9]){re.escape(shape)}(?![A-Za-z0-9])"
