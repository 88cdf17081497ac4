"""A result about predicted effects is read back as it was written."""

from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.files.test_codec import estimates

from concord.people.differences import AgentDifference
from concord.people.predictions.result import METRICS, AgentAgreement, PredictionResult
from concord.records import InputFile

numbers = st.floats(allow_nan=False, allow_infinity=False)
text = st.text(st.characters(codec="utf-8"), max_size=20)
agreements = st.builds(
    AgentAgreement,
    text,
    st.fixed_dictionaries({name: estimates for name in METRICS}),
    st.integers(0),
    st.integers(0),
    st.booleans(),
)
differences = st.builds(
    AgentDifference,
    text,
    text,
    st.sampled_from(sorted(METRICS)),
    estimates,
    st.none() | numbers,
    st.none() | numbers,
)
results = st.builds(
    PredictionResult,
    st.lists(agreements, max_size=2).map(tuple),
    st.lists(agreements, max_size=2).map(tuple),
    st.lists(differences, max_size=3).map(tuple),
    text,
    st.integers(0),
    numbers,
    text,
    numbers,
    st.lists(st.builds(InputFile, text, text, st.integers(0)), max_size=2).map(tuple),
    st.lists(text, max_size=2).map(tuple),
)


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(results)
def test_what_is_written_is_read_back_whole(tmp_path: Path, result: PredictionResult) -> None:
    result.write(tmp_path)
    assert PredictionResult.read(tmp_path) == result
