"""Exact selection and exact Gaussian noise: time and memory beside plain numpy, ratios in one run.

    python benchmarks/selection_and_gaussian.py

CPU time of one draw, the least of several repeats; memory is the peak of ``tracemalloc`` during it.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from timing import least, peak

import leastnoise as ln
from leastnoise.laws import DiscreteGaussianLaw
from leastnoise.mechanisms.gaussian_calibration import discrete_variance, normal_ratio
from leastnoise.mechanisms.vector_noise import vector_noise
from leastnoise.randomness import active

REPEATS = 7


def selection() -> None:
    rng = np.random.default_rng(1)
    print("one choice: milliseconds (times numpy), MiB")
    for count in (10, 1000, 100_000, 1_000_000):
        values = rng.integers(0, 1000, count)
        scores = ln.Scores(values=values, sensitivity=1)

        def plain(values: np.ndarray = values) -> int:
            weights = np.exp((values - values.max()) / 2)
            return int(rng.choice(len(weights), p=weights / weights.sum()))

        base = least(plain, REPEATS)
        row = [f"{count:>9} candidates: numpy {base * 1e3:8.3f}, {peak(plain) / 2**20:6.2f}"]
        for mechanism in (ln.Exponential(), ln.PermuteAndFlip()):

            def ours(mechanism: object = mechanism, scores: ln.Scores = scores) -> int:
                return mechanism.law(scores, 1).draw(active())

            spent = least(ours, REPEATS)
            held = peak(ours) / 2**20
            row.append(f"{mechanism.name} {spent * 1e3:8.3f} ({spent / base:5.2f} x), {held:6.2f}")
        print("; ".join(row))


def noise() -> None:
    print("\nGaussian noise at (1, 1e-6): microseconds a number, numpy's float noise beside it")
    rng = np.random.default_rng(1)
    base = least(lambda: rng.normal(), REPEATS, 2000)
    for sensitivity in (1, 1000, 2**40):
        variance = discrete_variance(Fraction(1), Fraction(1, 10**6), sensitivity)
        law = DiscreteGaussianLaw(0, variance, Fraction(1))
        spent = least(lambda law=law: law.draw(active()), REPEATS, 300)
        print(f"  discrete, sensitivity {sensitivity:>13}: {spent * 1e6:6.1f} ({base * 1e6:.2f})")
    for dimension in (10, 1000):
        draw = vector_noise(ln.Gaussian(delta="1e-6"), dimension, Fraction(2**40), Fraction(1))
        spent = least(lambda draw=draw: draw(active()), REPEATS) / dimension
        print(f"  normal, {dimension:>4} coordinates: {spent * 1e6:6.1f}")
    print("\ncalibration, milliseconds (once for each epsilon, delta and sensitivity)")
    for epsilon, delta, sensitivity in ((1, 10**6, 1), (1, 10**6, 2**40), (10, 10**5, 50)):

        def calibrate(e: int = epsilon, d: int = delta, s: int = sensitivity) -> object:
            normal_ratio.cache_clear()
            discrete_variance.cache_clear()
            return discrete_variance(Fraction(e), Fraction(1, d), s)

        spent = least(calibrate, REPEATS)
        print(f"  ({epsilon}, 1/{delta}), sensitivity {sensitivity}: {spent * 1e3:.1f}")
    classical = np.sqrt(2 * np.log(1.25e6))
    exact = float(normal_ratio(Fraction(1), Fraction(1, 10**6)))
    print(f"\nsigma at (1, 1e-6): exact {exact:.4f}, classical formula {classical:.4f}")


if __name__ == "__main__":
    selection()
    noise()
