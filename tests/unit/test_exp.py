"""The oracle is python-flint's ball arithmetic at far higher precision."""

import random
import time
from collections.abc import Callable, Iterator
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq, fmpz
from hypothesis import given, settings
from hypothesis import strategies as st

from leastnoise.numbers import (
    exact as numbers,
)
from leastnoise.numbers import (
    exp_enclosure,
    ln2_enclosure,
    log_enclosure,
    scaled_exp_enclosure,
)

STREAM = 20_240_601
BITS = [0, 1, 2, 7, 19, 20, 21, 32, 52, 53, 63, 64, 65, 83, 84, 85, 128, 192, 256, 500]


@pytest.fixture(autouse=True)
def _precision() -> Iterator[None]:
    before = ctx.prec
    ctx.prec = 3000
    yield
    ctx.prec = before


def encloses(pair: tuple[int, int], exact: arb, width: int = 2) -> bool:
    lo, hi = pair
    return bool(arb(fmpz(lo)) <= exact) and bool(exact <= arb(fmpz(hi))) and 0 <= hi - lo <= width


def power_of_two(bits: int) -> arb:
    return arb(fmpz(1) << bits) if bits >= 0 else 1 / arb(fmpz(1) << -bits)


def exp_oracle(shift: int, p: int, q: int, bits: int) -> arb:
    # ctx.prec must exceed the size of p/q for the value to be resolved.
    return power_of_two(bits + shift) * (-arb(fmpq(p, q))).exp()


def log_oracle(p: int, q: int, bits: int) -> arb:
    return power_of_two(bits) * arb(fmpq(p, q)).log()


def near_multiple_of_ln2(rng: random.Random) -> tuple[int, int]:
    bits = rng.choice([10, 40, 64, 96, 200])
    lo, _ = ln2_enclosure(bits)
    k = rng.choice([1, 2, 3, 44, 45, 63, 64, 65, 90, rng.randrange(1, 400)])
    return max(1, k * lo + rng.randrange(-3, 4)), 1 << bits


def rational_cases(count: int) -> Iterator[tuple[int, int]]:
    rng = random.Random(STREAM)
    for _ in range(count):
        kind = rng.randrange(7)
        if kind == 0:  # moderate
            yield rng.randrange(0, 10**6), rng.randrange(1, 10**5)
        elif kind == 1:  # tiny
            yield rng.randrange(0, 2**20), rng.randrange(2**40, 2**300)
        elif kind == 2:  # near the last representable value
            q = rng.randrange(1, 2**40)
            yield rng.randrange(35, 60) * q + rng.randrange(0, q), q
        elif kind == 3:
            yield near_multiple_of_ln2(rng)
        elif kind == 4:  # near table edges j/256
            q = 256 << rng.choice([0, 80, 120])
            yield max(0, rng.randrange(0, 900) * (q >> 8) + rng.randrange(-2, 3)), q
        elif kind == 5:  # hundreds of bits
            q = rng.getrandbits(rng.randrange(1, 600)) | 1
            yield rng.randrange(0, 50 * q), q
        else:  # large
            q = rng.randrange(1, 1000)
            yield q * rng.randrange(40, 700) + rng.randrange(0, q), q


def test_exp_against_the_oracle() -> None:
    rng = random.Random(STREAM + 1)
    for p, q in rational_cases(12_000):
        bits = 64 if rng.random() < 0.5 else rng.choice(BITS)
        assert encloses(exp_enclosure(p, q, bits), exp_oracle(0, p, q, bits)), (p, q, bits)


def test_scaled_exp_against_the_oracle() -> None:
    rng = random.Random(STREAM + 2)
    for p, q in rational_cases(12_000):
        bits = rng.choice(BITS)
        near = int(Fraction(p, q) * Fraction(1_442_695, 1_000_000))
        shift = rng.choice(
            [0, near, near + 1, near - 1, near + 2, rng.randrange(-300, 1500), -bits]
        )
        pair = scaled_exp_enclosure(shift, p, q, bits)
        full = fmpz(1) << bits
        exact = exp_oracle(shift, p, q, bits).min(arb(full))
        assert encloses(pair, exact), (shift, p, q, bits)


def test_log_against_the_oracle() -> None:
    rng = random.Random(STREAM + 3)
    for p, q in rational_cases(12_000):
        bits = rng.choice(BITS)
        a, b = (p, q) if rng.random() < 0.5 else (q, p)
        if a == 0 or b == 0:
            continue
        assert encloses(log_enclosure(a, b, bits), log_oracle(a, b, bits)), (a, b, bits)


@pytest.mark.parametrize("bits", [64, 200])
def test_log_close_to_one_and_at_table_edges(bits: int) -> None:
    for a in range(120, 270):
        for offset in (-1, 0, 1):
            for scale in (0, 3, 90):
                p, q = (a << scale) + offset, 128 << scale
                assert encloses(log_enclosure(p, q, bits), log_oracle(p, q, bits))


def test_ln2_against_the_oracle() -> None:
    for bits in [*range(700), 1023, 1024, 2500]:
        assert encloses(ln2_enclosure(bits), log_oracle(2, 1, bits))


def test_atanh_error_is_within_its_ledger() -> None:
    for n in (2, 3, 26, 257, 511, 4801, 8749):
        for w in (20, 96, 128, 600):
            exact = (1 + arb(fmpq(1, n))).log() - (1 - arb(fmpq(1, n))).log()
            loss = power_of_two(w) * exact / 2 - numbers._atanh_inverse(n, w)
            assert bool(loss >= 0)
            assert bool(loss <= w + 4)


@pytest.mark.parametrize("w", [32, 64, 96, 128, 320])
def test_table_errors_are_within_their_ledger(w: int) -> None:
    _, table, top, rest = numbers._exp_tables(w)
    bound = arb(fmpq(101, 100))
    assert len(table) == 178  # floor(256 ln 2) + 1 indices
    for j, entry in enumerate(table):
        assert bool(abs(power_of_two(w) * (-arb(fmpq(j, 256))).exp() - entry) <= bound)
    factorial = 1
    for n, c in enumerate([*reversed(rest), top]):
        factorial *= max(n, 1)
        assert c == (1 << w) // factorial
    degree = len(rest)
    assert (1 << w) // (factorial * (degree + 1)) >> (8 * (degree + 1)) == 0
    _, logs, _, _ = numbers._log_tables(w)
    assert len(logs) == 128
    for a, entry in enumerate(logs, start=128):
        assert bool(abs(power_of_two(w) * arb(fmpq(a, 128)).log() - entry) <= bound)


def test_unrounded_errors_are_within_their_ledger(monkeypatch: pytest.MonkeyPatch) -> None:
    # With 96 = bits and no guard the ledger itself must carry the enclosure.
    monkeypatch.setattr(numbers, "_working_precision", lambda bits, exponent: bits)
    rng = random.Random(STREAM + 4)
    for _ in range(4000):
        q = rng.getrandbits(80) | 1
        p = rng.randrange(0, 40 * q)
        lo, hi = exp_enclosure(p, q, 96)
        exact = exp_oracle(0, p, q, 96)
        assert bool(arb(fmpz(lo)) <= exact)
        assert bool(exact <= arb(fmpz(hi)))
        lo, hi = log_enclosure(p + 1, q, 96)
        exact = log_oracle(p + 1, q, 96)
        assert bool(arb(fmpz(lo)) <= exact)
        assert bool(exact <= arb(fmpz(hi)))


@settings(max_examples=300)
@given(st.integers(0, 2**200), st.integers(1, 2**200), st.integers(0, 300), st.integers(-200, 200))
def test_properties(p: int, q: int, bits: int, shift: int) -> None:
    lo, hi = scaled_exp_enclosure(shift, p, q, bits)
    assert 0 <= lo <= hi <= 1 << bits
    assert hi - lo <= 2
    # A finer enclosure of the same number must meet the coarse one.
    fine_lo, fine_hi = scaled_exp_enclosure(shift, p, q, bits + 64)
    assert fine_lo <= hi << 64
    assert fine_hi >= lo << 64
    # The form of the fraction does not matter for correctness.
    other_lo, other_hi = scaled_exp_enclosure(shift, 6 * p, 6 * q, bits)
    assert max(lo, other_lo) <= min(hi, other_hi)


@settings(max_examples=300)
@given(st.integers(1, 2**200), st.integers(1, 2**200), st.integers(0, 300))
def test_log_is_odd(p: int, q: int, bits: int) -> None:
    lo, hi = log_enclosure(p, q, bits)
    other_lo, other_hi = log_enclosure(q, p, bits)
    assert max(lo, -other_hi) <= min(hi, -other_lo)
    assert hi - lo <= 2


def test_known_values() -> None:
    assert exp_enclosure(0, 1, 64) == (2**64, 2**64)
    assert exp_enclosure(0, 7, 0) == (1, 1)
    assert exp_enclosure(1, 1, 64) == (6_786_177_901_268_885_274, 6_786_177_901_268_885_275)
    assert scaled_exp_enclosure(5, 0, 1, 8) == (256, 256)
    assert scaled_exp_enclosure(-5, 0, 1, 8) == (8, 8)
    assert scaled_exp_enclosure(-9, 0, 1, 8) == (0, 1)
    assert scaled_exp_enclosure(5, 1, 1, 8) == (256, 256)
    assert log_enclosure(3, 3, 64) == (0, 0)
    assert log_enclosure(6, 3, 64) == ln2_enclosure(64)


@pytest.mark.parametrize(
    ("p", "q"),
    [(10**40, 1), (1 << 100_000, 3), (1 << 100_000, 1 << 99_980), (64, 1)],
    ids=["large", "huge", "long", "edge"],
)
def test_huge_exponents_are_answered_at_once(p: int, q: int) -> None:
    start = time.thread_time()
    assert exp_enclosure(p, q, 64) == (0, 1)
    assert time.thread_time() - start < 0.05


def test_high_precision() -> None:
    assert encloses(exp_enclosure(22, 7, 2500), exp_oracle(0, 22, 7, 2500))
    assert encloses(log_enclosure(22, 7, 2500), log_oracle(22, 7, 2500))


@pytest.mark.parametrize(
    "call",
    [
        lambda: exp_enclosure(-1, 1, 64),
        lambda: exp_enclosure(1, 0, 64),
        lambda: exp_enclosure(1, -1, 64),
        lambda: exp_enclosure(0, 0, 64),
        lambda: exp_enclosure(1, 1, -1),
        lambda: exp_enclosure(0, 1, -1),
        lambda: scaled_exp_enclosure(3, -1, 1, 64),
        lambda: scaled_exp_enclosure(3, 1, 1, -1),
        lambda: log_enclosure(0, 1, 64),
        lambda: log_enclosure(1, 0, 64),
        lambda: log_enclosure(-1, -1, 64),
        lambda: log_enclosure(1, 1, -1),
        lambda: ln2_enclosure(-1),
    ],
)
def test_outside_the_domain(call: Callable[[], object]) -> None:
    with pytest.raises(ValueError, match="must be"):
        call()
