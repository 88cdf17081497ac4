"""Step-F1: reasoning cut into steps, matched with gold steps by the Dice overlap of their token sets."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from concord.reasoning.text import tokens

MIN_REASONING_TOKENS = 20
"""Reasoning with fewer whitespace tokens has no steps."""
MIN_STEP_CHARACTERS = 20
"""A step is longer than this."""
THRESHOLD = 0.6
"""Dice overlap at which two steps match."""
SWEEP = tuple(tenth / 10 for tenth in range(2, 10))
"""Thresholds of the sweep, the doubles nearest to 0.2, 0.3, ... 0.9."""
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

    @property
    def step_f1(self) -> float:
        """F1 by greedy matching."""
        return f1(self.matched, self.n_steps, self.n_gold)

    @property
    def step_f1_optimal(self) -> float:
        """F1 by optimal matching."""
        return f1(self.matched_optimal, self.n_steps, self.n_gold)


class _Vocabulary:
    """Numbers for the tokens of the gold steps; other tokens can never be shared."""

    def __init__(self, rules: str) -> None:
        self._rules = rules
        self._numbers: dict[str, int] = {}

    def __len__(self) -> int:
        return len(self._numbers)

    def gold(self, steps: Sequence[str]) -> "_Steps":
        """Gold steps as numbers; new tokens get new numbers."""
        sets = [set(tokens(step, rules=self._rules)) for step in steps]
        numbers = self._numbers
        return _Steps(
            [[numbers.setdefault(token, len(numbers)) for token in sorted(one)] for one in sets], sets
        )

    def model(self, steps: Sequence[str]) -> "_Steps":
        """Model steps as numbers; tokens that no gold step holds count for the size only."""
        sets = [set(tokens(step, rules=self._rules)) for step in steps]
        numbers = self._numbers
        return _Steps([[numbers[token] for token in one if token in numbers] for one in sets], sets)


class _Steps:
    """Token sets of a list of steps: token numbers, the step each stands in, and set sizes."""

    __slots__ = ("owner", "sizes", "token")

    def __init__(self, numbers: list[list[int]], sets: list[set[str]]) -> None:
        self.sizes = np.array([len(one) for one in sets], dtype=np.int32)
        counts = [len(one) for one in numbers]
        self.token = np.fromiter((n for one in numbers for n in one), dtype=np.int32, count=sum(counts))
        self.owner = np.repeat(np.arange(len(numbers), dtype=np.int32), counts)

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

    Each text is normalised once, overlaps come from one small matrix product per reply, and greedy
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
        Cyclic shifts for the chance level: a reply is also compared with the vignette that stands this
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
        scores.append(_score(vocabulary.model(steps), compared, column))
    return scores


def _score(model: _Steps, compared: list[_Steps], column: NDArray[np.int32]) -> StepScore:
    """Score one reply against its own gold steps (first) and those of other vignettes."""
    best, value = _best(model, compared, column)
    counts = [len(gold) for gold in compared]
    matched = _distinct(best, value >= THRESHOLD, max(counts))
    sweep = [int(_distinct(best[:, :1], value[:, :1] >= cut, counts[0])[0]) for cut in SWEEP]
    n, g = len(model), counts[0]
    return StepScore(
        n,
        g,
        int(matched[0]),
        _optimal(model, compared[0], column),
        tuple(f1(hit, n, g) for hit in sweep),
        tuple(f1(int(hit), n, other) for hit, other in zip(matched[1:], counts[1:], strict=True)),
    )


def _distinct(best: NDArray[np.intp], kept: NDArray[np.bool_], width: int) -> NDArray[np.intp]:
    """For each gold list the number of gold steps that are best for a kept model step."""
    n_lists = best.shape[1]
    flags = np.zeros((n_lists, max(width, 1)), dtype=bool)
    row, which = np.nonzero(kept)
    flags[which, best[row, which]] = True
    found: NDArray[np.intp] = np.count_nonzero(flags, axis=1)
    return found


def _best(
    model: _Steps, compared: list[_Steps], column: NDArray[np.int32]
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """For each model step and gold list: its best gold step, the first of equals, and the overlap."""
    width = max(1, *(len(gold) for gold in compared))
    best = np.zeros((len(model), len(compared)), dtype=np.intp)
    value = np.zeros((len(model), len(compared)))
    for start, dice in _dice_blocks(model, compared, width, column):
        where = dice.argmax(axis=2)
        stop = start + len(dice)
        best[start:stop] = where
        value[start:stop] = np.take_along_axis(dice, where[:, :, None], axis=2)[:, :, 0]
    return best, value


def _dice_blocks(
    model: _Steps, compared: list[_Steps], width: int, column: NDArray[np.int32]
) -> Iterator[tuple[int, NDArray[np.float64]]]:
    """Dice overlaps, model steps x gold lists x gold steps, a block of model steps at a time."""
    used = np.unique(model.token)
    column[used] = np.arange(len(used), dtype=np.int32)
    gold = np.zeros((len(compared) * width, len(used)), dtype=np.float32)
    sizes = np.zeros(len(compared) * width, dtype=np.int64)
    for number, steps in enumerate(compared):
        place = column[steps.token]
        seen = place >= 0
        gold[steps.owner[seen] + number * width, place[seen]] = 1
        sizes[number * width : number * width + len(steps)] = steps.sizes
    own = column[model.token]
    column[used] = -1
    for start in range(0, len(model), ROWS_AT_ONCE):
        stop = min(start + ROWS_AT_ONCE, len(model))
        low, high = np.searchsorted(model.owner, [start, stop])
        rows = np.zeros((stop - start, len(used)), dtype=np.float32)
        rows[model.owner[low:high] - start, own[low:high]] = 1
        shared = np.asarray(rows @ gold.T, dtype=np.float64)
        total = model.sizes[start:stop, None] + sizes[None, :]
        # Two empty sets share nothing: their overlap is 0, not 0/0.
        dice = 2 * shared / np.maximum(total, 1)
        yield start, dice.reshape(stop - start, len(compared), width)


def _optimal(model: _Steps, gold: _Steps, column: NDArray[np.int32]) -> int:
    """Count the pairs of a largest one-to-one matching at or above the threshold."""
    if not len(gold) or not len(model):
        return 0
    partners: list[list[int]] = [[] for _ in range(len(gold))]
    for start, dice in _dice_blocks(model, [gold], len(gold), column):
        for row, step in zip(*np.nonzero(dice[:, 0, :] >= THRESHOLD), strict=True):
            partners[int(step)].append(start + int(row))
    return largest_matching(partners)


def largest_matching(partners: Sequence[Sequence[int]]) -> int:
    """Size of a largest one-to-one matching, by augmenting paths found breadth first.

    Parameters
    ----------
    partners
        For each left node the right nodes it may be paired with.

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
