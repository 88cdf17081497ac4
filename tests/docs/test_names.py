"""Names known from the research code: each is on the page, and what it points to exists."""

import importlib
import json
import re
from pathlib import Path

import pytest

import concord.stats
from concord import api

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "reference" / "names.md").read_text("utf-8")
LINES = [line for line in PAGE.splitlines() if "| `" in line]
ROWS = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in LINES]

FUNCTIONS = [
    "aggregate_finding_pas_raw",
    "aggregate_finding_pas_norm",
    "aggregate_finding_ecs",
    "aggregate_study_pas",
    "effect_to_d_equiv",
    "weighted_ccc",
    "compute_ecs_corr",
    "weighted_corr",
    "weighted_linreg",
    "fisher_z_transform",
    "fisher_z_inverse",
    "compute_n_eff_for_test",
    "add_statistical_replication_fields",
    "calculate_faithfulness_gap",
    "calculate_step_f1",
    "calculate_silent_bias_rate",
    "_is_correct_diagnosis",
    "extract_reasoning_steps",
    "normalize_text",
    "compute_token_overlap",
    "_get_unique_matches",
    "run_study_a",
]
METHODS = [
    "cohens_d_se",
    "correlation_se",
    "log_odds_ratio",
    "log_odds_ratio_se",
    "r_rb_se",
    "calculate_z_diff",
    "calculate_consistency_for_binomial",
]
FILES = [
    "detailed_stats.csv",
    "evaluation_results.json",
    "benchmark_summary.json",
    "e_perf_calculator.py",
    "r_sens_calculator.py",
    "s_cons_calculator.py",
    "data/baseline_mean/",
    "data/baseline_max/",
    "results/consistency/",
    "e_perf_results.csv",
    "r_sens_results.csv",
    "s_cons_results.csv",
    "data/openr1_psy_splits/study_a_test.json",
    "data/adversarial_bias/biased_vignettes.json",
    "results/<model>/study_a_results.json",
    "notebooks/study_a_analysis.ipynb",
]
KEYS = [
    "PAS_Raw",
    "ECS_Test",
    "Z_Diff",
    "Agent_Effect_Size",
    "Human_Effect_Size",
    "score",
    "average_ecs",
    "ecs_corr_study",
    "normalized_score",
    "ecs_strict_study",
    "ecs_strict_overall",
    "average_pas_raw",
    "average_consistency_score",
    "MIN_REASONING_TOKENS",
]
CALLS = [
    "FrequentistConsistency.cohens_d_se()",
    'model.generate(prompt, mode="cot")',
    'model.generate(prompt, mode="direct")',
    "model.generate_with_reasoning(prompt)",
]


@pytest.mark.parametrize(
    "name",
    [*(f"{name}()" for name in FUNCTIONS), *FILES, *KEYS, *CALLS],
)
def test_a_name_of_the_research_code_has_its_row(name: str) -> None:
    left = " ".join(row[0] for row in ROWS)
    assert f"`{name}`" in left


@pytest.mark.parametrize("name", METHODS)
def test_a_method_of_the_research_code_has_its_row(name: str) -> None:
    assert re.search(rf"`(?:FrequentistConsistency)?\.{name}\(\)`", PAGE)


def _answers(path: str) -> bool:
    """Whether a dotted name exists."""
    parts = path.split(".")
    for cut in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for name in parts[cut:]:
            if not hasattr(found, name):
                return False
            found = getattr(found, name)
        return True
    return False


def test_every_name_of_ours_exists() -> None:
    ours = {name for row in ROWS for name in re.findall(r"`(concord(?:\.\w+)+)", row[1])}
    assert len(ours) > 30
    assert {name for name in ours if not _answers(name)} == set()


def test_short_names_of_ours_exist() -> None:
    """`d_from_f` and its kin, which follow a full name in the same cell."""
    words = {name for row in ROWS for name in re.findall(r"`(\w+)`", row[1])}
    short = {name for name in words if name.islower() and "_" in name}
    assert {name for name in short if not hasattr(concord.stats, name)} == set()


def test_the_keys_of_the_research_code_are_in_what_is_written(tmp_path: Path) -> None:
    api.score_people(api.demo_table(), n_resamples=0, n_simulations=0).write(tmp_path)
    summary = json.loads((tmp_path / "benchmark_summary.json").read_text("utf-8"))
    study = json.loads(next(tmp_path.rglob("evaluation_results.json")).read_text("utf-8"))
    header = (tmp_path / "detailed_stats.csv").read_text("utf-8").splitlines()[0].split(",")
    written = {*header, *summary, *summary["auxiliary"], *study, *study["auxiliary"]}
    assert set(KEYS) - written == {"MIN_REASONING_TOKENS"}
