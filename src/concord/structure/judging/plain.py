"""Verdicts in a table of one's own: one per row, or one column per order.

A cell names a seat (``verdict``) or an answer (``winner``). What its columns are called and how an order is
coded differ from hand to hand, so that a table is looked at as a whole before its rows are read.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from concord.errors import listed
from concord.files.cells import as_text, number_or_none
from concord.files.declared import BadRowError, DeclaredTable, Row
from concord.files.grids import Grid, in_english, is_blank, names_of
from concord.files.keys import CONTEXT, REPEATS, VARIANTS, refuse_duplicates, told_repeats, unit_columns
from concord.files.raw_replies import reply_text
from concord.files.text import vocabulary
from concord.number_words import number
from concord.reading import StoredReading, read_reply, stored_reading
from concord.reading.second import active
from concord.words import say

A, B, TIE, UNREADABLE = "a", "b", "tie", ""
AB, BA, UNORDERED = "ab", "ba", ""
PROMPT = "\x1f"
"""Between a judge's model and the prompt that it was given."""
FIRST, SECOND, EVEN = 0, 1, 2
"""Seats, and neither."""
_HELD = vocabulary()["judges"]
_SEATS = {sign: seat for seat, signs in enumerate(_HELD["signs"].values()) for sign in signs.split()}
VERDICTS: dict[str, tuple[str, ...]] = {sign: tuple(_HELD["said"].get(sign, ())) for sign in _SEATS}
"""What a judge may say: signs of a verdict, with the words that mean the same."""
_OTHER_WORDS = {
    word: seat
    for seat, name in ((FIRST, "first"), (SECOND, "second"), (EVEN, "tie"))
    for word in vocabulary()["cells"][name].split()
}
"""Verdicts in other languages, as cells hold them; replies are read in English."""
_NO_VERDICT = tuple(_HELD["none"].split())
_MOST_CODE_WORDS = 5
"""Words of a cell that holds a code; a longer one is a reply."""


@dataclass(frozen=True, slots=True)
class Ballot:
    """One verdict, in terms of the answers."""

    judge: str
    pair: str
    order: str
    """`AB`, `BA` or `UNORDERED`."""
    verdict: str | None
    """`A`, `B`, `TIE`, `UNREADABLE`; ``None`` where a row holds people's verdicts alone."""
    model_a: str = "A"
    model_b: str = "B"
    cluster: str = ""
    length_a: float | None = None
    length_b: float | None = None
    human: tuple[str, ...] = ()
    said: str = ""
    """The cell in which the verdict was read: a reply, or a code."""
    labelled: bool = False
    """Whether ``human`` is the label of a data set, which no person need have given."""


RowReader = Callable[[Row, str], Iterator[Ballot]]
"""From a row, by plain titles, and the judge's name where none is given, to ballots."""


@dataclass(frozen=True, slots=True)
class VerdictForm:
    """A form in which verdicts are recorded."""

    fits: Callable[[frozenset[str]], bool]
    """Whether a file with these columns, in small letters, has the form."""
    reader: Callable[[DeclaredTable, Sequence[Row]], RowReader]
    """What reads its rows, once all of them were seen."""
    notes: Callable[[Sequence[Row]], list[str]] = lambda rows: []
    """What a user should know about how it was read."""


def bare_word(value: object) -> str:
    """Return a verdict without brackets around it, in small letters."""
    text = str(value).strip()
    inner = text.strip("[]")
    text = inner if "[" not in inner and "]" not in inner else text
    return " ".join(text.replace("_", " ").casefold().split())


def said_seat(reply: str) -> int | None:
    """Read a judge's reply: the seat that it prefers, `EVEN` for neither, ``None`` where it says none."""
    return _seat_by_rules(reply) if active() is None else _seat_of_reply(reply)


def _seat_of_reply(reply: str) -> int | None:
    reading = read_reply(reply, choices=VERDICTS)
    return _SEATS[str(reading.value)] if reading.ok else None


_seat_by_rules = lru_cache(maxsize=256)(_seat_of_reply)
"""Tables of thousands of votes hold a few words; what a second reader says is of one scoring only."""


def stored_verdict(trial: str, reply: str) -> StoredReading:
    """Return the row of a judge's reply: the seat that it prefers, in a word."""
    reading = read_reply(reply, choices=VERDICTS)
    words = ("first", "second", "tie")[_SEATS[str(reading.value)]] if reading.ok else ""
    return stored_reading(trial, reply, reading, words=words)


def named_seat(value: object) -> int | None:
    """Return the seat that a cell names, `EVEN` for neither, ``None`` where it is no known word."""
    # A zero is none: of verdicts 0 and 1 it would be the first seat, of 0, 1 and 2 neither.
    if is_reply(value):
        return said_seat(str(value))
    word = bare_word(value)
    if word in _OTHER_WORDS:
        return _OTHER_WORDS[word]
    if is_tie(word) or word == "0":
        return EVEN if is_tie(word) else None
    seat = said_seat(str(value).replace("_", " "))
    return said_seat(in_english(word).replace("_", " ")) if seat is None else seat


def is_tie(value: object) -> bool:
    """Return whether a word calls a pair even, such as ``tie`` or ``tie (bothbad)``."""
    word = bare_word(value)
    return word == "c" or word in VERDICTS["0"] or (word.startswith("tie") and not is_reply(word))


def is_reply(value: object) -> bool:
    """Return whether a cell holds what a judge said in its own words, rather than a code."""
    return len(str(value).split()) > _MOST_CODE_WORDS


def is_unreadable(value: object) -> bool:
    """Return whether a verdict says that there is none, or is a reply in which none can be read."""
    return (
        value is None
        or bare_word(value) in ("", *_NO_VERDICT)
        or (is_reply(value) and named_seat(value) is None)
    )


def seat_verdict(seat: int, order: str) -> str:
    """Return the answer that was in a seat."""
    return (A, B, TIE)[seat] if order != BA else (B, A, TIE)[seat]


def sorted_ballot(one: Ballot) -> Ballot:
    """Name a pair by its question and its models in the order of their names, so that files join."""
    if one.model_b < one.model_a:
        other = {A: B, B: A}
        one = replace(
            one,
            model_a=one.model_b,
            model_b=one.model_a,
            length_a=one.length_b,
            length_b=one.length_a,
            order={AB: BA, BA: AB}.get(one.order, one.order),
            verdict=None if one.verdict is None else other.get(one.verdict, one.verdict),
            human=tuple(other.get(said, said) for said in one.human),
        )
    return replace(one, pair=f"{one.pair} · {one.model_a} / {one.model_b}")


def needed_word(row: Row, key: str) -> str:
    """Return a cell that must be there."""
    value = row.get(key)
    if value is None or not str(value).strip():
        raise BadRowError(key, value, "a value")
    return str(value).strip()


_NAMES = names_of("verdicts")
_PAIR = _NAMES["pair"]
_BY_SEAT = tuple(
    (f"{word}_{first}", f"{word}_{second}")
    for word in ("response", "answer", "output", "option", "candidate", "assistant", "model", "system")
    for first, second in (("1", "2"), ("left", "right"), ("first", "second"))
) + (("left", "right"), ("left_model", "right_model"), ("first", "second"))
"""Columns of what was in each seat, where they hold names of models and not the answers themselves."""
_LONGEST_NAME = 80
_WIDE = {
    order: tuple(names_of("verdicts_by_order")[f"{what}_{order}"] for what in ("verdict", "winner"))
    for order in (AB, BA)
}
"""Names of the columns of seats and of answers, where each order has its own."""
_ORDERS: dict[str, str] = {
    word: order for order, words in vocabulary()["judges"]["orders"].items() for word in words
}
_TRUTHS: dict[str, str] = {
    word: order for order, words in vocabulary()["judges"]["swapped"].items() for word in words.split()
}


@dataclass(frozen=True, slots=True)
class _Layout:
    """What a table's columns mean."""

    columns: Mapping[str, str]
    """From a meaning to the column."""
    from_zero: bool = False
    """Orders are 0 and 1, not 1 and 2."""
    zero_is_tie: bool = False
    """Verdicts are 1, 2 and 0 for neither."""
    questions: bool = False
    """A name is that of a question, under which several pairs of models are, or one pair both ways."""
    by_seat: bool = False
    """``model_a`` is who was in the first seat: pairs of models are there both ways."""
    unit: tuple[str, ...] = ()
    """Columns that name what was compared; of seats that are named the models are part of it, too."""
    variants: tuple[str, ...] = ()
    """Columns that make one judge several."""
    names_answer: bool = False
    """Verdicts of 1 and 2 name an answer, not a seat."""
    told: tuple[str, ...] = ()


def fits_plain(keys: frozenset[str]) -> bool:
    """Return whether a table has a verdict and something to call a pair by."""
    verdicts = {*_NAMES["verdict"], *_NAMES["winner"]}
    seated = bool(keys & {*_NAMES["order"], *_NAMES["swapped"]})
    return bool(keys & verdicts or (seated and keys & set(_NAMES["said"]))) and bool(keys & set(_PAIR))


def fits_wide(keys: frozenset[str]) -> bool:
    """Return whether a table has one column of verdicts per order."""
    return all(keys & {*seats, *answers} for seats, answers in _WIDE.values()) and bool(keys & set(_PAIR))


def plain_reader(table: DeclaredTable, rows: Sequence[Row]) -> RowReader:
    """Return what reads the rows of a table with one verdict each."""
    layout = _layout(rows)
    _refuse_repeats(table, rows, layout)

    def read(row: Row, judge: str) -> Iterator[Ballot]:
        yield _ballot(row, layout, judge)

    return read


def wide_reader(table: DeclaredTable, rows: Sequence[Row]) -> RowReader:
    """Return what reads the rows of a table with a column of verdicts per order."""
    layout = _layout(rows)

    def read(row: Row, judge: str) -> Iterator[Ballot]:
        for order, held in _WIDE.items():
            seat, answer = (next((one for one in names if one in row), names[0]) for names in held)
            columns = {**layout.columns, "order": "order", "verdict": seat, "winner": answer}
            yield _ballot({**row, "order": order}, _Layout(columns, zero_is_tie=True), judge)

    return read


def _refuse_repeats(table: DeclaredTable, cells: Sequence[Row], layout: _Layout) -> None:
    """Refuse more votes on a pair in one order than there are repetitions."""
    repeats = [one for one in REPEATS if one in cells[0]]
    if not repeats:
        return
    columns = [*_unit_of(layout), *repeats]
    keys = [tuple(str(row.get(one)) for one in columns) for row in cells]
    places = [f"row {table.row(i)}" for i in range(len(cells))]
    refuse_duplicates(table.place, "one " + " · ".join(columns), keys, places)


def plain_notes(rows: Sequence[Row]) -> list[str]:
    """Say where no order was found, and which columns were not used."""
    layout = _layout(rows)
    told = list(layout.told)
    if layout.by_seat:
        told.append(
            "pairs of models are there both ways, so that model_a is taken to have been in the first seat; a "
            "column 'order' (ab, ba) says it"
        )
    if not layout.by_seat and not {"order", "swapped", "first_model"} & layout.columns.keys():
        keys = dict.fromkeys(key for row in rows[:1] for key in row)
        unused = [key for key in keys if key not in layout.columns.values() and not key.startswith("human")]
        if unused:
            told.append(
                f"no column says who was in the first seat (order: ab or ba); not used: {listed(unused)}"
            )
    if not any(one in rows[0] for one in (*REPEATS, "vote")) and "judge" in layout.columns:
        units = [tuple(str(row.get(one)) for one in _unit_of(layout)) for row in rows]
        told += told_repeats("one " + " · ".join(_unit_of(layout)), units)
    return told


def told_no_verdict(table: DeclaredTable) -> list[str]:
    """Say which words in a column of verdicts mean that a judge gave none."""
    held = table.table
    columns = [
        table.plain[one] for part in ("verdict", "winner") for one in _NAMES[part] if one in table.plain
    ]
    found = {
        title: Counter(
            cell.strip()
            for cell in held.cells(held.header.index(title))
            if isinstance(cell, str) and cell.strip() and bare_word(cell) in _NO_VERDICT
        )
        for title in columns
        if isinstance(held, Grid)
    }
    return [
        say("judges.note.no_verdict", column=repr(title), n=n, word=repr(word))
        for title, words in found.items()
        for word, n in words.items()
    ]


def _unit_of(layout: _Layout) -> list[str]:
    """Return the columns that name a pair of answers in one order under one judge."""
    parts = ("judge", "order", "swapped", "first_model", "second_model", "model_a", "model_b")
    own = [layout.columns[one] for one in parts if one in layout.columns]
    named = [layout.columns[one] for one in ("pair",) if one in layout.columns and not layout.unit]
    return [*own, *named, *layout.unit, *layout.variants]


def _layout(cells: Sequence[Row]) -> _Layout:
    keys = {key for row in cells for key, value in row.items() if not is_blank(value)}
    columns = {
        meaning: found
        for meaning, names in _NAMES.items()
        if (found := next((name for name in names if name in keys), None)) is not None
    }
    said = columns.pop("said", None)  # replies of a judge that no other column tells the verdict of
    if said is not None and not {"verdict", "winner"} & columns.keys():
        columns["verdict"] = said
    if columns.get("cluster") == columns.get("pair"):
        columns.pop("cluster", None)
    if not {"first_model", "model_a"} & columns.keys():
        columns |= _seats_named(cells, keys)
    order, verdict = columns.get("order"), columns.get("verdict")
    codes = {_code(row.get(order)) for row in cells} if order is not None else set()
    seats = {_code(row.get(verdict)) for row in cells} if verdict is not None else set()
    several, both = _models(cells, columns)
    by_seat = both and not {"order", "swapped"} & columns.keys()
    made = _Layout(columns, "0" in codes, "2" in seats, several or both, by_seat)
    return _with_answers(cells, _with_units(cells, made)) if "pair" in columns else made


def _with_units(cells: Sequence[Mapping[str, object]], layout: _Layout) -> _Layout:
    """Find what was compared: an item, and the two answers; and what makes one judge several."""
    columns = layout.columns
    if "first_model" in columns:
        models = [columns["first_model"], columns["second_model"]]
    else:
        models = [columns[key] for key in ("model_a", "model_b") if key in columns]
    filled = [dict(row, _both=" ".join(sorted(str(row.get(one)) for one in models))) for row in cells]
    own = {columns[key] for key in ("judge", "verdict", "winner", "order", "swapped") if key in columns}
    names = [
        name for name in _PAIR if name in filled[0] and name not in own and name not in ("question", "prompt")
    ]
    names = names if names else [columns["pair"]]
    known = ["_both"] if models else []
    finest = max(names, key=lambda name: len({str(row.get(name)) for row in filled}))
    unit = unit_columns(filled, [*known, finest], [*names, *(one for one in CONTEXT if one in filled[0])])
    unit = [one for one in unit if one != "_both"]
    judge = [columns["judge"]] if "judge" in columns else []
    key = [
        *judge,
        *unit,
        *known,
        *(columns[one] for one in ("order", "swapped", "first_model") if one in columns),
    ]
    repeats = [one for one in REPEATS if one in filled[0]]
    variants = unit_columns(filled, [*key, *repeats], [one for one in VARIANTS if one in filled[0]])
    variants = [one for one in variants if one not in key and one not in repeats]
    said = [f"a pair is one {' · '.join(unit)}{' and its two models' if models else ''}"]
    said += [f"a judge is one {' · '.join([*judge, *variants])}"] if variants else []
    told = ("; ".join(said),) if len(unit) > 1 or variants or unit != [columns["pair"]] else ()
    return replace(layout, unit=tuple(unit), variants=tuple(variants), told=told)


_CODES = frozenset({"1", "2", "a", "b"})


def _with_answers(cells: Sequence[Mapping[str, object]], layout: _Layout) -> _Layout:
    """Tell verdicts that name an answer from those that name a seat: by gold, or ask by the other seating."""
    columns = layout.columns
    if "winner" in columns or "verdict" not in columns or not {"order", "swapped"} & columns.keys():
        return layout
    said = [bare_word(_code(row.get(columns["verdict"]))) for row in cells]
    if (
        not {one for one in said if one and one != "none"} <= {*_CODES, "tie", "c", "0", "="}
        or layout.by_seat
    ):
        return layout
    first = {"1": 0, "a": 0, "2": 1, "b": 1}
    order = [_order_or_none(row, layout) for row in cells]
    gold = [
        first.get(bare_word(_code(row.get(columns["gold"])))) if "gold" in columns else None for row in cells
    ]
    chosen = [first.get(one) for one in said]
    right: dict[str, list[tuple[bool, bool]]] = defaultdict(list)
    for row, c, g, o in zip(cells, chosen, gold, order, strict=True):
        if c is not None and g is not None and o is not None:
            who = " ".join(str(row.get(one)) for one in (columns.get("judge", ""), *layout.variants))
            right[who].append((c == g, (c if o == AB else 1 - c) == g))
    judged = [own for own in right.values() if len(own) >= _FEWEST_GOLD]
    if judged:  # by the judge that knows most: others may choose by seat or at random
        answer, seat = (max(sum(one[i] for one in own) / len(own) for own in judged) for i in range(2))
        if answer - seat > _CLEARLY:
            told = (
                f"verdicts name the answer, not the seat: so read a judge agrees with {columns['gold']!r} in "
                f"{number(100 * answer, 0)} %, as seats in {number(100 * seat, 0)} %"
            )
            return replace(layout, names_answer=True, told=(*layout.told, told))
        return layout
    seen: dict[tuple[str, ...], dict[str, int]] = defaultdict(dict)
    keys = [*layout.unit, *layout.variants, *(columns[one] for one in ("judge",) if one in columns)]
    for row, c, o in zip(cells, chosen, order, strict=True):
        if c is not None and o is not None:
            seen[tuple(str(row.get(one)) for one in keys)].setdefault(o, c)
    both = [own for own in seen.values() if len(own) == 2]
    same = sum(own[AB] == own[BA] for own in both)
    if len(both) >= _FEWEST_GOLD and same > (0.5 + _CLEARLY) * len(both):
        told = (
            f"verdicts are read as seats, and in {number(100 * same / len(both), 0)} % of pairs they are the "
            "same in both orders: a judge that looks at seats alone, or verdicts that name the answer? If "
            f"they do, call the column {columns['verdict']!r} 'winner'"
        )
        return replace(layout, told=(*layout.told, told))
    return layout


_FEWEST_GOLD, _CLEARLY = 20, 0.15
"""Verdicts from which on two readings of them can be compared, and the difference that decides."""


def _order_or_none(row: Mapping[str, object], layout: _Layout) -> str | None:
    found = {key: row.get(layout.columns[key]) for key in ("order", "swapped") if key in layout.columns}
    try:
        return _seat_order(found, layout)
    except BadRowError:
        return None  # named when its row is read


def _seats_named(cells: Sequence[Mapping[str, object]], keys: set[str]) -> dict[str, str]:
    """Return the columns that name the model in each seat; answers themselves hardly ever repeat."""
    for first, second in _BY_SEAT:
        if not {first, second} <= keys:
            continue
        seated = [(str(row.get(first)).strip(), str(row.get(second)).strip()) for row in cells]
        names = {name for pair in seated for name in pair}
        if 4 * len(names) <= 2 * len(seated) and all(len(name) <= _LONGEST_NAME for name in names):
            return {"first_model": first, "second_model": second}
    return {}


def _models(cells: Sequence[Mapping[str, object]], columns: Mapping[str, str]) -> tuple[bool, bool]:
    """Return whether one name has several pairs of models, and whether one pair is there both ways."""
    if not {"pair", "model_a", "model_b"} <= columns.keys():
        return False, False
    seen: dict[str, set[tuple[str, str]]] = defaultdict(set)
    for row in cells:
        one = tuple(str(row.get(columns[key])).strip() for key in ("pair", "model_a", "model_b"))
        seen[one[0]].add((one[1], one[2]))
    several = any(len({frozenset(pair) for pair in pairs}) > 1 for pairs in seen.values())
    both = any((b, a) in pairs and a != b for pairs in seen.values() for a, b in pairs)
    return several, both


def _code(value: object) -> str:
    """Return a number in a cell as it would be typed."""
    return str(value).strip().removesuffix(".0")


def _ballot(cells: Row, layout: _Layout, judge: str) -> Ballot:
    found = {
        meaning: value
        for meaning, column in layout.columns.items()
        if not is_blank(value := reply_text(cells.get(column)) if meaning == "verdict" else cells.get(column))
    }
    finest = layout.unit[0] if layout.unit else layout.columns.get("pair", "pair")
    if is_blank(cells.get(finest)):
        raise BadRowError(finest, None, "the name of a pair")
    by_seat = "first_model" in found and "second_model" in found
    keys = ("first_model", "second_model") if by_seat else ("model_a", "model_b")
    models = (str(found.get(keys[0], "A")).strip(), str(found.get(keys[1], "B")).strip())
    order = AB if by_seat or layout.by_seat else _seat_order(found, layout)
    name = " · ".join(str(cells.get(one)).strip() for one in layout.unit) or str(cells[finest]).strip()
    who = str(found.get("judge", judge)).strip()
    if layout.variants:
        who = f"{who}{PROMPT}{' · '.join(as_text(cells.get(one)).strip() for one in layout.variants)}"
    verdict = _plain_verdict(found, layout, order, models)
    lengths = (_length(found, "a"), _length(found, "b"))
    human = tuple(human_verdicts(cells, models))
    labelled = "gold" in found and not human  # where people judged, a label is no further person
    if labelled:
        human = (winning_answer(_code(found["gold"]), models, layout.columns["gold"]),)
    cluster = str(found.get("cluster", "")).strip()
    cell = found.get("winner", found.get("verdict"))
    said = "" if cell is None else str(cell)
    made = Ballot(who, name, order, verdict, *models, cluster, *lengths, human, said, labelled)
    if by_seat or layout.by_seat or layout.questions:
        return sorted_ballot(made if cluster else replace(made, cluster=name))
    return made


def _seat_order(found: Mapping[str, object], layout: _Layout) -> str:
    if "order" in found:
        value = found["order"]
        numbers = {"0": AB, "1": BA} if layout.from_zero else {"1": AB, "2": BA}
        order = numbers.get(
            _code(value), _ORDERS.get(" ".join(str(value).casefold().replace("_", " ").split()))
        )
        if order is None:
            raise BadRowError(layout.columns["order"], value, "ab or ba")
        return order
    if "swapped" in found:
        value = found["swapped"]
        order = _TRUTHS.get(str(value).strip().casefold())
        if order is None:
            raise BadRowError(layout.columns["swapped"], value, "true or false")
        return order
    return UNORDERED


def _plain_verdict(
    found: Mapping[str, object], layout: _Layout, order: str, models: tuple[str, str]
) -> str | None:
    if "winner" in found:
        return winning_answer(found["winner"], models, layout.columns["winner"], order)
    if is_unreadable(found.get("verdict")):
        return UNREADABLE
    value = found["verdict"]
    seat = EVEN if layout.zero_is_tie and _code(value) == "0" else named_seat(_code(value))
    if seat is None:
        raise BadRowError(layout.columns["verdict"], value, "first, second or tie")
    if layout.names_answer:
        return (A, B, TIE)[seat]
    if order == UNORDERED and seat != EVEN:
        raise BadRowError(
            layout.columns["verdict"],
            value,
            "who was in this seat: give a column order (ab, ba), or the models by their seats in first_model "
            "and second_model",
        )
    return seat_verdict(seat, order)


def human_verdicts(cells: Row, models: tuple[str, str]) -> Iterator[str]:
    """Return people's verdicts: every column whose name begins with ``human``, several joined by ``;``."""
    for key, value in cells.items():
        if key.startswith("human") and value is not None:
            for part in str(value).split(";"):
                if part.strip():
                    yield winning_answer(part, models, key)


def winning_answer(value: object, models: tuple[str, str], column: str, order: str = UNORDERED) -> str:
    """Read who won: a, b, tie, the model's name, or a seat where the order is known."""
    text = str(value).strip().casefold()
    named = {models[0].casefold(): A, models[1].casefold(): B}.get(text)
    if named is not None:
        return named
    if is_tie(text):
        return TIE
    if is_unreadable(text):
        return UNREADABLE
    word = bare_word(value)
    seat = named_seat(value)
    says_seat = word in ("first", "second", "1st", "2nd")
    if seat is None or (says_seat and order == UNORDERED):
        raise BadRowError(column, value, "a, b or tie")
    if seat == EVEN:
        return TIE
    return seat_verdict(seat, order) if says_seat else (A, B)[seat]


def _length(found: Mapping[str, object], side: str) -> float | None:
    given, answer = found.get(f"length_{side}"), found.get(f"answer_{side}")
    if given is None:
        return None if answer is None else float(len(str(answer)))
    value = number_or_none(given)
    if value is None or not value > 0:
        raise BadRowError(f"length_{side}", given, "a number above 0")
    return value
