"""The catalogue of sentences: every key is said somewhere, every place is filled, no habit that it left."""

import ast
import itertools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import concord
from concord import words
from concord.records import Estimate, Interval
from concord.words import catalogue, catalogue_files, parsed, places, say, sentence_of

SOURCE = Path(concord.__file__).parent
KEYS = sorted(key for file in catalogue_files() for key in catalogue(file))
HABITS = {
    r"\bas people's\b": "agrees with people",
    r"\bis said at\b|\bare said at\b": "name the test or the interval",
    r"\btold\b|\btell apart\b": "said, shown; distinguished",
    r"\bagent(s|'s)?\b": "model, or setup where prompts or designs differ",
    r"\bwould remove it\b": "give … to avoid this assumption",
    r"\bselection undone\b": "corrected for publication bias",
    r"\bcompanion": "other measures",
    r"\breferee\b": "further checks",
    r"\bflip excess\b": "answers changed by order, beyond chance changes",
    r"\bundecided\b": "may help a little",
    r"\bwithout effects\b": "shows no effects",
    r":[^:.;()\d]*\w[^:.;()]*:(?!//)[^.;()]*:": "no chains of colons",
}
"""What marked the prose as foreign, and what is written instead."""
LONGEST_TITLE = 12


def _calls() -> Iterator[tuple[str, ast.Call]]:
    """Return every call of `say` in the package, with its place."""
    for path in SOURCE.rglob("*.py"):
        text = path.read_text("utf-8")
        for node in ast.walk(ast.parse(text)) if "from concord.words import" in text else ():
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "say":
                yield f"{path.relative_to(SOURCE)}:{node.lineno}", node


def _pattern(key: ast.expr) -> str | None:
    """Return a pattern of the keys that an argument can be; None where nothing is known of them."""
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        return re.escape(key.value)
    if isinstance(key, ast.IfExp):
        return f"(?:{_pattern(key.body)}|{_pattern(key.orelse)})"
    if isinstance(key, ast.JoinedStr):
        return "".join(
            re.escape(str(part.value)) if isinstance(part, ast.Constant) else r"\w+" for part in key.values
        )
    return None


def test_every_sentence_is_said_and_every_call_finds_its_sentence() -> None:
    said: set[str] = set()
    for where, call in _calls():
        pattern = _pattern(call.args[0])
        assert pattern is not None, f"{where}: the key is not written where it is said"
        found = [key for key in KEYS if re.fullmatch(pattern, key)]
        assert found, f"{where}: no such key"
        said.update(found)
        given = {one.arg for one in call.keywords if one.arg is not None}
        spread = any(one.arg is None for one in call.keywords)
        for key in found:
            wanted = places(parsed(key))
            assert given <= wanted if spread else given == wanted, f"{where}: {key} has {sorted(wanted)}"
    assert sorted(set(KEYS) - said) == []


def _samples(key: str) -> Iterator[dict[str, Any]]:
    """Return values for every place: usual ones, none of what may be missing, and each count 0, 1 and 2."""
    text = catalogue(key.partition(".")[0])[key]
    estimate = Estimate(0.123, Interval(0.05, 0.2, 0.9, ""), 12)
    formats: dict[str, Any] = dict.fromkeys(("to", "span", "whole", "cents"), estimate.interval)
    formats |= dict.fromkeys(("est", "share", "points"), estimate)
    formats |= dict.fromkeys(("names", "list"), ["<first>", "<second>"])
    usual: dict[str, Any] = {}
    for name in places(parsed(key)):
        kinds = re.findall(rf"\{{{name}:\+?([a-z%,]*)\d*[|}}]", text)
        kind = next((one for one in kinds if one != "level"), kinds[0] if kinds else None)
        counted = f"{{{name}|" in text or kind == "word"
        usual[name] = 2 if counted else f"<{name}>" if kind is None else formats.get(kind, 0.25)
    yield usual
    counts = [name for name in usual if f"{{{name}|" in text]
    for name, n in itertools.product(counts, (0, 1)):
        yield {**usual, name: n}
    optional = {name for part in re.findall(r"\[([^\[\]]*)\]", text) for name in re.findall(r"\{(\w+)", part)}
    needed = set(re.findall(r"\{(\w+)", re.sub(r"\[[^\[\]]*\]", "", text)))
    for name in optional - needed:
        yield {**usual, name: None}


@pytest.mark.parametrize("file", catalogue_files())
def test_every_sentence_is_rendered_whatever_its_values(file: str) -> None:
    for key in catalogue(file):
        for values in _samples(key):
            said = say(key, **values)
            assert said, key
            assert "  " not in said.strip(), key
            assert not re.search(r"[{}|\[\]]| [,;]| \.\D|\.\.|\bNone\b(?! of)", said.replace("|d|", "d")), (
                f"{key}: {said}"
            )


@pytest.mark.parametrize("key", KEYS)
def test_no_sentence_has_a_habit_that_was_left(key: str) -> None:
    text = catalogue(key.partition(".")[0])[key]
    prose = re.sub(r"\{\w+(:[^{}|]*)?\}", "x", text)
    for habit, better in HABITS.items():
        assert not re.search(habit, prose, re.IGNORECASE), f"{key}: {text!r}; better: {better}"


@pytest.mark.parametrize("key", [key for key in KEYS if key.rpartition(".")[2].startswith("title")])
def test_a_title_has_at_most_twelve_words(key: str) -> None:
    text = catalogue(key.partition(".")[0])[key]
    assert len(re.sub(r"\{[^{}]*\}", "x", text).split()) <= LONGEST_TITLE, text


def test_places_forms_and_optional_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    held = {
        "people.a": r"{n|no test|# test|# tests}[ of {who}] {ok|passed|failed}: \[{x:+2}\]",
        "people.b": "{low:cent} to {high:%}, {p:p}, {e:est}, {k:word} of {n:word}",
    }
    monkeypatch.setattr(words, "catalogue", lambda file: held)
    words.parsed.cache_clear()
    try:
        assert say("people.a", n=1, who="", ok=True, x=0.5) == "1 test passed: [+0.50]"
        assert say("people.a", n=1200, who="A", ok=False, x=0) == "1,200 tests of A failed: [0.00]"
        assert say("people.a", n=0, who=None, ok=False, x=-1) == "no test failed: [-1.00]"
        estimate = Estimate(0.123, Interval(0.05, 0.2, 0.9, ""))
        said = say("people.b", low=0.5, high=1.0, p=0.0001, e=estimate, k=3, n=12)
        assert said == "50 to 100 %, p < .001, 0.12 (90 % interval 0.05 to 0.20), three of 12"
        with pytest.raises(LookupError, match="has the places"):
            say("people.a", n=1)
        with pytest.raises(LookupError, match="without a format takes words or counts"):
            say("people.a", n=1, who=0.5, ok=True, x=0.5)
        with pytest.raises(LookupError, match="no sentence 'people.c'"):
            say("people.c")
    finally:
        words.parsed.cache_clear()


def test_a_file_that_is_not_there_is_refused() -> None:
    with pytest.raises(LookupError, match="no file 'nobody'"):
        say("nobody.knows")


def test_words_become_a_sentence() -> None:
    assert [sentence_of(text) for text in ("a b", "is it?", "")] == ["A b.", "Is it?", ""]
