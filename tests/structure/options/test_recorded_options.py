"""Recorded answers to questions with options are scored without a run."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.structure.options.scripted import replies, result

import concord
from concord.errors import FileFormatError, OptionError, TableError
from concord.structure.options.result import REPLIES, OptionResult
from concord.structure.options.score import score_options as score_replies

ORDERS = ("ABCD", "BCDA", "CDAB", "DABC")


def rows(bias: float = 0.4, **how: int) -> list[dict[str, Any]]:
    """Return a scripted model's replies as a person would write them down."""
    return [
        {
            "item": one.item,
            "arrangement": ORDERS[int(one.arrangement)],
            "chosen": "ABCD"[one.place if one.place is not None else 0],
            "right": "ABCD"[one.right_place],
            "n_options": 4,
        }
        for one in replies(bias, 0.7, **how)
    ]


def write_csv(path: Path, table: list[dict[str, Any]]) -> Path:
    lines = [",".join(table[0]), *(",".join(str(cell) for cell in row.values()) for row in table)]
    path.write_text("\n".join(lines) + "\n", "utf-8")
    return path


def test_a_table_gives_the_numbers_of_the_replies(tmp_path: Path) -> None:
    found = concord.score_options(write_csv(tmp_path / "mine.csv", rows()))
    wanted = score_replies(replies(0.4, 0.7))
    assert found.scores.rstd == wanted.rstd
    assert found.scores.selection == wanted.selection
    assert found.scores.consistency == wanted.consistency  # arrangements such as BCDA say which option it was
    assert (found.model, found.items, found.arranger) == ("model", "mine", "recorded")
    assert [one.name for one in found.inputs] == ["mine.csv"]


def test_the_replies_of_a_run_are_scored_again(tmp_path: Path) -> None:
    run = result("m", 0.4, 0.7)
    run.write(tmp_path)
    again = concord.score_options(tmp_path / REPLIES.file, model="m", n_permutations=99)
    assert again.scores == run.scores
    assert again.replies == run.replies


def test_letters_numbers_and_brackets_are_the_same_places() -> None:
    plain = concord.score_options(rows()).scores
    dressed = [
        row | {"chosen": f"({row['chosen'].lower()})", "right": "ABCD".index(row["right"]) + 1}
        for row in rows()
    ]
    assert concord.score_options(dressed).scores == plain


def test_titles_of_others_are_known() -> None:
    names = {"item": "Question ID", "arrangement": "Option order", "chosen": "Model answer", "right": "Gold"}
    theirs = [{names.get(key, key): value for key, value in row.items()} for row in rows()]
    assert concord.score_options(theirs).scores == concord.score_options(rows()).scores


def test_options_as_shown_say_which_was_chosen(tmp_path: Path) -> None:
    shown = [
        {key: value for key, value in row.items() if key != "n_options"}
        | {
            "arrangement": f"r{ORDERS.index(row['arrangement'])}",
            "options": [f"text {x}" for x in row["arrangement"]],
        }
        for row in rows()
    ]
    path = tmp_path / "shown.jsonl"
    path.write_text("\n".join(map(json.dumps, shown)), "utf-8")
    found = concord.score_options(path)
    assert found.scores.consistency == concord.score_options(rows()).scores.consistency
    assert all("taken as repeats" in told for told in found.warnings)


def test_a_result_of_a_table_is_read_back_compared_and_planned(tmp_path: Path) -> None:
    for name, bias in (("a", 0.5), ("b", 0.0)):
        concord.score_options(rows(bias, seed=int(bias)), model=name).write(tmp_path / name)
    assert OptionResult.read(tmp_path / "a") == concord.score_options(rows(0.5), model="a")
    found = concord.compare(tmp_path / "a", tmp_path / "b", metric="first_option")
    assert found.standing.order == ("b", "a")  # type: ignore[union-attr]
    assert concord.plan(tmp_path / "b", metric="first_option", effect=0.05).to_dict()["needed"]


def test_places_alone_leave_consistency_undefined_and_say_why() -> None:
    bare = [row | {"arrangement": f"order {row['arrangement']}"} for row in rows()]
    found = concord.score_options(bare)
    assert found.scores.consistency.value is None
    assert found.scores.rstd.value is not None
    assert "which option was chosen is not said" in found.warnings[0]
    assert found.scores.n_unread == 0


def test_a_cell_that_cannot_be_read_is_a_reply_without_a_choice() -> None:
    table = rows()
    table[3]["chosen"], table[5]["chosen"] = None, "refused"
    assert concord.score_options(table).scores.n_unread == 2


def test_right_and_wrong_alone_give_accuracy_by_place() -> None:
    table = [
        {"item": row["item"], "arrangement": row["arrangement"], "right": row["right"], "n_options": 4,
         "correct": row["chosen"] == row["right"]}
        for row in rows()
    ]  # fmt: skip
    found = concord.score_options(table).scores
    assert found.rstd == concord.score_options(rows()).scores.rstd
    assert found.selection[0].value is None and found.consistency.value is None


def test_the_number_of_options_is_taken_from_the_table_and_said() -> None:
    bare = [{key: value for key, value in row.items() if key != "n_options"} for row in rows()]
    found = concord.score_options(bare)
    assert found.scores == concord.score_options(rows()).scores
    assert found.warnings[0] == "'n_options' is not given: taken as 4, the furthest place in the table"


def test_every_bad_cell_is_named(tmp_path: Path) -> None:
    table = rows()
    table[0]["chosen"], table[1]["right"], table[2]["n_options"] = "E", "", "many"
    path = write_csv(tmp_path / "bad.csv", table)
    with pytest.raises(TableError) as told:
        concord.score_options(path, strict=True)
    message = str(told.value)
    assert "bad.csv, row 2, column 'chosen': got 'E', expected A to D or 1 to 4" in message
    assert "row 3, column 'right': got None, expected the place of the right option" in message
    assert "row 4, column 'n_options': got 'many', expected a whole number from 2 to 26" in message
    found = concord.score_options(path)
    assert "bad.csv: 189 of 192 rows scored; 3 left out" in found.warnings[0]
    assert (found.scores.n_unread, len(found.replies)) == (1, 190)  # an unreadable choice is a reply
    found.write(tmp_path / "out")
    assert (tmp_path / "out" / "left_out.csv").read_text("utf-8").count("\n") == 4
    assert OptionResult.read(tmp_path / "out") == found


def test_declared_codes_are_no_choices() -> None:
    table = rows()
    table[3]["chosen"], table[5]["chosen"] = 99, "weiß nicht"
    found = concord.score_options(table, missing="99,weiß nicht", strict=True)
    assert found.scores.n_unread == 2 and found.left_out == ()


def test_shares_over_draws_are_so_many_replies() -> None:
    shares = [
        {
            "item": f"i{i}",
            "arrangement": order,
            "right": "ABCD"[place],
            "n_options": 4,
            "correct": 0.7,
            "draws": 10,
        }
        for i in range(12)
        for place, order in enumerate(ORDERS)
    ]
    found = concord.score_options(shares)
    assert len(found.replies) == 480
    assert [one.value for one in found.scores.accuracy_by_place] == pytest.approx([0.7] * 4)
    with pytest.raises(TableError, match="a share or a number of 10 draws"):
        concord.score_options([row | {"correct": 0.55} for row in shares])


def test_items_that_are_numbered_anew_under_a_subject_are_items_of_their_own() -> None:
    two = [row | {"subject": subject} for subject in ("law", "art") for row in rows()]
    assert concord.score_options(two).scores.n_items == 2 * concord.score_options(rows()).scores.n_items


def test_samples_of_a_log_of_inspect_are_scored(tmp_path: Path) -> None:
    samples = [
        {"id": row["item"], "epoch": epoch, "input": "?", "target": row["right"], "choices": list("wxyz"),
         "metadata": {"arrangement": row["arrangement"]}, "output": {"completion": row["chosen"]},
         "scores": {"choice": {"value": "C", "answer": row["chosen"]}}}
        for epoch, row in enumerate(rows())
    ]  # fmt: skip
    log = {"version": 2, "status": "success", "eval": {"task": "t", "model": "lab/m"}, "samples": samples}
    (tmp_path / "log.json").write_text(json.dumps(log), "utf-8")
    found = concord.score_options(tmp_path / "log.json")
    assert found.model == "lab/m"
    assert found.scores.rstd == concord.score_options(rows()).scores.rstd


def test_a_contradiction_is_refused() -> None:
    table = [row | {"correct": row["chosen"] != row["right"]} for row in rows()]
    with pytest.raises(TableError, match="which is otherwise"):
        concord.score_options(table)


def test_a_table_without_right_options_is_refused_with_the_columns_that_it_needs() -> None:
    with pytest.raises(FileFormatError, match=r"none for 'right' \(key, gold, target, "):
        concord.score_options([{"item": 1, "chosen": "A"}])


def test_one_model_of_several_is_chosen() -> None:
    both = [row | {"model": name} for name, bias in (("x", 0.0), ("y", 0.6)) for row in rows(bias)]
    assert concord.score_options(both)["y"].scores == concord.score_options(rows(0.6)).scores
    with pytest.raises(OptionError, match="no row is of 'z'"):
        concord.score_options(both, model="z")
    assert concord.score_options(both, model="y").scores == concord.score_options(rows(0.6)).scores


def test_rows_that_are_there_twice_are_refused() -> None:
    table = [row | {"sample": i % 2} for i, row in enumerate(rows())]
    assert concord.score_options(table).warnings == ()
    with pytest.raises(FileFormatError, match=r"1 units are there more than once.*row 2, row 194"):
        concord.score_options([*table, table[0]])


def test_the_command_writes_what_it_prints(tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from concord.cli.app import app

    path = write_csv(tmp_path / "mine.csv", rows())
    done = CliRunner().invoke(app, ["score", "options", str(path), "--out", str(tmp_path / "r")])
    assert done.exit_code == 0
    assert "model: 24 questions under 4 arrangements (recorded)" in done.stdout
    assert OptionResult.read(tmp_path / "r").scores.n_items == 24
    bad = CliRunner().invoke(app, ["score", "options", str(tmp_path / "r" / "options.csv")])
    assert bad.exit_code == 2


OPTIONS = ("paris", "rome", "oslo", "bern")


def shown() -> list[tuple[int, int, list[str], int, int]]:
    """Ten questions, four rotations, twice: six are known, the others take the first place or the second."""
    found = []
    for i in range(10):
        for turn in range(4):
            for sample in range(2):
                order = [*OPTIONS[turn:], *OPTIONS[:turn]]
                right = order.index("paris")
                place = right if i < 6 else 0 if sample == 0 or i < 8 else 1
                found.append((i, turn, order, right, place))
    return found


def rotated(turn: int) -> str:
    return "ABCD"[turn:] + "ABCD"[:turn]


STRANGERS: dict[str, list[dict[str, Any]]] = {
    "numbers from 0": [
        {"item": i, "arrangement": rotated(t), "chosen": p, "right": r, "n_options": 4}
        for i, t, _, r, p in shown()
    ],
    "letters with the option's words": [
        {"item": i, "arrangement": rotated(t), "chosen": f"{'ABCD'[p]}) {o[p]}", "gold": f"({'ABCD'[r]})"}
        for i, t, o, r, p in shown()
    ],
    "sentences": [
        {"id": i, "order": rotated(t), "prediction": f"The answer is {'ABCD'[p]}.", "key": "ABCD"[r]}
        for i, t, _, r, p in shown()
    ],
    "options in columns, the key in answer": [
        {"question_id": i, **dict(zip("ABCD", o, strict=True)), "answer": "ABCD"[r], "prediction": "ABCD"[p],
         "permutation": t}
        for i, t, o, r, p in shown()
    ],
    "the option's words": [
        {"id": i, "order": t, "options": o, "prediction": o[p], "target": "paris"}
        for i, t, o, _, p in shown()
    ],
    "a list of choices and places from 0": [
        {"doc_id": i, "variant": t, "choices": o, "pred": p, "gold": r} for i, t, o, r, p in shown()
    ],
    "an order of numbers": [
        {"item": i, "arrangement": "|".join(str((t + k) % 4) for k in range(4)), "chosen": "ABCD"[p],
         "right": "ABCD"[r], "n_options": 4}
        for i, t, _, r, p in shown()
    ],
    "an order with dashes": [
        {"item": i, "arrangement": "-".join(rotated(t)).lower(), "chosen": "abcd"[p], "right": "abcd"[r],
         "n_options": 4}
        for i, t, _, r, p in shown()
    ],
}  # fmt: skip


@pytest.mark.parametrize("style", list(STRANGERS))
def test_tables_of_strangers_give_the_same_numbers(style: str) -> None:
    scores = concord.score_options(STRANGERS[style], n_permutations=99).scores
    assert scores.consistency.value == pytest.approx(0.6333333)
    assert scores.flip_excess.value == pytest.approx(1 / 6)
    assert [one.value for one in scores.accuracy_by_place] == pytest.approx([0.9, 0.7, 0.6, 0.6])
    assert scores.selection[0].value == pytest.approx(0.2)


def test_a_letter_in_answer_is_a_place_where_it_is_right_exactly_when_correct() -> None:
    """Taken for the option itself, a model that knows every answer would seem to change its mind."""
    rows = [
        {"id": i, "order": turn, "answer": "ABCD"[place], "target": "ABCD"[right],
         "correct": int(place == right)}
        for i, turn, _, right, place in shown()
    ]  # fmt: skip
    result = concord.score_options(rows, n_permutations=99)
    assert result.scores.consistency.value is None
    assert result.scores.selection[0].value == pytest.approx(0.2)
    assert any("'answer' is taken for the chosen place" in told for told in result.warnings)


def test_replies_are_read_and_what_was_thought_or_denied_is_no_choice() -> None:
    said = {
        "The answer is B.": 1,
        "<think>A?</think>\nB": 1,
        "[THINK]The answer is A.[/THINK]\n**B) blue**": 1,
        "I looked at all four of them for a long time and would not choose A.": None,
        "The answer is not A.": None,
        "A: 10%, B: 80%, C: 5%, D: 5%": None,
    }
    rows = [
        {"item": i, "arrangement": "ABCD", "response": reply, "right": "B", "n_options": 4}
        for i, reply in enumerate(said)
    ]
    assert [reply.place for reply in concord.score_options(rows).replies] == list(said.values())


def test_a_row_with_two_faults_and_a_table_without_a_usable_row_are_named(tmp_path: Path) -> None:
    table = rows()
    table[0]["chosen"], table[0]["correct"] = "E", "perhaps"
    assert {one.column for one in concord.score_options(table).left_out} == {"chosen", "correct"}
    (tmp_path / "x.csv").write_text("pair,order,verdict\n1,ab,first,more\n", "utf-8")
    with pytest.raises(TableError, match="expected no cell here"):
        concord.score_judge(tmp_path / "x.csv")


def test_shares_of_draws_may_be_percentages() -> None:
    rows = [
        {"item": i, "arrangement": k, "right": "ABCD"[k], "n_options": 4, "correct": cell, "draws": 10}
        for i in range(6)
        for k, cell in enumerate(("70%", "30 %", "100%", "0,0 %"))
    ]
    found = concord.score_options(rows)
    right = [one.correct for one in found.replies if one.item == "0"]
    assert [sum(map(bool, right[k : k + 10])) for k in range(0, 40, 10)] == [7, 3, 10, 0]
    assert "list, column 'correct': percentages, divided by 100" in found.warnings
    for row in rows:
        row["correct"] = "0,3"
    commas = concord.score_options(rows, decimal_comma=True)
    assert sum(map(bool, (one.correct for one in commas.replies))) == 3 * len(rows)
    rows[0]["correct"] = 0.7
    with pytest.raises(TableError, match="column 'correct': got '0,3'"):
        concord.score_options(rows, strict=True)
