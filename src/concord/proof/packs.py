"""A pack: results, what they were computed from and how, the registration, claims and a disclosure form.

What is in a pack is found again from its files alone (`contents_of`): a pack says nothing of itself that
whoever verifies it cannot work out.
"""

import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any, TypeVar

from concord.asking.askable import NAMES, find
from concord.asking.connection import Redactor
from concord.asking.folder import RECORD
from concord.engine import Engine
from concord.errors import FileFormatError, InputError, OptionError
from concord.files.archive import safe_member, write_archive
from concord.files.codec import decode
from concord.files.contents import fingerprint, is_file, read_bytes
from concord.files.documents import heading
from concord.files.json_text import parsed
from concord.files.output import indented_json
from concord.kinds import Kind
from concord.proof.claims import Claim, ClaimsResult, judge, read_claims, results_below
from concord.proof.disclosure import disclose, json_of, object_at, read_disclosed
from concord.proof.registration import Registration
from concord.records import InputFile

K = TypeVar("K", bound=Kind)
MANIFEST, RESULTS, DATA, PAGE = "manifest.json", "results", "data", "report.html"
REGISTRATION, REGISTRATION_TEXT = "registration.json", "registration.md"
_SKIPPED = frozenset({"logs", "figures", "plots", "__pycache__"})
_SKIPPED_ENDS = (".lock", ".new", ".eval", ".sha256", ".html", ".zip", ".bin", ".svg", ".png", ".pdf")
_JOURNALS = ("replies", "turns", "failures", "superseded")
"""Files of a run that hold what a model said."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """How a result is computed again: a function of Concord, files of the pack, and options."""

    folder: str
    """Of the result, inside the pack."""
    function: str
    sources: tuple[InputFile, ...]
    options: Mapping[str, Any]
    reason: str = ""
    """Why it cannot be computed again, where that is known."""
    document: str = ""
    """File that the result is told by, of a result that no run holds."""


def _held_options(*names: str) -> Callable[[Mapping[str, Any]], dict[str, Any]]:
    """Return options that a document holds at its top or under ``options`` by their own names."""

    def read(document: Mapping[str, Any]) -> dict[str, Any]:
        held = {**object_at(document, "options"), **document}
        return {name: held[name] for name in names if held.get(name) is not None}

    return read


def _people(document: Mapping[str, Any]) -> dict[str, Any]:
    choices = document.get("protocol_choices", document.get("protocol"))
    told = _held_options("level", "n_resamples", "n_simulations", "seed", "model")(document)
    return {**told, "protocol": choices}


def _structure(document: Mapping[str, Any]) -> dict[str, Any]:
    names = ("reading", "samples", "baseline", "seed", "resamples", "level", "chance", "column", "percent")
    told = _held_options(*names, "cluster", "lenient", "encoding", "decimal_comma", "sheet")(document)
    m = object_at(document, "options").get("m")
    return told if m is None else {**told, "fixed_m": m}


RECIPES: Mapping[str, tuple[str, str, Callable[[Mapping[str, Any]], dict[str, Any]]]] = {
    "people result": ("benchmark_summary.json", "score_people", _people),
    "people result of many agents": ("agents.json", "score_people", _people),
    "answers result": ("answers.json", "score_answers", _held_options("level", "n_resamples", "seed")),
    "prediction result": ("predictions.json", "score_predictions", _held_options("level", "seed")),
    "structure result": ("result.json", "score_structure", _structure),
    "judge result": ("judge.json", "score_judge", _held_options("level", "seed", "n_permutations")),
    "judge scores": ("judge_scores.json", "score_judge", _held_options("level", "margin")),
    "option result": ("options.json", "score_options", _held_options("level", "seed")),
    "hint leaderboard": ("hints.json", "score_hints", _held_options("level")),
    "probe result": ("probes.json", "score_probes", _held_options("level")),
    "reasoning result": (
        "study_a_results.json",
        "score_reasoning",
        _held_options("rules", "scope", "seed", "n_resamples", "level", "lenient", "cluster"),
    ),
    "combined estimates": ("combine.json", "combine", _held_options("level")),
}
"""Kinds of results of tables: their document, the function that makes them, and the options they record."""
_RECORDED = ("(frame)", "(in memory)")
"""How inputs are named that no file held: those of the bundled replies."""


@dataclass(frozen=True, slots=True)
class Tools:
    """What Concord computes and shows with: its own functions, never those of a pack."""

    score: Mapping[str, Callable[..., Any]]
    """Functions that score a table, by name."""
    compare: Callable[..., Any]
    report: Callable[..., Any]
    engine: Engine
    """Where functions that can use several cores compute."""


def make_pack(
    results: str | Path | Sequence[str | Path],
    tools: Tools,
    *,
    registration: str | Path | None,
    out: str | Path,
    claims: str | Path | None,
    data: str | Path | Sequence[str | Path],
    without_data: bool,
    without_replies: bool,
    disclosure: str | Path | None,
    options: Mapping[str, Any] | None,
) -> Path:
    """Write a pack; see `concord.pack`."""
    folders = [Path(one) for one in ([results] if isinstance(results, str | Path) else results)]
    members = dict(_files_below(folders))
    withheld: dict[str, InputFile] = {}
    given = [Path(one) for one in ([data] if isinstance(data, str | Path) else data)]
    recipes = [_with_options(one, options) for one in recipes_of(members)]
    places = [*given, *folders, *(f.parent for f in folders), Path()]
    for one in {source.sha256: source for recipe in recipes for source in recipe.sources}.values():
        inside = _taken_out(members, one)
        found = None if without_data else inside if inside is not None else found_data(one, places)
        if found is not None:
            members[f"{DATA}/{one.sha256[:12]}/{safe_member(one.name, 'data')}"] = found
        elif without_data or not one.name.endswith(_RECORDED):
            withheld[f"{DATA}/{one.sha256[:12]}/{one.name}"] = one
    if without_replies:
        for name in [name for name in members if _is_journal(name)]:
            withheld[name] = fingerprint(name, members.pop(name))
    if registration is not None:
        held = Registration.read_file(Path(registration))
        members[REGISTRATION] = read_bytes(registration)
        members[REGISTRATION_TEXT] = held.markdown().encode()
    extra = () if claims is None else read_claims(Path(claims))[0]
    answers = {} if disclosure is None else read_disclosed(Path(disclosure))
    members |= added(members, tools, extra=extra, answers=answers)
    members[MANIFEST] = f"{indented_json(manifest_of(members, withheld, recipes))}\n".encode()
    _refuse_private(members, folders)
    write_archive(Path(out), members)
    return Path(out)


def _taken_out(members: dict[str, bytes], wanted: InputFile) -> bytes | None:
    """Take a file that lies among results, but is what one was computed from, out of them."""
    runs = tuple(f"{one}/" for one in run_folders(members))
    for name in [name for name, data in members.items() if len(data) == wanted.size]:
        if not name.startswith(runs) and hashlib.sha256(members[name]).hexdigest() == wanted.sha256:
            return members.pop(name)
    return None


def kept_in(path: Path, kind: type[K]) -> K:
    """Return a document of a pack as its record."""
    from concord.files.archive import read_archive

    return decode(kind, parsed(kind.FILE, read_archive(path)[kind.FILE]), where=kind.FILE)


def _with_options(recipe: Recipe, options: Mapping[str, Any] | None) -> Recipe:
    if options is None or recipe.function in ("score_run", "score_bundled"):
        return recipe
    return replace(recipe, options={**recipe.options, **options})


def _files_below(folders: Sequence[Path]) -> Iterator[tuple[str, bytes]]:
    """Read the files of results, under names that tell nothing of this machine."""
    found = False
    names = _folder_names(folders)
    for folder, name in zip(folders, names, strict=True):
        top = (
            folder.parent
            if (folder.parent / RECORD).is_file() and not (folder / RECORD).is_file()
            else folder
        )
        if not top.is_dir():
            raise FileFormatError(f"{folder}: no such folder; give one that `concord run` or `score` wrote")
        for path in sorted(top.rglob("*")):
            parts = path.relative_to(top).parts
            if path.is_symlink():
                raise FileFormatError(f"{path} is a link; put the file itself there")
            skipped = any(part in _SKIPPED or part.startswith(".") for part in parts)
            if path.is_file() and not skipped and not path.name.endswith(_SKIPPED_ENDS):
                found = found or path.suffix == ".json"
                yield safe_member("/".join((RESULTS, *name, *parts)), str(top)), read_bytes(path)
    if not found:
        raise FileFormatError(f"{folders[0]}: holds no run and no result; give a folder that Concord wrote")


def _folder_names(folders: Sequence[Path]) -> list[tuple[str, ...]]:
    """Name several folders by number and name; one has none."""
    if not folders:
        raise OptionError("no folder of results is named")
    if len(folders) == 1:
        return [()]
    from concord.files.output import distinct_names

    return [(name,) for name in distinct_names([one.resolve().name for one in folders])]


def _is_journal(name: str) -> bool:
    last = name.rsplit("/", 1)[-1]
    return last.endswith(".jsonl") and last.split(".")[0].split("-")[0] in _JOURNALS


def run_folders(members: Iterable[str]) -> list[str]:
    """Return the folders of runs, those inside another run left out."""
    every = sorted(name.rsplit("/", 1)[0] for name in members if name.endswith(f"/{RECORD}"))
    return [one for one in every if not any(one.startswith(f"{other}/") for other in every)]


def recipes_of(members: Mapping[str, bytes]) -> list[Recipe]:
    """Return how every result of a pack is computed again."""
    runs = run_folders(members)
    found = []
    for folder in runs:
        record = json_of(members, f"{folder}/{RECORD}")
        if find(str(record.get("suite"))) is None:
            known = ", ".join(NAMES)
            found.append(Recipe(folder, "", (), {}, f"a run of {record.get('suite')!r}, expected {known}"))
            continue
        told = json_of(members, f"{folder}/results/benchmark_summary.json")
        options = _people(told) if told else {}
        options.pop("model", None)
        if isinstance(margin := object_at(told, "referee").get("margin"), float):
            options["margin"] = margin
        asked = {one.sha256 for one in listed_inputs(record)}
        people = tuple(one for one in listed_inputs(told) if one.sha256 not in asked)
        found.append(Recipe(folder, "score_run", people, options))
    agents = {
        f"{name.rsplit('/', 1)[0]}/{inner}"
        for name in members
        if name.endswith("/agents.json")
        for inner in object_at(json_of(members, name), "folders").values()
    }
    for name in sorted(members):
        folder, _, file = name.rpartition("/")
        inside = any(folder == one or folder.startswith(f"{one}/") for one in runs)
        if inside or folder in agents or not name.startswith(f"{RESULTS}/"):
            continue
        found += _of_document(folder, file, members)
    return found


def _of_document(folder: str, file: str, members: Mapping[str, bytes]) -> Iterator[Recipe]:
    """Return how a result of a table is computed again, where the file is the document of one."""
    known = {one[0]: (kind, one[1], one[2]) for kind, one in RECIPES.items()}
    if file not in known:
        return
    kind, function, options = known[file]
    document = json_of(members, f"{folder}/{file}")
    if document.get("format") != f"concord {kind}":
        return
    sources = listed_inputs(document)
    if any(one.name.endswith(_RECORDED) for one in sources):
        question = function.removeprefix("score_")
        told = {"question": question, "hashes": sorted({one.sha256 for one in sources})}
        yield Recipe(folder, "score_bundled", (), told, document=file)
        return
    if not sources:
        yield Recipe(folder, "", (), {}, "it names no file that it was computed from")
        return
    try:
        yield Recipe(folder, function, sources, options(document), document=file)
    except (TypeError, ValueError, KeyError) as fault:
        yield Recipe(folder, "", sources, {}, f"its options cannot be read ({fault})")


def listed_inputs(document: Mapping[str, Any]) -> tuple[InputFile, ...]:
    """Return the files that a document says it was computed from."""
    own = document.get("inputs")
    held = object_at(document, "provenance").get("inputs") if own is None else own
    listed = list(held.values()) if isinstance(held, Mapping) else held if isinstance(held, list) else []
    found = []
    for one in listed:
        if (
            isinstance(one, Mapping)
            and isinstance(one.get("name"), str)
            and isinstance(one.get("sha256"), str)
        ):
            size = one.get("size")
            name = one["name"].replace("\\", "/").rsplit("/", 1)[-1]
            found.append(InputFile(name, one["sha256"], size if isinstance(size, int) else 0))
    return tuple(found)


def found_data(wanted: InputFile, places: Iterable[Path]) -> bytes | None:
    """Return the bytes of a file by its hash: where it was said to be, or among the bundled tables."""
    bundled = Path(str(resources.files("concord")))
    named = [place if is_file(place) else place / wanted.name for place in places]
    for path in (*named, *bundled.rglob(wanted.name)):
        if is_file(path) and path.stat().st_size == wanted.size:
            held = read_bytes(path)
            if hashlib.sha256(held).hexdigest() == wanted.sha256:
                return held
    return None


def added(
    members: Mapping[str, bytes], tools: Tools, *, extra: Sequence[Claim], answers: Mapping[str, str]
) -> dict[str, bytes]:
    """Return what a pack holds beyond results: judged claims, the disclosure form, and the page."""
    made: dict[str, bytes] = {}
    with unpacked(members) as top:
        found, _ = results_below(top / RESULTS)
        registered: tuple[Claim, ...] = ()
        if REGISTRATION in members:
            registered = Registration.read_file(top / REGISTRATION).claims
        keys = {one.key for one in registered}
        chosen = (*registered, *(one for one in extra if one.key not in keys or one not in registered))
        outside = Path(top, "made")
        ClaimsResult(judge(chosen, found, tools.compare)).write(outside)
        disclose(members, run_folders(members), answers).write(outside)
        page = _page(top, tools)
        for path in sorted(outside.iterdir()):
            made[path.name] = path.read_bytes()
        if page is not None:
            made[PAGE] = page
    return made


def _page(top: Path, tools: Tools) -> bytes | None:
    """Return the page of the results; none where they hold nothing that it shows."""
    try:
        made = tools.report(top / RESULTS, out=top / PAGE, title="Results of this pack")
    except InputError:
        return None
    return bytes(made.path.read_bytes())


def unpacked(members: Mapping[str, bytes]) -> "_Unpacked":
    """Return files in a folder of their own, which is removed in the end."""
    return _Unpacked(members)


class _Unpacked(tempfile.TemporaryDirectory[str]):
    """A temporary folder with the files of a pack."""

    def __init__(self, members: Mapping[str, bytes]) -> None:
        super().__init__(prefix="concord-")
        self._files_below = members

    def __enter__(self) -> Path:  # type: ignore[override]
        top = Path(super().__enter__()) / "pack"
        for name, data in self._files_below.items():
            path = top / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        return top


_ENVIRONMENT = ("concord_version", "commit", "python_version", "packages")
"""Keys of a document that say which programs made it."""


def environment_of(members: Mapping[str, bytes]) -> dict[str, Any]:
    """Return which programs made the results: what the first document that says so says."""
    for name in sorted(members):
        if name.startswith(f"{RESULTS}/") and name.endswith(".json"):
            document = json_of(members, name)
            held = {**document, **object_at(document, "provenance")}
            if "concord_version" in held:
                return {key: held.get(key) for key in _ENVIRONMENT}
    return {}


def manifest_of(
    members: Mapping[str, bytes], withheld: Mapping[str, InputFile], recipes: Sequence[Recipe]
) -> dict[str, Any]:
    """Return what a pack says of itself: every file with its hash, what is withheld, how to compute again.

    Documents that no computation gives (registration, records of runs) are in it once more, so that a change
    of one of their fields has a name.
    """
    kept = [name for name in sorted(members) if name == REGISTRATION or name.endswith(f"/{RECORD}")]
    return {
        **heading("pack"),
        "environment": environment_of(members),
        "files": {name: hash_of(members[name]) for name in sorted(members) if name != MANIFEST},
        "withheld": {
            name: {"sha256": one.sha256, "size": one.size} for name, one in sorted(withheld.items())
        },
        "recipes": [
            {
                "folder": one.folder,
                "function": one.function,
                "sources": [one.sha256 for one in one.sources],
                "options": dict(one.options),
                "reason": one.reason,
            }
            for one in recipes
        ],
        "documents": {name: json_of(members, name) for name in kept},
    }


def hash_of(data: bytes) -> dict[str, Any]:
    """Return what a manifest says of a file."""
    return {"sha256": hashlib.sha256(data).hexdigest(), "size": len(data)}


def _refuse_private(members: Mapping[str, bytes], folders: Sequence[Path]) -> None:
    """Refuse a pack with a key of the environment, or with the way to a folder of this machine."""
    models = [str(json_of(members, f"{one}/{RECORD}").get("model", "")) for one in run_folders(members)]
    redactor = Redactor.of(*[one for one in models if one])
    home = os.path.expanduser("~")  # noqa: PTH111 - a text to look for
    paths = {str(one.resolve().parent) for one in folders} | ({home} if len(home) > 5 else set())
    wanted = [path for path in paths if len(path) > 4 and path.count("/") + path.count("\\") > 1]
    for name, data in members.items():
        text = data.decode("utf-8", "replace")
        if redactor.text(text) != text:
            raise OptionError(f"{name} holds a key of a model's provider; remove it before packing")
        private = next((path for path in wanted if path in text or json.dumps(path)[1:-1] in text), None)
        if private is not None:
            raise OptionError(
                f"{name} holds the path {private!r} of this machine, which a pack is not to tell; score from "
                "the folder itself (relative paths), or take it out"
            )
