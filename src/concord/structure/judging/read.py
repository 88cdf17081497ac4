"""Recorded verdicts to votes by judge and pair: forms recognised by their columns, files joined by pair."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from concord.errors import FileFormatError, OptionError, listed
from concord.files.declared import BadRowError, DeclaredTable
from concord.files.gate import refuse_more
from concord.files.grids import names_of
from concord.files.limits import JUDGED_PAIRS, JUDGES
from concord.reading import StoredReading, trial_name
from concord.records import InputFile, LeftOutCell
from concord.structure.judging.ballots import (
    AB,
    BA,
    PROMPT,
    TIE,
    UNREADABLE,
    A,
    B,
    Ballot,
    VerdictForm,
    is_reply,
    stored_verdict,
)
from concord.structure.judging.plain import fits_plain, fits_wide, plain_notes, plain_reader, wide_reader
from concord.structure.judging.published import (
    alpaca_eval,
    alpaca_notes,
    arena_choice,
    arena_hard,
    arena_hard_notes,
    fastchat_pair,
    fastchat_vote,
    judge_bench,
    judge_bench_notes,
    vote_notes,
)
from concord.structure.judging.result import NONE, Counts, PairVotes

FORMS = (
    VerdictForm(lambda keys: {"g1_winner", "g2_winner"} <= keys, lambda *_: fastchat_pair),
    VerdictForm(
        lambda keys: {"preference", "output_1", "output_2"} <= keys, lambda *_: alpaca_eval, alpaca_notes
    ),
    VerdictForm(lambda keys: {"games", "model"} <= keys, lambda *_: arena_hard, arena_hard_notes),
    VerdictForm(lambda keys: {"judgments", "pair_id"} <= keys, lambda *_: judge_bench, judge_bench_notes),
    VerdictForm(
        lambda keys: {"winner_model_a", "winner_model_b", "winner_tie", "id"} <= keys,
        lambda *_: arena_choice,
    ),
    VerdictForm(
        lambda keys: {"winner", "model_a", "model_b", "question_id"} <= keys and "order" not in keys,
        lambda *_: fastchat_vote,
        vote_notes,
    ),
    VerdictForm(fits_wide, wide_reader),
    VerdictForm(fits_plain, plain_reader, plain_notes),
)


_VERDICTS = (*names_of("verdicts")["verdict"], *names_of("verdicts")["winner"])
_TRIES = 3
"""A row may hold a verdict per order, each of which may be none."""


def read_ballots(table: DeclaredTable, judge: str) -> tuple[list[Ballot], list[str]]:
    """Return the verdicts of a file, and what a user should know about how they were read."""
    # A row that cannot be read is noted; where it is the verdict, it counts as one that cannot be read.
    form, rows = _form_of(table), table.rows()
    reader = form.reader(table, rows)
    ballots: list[Ballot] = []
    for index, row in enumerate(rows):
        for _ in range(_TRIES):
            try:
                ballots += reader(row, judge)
                break
            except BadRowError as fault:
                table.problem(index, fault.column, str(fault), fault.value)
                if not fault.column.startswith(_VERDICTS) or row[fault.column] is None:
                    break
                row = {**row, fault.column: None}
    return ballots, [f"{_file_name(table)}: {told}" for told in form.notes(rows)]


def _file_name(table: DeclaredTable) -> str:
    """Return what a judge is called that no row names: the file's name without its ending."""
    return Path(table.table.name).stem if table.inputs else table.table.name


def _form_of(table: DeclaredTable) -> VerdictForm:
    """Recognise the form of a file by its columns."""
    keys = frozenset(table.plain)
    found = next((form for form in FORMS if form.fits(keys)), None)
    if found is None:
        raise FileFormatError(
            f"{table.place}: found the columns {listed(sorted(keys))}; expected pair, order and "
            "verdict (first, second, tie) or winner (a, b, tie), or verdicts as FastChat, AlpacaEval, "
            "Arena-Hard or JudgeBench write them"
        )
    return found


_PLACES = {A: 0, B: 1, TIE: 2}
MANY_JUDGES, MIN_PAIRS = 4, 8


@dataclass(frozen=True, slots=True)
class RecordedVotes:
    """Every judge's votes, pair by pair."""

    judges: Mapping[str, tuple[PairVotes, ...]]
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()
    readings: tuple[StoredReading, ...] = ()
    """What was read in verdicts that are replies."""
    left_out: tuple[LeftOutCell, ...] = ()
    """Cells that could not be read."""


def read_votes(
    sources: Sequence[DeclaredTable], *, people: Sequence[DeclaredTable] = (), judge: str | None = None
) -> RecordedVotes:
    """Join recorded verdicts by judge and pair."""
    table: dict[str, dict[str, _Tally]] = {}
    said: list[Ballot] = []
    warnings = [text for source in (*sources, *people) for text in source.table.warnings]
    for source in sources:
        ballots, told = read_ballots(source, _file_name(source) if judge is None else judge)
        warnings += told
        ballots = _of_judge(ballots, judge)
        said += [ballot for ballot in ballots if ballot.said]
        for ballot in ballots:
            table.setdefault(ballot.judge, {}).setdefault(ballot.pair, _Tally(ballot)).add(ballot)
    human = _verdicts_of_people(people)
    left = [source.left_out() for source in (*sources, *people)]
    warnings = [*(text for _, told in left for text in told), *warnings]
    known = {pair for pairs in table.values() for pair in pairs}
    if human and not known & human.keys():
        raise FileFormatError(
            f"no verdict of people is about a pair that was judged (theirs: {min(human)!r}, judged: "
            f"{min(known)!r}); pairs join by their names, or by question, turn and models"
        )
    if human.keys() - known:
        warnings.append(f"{len(human.keys() - known)} pairs that people judged have no vote of a judge")
    joined = _one_per_model(table)
    warnings += [
        f"{name}: verdicts under {', '.join(prompts)} are about different pairs and count as one judge"
        for name, (prompts, _) in joined.items()
        if len(prompts) > 1
    ]
    warnings += _many_judges(joined)
    judges = {
        name: tuple(tally.votes(human.get(pair)) for pair, tally in sorted(pairs.items()))
        for name, (_, pairs) in joined.items()
    }
    place = ", ".join(source.table.name for source in sources[:3])
    refuse_more(
        len(judges), JUDGES, "judges", place, "score them in several files, or check the column of judges"
    )
    n_pairs = sum(map(len, judges.values()))
    refuse_more(n_pairs, JUDGED_PAIRS, "pairs", place, "score a random part of them, or one judge at a time")
    inputs = tuple(item for source in (*sources, *people) for item in source.inputs)
    cells = tuple(one for found, _ in left for one in found)
    return RecordedVotes(judges, inputs, tuple(warnings), tuple(_stored_verdicts(said)), cells)


def _of_judge(ballots: list[Ballot], judge: str | None) -> list[Ballot]:
    """Return the ballots of the judge that was asked for; all where none was."""
    if judge is None:
        return ballots
    own = [one for one in ballots if judge in (one.judge, one.judge.partition(PROMPT)[0])]
    if ballots and not own:
        names = sorted({one.judge.replace(PROMPT, " ") for one in ballots})
        raise OptionError(f"no verdict is of the judge {judge!r}; the table has {listed(names)}")
    return own


def _stored_verdicts(ballots: Sequence[Ballot]) -> Iterator[StoredReading]:
    """Return what was read in each reply, under its judge, pair and order; nothing of codes alone."""
    if not any(is_reply(ballot.said) for ballot in ballots):
        return
    counts: Counter[tuple[str, str, str]] = Counter()
    several = len({ballot.judge for ballot in ballots}) > 1
    for ballot in ballots:
        place = (ballot.judge, ballot.pair, ballot.order)
        pair = f"{ballot.judge}: {ballot.pair}".replace(PROMPT, " ") if several else ballot.pair
        yield stored_verdict(trial_name(pair, ballot.order or "unordered", counts[place]), ballot.said)
        counts[place] += 1


def _many_judges(joined: Mapping[str, tuple[list[str], Mapping[str, "_Tally"]]]) -> list[str]:
    """Say that judges with a few pairs each are probably people."""
    most = max((len(pairs) for _, pairs in joined.values()), default=0)
    if len(joined) < MANY_JUDGES or most >= MIN_PAIRS:
        return []
    return [
        f"{len(joined)} judges, none with {MIN_PAIRS} pairs, which an interval needs: if they are people, "
        "give this file as --people beside the verdicts of a judge"
    ]


def _one_per_model(
    table: Mapping[str, dict[str, "_Tally"]],
) -> dict[str, tuple[list[str], dict[str, "_Tally"]]]:
    """Join a model's prompts where each was used for other pairs, as FastChat does for turns and subjects."""
    # Prompts that were used for the same pairs are judges of their own.
    prompts: dict[str, list[str]] = {}
    for name in table:
        prompts.setdefault(name.partition(PROMPT)[0], []).append(name)
    found: dict[str, tuple[list[str], dict[str, _Tally]]] = {}
    for model, names in prompts.items():
        pairs = [pair for name in names for pair in table[name]]
        if len(names) > 1 and len(set(pairs)) == len(pairs):
            used = [name.partition(PROMPT)[2] for name in names]
            found[model] = (used, {pair: tally for name in names for pair, tally in table[name].items()})
        else:
            found |= {name.replace(PROMPT, " "): ([""], table[name]) for name in names}
    return found


def _verdicts_of_people(sources: Sequence[DeclaredTable]) -> dict[str, "_Tally"]:
    found: dict[str, _Tally] = {}
    for source in sources:
        for ballot in read_ballots(source, "")[0]:
            found.setdefault(ballot.pair, _Tally(ballot)).add(ballot)
    return found


@dataclass(slots=True)
class _Tally:
    """The votes on one pair, while they are counted."""

    first: Ballot
    counts: dict[str, list[int]] = field(default_factory=dict)
    human: list[int] | None = None
    lengths: tuple[float | None, float | None] = (None, None)
    labelled: bool = False

    def add(self, ballot: Ballot) -> None:
        """Count one ballot; people's verdicts on a pair are repeated in every row and counted once."""
        kept = self.counts.setdefault(ballot.order, [0, 0, 0, 0])
        if ballot.verdict is not None:
            kept[3 if ballot.verdict == UNREADABLE else _PLACES[ballot.verdict]] += 1
        if ballot.length_a is not None and ballot.length_b is not None:
            self.lengths = (ballot.length_a, ballot.length_b)
        if ballot.human and self.human is None:
            self.human = [sum(verdict == one for verdict in ballot.human) for one in (A, B, TIE)]
            self.labelled = ballot.labelled

    def votes(self, people: "_Tally | None") -> PairVotes:
        """Return the counts of one pair."""
        lost = tuple(self._of(order)[3] for order in (AB, BA, ""))
        human = tuple(self.human) if self.human is not None else NONE
        lengths = self.lengths
        if people is not None:
            human = people.total
            lengths = lengths if lengths[0] is not None else people.lengths
        one = self.first
        found = PairVotes(
            one.pair,
            self._three(AB),
            self._three(BA),
            self._three(""),
            (lost[0], lost[1], lost[2]),
            (human[0], human[1], human[2]),
            lengths[0],
            lengths[1],
        )
        labelled = self.labelled and people is None
        return replace(
            found, model_a=one.model_a, model_b=one.model_b, cluster=one.cluster, labelled=labelled
        )

    @property
    def total(self) -> Counts:
        """Verdicts whatever the order."""
        sums = [sum(self._of(order)[i] for order in (AB, BA, "")) for i in range(3)]
        return (sums[0], sums[1], sums[2])

    def _of(self, order: str) -> list[int]:
        return self.counts.get(order, [0, 0, 0, 0])

    def _three(self, order: str) -> Counts:
        kept = self._of(order)
        return (kept[0], kept[1], kept[2])
