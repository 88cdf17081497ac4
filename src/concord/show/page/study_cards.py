"""What is known of the studies behind a result: title, source, and what each finding says."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from concord.people.studies.results import HeldStudy


@dataclass(frozen=True, slots=True)
class StudyCard:
    """A study, as far as a result or Concord itself knows it."""

    study: str
    title: str
    source: Mapping[str, str]
    """``authors``, ``year``, ``title``, ``published``, ``doi``."""
    says: Mapping[str, str]
    """What each finding says, by its name."""

    @property
    def citation(self) -> str:
        """The source as a list of references has it."""
        given = self.source
        head = f"{given.get('authors', '')} ({given.get('year', '')})." if given.get("authors") else ""
        return " ".join(
            said
            for said in (head, _ended(given.get("title", "")), _ended(given.get("published", "")))
            if said
        )

    def to_dict(self) -> dict[str, object]:
        """Return what the page's script is given."""
        return {
            "title": self.title,
            "cite": self.citation,
            "doi": self.source.get("doi", ""),
            "says": dict(self.says),
        }


def _ended(text: str) -> str:
    return text if not text or text.endswith((".", "?", "!")) else f"{text}."


def study_cards(plans: Sequence[HeldStudy], studies: Sequence[str]) -> Iterator[StudyCard]:
    """Return cards from the plans beside a result; of other studies those that come with Concord."""
    told = {one.study: one for one in plans if one.findings}
    for name in dict.fromkeys(studies):
        if name in told:
            yield _plan_card(told[name])
        elif name in _bundled():
            yield _bundled_card(name)


def _plan_card(plan: HeldStudy) -> StudyCard:
    kept = {key: str(plan.source.get(key) or "") for key in ("authors", "year", "title", "published", "doi")}
    return StudyCard(plan.study, plan.title, kept, dict(plan.findings))


@cache
def _bundled() -> frozenset[str]:
    from concord.people.studies.load import bundled_names

    return frozenset(bundled_names())


@cache
def _bundled_card(name: str) -> StudyCard:
    from concord.people.studies.load import find_studies

    (file,) = find_studies([name])
    source = file.study.source
    return StudyCard(
        name,
        file.study.title,
        {
            "authors": source.authors,
            "year": str(source.year),
            "title": source.title,
            "published": source.published,
            "doi": source.doi or "",
        },
        {key: finding.says for key, finding in file.study.findings.items()},
    )
