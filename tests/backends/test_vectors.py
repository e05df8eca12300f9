"""Vector statistics through every front end in memory: the same exact sums, the same answers."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import ColumnTypeError, ParameterTypeError, SchemaError
from leastnoise.frames.memory.vectors import summarise_vectors
from leastnoise.frames.readers.unnamed import matrix_of_rows
from leastnoise.session.prepare import plan
from leastnoise.summaries.vectors import VectorRequest, VectorSummary
from leastnoise.testing import simulate
from support.optional import optional

ROWS = [(1.0, 2.5, -3.0), (0.25, 9.0, 4.0), (7.5, -1.0, 0.5), (2.0, 2.0, 2.0), (1e9, 0.125, -1e9)]
BOUNDS = [(0, 8), (-1, 5), (-4, 4)]
NAMES = ["a", "b", "c"]


def columns(rows: list[Any]) -> dict[str, list[Any]]:
    return {name: [row[j] for row in rows] for j, name in enumerate(NAMES)}


def summed(statistic: Any, data: Any, missing: Any = "none") -> tuple[VectorSummary, VectorRequest]:
    prepared = plan(statistic, data, "replace-one", missing)
    request: Any = prepared.request
    return summarise_vectors(prepared.table, request), request


def naive(request: VectorRequest, rows: list[Any]) -> tuple[int, ...]:
    """From the definition: clip, round, scale, T(z), in Fractions."""
    total = [Fraction(0)] * request.space.dimension
    for row in rows:
        z: list[Fraction] = []
        for value, lattice, w in zip(row, request.lattices, request.widths, strict=True):
            point = round(Fraction(value) / lattice.step)
            point = min(max(point, lattice.low), lattice.high)
            z.append(Fraction(2 * point - lattice.low - lattice.high, w))
        total = [t + x for t, x in zip(total, request.space.vector(z), strict=True)]
    whole = [t / u for t, u in zip(total, request.units, strict=True)]
    assert all(x.denominator == 1 for x in whole)
    return tuple(int(x) for x in whole)


def makers(folder: Path) -> dict[str, Any]:
    pd = optional("pandas")
    pl = optional("polars")
    pa = optional("pyarrow")
    named = columns(ROWS)
    path = folder / "rows.csv"
    pd.DataFrame(named).to_csv(path, index=False)
    return {
        "dict": named,
        "pandas": pd.DataFrame(named),
        "polars": pl.DataFrame(named),
        "arrow": pa.table(named),
        "csv": str(path),
    }


@pytest.mark.parametrize("kind", ["dict", "pandas", "polars", "arrow", "csv"])
def test_named_columns_give_the_sums_of_the_definition(kind: str, tmp_path: Path) -> None:
    statistic = ln.MomentVector(NAMES, bounds=BOUNDS)
    summary, request = summed(statistic, makers(tmp_path)[kind])
    assert summary.n == len(ROWS)
    assert summary.totals == naive(request, ROWS)


@pytest.mark.parametrize(
    "data", [ROWS, [list(r) for r in ROWS], np.array(ROWS), np.array(ROWS).T.copy().T]
)
def test_matrices_and_rows_give_the_same_sums(data: Any) -> None:
    summary, request = summed(ln.MomentVector(bounds=BOUNDS), data)
    assert summary.totals == naive(request, ROWS)
    named, _ = summed(
        ln.MomentVector(NAMES, bounds=dict(zip(NAMES, BOUNDS, strict=True))), columns(ROWS)
    )
    assert named.totals == summary.totals


@pytest.mark.parametrize("width", [1, 100, 2**31, 2**45, 2**62])
def test_integer_columns_are_exact_whatever_their_width(width: int) -> None:
    rng = np.random.default_rng(width % 97)
    data = rng.integers(-width, width, size=(5000, 2), dtype=np.int64, endpoint=True)
    statistic = ln.MomentVector(bounds=[(-width, width)] * 2)
    summary, request = summed(statistic, data)
    assert request.lattices[0].step == 1
    a, b = ([int(x) for x in data[:, j]] for j in range(2))
    w = 2 * width
    expected = [
        2 * sum(a),
        2 * sum(b),
        sum(8 * x * x - w * w for x in a),
        sum(8 * x * x - w * w for x in b),
        sum(4 * x * y for x, y in zip(a, b, strict=True)),
    ]
    assert list(summary.totals) == expected


def test_rows_of_another_length_are_missing_and_no_others() -> None:
    """Whatever holds the entries of a row, and however many there are."""
    for width in range(1, 4):
        for size in range(6):
            entries = [float(i + 1) for i in range(size)]
            rows: list[Any] = [entries, tuple(entries), np.array(entries), iter(entries)]
            found = matrix_of_rows(rows, width)
            wanted = entries if size == width else [np.nan] * width
            assert np.array_equal(found, [wanted] * len(rows), equal_nan=True), (width, size)


def test_summaries_merge() -> None:
    statistic = ln.MomentVector(bounds=BOUNDS)
    one, two, both = (summed(statistic, part)[0] for part in (ROWS[:2], ROWS[2:], ROWS))
    assert one.merge(two) == both
    empty, request = summed(statistic, [])
    assert empty.merge(both) == both
    assert empty == request.empty(0)
    with pytest.raises(ValueError, match="units"):
        both.merge(summed(ln.MomentVector(bounds=[(0, 1)] * 3), ROWS)[0])


NAN = float("nan")
HOLES = [(1.0, NAN, 2.0), (NAN, NAN, NAN), (3.0, 1.0, -1.0), (None, "1", "x"), (1.0, 2.0), "text"]


def test_missing_entries_follow_one_policy() -> None:
    statistic = ln.MomentVector(bounds=BOUNDS)
    dropped, request = summed(statistic, HOLES, "drop")
    assert dropped.n == 1
    assert dropped.totals == naive(request, [(3.0, 1.0, -1.0)])
    filled, request = summed(statistic, HOLES)
    middle = (4, 2, 0)
    rows = [(1, 2, 2), middle, (3, 1, -1), (4, 1, 0), middle, middle]
    assert filled.n == len(HOLES)
    assert filled.totals == naive(request, rows)
    imputed, request = summed(statistic, HOLES, 1)
    assert imputed.totals == naive(
        request, [(1, 1, 2), (1, 1, 1), (3, 1, -1), (1, 1, 1), (1, 1, 1), (1, 1, 1)]
    )
    record = ln.release(statistic, HOLES, epsilon=1)
    assert record.profile_relation == "edit"
    assert not record.n_public
    assert isinstance(record.value["count"], int)


def test_of_several_indicators_the_first_stays() -> None:
    data = {"x": [1, 1, 0, 0], "y": [0, 1, 1, 0], "v": [3, 5, 7, 9]}
    statistic = ln.MomentVector(
        ["x", "y", "v"], bounds=[(0, 1), (0, 1), (0, 10)], exclusive=[["x", "y"]]
    )
    summary, request = summed(statistic, data)
    clean = [(1, 0, 3), (1, 0, 5), (0, 1, 7), (0, 0, 9)]
    assert summary.totals == naive(request, clean)
    exact = ln.release(statistic, data, epsilon=10**12, missing="none").value
    assert np.allclose(exact["products"], np.array(clean).T @ np.array(clean))


def test_schema_errors_come_from_names_and_shapes() -> None:
    named = ln.MomentVector(NAMES, bounds=BOUNDS)
    bare = ln.MomentVector(bounds=BOUNDS)
    with pytest.raises(SchemaError, match="no column names"):
        ln.release(named, np.array(ROWS)[:, 0], epsilon=1)
    with pytest.raises(SchemaError, match="there is no column 'c'"):
        ln.release(named, {"a": [1], "b": [2]}, epsilon=1)
    with pytest.raises(SchemaError, match="3 columns"):
        ln.release(bare, np.ones((4, 2)), epsilon=1)
    with pytest.raises(SchemaError, match="columns="):
        ln.release(bare, {"a": [1], "b": [2]}, epsilon=1)
    with pytest.raises(ColumnTypeError):
        ln.release(named, {"a": np.array(["x"]), "b": [2], "c": [1]}, epsilon=1)
    with pytest.raises(ParameterTypeError, match="one value"):
        ln.release(bare, 3, epsilon=1)


def test_large_epsilon_reproduces_numpy() -> None:
    rng = np.random.default_rng(3)
    data = rng.uniform(-4, 4, size=(500, 3)) @ np.array([[1, 0.5, 0], [0, 1, 0.2], [0, 0, 0.5]])
    bounds = [(-10, 10)] * 3
    for relation in ("replace-one", "add-remove", "edit"):
        with simulate(7):
            options: dict[str, Any] = {"epsilon": 10**9, "relation": relation, "missing": "none"}
            moments: Any = ln.release(ln.MomentVector(bounds=bounds), data, **options).value
            means: Any = ln.release(ln.MeanVector(bounds=bounds), data, **options).value
            covariance: Any = ln.release(ln.Covariance(bounds=bounds), data, **options).value
            correlation: Any = ln.release(ln.Correlation(bounds=bounds), data, **options).value
        assert moments["count"] == 500
        assert np.allclose(moments["sums"], data.sum(0), atol=0.01)
        assert np.allclose(moments["products"], data.T @ data, atol=0.1)
        assert np.allclose(means, data.mean(0), atol=1e-4)
        assert np.allclose(covariance, np.cov(data.T, ddof=0), atol=1e-3)
        assert np.allclose(correlation, np.corrcoef(data.T), atol=1e-3)


AWKWARD: list[Any] = [
    [], [(1, 1, 1)], [(NAN, NAN, NAN)] * 3, [(2, 2, 2)] * 50, [(1e300, -1e300, float("inf"))] * 4,
]  # fmt: skip


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("data", AWKWARD, ids=range(len(AWKWARD)))
def test_every_data_set_gives_a_finite_answer(data: Any, relation: str) -> None:
    for missing in (None, "none"):
        for epsilon in ("1e-9", 1):
            options: dict[str, Any] = {"epsilon": epsilon, "relation": relation, "missing": missing}
            c: Any = ln.release(ln.Covariance(bounds=BOUNDS), data, **options).value
            r: Any = ln.release(ln.Correlation(bounds=BOUNDS), data, **options).value
            m: Any = ln.release(ln.MeanVector(bounds=BOUNDS), data, **options)
            assert np.isfinite(c).all()
            assert np.linalg.eigvalsh(np.array(c)).min() > -1e-6
            assert all(c[j][j] <= (hi - lo) ** 2 / 4 + 1e-6 for j, (lo, hi) in enumerate(BOUNDS))
            assert all(abs(r[j][k]) <= 1 for j, k in combinations(range(3), 2))
            assert all(lo <= x <= hi for x, (lo, hi) in zip(m.value, BOUNDS, strict=True))
            moments = ln.release(ln.MomentVector(bounds=BOUNDS), data, **options)
            assert ln.Release.from_json(moments.to_json()) == moments
            with pytest.raises(TypeError):
                float(moments)
            with pytest.raises(TypeError):
                float(m)


@pytest.mark.parametrize("width", [1e150, 1e160, 1e300])
def test_covariances_beyond_doubles_are_cut_and_correlations_have_no_unit(width: float) -> None:
    options: dict[str, Any] = {"epsilon": 1, "missing": "none"}

    def drawn(statistic: Any, width: float, seed: int) -> Any:
        of = statistic(bounds=[(-width, width)] * 2)
        with simulate(seed):
            return ln.release(of, [[0.5, 0.5]] * 4, **options).value

    for seed in range(6):
        assert np.isfinite(drawn(ln.Covariance, width, seed)).all()
        assert np.allclose(*(drawn(ln.Correlation, size, seed) for size in (width, 1e100)))


@pytest.mark.parametrize("columns", [2, 5])
def test_noisy_correlations_shrink_where_no_covariance_matrix_has_them(columns: int) -> None:
    rng = np.random.default_rng(columns)
    rows = rng.uniform(-1, 1, size=(400, columns))
    statistic = ln.Correlation(bounds=[(-1, 1)] * columns)
    largest: list[float] = []
    for seed in range(20):
        with simulate(seed):
            matrix: Any = ln.release(statistic, rows, epsilon="1/10", missing="none").value
        assert np.allclose(matrix, np.transpose(matrix))
        assert np.linalg.eigvalsh(matrix).min() > -1e-9
        assert np.array_equal(np.diag(matrix), np.ones(columns))
        largest.append(float(np.abs(matrix - np.eye(columns)).max()))
    # noise outweighs these independent columns: their nearest covariance matrix has ones
    assert max(largest) < 0.95


def shape(record: list[float]) -> Any:
    """Two coordinates; raises for 1, prints, and gives NaN or nonsense for others."""
    print("secret", record)
    if record[0] == 1:
        raise ValueError("secret")
    if record[0] == 2:
        return float("nan"), 1.0
    if record[0] == 3:
        return "no vector"
    return record[0] * record[1], record[0] ** 2


def test_a_function_of_one_s_own_is_clipped_and_may_fail(
    capsys: pytest.CaptureFixture[str],
) -> None:
    rows = [(0, 1), (1, 1), (2, 1), (3, 1), (4, 0.5), (8, -1)]
    statistic = ln.RecordSum(shape, bounds=[(0, 8), (-1, 1)], box=[(-4, 4), (0, 20)])
    summary, request = summed(statistic, rows)
    middle = (Fraction(0), Fraction(10))
    expected = [(0, 0), middle, (Fraction(0), 1), middle, (2, 16), (-4, 20)]
    for j, (low, high) in enumerate([(-4, 4), (0, 20)]):
        total = sum((Fraction(v[j]) * 2 - low - high) / (high - low) for v in expected)
        assert float(summary.totals[j] * summary.units[j]) == pytest.approx(float(total), abs=1e-5)
    assert request.space.dimension == 2
    record: Any = ln.release(statistic, rows, epsilon=10**9, missing="none")
    assert np.allclose(record.value["sums"], [-2, 57], atol=1e-3)
    assert "secret" not in "".join(capsys.readouterr())
    named = ln.RecordSum(shape, ["x", "y"], bounds=(0, 9), box=[(0, 1), (0, 1)])
    data = {"x": [1.0, 2.0], "y": [0.5, NAN]}
    assert ln.release(named, data, epsilon=1).profile_relation == "edit"
    with pytest.raises(ParameterTypeError, match="callable"):
        ln.RecordSum(3, bounds=[(0, 1)], box=[(0, 1)])
    with pytest.raises(ParameterTypeError, match="box"):
        ln.RecordSum(shape, bounds=[(0, 1)])


def test_no_record_moves_a_function_by_more_than_its_sensitivity() -> None:
    from leastnoise.testing import check_vector

    statistic = ln.RecordSum(
        lambda r: (r[0] * r[1], r[0] ** 2, 1 / r[0]), bounds=[(0, 3), (-1, 1)], box=[(-3, 3)] * 3
    )
    rows = [[x, y] for x in (0, 1, 3) for y in (-1, 1)]
    assert check_vector(statistic, rows, balls=("linf", "l1"), draws=60) > 100


def test_a_profile_and_its_law_can_be_looked_at() -> None:
    statistic = ln.MomentVector(NAMES, bounds=BOUNDS)
    seen: Any = ln.profile(statistic, columns(ROWS), missing="none")
    assert isinstance(seen, ln.VectorProfile)
    assert seen.value == summed(statistic, columns(ROWS))[0].totals
    assert "NOT PRIVATE" not in repr(statistic)
    for mechanism in (ln.KNorm("blocks"), ln.ConeLaplace(), ln.KNorm()):
        law = mechanism.law(seen, 2)
        draws = law.sample(400, np.random.default_rng(0))
        assert draws.shape == (400, 9)
        centre = np.array([float(v * u) for v, u in zip(seen.value, seen.units, strict=True)])
        assert np.abs(draws.mean(axis=0) - centre).max() < 6 * draws.std(axis=0).max() / 20
        assert "NOT PRIVATE" in repr(law)
    named: Any = ln.profile(statistic, columns(ROWS), missing="none", where=ln.col("a") > 1)
    assert len(named.value) == 10
