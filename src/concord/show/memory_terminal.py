"""What a model remembers of studies on the terminal: the sentence first, then studies and variants."""

from collections.abc import Iterator

from rich.console import Group, RenderableType

from concord.people.memory.files import MemoryResult, difference
from concord.people.memory.result import Recognition, VariantPair
from concord.show.numbers import UNDEFINED, interval_words, number
from concord.show.terminal import lines, table

RECOGNISED = ("study", "recognised", "year right", "directions right", "authors named")
PAIRS = ("study", "variant", "recognised", "PAS", "of the variant", "difference")


def memory_report(result: MemoryResult) -> RenderableType:
    """Return everything a reader of the terminal should see: the answer first."""
    parts: list[RenderableType] = [lines([result.sentence])]
    if result.recognised:
        parts.append(
            table("\nWhat the model recognised", RECOGNISED, map(_recognised_cells, result.recognised))
        )
    if result.pairs:
        parts.append(table("\nOriginal against variant", PAIRS, map(_pair_cells, result.pairs)))
        parts.append(lines(_deltas(result)))
    return Group(*parts)


def _recognised_cells(one: Recognition) -> tuple[str, ...]:
    return one.study, yes(one.recognised), yes(one.year_right), directions(one), one.authors or UNDEFINED


def directions(one: Recognition) -> str:
    """Say how many directions of published effects the model knew."""
    unknown = f", {one.n_unknown} unknown" if one.n_unknown else ""
    return f"{one.n_right} of {one.n_directions}{unknown}"


def yes(value: bool | None) -> str:
    """Return yes, no, or that it was not asked."""
    return "not asked" if value is None else "yes" if value else "no"


def _pair_cells(one: VariantPair) -> tuple[str, ...]:
    change = difference(one.pas, one.variant_pas)
    numbers = (number(one.pas, 2), number(one.variant_pas, 2), number(change, 2, sign=True))
    return one.study, one.variant, yes(one.recognised), *numbers


def _deltas(result: MemoryResult) -> Iterator[str]:
    yield ""
    for name, found in (("PAS", result.delta_pas), ("ECS", result.delta_ecs)):
        if found.value is None:
            yield f"{name}, original minus variant: {found.note}."
            continue
        ends = found.note if found.interval is None else interval_words(found.interval)
        value = number(found.value, 2, sign=True)
        yield f"{name}, original minus variant: {value} ({ends}), {found.n} studies."
