"""What is known about memory: what a model said about a study, and original against variant."""

from dataclasses import dataclass

MEMORY, NO_SIGN, NOT_RECOGNISED, UNKNOWN = "memory", "no sign of memory", "not recognised", "not known"
"""Verdicts."""


@dataclass(frozen=True, slots=True)
class Recognition:
    """What a model said about one study, and what of it is right."""

    study: str
    recognised: bool
    """An author of the study is named."""
    year_right: bool
    n_directions: int
    """Effects whose direction is published and was asked for."""
    n_right: int
    n_unknown: int
    authors: str = ""
    """As the model gave them."""
    finding: str = ""


@dataclass(frozen=True, slots=True)
class VariantPair:
    """One study as published and in another surface, on the same findings."""

    study: str
    variant: str
    recognised: bool | None
    """None where recognition was not asked."""
    pas: float | None
    variant_pas: float | None
    ecs: float | None
    variant_ecs: float | None
    n_findings: int
