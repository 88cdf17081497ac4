"""Titles of very many words, merged areas over each other, records of text: no work by squares."""

import pytest

from concord.errors import FileFormatError
from concord.files.grids import Area, RawTable, is_blank
from concord.files.raw import spread_merged
from concord.people.table.handmade import header, words
from concord.people.table.handmade.header import find_header, split_tables
from concord.people.table.handmade.words import meaning_of, words_of


def test_a_title_of_many_words_behind_a_model_is_looked_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = 0
    inner = words.meaning_of_words

    def counted(found: list[str], **options: bool) -> str | None:
        nonlocal calls
        calls += 1
        return inner(found, **options)

    monkeypatch.setattr(words, "meaning_of_words", counted)
    meaning_of(["GPT-4 " + "word " * 150])
    assert calls < 150 * 15  # every part of every rest were 11,000


def test_a_name_behind_many_words_is_still_found() -> None:
    found = meaning_of(["GPT-4 with a rather long name M"])
    assert found is not None and (found.field, found.side) == ("mean", "agent")


def test_a_text_of_a_thousand_characters_is_no_title() -> None:
    data = [(i, ["a", "1.5"]) for i in range(3, 6)]
    titles = (2, ["Study", "Human t", "GPT-4 t"])
    assert find_header([titles, *data]) is not None
    assert find_header([(2, ["Study", "Human t", "GPT-4 " + "x" * 1000]), *data]) is None


def test_of_a_text_that_is_no_title_only_the_beginning_is_looked_at() -> None:
    assert words_of("Human t " + "x" * 10_000_000)[:2] == ["human", "t"]
    assert len("".join(words_of("x" * 10_000_000))) == 1_000


def test_merged_areas_over_each_other_are_refused() -> None:
    records = tuple((i, ["a", "b"]) for i in range(1, 5))
    once = RawTable("t.xlsx", "S", records, (Area(1, 0, 1_048_576, 16_383),))
    assert [cells for _, cells in spread_merged(once)] == [["a", "a"]] * 4
    twice = RawTable("t.xlsx", "S", records, (Area(1, 0, 1_048_576, 16_383),) * 2)
    with pytest.raises(FileFormatError, match=r"t\.xlsx: merged areas lie over each other"):
        spread_merged(twice)


def test_tables_below_each_other_are_looked_for_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = 0

    def counted(cell: object) -> bool:
        nonlocal seen
        seen += 1
        return is_blank(cell)

    monkeypatch.setattr(header, "is_blank", counted)
    taken = []
    for n in (200, 400):
        records = [(1, ["Study", "Human t", "", "GPT-4 t"]), *((i, ["a", "b", "", "c"]) for i in range(2, n))]
        found = find_header(records)
        assert found is not None
        seen = 0
        split_tables(records, found)
        taken.append(seen)
    assert taken[1] < 2.2 * taken[0]
