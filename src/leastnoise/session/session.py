"""A session: a data set with its budget, and everything that can be released from it."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import TYPE_CHECKING

from leastnoise.errors import LedgerError
from leastnoise.params import explained
from leastnoise.production import forbid_in_production
from leastnoise.session.views import View

if TYPE_CHECKING:
    from leastnoise.accounting import Balance, Ledger
    from leastnoise.accounting.store import Entry
    from leastnoise.frames.checks.report import Checked
    from leastnoise.session.batch import Batch
    from leastnoise.sql.answer import Answer
    from leastnoise.sql.run import Prepared


class Session(View):
    """A data set with its ledger: all rows, to release from, to filter and to group.

    ``leastnoise.open`` makes it. Use it as a context manager, which closes it.

    Parameters
    ----------
    source, subset
        Made by ``leastnoise.open``: the data with its ledger, and the chosen rows.

    Raises
    ------
    ParameterError
        From every method once the session is closed.
    LedgerError
        From ``remaining`` and ``spent`` if there is no ledger.

    Examples
    --------
    >>> import leastnoise as ln
    >>> with ln.open({"age": [25, 37, 61], "pay": [30, 42, 51]}) as data:
    ...     adults = data.where(ln.col("age") >= 18)
    ...     r = adults.release(ln.Median("pay", bounds=(0, 500)), epsilon=1)
    >>> 0 <= r.value <= 500
    True
    """

    __slots__ = ()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._source.__exit__(kind, error, trace)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a session holds private data and cannot be copied or pickled")

    def close(self) -> None:
        """End the session; the ledger file is closed for this thread."""
        self._source.close()

    def __repr__(self) -> str:
        return f"Session(table={self.table!r}, ledger={self.ledger!r})"

    @property
    def ledger(self) -> Ledger | None:
        """The ledger that is charged, if there is one."""
        return self._source.ledger

    @property
    def table(self) -> str:
        """The name of this table in the ledger."""
        return self._source.table

    @property
    def remaining(self) -> Balance:
        """What the ledger has left."""
        return self._tracked().remaining

    @property
    def spent(self) -> Balance:
        """What the ledger has spent, by exact basic sums."""
        return self._tracked().spent

    def batch(self) -> Batch:
        """Several tables, to be charged together or not at all."""
        from leastnoise.session.batch import Batch  # only for plans of tables

        return Batch(self._source, self._subset)

    def sql(
        self,
        query: str,
        *,
        schema: object = None,
        epsilon: object = None,
        delta: object = None,
        weights: Mapping[str, object] | None = None,
        interval: object = None,
        purpose: str | None = None,
        reuse: bool = False,
    ) -> Answer:
        """Answer a question in SQL; ``docs/sql.md`` describes the language.

        Parameters
        ----------
        query : str
            One SELECT of aggregates, such as ``SELECT region, MEDIAN(pay) FROM pay GROUP BY
            region``.
        schema : path or mapping, optional
            What is public about the table: limits and keys of its columns, public tables.
        epsilon
            What the **whole query** is charged; each group gets a part, where one changed row or
            person can reach several.
        delta : optional
            What the release of keys is charged where a column to group by declares none.
        weights : mapping, optional
            How epsilon is split over the aggregates, by the names of their columns.
        interval : number, optional
            How sure an interval beside each number is, such as 0.95: columns ``x_low`` and
            ``x_high`` beside ``x``, as ``WithInterval`` makes them.
        purpose, reuse
            As for ``leastnoise.release``.

        Raises
        ------
        ParameterError, ParameterTypeError, SchemaError
            If the query is not in the language or does not fit the schema, with the place in its
            text, before a value is read and at no cost.
        BudgetExceededError, LedgerError
            As for ``leastnoise.release``.
        MissingDependencyError
            If sqlglot is not installed.
        """
        prepared = self.prepare_sql(
            query,
            schema=schema,
            epsilon=epsilon,
            delta=delta,
            weights=weights,
            interval=interval,
        )
        return prepared.release(purpose=purpose, reuse=reuse)

    def prepare_sql(
        self,
        query: str,
        *,
        schema: object = None,
        epsilon: object = None,
        delta: object = None,
        weights: Mapping[str, object] | None = None,
        interval: object = None,
    ) -> Prepared:
        """Check the query: ``charges()`` gives its cost, and ``release()`` answers it."""
        from leastnoise.sql.run import Prepared  # only for SQL

        return Prepared(
            self._source,
            self._subset,
            query,
            schema=schema,
            epsilon=epsilon,
            delta=delta,
            weights=weights,
            interval=interval,
        )

    @explained
    def check(
        self, column: str | None = None, *, bounds: object = None, nodes: object = None
    ) -> Checked:
        """NOT PRIVATE. Look at the data: what reads differently from how it looks, and the cures.

        For whoever may see all of it, before anything is released. Nothing of it enters a record,
        and nothing of it may be published or used for bounds, keys and labels.

        Parameters
        ----------
        column : str, optional
            One column; all of them without it.
        bounds : pair, optional
            Limits of that column, to be told whether they clip more than a tenth of it.
        nodes : optional
            Of a graph: as for ``leastnoise.TriangleCount``.

        Returns
        -------
        Checked
            Its text is the report; ``options`` are keywords of ``leastnoise.open``.

        Raises
        ------
        ProductionError
            Where LEASTNOISE_PRODUCTION is set.
        LedgerError
            If this session has a ledger: what it publishes must not come from a look at the data.
        """
        from leastnoise.frames.checks.look import check  # no release needs it

        forbid_in_production("check")
        if self.ledger is not None:
            raise LedgerError(
                "check shows the data itself, and a session with a ledger is for publishing: "
                "open the data without ledger= to check it"
            )
        self._source.check_open()
        return check(self._source.data, column, bounds=bounds, nodes=nodes, **self._source.options)

    @property
    def history(self) -> tuple[Entry, ...]:
        """Every entry of the ledger, oldest first; empty without one."""
        return () if self.ledger is None else self.ledger.history

    def _tracked(self) -> Ledger:
        if self.ledger is None:
            raise LedgerError("this session has no ledger; open the data with ledger= and dataset=")
        return self.ledger
