"""Sample and aggregate: assignment by secret randomness, failures, records, budgets."""

import asyncio
import signal
import threading
import zlib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.compute as pc
import pytest

import leastnoise as ln
from leastnoise.blackbox.aggregate import assigned, default_step
from leastnoise.blackbox.tables import as_records
from leastnoise.errors import BudgetExceededError, ParameterError, ParameterTypeError
from leastnoise.frames.blocks import block_maker
from leastnoise.randomness import HashedBits
from leastnoise.testing import simulate

F = Fraction
DATA = np.random.default_rng(0).normal(50, 10, 2000)


class Odd(BaseException):
    """What a program may define and raise itself."""


def answers_of(box, data):
    records = as_records(data)
    return box._answers(len(records), block_maker(records))


def aggregate(function=np.mean, **changed):
    asked = {"bounds": (0, 100), "blocks": 50, **changed}
    return ln.SampleAndAggregate(function, **asked)


def test_answer_is_near_and_pure():
    with simulate(1):  # a draw in a thousand is farther away
        r = aggregate().respond(DATA, epsilon=1)
    assert r.guarantee == ln.PureDP(1)
    assert r.draws == (ln.BoundedRange(1),)
    assert r.value == pytest.approx(50, abs=5)
    assert any("50 random blocks" in note for note in r.notes)


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_relations(relation):
    r = aggregate().respond(DATA, epsilon=1, relation=relation)
    assert r.guarantee.scope.relation == relation
    assert r.n_public is (relation == "replace-one")


@pytest.mark.parametrize(
    "data",
    [
        [],
        np.zeros(0),
        [1.0],
        [float("nan")] * 5,
        [float("inf"), -float("inf")],
        ["a", "b"],
        pd.DataFrame({"x": [1.0, 2.0], "y": ["u", "v"]}),
        [None, 7, object()],
        [[1.0], [2.0, 3.0]],
        pd.DataFrame({"x": pd.Series(["u", "v"], dtype="category")}),
    ],
)
def test_every_data_set_gives_a_finite_answer_in_the_bounds(data):
    r = aggregate().respond(data, epsilon=5)
    assert 0 <= r.value <= 100


NO_TABLES = [
    None,
    3,
    object(),
    "data.csv",
    Path("data.csv"),
    b"12",
    bytearray(b"12"),
    {"x": [1, 2]},
    {"x": 1}.values(),
    {1, 2},
    (x for x in [1, 2]),
    np.float64(3),
    np.array(3),
    pl.LazyFrame({"x": [1]}),
]


@pytest.mark.parametrize("data", NO_TABLES, ids=lambda data: type(data).__name__)
def test_what_is_no_table_is_refused_at_no_cost(data, tmp_path):
    ledger = ln.Ledger.create(tmp_path / "l.db", dataset="d", budget=ln.PureDP(1))
    for box in (aggregate(), ln.BlackBox(len, sensitivity=1)):
        with pytest.raises(ParameterTypeError, match="data must be a table"):
            box.respond(data, epsilon=1, ledger=ledger, dataset="d")
    assert ledger.spent.epsilon == 0
    sampler = ln.SensitivitySampler(
        np.mean, draw_record=lambda rng, size: rng.random(size), n=2, gamma="0.5"
    )
    with pytest.raises(ParameterTypeError, match="data must be a table"):
        sampler.respond(data, epsilon=1)


def rows(values):
    return [None if x is None else (x, "u") for x in values]


def kinds(block):
    """What a program can see of the form of its block, beside the values."""
    names = ("dtype", "type", "dtypes", "schema", "index", "attrs", "fill_value", "note")
    facts = [getattr(block, name, None) for name in names]
    facts += [np.shape(getattr(block, "mask", ())), getattr(facts[0], "metadata", None)]
    facts += [getattr(facts[0], "itemsize", None), getattr(facts[3], "metadata", None)]
    if isinstance(block, (pa.Table, pa.RecordBatch)):
        facts += [field.metadata for field in block.schema]
    if isinstance(block, pl.Series):
        view = block.to_arrow(compat_level=pl.CompatLevel.newest())
        facts += [block.flags, block.estimated_size()]
        facts += [sum(part.size for part in view.buffers() if part) // 512]
    seen = [type(block).__name__, *(str(fact) for fact in facts if not callable(fact))]
    if hasattr(block, "cat"):
        seen.append(str(getattr(block.cat, "categories", "")))
    if isinstance(block, list):
        seen += [type(x).__name__ for x in block]
    return zlib.crc32(repr(seen).encode()) % 1009


CONTAINERS = {
    "list": list,
    "tuple": tuple,
    "rows": rows,
    "object array": lambda values: np.array(values, object),
    "pandas": lambda values: pd.Series(values, dtype="Int64"),
    "pandas objects": lambda values: pd.Series(values, dtype=object),
    "pandas categories": lambda values: pd.Series(values, dtype="category"),
    "pandas frame": lambda values: pd.DataFrame({"x": pd.Series(values, dtype="category")}),
    "Polars": lambda values: pl.Series(values, dtype=pl.Int64),
    "Polars frame": lambda values: pl.DataFrame({"x": values}, schema={"x": pl.Int64}),
    "Polars categories": lambda values: pl.Series(map(word, values), dtype=pl.Categorical),
    "Arrow": lambda values: pa.array(values, pa.int64()),
    "Arrow chunks": lambda values: pa.chunked_array([values], pa.int64()),
    "Arrow table": lambda values: pa.table({"x": pa.array(values, pa.int64())}),
    "Arrow codes": lambda values: pa.array(list(map(word, values))).dictionary_encode(),
    "Arrow coded table": lambda values: pa.table(
        {"x": pa.array(list(map(word, values))).dictionary_encode()}
    ),
}


def sentinel(values):
    """Numbers with one that stands for "missing"; numpy drops a mask where it is not there."""
    return np.ma.masked_equal(np.array([-9 if x is None else x for x in values], float), -9)


def attributed(values):
    frame = pd.DataFrame({"x": pd.Series(values, dtype="Int64")})
    frame.attrs["sum"] = int(frame["x"].sum())
    return frame


def described(values):
    total = str(sum(x or 0 for x in values))
    field = pa.field("x", pa.int64(), metadata={"sum": total})
    return pa.table([pa.array(values, pa.int64())], schema=pa.schema([field], {"sum": total}))


class Noted(np.ndarray):
    """An array that keeps something of all its records."""

    def __array_finalize__(self, whole):
        self.note = getattr(whole, "note", None)


def noted(values):
    found = np.array([x or 0 for x in values]).view(Noted)
    found.note = int(found.sum())
    return found


CONTAINERS |= {
    "masked": sentinel,
    "masked objects": lambda values: np.ma.masked_equal(np.array(values, object), None),
    "texts": lambda values: np.array([str(x) * (x or 1) for x in values]),
    "bytes": lambda values: np.array([str(x).encode() * (x or 1) for x in values]),
    "masked texts": lambda values: np.ma.array([str(x) * (x or 1) for x in values]),
    "array of a class of its own": noted,
    "array with metadata": lambda values: np.array(
        [x or 0 for x in values], np.dtype("i8", metadata={"sum": sum(x or 0 for x in values)})
    ),
    "pandas attributes": attributed,
    "pandas Arrow codes": lambda values: pd.Series(
        pd.array(list(map(word, values)), pd.ArrowDtype(pa.dictionary(pa.int8(), pa.string())))
    ),
    "Arrow metadata": described,
    "Arrow batch": lambda values: described(values).to_batches()[0],
    "Polars texts": lambda values: pl.Series([str(x) * 40 * (x or 1) for x in values]),
}


def word(value):
    return None if value is None else str(value)


def codes(block):
    """Physical codes of labels, where the form keeps a list of them."""
    if isinstance(block, pa.Table):
        block = block.column(0).combine_chunks()
    if isinstance(block, pa.DictionaryArray):
        return sum(block.indices.drop_null().to_pylist()) + 100 * len(block.dictionary)
    if isinstance(block, pl.Series):
        return int(block.to_physical().sum()) if block.dtype == pl.Categorical else kinds(block)
    return kinds(block)


@pytest.mark.parametrize("program", [kinds, codes])
@pytest.mark.parametrize("kind", CONTAINERS)
def test_one_record_changes_one_block_whatever_it_is(kind, program):
    """With the same draws, the answers for neighbours differ in one block at most."""
    blocks = aggregate(program, bounds=(0, 2000), blocks=4)
    base = [1, 2] * 10
    odd = [None, 7]
    if kind in ("list", "tuple", "rows", "object array", "pandas objects"):
        odd += ["x", 2**70, (1, 2), F(1, 2), 1.5, True, object(), threading.Lock()]

    def answers(values):
        with simulate(3):
            return answers_of(blocks, CONTAINERS[kind](values))[:, 0]

    assert (answers(base) != blocks.program.constant).all()
    for last in odd:
        assert (answers(base) != answers([*base[:-1], last])).sum() <= 1
        assert (answers(base) != answers([*base, last])).sum() <= 1
    assert (answers(base) != answers(base[:-1])).sum() <= 1


NESTED = pa.dictionary(pa.int8(), pa.string())
SHOWS_OTHER_ROWS = {
    "codes in lists": pa.array([["a"], ["b"]], pa.list_(NESTED)),
    "codes in structs": pa.table(
        {"x": pa.StructArray.from_arrays([pa.array(["a", "b"]).dictionary_encode()], ["k"])}
    ),
    "metadata in lists": pa.array(
        [[1], [2]], pa.list_(pa.field("x", pa.int8(), metadata={"n": "2"}))
    ),
    "codes in pandas": pd.DataFrame({"x": pd.array([["a"]], pd.ArrowDtype(pa.list_(NESTED)))}),
    "codes in Polars": pl.Series([["a"], ["b"]], dtype=pl.List(pl.Categorical)),
    "codes in a Polars struct": pl.DataFrame({"k": pl.Series(["a", "b"], dtype=pl.Categorical)})
    .to_struct("x")
    .to_frame(),  # no query: its threads would not be there in a fork
    "runs": pc.run_end_encode(pa.array([1, 1, 2])),
    "runs in a table": pa.table({"x": pc.run_end_encode(pa.array([1, 1, 2]))}),
    "views": pa.array(["a", "b"], pa.string_view()),
    "sparse": pd.Series(pd.arrays.SparseArray([1.0, 0.0])),
    "a class of its own": type("Mine", (pd.DataFrame,), {})({"x": [1, 2]}),
}


@pytest.mark.parametrize("kind", SHOWS_OTHER_ROWS)
def test_columns_that_show_other_rows_are_refused_at_no_cost(kind, tmp_path):
    ledger = ln.Ledger.create(tmp_path / "l.db", dataset="d", budget=ln.PureDP(1))
    data = SHOWS_OTHER_ROWS[kind]
    with pytest.raises(ParameterTypeError, match=r"^data (has|is)") as error:
        aggregate(len).respond(data, epsilon=1, ledger=ledger, dataset="d")
    assert error.value.__cause__ is None
    assert ledger.spent.epsilon == 0


TYPES = [
    *(pa.null(), pa.bool_(), pa.float16(), pa.float64(), pa.string(), pa.large_string()),
    *(pa.int8(), pa.uint64(), pa.date32(), pa.date64(), pa.time32("s"), pa.time64("ns")),
    *(pa.timestamp("ns", "UTC"), pa.duration("s"), pa.decimal128(4, 1), pa.binary()),
    *(pa.binary(3), pa.dictionary(pa.int8(), pa.int64()), pa.list_(pa.list_(pa.int8()))),
    *(pa.struct({"a": pa.struct({"b": pa.string()})}), pa.map_(pa.string(), pa.int8())),
    *(pa.list_(pa.int8(), 2), pa.large_list(pa.date32()), pa.month_day_nano_interval()),
]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_plain_columns_are_taken(kind):
    values = pa.nulls(7, kind)
    tables = [values, pa.chunked_array([values]), pa.table({"x": values})]
    if not pa.types.is_map(kind) and kind != pa.month_day_nano_interval():
        tables.append(pd.Series(pd.array([None] * 7, pd.ArrowDtype(kind))))
    for table in tables:
        box = ln.SampleAndAggregate(len, bounds=(0, 8), blocks=1)
        assert answers_of(box, table) == 7
        assert 0 <= box.respond(table, epsilon=1).value <= 8


def test_a_block_of_a_list_is_a_list_of_the_records_as_they_are():
    seen = []
    aggregate(lambda block: seen.extend(map(type, block)) or 1).respond([1, 2.5, True], epsilon=1)
    assert sorted(kind.__name__ for kind in seen) == ["bool", "float", "int"]


@pytest.mark.parametrize("error", [asyncio.CancelledError, KeyboardInterrupt, SystemExit, Odd])
def test_no_message_of_a_program_comes_out(error):
    def breaks(records):
        raise error(str(records))

    assert 0 <= aggregate(breaks).respond([1.0], epsilon=1).value <= 100
    box = ln.BlackBox(breaks, sensitivity=1, bounds=(0, 1))
    assert 0 <= box.respond([1.0], epsilon=1).value <= 1


def test_an_interrupt_says_nothing():
    def breaks(records):
        try:
            raise ValueError(str(records))
        except ValueError:
            signal.raise_signal(signal.SIGINT)

    with pytest.raises(KeyboardInterrupt) as caught:
        aggregate(breaks).respond([1.0], epsilon=1)
    assert caught.value.args == ()
    assert caught.value.__context__ is None


def test_blocks_that_agree_are_found():
    """On a lattice of 2^48 points the one point that all blocks name would have no weight."""
    with simulate(4):
        constant = aggregate(lambda records: 3.0, bounds=(0, 10), blocks=60)
        found = [constant.respond(DATA, epsilon=1).value for _ in range(40)]
        near = aggregate(lambda records: 3 + records[0] / 1e5, bounds=(0, 10), blocks=60)
        found += [near.respond(DATA, epsilon=1).value for _ in range(40)]
    assert np.mean(np.abs(np.array(found) - 3)) < 0.02


def test_the_default_step_is_public_and_no_finer_than_blocks_resolve():
    width = F(10)
    for blocks, epsilon, bits in [(1, 1, 10), (60, 1, 11), (100, 1, 26), (1000, 1, 48)]:
        step = default_step((F(0), width), blocks, F(epsilon))
        assert width / 2**bits <= step < 2 * width / 2**bits


def test_a_step_of_ones_own():
    r = aggregate(step="0.25").respond(DATA, epsilon=1)
    assert r.value * 4 == round(r.value * 4)
    for bad in (0, -1, "x"):
        with pytest.raises(ParameterError, match="step"):
            aggregate(step=bad)
    with pytest.raises(ParameterError, match="step"):
        aggregate(step="1e-300").respond(DATA, epsilon=1)


def test_empty_blocks_answer_the_constant():
    with simulate(1):
        r = aggregate(blocks=400).respond([90.0] * 20, epsilon=100)
    assert r.value == pytest.approx(50, abs=0.5)


def test_failures_answer_the_constant_and_are_silent(capsys):
    def breaks(records):
        print("private", records)
        raise ValueError(records)

    with simulate(1):
        r = aggregate(breaks, bounds=(0, 8)).respond(DATA, epsilon=100)
    assert r.value == pytest.approx(4, abs=0.2)
    assert capsys.readouterr() == ("", "")


def test_blocks_are_drawn_for_each_record_alone():
    """The block of a record depends on its own draw: a record more leaves all others in place."""
    one = assigned(300, 7, HashedBits(b"s"))
    more = assigned(301, 7, HashedBits(b"s"))
    differing = [i for i in range(7) if one[i] != more[i]]
    assert len(differing) == 1
    assert sorted(place for block in one for place in block) == list(range(300))
    assert one != assigned(300, 7, HashedBits(b"t"))
    # not by position: what block a record is in says nothing about the next one's
    block_of = np.empty(70_000, dtype=np.int64)
    for number, places in enumerate(assigned(70_000, 7, HashedBits(b"t"))):
        block_of[places] = number
    pairs = np.bincount(7 * block_of[:-1] + block_of[1:], minlength=49)
    assert np.abs(pairs - 70_000 / 49).max() < 5 * (70_000 / 49) ** 0.5


def test_several_coordinates_share_epsilon():
    def both(records):
        return [np.mean(records), np.std(records)]

    r = aggregate(both, dimension=2).respond(DATA, epsilon=4)
    assert r.value == pytest.approx([50, 10], abs=4)
    assert r.guarantee == ln.PureDP(4)
    assert r.draws == (ln.BoundedRange(2), ln.BoundedRange(2))


def test_frames_are_cut_into_frames():
    frame = pd.DataFrame({"x": DATA, "y": 2 * DATA})
    r = aggregate(lambda block: block["y"].mean() - block["x"].mean()).respond(frame, epsilon=5)
    assert r.value == pytest.approx(50, abs=5)


def test_gaussian_median():
    r = aggregate().respond(DATA, epsilon=1, mechanism=ln.Gaussian(delta="1e-6"))
    assert r.guarantee == ln.ApproxDP(1, "1e-6")


def test_budget_is_charged_before_the_program_runs(tmp_path):
    ledger = ln.Ledger.create(tmp_path / "l.db", dataset="d", budget=ln.PureDP(1))
    seen = []

    def watched(records):
        seen.append(float(ledger.spent.epsilon))
        return 1.0

    aggregate(watched).respond(DATA, epsilon=1, ledger=ledger, dataset="d")
    assert set(seen) == {1.0}
    ran = len(seen)
    with pytest.raises(BudgetExceededError):
        aggregate(watched).respond(DATA, epsilon="0.1", ledger=ledger, dataset="d")
    assert len(seen) == ran


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"bounds": None}, "bounds"),
        ({"bounds": (3, 3)}, "bounds"),
        ({"blocks": 0}, "blocks"),
        ({"blocks": 2.5}, "blocks"),
        ({"dimension": 0}, "dimension"),
    ],
)
def test_wrong_parameters_are_named(changed, match):
    with pytest.raises(ParameterError, match=match):
        aggregate(**changed)


def test_wrong_requests_cost_nothing():
    seen = []
    program = aggregate(lambda records: seen.append(1) or 0.0)
    for bad in (0, -1, None, "x"):
        with pytest.raises((ParameterError, TypeError)):
            program.respond(DATA, epsilon=bad)
    with pytest.raises(ParameterError, match="relation"):
        program.respond(DATA, epsilon=1, relation="edge")
    assert seen == []


def test_bounds_of_a_program_are_declared():
    asked = {"bounds": ln.PrivateBounds()}
    draw = lambda rng, size: rng.random(size)
    for make in (
        lambda: ln.SampleAndAggregate(np.mean, blocks=4, **asked),
        lambda: ln.BlackBox(np.mean, sensitivity=1, **asked),
        lambda: ln.SensitivitySampler(np.mean, draw_record=draw, n=4, gamma="0.5", **asked),
    ):
        with pytest.raises(ParameterError, match="from public knowledge"):
            make()
