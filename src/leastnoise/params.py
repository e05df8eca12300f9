"""Validation of public parameters: every error names the parameter and the cure.

All checks here run before a data value is read, so they cost no budget. Numbers become exact
``Fraction`` values here; a float is read as its shortest decimal text: ten times 0.1 is exactly 1.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import wraps
from typing import Any, Final, Literal, ParamSpec, TypeVar, get_args

from leastnoise._lazy import did_you_mean
from leastnoise.errors import ParameterError, ParameterTypeError, kind_of, quoted
from leastnoise.foreign import is_iterable, is_list_or_tuple, is_tuple
from leastnoise.numbers import MOST_DIGITS, as_fraction, is_short, short_text

Given = ParamSpec("Given")
Answer = TypeVar("Answer")
Relation = Literal["replace-one", "add-remove", "edit", "edge"]
Missing = Literal["drop", "none"]

# The relations of tables; "edge" is for graphs only.
RELATIONS: Final[tuple[str, ...]] = ("replace-one", "add-remove", "edit")
_LARGEST_WIDTH: Final = Fraction(2**1023)
# Beyond these no answer differs from pure noise, or from the exact answer.
_SMALLEST_TOTAL: Final = Fraction(1, 10**60)
_SMALLEST_PART: Final = Fraction(1, 10**90)
_LARGEST_PART: Final = Fraction(10**90)
# A search with less, or that leaves less, tells nothing.
_SMALLEST_SHARE: Final = Fraction(1, 10**12)

# How to write a number, for the parameters that newcomers give first.
_AMOUNT: Final = '; give a number greater than 0, such as 1, 0.5 or "1/2"'
_HOW: Final = {
    "epsilon": _AMOUNT,
    "total": _AMOUNT,
    "bounds": "; give two finite numbers from public knowledge, such as (0, 1000000)",
    "nodes": "; give how many nodes there are, or a list of their labels",
    "q": "; give a fraction from 0 to 1, such as 0.5 for the median",
}
_DATA: Final = (
    "data goes into release, as ln.release(ln.Median(bounds=(0, 100)), data, epsilon=1), where "
    "data is what was given here"
)
_DATE = re.compile(
    r"\s*(?:\d{1,4}[-./]\d{1,2}[-./]\d{1,4}(?!\d)|[-+]?P(?=[T\d])[\dWDTHMS.]+\s*$"
    r"|\d+:\d\d(:\d\d)?\s*$|\d+ ?(?:ms|s|min|m|h|d|days?|hours?|minutes?|seconds?)\s*$)",
    re.ASCII,
)
_TIME_OF_DAY = re.compile(r"\s*\d+:\d\d(:\d\d)?\s*", re.ASCII)


def parse_number(value: object, name: str) -> Fraction:
    """The exact value of a finite number, or an error that names the parameter."""
    number = _exact(value, name)
    if not is_short(number):
        raise ParameterError(f"{name} has more than {MOST_DIGITS} digits: round it")
    return number


def parse_entry(value: object, name: str) -> Fraction:
    """As ``parse_number``, of an entry of a list, which may be data: the error does not show it."""
    what = f"{name} must be a finite number, or hold finite numbers"
    try:
        return parse_number(value, name)
    except ParameterError:
        raise ParameterError(f"{what}{_cure_of_dates(value)}") from None
    except ParameterTypeError:
        raise ParameterTypeError(f"{what}; not {kind_of(value)}") from None


def is_one_of(value: object, names: Collection[str]) -> bool:
    """Whether it is one of these texts; an array is none of them."""
    return isinstance(value, str) and value in names


def _exact(value: object, name: str) -> Fraction:
    try:
        return as_fraction(value)
    except TypeError:
        raise ParameterTypeError(
            f"{name} must be a finite number, not {type(value).__name__}: {quoted(value)}"
            f"{_cure(value, name)}"
        ) from None
    except ValueError:
        raise ParameterError(
            f"{name} must be a finite number, got {quoted(value)}{_cure(value, name)}"
        ) from None


def _cure(value: object, name: str) -> str:
    """How to write what is not a number; empty where that is not known."""
    return _cure_of_dates(value) or _HOW.get(name, "")


def _cure_of_dates(value: object) -> str:
    """What to do with a date where a number is wanted; empty for other values."""
    kind: type[object] = type(value)
    text = isinstance(value, str) and _DATE.match(value) is not None
    if not (text or hasattr(kind, "isoformat") or kind.__name__ == "datetime64"):
        return ""
    if kind.__name__ == "time" or (text and _TIME_OF_DAY.fullmatch(str(value))):
        return "; a time of day is not a number: give it, and the column, in seconds since midnight"
    return (
        "; give both ends as datetime.date, datetime.datetime or datetime.timedelta where the "
        "statistic takes dates; where it takes numbers, count days since a public date, in the "
        "column too"
    )


def parse_epsilon(value: object, name: str = "epsilon") -> Fraction:
    """A privacy parameter: finite and greater than 0 (``0.5``, ``"1/2"``, ``Decimal("0.5")``).

    Also for a part of a release. The total of a call is read by ``parse_total``, within limits that
    leave room for any division, so that no part of it is refused.
    """
    epsilon = _exact(value, name)
    if not epsilon > 0:
        raise ParameterError(
            f"{name} must be greater than 0, got {quoted(value)}{_HOW.get(name, '')}"
        )
    if not _SMALLEST_PART <= epsilon <= _LARGEST_PART:
        raise ParameterError(f"{name} must lie between 1e-90 and 1e90, got {quoted(value)}")
    return epsilon


def parse_total(value: object, name: str = "epsilon") -> Fraction:
    """The privacy parameter of a whole call, or a weight by which one is divided."""
    epsilon = parse_number(value, name)
    if not epsilon > 0:
        raise ParameterError(
            f"{name} must be greater than 0, got {quoted(value)}{_HOW.get(name, '')}"
        )
    if not _SMALLEST_TOTAL <= epsilon <= 1 / _SMALLEST_TOTAL:
        raise ParameterError(f"{name} must lie between 1e-60 and 1e60, got {quoted(value)}")
    return epsilon


def check_rows(epsilon: Fraction, rows: int) -> None:
    """Refuse an epsilon that leaves the rows of a person parts below the limit of a total."""
    if epsilon / rows < _SMALLEST_TOTAL:
        raise ParameterError(
            "epsilon must be at least 1e-60 for each row of a person: give a larger epsilon, or a "
            "smaller max_rows"
        )


def parse_delta(value: object, name: str = "delta") -> Fraction:
    """The failure probability of an approximate guarantee: 0 < delta < 1."""
    delta = parse_number(value, name)
    if not 0 < delta < 1:
        raise ParameterError(
            f"{name} must lie strictly between 0 and 1 (a pure mechanism needs none), got "
            f"{quoted(value)}"
        )
    return delta


def _parse_share(value: object) -> Fraction | None:
    """The part of epsilon for a search, or None for the public rule."""
    if value is None:
        return None
    share = parse_number(value, "share")
    if not 0 < share < 1:
        raise ParameterError(f"share must lie strictly between 0 and 1, got {quoted(value)}")
    if not _SMALLEST_SHARE <= share <= 1 - _SMALLEST_SHARE:
        raise ParameterError(f"share must lie between 1e-12 and 1 - 1e-12, got {quoted(value)}")
    return share


@dataclass(frozen=True, slots=True)
class PrivateBounds:
    """``bounds=PrivateBounds()``: no limits are known, so they are found privately.

    Parameters
    ----------
    share : number, optional
        Part of epsilon for the search, 0 < share < 1. Default: by a public rule, a third or less
        for 1,000 records at epsilon = 1. Medians and quantiles need no search and ignore it.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``share`` is not a number between 0 and 1; checked before any data is read.

    Notes
    -----
    Limits between 2**-40 and 2**60 in size are found; larger values are clipped. The record shows
    the released bounds and the cost of every stage. A ``mechanism`` of the answer must be
    epsilon-DP (not ``Gaussian`` or ``SmoothLaplace``). Guarantee: search and answer together are
    epsilon-DP under "replace-one", "add-remove" and "edit" (``docs/proofs/unknown-bounds.md``).
    Source: errata 4.11.

    Examples
    --------
    >>> import leastnoise as ln
    >>> ages = [20 + i % 50 for i in range(2000)]
    >>> r = ln.release(ln.Mean(bounds=ln.PrivateBounds()), ages, epsilon=1)
    >>> 0 < r.value < 100
    True
    """

    share: object = None

    def __post_init__(self) -> None:
        _parse_share(self.share)

    @property
    def parsed_share(self) -> Fraction | None:
        """The exact share, or None for the public rule."""
        return _parse_share(self.share)


@dataclass(frozen=True, slots=True)
class PrivateLimit:
    """``max_rows=PrivateLimit()``: the most rows of a person that are used is found privately.

    ``max_groups=PrivateLimit()`` does the same for groups.

    Rows beyond the limit are lost, and noise grows with the limit. Where losses add up (counts,
    sums) the search aims at a limit that loses about as much as the noise hides, which about
    3 / (share epsilon) persons exceed. For quantiles, means, variances and losses it aims at the
    number of rows that one in twenty persons exceeds. For ``CountDistinct`` it finds for how many
    different entries each person is counted; all their rows are used.

    Parameters
    ----------
    share : number, optional
        Part of epsilon for the search, 0 < share < 1. Default 3/10; 1/10 for the rows of quantiles,
        means, variances and losses; for different entries 2/5, under "add-remove" 4/15; for the
        groups of a table of more than ten cells three over their number.

    Raises
    ------
    ParameterError, ParameterTypeError
        If ``share`` is not a number between 0 and 1; checked before any data is read.

    Notes
    -----
    Each statistic finds its own limit, among 1, 2, 3, 4, 6, 8, 11, ..., 65536, which its record
    shows as ``max_rows``; all groups share one, but for different entries, of which each group
    finds its own (``notes`` of the record). Where the number of groups is found, epsilon is
    that of the whole table, and the groups that one person can change share what the search leaves.
    Guarantee: search and answer together promise what the answer alone would, for persons under
    "replace-one", "add-remove" and "edit" (``docs/proofs/row-limits.md``).

    Examples
    --------
    >>> import leastnoise as ln
    >>> visits = {"who": [i % 500 for i in range(2000)], "days": [i % 9 for i in range(2000)]}
    >>> with ln.open(visits, unit="who", max_rows=ln.PrivateLimit()) as data:
    ...     r = data.release(ln.Count(), epsilon=1)
    >>> 1 <= r.max_rows <= 65536
    True
    """

    share: object = None

    def __post_init__(self) -> None:
        _parse_share(self.share)

    def part(self, usual: Fraction) -> Fraction:
        """The exact share, or the usual one."""
        share = _parse_share(self.share)
        return usual if share is None else share


SEARCHED: Final = (
    "Mean, Sum, Variance, StandardDeviation, InterquartileRange, Median, Quantile, Quantiles and "
    "the losses"
)
# Used in place of the limits until they are released; no data is clipped to it.
_UNBOUNDED: Final = (Fraction(-(2**40)), Fraction(2**40))


def parse_bounds(
    bounds: object, name: str = "bounds", *, searched: bool = False
) -> tuple[Fraction, Fraction]:
    """Two finite numbers, lower < upper, declared from public knowledge.

    ``searched`` says that ``PrivateBounds()`` is supported here.
    """
    if bounds is None:
        raise ParameterError(
            f"{name} are required: give {name}=(lower, upper) from public knowledge, never from "
            "the data. For medians and quantiles wide limits cost almost nothing, so take the "
            "widest possible."
        )
    if isinstance(bounds, PrivateBounds):
        if searched:
            return _UNBOUNDED
        raise ParameterError(
            f"{name} must be declared here, as (lower, upper): PrivateBounds() is for {SEARCHED}"
        )
    ends = listed(bounds)
    if not is_list_or_tuple(ends):
        raise ParameterTypeError(
            f"{name} must be a pair (lower, upper) of numbers, such as (0, 100), not "
            f"{type(bounds).__name__}; to have limits found privately give PrivateBounds()"
        )
    pair = list(ends)
    if len(pair) != 2:
        raise ParameterTypeError(
            f"{name} must be a pair (lower, upper) of numbers, such as (0, 100)"
        )
    if any(isinstance(end, str) for end in pair):
        raise ParameterTypeError(
            f"{name} must be two numbers, and an end is text"
            f"{_cure_of_dates(pair[0]) or '; write them without quotes, such as (0, 100)'}"
        )
    if any(is_list_or_tuple(listed(end)) for end in pair):
        raise ParameterTypeError(
            f"{name} must be two numbers, and an end is a list: write ([0], [60]) as (0, 60)"
        )
    lower, upper = parse_number(pair[0], name), parse_number(pair[1], name)
    shown = f"[{short_text(lower)}, {short_text(upper)}]"
    if not lower < upper:
        raise ParameterError(
            f"{name} must satisfy lower < upper, got {shown}; give the smaller number first"
        )
    if max(upper - lower, abs(lower), abs(upper)) >= _LARGEST_WIDTH:
        raise ParameterError(
            f"{name} {shown} are too wide for a finite sensitivity: they and their width must be "
            "below 2**1023, about 9e307"
        )
    return lower, upper


def parse_order(value: object, name: str = "q") -> Fraction:
    """The order of a quantile: 0 <= q <= 1."""
    if value is None:
        raise ParameterTypeError(f"{name} is missing: give {name}=0.9 for the 90th percentile")
    if is_list_or_tuple(value):
        raise ParameterTypeError(
            f"{name} must be one number, got {quoted(value)}; for several orders take Quantiles"
        )
    order = parse_number(value, name)
    if not 0 <= order <= 1:
        raise ParameterError(
            f"{name} must lie between 0 and 1, got {quoted(value)}; write a percentage as a "
            "fraction, "
            "such as 0.9 for 90 %"
        )
    return order


def parse_step(value: object, name: str = "step") -> Fraction | None:
    """The spacing of the input lattice: None (chosen by public rule) or a number > 0."""
    if value is None:
        return None
    step = parse_number(value, name)
    if not step > 0:
        raise ParameterError(f"{name} must be greater than 0, got {quoted(value)}")
    if step >= _LARGEST_WIDTH:
        raise ParameterError(f"{name} must be below 2**1023, got {short_text(step)}")
    return step


def parse_relation(value: object) -> Relation:
    """Which data sets are neighbours (``docs/privacy-guarantee.md``)."""
    known: tuple[Relation, ...] = get_args(Relation)
    for relation in known:
        if isinstance(value, str) and value == relation:
            return relation
    raise ParameterError(
        f"relation must be one of {', '.join(map(repr, known))}, got {quoted(value)}"
        f"{did_you_mean(value, known)}"
    )


def parse_missing(value: object) -> Missing | Fraction | None:
    """The policy for missing values: None (the column's default), "drop", "none" or a number."""
    if value is None:
        return None
    if isinstance(value, str):
        if value == "drop":
            return "drop"
        if value == "none":
            return "none"
        raise ParameterError(
            f'missing must be "drop", "none" or a number to impute, got {quoted(value)}'
        )
    return parse_number(value, "missing")


def parse_count(value: object, name: str, *, least: int = 1) -> int:
    """A whole number >= least, such as a limit on the number of rows."""
    number = parse_number(value, name)
    if number.denominator != 1 or number < least:
        raise ParameterError(
            f"{name} must be a whole number of at least {least}, got {quoted(value)}"
        )
    return int(number)


def parse_flag(value: object, name: str) -> bool:
    """True or False (also numpy's); nothing else counts as either."""
    if isinstance(value, bool) or type(value).__name__ in ("bool_", "bool"):
        return bool(value)
    raise ParameterTypeError(f"{name} must be True or False, got {quoted(value)}")


def listed(value: object) -> object:
    """An array, index or series of declared values as a list; anything else unchanged.

    A number of fewer bits than a double is read as its shortest text, like a scalar:
    ``numpy.array([0.1], "f4")`` declares one tenth.
    """
    kind: type[object] = type(value)
    if not (hasattr(kind, "__array__") or kind is array):
        return value
    import numpy as np  # loaded already, wherever an array comes from

    declared: Any = value
    found: Any = np.asarray(declared)
    if not found.ndim:  # a scalar
        return value
    if found.dtype.kind in "mM":  # as integers they would be numbers of any unit
        return list(found)
    if found.dtype.kind == "f" and found.dtype.itemsize < 8:
        found = found.astype(np.str_).astype(np.float64)
    return found.tolist()


def parse_list(value: object, name: str, of: str) -> list[Any]:
    """The entries of a list, tuple or array; text does not count as one."""
    entries, kind = listed(value), type(value).__name__
    if isinstance(entries, (str, bytes, Mapping)) or not is_iterable(entries):
        raise ParameterTypeError(f"{name} must be a list of {of}, not {kind}")
    return list(entries)


def parse_column(value: object) -> str | None:
    """A column name, or None for a bare array."""
    if value is None or (isinstance(value, str) and value):
        return value
    if isinstance(value, str):
        raise ParameterError("column must not be blank: give the column a name in the file")
    cure, shown = _DATA, quoted(value)
    if is_list_or_tuple(value) and len(value) == 2 and all(type(x) in (int, float) for x in value):
        cure = "limits are given by name, bounds=(lower, upper)"
        cure += "" if is_tuple(value) else f"; {_DATA}"
    elif isinstance(value, int):
        cure = "name the columns, as by frame.columns = ['a', 'b'], and give the name"
    elif isinstance(value, tuple):  # the name of one of several levels
        cure = (
            "name one column; columns of several levels are renamed by frame.columns = "
            "['_'.join(x) for x in frame.columns]"
        )
    elif type(value).__module__.startswith("leastnoise."):
        cure = "give 'age' for col('age'); a condition goes into leastnoise.open(data).where(...)"
    raise ParameterTypeError(
        f"column must be a name (text), or omitted for a bare array; got {shown}; {cure}"
    )


def parse_name(value: object, name: str) -> str:
    """A non-blank text."""
    if not isinstance(value, str):
        raise ParameterTypeError(f"{name} must be text, not {type(value).__name__}")
    if not value.strip():
        raise ParameterError(f"{name} must not be blank")
    return value


def explained(
    call: Callable[Given, Answer], name: str = "", suggested: Iterable[str] | None = None
) -> Callable[Given, Answer]:
    """The same function; where a call does not fit its parameters, the error says what would.

    ``suggested`` are the parameters most likely meant by a value given without its name; None: such
    a value may be data, and is not shown.
    """

    @wraps(call)
    def explaining(*args: Given.args, **kwargs: Given.kwargs) -> Answer:
        try:
            return call(*args, **kwargs)
        except TypeError as error:
            trace = error.__traceback__
            if type(error) is not TypeError or trace is None or trace.tb_next is not None:
                raise  # by what was called
            from leastnoise.calls import misfit

            wrong = misfit(call, name or explaining.__name__, args, kwargs, suggested)
            raise ParameterTypeError(wrong) from None

    return explaining
