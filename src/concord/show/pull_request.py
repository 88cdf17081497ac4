"""A comparison for a pull request: JUnit XML of its gates, and a summary in Markdown."""

from collections.abc import Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

from concord.comparing.gates import Against, Gate
from concord.number_words import interval_words, level_words, number
from concord.records import Interval
from concord.show.paper import PaperTable, marked
from concord.show.svg import visible


def junit(gates: Sequence[Gate]) -> str:
    """Return one test per gate and model that the first one is held against."""
    cases = [_test_case(gate, one) for gate in gates for one in gate.against]
    failures = sum(gate.fails(one) for gate in gates for one in gate.against)
    skipped = sum(_untested(gate, one) for gate in gates for one in gate.against)
    head = f'tests="{len(cases)}" failures="{failures}" errors="0" skipped="{skipped}"'
    return (
        f'<?xml version="1.0" encoding="UTF-8"?>\n<testsuites {head}>\n'
        f'  <testsuite name="concord compare" {head}>\n{"".join(cases)}  </testsuite>\n</testsuites>\n'
    )


def _untested(gate: Gate, one: Against) -> bool:
    return one.low is None and not gate.fails(one)


def _test_case(gate: Gate, one: Against) -> str:
    """Return one test: passed, failed, or skipped where there is no interval."""
    told = Gate(gate.rule, gate.model, gate.metric, gate.margin, gate.units, (one,)).sentence
    kind = gate.rule.replace("_", "-")
    name = f"{gate.model} against {one.other}, {gate.metric}, margin {gate.margin:g}"
    said = f"      <system-out>{escape(visible(told))}</system-out>\n"
    if gate.fails(one):
        said = f"      <failure type={quoteattr(kind)} message={quoteattr(visible(told))}/>\n"
    elif _untested(gate, one):
        said = f"      <skipped message={quoteattr(visible(one.note))}/>\n"
    where = f"classname={quoteattr(f'concord.compare.{kind}')} name={quoteattr(visible(name))}"
    return f"    <testcase {where}>\n{said}    </testcase>\n"


def markdown(result: Any, gates: Sequence[Gate] = ()) -> str:
    """Return what a comparison found, its gates first, then models and pairs."""
    verdict = "" if not gates else ": failed" if any(gate.failed for gate in gates) else ": passed"
    said = [f"- **{'failed' if gate.failed else 'passed'}** {marked(gate.sentence)}" for gate in gates]
    lines = [f"### concord compare{verdict}", "", *said, *([""] if said else [])]
    lines += [marked(one) + "\n" for one in result.sentences()]
    if gates:
        lines += [_gates_table(gates).to_markdown()]
    lines += [result.table(name).to_markdown() for name in ("models", "pairs")]
    lines += [f"> {marked(one)}\n" for one in result.warnings]
    return "\n".join(lines)


def _gates_table(gates: Sequence[Gate]) -> PaperTable:
    rows = tuple(
        (
            one.other,
            gate.rule.replace("_", " "),
            "failed" if gate.fails(one) else "not tested" if _untested(gate, one) else "passed",
            number(one.better_by, 3, sign=True),
            _interval_of(one),
            number(one.noticed, 3) if one.noticed is not None and one.noticed > 0 else "–",
            "–" if one.needed is None else f"{one.needed:,}",
        )
        for gate in gates
        for one in gate.against
    )
    first = gates[0]
    columns = (
        "against",
        "gate",
        "verdict",
        "difference",
        "interval",
        "noticed with 80 %",
        f"{first.units} needed",
    )
    return PaperTable(f"{first.model} · {first.metric} · margin {first.margin:g}", columns, rows)


def _interval_of(one: Against) -> str:
    if one.low is None or one.high is None:
        return "–"
    return (
        f"{level_words(one.level)} {interval_words(Interval(one.low, one.high, one.level, ''), 3, sign=True)}"
    )
