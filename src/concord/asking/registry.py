"""Everything that can be asked, one record each; a new one is a file in `asked` and a name here.

A record is loaded when it is first looked for: whoever asks about reasoning loads no study.
"""

from importlib import import_module

from concord.asking.askable import Askable
from concord.asking.keys import Sampling
from concord.errors import OptionError

NAMES = ("people", "structure", "reasoning", "probes", "judge")
"""Names of what can be asked, each that of its file in `asked`, in the order of showing."""


def find(name: str) -> Askable | None:
    """Return what has this name; a run that follows another (a judge's, say) has none."""
    if name not in NAMES:
        return None
    found: Askable = import_module(f"concord.asking.asked.{name}").ASKED
    return found


def everything() -> tuple[Askable, ...]:
    """Return all that can be asked."""
    return tuple(map(askable, NAMES))


def askable(name: str) -> Askable:
    """Return what has this name."""
    found = find(name)
    if found is None:
        raise OptionError(f"question {name!r} is not known; expected {', '.join(NAMES)}")
    return found


def usual_sampling(name: str) -> Sampling:
    """Return the settings that something is asked with unless others are chosen: in a run and in Inspect.

    Examples
    --------
    >>> usual_sampling("people").sent(0)
    {'temperature': 1.0, 'max_tokens': 256}
    """
    one = askable(name)
    return Sampling(temperature=one.temperature, max_tokens=one.max_tokens)
