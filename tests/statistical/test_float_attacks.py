"""Attacks on floating-point arithmetic and on the source of noise, through whole releases.

Mironov (2012): low bits of textbook Laplace noise. Casacuberta et al. (2022): sums that depend on
the order of rows. Haney et al. (2022): lattices that move with the data.
"""

import multiprocessing
import os
import pickle
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from fractions import Fraction
from itertools import permutations
from threading import Barrier

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.mechanisms import AsymmetricSensitivity
from leastnoise.testing import simulate

BOUNDS = (-3.0, 10.0)
STATISTICS = [
    ln.Sum(bounds=BOUNDS),
    ln.Mean(bounds=BOUNDS),
    ln.Median(bounds=BOUNDS),
    ln.Quantile(bounds=BOUNDS, q="0.9"),
    ln.Maximum(bounds=BOUNDS),
    ln.InterquartileRange(bounds=BOUNDS),
]
ONE = np.array([0.1, 0.2, 1 / 3, np.pi, 5e-324, 9.999999999999998, 1e300])
OTHER = np.array([0.1, 0.2, 1 / 3, np.pi, 5e-324, -0.0, 1e300])


def mechanisms(statistic: object, relation: str) -> Iterator[object]:
    if not (isinstance(statistic, ln.Sum) and relation != "replace-one"):  # a range of 2^100 steps
        yield from (ln.PiecewiseLaplace(), ln.InverseSensitivity())
        yield ln.SmoothLaplace(delta="1e-6")
        yield AsymmetricSensitivity()
    yield ln.Laplace()


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda s: type(s).__name__)
@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_outputs_for_neighbours_lie_on_one_lattice(statistic: object, relation: str):
    for mechanism in mechanisms(statistic, relation):
        steps: set[str] = set()
        with simulate(1):
            for data in (ONE, OTHER):
                settings = {"relation": relation, "missing": "none", "mechanism": mechanism}
                record = ln.release(statistic, data, epsilon=1, **settings)
                steps.add(record.step)
                point = round(Fraction(record.value) / Fraction(record.step))
                # the released double is the one nearest to a lattice point
                assert float(point * Fraction(record.step)) == record.value
        assert len(steps) == 1


@pytest.mark.share(1 / 6)
@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda s: type(s).__name__)
def test_low_bits_never_separate_neighbours(statistic: object):
    """The same audit that refutes textbook Laplace noise with some hundred draws."""
    with simulate(2):
        release = lambda data: ln.release(statistic, data, epsilon=1, missing="none")
        report = audit.statistical(release, ONE, OTHER, claimed=1, draws=1_000)
    assert report.passed, report
    rng = np.random.default_rng(3)
    textbook = lambda data: float(np.median(np.clip(data, *BOUNDS))) + rng.laplace(scale=0.3)
    assert not audit.statistical(textbook, ONE, OTHER, claimed=1, draws=1_000).passed


ORDERED = np.array([1e16, 1.0, -1e16, 0.1, 0.2, 0.3, -0.7])


@pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
@pytest.mark.parametrize("kind", [ln.Sum, ln.Mean])
def test_sums_do_not_depend_on_the_order_of_rows(kind: type, relation: str):
    orders = [np.array(rows) for rows in permutations(ORDERED[:6])]
    assert len({float(np.cumsum(rows)[-1]) for rows in orders}) > 1  # as a running sum of doubles
    statistic = kind(bounds=(-2e16, 2e16))
    values = {
        ln.profile(statistic, rows, relation=relation, missing="none").value for rows in orders
    }
    assert len(values) == 1


def test_many_rows_sum_exactly_in_every_order():
    rng = np.random.default_rng(4)
    rows = rng.normal(size=100_000) * 10.0 ** rng.integers(-8, 2, 100_000)
    statistic = ln.Sum(bounds=(-500, 500))
    shuffled = (rng.permutation(rows) for _ in range(5))
    values = {ln.profile(statistic, data, missing="none").value for data in (rows, *shuffled)}
    assert len(values) == 1
    step = Fraction(ln.profile(statistic, rows[:1], missing="none").resolution)
    expected = sum(round(Fraction(x) / step) for x in rows.tolist()) * step
    assert values == {expected}


# --- noise is drawn afresh everywhere -------------------------------------------------------

WIDE = ln.Sum(bounds=(-(2**60), 2**60))  # noise of about 60 bits, so that a repeat is no chance
DATA = np.zeros(64, dtype=np.int64)  # the sum is cut at 32 scales of the noise


def noise(count: int = 4, statistic: ln.Sum = WIDE) -> tuple[int, ...]:
    return tuple(int(ln.release(statistic, DATA, epsilon=1).value) for _ in range(count))


def all_distinct(samples: list[tuple[int, ...]]) -> None:
    values = [value for sample in samples for value in sample]
    assert len(set(values)) == len(values)


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_noise_after_fork_is_independent():
    samples = [noise()]  # the parent's buffer of entropy is filled before it forks
    for _ in range(3):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            os.write(writer, pickle.dumps(noise()))
            os._exit(0)
        os.close(writer)
        with os.fdopen(reader, "rb") as pipe:
            samples.append(pickle.loads(pipe.read()))
        os.waitpid(child, 0)
    samples.append(noise())
    all_distinct(samples)


def test_noise_of_spawned_workers_is_independent():
    context = multiprocessing.get_context("spawn")
    with context.Pool(2) as pool:
        all_distinct([noise(), *pool.map(noise, [4, 4, 4])])


def test_noise_of_threads_is_independent():
    together = Barrier(4)

    def work() -> tuple[int, ...]:
        together.wait()
        return noise(20)

    with ThreadPoolExecutor(4) as pool:
        all_distinct([f.result() for f in [pool.submit(work) for _ in range(4)]])


def test_noise_of_pickled_copies_is_independent():
    copies = [pickle.loads(pickle.dumps(WIDE)) for _ in range(3)]
    all_distinct([noise(4, copy) for copy in copies])
    record = ln.release(WIDE, DATA, epsilon=1)
    assert pickle.loads(pickle.dumps(record)) == record


def test_noise_is_the_same_only_in_simulation():
    def simulated() -> tuple[int, ...]:
        with simulate(5):
            return noise()

    assert simulated() == simulated()
    all_distinct([noise(), noise(), simulated()])
