"""Other names for agents and arms change names alone; another agent changes nothing of the others."""

import json
from collections.abc import Callable
from typing import Any

import pytest

import concord
from concord.files.codec import encode
from tests import test_relations as small
from tests.kept.test_kept import _NOT_KEPT
from tests.reasoning.test_level import reasoning_at

Row = dict[str, Any]
FIRST, SECOND = ("alpha-agent", "bravo-agent"), ("gamma-agent", "omega-agent")
"""As long, and in the same order: tables by name and columns of screens stay as they are."""


def of(rows: list[Row], column: str, names: tuple[str, ...], number: str = "") -> list[Row]:
    """Return the rows once for each name, with a number of its own."""
    return [
        row | {column: name} | ({number: row[number] * 0.9**k} if number else {})
        for k, name in enumerate(names)
        for row in rows
    ]


def turned(rows: list[Row], column: str, names: tuple[str, ...]) -> list[Row]:
    """Return the rows once for each name, answers shifted by one more place."""
    return [
        row | {column: name} | {key: _shifted(row[key], k) for key in ("chosen", "answer") if key in row}
        for k, name in enumerate(names)
        for row in rows
    ]


def _shifted(answer: str, k: int) -> str:
    return "ABCD"[("ABCD".index(answer) + k) % 4]


def arms(names: tuple[str, ...]) -> Any:
    table = [row | {"arm": names[row["arm"] == "b"]} for row in small.mixed_table()]
    more = [{"prediction": float(k % 7) / 7, "arm": names[k % 2]} for k in range(60)]
    return concord.combine(table, more)


def probes(names: tuple[str, ...]) -> Any:
    rows = [
        {
            "probe": "early",
            "id": f"i{i}",
            "cell": "prefix",
            "step": k,
            "n_steps": 4,
            "answer": "BA"[k <= i % 4],
        }
        for i in range(20)
        for k in range(5)
    ]
    return concord.score_probes(rows, model=names[0])


QUICK: Any = {"n_resamples": 5, "n_simulations": 20}
TESTS = small.table_of_tests()
MAKE: dict[str, Callable[[tuple[str, ...]], Any]] = {
    "people": lambda names: concord.score_people(of(TESTS, "agent", names, "agent_statistic"), **QUICK),
    "answers": lambda names: concord.score_answers(
        [row | {"model": name, "agent": (row["agent"] - 1 + k) % 7 + 1} for k, name in enumerate(names)
         for row in small.answer_table()],
        agent_column="model", n_resamples=5,
    ),
    "predictions": lambda names: concord.score_predictions(small.effect_table(names)),
    "combine": arms,
    "judges": lambda names: concord.score_judge(of(small.vote_table(), "judge", names), n_permutations=99),
    "options": lambda names: concord.score_options(
        turned(small.option_table(), "model", names), n_permutations=99
    ),
    "hints": lambda names: concord.score_hints(turned(small.hint_table(), "model", names)),
    "probes": probes,
    "structure": lambda names: concord.score_structure(
        scores=[row | {"model": names[row["model"] == "n"]} for row in small.structure_table()], resamples=200
    ),
    "compare": lambda names: concord.compare(
        [row | {"model": names[row["model"] == "two"]} for row in small.score_table()]
    ),
    "reasoning": lambda names: reasoning_at(0.9, model=names[0]),
}  # fmt: skip


def bare(document: Any) -> Any:
    """Return a document without where and by what it was made."""
    if isinstance(document, dict):
        return {key: bare(value) for key, value in document.items() if key not in _NOT_KEPT}
    return [bare(value) for value in document] if isinstance(document, list | tuple) else document


def held(result: Any) -> tuple[str, str]:
    """Return the document and the screen of a result, or of each of several."""
    parts = result if isinstance(result, dict) else {"": result}
    documents = {name: bare(json.loads(json.dumps(encode(one.to_dict())))) for name, one in parts.items()}
    return json.dumps(documents, indent=1), "\n".join(str(one) for one in parts.values())


@pytest.mark.parametrize("kind", MAKE)
def test_other_names_change_names_alone(kind: str) -> None:
    before, after = held(MAKE[kind](FIRST)), held(MAKE[kind](SECOND))
    for first, second in zip(before, after, strict=True):
        assert FIRST[0] in first or kind in ("reasoning", "probes")
        for name, other in zip(FIRST, SECOND, strict=True):
            first = first.replace(name, other)
        assert first == second


def numbers_of(kind: str, names: tuple[str, ...], name: str) -> str:
    """Return every number of one agent."""
    result = MAKE[kind](names)
    if kind == "options":
        own = result[name].scores
    elif kind == "hints":
        own = next(one for one in result.scores.models if one.model == name)
    else:
        own = next(one for one in result.agents if one.agent == name)
    return json.dumps(bare(encode(own)), sort_keys=True)


@pytest.mark.parametrize("kind", ["answers", "options", "hints"])
def test_another_agent_changes_nothing_of_the_first(kind: str) -> None:
    """A third one with answers of its own: what is adjusted over all agents is no number of one of them."""
    for name in FIRST:
        assert numbers_of(kind, FIRST, name) == numbers_of(kind, (*FIRST, "zulu-agents"), name)
