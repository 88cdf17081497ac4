"""What is sent with a prompt, and trials with the key of all that is sent: a plan may hold a million."""

import hashlib
import json
from array import array
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from functools import lru_cache
from typing import Any, overload

from concord.errors import OptionError
from concord.numeric import check_numbers
from concord.reading.forms import answer_line
from concord.records import Design, Message, Trial

EFFORTS = ("none", "minimal", "low", "medium", "high", "xhigh", "max")


@dataclass(frozen=True, slots=True)
class Sampling:
    """How the model is asked to answer. ``None`` is not sent: the provider decides."""

    temperature: float | None = None
    max_tokens: int | None = None
    top_p: float | None = None
    seed: int | None = None
    """Seed of repeat 0; repeat k is sent ``seed + k``, so that repeats are not copies."""
    system: str | None = None
    """A system message before every prompt."""
    reasoning_effort: str | None = None
    reasoning_tokens: int | None = None
    logprobs: bool | None = None
    arguments: str | None = None
    """Further arguments of the provider (`--set`), as JSON."""

    def _named(self) -> dict[str, Any]:
        """Return the settings by their names in what is written."""
        settings = asdict(self)
        arguments = settings.pop("arguments")
        return settings if arguments is None else {**settings, "set": json.loads(arguments)}

    def seed_of(self, repeat: int) -> int | None:
        """Return the seed that is sent with a repeat."""
        return None if self.seed is None else self.seed + repeat

    def sent(self, repeat: int) -> dict[str, float | int | str]:
        """Return the settings that are sent, and only those.

        Examples
        --------
        >>> Sampling(temperature=0.0, seed=7).sent(2)
        {'temperature': 0.0, 'seed': 9}
        """
        settings = {**self._named(), "seed": self.seed_of(repeat)}
        return {name: value for name, value in settings.items() if value is not None}

    def record(self) -> dict[str, Any]:
        """Return the settings as a run's record holds them: the usual four, and the others where given."""
        usual = ("temperature", "max_tokens", "top_p", "seed")
        return {name: value for name, value in self._named().items() if name in usual or value is not None}

    @classmethod
    def read(cls, record: Mapping[str, Any]) -> "Sampling":
        """Return the settings that a run's record holds."""
        held: dict[str, Any] = {one.name: record.get(one.name) for one in fields(cls)}
        given = record.get("set")
        held["arguments"] = None if given is None else json.dumps(given, sort_keys=True, ensure_ascii=False)
        return cls(**held)

    def check(self) -> None:
        """Refuse settings that cannot be meant."""
        check_numbers(asdict(self))
        if self.reasoning_effort is not None and self.reasoning_effort not in EFFORTS:
            raise OptionError(
                f"--reasoning-effort {self.reasoning_effort!r}: expected one of {', '.join(EFFORTS)}"
            )


_text = json.encoder.encode_basestring_ascii
"""A text in JSON, as `json.dumps` writes it, at a tenth of its time."""


def trial_key(trial: Trial, model: str, sampling: Sampling) -> str:
    """Return the key of a trial: a hash of what names it and of everything that is sent."""
    # A changed prompt, model, setting, seed or repeat is another key, so that a stored reply is never taken
    # for an answer to something else.
    return next(trial_digests([trial], model, sampling)).hex()


def trial_digests(trials: Iterable[Trial], model: str, sampling: Sampling) -> Iterator[bytes]:
    """Return the key of every trial as bytes, see `trial_key`."""
    # The same as one sorted dump of all that is sent; what repeats is dumped once.
    named, settings = _text(model), dict[int, str]()
    for trial in trials:
        repeat = trial.repeat
        if repeat not in settings:
            settings[repeat] = _settings(sampling, repeat)
        text = (
            f'{{"cell":{_text(trial.cell)},"item":{_text(trial.item)},'
            f'"messages":{_dumped(trial.messages)},"model":{named},"repeat":{repeat},'
            f'"sampling":{settings[repeat]},"suite":{_text(trial.suite)}}}'
        )
        yield hashlib.sha256(text.encode("ascii")).digest()


@lru_cache(maxsize=8192)
def _dumped(messages: tuple[Message, ...]) -> str:
    # Lone surrogates may be part of a prompt; escaped, every string has bytes.
    return json.dumps([[one.role, one.text] for one in messages], ensure_ascii=True, separators=(",", ":"))


@lru_cache(maxsize=512)
def _settings(sampling: Sampling, repeat: int) -> str:
    return json.dumps(sampling.sent(repeat), ensure_ascii=True, sort_keys=True, separators=(",", ":"))


KEY_BYTES = 32
"""Of a key; a run whose keys are others has no index."""


class Keys(Collection[str]):
    """Keys in their order, kept as bytes; all, or those at some places."""

    def __init__(self, digests: bytes, places: Sequence[int] | None = None) -> None:
        self._digests = digests
        self._places = range(len(digests) // KEY_BYTES) if places is None else places

    def __len__(self) -> int:
        return len(self._places)

    def __iter__(self) -> Iterator[str]:
        digests = self._digests
        return (digests[KEY_BYTES * place : KEY_BYTES * (place + 1)].hex() for place in self._places)

    def __contains__(self, key: object) -> bool:
        return any(key == one for one in self)


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

    def keys(self) -> Keys:
        """Return the keys alone."""
        return Keys(self._digests, self._places)

    def where(self, wanted: Callable[[str], bool]) -> "Requests":
        """Return the requests whose key is wanted."""
        found = zip(self._places, self.keys(), strict=True)
        places = array("l", (place for place, key in found if wanted(key)))
        return Requests(self._trials, self._digests, places)

    def _key(self, place: int) -> str:
        return self._digests[KEY_BYTES * place : KEY_BYTES * (place + 1)].hex()


def requests_of(design: Design, model: str, sampling: Sampling) -> Requests:
    """Assign every trial its key."""
    digests = bytearray()
    for digest in trial_digests(design.trials, model, sampling):
        digests += digest
    return Requests(design.trials, bytes(digests))


AUTO, OFF = "auto", "off"
WAYS = (AUTO, OFF)
_ALL = ""
_PROVIDERS = {
    **dict.fromkeys(("openai", "anthropic", "google", "mistral", "groq", "grok", "sagemaker"), _ALL),
    # Servers with OpenAI's interface: one that refuses a schema is asked without it.
    **dict.fromkeys(("openai-api", "vllm", "sglang", "ollama", "llama-cpp-python", "openrouter"), _ALL),
    **dict.fromkeys(("together", "fireworks", "moonshot", "meta", "litellm-proxy", "sambanova"), _ALL),
    **dict.fromkeys(("perplexity", "cloudflare", "hf-inference-providers"), _ALL),
    # Inspect passes one to Claude on Bedrock, and to no other model there.
    "bedrock": "anthropic",
}
"""Provider to what the name of a model must hold. Not here: DeepSeek, which knows JSON without a schema only,
Azure AI, models that run in Inspect's own process, and those of tests."""


_OWN = "/own"
"""How templates end that somebody else has written: their words stay as they are."""


def lined(design: Design) -> Design:
    """Return a design whose prompts ask for the answer in a last line, where they do not do so already."""
    known: dict[tuple[int, int, str], tuple[Message, ...]] = {}

    def with_line(trial: Trial) -> Trial:
        place = (
            id(trial.messages),
            id(trial.forms),
            trial.template,
        )  # repeats share their words, which the design keeps
        messages = known.get(place)
        if messages is None:
            messages = known[place] = _lined_words(trial)
        if messages is trial.messages:
            return trial
        rest = (trial.repeat, trial.template, trial.about, trial.forms)
        return Trial(trial.suite, trial.item, trial.cell, messages, *rest)

    return replace(design, trials=tuple(map(with_line, design.trials)))


def _lined_words(trial: Trial) -> tuple[Message, ...]:
    line = "" if trial.template.endswith(_OWN) or not trial.messages else answer_line(trial.forms)
    if not line or f"{trial.forms[0].mark}:" in trial.messages[-1].text:
        return trial.messages
    last = trial.messages[-1]
    return (*trial.messages[:-1], Message(last.role, f"{last.text}\n{line}"))


def takes_schema(model: str) -> bool:
    """Whether a schema of the answer is sent to a model."""
    provider, _, name = model.partition("/")
    needed = _PROVIDERS.get(provider)
    return needed is not None and needed in name
