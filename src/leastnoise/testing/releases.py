"""The verdict on whole releases: nothing but the value depends on data, and no data set raises."""

from __future__ import annotations

import io
import logging
import re
import warnings
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from fractions import Fraction
from math import isfinite
from typing import Any, cast

import numpy as np

from leastnoise.errors import LeastNoiseError, ParameterError
from leastnoise.foreign import is_mapping, is_tuple
from leastnoise.laws import Law
from leastnoise.mechanisms.joint.mechanism import JointMechanism
from leastnoise.mechanisms.private_limits import PrivateLimits
from leastnoise.params import RELATIONS, parse_epsilon, parse_list, parse_relation
from leastnoise.profiles import Profile, Scores, exact
from leastnoise.session import release
from leastnoise.session.prepare import choose_mechanism, plan
from leastnoise.statistics.statistic import Described
from leastnoise.testing.hostile import Family, canary, families, traces
from leastnoise.testing.simulate import simulate
from leastnoise.testing.violations import PrivacyViolation, Subject, check_kind

ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


@dataclass(frozen=True, slots=True)
class ReleaseReport:
    """What was checked, and that nothing was found."""

    statistic: str
    releases: int

    def __str__(self) -> str:
        return f"{self.statistic}: {self.releases} releases of awkward data; nothing broken"


def check_release(
    statistic: Described,
    *,
    mechanism: object = None,
    epsilon: object = 1,
    relations: Sequence[str] = RELATIONS,
    data: Mapping[str, Family] | None = None,
) -> ReleaseReport:
    """Try to make a release depend on data in anything but its value.

    Awkward data sets of one schema (empty, missing, infinite, unparsable, beyond the bounds, of
    enormous numbers) are released under every relation. For all of them: a finite value in the
    public range; no exception, warning, log line or print; one and the same record, one repr of
    profile, law and summary; one depth, lattice, range and sensitivity handed to the mechanism,
    and no more than epsilon in all. Errors of parameters quote no data.

    Parameters
    ----------
    statistic, mechanism, epsilon
        As for ``leastnoise.release``.
    relations : sequence of "replace-one", "add-remove", "edit"
        Under a public number of rows only data sets of one length are compared.
    data : mapping of name to data sets, optional
        Families of data sets of one schema each. Default: lists and arrays of one column, bare or
        under the statistic's column name.

    Returns
    -------
    ReleaseReport
        How many releases were made.

    Raises
    ------
    ParameterError, ParameterTypeError
        For impossible parameters, and for anything but a statistic.
    PrivacyViolation
        With the data set and what differs.

    Examples
    --------
    >>> import leastnoise as ln
    >>> from leastnoise.testing import check_release
    >>> check_release(ln.Median(bounds=(0, 100))).releases > 100
    True
    """
    check_kind(statistic, "statistic", "spec")
    relations = [parse_relation(r) for r in parse_list(relations, "relations", "names")]
    spec = statistic.spec()
    low, high = (Fraction(end) for end in getattr(spec, "bounds", None) or (0, 1))
    known = families(low, high, getattr(spec, "column", None)) if data is None else data
    check = _Check(statistic, mechanism, parse_epsilon(epsilon), traces(canary(low, high)))
    for relation in relations:
        for name, family in known.items():
            check.family(relation, name, family)
    check.errors(next(iter(known.values())))
    return ReleaseReport(type(statistic).__name__, check.releases)


# What a private search for limits decides, besides the value.
_DRAWN = {"bounds", "limits", "mechanism", "notes", "parts", "step"}


class _Watched:
    """A mechanism that remembers what it was given."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner
        self.seen: list[tuple[Profile, Fraction]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def law(self, profile: Profile, epsilon: object) -> Law:
        self.seen.append((profile, parse_epsilon(epsilon)))
        return self.inner.law(profile, epsilon)


class _Check:
    def __init__(
        self, statistic: Described, mechanism: object, epsilon: Fraction, digits: tuple[str, ...]
    ) -> None:
        self.statistic, self.mechanism = statistic, mechanism
        self.epsilon, self.digits = epsilon, digits
        self.subject = Subject(repr(statistic))
        self.releases = 0

    def family(self, relation: str, name: str, family: Family) -> None:
        """One schema: all data sets, compared with the first of the same public size."""
        shown: dict[object, tuple[object, object]] = {}
        for data in family:
            here = self.subject.within(relation=relation, kind=name, data=data)
            with _silence(here):
                found, public = self._public(here, relation, data)
                rows = _rows(data) if found["n_public"] else None
                first, seen = shown.setdefault(rows, (public, data))
            if first != public:
                raise here.violation(
                    "nothing but the value depends on data",
                    _difference(cast("dict[str, object]", first), public),
                    other=seen,
                )

    def _public(
        self, here: Subject, relation: str, data: object
    ) -> tuple[dict[str, Any], dict[str, object]]:
        """The record without its value, and all else that must not depend on data."""
        try:
            prepared = plan(self.statistic, data, relation, None)
            under = prepared.profile_relation
            chosen = choose_mechanism(self.mechanism, prepared.statistic, under)
            if isinstance(chosen, PrivateLimits):  # few rows get noise for the declared bounds
                chosen = prepared.statistic.settled_mechanism(under)
            joint = isinstance(chosen, JointMechanism)
            watched: Any = chosen if joint else _Watched(chosen)
            record = self._release(relation, data, self.mechanism)
            if not joint:
                self._release(relation, data, watched)
            summary = prepared.table.summarise(prepared.request, None)
            profiles = [] if joint else list(prepared.profiles(summary))
            laws = [chosen.law(profile, self.epsilon) for profile in profiles]
        except LeastNoiseError as error:
            if _rows(data) == 0 and isinstance(error, ParameterError):
                raise  # the caller's parameters do not fit together
            raise self._raised(here, error) from error
        except Exception as error:
            raise self._raised(here, error) from error
        found = record.to_dict()
        self._value(here, found.pop("value"), profiles)
        if {"far limits", "near limits"} & found[
            "parts"
        ].keys():  # these are values that were drawn too
            found = {name: fact for name, fact in found.items() if name not in _DRAWN}
        public: dict[str, object] = {f"record: {name}": value for name, value in found.items()}
        public["repr of summary, profiles and laws"] = [
            ADDRESS.sub("", repr(each)) for each in (summary, *profiles, *laws)
        ]
        if not joint:
            handed = watched.seen[-len(profiles) :]
            public["handed to the mechanism"] = [(_facts(p), share) for p, share in handed]
            self._spent(here, [share for _, share in handed], prepared.shares(len(profiles)))
        for name, value in public.items():
            self._no_trace(here, f"{name} {value}")
        return found, public

    def _release(self, relation: str, data: object, mechanism: object) -> Any:
        with simulate("check_release"):
            self.releases += 1
            return release(
                self.statistic,
                data,
                epsilon=self.epsilon,
                mechanism=mechanism,
                relation=relation,
            )

    def _raised(self, here: Subject, error: Exception) -> PrivacyViolation:
        return here.violation("no error depends on data", f"{type(error).__name__}: {error}")

    def _value(self, here: Subject, value: Any, profiles: list[Profile]) -> None:
        choice: object = profiles[0] if profiles else None
        if isinstance(choice, Scores):
            names = range(len(choice.values)) if choice.candidates is None else choice.candidates
            if value not in names:
                raise here.violation("every data set gives a declared answer", f"{value}")
            return
        known: list[Any] = np.ravel(value).tolist()
        values: list[float] = [x for x in known if not isinstance(x, str)]  # dates are text
        if not all(isfinite(v) for v in values):
            raise here.violation("every data set gives a finite value", f"{value}")
        for number, profile in zip(values, profiles, strict=False):
            ends = profile.in_users_units().support if profile.clamp else (None, None)
            low, high = (None if end is None else float(exact(end)) for end in ends)
            if (low is not None and number < low) or (high is not None and number > high):
                raise here.violation(
                    "answers lie in the public range", f"{number} for [{low}, {high}]"
                )

    def _spent(self, here: Subject, shares: list[Fraction], touched: int) -> None:
        largest = sum(sorted(shares, reverse=True)[:touched])
        if largest > self.epsilon:
            raise here.violation(
                "the parts of an answer share epsilon",
                f"{touched} parts that one record can move spend {largest} of {self.epsilon}",
            )

    def _no_trace(self, here: Subject, text: str) -> None:
        for digits in self.digits:
            if digits in text:
                raise here.violation("nothing quotes a data value", text)

    def errors(self, family: Family) -> None:
        """Errors of parameters are of this library's kinds and quote nothing."""
        wrong: tuple[dict[str, Any], ...] = (
            {"epsilon": 0},
            {"epsilon": "1,5"},
            {"relation": "swap"},
            {"mechanism": object()},
            {"missing": "ignore"},
        )
        for data in family:
            for parameters in wrong:
                options: dict[str, Any] = {"epsilon": self.epsilon, **parameters}
                here = self.subject.within(parameters=parameters, data=data)
                try:
                    with simulate("check_release"):
                        release(self.statistic, data, **options)
                except LeastNoiseError as error:
                    chain: BaseException | None = error
                    while chain is not None:
                        self._no_trace(here, str(chain))
                        chain = chain.__cause__ or chain.__context__
                else:
                    raise here.violation("bad parameters are refused", f"{parameters} were taken")


@contextmanager
def _silence(here: Subject) -> Generator[None, None, None]:
    """Whatever is printed, logged or warned about while data is read is a leak."""
    out, err, log = io.StringIO(), io.StringIO(), io.StringIO()
    handler = logging.StreamHandler(log)
    root = logging.getLogger()
    level = root.level
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        with warnings.catch_warnings(record=True) as warned, redirect_stdout(out):
            warnings.simplefilter("always")
            with redirect_stderr(err):
                yield
    finally:
        root.removeHandler(handler)
        root.setLevel(level)
    said = [out.getvalue(), err.getvalue(), log.getvalue(), *(str(w.message) for w in warned)]
    if any(said):
        raise here.violation(
            "nothing is printed, logged or warned about", " | ".join(text for text in said if text)
        )


def _facts(profile: Profile | Scores) -> dict[str, object]:
    """What a mechanism may treat as public."""
    if isinstance(profile, Scores):
        return {"choice": profile.public}
    return {
        "support": tuple(None if end is None else exact(end) for end in profile.support),
        "sensitivity": profile.global_sensitivity,
        "depth": profile.depth,
        "resolution": exact(profile.resolution),
        "unit": profile.unit,
        "monotone": profile.monotone,
        "integral": profile.integral,
        "clamp": profile.clamp,
    }


def _difference(first: dict[str, object], second: dict[str, object]) -> str:
    return "; ".join(
        f"{name}: {first.get(name)} and {value}"
        for name, value in second.items()
        if first.get(name) != value
    )


def _rows(data: Any) -> int:
    """The number of rows of a column, a dict of columns or a pair of columns."""
    if is_mapping(data):
        return _rows(next(iter(data.values())))
    if is_tuple(data):
        return _rows(data[0])
    return len(data)
