"""A paper kit: what is written, and that its texts hold no number that no result holds."""

import csv
import zipfile
from dataclasses import fields
from pathlib import Path

import pytest
from tests.show.made_results import structure_rows

import concord
from concord import api, reports
from concord.errors import OptionError
from concord.people.agents import AgentsResult
from concord.people.files import PeopleResult
from concord.people.mixed.result import CombineResult
from concord.show.svg import Picture, stacked
from concord.show.write_up import MOST_FIGURES, Sources, WriteUp, trace
from concord.structure.judging.result import JudgeResult

WIDTHS = {89.0, 120.0, 183.0}


@pytest.fixture(scope="module")
def people() -> PeopleResult:
    found = concord.score_people(api.demo_table(), n_resamples=0, n_simulations=20, model="lab/one")
    assert isinstance(found, PeopleResult)
    return found


def _checked(made: WriteUp) -> WriteUp:
    """Hold what every write-up must be."""
    assert 1 <= len(made.figures) <= MOST_FIGURES
    assert {one.millimetres for one in made.figures} <= WIDTHS
    assert [one.number for one in made.untraced] == []
    assert "Concord (version" in made.methods
    names = {path.name for path in made.files}
    assert {"README.md", "methods.md", "results.md", "captions.md", "references.bib", "numbers.csv"} <= names
    for i in range(1, len(made.figures) + 1):
        svg = (made.folder / f"figure-{i}.svg").read_text("utf-8")
        assert f'width="{made.figures[i - 1].millimetres:g}mm"' in svg
        assert "'Liberation Sans'" in svg
    return made


def test_one_model_is_written_up(people: PeopleResult, tmp_path: Path) -> None:
    made = _checked(people.write_up(tmp_path / "paper"))
    for said in ("scale is 0.707 for t tests", "prior odds of an effect are 1", "pass as replications: the",
                 "0.05 unless the table", "95 %", "seed 0", "20 simulated", "54 tests",
                 "Assumptions: "):  # fmt: skip
        assert said in made.methods, said
    assert "would remove it" not in made.methods
    assert "Assumed" not in made.results
    with zipfile.ZipFile(tmp_path / "paper" / "write-up.docx") as archive:
        assert b"scale is 0.707" in archive.read("word/document.xml")
    rows = list(csv.DictReader((tmp_path / "paper" / "numbers.csv").read_text("utf-8").splitlines()))
    assert all(row["where it is"] != "not found" for row in rows)
    readme = (tmp_path / "paper" / "README.md").read_text("utf-8")
    assert readme.count(" mm | ") == len(made.figures)


def test_fewer_figures_leave_none_of_an_earlier_write_up(people: PeopleResult, tmp_path: Path) -> None:
    _checked(concord.write_up([people], tmp_path))
    (tmp_path / "figure-9.svg").write_text("old", "utf-8")
    (tmp_path / "figure-mine.svg").write_text("mine", "utf-8")
    _checked(people.write_up(tmp_path))
    assert not (tmp_path / "figure-9.svg").exists()
    assert (tmp_path / "figure-mine.svg").exists()


def test_several_models_and_questions_share_a_first_figure(people: PeopleResult, tmp_path: Path) -> None:
    order = api.score_structure(scores=structure_rows(3), reading="paired", resamples=200)
    made = _checked(concord.write_up([people, order], tmp_path))
    assert made.figures[0].millimetres == 183
    assert made.figures[0].caption.startswith("(a) ")
    assert (tmp_path / "figure-1a.csv").is_file() and (tmp_path / "figure-1b.csv").is_file()
    assert "**Agreement with itself.**" in made.results


def test_one_agent_of_many_and_many_are_written_up(tmp_path: Path) -> None:
    many = concord.score_people(api.public_table(), n_resamples=0, n_simulations=0)
    assert isinstance(many, AgentsResult)
    assert "PAS is the probability" in _checked(many.write_up(tmp_path / "many")).methods
    assert "GPT5" in _checked(many["GPT5"].write_up(tmp_path / "one")).figures[0].caption


def test_a_claim_that_is_withheld_is_not_among_the_results(tmp_path: Path) -> None:
    from tests.structure.judging import scripted

    result = api.score_judge(scripted.rows(scripted.length_lover, n=10), judge="j")
    said = "It is not said whether there is position bias: answers that could not be read could overturn it."

    class Withholding(JudgeResult):
        def sentences(self) -> list[str]:
            return [said, "j: 10 pairs were judged."]

    held = Withholding(**{name: getattr(result, name) for name in (one.name for one in fields(result))})
    made = held.write_up(tmp_path)
    assert said not in made.results and "10 pairs were judged" in made.results
    assert said in (tmp_path / "README.md").read_text("utf-8")


def test_a_number_that_no_result_holds_is_found_out() -> None:
    rows = [{"answer": i % 5, "prediction": i % 5 + i % 3} for i in range(60)]
    result = api.combine(rows, [{"prediction": i % 7} for i in range(300)])
    assert isinstance(result, CombineResult)
    traced = trace(
        {"results": "60 people, 300 replies; 41.7 to 95 % (Holm, 1979), p < .001"}, Sources([("c", result)])
    )
    found = {one.number: one.where for one in traced}
    assert found["41.7 %"] == ""
    assert all(found[number] for number in ("60", "300", "1979", ".001"))


def test_panels_have_letters_and_do_not_overlap() -> None:
    parts = [Picture(f"p{i}", f"Title {i}", "", 460, 100.0 * i, "<g/>") for i in (3, 1, 1)]
    sheet = stacked(parts, 960)
    assert [f">{letter}</text>" in sheet.body for letter in "abcd"] == [True, True, True, False]
    assert sheet.height < 500


def test_figures_are_the_selection_and_all_of_them_are_asked_for(
    people: PeopleResult, tmp_path: Path
) -> None:
    people.write(tmp_path / "r")
    some = reports.figures([tmp_path / "r"], out=tmp_path / "some")
    every = reports.figures([tmp_path / "r"], out=tmp_path / "every", every=True)
    assert some.n_pictures <= MOST_FIGURES < every.n_pictures


def test_nothing_to_write_up_is_said(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="there is no result to write up"):
        concord.write_up([], tmp_path)
