"""Studies that cannot be used: each fault is named with file, line and path, and nothing runs."""

import re
from pathlib import Path

import pytest
import yaml
from tests.people.studies.small import STUDY

from concord.errors import FileFormatError, StudyError
from concord.people.studies.load import read_study


def _fault(old: str, new: str) -> str:
    assert STUDY.count(old) == 1, old
    with pytest.raises(StudyError, match="coins.yaml, line") as caught:
        read_study(STUDY.replace(old, new).encode(), name="coins.yaml")
    return str(caught.value)


def test_the_small_study_itself_is_well_formed() -> None:
    assert read_study(STUDY.encode(), name="coins.yaml").warnings == ()


def test_a_human_side_that_nobody_could_look_up_is_worth_a_warning() -> None:
    text = STUDY.replace('located: {at: "p. 2, Table 1"}, ', "")
    (told,) = read_study(text.encode(), name="coins.yaml").warnings
    assert told == (
        "coins.yaml: 1 of 1 tests give no page or table of their human side (human: located), "
        "the first is 'value'"
    )


@pytest.mark.parametrize(
    ("old", "new", "line", "path", "said"),
    [
        ("study: coins\n", "study: Coins!\n", 2, "study", "string should match pattern"),
        ("title: Coins\n", "", 1, "title", "missing; this key is required"),
        ("title: Coins\n", "title: Coins\ncolour: red\n", 4, "colour", "not known here"),
        (
            "        outcome: value",
            "        outcom: value",
            37,
            "findings.F1.tests[1].outcom",
            "this key is not known here; did you mean 'outcome'?",
        ),
        ("n: 20}", "n: none}", 14, "experiments.toss.participants.n", "got 'none'"),
        ("{min: 20, max: 30}", "{min: 40, max: 30}", 8, "population.age", "min 40 is above max 30"),
        ("female: 0.5", "female: 0.7", 6, "population", "sum to 1.2, expected 1"),
        ("a {metal.word} coin", "a coin", 16, "experiments.toss.factors.metal", "uses this factor"),
        (
            "{metal.word}",
            "{metal.weight}",
            24,
            "experiments.toss.steps[1].text",
            "{metal.weight} does not exist",
        ),
        ("{metal.word}", "{metal.word", 24, "experiments.toss.steps[1].text", "is no name"),
        ("{answer.side}", "{answer.value}", 26, "experiments.toss.steps[2].text", "{answer.value} does not"),
        ("ask: [value]", "ask: [price]", 27, "experiments.toss.steps[2].ask", "there is no item 'price'"),
        (
            "You see a {metal.word} coin.",
            "You see a {metal.word} coin worth {answer.double}.",
            24,
            "experiments.toss.steps[1].text",
            "{answer.double} does not exist here",
        ),
        (
            "ask: [side]",
            "when: double > 3\n        ask: [side]",
            25,
            "experiments.toss.steps[1].when",
            "'double' does not exist here",
        ),
        (
            "ask: [value]",
            "ask: value",
            27,
            "experiments.toss.steps[2].ask",
            "got 'value': expected a list, as in [value]",
        ),
        ("type: choice", "type: choise", 21, "experiments.toss.items.side", "'choise' is no type of item"),
        ("ask: [value]", "ask: [side]", 22, "experiments.toss.items.value", "no step asks this item"),
        (
            "iron: {word: rusty, worth: 1}",
            "iron: {word: rusty}",
            19,
            "experiments.toss.factors.metal.levels.iron",
            "lacks 'worth'",
        ),
        (
            "outcome: value",
            "outcome: price",
            37,
            "findings.F1.tests[1].outcome",
            "there is no variable 'price'",
        ),
        (
            "outcome: value",
            "outcome: side",
            37,
            "findings.F1.tests[1].outcome",
            "is a word, and t-independent",
        ),
        ("by: metal", "by: colour", 38, "findings.F1.tests[1].groups.by", "there is no variable 'colour'"),
        (
            "by: metal",
            "by: metal, levels: [gold, lead]",
            38,
            "findings.F1.tests[1].groups.levels",
            "never 'lead'",
        ),
        (
            "        groups: {by: metal}\n",
            "",
            34,
            "findings.F1.tests[1]",
            "t-independent needs outcome, groups",
        ),
        (
            "experiment: toss",
            "experiment: flip",
            35,
            "findings.F1.tests[1].experiment",
            "no experiment 'flip'",
        ),
        ("n1: 20, n2: 20", "n1: 20, n2: 20, df2: 90", 39, "findings.F1.tests[1].human.df2", "at most n - 1"),
        (
            "n1: 20, n2: 20",
            "n1: 20, n2: 20, direction: -1",
            39,
            "findings.F1.tests[1].human.direction",
            "positive direction",
        ),
        (
            "statistic: 2.5, n1: 20, n2: 20",
            'reported: "t(38) = 2.5, p = .40"',
            39,
            "findings.F1.tests[1].human.reported",
            "p",
        ),
        ("statistic: 2.5, n1: 20, n2: 20, ", "", 39, "findings.F1.tests[1].human", "no numbers"),
        (
            "n1: 20, n2: 20",
            "n1: 20, n2: 20, p_value: 0.9",
            39,
            "findings.F1.tests[1].human.p_value",
            "got 0.9, and the statistic gives p = 0.0169, two-sided; expected that p",
        ),
        (
            "n1: 20, n2: 20",
            "n1: 20, n2: 20, p_value: 0.0085",
            39,
            "findings.F1.tests[1].human.p_value",
            "p = 0.0169, two-sided; is it one-sided?",
        ),
        (
            "n1: 20, n2: 20",
            'n1: 20, n2: 20, reported: "t(38) = 5.2, p < .001"',
            39,
            "findings.F1.tests[1].human.reported",
            "'t(38) = 5.2, p < .001' says statistic = 5.2, the columns 2.5",
        ),
        (
            "groups: {by: metal}",
            "groups: {by: metal}\n        where: metal == 'lead'",
            39,
            "findings.F1.tests[1].where",
            "'metal' is never 'lead'; it is gold, iron",
        ),
        (
            "ask: [side]",
            "ask: [side]\n        when: \"'lead' != metal\"",
            26,
            "experiments.toss.steps[1].when",
            "'metal' is never 'lead'; it is gold, iron",
        ),
        (
            "2 * value",
            "value == 'high'",
            29,
            "experiments.toss.derived.double",
            "'value' is a number, and is compared with the word 'high'",
        ),
        ("2 * value", "(lambda: 1)()", 29, "", "put the text in quotes"),
        (
            "2 * value",
            "__import__('os').system('ls')",
            29,
            "experiments.toss.derived.double",
            "is not allowed",
        ),
        ("2 * value", "value.real", 29, "experiments.toss.derived.double", "an attribute (a dot)"),
        ("2 * value", "side + 1", 29, "experiments.toss.derived.double", "is a word, not a number"),
        ("2 * value", "2 * price", 29, "experiments.toss.derived.double", "'price' does not exist"),
        ("double: 2", "value: 2", 29, "experiments.toss.derived.value", "is taken"),
        (
            "        levels:\n",
            "        order: latin\n        levels:\n",
            17,
            "experiments.toss.factors.metal.order",
            "impossible counterbalancing",
        ),
        ("n: 20}", "n: {gold: 10, lead: 10}}", 14, "experiments.toss.participants.n.lead", "no such cell"),
        ("n: 20}", "n: {gold: 10}}", 14, "experiments.toss.participants.n", "no number for 'iron'"),
        ("n: 20}", "sessions: 20}", 14, "experiments.toss.participants", "a group study counts 'sessions'"),
        (
            "ask: [side]",
            "ask: [side]\n        role: boss",
            26,
            "experiments.toss.steps[1].role",
            "without roles",
        ),
        (
            "ask: [side]",
            "ask: [side]\n        over: metal",
            26,
            "experiments.toss.steps[1].over",
            "no within factor",
        ),
        (
            "ask: [side]",
            "ask: [side]\n        when: value > 3",
            26,
            "experiments.toss.steps[1].when",
            "'value' does not exist",
        ),
        ("max: 100", "max: price", 22, "experiments.toss.items.value.max", "'price' is no earlier answer"),
        ("min: 0, max: 100", "min: 100, max: 0", 22, "experiments.toss.items.value", "is not below max"),
        (
            '{at: "p. 2, Table 1"}',
            '{at: "p. 2, Table 1", known: quoted}',
            39,
            "findings.F1.tests[1].human.located",
            "'by' names the source that quotes a page",
        ),
        (
            '{at: "p. 2, Table 1"}',
            '{at: ""}',
            39,
            "findings.F1.tests[1].human.located.at",
            "at least 1 character",
        ),
        ("title: Coins\n", "title: &a Coins\n", 3, "", "anchors and aliases are not allowed"),
        ("title: Coins\n", "title: !!python/name:os.system Coins\n", 3, "", "is not allowed"),
        ("title: Coins\n", "title: Coins\ntitle: Coins\n", 4, "title", "is here and on line 3"),
        (
            "title: Coins\n",
            "title: [Coins\n",
            3,
            "",
            "the bracket [ that is opened in this line is not closed",
        ),
    ],
)
def test_a_fault_is_named_with_its_line_and_path(old: str, new: str, line: int, path: str, said: str) -> None:
    text = _fault(old, new)
    place = f"coins.yaml, line {line}" + (f", {path}: " if path else ": ")
    assert re.search(f"^{re.escape(place)}.*{re.escape(said)}", text, re.MULTILINE), text


@pytest.mark.parametrize("p", ["0.0169", "0.018", "0.05", "0.02"])
def test_a_p_that_is_rounded_or_a_printed_limit_does_not_contradict_its_statistic(p: str) -> None:
    text = STUDY.replace("n1: 20, n2: 20", f"n1: 20, n2: 20, p_value: {p}")
    assert read_study(text.encode(), name="coins.yaml").study.findings["F1"].tests[0].human.p_value == float(
        p
    )


def test_people_and_replies_are_tested_against_the_same_null() -> None:
    text = STUDY.replace("test: t-independent", "test: binomial").replace("        groups: {by: metal}\n", "")
    text = text.replace("outcome: value", "outcome: side\n        success: heads\n        p0: 0.5")
    text = text.replace("statistic: 2.5, n1: 20, n2: 20", "k: 10, n: 20, p0: 0.3")
    with pytest.raises(
        StudyError, match=r"human\.p0: got 0\.3, and the replies are tested against p0 = 0\.5"
    ):
        read_study(text.encode(), name="coins.yaml")


def test_an_effect_without_its_direction_is_worth_a_warning() -> None:
    text = STUDY.replace("test: t-independent", "test: anova")
    text = text.replace("statistic: 2.5, n1: 20, n2: 20", "statistic: 6.25, df1: 1, df2: 38")
    (told,) = read_study(text.encode(), name="coins.yaml").warnings
    assert "line 39, findings.F1.tests[1].human: no direction" in told
    given = text.replace("df2: 38", "df2: 38, direction: 1")
    assert read_study(given.encode(), name="coins.yaml").warnings == ()


def test_every_fault_is_named_at_once() -> None:
    text = STUDY.replace("ask: [value]", "ask: [price]").replace("{metal.word}", "{metal.weight}")
    with pytest.raises(StudyError, match=r"(?s)metal\.weight.*price"):
        read_study(text.encode(), name="coins.yaml")


def test_a_yaml_bomb_is_refused_before_it_is_built() -> None:
    bomb = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\n"
    with pytest.raises(StudyError, match="line 1: &a: anchors and aliases are not allowed"):
        read_study(bomb.encode(), name="bomb.yaml")


def test_deep_nesting_and_large_files_are_refused() -> None:
    with pytest.raises(StudyError, match="nested more than 24 deep"):
        read_study(b"[" * 2000 + b"]" * 2000, name="deep.yaml")
    with pytest.raises(FileFormatError, match="expected at most 1,048,576"):
        read_study(b"a" * (2**20 + 1), name="large.yaml")
    with pytest.raises(FileFormatError, match="not UTF-8"):
        read_study(b"a: \xff", name="latin.yaml")
    with pytest.raises(FileFormatError, match="empty"):
        read_study(b"# nothing\n", name="empty.yaml")


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match="no such file"):
        read_study(tmp_path / "nowhere.yaml")


def test_words_of_other_yaml_versions_stay_words() -> None:
    text = STUDY.replace("{heads: Heads, tails: Tails}", "{yes: yes, no: no}")
    study = read_study(text.encode(), name="coins.yaml").study
    item = study.experiments["toss"].items["side"]
    assert item.type == "choice"
    assert item.options == {"yes": "yes", "no": "no"}


def test_a_latin_square_that_its_cells_cannot_fill_is_impossible() -> None:
    within = "      order: \n        vary: within\n        order: latin\n        levels: [a, b, c]\n"
    text = STUDY.replace("    items:\n", within + "    items:\n").replace("n: 20}", "n: {gold: 5, iron: 9}}")
    text = text.replace(
        '      - text: "You said',
        '      - text: "{order}"\n        over: order\n        ask: [side]\n      - text: "You said',
    )
    text = text.replace("You said {answer.side}.", "You said it.")
    with pytest.raises(
        StudyError, match="impossible counterbalancing: .* 6 orders, and a cell has 5 participants"
    ):
        read_study(text.encode(), name="coins.yaml")


def test_the_slow_parser_reads_and_refuses_as_the_fast_one_does(monkeypatch: pytest.MonkeyPatch) -> None:
    fast = read_study(STUDY.encode(), name="coins.yaml")
    monkeypatch.setattr("concord.files.yaml_file._LOADER", yaml.SafeLoader)
    assert read_study(STUDY.encode(), name="coins.yaml") == fast
    with pytest.raises(StudyError, match="line 3: &a: anchors and aliases are not allowed"):
        read_study(STUDY.replace("title: Coins", "title: &a Coins").encode(), name="coins.yaml")
