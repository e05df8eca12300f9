"""The answer to a query: a table of released values, with the records that they come from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from fractions import Fraction
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leastnoise.record import Release, Releases, flat

if TYPE_CHECKING:
    from leastnoise.accounting import Balance
    from leastnoise.guarantees import Guarantee


@dataclass(frozen=True, slots=True, repr=False)
class Answer:
    """What a query released.

    Parameters
    ----------
    columns
        The names of the columns, as the SELECT gives them.
    rows
        The values, row by row, in the order of the query.
    releases
        Every group and every statistic, as ``View.release`` gives them: with what HAVING and LIMIT
        left out, the record of each number, and the guarantee.
    keys
        The releases of private keys, by column; None where all are declared.

    Examples
    --------
    >>> import leastnoise as ln
    >>> pay = {"region": ["N", "S", "N"], "pay": [31_000, 42_500, 58_000]}
    >>> schema = {"columns": {"region": {"keys": ["N", "S"]}, "pay": {"bounds": [0, 500_000]}}}
    >>> query = "SELECT region, COUNT(*) AS n, MEDIAN(pay) AS middle FROM pay GROUP BY region"
    >>> with ln.open(pay, relation="add-remove") as data:
    ...     answer = data.sql(query, schema=schema, epsilon=1)
    >>> answer.columns, [row[0] for row in answer.rows], str(answer.guarantee)
    (('region', 'n', 'middle'), ['N', 'S'], 'PureDP(epsilon=1; add-remove, one row)')
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    releases: Releases[Any, Any]
    keys: Releases[Any, Any] | None = None

    @property
    def guarantee(self) -> Guarantee | None:
        """What the whole answer promises, which is what it was charged."""
        parts = [one.guarantee for one in (self.keys, self.releases) if one]
        known = [one for one in parts if one is not None]
        if len(known) < 2:
            return known[0] if known else None
        from leastnoise.accounting.composition import basic  # only where something is added up

        return basic(known, allow_random=True)

    @property
    def charged(self) -> Balance | None:
        """What a ledger was charged for it, by the ledger's relation; None if nothing was.

        A ledger of replace-one counts a changed row as one row less and one more: there a query of
        add-remove is charged twice its epsilon.
        """
        entries: dict[Any, Any] = {}
        for record in self.records:
            if record.ledger is not None and not record.ledger["from_cache"]:
                entries[record.ledger["entry"]] = record.ledger["charged"]
        if not entries:
            return None
        from leastnoise.accounting import Balance

        sums: dict[str, Fraction] = {}
        for name, amount in ((n, a) for each in entries.values() for n, a in each.items()):
            sums[name] = sums.get(name, Fraction(0)) + Fraction(amount)
        return Balance(**sums)

    @property
    def records(self) -> list[Release]:
        """The record of every number that was released."""
        parts = [one for one in (self.keys, self.releases) if one]
        return [record for one in parts for row in one.rows() for record in row.records.values()]

    def to_dicts(self) -> list[dict[str, Any]]:
        """Every row as a dict."""
        return [dict(zip(self.columns, row, strict=True)) for row in self.rows]

    def to_dict(self) -> dict[str, Any]:
        """Plain values: the table, what it promises, and every record."""
        return {
            "columns": list(self.columns),
            "rows": [[_plain(value) for value in row] for row in self.rows],
            "guarantee": None if self.guarantee is None else self.guarantee.to_dict(),
            "charged": None if self.charged is None else self.charged.to_dict(),
            "keys": None if self.keys is None else self.keys.to_dict(),
            "releases": self.releases.to_dict(),
        }

    def to_pandas(self) -> Any:
        """A pandas data frame."""
        return flat.frame_of(self._flat(), "pandas")

    def to_polars(self) -> Any:
        """A Polars data frame."""
        return flat.frame_of(self._flat(), "polars")

    def to_csv(self, path: str | PathLike[str] | None = None) -> str:
        """Comma-separated text, written to ``path`` if one is given."""
        text = flat.csv_of(self._flat(written=True))
        if path is not None:
            Path(path).write_text(text, encoding="utf-8", newline="")
        return text

    def to_markdown(self) -> str:
        """A table in Markdown, rounded for reading, with its guarantee below."""
        return flat.markdown_of(self._flat(written=True), self._promise())

    def _repr_html_(self) -> str:
        return flat.html_of(self._flat(written=True), self._promise())

    def __repr__(self) -> str:
        return self.to_markdown()

    def _promise(self) -> str:
        """One line: what the whole answer promises, and whom."""
        first, whole = self.records[0], self.guarantee
        return flat.promise(Releases({"": first}, guarantee=whole))

    def _flat(self, *, written: bool = False) -> flat.Flat:
        """The columns; ``written`` for readers, true and false as SQL writes them."""
        as_is: Callable[[Any], Any] = written_truth if written else lambda value: value
        columns = {
            name: [as_is(row[i]) for row in self.rows] for i, name in enumerate(self.columns)
        }
        return flat.Flat(columns, 0)


@dataclass(frozen=True, slots=True, repr=False)
class Cost:
    """What a query would be charged; nothing was spent.

    Parameters
    ----------
    aggregates
        Its statistics, by their names.
    charges
        What is charged one after the other: for private keys, then for the table.
    epsilon
        What the query takes, by the relation that the data was opened with.
    ledger
        The relation of the ledger, which is what is charged; None without one.
    left
        What the ledger has left; None without one.
    unused
        Names in the schema that neither a column of the table nor a value of the query has.
    groups
        How many groups of declared keys are released, before HAVING and LIMIT; None without
        GROUP BY, and where keys are private.
    """

    aggregates: tuple[str, ...]
    charges: tuple[Balance, ...]
    epsilon: Fraction
    ledger: str | None
    left: Balance | None = None
    unused: tuple[str, ...] = ()
    groups: int | None = None

    @property
    def fits(self) -> bool:
        """Whether the ledger has enough left for all charges."""
        from leastnoise.accounting.budget import lacking

        return self.left is None or not lacking(self.left, self.charges)

    def facts(self) -> list[tuple[str, str]]:
        """Titles, and what is told."""
        from leastnoise.accounting.budget import Balance, told_left

        titles = ["keys", "table"] if len(self.charges) > 1 else ["charge"]
        told = [("aggregates", ", ".join(self.aggregates))]
        if self.groups is not None:
            told.append(("groups", f"{self.groups}, one for each declared key"))
        pairs = zip(titles, self.charges, strict=True)
        told += [(title, f"{charge}; nothing was spent") for title, charge in pairs]
        charged = sum((charge.epsilon or Fraction(0) for charge in self.charges), Fraction(0))
        if self.ledger is not None and charged != self.epsilon:
            told.append(
                (
                    "why",
                    f"the query takes {Balance(epsilon=self.epsilon)}; the ledger counts by "
                    f"{self.ledger}, where this is more",
                )
            )
        if self.left is not None:
            told.append(("left", told_left(self.left, self.charges)))
        if self.unused:
            names = ", ".join(f"columns.{name}" for name in self.unused)
            told.append(
                ("unused", f"{names} of the schema: no column of the table, nor of the query")
            )
        return told

    def __repr__(self) -> str:
        return "\n".join(f"{title}: {text}" for title, text in self.facts())


def written_truth(value: Any) -> Any:
    """True and false as SQL writes them, any other value as it is."""
    return str(value).lower() if isinstance(value, bool) else value


def _plain(value: Any) -> Any:
    """A value as JSON has it: dates and durations as text."""
    if isinstance(value, date):
        return value.isoformat()
    return str(value) if isinstance(value, timedelta) else value
