"""Every kind of test, by its name: a new one is a file and a line here."""

from concord.people.families.base import TestKind
from concord.people.families.binomial import BINOMIAL_KINDS
from concord.people.families.chi_square import CHI_SQUARE_KINDS
from concord.people.families.cochran_q import COCHRAN_KINDS
from concord.people.families.coefficient import COEFFICIENT_KINDS
from concord.people.families.correlation import CORRELATION_KINDS
from concord.people.families.f_rows import F_KINDS
from concord.people.families.fisher_exact import FISHER_KINDS
from concord.people.families.kruskal_wallis import KRUSKAL_WALLIS_KINDS
from concord.people.families.mann_whitney import MANN_WHITNEY_KINDS
from concord.people.families.p_value import P_VALUE_KINDS
from concord.people.families.t import T_KINDS
from concord.people.families.wilcoxon import WILCOXON_KINDS
from concord.people.families.z_test import Z_KINDS

KINDS: dict[str, TestKind] = {
    kind.name: kind
    for kinds in (
        T_KINDS,
        F_KINDS,
        CORRELATION_KINDS,
        CHI_SQUARE_KINDS,
        BINOMIAL_KINDS,
        MANN_WHITNEY_KINDS,
        WILCOXON_KINDS,
        Z_KINDS,
        FISHER_KINDS,
        KRUSKAL_WALLIS_KINDS,
        COCHRAN_KINDS,
        COEFFICIENT_KINDS,
        P_VALUE_KINDS,
    )
    for kind in kinds
}
TEST_TYPES = tuple(KINDS)
"""The canonical test types of a table of tests."""
