"""A run as it is shown: what was asked of whom, what came back, what it took, where it is kept."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from pathlib import Path
from typing import Any

from concord.asking.folder import RECORD, StoredRun, read_run
from concord.asking.ledger import Account, Paid, account_of
from concord.asking.limits import SPENT, Limits
from concord.asking.recorded import score_run
from concord.asking.requests import AUTO, OFF
from concord.asking.talks import read_words
from concord.errors import InputError, OptionError
from concord.kinds import Column, Kind, Table
from concord.records import AskOutcome
from concord.words import say, sentence_of

OUTCOMES = Table(
    "outcomes",
    rows=lambda result: result.outcomes.items(),
    title="Outcomes",
    columns=(
        Column("outcome", itemgetter(0), words=True),
        Column("trials", itemgetter(1), count=True),
    ),
)


@dataclass(frozen=True, slots=True, repr=False)
class RunResult(Kind):
    """A run's folder as it is."""

    FORMAT, FILE = "run", RECORD
    TABLES = (OUTCOMES,)

    stored: StoredRun
    _scored: dict[str, str] = field(default_factory=dict, init=False, compare=False)
    """The headline, once it was asked for: scoring takes a while."""

    @property
    def folder(self) -> Path:
        """Where everything is kept."""
        return self.stored.path

    @property
    def outcomes(self) -> dict[str, int]:
        """How every planned trial ended, counted."""
        return {name: n for name in map(str, AskOutcome) if (n := self.stored.tally.outcomes[name])}

    @property
    def answers(self) -> dict[str, int]:
        """What became of reading the answers, counted; empty where replies are not read as answers."""
        return dict(sorted(self.stored.tally.answers.items()))

    @property
    def asked_again(self) -> int:
        """Answers that were asked for once more."""
        return self.stored.tally.n_asked_again

    def answers_words(self) -> str:
        """Say how many answers were read; nothing where replies are not read as answers."""
        return read_words(self.answers, self.asked_again)

    @property
    def model(self) -> str:
        """Whom was asked."""
        return str(self.stored.record["model"])

    @property
    def stopped(self) -> str | None:
        """Which limit ended the run, if one did."""
        reason = self.stored.record.get("stopped")
        return None if reason is None else str(reason)

    @property
    def warnings(self) -> list[str]:
        """Say that another model answered than the one asked, or several."""
        return self._told("warnings")

    @property
    def versions(self) -> list[str]:
        """Say which versions of the models answered, for information."""
        return self._told("versions")

    def _told(self, name: str) -> list[str]:
        who = self.stored.record.get("who")
        told = who.get(name) if isinstance(who, Mapping) else None
        return [str(words) for words in told] if isinstance(told, list) else []

    def left_of(self, limits: Limits) -> Limits:
        """Return what this run has left of limits that it shares with others."""
        paid, told = self.paid, self.stored.record.get("cost")
        cost = 0.0 if told is None else float(told)
        tokens = limits.max_tokens_total
        return replace(
            limits,
            max_cost=None if limits.max_cost is None else max(limits.max_cost - cost, SPENT),
            max_tokens_total=None
            if tokens is None
            else max(tokens - paid.input_tokens - paid.output_tokens, 1),
        )

    @property
    def paid(self) -> Paid:
        """What the calls of the run took, of all its sessions and of runs inside it (a judge's)."""
        begun = Account.of(self.stored.record)  # of a run inside another one that is all
        account_of(self.folder, begun)
        return begun.paid if begun.parts else Paid.of(self.stored.tally)

    @property
    def complete(self) -> bool:
        """Every planned trial was asked."""
        return self.stored.n_not_asked == 0

    def score(self, **choices: Any) -> Any:
        """Score what was stored."""
        return score_run(self.folder, **choices)

    def to_dict(self) -> dict[str, Any]:
        """Return the run's record with the outcomes as they are."""
        read = {"answers_read": self.answers, "asked_again": self.asked_again} if self.answers else {}
        return {**self.stored.record, "folder": str(self.folder), "outcomes": self.outcomes, **read}

    def write(self, out: str | Path | None = None) -> tuple[Path, ...]:
        """Return the files of the run: each reply was written as it came, into the run's own folder."""
        if out is not None and Path(out).resolve() != self.folder.resolve():
            raise OptionError(f"a run is kept where it was asked, in {self.folder}; copy that folder")
        return tuple(sorted(path for path in self.folder.iterdir() if path.is_file()))

    @classmethod
    def read(cls, folder: str | Path) -> "RunResult":
        """Read a run's folder, finished or not."""
        return cls(read_run(Path(folder)))

    def sentences(self) -> Sequence[str]:
        """Return what was asked of whom, what came back, what it took, the headline, and the folder."""
        record, left = self.stored.record, self.stored.n_not_asked
        n, ok = self.stored.n_planned, self.outcomes.get("ok", 0)
        counted = ", ".join(f"{k:,} {name}" for name, k in self.outcomes.items())
        return [
            say(
                "run.said.asked",
                suite=record["suite"],
                model=self.model,
                ok=ok,
                n=n,
                counted=counted,
                left=None if self.complete else left,
                stopped=self.stopped,
            ),
            *([f"{said}."] if (said := self.answers_words()) else []),
            self.took(),
            *map(sentence_of, (*self.warnings, *self.versions)),
            self._headline(),
            say("run.said.folder", folder=str(self.folder)),
        ]

    def took(self) -> str:
        """Say what the run took, as far as that is known."""
        cost = self.stored.record.get("cost")
        if cost is None:
            return say("run.said.took_unpriced", tokens=self.paid.words())
        return say("run.said.took", tokens=self.paid.words(), cost=float(cost))

    def _headline(self) -> str:
        """Return the first thing that the scored replies say, or why there is nothing yet."""
        if not self.complete or "ok" not in self.outcomes:
            return say("run.said.none" if self.complete else "run.said.not_yet")
        if "said" not in self._scored:
            try:
                found = self.score()
            except InputError as fault:
                self._scored["said"] = say("run.said.not_scored", why=str(fault))
            else:
                said = found.sentences() if isinstance(found, Kind) else str(found).strip().splitlines()
                self._scored["said"] = next(iter(said), "")
        return self._scored["said"]

    def paragraph(self, concord: str) -> str:
        """Return how replies were collected, for a paper."""
        record = self.stored.record
        given = {name: value for name, value in record["sampling"].items() if value is not None}
        further = given.pop("set", {})
        sent = {**given, **further}
        settings = ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in sent.items())
        asked = {"model": self.model, "n": self.stored.n_planned, "suite": record["suite"]}
        said = say("run.method.collected", **asked, settings=settings, concord=concord)
        return f"{said}{self._who_answered()}{self._how_read()}"

    def _who_answered(self) -> str:
        """Say which models answered, and whether in batches, for a paper."""
        told = "".join(f" {sentence_of(words)}" for words in (*self.warnings, *self.versions))
        batch = self.stored.record.get("connection", {}).get("batch")
        return told + (say("run.method.batches") if batch else "")

    def _how_read(self) -> str:
        """Say how answers were asked for and how many were read, for a paper."""
        if not self.answers:
            return ""
        most, words = int(self.stored.record.get("ask_again", 0)), read_words(self.answers)
        again = say("shared.asked.never_again")
        if most:
            again = say("shared.asked.again", most=most, n=self.asked_again)
        n, all_ = self.stored.tally.n_structured, sum(self.outcomes.values())
        schema = say("run.method.schema", n=n, all=all_) if n else ""
        asked = say("run.method.lined") if self._lined else ""
        return f"{asked}{schema}{again} {sentence_of(words)}"

    @property
    def _lined(self) -> bool:
        """Whether prompts asked for the answer in a last line."""
        return bool(self.stored.record.get("structured", OFF) == AUTO)
