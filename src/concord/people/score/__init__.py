"""From the evidence of two sides to scores: tests, then findings, studies, domains and the benchmark."""
