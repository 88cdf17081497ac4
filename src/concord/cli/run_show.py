"""What `concord run` shows: the plan before, outcomes and scores after."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.asking.options import Asking
from concord.cli.shared import note, print_json, say, warn
from concord.cli.shared import show_result as show_scores
from concord.errors import ModelError, RunFolderError
from concord.number_words import grouped, in_money

if TYPE_CHECKING:
    from concord.asking.job import Job
    from concord.asking.plan import Plan, Range
    from concord.asking.runs import RunResult
import math
import shutil
import sys
import threading
import time
from collections import Counter
from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING

from concord.asking.journal import ANSWERS, ASKED_AGAIN, AWAITS
from concord.errors import printable
from concord.number_words import number
from concord.records import AskOutcome

if TYPE_CHECKING:
    from concord.asking.limits import Prices


SHOWN_PROMPTS = 3
_SHOWN_CHARACTERS = 4000
"""Of one message."""
_INCOMPLETE = 4


def plan_lines(job: "Job", plan: "Plan", folder: Path, *, free: bool = False) -> list[str]:
    """Say in words what a run will take."""
    stored = f", {plan.n_stored} already stored" if plan.n_stored else ""
    calls = f" ({plan.n_calls:,} calls)" if plan.n_calls != plan.n_to_ask else ""
    tokens_in, tokens_out = plan.input_tokens, plan.output_tokens
    lines = [
        f"{job.design.suite}: {plan.n_trials} trials for {job.model}{stored}; "
        f"{plan.n_to_ask} to ask{calls}, into {folder}",
        f"tokens: {about(tokens_in, 0)} in, {about(tokens_out, 0)} out",
    ]
    by = f", by {plan.n_seen} stored trials" if plan.n_seen else ", without thinking; --pilot tells it better"
    if plan.cost is not None:
        lines.append(f"cost: {about(plan.cost)}{by if plan.n_to_ask else ''}")
    elif plan.n_to_ask and not free:
        lines.append("cost: not known; give --price-in and --price-out (per million tokens) to see a range")
    if job.connection.batch:
        lines.append("sent in batches: replies come within a day; a run that is ended finds them again")
    chosen = dict(job.design.options)
    if chosen.get("persons") is not None:
        apart = f"; kept from it: {chosen['not_told']}" if chosen.get("not_told") else ""
        taking_part = f"{chosen['n_persons']} of {chosen['persons']}"
        lines.append(f"persons: {taking_part}; the model is told {chosen['told']}{apart}")
    return [*lines, *_scoring_model_lines(job, plan), *(f"warning: {one}" for one in job.design.notes)]


def about(range_: "Range", digits: int = 2) -> str:
    """Return a guess in words: the likely one, and the range behind it."""
    written = in_money if digits else grouped
    low, high, likely = (written(one) for one in (range_.low, range_.high, range_.likely))
    return f"about {likely} ({low} to {high})"


def _scoring_model_lines(job: "Job", plan: "Plan") -> list[str]:
    """Say what the model that scores the replies will be asked, where there is one."""
    scorer = str(dict(job.design.options).get("scorer", ""))
    if ":" not in scorer:
        return []
    from concord.structure.items import ITEMS
    from concord.structure.words.judged import judge_model, n_known_texts

    model = judge_model(scorer)
    if model is None:
        return []
    known = n_known_texts(dict(job.design.files)[ITEMS])
    more = f", and {known} on texts whose truth is known" if known else ""
    return [f"then the scoring model {model}: at most {plan.n_trials} calls{more}"]


def show_dry_run(job: "Job", plan: "Plan", as_json: bool, *, free: bool) -> None:
    """Show the plan and the first prompts."""
    from dataclasses import asdict

    prompts = [
        {
            "id": trial.item,
            "mode": trial.cell,
            "repeat": trial.repeat,
            "messages": list(map(asdict, trial.messages)),
        }
        for trial in job.design.trials[:SHOWN_PROMPTS]
    ]
    sent = job.sampling.sent(0)
    if as_json:
        print_json({"plan": plan.to_dict(), "sampling": sent, "first_prompts": prompts})
        return
    for line in plan_lines(job, plan, Path("(no folder: a dry run)"), free=free):
        note(line)
    say(f"sent with every prompt: {sent}")
    for trial in job.design.trials[:SHOWN_PROMPTS]:
        say(f"\n--- {trial.item}, {trial.cell}, repeat {trial.repeat} ({trial.template})")
        for message in trial.messages:
            say(f"[{message.role}]\n{_beginning(message.text)}")


def _beginning(text: str) -> str:
    """Return a text as far as it is shown, and how much of it is not."""
    left = len(text) - _SHOWN_CHARACTERS
    return text if left <= 0 else f"{text[:_SHOWN_CHARACTERS]}\n(... {left:,} more characters are not shown)"


def show_result(result: "RunResult", asking: Asking, *, several: bool = False) -> int:
    """Show what became of a run; return its exit code: 4 where trials lack a reply or none is ok."""
    from concord.asking.runs import write_logs

    counted = ", ".join(f"{n} {outcome}" for outcome, n in result.outcomes.items())
    of = f" of {result.model}" if several else ""
    note(f"{sum(result.outcomes.values())} trials{of}: {counted}")
    if said := result.answers_words():
        note(said)
    note_cut(result)
    if result.paid.calls:
        note(result.took())
    for words in result.versions:
        note(words)
    for words in result.warnings:
        note(f"warning: {words}")
    if set(result.outcomes) == {"failed"}:
        raise ModelError(f"every call failed, the last one with: {_last_error(result, 'failed')}")
    if result.stopped is not None:
        note(f"stopped: {result.stopped}")
    _show_scores(result, asking.json, full=asking.full)  # results first: what follows may fail
    if asking.inspect_log and (told := write_logs(result.folder)):
        note(f"warning: {told}")
    lacking = {name: result.outcomes[name] for name in ("failed", "not asked") if name in result.outcomes}
    if lacking:
        note("incomplete: " + ", ".join(f"{n} {name}" for name, n in lacking.items()))
    if "failed" in lacking and (error := _last_error(result, "failed")):
        note(f"the last one failed with: {error}")
    if asking.pilot and not result.outcomes.get("failed"):  # what it was to do is done
        return 0
    return _INCOMPLETE if lacking or result.stopped is not None or "ok" not in result.outcomes else 0


def _last_error(result: "RunResult", outcome: str) -> str | None:
    """Return what the provider said last of the trials with an outcome."""
    told = [row.get("error") for row in result.stored.rows if row["outcome"] == outcome]
    return next((str(error) for error in reversed(told) if error), None)


def note_cut(result: "RunResult") -> None:
    """Say how to ask again for replies that were cut, where they are more than a few."""
    from concord.show.page.context import cut_advice

    limit = result.stored.record["sampling"].get("max_tokens")
    if said := cut_advice(result.outcomes, limit if isinstance(limit, int) else None):
        note(said)


def _show_scores(result: "RunResult", as_json: bool, *, full: bool) -> None:
    if not result.outcomes.get("ok") or result.outcomes.get("not asked"):
        if as_json:
            print_json({"run": result.to_dict(), "score": None})
        note(_nothing_scored(result))
        return
    from concord.asking.recorded import write_answers

    try:
        scored = result.score()
    except RunFolderError as fault:
        write_answers(result.stored, result.folder / "results")  # what was read is worth a look
        note(str(fault))  # the run is done and kept; there is only nothing to count
        return
    scored.write(result.folder / "results")
    answers = write_answers(result.stored, result.folder / "results")
    if as_json:
        counted = {} if answers is None else answers.counted
        print_json({"run": {**result.to_dict(), **counted}, "score": scored.to_dict()})
    else:
        show_scored(scored, full=full)
    for line in () if answers is None else answers.lines:
        note(line)
    note(f"replies, log and results are in {result.folder}")
    note(f"score them again with: concord score run {result.folder}")


def _nothing_scored(result: "RunResult") -> str:
    """Say why there are no scores, and what can be done about it."""
    kept = f"what came back is in {result.folder}"
    if not result.complete or not result.outcomes:
        return f"nothing is scored yet; {kept}"
    usual = max(result.outcomes, key=lambda name: result.outcomes[name])
    error = _last_error(result, usual)
    told = "" if error is None else f"; the last one: {error}"
    again = ",".join(name for name in result.outcomes if name != "failed")
    return f"no reply can be scored{told}; {kept}; to ask anew: --again {shlex.quote(again)}"


def show_scored(scored: Any, *, full: bool = False) -> None:
    """Print the tables of a result, whichever question it answers, and what it says about its replies."""
    told, start = getattr(scored, "messages", ()), "warning: "
    warn([line.removeprefix(start) for line in told if line.startswith(start)])
    for line in told:
        if not line.startswith(start):
            note(line)
    show_scores(scored, full=full)


_EVERY = 10.0
"""Seconds between lines where there is no terminal."""
_FRAME = 0.5
"""Seconds between frames in a terminal, whether replies come or not."""
_BAR = 20


class Progress:
    """Counts answers and shows the count: one line that changes in a terminal, a line at times elsewhere."""

    def __init__(self, n_to_ask: int, *, prices: "Prices | None" = None, title: str = "") -> None:
        self._n_to_ask, self._prices, self._title = n_to_ask, prices, title
        self._costs: tuple[int, float, float] = (0, 0.0, 0.0)
        """Number, sum and sum of squares of the costs of trials."""
        self._waits = ""
        self._told = ("", -math.inf)
        """What was last said to be waited for, and when: replies may come between two such calls."""
        self._counts: Counter[str] = Counter()
        self._answers: Counter[str] = Counter()
        """What became of reading the answers."""
        self._asked_again = self._n_awaiting = 0
        """Answers that were asked for once more; first replies that are stored and await another turn."""
        # Inspect holds back text without a newline on its own stderr: a line that changes needs the real one
        self._stream = sys.__stderr__ if sys.__stderr__ is not None else sys.stderr
        self._live = self._stream.isatty()
        self._shown = self._started = time.monotonic()
        self._ended = threading.Event()
        self._ticking: threading.Thread | None = None
        self._lock = threading.Lock()

    @property
    def n_replies(self) -> int:
        """Replies stored in this session; failed calls are not among them."""
        return sum(self._counts.values()) - self._counts[str(AskOutcome.FAILED)] + self._n_awaiting

    def add(self, row: Mapping[str, Any]) -> None:
        """Count one answer."""
        with self._lock:
            if row.get(AWAITS) is True:
                self._n_awaiting += row.get(ASKED_AGAIN, 0) == 0
                return
            if row.get(ASKED_AGAIN, 0) or AWAITS in row:
                self._n_awaiting = max(0, self._n_awaiting - 1)
            self._counts[str(row["outcome"])] += 1
            self._answers.update(row.get(ANSWERS, {}))
            self._asked_again += row.get(ASKED_AGAIN, 0)
            self._waits = ""
            self._pay(row.get("usage"))
        now = time.monotonic()
        if not self._live and now - self._shown >= _EVERY:
            self._shown = now
            note(self.line())

    def wait(self, words: str) -> None:
        """Show at once that and why something is waited for; the same words once in a while."""
        now, reason = time.monotonic(), words.rsplit(": ", 1)[-1]
        self._waits = reason
        last, when = self._told
        if not self._live and (reason != last or now - when >= _EVERY):
            self._told = reason, now
            note(words)

    def _pay(self, usage: Any) -> None:
        known = self._prices is not None and isinstance(usage, Mapping)
        cost = self._prices.of_usage(usage) if known and self._prices is not None else None
        if cost is None:
            return
        n, total, squares = self._costs
        self._costs = (n + 1, total + cost, squares + cost * cost)

    def _cost(self) -> str:
        """Say what was spent, and what the whole will cost: the mean of the trials so far, and its doubt."""
        n, total, squares = self._costs
        if n < 2:
            return ""
        left, mean = self._n_to_ask - n, total / n
        doubt = 2 * left * math.sqrt(max(squares / n - mean * mean, 0.0) / n)
        likely = total + left * mean
        low, high = max(total, likely - doubt), likely + doubt
        return f"cost {number(total, 2)} of about {number(likely, 2)} ({number(low, 2)} to {number(high, 2)})"

    def parts(self) -> list[str]:
        """Return what is known, the most important first."""
        done = sum(self._counts.values())
        seconds = time.monotonic() - self._started
        if not done:
            return [f"0/{self._n_to_ask}", f"waiting for the first reply, {_span(seconds)}"]
        rate = done / max(seconds, 1e-9)
        found = [
            f"{done}/{self._n_to_ask}",
            f"{_per_time(rate)}",
            f"{_span((self._n_to_ask - done) / rate)} left",
        ]
        found.append(
            " ".join(f"{name} {self._counts[name]}" for name in map(str, AskOutcome) if self._counts[name])
        )
        if self._answers:
            found.insert(3, f"read {self._answers['ok']:,} of {self._answers.total():,}")
        if self._asked_again:
            found.insert(4, f"asked again {self._asked_again:,}")
        return [*found, cost] if (cost := self._cost()) else found

    def line(self) -> str:
        """Return the line that is shown where there is no terminal."""
        return " · ".join(self.parts())

    def frame(self, width: int) -> str:
        """Return the line of a terminal: as many parts as fit, a bar where there is room for it."""
        share = min(sum(self._counts.values()) / max(self._n_to_ask, 1), 1.0)
        parts = self.parts() + ([printable(self._waits)] if self._waits else [])
        shown = parts[0]
        for part in parts[1:]:
            if len(shown) + len(part) + 3 < width:
                shown += f" · {part}"
        title = f"{self._title} " if self._title else ""
        if len(title) + _BAR + 1 + len(shown) < width:
            return f"{title}{progress_bar(share, _BAR)} {shown}"
        return (title + shown if len(title) + len(shown) < width else shown)[: width - 1]

    def _tick(self) -> None:
        while not self._ended.wait(_FRAME):
            self._draw()

    def _draw(self) -> None:
        with self._lock:
            frame = self.frame(shutil.get_terminal_size((80, 24)).columns)
        self._stream.write(f"\r\x1b[2K{frame}")
        self._stream.flush()

    def __enter__(self) -> "Progress":
        if self._live:
            self._draw()
            self._ticking = threading.Thread(target=self._tick, daemon=True)
            self._ticking.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._ticking is not None:
            self._ticking.join(timeout=2)
            self._draw()
            self._stream.write("\n")
            self._stream.flush()


def progress_bar(share: float, cells: int) -> str:
    """Draw a share as a bar."""
    full = int(share * cells)
    return ("━" * full + ("╸" if full < cells else "") + "─" * cells)[:cells]


def _per_time(per_second: float) -> str:
    return (
        f"{number(per_second, 0)}/s"
        if per_second >= 10
        else f"{number(per_second, 1)}/s"
        if per_second >= 0.1
        else (f"{number(60 * per_second, 1)}/min")
    )


def _span(seconds: float) -> str:
    minutes = seconds / 60
    if minutes < 1:
        return f"{number(seconds, 0)} s"
    return f"{number(minutes, 0)} min" if minutes < 90 else f"{number(minutes / 60, 1)} h"
