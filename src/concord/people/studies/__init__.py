"""Studies: find, plan, run with an agent of your own, score recorded replies."""

from concord.people.studies.agents import DESIGNS, AgentDesign, get_design
from concord.people.studies.describe import describe, human_sides, prompts, published_effects, summary
from concord.people.studies.draft import DraftedStudy, draft_study
from concord.people.studies.finding_checks import check_tests
from concord.people.studies.format import StudyFile, json_schema
from concord.people.studies.load import (
    bundled_names,
    check_with,
    find_studies,
    installed_studies,
    read_study,
)
from concord.people.studies.plan import StudyPlan
from concord.people.studies.results import StudiesResult
from concord.people.studies.scoring import plan, run, score_replies
from concord.people.studies.sessions import Agent, Question, Session, hold, sessions_of

__all__ = [
    "DESIGNS",
    "Agent",
    "AgentDesign",
    "DraftedStudy",
    "Question",
    "Session",
    "StudiesResult",
    "StudyFile",
    "StudyPlan",
    "bundled_names",
    "describe",
    "draft_study",
    "find_studies",
    "get_design",
    "hold",
    "human_sides",
    "installed_studies",
    "json_schema",
    "plan",
    "prompts",
    "published_effects",
    "read_study",
    "run",
    "score_replies",
    "sessions_of",
    "summary",
]

# before anything of this package is used: no study is read without it
check_with(check_tests)
