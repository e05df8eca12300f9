"""What a vector statistic asks to be summarised: exact sums over the records of several columns.

Column j is read on its own public lattice and scaled to z_j = Z_j / W_j in [-1, 1], with the whole
number Z_j = 2 X_j - (low_j + high_j) and W_j = high_j - low_j. A record contributes the vector
T(z) of ``leastnoise.geometry.moments``, whose coordinates are whole multiples of public units:
1 / W_j, 1 / W_j^2 and 1 / (W_j W_k). The summary is the sum of these whole numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, ClassVar, Literal, Self, cast

from leastnoise.errors import ParameterError, ParameterTypeError, kind_of, quoted
from leastnoise.foreign import is_list_or_tuple, is_mapping
from leastnoise.geometry.moment_space import MomentSpace
from leastnoise.params import (
    Missing,
    PrivateBounds,
    parse_bounds,
    parse_list,
    parse_missing,
    parse_step,
)
from leastnoise.summaries.columns import ColumnType
from leastnoise.summaries.lattice import Lattice, MissingPolicy, choose_lattice, imputed_point
from leastnoise.summaries.requests import Counted, Reader, Summary


@dataclass(frozen=True, slots=True, repr=False)
class VectorSummary(Counted):
    """NOT PRIVATE. Row count and exact sums of the coordinates; a monoid under addition."""

    n: int
    totals: tuple[int, ...]
    units: tuple[Fraction, ...]

    def merge(self, other: VectorSummary) -> VectorSummary:
        """The summary of both sets of records together."""
        if self.units != other.units:
            raise ValueError("summaries merge only over the same units")
        totals = tuple(a + b for a, b in zip(self.totals, other.totals, strict=True))
        return VectorSummary(self.n + other.n, totals, self.units)


@dataclass(frozen=True, slots=True)
class RecordMap:
    """A user's function of one record, and the public lattices that its values are clipped to.

    ``inputs`` and ``fills`` are the lattices of the columns it reads, and what stands for missing
    values there.
    """

    function: Callable[[list[float]], Any]
    inputs: tuple[Lattice, ...]
    fills: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class ScaledRequest:
    """Several columns, each on a lattice of its own and scaled to [-1, 1].

    ``fills`` are the lattice points that stand for missing values, where no row is dropped.
    """

    column: str | None
    names: tuple[str, ...]
    lattices: tuple[Lattice, ...]
    missing: MissingPolicy
    fills: tuple[int, ...]
    space: MomentSpace

    @property
    def lattice(self) -> None:
        """None: each column has its own."""

    @property
    def ends(self) -> tuple[tuple[int | float, int | float], ...]:
        """What the columns are clipped to, in the user's units."""
        return tuple((x.number(x.low), x.number(x.high)) for x in self.lattices)

    @property
    def widths(self) -> tuple[int, ...]:
        """W_j, at least 1."""
        return tuple(max(1, lattice.width) for lattice in self.lattices)

    @property
    def units(self) -> tuple[Fraction, ...]:
        """The public unit of every coordinate."""
        w, group = self.widths, self.space.group
        found = [Fraction(2) if j in group else Fraction(1, x) for j, x in enumerate(w)]
        found += [Fraction(1, w[j] ** 2) for j in self.space.squares or ()]
        for j, k in self.space.crosses:
            if j in group and k in group:
                found.append(Fraction(2))
            elif j in group or k in group:
                found.append(Fraction(1, w[k if j in group else j]))
            else:
                found.append(Fraction(1, w[j] * w[k]))
        return tuple(found)

    def within(
        self,
        limits: Sequence[tuple[Fraction, Fraction] | None],
        kinds: Sequence[ColumnType],
        step: Fraction | None,
        number: Fraction | None,
    ) -> Self:
        """The same inside nearer limits; None leaves a column as it is.

        ``step`` is what was declared, and ``number`` what stands for missing values: of a column
        whose limits leave it out the nearest limit, and without one the middle.
        """
        lattices, fills = list(self.lattices), list(self.fills)
        for j, (pair, kind, old) in enumerate(zip(limits, kinds, self.lattices, strict=True)):
            if pair is None:
                continue
            if step is None and not kind.integer:
                new = choose_lattice(pair, purpose="vector", integer_column=False, step=None)
            else:
                new = old.within(*pair)
            low, high = new.low * new.step, new.high * new.step
            stands = new.middle * new.step if number is None else max(low, min(high, number))
            lattices[j], fills[j] = new, imputed_point(stands, kind, new)[0]
        return replace(self, lattices=tuple(lattices), fills=tuple(fills))

    def empty(self, depth: int | None) -> Summary:
        """The summary of no rows."""
        raise NotImplementedError

    def read(self, reader: Reader, depth: int | None) -> Summary:
        """NOT PRIVATE. The summary of a table."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class VectorRequest(ScaledRequest):
    """Exact sums of the coordinates of a moment space.

    With a ``record_map`` the columns of the space are its values, on ``lattices``.
    """

    record_map: RecordMap | None = None

    def empty(self, depth: int | None) -> VectorSummary:
        """The summary of no rows."""
        return VectorSummary(0, (0,) * self.space.dimension, self.units)

    def read(self, reader: Reader, depth: int | None) -> VectorSummary:
        """NOT PRIVATE. The summary of a table."""
        return reader.vectors(self)


@dataclass(frozen=True, slots=True)
class VectorSpec:
    """Made by a vector statistic.

    Parameters
    ----------
    columns : tuple of text, or None
        The columns of a frame or file; None for a bare matrix.
    bounds : tuple of pairs
        One pair a column.
    """

    form: ClassVar[Literal["matrix"]] = "matrix"
    columns: tuple[str, ...] | None
    bounds: tuple[tuple[Fraction, Fraction], ...]
    space: MomentSpace
    step: Fraction | None
    missing: Missing | Fraction | None
    function: Callable[[list[float]], Any] | None = None
    box: tuple[tuple[Fraction, Fraction], ...] = ()

    def resolve(
        self,
        names: tuple[str, ...],
        kinds: Sequence[ColumnType],
        session: Missing | Fraction | None,
    ) -> ScaledRequest:
        """The request for columns of these public types."""
        indicators = self.space.group
        for kind, limits in zip(kinds, self.bounds, strict=True):
            kind.check_reach(limits, "bounds", ends=True)
        lattices = tuple(
            Lattice(Fraction(1), 0, 1, 0, True)
            if j in indicators
            else choose_lattice(limits, purpose="vector", integer_column=k.integer, step=self.step)
            for j, (limits, k) in enumerate(zip(self.bounds, kinds, strict=True))
        )
        policy, fills = _policy(self.missing, session, kinds, lattices, self.bounds)
        shown = None if self.columns is None else ", ".join(self.columns)
        if self.function is None:
            return VectorRequest(shown, names, lattices, policy, fills, self.space)
        outputs = tuple(
            choose_lattice(limits, purpose="vector", integer_column=False, step=None)
            for limits in self.box
        )
        middles = tuple(lattice.middle for lattice in outputs)
        mapped = RecordMap(self.function, lattices, fills)
        return VectorRequest(shown, names, outputs, policy, middles, self.space, mapped)


def _policy(
    declared: Missing | Fraction | None,
    session: Missing | Fraction | None,
    kinds: Sequence[ColumnType],
    lattices: Sequence[Lattice],
    bounds: Sequence[tuple[Fraction, Fraction]],
) -> tuple[MissingPolicy, tuple[int, ...]]:
    """A row is dropped if any of its columns is missing; only nullable columns can be."""
    nullable = any(kind.nullable for kind in kinds)
    choice = declared if declared is not None else session
    if choice is None:
        choice = "drop" if nullable else "none"
    number = choice if isinstance(choice, Fraction) else None
    if number is not None and not all(low <= number <= high for low, high in bounds):
        raise ParameterError(
            "missing must be a number inside the bounds of every column, or 'drop' or 'none'"
        )
    fills = tuple(
        imputed_point(x.middle * x.step if number is None else number, kind, x)[0]
        for kind, x in zip(kinds, lattices, strict=True)
    )
    if choice == "drop" and nullable:
        return MissingPolicy("drop", None), fills
    return MissingPolicy("none" if number is None else f"impute {number}", 0), fills


def parse_columns(
    columns: object, bounds: object
) -> tuple[tuple[str, ...] | None, tuple[tuple[Fraction, Fraction], ...]]:
    """Names and limits of several columns.

    ``bounds`` is one pair for all columns, a list of pairs, or a mapping from name to pair;
    ``columns`` names, a whole number of columns of a bare matrix, or None.

    Raises
    ------
    ParameterError, ParameterTypeError
        If the number of columns is not told, or names and limits do not fit.
    """
    if is_mapping(bounds):
        names = _names(list(bounds) if columns is None else columns)
        if isinstance(names, int) or names is None or set(names) != set(bounds):
            raise ParameterError("bounds by name must name each of the columns once")
        return names, tuple(parse_bounds(bounds[name]) for name in names)
    names = _names(columns)
    if bounds is None or isinstance(bounds, PrivateBounds):
        parse_bounds(bounds)  # says what is wrong
    pairs = parse_list(bounds, "bounds", "pairs (lower, upper)")
    listed = bool(pairs) and hasattr(pairs[0], "__len__") and not isinstance(pairs[0], str)
    if listed:
        if names is not None and len(pairs) != (names if isinstance(names, int) else len(names)):
            raise ParameterError("bounds must have one pair (lower, upper) a column")
        limits = tuple(parse_bounds(pair) for pair in pairs)
    elif names is None:
        raise ParameterError(
            "give one pair of bounds a column, or columns=, so that their number is public"
        )
    else:
        limits = (parse_bounds(bounds),) * (names if isinstance(names, int) else len(names))
    return (None if names is None or isinstance(names, int) else names), limits


def _names(columns: object) -> tuple[str, ...] | int | None:
    if columns is None:
        return None
    if isinstance(columns, int) and not isinstance(columns, bool):
        if columns < 1:
            raise ParameterError(f"columns must be at least 1, got {quoted(columns)}")
        return columns
    names = [columns] if isinstance(columns, str) else columns
    if not is_list_or_tuple(names) or not names:
        raise ParameterTypeError(
            f"columns must be a list of names or a number, got {quoted(columns)}"
        )
    found: list[str] = []
    for name in names:
        if not isinstance(name, str) or not name:
            raise ParameterTypeError(f"a column must be a name, got {kind_of(name)}")
        found.append(name)
    if len(set(found)) < len(found):
        raise ParameterError("columns must be different from one another")
    return tuple(found)


def vector_spec(
    columns: object,
    bounds: object,
    *,
    degree: int,
    step: object,
    missing: object,
    squares: Sequence[int] | None = None,
    exclusive: Sequence[Sequence[object]] = (),
) -> VectorSpec:
    """Sums, and from degree 2 on squares and cross products, of several columns."""
    names, limits = parse_columns(columns, bounds)
    size = len(limits)

    def place(column: object) -> int:
        if names is not None and isinstance(column, str) and column in names:
            return names.index(column)
        if isinstance(column, int) and not isinstance(column, bool) and 0 <= column < size:
            return column
        raise ParameterError(f"exclusive names no column of this statistic: {quoted(column)}")

    groups = tuple(
        tuple(place(c) for c in parse_list(group, "exclusive", "lists of columns"))
        for group in parse_list(exclusive, "exclusive", "lists of columns")
    )
    for group in groups:
        if any(limits[j] != (0, 1) for j in group):
            raise ParameterError("exclusive columns are indicators: their bounds must be (0, 1)")
    space = MomentSpace(size, None if squares is None else tuple(squares), groups, degree)
    return VectorSpec(names, limits, space, parse_step(step), parse_missing(missing))


def record_spec(
    columns: object, bounds: object, function: object, box: object, missing: object
) -> VectorSpec:
    """Sums of a user's function of one record, clipped to a public box."""
    if not callable(function):
        raise ParameterTypeError(f"function must be callable, got {quoted(function)}")
    names, limits = parse_columns(columns, bounds)
    if not is_list_or_tuple(box) or not box:
        raise ParameterTypeError("box must be a list of pairs (lower, upper), one a coordinate")
    outputs = tuple(parse_bounds(pair, "box") for pair in box)
    space = MomentSpace(len(outputs), degree=1)
    return VectorSpec(
        names, limits, space, None, parse_missing(missing), cast("Any", function), outputs
    )
