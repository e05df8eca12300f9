"""The exact expected error of every mechanism for one statistic: what ``leastnoise compare`` shows.

NOT PRIVATE: for public or synthetic data only.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from math import inf, isclose, isfinite
from typing import Any, Protocol

from leastnoise import mechanisms
from leastnoise.cli.names import RelationName
from leastnoise.cli.requests import as_number
from leastnoise.errors import ParameterError
from leastnoise.mechanisms import Mechanism
from leastnoise.profiles import Profile
from leastnoise.session import profile
from leastnoise.session.checking import kind_of
from leastnoise.session.kinds.kind import Errors
from leastnoise.session.prepare import choose_mechanism, plan
from leastnoise.session.profiles import expected_error
from leastnoise.theory.optimality import Optimality, optimality, ratio_of

WEAKER = ("SmoothLaplace(delta=1e-6)", "Gaussian(delta=1e-6)")
# Named as they are written in code.
MECHANISMS: dict[str, Mechanism] = {
    "Laplace()": mechanisms.Laplace(),
    "LaplaceRatio()": mechanisms.LaplaceRatio(),
    WEAKER[0]: mechanisms.SmoothLaplace(delta="1e-6"),
    WEAKER[1]: mechanisms.Gaussian(delta="1e-6"),
    "CentredLaplace()": mechanisms.CentredLaplace(),
    "InverseSensitivity()": mechanisms.InverseSensitivity(),
    "PiecewiseLaplace()": mechanisms.PiecewiseLaplace(),
    'PiecewiseLaplace(base="log")': mechanisms.PiecewiseLaplace(base="log"),
    'PiecewiseLaplace(base="log", shift=0)': mechanisms.PiecewiseLaplace(base="log", shift=0),
    "AsymmetricSensitivity()": mechanisms.AsymmetricSensitivity(),
    'AsymmetricSensitivity(beta="auto", split=2)': mechanisms.AsymmetricSensitivity(
        beta="auto", split=2
    ),
    "TightOrLoose()": mechanisms.TightOrLoose(),
}
# Simulated releases of what has no law: limits first, then an answer.
_DRAWS = 200
_TIE = 1e-9  # two laws that are equal differ by rounding of floats only
PRIVATE_FILE = "private.csv"


class Compared(Protocol):
    """A question about a file: one statistic, in the words of the command line."""

    @property
    def file(self) -> str:
        """The public file."""
        ...

    @property
    def column(self) -> str | None:
        """The column, the one of targets where there are two."""
        ...

    @property
    def missing(self) -> str | None:
        """The policy for missing values, as it was written."""
        ...

    @property
    def reading(self) -> dict[str, Any]:
        """How the file is read."""
        ...

    def named_statistic(self) -> tuple[str, object]:
        """The name of the statistic, and the statistic."""
        ...

    def written(self) -> list[str]:
        """Its parameters as Python writes them."""
        ...

    def policy(self) -> object:
        """The policy for missing values."""
        ...


@dataclass(frozen=True, slots=True)
class Row:
    """One mechanism: its errors in the order of the epsilons, None where it refuses.

    ``bias`` is the part of them that clipping to released limits causes on average, with its sign.
    """

    mechanism: str
    default: bool
    errors: tuple[float | None, ...]
    reason: str | None
    bias: tuple[float, ...] | None = None

    @property
    def title(self) -> str:
        """The mechanism as it is shown."""
        return f"{self.mechanism} (default)" if self.default else self.mechanism


@dataclass(frozen=True, slots=True)
class Comparison:
    """NOT PRIVATE. The errors of all mechanisms, after answers are cut to the public range."""

    statistic: str
    column: str | None
    relation: str
    epsilons: tuple[Fraction, ...]
    rows: tuple[Row, ...]
    limits: tuple[Optimality, ...] = ()

    def ratios(self, row: Row) -> tuple[float | None, ...]:
        """For each epsilon the error over the local minimax risk, where limits were asked for."""
        return tuple(
            None if error is None else ratio_of(error, limit.minimax)
            for error, limit in zip(row.errors, self.limits, strict=True)
        )

    def errors(self) -> dict[str, dict[float, float | None]]:
        """For each mechanism its error by epsilon, as a picture wants it."""
        epsilons = [float(epsilon) for epsilon in self.epsilons]
        return {row.title: dict(zip(epsilons, row.errors, strict=True)) for row in self.rows}

    def smallest(self, row: Row) -> tuple[bool, ...]:
        """For each epsilon whether this row has the smallest error; ties all have it."""
        return tuple(
            error is not None and isclose(error, least, rel_tol=_TIE)
            for error, least in zip(row.errors, self._least(), strict=True)
        )

    def best(self, at: Fraction | None = None) -> Row | None:
        """The row that stays nearest to the smallest error; the default among equals.

        Over all epsilons, or at one. Not one that promises less than the others, however small its
        error.
        """
        places = range(len(self.epsilons)) if at is None else [self.epsilons.index(at)]
        rows = [
            row
            for row in self.rows
            if row.mechanism not in WEAKER and all(row.errors[i] is not None for i in places)
        ]
        if not rows:
            return None
        regrets = {row.mechanism: self.regret(row, places) for row in rows}
        least = min(regrets.values())
        equal = [row for row in rows if isclose(regrets[row.mechanism], least, rel_tol=_TIE)]
        return next((row for row in equal if row.default), equal[0])

    def _least(self) -> list[float]:
        columns = zip(*(row.errors for row in self.rows), strict=True)
        return [min((e for e in column if e is not None), default=inf) for column in columns]

    def regret(self, row: Row, places: Sequence[int] | None = None) -> float:
        """The largest ratio of an error to the smallest one of its column; of some columns only."""
        ratios, least = [1.0], self._least()
        for place in range(len(least)) if places is None else places:
            error = row.errors[place]
            if error is not None and error > least[place]:
                ratios.append(error / least[place] if least[place] > 0 else inf)
        return max(ratios)


@dataclass(frozen=True, slots=True)
class Seen:
    """NOT PRIVATE. The profile of the statistic at the file, and the mechanisms that may answer."""

    statistic: str
    column: str | None
    relation: str
    profile: Profile
    default: Mechanism
    mechanisms: dict[str, Mechanism]
    searched: Errors | None = None
    clipped: Errors | None = None


def look(question: Compared, relation: RelationName | None) -> Seen:
    """NOT PRIVATE. Look at the file, once for all mechanisms."""
    (name, statistic), missing = question.named_statistic(), question.policy()
    asked = "replace-one" if relation is None else relation
    prepared = plan(statistic, question.file, asked, missing, **question.reading)
    default = choose_mechanism(None, prepared.statistic, prepared.profile_relation)
    found = profile(statistic, question.file, relation=asked, missing=missing, **question.reading)
    listed = dict(MECHANISMS)
    if default not in listed.values():
        listed[default.name] = default
    searched = clipped = None
    if isinstance(default, mechanisms.PrivateLimits):
        kind = kind_of(prepared, default, Fraction(1))
        searched, clipped = kind.errors([prepared.table]), kind.biases([prepared.table])
    return Seen(
        name,
        question.column,
        prepared.profile_relation,
        _remembered(found),
        default,
        listed,
        searched,
        clipped,
    )


def compare(seen: Seen, epsilons: Sequence[Fraction], *, limits: bool = False) -> Comparison:
    """NOT PRIVATE. Compute the errors, from the law where there is one.

    With ``limits`` also the local minimax risk at every epsilon, and what goes with it.
    """
    rows = [
        _row(written, mechanism, seen, epsilons) for written, mechanism in seen.mechanisms.items()
    ]
    return Comparison(
        seen.statistic,
        seen.column,
        seen.relation,
        tuple(epsilons),
        tuple(rows),
        tuple(optimality(seen.profile, epsilon, ()) for epsilon in epsilons) if limits else (),
    )


def _remembered(seen: Profile) -> Profile:
    """The same profile, each level computed once for all mechanisms."""
    local = seen.local_sensitivity
    return replace(
        seen,
        lower=cache(seen.lower),
        upper=cache(seen.upper),
        local_sensitivity=None if local is None else cache(local),
    )


def _row(written: str, mechanism: Mechanism, seen: Seen, epsilons: Sequence[Fraction]) -> Row:
    errors: list[float | None] = []
    reason = None
    for epsilon in epsilons:
        try:
            if mechanism == seen.default and seen.searched is not None:
                (error,) = seen.searched(epsilon, _DRAWS)
            else:
                error = expected_error(mechanism, seen.profile, epsilon)
        except ParameterError as refusal:
            error, reason = None, str(refusal)
        if error is not None and not isfinite(error):
            error, reason = None, f"the expected error of {written} is too large for a float"
        errors.append(error)
    bias = None
    if mechanism == seen.default and seen.clipped is not None:
        bias = tuple(seen.clipped(epsilon, _DRAWS // 5)[0] for epsilon in epsilons)
    return Row(written, mechanism == seen.default, tuple(errors), reason, bias)


def code(question: Compared, relation: RelationName | None, mechanism: str, epsilon: str) -> str:
    """Python that releases the statistic of a private file by this mechanism."""
    parts = question.written()
    options: dict[str, str] = {
        "epsilon": f'"{epsilon}"',
        "mechanism": f"ln.{mechanism}",
    }
    if relation is not None:
        options["relation"] = f'"{relation}"'
    policy = question.policy()
    if policy is not None:
        options["missing"] = (
            f'"{policy}"'
            if isinstance(policy, str)
            else as_number(str(question.missing), "missing")
        )
    options.update({key: repr(value) for key, value in question.reading.items()})
    lines = [
        "import leastnoise as ln",
        "",
        "r = ln.release(",
        f"    ln.{_class(question.named_statistic()[0])}({', '.join(parts)}),",
        f'    "{PRIVATE_FILE}",',
        *(f"    {key}={value}," for key, value in options.items()),
        ")",
        "print(r.value)",
    ]
    if any("Fraction(" in line for line in lines):
        lines.insert(0, "from fractions import Fraction\n")
    return "\n".join(lines)


def _class(name: str) -> str:
    return "".join(word.capitalize() for word in name.split("-"))
