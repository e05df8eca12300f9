"""Views of a data set to release from: all rows, those that a filter keeps, or groups."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

from leastnoise.errors import ParameterError
from leastnoise.params import PrivateLimit, explained
from leastnoise.production import releasing
from leastnoise.session.checking import NAMELESS, Source, check_call
from leastnoise.session.door import CallItem, charged_release
from leastnoise.session.no_frame import NoFrame

if TYPE_CHECKING:
    from leastnoise.accounting import Balance
    from leastnoise.guarantees import Guarantee
    from leastnoise.record import Description, Key, Release, Releases
    from leastnoise.session.describing.describe import Prepared as PreparedDescription
    from leastnoise.statistics.statistic import Described
    from leastnoise.summaries.subset import Subset


class _Rows(NoFrame):
    """The parts that views with and without groups share."""

    __slots__ = ("_source", "_subset")

    def __init__(self, source: Source, subset: Subset) -> None:
        self._source, self._subset = source, subset

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a view holds private data and cannot be copied or pickled")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self._subset!r}, table={self._source.table!r})"

    def preview(
        self,
        statistic: object,
        epsilon: object,
        *,
        weights: object = None,
        mechanism: object = None,
    ) -> Balance:
        """The cost of ``release`` with the same arguments; nothing is read or charged."""
        checked = check_call(self._source, self._subset, statistic, epsilon, weights, mechanism)
        return charge_of(self._source, checked.values())


class View(_Rows):
    """Rows of a data set, to release statistics of. Made by ``Session.where``."""

    __slots__ = ()

    @explained
    def where(self, condition: object) -> View:
        """Keep only the rows for which a condition on columns is also true.

        Parameters
        ----------
        condition
            Such as ``(ln.col("age") >= 18) & ln.col("region").is_in(["N", "S"])``; see
            ``leastnoise.col``. Several calls keep the rows for which all are true.

        Raises
        ------
        ParameterTypeError
            If it is anything else, such as a bool or a function. A column that does not exist is a
            ``SchemaError`` of the release, before a value is read.

        Notes
        -----
        The number of remaining rows is private. Under "replace-one" a changed row may enter or
        leave, so statistics use their profile for "edit", as the record says; the charge stays
        epsilon.
        """
        return View(self._source, self._subset.filtered(condition))

    @explained
    def group_by(
        self,
        keys: Mapping[str, Any],
        *,
        max_groups: int | PrivateLimit | None = None,
        other: bool = False,
    ) -> GroupedView:
        """Divide the rows by declared keys.

        Parameters
        ----------
        keys : mapping of column to list of keys
            ``{"region": ["N", "S"], "sex": ["f", "m"]}``: every combination is a group, whether or
            not a row has it. Keys are text or numbers, compared by the rule of
            ``leastnoise.col``. Rows with a missing or undeclared entry are in no group. Of keys
            that a column's type does not tell apart (0.1 and 0.1 + 1e-9 in single precision) the
            last has the rows.
        max_groups : int or PrivateLimit
            Required with persons (``unit=``), and only allowed with them: the most groups in which
            the rows of one person are used. If there are more, that many are drawn at random.
            ``PrivateLimit()`` finds it privately; epsilon is then that of the whole table.
        other : bool
            Whether rows without a declared key, including those with missing entries, form a group:
            the last one, whose key is None in every column. It costs the same as one more key.
            Default False: they are not used.

        Raises
        ------
        ParameterError, ParameterTypeError
            If keys are missing, repeated, of mixed types, NaN or None, or ``max_groups`` is
            missing.

        Notes
        -----
        **Each group is answered with all of epsilon, and the table is charged for as many groups
        as one changed unit can reach**: once under "add-remove", twice under "replace-one" and
        "edit", where a changed row may leave one group and enter another (2 epsilon is attained).
        With persons: min(max_groups, max_rows, groups) times under "add-remove", min(groups,
        2 min(max_groups, max_rows)) times when persons are replaced. Where ``max_groups`` is found
        privately the table is charged epsilon once, and its groups share it by what was found.
        ``preview`` tells the charge,
        ``Releases.guarantee`` states it (errata 4.14; ``docs/proofs/groups.md``).
        """
        return GroupedView(self._source, self._subset.grouped(keys, max_groups, other))

    @overload
    def release(
        self,
        statistic: Mapping[str, object],
        *,
        epsilon: object,
        weights: object = None,
        mechanism: object = None,
        purpose: str | None = None,
        reuse: bool = False,
    ) -> Releases[str, Release]: ...

    @overload
    def release(
        self,
        statistic: Described,
        *,
        epsilon: object,
        weights: object = None,
        mechanism: object = None,
        purpose: str | None = None,
        reuse: bool = False,
    ) -> Release: ...

    @explained
    def release(
        self,
        statistic: object,
        *,
        epsilon: object,
        weights: object = None,
        mechanism: object = None,
        purpose: str | None = None,
        reuse: bool = False,
    ) -> Release | Releases[str, Release]:
        """Publish one statistic, or several with epsilon split over them.

        All statistics of one call are charged together or not at all, before a value is read. Once
        charged, the budget stays spent whatever happens afterwards.

        Parameters
        ----------
        statistic, epsilon, weights, mechanism, purpose, reuse
            As for ``leastnoise.release``.

        Raises
        ------
        ParameterError, ParameterTypeError, SchemaError, LedgerError, BudgetExceededError
            As for ``leastnoise.release``.
        """
        source, subset = self._source, self._subset
        source.check_open(purpose, reuse=reuse)
        with releasing():
            asked = check_call(source, subset, statistic, epsilon, weights, mechanism)
            made = charged_release(source, asked, purpose, reuse)
        return made[NAMELESS][0] if NAMELESS in made else arranged(subset, made, asked)

    @explained
    def describe(
        self,
        *,
        epsilon: object,
        delta: object = None,
        columns: object = None,
        weights: object = None,
        column_weights: object = None,
        labels: object = None,
        purpose: str | None = None,
        reuse: bool = False,
    ) -> Description:
        """Describe a table of which nothing is known but its schema, for one epsilon.

        Parameters
        ----------
        epsilon
            What the whole description is charged.
        delta : optional
            What finding labels that nobody declared is charged, all columns together. Without it
            labels of undeclared columns are only counted, not shown.
        columns : list of str, optional
            Those to describe. Default: all.
        weights : mapping, optional
            How epsilon is split over facts: "rows", "persons", "rows a person", "rows used",
            "missing", "distinct", "reads as", "quartiles", "limits", "mean", "labels",
            and "intervals" of each quartile, which have none by default. 0 leaves a fact out, with
            "quartiles" all that follow them; without "rows used" they are ``max_rows``.
        column_weights : mapping, optional
            How epsilon is split over columns; those not named have 1.
        labels : mapping of column to list, optional
            Declared labels, which need no delta.
        purpose, reuse
            As for ``leastnoise.release``.

        Returns
        -------
        Description
            Of each column how many entries are missing and how many differ; of numbers quartiles,
            limits with few entries beyond them and the mean; of labels the most frequent ones; and
            the number of rows. Where persons are protected also their number and the rows of a
            person, of which as many are used as a released number says, ``max_rows`` at most.

        Raises
        ------
        ParameterError, ParameterTypeError, SchemaError, LedgerError, BudgetExceededError
            As for ``leastnoise.release``, before a value is read.

        Notes
        -----
        Where no relation is declared it is "add-remove": how many rows there are is a fact that is
        paid for. Missing entries are left out, whatever the session declares. Every fact costs its
        share; all of them are epsilon-DP together, or (epsilon, delta)-DP with keys
        (``docs/proofs/describe.md``).

        Examples
        --------
        >>> import leastnoise as ln
        >>> with ln.open({"age": [20 + i % 50 for i in range(2000)]}) as data:
        ...     found = data.describe(epsilon=2)
        >>> [column.name for column in found.columns]
        ['age']
        """
        return self.prepare_description(
            epsilon=epsilon,
            delta=delta,
            columns=columns,
            weights=weights,
            column_weights=column_weights,
            labels=labels,
        ).release(purpose=purpose, reuse=reuse)

    def prepare_description(
        self,
        *,
        epsilon: object,
        delta: object = None,
        columns: object = None,
        weights: object = None,
        column_weights: object = None,
        labels: object = None,
    ) -> PreparedDescription:
        """The same, checked: ``outline`` tells what it will ask and cost, ``release`` draws."""
        from leastnoise.session.describing.describe import Prepared  # only for descriptions

        return Prepared(
            self._source,
            self._subset,
            epsilon=epsilon,
            delta=delta,
            columns=columns,
            weights=weights,
            column_weights=column_weights,
            labels=labels,
        )


class GroupedView(_Rows):
    """Rows divided by declared keys. Made by ``group_by``."""

    __slots__ = ()

    @explained
    def where(self, condition: object) -> GroupedView:
        """Keep only the rows for which a condition is also true; see ``View.where``."""
        return GroupedView(self._source, self._subset.filtered(condition))

    @explained
    def group_by(
        self,
        keys: Mapping[str, Any],
        *,
        max_groups: int | PrivateLimit | None = None,
        other: bool = False,
    ) -> GroupedView:
        """Refused: all columns belong in one ``group_by``."""
        return GroupedView(self._source, self._subset.grouped(keys, max_groups, other))

    @overload
    def release(
        self,
        statistic: Mapping[str, object],
        *,
        epsilon: object,
        weights: object = None,
        mechanism: object = None,
        purpose: str | None = None,
        reuse: bool = False,
    ) -> Releases[Key, Releases[str, Release]]: ...

    @overload
    def release(
        self,
        statistic: Described,
        *,
        epsilon: object,
        weights: object = None,
        mechanism: object = None,
        purpose: str | None = None,
        reuse: bool = False,
    ) -> Releases[Key, Release]: ...

    @explained
    def release(
        self,
        statistic: object,
        *,
        epsilon: object,
        weights: object = None,
        mechanism: object = None,
        purpose: str | None = None,
        reuse: bool = False,
    ) -> Releases[Key, Release] | Releases[Key, Releases[str, Release]]:
        """Publish one statistic of every group, or several with epsilon split over them.

        Parameters
        ----------
        epsilon
            What **each group's** answers get. The whole table is charged this, or a multiple of it
            by the number of groups that one changed row or person can reach; see
            ``View.group_by``.
        statistic, weights, mechanism, purpose, reuse
            As for ``leastnoise.release``.

        Returns
        -------
        Releases
            By key, and by name where several statistics were asked for.
        """
        source, subset = self._source, self._subset
        source.check_open(purpose, reuse=reuse)
        with releasing():
            asked = check_call(source, subset, statistic, epsilon, weights, mechanism)
            made = charged_release(source, asked, purpose, reuse)
        if NAMELESS not in made:
            return arranged(subset, made, asked)
        keys = subset.keys
        from leastnoise.record.releases import ONLY, Groups, Releases

        by, listed = ((), []) if keys is None else (keys.columns, list(keys.keys()))
        alone = Groups(listed, {ONLY: made[NAMELESS]}, single=True)
        return Releases(alone, by=by, names=(ONLY,), guarantee=_promised(asked.values()))


def arranged(
    subset: Subset, made: Mapping[str, Sequence[Release]], requests: Mapping[str, CallItem]
) -> Releases[Any, Any]:
    """The records of several statistics as a table: by name, within each group if there are any."""
    from leastnoise.record.releases import Groups, Releases

    promise, keys = _promised(requests.values()), subset.keys
    if keys is None:
        return Releases({name: record for name, (record,) in made.items()}, guarantee=promise)
    rows = Groups(list(keys.keys()), made, single=False)
    return Releases(rows, by=keys.columns, names=list(made), guarantee=promise)


def charge_of(source: Source, requests: Collection[CallItem]) -> Balance:
    """The total charge of these statistics."""
    if source.ledger is not None:
        return source.ledger.preview([draw for one in requests for draw in one.charged])
    from leastnoise.accounting.budget import balance, cost

    headline = _together(requests)
    return balance(cost([headline], headline))


def _together(requests: Collection[CallItem]) -> Guarantee:
    """The guarantee of a whole call, as its mechanisms state it: the sum of the charges."""
    from leastnoise.accounting.composition import basic

    return basic([g for one in requests for g in [one.headline] * one.times], allow_random=True)


def _promised(requests: Collection[CallItem]) -> Guarantee | None:
    """The same; None for guarantees that do not add up: each record then states its own."""
    try:
        return _together(requests)
    except ParameterError:
        return None
