"""diffprivlib: bounds declared, every tool as documented."""

import numpy as np
from child import run
from diffprivlib import tools

from laws import bounded_laplace, bounded_scale, cut_laplace, exponential_over_intervals


def mean_error(x, bounds, epsilon):
    low, high = bounds
    scale = (high - low) / len(x) / epsilon
    return cut_laplace(scale, float(np.clip(x, low, high).mean()), low, high)


def variance_error(x, bounds, epsilon):
    low, high = bounds
    sensitivity = ((high - low) / len(x)) ** 2 * (len(x) - 1)
    most = (high - low) ** 2 / 4
    scale = bounded_scale(epsilon, sensitivity, most)
    return bounded_laplace(scale, float(np.clip(x, low, high).var()), 0, most)


run(
    {
        "median": lambda x, b, e: tools.median(x, epsilon=e, bounds=b),
        "quantile": lambda x, b, e: tools.quantile(x, 0.9, epsilon=e, bounds=b),
        "mean": lambda x, b, e: tools.mean(x, epsilon=e, bounds=b),
        "variance": lambda x, b, e: tools.var(x, epsilon=e, bounds=b),
    },
    {
        "median": lambda x, b, e: exponential_over_intervals(x, 0.5, e, b),
        "quantile": lambda x, b, e: exponential_over_intervals(x, 0.9, e, b),
        "mean": mean_error,
        "variance": variance_error,
    },
)
