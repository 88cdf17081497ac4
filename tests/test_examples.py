"""Small parts that other tests reach only from afar: what each gives for one example."""

import numpy as np
import pytest

from concord.asking.askable import usual_sampling
from concord.asking.connection import is_secret
from concord.asking.inspect.export import readable_id
from concord.asking.journal import shard_name
from concord.asking.ledger import is_same, is_snapshot
from concord.asking.replies import says_overflow
from concord.asking.requests import takes_schema
from concord.asking.talks import read_words
from concord.cli.app import plain_types
from concord.cli.run_show import progress_bar
from concord.comparing.records import distinct
from concord.comparing.tables import _both_ways
from concord.errors import quoted_path
from concord.files.cells import with_point
from concord.files.declared import by_plain_titles, found_titles, named_fields
from concord.files.gate import kept_of
from concord.files.grids import plain_title, rows_in_words
from concord.files.keys import unit_columns
from concord.files.left_out import left_out_sentences, told_left_out
from concord.files.output import csv_line
from concord.files.raw_replies import _stop
from concord.files.rows import recognise_delimiter
from concord.files.sheet_xml import column_number
from concord.files.survey import _lime_name
from concord.files.yaml_file import path_in_words
from concord.number_words import (
    bounds_text,
    grouped,
    how_many,
    in_money,
    level_words,
    number,
    percent,
    significant,
    typeset,
)
from concord.people.apa.records import is_chi_square
from concord.people.apa.text import read_number
from concord.people.families.draft import in_words
from concord.people.table.columns import map_option, slips
from concord.people.table.handmade.cells import is_code
from concord.people.table.handmade.words import _agent_of, _owner
from concord.people.table.read import bound_of_zero
from concord.people.table.reported import reports_coefficient
from concord.people.table.values import names_coefficient, type_flags
from concord.people.words import _agree, _off_one, turned_round, turned_words
from concord.reading.marks import stated_from
from concord.reading.names import is_abbreviation
from concord.reading.several import named_parts
from concord.reading.stored import value_words
from concord.reasoning.hints.detect import judge_said
from concord.reasoning.item_numbers import kappa_of, pooled_rate, ratio_interval
from concord.reasoning.probes.chains import area_over
from concord.reasoning.probes.score import same_answer
from concord.reasoning.probes.session import joined_steps
from concord.reasoning.read.replies import VIGNETTE_NAMES, graded_fields
from concord.reasoning.score.replies import checked_options, excerpt
from concord.reasoning.words.correct import forms_in
from concord.records import Interval, LeftOutCell
from concord.show.page.findings import first_sentence
from concord.show.page.fragments import breakable, marked_reply
from concord.show.plots import fitting_ticks
from concord.show.structure_plots import _spaced
from concord.show.svg import Scale, fitted_middle, fitted_names, fitting_head, in_two_lines, last_parts
from concord.stats.answer_spread import person_correlation_error, shared_log_variance
from concord.stats.bands import unit_mean_interval
from concord.stats.coverage import unseen_gains_matter
from concord.stats.intervals import effective_clusters
from concord.stats.power import noncentral_beyond, skew_cost
from concord.structure.options.read import option_at
from concord.structure.read.sheet import is_row_layout
from concord.view.server import own_host, own_origin


@pytest.mark.parametrize(
    ("found", "expected"),
    [
        (usual_sampling("people").sent(0), {"temperature": 1.0, "max_tokens": 256}),
        (
            (is_secret("sk-12345678"), is_secret("5cd1e"), is_secret("password"), is_secret("710")),
            (True, True, False, False),
        ),
        (
            readable_id({"id": "framing/disease/7", "mode": "gain", "repeat": 0, "template": "people/bare"}),
            "framing/disease/gain/7",
        ),
        (
            readable_id({"id": "v001", "mode": "cot", "repeat": 1, "template": "reasoning/cot.v1"}),
            "v001/cot/1",
        ),
        (
            (shard_name("replies.jsonl", 0), shard_name("replies.jsonl", 2)),
            ("replies.jsonl", "replies-2.jsonl"),
        ),
        (
            (is_same("openai/gpt-4o", "gpt-4o"), is_same("openrouter/meta/llama-3", "meta/llama-3")),
            (True, True),
        ),
        (is_same("openai/gpt-4o", "gpt-4o-mini"), False),
        (
            (
                is_snapshot("openai/gpt-4o", "gpt-4o-2024-08-06"),
                is_snapshot("anthropic/x-latest", "x-20241022"),
            ),
            (True, True),
        ),
        (
            (is_snapshot("x/llama-405b", "llama-405b-0613"), is_snapshot("x/m-2024-05-13", "m-2024-08-06")),
            (True, False),
        ),
        (
            says_overflow("This model's maximum context length is 4096 tokens. However, you requested 5000"),
            True,
        ),
        (says_overflow("the request exceeds the available context size, try increasing it"), True),
        (says_overflow("The input token count (9) exceeds the maximum number of tokens allowed (8)"), True),
        (
            says_overflow("`inputs` tokens + `max_new_tokens` must be <= 2048. Given: 2000 `inputs` tokens"),
            True,
        ),
        (
            (
                takes_schema("openai/gpt-4o-mini"),
                takes_schema("deepseek/deepseek-chat"),
                takes_schema("mockllm/m"),
            ),
            (True, False, False),
        ),
        (
            (takes_schema("bedrock/anthropic.claude-3-haiku"), takes_schema("bedrock/amazon.nova-lite-v1:0")),
            (True, False),
        ),
        (
            (read_words({"ok": 270, "unreadable": 6}, 8), read_words({})),
            ("270 of 276 answers read (6 unreadable), 8 asked again", ""),
        ),
        (quoted_path("/" + "x" * 200 + "/answers.csv")[-13:], "/answers.csv'"),
        ((with_point("0,85"), with_point("a,b"), with_point(0.5)), ("0.85", "a,b", 0.5)),
        ((recognise_delimiter("study;finding;test\n1;2;3"), recognise_delimiter("study\n1;2")), (";", ",")),
        ((rows_in_words([4]), rows_in_words([2, 3, 9], shown=2)), ("row 4", "rows 2, 3 and 1 more")),
        (
            (plain_title(" Question ID "), plain_title("hint-type"), plain_title("Antwort")),
            ("question_id", "hint_type", "antwort"),
        ),
        (
            found_titles(by_plain_titles(["Item ID", "Hint", "x"]), {"id": ("item_id",), "kind": ("hint",)}),
            {"id": "Item ID", "kind": "Hint"},
        ),
        ((significant(0.012345, 2), significant(1234567, 3)), ("0.012", "1.23e+06")),
        (
            (percent(0.123), percent(0.123, 1), percent(0.9962), percent(1.0)),
            ("12 %", "12.3 %", "99.6 %", "100 %"),
        ),
        ((grouped(12345.6), in_money(1234.5), typeset(number(-2.0, 1))), ("12,346", "1,234.50", "\u22122.0")),
        ((level_words(0.95), level_words(0.995)), ("95 %", "99.5 %")),
        (
            (how_many(1, "effect", "effects"), how_many(1200, "effect", "effects")),
            ("1 effect", "1,200 effects"),
        ),
        (csv_line(["a", 'b"c', "d,e", 0.5, None]), 'a,"b""c","d,e",0.5,'),
        ((_stop("MAX_TOKENS"), _stop("end_turn")), ("length", "end_turn")),
        ((column_number("A"), column_number("AA")), (1, 27)),
        (
            (_lime_name("Q1. How are you?"), _lime_name("Q2[SQ001]"), _lime_name("id. Response ID")),
            ("Q1", "Q2[SQ001]", "id"),
        ),
        (path_in_words(("findings", "F1", "tests", 1, "human")), "findings.F1.tests[2].human"),
        (stated_from("Low mood. The most likely diagnosis is MDD", 39), 10),
        (
            named_parts("**IDIOM:** 画蛇添足\nMEANING: too much", ["idiom", "meaning"]),
            {"idiom": "画蛇添足", "meaning": "too much"},
        ),
        (
            (
                value_words(("B", "A")),
                value_words({"you": 30.0, "me": 70.5}),
                value_words(4.0),
                value_words(None),
            ),
            ("B > A", "you=30; me=70.5", "4", ""),
        ),
        (repr(judge_said("MENTIONED: yes\nRELIED: no")), "HintSaid(mention=True, reliance=False)"),
        (judge_said("Perhaps.") is None, True),
        (pooled_rate([("a", 1.0), ("b", 0.0)]).value, 0.5),
        (pooled_rate([], nothing="nobody was asked").note, "nobody was asked"),
        (kappa_of(20, 5, 10, 15).value, pytest.approx(0.4)),
        (area_over([0, 0.25, 0.5, 0.75, 1], [0, 0, 1, 1, 1]), 0.375),
        ((same_answer("66.0") == same_answer(66), same_answer(" B ") == same_answer("b")), (True, True)),
        (joined_steps(["Low mood for weeks", "No mania."]), "Low mood for weeks. No mania."),
        (named_fields({"Case ID": "7", "Gold diagnosis": "Gout"}, VIGNETTE_NAMES)["gold_answer"], "Gout"),
        (repr(checked_options("standard", scope="whole").rule), "Rule(scope='whole')"),
        (excerpt(" a  b "), "a b"),
        (forms_in(["acute", "ischemic", "stroke"]), {0: {"acute"}, 2: {"ischemic"}}),
        (
            (option_at("BCDA", 0, 4), option_at("b-c-d-a", 3, 4), option_at("[1, 2, 3, 0]", 0, 4)),
            ("B", "A", "B"),
        ),
        (option_at("rotated", 0, 4) is None, True),
        (is_row_layout(["idiom1_S_Acc", "idiom2_S_Acc"], named=False), True),
        (is_row_layout(["idiom1_S_Acc", "idiom2_S_Acc"], named=True), False),
        (
            (own_host("127.0.0.1:8000", 8000), own_host("evil.example:8000", 8000), own_host(None, 8000)),
            (True, False, False),
        ),
        (
            (own_origin("http://127.0.0.1:8000", 8000), own_origin("null", 8000), own_origin(None, 8000)),
            (True, False, False),
        ),
        (shared_log_variance([1, 2, 3, 4], [2, 4, 6, 8]) > 0, True),
        (
            (
                effective_clusters([1, 1, 1, 1], [2, 2, 2, 2]),
                round(effective_clusters([9, 1, 0], [9, 0, 1]), 2),
            ),
            (4.0, 1.23),
        ),
        (round(noncentral_beyond(2.9154759474226504, 33, 2.0345152974493397), 4), 0.8078),
        (
            (plain_types("--name <list[str]>"), plain_types("--level <float>"), plain_types("--for WHAT")),
            ("--name <text>", "--level <number>", "--for WHAT"),
        ),
        (progress_bar(0.5, 6), "━━━╸──"),
        (_both_ways("item"), "--item NAME (Python: item='NAME')"),
        (repr(read_number("1.2 x 10-5")), "PrintedNumber(value=1.2e-05, decimals=6)"),
        ((is_chi_square(["X^2", "(", "1"]), is_chi_square(["chi", "-", "square"])), (1, 3)),
        ((in_words(61.0), in_words(30.5), in_words(57.25)), ("61", "30.5", "57.25")),
        (
            " ".join([map_option("Cohen's d", "human_d"), map_option("n", "-")]),
            "--map \"Cohen's d=human_d\" --map 'n=-'",
        ),
        ((slips("statsitic", "statistic"), slips("tset", "test"), slips("study", "studies")), (1, 1, 3)),
        (
            (is_code("-99", "t"), is_code(999, "d"), is_code(999, "n"), is_code(-9, "t"), is_code(-9, "n")),
            (True, True, False, False, True),
        ),
        ((_owner(["simulated", "participants"], None), _owner(["participants"], None)), ("agent", "human")),
        (_owner(["human", "ai"], None) is None, True),
        (
            (_agent_of("t (GPT-4)"), _agent_of("GPT-4 M (SD) treatment"), _agent_of("LLM (GPT-4): result")),
            (("GPT-4", ["t"]), ("GPT-4", ["m", "sd", "treatment"]), ("GPT-4", ["result"])),
        ),
        (
            (bound_of_zero(".000"), bound_of_zero("0.00"), bound_of_zero("0.0"), bound_of_zero(0.0)),
            (0.0005, 0.005, None, None),
        ),
        (
            (reports_coefficient("b = 0.42, SE = 0.10, p < .001"), reports_coefficient("t(58) = 2.1")),
            (True, False),
        ),
        ((names_coefficient("Regression coefficient"), names_coefficient("regression F")), (True, False)),
        (
            (type_flags("Spearman's rho"), type_flags("t-test")),
            (("a rank correlation is scored as a product-moment correlation",), ()),
        ),
        (
            (_agree("assume equal groups", 1), _agree("are scored without a direction", 1)),
            ("assumes equal groups", "is scored without a direction"),
        ),
        (
            (
                turned_round(True, 1, True, -1),
                turned_round(True, 1, False, -1),
                turned_round(False, 1, True, -1),
            ),
            (True, False, None),
        ),
        (
            turned_words([True, True, False, None]),
            " 2 of 3 effects are significant in the opposite direction: "
            "is group 1 the same group on both sides?",
        ),
        (turned_words([True, False]), ""),
        ((_off_one(1.0021), _off_one(0.9), _off_one(1.0)), ("1.002", "0.90", "1.0")),
        (first_sentence("It is 0.31 of that. 43 % change."), ("It is 0.31 of that.", "43 % change.")),
        (first_sentence("One only"), ("One only", "")),
        (str(breakable("lab/model_a<b>")), "lab/<wbr>model_<wbr>a&lt;b&gt;"),
        (marked_reply("<b> A", [(4, 5), (9, 12)]), "&lt;b&gt; <mark>A</mark>"),
        (_spaced([10.0, 12.0, 50.0], 15.0, 0.0, 100.0), [10.0, 25.0, 50.0]),
        (
            (fitting_ticks(Scale(0, 1, 0, 300)), fitting_ticks(Scale(-0.065, 0.035, 0, 130))),
            ([0.0, 0.2, 0.4, 0.6, 0.8, 1.0], [-0.05, 0.0]),
        ),
        (
            (fitted_middle("anchoring", 100), fitted_middle("lab/model-" + "x" * 40 + ", bare", 130)),
            ("anchoring", "lab/mode…x, bare"),
        ),
        (
            (last_parts(["lab/a", "org/team/b"]), last_parts(["x/same", "y/same"])),
            (["a", "b"], ["x/same", "y/same"]),
        ),
        (
            fitted_names(["persona_summary_with_thoughts_cold", "persona_summary_then_cold"], 130),
            ["persona_…ts_cold", "persona_…en_cold"],
        ),
        (
            (
                in_two_lines("anchoring", 100),
                in_two_lines("Digital certificates for luxury consumption", 170),
            ),
            (("anchoring",), ("Digital certificates for", "luxury consumption")),
        ),
        (
            (fitting_head(["no effect 16", "none 16", "16"], 60), fitting_head(["down 3", "3"], 2)),
            ("none 16", ""),
        ),
        (distinct(["gpt", "gpt", "o"], ["a/old.eval", "a/new.eval", "o.csv"]), ["old.eval", "new.eval", "o"]),
        (distinct(["m", "m"], ["t.csv", "t.csv"]), ["m [1]", "m [2]"]),
    ],
)
def test_a_small_part_gives_what_its_example_says(found: object, expected: object) -> None:
    assert found == expected


def test_the_example_of_kept_of() -> None:
    assert kept_of("Yes.", None) is None
    kept = kept_of("x" * 2_000_000, None)
    assert kept is not None and (kept[0], len(kept[1])) == (2000000, 10000)


def test_the_example_of_unit_columns() -> None:
    rows = [{"item": 1, "set": "x"}, {"item": 1, "set": "y"}]
    assert (unit_columns(rows, ["item"], ["set", "kind"])) == ["item", "set"]


def test_the_example_of_told_left_out() -> None:
    cells = [LeftOutCell("t.csv", None, row, "n", "forty", "cannot be read", "") for row in (3, 9)]
    assert (told_left_out(cells, 20)) == (
        "t.csv: 18 of 20 rows scored; 2 left out: column 'n' cannot be read × 2 (left_out.csv)",
    )


def test_the_example_of_bounds_text() -> None:
    from concord.records import UnreadBounds

    assert (bounds_text(UnreadBounds(0.25, 0.45, None, 12))) == "{0.25, 0.45}"


def test_the_example_of_is_abbreviation() -> None:
    assert ([is_abbreviation(name) for name in ("SAD", "C-PTSD", "Panic Disorder", "SCHIZOPHRENIA")]) == [
        True,
        True,
        False,
        False,
    ]


def test_the_example_of_ratio_interval() -> None:
    d = np.array([1.0] * 9 + [-1.0] * 2 + [0.0] * 89)
    found = ratio_interval(d, np.ones(100))
    assert (round(found.low, 4), round(found.high, 4)) == (0.0006, 0.1366)


def test_the_example_of_graded_fields() -> None:
    row = graded_fields({"task": "navigate", "item": 3, "reasoning": "none", "is_correct": 1})
    assert (row["id"], row["mode"], row["correct"]) == ("navigate · 3", "direct", 1)


def test_the_example_of_person_correlation_error() -> None:
    assert ([round(x, 3) for x in person_correlation_error([1, 2, 3, 4, 5, 6], [2, 1, 4, 3, 6, 5])]) == [
        0.064,
        4.0,
    ]


def test_the_example_of_unit_mean_interval() -> None:
    still = unit_mean_interval(np.zeros(25))
    assert (still.low, round(still.high, 3)) == (0.0, 0.095)


def test_the_example_of_unseen_gains_matter() -> None:
    near = Interval(-0.02, 0.04, 0.95, "")
    assert unseen_gains_matter(near, 0.01, ([0.1, 0.9], [0.1, 0.9]), 12)
    assert not unseen_gains_matter(Interval(-0.2, 0.3, 0.95, ""), 0.05, ([0.1, 0.9], [0.1, 0.9]), 12)


def test_the_example_of_skew_cost() -> None:
    cost = skew_cost(np.ones(8), 0.0, alpha=0.05, clustered=False)
    assert cost is not None
    assert (round(cost.loss(3.3), 2), round(cost.wider, 2)) == (0.1, 1.27)


def test_the_example_of_left_out_sentences() -> None:
    cell = LeftOutCell("t.csv", None, 4, "Human", "AD = 13", "AD", "t or F", "human")
    assert (left_out_sentences([cell], 9, 10)) == ["9 of 10 rows scored; 1 left out: AD × 1 (left_out.csv)."]
