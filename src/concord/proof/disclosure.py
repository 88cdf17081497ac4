"""A disclosure form, filled from what files tell; what they cannot know is listed as blank."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError
from concord.files.documents import document_facts
from concord.files.json_text import parsed
from concord.files.output import write_text
from concord.files.yaml_file import read_yaml
from concord.kinds import Column, Kind, Table
from concord.words import say

AAPOR, ESOMAR, GUIDE = "AAPOR", "ESOMAR", "GUIDE-LLM"
BLANK = ""


@dataclass(frozen=True, slots=True)
class DisclosedItem:
    """One thing that is asked, who asks for it, and what is said."""

    item: str
    asked_by: str
    answer: str
    given: bool = False
    """Whether a person said it; files said the others."""


Records = Sequence[Mapping[str, Any]]


def _told_once(parts: Sequence[str]) -> str:
    return "; ".join(dict.fromkeys(part for part in parts if part))


def _settings(held: object) -> str:
    if not isinstance(held, Mapping):
        return BLANK
    return ", ".join(f"{name} {value}" for name, value in held.items() if value is not None)


def _each_run(get: Callable[[Mapping[str, Any]], str]) -> Callable[[Records], str]:
    return lambda records: _told_once([get(one) for one in records])


def _held_text(name: str) -> Callable[[Records], str]:
    return _each_run(lambda one: str(one[name]) if one.get(name) is not None else BLANK)


def _answered(one: Mapping[str, Any]) -> str:
    """Say which versions answered, as the provider named them."""
    paid, who = one.get("paid"), one.get("who")
    told = who.get("versions") if isinstance(who, Mapping) else None
    answered = paid.get("answered") if isinstance(paid, Mapping) else None
    models = [
        name
        for held in (answered.values() if isinstance(answered, Mapping) else ())
        if isinstance(held, Mapping) and isinstance(held.get("models"), Mapping)
        for name in held["models"]
    ]
    return _told_once([*map(str, told if isinstance(told, list) else []), *map(str, models)])


def _dates(one: Mapping[str, Any]) -> str:
    started, ended = one.get("started"), one.get("ended")
    return f"{started} to {ended}" if isinstance(started, str) and isinstance(ended, str) else BLANK


def _unread_share(one: Mapping[str, Any]) -> str:
    read = one.get("answers_read")
    if not isinstance(read, Mapping):
        return BLANK
    counts = {str(name): n for name, n in read.items() if isinstance(n, int) and not isinstance(n, bool)}
    whole, fine = sum(counts.values()), counts.get("ok", 0)
    return BLANK if not whole else f"{whole - fine} of {whole} answers ({_settings(counts)})"


def _spent_words(one: Mapping[str, Any]) -> str:
    tokens, cost = one.get("tokens"), one.get("cost")
    told = "cost not known" if cost is None else f"cost {cost}"
    return BLANK if not isinstance(tokens, Mapping) else f"tokens {_settings(tokens)}; {told}"


def _question_files(one: Mapping[str, Any]) -> str:
    held = one.get("inputs")
    listed = held if isinstance(held, list) else []
    return _told_once([str(file.get("name")) for file in listed if isinstance(file, Mapping)])


ASKED: tuple[tuple[str, tuple[str, ...], Callable[[Records], str] | None], ...] = (
    ("model asked for", (AAPOR, ESOMAR, GUIDE), _held_text("model")),
    ("model and version that answered", (AAPOR, ESOMAR, GUIDE), _each_run(_answered)),
    ("dates of asking", (AAPOR, GUIDE), _each_run(_dates)),
    ("what was asked", (AAPOR, GUIDE), _held_text("suite")),
    ("question files", (AAPOR, ESOMAR, GUIDE), _each_run(_question_files)),
    ("prompt templates", (AAPOR, ESOMAR, GUIDE), _each_run(lambda one: _settings(one.get("templates")))),
    (
        "temperature and other settings",
        (ESOMAR, GUIDE),
        _each_run(lambda one: _settings(one.get("sampling"))),
    ),
    ("design, n and seeds", (AAPOR, GUIDE), _each_run(lambda one: _settings(one.get("options")))),
    (
        "trials and how they ended",
        (AAPOR, ESOMAR, GUIDE),
        _each_run(lambda one: _settings(one.get("outcomes"))),
    ),
    ("share of answers that could not be read", (AAPOR, GUIDE), _each_run(_unread_share)),
    ("exclusions", (AAPOR, ESOMAR, GUIDE), None),
    ("tokens and cost", (GUIDE,), _each_run(_spent_words)),
    ("program and version", (AAPOR, GUIDE), _each_run(lambda one: f"Concord {one.get('concord_version')}")),
    ("registration", (GUIDE,), None),
    ("sponsor and who carried it out", (AAPOR, ESOMAR), None),
    ("purpose, and what synthetic answers stand for", (AAPOR, ESOMAR), None),
    ("population that is spoken about", (AAPOR, ESOMAR), None),
    ("human data: source, dates, recruitment, consent", (AAPOR, ESOMAR, GUIDE), None),
    ("training, tuning and retrieval of the model", (ESOMAR, GUIDE), None),
    ("whether the model may have seen the data", (GUIDE,), None),
    ("human oversight and checks of readings", (ESOMAR, GUIDE), None),
    ("personal data and ethics", (ESOMAR, GUIDE), None),
    ("known limits", (AAPOR, ESOMAR, GUIDE), None),
)
"""What is asked, by whom, and what tells it of the records of runs; ``None``: something else, or nobody."""


@dataclass(frozen=True, slots=True, repr=False)
class Disclosure(Kind):
    """What AAPOR, ESOMAR and GUIDE-LLM ask to be disclosed, as far as it is known."""

    FORMAT, FILE, KEY = "disclosure", "disclosure.json", "items"
    TABLES = (
        Table(
            "items",
            rows=lambda result: result.items,
            title="Disclosure",
            file="disclosure.csv",
            columns=(
                Column("item", words=True),
                Column("asked_by", words=True),
                Column("answer", words=True),
                Column("given", title="by a person", words=True),
            ),
        ),
    )

    items: tuple[DisclosedItem, ...]

    @property
    def blanks(self) -> list[str]:
        """What nobody said."""
        return [one.item for one in self.items if not one.answer]

    def sentences(self) -> Sequence[str]:
        """Count what is filled in, and list the blanks."""
        filled = len(self.items) - len(self.blanks)
        blank = "; ".join(self.blanks)
        return [say("proof.disclosed.filled", k=filled, n=len(self.items), blank=blank)]

    def write(self, out: str | Path = "results") -> tuple[Path, ...]:
        """Write the document, the table, and a text for people."""
        paths = Kind.write(self, out)
        lines = ["# Disclosure", "", *self.sentences(), ""]
        lines += [
            f"- **{one.item}** ({one.asked_by}): {one.answer or say('proof.disclosed.blank')}"
            for one in self.items
        ]
        text = Path(out) / "disclosure.md"
        write_text(text, "\n".join(lines) + "\n")
        return (*paths, text)


def disclose(members: Mapping[str, bytes], runs: Sequence[str], answers: Mapping[str, str]) -> Disclosure:
    """Fill in the form from the records of runs, the documents of results and what a person says."""
    documents = {name: json_of(members, name) for name in sorted(members) if name.endswith(".json")}
    records = [documents.get(f"{one}/run.json", {}) for one in runs]
    known = {
        "exclusions": _exclusions(members, documents),
        "registration": _registration(documents.get("registration.json")),
    }
    if not records:
        known["program and version"] = _told_once(
            [f"Concord {one['concord_version']}" for one in documents.values() if "concord_version" in one]
        )
        models = [document_facts(one) for one in documents.values()]
        known["model asked for"] = _told_once([name for one in models for name in (one.model, *one.models)])
    items = []
    for name, by, get in ASKED:
        found = known.get(name, BLANK) or (get(records) if get is not None else BLANK)
        said = answers.get(name)
        items.append(DisclosedItem(name, ", ".join(by), found if said is None else said, said is not None))
    return Disclosure(tuple(items))


def json_of(members: Mapping[str, bytes], name: str) -> Mapping[str, Any]:
    """Return a JSON document of a pack; empty where it is none."""
    try:
        held = parsed(name, members[name])
    except (FileFormatError, KeyError):
        return {}
    return held if isinstance(held, Mapping) else {}


def object_at(document: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    """Return what a document that a stranger made holds under a key; empty where that is no object."""
    held = document.get(key)
    return held if isinstance(held, Mapping) else {}


def _exclusions(members: Mapping[str, bytes], documents: Mapping[str, Mapping[str, Any]]) -> str:
    """Count what results left out, by the files that list it."""
    found = []
    for name in sorted(members):
        if name.endswith("/left_out.csv"):
            n = max(len(members[name].splitlines()) - 1, 0)
            found.append(f"{n} cells or models listed in {name}" if n else "")
    for name, one in documents.items():
        outcomes = one.get("outcomes")
        if name.endswith("benchmark_summary.json") and isinstance(outcomes, Mapping):
            left = {key: n for key, n in outcomes.items() if key != "scored"}
            found.append(f"tests not scored in {name}: {_settings(left)}" if left else "")
    return _told_once(found) or ("none that results list" if documents else BLANK)


def _registration(held: Mapping[str, Any] | None) -> str:
    if not held:
        return BLANK
    after = " (after the fact)" if held.get("after_the_fact") else ""
    return f"{held.get('registered')}{after}, sha256 {held.get('sha256')}"


def read_disclosed(path: Path) -> dict[str, str]:
    """Read what a person says to items of the form."""
    data = read_yaml(path).data
    names = [name for name, _, _ in ASKED]
    if not isinstance(data, Mapping):
        raise FileFormatError(f"{path.name}: expected items of the form with what is said to each")
    unknown = [str(key) for key in data if key not in names]
    if unknown:
        raise FileFormatError(f"{path.name}: no item {unknown[0]!r}; items are: {'; '.join(names)}")
    return {str(key): " ".join(str(value).split()) for key, value in data.items()}
