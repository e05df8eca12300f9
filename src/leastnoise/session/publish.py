"""The one function that publishes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast, overload

from leastnoise.session.opening import MAIN_TABLE, open

if TYPE_CHECKING:
    from leastnoise.params import PrivateLimit
    from leastnoise.record import Release, Releases
    from leastnoise.statistics.statistic import Described


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
        Only rows for which it is true are used: ``(ln.col("age") >= 18) & ...``. Their number is
        private. For groups open the data with ``leastnoise.open``.
    unit, max_rows
        Protect persons and not rows: the column that names them, and how many rows of one are used
        at most. See ``leastnoise.open``.
    ledger, dataset, table
        The ledger that is charged before the data is read, as its path or a ``Ledger``; the
        declared name of the data set; which table of the same persons. See ``leastnoise.open``.
    purpose : str, optional
        Why, for the history of the ledger.
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
    with open(
        data,
        ledger=ledger,
        dataset=dataset,
        table=table,
        relation=relation,
        missing=missing,
        unit=unit,
        max_rows=max_rows,
        **options,
    ) as session:
        view = session if where is None else session.where(where)
        return view.release(
            cast("Described", statistic),
            epsilon=epsilon,
            weights=weights,
            mechanism=mechanism,
            purpose=purpose,
            reuse=reuse,
        )
