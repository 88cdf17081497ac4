"""The cells of one side of a hand-made row brought together: what they say of the side and of its groups."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from concord.errors import CellProblem
from concord.files.cells import BadCellError
from concord.people.table.columns import map_option
from concord.people.table.handmade import cells
from concord.people.table.handmade.cells import Quantity
from concord.people.table.handmade.words import GROUPED, Meaning

Fields = dict[str, object]
EFFECTS = ("d", "r", "OR", "eta2", "phi", "V", "tau", "beta")
"""Effects that become a test by their n, their standard error or their interval."""
_OF_GROUP = ("value", "sd", "se", "n", "k", "percent")


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
    """d, r, OR, eta2 … where an effect is given and no statistic."""
    size: float | None = None
    low: float | None = None
    high: float | None = None
    se: float | None = None
    """Of a coefficient or an effect."""
    direction: int | None = None
    each: tuple[float, float] | None = None
    """Participants of the first and of the second group, from one cell."""
    extra: Fields = field(default_factory=dict)
    groups: dict[str, Quantity] = field(default_factory=dict)
    """What is said of each group of participants."""
    order: tuple[str, ...] = ()
    """Names of the groups of people, in whose order those of an agent are taken."""
    told: list[str] = field(default_factory=list)
    """What was left out."""
    elsewhere: list[tuple[str, object]] = field(default_factory=list)
    """Titles and cells that say that a result is not in the table."""

    @property
    def is_empty(self) -> bool:
        """Whether nothing but sample sizes and settings is there."""
        values = (self.value, self.size, self.p, self.low)
        grouped = any(one.value is not None or one.has_count for one in self.groups.values())
        return not self.text and not grouped and not self.extra and all(one is None for one in values)

    def pair(self) -> list[Quantity]:
        """Return the groups in their order: first and second, those of people, or as they are."""
        known = {name.casefold(): i for i, name in enumerate(self.order)}
        names = sorted(
            self.groups, key=lambda name: (name == "2", name != "1", known.get(name.casefold(), len(known)))
        )
        return [one for name in names if (one := self.groups[name]).value is not None or one.has_count]

    def take_group(self, name: str, made: Quantity) -> None:
        """Fill what a cell gives of a group."""
        given = {one: value for one in _OF_GROUP if (value := getattr(made, one)) is not None}
        self.groups[name] = replace(self.groups.get(name, Quantity()), **given)

    def take_beside(self, made: Quantity) -> None:
        """Fill the n, the interval, the error and the p that a cell gives beside a result."""
        for name in ("n", "low", "high", "se"):
            if getattr(made, name) is not None:
                setattr(self, name, getattr(made, name))
        if made.relation:
            self.p = made


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
        if meaning.field != "direction" and cells.is_nothing(cell):  # there "-" is a direction
            found.elsewhere += [(title, cell)] if cells.is_elsewhere(cell) else []
            continue
        if cells.is_code(cell, meaning.field):
            found.told.append(f"{cell} below {title!r} is taken for the code of a missing value")
            continue
        own = meaning if meaning.field in (*GROUPED, "any") else replace(meaning, group="")
        before, other = seen.setdefault(own, (title, cell))
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
        f"one column for it, but {before!r} holds another value for the same side; leave one out with "
        f"{map_option(title, '-')}, or give each group and each model a name of its own in its title"
    )


class BadSideError(Exception):
    """Cells of a side that cannot be used."""

    def __init__(self, problems: Sequence[CellProblem]) -> None:
        super().__init__(problems)
        self.problems = tuple(problems)


def _take(found: Gathered, meaning: Meaning, cell: object, *, is_share: bool) -> None:
    name = meaning.field
    if name in ("mean", "mean_se", "count", "percent"):
        _put_group(found, meaning, cell, is_share=is_share)
    elif name in ("sd", "se") or (name == "n" and meaning.group):
        bare = cells.unbracketed(cell)
        value = cells.read_size(bare) if name == "n" else cells.read_number(cells.after_equals(bare))
        found.take_group(meaning.group, replace(Quantity(), **{name: value}))  # type: ignore[arg-type]
    elif name in ("t", "F", "r", "chi2", "z", "U", "OR", "d", "b", "eta2", "phi", "V", "tau", "beta"):
        _put_any(found, cell, label=name)
    elif name.endswith("_df"):
        _put_with_degrees(found, cell, label=name.removesuffix("_df"))
    elif name in ("statistic", "any"):
        _put_any(found, cell, label="" if name == "any" else name, group=meaning.group)
    elif name == "n_each":
        found.each = cells.read_sizes(cell)
    elif name == "df":
        _put_degrees(found, cell)
    elif name in ("n", "n1", "n2"):
        setattr(found, name, cells.read_size(cell))
    elif name in ("df1", "df2", "ci_low", "ci_high"):
        setattr(found, name.removeprefix("ci_"), cells.read_number(cells.after_equals(cell)))
    elif name == "p":
        found.p = cells.read_p(cell)
    elif name == "direction":
        found.direction = cells.read_direction(cell)
    elif name == "ci":
        made = cells.read_interval(cell)
        if made is not None:
            found.low, found.high = made.low, made.high
    else:
        found.extra[name] = cell


def _put_group(found: Gathered, meaning: Meaning, cell: object, *, is_share: bool) -> None:
    """Take a mean, a count or a percentage; counts may be in a column of means."""
    name = meaning.field
    try:
        if name in ("mean", "mean_se"):
            made = cells.read_mean(cell)
        else:
            made = cells.read_count(cell) if name == "count" else cells.read_percent(cell)
    except BadCellError:
        if name == "count" or name == "percent" or not ("/" in str(cell) or "%" in str(cell)):
            raise
        made = cells.read_count(cell)
    if made is None:
        return
    if name == "mean_se":
        made = replace(made, sd=None, se=made.sd if made.se is None else made.se)
    if made.percent is not None and is_share and not isinstance(cell, str):
        made = replace(made, percent=made.percent * 100)
    found.take_group(meaning.group, made)


def _put_any(found: Gathered, cell: object, *, label: str, group: str = "") -> None:
    """Take whatever a cell holds; below a title that names a statistic a bare number is that one."""
    if label == "statistic" and found.label == "b":
        return  # beside a coefficient, its t
    made = cells.read_any(cell)
    if made is None:
        return
    is_bare = made == Quantity(made.value) and made.value is not None
    if label and made.relation == "=" and made.value is None and made.k is None and not made.text:
        made, is_bare = Quantity(made.p), True  # "= 2.4" in a column of statistics
    if made.second is not None:
        if group:
            raise BadCellError("one group, as the title says; two groups belong below a title without one")
        found.n = made.both if made.both is not None else found.n
        found.take_group("1", made)
        found.take_group("2", made.second)
    elif made.text:
        found.text, found.label = made.text, made.label
        found.low, found.high, found.se = made.low, made.high, made.se
    elif label == "b" and made.value is not None and made.k is None:
        found.label, found.value, found.se = "b", made.value, made.se if made.sd is None else made.sd
    elif made.k is not None or made.percent is not None or (made.sd is not None and not label):
        found.take_group(group, made)
    elif made.label or made.low is not None or made.se is not None or (is_bare and label in EFFECTS):
        found.effect, found.size = made.label or (label if label in EFFECTS else "d"), made.value
        found.take_beside(made)
    elif label and made.value is not None and made.sd is None:
        found.label, found.value = label, made.value
        found.take_beside(made)
    elif made.relation and made.value is None:
        found.p = made
    elif made.sd is not None:
        raise BadCellError(f"{label} alone, or as papers print it; {cells.RESULT}")
    else:
        raise BadCellError("a number that says what it is: 't = 2.41', 'd = 0.45', '26/40'")


def _put_with_degrees(found: Gathered, cell: object, *, label: str) -> None:
    """Take a statistic with its degrees of freedom in brackets, or whatever else the cell holds."""
    parted = cells.with_degrees(cell)
    if parted is None:
        _put_any(found, cell, label=label)
        return
    found.label, (found.value, degrees) = label, parted
    if label == "F":  # (1,62) are two, whatever a comma is elsewhere
        found.df1, found.df2 = (cells.read_number(part.strip()) for part in _two_degrees(degrees))
    else:
        _put_degrees(found, degrees)


def _two_degrees(text: str) -> list[str]:
    parts = re.split("[,;]", text)
    if len(parts) != 2:
        raise BadCellError("F with its two degrees of freedom, such as 6.12 (1, 62)")
    return parts


def _put_degrees(found: Gathered, cell: object) -> None:
    text = cells.plain(cell)
    if isinstance(text, str) and "," in text:
        first, second = (cells.read_number(part.strip()) for part in text.strip("() ").split(",", 1))
        found.df1, found.df2 = first, second
    else:
        found.df2 = cells.read_number(cells.unbracketed(cell))
