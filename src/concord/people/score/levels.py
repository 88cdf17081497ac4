"""The tree test → finding → study → domain → benchmark, and PAS, ECS, ECS-strict and APR upwards in it.

Every function takes arrays of shape (..., T) over sorted tests: replicates are aggregated as the scores are.
"""

from collections.abc import Hashable, Sequence
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from concord.people.protocol import Protocol
from concord.people.score.test_scores import TestScores
from concord.records import TestRow
from concord.stats.agreement import concordance, concordance_unnormalised
from concord.stats.elementwise import Floats
from concord.stats.pooling import (
    calibrated_agreement_groups,
    fisher_z,
    mean_groups,
    pool_normalised_groups,
    pool_pas_groups,
    rms_z_groups,
    z_agreement,
)

Integers = NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class Grouping:
    """Tests gathered into findings, findings into studies."""

    order: Integers
    """Tests in the order of their findings."""
    starts: Integers
    """Where each finding begins in that order."""
    finding_of_test: Integers
    study_of_finding: Integers
    study_starts: Integers
    """Where each study begins among the findings."""
    keys: tuple[tuple[str, str, str], ...]
    """Study, sub-study, finding; the sub-study is empty where sub-studies are merged."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Sorted rows and their groupings."""

    rows: tuple[TestRow, ...]
    studies: tuple[str, ...]
    domains: tuple[str, ...]
    """Named domains, sorted; a study without one belongs to none."""
    domain_of_study: Integers
    """Index into `domains`, -1 for none."""
    study_of_test: Integers
    full: Grouping
    """Findings keyed by study, sub-study and finding."""
    bare: Grouping
    """Findings keyed by study and bare finding id."""

    def grouping(self, finding_key: str) -> Grouping:
        """Return the grouping that a protocol asks for."""
        return self.full if finding_key == "sub-study" else self.bare

    def tests_of(self, study: int) -> slice:
        """Where the tests of a study are among the sorted rows."""
        first, last = np.searchsorted(self.study_of_test, [study, study + 1])
        return slice(int(first), int(last))

    def in_domain(self, domain: int) -> NDArray[np.bool_]:
        """Which studies belong to a domain."""
        return np.asarray(self.domain_of_study == domain)


def lay_out(rows: Sequence[TestRow]) -> Layout:
    """Sort rows by key and index them; the order of the input does not matter from here on."""
    ordered = tuple(sorted(rows, key=lambda row: row.key))
    studies = sorted({row.study for row in ordered})
    domain_of = {row.study: row.domain for row in ordered}
    domains = sorted({domain for domain in domain_of.values() if domain is not None})
    places = [domains.index(d) if (d := domain_of[study]) is not None else -1 for study in studies]
    study_index = {study: i for i, study in enumerate(studies)}
    return Layout(
        rows=ordered,
        studies=tuple(studies),
        domains=tuple(domains),
        domain_of_study=np.array(places, dtype=np.intp),
        study_of_test=np.array([study_index[row.study] for row in ordered], dtype=np.intp),
        full=_group([(row.study, row.sub_study, row.finding) for row in ordered], study_index),
        bare=_group([(row.study, "", row.finding) for row in ordered], study_index),
    )


def _group(keys: Sequence[tuple[str, str, str]], study_index: dict[str, int]) -> Grouping:
    names = sorted(set(keys))
    place: dict[Hashable, int] = {key: i for i, key in enumerate(names)}
    finding_of_test = np.array([place[key] for key in keys], dtype=np.intp)
    order = np.argsort(finding_of_test, kind="stable")
    study_of_finding = np.array([study_index[key[0]] for key in names], dtype=np.intp)
    return Grouping(
        order=order,
        starts=_starts(finding_of_test[order]),
        finding_of_test=finding_of_test,
        study_of_finding=study_of_finding,
        study_starts=_starts(study_of_finding),
        keys=tuple(names),
    )


def _starts(index: Integers) -> Integers:
    return np.flatnonzero(np.concatenate([[True], index[1:] != index[:-1]])).astype(np.intp)


def counts_by(group: Integers, size: int, used: NDArray[np.bool_]) -> Floats:
    """Count the used units (..., T) of each group, as (..., size); every group has at least one unit."""
    order = np.argsort(group, kind="stable")
    counts = np.add.reduceat(used[..., order].astype(np.float64), _starts(group[order]), axis=-1)
    assert counts.shape[-1] == size
    return np.asarray(counts)


FEWEST_TESTS = 3
"""ECS is undefined below this many usable tests."""


class Levels(NamedTuple):
    """One metric at every level: arrays (..., F), (..., S), (..., D), (...)."""

    finding: Floats
    study: Floats
    domain: Floats
    benchmark: Floats


class Ends(NamedTuple):
    """One metric at the two levels that have a floor and a ceiling: arrays (..., D), (...)."""

    domain: Floats
    benchmark: Floats


def _mean(values: Floats, chosen: NDArray[np.bool_] | None = None) -> Floats:
    """Mean over the last axis of what is defined; NaN where nothing is."""
    picked = values if chosen is None else values[..., chosen]
    defined = ~np.isnan(picked)
    count = defined.sum(axis=-1)
    total = np.where(defined, picked, 0.0).sum(axis=-1)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))


def _upwards(finding: Floats, study: Floats, layout: Layout) -> Levels:
    """Domains and benchmark as plain means over studies."""
    domains = [_mean(study, layout.in_domain(i)) for i in range(len(layout.domains))]
    domain = np.stack(domains, axis=-1) if domains else np.empty((*study.shape[:-1], 0))
    return Levels(finding, study, domain, _mean(study))


def pas_levels(scores: TestScores, layout: Layout, protocol: Protocol) -> Levels:
    """PAS: Fisher z inside findings, then means (or the published means of z)."""
    groups = layout.grouping(protocol.finding_key)
    pas = scores.pas[..., groups.order]
    if protocol.study_pooling == "mean-z":
        # unweighted z inside findings, mean of those z over findings, then back
        z = mean_groups(np.asarray(fisher_z(2 * pas - 1)), groups.starts)
        if protocol.empty_finding is not None:
            z = np.where(np.isnan(z), float(fisher_z(2 * protocol.empty_finding - 1)), z)
        study = 0.5 * (np.tanh(mean_groups(z, groups.study_starts)) + 1)
        if not np.any(~np.isnan(pas)):  # a table without any PAS input has no PAS, not 0.5
            study = np.full_like(study, np.nan)
            z = np.full_like(z, np.nan)
        return _upwards(0.5 * (np.tanh(z) + 1), study, layout)
    weights = scores.n_eff[..., groups.order] if protocol.pas_pooling == "n_eff" else None
    finding = pool_pas_groups(pas, weights, groups.starts)
    if protocol.empty_finding is not None:
        finding = np.where(np.isnan(finding), protocol.empty_finding, finding)
    return _upwards(finding, mean_groups(finding, groups.study_starts), layout)


def normalised_levels(scores: TestScores, layout: Layout, protocol: Protocol) -> Levels:
    """Normalised PAS, from the two-state PAS."""
    groups = layout.grouping(protocol.finding_key)
    finding = pool_normalised_groups(
        scores.pas_two[..., groups.order],
        scores.human_posterior[..., groups.order],
        scores.n_eff[..., groups.order] if protocol.pas_pooling == "n_eff" else None,
        groups.starts,
    )
    return _upwards(finding, mean_groups(finding, groups.study_starts), layout)


def strict_levels(scores: TestScores, layout: Layout, protocol: Protocol) -> Levels:
    """ECS-strict: RMS of Z inside findings (or its calibrated form), then means."""
    groups = layout.full
    z = scores.z_diff[..., groups.order]
    if protocol.ecs_strict == "calibrated":
        finding = calibrated_agreement_groups(z, groups.starts)
    else:
        finding = np.asarray(z_agreement(rms_z_groups(z, groups.starts)))
    return _upwards(finding, mean_groups(finding, groups.study_starts), layout)


def ecs_weights(used: NDArray[np.bool_], layout: Layout, protocol: Protocol) -> Floats:
    """1/(findings in the study) x 1/(tests in the finding), over used tests or all listed ones."""
    groups = layout.full
    counted = np.ones_like(used) if protocol.weights_over == "listed" else used
    tests = counts_by(groups.finding_of_test, len(groups.keys), counted)
    findings = counts_by(groups.study_of_finding, len(layout.studies), tests > 0)
    with np.errstate(divide="ignore"):
        weight = 1 / (tests[..., groups.finding_of_test] * findings[..., layout.study_of_test])
    return np.where(used, weight, 0.0)


def used_tests(scores: TestScores) -> NDArray[np.bool_]:
    """Return the tests with both effects defined: those that ECS rests on."""
    return ~(np.isnan(scores.human_d) | np.isnan(scores.agent_d))


def counted_tests(scores: TestScores, metric: str, apr_over: str) -> NDArray[np.bool_]:
    """Return the tests that a metric rests on."""
    if metric == "ecs":
        return np.broadcast_to(used_tests(scores), scores.pas.shape)
    if metric == "apr":
        counted = ~np.isnan(scores.passes)
        return counted & (scores.human_significant == 1) if apr_over == "human-significant" else counted
    return ~np.isnan(scores.pas if metric == "pas" else scores.ecs_test)


class Profiles:
    """The two effect profiles with their weights, ready for ECS over any part of the tests.

    Leaving out findings or studies rescales the weights of what stays inside a study by one factor, and
    Lin's concordance does not see it: the weights of the whole serve every part.
    """

    def __init__(self, scores: TestScores, layout: Layout, protocol: Protocol) -> None:
        self.used = used_tests(scores)
        self.x = np.where(self.used, scores.human_d, 0.0)
        self.y = np.where(self.used, scores.agent_d, 0.0)
        self.weights = self._weights(layout, protocol)
        self.lin = protocol.concordance == "lin"

    def _weights(self, layout: Layout, protocol: Protocol) -> Floats:
        """Weights of the tests; computed once where all profiles use the same tests."""
        first = self.used.reshape(-1, self.used.shape[-1])[0]
        if self.used.ndim == 1 or not np.array_equal(self.used, np.broadcast_to(first, self.used.shape)):
            return ecs_weights(self.used, layout, protocol)
        return np.broadcast_to(ecs_weights(first, layout, protocol), self.used.shape)

    def of_one(self, i: int) -> "Profiles":
        """Return the profiles of one of several agents (A, T)."""
        one = copy(self)
        one.used, one.x, one.y, one.weights = (
            np.broadcast_to(array, self.weights.shape)[i]
            for array in (self.used, self.x, self.y, self.weights)
        )
        return one

    def ecs(self, part: slice | NDArray[np.bool_]) -> Floats:
        """ECS over a part of the tests; NaN below three, or where it is undefined."""
        return self._concordance(part, self.weights[..., part])

    def ecs_of_study(self, part: slice | NDArray[np.bool_]) -> Floats:
        """ECS inside one study: two-level weights; every weight 1 in the unnormalised form."""
        weights = self.weights[..., part] if self.lin else self.used[..., part].astype(np.float64)
        return self._concordance(part, weights)

    def _concordance(self, part: slice | NDArray[np.bool_], weights: Floats) -> Floats:
        used = self.used[..., part]
        shape = used.shape[:-1]
        if used.shape[-1] == 0:
            return np.full(shape, np.nan)
        # one profile goes in as a batch of one: undefined is then NaN here, and its reason is given above
        profiles = (np.atleast_2d(array) for array in (self.x[..., part], self.y[..., part], weights))
        rule = concordance if self.lin else concordance_unnormalised
        values = np.asarray(rule(*profiles)).reshape(shape)
        return np.where(used.sum(axis=-1) >= FEWEST_TESTS, values, np.nan)


def ecs_levels(profiles: Profiles, layout: Layout) -> Levels:
    """ECS overall, by domain, by study; it has no finding level."""
    study = [profiles.ecs_of_study(layout.tests_of(i)) for i in range(len(layout.studies))]
    finding = np.full((*profiles.y.shape[:-1], len(layout.full.keys)), np.nan)
    ends = ecs_ends(profiles, layout)
    return Levels(finding, np.stack(study, axis=-1), ends.domain, ends.benchmark)


def ecs_ends(profiles: Profiles, layout: Layout) -> Ends:
    """ECS overall and by domain."""
    domain_of_test = layout.domain_of_study[layout.study_of_test]
    domain = [profiles.ecs(domain_of_test == i) for i in range(len(layout.domains))]
    none = np.empty((*profiles.y.shape[:-1], 0))
    return Ends(np.stack(domain, axis=-1) if domain else none, profiles.ecs(slice(None)))


class Passes(NamedTuple):
    """Passes and tests at every level; APR is their quotient."""

    passed: Levels
    tests: Levels

    def rates(self) -> Levels:
        """Return APR at every level, NaN where there is no test."""
        levels = zip(self.passed, self.tests, strict=True)
        return Levels(*[np.where(n > 0, k / np.maximum(n, 1), np.nan) for k, n in levels])


def apr_passes(scores: TestScores, layout: Layout, over: str) -> Passes:
    """Count passes and tests, over all tests with both sides or the human-significant ones."""
    counted = ~np.isnan(scores.passes)
    if over == "human-significant":
        counted = counted & (scores.human_significant == 1)
    passed = counted & (scores.passes == 1)
    return Passes(_totals(passed, layout), _totals(counted, layout))


def apr_ends(scores: TestScores, layout: Layout, over: str) -> Ends:
    """APR overall and by domain."""
    rates = apr_passes(scores, layout, over).rates()
    return Ends(rates.domain, rates.benchmark)


def _totals(units: NDArray[np.bool_], layout: Layout) -> Levels:
    groups = layout.full
    study = counts_by(layout.study_of_test, len(layout.studies), units)
    domains = [study[..., layout.in_domain(i)].sum(axis=-1) for i in range(len(layout.domains))]
    return Levels(
        finding=counts_by(groups.finding_of_test, len(groups.keys), units),
        study=study,
        domain=np.stack(domains, axis=-1) if domains else np.empty((*study.shape[:-1], 0)),
        benchmark=units.sum(axis=-1).astype(np.float64),
    )
