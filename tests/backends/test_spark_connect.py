"""Spark Connect: data frames of a server give what columns in memory give, draw for draw."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from support.optional import optional

# A process has one kind of Spark session, and the other tests have taken the classic one.
ASKED = """
import sys
import leastnoise as ln
from leastnoise.testing import simulate
from pyspark.sql import SparkSession

rows = [(float(i * i % 97) if i % 9 else None, "abc"[i % 3]) for i in range(400)]
memory = {"v": [v for v, _ in rows], "g": [g for _, g in rows]}
session = SparkSession.builder.remote("local[1]").config(
    "spark.sql.shuffle.partitions", "1").getOrCreate()
assert "connect" in type(session).__module__
frame = session.createDataFrame(rows, "v double, g string")
asked = {
    "rows": ln.Count("v"),
    "median": ln.Median("v", bounds=(0, 1000)),
    "mean": ln.Mean("v", bounds=(0, 1000)),
    "spread": ln.Variance("v", bounds=(0, 1000)),
    "labels": ln.Histogram("g", categories=["a", "b"]),
    "labels there": ln.CountDistinct("g"),
    "two": ln.Quantiles("v", q=[0.1, 0.9], bounds=(0, 1000)),
}
for data in (memory, frame):
    with simulate(3), ln.open(data, relation="add-remove") as opened:
        whole = opened.release(asked, epsilon=3)
        part = opened.where(ln.col("v") > 20).group_by({"g": ["a", "c"]}, other=True)
        print(whole.to_csv(), part.release({"m": asked["median"]}, epsilon=3).to_csv())
    print("NEXT")
try:
    ln.release(ln.Median("w", bounds=(0, 1)), frame, epsilon=1)
except ln.errors.SchemaError as error:
    print(error)
session.stop()
"""


@pytest.mark.nightly
def test_a_server_gives_what_columns_in_memory_give(tmp_path: Path) -> None:
    optional("pyspark")
    optional("grpc")  # of pyspark[connect]
    if shutil.which("java") is None:
        # Reason: a program that no package of Python brings
        pytest.skip("Spark needs Java, and there is none on the path")
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", ASKED],
        capture_output=True, text=True, timeout=900, check=False, cwd=tmp_path,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-2000:]
    memory, server, refused = done.stdout.split("NEXT")
    assert server.strip() == memory.strip()
    assert "'w'" in refused
