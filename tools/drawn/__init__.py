"""Figures of the documentation, drawn by Concord when the site is built.

`FIGURES` maps a name to the function that draws it; a page shows a figure where it says
``<!-- figure: NAME -->``. Nothing is drawn before a page asks for it, and results are computed once.
"""

from collections.abc import Callable

from drawn import everything, itself, people, reasoning
from drawn.shared import Drawn

FIGURES: dict[str, Callable[[], Drawn]] = {
    **people.FIGURES,
    **itself.FIGURES,
    **reasoning.FIGURES,
    **everything.FIGURES,
}
