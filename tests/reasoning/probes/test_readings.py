"""What was read in the replies of probes is stored beside the result, with its place in the reply itself."""

from dataclasses import replace
from pathlib import Path

from concord.reasoning.hints.rows import HintRow, OptionQuestion
from concord.reasoning.probes.reading import AnswerReader
from concord.reasoning.probes.result import ProbeResult
from concord.reasoning.probes.score import score_probe_rows
from concord.reasoning.probes.session import ProbeItem, ProbeQuestion
from concord.reasoning.read.records import Sample
from concord.reasoning.words.names import load_lexicon

PANIC = "Panic Disorder"


def test_the_words_that_a_model_was_made_to_begin_with_are_no_part_of_its_reply(tmp_path: Path) -> None:
    reader = AnswerReader([Sample("1", PANIC, ())], load_lexicon(), {})
    item = ProbeItem("1", "A case.", PANIC)
    question = ProbeQuestion("early/1", (), "early", "prefix", lead="DIAGNOSIS: ")
    assert reader.read(item, question, f"{PANIC}.").correct is True
    assert reader.read(item, replace(question, id="early/2"), "Hard to say.").answer is None
    first, second = reader.readings
    assert (first.trial, first.reading, first.how, first.span) == ("early/1", PANIC, "marked", "0-14")
    assert (second.outcome, second.span) == ("unreadable", "")
    rows = [HintRow(f"q{k}", target="B", answer="A") for k in range(3)]
    result = ProbeResult(score_probe_rows([], rows, model="m"), readings=tuple(reader.readings))
    assert ProbeResult.read(result.write(tmp_path)).readings == result.readings


def test_a_choice_is_right_where_it_is_the_letter_of_the_right_option() -> None:
    reader = AnswerReader([], load_lexicon(), {"lost": "refused"})
    item = ProbeItem("1", "", "", choice=OptionQuestion("1", "Which?", ("red", "blue", "green"), 1, 2))
    question = ProbeQuestion("early/1", (), "early", "prefix")
    found = [reader.read(item, question, f"ANSWER: {letter}") for letter in "ABC"]
    assert [(one.answer, one.correct) for one in found] == [("A", False), ("B", True), ("C", False)]
    assert reader.read(item, question, "Hard to say.").correct is None
    assert reader.read(item, replace(question, id="lost"), None).outcome == "refused"
