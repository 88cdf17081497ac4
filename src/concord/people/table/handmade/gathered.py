"""The cells of one side of a hand-made row, brought together: what they say of it and of its groups."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from concord.errors import CellProblem
from concord.files.cells import BadCellError
from concord.people.table.columns import map_option
from concord.people.table.handmade.cells import (
    Quantity,
    after_equals,
    bare_number,
    is_code,
    is_nothing,
    plain,
    read_any,
    read_count,
    read_direction,
    read_effect,
    read_interval,
    read_mean,
    read_number,
    read_p,
    read_percent,
    read_size,
    read_sizes,
    unbracketed,
)
from concord.people.table.handmade.words import Meaning

Fields = dict[str, object]


@dataclass(slots=True)
class GroupNumbers:
    """What a row says of one group of participants."""

    mean: float | None = None
    sd: float | None = None
    se: float | None = None
    n: float | None = None
    k: float | None = None
    percent: float | None = None


@dataclass(slots=True)
class Gathered:
    """What a row says of one side."""

    text: str = ""
    label: str = ""
    """Which statistic ``text`` or ``value`` is."""
    value: float | None = None
    df1: float | None = None
    df2: float | None = None
    n: float | None = None
    n1: float | None = None
    n2: float | None = None
    p: Quantity | None = None
    effect: str = ""
    """d, r or OR where an effect is given and no statistic."""
    size: float | None = None
    low: float | None = None
    high: float | None = None
    direction: int | None = None
    each: tuple[float, float] | None = None
    """Participants of the first and of the second group, from one cell."""
    se: float | None = None
    """Of a coefficient."""
    extra: Fields = field(default_factory=dict)
    groups: dict[str, GroupNumbers] = field(default_factory=dict)
    order: tuple[str, ...] = ()
    """Names of the groups of people, in whose order those of an agent are taken."""
    told: list[str] = field(default_factory=list)
    """What was left out."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing but sample sizes and settings is there."""
        values = (self.value, self.size, self.p, self.low)
        grouped = any(one.mean is not None or has_count(one) for one in self.groups.values())
        return not self.text and not grouped and not self.extra and all(one is None for one in values)

    def pair(self) -> list[GroupNumbers]:
        """Return the groups in their order: first and second, those of people, or as they are."""
        known = {name.casefold(): i for i, name in enumerate(self.order)}
        names = sorted(
            self.groups, key=lambda name: (name == "2", name != "1", known.get(name.casefold(), len(known)))
        )
        return [self.groups[name] for name in names]


def has_count(group: GroupNumbers) -> bool:
    """Whether a group has a count or a percentage."""
    return group.k is not None or group.percent is not None


Entry = tuple[Meaning, str, object]
"""A column's meaning, its title, and the cell of the row."""


def gather(
    entries: Sequence[Entry],
    *,
    shares: frozenset[str],
    place: Callable[..., CellProblem],
    order: tuple[str, ...] = (),
) -> Gathered:
    """Read the cells of one side; raise `BadSideError` where some cannot be used."""
    found = Gathered(order=order)
    problems = []
    seen: dict[Meaning, tuple[str, object]] = {}
    for meaning, title, cell in entries:
        if meaning.field != "direction" and is_nothing(cell):  # there "-" is a direction
            continue
        if is_code(cell, meaning.field):
            found.told.append(f"{cell} below {title!r} is taken for the code of a missing value")
            continue
        before, other = seen.setdefault(meaning, (title, cell))
        if other != cell:
            problems.append(place(title, cell, _only_one(title, before, other)))
            continue
        try:
            _take(found, meaning, cell, is_share=title in shares)
        except BadCellError as error:
            problems.append(place(title, cell, str(error)))
    if problems:
        raise BadSideError(problems)
    return found


def _only_one(title: str, before: str, other: object) -> str:
    """Say what to do about two values of one thing: two columns, or two rows of one test."""
    if title == before:
        return (
            f"one value for each test, side and group; another row of the same test has {other!r}: "
            "give each test a name of its own"
        )
    return (
        f"one column for it, but {before!r} holds {other!r} for the same side; leave one out with "
        f"{map_option(title, '-')}, or give each group and each model a name of its own in its title"
    )


class NoTestError(Exception):
    """A side says something, but no test: its text says why."""


class BadSideError(Exception):
    """Cells of a side that cannot be used."""

    def __init__(self, problems: Sequence[CellProblem]) -> None:
        super().__init__(problems)
        self.problems = tuple(problems)


def _take(found: Gathered, meaning: Meaning, cell: object, *, is_share: bool) -> None:
    name = meaning.field
    if name == "b":
        _put_coefficient(found, cell)
    elif name in ("mean", "mean_se", "sd", "se", "count", "percent") or (name == "n" and meaning.group):
        _put_group(found.groups.setdefault(meaning.group, GroupNumbers()), name, cell, is_share=is_share)
    elif name in ("t", "F", "r", "chi2", "z", "U", "OR", "d"):
        _put_statistic(found, name, cell)
    elif name == "statistic":
        _put_any(found, cell, label="statistic")
    elif name == "any":
        _put_any(found, cell, label="", group=meaning.group)
    elif name == "n_each":
        found.each = read_sizes(cell)
    elif name == "df":
        _put_degrees(found, cell)
    elif name in ("n", "n1", "n2", "df1", "df2"):
        setattr(found, name, read_size(cell) if name.startswith("n") else read_number(after_equals(cell)))
    elif name == "p":
        found.p = read_p(cell)
    elif name == "direction":
        found.direction = read_direction(cell)
    elif name in ("ci", "ci_low", "ci_high"):
        _put_interval(found, name, cell)
    else:
        found.extra[name] = cell


def _put_group(group: GroupNumbers, name: str, cell: object, *, is_share: bool) -> None:
    if name in ("sd", "se", "n"):
        value = read_size(unbracketed(cell)) if name == "n" else read_number(after_equals(unbracketed(cell)))
        setattr(group, name, value)
        return
    made = _read_group(name, cell)
    if made is None:
        return
    group.mean = made.value if made.value is not None else group.mean
    if name == "mean_se":
        group.se = made.sd if made.sd is not None else group.se
    else:
        group.sd = made.sd if made.sd is not None else group.sd
    group.n = made.n if made.n is not None else group.n
    group.k = made.k if made.k is not None else group.k
    if made.percent is not None:
        group.percent = made.percent * 100 if is_share and not isinstance(cell, str) else made.percent


def _read_group(name: str, cell: object) -> Quantity | None:
    """Read a mean, a count or a percentage; counts may stand in a column of means."""
    if name not in ("mean", "mean_se"):
        return {"count": read_count, "percent": read_percent}[name](cell)
    try:
        return read_mean(cell)
    except BadCellError:
        if "/" in str(cell) or "%" in str(cell):
            return read_count(cell)
        raise


def _put_statistic(found: Gathered, name: str, cell: object) -> None:
    try:
        made: Quantity | None = read_effect(cell)
    except BadCellError:
        made = read_any(cell)
    if made is None:
        return
    if made.text:
        found.text, found.label = made.text, made.label
    elif name in ("d", "OR") or made.low is not None:
        found.effect, found.size = made.label.replace("g", "d") or name, made.value
        found.low, found.high = made.low, made.high
    else:
        found.label, found.value = name, made.value
    found.n = made.n if made.n is not None else found.n


def _put_coefficient(found: Gathered, cell: object) -> None:
    """Take a coefficient, with its standard error where the cell holds it: ``0.32 (0.10)``."""
    try:
        made = read_mean(cell)
    except BadCellError:
        made = read_any(cell)
    if made is None:
        return
    if made.text:
        found.text, found.label = made.text, made.label
    else:
        found.label, found.value = "b", made.value
        found.se = made.sd


def _put_any(found: Gathered, cell: object, *, label: str, group: str = "") -> None:
    if label and found.label == "b":
        return  # beside a coefficient, its t
    bare = bare_number(cell) if label else None
    made = read_any(cell) if bare is None else Quantity(bare)
    if made is None:
        return
    if made.text:
        found.text, found.label = made.text, made.label
    elif made.relation and not made.label and made.k is None:
        if made.relation == "=" and label:
            found.label, found.value = label, made.value  # a bare number in a column of statistics
        else:
            found.p = made
    elif made.k is not None or made.percent is not None:
        own = found.groups.setdefault(group, GroupNumbers())
        own.k, own.percent, own.n = made.k, made.percent, own.n if made.n is None else made.n
    elif made.sd is not None:
        own = found.groups.setdefault(group, GroupNumbers())
        own.mean, own.sd, own.n = made.value, made.sd, own.n if made.n is None else made.n
    elif made.label or made.low is not None:
        found.effect, found.size = made.label.replace("g", "d") or "d", made.value
        found.low, found.high, found.n = made.low, made.high, made.n
    elif label:
        found.label, found.value = label, made.value
    else:
        raise BadCellError("a number that says what it is: 't = 2.41', 'd = 0.45', '26/40'")


def _put_degrees(found: Gathered, cell: object) -> None:
    text = plain(cell)
    if isinstance(text, str) and "," in text:
        first, second = (read_number(part.strip()) for part in text.strip("() ").split(",", 1))
        found.df1, found.df2 = first, second
    else:
        found.df2 = read_number(unbracketed(cell))


def _put_interval(found: Gathered, name: str, cell: object) -> None:
    if name == "ci":
        made = read_interval(cell)
        if made is not None:
            found.low, found.high = made.low, made.high
    elif name == "ci_low":
        found.low = read_number(cell)
    else:
        found.high = read_number(cell)
