"""Original against variant as a picture."""

from concord.people.memory import MemoryResult, difference
from concord.show import plots
from concord.show.svg import Picture


def memory_picture(result: MemoryResult, *, units: float = plots.WIDTH) -> Picture | None:
    """Draw what each study loses under another surface, and the mean over recognised studies."""
    marks = [
        plots.Mark(f"{one.study}: {one.variant}", change)
        for one in result.pairs
        if (change := difference(one.pas, one.variant_pas)) is not None
    ]
    if not marks:
        return None
    delta = result.delta_pas
    if delta.value is not None:
        marks.append(plots.estimate_mark("mean, recognised", delta, strong=True))
    return plots.intervals(
        "memory",
        "Does the model do better on the study as published?",
        marks,
        label="PAS of the original minus PAS of the variant",
        lines=[(0.0, "no difference")],
        width=units,
    )
