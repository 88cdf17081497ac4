"""Names in answers: whole words, variants, abbreviations, negation, other names; and the source's rule."""

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


def right(judge: Judge, text: str, gold: str, negation: str = "ignore", multiple: str = "any") -> bool:
    return judge.verdicts(text, gold)[negation, multiple]


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
        ("There is no mental disorder.", "No Disorder"),
        ("Ｍajor depressive disorder", MDD),
        ("major\ndepressive disorder", MDD),
    ],
)
def test_names_are_found(judge: Judge, text: str, gold: str) -> None:
    assert right(judge, text, gold)


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


@pytest.mark.parametrize(
    "text", ["Not MDD", "MDD is less likely here: ruled out MDD", "This rules out an MDD"]
)
def test_negated_names_count_unless_excluded(judge: Judge, text: str) -> None:
    assert right(judge, text, MDD)


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("not MDD", False),
        ("We ruled out the diagnosis of MDD", False),
        ("It isn’t MDD", False),
        ("not one two three four five MDD", False),
        ("not one two three four five six MDD", True),
        ("It is not severe. MDD", True),
        ("not GAD\nMDD", True),
        ("not MDD at first, but later MDD after all this time in the clinic, so MDD", True),
        ("MDD", True),
    ],
)
def test_a_cue_within_six_words_of_the_sentence_negates(judge: Judge, text: str, kept: bool) -> None:
    assert right(judge, text, MDD, "exclude") is kept


@pytest.mark.parametrize(
    ("text", "only", "only_kept"),
    [
        ("MDD", True, True),
        ("MDD and GAD", False, False),
        ("MDD, not GAD", False, True),
        ("MDD and panic disorder", True, True),
        ("GAD", False, False),
    ],
)
def test_only_lets_no_other_gold_label_be_named(judge: Judge, text: str, only: bool, only_kept: bool) -> None:
    assert right(judge, text, MDD, "ignore", "only") is only
    assert right(judge, text, MDD, "exclude", "only") is only_kept


def test_a_label_inside_the_right_name_is_no_other_label() -> None:
    judge = Judge.of(AliasTable(), ["Anxiety Disorder", "Social Anxiety Disorder"])
    assert judge.verdicts("Social Anxiety Disorder", "Social Anxiety Disorder")["ignore", "only"]
    assert not judge.verdicts("Social Anxiety Disorder", "Anxiety Disorder")["ignore", "only"]


def test_an_ambiguous_abbreviation_stands_for_each_of_its_labels() -> None:
    table = AliasTable({"Social Anxiety Disorder": ["SAD"], "Seasonal Affective Disorder": ["SAD"]})
    judge = Judge.of(table, list(table.names))
    for gold in table.names:
        assert judge.verdicts("SAD", gold)["ignore", "only"]


def test_users_extend_the_table() -> None:
    table = load_lexicon({"major depressive disorders": ["the blues"], "Gout": ["podagra"]}).aliases
    judge = Judge.of(table, [MDD, "gout"])
    assert judge.verdicts("He has the blues", MDD)["ignore", "any"]
    assert judge.verdicts("MDD", MDD)["ignore", "any"]
    assert judge.verdicts("Podagra", "gout")["ignore", "any"]


def test_gold_labels_may_be_written_as_an_alias() -> None:
    lexicon = load_lexicon()
    judge = Judge.of(lexicon.aliases, ["PTSD", "dysthymia"])
    assert judge.verdicts("post-traumatic stress disorder", "PTSD")["ignore", "any"]
    assert judge.verdicts("Persistent depressive disorder", "dysthymia")["ignore", "any"]


def test_every_bundled_name_is_found_for_its_label() -> None:
    table = load_lexicon().aliases
    judge = Judge.of(table, list(table.names))
    for label, names in table.names.items():
        assert compact(label)
        for name in names:
            assert judge.verdicts(f"It is {name}.", label)["ignore", "any"], (label, name)


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
