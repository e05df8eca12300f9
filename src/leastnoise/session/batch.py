"""Several tables of one data set, charged together or not at all, before a value is read."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.params import PrivateLimit, parse_total
from leastnoise.production import releasing
from leastnoise.session.checking import Source, check_call
from leastnoise.session.door import CallItem, charged_release
from leastnoise.session.views import arranged, charge_of

if TYPE_CHECKING:
    from leastnoise.accounting import Balance
    from leastnoise.record import Releases
    from leastnoise.summaries.subset import Subset

Progress = Callable[[int, int], None]


class Batch:
    """Tables of one data set, checked one by one and released together. Made by ``Session.batch``.

    ``add`` refuses everything that can be refused except for lack of budget; ``release`` charges
    the ledger for all tables in one step, or for none, and then draws them.

    Examples
    --------
    >>> import leastnoise as ln
    >>> pay = {"sex": ["f", "m"], "pay": [31_000, 45_500]}
    >>> with ln.open(pay, relation="add-remove") as data:
    ...     batch = data.batch()
    ...     median = ln.Median("pay", bounds=(0, 500_000))
    ...     all = batch.add("all", {"median": median}, epsilon=1)
    ...     sexes = batch.add("sexes", {"n": ln.Count()}, charge=1, groups={"sex": ["f", "m"]})
    ...     print(batch.charge(), sorted(batch.release()))
    epsilon 2 ['all', 'sexes']
    """

    __slots__ = ("_source", "_subset", "_tables")

    def __init__(self, source: Source, subset: Subset) -> None:
        self._source, self._subset = source, subset
        self._tables: dict[str, tuple[Subset, dict[str, CallItem]]] = {}

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a batch holds private data and cannot be copied or pickled")

    def __repr__(self) -> str:
        return f"Batch({', '.join(self._tables)})"

    def add(
        self,
        name: str,
        statistics: Mapping[str, object],
        *,
        epsilon: object = None,
        charge: object = None,
        weights: object = None,
        mechanisms: Mapping[str, object] | None = None,
        where: object = None,
        groups: object = None,
        max_groups: int | PrivateLimit | None = None,
        other: bool = False,
    ) -> Fraction:
        """Check a table of one or more statistics; nothing is read or charged.

        Parameters
        ----------
        name
            The name of the table; a table that has it already is replaced.
        statistics
            By the names of their columns in the table.
        epsilon, charge
            What each group's answers get, or what the whole table is charged: one of them.
        weights, mechanisms
            As for ``leastnoise.release``.
        where, groups, max_groups, other
            As for ``View.where`` and ``View.group_by``.

        Returns
        -------
        Fraction
            What each group's answers get; where ``max_groups`` is found, what they share.

        Raises
        ------
        ParameterError, ParameterTypeError, SchemaError
            As ``View.release``, before a value is read.
        """
        if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers are not type-checked
            raise ParameterTypeError(f"name must be text, not {type(name).__name__}")
        subset = self._subset if where is None else self._subset.filtered(where)
        if groups is not None:
            subset = subset.grouped(groups, max_groups, other)
        if (epsilon is None) == (charge is None):
            raise ParameterError(
                "give either epsilon=, what each group gets, or charge=, what the table costs"
            )
        if charge is None:
            each = parse_total(epsilon)
        else:
            times = subset.times(self._source.relation or "replace-one")
            each = parse_total(charge, "charge") / times
        self._tables[name] = (
            subset,
            check_call(self._source, subset, statistics, each, weights, mechanisms),
        )
        return each

    def charge(self, name: str | None = None) -> Balance:
        """What ``release`` will charge: for one table, or for all of them together."""
        chosen = list(self._tables.values()) if name is None else [self._tables[name]]
        return charge_of(self._source, [one for _, asked in chosen for one in asked.values()])

    def requests(self, name: str) -> Mapping[str, CallItem]:
        """NOT PRIVATE. The checked statistics of a table, with the data that they would read."""
        return self._tables[name][1]

    def release(
        self, *, purpose: str | None = None, reuse: bool = False, progress: Progress | None = None
    ) -> dict[str, Releases[Any, Any]]:
        """Charge all tables together, then read, draw and record.

        Parameters
        ----------
        purpose, reuse
            As for ``leastnoise.release``.
        progress : callable, optional
            Called with the number of statistics done and of all, after each.

        Raises
        ------
        BudgetExceededError
            If the ledger has less left than all tables need together; nothing was spent then.
        """
        self._source.check_open(purpose, reuse=reuse)
        tables = dict(self._tables)  # as they are now: another thread may add to them
        if not tables:
            raise ParameterError("this batch has no table; add one first")
        places = [(table, name) for table, (_, asked) in tables.items() for name in asked]
        asked = {str(i): tables[t][1][n] for i, (t, n) in enumerate(places)}
        with releasing():
            made = charged_release(self._source, asked, purpose, reuse, progress)
        drawn: dict[str, dict[str, Any]] = {table: {} for table in tables}
        for (table, name), records in zip(places, made.values(), strict=True):
            drawn[table][name] = records
        return {
            table: arranged(subset, drawn[table], requests)
            for table, (subset, requests) in tables.items()
        }
