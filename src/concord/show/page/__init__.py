"""One self-contained HTML page from result files: nothing is loaded from elsewhere."""

from concord.show.page.build import Page, make_page

__all__ = ["Page", "make_page"]
