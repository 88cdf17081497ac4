"""What became of the answers, on the page: by item and condition, from the counts beside a result."""

from pathlib import Path

from concord import studies
from concord.people.studies.replies import ITEM_OUTCOMES
from concord.reports import page as make_page
from concord.show.page import build, people_panel
from concord.show.page.data import Texts


def _refusing(question: studies.Question) -> str:
    return "As an AI I cannot choose." if question.condition.get("other") == "competed" else "A"


def _result(folder: Path) -> Path:
    plans = studies.plan(["disjunction-effect"], n=6)
    studies.run(plans, _refusing, n_resamples=0).write(folder)
    return folder


def test_a_level_in_which_a_model_refuses_stands_first_with_its_counts(tmp_path: Path) -> None:
    (view,) = make_page([_result(tmp_path / "one")]).content.of("people")
    rows = people_panel.answer_rows(view.beside.answers)
    first = rows[0]
    assert (first["item"], first["condition"], first["asked"]) == ("move", "competed", 6)
    assert (first["ok"], first["refused"], first["unread"]) == (0, 6, 1.0)
    assert sum(row["asked"] for row in rows) == 24
    said = people_panel.answers_sentence(rows)
    assert said == (
        "18 of 24 answers could be read and enter tests. "
        "Most are lost in disjunction-effect, move (competed): 6 of 6."
    )


def test_the_counts_are_a_table_of_the_page(tmp_path: Path) -> None:
    content = make_page([_result(tmp_path / "one")]).content
    table = build.data(content, Texts())["tables"]["answers-0"]
    assert [column["key"] for column in table["columns"]][:5] == [
        "study",
        "experiment",
        "item",
        "condition",
        "asked",
    ]


def test_every_outcome_that_is_counted_has_its_column() -> None:
    assert {str(outcome) for outcome in ITEM_OUTCOMES} == {people_panel.ANSWERED, *people_panel.OUTCOMES}


def test_a_damaged_file_of_counts_is_named_and_a_missing_one_is_no_fault(tmp_path: Path) -> None:
    folder = _result(tmp_path / "one")
    file = folder / "answers.csv"
    file.write_text(file.read_text("utf-8").replace(",6\n", ",six\n"), "utf-8")
    content = make_page([folder]).content
    assert content.of("people")[0].beside.answers == ()
    assert any("answers are not counted" in problem.reason for problem in content.problems)
    file.unlink()
    content = make_page([folder]).content
    assert content.of("people")[0].beside.answers == ()
    assert not any("answers" in problem.reason for problem in content.problems)
