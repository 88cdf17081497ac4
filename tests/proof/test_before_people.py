"""A study before people: planned, registered, asked, described, scored with people, packed, verified."""

import csv
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import concord
from concord import studies
from concord.errors import StudyError
from concord.files.archive import read_archive, write_archive
from concord.files.yaml_file import read_yaml
from tests.proof.conftest import QUICK, ask

STUDY = Path(__file__).with_name("price_frame.yaml")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    shutil.copy(STUDY, tmp_path / "price-frame.yaml")
    rng = np.random.default_rng(5)
    with (tmp_path / "answers.csv").open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["frame", "budget", "interest", "noticed"])
        for frame in ("gain", "loss"):
            for budget in ("low", "high"):
                for interest, noticed in np.clip(np.rint(rng.normal(4, 1.3, (20, 2))), 1, 7):
                    rows.writerow([frame, budget, int(interest) + (frame == "loss"), int(noticed)])
    return tmp_path


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_from_a_design_to_a_verified_pack(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    study = str(home / "price-frame.yaml")
    planned = concord.plan("study", study, effect=0.5, person_cost=2.0, reply_cost=0.01).to_dict()
    assert [one["n_per_cell"] for one in planned["tests"]] == [32, 32, 127, 32]
    (home / "claims.yaml").write_text("- {claim: pas, who: mockllm/model, margin: 0.5}\n")
    concord.register(
        study,
        home / "claims.yaml",
        out=home / "registration.json",
        model="mockllm/model",
        n=4,
        seed=1,
        score=QUICK,
        run_out=home / "run",
    )
    run = ask([study], home / "run")
    described = run.score()
    assert described.tests[0].check
    assert described.tests[0].passed
    assert "The one manipulation check succeeds." in described.sentences()
    assert {one.condition for one in described.cells} == {
        "gain, high",
        "gain, low",
        "loss, high",
        "loss, low",
    }
    described.write(home / "run" / "results")
    assert type(described).read(home / "run" / "results") == described
    scored = run.score(people=home / "answers.csv", **QUICK)
    assert [row.human is not None for row in scored.test_table.rows] == [True] * 3
    assert scored.to_dict()["outcomes"] == {"scored": 3}
    scored.write(home / "run" / "results")
    concord.pack(home / "run", registration=home / "registration.json", out=home / "pack.zip")
    elsewhere = home / "elsewhere"
    elsewhere.mkdir()
    shutil.move(home / "pack.zip", elsewhere / "pack.zip")
    monkeypatch.chdir(elsewhere)
    found = concord.verify("pack.zip")
    assert found.exit_code == 0, [one for one in found.findings if one.status != "reproduced"]
    # in a process of its own; CONCORD_OTHER_PYTHON names another Python
    python = os.environ.get("CONCORD_OTHER_PYTHON", sys.executable)
    source = str(Path(concord.__file__).parents[1])
    ran = subprocess.run(
        [python, "-m", "concord", "verify", "pack.zip", "--registration", home / "registration.json"],
        env={**os.environ, "PYTHONPATH": source},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    members = read_archive(elsewhere / "pack.zip")
    name = "results/results/benchmark_summary.json"
    document = json.loads(members[name])
    document["average_pas_raw"] = 0.9
    write_archive(elsewhere / "pack.zip", {**members, name: json.dumps(document).encode()})
    tampered = concord.verify("pack.zip")
    assert tampered.exit_code == 1
    assert any(one.field == "average_pas_raw" and one.packed == "0.9" for one in tampered.findings)


def test_a_check_on_which_each_group_says_one_thing_succeeds(home: Path) -> None:
    plans = studies.plan([str(home / "price-frame.yaml")], n=3)
    described = studies.run(
        plans, lambda question: f"1. 4\n2. {6 if question.condition['frame'] == 'loss' else 2}"
    )
    assert [(one.p, one.passed) for one in described.tests if one.check] == [(None, True)]
    assert not any("manipulation" in one.flag for one in described.tests)


def test_a_check_that_nobody_could_read_is_not_called_failed(home: Path) -> None:
    plans = studies.plan([str(home / "price-frame.yaml")], n=3)
    described = studies.run(plans, lambda question: "I would rather not say.")
    assert [one.passed for one in described.tests if one.check] == [None]
    assert described.sentences()[1] == (
        "The one manipulation check does not succeed; could not be tested: frame noticed."
    )


def test_a_failed_check_flags_the_other_tests_and_counts_in_no_score(home: Path) -> None:
    plans = studies.plan([str(home / "price-frame.yaml")], n=6)

    def same(question: object) -> str:
        return f"1. {1 + hash(question.id) % 7}\n2. 4"  # type: ignore[attr-defined]

    described = studies.run(plans, same)
    assert [one.passed for one in described.tests if one.check] == [False]
    assert all("manipulation check" in one.flag for one in described.tests if not one.check)
    scored = studies.run(plans, same, people=home / "answers.csv", **QUICK)
    assert "manipulation check failed" in scored.test_table.warnings[0]
    assert "frame noticed" not in [row.test for row in scored.test_table.rows]


def test_power_of_an_interaction_is_that_of_the_formula_and_of_a_simulation() -> None:
    planned = concord.plan("study", str(STUDY), effect=1.0).to_dict()["tests"]
    test = next(one for one in planned if one["test"] == "frame by budget")
    n = 20  # the declared cells
    critical = stats.f.isf(0.05, 1, 4 * n - 4)
    assert test["power"] == pytest.approx(stats.ncf.sf(critical, 1, 4 * n - 4, 1.0**2 * n / 4), abs=1e-9)
    rng = np.random.default_rng(11)
    cells = rng.normal(size=(2000, 4, n)) + np.array([1.0, 0, 0, 0])[:, None]
    contrast = cells.mean(axis=2) @ np.array([1, -1, -1, 1])
    se = np.sqrt(cells.var(axis=2, ddof=1).mean(axis=1) * 4 / n)
    share = float(np.mean((contrast / se) ** 2 > critical))
    assert share == pytest.approx(test["power"], abs=0.035)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("item: {ask: Hello, how are you}\n", "line 1.*a comma inside { } ends a value; quote"),
        ("a: 1\nmain:\n\tb: 2\n", "line 3: the line begins with a tab; indent with spaces"),
        ('a: 1\ntitle: "Coins\nb: 2\n', "line 2: a quote is opened in this line and never closed"),
        ("a: 1\ntitle Coins\nb: 2\n", "line 2: the line has no ': '; expected NAME: VALUE"),
        ("title: Coins: a study\n", "line 1: ': ' ends a name.*put the text in quotes"),
        ("a:\n    b: 1\n   c: 2\n", "line 3: the line is not indented as those"),
        ("a: {b: 1, c: 2\nd: 3\n", "line 1: the brace { that is opened in this line is not closed"),
    ],
)
def test_an_everyday_mistake_of_yaml_is_told_in_words(text: str, words: str) -> None:
    with pytest.raises(StudyError, match=words):
        read_yaml(text.encode(), name="s.yaml")


def test_a_bad_answer_of_a_person_is_named(home: Path) -> None:
    (home / "bad.csv").write_text("frame,budget,interest,noticed\ngain,low,often,3\n")
    plans = studies.plan([str(home / "price-frame.yaml")], n=2)
    with pytest.raises(concord.InputError, match="row 2, column 'interest': got 'often', expected a number"):
        studies.run(plans, lambda question: "1. 3\n2. 4", people=home / "bad.csv")
