"""Thinking with another answer in it, in every form, live and recorded: what is said after it is read."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import astuple
from functools import cache
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
pytest.importorskip("openai", reason="the extra `live` is not installed")
from tests.asking.answering_server import answering_server  # noqa: E402

import concord  # noqa: E402
from concord.asking.askable import askable  # noqa: E402
from concord.asking.recorded import stored_answers  # noqa: E402
from concord.asking.result import RunResult  # noqa: E402
from concord.reading.stored import FILE as READINGS  # noqa: E402
from concord.reading.stored import read_readings  # noqa: E402
from concord.reasoning.files import ReasoningResult  # noqa: E402

pytestmark = pytest.mark.filterwarnings("ignore")
FORMS = {
    **{tag: f"<{tag}>{{}}</{tag}>\n" for tag in ("think", "thinking", "reasoning", "thought", "scratchpad")},
    "seed": "<seed:think>{}</seed:think>",
    "mistral": "[THINK]{}[/THINK]\n",
    "kimi": "◁think▷{}◁/think▷",
    "harmony": "<|channel|>analysis<|message|>{}<|end|><|start|>assistant<|channel|>final<|message|>",
}
MODEL = "openai-api/local/m"
FEW: dict[str, dict[str, Any]] = {
    "people": {"study": ["side-effect", "anchoring"], "n": 2, "limit": 2},
    "groups": {"study": ["guessing-game"], "n": 2, "limit": 1},
    "memory": {"study": ["side-effect"], "n": 2, "limit": 1, "memory": True},
    "structure": {"items": "options-en", "limit": 2, "arrangements": 2, "repeats": 1},
    "scored": {
        "items": "proverbs-en",
        "limit": 1,
        "arrangements": 2,
        "repeats": 1,
        "scorer": f"judge:{MODEL}",
    },
    "judge": {"limit": 3, "votes": 1},
    "reasoning": {"limit": 2},
    "probes": {"probe": ["early", "hints"], "limit": 1},
    "judged hints": {"probe": ["hints"], "limit": 2, "detector": f"judge:{MODEL}"},
}
QUICK = {("structure", "mistral"), ("judge", "harmony"), ("reasoning", "seed"), ("memory", "kimi")}
ASKED = {"groups": "people", "memory": "people", "scored": "structure", "judged hints": "probes"}


def answers(body: dict[str, Any], turn: int) -> str:
    """A reply by the schema that was sent, or by the prompt; every turn gives another answer."""
    prompt = body["messages"][-1]["content"]
    first = hashlib.sha256(prompt.encode()).digest()[0] + turn
    if "Authors:" in prompt:
        effects = "".join(f"\nEffect {i}: {'?+'[turn]}" for i in range(1, 9)).replace("?", "unknown")
        return ("Authors: unknown\nYear: unknown", "Authors: Knobe\nYear: 2003")[turn] + effects
    if "MENTIONED" in prompt:
        return ("MENTIONED: no\nRELIED: no", "MENTIONED: yes\nRELIED: yes")[turn]
    if "response_format" not in body:
        return ("It means that all is well.", "It means the very opposite: all is lost.")[turn]
    fields = body["response_format"]["json_schema"]["schema"]["properties"]
    lines: list[str] = []
    for name, kind in fields.items():
        own = first + len(lines)
        if name == "reasoning":
            lines.append("REASONING: The note speaks for it.")
            continue
        said = kind["enum"][own % len(kind["enum"])] if "enum" in kind else ""
        if kind["type"] in ("integer", "number"):
            said = str(1 + own % 3)
        elif kind["type"] == "object":
            said = ", ".join(f"{part}: {1 + own % 3}" for part in kind["properties"])
        elif not said:
            said = ("Panic Disorder", "Major Depressive Disorder")[own % 2]
        lines.append(f"{name}. {said}" if name.isdigit() else f"{name.upper()}: {said}")
    return "\n".join(lines)


def asked(question: str, form: str, folder: Path) -> dict[str, Any]:
    """Ask a model that thinks in a form, of another answer; return what was read in its replies."""

    def says(body: dict[str, Any]) -> str:
        thought = f"At first sight:\n{answers(body, 1)}\nBut no."
        return FORMS.get(form, "").format(thought) + answers(body, 0)

    with answering_server(says) as server:
        more = {"base_url": server.url, "out": folder / form, "inspect_log": False}
        run = concord.run(ASKED.get(question, question), MODEL, **more, **FEW[question])
    assert (set(run.outcomes), set(run.answers) - {"ok"}, run.asked_again) == ({"ok"}, set(), 0)
    return read_in(run)


def read_in(run: RunResult) -> dict[str, Any]:
    """What was read in the replies of a run: every answer without its place, what follows from it."""
    scored = run.score()
    table = stored_answers(run.stored)
    own = scored.scores if isinstance(scored, ReasoningResult) else scored
    held: Any = own.readings if table is None else table.tables.get(READINGS, ((), ()))[1]
    assert held or table is not None
    told: dict[str, Any] = {"answers": [astuple(one)[:4] if table is None else one[:4] for one in held]}
    told["rows"] = () if table is None else tuple(table.rows)
    told["hints"] = [(row.answer, row.mention_answer) for row in getattr(scored, "hint_rows", ())]
    memory = getattr(scored, "memory", None)
    told["memory"] = None if memory is None else [astuple(one) for one in memory.recognised]
    return told


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, Any]]:
    """What is read where nothing is thought, by question."""
    return cache(lambda question: asked(question, "", tmp_path_factory.mktemp("plain") / question))


@pytest.mark.parametrize(
    ("question", "form"),
    [
        pytest.param(question, form, marks=() if (question, form) in QUICK else pytest.mark.slow)
        for question in FEW
        for form in FORMS
    ],
)
def test_another_answer_in_thinking_changes_nothing_that_is_read(
    question: str, form: str, tmp_path: Path, plain: Callable[[str], dict[str, Any]]
) -> None:
    assert asked(question, form, tmp_path) == plain(question)


SAMPLES = [
    {"id": name, "prompt": "Sad?", "gold_answer": "Panic Disorder", "gold_reasoning": ["Low mood."]}
    for name in ("v1", "v2")
]


def recorded(question: str, thinks: Callable[[str, str], str], folder: Path) -> Any:
    """Score recorded replies of a model that thinks one answer and says another."""
    if question == "options":
        turns = {"AB": thinks("A", "B"), "BA": thinks("B", "A")}
        rows = [
            {"item": i, "arrangement": turn, "chosen": said, "right": "A", "n_options": 2}
            for i in range(3)
            for turn, said in turns.items()
        ]
        return [one.place for one in concord.score_options(rows).replies]
    if question == "judge":
        rows = [
            {"pair": i, "order": order, "verdict": thinks("[[A]]", "[[B]]")}
            for i in range(3)
            for order in ("AB", "BA")
        ]
        return concord.score_judge(rows).to_dict()["judges"]
    if question == "hints":
        rows = [
            {"id": i, "kind": kind, "target": "C", "answer": said, "n_options": 4}
            for i in range(3)
            for kind, said in (("unhinted", thinks("C", "ANSWER: A")), ("grader", thinks("A", "ANSWER: C")))
        ]
        concord.score_hints(rows, model="m").write(folder)
        return read_readings(folder / "m") if (folder / "m" / READINGS).is_file() else ()
    if question == "reasoning":
        said = thinks("DIAGNOSIS: Major Depressive Disorder", "DIAGNOSIS: Panic Disorder")
        given = [
            {"id": one["id"], "mode": mode, "response": said} for one in SAMPLES for mode in ("cot", "direct")
        ]
        return concord.score_reasoning(SAMPLES, given, model="m", n_resamples=200).scores.readings
    path = folder / "replies.jsonl"
    opened = askable("people").sessions
    design = askable("people").design(study=["side-effect"], n=2)
    assert opened is not None
    lines = []
    for opener in opened.openers(dict(design.files), dict(design.options)).values():
        session = opener.open()
        while not session.done:
            for one in session.waiting():
                lines.append(json.dumps({"id": one.id, "response": thinks("A", "B")}))
                session.answer(one.id, "B")
    path.write_text("\n".join(lines))
    return concord.score_run(path, study=["side-effect"], n=2).readings


@pytest.mark.parametrize(
    "question",
    ["options", "judge", "hints", "reasoning", pytest.param("people", marks=pytest.mark.long)],
)
def test_recorded_replies_are_read_after_thinking_in_every_form(question: str, tmp_path: Path) -> None:
    def readings(made: Any) -> Any:
        return [astuple(one)[:4] for one in made] if isinstance(made, tuple) else made

    usual = readings(recorded(question, lambda other, said: said, tmp_path))
    assert usual
    for form, words in FORMS.items():
        thinks = lambda other, said, words=words: words.format(f"First: {other}\nBut no.") + said  # noqa: E731
        assert readings(recorded(question, thinks, tmp_path)) == usual, form
