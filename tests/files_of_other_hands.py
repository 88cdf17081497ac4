"""46 small files as other hands would write them, with what each is; and files that are not ours."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tests.files_of_every_kind import Rows, as_csv, as_json, as_lines, as_text

TESTS, ANSWERS = "table of tests", "answers as people and agents gave them"
OPTIONS, VERDICTS = "answers to questions with options", "verdicts of judges"
HINTS, REPLIES, GRADED = (
    "answers to questions with hints",
    "recorded replies",
    "answers with and without reasoning, graded",
)
ARRANGED, ITEMS, WIDE = (
    "scores under arrangements",
    "scores on items",
    "scores on items, one column per model",
)
RATED, EFFECTS, CELLS = (
    "scores of single answers by judges",
    "effects with standard errors",
    "means of conditions",
)
QUESTIONS, MIXED = (
    "answers of people or of an agent, one column per question",
    "people's answers with predictions",
)


def as_sheet(path: Path, rows: Rows) -> None:
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    assert sheet is not None
    sheet.append(list(rows[0]))
    for row in rows:
        sheet.append(list(row.values()))
    book.save(path)


_RNG = random.Random(7)


def _any(*values: Any) -> Any:
    return _RNG.choice(values)


_TEST = [
    {
        "Study": f"Study {1 + i // 2}",
        "Effect": f"effect {i}",
        "Human result": f"t(78) = {1.4 + i / 3:.2f}",
        "Llama-3 result": f"t(98) = {0.9 + i / 2:.2f}",
    }
    for i in range(6)
]
_STATISTICS = [
    {
        "study": "anchoring",
        "finding": f"f{i}",
        "test": f"t{i}",
        "test_type": "F",
        "human_statistic": 4.2 + i,
        "human_df1": 1,
        "human_df2": 80,
        "agent_statistic": 3.1 + i,
        "agent_df1": 1,
        "agent_df2": 120,
    }
    for i in range(5)
]
_EFFECT = [
    {
        "study": "megastudy",
        "outcome": f"o{i}",
        "treatment": f"arm{i}",
        "observed_effect": i / 10,
        "std_error": 0.05,
        "agent_effect": i / 9,
    }
    for i in range(6)
]
_MEANS = [
    {"arm": arm, "dv": dv, "average": 3 + i / 4, "std": 1.2, "sample_size": 120, "team": team}
    for team in ("human", "claude")
    for dv in ("trust", "risk")
    for i, arm in enumerate(("control", "norm", "fear"))
]
_ANSWER = [
    {"question": f"Q{q}", "who": who, "participant_id": f"{who}{i}", "response": _any(1, 2, 3, 4, 5)}
    for q in range(2)
    for who in ("human", "gpt-4o")
    for i in range(20)
]
_BOTH = [
    {"variable": "trust", "participant": i, "human_answer": _any(1, 2, 3, 4), "model_answer": _any(2, 3)}
    for i in range(24)
]
_COUNTS = [
    {"question": "vote", "choice": one, "human_count": 20 + i, "model_count": 30 - i}
    for i, one in enumerate(("yes", "no", "abstain"))
]
_MOMENTS = [
    {
        "item": f"q{i}",
        "human_mean": 3 + i / 9,
        "human_sd": 1.1,
        "human_n": 90,
        "agent_mean": 3.2,
        "agent_sd": 0.6,
        "agent_n": 90,
    }
    for i in range(6)
]
_SURVEY = [
    {"respondent_id": 500 + i, "birth_year": 1950 + i, "sex": _any("f", "m"), "wt": 0.8 + i / 50}
    | {f"v{q}": _any(1, 2, 3, 4, 5) for q in range(4)}
    for i in range(30)
]
_MIX = [
    {
        "participant": i,
        "treatment": _any("a", "b"),
        "human_answer": _any(1, 2, 3) if i < 20 else None,
        "llm_prediction": 2.5,
    }
    for i in range(40)
]
_CHOICE = [
    {
        "question_id": f"q{i}",
        "model_name": m,
        "option_order": o,
        "predicted_letter": _any(*"ABCD"),
        "gold_letter": "ABCD"[o],
        "num_options": 4,
    }
    for m in ("m1", "m2")
    for i in range(6)
    for o in range(4)
]
_VOTE = [
    {"question_id": i, "judge_model": "gpt-4", "swapped": s, "decision": _any("A", "B", "tie")}
    for i in range(10)
    for s in (False, True)
]
_WON = [
    {
        "prompt_id": i,
        "model_a": "x",
        "model_b": "y",
        "winner": _any("model_a", "model_b", "tie"),
        "annotator": "j",
    }
    for i in range(10)
]
_SEATS = [
    {"item": i, "first_model": a, "second_model": b, "preferred": _any(a, b), "judge": "j"}
    for i in range(8)
    for a, b in (("x", "y"), ("y", "x"))
]
_RATING = [
    {
        "prompt_id": i,
        "candidate": c,
        "grader": "gpt-4",
        "rating": _any(1, 2, 3, 4, 5),
        "expert": _any(1, 2, 3, 4, 5),
    }
    for i in range(8)
    for c in ("x", "y")
]
_ARRANGED = [
    {"model": m, "permutation": p, "qid": i, "accuracy": _any(0, 1)}
    for m in ("m1", "m2")
    for p in ("p0", "p1", "p2")
    for i in range(6)
]
_SAMPLED = [
    {"model": "m", "order": o, "item": i, "run": r, "S_Acc": _any(0.0, 0.5, 1.0)}
    for o in ("ab", "ba")
    for i in range(6)
    for r in (1, 2)
]
_SCORED = [{"doc_id": i, "exact_match": _any(0, 1), "family": f"t{i % 3}"} for i in range(12)]
_SCORED_WIDE = [
    {"question_id": i, "gpt-4o": _any(0, 1), "claude-3": _any(0, 1), "llama": _any(0, 1)} for i in range(12)
]
_HINTED = [
    {"question_id": i, "hint_type": k, "hinted_answer": "C", "final_answer": _any(*"AC"), "model": m}
    for m in ("m1", "m2")
    for i in range(8)
    for k in ("none", "authority")
]
_BESIDE = [
    {
        "item": i,
        "suggested_answer": "B",
        "unhinted_answer": "A",
        "answer_hinted": _any(*"AB"),
        "verbalized": _any(True, False),
    }
    for i in range(10)
]
_GRADED = [
    {"item_id": i, "model": "m", "mode": mode, "is_correct": _any(True, False)}
    for i in range(10)
    for mode in ("cot", "direct")
]
_REPLIES = [
    {"sample_id": f"v{i}", "condition": mode, "completion": "Diagnosis: flu"}
    for i in range(4)
    for mode in ("cot", "direct")
]
_VIGNETTE = [
    {"case_id": f"c{i}", "presentation": "Fever and cough.", "true_diagnosis": "influenza"} for i in range(4)
]
_PROBE = [
    {"probe": "early", "id": i, "cell": "prefix", "step": k, "n_steps": 2, "answer": _any(*"AB")}
    for i in range(4)
    for k in range(3)
]
_MOVED = [
    {"model": m, "kind": k, "eligible": 50, "influenced": 20, "verbalised": 5}
    for m in "ab"
    for k in ("sycophancy", "grader")
]

_PAIRS = [{"id": f"p{i}", "prompt": "Which?", "answer_a": "x", "answer_b": "y"} for i in range(4)]
_CHOICES = [
    {"id": f"q{i}", "question": "?", "options": ["a", "b", "c"], "answer": 0, "target": 1} for i in range(3)
]

Hand = tuple[str, Callable[[Path, Any], None], Any, str]
OWN: tuple[Hand, ...] = (
    ("hand.csv", as_csv, _TEST, TESTS),
    ("hand.xlsx", as_sheet, _TEST, TESTS),
    ("statistics.csv", as_csv, _STATISTICS, TESTS),
    ("statistics.json", as_json, _STATISTICS, TESTS),
    ("statistics.jsonl", as_lines, _STATISTICS, TESTS),
    ("effects.csv", as_csv, _EFFECT, EFFECTS),
    ("effects.json", as_json, _EFFECT, EFFECTS),
    ("means.csv", as_csv, _MEANS, CELLS),
    ("means.xlsx", as_sheet, _MEANS, CELLS),
    ("long.csv", as_csv, _ANSWER, ANSWERS),
    ("long.jsonl", as_lines, _ANSWER, ANSWERS),
    ("pairs.csv", as_csv, _BOTH, ANSWERS),
    ("counts.csv", as_csv, _COUNTS, "counts of answers"),
    ("moments.xlsx", as_sheet, _MOMENTS, "moments of answers"),
    ("survey.csv", as_csv, _SURVEY, QUESTIONS),
    ("survey.xlsx", as_sheet, _SURVEY, QUESTIONS),
    ("mixed.csv", as_csv, _MIX, MIXED),
    ("choices.csv", as_csv, _CHOICE, OPTIONS),
    ("choices.json", as_json, _CHOICE, OPTIONS),
    ("votes.csv", as_csv, _VOTE, VERDICTS),
    ("votes.jsonl", as_lines, _VOTE, VERDICTS),
    ("won.json", as_json, _WON, VERDICTS),
    ("seats.xlsx", as_sheet, _SEATS, VERDICTS),
    ("rated.csv", as_csv, _RATING, RATED),
    ("rated.jsonl", as_lines, _RATING, RATED),
    ("arranged.csv", as_csv, _ARRANGED, ARRANGED),
    ("sampled.xlsx", as_sheet, _SAMPLED, ARRANGED),
    ("scored.csv", as_csv, _SCORED, ITEMS),
    ("scored.json", as_json, _SCORED, ITEMS),
    ("scored_wide.csv", as_csv, _SCORED_WIDE, WIDE),
    ("hinted.csv", as_csv, _HINTED, HINTS),
    ("hinted.jsonl", as_lines, _HINTED, HINTS),
    ("beside.csv", as_csv, _BESIDE, HINTS),
    ("graded.csv", as_csv, _GRADED, GRADED),
    ("graded.jsonl", as_lines, _GRADED, GRADED),
    ("replies.csv", as_csv, _REPLIES, REPLIES),
    ("replies.jsonl", as_lines, _REPLIES, REPLIES),
    ("vignettes.csv", as_csv, _VIGNETTE, "vignettes"),
    ("probes.jsonl", as_lines, _PROBE, "answers to probes of reasoning"),
    ("moved.csv", as_csv, _MOVED, "counts of answers that hints moved"),
    ("pairs_to_judge.csv", as_csv, _PAIRS, "pairs of answers to judge"),
    ("pairs_to_judge.json", as_json, {"pairs": _PAIRS}, "pairs of answers to judge"),
    ("pairs_to_judge.jsonl", as_lines, _PAIRS, "pairs of answers to judge"),
    ("choices_to_hint.jsonl", as_lines, _CHOICES, "questions with options, and one that hints point at"),
    ("protocol.json", as_json, {"like": "refined", "states": 2}, "protocol"),
    ("protocol.yaml", as_text, "states: 2\n", "protocol"),
)

_PACKAGE = {
    "name": "left-pad",
    "version": "1.3.0",
    "scripts": {"test": "node test"},
    "dependencies": {"a": "^1.0"},
}
_INVOICE = [
    {
        "invoice": 1000 + i,
        "item": f"widget {i}",
        "quantity": 1 + i % 3,
        "unit_price": 9.99,
        "total": 9.99 * (1 + i % 3),
    }
    for i in range(8)
]
_PLACES = [{"id": i, "lat": 48 + i / 7, "lon": 11 + i / 9} for i in range(12)]
_HEIGHTS = [{"id": i, "lat": 48 + i / 7, "lon": 11 + i / 9, "value": 300 + i} for i in range(12)]
_LOG = "".join(
    f'10.0.0.{i} - - [10/Oct/2025:13:55:{30 + i} +0000] "GET /page{i} HTTP/1.1" 200 {512 + i}\n'
    for i in range(12)
)
_LOG_LINES = [
    {
        "timestamp": f"2025-10-10T13:55:{30 + i}Z",
        "level": "INFO",
        "message": "GET /",
        "status": 200,
        "duration": 12.5,
    }
    for i in range(8)
]
_STAFF = [
    {"name": f"P{i}", "email": f"p{i}@example.org", "department": "sales", "salary": 40000 + i}
    for i in range(8)
]
_STOCKS = [
    {
        "date": f"2025-01-{1 + i:02d}",
        "open": 10 + i,
        "high": 11 + i,
        "low": 9 + i,
        "close": 10.5 + i,
        "volume": 1000 * i,
    }
    for i in range(12)
]
_CLINIC = [{"patient_id": i, "age": 30 + i, "sex": "f", "bmi": 21.5 + i, "sbp": 120 + i} for i in range(12)]
_GAMES = [{"game": i, "home": "A", "away": "B", "home_goals": i % 3, "away_goals": i % 2} for i in range(8)]
_GEO = {
    "type": "FeatureCollection",
    "features": [
        {"type": "Feature", "properties": {"id": 1}, "geometry": {"type": "Point", "coordinates": [1, 2]}}
    ],
}
_TODO = [{"id": i, "title": f"task {i}", "completed": i % 2 == 0, "userId": 1} for i in range(6)]
_WEATHER = [
    {"station": f"s{i % 2}", "condition": "rain", "mean": 12.1, "min": 4.0, "max": 19.0} for i in range(6)
]
_PRICES = [{"item": f"apple {i}", "shop_a": 1.2 + i, "shop_b": 1.3 + i} for i in range(6)]
_IRIS = [
    {"sepal_length": 5.1 + i / 10, "sepal_width": 3.5, "petal_length": 1.4, "species": "setosa"}
    for i in range(8)
]
_COMMITS = [{"sha": f"a{i}", "author": "x", "message": "fix", "files": [{"name": "a.py"}]} for i in range(4)]
FOREIGN: tuple[tuple[str, Callable[[Path, Any], None], Any], ...] = (
    ("package.json", as_json, _PACKAGE),
    ("invoice.csv", as_csv, _INVOICE),
    ("invoice.xlsx", as_sheet, _INVOICE),
    ("places.csv", as_csv, _PLACES),
    ("heights.csv", as_csv, _HEIGHTS),
    ("access.txt", as_text, _LOG),
    ("access.csv", as_text, _LOG),
    ("log.jsonl", as_lines, _LOG_LINES),
    ("staff.csv", as_csv, _STAFF),
    ("stocks.csv", as_csv, _STOCKS),
    ("clinic.csv", as_csv, _CLINIC),
    ("games.csv", as_csv, _GAMES),
    ("map.json", as_json, _GEO),
    ("todo.json", as_json, _TODO),
    ("todo.csv", as_csv, _TODO),
    ("weather.csv", as_csv, _WEATHER),
    ("prices.csv", as_csv, _PRICES),
    ("iris.csv", as_csv, _IRIS),
    ("commits.json", as_json, _COMMITS),
    ("notes.txt", as_text, "Buy milk.\nCall Ann, Bob and Eve.\n"),
    ("settings.json", as_json, {"theme": "dark", "items": [1, 2, 3], "samples": []}),
)
