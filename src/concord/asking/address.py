"""Addresses of servers: what may be one, and whether somebody listens there."""

import os
import socket
from collections.abc import Mapping
from urllib.parse import urlsplit

from concord.errors import ModelError, OptionError
from concord.files.limits import quoted


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


def base_url_of(model: str, given: str | None, environment: Mapping[str, str] = os.environ) -> str | None:
    """Return the checked address of a model's server: the one given, or that of the environment."""
    if given is not None:
        return check_url(given)
    parts = model.split("/")
    service = parts[1] if parts[0] == "openai-api" and len(parts) > 2 else parts[0]
    name = service.upper().replace("-", "_") + "_BASE_URL"
    return check_url(environment[name], name) if environment.get(name) else None


def check_reachable(url: str, seconds: float = 5.0) -> None:
    """Refuse an address where nobody listens, before every call would find out by itself."""
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
            f"no server answers at {url}: {reason}; start it, or correct --base-url; nothing was asked"
        ) from fault


def is_loopback(url: str) -> bool:
    """Whether a server address is on this machine."""
    return urlsplit(url).hostname in ("127.0.0.1", "localhost", "::1")
