"""Where a number is undefined its reason is said: no surface shows 0 of 0, nan, None or inf."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests import test_relations as small
from tests.kept.cases import CASES
from tests.reasoning.test_level import _surfaces

import concord
from concord.errors import ConcordError
from concord.kinds import Kind

COUNTED = (
    "tests|items|replies|pairs|vignettes|cases|outcomes|effects|nulls|studies|models|answers|persons|people"
)
BAD = re.compile(
    rf"\b0 of 0\b|\b[nN]a[nN]\b|\bNone\b(?! of\b)|(?<![\w-])-?inf\b|\bof 0 (?:{COUNTED})\b|\(0 %\) of 0\b"
)
NO_RESULTS = (
    "check",
    "printed",
    "checked",
    "spellings",
    "workbook",
    "run ",
    "study",
    "arrangements",
    "texts",
)


def told(text: str) -> list[str]:
    words = " ".join(re.sub(r"<(script|style).*?</\1>|<[^>]*>", " ", text, flags=re.S).split())
    return [words[max(0, one.start() - 60) : one.end() + 40] for one in BAD.finditer(words)]


def said(result: Any) -> list[str]:
    if not isinstance(result, Kind):  # a record inside a result, which people do not see
        return []
    texts = [str(result), *result.sentences(), *result.notes(), *map(str, _surfaces(result))]
    return [place for one in texts for place in told(one)]


@pytest.mark.parametrize("name", [name for name in CASES if not name.startswith(NO_RESULTS)])
def test_no_result_says_nothing_of_nothing(name: str, tmp_path: Path) -> None:
    assert said(CASES[name](tmp_path)) == []


def vignettes(**more: Any) -> list[dict[str, Any]]:
    return [
        {"id": f"v{i}", "gold_answer": "Gout", "gold_reasoning": [f"A red toe {i}"], **more} for i in range(4)
    ]


def replies(text: str, early: str = "DIAGNOSIS: Gout") -> list[dict[str, Any]]:
    return [
        {"id": f"v{i}", "mode": mode, "response": text if mode == "cot" else early}
        for i in range(4)
        for mode in ("cot", "direct")
    ]


def reasoned(*given: Any, **more: Any) -> Any:
    return concord.score_reasoning(*given, n_resamples=100, **more)


LOST = "I cannot say."
QUICK: Any = {"n_resamples": 0, "n_simulations": 20}
ROWS = small.table_of_tests()
EMPTY = {"answer": None}
EDGES: dict[str, Callable[[], Any]] = {
    "no steps": lambda: reasoned(vignettes(), replies("DIAGNOSIS: Gout")),
    "helped without steps": lambda: reasoned(vignettes(), replies("DIAGNOSIS: Gout", "DIAGNOSIS: Asthma")),
    "helped without gold steps": lambda: reasoned(
        vignettes(gold_reasoning=[]), replies("REASONING: A red toe.\nDIAGNOSIS: Gout", "DIAGNOSIS: Asthma")
    ),
    "harmed without steps": lambda: reasoned(vignettes(), replies("DIAGNOSIS: Asthma")),
    "no gold steps": lambda: reasoned(
        vignettes(gold_reasoning=[]), replies("REASONING: The toe is red. It hurts.\nDIAGNOSIS: Gout")
    ),
    "no readable reply": lambda: reasoned(vignettes(), replies(LOST, LOST)),
    "no early reply": lambda: reasoned(vignettes(), replies("REASONING: A red toe.\nDIAGNOSIS: Gout", LOST)),
    "no agent": lambda: concord.score_people(
        [
            {k: v for k, v in row.items() if not k.startswith("agent_")} | {"agent_statistic": None}
            for row in ROWS
        ],
        **QUICK,
    ),
    "one test": lambda: concord.score_people(ROWS[:1], **QUICK),
    "one answer": lambda: concord.score_answers(small.answer_table()[:1], n_resamples=5),
    "answers alike": lambda: concord.score_answers(
        [row | {"human": 3, "agent": 3} for row in small.answer_table()], n_resamples=5
    ),
    "one effect": lambda: concord.score_predictions(small.effect_table()[:1]),
    "one question": lambda: concord.score_options(small.option_table()[:4], n_permutations=99),
    "one vote": lambda: concord.score_judge(small.vote_table()[:1], n_permutations=99),
    "only ties": lambda: concord.score_judge(
        [row | {"verdict": "tie"} for row in small.vote_table()], n_permutations=99
    ),
    "no answer to hints": lambda: concord.score_hints([row | EMPTY for row in small.hint_table()]),
    "nobody moved": lambda: concord.score_hints([row | {"answer": "A"} for row in small.hint_table()]),
    "all at the hint": lambda: concord.score_hints([row | {"answer": "C"} for row in small.hint_table()]),
    "equal scores": lambda: concord.compare(small.score_table(), small.score_table()),
    "one item": lambda: concord.compare(small.score_table()[:1], small.score_table()[:1]),
    "scores alike": lambda: concord.score_structure(
        scores=[row | {"S_Acc": 1.0} for row in small.structure_table()], resamples=200
    ),
    "one scored item": lambda: concord.score_structure(scores=small.structure_table()[:3], resamples=200),
}


@pytest.mark.parametrize("name", EDGES)
def test_no_edge_says_nothing_of_nothing(name: str, tmp_path: Path) -> None:
    try:
        result = EDGES[name]()
    except ConcordError as refused:
        assert told(str(refused)) == []
        return
    assert said(result) == []
    result.write(tmp_path / "result")
    page = concord.report([tmp_path], out=tmp_path / "page.html")
    assert told(page.path.read_text("utf-8")) == [], page.problems
