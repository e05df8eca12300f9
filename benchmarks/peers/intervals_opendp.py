"""OpenDP: means and variances with the interval that its accuracy of Laplace noise gives.

One job from standard input: a file of samples (one a row), a statistic, bounds, epsilon and the
chance to miss. The ends of every sample's interval go to standard output.
"""

import json
import sys

import numpy as np
import opendp.prelude as dp
from with_opendp import made_moment

THEN = {"mean": dp.t.then_mean(), "variance": dp.t.then_variance(ddof=0)}

for line in sys.stdin:
    job = json.loads(line)
    samples, low, high = np.load(job["file"]), *job["bounds"]
    release, scale = made_moment(THEN[job["statistic"]], samples[0], (low, high), job["epsilon"])
    reach = dp.laplacian_scale_to_accuracy(scale, job["miss"])
    values = [release(sample) for sample in samples]
    print(json.dumps([(value - reach, value + reach) for value in values]), flush=True)
