"""Meta-analysis of differences, against metafor and clubSandwich (R); see the comment at the numbers."""

import numpy as np
import pytest

from concord.errors import OptionError, UndefinedError
from concord.stats.meta_analysis import meta_analysis

Y = [0.10, 0.45, 0.32, 0.81, -0.15, 0.60, 0.22, 0.05, 0.70, 0.38]
SE = [0.12, 0.20, 0.15, 0.25, 0.18, 0.30, 0.10, 0.22, 0.16, 0.28]
STUDY = ["a", "a", "b", "b", "b", "c", "d", "d", "e", "e"]


def test_the_mean_and_its_companions_are_metafors() -> None:
    # rma(y, sei = se, method = "REML", test = "knha") and predict(), metafor
    found = meta_analysis(Y, SE)
    interval, prediction = found.mean.interval, found.prediction
    assert interval is not None
    assert prediction is not None
    got = [found.mean.value, found.se, found.tau2, found.q, found.q_p, found.i2, interval.low, interval.high]
    wanted = [0.318197243996, 0.0935224201401, 0.050758533658, 22.8520889926, 0.00653718915954,
              0.638250723691, 0.106634831394, 0.529759656598]  # fmt: skip
    assert got == pytest.approx(wanted, rel=1e-8)
    assert found.p_value == pytest.approx(0.00784390737517, rel=1e-8)
    assert (prediction.low, prediction.high) == pytest.approx((-0.233625274497, 0.870019762489), rel=1e-8)
    assert found.n == found.n_clusters == 10


def test_the_bcg_trials_are_metafors() -> None:
    # dat.bcg, log risk ratios, REML with Knapp and Hartung
    y = [-0.88931133392, -1.5853886572, -1.3480731483, -1.44155119002, -0.217547322211, -0.786115585819,
         -1.6208982236, 0.0119523335238, -0.469417648738, -1.37134480347, -0.339358828338, 0.445913400571,
         -0.0173139482169]  # fmt: skip
    se = [0.570600354893, 0.441113501718, 0.644490469571, 0.141456819921, 0.226296646395, 0.0831000508779,
          0.472247019654, 0.0629410779842, 0.23755885684, 0.270231000466, 0.11141011611, 0.72972998102,
          0.26721650339]  # fmt: skip
    found = meta_analysis(y, se)
    got = [found.mean.value, found.se, found.tau2, found.q, found.i2]
    wanted = [-0.714532342158, 0.180791744093, 0.313243258136, 152.233008082, 0.922213845213]
    assert got == pytest.approx(wanted, rel=1e-7)


def test_shared_participants_are_clubsandwichs() -> None:
    # coef_test(rma(...), vcov = "CR2", cluster = study, test = "Satterthwaite"), clubSandwich
    found = meta_analysis(Y, SE, STUDY)
    assert (found.se, found.df, found.p_value) == pytest.approx(
        (0.0732410015859, 3.34775038406, 0.0179212564376), rel=1e-7
    )
    assert found.n_clusters == 5


def test_clusters_of_one_test_are_no_clusters_but_for_the_sandwich() -> None:
    alone = meta_analysis(Y, [0.2] * 10, range(10))
    assert (alone.se, alone.df) == pytest.approx((meta_analysis(Y, [0.2] * 10).se, 9.0))


def test_estimates_that_agree_have_no_variance_of_true_effects() -> None:
    found = meta_analysis([0.2, 0.3, 0.25], [0.2, 0.2, 0.3])
    assert found.mean.value == pytest.approx(0.25)
    assert (found.tau2, found.i2) == (0.0, 0.0)
    assert found.se == pytest.approx(0.0319801074533, rel=1e-9)


def test_missing_estimates_are_left_out_and_impossible_ones_refused() -> None:
    with_gap = meta_analysis([*Y, np.nan], [*SE, 0.1])
    assert with_gap == meta_analysis(Y, SE)
    with pytest.raises(UndefinedError, match="at least 2 estimates"):
        meta_analysis([0.1], [0.2])
    with pytest.raises(UndefinedError, match="at least 2 clusters"):
        meta_analysis(Y, SE, ["a"] * 10)
    with pytest.raises(OptionError, match="positive standard errors"):
        meta_analysis([0.1, 0.2], [0.1, 0.0])
    assert meta_analysis([0.1, 0.5], [0.1, 0.1]).prediction is None
