"""Runs that were asked differently, or not to their end, are compared with a word about it."""

import json
from pathlib import Path
from typing import Any

from concord.comparing.doubts import run_doubts


def run(folder: Path, **changed: Any) -> Path:
    folder.mkdir()
    document = {
        "kind": "run",
        "sampling": {"temperature": 0.0, "max_tokens": 512, "top_p": None},
        "options": {"items": "a.json", "arranger": "options", "arrangements": None},
        "templates": {"structure/options-en.v1": "5b57593437bc"},
        "connection": {"base_url": "http://127.0.0.1:1/v1"},
        "n_trials": 184,
        "outcomes": {"ok": 184},
        **changed,
    }
    (folder / "run.json").write_text(json.dumps(document), "utf-8")
    return folder


def test_runs_that_were_asked_alike_need_no_word(tmp_path: Path) -> None:
    other = run(tmp_path / "b", connection={"base_url": "http://127.0.0.1:2/v1"})
    assert run_doubts([run(tmp_path / "a"), other]) == ()


def test_another_temperature_and_another_template_are_named(tmp_path: Path) -> None:
    other = run(tmp_path / "b", sampling={"temperature": 0.7, "max_tokens": 512}, templates={"t": "1"})
    (told,) = run_doubts([run(tmp_path / "a"), other / "results"])
    assert told.startswith("the models were not asked alike: temperature (0.0, 0.7); template structure/")
    assert "template t (not given, 1)" in told


def test_a_run_that_was_stopped_says_how_much_was_not_asked(tmp_path: Path) -> None:
    half = run(tmp_path / "b", outcomes={"ok": 72, "not asked": 112})
    assert run_doubts([run(tmp_path / "a"), half]) == (
        f"{half}: the run did not end, 112 of 184 trials were not asked",
    )


def test_results_without_a_run_are_of_no_concern(tmp_path: Path) -> None:
    assert run_doubts([run(tmp_path / "a"), tmp_path, [{"item": 1, "score": 1}]]) == ()
