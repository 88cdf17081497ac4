"""Public results that come with Concord: real agents, replications of people by people, a published order."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from concord.errors import OptionError
from concord.files.tables import read_grid
from concord.people.result import AgentScores
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


TABLE = "replication_projects.csv"


def replication_table() -> TestTable:
    """Return the 143 pairs: the original study is the human side, the replication the agent's."""
    with resources.as_file(resources.files("concord.people") / "data" / TABLE) as path:
        return read_tests(path)


@dataclass(frozen=True, slots=True)
class RankMove:
    """One agent in two orders; 1 is the first place."""

    agent: str
    published_rank: int
    rank: int
    published_pas: float
    pas: float

    @property
    def places(self) -> int:
        """Return the places gained; negative where the agent fell."""
        return self.published_rank - self.rank


def rank_moves(published: Mapping[str, float], agents: Sequence[AgentScores]) -> tuple[RankMove, ...]:
    """Return every agent of both orders, in the new order."""
    values = {agent.name: agent.pas.value for agent in agents}
    common = {name: value for name, value in values.items() if value is not None and name in published}
    before = sorted(common, key=lambda name: (-published[name], name))
    after = sorted(common, key=lambda name: (-common[name], name))
    old = {name: place for place, name in enumerate(before, 1)}
    return tuple(
        RankMove(name, old[name], place, published[name], common[name]) for place, name in enumerate(after, 1)
    )
