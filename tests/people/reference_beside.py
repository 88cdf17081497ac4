"""The oracle's companions of the headline numbers: regression, concordance about zero, nulls, diagnosis."""

import math
from collections.abc import Sequence

from tests.people.reference import Weights, mean, usable
from tests.people.reference_tests import Options, Scored

Pairs = list[tuple[float, float, float]]
"""Weight, human d, agent d of every usable test."""


def pairs_of(tests: Sequence[Scored], weights: Weights, options: Options) -> Pairs:
    pairs = []
    for test in tests:
        if usable(test, options) and test.human is not None and test.agent is not None:
            assert test.human.d is not None
            assert test.agent.d is not None
            pairs.append((weights[test.row.key], test.human.d, test.agent.d))
    return pairs


def line(pairs: Pairs) -> dict[str, float | None]:
    """Weighted Pearson, and slope and intercept of agent on human; nothing below three tests."""
    if len(pairs) < 3:
        return dict.fromkeys(("pearson", "slope", "intercept", "about_zero"))
    total = math.fsum(w for w, _, _ in pairs)
    mx, my = (math.fsum(pair[0] * pair[i] for pair in pairs) / total for i in (1, 2))
    sxx = math.fsum(w * (x - mx) ** 2 for w, x, _ in pairs)
    syy = math.fsum(w * (y - my) ** 2 for w, _, y in pairs)
    sxy = math.fsum(w * (x - mx) * (y - my) for w, x, y in pairs)
    squares = math.fsum(w * (x * x + y * y) for w, x, y in pairs)
    return {
        "pearson": sxy / math.sqrt(sxx * syy) if sxx > 0 and syy > 0 else None,
        "slope": sxy / sxx if sxx > 0 else None,
        "intercept": my - sxy / sxx * mx if sxx > 0 else None,
        "about_zero": 2 * math.fsum(w * x * y for w, x, y in pairs) / squares if squares > 0 else None,
    }


def nulls_kept(tests: Sequence[Scored]) -> float | None:
    """Share of human nulls that are null in the agent too, among tests with both sides."""
    nulls = [test for test in tests if test.human_significant is False and test.agent_significant is not None]
    return mean(float(not test.agent_significant) for test in nulls)


def pearson(x: list[float], y: list[float]) -> float | None:
    return line([(1.0, a, b) for a, b in zip(x, y, strict=True)])["pearson"]


def metric_correlations(tests: Sequence[Scored]) -> dict[str, float | None]:
    """Pearson of PAS, ECS_Test and pass over the tests that have both."""
    columns = {
        "pas": [test.pas for test in tests],
        "ecs_test": [test.ecs_test for test in tests],
        "apr": [None if test.passed is None else float(test.passed) for test in tests],
    }
    result = {}
    for one, other in (("pas", "ecs_test"), ("pas", "apr"), ("ecs_test", "apr")):
        both = [
            (x, y)
            for x, y in zip(columns[one], columns[other], strict=True)
            if x is not None and y is not None
        ]
        result[f"{one}_{other}"] = pearson([x for x, _ in both], [y for _, y in both])
    return result


def ecs_test_by_direction(tests: Sequence[Scored]) -> dict[str, float | None]:
    """Mean ECS_Test where directions match, mismatch, are opposite."""
    known = [
        (test.human.direction, test.agent.direction, test.ecs_test)
        for test in tests
        if test.human is not None and test.agent is not None
    ]
    signs = [(h, a, value) for h, a, value in known if h is not None and a is not None]
    return {
        "match": mean(value for h, a, value in signs if h == a),
        "mismatch": mean(value for h, a, value in signs if h != a),
        "opposite": mean(value for h, a, value in signs if h * a == -1),
    }
