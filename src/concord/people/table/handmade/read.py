"""A hand-made table to the grid of a table of tests: one row per test and agent, every value where it was."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace

from concord.errors import CellProblem, TableError
from concord.files.cells import BadCellError
from concord.files.grids import Grid, RawTable, rows_in_words
from concord.files.missing import MissingCodes
from concord.files.raw import spread_merged
from concord.files.tables import TableOptions, title_key
from concord.people.table.columns import SIDE_FIELDS, SIDES, map_option
from concord.people.table.handmade.body import Body, BodyLine, read_body, sides_of, unclear
from concord.people.table.handmade.cells import ELSEWHERE
from concord.people.table.handmade.gather import BadSideError, Entry, Fields, gather
from concord.people.table.handmade.header import (
    Header,
    apply_mapping,
    find_header,
    settled,
    split_tables,
    words_for,
)
from concord.people.table.handmade.sides import NoTestError, canonical
from concord.people.table.handmade.words import HUMAN
from concord.people.table.values import canonical_type

_NUM = r"[-−–+]?(?:\d[\d.,]*|[.,]\d+)"
_CELL = re.compile(rf"\s*({_NUM})\s*(?:(?:±|\(|\[)\s*({_NUM})\s*[)\]]?)?\s*(?:%|[*†]+)?\s*")
_AFTER_SIGN = re.compile(rf"[=<>]\s*({_NUM})")
_GROUPED = re.compile(r"[-−–+]?[1-9]\d{0,2}(?:,\d{3})+(?:\.\d+)?")
_POINT = re.compile(r"[-−–+]?\d*\.\d+")
_WHOLE = re.compile(r"\d{3,}")


def without_thousands(raw: RawTable, alike: Collection[int] = ()) -> RawTable:
    """Return a table whose numbers have no commas between thousands, as far as it says that they are such."""
    seen = _looked_at(raw)
    if not seen.grouped or seen.decimal_comma:
        return raw
    if seen.point:
        chosen = {j for _, j in seen.grouped}
    else:
        whole = {*seen.whole, *(alike if seen.whole & set(alike) else ())}
        chosen = {j for _, j in seen.grouped if j in whole}
    left = [(text, j) for text, j in seen.grouped if j not in chosen]
    records = tuple(
        (row, [_cell_without_thousands(cell) if j in chosen else cell for j, cell in enumerate(cells)])
        for row, cells in raw.records
    )
    return replace(raw, records=records, warnings=(*raw.warnings, *_doubt(raw.place, left)))


def _doubt(place: str, left: list[tuple[str, int]]) -> tuple[str, ...]:
    if not left:
        return ()
    text = left[0][0]
    return (
        f"{place}: {text!r} is read with a decimal comma, since nothing in the table says otherwise; where "
        f"thousands are meant, write {text.replace(',', '')}",
    )


@dataclass(slots=True)
class _Seen:
    """What the numbers of a table look like."""

    grouped: list[tuple[str, int]]
    """Numbers with three digits after each comma, with their columns."""
    whole: set[int]
    """Columns with whole numbers of three digits and more."""
    decimal_comma: bool = False
    point: bool = False


def _looked_at(raw: RawTable) -> _Seen:
    seen = _Seen([], set())
    for _, cells in raw.records:
        for j, cell in enumerate(cells):
            if isinstance(cell, float) and not cell.is_integer():
                seen.point = True
            for text in _numbers_in_cell(cell):
                if _GROUPED.fullmatch(text):
                    seen.grouped.append((text, j))
                elif "," in text:
                    seen.decimal_comma = True
                elif _POINT.fullmatch(text):
                    seen.point = True
                elif _WHOLE.fullmatch(text):
                    seen.whole.add(j)
    return seen


def _numbers_in_cell(cell: object) -> list[str]:
    if isinstance(cell, float | int) and not isinstance(cell, bool):
        return [str(int(cell))] if float(cell).is_integer() else []
    if not isinstance(cell, str) or len(cell) > 200:
        return []
    whole = _CELL.fullmatch(cell)
    if whole is not None:
        return [one.rstrip(".,") for one in whole.groups() if one is not None]
    return [one.rstrip(".,") for one in _AFTER_SIGN.findall(cell)]


def _cell_without_thousands(cell: object) -> object:
    """Return a cell whose only numbers are written without commas between thousands."""
    if not isinstance(cell, str) or len(cell) > 200 or _CELL.fullmatch(cell) is None:
        return cell
    return _GROUPED.sub(lambda found: found[0].replace(",", ""), cell)


_COLUMNS = ("study", "sub_study", "finding", "test", "test_type", "domain", "alpha")
Key = tuple[object, ...]


@dataclass(slots=True)
class _Test:
    """One test: its first row, its names, and the cells of each side."""

    row: int
    names: dict[str, str]
    settings: dict[str, object]
    sides: dict[tuple[str, str], list[Entry]] = field(default_factory=dict)


def handmade_header(raw: RawTable, options: TableOptions = TableOptions()) -> Header | None:  # noqa: B008
    """Return the header of a hand-made table with what a mapping says of it; ``None`` where there is none."""
    named, records = dict(options.mapping), spread_merged(raw)
    known = {title_key(title) for title in named}
    header = find_header(records, known)
    if header is None:
        return None
    mapped = apply_mapping(header, named, raw.place)
    if not options.map_only:
        return settled(mapped, records, named, _is_type)
    chosen = (one if keys & known else None for one, keys in zip(mapped.meanings, mapped.keys, strict=True))
    return replace(mapped, meanings=tuple(chosen))


def _is_type(cell: object) -> bool:
    try:
        canonical_type(cell)
    except BadCellError:
        return False
    return True


def handmade_grid(raw: RawTable, options: TableOptions = TableOptions()) -> Grid | None:  # noqa: B008
    """Return a hand-made table as the grid of a table of tests; what cannot be read are its problems."""
    header, mapping = handmade_header(raw, options), dict(options.mapping)
    if header is None:
        return None
    raw = without_thousands(raw, header.places_of("mean", "mean_se", "sd", "se"))
    rows: list[dict[str, object]] = []
    problems: list[CellProblem] = []
    warnings = list(raw.warnings)
    for i, (own, records) in enumerate(split_tables(spread_merged(raw), header)):
        if i:
            titles = {title_key(title) for title in own.titles}
            there = {title: column for title, column in mapping.items() if title_key(title) in titles}
            own = settled(apply_mapping(own, there, raw.place), records, mapping, _is_type)
        body = read_body(own, records)
        tests = _tests(body)
        if not any(side == HUMAN for test in tests for side, _ in test.sides):
            if i == 0:
                return None
            warnings.append(
                f"{raw.place}: a table below row {own.last_row} holds no result of people, left out"
            )
            continue
        maker = _Maker(raw, _share_titles(body), options.missing)
        rows += [row for test in _told_apart(tests) for row in maker.rows(test)]
        problems += maker.problems
        warnings += [*_how_it_was_read(raw, own, body), *maker.notes()]
    if not rows and problems:
        raise TableError(_shortened(problems))
    if not rows:
        return None
    return replace(_made_grid(raw, rows, tuple(warnings)), problems=tuple(_shortened(problems)))


def _tests(body: Body) -> list[_Test]:
    """Bring the rows of each test together; rows that name a side or a group share their names."""
    is_long = any(line.who or line.group for line in body.lines)
    found: dict[Key, _Test] = {}
    for line, side, agent, cells in sides_of(body):
        names = _test_names(line, "result" if is_long else f"row {line.row}")
        key: Key = tuple(names.get(name, "") for name in _COLUMNS) if is_long else (str(line.row),)
        test = found.setdefault(key, _Test(line.row, names, dict(line.settings)))
        test.settings.update(line.settings)
        test.sides.setdefault((side, agent), []).extend(cells)
    return list(found.values())


def _shortened(problems: Sequence[CellProblem]) -> list[CellProblem]:
    """Return problems with the explanation of what was expected once, and its first sentence after that."""
    seen: set[str] = set()
    made = []
    for one in problems:
        made.append(replace(one, expected=one.expected.partition(". ")[0]) if one.expected in seen else one)
        seen.add(one.expected)
    return made


def _told_apart(tests: list[_Test]) -> list[_Test]:
    """Add the type of test to the names of tests that only differ in it."""
    types: dict[Key, set[str]] = {}
    for test in tests:
        types.setdefault(tuple(sorted(test.names.items())), set()).add(
            str(test.settings.get("test_type", ""))
        )
    for test in tests:
        if len(types[tuple(sorted(test.names.items()))]) > 1 and "test_type" in test.settings:
            test.names = {**test.names, "test": f"{test.names['test']} ({test.settings['test_type']})"}
    return tests


def _test_names(line: BodyLine, default: str) -> dict[str, str]:
    """Return the names of a test; a finding without tests of its own is its test, and the other way round."""
    names = dict(line.names)
    names.setdefault("study", "study")
    own = names.get("finding", names.get("test", default))
    names.setdefault("finding", own)
    names.setdefault("test", own)
    return names


def _share_titles(body: Body) -> frozenset[str]:
    """Return titles of percentages that are written from 0 to 1, as a percent cell stores them."""
    values: dict[str, list[float]] = {}
    for line in body.lines:
        for meaning, title, cell in line.cells:
            if meaning.field == "percent" and isinstance(cell, int | float):
                values.setdefault(title, []).append(float(cell))
    return frozenset(title for title, found in values.items() if all(value <= 1 for value in found))


@dataclass(slots=True)
class _Maker:
    """The work of turning tests into rows."""

    raw: RawTable
    shares: frozenset[str]
    missing: MissingCodes
    problems: list[CellProblem] = field(default_factory=list)
    told: dict[str, list[int]] = field(default_factory=dict)

    def rows(self, test: _Test) -> list[dict[str, object]]:
        """Return one row per agent; one without an agent where there is none."""
        hint = self._hint(test)
        human = self._side(test, HUMAN, "", hint)
        agents = [agent for side, agent in test.sides if side != HUMAN]
        made = []
        for agent in dict.fromkeys(agents) if agents else [None]:
            other = None if agent is None else self._side(test, "agent", agent, hint)
            row = self._row(test, "" if agent is None else agent, human, other)
            if row is not None:
                made.append({**row, "agent": agent if agent else None})
        return made

    def _hint(self, test: _Test) -> str | None:
        given = test.settings.get("test_type")
        if given is None:
            return None
        try:
            return canonical_type(given)
        except BadCellError as error:
            self.problems.append(self._place(test.row, "row")("test type", given, str(error)))
            return None

    def _place(self, row: int, part: str, agent: str = ""):  # type: ignore[no-untyped-def]
        return lambda title, value, expected: CellProblem(
            self.raw.name, self.raw.sheet, row, title, value, expected, part, agent
        )

    def _side(self, test: _Test, side: str, agent: str, hint: str | None) -> tuple[str, Fields] | None:
        """Return the type and the columns of a side; ``None`` where it is empty."""
        entries = test.sides.get((side, agent), [])
        place = self._place(test.row, side, agent)
        try:
            entries = [self._without_code(entry, side, test.row) for entry in entries]
            found = gather(entries, shares=self.shares, place=place, order=self._groups(test, side))
            if found.is_empty:
                self.problems += [place(*one, ELSEWHERE) for one in found.elsewhere[:1]]
                for note in found.told:
                    self.told.setdefault(f"{side}: {note}", []).append(test.row)
                return None
            test_type, fields, notes = canonical(found, hint)
        except NoTestError as error:
            self.told.setdefault(f"{side}: {error}", []).append(test.row)
            return None
        except BadSideError as error:
            self.problems.extend(error.problems)
            return None
        except (ArithmeticError, ValueError, BadCellError) as error:
            title, value = (entries[0][1], entries[0][2]) if entries else (side, "")
            own = isinstance(error, BadCellError)
            expected = str(error) if own else "numbers that a test can be computed from"
            self.problems.append(place(title, value, expected))
            return None
        for note in notes:
            self.told.setdefault(f"{side}: {note}", []).append(test.row)
        return test_type, fields

    def _without_code(self, entry: Entry, side: str, row: int) -> Entry:
        """Return a cell; one that a user declared to be a code for a missing value as an empty one."""
        meaning, title, cell = entry
        if not self.missing.holds(cell):
            return entry
        self.told.setdefault(f"{side}: {cell} below {title!r} is no value (--missing)", []).append(row)
        return meaning, title, None

    def _groups(self, test: _Test, side: str) -> tuple[str, ...]:
        """Return the groups of people in their order, for an agent; the other way round signs would turn."""
        if side == HUMAN:
            return ()
        entries = test.sides.get((HUMAN, ""), [])
        return tuple(dict.fromkeys(meaning.group for meaning, _, _ in entries if meaning.group))

    def _row(
        self,
        test: _Test,
        named: str,
        human: tuple[str, Fields] | None,
        agent: tuple[str, Fields] | None,
    ) -> dict[str, object] | None:
        sides = {name: side for name, side in (("human", human), ("agent", agent)) if side is not None}
        if not sides:
            return None
        types = {side[0] for side in sides.values()}
        if len(types) > 1:
            sides = _alike(sides)
            types = {side[0] for side in sides.values()}
        if len(types) > 1:
            found = ", ".join(f"{name}: {side[0]}" for name, side in sides.items())
            expected = "the same test on both sides, or a column that says the type of test"
            self.problems.append(self._place(test.row, "agent", named)("test type", found, expected))
            del sides["agent"]
            types = {side[0] for side in sides.values()}
        row: dict[str, object] = {**test.names, **test.settings, "test_type": types.pop(), "row": test.row}
        for name, (_, fields) in sides.items():
            row.update({f"{name}_{key}": value for key, value in fields.items()})
        return row

    def notes(self) -> list[str]:
        """Return what was computed, with the rows."""
        return [
            f"{self.raw.place}, {rows_in_words(list(dict.fromkeys(rows)))}: {text}"
            for text, rows in self.told.items()
        ]


def _alike(sides: dict[str, tuple[str, Fields]]) -> dict[str, tuple[str, Fields]]:
    """Return both sides as one test: t as F(1, df), a printed statistic by its p-value beside a p-value."""
    types = {side[0] for side in sides.values()}
    if "p-value" in types and all(
        set(fields) <= {"reported"} or kind == "p-value" for kind, fields in sides.values()
    ):
        return {name: ("p-value", fields) for name, (_, fields) in sides.items()}
    if types != {"t-independent", "anova"}:
        return sides
    return {
        name: ("anova", _as_f(fields)) if test_type == "t-independent" else (test_type, fields)
        for name, (test_type, fields) in sides.items()
    }


def _as_f(fields: Fields) -> Fields:
    """Return the columns of a t as those of F = t²; a printed one is taken as it is."""
    t, n1, n2, df2 = (fields.get(key) for key in ("statistic", "n1", "n2", "df2"))
    if not isinstance(t, float):
        return fields
    if df2 is None and n1 is not None and n2 is not None:
        df2 = float(str(n1)) + float(str(n2)) - 2
    made: Fields = {**fields, "statistic": t * t, "df1": 1.0, "df2": df2, "direction": (t > 0) - (t < 0)}
    return {key: value for key, value in made.items() if value is not None}


def _how_it_was_read(raw: RawTable, header: Header, body: Body) -> list[str]:
    """Say how the table was read: the header's row, what each column was taken for, what was left out."""
    used = [
        (title if title else "a first column", "who" if j == body.who else words_for(meaning))
        for j, (title, meaning) in enumerate(zip(header.titles, header.meanings, strict=True))
        if meaning is not None and (title or j == 0)
    ]
    width = min(max(len(title) for title, _ in used), 50)
    columns = "".join(f"\n  {title:{width}}  {taken}" for title, taken in used)
    how = f"concord check {raw.name} --suggest-map my.map saves this"
    where = f"header in row {header.last_row}"
    told = [f"{raw.place}: read as a table made by hand, {where}; {how}; columns:{columns}"]
    for rows, what in (
        (body.totals, "sums or averages of others, left out"),
        (body.notes, "notes, left out"),
        (body.sections, "headings of a section, left out"),
    ):
        if rows:
            told.append(f"{raw.place}, {rows_in_words(rows)}: {what}")
    for title in unclear(header, body):
        option = map_option(title, "human_…")
        told.append(f"{raw.place}: column {title!r} does not say whose it is and is not used; {option}")
    for title, meaning in zip(header.titles, header.meanings, strict=True):
        if meaning is None and title:
            told.append(
                f"{raw.place}: column {title!r} is not used; {map_option(title, '…')} says what it holds"
            )
    return told


def _made_grid(raw: RawTable, rows: Sequence[Mapping[str, object]], warnings: tuple[str, ...]) -> Grid:
    called = list(dict.fromkeys(row["agent"] for row in rows if row["agent"] is not None))
    if called and any(row["agent"] is None for row in rows):  # only people: every agent lacks it
        spread = [
            [{**row, "agent": name} for name in called] if row["agent"] is None else [row] for row in rows
        ]
        rows = [row for several in spread for row in several]
    if len(called) <= 1:  # one agent is the model of a plain table
        rows = [{**row, "model": row["agent"], "agent": None} for row in rows]
    known = (*_COLUMNS, "agent", "model", *(f"{side}_{name}" for side in SIDES for name in SIDE_FIELDS))
    header = tuple(name for name in known if any(row.get(name) is not None for row in rows))
    columns = tuple([row.get(name) for row in rows] for name in header)
    numbers = [int(str(row["row"])) for row in rows]
    return Grid(
        raw.name, raw.sheet, header, numbers, columns, inputs=raw.inputs, warnings=warnings, typed=True
    )
