from pathlib import Path

import pytest
from tests.show.made_results import write_all


@pytest.fixture(scope="session")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with results of all three reports."""
    return write_all(tmp_path_factory.mktemp("results"))
