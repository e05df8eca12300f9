"""OpenDP: quantiles over even candidates, means and variances of a table of public size.

Candidates are 1,001 even ones, or all whole numbers within the bounds for whole numbers: a choice
of this benchmark, as the library asks for a list and has no default. Quantiles are add-remove (one
contribution), means and variances replace-one (two in its symmetric distance), as ours are here.
The scale is found once a job by its own binary search.
"""

import numpy as np
import opendp.prelude as dp
from child import run

from laws import noisy_best

dp.enable_features("contrib", "idealized-numerics", "honest-but-curious")


def candidates(x, bounds):
    low, high = bounds
    if x.dtype.kind == "i":
        return list(range(int(low), int(high) + 1))
    return [low + (high - low) * i / 1000 for i in range(1001)]


def quantile(alpha):
    def one(x, bounds, epsilon):
        whole = x.dtype.kind == "i"
        domain = dp.atom_domain(T=int) if whole else dp.atom_domain(T=float, nan=False)
        space = dp.vector_domain(domain), dp.symmetric_distance()
        measure = dp.max_divergence()
        points = candidates(x, bounds)

        def made(scale):
            return space >> dp.m.then_private_quantile(measure, points, alpha, scale)

        return made(dp.binary_search_param(made, 1, epsilon, T=float))(x)

    return one


def quantile_error(alpha):
    def one(x, bounds, epsilon):
        value = float(np.quantile(np.clip(x, *bounds), alpha, method="inverted_cdf"))
        return noisy_best(x, alpha, epsilon, np.array(candidates(x, bounds)), value)

    return one


def made_moment(then, x, bounds, epsilon):
    """The measurement and the scale of its Laplace noise."""
    domain = dp.atom_domain(T=float, nan=False)
    space = dp.vector_domain(domain, size=len(x)), dp.symmetric_distance()

    def made(scale):
        return space >> dp.t.then_clamp(bounds) >> then >> dp.m.then_laplace(scale)

    scale = dp.binary_search_param(made, 2, epsilon, T=float)
    return made(scale), scale


def moment(then):
    return lambda x, bounds, epsilon: made_moment(then, x, bounds, epsilon)[0](x.astype(float))


def moment_error(then):
    """The answer is not cut, so its mean error is the scale."""
    return lambda x, bounds, epsilon: made_moment(then, x, bounds, epsilon)[1]


if __name__ == "__main__":
    run(
        {
            "median": quantile(0.5),
            "quantile": quantile(0.9),
            "mean": moment(dp.t.then_mean()),
            "variance": moment(dp.t.then_variance(ddof=0)),
        },
        {
            "median": quantile_error(0.5),
            "quantile": quantile_error(0.9),
            "mean": moment_error(dp.t.then_mean()),
            "variance": moment_error(dp.t.then_variance(ddof=0)),
        },
    )
