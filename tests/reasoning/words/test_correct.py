"""Names in answers: whole words, variants, abbreviations, other names; and the source's rule."""

import pytest

from concord.reading.names import compact
from concord.reasoning.words.correct import Judge, correct_source
from concord.reasoning.words.names import AliasTable, load_lexicon

MDD, GAD, PTSD = "Major Depressive Disorder", "Generalized Anxiety Disorder", "Post-Traumatic Stress Disorder"
SAD, BIPOLAR = "Social Anxiety Disorder", "Bipolar Disorder"


@pytest.fixture(scope="module")
def judge() -> Judge:
    lexicon = load_lexicon()
    return Judge.of(lexicon.aliases, [MDD, GAD, PTSD, SAD, BIPOLAR, "No Disorder"])


def right(judge: Judge, reply: str, gold: str) -> bool:
    return judge.is_right(judge.read(reply, gold), reply, gold)


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("Major Depressive Disorder", MDD),
        ("major depressive disorders", MDD),
        ("*Major* _Depressive_ **Disorder**", MDD),
        ("Major Depressive Disorder, recurrent", MDD),
        ("It is MDD.", MDD),
        ("Generalised Anxiety Disorder", GAD),
        ("generalised-anxiety disorder", GAD),
        ("Posttraumatic stress disorder", PTSD),
        ("post traumatic stress disorder", PTSD),
        ("Post\u2010Traumatic Stress Disorder", PTSD),
        ("post\u2011trauma\u00adtic stress\u00a0disorder", PTSD),
        ("PTSD", PTSD),
        ("Social phobia", SAD),
        ("SAD", SAD),
        ("Bipolar II disorder", BIPOLAR),
        ("No mental disorder.", "No Disorder"),
        ("Ｍajor depressive disorder", MDD),
        ("DIAGNOSIS: No diagnosis", "No Disorder"),
    ],
)
def test_names_are_found(judge: Judge, text: str, gold: str) -> None:
    assert right(judge, text, gold)
    assert judge.names_gold(text, gold)


@pytest.mark.parametrize(
    ("text", "gold"),
    [
        ("He is sad and mad", SAD),
        ("mdd", MDD),
        ("The patient is glad", GAD),
        ("nonbipolar", BIPOLAR),
        ("Major. Depressive disorder", MDD),
        ("Major\n\ndepressive disorder", MDD),
        ("anxiety disorder", GAD),
        ("", MDD),
    ],
)
def test_what_only_looks_like_a_name_is_not(judge: Judge, text: str, gold: str) -> None:
    assert not right(judge, text, gold)
    assert not judge.names_gold(text, gold)


def test_a_denied_name_is_named_and_no_answer(judge: Judge) -> None:
    for text in ("DIAGNOSIS: not MDD", "It isn’t MDD", "We ruled out the diagnosis of MDD", "MDD and GAD"):
        assert judge.names_gold(text, MDD)
        assert not right(judge, text, MDD)


@pytest.mark.parametrize(
    ("reply", "gold", "expected"),
    [
        ("DIAGNOSIS: gout or pseudogout", "Gout", False),
        ("DIAGNOSIS: pseudogout or gout", "Gout", False),
        ("DIAGNOSIS: gout and/or pseudogout", "Gout", False),
        ('{"diagnosis": "Gout or pseudogout"}', "Gout", False),
        ("Diagnose: Gout oder Pseudogout", "Gout", False),
        ("Diagnóstico: gout o pseudogota", "Gout", False),
        ("DIAGNOSIS: gout, or podagra", "Gout", True),
        ("DIAGNOSIS: gout or, less likely, pseudogout", "Gout", True),
        ("DIAGNOSIS: gout with or without tophi", "Gout", True),
        ("DIAGNOSIS: acute or chronic gout", "Gout", True),
        ("DIAGNOSIS: gout. No infection or trauma.", "Gout", True),
        ("DIAGNOSIS: gout, not pseudogout or infection", "Gout", True),
        ("DIAGNOSIS: MDD or major depressive disorder", MDD, True),
        ("DIAGNOSIS: mild or moderate major depressive disorder", MDD, True),
        ("DIAGNOSIS: bipolar I or II disorder", BIPOLAR, True),
        ("Stroke due to new-onset atrial fibrillation", "Stroke", True),
        ("Stroke, most likely secondary to atrial fibrillation.", "Stroke", True),
        ("The most likely diagnosis is burnout.", "Gout", False),
        ("The most likely diagnosis is that of a cardiac arrest.", "Gout", False),
        ("Die wahrscheinlichste Diagnose ist eine Borreliose.", "Gout", False),
        ("El diagnóstico más probable es una brucelosis.", "Gout", False),
        ("Diagnostic : crise d'asthme", "Asthma", True),
        ("Le diagnostic le plus probable est un trouble panique.", "Panic Disorder", True),
        ("Diagnostic : trouble panique plutôt que trouble anxieux généralisé", "Panic Disorder", True),
        ("Diagnostic principal : trouble panique\nDiagnostic secondaire : BPCO", "Panic Disorder", True),
    ],
)
def test_an_answer_commits_itself_or_is_wrong(reply: str, gold: str, expected: bool) -> None:
    own = Judge.of(load_lexicon().aliases, ["Gout", MDD, GAD, BIPOLAR, "Stroke", "Asthma", "Panic Disorder"])
    reading = own.read(reply, gold)
    assert str(reading.outcome) in ("ok", "several")
    assert own.is_right(reading, reply, gold) is expected


@pytest.mark.parametrize(
    "reply",
    [
        "The most likely diagnosis is unclear.",
        "The most likely diagnosis is one of the following:",
        "The most likely diagnosis is based on the history.",
        "The diagnosis is made by a doctor.",
        "Diagnostic : indéterminé",
        "Ce n'est pas un trouble panique.",
        "B",
    ],
)
def test_what_gives_no_name_stays_without_an_answer(judge: Judge, reply: str) -> None:
    assert str(judge.read(reply, MDD).outcome) == "unreadable"


def test_a_label_inside_the_right_name_is_no_other_label() -> None:
    own = Judge.of(AliasTable(), ["Anxiety Disorder", "Social Anxiety Disorder"])
    assert right(own, "Social Anxiety Disorder", "Social Anxiety Disorder")
    assert not right(own, "Social Anxiety Disorder", "Anxiety Disorder")


def test_an_ambiguous_abbreviation_stands_for_each_of_its_labels() -> None:
    table = AliasTable({"Social Anxiety Disorder": ["SAD"], "Seasonal Affective Disorder": ["SAD"]})
    own = Judge.of(table, list(table.names))
    assert all(right(own, "SAD", gold) for gold in table.names)


def test_a_subtype_stands_for_its_kind_only_where_the_set_has_no_subtype(judge: Judge) -> None:
    both = Judge.of(load_lexicon().aliases, [BIPOLAR, "Bipolar II Disorder"])
    assert judge.read("DIAGNOSIS: cyclothymia", BIPOLAR).value == BIPOLAR
    assert both.read("Bipolar II disorder", BIPOLAR).value == "Bipolar II Disorder"


def test_users_extend_the_table_and_gold_labels_may_be_written_as_an_alias() -> None:
    table = load_lexicon({"major depressive disorders": ["the blues"], "Gout": ["podagra"]}).aliases
    own = Judge.of(table, [MDD, "gout", "PTSD", "dysthymia"])
    assert right(own, "Diagnosis: the blues", MDD)
    assert right(own, "MDD", MDD)
    assert right(own, "Podagra", "gout")
    assert right(own, "post-traumatic stress disorder", "PTSD")
    assert right(own, "Persistent depressive disorder", "dysthymia")


def test_every_bundled_name_is_read_as_its_label() -> None:
    table = load_lexicon().aliases
    own = Judge.of(table, list(table.names))
    for label, names in table.names.items():
        assert compact(label)
        for name in names:
            assert own.names_gold(f"It is {name}.", label), (label, name)
            assert own.read(f"DIAGNOSIS: {name}", label).value == label, (label, name)


def test_letters_as_labels_are_read_as_letters() -> None:
    own = Judge.of(AliasTable(), list("ABCD"))
    for reply in ("B", "**(B)**", "The answer is a tie, so ANSWER: B"):
        assert [right(own, reply, letter) for letter in "ABCD"] == [False, True, False, False]


@pytest.mark.parametrize(
    ("reply", "gold", "expected"),
    [
        ("... major depressive disorder ...", " Major Depressive Disorder\n", True),
        ("xxmddxx", "Major Depressive Disorder", True),
        ("major depression", "Major Depressive Disorder", True),
        ("MDD", "major depressive disorder", True),
        ("a gadget", "Generalized Anxiety Disorder", True),
        ("generalised anxiety disorder", "Generalized Anxiety Disorder", False),
        ("ptsd", "Post-Traumatic Stress Disorder", True),
        ("ptsd", "Posttraumatic Stress Disorder", False),
        ("manic depression", "Bipolar Disorder", True),
        ("bipolar ii", "Bipolar Disorder", True),
        ("schizophrenic disorder", "Schizophrenia", True),
        ("schizophreniform", "Schizophrenia", False),
        ("not schizophrenia", "Schizophrenia", True),
        ("<think>schizophrenia</think> no", "Schizophrenia", True),
        ("ocd", "Obsessive-Compulsive Disorder", False),
        ("major  depressive disorder", "Major Depressive Disorder", False),
        ("", "Major Depressive Disorder", False),
    ],
)
def test_source_correctness(reply: str, gold: str, expected: bool) -> None:
    assert correct_source(reply, gold) is expected
