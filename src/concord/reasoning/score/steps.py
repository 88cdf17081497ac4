"""Step-F1: steps of reasoning matched with gold steps by the Dice overlap of their token sets, and chance."""

from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.reasoning.result import LEVEL, MORE_THAN, StepResult
from concord.reasoning.score.parse import ScoringContext
from concord.reasoning.words.split import token_sets
from concord.records import Estimate
from concord.stats.bounded_means import bounded_mean
from concord.stats.coverage import coverage_note, score_look
from concord.stats.intervals import FEWEST_CLUSTERS, wilson_clustered

THRESHOLD = 0.6
"""Dice overlap at which two steps match."""
SWEEP = tuple(tenth / 10 for tenth in range(2, 10))
"""Thresholds of the sweep, the doubles nearest to 0.2, 0.3, ... 0.9."""
_CUTS = np.array(SWEEP)
ROWS_AT_ONCE = 512
"""Model steps compared in one go, so that a reply of any length needs bounded memory."""


def f1(matched: int, n_steps: int, n_gold: int) -> float:
    """Harmonic mean of precision and recall, 0 when nothing matched."""
    if matched == 0:
        return 0.0
    precision, recall = matched / n_steps, matched / n_gold
    return 2 * precision * recall / (precision + recall)


def ceiling(n_steps: int, n_gold: int) -> float:
    """Return the largest F1 that these numbers of steps allow: 2 min(m, g) / (m + g)."""
    return 2 * min(n_steps, n_gold) / (n_steps + n_gold)


@dataclass(frozen=True, slots=True)
class StepScore:
    """Steps of one reply against the gold steps of its vignette."""

    n_steps: int
    n_gold: int
    matched: int
    """By greedy matching, the headline."""
    matched_optimal: int
    """The largest number of one-to-one pairs at or above the threshold."""
    sweep: tuple[float, ...]
    """Greedy F1 at each threshold of ``SWEEP``."""
    chance: tuple[float, ...]
    """Greedy F1 against the gold steps of other vignettes, one for each shift."""
    pairs: tuple[tuple[int, int], ...] = ()
    """Which step took which gold step by greedy matching, as places from 0, in the order of the steps."""

    @property
    def step_f1(self) -> float:
        """F1 by greedy matching."""
        return f1(self.matched, self.n_steps, self.n_gold)

    @property
    def step_f1_optimal(self) -> float:
        """F1 by optimal matching."""
        return f1(self.matched_optimal, self.n_steps, self.n_gold)


class _Vocabulary(dict[str, int]):
    """Numbers for the tokens of the gold steps; other tokens can never be shared."""

    def __init__(self, rules: str) -> None:
        super().__init__()
        self._rules = rules

    def __missing__(self, token: str) -> int:
        self[token] = len(self)
        return self[token]

    def gold(self, steps: Sequence[str]) -> "_Steps":
        """Gold steps as numbers; new tokens get new numbers."""
        sets = token_sets(steps, rules=self._rules)
        return _Steps(sets, [[self[token] for token in one] for one in sets])

    def model(self, steps: Sequence[str]) -> "_Steps":
        """Model steps as numbers; tokens that no gold step holds count for the size only."""
        sets = token_sets(steps, rules=self._rules)
        known = self.keys()
        return _Steps(sets, [[self[token] for token in one if token in known] for one in sets])


class _Steps:
    """Token sets of a list of steps: token numbers, the step each is in, and set sizes."""

    __slots__ = ("owner", "sizes", "token")

    def __init__(self, sets: list[set[str]], numbers: list[list[int]]) -> None:
        self.sizes = np.array([len(one) for one in sets], dtype=np.int32)
        self.token = np.array([number for one in numbers for number in one], dtype=np.int32)
        self.owner = np.repeat(np.arange(len(sets), dtype=np.int32), [len(one) for one in numbers])

    def __len__(self) -> int:
        return len(self.sizes)


def score_steps(
    replies: Sequence[Sequence[str]],
    gold: Sequence[Sequence[str]],
    owners: Sequence[int],
    *,
    rules: str = "standard",
    shifts: Sequence[int] = (),
) -> list[StepScore]:
    """Score the steps of many replies at once.

    Each text is normalised once, overlaps are counted for all pairs of a reply at once, and greedy
    matching needs no search: every model step takes its best gold step, so the number of matches is the
    number of different gold steps that are best for some model step at or above the threshold.

    Parameters
    ----------
    replies
        Steps of each reply.
    gold
        Gold steps of each vignette.
    owners
        For each reply the number of its vignette.
    rules
        How texts are normalised, ``"standard"`` or ``"source"``.
    shifts
        Cyclic shifts for the chance level: a reply is also compared with the vignette that is this
        far behind its own.

    Examples
    --------
    >>> gold = [["low mood every day", "loss of interest"]]
    >>> score = score_steps([["He has low mood every day"]], gold, [0])[0]
    >>> score.matched, score.n_steps, round(score.step_f1, 3)
    (1, 1, 0.667)
    """
    matcher = StepMatcher(gold, rules=rules, shifts=shifts)
    return [matcher.score(steps, owner) for steps, owner in zip(replies, owners, strict=True)]


class StepMatcher:
    """Scores the steps of one reply after the other against gold steps that are normalised once."""

    def __init__(
        self, gold: Sequence[Sequence[str]], *, rules: str = "standard", shifts: Sequence[int] = ()
    ) -> None:
        self._vocabulary, self._shifts = _Vocabulary(rules), shifts
        self._gold = [self._vocabulary.gold(steps) for steps in gold]
        self._column = np.full(len(self._vocabulary), -1, dtype=np.int32)

    def score(self, steps: Sequence[str], owner: int) -> StepScore:
        """Score the steps of a reply to the vignette of this number."""
        gold = self._gold
        compared = [gold[owner], *(gold[(owner + shift) % len(gold)] for shift in self._shifts)]
        return _step_score(self._vocabulary.model(steps), compared, self._column)


def _step_score(model: _Steps, compared: list[_Steps], column: NDArray[np.int32]) -> StepScore:
    """Score one reply against its own gold steps (first) and those of other vignettes."""
    counts = [len(gold) for gold in compared]
    width = max(counts)
    taken = np.zeros(len(compared) * width, dtype=bool)
    best = np.zeros(width)
    partners: list[list[int]] = [[] for _ in range(counts[0])]
    takers: dict[int, int] = {}
    for start, shared, total in _overlaps(model, compared, column):
        row, chosen = _best_at_threshold(shared, total, width)
        taken[chosen] = True
        for step, place in zip(row[chosen < width], chosen[chosen < width], strict=True):
            takers.setdefault(int(place), start + int(step))
        # Two empty sets share nothing: their overlap is 0, not 0/0.
        dice = 2 * shared[:, :width] / np.maximum(total[:, :width], 1)
        rows = np.arange(len(dice))
        where = dice.argmax(axis=1)
        kept = np.zeros_like(dice)
        kept[rows, where] = dice[rows, where]
        np.maximum(best, kept.max(axis=0), out=best)
        for row, step in zip(*np.nonzero(dice >= THRESHOLD), strict=True):
            partners[int(step)].append(start + int(row))
    matched = np.count_nonzero(taken.reshape(len(compared), width), axis=1)
    sweep = np.count_nonzero(best[:, None] >= _CUTS, axis=0)
    n, g = len(model), counts[0]
    return StepScore(
        n,
        g,
        int(matched[0]),
        largest_matching(partners),
        tuple(f1(int(hit), n, g) for hit in sweep),
        tuple(f1(int(hit), n, other) for hit, other in zip(matched[1:], counts[1:], strict=True)),
        tuple(sorted((step, place) for place, step in takers.items())),
    )


def _best_at_threshold(
    shared: NDArray[np.intp], total: NDArray[np.int32], width: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Model steps (in their order) and the columns of the gold steps that are best for them, at or above 0.6.

    2 s / t >= 0.6 is 10 s >= 3 t in whole numbers; only the few pairs that reach it are looked at again.
    """
    row, place = np.nonzero((10 * shared >= 3 * total) & (total > 0))
    if len(row) == 0:
        return row, place
    dice = 2 * shared[row, place] / total[row, place]
    group = row * (shared.shape[1] // width) + place // width
    order = np.lexsort((place, -dice, group))  # the first of equals is the first gold step
    first = np.flatnonzero(np.diff(group[order], prepend=-1))
    return row[order][first], place[order][first]


def _overlaps(
    model: _Steps, compared: list[_Steps], column: NDArray[np.int32]
) -> Iterator[tuple[int, NDArray[np.intp], NDArray[np.int32]]]:
    """Shared tokens and summed set sizes of model steps (rows) and the gold steps of every list (columns)."""
    # Lists are padded to one width; a block of model steps at a time, so that memory is bounded.
    width = max(len(gold) for gold in compared)
    # A token's local number is the place of its last mention: any numbering serves.
    column[model.token] = np.arange(len(model.token), dtype=np.int32)
    own, place = column[model.token], column[np.concatenate([steps.token for steps in compared])]
    column[model.token] = -1
    lists = np.repeat(np.arange(len(compared)) * width, [len(steps.token) for steps in compared])
    row = np.concatenate([steps.owner for steps in compared]) + lists
    seen = place >= 0
    row, place = row[seen], place[seen]
    sizes = np.zeros((len(compared), width), dtype=np.int32)
    for number, steps in enumerate(compared):
        sizes[number, : len(steps)] = steps.sizes
    for start in range(0, len(model), ROWS_AT_ONCE):
        stop = min(start + ROWS_AT_ONCE, len(model))
        low, high = np.searchsorted(model.owner, [start, stop])
        step, other = _meetings(
            (model.owner[low:high] - start, own[low:high]), (row, place), len(model.token)
        )
        shared = np.bincount(step * sizes.size + other, minlength=(stop - start) * sizes.size)
        total = model.sizes[start:stop, None] + sizes.reshape(1, -1)
        yield start, shared.reshape(total.shape), total


def _meetings(
    model: tuple[NDArray[np.int32], NDArray[np.int32]],
    gold: tuple[NDArray[np.intp], NDArray[np.int32]],
    n_tokens: int,
) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Every (model step, gold step) that hold one token in common, once for each such token."""
    (step, token), (row, place) = model, gold
    count = np.bincount(token, minlength=n_tokens)
    first = np.cumsum(count) - count
    each = count[place]
    start = first[place] - (np.cumsum(each) - each)
    index = np.repeat(start, each) + np.arange(int(each.sum()))
    return step[np.argsort(token, kind="stable")][index], np.repeat(row, each)


def largest_matching(partners: Sequence[Sequence[int]]) -> int:
    """Size of a largest one-to-one matching, by augmenting paths found breadth first."""
    left_of: dict[int, int] = {}
    right_of: dict[int, int] = {}
    for root in range(len(partners)):
        came_from: dict[int, int] = {}
        queue, end = [root], None
        for left in queue:
            for right in partners[left]:
                if right in came_from:
                    continue
                came_from[right] = left
                if right not in left_of:
                    end = right
                    break
                queue.append(left_of[right])
            if end is not None:
                break
        _augment(end, came_from, left_of, right_of)
    return len(left_of)


def _augment(
    end: int | None, came_from: dict[int, int], left_of: dict[int, int], right_of: dict[int, int]
) -> None:
    """Swap the pairs along a path that ends at a free right node."""
    while end is not None:
        left = came_from[end]
        following = right_of.get(left)
        left_of[end], right_of[left] = left, end
        end = following


N_SHIFTS = 20
"""Cyclic shifts of the chance level."""


class StepColumns:
    """Step scores as replies are read: counts of each reply, and sums of what is averaged by vignette."""

    def __init__(self, context: ScoringContext) -> None:
        gold = [sample.gold_steps for sample in context.samples if sample.gold_steps]
        drawn = context.streams.shifts.permutation(max(0, len(gold) - 1))[:N_SHIFTS]
        self.shifts = sorted(int(shift) + 1 for shift in drawn)
        self._matcher = StepMatcher(gold, rules=context.options.rules, shifts=self.shifts)
        has_gold = np.array([bool(sample.gold_steps) for sample in context.samples], dtype=bool)
        self._rank = np.cumsum(has_gold) - 1
        self.n_gold = [len(sample.gold_steps) for sample in context.samples]
        self.sums = np.zeros((len(gold), 3 + len(SWEEP) + len(self.shifts)))
        """Of F1, of F1 by optimal matching, of the ceiling, of the sweep and of chance, by vignette."""
        self.counts = np.zeros(len(gold), dtype=np.intp)
        self.with_gold = np.flatnonzero(has_gold)
        self._found = [array("l"), array("l"), array("l")]

    def add(self, owner: int, steps: Sequence[str] | None) -> tuple[tuple[int, int], ...]:
        """Take the steps of a reply, none where it is not scored; return which took which gold step."""
        score = None
        if steps is not None and self.n_gold[owner]:
            rank = int(self._rank[owner])
            score = self._matcher.score(steps, rank)
            top = ceiling(score.n_steps, score.n_gold)
            self.sums[rank] += (score.step_f1, score.step_f1_optimal, top, *score.sweep, *score.chance)
            self.counts[rank] += 1
        n, matched = (-1, 0) if steps is None else (len(steps), 0)
        values = (n, matched, 0) if score is None else (n, score.matched, score.matched_optimal)
        for column, value in zip(self._found, values, strict=True):
            column.append(value)
        return () if score is None else score.pairs

    def of(self, number: int, owner: int) -> StepScore | None:
        """Return the counts of a reply by its number; nothing where its steps were not scored."""
        n, matched, optimal = (column[number] for column in self._found)
        return None if n < 0 else StepScore(n, self.n_gold[owner], matched, optimal, (), ())


def step_result(context: ScoringContext, scored: StepColumns) -> StepResult:
    """Average the steps of all vignettes that have gold steps, repeats within vignette first."""
    kept = np.flatnonzero(scored.counts)
    n_asked = len(scored.counts)
    if not len(kept):
        note = (
            "no usable cot reply to a vignette with gold steps" if n_asked else "no vignette has gold steps"
        )
        nothing = Estimate(None, n_left_out=n_asked, note=note)
        return StepResult(nothing, nothing, None, 0, None, None, ())
    means = scored.sums[kept] / scored.counts[kept][:, None]
    values, cuts = np.ascontiguousarray(means[:, 0]), 3 + len(SWEEP)
    left_out = n_asked - len(values)
    families = [context.samples[i].cluster for i in scored.with_gold[kept]]
    main = _step_estimate(values, left_out, families, context.options.level)
    optimal, top = (float(np.ascontiguousarray(means[:, k]).mean()) for k in (1, 2))
    sweep = np.ascontiguousarray(means[:, 3:cuts]).mean(axis=0)
    by_chance = float(np.ascontiguousarray(means[:, cuts:]).mean()) if scored.shifts else None
    return StepResult(
        main,
        Estimate(
            optimal, None, len(values), left_out, "optimal matching", "shown beside the greedy headline"
        ),
        by_chance,
        len(scored.shifts),
        None if by_chance is None else _above(main, by_chance),
        top,
        tuple((cut, float(value)) for cut, value in zip(SWEEP, sweep, strict=True)),
    )


def _step_estimate(
    values: NDArray[np.float64], left_out: int, families: Sequence[str | None], level: float = LEVEL
) -> Estimate:
    """Return the mean of Step-F1 with an interval that holds at both ends; families are clusters."""
    n = len(values)
    method = "greedy matching, mean over vignettes with gold steps"
    if n <= MORE_THAN:
        note = f"an interval needs more than {MORE_THAN} samples, here {n}"
        return Estimate(float(values.mean()), None, n, left_out, method, note)
    if any(name is None for name in families):
        note = coverage_note("mean score", n, score_look(values), level=level)
        return Estimate(
            float(values.mean()), bounded_mean(values, level=level).interval, n, left_out, method, note
        )
    _, codes, sizes = np.unique(np.array(families, dtype=np.str_), return_inverse=True, return_counts=True)
    if sizes.size < FEWEST_CLUSTERS:
        note = f"{sizes.size} families: an interval needs at least {FEWEST_CLUSTERS}"
        return Estimate(float(values.mean()), None, n, left_out, method, note)
    sums = np.bincount(codes, weights=values)
    interval = wilson_clustered(sums, sizes, n_replies=n, level=level, few_clusters=True)
    note = coverage_note("rate", sizes.size, score_look(np.clip(sums / sizes, 0.0, 1.0)), level=level)
    return Estimate(float(values.mean()), interval, n, left_out, method, note)


def _above(main: Estimate, chance: float) -> bool | None:
    """Whether Step-F1 is shown to lie above chance; not known where a larger value has no interval."""
    if main.value is None or main.value <= chance:
        return False
    return None if main.interval is None else main.interval.low > chance
