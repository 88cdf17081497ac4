"""Complete and check one side of a test, as its type asks."""

from concord.people.families.draft import Draft
from concord.people.families.registry import KINDS
from concord.people.families.samples import join_groups, one_sample
from concord.people.table.direction import check_direction

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
        check_direction(draft)


def _set_unused_aside(draft: Draft) -> None:
    """Empty the fields that mean nothing for this type, and say so."""
    for name in _DISPENSABLE:
        if name not in KINDS[draft.test_type].used and getattr(draft, name) is not None:
            if name in draft.given:
                draft.note(name, f"not used by {draft.test_type}")
            setattr(draft, name, None)
