"""What a model was asked: the prompts beside replies, each text once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError
from concord.show.page.find import read_document
from concord.show.page.json_rows import json_lines
from concord.show.page.values import parts, texts, words

TRIALS, PROMPTS = "trials.jsonl", "prompts.json"
LONGEST = 100_000
"""Characters of a prompt that are kept."""


@dataclass(frozen=True, slots=True)
class Prompts:
    """Prompts by their number (of scored answers) or by the key of their trial (of a run)."""

    numbered: Sequence[str]
    keyed: Mapping[str, tuple[str, str]]
    """What was asked, and what the model was told before."""

    def of(self, row: Mapping[str, Any]) -> dict[str, str | None]:
        """Return what was asked for a reply, and what came before it; ``None`` where no file says."""
        if self.numbered:
            return {key: self._at(row.get(key)) for key in ("prompt", "told")}
        found = self.keyed.get(words(row, "key"))
        return {"prompt": None, "told": None} if found is None else {"prompt": found[0], "told": found[1]}

    def _at(self, number: object) -> str | None:
        inside = isinstance(number, int) and 0 <= number < len(self.numbered)
        return self.numbered[number] if inside and isinstance(number, int) else None


def prompts_beside(file: Path) -> Prompts:
    """Read the prompts beside a file of replies."""
    if (file.parent / PROMPTS).is_file():
        try:
            found = texts(read_document(file.parent / PROMPTS), "prompts")
        except FileFormatError:
            found = []
        return Prompts([text[:LONGEST] for text in found], {})
    if (file.parent / TRIALS).is_file():
        rows = json_lines(file.parent / TRIALS, TRIALS, [])
        return Prompts((), {words(row, "key"): _sent(row) for row in rows})
    return Prompts((), {})


def _sent(row: Mapping[str, Any]) -> tuple[str, str]:
    """Return the last message of a trial, and those before it."""
    messages = [words(one, "text")[:LONGEST] for one in parts(row, "messages")]
    return (messages[-1], "\n\n".join(messages[:-1])) if messages else ("", "")
