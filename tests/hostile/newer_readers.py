"""Readers of answers, verdicts, hints, probes and what a run's folder holds, each given mutated input."""

import csv
import io
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.files_of_every_kind import FILES, TOOLS
from tests.hostile.nasty import TEXTS, mutated_bytes, mutated_cells, mutated_json

from concord import api
from concord.asking.limits import read_prices
from concord.asking.recorded import score_run
from concord.asking.replies import read_corrections
from concord.audit.items import read_verdicts
from concord.cli.options import read_mapping
from concord.comparing.scores import read_models
from concord.reasoning.hints.rows import parse_choices
from concord.structure.judging.design import parse_pairs, read_pairs

Reader = Callable[[random.Random, Path], object]
ANSWERS: list[list[Any]] = [["study", "outcome", "person", "group", "human", "agent"],
                            *(["s", "o", i, "ab"[i % 2], i % 5, i % 3] for i in range(8))]  # fmt: skip
COUNTS: list[list[Any]] = [["study", "outcome", "option", "human_count", "agent_count"],
                           *(["s", "o", i, 3 + i, 4 - i] for i in range(4))]  # fmt: skip
MIXED: list[list[Any]] = [["arm", "answer", "prediction", "weight"],
                          *(["ab"[i % 2], i % 5, i % 3, 1] for i in range(12))]  # fmt: skip
HINTS: list[list[Any]] = [
    ["model", "influenced_count", "both_count", "thinking_only_count", "answer_only_count", "neither_count"],
    ["m", 40, 10, 10, 10, 10], ["n", 40, 20, 10, 5, 5],
]  # fmt: skip
PROBES: list[list[Any]] = [["probe", "id", "cell", "step", "n_steps", "answer"],
                           *(["early", "a", "prefix", k, 4, "AB"[k >= 3]] for k in range(5))]  # fmt: skip
VOTES: list[list[Any]] = [["pair", "order", "verdict", "winner", "human_1", "length_a"],
                          ["1", "ab", "first", "", "a", 3], ["1", "ba", "[[B]]", "", "tie", 3]]  # fmt: skip
CHOSEN: list[list[Any]] = [["item", "arrangement", "chosen", "right", "n_options", "correct", "options"],
                           ["1", "AB", "A", "B", 2, "", ""], ["1", "BA", "", 1, 2, "", "[1, 2]"]]  # fmt: skip
ALPACA = [{"instruction": "x", "output_1": "a", "output_2": "b", "preference": 1, "annotator": "j"}] * 2
FASTCHAT = [{"question_id": 1, "model_1": "a", "model_2": "b", "g1_winner": "model_1", "g2_winner": "tie",
             "judge": ["gpt-4", "pair-v2"], "turn": 1}]  # fmt: skip
CHOICES = {"id": "c", "question": "q?", "options": ["x", "y"], "answer": 0, "target": 1}
PAIRS: list[list[Any]] = [["prompt", "answer_a", "answer_b", "human"], ["q", "x", "y", "a;tie"]]
CORRECTION = {"id": "a", "mode": "x", "repeat": 0, "read_as": "A"}
VERDICTS = {
    "format": "concord audit verdicts",
    "format_version": 2,
    "question": "reasoning",
    "verdicts": {"k": "right"},
}


def _csv(path: Path, rows: list[list[Any]]) -> Path:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    path.write_bytes(out.getvalue().encode("utf-8", "surrogatepass"))
    return path


def _json(path: Path, document: object) -> Path:
    path.write_text(json.dumps(document), "utf-8")
    return path


def _lines(path: Path, rows: Any) -> Path:
    path.write_text("\n".join(map(json.dumps, rows if isinstance(rows, list) else [rows])), "utf-8")
    return path


def _cells(name: str, rows: list[list[Any]], read: Callable[[Path], object]) -> Reader:
    return lambda rng, tmp: read(_csv(tmp / name, mutated_cells(rows, rng, TEXTS)))


def _combined(path: Path) -> object:
    return api.combine(path, [{"arm": "ab"[k % 2], "prediction": k + 0.25} for k in range(12)])


EFFECTS: list[list[Any]] = [
    ["study", "condition", "control", "human_estimate", "human_se", "human_n", "control_se",
     "agent_estimate"],
    *(["s", f"c{k}", "none", k / 10, 0.1, 40, 0.05, (9 - k) / 10] for k in range(5)),
]  # fmt: skip
MOMENTS: list[list[Any]] = [
    ["study", "outcome", "human_mean", "human_sd", "human_n", "agent_mean", "agent_sd", "agent_n"],
    ["s", "o", 3.1, 1.2, 40, 3.0, 0.6, 50], ["s", "p", 2.1, 1.1, 40, 2.5, 0.4, 50],
]  # fmt: skip
STACKED: list[list[Any]] = [["outcome", "source", "answer"],
                            *(["o", ("human", "m")[i % 2], i % 5] for i in range(8))]  # fmt: skip
AGENTS: list[list[Any]] = [
    ["agent", "study", "finding", "test", "test_type", "human_statistic", "human_n", "agent_statistic",
     "agent_n"],
    *([a, f"S{i}", "F", "t", "t-test", 2 + i / 10, 60, 1 + i / 10, 60] for a in "ab" for i in range(3)),
]  # fmt: skip

LM_SAMPLES = "lm_options/samples_opts_2026-11-17T13-00-30.991348.jsonl"
CELLS: list[list[Any]] = [
    ["condition", "outcome", "mean", "sd", "n_eff"],
    *([c, "o", 4 + i / 5, 1.1, 200] for i, c in enumerate(["control", "a", "b", "c"])),
]
SURVEY: list[list[Any]] = [
    ["resp_id", "weight", "sex", "q1", "q2"],
    *([100 + i, 1.5, "fm"[i % 2], 1 + i % 5, i % 3] for i in range(12)),
]
ASKED_OF_EDSL: list[list[Any]] = [
    ["resp_id", "weight", "sex", "drink", "trust"],
    *([100 + i, 1.5, "fm"[i % 2], ("tea", "coffee", "water")[i % 3], 1 + i % 7] for i in range(12)),
]


def _of_tool(name: str, read: Callable[[Path], object]) -> Reader:
    """Read a file that another program wrote, its values or its cells changed."""
    data = (TOOLS / name).read_bytes()

    def case(rng: random.Random, tmp: Path) -> object:
        path = tmp / f"tool_{Path(name).name}"
        if name.endswith(".json"):
            return read(_json(path, mutated_json(json.loads(data), rng)))
        if name.endswith(".jsonl"):
            return read(_lines(path, mutated_json([json.loads(one) for one in data.splitlines()], rng)))
        rows = [list(row) for row in csv.reader(io.StringIO(data.decode("utf-8")))]
        return read(_csv(path, mutated_cells(rows, rng, TEXTS)))

    return case


def _apart(rng: random.Random, tmp: Path) -> object:
    files = [
        _csv(tmp / f"{i}.csv", mutated_cells(SURVEY, rng, TEXTS) if rng.random() < 0.7 else SURVEY)
        for i in "ab"
    ]
    return api.score_answers(*files, n_resamples=10)


def _cell_files(rng: random.Random, tmp: Path) -> object:
    files = [
        _csv(tmp / f"{i}.csv", mutated_cells(CELLS, rng, TEXTS) if rng.random() < 0.7 else CELLS)
        for i in "ab"
    ]
    return api.score_predictions(*files)


def _checked(rng: random.Random, tmp: Path) -> object:
    name, write, content, _, _ = FILES[rng.randrange(len(FILES))]
    path = tmp / name
    path.parent.mkdir(exist_ok=True)
    write(path, content)
    path.write_bytes(mutated_bytes(path.read_bytes(), rng))
    return api.check(path)


NEWER: dict[str, Reader] = {
    "means of conditions in two files": _cell_files,
    "people's and an agent's answers in two files": _apart,
    "files of every kind, checked": _checked,
    **{
        f"{name}, {what}": _of_tool(name, read)
        for name in ("promptfoo.json", "promptfoo.csv", "edsl_judge.json", "edsl_judge.csv", LM_SAMPLES)
        for what, read in (
            ("compared", lambda path: read_models(path)),
            ("judged", lambda path: api.score_judge(path, n_permutations=99)),
        )
    },
    "edsl_survey.json, people beside": _of_tool(
        "edsl_survey.json",
        lambda path: api.score_answers(_csv(path.parent / "p.csv", ASKED_OF_EDSL), path, n_resamples=10),
    ),
    "lm-eval, options": _of_tool(LM_SAMPLES, lambda path: api.score_options(path, n_permutations=99)),
    "effects, CSV cells": _cells("e.csv", EFFECTS, api.score_predictions),
    "moments of answers, CSV cells": _cells(
        "m.csv", MOMENTS, lambda path: api.score_answers(path, n_resamples=10)
    ),
    "answers below each other, CSV cells": _cells(
        "s.csv", STACKED, lambda path: api.score_answers(path, n_resamples=10)
    ),
    "tests of agents, scored": _cells(
        "t.csv",
        AGENTS,
        lambda path: api.score_people(path, agent_column="agent", n_resamples=0, n_simulations=0),
    ),
    "answers, CSV cells": _cells("a.csv", ANSWERS, lambda path: api.score_answers(path, n_resamples=10)),
    "counts of answers, CSV cells": _cells(
        "c.csv", COUNTS, lambda path: api.score_answers(path, n_resamples=10)
    ),
    "people and predictions, CSV cells": _cells("m.csv", MIXED, _combined),
    "counts of hints, CSV cells": _cells("h.csv", HINTS, api.score_hints),
    "probes, CSV cells": _cells("p.csv", PROBES, api.score_probes),
    "verdicts, CSV cells": _cells("v.csv", VOTES, lambda path: api.score_judge(path, n_permutations=99)),
    "options, CSV cells": _cells("o.csv", CHOSEN, lambda path: api.score_options(path, n_permutations=99)),
    "AlpacaEval": lambda rng, tmp: api.score_judge(
        _json(tmp / "a.json", mutated_json(ALPACA, rng)), n_permutations=99
    ),
    "FastChat": lambda rng, tmp: api.score_judge(
        _lines(tmp / "gpt-4_pair.jsonl", mutated_json(FASTCHAT, rng)), n_permutations=99
    ),
    "choices": lambda rng, tmp: parse_choices(json.dumps(mutated_json(CHOICES, rng)).encode()),
    "choices, bytes": lambda rng, tmp: parse_choices(mutated_bytes(json.dumps(CHOICES).encode(), rng)),
    "pairs": _cells("p.csv", PAIRS, read_pairs),
    "pairs, JSON": lambda rng, tmp: parse_pairs(
        json.dumps(
            mutated_json({"pairs": [{"prompt": "q", "answer_a": "x", "answer_b": "y"}]}, rng)
        ).encode(),
        "p.json",
    ),
    "corrections": lambda rng, tmp: read_corrections(
        _lines(tmp / "c.jsonl", mutated_json([CORRECTION] * 2, rng))
    ),
    "prices": lambda rng, tmp: read_prices(
        _json(tmp / "p.json", mutated_json({"a/b": {"in": 1, "out": 2}}, rng))
    ),
    "verdicts of an audit": lambda rng, tmp: read_verdicts(
        _json(tmp / "v.json", mutated_json(VERDICTS, rng)), "reasoning"
    ),
    "mapping": lambda rng, tmp: _mapped(tmp, mutated_bytes(b"Title = study\nOther = human_n\n", rng)),
}


def _mapped(tmp: Path, data: bytes) -> object:
    (tmp / "m.txt").write_bytes(data)
    return read_mapping([str(tmp / "m.txt")])


def damaged_run(run: Path, rng: random.Random, tmp: Path) -> object:
    """Mutate one file of a run's folder and score the run."""
    folder = tmp / "run"
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(run, folder)
    path = rng.choice(
        sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix in (".json", ".jsonl"))
    )
    data = path.read_bytes()
    if path.suffix == ".json" and rng.random() < 0.5:
        _json(path, mutated_json(json.loads(data), rng))
    elif path.suffix == ".jsonl" and rng.random() < 0.5 and data.strip():
        lines = data.splitlines()
        at = rng.randrange(len(lines))
        lines[at] = json.dumps(mutated_json(json.loads(lines[at]), rng)).encode()
        path.write_bytes(b"\n".join(lines) + b"\n")
    else:
        path.write_bytes(mutated_bytes(data, rng))
    return score_run(folder, partial=True)
