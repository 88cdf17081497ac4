"""Every pattern of the package, and strings that are made from its own parts to keep it busy."""

import importlib
import linecache
import pkgutil
import re
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import concord
from concord.reading.text import _templates, patterns

_ROOT = str(Path(concord.__file__).parent)
SHORT, LONG, MOST_GROWTH = 1500, 6000, 6.0
"""Lengths of the strings, and how much longer the longer one may take: linear is 4, quadratic 16."""
_TOO_SHORT = 400e-6
"""Seconds below which nothing can be said about growth."""
_MOST_CANDIDATES = 24
_parser: Any = re._parser  # type: ignore[attr-defined]  # what re itself makes of a pattern


@dataclass(frozen=True, slots=True)
class PatternUse:
    """A pattern, and whether it is looked for anywhere in a text or only at a place."""

    pattern: re.Pattern[str]
    anywhere: bool = True

    def seconds(self, text: str, runs: int) -> float:
        """Return the seconds of this thread that the fastest of several runs takes."""
        taken = []
        for _ in range(runs):
            start = time.thread_time()
            if self.anywhere:
                deque(self.pattern.finditer(text), maxlen=0)
            else:
                self.pattern.match(text)
            taken.append(time.thread_time() - start)
        return min(taken)


def all_patterns(use: Callable[[], None]) -> dict[str, PatternUse]:
    """Return every pattern that is compiled by a module of the package, when it is loaded or used."""
    found: dict[str, PatternUse] = {}
    compiled = re._compile  # type: ignore[attr-defined]
    re_match = re.compile(r"\bre\.(?:match|fullmatch)\(")

    def noted(pattern: Any, flags: Any) -> Any:
        made = compiled(pattern, flags)
        frame = sys._getframe(2)
        own = frame.f_code.co_filename
        if own.startswith(_ROOT) and isinstance(made.pattern, str):
            line = linecache.getline(own, frame.f_lineno)
            anywhere = not re_match.search(line)
            found.setdefault(f"{own[len(_ROOT) + 1 :]}: {made.pattern[:60]}", PatternUse(made, anywhere))
        return made

    setattr(re, "_compile", noted)  # noqa: B010 - a private name of re, which no type knows
    try:
        _load_anew()
        use()
    finally:
        setattr(re, "_compile", compiled)  # noqa: B010
    held = {(one.pattern.pattern, one.pattern.flags): (name, one) for name, one in _held()}
    for name, one in found.items():
        held.setdefault((one.pattern.pattern, one.pattern.flags), (name, one))
    return dict(sorted(held.values(), key=lambda pair: pair[0]))


def _modules() -> Iterator[str]:
    for one in pkgutil.walk_packages([_ROOT], "concord."):
        if not one.name.endswith("__main__"):
            yield one.name


def _load_anew() -> None:
    for name in _modules():
        importlib.import_module(name)
    for group, templates in _templates().items():
        for one in templates if group != "parts" else ():
            assert patterns(group)[one]  # made when it is asked for


def _held() -> Iterator[tuple[str, PatternUse]]:
    """Return patterns that modules hold, alone or in tuples, lists and mappings."""
    source = "\n".join(path.read_text("utf-8") for path in sorted(Path(_ROOT).rglob("*.py")))
    placed = set(re.findall(r"\b(\w+)(?:\"\])?\.(?:match|fullmatch)\b", source))
    sought = set(re.findall(r"\b(\w+)(?:\"\])?\.(?:search|finditer|findall|subn?|split)\b", source))
    for name in _modules():
        module = sys.modules.get(name)
        for key, value in vars(module).items() if module is not None else ():
            for place, pattern in _inside(value):
                used = place[2:-2] if place.startswith("['") else key
                yield f"{name}.{key}{place}", PatternUse(pattern, used in sought or used not in placed)


def _inside(value: object) -> Iterator[tuple[str, re.Pattern[str]]]:
    if isinstance(value, re.Pattern) and isinstance(value.pattern, str):
        yield "", cast("re.Pattern[str]", value)
    elif isinstance(value, dict):
        for key, one in value.items():
            yield from ((f"[{key!r}]{place}", pattern) for place, pattern in _inside(one))
    elif isinstance(value, tuple | list):
        for i, one in enumerate(value):
            yield from ((f"[{i}]{place}", pattern) for place, pattern in _inside(one))


def _sample(tree: Any) -> str:
    """Return a short text that a part of a pattern matches."""
    return "".join(_of_node(str(op), value) for op, value in tree)


def _of_node(op: str, value: Any) -> str:
    if op == "LITERAL":
        return chr(value)
    if op == "NOT_LITERAL":
        return "a" if value != ord("a") else "b"
    if op == "ANY":
        return "a"
    if op == "IN":
        return _of_class(value)
    if op == "BRANCH":
        return _sample(value[1][0])
    if op == "SUBPATTERN":
        return _sample(value[-1])
    if op in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
        return _sample(value[2]) * max(1, min(int(value[0]), 3))
    if op == "ATOMIC_GROUP":
        return _sample(value)
    return ""


_CLASSES = {"CATEGORY_DIGIT": "1", "CATEGORY_SPACE": " ", "CATEGORY_WORD": "a", "CATEGORY_NOT_DIGIT": "a",
            "CATEGORY_NOT_SPACE": "a", "CATEGORY_NOT_WORD": " "}  # fmt: skip


def _of_class(parts: Any) -> str:
    if str(parts[0][0]) == "NEGATE":
        no = {chr(value) for op, value in parts if str(op) == "LITERAL"}
        return next(sign for sign in "a 1,-.xX" if sign not in no)
    op, value = parts[0]
    if str(op) == "LITERAL":
        return chr(value)
    return chr(value[0]) if str(op) == "RANGE" else _CLASSES.get(str(value), "a")


def hostile_strings(pattern: re.Pattern[str]) -> Iterator[tuple[str, str, str]]:
    """Return what goes before, what is repeated and what comes at the end, for every part that repeats."""
    tree = _parser.parse(pattern.pattern, pattern.flags & ~re.DEBUG)
    seen = {("", _sample(tree), "\x00")}
    for before, body in _repeats(tree, ""):
        seen |= {(before, body, end) for end in ("\x00", "\n\x00") if body}
        seen |= {("", f"{before}{body}", "\x00"), ("", body, "\x00")}
    yield from sorted(one for one in seen if one[1])[:_MOST_CANDIDATES]


def _repeats(tree: Any, before: str) -> Iterator[tuple[str, str]]:
    for op, value in tree:
        name = str(op)
        if name in ("MAX_REPEAT", "MIN_REPEAT", "POSSESSIVE_REPEAT"):
            yield before, _sample(value[2])
            yield from _repeats(value[2], before)
        elif name == "SUBPATTERN":
            yield from _repeats(value[-1], before)
        elif name == "BRANCH":
            for branch in value[1]:
                yield from _repeats(branch, before)
        elif name in ("ASSERT", "ASSERT_NOT"):
            yield from _repeats(value[1], before)
        before += _of_node(name, value)


def growth(use: PatternUse, before: str, body: str, end: str) -> float:
    """Return how much longer a string of four times the length takes; 0 where it takes no time."""
    if use.seconds(_made(before, body, end, 300), 1) > 0.05 < use.seconds(_made(before, body, end, 300), 3):
        return float("inf")
    short, long = (_made(before, body, end, n) for n in (SHORT, LONG))
    first = use.seconds(long, 1)
    if first < _TOO_SHORT:
        return 0.0
    ratio = first / max(use.seconds(short, 3), 1e-9)
    for runs in (3, 8):  # a busy machine makes single runs longer, never shorter
        if ratio > MOST_GROWTH:
            ratio = use.seconds(long, runs) / max(use.seconds(short, runs), 1e-9)
    return ratio


def _made(before: str, body: str, end: str, n: int) -> str:
    return f"{before}{body * (n // len(body))}{end}"
