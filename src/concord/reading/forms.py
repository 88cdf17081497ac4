"""The form of an answer in words, for prompts, and as a schema, for providers that take one."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from concord.records import AnswerForm

REASONING = "REASONING"
"""What begins the lines before the answer; a field of an object is a mark in small letters."""
_SLOTS = {"number": "<number>", "label": "<name>", "text": "<your words>"}
_STATED = {"label": "the name alone", "text": "in a few words"}


def answer_line(forms: Sequence[AnswerForm]) -> str:
    """Return the words that ask for the answer in a last line; several answers have numbered lines."""
    if len(forms) != 1 or forms[0].kind == "text":
        return ""
    form = forms[0]
    return f"Write your answer on the last line of your reply, in this form: {form.mark}: {_slot(form)}"


def _slot(form: AnswerForm) -> str:
    if form.kind == "split":
        return ", ".join(f"{name}: <amount>" for name, _ in form.names)
    if form.kind == "ranking":
        return "<letters from first to last, separated by commas>"
    if form.kind == "choice":
        kinds = {"letter" if len(name) == 1 and name.isalpha() else "name" for name, _ in form.names}
        numbers = all(name.isdigit() for name, _ in form.names)
        return "<number>" if numbers else f"<{kinds.pop()}>" if len(kinds) == 1 else "<name>"
    return _SLOTS[form.kind]


def again_words(forms: Sequence[AnswerForm]) -> str:
    """Return what is said after a reply in which no answer could be read."""
    if len(forms) == 1:
        return f"State only your answer: {_in_words_of(forms[0])}."
    names = names_of(forms)
    numbered, sign = ("numbered ", ".") if names[0] == "1" else ("", ":")
    lines = [f"{name}{sign} ({_in_words_of(form)})" for name, form in zip(names, forms, strict=True)]
    return "\n".join([f"State only your answers, in {len(forms)} {numbered}lines:", *lines])


def names_of(forms: Sequence[AnswerForm]) -> list[str]:
    """Return what names each answer of a reply: its mark, or its number where marks are the same."""
    marks = [form.mark for form in forms]
    return marks if len(set(marks)) == len(marks) else [str(place + 1) for place in range(len(marks))]


def _in_words_of(form: AnswerForm) -> str:
    names = [name for name, _ in form.names]
    if form.kind == "choice":
        return f"{', '.join(names[:-1])} or {names[-1]}" if len(names) > 1 else names[0]
    if form.kind == "ranking":
        return f"{', '.join(names)} in your order, from first to last"
    if form.kind == "split":
        return f"{_slot(form)}; {form.total:g} in all"
    return _number_words(form) if form.kind == "number" else _STATED[form.kind]


def _number_words(form: AnswerForm) -> str:
    kind = "a whole number" if form.whole else "a number"
    if form.low is not None and form.high is not None:
        return f"{kind} from {form.low:g} to {form.high:g}"
    if form.low is not None:
        return f"{kind} of {form.low:g} or more"
    return kind if form.high is None else f"{kind} of {form.high:g} or less"


def schema_of(forms: Sequence[AnswerForm]) -> dict[str, Any]:
    """Return the JSON Schema of a reply: its reasoning first where that is asked for, then the answer."""
    # Ranges are not part of it: some providers refuse them. Several answers are called 1, 2, …
    fields: dict[str, Any] = {}
    if any(form.reasoning for form in forms):
        fields[REASONING.lower()] = {"type": "string"}
    fields |= {
        name.lower().replace(" ", "_"): _schema(form)
        for name, form in zip(names_of(forms), forms, strict=True)
    }
    return _fields_object(fields)


def _fields_object(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": dict(fields),
        "required": list(fields),
        "additionalProperties": False,
    }


def _schema(form: AnswerForm) -> dict[str, Any]:
    names = [name for name, _ in form.names]
    if form.kind == "choice":
        return {"type": "string", "enum": names}
    if form.kind == "number":
        return {"type": "integer" if form.whole else "number"}
    if form.kind == "ranking":
        return {"type": "array", "items": {"type": "string", "enum": names}}
    if form.kind == "split":
        return _fields_object({name: {"type": "integer" if form.whole else "number"} for name in names})
    return {"type": "string"}


def fields_of(text: str) -> Mapping[str, Any] | None:
    """Return the fields of a reply that is one JSON object and nothing else; ``None`` of any other."""
    stripped = text.strip()
    if not (stripped.startswith("{") and stripped.endswith("}")):
        return None
    try:
        held = json.loads(stripped)
    except (ValueError, RecursionError):
        return None
    return held if isinstance(held, dict) else None


def reasoning_of(text: str) -> str | None:
    """Return the reasoning of a reply that is an object with a field of it."""
    found = (fields_of(text) or {}).get(REASONING.lower())
    return found if isinstance(found, str) else None
