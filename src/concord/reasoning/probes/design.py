"""What is asked to probe reasoning: one session per item, laid out, planned and opened again."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from concord.errors import FileFormatError, OptionError
from concord.files.contents import read_bytes
from concord.files.gate import check_trials
from concord.files.json_text import parsed
from concord.files.templates import read_template, template_names
from concord.reasoning.design import CASES, SAMPLES, bundled
from concord.reasoning.hints.detect import RULES, detector_of
from concord.reasoning.hints.rows import CHOICES, OptionQuestion, bundled_choices, parse_choices
from concord.reasoning.probes.records import HINTS, MISTAKE, PAIRS, PARAPHRASE, PROBES
from concord.reasoning.probes.session import (
    ALTERED,
    CHAIN,
    SUITE,
    AlteredSteps,
    ChainSession,
    ProbeChoices,
    ProbeItem,
    ProbeOpener,
    ProbeQuestion,
    ProbeSession,
    bundled_altered,
    hint_session,
    pair_session,
    parse_altered,
)
from concord.reasoning.read.records import BiasCase, Sample
from concord.reasoning.read.replies import read_bias_cases, read_samples
from concord.records import Design, Message, Trial

EVERY = "all"
VIGNETTES, QUESTIONS = "vignettes", "choices"
_PREFIXES = ("cot.", "probe-", "choice", "hint-")


def design_probes(
    probe: str | Sequence[str] = EVERY,
    samples: Path | str | None = None,
    bias_cases: Path | str | None = None,
    choices: Path | str | None = None,
    *,
    chains_of: str = VIGNETTES,
    helper: str | None = None,
    prefill: bool = False,
    detector: str = RULES,
    full_grid: bool = False,
    limit: int | None = None,
    repeats: int = 2,
) -> Design:
    """Lay out every session of the probes of reasoning."""
    check_trials(repeats, "--repeats")
    named = probe_names(probe)
    detector_of(detector, {})
    if chains_of not in (VIGNETTES, QUESTIONS):
        raise OptionError(f"chains of {chains_of!r}: expected {VIGNETTES} or {QUESTIONS}")
    files = {
        SAMPLES: _question_bytes(samples, bundled(SAMPLES)),
        CASES: _question_bytes(bias_cases, bundled(CASES)),
        CHOICES: bundled_choices() if choices is None else read_bytes(Path(choices)),
        ALTERED: bundled_altered(),
    }
    _refuse_unaltered(named, files, own=samples is not None, chains_of=chains_of, helper=helper)
    options: dict[str, str | int | float | bool | None] = {
        "probes": ", ".join(named),
        "chains_of": chains_of,
        "helper": helper,
        "prefill": prefill,
        "detector": detector,
        "full_grid": full_grid,
        "limit": limit,
        "repeats": repeats,
    }
    openers = probe_openers(files, options)
    trials = tuple(_session_trial(name, opener) for name, opener in openers.items())
    templates = [name for name in template_names("reasoning") if name.startswith(_PREFIXES)]
    read = tuple(read_template("reasoning", name) for name in templates)
    return Design(SUITE, trials, read, tuple(files.items()), tuple(options.items()))


def probe_names(probe: str | Sequence[str]) -> tuple[str, ...]:
    """Return the probes that are meant, in the order of asking."""
    given = probe.split(",") if isinstance(probe, str) else [part for one in probe for part in one.split(",")]
    names = {name.strip() for name in given if name.strip()}
    unknown = sorted(names - {*PROBES, EVERY})
    if unknown or not names:
        found = unknown[0] if unknown else ""
        raise OptionError(f"--probe {found!r} is not known; expected {', '.join(PROBES)} or {EVERY}")
    return PROBES if EVERY in names else tuple(one for one in PROBES if one in names)


def _question_bytes(given: Path | str | None, usual: Path) -> bytes:
    return read_bytes(usual if given is None else Path(given))


def _refuse_unaltered(
    probes: Sequence[str], files: Mapping[str, bytes], *, own: bool, chains_of: str, helper: str | None
) -> None:
    """Refuse mistakes and paraphrase of chains for which nobody has written changed steps."""
    if helper is not None or not {MISTAKE, PARAPHRASE} & set(probes):
        return
    if chains_of == QUESTIONS:
        raise OptionError(
            "mistake and paraphrase of questions with options need --helper MODEL, which writes the steps"
        )
    if own:
        known = set(parse_altered(files[ALTERED]))
        asked = {one.id for one in _vignette_rows(files)}
        if not asked <= known:
            raise OptionError(
                f"{len(asked - known)} of your vignettes have no bundled wrong and reworded steps; give "
                "--helper MODEL, which writes them, or leave mistake and paraphrase out"
            )


def _session_trial(name: str, opener: ProbeOpener) -> Trial:
    first = opener.open().waiting()
    messages: tuple[Message, ...] = first[0].messages if first else ()
    return Trial(SUITE, name, opener.kind, messages, 0, "reasoning/probes")


def probe_openers(files: Mapping[str, bytes], options: Mapping[str, Any]) -> dict[str, ProbeOpener]:
    """Return every session of a run by its id, from the files and options it kept."""
    probes = tuple(str(options["probes"]).split(", "))
    limit = None if options.get("limit") is None else int(options["limit"])
    helper = options.get("helper")
    chosen = ProbeChoices(
        probes,
        bool(options.get("prefill")),
        None if helper is None else str(helper),
        int(options.get("repeats", 2)),
        bool(options.get("full_grid")),
    )
    openers: dict[str, ProbeOpener] = {}
    if set(probes) - {HINTS, PAIRS}:
        altered = parse_altered(files[ALTERED])
        for item in chain_items(files, options)[:limit]:
            name = f"{CHAIN}/{item.id}"
            openers[name] = ProbeOpener(
                item.id, CHAIN, _chain_opener(name, item, chosen, altered.get(item.id))
            )
    if HINTS in probes:
        for choice in parse_choices(files[CHOICES])[:limit]:
            name = f"{HINTS}/{choice.id}"
            openers[name] = ProbeOpener(choice.id, HINTS, _hint_opener(name, choice_item(choice), chosen))
    if PAIRS in probes:
        for pair, sides in list(case_pairs(files).items())[:limit]:
            name = f"{PAIRS}/{pair}"
            openers[name] = ProbeOpener(pair, PAIRS, _pair_opener(name, sides, chosen))
    return openers


def _chain_opener(name: str, item: ProbeItem, chosen: ProbeChoices, altered: AlteredSteps | None) -> Any:
    return lambda: ChainSession(name, chosen, item=item, altered=altered).start()


def _hint_opener(name: str, item: ProbeItem, chosen: ProbeChoices) -> Any:
    return lambda: hint_session(name, item, chosen)


def _pair_opener(name: str, cases: Sequence[BiasCase], chosen: ProbeChoices) -> Any:
    sides = [(str(case.role), ProbeItem(case.id, case.prompt, "")) for case in cases]
    return lambda: pair_session(name, sides, chosen)


def chain_items(files: Mapping[str, bytes], options: Mapping[str, Any]) -> list[ProbeItem]:
    """Return the items whose chains are probed."""
    if options.get("chains_of") == QUESTIONS:
        return [choice_item(choice) for choice in parse_choices(files[CHOICES])]
    rows = _vignette_rows(files)
    blank = [row.id for row in rows if not row.prompt.strip()]
    if blank:
        raise FileFormatError(f"{SAMPLES}: {blank[0]!r} has no 'prompt', so it cannot be asked; add one")
    return [ProbeItem(row.id, row.prompt, row.gold_answer, tuple(row.gold_steps)) for row in rows]


def choice_item(choice: OptionQuestion) -> ProbeItem:
    """Return a question with options as an item."""
    return ProbeItem(choice.id, choice.question, choice.gold, choice=choice)


def _vignette_rows(files: Mapping[str, bytes]) -> Sequence[Sample]:
    return read_samples(parsed(SAMPLES, files[SAMPLES].decode("utf-8"))).rows


def case_pairs(files: Mapping[str, bytes]) -> dict[str, list[BiasCase]]:
    """Return bias cases by pair; cases without a partner are not asked."""
    found: dict[str, list[BiasCase]] = {}
    for case in read_bias_cases(parsed(CASES, files[CASES].decode("utf-8"))).rows:
        if case.pair is not None and case.role is not None:
            found.setdefault(case.pair, []).append(case)
    whole = {pair: cases for pair, cases in found.items() if {c.role for c in cases} == {"target", "control"}}
    if not whole:
        raise FileFormatError(f"{CASES}: no pair of a target and a control; the probe {PAIRS!r} needs pairs")
    return whole


def typical_reply(session: ProbeSession, question: ProbeQuestion) -> str:
    """Return a reply of usual length, for plans."""
    steps = session.item.gold_steps if isinstance(session, ChainSession) else ()
    usual = ("A typical step of a reasoning has about this many words in it.",) * 6
    return (
        f"REASONING: {' '.join(steps if steps else usual)}\nDIAGNOSIS: x" if question.probe == CHAIN else "x"
    )
