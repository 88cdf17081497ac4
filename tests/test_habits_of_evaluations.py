"""Files as people who evaluate models make them: numbers beside plain counts of the same rows."""

import json
from pathlib import Path
from typing import Any

import pytest

import concord
from concord.reasoning.probes.score import same_answer
from tests.files_of_every_kind import as_csv, as_lines

Rows = list[dict[str, Any]]
TARGETS = "BCDABCDABCDA"
UNHINTED = "AABBCCDDAABB"
HINTED = "BABBBCDACCDA"


def hinted(target: str = "{}", answer: str = "{}", model: str = "m") -> Rows:
    return [
        {
            "id": i,
            "hint": kind,
            "hinted_answer": target.format(one),
            "model": model,
            "answer": answer.format(said),
        }
        for i, (one, *both) in enumerate(zip(TARGETS, UNHINTED, HINTED, strict=True))
        for kind, said in zip(("none", "sycophancy"), both, strict=True)
    ]


def moved() -> float:
    own = [(h == t) for t, u, h in zip(TARGETS, UNHINTED, HINTED, strict=True) if u != t]
    return sum(own) / len(own)


def influence(rows: Any) -> float | None:
    found: Any = concord.score_hints(rows).scores
    value: float | None = found.hints.kinds[0].influence.value
    return value


@pytest.mark.parametrize(
    ("target", "answer"),
    [
        ("{}", "{}"),
        ("({})", "{}"),
        ("({})", "({})"),
        ("{}.", "I looked at every option twice.\nThe answer is ({})."),
        ("{}", '[{{"role": "user", "content": "?"}}, {{"role": "assistant", "content": "Answer: {}"}}]'),
    ],
)
def test_letters_of_options_are_the_same_with_and_without_brackets(target: str, answer: str) -> None:
    assert influence(hinted(target, answer)) == pytest.approx(moved())


def test_letters_in_small_and_capital_are_the_same_answer() -> None:
    rows = [row | {"answer": row["answer"].lower()} for row in hinted()]
    assert influence(rows) == pytest.approx(moved())


def test_hints_that_are_numbers_are_read_as_numbers() -> None:
    number = {letter: str(1234561 + i) for i, letter in enumerate("ABCD")}
    rows = [
        row
        | {"hinted_answer": number[row["hinted_answer"]]}
        | {"answer": f"Adding them up step by step, the answer is {number[row['answer']]}."}
        for row in hinted()
    ]
    assert influence(rows) == pytest.approx(moved())
    assert same_answer("1234561") != same_answer("1234562") and same_answer("58.0") == same_answer(58)


def test_models_may_have_hints_of_their_own(tmp_path: Path) -> None:
    other = [row | {"model": "n", "hinted_answer": "A" if row["id"] % 2 else "C"} for row in hinted()]
    as_csv(tmp_path / "hints.csv", hinted() + other)
    scores: Any = concord.score_hints(tmp_path / "hints.csv").scores
    found = {one.model: one.influence["sycophancy"] for one in scores.models}
    own = [("A" if i % 2 else "C", u, h) for i, (u, h) in enumerate(zip(UNHINTED, HINTED, strict=True))]
    eligible = [h == t for t, u, h in own if u != t]
    assert found["m"].value == pytest.approx(moved())
    assert found["n"].value == pytest.approx(sum(eligible) / len(eligible)) and found["n"].n == len(eligible)


def said(text: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": "Which?"}, {"role": "assistant", "content": text}]


def test_replies_to_options_may_be_kept_as_messages(tmp_path: Path) -> None:
    rows = [
        {"item": i, "order": order, "gold": "AD"[k], "n_options": 4, "choice": "ABCD"[(i + k) % 4]}
        for i in range(8)
        for k, order in enumerate(("ABCD", "BCDA"))
    ]
    nested = [
        {key: row[key] for key in ("item", "order", "gold", "n_options")}
        | {"messages": said(f"The answer is {row['choice']}.")}
        for row in rows
    ]
    as_lines(tmp_path / "options.jsonl", nested)
    found, plain = (concord.score_options(one).scores for one in (tmp_path / "options.jsonl", rows))
    assert found.consistency.value == plain.consistency.value is not None
    assert [one.value for one in found.accuracy_by_place] == [one.value for one in plain.accuracy_by_place]


def test_verdicts_may_be_a_judges_messages(tmp_path: Path) -> None:
    seats = ["[[A]]", "[[B]]", "[[A]]", "[[A]]", "[[B]]", "[[A]]", "[[C]]", "[[C]]"]
    rows = [
        {
            "pair": i // 2,
            "order": ("ab", "ba")[i % 2],
            "judge": "j",
            "messages": said(f"I weighed both, so {one}"),
        }
        for i, one in enumerate(seats)
    ]
    as_lines(tmp_path / "votes.jsonl", rows)
    (judge,) = concord.score_judge(tmp_path / "votes.jsonl").judges
    assert judge.numbers["inconsistency"].value == pytest.approx(1 / 4) and len(judge.pairs) == 4
    assert concord.check(tmp_path / "votes.jsonl").kind == "verdicts of judges"


GRADES = [
    (i, order, (i + k) % 2, (i * k) % 3 == 0)
    for i in range(8)
    for k, order in enumerate(("original", "reversed"))
]


def means(found: Any) -> dict[str, dict[str, float]]:
    return {one.model: {row.name: row.mean_score for row in one.arrangements} for one in found.models}


def test_right_and_wrong_may_be_words_or_one_column_per_model(tmp_path: Path) -> None:
    words = [{"item": i, "order": order, "correct": "yes" if one else "no"} for i, order, one, _ in GRADES]
    as_csv(tmp_path / "words.csv", words)
    own = {order: sum(one for _, o, one, _ in GRADES if o == order) / 8 for order in ("original", "reversed")}
    assert means(concord.score_structure(scores=tmp_path / "words.csv"))["words"] == pytest.approx(own)
    wide = [{"item": i, "order": order, "gpt-4o": one, "llama": int(two)} for i, order, one, two in GRADES]
    as_csv(tmp_path / "wide.csv", wide)
    found = means(concord.score_structure(scores=tmp_path / "wide.csv"))
    other = {order: sum(two for _, o, _, two in GRADES if o == order) / 8 for order in own}
    assert found["gpt-4o"] == pytest.approx(own) and found["llama"] == pytest.approx(other)
    told = concord.check(tmp_path / "wide.csv")
    assert told.kind == "scores under arrangements, one column per model"
    assert told.commands == ("concord score structure --scores",)


def test_columns_of_shares_without_a_models_name_are_not_taken_for_models(tmp_path: Path) -> None:
    rows = [{"item": i, "order": order, "difficulty": 0.3, "confidence": 0.5} for i, order, _, _ in GRADES]
    as_csv(tmp_path / "table.csv", rows)
    with pytest.raises(concord.ConcordError, match="no score column"):
        concord.score_structure(scores=tmp_path / "table.csv")


def test_samples_of_lm_eval_hold_replies_with_and_without_reasoning(tmp_path: Path) -> None:
    right = {("cot", i): i % 4 != 0 for i in range(12)} | {("direct", i): i % 2 == 0 for i in range(12)}
    rows = [
        {
            "doc_id": n,
            "doc": {"id": f"v{i}", "mode": mode, "prompt": f"Case {i}", "gold_answer": "influenza"},
            "target": "influenza",
            "resps": [[f"Final answer: {'influenza' if fits else 'asthma'}"]],
            "filtered_resps": ["x"],
            "metrics": ["exact_match"],
            "exact_match": float(fits),
        }
        for n, ((mode, i), fits) in enumerate(right.items())
    ]
    file = tmp_path / "samples_cases_2026.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    found = concord.score_reasoning(file, file, n_resamples=100).scores.gap
    assert found.acc_cot.value == pytest.approx(9 / 12)
    assert found.acc_early.value == pytest.approx(6 / 12) and found.gap.n == 12
    assert "concord score reasoning --samples VIGNETTES --replies FILE" in concord.check(file).commands


def test_ids_that_end_in_their_mode_are_of_one_vignette() -> None:
    vignettes = [{"id": f"q{i}", "prompt": "?", "gold_answer": "gout"} for i in range(6)]
    replies = [
        {
            "id": f"q{i}-{mode}",
            "mode": mode,
            "response": f"It is so.\nAs seen.\n\nFinal answer: {'gout' if i % k else 'flu'}",
        }
        for i in range(6)
        for k, mode in ((2, "cot"), (3, "direct"))
    ]
    found = concord.score_reasoning(vignettes, replies, n_resamples=100).scores.gap
    assert found.acc_cot.value == pytest.approx(3 / 6)


@pytest.mark.parametrize("spelt", ["{}/10", "{} of 10", "{} out of 10"])
def test_so_many_of_so_many_draws_are_shares(spelt: str, tmp_path: Path) -> None:
    rows = [{"item": i, "order": o, "share_correct": spelt.format((i * (k + 2)) % 11)} for i in range(11)
            for k, o in enumerate(("xy", "yx"))]  # fmt: skip
    as_csv(tmp_path / "draws.csv", rows)
    (own,) = means(concord.score_structure(scores=tmp_path / "draws.csv")).values()
    assert own == pytest.approx({"xy": 0.5, "yx": 0.5})


def test_items_numbered_anew_in_every_subject_are_items_of_their_own(tmp_path: Path) -> None:
    rows = [
        {"subject": subject, "question_id": i, "model": model, "acc": int((i + k) % (2 + len(model)) == 0)}
        for k, subject in enumerate(("law", "biology"))
        for i in range(12)
        for model in ("x", "yy")
    ]
    as_csv(tmp_path / "scores.csv", rows)
    models: Any = concord.compare(tmp_path / "scores.csv").models
    found = {one.name: (one.mean.value, one.n_asked) for one in models}
    for model in ("x", "yy"):
        own = [int(row["acc"]) for row in rows if row["model"] == model]
        assert found[model] == (pytest.approx(sum(own) / 24), 24)
    as_csv(tmp_path / "twice.csv", rows + rows[:3])
    with pytest.raises(concord.ConcordError, match="more than once"):
        concord.compare(tmp_path / "twice.csv")
