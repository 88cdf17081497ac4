"""The people behind measured effects, one row per answer: so that one half of them can predict the other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from concord.errors import InputError
from concord.files.columns import read_columns
from concord.files.declared import DeclaredTable, TableColumn
from concord.files.tables import TableOptions, TableSource
from concord.people.mixed.table import ANSWER, ARM, OUTCOME, PERSON
from concord.people.predictions.table import EffectPair, Prediction
from concord.people.table.columns import CONTROLS
from concord.records import InputFile
from concord.stats.elementwise import Floats

FEWEST = 4
"""People of a condition below which halves have no standard error."""
N_SPLITS = 20
"""Random splits whose numbers are averaged: one split alone depends on chance."""


@dataclass(frozen=True, slots=True, eq=False)
class Respondents:
    """Answers of people by what they were shown."""

    cells: Mapping[tuple[str, str, str], tuple[Floats, NDArray[np.intp]]]
    """Answers and persons, by study, outcome and condition."""
    n_persons: int
    inputs: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class HalfEffect:
    """One effect, and where the answers of both groups are."""

    pair: EffectPair
    treated: tuple[str, str, str]
    control: tuple[str, str, str]


def read_respondents(
    source: TableSource, pairs: Sequence[EffectPair], options: TableOptions | None = None
) -> Respondents:
    """Read a table of people's answers."""
    only = {what: {getattr(pair, what) for pair in pairs} for what in ("study", "outcome")}
    how = TableOptions() if options is None else options
    answer = replace(ANSWER, name="answer", others=("human", *ANSWER.others[2:]), what="")
    condition = replace(ARM, name="condition", others=("arm", "treatment"), required=True)
    needed = [replace(one, required=len(only[one.name]) > 1) for one in (TableColumn("study"), OUTCOME)]
    table = DeclaredTable(read_columns(source, how), (answer, condition, *needed, PERSON), how)
    answers = table.numbers("answer")
    left_out, told = table.left_out()
    names = {
        what: np.array(["" if one is None else one for one in table.values(what)], dtype=object)
        for what in table.titles
        if what != "answer"
    }
    for what, values in only.items():
        names.setdefault(what, np.full(answers.size, next(iter(values)), dtype=object))
    persons = np.unique(names["person"].astype(str), return_inverse=True)[1] if "person" in names else None
    there = ~np.isnan(answers)
    left = int((~there).sum()) - len(left_out)
    who = np.arange(answers.size) if persons is None else persons
    return Respondents(
        _by_cell(names, answers, who, there),
        int(np.unique(who[there]).size),
        table.table.inputs,
        (
            *told, *table.table.warnings,
            *((f"{table.place}: {left} rows have no answer and are left out",) if left else ()),
        ),
    )  # fmt: skip


def _by_cell(
    names: Mapping[str, NDArray[np.object_]], answers: Floats, who: NDArray[np.intp], there: NDArray[np.bool_]
) -> dict[tuple[str, str, str], tuple[Floats, NDArray[np.intp]]]:
    keys = list(zip(names["study"], names["outcome"], names["condition"], strict=True))
    rows: dict[tuple[str, str, str], list[int]] = {}
    for i in np.flatnonzero(there):
        rows.setdefault(keys[i], []).append(int(i))
    return {key: (answers[found], who[found]) for key, found in rows.items()}


def effects_of(people: Respondents, pairs: Sequence[EffectPair]) -> list[HalfEffect]:
    """Return the effects whose treated and control groups are both among the answers."""
    # The control group is the one that the effect names, else the condition called control, baseline or
    # placebo.
    made = []
    for pair in pairs:
        own = [key for key in people.cells if key[:2] == (pair.study, pair.outcome)]
        control = next(
            (key for key in own if key[2] == pair.control or key[2].casefold() in CONTROLS),
            None,
        )
        if control is None or pair.key not in people.cells:
            continue
        if min(people.cells[key][0].size for key in (pair.key, control)) >= FEWEST:
            made.append(HalfEffect(pair, pair.key, control))
    if not made:
        raise InputError(
            "no effect has its condition and its control group among the people's answers: name them as in "
            "the table of effects, and the control group in its column 'control' (or call it 'control')"
        )
    return made


def random_half(people: Respondents, rng: np.random.Generator) -> NDArray[np.bool_]:
    """Draw half of the persons, of every condition's persons about half, so that no half is without it."""
    n = 1 + max(int(who.max()) for _, who in people.cells.values())
    first, known = np.zeros(n, dtype=bool), np.zeros(n, dtype=bool)
    for _, who in people.cells.values():
        new = rng.permutation(np.unique(who[~known[who]]))
        first[new[: (new.size + int(rng.integers(2))) // 2]] = True
        known[new] = True
    return first


def half_effects(
    people: Respondents, effects: Sequence[HalfEffect], rng: np.random.Generator
) -> tuple[list[EffectPair], list[Prediction]] | None:
    """Draw one random half of the persons: their effects as predictions, those of the others as people's."""
    first = random_half(people, rng)
    pairs, predictions = [], []
    for one in effects:
        sides = []
        for half in (False, True):
            groups = (people.cells[key] for key in (one.treated, one.control))
            cells = [values[first[who] == half] for values, who in groups]
            if min(cell.size for cell in cells) < 2:
                return None
            sides.append(_difference_of(cells[0], cells[1], one.pair.per_unit))
        (h, se, n_h, common), (a, e, n_a, _) = sides
        if se <= 0:
            return None
        pairs.append(_as_pair(one.pair, h, se, n_h, common))
        predictions.append(Prediction(a, e, n_a))
    return pairs, predictions


def _difference_of(treated: Floats, control: Floats, factor: float) -> tuple[float, float, float, float]:
    """Return a difference of means, its standard error (Welch), the people behind it, that of the control."""
    parts = [float(cell.var(ddof=1)) / cell.size for cell in (treated, control)]
    value = factor * float(treated.mean() - control.mean())
    n = float(treated.size + control.size)
    return value, factor * float(np.sqrt(sum(parts))), n, factor * float(np.sqrt(parts[1]))


def _as_pair(pair: EffectPair, estimate: float, se: float, n: float, common: float) -> EffectPair:
    return EffectPair(
        *pair.key, estimate, se, pair.row, n if pair.n is not None else None, pair.sd, pair.sd_is_supposed,
        pair.control, common if pair.control_se is not None and common < se else None, pair.per_unit,
    )  # fmt: skip
