"""One self-contained HTML page from result files: nothing loaded from elsewhere, nothing computed anew."""

from concord.reports.page.build import Page, make_page

__all__ = ["Page", "make_page"]
