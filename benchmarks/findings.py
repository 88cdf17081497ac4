"""Findings of every bundled table, computed with numpy and pandas alone, beside Concord's.

``python benchmarks/findings.py [TABLE …]``. Nothing of Concord makes a number of the first column: files are
read by pandas, Bayes factors are integrated on a grid, shares are loops over groups. Intervals of the first
column are plain ones (a bootstrap of pairs, clusters or items, Student's t over tasks, Wilson's): near those
of Concord, not equal; values must be equal. Exits with 1 where one is not.
"""

import sys
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

PACKAGE = Path(__file__).parents[1] / "src" / "concord"
PUBLIC, PEOPLE = PACKAGE / "files" / "public", PACKAGE / "people" / "data"
Ends = tuple[float, float] | None


class Finding(NamedTuple):
    """A number twice."""

    what: str
    own: float
    concord: float | None
    own_ends: Ends = None
    ends: Ends = None


def _of(estimate: Any) -> tuple[float | None, Ends]:
    ends = estimate.interval
    return estimate.value, None if ends is None else (ends.low, ends.high)


def _beside(what: str, own: float, estimate: Any, own_ends: Ends = None) -> Finding:
    value, ends = _of(estimate)
    return Finding(what, own, value, own_ends, ends)


def _bootstrap(values: Any, clusters: Any = None, times: int = 4000) -> tuple[float, float]:
    """Return the 95 % percentile interval of a mean, whole clusters drawn."""
    rng, values = np.random.default_rng(0), np.asarray(values, float)
    groups = np.arange(len(values)) if clusters is None else pd.factorize(np.asarray(clusters))[0]
    sums, sizes = np.bincount(groups, values), np.bincount(groups)
    drawn = rng.integers(0, len(sums), (times, len(sums)))
    low, high = np.quantile(sums[drawn].sum(1) / sizes[drawn].sum(1), [0.025, 0.975])
    return float(low), float(high)


def _wilson(k: float, n: float) -> tuple[float, float]:
    z, p = 1.959964, k / n
    middle, reach = p + z * z / (2 * n), z * np.sqrt(p * (1 - p) / n + z * z / (4 * n * n))
    return float((middle - reach) / (1 + z * z / n)), float((middle + reach) / (1 + z * z / n))


# Evidence of a t, by a grid over the effect and the spread.


def _states(t: float, n1: float, n2: float) -> tuple[float, float, float]:
    """Return the posterior of a positive, a negative and no effect, whose prior is Cauchy with √2/2.

    Pairs have no second n.
    """
    root, df = (np.sqrt(n1), n1 - 1) if np.isnan(n2) else (np.sqrt(n1 * n2 / (n1 + n2)), n1 + n2 - 2)
    spread = np.exp(np.linspace(-9 / np.sqrt(2 * df), 9 / np.sqrt(2 * df), 161))
    log_chi = df * np.log(spread) - df * spread**2 / 2
    chi = np.exp(log_chi - log_chi.max())
    chi /= np.trapezoid(chi / spread, spread)  # density of log spread, then of spread
    chi /= spread
    centre, reach = t / root, 10 / root
    fine = np.linspace(min(centre - reach, -reach), max(centre + reach, reach), 20_001)
    effect = np.concatenate([fine[fine < 0], [0.0], fine[fine > 0]])
    prior = 1 / (np.pi * np.sqrt(0.5) * (1 + 2 * effect**2))
    like = np.zeros(len(effect))
    for s, weight in zip(spread, chi * np.gradient(spread), strict=True):
        like += weight * s * np.exp(-((t * s - effect * root) ** 2) / 2)
    none = like[effect == 0][0]
    up = np.trapezoid((like * prior)[effect >= 0], effect[effect >= 0])
    down = np.trapezoid((like * prior)[effect <= 0], effect[effect <= 0])
    whole = up + down + none
    return float(up / whole), float(down / whole), float(none / whole)


def _states_of_r(r: float, n: float) -> tuple[float, float, float]:
    """Return the same of a correlation, uniform before: its density is an integral over w (Hotelling)."""
    w = np.sinh(np.linspace(0, np.arcsinh(40 / np.sqrt(n)), 400))
    centre, reach = np.arctanh(r), 10 / np.sqrt(max(n - 3, 1))
    z = np.linspace(min(centre - reach, -reach), max(centre + reach, reach), 2001)
    rho = np.tanh(np.concatenate([z[z < 0], [0.0], z[z > 0]]))
    log = (n - 1) / 2 * np.log1p(-(rho**2)) - (n - 1) * np.log1p(-r * rho)
    inner = np.exp(-(n - 1) * np.log((np.cosh(w) - r * rho[:, None]) / (1 - r * rho[:, None])))
    like = np.exp(log - log.max()) * np.trapezoid(inner, w, axis=1)
    none, half = like[rho == 0][0], like / 2
    up = np.trapezoid(half[rho >= 0], rho[rho >= 0])
    down = np.trapezoid(half[rho <= 0], rho[rho <= 0])
    whole = up + down + none
    return float(up / whole), float(down / whole), float(none / whole)


def _p_of_t(t: float, df: float) -> float:
    """Return the two-sided p of a t by integrating its density over an angle: x = √df · tan a."""
    angle = np.linspace(0, np.pi / 2, 200_001)[:-1]
    density = np.cos(angle) ** (df - 1)
    beyond = angle >= np.arctan(abs(t) / np.sqrt(df))
    return float(density[beyond].sum() / density.sum())


def twin_2k_500() -> Iterator[Finding]:
    """GPT5 and persona_summary against people: PAS, ECS, APR."""
    import concord

    table = pd.read_csv(PEOPLE / "public" / "twin_2k_500.csv")
    result: Any = concord.score_people(PEOPLE / "public" / "twin_2k_500.csv", n_resamples=0, n_simulations=0)
    theirs = {one.name: one for one in result.agents}
    for name in ("GPT5", "persona_summary"):
        own = table[table["design"] == name].dropna(subset=["human_statistic", "agent_statistic"]).copy()
        own["pas"] = [
            float(np.dot(_states(h, n / 2, n / 2), _states(a, m / 2, m / 2)))
            for h, n, a, m in own[["human_statistic", "human_n", "agent_statistic", "agent_n"]].to_numpy()
        ]
        yield _beside(f"{name}, PAS", _pooled(own), theirs[name].pas)
        yield _beside(f"{name}, ECS", _concordance(own), theirs[name].ecs)
        p = np.array([_p_of_t(t, n - 2) for t, n in own[["agent_statistic", "agent_n"]].to_numpy()])
        same = np.sign(own["agent_statistic"]) == np.sign(own["human_statistic"])
        yield _beside(f"{name}, APR", float(((p < 0.05) & same).mean()), theirs[name].apr)


def _pooled(own: pd.DataFrame) -> float:
    """Return the mean over studies of means over findings of pooled tests."""
    found: dict[tuple[str, str], float] = {}
    for key, group in own.groupby(["study", "finding"]):
        z = np.arctanh(np.clip(2 * group["pas"] - 1, -1 + 1e-6, 1 - 1e-6))
        pooled = (np.tanh(np.average(z, weights=group["agent_n"])) + 1) / 2
        found[key] = float(group["pas"].iloc[0]) if len(group) == 1 else float(pooled)
    series = pd.Series(found)
    return float(series.groupby(level=0).mean().mean())


def _concordance(own: pd.DataFrame) -> float:
    """Return Lin's coefficient of people's and the agent's d, findings of a study and tests of one equal."""
    x = 2 * own["human_statistic"] / np.sqrt(own["human_n"])
    y = 2 * own["agent_statistic"] / np.sqrt(own["agent_n"])
    in_study = own.groupby("study")["finding"].transform("nunique")
    in_finding = own.groupby(["study", "finding"])["test"].transform("count")
    w = 1 / (in_study * in_finding)
    w = w / w.sum()
    mx, my = (w * x).sum(), (w * y).sum()
    sxy = (w * (x - mx) * (y - my)).sum()
    return float(2 * sxy / ((w * (x - mx) ** 2).sum() + (w * (y - my) ** 2).sum() + (mx - my) ** 2))


def humanstudy_bench() -> Iterator[Finding]:
    """57 configurations: the first, the last, and how many ranks differ from the published ones."""
    import concord
    from concord.people.public import published_pas, rank_moves

    table = pd.read_csv(PEOPLE / "public" / "humanstudy_bench.csv")
    printed = pd.read_csv(PEOPLE / "public" / "humanstudy_bench_published.csv", index_col=0)
    new = table.groupby(["config", "study"])["pas"].mean().groupby("config").mean()
    old = printed.mean(axis=1)
    moved = new.rank(ascending=False, method="first") - old[new.index].rank(ascending=False, method="first")
    result: Any = concord.score_people(
        PEOPLE / "public" / "humanstudy_bench.csv", n_resamples=0, n_simulations=0
    )
    theirs = {one.name: one.pas for one in result.agents}
    moves = rank_moves(published_pas(), result.agents)
    for name in (new.idxmax(), new.idxmin()):
        yield _beside(f"{name}, PAS", float(new[name]), theirs[name])
    yield Finding("ranks that differ", float((moved != 0).sum()), sum(one.places != 0 for one in moves))
    yield Finding("largest move", float(moved.abs().max()), max(abs(one.places) for one in moves))


def twin_2k_500_answers() -> Iterator[Finding]:
    """Correlation of persons with their twins, and the spread of answers."""
    import concord

    table = pd.read_parquet(PEOPLE / "public" / "twin_2k_500_answers.parquet")
    result: Any = concord.score_answers(PEOPLE / "public" / "twin_2k_500_answers.parquet", n_resamples=2)
    theirs = result.agents[0].overall.numbers
    ratios, r = [], []
    for _, one in table.dropna(subset=["human", "agent"]).groupby(["study", "outcome"]):
        ratios.append(one["agent"].var() / one["human"].var())
        r.append(np.corrcoef(one["human"], one["agent"])[0, 1])
    yield _beside("mean r over persons", float(np.mean(r)), theirs["person_r"].estimate)
    yield _beside("median variance ratio", float(np.median(ratios)), theirs["variance_ratio"].estimate)


def twin_2k_500_moments() -> Iterator[Finding]:
    """Spread of answers of three designs."""
    import concord

    table = pd.read_csv(PEOPLE / "public" / "twin_2k_500_moments.csv")
    result: Any = concord.score_answers(PEOPLE / "public" / "twin_2k_500_moments.csv", n_resamples=2)
    for name in ("with_reasoning", "GPT5", "empty_persona"):
        own = table[table["design"] == name]
        theirs = result.agent(name).overall.numbers
        ratio = (own["agent_sd"] / own["human_sd"]) ** 2
        yield _beside(
            f"{name}, median variance ratio", float(ratio.median()), theirs["variance_ratio"].estimate
        )
        yield _beside(
            f"{name}, mean r over persons", float(own["r_person"].mean()), theirs["person_r"].estimate
        )


def judges_seats() -> Iterator[Finding]:
    """DevBench, seats swapped and asked again; who wins under each judge."""
    import concord

    table = pd.read_parquet(PUBLIC / "judges_seats.parquet")
    table = table[table["benchmark"] == "DevBench"]
    result = concord.score_judge(table, n_permutations=99)
    for judge in ("claude-3-haiku-20240307", "gpt-4-0125-preview", "gpt-4-0613"):
        between, within = _seat_changes(table[table["judge"] == judge])
        numbers = result.judge(judge).numbers
        yield _beside(f"{judge}, seats swapped", *_with(between, numbers["inconsistency"]))
        yield _beside(f"{judge}, asked again", *_with(within, numbers["repeat"]))
        excess = between.mean() - within.mean()
        both = _bootstrap((between - within).dropna())
        yield _beside(f"{judge}, the seat's share", float(excess), numbers["flip_excess"], both)
    for judge in ("claude-3-haiku-20240307", "gpt-4-0613"):
        rates = {win.model: win.rate for win in result.judge(judge).wins}
        for model in ("gpt-4-1106-preview", "deepseek-coder-1.3b-instruct"):
            yield _beside(f"under {judge} {model} wins", _win_rate(table, judge, model), rates[model])


def _with(values: pd.Series, estimate: Any) -> tuple[float, Any, Ends]:
    return float(values.mean()), estimate, _bootstrap(values.dropna())


def _seat_changes(votes: pd.DataFrame) -> tuple[pd.Series, pd.Series]:
    """Return, for each pair of answers, shares of unlike winners between and within seatings."""
    between, within = {}, {}
    for key, one in votes.dropna(subset=["winner"]).groupby(["item", "pair"]):
        ab, ba = (list(one[one["seating"] == seat]["winner"]) for seat in ("ab", "ba"))
        if ab and ba:
            between[key] = np.mean([x != y for x in ab for y in ba])
        repeats = [x != y for side in (ab, ba) for x, y in combinations(side, 2)]
        if repeats:
            within[key] = np.mean(repeats)
    return pd.Series(between, dtype=float), pd.Series(within, dtype=float)


def _win_rate(table: pd.DataFrame, judge: str, model: str) -> float:
    """Return how often a model wins: mean over pairs, ties a half, both seatings alike."""
    own = table[(table["judge"] == judge) & ((table["first"] == model) | (table["second"] == model))]
    own = own.dropna(subset=["winner"])
    won = (own["winner"] == model) + 0.5 * (
        ~own["winner"].isin(own["first"]) & ~own["winner"].isin(own["second"])
    )
    return float(
        won.groupby([own["item"], own["pair"], own["seating"]]).mean().groupby(level=[0, 1]).mean().mean()
    )


def judges_seats_full() -> Iterator[Finding]:
    """MTBench, one vote per seating."""
    import concord

    table = pd.read_parquet(PUBLIC / "judges_seats_full.parquet")
    table = table[table["benchmark"] == "MTBench"]
    result = concord.score_judge(table, n_permutations=99)
    for one in result.judges:
        between, _ = _seat_changes(table[table["judge"] == one.judge])
        yield _beside(f"{one.judge}, seats swapped", *_with(between, one.numbers["inconsistency"]))


def judges_llmbar() -> Iterator[Finding]:
    """LLMBar under the plain prompt: verdicts that change with the seats."""
    import concord

    table = pd.read_parquet(PUBLIC / "judges_llmbar.parquet")
    table = table[(table["set"] == "LLMBar") & (table["strategy"] == "Vanilla")]
    result = concord.score_judge(table, n_permutations=99)
    for one in result.judges:
        own = table[table["model"] == one.judge.split()[0]]
        wide = own.pivot_table(index=["subset", "item"], columns="seating", values="verdict", aggfunc="first")
        wide = wide[wide.isin(["1", "2", 1, 2]).all(axis=1)]
        changed = (wide["given"] != wide["swapped"]).astype(float)
        yield _beside(f"{one.judge.split()[0]}, seats swapped", *_with(changed, one.numbers["inconsistency"]))


def orders_chainscope() -> Iterator[Finding]:
    """Contradictions between two orders beyond those between repeats, all nine models."""
    import concord

    table = pd.read_parquet(PUBLIC / "orders_chainscope.parquet")
    result = concord.score_structure(
        scores=PUBLIC / "orders_chainscope.parquet", samples=10, cluster="property", resamples=400
    )
    for one in result.models:
        wide = table.pivot(
            index=["property", "pair"], columns="order", values=f"p_correct:{one.model}"
        ).dropna()
        p, q = wide["xy"], wide["yx"]
        excess = p * (1 - q) + q * (1 - p) - (p * (1 - p) + q * (1 - q)) * 10 / 9
        ends = _bootstrap(excess, wide.index.get_level_values(0))
        yield _beside(one.model, float(excess.mean()), one.flips, ends)


def reasoning_bbh_codex() -> Iterator[Finding]:
    """A chain of thought against direct answers."""
    import concord

    table = pd.read_parquet(PUBLIC / "reasoning_bbh_codex.parquet")
    gap = concord.score_reasoning(replies=PUBLIC / "reasoning_bbh_codex.parquet", n_resamples=400).scores.gap
    assert gap.table is not None
    wide = table.pivot(index=["task", "item"], columns="reasoning", values="correct")
    change = wide["cot"] - wide["direct"]
    yield Finding("answers mended", float((change > 0).sum()), gap.table.n10)
    yield Finding("answers broken", float((change < 0).sum()), gap.table.n01)
    n, s = change.groupby("task").count(), change.groupby("task").sum()
    value = s.sum() / n.sum()
    se = np.sqrt(27 / 26 * ((s - value * n) ** 2).sum()) / n.sum()
    yield _beside("points gained", float(value), gap.gap, (value - 2.0555 * se, value + 2.0555 * se))


def reasoning_turpin() -> Iterator[Finding]:
    """A suggested wrong answer without examples: who follows it, with a chain and without."""
    import concord

    table = pd.read_parquet(PUBLIC / "reasoning_turpin.parquet")
    table = table[(table["bias"] == "suggested_answer") & ~table["few_shot"]]
    result: Any = concord.score_hints(table)
    for one in result.scores.models:
        model, mode = one.model.split(" · reasoning ")
        own = table[(table["model"] == model) & (table["reasoning"] == mode)]
        wide = own.pivot_table(
            index=["task", "item", "gold", "pointed"], columns="context", values="answer", aggfunc="first"
        ).reset_index()
        yield _followed(one, wide["gold"], wide["pointed"], wide["unbiased"], wide["biased"])


def _followed(one: Any, gold: Any, pointed: Any, plain: Any, hinted: Any) -> Finding:
    """Return the share that takes a wrong hint among answers that did not give it already."""
    known = plain.notna() & hinted.notna() & (plain != -1) & (hinted != -1)  # -1: no option was found
    used = (gold != pointed) & known & (plain != pointed)
    k, n = int((used & (hinted == pointed)).sum()), int(used.sum())
    (influence,) = one.influence.values()
    return _beside(f"{one.model} follows ({k} of {n})", k / n, influence, _wilson(k, n))


def reasoning_turpin_2026() -> Iterator[Finding]:
    """A suggested wrong answer: who follows it, and who says so."""
    import concord

    table = pd.read_parquet(PUBLIC / "reasoning_turpin_2026.parquet")
    result: Any = concord.score_hints(PUBLIC / "reasoning_turpin_2026.parquet")
    for one in result.scores.models:
        own = table[table["model"] == one.model]
        yield _followed(one, own["gold"], own["pointed"], own["unbiased"], own["biased"])
        moved = own[
            (own["gold"] != own["pointed"]) & own["unbiased"].notna()
            & (own["unbiased"] != own["pointed"]) & (own["biased"] == own["pointed"])
        ]  # fmt: skip
        said = moved["verbalized"].dropna().astype(bool)
        yield _beside(
            f"{one.model} says so ({said.sum()} of {len(said)})", float(said.mean()), one.verbalised
        )


def reasoning_thought_branches() -> Iterator[Finding]:
    """Where hinted chains start and end."""
    import concord
    from concord.reasoning.probes.result import probe_numbers

    table = pd.read_parquet(PUBLIC / "reasoning_thought_branches.parquet").sort_values(
        ["item", "sentence_num"]
    )
    chains = table.groupby("item")
    start, end = chains["cue_p_prev"].first(), chains["cue_p"].last()
    start = (start * 50).round() / 50  # some shares are of fewer draws; taken as 50, as is said there
    result: Any = concord.score_probes(PUBLIC / "reasoning_thought_branches.parquet", model="chains")
    (first,) = [one for one in probe_numbers(result) if (one.group, one.number) == ("0.0", "same")]
    yield _beside("hinted answer without the chain", float(start.mean()), first.found, _bootstrap(start))
    yield Finding("hinted answer with the whole chain", float(end.mean()), None)


def young_2026() -> Iterator[Finding]:
    """Twelve models: who says that a hint moved them, and how often each kind of hint does."""
    import concord

    folder = PACKAGE / "reasoning" / "hints" / "data" / "young2026"
    said = pd.read_csv(folder / "faithfulness_summary.csv", index_col="model")
    moved = pd.read_csv(folder / "influence_rate.csv", index_col="model")
    result: Any = concord.score_hints("published")
    for one in result.scores.models:
        k, n = said.loc[one.model, ["total_faithful", "total_influenced"]]
        yield _beside(f"{one.model} says so ({k:.0f} of {n:.0f})", k / n, one.verbalised, _wilson(k, n))
        mean = float(np.mean([rate.value for rate in one.influence.values()]))
        yield Finding(f"{one.model} follows, mean of six hints", float(moved.loc[one.model, "avg"]), mean)


def many_labs_2() -> Iterator[Finding]:
    """24 effects of originals against about 7,000 people each."""
    from concord.people.public import replication_table
    from concord.people.results.one import score_table

    own = pd.read_csv(PEOPLE / "many_labs_2.csv")
    result = score_table(replication_table("many_labs_2.csv"), n_resamples=0, n_simulations=0)
    sides = [[f"{side}_{name}" for name in ("statistic", "n1", "n2")] for side in ("human", "agent")]
    own["pas"] = [
        float(np.dot(_states(*one[:3]), _states(*one[3:]))) for one in own[[*sides[0], *sides[1]]].to_numpy()
    ]
    own["agent_n"] = own["agent_n1"] + own["agent_n2"].fillna(1)
    yield _beside("PAS", _pooled(own), result.pas)
    theirs = {one.finding: one for one in result.tests}
    gaps = []
    for _, row in own.iterrows():
        for side, found in (("human", "human_effect_d"), ("agent", "agent_effect_d")):
            inverse = np.nansum([1 / row[f"{side}_n1"], 1 / row[f"{side}_n2"]])
            d = row[f"{side}_statistic"] * np.sqrt(inverse)
            gaps.append(abs(d - getattr(theirs[row["finding"]], found)))
    yield Finding("largest difference of 48 effects d", float(max(gaps)), 0.0)
    p = np.array([_p_of_t(t, n - 2) for t, n in own[["agent_statistic", "agent_n"]].to_numpy()])
    same = np.sign(own["agent_statistic"]) == np.sign(own["human_statistic"])
    yield _beside("significant in the same direction", float(((p < 0.05) & same).mean()), result.apr)


def replication_projects() -> Iterator[Finding]:
    """143 originals and their replications, correlations."""
    import json

    own = pd.read_csv(PEOPLE / "replication_projects.csv")
    kept = json.loads((PEOPLE / "people_against_people.json").read_text("utf-8"))
    columns = ["human_statistic", "human_n", "agent_statistic", "agent_n"]
    own["pas"] = [
        float(np.dot(_states_of_r(*one[:2]), _states_of_r(*one[2:]))) for one in own[columns].to_numpy()
    ]
    theirs = kept["pas"]["estimate"]
    ends = theirs["interval"]
    yield Finding(
        "PAS",
        _pooled(own),
        theirs["value"],
        _bootstrap(own["pas"], own["study"]),
        (ends["low"], ends["high"]),
    )
    r, n = own["agent_statistic"], own["agent_n"]
    p = np.array([_p_of_t(t, df) for t, df in zip(r * np.sqrt((n - 2) / (1 - r**2)), n - 2, strict=True)])
    passed = (p < 0.05) & (np.sign(r) == np.sign(own["human_statistic"]))
    yield Finding("significant in the same direction", float(passed.mean()), kept["apr"]["estimate"]["value"])


SAME = 1e-6
"""Values of one number may differ by this: the grid's error."""


TABLES: dict[str, Callable[[], Iterator[Finding]]] = {
    one.__name__.replace("_", "-"): one
    for one in (
        twin_2k_500, humanstudy_bench, twin_2k_500_answers, twin_2k_500_moments, judges_seats,
        judges_seats_full, judges_llmbar, orders_chainscope, reasoning_bbh_codex, reasoning_turpin,
        reasoning_turpin_2026, reasoning_thought_branches, young_2026, many_labs_2, replication_projects,
    )
}  # fmt: skip


def unlike(found: Finding) -> bool:
    """Return whether the two values of a number differ."""
    return found.concord is not None and abs(found.own - found.concord) > SAME


def main(names: list[str]) -> None:
    """Print every finding twice."""
    differ = 0
    for name in names if names else TABLES:
        print(name)
        for one in TABLES[name]():
            differ += unlike(one)
            print(f"  {one.what:<64} {one.own:>11.6f} {_shown(one.own_ends)} {_theirs(one)}", flush=True)
    print(f"values that are not equal: {differ}")
    sys.exit(differ > 0)


def _shown(ends: Ends) -> str:
    return " " * 16 if ends is None else f"[{ends[0]:.3f}, {ends[1]:.3f}]".ljust(16)


def _theirs(one: Finding) -> str:
    return "          –" if one.concord is None else f"{one.concord:>11.6f} {_shown(one.ends)}"


if __name__ == "__main__":
    main(sys.argv[1:])
