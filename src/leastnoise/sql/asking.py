"""How a query is asked: the options that the command line and the cell magic share."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from leastnoise.errors import ParameterError

if TYPE_CHECKING:
    from leastnoise.session import Session
    from leastnoise.sql.answer import Answer
    from leastnoise.sql.run import Prepared
    from leastnoise.sql.schema import Schema
    from leastnoise.sql.text import Query

_WILD = re.compile(r"[*?[]")


@dataclass(frozen=True, slots=True)
class Asking:
    """How a query is asked.

    Parameters
    ----------
    schema
        A TOML file of what is public: limits and keys of columns, persons, public tables.
    public
        A file that anybody may read, for JOIN by a column that has no entry twice; may repeat.
    epsilon
        What the whole query is charged, if the query does not say so itself.
    delta
        What releasing keys is charged, where a column to group by declares none.
    interval
        How sure an interval beside each number is, such as 0.95: columns NAME_low and NAME_high.
    weights
        An aggregate's name and its share of epsilon, such as n=3; give it for each of them.
    purpose
        Why, for the history of the ledger.
    reuse
        Give the answer of the same earlier query again, at no cost, if the ledger has one.
    dry_run
        Check everything and show what would be charged; nothing is spent and no value is read.
    """

    schema: str | None = None
    public: list[str] | None = None
    epsilon: str | None = None
    delta: str | None = None
    interval: str | None = None
    weights: list[str] | None = None
    purpose: str | None = None
    reuse: bool = False
    dry_run: bool = False

    def facts(self, query: Query, names: Mapping[str, Any] | None = None) -> Schema:
        """What is public; ``names`` are schemas that are called by a name."""
        from leastnoise.sql.from_clause import facts_of
        from leastnoise.sql.schema import load_schema

        given = (names or {}).get(self.schema or "", self.schema)
        facts = facts_of(query, load_schema(given))
        for file in self.public or ():
            facts = facts.with_public(table_name(file), file)
        return facts

    def prepared(self, session: Session, text: str, facts: Schema) -> Prepared:
        """The query, checked."""
        if session.ledger is None and (self.reuse or self.purpose is not None):
            raise ParameterError(
                "--purpose and --reuse are for a ledger: open the data with ledger= and dataset="
            )
        return session.prepare_sql(
            text,
            schema=facts,
            epsilon=self.epsilon,
            delta=self.delta,
            interval=self.interval,
            weights=_weights(self.weights),
        )

    def answer(self, prepared: Prepared) -> Answer:
        """What it releases."""
        return prepared.release(purpose=self.purpose, reuse=self.reuse)


def table_name(file: str) -> str:
    """What FROM and JOIN call a file: pay.csv.gz is pay, and so are pay-*.csv and pay/*.parquet."""
    from leastnoise.frames.readers.options import is_pattern

    if not is_pattern(file):
        return Path(file).name.partition(".")[0]
    for part in reversed(Path(file).parts):
        if name := _WILD.split(part)[0].partition(".")[0].rstrip("-_ "):
            return name
    return "data"


def _weights(given: Sequence[str] | None) -> dict[str, str] | None:
    """Numbers by the names of aggregates, written n=1."""
    found: dict[str, str] = {}
    for text in given or ():
        name, sign, number = text.rpartition("=")
        if not sign or not name.strip():
            raise ParameterError(f"--weights {text!r} names no aggregate: write it like n=3")
        if name.strip() in found:
            raise ParameterError(f"--weights names {name.strip()} twice: give it once")
        found[name.strip()] = number.strip()
    return found or None
