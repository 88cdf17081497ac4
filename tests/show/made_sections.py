"""Small results of every section of the page."""

from pathlib import Path

import numpy as np
import polars as pl
from tests.reasoning.probes.scripted import Filler, FollowsMistakes, Hinted, Pairs, early
from tests.structure.judging import scripted
from tests.structure.options.scripted import result as option_result

from concord import api
from concord.audit.estimate import AuditRate, AuditResult, HintAudit, PeopleAudit, StructureAudit
from concord.people.memory import MemoryResult, Recognition, VariantPair
from concord.reasoning.probes.result import ProbeResult
from concord.reasoning.probes.score import score_probe_rows
from concord.records import Estimate, Interval


def write_sections(folder: Path) -> Path:
    """Write one small result for every section of the page."""
    rng = np.random.default_rng(4)
    table = pl.read_csv(api.demo_table())
    agents = pl.concat([table.with_columns(agent=pl.lit(name)) for name in ("scripted-1", "scripted-2")])
    api.score_people(agents, n_resamples=20, n_simulations=20).write(folder / "many")
    answers = [
        {"study": f"s{i % 3}", "outcome": f"o{i % 3}", "group": "ab"[i % 2],
         "human": int(rng.integers(1, 6)), "agent": int(rng.integers(2, 5))}
        for i in range(300)
    ]  # fmt: skip
    api.score_answers(answers, n_resamples=20).write(folder / "answers")
    effects = [
        {"study": f"s{i % 4}", "condition": str(i), "human_estimate": float(rng.normal()), "human_se": 0.4,
         "agent_estimate": float(rng.normal()), "human_n": 100, "agent": "m", "unit": "points"}
        for i in range(12)
    ]  # fmt: skip
    api.score_predictions(effects).write(folder / "predictions")
    known = Recognition("framing", recognised=True, year_right=True, n_directions=3, n_right=2, n_unknown=1)
    pair = VariantPair("framing", "flood", True, 0.8, 0.5, None, None, 3)
    delta = Estimate(0.3, note="no interval: 1 studies, or no spread between them")
    remembered = MemoryResult((known,), (pair,), delta, Estimate(None), "memory", "A sentence.", "m")
    remembered.write(folder / "memory")
    api.score_judge(scripted.rows(scripted.length_lover, n=10), judge="j").write(folder / "judge")
    option_result("m", 0.6, 0.9).write(folder / "options")
    rows = [*early(rng, 8), *Filler().rows(rng, 8), *FollowsMistakes().rows(rng, 8), *Pairs().rows(rng, 8)]
    hints = Hinted(kinds=("sycophancy", "grader")).rows(rng, 8)
    found = score_probe_rows(rows, hints, model="m")
    ProbeResult(found, tuple(rows), tuple(hints)).write(folder / "probes")
    people = pl.DataFrame([{"answer": i % 5, "prediction": i % 5 + i % 3} for i in range(60)])
    further = pl.DataFrame({"prediction": [9 + i % 4 for i in range(300)]})
    api.combine(people, further).write(folder / "mixed")
    api.score_hints("published").write(folder / "board")
    for kind in (AuditResult, PeopleAudit, StructureAudit, HintAudit):
        rate = AuditRate("cot", 40, 20, 1, Estimate(0.05, Interval(0.01, 0.24, 0.95, "wilson"), n=20))
        kind("m", "reasoning", (rate,), (rate,), rate.rate).write(folder / kind.FILE.removesuffix(".json"))
    return folder
