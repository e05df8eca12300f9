"""Opening a data set: the ledger it is charged to, its name, and the public schema of the data."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from leastnoise.errors import LedgerError, ParameterError, ParameterTypeError, SchemaError
from leastnoise.frames import Table, open_table
from leastnoise.frames.readers.options import check_options
from leastnoise.frames.readers.sources import check_source, is_graph
from leastnoise.frames.table import short_name
from leastnoise.params import PrivateLimit, parse_missing, parse_name, parse_relation
from leastnoise.session.checking import Source
from leastnoise.session.session import Session
from leastnoise.summaries.subset import Subset, Unit, parse_unit
from leastnoise.typeguards import is_path

if TYPE_CHECKING:
    from collections.abc import Iterable

    from leastnoise.accounting import Ledger

MAIN_TABLE = "main"
_KEPT = 1000  # names of columns that a ledger keeps
_OF_RELEASE = ("epsilon", "weights", "mechanism", "where", "purpose", "reuse")


def table_schema(data: object, options: dict[str, Any]) -> list[tuple[str, str]]:
    """Names and declared types of the columns: public, and read from no value.

    Of a text file whose first line is, or may be, somebody's row nothing is told, not even how many
    columns there are: a ledger would keep it.
    """
    from leastnoise.frames.readers.csv import CsvTable  # only with a ledger

    if is_graph(data) or (getattr(data, "ndim", 1) == 2 and not hasattr(data, "columns")):
        return [("", type(data).__name__)]
    if isinstance(data, tuple):  # columns such as (y_true, y_pred), or entries: the statistic says
        return [("", "tuple")]
    table = open_table(data, **options)
    if isinstance(table, CsvTable) and not table.names_are_public:
        return [("", "text file without a header")]
    names = table.column_names()
    if names is None:
        return [("", _kind(table, None))]
    found = [(short_name(name), _kind(table, name)) for name in names[:_KEPT]]
    return found if len(names) <= _KEPT else [*found, ("", f"and {len(names) - _KEPT} more")]


def _kind(table: Table, name: str | None) -> str:
    try:
        return table.column_type(name).kind
    except SchemaError:  # no numbers in it, a blank or a repeated name
        return "other"


def _schema(ledger: Ledger | None, data: object, options: dict[str, Any]) -> list[tuple[str, str]]:
    """What the ledger remembers of a table; of a graph no column: a first line may be an edge."""
    if ledger is None:
        return []
    if ledger.scope.relation == "edge":
        return [("", "graph")]
    return table_schema(data, options)


def open_ledger(
    ledger: object, dataset: str | None, relation: str | None
) -> tuple[Ledger | None, str | None]:
    """The ledger, checked against the declared name, and the relation to release under.

    None: that of the statistic, "edge" for graphs and "replace-one" for tables.
    """
    if ledger is None:
        if dataset is not None:
            raise ParameterError("dataset= names a data set in a ledger; give ledger= as well")
        return None, None if relation is None else parse_relation(relation)
    from leastnoise.accounting import Ledger  # SQLite and composition only with a ledger

    if not isinstance(ledger, Ledger):
        if not is_path(ledger):
            raise ParameterTypeError(
                f"ledger must be the path of a ledger or a Ledger, not {type(ledger).__name__}"
            )
        ledger = Ledger.open(ledger)
    if dataset is None:
        raise ParameterError(
            "dataset is required with ledger=: the declared name of the data set, as in "
            "Ledger.create(path, dataset=...)"
        )
    if dataset != ledger.dataset:
        raise LedgerError(
            f"{ledger.path} is the ledger of data set {ledger.dataset!r}, not of {dataset!r}; give "
            "the ledger of that data set, or create one for it"
        )
    return ledger, parse_relation(ledger.scope.relation if relation is None else relation)


def open(
    data: object,
    *,
    ledger: object = None,
    dataset: str | None = None,
    table: str = MAIN_TABLE,
    relation: str | None = None,
    missing: object = None,
    unit: str | None = None,
    max_rows: int | PrivateLimit | None = None,
    **options: Any,
) -> Session:
    """Open a data set under a budget.

    Parameters
    ----------
    data
        As for ``leastnoise.release``.
    ledger : path or Ledger, optional
        The ledger that every release is charged to. A missing file is refused, never made.
    dataset : str
        The declared name of the data set, as the ledger knows it.
    table : str
        Which table of the same persons this is; all tables share the budget.
    relation : str, optional
        Default: that of the ledger, or "replace-one".
    missing
        The policy for missing values of every release; see ``leastnoise.release``.
    unit : str, optional
        The column that names persons, if persons are protected and not single rows. All rows with
        one entry are one person's; a row without an entry is nobody's and is not used. Ids are told
        apart as text where the column may hold text ("01" is not "1"), else as numbers.
    max_rows : int
        Only, and always, with ``unit``: how many rows of one person are used at most, from public
        knowledge. If a person has more, this many are drawn at random in each call. Or
        ``PrivateLimit()``: found privately by each statistic.
    **options
        How a file is read; see ``leastnoise.release``.

    Raises
    ------
    LedgerError
        If the ledger is missing, damaged, or that of another data set or another unit.
    ParameterError, ParameterTypeError
        If ``unit`` comes without ``max_rows``, an option is unknown, or another parameter is
        invalid.
    DataFileError
        If there is no such file, or its name does not end in a format that can be read.
    SchemaError
        If the data cannot be read. The header of a text file is read by the first release.

    Warns
    -----
    SchemaChangedWarning
        If the columns differ from those that the ledger knows of this table.

    Examples
    --------
    >>> import leastnoise as ln
    >>> table = {"region": ["N", "S", "N"], "pay": [31_000, 42_500, 58_000]}
    >>> with ln.open(table, relation="add-remove") as data:
    ...     north = data.where(ln.col("region") == "N")
    ...     r = north.release(ln.Median("pay", bounds=(0, 500_000)), epsilon=1)
    >>> r.guarantee.epsilon
    Fraction(1, 1)
    """
    persons = parse_unit(unit, max_rows)
    parse_missing(missing)
    parse_name(table, "table")
    check_reading(options)
    check_source(data, options)
    opened, chosen = open_ledger(ledger, dataset, relation)
    if opened is not None:
        check_unit(opened, persons)
    source = Source(
        data,
        opened,
        table,
        chosen,
        missing,
        schema=_schema(opened, data, options),
        options=options,
    )
    return Session(source, Subset(unit=persons))


def check_reading(options: Iterable[str]) -> None:
    """Refuse options that are none, with the nearest name of an option or a parameter."""
    for name in options:
        if name in _OF_RELEASE:
            raise ParameterError(
                f"{name}= is not a parameter of leastnoise.open: give it to the release method of "
                "the session"
            )
    check_options(options, (*(open.__kwdefaults__ or ()), *_OF_RELEASE))


def check_unit(ledger: Ledger, unit: Unit | None) -> None:
    """Refuse a ledger that protects another unit, with the cure."""
    wanted, one = ledger.scope.unit, "edge" if ledger.scope.relation == "edge" else "row"
    given = one if unit is None else unit.column
    if wanted != given:
        cure = (
            "give no unit="
            if wanted == one
            else f"give unit={wanted!r} and max_rows=, how many rows of one are used at most"
        )
        raise LedgerError(
            f"the ledger {ledger.path} protects one {wanted}, but this session one {given}: {cure};"
            " or create a ledger with the unit of this session"
        )
