"""Records as JSON and back: one shape per record, the same in every document of every question.

A frozen record becomes an object with its fields as keys, so an `Estimate` is always
``{"value": …, "interval": {"low", "high", "level", "method"} or null, "n", "n_left_out", "method", "note"}``.
JSON has no infinity and no NaN: the first is written ``"inf"`` or ``"-inf"``, the second is refused,
since an undefined number is ``None``.
"""

import math
import types
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from concord.errors import FileFormatError

T = TypeVar("T")
KEY = "key"
"""Metadata of a field that has another name in documents than in the record."""
_INFINITE = {"inf": math.inf, "-inf": -math.inf}


def encode(value: object) -> Any:
    """Return a record, or anything made of records, as what `json` can write.

    Examples
    --------
    >>> from concord.records import Estimate, Interval
    >>> encode(Estimate(0.5, Interval(0.4, 0.6, 0.95, "Wilson"), n=80))["interval"]
    {'low': 0.4, 'high': 0.6, 'level': 0.95, 'method': 'Wilson'}
    """
    if is_dataclass(value) and not isinstance(value, type):
        return {_key_of(field): encode(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return encode(value._asdict())
    if isinstance(value, Mapping):
        return {str(key): encode(entry) for key, entry in value.items()}
    if isinstance(value, str) or value is None or isinstance(value, bool | int):
        return value
    if isinstance(value, float):
        return _number(value)
    if isinstance(value, Sequence):
        return [encode(entry) for entry in value]
    raise TypeError(f"a {type(value).__name__} has no form in JSON")


def _key_of(field: Field[Any]) -> str:
    """Return what a document calls a field."""
    return str(field.metadata.get(KEY, field.name))


def _number(value: float) -> float | str:
    if math.isnan(value):
        raise ValueError("NaN has no form in a result: an undefined number is None")
    return float(value) if math.isfinite(value) else ("inf" if value > 0 else "-inf")


def decode(kind: type[T], document: object, *, where: str) -> T:
    """Return a record from its JSON; the inverse of `encode`.

    Parameters
    ----------
    kind
        The record's class.
    document
        What `json` read.
    where
        What a message calls the document: its file, and the place in it.

    Raises
    ------
    FileFormatError
        A field is missing or of another type; the message names it. Fields that the record does not know are
        left alone, so that documents may hold more than the record.

    Examples
    --------
    >>> from concord.records import Estimate
    >>> decode(Estimate, {"value": None, "note": "no items"}, where="x.json").note
    'no items'
    """
    decoded: T = _value(kind, document, where)
    return decoded


@cache
def _fields(kind: Any) -> tuple[tuple[Field[Any], Any], ...]:
    hints = get_type_hints(kind)
    return tuple((field, hints[field.name]) for field in fields(kind) if field.init)


def _record(kind: type[Any], document: object, where: str) -> Any:
    if not isinstance(document, Mapping):
        raise _fault(where, "an object", document)
    given = {}
    for field, hint in _fields(cast("Hashable", kind)):
        key = _key_of(field)
        if key in document:
            given[field.name] = _value(hint, document[key], f"{where}, {key!r}")
        elif field.default is MISSING and field.default_factory is MISSING:
            raise FileFormatError(f"{where}: has no key {key!r}; is this a result that Concord wrote?")
    return kind(**given)


def _value(hint: Any, value: object, where: str) -> Any:
    origin = get_origin(hint)
    if hint is Any or hint is object:
        return value
    if origin in (Union, types.UnionType):
        return _union(get_args(hint), value, where)
    if isinstance(hint, type) and is_dataclass(hint):
        return _record(hint, value, where)
    if isinstance(hint, type) and hasattr(hint, "_fields") and issubclass(hint, tuple):
        return _named_tuple(hint, value, where)
    if origin is tuple:
        return _tuple(get_args(hint), value, where)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return _mapping(get_args(hint), value, where)
    if origin is not None and isinstance(origin, type) and issubclass(origin, Sequence):
        return [_value(get_args(hint)[0], entry, where) for entry in _list(value, where)]
    return _plain(hint, value, where)


def _union(options: tuple[Any, ...], value: object, where: str) -> Any:
    if value is None and type(None) in options:
        return None
    faults = []
    for option in options:
        if option is type(None):
            continue
        try:
            return _value(option, value, where)
        except FileFormatError as fault:
            faults.append(fault)
    raise faults[0] if faults else _fault(where, "null", value)


def _tuple(kinds: tuple[Any, ...], value: object, where: str) -> tuple[Any, ...]:
    entries = _list(value, where)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        return tuple(_value(kinds[0], entry, f"{where}[{i}]") for i, entry in enumerate(entries))
    if len(entries) != len(kinds):
        raise _fault(where, f"a list of {len(kinds)}", value)
    return tuple(
        _value(kind, entry, f"{where}[{i}]")
        for i, (kind, entry) in enumerate(zip(kinds, entries, strict=True))
    )


def _named_tuple(kind: Any, value: object, where: str) -> Any:
    """Return a named tuple from an object; fields that have a default may lack."""
    if not isinstance(value, Mapping):
        raise _fault(where, "an object", value)
    hints = get_type_hints(kind)
    lacking = [name for name in kind._fields if name not in value and name not in kind._field_defaults]
    if lacking:
        raise FileFormatError(f"{where}: has no key {lacking[0]!r}; is this a result that Concord wrote?")
    known = {name: value[name] for name in kind._fields if name in value}
    return kind(**{name: _value(hints[name], one, f"{where}, {name!r}") for name, one in known.items()})


def _mapping(kinds: tuple[Any, ...], value: object, where: str) -> dict[Any, Any]:
    if not isinstance(value, Mapping):
        raise _fault(where, "an object", value)
    return {key: _value(kinds[1], entry, f"{where}, {key!r}") for key, entry in value.items()}


def _list(value: object, where: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise _fault(where, "a list", value)
    return value


def _plain(kind: Any, value: object, where: str) -> Any:
    if isinstance(kind, type) and issubclass(kind, Enum):
        if value not in {member.value for member in kind}:
            raise _fault(where, " or ".join(repr(member.value) for member in kind), value)
        return kind(value)
    if kind is float:
        if isinstance(value, str) and value in _INFINITE:
            return _INFINITE[value]
        if isinstance(value, int | float) and not isinstance(value, bool):
            return _as_float(value, where)
        raise _fault(where, "a number", value)
    if kind is int and isinstance(value, bool):
        raise _fault(where, "a whole number", value)
    if isinstance(kind, type) and not isinstance(value, kind):
        raise _fault(
            where,
            {int: "a whole number", str: "a text", bool: "true or false"}.get(kind, kind.__name__),
            value,
        )
    return value


def _as_float(value: int | float, where: str) -> float:
    try:
        return float(value)
    except OverflowError:
        raise _fault(where, "a number that a float can hold", "a longer one") from None


def _fault(where: str, expected: str, value: object) -> FileFormatError:
    shown = repr(value)
    return FileFormatError(
        f"{where}: got {shown if len(shown) <= 60 else shown[:57] + '...'}, expected {expected}"
    )
