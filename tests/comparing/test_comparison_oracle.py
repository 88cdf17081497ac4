"""Every number of a comparison beside one that plain loops give, on random scores of any kind."""

import math
from collections import defaultdict
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy import stats

import concord

Rows = list[dict[str, Any]]
KINDS = ("right and wrong", "repeats", "clusters", "clusters and repeats", "continuous", "missing")


def drawn(kind: str, seed: int, n_models: int) -> list[Rows]:
    """Random answers, as the kind says: unequal repeats, unequal clusters, items or scores missing."""
    rng = np.random.default_rng([KINDS.index(kind), seed])
    n = int(rng.integers(14, 40))
    hard, family = rng.normal(0, 1, n), rng.integers(0, 7, n)
    models: list[Rows] = []
    for skill in rng.normal(0.3, 0.7, n_models):
        rows: Rows = []
        for i in range(n):
            if kind == "missing" and rng.random() < 0.15:
                continue
            for repeat in range(int(rng.integers(1, 5)) if "repeats" in kind else 1):
                raw = skill + hard[i] + rng.normal()
                score: float | None = float(raw if kind == "continuous" else raw > 0)
                if kind in ("missing", "clusters and repeats") and rng.random() < 0.12:
                    score = None
                row = {"item": f"q{i}", "score": score, "repeat": repeat}
                rows.append(row | {"cluster": f"f{family[i]}"} if "clusters" in kind else row)
        models.append(rows)
    return models


def answers(rows: Rows) -> dict[str, list[float | None]]:
    found: dict[str, list[float | None]] = defaultdict(list)
    for row in rows:
        found[row["item"]].append(row["score"])
    return found


def mean_or_none(scores: list[float | None]) -> float | None:
    known = [score for score in scores if score is not None]
    return sum(known) / len(known) if known else None


def error(values: dict[str, float], cluster: dict[str, str]) -> float:
    """CR2 standard error of a mean, by its definition with matrices: A_c = (I - H_cc)^(-1/2)."""
    n, mean = len(values), sum(values.values()) / len(values)
    total = 0.0
    for name in set(cluster.values()):
        residuals = np.array([values[item] - mean for item in values if cluster[item] == name])
        size = len(residuals)
        if not size:
            continue
        weights, vectors = np.linalg.eigh(np.eye(size) - np.ones((size, size)) / n)
        adjust = vectors @ np.diag(weights**-0.5) @ vectors.T
        total += float(np.sum(adjust @ residuals)) ** 2
    return math.sqrt(total) / n


def with_wrong(found: dict[str, list[float | None]], item: str) -> float:
    scores = found.get(item, [None])
    return sum(0.0 if score is None else score for score in scores) / len(scores)


def check_pair(document: dict[str, Any], first: Rows, second: Rows) -> None:
    one, two = answers(first), answers(second)
    means = [{item: mean_or_none(scores) for item, scores in side.items()} for side in (one, two)]
    both = [item for item in one if means[0].get(item) is not None and means[1].get(item) is not None]
    a, b = ({item: side[item] or 0.0 for item in both} for side in means)
    d = {item: a[item] - b[item] for item in both}
    labels = {row["item"]: row.get("cluster", row["item"]) for row in (*first, *second)}
    cluster = {item: labels[item] for item in both}
    assert document["n_items"] == len(both)
    assert document["difference"] == pytest.approx(sum(d.values()) / len(d), abs=1e-12)
    assert document["se_paired"] == pytest.approx(error(d, cluster), rel=1e-9)
    unpaired = math.hypot(error(a, cluster), error(b, cluster))
    assert document["se_unpaired"] == pytest.approx(unpaired, rel=1e-9)
    saved = 1 - error(d, cluster) ** 2 / unpaired**2
    assert document["variance_saved"] == pytest.approx(saved, abs=1e-9)
    if len(set(a.values())) > 1 and len(set(b.values())) > 1:
        r = stats.pearsonr(list(a.values()), list(b.values())).statistic
        assert document["correlation"] == pytest.approx(r, abs=1e-9)
    else:
        assert document["correlation"] is None
    spread = math.sqrt(sum((x - document["difference"]) ** 2 for x in d.values()) / (len(d) - 1))
    dz = document["difference"] / spread if spread > 0 else None
    assert document["effect_dz"] == (None if dz is None else pytest.approx(dz, rel=1e-9))
    check_counts(document, one, two, d)
    check_test(document, d, labelled="cluster" in first[0])


def check_counts(
    document: dict[str, Any],
    one: dict[str, list[float | None]],
    two: dict[str, list[float | None]],
    d: dict[str, float],
) -> None:
    wins = sum(x > 1e-9 for x in d.values())
    losses = sum(x < -1e-9 for x in d.values())
    assert (document["wins"], document["losses"]) == (wins, losses)
    assert document["ties"] == len(d) - wins - losses
    missing = document["missing"]
    assert missing["only_first"] == len(set(one) - set(two))
    assert missing["only_second"] == len(set(two) - set(one))
    lost = [item for item in one if item in two and mean_or_none(one[item]) is None]
    assert missing["failed_both"] == sum(mean_or_none(two[item]) is None for item in lost)
    assert missing["failed_first"] == len(lost) - missing["failed_both"]
    if missing["failed_as_wrong"] is not None:
        for key, names in (
            ("failed_as_wrong", set(one) & set(two)),
            ("absent_as_wrong", set(one) | set(two)),
        ):
            total = sum(with_wrong(one, item) - with_wrong(two, item) for item in names)
            assert missing[key] == pytest.approx(total / len(names), abs=1e-12)


def check_test(document: dict[str, Any], d: dict[str, float], *, labelled: bool) -> None:
    tests = {test["test"]: test for test in document["tests"]}
    values = np.array(list(d.values()))
    if "exact McNemar" in tests:
        up, down = int(np.sum(values > 0)), int(np.sum(values < 0))
        exact = stats.binomtest(up, up + down).pvalue if up + down else 1.0
        assert document["test"] == "exact McNemar"
        assert document["p_value"] == pytest.approx(exact, rel=1e-9)
    if labelled:
        t = tests["clustered t"]
        # few families are often skewed: the headline then is the larger p of t and of Hall's transformation;
        # of 8 to 20 families all signs are counted
        skewed = tests.get("t for skewed differences")
        if 8 <= document["n_clusters"] <= 20:
            assert document["test"] == "sign flip (exact)"
        else:
            assert document["test"] == ("clustered t" if skewed is None else "t for skewed differences")
            assert document["p_value"] >= t["p_value"] * (1 - 1e-12)
        assert t["statistic"] == pytest.approx(document["difference"] / document["se_paired"], rel=1e-9)
        assert t["p_value"] == pytest.approx(2 * stats.t.sf(abs(t["statistic"]), t["df"]), rel=1e-9)
    elif np.ptp(values) > 0:
        assert tests["paired t"]["p_value"] == pytest.approx(stats.ttest_1samp(values, 0).pvalue, rel=1e-9)


def check_family(document: dict[str, Any]) -> None:
    """Adjust as the definitions say, and find every pair that was not distinguished on a common line."""
    pairs = document["pairs"]
    p = [pair["p_value"] for pair in pairs]
    order = sorted(range(len(p)), key=lambda i: p[i])
    for place, i in enumerate(order):
        steps = [(len(p) - j) * p[order[j]] for j in range(place + 1)]
        assert pairs[i]["p_holm"] == pytest.approx(min(1.0, max(steps)), rel=1e-12)
        rates = [len(p) / (j + 1) * p[order[j]] for j in range(place, len(p))]
        assert pairs[i]["p_bh"] == pytest.approx(min(1.0, *rates), rel=1e-12)
    for pair in pairs:
        together = any(pair["first"] in group and pair["second"] in group for group in document["groups"])
        assert together == (pair["p_holm"] > 0.05 - 1e-12)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0, 1, 2, *(pytest.param(i, marks=pytest.mark.slow) for i in range(3, 20))])
def test_a_comparison_agrees_with_plain_loops(kind: str, seed: int) -> None:
    models = drawn(kind, seed, 4)
    names = [f"m{i}" for i in range(4)]
    document = concord.compare(*models, names=names, n_flips=499).to_dict()
    for pair, (i, j) in zip(document["pairs"], combinations(range(4), 2), strict=True):
        check_pair(pair, models[i], models[j])
    check_family(document)
