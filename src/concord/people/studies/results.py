"""Studies scored from replies: scores, tests behind them, what became of every answer, and their files."""

from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from concord.files.codec import encode
from concord.files.output import write_csv, write_json, write_lines
from concord.people.answers.files import AnswersResult
from concord.people.files import PeopleResult
from concord.people.memory.files import MemoryResult
from concord.people.studies.behind import behind_test
from concord.people.studies.observe import ItemCount, Observations
from concord.people.studies.plan import StudyPlan
from concord.people.studies.rows import row_keys
from concord.people.table.document import table_document
from concord.records import Presented, TestTable

DISTRIBUTIONS = "distributions"
"""Folder, below that of the scores, with the answers as distributions."""


@dataclass(frozen=True, slots=True, repr=False)
class StudiesResult(Presented):
    """Studies scored from replies: the numbers, the tests behind them, what became of every answer."""

    result: PeopleResult
    table: TestTable
    observed: tuple[Observations, ...]
    distributions: AnswersResult | None = None
    """Answers as distributions, where the studies give people's."""
    memory: MemoryResult | None = None
    """What the model recognises, and original against variant, where either was asked."""

    @property
    def answers(self) -> tuple[ItemCount, ...]:
        """Outcomes by study, experiment, item and condition."""
        return tuple(count for one in self.observed for count in one.item_counts())

    @property
    def messages(self) -> tuple[str, ...]:
        """What to tell a reader with the numbers: tests without an agent side, and the answers counted."""
        counted = (
            f"{one.plan.study.study}: answers: "
            + ", ".join(f"{n} {outcome}" for outcome, n in one.outcomes().items())
            for one in self.observed
        )
        remembered = () if self.memory is None else (f"memory: {self.memory.sentence}",)
        if self.memory is not None and self.memory.pairs:
            remembered = (*remembered, "warning: the numbers of all studies together include the variants")
        return (*(f"warning: {warning}" for warning in self.table.warnings), *counted, *remembered)

    def to_dict(self) -> dict[str, Any]:
        """Return the summary of the scores, with the plans and the answers counted."""
        return {
            **self.result.to_dict(),
            "plans": [_plan_record(one.plan) for one in self.observed],
            "answers": {one.plan.study.study: one.outcomes() for one in self.observed},
            "sessions_ended_early": {
                one.plan.study.study: sum(one.ended_early.values())
                for one in self.observed
                if sum(one.ended_early.values())
            },
            "tests_without_agent_side": list(self.table.warnings),
            "memory": None if self.memory is None else encode(self.memory),
            "distributions": None if self.distributions is None else self.distributions.to_dict(),
        }

    def write(self, out: str | Path) -> tuple[Path, ...]:
        """Write the files of the scores, what they were computed from, and the plans.

        `answers.csv` counts outcomes, `answers.jsonl` holds every reply with what was read from it,
        `prompts.json` every question once, `tests.json` is a table of tests, `plans.json` the plans, the
        studies with what their findings say, and which answers each test reads.
        """
        folder = Path(out)
        files = self.result.write(folder)
        rows = [
            (c.study, c.experiment, c.item, c.condition, outcome, n)
            for c in self.answers
            for outcome, n in c.outcomes.items()
        ]
        columns = ("study", "experiment", "item", "condition", "outcome", "n")
        write_csv(folder / "answers.csv", columns, rows)
        write_json(folder / "tests.json", table_document(self.table))
        prompts: dict[str, int] = {}
        write_lines(folder / "answers.jsonl", _answer_records(self.observed, prompts))
        write_json(folder / "prompts.json", {"prompts": list(prompts)})
        plans = [_plan_record(one.plan) for one in self.observed]
        write_json(folder / "plans.json", {"plans": plans, "tests": list(_behind_records(self.observed))})
        names = ("answers.csv", "answers.jsonl", "prompts.json", "tests.json", "plans.json")
        more = () if self.distributions is None else self.distributions.write(folder / DISTRIBUTIONS)
        if self.memory is not None:
            more = (*more, *self.memory.write(folder))
        return (*files, *(folder / name for name in names), *more)


def _answer_records(observed: Iterable[Observations], prompts: dict[str, int]) -> Iterator[dict[str, Any]]:
    """Return every reply with where it was asked and what was read from it.

    Questions are long and repeated: a reply holds their numbers in `prompts`, which is filled here.
    """
    for one in observed:
        for given in one.given:
            session, member, step = given.id.rsplit("/", 2)
            study, experiment, _ = session.split("/", 2)
            yield {
                "id": given.id,
                "study": study,
                "experiment": experiment,
                "condition": ", ".join(given.condition.values()),
                "participant": f"{session.split('/', 2)[2]}/{member}",
                "step": step,
                "items": [
                    {"item": name, "outcome": str(answer.outcome), "values": dict(answer.values)}
                    for name, answer in given.answers
                ],
                "response": given.reply,
                "prompt": _prompt_number(prompts, given.prompt),
                "told": _prompt_number(prompts, given.told),
            }


def _prompt_number(prompts: dict[str, int], text: str | None) -> int | None:
    """Return the number of a text among the prompts, a new one where it is new."""
    return None if text is None else prompts.setdefault(text, len(prompts))


def _behind_records(observed: Iterable[Observations]) -> Iterator[dict[str, Any]]:
    """Say of every test which answers and conditions it was computed from."""
    for one in observed:
        study = one.plan.study
        for finding, spec in study.findings.items():
            for test in spec.tests:
                keys = row_keys(study, finding, test)
                named = {key: keys[key] for key in ("study", "sub_study", "finding", "test")}
                yield {**named, "experiment": test.experiment, **asdict(behind_test(study, test))}


def _plan_record(plan: StudyPlan) -> dict[str, Any]:
    return {
        "study": plan.study.study,
        "title": plan.study.title,
        "domain": plan.study.domain,
        "source": plan.study.source.model_dump(),
        "findings": {name: finding.says for name, finding in plan.study.findings.items()},
        "file": asdict(plan.file.file),
        "design": {"name": plan.design.name, "text": plan.design.text, "sha256": plan.design.sha256},
        "seed": plan.seed,
        "n_per_cell": plan.n,
        "sessions": len(plan.sessions),
        "participants": sum(len(session.members) for session in plan.sessions),
    }
