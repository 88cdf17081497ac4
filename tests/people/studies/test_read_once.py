"""A study file is checked once, however often its bytes are asked for."""

from pathlib import Path
from typing import Any

import pytest

from concord import studies
from concord.people.design import design_people, plans_of
from concord.people.studies import load
from concord.people.studies.checks import check_study


def test_a_design_and_the_plans_made_from_it_check_a_study_once(monkeypatch: pytest.MonkeyPatch) -> None:
    load._checked.cache_clear()
    checked: list[str] = []

    def counted(study: Any, document: Any) -> Any:
        checked.append(study.study)
        return check_study(study, document)

    monkeypatch.setattr(load, "check_study", counted)
    design = design_people(["framing"], n=2)
    for _ in range(3):
        plans_of(dict(design.files), dict(design.options))
    studies.plan(["framing"])
    assert checked == ["framing"]


def test_a_changed_file_is_read_again(tmp_path: Path) -> None:
    (framing,) = studies.find_studies(["framing"])
    path = tmp_path / "framing.yaml"
    path.write_bytes(framing.raw)
    assert studies.read_study(path).study.title == framing.study.title
    path.write_bytes(framing.raw.replace(b"Framing: the same choice", b"Framing: another choice"))
    assert studies.read_study(path).study.title == "Framing: another choice in other words"
