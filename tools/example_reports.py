"""The finished reports of the documentation site; run as a script it takes the README's picture.

They are made from bundled data alone: the fifteen agents of a public mega-study, the recorded replies
of the embedded model, and scripted replies that show what several models look like side by side.
The picture shows the first of them, as chromium does.
"""

import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

PICTURE = Path(__file__).resolve().parents[1] / "docs" / "assets" / "report.png"
SCRIPTS = {
    "scripted: reasoning works": (0.40, 0.85),
    "scripted: decoration": (0.70, 0.70),
    "scripted: reasoning harms": (0.85, 0.45),
}
"""Model: how often it is right at once, and after reasoning."""


def demo(folder: Path) -> None:
    """Write the results of `concord demo --recorded`."""
    from concord import api
    from concord.asking import runs

    api.score_people(api.public_table()).write(folder)
    for question in ("reasoning", "structure"):
        runs.score_bundled(question).write(folder)


def several_models(folder: Path) -> None:
    """Write results about the reasoning of one recorded and three scripted models."""
    import json

    from concord import api
    from concord.asking import runs
    from concord.reasoning.lexicon import SAMPLES

    samples = json.loads(Path(str(SAMPLES)).read_text("utf-8"))["samples"]
    runs.score_bundled("reasoning").write(folder)
    for seed, (name, skills) in enumerate(SCRIPTS.items(), 1):
        api.score_reasoning(samples, _script(samples, skills, seed), model=name).write(folder)


def _script(samples: list[dict[str, Any]], skills: tuple[float, float], seed: int) -> list[dict[str, str]]:
    """Make replies that are right with one probability at once and with another after reasoning."""
    rng = random.Random(seed)
    labels = sorted({sample["gold_answer"] for sample in samples})
    rows = []
    for sample in samples:
        for mode, skill in zip(("direct", "cot"), skills, strict=True):
            answer = sample["gold_answer"] if rng.random() < skill else rng.choice(labels)
            steps = " ".join(f"{i}. {step}" for i, step in enumerate(sample["gold_reasoning"], 1))
            reasoning = f"REASONING: {steps}\n" if mode == "cot" else ""
            rows.append({"id": sample["id"], "mode": mode, "response": f"{reasoning}DIAGNOSIS: {answer}"})
    return rows


def pages() -> Iterator[tuple[str, str]]:
    """Return the address of every example in the site's sources, with its text."""
    from concord import api
    from concord.people.public import TWIN

    for name, title, write, notes in (
        ("demo-report", "Concord demo", demo, [TWIN.credit]),
        ("several-models", "Does reasoning do work? Four models", several_models, []),
    ):
        with tempfile.TemporaryDirectory() as made:
            write(Path(made) / "concord-demo")
            page = api.report(
                Path(made) / "concord-demo", out=Path(made) / "page.html", title=title, notes=notes
            )
            yield f"examples/{name}.html", page.path.read_text("utf-8")


def take_picture(page: Path) -> None:
    """Take the README's picture: the top of the first example, as a browser shows it."""
    from shutil import which

    from playwright.sync_api import sync_playwright

    flags = ["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking"]
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=which("chromium"), args=flags)
        view = browser.new_page(viewport={"width": 1100, "height": 820})
        view.goto(page.as_uri())
        for _ in range(3):  # what comes into view is laid out, which moves what is below
            view.evaluate("document.querySelector('#people-h').scrollIntoView()")
            view.wait_for_timeout(300)
        view.screenshot(path=PICTURE)
        browser.close()


def main() -> int:
    """Take the picture anew."""
    with tempfile.TemporaryDirectory() as made:
        page = Path(made) / "page.html"
        page.write_text(next(text for _, text in pages()), "utf-8")
        take_picture(page)
    sys.stdout.write(f"wrote {PICTURE.name}, {PICTURE.stat().st_size / 1000:.0f} kB\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
