"""Words of a reply: where it answers, which diagnoses it names, and whether it puts them forward."""
