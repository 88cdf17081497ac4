"""What a plan is asked for, checked before anything is worked out, and what every plan is."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

from concord import number_words
from concord.errors import OptionError, quoted
from concord.files.codec import encode
from concord.files.documents import provenance
from concord.kinds import Kind
from concord.numeric import COUNT, MOST, NumberRule, above_zero, check_numbers, from_zero, whole
from concord.records import InputFile
from concord.words import say

if TYPE_CHECKING:
    from concord.comparing.tables import ScoreReading

_SIZE = "a size above 0, such as 0.05; its sign does not matter, since the test looks both ways"
_COST = from_zero("the cost of one call, a number of 0 or more")
_SD = from_zero("a standard deviation, 0 or more", MOST)
_BELOW_1 = NumberRule(0, 1, "a number from 0 to below 1", open_high=True, share=True)
_SHARE = NumberRule(0, 1, "a mean of 0-1 scores, a number from 0 to 1", share=True)
NUMBERS: Mapping[str, NumberRule] = {
    "effect": above_zero(_SIZE, MOST),
    "items": whole(2),
    "repeats": COUNT,
    "arrangements": whole(2),
    "width": above_zero("the width of an interval, a number above 0, such as 0.05", MOST),
    "calls": whole(1, 1_000_000),
    "item_cost": from_zero(f"what one more item costs in calls, a number from 0 to {MOST:,}", MOST),
    "cost_per_call": _COST,
    "means": _SHARE,
    "correlation": NumberRule(-1, 1, "a correlation, a number from -1 to 1", share=True),
    "sd_between": _SD,
    "sd_within": _SD,
    "cluster_size": NumberRule(1, MOST, "the mean size of a cluster, 1 or more"),
    "cluster_cv": from_zero("the spread of sizes over their mean, 0 or more", MOST),
    "cluster_correlation": NumberRule(
        0, 1, "a correlation inside clusters, a number from 0 to 1", share=True
    ),
    "accuracy": NumberRule(1e-9, 1 - 1e-9, "a mean score between 0 and 1", share=True),
    "order_sd": NumberRule(1e-9, 1 - 1e-9, "a standard deviation between 0 and 1"),
    "order_item_sd": _BELOW_1,
    "noise_sd": NumberRule(0, 1, "a standard deviation from 0 to 1"),
    "d": above_zero("a standardised difference above 0, such as 0.5", MOST),
    "se": above_zero("a standard error above 0", MOST),
    "sd": above_zero("a standard deviation above 0", MOST),
    "person_cost": above_zero("the price of a person, a number above 0"),
    "reply_cost": from_zero("the price of a reply, a number of 0 or more"),
}
"""What the numbers of a plan may be, wanted or assumed; several are a tuple of such numbers."""


@dataclass(frozen=True, slots=True)
class PlanOptions:
    """What a plan is asked for."""

    effect: float | None = None
    """The difference that should be found."""
    power: float = 0.8
    level: float = 0.95
    items: int | None = None
    repeats: int = 1
    search_repeats: bool = True
    """Whether a plan about structure may choose the repeats: none were given."""
    arrangements: int | None = None
    """Arrangements of a plan about structure; ``None``: several numbers are tried."""
    width: float | None = None
    """Width of the interval of the order effect; ``None``: the power decides."""
    calls: int | None = None
    """Budget of calls, both models together."""
    item_cost: float = 0.0
    """What one more item costs (writing, rating), in calls."""
    cost: tuple[float, float] | None = None
    """Lowest and highest cost of one call; None: unknown."""

    def __post_init__(self) -> None:
        given = {name: getattr(self, name) for name in self.__dataclass_fields__}
        check_numbers(given, required=("power", "level", "repeats", "item_cost"), **NUMBERS)
        if self.power <= 1 - self.level:
            raise OptionError(
                f"a power of {self.power:g} is what chance alone gives at a level of {self.level:g}"
            )
        if self.cost is not None and not (0 <= self.cost[0] <= self.cost[1]):
            raise OptionError(
                f"the cost of a call is {self.cost!r}; expected the lowest and the highest in this order"
            )

    def cost_of(self, calls: int | None) -> tuple[float, float] | None:
        """Return the lowest and highest cost of so many calls; None where the cost of one is not known."""
        return None if calls is None or self.cost is None else (calls * self.cost[0], calls * self.cost[1])


_PAIRS = ("means", "cost_per_call")
"""Options that may be, or must be, two numbers."""


def wanted_of(given: dict[str, Any], assumable: Sequence[str]) -> tuple[PlanOptions, dict[str, Any]]:
    """Tell what is wanted from what is assumed, among options that were given."""
    for key in [name for name in given if name in NUMBERS]:
        value = given[key]
        both = key in _PAIRS and isinstance(value, tuple | list)
        if (both and len(value) != 2) or (key == "means" and not both):
            raise OptionError(f"{key} is {quoted(value)}; expected two numbers")
        checked = [
            check_numbers({key: one}, required=(key,), **NUMBERS)[key]
            for one in (value if both else (value,))
        ]
        given[key] = tuple(checked) if both else checked[0]
    given |= check_numbers({key: value for key, value in given.items() if key not in NUMBERS})
    cost = given.pop("cost_per_call", None)
    assumed = {key: given.pop(key) for key in assumable if key in given}
    known = set(PlanOptions.__dataclass_fields__) - {"cost", "search_repeats"}
    unknown = sorted(set(given) - known)
    if unknown:
        names = ", ".join(sorted({*known, "cost_per_call", *assumable}))
        raise OptionError(f"a plan has no option {', '.join(map(repr, unknown))}; it has {names}")
    price = (cost, cost) if isinstance(cost, int | float) else cost
    return PlanOptions(**given, cost=price, search_repeats="repeats" not in given), assumed


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class PlanRecord(Kind):
    """What every plan says: what it rests on, what was wanted, what to know about it."""

    FORMAT, FILE, BARE = "plan", "plan.json", True
    KIND: ClassVar[str] = ""
    """What the document calls the kind of plan; nothing: a comparison on items."""
    FIRST: ClassVar[tuple[str, ...]] = ("based_on",)
    LAST: ClassVar[tuple[str, ...]] = ("wanted", "warnings")
    """Fields of every plan that the document has before and after what is planned."""
    PLANNED: ClassVar[tuple[str, ...]] = ()
    """Keys of what is planned, each an attribute; ``key=name`` where the attribute has another name."""
    NEEDED: ClassVar[tuple[str, ...]] = ()
    """What the columns of ``needed`` are, where it has that."""

    based_on: str = "assumptions"
    wanted: PlanOptions = field(default_factory=PlanOptions)
    warnings: tuple[str, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    """Files of the pilot."""

    @property
    def calls(self) -> int | None:
        """Calls that are planned; None where there are none."""
        return None

    @property
    def cost(self) -> tuple[float, float] | None:
        """Lowest and highest cost of these calls; None where the cost of a call is not known."""
        return self.wanted.cost_of(self.calls)

    def lines(self) -> Iterator[str]:
        """Return the plan in words, line by line."""
        raise NotImplementedError

    def sentences(self) -> Sequence[str]:
        """Return the plan in words."""
        return tuple(self.lines())

    def planned(self) -> dict[str, Any]:
        """Return what is planned, by the keys of the document."""
        named = (one.partition("=")[::2] for one in self.PLANNED)
        made = {key: encode(attrgetter(name if name else key)(self)) for key, name in named}
        if self.NEEDED:
            made["needed"] = [dict(zip(self.NEEDED, row, strict=True)) for row in made["needed"]]
        return made

    def document(self) -> dict[str, Any]:
        """Return the document that ``--json`` prints."""
        common = {
            "based_on": self.based_on, "wanted": asdict(self.wanted), "warnings": list(self.warnings)
        }  # fmt: skip
        return {
            "question": "plan",
            **({"kind": self.KIND} if self.KIND else {}),
            **{key: common[key] for key in self.FIRST},
            **self.planned(),
            **{key: common[key] for key in self.LAST},
            **provenance(self.inputs),
        }


_WIDTH = 46


def named_value(name: str, value: str) -> str:
    """Return a line of a plan: what it is, and its value."""
    return f"  {name + ':':<{_WIDTH}} {value}"


def money(cost: tuple[float, float] | None) -> str:
    """Say what a plan costs, or that it is not known."""
    if cost is None:
        return say("plan.unpriced")
    low, high = map(number_words.in_money, cost)
    return low if low == high else f"{low} to {high}"


def price(cost: tuple[float, float] | None) -> dict[str, float] | None:
    """Return what a document says of a cost."""
    return None if cost is None else {"low": cost[0], "high": cost[1]}


@dataclass(frozen=True, slots=True)
class PlanRequest:
    """What a plan rests on and what is wanted of it; the same for every kind."""

    sources: Sequence[Any]
    """Results of a pilot; none: the plan rests on what is assumed."""
    wanted: PlanOptions
    assumed: Mapping[str, Any]
    reading: "ScoreReading"
    """How files of a pilot are read."""
    given: frozenset[str] = frozenset()
    """Names of the options that were given."""

    def refuse(self, *names: str, why: str) -> None:
        """Refuse options that this plan would not use."""
        unused = sorted(self.given.intersection(names))
        if unused:
            raise OptionError(f"{why}, so {', '.join(unused)} would change nothing; leave it out")

    @property
    def metric(self) -> str | None:
        """The number that is planned for, where one is asked for."""
        return self.reading.metric


@dataclass(frozen=True, slots=True)
class PlanKind:
    """One kind of plan: what it is called, the results it can rest on, and what can be assumed instead."""

    name: str
    """The word that asks for it: ``concord plan NAME``."""
    about: str
    """What a message calls such a plan."""
    plan: Callable[[PlanRequest], PlanRecord]
    words: str = ""
    """What a message calls one of the results."""
    holds: Callable[[object], bool] = lambda source: False
    """Whether a source is such a result, so that the plan need not be named."""
    assumed: tuple[str, ...] = ()
    """What can be assumed."""
    wanted: tuple[str, ...] = ()
    """What can be wanted, and how a pilot is read; every other option is refused."""
    mixes: bool = False
    """Whether assumptions may replace single numbers of a pilot."""
    metrics: tuple[str, ...] = ()
    """Metrics of this kind alone, as `MetricKind` has them."""
