"""What a table holds, told privately: one record of many releases that share one epsilon."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from leastnoise.errors import ParameterError
from leastnoise.guarantees import Guarantee
from leastnoise.guarantees import from_dict as guarantee_from_dict
from leastnoise.record.release import NOT_TRACKED, Release, strict_json
from leastnoise.record.stored import parse_json


@dataclass(frozen=True, slots=True)
class ColumnDescription:
    """One column of a description: a fact by its name; iterating gives the names.

    Attributes
    ----------
    name : str
        What it is called; its place where the first line of a text file may be data.
    kind : str
        What its declared type lets be asked: "numbers", "times", "truths", "labels", "others", or
        "either" where entries say themselves what they are.
    facts : mapping of str to Release
        "missing" and "distinct" are counts, "reads as" several: how many entries are written in
        which form, named by its ``axes``; of numbers and times "quartiles" and "limits", of numbers
        "mean"; of labels "keys", those that were found, and "labels", their counts.
    """

    name: str
    kind: str
    facts: Mapping[str, Release]

    def __getitem__(self, fact: str) -> Release:
        return self.facts[fact]

    def __contains__(self, fact: object) -> bool:
        return fact in self.facts

    def __iter__(self) -> Iterator[str]:
        return iter(self.facts)

    @property
    def labels(self) -> dict[Any, int]:
        """Labels with their noisy counts, the most frequent first."""
        record = self.facts.get("labels")
        if record is None or not isinstance(record.value, list):
            return {}
        counts: list[Any] = record.value
        pairs = zip(record.axes[0], counts, strict=True)
        return dict(sorted(pairs, key=lambda pair: (-pair[1], str(pair[0]))))


@dataclass(frozen=True, slots=True)
class Description:
    """What ``describe`` gives: facts of a table and of its columns, for one epsilon.

    ``description["pay"]["quartiles"].value`` is a fact, ``"pay" in description`` tells whether a
    column was described, and iterating gives the columns.

    Attributes
    ----------
    guarantee : Guarantee
        What all facts together promise.
    table : mapping of str to Release
        "rows"; where persons are protected also "persons", "rows a person" (their quartiles) and
        "rows used", how many of one are used at most.
    columns : tuple of ColumnDescription
        In the order of the table.
    left_out : tuple of str
        Columns that cannot be described, because of their declared type or their name.
    max_rows : int or None
        Where persons are protected: how many rows of one were used at most, a released number.
    tracked, ledger
        The ledger that was charged, if there is one, and the mark of that charge.
    secure : bool
        False in simulations only.
    """

    guarantee: Guarantee
    table: Mapping[str, Release]
    columns: tuple[ColumnDescription, ...]
    left_out: tuple[str, ...] = ()
    max_rows: int | None = None
    secure: bool = True
    tracked: str = NOT_TRACKED
    ledger: Mapping[str, Any] | None = field(default=None, repr=False)

    def __getitem__(self, name: str) -> ColumnDescription:
        for column in self.columns:
            if column.name == name:
                return column
        raise KeyError(name)

    def __contains__(self, name: object) -> bool:
        return any(column.name == name for column in self.columns)

    def __iter__(self) -> Iterator[ColumnDescription]:
        return iter(self.columns)

    @property
    def records(self) -> list[Release]:
        """Every release of it."""
        found = list(self.table.values())
        for column in self.columns:
            found += column.facts.values()
        return found

    def with_charge(
        self, tracked: str, *, ledger: Mapping[str, Any] | None = None, from_cache: bool = False
    ) -> Description:
        """The same with what is known of its charge, in every record too."""
        kept = dict(self.ledger or {}) | {"from_cache": True} if from_cache else ledger

        def marked(facts: Mapping[str, Release]) -> dict[str, Release]:
            return {
                name: replace(record, tracked=tracked, ledger=None if kept is None else dict(kept))
                for name, record in facts.items()
            }

        return replace(
            self,
            tracked=tracked,
            ledger=kept,
            table=marked(self.table),
            columns=tuple(replace(one, facts=marked(one.facts)) for one in self.columns),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "guarantee": self.guarantee.to_dict(),
            "table": _plain(self.table),
            "columns": [
                {
                    "name": one.name,
                    "kind": one.kind,
                    "facts": _plain(one.facts),
                }
                for one in self.columns
            ],
            "left_out": list(self.left_out),
            "max_rows": self.max_rows,
            "secure": self.secure,
            "tracked": self.tracked,
            "ledger": None if self.ledger is None else dict(self.ledger),
        }

    def to_json(self, *, indent: int | None = None) -> str:
        """Strict JSON; ``from_json`` reads it back."""
        return strict_json(self.to_dict(), indent)

    def to_text(self) -> str:
        """The description for a terminal."""
        from leastnoise.record.description_page import text  # only where it is read

        return text(self)

    def to_markdown(self) -> str:
        """The description as Markdown."""
        from leastnoise.record.description_page import markdown  # only where it is read

        return markdown(self)

    def to_html(self) -> str:
        """The description as a page that needs nothing else, with small pictures."""
        from leastnoise.record.description_page import html  # only where it is read

        return html(self)

    def __str__(self) -> str:
        return self.to_text()

    @staticmethod
    def from_json(text: str) -> Description:
        """The description that ``to_json`` wrote.

        Raises
        ------
        ParameterError
            If the text is anything else.
        """
        try:
            return Description.from_dict(parse_json(text))
        except (ValueError, KeyError, TypeError, AttributeError):
            raise ParameterError(
                "this is not a description of this version; give what description.to_json() wrote"
            ) from None

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Description:
        """The description that ``to_dict`` told."""

        def facts(stored: Sequence[Mapping[str, Any]]) -> dict[str, Release]:
            return {one["fact"]: Release.from_dict(one["release"]) for one in stored}

        return Description(
            guarantee=guarantee_from_dict(data["guarantee"]),
            table=facts(data["table"]),
            columns=tuple(
                ColumnDescription(one["name"], one["kind"], facts(one["facts"]))
                for one in data["columns"]
            ),
            left_out=tuple(data["left_out"]),
            max_rows=data["max_rows"],
            secure=data["secure"],
            tracked=data["tracked"],
            ledger=data["ledger"],
        )


def _plain(facts: Mapping[str, Release]) -> list[dict[str, Any]]:
    """Facts in their order, which a mapping in a ledger does not keep."""
    return [{"fact": name, "release": record.to_dict()} for name, record in facts.items()]
