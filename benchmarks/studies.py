"""Twelve studies with 2,000 participants each, planned, read, tested: ``python benchmarks/studies.py``.

Seconds are those of one processor (CPU time), so that a busy machine does not change them.
"""

# ruff: noqa: E402
import os

for _name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ[_name] = "1"

import resource
import sys
import time

from concord import studies
from concord.people.studies.describe import middle_reply
from concord.people.studies.observe import observe
from concord.people.studies.plan import StudyPlan
from concord.people.studies.sessions import replaying
from concord.people.studies.tests import table_of_tests

PARTICIPANTS = 2_000
PLANNED_SECONDS, TESTED_SECONDS, MEMORY_MB = 10.0, 20.0, 500


def memory_mb() -> float:
    """Peak resident memory of this process."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def planned() -> tuple[list[StudyPlan], int]:
    """Plan every study with at least 2,000 participants, and write the first message of each."""
    plans, trials = [], 0
    for name in studies.bundled_names():
        cells = studies.summary(studies.find_studies([name])[0])["cells"]
        (plan,) = studies.plan([name], n=-(-PARTICIPANTS // cells), design="demographic")
        for session in studies.sessions_of(plan):
            for question in session.waiting():
                trials += len(question.messages) > 0
        plans.append(plan)
    return plans, trials


def recorded(plans: list[StudyPlan]) -> dict[str, str]:
    """Record varied replies to every question."""
    replies: dict[str, str] = {}

    def agent(question: studies.Question) -> str:
        text = middle_reply(question)
        if len(question.items) == 1 and question.items[0][1].type == "choice":
            text = "AB"[question.member.number % 2]
        elif len(question.items) == 1 and question.items[0][1].type in ("number", "likert"):
            text = str(1 + question.member.number % 5)
        replies[question.id] = text
        return text

    for plan in plans:
        for session in studies.sessions_of(plan):
            studies.hold(session, agent)
    return replies


def main() -> int:
    begin = time.process_time()
    plans, trials = planned()
    plan_seconds, plan_memory = time.process_time() - begin, memory_mb()
    people = sum(len(session.members) for plan in plans for session in plan.sessions)
    replies = recorded(plans)
    begin = time.process_time()
    observed = [observe(plan, replaying(replies)) for plan in plans]
    table = table_of_tests(observed)
    test_seconds = time.process_time() - begin
    answers = sum(sum(one.outcomes().values()) for one in observed)
    good = plan_seconds < PLANNED_SECONDS and plan_memory < MEMORY_MB and test_seconds < TESTED_SECONDS
    print(f"planned: {len(plans)} studies, {people:,} participants, {trials:,} first messages written")
    print(
        f"  {plan_seconds:.2f} s (wanted < {PLANNED_SECONDS:g} s), "
        f"{plan_memory:.0f} MB (wanted < {MEMORY_MB} MB)"
    )
    print(f"read and tested: {len(replies):,} replies, {answers:,} answers, {len(table.rows)} tests")
    print(f"  {test_seconds:.2f} s (wanted < {TESTED_SECONDS:g} s), {memory_mb():.0f} MB at the end")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
