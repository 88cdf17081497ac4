"""Plans: balanced, seeded, counterbalanced, the same whatever else is planned."""

from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.people.studies.small import STUDY

from concord import studies
from concord.errors import FileFormatError, OptionError
from concord.people.studies.agents import DESIGNS, AgentDesign, get_design
from concord.people.studies.format import StudyFile
from concord.people.studies.load import read_study
from concord.people.studies.plan import latin_square, plan_study
from concord.people.studies.sessions import sessions_of


def _small(*changes: tuple[str, str]) -> StudyFile:
    text = STUDY
    for old, new in changes:
        assert old in text
        text = text.replace(old, new)
    return read_study(text.encode(), name="coins.yaml")


@settings(deadline=None)
@given(st.integers(1, 60), st.integers(0, 10_000))
def test_assignment_is_balanced_whatever_the_seed(n: int, seed: int) -> None:
    counts = Counter(s.cell["metal"] for s in plan_study(_COINS, n=n, seed=seed).sessions)
    assert counts == {"gold": n, "iron": n}


_COINS = _small()


@settings(deadline=None, max_examples=30)
@given(st.integers(2, 99), st.integers(0, 1000))
def test_a_total_is_split_as_evenly_as_it_can_be(total: int, seed: int) -> None:
    plan = plan_study(_small(("n: 20}", f"n: {total}}}")), seed=seed)
    counts = Counter(s.cell["metal"] for s in plan.sessions)
    assert sum(counts.values()) == total
    assert abs(counts["gold"] - counts["iron"]) <= 1


def test_assignment_is_random_and_not_in_blocks() -> None:
    firsts = Counter(plan_study(_COINS, seed=seed).sessions[0].cell["metal"] for seed in range(400))
    assert 150 < firsts["gold"] < 250


def test_the_same_seed_gives_the_same_questions_and_another_seed_others() -> None:
    def prompts(seed: int) -> list[tuple[str, str]]:
        (plan,) = studies.plan(["anchoring"], n=5, seed=seed, design="demographic")
        return [
            (q.id, q.messages[-1].text + q.messages[0].text) for s in sessions_of(plan) for q in s.waiting()
        ]

    assert prompts(3) == prompts(3)
    assert prompts(3) != prompts(4)


def test_the_plan_of_a_study_does_not_depend_on_other_studies_or_on_the_design() -> None:
    alone = studies.plan(["trust-game"], seed=5)[0]
    among = studies.plan(["framing", "trust-game"], seed=5, design="bare")[1]
    assert alone.sessions == among.sessions


def test_sizes_of_the_paper_are_kept_cell_by_cell() -> None:
    (plan,) = studies.plan(["framing"])
    counts = Counter((s.experiment, *s.cell.values()) for s in plan.sessions)
    assert counts["disease", "gain"] == 152
    assert counts["disease", "loss"] == 155
    assert sum(counts.values()) == 1350


def test_groups_hold_at_least_the_participants_asked_for() -> None:
    (plan,) = studies.plan(["guessing-game"], n=17)
    assert Counter(s.cell["p"] for s in plan.sessions) == {"half": 2, "two_thirds": 2, "four_thirds": 2}
    assert {len(s.members) for s in plan.sessions} == {16}


@pytest.mark.parametrize("k", [2, 3, 4, 5, 6])
def test_a_latin_square_is_balanced_for_place_and_precedence(k: int) -> None:
    rows = latin_square([str(i) for i in range(k)])
    for place in range(k):
        assert len(set(Counter(row[place] for row in rows).values())) == 1
    pairs = Counter(pair for row in rows for pair in zip(row, row[1:], strict=False))
    assert len(pairs) == k * (k - 1)
    assert len(set(pairs.values())) == 1


_WITHIN = (
    (
        "    items:\n",
        "      kind:\n        vary: within\n        order: ORDER\n        levels: [a, b, c, d]\n    items:\n",
    ),
    ('"You said {answer.side}."\n', '"Now {kind}."\n        over: kind\n'),
    ("double: 2 * value", "double: 2 * value_a"),
    ("outcome: value", "outcome: value_a"),
)


def _within(order: str) -> StudyFile:
    return _small((_WITHIN[0][0], _WITHIN[0][1].replace("ORDER", order)), *_WITHIN[1:])


def test_latin_orders_are_dealt_evenly_within_each_cell() -> None:
    plan = plan_study(_within("latin"), n=8, seed=1)
    dealt = Counter((s.cell["metal"], s.members[0].orders["kind"]) for s in plan.sessions)
    assert len(dealt) == 8
    assert set(dealt.values()) == {2}


def test_too_few_participants_for_the_orders_are_refused() -> None:
    with pytest.raises(OptionError, match=r"toss\.kind: impossible counterbalancing: 4 orders .* one has 3"):
        plan_study(_within("latin"), n=3)


def test_random_orders_reach_every_order_and_fixed_ones_stay() -> None:
    drawn = {s.members[0].orders["kind"] for s in plan_study(_within("random"), n=300).sessions}
    assert drawn == set(permutations("abcd"))
    fixed = {s.members[0].orders["kind"] for s in plan_study(_within("fixed"), n=5).sessions}
    assert fixed == {("a", "b", "c", "d")}


def test_options_are_shuffled_where_the_study_says_so() -> None:
    file = _small(("options: {heads", "shuffle: true, options: {heads"))
    orders = Counter(s.members[0].orders["side"] for s in plan_study(file, n=200).sessions)
    assert 150 < orders["heads", "tails"] < 250


def test_profiles_follow_the_population() -> None:
    plan = plan_study(_COINS, n=500)
    profiles = [s.members[0].profile for s in plan.sessions]
    assert {p["age"] for p in profiles} == set(range(20, 31))
    assert 440 < sum(p["sex"] == "female" for p in profiles) < 560


@pytest.mark.parametrize(
    ("name", "said"), [("participant", "as yourself"), ("demographic", "years old"), ("story", "Imagine")]
)
def test_a_design_tells_the_model_who_it_is(name: str, said: str) -> None:
    plan = plan_study(_COINS, design=DESIGNS[name])
    system, user = next(iter(sessions_of(plan))).waiting()[0].messages
    assert (system.role, user.role) == ("system", "user")
    assert said in system.text


def test_the_bare_design_sends_the_question_alone() -> None:
    (only,) = next(iter(sessions_of(plan_study(_COINS, design=DESIGNS["bare"])))).waiting()[0].messages
    assert only.role == "user"


def test_a_template_of_ones_own_is_filled_from_the_profile(tmp_path: Path) -> None:
    path = tmp_path / "mine.txt"
    path.write_text("You are {describes}, {age} years old.", "utf-8")
    design = get_design(str(path))
    assert design.name == "mine.txt"
    assert design.sha256 is not None
    system = next(iter(sessions_of(plan_study(_COINS, design=design)))).waiting()[0].messages[0].text
    assert system.startswith("You are a person, 2")
    assert design.tells(_COINS.study.population) == {"age"}


def test_designs_that_do_not_fit_are_refused(tmp_path: Path) -> None:
    with pytest.raises(
        OptionError, match="no design 'robot'; there are bare, participant, demographic, story"
    ):
        get_design("robot")
    with pytest.raises(FileFormatError, match="no such file"):
        get_design(str(tmp_path / "nowhere.txt"))
    with pytest.raises(OptionError, match=r"\{income\} does not exist in study 'coins'"):
        plan_study(_COINS, design=AgentDesign("mine", "You earn {income}."))
    with pytest.raises(OptionError, match="n is 0"):
        plan_study(_COINS, n=0)
    with pytest.raises(OptionError, match="seed is -1"):
        plan_study(_COINS, seed=-1)


@pytest.mark.parametrize("name", ["framing", "guessing-game", "impressions", "trust-game", "side-effect"])
def test_a_larger_n_extends_a_smaller_one(name: str) -> None:
    (few,), (many,) = (studies.plan([name], n=n, design="demographic") for n in (16, 32))
    known = {session.id: session for session in many.sessions}
    assert len(many.sessions) > len(few.sessions)
    assert all(known[session.id] == session for session in few.sessions)


def test_every_block_holds_every_cell_once() -> None:
    (plan,) = studies.plan(["framing"], n=5)
    disease = [tuple(one.cell.values()) for one in plan.sessions if one.experiment == "disease"]
    cells = set(disease)
    for start in range(0, len(disease), len(cells)):
        assert set(disease[start : start + len(cells)]) == cells
