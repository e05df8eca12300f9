"""The form of private data is compared with drawn databases before anything is charged."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import leastnoise as ln
from leastnoise.blackbox.forms import form_of
from leastnoise.errors import ParameterError
from leastnoise.testing import simulate

DATA = np.random.default_rng(3).exponential(size=50)


def exponential(rng, size):
    return rng.exponential(size=size)


def table(rng, size):
    return pd.DataFrame({"x": rng.random(size), "y": rng.random(size)})


def sampler(function=np.mean, draw=exponential):
    return ln.SensitivitySampler(function, draw_record=draw, n=50, gamma="0.1", workers=1)


def column_mean(frame):
    return float(frame["x"].mean())


PLAIN, FRAME = sampler().estimate(), sampler(column_mean, table).estimate()
BOTH = {"x": DATA, "y": DATA}


@pytest.mark.parametrize(
    ("estimate", "data", "match"),
    [
        (PLAIN, DATA.astype(str), "of the drawn type, 'f'"),
        (PLAIN, pl.Series(DATA.astype(str)), "of the drawn type"),
        (PLAIN, pd.Series(DATA.astype(object)), "of the drawn type"),
        (PLAIN, np.tile(DATA[:, None], 10), r"shape \(\) of a drawn record, got \(10,\)"),
        (PLAIN, pd.DataFrame(BOTH), "must be array"),
        (PLAIN, np.ma.array(DATA), "must be array"),
        (FRAME, pd.DataFrame({"y": DATA}), "columns"),
        (FRAME, pd.DataFrame({"y": DATA, "x": DATA}), "in that order"),
        (FRAME, pd.DataFrame({**BOTH, "z": DATA}), "columns"),
        (FRAME, pd.DataFrame({"x": DATA.astype(str), "y": DATA}), "column 'x' must have"),
        (FRAME, DATA, "must be pandas table"),
        (FRAME, pl.DataFrame(BOTH), "must be pandas table"),
        (FRAME, [{"x": x} for x in DATA], "must be pandas table"),
    ],
)
def test_another_form_is_refused_before_the_charge(tmp_path, estimate, data, match):
    budget = ln.RandomDP(5, 0, "0.5", "0.1")
    ledger = ln.Ledger.create(tmp_path / "l.db", dataset="d", budget=budget)
    again = ln.SensitivityEstimate.from_json(estimate.to_json())
    function = np.mean if estimate is PLAIN else column_mean
    with pytest.raises(ParameterError, match=match):
        again.respond(function, data, epsilon=1, ledger=ledger, dataset="d")
    assert ledger.spent.epsilon == 0


@pytest.mark.parametrize(
    "data",
    [
        DATA.astype(np.float32),
        np.arange(50),
        list(range(50)),
        pd.Series(DATA, index=range(100, 150)),
        pd.Series([1, 2] * 25, dtype="Int64"),
        pl.Series(DATA),
        pa.array(DATA),
        pa.chunked_array([DATA[:20], DATA[20:]]),
    ],
    ids=lambda data: type(data).__name__,
)
def test_series_and_whole_numbers_become_the_array_that_is_drawn(data):
    seen = []

    def mean(records):
        seen.append((type(records), records.dtype.kind))
        return np.mean(records)

    estimate = sampler(mean).estimate()
    with simulate(1):
        r = estimate.respond(mean, data, epsilon=10**6, same_function=True)
    assert r.value == pytest.approx(np.mean(np.asarray(data, dtype=float)), abs=1e-3)
    assert set(seen) == {(np.ndarray, "f")}


@pytest.mark.parametrize("missing", [[1, None], [None, None]], ids=["some", "all"])
def test_missing_entries_of_a_series_are_no_error(missing):
    for data in (
        pd.Series(missing * 25, dtype="Int64"),
        pl.Series(missing * 25, dtype=pl.Int64),
        pa.array(missing * 25, type=pa.int64()),
    ):
        assert np.isfinite(PLAIN.respond(np.mean, data, epsilon=1).value)


def test_forms_are_declared_types_alone():
    assert form_of(pl.DataFrame(BOTH)).types == ("f", "f")
    assert form_of(pa.table({"x": [1, None], "s": ["a", None]})).types == ("i", "string")
    assert form_of(pa.table({"x": [1.5]})).columns == ("x",)
    assert form_of(np.zeros((3, 2), np.uint8)).types == ("i",)
    assert form_of(np.zeros((3, 2))).shape == (2,)
    assert form_of(np.zeros(3, [("a", "f8")])) != form_of(np.zeros(3, [("b", "f8")]))
    assert form_of(["a"]) == form_of([1.0, 2.0])


def test_a_size_with_a_default_is_the_fast_way_to_draw():
    found = sampler(draw=lambda rng, size=1: rng.exponential(size=size))
    assert np.shape(found.draw_record(np.random.default_rng(1), 3)) == (3,)
    assert found.respond(DATA, epsilon=1).secure
    one = sampler(draw=lambda rng, scale=1, size=1: rng.exponential(scale))
    assert np.shape(one.draw_record(np.random.default_rng(1), 3)) == (3,)


def test_polars_and_arrow_tables_may_be_drawn():
    def polars(rng, size):
        return pl.DataFrame({"x": rng.random(size)})

    for draw in (polars, lambda rng, size: polars(rng, size).to_arrow()):
        found = sampler(lambda table: float(np.mean(np.asarray(table["x"]))), draw)
        assert 0 < float(found.estimate()) < 0.1
        with pytest.raises(ParameterError, match="columns"):
            found.respond(pl.DataFrame({"y": DATA}), epsilon=1) if draw is polars else (
                found.respond(pa.table({"y": DATA}), epsilon=1)
            )
