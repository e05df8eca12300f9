"""The matrix: all shipped statistics x mechanisms x relations, each audited exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from typing import TYPE_CHECKING, Any, TypeVar

from leastnoise.audit.adapt import Adapter
from leastnoise.audit.cases import EPSILONS, MECHANISMS, STATISTICS, MechanismCase, StatisticCase
from leastnoise.audit.enumeration import Enumeration, exact_law
from leastnoise.audit.inputs import Inputs
from leastnoise.audit.releases import ReleaseLaws, array_builder
from leastnoise.audit.report import ExactReport, number_text
from leastnoise.audit.searches import SEARCHES, SearchCase
from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.foreign import is_list_or_tuple
from leastnoise.guarantees import PureDP, Scope
from leastnoise.params import parse_epsilon, parse_list, parse_relation

if TYPE_CHECKING:
    from rich.table import Table

_Cell = TypeVar("_Cell", bound=tuple[Any, ...])
_SAMPLED_N, _SAMPLED_PAIRS = 11, 25


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One cell of the matrix.

    Attributes
    ----------
    statistic, mechanism, relation : str
        What was audited.
    epsilon : Fraction
        What one release is charged.
    report : ExactReport
        The worst of the cell's enumerations.
    pairs, datasets : int
        How many neighbouring pairs and data sets all of them compared.
    sampled : int
        How many of the pairs were random ones of larger data sets.
    """

    statistic: str
    mechanism: str
    relation: str
    epsilon: Fraction
    report: ExactReport
    pairs: int
    datasets: int
    sampled: int

    @property
    def passed(self) -> bool:
        """Whether the claim held on every pair."""
        return self.report.passed

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "statistic": self.statistic,
            "mechanism": self.mechanism,
            "relation": self.relation,
            "epsilon": str(self.epsilon),
            "passed": self.passed,
            "pairs": self.pairs,
            "datasets": self.datasets,
            "sampled": self.sampled,
            "worst": self.report.to_dict(),
        }


def matrix(
    quick: bool = False,
    statistics: Sequence[str] | None = None,
    mechanisms: Sequence[str] | None = None,
    epsilon: object = None,
    relations: Sequence[str] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> list[MatrixRow]:
    """Audit all shipped statistics x mechanisms x relations, exhaustively over small universes.

    Parameters
    ----------
    quick : bool
        Data sets of at most 3 records, no random larger ones, and every combination at one of the
        epsilons, in turn.
    statistics, mechanisms : sequence of text, optional
        Keep the cases whose name, or class name, contains one of these (capitals do not matter).
    epsilon : number or sequence of numbers, optional
        Default: 1/2 and 2.
    relations : sequence of text, optional
        Default: all; "edge" is that of graphs.
    progress : callable, optional
        Called with (rows done, rows in all) after every row.

    Returns
    -------
    list of MatrixRow
        A release with ``passed`` False would be a privacy bug of the installed version.

    Raises
    ------
    ParameterError, ParameterTypeError
        If no case is left, epsilon is invalid, or a name is not text.

    Notes
    -----
    A pass proves the claims for these universes and sizes (n <= 5), and for the random pairs that
    were drawn; not for the sampler, the reading of files or running time.
    """
    if relations is not None:
        relations = [parse_relation(r) for r in parse_list(relations, "relations", "names")]
    cells = list(_cells(statistics, mechanisms, _epsilons(epsilon), relations))
    searches = list(_searches(statistics, mechanisms, _epsilons(epsilon), relations))
    if quick:
        cells, searches = in_turn(cells), in_turn(searches)
    total = len(cells) + len(searches)
    if not total:
        raise ParameterError("no case of the matrix has this statistic, mechanism and relation")
    rows: list[MatrixRow] = []
    shared, served = Adapter(), None
    for done, (case, mechanism, relation, exponent) in enumerate(cells, 1):
        if served != case.name:  # laws recur under other relations, seldom for other statistics
            shared, served = Adapter(), case.name
        rows.append(audit_cell(case, mechanism, relation, exponent, quick=quick, adapter=shared))
        if progress is not None:
            progress(done, total)
    for search, relation, exponent in searches:
        rows.append(audit_search(search, relation, exponent, quick=quick))
        if progress is not None:
            progress(len(rows), total)
    return rows


def audit_cell(
    case: StatisticCase,
    mechanism: MechanismCase,
    relation: str,
    epsilon: Fraction,
    *,
    quick: bool = False,
    adapter: Adapter | None = None,
) -> MatrixRow:
    """One row of the matrix: exhaustive up to the case's n, then random pairs."""
    n = min(case.n, case.quick_n, mechanism.quick_n) if quick else min(case.n, mechanism.n)
    reports: list[ExactReport] = []
    shared = Adapter() if adapter is None else adapter
    laws = ReleaseLaws(_inputs(case, relation, shared), mechanism.mechanism, epsilon, shared)

    def run(size: int, universe: tuple[Any, ...], sample: int | None = None) -> None:
        audit = Enumeration(laws, laws.guarantee, universe, size, shared)
        reports.append(audit.run(laws.subject, relation, sample=sample))

    sizes = range(1, n + 1) if not quick else sorted({1, n})
    for size in sizes if relation == "replace-one" else [n]:
        run(size, case.universe)
    sampled = 0
    if case.wide and not quick and mechanism.n >= case.n:
        run(_SAMPLED_N, case.wide, _SAMPLED_PAIRS)
        sampled = _SAMPLED_PAIRS
    return _row(case.name, mechanism.name, relation, epsilon, reports, sampled)


def audit_search(
    case: SearchCase, relation: str, epsilon: Fraction, *, quick: bool = False
) -> MatrixRow:
    """One row of the matrix for a release that is not a mechanism on a profile."""
    n = min(case.n, 2 if quick else case.n)
    reports = [
        exact_law(
            lambda data: case.law_of(data, relation, epsilon),
            universe=case.universe,
            n=size,
            relation=relation,
            claim=PureDP(epsilon, Scope(relation, "row")),
            subject=f"{case.name}, {case.mechanism}, epsilon={epsilon}",
        )
        for size in (range(1, n + 1) if relation == "replace-one" else [n])
    ]
    return _row(case.name, case.mechanism, relation, epsilon, reports, 0)


def _row(
    statistic: str,
    mechanism: str,
    relation: str,
    epsilon: Fraction,
    reports: list[ExactReport],
    sampled: int,
) -> MatrixRow:
    return MatrixRow(
        statistic,
        mechanism,
        relation,
        epsilon,
        max(reports, key=lambda report: (not report.passed, report.hi)),
        sum(report.pairs for report in reports),
        sum(report.datasets for report in reports),
        sampled,
    )


def in_turn(cells: Sequence[_Cell]) -> list[_Cell]:
    """Of cells that differ in epsilon alone one each, the first and the next epsilon in turn."""
    found: list[_Cell] = []
    for turn, (_, alike) in enumerate(groupby(cells, key=lambda cell: cell[:-1])):
        options = list(alike)
        found.append(options[turn % len(options)])
    return found


def _searches(
    statistics: Sequence[str] | None,
    mechanisms: Sequence[str] | None,
    epsilons: Sequence[Fraction],
    relations: Sequence[str] | None,
) -> Iterator[tuple[SearchCase, str, Fraction]]:
    for case in SEARCHES:
        if _is_chosen(statistics, case.name) and _is_chosen(mechanisms, case.mechanism):
            for relation in case.relations:
                if relations is None or relation in relations:
                    for epsilon in epsilons:
                        yield case, relation, epsilon


def _cells(
    statistics: Sequence[str] | None,
    mechanisms: Sequence[str] | None,
    epsilons: Sequence[Fraction],
    relations: Sequence[str] | None,
) -> Iterator[tuple[StatisticCase, MechanismCase, str, Fraction]]:
    for case in STATISTICS:
        if not _is_chosen(statistics, case.name, type(case.statistic).__name__):
            continue
        for mechanism in MECHANISMS:
            if not _is_chosen(mechanisms, mechanism.name):
                continue
            for relation in case.relations:
                if relations is not None and relation not in relations:
                    continue
                if mechanism.applies(case.statistic, relation) and _taken(
                    case, mechanism, relation
                ):
                    for epsilon in epsilons:
                        yield case, mechanism, relation, epsilon


def _inputs(case: StatisticCase, relation: str, adapter: Adapter) -> Inputs:
    """What releases of the case read, shared by all audits with one adapter."""
    key = case.name, relation
    if key not in adapter.inputs:
        build = array_builder((*case.universe, *case.wide)) if case.build is None else case.build
        adapter.inputs[key] = Inputs(case.statistic, relation, case.missing, build, cached=True)
    return adapter.inputs[key]


def _taken(case: StatisticCase, mechanism: MechanismCase, relation: str) -> bool:
    """Whether a release accepts the combination, which an empty table shows."""
    shared = Adapter()
    try:
        ReleaseLaws(_inputs(case, relation, shared), mechanism.mechanism, Fraction(1), shared)
    except ParameterError:
        return False
    return True


def _is_chosen(chosen: Sequence[str] | None, *names: str) -> bool:
    if chosen is None:
        return True
    listed = [chosen] if isinstance(chosen, str) else parse_list(chosen, "names", "texts")
    if not all(isinstance(part, str) for part in listed):
        raise ParameterTypeError("names of statistics and mechanisms must be text")
    return any(part.casefold() in name.casefold() for part in listed for name in names)


def _epsilons(epsilon: object) -> Sequence[Fraction]:
    if epsilon is None:
        return EPSILONS
    if is_list_or_tuple(epsilon):
        return [parse_epsilon(e) for e in epsilon]
    return [parse_epsilon(epsilon)]


def render(rows: Iterable[MatrixRow]) -> Table:
    """The rows as a table of the library rich, the violations first.

    Parameters
    ----------
    rows : sequence of MatrixRow
        What ``matrix`` gives.

    Returns
    -------
    rich.table.Table
        ``rich.print`` shows it.
    """
    from rich.table import Table

    table = Table(title="Exact privacy audit")
    for heading in ("statistic", "mechanism", "relation", "epsilon", "measure", "worst", "claimed"):
        table.add_column(heading)
    for heading in ("slack", "pairs"):
        table.add_column(heading, justify="right")
    table.add_column("verdict")
    for row in sorted(rows, key=lambda row: row.passed):
        report = row.report
        table.add_row(
            row.statistic,
            row.mechanism,
            row.relation,
            str(row.epsilon),
            report.measure,
            number_text(report.hi),
            number_text(report.claimed),
            number_text(report.slack),
            f"{row.pairs:,}",
            report.verdict,
            style=None if row.passed else "bold red",
        )
    return table
