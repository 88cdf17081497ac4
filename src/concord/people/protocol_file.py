"""Protocols by name, or from a file with choices."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError, InputError, OptionError, quoted_path
from concord.files.codec import decode
from concord.files.contents import is_file, read_bytes
from concord.files.json_text import parsed
from concord.files.yaml_file import read_yaml
from concord.people.protocol import PROTOCOLS, STANDARD, Protocol, with_choices

PROTOCOL_FILES = (".json", ".yaml", ".yml")


def read_protocol(path: Path) -> Protocol:
    """Read a protocol from a file (YAML or JSON): single choices, the protocol they change, and a name."""
    # ``like`` names the protocol that the choices change (``standard`` by default); without ``name`` the
    # changes are the name, as where they are given one by one.
    data = _plain_choices(path)
    if not isinstance(data, Mapping):
        raise FileFormatError(f"{path.name}: expected choices of a protocol, such as 'states: 2'")
    choices = {str(key): value for key, value in data.items()}
    name, like = choices.pop("name", None), choices.pop("like", STANDARD.name)
    if like not in PROTOCOLS:
        raise FileFormatError(f"{path.name}: like is {like!r}; expected one of {', '.join(PROTOCOLS)}")
    base = PROTOCOLS[like]
    _known(choices)
    changed = decode(Protocol, asdict(base) | choices, where=path.name)
    found = with_choices(base, {key: getattr(changed, key) for key in choices})
    if name is None:
        return found
    if name in PROTOCOLS and replace(found, name=name) != PROTOCOLS[name]:
        raise FileFormatError(f"{path.name}: {name!r} is another protocol; choose another name")
    return replace(found, name=str(name))


def is_protocol_file(path: Path) -> bool:
    """Whether a file holds choices of a protocol and nothing else."""
    try:
        data = _plain_choices(path)
    except InputError:
        return False
    keys = {str(key) for key in data} - {"name"} if isinstance(data, Mapping) else set()
    return bool(keys) and keys <= {*Protocol.__slots__, "like"}


def _plain_choices(path: Path) -> Any:
    """Return the plain data of a file of choices."""
    if not is_file(path):
        raise FileFormatError(f"no file {quoted_path(path)}; check the path of the protocol")
    if path.suffix.lower() == ".json":
        return parsed(path.name, read_bytes(path))
    return read_yaml(path).data


def _known(choices: Iterable[str]) -> None:
    unknown = [name for name in choices if name not in Protocol.__slots__ or name == "name"]
    if unknown:
        known = ", ".join(name for name in Protocol.__slots__ if name != "name")
        raise OptionError(f"a protocol has no choice {unknown[0]!r}; its choices are {known}")


def get_protocol(protocol: str | Path | Protocol, **changes: object) -> Protocol:
    """Return a protocol by name, from a file or as it is, with single choices changed; its name says them.

    Parameters
    ----------
    protocol
        ``standard``, ``refined``, ``published``, a file with choices (YAML or JSON), or a `Protocol`.
    changes
        Fields to replace; ``None`` keeps the protocol's own.
    """
    if not isinstance(protocol, Protocol):
        if str(protocol) in PROTOCOLS:
            protocol = PROTOCOLS[str(protocol)]
        elif Path(protocol).suffix.lower() in PROTOCOL_FILES:
            protocol = read_protocol(Path(protocol))
        else:
            raise OptionError(
                f"protocol is {str(protocol)!r}; expected one of {', '.join(PROTOCOLS)}, or a file with "
                "choices (.yaml, .json)"
            )
    _known(changes)
    return with_choices(protocol, {field: value for field, value in changes.items() if value is not None})
