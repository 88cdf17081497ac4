"""One model under two conditions (`compare TABLE --by COLUMN`): paired shifts, and their difference.

Each item has a shift under each condition: answers that follow a hint with it minus without it (influence,
items whose hint is wrong), right answers after reasoning minus without (gap), answers that change with the
arrangement (flips), or right answers (accuracy). The difference of shifts is taken item by item; tasks are
clusters (CR2, Bell and McCaffrey's degrees of freedom).
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from concord.errors import FileFormatError, OptionError, TableError, listed
from concord.files import cells
from concord.files.columns import ColumnTable, read_columns
from concord.files.declared import DeclaredTable, TableColumn, named_column
from concord.files.documents import provenance
from concord.files.grids import names_of, plain_title
from concord.files.keys import CONTEXT, REPEATS
from concord.files.missing import NO_OPTION, is_no_option
from concord.files.tables import TableOptions
from concord.files.text import vocabulary
from concord.kinds import FILE, PAGE, PAPER, TERMINAL, Column, Kind, Table
from concord.number_words import interval_words, number
from concord.reasoning import NAME as REASONING
from concord.records import Estimate, InputFile
from concord.stats.compare import Choices, compare_items, mean_estimate
from concord.stats.elementwise import or_nan, or_none
from concord.stats.multiple import differs, holm
from concord.words import say, sentence_of

if TYPE_CHECKING:
    import polars as pl

METRICS = ("influence", "gap", "flips", "accuracy")
_WORDS = {
    "influence": "answers that follow a wrong hint, with it minus without,",
    "gap": "right answers after reasoning minus without",
    "flips": "answers that change with the arrangement",
    "accuracy": "right answers",
    "accuracy shift": "right answers with a wrong hint minus without",
}
_UNHINTED = frozenset(vocabulary()["unhinted"].split())
_DIRECT = frozenset(vocabulary()["modes"]["direct"].split())
_SHARES = frozenset(("flips", "accuracy"))
"""Metrics that are shares, not differences: they have no sign."""
_MOST_SAID = 4
_MOST_VALUES = 40
"""Values of a column that may divide a table; of more it is no condition."""


@dataclass(frozen=True, slots=True)
class ConditionShift:
    """One metric of a model under two conditions."""

    of: str
    """The model, and what else divides the table."""
    metric: str
    first: str
    second: str
    first_value: Estimate
    second_value: Estimate
    difference: Estimate
    """First minus second, item by item."""
    p_value: float | None
    p_holm: float | None
    n_clusters: int


_SIDE = {"value": "value", "low": "low", "high": "high"}
SHIFTS = Table(
    "shifts",
    rows=lambda result: result.shifts,
    title=lambda result: f"Under each {result.by}, and the difference{result.pair_title()}",
    file="conditions.csv",
    columns=(
        Column("of", title="model", words=True, optional=True),
        Column("metric", words=True),
        Column("first", words=True, on=(FILE, PAGE)),
        Column("second", words=True, on=(FILE, PAGE)),
        Column("first_value", title="under the first", sign=True,
               spread={f"first_{name}": part for name, part in _SIDE.items()}),
        Column("second_value", title="under the second", sign=True,
               spread={f"second_{name}": part for name, part in _SIDE.items()}),
        Column("difference", sign=True,
               spread={**_SIDE, "n": "n", "n_left_out": "n_left_out", "note": "note"}),
        Column("p_value", title="p", p=True),
        Column("p_holm", title="Holm", p=True),
        Column("n", lambda row: row.difference.n, "items", count=True, on=(TERMINAL, PAGE, PAPER)),
        Column("n_clusters", title="clusters", count=True),
    ),
)  # fmt: skip


@dataclass(frozen=True, slots=True, repr=False)
class ConditionsResult(Kind):
    """Models under two conditions each."""

    FORMAT, FILE, KEY = "comparison of conditions", "conditions.json", "shifts"
    QUESTION = REASONING  # where most are, and where the page shows them
    SECTION, HEADING, ASKS = "conditions", "Conditions of one model", "Does the condition change it?"
    TABLES = (SHIFTS,)
    UNSHOWN = frozenset({"level"})

    by: str
    shifts: tuple[ConditionShift, ...]
    clusters: str
    """What the clusters are; empty: items."""
    level: float
    warnings: tuple[str, ...] = ()
    inputs: tuple[InputFile, ...] = ()

    def differ(self, one: ConditionShift) -> bool:
        """Whether a difference is claimed, after Holm and by its interval."""
        return differs(one.p_holm, one.difference.interval, level=self.level)

    def pair_title(self) -> str:
        """Return which conditions are compared, where they are two."""
        pairs = {(one.first, one.second) for one in self.shifts}
        return ": {} − {}".format(*next(iter(pairs))) if len(pairs) == 1 else ""

    def sentences(self) -> Sequence[str]:
        """Return what each condition does to the first metric, and whether they differ."""
        rows = [one for one in self.shifts if one.metric == self.shifts[0].metric]
        rows.sort(key=lambda one: 2.0 if one.p_value is None else one.p_value)
        more = len(rows) - _MOST_SAID
        return [
            *map(self._said, rows[:_MOST_SAID]),
            *([say("compare.conditions.more", n=more)] if more > 0 else []),
        ]

    def _said(self, one: ConditionShift) -> str:
        signed = one.metric not in _SHARES
        sides = say(
            "compare.conditions.sides",
            who=one.of,
            what=_WORDS.get(one.metric, one.metric),
            by=self.by,
            first=_with_interval(one.first_value, signed),
            first_name=str(one.first),
            second=_with_interval(one.second_value, signed),
            second_name=str(one.second),
        )
        if one.difference.value is None:
            return sentence_of(say("compare.conditions.unknown", sides=sides, why=one.difference.note))
        differ = "differ" if self.differ(one) else "alike"
        difference = _with_interval(one.difference)
        return sentence_of(say(f"compare.shift.{differ}", sides=sides, difference=difference, p=one.p_value))

    def notes(self) -> Sequence[str]:
        """Return what is independent, and how the table was read."""
        over = f"{self.clusters}s" if self.clusters else "items"
        return [say("compare.conditions.over", level=self.level, clusters=over), *self.warnings]

    def who(self) -> Sequence[str]:
        """Return the models."""
        return list(dict.fromkeys(one.of for one in self.shifts if one.of))

    def paragraph(self, concord: str) -> str:
        """Return how it was made, for a paper."""
        clusters = f"{self.clusters}s" if self.clusters else "items"
        return say("compare.conditions.method", by=self.by, concord=concord, clusters=clusters)

    def document(self) -> dict[str, Any]:
        """Return what ``--json`` prints."""
        return {**Kind.document(self), **provenance(self.inputs)}


def _with_interval(one: Estimate, sign: bool = True) -> str:
    ends = "" if one.interval is None else f" ({interval_words(one.interval, 2, sign=sign)})"
    return f"{number(one.value, 2, sign=sign)}{ends}"


def compare_conditions(
    source: Any,
    by: str,
    *,
    options: TableOptions,
    choices: Choices,
    metric: str | None = None,
    cluster: str | None = None,
) -> ConditionsResult:
    """Compare the conditions that a column of a table names."""
    if metric is not None and metric not in METRICS:
        raise OptionError(f"no metric {metric!r} of conditions; expected one of {', '.join(METRICS)}")
    table = read_columns(source, options)
    roles, frame, used, notes = _under_roles(table, by, cluster)
    strata = _strata(frame, used)
    shifts: list[ConditionShift] = []
    for key, part in _divided(frame, strata):
        of = " · ".join(str(value) if name == "model" else f"{name} {value}" for name, value in key.items())
        for name, values in _metrics_of(part, roles, metric):
            shifts += _condition_pairs(of, name, values, choices)
    if not shifts:
        raise FileFormatError(
            f"{table.name}: no item has answers under two values of {by!r}; a table needs an item, an answer "
            "or a score under each, and what is right (gold) or what a hint points at (target)"
        )
    adjusted = tuple(_adjusted(shifts))
    clustered = roles.get("cluster", "")
    warnings = (*table.warnings, *notes)
    return ConditionsResult(by, adjusted, clustered, choices.level, warnings, table.inputs)


def _adjusted(shifts: Sequence[ConditionShift]) -> Iterator[ConditionShift]:
    """Adjust by Holm, each metric a family of its own."""
    p = {
        name: iter(holm([or_nan(one.p_value) for one in shifts if one.metric == name]).tolist())
        for name in {one.metric for one in shifts}
    }
    for one in shifts:
        yield replace(one, p_holm=or_none(next(p[one.metric])))


_HINTS = names_of("hints")
_ROLES: Mapping[str, Sequence[str]] = {
    "cluster": ("cluster", "family", *CONTEXT),
    "item": _HINTS["id"],
    "context": ("context", *_HINTS["kind"]),
    "target": _HINTS["target"],
    "mode": (REASONING, "cot", "mode"),
    "arrangement": names_of("options")["arrangement"],
    "gold": ("gold", "correct_answer", "gold_answer", "ground_truth", "right", "label"),
    "score": (*names_of("scores")["score"], "score", "is_correct"),
    "answer": _HINTS["answer"],
}
"""What the columns of a table of conditions hold."""


def _under_roles(
    table: ColumnTable, by: str, cluster: str | None
) -> tuple[dict[str, str], "pl.DataFrame", dict[str, str], list[str]]:
    """Return roles by title, all cells as text under them, columns that may divide the table, and notes."""
    import polars as pl

    named = {"by": by} if cluster is None else {"by": by, "cluster": cluster}
    given = {role: named_column(table.name, table.header, one) for role, one in named.items()}
    columns = [
        TableColumn(role, tuple(names), cells.grade if role == "score" else cells.name)
        for role, names in _ROLES.items()
    ]
    declared = DeclaredTable(table, columns, table.options, titles=given)
    roles = declared.titles
    if "item" not in roles or not {"answer", "score"} & set(roles):
        raise FileFormatError(
            f"{table.name}: conditions need a column of items (item, id) and one of answers or "
            f"scores; found {listed(table.header)}"
        )
    others = {
        plain_title(title): title
        for title in table.header
        if title not in roles.values() and plain_title(title) not in REPEATS
    }
    frame = table.take([*roles.values(), *others.values()])
    text = [pl.col(title).cast(pl.String).alias(f"@{role}") for role, title in roles.items()]
    text += [pl.col(title).cast(pl.String).alias(plain) for plain, title in others.items()]
    frame = frame.select(text)
    if "score" in roles:
        frame = frame.with_columns(pl.Series("@score", declared.numbers("score"), nan_to_null=True))
    if declared.problems:
        raise TableError(declared.problems)
    if "answer" in roles:
        said = frame["@answer"].unique().drop_nulls().to_list()
        held = [
            frame[one].unique().drop_nulls().to_list() for one in ("@target", "@gold") if one in frame.columns
        ]
        places = [cells.number_or_none(one) for own in held for one in own]
        none = [one for one in said if declared.is_missing(one)]
        if places and None not in places and is_no_option(map(cells.number_or_none, said), places):
            codes = [one for one in said if cells.number_or_none(one) == NO_OPTION]
            declared.notes[say("hints.table.no_option", n=frame["@answer"].is_in(codes).sum())] = None
            none += codes
        frame = frame.with_columns(pl.col("@answer").replace(none, [None] * len(none)))
    if "@cluster" in frame.columns:  # items are often numbered anew under each task
        frame = frame.with_columns((pl.col("@cluster") + " " + pl.col("@item")).alias("@item"))
    return roles, frame, others, list(declared.notes)


def _strata(frame: "pl.DataFrame", others: Mapping[str, str]) -> list[str]:
    """Return the columns that divide the table: they vary within an item under one condition."""
    known = [
        name for name in frame.columns if name.startswith("@") and name not in ("@answer", "@score", "@gold")
    ]
    found = []
    for name in others:
        values = frame[name].n_unique()
        if (
            1 < values <= _MOST_VALUES
            and frame.group_by(known).n_unique()[name].max() != 1
            or name == "model"
            and values > 1
        ):
            found.append(name)
    return found


def _divided(frame: "pl.DataFrame", strata: Sequence[str]) -> Iterator[tuple[dict[str, str], "pl.DataFrame"]]:
    ordered = sorted(strata, key=lambda name: name != "model")
    if not ordered:
        yield {}, frame
        return
    for key, part in frame.group_by(ordered, maintain_order=True):
        yield dict(zip(ordered, map(str, key), strict=True)), part


@dataclass(frozen=True, slots=True, eq=False)
class _ItemValues:
    """One value per item and condition; NaN where it is missing."""

    conditions: tuple[str, ...]
    values: Any
    """Conditions by items."""
    clusters: Any


def _metrics_of(
    part: "pl.DataFrame", roles: Mapping[str, str], metric: str | None
) -> Iterator[tuple[str, _ItemValues]]:
    """Yield each metric that the columns allow."""
    import polars as pl

    scores = _right(part, roles)
    right = None if scores is None else pl.col("@right")
    part = part if scores is None else part.with_columns(scores.alias("@right"))
    if "target" in roles and _split(part, "@context", _UNHINTED) is not None:
        wrong = part if "gold" not in roles else part.filter(pl.col("@gold") != pl.col("@target"))
        signs = _split(wrong, "@context", _UNHINTED)
        follows = (pl.col("@answer") == pl.col("@target")).cast(pl.Float64) if "answer" in roles else None
        for name, value in (("influence", follows), ("accuracy shift", right)):
            if value is not None and signs is not None and metric in (None, name.partition(" ")[0]):
                yield name, _shift(wrong.with_columns(v=value), signs)
        return
    thought = _split(part, "@mode", _DIRECT)
    if thought is not None and right is not None and metric in (None, "gap"):
        yield "gap", _shift(part.with_columns(v=right), thought)
    ends = pl.col("@answer") if "answer" in roles else right
    if "arrangement" in roles and ends is not None and metric in (None, "flips"):
        yield "flips", _laid_out(_flips(part.with_columns(v=ends)))
    if right is not None and metric in (None, "accuracy"):
        yield "accuracy", _laid_out(part.with_columns(v=right))


def _right(part: "pl.DataFrame", roles: Mapping[str, str]) -> Any:
    """Return whether an answer is right: as given, or the answer that is gold; missing ones are none."""
    import polars as pl

    if "score" in roles:
        return part["@score"]
    if {"answer", "gold"} <= set(roles):
        return (part["@answer"] == part["@gold"]).cast(pl.Float64)
    return None


def _split(part: "pl.DataFrame", column: str, without: frozenset[str]) -> Any:
    """Return +1 for rows with the hint (or reasoning) and -1 without; None where nothing is divided."""
    if column not in part.columns:
        return None
    words = [plain_title(one).replace("_", "") if one is not None else "" for one in part[column].to_list()]
    signs = np.array([-1.0 if one in without else 1.0 for one in words])
    return signs if len(set(signs.tolist())) == 2 else None


def _shift(part: "pl.DataFrame", signs: Any) -> _ItemValues:
    """Return with minus without, item by item and condition by condition."""
    import polars as pl

    sided = part.with_columns(side=pl.Series(signs, dtype=pl.Float64))
    keys = [name for name in ("@cluster", "@item", "@by") if name in part.columns]
    means = sided.group_by([*keys, "side"], maintain_order=True).agg(pl.col("v").mean())
    both = means.group_by(keys, maintain_order=True).agg(
        n=pl.col("v").count(), v=(pl.col("v") * pl.col("side")).sum()
    )
    return _laid_out(both.with_columns(v=pl.when(pl.col("n") == 2).then(pl.col("v"))))


def _flips(part: "pl.DataFrame") -> "pl.DataFrame":
    """Return the share of pairs of arrangements of an item that end differently."""
    import polars as pl

    keys = [name for name in ("@cluster", "@item", "@by") if name in part.columns]
    first = part.group_by([*keys, "@arrangement"], maintain_order=True).agg(pl.col("v").drop_nulls().first())
    rows = []
    for key, group in first.group_by(keys, maintain_order=True):
        known = group["v"].drop_nulls().to_list()
        pairs = [one != other for one, other in combinations(known, 2)]
        rows.append((*key, float(np.mean(pairs)) if pairs else None))
    return pl.DataFrame(rows, schema=[*((name, pl.String) for name in keys), ("v", pl.Float64)], orient="row")


def _laid_out(part: "pl.DataFrame") -> _ItemValues:
    """Lay the means of items out as conditions by items."""
    import polars as pl

    conditions = tuple(
        str(one) for one in part["@by"].unique(maintain_order=True).to_list() if one is not None
    )
    items = part["@item"].unique(maintain_order=True)
    place = {item: i for i, item in enumerate(items.to_list())}
    values = np.full((len(conditions), len(place)), np.nan)
    keys = ["@item", "@by"]
    for item, by, value in part.group_by(keys).agg(pl.col("v").mean()).iter_rows():
        if by is not None and value is not None:
            values[conditions.index(str(by)), place[item]] = value
    clusters = None
    if "@cluster" in part.columns:
        known = dict(part.select("@item", "@cluster").iter_rows())
        clusters = np.array([str(known[item]) for item in place])
    return _ItemValues(conditions, values, clusters)


def _condition_pairs(of: str, metric: str, found: _ItemValues, choices: Choices) -> Iterator[ConditionShift]:
    """Compare every pair of conditions on the items that both have."""
    plain = replace(choices, test="t")
    for i, j in combinations(range(len(found.conditions)), 2):
        first, second = found.values[i], found.values[j]
        both = ~(np.isnan(first) | np.isnan(second))
        if not both.any():
            continue
        clusters = None if found.clusters is None else found.clusters[both]
        one = compare_items(first[both], second[both], clusters, choices=plain)
        sides = [mean_estimate(x[both], clusters, level=choices.level) for x in (first, second)]
        lost = replace(one.difference, n_left_out=int((~both).sum()))
        yield ConditionShift(
            of, metric, found.conditions[i], found.conditions[j], sides[0], sides[1], lost, one.p_value, None,
            one.n_clusters,
        )  # fmt: skip
