"""Every command with every path it takes: whole files for all of them, so that one can be spoilt."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from tests.structure.judging import scripted
from typer.testing import CliRunner

from concord import api
from concord.cli.app import app

ALSO_PATHS = {
    ("check", "--map"), ("score people", "--map"), ("run structure", "--items"), ("run people", "--variant"),
    ("run reasoning", "--chains-of"), ("score reasoning", "--aliases"),
}  # fmt: skip
"""Options of text that may name a file."""
ASK = "--model mockllm/model --dry-run"
COMMANDS: dict[str, list[str]] = {
    "demo": ["--out <demo"],
    "check": ["tests.csv", "hand.csv --map map.txt", "hand.csv --suggest-map <new.txt", "study.yaml",
              "replies.jsonl", "samples.json", "items.json", "tests.xlsx"],
    "report": ["people structure --out <page.html --plots <plots --figures <drawn"],
    "figures": ["people --out <figures"],
    "write-up": ["people --out <figures"],
    "cite": ["people"],
    "compare": ["scores.csv scores.csv --out <compared",
                "scores.csv scores.csv --junit <j.xml --markdown <m.md",
                "people people", "structure structure",
                "log.json log.json", "lines.jsonl lines.jsonl", "judge judge", "probes probes",
                "reasoning reasoning", "answers answers"],
    "combine": ["mixed.csv further.csv --out <combined"],
    "plan items": ["scores.csv others.csv"],
    "plan structure": ["structure"],
    "plan participants": ["people"],
    "plan judges": ["judge"],
    "plan options": ["options"],
    "plan mixed": ["combined"],
    "template": ["<people.xlsx --kind people"],
    "view": [],
    "plan study": ["studies/framing.yaml"],
    "register": ["framing --claims claims.yaml --out <r.json --run-out <runs"],
    "pack": ["people --registration r.json --out <pack.zip --claims claims.yaml --data answers.csv "
             "--disclosure d.yaml"],
    "verify": ["pack.zip --data answers.csv --out <v", "pack.zip --registration r.json"],
    "studies": ["--folder studies", "draft paper.txt --out <draft.yaml"],
    "score people": ["tests.csv --out <o1 --simulations 0 --resamples 0", "hand.csv --map map.txt --out <o1",
                     "agents.csv --agent-column agent --out <o1 --resamples 0 --simulations 0",
                     "tests.csv --protocol protocol.yaml --out <o1 --simulations 0 --resamples 0",
                     "effects.csv --respondents respondents.csv --out <o1"],
    "score answers": ["answers.csv --resamples 20 --out <o2", "answers.csv --labels samples.json --out <o2"],
    "score structure": ["--scores long.csv --reading paired --resamples 200 --out <o3",
                        "--mean mean --max max --resamples 200 --out <o3"],
    "score reasoning": ["--samples samples.json --replies replies.jsonl --out <o4 --resamples 100",
                        "--samples samples.json --replies replies.jsonl --bias-cases cases.json "
                        "--bias-replies biased.jsonl --aliases aliases.json --resamples 100 --out <o4",
                        "--rank reasoning --rank reasoning --out <o4"],
    "score hints": ["hints.csv --out <o5"],
    "score probes": ["probes.csv --out <o6"],
    "score judge": ["votes.jsonl --people votes.jsonl --permutations 99 --out <o7"],
    "score options": ["option_replies.csv --permutations 99 --out <o10"],
    "score run": ["run --out <o8 --partial", "run --people answers.csv --out <o8 --partial",
                  "sessions.jsonl --study framing --out <o1",
                  "sessions.jsonl --studies studies --out <o1",
                  "run --corrections corrections.jsonl --out <o8 --partial"],
    "run people": [f"--study framing --out <r1 {ASK}", f"--studies studies --out <r1 {ASK}",
                   f"--study framing --persons tests.csv --out <r1 {ASK}",
                   f"--study framing --prices prices.json --out <r1 {ASK}",
                   f"--study framing --variant flood --out <r1 {ASK}"],
    "run structure": [f"--items items.json --prices prices.json --out <r2 {ASK}"],
    "run reasoning": [f"--samples samples.json --bias-cases cases.json --prices prices.json --out <r3 {ASK}",
                      f"--probe hints --choices choices.jsonl --out <r3 {ASK}",
                      f"--probe early --chains-of vignettes --samples samples.json --out <r3 {ASK}"],
    "run judge": [f"--pairs pairs.csv --prices prices.json --out <r4 {ASK}",
                  f"--first run --second run --out <r4 {ASK}"],
    "export inspect": ["run --out <o9"],
    "audit": ["said --verdicts verdicts.json", "said --replies said.jsonl --page", "hinted --hints --page"],
}  # fmt: skip
"""What each command is given; ``<`` is what it writes, other words with a file are what it reads."""


def walk(command: Any, name: tuple[str, ...] = ()) -> Iterator[tuple[str, Any]]:
    """Every command with its words."""
    if hasattr(command, "list_commands"):
        for one in command.list_commands(None):
            yield from walk(command.get_command(None, one), (*name, one))
    else:
        yield " ".join(name), command


def path_parameters() -> Iterator[tuple[str, str]]:
    """Every parameter of every command that takes a path."""
    for name, command in walk(typer.main.get_command(app)):
        for parameter in command.params:
            word = parameter.opts[-1]
            if "Path" in str(parameter.type_descriptor.annotation) or (name, word) in ALSO_PATHS:
                yield name, word


def invoke(words: list[str]) -> Any:
    return CliRunner().invoke(app, words)


HAND = {
    "Experiment": "study", "Hypothesis": "finding", "Item": "test", "Test": "test_type",
    "Stat": "human_statistic", "N people": "human_n", "LLM stat": "agent_statistic", "N LLM": "agent_n",
}  # fmt: skip
HEADER = "study,finding,test,test_type,human_statistic,human_n,agent_statistic,agent_n"


def write_inputs(folder: Path) -> None:  # noqa: PLR0915 - one file after the other
    """Write one whole file or folder of every kind that a command reads."""

    def text(name: str, *lines: str) -> Path:
        path = folder / name
        path.write_text("\n".join(lines) + "\n", "utf-8")
        return path

    def document(name: str, value: object) -> Path:
        return text(name, json.dumps(value))

    tests = [f"S{i % 3},F{i},t,t-test,2.{i},60,1.{i},60" for i in range(6)]
    table = text("tests.csv", HEADER, *tests)
    text("agents.csv", HEADER + ",agent", *(f"{row},{name}" for row in tests for name in "ab"))
    text("effects.csv", "study,condition,control,human_estimate,human_se,agent_estimate",
         *(f"S,c{k},none,0.{k},0.1,0.{9 - k}" for k in range(1, 7)))  # fmt: skip
    text("respondents.csv", "condition,answer",
         *(f"{name},{(i * 7 + k) % 5}" for k, name in enumerate(["none", *(f"c{k}" for k in range(1, 7))])
           for i in range(12)))  # fmt: skip
    text("hand.csv", ",".join(HAND), *tests)
    text("map.txt", *(f"{title} = {column}" for title, column in HAND.items()))
    text("scores.csv", "item,score", *(f"q{i},{i % 2}" for i in range(40)))
    text("others.csv", "item,score", *(f"q{i},{i % 3 % 2}" for i in range(40)))
    text("lines.jsonl", *(json.dumps({"item": f"q{i}", "score": i % 2}) for i in range(40)))
    text("answers.csv", "study,outcome,human,agent", *(f"s,o,{i % 5 + 1},{i % 3 + 2}" for i in range(60)))
    text("mixed.csv", "arm,answer,prediction", *(f"{'ab'[i % 2]},{i % 7},{i % 5}" for i in range(60)))
    text("further.csv", "arm,prediction", *(f"{'ab'[i % 2]},{i % 5}" for i in range(200)))
    long = [f"{m},{a},{i},0.4,0.6" for m in "mn" for a in ("AB", "BA") for i in "xyz"]
    scores = text("long.csv", "model,arrangement,item,S_mean,S_max", *long)
    counts = "both_count,thinking_only_count,answer_only_count,neither_count"
    text("hints.csv", f"model,influenced_count,{counts}", "m,40,10,10,10,10", "n,40,20,10,5,5")
    probes = [f"early,a,prefix,{k},4,{'B' if k >= 3 else 'A'}" for k in range(5)]
    made_probes = text("probes.csv", "probe,id,cell,step,n_steps,answer", *probes)
    votes = text("votes.jsonl", *map(json.dumps, scripted.rows(scripted.always_first, n=12)))
    text("pairs.csv", "prompt,answer_a,answer_b", "q,x,y", "r,x,z")
    samples = _run_inputs(folder)
    replies = [
        {
            "id": one["id"],
            "mode": mode,
            "response": f"REASONING: a red toe. DIAGNOSIS: {('Gout', 'Flu')[i % 2]}",
        }
        for i, one in enumerate(samples)
        for mode in ("cot", "direct")
    ]
    text("replies.jsonl", *map(json.dumps, replies))
    case = {"prompt": "p", "bias_feature": "f", "bias_label": "l", "metadata": {"role": "target"}}
    document("cases.json", {"cases": [{"id": f"c{i}", **case} for i in range(2)]})
    text("biased.jsonl", *(json.dumps({"id": f"c{i}", "response": "DIAGNOSIS: l"}) for i in range(2)))
    document("aliases.json", {"aliases": {"Gout": ["podagra"]}})
    document("prices.json", {"mockllm/model": {"in": 1, "out": 2}})
    session = {"id": "framing/x", "response": "A"}
    text("sessions.jsonl", json.dumps(session))
    log = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m", "dataset": {}},
           "samples": [{"id": i, "epoch": 1, "input": "q", "target": "a", "scores": {"acc": {"value": "C"}}}
                       for i in range(9)]}  # fmt: skip
    document("log.json", log)
    document("verdicts.json", {"format": "concord audit verdicts", "format_version": 2,
                               "question": "structure", "verdicts": {}})  # fmt: skip
    text("corrections.jsonl", json.dumps({"id": "a", "mode": "x", "repeat": 0, "read_as": "A"}))
    (folder / "studies").mkdir()
    source = min((Path(api.__file__).parent / "people" / "studies").rglob("framing.yaml"))
    (folder / "studies" / source.name).write_bytes(source.read_bytes())
    (folder / "study.yaml").write_bytes(source.read_bytes())
    import polars as pl
    import xlsxwriter

    pl.read_csv(table).write_excel(folder / "tests.xlsx")
    for side in ("mean", "max"):
        (folder / side).mkdir()
        with xlsxwriter.Workbook(str(folder / side / "m.xlsx")) as book:
            for name in ("P", "Q"):
                sheet = book.add_worksheet(name)
                for i, row in enumerate([["Idiom", "P_S_Acc"], ["x", 0.4], ["y", 0.5]]):
                    sheet.write_row(i, 0, row)
    api.score_people(table, n_resamples=0, n_simulations=0).write(folder / "people")
    api.score_people(folder / "agents.csv", agent_column="agent", n_resamples=0, n_simulations=0).write(
        folder / "agents"
    )
    api.score_structure(scores=scores, reading="paired", resamples=200).write(folder / "structure")
    api.score_reasoning(folder / "samples.json", folder / "replies.jsonl", model="m", n_resamples=100).write(
        folder / "reasoning"
    )
    api.score_judge(votes, judge="j").write(folder / "judge")
    said = [
        {"pair": f"p{i}", "order": order, "verdict": f"All in all and after some thought ({i}): [[A]]"}
        for i in range(4)
        for order in ("ab", "ba")
    ]
    api.score_judge(text("said.jsonl", *map(json.dumps, said)), judge="j").write(folder / "said")
    chosen = [
        f"q{i},{order},A,{right},4" for i in range(4) for order, right in (("ABCD", "B"), ("BCDA", "A"))
    ]
    (folder / "option_replies.csv").write_text(
        "\n".join(["item,arrangement,chosen,right,n_options", *chosen]) + "\n", "utf-8"
    )
    api.score_options(folder / "option_replies.csv").write(folder / "options")
    api.combine(folder / "mixed.csv", folder / "further.csv").write(folder / "combined")
    text("protocol.yaml", "like: standard", "within_study: flat")
    api.score_probes(made_probes, model="m").write(folder / "probes")
    api.score_answers(folder / "answers.csv", n_resamples=20).write(folder / "answers")
    write_runs(folder)


def write_runs(folder: Path, only: str | None = None) -> None:
    """Ask the mock model something of every question."""
    _run_inputs(folder)
    asked = {
        "run": ["structure", "--items", str(folder / "items.json")],
        "asked": ["reasoning", "--samples", str(folder / "samples.json")],
        "sat": ["people", "--study", "framing", "--n", "2"],
        "hinted": ["reasoning", "--probe", "hints", "--choices", str(folder / "choices.jsonl")],
    }
    for name, words in asked.items():
        if only not in (None, name):
            continue
        done = invoke(
            ["run", *words, "--model", "mockllm/model", "--out", str(folder / name), "--no-inspect-log"]
        )
        assert (folder / name / "run.json").is_file(), done.output


def _run_inputs(folder: Path) -> list[dict[str, Any]]:
    def text(name: str, *lines: str) -> None:
        (folder / name).write_text("\n".join(lines) + "\n", "utf-8")

    def document(name: str, value: object) -> None:
        text(name, json.dumps(value))

    question = {"question": "q?", "options": ["x", "y"], "answer": 0, "target": 1}
    text("choices.jsonl", *(json.dumps({"id": f"c{i}", **question}) for i in range(3)))
    document("items.json", {"items": [{"id": "a", "question": "q?", "options": ["x", "y"], "answer": "x"}]})
    samples: list[dict[str, Any]] = [
        {"id": f"v{i}", "prompt": "p", "gold_answer": ("Gout", "Migraine")[i % 2],
         "gold_reasoning": ["red toe"]}
        for i in range(6)
    ]  # fmt: skip
    document("samples.json", {"samples": samples})
    return samples
