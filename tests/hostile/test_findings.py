"""One test for each way in which a file once misled Concord, left its folder, or ended in a traceback."""

import json
import re
import sys
import time
import unicodedata
from pathlib import Path

import pytest
import xlsxwriter
from tests.pace import allowed
from typer.testing import CliRunner, Result

from concord import api
from concord.cli.app import app
from concord.files.columns import read_columns
from concord.files.output import plain_cell, safe_cell, safe_name
from concord.files.tables import TableOptions
from concord.people.apa.read import check_apa, parse_apa

HEADER = "study,finding,test,test_type,human_statistic,human_n,agent_statistic,agent_n"


def run(*arguments: object) -> Result:
    found = CliRunner().invoke(app, list(map(str, arguments)))
    assert found.exception is None or isinstance(found.exception, SystemExit), repr(found.exception)
    return found


def table(path: Path, *lines: str) -> Path:
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


# --- templates that items name --------------------------------------------------------------------------


def items_with(folder: Path, template: str) -> Path:
    item = {"id": "a", "question": "q?", "options": ["x", "y"], "answer": "x"}
    path = folder / "it.json"
    path.write_text(json.dumps({"items": [item], "template": template}), "utf-8")
    return path


@pytest.mark.parametrize(
    "template", ["{up}SECRET", "a\0b", "x" * 5000, "plain.v1.txt/x", "\ud800", "../prompts/plain.v1"]
)
def test_a_template_is_a_bundled_one_or_refused_by_run_and_by_check(tmp_path: Path, template: str) -> None:
    (tmp_path / "SECRET.txt").write_text("TOP SECRET\n", "utf-8")
    path = items_with(tmp_path, template.replace("{up}", "../" * 12 + str(tmp_path).lstrip("/") + "/"))
    asked = run("run", "structure", "--model", "mockllm/model", "--items", path, "--dry-run")
    checked = run("check", path)
    assert (asked.exit_code, checked.exit_code) == (2, 1)
    for said in (asked.output, checked.output):
        assert "is not known; expected one of" in said
        assert "TOP SECRET" not in said
        assert len(said) < 1500


def test_a_template_without_a_place_for_the_text_is_refused_by_run_and_by_check(tmp_path: Path) -> None:
    path = items_with(tmp_path, "judge.v1")
    asked = run("run", "structure", "--model", "mockllm/model", "--items", path, "--dry-run")
    checked = run("check", path)
    assert (asked.exit_code, checked.exit_code) == (2, 1)
    for said in (asked.output, checked.output):
        assert "'judge.v1' does not hold {text}" in said
    assert run("check", items_with(tmp_path, "plain.v1")).exit_code == 0
    assert run("check", items_with(tmp_path, "Say: {text}")).exit_code == 0


def test_a_key_twice_in_a_set_of_items_is_refused(tmp_path: Path) -> None:
    (tmp_path / "it.json").write_text('{"items": [{"id": "a", "id": "b"}]}', "utf-8")
    found = run("check", tmp_path / "it.json")
    assert found.exit_code == 2
    assert "an object holds the key 'id' twice" in found.output


# --- tables of tests ------------------------------------------------------------------------------------


def people_table(folder: Path, p: str, statistic: float = 8) -> Path:
    head = "study,finding,test,test_type,human_statistic,human_n1,human_n2,human_p_value,agent_statistic,"
    return table(folder / "t.csv", head + "agent_n1,agent_n2", f"S,F,a,t-test,{statistic},30,30,{p},2,30,30")


def test_a_p_of_three_zeros_is_a_bound_and_flagged(tmp_path: Path) -> None:
    """Spreadsheets and SPSS print p < .0005 as .000; no p is 0, and no Bayes factor is infinite."""
    printed = api.score_people(people_table(tmp_path, ".000", 3.9), n_resamples=0, n_simulations=0)
    bound = api.score_people(people_table(tmp_path, ".0005", 3.9), n_resamples=0, n_simulations=0)
    (test,), (same,) = printed.tests, bound.tests
    assert test.pas == same.pas
    assert test.human_p == same.human_p == 0.0005
    assert "human: p printed as .000: taken as 0.0005, which it is below" in " ".join(test.flags)
    assert not any("printed" in flag for flag in same.flags)


def test_a_p_against_its_statistic_fails_the_check(tmp_path: Path) -> None:
    found = run("check", people_table(tmp_path, ".9"))
    assert found.exit_code == 1
    assert "the p-value is 0.9, and the statistic gives" in found.output
    assert run("check", people_table(tmp_path, "6.12e-11")).exit_code == 0


def test_rows_that_a_workbook_hides_are_scored_and_counted_in_a_warning(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet = book.add_worksheet("tests")
        sheet.write_row(0, 0, HEADER.split(","))
        for i in range(1, 6):
            sheet.write_row(i, 0, ["S", f"F{i}", "t", "t-test", 2.5, 60, 2.0, 60])
        for i in (2, 4):
            sheet.set_row(i, options={"hidden": True})
    found = run("check", path)
    assert "2 of 5 rows are hidden or filtered (rows 3, 5)" in found.output
    assert "5 tests" in found.output


@pytest.mark.parametrize(
    ("first", "second"), [("S", "s"), ("a b", "a\u00a0b"), ("1", "01"), ("1", "1.0"), ("Straße", "STRASSE")]
)
def test_names_that_are_equal_after_folding_are_warned_of(tmp_path: Path, first: str, second: str) -> None:
    path = table(tmp_path / "t.csv", HEADER, *(f"{s},F,t,t-test,2,60,2,60" for s in (first, second)))
    found = run("check", path)
    assert found.exit_code == 0
    assert "differ only in case, blanks or zeros, and count as two" in found.output
    path = table(tmp_path / "u.csv", HEADER, *(f"S,F,{t},t-test,2,60,2,60" for t in (first, second)))
    assert "differ only in case, blanks or zeros, and count as two" in run("check", path).output


def test_a_name_that_a_spreadsheet_turned_into_a_date_is_warned_of(tmp_path: Path) -> None:
    path = tmp_path / "t.xlsx"
    with xlsxwriter.Workbook(str(path)) as book:
        sheet, day = book.add_worksheet("tests"), book.add_format({"num_format": "d-mmm"})
        sheet.write_row(0, 0, HEADER.split(","))
        sheet.write_row(1, 0, ["S", "F", "", "t-test", 2.5, 60, 2.0, 60])
        sheet.write_number(1, 2, 45293, day)
    found = run("check", path)
    assert found.exit_code == 0
    assert "date" in found.output
    assert "row 2" in found.output


# --- score files ----------------------------------------------------------------------------------------


def test_an_item_composed_and_decomposed_is_one_item(tmp_path: Path) -> None:
    paths = []
    for form in ("NFC", "NFD"):
        rows = [{"item": unicodedata.normalize(form, f"caf\u00e9 {i}"), "score": i % 2} for i in range(4)]
        paths.append(table(tmp_path / f"{form}.jsonl", *map(json.dumps, rows)))
    found = json.loads(run("compare", *paths, "--json").stdout)
    assert found["pairs"][0]["n_items"] == 4


@pytest.mark.parametrize(
    ("name", "line"),
    [
        ("scores.jsonl", '{"item": "a", "score": 1, "score": 0}'),
        (
            "samples_x.jsonl",
            '{"doc_id": 1, "metrics": ["acc"], "filter": "none", "acc": 1, "acc": 0, "doc": {}}',
        ),
        ("replies.jsonl", '{"id": "a", "mode": "cot", "response": "x", "response": "y"}'),
    ],
)
def test_a_key_twice_in_a_line_is_refused(tmp_path: Path, name: str, line: str) -> None:
    path = table(tmp_path / name, line)
    found = run("check", path) if name == "replies.jsonl" else run("compare", path, path)
    assert found.exit_code in (1, 2)
    assert "twice" in found.output
    assert name in found.output


# --- options of a plan ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--sd-between", "1e300"], "sd_between is 1e+300"),
        (["--cluster-cv", "1e300"], "cluster_cv is 1e+300"),
        (["--item-cost", "inf", "--json"], "item_cost is inf"),
        (["--items", "20000000000"], "items is 20000000000"),
        (["--items", "99999999999999999999"], "items is 99999999999999999999"),
        (["--sd-between", "nan"], "sd_between is nan"),
    ],
)
def test_a_vast_option_of_a_plan_is_a_message_at_once(options: list[str], said: str) -> None:
    start = time.process_time()
    found = run("plan", "items", "--effect", "0.1", *options)
    assert found.exit_code == 2
    assert said in found.output
    assert time.process_time() - start < allowed(5)


# --- packages that bring studies ------------------------------------------------------------------------


@pytest.mark.parametrize("value", ["no_such_module_anywhere", "broken_lab", "broken_lab:files", "bad value"])
def test_a_package_with_broken_studies_leaves_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    (tmp_path / "broken_lab" / "files").mkdir(parents=True)
    (tmp_path / "broken_lab" / "__init__.py").write_text("import no_such_module_anywhere", "utf-8")
    (tmp_path / "broken_lab" / "files" / "x.yaml").write_text("study: [", "utf-8")
    about = tmp_path / "broken_lab-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: broken-lab\nVersion: 1.0\n", "utf-8")
    (about / "entry_points.txt").write_text(f"[concord.studies]\nbroken-lab = {value}\n", "utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    found = run("studies", "--json")
    sys.modules.pop("broken_lab", None)
    assert found.exit_code == 0
    assert "broken" in found.stderr or value in found.stderr
    assert "framing" in [row["study"] for row in json.loads(found.stdout)["studies"]]


# --- names and cells that are written -------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    ["\u202etxt.exe", "a\U000e0041b", "a\u061cb",
     "a\ufeffb", "\u200bx", "a\x9bb", "-rf", "CON", "nul", "aux.txt", "com1", "LPT9.csv",
     "x" * 98 + " y", "x" * 98 + ".y", "..", ".", "", "a/../b", "é" * 300, "detailed_stats.csv"],
)  # fmt: skip
def test_a_name_becomes_a_path_that_every_system_holds(name: str) -> None:
    safe = safe_name(name)
    assert safe
    assert len(safe) <= 100
    assert not set(safe) & set('/\\:*?"<>|\u202e\ufeff\u200b\x9b\u061c\U000e0041')
    assert not safe.startswith("-")
    assert safe == safe.strip(" .")
    assert safe.casefold().partition(".")[0] not in ("con", "nul", "aux", "com1", "lpt9")
    assert safe != "detailed_stats.csv"


@pytest.mark.parametrize(
    "lead", ["", " ", "\u00a0", "\u200b", "\ufeff", "\0", "\x0b", "\x0c", "\x1f", " \u2060\t"]
)
@pytest.mark.parametrize("formula", ["=1+1", "@SUM(A1)", "+1", "-x", "＝1"])
def test_a_formula_is_guarded_behind_whatever_is_not_seen(lead: str, formula: str) -> None:
    cell = safe_cell(lead + formula)
    assert str(cell).startswith("'")
    assert plain_cell(str(cell)) == lead + formula


def test_a_group_of_nobody_is_not_checkable() -> None:
    found = check_apa(parse_apa("U = 12.0, z = -1.96, p = .05"), n1=0, n2=10)
    assert found.verdict in ("consistent", "inconsistent", "not checkable")
    assert check_apa(parse_apa("U = 12.0, p = .05"), n1=0, n2=10).verdict == "not checkable"


# --- what a report shows --------------------------------------------------------------------------------

BIDI = "".join(map(chr, (0x202A, 0x202E, 0x2066, 0x2067, 0x2068, 0x2069)))


@pytest.fixture(scope="module")
def people(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("people")
    lines = [f"S{i % 3}{BIDI},F{i},t,t-test,2.{i},60,1.{i},60" for i in range(6)]
    path = table(folder / "t.csv", HEADER, *lines)
    api.score_people(path, n_resamples=0, n_simulations=0).write(folder / "out")
    return folder / "out"


def test_signs_that_turn_text_are_escaped_in_json_and_in_the_title(people: Path, tmp_path: Path) -> None:
    page = tmp_path / "r.html"
    found = run("report", people, "--out", page, "--title", f"a{BIDI}b</title><script>", "--json")
    assert found.exit_code == 0
    title = page.read_text("utf-8").partition("<title>")[2].partition("</title>")[0]
    assert title == "a" + "".join(f"\\u{ord(sign):04x}" for sign in BIDI) + "b&lt;/title&gt;&lt;script&gt;"
    scored = run("score", "people", people.parent / "t.csv", "--json", "--out", tmp_path / "o")
    for said in (found.output, scored.output):
        assert not set(said) & set(BIDI)
    assert "\\u2066" in scored.stdout
    assert json.loads(scored.stdout)


def _vast(value: object) -> object:
    if isinstance(value, dict):
        return {key: one if key == "format_version" else _vast(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_vast(one) for one in value]
    return 10**400 if isinstance(value, int | float) and not isinstance(value, bool) else value


def test_a_number_beyond_a_float_in_a_result_is_a_message_of_report(people: Path, tmp_path: Path) -> None:
    path = tmp_path / "benchmark_summary.json"
    document = json.loads((people / path.name).read_text("utf-8"))
    path.write_text(json.dumps(_vast(document)), "utf-8")
    found = run("report", tmp_path, "--out", tmp_path / "r.html")
    assert found.exit_code == 2
    assert "benchmark_summary.json: is not used: it holds a number that no float can hold" in found.output
    found = run("report", people, tmp_path, "--out", tmp_path / "r.html")
    assert found.exit_code == 0
    assert "no float can hold" in found.output


def test_a_result_of_many_keys_is_read_in_linear_time(people: Path, tmp_path: Path) -> None:
    path = tmp_path / "benchmark_summary.json"
    document = json.loads((people / path.name).read_text("utf-8"))
    keys = ",".join(f'"k{i}":0' for i in range(200_000))
    path.write_text(json.dumps(document)[:-1] + f',{keys},"k7":1}}', "utf-8")
    start = time.process_time()
    found = run("report", tmp_path, "--out", tmp_path / "r.html")
    assert time.process_time() - start < allowed(10)
    assert found.exit_code == 2
    assert "an object holds the key 'k7' twice" in found.output


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ('{"item": "a", "score": 1}\n{"item": "b", "sco', "line 2 cannot be read.*torn last line"),
        (
            '{"item": "a", "score": 1, "score": 0}\n{"item": "b", "score": 1}\n',
            "'score' twice.*correct the line",
        ),
        ('{"item": "a", "sco\n{"item": "b", "score": 1}\n', "line 1 cannot be read.*correct the line"),
    ],
)
def test_only_a_last_line_without_its_end_is_called_torn(tmp_path: Path, lines: str, said: str) -> None:
    (tmp_path / "s.jsonl").write_text(lines, "utf-8")
    found = run("compare", tmp_path / "s.jsonl", tmp_path / "s.jsonl")
    assert found.exit_code == 2
    assert re.search(said, found.output.replace("\n", " ")), found.output
    assert ("torn" in found.output) == ("torn" in said)


def test_a_column_without_a_name_is_read_under_its_own(tmp_path: Path) -> None:
    """Frames are built by name: polars gives a column without one another."""
    path = table(tmp_path / "s.csv", "item,,score", "a,1,1", "b,2,0", "c,3,1")
    assert read_columns(path, TableOptions()).take([""])[""].to_list() == ["1", "2", "3"]
    found = run("compare", path, path, "--json")
    assert json.loads(found.stdout)["pairs"][0]["n_items"] == 3


def test_a_bad_cell_of_counts_is_named_by_its_row(tmp_path: Path) -> None:
    lines = ["o,1,30,20", "o,2,30,20", "o,3,30,20", "o,oops,1,0"]
    path = table(tmp_path / "c.csv", "outcome,option,human_count,agent_count", *lines)
    found = run("score", "answers", path, "--out", tmp_path / "o")
    assert found.exit_code == 0 and "1 left out: column 'option' cannot be read" in found.output
    assert ",5,option,oops," in (tmp_path / "o" / "left_out.csv").read_text("utf-8")
    strict = run("score", "answers", path, "--strict", "--out", tmp_path / "s")
    assert strict.exit_code == 2 and "row 5, column 'option': got 'oops'" in strict.output


def test_half_a_character_in_a_title_or_a_log_is_replaced(tmp_path: Path) -> None:
    rows = [{"item": f"q{i}", "score": i % 2, "\ud800": 1} for i in range(4)]
    assert api.compare(rows, rows, n_flips=20)
    samples = [
        {"id": f"{i}\ud800", "epoch": 1, "input": "q", "target": "a", "scores": {"acc": {"value": "C"}}}
        for i in range(4)
    ]
    about = {"task": "t", "model": "m", "dataset": {}}
    log = {"version": 2, "status": "success", "eval": about, "samples": samples}
    (tmp_path / "l.json").write_text(json.dumps(log), "utf-8")
    assert run("compare", tmp_path / "l.json", tmp_path / "l.json").exit_code == 0
