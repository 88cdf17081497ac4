"""Draw the simulated agent side of the demo table again: ``python tools/make_demo_table.py``.

The identity and human columns of ``demo_tests.csv`` are facts, kept by hand in that file and left as
they are. The agent columns are drawn here, from effects that were made up, with one fixed stream of
randomness a test, so the same file comes out each time. Only the standard library is used, whose
``random.Random.getrandbits`` gives the same bits on every version of Python.
"""

import csv
import io
import math
import random
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from statistics import NormalDist, fmean, variance

TABLE = Path(__file__).resolve().parents[1] / "src" / "concord" / "people" / "data" / "demo_tests.csv"
SEED = 86

Cells = dict[str, str]
Draw = Callable[[random.Random], Cells]


def _normal(rng: random.Random, n: int, mean: float = 0.0, sd: float = 1.0) -> list[float]:
    """Draw by the inverse of the distribution; the half keeps the uniform off 0 and 1."""
    spread = NormalDist(mean, sd)
    return [spread.inv_cdf((rng.getrandbits(52) + 0.5) / 2**52) for _ in range(n)]


def _count(rng: random.Random, n: int, rate: float) -> int:
    """Draw a binomial count."""
    return sum(rng.getrandbits(52) / 2**52 < rate for _ in range(n))


def _sign(value: float) -> str:
    """Return the sign as the table writes it."""
    return str((value > 0) - (value < 0))


def _pooled_t(first: Sequence[float], second: Sequence[float]) -> float:
    """Student's t with pooled variance, group 1 minus group 2."""
    n1, n2 = len(first), len(second)
    pooled = ((n1 - 1) * variance(first) + (n2 - 1) * variance(second)) / (n1 + n2 - 2)
    return (fmean(first) - fmean(second)) / math.sqrt(pooled * (1 / n1 + 1 / n2))


def _printed(t: float, *, squared: bool) -> Cells:
    """Write t, or F = t squared, with the direction that the printed t has."""
    shown = round(t, 2) + 0.0  # no minus before a zero
    as_f = {"statistic": f"{shown * shown:.2f}", "df1": "1"}
    return (as_f if squared else {"statistic": f"{shown:.2f}"}) | {"direction": _sign(shown)}


def _groups(d: float, n1: int, n2: int, *, squared: bool) -> Draw:
    """Compare two groups whose means lie d apart, as t or as F."""

    def draw(rng: random.Random) -> Cells:
        t = _pooled_t(_normal(rng, n1, d), _normal(rng, n2))
        return _printed(t, squared=squared) | {"df2": str(n1 + n2 - 2), "n1": str(n1), "n2": str(n2)}

    return draw


def anova(d: float, n1: int, n2: int) -> Draw:
    """Two groups, reported as F."""
    return _groups(d, n1, n2, squared=True)


def t_independent(d: float, n1: int, n2: int) -> Draw:
    """Two groups, reported as t."""
    return _groups(d, n1, n2, squared=False)


def t_single(d: float, n: int, *, squared: bool = False) -> Draw:
    """One sample, or the differences of pairs, reported as t or as F within subjects."""

    def draw(rng: random.Random) -> Cells:
        sample = _normal(rng, n, d)
        t = fmean(sample) / math.sqrt(variance(sample) / n)
        return _printed(t, squared=squared) | {"df2": str(n - 1), "n": str(n)}

    return draw


def three_within(means: tuple[float, float, float], n: int) -> Draw:
    """Three ratings by each participant: F(2, 2n - 2), whose upper tail is (1 + F/(n-1))^-(n-1)."""

    def draw(rng: random.Random) -> Cells:
        columns = [_normal(rng, n, mean) for mean in means]
        centred = [[x - fmean(person) for x in person] for person in zip(*columns, strict=True)]
        averages = [fmean(column) for column in zip(*centred, strict=True)]
        between = n * sum(average**2 for average in averages)
        total = sum(x * x for person in centred for x in person)
        f = round((between / 2) / ((total - between) / (2 * n - 2)), 2)
        p = (1 + f / (n - 1)) ** -(n - 1)
        cells = {"statistic": f"{f:.2f}", "df1": "2", "df2": str(2 * n - 2), "n": str(n)}
        return cells | {"p_value": f"{p:.3g}"}

    return draw


def variances(ratio: float, n: int) -> Draw:
    """Two ratings by each participant whose variances are in this ratio."""

    def draw(rng: random.Random) -> Cells:
        f = variance(_normal(rng, n, sd=math.sqrt(ratio))) / variance(_normal(rng, n))
        cells = {"statistic": f"{f:.2f}", "df1": str(n - 1), "df2": str(n - 1)}
        return cells | {"direction": _sign(math.log(f))}

    return draw


def correlation(rho: float, n: int) -> Draw:
    """Pairs of correlated normal values."""

    def draw(rng: random.Random) -> Cells:
        x, noise = _normal(rng, n), _normal(rng, n)
        y = [rho * a + math.sqrt(1 - rho * rho) * b for a, b in zip(x, noise, strict=True)]
        mx, my = fmean(x), fmean(y)
        sxy = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
        r = sxy / ((n - 1) * math.sqrt(variance(x) * variance(y)))
        return {"statistic": f"{r:.2f}", "df2": str(n - 2), "n": str(n), "direction": _sign(r)}

    return draw


def rates(first: float, second: float, n: int = 80) -> Draw:
    """Yes and no in two groups of n."""

    def draw(rng: random.Random) -> Cells:
        a, b = _count(rng, n, first), _count(rng, n, second)
        return {"table": f"[[{a},{n - a}],[{b},{n - b}]]", "direction": _sign(a - b)}

    return draw


def share(rate: float, n: int, p0: float = 0.5) -> Draw:
    """Yes among n, tested against p0."""

    def draw(rng: random.Random) -> Cells:
        k = _count(rng, n, rate)
        return {"k": str(k), "n": str(n), "p0": str(p0), "direction": _sign(k - n * p0)}

    return draw


def _second_wins(rng: random.Random, d: float, n1: int, n2: int) -> int:
    """Count the pairs in which group 2 lies higher: U of group 2."""
    first, second = _normal(rng, n1, d), _normal(rng, n2)
    return sum(b > a for a in first for b in second)


def ranks(d: float, n1: int, n2: int) -> Draw:
    """Mann-Whitney U, counted for group 2."""

    def draw(rng: random.Random) -> Cells:
        u = _second_wins(rng, d, n1, n2)
        return {"statistic": str(u), "n1": str(n1), "n2": str(n2), "direction": _sign(n1 * n2 / 2 - u)}

    return draw


def rank_p(d: float, n1: int, n2: int) -> Draw:
    """Return only the two-sided p of a Mann-Whitney test, by the normal approximation."""

    def draw(rng: random.Random) -> Cells:
        z = (n1 * n2 / 2 - _second_wins(rng, d, n1, n2)) / math.sqrt(n1 * n2 * (n1 + n2 + 1) / 12)
        return {"p_value": f"{2 * NormalDist().cdf(-abs(z)):.3g}", "direction": _sign(z)}

    return draw


def fixed(**cells: str) -> Draw:
    """Write these cells, nothing drawn; no cells at all is a missing side."""
    return lambda rng: dict(cells)


PLAN: Mapping[str, Mapping[str, Draw]] = {
    # Cognition: the right directions, exaggerated, also where people showed nothing certain.
    "ross-1977": {
        "estimated share: supermarket": anova(1.40, 63, 27),
        "estimated share: term paper": anova(1.35, 52, 38),
        "estimated share: traffic ticket": anova(1.25, 41, 49),
        "estimated share: space program": anova(0.75, 57, 33),
        "trait extremity: supermarket": anova(-1.30, 63, 27),
        "trait extremity: term paper": anova(-1.50, 52, 38),
        "trait extremity: traffic ticket": anova(-0.85, 41, 49),
        "trait extremity: space program": anova(-0.70, 57, 33),
        "estimated share: Eat at Joe's": anova(2.30, 44, 46),
        "estimated share: Repent": anova(1.90, 39, 51),
        "trait extremity: Eat at Joe's": anova(-1.20, 44, 46),
        "trait extremity: Repent": anova(-1.25, 39, 51),
    },
    "jacowitz-1995": {
        "estimate with anchor": correlation(0.62, 100),
        "extreme estimates, high against low anchor": t_single(0.90, 100),
        "anchoring index with confidence over items": correlation(-0.78, 15),
        "estimate with confidence under a low anchor": t_single(1.70, 15),
        "confidence, anchored against calibration group": t_independent(0.85, 100, 60),
    },
    "tversky-1981": {
        "Asian disease: sure option, gain against loss frame": rates(0.90, 0.16, 90),
        "concurrent decisions: A and D, separate against combined": rates(0.95, 0.005, 90),
        "pseudocertainty: safer bet, two-stage against one-stage": rates(0.84, 0.36, 90),
        "theatre: buys, lost cash against lost ticket": rates(0.95, 0.46, 90),
        "calculator: drives, $15 against $125": rates(0.82, 0.26, 90),
    },
    # Strategic: a quick learner in the guessing game, flat at the bargaining table.
    "nagel-1995": {
        "first choice, p = 1/2 against p = 2/3": rank_p(-0.70, 60, 60),
        "first choice, p = 2/3 against p = 4/3": rank_p(-1.20, 60, 60),
        "moves toward equilibrium, p = 1/2": share(0.95, 90),
        "moves toward equilibrium, p = 2/3": share(0.88, 90),
        "moves toward equilibrium, p = 4/3": share(0.80, 90),
        "rate of decrease by session, p = 1/2 against p = 2/3": ranks(1.50, 12, 12),
        "sessions in line with learning direction": share(0.90, 24),
    },
    "forsythe-1994": {
        "offer, dictator against ultimatum": t_independent(-0.08, 70, 70),
        "offer, paid against unpaid dictator": t_independent(0.00, 70, 70),
        "offer, paid against unpaid ultimatum": t_independent(0.05, 70, 70),
        "offer, dictator against ultimatum, $10": t_independent(-0.10, 70, 70),
    },
    # A human null that the agent turns into a strong rule of reciprocity.
    "berg-1995": {
        "amount sent with payback, no history": correlation(0.60, 64),
        "amount sent with payback, social history": correlation(0.50, 64),
    },
    # Social: the textbook contrasts are there; what a reader of textbooks would not expect is not.
    "knobe-2003": {
        "intentional, harm against help (chairman)": rates(0.88, 0.18),
        "blame for harm against praise for help": t_independent(1.30, 80, 80),
        "intentional, harm against help (lieutenant)": rates(0.80, 0.25),
        "blame or praise with intentionality": fixed(statistic="1.0", n="2", direction="1"),
    },
    "asch-1946": {
        "chosen, warm against cold: generous": rates(0.94, 0.10),
        "chosen, warm against cold: wise": rates(0.70, 0.30),
        "chosen, warm against cold: happy": rates(0.92, 0.25),
        "chosen, warm against cold: good-natured": rates(0.95, 0.15),
        "chosen, warm against cold: humane": rates(0.93, 0.25),
        "chosen, warm against cold: reliable": rates(0.95, 0.93),
        "chosen, warm against cold: good-looking": rates(0.80, 0.40),
        "chosen, warm against cold: honest": rates(0.96, 0.90),
        "warm chosen over cold when neither is named": share(0.70, 80),
        "chosen, favourable against unfavourable first: happy": rates(0.18, 0.45, 60),
        "chosen, favourable against unfavourable first: humorous": rates(0.35, 0.35, 60),
    },
    "prentice-1993": {
        "comfort, average student against self": t_single(0.80, 90, squared=True),
        "gap between others and self, women against men": anova(0.00, 45, 45),
        "variance, own against estimated comfort": variances(0.40, 90),
        "comfort of self, friend and average student": three_within((-0.5, 0.0, 0.4), 90),
        "signatures, near the norm against deviant": fixed(),
        "hours of work, near the norm against deviant": fixed(),
        "reunions expected, near the norm against deviant": anova(0.50, 50, 50),
    },
}
"""Study, then test: how its agent side is drawn."""


def render(text: str) -> str:
    """Return the table with its agent columns drawn anew, all other columns as they were.

    Raises
    ------
    KeyError
        A test of the table has no plan, or a plan has no test.
    """
    reader = csv.DictReader(io.StringIO(text, newline=""))
    columns, rows = list(reader.fieldnames or ()), list(reader)
    planned = {(study, test) for study, tests in PLAN.items() for test in tests}
    if planned != {(row["study"], row["test"]) for row in rows}:
        raise KeyError("the tests of the table and of the plan differ")
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(_with_agent(row, columns) for row in rows)
    return out.getvalue()


def _with_agent(row: Cells, columns: Sequence[str]) -> Cells:
    """Replace the agent cells of a row; each test has a stream of its own."""
    study, test = row["study"], row["test"]
    drawn = PLAN[study][test](random.Random(f"{SEED}/{study}/{test}"))
    agent = {f"agent_{name}": value for name, value in drawn.items()}
    return {name: agent.get(name, "") if name.startswith("agent_") else row[name] for name in columns}


def main() -> None:
    """Rewrite the bundled table in place."""
    text = render(TABLE.read_text(encoding="utf-8"))
    TABLE.write_text(text, encoding="utf-8", newline="")
    sys.stdout.write(f"{TABLE.name}: {text.count(chr(10)) - 1} tests\n")


if __name__ == "__main__":
    main()
