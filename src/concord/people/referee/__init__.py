"""What a referee asks of an agent that stands in for people: replication, difference, selection, priors."""
