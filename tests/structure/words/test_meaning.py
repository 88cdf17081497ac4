"""What text scorers measure is known: calibration triples in five languages, and no silent default."""

import json
from pathlib import Path

import numpy as np
import pytest

from concord.errors import MissingExtraError, ModelError, OptionError
from concord.structure.design import design_structure
from concord.structure.items import ArrangedItem
from concord.structure.words import scorers
from concord.structure.words.judged import (
    LANGUAGES,
    area_under_curve,
    calibrate,
    calibration_words,
    read_triples,
)
from concord.structure.words.scorers import Asked, chrf, get_scorer, resolved, similarity_of

needs_vectors = pytest.mark.skipif(not scorers.has_bundled(), reason="the extra `meaning` is not installed")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_language_has_sixty_triples_of_unlike_texts(language: str) -> None:
    triples = read_triples(language)
    assert len(triples) >= 60
    assert len({one.id for one in triples}) == len(triples)
    for one in triples:
        assert len({one.reference, one.paraphrase, one.near_miss, one.contradiction}) == 4


def test_a_language_without_triples_is_refused() -> None:
    with pytest.raises(OptionError, match="no calibration set for 'fr'; there are en"):
        read_triples("fr")


def test_a_scorer_that_knows_the_meaning_is_perfect_and_one_that_knows_the_contrary_is_not() -> None:
    right = {(one.paraphrase, one.reference) for one in read_triples("en")}
    perfect = calibrate("oracle", lambda reply, reference: float((reply, reference) in right), "en")
    assert perfect.against_contradiction.value == 1
    assert "it measures meaning better than a coin" in calibration_words(perfect)
    blind = calibrate("blind", lambda reply, reference: 0.3, "en")
    assert blind.against_contradiction.value is None
    assert "says nothing here" in calibration_words(blind)


def test_a_scorer_that_guesses_is_not_said_to_measure_words() -> None:
    rng = np.random.default_rng(1)
    words = [calibration_words(calibrate("coin", lambda a, b: float(rng.random()), "en")) for _ in range(40)]
    assert sum("is not shown to measure meaning better than a coin" in said for said in words) >= 34


def test_the_area_is_that_of_mann_and_whitney() -> None:
    rng = np.random.default_rng(2)
    x, y = rng.integers(0, 5, 9).astype(float), rng.integers(0, 5, 7).astype(float)
    from scipy.stats import mannwhitneyu

    assert area_under_curve(x, y) == pytest.approx(mannwhitneyu(x, y).statistic / 63)


@pytest.mark.parametrize("language", LANGUAGES)
def test_characters_are_said_to_measure_shared_words(language: str) -> None:
    found = calibrate("chrf2", chrf, language)
    assert found.against_contradiction.value is not None and found.against_contradiction.value < 0.5
    assert "measures shared words, not meaning" in calibration_words(found)


@needs_vectors
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_default_of_texts_is_the_better_one_by_the_calibration_set(language: str) -> None:
    assert resolved("text") == "meaning"
    similarity = similarity_of("meaning")
    assert similarity is not None
    vectors, characters = calibrate("meaning", similarity, language), calibrate("chrf2", chrf, language)
    assert vectors.against_contradiction.value is not None
    assert characters.against_contradiction.value is not None
    assert vectors.against_contradiction.value > characters.against_contradiction.value


@needs_vectors
def test_the_bundled_vectors_know_near_words() -> None:
    similar = scorers.bundled_embedding()
    near, far = similar("a large house", "a big home"), similar("a large house", "to sing loudly")
    assert near is not None and far is not None and near > far
    assert similar("", "x") is None
    asked = Asked(ArrangedItem("i", reference="a big home"), "paraphrases", "paraphrase 1")
    assert get_scorer("meaning")("a large house", asked).score == pytest.approx(near)


def test_without_the_extra_texts_are_scored_by_characters_and_the_scorer_says_what_lacks(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    scorers.bundled_embedding.cache_clear()
    monkeypatch.setattr(scorers, "find_spec", lambda name: None)
    monkeypatch.setattr(scorers, "has_bundled", scorers.has_bundled)
    assert resolved("text") == "chrf2"
    with pytest.raises(MissingExtraError, match="meaning"):
        scorers.bundled_embedding()


def test_a_folder_without_vectors_is_named(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"found 0 files \*.safetensors and 0 tokenizer"):
        get_scorer(f"static:{tmp_path}")


def test_sayings_are_asked_in_three_wordings_and_the_run_names_its_scorer() -> None:
    design = design_structure("proverbs-en", limit=2)
    assert [trial.cell for trial in design.trials[:3]] == ["paraphrase 1", "paraphrase 2", "paraphrase 3"]
    assert dict(design.options)["scorer"] == resolved("text")


def test_the_run_says_what_its_scores_mean() -> None:
    from concord.asking.asked.structure import calibrated

    design = design_structure("idioms-ko", limit=1, scorer="chrf2")
    found = calibrated(dict(design.files)["items.json"], dict(design.options))
    assert found is not None and found.language == "ko"
    assert calibrated(json.dumps({"items": []}).encode(), {"scorer": "chrf2"}) is None
