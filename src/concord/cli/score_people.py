"""`concord score people`."""


def score_people() -> None:
    """Not written yet."""
