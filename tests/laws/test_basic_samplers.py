"""The basic samplers against their laws.

STRUCTURE: the samplers are run on *every* bit string up to a depth. The mass
that ends in an outcome never exceeds its exact probability, and exceeds it with
the undecided mass added; so a wrong law is caught without any chance.
STATISTICS: chi-square and Kolmogorov-type checks on fixed streams.
"""

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq, fmpz
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise import randomness as bernoulli_room
from leastnoise.numbers import exp_enclosure, log_enclosure, scaled_exp_enclosure
from leastnoise.randomness import BitSource, HashedBits, SystemBits
from leastnoise.sampling import (
    bernoulli_exp,
    bernoulli_real,
    bernoulli_scaled,
    discrete_gaussian,
    discrete_laplace,
    geometric,
    rounded_laplace,
)

Scale = Callable[[int], tuple[int, int]]


@pytest.fixture(autouse=True)
def _precision() -> Iterator[None]:
    before = ctx.prec
    ctx.prec = 1000
    yield
    ctx.prec = before


# --- exhaustive enumeration --------------------------------------------------


class NeedMoreError(Exception):
    """The script is too short by ``k`` bits."""

    def __init__(self, k: int) -> None:
        super().__init__(k)
        self.k = k


class ScriptedBits:
    """Serves the lowest ``length`` bits of ``value``, highest first."""

    def __init__(self, value: int, length: int) -> None:
        self.value, self.left = value, length

    def bits(self, k: int) -> int:
        if k > self.left:
            raise NeedMoreError(k - self.left)
        self.left -= k
        return self.value >> self.left & ((1 << k) - 1)

    def below(self, n: int) -> int:
        while True:
            value = self.bits((n - 1).bit_length())
            if value < n:
                return value


def enumerate_draws(
    draw: Callable[[BitSource], int], depth: int
) -> tuple[dict[int, Fraction], Fraction]:
    """Mass of every outcome decided within ``depth`` bits, and the undecided mass."""
    decided: dict[int, Fraction] = {}
    undecided = Fraction(0)
    stack = [(0, 0)]
    while stack:
        value, length = stack.pop()
        source = ScriptedBits(value, length)
        try:
            outcome = draw(source)
        except NeedMoreError as need:
            if length + need.k > depth:
                undecided += Fraction(1, 1 << length)
            else:
                stack += [((value << need.k) | v, length + need.k) for v in range(1 << need.k)]
        else:
            assert source.left == 0
            decided[outcome] = decided.get(outcome, Fraction(0)) + Fraction(1, 1 << length)
    assert sum(decided.values()) + undecided == 1
    return decided, undecided


def check_masses(
    decided: dict[int, Fraction], undecided: Fraction, pmf: Callable[[int], arb]
) -> None:
    for outcome, mass in decided.items():
        exact = pmf(outcome)
        assert bool(_arb(mass) <= exact), outcome
        assert bool(exact <= _arb(mass + undecided)), outcome


def _arb(x: Fraction) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


def exp_minus(x: Fraction) -> arb:
    return (-_arb(x)).exp()


@pytest.fixture(params=[1, 2, 4])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> int:
    """Reveal uniforms in blocks of few bits, so that all strings can be tried."""
    monkeypatch.setattr(bernoulli_room, "_BITS", request.param)
    return request.param


RATES = [Fraction(1, 1000), Fraction(1, 3), Fraction(7, 10), Fraction(1), Fraction(5), Fraction(9)]


@pytest.mark.parametrize("x", RATES, ids=str)
def test_bernoulli_exp_on_all_bit_strings(x: Fraction, block: int) -> None:
    def draw(source: BitSource) -> int:
        return bernoulli_exp(x.numerator, x.denominator, source)

    for depth in (4, 8, 12, 16):
        decided, undecided = enumerate_draws(draw, depth)
        accepted, rejected = decided.get(1, Fraction(0)), decided.get(0, Fraction(0))
        assert bool(_arb(accepted) <= exp_minus(x))
        assert bool(exp_minus(x) <= _arb(1 - rejected))
        # Only the few strings at the edge stay open, hence the draw ends quickly.
        assert undecided <= Fraction(3, 1 << depth)


@pytest.mark.parametrize("shift", [-3, -1, 0, 1, 4, 7, 40])
@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(7, 10), Fraction(3), Fraction(28)], ids=str)
def test_bernoulli_scaled_on_all_bit_strings(shift: int, x: Fraction, block: int) -> None:
    def draw(source: BitSource) -> int:
        return bernoulli_scaled(shift, x.numerator, x.denominator, source)

    decided, undecided = enumerate_draws(draw, 12)
    exact = (arb(2) ** shift * exp_minus(x)).min(arb(1))
    assert bool(_arb(decided.get(1, Fraction(0))) <= exact)
    assert bool(exact <= _arb(1 - decided.get(0, Fraction(0))))
    assert undecided <= Fraction(3, 1 << 12)


def test_enumeration_notices_a_redrawn_uniform() -> None:
    """The mutation that matters: a fresh uniform where the old one must go on."""

    def redrawing(source: BitSource) -> int:
        while True:
            u = source.bits(2)
            lo, hi = exp_enclosure(1, 3, 2)
            if u < lo:
                return True
            if u >= hi:
                return False

    decided, _ = enumerate_draws(redrawing, 16)
    exact = exp_minus(Fraction(1, 3))
    assert not (bool(_arb(decided[1]) <= exact) and bool(exact <= _arb(1 - decided[0])))


@pytest.mark.parametrize("x", [Fraction(1, 2), Fraction(2, 3), Fraction(7, 2)], ids=str)
def test_geometric_on_all_bit_strings(x: Fraction, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bernoulli_room, "_BITS", 2)
    decided, undecided = enumerate_draws(
        lambda source: geometric(x.numerator, x.denominator, source), 16
    )
    assert undecided < Fraction(1, 8)
    check_masses(decided, undecided, lambda k: (1 - exp_minus(x)) * exp_minus(k * x))


class BranchError(Exception):
    """The next choice has these probabilities."""


class RestartError(Exception):
    """The first round was rejected; what follows repeats it."""


class Choices:
    """Stands for the source and for exact draws of the layers below: each choice is a branch."""

    def __init__(self, script: list[int]) -> None:
        self.script, self.at, self.rounds = script, 0, 0

    def choose(self, probabilities: list[float]) -> int:
        if self.at == len(self.script):
            raise BranchError(probabilities)
        self.at += 1
        return self.script[self.at - 1]

    def first(self, probabilities: list[float]) -> int:
        """The choice that opens a round."""
        self.rounds += 1
        if self.rounds == 2:
            raise RestartError
        return self.choose(probabilities)

    def bits(self, k: int) -> int:
        return self.choose([2.0**-k] * 2**k)

    def below(self, n: int) -> int:
        return self.first([1 / n] * n)

    def bernoulli_exp(self, p: int, q: int, _: BitSource) -> bool:
        assert p >= 0
        x = math.exp(-p / q)
        return bool(self.choose([1 - x, x]))


def enumerate_first_round(draw: Callable[[Choices], int]) -> dict[int, float]:
    """The law of a rejection sampler: its first round, given that it accepts."""
    law: dict[int, float] = {}
    rejected = undecided = 0.0
    stack: list[tuple[list[int], float]] = [([], 1.0)]
    while stack:
        script, mass = stack.pop()
        if mass < 1e-14:
            undecided += mass
            continue
        try:
            outcome = draw(Choices(script))
        except BranchError as branch:
            stack += [([*script, i], mass * x) for i, x in enumerate(branch.args[0])]
        except RestartError:
            rejected += mass
        else:
            law[outcome] = law.get(outcome, 0.0) + mass
    assert undecided < 1e-11
    assert abs(sum(law.values()) + rejected - 1) < 1e-10
    return {k: mass / (1 - rejected) for k, mass in law.items()}


def check_law(law: dict[int, float], pmf: Callable[[int], float]) -> None:
    assert 0 in law
    assert max(abs(mass - pmf(k)) for k, mass in law.items()) < 1e-9


def use_choices(monkeypatch: pytest.MonkeyPatch, function: Callable[..., int], **layers) -> None:
    for name, layer in layers.items():
        assert name in function.__globals__
        monkeypatch.setitem(function.__globals__, name, layer)


def exact_bernoulli(p: int, q: int, source: Choices) -> bool:
    return source.bernoulli_exp(p, q, source)


ROUND_RATES = [Fraction(1, 5), Fraction(4, 3), Fraction(7), Fraction(200, 7)]


@pytest.mark.parametrize("x", ROUND_RATES[:3], ids=str)
def test_geometric_is_exact_given_exact_bernoullis(
    x: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exact_real(enclosure: Scale, source: Choices) -> bool:
        assert enclosure(64) == exp_enclosure(1, 1, 64)
        return source.bernoulli_exp(1, 1, source)

    use_choices(monkeypatch, geometric, bernoulli_exp=exact_bernoulli, bernoulli_real=exact_real)
    law = enumerate_first_round(lambda source: geometric(x.numerator, x.denominator, source))
    check_law(law, lambda k: -math.expm1(-x) * math.exp(-k * x))


@pytest.mark.parametrize("x", ROUND_RATES, ids=str)
def test_discrete_laplace_is_exact_given_an_exact_geometric(
    x: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    def exact_geometric(p: int, q: int, source: Choices) -> int:
        return source.first([-math.expm1(-p / q) * math.exp(-k * p / q) for k in range(300)])

    use_choices(monkeypatch, discrete_laplace, geometric=exact_geometric)
    law = enumerate_first_round(lambda source: discrete_laplace(x.numerator, x.denominator, source))
    check_law(law, lambda k: math.tanh(x / 2) * math.exp(-abs(k) * x))


@pytest.mark.parametrize(
    "variance",
    [
        Fraction(1, 9),
        Fraction(9, 10),
        Fraction(1),
        Fraction(7, 2),
        Fraction(30),
        Fraction(10**9, 3**17),
    ],
    ids=str,
)
def test_discrete_gaussian_is_exact_given_an_exact_discrete_laplace(
    variance: Fraction, monkeypatch: pytest.MonkeyPatch
) -> None:
    scales: set[int] = set()

    def exact_laplace(p: int, q: int, source: Choices) -> int:
        assert p == 1
        scales.add(q)
        reach = 40 * q
        return -reach + source.first(
            [math.tanh(1 / (2 * q)) * math.exp(-abs(k) / q) for k in range(-reach, reach + 1)]
        )

    use_choices(
        monkeypatch,
        discrete_gaussian,
        bernoulli_exp=exact_bernoulli,
        discrete_laplace=exact_laplace,
    )
    law = enumerate_first_round(lambda source: discrete_gaussian(variance, source))
    total = sum(math.exp(-k * k / (2 * variance)) for k in range(-300, 301))
    check_law(law, lambda k: math.exp(-k * k / (2 * variance)) / total)
    assert scales == {math.floor(math.sqrt(variance)) + 1}


def rational_scale(s: Fraction, slack: int = 0) -> Scale:
    """A certified enclosure of s, ``2 * slack`` units wider than need be."""

    def scale(bits: int) -> tuple[int, int]:
        value = (s.numerator << bits) // s.denominator
        return value - slack, value + 1 + slack

    return scale


def rounded_laplace_pmf(k: int, s: Fraction) -> arb:
    if k == 0:
        return 1 - exp_minus(1 / (2 * s))
    tail = exp_minus((abs(k) - Fraction(1, 2)) / s)
    return tail * (1 - exp_minus(1 / s)) / 2


@pytest.mark.parametrize("slack", [0, 3])
@pytest.mark.parametrize(
    "s", [Fraction(1, 1000), Fraction(1, 5), Fraction(1), Fraction(22, 7), Fraction(50)], ids=str
)
def test_rounded_laplace_on_all_bit_strings(
    s: Fraction, slack: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    from leastnoise.sampling import rounded_laplace as function

    monkeypatch.setitem(function.__globals__, "_BITS", 4)
    decided, undecided = enumerate_draws(
        lambda source: rounded_laplace(0, rational_scale(s, slack), source), 17
    )
    assert undecided < Fraction(1, 6)
    check_masses(decided, undecided, lambda k: rounded_laplace_pmf(k, s))
    assert all(decided[k] == decided[-k] for k in decided)


# --- the edges of full-width uniforms ----------------------------------------


@settings(max_examples=300)
@given(
    st.integers(1, 2**80), st.integers(1, 2**80), st.integers(-70, 200), st.integers(0, 2**64 - 1)
)
def test_undecided_uniform_is_extended_not_redrawn(p: int, q: int, shift: int, more: int) -> None:
    lo, hi = scaled_exp_enclosure(shift, p, q, 64)
    for u in range(max(0, lo - 2), min(hi + 2, 1 << 64)):
        whole = u << 256 | more << 192 | more << 128 | more << 64 | more
        exact = arb(2) ** (shift + 320) * exp_minus(Fraction(p, q))
        source = ScriptedBits(whole, 320)
        try:
            accepted = bernoulli_scaled(shift, p, q, source)
        except NeedMoreError:  # 320 bits that agree with the probability
            assert bool(abs(exact - arb(fmpz(whole))) < 4)
        else:
            assert accepted == bool(arb(fmpz(whole)) < exact)
            if not lo <= u < hi:
                assert source.left == 256


def test_squeeze_agrees_with_the_enclosure() -> None:
    rng = random.Random(5)
    for _ in range(3000):
        q = rng.getrandbits(rng.randrange(1, 120)) | 1
        p = rng.randrange(0, 2 * q)
        lo, hi = exp_enclosure(p, q, 64)
        squeeze = max(0, ((q - p) << 64) // q)
        edges = {0, squeeze - 2, squeeze - 1, squeeze, squeeze + 1, lo - 1, lo, hi, 2**64 - 1}
        for u in edges:
            if not 0 <= u < 1 << 64 or lo <= u < hi:
                continue
            assert bernoulli_exp(p, q, ScriptedBits(u, 64)) == (u < lo)


def test_certain_outcomes_cost_no_bits() -> None:
    empty = ScriptedBits(0, 0)
    assert bernoulli_exp(0, 5, empty) is True
    assert bernoulli_scaled(0, 0, 5, empty) is True
    assert bernoulli_scaled(9, 0, 5, empty) is True


def test_power_of_two_probability_is_exact() -> None:
    decided, undecided = enumerate_draws_of_words(lambda s: bernoulli_scaled(-3, 0, 1, s), 3)
    assert (decided, undecided) == ({1: Fraction(1, 8), 0: Fraction(7, 8)}, 0)


def enumerate_draws_of_words(
    draw: Callable[[BitSource], int], bits: int
) -> tuple[dict[int, Fraction], Fraction]:
    """As above with the top bits of each 64-bit word free and the rest zero."""
    counts: Counter[int] = Counter()
    for head in range(1 << bits):
        counts[int(draw(ScriptedBits(head << (64 - bits), 64)))] += 1
    return {k: Fraction(n, 1 << bits) for k, n in counts.items()}, Fraction(0)


def test_bernoulli_real_with_an_exact_probability() -> None:
    third = lambda bits: ((1 << bits) // 3, (1 << bits) // 3 + 1)
    edge = (1 << 64) // 3
    assert bernoulli_real(third, ScriptedBits(edge - 1, 64))
    assert not bernoulli_real(third, ScriptedBits(edge + 1, 64))
    assert bernoulli_real(third, ScriptedBits(edge << 64 | edge - 1, 128))
    assert not bernoulli_real(third, ScriptedBits(edge << 64 | edge + 1, 128))


def inverse(u: int, bits: int, s: Fraction) -> int | None:
    """The magnitude that every U in [u, u + 1) / 2**bits gives, by the oracle."""
    ends: list[int] = []
    for x in (u + 1, u):
        y = _arb(s) * -(arb(fmpq(x, 1 << bits)).log()) + arb(fmpq(1, 2))
        floor = y.floor().unique_fmpz()
        if floor is None:
            return None
        ends.append(int(floor))
    return ends[0] if ends[0] == ends[1] else None


@pytest.mark.parametrize(
    "s",
    [
        Fraction(1, 1000),
        Fraction(1, 3),
        Fraction(1),
        Fraction(100),
        Fraction(2**40),
        Fraction(2**70),
    ],
    ids=str,
)
def test_rounded_laplace_inverts_its_cdf(s: Fraction) -> None:
    rng = random.Random(7)
    start = 64 + math.ceil(s).bit_length()
    checked = 0
    for _ in range(300):
        # The tail end of the uniform as well as its body.
        u = rng.getrandbits(start) >> rng.choice([0, 0, 0, 1, 5, 20, 60])
        u = max(1, u)
        expected = inverse(u, start, s)
        if expected is None:
            continue
        for sign in (0, 1):
            # Sign, the uniform, then more bits in case the enclosures need them.
            tail = rng.getrandbits(256)
            script = ((sign << (start + 1) | u) << 256) | tail
            # scale(0) has one unit of slack, hence one or two bits more at the start.
            for extra in (0, 1):
                source = ScriptedBits(script, 1 + start + 256 + extra)
                if (rational_scale(s)(0)[1]).bit_length() + 64 != start + extra:
                    continue
                script_here = ((sign << (start + extra) | u << extra) << 256) | tail
                source = ScriptedBits(script_here, 1 + start + extra + 256)
                got = rounded_laplace(10**6, rational_scale(s), source)
                assert got == 10**6 + (-expected if sign else expected)
                checked += 1
    assert checked > 200


def test_rounded_laplace_extends_at_a_cell_edge() -> None:
    s = Fraction(3)
    # The uniform that lies in the same 64-bit cell as the edge exp(-(5 - 1/2)/3).
    for depth in (66, 130, 194):
        lo, hi = exp_enclosure(3, 2, depth)
        assert hi - lo == 1
        for tail, expected in ((0, 5), (1, 4)):
            bits = 66 + 64 * (depth // 64 - 1)
            script = (lo << 256) | (0 if tail == 0 else (1 << 256) - 1)
            source = ScriptedBits(script, 1 + bits + 256)
            assert rounded_laplace(0, rational_scale(s), source) == expected
            assert source.left < 256 + 64


def test_rounded_laplace_survives_zero_uniforms_and_lazy_scales() -> None:
    # A uniform of 64 zero bits has no upper bound on -ln U yet.
    source = ScriptedBits(1 << 700, 1 + 65 + 64 + 700)
    assert rounded_laplace(0, rational_scale(Fraction(1)), source) > 40

    def poor(bits: int) -> tuple[int, int]:
        """Knows nothing of s = 5/3 but an upper bound until asked for 300 bits."""
        return rational_scale(Fraction(5, 3))(bits) if bits >= 300 else (-7, 2 << bits)

    exact = [
        rounded_laplace(0, rational_scale(Fraction(5, 3), 1), HashedBits(bytes([i])))
        for i in range(100)
    ]
    assert [rounded_laplace(0, poor, HashedBits(bytes([i]))) for i in range(100)] == exact


@pytest.mark.parametrize("exponent", [-400, -60, -10, 0, 10, 70, 300])
def test_rounded_laplace_never_raises(exponent: int) -> None:
    s = Fraction(2) ** exponent
    source = HashedBits(b"never raises")
    draws = [rounded_laplace(-3, rational_scale(s), source) for _ in range(2000)]
    size = sum(abs(x + 3) for x in draws) / 2000
    if exponent < -9:
        assert set(draws) == {-3}
    elif exponent > 9:
        assert abs(size / float(s) - 1) < 0.12  # standard error 0.022


# --- statistics on fixed streams ---------------------------------------------


def chi_square(
    counts: Counter[int], n: int, pmf: Callable[[int], float], support: range
) -> tuple[float, int]:
    """Pool the cells outside ``support``; return the statistic and its degrees of freedom."""
    expected = [n * pmf(k) for k in support]
    observed = [float(counts[k]) for k in support]
    rest = n - sum(expected)
    if rest >= 5:
        expected.append(rest)
        observed.append(n - sum(observed))
    assert min(expected) >= 5
    statistic = sum((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True))
    return statistic, len(expected) - 1


def assert_fits(counts: Counter[int], n: int, pmf: Callable[[int], float], support: range) -> None:
    # Mean df, standard deviation sqrt(2 df); 4.5 of them is a tail below 1e-4 for df >= 4.
    statistic, df = chi_square(counts, n, pmf, support)
    assert statistic < df + 4.5 * math.sqrt(2 * df) + 4, (statistic, df)


N = 40_000


@pytest.mark.parametrize("x", RATES, ids=str)
def test_bernoulli_exp_frequency(x: Fraction) -> None:
    source = HashedBits(b"bernoulli" + str(x).encode())
    hits = sum(bernoulli_exp(x.numerator, x.denominator, source) for _ in range(N))
    p = math.exp(-x)
    assert abs(hits - N * p) < 4.5 * math.sqrt(N * p * (1 - p)) + 1


@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(1), Fraction(5, 2)], ids=str)
def test_geometric_frequencies(x: Fraction) -> None:
    source = HashedBits(b"geometric" + str(x).encode())
    counts = Counter(geometric(x.numerator, x.denominator, source) for _ in range(N))
    a = math.exp(-x)
    assert_fits(counts, N, lambda k: (1 - a) * a**k, range(int(7 / x)))


def test_geometric_extremes() -> None:
    source = HashedBits(b"extremes")
    assert {geometric(50, 1, source) for _ in range(N)} == {0}  # exp(-50) each
    tiny = [geometric(1, 2**60, source) / 2**60 for _ in range(N)]
    # Exponential of mean 1: standard errors 1/200 and 0.4/200.
    assert abs(sum(tiny) / N - 1) < 4.5 / 200
    assert abs(sum(t > 1 for t in tiny) / N - math.exp(-1)) < 4.5 * 0.49 / 200
    p, q = 3**150, 7 * 3**150 + 1  # hundreds of bits
    counts = Counter(geometric(p, q, source) for _ in range(N))
    a = math.exp(-1 / 7)
    assert_fits(counts, N, lambda k: (1 - a) * a**k, range(40))


@pytest.mark.parametrize("x", [Fraction(1, 3), Fraction(1), Fraction(5, 2)], ids=str)
def test_discrete_laplace_frequencies(x: Fraction) -> None:
    source = HashedBits(b"laplace" + str(x).encode())
    counts = Counter(discrete_laplace(x.numerator, x.denominator, source) for _ in range(N))
    a = math.exp(-x)
    reach = int(6 / x)
    assert_fits(counts, N, lambda k: (1 - a) / (1 + a) * a ** abs(k), range(-reach, reach + 1))


@pytest.mark.parametrize(
    "variance", [Fraction(1, 4), Fraction(1), Fraction(7, 3), Fraction(100)], ids=str
)
def test_discrete_gaussian_frequencies(variance: Fraction) -> None:
    source = HashedBits(b"gaussian" + str(variance).encode())
    counts = Counter(discrete_gaussian(variance, source) for _ in range(N))
    weight = lambda k: math.exp(-k * k / (2 * variance))
    total = sum(map(weight, range(-200, 201)))
    reach = math.floor(2.5 * math.sqrt(variance)) + 1
    while N * weight(reach) / total < 5:
        reach -= 1
    assert_fits(counts, N, lambda k: weight(k) / total, range(-reach, reach + 1))


def test_discrete_gaussian_of_huge_and_tiny_variance() -> None:
    source = HashedBits(b"huge")
    sigma = 2**60
    draws = [discrete_gaussian(Fraction(sigma**2), source) / sigma for _ in range(10_000)]
    assert abs(sum(draws)) / 10_000 < 4.5 / 100
    assert abs(sum(x * x for x in draws) / 10_000 - 1) < 4.5 * math.sqrt(2) / 100
    assert {discrete_gaussian(Fraction(1, 10**6), source) for _ in range(1000)} == {0}


@pytest.mark.parametrize("s", [Fraction(1, 2), Fraction(1), Fraction(10, 3)], ids=str)
def test_rounded_laplace_frequencies(s: Fraction) -> None:
    source = HashedBits(b"rounded" + str(s).encode())
    counts = Counter(rounded_laplace(0, rational_scale(s), source) for _ in range(N))
    reach = int(5 * s)
    assert_fits(counts, N, lambda k: float(rounded_laplace_pmf(k, s)), range(-reach, reach + 1))


def test_rounded_laplace_of_an_irrational_scale() -> None:
    # s = ln 7, known by its enclosures only.
    source = HashedBits(b"irrational")
    counts = Counter(
        rounded_laplace(5, lambda bits: log_enclosure(7, 1, bits), source) for _ in range(N)
    )
    s = Fraction(math.log(7))
    assert_fits(counts, N, lambda k: float(rounded_laplace_pmf(k - 5, s)), range(-3, 14))


# --- conduct -----------------------------------------------------------------


@pytest.mark.parametrize(
    "draw",
    [
        lambda s: bernoulli_exp(-1, 1, s),
        lambda s: bernoulli_exp(1, 0, s),
        lambda s: bernoulli_exp(1, -1, s),
        lambda s: bernoulli_exp(0, 0, s),
        lambda s: bernoulli_scaled(1, -1, 1, s),
        lambda s: bernoulli_scaled(1, 1, 0, s),
        lambda s: geometric(0, 1, s),
        lambda s: geometric(1, 0, s),
        lambda s: geometric(-1, -1, s),
        lambda s: discrete_laplace(0, 1, s),
        lambda s: discrete_laplace(1, -1, s),
        lambda s: discrete_gaussian(Fraction(0), s),
        lambda s: discrete_gaussian(Fraction(-1), s),
    ],
)
def test_outside_the_domain_before_any_bit(draw: Callable[[BitSource], object]) -> None:
    with pytest.raises(ValueError, match="must be"):
        draw(ScriptedBits(0, 0))


def test_equal_streams_give_equal_draws() -> None:
    def draws() -> list[int]:
        source = HashedBits(b"equal")
        return [
            *(geometric(1, 9, source) for _ in range(50)),
            *(discrete_laplace(1, 9, source) for _ in range(50)),
            *(discrete_gaussian(Fraction(9), source) for _ in range(50)),
            *(rounded_laplace(0, rational_scale(Fraction(9)), source) for _ in range(50)),
        ]

    assert draws() == draws()


def test_every_sampler_runs_on_the_system_source() -> None:
    source = SystemBits()
    for _ in itertools.repeat(None, 100):
        assert isinstance(bernoulli_exp(1, 2, source), bool)
        assert isinstance(bernoulli_scaled(1, 2, 1, source), bool)
        assert geometric(1, 2**60, source) >= 0
        assert isinstance(discrete_laplace(1, 2**40, source), int)
        assert isinstance(discrete_gaussian(Fraction(2), source), int)
        assert isinstance(rounded_laplace(0, rational_scale(Fraction(2)), source), int)


@pytest.mark.parametrize(
    "module",
    ["randomness", "sampling/discrete", "sampling/rounded_laplace"],
)
def test_no_float_in_the_source(module: str) -> None:
    import ast
    from pathlib import Path

    tree = ast.parse((Path(bernoulli_room.__file__).parent / f"{module}.py").read_text("utf-8"))
    for node in ast.walk(tree):
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float))
        assert not isinstance(node, ast.Div)
        assert not (isinstance(node, ast.Name) and node.id == "float")
