"""Runs of more trials than can be planned, refused before they are laid out."""

from concord.errors import OptionError
from concord.files.limits import SESSIONS, TRIALS


def check_sessions(n: int, option: str) -> None:
    """Refuse a run of more sessions than can be planned: each is opened once for its first prompt.

    Raises
    ------
    OptionError
        With the option that makes them so many.
    """
    if n > SESSIONS:
        raise OptionError(
            f"{option}: {n:,} sessions in one run, expected at most {SESSIONS:,}; ask for fewer, or "
            "run study by study"
        )


def check_trials(n: int, option: str) -> None:
    """Refuse a run of more trials than can be planned, before they are laid out.

    Raises
    ------
    OptionError
        With the option that makes them so many.
    """
    if n > TRIALS:
        raise OptionError(f"{option}: {n:,} trials in one run, expected at most {TRIALS:,}")
