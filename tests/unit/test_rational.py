import enum
import subprocess
import sys
import time
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from leastnoise.numbers import as_fraction, exact, round_half_up


class Level(enum.IntEnum):
    TWO = 2


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, Fraction(3)),
        (-(10**30), Fraction(-(10**30))),
        (Level.TWO, Fraction(2)),
        (0.1, Fraction(1, 10)),
        (1e-300, Fraction(1, 10**300)),
        (5e-324, Fraction(5, 10**324)),
        (1.5e300, Fraction(15 * 10**299)),
        (-0.0, Fraction(0)),
        ("0.5", Fraction(1, 2)),
        ("1/2", Fraction(1, 2)),
        ("-6/4", Fraction(-3, 2)),
        (" 2 ", Fraction(2)),
        ("+.5", Fraction(1, 2)),
        ("1.", Fraction(1)),
        ("1e-6", Fraction(1, 10**6)),
        ("25E2", Fraction(2500)),
        (Decimal("0.10"), Fraction(1, 10)),
        (Decimal("-1.5E+3"), Fraction(-1500)),
        (Decimal("-0"), Fraction(0)),
        (Fraction(7, 3), Fraction(7, 3)),
        (np.float64(0.1), Fraction(1, 10)),
        (np.float32(0.1), Fraction(1, 10)),
        (np.float16(0.1), Fraction(1, 10)),
        (np.longdouble("0.1"), Fraction(1, 10)),
        (np.float32(16777216), Fraction(2**24)),
        (np.int8(-5), Fraction(-5)),
        (np.uint64(2**64 - 1), Fraction(2**64 - 1)),
    ],
)
def test_reads_what_was_written(value: object, expected: Fraction) -> None:
    got = as_fraction(value)
    assert type(got) is Fraction
    assert got == expected
    assert type(got.numerator) is int


@pytest.mark.parametrize(
    "value",
    [
        True,
        False,
        None,
        [],
        [1],
        (1,),
        {},
        b"1",
        1j,
        object(),
        float,
        np.bool_(True),
        np.complex128(1),
        np.array(0.5),
        np.array([1]),
        np.timedelta64(5, "s"),
        np.datetime64("2020-01-01"),
        np.str_,
    ],
    ids=lambda v: type(v).__name__,
)
def test_refuses_what_is_no_number(value: object) -> None:
    with pytest.raises(TypeError, match="expected a number"):
        as_fraction(value)


@pytest.mark.parametrize(
    "value",
    [
        float("nan"),
        float("inf"),
        -float("inf"),
        np.float32("nan"),
        np.float32("inf"),
        np.float64("-inf"),
        np.longdouble("inf"),
        Decimal("NaN"),
        Decimal("sNaN"),
        Decimal("-Infinity"),
        "nan",
        "inf",
        "-Infinity",
        "",
        " ",
        "one",
        "1,5",
        "1_000",
        "1_0/3",
        "0x10",
        "1 /2",
        "1/ 2",
        "1//2",
        "1/2/3",
        "1/-2",
        "1.5/2",
        "--1",
        ".",
        "e5",
        "1e",
        "1e5.5",
        "1/0",
        "٣",
        "１",
        "1\x002",
        "½",
        "1\u00a0",
        np.str_("1,5"),
    ],
    ids=repr,
)
def test_refuses_what_is_not_finite_or_not_parsable(value: object) -> None:
    with pytest.raises(ValueError, match="expected a"):
        as_fraction(value)


@pytest.mark.parametrize(
    "value",
    [
        "1e999999999",
        "1e-999999999",
        "9" * 5000,
        "1/" + "9" * 5000,
        "1e" + "9" * 3000,
        Decimal("1e999999"),
        Decimal("1e-999999"),
        Decimal("9" * 5000),
    ],
    ids=lambda v: f"{str(v)[:12]}",
)
def test_refuses_huge_numbers_quickly(value: object) -> None:
    start = time.thread_time()
    with pytest.raises(ValueError, match="digits"):
        as_fraction(value)
    assert time.thread_time() - start < 0.5


def test_errors_repeat_no_value() -> None:
    with pytest.raises(ValueError) as error:
        as_fraction("4711,5")
    assert "4711" not in str(error.value)
    assert error.value.__cause__ is None
    assert error.value.__context__ is None


def test_ten_tenths_are_one() -> None:
    assert sum(as_fraction(0.1) for _ in range(10)) == 1


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_float_is_its_shortest_text(x: float) -> None:
    assert as_fraction(x) == Fraction(repr(x)) == as_fraction(repr(x)) == as_fraction(np.float64(x))
    assert float(as_fraction(x)) == x


@pytest.mark.parametrize("x", [0.0, -0.0, 500_000.0, -3.0, 2.0**53 - 1, 2.0**53, 1e15, 1e16, 1e300])
def test_whole_floats_are_their_shortest_text(x: float) -> None:
    assert as_fraction(x) == as_fraction(-x) * -1 == Fraction(repr(x))


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_float32_is_its_own_shortest_text(x: float) -> None:
    single = np.float32(x)
    assert np.float32(float(as_fraction(single))) == single
    assert as_fraction(single) == Fraction(str(single))


@given(st.fractions())
def test_fractions_and_their_text_are_kept(x: Fraction) -> None:
    assert as_fraction(x) == as_fraction(str(x)) == x


@given(st.decimals(allow_nan=False, allow_infinity=False, places=20))
def test_decimals_are_exact(x: Decimal) -> None:
    assert as_fraction(x) == Fraction(x)


def test_subclass_of_fraction_becomes_fraction() -> None:
    class Half(Fraction):
        pass

    assert type(as_fraction(Half(1, 2))) is Fraction


def test_numpy_is_not_imported() -> None:
    code = "import sys, leastnoise.numbers.exact as r; r.as_fraction(0.5)\n"
    # The package itself may import numpy; the module's own source must not.
    assert "import numpy" not in Path(exact.__file__).read_text(encoding="utf-8")
    root = str(Path(exact.__file__).parents[2])
    script = f"import sys; sys.path.insert(0, {root!r}); {code}"
    subprocess.run([sys.executable, "-c", script], check=True)


@given(st.integers(), st.integers(min_value=1))
def test_round_half_up_is_floor_of_x_plus_half(n: int, d: int) -> None:
    expected = Fraction(n, d) + Fraction(1, 2)
    assert round_half_up(n, d) == expected.numerator // expected.denominator


@given(st.fractions(), st.fractions())
def test_round_half_up_is_monotone_and_does_not_depend_on_the_form(
    x: Fraction, y: Fraction
) -> None:
    def r(z: Fraction) -> int:
        return round_half_up(z.numerator, z.denominator)

    assert (x <= y) <= (r(x) <= r(y))
    assert round_half_up(3 * x.numerator, 3 * x.denominator) == r(x)


def test_round_half_up_ties() -> None:
    assert [round_half_up(n, 2) for n in (-3, -1, 1, 3)] == [-1, 0, 1, 2]


@pytest.mark.parametrize("denominator", [0, -1])
def test_round_half_up_refuses_a_denominator_that_is_not_positive(denominator: int) -> None:
    with pytest.raises(ValueError, match="denominator"):
        round_half_up(1, denominator)
