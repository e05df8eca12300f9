"""NOT PRIVATE. Local modulus, local minimax risk and the bounds of the papers, at one data set.

A profile gives the modulus: w(k) = max(upper(k) - value, value - lower(k)) is the most that k
records can change the function. It is exact where the profile is; where the profile only bounds
(docs/proofs), every number here bounds from above in the same way. All risks are of the absolute
error, in the user's units.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from math import exp, expm1, isfinite
from typing import Any

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.params import parse_count, parse_epsilon
from leastnoise.production import forbid_in_production
from leastnoise.profiles import Profile, exact

# What is left of a sum or a maximum once its terms are this much smaller.
_NEGLIGIBLE = 1e-17


def modulus(profile: Profile, changes: int) -> float:
    """NOT PRIVATE. w(k): the most that k changed records can change the function.

    Parameters
    ----------
    profile : Profile
        From ``leastnoise.profile``, with a finite public range.
    changes : int
        k, at least 0.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``profile`` is not a profile or has no finite range, or ``changes`` is out of range.

    Notes
    -----
    In the user's units. Source: Asi and Duchi (2020), (3).

    Examples
    --------
    >>> import leastnoise as ln
    >>> from leastnoise import theory
    >>> p = ln.profile(ln.Median(bounds=(0, 10)), [1, 4, 5, 9, 9])
    >>> [theory.modulus(p, k) for k in range(4)]
    [0.0, 4.0, 4.0, 5.0]
    """
    return _reader(profile)(_whole(changes))


def chain_error(changes: int, epsilon: object) -> float:
    """The least probability of error of a test between two data sets that are k changes apart.

    exp(-k epsilon / 2) / 2 for even k, exp(-(k - 1) epsilon / 2) / (1 + exp(epsilon)) for odd k.
    Every data set between the two lies on a chain of neighbours, and so do their answers: the
    probability of one answer can grow by exp(epsilon) a step up to one half, and must mirror that
    beyond it.

    Parameters
    ----------
    changes : int
        k, at least 0.
    epsilon : number
        Above 0.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``changes`` or epsilon is out of range.

    Notes
    -----
    Source: errata 2 (Asi and Duchi, Theorem 2).

    Examples
    --------
    >>> from leastnoise import theory
    >>> [round(theory.chain_error(k, 1), 4) for k in range(3)]
    [0.5, 0.2689, 0.1839]
    """
    return _chain(_whole(changes), float(parse_epsilon(epsilon)))


def _chain(changes: int, e: float) -> float:
    if changes % 2 == 0:
        return exp(-changes * e / 2) / 2
    return exp(-(changes - 1) * e / 2) * exp(-e) / (1 + exp(-e))


def minimax_risk(profile: Profile, epsilon: object) -> float:
    """NOT PRIVATE. The exact local minimax risk of the absolute error.

    max over k of w(k) chain_error(k): the error that an epsilon-DP mechanism must have at this
    data set or at the hardest alternative to it, even one that knows that the data is one of the
    two. Mechanisms can have less at one data set, but then more at another.

    Parameters
    ----------
    profile : Profile
        From ``leastnoise.profile``, with a finite public range.
    epsilon : number
        Above 0.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``profile`` is not a profile or has no finite range, or epsilon is out of range.

    Notes
    -----
    Source: Asi and Duchi (2020), (2) and Theorem 2, made exact (errata 2); equal to the linear
    program over all mechanisms (``tests/laws/test_theory.py``).

    Examples
    --------
    >>> import leastnoise as ln
    >>> from leastnoise import theory
    >>> p = ln.profile(ln.Median(bounds=(0, 10)), [1, 4, 5, 9, 9])
    >>> round(theory.minimax_risk(p, 1), 4)  # 4 / (1 + e)
    1.0758
    """
    e = float(parse_epsilon(epsilon))
    return _largest(profile, lambda k: _chain(k, e))


def theorem_1(profile: Profile, epsilon: object, *, unbiased: bool = True) -> float:
    """NOT PRIVATE. A lower bound: max over k of w(k) / 2 / (exp(c k epsilon) + 1).

    Parameters
    ----------
    profile : Profile
        From ``leastnoise.profile``, with a finite public range.
    epsilon : number
        Above 0.
    unbiased : bool
        True: c = 2, and the bound holds at this data set for every mechanism whose answer has the
        value as its median. False: c = 1, and it holds for the worst data set of any mechanism.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``profile`` is not a profile or has no finite range, or epsilon is out of range.

    Notes
    -----
    Of the expected absolute error, in the user's units. Source: Asi and Duchi (2020), Theorem 1.
    """
    factor = float(parse_epsilon(epsilon)) * (2 if unbiased else 1)
    return _largest(profile, lambda k: exp(-factor * k) / (1 + exp(-factor * k)) / 2)


def theorem_2(profile: Profile, epsilon: object) -> tuple[float, float]:
    """NOT PRIVATE. The papers' bounds on the local minimax risk, (lower, upper).

    Parameters
    ----------
    profile : Profile
        From ``leastnoise.profile``, with a finite public range.
    epsilon : number
        Above 0.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``profile`` is not a profile or has no finite range, or epsilon is out of range.

    Notes
    -----
    max w(k)/2 exp(-k epsilon) / 4 from below, max w(k) / (1 + exp(k epsilon / 2)) from above.
    Source: Asi and Duchi (2020), Theorem 2, (6a).
    """
    e = float(parse_epsilon(epsilon))
    below = _largest(profile, lambda k: exp(-k * e) / 8)
    above = _largest(profile, lambda k: exp(-k * e / 2) / (1 + exp(-k * e / 2)))
    return below, above


def weighted_modulus(profile: Profile, epsilon: object, *, changes: int | None = None) -> float:
    """NOT PRIVATE. W(epsilon): the mean of w(K) 1{K <= n}.

    Parameters
    ----------
    profile : Profile
        From ``leastnoise.profile``, with a finite public range.
    epsilon : number
        Above 0.
    changes : int, optional
        n. Default: all k count (the range ends stand for all that is far).

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``profile`` is not a profile or has no finite range, or epsilon or ``changes`` is out of
        range.

    Notes
    -----
    P(K = k) = (1 - exp(-epsilon)) exp(-k epsilon). Source: Asi and Duchi (2020), section 4.1.
    """
    e = float(parse_epsilon(epsilon))
    return -expm1(-e) * _sum(profile, e, None if changes is None else _whole(changes))


def growth_ratio(profile: Profile, epsilon: object, *, changes: int | None = None) -> float:
    """NOT PRIVATE. R_f = W(epsilon / 4) / W(epsilon / 2): near 1 where the modulus grows slowly.

    The inverse sensitivity mechanism is then optimal up to a constant. 1 for a function that cannot
    change.

    Parameters
    ----------
    profile, epsilon, changes
        As for ``weighted_modulus``.

    Raises
    ------
    ParameterError, ParameterTypeError
        As for ``weighted_modulus``.

    Notes
    -----
    Source: Asi and Duchi (2020), (10) and Theorem 5.
    """
    e = parse_epsilon(epsilon)
    wide = weighted_modulus(profile, e / 4, changes=changes)
    near = weighted_modulus(profile, e / 2, changes=changes)
    return 1.0 if wide == near == 0 else wide / near


def asymmetry(profile: Profile, epsilon: object) -> float:
    """NOT PRIVATE. |P(M > value) - 1/2|, M the continuous inverse sensitivity mechanism.

    From 0 to 1/2; large where the bounds of one side are much farther away than those of the other;
    there the asymmetric sensitivity mechanism gains most.

    Parameters
    ----------
    profile : Profile
        From ``leastnoise.profile``, with a finite public range.
    epsilon : number
        Above 0.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``profile`` is not a profile or has no finite range, or epsilon is out of range.

    Notes
    -----
    Source: Durfee (2024), Definition C.1.
    """
    e = float(parse_epsilon(epsilon)) / 2
    value = exact(_checked(profile).value)
    high = low = 0.0
    before_high = before_low = 0.0
    above, below = _side(profile, 1), _side(profile, 0)
    width = _width(profile)
    level = 0
    while level == 0 or width * exp(-e * level) > _NEGLIGIBLE * (high + low or width):
        level += 1
        up, down = float(above(level) - value), float(value - below(level))
        high += (up - before_high) * exp(-e * level)
        low += (down - before_low) * exp(-e * level)
        before_high, before_low = up, down
        if up + down >= width:
            break
    return 0.0 if high + low == 0 else abs(high / (high + low) - 0.5)


def _whole(changes: object) -> int:
    """A number of changed records: 0, 1, ..."""
    return parse_count(changes, "changes", least=0)


def _checked(profile: object) -> Profile:
    """A profile, where the environment allows to look at one."""
    forbid_in_production("theory")
    if not isinstance(profile, Profile):
        raise ParameterTypeError(
            "the first parameter must be a profile, as ln.profile(statistic, data) returns it, not "
            f"{type(profile).__name__}"
        )
    return profile


def _reader(profile: Profile) -> Callable[[int], float]:
    """w as a function."""
    value = exact(_checked(profile).value)
    above, below = _side(profile, 1), _side(profile, 0)

    def read(level: int) -> float:
        found = float(max(above(level) - value, value - below(level)))
        if not isfinite(found):
            raise ParameterError("the modulus needs a finite public range: declare limits")
        return found

    return read


def _side(profile: Profile, side: int) -> Callable[[int], Any]:
    """A bound with the rule beyond the depth."""
    bound, end, depth = (profile.lower, profile.upper)[side], profile.support[side], profile.depth
    if end is None:
        raise ParameterError("the modulus needs a finite public range: declare limits")
    limit = exact(end)

    def read(level: int) -> Any:
        if depth is not None and level > depth:
            return limit
        found = bound(level)
        return limit if found is None else exact(found)

    return read


def _width(profile: Profile) -> float:
    low, high = profile.support
    if low is None or high is None:
        raise ParameterError("the modulus needs a finite public range: declare limits")
    return float(exact(high) - exact(low))


def _farthest(profile: Profile) -> float:
    """The largest modulus there can be: from the value to the farther end of the range."""
    low, high = profile.support
    if low is None or high is None:
        raise ParameterError("the modulus needs a finite public range: declare limits")
    value = exact(profile.value)
    return float(max(exact(high) - value, value - exact(low)))


def _largest(profile: Profile, weight: Callable[[int], float]) -> float:
    """max over k >= 1 of w(k) weight(k), the weight never rising."""
    read, farthest = _reader(profile), _farthest(profile)
    best, k = 0.0, 1
    while farthest * weight(k) > best:
        found = read(k)
        best = max(best, found * weight(k))
        if found >= farthest or weight(k) < _NEGLIGIBLE:
            break
        k += 1
    return best


def _sum(profile: Profile, rate: float, changes: int | None) -> float:
    """sum over k of w(k) exp(-rate k), to the last digit."""
    read, farthest = _reader(profile), _farthest(profile)
    total = 0.0
    for k in _levels(changes):
        found, weight = read(k), exp(-rate * k)
        total += found * weight
        if found >= farthest or farthest * weight < _NEGLIGIBLE * total:
            # every later modulus is this one, up to what is negligible
            rest = exp(-rate * (k + 1)) / -expm1(-rate)
            if changes is not None:
                rest -= exp(-rate * (changes + 1)) / -expm1(-rate)
            return total + found * max(0.0, rest)
        if weight < _NEGLIGIBLE:
            break
    return total


def _levels(changes: int | None) -> Iterator[int]:
    k = 1
    while changes is None or k <= changes:
        yield k
        k += 1
