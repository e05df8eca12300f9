"""The statistical audit takes whatever a release does, and neither accuses nor misses.

All on fixed streams.
"""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit

DRAWS = 400


class Opaque:
    """An answer without numbers that cannot be hashed."""

    def __eq__(self, other: object) -> bool:  # equality without a hash: it cannot be hashed
        return self is other

    def __repr__(self) -> str:
        return "Opaque()"


def ends(error: BaseException) -> Any:
    raise error


SAME: dict[str, Callable[[np.random.Generator], Any]] = {
    "some exceptions": lambda rng: ends(KeyError(7)) if rng.random() < 0.3 else rng.normal(),
    "arrays": lambda rng: np.round(rng.laplace(size=3), 1),
    "matrices": lambda rng: np.round(rng.laplace(size=(2, 2)), 1),
    "nothing in it": lambda rng: np.zeros(0),
    "None": lambda rng: None,
    "None or a number": lambda rng: None if rng.random() < 0.5 else rng.normal(),
    "NaN": lambda rng: nan,
    "NaN or a number": lambda rng: nan if rng.random() < 0.5 else 1.0,
    "infinite": lambda rng: -inf if rng.random() < 0.5 else inf,
    "tuples of NaN": lambda rng: (nan, float(rng.integers(3))),
    "tuples of any length": lambda rng: (1,) * int(rng.integers(3)),
    "nested lists": lambda rng: [[1, [2.0]], "a", None],
    "texts": lambda rng: str(rng.choice(["a", "b"])),
    "a text or a number": lambda rng: "a" if rng.random() < 0.5 else 3,
    "bytes": lambda rng: b"a",
    "sets": lambda rng: {1, 2},
    "objects": lambda rng: Opaque(),
    "integers beyond doubles": lambda rng: 10**400 + int(rng.integers(3)),
    "such integers or floats": lambda rng: 2**60 + 1 if rng.random() < 0.5 else 0.5,
    "fractions": lambda rng: Fraction(1, 3),
    "huge fractions": lambda rng: Fraction(10**400, 3),
    "decimals": lambda rng: Decimal("1.5"),
    "complex": lambda rng: 1j,
    "dates": lambda rng: np.datetime64("2020-01-01"),
    "masked": lambda rng: np.ma.masked,
    "booleans": lambda rng: bool(rng.random() < 0.5),
    "short floats": lambda rng: np.float32(rng.normal()),
}


@pytest.mark.parametrize("kind", SAME)
def test_answers_of_every_kind_that_do_not_depend_on_data_pass(kind: str) -> None:
    rng = np.random.default_rng(1)
    report = audit.statistical(lambda x: SAME[kind](rng), 0, 1, claimed="1/10", draws=DRAWS)
    assert report.passed, report
    assert str(report).startswith("statistical audit: no violation seen")


TELLING: dict[str, Callable[[int], Any]] = {
    "an exception": lambda x: ends(ValueError("no")) if x else 0.5,
    "another exception": lambda x: ends(ValueError("no") if x else KeyError("no")),
    "an end of the program": lambda x: ends(SystemExit(2)) if x else 0,
    "NaN for a number": lambda x: nan if x else 0.0,
    "NaN in a tuple": lambda x: (nan, 1.0) if x else (0.0, 1.0),
    "None for a number": lambda x: None if x else 0.0,
    "the other infinity": lambda x: inf if x else -inf,
    "an array of another length": lambda x: np.zeros(2 + x),
    "another text": lambda x: "no" if x else "yes",
    "a text in a dict": lambda x: {"a": x},
    "the last digit of a huge integer": lambda x: 10**400 + x,
    "the last bit of a double": lambda x: 1.0 + x * 2.0**-52,
}


@pytest.mark.parametrize("kind", [k for k in TELLING if k != "another exception"])
def test_answers_of_every_kind_that_tell_the_data_are_seen(kind: str) -> None:
    report = audit.statistical(TELLING[kind], 0, 1, claimed=3, draws=DRAWS)
    assert not report.passed, report
    assert report.counts == (DRAWS // 2, 0)


def test_a_release_that_always_fails_is_the_callers_error() -> None:
    with pytest.raises((ValueError, KeyError)):
        audit.statistical(TELLING["another exception"], 0, 1, claimed=3, draws=DRAWS)
    with pytest.raises(SystemExit):
        audit.statistical(lambda x: ends(SystemExit(2)), 0, 1, claimed=3, draws=DRAWS)


@pytest.mark.parametrize("rare", [None, "nothing", nan, (), KeyError("rare")], ids=repr)
def test_rare_other_answers_hide_no_thin_noise(rare: Any) -> None:
    """Laplace noise at twice the claim, beside one answer in twenty that is no number."""
    rng = np.random.default_rng(2)

    def release(x: int) -> Any:
        if rng.random() < 0.05:
            return ends(rare) if isinstance(rare, Exception) else rare
        return x + rng.laplace(scale=0.25)

    report = audit.statistical(release, 0, 1, claimed=2, draws=8_000)
    assert not report.passed, report


def test_vectorised_releases() -> None:
    settings: dict[str, Any] = {"claimed": 1, "draws": DRAWS, "vectorised": True}
    rng = np.random.default_rng(3)
    for sample in (
        lambda x, size: rng.normal(size=(size, 2)).round(),
        lambda x, size: iter(range(size)),
        lambda x, size: np.array([None, "a"] * (size // 2), dtype=object),
        lambda x, size: np.full(size, 2**64 - 1, dtype=np.uint64),
        lambda x, size: np.full(size, nan),
    ):
        assert audit.statistical(sample, 0, 1, **settings).passed
    failing = lambda x, size: ends(ValueError("no")) if x else np.zeros(size)
    assert not audit.statistical(failing, 0, 1, **settings).passed
    odd = lambda x, size: rng.integers(0, 2, size=size) * 2 + x + 2**60
    assert not audit.statistical(odd, 0, 1, **settings).passed
    for wrong in (lambda x, size: [0.0] * (size - 1), lambda x, size: 5):
        with pytest.raises(ln.errors.ParameterError, match="must return size outputs"):
            audit.statistical(wrong, 0, 1, **settings)


@pytest.mark.parametrize("kind", ["some exceptions", "texts"])
def test_many_events_are_paid_for(kind: str) -> None:
    """100 audits at confidence 0.5 of answers that do not depend on data. Hundreds of events are
    looked at, so without fresh draws for the test most audits would accuse; half may."""
    rng = np.random.default_rng(4)
    accused = sum(
        not audit.statistical(
            lambda x: SAME[kind](rng), 0, 1, claimed="1/1000", draws=200, confidence=0.5
        ).passed
        for _ in range(100)
    )
    assert accused <= 50
