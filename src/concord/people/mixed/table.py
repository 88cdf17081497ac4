"""Two tables to what is combined: people with answers and predictions, and further predictions."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy import special

from concord.errors import FileFormatError
from concord.files.columns import ColumnTable, options_of_each
from concord.files.declared import DeclaredTable, TableColumn, columns_of, flag
from concord.files.grids import plain_title, plain_titles
from concord.files.missing import found_codes
from concord.files.tables import TableOptions, TableSource
from concord.number_words import number, p_words
from concord.people.answers.surveys import survey_table
from concord.people.table.by_side import by_side
from concord.records import InputFile, LeftOutCell
from concord.stats.elementwise import Floats

ANSWER, PREDICTION, ARM, OUTCOME, WEIGHT, PERSON = columns_of(
    "mixed",
    dict.fromkeys(("human", "prediction", "weight"), flag),
    required=("human", "prediction"),
    what={"human": "people's answers", "prediction": "predictions"},
)
_GROUP = ARM.others[-1]
"""The title of arms that may also be one of groups of people."""
_UNIQUE = 0.9
"""Share of rows that no other row equals from which on an equal row elsewhere is the same person."""


UNLIKE = 0.1
"""Standardised difference of predictions between the two tables that is warned of, where it is no chance."""
Weighted = tuple[Floats, Floats | None]
"""Values and their sampling weights."""
_BY_CHANCE = 1e-6
"""Probability below which rows in the same order are no chance."""


@dataclass(frozen=True, slots=True, eq=False)
class MixedRows:
    """Rows of one table."""

    outcome: tuple[str, ...]
    arm: tuple[str, ...]
    prediction: Floats
    answer: Floats | None
    """Of people; ``None`` in the table of further predictions."""
    weight: Floats | None
    covariates: Floats
    """One column per name asked for."""
    n_left_out: int = 0
    """Rows that lack an answer, a prediction or a covariate."""
    cluster: tuple[str, ...] | None = None
    """What was drawn together: the cluster asked for, or a person who is there more than once."""
    stratum: tuple[str, ...] | None = None
    person: tuple[str, ...] | None = None

    def chosen(self, outcome: str) -> "MixedRows":
        """Return the rows of an outcome."""
        return self.at([i for i, one in enumerate(self.outcome) if one == outcome])

    def by_arm(self) -> "dict[str, MixedRows]":
        """Return the rows of every arm, found in one pass."""
        places: dict[str, list[int]] = {}
        for i, arm in enumerate(self.arm):
            places.setdefault(arm, []).append(i)
        return {arm: self.at(found) for arm, found in places.items()}

    def at(self, where: Iterable[int]) -> "MixedRows":
        """Return the rows at some places."""
        where = list(where)
        return MixedRows(
            tuple(self.outcome[i] for i in where),
            tuple(self.arm[i] for i in where),
            self.prediction[where],
            None if self.answer is None else self.answer[where],
            None if self.weight is None else self.weight[where],
            self.covariates[where],
            self.n_left_out,
            *(
                None if labels is None else tuple(labels[i] for i in where)
                for labels in (self.cluster, self.stratum, self.person)
            ),
        )


@dataclass(frozen=True, slots=True, eq=False)
class MixedTables:
    """Both tables."""

    people: MixedRows
    predictions: MixedRows
    covariates: tuple[str, ...] = ()
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()
    left_out: tuple[LeftOutCell, ...] = ()


def read_mixed(
    people: TableSource,
    predictions: TableSource | None,
    *,
    covariates: Sequence[str] = (),
    cluster: str | None = None,
    stratum: str | None = None,
    options: TableOptions | None = None,
    scale: tuple[float, float] | None = None,
) -> MixedTables:
    """Read the table of people and that of further predictions, with what was drawn together or apart.

    Without further predictions, people need none either. On a declared scale no answer is a code for none.
    """
    how = TableOptions() if options is None else options
    designed = {"cluster": cluster, "stratum": stratum}
    further = tuple(
        TableColumn(plain_title(name), (), flag, required=True, what=f"the covariate {name!r}")
        for name in covariates
    )
    common = (*further, WEIGHT, ARM, OUTCOME, PERSON)
    sources = [(people, (ANSWER, replace(PREDICTION, required=predictions is not None), *common))]
    if predictions is not None:
        sources.append((predictions, (replace(ANSWER, required=False), PREDICTION, *common)))
    hows = options_of_each([source for source, _ in sources], how)
    opened = [(survey_table(source, own), columns, own)
              for (source, columns), own in zip(sources, hows, strict=True)]  # fmt: skip
    tables = [DeclaredTable(table, columns, own, _titles_of_sides(table)) for table, columns, own in opened]
    _drop_many_groups(tables)
    told = [note for table in tables for note in table.table.warnings]
    names = [one.name for one in further]
    labels = [_labels_of(table, designed, required=i == 0) for i, table in enumerate(tables)]
    rows = [
        _rows_of_table(table, names, told, found, scale, with_answers=i == 0)
        for i, (table, found) in enumerate(zip(tables, labels, strict=True))
    ]
    if predictions is not None:
        _refuse_same_people(tables)
    left = [table.left_out() for table in tables]
    told = [*(note for _, notes in left for note in notes), *told]
    told += [
        f"{table.place}: {found.n_left_out} rows lack an answer, a prediction or a covariate and are left out"
        for table, found in zip(tables, rows, strict=True)
        if found.n_left_out
    ]
    aside = {plain_title(one) for one in designed.values() if one is not None}
    told += [note for table in tables for note in table.unused(aside)]
    inputs = tuple(item for table in tables for item in table.table.inputs)
    cells = tuple(cell for found, _ in left for cell in found)
    more = rows[1] if predictions is not None else replace(rows[0].at([]), answer=None)
    return MixedTables(rows[0], more, tuple(covariates), inputs, tuple(told), cells)


def _titles_of_sides(table: ColumnTable) -> dict[str, str]:
    """Return the column of predictions where it is called by its model; nothing where several are."""
    if {PREDICTION.name, *PREDICTION.others} & {*plain_titles(table.header)}:
        return {}
    sides = by_side(table.header, {"": (PREDICTION.name, *PREDICTION.others, ANSWER.name, *ANSWER.others)})
    found = [held[""] for held in sides.agents.values() if "" in held]
    return {PREDICTION.name: table.header[found[0]]} if len(found) == 1 and not sides.twice else {}


def _drop_many_groups(tables: Sequence[DeclaredTable]) -> None:
    """Take a column *group* for arms only where people are in two: more of them describe people."""
    title = tables[0].titles.get(ARM.name)
    if title is None or plain_titles([title])[0] != _GROUP:
        return
    if len({one for one in tables[0].values(ARM.name) if one is not None}) != 2:
        for table in tables:
            table.titles.pop(ARM.name, None)
            table.read.pop(ARM.name, None)


def _labels_of(
    table: DeclaredTable, designed: dict[str, str | None], *, required: bool
) -> dict[str, tuple[str, ...] | None]:
    """Return persons, clusters and strata of the rows, as far as the table has them."""
    found: dict[str, tuple[str, ...] | None] = dict.fromkeys(("person", *designed))
    if "person" in table.titles:
        # a row without a name is a person of its own
        found["person"] = tuple(
            f"\0{required}{i}" if one is None else one for i, one in enumerate(table.values("person"))
        )
    for what, name in designed.items():
        if name is None:
            continue
        title = plain_title(name)
        declared = TableColumn(title, required=required, what=f"the {what} {name!r}")
        column = DeclaredTable(table.table, [declared], table.options)
        if not column.titles:
            continue
        values = column.values(title)
        lacking = sum(value is None for value in values)
        if lacking:
            raise FileFormatError(
                f"{table.place}: {lacking} rows have no {what} in the column {name!r}; fill them, or leave "
                "these rows out"
            )
        found[what] = tuple(values)
    return found


def _refuse_same_people(tables: Sequence[DeclaredTable]) -> None:
    """Refuse people who are in both tables: by their names, by the same file, or by rows that are alike."""
    advice = "further predictions must be of other people; leave out those who are in the first table"
    if all("person" in table.titles for table in tables):
        keys = [set(zip(table.values("outcome"), table.values("person"), strict=True)) for table in tables]
        both = [person for _, person in keys[0] & keys[1] if person is not None]
        if both:
            raise FileFormatError(
                f"{tables[1].place}: {len(both)} persons are in {tables[0].place} too, such as {min(both)!r}"
                f"; {advice}"
            )
    same = [name for name in tables[0].titles if name in tables[1].titles]
    rows = [list(zip(*(table.raw(name) for name in same), strict=True)) for table in tables]
    known = Counter(map(repr, rows[0]))
    alone = sum(n == 1 for n in known.values()) >= _UNIQUE * len(rows[0])
    again = sum(repr(row) in known for row in rows[1])
    copied = "human" in same and rows[0] == rows[1][: len(rows[0])]
    if copied or (alone and again) or _copied(rows[0], rows[1], known):
        raise FileFormatError(
            f"{tables[1].place}: {again} rows are rows of {tables[0].place}: the same people cannot count "
            f"twice; {advice}"
        )


def _copied(own: list[Any], more: list[Any], known: Counter[str]) -> bool:
    """Whether people's rows are in the other table in the same order, which chance does not explain."""
    n = len(own)
    starts = [i for i in range(len(more) - n + 1) if more[i] == own[0]] if n else []
    chance = sum(count * np.log(count / n) for count in known.values()) + np.log(max(len(starts), 1))
    if chance > np.log(_BY_CHANCE) or any(own[k:] == own[:-k] for k in range(1, n // 2 + 1)):
        return False  # few rows, or a pattern that goes round
    return any(more[i : i + n] == own for i in starts)


def _leave_out_codes(
    table: DeclaredTable,
    answers: Floats,
    predictions: Floats,
    outcomes: Sequence[str],
    told: list[str],
    scale: tuple[float, float] | None,
) -> None:
    """Take codes such as -99, far off the scale of an outcome, for missing answers; ask about others."""
    where = np.asarray(outcomes)
    for name in dict.fromkeys(outcomes):
        own = where == name
        codes = found_codes(answers[own], predictions[own])
        inside = np.zeros(own.shape, bool) if scale is None else (answers >= scale[0]) & (answers <= scale[1])
        taken, asked = (own & ~inside & np.isin(answers, some) for some in (codes.taken, codes.asked))
        question = codes.asked_words(answers[own])
        answers[taken] = np.nan
        of = f" to {name!r}" if name else ""
        for which, said in ((taken, codes.taken_words), (asked, question)):
            if which.any():
                told.append(f"{table.place}: {which.sum()} answers{of} {said}")


def _rows_of_table(
    table: DeclaredTable,
    covariates: Sequence[str],
    told: list[str],
    labels: dict[str, tuple[str, ...] | None],
    scale: tuple[float, float] | None,
    *,
    with_answers: bool,
) -> MixedRows:
    """Read every row; those that lack a number are counted."""
    wanted = (*(("human",) if with_answers else ()), "prediction", "weight", *covariates)
    numeric = [one for one in wanted if one in table.titles]
    columns = {name: table.numbers(name) for name in numeric}
    n = table.n_rows
    columns.setdefault("prediction", np.zeros(n))
    outcome, arm = (["" if one is None else one for one in table.values(name)] for name in ("outcome", "arm"))
    if "human" in columns:
        _leave_out_codes(table, columns["human"], columns["prediction"], outcome, told, scale)
    made = MixedRows(
        tuple(outcome),
        tuple(arm),
        columns["prediction"],
        columns.get("human"),
        columns.get("weight"),
        np.column_stack([columns[one] for one in covariates]) if covariates else np.empty((n, 0)),
        0,
        labels["cluster"],
        labels["stratum"],
        labels["person"],
    )
    there = ~np.isnan(np.column_stack(list(columns.values()))).any(axis=1)
    unread = {index for index, _ in table.bad}
    return replace(made.at(np.flatnonzero(there)), n_left_out=int((~there).sum()) - len(unread))


def unlike_tables(
    outcome: str, own: MixedRows, more: MixedRows, covariates: Sequence[str], predictions: Sequence[str]
) -> Iterator[str]:
    """Warn where the two tables do not look like samples of one population."""
    where = f"{outcome}: " if outcome else ""
    yield from (f"{where}{words}, which biases the estimate" for words in predictions)
    for i, name in enumerate(covariates):
        words = _other_population(
            name, (own.covariates[:, i], own.weight), (more.covariates[:, i], more.weight)
        )
        yield from (f"{where}{found}, which biases the estimate" for found in words)
    if set(own.arm) != set(more.arm):
        yield f"{where}the two tables do not have the same arms"


def other_predictions(own: MixedRows, more: MixedRows) -> Iterator[str]:
    """Say in which arms predictions of the people are unlike the further ones."""
    samples, others = own.by_arm(), more.by_arm()
    arms = sorted(samples.keys() & others.keys())
    for arm in arms:
        first, second = samples[arm], others[arm]
        name = "predictions" if len(arms) == 1 else f"predictions in {arm!r}"
        yield from _other_population(
            name, (first.prediction, first.weight), (second.prediction, second.weight)
        )


def _other_population(name: str, own: Weighted, more: Weighted) -> Iterator[str]:
    """Say that two samples have other means than one population gives, where it is no chance."""
    if min(own[0].size, more[0].size) < 2 or any(w is not None and not w.any() for _, w in (own, more)):
        return
    (mean, variance, noise), (mean_more, variance_more, noise_more) = map(_moments, (own, more))
    sd, se = float(np.sqrt((variance + variance_more) / 2)), float(np.sqrt(noise + noise_more))
    if sd == 0 or se == 0:
        return
    gap = abs(mean - mean_more)
    p = float(2 * special.ndtr(-gap / se))
    if gap / sd > UNLIKE and p < 0.01:
        yield (
            f"{name} of the people and of the further predictions differ by {number(gap / sd, 2)} SD "
            f"({p_words(p)}): they seem to come from different populations"
        )


def _moments(sample: Weighted) -> tuple[float, float, float]:
    """Return weighted mean and variance, and the variance of that mean, which weights make a ratio."""
    values, weights = sample
    w = np.ones(values.size) if weights is None else weights / weights.mean()
    mean = float((w * values).mean())
    variance = float((w * (values - mean) ** 2).sum() / (values.size - 1))
    return mean, variance, float((w * (values - mean)).var(ddof=1) / values.size)
