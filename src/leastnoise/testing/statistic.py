"""The verdict on a statistic: by enumeration of small universes, then by random search."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import ceil, comb
from typing import Any

from leastnoise.errors import ParameterError
from leastnoise.params import RELATIONS, parse_count, parse_list, parse_relation
from leastnoise.statistics.statistic import Described
from leastnoise.summaries.graphs import GraphSpec
from leastnoise.testing.neighbours import Positions, data_sets, pairs, records
from leastnoise.testing.readings import AsData, Reader, Reading, as_column
from leastnoise.testing.statistic_laws import check_pair, check_parts, check_reading
from leastnoise.testing.violations import Subject, check_kind

_NAN = float("nan")
# Rows of a random data set, and the levels that are read beyond the last row.
_LARGEST = 16
_BEYOND = 4
# Nodes of a graph that is enumerated, and of a random one.
_FEW_NODES, _MORE_NODES = 4, 8


@dataclass(frozen=True, slots=True)
class StatisticReport:
    """What was checked, and that nothing was found."""

    statistic: str
    data_sets: int
    pairs: int
    examples: int

    def __str__(self) -> str:
        return (
            f"{self.statistic}: {self.data_sets} data sets and {self.pairs} pairs of neighbours "
            f"enumerated, {self.examples} random pairs; no law broken"
        )


@dataclass(frozen=True, slots=True)
class _Universe:
    """Values a record can have, the policy for missing ones, and how far to enumerate."""

    values: tuple[Any, ...]
    missing: object
    n: int


def check_statistic(
    statistic: Described,
    *,
    universe: Sequence[Any] | None = None,
    n: int = 4,
    relations: Sequence[str] | None = None,
    max_examples: int = 100,
    missing: object = None,
    depths: Sequence[int | None] = (None, 4),
    as_data: AsData | None = None,
) -> StatisticReport:
    """Try to refute every law that a statistic's sensitivity profile must obey.

    Every data set of at most ``n`` records over the universe and every pair of neighbours is
    enumerated; then Hypothesis searches larger data sets and shrinks what it finds. For all of
    them: ``lower(0) == upper(0) == value``; bounds monotone in l and inside ``support``; the
    neighbour law; ``sensitivity`` and ``local_sensitivity``; one direction where ``monotone`` is
    claimed; whole multiples of ``resolution`` where ``integral`` is; support, sensitivity, depth
    and all else that is public equal for neighbours; independence of the order of rows; and no
    error on any data set. All in exact arithmetic, on the profile itself and on its output lattice.

    Parameters
    ----------
    statistic
        An object with ``spec()`` and ``profile(summary, relation)``.
    universe : sequence of records, optional
        Values to enumerate; numbers, None or NaN for a missing one, or tuples for several columns
        and for edges. Default: all edges between the first four nodes of a graph; four values
        across the declared bounds, both ends among them, and a second universe with missing and
        infinite values.
    n : int
        Largest number of records enumerated.
    relations : sequence of "replace-one", "add-remove", "edit" or "edge", optional
        Which data sets are neighbours. Default: "edge" for a statistic of graphs, else the others.
    max_examples : int
        Random pairs for each relation and universe; 0 asks for none and needs no Hypothesis.
    missing
        As for ``leastnoise.release``; default "none" for a universe without missing values.
    depths : sequence of int or None
        How deep summaries are read: public numbers, as a mechanism gives them; None: all.
    as_data : callable, optional
        From a tuple of records to the data of a release, typed by the universe and never by the
        records. Default: a column of integers, or of floats.

    Returns
    -------
    StatisticReport
        How much was checked. A pass is evidence, not a proof.

    Raises
    ------
    ParameterError, ParameterTypeError
        For impossible parameters, and for anything but a statistic.
    PrivacyViolation
        With the law, the data sets, the level and the numbers of the smallest counterexample.

    Examples
    --------
    >>> import leastnoise as ln
    >>> from leastnoise.testing import check_statistic
    >>> report = check_statistic(ln.Median(bounds=(0, 3)), n=3, max_examples=0)
    >>> report.pairs > 0
    True
    """
    check_kind(statistic, "statistic", "spec")
    n = parse_count(n, "n", least=0)
    max_examples = parse_count(max_examples, "max_examples", least=0)
    depths = [
        None if depth is None else parse_count(depth, "depths", least=0)
        for depth in parse_list(depths, "depths", "numbers or None")
    ]
    if not depths:
        raise ParameterError("depths must hold at least one: None reads all")
    name = repr(statistic)
    spec = statistic.spec()
    if universe is None:
        chosen = _default_universes(spec, n)
        random = [_random_records(spec, hostile=hostile) for hostile in (False, True)][
            : len(chosen)
        ]
    else:
        universe = parse_list(universe, "universe", "records")
        chosen = [_Universe(tuple(universe), _policy(universe, missing), n)]
        random = [None]
    counts = [0, 0, 0]
    graph = isinstance(spec, GraphSpec)
    if relations is None:
        relations = ("edge",) if graph else RELATIONS
    if graph and as_data is None:
        as_data = list
    for relation in parse_list(relations, "relations", "names"):
        parse_relation(relation)
        for known, values in zip(chosen, random, strict=True):
            convert = as_data or as_column(known.values, getattr(spec, "column", None))
            policy = known.missing if missing is None else missing
            readers = [
                Reader(
                    Subject(name, relation=relation, **_depth(depth)),
                    statistic,
                    relation=relation,
                    missing=policy,
                    as_data=convert,
                    depth=depth,
                )
                for depth in depths
            ]
            for reader in readers:
                _enumerate(reader, known, counts)
            if max_examples and known.values:
                counts[2] += _search(readers, known, values, max_examples)
    return StatisticReport(name, *counts)


def _depth(depth: int | None) -> dict[str, object]:
    if depth is None:
        return {}
    told = f"{depth}: a mechanism asked for so many levels; Profile(depth=s.depth) knows of it"
    return {"depth of the summary": told}


def _enumerate(reader: Reader, universe: _Universe, counts: list[int]) -> None:
    values, size = universe.values, len(universe.values)
    levels = universe.n + _BEYOND
    readings: dict[Positions, tuple[Reading, ...]] = {}
    for x in data_sets(size, universe.n, reader.relation):
        rows = records(x, values)
        readings[x] = found = reader(rows, levels)
        for reading in found:
            check_reading(reader.subject, reading)
        if len(set(x)) > 1:
            for shuffled in (rows[::-1], rows[1:] + rows[:1]):
                _same(reader, found, reader(shuffled, levels))
    for x, other in pairs(size, universe.n, reader.relation):
        for a, b in zip(readings[x], readings[other], strict=True):
            check_pair(reader.subject, a, b)
        check_parts(reader.subject, reader.statistic, readings[x], readings[other])
        counts[1] += 1
    counts[0] += len(readings)


def _same(reader: Reader, readings: tuple[Reading, ...], shuffled: tuple[Reading, ...]) -> None:
    for a, b in zip(readings, shuffled, strict=True):
        if (a.own, a.lattice, a.public) != (b.own, b.lattice, b.public):
            raise reader.subject.violation(
                "the order of rows does not matter",
                f"value {a.own.value} and {b.own.value}",
                x=list(a.data),
                **{"x in another order": list(b.data)},
            )


def _search(readers: list[Reader], universe: _Universe, values: Any, max_examples: int) -> int:
    """Random pairs of larger data sets, shrunk by Hypothesis to a smallest failing one."""
    from leastnoise.testing import strategies  # isort: skip  # it says how to install Hypothesis
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import strategies as st

    drawn = st.sampled_from(universe.values) if values is None else values()
    tried = 0

    @settings(
        max_examples=max_examples,
        derandomize=True,
        database=None,
        deadline=None,
        print_blob=False,
        report_multiple_bugs=False,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.nested_given],
        phases=(Phase.generate, Phase.shrink),
    )
    @given(
        st.sampled_from(readers),
        strategies.neighbours(readers[0].relation, drawn, max_size=_LARGEST),
    )
    def attack(reader: Reader, pair: tuple[list[Any], list[Any]]) -> None:
        nonlocal tried
        levels = max(map(len, pair)) + _BEYOND
        x, other = (reader(tuple(rows), levels) for rows in pair)
        for a, b in zip(x, other, strict=True):
            check_reading(reader.subject, a)
            check_reading(reader.subject, b)
            check_pair(reader.subject, a, b)
        _same(reader, x, reader(tuple(pair[0][::-1]), levels))
        tried += 1

    attack()
    return tried


def _policy(universe: Sequence[Any], missing: object) -> object:
    """No row is dropped where the universe has no missing value, so that n stays public."""
    if missing is not None or any(v is None or v != v for v in universe):
        return missing
    return "none"


def _default_universes(spec: Any, n: int) -> list[_Universe]:
    if isinstance(spec, GraphSpec):
        return [_Universe(_edges(spec, _FEW_NODES), None, comb(_FEW_NODES, 2))]
    limits = getattr(spec, "bounds", None)
    if limits is None:
        if not hasattr(spec, "missing"):
            raise ParameterError(
                "universe= is required: this statistic declares no bounds to take values from"
            )
        return [_Universe((0, 1), "none", n), _Universe((0.0, _NAN), None, n)]
    plain = small_universe(*limits)
    hostile = (float(limits[0]), float(limits[1]), _NAN, float("inf"))
    return [_Universe(plain, "none", n), _Universe(hostile, None, min(n, 3))]


def _edges(spec: GraphSpec, most: int) -> tuple[Any, ...]:
    """All edges between the first nodes."""
    nodes = spec.nodes
    names = range(nodes.count) if nodes.labels is None else nodes.labels
    return tuple(combinations(names[:most], 2))


def small_universe(low: Fraction, high: Fraction) -> tuple[int | float, ...]:
    """Four values across the limits, both ends among them: whole numbers where four fit."""
    width = high - low
    if low.denominator == high.denominator == 1 and 3 <= width < 2**62 > abs(low):
        return int(low), int(low) + 1, int(low) + ceil(2 * width / 3), int(high)
    return tuple(float(low + width * part) for part in (0, Fraction(1, 4), Fraction(5, 8), 1))


def _sampled(values: tuple[Any, ...]) -> Any:
    from hypothesis import strategies as st

    return st.sampled_from(values)


def _random_records(spec: Any, *, hostile: bool) -> Any:
    """A strategy for one column like the universe enumerated; None where there are no bounds."""
    if isinstance(spec, GraphSpec):
        return lambda: _sampled(_edges(spec, _MORE_NODES))
    limits = getattr(spec, "bounds", None)
    if limits is None:
        return None

    def build() -> Any:
        from leastnoise.testing import strategies

        whole = not hostile and isinstance(small_universe(*limits)[1], int)
        return strategies.records(limits, integers=whole, missing=hostile)

    return build
