"""What Inspect finds by the entry point `concord`: the tasks and the embedded model."""

from concord.asking.inspect.private import name_our_objects

name_our_objects()  # before the tasks are made, which is when Inspect names them

from concord.asking.inspect.local import local  # noqa: E402
from concord.asking.inspect.tasks import TASKS  # noqa: E402

__all__ = ["TASKS", "local"]
