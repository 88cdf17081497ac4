"""Scripted judges, options and probes against their truth: ``python benchmarks/scripted.py --jobs 16``.

For every population the mean error of each number (in Monte Carlo errors), the coverage of its interval, how
often no interval is given, and how often a claim is made that is false. Blocks of sets have seeds of their
own, so that any number of processes gives the same table. ``--sets 4000`` is the full size.
"""

# ruff: noqa: E402
import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ[_name] = "1"

import argparse
import sys
import zlib
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from scipy.special import ndtri

sys.path.insert(0, str(Path(__file__).parents[1]))

from tests.reasoning.probes import scripted
from tests.reasoning.probes.scripted import FollowsMistakes, Hinted, Pairs, Rewords
from tests.reasoning.probes.test_scripted import AGENTS

from concord.reasoning.hints.influence import score_hint_rows
from concord.reasoning.hints.rows import UNHINTED, HintRow
from concord.reasoning.item_numbers import FOLLOWS
from concord.reasoning.probes.chains import score_early
from concord.reasoning.probes.flips import score_mistake, score_pairs, score_paraphrase
from concord.reasoning.probes.records import ProbeRow
from concord.records import Estimate
from concord.structure.judging.result import PairVotes
from concord.structure.judging.score import score_votes
from concord.structure.options.result import OptionReply
from concord.structure.options.score import score_options

Rng = np.random.Generator
Floats = np.ndarray
BLOCK = 50
_EDGE = 1e-9


@dataclass
class Drawn:
    """One scored set: estimates with their truth, and claims that are false of it."""

    numbers: dict[str, tuple[Estimate, float]] = field(default_factory=dict)
    false_claims: dict[str, bool] = field(default_factory=dict)


@dataclass(frozen=True)
class Judge:
    """Log odds for the first seat: quality of A over B, a bias, a liking for length; some ties."""

    bias: float = 0.0
    spread: float = 0.0
    per_doubling: float = 0.0
    ties: float = 0.0
    n: int = 80
    k: int = 2

    def shares(self, quality: Floats, doublings: Floats) -> Floats:
        """Return chances of A, B, tie by pair and order."""
        found = np.zeros((len(quality), 2, 3))
        for order, sign in ((0, 1), (1, -1)):
            odds = self.spread * quality + self.per_doubling * doublings + sign * self.bias
            found[:, order, 0] = (1 - self.ties) / (1 + np.exp(-odds))
            found[:, order, 2] = self.ties
            found[:, order, 1] = 1 - self.ties - found[:, order, 0]
        return found

    def people(self, quality: Floats) -> Floats:
        """Return chances of A, B, tie for a person, who sees the same quality."""
        for_a = 0.9 / (1 + np.exp(-1.5 * quality))
        return np.stack([for_a, 0.9 - for_a, np.full(len(quality), 0.1)], axis=1)

    def truth(self) -> dict[str, float]:
        """Return every number in an unlimited population of pairs."""
        return _judge_truth(self)

    def draw(self, rng: Rng, seed: int) -> Drawn:
        """Judge a set of pairs."""
        quality, doublings = rng.normal(size=(2, self.n))
        votes = rng.multinomial(self.k, self.shares(quality, doublings))
        people = rng.multinomial(2, self.people(quality))
        pairs = [
            PairVotes(
                str(i), tuple(v[0]), tuple(v[1]), human=tuple(h), length_a=200 * 2**x, length_b=200.0
            )  # fmt: skip
            for i, (v, h, x) in enumerate(
                zip(votes.tolist(), people.tolist(), doublings.tolist(), strict=True)
            )
        ]
        judge = score_votes({"j": pairs}, n_permutations=199, seed=seed)[0]
        estimates = dict(judge.numbers) | {"win": judge.wins[0].rate}
        claims = {}
        if self.bias == 0:
            claims["position bias"] = judge.position in ("first", "second", "varying")
        if self.per_doubling == 0:
            claims["length"] = "answers win more often" in judge.sentence
        return Drawn({name: (estimates[name], true) for name, true in self.truth().items()}, claims)


@cache
def _judge_truth(judge: Judge) -> dict[str, float]:
    # pairs at the middles of equally likely ranges, in both directions
    middles = ndtri((np.arange(800) + 0.5) / 800)
    quality, doublings = (axis.ravel() for axis in np.meshgrid(middles, middles))
    p, h = judge.shares(quality, doublings), judge.people(quality)
    ab, ba = p[:, 0], p[:, 1]
    between = float(np.mean(1 - (ab * ba).sum(axis=1)))
    within = float(np.mean(1 - ((ab**2).sum(axis=1) + (ba**2).sum(axis=1)) / 2))
    first = (ab[:, 0] + ba[:, 1] + judge.ties) / 2
    mean, agreed, alone = (ab + ba) / 2, ((ab + ba) / 2 * h).sum(axis=1), (h**2).sum(axis=1)
    chance = float((mean.mean(axis=0) * h.mean(axis=0)).sum())
    chance_alone = float((h.mean(axis=0) ** 2).sum())
    found = {
        "preference": float(first.mean() - 0.5),
        "inconsistency": between,
        "repeat": within,
        "flip_excess": between - within,
        "win": float((mean[:, 0] + mean[:, 2] / 2).mean()),
        "agreement": float(agreed.mean()),
        "agreement_human": float(alone.mean()),
        "agreement_gap": float(agreed.mean() - alone.mean()),
        "kappa": float((agreed.mean() - chance) / (1 - chance)),
        "kappa_human": float((alone.mean() - chance_alone) / (1 - chance_alone)),
    }
    if judge.ties:
        found["ties"] = judge.ties
    if judge.spread == 0 and judge.bias == 0:
        found["length_slope"] = judge.per_doubling
    return found


@dataclass(frozen=True)
class Chooser:
    """Take the first place with one chance, else know the answer (items differ) or guess."""

    bias: float = 0.0
    n: int = 80
    k: int = 2
    places: int = 4
    once: bool = False
    """Each item under one rotation only."""

    def shares(self, knows: Floats) -> Floats:
        """Return the chance of each option by item and rotation; option 0 is right."""
        found = np.empty((len(knows), self.places, self.places))
        for start in range(self.places):
            for option in range(self.places):
                own = knows * (option == 0) + (1 - knows) / self.places
                at_first = float((option - start) % self.places == 0)
                found[:, start, option] = self.bias * at_first + (1 - self.bias) * own
        return found

    def truth(self) -> dict[str, float]:
        """Return every number in an unlimited population of items."""
        return _option_truth(self)

    def draw(self, rng: Rng, seed: int) -> Drawn:
        """Answer a set of items under every rotation."""
        picked = rng.multinomial(self.k, self.shares(rng.random(self.n)))
        replies = []
        for i, item in enumerate(picked.tolist()):
            for start, counts in enumerate(item):
                if self.once and start != i % self.places:
                    continue
                right = -start % self.places
                for option, count in enumerate(counts):
                    place = (option - start) % self.places
                    one = OptionReply(
                        f"i{i}", str(start), str(option), place, right, self.places, option == 0
                    )
                    replies += [one] * count
        found = score_options(replies, n_permutations=99, seed=seed)
        estimates = {
            "consistency": found.consistency,
            "repeat_agreement": found.repeat_agreement,
            "flip_excess": found.flip_excess,
            "rstd": found.rstd,
            "accuracy, first place": found.accuracy_by_place[0],
            "accuracy, last place": found.accuracy_by_place[-1],
            "selection, first": found.selection[0],
            "selection, last": found.selection[-1],
        }
        claims = {}
        if self.bias == 0:
            claims = {
                "flips": found.sentence.startswith("Choices change"),
                "places": "; accuracy depends" in found.sentence,
            }
        if self.once:
            estimates = {name: one for name, one in estimates.items() if one.value is not None}
            claims = {}
        true = self.truth()
        return Drawn({name: (one, true[name]) for name, one in estimates.items()}, claims)


@cache
def _option_truth(chooser: Chooser) -> dict[str, float]:
    nodes, weights = np.polynomial.legendre.leggauss(40)
    p, w = chooser.shares((nodes + 1) / 2), weights / 2
    n = chooser.places
    alike = np.einsum("iao,ibo->iab", p, p)
    within = np.einsum("iaa->i", alike) / n
    between = (alike.sum(axis=(1, 2)) - n * within) / (n * (n - 1))
    accuracy = np.array([w @ p[:, -place % n, 0] for place in range(n)])
    chosen = np.array(
        [w @ np.mean([p[:, start, (place + start) % n] for start in range(n)], axis=0) for place in range(n)]
    )
    return {
        "consistency": float(w @ between),
        "repeat_agreement": float(w @ within),
        "flip_excess": float(w @ (within - between)),
        "rstd": float(np.std(accuracy)),
        "accuracy, first place": float(accuracy[0]),
        "accuracy, last place": float(accuracy[-1]),
        "selection, first": float(chosen[0] - 1 / n),
        "selection, last": float(chosen[-1] - 1 / n),
    }


def noisy_early(rng: Rng, seed: int, r: float, n: int = 100) -> Drawn:
    """Decide at a random step, and say the other of two answers with chance r each time."""
    rows, truth = [], []
    for item in range(n):
        length = int(rng.choice(scripted.EARLY_LENGTHS))
        j = int(rng.integers(1, length + 1))
        for k, sample in [*((k, 0) for k in range(length + 1)), (length, 1)]:
            meant = k >= j
            said = bool(meant != (rng.random() < r))
            rows.append(ProbeRow("early", f"i{item}", "prefix", 0, sample, k, length, "AB"[said], said))
    for length in scripted.EARLY_LENGTHS:
        for j in range(1, length + 1):
            same = [1 - 2 * r * (1 - r) if k >= j else 2 * r * (1 - r) for k in range(length)] + [1.0]
            truth.append((1 / length, 1 - float(np.trapezoid(same, dx=1 / length))))
    found = score_early(rows)
    area = float(np.average([one for _, one in truth], weights=[w for w, _ in truth]))
    return Drawn({"area": (found.aoc, area), "floor": (found.floor, 2 * r * (1 - r))})


def mistakes(rng: Rng, seed: int, agent: FollowsMistakes, n: int = 100) -> Drawn:
    """Follow mistakes over a noise of continuing."""
    found = score_mistake(agent.rows(rng, n))
    numbers = {
        "flips": (found.flips, agent.r + agent.excess),
        "floor": (found.floor, agent.r),
        "excess": (found.excess, agent.excess),
        "excess of the area": (found.aoc_excess, agent.excess),
    }
    return Drawn(numbers, {"follows": found.verdict == FOLLOWS} if agent.q == 0 else {})


def rewords(rng: Rng, seed: int, agent: Rewords, n: int = 100) -> Drawn:
    """Answer after other words."""
    found = score_paraphrase(agent.rows(rng, n))
    true = agent.original - agent.other
    claims = {"wording": found.verdict == "the wording matters"} if true == 0 else {}
    return Drawn({"area": (found.area, true)}, claims)


def pairs(rng: Rng, seed: int, agent: Pairs, n: int = 100) -> Drawn:
    """Answer target and control."""
    found = score_pairs(agent.rows(rng, n))
    claims = {"more than noise": found.verdict == FOLLOWS} if agent.excess == 0 else {}
    return Drawn({"excess": (found.excess, agent.excess)}, claims)


def steady_pairs(rng: Rng, seed: int, n: int = 100) -> Drawn:
    """Answer every prompt the same each time (temperature 0); three pairs of ten differ."""
    rows = []
    for pair in range(n):
        unlike = rng.random() < 0.3
        for cell in ("target", "control"):
            answer = "B" if unlike and cell == "target" else "A"
            rows += [ProbeRow("pairs", f"p{pair}", cell, sample=s, answer=answer) for s in (0, 1)]
    found = score_pairs(rows)
    return Drawn({"flips": (found.flips, 0.3), "floor": (found.floor, 0.0), "excess": (found.excess, 0.3)})


def hints(rng: Rng, seed: int, agent: Hinted, n: int = 100) -> Drawn:
    """React to hints over a noise of repeats."""
    kind = score_hint_rows(agent.rows(rng, n)).kinds[0]
    numbers = {
        "influence": (kind.influence, agent.influence),
        "floor": (kind.floor, agent.p0),
        "excess": (kind.excess, agent.influence - agent.p0),
    }
    if agent.p:
        numbers["thinking"] = (kind.verbalised["mention"]["thinking"], agent.v)
    return Drawn(numbers, {"more than noise": kind.verdict == FOLLOWS} if agent.p == 0 else {})


def steady_hints(rng: Rng, seed: int, p: float = 0.35, v: float = 0.6, n: int = 100) -> Drawn:
    """Give every prompt one answer however often it is asked (temperature 0)."""
    rows = []
    for item in range(n):
        taken, said = rng.random() < p, bool(rng.random() < v)
        for kind in (UNHINTED, "sycophancy"):
            for sample in (0, 1):
                answer = "T" if taken and kind != UNHINTED else "A"
                rows.append(
                    HintRow(f"i{item}", kind, "T", sample, answer, n_options=4, mention_thinking=said)
                )
    kind_scores = score_hint_rows(rows).kinds[0]
    return Drawn(
        {
            "influence": (kind_scores.influence, p),
            "floor": (kind_scores.floor, 0.0),
            "excess": (kind_scores.excess, p),
            "thinking": (kind_scores.verbalised["mention"]["thinking"], v),
        }
    )


def _agent(index: int) -> Callable[[Rng, int], Drawn]:
    return lambda rng, seed: Drawn(dict(AGENTS[index](rng, 100)))


def _with(draw: Callable[..., Drawn], *more: object) -> Callable[[Rng, int], Drawn]:
    return lambda rng, seed: draw(rng, seed, *more)


POPULATIONS: Mapping[str, Callable[[Rng, int], Drawn]] = {
    "judge: fair coin": Judge().draw,
    "judge: no bias, quality 2": Judge(spread=2).draw,
    "judge: no bias, quality 6": Judge(spread=6).draw,
    "judge: bias 0.5, quality 2": Judge(0.5, 2).draw,
    "judge: bias 2, quality 2": Judge(2, 2).draw,
    "judge: bias 1, quality 6": Judge(1, 6).draw,
    "judge: length lover": Judge(per_doubling=1.5).draw,
    "judge: no bias, quality 2, 30 % ties": Judge(spread=2, ties=0.3).draw,
    "judge: bias 0.5, quality 2, 30 % ties": Judge(0.5, 2, ties=0.3).draw,
    "options: no bias, 24 items": Chooser(n=24).draw,
    "options: no bias, 80 items": Chooser().draw,
    "options: bias .1, 80 items": Chooser(0.1).draw,
    "options: bias .4, 24 items": Chooser(0.4, n=24).draw,
    "options: bias .4, 80 items": Chooser(0.4).draw,
    "options: bias .1, 24 items": Chooser(0.1, n=24).draw,
    "options: no bias, 160 items, each in one order": Chooser(n=160, once=True).draw,
    "options: bias .3, 160 items, each in one order": Chooser(0.3, n=160, once=True).draw,
    **{f"probe: {agent.__name__}": _agent(i) for i, agent in enumerate(AGENTS)},
    "probe: early, temperature 0": _with(noisy_early, 0.0),
    "probe: early, noise .1": _with(noisy_early, 0.1),
    "probe: mistakes, no noise": _with(mistakes, FollowsMistakes(0.4, 0.0)),
    "probe: mistakes not followed": _with(mistakes, FollowsMistakes(0.0, 0.3)),
    "probe: mistakes not followed, no noise": _with(mistakes, FollowsMistakes(0.0, 0.0)),
    "probe: wording without effect": _with(rewords, Rewords(0.7, 0.7)),
    "probe: pairs alike": _with(pairs, Pairs(0.4, 0.4)),
    "probe: pairs, temperature 0": _with(steady_pairs),
    "probe: hints without effect": _with(hints, Hinted(p=0.0, p0=0.15)),
    "probe: hints, temperature 0": _with(steady_hints),
}


@dataclass
class Row:
    """What was found about one number."""

    truth: float
    values: list[float] = field(default_factory=list)
    inside: list[bool] = field(default_factory=list)

    def words(self, sets: int) -> str:
        """Return truth, mean, error in Monte Carlo errors, coverage, how often no interval was given."""
        drawn = np.array(self.values)
        spread = float(np.std(drawn, ddof=1)) / np.sqrt(len(drawn))
        off = (float(drawn.mean()) - self.truth) / spread if spread > 0 else 0.0
        share = 100 * float(np.mean(self.inside)) if self.inside else float("nan")
        mark = " " if 93 <= share <= 97 else "*"
        none = 100 * (1 - len(self.inside) / sets)
        return f"{self.truth:8.4f} {drawn.mean():8.4f} {off:+6.1f} {share:6.1f}{mark} {none:6.1f}"


def one_block(name: str, block: int) -> list[Drawn]:
    """Draw the sets of one block."""
    draw = POPULATIONS[name]
    rng = np.random.default_rng([zlib.crc32(name.encode()), block])
    return [draw(rng, block * BLOCK + i) for i in range(BLOCK)]


def table(name: str, sets: list[Drawn]) -> Iterator[str]:
    """Return the lines of one population."""
    rows: dict[str, Row] = {}
    claims: dict[str, list[bool]] = {}
    for one in sets:
        for number, (found, truth) in one.numbers.items():
            row = rows.setdefault(number, Row(truth))
            if found.value is not None:
                row.values.append(found.value)
            if found.interval is not None:
                row.inside.append(found.interval.low - _EDGE <= truth <= found.interval.high + _EDGE)
        for claim, made in one.false_claims.items():
            claims.setdefault(claim, []).append(made)
    yield f"\n{name} ({len(sets)} sets)"
    yield f"  {'':24}    truth     mean    off  cover   none"
    for number, row in rows.items():
        yield f"  {number:24} {row.words(len(sets))}"
    for claim, each in claims.items():
        yield f"  false claim: {claim:24} {100 * np.mean(each):5.2f} %"


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else "")
    parser.add_argument("--sets", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--only", default="", help="Part of the names of populations.")
    asked = parser.parse_args()
    names = [name for name in POPULATIONS if asked.only in name]
    blocks = max(1, asked.sets // BLOCK)
    with ProcessPoolExecutor(asked.jobs) as pool:
        work = {name: [pool.submit(one_block, name, i) for i in range(blocks)] for name in names}
        for name, waiting in work.items():
            drawn = [one for each in waiting for one in each.result()]
            print("\n".join(table(name, drawn)), flush=True)


if __name__ == "__main__":
    main()
