"""Reported statistics to records; nothing is guessed.

`parse_apa` reads one statistic and insists on understanding every number of the string: words may be around
it, numbers may not, unless they are known to be something else (an effect size, an interval). `find_apa`
finds all statistics of a running text.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from concord.errors import ApaError
from concord.number_words import significant
from concord.people.apa.asides import find_items, read_items
from concord.people.apa.records import COEFFICIENTS, CONNECTING, DEGREES, ApaResult, Kind
from concord.people.apa.text import Fault, Item, Plain, PrintedNumber, plain

PRIMARY = frozenset({"statistic", "counts", "fraction"})
_BELONGING = frozenset({"n", "n1", "n2", "df", "df1", "df2", "p0", "z", "tail", "ignored", "ns"})
_TESTS = frozenset({"binomial", "sign"})


def _parts(entry: Item) -> bool:
    """Say whether what follows no longer belongs to what came before, in running text."""
    if entry.role == "word":
        return entry.label.lower() not in CONNECTING
    return entry.role in {"stop", "number"}


def _is_effect_r(entry: Item, own_p: bool) -> bool:
    """Say whether an r behind another statistic is its effect size: no df and no p of its own."""
    return entry.kind == "r" and entry.label == "r" and entry.relation == "=" and not (entry.inside or own_p)


def settle(items: list[Item]) -> list[Item]:
    """Return a z beside U and an r behind another statistic their meaning: U's own z, an effect size."""
    settled = list(items)
    main: int | None = None  # the statistic that what follows belongs to
    has_p = False
    for index, entry in enumerate(items):
        if _parts(entry):
            main = None
        has_p = has_p or entry.role == "p"
        if entry.role != "statistic":
            continue
        before = None if main is None else settled[main]
        own_p = has_p and index + 1 < len(items) and items[index + 1].role == "p"
        if before is not None and before.kind in {"U", "W"} and entry.kind == "z" and not entry.inside:
            settled[index] = replace(entry, role="z")
        elif before is not None and before.kind != "r" and _is_effect_r(entry, own_p):
            settled[index] = replace(entry, role="ignored")
        else:
            if main is not None and settled[main].kind == "z" and entry.kind in {"U", "W"} and not has_p:
                settled[main] = replace(settled[main], role="z")
            main, has_p = index, False
    return settled


def promote_coefficient(items: list[Item]) -> list[Item]:
    """Return a coefficient as the statistic of a string that gives no other, with its SE and interval."""
    # Beside a t or an F, ``b = 0.45`` stays an effect size. In running text it always does.
    if any(entry.role in PRIMARY for entry in items):
        return items
    named = [i for i, entry in enumerate(items) if entry.label in COEFFICIENTS and len(entry.numbers) == 1]
    beside = [i for i, entry in enumerate(items) if _is_error(entry) or _is_interval(entry)]
    if len(named) != 1 or not beside:
        return items
    main = items[named[0]]
    promoted = list(items)
    promoted[named[0]] = replace(main, role="statistic", kind=COEFFICIENTS[main.label])
    for index in beside:
        promoted[index] = replace(items[index], role="se" if _is_error(items[index]) else "ci")
    return promoted


def _is_error(entry: Item) -> bool:
    return entry.role == "ignored" and entry.label == "SE" and len(entry.numbers) == 1


def _is_interval(entry: Item) -> bool:
    return entry.role == "ignored" and entry.label == "interval" and len(entry.numbers) == 2


def _is_report(group: list[Item]) -> bool:
    """Say whether a group of a running text is a test and not a turn of phrase."""
    roles = {entry.role for entry in group}
    if "statistic" in roles:
        bare = not any(entry.inside for entry in group if entry.role == "statistic")
        return not bare or bool(roles & {"p", "ns", "df", "df1", "df2", "n", "n1"})
    if "counts" in roles:
        return bool(roles & {"p", "binomial", "sign"})
    if "fraction" in roles:
        return bool(roles & _TESTS)
    return "p" in roles or {"k", "n"} <= roles


def group(items: list[Item]) -> list[list[Item]]:
    """Return the groups of a running text that report a test."""
    found: list[list[Item]] = [[]]
    roles: set[str] = set()
    for entry in items:
        is_first = entry.role in PRIMARY or entry.role in _TESTS or entry.role == "k"
        belongs = is_first or entry.role in {"p", "z"} or (bool(roles) and entry.role in _BELONGING)
        # the name of a test or U's z right before a statistic stays with it
        ends = (
            not roles <= _TESTS | {"z", "tail", "ignored"} if is_first else entry.role == "p" and "p" in roles
        )
        if (belongs and ends) or (not belongs and _parts(entry)):
            found.append([])
            roles = set()
        if belongs:
            found[-1].append(entry)
            roles.add(entry.role)
    return [one for one in found if one and _is_report(one)]


_FIELDS: dict[str, tuple[str, ...]] = {
    **{name: (name,) for name in ("n", "n1", "n2", "k", "p0", "z", "se")},
    "ci": ("ci_low", "ci_high"),
    **dict.fromkeys(("counts", "fraction"), ("k", "n")),
}
"""The fields that an item fills."""


class _Draft:
    """The fields of a record while they are filled."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.values: dict[str, PrintedNumber] = {}
        self.tails: set[str] = set()
        self.p: Item | None = None
        self.ns = False

    def put(self, names: Sequence[str], entry: Item) -> None:
        """Fill fields, each once."""
        for name, number in zip(names, entry.numbers, strict=True):
            known = self.values.setdefault(name, number)
            if known.value != number.value:
                found = f"found {significant(known.value, 15)} and {significant(number.value, 15)}"
                raise Fault(entry.start, f"one {name}, {found}", certain=False)

    def put_degrees(self, entry: Item) -> None:
        """Fill degrees of freedom, whose names depend on the statistic."""
        single = DEGREES.get(self.kind)
        if self.kind == "F" and entry.role != "df":
            self.put([entry.role], entry)
        elif self.kind == "F" and len(entry.numbers) == 2:
            self.put(["df1", "df2"], entry)
        elif single is not None and entry.role == "df" and len(entry.numbers) == 1:
            self.put([single], entry)
        else:
            wanted = "two" if self.kind == "F" else "no" if single is None else "one number of"
            name = "a p alone" if self.kind == "p" else self.kind
            raise Fault(entry.start, f"{wanted} degrees of freedom for {name}")

    def take(self, entry: Item) -> None:
        """Take one item."""
        if entry.role in {"df", "df1", "df2"}:
            self.put_degrees(entry)
        elif entry.role in {"k", "p0"} and self.kind != "binomial":
            raise Fault(entry.start, f"no {entry.role}, which belongs to a binomial test", certain=False)
        elif entry.role in _FIELDS:
            self.put(_FIELDS[entry.role], entry)
        elif entry.role == "tail":
            self.tails.add(entry.label)
        elif entry.role == "p":
            self.p = entry
        self.ns = self.ns or entry.role == "ns"
        for part in entry.inside:
            self.take(part)

    def numbers(self) -> dict[str, Any]:
        """Return what is filled, as the record takes it: counts whole, and decimals where they matter."""
        found: dict[str, Any] = {name: number.value for name, number in self.values.items()}
        found |= {name: int(found[name]) for name in ("n", "n1", "n2", "k") if name in found}
        printed = [name for name in ("statistic", "z", "se") if name in found]
        return found | {f"{name}_decimals": self.values[name].decimals for name in printed}


def _kind(items: list[Item], primary: Item | None) -> Kind:
    """Return the kind of the statistic."""
    if primary is not None and primary.kind is not None:
        return primary.kind
    counted = primary is not None or any(entry.role == "k" for entry in items)
    return "binomial" if counted else "p"


def _check(draft: _Draft, at: int) -> None:
    """Refuse numbers that contradict each other."""
    values = {name: number.value for name, number in draft.values.items()}
    if draft.kind == "binomial" and "n" not in values:
        raise Fault(at, "an n beside k", certain=False)
    if draft.kind == "binomial" and values["k"] > values["n"]:
        raise Fault(at, f"a k of at most n = {significant(values['n'], 15)}", certain=False)
    if draft.kind == "U" and {"n1", "n2"} <= values.keys():
        most = values["n1"] * values["n2"]
        if values["statistic"] > most:
            raise Fault(at, f"a U of at most n1 × n2 = {significant(most, 15)}")
    if len(draft.tails) > 1:
        raise Fault(at, "a test that is one-tailed or two-tailed, not both", certain=False)


def build(items: list[Item], primary: Item | None) -> ApaResult:
    """Make a record of a group of items; text and place are filled by the caller."""
    draft = _Draft(_kind(items, primary))
    if primary is not None and primary.role == "statistic":
        draft.values["statistic"] = primary.numbers[0]
    for entry in items:
        draft.take(entry)
    if draft.kind == "binomial" and any(entry.role == "sign" for entry in items):
        draft.values.setdefault("p0", PrintedNumber(0.5, 1))
    _check(draft, items[0].start if primary is None else primary.start)
    p = draft.p.numbers[0] if draft.p is not None and draft.p.numbers else None
    relation = primary.relation if primary is not None else None
    return ApaResult(
        kind=draft.kind,
        statistic_relation="=" if relation is None or relation == "ns" else relation,
        p_relation=draft.p.relation if draft.p is not None else "ns" if draft.ns else None,
        p_value=None if p is None else p.value,
        p_decimals=None if p is None else p.decimals,
        one_tailed="one" in draft.tails,
        **draft.numbers(),
    )


MAX_LENGTH = 2000
"""Longest string that is read as one statistic."""
_EXCERPT = 60
_UNUSED = frozenset({"word", "ignored", "stop", "number"})
_EXAMPLES = (
    "such as 't(20) = 2.1', 'F(1, 30) = 4.2', 'r(48) = .31', 'χ²(2, N = 120) = 9.4', 'z = 2.1', 'U = 341', "
    "'W = 120', 'H(2) = 9.4', 'Q(3) = 11.2', 'b = 0.45, SE = 0.12', '75 of 92' or 'p = .03'"
)


@dataclass(frozen=True, slots=True)
class ApaScan:
    """All that a running text reports."""

    results: tuple[ApaResult, ...]
    problems: tuple[ApaError, ...]
    """What begins like a statistic and cannot be one, in the order of the text."""


def parse_apa(text: str) -> ApaResult:
    """Read one reported statistic.

    Parameters
    ----------
    text
        Such as ``t(102)=7.99`` or ``χ²(2, N = 120) = 9.4, p=.009``. Typographic signs, emphasis, missing
        leading zeros and powers of ten are understood, decimal commas are refused. Effect sizes,
        intervals and words around the statistic are listed in ``ignored``.

    References
    ----------
    American Psychological Association (2020). Publication manual (7th ed.), 6.43-6.44.

    Examples
    --------
    >>> found = parse_apa("F(1, 312) = 49.1, p < .001")
    >>> found.kind, found.statistic, found.df1, found.df2, found.p_relation, found.p_value
    ('F', 49.1, 1.0, 312.0, '<', 0.001)
    >>> parse_apa("r(48) = −.31, ns").statistic
    -0.31
    """
    if len(text) > MAX_LENGTH:
        raise _error(text, MAX_LENGTH, f"one statistic in at most {MAX_LENGTH} characters, found {len(text)}")
    source = plain(text)
    try:
        items = settle(promote_coefficient(read_items(source.text)))
        found = build(items, _only_primary(items, source))
    except Fault as fault:
        raise _error(text, source.starts[fault.position], fault.expected) from None
    return _with_place(found, items, source)


def find_apa(text: str) -> tuple[ApaResult, ...]:
    """Find every reported statistic of a running text.

    In running text ``t = 0`` or ``75 of 92`` alone is not taken for a test: a statistic without
    parentheses counts only beside its df, n or p, and counts only beside a p or the name of the test.

    Parameters
    ----------
    text
        Of any length; the time taken is proportional to it.

    Examples
    --------
    >>> found = find_apa("Categorization mattered, F(1, 72) = 14.96; similarity less so, F(1, 72) = 4.13.")
    >>> [result.text for result in found]
    ['F(1, 72) = 14.96', 'F(1, 72) = 4.13']
    """
    scan = scan_apa(text)
    if scan.problems:
        raise scan.problems[0]
    return scan.results


def scan_apa(text: str) -> ApaScan:
    """Find every reported statistic of a running text, and everything that only looks like one.

    Parameters
    ----------
    text
        Of any length.

    Examples
    --------
    >>> scan = scan_apa("First t(20) = 2.1, p = .05, then r(20) = 1.3.")
    >>> len(scan.results), [problem.expected for problem in scan.problems]
    (1, ['r between -1 and 1'])
    """
    source = plain(text)
    items, faults = find_items(source.text)
    results = []
    for members in group(settle(items)):
        primary = next((entry for entry in members if entry.role in PRIMARY), None)
        try:
            results.append(_with_place(build(members, primary), members, source))
        except Fault as fault:
            faults += [fault] if fault.certain else []
    faults.sort(key=lambda fault: fault.position)
    problems = [_error(text, source.starts[fault.position], fault.expected) for fault in faults]
    return ApaScan(tuple(results), tuple(problems))


def _error(text: str, position: int, expected: str) -> ApaError:
    """Make the error; of a long text only the neighbourhood is shown."""
    if len(text) > 4 * _EXCERPT:
        before, after = max(0, position - _EXCERPT), position + _EXCERPT
        text = f"{'…' if before else ''}{text[before:after]}{'…' if after < len(text) else ''}"
    return ApaError(text, position, expected)


def _with_place(found: ApaResult, items: Sequence[Item], source: Plain) -> ApaResult:
    """Add to a record what it was read from and what was set aside."""
    used = [entry for entry in items if entry.role not in _UNUSED]
    start, end = _with_marks(source.original, *source.span(used[0].start, used[-1].end))
    label = next(
        ((entry.start, entry.start + len(entry.label)) for entry in items if entry.kind is not None), None
    )
    return replace(
        found,
        label="" if label is None else source.printed(*label),
        text=source.original[start:end],
        span=(start, end),
        ignored=_ignored(found, items, source),
    )


def _with_marks(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a place to the emphasis around it and to the parenthesis that it opens."""
    while start > 0 and text[start - 1] in "*_`$":
        start -= 1
    if text[end : end + 1] in {")", "]"} and text[start:end].count("(") > text[start:end].count(")"):
        end += 1
    while text[end : end + 1] in set("*_`$"):
        end += 1
    return start, end


def _ignored(found: ApaResult, items: Sequence[Item], source: Plain) -> tuple[str, ...]:
    """Return what was set aside as printed, words that follow each other as one piece."""
    pieces: list[tuple[int, int]] = []
    last_was_word = False
    for entry in (part for whole in items for part in (whole, *whole.inside)):
        is_word = entry.role == "word"
        if is_word and last_was_word:
            pieces[-1] = (pieces[-1][0], entry.end)
        elif is_word or entry.role == "ignored" or (entry.role == "ns" and found.p_value is not None):
            pieces.append((entry.start, entry.end))
        last_was_word = is_word
    return tuple(source.printed(start, end) for start, end in pieces)


def _only_primary(items: list[Item], source: Plain) -> Item | None:
    """Return the statistic of a string that must have one; ``None`` for a p alone or for k and n by name."""
    roles = {entry.role for entry in items}
    primaries = [entry for entry in items if entry.role in PRIMARY]
    _refuse_second(primaries, source, "statistic")
    _refuse_second([entry for entry in items if entry.role == "p"], source, "p-value")
    if not primaries and not roles & {"p", "ns", "k"}:
        raise Fault(0, f"a test statistic ({_EXAMPLES}), found {_description(items, source)}")
    if primaries and primaries[0].role == "fraction" and not roles & {"binomial", "sign"}:
        printed = source.printed(primaries[0].start, primaries[0].end)
        raise Fault(primaries[0].start, f"the words 'binomial' or 'sign test' beside the fraction {printed}")
    stray = next((entry for entry in items if entry.role == "number"), None)
    if stray is not None:
        belongs = "nothing but a statistic, its p, n, df, effect size and words"
        raise Fault(
            stray.start, f"{belongs}; the number {source.printed(stray.start, stray.end)} is none of these"
        )
    return primaries[0] if primaries else None


def _refuse_second(found: list[Item], source: Plain, what: str) -> None:
    """Refuse more than one of what there may be one of, naming them."""
    if len(found) > 1:
        names = " and ".join(repr(source.printed(entry.start, entry.end)) for entry in found[:5])
        more = " and more" if len(found) > 5 else ""
        raise Fault(
            found[1].start, f"one {what}, found {len(found)}: {names}{more}; give each a row of its own"
        )


def _description(items: list[Item], source: Plain) -> str:
    """Say what a string without a statistic holds."""
    if not items:
        return "nothing"
    known = [source.printed(entry.start, entry.end) for entry in items if entry.role not in {"word", "stop"}]
    if not known:
        return "only words"
    return f"only {', '.join(known[:4])}{', ...' if len(known) > 4 else ''}"
