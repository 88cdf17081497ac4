"""Claims about judges are rare where they are false: length, and differences of judges that are alike."""

import numpy as np
import pytest

from concord.comparing.judges import METRICS, difference_of_judges
from concord.comparing.kinds import CompareRequest
from concord.stats.compare import Choices
from concord.structure.judging.result import PairVotes
from concord.structure.judging.score import score_votes

pytestmark = pytest.mark.long
FEW_FLIPS = Choices(n_flips=199)


def pairs_of(
    rng: np.random.Generator, questions: int, per: int, *, taste: float = 0.0, mean: float = 0.0
) -> list[PairVotes]:
    """Votes on pairs whose quality decides; a question may have a taste for length, 0 (`mean`) on average."""
    found = []
    for q in range(questions):
        slope = mean + taste * rng.normal()
        for i in range(per):
            quality, doublings = rng.normal(size=2)
            chance = 1 / (1 + np.exp(-2 * quality - slope * doublings))
            first, second = rng.binomial(2, chance, size=2).tolist()
            people = int(rng.binomial(2, 1 / (1 + np.exp(-2 * quality))))
            found.append(
                PairVotes(
                    f"{q} {i}", (first, 2 - first, 0), (second, 2 - second, 0),
                    human=(people, 2 - people, 0), length_a=200 * 2**doublings, length_b=200,
                    cluster=f"q{q}" if per > 1 else "",
                )
            )  # fmt: skip
    return found


def length_claims(times: int, questions: int, per: int, taste: float, mean: float = 0.0) -> float:
    rng = np.random.default_rng([times, questions, per])
    found = [
        score_votes({"m": pairs_of(rng, questions, per, taste=taste, mean=mean)}, n_permutations=99)[
            0
        ].sentence
        for _ in range(times)
    ]
    return float(np.mean(["answers win more often" in one or "The longer answer" in one for one in found]))


def difference_claims(times: int, questions: int, per: int) -> float:
    """Share of pairs of judges alike that are said to differ in their worst metric."""
    rng = np.random.default_rng([times, questions, per, 1])
    hits = dict.fromkeys(METRICS, 0)
    for _ in range(times):
        one, other = (pairs_of(rng, questions, per) for _ in range(2))
        for metric in METRICS:
            p = difference_of_judges(metric, one, other, CompareRequest((), choices=FEW_FLIPS)).p_value
            hits[metric] += p is not None and p < 0.05
    return max(hits.values()) / times


@pytest.mark.parametrize(("questions", "per", "taste"), [(60, 1, 0.0), (20, 4, 1.0)])
def test_length_without_effect_is_seldom_said_to_matter(questions: int, per: int, taste: float) -> None:
    assert length_claims(60, questions, per, taste) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 60)


def test_judges_alike_are_seldom_said_to_differ() -> None:
    assert difference_claims(30, 60, 1) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 30)


@pytest.mark.slow
@pytest.mark.parametrize(("questions", "per", "taste"), [(80, 1, 0.0), (20, 4, 1.0), (10, 8, 1.0)])
def test_length_without_effect_is_rarely_said_to_matter(questions: int, per: int, taste: float) -> None:
    rate = length_claims(1000, questions, per, taste)
    print(questions, per, taste, rate)  # noqa: T201
    assert rate <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 1000)


# one of many judges


def judges_told(
    times: int, judges: int, pairs: int = 40, *, seat: float = 0.0, slope: float = 0.0, votes: int = 1
) -> tuple[float, float]:
    """Share of tables in which any judge is told a preference for a seat, and an effect of length.

    With a seat (log odds) or a slope (per doubling) only the first judge has one, and only it is counted.
    """
    rng, hits = np.random.default_rng([times, judges, pairs, votes]), np.zeros(2)
    for _ in range(times):
        table = {}
        for j in range(judges):
            quality, doublings = rng.normal(size=(2, pairs))
            own = (seat, slope) if j == 0 else (0.0, 0.0)
            odds = 2 * quality + own[1] * doublings + np.array([[own[0]], [-own[0]]])
            first, second = rng.binomial(votes, 1 / (1 + np.exp(-odds)))
            table[f"j{j:02d}"] = [
                PairVotes(str(i), (a, votes - a, 0), (b, votes - b, 0), length_a=200 * 2**x, length_b=200)
                for i, (a, b, x) in enumerate(
                    zip(first.tolist(), second.tolist(), doublings.tolist(), strict=True)
                )
            ]
        found = score_votes(table, n_permutations=4999 if votes > 1 else 99)
        asked = found[:1] if seat or slope else found
        seats = [one.position in ("first", "second", "varying") for one in asked]
        hits += any(seats), any("answers win more" in one.sentence for one in asked)
    return float(hits[0] / times), float(hits[1] / times)


def test_of_many_judges_without_a_preference_none_is_told_one_and_a_real_one_is_found() -> None:
    """Ten judges at 5 % each would be told one in 40 % of tables; unguarded eight tables hold several."""
    assert max(judges_told(8, 10)) <= 0.25
    assert judges_told(1, 10, 60, seat=2.0)[0] == 1
    assert judges_told(1, 10, 60, slope=3.0)[1] == 1


@pytest.mark.slow
@pytest.mark.parametrize(("judges", "votes"), [(1, 1), (5, 2), (20, 1), (58, 1)])
def test_of_many_judges_without_a_preference_any_is_rarely_told_one(judges: int, votes: int) -> None:
    rates = judges_told(300, judges, votes=votes)
    print(judges, votes, rates)  # noqa: T201
    assert max(rates) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 300)
