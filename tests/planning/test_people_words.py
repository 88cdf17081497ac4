"""Words that are given in the place of a result."""

import pytest

import concord
from concord.errors import OptionError


def test_the_word_participants_alone_is_told_what_a_plan_needs() -> None:
    with pytest.raises(OptionError, match="needs a result: plan with a folder"):
        concord.plan("participants")
