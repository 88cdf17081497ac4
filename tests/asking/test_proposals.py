"""A model proposes words for a draft: marked as proposals, never a number, asked once and kept."""

import json
from pathlib import Path

import pytest
import yaml
from tests.asking.commands import concord
from tests.asking.scripted_server import scripted_server
from tests.people.studies.papers import CLOSED
from tests.people.studies.test_papers import written

from concord.asking.connection import Connection
from concord.asking.proposals import propose
from concord.asking.runs import run_job
from concord.errors import StudyError
from concord.people import studies
from concord.people.studies.draft import draft_study

pytest.importorskip("inspect_ai", reason="the extra `live` is not installed")
TEXT = "Owners asked for more, t(118) = 6.20, p < .001. Mood did not differ, t(118) = 0.41, p = .683.\n"
SAID = {
    "title": "What is mine is worth more",
    "design": "120 adults were given a mug or not",  # a number: refused
    "population": "adults at a\nshopping centre",
    "colour": "blue",  # nothing that is to be filled in
    "tests": {
        "F1": {"says": "Owners ask for more.", "compared": "owners, then others", "n": "sixty"},
        "F2": {"says": "Mood: t = 0.41."},
        "F9": {"says": "There is no such statistic."},
    },
}


def test_proposals_are_words_inside_the_marks_and_no_number_of_a_model_is_kept(tmp_path: Path) -> None:
    paper = tmp_path / "paper.txt"
    paper.write_text(TEXT, "utf-8")
    draft = draft_study(paper)
    asked: list[str] = []

    def model(prompt: str) -> str:
        asked.append(prompt)
        return f"Here it is:\n```json\n{json.dumps(SAID)}\n```"

    with scripted_server(model) as server:
        at = Connection(server.url)
        found = propose(draft, paper, "openai-api/scripted/m", tmp_path / "kept", ask=run_job, connection=at)
        again = propose(draft, paper, "openai-api/scripted/m", tmp_path / "kept", ask=run_job, connection=at)
    assert again == found
    assert len(asked) == 1  # nothing is asked twice
    assert found.words == {
        "title": "What is mine is worth more",
        "population": "adults at a shopping centre",
        "F1.says": "Owners ask for more.",
        "F1.compared": "owners, then others",
    }
    assert found.n_refused == 5
    document = yaml.safe_load(draft.yaml(found.words))
    plain = yaml.safe_load(draft.yaml())
    assert document["title"].startswith("FILL IN: ") and document["title"].endswith(
        "(proposed: What is mine is worth more)"
    )
    assert document["about"] == plain["about"]
    for name, finding in document["findings"].items():
        for test, before in zip(finding["tests"], plain["findings"][name]["tests"], strict=True):
            assert test["human"] == before["human"]  # numbers are those of the paper, with page and words
    file = tmp_path / "draft.yaml"
    file.write_text(draft.yaml(found.words), "utf-8")
    with pytest.raises(StudyError, match="to be filled in"):  # a proposal is no answer
        studies.read_study(file)


def test_a_reply_that_is_no_proposal_proposes_nothing(tmp_path: Path) -> None:
    paper = tmp_path / "paper.txt"
    paper.write_text(TEXT, "utf-8")
    with scripted_server(lambda prompt: "I would rather not.") as server:
        found = propose(
            draft_study(paper),
            paper,
            "openai-api/scripted/m",
            tmp_path / "kept",
            ask=run_job,
            connection=Connection(server.url),
        )
    assert (found.words, found.n_refused) == ({}, 0)


@pytest.mark.long
@pytest.mark.parametrize("name", ["nine", "ten", "twelve"])
def test_the_command_asks_a_model_for_words_and_keeps_no_key(name: str, tmp_path: Path) -> None:
    (paper,) = (one for one in CLOSED if one.name == name)
    file = written(paper, tmp_path)
    words = {"title": "Waiting", "tests": {"F1": {"says": "It seems longer.", "compared": "3 groups"}}}
    with scripted_server(lambda prompt: json.dumps(words)) as server:
        key = {"SCRIPTED_BASE_URL": server.url, "SCRIPTED_API_KEY": "sk-not-to-be-kept"}
        asked = ("studies", "draft", file.name, "--helper", "openai-api/scripted/m", "--out", "draft.yaml")
        done = concord(*asked, cwd=tmp_path, **key)
        again = concord(*asked, cwd=tmp_path, **key)
    assert (done.returncode, again.returncode, server.n_calls) == (0, 0, 1)
    assert "proposed words for 2 places; 1 left out (a number, or nothing to fill in)" in done.stderr
    document = yaml.safe_load((tmp_path / "draft.yaml").read_text("utf-8"))
    assert len(document["findings"]) == len(paper.statistics)
    assert document["title"].endswith("(proposed: Waiting)")
    kept = [one.read_bytes() for one in tmp_path.rglob("*") if one.is_file()]
    assert not [data for data in kept if b"sk-not-to-be-kept" in data]
    checked = concord("check", "draft.yaml", cwd=tmp_path)
    assert checked.returncode == 1 and "to be filled in" in checked.stdout
