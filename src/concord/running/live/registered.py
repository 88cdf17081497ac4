"""What Inspect finds by the entry point `concord`: the tasks and the embedded model."""

from concord.running.live.local import local
from concord.running.live.tasks import people, reasoning, structure

__all__ = ["local", "people", "reasoning", "structure"]
