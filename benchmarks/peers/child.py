"""What every peer's script shares: jobs from standard input, values and seconds to standard output.

A script gives ``run({name: function of (values, bounds, epsilon)})``; each function makes one
private release from a numpy array and gives a number.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np

Release = Callable[[np.ndarray, tuple[float, float], float], float]


def run(releases: dict[str, Release]) -> None:
    """Answer every job; None where the library has none, or refuses."""
    warnings.simplefilter("ignore")
    values: dict[str, np.ndarray] = {}
    for line in sys.stdin:
        job = json.loads(line)
        release = releases.get(job["statistic"])
        if release is None:
            print(json.dumps(None), flush=True)
            continue
        x = values.setdefault(job["file"], np.load(job["file"]))
        found, seconds = [], []
        try:
            for _ in range(job["repeats"]):
                start = time.process_time()
                found.append(float(release(x, tuple(job["bounds"]), job["epsilon"])))
                seconds.append(time.process_time() - start)
        except Exception:
            print(json.dumps(None), flush=True)
            continue
        print(json.dumps({"values": found, "seconds": min(seconds)}), flush=True)
