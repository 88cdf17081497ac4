"""Numbers only: log Bayes factors, effects, agreement, pooling, intervals (numpy and scipy.special).

Array-like in, arrays out; scalar in, float out. A value that does not exist is NaN among many and an
`UndefinedError` alone; it is never replaced by 0, 0.5 or 1.
"""

from concord.engine import Engine, get_engine
from concord.stats.agreement import (
    RegressionLine,
    concordance,
    concordance_about_zero,
    concordance_unnormalised,
    weighted_pearson,
    weighted_regression,
)
from concord.stats.bayes import (
    log_bf_anova,
    log_bf_binomial,
    log_bf_bound,
    log_bf_chi_square_bic,
    log_bf_regression,
    log_bf_t,
    prob_positive_binomial,
    prob_positive_f,
    prob_positive_t,
)
from concord.stats.bayes_within import log_bf_variance_ratio, log_bf_within, prob_positive_variance_ratio
from concord.stats.bounded_means import (
    bounded_bootstrap,
    bounded_mean,
)
from concord.stats.budget import BudgetSplit, Components, best_split
from concord.stats.clustered import MeanError, clustered_mean, clustered_se
from concord.stats.clustered_rates import wilson_clustered
from concord.stats.compare import Choices, PairedComparison, Verdict, compare_items, mean_estimate
from concord.stats.contingency import log_bf_contingency
from concord.stats.correlation import (
    log_bf_correlation,
    log_bf_correlation_wetzels,
    printed_correlation,
    prob_positive_correlation,
)
from concord.stats.design import PairedDesign, Pilot, assumed_design, pilot_design
from concord.stats.effects import (
    cohens_d,
    cohens_d_se,
    correlation_se,
    correlation_z,
    d_from_f,
    d_from_f_se,
    d_from_log_odds,
    d_from_proportion,
    d_from_r,
    d_from_rank_biserial,
    log_odds_ratio,
    log_odds_ratio_se,
    proportion_log_odds,
    proportion_log_odds_se,
    proportion_se,
    rank_biserial,
    rank_biserial_se,
    z_difference,
)
from concord.stats.equivalence import (
    Equivalence,
    WithinMargin,
    adjusted_margins,
    equivalence,
    equivalence_of_means,
    within_margin,
)
from concord.stats.exact_ranks import (
    p_mann_whitney_exact,
    p_mann_whitney_permutation,
    p_spearman_exact,
    p_spearman_exact_rho,
    p_wilcoxon_exact,
)
from concord.stats.flips import flip_excess
from concord.stats.gamma_ratios import gamma_ratio_cdf, gamma_ratio_quantile
from concord.stats.gaps import expected_maximum, fixed_m_gap, fixed_m_gap_binary
from concord.stats.groups import group_starts, mean_groups
from concord.stats.intervals import jackknife_t, wilson, wilson_interval
from concord.stats.mcnemar import McNemar, bonett_price_interval, mcnemar
from concord.stats.meta_analysis import MetaAnalysis, meta_analysis
from concord.stats.multiple import benjamini_hochberg, distinguishable, holm, indistinguishable
from concord.stats.order import OrderEffect, order_effect, sphericity
from concord.stats.pearson import chi_square
from concord.stats.pooling import (
    fisher_z,
    fisher_z_inverse,
    pool_normalised,
    pool_normalised_groups,
    pool_pas,
    pool_pas_groups,
)
from concord.stats.posteriors import pas_states, pas_two_states, posterior, posterior_states, sign_split
from concord.stats.power import (
    detectable_effect,
    interval_width,
    items_needed,
    power_paired,
    power_signs,
    power_two_sample,
)
from concord.stats.power_clusters import Clusters, design_effect, power_clustered
from concord.stats.power_counts import counted_interval_width, disagreements, paired_sd, power_mcnemar
from concord.stats.pvalues import (
    p_binomial,
    p_chi_square,
    p_correlation,
    p_f,
    p_mann_whitney,
    p_t,
    p_variance_ratio,
    p_z,
)
from concord.stats.ranking import ComparedPair, ModelRanking, compare_models
from concord.stats.replication import (
    InsideCount,
    PredictionInterval,
    SelectedEffect,
    SmallTelescope,
    inside_count,
    log_bf_replication,
    replication_interval,
    selection_adjusted,
    small_telescopes,
)
from concord.stats.resample import bootstrap, bootstrap_mean_interval
from concord.stats.scale_ends import ends_weight
from concord.stats.signflip import SignFlip, sign_flip
from concord.stats.skewed import SkewedMean, TailShape, skewed_mean, tail_shape
from concord.stats.study_concordance import ecs_interval
from concord.stats.study_rates import apr_interval, pas_interval
from concord.stats.true_effects import draw_true_effects
from concord.stats.two_rates import prob_first_rate_higher
from concord.stats.variance import variance_interval
from concord.stats.variants import hedges_g, precision_weighted_concordance
from concord.stats.zscores import (
    calibrated_agreement,
    calibrated_agreement_groups,
    rms_z,
    rms_z_groups,
    z_agreement,
)

__all__ = [
    "BudgetSplit",
    "Choices",
    "Clusters",
    "ComparedPair",
    "Components",
    "Engine",
    "Equivalence",
    "InsideCount",
    "McNemar",
    "MeanError",
    "MetaAnalysis",
    "ModelRanking",
    "OrderEffect",
    "PairedComparison",
    "PairedDesign",
    "Pilot",
    "PredictionInterval",
    "RegressionLine",
    "SelectedEffect",
    "SignFlip",
    "SkewedMean",
    "TailShape",
    "WithinMargin",
    "adjusted_margins",
    "tail_shape",
    "within_margin",
    "SmallTelescope",
    "Verdict",
    "apr_interval",
    "assumed_design",
    "benjamini_hochberg",
    "best_split",
    "bonett_price_interval",
    "bootstrap",
    "bootstrap_mean_interval",
    "bounded_bootstrap",
    "bounded_mean",
    "calibrated_agreement",
    "calibrated_agreement_groups",
    "chi_square",
    "clustered_mean",
    "clustered_se",
    "cohens_d",
    "cohens_d_se",
    "compare_items",
    "compare_models",
    "concordance",
    "concordance_about_zero",
    "concordance_unnormalised",
    "correlation_se",
    "correlation_z",
    "counted_interval_width",
    "d_from_f",
    "d_from_f_se",
    "d_from_log_odds",
    "d_from_proportion",
    "d_from_r",
    "d_from_rank_biserial",
    "design_effect",
    "detectable_effect",
    "disagreements",
    "distinguishable",
    "draw_true_effects",
    "ecs_interval",
    "ends_weight",
    "equivalence",
    "equivalence_of_means",
    "expected_maximum",
    "fisher_z",
    "fisher_z_inverse",
    "fixed_m_gap",
    "fixed_m_gap_binary",
    "flip_excess",
    "gamma_ratio_cdf",
    "gamma_ratio_quantile",
    "get_engine",
    "group_starts",
    "hedges_g",
    "holm",
    "indistinguishable",
    "inside_count",
    "interval_width",
    "items_needed",
    "jackknife_t",
    "log_bf_anova",
    "log_bf_binomial",
    "log_bf_bound",
    "log_bf_chi_square_bic",
    "log_bf_contingency",
    "log_bf_correlation",
    "log_bf_correlation_wetzels",
    "log_bf_regression",
    "log_bf_replication",
    "log_bf_t",
    "log_bf_variance_ratio",
    "log_bf_within",
    "log_odds_ratio",
    "log_odds_ratio_se",
    "mcnemar",
    "mean_estimate",
    "mean_groups",
    "meta_analysis",
    "order_effect",
    "p_binomial",
    "p_chi_square",
    "p_correlation",
    "p_f",
    "p_mann_whitney",
    "p_mann_whitney_exact",
    "p_mann_whitney_permutation",
    "p_spearman_exact",
    "p_spearman_exact_rho",
    "p_t",
    "p_variance_ratio",
    "p_wilcoxon_exact",
    "p_z",
    "paired_sd",
    "pas_interval",
    "pas_states",
    "pas_two_states",
    "pilot_design",
    "pool_normalised",
    "pool_normalised_groups",
    "pool_pas",
    "pool_pas_groups",
    "posterior",
    "posterior_states",
    "power_clustered",
    "power_mcnemar",
    "power_paired",
    "power_signs",
    "power_two_sample",
    "precision_weighted_concordance",
    "printed_correlation",
    "prob_first_rate_higher",
    "prob_positive_binomial",
    "prob_positive_correlation",
    "prob_positive_f",
    "prob_positive_t",
    "prob_positive_variance_ratio",
    "proportion_log_odds",
    "proportion_log_odds_se",
    "proportion_se",
    "rank_biserial",
    "rank_biserial_se",
    "replication_interval",
    "rms_z",
    "rms_z_groups",
    "selection_adjusted",
    "sign_flip",
    "sign_split",
    "skewed_mean",
    "small_telescopes",
    "sphericity",
    "variance_interval",
    "weighted_pearson",
    "weighted_regression",
    "wilson",
    "wilson_clustered",
    "wilson_interval",
    "z_agreement",
    "z_difference",
]
