"""Coverage and width of WithInterval(..., of="population") for means and variances.

Run: python benchmarks/population_mean.py [means] [peers] [differences] [variances]

Each cell draws samples of a law whose mean, clipped to the bounds, is known, and adds the noise of
the library. Coverage is that of the t interval without privacy too: where it fails, so does ours.
"""

import sys
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import numpy as np
from scipy.special import chdtri, stdtrit

import leastnoise as ln
from leastnoise.randomness import HashedBits
from leastnoise.session.search.noisy_moments import Rates, SearchedMoments, reach
from leastnoise.session.search.noisy_sums import Of, noisy_answer
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.ranks import Run
from leastnoise.summaries.records import Listed
from leastnoise.summaries.spread import SpreadSummary
from leastnoise.testing import simulate

DRAWS, MISS, FINE = 400, Fraction(1, 20), 2**16
LAWS: dict[str, Callable] = {
    "normal": lambda rng, n: rng.normal(50, 10, n),
    "uniform": lambda rng, n: rng.uniform(0, 100, n),
    "lognormal": lambda rng, n: rng.lognormal(2, 1, n),
    "two points, .3": lambda rng, n: np.where(rng.random(n) < 0.3, 100.0, 0.0),
    "one in 1,000": lambda rng, n: np.where(rng.random(n) < 0.001, 100.0, rng.uniform(0, 1, n)),
    "zero-inflated": lambda rng, n: np.where(rng.random(n) < 0.95, 0.0, rng.exponential(20, n)),
}
ROWS = (20, 200, 2000, 100_000)


def cell(law: Callable, n: int, epsilon: str, wide: bool, turn: int) -> tuple[float, ...]:
    """(coverage, mean width over that of the t interval, coverage of the t interval)."""
    low, high = (-450, 550) if wide else (0, 100)
    lattice = Lattice(Fraction(1, FINE), low * FINE, high * FINE)
    rng, source = np.random.default_rng(turn), HashedBits(str(turn).encode())
    true = np.mean(np.clip(law(np.random.default_rng(99), 4_000_000), low, high))
    rates = Rates.of(Fraction(epsilon), lattice.width, public=turn % 2 == 0)
    z = float(stdtrit(n - 1, 1 - float(MISS) / 2))
    held, plain, widths, plain_widths = 0, 0, 0.0, 0.0
    for _ in range(DRAWS):
        x = np.rint(np.clip(law(rng, n), low, high) * FINE)
        d = x.astype(np.int64) - (low + high) * FINE // 2
        total, squares = int(d.sum()), int(np.dot(d >> 16, d >> 16)) * 2**32
        rest = d & 0xFFFF
        squares += 2 * 2**16 * int(np.dot(d >> 16, rest)) + int(np.dot(rest, rest))
        middle = (low + high) * FINE // 2
        summary = SpreadSummary(n, total + n * middle, squares + 2 * middle * total
                                + n * middle**2, lattice, (), (), Run(1, ()), 0)  # fmt: skip
        ends = SearchedMoments.draw(summary, rates, source).ends(MISS)
        a, b = (float(end) / (2 * FINE) + (low + high) / 2 for end in ends)
        half = z * np.std(x, ddof=1) / FINE / n**0.5
        held += a <= true <= b
        plain += abs(np.mean(x) / FINE - true) <= half
        widths, plain_widths = widths + b - a, plain_widths + 2 * half
    return held / DRAWS, widths / max(plain_widths, 1e-9), plain / DRAWS


def differences() -> None:
    """Of two groups of one table (private rows), by the records' own method."""
    print("\nDifference of two groups, epsilon 1, bounds 100: coverage, and width over Welch's\n")
    print("| laws | rows | coverage | width |")
    print("|---|---|---|---|")
    sizes = ((200, 200), (300, 3000), (10_000, 10_000))
    pairs = (("normal", "normal"), ("uniform", "lognormal"))
    for turn, (names, (n, m)) in enumerate(product(pairs, sizes)):
        rng, held, widths, plain = np.random.default_rng(turn), 0, [], []
        true = [np.mean(np.clip(LAWS[name](np.random.default_rng(99), 4_000_000), 0, 100))
                for name in names]  # fmt: skip
        asked = ln.WithInterval(ln.Mean("x", bounds=(0, 100)), of="population")
        for seed in range(DRAWS // 2):
            parts = [LAWS[name](rng, k) for name, k in zip(names, (n, m), strict=True)]
            table = {"x": np.concatenate(parts), "g": ["a"] * n + ["b"] * m}
            with simulate(seed), ln.open(table, relation="add-remove") as data:
                made = data.group_by({"g": ["a", "b"]}).release(asked, epsilon=1)
            low, high = made["a"].difference(made["b"]).interval
            held += low <= true[0] - true[1] <= high
            widths.append(high - low)
            plain.append(2 * 1.96 * sum(np.var(np.clip(p, 0, 100)) / len(p) for p in parts) ** 0.5)
        print(f"| {' and '.join(names)} | {n:,} and {m:,} | {2 * held / DRAWS:.3f} "
              f"| {np.mean(widths) / np.mean(plain):.2f} |", flush=True)  # fmt: skip


def noisy_variance(
    x: np.ndarray, epsilon: float, rng: np.random.Generator, bounds: tuple = (0, 100)
) -> tuple[float, float]:
    """Half of epsilon for the mean, half for the variance, each with Laplace noise for the bounds;
    the half width is what a normal law with that variance and the noise of the mean exceed with
    .05 (NOISYVAR of Du et al. 2020, with the law in place of simulated draws)."""
    n, share, width = len(x), epsilon / 2, bounds[1] - bounds[0]
    mean = np.mean(np.clip(x, *bounds)) + rng.laplace(scale=width / (n * share))
    variance = np.var(np.clip(x, *bounds), ddof=1) + rng.laplace(scale=width**2 / (n * share))
    half = reach(float(MISS), (max(0.0, variance) / n) ** 0.5, width / (n * share))
    return mean - half, mean + half


def peers() -> None:
    print("\nNormal data, bounds 100 wide, public rows: coverage and width over the t interval's\n")
    print("| rows | epsilon | noisy variance: coverage | width | ours: coverage | width |")
    print("|---|---|---|---|---|---|")
    for turn, (n, epsilon) in enumerate(product((200, 1000, 10_000), ("1/10", "1"))):
        rng, ends = np.random.default_rng(turn), []
        for _ in range(DRAWS):
            x = rng.normal(50, 10, n)
            ends.append(noisy_variance(x, float(Fraction(epsilon)), rng))
        a, b = np.array(ends).T
        plain = 2 * 10 / n**0.5 * float(stdtrit(n - 1, 1 - float(MISS) / 2))
        held, width, _ = cell(LAWS["normal"], n, epsilon, False, 2 * turn)
        print(f"| {n:,} | {epsilon} | {np.mean((a <= 50) & (b >= 50)):.3f} "
              f"| {np.mean(b - a) / plain:.2f} | {held:.3f} | {width:.2f} |")  # fmt: skip


def variances(draws: int = 2000) -> None:
    """Of a population, bounds 100 wide, public rows; beside normal theory without privacy."""
    print("\nVariances: coverage, mean width over normal theory's, and coverage of that\n")
    print("| law | rows | epsilon | coverage | width | coverage of normal theory |")
    print("|---|---|---|---|---|---|")
    fine, names = 2**10, ("normal", "uniform", "lognormal", "zero-inflated")
    lattice = Lattice(Fraction(1, fine), 0, 100 * fine)
    for turn, (name, (n, epsilon)) in enumerate(
        product(names, ((500, "1"), (5000, "1"), (5000, "4")))
    ):
        rng, source = np.random.default_rng(turn), HashedBits(f"variance {turn}".encode())
        law, of = LAWS[name], Of(MISS, public=True, population=True)
        true = np.var(np.clip(law(np.random.default_rng(99), 4_000_000), 0, 100))
        quantiles = chdtri(n - 1, np.array([1 - float(MISS) / 2, float(MISS) / 2]))
        held, plain, widths, plain_widths = 0, 0, 0.0, 0.0
        for _ in range(draws):
            x = np.sort(np.rint(np.clip(law(rng, n), 0, 100) * fine).astype(np.int64))
            sums = n, int(x.sum()), int(x @ x)
            summary = SpreadSummary(*sums, lattice, (), (), Run(1, ()), 0)
            found = noisy_answer(summary, Fraction(epsilon), of, source, Listed(x))
            held += found.low <= true <= found.high
            widths += float(found.high - found.low)
            high, low = np.var(x / fine) * n / quantiles
            plain += low <= true <= high
            plain_widths += high - low
        print(f"| {name} | {n:,} | {epsilon} | {held / draws:.3f} "
              f"| {widths / plain_widths:.2f} | {plain / draws:.3f} |", flush=True)  # fmt: skip


def means() -> None:
    print("| law | rows | epsilon | bounds | rows are | coverage | t interval's | width / t's |")
    print("|---|---|---|---|---|---|---|---|")
    for turn, (law, n, epsilon, wide) in enumerate(
        product(LAWS, ROWS, ("1/10", "1", "4"), (False, True))
    ):
        if n == ROWS[-1] and epsilon != "1":
            continue
        public = "public" if (turn + turn // 2) % 2 == 0 else "private"
        held, width, plain = cell(LAWS[law], n, epsilon, wide, turn + turn // 2)
        print(f"| {law} | {n:,} | {epsilon} | {1000 if wide else 100} | {public} | {held:.3f} "
              f"| {plain:.3f} | {width:.2f} |", flush=True)  # fmt: skip


if __name__ == "__main__":
    parts = {"means": means, "peers": peers, "differences": differences, "variances": variances}
    for part in sys.argv[1:] or parts:
        parts[part]()
