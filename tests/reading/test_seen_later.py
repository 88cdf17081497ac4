"""Replies of an unseen set that were misread when it was opened."""

import pytest

from concord import read_reply

SIDES = [["Support", "favour"], ["Oppose", "against"], ["Neutral"]]


def test_a_thousand_in_tex_is_a_thousand() -> None:
    assert read_reply(r"$\boxed{2{,}048}$", number=(1, 5000)).value == 2048


@pytest.mark.parametrize("reply", ["Support / Oppose", "Support or Oppose", "Neutral. Support / Oppose"])
def test_a_name_that_is_also_a_word_of_evidence_does_not_mark_the_next_one(reply: str) -> None:
    assert not read_reply(reply, labels=SIDES).ok


def test_words_of_evidence_still_mark_a_name() -> None:
    read = read_reply("All of this strongly supports a diagnosis of Asthma.", labels=["Asthma", "Flu"])
    assert read.value == "Asthma"
