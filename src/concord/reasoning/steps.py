"""Step-F1: reasoning cut into steps, matched with gold steps by the Dice overlap of their token sets."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.reasoning.text import token_sets

MIN_REASONING_TOKENS = 20
"""Reasoning with fewer whitespace tokens has no steps."""
MIN_STEP_CHARACTERS = 20
"""A step is longer than this."""
THRESHOLD = 0.6
"""Dice overlap at which two steps match."""
SWEEP = tuple(tenth / 10 for tenth in range(2, 10))
"""Thresholds of the sweep, the doubles nearest to 0.2, 0.3, ... 0.9."""
_CUTS = np.array(SWEEP)
ROWS_AT_ONCE = 512
"""Model steps compared in one go, so that a reply of any length needs bounded memory."""

_CUT = re.compile(r"[.!?]\s+")


def reasoning_steps(text: str) -> list[str]:
    """Cut reasoning into steps.

    Fewer than 20 whitespace tokens: no steps. Cut at every full stop, exclamation or question mark that is
    followed by whitespace, mark and whitespace dropped; trimmed pieces longer than 20 characters are kept.

    Parameters
    ----------
    text
        The reasoning.

    Examples
    --------
    >>> reasoning_steps("Too short to hold steps.")
    []
    >>> words = "low mood every day and no joy in anything"
    >>> reasoning_steps(f"{words}. Yes! {words}, {words}.")[0]
    'low mood every day and no joy in anything'
    """
    if len(text.split()) < MIN_REASONING_TOKENS:
        return []
    pieces = (piece.strip() for piece in _CUT.split(text))
    return [piece for piece in pieces if len(piece) > MIN_STEP_CHARACTERS]


def f1(matched: int, n_steps: int, n_gold: int) -> float:
    """Harmonic mean of precision and recall, 0 when nothing matched.

    Examples
    --------
    >>> f1(2, 4, 4)
    0.5
    """
    if matched == 0:
        return 0.0
    precision, recall = matched / n_steps, matched / n_gold
    return 2 * precision * recall / (precision + recall)


def ceiling(n_steps: int, n_gold: int) -> float:
    """Return the largest F1 that these numbers of steps allow: 2 min(m, g) / (m + g).

    Examples
    --------
    >>> ceiling(30, 10)
    0.5
    """
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
    vocabulary = _Vocabulary(rules)
    golds = [vocabulary.gold(steps) for steps in gold]
    column = np.full(len(vocabulary), -1, dtype=np.int32)
    scores = []
    for steps, owner in zip(replies, owners, strict=True):
        compared = [golds[owner], *(golds[(owner + shift) % len(golds)] for shift in shifts)]
        scores.append(_step_score(vocabulary.model(steps), compared, column))
    return scores


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
    """Shared tokens and summed set sizes of model steps (rows) and the gold steps of every list (columns).

    Lists are padded to one width; a block of model steps at a time, so that memory is bounded.
    """
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
    """Size of a largest one-to-one matching, by augmenting paths found breadth first.

    Examples
    --------
    >>> largest_matching([[0, 1], [0], []])
    2
    """
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
