"""OpenDP: quantiles over 1,001 even candidates, means and variances of a table of public size.

Quantiles are add-remove (one contribution), means and variances replace-one (two in its symmetric
distance), as ours are here. The scale is found once a job by its own binary search.
"""

import opendp.prelude as dp
from child import run

dp.enable_features("contrib", "idealized-numerics", "honest-but-curious")
FLOATS = dp.atom_domain(T=float, nan=False)


def quantile(alpha):
    def one(x, bounds, epsilon):
        low, high = bounds
        candidates = [low + (high - low) * i / 1000 for i in range(1001)]
        space = dp.vector_domain(FLOATS), dp.symmetric_distance()
        measure = dp.max_divergence()

        def made(scale):
            return space >> dp.m.then_private_quantile(measure, candidates, alpha, scale)

        return made(dp.binary_search_param(made, 1, epsilon, T=float))(x)

    return one


def moment(then):
    def one(x, bounds, epsilon):
        space = dp.vector_domain(FLOATS, size=len(x)), dp.symmetric_distance()

        def made(scale):
            return space >> dp.t.then_clamp(bounds) >> then >> dp.m.then_laplace(scale)

        return made(dp.binary_search_param(made, 2, epsilon, T=float))(x)

    return one


run(
    {
        "median": quantile(0.5),
        "quantile": quantile(0.9),
        "mean": moment(dp.t.then_mean()),
        "variance": moment(dp.t.then_variance(ddof=0)),
    }
)
