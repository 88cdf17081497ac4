"""Every result that is written is read back whole: random records of every kind."""

import importlib
import json
import pkgutil
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

import concord
from concord.api import demo_table
from concord.asking.runs import RunResult
from concord.audit.estimate import AuditResult, HintAudit, PeopleAudit, StructureAudit
from concord.comparing.conditions import ConditionsResult
from concord.comparing.metrics import (
    ComparedModel,
    MetricCompareResult,
    PriorRanks,
    RefereeNumbers,
    UnitWords,
)
from concord.comparing.result import CompareResult, ModelScores, PairResult, TaskMeans
from concord.files.codec import encode
from concord.kinds import Kind
from concord.people.agents import AgentsResult
from concord.people.answers.records import AnswerNumber, AnswerSummary, GroupSummary, OutcomeAnswers
from concord.people.answers.result import AnswersResult
from concord.people.files import PeopleResult
from concord.people.memory import MemoryResult
from concord.people.mixed.result import CombineResult, SequentialResult
from concord.people.predictions import result as predictions
from concord.people.predictions.result import AgentAgreement, PredictionResult
from concord.people.protocol import PROTOCOLS, Protocol
from concord.people.referee import RefereeResult, Selection
from concord.people.result import COMPARED, AgentPair, AgentScores, AgentStanding, PairAnswer
from concord.people.studies.before import StudyDescription
from concord.people.studies.results import StudiesResult
from concord.proof.claims import ClaimsResult
from concord.proof.disclosure import Disclosure
from concord.proof.findings import Verification
from concord.proof.registration import Registration
from concord.reasoning.compare import METRICS as RANKED_BY
from concord.reasoning.compare import RankedModel, ReasoningRanking
from concord.reasoning.files import ReasoningResult
from concord.reasoning.hints.leaderboard import HintLeaderboard
from concord.reasoning.probes.result import ProbeResult
from concord.records import Estimate, Presented
from concord.show.declared import report_of
from concord.show.page.declared import shown_result
from concord.show.terminal import drawn, fitting
from concord.stats.compare import Choices
from concord.stats.leaderboard import Chosen
from concord.stats.pairs import MetricDifference, ModelPair, Standing
from concord.structure.judging.rated_result import RatedResult
from concord.structure.judging.result import NUMBERS, JudgeResult, JudgeScores
from concord.structure.options.result import OptionReply, OptionResult
from concord.structure.result import StructureResult

TEXT = st.text(st.characters(codec="utf-8"), max_size=6)
PLAIN: dict[Any, st.SearchStrategy[Any]] = {
    str: TEXT,
    float: st.floats(-1e150, 1e150),  # twice and the square of a number are numbers
    int: st.integers(-(10**6), 10**6),
    bool: st.booleans(),
    Any: st.none() | st.booleans() | st.integers(-9, 9) | TEXT,
    object: st.none() | st.integers(-9, 9) | TEXT,
}


TAME = {float: st.floats(0.05, 0.95).map(lambda value: round(value, 4)), int: st.integers(2, 400)}
"""Numbers that can be drawn and told apart after rounding."""
_fewest = [0]
"""Entries of every list of a random record, while strategies are made."""


def record(kind: type[Any], **own: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return random records of a class: each field by its type, or as given."""
    hints = get_type_hints(kind)
    names = [one.name for one in fields(kind) if one.init]
    made = {name: own[name] if name in own else _of(hints[name]) for name in names}
    return st.builds(kind, **made)


def _of(hint: Any) -> st.SearchStrategy[Any]:
    origin, inside = get_origin(hint), get_args(hint)
    if hint in OWN:
        return OWN[hint]()
    if _fewest[0] and hint in TAME:
        return TAME[hint]
    if hint in PLAIN:
        return PLAIN[hint]
    if origin in (Union, types.UnionType):
        return st.one_of([st.none() if one is type(None) else _of(one) for one in inside])
    if origin is tuple and inside[-1:] == (Ellipsis,):
        return st.lists(_of(inside[0]), min_size=_fewest[0], max_size=2).map(tuple)
    if origin is tuple:
        return st.tuples(*map(_of, inside))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return st.dictionaries(_of(inside[0]), _of(inside[1]), max_size=2)
    assert isinstance(hint, type) and is_dataclass(hint), hint
    return record(hint)


def _unbounded(one: Estimate) -> Estimate:
    return replace(one, bounds=None)


def _two(one: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(one, min_size=2, max_size=2).map(tuple)


def _each(names: Iterable[str], one: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(dict.fromkeys(names, one))


def _named(kind: type[Any], **own: st.SearchStrategy[Any]) -> st.SearchStrategy[tuple[Any, ...]]:
    """Return two records that are called a and b."""
    return st.tuples(*(record(kind, name=st.just(name), **own) for name in ("a", "b")))


def _estimates(names: Iterable[str]) -> st.SearchStrategy[dict[str, Any]]:
    return _each(names, record(Estimate))


def _answer_numbers() -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {name: record(AnswerNumber) for name in ("variance_ratio", "tvd", "person_r")}
    )


OWN: dict[Any, Callable[[], st.SearchStrategy[Any]]] = {
    Choices: lambda: st.just(Choices(0.9, margin=0.1)),
    # an empty cell is no answer, and a table with NUL is no text file
    OptionReply: lambda: record(
        OptionReply,
        **{name: st.sampled_from(["a", "=b c"]) for name in ("item", "arrangement", "answer", "cluster")},
    ),
    JudgeScores: lambda: record(JudgeScores, numbers=_estimates(NUMBERS)),
    AnswerSummary: lambda: record(AnswerSummary, numbers=_answer_numbers()),
    OutcomeAnswers: lambda: record(
        OutcomeAnswers,
        numbers=_answer_numbers(),
        labels=st.just(("1", "2")),
        human_shares=_two(_of(float)),
        agent_shares=_two(_of(float)),
    ),
    AgentAgreement: lambda: record(AgentAgreement, numbers=_estimates(predictions.METRICS)),
    TaskMeans: lambda: record(TaskMeans, means=_two(_of(float))),
    CompareResult: lambda: record(
        CompareResult,
        models=_named(ModelScores, outcomes=_each(("scored", "failed", "no score"), _of(int))),
        pairs=st.tuples(record(PairResult, first=st.just("a"), second=st.just("b"))),
        order=st.just(("a", "b")),
    ),
    MetricCompareResult: lambda: record(
        MetricCompareResult,
        models=_named(ComparedModel, about=_each(("referee",), _of(RefereeNumbers).map(encode))),
        about=_each(("pas_ranks_over_priors",), st.lists(_of(PriorRanks).map(encode), max_size=2)),
        options=st.just({"level": 0.9}),
    ),
    RefereeNumbers: lambda: record(
        RefereeNumbers,
        difference_d=_of(float),
        difference_d_interval=st.tuples(_of(float), _of(float)),
        difference_d_level=st.just(0.9),
    ),
    # sentences hold no bounds, and such numbers have none: they do not rest on single answers
    Selection: lambda: record(
        Selection,
        **dict.fromkeys(("size_ratio", "ceiling_pas", "ceiling_ecs"), _of(Estimate).map(_unbounded)),
    ),
    GroupSummary: lambda: record(
        GroupSummary, slope=_of(Estimate).map(_unbounded), parity_gap=_of(Estimate).map(_unbounded)
    ),
    RankedModel: lambda: record(
        RankedModel,
        estimates=_each(RANKED_BY, _of(Estimate).map(_unbounded)),
        ranks=_each(RANKED_BY, st.none() | _of(int)),
    ),
    ReasoningRanking: lambda: record(ReasoningRanking, by=st.sampled_from(RANKED_BY)),
    PriorRanks: lambda: record(PriorRanks, order=st.just(("a", "b")), pas=_each(("a", "b"), _of(float))),
    Standing: lambda: record(
        Standing,
        metric=st.just("pas"),
        values=st.tuples(*(st.tuples(st.just(name), _of(float)) for name in ("a", "b"))),
    ),
    MetricDifference: lambda: record(MetricDifference, metric=st.just("pas")),
    UnitWords: lambda: st.just(UnitWords("test", "tests", "study", "studies", "two studies", True)),
    Protocol: lambda: st.sampled_from(list(PROTOCOLS.values())),
    ModelPair: lambda: record(
        ModelPair, first=st.just("a"), second=st.just("b"), metrics=st.tuples(_of(MetricDifference))
    ),
    get_type_hints(MetricCompareResult)["pairs"]: lambda: st.tuples(_of(ModelPair)),
    PairAnswer: lambda: record(PairAnswer, low=_of(float), high=_of(float)),
    Chosen: lambda: record(Chosen, low=_of(float), high=_of(float), value=_of(float)),
    AgentsResult: lambda: record(
        AgentsResult,
        agents=_two(record(AgentScores)),
        standings=st.tuples(
            record(AgentStanding, metric=st.just("pas")),
            *(st.just(AgentStanding(name, (), (), 0, 0)) for name in COMPARED[1:]),
        ),
        without=st.just({}),
        one=st.none(),
    ),
}
KINDS: tuple[type[Any], ...] = (
    AgentsResult, AnswersResult, MemoryResult, PredictionResult, CombineResult, HintLeaderboard, JudgeResult,
    OptionResult, CompareResult, MetricCompareResult, AuditResult, PeopleAudit, StructureAudit, HintAudit,
    ReasoningRanking,
    RefereeResult, RatedResult, SequentialResult,
    ConditionsResult,
)  # fmt: skip
ELSEWHERE = {
    PeopleResult, StudiesResult, StructureResult, ReasoningResult, ProbeResult, RunResult, Registration,
    ClaimsResult, StudyDescription, Verification, Disclosure,
}  # fmt: skip
"""Results of several files, whose tests are with them."""


def test_every_result_that_is_written_is_here_or_has_a_test_of_its_own() -> None:
    for info in pkgutil.walk_packages(concord.__path__, "concord."):
        if any(part in info.name for part in ("files", "result", "metrics", "proof")):
            importlib.import_module(info.name)
    # by name: a class with slots is a copy of the one that was written
    written = {
        kind.__name__
        for kind in _below(Presented)
        if (getattr(kind, "FORMAT", "") or "write" in vars(kind))
        and kind.__module__.startswith("concord.")
        and "PlanRecord" not in {one.__name__ for one in kind.__mro__}
    } - {"Kind", "Comparison"}
    assert written == {kind.__name__ for kind in (*KINDS, *ELSEWHERE)}


def _below(kind: type[Any]) -> Iterator[type[Any]]:
    for one in kind.__subclasses__():
        yield one
        yield from _below(one)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
@settings(
    deadline=None,
    max_examples=4,
    phases=(Phase.explicit, Phase.generate),  # shrinking takes minutes
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example],
)
@given(data=st.data())
def test_a_random_result_is_read_back_whole(kind: type[Any], data: st.DataObject) -> None:
    result = data.draw(_of(kind))
    with TemporaryDirectory() as folder:
        result.write(folder)
        assert kind.read(Path(folder)) == result


def test_methods_name_the_version_that_computed_the_result(tmp_path: Path) -> None:
    row = {"study": "S", "finding": "F", "test": "x", "test_type": "t-test", "human_statistic": 2.5}
    row |= {"human_n": 60, "agent_statistic": 1.0, "agent_n": 60}
    concord.score_people([row], n_resamples=0, n_simulations=0).write(tmp_path)
    path = tmp_path / "benchmark_summary.json"
    document = json.loads(path.read_text("utf-8"))
    other = document | {"commit": "0123456789abcdef", "concord_version": "0.0.1"}
    path.write_text(json.dumps(other), "utf-8")
    found = PeopleResult.read(tmp_path)
    assert "Concord (version 0.0.1, commit 0123456789)" in found.methods()
    assert found.to_dict()["commit"] == "0123456789abcdef"


def _changed(value: Any, told: frozenset[str]) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Return copies of a record in each of which one number is another, and the names that lead to it."""
    if isinstance(value, bool) or value is None or isinstance(value, str):
        return
    if isinstance(value, Estimate) and value.value is None:
        return  # a dash and its reason
    if isinstance(value, AgentPair) and value.difference is None:
        return  # likewise: what is drawn may have ends all the same
    if isinstance(value, int):
        yield (), value + 1017
    elif isinstance(value, float):
        yield (), value + 3.3
    elif isinstance(value, Mapping):
        for key, inside in value.items():
            yield from (((str(key), *path), {**value, key: new}) for path, new in _changed(inside, told))
    elif isinstance(value, tuple | list):
        for i, inside in enumerate(value):
            yield from (
                (path, type(value)([*value[:i], new, *value[i + 1 :]]))
                for path, new in _changed(inside, told)
            )
    elif is_dataclass(value) and not isinstance(value, type):
        for one in (one for one in fields(value) if one.name not in told):
            yield from (
                ((one.name, *path), replace(value, **{one.name: new}))
                for path, new in _changed(getattr(value, one.name), told)
            )


DECLARED = [kind for kind in KINDS if issubclass(kind, Kind) and kind.TABLES]


PROVENANCE = frozenset({"inputs", "made", "level", "seed", "n_left_out", "clusters"})
"""What the page tells of every result in other places: its provenance, the level below each table, and the
number of clusters in the name of an interval's method."""


def _screen(result: Kind) -> str:
    """Return the surface that shows every number; the terminal may leave some out."""
    if result.SECTION:
        return shown_result(result, 0)
    return drawn(fitting(report_of(result)), width=400)


def _unseen(result: Kind) -> set[str]:
    """Return the fields whose numbers can change without a screen that changes."""
    before, told = _screen(result), result.UNSHOWN | PROVENANCE
    changed = {
        ".".join(path): other
        for path, other in _changed(result, told)
        if not set(path) & told and not any(".".join(path).startswith(f"{one}.") for one in told)
    }
    return {path for path, other in changed.items() if _screen(other) == before}


@pytest.mark.parametrize("kind", DECLARED, ids=lambda kind: kind.__name__)
@settings(
    deadline=None,
    derandomize=True,
    max_examples=2,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(data=st.data())
def test_a_number_that_changes_is_seen(kind: type[Kind], data: st.DataObject) -> None:
    _fewest[0] = 1
    try:
        result = data.draw(_of(kind))
    finally:
        _fewest[0] = 0
    assert not (unseen := _unseen(result)), f"no screen shows {', '.join(sorted(unseen))}"


@pytest.mark.long
def test_a_number_about_people_that_changes_is_seen() -> None:
    result = concord.score_people(demo_table(), n_resamples=20, n_simulations=20)
    assert isinstance(result, PeopleResult)
    assert not (unseen := _unseen(result)), f"no screen shows {', '.join(sorted(unseen))}"
