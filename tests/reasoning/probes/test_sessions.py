"""What is sent when a chain is probed: every prompt, its cell and its place, laid out by hand."""

from dataclasses import replace

from concord.reasoning.probes.design import typical_reply
from concord.reasoning.probes.session import (
    AlteredSteps,
    ChainSession,
    ProbeChoices,
    ProbeItem,
    grid_of,
    pair_session,
    places_of,
)

STEPS = ("fever", "cough", "chest pain", "X-ray", "pneumonia fits")
ITEM = ProbeItem("v1", "A patient coughs.", "pneumonia", STEPS)
ALTERED = AlteredSteps(
    "v1",
    ("no fever", None, "no pain", None, "flu fits"),
    tuple(f"in other words {step}" for step in STEPS),
)


def opened(*probes: str, **how: object) -> ChainSession:
    choices = ProbeChoices(probes, **how)  # type: ignore[arg-type]
    return ChainSession("chain/v1", choices, item=ITEM, altered=ALTERED).start()


def sent(session: ChainSession) -> list[tuple[str, str, int | None, str]]:
    return [
        (one.probe, one.cell, one.step, "\n".join(message.text for message in one.messages))
        for one in session.waiting()
    ]


def test_wrong_steps_take_the_place_of_the_first_the_middle_and_the_last() -> None:
    found = sent(opened("mistake"))
    assert [(cell, step) for _, cell, step, _ in found] == [
        ("chain", None),
        ("mistake", 1), ("again", 1), ("mistake", 3), ("again", 3), ("mistake", 5), ("again", 5),
    ]  # fmt: skip
    assert {probe for probe, *_ in found} == {"mistake"}
    whole, first, _, middle, again, last, _ = (text for *_, text in found)
    assert all("A patient coughs." in text for *_, text in found)
    assert all(step in whole for step in STEPS)
    assert "no fever" in first and "cough\n" not in first
    assert "no pain" in middle and "cough" in middle and "X-ray" not in middle
    assert "chest pain" in again and "no pain" not in again
    assert "flu fits" in last and "X-ray" in last and "pneumonia fits" not in last
    assert [one.n_steps for one in opened("mistake").waiting()] == [5] * 7


def test_places_without_a_wrong_step_are_left_out() -> None:
    only = AlteredSteps("v1", (None, "dry cough", None, None, None), ALTERED.reworded)
    session = ChainSession("chain/v1", ProbeChoices(("mistake",)), item=ITEM, altered=only).start()
    assert [one.step for one in session.waiting()] == [None, 2, 2]


def test_other_words_stand_beside_the_steps_own() -> None:
    found = sent(opened("paraphrase"))
    assert [(cell, step) for _, cell, step, _ in found] == [
        ("original", 1), ("paraphrase", 1), ("original", 3), ("paraphrase", 3), ("original", 5),
        ("paraphrase", 5),
    ]  # fmt: skip
    texts = [text for *_, text in found]
    assert [text.count("in other words") for text in texts] == [0, 1, 0, 3, 0, 5]
    assert all("chest pain" in text for text in texts[2:])
    assert not any("chest pain" in text for text in texts[:2])


def test_ids_name_session_cell_and_place_once_each() -> None:
    ids = [one.id for one in opened("mistake", "paraphrase").waiting()]
    assert len(set(ids)) == len(ids) == 13
    assert ids[0] == "chain/v1/mistake-chain/-.0"
    assert ids[1] == "chain/v1/mistake-mistake/1.0"


def test_a_chain_is_asked_for_first_where_a_probe_needs_one() -> None:
    session = opened("early", "filler", full_grid=True)
    (first,) = session.waiting()
    assert (first.probe, first.cell) == ("chain", "chain")
    thoughts = ["The fever began about three days ago", "The cough brings up a yellow sputum",
                "The left lung sounds dull and the X-ray is white"]  # fmt: skip
    session.answer(first.id, f"REASONING: {'. '.join(thoughts)}.\nDIAGNOSIS: flu")
    cells = [(one.probe, one.cell, one.step) for one in session.waiting()]
    assert cells[:2] == [("filler", "filler", None), ("filler", "direct", None)]
    early = [one for one in session.waiting() if one.probe == "early"]
    assert [one.step for one in early] == [0, 1, 2, 3, 3]  # the whole chain twice: its repeats
    held = [sum(words in one.messages[0].text for words in thoughts) for one in early]
    assert held == [0, 1, 2, 3, 3]
    assert {one.n_steps for one in early} == {3}


def test_grids_and_places() -> None:
    assert grid_of(20, full=False) == [0, 5, 10, 15, 20]
    assert grid_of(4, full=False) == [0, 1, 2, 3, 4]
    assert grid_of(5, full=False) == [0, 1, 2, 4, 5]
    assert grid_of(6, full=True) == list(range(7))
    assert [places_of(n) for n in (1, 2, 3, 8)] == [[1], [1, 2], [1, 2, 3], [1, 4, 8]]


def test_pairs_are_asked_as_often_as_samples_are_wanted() -> None:
    sides = [("target", ProbeItem("a", "She is sad.", "")), ("control", ProbeItem("b", "He is sad.", ""))]
    session = pair_session("pairs/p", sides, ProbeChoices(("pairs",), samples=3))
    assert [(one.cell, one.sample) for one in session.waiting()] == [
        ("target", 0), ("target", 1), ("target", 2), ("control", 0), ("control", 1), ("control", 2),
    ]  # fmt: skip
    assert "She is sad." in session.waiting()[2].messages[0].text


def test_plans_count_a_whole_reasoning_for_a_chain_and_a_word_for_other_questions() -> None:
    session = ChainSession("chain/v1", ProbeChoices(("early",)), item=ITEM).start()
    chain = session.open_questions[0]
    assert typical_reply(session, chain) == f"REASONING: {' '.join(ITEM.gold_steps)}\nDIAGNOSIS: x"
    assert typical_reply(session, replace(chain, probe="early")) == "x"
