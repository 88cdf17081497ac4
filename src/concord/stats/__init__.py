"""Numbers only: log Bayes factors, effects, agreement, pooling, intervals (numpy and scipy.special).

Array-like in, arrays out; scalar in, float out. A value that does not exist is NaN among many and an
`UndefinedError` alone; it is never replaced by 0, 0.5 or 1.

What is called alike means the same everywhere: `level` is the nominal coverage of an interval, `alpha` the
level of a test, `n` the number of items, `effect` a true mean difference, `sd` the standard deviation of an
item's difference, `clusters` labels of families of items (None: each by itself), `rng` the source of
randomness (no default: a run must be repeatable), `engine` where blocks are computed (it changes no result).
"""

from concord.engine import Engine, get_engine
from concord.stats.agreement import RegressionLine, concordance, concordance_about_zero
from concord.stats.agreement import concordance_unnormalised, hedges_g, precision_weighted_concordance
from concord.stats.agreement import weighted_pearson, weighted_regression
from concord.stats.bayes import log_bf_anova, log_bf_binomial, log_bf_bound, log_bf_chi_square_bic
from concord.stats.bayes import log_bf_regression, log_bf_t, prob_positive_binomial, prob_positive_f
from concord.stats.bayes import prob_positive_t
from concord.stats.bayes import log_bf_variance_ratio, log_bf_within
from concord.stats.bounded_means import bounded_mean
from concord.stats.clustered import MeanError, clustered_mean
from concord.stats.compare import Choices, PairedComparison, compare_items
from concord.stats.contingency import chi_square, log_bf_contingency
from concord.stats.correlation import log_bf_correlation, log_bf_correlation_wetzels
from concord.stats.correlation import prob_positive_correlation
from concord.stats.effects import cohens_d, cohens_d_se, correlation_se, correlation_z, d_from_f, d_from_f_se
from concord.stats.effects import d_from_log_odds, d_from_proportion, d_from_r, d_from_rank_biserial
from concord.stats.effects import log_odds_ratio, log_odds_ratio_se, proportion_log_odds
from concord.stats.effects import proportion_log_odds_se, proportion_se, rank_biserial, rank_biserial_se
from concord.stats.effects import z_difference
from concord.stats.equivalence import Equivalence, equivalence
from concord.stats.pvalues import p_mann_whitney_exact, p_mann_whitney_permutation, p_spearman_exact
from concord.stats.pvalues import p_spearman_exact_rho, p_wilcoxon_exact
from concord.stats.gaps import fixed_m_gap
from concord.stats.intervals import jackknife_t, wilson, wilson_clustered, wilson_interval
from concord.stats.mcnemar import McNemar, bonett_price_interval, mcnemar
from concord.stats.meta_analysis import MetaAnalysis, meta_analysis
from concord.stats.multiple import benjamini_hochberg, holm, indistinguishable
from concord.stats.pooling import calibrated_agreement, fisher_z, fisher_z_inverse, mean_groups
from concord.stats.pooling import pool_normalised, pool_normalised_groups, pool_pas, pool_pas_groups, rms_z
from concord.stats.pooling import z_agreement
from concord.stats.pooling import pas_states, pas_two_states, posterior, posterior_states, sign_split
from concord.stats.power import detectable_effect, interval_width, items_needed, power_mcnemar, power_paired
from concord.stats.power import power_two_sample
from concord.stats.power import Clusters, design_effect, power_clustered
from concord.stats.pvalues import p_binomial, p_chi_square, p_correlation, p_f, p_mann_whitney, p_t
from concord.stats.pvalues import p_variance_ratio, p_z
from concord.stats.compare import ComparedPair, ModelRanking, compare_models
from concord.stats.replication import PredictionInterval, SelectedEffect, SmallTelescope, log_bf_replication
from concord.stats.replication import replication_interval, selection_adjusted, small_telescopes
from concord.stats.resample import SignFlip, bootstrap, sign_flip
from concord.stats.skewed import SkewedMean, skewed_mean
from concord.stats.study_intervals import ecs_interval
from concord.stats.study_intervals import apr_interval, pas_interval
from concord.stats.true_effects import draw_true_effects
from concord.stats.two_rates import prob_first_rate_higher

__all__ = sorted(
    name for name, held in globals().items() if name[0] != "_" and type(held).__name__ != "module"
)
