"""Everything that can be asked, one record each; a new one is a file in `asked` and a line here."""

from concord.asking.askable import Askable
from concord.asking.asked import people, probes, reasoning, structure
from concord.asking.keys import Sampling
from concord.errors import OptionError

ALL: tuple[Askable, ...] = (people.ASKED, structure.ASKED, reasoning.ASKED, probes.ASKED)
NAMES = tuple(one.name for one in ALL)


def find(name: str) -> Askable | None:
    """Return what has this name; a follow-up run (a judge's, say) has none."""
    return next((one for one in ALL if one.name == name), None)


def askable(name: str) -> Askable:
    """Return what has this name.

    Raises
    ------
    OptionError
        Nothing has it.
    """
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
