"""What was sent, as one key; and secrets, which never leave the environment."""

import hashlib
import json
import os
import re
import socket
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

from concord.errors import ModelError, OptionError
from concord.records import Trial

_SECRET_NAME = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.IGNORECASE)
_SHORTEST_SECRET = 8
HIDDEN = "[hidden]"


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the model is asked to answer. ``None`` is not sent: the provider decides."""

    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    seed: int | None = None
    """Seed of repeat 0; repeat k is sent ``seed + k``, so that repeats are not copies."""

    def seed_of(self, repeat: int) -> int | None:
        """Return the seed that is sent with a repeat."""
        return None if self.seed is None else self.seed + repeat

    def sent(self, repeat: int) -> dict[str, float | int]:
        """Return the settings that are sent, and only those.

        Examples
        --------
        >>> Sampling(temperature=0.0, seed=7).sent(2)
        {'temperature': 0.0, 'seed': 9}
        """
        settings = {**asdict(self), "seed": self.seed_of(repeat)}
        return {name: value for name, value in settings.items() if value is not None}


def trial_key(trial: Trial, model: str, sampling: Sampling) -> str:
    """Return the key of a trial: a hash of what names it and of everything that is sent.

    A changed prompt, model, setting, seed or repeat is another key, so that a stored reply is never taken
    for an answer to something else.
    """
    sent = {
        "suite": trial.suite,
        "item": trial.item,
        "cell": trial.cell,
        "repeat": trial.repeat,
        "model": model,
        "messages": [[message.role, message.text] for message in trial.messages],
        "sampling": sampling.sent(trial.repeat),
    }
    # Lone surrogates may stand in a prompt; escaped, every string has bytes.
    text = json.dumps(sent, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def secrets_of(environment: Mapping[str, str] = os.environ) -> tuple[str, ...]:
    """Return the values in the environment that must not be written anywhere, longest first."""
    found = {
        value
        for name, value in environment.items()
        if _SECRET_NAME.search(name) and len(value) >= _SHORTEST_SECRET
    }
    return tuple(sorted(found, key=lambda value: (-len(value), value)))


def scrub(text: str, secrets: tuple[str, ...]) -> str:
    """Take secrets out of a text.

    Examples
    --------
    >>> scrub("401: bad key sk-12345678", ("sk-12345678",))
    '401: bad key [hidden]'
    """
    for secret in secrets:
        text = text.replace(secret, HIDDEN)
    return text


def check_url(url: str) -> str:
    """Refuse a server address that is none, or that carries a password."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise OptionError(f"--base-url {url!r}: expected an address such as http://127.0.0.1:8000/v1")
    if parts.username is not None or parts.password is not None:
        raise OptionError(
            "--base-url holds a user name or password, which would be written to the run's record; "
            "put the key into the environment instead"
        )
    return url


def knock(url: str, seconds: float = 5.0) -> None:
    """Refuse an address where nobody listens, before every call would find out by itself.

    Raises
    ------
    ModelError
        No connection; not looked for where a proxy stands in between.
    """
    proxied = any(name.lower() in ("http_proxy", "https_proxy", "all_proxy") for name in os.environ)
    if proxied and not is_loopback(url):
        return
    parts = urlsplit(url)
    port = parts.port if parts.port is not None else (443 if parts.scheme == "https" else 80)
    try:
        socket.create_connection((str(parts.hostname), port), timeout=seconds).close()
    except OSError as fault:
        reason = fault.strerror if fault.strerror is not None else str(fault)
        raise ModelError(
            f"no server answers at {url}: {reason}; start it, or mend --base-url; nothing was asked"
        ) from fault


def is_loopback(url: str) -> bool:
    """Whether a server address is on this machine."""
    return urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1")
