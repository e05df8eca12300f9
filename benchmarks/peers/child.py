"""What every peer's script shares: jobs from standard input, answers to standard output.

A script gives ``run({name: release}, {name: error})``: a release makes one private number from
(values, bounds, epsilon), an error is its exact expected error where the law is known.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections.abc import Callable

import numpy as np

Answer = Callable[[np.ndarray, tuple[float, float], float], float]


def run(releases: dict[str, Answer], errors: dict[str, Answer]) -> None:
    """Answer every job; None where the library has none, or refuses."""
    warnings.simplefilter("ignore")
    values: dict[str, np.ndarray] = {}
    for line in sys.stdin:
        job = json.loads(line)
        answers = errors if job["what"] == "error" else releases
        answer = answers.get(job["statistic"])
        if job["file"] not in values:
            values = {job["file"]: np.load(job["file"])}  # one at a time: they are large
        try:
            found = None if answer is None else _do(job, answer, values[job["file"]])
        except Exception:
            found = None
        print(json.dumps(found), flush=True)


def _do(job: dict[str, object], answer: Answer, x: np.ndarray) -> dict[str, object]:
    found, seconds = [], []
    for _ in range(job["repeats"]):
        start = time.process_time()
        found.append(float(answer(x, tuple(job["bounds"]), job["epsilon"])))
        seconds.append(time.process_time() - start)
    return {"values": found, "seconds": min(seconds)}
