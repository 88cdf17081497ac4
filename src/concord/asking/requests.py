"""Trials with the keys of everything that is sent for them, kept small: a plan may hold a million."""

import json
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

from concord.asking.keys import Sampling, trial_digests
from concord.records import Design, Trial

_BYTES = 32
"""Of a key."""


@dataclass(frozen=True, slots=True)
class Request:
    """A trial and the key of everything that is sent for it."""

    trial: Trial
    key: str


@dataclass(frozen=True, slots=True)
class Again:
    """Which stored replies are asked anew, and with which settings."""

    outcomes: frozenset[str]
    sampling: Sampling

    @property
    def tag(self) -> str:
        """Name the settings, so that a reply is asked anew with them once."""
        return json.dumps(self.sampling.sent(0), sort_keys=True)


class Requests(Sequence[Request]):
    """Trials with their keys, in the order of asking; a request is made when it is looked at."""

    def __init__(self, trials: Sequence[Trial], digests: bytes, places: Sequence[int] | None = None) -> None:
        self._trials, self._digests = trials, digests
        self._places = range(len(trials)) if places is None else places

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[Request]:
        return (Request(self._trials[place], self._key(place)) for place in self._places)

    @overload
    def __getitem__(self, at: int) -> Request: ...

    @overload
    def __getitem__(self, at: slice) -> "Requests": ...

    def __getitem__(self, at: int | slice) -> "Request | Requests":
        if isinstance(at, slice):
            return Requests(self._trials, self._digests, self._places[at])
        place = self._places[at]
        return Request(self._trials[place], self._key(place))

    @property
    def trials(self) -> Sequence[Trial]:
        """What is asked, without keys."""
        if isinstance(self._places, range) and self._places == range(len(self._trials)):
            return self._trials
        return [self._trials[place] for place in self._places]

    def keys(self) -> Iterator[str]:
        """Return the keys alone."""
        return map(self._key, self._places)

    def where(self, wanted: Callable[[str], bool]) -> "Requests":
        """Return the requests whose key is wanted."""
        places = array("l", (place for place in self._places if wanted(self._key(place))))
        return Requests(self._trials, self._digests, places)

    def _key(self, place: int) -> str:
        return self._digests[_BYTES * place : _BYTES * (place + 1)].hex()


def requests_of(design: Design, model: str, sampling: Sampling) -> Requests:
    """Assign every trial its key."""
    digests = bytearray()
    for digest in trial_digests(design.trials, model, sampling):
        digests += digest
    return Requests(design.trials, bytes(digests))


class PlannedKeys:
    """Says whether a key is one of the plan; the set of keys is made when the first one is asked for."""

    def __init__(self, requests: Requests) -> None:
        self._requests = requests

    @cached_property
    def _keys(self) -> frozenset[str]:
        return frozenset(self._requests.keys())

    def __contains__(self, key: object) -> bool:
        return key in self._keys
