"""Which items make one report: a statistic and what belongs to it."""

from dataclasses import replace

from concord.people.apa.cursor import Item
from concord.people.apa.words import COEFFICIENTS, CONNECTING

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
    """Return a coefficient as the statistic of a string that gives no other, with its SE and interval.

    Beside a t or an F, ``b = 0.45`` stays an effect size. In running text it always does.
    """
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


class _Grouping:
    """Collects the groups of a running text."""

    def __init__(self) -> None:
        self.done: list[list[Item]] = []
        self.open: list[Item] = []
        self.roles: set[str] = set()

    def close(self) -> None:
        """End the open group."""
        if self.open:
            self.done.append(self.open)
        self.open, self.roles = [], set()

    def add(self, entry: Item) -> None:
        """Put an item into the open group."""
        self.open.append(entry)
        self.roles.add(entry.role)

    def start(self, entry: Item) -> None:
        """Begin a group; the name of a test or U's z right before it stays with it."""
        if not self.roles <= _TESTS | {"z", "tail", "ignored"}:
            self.close()
        self.add(entry)

    def take(self, entry: Item) -> None:
        """Take the next item of the text."""
        if entry.role in PRIMARY or entry.role in _TESTS or entry.role == "k":
            self.start(entry)
        elif entry.role == "p" and "p" in self.roles:
            self.close()
            self.add(entry)
        elif entry.role in {"p", "z"} or (self.open and entry.role in _BELONGING):
            self.add(entry)
        elif _parts(entry):
            self.close()


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
    grouping = _Grouping()
    for entry in items:
        grouping.take(entry)
    grouping.close()
    return [found for found in grouping.done if _is_report(found)]
