"""Arrangers, and what the structure question asks."""

import json
import math
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.errors import FileFormatError, OptionError
from concord.structure import arrangers
from concord.structure.arrangers import FORMATS, get_arranger, order_name, orders
from concord.structure.design import SETS, design_structure
from concord.structure.items import ArrangedItem, ItemSet, read_items

COLOURS = ArrangedItem("c", question="Which?", options=("red", "green", "blue"), answer="red")


def items(path: Path, **document: Any) -> Path:
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


@given(st.integers(2, 9), st.integers(1, 60), st.booleans())
def test_orders_are_permutations_that_differ_and_are_the_same_every_time(
    n: int, limit: int, canonical: bool
) -> None:
    found = orders(n, limit, canonical=canonical)
    assert found == orders(n, limit, canonical=canonical)
    assert len(set(found)) == len(found) == min(limit, math.factorial(n) - (not canonical))
    assert all(sorted(order) == list(range(n)) for order in found)
    assert canonical or tuple(range(n)) not in found


def test_four_characters_have_23_scrambles() -> None:
    found = dict(arrangers.characters(ArrangedItem("x", text="画蛇添足"), ItemSet((), "", "", ""), None))
    assert len(found) == len(set(found.values())) == 23
    assert "画蛇添足" not in found.values()
    assert found["4321"] == "足添蛇画"


def test_an_order_that_changes_nothing_is_left_out() -> None:
    found = list(arrangers.characters(ArrangedItem("x", text="aab"), ItemSet((), "", "", ""), None))
    assert "aab" not in dict(found).values()
    assert [name for name, _ in found] == ["132", "231", "312", "321"]


def test_options_move_and_letters_stay() -> None:
    found = dict(arrangers.options(COLOURS, ItemSet((), "", "", ""), None))
    assert len(found) == 6
    assert found["BCA"] == "Which?\n\nA. green\nB. blue\nC. red"


def test_a_name_means_the_same_order_for_every_item() -> None:
    trials = design_structure("options-en", arrangements=5).trials
    names = {item: {t.cell for t in trials if t.item == item} for item in {t.item for t in trials}}
    assert len(set(map(frozenset, names.values()))) == 1
    assert order_name(range(27)).startswith("1-2-")


@pytest.mark.parametrize(
    ("name", "item", "n"),
    [
        ("shots", COLOURS, 2),
        ("sentences", ArrangedItem("x", sentences=("A.", "B.", "C."), question="So?"), 6),
        ("formats", COLOURS, len(FORMATS)),
        ("paraphrases", ArrangedItem("x", paraphrases=("Why?", "How come?")), 2),
    ],
)
def test_every_arranger_gives_its_arrangements(name: str, item: ArrangedItem, n: int) -> None:
    asked = ItemSet((item,), name, "", "", shots=("Q: 1\nA: 2", "Q: 3\nA: 4"))
    found = dict(get_arranger(name)(item, asked, None))
    assert len(found) == len(set(found.values())) == n


@pytest.mark.parametrize("name", SETS)
def test_bundled_sets_hold_at_least_twenty_items_and_23_arrangements(name: str) -> None:
    trials = design_structure(name).trials
    assert len({trial.item for trial in trials}) >= 20
    assert len({trial.cell for trial in trials}) in ((3,) if name == "proverbs-en" else (23, 24))
    assert len({trial.messages for trial in trials}) == len(trials)


def test_the_right_option_stands_in_each_place_about_equally_often() -> None:
    asked = read_items(Path(arrangers.__file__).parent / "data" / "options-en.json")
    places = [item.options.index(item.answer) for item in asked.items]
    assert max(places.count(k) for k in range(4)) - min(places.count(k) for k in range(4)) <= 1


def test_a_template_of_ones_own_is_used_and_hashed(tmp_path: Path) -> None:
    path = items(tmp_path / "i.json", items=[{"id": 1, "text": "ab"}], arranger="characters",
                 scorer="exact", template="Unscramble {text}!")  # fmt: skip
    design = design_structure(path)
    assert design.trials[0].messages[0].text == "Unscramble ba!"
    assert len(design.templates[0].sha256) == 64


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ([], "expected"),
        ({"items": []}, "at least one item"),
        ({"items": [3]}, "item 1: got 3"),
        ({"items": [{"id": ""}]}, "item 1: 'id' is ''"),
        ({"items": [{"id": True}]}, "'id' is True"),
        ({"items": [{"id": "a", "text": 3}]}, "item 'a': 'text' is 3, expected text"),
        ({"items": [{"id": "a", "options": "ab"}]}, "'options' is 'ab', expected a list of texts"),
        ({"items": [{"id": "a"}, {"id": "a"}]}, "two items are called 'a'"),
        ({"items": [{"id": "a"}], "arranger": 3}, "'arranger' is 3"),
        ({"items": [{"id": "a"}]}, "item 'a' has no 'question', which this arranger needs"),
        ({"items": [{"id": "a"}], "arranger": "shots"}, "at least two texts in 'shots'"),
    ],
)
def test_bad_items_are_named(tmp_path: Path, document: Any, message: str) -> None:
    path = tmp_path / "i.json"
    path.write_text(json.dumps(document))
    with pytest.raises(FileFormatError, match=message):
        design_structure(path)


@pytest.mark.parametrize(
    ("choices", "message"),
    [
        ({"items": "nowhere"}, "neither a file nor a bundled set"),
        ({"arranger": "magic"}, "arranger 'magic' is not known; choose one of characters, options"),
        ({"scorer": "magic"}, "scorer 'magic' is not known; choose one of chrf2"),
        ({"limit": 0}, "limit is 0; expected a whole number from 1"),
        ({"repeats": 0}, "repeats is 0"),
        ({"arrangements": 0}, "arrangements is 0"),
    ],
)
def test_choices_that_do_not_fit_are_told(choices: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionError, match=message):
        design_structure(**choices)
