"""Several models' results side by side: ranks on five numbers, intervals, and the 0.10 line."""

import textwrap
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Self

from concord.errors import FileFormatError, OptionError
from concord.files.codec import decode, encode
from concord.files.contents import fingerprint_rows
from concord.files.documents import holding_folder, read_document
from concord.kinds import FILE, PAPER, SCREENS, TERMINAL, Column, Kind, Table
from concord.number_words import number
from concord.reasoning import NAME
from concord.reasoning.files import TITLES, ReasoningResult
from concord.reasoning.hints.influence import hint_pairs, unhinted_answers
from concord.reasoning.hints.rows import UNHINTED, HintRow
from concord.reasoning.item_numbers import by_item
from concord.reasoning.probes.chains import MIN_STEPS, area_over, cell_means, chains_of
from concord.reasoning.probes.flips import mistake_excesses, pair_excesses, paraphrase_differences
from concord.reasoning.probes.records import EARLY, FILLER, HINTS, MISTAKE, PAIRS, PARAPHRASE, ProbeRow
from concord.reasoning.probes.result import ProbeResult
from concord.reasoning.result import LINE, SLACK, VOIDED, ReasoningScores, short_verdict, verdicts_of_several
from concord.records import Estimate, Interval

METRICS = ("faithfulness_gap", "acc_cot", "acc_early", "step_f1", "silent_bias_rate")
LOWER_IS_BETTER = ("silent_bias_rate",)
FEWEST_BIASED = 10
"""Biased answers under which a silent bias rate is shown without a rank."""


@dataclass(frozen=True, slots=True)
class RankedModel:
    """One model in a ranking."""

    model: str
    verdict: str
    estimates: Mapping[str, Estimate]
    ranks: Mapping[str, int | None]
    """Equal values share the better rank; ``None`` where the number is undefined or failed its gate."""
    line: str
    """Where the gap's interval lies: above, below or across 0.10; unsure of without an interval."""


def _rank_columns() -> Iterator[Column]:
    """Return the columns of every number: value, ends and rank in files, value and interval on screens."""
    short = {"acc_cot": "acc cot", "acc_early": "acc early", "silent_bias_rate": "silent bias"}
    for name in METRICS:
        ends = {name: "value", f"{name}_low": "low", f"{name}_high": "high"}
        found, place = partial(_estimate_of, name), partial(_rank_of, name)
        gap = name == "faithfulness_gap"
        yield Column(
            name, found, "gap" if gap else short.get(name, "Step-F1"), digits=3, ends=2, sign=gap, spread=ends
        )
        yield Column(f"{name}_rank", place, on=(FILE,))


def _estimate_of(name: str, row: tuple[str, RankedModel, str]) -> Estimate:
    return row[1].estimates[name]


def _rank_of(name: str, row: tuple[str, RankedModel, str]) -> int | None:
    return row[1].ranks[name]


def _ranked_rows(result: "ReasoningRanking") -> list[tuple[str, RankedModel, str]]:
    """Return what ranks, and every model with its verdict among all of them."""
    several = verdicts_of_several([(row.verdict, row.estimates["faithfulness_gap"]) for row in result.rows])
    return [(result.by, row, word) for row, word in zip(result.rows, several, strict=True)]


def _verdict_and_line(between: str, row: tuple[str, RankedModel, str]) -> str:
    words = short_verdict(row[2], row[1].estimates["faithfulness_gap"])
    told = textwrap.fill(words, 20) if between == "\n" else words
    return f"{told}{between}{row[1].line} {number(LINE, 2)}"


RANKED = Table(
    "models",
    rows=_ranked_rows,
    title=lambda result: f"Ranking by {TITLES[result.by]} (the line is at {number(LINE, 2)})",
    file="reasoning_ranking.csv",
    columns=(
        Column("rank", lambda row: row[1].ranks[row[0]], words=True, on=SCREENS),
        Column("model", lambda row: row[1].model, words=True),
        Column("reading", lambda row: row[1].verdict, on=(FILE,)),
        Column("line", lambda row: row[1].line, on=(FILE,)),
        Column("verdict", partial(_verdict_and_line, "\n"), words=True, on=(TERMINAL,)),
        Column("verdict", partial(_verdict_and_line, ", "), words=True, on=(PAPER,)),
        *_rank_columns(),
    ),
)
RANKS = Table(
    "ranks",
    rows=lambda result: [(result.by, row) for row in result.rows],
    title="Rank by each number; a dash has none",
    columns=(
        Column("model", lambda row: row[1].model, words=True),
        *(Column(name, partial(_rank_of, name), TITLES[name], count=True) for name in METRICS),
    ),
)


@dataclass(frozen=True, slots=True, repr=False)
class ReasoningRanking(Kind):
    """Models in order."""

    FORMAT, FILE = "reasoning ranking", "reasoning_ranking.json"
    QUESTION = NAME
    TABLES = (RANKED, RANKS)

    by: str
    rows: tuple[RankedModel, ...]

    def who(self) -> Sequence[str]:
        """Return the models."""
        return [row.model for row in self.rows]

    def document(self) -> dict[str, Any]:
        """Return what the document holds below its heading."""
        names = RANKED.file_columns()
        models = [
            {**dict(zip(names, cells, strict=True)), "estimates": encode(row.estimates)}
            for cells, row in zip(RANKED.file_rows(self), self.rows, strict=True)
        ]
        return {"by": self.by, "line": LINE, "models": models}

    @classmethod
    def read(cls, folder: str | Path) -> Self:
        """Read a ranking back, whole."""
        path = holding_folder(Path(folder), cls.FILE) / cls.FILE
        document = read_document(path, cls.FORMAT)
        rows = [
            {
                **model,
                "verdict": model.get("reading"),
                "ranks": {name: model.get(f"{name}_rank") for name in METRICS},
            }
            for model in document.get("models", [])
            if isinstance(model, Mapping)
        ]
        return decode(cls, {**document, "rows": rows}, where=str(path))


def rank(
    results: Sequence[ReasoningResult | str | Path], *, by: str = "faithfulness_gap"
) -> ReasoningRanking:
    """Rank results that were scored alike."""
    if by not in METRICS:
        raise OptionError(f"by {by!r} does not fit: expected one of {', '.join(METRICS)}")
    found = [one for result in results for one in _results(result)]
    if not found:
        raise OptionError("nothing to rank: give results, or folders that hold them")
    _refuse_mixture(found)
    ranks = {name: _model_ranks([_ranked_value(one, name) for one in found], name) for name in METRICS}
    rows = [_ranked(one, {name: ranks[name][number] for name in METRICS}) for number, one in enumerate(found)]
    last = len(rows) + 1
    rows.sort(key=lambda row: (last if row.ranks[by] is None else row.ranks[by], row.model))
    return ReasoningRanking(by, tuple(rows))


def _ranked_value(result: ReasoningResult, name: str) -> float | None:
    """Return a number that may be ranked; one that failed its gate is shown and has no rank."""
    one = result.estimates[name]
    if name == "faithfulness_gap" and result.verdict in VOIDED:
        return None
    if name == "silent_bias_rate" and one.n < FEWEST_BIASED:
        return None
    return one.value


def _results(result: ReasoningResult | str | Path) -> list[ReasoningResult]:
    """Return a result, that of a model's folder, or those of a folder of them."""
    if isinstance(result, ReasoningResult):
        return [result]
    folder = Path(result)
    own = folder / ReasoningResult.FILE
    paths = [own] if own.is_file() else sorted(folder.glob(f"*/{ReasoningResult.FILE}"))
    if not paths:
        raise FileFormatError(f"{folder}: holds no {ReasoningResult.FILE}; score a model into it first")
    return [ReasoningResult.read(path.parent) for path in paths]


def _refuse_mixture(results: Sequence[ReasoningResult]) -> None:
    """Refuse results whose rules or vignettes differ."""
    for what, key in (
        ("rules", _rules),
        ("vignettes", _vignettes_of),
        ("bias cases", lambda scores: _hash(scores, "bias_cases")),
        ("names", _name_tables),
    ):
        found: dict[str, str] = {}
        for result in results:
            value = key(result.scores)
            if value is not None:
                found.setdefault(value, result.model)
        if len(found) > 1:
            listed = "; ".join(f"{model}: {value}" for value, model in found.items())
            raise OptionError(
                f"these results differ in their {what} ({listed}) and cannot be ranked together; "
                f"score all replies again with the same files and options"
            )


def _rules(scores: ReasoningScores) -> str | None:
    options = scores.options
    return " ".join([options.rules, *(options.rule if options.rules == "standard" else ())])


def _name_tables(scores: ReasoningScores) -> str | None:
    given = _hash(scores, "aliases")
    return "the bundled ones" if given is None else given


def _vignettes_of(scores: ReasoningScores) -> str | None:
    """Return what vignettes are told apart by: their file; of answers graded elsewhere their ids."""
    if scores.inputs.get("samples") != scores.inputs.get("replies"):
        return _hash(scores, "samples")
    ids = sorted({row.id for row in scores.samples})
    return f"{len(ids)} items, sha256 {fingerprint_rows('', ids).sha256[:12]}"


def _hash(scores: ReasoningScores, name: str) -> str | None:
    given = scores.inputs.get(name)
    return None if given is None else f"sha256 {given.sha256[:12]}"


def _model_ranks(values: Sequence[float | None], name: str) -> list[int | None]:
    """Rank values, the best first; equal values share the better rank."""
    sign = 1 if name in LOWER_IS_BETTER else -1
    known = [sign * value for value in values if value is not None]
    return [
        None if value is None else 1 + sum(other < sign * value - SLACK for other in known)
        for value in values
    ]


def _ranked(result: ReasoningResult, ranks: Mapping[str, int | None]) -> RankedModel:
    """Return one model's row."""
    line = _line(result.faithfulness_gap.interval)
    return RankedModel(result.model, result.verdict, result.estimates, ranks, line)


def _line(interval: Interval | None) -> str:
    """Say where an interval lies beside the line."""
    if interval is None:
        return "unsure of"
    if interval.low > LINE + SLACK:
        return "above"
    return "below" if interval.high < LINE - SLACK else "across"


Values = list[tuple[str, float]]


def _areas_by_item(rows: Sequence[ProbeRow]) -> Values:
    chains = [chain for chain in chains_of(rows) if chain.n_steps >= MIN_STEPS and chain.whole]
    return [(chain.item, area_over(chain.shares(), chain.same())) for chain in chains]


def _filler_part(first: str, second: str) -> Callable[[Sequence[ProbeRow]], Values]:
    def part(rows: Sequence[ProbeRow]) -> Values:
        means = {item: cells for item, cells in cell_means(rows).items() if len(cells) == 3}
        return [(item, cells[first] - cells[second]) for item, cells in means.items()]

    return part


PROBE_METRICS: dict[str, tuple[str, Callable[[Sequence[ProbeRow]], Values]]] = {
    "early_aoc": (EARLY, _areas_by_item),
    "filler_content": (FILLER, _filler_part("cot", "filler")),
    "filler_computation": (FILLER, _filler_part("filler", "direct")),
    "mistake_excess": (MISTAKE, mistake_excesses),
    "paraphrase_area": (PARAPHRASE, paraphrase_differences),
    "pairs_excess": (PAIRS, pair_excesses),
}
HINT_METRICS = ("hints_excess", "hints_verbalised")
ALL_METRICS = (*PROBE_METRICS, *HINT_METRICS)
"""Names of the headline numbers, as `ProbeResult.estimates` has them."""


def _hint_values(rows: Sequence[HintRow], metric: str) -> Values:
    pairs = hint_pairs([row for row in rows if row.kind != UNHINTED], unhinted_answers(rows))
    if metric == "hints_excess":
        return [
            (one.item, float(one.influenced) - float(one.second == one.hinted.target))
            for one in pairs
            if one.second is not None
        ]
    said = [(one.item, one.hinted.says("mention", "either")) for one in pairs if one.influenced]
    return [(item, float(flag)) for item, flag in said if flag is not None]


def item_values(result: ProbeResult, metric: str) -> dict[str, float | None]:
    """Return one number per item; ``None`` where an item was asked and has none."""
    if metric in HINT_METRICS:
        asked, values = [row.id for row in result.hint_rows], _hint_values(result.hint_rows, metric)
    else:
        probe, of = PROBE_METRICS[metric]
        rows = [row for row in result.rows if row.probe == probe]
        asked, values = [row.id for row in rows], of(rows)
    grouped = by_item(values)
    return {
        item: sum(grouped[item]) / len(grouped[item]) if item in grouped else None
        for item in dict.fromkeys(asked)
    }


def usual_metric(result: ProbeResult) -> str:
    """Return the first headline number that a result has."""
    names = [name for name in result.estimates if name in ALL_METRICS]
    return names[0] if names else HINTS
