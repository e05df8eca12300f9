"""What releases of a Spark data frame run, by its own metrics: jobs, stages, bytes to the driver.

    python benchmarks/spark_plan.py [--rows 200000] [--partitions 8]

A session on ``local[2]``, a job group for each release, and what the status store of Spark says of
its stages: how many rows they read, and the size of the results that their tasks sent here.
"""

from __future__ import annotations

import argparse
from typing import Any

import leastnoise as ln

BOUNDS = (0, 100)
STATISTICS: dict[str, Any] = {
    "Count": ln.Count(),
    "Mean": ln.Mean("x", bounds=BOUNDS),
    "Median": ln.Median("x", bounds=BOUNDS),
    "Variance": ln.Variance("x", bounds=BOUNDS),
    "InterquartileRange": ln.InterquartileRange("x", bounds=BOUNDS),
    "Quantiles, 9 orders": ln.Quantiles("x", q=[i / 10 for i in range(1, 10)], bounds=BOUNDS),
    "Histogram, 20 bins": ln.Histogram("x", bins=list(range(0, 101, 5))),
    "CountDistinct": ln.CountDistinct("k"),
    "Mean, PrivateBounds()": ln.Mean("x", bounds=ln.PrivateBounds()),
    "QuantileInterval": ln.QuantileInterval("x", bounds=BOUNDS),
}


def main() -> None:
    """Print a Markdown table."""
    from pyspark.sql import SparkSession, functions

    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=200_000)
    parser.add_argument("--partitions", type=int, default=8)
    parser.add_argument("--only", nargs="+", default=list(STATISTICS))
    options = parser.parse_args()
    builder: Any = SparkSession.builder
    spark = (
        builder.master("local[2]")
        .config("spark.ui.enabled", "false")
        .config("spark.sql.shuffle.partitions", "4")
        .getOrCreate()
    )
    context = spark.sparkContext
    context.setLogLevel("ERROR")
    frame = spark.range(options.rows, numPartitions=options.partitions).select(
        (50 + 10 * functions.randn(0)).alias("x"), (functions.col("id") % 1000).alias("k")
    )
    frame = frame.cache()
    frame.count()
    tracker, store = context.statusTracker(), context._jsc.sc().statusStore()
    print("| statistic | jobs | stages | tasks | bytes to the driver |")
    print("|---|---:|---:|---:|---:|")
    for name in options.only:
        context.setJobGroup(name, name)
        ln.release(STATISTICS[name], frame, epsilon=1)
        jobs = tracker.getJobIdsForGroup(name)
        run = {stage for job in jobs for stage in tracker.getJobInfo(job).stageIds}
        stages = [store.lastStageAttempt(stage) for stage in sorted(run)]
        ran = [stage for stage in stages if stage.numCompleteTasks()]
        tasks = sum(stage.numCompleteTasks() for stage in ran)
        size = sum(stage.resultSize() for stage in ran)
        print(f"| {name} | {len(jobs)} | {len(ran)} | {tasks} | {size:,} |", flush=True)
    spark.stop()


if __name__ == "__main__":
    main()
