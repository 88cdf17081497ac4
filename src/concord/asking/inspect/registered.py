"""What Inspect finds by the entry point `concord`: the tasks and the embedded model."""

from concord.asking.inspect.local import local
from concord.asking.inspect.tasks import people, reasoning, structure

__all__ = ["local", "people", "reasoning", "structure"]
