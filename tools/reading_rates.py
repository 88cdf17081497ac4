"""How often replies are read right: counts of sets of replies with true readings, and tables for the page.

`python tools/reading_rates.py` counts the sets of the tests again and writes `tests/reading/counts.json`;
`--unseen FILE …` counts sets that nobody adapted the rules to, which are not kept here.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from concord.reading import Reading, read_reply
from concord.stats.intervals import wilson_interval
from concord.structure.judging.plain import VERDICTS, stored_verdict

TESTS = Path(__file__).resolve().parent.parent / "tests" / "reading"
COUNTS, EXAMPLES = TESTS / "counts.json", TESTS / "examples.json"
SETS = ("corpus.jsonl", "third.jsonl", "fourth.jsonl", "fifth.jsonl", "sixth-open.jsonl")
RIGHT, UNREAD, MISREAD = "right", "unread", "misread"
FORMS = ("structured", "marked", "bare", "sentence", "none")
STATED = {"sentence": "in a free sentence", "none": "not at all"}
KINDS = {"allocation": "split", "likert": "rating", "label": "name", "ranking": "order"}
LANGUAGES = {
    "en": "English", "de": "German", "fr": "French", "es": "Spanish", "it": "Italian", "pt": "Portuguese",
    "zh": "Chinese", "ja": "Japanese", "ko": "Korean", "nl": "Dutch", "": "not noted",
}  # fmt: skip


def rows_of(path: Path) -> list[dict[str, Any]]:
    """Return the replies of a set."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def read_row(row: Mapping[str, Any]) -> Reading:
    """Read a reply of a set as it was asked for; a judge's verdict in the words of its seat."""
    if "verdict" in row["args"]:
        said = stored_verdict("", row["reply"])
        return replace(read_reply(row["reply"], choices=VERDICTS), value=said.reading or None)
    asked: dict[str, Any] = {
        key: tuple(one) if isinstance(one, list) else one for key, one in row["args"].items()
    }
    if "labels" in asked:
        asked["labels"] = row["args"]["labels"]
    if "split" in asked:
        asked["split"] = (asked["split"][0], row["asked"]["to"])
    return read_reply(row["reply"], **asked)


def verdict_on(row: Mapping[str, Any], reading: Reading) -> str:
    """Return whether a reply was read right, left unread or misread; no answer in it is right unread."""
    accepted = row["also"]
    if not reading.ok:
        wanted = row["outcome"] != "ok" or str(reading.outcome) in accepted or "unreadable" in accepted
        return RIGHT if wanted else UNREAD
    said: object = reading.value
    if isinstance(reading.value, tuple):  # sets rank by the names of options
        names = dict(zip(row["args"]["ranking"], row["asked"]["options"], strict=True))
        said = [names[letter] for letter in reading.value]
    if reading.other:
        same = bool(row["other"]) and str(row["value"]).casefold() in str(said).casefold()
    else:
        same = row["outcome"] == "ok" and said == row["value"]
    return RIGHT if same or f"ok:{said}" in accepted else MISREAD


def counted(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Count verdicts by how the answer is stated, what was asked and the language."""
    found: Counter[tuple[str, str, str, str]] = Counter()
    for row in rows:
        kind = KINDS.get(row["asked"]["type"], row["asked"]["type"])
        language = row.get("language", "")
        found[row["form"], kind, language, verdict_on(row, read_row(row))] += 1
    fields = ("stated", "kind", "language", "verdict")
    return [{**dict(zip(fields, key, strict=True)), "n": n} for key, n in sorted(found.items())]


def stored_tables() -> str:
    """Return the tables of the stored counts."""
    return tables(json.loads(COUNTS.read_text("utf-8")))


def tables(counts: Mapping[str, Sequence[Mapping[str, Any]]]) -> str:
    """Return the page's tables: of each set by statement, of all sets by what is asked and by language."""
    names = {"seen": "Replies of the tests", "unseen": "Replies that no rule was adapted to"}
    parts = []
    for held in ("unseen", "seen"):
        if counts[held]:
            rows = _table(counts[held], "stated", FORMS, "how the answer is stated", STATED)
            parts.append(f"{names[held]}:\n\n{rows}")
            for field, order in (
                ("kind", sorted({one["kind"] for one in counts[held]})),
                ("language", LANGUAGES),
            ):
                parts.append(
                    _table(counts[held], field, order, field, LANGUAGES if field == "language" else {})
                )
    return "\n\n".join(parts)


def _table(
    counts: Sequence[Mapping[str, Any]], field: str, order: Iterable[str], head: str, words: Mapping[str, str]
) -> str:
    lines = [
        f"| {head} | replies | right | left unread | misread | misread, of all |",
        "|---|---|---|---|---|---|",
    ]
    for value in order:
        held = Counter[str]()
        for one in counts:
            held[one["verdict"]] += one["n"] if one[field] == value else 0
        n = held.total()
        if n:
            ends = wilson_interval(held[MISREAD], n)
            share = f"{held[MISREAD] / n:.1%} ({ends.low:.1%} to {ends.high:.1%})"
            cells = (words.get(value, value), n, held[RIGHT], held[UNREAD], held[MISREAD], share)
            lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines)


def examples() -> str:
    """Return the examples of the tests as tables: what a reply says and what is read."""
    parts = []
    for group in json.loads(EXAMPLES.read_text("utf-8")):
        (kind, asked), *_ = group["asked"].items()
        parts.append(f"**{group['about']}**, asked for `{kind}={asked}`\n\n| reply | read |\n|---|---|")
        for reply, value, *_ in group["replies"]:
            text = reply.replace("|", "\\|").replace("\n", " ⏎ ").replace("`", "ˋ")
            said = "–" if value is None else f"`{value}`"
            parts[-1] += f"\n| `{text}` | {said} |"
    return "\n\n".join(parts)


def main() -> None:
    """Count again and write."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--unseen", nargs="*", type=Path, help="sets that no rule was adapted to")
    given = parser.parse_args().unseen
    before = json.loads(COUNTS.read_text("utf-8")) if COUNTS.is_file() else {"unseen": []}
    held = {
        "seen": counted(row for name in SETS for row in rows_of(TESTS / name)),
        "unseen": before["unseen"]
        if given is None
        else counted(row for path in given for row in rows_of(path)),
    }
    text = ",\n".join(
        f' "{name}": [\n' + ",\n".join(f"  {json.dumps(row)}" for row in rows) + "\n ]"
        for name, rows in held.items()
    )
    COUNTS.write_text(f"{{\n{text}\n}}\n", "utf-8")


if __name__ == "__main__":
    main()
