"""leastnoise with its default mechanisms and missing="none".

Quantiles are released under add-remove, means and variances under replace-one.
"""

from child import run

import leastnoise as ln
from leastnoise.session.accuracy import expected_error
from leastnoise.session.prepare import choose_mechanism

ASKED = {
    "median": (ln.Median, "add-remove", {}),
    "quantile": (ln.Quantile, "add-remove", {"q": "0.9"}),
    "mean": (ln.Mean, "replace-one", {}),
    "variance": (ln.Variance, "replace-one", {}),
}


def release(statistic, relation, more):
    def one(x, bounds, epsilon):
        asked = statistic(bounds=bounds, missing="none", **more)
        return ln.release(asked, x, epsilon=epsilon, relation=relation).value

    return one


def error(statistic, relation, more):
    def one(x, bounds, epsilon):
        asked = statistic(bounds=bounds, missing="none", **more)
        default = choose_mechanism(None, asked, relation)
        return expected_error(default, ln.profile(asked, x, relation=relation), epsilon)

    return one


run(
    {name: release(*asked) for name, asked in ASKED.items()},
    {name: error(*asked) for name, asked in ASKED.items()},
)
