"""How many keys are shown where persons hold ten: by weights in rounds, by counts, and by MAD2R.

    python benchmarks/private_keys.py [--repeats 5]

Keys are popular by Zipf's law. "counts" gives each of the ten keys of a person a tenth of epsilon
and delta, with the greatest chance that these allow. "MAD2R" is written from the description of the
algorithm (Chen, Cohen-Addad, Epasto and Zadimoghaddam, ICML 2025), in doubles and for comparison
alone: two rounds, in each of which weights of 1/d above a limit go back to their persons, who
spread them over their own keys, and all of them are topped up to 1/sqrt(d). Its parameters are
generous: noise of both rounds by exact composition, and excess spread over d keys.
"""

from __future__ import annotations

import argparse
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

import leastnoise as ln
from leastnoise.mechanisms.gaussian_calibration import normal_ratio
from leastnoise.params import parse_delta, parse_epsilon
from leastnoise.sampling.keep import ONE, KeepChances
from leastnoise.testing import simulate

HELD = 10
CASES = [
    # persons, keys, exponent of popularity, epsilon, delta
    (20_000, 20_000, 1.0, "1", "1e-5"),
    (20_000, 20_000, 1.0, "1", "1e-9"),
    (20_000, 5_000, 0.8, "1", "1e-5"),
    (50_000, 20_000, 1.2, "1", "1e-9"),
    (50_000, 20_000, 1.0, "4", "1e-6"),
]
FIRST_ROUND = 0.1

Codes = NDArray[np.int64]


def data(persons: int, keys: int, exponent: float) -> tuple[Codes, Codes]:
    """Ten different keys of each person."""
    rng = np.random.default_rng(7)
    popular = -exponent * np.log(np.arange(1, keys + 1))
    held = [
        np.argpartition(-(popular + rng.gumbel(size=keys)), HELD)[:HELD] for _ in range(persons)
    ]
    return np.arange(persons).repeat(HELD), np.concatenate(held)


def adaptive(
    persons: Codes, keys: Codes, size: int, sigma: float, limit: float, rng: Any
) -> NDArray[np.bool_]:
    """One round of the comparison: which keys are shown."""
    held = np.bincount(persons)[persons]
    weights = 1 / held
    sums = np.bincount(keys, weights, minlength=size)
    most = limit + 2 * sigma
    back = np.where(sums > most, (sums - most) / np.maximum(sums, 1e-9), 0.0)
    returned = np.bincount(persons, weights * back[keys])[persons]
    weights = weights * (1 - back[keys]) + returned / held + 1 / np.sqrt(held) - 1 / held
    sums = np.bincount(keys, weights, minlength=size)
    return (sums > 0) & (sums + sigma * rng.standard_normal(size) > limit)


def mad2r(persons: Codes, keys: Codes, size: int, epsilon: str, delta: str, seed: int) -> int:
    """How many keys both rounds of the comparison show."""
    rng, half = np.random.default_rng(seed), parse_delta(delta) / 2
    whole = float(normal_ratio(parse_epsilon(epsilon), half))
    shown = np.zeros(size, np.bool_)
    for part in (FIRST_ROUND, 1 - FIRST_ROUND):
        sigma = whole / part**0.5
        limit = max(
            t**-0.5 - sigma * NormalDist().inv_cdf(float(half) * part / t)
            for t in range(1, HELD + 1)
        )
        left = ~shown[keys]
        _, owners = np.unique(persons[left], return_inverse=True)
        shown |= adaptive(owners, keys[left], size, sigma, limit, rng)
    return int(shown.sum())


def by_counts(keys: Codes, epsilon: str, delta: str) -> float:
    """How many keys are shown on average if each has a tenth of epsilon and delta."""
    chances = KeepChances(parse_epsilon(epsilon) / HELD, parse_delta(delta) / HELD)
    counts, times = np.unique(np.bincount(keys), return_counts=True)
    pairs = zip(counts.tolist(), times.tolist(), strict=True)
    return sum(n * chances.of(count) / ONE for count, n in pairs)


def by_weights(persons: Codes, keys: Codes, epsilon: str, delta: str, seed: int) -> int:
    """How many keys the library shows."""
    table = {"id": persons, "key": keys}
    opened = ln.open(table, unit="id", max_rows=HELD, relation="add-remove")
    with simulate(seed), opened as rows:
        return len(rows.release(ln.PrivateKeys("key", delta=delta), epsilon=epsilon).value)


def line(case: tuple[int, int, float, str, str], repeats: int) -> str:
    """One setting."""
    persons, size, exponent, epsilon, delta = case
    owners, keys = data(persons, size, exponent)
    counts = by_counts(keys, epsilon, delta)
    seeds = range(repeats)
    weights = float(np.mean([by_weights(owners, keys, epsilon, delta, seed) for seed in seeds]))
    other = float(np.mean([mad2r(owners, keys, size, epsilon, delta, seed) for seed in seeds]))
    return (
        f"| {persons} | {size} | {exponent} | {epsilon} | {delta} | {counts:.1f} | {weights:.1f} | "
        f"{other:.1f} | {weights / counts:.2f} | {weights / other:.2f} |"
    )


def main() -> None:
    """One line of a table a setting."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    names = ["persons", "keys", "exponent", "epsilon", "delta", "counts", "weights", "MAD2R"]
    print(f"| {' | '.join([*names, 'over counts', 'over MAD2R'])} |\n{'|---:' * 10}|")
    for case in CASES:
        print(line(case, repeats), flush=True)


if __name__ == "__main__":
    main()
