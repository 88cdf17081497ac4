"""One side of a hand-made row: its cells brought together, and the columns of a table of tests made of them.

Cells say something of the side and of its groups; t comes from means, tables from counts.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from concord.errors import CellProblem
from concord.files.cells import BadCellError
from concord.people.apa.parse import parse_apa
from concord.people.table.columns import map_option
from concord.people.table.handmade import cells
from concord.people.table.handmade.cells import Quantity
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
        if meaning.field != "direction" and cells.is_nothing(cell):  # there "-" is a direction
            continue
        if cells.is_code(cell, meaning.field):
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
        found.each = cells.read_sizes(cell)
    elif name == "df":
        _put_degrees(found, cell)
    elif name in ("n", "n1", "n2", "df1", "df2"):
        setattr(
            found,
            name,
            cells.read_size(cell) if name.startswith("n") else cells.read_number(cells.after_equals(cell)),
        )
    elif name == "p":
        found.p = cells.read_p(cell)
    elif name == "direction":
        found.direction = cells.read_direction(cell)
    elif name in ("ci", "ci_low", "ci_high"):
        _put_interval(found, name, cell)
    else:
        found.extra[name] = cell


def _put_group(group: GroupNumbers, name: str, cell: object, *, is_share: bool) -> None:
    if name in ("sd", "se", "n"):
        value = (
            cells.read_size(cells.unbracketed(cell))
            if name == "n"
            else cells.read_number(cells.after_equals(cells.unbracketed(cell)))
        )
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
        return {"count": cells.read_count, "percent": cells.read_percent}[name](cell)
    try:
        return cells.read_mean(cell)
    except BadCellError:
        if "/" in str(cell) or "%" in str(cell):
            return cells.read_count(cell)
        raise


def _put_statistic(found: Gathered, name: str, cell: object) -> None:
    try:
        made: Quantity | None = cells.read_effect(cell)
    except BadCellError:
        made = cells.read_any(cell)
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
        made = cells.read_mean(cell)
    except BadCellError:
        made = cells.read_any(cell)
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
    bare = cells.bare_number(cell) if label else None
    made = cells.read_any(cell) if bare is None else Quantity(bare)
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
    text = cells.plain(cell)
    if isinstance(text, str) and "," in text:
        first, second = (cells.read_number(part.strip()) for part in text.strip("() ").split(",", 1))
        found.df1, found.df2 = first, second
    else:
        found.df2 = cells.read_number(cells.unbracketed(cell))


def _put_interval(found: Gathered, name: str, cell: object) -> None:
    if name == "ci":
        made = cells.read_interval(cell)
        if made is not None:
            found.low, found.high = made.low, made.high
    elif name == "ci_low":
        found.low = cells.read_number(cell)
    else:
        found.high = cells.read_number(cell)


TYPES = {
    "t": "t-independent",
    "F": "anova",
    "r": "correlation",
    "chi2": "chi-square",
    "z": "z-test",
    "U": "mann-whitney",
    "OR": "odds-ratio",
    "binomial": "binomial",
    "W": "wilcoxon",
    "H": "kruskal-wallis",
    "Q": "cochran-q",
    "b": "coefficient",
}
"""The type of test that a printed statistic means, where no column says it."""
_NEED_N = frozenset(["z", "chi2", "U", "W", "H", "Q"])
"""Statistics that do not say how many took part."""
_NORMAL_95 = 1.959963984540054
Made = tuple[str, Fields, tuple[str, ...]]
"""The type of a test, its columns, and what was computed or assumed."""
_ONE_MEAN = (
    ". Two groups have titles such as 'Human treatment M' and 'Human control M'; a coefficient with its "
    "standard error stands below a title such as 'Human b (SE)'; single means of people and model are "
    "compared by concord score answers"
)
_HALVED = "n of both groups together was halved; give n of each group"


def canonical(found: Gathered, hint: str | None) -> Made:
    """Return the type of test of a side, its columns, and what was computed or assumed."""
    if found.each is not None and (not found.text or found.label in ("t", "U", "z")):
        found.n1, found.n2 = found.each
    made = _by_what_there_is(found, hint)
    test_type, fields, notes = made
    notes = (*found.told, *notes)
    if found.direction is not None:
        fields["direction"] = found.direction
    for name in ("n1", "n2", "n"):
        if getattr(found, name) is not None:
            fields.setdefault(name, getattr(found, name))
    fields.update(found.extra)
    if found.p is not None and test_type != "p-value":
        notes = (*notes, *_with_p(found.p, test_type, fields))
    return test_type, fields, notes


def _with_p(p: Quantity, test_type: str, fields: Fields) -> tuple[str, ...]:
    """Put a p-value beside other numbers: an exact one as it is, a bound where it can be checked."""
    if p.relation == "=":
        fields.setdefault("p_value", p.text if p.text else p.value)
        return ()
    said = "n.s." if p.relation == "ns" else f"p {p.relation} {p.value:g}"
    head = _printed_head(test_type, fields)
    if head is None:
        return ("a bound of p beside other numbers is not used",)
    fields.setdefault("reported", f"{head} = {float(str(fields['statistic'])):.2f}, {said}")
    return ()


def _printed_head(test_type: str, fields: Fields) -> str | None:
    """Return a t or F with its degrees of freedom as papers print them; ``None`` where they are not known."""
    df1, df2, n1, n2 = (fields.get(name) for name in ("df1", "df2", "n1", "n2"))
    if "statistic" not in fields:
        return None
    if test_type == "anova" and df1 is not None and df2 is not None:
        return f"F({df1:g}, {df2:g})"
    if test_type == "t-independent" and df2 is None and n1 is not None and n2 is not None:
        df2 = float(str(n1)) + float(str(n2)) - 2
    return f"t({df2:g})" if test_type == "t-independent" and df2 is not None else None


def _by_what_there_is(found: Gathered, hint: str | None) -> Made:
    if found.label == "b":
        return _of_coefficient(found, hint)
    if found.text:
        if hint is None and _lacks_n(found):
            return "p-value", {"reported": found.text}, ("there is no n: the p-value is the test",)
        fields: Fields = {"reported": found.text}
        sign = _means_sign(found)
        if sign is not None:
            fields["direction"] = sign
        return _type_of(found.label, hint), fields, ()
    if found.value is not None:
        return _of_statistic(found, hint)
    pair = found.pair()
    if any(group.mean is not None for group in pair):
        return _of_means(pair, hint, found)
    if any(map(has_count, pair)):
        return _of_counts(pair, hint, found)
    if found.size is not None:
        return _of_effect(found, hint)
    if found.p is not None:
        return _of_p(found.p)
    if "table" in found.extra:
        return (hint or "chi-square"), {}, ()
    raise BadCellError("a statistic, means with SD and n, counts, an effect or a p-value")


def _lacks_n(found: Gathered) -> bool:
    """Whether a printed statistic needs an n that nobody says, and has a p-value to go by."""
    if found.label not in _NEED_N or any(n is not None for n in (found.n, found.n1, found.n2)):
        return False
    parsed = parse_apa(found.text)
    return parsed.p_relation in ("=", "<") and parsed.n is None and parsed.n1 is None


def _type_of(label: str, hint: str | None) -> str:
    if hint is not None:
        return hint
    if label not in TYPES:
        raise BadCellError(f"a column that says the type of test: a {label!r} alone does not")
    return TYPES[label]


def _group_rate(group: GroupNumbers) -> float | None:
    """Return the percentage of a group, given or counted."""
    if group.percent is None and group.k is not None and group.n is not None and group.n > 0:
        return 100 * group.k / group.n
    return group.percent


def _means_sign(found: Gathered) -> int | None:
    """Return the direction that two means or two rates beside a printed statistic show."""
    pair = found.pair()
    if len(pair) != 2:
        return None
    first, second = (group.mean if group.mean is not None else _group_rate(group) for group in pair)
    if first is None or second is None or first == second:
        return None
    return 1 if first > second else -1


def _of_statistic(found: Gathered, hint: str | None) -> Made:
    is_unnamed = found.label == "statistic" and hint is None
    label = "t" if is_unnamed else found.label
    made: Fields = {"statistic": found.value}
    test_type = hint if label == "statistic" and hint is not None else _type_of(label, hint)
    df1 = found.df1
    if test_type == "chi-square" and df1 is None:
        df1, made["df1"] = found.df2, found.df2 if found.df2 is not None else 1.0
    elif found.df2 is not None:
        made["df2"] = found.df2
    if df1 is not None:
        made["df1"] = df1
    sign = _means_sign(found)
    if sign is not None and test_type in ("anova", "chi-square"):
        made["direction"] = sign
    note = "the statistic has no name and was taken for t; a column 'Test type' says which it is"
    return test_type, made, (note,) if is_unnamed else ()


def _of_coefficient(found: Gathered, hint: str | None) -> Made:
    """Return a coefficient with its standard error or interval; without n, its p-value."""
    test_type = hint if hint in ("logistic", "odds-ratio") else "coefficient"
    if found.text:
        parsed = parse_apa(found.text)
        if found.n is not None or parsed.n is not None or parsed.df2 is not None:
            return test_type, {"reported": found.text}, ()
        if parsed.p_value is not None:
            return "p-value", {"reported": found.text}, ("there is no n: the p-value is the test",)
        value, se = parsed.statistic, parsed.se
    else:
        value, se = found.value, found.se
    own = found.groups.get("")
    if se is None and own is not None:
        se = own.se
    if se is None and found.low is not None and found.high is not None:
        se = (found.high - found.low) / (2 * _NORMAL_95)
    if value is None or se is None or se <= 0:
        raise BadCellError("a coefficient with its standard error, such as 0.32 (0.10) or a column SE")
    if found.n is not None or found.df2 is not None:
        made: Fields = {"statistic": value, "se": se, "n": found.n, "df2": found.df2}
        return test_type, {name: one for name, one in made.items() if one is not None}, ()
    direction = (value > 0) - (value < 0)
    if found.p is not None and found.p.relation == "=":
        made = {"p_value": found.p.text if found.p.text else found.p.value, "direction": direction}
        return "p-value", made, ("there is no n: the p-value is the test",)
    p = math.erfc(abs(value / se) / math.sqrt(2))
    return "p-value", {"p_value": p, "direction": direction}, ("there is no n: p was computed from b / SE",)


def _of_means(pair: Sequence[GroupNumbers], hint: str | None, found: Gathered) -> Made:
    if len(pair) != 2:
        raise BadCellError(f"means of two groups; found {len(pair)}{_ONE_MEAN if len(pair) == 1 else ''}")
    sizes = [group.n for group in pair]
    notes: tuple[str, ...] = ("t was computed from means, SDs and n, as of two groups of different people",)
    if None in sizes and found.n1 is not None and found.n2 is not None:
        sizes = [found.n1, found.n2]
    if None in sizes and found.n is not None:
        sizes = [*_halves(found.n)]
        notes = (*notes, _HALVED)
    values = [(group.mean, _sd(group, n), n) for group, n in zip(pair, sizes, strict=True)]
    if any(one is None for value in values for one in value):
        raise BadCellError("a mean, an SD (or SE) and an n of both groups")
    (m1, s1, n1), (m2, s2, n2) = values
    assert m1 is not None and s1 is not None and n1 is not None  # noqa: S101, PT018 - looked at above
    assert m2 is not None and s2 is not None and n2 is not None  # noqa: S101, PT018
    pooled = ((n1 - 1) * s1**2 + (n2 - 1) * s2**2) / (n1 + n2 - 2)
    if pooled <= 0:
        raise BadCellError("groups whose answers vary: both SDs are 0")
    t = (m1 - m2) / math.sqrt(pooled * (1 / n1 + 1 / n2))
    return _of_t(t, n1, n2, hint, notes)


def _of_t(t: float, n1: float, n2: float, hint: str | None, notes: tuple[str, ...]) -> Made:
    """Return the t of two groups as the test that a column names."""
    if hint in (None, "t-independent"):
        return "t-independent", {"statistic": t, "n1": n1, "n2": n2}, notes
    if hint in ("anova", "regression"):
        made: Fields = {"statistic": t * t, "df1": 1.0, "df2": n1 + n2 - 2, "n1": n1, "n2": n2}
        return hint, {**made, "direction": (t > 0) - (t < 0)}, notes
    raise BadCellError(f"the statistic itself: for test type {hint} it does not follow from these numbers")


def _halves(n: float) -> tuple[float, float]:
    """Return two groups of n people together: whole ones, for people are."""
    first = math.ceil(n / 2)
    return float(first), n - first


def _sd(group: GroupNumbers, n: float | None) -> float | None:
    if group.sd is not None:
        return group.sd
    return None if group.se is None or n is None else group.se * math.sqrt(n)


def _of_counts(pair: Sequence[GroupNumbers], hint: str | None, found: Gathered) -> Made:
    notes: tuple[str, ...] = ("the table was made of counts",)
    sizes: tuple[float | None, ...] = (found.n,)
    if len(pair) == 2:
        sizes = (found.n1, found.n2)
        if found.n is not None and sizes == (None, None) and all(group.n is None for group in pair):
            sizes, notes = _halves(found.n), (*notes, _HALVED)
    given = [_k_of(group, n) for group, n in zip(pair, sizes, strict=False)]
    if len(pair) == 1:
        ((k, n),) = given
        return (hint or "binomial"), {"k": k, "n": n}, ()
    if len(pair) != 2:
        raise BadCellError(f"counts of one or two groups; found {len(pair)}")
    (k1, n1), (k2, n2) = given
    table = [[k1, n1 - k1], [k2, n2 - k2]]
    return (hint or "chi-square"), {"table": table}, notes


def _k_of(group: GroupNumbers, outer: float | None) -> tuple[int, int]:
    """Return how many of how many; a percentage must be one that a count of n gives."""
    n = outer if group.n is None else group.n
    if n is None:
        raise BadCellError("the n that a count or percentage is of")
    if group.k is not None:
        if group.percent is not None and abs(100 * group.k / n - group.percent) > 1:
            raise BadCellError(
                f"a count that fits its percentage: {group.k:g} of {n:g} is {100 * group.k / n:.1f} %"
            )
        return round(group.k), round(n)
    assert group.percent is not None  # noqa: S101 - one of the two is there
    k = round(group.percent / 100 * n)
    if abs(100 * k / n - group.percent) > max(0.5, 0.0):
        raise BadCellError(f"a percentage that a count of {n:g} gives: {k} of {n:g} is {100 * k / n:.1f} %")
    return k, round(n)


def _of_effect(found: Gathered, hint: str | None) -> Made:
    """Return an effect as a test: by its n where there is one, else by the interval."""
    size, low, high = found.size, found.low, found.high
    assert size is not None  # noqa: S101 - that is why we are here
    if found.effect == "d" and hint in ("t-paired", "t-one-sample") and found.n is not None:
        return hint, {"statistic": size * math.sqrt(found.n), "n": found.n}, ("t was computed from d and n",)
    n1, n2 = found.n1, found.n2
    notes: tuple[str, ...] = ("t was computed from d and n",)
    if n1 is None and found.n is not None:
        (n1, n2), notes = _halves(found.n), (*notes, _HALVED)
    if found.effect == "d" and n1 is not None and n2 is not None:
        return _of_t(size / math.sqrt(1 / n1 + 1 / n2), n1, n2, hint, notes)
    if found.effect == "r" and found.n is not None:
        return (hint or "correlation"), {"statistic": size, "n": found.n}, ()
    if found.effect == "OR" and found.n is not None and low is not None and high is not None:
        return (hint or "odds-ratio"), {"statistic": size, "ci_low": low, "ci_high": high, "n": found.n}, ()
    if low is None or high is None:
        raise BadCellError("an n or a 95 % interval beside the effect: without them it is no test")
    return _of_interval(found.effect, size, low, high)


def _of_interval(effect: str, size: float, low: float, high: float) -> Made:
    scale: Callable[[float], float] = {"d": float, "r": math.atanh, "OR": math.log}[effect]
    if not low < high or (effect == "OR" and low <= 0):
        raise BadCellError("an interval whose ends are in order")
    se = (scale(high) - scale(low)) / (2 * _NORMAL_95)
    z = scale(size) / se
    p = math.erfc(abs(z) / math.sqrt(2))
    d = {"d": size, "r": 2 * size / math.sqrt(1 - size * size) if effect == "r" else 0.0,
         "OR": scale(size) * math.sqrt(3) / math.pi}[effect]  # fmt: skip
    note = f"p was computed from the interval of {effect}" + (
        "" if effect == "d" else f", and d from {effect}"
    )
    return "p-value", {"p_value": p, "direction": (z > 0) - (z < 0), "effect_d": d}, (note,)


def _of_p(p: Quantity) -> Made:
    if p.relation == "=":
        return "p-value", {"p_value": p.text if p.text else p.value}, ()
    if p.relation in ("ns", ">"):
        raise NoTestError("that a result is not significant, alone, is no test: the side is left empty")
    return "p-value", {"reported": f"p < {p.value:g}"}, ()
