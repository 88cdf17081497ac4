"""Models of options with a known preference."""

import numpy as np

from concord.structure.options.result import OptionReply, OptionResult
from concord.structure.options.score import score_options


def replies(
    bias: float, knows: float, *, n: int = 24, k: int = 2, seed: int = 0, places: int = 4
) -> list[OptionReply]:
    """Let a model take the first place with chance ``bias``, else what it knows or guesses."""
    rng = np.random.default_rng(seed)
    found = []
    for i in range(n):
        for start in range(places):
            for _ in range(k):
                right = (i - start) % places
                guess = right if rng.random() < knows else int(rng.integers(places))
                place = 0 if rng.random() < bias else guess
                answer = str((place + start) % places)
                found.append(OptionReply(f"i{i}", str(start), answer, place, right, places, place == right))
    return found


def result(
    model: str, bias: float, knows: float, *, seed: int = 0, arranger: str = "options-cyclic"
) -> OptionResult:
    made = replies(bias, knows, seed=seed)
    return OptionResult(model, score_options(made, n_permutations=99), "set.json", arranger, tuple(made))
