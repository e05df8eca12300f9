"""Coverage, point error and width of WithInterval, and of what the literature offers.

Run: python benchmarks/with_interval.py [coverage] [widths] [counted] [draws=2000] [cells=120]

Coverage and point error in 240 cells: statistic x shape x rows x epsilon, with bounds that fit and
bounds 1,000 times too wide, ties, and both relations in turn. Given a value, the chance that an end
misses is worked out from the law of its walk, in doubles; it is averaged over draws of the value.
Means and variances have ends of noisy sums, whose misses are counted, as their errors are: in few
draws there, and in ``draws`` of a random choice of these cells, and of tables at the ends of the
range, by ``counted``.
"""

import sys
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import product
from math import ceil, exp, log

import numpy as np

import leastnoise as ln
from leastnoise.laws.nested import NestedLaw
from leastnoise.profiles import exact, on_grid
from leastnoise.randomness import HashedBits
from leastnoise.sampling.above_threshold import HeightLaw
from leastnoise.session.search.bounds_search import quantile_law
from leastnoise.session.search.ends import RankEnds, nested_law, nested_split
from leastnoise.summaries.lattice import Lattice, power_of_two_at_least
from leastnoise.summaries.ranks import rank_of
from leastnoise.summaries.records import Listed
from leastnoise.testing import simulate

MISS, VALUES, SAMPLES = Fraction(1, 20), 4, 500
# Releases without an interval, of which the error alone is wanted.
ALONE = 2000
# Errors that are said one by one, and cells where data let an interval miss hardly ever.
TIMES, NEVER = 1.25, 1e-4
STEPS = 2**30
# Those that fit, and those that are far too wide.
BOUNDS = ((-100, 200), (-50_000, 50_000))
SHAPES: dict[str, Callable] = {
    "normal": lambda rng, n: np.clip(rng.normal(50, 10, n), 0, 100),
    "lognormal": lambda rng, n: np.clip(rng.lognormal(2, 1, n), 0, 100),
    "whole numbers, ties": lambda rng, n: np.clip(np.rint(rng.normal(50, 3, n)), 0, 100),
    "two clusters": lambda rng, n: np.where(rng.random(n) < 0.5, 10.0, 90.0) + rng.normal(0, 1, n),
}
ORDERS: dict[str, Callable] = {
    "median": ln.Median,
    "0.9 quantile": partial(ln.Quantile, q="0.9"),
    "minimum": ln.Minimum,
}


def firing(law: HeightLaw) -> np.ndarray:
    """P(index i is the first to fire), and P(none) last."""
    heights = np.array([law.height(i) for i in range(law.count)], dtype=float)
    e1, e2, reach = float(law.e1), float(law.e2), int(42 / law.e1) + 2
    group = max(1, reach // 4000)
    z = np.arange(0, reach, group) + (group - 1) / 2
    weight = -np.expm1(-e1 * group) * np.exp(-e1 * (z - (group - 1) / 2))
    fire = np.exp(-e2 * np.maximum(0.0, z[:, None] + heights[None, :]))
    with np.errstate(divide="ignore"):
        quiet = np.exp(np.cumsum(np.log1p(-fire), axis=1))
    before = np.concatenate([np.ones((len(z), 1)), quiet[:, :-1]], axis=1)
    return np.append(weight @ (before * fire), weight @ quiet[:, -1]) if law.count else np.ones(1)


def nested_miss(law: NestedLaw, low: Fraction, high: Fraction) -> float:
    """The chance of an interval that does not hold what lies between both, on the lattice."""
    answers = [law._answer(i) for i in (*range(law._stream.count), None)]
    outside = [not (a <= high and low <= b) for a, b in answers]
    return float(firing(law._stream)[outside].sum())


def rank_cell(x: np.ndarray, bounds: tuple, make: Callable, relation: str, epsilon: Fraction):
    """(chance to miss, mean error of the first value, and of one without interval)."""
    statistic = make(bounds=bounds)
    beside, usual = (s.default_mechanism(relation) for s in (ln.WithInterval(statistic), statistic))
    (order,) = statistic.orders()
    step = power_of_two_at_least(Fraction(bounds[1] - bounds[0], STEPS))
    points = np.sort(np.rint(x / float(step)).astype(np.int64))
    low, high = (int(end / step) for end in bounds)
    records, lattice = Listed(points), Lattice(step, low, high)
    ends = RankEnds(order, lattice, relation, MISS, "data", "value")
    rank = rank_of(order, len(x))
    true = int(points[rank - 1])
    split = ends.split(epsilon)
    place = quantile_law(records, order, lattice, split.first, relation, beside)
    source, missed = HashedBits(repr((len(x), order)).encode()), []
    for _ in range(VALUES):
        value = place.draw(source)
        law = ends.law(records, value, split.ends, split.growth)
        lower, upper, cuts = law._lower(), law._upper(0), law.candidates
        down = np.array([cuts[i] for i in range(lower.count)] + [cuts[-1]]) > true
        up = np.array([cuts[len(cuts) - 1 - i] for i in range(upper.count)] + [cuts[0]]) < true
        missed.append(firing(lower)[down].sum() + firing(upper)[up].sum())
    alone = quantile_law(records, order, lattice, epsilon, relation, usual)
    errors = [law.mean_distance(Fraction(true)) for law in (place, alone)]
    return np.mean(missed), *(float(step) * error for error in errors)


def spread_cell(x: np.ndarray, bounds: tuple, make: Callable, relation: str, epsilon: Fraction):
    """An interquartile range: a value, and nested intervals about it."""
    statistic = make(bounds=bounds)
    profile = ln.profile(statistic, x, relation=relation)
    grid = on_grid(profile)
    mechanism = statistic.settled_mechanism(relation)
    first, walk = nested_split(epsilon)
    law = mechanism.law(profile, first)
    true = exact(profile.value) / grid.step
    source, missed = HashedBits(repr(len(x)).encode()), []
    for _ in range(VALUES):
        value = law.draw(source) * grid.step
        missed.append(nested_miss(nested_law(profile, value, walk, MISS), true - 1, true + 1))
    errors = [m.mean_absolute_error(centre=exact(profile.value)) for m in (
        law, mechanism.law(profile, epsilon))]  # fmt: skip
    return np.mean(missed), *errors


def released_cell(
    x, bounds: tuple, make: Callable, relation: str, epsilon: Fraction, draws=SAMPLES
):
    """A mean or a variance, inside limits where they are found: misses and errors are counted."""
    statistic = make(bounds=bounds)
    true = {"Mean": np.mean, "Variance": np.var}[statistic.name](np.clip(x, *bounds))
    missed, errors = [], []
    with simulate(repr((statistic.name, len(x), bounds, epsilon))):
        for _ in range(draws):
            record = ln.release(ln.WithInterval(statistic), x, epsilon=epsilon, relation=relation)
            low, high = record.interval
            missed.append(not low <= true <= high)
            errors.append(abs(record.value - true))
    with simulate(repr((statistic.name, len(x), bounds, epsilon))):
        alone = [
            abs(ln.release(statistic, x, epsilon=epsilon, relation=relation).value - true)
            for _ in range(min(draws, ALONE))
        ]
    return np.mean(missed), np.mean(errors), np.mean(alone)


SPREADS: dict[str, tuple[Callable, Callable]] = {
    "interquartile range": (spread_cell, partial(ln.InterquartileRange, missing="none")),
    "mean": (released_cell, partial(ln.Mean, missing="none")),
    "variance": (released_cell, partial(ln.Variance, missing="none")),
}


def all_cells() -> list[tuple]:
    """(what, shape and its seed, rows, epsilon, whether bounds are too wide, relation) of each."""
    kinds = [*((name, rank_cell, q) for name, q in ORDERS.items()),
             *((name, cell, make) for name, (cell, make) in SPREADS.items())]  # fmt: skip
    rows = [(n, e) for n in (20, 500, 10_000) for e in ("1/10", "1", "4")] + [(100_000, "1")]
    return [
        (kind, (shape, turn), n, e, turn % 3 == 0, ("replace-one", "add-remove")[turn % 2])
        for turn, (kind, shape, (n, e)) in enumerate(product(kinds, SHAPES, rows))
    ]


def counted(draws: int, cells: int) -> None:
    """Means and variances by many draws: a random choice of the cells, and ends of the range."""
    every = [cell for cell in all_cells() if cell[0][1] is released_cell]
    kinds = list({cell[0][0]: cell[0] for cell in every}.values())
    relations, wide = ("replace-one", "add-remove"), (False, True)
    ends = [(kind, ("whole numbers, ties", 0), 20, "1/10", far, relation)
            for kind, far, relation in product(kinds, wide, relations)]  # fmt: skip
    dice = np.random.default_rng(2000)
    chosen = [every[i] for i in dice.permutation(len(every))[: max(0, cells - len(ends))]]
    found = []
    print("| statistic | shape | rows | epsilon | bounds | relation | coverage | point error |")
    print("|---|---|---|---|---|---|---|---|")
    for (name, cell, make), (shape, seed), n, e, far, relation in [*ends, *chosen]:
        x, bounds = SHAPES[shape](np.random.default_rng(seed), n), BOUNDS[far]
        miss, error, alone = cell(x, bounds, make, relation, Fraction(e), draws)
        found.append((miss, error / max(alone, 1e-9)))
        print(f"| {name} | {shape} | {n:,} | {e} | {bounds[1] - bounds[0]:,} | {relation} "
              f"| {1 - miss:.4f} | {error / max(alone, 1e-9):.2f} |", flush=True)  # fmt: skip
    misses, ratios = np.array(found).T
    print(
        f"\n{len(found)} cells of {draws} draws: coverage {1 - misses.max():.4f} to "
        f"{1 - misses.min():.4f}, the middle one {1 - np.median(misses):.4f}; one error of a rate "
        f"of .95 is {(0.0475 / draws) ** 0.5:.4f}. Point errors: median ratio "
        f"{np.median(ratios):.2f}, {np.mean(ratios <= TIMES):.0%} at most {TIMES}, largest "
        f"{ratios.max():.2f}."
    )


def coverage() -> None:
    covered, misses, ratios, failed = [], [], [], []
    print("| statistic | shape | rows | epsilon | bounds | relation | coverage | point error |")
    print("|---|---|---|---|---|---|---|---|")
    for (name, cell, what), (shape, seed), n, e, wide, relation in all_cells():
        x = SHAPES[shape](np.random.default_rng(seed), n)
        bounds, epsilon = BOUNDS[wide], Fraction(e)
        miss, error, alone = cell(x, bounds, what, relation, epsilon)
        ratio = error / max(alone, 1e-9)
        spare = 3 * (0.0475 / SAMPLES) ** 0.5 if cell is released_cell else 0.0
        if miss > float(MISS) * (1 + 1e-9) + spare:
            raise SystemExit(f"{name}, {shape}, {n}, {e}: misses {miss:.4f}")
        ratios.append(ratio)
        if ratio > TIMES:
            failed.append((name, shape, n, e, relation, wide, ratio, error / np.std(x)))
        if n * epsilon > 500:
            covered.append(1 - miss)
            misses += [miss] if cell is not released_cell else []
        print(f"| {name} | {shape} | {n:,} | {e} | {bounds[1] - bounds[0]:,} | {relation} "
              f"| {1 - miss:.4f} | {ratio:.2f} |", flush=True)  # fmt: skip
    print(f"\nCoverage at least .95 (counted ones: within three errors of {SAMPLES} draws) in all "
          f"of {len(ratios)} cells.")  # fmt: skip
    summary(np.array(covered), np.array(misses), np.array(ratios), failed)


def summary(covered: np.ndarray, misses: np.ndarray, ratios: np.ndarray, failed: list) -> None:
    """Of cells where rows times epsilon are above 500, and the errors of all."""
    some = misses[misses > NEVER]
    print(
        f"Rows x epsilon > 500: {len(covered)} cells, geometric mean of coverages "
        f"{exp(np.mean(np.log(covered))):.4f}, the middle one {np.median(covered):.4f}."
    )
    every, likely = (exp(np.mean(np.log(np.maximum(m, 1e-12)))) for m in (misses, some))
    print(f"Misses of {len(misses)} of them are known from laws: geometric mean {every:.4f}, and "
          f"{likely:.4f} without {len(misses) - len(some)} that are below {NEVER}.")  # fmt: skip
    print(f"Point errors: median ratio {np.median(ratios):.2f}, {np.mean(ratios <= TIMES):.0%} at "
          f"most {TIMES}, largest {max(ratios):.2f}. Above it:\n")  # fmt: skip
    print(
        "| statistic | shape | rows | epsilon | relation | bounds | ratio | error in deviations |"
    )
    print("|---|---|---|---|---|---|---|---|")
    for name, shape, n, e, relation, wide, ratio, error in failed:
        print(f"| {name} | {shape} | {n:,} | {e} | {relation} | {'wide' if wide else 'fit'} "
              f"| {ratio:.2f} | {error:.2g} |")  # fmt: skip


# Widths for medians, beside what the literature offers for the statistic of the data


def exponential_pair(x: np.ndarray, bounds: tuple, rng: np.random.Generator) -> tuple:
    """Two quantiles by the exponential mechanism (Smith 2011), epsilon/2 each, at ranks so far
    from the median that the utility bound for 2**30 cells holds with .025 each."""
    shift = ceil(4 * log(2**30 / 0.025))
    return tuple(by_rank(x, bounds, len(x) // 2 + s * shift, 0.5, rng) for s in (-1, 1))


def by_rank(x: np.ndarray, bounds: tuple, rank: int, epsilon: float, rng: np.random.Generator):
    """Cells between neighbours, exp(-epsilon/2 |rank of the cell - rank|) times their width."""
    edges = np.concatenate([[bounds[0]], np.sort(x), [bounds[1]]])
    score = -epsilon / 2 * np.abs(np.arange(len(edges) - 1) - rank)
    weight = np.diff(edges) * np.exp(score - score.max())
    i = rng.choice(len(weight), p=weight / weight.sum())
    return rng.uniform(edges[i], edges[i + 1])


def binary_search(x: np.ndarray, bounds: tuple, rng: np.random.Generator) -> tuple:
    """A binary search for each end with noisy counts (Drechsler et al. 2022), 30 steps, epsilon/2
    for an end; the rank is moved by what all noises of a search stay below with .975."""
    steps, ordered = 30, np.sort(x)
    scale = steps / 0.5
    shift = scale * log(steps / 0.05)
    ends = []
    for sign in (-1, 1):
        low, high = bounds
        for _ in range(steps):
            middle = (low + high) / 2
            count = np.searchsorted(ordered, middle) + rng.laplace(scale=scale)
            low, high = (middle, high) if count < len(x) / 2 + sign * shift else (low, middle)
        ends.append((low, high)[sign > 0])
    return tuple(ends)


TRIED = (("population", "interval"), ("data", "value"), ("data", "interval"))


def widths() -> None:
    bounds, repeats = (-10_000, 10_000), 60
    print("\nMedian of normal data (deviation 10), epsilon 1, bounds 20,000 wide: mean width\n")
    names = "rows", "without privacy", "population", "data", "interval favoured"
    print("|", " | ".join((*names, "exponential pair", "binary search")), "|")
    print("|---|---|---|---|---|---|---|")
    for n in (1000, 10_000):
        rng, found = np.random.default_rng(3), {}
        for _ in range(repeats):
            x = rng.normal(0, 10, n)
            half = 1.96 * n**0.5 / 2
            ends = np.sort(x)[[int(n / 2 - half), int(n / 2 + half)]]
            found.setdefault("plain", []).append(np.ptp(ends))
            for of, favour in TRIED:
                median = ln.Median(bounds=bounds, missing="none")
                asked = ln.WithInterval(median, of=of, favour=favour)
                with simulate(f"{n}{len(found[min(found)])}"):
                    ends = ln.release(asked, x, epsilon=1).interval
                found.setdefault(f"{of} {favour}", []).append(ends[1] - ends[0])
            for method in (exponential_pair, binary_search):
                found.setdefault(method.__name__, []).append(np.ptp(method(x, bounds, rng)))
        print(f"| {n:,} | " + " | ".join(f"{np.mean(w):.3f}" for w in found.values()) + " |")
    print("\nNear a million, spread 10, 1,000 rows: width in [0, 2e6] over that about 0\n")
    rng, sizes = np.random.default_rng(4), []
    for centre, limits in ((10**6, (0, 2 * 10**6)), (0, (-(10**6), 10**6))):
        asked = ln.WithInterval(ln.Median(bounds=limits, missing="none"))
        with simulate("far"):
            made = [ln.release(asked, rng.normal(centre, 10, 1000), epsilon=1).interval
                    for _ in range(repeats)]  # fmt: skip
        sizes.append(np.mean([b - a for a, b in made]))
    print(f"{sizes[0] / sizes[1]:.2f}")
    halves(rng.normal(0, 10, 10_000))


def halves(x: np.ndarray) -> None:
    """Means and variances beside Laplace noise for their whole range, as other libraries have."""
    print("\n10,000 normal rows, deviation 10, public: half width (error of the value) by Laplace "
          "noise for the whole range, as other libraries offer, and ours\n")  # fmt: skip
    print("| statistic | bounds | epsilon | Laplace | ours | ours, interval favoured |")
    print("|---|---|---|---|---|---|")
    for make, reach, epsilon in product((ln.Mean, ln.Variance), (50, 500), (1, 4)):
        cells, true = [], {ln.Mean: np.mean, ln.Variance: np.var}[make](x)
        for mechanism, favour in ((ln.Laplace(), None), (None, None), (None, "interval")):
            inner = make(bounds=(-reach, reach), missing="none")
            asked = ln.WithInterval(inner, favour=favour)
            with simulate("spread"):
                made = [ln.release(asked, x, epsilon=epsilon, mechanism=mechanism)
                        for _ in range(20)]  # fmt: skip
            half = np.mean([(r.interval[1] - r.interval[0]) / 2 for r in made])
            cells.append(f"{half:.3g} ({np.mean([abs(r.value - true) for r in made]):.2g})")
        print(f"| {make.__name__} | +-{reach} | {epsilon} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    numbers = [int(one) for one in sys.argv[1:] if one.isdecimal()]
    many = partial(counted, *(numbers or (2000,))[:1], *(numbers[1:] or (120,)))
    parts = [one for one in sys.argv[1:] if not one.isdecimal()] or ["coverage", "widths"]
    for part in parts:
        {"coverage": coverage, "widths": widths, "counted": many}[part]()
