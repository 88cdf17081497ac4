"""Results of all three questions, made of bundled data and invented replies, some of them hostile."""

import json
import random
from pathlib import Path
from typing import Any

import polars as pl

import concord
from concord import api

DATA = Path(concord.__file__).parent / "reasoning" / "data"
HOSTILE = (
    "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'></script></style>"
    "\u202eturned\u202c \u05e9\u05dc\u05d5\u05dd \x00\x1b[31m\x07 & &lt;b&gt; {{ 7 * 7 }} end"
)
NAMES = ('lab/mödel "A" <b>bold</b> 😀', "plain-model", "=cmd()|' /C calc'!A0 " + "x" * 180)


def replies_of(rng: random.Random, samples: list[dict[str, Any]]) -> list[dict[str, Any]]:
    golds = [sample["gold_answer"] for sample in samples]
    rows = []
    for number, sample in enumerate(samples):
        for mode, skill in (("cot", 0.8), ("direct", 0.55)):
            answer = sample["gold_answer"] if rng.random() < skill else rng.choice(golds)
            steps = "".join(f"{i + 1}. {step}\n" for i, step in enumerate(sample["gold_reasoning"]))
            text = f"REASONING:\n{steps}DIAGNOSIS: {answer}" if mode == "cot" else f"DIAGNOSIS: {answer}"
            if number == 0:
                text = f"DIAGNOSIS: {HOSTILE}"
            rows.append({"id": sample["id"], "mode": mode, "response": text})
    return rows


def write_lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def write_reasoning(folder: Path, model: str, seed: int) -> None:
    rng = random.Random(seed)
    samples = json.loads((DATA / "study_a_test.json").read_text("utf-8"))["samples"][:30]
    cases = json.loads((DATA / "biased_vignettes.json").read_text("utf-8"))["cases"][:20]
    write_lines(folder / "replies.jsonl", replies_of(rng, samples))
    biased = [
        {"id": case["id"], "response": f"REASONING: He sleeps badly. DIAGNOSIS: {case['bias_label']}"}
        for case in cases
    ]
    write_lines(folder / "bias_replies.jsonl", biased)
    result = api.score_reasoning(
        samples, folder / "replies.jsonl", bias_cases=cases, bias_replies=folder / "bias_replies.jsonl",
        model=model, n_resamples=200,
    )  # fmt: skip
    result.write(folder)


def structure_rows(seed: int) -> pl.DataFrame:
    rng = random.Random(seed)
    rows = []
    for model in NAMES[:2]:
        for item in range(24):
            base = rng.random()
            for arrangement in ("ABC", "BCA", "CAB"):
                for sample in range(2):
                    score = min(1.0, max(0.0, base - 0.1 * (arrangement == "CAB") + rng.gauss(0, 0.05)))
                    rows.append(
                        {"model": model, "arrangement": arrangement, "item": f"item {item}",
                         "sample": sample, "S_Acc": score}
                    )  # fmt: skip
    return pl.DataFrame(rows)


def write_all(folder: Path) -> Path:
    """Write two results with people, one with itself, two with reasoning."""
    for seed, name in enumerate(("agent one", "agent two")):
        api.score_people(api.demo_table(), n_resamples=20, seed=seed).write(folder / name)
    api.score_structure(scores=structure_rows(3), reading="paired", resamples=200).write(folder / "order")
    for seed, name in enumerate(NAMES[::2]):
        write_reasoning(folder / f"reasoning-{seed}", name, seed)
    return folder
