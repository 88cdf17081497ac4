"""The options that every `concord run` command takes, declared once: how to ask, where replies are kept."""

import functools
import inspect
from collections.abc import Callable
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_type_hints

import typer

from concord.errors import OptionError

if TYPE_CHECKING:
    from concord.asking.keys import Sampling
    from concord.asking.plan import Prices
    from concord.asking.run import Connection

Model = Annotated[str, typer.Option(help="PROVIDER/MODEL as Inspect names them, or local/smollm2-135m.")]


@dataclass(frozen=True, kw_only=True)
class Asking:
    """The options of every question; each field is an option of the command line."""

    out: Annotated[Path | None, typer.Option(help="The run's folder (default: runs/QUESTION-MODEL).")] = None
    limit: Annotated[int | None, typer.Option(help="Ask only the first N items.")] = None
    resume: Annotated[bool, typer.Option(help="Go on with the run that the folder holds.")] = True
    temperature: Annotated[float, typer.Option(help="Sampling temperature.")] = 0.0
    no_temperature: Annotated[
        bool, typer.Option("--no-temperature", help="Send none (for models that refuse one).")
    ] = False
    max_tokens: Annotated[
        int | None, typer.Option(help="Longest reply, in tokens (default: by question).")
    ] = None
    top_p: Annotated[float | None, typer.Option(help="Nucleus sampling.")] = None
    seed: Annotated[int | None, typer.Option(help="Sent to the provider; repeat k gets SEED + k.")] = None
    base_url: Annotated[str | None, typer.Option(help="Address of an OpenAI-compatible server.")] = None
    max_connections: Annotated[int | None, typer.Option(help="Calls at the same time.")] = None
    max_retries: Annotated[int, typer.Option(help="New attempts after a failed call.")] = 5
    timeout: Annotated[int, typer.Option(help="Seconds for one attempt.")] = 600
    give_up_after: Annotated[int, typer.Option(help="Stop after so many failed calls in a row.")] = 20
    price_in: Annotated[float | None, typer.Option(help="Price of a million input tokens.")] = None
    price_out: Annotated[float | None, typer.Option(help="Price of a million output tokens.")] = None
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before spending.")] = False
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Show the plan and the first prompts; ask nothing.")
    ] = False
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False

    @property
    def sampling(self) -> "Sampling":
        """What is sent with every prompt."""
        from concord.asking.keys import Sampling

        temperature = None if self.no_temperature else self.temperature
        return Sampling(temperature, self.max_tokens, self.top_p, self.seed)

    @property
    def connection(self) -> "Connection":
        """How the model is reached."""
        from concord.asking.run import Connection

        for name, least in (("max_connections", 1), ("max_retries", 0), ("timeout", 1), ("give_up_after", 1)):
            value = getattr(self, name)
            if value is not None and value < least:
                option = name.replace("_", "-")
                raise OptionError(f"--{option} {value}: expected a whole number from {least} on")
        return Connection(
            self.base_url, self.max_connections, self.max_retries, self.timeout, self.give_up_after
        )

    @property
    def prices(self) -> "Prices | None":
        """What tokens cost, where it is known."""
        from concord.asking.plan import Prices

        if self.price_in is None and self.price_out is None:
            return None
        if self.price_in is None or self.price_out is None:
            raise OptionError("--price-in and --price-out belong together: give both")
        return Prices(self.price_in, self.price_out)

    def job(self) -> dict[str, Any]:
        """Return what a job takes of these options."""
        return {"limit": self.limit, "sampling": self.sampling, "connection": self.connection}


@dataclass(frozen=True, kw_only=True)
class AskingItems(Asking):
    """The options of questions whose items can be asked several times."""

    repeats: Annotated[int, typer.Option(help="How often each item is asked.")] = 1

    def job(self) -> dict[str, Any]:
        """Return what a job takes of these options."""
        return {**super().job(), "repeats": self.repeats}


@dataclass(frozen=True, kw_only=True)
class AskingPeople(Asking):
    """The options of studies: participants differ, so they are sampled."""

    limit: Annotated[int | None, typer.Option(help="Hold only the first N sessions of each experiment.")] = (
        None
    )
    temperature: Annotated[float, typer.Option(help="Sampling temperature.")] = 1.0
    seed: Annotated[int | None, typer.Option(help="Sent to the provider; participant k gets SEED + k.")] = (
        None
    )


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
