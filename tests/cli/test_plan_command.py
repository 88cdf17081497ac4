"""`concord plan` as a person runs it."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.structure.scores import samples
from tests.structure.scores import scored as scored_structure
from typer.testing import CliRunner, Result

import concord
from concord.api import demo_table
from concord.cli.app import app
from concord.stats.power import power_paired, power_two_sample

LOGS = Path(__file__).parents[1] / "comparing" / "logs"


def run(kind: str, *arguments: object) -> Result:
    return CliRunner().invoke(app, ["plan", kind, *(str(argument) for argument in arguments)])


def test_a_plan_before_any_run_rests_on_assumptions() -> None:
    means = ("--mean-first", "0.7", "--mean-second", "0.65")
    result = run("items", *means, "--items", "500", "--cost", "0.002", "--cost-high", "0.004")
    assert result.exit_code == 0, result.output
    said = " ".join(result.stdout.split())
    assert "Plan from assumptions Scores are 0 or 1; only one model is right on 22 % of the items." in said
    assert "power to find a difference of 0.05: 63 %" in said
    assert "needed: 726 items, each answered once by each model" in said
    assert "calls: 1,452 (2 models × 726 items × 1 answer) cost: 2.90 to 5.81" in said
    assert "p < 0.05 by McNemar's exact test" in said


def test_a_plan_after_a_pilot_takes_its_variance() -> None:
    result = run("items", LOGS / "first.eval", LOGS / "second.eval", "--effect", "0.1", "--json")
    document = json.loads(result.stdout)
    assert document["based_on"].startswith("a pilot of 11 items")
    assert document["disagreement"] == pytest.approx(6 / 11)
    assert document["test"] == "exact McNemar"
    assert document["items_needed"] > document["items"] == 11
    low, high = document["items_needed_range"]
    assert low < document["items_needed"] < high
    assert document["cost"] is None
    assert "a pilot of 11 items says little about variance" in result.stderr


def test_a_pilot_with_repeats_and_clusters_gives_components_and_families(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    p = rng.uniform(0.1, 0.8, 60)
    paths = []
    for name, shift in (("first", 0.1), ("second", 0.0)):
        rows = [f"{i},{i // 5},{r},{int(rng.random() < p[i] + shift)}" for i in range(60) for r in range(4)]
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_text("\n".join(["item,family,repeat,score", *rows]), encoding="utf-8")
    options = ("--cluster", "family", "--effect", "0.1", "--repeats", "2", "--json")
    document = json.loads(run("items", *paths, *options).stdout)
    assert (document["cluster_size"], document["cluster_size_cv"]) == (5, 0)
    assert document["variance_within_items"] == pytest.approx(2 * np.mean(p * (1 - p)), abs=0.06)
    assert (document["items"], document["clusters_needed"] * 5) == (60, document["items_needed"])
    assert document["test"] == "clustered t"


def reasoned(folder: Path, name: str, right: set[int]) -> Path:
    """A result about reasoning: 30 vignettes, some answered rightly at once, all rightly after reasoning."""
    samples = [
        {"id": str(i), "gold_answer": "Panic Disorder", "gold_reasoning": ["a step"]} for i in range(30)
    ]
    said = {True: "Panic Disorder", False: "Insomnia"}
    replies = [
        {"id": str(i), "mode": mode, "response": f"Final answer: {said[mode == 'cot' or i in right]}"}
        for i in range(30)
        for mode in ("cot", "direct")
    ]
    return Path(concord.score_reasoning(samples, replies, model=name, n_resamples=100).write(folder))


def test_two_results_about_reasoning_are_a_pilot(tmp_path: Path) -> None:
    first, second = reasoned(tmp_path, "a", set(range(6))), reasoned(tmp_path, "b", set(range(3, 18)))
    document = json.loads(run("items", first, second, "--effect", "0.2", "--json").stdout)
    assert document["based_on"] == "a pilot of 30 items: a and b"
    assert document["items_needed"] > 30


def test_a_result_about_structure_gives_the_items_that_show_an_order_effect(tmp_path: Path) -> None:
    folder = scored_structure(tmp_path, samples("m", n=25))
    document = json.loads(run("structure", folder, "--effect", "0.02", "--repeats", "2", "--json").stdout)
    assert (document["kind"], document["arrangements"], document["items"]) == ("structure", 3, 25)
    more = json.loads(run("structure", folder, "--effect", "0.02", "--repeats", "8", "--json").stdout)
    assert more["items_needed"] < document["items_needed"]
    assert "items × 3 arrangements" in run("structure", folder, "--effect", "0.02").stdout
    assert "needs the result of one pilot, got 2" in run("structure", folder, folder).stderr


def test_a_budget_is_divided_between_items_and_repeats() -> None:
    arguments = ("--sd-between", "0.2", "--sd-within", "0.6", "--items", "100", "--calls", "1000")
    split = json.loads(run("items", *arguments, "--cost", "0.01", "--json").stdout)["best_split"]
    assert (split["items"], split["repeats"], split["calls"]) == (100, 5, 1000)
    assert split["cost"] == {"low": 10.0, "high": 10.0}
    said = " ".join(run("items", *arguments).stdout.split())
    assert "best division: 100 items, each answered 5 times by each model" in said
    assert "calls: 1,000 (2 models × 100 items × 5 answers)" in said


def test_clusters_are_planned_in_words() -> None:
    arguments = ("--sd-between", "0.5", "--cluster-size", "10", "--cluster-correlation", "0.1")
    said = " ".join(run("items", *arguments, "--effect", "0.1").stdout.split())
    assert "Items come in clusters of 10; differences inside one correlate at 0.10." in said
    assert "It takes 1.90 such items to say as much as one independent item." in said
    assert "needed: 400 items in 40 clusters" in said


def test_too_few_items_are_said_and_the_rest_is_planned() -> None:
    result = run("items", "--sd-between", "0.3", "--items", "5", "--effect", "0.2")
    assert result.exit_code == 0
    assert "5 items find no difference, however large" in result.stderr
    assert "needed:" in result.stdout
    document = json.loads(
        run("items", "--sd-between", "0.3", "--items", "5", "--effect", "0.2", "--json").stdout
    )
    assert (document["power"], document["detectable_effect"]) == (0.0, None)


def test_repeats_without_known_noise_are_said() -> None:
    said = run("items", "--mean-first", "0.7", "--mean-second", "0.6", "--repeats", "3").stderr
    assert "more repeats are planned as if they changed nothing" in said


def test_participants_are_planned_by_their_effect() -> None:
    said = run("participants", "--d", "0.5").stdout
    assert "64 participants per group, 128 in all" in said
    assert "34 participants (d of the differences)" in said
    document = json.loads(run("participants", "--d", "0.5", "--json").stdout)
    assert (document["participants_a_group"], document["participants_paired"]) == (64, 34)


@pytest.fixture(scope="module")
def scored(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two results about people: the demonstration, and the same with weaker agents."""
    table = demo_table()
    result = concord.score_people(table, n_resamples=0, n_simulations=0)
    weaker = replace(
        result,
        tests=tuple(
            test if test.pas is None else replace(test, pas=test.pas * (0.5 + 0.1 * (i % 4)))
            for i, test in enumerate(result.tests)
        ),
    )
    folders = [tmp_path_factory.mktemp(name) for name in ("first", "second")]
    for folder, one in zip(folders, (result, weaker), strict=True):
        one.write(folder)
    return folders


def test_one_result_about_people_gives_the_participants_that_find_its_effects(
    scored: list[Path],
) -> None:
    result = run("participants", scored[0])
    assert result.exit_code == 0, result.output
    assert "Participants in each group that find the human effect with 80 % power" in result.stdout
    document = json.loads(run("participants", scored[0], "--json").stdout)
    assert document["participants_for_half"] <= document["participants_for_nine_in_ten"]
    first = document["participants"][0]
    assert first["a_group"] == max(one["a_group"] for one in document["participants"])
    assert power_two_sample(abs(first["human_d"]), first["a_group"], first["a_group"]) >= 0.8
    assert document["studies"] is None


def test_two_results_about_people_give_the_studies_that_tell_them_apart(scored: list[Path]) -> None:
    document = json.loads(run("participants", *scored, "--effect", "0.05", "--json").stdout)["studies"]
    assert document["metric"] == "pas"
    assert document["detectable"] > document["se"]
    needed = document["studies_needed"]
    sd = document["se"] * np.sqrt(document["n_studies"])
    assert power_paired(0.05, sd, needed) >= 0.8 > power_paired(0.05, sd, needed - 1)
    assert (
        "studies needed to find a difference of 0.05"
        in run("participants", *scored, "--effect", "0.05").stdout
    )
    assert (
        "results about people have pas, ecs, apr"
        in run("participants", *scored, "--metric", "accuracy").stderr
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            "items",
            "or, for other scores, the standard deviation of their difference",
        ),
        ("items --sd-between 0.3", "there is nothing to plan yet: give the difference that should be found"),
        ("items --mean-first 0.7", "give both --mean-first and --mean-second"),
        (
            "items --sd-between 0.3 --effect 0.1 --power 1.2",
            "power is 1.2; expected a number between",
        ),
        (
            "items --sd-between 0.3 --effect 0.1 --level 95",
            "level is 95.0; expected a number",
        ),
        ("items --sd-between 0.3 --effect 0.1 --power 0.03", "a power of 0.03 is what chance alone gives"),
        ("items --sd-between 0.3 --effect 0", "effect is 0.0; expected a size above 0"),
        ("items --sd-between 0.3 --effect -0.1", "effect is -0.1; expected a size above 0"),
        ("items --sd-between 0.3 --effect nan", "effect is nan; expected a size above 0"),
        ("items --mean-first 0.7 --mean-second 0.6 --effect 2", "means of 0-1 scores differ by 1 at most"),
        ("items --mean-first 0.7 --mean-second 0.6 --correlation 1.5", "correlation is 1.5"),
        (
            "items --mean-first 1.7 --mean-second 0.6",
            "means is 1.7; expected a mean of 0-1 scores, a number",
        ),
        ("items --mean-first 0.9 --mean-second 0.1 --correlation 0.9", "cannot have a correlation of 0.9"),
        ("items --sd-between 0.3 --items 1", "items is 1; expected a whole number from 2"),
        ("items --sd-between 0.3 --items 9 --repeats 0", "repeats is 0; expected a whole number from 1"),
        (
            "items --sd-between 0.3 --items 20 --cluster-size 50",
            "50 items is larger than the 20 items",
        ),
        (
            "items --sd-between 0.3 --items 9 --cluster-correlation 2",
            "cluster_correlation is 2.0",
        ),
        ("items --sd-between 0.3 --calls 3", "3 calls do not reach for two items"),
        ("items --sd-between 0.3 --effect 0.1 --cost 2 --cost-high 1", "the cost of a call is (2.0, 1.0)"),
        ("items --sd-between 0.3 --effect 0.1 --cost-high 1", "give --cost too"),
        (
            "items --sd-between -1 --effect 0.1",
            "sd_between is -1.0; expected a standard deviation, 0",
        ),
        (
            "items --effect 0.05",
            "a plan needs to know how scores vary: give two results of a pilot",
        ),
        (
            "items --effect 0.05 --mean-first 0.8",
            "give both --mean-first and --mean-second (what is to be",
        ),
        ("participants --d 0", "d is 0.0; expected a standardised difference above 0"),
        ("participants --d 0.5 --power 80", "power is 80.0; expected a number between 0 and 1"),
    ],
)
def test_a_plan_that_cannot_be_made_exits_2(arguments: str, message: str) -> None:
    result = run(*arguments.split())
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_pilot_and_assumptions_are_not_mixed() -> None:
    result = run("items", LOGS / "first.eval", LOGS / "second.eval", "--sd-between", "0.3")
    assert result.exit_code == 2
    assert "a pilot was given, so sd_between cannot be assumed as well" in result.stderr
    assert (
        "comparing needs at least two models, first.eval holds one"
        in run("items", LOGS / "first.eval").stderr
    )


def test_two_equal_results_about_people_have_no_spread_to_plan_with(scored: list[Path]) -> None:
    result = run("participants", scored[0], scored[0], "--json")
    assert json.loads(result.stdout)["studies"] is None
    assert "the difference of PAS cannot be planned" in result.stderr


def test_a_result_about_people_and_another_are_not_mixed(scored: list[Path]) -> None:
    result = run("participants", scored[0], LOGS / "first.eval")
    assert result.exit_code == 2
    assert "plan from results of one kind" in result.stderr
    assert "is a result about people: concord plan participants" in run("items", *scored).stderr


def test_an_option_that_does_not_exist_is_named() -> None:
    from concord import plan
    from concord.errors import OptionError

    with pytest.raises(OptionError, match="a plan has no option 'itmes'; it has accuracy, arrangements"):
        plan(sd_between=0.3, itmes=20)
