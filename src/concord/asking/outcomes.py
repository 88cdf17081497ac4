"""Which outcome a reply is: one rule for runs, for sessions and for Inspect's logs."""

import re

from concord.errors import ModelError
from concord.records import AskOutcome


class ProviderRefusedError(ModelError):
    """The provider refuses every call: a wrong key, an empty account, a model that is not there."""


_OVERFLOW = re.compile(
    r"maximum context length|context[ _](?:length|window|size)|exceeds? the (?:available |model's )?context|"
    r"prompt is too long|input is too long|input length .{0,40}exceed|too many (?:input )?tokens|"
    r"reduce the length of the (?:messages|prompt|input)|maximum (?:prompt|input) length|"
    r"longer than the maximum model length|prompt is too big|context shift is disabled|"
    r"tokens\W+max_new_tokens\W+must be",
    re.IGNORECASE,
)
"""How servers say that a prompt does not fit; only OpenAI has a code for it."""
_QUOTA = re.compile(
    r"insufficient[ _]quota|exceeded your current quota|billing|payment required|credit balance|"
    r"out of credits",
    re.IGNORECASE,
)


def says_overflow(words: str) -> bool:
    """Whether an error says that the prompt does not fit into the model.

    Examples
    --------
    >>> says_overflow("This model's maximum context length is 4096 tokens. However, you requested 5000")
    True
    >>> says_overflow("the request exceeds the available context size, try increasing it")
    True
    >>> says_overflow("`inputs` tokens + `max_new_tokens` must be <= 2048. Given: 2000 `inputs` tokens")
    True
    """
    return _OVERFLOW.search(words) is not None


def says_quota(words: str) -> bool:
    """Whether an error says that nothing more is paid for, which waiting does not change."""
    return _QUOTA.search(words) is not None


def outcome_of(stop: str, text: str, *, thinking: bool, error: bool) -> AskOutcome:
    """Return the outcome of what came back."""
    if stop == "content_filter":
        return AskOutcome.FILTERED
    if stop == "model_length":
        # A prompt that does not fit comes back as an error, a reply that filled the rest as text.
        return AskOutcome.OVERFLOW if error or not text.strip() else AskOutcome.TRUNCATED
    if stop == "max_tokens":
        return AskOutcome.TRUNCATED
    return AskOutcome.OK if text.strip() or thinking else AskOutcome.EMPTY
