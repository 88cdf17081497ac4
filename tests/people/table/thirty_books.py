# ruff: noqa: E501 - rows of a sheet are easier to check on one line
"""Thirty workbooks in the habits of other people, with the truth of every test, written before it was read.

A book is its records, its merged areas and, by agent, what each test must come out as.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openpyxl import Workbook

Numbers = Mapping[str, Any]
Truth = Mapping[str, Mapping[tuple[str, str], tuple[Numbers | None, Numbers | None]]]
"""By agent, by study and test: the human and the agent side."""
_: object = None


def means(m1: float, s1: float, n1: float, m2: float, s2: float, n2: float) -> Numbers:
    """Student's t of two groups."""
    pooled = ((n1 - 1) * s1**2 + (n2 - 1) * s2**2) / (n1 + n2 - 2)
    return {"statistic": (m1 - m2) / math.sqrt(pooled * (1 / n1 + 1 / n2)), "n1": n1, "n2": n2}


def counts(k1: int, n1: int, k2: int, n2: int) -> Numbers:
    """Two groups as a table of yes and no."""
    return {"table": ((k1, n1 - k1), (k2, n2 - k2))}


def t(value: float, df: float) -> Numbers:
    """A t with its degrees of freedom."""
    return {"statistic": value, "df2": df}


def r(value: float, n: float) -> Numbers:
    """A correlation of n pairs."""
    return {"statistic": value, "n": n}


@dataclass(frozen=True)
class Book:
    """A sheet as somebody made it, and what is in it."""

    rows: Sequence[Sequence[object]]
    truth: Truth
    merged: Sequence[str] = ()
    left_out: int = 0
    """Sides that nobody can read."""
    sheets: Sequence[str] = ("Sheet1",)
    """The table is on the last; the others hold a remark."""
    extra: Mapping[str, object] = field(default_factory=dict)

    def write(self, path: Path) -> Path:
        """Write the workbook."""
        book = Workbook()
        first: Any = book.active
        first.title = self.sheets[0]
        for name in self.sheets[1:]:
            first["A1"] = "see the other sheet"
            first = book.create_sheet(name)
        for i, row in enumerate(self.rows, 1):
            for j, value in enumerate(row, 1):
                if value is not None:
                    first.cell(i, j, value)
        for area in self.merged:
            first.merge_cells(area)
        book.save(path)
        return path


def _same(truth: Callable[[int], Mapping[tuple[str, str], Any]], names: Sequence[str]) -> Truth:
    return {name: truth(i) for i, name in enumerate(names)}


BOOKS: dict[int, Book] = {}

BOOKS[1] = Book(
    [
        ["Table 2: Conceptual replications"],
        ["Study", "Effect", "Humans", _, _, _, "GPT-4o", _, _, _, "Claude 3.5 Sonnet", _, _, _],
        [_, _, *["M treatment", "SD treatment", "M control", "SD control"] * 3],
        [_, _, *["(n = 40)", _, "(n = 40)", _], *["(n = 100)", _, "(n = 100)", _] * 2],
        ["Gray 2012", "moral typecasting", 5.1, 1.2, 4.3, 1.1, 5.9, 0.5, 4.0, 0.6, 5.0, 0.8, 4.9, 0.9],
        ["", "dyadic harm", 3.3, 1.0, 3.9, 1.3, 2.0, 0.4, 4.4, 0.7, 3.1, 0.9, 3.0, 0.8],
        ["Bai 2019", "status", 6.0, 0.9, 5.2, 1.0, 6.6, 0.3, 5.1, 0.4, 6.1, 0.5, 5.5, 0.6],
        ["Note. All scales run from 1 to 7."],
    ],
    {
        "GPT-4o": {
            ("Gray 2012", "moral typecasting"): (means(5.1, 1.2, 40, 4.3, 1.1, 40), means(5.9, 0.5, 100, 4.0, 0.6, 100)),
            ("Gray 2012", "dyadic harm"): (means(3.3, 1.0, 40, 3.9, 1.3, 40), means(2.0, 0.4, 100, 4.4, 0.7, 100)),
            ("Bai 2019", "status"): (means(6.0, 0.9, 40, 5.2, 1.0, 40), means(6.6, 0.3, 100, 5.1, 0.4, 100)),
        },
        "Claude 3.5 Sonnet": {
            ("Gray 2012", "moral typecasting"): (means(5.1, 1.2, 40, 4.3, 1.1, 40), means(5.0, 0.8, 100, 4.9, 0.9, 100)),
            ("Gray 2012", "dyadic harm"): (means(3.3, 1.0, 40, 3.9, 1.3, 40), means(3.1, 0.9, 100, 3.0, 0.8, 100)),
            ("Bai 2019", "status"): (means(6.0, 0.9, 40, 5.2, 1.0, 40), means(6.1, 0.5, 100, 5.5, 0.6, 100)),
        },
    },
    ["C2:F2", "G2:J2", "K2:N2", "A2:A4", "B2:B4"],
)  # fmt: skip

BOOKS[2] = Book(
    [
        ["Supplement S4"],
        [_],
        ["Paper", "Hypothesis", "Original sample", _, _, "Llama 3 70B", _, _, "Mistral-7B", _, _],
        [_, _, *["t", "df", "p"] * 3],
        ["Haidt 2001", "disgust", 2.4, 78, 0.019, 4.1, 198, "<.001", -0.3, 198, 0.76],
        ["Haidt 2001", "elevation", -1.1, 78, 0.27, -2.2, 198, 0.029, -0.9, 198, 0.37],
        ["Zhong 2006", "cleansing", 2.1, 58, 0.04, 0.2, 198, 0.84, 1.3, 198, 0.195],
    ],
    _same(
        lambda i: {
            ("Haidt 2001", "disgust"): (t(2.4, 78), t((4.1, -0.3)[i], 198)),
            ("Haidt 2001", "elevation"): (t(-1.1, 78), t((-2.2, -0.9)[i], 198)),
            ("Zhong 2006", "cleansing"): (t(2.1, 58), t((0.2, 1.3)[i], 198)),
        },
        ["Llama 3 70B", "Mistral-7B"],
    ),
    ["C3:E3", "F3:H3", "I3:K3"],
)

BOOKS[3] = Book(
    [
        ["Study", "DV", "Human", "GPT-4", "Gemini 1.5 Pro"],
        ["Lee 2015", "trust", "M=4.2 (SD=1.1), n=40 vs. M=3.6 (SD=1.2), n=41",
         "M=4.8 (SD=0.6), n=100 vs. M=3.1 (SD=0.7), n=100", "M=4.1 (SD=0.9), n=100 vs. M=4.0 (SD=0.8), n=100"],
        ["Lee 2015", "liking", "M = 5.0, SD = 1.0, n = 40 vs M = 4.4, SD = 1.1, n = 41",
         "5.5 (0.5), n = 100 vs. 4.0 (0.6), n = 100", "5.1 ± 0.8 (n = 100) vs. 4.9 ± 0.9 (n = 100)"],
        ["Roy 2018", "donation", "12.1 (3.2) vs. 9.8 (3.0), n = 60 per group", "14.0 (1.0) vs 9.0 (1.1), n = 50 per group",
         "10.0 (2.0) vs 10.1 (2.2), n = 50 per group"],
    ],
    {
        "GPT-4": {
            ("Lee 2015", "trust"): (means(4.2, 1.1, 40, 3.6, 1.2, 41), means(4.8, 0.6, 100, 3.1, 0.7, 100)),
            ("Lee 2015", "liking"): (means(5.0, 1.0, 40, 4.4, 1.1, 41), means(5.5, 0.5, 100, 4.0, 0.6, 100)),
            ("Roy 2018", "donation"): (means(12.1, 3.2, 60, 9.8, 3.0, 60), means(14, 1, 50, 9, 1.1, 50)),
        },
        "Gemini 1.5 Pro": {
            ("Lee 2015", "trust"): (means(4.2, 1.1, 40, 3.6, 1.2, 41), means(4.1, 0.9, 100, 4.0, 0.8, 100)),
            ("Lee 2015", "liking"): (means(5.0, 1.0, 40, 4.4, 1.1, 41), means(5.1, 0.8, 100, 4.9, 0.9, 100)),
            ("Roy 2018", "donation"): (means(12.1, 3.2, 60, 9.8, 3.0, 60), means(10.0, 2.0, 50, 10.1, 2.2, 50)),
        },
    },
)  # fmt: skip

BOOKS[4] = Book(
    [
        ["Paper", "Choice", "People", "o3-mini"],
        ["Tversky 1981", "disease", "85% vs 12% (n = 120 per cell)", "97% vs 3% (n = 100 per cell)"],
        ["Tversky 1981", "theatre", "26/40 vs 14/40", "40/50 vs. 41/50"],
        ["Kahneman 1982", "lottery", "10/19 vs 14/19", "12 of 20 vs 3 of 20"],
        ["Kahneman 1982", "jacket", "68% (n = 93) vs. 29% (n = 88)", "90 % (n=100) vs 90 % (n=100)"],
    ],
    {
        "o3-mini": {
            ("Tversky 1981", "disease"): (counts(102, 120, 14, 120), counts(97, 100, 3, 100)),
            ("Tversky 1981", "theatre"): (counts(26, 40, 14, 40), counts(40, 50, 41, 50)),
            ("Kahneman 1982", "lottery"): (counts(10, 19, 14, 19), counts(12, 20, 3, 20)),
            ("Kahneman 1982", "jacket"): (counts(63, 93, 26, 88), counts(90, 100, 90, 100)),
        }
    },
)

BOOKS[5] = Book(
    [
        ["Tabelle 4. Ergebnisse (Stand: 3. Mai)"],
        ["Studie", "Abhängige Variable", "Menschen", _, _, _, _, _, "Sprachmodell GPT-4", _, _, _, _, _],
        [_, _, "Versuchsgruppe", _, _, "Kontrollgruppe", _, _, "Versuchsgruppe", _, _, "Kontrollgruppe", _, _],
        [_, _, *["MW", "SD", "N"] * 4],
        ["Schwarz 1983", "Zufriedenheit", "5,4", "1,1", 44, "4,6", "1,3", 44, "6,1", "0,5", 80, "4,2", "0,6", 80],
        [_, "Glück", "5,9", "1,0", 44, "5,1", "1,2", 44, "6,0", "0,4", 80, "6,1", "0,4", 80],
        ["Strack 1988", "Cartoon", "5,14", "1,8", 30, "4,32", "1,6", 31, "5,0", "1,0", 80, "4,1", "1,1", 80],
        ["Gesamt", _, "5,5", _, 118, "4,7", _, 119, "5,7"],
        ["Anmerkung. MW = Mittelwert. Quelle: eigene Berechnung."],
    ],
    {
        "GPT-4": {
            ("Schwarz 1983", "Zufriedenheit"): (means(5.4, 1.1, 44, 4.6, 1.3, 44), means(6.1, 0.5, 80, 4.2, 0.6, 80)),
            ("Schwarz 1983", "Glück"): (means(5.9, 1.0, 44, 5.1, 1.2, 44), means(6.0, 0.4, 80, 6.1, 0.4, 80)),
            ("Strack 1988", "Cartoon"): (means(5.14, 1.8, 30, 4.32, 1.6, 31), means(5.0, 1.0, 80, 4.1, 1.1, 80)),
        }
    },
    ["C2:H2", "I2:N2", "C3:E3", "F3:H3", "I3:K3", "L3:N3", "A5:A6"],
)  # fmt: skip

BOOKS[6] = Book(
    [
        ["Tableau 1 : réplication"],
        ["Étude", "Variable dépendante", "Participants humains", _, _, _, "Modèle (Mistral Large)", _, _, _],
        [_, _, "Moyenne (ET) expérimental", "Moyenne (ET) témoin", "n par groupe", "p",
         "Moyenne (ET) expérimental", "Moyenne (ET) témoin", "n par groupe", "p"],
        ["Dubois 2010", "confiance", "4,8 (1,2)", "4,1 (1,3)", 35, "0,022", "5,5 (0,6)", "4,0 (0,5)", 90, "<0,001"],
        ["Dubois 2010", "humeur", "3,9 (1,0)", "4,0 (1,1)", 35, "0,69", "4,4 (0,7)", "4,1 (0,6)", 90, "0,002"],
        ["Martin 2014", "don (€)", "10,5 (4,0)", "8,0 (4,2)", 50, "0,003", "12,0 (2,0)", "8,5 (2,2)", 90, "<0,001"],
        ["Moyenne", _, "6,4", "5,4"],
        ["Note : ET = écart type."],
    ],
    {
        "Mistral Large": {
            ("Dubois 2010", "confiance"): (means(4.8, 1.2, 35, 4.1, 1.3, 35), means(5.5, 0.6, 90, 4.0, 0.5, 90)),
            ("Dubois 2010", "humeur"): (means(3.9, 1.0, 35, 4.0, 1.1, 35), means(4.4, 0.7, 90, 4.1, 0.6, 90)),
            ("Martin 2014", "don (€)"): (means(10.5, 4.0, 50, 8.0, 4.2, 50), means(12.0, 2.0, 90, 8.5, 2.2, 90)),
        }
    },
    ["C2:F2", "G2:J2"],
)  # fmt: skip

BOOKS[7] = Book(
    [
        ["표 3. 인간과 언어모형 비교"],
        ["연구", "종속변수", "참가자", _, _, "HyperCLOVA X", _, _],
        [_, _, "t", "자유도", "p", "t", "자유도", "p"],
        ["김 2016", "신뢰", 2.31, 62, 0.024, 5.5, 158, "< .001"],
        ["김 2016", "호감", 0.8, 62, 0.427, 1.2, 158, 0.232],
        ["박 2020", "기부", -2.6, 98, 0.011, -3.0, 158, 0.003],
        ["주. p는 양측검정."],
    ],
    {
        "HyperCLOVA X": {
            ("김 2016", "신뢰"): (t(2.31, 62), t(5.5, 158)),
            ("김 2016", "호감"): (t(0.8, 62), t(1.2, 158)),
            ("박 2020", "기부"): (t(-2.6, 98), t(-3.0, 158)),
        }
    },
    ["C2:E2", "F2:H2", "A2:A3", "B2:B3", "A4:A5"],
)

BOOKS[8] = Book(
    [
        ["Estudio", "Hipótesis", "Personas: resultado", "Modelo (GPT-4): resultado"],
        ["Pérez 2011", "anclaje", "t(58) = 2,41, p = 0,019", "t(198) = 6,02, p < 0,001"],
        ["Pérez 2011", "marco", "F(1, 120) = 7,3; p = 0,008", "F(1, 198) = 0,4; p = 0,53"],
        ["Gómez 2017", "edad y riesgo", "r = -0,21, n = 140", "r = 0,02, n = 200"],
        ["Fuente: elaboración propia"],
    ],
    {
        "GPT-4": {
            ("Pérez 2011", "anclaje"): (t(2.41, 58), t(6.02, 198)),
            ("Pérez 2011", "marco"): ({"statistic": 7.3, "df1": 1, "df2": 120}, {"statistic": 0.4, "df1": 1, "df2": 198}),
            ("Gómez 2017", "edad y riesgo"): (r(-0.21, 140), r(0.02, 200)),
        }
    },
)  # fmt: skip

BOOKS[9] = Book(
    [
        ["Table A. Experiments with two groups"],
        ["Study", "Measure", "Humans", _, _, "GPT-4o", _, _],
        [_, _, "t", "df", "p", "t", "df", "p"],
        ["Adams 1999", "anger", 2.2, 60, 0.032, 3.1, 198, 0.002],
        ["Adams 1999", "fear", 1.4, 60, 0.167, -0.5, 198, 0.618],
        [_],
        ["Table B. Correlations"],
        ["Study", "Measure", "Humans", _, "GPT-4o", _],
        [_, _, "r", "n", "r", "n"],
        ["Baker 2003", "age", 0.22, 150, 0.35, 200],
        ["Baker 2003", "income", -0.11, 150, -0.4, 200],
        [_],
        ["Table C. Choices"],
        ["Study", "Measure", "Humans", _, "GPT-4o", _],
        [_, _, "treatment", "control", "treatment", "control"],
        ["Clark 2007", "opt-out", "44/50", "20/50", "95/100", "60/100"],
    ],
    {
        "GPT-4o": {
            ("Adams 1999", "anger"): (t(2.2, 60), t(3.1, 198)),
            ("Adams 1999", "fear"): (t(1.4, 60), t(-0.5, 198)),
            ("Baker 2003", "age"): (r(0.22, 150), r(0.35, 200)),
            ("Baker 2003", "income"): (r(-0.11, 150), r(-0.4, 200)),
            ("Clark 2007", "opt-out"): (counts(44, 50, 20, 50), counts(95, 100, 60, 100)),
        }
    },
    ["C2:E2", "F2:H2", "C8:D8", "E8:F8", "C14:D14", "E14:F14"],
)

BOOKS[10] = Book(
    [
        ["Main effects"],
        ["Reference", "Outcome", "Participants F", "Participants df1", "Participants df2", "Model F", "Model df1",
         "Model df2"],
        ["Evans 2004", "recall", 4.4, 1, 96, 10.2, 1, 198],
        ["Evans 2004", "speed", 0.7, 1, 96, 0.1, 1, 198],
        ["Source: supplementary file 3"],
        [_],
        ["Follow-ups"],
        ["Reference", "Outcome", "Participants t", "Participants df", "Model t", "Model df"],
        ["Foster 2009", "delay", 2.9, 48, 2.0, 198],
    ],
    {
        "": {
            ("Evans 2004", "recall"): ({"statistic": 4.4, "df1": 1, "df2": 96}, {"statistic": 10.2, "df1": 1, "df2": 198}),
            ("Evans 2004", "speed"): ({"statistic": 0.7, "df1": 1, "df2": 96}, {"statistic": 0.1, "df1": 1, "df2": 198}),
            ("Foster 2009", "delay"): (t(2.9, 48), t(2.0, 198)),
        }
    },
)  # fmt: skip

BOOKS[11] = Book(
    [
        ["Study", "Measure", "Sample", "Condition", "M", "SD", "n"],
        ["Hill 2013", "warmth", "Human", "treatment", 5.0, 1.1, 50],
        [_, _, "Human", "control", 4.5, 1.2, 50],
        [_, _, "GPT-4", "treatment", 5.8, 0.4, 100],
        [_, _, "GPT-4", "control", 4.1, 0.5, 100],
        [_, _, "Qwen2.5-72B", "treatment", 5.0, 0.7, 100],
        [_, _, "Qwen2.5-72B", "control", 5.1, 0.8, 100],
        ["Total", _, _, _, 4.9, 0.8, 500],
        ["Ives 2016", "price", "Human", "treatment", 20.0, 6.0, 30],
        [_, _, "Human", "control", 16.0, 5.0, 32],
        [_, _, "GPT-4", "treatment", 25.0, 2.0, 100],
        [_, _, "GPT-4", "control", 15.0, 2.2, 100],
        [_, _, "Qwen2.5-72B", "treatment", 21.0, 3.0, 100],
        [_, _, "Qwen2.5-72B", "control", 19.0, 3.0, 100],
    ],
    {
        "GPT-4": {
            ("Hill 2013", "warmth"): (means(5.0, 1.1, 50, 4.5, 1.2, 50), means(5.8, 0.4, 100, 4.1, 0.5, 100)),
            ("Ives 2016", "price"): (means(20, 6, 30, 16, 5, 32), means(25, 2, 100, 15, 2.2, 100)),
        },
        "Qwen2.5-72B": {
            ("Hill 2013", "warmth"): (means(5.0, 1.1, 50, 4.5, 1.2, 50), means(5.0, 0.7, 100, 5.1, 0.8, 100)),
            ("Ives 2016", "price"): (means(20, 6, 30, 16, 5, 32), means(21, 3, 100, 19, 3, 100)),
        },
    },
)

BOOKS[12] = Book(
    [
        ["表1 結果のまとめ"],
        ["研究", "従属変数", "条件", "人間", _, _, "GPT-4", _, _],
        [_, _, _, "平均", "標準偏差", "n", "平均", "標準偏差", "n"],
        ["田中 2015", "信頼", "実験群", 4.9, 1.0, 40, 5.6, 0.5, 100],
        [_, _, "統制群", 4.2, 1.1, 40, 4.0, 0.6, 100],
        ["鈴木 2018", "寄付", "実験群", 320, 110, 35, 400, 40, 100],
        [_, _, "統制群", 250, 100, 36, 260, 50, 100],
        ["注: 値は平均"],
    ],
    {
        "GPT-4": {
            ("田中 2015", "信頼"): (means(4.9, 1.0, 40, 4.2, 1.1, 40), means(5.6, 0.5, 100, 4.0, 0.6, 100)),
            ("鈴木 2018", "寄付"): (means(320, 110, 35, 250, 100, 36), means(400, 40, 100, 260, 50, 100)),
        }
    },
    ["D2:F2", "G2:I2", "A4:A5", "B4:B5", "A6:A7", "B6:B7"],
)

_OR_H, _OR_A = (math.log(5.2) - math.log(1.1)) / 3.92, (math.log(3.0) - math.log(0.9)) / 3.92
BOOKS[13] = Book(
    [
        ["Study", "Hypothesis", "Human result", "Claude 3 Opus result"],
        ["Ng 2010", "slope", "β = 0.27, p = .02, n = 44", "β = 0.31, p < .001, n = 100"],
        ["Ng 2010", "share", "η² = .06, n = 80", "η² = .20, n = 200"],
        ["Ng 2010", "df as index", "t48 = 2.1", "t198 = 0.4, p = .69"],
        ["Ono 2014", "capital", "T(48) = 2.10, p = .041", "T(198) = 1.10"],
        ["Ono 2014", "phi", "φ = .25, n = 120", "φ = .05, n = 200"],
        ["Ono 2014", "Spearman", "rho = .31, n = 90", "rho = .44, n = 200"],
    ],
    {
        "Claude 3 Opus": {
            ("Ng 2010", "slope"): ({"p_value": 0.02, "direction": 1}, {"p_value": 0.001, "direction": 1}),
            ("Ng 2010", "share"): (
                {"statistic": 0.06 / 0.94 * 78, "df1": 1, "df2": 78},
                {"statistic": 0.2 / 0.8 * 198, "df1": 1, "df2": 198},
            ),
            ("Ng 2010", "df as index"): (t(2.1, 48), t(0.4, 198)),
            ("Ono 2014", "capital"): (t(2.1, 48), t(1.1, 198)),
            ("Ono 2014", "phi"): ({"statistic": 120 * 0.0625, "df1": 1, "n": 120}, {"statistic": 0.5, "df1": 1, "n": 200}),
            ("Ono 2014", "Spearman"): (r(0.31, 90), r(0.44, 200)),
        }
    },
)  # fmt: skip


def d_and_se(d: float, se: float) -> Numbers:
    """The groups whose d has this standard error: se² = 2/n + d²/(4 n) with n in each."""
    n = round((2 + d * d / 4) / se**2)
    return {"statistic": d * math.sqrt(n / 2), "n1": n, "n2": n}


def kendall(tau: float, n: float) -> Numbers:
    """The z of Kendall's tau."""
    return {"statistic": tau * math.sqrt(9 * n * (n - 1) / (2 * (2 * n + 5))), "n": n}


BOOKS[14] = Book(
    [
        ["Study", "Effect", "Humans", "DeepSeek-V3"],
        ["Park 2011", "size", "d = 0.45, SE = 0.16", "d = 0.80, SE = 0.10"],
        ["Park 2011", "table", "V = .30, n = 100", "V = .10, n = 150"],
        ["Park 2011", "ranks", "τ = .20, n = 60", "τ = -.05, n = 100"],
        ["Quinn 2019", "interval", "d = 0.45 [0.12, 0.78]", "d = 0.10 [-0.18, 0.38]"],
        ["Quinn 2019", "partial", "ηp² = .10, n = 62", "ηp² = .02, n = 102"],
        ["Quinn 2019", "b", "b = 0.42, SE = 0.10, n = 90", "b = 0.10, SE = 0.05, n = 200"],
    ],
    {
        "DeepSeek-V3": {
            ("Park 2011", "size"): (d_and_se(0.45, 0.16), d_and_se(0.8, 0.1)),
            ("Park 2011", "table"): ({"statistic": 9.0, "df1": 1, "n": 100}, {"statistic": 1.5, "df1": 1, "n": 150}),
            ("Park 2011", "ranks"): (kendall(0.2, 60), kendall(-0.05, 100)),
            ("Quinn 2019", "interval"): (d_and_se(0.45, 0.66 / 3.919928), d_and_se(0.10, 0.56 / 3.919928)),
            ("Quinn 2019", "partial"): (
                {"statistic": 0.1 / 0.9 * 60, "df1": 1, "df2": 60},
                {"statistic": 0.02 / 0.98 * 100, "df1": 1, "df2": 100},
            ),
            ("Quinn 2019", "b"): ({"statistic": 0.42, "se": 0.1, "n": 90}, {"statistic": 0.1, "se": 0.05, "n": 200}),
        }
    },
)  # fmt: skip

BOOKS[15] = Book(
    [
        ["Study", "Effect", "People M (SD) treatment", "People M (SD) control", "n each", "Llama-3 M (SD) treatment",
         "Llama-3 M (SD) control", "Llama-3 n per group", "Comment"],
        ["Reed 2008", "size a", "4.23 a) (1.1)", "3.90 b) (1.0)", 33, "4.9* (0.5)", "3.8** (0.6)", 100, "ok"],
        ["Reed 2008", "size b", "4.23ᵃ (1.2)", "4.30† (1.3)", 33, "5.0 (0.4)", "5.1 (0.5)", 100, "check SD"],
        ["Shaw 2012", "size c", "10.2 (2.0)¹", "9.0 (2.2)²", 40, "11.0 (1.0)", "8.0 (1.1)", 100, _],
        ["a) corrected value. b) from the authors."],
    ],
    {
        "Llama-3": {
            ("Reed 2008", "size a"): (means(4.23, 1.1, 33, 3.9, 1.0, 33), means(4.9, 0.5, 100, 3.8, 0.6, 100)),
            ("Reed 2008", "size b"): (means(4.23, 1.2, 33, 4.3, 1.3, 33), means(5.0, 0.4, 100, 5.1, 0.5, 100)),
            ("Shaw 2012", "size c"): (means(10.2, 2.0, 40, 9.0, 2.2, 40), means(11, 1, 100, 8, 1.1, 100)),
        }
    },
)  # fmt: skip

BOOKS[16] = Book(
    [
        ["Authors (year)", "Effect", "Original study", "LLM replication (GPT-4-turbo)"],
        ["Tan (2009)", "a", "t48=2.1, p=.041", "t198=3.3"],
        ["Tan (2009)", "b", "t_58 = -1.9", "t_198 = -2.5"],
        ["Usman (2015)", "c", "F1,98 = 4.4", "F1,198 = 0.3"],
        ["Usman (2015)", "d", "χ²(1) = 5.1, n = 88", "χ²(1) = 9.9, n = 200"],
        ["Usman (2015)", "e", "z = 2.2, n = 400", "z = 0.1, n = 400"],
    ],
    {
        "GPT-4-turbo": {
            ("Tan (2009)", "a"): (t(2.1, 48), t(3.3, 198)),
            ("Tan (2009)", "b"): (t(-1.9, 58), t(-2.5, 198)),
            ("Usman (2015)", "c"): ({"statistic": 4.4, "df1": 1, "df2": 98}, {"statistic": 0.3, "df1": 1, "df2": 198}),
            ("Usman (2015)", "d"): ({"statistic": 5.1, "df1": 1, "n": 88}, {"statistic": 9.9, "df1": 1, "n": 200}),
            ("Usman (2015)", "e"): ({"statistic": 2.2, "n": 400}, {"statistic": 0.1, "n": 400}),
        }
    },
)  # fmt: skip

BOOKS[17] = Book(
    [
        [
            "No.",
            "Study",
            "Finding",
            "Human t",
            "Human df",
            "Human p",
            "Model A t",
            "Model A df",
            "Model A p",
            "Model B t",
            "Model B df",
            "Model B p",
        ],
        [1, "Vogel 2011", "envy", "2.8**", 88, ".006", "4.4***", 198, "<.001", "0.2", 198, "n.s."],
        [2, "Vogel 2011", "pride", "1.0 n.s.", 88, ".32", "2.2*", 198, ".029", "-1.9", 198, ".06"],
        [3, "Weiss 2017", "awe", "−2.4*", 70, ".019", "−3.0**", 198, ".003", "-2.1*", 198, ".037"],
    ],
    _same(
        lambda i: {
            ("Vogel 2011", "envy"): (t(2.8, 88), t((4.4, 0.2)[i], 198)),
            ("Vogel 2011", "pride"): (t(1.0, 88), t((2.2, -1.9)[i], 198)),
            ("Weiss 2017", "awe"): (t(-2.4, 70), t((-3.0, -2.1)[i], 198)),
        },
        ["Model A", "Model B"],
    ),
)

BOOKS[18] = Book(
    [
        ["Study", "Outcome", "Human", _, "GPT-4o", _, "Gemini 2.0 Flash", _],
        [_, _, *["d", "SE"] * 3],
        ["Xu 2016", "help", 0.45, 0.16, 0.9, 0.1, 0.3, 0.1],
        ["Xu 2016", "share", 0.1, 0.15, -0.2, 0.1, 0.0, 0.1],
        ["Young 2020", "wait", -0.33, 0.12, -0.5, 0.09, -0.1, 0.09],
    ],
    _same(
        lambda i: {
            ("Xu 2016", "help"): (d_and_se(0.45, 0.16), d_and_se((0.9, 0.3)[i], 0.1)),
            ("Xu 2016", "share"): (d_and_se(0.1, 0.15), d_and_se((-0.2, 0.0)[i], 0.1)),
            ("Young 2020", "wait"): (d_and_se(-0.33, 0.12), d_and_se((-0.5, -0.1)[i], 0.09)),
        },
        ["GPT-4o", "Gemini 2.0 Flash"],
    ),
    ["C1:D1", "E1:F1", "G1:H1"],
)

BOOKS[19] = Book(
    [
        [
            "Coder's email (R)",
            "Study",
            "Claim (T)",
            "Human t",
            "Human df",
            "GPT-4 t",
            "GPT-4 df",
            "Result checked (F)",
        ],
        ["a@uni.edu", "Zeller 2013", "alpha", 2.0, 40, 3.0, 98, "yes"],
        ["b@uni.edu", "Zeller 2013", "beta", 0.3, 40, 0.9, 98, "yes"],
        ["a@uni.edu", "Abel 2018", "gamma", -2.7, 60, -1.0, 98, "no"],
    ],
    {
        "GPT-4": {
            ("Zeller 2013", "alpha"): (t(2.0, 40), t(3.0, 98)),
            ("Zeller 2013", "beta"): (t(0.3, 40), t(0.9, 98)),
            ("Abel 2018", "gamma"): (t(-2.7, 60), t(-1.0, 98)),
        }
    },
)

BOOKS[20] = Book(
    [
        ["", "", "Humans (n = 60 per condition)", _, "GPT-4o (n = 100 per condition)", _],
        ["Study", "Item", "treatment", "control", "treatment", "control"],
        ["Braun 2010", "agree", "70%", "50%", "95%", "40%"],
        ["Braun 2010", "sign", "35%", "30%", "20%", "21%"],
        ["Cole 2012", "buy", "55%", "25%", "60%", "10%"],
    ],
    {
        "GPT-4o": {
            ("Braun 2010", "agree"): (counts(42, 60, 30, 60), counts(95, 100, 40, 100)),
            ("Braun 2010", "sign"): (counts(21, 60, 18, 60), counts(20, 100, 21, 100)),
            ("Cole 2012", "buy"): (counts(33, 60, 15, 60), counts(60, 100, 10, 100)),
        }
    },
    ["C1:D1", "E1:F1"],
)

BOOKS[21] = Book(
    [
        ["Scenario family", "Outcome", "Human t", "Human df", "GPT-4 t", "GPT-4 df"],
        ["trolley", "push", 2.0, 90, 1.0, 198],
        ["trolley", "switch", 1.1, 90, 2.0, 198],
        ["ultimatum", "offer", 3.1, 90, 4.0, 198],
        ["ultimatum", "reject", -2.0, 90, -1.0, 198],
        ["dictator", "give", 0.4, 90, 0.0, 198],
        ["dictator", "take", 1.9, 90, 2.4, 198],
    ],
    {
        "GPT-4": {
            ("trolley", "push"): (t(2.0, 90), t(1.0, 198)),
            ("trolley", "switch"): (t(1.1, 90), t(2.0, 198)),
            ("ultimatum", "offer"): (t(3.1, 90), t(4.0, 198)),
            ("ultimatum", "reject"): (t(-2.0, 90), t(-1.0, 198)),
            ("dictator", "give"): (t(0.4, 90), t(0.0, 198)),
            ("dictator", "take"): (t(1.9, 90), t(2.4, 198)),
        }
    },
)

BOOKS[22] = Book(
    [
        ["Game", "Effect", "Humans", _, "Grok-2", _],
        [_, _, "r", "n", "r", "n"],
        ["public goods", "punish", 0.3, 80, 0.1, 100],
        [_, "reward", 0.2, 80, 0.4, 100],
        ["trust game", "send", 0.5, 90, 0.45, 100],
        [_, "return", 0.1, 90, -0.1, 100],
    ],
    {
        "Grok-2": {
            ("public goods", "punish"): (r(0.3, 80), r(0.1, 100)),
            ("public goods", "reward"): (r(0.2, 80), r(0.4, 100)),
            ("trust game", "send"): (r(0.5, 90), r(0.45, 100)),
            ("trust game", "return"): (r(0.1, 90), r(-0.1, 100)),
        }
    },
    ["C1:D1", "E1:F1", "A3:A4", "A5:A6"],
)

BOOKS[23] = Book(
    [
        ["Study", "Effect", "Humans", _, _, "Models", _, _, _, _, _],
        [_, _, _, _, _, "GPT-4", _, _, "Claude 3", _, _],
        [_, _, *["treatment", "control", "n per cell"] * 3],
        ["Dahl 2014", "blame", "5.0 (1.0)", "4.0 (1.1)", 30, "6.0 (0.5)", "4.2 (0.6)", 50, "5.0 (0.6)", "4.9 (0.7)", 50],
        ["Dahl 2014", "praise", "4.4 (1.2)", "4.5 (1.1)", 30, "4.0 (0.5)", "4.6 (0.4)", 50, "4.1 (0.5)", "4.0 (0.5)", 50],
        ["Egan 2019", "intent", "3.8 (1.3)", "3.0 (1.2)", 45, "4.9 (0.4)", "3.1 (0.5)", 50, "4.0 (0.4)", "3.2 (0.5)", 50],
    ],
    {
        "GPT-4": {
            ("Dahl 2014", "blame"): (means(5, 1, 30, 4, 1.1, 30), means(6, 0.5, 50, 4.2, 0.6, 50)),
            ("Dahl 2014", "praise"): (means(4.4, 1.2, 30, 4.5, 1.1, 30), means(4, 0.5, 50, 4.6, 0.4, 50)),
            ("Egan 2019", "intent"): (means(3.8, 1.3, 45, 3, 1.2, 45), means(4.9, 0.4, 50, 3.1, 0.5, 50)),
        },
        "Claude 3": {
            ("Dahl 2014", "blame"): (means(5, 1, 30, 4, 1.1, 30), means(5, 0.6, 50, 4.9, 0.7, 50)),
            ("Dahl 2014", "praise"): (means(4.4, 1.2, 30, 4.5, 1.1, 30), means(4.1, 0.5, 50, 4, 0.5, 50)),
            ("Egan 2019", "intent"): (means(3.8, 1.3, 45, 3, 1.2, 45), means(4, 0.4, 50, 3.2, 0.5, 50)),
        },
    },
    ["C1:E2", "F1:K1", "F2:H2", "I2:K2", "A1:A3", "B1:B3"],
)  # fmt: skip

BOOKS[24] = Book(
    [
        ["", "", "Humans", "", "", "", "GPT-4o", "", "", "", "Claude 3.7", "", "", ""],
        [
            "",
            "",
            "Treatment",
            "",
            "Control",
            "",
            "Treatment",
            "",
            "Control",
            "",
            "Treatment",
            "",
            "Control",
            "",
        ],
        ["Study", "DV", *["k", "n"] * 6],
        ["Fine 2011", "yes", 30, 50, 20, 50, 90, 100, 30, 100, 50, 100, 49, 100],
        ["Fine 2011", "stay", 12, 50, 10, 50, 5, 100, 30, 100, 20, 100, 10, 100],
        ["Gold 2015", "click", 40, 80, 22, 80, 77, 100, 12, 100, 50, 100, 30, 100],
    ],
    {
        "GPT-4o": {
            ("Fine 2011", "yes"): (counts(30, 50, 20, 50), counts(90, 100, 30, 100)),
            ("Fine 2011", "stay"): (counts(12, 50, 10, 50), counts(5, 100, 30, 100)),
            ("Gold 2015", "click"): (counts(40, 80, 22, 80), counts(77, 100, 12, 100)),
        },
        "Claude 3.7": {
            ("Fine 2011", "yes"): (counts(30, 50, 20, 50), counts(50, 100, 49, 100)),
            ("Fine 2011", "stay"): (counts(12, 50, 10, 50), counts(20, 100, 10, 100)),
            ("Gold 2015", "click"): (counts(40, 80, 22, 80), counts(50, 100, 30, 100)),
        },
    },
)

BOOKS[25] = Book(
    [
        [_, "Projekt X – Auswertung", _, _, _, _, _, _, "intern!"],
        [_],
        [_, "Quelle", "Hypothese", "Probanden", _, _, "KI (GPT-4o)", _, _, "Bemerkung"],
        [_, _, _, "t-Wert", "Freiheitsgrade", "p-Wert", "t-Wert", "Freiheitsgrade", "p-Wert"],
        [_, "Huber 2012", "H1", "2,05", "74", "0,044", "3,9", "198", "<0,001", "ok"],
        [_, _, "H2", "-0,4", "74", "0,69", "1,1", "198", "0,27", _],
        [_, "Jung 2018", "H1", "3,3", "112", "0,001", "2,8", "198", "0,006", "nachrechnen"],
        [_, "Durchschnitt", _, "1,65", _, _, "2,6"],
        [_, "Quelle: eigene Erhebung"],
        [_, "rot markiert = offen"],
    ],
    {
        "GPT-4o": {
            ("Huber 2012", "H1"): (t(2.05, 74), t(3.9, 198)),
            ("Huber 2012", "H2"): (t(-0.4, 74), t(1.1, 198)),
            ("Jung 2018", "H1"): (t(3.3, 112), t(2.8, 198)),
        }
    },
    ["D3:F3", "G3:I3", "B5:B6"],
)

BOOKS[26] = Book(
    [
        ["Study", "Effect", "Human result", "GPT-4 result", "Claude 3 result"],
        ["Kerr 2010", "a", "t(58) = 2.2", "t(98) = 2.9", "t(98) = 0.1"],
        ["Kerr 2010", "b", "t(58) = 1.2", "significant, see appendix", "t(98) = 1.5"],
        ["Kerr 2010", "c", "t(58) = -2.2", "t(98) = -0.9", "t(98) = -2.5"],
        ["Lang 2016", "d", "F(1, 90) = 4.4", "F(1, 98) = 2.2", "F(1, 98) = 6.2"],
        ["Lang 2016", "e", "t(90) = 3.1", "t(98) = 5.0", "t(98) = tbd"],
        ["Lang 2016", "f", "r(88) = .21", "r(98) = .40", "r(98) = .11"],
    ],
    {
        "GPT-4": {
            ("Kerr 2010", "a"): (t(2.2, 58), t(2.9, 98)),
            ("Kerr 2010", "b"): (t(1.2, 58), None),
            ("Kerr 2010", "c"): (t(-2.2, 58), t(-0.9, 98)),
            ("Lang 2016", "d"): ({"statistic": 4.4, "df2": 90}, {"statistic": 2.2, "df2": 98}),
            ("Lang 2016", "e"): (t(3.1, 90), t(5.0, 98)),
            ("Lang 2016", "f"): ({"statistic": 0.21}, {"statistic": 0.40}),
        },
        "Claude 3": {
            ("Kerr 2010", "a"): (t(2.2, 58), t(0.1, 98)),
            ("Kerr 2010", "b"): (t(1.2, 58), t(1.5, 98)),
            ("Kerr 2010", "c"): (t(-2.2, 58), t(-2.5, 98)),
            ("Lang 2016", "d"): ({"statistic": 4.4, "df2": 90}, {"statistic": 6.2, "df2": 98}),
            ("Lang 2016", "e"): (t(3.1, 90), None),
            ("Lang 2016", "f"): ({"statistic": 0.21}, {"statistic": 0.11}),
        },
    },
    left_out=2,
)

BOOKS[27] = Book(
    [
        ["Table 5"],
        ["Study", "Effect", "Participants", _, "Model A", _, "Model B", _, "Model C", _],
        [_, _, *["t", "df"] * 4],
        ["Moss 2013", "x", 2.1, 50, 1.0, 98, 2.0, 98, 3.0, 98],
        ["Moss 2013", "y", 0.1, 50, 1.1, 98, 2.1, 98, 3.1, 98],
        ["Nash 2019", "z", -2.6, 70, -1.2, 98, -2.2, 98, -3.2, 98],
        ["Average", _, -0.1],
    ],
    _same(
        lambda i: {
            ("Moss 2013", "x"): (t(2.1, 50), t(1.0 + i, 98)),
            ("Moss 2013", "y"): (t(0.1, 50), t(1.1 + i, 98)),
            ("Nash 2019", "z"): (t(-2.6, 70), t(-1.2 - i, 98)),
        },
        ["Model A", "Model B", "Model C"],
    ),
    ["C2:D2", "E2:F2", "G2:H2", "I2:J2"],
)

BOOKS[28] = Book(
    [
        ["Study", "Task", "Human", _, "LLMs", _, _, _, _, _],
        [_, _, _, _, "Ours", _, "Baseline", _, "Few-shot", _],
        [_, _, *["t", "df"] * 4],
        ["Ott 2012", "u", 2.1, 50, 1.0, 98, 2.0, 98, 3.0, 98],
        ["Ott 2012", "v", 0.1, 50, 1.1, 98, 2.1, 98, 3.1, 98],
        ["Pohl 2018", "w", -2.6, 70, -1.2, 98, -2.2, 98, -3.2, 98],
    ],
    _same(
        lambda i: {
            ("Ott 2012", "u"): (t(2.1, 50), t(1.0 + i, 98)),
            ("Ott 2012", "v"): (t(0.1, 50), t(1.1 + i, 98)),
            ("Pohl 2018", "w"): (t(-2.6, 70), t(-1.2 - i, 98)),
        },
        ["Ours", "Baseline", "Few-shot"],
    ),
    ["C1:D2", "E1:J1", "E2:F2", "G2:H2", "I2:J2", "A1:A3", "B1:B3"],
)

BOOKS[29] = Book(
    [
        [
            "Estudo",
            "Variável dependente",
            "Participantes humanos",
            _,
            _,
            "Modelo GPT-4",
            _,
            _,
            "Modelo Llama 3",
            _,
            _,
        ],
        [_, _, *["F", "gl", "p"] * 3],
        [
            "Silva 2013",
            "confiança",
            "5,2*",
            "1, 98",
            "0,025",
            "9,1**",
            "1, 198",
            "0,003",
            "0,2",
            "1, 198",
            "0,655",
        ],
        ["Silva 2013", "raiva", "0,9", "1, 98", "0,345", "1,4", "1, 198", "0,238", "4,1*", "1, 198", "0,044"],
        [
            "Costa 2017",
            "doação",
            "7,7**",
            "1, 120",
            "0,006",
            "6,0*",
            "1, 198",
            "0,015",
            "2,2",
            "1, 198",
            "0,14",
        ],
        ["Média", _, "4,6"],
    ],
    _same(
        lambda i: {
            ("Silva 2013", "confiança"): (
                {"statistic": 5.2, "df1": 1, "df2": 98},
                {"statistic": (9.1, 0.2)[i], "df1": 1, "df2": 198},
            ),
            ("Silva 2013", "raiva"): (
                {"statistic": 0.9, "df1": 1, "df2": 98},
                {"statistic": (1.4, 4.1)[i], "df1": 1, "df2": 198},
            ),
            ("Costa 2017", "doação"): (
                {"statistic": 7.7, "df1": 1, "df2": 120},
                {"statistic": (6.0, 2.2)[i], "df1": 1, "df2": 198},
            ),
        },
        ["GPT-4", "Llama 3"],
    ),
    ["C1:E1", "F1:H1", "I1:K1"],
)

BOOKS[30] = Book(
    [
        ["Replication Atlas, v2"],
        [_],
        [
            "#",
            "Original authors",
            "Effect",
            "Original effect size (d)",
            "Original N",
            "LLM effect size (d)",
            "LLM N",
        ],
        [1, "Rossi 2010", "priming", 0.5, 80, 0.1, 200],
        [2, "Rossi 2010", "fluency", 0.3, 120, 0.4, 200],
        [3, "Sato 2016", "nudge", 0.61, 60, 0.9, 200],
    ],
    {
        "": {
            ("Rossi 2010", "priming"): (
                {"statistic": 0.5 * math.sqrt(20), "n1": 40, "n2": 40},
                {"statistic": 0.1 * math.sqrt(50), "n1": 100, "n2": 100},
            ),
            ("Rossi 2010", "fluency"): (
                {"statistic": 0.3 * math.sqrt(30), "n1": 60, "n2": 60},
                {"statistic": 0.4 * math.sqrt(50), "n1": 100, "n2": 100},
            ),
            ("Sato 2016", "nudge"): (
                {"statistic": 0.61 * math.sqrt(15), "n1": 30, "n2": 30},
                {"statistic": 0.9 * math.sqrt(50), "n1": 100, "n2": 100},
            ),
        }
    },
    sheets=("README", "data"),
)
