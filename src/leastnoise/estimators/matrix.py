"""Features and targets as floats: errors from shapes and declared types, never from a value.

Every entry is read by itself by the rule of ``frames.readers.values``: what is not a number is NaN,
which is the missing value. scikit-learn's own validators look at values (a NaN, an infinity, text)
and raise; on private data such an error would be an answer.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import (
    ColumnTypeError,
    ParameterError,
    ParameterTypeError,
    SchemaError,
    quoted,
)
from leastnoise.estimators.interface import DataConversionWarning, validate_data
from leastnoise.foreign import class_of, is_list_or_tuple, is_mapping
from leastnoise.frames.libraries.on_numpy import is_array
from leastnoise.frames.memory.labels import as_floats, label_type, whole_codes
from leastnoise.frames.memory.table import BareTable, NamedTable, array_table
from leastnoise.frames.readers.dataframes import open_eager
from leastnoise.frames.readers.unnamed import matrix_columns, matrix_of_rows, unnamed_columns
from leastnoise.frames.readers.values import Dialect
from leastnoise.frames.table import class_name
from leastnoise.params import PrivateBounds, listed, parse_bounds, parse_number
from leastnoise.summaries.columns import ColumnType, Reading

Floats = NDArray[np.float64]
Bounds = tuple[Fraction, Fraction]
_FARTHEST = Fraction(10**100)


@dataclass(frozen=True, slots=True, repr=False)
class Matrix:
    """NOT PRIVATE. Private rows behind a public schema: ``columns`` features, ``rows`` rows.

    They are held as columns, or as a list of rows. ``whole`` tells the columns whose type holds
    whole numbers alone.
    """

    held: Sequence[BareTable] | Callable[[], Floats]
    columns: int
    rows: int
    schema: tuple[tuple[str, str], ...]
    whole: tuple[bool, ...]

    def __repr__(self) -> str:
        return "Matrix(NOT PRIVATE)"

    def floats(self) -> Floats:
        """Read all entries; NaN where an entry is not a number."""
        if callable(self.held):
            return self.held()
        found = np.empty((self.rows, self.columns))
        for k, column in enumerate(self.held):
            found[:, k] = as_floats(column.column(None))
        return found


def open_features(estimator: object, X: Any, y: Any, bounds: object) -> Matrix:
    """Open features and tell scikit-learn their number and names.

    Raises
    ------
    SchemaError, ParameterTypeError
        As ``open_matrix``.
    """
    rows = open_matrix(X, bounds)
    listed = isinstance(X, (list, tuple))
    seen: Any = np.empty((0, rows.columns)) if listed else X
    validate_data(estimator, seen, y, skip_check_array=True)
    return rows


def _listed(rows: Sequence[Any], bounds: object) -> Matrix:
    pairs = _pairs(bounds)
    if pairs is None:
        raise SchemaError(
            "X is a list, whose type does not say how many features there are: give bounds as "
            "one pair per feature (rows of another length then count as missing), or X as an "
            "array or a frame"
        )
    width = len(pairs)
    schema = tuple((str(k), "list") for k in range(width))
    held = partial(matrix_of_rows, rows, width)
    return Matrix(held, width, len(rows), schema, (False,) * width)


def open_matrix(X: Any, bounds: object) -> Matrix:
    """Open a matrix, frame or list of features whose types are known.

    A list has no schema: its number of features is that of ``bounds``, one pair a feature.

    Raises
    ------
    SchemaError, ParameterTypeError
        If it is not a table of numbers: sparse, one-dimensional, without columns, with two columns
        of one name, or of a type that holds no numbers.
    """
    if hasattr(X, "tocsr"):
        raise ParameterTypeError("X is a sparse matrix, which is not supported; give X.toarray()")
    if is_list_or_tuple(X):
        return _listed(X, bounds)
    frame = None if is_array(X) else open_eager(X, Dialect())
    if isinstance(frame, NamedTable):
        names = tuple(str(label) for label in frame.labels)
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise SchemaError(f"X has several columns of the same name: {', '.join(twice)}")
        columns = [frame.at(k) for k in range(len(names))]
        return _matrix(columns, names, frame.row_count())
    if frame is not None or not (is_array(X) or _is_foreign_array(X)):
        raise SchemaError(
            f"X must be a table of rows and columns, not {class_name(X)}. Reshape your data: "
            "give a matrix, a list of rows or a frame"
        )
    array = _plain(X)
    if array.ndim != 2:
        raise SchemaError(
            f"Expected 2D array, got {array.ndim}D array instead. Reshape your data either using "
            "X.reshape(-1, 1) if it has a single feature or X.reshape(1, -1) if it has one row"
        )
    if array.dtype.kind == "c":
        raise ColumnTypeError("Complex data not supported: X holds complex numbers")
    columns = list(map(array_table, matrix_columns(array)))
    return _matrix(columns, [str(k) for k in range(len(columns))], len(array))


def _plain(data: Any) -> NDArray[Any]:
    """An array without rules of its own; where a foreign one would choose a type, of objects."""
    if is_array(data) and isinstance(data, np.ma.MaskedArray):
        return data
    return np.asarray(data, dtype=None if is_array(data) else object)


def _is_foreign_array(data: object) -> bool:
    """Whether data is an array of a library that is not read; no frame, whose columns have types of
    their own."""
    kind = type(data)
    if not hasattr(kind, "__array__") or hasattr(kind, "dtype") or hasattr(kind, "columns"):
        return False
    return open_eager(data, Dialect()) is None


def _matrix(columns: Sequence[BareTable], names: Sequence[str], rows: int) -> Matrix:
    if not columns:
        raise SchemaError(
            "Found array with 0 feature(s) while a minimum of 1 is required: X has no columns"
        )
    types = [c.physical.column_type(name) for c, name in zip(columns, names, strict=True)]
    schema = tuple((name, one.kind) for name, one in zip(names, types, strict=True))
    return Matrix(columns, len(columns), rows, schema, tuple(one.integer for one in types))


def _target_table(y: Any, rows: int) -> NamedTable:
    if hasattr(y, "tocsr"):
        raise ParameterTypeError(
            "y is a sparse matrix, which is not supported; give y.toarray().ravel()"
        )
    if is_list_or_tuple(y):
        y = [_only(entry) for entry in y]
    elif is_array(y) or _is_foreign_array(y):
        y = _plain(y)
        if y.dtype.kind == "c":
            raise ColumnTypeError("Complex data not supported: y holds complex numbers")
    try:
        columns = unnamed_columns(y, 1, {})
    except SchemaError as error:
        raise SchemaError(f"y: {error}") from None
    if len(columns) != 1:
        raise SchemaError("y must be a single column")
    if len(getattr(y, "shape", ())) == 2:
        warnings.warn(
            "A column-vector y was passed when a 1d array was expected. Please change the shape "
            "of y to (n_samples,), for example using ravel()",
            DataConversionWarning,
            stacklevel=4,
        )
    table = NamedTable.of({"y": columns[0]})
    if table.row_count() != rows:
        raise SchemaError("X and y have different numbers of rows")
    return table


def _only(entry: Any) -> Any:
    """The only entry of a row of one: a target may be a list of rows, as features are."""
    kind = class_of(entry)
    row = kind is list or kind is tuple or (kind is np.ndarray and entry.ndim == 1)
    return entry[0] if row and len(entry) == 1 else entry


@dataclass(frozen=True, slots=True, repr=False)
class Target:
    """NOT PRIVATE. A column of targets behind its public type.

    ``whole``: that type holds whole numbers alone.
    """

    table: NamedTable
    labels: tuple[str | float, ...] | None
    whole: bool = False

    def __repr__(self) -> str:
        return "Target(NOT PRIVATE)"

    def floats(self) -> Floats:
        """The numbers, NaN where there is none."""
        return as_floats(self.table.column("y"))

    def codes(self) -> NDArray[np.int64]:
        """Positions in the declared labels; -1 for undeclared entries."""
        return whole_codes(self.table, "y", self.labels or ())


def open_target(y: Any, rows: int) -> Target:
    """A column of numbers, as long as there are rows."""
    table = _target_table(y, rows)
    try:
        whole = table.column_type("y").integer
    except ColumnTypeError:
        kind = table.at(0).physical.kind
        raise ColumnTypeError(
            f"y has type {kind}, which holds no numbers: for labels take "
            "PrivateLogisticRegression(classes=[...]), or convert y to numbers"
        ) from None
    return Target(table, None, whole)


def open_labels(y: Any, rows: int, labels: tuple[str | float, ...]) -> Target:
    """A column of declared labels.

    Raises
    ------
    SchemaError, ColumnTypeError, ParameterTypeError
        If it is not a column, or its type never holds one of the labels.
    """
    table = _target_table(y, rows)
    try:
        kind = label_type(table, "y", labels)
    except ColumnTypeError as error:
        raise ColumnTypeError(f"{error}; {_numbered(labels)}") from None
    never = [label for label in labels if not _may_hold(kind, label)]
    if never:
        raise ColumnTypeError(
            f"y has type {kind.kind}, which never holds the class {never[0]:g}; {_numbered(labels)}"
        )
    return Target(table, labels)


def _numbered(labels: tuple[str | float, ...]) -> str:
    """Code to paste where a wrapper passes on numbers instead of labels."""
    many = len(labels) > 8
    codes = f"range({len(labels)})" if many else str([*range(len(labels))])
    shown = "sorted(labels)" if many else str([*labels])
    return (
        "scikit-learn's wrappers that number the labels, such as VotingClassifier, hand on 0, 1, "
        f"...: inside them give the model classes={codes}, and the wrapper the target "
        f"np.searchsorted({shown}, y); see docs/regression.md"
    )


def _may_hold(kind: ColumnType, label: str | float) -> bool:
    """Whether a column of this type can hold a label."""
    if isinstance(label, str) or not kind.integer:
        return True
    return label in (0, 1) if kind.reading is Reading.BOOLEAN else float(label).is_integer()


def feature_bounds(
    bounds: object, columns: int, names: Sequence[str] | None
) -> list[Bounds | None]:
    """Declared limits of every feature: one pair for all, a pair each, pairs by name, or all minima
    and all maxima. None, alone or in the place of a pair: they are found privately.
    """
    if is_mapping(bounds):
        if names is None:
            raise ParameterError(
                "bounds by name need named columns: give X as a frame, or bounds as a list; a "
                "pipeline hands frames on after pipeline.set_output(transform='pandas')"
            )
        missing = [name for name in names if name not in bounds]
        if missing or len(bounds) != len(names):
            raise ParameterError(
                f"bounds must name each of the {columns} features once; missing: "
                f"{', '.join(missing) or 'none'}"
            )
        return [maybe_limits(bounds[name], f"bounds of {name}") for name in names]
    pairs = _pairs(bounds)
    if pairs is None:
        return [maybe_limits(bounds, "bounds")] * columns
    if len(pairs) != columns:
        raise ParameterError(
            f"bounds: got {len(pairs)} pairs for {columns} features; give one pair for all of "
            "them, or one per feature"
        )
    return [maybe_limits(pair, f"bounds of feature {k}") for k, pair in enumerate(pairs)]


def maybe_limits(value: object, name: str) -> Bounds | None:
    """The same as ``parse_limits``; None where limits are to be found privately."""
    if isinstance(value, PrivateBounds) and value.share is not None:
        raise ParameterError(
            f"{name}: the share of a search is not chosen here, it follows from the number of rows "
            "and columns; give PrivateBounds()"
        )
    if value is None or isinstance(value, PrivateBounds):
        return None
    return parse_limits(value, name)


def parse_limits(value: object, name: str) -> Bounds:
    """Limits of numbers that are scaled to [-1, 1]: doubles must hold the scale and its square.

    Raises
    ------
    ParameterError, ParameterTypeError
        If they are not a pair of limits, or so close together or so far from 0 that a scaled number
        might not be a number.
    """
    low, high = parse_bounds(value, name)
    if not (high - low >= 1 / _FARTHEST and max(abs(low), abs(high)) <= _FARTHEST):
        raise ParameterError(
            f"{name} must be at least 1e-100 apart and at most 1e100 from 0, got {quoted(value)}; "
            "measure in another unit"
        )
    return low, high


def _pairs(bounds: object) -> list[object] | None:
    """The entries of ``bounds`` if they are pairs themselves, or all minima and all maxima.

    Raises
    ------
    ParameterError
        If two lists of two numbers may be either.
    """
    given = bounds
    bounds = listed(bounds)
    if not is_list_or_tuple(bounds):
        return None
    entries = [listed(entry) for entry in bounds]
    kinds = (list, tuple, type(None), PrivateBounds)
    if all(isinstance(entry, (type(None), PrivateBounds)) for entry in entries):
        return entries or None  # one for each feature, all of them to be found
    if not any(isinstance(entry, (list, tuple)) for entry in entries):
        return None
    if not all(isinstance(entry, kinds) for entry in entries):
        return None
    sides = [list(entry) for entry in entries if is_list_or_tuple(entry)]
    if len(sides) < len(entries):
        return entries
    if len(sides) == 2 and len(sides[0]) == len(sides[1]) != 2:  # as in diffprivlib
        return [*zip(*sides, strict=True)]
    ends = isinstance(given, tuple) and isinstance(entries[0], list)
    may_be = len(sides) == 2 and _are_ends(*sides)
    if ends and may_be:
        return [*zip(*sides, strict=True)]
    if len(sides) == 2 and (ends or may_be):
        raise ParameterError(
            "bounds of two features may be pairs, or all minima and all maxima: give "
            "pairs as a list of tuples, [(low, high), (low, high)]"
        )
    return entries


def _are_ends(minima: Sequence[Any], maxima: Sequence[Any]) -> bool:
    """Whether two rows, which are no pairs (lower, upper), are all minima and all maxima."""
    if not all(isinstance(x, (int, float)) for x in (*minima, *maxima)):
        return False
    pairs = all(low < high for low, high in (minima, maxima))
    return not pairs and all(low < high for low, high in zip(minima, maxima, strict=True))


def parse_policy(missing: object, bounds: Sequence[Bounds | None]) -> str | float:
    """What happens to missing features: "drop", "none", or a number to impute.

    A number is cut to limits that are found.
    """
    if isinstance(missing, str) and missing in ("drop", "none"):
        return missing
    if missing is None or isinstance(missing, str):
        raise ParameterError(
            f'missing must be "drop", "none" or a number to impute: {quoted(missing)}'
        )
    number = parse_number(missing, "missing")
    if not all(pair[0] <= number <= pair[1] for pair in bounds if pair is not None):
        raise ParameterError("missing must lie inside the bounds of every feature")
    return float(number)


def imputed(bounds: Sequence[Bounds], policy: str | float) -> Floats:
    """What a missing feature counts as: the middle of its bounds, or the number asked for."""
    if isinstance(policy, str):
        return np.array([float(low) / 2 + float(high) / 2 for low, high in bounds])
    return np.array([min(max(policy, float(low)), float(high)) for low, high in bounds])


def clipped(values: Floats, bounds: Sequence[Bounds], policy: str | float) -> Floats:
    """Every column cut to its limits; NaN stays where missing rows are dropped."""
    low = np.array([float(pair[0]) for pair in bounds])
    high = np.array([float(pair[1]) for pair in bounds])
    found = np.clip(values, low, high)
    return found if policy == "drop" else np.where(np.isnan(found), imputed(bounds, policy), found)
