"""Registration, pack and verification: what holds, what is found, what is refused."""

import json
import random
import shutil
import stat
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

import concord
from concord.engine import Engine
from concord.errors import FileFormatError, OptionError
from concord.files.archive import read_archive, write_archive
from concord.proof.findings import DIFFERS, Verification
from tests.proof.conftest import QUICK


def members_of(pack: Path) -> dict[str, bytes]:
    return read_archive(pack)


def verified(members: Mapping[str, bytes], folder: Path) -> Verification:
    write_archive(folder / "changed.zip", members)
    return concord.verify(folder / "changed.zip")


def told(found: Verification) -> str:
    return "\n".join(
        f"{one.member} {one.field} {one.packed} {one.here} {one.note}" for one in found.of(DIFFERS)
    )


def test_an_honest_pack_is_reproduced_and_written_the_same_again(packed: Path, tmp_path: Path) -> None:
    found = concord.verify(packed / "pack.zip")
    assert (found.exit_code, found.of(DIFFERS)) == (0, []), told(found)
    assert "results/results/benchmark_summary.json" in [one.member for one in found.of("reproduced")]
    assert [(one.registered, one.reported) for one in found.claims] == [(True, True)]
    concord.pack(packed / "run", registration=packed / "registration.json", out=tmp_path / "again.zip")
    assert (tmp_path / "again.zip").read_bytes() == (packed / "pack.zip").read_bytes()


def test_order_dates_and_folder_of_members_are_no_differences(packed: Path, tmp_path: Path) -> None:
    members = list(members_of(packed / "pack.zip").items())
    random.Random(1).shuffle(members)
    with zipfile.ZipFile(tmp_path / "other.zip", "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("renamed/", b"")
        for name, data in members:
            archive.writestr(zipfile.ZipInfo(f"renamed/{name}", (2021, 5, 6, 7, 8, 10)), data)
    assert concord.verify(tmp_path / "other.zip").exit_code == 0
    with zipfile.ZipFile(tmp_path / "other.zip") as archive:
        archive.extractall(tmp_path / "out")
    assert concord.verify(tmp_path / "out").exit_code == 0


def leaves(document: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(document, dict):
        for key, value in document.items():
            yield from leaves(value, (*place, key))
    elif isinstance(document, list):
        for i, value in enumerate(document):
            yield from leaves(value, (*place, i))
    else:
        yield place


def changed(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int | float):
        return value + 1
    return "changed" if value is None else f"{value}x"


def with_change(data: bytes, place: tuple[Any, ...]) -> bytes:
    document = json.loads(data)
    at = document
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = changed(at[place[-1]])
    return (json.dumps(document, ensure_ascii=False, indent=2) + "\n").encode()


def places(members: Mapping[str, bytes]) -> list[tuple[str, tuple[Any, ...]]]:
    """What can be changed: the leaves of JSON, a byte and the length of other files."""
    found: list[tuple[str, tuple[Any, ...]]] = []
    for name, data in sorted(members.items()):
        if name.endswith(".json"):
            found += [(name, place) for place in leaves(json.loads(data)) if place]
        elif data:
            found += [(name, ("byte",)), (name, ("length",))]
    return found


def changed_member(name: str, data: bytes, place: tuple[Any, ...]) -> bytes:
    if name.endswith(".json"):
        return with_change(data, place)
    return data[: len(data) // 2] if place == ("length",) else data[:-2] + bytes([data[-2] ^ 1]) + data[-1:]


def hold_changes(packed: Path, folder: Path, n: int, *, lying: bool) -> None:
    """Change one field at a time; a liar puts the new hash into the manifest."""
    members = members_of(packed / "pack.zip")
    every = places(members)
    own = [one for one in every if not lying or one[0].startswith("results/results/")]
    for name, place in random.Random(3).sample(own, min(n, len(own))):
        data = changed_member(name, members[name], place)
        held = {**members, name: data}
        if lying:
            manifest = json.loads(members["manifest.json"])
            from concord.proof.packs import hash_of

            manifest["files"][name] = hash_of(data)
            held["manifest.json"] = (json.dumps(manifest, indent=2) + "\n").encode()
        found = verified(held, folder)
        assert found.exit_code == 1, f"{name}, {place} was changed, and nobody noticed"
        names = {name, *(str(part) for part in place)}  # a hash in the manifest is that of another file
        named = [one for one in found.of(DIFFERS) if one.member in names]
        assert named, f"{name} is not named: {told(found)}"


@pytest.mark.parametrize("lying", [False, True])
def test_a_change_of_one_field_is_found_and_named(packed: Path, tmp_path: Path, lying: bool) -> None:
    hold_changes(packed, tmp_path, 4, lying=lying)


@pytest.mark.slow
@pytest.mark.parametrize("lying", [False, True])
def test_three_hundred_changes_are_found_and_named(packed: Path, tmp_path: Path, lying: bool) -> None:
    hold_changes(packed, tmp_path, 320, lying=lying)


def edited(path: Path, change: Callable[[Any], None]) -> None:
    document = json.loads(path.read_bytes())
    change(document)
    path.write_text(json.dumps(document), "utf-8")


def _claim_added(home: Path) -> dict[str, Any]:
    (home / "more.yaml").write_text("- {claim: gap, who: mockllm/model}\n")
    return {"claims": home / "more.yaml"}


def _margin_changed(home: Path) -> dict[str, Any]:
    (home / "more.yaml").write_text("- {claim: pas, who: mockllm/model, margin: 0.1}\n")
    return {"claims": home / "more.yaml"}


def _protocol_changed(home: Path) -> dict[str, Any]:
    from concord.asking.runs import read_folder

    read_folder(home / "run").score(protocol="published", **QUICK).write(home / "run" / "results")
    return {}


def _replies_deleted(home: Path) -> dict[str, Any]:
    lines = (home / "run" / "replies.jsonl").read_bytes().splitlines(keepends=True)
    (home / "run" / "replies.jsonl").write_bytes(b"".join(lines[:-3]))
    concord.score_run(home / "run", partial=True, **QUICK).write(home / "run" / "results")
    return {}


def _trials_excluded(home: Path) -> dict[str, Any]:
    for name in ("replies.jsonl", "trials.jsonl"):
        lines = (home / "run" / name).read_bytes().splitlines(keepends=True)
        (home / "run" / name).write_bytes(b"".join(lines[:-3]))
    concord.score_run(home / "run", partial=True, **QUICK).write(home / "run" / "results")
    return {}


def _other_temperature(home: Path) -> dict[str, Any]:
    edited(home / "run" / "run.json", lambda record: record["sampling"].update(temperature=0.0))
    return {}


def _number_changed(home: Path) -> dict[str, Any]:
    path = home / "run" / "results" / "benchmark_summary.json"
    edited(path, lambda document: document.update(average_pas_raw=0.99))
    return {}


TRICKS = {
    _claim_added: (3, "gap of mockllm/model"),
    _margin_changed: (1, "margin 0.1 0.3"),
    _protocol_changed: (1, "protocol published standard"),
    _replies_deleted: (1, "outcomes"),
    _trials_excluded: (1, "plan_sha256"),
    _other_temperature: (1, "sampling.temperature 0.0 1.0"),
    _number_changed: (1, "average_pas_raw 0.99"),
}


@pytest.mark.parametrize("trick", TRICKS, ids=lambda one: one.__name__.strip("_"))
def test_a_trick_of_an_analyst_is_found(packed: Path, tmp_path: Path, trick: Any) -> None:
    home = tmp_path / "home"
    shutil.copytree(packed, home)
    code, words = TRICKS[trick]
    concord.pack(home / "run", registration=home / "registration.json", out=home / "pack.zip", **trick(home))
    found = concord.verify(home / "pack.zip")
    assert found.exit_code == code
    assert words in told(found) + "\n".join(found.unregistered)


def test_a_model_and_a_claim_that_are_not_reported_are_named(packed: Path, tmp_path: Path) -> None:
    (tmp_path / "claims.yaml").write_text("- {claim: better, who: [mockllm/model, mockllm/two]}\n")
    concord.register(
        "framing",
        tmp_path / "claims.yaml",
        out=tmp_path / "two.json",
        models="mockllm/model,mockllm/two",
        n=4,
        seed=1,
        score=QUICK,
        run_out=tmp_path / "run",
    )
    concord.pack(packed / "run", registration=tmp_path / "two.json", out=tmp_path / "pack.zip")
    found = concord.verify(tmp_path / "pack.zip")
    assert found.exit_code == 1
    assert "asked of mockllm/two" in told(found)
    members = members_of(packed / "pack.zip")
    empty = {"format": "concord judged claims", "format_version": 2, "claims": []}
    dropped = verified({**members, "claims.json": json.dumps(empty).encode()}, tmp_path)
    assert dropped.unreported == ["pas of mockllm/model"]
    assert dropped.exit_code == 1


def test_a_registration_after_replies_is_refused_or_marked(packed: Path, tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="replies to this exist already"):
        concord.register(packed / "run", packed / "claims.yaml")
    late = concord.register(packed / "run", packed / "claims.yaml", after_the_fact=True, score=QUICK)
    assert late.after_the_fact
    late.write(tmp_path / "late.json")
    assert "AFTER THE FACT" in (tmp_path / "late.md").read_text()
    concord.pack(packed / "run", registration=tmp_path / "late.json", out=tmp_path / "pack.zip")
    found = concord.verify(tmp_path / "pack.zip")
    assert (found.exit_code, found.after_the_fact) == (3, True), told(found)


def test_the_folder_of_the_run_is_named_on_the_command_line(packed: Path, tmp_path: Path) -> None:
    from typer.testing import CliRunner

    from concord.cli.app import app

    asked = ["register", "framing", "--claims", str(packed / "claims.yaml"), "--model", "mockllm/model"]
    asked += ["--n", "4", "--seed", "1", "--out", str(tmp_path / "r.json"), "--run-out"]
    assert CliRunner().invoke(app, [*asked, str(tmp_path / "run")]).exit_code == 0
    refused = CliRunner().invoke(app, [*asked, str(packed / "run")])
    assert refused.exit_code == 2


def test_a_changed_registration_is_refused(packed: Path, tmp_path: Path) -> None:
    shutil.copy(packed / "registration.json", tmp_path / "r.json")
    edited(tmp_path / "r.json", lambda document: document["claims"][0].update(margin=0.05))
    with pytest.raises(FileFormatError, match="was changed after it was registered"):
        concord.pack(packed / "run", registration=tmp_path / "r.json", out=tmp_path / "pack.zip")


def test_a_pack_must_hold_the_published_registration(packed: Path, tmp_path: Path) -> None:
    published = packed / "registration.json"
    assert concord.verify(packed / "pack.zip", registration=published).exit_code == 0
    concord.pack(packed / "run", out=tmp_path / "bare.zip")
    assert concord.verify(tmp_path / "bare.zip").exit_code == 0
    found = concord.verify(tmp_path / "bare.zip", registration=published)
    assert (found.exit_code, "not the registration that was published" in told(found)) == (1, True)


def test_every_question_of_a_table_beside_its_results_is_computed_again(tmp_path: Path) -> None:
    from tests.structure.scores import samples

    rng = random.Random(4)
    samples("m", n=12).write_csv(tmp_path / "scores.csv")
    concord.score_structure(scores=tmp_path / "scores.csv", resamples=200).write(tmp_path / "order")
    rows = [f"i{i},{s},{rng.randint(1, 9)},{rng.randint(1, 9)}\n" for i in range(30) for s in "ab"]
    (tmp_path / "graded.csv").write_text("item,system,score,human_score\n" + "".join(rows))
    concord.score_judge(tmp_path / "graded.csv").write(tmp_path / "judge")
    shutil.move(tmp_path / "graded.csv", tmp_path / "judge" / "graded.csv")
    concord.pack([tmp_path / "order", tmp_path / "judge"], out=tmp_path / "pack.zip")
    names = [*members_of(tmp_path / "pack.zip")]
    assert sum(name.endswith("graded.csv") for name in names) == 1  # among data, not among results
    found = concord.verify(tmp_path / "pack.zip")
    assert (found.exit_code, found.of("not checked")) == (0, []), told(found)
    two = concord.verify(tmp_path / "pack.zip", engine=Engine("processes", n_jobs=2))
    assert two.to_dict() == found.to_dict()


def _bomb(archive: zipfile.ZipFile) -> None:
    archive.writestr("manifest.json", b"\0" * 40_000_000)


def _link(archive: zipfile.ZipFile) -> None:
    info = zipfile.ZipInfo("manifest.json")
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    archive.writestr(info, "/etc/passwd")


def _named(name: str) -> Callable[[zipfile.ZipFile], None]:
    return lambda archive: archive.writestr(name, b"{}")


def _twice(archive: zipfile.ZipFile) -> None:
    archive.writestr("manifest.json", b"{}")
    archive.writestr("MANIFEST.json", b"{}")


HOSTILE = {
    "a bomb": (_bomb, "zip bomb"),
    "a link": (_link, "is a link"),
    "upwards": (_named("../manifest.json"), "leads out"),
    "absolute": (_named("/manifest.json"), "leads out"),
    "a drive": (_named("C:/manifest.json"), "no plain relative name"),
    "a name twice": (_twice, "in it twice"),
    "no manifest": (_named("x.json"), "holds no manifest.json"),
    "no document": (_named("manifest.json"), "format version"),
}


@pytest.mark.parametrize("case", HOSTILE)
def test_a_hostile_archive_is_a_finding_and_nothing_is_unpacked(tmp_path: Path, case: str) -> None:
    write, words = HOSTILE[case]
    with zipfile.ZipFile(tmp_path / "p.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        write(archive)
    found = concord.verify(tmp_path / "p.zip")
    assert found.exit_code == 1
    assert words in told(found)


def test_replies_that_are_withheld_cannot_be_confirmed_until_they_are_given(
    packed: Path, tmp_path: Path
) -> None:
    concord.pack(
        packed / "run",
        registration=packed / "registration.json",
        out=tmp_path / "pack.zip",
        without_replies=True,
    )
    assert "results/replies.jsonl" not in members_of(tmp_path / "pack.zip")
    found = concord.verify(tmp_path / "pack.zip")
    assert found.exit_code == 3, told(found)
    given = concord.verify(tmp_path / "pack.zip", data=[packed / "run"])
    assert given.exit_code == 0, told(given)


def test_a_scored_table_is_packed_with_its_data_or_their_hash(tmp_path: Path) -> None:
    table = tmp_path / "tests.csv"
    shutil.copy(concord.api.demo_table(), table)
    concord.score_people(table, model="m", level=0.9, **QUICK).write(tmp_path / "results")
    concord.pack(tmp_path / "results", out=tmp_path / "whole.zip")
    found = concord.verify(tmp_path / "whole.zip")
    assert (found.exit_code, told(found)) == (0, "")  # nothing was registered, and nothing is claimed
    assert "and nothing is claimed" in found.sentences()[0]
    (tmp_path / "claims.yaml").write_text("- {claim: pas, who: m, margin: 0.1}\n")
    concord.pack(tmp_path / "results", out=tmp_path / "said.zip", claims=tmp_path / "claims.yaml")
    assert concord.verify(tmp_path / "said.zip").exit_code == 3
    concord.pack(tmp_path / "results", out=tmp_path / "bare.zip", without_data=True)
    assert len(concord.verify(tmp_path / "bare.zip").of("not checked")) > 1
    assert not concord.verify(tmp_path / "bare.zip", data=table).of("not checked")


def test_a_key_or_a_path_of_the_machine_is_not_packed(
    packed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "home"
    shutil.copytree(packed, home)
    (home / "run" / "results" / "note.json").write_text(json.dumps({"from": str(home.resolve())}))
    with pytest.raises(OptionError, match="of this machine"):
        concord.pack(home / "run", out=home / "p.zip")


@pytest.mark.parametrize("digest", ["../../../..", "0" * 64, "../etc/" + "0" * 57])
def test_data_that_a_result_names_and_the_pack_lacks_are_a_finding(
    packed: Path, tmp_path: Path, digest: str
) -> None:
    members = members_of(packed / "pack.zip")
    name = "results/results/benchmark_summary.json"
    document = json.loads(members[name])
    document["inputs"] = [{**(document["inputs"] or [{}])[0], "name": "people.csv", "sha256": digest}]
    found = verified({**members, name: json.dumps(document).encode()}, tmp_path)
    assert found.exit_code == 1 and name in told(found)


def test_a_result_of_data_in_memory_is_not_checked_and_no_difference(tmp_path: Path) -> None:
    from tests.structure.scores import samples

    concord.score_structure(scores=samples("m", n=12), resamples=200).write(tmp_path / "results")
    concord.pack(tmp_path / "results", out=tmp_path / "pack.zip")
    found = concord.verify(tmp_path / "pack.zip")
    assert (found.exit_code, found.of(DIFFERS)) == (3, []), told(found)
    assert any("data in memory, which no file holds" in one.note for one in found.of("not checked"))


def test_a_person_fills_what_files_cannot_know(packed: Path, tmp_path: Path) -> None:
    said = tmp_path / "said.yaml"
    said.write_text("known limits: one study only\n")
    pack = tmp_path / "pack.zip"
    asked: dict[str, Any] = {
        "registration": packed / "registration.json",
        "out": pack,
        "disclosure": said,
    }
    concord.pack(packed / "run", **asked)
    form = members_of(pack)["disclosure.md"].decode()
    assert "- **known limits** (AAPOR, ESOMAR, GUIDE-LLM): one study only" in form
    assert "- **personal data and ethics** (ESOMAR, GUIDE-LLM): (blank)" in form
    assert concord.verify(pack).exit_code == 0
    said.write_text("known limit: one study only\n")
    with pytest.raises(FileFormatError, match="no item 'known limit'; items are: model asked for;"):
        concord.pack(packed / "run", **asked)
