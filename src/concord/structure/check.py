"""Files of agreement with itself, checked: items."""

from pathlib import Path

from concord.errors import FileFormatError, OptionError
from concord.files.checked import FileCheck, FileKind


def check_items(path: Path) -> FileCheck:
    """Check a file of items."""
    from concord.structure.design import template_of
    from concord.structure.items import read_items

    try:
        found = read_items(path)
    except FileFormatError as error:
        return FileCheck(str(path), (str(error),), (), {}, kind="items")
    try:
        template_of(found)
    except OptionError as error:
        return FileCheck(str(path), (f"{path.name}: {error}",), (), {"items": len(found.items)}, kind="items")
    return FileCheck(str(path), (), (), {"items": len(found.items)}, kind="items")


FILES = (FileKind(check_items, key="items"),)
