"""The record of a release: the value, its guarantee, and every public parameter.

Only the value itself is a function of the private data.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction
from math import ceil, isfinite, log
from typing import TYPE_CHECKING, Any, SupportsFloat, SupportsIndex, cast

from leastnoise._version import __version__
from leastnoise.errors import ParameterError, quoted
from leastnoise.foreign import is_list_or_tuple
from leastnoise.guarantees import Guarantee, Scope
from leastnoise.params import parse_number
from leastnoise.production import quiet
from leastnoise.record.hints import Hinted
from leastnoise.record.stored import parse_fields, parse_json

if TYPE_CHECKING:
    from leastnoise.record.difference import Difference

_SURROGATE = re.compile("[\ud800-\udfff]")
NOT_PROTECTED = "running time is not protected"
NOT_TRACKED = "not tracked by a ledger"
# Below this no table on earth has enough rows for an answer.
_NOISE_ONLY = Fraction(1, 10**6)

Scalar = int | float
Time = date | timedelta  # a datetime is a date
Label = str | Scalar  # a group's key: text, a number or a boolean
Value = Scalar | str | Time | list[Scalar] | list[list[Scalar]] | dict[str, Any]


def notes_of_epsilon(epsilon: Fraction) -> tuple[str, ...]:
    """Warnings about an epsilon so small that noise is all, or so large that it hides little."""
    if epsilon < _NOISE_ONLY:
        return ("noise swamps the data: epsilon is below 1e-6",)
    return ("weak guarantee: epsilon is above 10",) if epsilon > 10 else ()


def strict_json(value: object, indent: int | None) -> str:
    """JSON that UTF-8 can write: half a pair of surrogates is escaped, other text is not."""
    text = json.dumps(value, allow_nan=False, indent=indent, ensure_ascii=False)
    return _SURROGATE.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def plain_number(value: object) -> Any:
    """A Python int or float; -0.0 becomes 0.0. A boolean is a declared label and stays one, and so
    does a time.
    """
    if isinstance(value, (bool, Time)):
        return value
    if isinstance(value, int):
        return int(value)
    if hasattr(value, "__index__"):
        return int(cast("SupportsIndex", value))  # numpy integers
    number = float(cast("SupportsFloat", value))  # numpy floats and Fractions
    if not isfinite(number):
        raise ValueError("a released value is always finite")
    return number + 0.0


def plain_list(value: Sequence[Any]) -> list[Any]:
    """Python numbers or text in a list; lists inside stay lists, and a value may say how it is
    rebuilt."""
    entries = [_plain_entry(entry) for entry in value]
    rebuilt = getattr(value, "rebuilt", None)
    return entries if rebuilt is None else rebuilt(entries)


def _plain_entry(entry: object) -> Any:
    if isinstance(entry, str):
        return str(entry)
    if is_list_or_tuple(entry):
        return plain_list(entry)
    return plain_number(entry)


def written(value: Any) -> Any:
    """Times as text in ISO form; others as they are."""
    if is_list_or_tuple(value):
        return [written(entry) for entry in value]
    if isinstance(value, timedelta):
        return f"PT{value.days * 86_400 + value.seconds}S"
    return value.isoformat() if isinstance(value, date) else value


def _has_times(value: object) -> bool:
    held = value[0] if is_list_or_tuple(value) and value else value
    return isinstance(held, Time)


def _plain_mapping(value: Mapping[str, Any]) -> dict[str, Any]:
    """The same for a mapping of numbers."""
    return {
        str(name): plain_list(entry) if is_list_or_tuple(entry) else plain_number(entry)
        for name, entry in value.items()
    }


def plain_value(value: Value) -> Value:
    """The value of a record, of plain Python types."""
    if isinstance(value, Mapping):
        return _plain_mapping(value)
    if isinstance(value, (str, Time)):  # the answer of a choice among labels is text
        return value
    return plain_list(value) if isinstance(value, Sequence) else plain_number(value)


def protection(scope: Scope) -> str:
    """One line: whom a relation and a unit protect."""
    change = {
        "replace-one": "whatever one {unit} contains, the answer is about as likely",
        "add-remove": "with or without one {unit} in the table, the answer is about as likely",
        "edit": "whether one {unit} is in the table and whatever it contains, the answer is "
        "about as likely",
        "edge": "with or without one {unit} in the graph, the answer is about as likely",
    }.get(scope.relation)
    text = f"protects one {scope.unit}"
    return text if change is None else f"{text}: {change.format(unit=scope.unit)}"


def _unreadable() -> ParameterError:
    return ParameterError(
        "this is not a release of this version; give the text that release.to_json() wrote"
    )


def _text(guarantee: Guarantee, name: str) -> str | None:
    number = guarantee.numbers().get(name)
    return None if number is None else str(number)


@dataclass(frozen=True, slots=True)
class Release(Hinted):
    """A private value and its record.

    Attributes
    ----------
    value : int, float, str, date, datetime, timedelta, list or dict
        The released value; whole numbers on an integer lattice are Python ints, a choice among
        labels is text. Where bounds are dates, times or durations the answer is one.
    statistic, column : str
        What was released.
    guarantee : Guarantee
        The guarantee, with relation and unit of privacy.
    mechanism : str
        The mechanism with its public parameters.
    relation : str
        The declared neighbouring relation; ``profile_relation`` is the one whose profile was used
        ("edit" once rows are removed by their content).
    n_public : bool
        Whether the number of rows is treated as public.
    missing : str
        The policy for missing values.
    bounds : pair, pairs or None
        The public limits of the column; of a regression a pair for each feature.
    limits : pair, pairs or None
        The bounds, where they were found privately: they are released, and records beyond them
        count as the nearest limit. None where bounds are the declared ones.
    step : str
        Lattice spacing of the value, exact; of dates in days, of times and durations in seconds.
    sensitivity : str
        "global" when the noise is scaled to the worst case, "instance" when it adapts.
    noise_scale : float or None
        The scale of the noise, where it is public: of Laplace noise, or sigma of Gaussian noise.
    noise : str or None
        "Laplace" or "Gaussian", where the noise is public.
    parts : dict
        How epsilon was split over parts of the answer, as exact text.
    split : dict
        In a call for several statistics: the epsilon of all, and this one's share of it. In a call
        over groups also "groups", how many there are, and "times": all of them together are charged
        this many times the epsilon of one.
    where : str or None
        The filter, as an expression; only rows for which it is true were used.
    group : dict
        The group whose rows were used: its key by column; None for rows without a declared key.
    max_rows : int or None
        Where persons are protected: the most rows of one person that were used.
    draws : tuple of Guarantee
        The guarantees of the independent draws behind the release, in their strongest form;
        together they imply ``guarantee``. Composition starts from them.
    tracked : str
        Whether a ledger was charged, in words.
    ledger : dict or None
        The entry that was charged, and the head of the ledger's hash chain with it.
    axes : tuple of tuples
        The labels of the positions of a list value, such as those of a histogram: one tuple for
        each axis, empty where there are none.
    interval : pair of numbers or times, or None
        The ends of the interval, where one was asked for (``WithInterval``).
    coverage : dict or None
        What the interval covers ("of", "holds"), and with which probability ("level"); "each" is
        the level of a single interval where "level" is that of all groups together.
    sampled : dict or None
        Where a sensitivity was sampled: m, k, rho, gamma, beta and the sensitivity, as text.
    notes : tuple of str
        What readers must know, such as a bias.
    secure : bool
        False for a simulation, which is not private.
    version : str
        The version of the library that made it.
    """

    value: Value
    statistic: str
    guarantee: Guarantee
    mechanism: str
    relation: str
    profile_relation: str
    n_public: bool
    missing: str
    step: str
    sensitivity: str
    column: str | None = None
    bounds: tuple[Any, ...] | None = None
    limits: tuple[Any, ...] | None = None
    noise_scale: float | None = None
    noise: str | None = None
    parts: dict[str, str] = field(default_factory=dict[str, str])
    split: dict[str, str] = field(default_factory=dict[str, str])
    where: str | None = None
    group: dict[str, Label | None] = field(default_factory=dict[str, Label | None])
    max_rows: int | None = None
    draws: tuple[Guarantee, ...] = ()
    axes: tuple[tuple[str | Scalar, ...], ...] = ()
    interval: tuple[Any, Any] | None = None
    coverage: dict[str, str] | None = None
    sampled: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()
    tracked: str = NOT_TRACKED
    ledger: dict[str, Any] | None = None
    secure: bool = True
    version: str = __version__

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", plain_value(self.value))
        if self.interval is not None:
            low, high = self.interval
            object.__setattr__(self, "interval", (plain_number(low), plain_number(high)))

    def __float__(self) -> float:
        if isinstance(self.value, list):
            raise TypeError("this release is a list of numbers; use float(r.value[i])")
        if isinstance(self.value, dict):
            raise TypeError("this release has several numbers; use one, such as r.value['count']")
        if isinstance(self.value, str):
            raise TypeError("this release is a label, not a number; use r.value")
        if isinstance(self.value, Time):
            raise TypeError("this release is a date or a duration, not a number; use r.value")
        return float(self.value)

    @property
    def protects(self) -> str:
        """One line: whom the release protects."""
        return protection(Scope(self.relation, self.guarantee.scope.unit))

    @property
    def not_protected(self) -> str:
        """One line: what the release does not protect."""
        count = "the number of rows is public; " if self.n_public else ""
        return count + NOT_PROTECTED

    def noise_interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """An interval for the noise alone, without sampling error and clipping error.

        Only for Laplace and Gaussian noise, whose scale is public. With an adaptive mechanism the
        width of the noise depends on the data, and publishing it would undo the guarantee.

        Parameters
        ----------
        confidence : float
            The probability that the interval covers the noise, between 0 and 1.

        Raises
        ------
        ParameterError, ParameterTypeError
            If the mechanism is adaptive, the value is a list, or ``confidence`` lies outside (0,
            1).
        """
        confidence = float(parse_number(confidence, "confidence"))
        if not 0 < confidence < 1:
            raise ParameterError(
                f"confidence must lie strictly between 0 and 1, got {quoted(confidence)}"
            )
        if isinstance(self.value, Time):
            raise ParameterError("the noise of a date or a duration has no interval of numbers")
        if self.noise_scale is None or not isinstance(self.value, (int, float)):
            raise ParameterError(
                f"{self.mechanism} has no public noise width: the width depends on the data, so an "
                "interval needs a second release (for example quantiles around the median)"
            )
        if self.noise == "Gaussian":
            from statistics import NormalDist  # rarely needed, and slow to import

            half = self.noise_scale * NormalDist().inv_cdf((1 + confidence) / 2)
        else:
            half = self.noise_scale * log(1 / (1 - confidence))
        step = float(Fraction(self.step))
        if half < 2**40 * step:  # whole steps, so that a coarse lattice is covered too
            half = ceil(half / step) * step
        return self.value - half, self.value + half

    def difference(self, other: Release) -> Difference:
        """This number less another one, with an interval, for example for two groups.

        Parameters
        ----------
        other : Release
            A release of the same statistic and column, with an interval of the same kind.

        Returns
        -------
        Difference
            ``value``, ``interval`` and ``coverage``. The interval misses at most as often as both
            intervals do together: two of level 0.975 give one of 0.95, and so do two groups with
            ``simultaneous=True``. Means of two independent samples (of="population", level 0.95 or
            more) give one of their own level.

        Raises
        ------
        ParameterError, ParameterTypeError
            If a release has no interval or is not a number, or the two are not of the same kind.

        Notes
        -----
        It costs nothing: both numbers are released already. ``docs/proofs/with-interval.md``.
        """
        from leastnoise.record.difference import difference  # rarely needed

        return difference(self, other)

    def _noise_epsilon(self) -> float:
        """The epsilon of the answer's noise: all of it, unless a search for limits took a part."""
        answers = [part for name, part in self.parts.items() if name.startswith("answer, ")]
        if answers:
            return float(Fraction(answers[0]))
        return float(self.guarantee.numbers().get("epsilon", 0))

    def to_dict(self) -> dict[str, Any]:
        """Plain values that every JSON writer takes, NaN-free."""
        return {
            "value": written(self.value),
            "times": _has_times(self.value),
            "statistic": self.statistic,
            "column": self.column,
            "guarantee": self.guarantee.to_dict(),
            "mechanism": self.mechanism,
            "relation": self.relation,
            "profile_relation": self.profile_relation,
            "unit": self.guarantee.scope.unit,
            "epsilon": _text(self.guarantee, "epsilon"),
            "delta": _text(self.guarantee, "delta") or "0",
            "sensitivity_used": None
            if self.noise_scale is None or self.noise == "Gaussian"
            else self.noise_scale * self._noise_epsilon(),
            "protects": self.protects,
            "not_protected": self.not_protected,
            "n_public": self.n_public,
            "missing": self.missing,
            "bounds": None if self.bounds is None else written(plain_list(self.bounds)),
            "limits": None if self.limits is None else written(plain_list(self.limits)),
            "step": self.step,
            "sensitivity": self.sensitivity,
            "noise_scale": self.noise_scale,
            "noise": self.noise,
            "parts": self.parts,
            "split": self.split,
            "where": self.where,
            "group": dict(self.group),
            "max_rows": self.max_rows,
            "draws": [draw.to_dict() for draw in self.draws],
            "axes": [list(axis) for axis in self.axes],
            "interval": None if self.interval is None else written(self.interval),
            "coverage": self.coverage,
            "sampled": self.sampled,
            "notes": list(self.notes),
            "tracked": self.tracked,
            "ledger": self.ledger,
            "secure": self.secure,
            "version": self.version,
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """Strict JSON of the record; ``from_json`` reads it back."""
        with quiet():  # a count may have thousands of digits
            return strict_json(self.to_dict(), indent)

    @staticmethod
    def from_json(text: str) -> Release:
        """The release that ``to_json`` wrote.

        Raises
        ------
        ParameterError
            If the text is anything else.
        """
        try:
            data = parse_json(text)
        except (ValueError, TypeError, RecursionError):
            raise _unreadable() from None
        return Release.from_dict(data)

    @staticmethod
    def from_dict(record: Mapping[str, Any]) -> Release:
        """The release that ``to_dict`` described.

        Raises
        ------
        ParameterError
            If the record is anything else.
        """
        try:
            with quiet():
                fields = parse_fields(record)
                made = Release(**fields) if fields["secure"] else SimulatedRelease(**fields)
                if made.to_dict()["sensitivity_used"] != record["sensitivity_used"]:
                    raise _unreadable()
                strict_json(record["sensitivity_used"], None)  # infinite where a scale is too large
                return made
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError):
            raise _unreadable() from None


@dataclass(frozen=True, slots=True, repr=False)
class SimulatedRelease(Release):
    """NOT PRIVATE: drawn from a seeded stream inside ``leastnoise.testing.simulate``."""

    secure: bool = False

    def __repr__(self) -> str:
        return f"SimulatedRelease(NOT PRIVATE, value={self.value!r}, statistic={self.statistic!r})"
