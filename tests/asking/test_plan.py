"""What a run will take, before anything is spent."""

from dataclasses import replace
from typing import Any

import pytest

from concord.asking import runs
from concord.asking.limits import Prices
from concord.asking.plan import Range, make_plan
from concord.asking.requests import Sampling
from concord.errors import OptionError
from concord.records import AnswerForm, Design, Message, Trial

TRIALS = tuple(Trial("reasoning", f"v{i}", "cot", (Message("user", "x" * 330),)) for i in range(10))
DESIGN = Design("reasoning", TRIALS, ())


def test_tokens_are_a_range_over_what_is_left_to_ask() -> None:
    plan = make_plan(DESIGN, TRIALS[:4], max_tokens=100, prices=None)
    assert (plan.n_trials, plan.n_stored, plan.n_to_ask) == (10, 6, 4)
    assert (plan.input_tokens.low, plan.input_tokens.high) == (4 * (60 + 3), 4 * (110 + 12))
    assert (plan.output_tokens.low, plan.output_tokens.high) == (20, 400)
    assert plan.cost is None


def test_cost_is_a_range_when_prices_are_given() -> None:
    plan = make_plan(DESIGN, TRIALS[:4], max_tokens=100, prices=Prices(1.0, 10.0))
    assert plan.cost is not None
    assert (plan.cost.low, plan.cost.high) == pytest.approx(((252 + 200) / 1e6, (488 + 4000) / 1e6))


def test_the_likely_cost_comes_from_usual_replies_and_from_stored_ones_when_there_are_five() -> None:
    asked = [
        replace(trial, forms=(AnswerForm("label", reasoning=i % 2 == 0),)) for i, trial in enumerate(TRIALS)
    ]
    design, prices = Design("reasoning", tuple(asked), ()), Prices(1.0, 10.0)
    first = make_plan(design, asked, max_tokens=500, prices=prices)
    assert first.output_tokens == Range(50, 5000, 5 * 250 + 5 * 25)
    assert first.input_tokens.likely == round(10 * (330 / 4.3 + 7))
    assert first.cost is not None
    assert first.cost.low < first.cost.likely < first.cost.high
    # of five stored trials each took twice as much as was guessed, whatever it was
    took = [(trial, 2 * 100, 2 * (250 if trial.forms[0].reasoning else 25)) for trial in asked[:5]]
    plan = make_plan(design, asked[5:], max_tokens=500, prices=prices, stored=took)
    assert plan.n_seen == 5
    assert plan.output_tokens.likely == pytest.approx(2 * (2 * 250 + 3 * 25))
    assert (plan.output_tokens.low, plan.output_tokens.high) == pytest.approx((1150, 1150))
    assert plan.input_tokens.likely == pytest.approx(5 * 200, rel=0.01)
    assert plan.cost is not None
    assert plan.cost.likely == pytest.approx((1000 + 11500) / 1e6, rel=0.01)
    few = make_plan(design, asked[5:], max_tokens=500, prices=prices, stored=took[:4])
    assert few.n_seen == 0


def test_dense_scripts_take_more_tokens_a_character() -> None:
    plain = Design("s", (Trial("s", "a", "", (Message("user", "abcd"),)),), ())
    dense = Design("s", (Trial("s", "a", "", (Message("user", "画蛇添足"),)),), ())
    plans = [make_plan(one, one.trials, max_tokens=1, prices=None) for one in (plain, dense)]
    assert plans[1].input_tokens.high > plans[0].input_tokens.high


def test_the_range_holds_the_tokens_that_the_embedded_model_counts() -> None:
    # 286 prompts of the reasoning question: 76,000 tokens or so by SmolLM2's tokenizer (its run record).
    plan = runs.plan_run(runs.job("reasoning", "local/smollm2-135m"))
    assert plan.input_tokens.low < 70_000 < plan.input_tokens.high


@pytest.mark.parametrize("price", [-1.0, 1e300, float("inf"), float("nan")])
def test_a_price_that_is_none_is_refused(price: float) -> None:
    with pytest.raises(OptionError, match="expected the price of a million tokens"):
        Prices(price, 1.0)


@pytest.mark.parametrize(
    ("sampling", "message"),
    [
        (Sampling(temperature=-0.1), "temperature is -0.1; expected a number from 0 to 2"),
        (Sampling(temperature=float("nan")), "temperature is nan"),
        (Sampling(max_tokens=0), "max_tokens is 0"),
        (Sampling(top_p=0.0), "top_p is 0.0"),
    ],
)
def test_settings_that_do_not_fit_are_told(sampling: Sampling, message: str) -> None:
    with pytest.raises(OptionError, match=message):
        runs.job("reasoning", "m/x", sampling=sampling)


@pytest.mark.parametrize("vast", [10**9, 10**12, 10**30])
@pytest.mark.parametrize(
    ("question", "option"),
    [
        ("structure", {"items": "idioms-ko", "limit": 1}),
        ("reasoning", {"limit": 1}),
        ("judge", {}),
        ("probes", {}),
    ],
)
def test_more_trials_than_can_be_planned_are_refused_at_once(
    question: str, option: dict[str, Any], vast: int
) -> None:
    with pytest.raises(OptionError, match="trials in one run, expected at most 1,000,000"):
        runs.job(question, "mockllm/model", repeats=vast, **option)


@pytest.mark.parametrize("vast", [10**9, 10**30])
def test_more_participants_than_can_be_planned_are_refused_at_once(vast: int) -> None:
    with pytest.raises(OptionError, match="--n: [0-9,]+ sessions in one run, expected at most 100,000"):
        runs.job("people", "mockllm/model", study=["framing"], n=vast, limit=1)
