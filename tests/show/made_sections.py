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
from concord.people.studies.before import DescribedCell, DescribedTest, StudyDescription
from concord.reasoning.probes.result import ProbeResult
from concord.reasoning.probes.score import score_probe_rows
from concord.records import Estimate, Interval


def _write_newer(folder: Path, rng: np.random.Generator) -> None:
    """Write people asked until enough, a judge that gives scores, conditions, a study before people."""
    asked = [{"person": f"p{i}", "answer": float(y), "prediction": float(y + rng.normal())}
             for i, y in enumerate(rng.normal(size=60))]  # fmt: skip
    more = [{"prediction": float(value)} for value in rng.normal(size=300)]
    api.combine_sequential(asked, more, scale_min=-10.0, scale_max=10.0).write(folder / "sequential")
    scores = [{"item": i, "system": system, "judge": "j", "repeat": k, "score": float(rng.normal(5, 1)),
               "human": float(rng.normal(5, 1))}
              for i in range(20) for system in ("a", "b") for k in range(2)]  # fmt: skip
    api.score_judge(scores).write(folder / "scores")
    answered = [{"model": "m", "item": i, "prompt": prompt, "gold": "A",
                 "answer": "AB"[int(rng.random() < 0.4)]} for i in range(40) for prompt in "pq"]  # fmt: skip
    api.compare(answered, by="prompt").write(folder / "conditions")
    test = DescribedTest("framing", "F1", "gain against loss", "t-test", True, 2.5, None, 38.0, 0.02, True)
    cell = DescribedCell("framing", "e1", "gain", "choice", 20, 3.5, 1.0)
    StudyDescription((test,), (cell,), "m").write(folder / "described")


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
    delta = Estimate(0.3, note="no interval: 1 study, or no spread between them")
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
    _write_newer(folder, rng)
    api.score_hints("published").write(folder / "board")
    for kind in (AuditResult, PeopleAudit, StructureAudit, HintAudit):
        rate = AuditRate("cot", 40, 20, 1, Estimate(0.05, Interval(0.01, 0.24, 0.95, "wilson"), n=20))
        kind("m", "reasoning", (rate,), (rate,), rate.rate).write(folder / kind.FILE.removesuffix(".json"))
    return folder
