"""Every numeric option of every command, and every numeric keyword in Python: refused in words, or meant."""

import inspect
import math
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args, get_type_hints

import numpy as np
import pytest
import typer
from tests.cli.test_every_command import COMMANDS, leaves, write_inputs
from tests.pace import allowed
from typer.testing import CliRunner

import concord
from concord.cli.app import app
from concord.errors import ConcordError, OptionError
from concord.numeric import LEVEL, RULES, check_numbers, gated, whole

NOBODYS = 1e-300
"""Inside the ends of many options, and meant by nobody."""
VALUES: tuple[Any, ...] = (math.nan, math.inf, -1, 0, 1, 95, NOBODYS, -NOBODYS, 1e8, "0.95", None)
SECONDS = 20
"""No value may keep a user waiting for longer, on a busy machine."""
WITHOUT = {
    ("studies",),
    ("cite",),
    ("template",),
    ("check",),
    ("report",),
    ("figures",),
    ("write-up",),
    ("demo",),
    ("export", "inspect"),
    ("pack",),
    ("verify",),
}
"""Commands without numeric options."""
ASKED = ("--dry-run", "--model", "mockllm/model", "--yes")
BASES: dict[tuple[str, ...], tuple[str, ...]] = {
    ("audit",): ("audit", "cot", "--replies", "replies.jsonl", "--page"),
    ("score", "run"): ("score", "run", "framing.jsonl", "--study", "framing"),
    ("plan", "judges"): ("plan", "judges", "judge"),
    ("run", "people"): ("run", "people", "--study", "framing", *ASKED),
    ("run", "structure"): ("run", "structure", *ASKED),
    ("run", "reasoning"): ("run", "reasoning", *ASKED),
    ("run", "judge"): ("run", "judge", *ASKED),
    ("view",): ("view", "nowhere"),
    ("compare",): ("compare", "first.csv", "second.csv"),
}
TOGETHER = {
    "--price-in": ("--price-out", "1"),
    "--price-out": ("--price-in", "1"),
    "--cost-high": ("--cost", "0"),
}
"""Options that need another one."""
FIRST = (("score", "reasoning"), ("score", "judge"), ("score", "options"))
"""Commands whose results others begin with."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("numbers")
    write_inputs(path)
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(path)
        for leaf in FIRST:
            assert CliRunner().invoke(app, base_of(leaf)).exit_code == 0
    return path


def base_of(leaf: tuple[str, ...]) -> tuple[str, ...]:
    return BASES[leaf] if leaf in BASES else next(one for one in COMMANDS if one[: len(leaf)] == leaf)


def numeric_options(leaf: tuple[str, ...]) -> Iterator[Any]:
    command: Any = typer.main.get_command(app)
    for name in leaf:
        command = command.commands[name]
    hints = get_type_hints(inspect.unwrap(command.callback))
    hints |= getattr(command.callback, "__annotations__", {})
    for option in command.params:
        kinds = {one for one in walked(hints.get(option.name)) if one in (int, float)}
        if option.param_type_name == "option" and kinds:
            yield option


def walked(hint: Any) -> Iterator[Any]:
    yield hint
    for one in get_args(hint):
        yield from walked(one)


def said(given: tuple[str, ...]) -> str:
    """Run a command; return the fault where it neither does what is meant nor refuses in words."""
    begun = time.process_time()
    done = CliRunner().invoke(app, given)
    words = f"{' '.join(given)}: {done.exit_code} {done.output[-300:]}"
    if time.process_time() - begun > allowed(SECONDS):
        return f"{words}: took {time.process_time() - begun:.0f} s"
    if done.exit_code == 0:
        return "" if done.output.strip() and str(NOBODYS) not in given else words
    told = "concord: " in done.output or "Invalid value for" in done.output
    return "" if done.exit_code == 2 and told and isinstance(done.exception, SystemExit) else words


def timed(leaf: tuple[str, ...]) -> object:
    """Commands that ask have most options: by hand."""
    mark = pytest.mark.slow if leaf[0] == "run" else pytest.mark.long
    return pytest.param(leaf, marks=mark, id=" ".join(leaf))


@pytest.mark.parametrize("leaf", [timed(leaf) for leaf in leaves(typer.main.get_command(app))])
def test_every_numeric_option_is_refused_in_words_or_meant(
    leaf: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    options = list(numeric_options(leaf))
    assert bool(options) == (leaf not in WITHOUT)
    faults = [
        said((*base_of(leaf), option.opts[0], str(value), *TOGETHER.get(option.opts[0], ())))
        for option in options
        for value in VALUES
    ]
    assert [fault for fault in faults if fault] == []


SCORED = [
    *("score answers", "score structure", "score reasoning", "score hints", "score probes", "score judge"),
    *("score options", "score people", "combine", "compare"),
]


LEVELS = (
    ("95", "level is 95.0; expected a number between 0 and 1, such as 0.95 (95 % is 0.95)"),
    ("0", "level is 0.0; expected"),
    ("1", "level is 1.0; expected"),
)


@pytest.mark.parametrize("command", SCORED)
def test_a_level_in_percent_is_refused_with_the_number_that_is_meant(
    command: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    for value, words in LEVELS:
        done = CliRunner().invoke(app, (*base_of(tuple(command.split())), "--level", value))
        assert done.exit_code == 2 and words in done.output, done.output


@pytest.mark.parametrize("leaf", [("score", "judge"), ("score", "options")], ids=" ".join)
def test_a_hundred_million_permutations_are_refused_at_once(
    leaf: tuple[str, ...], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    done = CliRunner().invoke(app, (*base_of(leaf), "--permutations", "100000000"))
    assert done.exit_code == 2 and "a whole number from 99 to 1,000,000" in done.output


ROW = {"study": "S", "human_se": 0.5}
EFFECTS = [
    ROW | {"condition": str(h), "human_estimate": h, "agent_estimate": a}
    for h, a in ((1, 1.2), (2, 2.5), (4, 3))
]
ITEMS = [{"item": i, "score": i % 2} for i in range(12)]
VIGNETTES = [
    {"id": f"v{i}", "vignette": "She sleeps.", "gold_answer": "Panic", "gold_reasoning": ["Fear"]}
    for i in range(3)
]


def calls(folder: Path) -> dict[str, Callable[[dict[str, Any]], Any]]:
    """Return a call of every public function that has numeric keywords."""
    people = [{"answer": i % 5, "prediction": i % 3 + 0.5 * (i % 5)} for i in range(40)]
    more = [{"prediction": 0.7 * (i % 4)} for i in range(50)]
    quick = {"n_resamples": 0, "n_simulations": 0}
    at = folder.joinpath
    replies = [
        {"id": f"v{i}", "mode": mode, "response": "DIAGNOSIS: Panic"}
        for i in range(3)
        for mode in ("cot", "direct")
    ]
    return {
        "score_people": lambda more: concord.score_people(at("tests.csv"), **{**quick, **more}),
        "score_answers": lambda more: concord.score_answers(at("answers.csv"), **{"n_resamples": 20, **more}),
        "score_predictions": lambda more: concord.score_predictions(EFFECTS, **more),
        "score_hints": lambda more: concord.score_hints("published", **more),
        "score_probes": lambda more: concord.score_probes(at("probes.csv"), model="m", **more),
        "score_judge": lambda more: concord.score_judge(at("votes.csv"), **{"n_permutations": 99, **more}),
        "score_options": lambda more: concord.score_options(
            at("chosen.csv"), **{"n_permutations": 99, **more}
        ),
        "score_reasoning": lambda more: concord.score_reasoning(
            VIGNETTES, replies, **{"n_resamples": 100, **more}
        ),
        "score_structure": lambda more: concord.score_structure(
            scores=at("scores.csv"), **{"resamples": 200, **more}
        ),
        "combine": lambda given: concord.combine(people, more, **given),
        "combine_sequential": lambda given: concord.combine_sequential(people, more, **given),
        "compare": lambda more: concord.compare(ITEMS, ITEMS[::-1], **more),
        "plan": lambda more: concord.plan("items", **{"means": (0.7, 0.6), "effect": 0.1, **more}),
        "run": lambda more: concord.run("judge", "nobody/nothing", out=folder / "asked", **more),
        "score_run": lambda more: concord.score_run(folder / "nothing.jsonl", **more),
        "plot_models": lambda more: concord.plot_models([], **more),
    }


FURTHER = {
    "compare": ("level", "n_flips", "seed", "margin"),
    "plan": (
        *("effect", "power", "level", "items", "repeats", "calls", "item_cost", "cost_per_call", "means"),
        *("correlation", "sd_between", "sd_within", "cluster_size", "cluster_cv", "cluster_correlation", "d"),
        *(
            "accuracy",
            "order_sd",
            "order_item_sd",
            "noise_sd",
            "se",
            "person_cost",
            "reply_cost",
            "sd",
            "width",
        ),
    ),
    "run": ("limit", "repeats", "ask_again", "processes"),
    "score_run": ("level", "margin", "n_resamples", "n_simulations", "seed", "n", "plan_seed"),
}
"""Numeric keywords that a signature does not name."""


def keywords(name: str) -> list[str]:
    found = [
        one.name
        for one in inspect.signature(getattr(concord, name)).parameters.values()
        if one.kind is inspect.Parameter.KEYWORD_ONLY
        and {"int", "float"} & set(str(one.annotation).replace("'", " ").replace("|", " ").split())
        or one.annotation in (int, float)
    ]
    return [*found, *FURTHER.get(name, ())]


def test_every_public_function_with_a_number_is_called_here() -> None:
    named = {name for name in concord.__all__ if callable(getattr(concord, name)) and name[0].islower()}
    numeric = {name for name in named if keywords(name)} - {"read_reply"}  # its numbers are scales
    assert numeric == set(calls(Path()))


@pytest.mark.parametrize("name", sorted(calls(Path())))
def test_every_numeric_keyword_is_refused_in_words_or_meant(name: str, folder: Path) -> None:
    if name == "run":
        pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
    call, faults = calls(folder)[name], []
    for keyword in keywords(name):
        for value in VALUES:
            begun = time.process_time()
            try:
                call({keyword: value})
                if value in (NOBODYS, -NOBODYS):
                    faults.append(f"{keyword}={value!r} is taken")
            except ConcordError:
                pass
            except Exception as fault:  # noqa: BLE001 - every other one is a fault
                faults.append(f"{keyword}={value!r}: {type(fault).__name__} {fault}")
            if time.process_time() - begun > allowed(SECONDS):
                faults.append(f"{keyword}={value!r}: took {time.process_time() - begun:.0f} s")
    assert faults == []


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (95, r"level is 95; expected a number between 0 and 1, such as 0\.95 \(95 % is 0\.95\)"),
        (
            "0.95",
            r"level is '0\.95'; expected a number between 0 and 1, such as 0\.95, without quotation marks",
        ),
        (None, "level is None; expected"),
        (math.nan, "level is nan; expected"),
        (True, "level is True; expected"),
    ],
)
def test_a_refusal_names_option_value_and_what_is_expected(value: object, words: str) -> None:
    with pytest.raises(OptionError, match=words):
        LEVEL.check("level", value)


def test_whole_numbers_arrive_whole_and_numpy_numbers_are_numbers() -> None:
    @gated()
    def function(*, n_resamples: int = 400, level: float = 0.95, limit: int | None = None) -> tuple[Any, ...]:
        return n_resamples, level, limit

    assert function(n_resamples=2000.0, level=np.float32(0.5), limit=np.int64(3)) == (2000, 0.5, 3)  # type: ignore[arg-type]
    assert type(function(n_resamples=2000.0)[0]) is int  # type: ignore[arg-type]
    assert function(limit=None) == (400, 0.95, None)
    with pytest.raises(OptionError, match="resamples is None"):
        function(n_resamples=None)  # type: ignore[arg-type]


def test_every_rule_says_what_it_expects_and_refuses_what_is_no_number() -> None:
    for name, rule in RULES.items():
        assert rule.words, name
        for value in (math.nan, math.inf, -math.inf, "x", True, [1]):
            with pytest.raises(OptionError, match=" is "):
                check_numbers({name: value})
    assert whole(1).check("n", 3.0) == 3
