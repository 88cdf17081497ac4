"""What a column is told by the others: whose an n is beside a t, which of two groups comes first."""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from concord.files.grids import Numbered, is_blank
from concord.people.table.handmade.header import Header, title_key
from concord.people.table.handmade.words import GROUPED, HUMAN, Meaning, words_of

_PUBLICATION = frozenset(["original", "published", "paper", "study", "studies", "source"])
"""Words that name a study as well as the people in it: "Original study"."""
_WITH_GROUP = (*GROUPED, "any")
Meanings = list[Meaning | None]


def settled(header: Header, records: Sequence[Numbered] = (), mapped: Collection[str] = ()) -> Header:
    """Return a header whose columns are told apart by the columns beside them and by their cells.

    A title that may be a study or its result is the study where no other column is. Of several columns with
    one meaning, as an ``n`` behind each t, each belongs to what is on its left. Two groups with names of
    their own become the first and the second, in the order of the table, on both sides alike. A first column
    of words names the rows.
    """
    meanings = _with_groups(_with_owners(_with_study(header)))
    meanings = _with_outcomes(header, meanings, records, mapped)
    if not mapped or title_key(header.titles[0]) not in map(title_key, mapped):
        meanings = _with_names(meanings, _cells_below(header, records, 0))
    return replace(header, meanings=tuple(meanings))


def with_types(header: Header, records: Sequence[Numbered], is_type: Callable[[object], bool]) -> Header:
    """Take a column *Test* for the types of tests, where it holds nothing else and no other column does."""
    found = list(header.meanings)
    if any(one is not None and one.field == "test_type" for one in found):
        return header
    for j, one in enumerate(found):
        cells = _cells_below(header, records, j)
        if one == Meaning("test") and cells and all(map(is_type, cells)):
            found[j] = Meaning("test_type")
    return replace(header, meanings=tuple(found))


def _cells_below(header: Header, records: Sequence[Numbered], j: int) -> list[object]:
    below = (record for _, record in records[header.begin :])
    return [record[j] for record in below if j < len(record) and not is_blank(record[j])]


def _with_names(found: Meanings, cells: Sequence[object]) -> Meanings:
    """Take a first column of words that no title explains for names: of studies, or of the tests."""
    fields = {one.field for one in found if one is not None}
    if found[0] is not None or not cells or fields & {"study", "who"}:
        return found
    if all(isinstance(cell, str) and not cell.strip().isdigit() for cell in cells):
        found[0] = Meaning("study" if fields & {"finding", "test"} else "test")
    return found


def _with_outcomes(
    header: Header, found: Meanings, records: Sequence[Numbered], mapped: Collection[str]
) -> Meanings:
    """Take a column *Result* of nobody that holds words alone for what was measured, if no other does."""
    known = set(map(title_key, mapped))
    if any(one is not None and one.field in ("finding", "test") for one in found):
        return found
    for j, one in enumerate(found):
        if one != Meaning("any") or title_key(header.titles[j]) in known:
            continue
        cells = _cells_below(header, records, j)
        if cells and all(isinstance(cell, str) and not any(map(str.isdigit, cell)) for cell in cells):
            found[j] = Meaning("test")
            break
    return found


def _with_study(header: Header) -> Meanings:
    found = list(header.meanings)
    if any(one is not None and one.field == "study" for one in found):
        return found
    for j, (title, one) in enumerate(zip(header.titles, found, strict=True)):
        words = set(words_of(title))
        if one == Meaning("any", HUMAN) and words <= _PUBLICATION and words != {"original"}:
            found[j] = Meaning("study")
            break
    return found


def _with_owners(found: Meanings) -> Meanings:
    """Assign columns of one meaning to their neighbours on the left, where that makes them different."""
    times = Counter(found)
    for meaning, count in times.items():
        if meaning is None or count < 2 or not meaning.is_number:
            continue
        places = [j for j, one in enumerate(found) if one == meaning]
        owned = [_owned(found, j) for j in places]
        if len(set(owned)) == len(owned):
            for j, one in zip(places, owned, strict=True):
                found[j] = one
    return found


def _owned(found: Meanings, j: int) -> Meaning | None:
    """Return a column as one of the side and of the group of the columns on its left."""
    meaning = found[j]
    assert meaning is not None  # noqa: S101 - the caller looked
    for one in reversed(found[:j]):
        if one is None or not one.is_number:
            break
        if meaning.side is None and one.side is not None:
            meaning = replace(meaning, side=one.side, agent=one.agent)
        is_same_side = (one.side, one.agent) == (meaning.side, meaning.agent)
        if meaning.field in GROUPED and not meaning.group and one.group and is_same_side:
            return replace(meaning, group=one.group)
    return meaning


def _with_groups(found: Meanings) -> Meanings:
    """Name two groups of the table 1 and 2; more, or one, keep their own words."""
    named = [one.group for one in found if one is not None and one.field in _WITH_GROUP and one.group]
    groups = list(dict.fromkeys(named))
    if len(groups) != 2:
        return found
    first, second = groups if groups[0] != "2" and groups[1] != "1" else reversed(groups)
    number = {first: "1", second: "2"}
    return [
        replace(one, group=number[one.group])
        if one is not None and one.field in _WITH_GROUP and one.group
        else one
        for one in found
    ]
