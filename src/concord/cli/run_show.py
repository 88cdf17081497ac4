"""What `concord run` shows: the plan before, outcomes and scores after."""

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from concord.asking.options import Asking
from concord.cli.shared import note, print_json, say, warn
from concord.cli.shared import show_result as show_scores
from concord.errors import ModelError, RunFolderError
from concord.number_words import grouped, in_money

if TYPE_CHECKING:
    from concord.asking.job import Job
    from concord.asking.plan import Plan, Range
    from concord.asking.runs import RunResult

SHOWN_PROMPTS = 3
_SHOWN_CHARACTERS = 4000
"""Of one message."""
_INCOMPLETE = 4


def plan_lines(job: "Job", plan: "Plan", folder: Path, *, free: bool = False) -> list[str]:
    """Say in words what a run will take."""
    stored = f", {plan.n_stored} already stored" if plan.n_stored else ""
    calls = f" ({plan.n_calls:,} calls)" if plan.n_calls != plan.n_to_ask else ""
    tokens_in, tokens_out = plan.input_tokens, plan.output_tokens
    lines = [
        f"{job.design.suite}: {plan.n_trials} trials for {job.model}{stored}; "
        f"{plan.n_to_ask} to ask{calls}, into {folder}",
        f"tokens: {about(tokens_in, 0)} in, {about(tokens_out, 0)} out",
    ]
    by = f", by {plan.n_seen} stored trials" if plan.n_seen else ", without thinking; --pilot tells it better"
    if plan.cost is not None:
        lines.append(f"cost: {about(plan.cost)}{by if plan.n_to_ask else ''}")
    elif plan.n_to_ask and not free:
        lines.append("cost: not known; give --price-in and --price-out (per million tokens) to see a range")
    if job.connection.batch:
        lines.append("sent in batches: replies come within a day; a run that is ended finds them again")
    chosen = dict(job.design.options)
    if chosen.get("persons") is not None:
        apart = f"; kept from it: {chosen['not_told']}" if chosen.get("not_told") else ""
        taking_part = f"{chosen['n_persons']} of {chosen['persons']}"
        lines.append(f"persons: {taking_part}; the model is told {chosen['told']}{apart}")
    return [*lines, *_scoring_model_lines(job, plan), *(f"warning: {one}" for one in job.design.notes)]


def about(range_: "Range", digits: int = 2) -> str:
    """Return a guess in words: the likely one, and the range behind it."""
    written = in_money if digits else grouped
    low, high, likely = (written(one) for one in (range_.low, range_.high, range_.likely))
    return f"about {likely} ({low} to {high})"


def _scoring_model_lines(job: "Job", plan: "Plan") -> list[str]:
    """Say what the model that scores the replies will be asked, where there is one."""
    scorer = str(dict(job.design.options).get("scorer", ""))
    if ":" not in scorer:
        return []
    from concord.structure.items import ITEMS
    from concord.structure.words.judged import judge_model, n_known_texts

    model = judge_model(scorer)
    if model is None:
        return []
    known = n_known_texts(dict(job.design.files)[ITEMS])
    more = f", and {known} on texts whose truth is known" if known else ""
    return [f"then the scoring model {model}: at most {plan.n_trials} calls{more}"]


def show_dry_run(job: "Job", plan: "Plan", as_json: bool, *, free: bool) -> None:
    """Show the plan and the first prompts."""
    from dataclasses import asdict

    prompts = [
        {
            "id": trial.item,
            "mode": trial.cell,
            "repeat": trial.repeat,
            "messages": list(map(asdict, trial.messages)),
        }
        for trial in job.design.trials[:SHOWN_PROMPTS]
    ]
    sent = job.sampling.sent(0)
    if as_json:
        print_json({"plan": plan.to_dict(), "sampling": sent, "first_prompts": prompts})
        return
    for line in plan_lines(job, plan, Path("(no folder: a dry run)"), free=free):
        note(line)
    say(f"sent with every prompt: {sent}")
    for trial in job.design.trials[:SHOWN_PROMPTS]:
        say(f"\n--- {trial.item}, {trial.cell}, repeat {trial.repeat} ({trial.template})")
        for message in trial.messages:
            say(f"[{message.role}]\n{_beginning(message.text)}")


def _beginning(text: str) -> str:
    """Return a text as far as it is shown, and how much of it is not."""
    left = len(text) - _SHOWN_CHARACTERS
    return text if left <= 0 else f"{text[:_SHOWN_CHARACTERS]}\n(... {left:,} more characters are not shown)"


def show_result(result: "RunResult", asking: Asking, *, several: bool = False) -> int:
    """Show what became of a run; return its exit code: 4 where trials lack a reply or none is ok."""
    from concord.asking.runs import write_logs

    counted = ", ".join(f"{n} {outcome}" for outcome, n in result.outcomes.items())
    of = f" of {result.model}" if several else ""
    note(f"{sum(result.outcomes.values())} trials{of}: {counted}")
    if said := result.answers_words():
        note(said)
    note_cut(result)
    if result.paid.calls:
        note(result.took())
    for words in result.versions:
        note(words)
    for words in result.warnings:
        note(f"warning: {words}")
    if set(result.outcomes) == {"failed"}:
        raise ModelError(f"every call failed, the last one with: {_last_error(result, 'failed')}")
    if result.stopped is not None:
        note(f"stopped: {result.stopped}")
    _show_scores(result, asking.json, full=asking.full)  # results first: what follows may fail
    if asking.inspect_log and (told := write_logs(result.folder)):
        note(f"warning: {told}")
    lacking = {name: result.outcomes[name] for name in ("failed", "not asked") if name in result.outcomes}
    if lacking:
        note("incomplete: " + ", ".join(f"{n} {name}" for name, n in lacking.items()))
    if "failed" in lacking and (error := _last_error(result, "failed")):
        note(f"the last one failed with: {error}")
    if asking.pilot and not result.outcomes.get("failed"):  # what it was to do is done
        return 0
    return _INCOMPLETE if lacking or result.stopped is not None or "ok" not in result.outcomes else 0


def _last_error(result: "RunResult", outcome: str) -> str | None:
    """Return what the provider said last of the trials with an outcome."""
    told = [row.get("error") for row in result.stored.rows if row["outcome"] == outcome]
    return next((str(error) for error in reversed(told) if error), None)


def note_cut(result: "RunResult") -> None:
    """Say how to ask again for replies that were cut, where they are more than a few."""
    from concord.show.page.context import cut_advice

    limit = result.stored.record["sampling"].get("max_tokens")
    if said := cut_advice(result.outcomes, limit if isinstance(limit, int) else None):
        note(said)


def _show_scores(result: "RunResult", as_json: bool, *, full: bool) -> None:
    if not result.outcomes.get("ok") or result.outcomes.get("not asked"):
        if as_json:
            print_json({"run": result.to_dict(), "score": None})
        note(_nothing_scored(result))
        return
    from concord.asking.recorded import write_answers

    try:
        scored = result.score()
    except RunFolderError as fault:
        write_answers(result.stored, result.folder / "results")  # what was read is worth a look
        note(str(fault))  # the run is done and kept; there is only nothing to count
        return
    scored.write(result.folder / "results")
    answers = write_answers(result.stored, result.folder / "results")
    if as_json:
        counted = {} if answers is None else answers.counted
        print_json({"run": {**result.to_dict(), **counted}, "score": scored.to_dict()})
    else:
        show_scored(scored, full=full)
    for line in () if answers is None else answers.lines:
        note(line)
    note(f"replies, log and results are in {result.folder}")
    note(f"score them again with: concord score run {result.folder}")


def _nothing_scored(result: "RunResult") -> str:
    """Say why there are no scores, and what can be done about it."""
    kept = f"what came back is in {result.folder}"
    if not result.complete or not result.outcomes:
        return f"nothing is scored yet; {kept}"
    usual = max(result.outcomes, key=lambda name: result.outcomes[name])
    error = _last_error(result, usual)
    told = "" if error is None else f"; the last one: {error}"
    again = ",".join(name for name in result.outcomes if name != "failed")
    return f"no reply can be scored{told}; {kept}; to ask anew: --again {shlex.quote(again)}"


def show_scored(scored: Any, *, full: bool = False) -> None:
    """Print the tables of a result, whichever question it answers, and what it says about its replies."""
    told, start = getattr(scored, "messages", ()), "warning: "
    warn([line.removeprefix(start) for line in told if line.startswith(start)])
    for line in told:
        if not line.startswith(start):
            note(line)
    show_scores(scored, full=full)
