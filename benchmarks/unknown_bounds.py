"""Means and variances without any bounds: errors over many releases.

Run: python benchmarks/unknown_bounds.py [repeats]
"""

import sys
from fractions import Fraction

import numpy as np

import leastnoise as ln
from leastnoise.session.search import unknown_bounds
from leastnoise.testing import simulate

PRIVATE = ln.PrivateBounds()


def errors(make, statistic, plain, *, epsilon, repeats, relation="replace-one"):
    """|release - plain value| over fresh samples."""
    rng = np.random.default_rng(11)
    found = []
    with simulate(f"{type(statistic).__name__}{epsilon}{relation}"):
        for _ in range(repeats):
            x = make(rng)
            released = ln.release(statistic, x, epsilon=epsilon, relation=relation).value
            found.append(abs(released - plain(x)))
    return np.array(found)


def normal(rng):
    return rng.normal(50, 10, 1000)


def by_stretch(repeats: int) -> None:
    """A variance by how far the last radius is stretched; 1 is the design of errata 4.11."""
    print("variance, epsilon 1, over the variance of the data, by the stretch of the last radius")
    kinds = {
        "N(50, 10)": (normal, 100),
        "uniform": (lambda rng: rng.random(1000), 1 / 12),
        "exponential": (lambda rng: rng.exponential(10, 1000), 100),
        "lognormal": (lambda rng: rng.lognormal(3, 1, 1000), np.exp(7) * (np.e - 1)),
    }
    variance = ln.Variance(bounds=PRIVATE, missing="none")
    ours = unknown_bounds._STRETCH_SPREAD
    for stretch in ("1", "1.25", "1.35", "1.5", "1.75", "2"):
        unknown_bounds._STRETCH_SPREAD = Fraction(stretch)
        found = []
        for name, (make, size) in kinds.items():
            e = errors(make, variance, np.var, epsilon=1, repeats=repeats) / size
            found.append(f"{name} {e.mean():.4f} +- {e.std() / repeats**0.5:.4f}")
        print(f"  {stretch:5} " + "  ".join(found), flush=True)
    unknown_bounds._STRETCH_SPREAD = ours


def main(repeats: int = 1000) -> None:
    mean = ln.Mean(bounds=PRIVATE, missing="none")
    variance = ln.Variance(bounds=PRIVATE, missing="none")
    print("N(50, 10), 1,000 records, missing='none', replace-one")
    for epsilon in (1, 0.1):
        for statistic, plain in ((mean, np.mean), (variance, np.var)):
            e = errors(normal, statistic, plain, epsilon=epsilon, repeats=repeats)
            name, error = type(statistic).__name__, e.std() / repeats**0.5
            numbers = f"mean {e.mean():.3f} +- {error:.3f} median {np.median(e):.3f}"
            print(f"  {name:9} epsilon {epsilon}: {numbers}")

    print("60 normals, sigma 1e-3 to 1e4, |mu| <= 10 sigma, epsilon 1 (in sigma, sigma^2)")
    rng = np.random.default_rng(5)
    each = max(2, repeats // 50)
    means, variances = [], []
    for sigma in np.geomspace(1e-3, 1e4, 60):
        mu = rng.uniform(-10, 10) * sigma

        def make(rng, mu=mu, sigma=sigma):
            return rng.normal(mu, sigma, 1000)

        means.append(errors(make, mean, np.mean, epsilon=1, repeats=each).mean() / sigma)
        variances.append(errors(make, variance, np.var, epsilon=1, repeats=each).mean() / sigma**2)
    print(f"  mean {np.mean(means):.4f} (worst {max(means):.4f})")
    print(f"  variance {np.mean(variances):.4f} (worst {max(variances):.4f})")

    print("other data, epsilon 1: mean error, and the value released first")
    others = {
        "exponential(10)": lambda rng: rng.exponential(10, 1000),
        "20 % ties at 50": lambda rng: np.where(rng.random(1000) < 0.2, 50, normal(rng)),
        "20 % zeros": lambda rng: np.where(rng.random(1000) < 0.2, 0, normal(rng)),
        "all equal 50": lambda rng: np.full(1000, 50.0),
        "all zero": lambda rng: np.zeros(1000),
        "integers": lambda rng: np.rint(normal(rng)).astype(np.int64),
        "lognormal": lambda rng: rng.lognormal(3, 1, 1000),
    }
    for name, make in others.items():
        a = errors(make, mean, np.mean, epsilon=1, repeats=each)
        b = errors(make, variance, np.var, epsilon=1, repeats=each)
        c = errors(make, ln.Median(bounds=PRIVATE, missing="none"), np.median, epsilon=1,
                   repeats=each)  # fmt: skip
        print(f"  {name:16} mean {a.mean():.4g}  variance {b.mean():.4g}  median {c.mean():.4g}")
    for relation in ("add-remove", "edit"):
        for statistic, plain in ((mean, np.mean), (variance, np.var)):
            e = errors(normal, statistic, plain, epsilon=1, repeats=repeats // 4, relation=relation)
            print(f"  N(50, 10) {relation} {type(statistic).__name__}: {e.mean():.3f}")
    by_stretch(2 * repeats)


if __name__ == "__main__":
    main(*(int(a) for a in sys.argv[1:]))
