"""Fingerprints: functions that differ in anything are told apart, or unknown."""

import sys
import types
from decimal import Decimal
from fractions import Fraction
from functools import partial, wraps
from typing import NamedTuple

import numpy as np
import pytest

from leastnoise.blackbox.identity import fingerprint, same_function


class Mean(NamedTuple):
    scale: float

    def __call__(self, records):
        return self.scale * np.mean(records)


class Louder(partial):
    def __call__(self, *args):
        return 1000 * super().__call__(*args)


class Real(float):
    """A number with attributes."""


def holding(value):
    return lambda records: (value, np.mean(records))[1]


def attributed(records):
    return np.mean(records)


attributed.scale = 1.0


@wraps(np.mean)
def wrapped(records):
    return np.mean(records)


def counting():
    calls = 0

    def count(records):
        nonlocal calls
        calls += 1
        return calls

    return count


def importing(records):
    from test_helpers_of_mine import stat  # none is installed

    return stat(records)


UNKNOWN = {
    "named tuple with a call": Mean(1.0),
    "captured named tuple": holding(Mean(1.0)),
    "attributes": attributed,
    "wraps": wrapped,
    "subclass of partial": Louder(np.mean),
    "matrix": holding(np.eye(2).view(np.matrix)),
    "masked": holding(np.ma.array([1.0], mask=[True])),
    "subclass of float": holding(Real(1)),
    "array of objects": holding(np.array([[1]], object)),
    "record array": holding(np.zeros(1, [("a", "f8")])),
    "list": holding([1]),
    "dict": holding({1: 2}),
    "object": holding(object()),
    "class of the user": holding(Real),
    "bound method": Mean(1.0)._replace,
    "state": counting(),
    "import of a module of the user": importing,
    "eval": lambda records: eval("1"),
    "input": lambda records: input(),
    "undefined": lambda records: undefined(records),  # noqa: F821 - that is the case
    "frompyfunc": np.frompyfunc(lambda x: x, 1, 1),
}


@pytest.mark.parametrize("case", sorted(UNKNOWN))
def test_what_may_carry_more_is_unknown(case):
    assert fingerprint(UNKNOWN[case]) is None


def positional(a, /, b=1):
    return a


def keyword(a, *, b=1):
    return a


def caught(records):
    try:
        return records[0]
    except IndexError:
        return 0.0


KNOWN = [
    np.mean,
    np.median,
    np.add,
    np.add.reduce,
    np.maximum.reduce,
    len,
    partial(np.quantile, q=0.5),
    partial(np.quantile, q=0.6),
    positional,
    keyword,
    caught,
    lambda records: 1 * records.mean(),
    lambda records: 2 * records.mean(),
    lambda records: records.mean() * 1 + 0.0,
    lambda records: records.mean() * 1 + -0.0,
    lambda records: records[...].mean(),
    *map(holding, (1, True, 1.0, np.int64(1), np.int32(1), np.float64(1), Fraction(1), Decimal(1))),
    *map(holding, ((1,), frozenset({1}), range(1), slice(1), "1", b"1", None, ..., 10**5000)),
    *map(holding, (np.ones(2), np.ones((2, 1)), np.zeros(2), np.ones(2, int), np.dtype(float))),
    *map(holding, (np.float32, np.mean, holding(1), holding(2), (holding(1), 2))),
]


def test_what_is_known_is_told_apart():
    found = [fingerprint(function) for function in KNOWN]
    assert None not in found
    assert len(set(found)) == len(KNOWN)
    assert found == [fingerprint(function) for function in KNOWN]
    assert fingerprint(holding((1, (2, "a")))) == fingerprint(holding((1, (2, "a"))))


def test_attributes_of_own_modules_are_part(monkeypatch):
    helpers = types.ModuleType("helpers_of_mine")
    helpers.SCALE, helpers.inner = 1.0, types.ModuleType("helpers_of_mine.inner")
    helpers.inner.stat = holding(1)
    monkeypatch.setitem(sys.modules, "helpers_of_mine", helpers)
    scope = {"helpers": helpers}
    exec("def f(records): return helpers.SCALE * helpers.inner.stat(records)", scope)
    exec("def g(records): return getattr(helpers, 'SCALE')", scope)
    before = fingerprint(scope["f"])
    assert before is not None
    assert fingerprint(scope["g"]) is None
    helpers.SCALE = 1000.0
    changed = fingerprint(scope["f"])
    helpers.inner.stat = holding(2)
    assert len({before, changed, fingerprint(scope["f"])}) == 3


def test_large_graphs_and_deep_values():
    lines = [f"def g{i}(r): return g{i + 1}(r) + h{i + 1}(r)" for i in range(300)]
    lines += [f"def h{i}(r): return g{i + 1}(r) * h{i + 1}(r)" for i in range(300)]
    scope = {}
    exec("\n".join([*lines, "def g300(r): return g0(r)", "def h300(r): return 1"]), scope)
    assert fingerprint(scope["g0"]) is not None
    deep, wide = (), ()
    for _ in range(900):
        deep = (deep,)
    for _ in range(40):
        wide = (wide, wide)
    assert fingerprint(holding(deep)) is None
    assert fingerprint(holding(wide)) is not None


def test_other_versions_are_the_users_word():
    one = "cpython-311-0123456789ab:" + "a" * 32
    library, python = one.replace("0123", "9999"), one.replace("311", "312")
    other = one.replace("a" * 32, "b" * 32)
    assert same_function(one, one)
    assert not same_function(one, other, assume=True)
    assert not same_function(one, library)
    assert same_function(one, library, assume=True)
    assert not same_function(other, library, assume=True)
    assert not same_function(one, python)
    assert same_function(other, python, assume=True)
    assert not same_function(None, None)
    assert same_function(None, None, assume=True)
    assert not same_function(None, one, assume=True)
