"""From what a mechanism gives, a law or a finite table, to a form that the audit compares."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from math import inf
from typing import Any, Protocol, runtime_checkable

from leastnoise.audit.enclosure import BITS, ONE, ZERO, Enclosure
from leastnoise.audit.forms import (
    Branches,
    Form,
    GaussianShape,
    LaplaceShape,
    Masses,
    Piece,
    Placed,
    Product,
    Shape,
    shape_of_runs,
)
from leastnoise.audit.inputs import Inputs
from leastnoise.audit.losses import Bound
from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.laws import (
    AboveThresholdLaw,
    DiscreteGaussianLaw,
    GatedLaw,
    Law,
    RoundedLaplaceLaw,
)
from leastnoise.laws.first_firing import Certain as Ends
from leastnoise.laws.first_firing import enclose_indices

# A certified number: exact, or the two ends of an interval that holds it.
Certified = int | Fraction | tuple[int | Fraction, int | Fraction]


@dataclass(frozen=True, slots=True)
class Exponents:
    """A law given as ``{output: E}``: p(output) is proportional to exp(-E), E exact.

    Parameters
    ----------
    table : mapping
        Outputs, at least one, to int or Fraction.
    """

    table: Mapping[Hashable, int | Fraction]


@dataclass(frozen=True, slots=True)
class Probabilities:
    """A law given as ``{output: p}``, p exact or a pair (lo, hi) that encloses it.

    Parameters
    ----------
    table : mapping
        Outputs to int, Fraction or a pair of them, that can add up to 1.
    rest : int or Fraction
        Bounds the probability of all outputs that are not listed; where it is not 0 the law
        supports an approximate claim only.
    """

    table: Mapping[Hashable, Certified]
    rest: int | Fraction = 0


@dataclass(frozen=True, slots=True)
class Mixture:
    """A law that is one of several, by a secret choice that does not depend on the data.

    Parameters
    ----------
    parts : sequence of pairs (probability, law)
        Probabilities are exact and add up to 1; each law has finitely many lattice points, or is a
        table of probabilities.
    """

    parts: Sequence[tuple[Fraction, Any]]


# Sums over the noise of a threshold cost time in proportion to their precision.
_BITS, _MOST_BITS, _SHARP = 96, 700, 45
# A mixture is compared output by output.
_LISTED = 100_000


@runtime_checkable
class Independent(Protocol):
    """Several numbers from laws that are independent of each other."""

    def joint(self) -> tuple[Law, ...]:
        """One law a number."""
        ...


@runtime_checkable
class Enclosed(Protocol):
    """Several numbers from one law."""

    def enclosures(self) -> Mapping[Any, Ends]:
        """Certified bounds on the probability of every answer."""
        ...


# What ``law_of`` may give; a plain mapping is read as exponents.
AnyLaw = (
    Law
    | Exponents
    | Probabilities
    | Mixture
    | Independent
    | Enclosed
    | Mapping[Hashable, int | Fraction]
)


@dataclass(frozen=True, slots=True)
class Audited:
    """NOT PRIVATE. The form of one data set's law and what the release shows openly.

    ``public`` (lattice step, clamp, rounding) must be equal for neighbours: the form describes
    lattice points only, and a step or a range end that moves with the data is a leak of its own.
    """

    form: Form
    public: tuple[object, ...] = ()


@dataclass(slots=True)
class Adapter:
    """What several audits share: laws and losses that recur are computed once.

    Hand one ``Adapter()`` to several calls of ``leastnoise.audit.exact``. It turns laws into
    forms that can be compared; equal shapes become one object, outputs of tables get one place.

    Attributes
    ----------
    shapes, tables, losses, outputs, inputs : dict
        What was computed so far; an adapter starts with none of it.
    """

    shapes: dict[object, Any] = field(default_factory=dict[object, Any])
    tables: dict[object, Masses] = field(default_factory=dict[object, Masses])
    losses: dict[object, Bound] = field(default_factory=dict[object, Bound])
    outputs: dict[Hashable, int] = field(default_factory=dict[Hashable, int])
    inputs: dict[object, Inputs] = field(default_factory=dict[object, "Inputs"])

    def audited(self, law: AnyLaw, public: tuple[object, ...] = ()) -> Audited:
        """The form of a law or table, with its public part."""
        if isinstance(law, Exponents):
            return Audited(self._exponents(law.table), public)
        if isinstance(law, Probabilities):
            table = {y: _enclosed(p) for y, p in law.table.items()}
            return Audited(self._known(table, Enclosure.of(Fraction(law.rest))), public)
        if isinstance(law, Mixture):
            return self._mixed(law, public)
        if isinstance(law, Mapping):
            return Audited(self._exponents(law), public)
        if isinstance(law, Law):
            return Audited(self._form(law), (*public, law.step, *law.after))
        if isinstance(law, Independent):
            return Audited(self._product(law.joint()), public)
        if isinstance(law, Enclosed):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers are not type-checked
            return Audited(self._enumerated(law.enclosures()), public)
        raise ParameterTypeError(
            "law_of must return a Law, audit.Exponents, audit.Probabilities, audit.Mixture or a "
            f"mapping of outputs to exponents, not {type(law).__name__}"
        )

    def joined(self, parts: list[Audited]) -> Audited:
        """Several independent answers released together."""
        if len(parts) == 1:
            return parts[0]
        public = tuple(part.public for part in parts)
        return Audited(Product(tuple(part.form for part in parts)), public)

    def name(self, place: object) -> object:
        """The output of a table that stands at this place, else the place itself."""
        if not self.outputs:
            return place
        return next((output for output, i in self.outputs.items() if i == place), place)

    def _form(self, law: Law) -> Form:
        runs = law.runs()
        if runs is not None:
            origin, pieces = shape_of_runs(runs)
            return Placed(origin, self._shape(pieces), law.step)
        if isinstance(law, RoundedLaplaceLaw):
            return Placed(law.centre, self._laplace(law), law.step)
        if isinstance(law, DiscreteGaussianLaw):
            shape = self.shapes.setdefault(("gaussian", law.variance), GaussianShape(law.variance))
            return Placed(law.centre, shape, law.step)
        if isinstance(law, AboveThresholdLaw):
            return self._first_above(law)
        branches = law.branches(_firing) if isinstance(law, GatedLaw) else law.branches()
        if branches is not None:
            return self._branches(branches)
        enclosures = law.enclosures()
        if enclosures is not None:
            return self._enumerated(enclosures)
        joint = law.joint()
        if joint is not None:
            return self._product(joint)
        raise ParameterError(
            f"{type(law).__name__} cannot be audited exactly: it has none of runs(), enclosures() "
            "and joint()"
        )

    def _first_above(self, law: AboveThresholdLaw) -> Masses:
        """Probabilities depend on the heights of the public candidates only."""
        heights = tuple(height for height, count in law.heights() for _ in range(count))
        answers = tuple(law.answers())
        place = (heights, law.e1, law.e2, answers)
        if place not in self.tables:
            table: dict[object, Enclosure] = {}
            for y, ends in zip(answers, _firing(heights, law.e1, law.e2), strict=True):
                table[y] = table.get(y, ZERO) + _enclosed(ends)
            self.tables[place] = _masses(table)
        return self.tables[place]

    def _branches(self, outcomes: Iterable[tuple[object, Ends, Law | None]]) -> Branches:
        """What is known first, by its probabilities, and the law of what follows it."""
        table: dict[object, Enclosure] = {}
        then: list[tuple[object, Form]] = []
        for outcome, ends, follows in outcomes:
            table[outcome] = _enclosed(ends)
            if follows is not None:
                then.append((outcome, self._form(follows)))
        return Branches(self._known(table), tuple(then))

    def _enumerated(self, enclosures: Mapping[Any, Ends]) -> Masses:
        """A law that encloses the probability of every output."""
        return self._known({y: _enclosed(ends) for y, ends in enclosures.items()})

    def _known(self, table: dict[Any, Enclosure], rest: Enclosure = ZERO) -> Masses:
        """Certified probabilities; equal ones are one object, however they are ordered."""
        key = (frozenset(table.items()), rest)
        if key not in self.tables:
            self.tables[key] = _masses(table, rest)
        return self.tables[key]

    def _mixed(self, law: Mixture, public: tuple[object, ...]) -> Audited:
        """The sum of the parts' probabilities; their public sides become one public side."""
        if sum(weight for weight, _ in law.parts) != 1:
            raise ParameterError("the probabilities of a mixture's parts must add up to 1")
        table: dict[object, Enclosure] = {}
        sides: dict[tuple[object, ...], None] = {}
        for weight, part in law.parts:
            found = self.audited(part)
            sides[found.public] = None
            for y, p in _listed(found.form).items():
                table[y] = table.get(y, ZERO) + p.times(weight)
        return Audited(self._known(table), (*public, *sorted(map(repr, sides))))

    def _product(self, parts: tuple[Law, ...]) -> Product:
        return Product(tuple(self._form(part) for part in parts))

    def _shape(self, pieces: tuple[Piece, ...]) -> Shape:
        return self.shapes.setdefault(pieces, Shape(pieces))

    def _laplace(self, law: RoundedLaplaceLaw) -> LaplaceShape:
        low, high = law.scale(BITS)
        if low <= 0:
            raise ParameterError("the scale of Laplace noise must be above 0")
        rate = Enclosure((ONE << BITS) // high, -(-(ONE << BITS) // low))
        return self.shapes.setdefault(rate, LaplaceShape(rate))

    def _exponents(self, table: Mapping[Hashable, int | Fraction]) -> Placed:
        if not table:
            raise ParameterError("a law needs at least one output")
        found: list[Piece] = []
        for output, exponent in table.items():
            place = self.outputs.setdefault(output, len(self.outputs))
            found.append(Piece(place, place, exponent.numerator, 0, exponent.denominator))
        pieces = tuple(sorted(found, key=lambda piece: piece.first))
        return Placed(0, self._shape(pieces), Fraction(1))


def _listed(form: Form) -> dict[object, Enclosure]:
    """The probability of every output; of lattice points by their place on the lattice."""
    if isinstance(form, Masses) and not form.rest.hi:
        return form.table
    if isinstance(form, Placed) and isinstance(form.shape, Shape):
        shape, pieces = form.shape, form.shape.pieces
        if sum(inf if piece.count is None else piece.count for piece in pieces) <= _LISTED:
            return {
                form.origin + y: shape.mass(piece, y, y)
                for piece in pieces
                for y in range(int(piece.first), int(piece.last) + 1)
            }
    raise ParameterError(
        f"a part of a mixture has more than {_LISTED:,} outputs: make its lattice coarser"
    )


@lru_cache(maxsize=4096)
def _firing(
    heights: tuple[int, ...],
    e1: Fraction,
    e2: Fraction,
    *,
    gate: tuple[int, Fraction] | None = None,
) -> tuple[Ends, ...]:
    """Probabilities whose logarithms are known to about 2^-45, however small they are."""
    bits = _BITS
    while True:
        found = tuple(enclose_indices(heights, e1, e2, bits, gate=gate))
        if bits > _MOST_BITS or all((high - low) * 2**_SHARP <= low for low, high in found):
            return found
        bits *= 2


def _masses(table: dict[Any, Enclosure], rest: Enclosure = ZERO) -> Masses:
    low = sum(p.lo for p in table.values())
    high = sum(p.hi for p in table.values()) + rest.hi
    if any(p.lo < 0 or p.hi < p.lo for p in table.values()) or not low <= ONE <= high:
        raise ParameterError("probabilities must be at least 0 and able to add up to 1")
    return Masses(table, rest)


def _enclosed(p: Certified) -> Enclosure:
    if isinstance(p, tuple):
        low, high = p
        return Enclosure(Enclosure.of(low).lo, Enclosure.of(high).hi)
    return Enclosure.of(p)
