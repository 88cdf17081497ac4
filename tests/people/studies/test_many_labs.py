"""Studies of Many Labs 2: valid, in our own words, and recovered by scripted people; a null stays a null."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from typer.testing import CliRunner

from concord import studies
from concord.cli.app import app
from concord.people.studies.format import Human, HumanMoments, Test
from concord.people.studies.load import MANY_LABS, PLACEBO, find_studies
from concord.people.studies.sessions import Question

FILES = {file.name: file for file in find_studies([MANY_LABS])}
PLACEBOS = {file.name for file in find_studies([PLACEBO])}
LARGE = {
    "ml2-assigned-essay": 40, "ml2-side-track": 40, "ml2-consensus-recording": 60, "ml2-consensus-fine": 60,
    "ml2-less-is-better": 60, "ml2-typecasting": 60, "ml2-foreseen-effect": 40,
}  # fmt: skip
"""Studies with a large effect, and replies in each cell that find it."""


def _test(name: str) -> Test:
    (test,) = FILES[name].study.findings["F1"].tests
    return test


class PeopleInCells:
    """Answers drawn from people's cells; with ``effect`` false always from the first cell."""

    def __init__(self, name: str, seed: int, *, effect: bool = True) -> None:
        self.test, self.rng, self.effect = _test(name), np.random.default_rng(seed), effect
        self.own: dict[str, str] = {}

    def __call__(self, question: Question) -> str:
        group = self._group(question)
        said = [self._said(item, name, group) for name, item in question.items]
        return said[0] if len(said) == 1 else "\n".join(f"{i}. {text}" for i, text in enumerate(said, 1))

    def _group(self, question: Question) -> str:
        groups = self.test.groups
        if groups is None or groups.levels is None:
            return "all"
        if groups.by in question.condition:
            return question.condition[groups.by] if self.effect else groups.levels[0]
        n = [self.test.human.n1 or 1, self.test.human.n2 or 1]
        session = question.session.plan.id
        return self.own.setdefault(session, str(self.rng.choice(groups.levels, p=np.array(n) / sum(n))))

    def _said(self, item: Any, name: str, group: str) -> str:
        human, test = self.test.human, self.test
        if item.type == "choice":
            names = list(item.options)
            if test.groups is not None and name == test.groups.by:
                return "AB"[names.index(group)]
            row = self._shares(human, group, names)
            return "AB"[int(self.rng.choice(2, p=row))]
        if item.type == "text":
            return "Something of my own."
        cell = (
            None if human.distribution is None else human.distribution[group if self.effect else _first(test)]
        )
        if isinstance(cell, Mapping):
            answers = np.array([float(key) for key in cell])
            return f"{self.rng.choice(answers, p=np.array(list(cell.values())) / sum(cell.values())):g}"
        mean, sd = (cell.mean, cell.sd) if isinstance(cell, HumanMoments) else (9.5, 4.0)
        high = 100.0 if item.max is None else item.max
        return f"{np.clip(self.rng.normal(mean, sd), item.min or 0, high):.0f}"

    def _shares(self, human: Human, group: str, names: list[str]) -> list[float]:
        if human.table is not None:
            assert self.test.groups is not None and self.test.groups.levels is not None
            row = human.table[self.test.groups.levels.index(group)]
            share = row[0] / sum(row)
        else:
            assert human.k is not None and human.n is not None
            share = human.k / human.n
        return [share, 1 - share] if names[0] == self.test.success else [1 - share, share]


def _first(test: Test) -> str:
    assert test.groups is not None and test.groups.levels is not None
    return test.groups.levels[0]


def _run(name: str, n: int, seed: int = 0, *, effect: bool = True) -> Any:
    plans = studies.plan([name], n=n, seed=seed)
    agent = PeopleInCells(name, seed, effect=effect)
    (found,) = studies.run(plans, agent, n_resamples=0, n_simulations=0).result.tests
    return found


def test_eighteen_studies_can_be_asked_and_seven_are_placebos() -> None:
    assert (len(FILES), len(PLACEBOS), len(studies.bundled_names())) == (18, 7, 30)
    assert all(_test(name).original is not None for name in FILES)
    assert {name for name, file in FILES.items() if file.study.placebo == "reverse"} == {
        "ml2-affect-risk",
        "ml2-choose-reject",
    }


@pytest.mark.parametrize("name", FILES)
def test_a_study_is_valid_says_what_is_ours_and_runs_with_people_drawn_from_its_cells(name: str) -> None:
    about = FILES[name].study.about
    assert not FILES[name].warnings
    assert any("ours" in text and "nothing is quoted" in text for text in about.simplified)
    assert any("Many Labs 2" in text for text in about.traced)
    found = _run(name, LARGE.get(name, 12))
    assert found.outcome == "scored"
    if name in LARGE:
        assert found.agent_significant and found.agent_direction == found.human_direction
        if _test(name).groups.by in FILES[name].study.experiments[name.removeprefix("ml2-")].factors:  # type: ignore[union-attr]
            assert not _run(name, 12, effect=False).agent_significant


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_people_drawn_from_their_cells_give_the_human_conclusion(name: str) -> None:
    found = [_run(name, LARGE[name], seed) for seed in range(20)]
    assert sum(one.agent_significant and one.agent_direction == one.human_direction for one in found) >= 16


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(PLACEBOS - {"ml2-affect-risk", "ml2-choose-reject"}))
def test_people_without_an_effect_are_rarely_significant(name: str) -> None:
    assert sum(_run(name, 60, seed).agent_significant for seed in range(60)) <= 6


def test_a_card_shows_the_effect_of_people_and_the_original() -> None:
    sides = studies.published_effects(FILES["ml2-tempting-fate"])["likelihood unprepared against prepared"]
    assert sides["people"].value == pytest.approx(0.1806, abs=5e-4)
    assert sides["people"].interval is not None
    assert (sides["people"].interval.low, sides["people"].interval.high) == pytest.approx(
        (0.1367, 0.2245), abs=1e-3
    )
    assert sides["original"].value == pytest.approx(0.39, abs=0.01)


def test_two_tests_of_one_name_keep_each_its_effect(tmp_path: Path) -> None:
    text = Path(studies.__file__).with_name("framing.yaml").read_text("utf-8")
    names = ("buys a ticket, lost cash against lost ticket", "makes the trip, $15 against $125 calculator")
    file = tmp_path / "own.yaml"
    file.write_text(text.replace(names[1], names[0]), "utf-8")
    effects = studies.published_effects(studies.read_study(file))
    own = {name: sides["people"].value for name, sides in effects.items() if names[0] in name}
    assert own == {
        f"F4 / theatre / {names[0]}": pytest.approx(1.19, abs=0.01),
        f"F5 / calculator / {names[0]}": pytest.approx(0.89, abs=0.01),
    }
    shown = studies.describe(studies.read_study(file))
    assert "d = +1.19" in shown and "d = +0.89" in shown


def test_studies_are_listed_by_what_they_are() -> None:
    def listed(*options: str) -> str:
        return CliRunner().invoke(app, ["studies", *options], env={"COLUMNS": "120"}).output

    placebo = listed("--kind", "placebo", "--by", "cost")
    assert sum(line.startswith("ml2-") for line in placebo.splitlines()) == 7
    assert placebo.index("ml2-model-number") < placebo.index("ml2-cleansing")
    assert "trust-game" in listed("--domain", "strategic") and "framing" not in listed(
        "--domain", "strategic"
    )
    assert "domains are Cognition" in listed("--domain", "x")
    assert "--by 'x' is no order" in listed("--by", "x")


def test_a_narrow_list_shows_what_it_is_ordered_by_and_breaks_no_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("concord.cli.studies.ROOMY", 1000)
    listed = CliRunner().invoke(app, ["studies", "--by", "domain", "--kind", "placebo"])
    head, *rows = listed.output.splitlines()
    assert {"domain", "kind", "turns", "tokens"} <= set(head.split())
    assert "participants" not in head
    assert {line.split()[0] for line in rows if line.startswith("ml2-")} == PLACEBOS
