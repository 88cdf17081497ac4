"""Answers as distributions as a section of the page."""

from collections.abc import Iterator, Sequence

from concord.errors import FileFormatError
from concord.people import NAME
from concord.people.answers.files import DOCUMENT, AnswersResult, read
from concord.people.answers.result import METRICS, AgentAnswers, AnswerNumber, OutcomeAnswers
from concord.show.answers_plots import (
    groups_picture,
    histograms_picture,
    leaderboard_picture,
    ratios_picture,
)
from concord.show.answers_terminal import answers_sentence, in_order_of_distance
from concord.show.further_methods import answers_methods
from concord.show.page import fragments
from concord.show.page.found import ResultFile
from concord.show.page.section import Section
from concord.show.svg import Picture


def _read_answers_file(source: ResultFile) -> AnswersResult:
    if source.file is None or source.file.name != DOCUMENT:
        raise FileFormatError(f"is not called {DOCUMENT}, so its answers are not shown")
    return read(source.file.parent)


def _number_row(name: str, found: AnswerNumber) -> list[fragments.Cell]:
    people = None if found.people is None else found.people.value
    return [METRICS[name], found.estimate, people, found.random, found.place]


def _outcome_row(outcome: OutcomeAnswers) -> list[fragments.Cell]:
    tvd = outcome.numbers.get("tvd")
    spread = outcome.numbers.get("variance_ratio", outcome.numbers.get("entropy_ratio"))
    r = outcome.numbers.get("person_r")
    return [
        f"{outcome.study}: {outcome.outcome} {outcome.condition}".strip(),
        float(outcome.n_people),
        float(outcome.n_agent),
        None if spread is None else spread.estimate,
        None if tvd is None else tvd.estimate,
        None if tvd is None else tvd.place,
        None if r is None else r.estimate,
    ]


def _pictures(one: AgentAnswers) -> Iterator[tuple[Picture, str]]:
    drawn = histograms_picture(one)
    if drawn is not None:
        yield drawn, "The outcomes farthest from people; people above the line, the agent below."
    ratios = ratios_picture(one)
    if ratios is not None:
        yield ratios, "Below 1 the agent's answers vary less than people's. Lines are 95 % intervals."
    groups = None if one.groups is None else groups_picture(one, one.groups)
    if groups is not None:
        yield groups, "Groups of at least 30 people. Lines are 95 % intervals."


def _show_agent(one: AgentAnswers, key: str) -> str:
    columns: list[fragments.Heading | str] = [
        "number",
        *(fragments.Heading(name) for name in ("agent", "noise floor", "random answers", "place")),
    ]
    numbers = [_number_row(name, found) for name, found in one.overall.numbers.items()]
    heads: list[fragments.Heading | str] = [
        "outcome",
        *(fragments.Heading(name, digits=0) for name in ("n of people", "n of agent")),
        *(fragments.Heading(name) for name in ("variance or entropy", "TVD", "place", "r over persons")),
    ]
    figures = [
        fragments.figure(picture, f"{key}-{i}", caption)
        for i, (picture, caption) in enumerate(_pictures(one))
    ]
    return fragments.fragment(
        fragments.figures(*figures),
        fragments.table(f"{key}-numbers", "All outcomes together", columns, numbers),
        fragments.folded(
            "Every outcome",
            fragments.table(f"{key}-outcomes", "Outcomes", heads, map(_outcome_row, one.outcomes)),
        ),
    )


def _show_answers(records: Sequence[AnswersResult]) -> str:
    parts = []
    for i, result in enumerate(records):
        parts.append(fragments.paragraph(answers_sentence(result)))
        ordered = in_order_of_distance(result)
        board = leaderboard_picture(ordered) if len(ordered) > 1 else None
        if board is not None:
            parts.append(fragments.figure(board, f"answers{i}-agents", "Lines are 95 % intervals."))
        for j, one in enumerate(ordered):
            shown = _show_agent(one, f"answers{i}-{j}")
            parts.append(shown if len(ordered) == 1 else fragments.folded(one.agent, shown))
    return fragments.fragment(*parts)


def _all_pictures(records: Sequence[AnswersResult]) -> list[Picture]:
    return [picture for result in records for one in result.agents[:1] for picture, _ in _pictures(one)]


SECTION = Section(
    name="answers",
    question=NAME,
    heading="Answers as distributions",
    file=DOCUMENT,
    key="answer_metrics",
    read=_read_answers_file,
    show=_show_answers,
    pictures=_all_pictures,
    says=lambda result: [answers_sentence(result)],
    who=lambda result: [one.agent for one in result.agents],
    methods=answers_methods,
)
