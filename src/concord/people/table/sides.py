"""Complete and check one side of a test, as its type asks."""

from concord.people.families.draft import Draft, sign
from concord.people.families.registry import KINDS
from concord.people.families.samples import join_groups, one_sample

_DISPENSABLE = (
    *("statistic", "df1", "df2", "n1", "n2", "k", "n", "p0", "table"),
    *("se", "ci_low", "ci_high", "u_of"),
)


def complete(draft: Draft) -> None:
    """Complete and check the numbers of a side in place; afterwards it has failed or it is a `Side`.

    A side with an effect or a Bayes factor that somebody computed, and without the result of the test itself,
    is complete as it is.
    """
    _set_unused_aside(draft)
    kind = KINDS[draft.test_type]
    if draft.precomputed and not kind.core(draft):
        (join_groups if "n2" in kind.used else one_sample)(draft)
    else:
        kind.complete(draft)
    if not draft.failed:
        _check_direction(draft)


def _set_unused_aside(draft: Draft) -> None:
    """Empty the fields that mean nothing for this type, and say so."""
    for name in _DISPENSABLE:
        if name not in KINDS[draft.test_type].used and getattr(draft, name) is not None:
            if name in draft.given:
                draft.note(name, f"not used by {draft.test_type}")
            setattr(draft, name, None)


def _check_direction(draft: Draft) -> None:
    """Refuse a direction that the numbers of the same side contradict; an effect of 0 does not."""
    shown = [] if (seen := KINDS[draft.test_type].observed_sign(draft)) is None else [seen]
    if draft.effect_d is not None:
        shown.append((sign(draft.effect_d), "effect_d"))
    if len(shown) == 2 and shown[0][0] * shown[1][0] < 0:
        _contradiction(draft, "effect_d", *shown[0])
    for shows, name in shown:
        if draft.direction is not None and shows != 0 and shows != draft.direction:
            _contradiction(draft, "direction", shows, name)


def _contradiction(draft: Draft, field: str, shows: int, name: str) -> None:
    """Name both cells of a contradiction about the direction of the effect."""
    column, value = (
        draft.side + "_" + draft.source.get(name, name),
        draft.given.get(draft.source.get(name, name)),
    )
    way = "positive" if shows > 0 else "negative"
    draft.fault(field, f"the {way} direction of {column} = {value!r}, or an empty cell")
