"""Many agents in arrays: both answers for all pairs, by which tests count, and standings of metrics."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtr, stdtrit

from concord.files.limits import COMPARED_AGENTS
from concord.people.protocol import Protocol
from concord.people.result import COMPARED, AgentPair, AgentStanding, PairAnswer
from concord.people.score.levels import Layout, Profiles, apr_passes, pas_levels
from concord.people.score.test_scores import known_scores
from concord.stats.elementwise import Bools, Floats, or_none
from concord.stats.intervals import FEWEST_CLUSTERS
from concord.stats.leaderboard import (
    guarded_p,
    is_guarded,
    may_be_best,
    omnibus,
    smallest_found,
    studies_needed,
    value_of_choosing,
)
from concord.stats.multiple import distinguishable, holm, indistinguishable

COLUMNS = ("pas", "n_eff", "human_d", "agent_d", "passes", "human_significant")
"""What the metrics need of every agent and test."""
MOST_LISTED = 20_000
"""Pairs that are listed one by one; of more only the groups are told."""
MOST_REDRAWN = 20_000
"""Agents times sets of tests up to which pairs of agents that lack different tests are redrawn."""
_CANCELS = 1e-3
"""Below this share of the squares a sum of squared differences loses more than three of its digits."""
_AT_ONCE = 2_000_000
_NO_TEST = "undefined: no test of both models has it"
_UNDEFINED = "undefined: too few tests that both models have"
_STEADY = "no interval: every new sample gave the same difference, or it was undefined in a tenth of them"
_NORMAL = 1e9
"""Degrees of freedom of a normal."""
Places = NDArray[np.intp]


Redraws = Callable[[int, Sequence[tuple[str, Bools]], Protocol], Floats]
"""New samples of agents on the same people: from an agent and metrics with their tests to values, (M, B)."""


def lost_df(metric: str, protocol: Protocol) -> int:
    """Return the degrees of freedom that a difference over studies loses: 1, for ECS 2."""
    # ECS is centred at the means of both profiles. With K - 1 equal models were distinguished by it in 5.7 %
    # at 15 participants per group (8 studies, 20,000 runs), with K - 2 in 5.2 %, and 4.5 % at 40 (12,000
    # runs).
    return 2 if metric == "ecs" and protocol.intervals == "by-data" else 1


@dataclass(frozen=True, slots=True, eq=False)
class _Gathering:
    """Agents whose tests are the same, with agents whose tests are the same, on what both have."""

    used: Bools
    ours: Places
    theirs: Places
    same: bool
    """Whether the two are one."""

    @property
    def either(self) -> Places:
        """Both, each agent once."""
        return self.ours if self.same else np.concatenate([self.ours, self.theirs])


@dataclass(frozen=True, slots=True, eq=False)
class _Differences:
    """One metric of all pairs, (A, A): first minus second; NaN is undefined."""

    metric: str
    value: Floats
    se: Floats
    """Over studies; NaN where there is no interval."""
    se_here: Floats
    """Over new samples of these studies."""
    n_tests: Places
    n_studies: Places
    own: Floats
    """Each agent's number over its own tests, (A,)."""
    by_study: Floats
    """Jackknife pseudo-values (A, S); for PAS the studies' own numbers."""
    lost_df: int
    """Degrees of freedom that a difference loses."""

    @property
    def df(self) -> Floats:
        """Degrees of freedom over studies, (A, A)."""
        return np.maximum(self.n_studies - self.lost_df, 1).astype(np.float64)

    def shared_studies(self) -> tuple[Places, Floats]:
        """Return the agents that have a number, and their values on the studies that all of them have."""
        there = np.flatnonzero(~np.isnan(self.own))
        known = self.by_study[there]
        return there, known[:, ~np.isnan(known).any(axis=0)]


def compare_agents(
    names: Sequence[str],
    columns: Mapping[str, Floats],
    layout: Layout,
    protocol: Protocol,
    *,
    level: float,
    redraws: Redraws | str = "not asked for",
    reach: Mapping[str, Floats] | None = None,
    seed: int = 0,
) -> dict[str, Any]:
    """Compare all pairs of agents: fields of their result.

    `redraws` are new samples, or why there are none; `reach` is half the width of each agent's own interval,
    by metric.
    """
    # only tests that count are handed on, so there is no empty finding and every listed test is used
    plain = replace(protocol, empty_finding=None, weights_over="used")
    if len(names) > COMPARED_AGENTS:
        alone = tuple(_order(metric, names, columns, layout, plain) for metric in COMPARED)
        told = f"pairs of {len(names):,} models are not compared (more than {COMPARED_AGENTS:,})"
        return {"pairs": (), "standings": alone, "pairs_note": told}
    pairs = np.triu_indices(len(names), 1)
    listed: list[AgentPair] = []
    standings = []
    gathered = {metric: _gatherings(counted_by(metric, columns, plain)) for metric in COMPARED}
    drawn, note = _redrawn_values(gathered, columns, plain, redraws)
    for metric in COMPARED:
        found = _differences_of(metric, gathered[metric], drawn, columns, layout, plain)
        answers = _answers(found, pairs, level, note)
        own = np.full(len(names), np.nan) if reach is None else reach[metric]
        standings.append(_standing(metric, names, found, pairs, answers, (level, own, seed)))
        if len(pairs[0]) <= MOST_LISTED:
            listed.extend(_pairs_of(metric, names, found, pairs, answers, level))
    n = len(pairs[0])
    told = f"{n} pairs are not listed one by one (more than {MOST_LISTED})" if n > MOST_LISTED else ""
    return {"pairs": tuple(listed), "standings": tuple(standings), "pairs_note": told}


def _order(
    metric: str, names: Sequence[str], columns: Mapping[str, Floats], layout: Layout, protocol: Protocol
) -> AgentStanding:
    """Order agents by their own number, without comparing pairs of them."""
    own = np.full(len(names), np.nan)
    for part in _gatherings(counted_by(metric, columns, protocol)):
        if part.same:
            chosen = {name: np.where(part.used, table[part.ours], np.nan) for name, table in columns.items()}
            own[part.ours] = with_and_without(metric, chosen, layout, protocol)[0]
    placed = [names[i] for i in np.argsort(-own, kind="stable") if not np.isnan(own[i])]
    return AgentStanding(metric, tuple(placed), (), 0, 0)


def counted_by(metric: str, columns: Mapping[str, Floats], protocol: Protocol) -> Bools:
    """Return the tests that count for a metric, agents by tests."""
    if metric == "pas":
        return ~np.isnan(columns["pas"])
    if metric == "ecs":
        return ~(np.isnan(columns["human_d"]) | np.isnan(columns["agent_d"]))
    counted = ~np.isnan(columns["passes"])
    if protocol.apr_over == "human-significant":
        counted &= columns["human_significant"] == 1
    return counted


def _gatherings(counted: Bools) -> list[_Gathering]:
    """Gather agents by which tests count; every two gatherings that share a test."""
    masks, kind = np.unique(counted, axis=0, return_inverse=True)
    members = [np.flatnonzero(kind.reshape(-1) == m) for m in range(len(masks))]
    return [
        _Gathering(masks[m] & masks[n], ours, theirs, m == n)
        for m, ours in enumerate(members)
        for n, theirs in enumerate(members[m:], m)
        if (masks[m] & masks[n]).any()
    ]


_Drawn = Mapping[tuple[int, str, bytes], Floats]
"""By agent, metric and tests: the number in new samples (B,)."""


def _redrawn_values(
    gathered: Mapping[str, Sequence[_Gathering]],
    columns: Mapping[str, Floats],
    protocol: Protocol,
    redraws: Redraws | str,
) -> tuple[_Drawn, str]:
    """Draw every agent once, and score it on all sets of tests that it shares with others."""
    if isinstance(redraws, str):
        return {}, redraws
    wanted: dict[int, dict[tuple[str, bytes], tuple[str, Bools]]] = defaultdict(dict)
    for metric, parts in gathered.items():
        for part in parts:
            used = part.used
            if metric == "apr":  # new people may be significant where these were not
                used = np.asarray(~np.isnan(columns["passes"][part.either]).any(axis=0))
            for i in part.either.tolist():
                wanted[i][metric, part.used.tobytes()] = metric, used
    if sum(map(len, wanted.values())) > MOST_REDRAWN:
        return {}, "models lack tests in too many different ways to be redrawn pair by pair"
    found: dict[tuple[int, str, bytes], Floats] = {}
    for i, masks in wanted.items():
        values = redraws(i, list(masks.values()), protocol)
        found |= {(i, metric, key): row for (metric, key), row in zip(masks, values, strict=True)}
    return found, ""


def _differences_of(
    metric: str,
    gathered: Sequence[_Gathering],
    drawn: _Drawn,
    columns: Mapping[str, Floats],
    layout: Layout,
    protocol: Protocol,
) -> _Differences:
    size = len(columns["pas"])
    value, se, se_here = (np.full((size, size), np.nan) for _ in range(3))
    n_tests, n_studies = np.zeros((size, size), dtype=np.intp), np.zeros((size, size), dtype=np.intp)
    own, by_study = np.full(size, np.nan), np.full((size, len(layout.studies)), np.nan)
    for part in gathered:
        used, ours, theirs, either = part.used, part.ours, part.theirs, part.either
        studies = np.unique(layout.study_of_test[used])
        k = len(studies)
        chosen = {name: np.where(used, table[either], np.nan) for name, table in columns.items()}
        whole, without, each = with_and_without(metric, chosen, layout, protocol)
        left = without[:, studies]
        others = np.arange(len(either)) if part.same else np.arange(len(ours), len(either))
        rows, places = np.ix_(ours, theirs), np.ix_(theirs, ours)
        value[rows] = whole[: len(ours), None] - whole[others]
        if k >= FEWEST_CLUSTERS:
            se[rows] = _pair_errors(left[: len(ours)], left[others], (k - 1) / k)
        if drawn:
            new = np.stack([drawn[i, metric, used.tobytes()] for i in either.tolist()])
            se_here[rows] = _pair_errors(new[: len(ours)], new[others], 1 / (new.shape[1] - 1), missing=0.1)
        for table in (value, se, se_here):
            table[places] = (-1 if table is value else 1) * table[rows].T
        for at in (rows, places):
            n_tests[at], n_studies[at] = int(used.sum()), k
        if part.same:
            own[ours] = whole
            by_study[ours] = each
    return _Differences(
        metric, value, se, se_here, n_tests, n_studies, own, by_study, lost_df(metric, protocol)
    )


def _pair_errors(first: Floats, second: Floats, factor: float, missing: float = 0.0) -> Floats:
    """Return SE = √(factor Σ (dᵢ − mean d)²), (A, B), of all differences d of values (A, K) and (B, K)."""
    # The sum is Σ aᵢ² + Σ bᵢ² - 2 Σ aᵢbᵢ about the means, one matrix product for all pairs. Where that
    # cancels (agents almost alike) or a value is undefined, the differences themselves are summed; NaN where
    # there is no spread, or more than a share of values is undefined.
    a, b = (values - values.mean(axis=-1, keepdims=True) for values in (first, second))
    squares = np.sum(a * a, axis=-1)[:, None] + np.sum(b * b, axis=-1)
    total = squares - 2 * (a @ b.T)
    close = ~(total > _CANCELS * squares)
    with np.errstate(invalid="ignore"):
        se: Floats = np.sqrt(factor * total)
    i, j = np.nonzero(close)
    for part in np.array_split(np.arange(len(i)), max(1, len(i) * first.shape[-1] // _AT_ONCE)):
        se[i[part], j[part]] = _direct_errors(first[i[part]] - second[j[part]], factor, missing)
    return se


def _direct_errors(d: Floats, factor: float, missing: float) -> Floats:
    """Sum the squares of differences (J, K) themselves."""
    known = ~np.isnan(d)
    n = known.sum(axis=-1)
    filled = np.where(known, d, 0.0)
    centre = filled.sum(axis=-1) / np.maximum(n, 1)
    about = np.where(known, d - centre[:, None], 0.0)
    se = np.sqrt(factor * d.shape[-1] / np.maximum(n, 1) * np.sum(about**2, axis=-1))
    # rounding alone makes leave-one-out values of equal studies differ in their last digits
    steady = np.ptp(about, axis=-1) <= 1e-13 * np.maximum(1.0, np.abs(filled).max(axis=-1))
    return np.where(steady | (n < (1 - missing) * d.shape[-1]), np.nan, se)


@dataclass(frozen=True, slots=True, eq=False)
class _Answers:
    """Both questions of all pairs, (J,) each: half widths, p-values, and p-values adjusted."""

    here: tuple[Floats, Floats, Floats]
    others: tuple[Floats, Floats, Floats]
    guarded: Floats | None
    smallest: Floats
    note: str
    """Why there are no new samples."""

    def apart(self, level: float) -> tuple[Bools, Bools]:
        """Return which pairs are distinguishable on these studies, and in others."""
        rest = self.others[2] if self.guarded is None else self.guarded
        return tuple(
            np.array([distinguishable(one, level=level) for one in p.tolist()], dtype=np.bool_)
            for p in (self.here[2], rest)
        )  # type: ignore[return-value]


def _answers(found: _Differences, pairs: tuple[Places, Places], level: float, note: str) -> _Answers:
    """Test all pairs: z (APR: t) over new samples, t over studies, K - 1 degrees of freedom (ECS: K - 2)."""
    value, se, se_here, df = (table[pairs] for table in (found.value, found.se, found.se_here, found.df))
    # passes are few and whole: with z, equal agents differed in 7 % of tables of 15 tests
    few = np.maximum(found.n_tests[pairs] - 1, 1) if found.metric == "apr" else np.full(len(value), _NORMAL)
    df_here = few.astype(np.float64)
    with np.errstate(invalid="ignore"):
        p_here, p = 2 * stdtr(df_here, -np.abs(value) / se_here), 2 * stdtr(df, -np.abs(value) / se)
    n_tested = max(1, int((~np.isnan(p)).sum()))
    return _Answers(
        here=(stdtrit(df_here, 0.5 + level / 2) * se_here, p_here, holm(p_here)),
        others=(stdtrit(df, 0.5 + level / 2) * se, p, holm(p)),
        guarded=_guarded(found, pairs, p),
        smallest=smallest_found(se, df, (1 - level) / n_tested),
        note=note,
    )


def _guarded(found: _Differences, pairs: tuple[Places, Places], p: Floats) -> Floats | None:
    """Return p-values of the guarded range, where it holds: 8 to 80 agents on the same 12 to 19 studies."""
    there, values = found.shared_studies()
    full = len(there) == len(found.own) and not np.isnan(found.by_study).any() and not np.isnan(p).any()
    if not full or not is_guarded(*values.shape):
        return None
    return guarded_p(values)[pairs]


def with_and_without(
    metric: str, columns: Mapping[str, Floats], layout: Layout, protocol: Protocol
) -> tuple[Floats, Floats, Floats]:
    """Return a metric of agents (A,), without each study in turn (A, S), and by study."""
    # What is no mean of studies has pseudo-values about the number itself: their mean is that.
    scores = known_scores(columns)
    if metric == "pas":
        studies = pas_levels(scores, layout, protocol).study
        return (*each_left_out(studies, ~np.isnan(studies)), studies)
    if metric == "apr":
        passes = apr_passes(scores, layout, protocol.apr_over)
        whole, without = each_left_out(passes.passed.study, passes.tests.study)
    else:
        profiles, study = Profiles(scores, layout, protocol), layout.study_of_test
        whole = profiles.ecs(slice(None))
        without = np.stack([profiles.ecs(study != i) for i in range(len(layout.studies))], axis=-1)
    there = np.zeros(len(layout.studies), dtype=np.bool_)
    there[
        layout.study_of_test[~np.isnan(columns["passes" if metric == "apr" else "agent_d"]).any(axis=0)]
    ] = True
    left = without[:, there]
    each = np.full(without.shape, np.nan)
    each[:, there] = whole[:, None] - (there.sum() - 1) * (left - left.mean(axis=-1, keepdims=True))
    return whole, without, each


def each_left_out(values: Floats, counts: Floats | Bools) -> tuple[Floats, Floats]:
    """Sum of values over sum of counts, of all and without each; NaN where nothing is counted."""
    sums, sizes = np.where(counts > 0, values, 0.0), counts.astype(np.float64)
    total, number = sums.sum(axis=-1, keepdims=True), sizes.sum(axis=-1, keepdims=True)
    rest = number - sizes
    without = np.divide(total - sums, rest, out=np.full(rest.shape, np.nan), where=rest > 0)
    whole = np.divide(total, number, out=np.full(number.shape, np.nan), where=number > 0)
    return whole[..., 0], np.where(counts > 0, without, np.nan)


def _standing(
    metric: str,
    names: Sequence[str],
    found: _Differences,
    pairs: tuple[Places, Places],
    answers: _Answers,
    options: tuple[float, Floats, int],
) -> AgentStanding:
    """Order agents by their own number, group those that no test distinguishes, and say what is claimed."""
    level, reach, seed = options
    own = found.own
    placed = [i for i in np.argsort(-own, kind="stable") if not np.isnan(own[i])]
    here, apart = answers.apart(level)
    different = np.zeros((len(names), len(names)), dtype=np.bool_)
    different[pairs] = apart
    different |= different.T
    groups = indistinguishable([int(i) for i in placed], different)
    there, values = found.shared_studies()
    rng = np.random.default_rng([seed, 5])
    tested = ~np.isnan(answers.others[1])
    return AgentStanding(
        metric,
        tuple(names[i] for i in placed),
        tuple(tuple(names[i] for i in group) for group in groups),
        int(tested.sum()),
        int(apart.sum()),
        n_pairs_here=int((~np.isnan(answers.here[1])).sum()),
        n_distinguishable_here=int(here.sum()),
        rule="Holm" if answers.guarded is None else "guarded range",
        omnibus=omnibus(values),
        chosen=value_of_choosing(tuple(names[i] for i in there), values, reach[there], level=level, rng=rng),
        **(_findable(found, pairs, tested, level, [(names[i], i) for i in placed]) if tested.any() else {}),
    )


def _findable(
    found: _Differences,
    pairs: tuple[Places, Places],
    tested: Bools,
    level: float,
    placed: Sequence[tuple[str, int]],
) -> dict[str, Any]:
    """Return what other studies could have shown at the median standard error, and who may be best."""
    n, se = int(tested.sum()), float(np.median(found.se[pairs][tested]))
    df = float(np.median(found.df[pairs][tested]))
    k, largest = int(df) + found.lost_df, float(np.abs(found.value[pairs][tested]).max())
    best = may_be_best(found.value, found.se, found.df, level=level)
    return {
        "smallest_found": float(smallest_found(np.array(se), np.array(df), (1 - level) / n)),
        "largest": largest,
        "studies_needed": studies_needed(se, k, largest, n, level=level, lost_df=found.lost_df),
        "best_set": tuple(name for name, i in placed if best[i]),
    }


def _pairs_of(
    metric: str,
    names: Sequence[str],
    found: _Differences,
    pairs: tuple[Places, Places],
    answers: _Answers,
    level: float,
) -> Iterator[AgentPair]:
    value, tests, studies = (table[pairs] for table in (found.value, found.n_tests, found.n_studies))
    guarded = np.full(len(value), np.nan) if answers.guarded is None else answers.guarded
    here = f"no interval: {answers.note}" if answers.note else _STEADY
    for k, (i, j) in enumerate(zip(*(part.tolist() for part in pairs), strict=True)):
        undefined = _NO_TEST if not studies[k] else _UNDEFINED if np.isnan(value[k]) else ""
        yield AgentPair(
            first=names[i],
            second=names[j],
            metric=metric,
            difference=or_none(float(value[k])),
            these_studies=_pair_answer(value[k], [part[k] for part in answers.here], undefined, here),
            other_studies=_pair_answer(
                value[k], [part[k] for part in answers.others], undefined, _note(int(studies[k]))
            ),
            smallest_found=or_none(float(answers.smallest[k])),
            n_tests=int(tests[k]),
            n_studies=int(studies[k]),
            p_guarded=or_none(float(guarded[k])),
        )


def _pair_answer(value: float, parts: Sequence[float], undefined: str, note: str) -> PairAnswer:
    """Return the answer of a half width, p and adjusted p; a note where there is no interval."""
    reach, p, p_holm = (float(part) for part in parts)
    low, high, p_value, adjusted = (or_none(float(one)) for one in (value - reach, value + reach, p, p_holm))
    return PairAnswer(
        low, high, p_value, adjusted, "" if low is not None else undefined if undefined else note
    )


def _note(n_studies: int) -> str:
    if n_studies < FEWEST_CLUSTERS:
        return f"no interval: {n_studies} studies, at least {FEWEST_CLUSTERS} are needed"
    return "no interval: the difference is undefined without a study, or the same without each"
