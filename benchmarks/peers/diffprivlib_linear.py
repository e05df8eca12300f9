"""diffprivlib's linear regression for ../regression_peers.py: R2 of each fit, as JSON.

    python diffprivlib_linear.py TABLE.npz RUNS EPSILON

Columns and target are scaled to [-1, 1] by their extremes, which serves it better than its
own centring of raw units; nothing of leastnoise is imported.
"""

import json
import sys
import warnings

import numpy as np
from diffprivlib.models import LinearRegression

warnings.simplefilter("ignore")
table, runs, epsilon = np.load(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3])
X, y = (2 * (c - c.min(axis=0)) / np.ptp(c, axis=0) - 1 for c in (table["X"], table["y"]))
scores = [
    LinearRegression(epsilon=epsilon, bounds_X=(-1, 1), bounds_y=(-1, 1), random_state=seed)
    .fit(X, y)
    .score(X, y)
    for seed in range(runs)
]
print(json.dumps(scores))
