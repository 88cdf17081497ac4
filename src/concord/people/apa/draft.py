"""A statistic and what belongs to it, to one record."""

from concord.people.apa.cursor import Fault, Item
from concord.people.apa.records import ApaResult
from concord.people.apa.text import PrintedNumber
from concord.people.apa.words import DEGREES, Kind


class _Draft:
    """The fields of a record while they are filled."""

    def __init__(self, kind: Kind) -> None:
        self.kind = kind
        self.values: dict[str, float] = {}
        self.tails: set[str] = set()
        self.p: Item | None = None
        self.ns = False
        self.z_decimals: int | None = None
        self.se_decimals: int | None = None

    def put(self, name: str, number: PrintedNumber, entry: Item) -> None:
        """Fill one field, once."""
        known = self.values.setdefault(name, number.value)
        if known != number.value:
            found = f"found {known:.15g} and {number.value:.15g}"
            raise Fault(entry.start, f"one {name}, {found}", certain=False)

    def put_degrees(self, entry: Item) -> None:
        """Fill degrees of freedom, whose names depend on the statistic."""
        single = DEGREES.get(self.kind)
        if self.kind == "F" and entry.role != "df":
            self.put(entry.role, entry.numbers[0], entry)
        elif self.kind == "F" and len(entry.numbers) == 2:
            self.put("df1", entry.numbers[0], entry)
            self.put("df2", entry.numbers[1], entry)
        elif single is not None and entry.role == "df" and len(entry.numbers) == 1:
            self.put(single, entry.numbers[0], entry)
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
        elif entry.role in {"n", "n1", "n2", "k", "p0"}:
            self.put(entry.role, entry.numbers[0], entry)
        elif entry.role == "z":
            self.put("z", entry.numbers[0], entry)
            self.z_decimals = entry.numbers[0].decimals
        elif entry.role == "se":
            self.put("se", entry.numbers[0], entry)
            self.se_decimals = entry.numbers[0].decimals
        elif entry.role == "ci":
            self.put("ci_low", entry.numbers[0], entry)
            self.put("ci_high", entry.numbers[1], entry)
        elif entry.role in {"counts", "fraction"}:
            self.put("k", entry.numbers[0], entry)
            self.put("n", entry.numbers[1], entry)
        elif entry.role == "tail":
            self.tails.add(entry.label)
        elif entry.role == "p":
            self.p = entry
        self.ns = self.ns or entry.role == "ns"
        for part in entry.inside:
            self.take(part)

    def whole(self, name: str) -> int | None:
        """Return a count as a whole number."""
        value = self.values.get(name)
        return None if value is None else int(value)


def _kind(items: list[Item], primary: Item | None) -> Kind:
    """Return the kind of the statistic."""
    if primary is not None and primary.kind is not None:
        return primary.kind
    counted = primary is not None or any(entry.role == "k" for entry in items)
    return "binomial" if counted else "p"


def _check(draft: _Draft, at: int) -> None:
    """Refuse numbers that contradict each other."""
    values = draft.values
    if draft.kind == "binomial" and "n" not in values:
        raise Fault(at, "an n beside k", certain=False)
    if draft.kind == "binomial" and values["k"] > values["n"]:
        raise Fault(at, f"a k of at most n = {values['n']:.15g}", certain=False)
    if draft.kind == "U" and {"n1", "n2"} <= values.keys():
        most = values["n1"] * values["n2"]
        if values["statistic"] > most:
            raise Fault(at, f"a U of at most n1 × n2 = {most:.15g}")
    if len(draft.tails) > 1:
        raise Fault(at, "a test that is one-tailed or two-tailed, not both", certain=False)


def build(items: list[Item], primary: Item | None) -> ApaResult:
    """Make a record of a group of items; text and place are filled by the caller."""
    draft = _Draft(_kind(items, primary))
    statistic = primary.numbers[0] if primary is not None and primary.role == "statistic" else None
    if statistic is not None:
        draft.values["statistic"] = statistic.value
    for entry in items:
        draft.take(entry)
    if draft.kind == "binomial" and any(entry.role == "sign" for entry in items):
        draft.values.setdefault("p0", 0.5)
    _check(draft, items[0].start if primary is None else primary.start)
    p = draft.p.numbers[0] if draft.p is not None and draft.p.numbers else None
    relation = primary.relation if primary is not None else None
    return ApaResult(
        kind=draft.kind,
        statistic=None if statistic is None else statistic.value,
        statistic_relation="=" if relation is None or relation == "ns" else relation,
        statistic_decimals=None if statistic is None else statistic.decimals,
        df1=draft.values.get("df1"),
        df2=draft.values.get("df2"),
        n=draft.whole("n"),
        n1=draft.whole("n1"),
        n2=draft.whole("n2"),
        k=draft.whole("k"),
        p0=draft.values.get("p0"),
        z=draft.values.get("z"),
        z_decimals=draft.z_decimals,
        se=draft.values.get("se"),
        se_decimals=draft.se_decimals,
        ci_low=draft.values.get("ci_low"),
        ci_high=draft.values.get("ci_high"),
        p_relation=draft.p.relation if draft.p is not None else "ns" if draft.ns else None,
        p_value=None if p is None else p.value,
        p_decimals=None if p is None else p.decimals,
        one_tailed="one" in draft.tails,
    )
