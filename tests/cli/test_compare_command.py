"""`concord compare` as a person runs it."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

import concord
from concord.api import demo_table
from concord.cli.app import app
from concord.comparing.result import CompareResult
from concord.show.declared import report_of
from concord.show.terminal import drawn, fitting

LOGS = Path(__file__).parents[1] / "comparing" / "logs"


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def table(folder: Path, name: str, *lines: str) -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def two(folder: Path) -> tuple[Path, Path]:
    first = [f"q{i},{int(i % 3 > 0)}" for i in range(30)]
    second = [f"q{i},{int(i % 5 == 0)}" for i in range(2, 32)]
    return table(folder, "new.csv", "item,score", *first), table(folder, "old.csv", "item,score", *second)


def test_two_logs_are_compared_and_what_is_missing_is_shown() -> None:
    result = run("compare", LOGS / "first.eval", LOGS / "second.eval", "--name", "new", "--name", "old")
    assert result.exit_code == 0, result.output
    assert "p = .031" in result.stdout
    assert re.search(r"exact McNemar +.* \.031", result.stdout)
    assert re.search(r"won +tied +lost +items\n.* 6 +5 +0 +11\n", result.stdout)
    shown = result.stdout.partition("that a pair does not share")[2]
    assert "failed second" in shown and "+0.583" in shown
    assert "new scores higher than old" in result.stdout


def test_the_json_document_holds_every_number(tmp_path: Path) -> None:
    result = run("compare", *two(tmp_path), "--json")
    document = json.loads(result.stdout)
    pair = document["pairs"][0]
    assert (pair["first"], pair["second"], pair["n_items"]) == ("new", "old", 28)
    assert pair["missing"]["only_first"] == pair["missing"]["only_second"] == 2
    assert set(pair["difference_interval"]) == {"low", "high", "level", "method"}
    assert {verdict["test"] for verdict in pair["tests"]} >= {"exact McNemar", "mid-p McNemar", "paired t"}
    assert [model["n_asked"] for model in document["models"]] == [30, 30]
    assert [file["name"] for file in document["inputs"]] == ["new.csv", "old.csv"]


def test_same_files_and_seed_give_the_same_bytes(tmp_path: Path) -> None:
    first, second = two(tmp_path)
    for out in ("a", "b"):
        assert run("compare", first, second, "--test", "sign-flip", "--out", tmp_path / out).exit_code == 0
    for name in ("comparison.json", "comparison.csv"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_many_models_are_ranked_in_groups(tmp_path: Path) -> None:
    paths = [
        table(
            tmp_path,
            f"m{k}.csv",
            "item,score",
            *[f"q{i},{int((i * 7 + k) % 10 < 9 - 3 * k)}" for i in range(60)],
        )
        for k in range(3)
    ]
    result = run("compare", *paths)
    assert result.exit_code == 0, result.output
    assert "All pairs, first − second" in result.stdout
    assert "pairs can be distinguished, after Holm" in result.stdout
    document = json.loads(run("compare", *paths, "--json").stdout)
    assert document["ranking"] == ["m0", "m1", "m2"]
    assert len(document["pairs"]) == 3
    assert all(pair["p_holm"] >= pair["p_value"] for pair in document["pairs"])


def many(n: int) -> CompareResult:
    rows = [
        [{"item": i, "score": None if i == k else int((i * 7 + k) % 17 < 15 - k)} for i in range(60)]
        for k in range(n)
    ]
    found = concord.compare(*rows, names=[f"m{k}" for k in range(n)], n_flips=99)
    assert isinstance(found, CompareResult)
    return found


def test_of_many_models_only_neighbours_are_listed_and_the_rest_is_said_to_be_elsewhere() -> None:
    shown = drawn(report_of(found := many(11)), width=160)
    assert "Neighbours in the ranking, first − second; all 55 pairs: --json, --out" in shown
    assert sum(line.count(" − ") for line in shown.splitlines() if line[:1].isdigit()) == 10
    assert "And 45 more pairs, in comparison.csv." in shown
    assert "Neighbours" not in repr(found) and "In 55 of 55 pairs something was left" in repr(found)


@pytest.mark.parametrize("width", [80, 110])
def test_tables_of_pairs_fit_the_terminal_whatever_the_names(tmp_path: Path, width: int) -> None:
    rows = [[{"item": i, "score": int((i * 7 + k) % 10 < 9 - k)} for i in range(60)] for k in range(6)]
    names = [f"a-provider/a-rather-long-name-of-a-model-{k}" for k in range(6)]
    result = concord.compare(*rows, names=names)
    assert isinstance(result, CompareResult)
    lines = drawn(fitting(report_of(result)), width=width).splitlines()
    assert max(len(line.rstrip()) for line in lines) <= width
    assert sum(line[1:4] == " − " and line.rstrip().endswith("60") for line in lines) == 15


def test_repeats_and_clusters_come_from_columns(tmp_path: Path) -> None:
    lines = [f"q{i},{(i + r) % 3 / 2},{r},f{i // 4}" for i in range(20) for r in range(2)]
    first = table(tmp_path, "a.csv", "id,points,run,passage", *lines)
    second = table(
        tmp_path, "b.csv", "id,points,run,passage", *[line.replace(",1.0,", ",0.5,") for line in lines]
    )
    result = run("compare", first, second, "--score", "points", "--cluster", "passage", "--json")
    pair = json.loads(result.stdout)["pairs"][0]
    assert (pair["n_items"], pair["n_clusters"], pair["test"]) == (20, 5, "clustered t")


def test_different_numbers_of_repeats_are_told() -> None:
    result = run("compare", LOGS / "first.eval", LOGS / "three_epochs.eval")
    assert (
        "warning: the number of repeats per item differs (first.eval: 1; three_epochs.eval: 3)"
        in result.stderr
    )


def test_scores_outside_zero_to_one_have_no_wrong_answer_unless_given(tmp_path: Path) -> None:
    first = table(tmp_path, "a.csv", "item,score", "a,3", "b,5", "c,4", "d,2")
    second = table(tmp_path, "b.csv", "item,score", "a,2", "b,5", "c,1", "d,")
    said = " ".join(run("compare", first, second).stdout.split())
    assert "a wrong answer has no score of its own; give the score of a wrong answer with --wrong." in said
    pair = json.loads(run("compare", first, second, "--wrong", "1", "--json").stdout)["pairs"][0]
    assert pair["missing"]["failed_as_wrong"] == pytest.approx((1 + 0 + 3 + 1) / 4)


def people(folder: Path, name: str, protocol: str = "standard") -> Path:
    quick = ("--protocol", protocol, "--resamples", "0", "--simulations", "0")
    run("score", "people", demo_table(), *quick, "--out", folder / name)
    return folder / name


def test_people_results_are_compared_on_the_same_studies(tmp_path: Path) -> None:
    first = people(tmp_path, "first")
    frame = concord.score_people(demo_table(), n_resamples=0, n_simulations=0)
    result = run("compare", first, people(tmp_path, "second"), "--json")
    metrics = json.loads(result.stdout)["pairs"][0]["metrics"]
    assert metrics["pas"]["first_value"] == pytest.approx(frame.pas.value, abs=1e-12)
    assert metrics["ecs"]["first_value"] == pytest.approx(frame.ecs.value, abs=1e-12)
    assert metrics["apr"]["first_value"] == pytest.approx(frame.apr.value, abs=1e-12)
    assert metrics["pas"]["difference"] == 0
    assert "no interval" in metrics["pas"]["note"]


def test_results_under_different_protocols_are_refused_with_the_way_out(tmp_path: Path) -> None:
    result = run("compare", people(tmp_path, "a"), people(tmp_path, "b", "refined"))
    assert result.exit_code == 2
    assert "a was scored under protocol 'standard' and b under 'refined'" in result.stderr
    assert "concord score people TESTS --protocol standard" in result.stderr
    mixed = run("compare", tmp_path / "a", LOGS / "first.eval")
    assert "is a result about people and" in mixed.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--test", "z"), "test is 'z'; expected one of auto, mcnemar, mcnemar-mid-p, sign-flip, sign-"),
        (("--level", "95"), "expected a number between 0 and 1, such as 0.95 (95 % is 0.95)"),
        (("--name", "one"), "1 name for 2 results; give one each"),
        (("--engine", "cloud"), "engine is 'cloud'; expected one of serial, processes, dask"),
        (("--flips", "0"), "flips is 0"),
    ],
)
def test_an_option_that_does_not_fit_exits_2(tmp_path: Path, options: tuple[str, str], message: str) -> None:
    result = run("compare", *two(tmp_path), *options)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_path_that_leads_nowhere_is_told_whatever_stands_beside_it(tmp_path: Path) -> None:
    people(tmp_path, "one")
    for pair in (("one", "nothing"), ("nothing", "one")):
        result = run("compare", *(tmp_path / name for name in pair))
        assert (result.exit_code, "nothing: no such file or folder" in result.stderr) == (2, True)


def test_one_result_alone_cannot_be_compared(tmp_path: Path) -> None:
    result = run("compare", two(tmp_path)[0])
    assert result.exit_code == 2
    assert "comparing needs at least two models, new.csv holds one" in result.stderr


def test_the_result_prints_itself_and_gives_a_frame(tmp_path: Path) -> None:
    result = concord.compare(*two(tmp_path))
    assert isinstance(result, CompareResult)
    assert "new − old" in repr(result)
    assert "<table>" in result._repr_html_()
    assert result.to_frame()["wins"].to_list() == [result.pairs[0].comparison.wins]  # type: ignore[union-attr]


def reasoning(folder: Path, name: str, early: str, **options: str) -> Path:
    samples = [
        {"id": str(i), "gold_answer": "Panic Disorder", "gold_reasoning": ["a step"]} for i in range(12)
    ]
    answers = {"cot": "Final answer: Panic Disorder", "direct": early}
    replies = [
        {"id": str(i), "mode": mode, "response": text if i % 4 or mode == "cot" else "Panic Disorder"}
        for i in range(12)
        for mode, text in answers.items()
    ]
    found = concord.score_reasoning(samples, replies, model=name, n_resamples=100, **options)  # type: ignore[arg-type]
    return Path(found.write(folder))


def test_gaps_of_reasoning_are_compared_vignette_by_vignette(tmp_path: Path) -> None:
    first, second = reasoning(tmp_path, "a", "Insomnia"), reasoning(tmp_path, "b", "Panic Disorder")
    pair = json.loads(run("compare", first, second, "--json").stdout)["pairs"][0]
    assert (pair["first"], pair["second"], pair["n_items"]) == ("a", "b", 12)
    assert pair["difference"] == pytest.approx(0.75)
    document = json.loads(run("compare", first, second, "--json").stdout)
    # every gap of the second model is 0 here, yet a gap can be negative: its interval is that of a gap
    assert document["models"][1]["mean_interval"]["low"] < 0
    assert document["models"][1]["mean_interval"]["method"] == "Bonett-Price"
    again = run("compare", first, second, "--metric", "correct_cot", "--json")
    assert json.loads(again.stdout)["pairs"][0]["difference"] == 0
    assert "expected one of gap, correct_cot" in run("compare", first, second, "--metric", "delta").stderr


def test_reasoning_under_other_rules_is_refused(tmp_path: Path) -> None:
    first = reasoning(tmp_path / "x", "a", "Insomnia")
    second = reasoning(tmp_path / "y", "b", "Insomnia", rules="source")
    result = run("compare", first, second)
    assert result.exit_code == 2
    assert "reasoning under rules source" in result.stderr


def test_folders_of_one_name_are_called_by_their_models(tmp_path: Path) -> None:
    for model in ("lab/a", "lab/b"):
        scored = concord.score_people(demo_table(), n_resamples=0, n_simulations=0, model=model)
        scored.write(tmp_path / model / "people")
    folders = [str(tmp_path / model / "people") for model in ("lab/a", "lab/b")]
    done = run("compare", *folders)
    assert done.exit_code == 0
    assert "lab/a" in done.output
    assert "people [1]" not in done.output


def test_conditions_of_one_model_have_no_gates(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, ["compare", str(tmp_path / "t.csv"), "--by", "prompt", "--fail-if-worse"])
    assert done.exit_code == 2
    assert "it has no gates and no --markdown" in done.stderr
