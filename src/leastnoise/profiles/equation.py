"""Profiles of functions that are defined by others: roots of equations, Lipschitz functions.

A convex problem in one unknown, minimise the sum of loss(y, x_i) over y, is the equation "sum of
the derivatives = 0", and the sum of the derivatives rises with y. Medians, quantiles, Huber's and
other M-estimates, expectiles and weighted quantiles are of this form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from leastnoise.errors import ParameterError, quoted
from leastnoise.profiles.profile import Profile, Rational, exact
from leastnoise.profiles.radius import Exact, Support, from_radius


def from_equation(
    pull: Callable[[int], Rational],
    change: Rational,
    *,
    low: int,
    high: int,
    unit: Fraction | None = None,
) -> Profile:
    """The largest y in [low, high] with pull(y) <= 0, ``low`` where there is none.

    Parameters
    ----------
    pull : callable of an int y
        The sum over the records of exact terms that never fall in y; asked about log2(high - low)
        times a bound.
    change : Rational
        How much one record can change the sum at any y, > 0, public: for terms in [-r, r] it is r
        under add-remove and 2 r under replace-one and edit.
    low, high : int
        Public limits of the answer.
    unit : Fraction, optional
        What 1 means in the user's units.

    Raises
    ------
    ParameterError
        If ``change`` is not above 0, or the limits are in the wrong order.

    Notes
    -----
    upper(l) is the largest y with pull(y) <= l change, lower(l) the largest with pull(y) <= -l
    change: *one* rule for both sides. The pair max {pull <= l change}, min {pull >= -l change}
    rounds inward and loses more than epsilon (``docs/proofs/profile-combinators.md``). Source: Asi
    and Duchi (2020), section 5.2, with errata 1 and 3.

    Examples
    --------
    >>> records = [1, 4, 4, 9]
    >>> p = from_equation(
    ...     lambda y: sum((y >= x) - (y < x) for x in records), 2, low=0, high=10
    ... )
    >>> p.value, p.upper(1), p.lower(1)  # the last point before more than half lie below
    (3, 8, 3)
    """
    step = exact(change)
    if step <= 0:
        raise ParameterError("change must be greater than 0")
    if not low <= high:
        raise ParameterError(f"low must not be above high, got {quoted(low)} and {quoted(high)}")
    known: dict[int, Exact] = {}

    def pull_at(y: int) -> Exact:
        if y not in known:
            known[y] = exact(pull(y))
        return known[y]

    def last(level: int) -> int:
        """The largest y with pull(y) <= level change."""
        first, end = low, high
        if pull_at(low) > level * step:
            return low
        while first < end:
            middle = (first + end + 1) // 2
            if pull_at(middle) <= level * step:
                first = middle
            else:
                end = middle - 1
        return first

    return Profile(
        value=last(0),
        lower=lambda level: last(-level),
        upper=last,
        support=(low, high),
        integral=True,
        unit=unit,
    )


def from_lipschitz(
    value: Rational,
    parts: Sequence[tuple[Profile, Rational]],
    *,
    support: Support,
    resolution: Rational = 1,
    integral: bool = False,
) -> Profile:
    """The profile of h(f_1, ..., f_k) with |h(u) - h(v)| <= sum of K_i |u_i - v_i|.

    Parameters
    ----------
    value : Rational
        h at the values of the parts.
    parts : sequence of pairs (profile, K)
        Profiles of the f_i at the same data set, and public constants K_i >= 0.
    support : pair
        Public range of h.
    resolution, integral
        As for ``leastnoise.Profile``.

    Raises
    ------
    ParameterError
        If there are no parts, a constant is negative, or a part has no finite public range.

    Notes
    -----
    R_l = sum of K_i A_i(l - 1), with A_i the local sensitivity of a part, is a radius bounding
    function. Where h rises or falls in each argument, `total`, `scale`, `maximum` and `quotient`
    are tighter. Source: Durfee (2025), Definition 5.1.
    """
    constants = [exact(constant) for _, constant in parts]
    if not parts or min(constants) < 0:
        raise ParameterError("parts must be pairs (profile, constant) with constants of 0 or more")
    reach = [_change(part) for part, _ in parts]
    sizes = [part.global_sensitivity for part, _ in parts]
    whole = None
    if None not in sizes:
        products = [k * s for k, s in zip(constants, sizes, strict=True) if s is not None]
        whole = exact(sum(products, Fraction(0)))
    return from_radius(
        value,
        lambda level: exact(
            sum((k * a(level - 1) for k, a in zip(constants, reach, strict=True)), Fraction(0))
        ),
        support=support,
        sensitivity=whole,
        resolution=resolution,
        integral=integral,
        unit=parts[0][0].unit,
    )


def _change(part: Profile) -> Callable[[int], Exact]:
    """A(l) of one part, the width of its range beyond its depth."""
    local, depth, (low, high) = part.local_sensitivity, part.depth, part.support
    if low is None or high is None:
        raise ParameterError("every part needs a finite public range")
    width = exact(high) - exact(low)

    def change(level: int) -> Exact:
        if depth is not None and level >= depth:
            return width
        if local is not None:
            return min(width, exact(local(level)))
        above, below = part.upper(level + 1), part.lower(level + 1)
        return width if above is None or below is None else exact(above) - exact(below)

    return change
