"""Runs of more than can be planned, refused before they are laid out."""

from concord.errors import OptionError
from concord.files.limits import SESSIONS, TRIALS


def check_sessions(n: int, option: str) -> None:
    """Refuse a run of more sessions than can be planned: each is opened once for its first prompt."""
    _refuse_larger(n, SESSIONS, "sessions", option, "; ask for fewer, or run study by study")


def check_trials(n: int, option: str) -> None:
    """Refuse a run of more trials than can be planned, before they are laid out."""
    _refuse_larger(n, TRIALS, "trials", option)


def _refuse_larger(n: int, most: int, what: str, option: str, advice: str = "") -> None:
    if n > most:
        raise OptionError(f"{option}: {n:,} {what} in one run, expected at most {most:,}{advice}")
