"""Agent designs: how a model is told who it is before it is asked anything."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from concord.errors import FileFormatError, OptionError
from concord.files.codec import decode
from concord.files.contents import read_bytes
from concord.files.json_text import parsed
from concord.files.limits import YAML_BYTES
from concord.people.studies.format import Population
from concord.people.studies.wording import template

Profile = Mapping[str, str | int]
_PARTICIPANT = (
    "You are a participant in a research study. Answer every question as yourself, spontaneously, as people "
    "in such studies do. There are no right or wrong answers. Keep to the form of answer that is asked for."
)
_DEMOGRAPHIC = (
    "You are a participant in a research study. You are {describes}.{traits} Answer every question as this "
    "person would. Keep to the form of answer that is asked for."
)
_PERSON = (
    "You are a participant in a research study. You are the following person.{traits} Answer every question "
    "as this person would. Keep to the form of answer that is asked for."
)
_STORY = (
    "Imagine that you are the following person, and stay in this role.\n\n{story}\n\nToday you take part in "
    "a research study. Answer every question as you, this person, would. Keep to the form of answer that is "
    "asked for."
)


@dataclass(frozen=True, slots=True)
class AgentDesign:
    """A design: a system message, a template over the participant's profile."""

    name: str
    text: str | None
    """``None``: no system message at all."""
    answer_line: bool = False
    """Whether questions ask for the answer in a last line; otherwise their words are the study's alone."""

    @property
    def sha256(self) -> str | None:
        """Return the hash of the template, for the record of a run."""
        return None if self.text is None else hashlib.sha256(self.text.encode("utf-8")).hexdigest()

    def tells(self, population: Population) -> frozenset[str]:
        """Return the traits of the profile that the model is told."""
        if self.text is None:
            return frozenset()
        names = template(self.text).names
        every = frozenset(profile_names(population))
        if "story" in names:
            own = every if population.story is None else every & template(population.story).names
            return own | (every & names)
        return every if "traits" in names else every & names

    def system(self, profile: Profile, population: Population) -> str | None:
        """Write the system message of a participant."""
        if self.text is None:
            return None
        wanted = template(self.text)
        scope = {name: str(value) for name, value in profile.items()}
        scope |= {"describes": population.describes, "traits": _traits(profile)}
        if "story" in wanted.names:
            scope["story"] = _story(scope, profile, population)
        return wanted.fill(scope)

    def check(self, population: Population, study: str) -> None:
        """Refuse a template that shows what the study's population does not have."""
        if self.text is None:
            return
        known = {*profile_names(population), "describes", "traits", "story"}
        unknown = sorted(template(self.text).names - known)
        if unknown:
            names = ", ".join(f"{{{name}}}" for name in unknown)
            have = ", ".join(sorted(known))
            raise OptionError(
                f"design {self.name!r}: {names} does not exist in study {study!r}; there are {have}"
            )


def profile_names(population: Population) -> tuple[str, ...]:
    """Return the names of the traits a profile has."""
    return (*(() if population.age is None else ("age",)), *population.fields)


def _traits(profile: Profile) -> str:
    """Write the profile as sentences."""
    sentences = [f" You are {profile['age']} years old." if "age" in profile else ""]
    sentences += [
        f" Your {name.replace('_', ' ')}: {str(value).replace('_', ' ')}."
        for name, value in profile.items()
        if name != "age" and not name.endswith("?")
    ]
    sentences += [
        f' You were asked: "{name}" Your answer was: {value}.'
        for name, value in profile.items()
        if name.endswith("?")
    ]
    return "".join(sentences)


def _story(scope: Mapping[str, str], profile: Profile, population: Population) -> str:
    if population.story is not None:
        return template(population.story).fill(scope)
    return f"I am {population.describes}." + _traits(profile).replace("You are", "I am").replace("Your", "My")


DESIGNS = {
    "bare": AgentDesign("bare", None),
    "participant": AgentDesign("participant", _PARTICIPANT),
    "demographic": AgentDesign("demographic", _DEMOGRAPHIC),
    "story": AgentDesign("story", _STORY),
}
"""The designs of the literature: the bare question, a participant, a profile, a background story."""


PERSON = AgentDesign("person", _PERSON)
"""How a person of a table is told who it is."""


def get_design(name: str) -> AgentDesign:
    """Return a design by name, or of a template of your own by path.

    Parameters
    ----------
    name
        One of `DESIGNS`, or the path of a text file: a system message with names in braces, such as
        ``{age}``, the traits of the study's population, ``{describes}``, ``{traits}``, ``{story}``.
    """
    if name in DESIGNS:
        return DESIGNS[name]
    path = Path(name)
    if not path.suffix:
        raise OptionError(
            f"there is no design {name!r}; there are {', '.join(DESIGNS)}; or give the path of a text file"
        )
    try:
        text = read_bytes(path, limit=YAML_BYTES).decode("utf-8-sig").strip()
    except UnicodeDecodeError as fault:
        raise FileFormatError(f"{path}: cannot be read as UTF-8 text") from fault
    if not text or len(text) > 20_000:
        raise FileFormatError(f"{path}: {len(text)} characters, expected 1 to 20,000")
    template(text)
    return AgentDesign(path.name, text)


PERSONS_FILE = "persons.json"
"""In the inputs of a run: the persons as they were read."""


@dataclass(frozen=True, slots=True)
class Person:
    """One person of a table."""

    name: str
    """As the table calls the person; the number of the row where it does not."""
    traits: Profile
    """What the model is told."""
    own: Mapping[str, str]
    """Conditions of and own answers to what is asked, by the study's names; never told."""
    weight: str | None = None


@dataclass(frozen=True, slots=True)
class Persons:
    """The persons of a table, and how its columns were understood."""

    persons: tuple[Person, ...]
    told: tuple[str, ...]
    """Columns that the model is told."""
    kept: tuple[str, ...] = ()
    """Columns that it is not."""
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.persons)

    def stored(self) -> bytes:
        """Return them as the inputs of a run hold them."""
        return (json.dumps(asdict(self), ensure_ascii=False, indent=1) + "\n").encode("utf-8", "replace")


def stored_persons(data: bytes) -> Persons:
    """Read what a run keeps of its persons."""
    try:
        return decode(Persons, parsed(PERSONS_FILE, data), where=PERSONS_FILE)
    except FileFormatError as fault:
        raise FileFormatError(f"{PERSONS_FILE} is not what a run writes; put the original back") from fault


def check_told(design: AgentDesign, persons: Persons) -> None:
    """Refuse a template that shows what a person does not have, or nothing of a person."""
    shown = set() if design.text is None else set(template(design.text).names)
    if not shown or shown & {"story", "describes"}:
        raise OptionError(
            f"--design {design.name} does not go with --persons; leave --design out, or give a template with "
            "{traits} or with the columns of the table"
        )
    for one in persons.persons:
        if lacking := sorted(shown - {"traits"} - one.traits.keys()):
            raise OptionError(
                f"design {design.name!r} shows {{{lacking[0]}}}, which the person {one.name!r} does not have"
            )
