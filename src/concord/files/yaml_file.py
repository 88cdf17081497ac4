"""YAML as plain data, every value with the line it is on; what plain data does not need is refused.

Tags, anchors, aliases, merge keys, several documents, doubled keys, deep nesting and large files are
refused before a single value is built: a study file needs none of them, an attack needs most of them.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from concord.errors import FileFormatError, StudyError, StudyProblem
from concord.files.contents import read_bytes
from concord.files.limits import YAML_BYTES as MAX_BYTES

MAX_DEPTH = 24
_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""The compiled parser where it is installed; no value is ever built by either."""
_QUOTED = ("'", '"', "|", ">")
_WORDS = {"": None, "~": None, "null": None, "true": True, "false": False}
_INT = re.compile(r"[-+]?[0-9]{1,18}")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]{1,3})?")

Path_ = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class YamlFile:
    """The plain data of a file, and where each value is."""

    name: str
    data: Any
    lines: Mapping[Path_, int]
    """Line, counted from 1, of the value at each path; places in lists are numbers."""
    raw: bytes

    def line_of(self, path: Path_) -> int | None:
        """Return the line of a path, or of the nearest part of the document that holds it."""
        for end in range(len(path), -1, -1):
            if path[:end] in self.lines:
                return self.lines[path[:end]]
        return None

    def problem(self, path: Path_, message: str) -> StudyProblem:
        """Name a fault at a path."""
        return StudyProblem(self.name, self.line_of(path), path_in_words(path), message)


def path_in_words(path: Path_) -> str:
    """Write a path as a reader says it: ``findings.F1.tests[2].human``, counted from 1."""
    words = ""
    for part in path:
        words += f"[{part + 1}]" if isinstance(part, int) else f".{part}" if words else part
    return words


def read_yaml(source: Path | bytes, *, name: str | None = None) -> YamlFile:
    """Read a YAML file as plain data."""
    raw = source if isinstance(source, bytes) else read_file(source)
    called = name if name is not None else "YAML" if isinstance(source, bytes) else source.name
    if len(raw) > MAX_BYTES:
        raise FileFormatError(f"{called}: {len(raw):,} bytes, expected at most {MAX_BYTES:,}")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as fault:
        raise FileFormatError(f"{called}: not UTF-8 (byte {fault.start}); save it as UTF-8") from fault
    return _Builder(called).build(text, raw)


def read_file(path: Path) -> bytes:
    """Read the bytes of a YAML file; one that is too large is refused before it is read."""
    return read_bytes(path, limit=MAX_BYTES)


_EVERYDAY = {
    "quoted scalar": ("begun", "a quote is opened in this line and never closed"),
    "flow mapping": ("begun", "the brace { that is opened in this line is not closed, or a comma is missing"),
    "flow sequence": (
        "begun",
        "the bracket [ that is opened in this line is not closed, or a comma is missing",
    ),
    "could not find expected ':'": ("begun", "the line has no ': '; expected NAME: VALUE"),
    "mapping values are not allowed": (
        "at",
        "': ' ends a name, and here it is inside a text, or the line is indented further than the one above; "
        "put the text in quotes",
    ),
    "block mapping": ("at", "the line is not indented as those that it belongs to, or '- ' is missing"),
}
"""Everyday mistakes: what the parser says of them, where they began, and what to do."""


class _Builder:
    """Walks the events and nodes of one document."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.lines: dict[Path_, int] = {}
        self.faults: list[StudyProblem] = []

    def build(self, text: str, raw: bytes) -> YamlFile:
        """Refuse what is not plain, then compose and give values their lines."""
        try:
            self._refuse_extras(text)
            node = yaml.compose(text, Loader=_LOADER)
        except yaml.YAMLError as fault:
            raise StudyError([self._syntax(fault, text)]) from fault
        except RecursionError as fault:
            raise StudyError([StudyProblem(self.name, None, "", "nested too deeply")]) from fault
        if node is None:
            raise FileFormatError(f"{self.name}: empty, expected a YAML mapping")
        data = self._value(node, ())
        if self.faults:
            raise StudyError(self.faults)
        return YamlFile(self.name, data, self.lines, raw)

    def _syntax(self, fault: yaml.YAMLError, text: str) -> StudyProblem:
        begun = getattr(fault, "context_mark", None)
        mark = getattr(fault, "problem_mark", None) or begun
        said = getattr(fault, "problem", None) or str(fault).splitlines()[0]
        lines = text.splitlines()
        at = lines[mark.line] if mark is not None and mark.line < len(lines) else ""
        if mark is not None and "\t" in at[: len(at) - len(at.lstrip())]:
            return StudyProblem(
                self.name, mark.line + 1, "", "the line begins with a tab; indent with spaces"
            )
        context = str(getattr(fault, "context", ""))
        for words, (where, hint) in _EVERYDAY.items():
            if words in said or words in context:
                mark = begun if where == "begun" and begun is not None else mark
                return StudyProblem(self.name, None if mark is None else mark.line + 1, "", hint)
        hint = "text that holds ': ' or '#', or begins with a quote, bracket or brace, goes in quotes"
        return StudyProblem(
            self.name, None if mark is None else mark.line + 1, "", f"not YAML: {said}; {hint}"
        )

    def _refuse_extras(self, text: str) -> None:
        """Refuse aliases, anchors, tags and depth on the stream of events: nothing is expanded yet."""
        depth = documents = 0
        for event in yaml.parse(text, Loader=_LOADER):
            line = event.start_mark.line + 1
            if isinstance(event, yaml.DocumentStartEvent):
                documents += 1
                if documents > 1:
                    self._stop(line, "a second document; expected one study in a file")
            if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None) is not None:
                sign = "*" if isinstance(event, yaml.AliasEvent) else "&"
                self._stop(line, f"{sign}{event.anchor}: anchors and aliases are not allowed; write it out")
            if getattr(event, "tag", None) is not None:
                self._stop(line, f"tag {event.tag!r} is not allowed; a study holds plain values only")
            if isinstance(event, yaml.CollectionStartEvent):
                depth += 1
                if depth > MAX_DEPTH:
                    self._stop(line, f"nested more than {MAX_DEPTH} deep")
            elif isinstance(event, yaml.CollectionEndEvent):
                depth -= 1

    def _stop(self, line: int, message: str) -> None:
        raise StudyError([StudyProblem(self.name, line, "", message)])

    def _value(self, node: yaml.Node, path: Path_) -> Any:
        self.lines.setdefault(path, node.start_mark.line + 1)
        if isinstance(node, yaml.SequenceNode):
            return [self._value(child, (*path, i)) for i, child in enumerate(node.value)]
        if isinstance(node, yaml.MappingNode):
            return dict(self._pairs(node, path))
        return self._scalar(node)

    def _pairs(self, node: yaml.MappingNode, path: Path_) -> Iterator[tuple[str, Any]]:
        seen: dict[str, int] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            if not isinstance(key_node, yaml.ScalarNode):
                self.faults.append(
                    StudyProblem(self.name, line, path_in_words(path), "a key must be a plain word")
                )
                continue
            key = str(key_node.value)
            if key == "<<":
                text = "merge keys (<<) are not allowed; write it out"
                self.faults.append(StudyProblem(self.name, line, path_in_words(path), text))
                continue
            if key in seen:
                text = f"the key {key!r} is here and on line {seen[key]}; expected it once"
                self.faults.append(StudyProblem(self.name, line, path_in_words((*path, key)), text))
            if node.flow_style and _is_nothing(value_node):
                text = f"{key!r} has no value: a comma inside {{ }} ends a value; quote a text that holds one"
                self.faults.append(StudyProblem(self.name, line, path_in_words(path), text))
            seen[key] = line
            self.lines[*path, key] = line
            yield key, self._value(value_node, (*path, key))

    def _scalar(self, node: yaml.Node) -> str | int | float | bool | None:
        """Read a scalar by the core rules of YAML 1.2: yes and no are words, 12:30 is text."""
        text = str(node.value)
        if node.style in _QUOTED:
            return text
        if text in _WORDS:
            return _WORDS[text]
        if _INT.fullmatch(text):
            return int(text)
        return float(text) if _FLOAT.fullmatch(text) else text


def _is_nothing(node: yaml.Node) -> bool:
    """Whether nothing at all is written where a value belongs."""
    return isinstance(node, yaml.ScalarNode) and node.value == "" and node.style not in _QUOTED
