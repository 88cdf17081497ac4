"""Groups as runs of the last axis."""

import numpy as np
import pytest

from concord.errors import OptionError
from concord.stats.pooling import group_starts, mean_groups


def test_a_run_ends_where_any_key_changes() -> None:
    assert group_starts(["a", "a", "b", "b", "b"]).tolist() == [0, 2]
    assert group_starts([0, 0, 1, 1, 1], [0, 0, 0, 1, 1]).tolist() == [0, 2, 3]
    assert group_starts([]).tolist() == []


def test_keys_of_different_lengths_are_refused() -> None:
    with pytest.raises(OptionError, match="of one length"):
        group_starts([0, 0], [0])
    with pytest.raises(OptionError, match="one-dimensional"):
        group_starts([[0, 0]])


def test_means_leave_out_what_is_undefined_and_keep_empty_groups_undefined() -> None:
    values = np.array([[1.0, np.nan, 6.0, np.nan], [2.0, 4.0, np.nan, np.nan]])
    means = mean_groups(values, [0, 2, 3])
    np.testing.assert_array_equal(means, [[1.0, 6.0, np.nan], [3.0, np.nan, np.nan]])


@pytest.mark.parametrize("starts", [[], [1, 2], [0, 2, 2], [0, 3, 1], [0, 4], [[0, 1]]])
def test_starts_that_reduceat_would_misread_are_refused(starts: list[int]) -> None:
    with pytest.raises(OptionError, match="rise from 0 inside the 4 units"):
        mean_groups([1.0, 2.0, 3.0, 4.0], starts)
