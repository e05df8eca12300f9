"""leastnoise with its defaults; quantiles add-remove, means and variances replace-one."""

from child import run

import leastnoise as ln


def release(statistic, relation, **more):
    def one(x, bounds, epsilon):
        asked = statistic(bounds=bounds, missing="none", **more)
        return ln.release(asked, x, epsilon=epsilon, relation=relation).value

    return one


run(
    {
        "median": release(ln.Median, "add-remove"),
        "quantile": release(ln.Quantile, "add-remove", q="0.9"),
        "mean": release(ln.Mean, "replace-one"),
        "variance": release(ln.Variance, "replace-one"),
    }
)
