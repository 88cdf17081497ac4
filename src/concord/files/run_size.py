"""Runs of more trials than can be planned, refused before they are laid out."""

from concord.errors import OptionError
from concord.files.limits import TRIALS


def check_trials(n: int, option: str) -> None:
    """Refuse a run of more trials than can be planned, before they are laid out.

    Raises
    ------
    OptionError
        With the option that makes them so many.
    """
    if n > TRIALS:
        raise OptionError(f"{option}: {n:,} trials in one run, expected at most {TRIALS:,}")
