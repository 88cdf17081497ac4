"""The rows of a hand-made table: names carried down, totals left out, sides and groups brought together."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from concord.files.grids import Numbered, filled, is_blank
from concord.files.raw import NOTE, TOTALS
from concord.people.table.handmade.header import Header
from concord.people.table.handmade.words import (
    AGENT,
    GROUPED,
    HUMAN,
    Meaning,
    is_human,
    is_plain_agent,
    names_model,
    words_of,
)

NAMES = ("study", "sub_study", "finding", "test", "domain")
"""Columns of names that are carried down where they are left blank."""
_DEGREES = re.compile(r"(?:^|[\s/])(?:t|r|F|χ2|χ²)\s*\(\s*(\d+(?:\.\d+)?(?:\s*,\s*\d+(?:\.\d+)?)?)\s*\)")
"""Degrees of freedom behind a statistic in a title."""
_MOST_SIDES = 60
"""Different names that a column of sides may hold."""


@dataclass(slots=True)
class BodyLine:
    """One row of the body: its names, who it is about, its group, and the cells of numbers."""

    row: int
    names: dict[str, str]
    settings: dict[str, object]
    """test_type and alpha."""
    who: str
    """``human``, the name of an agent, or empty where the columns say whose numbers they are."""
    group: str
    cells: list[tuple[Meaning, str, object]]


@dataclass(slots=True)
class Body:
    """The rows that hold tests, and what was left out."""

    lines: list[BodyLine] = field(default_factory=list)
    totals: list[int] = field(default_factory=list)
    notes: list[int] = field(default_factory=list)
    sections: list[int] = field(default_factory=list)
    who: int | None = None
    """The column that says whose numbers a row holds, in a long table."""


def read_body(header: Header, records: Sequence[Numbered]) -> Body:
    """Read the rows below a header."""
    body = Body(who=_side_column(header, records))
    meanings = list(header.meanings)
    if body.who is not None:
        meanings[body.who] = Meaning("who")
    carried: dict[str, str] = {}
    section = ""
    for row, cells in records[header.begin :]:
        used = [j for j in filled(cells) if j < len(meanings)]
        if not used or _repeats(header, cells):
            continue
        texts = [str(cells[j]).strip() for j in used]
        if (
            len(used) == 1
            and NOTE.match(texts[0])
            or (len(used) <= 2 and NOTE.match(texts[0]) and used[0] == 0)
        ):
            body.notes.append(row)
        elif _is_total(meanings, cells, used):
            body.totals.append(row)
        elif len(set(texts)) == 1 and isinstance(cells[used[0]], str) and not _holds_number(meanings, used):
            section = texts[0]
            named = meanings[used[0]]
            if named is not None and named.field in NAMES:
                carried = {**_levels_above(carried, named.field), named.field: section}
            else:
                carried = {"study": section} if "study" not in {m.field for m in meanings if m} else carried
                body.sections.append(row)
        else:
            body.lines.append(_body_line(meanings, header, row, cells, carried))
    return body


def _repeats(header: Header, cells: Sequence[object]) -> bool:
    """Whether a row is the header again, as below a page break."""
    texts = [str(cell).strip() for cell in cells if not is_blank(cell)]
    last = {title.rpartition(" / ")[2] for title in header.titles}
    return len(texts) > 2 and all(text in last for text in texts)


def _is_total(meanings: Sequence[Meaning | None], cells: Sequence[object], used: Sequence[int]) -> bool:
    """Whether a row sums up others: its first name says so."""
    first = next((j for j in used if isinstance(cells[j], str)), None)
    if first is None:
        return False
    words = words_of(cells[first])
    meaning = meanings[first]
    is_name = meaning is None or meaning.field in NAMES
    return is_name and bool(words) and words[0] in TOTALS and len(words) <= 3


def _holds_number(meanings: Sequence[Meaning | None], used: Sequence[int]) -> bool:
    found = [meanings[j] for j in used]
    return any(meaning is not None and meaning.is_number for meaning in found)


def _levels_above(carried: Mapping[str, str], name: str) -> dict[str, str]:
    """Return the names that a new name of one level leaves standing: those of the levels above it."""
    levels = ("domain", "study", "sub_study", "finding", "test")
    return {key: value for key, value in carried.items() if levels.index(key) < levels.index(name)}


def _body_line(
    meanings: Sequence[Meaning | None],
    header: Header,
    row: int,
    cells: Sequence[object],
    carried: dict[str, str],
) -> BodyLine:
    """Read one row; a name that is left blank is the one above."""
    line = BodyLine(row, {}, {}, "", "", [])
    own: dict[str, str] = {}
    for j, meaning in enumerate(meanings):
        cell = cells[j] if j < len(cells) else None
        if meaning is None or is_blank(cell):
            continue
        if meaning.field in NAMES:
            own[meaning.field] = _cell_name(cell)
        elif meaning.field in ("test_type", "alpha"):
            line.settings[meaning.field] = cell
        elif meaning.field == "who":
            line.who = HUMAN if is_human(cell) else _cell_name(cell)
        elif meaning.field == "agent_name":
            line.who = _cell_name(cell)
        elif meaning.field == "group":
            line.group = _cell_name(cell)
        else:
            line.cells.append((meaning, header.titles[j], cell))
    for name in sorted(own, key=("domain", "study", "sub_study", "finding", "test").index):
        if carried.get(name) != own[name]:
            kept = _levels_above(carried, name)
            carried.clear()
            carried.update(kept)
        carried[name] = own[name]
    line.names = dict(carried)
    line.cells.extend([*_sizes_above(header, line.cells), *_degrees_above(line.cells)])
    return line


def _sizes_above(
    header: Header, cells: Sequence[tuple[Meaning, str, object]]
) -> Iterator[tuple[Meaning, str, object]]:
    """Return the sizes of samples that the header gives for groups and sides without an n in this row."""
    known = {(one.side, one.agent, one.group) for one, _, _ in cells if one.field in ("n", "n_each", "n1")}
    sizes = zip(header.titles, header.sizes, strict=False)
    above = {title: size for title, size in sizes if size is not None}
    for meaning, title, _ in cells:
        size = above.get(title)
        if size is None:
            continue
        whose = (meaning.side, meaning.agent, "" if size.of_side else meaning.group)
        if whose not in known:
            known.add(whose)
            yield Meaning("n", *whose), title, size.n


def _degrees_above(
    cells: Sequence[tuple[Meaning, str, object]],
) -> Iterator[tuple[Meaning, str, object]]:
    """Return degrees of freedom that stand in a title, as in ``t(78)``, for sides without a column."""
    known = {(one.side, one.agent) for one, _, _ in cells if one.field in ("df", "df1", "df2")}
    for meaning, title, _ in cells:
        found = _DEGREES.search(title)
        whose = (meaning.side, meaning.agent)
        if found is not None and meaning.field in ("t", "r", "F", "chi2") and whose not in known:
            yield Meaning("df", *whose), title, found[1]


def _cell_name(cell: object) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()


def _side_column(header: Header, records: Sequence[Numbered]) -> int | None:
    """Find the column that says whose numbers a row holds: people in some rows, agents in the others."""
    width = len(header.meanings)
    for j in range(width):
        meaning = header.meanings[j]
        if meaning is not None and meaning.is_number and meaning.field != "any":
            continue
        texts = [
            str(cells[j]) for _, cells in records[header.begin :] if j < len(cells) and not is_blank(cells[j])
        ]
        distinct = set(texts)
        if len(distinct) > _MOST_SIDES + 1:
            continue
        people = any(map(is_human, distinct))
        others = [text for text in distinct if not is_human(text)]
        is_named = meaning is not None and meaning.field == "who"
        enough = is_named or all(map(names_model, others))
        if people and others and enough:
            return j
    return None


def sides_of(body: Body) -> Iterator[tuple[BodyLine, str, str, list[tuple[Meaning, str, object]]]]:
    """Return every side of every row: the row, ``human`` or ``agent``, the agent's name, and its cells."""
    # In a long table the row says whose numbers it holds; groups that are in rows of their own become groups
    # of one side.
    for line in body.lines:
        by_side: dict[tuple[str, str], list[tuple[Meaning, str, object]]] = {}
        for meaning, title, cell in line.cells:
            side, agent = meaning.side, meaning.agent
            if side is None and line.who:
                side = HUMAN if line.who == HUMAN else AGENT
                agent = "" if side == HUMAN or is_plain_agent(line.who) else line.who
            elif side == AGENT and line.who and line.who != HUMAN and not agent:
                agent = line.who
            if side is None:
                continue
            if line.group and not meaning.group and meaning.field in (*GROUPED, "any"):
                meaning = replace(meaning, group=line.group)
            by_side.setdefault((side, agent), []).append((meaning, title, cell))
        for (side, agent), cells in by_side.items():
            yield line, side, agent, cells


def unclear(header: Header, body: Body) -> list[str]:
    """Return the titles of columns whose numbers nobody is said to own."""
    if body.who is not None:
        return []
    owned = {title for line in body.lines if line.who for _, title, _ in line.cells}
    return [
        title
        for title, meaning in zip(header.titles, header.meanings, strict=True)
        if meaning is not None and meaning.is_number and meaning.side is None and title not in owned
    ]
