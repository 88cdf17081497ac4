"""The row "human half": one random half of the participants stands in for an agent, the other for people."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from concord.errors import InputError
from concord.people.predictions.controls import Sides
from concord.people.predictions.numbers import agent_numbers
from concord.people.predictions.respondents import N_SPLITS, Respondents, effects_of, half_effects
from concord.people.predictions.result import AgentAgreement
from concord.people.predictions.table import EffectPair

NAME = "human half"


def half_row(
    people: Respondents, pairs: Sequence[EffectPair], codes: Sequence[str], *, level: float, seed: int
) -> AgentAgreement:
    """Score people against people: the mean over random splits of the participants into halves."""
    effects = effects_of(people, pairs)
    rng = np.random.default_rng(seed)
    drawn: list[Sides | None] = [half_effects(people, effects, rng) for _ in range(N_SPLITS)]
    splits = [one for one in drawn if one is not None]
    if len(splits) < N_SPLITS:
        raise InputError(
            "a half of the people has too few answers of a condition, or answers that do not vary"
        )
    place = {pair.key: code for pair, code in zip(pairs, codes, strict=True)}
    numbers = agent_numbers(splits, [place[one.pair.key] for one in effects], level=level)
    note = f"mean of {N_SPLITS} splits of {people.n_persons} people into halves"
    said = {
        name: replace(one, note="; ".join(part for part in (one.note, note) if part))
        for name, one in numbers.items()
    }
    return AgentAgreement(NAME, said, len(effects), len(pairs) - len(effects), is_reference=True)
