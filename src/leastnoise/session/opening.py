"""Opening a data set, with its ledger and its public schema, and releasing from it at once."""

from __future__ import annotations

import warnings
from inspect import signature
from typing import TYPE_CHECKING, Any, overload

from leastnoise import randomness
from leastnoise.accounting.entries import SchemaChangedWarning
from leastnoise.errors import LedgerError, ParameterError, ParameterTypeError, SchemaError
from leastnoise.foreign import is_path
from leastnoise.frames import Table, open_table
from leastnoise.frames.readers.open import check_source, is_graph
from leastnoise.frames.readers.options import check_options
from leastnoise.frames.table import short_name
from leastnoise.params import (
    PrivateLimit,
    explained,
    parse_missing,
    parse_name,
    parse_relation,
)
from leastnoise.production import releasing
from leastnoise.session.checking import NAMELESS, Source, check_call
from leastnoise.session.door import charged_release
from leastnoise.session.session import Session
from leastnoise.session.views import arranged
from leastnoise.summaries.subset import Subset, Unit, parse_unit

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from leastnoise.accounting import Ledger
    from leastnoise.record import Release, Releases
    from leastnoise.statistics.statistic import Described

MAIN_TABLE = "main"
_KEPT = 1000  # names of columns that a ledger keeps
_OF_RELEASE = ("epsilon", "weights", "mechanism", "where", "purpose", "reuse")


def table_schema(data: object, options: dict[str, Any]) -> list[tuple[str, str]]:
    """Names and declared types of the columns: public, and read from no value.

    If the first line of a text file is or may be somebody's row, nothing of it is kept, not even
    the number of columns, because a ledger would store it.
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
    """The schema that the ledger keeps; empty for graphs, whose first line may be an edge."""
    if ledger is None:
        return []
    if ledger.scope.relation == "edge":
        return [("", "graph")]
    return table_schema(data, options)


def open_ledger(
    ledger: object, dataset: str | None, relation: str | None
) -> tuple[Ledger | None, str | None]:
    """The ledger, checked against the declared name, and the relation of the releases.

    The relation is None where the statistic decides: "edge" for graphs, "replace-one" for tables.
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


@explained
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
        The ledger that every release is charged to. A missing file is refused, never created.
    dataset : str
        The declared name of the data set, as the ledger knows it.
    table : str
        The name of this table, where several hold the same persons; all share the budget.
    relation : str, optional
        Default: that of the ledger, or "replace-one".
    missing
        The policy for missing values of every release; see ``leastnoise.release``.
    unit : str, optional
        The column that identifies persons, if persons are protected rather than single rows. All
        rows with the same entry belong to one person; rows without an entry are not used. Ids are
        compared as text if the column may hold text ("01" is not "1"), else as numbers.
    max_rows : int
        Required with ``unit``, and only allowed with it: the most rows of one person that are
        used, from public knowledge. If a person has more, that many are drawn at random in each
        call. ``PrivateLimit()`` lets each statistic find the number privately.
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
        If the file does not exist, or its name does not end in a format that can be read.
    SchemaError
        If the data cannot be read. The header of a text file is read by the first release.

    Warns
    -----
    SchemaChangedWarning
        If the columns differ from those that the ledger has recorded for this table.

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
    source, subset = _opened(
        data, ledger, dataset, table, relation, missing, unit, max_rows, options
    )
    return Session(source, subset)


def _opened(
    data: object,
    ledger: object,
    dataset: str | None,
    table: str,
    relation: str | None,
    missing: object,
    unit: str | None,
    max_rows: int | PrivateLimit | None,
    options: dict[str, Any],
    depth: int = 3,
) -> tuple[Source, Subset]:
    """The data with its budget, and whom it protects; everything is checked, no value is read."""
    persons = parse_unit(unit, max_rows)
    parse_missing(missing)
    parse_name(table, "table")
    check_reading(options)
    check_source(data, options)
    opened, chosen = open_ledger(ledger, dataset, relation)
    if opened is not None:
        check_unit(opened, persons)
    schema = _schema(opened, data, options)
    if opened is not None and not randomness.simulating():
        changed = opened.know_table(table, schema)
        if changed is not None:
            warnings.warn(changed, SchemaChangedWarning, stacklevel=depth)
    source = Source(data, opened, table, chosen, missing, schema, options)
    return source, Subset(unit=persons)


def check_reading(options: Iterable[str]) -> None:
    """Refuse unknown options, and suggest the nearest known name."""
    for name in options:
        if name in _OF_RELEASE:
            raise ParameterError(
                f"{name}= is not a parameter of leastnoise.open: give it to the release method of "
                "the session"
            )
    if options:
        check_options(options, (*signature(open).parameters, *_OF_RELEASE))


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


@overload
def release(
    statistic: Mapping[str, object],
    data: object,
    *,
    epsilon: object,
    weights: object = None,
    mechanism: object = None,
    relation: str | None = None,
    missing: object = None,
    where: object = None,
    unit: str | None = None,
    max_rows: int | PrivateLimit | None = None,
    ledger: object = None,
    dataset: str | None = None,
    table: str = MAIN_TABLE,
    purpose: str | None = None,
    reuse: bool = False,
    **options: Any,
) -> Releases[str, Release]: ...


@overload
def release(
    statistic: Described,
    data: object,
    *,
    epsilon: object,
    weights: object = None,
    mechanism: object = None,
    relation: str | None = None,
    missing: object = None,
    where: object = None,
    unit: str | None = None,
    max_rows: int | PrivateLimit | None = None,
    ledger: object = None,
    dataset: str | None = None,
    table: str = MAIN_TABLE,
    purpose: str | None = None,
    reuse: bool = False,
    **options: Any,
) -> Release: ...


@explained
def release(
    statistic: object,
    data: object,
    *,
    epsilon: object,
    weights: object = None,
    mechanism: object = None,
    relation: str | None = None,
    missing: object = None,
    where: object = None,
    unit: str | None = None,
    max_rows: int | PrivateLimit | None = None,
    ledger: object = None,
    dataset: str | None = None,
    table: str = MAIN_TABLE,
    purpose: str | None = None,
    reuse: bool = False,
    **options: Any,
) -> Release | Releases[str, Release]:
    """Publish one statistic of a data set, or several, with epsilon-differential privacy.

    Parameters
    ----------
    statistic
        What to publish, such as ``Median(bounds=(0, 500_000))`` or ``Count()``; or several by name,
        ``{"median": Median(...), "rows": Count()}``, over which epsilon is split.
    data
        A list, a numpy array, a pandas, Polars or Arrow column or frame, a dict of columns, or the
        path of a CSV (also .gz) or Parquet file. A frame or file needs the statistic's column.
    epsilon : int, float, Decimal, Fraction or text
        The privacy parameter of the whole call, > 0; a float counts as its shortest decimal text.
    weights : mapping or list of numbers, optional
        How epsilon is split over several statistics. Default: evenly. Each record shows its share.
    mechanism
        Default: the statistic's own, by a public rule (see its docstring). For several statistics
        also a mapping by name.
    relation : "replace-one", "add-remove", "edit" or "edge"
        Default: that of the ledger, or "edge" for statistics of graphs, or "replace-one".
        Which data sets are neighbours. "replace-one": one row is changed and the number of rows of
        the table is public. "add-remove": one row more or less. "edit": either.
    missing : "drop", "none" or a number, optional
        What happens to missing and unparsable values, row by row. Dropping them makes the number
        of remaining rows private. Default: "drop" for columns that can hold missing values.
    where : condition on columns, optional
        Only rows for which it is true are used, such as ``(ln.col("age") >= 18) & ...``. Their
        number is private. For groups, open the data with ``leastnoise.open``.
    unit, max_rows
        Protect persons rather than rows: the column that identifies them, and the most rows of one
        person that are used. See ``leastnoise.open``.
    ledger, dataset, table
        The ledger that is charged before the data is read, as a path or a ``Ledger``; the declared
        name of the data set; the name of the table. See ``leastnoise.open``.
    purpose : str, optional
        The reason, for the history of the ledger.
    reuse : bool
        Serve the same request again from the ledger, with the identical value and at no cost. By
        default every request is drawn and charged anew.
    **options
        How a file is read: ``separator``, ``decimal``, ``thousands``, ``encoding``, ``header``,
        ``skip_rows``, ``skip_after_header``, ``comment``, ``multiline`` for text files, ``engine``
        and ``source`` for others; ``missing_values``, texts and numbers that stand for a missing
        entry.

    Returns
    -------
    Release, or Releases
        ``value``, ``guarantee``, ``mechanism`` and the public record; several by name.

    Raises
    ------
    ParameterError, ParameterTypeError, SchemaError
        If parameters or schema are wrong, before a value is read and at no cost. After that every
        data set gives a finite value.
    BudgetExceededError
        If the ledger has less left than the call needs, before a value is read and at no cost.
    LedgerError
        If the ledger is missing, damaged, not writable, or belongs to another data set.

    Notes
    -----
    Guarantee: epsilon-DP, or what the mechanism promises, under the relation; ``guarantee`` of the
    record states it, and the docstrings of statistic and mechanism its conditions. It holds for one
    release; the epsilons of several releases add up, and a ledger keeps the sum. Running time is
    not protected.

    Examples
    --------
    >>> import leastnoise as ln
    >>> r = ln.release(ln.Median(bounds=(0, 500_000)), [31_000, 42_500, 58_000], epsilon=1)
    >>> 0 <= r.value <= 500_000, str(r.guarantee)
    (True, 'PureDP(epsilon=1; replace-one, one row)')
    """
    source, subset = _opened(
        data, ledger, dataset, table, relation, missing, unit, max_rows, options, depth=4
    )
    with source:
        if where is not None:
            subset = subset.filtered(where)
        source.check_open(purpose, reuse=reuse)
        with releasing():
            asked = check_call(source, subset, statistic, epsilon, weights, mechanism)
            made = charged_release(source, asked, purpose, reuse)
        return made[NAMELESS][0] if NAMELESS in made else arranged(subset, made, asked)
