"""Who may ask: the holder of the token, from a page of this server, about files below one folder."""

import hmac
import secrets
from pathlib import Path

LONGEST_PATH = 1000


def new_token() -> str:
    """Return a token that cannot be guessed."""
    return secrets.token_urlsafe(24)


def same_token(given: str, token: str) -> bool:
    """Whether a token is the right one, in time that does not tell how much of it is."""
    return hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


def own_host(host: str | None, port: int) -> bool:
    """Whether a request names this server, so that no page elsewhere can reach it by a name of its own.

    Examples
    --------
    >>> own_host("127.0.0.1:8000", 8000), own_host("evil.example:8000", 8000), own_host(None, 8000)
    (True, False, False)
    """
    return host in (f"127.0.0.1:{port}", f"localhost:{port}")


def own_origin(origin: str | None, port: int) -> bool:
    """Whether something is sent by a page of this server.

    Examples
    --------
    >>> own_origin("http://127.0.0.1:8000", 8000), own_origin("null", 8000), own_origin(None, 8000)
    (True, False, False)
    """
    return origin in (f"http://127.0.0.1:{port}", f"http://localhost:{port}")


def below(root: Path, name: str) -> Path | None:
    """Return a path below a folder; None for one that leads out of it, by dots or by a link."""
    if len(name) > LONGEST_PATH or "\x00" in name:
        return None
    path = (root / name).resolve()
    return path if path.is_relative_to(root.resolve()) else None
