"""Records as JSON and back: one shape per record, the same in every document of every question.

A frozen record becomes an object with its fields as keys, so an `Estimate` is always
``{"value": …, "interval": {"low", "high", "level", "method"} or null, "n", "n_left_out", "method", "note"}``.
JSON has no infinity and no NaN: the first is written ``"inf"`` or ``"-inf"``, the second is refused,
since an undefined number is ``None``.
"""

import math
import types
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from enum import Enum
from functools import cache, partial
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from concord.errors import FileFormatError

T = TypeVar("T")
KEY = "key"
"""Metadata of a field that has another name in documents than in the record."""
Where = str | tuple[Any, str | int]
"""A document's name, or a place in it: the place around it, and its key or number there."""
Reader = Callable[[object, Where], Any]
_INFINITE = {"inf": math.inf, "-inf": -math.inf}


def encode(value: object) -> Any:
    """Return a record, or anything made of records, as what `json` can write.

    Examples
    --------
    >>> from concord.records import Estimate, Interval
    >>> encode(Estimate(0.5, Interval(0.4, 0.6, 0.95, "Wilson"), n=80))["interval"]
    {'low': 0.4, 'high': 0.6, 'level': 0.95, 'method': 'Wilson'}
    """
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind is float:
        return _number(cast("float", value))
    names = _names_and_keys(cast("Hashable", kind))
    if names is not None:
        return {key: encode(getattr(value, name)) for name, key in names}
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


_AS_THEY_ARE = frozenset({str, int, bool, type(None)})


@cache
def _names_and_keys(kind: Any) -> tuple[tuple[str, str], ...] | None:
    """Return the fields of a record with their keys in a document; None where it is no record."""
    return tuple((field.name, _key_of(field)) for field in fields(kind)) if is_dataclass(kind) else None


def _key_of(field: Field[Any]) -> str:
    """Return what a document calls a field."""
    return str(field.metadata.get(KEY, field.name))


def _number(value: float) -> float | str:
    if math.isnan(value):
        raise ValueError("NaN has no form in a result: an undefined number is None")
    return float(value) if math.isfinite(value) else ("inf" if value > 0 else "-inf")


def decode(kind: type[T], document: object, *, where: str) -> T:
    """Return a record from its JSON; the inverse of `encode`.

    Examples
    --------
    >>> from concord.records import Estimate
    >>> decode(Estimate, {"value": None, "note": "no items"}, where="x.json").note
    'no items'
    """
    decoded: T = _reader(cast("Hashable", kind))(document, where)
    return decoded


@cache
def _fields(kind: Any) -> tuple[tuple[str, str, Reader, bool], ...]:
    """Return name, key and reader of every field of a record, and whether it may lack."""
    hints = get_type_hints(kind)
    return tuple(
        (
            field.name,
            _key_of(field),
            _reader(hints[field.name]),
            not (field.default is MISSING and field.default_factory is MISSING),
        )
        for field in fields(kind)
        if field.init
    )


def _record(kind: type[Any], document: object, where: Where) -> Any:
    if not isinstance(document, Mapping):
        raise _fault(where, "an object", document)
    given = {}
    for name, key, reader, may_lack in _fields(cast("Hashable", kind)):
        if key in document:
            given[name] = reader(document[key], (where, key))
        elif not may_lack:
            raise FileFormatError(f"{_said(where)}: has no key {key!r}; is this a result that Concord wrote?")
    return kind(**given)


@cache
def _reader(hint: Any) -> Reader:
    """Return what reads values of a type, found once for every type."""
    origin = get_origin(hint)
    if hint is Any or hint is object:
        return _as_it_is
    if origin in (Union, types.UnionType):
        options = get_args(hint)
        known = tuple(_reader(option) for option in options if option is not type(None))
        return partial(_union, known, type(None) in options)
    if isinstance(hint, type) and is_dataclass(hint):
        return partial(_record, hint)
    if isinstance(hint, type) and hasattr(hint, "_fields") and issubclass(hint, tuple):
        return partial(_named_tuple, hint)
    if origin is tuple:
        return partial(_tuple, get_args(hint))
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return partial(_mapping, _reader(get_args(hint)[1]))
    if origin is not None and isinstance(origin, type) and issubclass(origin, Sequence):
        return partial(_sequence, _reader(get_args(hint)[0]))
    return partial(_plain, hint)


def _as_it_is(value: object, where: Where) -> Any:
    return value


def _union(readers: tuple[Reader, ...], may_be_null: bool, value: object, where: Where) -> Any:
    if value is None and may_be_null:
        return None
    faults = []
    for reader in readers:
        try:
            return reader(value, where)
        except FileFormatError as fault:
            faults.append(fault)
    raise faults[0] if faults else _fault(where, "null", value)


def _tuple(kinds: tuple[Any, ...], value: object, where: Where) -> tuple[Any, ...]:
    entries = _list(value, where)
    if len(kinds) == 2 and kinds[1] is Ellipsis:
        reader = _reader(kinds[0])
        return tuple(reader(entry, (where, i)) for i, entry in enumerate(entries))
    if len(entries) != len(kinds):
        raise _fault(where, f"a list of {len(kinds)}", value)
    return tuple(
        _reader(kind)(entry, (where, i)) for i, (kind, entry) in enumerate(zip(kinds, entries, strict=True))
    )


def _named_tuple(kind: Any, value: object, where: Where) -> Any:
    """Return a named tuple from an object; fields that have a default may lack."""
    if not isinstance(value, Mapping):
        raise _fault(where, "an object", value)
    hints = get_type_hints(kind)
    lacking = [name for name in kind._fields if name not in value and name not in kind._field_defaults]
    if lacking:
        raise FileFormatError(
            f"{_said(where)}: has no key {lacking[0]!r}; is this a result that Concord wrote?"
        )
    known = {name: value[name] for name in kind._fields if name in value}
    return kind(**{name: _reader(hints[name])(one, (where, name)) for name, one in known.items()})


def _mapping(reader: Reader, value: object, where: Where) -> dict[Any, Any]:
    if not isinstance(value, Mapping):
        raise _fault(where, "an object", value)
    return {key: reader(entry, (where, key)) for key, entry in value.items()}


def _sequence(reader: Reader, value: object, where: Where) -> list[Any]:
    return [reader(entry, where) for entry in _list(value, where)]


def _list(value: object, where: Where) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise _fault(where, "a list", value)
    return value


def _plain(kind: Any, value: object, where: Where) -> Any:
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


def _as_float(value: int | float, where: Where) -> float:
    try:
        return float(value)
    except OverflowError:
        raise _fault(where, "a number that a float can hold", "a longer one") from None


def _said(where: Where) -> str:
    """Return a place in words: the file, then keys and numbers from the outside in."""
    if isinstance(where, str):
        return where
    outer, inner = where
    return f"{_said(outer)}[{inner}]" if isinstance(inner, int) else f"{_said(outer)}, {inner!r}"


def _fault(where: Where, expected: str, value: object) -> FileFormatError:
    shown = repr(value)
    return FileFormatError(
        f"{_said(where)}: got {shown if len(shown) <= 60 else shown[:57] + '...'}, expected {expected}"
    )
