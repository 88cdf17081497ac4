"""What is sent makes the key; secrets are taken out of what is written."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from concord.asking.keys import Sampling, check_url, is_loopback, scrub, secrets_of, trial_key
from concord.errors import OptionError
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


def test_secrets_are_values_of_variables_named_like_one() -> None:
    environment = {
        "OPENAI_API_KEY": "sk-abcdefgh",
        "HF_TOKEN": "hf_12345678",
        "HOME": "/home/someone",
        "KEY": "1",
    }
    assert secrets_of(environment) == ("hf_12345678", "sk-abcdefgh")
    assert scrub("Bearer sk-abcdefgh!", secrets_of(environment)) == "Bearer [hidden]!"


def test_a_longer_secret_is_taken_out_before_one_it_contains() -> None:
    environment = {"A_KEY": "abcdefgh", "B_KEY": "abcdefghij"}
    assert scrub("abcdefghij", secrets_of(environment)) == "[hidden]"


@pytest.mark.parametrize("url", ["ftp://x/v1", "127.0.0.1:80", "http://", ""])
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(OptionError, match="expected an address such as"):
        check_url(url)


def test_a_password_in_an_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(OptionError, match="put the key into the environment") as caught:
        check_url("http://user:hunter2hunter2@server/v1")
    assert "hunter2" not in str(caught.value)


def test_loopback_is_this_machine_only() -> None:
    assert is_loopback("http://127.0.0.1:8000/v1")
    assert not is_loopback("https://api.example.org/v1")
