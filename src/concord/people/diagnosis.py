"""Why the numbers are what they are: correlations of the metrics, directions, four quadrants."""

from collections import Counter
from collections.abc import Sequence

import numpy as np

from concord.errors import UndefinedError
from concord.people.result import Diagnosis, TestResult
from concord.people.scored import TestScores
from concord.stats.agreement import weighted_pearson
from concord.stats.elementwise import Floats

EVIDENCE_AGREES = 0.5
MAGNITUDE_AGREES = 0.04
"""Z is only nearly normal: of equal effects at 10 a group 5.8 % lie below 0.05, and 4.6 % below 0.04."""

QUADRANTS = {
    (True, True): ("replicates", "same conclusion, and effects of compatible size"),
    (True, False): ("same conclusion, other size", "same conclusion, but the effect differs in size"),
    (False, True): (
        "compatible size, other conclusion",
        "effects of compatible size, but the evidence leads to another conclusion",
    ),
    (False, False): ("differs", "another conclusion, and an effect of another size"),
}


def quadrant(pas: float | None, ecs_strict: float | None) -> tuple[str, str] | None:
    """Place a finding by evidence (PAS) and magnitude (ECS-strict); None when either is undefined."""
    if pas is None or ecs_strict is None:
        return None
    return QUADRANTS[pas >= EVIDENCE_AGREES, ecs_strict >= MAGNITUDE_AGREES]


def usual_reason(tests: Sequence[TestResult], name: str, human_n: Sequence[float | None]) -> str | None:
    """Return the reason behind a quadrant, as far as the finding's own numbers show one."""
    if name == "replicates":
        return None
    pairs = [t for t in tests if t.human_direction is not None and t.agent_direction is not None]
    if any(t.human_direction == -t.agent_direction != 0 for t in pairs if t.agent_direction is not None):
        return "direction: the agent's effect runs the other way"
    ratio = _ratio_of_means([t.n_eff for t in tests], human_n)
    if ratio is not None and (ratio >= 2 or ratio <= 0.5):
        return f"sample size: the agent has {ratio:.2g} times the participants"
    if name == "compatible size, other conclusion":
        return "power: with this many participants one side's evidence is not decisive"
    larger = _ratio_of_means(
        [_absolute(t.agent_effect_d) for t in tests], [_absolute(t.human_effect_d) for t in tests]
    )
    if larger is None:
        return "size: magnitudes differ, but no common d says by how much"
    return f"size: the agent's effect is {larger:.2g} times the human one"


def _absolute(value: float | None) -> float | None:
    return None if value is None else abs(value)


def _ratio_of_means(above: Sequence[float | None], below: Sequence[float | None]) -> float | None:
    """Ratio of means over the pairs where both are known."""
    pairs = [(a, b) for a, b in zip(above, below, strict=True) if a is not None and b is not None]
    total = sum(b for _, b in pairs)
    return sum(a for a, _ in pairs) / total if pairs and total > 0 else None


def diagnose(scores: TestScores, human: Floats, agent: Floats, quadrants: Sequence[str | None]) -> Diagnosis:
    """Relate the metrics over tests; `human` and `agent` are observed directions."""
    columns = {"pas": scores.pas, "ecs_test": scores.ecs_test, "apr": scores.passes}
    pairs = (("pas", "ecs_test"), ("pas", "apr"), ("ecs_test", "apr"))
    related = {f"{a}_{b}": _pearson(columns[a], columns[b]) for a, b in pairs}
    known = ~(np.isnan(human) | np.isnan(agent))
    chosen = {
        "match": known & (human == agent),
        "mismatch": known & (human != agent),
        "opposite": known & (human * agent == -1),
    }
    means = {name: _mean_and_count(scores.ecs_test[which]) for name, which in chosen.items()}
    return Diagnosis(
        correlations={name: value for name, (value, _) in related.items()},
        n_correlated={name: n for name, (_, n) in related.items()},
        ecs_test_by_direction={name: value for name, (value, _) in means.items()},
        n_by_direction={name: n for name, (_, n) in means.items()},
        quadrants=dict(Counter("undefined" if name is None else name for name in quadrants)),
    )


def _pearson(x: Floats, y: Floats) -> tuple[float | None, int]:
    both = ~(np.isnan(x) | np.isnan(y))
    n = int(both.sum())
    if n < 3:
        return None, n
    try:
        return float(weighted_pearson(x[both], y[both])), n
    except UndefinedError:
        return None, n


def _mean_and_count(values: Floats) -> tuple[float | None, int]:
    defined = values[~np.isnan(values)]
    return (float(defined.mean()) if len(defined) else None), len(defined)
