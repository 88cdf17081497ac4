"""Public results that come with Concord: real agents, replications of people by people, a published order."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path

from concord.errors import OptionError
from concord.files.codec import decode
from concord.files.tables import read_grid
from concord.people.result import Score
from concord.people.table.read import read_tests
from concord.records import TestTable

_FOLDER = "public"
_PUBLISHED = "humanstudy_bench_published.csv"


@dataclass(frozen=True, slots=True)
class PublicTable:
    """A table of tests of real agents, with its source."""

    name: str
    file: str
    holds: str
    source: str
    address: str
    licence: str
    changed: str

    @property
    def path(self) -> Path:
        """Where the table lies."""
        return _bundled(self.file)

    @property
    def credit(self) -> str:
        """Return what a page or a screen says of the source: who, where, licence, and what was changed."""
        return f"{self.holds}: {self.source} ({self.address}, {self.licence}). {self.changed}"


TWIN = PublicTable(
    "twin-2k-500",
    "twin_2k_500.csv",
    "15 agent designs, 47 contrasts of 6 studies",
    "Peng et al. 2025, Twin-2K-500 mega-study, arXiv 2509.19088",
    "github.com/TianyiPeng/Twin-2K-500-Mega-Study at 1b84fee",
    "Apache-2.0",
    "Both sides' t were computed from the published d and N, with equal cells.",
)
HSB = PublicTable(
    "humanstudy-bench",
    "humanstudy_bench.csv",
    "57 model and design configurations, 69 findings of 12 studies",
    "HumanStudy-Bench, arXiv 2602.00685",
    "github.com/AISmithLab/HumanStudy-Bench at 378b77a",
    "MIT",
    "PAS by finding as published, pooled anew.",
)
TWIN_ANSWERS = PublicTable(
    "twin-2k-500-answers",
    "twin_2k_500_answers.parquet",
    "129,799 answers of 1,784 people and of their digital twins, 163 outcomes of 19 studies",
    "Peng et al. 2025, Twin-2K-500 mega-study, arXiv 2509.19088",
    "github.com/TianyiPeng/Twin-2K-500-Mega-Study at 1b84fee",
    "Apache-2.0",
    "The combined tables of the calibration folder in one file; persons are running numbers.",
)
TWIN_MOMENTS = PublicTable(
    "twin-2k-500-moments",
    "twin_2k_500_moments.csv",
    "means, SDs and person-level r of 15 agent designs on 164 outcomes of 19 studies",
    "Peng et al. 2025, Twin-2K-500 mega-study, arXiv 2509.19088",
    "github.com/TianyiPeng/Twin-2K-500-Mega-Study at 1b84fee",
    "Apache-2.0",
    "Columns are renamed; the variance ratio is that of the two SDs.",
)
ANSWERS: Mapping[str, PublicTable] = {one.name: one for one in (TWIN_ANSWERS, TWIN_MOMENTS)}
"""Tables of answers, which `concord score answers` takes by name."""
PUBLIC: Mapping[str, PublicTable] = {one.name: one for one in (TWIN, HSB)}


def _bundled(name: str) -> Path:
    return Path(str(resources.files("concord.people") / "data" / _FOLDER / name))


def public_table(name: str) -> PublicTable:
    """Return a bundled public table by its name."""
    known = {**PUBLIC, **ANSWERS}
    if name not in known:
        raise OptionError(f"public table {name!r} is not known; expected {', '.join(known)}")
    return known[name]


def published_pas() -> dict[str, float]:
    """Return the PAS that HumanStudy-Bench prints for each configuration: the mean of its twelve studies."""
    grid = read_grid(_bundled(_PUBLISHED))
    names, *studies = (grid.cells(j) for j in range(len(grid.header)))
    rows = zip(*studies, strict=True)
    return {
        str(name): sum(float(str(cell)) for cell in row) / len(row)
        for name, row in zip(names, rows, strict=True)
    }


SCORES = "people_against_people.json"


@dataclass(frozen=True, slots=True)
class HumanRow:
    """What replications by people score against the original studies."""

    n: int
    pas: Score
    ecs: Score
    apr: Score

    @property
    def label(self) -> str:
        """How the row is called in a leaderboard."""
        return f"people against people ({self.n} replications)"


@cache
def human_row() -> HumanRow:
    """Return the scores of people against people, protocol standard, as they are kept with the table."""
    import json

    text = (resources.files("concord.people") / "data" / SCORES).read_text("utf-8")
    return decode(HumanRow, json.loads(text), where=SCORES)


TABLE = "replication_projects.csv"


def replication_table() -> TestTable:
    """Return the 143 pairs: the original study is the human side, the replication the agent's."""
    with resources.as_file(resources.files("concord.people") / "data" / TABLE) as path:
        return read_tests(path)
