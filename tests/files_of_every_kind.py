"""One small file of every kind that some command reads, with what `concord check` is to call it."""

import csv
import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

Rows = Sequence[Mapping[str, object]]
TOOLS = Path(__file__).parent / "data" / "tools"


def as_csv(path: Path, rows: Rows) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)


def as_json(path: Path, document: Any) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps(document), "utf-8")


def as_lines(path: Path, rows: Rows) -> None:
    path.parent.mkdir(exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def as_frame(path: Path, rows: Rows) -> None:
    import polars as pl

    pl.DataFrame(list(rows)).write_parquet(path)


def as_survey(path: Path, rows: Rows) -> None:
    import pandas as pd
    import pyreadstat

    write = pyreadstat.write_sav if path.suffix == ".sav" else pyreadstat.write_dta
    write(pd.DataFrame(list(rows)), str(path))


def copied(path: Path, source: Any) -> None:
    path.write_bytes((TOOLS / source).read_bytes())


def as_text(path: Path, text: str) -> None:
    path.write_text(text, "utf-8")


_TEST = {
    "study": "s",
    "finding": "f",
    "test_type": "t-test",
    "human_statistic": 2.5,
    "human_n1": 40,
    "human_n2": 40,
    "agent_statistic": 3.0,
    "agent_n1": 50,
    "agent_n2": 50,
}
_CELLS = [
    {"condition": c, "outcome": "trust", "mean": 4 + i / 5, "sd": 1.1, "n_eff": 200.5}
    for i, c in enumerate(["control", "a", "b", "c"])
]
_ITEMS = [
    {"item": f"q{i}", "arrangement": a, "chosen": "ABCD"[(i + k) % 4], "right": "ABCD"[k], "n_options": 4}
    for i in range(8)
    for k, a in enumerate(("r0", "r1", "r2", "r3"))
]
_VOTES = [
    {"pair": f"p{i}", "order": o, "verdict": "first", "judge": "j"} for i in range(8) for o in ("ab", "ba")
]
_SIDES = [{"outcome": "trust", "human": 1 + i % 5, "agent": 2 + i % 3} for i in range(30)]
_HINTS = [
    {"id": f"q{i}", "kind": k, "target": "B", "answer": "B" if k != "none" else "A", "n_options": 4}
    for i in range(6)
    for k in ("none", "sycophancy")
]
_PERSONS = [
    {
        "resp_id": 1000 + i,
        "age": 20 + i,
        "gender": "fm"[i % 2],
        "q1": 1 + i % 5,
        "q2": 1 + i % 7,
        "q3": 1 + i % 4,
    }
    for i in range(30)
]
_VIGNETTES = [
    {"id": f"v{i}", "vignette": f"A case {i}.", "gold_answer": "flu", "gold_steps": ["fever"]}
    for i in range(3)
]
_HELM = [
    {"instance_id": f"i{i}", "train_trial_index": 0, "stats": [{"name": {"name": "em"}, "mean": 1.0}]}
    for i in range(4)
]
_QUALTRICS = (
    "StartDate,EndDate,ResponseId,source,Q1,Q2\n"
    "Start Date,End Date,Response ID,Who,First?,Second?\n"
    + ",".join(f'"{{""ImportId"":""x{i}""}}"' for i in range(6))
    + "\n"
    + "".join(
        f"2024-01-01,2024-01-01,R_{i},{'human' if i < 20 else 'gpt'},{1 + i % 5},{1 + i % 4}\n"
        for i in range(40)
    )
)
_LIME = "id,submitdate,lastpage,startlanguage,source,Q1\n" + "".join(
    f"{i},2024-01-01,3,en,{'human' if i < 20 else 'gpt'},A{1 + i % 5}\n" for i in range(40)
)
Written = tuple[str, Callable[[Path, Any], None], Any, str, str]
FILES: tuple[Written, ...] = (
    (
        "tests.csv",
        as_csv,
        [_TEST | {"test": f"t{i}", "finding": f"f{i}"} for i in range(4)],
        "table of tests",
        "score people",
    ),
    (
        "agents.csv",
        as_csv,
        [_TEST | {"test": f"t{i}", "agent": a} for i in range(4) for a in "ab"],
        "table of tests",
        "score people",
    ),
    (
        "hand.csv",
        as_csv,
        [
            {"Study": f"S{i}", "Human result": "t(38) = 2.1, p = .04", "GPT-4 result": "t(98) = 2.9"}
            for i in range(4)
        ],
        "table of tests",
        "score people",
    ),
    (
        "effects.csv",
        as_csv,
        [
            {"study": "s", "condition": f"c{i}", "human_estimate": i, "human_se": 1, "agent_estimate": i + 1}
            for i in range(4)
        ],
        "effects with standard errors",
        "score people",
    ),
    (
        "effects_wide.csv",
        as_csv,
        [
            {
                "study": "s",
                "condition": f"c{i}",
                "human_estimate": i,
                "human_se": 1,
                "team5": i + 1,
                "team9": i - 1,
            }
            for i in range(4)
        ],
        "effects with standard errors",
        "score people",
    ),
    ("cells.csv", as_csv, _CELLS, "means of conditions", "score people PEOPLE AGENT"),
    (
        "cells_both.csv",
        as_csv,
        [cell | {"source": who} for who in ("human", "team5") for cell in _CELLS],
        "means of conditions",
        "score people",
    ),
    ("answers.csv", as_csv, _SIDES, "answers as people and agents gave them", "score answers"),
    (
        "stacked.csv",
        as_csv,
        [{"outcome": "trust", "source": w, "answer": 1 + i % 5} for w in ("human", "gpt") for i in range(20)],
        "answers as people and agents gave them",
        "score answers",
    ),
    (
        "by_question.csv",
        as_csv,
        [{"source": w, "q1": 1 + i % 5, "q2": 1 + i % 4} for w in ("human", "gpt") for i in range(20)],
        "answers as people and agents gave them",
        "score answers",
    ),
    (
        "wide.csv",
        as_csv,
        [
            {"human_trust": 1 + i % 5, "agent_trust": 2 + i % 3, "human_risk": i % 4, "agent_risk": 1}
            for i in range(30)
        ],
        "answers as people and agents gave them",
        "score answers",
    ),
    (
        "counts.csv",
        as_csv,
        [{"outcome": "vote", "option": o, "human_count": 30, "agent_count": 20} for o in "abc"],
        "counts of answers",
        "score answers",
    ),
    (
        "moments.csv",
        as_csv,
        [
            {
                "outcome": f"o{i}",
                "n": 90,
                "human_mean": 4,
                "human_sd": 1.2,
                "agent_mean": 4.1,
                "agent_sd": 0.8,
            }
            for i in range(4)
        ],
        "moments of answers",
        "score answers",
    ),
    (
        "people.csv",
        as_csv,
        _PERSONS,
        "answers of people or of an agent, one column per question",
        "score answers PEOPLE AGENT",
    ),
    ("people.sav", as_survey, _PERSONS, "survey of SPSS", "score answers"),
    ("people.dta", as_survey, _PERSONS, "survey of Stata", "score answers"),
    ("qualtrics.csv", as_text, _QUALTRICS, "survey of Qualtrics", "score answers"),
    ("lime.csv", as_text, _LIME, "survey of LimeSurvey", "score answers"),
    (
        "labels.qsf",
        as_json,
        {"SurveyElements": []},
        "survey of Qualtrics (labels)",
        "score answers EXPORT.csv --labels FILE",
    ),
    ("edsl.json", copied, "edsl_survey.json", "results of EDSL", "compare"),
    ("edsl.csv", copied, "edsl_survey.csv", "results of EDSL", "compare"),
    ("options.csv", as_csv, _ITEMS, "answers to questions with options", "score options"),
    ("options.parquet", as_frame, _ITEMS, "answers to questions with options", "score options"),
    (
        "graded_options.csv",
        as_csv,
        [{"item": f"q{i}", "order": f"o{k}", "correct": (i + k) % 2} for i in range(8) for k in range(3)],
        "scores under arrangements",
        "score structure --scores",
    ),
    ("votes.csv", as_csv, _VOTES, "verdicts of judges", "score judge"),
    (
        "winners.csv",
        as_csv,
        [{"pair": f"p{i}", "order": o, "winner": "a", "judge": "j"} for i in range(8) for o in ("ab", "ba")],
        "verdicts of judges",
        "score judge",
    ),
    (
        "fastchat.jsonl",
        as_lines,
        [
            {
                "question_id": i,
                "model_1": "a",
                "model_2": "b",
                "g1_winner": "model_1",
                "g2_winner": "tie",
                "judge": ["gpt-4", "pair-v2"],
            }
            for i in range(6)
        ],
        "verdicts of FastChat",
        "score judge",
    ),
    (
        "alpaca.json",
        as_json,
        [
            {
                "instruction": f"i{i}",
                "output_1": "x",
                "output_2": "y",
                "generator_1": "a",
                "generator_2": "b",
                "annotator": "g",
                "preference": 1.0,
            }
            for i in range(6)
        ],
        "verdicts of judges",
        "score judge",
    ),
    (
        "rated.csv",
        as_csv,
        [
            {"item": f"q{i}", "system": s, "judge": "gpt-4", "score": 1 + (i + k) % 5, "human": 1 + i % 5}
            for i in range(8)
            for k, s in enumerate("ab")
        ],
        "scores of single answers by judges",
        "score judge",
    ),
    (
        "arrangements.csv",
        as_csv,
        [
            {"item": f"q{i}", "arrangement": a, "s_acc": (i + k) % 2}
            for i in range(8)
            for k, a in enumerate(("o", "r", "f"))
        ],
        "scores under arrangements",
        "score structure --scores",
    ),
    (
        "items.csv",
        as_csv,
        [{"item": f"q{i}", "score": i % 2} for i in range(8)],
        "scores on items",
        "compare",
    ),
    (
        "items_wide.csv",
        as_csv,
        [{"item": f"q{i}", "gpt-4": i % 2, "claude": 1} for i in range(8)],
        "scores on items, one column per model",
        "compare",
    ),
    (
        "items_percent.csv",
        as_csv,
        [{"item": f"q{i}", "gpt-4": f"{50 + i}%", "claude": f"{0.5 + i / 20} (0.1)"} for i in range(8)],
        "scores on items, one column per model",
        "compare",
    ),
    ("hints.csv", as_csv, _HINTS, "answers to questions with hints", "score hints"),
    (
        "probes.csv",
        as_csv,
        [
            {"probe": "early", "id": f"q{i}", "cell": "prefix", "answer": "A", "step": 0, "n_steps": 2}
            for i in range(4)
        ],
        "answers to probes of reasoning",
        "score probes",
    ),
    (
        "moved.csv",
        as_csv,
        [{"model": f"m{i}", "kind": "sycophancy", "eligible": 40, "influenced": 9 + i} for i in range(3)],
        "counts of answers that hints moved",
        "score hints",
    ),
    (
        "chains.csv",
        as_csv,
        [
            {
                "item": "q",
                "sentence_num": i,
                "sentences": 4,
                "cue_p": 0.2 * i,
                "cue_p_prev": 0.1,
                "hinted": "B",
            }
            for i in range(4)
        ],
        "shares of draws along hinted chains",
        "score probes",
    ),
    (
        "combine.csv",
        as_csv,
        [{"answer": i % 5, "prediction": i % 4} for i in range(30)],
        "people's answers with predictions",
        "combine FILE FURTHER_PREDICTIONS",
    ),
    (
        "further.csv",
        as_csv,
        [{"prediction": i % 4} for i in range(30)],
        "predictions without answers",
        "combine PEOPLE FILE",
    ),
    ("vignettes.json", as_json, {"samples": _VIGNETTES}, "vignettes", "score reasoning --samples"),
    (
        "vignettes.csv",
        as_csv,
        [{k: v for k, v in one.items() if k != "gold_steps"} for one in _VIGNETTES],
        "vignettes",
        "score reasoning --samples",
    ),
    (
        "replies.jsonl",
        as_lines,
        [{"id": f"v{i}", "mode": m, "response": "flu"} for i in range(3) for m in ("cot", "early")],
        "recorded replies",
        "score reasoning --replies",
    ),
    (
        "replies.csv",
        as_csv,
        [{"id": f"v{i}", "mode": m, "response": "flu"} for i in range(3) for m in ("cot", "early")],
        "recorded replies",
        "score reasoning --replies",
    ),
    (
        "batch.jsonl",
        as_lines,
        [
            {
                "custom_id": f"v{i}",
                "response": {
                    "status_code": 200,
                    "body": {"choices": [{"message": {"role": "assistant", "content": "flu"}}]},
                },
            }
            for i in range(3)
        ],
        "recorded replies",
        "score reasoning --replies",
    ),
    (
        "graded.csv",
        as_csv,
        [{"id": f"v{i}", "mode": m, "correct": 1} for i in range(3) for m in ("cot", "direct")],
        "answers with and without reasoning, graded",
        "score reasoning --replies",
    ),
    (
        "cases.json",
        as_json,
        {"cases": [{"id": "c1", "prompt": "?", "bias_feature": "x", "bias_label": "y"}]},
        "bias cases",
        "score reasoning --bias-cases",
    ),
    ("inspect.eval", copied, "inspect_options.eval", "log of Inspect, task options", "compare"),
    ("promptfoo.json", copied, "promptfoo.json", "results of promptfoo", "compare"),
    ("promptfoo.csv", copied, "promptfoo.csv", "results of promptfoo", "compare"),
    ("deepeval.json", copied, "deepeval_alpha.json", "results of DeepEval", "compare"),
    (
        "samples_t_2024-01-01T00-00-00.0.jsonl",
        copied,
        "lm_options/samples_opts_2026-11-17T13-00-30.991348.jsonl",
        "samples of lm-eval",
        "compare",
    ),
    ("helm/per_instance_stats.json", as_json, _HELM, "results of HELM", "compare"),
    (
        "braintrust.json",
        as_json,
        [
            {"id": str(i), "input": f"q{i}", "output": "x", "expected": "x", "scores": {"exact": 1.0}}
            for i in range(4)
        ],
        "results of Braintrust",
        "compare",
    ),
    (
        "evals.jsonl",
        as_lines,
        [
            {"spec": {"eval_name": "t", "completion_fns": ["m"]}},
            {"sample_id": "t.1", "type": "match", "data": {"correct": True}},
        ],
        "results of OpenAI evals",
        "compare",
    ),
)
"""Name, how it is written, what is written, what it is, and the first command that takes it."""
