"""The pages about studies: generated ones are current, keys are described, the tutorial's study runs."""

import json
import re
from pathlib import Path
from typing import get_args

import pytest
from pydantic import BaseModel
from tests.docs.tools import GENERATED, tool
from typer.testing import CliRunner

from concord import studies
from concord.cli.app import app
from concord.people.studies import format as study_format
from concord.people.studies.agents import DESIGNS
from concord.people.studies.describe import middle_reply
from concord.people.studies.expressions import FUNCTIONS
from concord.people.studies.replies import ITEM_OUTCOMES

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "reference" / "study-format.md").read_text("utf-8")
TUTORIAL = (ROOT / "docs" / "how-to" / "from-a-paper-to-a-study.md").read_text("utf-8")


def test_every_study_has_a_card_and_there_is_a_schema() -> None:
    pages = dict(tool("study_cards").pages())
    names = [f"reference/studies/{name}.md" for name in ("index", *studies.bundled_names())]
    assert sorted(pages) == sorted([*names, "reference/study.schema.json"])
    assert set(pages) <= GENERATED
    assert json.loads(pages["reference/study.schema.json"])["type"] == "object"
    assert all(f"({name}.md)" in pages[names[0]] for name in studies.bundled_names())


def _models() -> list[type[BaseModel]]:
    found = vars(study_format).values()
    return [one for one in found if isinstance(one, type) and issubclass(one, BaseModel) and one.__doc__]


def test_the_format_page_names_every_key_kind_function_design_and_outcome() -> None:
    named = set(re.findall(r"`([^`]+)`", PAGE))
    keys = {key for model in _models() for key in model.model_fields}
    assert keys - named == set()
    assert set(get_args(study_format.Kind)) - named == set()
    assert set(FUNCTIONS) - named == set()
    assert set(DESIGNS) - named == set()
    assert all(f"| {outcome} |" in PAGE for outcome in ITEM_OUTCOMES)


def _study_text() -> str:
    match = re.search(r'```yaml title="mugs\.yaml"\n(.*?)```', TUTORIAL, re.DOTALL)
    assert match is not None
    return match.group(1)


@pytest.fixture
def mugs(tmp_path: Path) -> Path:
    path = tmp_path / "mugs.yaml"
    path.write_text(_study_text(), "utf-8")
    return path


def test_the_study_of_the_tutorial_is_short_and_well_formed(mugs: Path) -> None:
    assert 60 <= len(_study_text().splitlines()) <= 90
    assert CliRunner().invoke(app, ["check", str(mugs)]).exit_code == 0


def test_the_study_of_the_tutorial_runs_from_recorded_replies_by_commands_alone(
    mugs: Path, tmp_path: Path
) -> None:
    rows = []
    for session in studies.sessions_of(studies.plan([str(mugs)])[0]):
        while not session.done:
            for question in session.waiting():
                price = str(5 + question.member.number % 3 + (question.condition["role"] == "owner"))
                reply = price if question.items[0][0] == "price" else middle_reply(question)
                rows.append({"id": question.id, "response": reply})
                session.answer(question.id, reply)
    replies = tmp_path / "replies.jsonl"
    replies.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    arguments = [str(replies), "--study", str(mugs), "--out", str(tmp_path / "out"), "--json"]
    done = CliRunner().invoke(app, ["score", "run", *arguments])
    assert done.exit_code == 0, done.output
    document = json.loads(done.stdout)
    assert document["n_tests"] == 3
    assert document["answers"]["mugs"] == {"ok": 360}
    assert any("the same for everybody" in told for told in document["tests_without_agent_side"])


def test_the_tutorial_shows_the_message_of_a_misspelt_template(mugs: Path) -> None:
    mugs.write_text(_study_text().replace("{role.story}", "{role.tale}"), "utf-8")
    message = CliRunner().invoke(app, ["check", str(mugs)]).stdout.splitlines()[0]
    assert message in TUTORIAL


def test_what_the_tutorial_writes_for_a_printed_result_is_well_formed(mugs: Path) -> None:
    table = TUTORIAL.partition("## What the paper gives")[2].partition("\n## ")[0]
    rows = {"t(118)": "t-independent", "F(1, 118)": "anova", "chi2": "chi-square"}
    for start, kind in rows.items():
        (string,) = re.findall(rf'`reported: ("{re.escape(start)}[^`]*")`', table)
        groups = "outcome: choice\n        success: mug" if kind == "chi-square" else "outcome: price"
        test = f"test: {kind}\n        {groups}\n        groups: {{by: role}}"
        old = "test: t-independent\n        outcome: price\n        groups: {by: role}"
        text = _study_text().replace(old, test)
        direction = "" if kind == "t-independent" else "\n          direction: 1"
        mugs.write_text(text.replace('reported: "t(118) = 6.20, p < .001"', f"reported: {string}{direction}"))
        checked = CliRunner().invoke(app, ["check", str(mugs)])
        assert (checked.exit_code, checked.stderr) == (0, ""), checked.output
