"""A paper to a draft: every number with its words, checked; what a person must say is marked."""

import zipfile
from collections.abc import Sequence
from pathlib import Path

import pytest
import yaml

from concord.errors import FileFormatError, OptionError, StudyError
from concord.people import studies
from concord.people.studies.draft import draft_study
from concord.stats.grim import grim, grimmer

RESULTS = (
    "Owners asked for more (M = 7.10, SD = 2.31, n = 60) than others (M = 3.49, SD = 1.20, n = 25), "
    "t(118) = 6.20, p < .001. The reminder did not help, F(1, 312) = 0.85, p = .357. Choices dif-\n"
    "fered, χ²(1, N = 152) = 12.40,\np < .001. A wrong one: t(20) = 1.85, p = .03. In all, 52 of 60 kept the "
    "mug (binomial test, p < .001). In 1972 the ratio was 3:1, and ps > .20."
)
FOUND = [
    "t(118) = 6.20, p < .001", "F(1, 312) = 0.85, p = .357", "χ²(1, N = 152) = 12.40, p < .001",
    "t(20) = 1.85, p = .03", "52 of 60 kept the mug (binomial test, p < .001",
]  # fmt: skip


def docx(path: Path, text: str) -> Path:
    parts = "".join(
        f"<w:r><w:t xml:space='preserve'>{word} </w:t></w:r>" for word in text.replace("<", "&lt;").split(" ")
    )
    name = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    body = f"<w:document xmlns:w='{name}'><w:body><w:p>{parts}</w:p></w:body></w:document>"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", body)
    return path


def pdf(path: Path, lines: list[str]) -> Path:
    """Write lines below each other on one page."""
    return placed_pdf(path, [[(50, 700 - 14 * i, line) for i, line in enumerate(lines)]])


def placed_pdf(path: Path, pages: Sequence[Sequence[tuple[int, int, str]]]) -> Path:
    """Write texts at their places, page by page."""
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>", f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]  # fmt: skip
    for i, page in enumerate(pages):
        shown = "".join(
            f"1 0 0 1 {x} {y} Tm ({text.replace('(', chr(92) + '(').replace(')', chr(92) + ')')}) Tj "
            for x, y, text in page
        )
        stream = f"BT /F1 10 Tf {shown}ET"
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents {5 + 2 * i} 0 R "
            "/Resources << /Font << /F1 3 0 R >> >> >>",
            f"<< /Length {len(stream)} >>\nstream\n{stream}\nendstream",
        ]
    out, starts = "%PDF-1.4\n", []
    for i, one in enumerate(objects, start=1):
        starts.append(len(out))
        out += f"{i} 0 obj\n{one}\nendobj\n"
    table = "".join(f"{at:010d} 00000 n \n" for at in starts)
    n = len(objects) + 1
    out += f"xref\n0 {n}\n0000000000 65535 f \n{table}"
    out += f"trailer << /Size {n} /Root 1 0 R >>\nstartxref\n{len(out)}\n%%EOF"
    path.write_bytes(out.encode("latin-1"))
    return path


def text_file(path: Path) -> Path:
    path.write_text(f"Method.\n\nNothing.\f{RESULTS}", "utf-8")
    return path


def test_every_statistic_has_its_place_and_its_words(tmp_path: Path) -> None:
    draft = draft_study(text_file(tmp_path / "paper.txt"))
    assert [one.text for one in draft.statistics] == FOUND
    assert {one.at for one in draft.statistics} == {"p. 2"}
    assert all(one.text in one.words for one in draft.statistics)
    assert [one.verdict for one in draft.statistics][3] == "decision error"
    assert [(one.grim, one.grimmer) for one in draft.moments] == [(True, True), (False, False)]
    told = "\n".join(draft.sentences())
    assert "5 statistics" in told
    assert "impossible mean of whole answers of 25 people" in told


def test_a_word_document_and_a_pdf_are_read(tmp_path: Path) -> None:
    words = draft_study(docx(tmp_path / "paper.docx", RESULTS.replace("-\n", "").replace("\n", " ")))
    assert [one.text for one in words.statistics] == FOUND
    lines = ["Owners asked for more, t(118) = 6.20, p <", ".001, and F(1, 312) = 0.85, p = .357."]
    found = draft_study(pdf(tmp_path / "paper.pdf", lines))
    assert [one.text for one in found.statistics] == FOUND[:2]
    assert found.statistics[0].at == "p. 1"


def test_a_draft_is_refused_until_it_is_filled_in_and_every_number_has_its_place(tmp_path: Path) -> None:
    draft = draft_study(text_file(tmp_path / "paper.txt"))
    document = yaml.safe_load(draft.yaml())
    assert [one["tests"][0]["human"]["reported"] for one in document["findings"].values()] == FOUND
    file = tmp_path / "draft.yaml"
    file.write_text(draft.yaml(), "utf-8")
    with pytest.raises(StudyError, match="to be filled in"):
        studies.read_study(file)
    example = Path(studies.__file__).with_name("anchoring.yaml").read_text("utf-8")
    bare = yaml.safe_load(example) | {"draft": document["draft"]}
    for finding in bare["findings"].values():
        for test in finding["tests"]:
            test["human"].pop("located", None)
    file.write_text(yaml.safe_dump(bare, allow_unicode=True), "utf-8")
    with pytest.raises(StudyError, match="a number without its place"):
        studies.read_study(file)


@pytest.mark.parametrize("data", [b"", b"%PDF-1.4 nothing", b"PK\x03\x04", b"\x00" * 40])
@pytest.mark.parametrize("ending", ["pdf", "docx"])
def test_damaged_papers_are_refused_in_words(tmp_path: Path, ending: str, data: bytes) -> None:
    path = tmp_path / f"paper.{ending}"
    path.write_bytes(data)
    with pytest.raises(FileFormatError, match="paper"):
        draft_study(path)


def test_entities_and_other_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "paper.docx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("word/document.xml", '<!DOCTYPE x [<!ENTITY a "b">]><x>&a;</x>')
    with pytest.raises(FileFormatError, match="entities"):
        draft_study(path)
    with pytest.raises(OptionError, match=r"\.pdf, \.docx"):
        draft_study(tmp_path / "paper.png") if (tmp_path / "paper.png").write_bytes(b"x") else None


def possible(n: int, mean: str, sd: str) -> bool:
    """Whether some answers from 1 to 5 have this mean and standard deviation, by going through all."""
    reached = {(0, 0)}
    for _ in range(n):
        reached = {(a + x, b + x * x) for a, b in reached for x in range(1, 6)}
    return any(
        f"{a / n:.2f}" == mean and f"{max((b - a * a / n) / (n - 1), 0) ** 0.5:.2f}" == sd for a, b in reached
    )


@pytest.mark.parametrize("n", [7, 12])
def test_what_is_possible_is_never_called_impossible(n: int) -> None:
    reached = {(0, 0)}
    for _ in range(n):
        reached = {(a + x, b + x * x) for a, b in reached for x in range(1, 6)}
    for a, b in reached:
        mean, sd = f"{a / n:.2f}", f"{max((b - a * a / n) / (n - 1), 0) ** 0.5:.2f}"
        assert grim(float(mean), n, decimals=2) is True
        assert grimmer(float(mean), float(sd), n, decimals=2, sd_decimals=2) is True
    called = [
        (mean, sd)
        for mean in ("2.43", "3.17", "3.50", "4.33")
        for sd in ("0.51", "0.79", "1.02", "1.33")
        if grimmer(float(mean), float(sd), n, decimals=2, sd_decimals=2) is False
    ]
    assert called
    assert not any(possible(n, *one) for one in called)
