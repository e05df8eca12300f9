"""Vectors of means and of moments, and what follows from them: covariances and correlations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from fractions import Fraction
from typing import Any

from leastnoise.errors import ParameterError
from leastnoise.geometry import Ball, Linear, LpBall, MomentCone, Product, moment_ball
from leastnoise.mechanisms.cone_laplace import ConeLaplace
from leastnoise.mechanisms.k_norm import KNorm
from leastnoise.mechanisms.mechanism import Mechanism
from leastnoise.mechanisms.private_limits import PrivateLimits
from leastnoise.profiles.vector import VectorProfile
from leastnoise.statistics.statistic import VectorStatistic
from leastnoise.statistics.vectors.moment_values import correlation, covariance, means, raw_moments
from leastnoise.summaries.vectors import (
    VectorRequest,
    VectorSpec,
    VectorSummary,
    record_spec,
    vector_spec,
)


class _Moments(VectorStatistic):
    """Sums of coordinates that one record moves inside a known space."""

    __slots__ = ()

    def __post_init__(self) -> None:
        self.spec()

    def spec(self) -> VectorSpec:
        """Exact sums."""
        raise NotImplementedError

    def vector(
        self, summary: VectorSummary, request: VectorRequest, relation: str
    ) -> VectorProfile:
        """The profile of the vector of sums."""
        return moment_profile(summary, request, relation)

    def default_mechanism(self, relation: str) -> Mechanism:
        """Noise inside private limits, where there are enough rows."""
        return PrivateLimits()

    def settled_mechanism(self, relation: str) -> Mechanism:
        """By the public rule of ``MomentVector``."""
        return moment_mechanism(self.spec(), relation)


@dataclass(frozen=True, slots=True)
class MomentVector(_Moments):
    """Count, sums, squares and cross products of several columns, released as one vector.

    Parameters
    ----------
    columns : list of names or int, optional
        The columns of a frame or file; omitted (or their number) for a matrix or list of rows.
    bounds : pair, list of pairs or mapping of names to pairs
        Public limits: one pair for all columns, or one per column.
    degree : 1 or 2
        1: count and sums. 2: squares and cross products as well.
    exclusive : list of lists of columns
        Groups of indicator columns (bounds (0, 1)) of which at most one is 1 in a row; if several
        are, the first counts. Their products are known or small, which shrinks the noise.
    step, missing
        As for every statistic; a row is dropped if any of its columns is missing.

    Raises
    ------
    ParameterError, ParameterTypeError
        If columns, bounds or groups are invalid; checked before any data is read.

    Notes
    -----
    The value is ``{"count": n, "sums": [...], "products": [[...]]}`` in the users' units, in the
    order of the columns; ``products[j][k]`` is the noisy sum of x_j x_k. Columns are scaled to
    [-1, 1] and squares to 2 z^2 - 1 before noise is added (Awan and Slavkovic, section 5.1), so
    ``KNorm`` balls are those of ``leastnoise.geometry.moment_ball``: "l1", "linf", "paper",
    "plus", "tri", "cycles", "sdp" and "blocks", or any ball of that dimension. Where the number of
    rows is private it is the first coordinate: under "edit" the named balls are combined with a
    count, under "add-remove" only "l1" and "linf" are offered, at half the noise. Default
    mechanism: ``PrivateLimits()``, which clips to limits inside the bounds and so is biased where
    these are loose, with the noise of ``KNorm`` with "linf" for degree 1, of ``KNorm`` with
    "cycles" for up to four columns, else and under add-remove of ``ConeLaplace()``. The default
    ball of ``KNorm`` is "cycles" up to four columns, "tri" up to six, then "blocks". Guarantee:
    epsilon-DP under "replace-one", "add-remove" and "edit" (``docs/proofs/k-norm.md``,
    ``docs/proofs/cone-laplace.md``, ``docs/proofs/vector-limits.md``).

    Examples
    --------
    >>> import leastnoise as ln
    >>> from leastnoise.testing import simulate
    >>> rows = [[i % 10, i % 3] for i in range(3000)]
    >>> with simulate(1):
    ...     r = ln.release(
    ...         ln.MomentVector(bounds=[(0, 9), (0, 2)]), rows, epsilon=1, missing="none"
    ...     )
    >>> r.value["count"], len(r.value["sums"]), len(r.value["products"])
    (3000, 2, 2)
    """

    columns: Any = None
    _: KW_ONLY
    bounds: Any = None
    degree: int = 2
    exclusive: Sequence[Sequence[Any]] = ()
    step: object = None
    missing: object = None

    def spec(self) -> VectorSpec:
        """Exact sums of all coordinates."""
        return vector_spec(
            self.columns,
            self.bounds,
            degree=self.degree,
            step=self.step,
            missing=self.missing,
            exclusive=self.exclusive,
        )

    def answer(
        self, values: Sequence[Fraction], rows: int | None, request: VectorRequest
    ) -> dict[str, Any]:
        """Noisy raw moments in the users' units."""
        return raw_moments(values, rows, request)


@dataclass(frozen=True, slots=True)
class MeanVector(_Moments):
    """The means of several columns, released as one vector.

    Parameters
    ----------
    columns, bounds, step, missing
        As for ``MomentVector``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If columns or bounds are invalid; checked before any data is read.

    Notes
    -----
    The value is a list of means in the order of the columns, each cut to its bounds. With a private
    number of rows noisy sums are divided by a noisy count. Default: ``PrivateLimits()``, which
    clips to limits inside the bounds and so is biased where these are loose, with the noise of
    "linf", the hull of the sensitivity space under replace-one and add-remove. Guarantee:
    epsilon-DP under "replace-one", "add-remove" and "edit" (``docs/proofs/k-norm.md``,
    ``docs/proofs/vector-limits.md``).

    Examples
    --------
    >>> import leastnoise as ln
    >>> rows = [[34, 41_000], [51, 67_500], [29, 38_000]]
    >>> means = ln.MeanVector(bounds=[(18, 80), (0, 200_000)])
    >>> len(ln.release(means, rows, epsilon=1, missing="none").value)
    2
    """

    columns: Any = None
    _: KW_ONLY
    bounds: Any = None
    step: object = None
    missing: object = None

    def spec(self) -> VectorSpec:
        """Exact sums."""
        return vector_spec(
            self.columns, self.bounds, degree=1, step=self.step, missing=self.missing
        )

    def answer(
        self, values: Sequence[Fraction], rows: int | None, request: VectorRequest
    ) -> list[float]:
        """The means."""
        return means(values, rows, request)


@dataclass(frozen=True, slots=True)
class RecordSum(_Moments):
    """The sum over records of your own function, clipped to a public box.

    Parameters
    ----------
    function : callable
        ``function(record) -> vector``: a list of floats, the columns in order after clipping, to
        as many numbers as the box has sides. It must depend on this record alone and keep no state.
        A failure, NaN or wrong length counts as the middle of the box.
    columns, bounds, missing
        As for ``MomentVector``: what the function reads.
    box : list of pairs
        Public limits of every coordinate of the vector.

    Raises
    ------
    ParameterError, ParameterTypeError
        If columns, bounds or box are invalid, or ``function`` is not callable; checked before any
        data is read.

    Notes
    -----
    The value is ``{"count": n, "sums": [...]}``. Default: ``KNorm("linf")`` in the box scaled to
    [-1, 1]; another ball of that dimension may fit the vector better
    (``leastnoise.geometry.SensitivitySpace.from_box`` shows what one record can change), and
    always gets its sensitivity from the whole box. Guarantee: epsilon-DP if the function keeps its
    promise (``docs/proofs/k-norm.md``).

    Examples
    --------
    >>> import leastnoise as ln
    >>> from leastnoise.testing import simulate
    >>> waves = ln.RecordSum(
    ...     lambda r: (r[0] * r[1], r[0] ** 3), bounds=[(0, 2), (0, 1)], box=[(0, 2), (0, 8)]
    ... )
    >>> with simulate(1):
    ...     r = ln.release(waves, [[1, 1], [2, 0.5]], epsilon=10**9, missing="none")
    >>> [round(x, 3) for x in r.value["sums"]]
    [2.0, 9.0]
    """

    function: Callable[[list[float]], Any]
    columns: Any = None
    _: KW_ONLY
    bounds: Any = None
    box: Any = None
    missing: object = None

    def spec(self) -> VectorSpec:
        """Exact sums of the clipped values."""
        return record_spec(self.columns, self.bounds, self.function, self.box, self.missing)

    def answer(
        self, values: Sequence[Fraction], rows: int | None, request: VectorRequest
    ) -> dict[str, Any]:
        """The sums in the units of the box."""
        return raw_moments(values, rows, request)

    def default_mechanism(self, relation: str) -> KNorm:
        """K-norm noise."""
        return KNorm()

    def settled_mechanism(self, relation: str) -> KNorm:
        """The same: there are no limits to search for."""
        return KNorm()


@dataclass(frozen=True, slots=True)
class Covariance(_Moments):
    """The covariance matrix of several columns (of the population: divided by n).

    Parameters
    ----------
    columns, bounds, exclusive, step, missing
        As for ``MomentVector``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If columns, bounds or groups are invalid; checked before any data is read.

    Notes
    -----
    Post-processing of a ``MomentVector``: the noisy matrix is projected to the nearest
    positive semidefinite one in the scaled units, and variances are cut to a quarter of the squared
    range. Default mechanism: ``PrivateLimits()``, whose clipping lowers variances a little where
    bounds are loose. The value is a list of lists in the order of the columns. Guarantee:
    epsilon-DP, as the moments (``docs/proofs/k-norm.md``, ``docs/proofs/vector-limits.md``).

    Examples
    --------
    >>> import leastnoise as ln
    >>> rows = [[34, 41_000], [51, 67_500], [29, 38_000]]
    >>> matrix = ln.Covariance(bounds=[(18, 80), (0, 200_000)])
    >>> (a, b), (c, d) = ln.release(matrix, rows, epsilon=1, missing="none").value
    >>> b == c
    True
    """

    columns: Any = None
    _: KW_ONLY
    bounds: Any = None
    exclusive: Sequence[Sequence[Any]] = ()
    step: object = None
    missing: object = None

    def spec(self) -> VectorSpec:
        """Exact sums of all coordinates."""
        return vector_spec(
            self.columns,
            self.bounds,
            degree=2,
            step=self.step,
            missing=self.missing,
            exclusive=self.exclusive,
        )

    def answer(
        self, values: Sequence[Fraction], rows: int | None, request: VectorRequest
    ) -> list[list[float]]:
        """The covariance matrix."""
        return covariance(values, rows, request)


@dataclass(frozen=True, slots=True)
class Correlation(Covariance):
    """The correlation matrix of several columns.

    Parameters
    ----------
    columns, bounds, exclusive, step, missing
        As for ``MomentVector``.

    Raises
    ------
    ParameterError, ParameterTypeError
        If columns, bounds or groups are invalid; checked before any data is read.

    Notes
    -----
    Post-processing of a ``MomentVector``: correlations of the noisy covariances, shrunk towards 0
    where a negative eigenvalue shows that noise outweighs the data. Guarantee: epsilon-DP, as the
    moments (``docs/proofs/k-norm.md``, ``docs/proofs/vector-limits.md``). A list of lists in the
    order of the columns: 1 on the diagonal, all in [-1, 1].
    """

    def answer(
        self, values: Sequence[Fraction], rows: int | None, request: VectorRequest
    ) -> list[list[float]]:
        """The correlation matrix."""
        return correlation(values, rows, request)


def moment_mechanism(spec: VectorSpec, relation: str) -> KNorm | ConeLaplace:
    """The cone for second moments of more than four columns or a count of its own, else a ball."""
    wide = spec.space.columns > 4 or relation == "add-remove"
    return ConeLaplace() if spec.space.degree == 2 and wide else KNorm()


def moment_profile(summary: VectorSummary, request: VectorRequest, relation: str) -> VectorProfile:
    """The vector of a moment space under a relation, with its balls and sensitivities.

    Differences of two records lie in every moment ball K, and so does T(z) itself; T(z) lies in
    the box of its reach (``docs/proofs/k-norm.md``). So the sensitivity of a named ball is 1: of K
    under replace-one, of [-1, 1] x K under edit, and of that box and the count under add-remove.
    Any other ball gets its sensitivity from the boxes that hold the sensitivity space.
    """
    space = request.space
    private = relation != "replace-one"
    size = space.dimension
    boxes = {
        "replace-one": [(2,) * size],
        "add-remove": [(1, *space.reach)],
        "edit": [(0,) + (2,) * size, (1, *space.reach)],
    }[relation]

    def named(name: str) -> tuple[Ball, Fraction]:
        if relation == "add-remove":
            return _signed_ball(name, (1, *space.reach)), Fraction(1)
        inner = moment_ball(name, space)
        if not private:
            return inner, Fraction(1)
        places = range(1, 1 + size)
        count = LpBall("inf", 1), (0,)
        return Product([count, (inner, places)], name=f"count and {inner.name}"), Fraction(1)

    default = "linf"
    if space.degree == 2 and relation != "add-remove":
        default = "cycles" if space.columns <= 4 else "tri" if space.columns <= 6 else "blocks"
    return VectorProfile(
        value=((summary.n,) if private else ()) + summary.totals,
        units=((Fraction(1),) if private else ()) + summary.units,
        sensitivity=lambda ball: max(ball.box_sensitivity(box) for box in boxes),
        named=named,
        default_ball=default,
        cone=(MomentCone(space, private), 2 if relation == "add-remove" else 1)
        if space.degree == 2
        else None,
    )


def _signed_ball(name: str, reach: Sequence[int]) -> Ball:
    """A ball that holds every T(z), which lies in the box of this reach."""
    size = len(reach)
    if name == "linf":
        cube = LpBall("inf", size)
        if max(reach) == 1:
            return cube
        return Linear([[r * (i == j) for j in range(size)] for i, r in enumerate(reach)], cube)
    if name == "l1":
        return LpBall(1, size).scaled(sum(reach))
    raise ParameterError(
        "under add-remove the ball must be 'linf', 'l1' or one of your own: the other named "
        "balls hold differences of two records only"
    )
