"""Effects as estimate and standard error: what people showed, what agents predicted."""
