"""How variants of a study are named."""

MARK = "-variant-"
"""Between the name of a study and that of its variant."""


def base_of(study: str) -> str:
    """Return the name of the study that a variant belongs to; its own where it is none.

    Examples
    --------
    >>> base_of("framing-variant-flood"), base_of("framing")
    ('framing', 'framing')
    """
    return study.partition(MARK)[0]
