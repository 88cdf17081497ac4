"""What tests of several rooms share; only what a test asks for is loaded."""

import pytest


@pytest.fixture(scope="session")
def embedded_model() -> None:
    """Skip where the weights of the embedded model are not in the cache; checked once, when needed."""
    from concord.asking import weights

    if not weights.have_weights():
        pytest.skip(
            "no weights of the embedded model in the cache; `concord run --model local/...` gets them"
        )
