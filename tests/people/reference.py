"""A slow oracle of the scores of a table of tests: loops and dictionaries, one loop a definition.

Written from the definitions alone and from nothing of the library but its input records. ``None`` is
undefined. Protocols are named; `Options` holds what a caller may change.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from scipy import stats
from tests.people.reference_tests import Options, Scored, score_test

from concord.records import TestRow

EDGE = 1 - 1e-6
Key = tuple[str, ...]
Weights = dict[Key, float]


def mean(values: Iterable[float | None]) -> float | None:
    """Mean of what is defined."""
    kept = [value for value in values if value is not None]
    return math.fsum(kept) / len(kept) if kept else None


def fisher(r: float) -> float:
    return math.atanh(max(-EDGE, min(EDGE, r)))


def pooled_z(values: list[float], weights: list[float]) -> float:
    """Weighted mean of Fisher's z; unweighted when the weights sum to nothing."""
    if sum(weights) <= 0:
        weights = [1.0] * len(values)
    return math.fsum(w * fisher(r) for w, r in zip(weights, values, strict=True)) / math.fsum(weights)


def finding_pas(tests: Sequence[Scored]) -> float | None:
    kept = [test for test in tests if test.pas is not None]
    if not kept:
        return None
    if len(kept) == 1:
        return kept[0].pas
    z = pooled_z([2 * _number(test.pas) - 1 for test in kept], [test.n_eff for test in kept])
    return (math.tanh(z) + 1) / 2


def finding_normalised(tests: Sequence[Scored], options: Options) -> float | None:
    """(2 PAS - 1)/(2 H - 1) with H = p² + (1-p)², always from the two-state PAS."""
    kept = [test for test in tests if test.pas_two is not None]
    ratios, weights = [], []
    for test in kept:
        p = _number(test.human_posterior)
        scale = 2 * (p * p + (1 - p) * (1 - p)) - 1
        if abs(scale) < 1e-8:
            if len(kept) == 1:
                return 0.0
            continue
        ratios.append((2 * _number(test.pas_two) - 1) / scale)
        weights.append(1.0 if options.published else test.n_eff)
    if not ratios:
        return None
    return ratios[0] if len(kept) == 1 else math.tanh(pooled_z(ratios, weights))


def finding_strict(tests: Sequence[Scored], options: Options) -> float | None:
    squares = [test.z**2 for test in tests if test.z is not None]
    if not squares:
        return None
    if options.name == "refined":
        return float(stats.chi2.sf(math.fsum(squares), len(squares)))
    return float(2 * stats.norm.sf(math.sqrt(math.fsum(squares) / len(squares))))


def apr(tests: Sequence[Scored], options: Options) -> float | None:
    """Passes over tests with both sides; under `refined` over those whose human side is significant."""
    kept = [test for test in tests if test.passed is not None]
    if options.name == "refined":
        kept = [test for test in kept if test.human_significant]
    return mean(float(bool(test.passed)) for test in kept)


def _number(value: float | None) -> float:
    assert value is not None
    return value


def group(tests: Iterable[Scored], *names: str) -> dict[Key, list[Scored]]:
    """Tests by the given fields of their row, in the order met."""
    groups: dict[Key, list[Scored]] = {}
    for test in tests:
        groups.setdefault(tuple(str(getattr(test.row, name)) for name in names), []).append(test)
    return groups


def published_z(tests: Sequence[Scored]) -> float:
    """Unweighted mean of z over a finding's tests; a finding that has tests and no PAS is PAS 0.5, z 0."""
    values = [2 * test.pas - 1 for test in tests if test.pas is not None]
    return pooled_z(values, [1.0] * len(values)) if values else 0.0


def study_pas(tests: Sequence[Scored], options: Options, *, any_input: bool) -> float | None:
    """Mean over findings; published: mean of their z over findings with merged sub-studies."""
    if not options.published:
        return mean(finding_pas(each) for each in group(tests, "sub_study", "finding").values())
    if not any_input:
        return None
    zs = [published_z(each) for each in group(tests, "finding").values()]
    return (math.tanh(math.fsum(zs) / len(zs)) + 1) / 2


def usable(test: Scored, options: Options) -> bool:
    """Both effects are defined, and signed unless unsigned ones are asked for."""
    if test.human is None or test.agent is None or test.human.d is None or test.agent.d is None:
        return False
    return options.include_unsigned or not (test.human.unsigned or test.agent.unsigned)


def ecs_weights(tests: Sequence[Scored], options: Options) -> Weights:
    """1/findings of the study x 1/tests of the finding, by the key of the test."""
    counted = [test for test in tests if options.published or usable(test, options)]
    weights: Weights = {}
    for of_study in group(counted, "study").values():
        findings = group(of_study, "sub_study", "finding")
        for of_finding in findings.values():
            for test in of_finding:
                weights[test.row.key] = 1 / len(findings) / len(of_finding)
    return weights


def ecs(tests: Sequence[Scored], weights: Weights, options: Options) -> float | None:
    """Lin's concordance of the d profiles, or the published sums that are not divided by the weights."""
    kept = [test for test in tests if usable(test, options)]
    if len(kept) < 3:
        return None
    w = [weights[test.row.key] for test in kept]
    x = [_number(test.human.d) for test in kept if test.human is not None]
    y = [_number(test.agent.d) for test in kept if test.agent is not None]
    total = math.fsum(w)
    mx = math.fsum(a * b for a, b in zip(w, x, strict=True)) / total
    my = math.fsum(a * b for a, b in zip(w, y, strict=True)) / total
    sxx = math.fsum(a * (b - mx) ** 2 for a, b in zip(w, x, strict=True))
    syy = math.fsum(a * (b - my) ** 2 for a, b in zip(w, y, strict=True))
    sxy = math.fsum(a * (b - mx) * (c - my) for a, b, c in zip(w, x, y, strict=True))
    constant = [len(set(x)) == 1, len(set(y)) == 1]
    if options.published:
        if any(constant):
            return 1.0 if all(constant) else 0.0
        return max(-1.0, min(1.0, 2 * sxy / (sxx + syy + (mx - my) ** 2)))
    if all(constant):
        return None
    return 2 * sxy / total / ((sxx + syy) / total + (mx - my) ** 2)


@dataclass(frozen=True)
class Level:
    """The scores of a finding, a study, a domain or the whole table."""

    pas: float | None
    ecs: float | None
    apr: float | None
    normalised: float | None
    strict: float | None


@dataclass(frozen=True)
class Scores:
    """Everything the oracle says of a table."""

    tests: dict[Key, Scored]
    findings: dict[Key, Level]
    studies: dict[str, Level]
    domains: dict[str, Level]
    benchmark: Level


def score(rows: Sequence[TestRow], options: Options) -> Scores:
    """Score a table; under the published protocol findings are keyed by study and bare id."""
    tests = [score_test(row, options) for row in rows]
    weights = ecs_weights(tests, options)
    any_input = any(test.pas is not None for test in tests)
    studies = {
        key[0]: _study(each, weights, options, any_input=any_input)
        for key, each in group(tests, "study").items()
    }
    domains = {}
    for domain in {row.domain for row in rows if row.domain is not None}:
        inside = [test for test in tests if test.row.domain == domain]
        members = [studies[name] for name in {test.row.study for test in inside}]
        domains[domain] = _over(inside, members, weights, options)
    benchmark = _over(tests, list(studies.values()), weights, options)
    findings = _findings(tests, options, any_input=any_input)
    return Scores({test.row.key: test for test in tests}, findings, studies, domains, benchmark)


def _keys(options: Options) -> tuple[str, ...]:
    """What names a finding inside a study when PAS is pooled."""
    return ("finding",) if options.published else ("sub_study", "finding")


def _findings(tests: Sequence[Scored], options: Options, *, any_input: bool) -> dict[Key, Level]:
    levels = {}
    for key, each in group(tests, "study", *_keys(options)).items():
        pas = finding_pas(each)
        if options.published:
            pas = (math.tanh(published_z(each)) + 1) / 2 if any_input else None
        strict = finding_strict(each, options)
        levels[key] = Level(pas, None, apr(each, options), finding_normalised(each, options), strict)
    return levels


def _study(tests: Sequence[Scored], weights: Weights, options: Options, *, any_input: bool) -> Level:
    by_key = group(tests, *_keys(options)).values()
    return Level(
        study_pas(tests, options, any_input=any_input),
        ecs(tests, {test.row.key: 1.0 for test in tests} if options.published else weights, options),
        apr(tests, options),
        mean(finding_normalised(each, options) for each in by_key),
        mean(finding_strict(each, options) for each in group(tests, "sub_study", "finding").values()),
    )


def _over(tests: Sequence[Scored], studies: Sequence[Level], weights: Weights, options: Options) -> Level:
    return Level(
        mean(study.pas for study in studies),
        ecs(tests, weights, options),
        apr(tests, options),
        mean(study.normalised for study in studies),
        mean(study.strict for study in studies),
    )
