"""What is sent makes the key; secrets are taken out of what is written."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.asking.connection import Redactor, check_keys, check_url, is_loopback, key_variables, strip_keys
from concord.asking.requests import Sampling, trial_key
from concord.errors import ModelError, OptionError
from concord.records import Message, Trial

TRIAL = Trial("reasoning", "v1", "cot", (Message("user", "Why?"),))
SAMPLING = Sampling(temperature=0.0, max_tokens=10)


@pytest.mark.parametrize(
    "changed",
    [
        (replace(TRIAL, messages=(Message("user", "Why not?"),)), "m", SAMPLING),
        (replace(TRIAL, messages=(Message("system", "Why?"),)), "m", SAMPLING),
        (replace(TRIAL, messages=(Message("system", ""), *TRIAL.messages)), "m", SAMPLING),
        (replace(TRIAL, repeat=1), "m", SAMPLING),
        (replace(TRIAL, cell="direct"), "m", SAMPLING),
        (replace(TRIAL, item="v2"), "m", SAMPLING),
        (replace(TRIAL, suite="structure"), "m", SAMPLING),
        (TRIAL, "n", SAMPLING),
        (TRIAL, "m", replace(SAMPLING, temperature=0.1)),
        (TRIAL, "m", replace(SAMPLING, temperature=None)),
        (TRIAL, "m", replace(SAMPLING, max_tokens=11)),
        (TRIAL, "m", replace(SAMPLING, top_p=1.0)),
        (TRIAL, "m", replace(SAMPLING, seed=0)),
    ],
    ids=lambda change: "",
)
def test_anything_that_is_sent_changes_the_key(changed: tuple[Trial, str, Sampling]) -> None:
    assert trial_key(*changed) != trial_key(TRIAL, "m", SAMPLING)


def test_what_is_not_sent_does_not_change_the_key() -> None:
    told = replace(TRIAL, about=(("gold_answer", "x"),))
    assert trial_key(told, "m", SAMPLING) == trial_key(TRIAL, "m", SAMPLING)


def test_the_key_is_the_same_in_every_process() -> None:
    assert trial_key(TRIAL, "m", SAMPLING).startswith("20cc2936")


@given(st.integers(0, 100), st.integers(0, 100))
def test_repeats_are_sent_different_seeds(seed: int, repeat: int) -> None:
    assert Sampling(seed=seed).seed_of(repeat) == seed + repeat
    assert Sampling().seed_of(repeat) is None


def test_only_the_keys_of_the_model_that_is_asked_are_secrets() -> None:
    environment = {
        "OPENAI_API_KEY": "sk-abcdefgh",
        "DB_PASSWORD": "Panic Disorder",
        "HF_TOKEN": "hf_12345678",
    }
    assert key_variables("openai/gpt-4o-mini", environment) == ("OPENAI_API_KEY",)
    assert key_variables("openai-api/my-server/m", {"MY_SERVER_API_KEY": "k"}) == ("MY_SERVER_API_KEY",)


@pytest.mark.parametrize(
    ("key", "text", "clean"),
    [
        ("sk-abcdefgh", "Bearer sk-abcdefgh!", "Bearer [hidden]!"),
        ("sk-abcdefgh\n", "Bearer sk-abcdefgh!", "Bearer [hidden]!"),
        ('sk-"quoted"', r"{'key': 'sk-\"quoted\"'}", "{'key': '[hidden]'}"),
        ("sk/with+signs", "?api_key=sk%2Fwith%2Bsigns&x", "?api_key=[hidden]&x"),
        ("user:password1", "Basic dXNlcjpwYXNzd29yZDE=", "Basic [hidden]="),
        ("k7", "k7", "k7"),
        ("k7q9x", "bad key k7q9x.", "bad key [hidden]."),
        ("k7q9x", "mark7q9xen", "mark7q9xen"),
        ("k7q", "I take k7q.", "I take k7q."),
        ("EMPTY", "the basket is empty, EMPTY", "the basket is empty, EMPTY"),
    ],
)
def test_a_key_is_hidden_in_every_shape_and_words_are_not(key: str, text: str, clean: str) -> None:
    assert Redactor([key]).text(text) == clean


def test_a_longer_key_is_taken_out_before_one_it_contains() -> None:
    assert Redactor(["abcdefg1", "abcdefg123"]).text("abcdefg123") == "[hidden]"


def test_a_document_is_cleared_whatever_it_is_made_of() -> None:
    found = Redactor(["sk-abcdefgh"]).value({"sk-abcdefgh": ["a", {"b": ("sk-abcdefgh", 1, None)}]})
    assert found == {"[hidden]": ["a", {"b": ["[hidden]", 1, None]}]}


def test_a_key_is_stripped_before_use() -> None:
    environment = {"OPENAI_API_KEY": " sk-abcdefgh\n"}
    strip_keys("openai/m", environment)
    assert environment == {"OPENAI_API_KEY": "sk-abcdefgh"}


@pytest.mark.parametrize(("value", "message"), [(" \n", "is set and blank"), ("sk-a\nb", "no key has")])
def test_what_cannot_be_a_key_is_refused_and_not_repeated(value: str, message: str) -> None:
    with pytest.raises(ModelError, match=message) as caught:
        check_keys("openai/m", {"OPENAI_API_KEY": value})
    assert "sk-a" not in str(caught.value)


NO_HOST = ("http://[", "http://h:999999/v1", "http://h:abc/v1", "http://\ud800/", f"http://{'a' * 300}/v1")


@pytest.mark.parametrize("url", ["ftp://x/v1", "127.0.0.1:80", "http://", "", "http://h:0/v1", *NO_HOST])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(OptionError, match="expected an address such as"):
        check_url(url)


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(OptionError, match="put the key into the environment") as caught:
        check_url("http://user:hunter2hunter2@server/v1")
    assert "hunter2" not in str(caught.value)


def test_a_key_in_the_query_of_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(OptionError, match="put the key into the environment") as caught:
        check_url("http://server/v1?api_key=hunter2hunter2")
    assert "hunter2" not in str(caught.value)
    with pytest.raises(OptionError, match="or a fragment"):
        check_url("http://server/v1#hunter2hunter2")


def test_loopback_is_this_machine_only() -> None:
    assert is_loopback("http://127.0.0.1:8000/v1")
    assert not is_loopback("https://api.example.org/v1")
