"""Values worked out by row in Spark, by itself: no mutation needs Spark to be seen."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from leastnoise.frames import open_table
from leastnoise.summaries.clock import Clock
from support.engines import on_engine
from support.expressions import check_engine
from support.optional import optional


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("label", ["spark"])
def test_spark_gives_what_a_row_alone_gives(label: str, seed: int) -> None:
    """And one changed row changes what it gives itself, and nothing else."""
    check_engine(label, seed)


def test_the_farthest_times_are_counted() -> None:
    """Days and intervals have parts of 32 bits in Spark, which raises where they overflow."""
    far = {"d": [date(9999, 12, 31), None], "s": [timedelta(days=10**8), None]}
    table = open_table(on_engine("spark", optional("pyarrow").table(far)))
    clocked = table.clocked({"d": Clock.LOCAL, "s": Clock.SPAN})
    seconds = [Clock.LOCAL.number(far["d"][0], "d"), 10**8 * 86_400]
    assert [clocked.column(name).values.tolist()[0] for name in far] == seconds
