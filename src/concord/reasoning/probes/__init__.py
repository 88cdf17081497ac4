"""Interventions on reasoning: early answers, filler, mistakes, paraphrase, counterfactual pairs."""
