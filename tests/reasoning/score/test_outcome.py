"""Outcomes are counted apart, and reasoning in direct replies is noticed."""

import pytest

from concord.reasoning.read.records import Outcome, RecordedReply
from concord.reasoning.score.parse import Triage
from concord.reasoning.words.correct import Judge
from concord.reasoning.words.names import load_lexicon
from concord.reasoning.words.split import split_reply


@pytest.fixture(scope="module")
def triage() -> Triage:
    lexicon = load_lexicon()
    return Triage.of(Judge.of(lexicon.aliases, ["Panic Disorder"]), lexicon.refusals)


@pytest.mark.parametrize(
    ("fields", "expected"),
    [
        ({"response": "DIAGNOSIS: GAD"}, Outcome.OK),
        ({"response": "DIAGNOSIS: something unheard of"}, Outcome.OK),
        ({"response": "DIAGNOSIS: GAD", "failure": "timeout"}, Outcome.FAILED),
        ({"response": " \n"}, Outcome.EMPTY),
        ({"response": "<think>thoughts"}, Outcome.TRUNCATED),
        ({"response": "DIAGNOSIS: GAD", "stop_reason": "length"}, Outcome.TRUNCATED),
        ({"response": "DIAGNOSIS: GAD", "stop_reason": "MAX_TOKENS"}, Outcome.TRUNCATED),
        ({"response": "DIAGNOSIS: GAD", "stop_reason": "stop"}, Outcome.OK),
        ({"response": "<think>thoughts</think>\n"}, Outcome.NO_ANSWER),
        ({"response": "REASONING: a. **DIAGNOSIS:**"}, Outcome.NO_ANSWER),
        ({"response": "", "thinking": "thoughts"}, Outcome.NO_ANSWER),
        ({"response": "I'm sorry, but I can’t provide a diagnosis."}, Outcome.REFUSED),
        ({"response": "DIAGNOSIS: I cannot provide a diagnosis, but GAD is likely."}, Outcome.OK),
        ({"response": "GAD? DIAGNOSIS: I cannot diagnose."}, Outcome.REFUSED),
    ],
)
def test_the_first_outcome_that_applies(triage: Triage, fields: dict[str, str], expected: Outcome) -> None:
    reply = RecordedReply(id="1", mode="cot", **fields)  # type: ignore[arg-type]
    assert (
        triage.outcome(reply, split_reply(reply.response, reply.thinking, triage.judge.n_put_forward))
        is expected
    )


WORDS = "word " * 19


@pytest.mark.parametrize(
    ("response", "thinking", "leaked"),
    [
        ("DIAGNOSIS: GAD", None, False),
        (f"{WORDS}DIAGNOSIS: GAD", None, False),
        (f"{WORDS}word DIAGNOSIS: GAD", None, True),
        (f"{WORDS}word REASONING: [SKIP] DIAGNOSIS: GAD", None, True),
        ("REASONING: [SKIP]\nDIAGNOSIS: GAD", None, False),
        (f"<think></think>{WORDS}word\nAnswer: GAD", None, True),
        ("<think>yes</think>GAD", None, True),
        ("<think>\n</think>GAD", None, False),
        ("GAD", "thoughts", True),
        ("GAD", " ", False),
        (f"GAD. {WORDS * 3}", None, False),
        (f"{WORDS * 3} so GAD", None, True),
        (f"{'low-mood/no-joy ' * 19}GAD", None, False),
        (f"{WORDS * 3}", None, True),
        ("Probably an illness.", None, False),
    ],
)
def test_reasoning_in_a_direct_reply(
    triage: Triage, response: str, thinking: str | None, leaked: bool
) -> None:
    assert triage.leaked(split_reply(response, thinking, triage.judge.n_put_forward)) is leaked
