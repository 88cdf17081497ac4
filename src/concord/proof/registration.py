"""A registration: what will be asked, computed and claimed, with the hash of every input, before replies."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord.asking.folder import planned_prompts
from concord.errors import FileFormatError, quoted
from concord.files.contents import read_bytes
from concord.files.documents import check_heading
from concord.files.json_text import parsed
from concord.files.output import write_json, write_text
from concord.kinds import Column, Kind, Table, with_provenance
from concord.proof.claims import RULES, Claim
from concord.records import InputFile
from concord.words import say

DIGEST = "sha256"
_PLAN_KEYS = ("question", "model", "models")


@dataclass(frozen=True, slots=True)
class RegisteredRun:
    """One model's run as it will be asked: what its record will hold, and a hash of every prompt."""

    suite: str
    model: str
    sampling: Mapping[str, Any]
    options: Mapping[str, Any]
    templates: Mapping[str, str]
    structured: str
    ask_again: int
    inputs: tuple[InputFile, ...]
    n_trials: int
    prompts_sha256: str
    """Of the messages of every trial, whoever is asked."""
    plan_sha256: str
    """Of the keys of every trial: prompts, model, settings, seeds and repeats."""


@dataclass(frozen=True, slots=True, repr=False)
class Registration(Kind):
    """What was said before replies existed."""

    FORMAT, FILE, KEY = "registration", "registration.json", "asked"
    TABLES = (
        Table(
            "claims",
            rows=lambda result: result.claims,
            title="Claims",
            columns=(
                Column("claim", lambda one: one.words, words=True),
                Column("rule", words=True),
                Column("level"),
            ),
        ),
        Table(
            "asked",
            rows=lambda result: result.asked,
            title="What will be asked",
            columns=(
                Column("suite", title="question", words=True),
                Column("model", words=True),
                Column("n_trials", title="trials", count=True),
                Column("settings", lambda one: _words(one.sampling), words=True),
                Column("prompts", lambda one: one.prompts_sha256[:12], words=True),
            ),
        ),
    )
    UNSHOWN = frozenset({"asked", "computed", "claims", "inputs"})

    registered: str
    """When, in UTC."""
    after_the_fact: bool
    replies_found: int
    """Replies that were there already."""
    asked: tuple[RegisteredRun, ...]
    computed: Mapping[str, Any]
    """Protocol, margins, level, seed, who reads replies."""
    claims: tuple[Claim, ...]
    inputs: tuple[InputFile, ...] = ()
    """Every file that goes in: studies, designs, tables, the claims."""

    @property
    def digest(self) -> str:
        """Return the sha256 of all that is registered."""
        held = json.dumps(Kind.document(self), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(held.encode("ascii")).hexdigest()

    def document(self) -> dict[str, Any]:
        """Return the document, with the hash of all that is registered."""
        return with_provenance({**Kind.document(self), DIGEST: self.digest}, self.inputs)

    def write(self, out: str | Path = FILE) -> tuple[Path, ...]:
        """Write the document, and the same for people in Markdown beside it."""
        path = Path(out)
        path = path if path.suffix.lower() == ".json" else path / self.FILE
        write_json(path, self.to_dict())
        write_text(path.with_suffix(".md"), self.markdown())
        return path, path.with_suffix(".md")

    def markdown(self) -> str:
        """Return the registration as a text that people read."""
        lines = ["# Registration", "", *(f"{line}\n" for line in self.sentences()), "## Claims", ""]
        for one in self.claims:
            lines.append(f"- {_shown_line(one.words)} (level {one.level:g}). Rule: {one.rule}.")
        lines += [
            "" if self.claims else say("proof.registered.no_claims") + "\n",
            "## What will be asked",
            "",
        ]
        for run in self.asked:
            lines += [
                f"- {_shown_line(run.suite)}, asked of {_shown_line(run.model)}: {run.n_trials:,} trials",
                f"    - settings: {_shown_line(_words(run.sampling))}",
                f"    - design: {_shown_line(_words(run.options))}",
                f"    - answers: {run.structured}; unread ones asked again at most {run.ask_again} times",
                f"    - prompts, sha256 `{run.prompts_sha256}`; with model and settings `{run.plan_sha256}`",
            ]
        lines += [
            "" if self.asked else say("proof.registered.nothing_asked") + "\n",
            "## What will be computed",
            "",
        ]
        lines += [f"- {name}: {_shown_line(_words(value))}" for name, value in self.computed.items()]
        lines += ["", "## Files", ""]
        lines += [
            f"- {_shown_line(one.name)} ({one.size:,} bytes), sha256 `{one.sha256}`" for one in self.inputs
        ]
        return "\n".join(lines) + "\n"

    def who(self) -> Sequence[str]:
        """Return the models."""
        return list(dict.fromkeys(one.model for one in self.asked))

    def sentences(self) -> Sequence[str]:
        """Say what is registered, when, and its hash."""
        told: dict[str, Any] = {"n": len(self.claims), "at": self.registered}
        first = say("proof.registered.before", **told)
        if self.after_the_fact:
            first = say("proof.registered.after", **told, replies=self.replies_found)
        return [first, say("proof.registered.hash", digest=self.digest)]

    @classmethod
    def read_file(cls, path: Path) -> "Registration":
        """Read a registration and see that it is the one that was written."""
        return registration_of(parsed(path.name, read_bytes(path)), path.name)


def registration_of(document: object, name: str) -> Registration:
    """Return the registration of a document; one that was changed is refused."""
    from concord.files.codec import decode

    held = check_heading(document, Registration.FORMAT, where=name)
    found = decode(Registration, held, where=name)
    for one in found.claims:
        if one.claim not in RULES:
            raise FileFormatError(f"{name}: claim {quoted(one.claim)} is not known")
    if held.get(DIGEST) != found.digest:
        raise FileFormatError(
            f"{name}: was changed after it was registered: it says {held.get(DIGEST)}, its content has "
            f"{found.digest}; put the original back"
        )
    return found


def _shown_line(text: object) -> str:
    """Return a text on one line that Markdown shows as it is."""
    return " ".join(str(text).split()).replace("<", "‹").replace("`", "'")


def _words(value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name} {part}" for name, part in value.items() if part is not None)
    return str(value)


def registered_of_record(record: Mapping[str, Any], path: Path) -> RegisteredRun:
    """Return what the record and the plan of a run say of how it was asked."""
    prompts = hashlib.sha256()
    keys = hashlib.sha256()
    n = 0
    for row in planned_prompts(path):
        n += 1
        prompts.update(json.dumps(row.get("messages")).encode())
        keys.update(str(row.get("key")).encode())
    listed = record.get("inputs", [])
    return RegisteredRun(
        record["suite"],
        record["model"],
        record["sampling"],
        record["options"],
        record["templates"],
        str(record.get("structured", "off")),
        int(record.get("ask_again", 0)),
        tuple(InputFile(one["name"], one["sha256"], one["size"]) for one in listed),
        n,
        prompts.hexdigest(),
        keys.hexdigest(),
    )
