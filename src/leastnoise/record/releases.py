"""The releases of one call: by name, or by the key of a group."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import islice
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar, cast

from leastnoise.errors import ParameterError
from leastnoise.guarantees import Guarantee
from leastnoise.record import flat
from leastnoise.record.hints import HintedTable
from leastnoise.record.release import Label, Release, strict_json
from leastnoise.record.stored import parse_json, parse_table

Key = tuple[Label | None, ...]
K = TypeVar("K")
E = TypeVar("E")

# The column name of a single statistic that the caller gave no name.
ONLY = "value"

_SHOWN = 10  # names or keys that an error lists


def _key(key: Any) -> Key:
    """A key as records hold it: a single entry for one column, and times by their text."""
    parts = cast("Key", key) if isinstance(key, tuple) else (key,)
    return tuple(str(x) if isinstance(x, (date, timedelta)) else x for x in parts)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: the key of a group, () without groups, and its releases by name."""

    key: Key
    records: Mapping[str, Release]


class Groups(Mapping[Key, Any]):
    """Records by the key of a group, made when they are accessed: by name, or alone."""

    __slots__ = ("_made", "_places", "_records", "_single")

    def __init__(
        self, keys: Sequence[Key], records: Mapping[str, Sequence[Release]], *, single: bool
    ) -> None:
        self._places = dict(zip(keys, range(len(keys)), strict=True))
        self._records, self._single = records, single
        self._made: dict[Key, Releases[str, Release]] = {}

    def __getitem__(self, key: Key) -> Any:
        place = self._places[key]
        if self._single:
            (records,) = self._records.values()
            return records[place]
        if key not in self._made:
            several = {name: records[place] for name, records in self._records.items()}
            self._made[key] = Releases(several)
        return self._made[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)

    def __repr__(self) -> str:
        return repr(dict(self))


class Releases(HintedTable, Mapping[K, E]):
    """The releases of one call, a table with one row a group and one column a statistic.

    Without groups it maps the names that the caller gave to records, in that order:
    ``r["median"].value``. With groups it maps keys, tuples in the order of the columns that were
    grouped by, to the same by name, or to the record itself where one statistic was asked for
    without a name: ``r["N", "f"]["median"].value``, ``r["N", "f"].value``. With one column to group
    by ``r["N"]`` is short for ``r[("N",)]``; that of a date may be
    asked for by its text or the date. Every declared key is there, in the declared order,
    with the first column slowest; the group of no declared key, if it was asked for, comes last and
    has None in every column: ``r[None]``.

    Parameters
    ----------
    entries : mapping
        Records by name; or by key, each a record or a mapping of names to records.

    Attributes
    ----------
    by : tuple of str
        The columns that were grouped by; () without groups.
    names : tuple of str
        The statistics; ("value",) where the only one has no name.
    guarantee : Guarantee or None
        The guarantee of the whole table, which is what it was charged. The ``guarantee`` of a
        record is that of its own answer.

    Examples
    --------
    >>> import leastnoise as ln
    >>> pay = {"region": ["N", "N", "S"], "pay": [20, 30, 40]}
    >>> with ln.open(pay) as data:
    ...     r = data.group_by({"region": ["N", "S"]}).release({"rows": ln.Count()}, epsilon=1)
    >>> r.by, r.names, list(r)
    (('region',), ('rows',), [('N',), ('S',)])
    >>> str(r.guarantee)
    'PureDP(epsilon=2; replace-one, one row)'
    >>> [(*row.key, *row.records) for row in r.rows()]
    [('N', 'rows'), ('S', 'rows')]
    """

    __slots__ = ("_entries", "by", "guarantee", "names")

    def __init__(
        self,
        entries: Mapping[K, E],
        *,
        by: Sequence[str] = (),
        names: Sequence[str] | None = None,
        guarantee: Guarantee | None = None,
    ) -> None:
        lazy = isinstance(entries, Groups)
        self._entries: Mapping[Any, Any] = entries if lazy else dict(entries)
        self.by = tuple(by)
        self.names = tuple(cast("Any", entries) if names is None else names)
        self.guarantee = guarantee

    def __getitem__(self, key: Any) -> E:
        try:
            return self._entries[_key(key) if self.by else key]
        except KeyError:
            raise KeyError(self._known(key)) from None

    def _known(self, key: object) -> str:
        """The error for an unknown key: it lists those that exist."""
        first: list[Any] = list(islice(self, _SHOWN))
        shown = [repr(one[0] if len(self.by) == 1 else one) for one in first]
        which = f"the groups of {', '.join(self.by)}" if self.by else "the names"
        more = ", ..." if len(self) > _SHOWN else ""
        return f"there is no answer for {key!r}: {which} are {', '.join(shown)}{more}"

    def __iter__(self) -> Iterator[K]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def __repr__(self) -> str:
        return f"Releases({self._entries!r})"

    def rows(self) -> Iterator[Row]:
        """The table row by row, the same way with groups and without."""
        if not self.by:
            yield Row((), self._entries)
            return
        for key, entry in self._entries.items():
            several = {ONLY: entry} if isinstance(entry, Release) else entry
            yield Row(key, several)

    def to_dict(self) -> dict[str, Any]:
        """Plain values: every record by name; with groups a list of rows."""
        rows = [(row.key, {n: r.to_dict() for n, r in row.records.items()}) for row in self.rows()]
        if not self.by:
            return rows[0][1]
        return {
            "by": list(self.by),
            "names": list(self.names),
            "single": any(isinstance(entry, Release) for entry in self._entries.values()),
            "guarantee": None if self.guarantee is None else self.guarantee.to_dict(),
            "rows": [{"key": list(key), "releases": records} for key, records in rows],
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """Strict JSON of every record; ``from_json`` reads it back."""
        return strict_json(self.to_dict(), indent)

    def to_pandas(self, *, layout: str = "wide") -> Any:
        """A pandas data frame of the values; see ``to_csv`` for the layouts."""
        return flat.frame(self, "pandas", layout)

    def to_polars(self, *, layout: str = "wide") -> Any:
        """A Polars data frame of the values; see ``to_csv`` for the layouts."""
        return flat.frame(self, "polars", layout)

    def to_csv(self, path: str | PathLike[str] | None = None, *, layout: str = "wide") -> str:
        """The values as comma-separated text, written to ``path`` if one is given.

        Parameters
        ----------
        path
            A file, which is overwritten. Labels that a spreadsheet would take for formulas (text
            that begins with =, +, - or @ and is no number) get an apostrophe in front.
        layout : "wide" or "long"
            "wide": one row a group, one column a number; the columns of a statistic of several
            numbers are called by its name and the label of each. "long": one row a number, with
            the columns "statistic", "cell" (the label) and "value".

        Examples
        --------
        >>> import leastnoise as ln
        >>> made = ln.release({"rows": ln.Count()}, [1.0, 2.0], epsilon=1)
        >>> made.to_csv().splitlines()[0]
        'rows'
        """
        text = flat.csv_text(self, layout)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8", newline="")
        return text

    def to_markdown(self, *, layout: str = "wide") -> str:
        """The values as a table in Markdown, rounded for reading, with what they promise below."""
        return flat.markdown(self, layout)

    def _repr_html_(self) -> str:
        """The table in a notebook."""
        return flat.html(self)

    @staticmethod
    def from_json(text: str) -> Releases[Any, Any]:
        """The releases that ``to_json`` wrote.

        Raises
        ------
        ParameterError
            If the text is anything else.
        """
        try:
            return Releases._read(parse_json(text))
        except (ValueError, KeyError, TypeError, AttributeError, ArithmeticError, RecursionError):
            raise ParameterError(
                "these are not releases of this version; give the text that releases.to_json() "
                "wrote"
            ) from None

    @staticmethod
    def _read(data: Any) -> Releases[Any, Any]:
        if not isinstance(data.get("by"), list):  # a name would stand for a record, a mapping
            return Releases({name: Release.from_dict(r) for name, r in data.items()})
        table = parse_table(data)
        entries: dict[Key, Any] = {}
        for key, stored in table.rows.items():
            records = {name: Release.from_dict(stored[name]) for name in table.names}
            entries[key] = records[ONLY] if table.single else Releases(records)
        return Releases(
            entries,
            by=table.by,
            names=table.names,
            guarantee=table.guarantee,
        )
