"""What to do about replies that were cut: said after a run, after scoring it, and on the page."""

from collections.abc import Mapping

SHARE = 0.05
"""Share of replies from which on it is said that they were cut."""
CUT = "truncated"


def cut_advice(outcomes: Mapping[str, int], max_tokens: int | None) -> str:
    """Say how many replies were cut and how to ask for them again; nothing where they are few.

    Examples
    --------
    >>> cut_advice({"ok": 30, "truncated": 10}, 16)
    '10 of 40 replies were cut at 16 tokens; ask them again with --again truncated --max-tokens 64'
    >>> cut_advice({"ok": 99, "truncated": 1}, 16)
    ''
    """
    cut, asked = outcomes.get(CUT, 0), sum(outcomes.values())
    if not cut or cut < SHARE * asked:
        return ""
    at = "" if max_tokens is None else f" at {max_tokens:,} tokens"
    more = "a higher --max-tokens" if max_tokens is None else f"--max-tokens {4 * max_tokens}"
    how = f"with --again {CUT} {more}" if max_tokens is not None else f"with --again {CUT} and {more}"
    return f"{cut:,} of {asked:,} replies were cut{at}; ask them again {how}"
