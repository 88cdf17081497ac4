"""What came of verifying a pack: what is reproduced, what differs, which claims were registered."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from concord.kinds import SCREENS, Column, Kind, Table
from concord.words import say

REPRODUCED, DIFFERS, UNCHECKED = "reproduced", "differs", "not checked"
TOLERANCE = 1e-9
"""Largest relative difference of numbers that other versions of programs computed; the same version: none."""
MADE_BY = frozenset({"commit", "python_version", "packages", "concord_version"})


@dataclass(frozen=True, slots=True)
class PackFinding:
    """Something that was looked at."""

    status: str
    member: str
    """File of the pack, or what it is about."""
    field: str = ""
    packed: str = ""
    here: str = ""
    note: str = ""

    @property
    def difference(self) -> str:
        """Where it is, both values and why, on one line that every width of a screen has room for."""
        place = f"{self.member}, {self.field}" if self.field else self.member
        both = f"packed {self.packed}, here {self.here}" if self.packed or self.here else ""
        return f"{place}: {'; '.join(part for part in (both, self.note) if part)}"


@dataclass(frozen=True, slots=True)
class VerifiedClaim:
    """A claim of the pack or of the registration."""

    claim: str
    words: str
    registered: bool
    reported: bool
    verdict: str
    """As computed here."""
    as_packed: bool
    """Whether the pack says the same."""
    note: str = ""


def _unless(name: str) -> Callable[["VerifiedClaim"], bool | None]:
    """Return what screens show of a yes that goes without saying."""
    return lambda claim: None if getattr(claim, name) else False


@dataclass(frozen=True, slots=True, repr=False)
class Verification(Kind):
    """What came of verifying a pack."""

    FORMAT, FILE, KEY = "verification", "verification.json", "findings"
    TABLES = (
        Table(
            "claims",
            rows=lambda result: result.claims,
            title="Claims",
            file="verified_claims.csv",
            columns=(
                Column("claim", words=True),
                Column("registered", words=True),
                Column("reported", words=True, on=("file",)),
                Column("verdict", words=True),
                Column("as_packed", words=True, on=("file",)),
                Column("note", words=True, optional=True),
                Column("reported", get=_unless("reported"), words=True, on=SCREENS, optional=True),
                Column("as packed", get=_unless("as_packed"), words=True, on=SCREENS, optional=True),
                Column("words", words=True, on=("file",)),
            ),
        ),
        Table(
            "differences",
            rows=lambda result: result.of(DIFFERS),
            title="What differs",
            columns=(Column("difference", words=True),),
        ),
        Table(
            "unchecked",
            rows=lambda result: result.of(UNCHECKED),
            title="What could not be checked",
            columns=(Column("member", title="file", words=True), Column("note", words=True)),
        ),
        Table(
            "findings",
            rows=lambda result: result.findings,
            file="findings.csv",
            on=(),
            columns=tuple(map(Column, ("status", "member", "field", "packed", "here", "note"))),
        ),
    )
    UNSHOWN = frozenset({"findings", "claims", "made_by", "made_here"})

    pack_sha256: str
    findings: tuple[PackFinding, ...]
    claims: tuple[VerifiedClaim, ...] = ()
    registration: str = ""
    """The hash of the registration, and when it was made."""
    after_the_fact: bool | None = None
    made_by: Mapping[str, Any] = field(default_factory=dict)
    made_here: Mapping[str, Any] = field(default_factory=dict)

    def of(self, status: str) -> list[PackFinding]:
        """Return what ended in a way."""
        return [one for one in self.findings if one.status == status]

    @property
    def unregistered(self) -> list[str]:
        """Claims of the pack that were not registered."""
        return [one.claim for one in self.claims if one.reported and not one.registered]

    @property
    def unreported(self) -> list[str]:
        """Claims that were registered and are not in the pack."""
        return [one.claim for one in self.claims if one.registered and not one.reported]

    @property
    def exit_code(self) -> int:
        """0 all is reproduced, and claims are as registered; 1 something differs; 3 not all is confirmed."""
        if self.of(DIFFERS) or self.unreported or any(not one.as_packed for one in self.claims):
            return 1
        doubtful = bool(self.after_the_fact) or bool(self.unregistered)
        return 3 if self.of(UNCHECKED) or doubtful else 0

    def sentences(self) -> Sequence[str]:
        """Say what is reproduced, what differs, and which claims were registered."""
        ok, bad, left = (self.of(status) for status in (REPRODUCED, DIFFERS, UNCHECKED))
        titles = {
            0: say("proof.verified.reproduced", registered=bool(self.registration)),
            1: say("proof.verified.differs", n=len(bad), unreported=len(self.unreported) or None),
            3: say("proof.verified.open"),
        }
        lines = [titles[self.exit_code], say("proof.verified.counted", ok=len(ok), left=len(left))]
        for kind in ("unreported", "unregistered"):
            if names := "; ".join(getattr(self, kind)):
                lines.append(say(f"proof.verified.names_{kind}", names=names))
        if self.after_the_fact is not False:
            lines.append(
                say("proof.verified.after" if self.after_the_fact else "proof.verified.no_registration")
            )
        if self.registration:
            lines.append(say("proof.verified.registration", which=self.registration))
        lines.append(say("proof.verified.hash", digest=self.pack_sha256))
        return lines

    def notes(self) -> Sequence[str]:
        """Say how numbers were compared."""
        if same_programs(self.made_by, self.made_here):
            return [say("proof.verified.same_versions")]
        return [say("proof.verified.other_versions", tolerance=TOLERANCE)]


def same_programs(first: Mapping[str, Any], second: Mapping[str, Any]) -> bool:
    """Whether two computations were done by the same versions of all programs."""
    return all(first.get(key) == second.get(key) for key in MADE_BY - {"commit"})
