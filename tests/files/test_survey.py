"""Exports of survey programs: what they hold, checked by numbers computed here."""

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import concord
from concord.errors import FileFormatError
from concord.files.survey import from_limesurvey, is_limesurvey, read_qsf

HUMAN = [1, 2, 3, 4, 5, 5, 4, 3, 2, 1, 2, 4, 3, 3, 5, 1, 2, 5, 4, 3]
AGENT = [3, 3, 4, 3, 3, 4, 3, 3, 2, 3, 4, 3, 3, 3, 4, 3, 2, 3, 3, 4]


def rows() -> list[dict[str, Any]]:
    """Two questions; the second is refused by two people."""
    made: list[dict[str, Any]] = []
    for who, answers in (("human", HUMAN), ("agent", AGENT)):
        made += [{"source": who, "trust": float(one), "hope": float(6 - one)} for one in answers]
    made[3]["hope"] = made[7]["hope"] = 99.0
    return made


def numbers(result: Any) -> dict[str, float]:
    """Return five numbers of a result."""
    by = {one.outcome: one for one in result.agents[0].outcomes}
    trust, hope = by["trust"].numbers, by["hope"].numbers
    return {
        "variance": trust["variance_ratio"].estimate.value,
        "tvd": trust["tvd"].estimate.value,
        "n": trust["variance_ratio"].estimate.n,
        "variance of hope": hope["variance_ratio"].estimate.value,
        "tvd of hope": hope["tvd"].estimate.value,
    }


def by_hand() -> dict[str, float]:
    """Compute the same numbers from the lists."""
    people = np.array(HUMAN, float)
    hope = np.array([6 - one for i, one in enumerate(HUMAN) if i not in (3, 7)], float)
    agent = np.array(AGENT, float)

    def tvd(x: Any, y: Any) -> float:
        return float(0.5 * sum(abs((x == k).mean() - (y == k).mean()) for k in range(1, 6)))

    return {
        "variance": float(agent.var(ddof=1) / people.var(ddof=1)),
        "tvd": tvd(people, agent),
        "n": 40,
        "variance of hope": float(agent.var(ddof=1) / hope.var(ddof=1)),
        "tvd of hope": tvd(hope, 6 - agent),
    }


def check(found: dict[str, float]) -> None:
    wanted = by_hand()
    for name in ("variance", "tvd", "variance of hope", "tvd of hope"):
        assert found[name] == pytest.approx(wanted[name], abs=1e-12), name


def written(path: Path, **more: Any) -> Path:
    stat = pytest.importorskip("pyreadstat", reason="the extra `survey` is not installed")
    frame = pl.DataFrame(rows())
    labels = {"trust": "How far do you trust?", "hope": "How far do you hope?", "source": "Who"}
    words = {"trust": {1.0: "not at all", 5.0: "fully"}, "hope": {1.0: "no", 5.0: "yes", 99.0: "Refused"}}
    write = stat.write_dta if path.suffix == ".dta" else stat.write_sav
    write(frame, str(path), column_labels=labels, variable_value_labels=words, **more)
    return path


@pytest.mark.parametrize("ending", [".sav", ".dta"])
def test_files_of_spss_and_stata_are_scored_and_refusals_left_out(ending: str, tmp_path: Path) -> None:
    path = written(tmp_path / f"survey{ending}")
    found = concord.score_answers(path, n_resamples=20)
    check(numbers(found))
    assert any("2 values with labels such as 'refused' count as missing" in text for text in found.warnings)


def test_values_that_spss_declares_as_missing_are_missing(tmp_path: Path) -> None:
    path = written(tmp_path / "survey.sav", missing_ranges={"hope": [{"lo": 90, "hi": 99}]})
    found = concord.score_answers(path, n_resamples=20)
    check(numbers(found))
    assert any("2 values that the file declares as missing" in text for text in found.warnings)


def test_people_and_predictions_from_spss_are_combined(tmp_path: Path) -> None:
    stat = pytest.importorskip("pyreadstat", reason="the extra `survey` is not installed")
    rng = np.random.default_rng(3)
    y = rng.integers(1, 6, 60).astype(float)
    people = [{"answer": a, "prediction": a + e} for a, e in zip(y, rng.normal(size=60), strict=True)]
    more = [{"prediction": float(one)} for one in rng.normal(3, 1.5, 400)]
    stat.write_sav(pl.DataFrame(people), str(tmp_path / "p.sav"))
    stat.write_dta(pl.DataFrame(more), str(tmp_path / "m.dta"))
    one = concord.combine(tmp_path / "p.sav", tmp_path / "m.dta").estimates[0]
    other = concord.combine(people, more).estimates[0]
    assert one.estimate.value == pytest.approx(other.estimate.value, abs=1e-12)
    assert one.estimate.interval == other.estimate.interval


def test_check_names_a_survey_with_what_was_asked(tmp_path: Path) -> None:
    found = concord.check(written(tmp_path / "survey.sav"))
    assert (found.kind, found.commands) == ("survey of SPSS", ("concord score answers", "concord combine"))
    assert ("trust", "How far do you trust?") in found.columns and found.counts["respondents"] == 40


def test_a_file_that_is_no_survey_is_refused_by_name(tmp_path: Path) -> None:
    pytest.importorskip("pyreadstat", reason="the extra `survey` is not installed")
    (tmp_path / "x.sav").write_text("no survey", "utf-8")
    with pytest.raises(FileFormatError, match=r"x\.sav: cannot be read as a file of SPSS"):
        concord.score_answers(tmp_path / "x.sav")


def test_a_damaged_file_whose_variable_has_no_name_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "survey.sav")
    whole = path.read_bytes()
    assert whole.count(b"TRUST   ") >= 1
    path.write_bytes(whole.replace(b"TRUST   ", b" " * 8, 1))
    with pytest.raises(FileFormatError, match=r"survey\.sav: damaged: a variable has no name"):
        concord.check(path)


def qualtrics(path: Path) -> tuple[Path, Path]:
    """Write an export with three head lines and texts of choices, and its survey file."""
    texts = {1: "Not at all", 2: "A little", 3: "Somewhat", 4: "Much", 5: "<b>Fully</b>"}
    head = ["StartDate", "ResponseId", "source", "QTrust", "QHope"]
    with (path / "export.csv").open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(head)
        out.writerow(["Start Date", "Response ID", "source", "How far do you trust?", "And hope?"])
        out.writerow([json.dumps({"ImportId": name}) for name in head])
        plain = {key: text.replace("<b>", "").replace("</b>", "") for key, text in texts.items()}
        for i, row in enumerate(rows()):
            hope = "" if row["hope"] == 99 else plain[int(row["hope"])]
            out.writerow(["2024-01-01", f"R_{i}", row["source"], plain[int(row["trust"])], hope])
    choices = {str(10 + key): {"Display": text} for key, text in texts.items()}
    recode = {str(10 + key): str(key) for key in texts}
    asked = [
        {"Element": "SQ", "Payload": {"DataExportTag": tag, "QuestionType": "MC", "Choices": choices,
                                      "RecodeValues": recode}} for tag in ("QTrust", "QHope")
    ]  # fmt: skip
    document = {"SurveyEntry": {}, "SurveyElements": [{"Element": "FL", "Payload": {}}, *asked]}
    (path / "survey.qsf").write_text(json.dumps(document), "utf-8")
    return path / "export.csv", path / "survey.qsf"


def test_texts_of_qualtrics_are_numbers_by_its_survey_file(tmp_path: Path) -> None:
    export, labels = qualtrics(tmp_path)
    assert read_qsf(labels)["QTrust"] == {
        "not at all": 1, "a little": 2, "somewhat": 3, "much": 4, "fully": 5
    }  # fmt: skip
    found = concord.score_answers(export, labels=labels, n_resamples=20)
    by = {one.outcome: one.numbers for one in found.agents[0].outcomes}
    wanted = by_hand()
    assert by["QTrust"]["variance_ratio"].estimate.value == pytest.approx(wanted["variance"], abs=1e-12)
    assert by["QTrust"]["tvd"].estimate.value == pytest.approx(wanted["tvd"], abs=1e-12)
    assert by["QHope"]["variance_ratio"].estimate.value == pytest.approx(
        wanted["variance of hope"], abs=1e-12
    )
    assert by["QHope"]["tvd"].estimate.value == pytest.approx(wanted["tvd of hope"], abs=1e-12)
    assert set(by) == {"QTrust", "QHope"}
    assert concord.check(export).kind == "survey of Qualtrics"
    assert concord.check(labels).kind == "survey of Qualtrics (labels)"


def test_labels_of_another_survey_are_refused(tmp_path: Path) -> None:
    export, labels = qualtrics(tmp_path)
    labels.write_text(labels.read_text("utf-8").replace("QTrust", "QX").replace("QHope", "QY"), "utf-8")
    with pytest.raises(FileFormatError, match="the labels are of 'QX', 'QY'; the table has none"):
        concord.score_answers(export, labels=labels)
    labels.write_text("{}", "utf-8")
    with pytest.raises(FileFormatError, match="expected a survey of Qualtrics"):
        concord.score_answers(export, labels=labels)


def test_an_export_of_limesurvey_is_scored_by_its_codes(tmp_path: Path) -> None:
    path = tmp_path / "lime.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["id. Response ID", "submitdate. Date submitted", "lastpage. Last page",
                      "startlanguage. Start language", "seed. Seed", "source. Who",
                      "trust. How far do you trust?", "hope. And hope?"])  # fmt: skip
        for i, row in enumerate(rows()):
            hope = "" if row["hope"] == 99 else f"A{row['hope']:.0f}"
            out.writerow([i, "2024-01-01", 3, "en", 1, row["source"], f"AO0{row['trust']:.0f}", hope])
    check(numbers(concord.score_answers(path, n_resamples=20)))
    assert concord.check(path).kind == "survey of LimeSurvey"


def test_titles_and_codes_of_limesurvey_are_told_from_others() -> None:
    assert not is_limesurvey(["id", "trust"])
    blank = dict.fromkeys(("id", "submitdate", "lastpage", "startlanguage"), ["", ""])
    frame = pl.DataFrame({**blank, "Q1": ["A1", "A3"], "Q2": ["A1", "other"], "Q3": [None, ""]})
    found, told = from_limesurvey(frame)
    assert told == ("2 of 2 responses were never submitted ('submitdate' is empty): they count",)
    assert found.columns == ["Q1", "Q2", "Q3"]
    assert found["Q1"].to_list() == ["1", "3"] and found["Q2"].to_list() == ["A1", "other"]


def _given_apart(people: Path, rows: list[Any], agent: Path, answers: list[Any]) -> Any:
    for path, held in ((people, rows), (agent, answers)):
        with path.open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(held)
    return concord.score_answers(people, agent, n_resamples=20)


def test_codes_of_limesurvey_are_the_same_answers_on_both_sides(tmp_path: Path) -> None:
    codes = [f"AO0{1 + i % 5}" for i in range(60)]
    head = ["id", "submitdate", "lastpage", "startlanguage", "Q1", "Q2"]
    people = [
        head,
        *([i, "2026-01-01" if i % 6 else "", 3, "de", code, i % 7] for i, code in enumerate(codes)),
    ]
    agent = [["id", "Q1", "Q2"], *([i, code, i % 7] for i, code in enumerate(codes))]
    found = _given_apart(tmp_path / "people.csv", people, tmp_path / "other.csv", agent)
    assert {one.numbers["tvd"].estimate.value for one in found.agents[0].outcomes} == {0.0}
    assert any("10 of 60 responses were never submitted" in text for text in found.warnings)


@pytest.mark.parametrize("n_heads", [2, 3])
def test_the_lines_of_texts_below_the_titles_of_qualtrics_are_no_respondents(
    tmp_path: Path, n_heads: int
) -> None:
    heads: list[Any] = [
        ["StartDate", "ResponseId", "Q1", "Q2"],
        ["Start Date", "Response ID", "How much?", "How often?"],
        [
            '{"ImportId":"startDate"}',
            '{"ImportId":"_recordId"}',
            '{"ImportId":"QID1"}',
            '{"ImportId":"QID2"}',
        ],
    ]
    rows: list[Any] = [["2026-01-02 10:00:00", f"R_{i}", 1 + i % 5, i % 3] for i in range(40)]
    agent: list[Any] = [["Q1", "Q2"], *([1 + i % 5, i % 3] for i in range(40))]
    found = _given_apart(tmp_path / "q.csv", [*heads[:n_heads], *rows], tmp_path / "a.csv", agent)
    assert [one.n_people for one in found.agents[0].outcomes] == [40, 40] and not found.left_out
    assert concord.check(tmp_path / "q.csv").counts == {"respondents": 40}
