"""Scores of declared candidates: what a selection mechanism reads instead of bounds on a line."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.profiles.profile import Rational, exact

_INT64 = 1 << 62


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class Scores:
    """NOT PRIVATE. The score of every declared candidate at one data set; high is good.

    Parameters
    ----------
    values : sequence of int, Fraction or (numerator, denominator), or an int64 array
        One exact score for each candidate. Floats are refused, because they are not exact.
    sensitivity : Rational
        How much one record can change one score, over all data sets and candidates; > 0, public.
    candidates : sequence, optional
        The public candidates, in the order of the scores. Default: 0, 1, 2, ...
    monotone : bool
        True only with a proof: between neighbours no two scores move in opposite directions. Then
        a selection needs half of the noise.
    distances : bool
        True where every score is minus a number of records that must change, so the largest is 0
        and the sensitivity 1; see ``from_distances``. With two candidates ``Exponential()``
        then needs half of the noise.

    Raises
    ------
    ParameterError, ParameterTypeError
        If there are no candidates, or not as many as scores, if ``sensitivity`` is not an exact
        number above 0, and, when a law is made, if scores are floats.

    Notes
    -----
    The neighbour law: ``|s_r(x) - s_r(x')| <= sensitivity`` for neighbours and every candidate r.
    Minus the number of records that must change before r is the answer is a score of sensitivity 1
    (inverse sensitivity, Asi and Duchi 2020 (M.1)).

    Examples
    --------
    >>> import leastnoise as ln
    >>> scores = ln.Scores(values=[4, 9, 2], candidates=["N", "S", "W"])
    >>> law = ln.Exponential().law(scores, epsilon=1)
    >>> round(law.pmf("S"), 3)
    0.899
    """

    values: Any
    sensitivity: Rational = 1
    candidates: Sequence[Hashable] | None = None
    monotone: bool = False
    distances: bool = False

    def __post_init__(self) -> None:
        for name in ("values", "candidates"):
            given = getattr(self, name)
            listed = hasattr(given, "__len__") and not isinstance(given, str)
            if not listed and (name == "values" or given is not None):
                kind = type(given).__name__
                raise ParameterTypeError(
                    f"{name} must be a list with one entry per candidate, not {kind}"
                )
        if len(self.values) == 0:
            raise ParameterError("candidates must not be empty: declare at least one")
        if self.candidates is not None and len(self.candidates) != len(self.values):
            raise ParameterError(
                f"there are {len(self.values)} scores for {len(self.candidates)} candidates; give "
                "one score per candidate"
            )
        sensitivity: Any = self.sensitivity
        if isinstance(sensitivity, bool) or not isinstance(sensitivity, (int, Fraction, tuple)):
            raise ParameterTypeError(
                "sensitivity must be an int, a Fraction or a pair of ints, got "
                f"{quoted(sensitivity)}"
            )
        if exact(self.sensitivity) <= 0:
            raise ParameterError("sensitivity must be greater than 0")

    def __repr__(self) -> str:
        return "Scores(NOT PRIVATE: computed from the data, numbers hidden)"

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("scores look at private data and cannot be copied or pickled")

    @classmethod
    def from_distances(
        cls, distances: Sequence[int], candidates: Sequence[Hashable] | None = None
    ) -> Scores:
        """The scores of inverse sensitivity: minus the records that must change for an answer.

        Parameters
        ----------
        distances : sequence of int
            For every candidate the number of records of the data that must change before it is the
            answer, or anything that moves by at most 1 between neighbours; 0 for the answer itself,
            the same public number for what never is one.
        candidates : sequence, optional
            The declared answers, in the same order.

        Notes
        -----
        Source: Asi and Duchi (2020), (M.1) and Lemma 3.2
        (``docs/proofs/discrete-inverse-sensitivity.md``).
        """
        return cls(values=[-d for d in distances], candidates=candidates, distances=True)

    @property
    def public(self) -> tuple[object, ...]:
        """Everything except the scores: it must not depend on data."""
        names = None if self.candidates is None else tuple(self.candidates)
        return len(self.values), names, exact(self.sensitivity), self.monotone, self.distances

    @property
    def binary(self) -> bool:
        """Whether these are distances of two candidates: half of the noise is enough."""
        return self.distances and len(self.values) == 2

    def strided(self, rows: int) -> Scores:
        """The scores for persons of at most ``rows`` rows, each of which moves a score."""
        if rows == 1:
            return self
        return replace(
            self, sensitivity=rows * exact(self.sensitivity), monotone=False, distances=False
        )

    def costs(self) -> tuple[Sequence[int] | NDArray[np.int64], Fraction]:
        """Minus the scores as integers, and the sensitivity in the same unit."""
        values = self.values
        if isinstance(values, np.ndarray):
            array = cast("NDArray[Any]", values)
            if array.dtype.kind in "iu" and -_INT64 < int(array.min()) <= int(array.max()) < _INT64:
                return -array.astype(np.int64), Fraction(exact(self.sensitivity))
            values = array.tolist()
        numbers: list[Fraction] = []
        for value in values:
            if isinstance(value, (float, np.floating)):
                raise ParameterError(
                    "scores must be exact: give ints or Fractions, for example by rounding each "
                    "record's contribution to a public lattice"
                )
            numbers.append(Fraction(exact(value)))
        scale = lcm(*(number.denominator for number in numbers))
        whole = [-number.numerator * (scale // number.denominator) for number in numbers]
        return whole, Fraction(exact(self.sensitivity)) * scale
