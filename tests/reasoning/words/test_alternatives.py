"""An answer "A or B" is no answer A, whether B is a known name or not."""

import pytest

from concord.reasoning.read.records import RecordedReply, Sample
from concord.reasoning.result import Rule
from concord.reasoning.score.parse import Parser, column
from concord.reasoning.words.correct import Judge
from concord.reasoning.words.names import load_lexicon

LABELS = ("Gout", "Major Depressive Disorder", "Generalized Anxiety Disorder", "Bipolar Disorder", "Stroke")
HEADLINE = column("standard", Rule())


@pytest.fixture(scope="module")
def parser() -> Parser:
    return Parser([Sample(str(k), label, ()) for k, label in enumerate(LABELS)], load_lexicon(), "standard")


def is_right(parser: Parser, reply: str, gold: str) -> bool | None:
    found = parser.reply(RecordedReply("1", "cot", reply), gold)
    return found.right[HEADLINE] if found.usable else None


@pytest.mark.parametrize(
    "reply",
    [
        "DIAGNOSIS: gout or pseudogout",
        "DIAGNOSIS: Gout or septic arthritis of the knee",
        "DIAGNOSIS: pseudogout or gout",
        "DIAGNOSIS: a crystal disease or **gout**",
        "DIAGNOSIS: Gout, or possibly pseudogout",
        "DIAGNOSIS: gout and/or pseudogout",
        '{"diagnosis": "Gout or pseudogout"}',
        "Diagnose: Gout oder Pseudogout",
        "DIAGNOSIS: gout or stroke",
        "Diagnóstico: gout o pseudogota",
        "Diagnostic : gout ou chondrocalcinose",
        "DIAGNOSIS: gout或骨折",
        "The patient has gout or pseudogout.",
    ],
)
def test_an_answer_that_is_left_open_is_not_right(parser: Parser, reply: str) -> None:
    assert not is_right(parser, reply, "Gout")


@pytest.mark.parametrize(
    ("reply", "gold"),
    [
        ("DIAGNOSIS: Gout", "Gout"),
        ("DIAGNOSIS: gout, or podagra", "Gout"),
        ("DIAGNOSIS: gout (or podagra)", "Gout"),
        ("DIAGNOSIS: gout or, less likely, pseudogout", "Gout"),
        ("DIAGNOSIS: gout with or without tophi", "Gout"),
        ("DIAGNOSIS: acute or chronic gout", "Gout"),
        ("DIAGNOSIS: gout and hypertension", "Gout"),
        ("DIAGNOSIS: gout. No infection or trauma.", "Gout"),
        ("DIAGNOSIS: gout, not pseudogout or infection", "Gout"),
        ("DIAGNOSIS: MDD or major depressive disorder", "Major Depressive Disorder"),
        (
            "DIAGNOSIS: Major Depressive Disorder (MDD), single or recurrent episode",
            "Major Depressive Disorder",
        ),
        ("DIAGNOSIS: mild or moderate major depressive disorder", "Major Depressive Disorder"),
        ("DIAGNOSIS: bipolar I or II disorder", "Bipolar Disorder"),
        (
            "DIAGNOSIS: generalised anxiety disorder or so-called worry disease",
            "Generalized Anxiety Disorder",
        ),
        ("DIAGNOSIS: Gout or pseudogout? I favour gout.", "Gout"),
    ],
)
def test_an_answer_that_commits_itself_is_read_as_before(parser: Parser, reply: str, gold: str) -> None:
    assert is_right(parser, reply, gold)


def test_two_diagnoses_that_both_hold_are_not_left_open() -> None:
    judge = Judge.of(load_lexicon().aliases, LABELS)
    assert judge.n_put_forward("gout and sore toes") == 1
    assert judge.n_put_forward("gout or sore toes") == 2


@pytest.mark.parametrize(
    "reply",
    [
        "Stroke due to new-onset atrial fibrillation",
        "Stroke, most likely secondary to atrial fibrillation.",
        "DIAGNOSIS: stroke caused by atrial fibrillation",
    ],
)
def test_the_cause_of_a_diagnosis_is_no_second_answer(parser: Parser, reply: str) -> None:
    assert is_right(parser, reply, "Stroke")


def test_two_labels_of_the_set_are_two_answers_whatever_joins_them(parser: Parser) -> None:
    assert not is_right(parser, "DIAGNOSIS: stroke due to gout", "Stroke")
    assert not is_right(parser, "Stroke and atrial fibrillation", "Stroke")


@pytest.mark.parametrize(
    "reply",
    [
        "The most likely diagnosis is burnout.",
        "The most likely diagnosis is that of a cardiac arrest.",
        "Le diagnostic le plus probable est un zona.",
        "Die wahrscheinlichste Diagnose ist eine Borreliose.",
        "El diagnóstico más probable es una brucelosis.",
    ],
)
def test_a_committed_answer_that_no_list_knows_is_wrong_and_not_unread(parser: Parser, reply: str) -> None:
    assert is_right(parser, reply, "Gout") is False


@pytest.mark.parametrize(
    "reply",
    [
        "The most likely diagnosis is unclear.",
        "The most likely diagnosis is one of the following:",
        "The most likely diagnosis is based on the history.",
        "The diagnosis is made by a doctor.",
        "The most likely diagnosis is not easy to name here, since the history is so short and mixed.",
    ],
)
def test_what_gives_no_name_stays_without_an_answer(parser: Parser, reply: str) -> None:
    assert is_right(parser, reply, "Gout") is None


@pytest.mark.parametrize("reply", ["Diagnostic : crise d'asthme", "Diagnostic : l’asthme", "C'est l'asthme."])
def test_french_elisions_are_words_of_their_own(reply: str) -> None:
    asthma = Parser([Sample("1", "Asthme", ()), Sample("2", "Gout", ())], load_lexicon(), "standard")
    assert is_right(asthma, reply, "Asthme")
