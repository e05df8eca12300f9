"""PyDP, the Python face of Google's C++ library. It reads lists; converting is part of the job.

Percentiles are asked of floats: of integers it answers the lower bound.
"""

from child import run
from pydp.algorithms import laplacian


def release(kind, whole=True, **more):
    def one(x, bounds, epsilon):
        dtype = "int" if whole and x.dtype.kind == "i" else "float"
        low, high = map(int if dtype == "int" else float, bounds)
        made = kind(epsilon=epsilon, lower_bound=low, upper_bound=high, dtype=dtype, **more)
        return made.quick_result((x if dtype == "int" else x.astype(float)).tolist())

    return one


run(
    {
        "median": release(laplacian.Median),
        "quantile": release(laplacian.Percentile, whole=False, percentile=0.9),
        "mean": release(laplacian.BoundedMean, whole=False),
        "variance": release(laplacian.BoundedVariance, whole=False),
    },
    {},  # the laws of its quantiles and ratios have no closed form: its errors are measured
)
