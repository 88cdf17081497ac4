"""The page on limits names every limit with its value."""

from pathlib import Path

from concord import errors
from concord.files import limits

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "file-limits.md"


def test_the_page_names_every_limit_with_its_value() -> None:
    page = PAGE.read_text("utf-8")
    values = {
        name: value
        for part in (limits, errors)
        for name, value in vars(part).items()
        if name.isupper() and name[0] != "_"
    }
    assert len(values) > 15
    for name, value in values.items():
        assert any(line.startswith(f"| {value:,} |") and f"`{name}`" in line for line in page.splitlines()), (
            name
        )


def test_messages_are_cut_to_a_readable_length() -> None:
    assert len(errors.cut("x" * 10**7)) < 21_000
    assert len(errors.listed(["x" * 10**6] * 100)) < 10_000
