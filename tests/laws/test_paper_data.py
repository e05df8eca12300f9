"""The defaults of spread on the columns of their paper: no worse than its mechanism."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import leastnoise as ln

COLUMNS = [
    ("diamonds.csv.gz", "price", (0, 50_000)),
    ("abalone.csv.gz", "rings", (0, 50)),
    ("bike_sharing_hour.csv.gz", "cnt", (0, 5000)),
    ("adult.csv.gz", "hours-per-week", (0, 168)),
    ("adult.csv.gz", "age", (0, 125)),
]


@pytest.mark.parametrize(("file", "column", "bounds"), COLUMNS, ids=lambda x: str(x))
def test_variances_of_1000_records(
    shared_data: Path, file: str, column: str, bounds: tuple[int, int]
) -> None:
    """``benchmarks/paper_metrics.py`` has more samples, metrics and epsilons."""
    values = pd.read_csv(shared_data / file)[column].to_numpy()
    statistic = ln.Variance(bounds=bounds)
    rivals = ln.AsymmetricSensitivity(scale=1), ln.InverseSensitivity()
    default = statistic.settled_mechanism("replace-one")
    for epsilon in ("1/2", 2):
        means = np.zeros(3)
        for seed in range(2):
            rows = np.random.default_rng(seed).choice(len(values), 1000, replace=False)
            p = ln.profile(statistic, values[rows])
            laws = [m.law(p, epsilon) for m in (default, *rivals)]
            means += [law.mean_absolute_error(centre=p.value) for law in laws]
        assert means[0] <= means[1:].min()
