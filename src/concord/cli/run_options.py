"""The options that every `concord run` command takes, declared once: how to ask, where replies are kept."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from concord.cli.options import Full, JsonAlone, rare
from concord.errors import OptionError

if TYPE_CHECKING:
    from concord.asking.connection import Connection
    from concord.asking.limits import Limits, Prices
    from concord.asking.requests import Sampling

Model = Annotated[
    str | None, typer.Option(help="PROVIDER/MODEL as Inspect names them, or local/smollm2-135m.")
]
_BATCH = (
    "--batch: Inspect tells the id of a batch only when its replies are there, so that a crash would orphan "
    "a batch that is paid; ask without it (--rate and --max-cost hold the cost down)"
)
_LEAST = (
    ("max_connections", 1),
    ("max_retries", 0),
    ("timeout", 1),
    ("give_up_after", 1),
    ("processes", 1),
)
_MOST_PROCESSES = 256
"""Each loads Inspect anew, which takes some 150 MB."""


@dataclass(frozen=True, kw_only=True)
class Asking:
    """The options of every question; each field is an option of the command line."""

    out: Annotated[Path | None, typer.Option(help="The run's folder (default: runs/QUESTION-MODEL).")] = None
    limit: Annotated[int | None, typer.Option(help="Ask only the first N items.")] = None
    resume: Annotated[bool, rare(help="Go on with the run that the folder holds.")] = True
    temperature: Annotated[float, typer.Option(help="Sampling temperature.")] = 0.0
    no_temperature: Annotated[
        bool, rare("--no-temperature", help="Send none (for models that refuse one).")
    ] = False
    max_tokens: Annotated[
        int | None, typer.Option(help="Longest reply, in tokens (default: by question).")
    ] = None
    top_p: Annotated[float | None, rare(help="Nucleus sampling.")] = None
    seed: Annotated[
        int | None,
        rare("--seed", "--seed-model", help="Sent to the provider; repeat k gets SEED + k."),
    ] = None
    system: Annotated[str | None, rare(help="A system message before every prompt.")] = None
    reasoning_effort: Annotated[
        str | None,
        rare(help="none, minimal, low, medium, high or xhigh, where a model has it."),
    ] = None
    reasoning_tokens: Annotated[int | None, rare(help="Most tokens of thinking.")] = None
    logprobs: Annotated[bool, rare("--logprobs", help="Keep log probabilities of tokens.")] = False
    models: Annotated[
        str | None, typer.Option(help="Several models, separated by commas, into one folder of runs.")
    ] = None
    base_url: Annotated[str | None, typer.Option(help="Address of an OpenAI-compatible server.")] = None
    max_connections: Annotated[int | None, rare(help="Calls at the same time.")] = None
    max_retries: Annotated[int, rare(help="New attempts after a failed call.")] = 5
    timeout: Annotated[int, rare(help="Seconds for one attempt.")] = 600
    give_up_after: Annotated[int, rare(help="Stop after so many failed calls in a row.")] = 20
    give_up_minutes: Annotated[float, rare(help="Stop after so many minutes without any reply.")] = 10.0
    processes: Annotated[int, rare(help="Ask with so many processes.")] = 1
    again: Annotated[
        str | None,
        rare(help="Ask anew what was: truncated, empty, filtered, context overflow (with commas)."),
    ] = None
    structured: Annotated[
        str,
        rare(
            help="auto: a last line ANSWER, and a schema where the provider takes one; off: source's words."
        ),
    ] = "auto"
    ask_again: Annotated[
        int,
        rare(help="Ask so often once more for an answer that cannot be read; never after a refusal."),
    ] = 1
    max_cost: Annotated[float | None, typer.Option(help="Stop before the run has cost more.")] = None
    max_tokens_total: Annotated[int | None, rare(help="Stop before the run has taken more tokens.")] = None
    max_time: Annotated[float | None, rare(help="Stop after so many minutes.")] = None
    rate: Annotated[float | None, rare(help="At most so many calls per minute.")] = None
    cache: Annotated[bool, rare("--cache", help="Use Inspect's cache of replies.")] = False
    batch: Annotated[bool, rare("--batch", help="Refused, with the reason.")] = False
    prices: Annotated[
        Path | None,
        rare(help='Prices by model (JSON): {"MODEL": {"in": 0.15, "out": 0.6}}.'),
    ] = None
    inspect_log: Annotated[
        bool,
        rare("--inspect-log/--no-inspect-log", help="Write logs for Inspect's viewer."),
    ] = True
    price_in: Annotated[float | None, rare(help="Price of a million input tokens.")] = None
    price_out: Annotated[float | None, rare(help="Price of a million output tokens.")] = None
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before spending.")] = False
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan and the first prompts; ask nothing.")
    ] = False
    full: Full = False
    json: JsonAlone = False

    @property
    def sampling(self) -> "Sampling":
        """What is sent with every prompt."""
        from concord.asking.requests import Sampling

        return Sampling(
            temperature=None if self.no_temperature else self.temperature,
            max_tokens=self.max_tokens,
            top_p=self.top_p,
            seed=self.seed,
            system=self.system,
            reasoning_effort=self.reasoning_effort,
            reasoning_tokens=self.reasoning_tokens,
            logprobs=True if self.logprobs else None,
        )

    @property
    def connection(self) -> "Connection":
        """How the model is reached."""
        from concord.asking.connection import Connection

        for name, least in _LEAST:
            value = getattr(self, name)
            if value is not None and value < least:
                option = name.replace("_", "-")
                raise OptionError(f"--{option} {value}: expected a whole number from {least} on")
        if self.processes > _MOST_PROCESSES:
            raise OptionError(f"--processes {self.processes}: expected at most {_MOST_PROCESSES}")
        if not self.give_up_minutes > 0:
            raise OptionError(f"--give-up-minutes {self.give_up_minutes}: expected a number above 0")
        if self.batch:
            raise OptionError(_BATCH)
        return Connection(
            base_url=self.base_url,
            max_connections=self.max_connections,
            max_retries=self.max_retries,
            timeout=self.timeout,
            give_up_after=self.give_up_after,
            give_up_seconds=60 * self.give_up_minutes,
        )

    @property
    def limits(self) -> "Limits":
        """What the run may take."""
        from concord.asking.limits import Limits

        return Limits(self.max_cost, self.max_tokens_total, self.max_time, self.rate)

    def outcomes_again(self) -> frozenset[str]:
        """Return the outcomes that are asked anew."""
        from concord.asking.folder import AGAIN

        named = frozenset(name.strip() for name in (self.again or "").split(",") if name.strip())
        unknown = named - set(map(str, AGAIN))
        if unknown:
            expected = ", ".join(map(str, AGAIN))
            raise OptionError(f"--again {min(unknown)!r}: expected some of {expected}, with commas")
        return named

    def prices_of(self, model: str) -> "Prices | None":
        """Return what tokens of a model cost, where it is known."""
        from concord.asking.limits import Prices, known_prices, read_prices

        if (self.price_in is None) != (self.price_out is None):
            raise OptionError("--price-in and --price-out belong together: give both")
        if self.price_in is not None and self.price_out is not None:
            return Prices(self.price_in, self.price_out)
        if self.prices is not None:
            return read_prices(self.prices).get(model)
        return known_prices(model)

    def model_names(self, model: str | None) -> list[str]:
        """Return the models to ask, each once."""
        several = [] if self.models is None else [one.strip() for one in self.models.split(",")]
        names = list(dict.fromkeys(name for name in (model, *several) if name is not None))
        if not names:
            raise OptionError("no model is named: give --model PROVIDER/MODEL, or --models with several")
        if any(not name.strip() for name in names):
            raise OptionError("the model's name is blank: expected PROVIDER/MODEL")
        return names

    def job(self) -> dict[str, Any]:
        """Return what a job takes of these options."""
        return {
            "limit": self.limit,
            "sampling": self.sampling,
            "connection": self.connection,
            "limits": self.limits,
            "processes": self.processes,
            "cache": self.cache,
            "structured": self.structured,
            "ask_again": self.ask_again,
        }


@dataclass(frozen=True, kw_only=True)
class AskingItems(Asking):
    """The options of questions whose items can be asked several times."""

    repeats: Annotated[int, typer.Option(help="How often each item is asked.")] = 1

    def job(self) -> dict[str, Any]:
        """Return what a job takes of these options."""
        return {**super().job(), "repeats": self.repeats}


@dataclass(frozen=True, kw_only=True)
class AskingArrangements(AskingItems):
    """The options of arrangements: asked twice, since flips are counted against those between repeats."""

    repeats: Annotated[int, typer.Option(help="How often each arrangement is asked.")] = 2


@dataclass(frozen=True, kw_only=True)
class AskingVotes(AskingItems):
    """The options of judges: votes of one order are the floor of those that change with the order."""

    limit: Annotated[int | None, typer.Option(help="Judge only the first N pairs.")] = None
    temperature: Annotated[float, typer.Option(help="Sampling temperature.")] = 0.7
    repeats: Annotated[
        int, typer.Option("--votes", "--repeats", help="Votes on each pair in each order.")
    ] = 2


@dataclass(frozen=True, kw_only=True)
class AskingPeople(Asking):
    """The options of studies: participants differ, so they are sampled."""

    limit: Annotated[int | None, typer.Option(help="Hold only the first N sessions of each experiment.")] = (
        None
    )
    temperature: Annotated[float, typer.Option(help="Sampling temperature.")] = 1.0
    seed: Annotated[
        int | None,
        rare("--seed", "--seed-model", help="Sent to the provider; participant k gets SEED + k."),
    ] = None


def asks(command: Callable[..., None]) -> Callable[..., None]:
    """Add to a command, after its own options, those of the class that its ``asking`` is annotated with."""
    kind = get_type_hints(command)["asking"]
    types = get_type_hints(kind, include_extras=True)
    shared = [
        inspect.Parameter(
            one.name, inspect.Parameter.KEYWORD_ONLY, default=one.default, annotation=types[one.name]
        )
        for one in fields(kind)
    ]
    own = [
        one for one in inspect.signature(command, eval_str=True).parameters.values() if one.name != "asking"
    ]

    @functools.wraps(command)
    def run(**given: Any) -> None:
        asking = kind(**{one.name: given.pop(one.name) for one in shared})
        command(**given, asking=asking)

    run.__annotations__ = {one.name: one.annotation for one in (*own, *shared)} | {"return": None}
    run.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
    return run
