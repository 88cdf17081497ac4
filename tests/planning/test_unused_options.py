"""An option that a plan does not use is refused by its name: none changes nothing in silence."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
import typer
from tests.people.studies.small import STUDY
from tests.structure.judging import scripted as judged
from tests.structure.options.scripted import result as options_of
from tests.structure.scores import samples
from typer.testing import CliRunner

import concord
from concord import api
from concord.cli.app import app
from concord.errors import ConcordError
from concord.planning.options import NUMBERS
from concord.planning.plan import KINDS

PRICES: dict[str, Any] = {"se": 0.05, "person_cost": 5.0, "reply_cost": 0.01}
GIVEN: dict[str, tuple[Any, ...]] = {
    "effect": (0.11, 0.23), "power": (0.9,), "level": (0.9,), "items": (31, 321), "repeats": (3,),
    "arrangements": (3,), "width": (0.21,), "calls": (150, 3000), "item_cost": (2.5,),
    "cost_per_call": (0.5,), "means": ((0.8, 0.7),), "correlation": (0.3,), "sd_between": (0.3,),
    "sd_within": (0.3,),
    "cluster_size": (4,), "cluster_cv": (0.4,), "cluster_correlation": (0.2,), "accuracy": (0.6,),
    "order_sd": (0.07,), "order_item_sd": (0.05,), "noise_sd": (0.3,), "d": (0.4,), "se": (0.04,),
    "sd": (1.4,), "person_cost": (7.0,), "reply_cost": (0.02,), "sequential": (True,),
    "item": ("other",), "score": ("second",), "cluster": ("kin",), "repeat": ("again",),
    "metric": ("ecs", "last_option", "tau", "preference", "score"),
}  # fmt: skip
"""Values that no base has by itself."""


def rows(seed: int) -> list[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    return [
        {"item": f"{i:02}", "other": f"{i // 2}{i % 2}x{k}", "score": float(rng.random() < 0.6),
         "second": float(rng.random() < 0.4), "kin": i % 12, "repeat": k, "again": 0}
        for i in range(60)
        for k in range(2)
    ]  # fmt: skip


def pilots(folder: Path) -> None:
    """Write a result of every kind that a plan can rest on."""
    for name in "ab":
        pl.DataFrame(rows(ord(name))).write_csv(folder / f"{name}.csv")
    demo = pl.read_csv(api.demo_table())
    for name, factor in (("first", 0.8), ("second", 0.4)):
        moved = demo.with_columns(agent_statistic=pl.col("agent_statistic") * factor)
        concord.score_people(moved, n_resamples=5, n_simulations=10).write(folder / name)
    concord.score_structure(scores=samples("m", n=20), resamples=200).write(folder / "structure")
    concord.score_judge(judged.rows(judged.fair_coin, n=40), n_permutations=99).write(folder / "judge")
    rng = np.random.default_rng(32)
    rated = [
        {"item": i, "system": s, "judge": "j", "repeat": k, "score": float(q + rng.normal()), "human": q}
        for i in range(60)
        for s in ("a", "b")
        for q in [float(rng.normal(5, 1))]
        for k in range(2)
    ]
    concord.score_judge(rated).write(folder / "rated")
    options_of("m", 0.3, 0.5).write(folder / "options")
    y = rng.normal(size=80)
    people = [
        {"person": i, "answer": float(a), "prediction": float(a + rng.normal())} for i, a in enumerate(y)
    ]
    concord.combine(people, [{"prediction": float(one)} for one in rng.normal(size=200)]).write(
        folder / "mixed"
    )
    (folder / "mine.yaml").write_text(STUDY, "utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("pilots")
    pilots(path)
    return path


Plan = Callable[..., Any]


def bases(at: Callable[[str], Path]) -> dict[str, tuple[tuple[Any, ...], dict[str, Any]]]:
    """Return a plan of every kind, from assumptions and from a pilot, that has what its options need."""
    return {
        "items assumed": (("items",), {"means": (0.7, 0.6), "effect": 0.1, "items": 60}),
        "items assumed, a budget": (("items",), {"sd_between": 0.4, "calls": 1000}),
        "items assumed, clusters": (
            ("items",),
            {"sd_between": 0.4, "effect": 0.1, "cluster_size": 5, "cluster_correlation": 0.1},
        ),
        "items": (("items", at("a.csv"), at("b.csv")), {"effect": 0.1}),
        "structure assumed": (("structure",), {"accuracy": 0.7}),
        "structure assumed, a width": (("structure",), {"noise_sd": 0.2, "width": 0.1}),
        "structure": (("structure", at("structure")), {}),
        "participants assumed": (("participants",), {"d": 0.5}),
        "participants of one": (("participants", at("first")), {}),
        "participants of two": (("participants", at("first"), at("second")), {}),
        "mixed assumed": (("mixed",), {**PRICES, "correlation": 0.6, "sd": 1.0}),
        "mixed, looked at": (("mixed",), {**PRICES, "correlation": 0.6, "sd": 1.0, "sequential": True}),
        "mixed": (("mixed", at("mixed")), PRICES),
        "judges": (("judges", at("judge")), {}),
        "judges of scores": (("judges", at("rated")), {}),
        "options": (("options", at("options")), {}),
        "options, flips": (("options", at("options")), {"metric": "option_flips"}),
        "study": (("study", at("mine.yaml")), {}),
    }


def differ(plain: Any, plan: Any, option: str, value: Any) -> bool:
    """Whether an option changes more than what says that it was given; a price may be in words alone."""
    first, second = plain.to_dict(), plan.to_dict()
    said = option == "cost_per_call" and str(plan) != str(plain)
    return said or any(
        one != first.get(key) for key, one in second.items() if key != "wanted" and one != value
    )


NAMES = tuple(bases(Path))


def test_every_kind_and_every_option_is_here() -> None:
    assert {asked[0] for asked, _ in bases(Path).values()} == {kind.name for kind in KINDS}
    assumable = {name for kind in KINDS for name in kind.assumed}
    assert set(GIVEN) == {
        *NUMBERS,
        *assumable,
        "power",
        "level",
        *("item", "score", "cluster", "repeat", "metric"),
    }


@pytest.mark.parametrize("name", NAMES)
def test_an_option_changes_the_plan_or_is_refused_by_its_name(name: str, folder: Path) -> None:
    asked, options = bases(folder.joinpath)[name]
    plain, ignored = concord.plan(*asked, **options), []
    for option, values in GIVEN.items():
        found = []
        for value in values:
            try:
                plan = concord.plan(*asked, **(options | {option: value}))
                found.append(differ(plain, plan, option, value))
            except ConcordError as refused:
                words = str(refused)
                found.append(option in words.replace("-", "_") or repr(value) in words)
        if not any(found) and options.get(option) not in values:
            ignored.append(option)
    assert ignored == []


COMMANDS = {
    "items": "a.csv b.csv --effect 0.1 --calls 500",
    "structure": "--accuracy 0.7",
    "participants": "first second",
    "mixed": "mixed --se 0.05 --person-cost 5 --reply-cost 0.01 --sequential",
    "study": "mine.yaml",
    "judges": "judge",
    "options": "options",
}
WORDS = {
    "pairs": "17", "votes": "3", "mean_first": "0.7", "mean_second": "0.6", "cost": "0.5", "cost_high": "0.7",
    "metric": "ecs", "sequential": None, "item": "other", "json": None,
}  # fmt: skip


@pytest.mark.parametrize("kind", COMMANDS)
def test_an_option_of_a_command_changes_the_plan_or_is_refused(
    kind: str, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(folder)
    command: Any = typer.main.get_command(app)
    base = ["plan", kind, *COMMANDS[kind].split()]
    plain = CliRunner().invoke(app, base)
    assert plain.exit_code == 0, plain.output
    for option in command.commands["plan"].commands[kind].params:
        if option.param_type_name != "option" or option.opts[0] in (*base, "--help-all"):
            continue
        value = WORDS[option.name] if option.name in WORDS else str(GIVEN[option.name][0])
        done = CliRunner().invoke(app, [*base, option.opts[0], *([] if value is None else [value])])
        assert done.exit_code in (0, 2), done.output
        assert done.output != plain.output, option.name
