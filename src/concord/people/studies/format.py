"""The study file: what may be in it, as frozen models.

Field descriptions are those of the exported JSON Schema and of the reference page.
"""

from collections.abc import Sized
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator

from concord.records import InputFile

Slug = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9-]*$", max_length=60)]
"""A name in paths and on the command line: lower case, digits, hyphens."""
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]*$", max_length=60)]
"""A variable: lower case, digits, underscores."""
Level = Annotated[str, StringConstraints(pattern=r"^[a-z0-9][a-z0-9_]*$", max_length=60)]
Words = Annotated[str, StringConstraints(min_length=1, max_length=20_000)]
Formula = Annotated[str, StringConstraints(min_length=1, max_length=1_000)]
Share = Annotated[float, Field(gt=0, le=1)]
Scalar = Annotated[str | int | float, Field(union_mode="left_to_right")]


FILL_IN = "FILL IN"
"""Begins every text of a draft that a person must replace."""


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, allow_inf_nan=False)


class Source(_Part):
    """Where the study was published."""

    authors: Words
    year: Annotated[int, Field(ge=1850, le=2100)]
    title: Words
    published: Words
    """Journal, volume and pages."""
    doi: str | None = None


class About(_Part):
    """What a reader of results must know: the study card is made from it."""

    design: Words
    simplified: list[Words] = []
    """What differs from the published procedure."""
    threats: list[Words] = []
    """What may make a model's answers mean something else than people's."""
    left_out: list[Words] = []
    """Published results that are not tested here, and why."""
    traced: list[Words] = []
    """How the human numbers, their pages and their directions were traced."""
    participants: Annotated[int, Field(ge=1)] | None = None
    """How many people took part, where the plan has another number of them."""


class Ages(_Part):
    """Ages, drawn evenly from a range."""

    min: Annotated[int, Field(ge=5, le=110)]
    max: Annotated[int, Field(ge=5, le=110)]

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.min > self.max:
            raise ValueError(f"min {self.min} is above max {self.max}")
        return self


class Population(_Part):
    """Whom the participants are drawn from: profiles of the agent designs come from here."""

    describes: Words
    """In a few words, as after "You are": ``a student at a university in California``."""
    age: Ages | None = None
    fields: dict[Name, dict[Level, Share]] = {}
    """Further traits, each with its values and their shares (which sum to 1)."""
    story: Words | None = None
    """A background story, a template over age and the fields; by default one is made of them."""

    @model_validator(mode="after")
    def _sums(self) -> Self:
        for name, shares in self.fields.items():
            if abs(sum(shares.values()) - 1) > 1e-6:
                raise ValueError(f"the shares of {name!r} sum to {sum(shares.values()):g}, expected 1")
            if name == "age":
                raise ValueError("'age' has its own key and is no field")
        return self


class Factor(_Part):
    """What is varied."""

    vary: Literal["between", "within"] = "between"
    levels: dict[Level, dict[Name, Scalar]] | list[Level]
    """Levels, each with the texts and numbers that templates read as ``{factor.name}``."""
    order: Literal["random", "latin", "fixed"] | None = None
    """Order of the levels of a within factor: drawn, a balanced Latin square, or as listed."""

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the levels, in order."""
        return tuple(self.levels)

    def values(self, level: str) -> dict[str, str | int | float]:
        """Return what a level brings."""
        return {} if isinstance(self.levels, list) else dict(self.levels[level])


def _count_options(options: Sized) -> None:
    """Refuse more options than there are letters to name them by, or no choice at all."""
    if not 2 <= len(options) <= 26:
        raise ValueError(f"{len(options)} options, expected 2 to 26")


class Choice(_Part):
    """One of several options."""

    type: Literal["choice"]
    ask: str = ""
    options: dict[Level, Words]
    shuffle: bool = False
    """Draw the order of the options anew for each participant."""

    @model_validator(mode="after")
    def _enough(self) -> Self:
        _count_options(self.options)
        return self


class Number(_Part):
    """A number in a range."""

    type: Literal["number"]
    ask: str = ""
    min: float | None = None
    max: Annotated[float | Name, Field(union_mode="left_to_right")] | None = None
    """A number, or an earlier answer or derived variable that sets the limit."""
    unit: str = ""
    whole: bool = False

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if self.min is not None and isinstance(self.max, float) and self.min >= self.max:
            raise ValueError(f"min {self.min:g} is not below max {self.max:g}")
        return self


class Likert(_Part):
    """A rating on a scale of whole numbers."""

    type: Literal["likert"]
    ask: str = ""
    min: int = 1
    max: int
    low: Words
    """What the lowest number means."""
    high: Words

    @model_validator(mode="after")
    def _ordered(self) -> Self:
        if not self.min < self.max <= self.min + 100:
            raise ValueError(
                f"a scale from {self.min} to {self.max}: expected at least 2 and at most 101 points"
            )
        return self


class Ranking(_Part):
    """Options in order; gives one variable an option, its rank (1 first)."""

    type: Literal["ranking"]
    ask: str = ""
    options: dict[Name, Words]
    shuffle: bool = False

    @model_validator(mode="after")
    def _enough(self) -> Self:
        _count_options(self.options)
        return self


class Allocation(_Part):
    """A sum, split; gives one variable a recipient."""

    type: Literal["allocation"]
    ask: str = ""
    total: Annotated[float, Field(gt=0)]
    unit: str = ""
    to: dict[Name, Words]
    whole: bool = False

    @model_validator(mode="after")
    def _enough(self) -> Self:
        if len(self.to) < 2:
            raise ValueError("expected at least 2 recipients under 'to'")
        return self


class FreeText(_Part):
    """Free text; each code gives one variable, 1 where one of its words occurs and 0 where not."""

    type: Literal["text"]
    ask: str = ""
    codes: dict[Name, list[Words]] = {}


Item = Annotated[Choice | Number | Likert | Ranking | Allocation | FreeText, Field(discriminator="type")]


class Step(_Part):
    """One message to a participant, with the items it asks."""

    text: Words
    ask: Annotated[list[Name], Field(min_length=1, max_length=40)]
    role: Name | None = None
    """Whom it goes to, in a study with roles."""
    when: Formula | None = None
    """Asked only where this holds, such as ``frame == 'gain'``."""
    over: Name | None = None
    """A within factor: the step is asked once for each of its levels."""
    rounds: Literal["every", "first", "later"] = "every"


class Group(_Part):
    """Participants who play together."""

    roles: Annotated[list[Name], Field(min_length=2, max_length=10)] | None = None
    """One participant a role; without roles all members do the same."""
    size: Annotated[int, Field(ge=2, le=200)] | None = None
    rounds: Annotated[int, Field(ge=1, le=50)] = 1
    feedback: dict[Name, Formula] = {}
    """Computed from all members after each round: ``mean(guess)``. Later texts read ``{feedback.name}``."""

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.roles is None) == (self.size is None):
            raise ValueError("expected either 'roles' or 'size'")
        if self.roles is not None and (self.rounds > 1 or self.feedback):
            raise ValueError("rounds and feedback belong to groups without roles")
        return self

    @property
    def members(self) -> tuple[str, ...]:
        """The role of each member; empty words without roles."""
        return tuple(self.roles) if self.roles is not None else ("",) * (self.size or 0)


class Participants(_Part):
    """How many took part, in the paper."""

    n: Annotated[int, Field(ge=1)] | dict[str, Annotated[int, Field(ge=1)]] | None = None
    """In all, or by cell: ``{gain: 152, loss: 155}``; cells of several factors as ``"dictator, paid"``."""
    sessions: Annotated[int, Field(ge=1)] | dict[str, Annotated[int, Field(ge=1)]] | None = None
    """Instead of n in a group study: how many groups, in all or by cell."""

    @model_validator(mode="after")
    def _one_of(self) -> Self:
        if (self.n is None) == (self.sessions is None):
            raise ValueError("expected either 'n' (participants) or 'sessions' (groups)")
        return self


class Experiment(_Part):
    """One experiment of a study: who, what is varied, what is said and asked, what is derived."""

    participants: Participants
    population: Population | None = None
    """Instead of the study's."""
    factors: dict[Name, Factor] = {}
    texts: dict[Name, Words] = {}
    """Pieces of text that steps read as ``{name}``."""
    items: Annotated[dict[Name, Item], Field(min_length=1)]
    steps: Annotated[list[Step], Field(min_length=1, max_length=60)]
    group: Group | None = None
    derived: dict[Name, Formula] = {}
    """Variables of a participant (with roles: of the pair), in order: later ones read earlier ones."""
    of_session: dict[Name, Formula] = {}
    """Variables of a group, from all members."""


class Located(_Part):
    """Where in the paper a number is, and how that is known."""

    at: Words
    """Page and table, problem or paragraph: ``p. 453, Problems 1 and 2``."""
    known: Literal["seen", "quoted", "unverified"] = "seen"
    """The page was seen in the paper, is quoted by another source, or was not verified."""
    by: Words | None = None
    """Who quotes it."""
    words: Words | None = None
    """The sentence that holds it, as printed."""

    @model_validator(mode="after")
    def _named(self) -> Self:
        if (self.known == "quoted") != (self.by is not None):
            raise ValueError("'by' names the source that quotes a page: expected with 'known: quoted' only")
        return self

    def __str__(self) -> str:
        """Write the place, and what a reader must know of it."""
        how = {"seen": "", "quoted": f" (quoted by {self.by})", "unverified": " (page not verified)"}
        return self.at + how[self.known]


class DraftedFrom(_Part):
    """The paper that a draft was made from; every number then needs its place."""

    paper: Words
    sha256: Words


class HumanMoments(_Part):
    """Answers of one group of people, where the paper prints their moments only."""

    mean: float
    sd: Annotated[float, Field(ge=0)]
    n: Annotated[int, Field(ge=2)]


class Human(_Part):
    """The human side: numbers as in a table of tests, or an APA string."""

    statistic: float | None = None
    df1: float | None = None
    df2: float | None = None
    n1: int | None = None
    n2: int | None = None
    k: int | None = None
    n: int | None = None
    p0: float | None = None
    p_value: float | None = None
    direction: Literal[-1, 0, 1] | None = None
    table: list[list[int]] | None = None
    reported: str | None = None
    prior_odds: float | None = None
    distribution: dict[str, HumanMoments | dict[str, Annotated[int, Field(ge=0)]]] | None = None
    """How people answered, by group (``all`` without groups): counts per answer, or mean, sd and n."""
    scale: Annotated[list[float], Field(min_length=2, max_length=2)] | None = None
    """Smallest and largest answer that could be given, where `distribution` counts numbers."""
    located: Located | None = None
    """Page or table."""
    source: Words
    """What is printed there, how it was rebuilt, and where the direction comes from."""

    def columns(self) -> dict[str, Any]:
        """Return the columns of a table of tests."""
        words = ("located", "source", "distribution", "scale")
        given = {name: getattr(self, name) for name in type(self).model_fields if name not in words}
        return {f"human_{name}": value for name, value in given.items() if value is not None}


NO_PEOPLE = Human(source="no people have answered yet")
"""The human side of a study before people."""


Kind = Literal[
    "t-independent",
    "t-welch",
    "t-paired",
    "t-one-sample",
    "anova",
    "anova-within",
    "regression",
    "pearson",
    "spearman",
    "chi-square",
    "binomial",
    "sign",
    "mann-whitney",
    "wilcoxon",
    "variance-ratio",
]


class Groups(_Part):
    """Groups to compare: the values of a variable, the first minus the second."""

    by: Name
    levels: Annotated[list[str], Field(min_length=2, max_length=20)] | None = None
    """By default the levels or options of the variable, in their order; 1 and 0 of a derived one."""


class Test(_Part):
    """A statistical test on the replies, and what people gave."""

    __test__ = False

    name: Words
    experiment: Slug
    test: Kind
    outcome: Name | None = None
    success: str | None = None
    """The answer that counts, for chi-square and binomial tests of a choice."""
    groups: Groups | None = None
    first: Name | list[Name] | None = None
    """The first of two variables of the same participant (lists: correlations are averaged)."""
    second: Name | list[Name] | None = None
    measures: list[Name] | None = None
    """Variables of the same participants: repeated measures, or the rows of a chi-square table."""
    between: list[Name] | None = None
    """Factors of a factorial F."""
    effect: Name | list[Name] | None = None
    """Which effect of a factorial F or regression is tested: a factor, or several for their interaction."""
    predictors: list[Name] | None = None
    covariates: list[Name] = []
    against: float | None = None
    p0: Annotated[float, Field(gt=0, lt=1)] | None = None
    trials: Annotated[int, Field(ge=1)] | None = None
    """How many trials each participant's outcome counts, for binomial tests."""
    unit: Literal["participant", "session"] = "participant"
    where: Formula | None = None
    """Only these participants, such as ``story == 'chairman'``."""
    alpha: Annotated[float, Field(gt=0, lt=1)] = 0.05
    sampling: Literal["joint", "indep_rows", "indep_cols", "poisson", "hypergeom"] | None = None
    scored_as: Literal["p-value"] | None = None
    """Score only p and direction, where only these are known of people."""
    check: Literal["manipulation"] | None = None
    """A manipulation check: reported first, in no score; where it fails, the other tests are flagged."""
    human: Human = NO_PEOPLE
    """What people gave; left out in a study that no people have answered yet."""
    original: Human | None = None
    """The first study's numbers, where `human` are those of a large replication of it."""

    def names(self, *keys: str) -> list[str]:
        """Return the variables under some of its keys."""
        values = [getattr(self, key) for key in keys]
        return [name for one in values for name in ([one] if isinstance(one, str) else one or [])]

    @property
    def before_people(self) -> bool:
        """Whether nothing is known of people yet."""
        return self.human == NO_PEOPLE


class Finding(_Part):
    """What the paper says, and the tests that say it."""

    says: Words
    tests: Annotated[list[Test], Field(min_length=1)]


class Variant(_Part):
    """The same manipulation and tests under another surface: what a model has not read."""

    says: Words
    """What is different."""
    experiments: Annotated[list[Slug], Field(min_length=1)]
    """Experiments that it changes; the variant consists of these and of their tests."""
    replace: Annotated[dict[str, str], Field(min_length=1)]
    """Words of the materials, and what takes their place; applied in this order."""


class Study(_Part):
    """A published study whose participants a model can replace."""

    format: Literal[1]
    study: Slug
    title: Words
    domain: Words
    source: Source
    population: Population
    about: About
    experiments: Annotated[dict[Slug, Experiment], Field(min_length=1)]
    findings: Annotated[dict[str, Finding], Field(min_length=1)]
    placebo: Literal["none", "reverse"] | None = None
    """The literature reports the effect; people, asked again, show none, or the reverse."""
    draft: DraftedFrom | None = None
    """Where `concord studies draft` found the numbers."""
    variants: dict[Slug, Variant] = {}
    """Other surfaces by name, for `concord run people --variant`."""

    def population_of(self, experiment: str) -> Population:
        """Return whom the participants of an experiment are drawn from."""
        own = self.experiments[experiment].population
        return self.population if own is None else own


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema of a study file."""
    schema = Study.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Concord study", **schema}


@dataclass(frozen=True, slots=True)
class StudyFile:
    """A study, checked, and the file it came from."""

    study: Study
    file: InputFile
    warnings: tuple[str, ...] = ()
    raw: bytes = b""
    """The file itself: a run keeps a copy."""

    @property
    def name(self) -> str:
        """The study's name."""
        return self.study.study
