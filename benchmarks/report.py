"""Size and speed of the page of 20 models, 12 studies, 150 tests and 5,000 replies.

By default every model has 150 tests in all; with ``--large`` it has 150 in each of the 12 studies. With
``--long`` every reply has 10 kB, so that the page has to cut them.
"""

import json
import random
import sys
import tempfile
import time
from pathlib import Path

from concord import api

MODELS, STUDIES, TESTS, REPLIES = 20, 12, 150, 5000
WORDS = Path(__file__).read_text("utf-8").split() + Path(api.__file__).read_text("utf-8").split()


def table(rng: random.Random, per_study: int, human: list[float]) -> list[dict[str, object]]:
    rows: list[dict[str, object]] = []
    for study in range(STUDIES):
        for test in range(per_study):
            effect = human[study * per_study + test]
            rows.append({
                "study": f"study-{study:02}", "finding": f"F{test // 4}", "domain": f"domain {study % 3}",
                "test": f"condition {test} against control", "test_type": "t-test",
                "human_statistic": effect * 4, "human_n1": 40, "human_n2": 40,
                "agent_statistic": (effect * 1.3 + rng.gauss(0, 0.3)) * 7, "agent_n1": 100, "agent_n2": 100,
            })  # fmt: skip
    return rows


def write_results(folder: Path, per_study: int) -> None:
    rng = random.Random(1)
    human = [rng.gauss(0.5, 0.5) for _ in range(STUDIES * per_study)]
    for number in range(MODELS):
        where = folder / f"model-{number:02}"
        api.score_people(table(rng, per_study, human), n_resamples=0).write(where)
        with (where / "replies.jsonl").open("w", encoding="utf-8") as file:
            for reply in range(REPLIES // MODELS):
                text = " ".join(rng.choices(WORDS, k=1400 if "--long" in sys.argv else rng.randint(20, 250)))
                file.write(json.dumps({"id": f"item {reply}", "mode": "cot", "response": text}) + "\n")


def interactive_seconds(page: Path) -> float | None:
    """Time from opening until the page can be used, in a real browser; None where there is none."""
    import shutil

    browser = shutil.which("chromium")
    if browser is None:
        return None
    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
    with sync_playwright() as started:
        chromium = started.chromium.launch(executable_path=browser, args=flags)
        tab = chromium.new_page()
        begin = time.perf_counter()
        tab.goto(page.as_uri(), wait_until="commit")
        tab.wait_for_selector("html[data-ready]")
        seconds = time.perf_counter() - begin
        chromium.close()
    return seconds


def main() -> None:
    per_study = TESTS if "--large" in sys.argv else -(-TESTS // STUDIES)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_results(folder / "results", per_study)
        begin = time.perf_counter()
        made = api.report(folder / "results", out=folder / "report.html")
        seconds = time.perf_counter() - begin
        opened = interactive_seconds(made.path)
        shown = "no chromium" if opened is None else f"{opened:.2f} s (limit 2 s)"
        print(f"{MODELS} models x {STUDIES} studies x {per_study} tests each, {REPLIES} replies")
        size = f"{made.size / 1e6:.2f} MB (limit 5 MB)"
        print(f"built in {seconds:.1f} s (limit 20 s), {size}, interactive in {shown}")


if __name__ == "__main__":
    main()
