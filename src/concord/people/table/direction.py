"""The direction of an effect: what the numbers of a side show, against what its column says."""

from concord.people.families.draft import Draft, sign
from concord.people.families.registry import KINDS


def check_direction(draft: Draft) -> None:
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
