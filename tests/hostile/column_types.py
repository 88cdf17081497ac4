"""Tables of every kind that Concord reads, and columns of every type that a frame can hold."""

from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any

import polars as pl

from concord import api

N = 4
TABLES: dict[str, tuple[dict[str, list[Any]], Callable[[Any], object]]] = {
    "tests": (
        {"study": ["s", "s", "t", "t"], "finding": list("abcd"), "test": list("wxyz"),
         "test_type": ["t-test"] * N, "human_statistic": [1.0, 2, 3, 4], "human_n": [30] * N,
         "human_p_value": [None] * N, "agent_statistic": [2.0, 1, 3, 4], "agent_n": [30] * N},
        lambda table: api.score_people(table, n_resamples=0, n_simulations=0),
    ),
    "tests of agents": (
        {"agent": list("abab"), "study": ["s"] * N, "finding": ["f"] * N, "test": list("xxyy"),
         "test_type": ["t-test"] * N, "human_statistic": [1.0, 1, 3, 3], "human_n": [30] * N,
         "agent_statistic": [2.0, 1, 3, 4], "agent_n": [30] * N},
        lambda table: api.score_people(table, agent_column="agent", n_resamples=0, n_simulations=0),
    ),
    "effects": (
        {"study": list("aabb"), "condition": list("wxyz"), "human_estimate": [0.1, 0.2, 0.3, 0.4],
         "human_se": [0.1] * N, "agent_estimate": [0.2, 0.1, 0.4, 0.3]},
        api.score_predictions,
    ),
    "answers": (
        {"study": ["s"] * N, "outcome": list("aabb"), "person": list("pqpq"), "group": list("xyxy"),
         "human": [1, 2, 3, 4], "agent": [1, 2, 2, 3]},
        lambda table: api.score_answers(table, n_resamples=10),
    ),
    "counts of answers": (
        {"outcome": ["o"] * N, "option": list("1234"), "human_count": [3, 4, 5, 6],
         "agent_count": [4, 3, 2, 1]},
        lambda table: api.score_answers(table, n_resamples=10),
    ),
    "answers side by side": (
        {"person": list("pqrs"), "human_trust": [1, 2, 3, 4], "agent_trust": [1, 2, 2, 3]},
        lambda table: api.score_answers(table, n_resamples=10),
    ),
    "answers one below the other": (
        {"outcome": ["o"] * N, "source": ["human", "human", "m", "m"], "answer": [1, 2, 3, 4]},
        lambda table: api.score_answers(table, n_resamples=10),
    ),
    "moments of answers": (
        {"outcome": list("wxyz"), "human_mean": [1.0] * N, "human_sd": [2.0] * N, "human_n": [30] * N,
         "agent_mean": [1.5] * N, "agent_sd": [2.0] * N, "agent_n": [30] * N},
        lambda table: api.score_answers(table, n_resamples=10),
    ),
    "people and predictions": (
        {"arm": list("abab"), "answer": [1, 2, 3, 4], "prediction": [1, 3, 2, 4]},
        lambda table: api.combine(table, [{"arm": "ab"[k % 2], "prediction": k + 1.5} for k in range(4)]),
    ),
    "scores of items": (
        {"model": ["m"] * N, "arrangement": ["AB", "AB", "BA", "BA"], "item": list("xyxy"),
         "S_mean": [0.4, 0.5, 0.6, 0.7], "S_max": [0.5, 0.6, 0.7, 0.8]},
        lambda table: api.score_structure(scores=table, reading="paired", resamples=200),
    ),
    "scores": (
        {"item": list("abcd"), "score": [1.0, 0, 1, 0], "cluster": list("xxyy")},
        lambda table: api.compare(table, table, n_flips=50),
    ),
    "verdicts": (
        {"judge": ["j"] * N, "pair": list("1122"), "order": ["ab", "ba"] * 2,
         "verdict": ["first", "second", "tie", "first"], "length_a": [3] * N},
        lambda table: api.score_judge(table, n_permutations=99),
    ),
    "options": (
        {"item": list("1122"), "arrangement": ["AB", "BA"] * 2, "chosen": list("ABAA"),
         "right": list("ABAB"), "n_options": [2] * N},
        lambda table: api.score_options(table, n_permutations=99),
    ),
    "probes": (
        {"probe": ["early"] * N, "id": ["a"] * N, "cell": ["prefix"] * N, "step": [0, 1, 2, 3],
         "n_steps": [3] * N, "answer": list("AABB")},
        api.score_probes,
    ),
    "hints": (
        {"model": list("abcd"), "influenced_count": [40] * N, "both_count": [10] * N,
         "thinking_only_count": [10] * N, "answer_only_count": [10] * N, "neither_count": [10] * N},
        api.score_hints,
    ),
    "vignettes": (
        {"id": list("abcd"), "prompt": list("pqrs"), "gold_answer": ["gout"] * N,
         "gold_reasoning": [["red toe"]] * N},
        lambda table: api.score_reasoning(
            table, [{"id": one, "mode": mode, "response": "DIAGNOSIS: gout"} for one in "abcd"
                    for mode in ("cot", "direct")],
            model="m", n_resamples=100),
    ),
}  # fmt: skip
"""Columns of a small whole table, and what reads it."""


def _dates(numbers: list[int | None], kind: Any, physical: Any = pl.Int64) -> pl.Series:
    return pl.Series(numbers, dtype=physical).cast(kind)


_FAR_DAYS = _dates([1_095_000_000, 5, None, 7], pl.Date, pl.Int32)
COLUMNS: dict[str, pl.Series] = {
    "whole": pl.Series([1, 2, None, 4]),
    "small": pl.Series([1, 2, None, 4], dtype=pl.Int8),
    "unsigned": pl.Series([2**64 - 1, 2, None, 4], dtype=pl.UInt64),
    "vast": pl.Series([2**63 - 1, -(2**63), None, 4]),
    "float": pl.Series([0.5, float("nan"), float("inf"), None]),
    "single": pl.Series([0.1, float("nan"), -float("inf"), 1e38], dtype=pl.Float32),
    "decimal": pl.Series([Decimal("1.50"), None, Decimal("-3"), Decimal("4")]),
    "truth": pl.Series([True, False, None, True]),
    "nothing": pl.Series([None] * N, dtype=pl.Null),
    "text": pl.Series(["a\0b", "\u202e", None, "x" * 5000]),
    "bytes": pl.Series([b"\xff", b"", None, b"a"]),
    "category": pl.Series(["a", "b", None, "a"], dtype=pl.Categorical),
    "enum": pl.Series(["a", "b", None, "a"], dtype=pl.Enum(["a", "b"])),
    "date": _dates([1, 5, None, 7], pl.Date, pl.Int32),
    "moment": _dates([1, 5, None, 7], pl.Datetime("ns", "Asia/Tokyo")),
    "time of day": _dates([1, 5, None, 7], pl.Time),
    "duration": _dates([1, 5 * 10**9, None, 7], pl.Duration("us")),
    "far date": _FAR_DAYS,
    "far moment": _dates([9 * 10**18, 5, None, 7], pl.Datetime("ms", "Asia/Tokyo")),
    "far duration": _dates([2**62, 5, None, 7], pl.Duration("ms")),
    "list": pl.Series([[1, 2], [], None, [None]]),
    "list of tables": pl.Series([[[10, 20], [20, 10]]] * N),
    "list of far dates": _FAR_DAYS.alias("d").to_frame().select(pl.concat_list("d")).to_series(),
    "array": pl.Series([[1, 2]] * N, dtype=pl.Array(pl.Int64, 2)),
    "structure": pl.Series([{"a": 1}, {"a": None}, None, {"a": 2}]),
    "structure of far dates": _FAR_DAYS.alias("d").to_frame().select(pl.struct("d")).to_series(),
    "object": pl.Series([object(), {1, 2}, None, 1j], dtype=pl.Object),
}  # fmt: skip
"""One column of every type, most with a missing cell."""


def pandas_columns() -> Iterator[tuple[str, Any]]:
    """Return columns that only pandas can hold."""
    import numpy as np
    import pandas as pd

    yield "nullable whole", pd.array([1, 2, None, 4], dtype="Int64")
    yield "nullable truth", pd.array([True, None, False, True], dtype="boolean")
    yield "text with NA", pd.array(["a", None, "b", "c"], dtype="string")
    yield "category of numbers", pd.Categorical([1, 2, None, 1])
    yield "period", pd.period_range("2024-01", periods=N, freq="M")
    yield "interval", pd.interval_range(0, N, periods=N)
    yield "moment with a zone", pd.date_range("2024-01-01", periods=N, tz="Asia/Tokyo")
    yield "duration", pd.to_timedelta([1, 2, None, 4], unit="s")
    yield "sparse", pd.arrays.SparseArray([0.0, 0.0, float("nan"), 1.0])
    yield "complex", np.array([1j, 2, 3, 4])
    yield "half", np.array([0.5, 1, 2, 3], dtype=np.float16)
    yield "mixed", np.array([1, "q1", None, 2.5], dtype=object)
    yield "lists", pd.Series([[1], {"a": 1}, (1, 2), {1}])
    yield "missing of every kind", np.array([None, float("nan"), pd.NA, pd.NaT], dtype=object)
    yield "bytes", np.array([b"a", b"\xff", b"", b"b"])
    yield "vast", np.array([10**400, -1, 2, 3], dtype=object)


VAST = (1e308, -1e308, 1e154, 10**30, -1, 0.5, 1e-320)
"""Numbers whose squares leave the range of numbers, and those that are no count, size or error."""
NUMBERS: dict[str, tuple[dict[str, list[Any]], Callable[[Any], object]]] = {
    **{name: table for name, table in TABLES.items() if name != "vignettes"},
    "effects with a control group": (
        {"study": list("aabb"), "condition": list("wxyz"), "control": ["n"] * N, "control_se": [0.05] * N,
         "human_estimate": [0.1, 0.2, 0.3, 0.4], "human_se": [0.1] * N, "human_n": [50] * N,
         "agent_estimate": [0.2, 0.1, 0.4, 0.3]},
        api.score_predictions,
    ),
    "tests with floor and ceiling": (
        TABLES["tests"][0], lambda table: api.score_people(table, n_resamples=20, n_simulations=10),
    ),
}  # fmt: skip
"""Tables in which vast numbers are tried, with what reads them."""
