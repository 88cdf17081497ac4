"""A protocol holds every choice that turns tests into PAS, ECS and APR; each result names its own."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from concord import people
from concord.errors import OptionError
from concord.number_words import number
from concord.numeric import NumberRule


@dataclass(frozen=True, slots=True)
class Protocol:
    """Every choice of the scoring, one field each."""

    name: str
    human_prior_odds: float = 1.0
    agent_prior_odds: float = 1.0
    states: int = 3
    """3: positive, negative, no effect; 2: effect or none."""
    split: str = "exact"
    """How P(H1) is split by direction: the `exact` posterior, or by observed `sign` (1 - 1e-4, 1e-4)."""
    no_direction: str = "two-states"
    """A test without a direction: scored in `two-states`, or split in `halves`."""
    r_t: float = float(np.sqrt(0.5))
    """Prior scale of t tests (and of U, and of a correlation scored as t)."""
    r_f: float = 0.5
    """Prior scale of F tests."""
    correlation: str = "exact"
    """`exact` (Ly 2016), `wetzels`, or `one-sample-t` (N = n, nu = n - 1)."""
    kappa: float = 1.0
    """Width of the exact correlation prior."""
    f_rule: str = "by-design"
    """F tests `by-design` (cells, pairs, regression), or all by the `regression` form with the total N."""
    chi_square: str = "gunel-dickey"
    """Tables by `gunel-dickey`, or by `bic-yates` (chi-square, Yates-corrected on 2 x 2, through BIC)."""
    capped: bool = False
    """t² > 100 or F > 100 gives a Bayes factor of 10^6."""
    conversions: str = "standard"
    """Effect conversions: `standard`, `refined` or `published`."""
    include_unsigned: bool = False
    """Put effects without a sign (F with df1 > 1) into ECS."""
    pas_pooling: str = "n_eff"
    """Weights of tests inside a finding: `n_eff` of the agent's test, or `equal`."""
    finding_key: str = "sub-study"
    """What names a finding inside a study: `sub-study` and finding, or the `bare` finding id."""
    study_pooling: str = "mean"
    """Findings to study: `mean` of PAS, or `mean-z` of their Fisher z."""
    empty_finding: float | None = None
    """PAS of a finding that has tests and no PAS; None: undefined."""
    concordance: str = "lin"
    """`lin`, or `unnormalised` (the sums of squares not divided by the weights)."""
    weights_over: str = "used"
    """Tests counted in the weights of ECS: those `used`, or all `listed`."""
    ecs_strict: str = "rms"
    """Finding level of ECS-strict: `rms` of Z, or `calibrated` (upper chi-square tail)."""
    apr_over: str = "all"
    """Headline APR over `all` tests with both sides, or over `human-significant` ones."""
    missing: str = "left-out"
    """A test that the agent lacks is `left-out` of APR, or counts as a `fail` (the source's total)."""
    within_f: str = "bic"
    """Bayes factor of a within-subject F with df1 > 1: `bic` (Masson 2011), or the `bound` on a given p."""
    variance_ratio: str = "beta"
    """Bayes factor of a variance ratio: `beta` prior on the share of precision, or the `bound` on p."""
    intervals: str = "by-data"
    """Intervals over other studies: chosen `by-data` so that they hold near the ends, or `jackknife`."""
    within_study: float = 0.5
    """Correlation of the tests of the same people, where new participants and agents are simulated."""
    true_effects: str = "mixture"
    """True human effects behind the ceiling: a drawn `mixture`, or `normal` around zero with nulls."""

    def measures(self) -> str:
        """Say what the three measures are under these choices, for a paper."""
        states = (
            "three conclusions (an effect upwards, none, an effect downwards)"
            if self.states == 3
            else "two conclusions (an effect, none)"
        )
        over = " of those significant for people" if self.apr_over == "human-significant" else ""
        return (
            "PAS is the probability that the test of the model and the test of people lead to the same of "
            f"{states}, from Bayes factors with default priors (Rouder et al., 2009). Their scale is "
            f"{number(self.r_t)} for t tests and {number(self.r_f)} for F tests; the prior odds of an effect "
            f"are {self.human_prior_odds:g} for people and {self.agent_prior_odds:g} for the model. ECS is "
            f"Lin's (1989) concordance of effect sizes d. APR is the share of tests{over} that pass as "
            "replications: the model's test is significant, p below the test's alpha (0.05 unless the table "
            "says otherwise), and its effect has the direction of the human one."
        )

    def to_dict(self) -> dict[str, object]:
        """Return every choice, for the record of a result."""
        return asdict(self)


_CHOICES = {
    "states": (2, 3),
    "split": ("exact", "sign"),
    "no_direction": ("two-states", "halves"),
    "correlation": ("exact", "wetzels", "one-sample-t"),
    "f_rule": ("by-design", "regression"),
    "chi_square": ("gunel-dickey", "bic-yates"),
    "conversions": ("standard", "refined", "published"),
    "pas_pooling": ("n_eff", "equal"),
    "finding_key": ("sub-study", "bare"),
    "study_pooling": ("mean", "mean-z"),
    "concordance": ("lin", "unnormalised"),
    "weights_over": ("used", "listed"),
    "ecs_strict": ("rms", "calibrated"),
    "apr_over": ("all", "human-significant"),
    "missing": ("left-out", "fail"),
    "within_f": ("bic", "bound"),
    "variance_ratio": ("beta", "bound"),
    "intervals": ("by-data", "jackknife"),
    "true_effects": ("mixture", "normal"),
}
_POSITIVE = NumberRule(1e-6, 1e6, "a positive number, from 0.000001 to 1,000,000")
_NUMBERS: Mapping[str, NumberRule] = {
    **dict.fromkeys(("human_prior_odds", "agent_prior_odds", "r_t", "r_f"), _POSITIVE),
    "kappa": NumberRule(0.01, 1e6, "a positive number, from 0.01 to 1,000,000"),
    "within_study": NumberRule(0, 1, "a correlation from 0 to below 1", open_high=True),
}


def check_protocol(protocol: Protocol) -> Protocol:
    """Refuse a protocol with a choice that does not exist, naming the choices that do."""
    for field, choices in _CHOICES.items():
        value = getattr(protocol, field)
        if value not in choices:
            options = ", ".join(map(repr, choices))
            raise OptionError(f"protocol {protocol.name!r}: {field} is {value!r}; expected one of {options}")
    for field, rule in _NUMBERS.items():
        rule.check(f"protocol {protocol.name!r}: {field}", getattr(protocol, field))
    return protocol


def _bundled_protocol(name: str) -> Protocol:
    """Return a protocol that comes with Concord, a file like those of users."""
    choices = json.loads(
        (Path(people.__path__[0]) / "data" / "protocols" / f"{name}.json").read_text("utf-8")
    )
    like = choices.pop("like", None)
    return Protocol(**choices) if like is None else replace(STANDARD, **choices)


STANDARD = _bundled_protocol("standard")
REFINED, PUBLISHED = _bundled_protocol("refined"), _bundled_protocol("published")
PROTOCOLS = {protocol.name: protocol for protocol in (STANDARD, REFINED, PUBLISHED)}


def with_choices(protocol: Protocol, choices: Mapping[str, Any]) -> Protocol:
    """Return a protocol with other choices, and these in its name."""
    changed = {field: value for field, value in choices.items() if value != getattr(protocol, field)}
    if changed:
        words = ", ".join(f"{field}={value}" for field, value in sorted(changed.items()))
        protocol = replace(protocol, name=f"{protocol.name} ({words})", **changed)
    return check_protocol(protocol)
