"""One page per bundled table of recorded answers: source, licence, and what it says, computed here."""

from collections.abc import Callable, Iterator
from typing import Any

from concord.records import Estimate

PLACE = "reference/recorded"
PAGE = """\
# {title}

**{finding}**

It holds {holds}.

```python
{code}
```

- **Source.** {source}; {address}. {licence}; the text of the licence lies beside the file (`{licence_file}`).
- **Changed.** {changed}
- **What it is not.** {caution}
- **File.** `src/concord/{file}`, {rows:,} rows: {columns}.

The sentence above was computed when this page was built; the tests compute it a second time without Concord.
"""
CODE = """\
import concord
from concord import api

table = api.public_table("{name}")
{call}"""
INDEX = """\
# Recorded answers of known models

Tables that others published and allow to pass on, scored by the ordinary commands.
`concord.api.public_table("NAME")` is the path of each.

| table | what was found |
|---|---|
{rows}
"""


def points(found: Estimate, digits: int = 0, unit: str = " %") -> str:
    """Return a share in points of 100 with its interval."""
    value, ends = found.value, found.interval
    assert value is not None
    reach = "" if ends is None else f" ({100 * ends.low:.{digits}f} to {100 * ends.high:.{digits}f})"
    return f"{100 * value:.{digits}f}{unit}{reach}"


def judges_seats(frame: Any) -> str:
    """Seats swapped against asked again."""
    import concord

    result = concord.score_judge(frame.filter(frame["benchmark"] == "DevBench"))
    said = []
    for name in ("claude-3-haiku-20240307", "gpt-4-0613"):
        numbers = result.judge(name).numbers
        said.append(
            f"{name} changes its winner in {points(numbers['inconsistency'])} of DevBench pairs when the "
            f"seats are swapped and in {points(numbers['repeat'])} when it is only asked again: "
            f"{points(numbers['flip_excess'], unit='')} points are the seat's"
        )
    return "; ".join(said)


def judges_seats_full(frame: Any) -> str:
    """Return changes of the winner."""
    import concord

    result = concord.score_judge(frame.filter(frame["benchmark"] == "MTBench"))
    rates = [(one.numbers["inconsistency"], one.judge) for one in result.judges]
    return "On MTBench the winner changes with the seats in " + ", ".join(
        f"{points(rate)} for {name}" for rate, name in sorted(rates, key=lambda pair: str(pair[1]))
    )


def judges_llmbar(frame: Any) -> str:
    """Return changes under the plain prompt with rules."""
    import concord

    result = concord.score_judge(frame.filter((frame["set"] == "LLMBar") & (frame["strategy"] == "Vanilla")))
    rows = sorted(result.judges, key=lambda one: one.numbers["inconsistency"].value or 0)
    return "When the seats are swapped, the verdict changes in " + ", ".join(
        f"{points(one.numbers['inconsistency'])} for {one.judge.split()[0]}" for one in rows
    )


def orders_chainscope(frame: Any) -> str:
    """Contradictions between orders beyond those between repeats."""
    import concord

    result = concord.score_structure(scores=frame, samples=10, cluster="property")
    rows = sorted(result.models, key=lambda one: -(one.flips.value or 0))
    return "Beyond what repeats change, the other order changes the answer in " + ", ".join(
        f"{points(one.flips, 1)} for {one.model.split('/')[1]}" for one in (*rows[:2], rows[-1])
    )


def reasoning_bbh_codex(frame: Any) -> str:
    """Return the gap, tasks being the units."""
    import concord

    gap = concord.score_reasoning(replies=frame).scores.gap
    assert gap.table is not None
    return (
        f"A chain of thought adds {points(gap.gap, unit='')} points over 27 tasks; "
        f"it mends {gap.table.n10:,} of 6,511 answers and breaks {gap.table.n01:,}"
    )


def _followed(frame: Any) -> dict[str, tuple[Estimate, Estimate]]:
    """Return, for each model, how often it follows a hint and says so."""
    import concord

    result: Any = concord.score_hints(frame)
    return {
        one.model: (next(iter(one.influence.values())), one.verbalised)
        for one in sorted(result.scores.models, key=lambda one: one.model)
    }


def reasoning_turpin(frame: Any) -> str:
    """Who follows a suggested answer, with a chain and without."""
    shown = frame.filter((frame["bias"] == "suggested_answer") & (~frame["few_shot"]))
    return "A wrong suggestion is followed in " + ", ".join(
        f"{points(moved)} for {name}" for name, (moved, _) in _followed(shown).items()
    )


def reasoning_turpin_2026(frame: Any) -> str:
    """Who follows a wrong suggestion, and who says so."""
    return "; ".join(
        f"{name} follows a wrong suggestion in {points(moved)} of answers and says so in "
        f"{round((said.value or 0) * said.n)} of {said.n}"
        for name, (moved, said) in _followed(frame).items()
    )


def reasoning_thought_branches(frame: Any) -> str:
    """Where chains start and end."""
    whole = frame.sort("item", "sentence_num").group_by("item", maintain_order=True)
    start, end = (100 * whole.agg(column)[name].mean() for column, name in _ends())
    return (
        f"Without its chain a question gets the hinted wrong answer in {start:.0f} % of draws, with the "
        f"whole chain in {end:.0f} %, though the hint itself is gone"
    )


def _ends() -> list[tuple[Any, str]]:
    import polars as pl

    return [(pl.col("cue_p_prev").first(), "cue_p_prev"), (pl.col("cue_p").last(), "cue_p")]


FINDINGS: dict[str, Callable[[Any], str]] = {
    function.__name__.replace("_", "-"): function
    for function in (judges_seats, judges_seats_full, judges_llmbar, orders_chainscope, reasoning_bbh_codex,
                     reasoning_turpin, reasoning_turpin_2026, reasoning_thought_branches)
}  # fmt: skip
CALLS = {
    "judge": "result = concord.score_judge(table)",
    "structure": 'result = concord.score_structure(scores=table, samples=10, cluster="property")',
    "reasoning": "result = concord.score_reasoning(replies=table)",
    "hints": "result = concord.score_hints(table)",
    "probes": 'result = concord.score_probes(table, model="chains")',
}


def pages() -> Iterator[tuple[str, str]]:
    """Return the address of every page in the site's sources, with its text."""
    import polars as pl

    from concord.files.public import public_table

    rows = []
    for name, finding in FINDINGS.items():
        one = public_table(name)
        frame = pl.read_parquet(one.path)
        said = finding(frame) + "."
        code = CODE.format(name=name, call=CALLS[one.scored_by])
        yield (
            f"{PLACE}/{name}.md",
            PAGE.format(
                title=one.title, finding=said, holds=one.holds, code=code,
                source=one.source, address=one.address, licence=one.licence, changed=one.changed,
                caution=one.caution, file=one.file, rows=frame.height, licence_file=f"LICENSE.{name}.txt",
                columns=", ".join(f"`{title}`" for title in frame.columns if ":" not in title),
            ),
        )  # fmt: skip
        rows.append(f"| [{name}]({name}.md) | {said} |")
    yield f"{PLACE}/index.md", INDEX.format(rows="\n".join(rows))
