"""How large a JSON document may be before it is parsed."""

from concord.errors import FileFormatError
from concord.files import limits


def check_json_size(name: str, text: str) -> None:
    """Refuse a document whose values would fill the memory, before it is parsed."""
    containers, values = text.count("{") + text.count("["), text.count(",")
    for count, limit, what in (
        (containers, limits.JSON_CONTAINERS, "objects and lists"),
        (values, limits.JSON_VALUES, "values"),
    ):
        if count > limit:
            raise FileFormatError(f"{name}: {count:,} {what}, expected at most {limit:,}; split the document")
