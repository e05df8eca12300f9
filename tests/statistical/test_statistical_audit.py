"""The statistical audit finds known faults, in this library's kind of code and in others'.

Simulations run on fixed streams, so their verdicts are fixed. The audits of other libraries draw
real entropy, at a confidence of 1 - 1e-6 in each.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np
import opendp.prelude as dp
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.laws import Law
from leastnoise.mechanisms import AsymmetricSensitivity
from leastnoise.randomness import HashedBits
from leastnoise.testing import simulate
from support.peers import Program, python_of

LOW = np.array([10, 20, 30, 40])
HIGH = np.array([10, 30, 30, 40])


# --- faults that are known ------------------------------------------------------------------


def test_textbook_laplace_in_doubles_is_refuted():
    """Mironov (2012): outputs for 1 are multiples of 2^-54, outputs for 0 mostly are not."""
    rng = np.random.default_rng(1)
    report = audit.statistical(
        lambda f, size: f + rng.laplace(scale=1.0, size=size),
        0.0,
        1.0,
        claimed=1,
        draws=10_000,
        vectorised=True,
    )
    assert not report.passed
    assert report.epsilon_lower > 5
    assert "lowest bit" in report.event
    assert "VIOLATED" in str(report)


def test_the_same_noise_one_draw_at_a_time():
    rng = np.random.default_rng(2)
    noisy = lambda f: float(f + rng.laplace())
    assert not audit.statistical(noisy, 0.0, 1.0, claimed=1, draws=2_000).passed


def test_rounding_to_a_lattice_repairs_it():
    rng = np.random.default_rng(3)
    report = audit.statistical(
        lambda f, size: np.rint((f + rng.laplace(size=size)) * 2**10) / 2**10,
        0.0,
        1.0,
        claimed=1,
        draws=20_000,
        vectorised=True,
    )
    assert report.passed, report
    assert report.epsilon_lower > 0.7  # the audit has power: it comes close to the truth


def test_sparse_vector_that_reuses_its_threshold_noise():
    """One noisy threshold serves all queries, which get no noise of their own: infinite loss."""
    rng = np.random.default_rng(4)

    def answers(queries: tuple[int, ...]) -> list[bool]:
        threshold = rng.laplace(scale=2.0)
        return [q >= threshold for q in queries]

    report = audit.statistical(answers, (0, 1), (1, 0), claimed=1, draws=4_000)
    assert not report.passed
    assert report.counts[1] == 0


def test_sparse_vector_that_never_stops():
    """The threshold's noise is drawn once and every query answered: the loss grows with them."""
    rng = np.random.default_rng(5)

    def answers(queries: tuple[int, ...]) -> tuple[bool, ...]:
        threshold = rng.laplace(scale=2.0)
        return tuple(bool(q + rng.laplace(scale=2.0) >= threshold) for q in queries)

    low, high = (0,) * 5 + (1,) * 5, (1,) * 5 + (0,) * 5
    assert not audit.statistical(answers, low, high, claimed=1, draws=20_000).passed


def test_an_exception_that_only_some_data_raise_is_a_leak():
    def release(data: list[float]) -> int:
        if max(data) > 100:
            raise ValueError("out of bounds")
        return 0

    report = audit.statistical(release, [1.0], [200.0], claimed=1, draws=400)
    assert not report.passed
    assert report.counts == (200, 0)
    with pytest.raises(ZeroDivisionError):
        audit.statistical(lambda x: 1 // 0, 0, 1, claimed=1, draws=400)


def test_delta_is_granted():
    """Answers the data with probability 1/10, nothing else: (0, 1/10), and no finite epsilon."""
    rng = np.random.default_rng(6)
    leaky = lambda x: x if rng.random() < 0.1 else -1
    pure = audit.statistical(leaky, 0, 1, claimed=1, draws=4_000)
    assert not pure.passed
    assert audit.statistical(leaky, 0, 1, claimed=1, draws=4_000, delta="0.11").passed
    claim = ln.ApproxDP(1, Fraction(11, 100))
    assert audit.statistical(leaky, 0, 1, claimed=claim, draws=4_000).passed


def test_a_private_answer_is_rarely_accused():
    """300 audits of discrete Laplace noise at its true epsilon and confidence 0.8: the bounds are
    conservative, so far fewer than 60 accuse (0 on this stream)."""
    rng = np.random.default_rng(7)

    def noisy(f: int, size: int) -> np.ndarray:
        return f + rng.geometric(1 - np.exp(-1), size) - rng.geometric(1 - np.exp(-1), size)

    settings = {"claimed": 1, "draws": 1_000, "confidence": 0.8, "vectorised": True}
    accused = sum(not audit.statistical(noisy, 0, 1, **settings).passed for _ in range(300))
    assert accused <= 15


@pytest.mark.parametrize("outputs", [["a", "b"], [(1, 2.5), (2, 2.5, 3)], [None, 2**70], [b"x", 1]])
def test_any_kind_of_output_is_understood(outputs: list[object]):
    telling = lambda i: outputs[i]
    report = audit.statistical(telling, 0, 1, claimed=1, draws=400)
    assert not report.passed
    assert audit.statistical(telling, 0, 0, claimed=1, draws=400).passed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"draws": 10}, "draws must be at least 200"),
        ({"confidence": 1.0}, "confidence must lie strictly between 0 and 1"),
        ({"delta": 1}, "delta must be at least 0 and below 1"),
        ({"claimed": -1}, "claimed must be greater than 0"),
    ],
)
def test_wrong_parameters_are_named(arguments: dict[str, object], message: str):
    with pytest.raises(ln.errors.ParameterError, match=message):
        audit.statistical(lambda x: x, 0, 1, **({"claimed": 1} | arguments))


# --- our own mechanisms ---------------------------------------------------------------------

OURS = [
    ln.Laplace(),
    ln.InverseSensitivity(),
    ln.PiecewiseLaplace(),
    AsymmetricSensitivity(),
    ln.SmoothLaplace(delta="1e-3"),
]


def drawing(statistic: object, mechanism: object, seed: str) -> Callable[[object], float]:
    """A release function that builds each data set's law once and draws from a fixed stream."""
    laws: dict[int, Law] = {}
    source = HashedBits(seed.encode())

    def release(data: np.ndarray) -> float:
        law = laws.get(id(data))
        if law is None:
            law = laws[id(data)] = mechanism.law(ln.profile(statistic, data, missing="none"), 1)
        return law.value_of(law.draw(source))

    return release


def claim_of(mechanism: object) -> object:
    return mechanism.guarantee(Fraction(1), ln.Scope())


@pytest.mark.share(1 / 2)
@pytest.mark.parametrize("mechanism", OURS, ids=lambda m: m.name)
@pytest.mark.parametrize("kind", [int, float])
def test_our_mechanisms_pass(mechanism: object, kind: type):
    one, other = LOW.astype(kind), HIGH.astype(kind)
    release = drawing(ln.Median(bounds=(0, 50)), mechanism, "median")
    report = audit.statistical(release, one, other, claimed=claim_of(mechanism), draws=3_000)
    assert report.passed, report


def test_our_releases_pass_whole():
    """Through ``release`` itself, whose result is not a bare number."""
    median = ln.Median(bounds=(0, 50))
    with simulate(8):
        report = audit.statistical(
            lambda x: ln.release(median, x, epsilon=1), LOW, HIGH, claimed=1, draws=1_000
        )
    assert report.passed, report


@pytest.mark.nightly
@pytest.mark.parametrize("mechanism", OURS, ids=lambda m: m.name)
@pytest.mark.parametrize("statistic", [ln.Median(bounds=(0, 50)), ln.Mean(bounds=(0, 50))])
def test_our_mechanisms_pass_with_a_million_draws(statistic: object, mechanism: object):
    release = drawing(statistic, mechanism, f"{statistic} {mechanism}")
    one, other = LOW.astype(float), HIGH.astype(float)
    report = audit.statistical(
        release, one, other, claimed=claim_of(mechanism), draws=1_000_000, confidence=0.999
    )
    assert report.passed, report


# --- another library's ----------------------------------------------------------------------

SURE = 1 - 1e-6


@pytest.fixture(autouse=True, scope="module")
def _contrib():
    dp.enable_features("contrib")


def opendp_laplace(scale: float) -> Callable[[float], float]:
    return dp.m.make_laplace(
        dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float), scale=scale
    )


def opendp_exponential(scale: float) -> Callable[[list[int]], int]:
    """Report noisy max with Gumbel noise: the exponential mechanism."""
    return dp.m.make_noisy_max(
        dp.vector_domain(dp.atom_domain(T=int)),
        dp.linf_distance(T=int),
        dp.zero_concentrated_divergence(),
        scale=scale,
    )


def test_opendp_laplace_passes_at_its_epsilon_and_fails_at_half():
    noisy = opendp_laplace(1.0)
    report = audit.statistical(noisy, 0.0, 1.0, claimed=1, draws=3_000, confidence=SURE)
    assert report.passed, report
    report = audit.statistical(noisy, 0.0, 1.0, claimed="0.3", draws=10_000, confidence=SURE)
    assert not report.passed, report


@pytest.mark.nightly
def test_opendp_exponential_mechanism():
    """Scores move by 1, two of them apart by 2: epsilon = 2 / scale, most of it attained here."""
    choose = opendp_exponential(1.0)
    one, other = [0, 1, 1, 1, 1], [1, 0, 0, 0, 0]
    report = audit.statistical(choose, one, other, claimed=2, draws=3_000, confidence=SURE)
    assert report.passed, report
    report = audit.statistical(choose, one, other, claimed="0.8", draws=10_000, confidence=SURE)
    assert not report.passed, report


# Draws of diffprivlib, as many as asked for. The two candidates of the exponential mechanism have
# utilities that change places with the data.
DIFFPRIVLIB = """
import json, sys
import numpy as np
from diffprivlib.mechanisms import Exponential, Laplace

laplace = Laplace(epsilon=1, sensitivity=1)
choices = [Exponential(epsilon=1, sensitivity=1, utility=u) for u in ([0, 1], [1, 0])]
for line in sys.stdin:
    name, x, size = json.loads(line)
    draw = (lambda: laplace.randomise(x)) if name == "laplace" else choices[x].randomise
    print(json.dumps(np.array([draw() for _ in range(size)]).tolist()), flush=True)
"""


@pytest.fixture(scope="module")
def diffprivlib(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Program]:
    program = Program(python_of("diffprivlib", tmp_path_factory.mktemp("peers")), DIFFPRIVLIB)
    yield program
    program.close()


@pytest.mark.nightly
def test_diffprivlib_through_the_same_call(diffprivlib: Program):
    settings = {"claimed": 1, "draws": 20_000, "confidence": SURE, "vectorised": True}
    noisy = lambda x, size: np.array(diffprivlib.ask("laplace", x, size))
    # it adds a double to a double: the low bits tell which (5.2 with version 0.6.6)
    report = audit.statistical(noisy, 0.0, 1.0, **settings)
    assert report.epsilon_lower > 4
    assert "lowest bit" in report.event
    # and nothing else does: on a lattice the same noise keeps its promise, and uses most of it
    rounded = lambda x, size: np.rint(noisy(x, size) * 2**10) / 2**10
    report = audit.statistical(rounded, 0.0, 1.0, **settings)
    assert report.passed, report
    assert report.epsilon_lower > 0.7
    # half of epsilon is all that this pair can lose
    choose = lambda x, size: np.array(diffprivlib.ask("exponential", x, size))
    assert audit.statistical(choose, 0, 1, **settings).passed
    assert not audit.statistical(choose, 0, 1, **settings | {"claimed": "0.3"}).passed
