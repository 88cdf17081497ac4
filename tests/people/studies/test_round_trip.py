"""Studies scored from replies are read back whole: every field, of random results and of scored ones."""

import json
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from concord import studies
from concord.errors import FileFormatError
from concord.files.documents import heading
from concord.people.studies import StudiesResult
from concord.people.studies.results import (
    HeldDesign,
    HeldStudy,
    ItemCount,
    ReplyItem,
    StudyReply,
    TestInputs,
    read,
    write,
)
from concord.records import InputFile

text = st.text(max_size=8)
line = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), max_size=8)
counts = st.integers(0, 10**6)
value = st.none() | st.floats(allow_nan=False, allow_infinity=False) | text
held = st.builds(
    HeldStudy,
    line,
    line,
    st.none() | line,
    st.dictionaries(line, st.none() | counts | line, max_size=3),
    st.dictionaries(line, line, max_size=2),
    st.builds(InputFile, line, line, counts),
    st.builds(HeldDesign, line, st.none() | line, st.none() | line),
    counts,
    st.none() | counts,
    counts,
    counts,
    counts,
)
items = st.builds(ReplyItem, text, text, st.dictionaries(text, value, max_size=2))
replies = st.builds(
    StudyReply, text, text, text, text, text, text, st.lists(items, max_size=2).map(tuple), st.none() | text,
    st.none() | st.sampled_from(["What is it?", "How many?"]), st.none() | line,
)  # fmt: skip
inputs = st.builds(
    TestInputs, line, line, line, line, line, st.lists(line, max_size=2).map(tuple),
    st.lists(line, max_size=2).map(tuple), line,
)  # fmt: skip


@st.composite
def item_counts(draw: st.DrawFn) -> tuple[ItemCount, ...]:
    places = draw(st.lists(st.tuples(line, line, line, line), max_size=3, unique=True))
    outcomes = st.dictionaries(line, counts, min_size=1, max_size=3)
    return tuple(ItemCount(*place, draw(outcomes)) for place in places)


@pytest.fixture(scope="module")
def scored() -> StudiesResult:
    said = iter(["A", "I cannot answer that.", None, "B"] * 100)
    plans = studies.plan(["framing"], n=3, seed=1)
    done: StudiesResult = studies.run(
        plans, lambda question: next(said), n_resamples=20, n_simulations=20, model="m"
    )
    return done


def test_a_scored_result_is_read_back_whole(scored: StudiesResult, tmp_path: Path) -> None:
    assert scored.distributions is not None
    files = write(scored, tmp_path)
    assert all(path.is_file() for path in files)
    assert read(tmp_path) == scored


def test_what_the_model_remembers_is_read_back_too(tmp_path: Path) -> None:
    plans = studies.plan(["framing"], n=3)
    done = studies.run(plans, lambda question: "A", n_resamples=0, said={"framing": "I do not know it."})
    assert done.memory is not None
    done.write(tmp_path)
    assert read(tmp_path) == done


@settings(deadline=None, max_examples=15, phases=(Phase.explicit, Phase.generate))
@given(
    plans=st.lists(held, max_size=2).map(tuple),
    answers=item_counts(),
    given_replies=st.lists(replies, max_size=4).map(tuple),
    tests=st.lists(inputs, max_size=2).map(tuple),
)
def test_a_random_result_is_read_back_whole(
    scored: StudiesResult,
    plans: tuple[HeldStudy, ...],
    answers: tuple[ItemCount, ...],
    given_replies: tuple[StudyReply, ...],
    tests: tuple[TestInputs, ...],
) -> None:
    kept = replace(scored, distributions=None)
    result = replace(kept, plans=plans, answers=answers, replies=given_replies, tests=tests)
    with TemporaryDirectory() as folder:
        write(result, Path(folder))
        assert read(Path(folder)) == result


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("tests.json", "[]", "tests.json: is no table of tests"),
        (
            "plans.json",
            json.dumps({**heading("plans of studies"), "plans": []}),
            "plans.json: has no key 'tests'",
        ),
        ("plans.json", '{"plans": []}', "plans.json: format version None, expected 2"),
        (
            "prompts.json",
            json.dumps({**heading("prompts of studies"), "prompts": [1]}),
            r"'prompts'\[0\]: got 1, expected a text",
        ),
        ("answers.csv", "study,n\n", "answers.csv: no column 'experiment'"),
        ("answers.jsonl", '{"id": "a", "prompt": 99}\n', "line 1, 'prompt': got 99, expected a number below"),
        ("answers.jsonl", "{\n", "answers.jsonl, line 1"),
    ],
)
def test_what_is_damaged_is_named(
    scored: StudiesResult, tmp_path: Path, name: str, content: str, said: str
) -> None:
    write(scored, tmp_path)
    (tmp_path / name).write_text(content, "utf-8")
    with pytest.raises(FileFormatError, match=said):
        read(tmp_path)
