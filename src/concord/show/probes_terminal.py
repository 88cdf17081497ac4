"""What interventions on reasoning found, as terminal tables and sentences."""

from collections.abc import Iterator

from rich.console import Group, RenderableType

from concord.reasoning.hints.rows import HintKindScores, HintScores
from concord.reasoning.probes.result import ProbeResult, ProbeScores
from concord.records import Estimate
from concord.show.hints_terminal import estimate_cell
from concord.show.numbers import interval, interval_words, number
from concord.show.terminal import lines, table

COLUMNS = ("", "value", "95 % interval", "n", "left out", "note")
WORDS = ("note",)


def probes_report(result: ProbeResult) -> RenderableType:
    """Return everything a reader of the terminal should see."""
    scores = result.scores
    title, numbers = f"Interventions on the reasoning of {result.model}", list(_probe_rows(scores))
    # hints have a table of their own
    parts: list[RenderableType] = [table(title, COLUMNS, numbers, words=WORDS) if numbers else lines([title])]
    if scores.hints is not None:
        parts.append(_hint_table(scores.hints.kinds))
    if scores.pairs is not None:
        rows = [
            (
                row.name,
                str(row.n_pairs),
                estimate_cell(row.excess, sign=True),
                str(row.n_biased),
                estimate_cell(row.silent_rate),
            )
            for row in scores.pairs.dimensions
        ]
        parts.append(table("\nPairs by dimension", ("", "pairs", "excess", "biased", "silent"), rows))
    return Group(
        *parts, lines(["", *probe_sentences(scores)]), lines(f"! {text}" for text in result.warnings)
    )


def _probe_rows(scores: ProbeScores) -> Iterator[list[str]]:
    for name, found, signed in named_numbers(scores):
        cells = [number(found.value, sign=signed), interval(found.interval, 3, sign=signed)]
        yield [name, *cells, str(found.n), str(found.n_left_out), found.note]


def named_numbers(scores: ProbeScores) -> Iterator[tuple[str, Estimate, bool]]:
    """Return the numbers of every probe with the words that head them, and whether they have a sign."""
    early, filler, mistake, other, pairs = (
        scores.early,
        scores.filler,
        scores.mistake,
        scores.paraphrase,
        scores.pairs,
    )
    if early is not None:
        yield "early: area over the curve", early.aoc, False
        yield "early: the same, pooled by length", early.aoc_by_length, False
        yield "early: share of the chain until the answer stays", early.commit, False
        yield "early: floor, two answers to the whole chain differ", early.floor, False
        if early.normalised.value is not None:
            yield "early: same answer, over answers that survive reordering", early.normalised, False
    if filler is not None:
        yield "filler: gap", filler.gap, True
        yield "filler: what the words did", filler.content, True
        yield "filler: what the extra computation did", filler.computation, True
    if mistake is not None:
        yield "mistake: answers that change", mistake.flips, False
        yield "mistake: floor, continued without a mistake", mistake.floor, False
        yield "mistake: excess", mistake.excess, True
    if other is not None:
        yield "paraphrase: accuracy, own minus other words", other.area, True
        yield "paraphrase: answers that differ", other.flips, False
    if pairs is not None:
        yield "pairs: answers that differ between target and control", pairs.flips, False
        yield "pairs: floor, two samples of one prompt", pairs.floor, False
        yield "pairs: excess", pairs.excess, True


def _hint_table(kinds: tuple[HintKindScores, ...]) -> RenderableType:
    columns = ("hint", "moved", "floor", "excess", "thinking", "answer", "relied", "V_norm")
    rows = [
        (
            one.kind.replace("_", " "),
            estimate_cell(one.influence),
            estimate_cell(one.floor),
            estimate_cell(one.excess, sign=True),
            estimate_cell(one.verbalised["mention"]["thinking"]),
            estimate_cell(one.verbalised["mention"]["answer"]),
            estimate_cell(one.verbalised["reliance"]["either"]),
            estimate_cell(one.v_norm),
        )
        for one in kinds
    ]
    return table("\nHints: answers moved, and those that say so", columns, rows)


def _claim(name: str, verdict: str, excess: Estimate) -> str:
    """Return what is said of a probe; where nothing can be, why."""
    said = (
        f"not known, since it {excess.note}"
        if excess.note.startswith("needs")
        else f"not known: {excess.note}"
    )
    return f"{name}: {verdict if excess.value is not None else said}."


def _said_of_probes(scores: ProbeScores) -> Iterator[str]:
    """Return what is said of mistakes, pairs and other words."""
    for name, part in (("A mistake", scores.mistake), ("The attribute of the pairs", scores.pairs)):
        if part is not None:
            yield _claim(name, part.verdict, part.excess)
    if scores.paraphrase is not None:
        yield _claim("Other words", scores.paraphrase.verdict, scores.paraphrase.area)


def _hint_claim(hints: HintScores) -> str:
    return _claim("Hints", hints.kinds[0].verdict, hints.kinds[0].excess)


def probe_claims(scores: ProbeScores) -> list[str]:
    """Return what the probes found, a sentence each, gates first: the first screen's.

    The curve of early answers has no verdict of its own: its area is said.
    """
    early, filler = scores.early, scores.filler
    said = [f"Do not use these numbers: {part.gate}." for part in (early, filler) if part and part.gate]
    if early is not None and early.aoc.value is not None and not early.gate:
        ends = early.aoc.interval
        within = "" if ends is None else f" ({interval_words(ends)})"
        area = f"{number(early.aoc.value, 2)}{within}"
        said.append(f"Early answers: area over the curve {area}, where 0 ignores the chain.")
    said += _said_of_probes(scores)
    return said if scores.hints is None else [*said, _hint_claim(scores.hints)]


def probe_sentences(scores: ProbeScores) -> Iterator[str]:
    """Return gates, verdicts and what could be read, in words."""
    for gate in (part.gate for part in (scores.early, scores.filler) if part is not None and part.gate):
        yield f"Do not use these numbers: {gate}."
    if scores.early is not None:
        yield (
            f"Chains with fewer than two steps: {scores.early.n_short}; with an unreadable answer: "
            f"{scores.early.n_unread} (area if those were the final answer "
            f"{number(scores.early.if_same.value)}, if not {number(scores.early.if_different.value)})."
        )
        if scores.early.n_no_ends:
            yield f"Chains not asked after 0 steps and after all of them: {scores.early.n_no_ends}."
    yield from _said_of_probes(scores)
    if scores.hints is not None:
        yield _hint_claim(scores.hints) + f" Judged by: {scores.hints.detector}."
    for probe, outcomes in scores.outcomes.items():
        yield f"Answers, {probe}: " + ", ".join(f"{name} {n}" for name, n in outcomes.items()) + "."
    if scores.asked:
        yield "Asked: " + ", ".join(f"{name} {value}" for name, value in scores.asked.items()) + "."
