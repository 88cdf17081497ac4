"""Twin-2K-500: the published numbers come back from the bundled answers and moments."""

import pytest

import concord


def test_median_variance_ratios_and_mean_correlations_of_the_designs() -> None:
    result = concord.score_answers("twin-2k-500-moments")
    assert len(result.agents) == 15
    ratios = {one.agent: one.overall.numbers["variance_ratio"].estimate.value for one in result.agents}
    for agent, published in (("with_reasoning", 0.440), ("GPT5", 0.400), ("empty_persona", 0.163)):
        assert ratios[agent] == pytest.approx(published, abs=0.0005), agent
    r = result.agent("full_persona_without_reasoning").overall.numbers["person_r"].estimate.value
    assert r == pytest.approx(0.208, abs=0.0005)


@pytest.mark.long
def test_the_answers_give_the_same_ratio_and_the_correlation_over_persons() -> None:
    (one,) = concord.score_answers("twin-2k-500-answers", n_resamples=20).agents
    assert one.overall.n_outcomes == 163
    assert one.overall.numbers["person_r"].estimate.value == pytest.approx(0.218, abs=0.0005)
    assert one.overall.numbers["variance_ratio"].estimate.value == pytest.approx(0.440, abs=0.0005)
