"""How a model is reached; nothing here changes what is sent."""

from dataclasses import dataclass

_ATTEMPT = 600


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

    @property
    def attempt_seconds(self) -> int:
        """Seconds for one attempt; there is always a limit, since a call can hang for ever."""
        return _ATTEMPT if self.timeout is None else self.timeout
