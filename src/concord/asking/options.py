"""The options of a run, declared once: words of `concord run` and keywords of `concord.run`."""

import difflib
import inspect
import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, make_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, get_args, get_type_hints

from concord.errors import OptionError, quoted

if TYPE_CHECKING:
    from concord.asking.connection import Connection
    from concord.asking.limits import Limits, Prices
    from concord.asking.requests import Sampling


@dataclass(frozen=True, slots=True)
class Word:
    """How an option is told of."""

    help: str
    names: tuple[str, ...] = ()
    """On the command line, where they are not made from the field's name."""
    rare: bool = False
    """Whether `--help-all` alone shows it."""


def option(*names: str, help: str) -> Word:
    """Declare an option that `--help` shows."""
    return Word(help, names)


def rare(*names: str, help: str) -> Word:
    """Declare an option that `--help-all` shows and `--help` does not."""
    return Word(help, names, rare=True)


HALF = ("openai", "anthropic")
"""Who asks half of its prices for calls in batches; of other servers that is not known."""


@dataclass(frozen=True, kw_only=True)
class Asking:
    """The options of every question: each field is one of the command line and a keyword of `concord.run`."""

    QUESTION: ClassVar[str] = ""

    model: Annotated[
        str | None, option(help="PROVIDER/MODEL as Inspect names them, or local/smollm2-135m.")
    ] = None
    out: Annotated[Path | None, option(help="The run's folder (default: runs/QUESTION-MODEL).")] = None
    limit: Annotated[int | None, option(help="Ask only the first N items.")] = None
    resume: Annotated[bool, rare(help="Go on with the run that the folder holds.")] = True
    temperature: Annotated[float, option(help="Sampling temperature.")] = 0.0
    no_temperature: Annotated[
        bool, rare("--no-temperature", help="Send none (for models that refuse one).")
    ] = False
    max_tokens: Annotated[int | None, option(help="Longest reply, in tokens (default: by question).")] = None
    top_p: Annotated[float | None, rare(help="Nucleus sampling.")] = None
    seed: Annotated[
        int | None,
        rare("--seed", "--seed-model", help="Sent to the provider; repeat k gets SEED + k."),
    ] = None
    system: Annotated[str | None, rare(help="A system message before every prompt.")] = None
    reasoning_effort: Annotated[
        str | None,
        rare(help="none, minimal, low, ... xhigh or max; of several models MODEL=low,MODEL=high."),
    ] = None
    reasoning_tokens: Annotated[int | None, rare(help="Most tokens of thinking.")] = None
    settings: Annotated[
        list[str] | None,
        rare("--set", help="KEY=VALUE for the provider, such as service_tier=flex; several times."),
    ] = None
    logprobs: Annotated[bool, rare("--logprobs", help="Keep log probabilities of tokens.")] = False
    models: Annotated[
        str | None, option(help="Several models, separated by commas, into one folder of runs.")
    ] = None
    base_url: Annotated[str | None, option(help="Address of an OpenAI-compatible server.")] = None
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
    max_cost: Annotated[float | None, option(help="Stop before the run has cost more.")] = None
    max_tokens_total: Annotated[int | None, rare(help="Stop before the run has taken more tokens.")] = None
    max_time: Annotated[float | None, rare(help="Stop after so many minutes.")] = None
    rate: Annotated[float | None, rare(help="At most so many calls per minute.")] = None
    cache: Annotated[bool, rare("--cache", help="Use Inspect's cache of replies.")] = False
    cache_prompt: Annotated[
        bool | None,
        rare("--cache-prompt/--no-cache-prompt", help="Let the provider keep prompts in its cache, or not."),
    ] = None
    batch: Annotated[
        bool, rare("--batch", help="Send calls in batches, cheaper and within a day (OpenAI, Anthropic).")
    ] = False
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
    price_cached: Annotated[
        float | None, rare(help="Price of a million input tokens from the provider's cache.")
    ] = None
    yes: Annotated[bool, option("--yes", "-y", help="Do not ask before spending.")] = False
    pilot: Annotated[
        bool, rare("--pilot", help="Ask five trials, say what the others will cost, and stop.")
    ] = False
    dry_run: Annotated[
        bool, option("--dry-run", help="Show the plan and the first prompts; ask nothing.")
    ] = False
    full: Annotated[bool, option("--full", help="Show every table, not the headline alone.")] = False
    json: Annotated[bool, option("--json", help="Print one JSON document.")] = False

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
            reasoning_tokens=self.reasoning_tokens,
            logprobs=True if self.logprobs else None,
            arguments=arguments_of([] if self.settings is None else self.settings),
        )

    def effort_of(self, model: str) -> str | None:
        """Return the reasoning effort of a model: one for all, or one for each that is named."""
        from concord.asking.requests import Sampling

        if self.reasoning_effort is None:
            return None
        models = self.model_names()
        parts = [part.strip().rpartition("=") for part in self.reasoning_effort.split(",")]
        for name, _, effort in parts:
            Sampling(reasoning_effort=effort).check()
            if name and name not in models:
                raise OptionError(f"--reasoning-effort {name!r}: expected one of {', '.join(models)}")
        if len(parts) > 1 and not all(name for name, _, _ in parts):
            raise OptionError("--reasoning-effort: of several, each is MODEL=EFFORT")
        return next((effort for name, _, effort in parts if name in ("", model)), None)

    @property
    def connection(self) -> "Connection":
        """How the model is reached."""
        from concord.asking.connection import Connection

        if self.batch and self.processes > 1:
            raise OptionError("--batch: one process sends batches; leave --processes out")
        return Connection(
            base_url=self.base_url,
            max_connections=self.max_connections,
            max_retries=self.max_retries,
            timeout=self.timeout,
            give_up_after=self.give_up_after,
            give_up_seconds=60 * self.give_up_minutes,
            batch=self.batch,
            cache_prompt=self.cache_prompt,
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

    def prices_of(self, model: str, *, first: bool = True) -> "Prices | None":
        """Return what tokens of a model cost, where it is known; prices given here are those of the first."""
        from concord.asking.limits import Prices, known_prices, read_prices

        if (self.price_in is None) != (self.price_out is None):
            raise OptionError("--price-in and --price-out belong together: give both")
        given = None
        if self.price_in is not None and self.price_out is not None:
            given = Prices(self.price_in, self.price_out, self.price_cached)
        elif self.price_cached is not None:
            raise OptionError("--price-cached needs --price-in and --price-out: give all three")
        listed = known_prices(model) if self.prices is None else read_prices(self.prices).get(model)
        found = given if listed is None or (first and given is not None) else listed
        half = self.batch and model.split("/")[0] in HALF
        return found.times(0.5) if half and found is not None else found

    def model_names(self) -> list[str]:
        """Return the models to ask, each once."""
        several = [] if self.models is None else [one.strip() for one in self.models.split(",")]
        names = list(dict.fromkeys(name for name in (self.model, *several) if name is not None))
        if not names:
            raise OptionError("no model is named: give --model PROVIDER/MODEL, or --models with several")
        if any(not name.strip() for name in names):
            raise OptionError("the model's name is blank: expected PROVIDER/MODEL")
        return names

    @property
    def question(self) -> str:
        """What is asked."""
        return self.QUESTION

    @classmethod
    def own(cls) -> list[str]:
        """Return the names of options that belong to this question alone."""
        shared = {one.name for one in fields(AskingItems)}
        return [one.name for one in fields(cls) if one.name not in shared]

    def chosen(self) -> dict[str, Any]:
        """Return what the design of the question takes of these options."""
        return {name: getattr(self, name) for name in self.own()}

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
            "pilot": self.pilot,
            **self.chosen(),
        }


_ARGUMENT = re.compile(r"([A-Za-z_]\w*)=(.*)", re.DOTALL)
_SECRET = re.compile(r"key|secret|password|credential|auth|(?<!s)token$|header", re.IGNORECASE)
_SAME = {
    "system_message": "system",
    "attempt_timeout": "timeout",
    "max_completion_tokens": "max_tokens",
    "response_format": "structured",
    "response_schema": "structured",
}
"""Arguments of providers that have an option of another name."""
_NEVER = (
    "messages",
    "input",
    "n",
    "num_choices",
    "stream",
    "streaming",
    "tools",
    "tool_choice",
    "http_client",
)
"""Arguments that would make another thing of a reply than the one that is stored and read."""


def arguments_of(given: Sequence[str]) -> str | None:
    """Read `--set key=value`, several times, as JSON; values that are no JSON are texts."""
    found: dict[str, Any] = {}
    for text in given:
        match = _ARGUMENT.fullmatch(text)
        if match is None:
            raise OptionError(f"--set {quoted(text)}: expected KEY=VALUE, such as service_tier=flex")
        name, value = match[1], match[2]
        own = _SAME.get(name, name)
        if own in {one.name for one in fields(Asking)}:
            raise OptionError(f"--set {name}: give it with {_dashed(own)}")
        if name in _NEVER:
            raise OptionError(f"--set {name}: cannot be set, since replies could not be read as they are")
        if _SECRET.search(name):
            raise OptionError(
                f"--set {name}: keys and headers are not set here, since what is set is written to the run's "
                "record; put a key into the environment"
            )
        if name in found:
            raise OptionError(f"--set {name}: is given twice")
        try:
            found[name] = json.loads(value, parse_constant=_no_number)
        except (ValueError, RecursionError):
            found[name] = value
    return json.dumps(found, sort_keys=True, ensure_ascii=False) if found else None


def _no_number(name: str) -> float:
    raise ValueError(name)  # NaN and infinities are no JSON


@dataclass(frozen=True, kw_only=True)
class AskingItems(Asking):
    """The options of questions whose items can be asked several times."""

    repeats: Annotated[int, option(help="How often each item is asked.")] = 1

    def job(self) -> dict[str, Any]:
        """Return what a job takes of these options."""
        return {**super().job(), "repeats": self.repeats}


@dataclass(frozen=True, kw_only=True)
class AskingReasoning(AskingItems):
    """Ask each vignette with and without reasoning, and each bias case; then score the replies."""

    QUESTION = "reasoning"

    samples: Annotated[Path | None, option(help="Vignettes (JSON) (default: bundled).")] = None
    bias_cases: Annotated[Path | None, option(help="Bias cases (JSON) (default: bundled).")] = None
    probe: Annotated[
        list[str] | None,
        option(help="Intervene: early, filler, mistake, paraphrase, hints, pairs or all; several times."),
    ] = None
    helper: Annotated[
        str | None, option(help="Model that writes wrong and reworded steps (default: bundled).")
    ] = None
    prefill: Annotated[
        bool, rare("--prefill", help="Continue the model's own turn instead of instructing it.")
    ] = False
    choices: Annotated[
        Path | None, option(help="Questions with options (JSON lines) for hints (default: bundled).")
    ] = None
    detector: Annotated[str, rare(help="What finds verbalised hints: rules or judge:MODEL.")] = "rules"
    chains_of: Annotated[str, rare(help="Whose chains are probed: vignettes or choices.")] = "vignettes"
    full_grid: Annotated[
        bool, rare("--full-grid", help="Early answers after every step instead of five.")
    ] = False

    @property
    def question(self) -> str:
        """What is asked: interventions are a question of their own."""
        return PROBES if self.probe else self.QUESTION

    def chosen(self) -> dict[str, Any]:
        """Return what the design of the question takes of these options."""
        found = super().chosen()
        if self.probe:
            return found
        usual = {one.name: one.default for one in fields(self)}
        for name in ("helper", "prefill", "choices", "detector", "chains_of", "full_grid"):
            if found[name] != usual[name]:
                raise OptionError(f"{_dashed(name)} belongs to --probe; give --probe too, or leave it out")
        return {"samples": self.samples, "bias_cases": self.bias_cases}

    def job(self) -> dict[str, Any]:
        """Return what a job takes; a noise floor needs two answers to the same prompt."""
        found = super().job()
        return {**found, "repeats": max(2, self.repeats)} if self.probe else found


@dataclass(frozen=True, kw_only=True)
class AskingArrangements(AskingItems):
    """Ask the same items under every arrangement; then score how far the answers move."""

    QUESTION = "structure"

    items: Annotated[str, option(help="A bundled set (idioms-zh-hans, ..., options-en) or a JSON file.")] = (
        "options-en"
    )
    arranger: Annotated[
        str | None,
        option(help="What is rearranged: options, options-cyclic, ... (default: the set's own)."),
    ] = None
    scorer: Annotated[
        str | None,
        option(help="How replies are scored: choice, text, judge:MODEL, ... (default: the set's own)."),
    ] = None
    arrangements: Annotated[
        int | None, option(help="At most so many arrangements per item, drawn with a fixed seed.")
    ] = None
    # flips are counted against those between repeats
    repeats: Annotated[int, option(help="How often each arrangement is asked.")] = 2


@dataclass(frozen=True, kw_only=True)
class AskingVotes(AskingItems):
    """Let a model judge pairs of answers in both orders, several times; then score the verdicts."""

    QUESTION = "judge"

    pairs: Annotated[
        Path | None,
        option(help="Pairs: prompt, answer_a, answer_b, human (JSON or a table) (default: bundled)."),
    ] = None
    first: Annotated[Path | None, option(help="Instead: folder of a run, its replies are A.")] = None
    second: Annotated[Path | None, option(help="Folder of another run, its replies are B.")] = None
    limit: Annotated[int | None, option(help="Judge only the first N pairs.")] = None
    temperature: Annotated[float, option(help="Sampling temperature.")] = 0.7
    # votes of one order are the floor of those that change with the order
    repeats: Annotated[int, option("--votes", "--repeats", help="Votes on each pair in each order.")] = 2


@dataclass(frozen=True, kw_only=True)
class AskingPeople(Asking):
    """Let a model answer in place of the participants of studies; then score the replies."""

    QUESTION = "people"

    study: Annotated[
        list[str] | None, option(help="A study, by name or file; several times (default: the classic ones).")
    ] = None
    studies: Annotated[Path | None, rare(help="A folder with studies of your own.")] = None
    n: Annotated[int | None, option(help="Participants in each cell (default: as in the paper).")] = None
    persons: Annotated[
        Path | None, option(help="A table of real persons, one per row: each takes part as described there.")
    ] = None
    missing: Annotated[str | None, rare(help="Codes for no answer in --persons, such as 99,-1,refused.")] = (
        None
    )
    design: Annotated[
        str, option(help="bare, participant, demographic, story, or the path of a template.")
    ] = "participant"
    plan_seed: Annotated[int, rare(help="Seed of assignment, orders and profiles.")] = 0
    memory: Annotated[
        bool, option("--memory", help="Ask afterwards whether the model recognises the studies.")
    ] = False
    variant: Annotated[
        str | None, rare(help="Hold this variant of the studies too, or all: another surface.")
    ] = None
    placebo: Annotated[
        bool, option("--placebo", help="Hold the placebo studies: published effects that people do not show.")
    ] = False
    limit: Annotated[int | None, option(help="Hold only the first N sessions of each experiment.")] = None
    temperature: Annotated[float, option(help="Sampling temperature.")] = 1.0  # participants differ
    seed: Annotated[
        int | None,
        rare("--seed", "--seed-model", help="Sent to the provider; participant k gets SEED + k."),
    ] = None

    def chosen(self) -> dict[str, Any]:
        """Return what the design of the question takes of these options."""
        found = super().chosen()
        folder = found.pop("studies")
        wanted = [*([] if self.study is None else self.study), *(["placebo"] if found.pop("placebo") else [])]
        return {**found, "study": wanted, "folder": folder}


PROBES, _EVERY = "probes", ["all"]
KINDS = {kind.QUESTION: kind for kind in (AskingPeople, AskingArrangements, AskingReasoning, AskingVotes)}
"""What has a command of its own."""
_FOR_SCREENS = {"full": "print(run.score())", "json": "run.to_dict() and run.score().to_dict()"}
"""Options that only a command has a use for, and what Python has instead."""
_EXPECTED = {int: "a whole number", float: "a number", bool: "True or False", str: "a text", Path: "a path"}


def options_of(question: str, given: Mapping[str, Any]) -> Asking:
    """Return the options of a question from keywords, checked; a name that is none is an error."""
    kind = _kind_of(question)
    types = get_type_hints(kind, include_extras=True)
    named = {word: one.name for one in fields(kind) for word in words_of(one.name, types[one.name])}
    chosen: dict[str, Any] = {"probe": _EVERY} if question == PROBES else {}
    for word, value in given.items():
        if word not in named:
            near = difflib.get_close_matches(word, named, 1, 0.5)
            hint = f"did you mean {near[0]!r}? " if near else ""
            raise OptionError(
                f"concord.run({question!r}) has no option {quoted(word)}; {hint}its options are those of "
                f"`concord run`, which --help-all lists, with _ for -"
            )
        name = named[word]
        if name == "temperature" and value is None:
            chosen["no_temperature"] = True
        elif name in _FOR_SCREENS and value:
            raise OptionError(f"{word} is for the command alone; in Python: {_FOR_SCREENS[name]}")
        else:
            chosen[name] = _fitting(word, types[name], value)
    return kind(**chosen)


def words_of(name: str, kind: Any) -> list[str]:
    """Return the names of an option as Python writes them."""
    names = [name for one in get_args(kind)[1:] if isinstance(one, Word) for name in one.names]
    long = [part for one in names for part in one.split("/") if part.startswith("--")]
    spelt = [one[2:].replace("-", "_") for one in long if not one.startswith("--no-") or len(long) == 1]
    return spelt if spelt else [name]


def _kind_of(question: str) -> type[Asking]:
    """Return the options of a question; one without a command has those of its design beside the usual."""
    if question in KINDS:
        return KINDS[question]
    if question == PROBES:
        return AskingReasoning
    from concord.asking.askable import askable

    one, shared = askable(question), {each.name for each in fields(AskingItems)}
    own = [
        (name, Any, field(default=taken.default))
        for name, taken in inspect.signature(one.design).parameters.items()
        if name not in shared
    ]
    usual = [
        ("temperature", float, field(default=one.temperature)),
        ("repeats", int, field(default=one.repeats)),
    ]
    return make_dataclass(
        "AskingOther",
        [*usual, *own],
        bases=(AskingItems,),
        namespace={"QUESTION": question},
        frozen=True,
        kw_only=True,
    )


def _fitting(word: str, kind: Any, value: Any) -> Any:
    """Return a value of the option's type, as the command line would have made it from its text."""
    from pydantic import TypeAdapter, ValidationError

    def plain(one: Any) -> Any:
        return os.fspath(one) if isinstance(one, os.PathLike) else one

    wanted = {part for outer in (kind, *get_args(kind)) for part in (outer, *get_args(outer))}
    value = list(map(plain, value)) if isinstance(value, list | tuple | set) else plain(value)
    if list[str] in wanted and isinstance(value, str):
        value = [value]
    elif list[str] not in wanted and str in wanted and isinstance(value, list):
        value = ",".join(map(str, value))
    try:
        return TypeAdapter(kind).validate_python(value)
    except ValidationError:
        expected = next((words for type_, words in _EXPECTED.items() if type_ in wanted), "another value")
        raise OptionError(f"{_dashed(word)} {quoted(value)}: expected {expected}") from None


def _dashed(name: str) -> str:
    return f"--{name.replace('_', '-')}"
