"""Options in another order, without a chain: asked of multiple choice, read back as the same option."""

from collections.abc import Callable

import pytest

from concord.reasoning.hints.detect import RULES, detector_of
from concord.reasoning.hints.rows import LETTERS, OptionQuestion, parse_choices
from concord.reasoning.probes.chains import score_early
from concord.reasoning.probes.design import design_probes, probe_openers
from concord.reasoning.probes.reading import probe_answers
from concord.reasoning.probes.records import EarlyScores
from concord.reasoning.probes.session import REORDERED, ProbeItem, reordered_item

CHAIN = "REASONING: " + " ".join(f"This is step number {k} of the whole chain." for k in range(1, 6))
Choose = Callable[[OptionQuestion], int]


def probed(choose: Choose, *, limit: int = 12) -> EarlyScores:
    """Let a model choose a place of the options that it sees, with and without its chain."""
    design = design_probes("early", chains_of="choices", limit=limit)
    files, options = dict(design.files), dict(design.options)
    questions = {one.id: one for one in parse_choices(files["choices.jsonl"])}
    replies = {}
    for room in probe_openers(files, options).values():
        session = room.open()
        while not session.done:
            for asked in session.waiting():
                shown = questions[room.item]
                if asked.cell == REORDERED:
                    moved = reordered_item(ProbeItem(shown.id, "", "", choice=shown)).choice
                    assert moved is not None and moved.listed() in asked.messages[0].text
                    shown = moved
                letter = LETTERS[choose(shown)]
                lead = f"{CHAIN}\n" if asked.probe == "chain" else ""
                replies[asked.id] = f"{lead}ANSWER: {letter}"
                session.answer(asked.id, replies[asked.id])
    rows, _ = probe_answers(files, options, replies, detector_of(RULES, None))
    return score_early(rows)


def test_a_model_that_knows_its_option_keeps_it_in_any_order() -> None:
    found = probed(lambda shown: shown.answer).normalised
    assert (found.value, found.n) == (1.0, 12)


def test_a_model_that_takes_the_first_place_keeps_nothing_when_options_move() -> None:
    found = probed(lambda shown: 0).normalised
    assert found.value is None
    assert found.note == "no answer stays when the options are reordered"


@pytest.mark.parametrize("n", [2, 3, 4, 6])
def test_options_move_and_the_right_one_stays_right(n: int) -> None:
    for name in ("a", "b", "q17"):
        one = OptionQuestion(name, "?", tuple(f"o{i}" for i in range(n)), 1, 0)
        moved = reordered_item(ProbeItem(name, "?", "B", choice=one)).choice
        assert moved is not None and sorted(moved.options) == sorted(one.options)
        assert moved.options[moved.answer] == "o1" and moved.options[moved.target] == "o0"
        assert all(a != b for a, b in zip(one.options, moved.options, strict=True))
