"""From rows of answers to what every probe found."""

from collections.abc import Sequence

from concord.errors import FileFormatError
from concord.reasoning.hints.influence import score_hint_rows
from concord.reasoning.hints.rows import HintRow
from concord.reasoning.item_numbers import outcome_counts
from concord.reasoning.probes.early import score_early
from concord.reasoning.probes.filler import score_filler
from concord.reasoning.probes.flips import score_mistake, score_pairs, score_paraphrase
from concord.reasoning.probes.result import ProbeScores
from concord.reasoning.probes.rows import EARLY, FILLER, HINTS, MISTAKE, PAIRS, PARAPHRASE, ProbeRow
from concord.records import InputFile

_SCORERS = {
    EARLY: score_early,
    FILLER: score_filler,
    MISTAKE: score_mistake,
    PARAPHRASE: score_paraphrase,
    PAIRS: score_pairs,
}


def score_probe_rows(
    rows: Sequence[ProbeRow],
    hints: Sequence[HintRow] = (),
    *,
    model: str,
    detector: str = "given",
    asked: dict[str, str] | None = None,
    inputs: tuple[InputFile, ...] = (),
    warnings: Sequence[str] = (),
) -> ProbeScores:
    """Score the answers to every probe, without calling any model."""
    if not rows and not hints:
        raise FileFormatError("no answer to any probe was given; expected at least one row")
    own = {probe: [row for row in rows if row.probe == probe] for probe in _SCORERS}
    found = {probe: _SCORERS[probe](part) for probe, part in own.items() if part}
    outcomes = {probe: outcome_counts(row.outcome for row in part) for probe, part in own.items() if part}
    if hints:
        outcomes[HINTS] = outcome_counts(row.outcome for row in hints)
    return ProbeScores(
        model,
        hints=score_hint_rows(hints, detector=detector) if hints else None,
        outcomes=outcomes,
        asked={} if asked is None else asked,
        inputs=inputs,
        warnings=tuple(warnings),
        **found,  # type: ignore[arg-type]  # each probe's own record, by its name
    )
