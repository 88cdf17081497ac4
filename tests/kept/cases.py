"""Small data of every kind, drawn with fixed seeds, and what each command makes of it."""

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import concord
from concord import api, studies
from concord.errors import ApaError
from concord.people.apa.parse import parse_apa
from concord.people.apa.read import check_apa
from concord.people.protocol import _CHOICES, PROTOCOLS, STANDARD
from concord.people.studies.describe import human_sides, published_effects, summary
from concord.people.studies.draft import draft_study
from concord.people.studies.load import bundled_studies
from concord.people.table.agents import read_agents
from concord.reasoning.hints.influence import score_hint_rows
from concord.reasoning.probes.score import score_probe_rows
from concord.records import TestTable
from concord.structure.arrangers import get_arranger
from concord.structure.items import ArrangedItem, ItemSet
from concord.structure.words.judged import calibrate
from concord.structure.words.scorers import Asked, chrf, get_scorer
from tests.files_of_every_kind import FILES, as_survey
from tests.people.apa.test_apa import WRITTEN
from tests.people.apa.test_check import VERDICTS
from tests.people.memory.scripted_models import plans, verdict
from tests.people.random_tables import random_table
from tests.people.rows import scores_of, t_table
from tests.people.studies.papers import CLOSED, OPEN
from tests.people.studies.people_like import SCRIPTS, PeopleLike
from tests.people.studies.small import STUDY
from tests.people.table.test_spellings import SPELLINGS
from tests.people.table.thirty_books import BOOKS
from tests.reasoning.probes import scripted as probed
from tests.show.made_results import DATA, replies_of
from tests.structure.judging import scripted as judged
from tests.structure.options.scripted import result as options_of
from tests.structure.scores import samples

Rows = list[dict[str, Any]]
Case = Callable[..., Any]
CASES: dict[str, Case] = {}
FAST: dict[str, Any] = {"n_resamples": 20, "n_simulations": 40}


def case(name: str, made: Case) -> None:
    """Keep a case by its name."""
    assert name not in CASES, name
    CASES[name] = made


def _people() -> Iterator[tuple[str, Case]]:
    for seed in range(6):
        rows = random_table(seed)
        for name, protocol in PROTOCOLS.items():
            yield f"people table {seed} {name}", lambda _, r=rows, p=protocol: scores_of(list(r), p)
    rows = random_table(3)
    for field, choices in _CHOICES.items():
        for choice in choices:
            if choice != getattr(STANDARD, field):
                changed: Any = {field: choice}
                protocol = replace(STANDARD, **changed)
                yield f"people {field} {choice}", lambda _, p=protocol: scores_of(list(rows), p)
    yield (
        "people two-states halves",
        lambda _: scores_of(
            list(rows), replace(STANDARD, states=2, no_direction="halves", capped=True, include_unsigned=True)
        ),
    )
    yield (
        "people refereed",
        lambda _: scores_of(t_table(6), n_resamples=40, n_simulations=60, for_referee=True, level=0.9),
    )
    normal = replace(STANDARD, true_effects="normal")
    yield "people normal effects", lambda _: scores_of(t_table(6), normal, n_resamples=20, n_simulations=60)
    demo = pl.read_csv(api.demo_table())
    yield "people demo", lambda _: concord.score_people(demo, level=0.9, **FAST)
    yield "people one study", lambda _: concord.score_people(demo.head(4), **FAST)
    yield "people few studies", lambda _: concord.score_people(demo.head(9), margin=0.4, **FAST)
    several = pl.concat(
        [
            demo.with_columns(
                agent=pl.lit(name),
                agent_statistic=pl.col("agent_statistic") * factor,
            )
            for name, factor in (("GPT", 1.0), ("Llama", 0.4), ("Qwen", 0.7))
        ]
    )
    yield "people agents", lambda _: concord.score_people(several, **FAST)

    def one_of_them(_: Path) -> Any:
        several_scored: Any = concord.score_people(several, **FAST)
        return several_scored["Llama"]

    yield "people one of agents", one_of_them
    copies = pl.concat([demo.with_columns(agent=pl.lit(name)) for name in ("a", "b")])
    yield "people equal agents", lambda _: concord.score_people(copies, level=0.8, **FAST)
    yield (
        "people replications",
        lambda _: concord.score_people(Path(api.demo_table()).parent / "replication_projects.csv", **FAST),
    )


def _by_hand() -> Iterator[tuple[str, Case]]:
    cells = (
        ("t(38) = 2.10, p = .04", "t(98) = 2.90, p = .005"),
        ("F(1, 76) = 4.21, p = .044", "F(1, 198) = 0.31"),
        ("F(2, 60) = 3.9", "F(2, 300) = 1.2"),
        ("r(58) = .31, p = .017", "r(198) = -.05"),
        ("χ²(1, N = 80) = 5.1", "χ²(1, N = 200) = 9.8"),
        ("M=4.2 (SD=1.1), n=40 vs. M=3.6 (SD=1.2), n=41", "M=4.9 (SD=0.4), n=100 vs. M=4.6 (SD=0.5), n=100"),
        ("26/40 vs 14/40", "70/100 vs 66/100"),
        ("85% vs 42% (n = 60 per cell)", "51% vs 50% (n = 100 per cell)"),
        ("d = 0.45, SE = 0.16", "d = 0.10, SE = 0.10"),
        ("OR = 2.4, 95% CI 1.1 to 5.2", "OR = 1.2, 95% CI 0.8 to 1.9"),
        ("β = 0.27, p = .02, n = 74", "β = -0.02, p = .8, n = 200"),
        ("U = 220, n1 = 25, n2 = 30, p = .01", "U = 4800, n1 = 100, n2 = 100, p = .62"),
        ("z = 2.4, n = 90", "z = 0.6, n = 200"),
        ("η² = .06, n = 80", "η² = .01, n = 200"),
        ("t(24) = -3.3, paired", "t(99) = -1.1, paired"),
        ("p < .001", "p = .2"),
        ("d = 0.61 [0.12, 1.10]", "d = 0.20 [-0.08, 0.48]"),
    )
    rows = [
        {"Study": f"Study {i // 3}", "Finding": f"F{i}", "Human result": human, "GPT-4 result": agent}
        for i, (human, agent) in enumerate(cells)
    ]
    yield "people by hand", lambda _: concord.score_people(rows, **FAST)


def _answers() -> Iterator[tuple[str, Case]]:
    rng = np.random.default_rng(4)
    rated = [
        {
            "study": f"s{i % 3}",
            "outcome": f"o{i % 4}",
            "group": "ab"[i % 2],
            "weight": float(rng.uniform(0.5, 2)),
            "human": int(rng.integers(1, 8)),
            "agent": int(np.clip(rng.normal(4, 1), 1, 7).round()),
            "scale_min": 1,
            "scale_max": 7,
        }
        for i in range(320)
    ]
    plain = [{k: v for k, v in row.items() if k not in ("weight", "scale_min", "scale_max")} for row in rated]
    options: dict[str, Any] = {"n_resamples": 30}
    yield "answers weighted", lambda _: concord.score_answers(rated, weights="weight", **options)
    yield "answers", lambda _: concord.score_answers(plain, level=0.9, **options)
    chosen = [
        {"outcome": "side", "human": "ABC"[int(rng.integers(3))], "agent": "AB"[int(rng.random() < 0.3)]}
        for _ in range(120)
    ]
    yield "answers chosen", lambda _: concord.score_answers(chosen, **options)
    people = rng.normal(size=90)
    paired: Rows = [
        {
            "person": f"p{i}",
            "outcome": outcome,
            "human": float(round(y + k, 2)),
            "agent": float(round(0.5 * y + k + 0.5 * noise, 2)),
        }
        for i, (y, noise) in enumerate(zip(people, rng.normal(size=90), strict=True))
        for k, outcome in enumerate(("trust", "risk"))
    ]
    yield "answers of persons", lambda _: concord.score_answers(paired, **options)
    both = [row | {"model": "one"} for row in paired] + [
        row | {"model": "two", "agent": round(row["agent"] * 0.5 + 0.3, 2)} for row in paired
    ]
    yield "answers of two models", lambda _: concord.score_answers(both, agent_column="model", **options)
    still = [{"outcome": "o", "human": int(rng.integers(1, 6)), "agent": 3} for _ in range(60)]
    yield "answers that never vary", lambda _: concord.score_answers(still, **options)
    twins = pl.read_parquet(Path(api.demo_table()).parent / "public" / "twin_2k_500_answers.parquet")
    yield "answers of twins", lambda _: concord.score_answers(twins.head(1500), **options)


def _predictions() -> Iterator[tuple[str, Case]]:
    rng = np.random.default_rng(7)

    def effects(agents: int, **columns: Any) -> Rows:
        return [
            {
                "study": f"S{s}",
                "condition": f"c{c}",
                "outcome": f"o{c % 2}",
                "human_estimate": h,
                "human_se": 0.2,
                "agent": f"a{k}",
                "agent_estimate": round(0.6 * h + 0.5 * float(rng.normal()), 2),
                "human_n": 120,
                **columns,
            }
            for s in range(5)
            for c in range(4)
            for h in [round(float(rng.normal()), 2)]
            for k in range(agents)
        ]

    one, two = effects(1), effects(2, agent_se=0.1)
    shared = effects(2, control="placebo", human_sd=2.0)
    yield "predictions", lambda _: concord.score_predictions(one, level=0.9)
    yield "predictions of two", lambda _: concord.score_predictions(two)
    yield "predictions with a control", lambda _: concord.score_predictions(shared)
    yield "predictions of one study", lambda _: concord.score_predictions(one[:4])
    cells = [
        {
            "condition": c,
            "outcome": o,
            "mean": round(4 + i / 5 + k / 7, 2),
            "sd": 1.1 + 0.1 * k,
            "n_eff": 200.5,
        }
        for k, o in enumerate(("trust", "risk"))
        for i, c in enumerate(["control", "a", "b", "c", "d"])
    ]
    team = [row | {"mean": row["mean"] + 0.1 * (-1) ** i, "sd": 0.6} for i, row in enumerate(cells)]
    yield "predictions of cells", lambda _: concord.score_predictions(cells, team)
    sdc = Path(__file__).parents[1] / "data" / "sdc_effects.csv"
    yield "predictions published", lambda _: concord.score_predictions(sdc)


def _mixed() -> Iterator[tuple[str, Case]]:
    rng = np.random.default_rng(9)

    def table(n: int, start: int = 0, *, shift: float = 0.0) -> Rows:
        y = rng.normal(size=n) + shift
        f = 0.7 * y + 0.7 * rng.normal(size=n) + 0.5
        return [
            {
                "person": f"p{start + i}",
                "answer": round(float(y[i]), 4),
                "prediction": round(float(f[i]), 4),
                "arm": "xy"[i % 2],
                "site": f"site{i % 9}",
                "age": int(20 + i % 40),
            }
            for i in range(n)
        ]

    people, more = table(90), table(400, 1000)
    for row in more:
        del row["answer"]
    bare = [{key: row[key] for key in ("person", "answer", "prediction")} for row in people]
    rest = [{"prediction": row["prediction"]} for row in more]
    yield "combine", lambda _: concord.combine(bare, rest, level=0.9)
    yield "combine arms", lambda _: concord.combine(people, more)
    yield "combine clusters", lambda _: concord.combine(people, more, cluster="site")
    yield "combine strata", lambda _: concord.combine(people, more, stratum="arm")
    yield "combine regression", lambda _: concord.combine(people, more, regress=["age"])
    yes = [row | {"answer": int(row["answer"] > 0), "prediction": int(row["prediction"] > 0)} for row in bare]
    shares = [{"prediction": int(row["prediction"] > 0)} for row in rest]
    yield "combine shares", lambda _: concord.combine(yes, shares)
    scale: dict[str, Any] = {"scale_min": -10.0, "scale_max": 10.0}
    looked = concord.combine_sequential
    yield "sequential", lambda _: looked(bare, rest, **scale)
    yield "sequential any", lambda _: looked(bare, rest, stop="any", width=0.3, **scale)
    yield (
        "sequential maximum",
        lambda _: looked(
            bare, rest, stop="any", max_people=400, width=0.2, cost_person=5.0, cost_reply=0.01, **scale
        ),
    )
    yield "sequential decide", lambda _: looked(bare, rest, decide=0.1, exact=True, **scale)
    yield "sequential shares", lambda _: looked(yes, shares, scale_min=0, scale_max=1, planned_people=200)
    one_arm = [[row for row in part if row["arm"] == "x"] for part in (people, more)]
    yield "sequential clusters", lambda _: looked(*one_arm, cluster="site", **scale)
    yield "sequential strata", lambda _: looked(people, more, stratum="arm", **scale)

    def second(folder: Path) -> Any:
        looked(bare[:50], rest, **scale).write(folder / "state")
        return looked(bare[50:], rest, state=folder / "state", width=0.4)

    yield "sequential second look", second


def _studies() -> Iterator[tuple[str, Case]]:
    for name in ("framing", "guessing-game", "trust-game", "side-effect", "representativeness"):

        def asked(_: Path, name: str = name) -> Any:
            done = studies.run(studies.plan([name], n=30), PeopleLike(SCRIPTS[name], 1), n_resamples=10)
            return done

        yield f"study {name}", asked

    def lost(_: Path) -> Any:
        rng = np.random.default_rng(3)

        def agent(question: studies.Question) -> str:
            effect = question.condition["effect"]
            if rng.uniform() < (0.4 if effect == "harm" else 0.05):
                return "It is hard to say."
            letter = "A" if rng.uniform() < (0.8 if effect == "harm" else 0.3) else "B"
            return f"1. {rng.integers(1, 6)}\n2. {letter}"

        return studies.run(studies.plan(["side-effect"], n=30, seed=3), agent, n_resamples=0, n_simulations=0)

    yield "study with lost answers", lost


def _structure() -> Iterator[tuple[str, Case]]:
    one = samples("one", n=24)
    two = pl.concat([one, samples("two", n=24, noise=0.3, seed=1)])
    moved = one.with_columns(
        S_Acc=pl.when(pl.col("arrangement") == "CC").then(pl.col("S_Acc") * 0.7).otherwise(pl.col("S_Acc"))
    )
    right = two.with_columns(S_Acc=(pl.col("S_Acc") > 0.5).cast(float))
    fast: dict[str, Any] = {"resamples": 200}
    for reading in ("peak", "paired"):
        yield (
            f"structure {reading}",
            lambda _, r=reading: concord.score_structure(scores=two, reading=r, **fast),
        )
        yield (
            f"structure moved {reading}",
            lambda _, r=reading: concord.score_structure(scores=moved, reading=r, level=0.9, **fast),
        )
    yield "structure right or wrong", lambda _: concord.score_structure(scores=right, chance=0.25, **fast)
    yield "structure baseline", lambda _: concord.score_structure(scores=two, baseline="AB", **fast)
    grouped = two.with_columns(family=pl.col("item").str.slice(1, 2))
    yield "structure clusters", lambda _: concord.score_structure(scores=grouped, cluster="family", **fast)
    hundred = two.with_columns(S_Acc=pl.col("S_Acc") * 100)
    yield "structure percent", lambda _: concord.score_structure(scores=hundred, percent=True, **fast)
    ones = one.filter(pl.col("sample") == 0)
    yield "structure one sample", lambda _: concord.score_structure(scores=ones, **fast)


def _judges() -> Iterator[tuple[str, Case]]:
    for vote in (judged.always_first, judged.fair_coin, judged.consistent, judged.length_lover):
        rows = judged.rows(vote, n=40)
        yield f"judge {vote.__name__}", lambda _, r=rows: concord.score_judge(r, n_permutations=99)
    both = [row | {"judge": "a"} for row in judged.rows(judged.fair_coin, n=30, seed=2)] + [
        row | {"judge": "b"} for row in judged.rows(judged.length_lover, n=30, seed=2)
    ]
    yield "judges", lambda _: concord.score_judge(both, n_permutations=99, level=0.9)
    rng = np.random.default_rng(5)
    human = [
        row | {"human": "a" if rng.random() < 0.6 else "b"}
        for row in judged.rows(judged.length_lover, n=40, seed=4)
    ]
    yield "judge with people", lambda _: concord.score_judge(human, n_permutations=99)
    once = [row for row in judged.rows(judged.consistent, n=30, k=1, seed=6)]
    yield "judge once", lambda _: concord.score_judge(once, n_permutations=99)
    tied = [row | {"verdict": "tie"} if rng.random() < 0.3 else row for row in once]
    yield "judge with ties", lambda _: concord.score_judge(tied, n_permutations=99)
    lost = [row | {"verdict": None} if rng.random() < 0.2 else row for row in once]
    yield "judge with lost votes", lambda _: concord.score_judge(lost, n_permutations=99)
    seats = pl.read_parquet(api.public_table("judges-seats"))
    two = seats.filter(pl.col("judge").is_in(seats["judge"].unique(maintain_order=True)[:2].to_list()))
    yield "judges of public seats", lambda _: concord.score_judge(two, n_permutations=99)
    bar = pl.read_parquet(api.public_table("judges-llmbar")).filter(
        (pl.col("model") == "ChatGPT-0301") & (pl.col("strategy") == "CoT")
    )
    yield "judge of LLMBar", lambda _: concord.score_judge(bar, n_permutations=99)

    def rated(label: float, noise: float, judges: int, levels: bool) -> Rows:
        own, made = np.random.default_rng(8), Rows()
        for i in range(30):
            for k, system in enumerate(("gpt-4o", "claude-3", "llama-3")):
                quality, log2, labelled = 5 + own.normal(), own.normal(8, 0.8), own.random() < label
                for judge in range(judges):
                    for repeat in range(2):
                        score = quality + 0.4 * (log2 - 8) + 0.5 * (k == judge) + noise * own.normal()
                        kept = quality if labelled else None
                        if levels:
                            score, kept = round(score), None if kept is None else round(kept)
                        made.append(
                            {
                                "item": i,
                                "system": system,
                                "judge": ("gpt-4", "claude-3")[judge],
                                "repeat": repeat,
                                "score": score,
                                "length": 2**log2,
                                "human": kept,
                            }
                        )
        return made

    for name, options in {
        "scores": (0.5, 0.5, 1, False),
        "scores of two judges": (1.0, 0.8, 2, False),
        "levels": (0.7, 0.4, 2, True),
        "scores without people": (0.0, 0.3, 1, False),
    }.items():
        yield f"judge's {name}", lambda _, o=options: concord.score_judge(rated(*o))
    truth = rng.random(300) < 0.6
    passed = np.where(rng.random(300) < 0.85, truth, ~truth)
    rates = [
        {
            "item": i,
            "judge": "j",
            "system": "ab"[i % 2],
            "score": int(s),
            "human": int(h) if i < 120 else None,
        }
        for i, (s, h) in enumerate(zip(passed, truth, strict=True))
    ]
    yield "judge's pass rate", lambda _: concord.score_judge(rates)


def _options() -> Iterator[tuple[str, Case]]:
    yield "options biased", lambda _: options_of("m", 0.4, 0.6)
    yield "options fair", lambda _: options_of("m", 0.0, 0.5, seed=3)
    yield "options perfect", lambda _: options_of("m", 0.0, 1.0)
    rng = np.random.default_rng(2)
    rows = [
        {
            "item": f"q{i}",
            "arrangement": f"r{k}",
            "chosen": "ABCD"[int(rng.integers(4)) if rng.random() < 0.5 else k],
            "right": "ABCD"[k],
            "n_options": 4,
        }
        for i in range(25)
        for k in range(4)
    ]
    yield "options table", lambda _: concord.score_options(rows, n_permutations=99, level=0.9)
    lost = [row | {"chosen": None} if rng.random() < 0.15 else row for row in rows]
    yield "options with lost answers", lambda _: concord.score_options(lost, n_permutations=99)


AGENTS: dict[str, tuple[Callable[..., Any], int, int]] = {
    "early": (probed.early, 25, 20),
    "filler": (probed.Filler().rows, 40, 30),
    "mistake": (probed.FollowsMistakes().rows, 25, 20),
    "paraphrase": (probed.Rewords().rows, 25, 20),
    "pairs": (probed.Pairs().rows, 30, 20),
}
"""Scripted agents of every probe, with many items and with few."""


def _probes() -> Iterator[tuple[str, Case]]:
    for name, (rows, n, _) in AGENTS.items():
        yield (
            f"probe {name}",
            lambda _, rows=rows, n=n: score_probe_rows(rows(np.random.default_rng(1), n), model="m"),
        )


def _hints() -> Iterator[tuple[str, Case]]:
    def rows(model: str, moved: float, seed: int, *, lost: float = 0.0, kinds: int = 2) -> Rows:
        rng, made = np.random.default_rng(seed), Rows()
        for i in range(40):
            for kind in ("none", "sycophancy", "metadata")[: kinds + 1]:
                follows = kind != "none" and rng.random() < moved
                answer = "B" if follows else "AC"[int(rng.random() < 0.2)]
                made.append(
                    {
                        "id": f"q{i}",
                        "model": model,
                        "target": "B",
                        "kind": kind,
                        "n_options": 4,
                        "gold": "A",
                        "answer": None if rng.random() < lost else answer,
                        "mention_thinking": bool(rng.random() < 0.6),
                        "mention_answer": bool(rng.random() < 0.3),
                        "reliance_thinking": bool(rng.random() < 0.4),
                        "reliance_answer": bool(rng.random() < 0.2),
                    }
                )
        return made

    yield "hints", lambda _: concord.score_hints(rows("one", 0.4, 1), level=0.9)
    yield "hints with lost answers", lambda _: concord.score_hints(rows("one", 0.4, 2, lost=0.15))
    yield (
        "hints of three",
        lambda _: concord.score_hints(
            [*rows("one", 0.4, 1), *rows("two", 0.1, 2), *rows("three", 0.35, 3, kinds=1)]
        ),
    )
    yield "hints published", lambda _: concord.score_hints("published")
    recent = pl.read_parquet(api.public_table("reasoning-turpin-2026"))
    yield "hints of a public table", lambda _: concord.score_hints(recent)


def _reasoning() -> Iterator[tuple[str, Case]]:
    def scored(rules: str, *, seed: int, n: int = 24, bias: bool = True, **options: Any) -> Any:
        rng = random.Random(seed)
        held = json.loads((DATA / "study_a_test.json").read_text("utf-8"))["samples"][:n]
        replies = replies_of(rng, held)
        for row in replies[6::9]:
            row["response"] = "I would rather not say."
        for sample in held:
            sample["site"] = f"site{len(sample['id']) + hash_of(sample['id']) % 5}"
        cases = json.loads((DATA / "biased_vignettes.json").read_text("utf-8"))["cases"][:12]
        biased = [
            {
                "id": one["id"],
                "response": f"REASONING: He sleeps badly. DIAGNOSIS: "
                f"{one['bias_label'] if rng.random() < 0.5 else one['gold_answer']}",
            }
            for one in cases
        ]
        more: dict[str, Any] = {"bias_cases": cases, "bias_replies": biased} if bias else {}
        return concord.score_reasoning(
            held, replies, rules=rules, model=f"m{seed}", n_resamples=200, **more, **options
        )

    for rules in ("standard", "source"):
        yield f"reasoning {rules}", lambda _, r=rules: scored(r, seed=1)
    yield "reasoning at .8", lambda _: scored("standard", seed=2, level=0.8, bias=False)
    yield "reasoning in clusters", lambda _: scored("standard", seed=3, cluster="site", bias=False)

    def leaky() -> Any:
        rng = random.Random(4)
        held = json.loads((DATA / "study_a_test.json").read_text("utf-8"))["samples"][:20]
        held[3]["gold_reasoning"] = []
        replies = [row for row in replies_of(rng, held) if row["id"] != held[5]["id"] or row["mode"] == "cot"]
        for i, row in enumerate(row for row in replies if row["mode"] == "direct"):
            if i % 4 == 0:
                row["response"] = f"{'He has felt low for weeks and sleeps badly. ' * 4}{row['response']}"
            elif i % 4 == 1:
                row["thinking"] = "Sleep, appetite and mood have all changed."
        return concord.score_reasoning(held, replies, model="leaky", n_resamples=200)

    yield "reasoning of direct answers with reasons", lambda _: leaky()

    def ranked(folder: Path, by: str) -> Any:
        return concord.rank_reasoning(
            [scored("standard", seed=seed, bias=False) for seed in (1, 2, 3)], by=by
        )

    for by in ("faithfulness_gap", "step_f1"):
        yield f"reasoning ranked by {by}", lambda folder, b=by: ranked(folder, b)

    def compared(folder: Path, metric: str) -> Any:
        for seed in (1, 2):
            scored("standard", seed=seed, bias=False).write(folder / str(seed))
        return concord.compare(folder / "1", folder / "2", metric=metric)

    for metric in ("gap", "correct_cot", "step_f1"):
        yield f"compare reasoning {metric}", lambda folder, m=metric: compared(folder, m)


def hash_of(text: str) -> int:
    """Return a number of a text that is the same in every run."""
    return sum(map(ord, text))


def _plans() -> Iterator[tuple[str, Case]]:
    kinds: tuple[tuple[str, dict[str, Any]], ...] = (
        (
            "items",
            {
                "means": (0.7, 0.65),
                "items": 500,
                "calls": 4000,
                "item_cost": 2,
                "cost_per_call": (0.001, 0.002),
            },
        ),
        (
            "items",
            {
                "sd_between": 0.4,
                "effect": 0.1,
                "items": 90,
                "cluster_size": 5,
                "cluster_correlation": 0.2,
                "cluster_cv": 0.5,
            },
        ),
        ("items", {"sd_between": 0.4, "sd_within": 0.3, "effect": 0.1, "calls": 900, "power": 0.9}),
        ("structure", {"accuracy": 0.7}),
        ("structure", {"noise_sd": 0.2, "order_sd": 0.08, "width": 0.1, "level": 0.9}),
        ("structure", {"accuracy": 0.6, "arrangements": 4, "repeats": 3, "items": 50}),
        ("participants", {"d": 0.4}),
        ("participants", {"d": 0.2, "power": 0.95, "level": 0.99}),
        ("mixed", {"correlation": 0.6, "sd": 1, "se": 0.05, "person_cost": 5, "reply_cost": 0.01}),
        ("mixed", {"correlation": 0.2, "sd": 2, "se": 0.1, "person_cost": 1, "reply_cost": 0.5}),
    )
    for i, (kind, options) in enumerate(kinds):
        yield f"plan {kind} {i}", lambda _, k=kind, o=options: concord.plan(k, **o)
    rng = np.random.default_rng(6)
    base = rng.random(60) < 0.6
    other = np.where(rng.random(60) < 0.8, base, ~base)

    def rows(scores: Any, repeats: int = 2) -> Rows:
        return [
            {
                "item": f"{i:02}",
                "repeat": r,
                "score": float(s if rng.random() < 0.9 else 1 - s),
                "family": i % 12,
            }
            for i, s in enumerate(scores)
            for r in range(repeats)
        ]

    first, second = rows(base), rows(other)
    yield "plan from a pilot", lambda _: concord.plan("items", first, second, effect=0.1, calls=2000)
    yield (
        "plan from a pilot in families",
        lambda _: concord.plan("items", first, second, cluster="family", effect=0.1),
    )
    yield (
        "plan judges",
        lambda _: concord.plan(
            "judges", concord.score_judge(judged.rows(judged.fair_coin, n=40), n_permutations=99), effect=0.1
        ),
    )
    yield (
        "plan judges with labels",
        lambda _: concord.plan(
            "judges",
            concord.score_judge(judged.rows(judged.length_lover, n=40), n_permutations=99),
            power=0.9,
        ),
    )


def _compared() -> Iterator[tuple[str, Case]]:
    rng = np.random.default_rng(12)
    base = rng.normal(size=50)

    def rows(scores: Any, **more: Any) -> Rows:
        return [
            {"item": i, "score": round(float(s), 3), "family": i % 10, **more} for i, s in enumerate(scores)
        ]

    a, b, c = (rows(base + shift + 0.5 * rng.normal(size=50)) for shift in (0.3, 0.0, 0.05))
    right = rng.random((3, 60)) < np.array([[0.8], [0.6], [0.62]])
    d, e, f = (rows(one) for one in right)
    yield "compare two", lambda _: concord.compare(a, b)
    yield "compare margin", lambda _: concord.compare(b, c, margin=0.4, level=0.9)
    yield "compare three", lambda _: concord.compare(a, b, c, n_flips=499)
    yield "compare shares", lambda _: concord.compare(d, e)
    yield "compare three shares", lambda _: concord.compare(d, e, f)
    yield "compare clusters", lambda _: concord.compare(a, b, cluster="family")
    yield "compare shares in clusters", lambda _: concord.compare(d, e, cluster="family")
    twice = [
        [row | {"repeat": r, "score": row["score"] + 0.1 * r} for row in one for r in (0, 1)]
        for one in (a, b)
    ]
    yield "compare repeats", lambda _: concord.compare(*twice, repeat="repeat")
    for name, gate in (
        ("worse", lambda found: found.fail_if_worse(margin=0.02)),
        ("as good", lambda found: found.fail_unless_as_good(margin=0.3)),
    ):
        yield f"gate {name}", lambda _, g=gate: g(concord.compare(b, a, names=("new", "old")))
        yield f"gate {name} of three", lambda _, g=gate: g(concord.compare(d, e, f, names=("n", "o", "p")))
    turpin = pl.read_parquet(api.public_table("reasoning-turpin")).filter(
        (pl.col("model") == "text-davinci-003") & ~pl.col("few_shot") & (pl.col("bias") == "suggested_answer")
    )
    for metric in ("influence", "accuracy"):
        yield (
            f"compare conditions {metric}",
            lambda _, m=metric: concord.compare(turpin, by="reasoning", metric=m),
        )

    def people(folder: Path, **options: Any) -> Any:
        demo = pl.read_csv(api.demo_table())
        for name, factor in (("new", 0.8), ("old", 1.1)):
            moved = demo.with_columns(agent_statistic=pl.col("agent_statistic") * factor)
            concord.score_people(moved, model=name, n_resamples=10, n_simulations=20).write(folder / name)
        return concord.compare(folder / "new", folder / "old", **options)

    for metric in ("pas", "ecs", "apr"):
        yield f"compare people {metric}", lambda folder, m=metric: people(folder, metric=m)
    yield "compare as people", lambda folder: people(folder, as_people=True)

    def structures(folder: Path, **options: Any) -> Any:
        for seed, noise in enumerate((0.1, 0.3)):
            frame = samples(f"m{seed}", n=20, noise=noise, seed=seed)
            concord.score_structure(scores=frame, resamples=200).write(folder / str(seed))
        return concord.compare(folder / "0", folder / "1", **options)

    for metric in ("tau", "flip_excess", "worst", "S_Cons", "E_perf", "R_sens", "S_star"):
        yield f"compare structure {metric}", lambda folder, m=metric: structures(folder, metric=m)

    def judges(folder: Path, **options: Any) -> Any:
        for seed, vote in enumerate((judged.fair_coin, judged.length_lover)):
            found = concord.score_judge(judged.rows(vote, n=30, seed=3), judge=f"j{seed}", n_permutations=99)
            found.write(folder / str(seed))
        return concord.compare(folder / "0", folder / "1", **options)

    for metric in ("flip_excess", "inconsistency", "preference", "ties"):
        yield f"compare judges {metric}", lambda folder, m=metric: judges(folder, metric=m)


def _families() -> Iterator[tuple[str, Case]]:
    kinds: dict[str, list[dict[str, Any]]] = {
        "wilcoxon": [{"statistic": 40, "n": 20, "p_value": 0.02}, {"statistic": 90, "n": 24}],
        "kruskal-wallis": [{"statistic": 9.1, "df1": 2, "n": 60}, {"statistic": 2.0, "df1": 2, "n": 90}],
        "fisher-exact": [{"table": "[[8, 2], [1, 9]]"}, {"table": "[[30, 20], [25, 25]]"}],
        "z-test": [{"statistic": 2.4, "n": 90}, {"statistic": -0.6, "n": 200}],
        "coefficient": [{"statistic": 0.4, "se": 0.15, "n": 80}, {"statistic": 0.1, "se": 0.1, "n": 200}],
        "t-paired": [{"statistic": 2.2, "n": 30}, {"statistic": 0.4, "n": 100}],
        "anova-within": [
            {"statistic": 5.0, "df1": 2, "df2": 58, "n": 30, "direction": 1},
            {"statistic": 1.1, "df1": 2, "df2": 198, "n": 100, "direction": -1},
        ],
    }
    for kind, (human, agent) in kinds.items():
        rows = [
            {"study": f"S{i}", "finding": "F", "test": f"t{i}", "test_type": kind}
            | {f"human_{key}": value for key, value in human.items()}
            | {f"agent_{key}": value for key, value in agent.items()}
            for i in range(2)
        ]
        yield f"people {kind}", lambda _, r=rows: concord.score_people(r, n_resamples=20, n_simulations=20)


def _files() -> Iterator[tuple[str, Case]]:
    for name, write, data, kind, command in FILES:

        def looked(folder: Path, name: str = name, write: Any = write, data: Any = data) -> Any:
            write(folder / name, data)
            return [vars_of(concord.check(folder / name)), "no words"]

        if write is not as_survey:
            yield f"check {name} {kind} {command}".replace("/", " "), looked


def vars_of(found: Any) -> Any:
    """Return a record as a document."""
    return {name: value for name, value in asdict(found).items() if name not in ("path", "file")}


ITEM = ArrangedItem(
    "q",
    text="one two three",
    question="What is the capital of France?",
    options=("Paris", "London", "Rome", "Bonn"),
    answer="A",
    reference="Paris",
    sentences=("First.", "Then.", "At last."),
    paraphrases=("Which city governs France?", "France's capital is?"),
)
SET = ItemSet((ITEM,), "options", "choice", "{text}", ("shot one", "shot two", "shot three"))
ASKED = Asked(ITEM, "options", "ABCD")


def _texts() -> Iterator[tuple[str, Case]]:
    for paper in (*OPEN, *CLOSED):
        if paper.ending == "txt":

            def drafted(folder: Path, paper: Any = paper) -> Any:
                path = folder / "paper.txt"
                path.write_text("\n".join(map(str, paper.parts)), "utf-8")
                return draft_study(path)

            yield f"draft {paper.name}", drafted
    yield (
        "scores of replies",
        lambda _: {
            f"{scorer} {reply[:12]}": tuple(get_scorer(scorer)(reply, ASKED))
            for scorer in ("exact", "chrf2", "token-f1", "choice")
            for reply in ("Paris", "It is Paris, I think", "B", "London is the capital", "", "A) Paris")
        },
    )
    yield (
        "calibration",
        lambda _: [
            calibrate("chrf", lambda a, b: chrf(a, b) or 0.0, language, level=level)
            for language, level in (("en", 0.95), ("ko", 0.9))
        ],
    )
    yield (
        "arrangements",
        lambda _: {
            name: [list(map(str, one)) for one in get_arranger(name)(ITEM, SET, 4)]
            for name in ("options", "options-cyclic", "sentences", "formats", "option-ids")
        },
    )


def _structure_files() -> Iterator[tuple[str, Case]]:
    def sheets(folder: Path, **options: Any) -> Any:
        rng = np.random.default_rng(3)
        for side in ("mean", "max"):
            (folder / side).mkdir()
            for model in ("one", "two"):
                for name in ("ABC", "BCA", "CAB", "ACB"):
                    scores = np.round(rng.beta(4, 2, 24) ** (0.5 if side == "max" else 1), 3)
                    frame = pl.DataFrame({"item": [f"i{i}" for i in range(24)], "S_Acc": scores})
                    frame.write_csv(folder / side / f"{model}_{name}.csv")
        return concord.score_structure(folder / "mean", folder / "max", resamples=200, **options)

    yield "structure folders", lambda folder: sheets(folder)
    recorded = Path(__file__).parents[1] / "data" / "structure" / "scores.csv"
    yield "structure recorded", lambda _: concord.score_structure(scores=recorded, resamples=200)


def _more_people() -> Iterator[tuple[str, Case]]:
    rng = np.random.default_rng(21)
    wide = [
        {
            "resp_id": 100 + i,
            "source": "human" if i < 60 else "gpt",
            "age": int(20 + i % 50),
            **{
                f"q{k}": int(rng.integers(1, 6)) if i < 60 else int(np.clip(rng.normal(3, 0.7), 1, 5))
                for k in range(4)
            },
        }
        for i in range(120)
    ]
    yield "answers in columns", lambda _: concord.score_answers(wide, n_resamples=20)
    yield "answers chosen columns", lambda _: concord.score_answers(wide, questions="q0,q2", n_resamples=20)
    human = [{key: row[key] for key in ("resp_id", "q0", "q1", "q2")} for row in wide[:60]]
    agent = [{key: row[key] for key in ("resp_id", "q0", "q1", "q2")} for row in wide[60:]]
    yield "answers in two files", lambda _: concord.score_answers(human, agent, n_resamples=20)
    coded = [row | {"q0": 99 if i % 9 == 0 else row["q0"]} for i, row in enumerate(wide)]
    yield "answers with codes", lambda _: concord.score_answers(coded, missing="99", n_resamples=20)
    respondents = [
        {"study": "mega", "condition": c, "outcome": "y", "answer": round(float(rng.normal(0.2 * k, 1)), 3)}
        for k, c in enumerate(("control", "c1", "c2", "c3", "c4"))
        for _ in range(40)
    ]
    effects = [
        {
            "study": "mega",
            "condition": f"c{k}",
            "outcome": "y",
            "control": "control",
            "human_estimate": 0.2 * k,
            "human_se": 0.22,
            "human_sd": 1.0,
            "agent": a,
            "agent_estimate": 0.15 * k + 0.05 * (-1) ** k * f,
        }
        for k in range(1, 5)
        for a, f in (("a", 1), ("b", 3))
    ]
    yield (
        "predictions with respondents",
        lambda _: concord.score_predictions(effects, respondents=respondents),
    )
    for seed, model in ((1, False), (2, True)):
        yield f"memory {seed}", lambda _, s=seed, m=model: verdict(s, plans(4), from_memory=m)
    for name in sorted(SCRIPTS):
        if f"study {name}" not in ASKED_STUDIES:

            def asked(_: Path, name: str = name) -> Any:
                plans = studies.plan([name], n=12)
                return studies.run(plans, PeopleLike(SCRIPTS[name], 1), n_resamples=0, n_simulations=0)

            yield f"study {name} in small", asked
    yield "plan people", lambda folder: concord.plan("participants", _scored(folder), power=0.9)
    yield "plan options", lambda folder: concord.plan("options", _options_folder(folder), effect=0.1)


def _scored(folder: Path) -> Path:
    concord.score_people(api.demo_table(), n_resamples=10, n_simulations=10).write(folder / "scored")
    return folder / "scored"


def _options_folder(folder: Path) -> Path:
    options_of("m", 0.3, 0.5).write(folder / "options")
    return folder / "options"


def _more_compared() -> Iterator[tuple[str, Case]]:
    def chosen(folder: Path, metric: str) -> Any:
        for i, (bias, knows) in enumerate(((0.4, 0.5), (0.1, 0.6))):
            options_of(f"m{i}", bias, knows, seed=i).write(folder / str(i))
        return concord.compare(folder / "0", folder / "1", metric=metric)

    for metric in ("consistency", "option_flips", "first_option", "last_option", "rstd"):
        yield f"compare options {metric}", lambda folder, m=metric: chosen(folder, m)
    tools = Path(__file__).parents[1] / "data" / "tools"
    yield (
        "compare deepeval",
        lambda _: concord.compare(
            tools / "deepeval_alpha.json", tools / "deepeval_beta.json", metric="Grade"
        ),
    )
    yield (
        "compare lm-eval",
        lambda _: concord.compare(
            *(next((tools / name).glob("samples_sums_mc_*")) for name in ("lm1", "lm2")), metric="acc,none"
        ),
    )
    yield "compare promptfoo", lambda _: concord.compare(tools / "promptfoo.json")
    yield (
        "options of Inspect",
        lambda _: concord.score_options(tools / "inspect_options.eval", n_permutations=99),
    )
    yield "answers of EDSL", lambda _: concord.score_judge(tools / "edsl_judge.json")

    def agents(folder: Path, metric: str) -> Any:
        demo = pl.read_csv(api.demo_table())
        several = pl.concat(
            [
                demo.with_columns(agent=pl.lit(name), agent_statistic=pl.col("agent_statistic") * factor)
                for name, factor in (("x", 0.9), ("y", 0.5), ("z", 0.7))
            ]
        )
        concord.score_people(several, n_resamples=5, n_simulations=20).write(folder / "many")
        return concord.compare(*(folder / "many" / name for name in "xyz"), metric=metric)

    for metric in ("pas", "ecs"):
        yield f"compare agents {metric}", lambda folder, m=metric: agents(folder, m)


def _watched() -> Iterator[tuple[str, Case]]:
    """Return cases of answers under arrangements, lost replies, pilots and studies of one's own."""
    rng = np.random.default_rng(31)

    def answered(model: str, steady: float, lost: float = 0.0) -> Rows:
        made = Rows()
        for i in range(26):
            usual = "ABCD"[int(rng.integers(4))]
            for arrangement in ("r0", "r1", "r2"):
                for sample in range(3):
                    answer = usual if rng.random() < steady else "ABCD"[int(rng.integers(4))]
                    row = {"model": model, "item": f"i{i}", "arrangement": arrangement, "sample": sample}
                    made.append(
                        row | {"answer": answer, "S_Acc": float(answer == "A"), "family": f"f{i % 8}"}
                    )
        return [row | {"answer": None, "S_Acc": None} if rng.random() < lost else row for row in made]

    one, two = answered("one", 0.8), answered("two", 0.5)
    lossy = answered("lossy", 0.7, 0.1)
    fast: dict[str, Any] = {"resamples": 200}
    yield "structure answers", lambda _: concord.score_structure(scores=[*one, *two], **fast)
    yield "structure answers of one", lambda _: concord.score_structure(scores=one, level=0.9, **fast)
    yield "structure lost answers", lambda _: concord.score_structure(scores=lossy, **fast)
    yield (
        "structure answers in families",
        lambda _: concord.score_structure(scores=[*one, *two], cluster="family", reading="paired", **fast),
    )

    def structures(folder: Path, metric: str) -> Any:
        concord.score_structure(scores=[*one, *two], **fast).write(folder / "both")
        return concord.compare(folder / "both", metric=metric)

    for metric in ("tau", "flip_excess", "worst"):
        yield f"compare arrangements {metric}", lambda folder, m=metric: structures(folder, m)

    def lost(rows: Any, seed: int) -> Any:
        own = np.random.default_rng(seed)
        return [
            replace(row, outcome="no answer", answer=None) if own.random() < 0.15 else row for row in rows
        ]

    for name, (rows, _, n) in AGENTS.items():
        yield (
            f"probe {name} with lost answers",
            lambda _, rows=rows, n=n: score_probe_rows(
                lost(rows(np.random.default_rng(2), n), 5), model="m", level=0.9
            ),
        )
        yield (
            f"probe {name} of few",
            lambda _, rows=rows, n=n: score_probe_rows(rows(np.random.default_rng(3), n)[:40], model="m"),
        )
    leaky = [replace(row, leaked=i % 3 == 0) for i, row in enumerate(probed.Filler().rows(rng, 20))]
    yield "probe with reasoning of its own", lambda _: score_probe_rows(leaky, model="m")
    chains = [replace(row, repeat=r) for r in (0, 1) for row in probed.early(np.random.default_rng(7), 12)]
    yield "probe of two chains each", lambda _: score_probe_rows(chains, model="m")
    hinted = probed.Hinted(kinds=("sycophancy", "metadata")).rows(np.random.default_rng(4), 30)
    yield "hints scripted", lambda _: score_hint_rows(hinted)
    yield "hints scripted with lost answers", lambda _: score_hint_rows(lost(hinted, 6))


def _pilots() -> Iterator[tuple[str, Case]]:
    rng = np.random.default_rng(32)
    y = rng.normal(size=80)
    people = [
        {"person": f"p{i}", "answer": float(a), "prediction": float(a + rng.normal())}
        for i, a in enumerate(y)
    ]
    more = [{"prediction": float(one)} for one in rng.normal(size=200)]
    prices: dict[str, Any] = {"se": 0.05, "person_cost": 5.0, "reply_cost": 0.01}
    yield "plan mixed from a pilot", lambda _: concord.plan("mixed", concord.combine(people, more), **prices)
    yield (
        "plan mixed from batches",
        lambda _: concord.plan(
            "mixed", concord.combine_sequential(people, more, scale_min=-9, scale_max=9), **prices
        ),
    )
    yield (
        "plan mixed looked at",
        lambda _: concord.plan("mixed", concord.combine(people, more), sequential=True, **prices),
    )
    rated = [
        {
            "item": i,
            "system": s,
            "judge": j,
            "repeat": k,
            "score": float(q + rng.normal()),
            "human": float(q) if i % 2 else None,
        }
        for i in range(60)
        for s in ("a", "b")
        for q in [rng.normal(5, 1)]
        for j in ("j", "k")
        for k in range(2)
    ]
    yield "plan labels", lambda _: concord.plan(concord.score_judge(rated), width=0.4)
    yield (
        "plan labels of one judge",
        lambda _: concord.plan(
            concord.score_judge([row for row in rated if row["judge"] == "j"]), width=0.2, level=0.9
        ),
    )
    yield "plan repeats without noise", lambda _: concord.plan("items", means=(0.7, 0.6), repeats=3)
    for name, effect in (("framing", 0.5), ("trust-game", 0.3), ("anchoring", 0.2)):
        if name in bundled_studies():
            yield (
                f"plan study {name}",
                lambda _, n=name, e=effect: concord.plan("study", n, effect=e, power=0.9),
            )

    def own(folder: Path) -> Any:
        (folder / "mine.yaml").write_text(STUDY, "utf-8")
        return concord.plan("study", folder / "mine.yaml", effect=0.6)

    yield "plan study of one's own", own

    def structures(folder: Path) -> Any:
        frame = pl.concat([samples("m", n=20), samples("k", n=20, noise=0.3, seed=2)])
        concord.score_structure(scores=frame, resamples=200).write(folder / "pilot")
        return concord.plan("structure", folder / "pilot", width=0.1)

    yield "plan structure from a pilot", structures

    def two_results(folder: Path) -> Any:
        demo = pl.read_csv(api.demo_table())
        for name, factor in (("a", 0.8), ("b", 0.4)):
            moved = demo.with_columns(agent_statistic=pl.col("agent_statistic") * factor)
            concord.score_people(moved, n_resamples=5, n_simulations=10).write(folder / name)
        return concord.plan("participants", folder / "a", folder / "b", power=0.9)

    yield "plan studies for two models", two_results
    described = list(bundled_studies().values())[:6]
    yield (
        "studies described",
        lambda _: [[summary(one), human_sides(one), published_effects(one)] for one in described],
    )


def _sheets() -> Iterator[tuple[str, Case]]:
    """Return what printed statistics, spellings of cells and workbooks of others are read as."""

    def printed(text: str) -> Any:
        try:
            found = parse_apa(text)
        except ApaError as fault:
            return [text, str(fault)]
        return {"read": asdict(found), "checked": asdict(check_apa(found))}

    for start in range(0, len(WRITTEN), 25):
        part = [text for text, *_ in WRITTEN[start : start + 25]]
        yield f"printed statistics {start}", lambda _, p=part: [{str(i): printed(t) for i, t in enumerate(p)}]
    for start in range(0, len(VERDICTS), 25):
        part = [text for text, _ in VERDICTS[start : start + 25]]
        yield f"checked statistics {start}", lambda _, p=part: [{str(i): printed(t) for i, t in enumerate(p)}]
    for start in range(0, len(SPELLINGS), 20):
        rows = [
            {"Study": "S", "Effect": f"e{i}", "Human result": cell}
            for i, (cell, *_) in enumerate(SPELLINGS[start : start + 20])
        ]
        yield f"spellings {start}", lambda _, r=rows: read_tests(r)
    for number, book in BOOKS.items():
        yield f"workbook {number}", lambda folder, b=book: read_tests(b.write(folder / "book.xlsx"))


def read_tests(source: Any) -> Any:
    """Return every row of a table of tests, row by row."""
    found = read_agents(source, strict=False)
    tables = {"": found} if isinstance(found, TestTable) else found
    return {name: {str(i): asdict(row) for i, row in enumerate(table.rows)} for name, table in tables.items()}


ASKED_STUDIES = {f"study {name}" for name in ("framing", "guessing-game", "trust-game", "side-effect")}


def _runs() -> Iterator[tuple[str, Case]]:
    if find_spec("inspect_ai") is not None:
        from tests.kept.asked import run_cases

        yield from run_cases()


GROUPS = (
    *(_people, _families, _by_hand, _answers, _predictions, _mixed, _studies, _more_people, _structure),
    *(_structure_files, _judges, _options, _probes, _hints, _reasoning, _plans, _compared, _more_compared),
    *(_watched, _pilots, _sheets, _files, _texts, _runs),
)
for _group in GROUPS:
    for _name, _made in _group():
        case(_name, _made)
