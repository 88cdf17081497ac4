"""How slow this machine is at this moment: bounds of time in tests stand for work, not for seconds."""

import time

_STEPS = 500_000
_SECONDS = 0.03
"""What the steps take on the machine that the bounds were written on."""


def _loop() -> float:
    start = time.process_time()
    total = 0
    for step in range(_STEPS):
        total += step
    return time.process_time() - start


def allowed(seconds: float) -> float:
    """Return a bound of processor time for this machine, as busy as it is: never below the one given."""
    return seconds * max(1.0, min(_loop() for _ in range(3)) / _SECONDS)
