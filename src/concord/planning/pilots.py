"""Plans that rest on the spread of a pilot over its units: what judges and options have in common."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from concord.files.documents import provenance
from concord.planning.options import PlanOptions
from concord.records import InputFile, Presented

NO_SPREAD = "the pilot does not vary: the plan is the smallest there is, and says little"
"""Warning of a plan whose pilot has no spread."""


@dataclass(frozen=True, slots=True, repr=False, kw_only=True)
class PilotPlan(Presented):
    """Units that show a mean of a wanted size."""

    based_on: str
    wanted: PlanOptions
    effect: float
    """The mean that should be found."""
    sd_between: float
    """Standard deviation over units of what is measured."""
    sd_within: float | None
    """Of one round of asking around it; ``None`` where it cannot be distinguished."""
    power: float
    """Of what is planned."""
    needed: tuple[tuple[int, int, int], ...]
    """Rounds, units that reach the power, calls."""
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()

    def document(
        self, kind: str, named: Mapping[str, Any], planned: Mapping[str, int], columns: tuple[str, str, str]
    ) -> dict[str, Any]:
        """Return the document that ``--json`` prints."""
        return {
            "question": "plan",
            "kind": kind,
            "based_on": self.based_on,
            **named,
            "effect": self.effect,
            **planned,
            "sd_between": self.sd_between,
            "sd_within": self.sd_within,
            "power": self.power,
            "needed": [dict(zip(columns, row, strict=True)) for row in self.needed],
            "wanted": asdict(self.wanted),
            "warnings": list(self.warnings),
            **provenance(self.inputs),
        }
