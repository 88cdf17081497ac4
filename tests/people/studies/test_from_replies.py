"""From replies to scores: recorded replies, too small cells, refusals counted, third-party studies."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.people.studies.people_like import SCRIPTS, PeopleLike
from tests.people.studies.small import STUDY
from typer.testing import CliRunner

from concord import studies
from concord.api import check, score_people
from concord.asking.runs import score_run
from concord.cli.app import app
from concord.errors import FileFormatError, OptionError, StudyError
from concord.people.studies.load import read_study
from concord.people.studies.plan import plan_study
from concord.records import SideOutcome


def _recorded(path: Path, names: list[str], **planned: Any) -> Path:
    """Record the replies of people-like participants."""
    rows: list[dict[str, str]] = []
    for plan in studies.plan(names, **planned):
        agent = PeopleLike(SCRIPTS[plan.study.study], 1)

        def record(question: studies.Question, of: PeopleLike = agent) -> str:
            reply = of(question)
            condition = ", ".join(question.session.plan.cell.values())
            rows.append({"id": question.id, "mode": condition, "response": reply})
            return reply

        for session in studies.sessions_of(plan):
            studies.hold(session, record)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def test_recorded_replies_give_the_numbers_of_the_run_they_were_recorded_in(tmp_path: Path) -> None:
    names = ["framing", "guessing-game", "trust-game"]
    path = _recorded(tmp_path / "replies.jsonl", names)
    plans = studies.plan(names)
    replayed = studies.score_replies(path, plans, n_resamples=0)
    live = [studies.run([plan], PeopleLike(SCRIPTS[plan.study.study], 1), n_resamples=0) for plan in plans]
    assert [test.pas for one in live for test in one.result.tests] == [t.pas for t in replayed.result.tests]


def test_replies_of_another_plan_are_refused(tmp_path: Path) -> None:
    path = _recorded(tmp_path / "replies.jsonl", ["framing"], n=5)
    with pytest.raises(OptionError, match="was asked in condition .* give the n and seed"):
        studies.score_replies(path, studies.plan(["framing"], n=5, seed=1))
    with pytest.raises(OptionError, match="are to no question of this plan"):
        studies.score_replies(path, studies.plan(["side-effect"], n=5))


def test_missing_replies_are_counted_and_a_torn_last_line_is_cut(tmp_path: Path) -> None:
    path = _recorded(tmp_path / "replies.jsonl", ["representativeness"], n=6)
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join(lines[:-4]) + "\n" + lines[-1][:20], "utf-8")
    done = studies.score_replies(path, studies.plan(["representativeness"], n=6), n_resamples=0)
    assert done.outcomes["representativeness"]["missing"] == 4  # the last four participants, one item each


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"id": 3}\n', "line 1: expected an object with the keys 'id' and 'response'"),
        ('{"id": "a/b/1/1/1", "response": 3}\n', "line 1: the response of 'a/b/1/1/1' is 3, expected text"),
        ('{"id": "a", "response": "x"}\n{"id": "a", "response": "y"}\n', "line 2: a second reply to 'a'"),
        ("nothing\nat all\n", "line 1: not a line of JSON"),
    ],
)
def test_bad_lines_are_named(tmp_path: Path, text: str, said: str) -> None:
    path = tmp_path / "replies.jsonl"
    path.write_text(text, "utf-8")
    with pytest.raises(StudyError, match=f"replies.jsonl, {said}"):
        studies.score_replies(path, studies.plan(["framing"], n=2))


def test_empty_and_missing_files_are_errors(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").write_text("", "utf-8")
    with pytest.raises(FileFormatError, match="holds no reply"):
        studies.score_replies(tmp_path / "empty.jsonl", studies.plan(["framing"], n=2))
    with pytest.raises(FileFormatError, match="no such file"):
        studies.score_replies(tmp_path / "nowhere.jsonl", studies.plan(["framing"], n=2))


def test_refusals_are_counted_per_item_and_condition() -> None:
    def agent(question: studies.Question) -> str:
        gain = question.condition.get("frame") == "gain"
        return (
            "As an AI I cannot choose." if gain else "who knows" if question.condition.get("frame") else "A"
        )

    done = studies.run(studies.plan(["framing"], n=4), agent, n_resamples=0)
    counts = {(c.item, c.condition): dict(c.outcomes) for c in done.answers if c.item == "programme"}
    assert counts == {("programme", "gain"): {"refused": 4}, ("programme", "loss"): {"unreadable": 4}}


def test_refusals_are_counted_per_level_of_a_within_factor() -> None:
    def agent(question: studies.Question) -> str:
        return "As an AI I cannot choose." if question.condition.get("other") == "competed" else "A"

    done = studies.run(studies.plan(["disjunction-effect"], n=4), agent, n_resamples=0)
    refused = {c.condition for c in done.answers if "refused" in c.outcomes}
    read = {
        c.condition
        for c in done.answers
        if c.item in {c.item for c in done.answers if c.condition in refused} and "ok" in c.outcomes
    }
    assert refused
    assert all(condition.endswith("competed") for condition in refused)
    assert read
    assert not any(condition.endswith("competed") for condition in read)


def test_a_cell_without_readable_answers_leaves_its_test_without_an_agent_side_and_says_so() -> None:
    small = studies.run(
        studies.plan(["framing"], n=3), lambda q: "no" if q.condition.get("frame") == "gain" else "A"
    )
    row = next(row for row in small.test_table.rows if row.finding == "F1")
    assert row.agent is None
    assert row.agent_outcome is SideOutcome.UNREAD
    assert any(
        "F1, sure option" in w and "not tested, no readable answer to" in w and "(frame gain)" in w
        for w in small.test_table.warnings
    )


def test_an_agent_that_always_says_the_same_has_no_means_to_compare() -> None:
    done = studies.run(
        studies.plan(["dictator-ultimatum"], n=10), lambda q: "me: 2.5, other: 2.5", n_resamples=0
    )
    assert any("nobody differs from anybody" in warning for warning in done.test_table.warnings)


def test_a_comparison_by_a_trait_needs_a_design_that_tells_it() -> None:
    agent = PeopleLike(SCRIPTS["pluralistic-ignorance"], 1)
    bare = studies.run(studies.plan(["pluralistic-ignorance"], design="bare"), agent, n_resamples=0)
    assert any("women against men" in w and "does not tell the model" in w for w in bare.test_table.warnings)
    assert any("self, friend" in w for w in bare.test_table.warnings)


@pytest.mark.parametrize(
    ("replaced", "by"),
    [
        ("groups: {by: metal}", "groups: {by: old}"),
        ("groups: {by: metal}", "groups: {by: metal}\n        where: sex == 'female'"),
    ],
)
def test_a_trait_behind_a_derived_variable_or_a_restriction_must_be_told_too(
    tmp_path: Path, replaced: str, by: str
) -> None:
    text = STUDY.replace("double: 2 * value", "mature: age - 20\n      old: mature > 5").replace(replaced, by)
    (tmp_path / "coins.yaml").write_text(text, "utf-8")

    def agent(question: studies.Question) -> str:
        return "A" if dict(question.items).get("side") else str(question.member.number % 7)

    for design, told in (("bare", False), ("demographic", True)):
        plans = studies.plan([str(tmp_path / "coins.yaml")], design=design)
        done = studies.run(plans, agent, n_resamples=0)
        assert (done.test_table.rows[0].agent is not None) is told
        assert any("does not tell the model" in warning for warning in done.test_table.warnings) is not told


SCORED_BY_P = {
    "t-independent": "outcome: value\n        groups: {by: metal}",
    "anova": "outcome: value\n        between: [metal, sex]\n        effect: metal",
    "regression": "outcome: value\n        predictors: [age]\n        effect: [age]",
    "pearson": "first: value\n        second: age",
    "chi-square": "outcome: side\n        success: heads\n        groups: {by: metal}",
    "variance-ratio": "outcome: value\n        groups: {by: metal}",
    "anova-within": "measures: [value, age]",
}


@pytest.mark.parametrize("kind", SCORED_BY_P)
def test_every_kind_of_test_can_be_scored_by_its_p(tmp_path: Path, kind: str) -> None:
    text = STUDY.replace(
        "t-independent\n        outcome: value\n        groups: {by: metal}",
        f"{kind}\n        " + SCORED_BY_P[kind],
    )
    text = text.replace(
        "human: {statistic: 2.5, n1: 20, n2: 20,",
        "scored_as: p-value\n        human: {p_value: 0.01, direction: 1,",
    )
    (tmp_path / "coins.yaml").write_text(text, "utf-8")

    def agent(question: studies.Question) -> str:
        number = question.member.number * 7 % 11 + (question.condition["metal"] == "gold")
        return "AB"[number % 2] if dict(question.items).get("side") else str(number)

    done = studies.run(
        studies.plan([str(tmp_path / "coins.yaml")], n=30, design="demographic"), agent, n_resamples=0
    )
    agent_side = done.test_table.rows[0].agent
    assert agent_side is not None, done.test_table.warnings
    assert agent_side.p_value is not None
    assert 0 < agent_side.p_value < 1
    signed = kind in ("t-independent", "regression", "pearson")
    assert agent_side.direction in (-1, 1) if signed else agent_side.direction in (None, -1, 1)
    assert done.result.tests[0].pas is not None


def test_both_sides_say_that_a_rank_correlation_is_scored_as_pearsons() -> None:
    plans = studies.plan(["anchoring"], n=8, seed=4)
    done = studies.run(plans, PeopleLike(SCRIPTS["anchoring"], 1), n_resamples=0)
    flag = "a rank correlation is scored as a product-moment correlation"
    ranked = [test for test in done.result.tests if f"human: {flag}" in test.flags]
    assert ranked
    assert all(f"agent: {flag}" in test.flags for test in ranked)
    said = [line for line in done.result.assumptions if "rank correlation" in line]
    assert len(said) == 1


def test_a_p_that_does_not_exist_leaves_the_test_without_an_agent_side(tmp_path: Path) -> None:
    text = STUDY.replace(
        "t-independent\n        outcome: value\n",
        "chi-square\n        outcome: side\n        success: heads\n",
    )
    text = text.replace(
        "human: {statistic: 2.5, n1: 20, n2: 20,",
        "scored_as: p-value\n        human: {p_value: 0.01, direction: 1,",
    )
    (tmp_path / "coins.yaml").write_text(text, "utf-8")
    done = studies.run(studies.plan([str(tmp_path / "coins.yaml")]), lambda q: "A", n_resamples=0)
    assert done.test_table.rows[0].agent is None
    assert any("nobody gave one of the answers" in warning for warning in done.test_table.warnings)


def test_the_written_table_of_tests_scores_to_the_very_same_bytes(tmp_path: Path) -> None:
    plans = studies.plan(["framing", "side-effect", "guessing-game", "trust-game"])
    agents = {name: PeopleLike(SCRIPTS[name], 1) for name in SCRIPTS}
    options: dict[str, Any] = {"n_resamples": 10, "n_simulations": 10}
    done = studies.run(plans, lambda q: agents[q.session.plan.study](q), model="scripted", **options)
    done.write(tmp_path)
    again = score_people(tmp_path / "tests.json", **options)
    assert any(row.agent is not None and row.agent.z is not None for row in done.test_table.rows)
    for path in again.write(tmp_path / "again"):
        assert path.read_bytes() == (tmp_path / path.relative_to(tmp_path / "again")).read_bytes()
    plans_written = json.loads((tmp_path / "plans.json").read_text("utf-8"))["plans"]
    assert [one["design"]["name"] for one in plans_written] == ["participant"] * 4
    assert (
        (tmp_path / "answers.csv")
        .read_text("utf-8")
        .startswith("study,experiment,item,condition,outcome,n\n")
    )


def test_the_same_seed_gives_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        plans = studies.plan(["anchoring"], n=8, seed=4)
        studies.run(plans, PeopleLike(SCRIPTS["anchoring"], 1), n_resamples=10).write(tmp_path / name)
    for file in ("tests.json", "answers.csv", "plans.json", "detailed_stats.csv"):
        assert (tmp_path / "one" / file).read_bytes() == (tmp_path / "two" / file).read_bytes()


def test_studies_of_a_folder_are_found_and_go_first(tmp_path: Path) -> None:
    (tmp_path / "coins.yaml").write_text(STUDY, "utf-8")
    assert [file.name for file in studies.find_studies(folder=tmp_path)] == ["coins"]
    assert [file.name for file in studies.find_studies(["framing", "coins"], folder=tmp_path)] == [
        "framing",
        "coins",
    ]
    assert studies.find_studies([str(tmp_path / "coins.yaml")])[0].name == "coins"
    with pytest.raises(
        OptionError, match="no study 'coin'; did you mean 'coins'[?]; there are anchoring, .*coins"
    ):
        studies.find_studies(["coin"], folder=tmp_path)
    (tmp_path / "again.yaml").write_text(STUDY, "utf-8")
    with pytest.raises(FileFormatError, match=r"coins\.yaml and again\.yaml both hold a study named 'coins'"):
        studies.find_studies(folder=tmp_path)


def test_studies_of_another_package_are_found_by_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "coin_lab" / "files").mkdir(parents=True)
    (tmp_path / "coin_lab" / "__init__.py").write_text("", "utf-8")
    (tmp_path / "coin_lab" / "files" / "coins.yaml").write_text(STUDY, "utf-8")
    about = tmp_path / "coin_lab-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: coin-lab\nVersion: 1.0\n", "utf-8")
    (about / "entry_points.txt").write_text("[concord.studies]\ncoin-lab = coin_lab:files\n", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    assert studies.find_studies(["coins"])[0].file.name == "coin-lab/coins.yaml"
    listed = CliRunner().invoke(app, ["studies", "--json"])
    assert "coins" in [row["study"] for row in json.loads(listed.stdout)["studies"]]


def test_the_command_lists_the_studies_and_prints_the_schema() -> None:
    listed = CliRunner().invoke(app, ["studies"])
    assert listed.exit_code == 0
    begin = [line.split()[0] for line in listed.stdout.splitlines() if not line.startswith(" ")]
    assert begin == ["study", *studies.bundled_names()]
    schema = json.loads(CliRunner().invoke(app, ["studies", "--schema"]).stdout)
    assert set(schema["required"]) >= {"format", "study", "experiments", "findings"}


def test_check_tells_a_good_study_from_a_bad_one(tmp_path: Path) -> None:
    good, bad = tmp_path / "good.yaml", tmp_path / "bad.yaml"
    good.write_text(STUDY, "utf-8")
    bad.write_text(STUDY.replace("{metal.word}", "{metal.weight}"), "utf-8")
    assert check(good).passed
    assert check(good).kind == "study"
    found = CliRunner().invoke(app, ["check", str(bad)])
    assert found.exit_code == 1
    assert "bad.yaml, line 24, experiments.toss.steps[1].text: {metal.weight} does not exist" in found.stdout
    with pytest.raises(OptionError, match="only XLSX files have sheets"):
        check(good, sheet="one")


def test_the_command_scores_recorded_replies(tmp_path: Path) -> None:
    path = _recorded(tmp_path / "replies.jsonl", ["side-effect"], n=20, seed=3)
    options = [str(path), "--study", "side-effect", "--n", "20", "--plan-seed", "3"]
    done = CliRunner().invoke(app, ["score", "run", *options, "--out", str(tmp_path / "out"), "--json"])
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document["answers"] == {"side-effect": {"ok": 160}}
    assert document["plans"][0]["n_per_cell"] == 20
    assert (tmp_path / "out" / "tests.json").exists()
    again = score_run(path, study=["side-effect"], n=20, plan_seed=3).to_dict()
    assert {**json.loads(json.dumps(again)), "commit": None} == {**document, "commit": None}
    with pytest.raises(OptionError, match="go with a run, not with a file of replies"):
        score_run(path, partial=True)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["{folder}", "--study", "framing"], "--study: goes with a file of replies to studies"),
        (["{folder}/r.jsonl", "--partial"], "--partial and --corrections go with a run"),
    ],
)
def test_options_of_replies_and_of_runs_are_not_mixed(
    tmp_path: Path, arguments: list[str], message: str
) -> None:
    done = CliRunner().invoke(app, ["score", "run", *(one.format(folder=tmp_path) for one in arguments)])
    assert done.exit_code == 2
    assert message in done.output


def test_the_small_study_recovers_a_known_difference() -> None:
    file = read_study(STUDY.encode(), name="coins.yaml")

    def agent(question: studies.Question) -> str:
        worth = 10 if question.condition["metal"] == "gold" else 1
        return "A" if question.items[0][0] == "side" else str(worth + question.member.number % 3)

    done = studies.run([plan_study(file, n=30)], agent, n_resamples=0)
    (test,) = done.result.tests
    assert test.agent_effect_d is not None
    assert 8 < test.agent_effect_d < 14  # 9 apart, about 0.8 within


def test_answers_that_nobody_could_read_are_not_called_a_small_sample() -> None:
    (plan,) = studies.plan(["framing"], n=5)
    rambles = studies.run([plan], lambda question: "It depends on many things.", n_resamples=0)
    assert rambles.result.outcomes == {"agent no readable answer": len(rambles.result.tests)}
    assert all("agent side no readable answer" in test.reasons for test in rambles.result.tests)
    assert all("no readable answer to" in warning for warning in rambles.test_table.warnings)
    (plan,) = studies.plan(["framing"], n=1)
    alone = studies.run([plan], PeopleLike(SCRIPTS["framing"], 1), n_resamples=0)
    assert "agent no readable answer" not in alone.result.outcomes


def test_replies_in_the_shapes_of_providers_are_taken(tmp_path: Path) -> None:
    path = _recorded(tmp_path / "replies.jsonl", ["framing"], n=6)
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    shapes: list[Callable[[str], dict[str, Any]]] = [
        lambda text: {"choices": [{"message": {"content": text, "reasoning_content": "ANSWER: C"}}]},
        lambda text: {"output_text": text},
        lambda text: {"content": [{"type": "thinking", "thinking": "B?"}, {"type": "text", "text": text}]},
        lambda text: {"messages": [{"role": "user", "content": "?"}, {"role": "assistant", "content": text}]},
    ]
    for number, row in enumerate(rows):
        row |= shapes[number % 4](row.pop("response"))
    other = tmp_path / "others.jsonl"
    other.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    plans = studies.plan(["framing"], n=6)
    assert (
        studies.score_replies(other, plans, n_resamples=0).test_table.rows
        == studies.score_replies(path, plans, n_resamples=0).test_table.rows
    )
