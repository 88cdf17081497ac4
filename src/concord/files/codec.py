"""Records as JSON and back: one shape per record, the same in every document of every question.

JSON has no infinity and no NaN: the first is written ``"inf"`` or ``"-inf"``, the second is refused, since an
undefined number is ``None``. Reading (pydantic, loaded with the first record) is strict: a text is no number.
"""

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import Field, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import TYPE_CHECKING, Any, TypeVar, cast

from concord.errors import FileFormatError
from concord.records import OMITTED

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails, SchemaValidator

T = TypeVar("T")
KEY = "key"
"""Metadata of a field that has another name in documents than in the record, or a way (``a.b``) to it."""
_INFINITE = {"inf": math.inf, "-inf": -math.inf}
_EXPECTED = {
    "int_type": "a whole number",
    "float_type": "a number",
    "string_type": "a text",
    "bool_type": "true or false",
    **dict.fromkeys(("tuple_type", "list_type", "is_instance_of", "sequence_str"), "a list"),
    **dict.fromkeys(("dict_type", "mapping_type", "dataclass_type", "named_tuple_type"), "an object"),
    "too_long": "a list of {max_length}",
    "none_required": "null",
}
"""What was expected where pydantic says what is wrong; other faults say it themselves."""
_NO_SCHEMAS = frozenset({"default", "expected", "members", "metadata", "serialization"})
"""Parts of a schema that hold values."""
_CHOICE = "\0"
"""The place of a choice among types, which nobody is told."""


def encode(value: object) -> Any:
    """Return a record, or anything made of records, as what `json` can write."""
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind is float:
        return _json_number(cast("float", value))
    names = _names_and_keys(cast("Hashable", kind))
    if names is not None:
        made = {}
        for name, key in names:
            held = getattr(value, name)
            plain = type(held) in _AS_THEY_ARE or (type(held) is float and math.isfinite(held))
            made[key] = held if plain else encode(held)
        for key in _omitted(cast("Hashable", kind)):
            if made[key] is None or made[key] == []:
                del made[key]
        return made
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return encode(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): encode(entry) for key, entry in value.items()}
    if isinstance(value, str) or value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return _json_number(value)
    if isinstance(value, Sequence):
        return [entry if type(entry) in _AS_THEY_ARE else encode(entry) for entry in value]
    raise TypeError(f"a {type(value).__name__} has no form in JSON")


_AS_THEY_ARE = frozenset({str, int, bool, type(None)})


@cache
def _names_and_keys(kind: Any) -> tuple[tuple[str, str], ...] | None:
    """Return the fields of a record with their keys in a document; None where it is no record."""
    return tuple((field.name, _key_of(field)) for field in fields(kind)) if is_dataclass(kind) else None


@cache
def _omitted(kind: Any) -> tuple[str, ...]:
    """Return the keys of a record that documents leave out where they are empty."""
    return tuple(_key_of(field) for field in fields(kind) if field.metadata.get(OMITTED))


def _key_of(field: Field[Any]) -> str:
    """Return what a document calls a field."""
    return str(field.metadata.get(KEY, field.name))


def _json_number(value: float) -> float | str:
    if math.isnan(value):
        raise ValueError("NaN has no form in a result: an undefined number is None")
    return float(value) if math.isfinite(value) else ("inf" if value > 0 else "-inf")


def decode(kind: type[T], document: object, *, where: str) -> T:
    """Return a record from its JSON; the inverse of `encode`."""
    from pydantic_core import ValidationError

    try:
        decoded: T = _validator(cast("Hashable", kind)).validate_python(document)
    except ValidationError as error:
        raise FileFormatError(_fault(where, error.errors(include_url=False)[0])) from None
    return decoded


@cache
def _validator(kind: Any) -> "SchemaValidator":
    """Return what reads values of a type, made once for every type."""
    from pydantic import TypeAdapter
    from pydantic_core import SchemaValidator

    return SchemaValidator(_strict(TypeAdapter(kind).core_schema))


def _strict(schema: Any) -> Any:
    """Return a schema that takes what `encode` writes and nothing else."""
    if isinstance(schema, list | tuple):
        return type(schema)(map(_strict, schema))
    if not isinstance(schema, dict):
        return schema
    made = {key: one if key in _NO_SCHEMAS else _strict(one) for key, one in schema.items()}
    match made.get("type"):
        case "int" | "str" | "bool":
            return {**made, "strict": True}
        case "float":
            words = {"type": "literal", "expected": list(_INFINITE)}
            number_of = {"type": "no-info", "function": _INFINITE.__getitem__}
            infinite = {"type": "function-after", "function": number_of, "schema": words}
            return _first_of([{**made, "strict": True}, infinite])
        case "union":
            return _first_of([one[0] if isinstance(one, tuple) else one for one in made["choices"]])
        case "dataclass":
            keys = {field.name: _way_of(_key_of(field)) for field in fields(made["cls"])}
            named = [{**one, "validation_alias": keys[one["name"]]} for one in made["schema"]["fields"]]
            return {**made, "schema": {**made["schema"], "fields": named}}
    return made


def _way_of(key: str) -> str | list[str]:
    return key.split(".") if "." in key else key


def _first_of(choices: list[Any]) -> dict[str, Any]:
    """Return the schema of a value that is of the first of some types that it fits."""
    return {"type": "union", "mode": "left_to_right", "choices": [(one, _CHOICE) for one in choices]}


def _fault(where: str, error: "ErrorDetails") -> str:
    """Name the place of a fault, from the outside in, what was found and what was expected."""
    place = [part for part in error["loc"] if part != _CHOICE]
    lacking = place.pop() if error["type"] == "missing" else None
    named = where + "".join(f"[{part}]" if isinstance(part, int) else f", {part!r}" for part in place)
    if isinstance(lacking, str):
        return f"{named}: has no key {lacking!r}; is this a result that Concord wrote?"
    if error["type"] == "float_type" and type(error["input"]) is int:
        return f"{named}: got 'a longer one', expected a number that a float can hold"
    context, shown = error.get("ctx", {}), repr(error["input"])
    expected = _EXPECTED.get(error["type"], str(context.get("expected", error["msg"]))).format(**context)
    if lacking is not None:
        expected = "a longer list"
    return f"{named}: got {shown if len(shown) <= 60 else shown[:57] + '...'}, expected {expected}"
