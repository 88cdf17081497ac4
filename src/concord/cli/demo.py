"""`concord demo`."""


def demo() -> None:
    """Not written yet."""
