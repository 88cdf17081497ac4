"""The headline number of every probe item by item: what comparisons and plans are made of."""

from collections.abc import Callable, Sequence

from concord.reasoning.hints.influence import hint_pairs, unhinted_answers
from concord.reasoning.hints.rows import UNHINTED, HintRow
from concord.reasoning.item_numbers import by_item
from concord.reasoning.probes.chains import MIN_STEPS, area_over, cell_means, chains_of
from concord.reasoning.probes.flips import mistake_excesses, pair_excesses, paraphrase_differences
from concord.reasoning.probes.records import EARLY, FILLER, HINTS, MISTAKE, PAIRS, PARAPHRASE, ProbeRow
from concord.reasoning.probes.result import ProbeResult

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
