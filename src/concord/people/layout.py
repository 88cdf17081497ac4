"""The tree benchmark → domain → study → finding → test, as index arrays over sorted rows."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.records import TestRow
from concord.stats.elementwise import Floats

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
