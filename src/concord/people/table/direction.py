"""The direction of an effect: what the numbers of a side show, against what its column says."""

import math

from concord.people.table.draft import Draft, sign
from concord.people.table.samples import known


def observed_sign(draft: Draft) -> tuple[int, str] | None:
    """Return the sign of the effect that the numbers themselves show, and the field that shows it.

    ``None`` where they show none: F, a chi-square without its 2 x 2 table, a variance ratio, a p-value.
    """
    if draft.test_type.startswith("t-") or draft.test_type == "correlation":
        return None if draft.statistic is None else (sign(draft.statistic), "statistic")
    if draft.test_type == "mann-whitney" and draft.statistic is not None:
        return sign(known(draft.n1) * known(draft.n2) / 2 - draft.statistic), "statistic"
    if draft.test_type == "binomial" and draft.k is not None:
        chance = known(draft.n) * known(draft.p0)
        level = math.isclose(draft.k, chance, rel_tol=1e-9)
        return (0 if level else sign(draft.k - chance)), "k"
    if draft.table is not None and len(draft.table) == len(draft.table[0]) == 2:
        (a, b), (c, d) = draft.table
        return sign(a * d - b * c), "table"
    return None


def check_direction(draft: Draft) -> None:
    """Refuse a direction that the numbers of the same side contradict; an effect of 0 does not."""
    shown = [] if (seen := observed_sign(draft)) is None else [seen]
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
    hint = ""
    if draft.test_type == "mann-whitney" and name == "statistic":
        hint = " (U counts for group 2; from a U of group 1 give n1 * n2 - U)"
    draft.fault(field, f"the {way} direction of {column} = {value!r}{hint}, or an empty cell")
