"""Privacy of what black boxes release: noise for vectors, Bernstein, blocks, by enumeration."""

from collections import Counter
from dataclasses import replace
from fractions import Fraction
from itertools import product
from math import exp, sqrt

import numpy as np
import pytest
from scipy.stats import chisquare, norm

import leastnoise as ln
from leastnoise import audit, geometry
from leastnoise.blackbox import respond
from leastnoise.blackbox.forms import stacked
from leastnoise.blackbox.tables import as_records
from leastnoise.errors import ParameterError
from leastnoise.frames.blocks import block_maker
from leastnoise.laws import DiscreteLaplaceLaw
from leastnoise.mechanisms.gaussian_calibration import (
    concentrated_variance,
    discrete_variance,
    normal_delta,
    normal_ratio,
)
from leastnoise.mechanisms.vector_noise import needed_norm, vector_noise
from leastnoise.randomness import HashedBits, simulation
from leastnoise.sampling import discrete_laplace
from leastnoise.sampling.discrete import sup_norm_noise
from leastnoise.sampling.rounded_gaussian import rounded_gaussian
from leastnoise.testing import outcomes, simulate
from leastnoise.testing.scripted import LENGTH, ScriptedBits

F = Fraction


# --- rounded normal noise -------------------------------------------------------------------------


@pytest.mark.parametrize("sigma", [F(1, 5), F(7, 3), F(10**12, 7)])
def test_rounded_gaussian_follows_its_law(sigma):
    source = HashedBits(b"normal")
    drawn = np.array([rounded_gaussian(sigma, source) for _ in range(8000)], dtype=float)
    edges = np.unique(np.floor(np.linspace(-2.2, 2.2, 19) * float(sigma))) + 0.5
    cells = np.diff(np.concatenate([[0], norm.cdf(edges / float(sigma)), [1]]))
    counts = np.histogram(drawn, np.concatenate([[-np.inf], edges, [np.inf]]))[0]
    assert chisquare(counts, cells * 8000).pvalue > 1e-3


@pytest.mark.parametrize("whole", [0, 1, 3])
@pytest.mark.parametrize("side", [0, 1])
def test_rounded_gaussian_decides_by_the_exact_real_number(whole, side):
    """X stands 2^-120 beside the edge between two lattice points; both sides are told apart."""
    sigma = F(10)
    # k = 0: sigma X = whole + 1/2 exactly at the edge
    edge = (F(2 * whole + 1, 2) / sigma) * 2**LENGTH
    u = int(edge) + (1 if side else -1) * 2 ** (LENGTH - 120)
    # the coin that ends k fails (ones), X's own coin succeeds (zeros), and the sign is drawn
    # between the first 64 bits of X and the others
    first, others = u >> (LENGTH - 64), u % 2 ** (LENGTH - 64)
    script = ((2**64 - 1) << 64) << 64 | first
    script = (script << 1) << (LENGTH - 64) | others
    source = ScriptedBits(script, 128 + 1 + LENGTH)
    assert rounded_gaussian(sigma, source) == whole + side


def test_rounded_gaussian_domain():
    with pytest.raises(ValueError, match="sigma"):
        rounded_gaussian(F(0), HashedBits(b""))


def test_vector_of_normal_noise_keeps_its_delta():
    """Normal noise is spherical, so a vector's delta is that of its length."""
    ratio = normal_ratio(F(1), F(1, 10**5))
    assert F(normal_delta(ratio, F(1), 200), 2**200) <= F(1, 10**5)
    draw = vector_noise(ln.Gaussian(delta="1e-5"), 3, F(1000), F(1))
    source = HashedBits(b"v")
    sample = np.array([draw(source) for _ in range(3000)])
    assert sample.std() == pytest.approx(float(ratio) * 1000, rel=0.03)
    assert abs(np.corrcoef(sample.T) - np.eye(3)).max() < 0.08


@pytest.mark.parametrize("epsilon", [F(1, 2), F(2)])
def test_discrete_gaussian_vectors_keep_delta(epsilon):
    """All shifts of length <= Delta_2 on a plane: the exact hockey-stick of two coordinates."""
    delta = F(1, 100)
    variance = float(concentrated_variance(epsilon, delta, F(2)))
    reach = int(12 * sqrt(variance)) + 3
    k = np.arange(-reach, reach + 1)
    p = np.exp(-(k**2) / (2 * variance))
    p /= p.sum()
    joint = np.outer(p, p)
    worst = 0.0
    for a, b in product(range(3), repeat=2):
        if a * a + b * b <= 4:
            moved = np.zeros_like(joint)
            moved[a:, b:] = joint[: len(k) - a, : len(k) - b]
            worst = max(worst, np.maximum(0, moved - exp(epsilon) * joint).sum())
    assert worst <= float(delta)
    # noise for half the sensitivity is not enough
    half = float(concentrated_variance(epsilon, delta, F(1)))
    thin = np.exp(-(k**2) / (2 * half))
    moved = np.exp(-((k - 2) ** 2) / (2 * half))
    assert np.maximum(0, (moved - exp(epsilon) * thin) / thin.sum()).sum() > float(delta)


def test_one_number_gets_the_discrete_law_of_its_own():
    source = HashedBits(b"one")
    for mechanism in (ln.Gaussian(delta="1e-3"), ln.DiscreteGaussian(delta="1e-3")):
        draw = vector_noise(mechanism, 1, F(31, 10), F(1))
        variance = discrete_variance(F(1), F(1, 1000), 3)
        sample = np.array([draw(source)[0] for _ in range(3000)])
        assert sample.std() == pytest.approx(sqrt(variance), rel=0.05)


# --- answers that are cut -------------------------------------------------------------------------

SLANTED = geometry.Polytope(facets=[(1, -1), ("1/100", "1/100")])


def moved_together(records):
    """Neighbours differ by (50, 50), which has norm 1; cut to (0, 100) by (50, 40): norm 10."""
    return [records[0], records[0] + 60]


@pytest.mark.parametrize("bounds", [None, (0, 100)])
def test_a_cut_in_a_norm_that_is_not_orthant_monotone_is_seen(bounds, monkeypatch):
    if bounds is not None:
        monkeypatch.setattr(geometry.Polytope, "orthant_monotone", True)
    box = ln.BlackBox(moved_together, sensitivity=1, norm=SLANTED, dimension=2, bounds=bounds)

    def gap(record):
        first, second = box.respond([record], epsilon=1, mechanism=ln.KNorm(SLANTED)).value
        return first - second

    with simulate(1):
        report = audit.statistical(gap, 0, 50, claimed=1, draws=600)
    assert report.passed == (bounds is None), report


# --- sup-norm noise and Bernstein -----------------------------------------------------------------


def test_sup_norm_noise_is_its_law_exactly():
    """P(v) from the sampler's own steps, summed over cubes, falls by exp(-rate) a step."""
    d, rate = 3, 0.5
    kept = []
    for r in range(200):
        ways, accept = 1.0, 1.0
        for i in range(1, d + 1):
            ways *= (r + i) / i
            accept *= (2 * r + 1) / (2 * r + 2 * i)
        kept.append(ways * exp(-rate * r) * accept / (2 * r + 1) ** d)
    for size in range(6):
        assert sum(kept[size + 1 :]) / sum(kept[size:]) == pytest.approx(exp(-rate), rel=1e-12)


def test_sup_norm_noise_follows_its_law():
    source = HashedBits(b"cube")
    drawn = Counter(tuple(sup_norm_noise(2, F(1), source)) for _ in range(20_000))
    points = list(product(range(-6, 7), repeat=2))
    weights = np.array([exp(-max(abs(a), abs(b))) for a, b in points])
    # all of the plane: the ring of radius r has 8 r points
    total = 1 + sum(8 * r * exp(-r) for r in range(1, 60))
    near = [i for i, (a, b) in enumerate(points) if max(abs(a), abs(b)) <= 2]
    expected = 20_000 * weights[near] / total
    counts = [drawn[points[i]] for i in near]
    rest = 20_000 - sum(counts)
    assert chisquare([*counts, rest], [*expected, 20_000 - expected.sum()]).pvalue > 1e-3


def test_sup_norm_domain():
    for d, rate in ((0, F(1)), (1, F(0))):
        with pytest.raises(ValueError, match="dimension"):
            sup_norm_noise(d, rate, HashedBits(b""))


def curve(data) -> tuple[int, int, int]:
    """Three values of a function of the data, each moved by at most 2 by one record."""
    return sum(data), sum(x // 2 for x in data), 2 * sum(x > 0 for x in data)


def exponents(kind, values, sensitivity, epsilon):
    """Exact exponents of the released lattice values on a window; one shape for every centre."""
    rate = epsilon / sensitivity
    window = range(-1, 7)
    table = {}
    for y in product(window, repeat=3):
        gaps = [abs(a - b) for a, b in zip(y, values, strict=True)]
        table[y] = rate * max(gaps) if kind == "linf" else rate / 3 * sum(gaps)
    return table


def loss(kind, sensitivity, epsilon):
    """The largest difference of exponents over neighbours; normalising sums are equal by shifts."""
    worst = F(0)
    data_sets = list(product(range(3), repeat=2))
    tables = {x: exponents(kind, curve(x), sensitivity, epsilon) for x in data_sets}
    for x, other in product(data_sets, repeat=2):
        if sum(a != b for a, b in zip(x, other, strict=True)) == 1:
            one, two = tables[x], tables[other]
            worst = max(worst, max(two[y] - one[y] for y in one))
    return worst


@pytest.mark.parametrize("kind", ["linf", "laplace"])
@pytest.mark.parametrize("epsilon", [F(1, 2), F(3)])
def test_bernstein_values_are_private(kind, epsilon):
    found = loss(kind, F(2), epsilon)
    assert found <= epsilon
    # the sup-norm noise spends all of it, independent noise only if all values move together
    assert found == epsilon if kind == "linf" else found > epsilon / 2
    assert loss(kind, F(1), epsilon) > epsilon


@pytest.mark.parametrize("kind", ["linf", "laplace"])
def test_shipped_bernstein_noise_has_exactly_this_rate(kind):
    """Draw for draw from the same bits; a rate 4 % higher gives other numbers."""
    epsilon, sensitivity, size = F(3, 2), F(10**9), 4
    mechanism = ln.Bernstein(lattice=size - 1, noise=kind)
    draw = vector_noise(mechanism, size, sensitivity, epsilon)
    share = 1 if kind == "linf" else size
    # one record moves every value by at most Delta: the sup norm, and size times it in l1
    rate = epsilon / (sensitivity * share)

    def law(rate, source):
        if kind == "linf":
            return sup_norm_noise(size, rate, source)
        p, q = rate.numerator, rate.denominator
        return [discrete_laplace(p, q, source) for _ in range(size)]

    seeds = [bytes([i]) for i in range(20)]
    assert all(draw(HashedBits(s)) == law(rate, HashedBits(s)) for s in seeds)
    assert any(draw(HashedBits(s)) != law(rate * F(26, 25), HashedBits(s)) for s in seeds)


def test_bernstein_noise_is_drawn_with_these_rates():
    source = HashedBits(b"b")
    values = 11
    one = vector_noise(ln.Bernstein(lattice=10), values, F(1000), F(1))
    other = vector_noise(ln.Bernstein(lattice=10, noise="laplace"), values, F(1000), F(1))
    ours = np.array([np.abs(one(source)).max() for _ in range(600)])
    paper = np.array([np.abs(other(source)).mean() for _ in range(600)])
    assert ours.mean() == pytest.approx(11_000, rel=0.06)  # a sum of d exponentials
    assert paper.mean() == pytest.approx(11_000, rel=0.06)  # scale Delta (k + 1) / epsilon


@pytest.mark.parametrize(
    "asked", [{"lattice": 1030}, {"lattice": 4, "order": 60}, {"lattice": 2, "dimension": 10**9}]
)
def test_curves_that_doubles_cannot_hold_are_refused_at_once(asked):
    with pytest.raises(ParameterError, match=r"at most|more than 65536"):
        ln.Bernstein(**asked)


def test_the_largest_curves_are_exact_enough():
    line = ln.Bernstein(lattice=1000)
    assert line.polynomial(line.grid[:, 0])(0.3) == pytest.approx(0.3, rel=1e-9)
    high = ln.Bernstein(lattice=60, order=32)
    assert high.polynomial(high.grid[:, 0] ** 2)(0.5) == pytest.approx(0.25, abs=1e-6)


def test_norms_that_mechanisms_need():
    assert needed_norm(ln.Laplace()) == "l1"
    assert needed_norm(ln.DiscreteGaussian(delta="1e-3")) == "l2"
    assert needed_norm(ln.PermuteAndFlip()) == "linf"
    with pytest.raises(ParameterError, match="mechanism must be"):
        needed_norm(ln.InverseSensitivity())


# --- sample and aggregate -------------------------------------------------------------------------

BOUNDS = (0, 4)


def test_noise_for_a_sensitivity_of_zero_is_seen():
    """No sampled pair has the rare record: no answer changes, and noise would have the scale 0."""
    rare = lambda data: float(2 in data)
    pairs = np.random.default_rng(0).integers(0, 2, (100, 2, 3)).tolist()
    assert max(abs(rare(x) - rare(y)) for x, y in pairs) == 0
    # more pairs, of records that hold it
    records = {"draw_record": lambda rng: int(rng.integers(3)), "n": 3, "gamma": "0.05"}
    estimate = ln.SensitivitySampler(rare, **records).estimate()
    assert 1 <= estimate.sensitivity <= 1 + F(1, 2**50)  # rounded outwards

    def law_of(data):
        (point,) = respond._on_lattice([rare(data)], estimate)
        rate = 1 / respond.lattice_sensitivity(estimate, "l1")
        return DiscreteLaplaceLaw(point, rate, estimate.step)

    common = {"universe": [0, 1, 2], "n": 3, "claim": ln.PureDP(1)}
    assert audit.exact_law(law_of, **common).passed
    # what neither the sampler gives nor a stored estimate may say
    stored = f'"sensitivity": "{estimate.sensitivity}"'
    text = estimate.to_json().replace(stored, '"sensitivity": "0"')
    with pytest.raises(ParameterError, match="sensitivity"):
        ln.SensitivityEstimate.from_json(text)
    with pytest.raises(ParameterError, match="sensitivity must be above 0"):
        replace(estimate, sensitivity=F(0))
    object.__setattr__(estimate, "sensitivity", F(0))
    report = audit.exact_law(law_of, **common)
    assert not report.passed
    assert report.lo == 1 / estimate.step  # of rounding alone: one step of noise


def answers_of(aggregate: ln.SampleAndAggregate, data: tuple) -> list[tuple[F, list]]:
    """Every way the shipped code can deal the records out, and the answers of the blocks."""
    records = as_records(list(data))

    def draw(source):
        with simulation(source):
            return tuple(aggregate._answers(len(records), block_maker(records))[:, 0].tolist())

    found = Counter()
    for weight, answers in outcomes(draw):
        found[tuple(sorted(answers))] += weight
    return [(weight, list(answers)) for answers, weight in found.items()]


def released(function, data, epsilon, *, blocks=3, deal=None):
    """The exact law of a release: one median's law for every way to deal, weighted."""
    aggregate = ln.SampleAndAggregate(function, bounds=BOUNDS, blocks=blocks, step=1)
    if deal is not None:
        aggregate._answers = lambda count, block: deal(aggregate, block(range(count)))
    median = aggregate._median(F(epsilon))
    return audit.Mixture(
        [
            (weight, ln.PiecewiseLaplace().law(ln.profile(median, np.array(answers)), epsilon))
            for weight, answers in answers_of(aggregate, data)
        ]
    )


def by_position(aggregate, data):
    """Every block takes the next two records."""
    found = np.full((aggregate.blocks, 1), aggregate.program.constant)
    for block in range(aggregate.blocks):
        if members := data[2 * block : 2 * block + 2]:
            found[block], _ = aggregate.program.run(members)
    return found


@pytest.mark.parametrize("function", [max, min, len, lambda members: 4 * (sum(members) % 2)])
@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_sample_and_aggregate_is_private(relation, function):
    """The shipped code, all of its secret choices enumerated; the order of records is no matter."""
    report = audit.exact_law(
        lambda data: released(function, data, 1),
        universe=[0, 3, 4],
        n=3,
        relation=relation,
        claim=ln.PureDP(1),
    )
    assert report.passed, report
    assert report.lo > F(1, 10) or (function is len and relation == "replace-one")


def integers(members):
    """Which records are Python's own integers: what a conversion of all of them would change."""
    return 4 * (sum(type(x) is int for x in members) % 2)


def is_list(members):
    return 4 * isinstance(members, list)


@pytest.mark.share(1 / 2)
@pytest.mark.parametrize("function", [integers, is_list, lambda members: 4 * (None in members)])
@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_records_of_mixed_types_are_private(relation, function):
    """No record decides how a program meets the others."""
    law = lambda data: released(function, data, 2)
    universe = [0, None, 2.5, "x"] if relation == "replace-one" else [0, None, 2.5]
    report = audit.exact_law(
        law, universe=universe, n=3, relation=relation, claim=ln.PureDP(2), permutations=True
    )
    assert report.passed, report


@pytest.mark.parametrize("function", [integers, is_list])
def test_a_form_that_all_records_decide_is_seen(function):
    """An array where all are numbers, else a list: one record changes every block."""

    def deal(aggregate, records):
        blocks = [stacked(records)[place : place + 1] for place in range(len(records))]
        return np.array([aggregate.program.run(block)[0] for block in blocks])

    law = lambda data: released(function, data, 2, blocks=5, deal=deal)
    report = audit.exact_law(law, universe=[0, None], n=5, claim=ln.PureDP(2))
    assert report.verdict == "VIOLATED", report


def test_blocks_by_position_are_seen():
    """A removed record shifts all others to other blocks: more than one answer moves."""
    parity = lambda members: 4 * (min(members) % 2)
    settings = {"claim": ln.PureDP(2), "n": 1, "universe": [0, 1]}
    at = lambda data: released(parity, tuple(range(data[0], 10)), 2, blocks=5, deal=by_position)
    report = audit.exact_law(at, **settings)
    assert report.verdict == "VIOLATED"
    assert report.lo > F(5, 2)


def test_blocks_that_follow_the_number_of_records_are_seen():
    """The number of blocks follows the private number of rows: one row more moves them all."""
    parity = lambda members: 4 * (min(members) % 2)
    settings = {"claim": ln.PureDP(2), "n": 2, "universe": [0, 1, 2], "relation": "add-remove"}
    of_rows = lambda data: released(parity, data, 2, blocks=7 if len(data) == 2 else 1)
    assert not audit.exact_law(of_rows, **settings).passed
    assert audit.exact_law(lambda data: released(parity, data, 2, blocks=7), **settings).passed


def test_the_order_of_records_says_nothing_about_their_blocks():
    settings = {"universe": [0, 3, 4], "n": 3, "claim": ln.PureDP(2), "permutations": True}
    assert audit.exact_law(lambda data: released(max, data, 2), **settings).passed
    report = audit.exact_law(lambda data: released(max, data, 2, deal=by_position), **settings)
    assert report.reason == "the order of the records matters"


def test_a_program_that_remembers_is_seen():
    """Once it has met a 1 it answers 4 for every later block: one record moves them all.

    Given the draws, here one record a block; the proof holds for every way to draw.
    """

    def report_of(remember):
        def deal(aggregate, data):
            met = []

            def program(members):
                met.extend(members)
                return 4 * max(met if remember else members)

            blocks = ln.SampleAndAggregate(program, bounds=BOUNDS, blocks=aggregate.blocks)
            return np.array([blocks.program.run([record])[0] for record in data[::-1]])

        return audit.exact_law(
            lambda data: released(max, data, 2, blocks=5, deal=deal),
            universe=[0, 1],
            n=5,
            claim=ln.PureDP(2),
        )

    assert report_of(remember=False).passed
    report = report_of(remember=True)
    assert report.verdict == "VIOLATED", report
