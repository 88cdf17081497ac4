"""Prices, and limits of a run: money, tokens, time, calls per minute; what is paid when it ends.

Reached, a limit ends a session of the run, which can go on later.
"""

import math
import time
from collections.abc import Mapping
from dataclasses import asdict, astuple, dataclass, field
from pathlib import Path
from typing import Any

from concord.asking.folder import RunFolder, read_record, update_record
from concord.asking.journal import SERVED, Tally
from concord.asking.ledger import Account, Ledger, Paid, account_of, home_of
from concord.errors import FileFormatError, InputError, OptionError, RunFolderError, quoted
from concord.files.contents import read_bytes
from concord.files.json_text import parsed
from concord.number_words import number
from concord.numeric import check_numbers
from concord.records import Answer, AskOutcome, Usage

_DEAREST = 1e12
"""Nobody pays more for a million tokens."""


@dataclass(frozen=True, slots=True)
class Prices:
    """Price of a million tokens, in any one currency."""

    input: float
    output: float
    """Of thinking, too: providers bill it as output."""
    cached: float | None = None
    """Of input tokens that the provider has in its cache; ``None``: as all input."""
    cache_written: float | None = None
    """Of input tokens that are put there; ``None``: as all input."""

    def __post_init__(self) -> None:
        names = ("price_in", "price_out", "price_cached", "price_cache_written")
        check_numbers(dict(zip(names, astuple(self), strict=True)), required=names[:2])

    def cost(
        self, input_tokens: float, output_tokens: float, cached: float = 0, cache_written: float = 0
    ) -> float:
        """Return what so many tokens cost; those of the cache are some of the input."""
        less = (0.0 if price is None else self.input - price for price in (self.cached, self.cache_written))
        saved = sum(n * by for n, by in zip((cached, cache_written), less, strict=True))
        return (input_tokens * self.input - saved + output_tokens * self.output) / 1e6

    def times(self, share: float) -> "Prices":
        """Return a share of the prices."""
        parts: list[Any] = [None if price is None else price * share for price in astuple(self)]
        return Prices(*parts)

    def of_usage(self, usage: Mapping[str, Any]) -> float | None:
        """Return what a stored line cost; ``None`` where it does not say what it took."""
        names = ("input_tokens", "output_tokens", "cached_tokens", "cache_written_tokens")
        counts = [usage.get(name) for name in names]
        if counts[0] is None or counts[1] is None:
            return None
        return self.cost(*(0 if n is None else n for n in counts))


_FREE = ("local", "mockllm")
_PRICED = ("in", "out", "cached", "cache_written")


def read_prices(path: Path) -> dict[str, Prices]:
    """Read a file of prices: ``{"PROVIDER/MODEL": {"in": 0.15, "out": 0.6}}``, per million tokens."""
    # ``cached`` and ``cache_written``, of tokens in the provider's cache, may be among them.
    document = parsed(str(path), read_bytes(path))
    if not isinstance(document, dict):
        raise FileFormatError(f"{path}: expected an object of models, each with 'in' and 'out'")
    found = {}
    for model, held in document.items():
        numbers: list[Any] = [held.get(name) if isinstance(held, dict) else None for name in _PRICED]
        given = [one for place, one in enumerate(numbers) if one is not None or place < 2]
        if not all(type(one) in (int, float) and 0 <= one <= _DEAREST for one in given):
            raise FileFormatError(
                f"{path}: {quoted(model)} is {quoted(held)}, expected {{'in': NUMBER, 'out': NUMBER}}, and "
                "'cached' and 'cache_written' where they are known"
            )
        found[model] = Prices(*(one if one is None else float(one) for one in numbers))  # type: ignore[arg-type]
    return found


def known_prices(model: str) -> Prices | None:
    """Return the prices in Inspect's data about models, where it has them and is installed."""
    if model.split("/")[0] in _FREE:
        return None
    try:
        from inspect_ai.model import get_model_info
    except ImportError:
        return None
    info = get_model_info(model)
    cost = None if info is None else info.cost
    if cost is None:
        return None
    return Prices(*map(float, (cost.input, cost.output, cost.input_cache_read, cost.input_cache_write)))


def recorded_prices(record: Mapping[str, Any]) -> Prices | None:
    """Return the prices that a run's record holds; none where another version wrote them."""
    held = record.get("prices")
    try:
        return Prices(**held) if isinstance(held, Mapping) else None
    except (TypeError, InputError):
        return None


SPENT = 1e-12
"""What is left of a limit of money or minutes that others, asked before, have used up: not one call."""
_CHARACTERS = 3.0
"""Characters per token, on the safe side, where the provider does not say how many tokens it took."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a run may take; ``None`` is no limit."""

    max_cost: float | None = None
    """Of the whole folder, in the currency of the prices."""
    max_tokens_total: int | None = None
    """Of the whole folder, in and out."""
    max_time: float | None = None
    """Minutes of this session."""
    rate: float | None = None
    """Calls per minute."""

    def __post_init__(self) -> None:
        check_numbers(asdict(self))

    def share(self, n: int) -> "Limits":
        """Return the limits of one process among several: together they keep these."""
        return Limits(
            None if self.max_cost is None else self.max_cost / n,
            None if self.max_tokens_total is None else self.max_tokens_total // n,
            self.max_time,
            None if self.rate is None else self.rate / n,
        )


@dataclass(frozen=True, slots=True)
class Payer:
    """Whose calls are paid: the model that is asked, at its own prices."""

    model: str = ""
    prices: Prices | None = None


@dataclass(slots=True)
class Budget:
    """What a run has taken so far, against its limits."""

    limits: Limits = Limits()
    prices: Prices | None = None
    spent: Paid = Paid()
    """Before this session."""
    started: float = field(default_factory=time.monotonic)
    ledger: Ledger | None = None
    """Where every paid call is written down."""
    _new: Paid = Paid()
    """Of this session, of which a call's mean is taken."""
    _before: float = field(init=False)
    """Cost before this session."""
    _in_flight: int = 0
    _ahead: Paid = Paid()
    """What calls in flight can take at most, where that is counted."""
    _unwritten: RunFolderError | None = None
    """Why a paid call could not be written down."""

    def __post_init__(self) -> None:
        if self.limits.max_cost is not None and self.prices is None:
            raise OptionError(
                "--max-cost needs prices: give --price-in and --price-out, or --prices with a file"
            )
        cost = cost_of(self.spent, self.prices)
        self._before = 0.0 if cost is None else cost

    @property
    def seconds_left(self) -> float:
        """Return the seconds until the limit of time; without one there is no end."""
        limit = self.limits.max_time
        return math.inf if limit is None else 60 * limit - (time.monotonic() - self.started)

    def begin(self, most: tuple[int, int] | None = None) -> str | None:
        """Take one call, or say why there must be none; of some it is known what they can take at most."""
        if self._unwritten is not None:
            raise self._unwritten
        before = self._ahead
        if most is not None:
            bound = Answer(AskOutcome.OK, "", usage=Usage(math.ceil(most[0] / _CHARACTERS), most[1]))
            self._ahead = before + _paid(0, bound, self.prices)
        reason = self.reason()
        if reason is None:
            self._in_flight += 1
        else:
            self._ahead = before
        return reason

    def end(self, prompt: int, answer: Answer | None, payer: Payer | None = None) -> None:
        """Count what a call took; where the provider does not say, its characters are counted."""
        self._in_flight -= 1
        if not self._in_flight:
            self._ahead = Paid()
        if answer is None:
            return
        by = Payer(prices=self.prices) if payer is None else payer
        paid = _paid(prompt, answer, by.prices)
        self._new += paid
        if self.ledger is not None:
            try:
                self.ledger.add(paid, by.model, who_of(answer))
            except RunFolderError as fault:  # the reply is stored first; nothing more is asked then
                self._unwritten = fault

    def reason(self) -> str | None:
        """Say which limit the next call would pass, if any; calls in flight count as the mean of others."""
        limits, new = self.limits, self._new
        ahead, most = (self._in_flight + 1) / max(new.calls, 1), self._ahead
        if limits.max_time is not None and time.monotonic() - self.started >= 60 * limits.max_time:
            return f"--max-time{_shown(limits.max_time, ' (minutes)')} is reached"
        if limits.max_tokens_total is not None:
            lately = new.input_tokens + new.output_tokens
            so_far = self.spent.input_tokens + self.spent.output_tokens + lately
            if so_far + max(ahead * lately, most.input_tokens + most.output_tokens) > limits.max_tokens_total:
                return f"--max-tokens-total {limits.max_tokens_total} is reached ({so_far} so far)"
        if limits.max_cost is not None:
            cost = self._before + new.known_cost
            if cost + max(ahead * new.known_cost, most.known_cost) > limits.max_cost:
                return f"--max-cost{_shown(limits.max_cost)} is reached ({number(cost, 4)} so far)"
        return None


def who_of(answer: Answer) -> Mapping[str, str]:
    """Return who answered, as far as that is known."""
    who = dict(answer.more).get(SERVED)
    return who if isinstance(who, Mapping) else {}


def _paid(prompt: int, answer: Answer, prices: Prices | None) -> Paid:
    """Return what one call took: tokens that are not said are guessed from characters."""
    usage = answer.usage
    tokens_in = math.ceil(prompt / _CHARACTERS) if usage.input_tokens is None else usage.input_tokens
    written = math.ceil(len(answer.response) / _CHARACTERS)
    tokens_out = written if usage.output_tokens is None else usage.output_tokens
    silent = int(usage.input_tokens is None or usage.output_tokens is None)
    parts = (usage.cached_tokens, usage.cache_written_tokens, usage.reasoning_tokens)
    cached, stored, thought = (0 if n is None else n for n in parts)
    took = (1, tokens_in, tokens_out, silent, cached, stored, thought)
    if prices is None:
        return Paid(*took, 0.0, 1, tokens_in, tokens_out)
    return Paid(*took, prices.cost(tokens_in, tokens_out, cached, stored))


def cost_of(paid: Paid, prices: Prices | None) -> float | None:
    """Return what calls cost: as they were priced when they were made, and the others at these prices."""
    if not paid.n_unpriced:
        return paid.known_cost
    if prices is None:
        return None
    return paid.known_cost + prices.cost(paid.unpriced_input, paid.unpriced_output)


def _shown(limit: float, unit: str = "") -> str:
    """Return a limit in words; of one that others have used up there is nothing to show."""
    return f" {limit:g}{unit}" if limit > SPENT else " of all models"


def close_run(folder: RunFolder, status: str, prices: Prices | None, reached: str | None) -> Tally:
    """Write down how a session ended, what is paid and who answered; return the outcomes of the plan."""
    tally = folder.tally()
    home, part = home_of(folder.path)
    account = account_of(home, Account.of(folder.record if home == folder.path else read_record(home)))
    if account is None:  # nothing was asked, or before there was a ledger
        account = Account({part: Paid.of(tally)})
    own = account if not part else Account({part: account.part(part)})
    try:
        folder.end_session(
            status=status,
            stopped=reached,
            outcomes=dict(sorted(tally.outcomes.items())),
            **_spent(own, prices, known=own.paid.calls > 0 or not tally.n_unknown_usage),
            **_reading_record(tally),
        )
        if part:
            _tell_outer(home, part, account, reached)
    finally:
        folder.close()
    return tally


def _tell_outer(home: Path, part: str, account: Account, reached: str | None) -> None:
    """Write into the record of the outer run what one inside it took, and which limit it reached."""
    held = read_record(home)
    stopped = held.get("stopped")
    if reached is not None:
        stopped = f"{part}: {reached}"
    elif isinstance(stopped, str) and stopped.startswith(f"{part}: "):
        stopped = None
    update_record(home, {**_spent(account, recorded_prices(held), known=True), "stopped": stopped})


def _spent(account: Account, prices: Prices | None, *, known: bool) -> dict[str, Any]:
    """Return what a run's record says of what was paid, and of who answered."""
    paid = account.paid
    # Where no call said what it took, the cost is not known; it is not nothing.
    cost = cost_of(paid, prices) if known and (prices is not None or paid.calls) else None
    told = {"warnings": account.warnings(), "versions": account.told()}
    return {"tokens": paid.tokens(), "cost": cost, "paid": asdict(account), "who": told}


def _reading_record(tally: Tally) -> dict[str, Any]:
    """Return what became of reading the answers, where replies are read as answers."""
    if not tally.answers:
        return {}
    counted = {"answers_read": dict(sorted(tally.answers.items())), "asked_again": tally.n_asked_again}
    return {**counted, "with_schema": tally.n_structured} if tally.n_structured else counted
