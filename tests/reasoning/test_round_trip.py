"""What `write` writes, `read` reads: every field of random results."""

import json
import tempfile
import types
from collections.abc import Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

import concord
from concord.errors import FileFormatError
from concord.reasoning.files import ReasoningResult
from concord.reasoning.result import RULES, Options, ReasoningScores, Rule
from concord.records import Provenance

NAME = st.text(st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=12)
"""A CSV cell cannot tell an empty text from an undefined one; a file with a NUL byte is refused."""

COUNT = st.integers(0, 2**53)


def strategy(hint: Any) -> st.SearchStrategy[Any]:
    """Return random values of a field's type."""
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return st.one_of([st.none() if one is type(None) else strategy(one) for one in inside])
    if hint is Options:
        return st.one_of(
            st.just(Options("source")),
            st.builds(
                Options,
                st.just("standard"),
                st.sampled_from(RULES),
                st.integers(0),
                st.integers(100),
                st.booleans(),
            ),
        )
    if hint is Rule:
        return st.sampled_from(RULES)
    if isinstance(hint, type) and is_dataclass(hint):
        return record(hint)
    if origin is tuple and inside[-1] is Ellipsis:
        return st.lists(strategy(inside[0]), max_size=3).map(tuple)
    if origin is tuple:
        return st.tuples(*map(strategy, inside))
    if origin is not None and issubclass(origin, Mapping):
        return st.dictionaries(NAME, strategy(inside[1]), max_size=3)
    plain = {
        str: NAME,
        bool: st.booleans(),
        int: COUNT,
        float: st.floats(allow_nan=False),
        object: st.one_of(st.none(), st.booleans(), st.integers(), NAME),
    }
    return plain[hint]


def record(kind: type[Any]) -> st.SearchStrategy[Any]:
    hints = get_type_hints(kind)
    return st.builds(kind, **{field.name: strategy(hints[field.name]) for field in fields(kind)})


def known(made: Provenance) -> bool:
    return made != Provenance()


RESULTS = st.builds(
    ReasoningResult, record(ReasoningScores), st.one_of(st.none(), record(Provenance).filter(known))
)


@settings(max_examples=25, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate))
# shrinking takes minutes for a record of this size and the failing field is named without it
@given(RESULTS)
def test_every_field_of_a_result_comes_back(result: ReasoningResult) -> None:
    with tempfile.TemporaryDirectory() as folder:
        assert ReasoningResult.read(result.write(folder)) == _without_bias_mode(result)


def _without_bias_mode(result: ReasoningResult) -> ReasoningResult:
    """A mode called "bias" has its place in the document taken by the outcomes of bias replies."""
    kept = {mode: counts for mode, counts in result.scores.outcomes.items() if mode != "bias"}
    return replace(result, scores=replace(result.scores, outcomes=kept))


def test_what_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    folder = _scored().write(tmp_path)
    path = folder / "study_a_results.json"
    document = json.loads(path.read_text("utf-8"))
    path.write_text(json.dumps({**document, "n_samples": "many"}), "utf-8")
    with pytest.raises(FileFormatError, match="study_a_results.json, 'n_samples': got 'many', expected"):
        ReasoningResult.read(folder)
    whole = json.dumps(document)
    del document["gap"]["p_value"]
    path.write_text(json.dumps(document), "utf-8")
    with pytest.raises(FileFormatError, match="'gap': has no key 'p_value'"):
        ReasoningResult.read(folder)
    path.write_text(whole, "utf-8")
    (folder / "study_a_samples.csv").write_text("id,gold_answer\n1,x\n", "utf-8")
    with pytest.raises(FileFormatError, match="study_a_samples.csv: no column 'outcome_cot'"):
        ReasoningResult.read(folder)


def _scored() -> ReasoningResult:
    samples = [{"id": f"s{k}", "gold_answer": "Panic Disorder", "gold_reasoning": ["a b"]} for k in range(12)]
    replies = [
        {"id": f"s{k}", "mode": mode, "response": "REASONING: a b. DIAGNOSIS: Panic Disorder"}
        for k in range(11)
        for mode in ("cot", "direct")
    ]
    cases = [{"id": "c", "bias_feature": "f", "bias_label": "gout", "role": "target"}]
    said = [{"id": "c", "response": "DIAGNOSIS: gout"}]
    found: ReasoningResult = concord.score_reasoning(
        samples, replies, bias_cases=cases, bias_replies=said, n_resamples=100
    )
    return found
