"""What a run's record says when a session ends: outcomes, what is paid, who answered."""

from dataclasses import asdict
from pathlib import Path
from typing import Any

from concord.asking.folder import RunFolder, read_record, update_record
from concord.asking.journal import Tally
from concord.asking.ledger import Account, Paid, account_of, home_of
from concord.asking.limits import Prices, cost_of, recorded_prices


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
