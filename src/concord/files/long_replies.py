"""Replies that are too long to be looked at: how long they are, and what of them is kept."""

from concord.files import limits


def kept_of(response: str, thinking: str | None) -> tuple[int, str, str | None] | None:
    """Return the length of a reply that is too long and the beginnings that are kept; None where it is not.

    Examples
    --------
    >>> kept_of("Yes.", None) is None
    True
    >>> length, response, _ = kept_of("x" * 2_000_000, None)
    >>> length, len(response)
    (2000000, 10000)
    """
    longest = max(len(response), 0 if thinking is None else len(thinking))
    if longest <= limits.REPLY_CHARACTERS:
        return None
    most = limits.REPLY_KEPT
    return longest, response[:most], None if thinking is None else thinking[:most]
