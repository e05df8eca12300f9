"""leastnoise with its default mechanisms and missing="none".

Quantiles are released under add-remove, means and variances under replace-one.
"""

from fractions import Fraction
from statistics import fmean

from child import run

import leastnoise as ln
from leastnoise.session.prepare import choose_mechanism
from leastnoise.session.profiles import expected_error
from leastnoise.testing import simulate

# Releases of an error that no law gives.
DRAWS = 300

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
    one_release = release(statistic, relation, more)

    def one(x, bounds, epsilon):
        asked = statistic(bounds=bounds, missing="none", **more)
        profile = ln.profile(asked, x, relation=relation)
        default = choose_mechanism(None, asked, relation)
        if isinstance(default, ln.PrivateLimits):  # limits are released first: no law of the answer
            truth = float(Fraction(profile.value))
            with simulate(f"{statistic.__name__} {bounds} {epsilon}"):
                drawn = [one_release(x, bounds, epsilon) for _ in range(DRAWS)]
            return fmean(abs(each - truth) for each in drawn)
        return expected_error(default, profile, epsilon)

    return one


run(
    {name: release(*asked) for name, asked in ASKED.items()},
    {name: error(*asked) for name, asked in ASKED.items()},
)
