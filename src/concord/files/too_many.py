"""Tables that hold more than can be scored are refused with what to do."""

from concord.errors import FileFormatError
from concord.files import limits


def refuse_more(count: int, most: int, what: str, place: str, advice: str) -> None:
    """Refuse a table that holds more of something than can be scored in reasonable time and memory."""
    if count > most:
        raise FileFormatError(
            f"{place}: {count:,} {what}, more than the {most:,} that are scored at once; {advice}"
        )


def refuse_models(count: int, place: str) -> None:
    """Refuse more models than can be compared in pairs."""
    refuse_more(count, limits.COMPARED_MODELS, "models", place, "leave out some of them")
