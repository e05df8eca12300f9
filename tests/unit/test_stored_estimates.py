"""Stored estimates: every field is checked, and m, k and the rule must promise gamma and beta."""

import json
from fractions import Fraction

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import ParameterError


def exponential(rng, size):
    return rng.exponential(size=size)


def estimate(**changed):
    asked = {"draw_record": exponential, "n": 50, "gamma": "0.1", **changed}
    return ln.SensitivitySampler(np.mean, **asked).estimate()


KEPT = estimate(bounds=(0, 9.5)).to_dict()


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"m": 500},
        {"m": 100, "gamma": None},
        {"guarantee": "marginal"},
        {"guarantee": "marginal", "m": 50},
        {"guarantee": "marginal", "m": 50, "gamma": None},
        {"guarantee": "paper"},
        {"guarantee": "paper", "m": 400},
        {"guarantee": "paper", "m": 400, "gamma": None},
        {"bounds": (0, 9.5)},
        {"bounds": (-(2**70), Fraction(31, 3))},
    ],
)
def test_every_rule_is_read_again(changed):
    found = estimate(**changed)
    assert ln.SensitivityEstimate.from_json(found.to_json()) == found


DAMAGED = {
    "sensitivity": ["0", "-1", "1e-30", "1/1000000", 0.1, float("nan"), "1/0", "1e4000", "9" * 400],
    "norm": ["", None, 5],
    "n": ["50", 50.0, True, 0, -1, None],
    "m": [65, "66", 66.0, 10**30],
    "k": ["x", 65, 67, 0],
    "guarantee": ["x", None, "paper", "marginal", []],
    "gamma": ["0", "-1", "1/1000000", "1", "2", 0.1],
    "beta": ["0", "5", "1/1000000", None],
    "rho": ["1/10", "x", 0.1],
    "dimension": ["1", 0, 1.0, True, 2],
    "step": ["0", "-1/1024", "1000", "1/1000", None],
    "bounds": [["5", "1"], [0, 1], ["0"], "01", {}],
    "function": [None, "", "<b>\n"],
    "code": [5, "", "0123456789abcdef0123456789abcdef"],
    "form": [None, {}, {"kind": "array", "shape": [-1], "types": ["f"], "columns": None}, []],
    "batch": [0, "no", None],
    "failures": [-1, 133, "0"],
    "version": [None, 3],
}


@pytest.mark.parametrize("field", sorted(DAMAGED))
def test_a_damaged_field_is_named(field):
    for value in DAMAGED[field]:
        with pytest.raises(ParameterError, match=field):
            ln.SensitivityEstimate.from_json(json.dumps({**KEPT, field: value}))
    without = {name: value for name, value in KEPT.items() if name != field}
    with pytest.raises(ParameterError, match=field):
        ln.SensitivityEstimate.from_json(json.dumps(without))


def test_every_field_is_covered():
    assert {*DAMAGED, "format"} == set(KEPT)
    with pytest.raises(ParameterError, match="extra"):
        ln.SensitivityEstimate.from_json(json.dumps({**KEPT, "extra": 1}))


@pytest.mark.parametrize("text", ["", "[]", "null", "[" * 100_000, '{"format": 1}', None, 5])
def test_what_is_no_estimate_is_refused(text):
    with pytest.raises(ParameterError, match="not a sensitivity estimate"):
        ln.SensitivityEstimate.from_json(text)
    older = json.dumps({**KEPT, "format": "leastnoise sensitivity estimate 1"})
    with pytest.raises(ParameterError, match="sample again"):
        ln.SensitivityEstimate.from_json(older)
