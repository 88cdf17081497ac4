"""Workbooks as people make them by hand, with what must come out of every row."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from openpyxl import Workbook
from openpyxl.styles import PatternFill


def _put(sheet: Any, first: int, rows: Sequence[Sequence[object]]) -> None:
    for i, row in enumerate(rows):
        for j, value in enumerate(row):
            if value is not None:
                sheet.cell(first + i, j + 1, value)


def three_header_lines(path: Path) -> Path:
    """Titles, merged header cells on three lines, units, carried names, a total, a blank row and a note."""
    book = Workbook()
    sheet: Any = book.active
    sheet.title = "Tabelle1"
    sheet["A1"] = "Table 3. Replication of classic effects with GPT-4 (draft, 12 May)"
    sheet["A2"] = "all values as reported; * p < .05, ** p < .01"
    quarter = ["M", "SD", "n"]
    _put(
        sheet,
        4,
        [
            ["Study", "Effect", "Outcome", "Humans", *[None] * 5, "GPT-4", *[None] * 5, "Remarks"],
            [None] * 3 + ["Treatment", None, None, "Control", None, None] * 2,
            [*[None] * 3, *quarter * 4],
            [None] * 3 + ["(1-7)", "(1-7)", "(people)"] * 4,
            [
                "Miller 2001",
                "warmth",
                "rating",
                5.2,
                1.1,
                40,
                4.6,
                1.2,
                42,
                "5,5 ",
                0.6,
                100,
                "4,4",
                0.5,
                100,
            ],
            [None, None, "trust", 4.1, 1.3, 40, "4.0ᵃ", 1.2, 42, 4.9, 0.7, 100, 4.1, 0.8, 100],
            ["Total", None, None, 4.65, None, None, 4.3],
            [None],
            [
                "Jones 2010",
                "guilt",
                "gift (€)",
                12.5,
                6.0,
                30,
                9.1,
                5.5,
                30,
                20.1,
                3.0,
                60,
                9.9,
                2.9,
                60,
                "!",
            ],
            ["Note. SDs are pooled where the paper gives one."],
        ],
    )
    for area in ("A1:L1", "A4:A6", "B4:B6", "C4:C6", "D4:I4", "J4:O4", "P4:P6", "A8:A9"):
        sheet.merge_cells(area)
    for area in ("D5:F5", "G5:I5", "J5:L5", "M5:O5"):
        sheet.merge_cells(area)
    book.create_sheet("Notes")["A1"] = "not this one"
    book.save(path)
    return path


def strings_in_cells(path: Path) -> Path:
    """Printed statistics, counts, effects with intervals, decimal commas, directions, a sum and a legend."""
    book = Workbook()
    sheet: Any = book.active
    _put(
        sheet,
        1,
        [
            ["Results of the reading group"],
            [None],
            [
                "Paper",
                "Hypothesis",
                "Human result",
                "Direction (human)",
                "Model result",
                "Direction (model)",
                "?",
            ],
            ["Asch 1946", "warm-cold", "t(58) = 2,41*, p = ,019", "+", "t(198) = 4.02, p < .001", "+"],
            ["", "order", "F(1, 312) = 49.1, p < .001", "+", "F(1,198)=12,2", "-"],
            ["", "choice", "χ²(1, N = 80) = 5.2, p = .02", "−", "χ²(1, N = 200) = 1.1, n.s.", "+", "check"],
            ["Tversky 1981", "framing", "26/40 (65%)", None, "88 of 100"],
            ["", "attitude", "r = .31, n = 100", None, "r(198) = .12"],
            ["", "mood", "d = 0.45 [0.12, 0.78]", None, "d = 0,10 [-0,18; 0,38]"],
            ["", "vote", "OR = 2.1 [1.2, 3.7]", None, "OR = 1.5, 95% CI [1.0, 2.25]"],
            ["", "null effect", "n.s.", "+", "p < .05", "+"],
            ["Summe", None, 8, None, 8],
            ["* p < .05"],
        ],
    )
    book.save(path)
    return path


def long_layout(path: Path) -> Path:
    """One row per group and sample: people and two models below each other, M (SD) in one cell."""
    book = Workbook()
    sheet: Any = book.active
    rows: list[list[object]] = [["Study", "Measure", "Condition", "Source", "Mean (SD)", "N"]]
    for study, measure, n, cells in (
        ("A", "x", (40, 42), {"human": ("5.2 (1.1)", "4.6 (1.2)")}),
        ("A", "x", (100, 100), {"GPT-4": ("5.9 (0.6)", "4.4 (0.5)"), "Claude 3": ("5.1 (0.7)", "5.0 (0.5)")}),
        ("B", "y", (20, 20), {"human": ("3.2 (1.0)", "2.2 (1.0)")}),
        ("B", "y", (50, 50), {"GPT-4": ("3.2 (0.5)", "2.9 (0.5)"), "Claude 3": ("3.9 (0.5)", "2.0 (0.5)")}),
    ):
        for who, (high, low) in cells.items():
            rows.append([study, measure, "high", who, high, n[0]])
            rows.append([study, measure, "low", who, low, n[1]])
    _put(sheet, 1, rows)
    book.save(path)
    return path


def percentages(path: Path) -> Path:
    """Percent cells as a spreadsheet stores them, sample sizes of both groups, p as a bound."""
    book = Workbook()
    sheet: Any = book.active
    sides = [
        f"{who}: {what} ({group})"
        for who in ("People", "LLM")
        for group in ("treatment", "control")
        for what in ("% yes", "n")
    ]
    _put(
        sheet,
        1,
        [
            ["Study", "Item", *sides, "p (people)"],
            ["K", "buy", 0.65, 40, 0.40, 40, 0.9, 100, 0.2, 100, "p < .05"],
            ["K", "drive", 0.5, 40, 0.45, 40, 0.6, 100, 0.55, 100, "n.s."],
            ["L", "sign", 0.8, 50, 0.5, 50, 0.7, 100, 0.6, 100, 0.002],
        ],
    )
    book.save(path)
    return path


def sides_above_tests(path: Path) -> Path:
    """Notes on the first sheet; two header lines with merged sides, a gap, sizes of both groups in a cell."""
    book = Workbook()
    notes: Any = book.active
    notes.title = "Overview"
    _put(notes, 1, [["Only notes"], ["see the sheet Data"]])
    sheet: Any = book.create_sheet("Data")
    own = ["M (SD) treatment", "M (SD) control", "n per group", "Test"]
    _put(
        sheet,
        1,
        [
            ["Table 2. Replication of classic effects with GPT-4o (March)"],
            ["RT in ms"],
            [None],
            [None, None, "Human sample (original paper)", *[None] * 4, "GPT-4o"],
            ["Study", "Effect", *own, None, *own],
            ["Smith 2010", "anchoring", "5,2 (1,3)", "4,4 (1,4)", "40 / 42", "t(80) = 2,69, p = ,009", None,
             "5,6 (0,7)", "4,1 (0,8)", "100 / 100", "t(198) = 14,1, p < ,001"],
            [None, "recall", "12.1 (3.0)", "11.8 (3.2)", "40 / 42", None, None,
             "13.0 (1.1)", "12.9 (1.2)", 100],
            ["Okafor 2015", "endorsement", "14/40 (35%)", "26/40 (65%)", 40, "χ²(1, N = 80) = 7.20, p = .007",
             None, "88/100 (88%)", "60/100 (60%)", 100, "χ²(1, N = 200) = 20.37, p < .001"],
            ["Garcia 2018", "trust × giving", None, None, 120, "r(118) = .31, p < .001", None, None, None,
             150, "r(148) = .52, p < .001"],
            [None, "RT", "612 (88)", "655 (92)", "30 / 30", "t(58) = −1.85, p = .07", *[None] * 4,
             "n/a"],
            ["Note. n/a = GPT-4o refused the task. * p < .05."],
        ],
    )  # fmt: skip
    for area in ("A1:K1", "C4:F4", "H4:K4"):
        sheet.merge_cells(area)
    book.save(path)
    return path


def sizes_in_heads(path: Path) -> Path:
    """n in merged heads, text cells with decimal commas, colours, a note, and a second table below."""
    book = Workbook()
    sheet: Any = book.active
    heads = ["Treatment (n = 40)", None, "Control (n = 42)", None]
    others = ["Treatment (n = 100)", None, "Control (n = 100)", None]
    _put(
        sheet,
        1,
        [
            ["Tabelle 1: Menschen und GPT-4o"],
            ["Stand 3.5., vorläufig"],
            [None],
            ["Study", "Effect", "Humans", None, None, None, "GPT-4o"],
            [None, None, *heads, *others],
            [None, None, *["M", "SD"] * 4],
            ["Miller 2001", "warmth", "5,20", "1,10", "4,60", "1,20", "5,50", "0,60", "4,40", "0,50"],
            [None, "trust (1-7)", "4,10", "1,30", "4,00", "1,20", "4,90", "0,70", "4,10", "0,80"],
            ["Jones 2010", "speed (ms)", "612,5", "88,0", "655,0", "92,0", "601,0", "40,0", "640,0", "41,0"],
            ["* p < ,05. Gelb: Nachrechnung steht aus."],
            [None],
            ["Tabelle 2: Korrelationen"],
            ["Study", "Effect", "Humans r", "Humans n", "GPT-4o r", "GPT-4o n"],
            ["Kim 2012", "age × risk", ".31", "120", ".52*", "150"],
        ],
    )
    for area in ("A1:J1", "C4:F4", "G4:J4", "C5:D5", "E5:F5", "G5:H5", "I5:J5", "A4:A6", "B4:B6", "A7:A8"):
        sheet.merge_cells(area)
    for cell in ("C7", "D8", "E9"):
        sheet[cell].fill = PatternFill("solid", fgColor="FFFF00")
    book.save(path)
    return path


def percent_signs(path: Path) -> Path:
    """Percent signs in text cells, n on a header line of its own, stars at p values, bounds of p."""
    book = Workbook()
    sheet: Any = book.active
    _put(
        sheet,
        1,
        [
            ["Replication of choice studies"],
            ["Paper", "Hypothesis", "People", None, None, "Claude 3", None, None],
            [None, None, "treatment", "control", "p", "treatment", "control", "p"],
            [None, None, "(n=40)", "(n=40)", None, "(n=100)", "(n=100)"],
            ["K 1981", "buy", "65 %", "40%", ".025*", "90%", "20 %", "<.001***"],
            [None, "drive", "50%", "45%", ".654", "60%", "55%", ".474"],
            ["L 1990", "sign", "80%", "50%", "p < .01**", "70%", "60%", ".138"],
            [None],
            ["Note: * p<.05 ** p<.01 *** p<.001"],
        ],
    )
    for area in ("C2:E2", "F2:H2"):
        sheet.merge_cells(area)
    book.save(path)
    return path


def stars_and_brackets(path: Path) -> Path:
    """An empty first column, German heads, sides in brackets, stars and n.s. behind t, a row of means."""
    book = Workbook()
    sheet: Any = book.active
    numbers = ["t (Mensch)", "df (Mensch)", "p (Mensch)", "t (GPT-4)", "df (GPT-4)", "p (GPT-4)"]
    _put(
        sheet,
        1,
        [
            [None, "Übersicht, endgültige Fassung (2)"],
            [None],
            [None, "Autor/Jahr", "Hypothese", *numbers, None, "Kommentar"],
            [None, "Asch 1946", "warm-cold", "2,41*", "58", "0,019", "4,02***", "198", "< 0,001", None, "ok"],
            [None, "", "order", "-1,20 n.s.", "58", "0,24", "-3,5***", "198", "<,001"],
            [None, "Ross 1977", "consensus", "4,9***", "78", "<,001", "6,1***", "198", "<,001"],
            [None, "Mittelwert", None, "2,04", None, None, "2,2"],
            [None, "Anm.: rot = von Hand geprüft"],
        ],
    )
    book.save(path)
    return path
