"""Papers with tables, footnotes and two columns: what is found in them against what they report."""

import re
import zipfile
from collections import Counter
from pathlib import Path
from xml.sax.saxutils import escape

import pytest
import yaml
from tests.people.studies.papers import CLOSED, OPEN, Paper
from tests.people.studies.test_draft import pdf, placed_pdf

from concord.people.studies.draft import DraftedStudy, draft_study

NAME = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"


def _paragraph(text: str) -> str:
    return f"<w:p><w:r><w:t xml:space='preserve'>{escape(text)}</w:t></w:r></w:p>"


def _table(rows: list[list[str]]) -> str:
    lines = ("".join(f"<w:tc>{_paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{line}</w:tr>' for line in lines)}</w:tbl>"


def written(paper: Paper, folder: Path) -> Path:
    path = folder / f"{paper.name}.{paper.ending}"
    if paper.ending == "docx":
        body = "".join(_paragraph(part) if isinstance(part, str) else _table(part) for part in paper.parts)
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(
                "word/document.xml",
                f"<w:document xmlns:w='{NAME}'><w:body>{body}</w:body></w:document>",
            )
            if paper.notes:
                notes = "".join(f"<w:footnote>{_paragraph(text)}</w:footnote>" for text in paper.notes)
                archive.writestr("word/footnotes.xml", f"<w:footnotes xmlns:w='{NAME}'>{notes}</w:footnotes>")
        return path
    if paper.placed:
        return placed_pdf(path, paper.placed)
    text = "\n\n".join(str(part) for part in paper.parts)
    if paper.ending == "pdf":
        return pdf(path, text.splitlines())
    path.write_text(text, "utf-8")
    return path


def rates(papers: tuple[Paper, ...], folder: Path) -> tuple[float, float, list[DraftedStudy]]:
    """Recall and precision of statistics, and the drafts."""
    right = reported = found = 0
    drafts = []
    for paper in papers:
        draft = draft_study(written(paper, folder))
        truth, here = Counter(paper.statistics), Counter(one.text for one in draft.statistics)
        right += (truth & here).total()
        reported, found = reported + truth.total(), found + here.total()
        drafts.append(draft)
    return right / reported, right / found, drafts


@pytest.mark.parametrize("papers", [OPEN, CLOSED], ids=["seen", "written after"])
def test_statistics_of_papers_with_tables_are_found_and_nothing_else_is(
    papers: tuple[Paper, ...], tmp_path: Path
) -> None:
    recall, precision, drafts = rates(papers, tmp_path)
    assert recall >= 0.95
    assert precision >= 0.95
    for paper, draft in zip(papers, drafts, strict=True):
        assert sorted((one.mean, one.sd) for one in draft.moments) == sorted(paper.means)


@pytest.mark.parametrize("paper", [*OPEN, *CLOSED], ids=lambda paper: paper.name)
def test_no_number_is_without_its_words(paper: Paper, tmp_path: Path) -> None:
    draft = draft_study(written(paper, tmp_path))
    found = [(one.at, one.text, one.words) for one in draft.statistics]
    for at, text, words in [*found, *((one.at, one.text, one.words) for one in draft.moments)]:
        assert at
        assert all(number in words for number in re.findall(r"\d*\.?\d+", text)), text
    assert "\ufffe" not in draft.yaml()
    assert len(yaml.safe_load(draft.yaml())["findings"]) == len(paper.statistics)


def test_footnotes_and_endnotes_of_a_word_document_are_read_with_their_place(tmp_path: Path) -> None:
    (paper,) = (one for one in CLOSED if one.notes)
    found = {one.text: one.at for one in draft_study(written(paper, tmp_path)).statistics}
    assert found["F(1, 82) = 5.71, p = .019"] == "footnote 1"


def test_a_slope_in_a_sentence_is_found_once_and_not_where_its_t_is_given(tmp_path: Path) -> None:
    path = tmp_path / "paper.txt"
    path.write_text(
        "It rose, b = 0.21, SE = 0.08, p = .009; b = 0.3, SE = 0.1, t(76) = 3.0, p = .004.", "utf-8"
    )
    assert [one.text for one in draft_study(path).statistics] == [
        "b = 0.21, SE = 0.08, p = .009",
        "t(76) = 3.0, p = .004",
    ]


def test_a_table_that_lacks_degrees_of_freedom_gives_no_test(tmp_path: Path) -> None:
    path = tmp_path / "paper.txt"
    path.write_text("Effect   t   p\nWarmth   2.10   .040\nSkill   0.41   .680\n", "utf-8")
    assert draft_study(path).statistics == ()


def test_lists_of_words_in_two_columns_are_no_table(tmp_path: Path) -> None:
    path = tmp_path / "paper.txt"
    path.write_text("Item   n   p\nOne   12   .04\n\nThe mean   M   SD was not kept   1   2\n", "utf-8")
    draft = draft_study(path)
    assert (draft.statistics, draft.moments) == ((), ())
