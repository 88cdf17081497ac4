"""A plan for people and replies together: the cheapest numbers of both for a wanted standard error."""

from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from concord.errors import OptionError
from concord.files.documents import folder_with, provenance
from concord.people.mixed.result import CombinedEstimate, CombineResult
from concord.records import Presented
from concord.stats.prediction_powered import MixedDesign, cheapest_mixed


@dataclass(frozen=True, slots=True, repr=False)
class MixedPlan(Presented):
    """The cheapest people and replies for a standard error, and what people alone would cost."""

    correlation: float
    sd: float
    se: float
    person_cost: float
    reply_cost: float
    design: MixedDesign
    range: tuple[MixedDesign, MixedDesign] | None = None
    """The same at both ends of the interval of the correlation, where a pilot gives one."""
    based_on: str = "assumptions"
    warnings: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the document that ``--json`` prints."""
        return {"question": "plan", "kind": "mixed", **asdict(self), **provenance(())}


def plan_mixed(
    pilot: str | Path | None = None,
    *,
    correlation: float | None = None,
    sd: float | None = None,
    se: float | None = None,
    person_cost: float | None = None,
    reply_cost: float | None = None,
) -> MixedPlan:
    """Plan people and replies of a model for a wanted standard error of a mean."""
    found, which = (None, "") if pilot is None else _pilot(Path(pilot))
    r = correlation if correlation is not None or found is None else found.correlation.value
    spread = sd if sd is not None or found is None else found.sd
    given = {
        "correlation (--correlation)": r,
        "standard deviation of answers (--sd)": spread,
        "wanted standard error (--se)": se,
        "price of a person (--person-cost)": person_cost,
        "price of a reply (--reply-cost)": reply_cost,
    }
    lacking = [name for name, value in given.items() if value is None]
    if r is None or spread is None or se is None or person_cost is None or reply_cost is None:
        raise OptionError(f"a plan of people and replies needs the {', the '.join(lacking)}")

    def at(correlation: float) -> MixedDesign:
        known = min(max(correlation, 0.0), 0.999)
        return cheapest_mixed(known, sd=spread, se=se, person_cost=person_cost, reply_cost=reply_cost)

    ends = None if found is None or correlation is not None else found.correlation.interval
    return MixedPlan(
        r,
        spread,
        se,
        person_cost,
        reply_cost,
        at(r),
        None if ends is None else (at(ends.low), at(ends.high)),
        "assumptions" if found is None else f"the pilot {pilot} ({found.n_people} people{which})",
    )


def _pilot(source: Path) -> tuple[CombinedEstimate, str]:
    """Return the estimate that a plan is made from, and which of how many it is."""
    folder = folder_with(source, CombineResult.FILE)
    if folder is None:
        raise OptionError(f"{source}: holds no result of `concord combine` ({CombineResult.FILE})")
    estimates = CombineResult.read(folder).estimates
    one = next((one for one in estimates if one.kind in ("mean", "share")), estimates[0])
    return one, "" if len(estimates) == 1 else f"; {one.of}, one of {len(estimates)} estimates"
