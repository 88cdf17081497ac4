"""Golden messages for bad files, folders and sheets: file, sheet, row, column, value, and what to do."""

import zipfile
from pathlib import Path
from typing import Any, TypeAlias

import openpyxl
import pytest

import concord
from concord.errors import InputError

Build: TypeAlias = Any


OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def test_an_empty_workbook_names_its_sheet(build: Build) -> None:
    build.both("m.xlsx", {"Sheet1": []})
    message = build.refused()
    assert (
        "left out: model 'm', arrangement 'Sheet1': baseline_mean/m.xlsx, sheet 'Sheet1': the sheet is empty"
        in message
    )
    assert "left out: model 'm': no arrangement can be scored" in message


@pytest.mark.parametrize("summary", ["summary", "Summary ", "汇总", "总结", "摘要", "要約", "まとめ", "요약"])
def test_only_a_summary_sheet(build: Build, summary: str) -> None:
    build.both("m.xlsx", {summary: build.sheet("x", 0.5)})
    assert f"baseline_mean/m.xlsx: no sheet but {summary!r}; add one per arrangement" in build.refused()


def test_a_summary_beside_arrangements_is_named_and_left_out(build: Build) -> None:
    extra = {"Summary": build.sheet("x", 0.9)}
    build.both("m.xlsx", build.pair(0.5) | extra, build.pair(0.6) | extra)
    result = build.run()
    build.says(result, "baseline_mean/m.xlsx, sheet 'Summary': a summary, left out")
    assert result.models[0].n_arrangements == 2


def test_a_corrupted_workbook_is_refused_and_the_rest_scored(build: Build) -> None:
    build.good()
    build.both("bad.xlsx", build.pair(0.5))
    path = build.mean / "bad.xlsx"
    path.write_bytes(path.read_bytes()[:300])
    result = build.run()
    assert build.names(result) == ["good"]
    build.says(
        result, "model 'bad': baseline_mean/bad.xlsx: the workbook is damaged (File is not a zip file)"
    )
    build.says(result, "open it in a spreadsheet program and save it again")


def test_a_workbook_with_broken_xml_inside(build: Build) -> None:
    build.both("bad.xlsx", build.pair(0.5))
    path = build.max / "bad.xlsx"
    parts = {n: zipfile.ZipFile(path).read(n) for n in zipfile.ZipFile(path).namelist()}
    parts["xl/worksheets/sheet2.xml"] = parts["xl/worksheets/sheet2.xml"][:200] + b"<<<"
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    message = build.refused()
    assert "baseline_max/bad.xlsx" in message
    assert "'BACD'" in message


def test_a_password_protected_workbook(build: Build) -> None:
    build.good("m.xlsx")
    (build.mean / "m.xlsx").write_bytes(
        OLE + b"\0" * 600 + "EncryptedPackage".encode("utf-16-le") + b"\0" * 600
    )
    assert (
        "baseline_mean/m.xlsx: the workbook is password-protected; save it without a password"
        in build.refused()
    )


def test_an_old_xls_under_the_name_xlsx(build: Build) -> None:
    build.good("m.xlsx")
    (build.mean / "m.xlsx").write_bytes(OLE + b"\0" * 600 + "Workbook".encode("utf-16-le"))
    assert (
        "baseline_mean/m.xlsx: an old .xls workbook under another name; save it as .xlsx" in build.refused()
    )


def test_text_named_xlsx_is_refused(build: Build) -> None:
    build.good("m.xlsx")
    build.text("mean", "m.xlsx", "Idiom,S_Acc\na,0.5\n")
    message = build.refused()
    assert "baseline_mean/m.xlsx: found text or something else (it starts with b'Idiom,S_')" in message
    assert "give it the extension of its content (.csv for text)" in message


def test_a_workbook_named_csv_is_read_and_said(build: Build) -> None:
    build.good("gpt-4_turbo.xlsx")
    for side in (build.mean, build.max):
        (side / "gpt-4_turbo.xlsx").rename(side / "gpt-4_turbo.csv")
    result = build.run()
    assert build.names(result) == ["gpt-4_turbo"]
    build.says(result, "baseline_mean/gpt-4_turbo.csv: a workbook named .csv, read as a workbook")


def test_a_zip_that_is_no_workbook(build: Build) -> None:
    build.good("m.xlsx")
    with zipfile.ZipFile(build.mean / "m.xlsx", "w") as archive:
        archive.writestr("hello.txt", "hello")
    assert (
        "baseline_mean/m.xlsx: a zip archive, but not an .xlsx workbook; save it as .xlsx" in build.refused()
    )


def test_an_empty_file(build: Build) -> None:
    build.good("m.xlsx")
    (build.mean / "m.xlsx").write_bytes(b"")
    assert "baseline_mean/m.xlsx: the file is empty (0 bytes); export it again" in build.refused()


def _bomb(path: Path, *, size: int, lie: bool = False) -> None:
    parts = {n: zipfile.ZipFile(path).read(n) for n in zipfile.ZipFile(path).namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, data in parts.items():
            archive.writestr(name, data + b" " * (size if name.endswith("sheet1.xml") else 0))
    if lie:
        data = path.read_bytes()
        real = (size + len(parts["xl/worksheets/sheet1.xml"])).to_bytes(4, "little")
        path.write_bytes(data.replace(real, (1000).to_bytes(4, "little")))


@pytest.mark.parametrize("lie", [False, True])
def test_a_zip_bomb_is_refused_before_it_is_unpacked(build: Build, lie: bool) -> None:
    build.good()
    build.good("m.xlsx")
    _bomb(build.mean / "m.xlsx", size=40_000_000, lie=lie)
    result = build.run()
    assert build.names(result) == ["good"]
    build.says(result, "(a zip bomb?); refused without unpacking")


def test_a_stray_cell_far_out_does_not_fill_the_memory(build: Build) -> None:
    build.both("m.xlsx", build.pair(0.5))
    path = build.mean / "m.xlsx"
    book = openpyxl.load_workbook(path)
    book["ABDC"].cell(row=1_048_576, column=16_384, value=1)
    book.save(path)
    message = build.refused()
    assert (
        "baseline_mean/m.xlsx, sheet 'ABDC': cells as far out as row 1,048,576 and column 16,384" in message
    )
    assert "delete stray cells outside the table" in message


def test_a_folder_without_a_counterpart(build: Build) -> None:
    build.good()
    with pytest.raises(
        InputError, match="--mean without --max: both folders are needed, or one table with --scores"
    ):
        concord.score_structure(build.mean)
    with pytest.raises(
        InputError, match="--max nowhere: no such folder; give the folder with one file per model"
    ):
        concord.score_structure(build.mean, build.folder / "nowhere")


def test_nothing_given_and_too_much_given(build: Build) -> None:
    with pytest.raises(InputError, match="no scores given: give --mean DIR and --max DIR, or --scores FILE"):
        concord.score_structure()
    with pytest.raises(InputError, match="give --scores or the two folders --mean and --max, not both"):
        concord.score_structure(build.mean, build.max, "x.csv")


def test_the_parent_folder_gets_a_hint(build: Build) -> None:
    build.good()
    with pytest.raises(InputError, match="give its subfolders: --mean baseline_mean --max baseline_max"):
        concord.score_structure(build.folder, build.max)


def test_an_empty_folder(build: Build) -> None:
    build.mean.mkdir()
    build.max.mkdir()
    with pytest.raises(
        InputError, match="holds no .xlsx workbook and no <model>_<arrangement>.csv file; it is empty"
    ):
        build.run()


def test_a_model_on_one_side_only_is_named_and_the_rest_scored(build: Build) -> None:
    build.good()
    build.book("mean", "only-mean.xlsx", build.pair(0.5))
    build.book("max", "only-max.xlsx", build.pair(0.5))
    result = build.run()
    assert build.names(result) == ["good"]
    assert (
        "model 'only-mean': baseline_mean/only-mean.xlsx: no counterpart in the folder 'baseline_max'"
        in build.said(result)
    )
    assert (
        "model 'only-max': baseline_max/only-max.xlsx: no counterpart in the folder 'baseline_mean'"
        in build.said(result)
    )


def test_an_arrangement_on_one_side_only(build: Build) -> None:
    more, other = {"CDAB": build.sheet("CDAB", 0.5)}, {"DCBA": build.sheet("DCBA", 0.6)}
    build.both("m.xlsx", build.pair(0.5) | more, build.pair(0.6) | other)
    result = build.run()
    assert result.models[0].n_arrangements == 2
    build.says(result, "arrangement 'CDAB': baseline_mean/m.xlsx, sheet 'CDAB': only in the mean data")
    build.says(result, "arrangement 'DCBA': baseline_max/m.xlsx, sheet 'DCBA': only in the max data")


def test_sheets_are_compared_after_trimming_and_case_folding(build: Build) -> None:
    build.both("m.xlsx", {" abdc": build.sheet("ABDC", 0.5)}, {"ABDC ": build.sheet("ABDC", 0.6)})
    assert build.run().models[0].consistency.e_perf.value == pytest.approx(0.1)


def test_two_sheets_that_are_equal_after_trimming(build: Build) -> None:
    grids = build.pair(0.5) | {"ABDC ": build.sheet("ABDC", 0.4)}
    build.both("m.xlsx", grids, build.pair(0.6))
    result = build.run()
    assert result.models[0].n_arrangements == 1
    expected = "sheet 'ABDC' and baseline_mean/m.xlsx, sheet 'ABDC ': equal after trimming and case folding"
    assert expected in build.said(result)


def test_a_csv_without_an_arrangement_in_its_name(build: Build) -> None:
    build.good()
    build.text("mean", "nounderscore.csv", "item,S_Acc\na,0.5\n")
    build.says(build.run(), "baseline_mean/nounderscore.csv: the name gives no model and arrangement")


def test_other_files_are_named_not_ignored(build: Build) -> None:
    build.good()
    build.text("mean", "notes.md", "hello")
    build.text("mean", "old.xls", "hello")
    text = build.said(build.run())
    assert "baseline_mean/notes.md: not an .xlsx or .csv file, not read" in text
    assert "baseline_mean/old.xls: .xls files are not read here; save it as .xlsx or .csv" in text


def test_lock_files_and_hidden_files_are_no_models(build: Build) -> None:
    build.good()
    build.text("mean", "~$good.xlsx", "lock")
    build.text("mean", ".DS_Store", "x")
    result = build.run()
    assert build.names(result) == ["good"]
    assert "good.xlsx:" not in build.said(result)


def test_two_files_for_one_model(build: Build) -> None:
    build.good("m.xlsx")
    build.text("mean", "m_ABDC.csv", "item,S_Acc\na,0.5\n")
    message = build.refused()
    assert "several files for one model: baseline_mean/m.xlsx, baseline_mean/m_ABDC.csv; keep one" in message
