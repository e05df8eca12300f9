"""PyDP, the Python face of Google's C++ library. It reads lists; converting is part of the job."""

from child import run
from pydp.algorithms import laplacian


def release(kind, **more):
    def one(x, bounds, epsilon):
        low, high = bounds
        made = kind(epsilon=epsilon, lower_bound=low, upper_bound=high, dtype="float", **more)
        return made.quick_result(x.tolist())

    return one


run(
    {
        "median": release(laplacian.Median),
        "quantile": release(laplacian.Percentile, percentile=0.9),
        "mean": release(laplacian.BoundedMean),
        "variance": release(laplacian.BoundedVariance),
    }
)
