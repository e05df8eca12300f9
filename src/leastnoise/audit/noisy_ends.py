"""Values with ends from noisy sums, as laws of their own: every number that is drawn, clamped.

A clamped number is a function of the released one, and keeps the largest ratio of probabilities.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import product

from leastnoise.audit.adapt import Probabilities
from leastnoise.audit.scripted import (
    Dataset,
    clamped_masses,
    masses_of,
    scripted_limits,
    scripted_near,
)
from leastnoise.laws import DiscreteLaplaceLaw, GatedLaw, Law
from leastnoise.laws.centred import CentredLaw
from leastnoise.laws.first_firing import Certain
from leastnoise.mechanisms import TightOrLoose
from leastnoise.mechanisms.centred_laplace import centred_parts
from leastnoise.profiles import Moments
from leastnoise.session.search.draws import Limits
from leastnoise.session.search.ends import nested_split
from leastnoise.session.search.noisy_sums import CENTRE, centre_laws, low_mean_laws
from leastnoise.statistics import Variance
from leastnoise.summaries.lattice import Lattice
from leastnoise.summaries.spread import SpreadSummary

Table = dict[Hashable, Certain]
_ONE = Fraction(1)


def _both(first: Certain, second: Certain) -> Certain:
    return first[0] * second[0], first[1] * second[1]


def _clamped(
    laws: Mapping[str, tuple[DiscreteLaplaceLaw, int]],
) -> Iterator[tuple[dict[str, int], Certain]]:
    """Independent numbers by their names, each clamped to 0 and a largest one."""
    tables = [clamped_masses(law.centre, law.rate, 0, most).items() for law, most in laws.values()]
    for outcome in product(*tables):
        mass: Certain = (_ONE, _ONE)
        for _, one in outcome:
            mass = _both(mass, one)
        yield {name: y for name, (y, _) in zip(laws, outcome, strict=True)}, mass


def variance_sums(m: Moments, relation: str, epsilon: Fraction) -> Table:
    """The numbers that tell the ends of a variance."""
    if relation == "replace-one":
        centred = CentredLaw(centred_parts(m, epsilon, _ONE, (0, 0)), _ONE)
        return {
            (centre, squares): _both(mass, one)
            for centre, mass, law in centred.branches()
            if isinstance(law, DiscreteLaplaceLaw)
            for squares, one in clamped_masses(law.centre, law.rate, 0, 1).items()
        }
    found: Table = {}
    sums, rows = centre_laws(m, CENTRE * epsilon)
    for drawn, mass in _clamped({"sum": (sums, 3), "rows": (rows, 2)}):
        mean = Fraction(drawn["sum"], max(1, drawn["rows"]))
        centre = max(m.low, min(m.high, round((m.low + m.high + mean) / 2)))
        far = max(m.high - centre, centre - m.low)
        squares = m.squares - 2 * centre * m.total + m.rows * centre**2
        laws = low_mean_laws(squares, m.rows, far**2, epsilon - CENTRE * epsilon)
        for last, one in _clamped({"squares": (laws[0], 1), "rows": (laws[1], 1)}):
            found[(*drawn.values(), *last.values())] = _both(mass, one)
    return found


def variance_interval(data: Dataset, relation: str, epsilon: Fraction) -> Probabilities:
    """A variance of numbers in [0, 3]: a question, then sums, or a value and sums beside it."""
    lattice = Lattice(_ONE, 0, 3, 0, True)
    summary = SpreadSummary.of(data, lattice)
    exactly = Variance(bounds=(0, 3), step=1).profile(summary, relation)
    profile = replace(exactly, resolution=Fraction(1, 4))
    first, rest = nested_split(epsilon)
    law, found = TightOrLoose().law(profile, first), Table()
    m = Moments(summary.n, summary.total, summary.squares, 0, 3)
    for outcome, mass, share in _outcomes(law, epsilon, rest):
        for numbers, one in variance_sums(m, relation, share).items():
            found[outcome, numbers] = _both(mass, one)
    return Probabilities(found)


def _outcomes(
    law: Law, epsilon: Fraction, rest: Fraction
) -> Iterator[tuple[object, Certain, Fraction]]:
    """The part that is known first, and the part left for sums."""
    if isinstance(law, GatedLaw):
        for outcome, mass, _ in law.branches():
            yield outcome, mass, epsilon - law.gate.rate if outcome == "gate" else rest
        return
    for value, mass in masses_of(law).items():
        yield value, mass, rest


def limited_interval(data: Dataset, relation: str, epsilon: Fraction) -> Probabilities:
    """A sum of numbers in [0, 2] inside limits that are found, and a sum of all beside it."""
    return _with_all(data, epsilon, 2, scripted_limits(data, relation, epsilon, top=2, least=0.5))


def near_interval(data: Dataset, relation: str, epsilon: Fraction) -> Probabilities:
    """A sum of numbers in [0, 16] inside near limits, and a sum of all beside it."""
    return _with_all(data, epsilon, 16, scripted_near(data, epsilon))


def _with_all(
    data: Dataset,
    epsilon: Fraction,
    top: int,
    paths: Iterable[tuple[Limits, tuple[int, ...], Certain]],
) -> Probabilities:
    """Limits by every path, a noisy sum inside them, and one of all records."""
    found: Table = {}
    for limits, script, mass in paths:
        first, rest = nested_split(epsilon - limits.cost)
        high = -(-limits.high // 1)
        laws = {
            "value": (DiscreteLaplaceLaw(sum(min(x, high) for x in data), first / high, _ONE), 2),
            "ends": (DiscreteLaplaceLaw(sum(data), rest / top, _ONE), 2),
        }
        if limits.tight:
            laws = {"both": (DiscreteLaplaceLaw(sum(data), (first + rest) / top, _ONE), 2)}
        for drawn, one in _clamped(laws):
            found[script, limits.high, *drawn.values()] = _both(mass, one)
    return Probabilities(found)
