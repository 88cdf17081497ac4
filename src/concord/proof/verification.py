"""Verify a pack: every hash, every number computed again here, every claim against the registration.

A pack is what a stranger made: nothing in it is run, no address in it is opened, and whatever is wrong with
it is a finding, not a fault of this program.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from concord.asking.folder import RECORD, read_record, read_run
from concord.errors import FileFormatError, InputError, UndefinedError
from concord.files.archive import read_archive
from concord.files.codec import decode, encode
from concord.files.contents import fingerprint_file, is_file, is_folder
from concord.files.documents import check_heading, provenance
from concord.files.json_text import parsed
from concord.proof import packs
from concord.proof.claims import RULES, UNJUDGED, Claim, ClaimsResult, judge, results_below
from concord.proof.disclosure import Disclosure, json_of, object_at
from concord.proof.findings import (
    DIFFERS,
    MADE_BY,
    REPRODUCED,
    TOLERANCE,
    UNCHECKED,
    PackFinding,
    Verification,
    VerifiedClaim,
    same_programs,
)
from concord.proof.recompute import (
    CALLS,
    PLAIN_OPTIONS,
    NotInFilesError,
    different,
    fingerprint_of,
    score_packed,
    short,
    values_of,
)
from concord.proof.registration import Registration, registered_of_record, registration_of
from concord.records import InputFile
from concord.show.citations import with_concord

_MOST = 40
"""Differences of one file that are listed."""


def verify_pack(
    source: str | Path,
    tools: packs.Tools,
    *,
    data: str | Path | Sequence[str | Path],
    registration: str | Path | None,
) -> Verification:
    """Verify a pack; see `concord.verify`."""
    path = Path(source)
    if not is_file(path) and not is_folder(path):
        raise FileFormatError(f"{path}: no such file; give a pack")
    published = None if registration is None else Registration.read_file(Path(registration)).digest
    digest = "" if is_folder(path) else fingerprint_file(path).sha256
    try:
        members = _at_the_top(read_archive(path), path.name)
        manifest = check_heading(
            parsed(packs.MANIFEST, members[packs.MANIFEST]), "pack", where=packs.MANIFEST
        )
    except FileFormatError as fault:
        return Verification(digest, (PackFinding(DIFFERS, path.name, note=str(fault)),))
    given = [Path(one) for one in ([data] if isinstance(data, str | Path) else data)]
    return _Verifier(members, manifest, given, tools).verified(digest, published)


def _at_the_top(members: Mapping[str, bytes], name: str) -> dict[str, bytes]:
    """Return the members of a pack, whatever folder it was put into."""
    if packs.MANIFEST in members:
        return dict(members)
    tops = [one.removesuffix(f"/{packs.MANIFEST}") for one in members if one.endswith(f"/{packs.MANIFEST}")]
    if not tops:
        raise FileFormatError(f"{name}: holds no {packs.MANIFEST}; is it what `concord pack` wrote?")
    top = f"{min(tops, key=len)}/"
    return {
        one.removeprefix(top) if one.startswith(top) else f"../{one}": held for one, held in members.items()
    }


class _Verifier:
    """One verification: what was found so far."""

    def __init__(
        self,
        members: Mapping[str, bytes],
        manifest: Mapping[str, Any],
        data: Sequence[Path],
        tools: packs.Tools,
    ) -> None:
        self.tools = tools
        self.members, self.manifest = dict(members), manifest
        self.findings: list[PackFinding] = []
        self.here = provenance(())
        self.made_by = dict(object_at(manifest, "environment"))
        self.exact = same_programs(self.made_by, self.here)
        self.withheld = self._withheld(data)

    def verified(self, digest: str, published: str | None) -> Verification:
        """Look at everything."""
        self._files()
        registration = self._registration()
        held = "none" if registration is None else registration.digest
        if published not in (None, held):
            note = "not the registration that was published (right)"
            self._differs(packs.REGISTRATION, "sha256", held, published, note)
        with packs.unpacked(self.members) as top:
            self._runs(top, registration)
            recipes = self._recipes()
            for recipe in recipes:
                self._recompute(top, recipe)
            self._settings(registration)
            claims = self._claims(top, registration)
            self._made_of_others(top)
        self._others()
        self._manifest(recipes)
        told, after = "", None
        if registration is not None:
            told, after = f"{registration.digest}, {registration.registered}", registration.after_the_fact
        here = {key: self.here.get(key) for key in sorted(MADE_BY)}
        return Verification(
            digest, tuple(dict.fromkeys(self.findings)), claims, told, after, self.made_by, here
        )

    def _differs(
        self, member: str, field: str = "", packed: object = "", here: object = "", note: str = ""
    ) -> None:
        self.findings.append(PackFinding(DIFFERS, member, field, short(packed), short(here), note))

    def _unchecked(self, member: str, note: str) -> None:
        self.findings.append(PackFinding(UNCHECKED, member, note=note))

    def _withheld(self, data: Sequence[Path]) -> dict[str, InputFile]:
        """Return what the pack holds only the hash of, less what is given here."""
        found = {}
        for name, one in object_at(self.manifest, "withheld").items():
            if not isinstance(one, Mapping) or not isinstance(one.get("size"), int):
                continue
            wanted = InputFile(str(name).rsplit("/", 1)[-1], str(one.get("sha256")), one["size"])
            given = packs.found_data(wanted, data) if data else None
            if given is None:
                found[str(name)] = wanted
            else:
                self.members[str(name)] = given
        return found

    def _files(self) -> None:
        """Compare every file with its hash."""
        listed, held_back = object_at(self.manifest, "files"), object_at(self.manifest, "withheld")
        for name in sorted(self.members.keys() | listed.keys()):
            if name == packs.MANIFEST or name in held_back:
                continue
            told, data = listed.get(name), self.members.get(name)
            if data is None:
                self._differs(name, note="is in the manifest, but not in the pack")
            elif not isinstance(told, Mapping):
                self._differs(name, note="is in the pack, but not in its manifest")
            else:
                here = packs.hash_of(data)
                for key, value in here.items():
                    if told.get(key) != value:
                        self._differs(name, key, told.get(key), value, "not the file that was packed")
        for name in self.withheld:
            self._unchecked(name, "only its hash is in the pack: give --data")

    def _manifest(self, recipes: Sequence[packs.Recipe]) -> None:
        """Work out the manifest again and compare it field by field."""
        kept = {
            name: self.withheld[name] if name in self.withheld else fingerprint_of(self.members[name])
            for name in map(str, object_at(self.manifest, "withheld"))
        }
        own = {name: data for name, data in self.members.items() if name not in kept}
        again = packs.manifest_of(own, kept, recipes)
        for place, packed, here in different(
            {k: v for k, v in self.manifest.items() if k != "files"},
            {k: v for k, v in again.items() if k != "files"},
        ):
            self._differs(
                packs.MANIFEST, place, packed, here, "the manifest does not say what the pack holds"
            )

    def _registration(self) -> Registration | None:
        if packs.REGISTRATION not in self.members:
            return None
        try:
            found = registration_of(
                parsed(packs.REGISTRATION, self.members[packs.REGISTRATION]), packs.REGISTRATION
            )
        except FileFormatError as fault:
            self._differs(packs.REGISTRATION, note=str(fault))
            return None
        text = self.members.get(packs.REGISTRATION_TEXT)
        if text is not None and text != found.markdown().encode():
            self._differs(packs.REGISTRATION_TEXT, note="does not say what the registration says")
        return found

    def _runs(self, top: Path, registration: Registration | None) -> None:
        """Compare every run with what was registered, and its record with its journals."""
        found = []
        for folder in packs.run_folders(self.members):
            try:
                record = read_record(top / folder)
                run = registered_of_record(record, top / folder)
                self._record(top / folder, folder, record)
            except (InputError, KeyError, TypeError, ValueError) as fault:
                self._differs(f"{folder}/{RECORD}", note=f"cannot be used: {fault}")
                continue
            found.append((run.suite, run.model))
            if record.get("plan_sha256") != run.plan_sha256:
                self._differs(f"{folder}/{RECORD}", "plan_sha256", record.get("plan_sha256"), run.plan_sha256)
            if registration is not None:
                self._as_registered(folder, record, run, registration)
        for one in () if registration is None else registration.asked:
            if (one.suite, one.model) not in found:
                self._differs(
                    packs.REGISTRATION,
                    f"asked of {one.model}",
                    f"{one.suite}, {one.n_trials} trials",
                    "nothing",
                    "registered and not reported: no such run is in the pack",
                )

    def _as_registered(
        self, folder: str, record: Mapping[str, Any], run: Any, registration: Registration
    ) -> None:
        wanted = [one for one in registration.asked if (one.suite, one.model) == (run.suite, run.model)]
        member = f"{folder}/{RECORD}"
        if not wanted:
            self._differs(member, "model", run.model, "not registered", "a run that was not registered")
            return
        for place, packed, here in different(encode(run), encode(wanted[0])):
            self._differs(member, place, packed, here, "asked otherwise than registered (right: registered)")
        started = record.get("started")
        if isinstance(started, str) and started < registration.registered and not registration.after_the_fact:
            note = "replies are older than the registration"
            self._differs(member, "started", started, registration.registered, note)

    def _record(self, path: Path, folder: str, record: Mapping[str, Any]) -> None:
        """Compare the counts of a run's record with its journals."""
        if any(name.startswith(f"{folder}/") for name in self.withheld):
            return
        stored = read_run(path)
        counted = dict(sorted((str(k), n) for k, n in stored.tally.outcomes.items() if n))
        told = record.get("outcomes")
        for place, packed, here in different(told, counted):
            note = "the record counts other replies than are there"
            self._differs(
                f"{folder}/{RECORD}", f"outcomes.{place}" if place else "outcomes", packed, here, note
            )

    def _recipes(self) -> list[packs.Recipe]:
        """Work out how results are computed again; the manifest tells options that a person added."""
        told = self.manifest.get("recipes")
        listed = (
            {str(one.get("folder")): one for one in told if isinstance(one, Mapping)}
            if isinstance(told, list)
            else {}
        )
        found = []
        for one in packs.recipes_of(self.members):
            plain = {
                k: v
                for k, v in object_at(listed.get(one.folder, {}), "options").items()
                if k in PLAIN_OPTIONS and k not in one.options and isinstance(v, str | int | float | bool)
            }
            allowed = plain if one.function not in ("score_run", "score_bundled") else {}
            found.append(replace(one, options={**one.options, **allowed}))
        return found

    def _recompute(self, top: Path, recipe: packs.Recipe) -> None:
        """Compute a result again and compare its files."""
        if recipe.reason:
            self._unchecked(recipe.folder, recipe.reason)
            return
        lacking = [name for name in self.withheld if self._needs(recipe, name)]
        if lacking:
            self._unchecked(recipe.folder, f"not computed again: {lacking[0]} is not in the pack")
            return
        made = top.parent / "again" / recipe.folder
        try:
            CALLS.get(recipe.function, score_packed)(top, recipe, made, self.tools)
        except NotInFilesError as fault:
            self._unchecked(recipe.folder, f"not computed again: {fault}")
            return
        except (InputError, UndefinedError, KeyError, TypeError, ValueError, ArithmeticError) as fault:
            told = f"{recipe.folder}/{recipe.document or 'results/benchmark_summary.json'}"
            name = told if told in self.members else recipe.folder
            self._differs(name, note=f"cannot be computed again: {fault}")
            return
        if recipe.document:  # some kinds make a folder of their own
            made = min(made.rglob(recipe.document), key=lambda path: len(path.parts)).parent
        self._compare(top, recipe, made)

    def _needs(self, recipe: packs.Recipe, name: str) -> bool:
        sources = {one.sha256 for one in recipe.sources}
        return name.startswith(f"{recipe.folder}/") or self.withheld[name].sha256 in sources

    def _compare(self, top: Path, recipe: packs.Recipe, made: Path) -> None:
        """Compare the files of a result with those made here."""
        of_run = recipe.function == "score_run"
        below = top / recipe.folder / "results" if of_run else top / recipe.folder
        if of_run and not below.is_dir():
            self._unchecked(recipe.folder, "the run was not scored")
            return
        for path in sorted(one for one in made.rglob("*") if one.is_file()):
            inner = path.relative_to(made)
            packed = below / inner
            name = (below / inner).relative_to(top).as_posix()
            if not packed.is_file():
                self._differs(name, note="is made of these data, but not in the pack")
                continue
            self._compare_file(name, packed.read_bytes(), path.read_bytes())

    def _compare_file(self, name: str, packed: bytes, here: bytes) -> None:
        if packed == here:
            self.findings.append(PackFinding(REPRODUCED, name))
            return
        first, second = values_of(name, packed), values_of(name, here)
        tolerance = 0.0 if self.exact else TOLERANCE
        found = list(different(first, second, tolerance))
        shown = [
            one for one in found if not (one[0].rsplit(".", 1)[-1] in MADE_BY or ".packages." in f".{one[0]}")
        ]
        for place, old, _ in (one for one in found if one not in shown):
            told = self.made_by.get(
                place.rsplit(".", 1)[-1], self.made_by.get("packages", {}).get(place.rsplit(".", 1)[-1])
            )
            if old != told and not place.endswith("packages"):
                self._differs(name, place, old, told, "another version than the rest of the pack says")
        for place, old, new in shown[:_MOST]:
            self._differs(name, place, old, new)
        if len(shown) > _MOST:
            self._differs(name, note=f"and {len(shown) - _MOST} more fields")
        if not found and self.exact:
            self._differs(name, note="the same values, written otherwise")
        elif not shown:
            note = "but for the versions that made it" if self.exact else f"within {TOLERANCE:g}"
            self.findings.append(PackFinding(REPRODUCED, name, note=note))

    def _others(self) -> None:
        """List the files of results that no computation gave."""
        looked = {one.member for one in self.findings}
        runs = packs.run_folders(self.members)
        for name in sorted(self.members):
            own = next((one for one in runs if name.startswith(f"{one}/")), None)
            raw = own is not None and not name.startswith(f"{own}/results/")
            if name.startswith(f"{packs.RESULTS}/") and name not in looked and not raw:
                self._unchecked(name, "nothing computes it here; only its hash was compared")

    def _settings(self, registration: Registration | None) -> None:
        """Compare how results were computed with what was registered."""
        if registration is None:
            return
        for name in sorted(self.members):
            document = json_of(self.members, name)
            options = document.get("options")
            if (
                not name.startswith(f"{packs.RESULTS}/")
                or not isinstance(options, Mapping)
                or "kind" in document
            ):
                continue
            told = {**options, **{k: document.get(k) for k in ("protocol", "protocol_choices", "seed")}}
            told |= {"margin": object_at(document, "referee").get("margin")}
            for key, wanted in registration.computed.items():
                if told.get(key) is None or key == "reader":
                    continue
                for place, packed, here in different({key: told[key]}, {key: wanted}):
                    self._differs(
                        name, place, packed, here, "computed otherwise than registered (right: registered)"
                    )
        reader = any("/reader/" in name or name.endswith("/reader.json") for name in self.members)
        if reader != (registration.computed.get("reader", "rules") != "rules"):
            found = "a model" if reader else "rules"
            self._differs(
                packs.RESULTS, "reader", found, registration.computed.get("reader"), "other readers"
            )

    def _claims(self, top: Path, registration: Registration | None) -> tuple[VerifiedClaim, ...]:
        """Judge the claims again, and see which were registered."""
        try:
            document = parsed(ClaimsResult.FILE, self.members[ClaimsResult.FILE])
            packed = decode(
                ClaimsResult,
                check_heading(document, ClaimsResult.FORMAT, where=ClaimsResult.FILE),
                where=ClaimsResult.FILE,
            )
        except (KeyError, FileFormatError) as fault:
            self._differs(ClaimsResult.FILE, note=f"cannot be used: {fault}")
            packed = ClaimsResult(())
        registered = {} if registration is None else {one.key: one for one in registration.claims}
        results, faults = results_below(top / packs.RESULTS)
        for said in faults:
            self._differs(said.partition(":")[0], note=said)
        known = [one.claim for one in packed.claims if one.claim.claim in RULES]
        again = {one.claim: one for one in judge((*known, *registered.values()), results, self.tools.compare)}
        found = []
        for one in packed.claims:
            was, now_ = registered.get(one.claim.key), again.get(one.claim)
            if now_ is None:
                self._differs(ClaimsResult.FILE, "claim", one.claim.claim, "unknown", "no claim of this kind")
                continue
            for place, old, new in different(encode(one), encode(now_), 0.0 if self.exact else TOLERANCE):
                self._differs(ClaimsResult.FILE, f"{one.claim.key}: {place}", old, new)
            if was is not None:
                for place, old, new in different(encode(one.claim), encode(was)):
                    note = "claimed otherwise than registered (right: registered)"
                    self._differs(ClaimsResult.FILE, f"{one.claim.key}: {place}", old, new, note)
            note = now_.reason if now_.verdict == UNJUDGED else ""
            found.append(
                VerifiedClaim(
                    one.claim.key,
                    one.claim.words,
                    was is not None,
                    True,
                    now_.verdict,
                    one.verdict == now_.verdict,
                    note,
                )
            )
        told = {one.claim for one in found}
        for key, claim in registered.items():
            if key not in told:
                note = "registered and not reported"
                found.append(VerifiedClaim(key, claim.words, True, False, again[claim].verdict, True, note))
        return tuple(found)

    def _made_of_others(self, top: Path) -> None:
        """Make claims, disclosure form and page again from the rest of the pack, and compare them."""
        extra, answers = self._given()
        try:
            made = packs.added(self.members, self.tools, extra=extra, answers=answers)
        except (InputError, KeyError, TypeError, ValueError) as fault:
            self._differs(packs.RESULTS, note=f"page and form cannot be made: {fault}")
            return
        own, told = (with_concord(one).encode() for one in (self.here, self.made_by))
        made = {name: data.replace(own, told) if name == packs.PAGE else data for name, data in made.items()}
        for name, here in made.items():
            packed = self.members.get(name)
            if packed is None:
                self._differs(name, note="is made of this pack, but not in it")
            elif name == packs.PAGE and packed != here and self.exact:
                self._differs(name, note="not the page of these results")
            elif name == packs.PAGE and any(
                different(values_of(name, packed), values_of(name, here), TOLERANCE)
            ):
                self._unchecked(name, "pages of other versions differ")
            else:
                self._compare_file(name, packed, here)

    def _given(self) -> tuple[tuple[Claim, ...], dict[str, str]]:
        """Return claims and answers that a person added."""
        extra: tuple[Claim, ...] = ()
        answers: dict[str, str] = {}
        try:
            extra = tuple(
                one.claim
                for one in decode(
                    ClaimsResult, parsed("c", self.members[ClaimsResult.FILE]), where="c"
                ).claims
            )
            form = decode(Disclosure, parsed("d", self.members[Disclosure.FILE]), where="d")
            answers = {one.item: one.answer for one in form.items if one.given}
        except (KeyError, FileFormatError):
            pass
        return tuple(one for one in extra if one.claim in RULES), answers
