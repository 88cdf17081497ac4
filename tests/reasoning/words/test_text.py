"""Normalisation by both sets of rules, and folded words."""

import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.reading.names import Words, fold_word
from concord.reasoning.words.split import normalise, token_sets, tokens


@pytest.mark.parametrize(
    ("text", "standard", "source"),
    [
        ("Résumé", "resume", "re sume"),
        ("Low-mood, 2 weeks!", "low-mood 2 weeks", "low-mood 2 weeks"),
        ("a_b – c — d", "a_b c d", "a_b c d"),
        ("ﬁrst ½ Ⅳ", "first 1 2 iv", "first 1 2 iv"),
        ("İstanbul", "istanbul", "i stanbul"),
        ("  tabs\tand\nlines\u00a0too ", "tabs and lines too", "tabs and lines too"),
        ("- bullet - point", "- bullet - point", "- bullet - point"),
        ("***", "", ""),
        ("x\u200by", "x y", "x y"),
    ],
)
def test_normalised_text(text: str, standard: str, source: str) -> None:
    assert normalise(text) == standard
    assert normalise(text, rules="source") == source


def source_oracle(text: str) -> list[str]:
    """Write the bracketed rule down word by word."""
    flat = unicodedata.normalize("NFKD", text).lower()
    return re.sub(r"\s+", " ", re.sub(r"[^\w\s-]", " ", flat)).strip().split()


@given(st.text(max_size=60))
def test_source_tokens_follow_the_written_rule(text: str) -> None:
    assert tokens(text, rules="source") == source_oracle(text)


def standard_oracle(text: str) -> list[str]:
    flat = unicodedata.normalize("NFKD", text)
    flat = "".join(char for char in flat if not unicodedata.category(char).startswith("M")).lower()
    # Lower-casing can bring marks back (no letter does after NFKD, which a failure here would show).
    return re.sub(r"[^\w\s-]", " ", flat).split()


@given(st.text(max_size=60))
def test_standard_tokens_follow_the_written_rule(text: str) -> None:
    assert tokens(text) == standard_oracle(text)


@given(st.lists(st.text(max_size=20), max_size=5), st.sampled_from(["standard", "source"]))
def test_sets_of_many_texts_are_the_sets_of_each(texts: list[str], rules: str) -> None:
    assert token_sets(texts, rules=rules) == [set(tokens(text, rules=rules)) for text in texts]


def test_sets_survive_the_separator_inside_a_text() -> None:
    assert token_sets(["a\x1eb", "c"]) == [{"a", "b"}, {"c"}]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Generalised", "generalized"),
        ("behavioural", "Behavioral"),
        ("paediatrics", "pediatric"),
        ("phobias", "phobia"),
        ("anxieties", "anxiety"),
        ("Alzheimer’s", "alzheimer"),
        ("psychoses", "psychosis"),
        ("labelled", "labeled"),
    ],
)
def test_variants_fold_together(one: str, other: str) -> None:
    assert fold_word(one) == fold_word(other)


@pytest.mark.parametrize(
    ("one", "other"), [("male", "female"), ("stress", "stres"), ("bus", "bu"), ("sad", "sadly")]
)
def test_different_words_stay_apart(one: str, other: str) -> None:
    assert fold_word(one) != fold_word(other)


def test_decomposed_soft_hyphened_and_zero_width_words_are_whole() -> None:
    assert Words("de\u0301pression ge\u00adneral z\u200bero").folded == ["depression", "general", "zero"]
