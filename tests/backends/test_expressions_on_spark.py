"""Values worked out by row in Spark, by itself: no mutation needs Spark to be seen."""

from __future__ import annotations

import pytest

from support.expressions import check_engine


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("label", ["spark"])
def test_spark_gives_what_a_row_alone_gives(label: str, seed: int) -> None:
    """And one changed row changes what it gives itself, and nothing else."""
    check_engine(label, seed)
