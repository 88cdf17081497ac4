"""Reported statistics to records; nothing is guessed.

`parse_apa` reads one statistic and insists on understanding every number of the string: words may be around
it, numbers may not, unless they are known to be something else (an effect size, an interval). `find_apa`
finds all statistics of a running text.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from concord.errors import ApaError
from concord.people.apa.asides import find_items, read_items
from concord.people.apa.cursor import Fault, Item
from concord.people.apa.draft import build
from concord.people.apa.groups import PRIMARY, group, promote_coefficient, settle
from concord.people.apa.records import ApaResult
from concord.people.apa.text import Plain, plain

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

    Raises
    ------
    ApaError
        The string holds no statistic, more than one, an impossible one, or a number that belongs to
        nothing; the error says where and what was expected.

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
    return _placed(found, items, source)


def find_apa(text: str) -> tuple[ApaResult, ...]:
    """Find every reported statistic of a running text.

    In running text ``t = 0`` or ``75 of 92`` alone is not taken for a test: a statistic without
    parentheses counts only beside its df, n or p, and counts only beside a p or the name of the test.

    Parameters
    ----------
    text
        Of any length; the time taken is proportional to it.

    Raises
    ------
    ApaError
        Something begins like a statistic and cannot be one, such as ``r(20) = 1.3``. `scan_apa` goes on
        and lists these.

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
            results.append(_placed(build(members, primary), members, source))
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


def _placed(found: ApaResult, items: Sequence[Item], source: Plain) -> ApaResult:
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
