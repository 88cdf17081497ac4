"""The header of a hand-made table: where it is, and what its columns mean.

It is below titles, on one to three lines, with merged cells. What a column means its own words say, then
the columns beside it and its cells, and above all a person (`--map`, and the suggested file).
"""

import difflib
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from functools import partial

from concord.errors import OptionError
from concord.files.cells import BadCellError
from concord.files.grids import Numbered, is_blank
from concord.files.tables import NOT_USED, title_key
from concord.people.table.columns import KNOWN, fold
from concord.people.table.handmade.cells import read_any
from concord.people.table.handmade.words import (
    AGENT,
    FIELDS,
    GROUPED,
    HUMAN,
    IDENTITY,
    LONGEST_TITLE,
    PUBLICATION,
    VOCABULARY,
    Meaning,
    meaning_of,
    names_whole_side,
    words_of,
)

DEEPEST = 3
"""Lines that a header may have."""
LOOKED_AT = 40
"""Records in which a header is looked for."""
FEWEST = 3
"""Columns whose words must be known."""
_SIZE = re.compile(
    r"[(\[,;]?\s{0,9}\bn\s{0,9}=\s{0,9}(\d{1,40})(\s{1,9}(?:per|each|je|pro|par|por)\b[^)\]]{0,20})?\s{0,9}[)\]]?",
    re.IGNORECASE,
)
_UNIT = re.compile(VOCABULARY["units"], re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class HeadSize:
    """Participants that a title gives."""

    n: float
    of_side: bool
    """Of a whole side, "Humans (n = 80)"; otherwise of the column's group, "Control (n = 42)"."""


@dataclass(frozen=True, slots=True)
class Header:
    """The header of a table: its titles, what they mean, and where the body begins."""

    titles: tuple[str, ...]
    """The words above each column, the lines joined by ``/``."""
    meanings: tuple[Meaning | None, ...]
    begin: int
    """The place of the first record of the body."""
    last_row: int
    """The last row of the header, as the spreadsheet shows it."""
    sizes: tuple["HeadSize | None", ...] = ()
    """Participants that the words above each column give."""
    first: int = 0
    """The place of its first line among the records."""

    @property
    def keys(self) -> list[set[str]]:
        """What a mapping may call each column: by all lines of its title, or by the last."""
        return [{title_key(title), title_key(title.rpartition(" / ")[2])} for title in self.titles]

    def places_of(self, *fields: str) -> list[int]:
        """Return the places of the columns that hold one of these fields."""
        return [j for j, one in enumerate(self.meanings) if one is not None and one.field in fields]


def find_header(records: Sequence[Numbered], named: Set[str] = frozenset()) -> Header | None:
    """Find the header: the lines whose words are known for most columns; ``None`` where none has enough."""
    best: tuple[tuple[int, int, int], Header] | None = None
    last = _last_filled(records)
    for first in range(min(LOOKED_AT, len(records))):
        for depth in range(1, DEEPEST + 1):
            found = _candidate(records, last, first, depth)
            if found is None:
                break
            known = _distinct(found)
            keys = found.keys
            mapped = sum(
                bool(title and meaning is None and own & named)
                for title, meaning, own in zip(found.titles, found.meanings, keys, strict=True)
            )
            score = (sum(map(_weight_of, known)) + 3 * mapped, -depth, -first)
            is_named = bool(named) and named <= set().union(*keys)
            has_both = len({one.side for one in known} - {None}) > 1
            is_enough = len(known) + mapped >= FEWEST or is_named or has_both
            if is_enough and (best is None or score > best[0]):
                best = (score, found)
    return None if best is None else best[1]


def _distinct(header: Header) -> list[Meaning]:
    """Return what is known of columns, those of one title once: a head over several needs a line below."""
    named = dict(zip(header.titles, header.meanings, strict=True))
    return [one for one in named.values() if one is not None]


def first_line(records: Sequence[Numbered]) -> Header | None:
    """Return the first line that may be a header, whatever its words mean, for a person to say it."""
    last = _last_filled(records)
    found = (_candidate(records, last, first, 1) for first in range(min(LOOKED_AT, len(records))))
    return next((one for one in found if one is not None), None)


def _weight_of(meaning: Meaning) -> int:
    """Return how much is known of a column: what it holds, whose it is, and of which group."""
    if not meaning.is_number:
        return 2
    known = (meaning.field != "any", meaning.side is not None, meaning.group in ("1", "2"))
    return 1 + sum(known)


def _last_filled(records: Sequence[Numbered]) -> list[int]:
    """Return the place of the last record that holds something in each column, -1 where none does."""
    last = [-1] * max((len(record) for _, record in records), default=0)
    for place, (_, record) in enumerate(records):
        for j, cell in enumerate(record):
            if not is_blank(cell):
                last[j] = place
    return last


def _candidate(records: Sequence[Numbered], last: Sequence[int], first: int, depth: int) -> Header | None:
    """Take some records for a header; ``None`` where they hold a title alone, or data."""
    lines = records[first : first + depth]
    if len(lines) < depth or len(records) <= first + depth or not all(map(_is_line, lines)):
        return None
    if any(after - before > 1 for (before, _), (after, _) in zip(lines, lines[1:], strict=False)):
        return None
    width = max(len(record) for _, record in lines)
    levels = [_header_line(record, width, fill=i < depth - 1) for i, (_, record) in enumerate(lines)]
    # a column without anything below is a gap that a title of its neighbours reaches over
    empty = [depth > 1 and not levels[-1][j] and last[j] < first + depth for j in range(width)]
    columns = [
        [] if empty[j] else list(dict.fromkeys(level[j] for level in levels if level[j]))
        for j in range(width)
    ]
    titles = tuple(" / ".join(column) for column in columns)
    meanings = tuple(_column_meaning(column) for column in columns)
    sizes = [_last_size(column) for column in columns]
    begin = first + depth
    if begin < len(records) - 1 and _is_units(below := _without_repeats(records[begin][1], columns)):
        for j, cell in enumerate(below):
            found = None if is_blank(cell) else _last_size([str(cell)])
            sizes[j] = sizes[j] if found is None else found
        begin += 1
    return Header(titles, meanings, begin, records[begin - 1][0], tuple(sizes), first)


def _without_repeats(record: Sequence[object], columns: Sequence[Sequence[str]]) -> list[object]:
    """Return the cells of a line, blank where a merged title reaches down to it."""
    return [
        None if str(cell).strip() in titles else cell for cell, titles in zip(record, columns, strict=False)
    ]


def _column_meaning(texts: Sequence[str]) -> Meaning | None:
    """Return what the words above a column mean, the sizes of samples left out."""
    words = [text for text in (_SIZE.sub(" ", text).strip() for text in texts) if text]
    return meaning_of(words) if words else None


def _last_size(texts: Sequence[str]) -> HeadSize | None:
    """Return the size of a sample that the lowest line gives."""
    found = [
        HeadSize(float(match[1]), not match[2] and names_whole_side(_SIZE.sub(" ", text)))
        for text in texts
        if (match := _SIZE.search(text)) is not None
    ]
    return found[-1] if found else None


def split_tables(records: Sequence[Numbered], header: Header) -> list[tuple[Header, Sequence[Numbered]]]:
    """Return every table that stands below another one on a sheet, each with its header and its records."""
    found: list[tuple[Header, Sequence[Numbered]]] = []
    current = header
    last = _last_filled(records)
    for place in range(header.begin + 1, len(records) - 1):
        if place < current.begin + 1:
            continue
        other = _header_at(records, last, place)
        if other is not None and other.titles != current.titles:
            found.append((current, records[: other.first]))
            current = other
    return [*found, (current, records)]


def _header_at(records: Sequence[Numbered], last: Sequence[int], place: int) -> Header | None:
    """Return the header that begins at a record inside a table; ``None`` where none does."""
    best: tuple[tuple[int, int], Header] | None = None
    for depth in range(1, DEEPEST + 1):
        found = _candidate(records, last, place, depth)
        if found is None:
            break
        known = _distinct(found)
        score = (sum(map(_weight_of, known)), -depth)
        has_both = any(one.is_number for one in known) and not all(one.is_number for one in known)
        if len(known) >= FEWEST and has_both and (best is None or score > best[0]):
            best = (score, found)
    return None if best is None else best[1]


def _is_line(record: Numbered) -> bool:
    """Whether a record may be a line of a header: several different texts, no numbers, no results."""
    cells = [cell for cell in record[1] if not is_blank(cell)]
    if any(isinstance(cell, str) and len(cell) > LONGEST_TITLE for cell in cells):
        return False
    if len({str(cell) for cell in cells}) < 2 or not all(isinstance(cell, str) for cell in cells):
        return False
    return not any(_is_result(_SIZE.sub(" ", str(cell)).strip()) for cell in cells)


def _is_result(text: str) -> bool:
    if not re.search(r"\d", text) or "=" in text:  # a result that cannot be read is one all the same
        return "=" in text and bool(re.search(r"\d", text))
    try:
        read_any(text)
    except BadCellError:
        return False
    return True


def _header_line(record: Sequence[object], width: int, *, fill: bool) -> list[str]:
    """Return the texts of a line; above another line a text is also over the blanks to its right."""
    texts = ["" if is_blank(cell) else str(cell).strip() for cell in record]
    texts += [""] * (width - len(texts))
    if fill:
        for j in range(1, width):
            if not texts[j]:
                texts[j] = texts[j - 1]
    return texts


def _is_units(record: Sequence[object]) -> bool:
    cells = [str(cell).strip() for cell in record if not is_blank(cell)]
    return bool(cells) and all(_UNIT.fullmatch(cell) for cell in cells)


_WITH_GROUP = (*GROUPED, "any")
_BESIDE = (
    *("n", "n_each", "n1", "n2", "df", "df1", "df2"),
    *("p", "sd", "se", "ci", "ci_low", "ci_high", "direction"),
)
"""Fields that belong to the result beside them."""
Meanings = list[Meaning | None]


def settled(
    header: Header,
    records: Sequence[Numbered],
    mapping: Mapping[str, str],
    is_type: Callable[[object], bool],
) -> Header:
    """Return a header whose columns are told apart by the columns beside them and by their cells.

    What a mapping says of a column stays.
    """
    # A title that may be a study or its result is the study where no other column is. Of several columns with
    # one meaning, as an ``n`` behind each t, each belongs to what is on its left. Two groups with names of
    # their own become the first and the second, in the order of the table, on both sides alike. A first
    # column of words names the rows.
    meanings = _with_groups(_with_owners(_with_agents(header, _with_study(header))))
    known, below = set(map(title_key, mapping)), partial(_cells_below, header, records)
    meanings = _with_outcomes(header, meanings, below, known)
    if title_key(header.titles[0]) not in known:
        meanings = _with_names(meanings, below)
    named = zip(header.meanings, meanings, header.keys, strict=True)
    meanings = [own if keys & known else one for own, one, keys in named]
    if "test" not in mapping.values():
        meanings = _with_types(meanings, [below(j) for j in range(len(meanings))], is_type)
    return replace(header, meanings=tuple(meanings))


def _with_types(
    found: Meanings, below: Sequence[Sequence[object]], is_type: Callable[[object], bool]
) -> Meanings:
    """Take a column for the types of tests where it holds them: *Test* alone, never *Analysis* with names."""
    for j, cells in enumerate(below):
        if found[j] == Meaning("test_type") and cells and not any(map(is_type, cells)):
            found[j] = None
    known = any(one is not None and one.field == "test_type" for one in found)
    for j, cells in enumerate(below):
        if not known and found[j] == Meaning("test") and cells and all(map(is_type, cells)):
            found[j] = Meaning("test_type")
    return found


def _cells_below(header: Header, records: Sequence[Numbered], j: int) -> list[object]:
    below = (record for _, record in records[header.begin :])
    return [record[j] for record in below if j < len(record) and not is_blank(record[j])]


def _with_names(found: Meanings, below: Callable[[int], list[object]]) -> Meanings:
    """Take columns of words before the numbers that no title explains for names of studies or tests."""
    first = next((j for j, one in enumerate(found) if one is not None and one.is_number), 0)
    for j in range(min(first, 4)):
        fields = {one.field for one in found if one is not None}
        cells = below(j) if found[j] is None else []
        if (
            "who" in fields
            or not cells
            or any(not isinstance(cell, str) or cell.strip().isdigit() for cell in cells)
        ):
            continue
        if "study" not in fields and (fields & {"finding", "test"} or _groups_rows(cells, below(j + 1))):
            found[j] = Meaning("study")
        elif not fields & {"finding", "test"} and (j == 0 or len(set(map(str, cells))) == len(cells)):
            found[j] = Meaning("test")
    return found


def _groups_rows(cells: Sequence[object], beside: Sequence[object]) -> bool:
    """Whether a column groups rows: few values, each several times, beside a column of other words."""
    words = all(isinstance(cell, str) for cell in beside) and len(beside) >= len(cells) > 3
    return words and 1 < len(set(map(str, cells))) <= len(cells) / 2


def _with_outcomes(
    header: Header, found: Meanings, below: Callable[[int], list[object]], known: Collection[str]
) -> Meanings:
    """Take a column *Result* of nobody that holds words alone for what was measured, if no other does."""
    if any(one is not None and one.field in ("finding", "test") for one in found):
        return found
    for j, one in enumerate(found):
        if one != Meaning("any") or title_key(header.titles[j]) in known:
            continue
        cells = below(j)
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
        if one == Meaning("any", HUMAN) and words <= PUBLICATION and words != {"original"}:
            found[j] = Meaning("study")
            break
    return found


def _with_agents(header: Header, found: Meanings) -> Meanings:
    """Take groups that only the agent's columns name for agents: "Model A t", "LLMs / Few-shot / t"."""
    owned = [one for one in found if one is not None and one.is_number and one.group]
    human = {one.group for one in owned if one.side == HUMAN}
    unnamed = {one.group for one in owned if one.side == AGENT and not one.agent}
    if human or len(unnamed) < 2 or unnamed <= {"1", "2"}:
        return found
    return [
        replace(one, group="", agent=_agents_name(header.titles[j], one.group))
        if one is not None and one.side == AGENT and not one.agent and one.group
        else one
        for j, one in enumerate(found)
    ]


def _agents_name(title: str, group: str) -> str:
    """Return the words of a title that name an agent: the line of the head, or all up to them."""
    for part in title.split(" / "):
        if " ".join(words_of(part)) == group:
            return part.strip()
    ends = [found.end() for found in re.finditer(re.escape(group), title.casefold()) if group]
    return title[: ends[0]].strip(" :,-(") if ends else group


def _with_owners(found: Meanings) -> Meanings:
    """Assign columns that nobody owns to their neighbours on the left, where that makes them different."""
    for meaning, count in Counter(found).items():
        if meaning is None or count < 2 or not meaning.is_number:
            continue
        places = [j for j, one in enumerate(found) if one == meaning]
        owned = [_owned(found, j) for j in places]
        if len(set(owned)) == len(owned):
            for j, one in zip(places, owned, strict=True):
                found[j] = one
    for j, one in enumerate(found):
        if one is None or not one.is_number or one.side is not None or one.field not in _BESIDE:
            continue
        mine = _owned(found, j)
        others = {other.side for other in found[j + 1 :] if other is not None} - {None}
        if mine is not None and mine.side is not None and mine not in found and others - {mine.side}:
            found[j] = mine  # between the columns of one side and those of another
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


_CANONICAL = {"reported": "any", "p_value": "p", "effect_d": "d", "k": "count"}
"""Columns of a table of tests whose fields have another name here."""


def target(column: str, title: str) -> Meaning | None:
    """Return what a mapping's right side means: ``study``, ``human``, ``human_t``, ``agent_mean2``, ``-``."""
    if column == NOT_USED:
        return None
    name = fold(column)
    exact = {field.casefold(): field for field in FIELDS}
    if name in exact:
        return Meaning(exact[name])  # numbers without a side: those of a long table
    if name[:-1] in ("human", "agent") and name[-1] in "12":
        return Meaning("any", name[:-1], "", name[-1])  # any result of one group: "26/40", "5.2 (1.1)"
    side, _, rest = name.partition("_")
    if side in ("human", "agent"):
        if not rest:
            return Meaning("any", side)
        group = (
            rest[-1]
            if rest[-1] in "12" and rest[:-1] in ("mean", "mean_se", "sd", "se", "count", "percent", "n")
            else ""
        )
        plain = rest[:-1] if group else rest
        plain = _CANONICAL.get(plain, plain)
        if plain in exact and exact[plain] not in IDENTITY:
            return Meaning(exact[plain], side, "", group)
    by_side = [field for field in FIELDS if field not in IDENTITY]
    known = [*KNOWN, *IDENTITY, *(f"{one}_{field}" for one in ("human", "agent") for field in by_side)]
    near = difflib.get_close_matches(name, known, n=1, cutoff=0.4)
    hint = f"; the nearest is {near[0]!r}" if near else ""
    raise OptionError(f"--map: {title!r} is mapped to {column!r}, which is no column{hint}")


def apply_mapping(header: Header, mapping: Mapping[str, str], place: str) -> Header:
    """Return a header with the meanings that a mapping gives."""
    wanted = {title_key(title): (title, target(column, title)) for title, column in mapping.items()}
    titles = [title_key(title) for title in header.titles]
    last = [title_key(title.rpartition(" / ")[2]) for title in header.titles]
    meanings = list(header.meanings)
    for key, (title, meaning) in wanted.items():
        places = [j for j, own in enumerate(titles) if own == key]
        places = places or [j for j, own in enumerate(last) if own == key]
        if not places:
            raise OptionError(
                f"--map: {place} has no column {title!r}; found {', '.join(map(repr, header.titles))}"
            )
        for j in places:
            meanings[j] = _with_agents_name(meaning, header.meanings[j])
    return replace(header, meanings=tuple(meanings))


def _with_agents_name(meaning: Meaning | None, before: Meaning | None) -> Meaning | None:
    """Return what a mapping says of a column, with the agent's name that its title holds."""
    if meaning is None or before is None or meaning.side != before.side:
        return meaning
    return replace(meaning, agent=before.agent)


def suggestion(header: Header, file: str) -> str:
    """Return the text of a mapping file: every column, and what it is taken for."""
    lines = [
        f"# What the columns of {file} hold; change the right side, then:",
        f"# concord score people {file} --map THIS_FILE",
        "# '-' is a column that is not used; human and agent alone take any printed result.",
    ]
    times = Counter(map(title_key, header.titles))
    for title, meaning in zip(header.titles, header.meanings, strict=True):
        if title:
            # a mapping names a column by its title: of two alike it could not say which
            is_one = times[title_key(title)] == 1
            mark = "" if is_one else "# one of several of this title, taken with its neighbours: "
            lines.append(f"{mark}{title} = {NOT_USED if meaning is None else words_for(meaning)}")
    if not any(meaning is not None and meaning.side is not None for meaning in header.meanings):
        lines += [
            "# no title says whose results it holds; for example:",
            "# TITLE = study, finding, test, human (a result of people), agent (of the model), agent_name,",
            "# human_t, human_df, human_n, human_p, human_mean1, human_sd1, human_n1, agent_percent2",
        ]
    return "\n".join(lines) + "\n"


def words_for(meaning: Meaning) -> str:
    """Return a meaning as a mapping writes it."""
    if meaning.side is None:
        return meaning.field
    group = meaning.group if meaning.group in ("1", "2") else ""
    return f"{meaning.side}{group}" if meaning.field == "any" else f"{meaning.side}_{meaning.field}{group}"
