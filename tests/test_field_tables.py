"""Twenty-four files in other people's habits; the truth of each by numpy and scipy alone."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from scipy import stats

import concord

Found = list[float | None]
Case = Callable[[Path], tuple[Found, Found]]
"""Writes its files and returns what is found in them and what is true."""
CASES: dict[int, Case] = {}


def case(number: int) -> Callable[[Case], Case]:
    return lambda made: CASES.setdefault(number, made)


def book(path: Path, lines: Sequence[Sequence[object]], *merged: str) -> Path:
    made = openpyxl.Workbook()
    for line in lines:
        made.worksheets[0].append(list(line))
    for area in merged:
        made.worksheets[0].merge_cells(area)
    made.save(path)
    return path


def text(path: Path, *lines: str, encoding: str = "utf-8") -> Path:
    path.write_text("\n".join(lines) + "\n", encoding)
    return path


def comma(value: float, digits: int = 2) -> str:
    return f"{value:.{digits}f}".replace(".", ",")


def p_of_t(t: float, df: float) -> float:
    return float(2 * stats.t.sf(abs(t), df))


def p_of_r(r: float, n: int) -> float:
    return p_of_t(r * np.sqrt((n - 2) / (1 - r * r)), n - 2)


def p_of_means(m: float, s: float, n: int, m2: float, s2: float, n2: int) -> float:
    return float(stats.ttest_ind_from_stats(m, s, n, m2, s2, n2).pvalue)


def p_of_counts(a: int, n: int, b: int, m: int) -> float:
    return float(stats.chi2_contingency([[a, n - a], [b, m - b]], correction=False).pvalue)


def people(table: Any, *names: str) -> Found:
    """Return the p-values of people and of every agent, in the order of the rows."""
    result: Any = concord.score_people(table, n_resamples=0, n_simulations=0)
    each = [result[name] for name in names] if names else [result]
    return [p for one in each for t in one.tests for p in (t.human_p, t.agent_p)]


def beside(human: Sequence[float | None], *agents: Sequence[float | None]) -> Found:
    return [p for agent in agents for pair in zip(human, agent, strict=True) for p in pair]


RNG = np.random.default_rng(20261118)
T_PEOPLE = [2.31, 0.44, 3.02, 1.87, 2.65]
T_AGENT = [4.10, 1.95, 0.32, 2.21, 5.04]
T_OTHER = [1.11, 2.75, 3.35, 0.61, 2.02]
DF = [48, 62, 80, 118, 54]


@case(1)
def _merged_german_head(at: Path) -> tuple[Found, Found]:
    lines: list[list[object]] = [
        ["Tabelle 3. Ergebnisse der Replikationen"],
        [],
        ["Studie", "Befund", "Menschen", None, "GPT-4o", None, "Claude 3 Opus", None],
        [None, None, "t", "df", "t", "df", "t", "df"],
    ]
    for i in range(5):
        lines.append([f"Studie {i + 1}", f"B{i + 1}", comma(T_PEOPLE[i]), DF[i], comma(T_AGENT[i]), 198]
                     + [comma(T_OTHER[i]), 198])  # fmt: skip
    lines += [[], ["Anmerkung. Alle Tests zweiseitig; df nach Welch nicht korrigiert."]]
    path = book(at / "a.xlsx", lines, "A3:A4", "B3:B4", "C3:D3", "E3:F3", "G3:H3")
    human = [p_of_t(*one) for one in zip(T_PEOPLE, DF, strict=True)]
    true = beside(human, [p_of_t(t, 198) for t in T_AGENT], [p_of_t(t, 198) for t in T_OTHER])
    return people(path, "GPT-4o", "Claude 3 Opus"), true


@case(2)
def _french_results_in_cells(at: Path) -> tuple[Found, Found]:
    rows = [
        ("Étude 1", "Ancrage", "t(58) = 2,41 ; p = ,019", "t(198) = 3,05 ; p = ,003"),
        ("Étude 2", "Cadrage", "r(98) = ,31", "r(198) = ,12"),
        ("Étude 3", "Dotation", "F(1, 62) = 6,12", "F(1, 198) = 0,85"),
        ("Étude 4", "Halo", "t(44) = −0,90", "t(198) = 2,20"),
    ]
    path = text(at / "a.csv", "Étude;Effet;Humains;GPT-4",
                *(";".join(f'"{one}"' for one in row) for row in rows))  # fmt: skip
    human = [p_of_t(2.41, 58), p_of_r(0.31, 100), float(stats.f.sf(6.12, 1, 62)), p_of_t(0.9, 44)]
    agent = [p_of_t(3.05, 198), p_of_r(0.12, 200), float(stats.f.sf(0.85, 1, 198)), p_of_t(2.2, 198)]
    return people(path), beside(human, agent)


MEANS = [
    (4.21, 1.10, 40, 3.65, 1.22, 41),
    (5.02, 0.95, 60, 4.88, 1.01, 58),
    (2.90, 1.40, 33, 3.75, 1.35, 35),
    (6.10, 1.05, 52, 5.40, 1.15, 50),
]
AGENT_MEANS = [
    (4.80, 0.60, 100, 4.10, 0.70, 100),
    (5.00, 0.50, 100, 5.05, 0.55, 100),
    (3.10, 0.90, 100, 3.30, 0.80, 100),
    (6.40, 0.40, 100, 5.90, 0.45, 100),
]


@case(3)
def _two_means_in_a_cell(at: Path) -> tuple[Found, Found]:
    def cell(m: float, s: float, n: int, m2: float, s2: float, n2: int) -> str:
        return f"M = {m:.2f}, SD = {s:.2f}, n = {n} vs. M = {m2:.2f}, SD = {s2:.2f}, n = {n2}"

    rows = [[f"Exp. {i + 1}", "Treatment vs. control", cell(*MEANS[i]), cell(*AGENT_MEANS[i])]
            for i in range(4)]  # fmt: skip
    path = book(at / "a.xlsx", [["Experiment", "Comparison", "Participants", "GPT-3.5"], *rows])
    return people(path), beside([p_of_means(*one) for one in MEANS], [p_of_means(*o) for o in AGENT_MEANS])


@case(4)
def _several_tables_on_a_sheet(at: Path) -> tuple[Found, Found]:
    lines: list[list[object]] = [
        ["Table 1. Experimental effects"],
        ["Study", "Finding", "Human t", "Human df", "GPT-4 t", "GPT-4 df"],
        *([f"E{i}", "main effect", T_PEOPLE[i], DF[i], T_AGENT[i], 98] for i in range(3)),
        [],
        ["Table 2. Correlations"],
        ["Study", "Finding", "Human r", "Human N", "GPT-4 r", "GPT-4 N"],
        ["C1", "trust – age", 0.22, 150, 0.41, 300],
        ["C2", "risk – age", -0.10, 150, -0.35, 300],
    ]
    # results list studies by their names
    human = [p_of_r(0.22, 150), p_of_r(-0.10, 150)]
    human += [p_of_t(*one) for one in zip(T_PEOPLE[:3], DF, strict=False)]
    agent = [p_of_r(0.41, 300), p_of_r(-0.35, 300), *(p_of_t(t, 98) for t in T_AGENT[:3])]
    return people(book(at / "a.xlsx", lines)), beside(human, agent)


@case(5)
def _korean_titles(at: Path) -> tuple[Found, Found]:
    head = "연구,가설,인간 t값,인간 자유도,GPT-4 t값,GPT-4 자유도"
    rows = (f"연구 {i + 1},가설 {i + 1},{T_PEOPLE[i]},{DF[i]},{T_AGENT[i]},98" for i in range(5))
    human = [p_of_t(*one) for one in zip(T_PEOPLE, DF, strict=True)]
    return people(text(at / "a.csv", head, *rows, encoding="utf-8-sig")), beside(
        human, [p_of_t(t, 98) for t in T_AGENT]
    )


@case(6)
def _portuguese_with_a_total_and_a_note(at: Path) -> tuple[Found, Found]:
    f_people, f_agent = [6.12, 0.71, 11.3, 4.05], [9.9, 3.1, 0.2, 7.5]
    rows = (
        f"Estudo {i + 1};Achado {i + 1};F(1, {DF[i]}) = {comma(f_people[i])};F(1, 198) = {comma(f_agent[i])}"
        for i in range(4)
    )
    path = text(at / "a.csv", "Estudo;Achado;Humanos;GPT-4o", *rows, "Total;4;;",
                "Nota: F de uma ANOVA de um fator.;;;")  # fmt: skip
    human = [float(stats.f.sf(f, 1, df)) for f, df in zip(f_people, DF, strict=False)]
    return people(path), beside(human, [float(stats.f.sf(f, 1, 198)) for f in f_agent])


@case(7)
def _means_of_two_conditions_below_merged_sides(at: Path) -> tuple[Found, Found]:
    lines: list[list[object]] = [
        ["Study", "Human participants", *[None] * 5, "GPT-4", *[None] * 5],
        [
            None,
            "Treatment",
            None,
            None,
            "Control",
            None,
            None,
            "Treatment",
            None,
            None,
            "Control",
            None,
            None,
        ],
        [None, *["M", "SD", "n"] * 4],
        *([f"Study {i + 1}", *MEANS[i], *AGENT_MEANS[i]] for i in range(4)),
    ]
    path = book(at / "a.xlsx", lines, "A1:A3", "B1:G1", "H1:M1", "B2:D2", "E2:G2", "H2:J2", "K2:M2")
    return people(path), beside([p_of_means(*one) for one in MEANS], [p_of_means(*o) for o in AGENT_MEANS])


@case(8)
def _percent_signs_and_counts_in_a_cell(at: Path) -> tuple[Found, Found]:
    own = [(31, 50, 19, 50), (44, 60, 40, 60), (12, 48, 25, 50)]
    other = [(88, 100, 20, 100), (61, 100, 60, 100), (35, 100, 52, 100)]

    def cell(a: int, n: int, b: int, m: int) -> str:
        return f"{100 * a / n:.0f} % ({a}/{n}) vs. {100 * b / m:.0f} % ({b}/{m})"

    rows = [[f"S{i + 1}", "chose gain frame", cell(*own[i]), cell(*other[i])] for i in range(3)]
    path = book(at / "a.xlsx", [["Study", "Outcome", "Humans", "Llama-3-70B"], *rows])
    return people(path), beside([p_of_counts(*one) for one in own], [p_of_counts(*one) for one in other])


@case(9)
def _one_row_per_side(at: Path) -> tuple[Found, Found]:
    lines = ["study,finding,source,t,df"]
    for i in range(5):
        lines += [f"s{i},f{i},human,{T_PEOPLE[i]},{DF[i]}", f"s{i},f{i},gpt-4,{T_AGENT[i]},98"]
        lines += [f"s{i},f{i},llama-3,{T_OTHER[i]},98"]
    human = [p_of_t(*one) for one in zip(T_PEOPLE, DF, strict=True)]
    true = beside(human, [p_of_t(t, 98) for t in T_AGENT], [p_of_t(t, 98) for t in T_OTHER])
    return people(text(at / "a.csv", *lines), "gpt-4", "llama-3"), true


@case(10)
def _missing_codes_among_correlations(at: Path) -> tuple[Found, Found]:
    r, s = [0.31, 0.12, -0.22, 0.45, 0.05, 0.27], [0.55, -99, -0.40, 0.61, -99, 0.10]
    lines = [f"P{i},H{i},{r[i]},{100 + i},{s[i]},{-99 if s[i] == -99 else 400}" for i in range(6)]
    path = text(at / "a.csv", "Paper,Effect,Human r,Human N,AI r,AI N", *lines)
    human = [p_of_r(one, 100 + i) for i, one in enumerate(r)]
    return people(path), beside(human, [None if one == -99 else p_of_r(one, 400) for one in s])


def answers(*tables: Any, **how: Any) -> dict[tuple[str, str], float | None]:
    """Return the variance ratio and the W1 distance of every agent and question."""
    result = concord.score_answers(*tables, n_resamples=20, **how)
    return {
        (one.outcome, number): one.numbers[number].estimate.value
        for agent in result.agents
        for one in agent.outcomes
        for number in ("variance_ratio", "tvd")
        if number in one.numbers
    }


def spread(own: Any, other: Any) -> float:
    return float(np.var(other, ddof=1) / np.var(own, ddof=1))


def tvd(own: Sequence[object], other: Sequence[object]) -> float:
    seen = sorted({*own, *other}, key=str)
    share = np.array([[sum(x == one for x in side) / len(side) for one in seen] for side in (own, other)])
    return 0.5 * float(np.abs(share[0] - share[1]).sum())


def whole(low: int, high: int, n: int) -> list[int]:
    return [int(one) for one in RNG.integers(low, high + 1, n)]


@case(11)
def _an_export_per_side_with_codes(at: Path) -> tuple[Found, Found]:
    own, other = (
        {q: whole(1, 7, 80) for q in ("trust", "risk")},
        {q: whole(3, 5, 60) for q in ("trust", "risk")},
    )
    head = "ResponseId,StartDate,Q1_trust,Q2_risk"
    lines = [f"R_{i:03d},2026-05-0{1 + i % 9},{own['trust'][i]},{own['risk'][i]}" for i in range(80)]
    lines += [f"R_9{i:02d},2026-05-01,99,-99" for i in range(4)]
    agent = [f"R_{i:03d},2026-05-0{1 + i % 9},{other['trust'][i]},{other['risk'][i]}" for i in range(60)]
    found = answers(text(at / "people.csv", head, *lines), text(at / "gpt-4o.csv", head, *agent))
    names = {"trust": "Q1_trust", "risk": "Q2_risk"}
    return [found.get((names[q], "variance_ratio")) for q in names], [spread(own[q], other[q]) for q in names]


@case(12)
def _french_answers_one_below_the_other(at: Path) -> tuple[Found, Found]:
    own, other = [one / 2 for one in whole(2, 14, 90)], [one / 2 for one in whole(6, 12, 70)]
    lines = [f"P{i};Confiance;humain;{comma(one, 1)}" for i, one in enumerate(own)]
    lines += ["P90;Confiance;humain;NSP", "P91;Confiance;humain;"]
    lines += [f"G{i};Confiance;GPT-4o;{comma(one, 1)}" for i, one in enumerate(other)]
    found = answers(text(at / "a.csv", "Participant;Question;Source;Réponse", *lines))
    return [found.get(("Confiance", "variance_ratio"))], [spread(own, other)]


@case(13)
def _a_column_per_side_and_question(at: Path) -> tuple[Found, Found]:
    own, other = (
        {q: whole(1, 5, 70) for q in ("trust", "risk")},
        {q: whole(2, 4, 70) for q in ("trust", "risk")},
    )
    lines = [
        f"{i},{own['trust'][i]},{other['trust'][i]},{own['risk'][i]},{other['risk'][i]}" for i in range(70)
    ]
    path = text(at / "a.csv", "pid,trust_human,trust_gpt4o,risk_human,risk_gpt4o", *lines)
    found = answers(path)
    return [found.get((q, "variance_ratio")) for q in own], [spread(own[q], other[q]) for q in own]


@case(14)
def _portuguese_choices_below_a_title(at: Path) -> tuple[Found, Found]:
    words = ["Concordo", "Discordo", "Neutro"]
    own, other = [words[i] for i in whole(0, 2, 60)], [words[i] for i in whole(0, 1, 50)]
    lines: list[list[object]] = [["Apêndice C – respostas"], [], ["Pergunta", "Fonte", "Resposta"]]
    for who, held in (("Humano", own), ("GPT-4", other)):
        lines += [["P1", who, one] for one in held]
    lines += [["Total", None, 110]]
    return [answers(book(at / "a.xlsx", lines)).get(("P1", "tvd"))], [tvd(own, other)]


@case(15)
def _counts_of_options_one_column_per_side(at: Path) -> tuple[Found, Found]:
    counts = {"vote": [(40, 10), (35, 55), (25, 35)], "ban": [(70, 95), (30, 5)]}
    lines = [f"{q},{chr(65 + i)},{a},{b}" for q, rows in counts.items() for i, (a, b) in enumerate(rows)]
    found = answers(text(at / "a.csv", "question,option,humans,gpt-4", *lines))
    true: list[float | None] = []
    for rows in counts.values():
        a, b = np.array(rows, dtype=float).T
        true.append(0.5 * float(np.abs(a / a.sum() - b / b.sum()).sum()))
    return [found.get((q, "tvd")) for q in counts], true


EFFECTS = RNG.normal(0.3, 0.4, 14).round(2)
GUESSED = {name: (EFFECTS * by + RNG.normal(0, 0.2, 14)).round(2) for name, by in (("a", 1.4), ("b", 0.6))}


def correlation(*guessed: Any) -> Found:
    return [float(np.corrcoef(EFFECTS, one)[0, 1]) for one in guessed]


def pearson(*tables: Any) -> Found:
    result = concord.score_predictions(*tables)
    return [one.numbers["pearson"].value for one in sorted(result.agents, key=lambda one: one.agent)]


@case(16)
def _an_interval_in_the_cell_of_the_effect(at: Path) -> tuple[Found, Found]:
    rows = [
        f'S{i % 4},T{i},"{e:.2f} [{e - 0.2:.2f}, {e + 0.2:.2f}]",{GUESSED["a"][i]}'
        for i, e in enumerate(EFFECTS)
    ]
    path = text(at / "a.csv", "Study,Treatment,Human effect [95% CI],GPT-4 effect", *rows)
    return pearson(path), correlation(GUESSED["a"])


@case(17)
def _german_effects_of_two_models(at: Path) -> tuple[Found, Found]:
    rows = [
        f"Studie {i % 4};B{i};{comma(e)};0,10;{comma(GUESSED['a'][i])};{comma(GUESSED['b'][i])}"
        for i, e in enumerate(EFFECTS)
    ]
    path = text(
        at / "a.csv", "Studie;Bedingung;Effekt Menschen;SE Menschen;Effekt Claude;Effekt GPT-4", *rows
    )
    return pearson(path), correlation(GUESSED["a"], GUESSED["b"])


@case(18)
def _observed_beside_predicted_below_merged_heads(at: Path) -> tuple[Found, Found]:
    lines: list[list[object]] = [
        ["Study", "Treatment", "Observed", None, "Predicted", None],
        [None, None, "Estimate", "SE", "GPT-4o", "Llama 3"],
        *(
            [f"S{i % 4}", f"T{i}", e, 0.12, GUESSED["a"][i], GUESSED["b"][i]]
            for i, e in enumerate(EFFECTS.tolist())
        ),
    ]
    path = book(at / "a.xlsx", lines, "A1:A2", "B1:B2", "C1:D1", "E1:F1")
    return pearson(path), correlation(GUESSED["a"], GUESSED["b"])


def combined(*tables: Any) -> Found:
    """Return the difference of the arms over people, without its sign, and both numbers of rows."""
    found = [one for one in concord.combine(*tables).estimates if one.kind == "difference"]
    return [x for one in found for x in (abs(one.people_only.value or 0), one.n_people, one.n_predictions)]


def arms(n: int) -> list[tuple[int, str, float, float]]:
    drawn = [(i, "AB"[i % 2], round(RNG.normal(4 + i % 2, 1), 1)) for i in range(n)]
    return [(i, arm, y, round(y + RNG.normal(0, 0.7), 1)) for i, arm, y in drawn]


def difference(rows: list[tuple[int, str, float, float]]) -> float:
    own = [np.mean([y for _, arm, y, _ in rows if arm == one]) for one in "AB"]
    return abs(float(own[0] - own[1]))


@case(19)
def _german_arms(at: Path) -> tuple[Found, Found]:
    own, more = arms(80), arms(400)
    name = {"A": "Kontrolle", "B": "Experimental"}
    first = [f"{i};{name[a]};{comma(y, 1)};{comma(f, 1)}" for i, a, y, f in own]
    second = [f"{1000 + i};{name[a]};{comma(f, 1)}" for i, a, _, f in more]
    files = (
        text(at / "menschen.csv", "VPN;Bedingung;Antwort;Vorhersage GPT-4", *first),
        text(at / "mehr.csv", "VPN;Bedingung;Vorhersage GPT-4", *second),
    )
    return combined(*files), [difference(own), 80, 400]


@case(20)
def _portuguese_arms(at: Path) -> tuple[Found, Found]:
    own, more = arms(90), arms(300)
    name = {"A": "controle", "B": "tratamento"}
    first = [f"{i};{name[a]};{comma(y, 1)};{comma(f, 1)}" for i, a, y, f in own]
    second = [f"{1000 + i};{name[a]};;{comma(f, 1)}" for i, a, _, f in more]
    head = "participante;grupo;resposta;previsão do modelo"
    files = (text(at / "pessoas.csv", head, *first), text(at / "mais.csv", head, *second))
    return combined(*files), [difference(own), 90, 300]


def flips(*tables: Any) -> Found:
    return [
        one.numbers["inconsistency"].value for one in concord.score_judge(*tables, n_permutations=99).judges
    ]


SEATS = [
    (("first", "second")[int(RNG.integers(2))], ("first", "second")[int(RNG.integers(2))]) for _ in range(24)
]
CHANGED = float(np.mean([one == two for one, two in SEATS]))
"""The same seat wins in both orders: another answer wins."""


@case(21)
def _german_verdicts_one_column_per_order(at: Path) -> tuple[Found, Found]:
    words = {"first": "Antwort 1", "second": "Antwort 2"}
    rows = [f"{i};{words[one]};{words[two]}" for i, (one, two) in enumerate(SEATS)]
    return flips(text(at / "a.csv", "Paar;Urteil AB;Urteil BA", *rows)), [CHANGED]


@case(22)
def _winners_by_the_name_of_the_model(at: Path) -> tuple[Found, Found]:
    rows = []
    for i, (one, two) in enumerate(SEATS):
        rows.append(f"{i},gpt-4,llama-3,{'gpt-4' if one == 'first' else 'llama-3'}")
        rows.append(f"{i},llama-3,gpt-4,{'llama-3' if two == 'first' else 'gpt-4'}")
    return flips(text(at / "a.csv", "question_id,first_model,second_model,winner", *rows)), [CHANGED]


TARGET, ALONE, HINTED = ("".join("ABCD"[int(i)] for i in RNG.integers(0, 4, 24)) for _ in range(3))


@case(23)
def _hints_one_row_per_question_and_a_total(at: Path) -> tuple[Found, Found]:
    lines: list[list[object]] = [["Question", "Hinted answer", "Answer without hint", "Answer with hint"]]
    lines += [[f"Q{i + 1}", *one] for i, one in enumerate(zip(TARGET, ALONE, HINTED, strict=True))]
    lines += [["Total", 24, None, None]]
    result: Any = concord.score_hints(book(at / "a.xlsx", lines)).scores
    moved = [h == t for t, a, h in zip(TARGET, ALONE, HINTED, strict=True) if a != t]
    return [result.hints.kinds[0].influence.value], [float(np.mean(moved))]


@case(24)
def _portuguese_options(at: Path) -> tuple[Found, Found]:
    rows = [(i, order, "ABCD"[int(RNG.integers(4))], "ABCD"[order.index("A")])
            for i in range(12) for order in ("ABCD", "BCDA", "CDAB", "DABC")]  # fmt: skip
    lines = [f"{i};{order};{chosen};{right}" for i, order, chosen, right in rows]
    path = text(at / "a.csv", "questão;ordem;escolhida;correta", *lines, "Nota: quatro opções por questão;;;")
    found = concord.score_options(path, n_permutations=99).scores.accuracy_by_place
    true: Found = [float(np.mean([c == r for *_, c, r in rows if r == one])) for one in "ABCD"]
    return [one.value for one in found], true


REFUSED = {
    16: "columns are missing: 'human_se'; found 'Study', 'Treatment', 'Human effect \\[95% CI\\]'",
    24: "and none for 'right'",
}
"""What is still refused: an interval in the cell of its estimate; *correta*, which may be a yes or no."""


@pytest.mark.parametrize("number", sorted(CASES))
def test_a_file_in_other_habits_is_read_right_or_refused_by_what_it_lacks(
    tmp_path: Path, number: int
) -> None:
    RNG.bit_generator.state = np.random.default_rng(number).bit_generator.state
    if number in REFUSED:
        with pytest.raises(concord.ConcordError, match=REFUSED[number]):
            CASES[number](tmp_path)
        return
    found, true = CASES[number](tmp_path)
    assert found == pytest.approx(true, abs=1e-9)
