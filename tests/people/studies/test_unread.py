"""Answers that could not be read: told by condition, and what they could make of the scores."""

from itertools import product
from pathlib import Path

import numpy as np
import pytest

from concord import studies
from concord.people.answers.records import OutcomeKey
from concord.people.files import PeopleResult
from concord.people.studies import unread
from concord.people.studies.format import Allocation, Likert, Number
from concord.people.studies.observe import Observations, Row, observe
from concord.people.studies.scoring import answers_of
from concord.people.studies.sessions import Question
from concord.people.studies.tests import published_rows
from concord.records import Estimate

PLAN = studies.plan(["side-effect"], n=30, seed=3)


def _said(lost: dict[str, float], seed: int = 0) -> studies.StudiesResult:
    """Answer harm with yes and help with no mostly; lose a share of the replies of each condition."""
    rng = np.random.default_rng(seed)

    def agent(question: Question) -> str:
        effect = question.condition["effect"]
        if rng.uniform() < lost.get(effect, 0.0):
            return "It is hard to say."
        letter = "A" if rng.uniform() < (0.8 if effect == "harm" else 0.3) else "B"
        return f"1. {rng.integers(1, 6)}\n2. {letter}"

    done: studies.StudiesResult = studies.run(PLAN, agent, n_resamples=0, n_simulations=0)
    return done


def test_a_condition_that_loses_more_is_told_on_the_first_screen(tmp_path: Path) -> None:
    found = _said({"harm": 0.4, "help": 0.02})
    (unread,) = found.result.unread
    assert unread.differs and unread.by == "condition" and unread.what == "side-effect"
    assert {one.group for one in unread.groups} >= {"chairman, harm", "chairman, help"}
    assert found.sentences()[0].startswith("Warning: side-effect: ")
    found.write(tmp_path)
    assert (tmp_path / "unread.csv").read_text("utf-8").count("\n") == 5
    assert PeopleResult.read(tmp_path).unread == found.result.unread


def test_answers_lost_alike_are_a_note_and_none_lost_is_nothing(tmp_path: Path) -> None:
    alike = _said({"harm": 0.1, "help": 0.1})
    assert not alike.result.unread[0].differs
    assert any("no difference by condition is shown" in note for note in alike.notes())
    whole = _said({})
    assert whole.result.unread == ()
    alike.write(tmp_path)
    whole.write(tmp_path)
    assert not (tmp_path / "unread.csv").exists()


FRAMES = studies.plan(["framing"], n=25, seed=4)


def _framing(lost: float, seed: int) -> PeopleResult:
    """Give every participant an answer that does not depend on which replies are lost."""

    def agent(question: Question) -> str:
        rng = np.random.default_rng([seed, *question.id.encode()])
        gone, letters = rng.uniform() < lost, ["AB"[int(rng.uniform() < 0.4)] for _ in question.items]
        if gone:
            return "Both have something to be said for them."
        return letters[0] if len(letters) == 1 else "\n".join(f"{i}. {x}" for i, x in enumerate(letters, 1))

    done: PeopleResult = studies.run(FRAMES, agent, n_resamples=0, n_simulations=0).result
    return done


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_score_of_all_answers_lies_between_the_bounds(seed: int, tmp_path: Path) -> None:
    whole, partly = _framing(0.0, seed), _framing(0.15, seed)
    bounds = partly.pas.estimate.bounds
    assert whole.pas.estimate.bounds is None and bounds is not None
    assert partly.pas.value is not None and whole.pas.value is not None
    assert bounds.low <= min(partly.pas.value, whole.pas.value)
    assert max(partly.pas.value, whole.pas.value) <= bounds.high
    assert bounds.n_unread == partly.unread[0].unread + sum(one.unread for one in partly.unread[1:])
    partly.write(tmp_path)
    assert PeopleResult.read(tmp_path).pas == partly.pas
    assert any("answers that could not be read had said, PAS" in line for line in partly.sentences())


def test_few_lost_answers_give_no_bounds_and_a_claim_that_they_could_overturn_is_withheld() -> None:
    few = _said({"harm": 0.01}).result
    assert few.pas.estimate.bounds is None
    many = _said({"harm": 0.4, "help": 0.02}).result
    assert many.ecs.estimate.bounds is not None and many.ecs.estimate.bounds.side() == 0
    assert "is not said whether its effects follow people's" in " ".join(many.sentences())
    assert not any("without two ends" in line for line in many.warnings)  # correlations have ends too


def test_distributions_say_that_they_are_of_the_answers_that_were_read() -> None:
    def agent(question: Question) -> str:
        return "It depends." if question.id.endswith("5/1/1") else "A"

    found = answers_of([observe(one, agent) for one in FRAMES], None)
    assert found is not None
    assert any("answers could not be read" in line for line in found.warnings)


@pytest.mark.parametrize(
    ("words", "all_read"),
    [
        (("Yes, he did it intentionally.", "No, he did not intend it."), True),
        (("He knew it, so he meant it.", "No, he did not intend it."), False),
    ],
)
def test_answers_half_by_letter_and_half_in_words_keep_their_share_or_are_told_and_bounded(
    words: tuple[str, str], all_read: bool
) -> None:
    true, rng = {"harm": 0.85, "help": 0.25}, np.random.default_rng(3)

    def agent(question: Question) -> str:
        yes = rng.random() < true[question.condition["effect"]]
        letter, sentence = ("A", words[0]) if yes else ("B", words[1])
        return f"1. 3\n2. {letter if rng.random() < 0.5 else sentence}"

    found = studies.run(PLAN, agent, n_resamples=0, n_simulations=0)
    cells = {str(one.number): one.cell["effect"] for plan in PLAN for one in plan.sessions}
    asked = [one for one in found.readings if one.question == "intentional"]
    for effect, share in true.items():
        said = [one.reading for one in asked if cells[one.trial.split("/")[2]] == effect]
        n_yes, n = said.count("yes"), len(said)
        low, high = n_yes / n, (n_yes + said.count("")) / n
        doubt = 3 * (share * (1 - share) / n) ** 0.5
        assert low - doubt <= share <= high + doubt
        assert (low == high) is all_read
    assert bool(found.result.unread) is not all_read
    assert all_read or found.sentences()[0].startswith("Warning: side-effect: ")
    assert all_read or found.result.pas.estimate.bounds is not None


@pytest.mark.long
def test_distances_have_bounds_that_hold_those_of_all_answers() -> None:
    def distances(lost: float) -> dict[OutcomeKey, Estimate]:
        rng, gone = np.random.default_rng(7), np.random.default_rng(8)

        def agent(question: Question) -> str:
            said = [f"{i}. {'AB'[int(rng.uniform() < 0.3)]}" for i in range(1, len(question.items) + 1)]
            if gone.uniform() < lost:
                return "It depends."
            return "\n".join(said) if len(said) > 1 else said[0][3:]

        found = studies.run(FRAMES, agent, n_resamples=20, n_simulations=0).distributions
        assert found is not None
        return {
            OutcomeKey(one.study, one.outcome, one.condition): one.numbers["tvd"].estimate
            for one in found.agents[0].outcomes
            if "tvd" in one.numbers
        }

    partly, whole = distances(0.2), distances(0.0)
    bounded = {key: one.bounds for key, one in partly.items() if one.bounds is not None}
    assert bounded and all(one.bounds is None for one in whole.values())
    for key, bounds in bounded.items():
        value = whole[key].value
        assert value is not None and bounds.low - 1e-9 <= value <= bounds.high + 1e-9


def _answer(item: object, rng: np.random.Generator) -> str:
    if isinstance(item, Allocation):
        first = int(rng.integers(0, int(item.total) + 1))
        rest = [first, int(item.total) - first, *[0] * len(item.to)]
        return ", ".join(f"{name}: {amount}" for name, amount in zip(item.to, rest, strict=False))
    if isinstance(item, Likert):
        return str(rng.integers(item.min, item.max + 1))
    return str(rng.integers(0, 100)) if isinstance(item, Number) else "AB"[int(rng.uniform() < 0.4)]


def _observed(study: str, n: int, lost: float) -> Observations:
    """Return answers of participants that do not depend on which replies are lost."""

    def agent(question: Question) -> str:
        rng = np.random.default_rng([7, *question.id.encode()])
        gone, said = rng.uniform() < lost, [_answer(item, rng) for _, item in question.items]
        if gone:
            return "It is hard to say."
        return said[0] if len(said) == 1 else "\n".join(f"{i}. {one}" for i, one in enumerate(said, 1))

    (plan,) = studies.plan([study], n=n, seed=3)
    return observe(plan, agent)


@pytest.mark.parametrize(
    ("study", "n", "kinds"),
    [
        ("minimal-groups", 12, {"anova"}),  # two factors
        pytest.param(
            "pluralistic-ignorance", 15, {"anova", "anova-within", "variance-ratio"}, marks=pytest.mark.long
        ),
        pytest.param("guessing-game", 10, {"mann-whitney", "binomial"}, marks=pytest.mark.long),  # of groups
    ],
)
def test_factorial_repeated_and_session_tests_have_ends_that_hold_the_whole(
    study: str, n: int, kinds: set[str]
) -> None:
    whole, partly = _observed(study, n, 0.0), _observed(study, n, 0.1)
    held, found = [], set()
    for test, row in published_rows(partly.plan.study):
        if unread._aims(partly, test) is not None or unread._test_sums(partly, test) is not None:
            continue
        number = unread._number_of(whole, test)
        ends = unread._ends_of(partly, test, row)
        if np.isfinite(number) and ends:
            low, high = (
                unread._number_of(unread._taken_to_end(partly, test, None, end), test) for end in (-1, 1)
            )
            found.add(test.test)
            told_alike = test.unit == "participant"  # what groups were told depends on what was read
            held.append(low - 0.05 <= number <= high + 0.05 or not told_alike)
    assert found == kinds
    assert all(held)


@pytest.mark.long
@pytest.mark.parametrize(
    ("study", "n", "lost"), [("pluralistic-ignorance", 15, 0.15), ("minimal-groups", 8, 0.08)]
)
def test_the_ends_that_are_found_are_those_of_all_fillings(
    study: str, n: int, lost: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    partly, compared = _observed(study, n, lost), 0
    search, held = unread._turned, dict[str, list[list[Row]]]()
    monkeypatch.setattr(unread, "_turned", lambda *given: held.update(every=given[2]) or search(*given))
    monkeypatch.setattr(unread, "_MOST_TRIED", 500)  # most are searched, not tried all
    for test, _ in published_rows(partly.plan.study):
        if unread._aims(partly, test) is not None or unread._test_sums(partly, test) is not None:
            continue
        found = [unread._number_of(unread._taken_to_end(partly, test, None, end), test) for end in (-1, 1)]
        every = held["every"]
        if not 1 < np.prod([len(ways) for ways in every], dtype=float) <= 7000:
            continue
        fillings = (unread._with_rows(partly, test, list(rows), {}) for rows in product(*every))
        numbers = [one for filled in fillings if np.isfinite(one := unread._number_of(filled, test))]
        if numbers:
            assert found == pytest.approx([min(numbers), max(numbers)])
            compared += 1
    assert compared >= 3
