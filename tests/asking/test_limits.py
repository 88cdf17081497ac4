"""Money, tokens, time and calls per minute: reached, a run stops cleanly and goes on later."""

import json
import time
from dataclasses import asdict
from pathlib import Path

import pytest
from tests.asking.commands import concord
from tests.asking.faulty_server import faulty_server

from concord.asking import runs
from concord.asking.ledger import LEDGER, Account, Ledger, Paid, account_of
from concord.asking.limits import Budget, Limits, Prices, read_prices
from concord.errors import FileFormatError, OptionError
from concord.records import Answer, AskOutcome, Usage

ANSWER = Answer(AskOutcome.OK, "x" * 30, usage=Usage(100, 50))


def paid_in(folder: Path) -> Paid | None:
    account = account_of(folder)
    return None if account is None else account.paid


def test_a_budget_counts_calls_in_flight_as_the_mean_of_the_others() -> None:
    budget = Budget(Limits(max_tokens_total=400))
    assert budget.begin() is None
    budget.end(10, ANSWER)  # 150 tokens
    assert budget.begin() is None  # 300 with the call in flight
    assert budget.begin() == "--max-tokens-total 400 is reached (150 so far)"


def test_what_the_folder_holds_counts() -> None:
    budget = Budget(Limits(max_cost=1.0), Prices(1.0, 1.0), Paid(9, 600_000, 500_000, 0, 0, 0, 0, 1.1))
    assert budget.reason() == "--max-cost 1 is reached (1.1000 so far)"


def test_tokens_that_nobody_counts_are_guessed_from_characters() -> None:
    budget = Budget(Limits(max_tokens_total=25))
    budget.begin()
    budget.end(30, Answer(AskOutcome.OK, "x" * 30))
    assert budget.reason() == "--max-tokens-total 25 is reached (20 so far)"


def test_a_limit_of_cost_needs_prices() -> None:
    with pytest.raises(OptionError, match="--max-cost needs prices"):
        Budget(Limits(max_cost=1.0))


@pytest.mark.parametrize("name", ["max_cost", "max_tokens_total", "max_time", "rate"])
def test_a_limit_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(OptionError, match=f"{name} is 0; expected"):
        Limits(**{name: 0})


def test_the_shares_of_several_processes_keep_the_limit() -> None:
    assert Limits(3.0, 100, 5.0, 60.0).share(3) == Limits(1.0, 33, 5.0, 20.0)


def test_prices_come_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"a/b": {"in": 1, "out": 2.5}}))
    assert read_prices(path) == {"a/b": Prices(1.0, 2.5)}
    path.write_text(json.dumps({"a/b": {"in": 1}}))
    with pytest.raises(FileFormatError, match="'a/b' is .*, expected"):
        read_prices(path)


@pytest.mark.filterwarnings("ignore")
class TestRuns:
    @pytest.fixture(autouse=True)
    def installed(self) -> None:
        pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")

    def test_a_run_stops_at_its_time_and_goes_on(self, tmp_path: Path) -> None:
        job = runs.job("reasoning", "mockllm/model", limit=4, limits=Limits(max_time=1e-9))
        stopped = runs.run_job(job, tmp_path / "r")
        assert stopped.stopped == "--max-time 1e-09 (minutes) is reached"
        assert stopped.outcomes == {"not asked": 16}
        assert stopped.stored.record["status"] == "stopped"
        assert runs.run_job(runs.job("reasoning", "mockllm/model", limit=4), tmp_path / "r").complete

    def test_calls_keep_their_rate(self, tmp_path: Path) -> None:
        job = runs.job("reasoning", "mockllm/model", limit=2, limits=Limits(rate=600.0))
        begin = time.monotonic()
        assert runs.run_job(job, tmp_path / "r").outcomes == {"ok": 8}
        assert time.monotonic() - begin >= 0.7  # eight calls, a tenth of a second apart

    def test_the_time_of_a_run_ends_also_while_it_waits_for_its_rate(self, tmp_path: Path) -> None:
        limits = Limits(rate=0.001, max_time=0.02)  # a call in a thousand minutes
        begin = time.monotonic()
        stopped = runs.run_job(runs.job("reasoning", "mockllm/model", limit=2, limits=limits), tmp_path / "r")
        assert stopped.stopped == "--max-time 0.02 (minutes) is reached"
        assert stopped.outcomes == {"ok": 1, "not asked": 7}
        assert time.monotonic() - begin < 120


@pytest.mark.parametrize(
    ("processes", "reply"),
    [
        pytest.param(1, "five", marks=pytest.mark.long),
        pytest.param(1, "five-silent", marks=pytest.mark.long),
        pytest.param(2, "five", marks=pytest.mark.slow),
    ],
)
def test_a_limit_of_money_holds_over_all_sessions_of_a_run(
    tmp_path: Path, processes: int, reply: str
) -> None:
    """A call costs 10 (7 tokens in, 3 out), the limit is 300; turns of unfinished sessions are paid, too."""
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    with faulty_server(every=reply) as server:
        for _ in range(4):
            done = concord(
                *("run", "people", "--study", "guessing-game", "--n", "8", "--model", "openai-api/bad/m"),
                *("--base-url", server.url, "--max-connections", "2", "--out", "r", "--yes"),
                *("--max-cost", "300", "--price-in", "1e6", "--price-out", "1e6", "--no-inspect-log"),
                *("--processes", str(processes)),
                cwd=tmp_path,
                BAD_API_KEY="sk-nobody-12345",
            )
            assert done.returncode == 4, done.stderr
        calls = sum(server.calls.values())
    record = json.loads((tmp_path / "r" / "run.json").read_text())
    held = paid_in(tmp_path / "r")
    assert held is not None and held.calls == calls
    assert record["cost"] == held.input_tokens + held.output_tokens
    if reply == "five":
        assert calls <= 30 + 2 * processes and record["cost"] == 10 * calls
    else:
        assert record["tokens"]["calls_without_usage"] == calls <= 30


def test_a_ledger_that_cannot_be_read_is_told_and_not_taken_for_less(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    for estimated in (0, 1):
        ledger.add(Paid(1, 7, 3, estimated))
    ledger.close()
    assert paid_in(tmp_path) == Paid(2, 14, 6, 1)
    file = tmp_path / "paid.jsonl"
    whole = file.read_text("utf-8")
    file.write_text(whole + '{"key": "pa', "utf-8")  # torn by a kill
    assert paid_in(tmp_path) == Paid(2, 14, 6, 1)
    for bad in ("no line\n", '{"key": "paid", "calls": 1, "input": -7, "output": 3, "estimated": 0}\n'):
        file.write_text(bad + whole, "utf-8")
        with pytest.raises(FileFormatError, match="paid.jsonl, line 1: "):
            paid_in(tmp_path)


@pytest.mark.long
def test_a_judge_is_paid_from_the_same_ledger_at_its_own_prices(tmp_path: Path) -> None:
    """A call costs 10, one to the judge 20; the limit of 300 holds for both, over four sessions."""
    pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    each = {"openai-api/bad/m": {"in": 1e6, "out": 1e6}, "openai-api/bad/j": {"in": 2e6, "out": 2e6}}
    (tmp_path / "prices.json").write_text(json.dumps(each))
    with faulty_server(every="five") as server:
        for _ in range(4):
            done = concord(
                *(
                    "run",
                    "structure",
                    "--items",
                    "proverbs-en",
                    "--limit",
                    "3",
                    "--model",
                    "openai-api/bad/m",
                ),
                *("--scorer", "judge:openai-api/bad/j", "--base-url", server.url, "--max-connections", "2"),
                *("--out", "r", "--yes", "--max-cost", "300", "--prices", "prices.json", "--no-inspect-log"),
                cwd=tmp_path,
                BAD_API_KEY="sk-nobody-12345",
            )
            assert done.returncode == 4 and "stopped: judge: --max-cost 300 is reached" in done.stderr
        calls = sum(server.calls.values())
    account = account_of(tmp_path / "r")
    assert account is not None and account.paid.calls == calls
    asked, judged = account.part(""), account.part("judge")
    assert asked.known_cost == 10 * asked.calls and judged.known_cost == 20 * judged.calls > 0
    record = json.loads((tmp_path / "r" / "run.json").read_text())
    inner = json.loads((tmp_path / "r" / "judge" / "run.json").read_text())
    assert record["cost"] == asked.known_cost + judged.known_cost <= 300 + 2 * 20
    assert inner["cost"] == judged.known_cost and not (tmp_path / "r" / "judge" / LEDGER).exists()
    assert f"cost {record['cost']:.2f}" in done.stderr  # of both


def test_tokens_of_the_cache_have_a_price_of_their_own(tmp_path: Path) -> None:
    prices = Prices(2.0, 10.0, 0.5, 2.5)
    assert prices.cost(1e6, 1e6, 0.5e6, 0.25e6) == pytest.approx(0.25 * 2 + 0.5 * 0.5 + 0.25 * 2.5 + 10)
    assert Prices(2.0, 10.0).cost(1e6, 0, 1e6) == 2.0  # as all input, where nothing is said
    path = tmp_path / "prices.json"
    path.write_text(json.dumps({"a/b": {"in": 1, "out": 2, "cached": 0.1}}))
    assert read_prices(path) == {"a/b": Prices(1.0, 2.0, 0.1)}
    path.write_text(json.dumps({"a/b": {"in": 1, "out": 2, "cached": "x"}}))
    with pytest.raises(FileFormatError, match="'cached' and 'cache_written' where they are known"):
        read_prices(path)


def test_sums_are_taken_from_the_record_and_only_new_lines_are_read(tmp_path: Path) -> None:
    ledger = Ledger(tmp_path)
    ledger.add(Paid(1, 7, 3), "m", {"model": "n"})
    first = account_of(tmp_path)
    assert first is not None
    ledger.add(Paid(1, 7, 3), "m", {"model": "o"})
    ledger.close()
    kept = Account.of({"paid": json.loads(json.dumps(asdict(first)))})
    again = account_of(tmp_path, kept)
    assert again == account_of(tmp_path) and again is not None and again.paid == Paid(2, 14, 6)
    assert Account.of({"paid": {"parts": 7}}) == Account()
