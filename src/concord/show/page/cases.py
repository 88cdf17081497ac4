"""Steps of reasoning next to gold steps: read from the file of a result, and from its examples."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from concord.show.page.found import Problem, ResultFile
from concord.show.page.json_rows import json_lines
from concord.show.page.texts import Texts
from concord.show.page.values import Document, number, part, parts, texts, words

STEPS_FILE = "study_a_steps.jsonl"


def read_cases(
    source: ResultFile, samples: list[dict[str, Any]]
) -> tuple[list[Document | None], list[Problem]]:
    """Read the steps of a result, one entry per sample; older results have none."""
    if source.file is None or not (source.file.parent / STEPS_FILE).is_file():
        return [None] * len(samples), []
    problems: list[Problem] = []
    shown = (Path(source.shown).parent / STEPS_FILE).as_posix()
    found = {
        (words(line, "id"), number(line, "repeat")): line
        for line in json_lines(source.file.parent / STEPS_FILE, shown, problems)
    }
    return [found.get((str(row["id"]), row["repeat"])) for row in samples], problems


def packed_case(case: Document | None, pool: Texts) -> list[Any] | None:
    """Return the steps of a case by the numbers of their texts: gold steps, steps, pairs, answers, counts."""
    if case is None:
        return None
    gold, steps = ([pool.add(step) for step in texts(case, key)] for key in ("gold_steps", "steps"))
    early, answer = (words(case, key) for key in ("early_answer", "answer"))
    counts = [number(case, key) for key in ("n_gold_steps", "n_steps", "n_matched")]
    return [gold, steps, pairs_of(case), pool.add(early), pool.add(answer), *counts]


def pairs_of(case: Document) -> list[list[int]]:
    """Return the pairs of a case whose places exist: step and gold step, from 0."""
    n_steps, n_gold = len(texts(case, "steps")), len(texts(case, "gold_steps"))
    given = case.get("pairs")
    return [
        [pair[0], pair[1]]
        for pair in (given if isinstance(given, list) else [])
        if isinstance(pair, list) and len(pair) == 2 and all(isinstance(place, int) for place in pair)
        and 0 <= pair[0] < n_steps and 0 <= pair[1] < n_gold
    ]  # fmt: skip


def chosen_cases(document: Document) -> Iterator[dict[str, Any]]:
    """Return the chosen cases; the first of each rule shows its steps at once."""
    seen: set[str] = set()
    for entry in parts(document, "examples"):
        rule = words(entry, "rule")
        yield {**_example(entry), "first": rule not in seen}
        seen.add(rule)


def _example(entry: Document) -> dict[str, Any]:
    """Return a chosen case; where its steps are known, both lists with what matched what."""
    case = part(entry, "case")
    pairs = pairs_of(case)
    steps = (
        _steps(case, "gold_steps", "Gold steps", {gold: step for step, gold in pairs}),
        _steps(case, "steps", "Steps of the reply", {step: gold for step, gold in pairs}),
    )
    return {
        "rule": words(entry, "rule"),
        "id": words(entry, "id"),
        "shown": part(entry, "shown"),
        "gold": words(case, "gold_answer"),
        "early": words(case, "early_answer"),
        "answer": words(case, "answer"),
        "steps": steps if case else (),
    }


def _steps(case: Document, key: str, title: str, partners: Mapping[int, int]) -> dict[str, Any]:
    listed = texts(case, key)
    n = number(case, f"n_{key}")
    return {
        "title": title,
        "other": "step" if key == "gold_steps" else "gold step",
        "n": len(listed) if n is None else int(n),
        "met": len(partners),
        "list": [
            {"text": text, "partner": partners[i] + 1 if i in partners else None}
            for i, text in enumerate(listed)
        ],
    }
