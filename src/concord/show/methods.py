"""A methods paragraph for a paper, made of what a result file records."""

from collections.abc import Mapping
from typing import Any

from concord.show.citations import CONCORD, METHODS, Entry

Document = Mapping[str, Any]


def _held(document: Any, *keys: str) -> Any:
    for key in keys:
        document = document.get(key) if isinstance(document, Mapping) else None
    return document


def _how_many(value: object, one: str, many: str) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return f"an unknown number of {many}"
    return f"{value:,.0f} {one if value == 1 else many}"


def with_concord(document: Document) -> str:
    """Name Concord with the version and commit that a result records."""
    version, commit = _held(document, "concord_version"), _held(document, "commit")
    if version is None:
        version, commit = (
            _held(document, "provenance", "concord_version"),
            _held(document, "provenance", "commit"),
        )
    said = [f"version {version}"] if isinstance(version, str) else []
    said += [f"commit {commit[:10]}"] if isinstance(commit, str) and commit else []
    return f"Concord ({', '.join(said)})" if said else "Concord"


def asked_words(document: Document) -> str:
    """Say how the model was asked, as far as the result records it."""
    settings = _held(document, "model_settings")
    if not isinstance(settings, Mapping):
        return ""
    known = [f"{name.replace('_', ' ')} {value:g}" for name, value in settings.items()
             if isinstance(value, int | float) and not isinstance(value, bool)]  # fmt: skip
    model = _held(document, "model")
    who = model if isinstance(model, str) and model else "The model"
    return f" {who} was asked with {', '.join(known)}." if known else ""


def _interval_words(ends: Document) -> str:
    """Say how an interval over studies was made, in the words of a paper."""
    level, method = ends.get("level"), str(ends.get("method", ""))
    share = f"{100 * level:g} %" if isinstance(level, int | float) else "of a level that is not recorded"
    made = []
    if "jackknife-t" in method:
        scale = next((name for name in ("logit", "atanh") if f"{name} scale" in method), "")
        made.append("a jackknife-t over studies" + (f" on the {scale} scale" if scale else ""))
    if "Bayesian bootstrap" in method:
        near = ", near the ends of the scale " if made else ""
        made.append(f"{near}a Bayesian bootstrap of studies (Rubin, 1981)")
    return f"{share}, for other studies like these" + (f": {''.join(made)}" if made else "")


def people_methods(document: Document) -> str:
    """Return the paragraph about agreement with people."""
    studies = _how_many(_held(document, "n_studies"), "published study", "published studies")
    tests = _how_many(_held(document, "n_tests_scored"), "test", "tests")
    simulations = _held(document, "floor_and_ceiling", "n_simulations")
    bounds = (
        f" Floor and ceiling are means over {simulations:,} simulated agents without effects and with "
        "exactly the human effects, at the same sample sizes."
        if isinstance(simulations, int) and simulations
        else ""
    )
    ends = _held(document, "average_pas_raw_interval")
    interval = f" Intervals are {_interval_words(ends)}." if isinstance(ends, Mapping) else ""
    return (
        f"Agreement with people was scored with {with_concord(document)} under the protocol "
        f"{_held(document, 'protocol') or 'not named'}, over {studies} with {tests} scored. PAS is the "
        "probability that the test of the model and the test of people lead to the same of three conclusions "
        "(an effect upwards, none, an effect downwards), from Bayes factors with default priors (Rouder et "
        "al., 2009); ECS is Lin's (1989) concordance of effect sizes d; APR is the share of tests that pass "
        f"as replications.{interval}{bounds}{asked_words(document)}"
    )


PEOPLE_SOURCES: tuple[Entry, ...] = (
    CONCORD,
    *(METHODS[key] for key in ("rouder2009", "lin1989", "rubin1981", "holm1979")),
)
"""What each paragraph cites."""
