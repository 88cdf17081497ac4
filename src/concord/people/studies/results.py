"""Studies scored from replies: the records that are kept, scores, tests behind them, and their files."""

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError
from concord.files.codec import decode, encode
from concord.files.contents import read_bytes
from concord.files.documents import heading, need_keys, read_document
from concord.files.json_text import filled_lines, parsed
from concord.files.output import write_csv, write_json, write_lines
from concord.files.rows import StoredRecords, read_rows
from concord.kinds import PAGE, TERMINAL, Column, Gauge, Kind, PictureOf, Table
from concord.people.answers.result import AnswersResult
from concord.people.files import PeopleResult
from concord.people.memory import MemoryResult
from concord.people.studies.replies import ITEM_OUTCOMES
from concord.people.table.values import stored_table, table_document
from concord.reading import StoredReading, read_readings, write_readings
from concord.reading.stored import FILE as READINGS
from concord.records import InputFile, TestTable


@dataclass(frozen=True, slots=True)
class HeldDesign:
    """How the model was told who it is."""

    name: str
    text: str | None = None
    """Its template; ``None`` where nothing is told."""
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class HeldStudy:
    """One study as it was planned and held."""

    study: str
    title: str
    domain: str | None
    source: Mapping[str, Any]
    findings: Mapping[str, str]
    """What each finding says, by its name."""
    file: InputFile
    design: HeldDesign
    seed: int
    n_per_cell: int | None
    """Participants per cell; ``None`` as in the paper."""
    sessions: int
    participants: int
    sessions_ended_early: int = 0
    """Group sessions that ended before their last round."""


@dataclass(frozen=True, slots=True)
class ItemCount:
    """Answers to one item in one condition, by outcome."""

    study: str
    experiment: str
    item: str
    condition: str
    outcomes: Mapping[str, int]

    @property
    def n(self) -> int:
        """All answers that were wanted."""
        return sum(self.outcomes.values())


@dataclass(frozen=True, slots=True)
class ReplyItem:
    """What was read from a reply for one item."""

    item: str
    outcome: str
    values: Mapping[str, Any]
    """A number, a text or ``None`` for each variable."""


@dataclass(frozen=True, slots=True)
class StudyReply:
    """One reply, where it was asked and what was read from it."""

    id: str
    study: str
    experiment: str
    condition: str
    participant: str
    step: str
    items: tuple[ReplyItem, ...]
    response: str | None
    prompt: str | None = None
    """The question as it was put; ``None`` where it could not be asked."""
    told: str | None = None
    """Who the participant was told to be, where the design says so."""


class StoredReplies(StoredRecords[StudyReply]):
    """Replies in their order; questions are long and repeated, so that each is held once."""

    def __init__(self, replies: Iterable[StudyReply] = ()) -> None:
        self._numbers: dict[str | None, int] = {}
        self._texts: list[str | None] = []
        super().__init__(StudyReply)
        self._flat = self._flattened
        for one in replies:
            self.append(one)

    def _number(self, text: str | None) -> int:
        number = self._numbers.setdefault(text, len(self._texts))
        if number == len(self._texts):
            self._texts.append(text)
        return number

    def _flattened(self, one: StudyReply) -> tuple[Any, ...]:
        place = (one.id, one.study, one.experiment, one.condition, one.participant, one.step)
        items = [(item.item, item.outcome, dict(item.values)) for item in one.items]
        return (*place, items, one.response, self._number(one.prompt), self._number(one.told))

    def _made(self, values: tuple[Any, ...]) -> StudyReply:
        *place, items, response, prompt, told = values
        read = tuple(ReplyItem(*item) for item in items)
        return StudyReply(*(*place, read, response, self._texts[prompt], self._texts[told]))


@dataclass(frozen=True, slots=True)
class TestInputs:
    """What a test was computed from."""

    __test__ = False

    study: str
    sub_study: str
    finding: str
    test: str
    experiment: str
    variables: tuple[str, ...]
    """Answers that it reads, those of derived variables included."""
    conditions: tuple[str, ...]
    """Cells whose participants it takes, between factors alone, as `answers.jsonl` names them."""
    where: str
    """The rest of the choice, that depends on answers or profiles; empty where there is none."""


def _with_outcome(outcome: str, count: ItemCount) -> int:
    return count.outcomes.get(outcome, 0)


TABLE, COUNTS, REPLIES = "tests.json", "answers.csv", "answers.jsonl"
PROMPTS, PLANS = "prompts.json", "plans.json"
DISTRIBUTIONS = "distributions"
"""Folder, below that of the scores, with the answers as distributions."""
_PLANS_KIND, _PROMPTS_KIND = "plans of studies", "prompts of studies"


def _of_scores(held: Table) -> Table:
    """Return a table of scores as one of studies that have them."""
    title, note = held.title, held.note
    return replace(
        held,
        rows=lambda studies: held.rows(studies.result),
        title=title if isinstance(title, str) else lambda studies: title(studies.result),
        note=None if note is None else lambda studies: note(studies.result),
    )


def _of_memory(held: Table) -> Table:
    """Return a table of what a model remembers for the terminal; the page has a section of its own."""
    return replace(
        held,
        name=f"memory_{held.name}",
        rows=lambda studies: () if studies.memory is None else held.rows(studies.memory),
        file="",
        on=(TERMINAL,),
    )


def _studies_of(scored: "StudiesResult") -> list[str]:
    return [study.name for study in scored.result.studies]


ANSWERS = Table(
    "answers",
    rows=lambda scored: scored.answers,
    title="What became of the answers",
    on=(PAGE,),
    folded=True,
    columns=(
        Column("study", words=True),
        Column("experiment", words=True),
        Column("item", words=True),
        Column("condition", words=True),
        Column("n", title="answers", count=True),
        *(Column(str(one), partial(_with_outcome, str(one)), count=True) for one in ITEM_OUTCOMES),
    ),
)


@dataclass(frozen=True, slots=True, repr=False)
class StudiesResult(Kind):
    """Studies scored from replies: the numbers, the tests behind them, what became of every answer."""

    FORMAT, FILE = PeopleResult.FORMAT, PeopleResult.FILE
    QUESTION, ASKS = PeopleResult.QUESTION, PeopleResult.ASKS
    TABLES = (
        *map(_of_scores, PeopleResult.TABLES), ANSWERS, *map(_of_memory, MemoryResult.TABLES)
    )  # fmt: skip
    PICTURES = (
        *(replace(one, each=_studies_of) if one.each is not None else one for one in PeopleResult.PICTURES),
        PictureOf("outcomes", "people_plots.outcomes_picture", on_page=False),
    )
    CITES = PeopleResult.CITES

    result: PeopleResult
    test_table: TestTable
    plans: tuple[HeldStudy, ...]
    answers: tuple[ItemCount, ...]
    """Outcomes by study, experiment, item and condition."""
    replies: tuple[StudyReply, ...] = ()
    tests: tuple[TestInputs, ...] = ()
    """Which answers and conditions each test was computed from."""
    distributions: AnswersResult | None = None
    """Answers as distributions, where the studies give people's."""
    memory: MemoryResult | None = None
    """What the model recognises, and original against variant, where either was asked."""
    readings: tuple[StoredReading, ...] = ()
    """What was read in each reply for each item, how and where."""

    @property
    def outcomes(self) -> dict[str, dict[str, int]]:
        """Outcomes of all answers of each study."""
        found: dict[str, dict[str, int]] = {one.study: {} for one in self.plans}
        for count in self.answers:
            own = found[count.study]
            for outcome, n in count.outcomes.items():
                own[outcome] = own.get(outcome, 0) + n
        return {study: {str(o): own[o] for o in ITEM_OUTCOMES if o in own} for study, own in found.items()}

    @property
    def counted(self) -> tuple[str, ...]:
        """A line per study that counts its answers by outcome."""
        return tuple(
            f"{study}: answers: " + ", ".join(f"{n} {outcome}" for outcome, n in own.items())
            for study, own in self.outcomes.items()
        )

    @property
    def messages(self) -> tuple[str, ...]:
        """What to tell a reader with the numbers: tests without an agent side, and the answers counted."""
        remembered = () if self.memory is None else (f"memory: {self.memory.sentence}",)
        return (*(f"warning: {warning}" for warning in self.test_table.warnings), *self.counted, *remembered)

    def sentences(self) -> Sequence[str]:
        """Return what the numbers mean, and what had to be assumed."""
        return self.result.sentences()

    def gauges(self) -> Sequence[Gauge]:
        """Return PAS, ECS and APR on their scales."""
        return self.result.gauges()

    def notes(self) -> Sequence[str]:
        """Return how tests ended, and why intervals and places are withheld or when they miss."""
        return self.result.notes()

    def who(self) -> Sequence[str]:
        """Return the model."""
        return self.result.who()

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        return self.result.paragraph(concord)

    def document(self) -> dict[str, Any]:
        """Return the summary of the scores below its heading, with the plans and the answers counted."""
        early = {one.study: one.sessions_ended_early for one in self.plans if one.sessions_ended_early}
        return {
            **self.result.document(),
            "plans": encode(self.plans),
            "answers": self.outcomes,
            "sessions_ended_early": early,
            "tests_without_agent_side": list(self.test_table.warnings),
            "memory": None if self.memory is None else encode(self.memory),
            "distributions": None if self.distributions is None else self.distributions.to_dict(),
        }

    def write(self, out: str | Path = "results") -> tuple[Path, ...]:
        """Write the files of the scores, what they were computed from, and the plans.

        `answers.csv` counts outcomes, `readings.csv` says how and where each answer was read,
        `answers.jsonl` holds every reply with what was read from it, `prompts.json` every question once,
        `tests.json` is a table of tests, `plans.json` the plans, the studies with what their findings say,
        and which answers each test reads.
        """
        return write(self, Path(out))


@dataclass(frozen=True, slots=True)
class CountRow:
    """A line of `answers.csv`: how many answers to an item in a condition had one outcome."""

    study: str
    experiment: str
    item: str
    condition: str
    outcome: str
    n: int


def write(result: StudiesResult, folder: Path) -> tuple[Path, ...]:
    """Write all files of a result; the inverse of `read`."""
    scores = result.result.write(folder)
    rows = [
        (one.study, one.experiment, one.item, one.condition, outcome, n)
        for one in result.answers
        for outcome, n in one.outcomes.items()
    ]
    write_csv(folder / COUNTS, CountRow.__slots__, rows)
    write_json(folder / TABLE, table_document(result.test_table))
    prompts: dict[str, int] = {}
    write_lines(folder / REPLIES, _reply_lines(result.replies, prompts))
    write_json(folder / PROMPTS, {**heading(_PROMPTS_KIND), "prompts": list(prompts)})
    plans = {"plans": encode(result.plans), "tests": encode(result.tests)}
    write_json(folder / PLANS, {**heading(_PLANS_KIND), **plans})
    more = () if result.distributions is None else result.distributions.write(folder / DISTRIBUTIONS)
    if result.memory is not None:
        more = (*more, *result.memory.write(folder))
    write_readings(folder, result.readings)
    names = (COUNTS, REPLIES, PROMPTS, TABLE, PLANS, READINGS)
    return (*scores, *(folder / name for name in names), *more)


def read(folder: Path) -> StudiesResult:
    """Read what `write` wrote; the inverse of it."""
    table = stored_table(folder / TABLE)
    if table is None:
        raise FileFormatError(f"{folder / TABLE}: is no table of tests that Concord wrote")
    plans, tests = read_plans(folder)
    spread, memory = folder / DISTRIBUTIONS, folder / MemoryResult.FILE
    return StudiesResult(
        PeopleResult.read(folder),
        table,
        plans,
        read_counts(folder),
        tuple(_replies_of(folder)),
        tests,
        AnswersResult.read(spread) if spread.is_dir() else None,
        MemoryResult.read(folder) if memory.is_file() else None,
        read_readings(folder) if (folder / READINGS).is_file() else (),
    )


def read_plans(folder: Path) -> tuple[tuple[HeldStudy, ...], tuple[TestInputs, ...]]:
    """Read how the studies of a folder were held, and what each test was computed from; empty without."""
    path = folder / PLANS
    if not path.is_file():
        return (), ()
    plans = _checked_document(path, _PLANS_KIND, ("plans", "tests"))
    return (
        decode(tuple[HeldStudy, ...], plans["plans"], where=f"{path}, 'plans'"),
        decode(tuple[TestInputs, ...], plans["tests"], where=f"{path}, 'tests'"),
    )


def read_counts(folder: Path) -> tuple[ItemCount, ...]:
    """Read what became of the answers of a folder; empty where nothing was asked."""
    path = folder / COUNTS
    return tuple(_item_counts(read_rows(path, CountRow))) if path.is_file() else ()


def _checked_document(path: Path, kind: str, keys: tuple[str, ...]) -> dict[str, Any]:
    """Read a document that has these keys."""
    document = read_document(path, kind)
    need_keys(document, keys, path)
    return document


def _item_counts(rows: Iterable[CountRow]) -> Iterator[ItemCount]:
    """Gather the outcomes of each item in each condition, which are lines one after another."""
    for place, own in itertools.groupby(
        rows, lambda row: (row.study, row.experiment, row.item, row.condition)
    ):
        yield ItemCount(*place, {row.outcome: row.n for row in own})


def _reply_lines(replies: Iterable[StudyReply], prompts: dict[str, int]) -> Iterator[dict[str, Any]]:
    """Return every reply as a line."""
    # Questions are long and repeated: a line holds their numbers in `prompts`, which is filled here.
    for one in replies:
        numbers = {"prompt": _prompt_number(prompts, one.prompt), "told": _prompt_number(prompts, one.told)}
        yield {**encode(one), **numbers}


def _prompt_number(prompts: dict[str, int], text: str | None) -> int | None:
    """Return the number of a text among the prompts, a new one where it is new."""
    return None if text is None else prompts.setdefault(text, len(prompts))


def _replies_of(folder: Path) -> Iterator[StudyReply]:
    """Read the lines of replies, with the texts that they number."""
    found = _checked_document(folder / PROMPTS, _PROMPTS_KIND, ("prompts",))
    prompts = decode(tuple[str, ...], found["prompts"], where=f"{folder / PROMPTS}, 'prompts'")
    path = folder / REPLIES
    for number, raw in filled_lines(str(path), read_bytes(path)):
        where = f"{path}, line {number}"
        yield decode(StudyReply, _with_texts(parsed(where, raw), prompts, where), where=where)


def _with_texts(line: object, prompts: tuple[str, ...], where: str) -> object:
    """Return a line with texts in the place of their numbers."""
    if not isinstance(line, Mapping):
        return line
    texts: dict[str, str | None] = {}
    for key in ("prompt", "told"):
        at = line.get(key)
        if at is not None and not (isinstance(at, int) and 0 <= at < len(prompts)):
            raise FileFormatError(
                f"{where}, {key!r}: got {at!r}, expected a number below {len(prompts)}, the prompts there are"
            )
        texts[key] = None if at is None else prompts[at]
    return {**line, **texts}
