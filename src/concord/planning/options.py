"""What a plan is asked for, checked before anything is worked out, and what every plan is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from concord.errors import OptionError
from concord.files.codec import encode
from concord.files.documents import heading, provenance, read_record
from concord.files.output import write_json
from concord.kinds import Kind
from concord.records import InputFile

if TYPE_CHECKING:
    from concord.comparing.tables import ScoreReading

MOST = 10_000_000
"""Items, repeats and assumed sizes beyond this are slips of the hand: no evaluation comes near it."""


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
    """PlanOptions width of the interval of the order effect; ``None``: the power decides."""
    calls: int | None = None
    """Budget of calls, both models together."""
    item_cost: float = 0.0
    """What one more item costs (writing, rating), in calls."""
    cost: tuple[float, float] | None = None
    """Lowest and highest cost of one call; None: unknown."""

    def __post_init__(self) -> None:
        for problem in self._problems():
            raise OptionError(problem)

    def cost_of(self, calls: int | None) -> tuple[float, float] | None:
        """Return the lowest and highest cost of so many calls; None where the cost of one is not known."""
        return None if calls is None or self.cost is None else (calls * self.cost[0], calls * self.cost[1])

    def _problems(self) -> "list[str]":
        """Say what cannot be."""
        found = []
        if self.effect is not None and not (self.effect > 0 and np.isfinite(self.effect)):
            found.append(
                f"the effect is {self.effect!r}; expected a size above 0 (no number of items finds a "
                "difference that is not there, and the test looks both ways, so its sign does not matter)"
            )
        for name, value in (("power", self.power), ("level", self.level)):
            if not 0 < value < 1:
                example = 0.8 if name == "power" else 0.95
                found.append(f"the {name} is {value!r}; expected a number between 0 and 1, such as {example}")
        if self.power <= 1 - self.level and not found:
            found.append(f"a power of {self.power:g} is what chance alone gives at a level of {self.level:g}")
        if self.items is not None and not 2 <= self.items <= MOST:
            found.append(f"{self.items} items; a plan needs at least 2 and at most {MOST:,}")
        if not 1 <= self.repeats <= MOST:
            found.append(f"{self.repeats} repeats; a plan needs at least 1 and at most {MOST:,}")
        if self.arrangements is not None and not 2 <= self.arrangements <= MOST:
            found.append(f"{self.arrangements} arrangements; a plan needs at least 2 and at most {MOST:,}")
        if self.width is not None and not 0 < self.width < np.inf:
            found.append(f"the width is {self.width!r}; expected a number above 0, such as 0.05")
        if self.calls is not None and self.calls > MOST * 1000:
            found.append(f"{self.calls} calls; a plan has at most {MOST * 1000:,}")
        if not 0 <= self.item_cost <= MOST:
            found.append(
                f"the cost of an item is {self.item_cost!r} calls; expected a number from 0 to {MOST:,}"
            )
        if self.cost is not None and not (0 <= self.cost[0] <= self.cost[1] < np.inf):
            found.append(
                f"the cost of a call is {self.cost!r}; expected a number of 0 or more, or the lowest and the "
                "highest in this order"
            )
        return found


def wanted_of(options: Mapping[str, Any], assumable: Sequence[str]) -> tuple[PlanOptions, dict[str, Any]]:
    """Tell what is wanted from what is assumed."""
    given = {key: value for key, value in options.items() if value is not None}
    cost = given.pop("cost_per_call", None)
    assumed = {key: given.pop(key) for key in assumable if key in given}
    for key, value in assumed.items():
        if any(not abs(number) <= MOST for number in (value if isinstance(value, tuple) else (value,))):
            raise OptionError(f"{key} is {value!r}; expected a number of at most {MOST:,}")
    known = set(PlanOptions.__dataclass_fields__) - {"cost", "search_repeats"}
    unknown = sorted(set(given) - known)
    if unknown:
        names = ", ".join(sorted({*known, "cost_per_call", *assumable}))
        raise OptionError(f"a plan has no option {', '.join(map(repr, unknown))}; it has {names}")
    both = (cost, cost) if isinstance(cost, int | float) else cost
    return PlanOptions(**given, cost=both, search_repeats="repeats" not in given), assumed


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class PlanRecord(Kind):
    """What every plan says: what it rests on, what was wanted, what to know about it."""

    FORMAT: ClassVar[str] = "plan"
    FILE: ClassVar[str] = "plan.json"
    KIND: ClassVar[str] = ""
    """What the document calls the kind of plan; nothing: a comparison on items."""
    FIRST: ClassVar[tuple[str, ...]] = ("based_on",)
    LAST: ClassVar[tuple[str, ...]] = ("wanted", "warnings")
    """Fields of every plan that the document has before and after what is planned."""

    based_on: str = "assumptions"
    wanted: PlanOptions = field(default_factory=PlanOptions)
    warnings: tuple[str, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    """Files of the pilot."""

    def planned(self) -> dict[str, Any]:
        """Return what is planned, by the keys of the document."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
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

    def write(self, out: str | Path = "results") -> tuple[Path, ...]:
        """Write `plan.json`: the document, and the whole record for `read`."""
        path = Path(out) / self.FILE
        write_json(path, {**heading(self.FORMAT), **self.to_dict(), "record": encode(self)})
        return (path,)

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Read a plan of this kind back, whole."""
        return read_record(cls, Path(folder) / cls.FILE, cls.FORMAT, under="record")


_WIDTH = 46


def named_value(name: str, value: str) -> str:
    """Return a line of a plan: what it is, and its value."""
    return f"  {name + ':':<{_WIDTH}} {value}"


def money(cost: tuple[float, float] | None) -> str:
    """Say what a plan costs, or that it is not known."""
    if cost is None:
        return "not known (give the cost of a call with --cost)"
    return f"{cost[0]:,.2f}" if cost[0] == cost[1] else f"{cost[0]:,.2f} to {cost[1]:,.2f}"


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
    own: tuple[str, ...] = ()
    """What is wanted of no other kind."""
    mixes: bool = False
    """Whether assumptions may replace single numbers of a pilot."""
    metrics: tuple[str, ...] = ()
    """Metrics of this kind alone, as `MetricKind` has them."""
