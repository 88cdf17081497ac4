"""Replies in French: the answer is found, denials are, and names of diagnoses are known."""

import pytest
from tests.reasoning.words.test_reply_set import read

LABELS = [
    "Panic Disorder",
    "Generalized Anxiety Disorder",
    "Major Depressive Disorder",
    "Bipolar II Disorder",
]
BODY = ["Asthma", "Chronic Obstructive Pulmonary Disease", "Stroke", "Myocardial Infarction"]


@pytest.mark.parametrize(
    ("reply", "gold"),
    [
        ("Diagnostic : Trouble panique", "Panic Disorder"),
        ("**Diagnostic final :** trouble panique", "Panic Disorder"),
        ("### Réponse finale\nTrouble anxieux généralisé", "Generalized Anxiety Disorder"),
        ("Le diagnostic le plus probable est un trouble panique.", "Panic Disorder"),
        (
            "Les attaques sont imprévues.\n\nLe diagnostic retenu est donc celui de trouble panique.",
            "Panic Disorder",
        ),
        ("Il ne s'agit pas d'un trouble panique mais d'un trouble anxieux généralisé.",
         "Generalized Anxiety Disorder"),
        ("Raisonnement : l'humeur est basse depuis deux mois.\nDiagnostic : épisode dépressif caractérisé",
         "Major Depressive Disorder"),
        ("Diagnostic : trouble panique (et non un trouble anxieux généralisé)", "Panic Disorder"),
        ("Diagnostic : trouble panique plutôt que trouble anxieux généralisé", "Panic Disorder"),
        ("Le trouble anxieux généralisé est écarté. Diagnostic : trouble panique", "Panic Disorder"),
        ("Diagnostic : trouble panique. Diagnostic différentiel : trouble anxieux généralisé.",
         "Panic Disorder"),
        ('{"raisonnement": "humeur basse", "diagnostic": "Trouble dépressif majeur"}',
         "Major Depressive Disorder"),
        ("Réponse : trouble bipolaire de type II", "Bipolar II Disorder"),
        ("Sans aucun doute, il s'agit d'un trouble panique.", "Panic Disorder"),
        ("La réponse est : **trouble panique**.", "Panic Disorder"),
        ("Trouble panique", "Panic Disorder"),
        ("Les antécédents de trouble bipolaire de type II sont à noter, mais le tableau actuel est celui "
         "d'un trouble panique.", "Panic Disorder"),
    ],
)  # fmt: skip
def test_a_french_answer_is_right_for_its_label_and_wrong_for_another(reply: str, gold: str) -> None:
    assert read(LABELS, reply, gold) == ("answered", True)
    other = next(label for label in LABELS if label != gold)
    assert read(LABELS, reply, other) == ("answered", False)


@pytest.mark.parametrize(
    ("reply", "gold"),
    [
        ("Diagnostic : BPCO", "Chronic Obstructive Pulmonary Disease"),
        ("Conclusion : AVC ischémique", "Stroke"),
        ("Diagnostic principal : infarctus du myocarde\nDiagnostic secondaire : BPCO",
         "Myocardial Infarction"),
        ("L'asthme est peu probable. Le plus vraisemblable est une BPCO.",
         "Chronic Obstructive Pulmonary Disease"),
        ("Diagnostic : asthme (à distinguer d'une BPCO)", "Asthma"),
    ],
)  # fmt: skip
def test_bodies_have_french_names_too(reply: str, gold: str) -> None:
    assert read(BODY, reply, gold) == ("answered", True)


@pytest.mark.parametrize(
    ("reply", "outcome"),
    [
        ("Je ne peux pas poser de diagnostic ; consultez un médecin.", "refused"),
        ("Je ne suis pas en mesure d'établir un diagnostic à partir d'un texte.", "refused"),
        ("Diagnostic : indéterminé", "no answer"),
        ("Le tableau pourrait évoquer un trouble panique ou un trouble anxieux généralisé.", "no answer"),
        ("Ce n'est pas un trouble panique.", "no answer"),
    ],
)
def test_a_french_reply_without_an_answer_has_none(reply: str, outcome: str) -> None:
    assert read(LABELS, reply, "Panic Disorder")[0] == outcome


@pytest.mark.parametrize(
    "reply",
    [
        "Diagnostic criteria of panic disorder are met in part. Diagnosis: Generalized Anxiety Disorder",
        "Diagnosis: Generalized Anxiety Disorder\nDiagnostic considerations: panic disorder",
        "The analysis is done.\nAnswer: Generalized Anxiety Disorder",
    ],
)
def test_english_words_that_french_shares_change_nothing(reply: str) -> None:
    assert read(LABELS, reply, "Generalized Anxiety Disorder") == ("answered", True)
