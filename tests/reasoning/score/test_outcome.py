"""Outcomes are counted apart, and reasoning in direct replies is noticed."""

import pytest

from concord.reasoning.read.records import Outcome, RecordedReply, Sample
from concord.reasoning.score.parse import Parser
from concord.reasoning.words.names import load_lexicon


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser([Sample("1", "Panic Disorder", ())], load_lexicon(), "standard")


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
        ({"response": "<think>thoughts</think>\n"}, Outcome.UNREADABLE),
        ({"response": "REASONING: a. **DIAGNOSIS:**"}, Outcome.UNREADABLE),
        ({"response": "", "thinking": "thoughts"}, Outcome.UNREADABLE),
        ({"response": "I'm sorry, but I can’t provide a diagnosis."}, Outcome.REFUSED),
        ({"response": "DIAGNOSIS: GAD or panic disorder"}, Outcome.SEVERAL),
        ({"response": "DIAGNOSIS: I cannot provide a diagnosis, but GAD is likely."}, Outcome.REFUSED),
        ({"response": "GAD? DIAGNOSIS: I cannot diagnose."}, Outcome.REFUSED),
    ],
)
def test_the_first_outcome_that_applies(parser: Parser, fields: dict[str, str], expected: Outcome) -> None:
    reply = RecordedReply(id="1", mode="cot", **fields)  # type: ignore[arg-type]
    assert parser.reply(reply, "Panic Disorder").outcome is expected


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
    parser: Parser, response: str, thinking: str | None, leaked: bool
) -> None:
    reply = RecordedReply("1", "direct", response, thinking)
    assert parser.reply(reply, "Panic Disorder").leaked is leaked
