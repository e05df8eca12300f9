"""A query is charged, released and arranged: the one way from its text to its answer."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import TYPE_CHECKING, Any

from leastnoise import randomness
from leastnoise.errors import BudgetExceededError, ColumnTypeError, ParameterError, SchemaError
from leastnoise.foreign import is_mapping
from leastnoise.frames import Table
from leastnoise.params import parse_delta, parse_total
from leastnoise.record import Releases
from leastnoise.session.batch import Batch
from leastnoise.session.shares import split
from leastnoise.session.views import charge_of
from leastnoise.sql.answer import Answer, Cost
from leastnoise.sql.compile import Compiled, GroupColumn, compile_query
from leastnoise.sql.from_clause import facts_of, unused_facts
from leastnoise.sql.names import as_name, section, telling_names
from leastnoise.sql.opened import check_opened
from leastnoise.sql.options import no_number, option, parse_level, read_options
from leastnoise.sql.refusals import in_sql
from leastnoise.sql.relations import RawColumn, Timed, folded
from leastnoise.sql.released import ReleasedRow
from leastnoise.sql.results import MOST_PARTS
from leastnoise.sql.schema import load_schema
from leastnoise.sql.text import Query, read_query
from leastnoise.statistics import PrivateKeys
from leastnoise.summaries.columns import Reading
from leastnoise.summaries.constants import parse_constant
from leastnoise.summaries.expressions import Calendar, Moment, walk
from leastnoise.summaries.subset import MOST_GROUPS, Subset

if TYPE_CHECKING:
    from leastnoise.accounting import Balance
    from leastnoise.session.checking import Source

_NO_DELTA = (
    ". Keys that are declared in the schema need no delta; else make a ledger that has one, "
    "leastnoise budget new.db --init NAME --epsilon 5 --delta 1e-6"
)
_NAME, _KEYS = "query", "keys of the query"
_WIDE = (Reading.INT128, Reading.UINT128)


class Prepared:
    """NOT PRIVATE. A query that fits the data's schema; nothing is charged or read.

    Where keys are private they are released first, with their share of epsilon. The table by these
    keys is checked before that, with keys of no meaning, so nothing is refused once it is charged.
    """

    def __init__(
        self,
        source: Source,
        subset: Subset,
        text: object,
        *,
        schema: object = None,
        epsilon: object = None,
        delta: object = None,
        weights: Mapping[str, object] | None = None,
        interval: object = None,
    ) -> None:
        source.check_open()
        given, table = load_schema(schema), schema_table(source)
        with telling_names(text, table.column_names() or ()):
            query = read_query(text)
            self._facts = facts_of(query, given)
            self.options = options = read_options(query)
            self._unused = unused_facts(query, self._facts, table)
            level = _maybe(query, "interval", options.interval, interval, parse_level)
            self.compiled = compiled = compile_query(query, self._facts, table, level)
        self._session = source  # which may be closed before the query is released
        self._source, self._subset = replace(source, derived=compiled.values), subset
        check_opened(query, options, self._facts, source, subset, table.column_names() or ())
        self._total = _once(query, "epsilon", options.epsilon, epsilon, parse_total)
        self._weights, self._max_groups = (
            _weights(compiled, weights),
            self._groups_of_a_person(query),
        )
        private = compiled.private
        if options.group_selection_strategy == "PUBLIC_GROUPS" and private:
            query.refuse(private[0].node, _undeclared(query, private[0], public=True))
        if delta is not None:
            parse_delta(delta, "delta")
        self._keys: Batch | None = None
        share, every = Fraction(len(private)), len(private) + len(compiled.statistics)
        if private:
            given = self._facts.delta if delta is None else delta
            if given is None and options.delta is None:
                query.refuse(private[0].node, _undeclared(query, private[0]))
            whole = _once(query, "delta", options.delta, given, parse_delta)
            self._keys = Batch(self._source, subset)
            with _of_its_type(query):
                self._keys.add(
                    _KEYS,
                    {one.column: PrivateKeys(one.column, delta=whole / share) for one in private},
                    charge=self._total * share / every,
                    where=compiled.where,
                )
        self._rest = self._total * (1 - share / every)
        with _of_its_type(query):
            stand_in = {one.column: _stand_in(query, table, one) for one in private}
            self._checked = self._table(stand_in)

    def __reduce__(self) -> str | tuple[object, ...]:
        raise TypeError("a query holds private data and cannot be copied or pickled")

    def _groups_of_a_person(self, query: Query) -> int | None:
        """In how many groups the rows of a person are used."""
        if self._subset.unit is None or not self.compiled.groups:
            return None
        given = self.options.max_groups_contributed
        found = self._facts.max_groups if given is None else given
        if found is None:
            query.refuse(
                self.compiled.groups[0].node,
                "in how many groups may the rows of one person be used? Write it from public "
                "knowledge: OPTIONS (max_groups_contributed = 2), or max_groups under [privacy]",
            )
        return found

    def _table(self, found: Mapping[str, Any]) -> Batch:
        """The table that is asked for, with the keys of columns that declare none."""
        groups = {one.column: one.keys or found[one.column] for one in self.compiled.groups}
        batch = Batch(self._source, self._subset)
        batch.add(
            _NAME,
            self.compiled.statistics,
            charge=self._rest,
            weights=self._weights,
            where=self.compiled.where,
            groups=groups or None,
            max_groups=self._max_groups,
            other=self._facts.other and bool(groups),
        )
        return batch

    def charges(self) -> list[Balance]:
        """What ``release`` will charge, one after the other."""
        first = [] if self._keys is None else [self._keys.charge()]
        return [*first, self._checked.charge()]

    def cost(self) -> Cost:
        """The same with its reasons, for a person."""
        ledger = self._source.ledger
        return Cost(
            tuple(self.compiled.statistics),
            tuple(self.charges()),
            self._total,
            None if ledger is None else ledger.scope.relation,
            None if ledger is None else ledger.remaining,
            self._unused,
            self._known_groups(),
        )

    def _known_groups(self) -> int | None:
        """How many groups are released, where all of their keys are declared."""
        groups = self.compiled.groups
        if not groups or self.compiled.private:
            return None
        return prod(len(one.keys or ()) for one in groups) + bool(self._facts.other)

    def release(self, *, purpose: str | None = None, reuse: bool = False) -> Answer:
        """Charge, read, draw, and arrange what was released.

        Raises
        ------
        BudgetExceededError
            If the ledger has less left than the whole query needs; nothing was spent then.
        """
        if self._session.closed:
            raise ParameterError("this session is closed; open the data again")
        purpose = self.options.purpose if purpose is None else purpose
        reuse = reuse or bool(self.options.reuse)
        if self._keys is None:
            return self._arranged(self._checked.release(purpose=purpose, reuse=reuse)[_NAME], None)
        self._check_funds(self._keys, reuse)
        keys = self._keys.release(purpose=purpose, reuse=reuse)[_KEYS]
        lists: dict[str, list[Any]] = {
            name: [key for key in one.value if _may_be_declared(key)] for name, one in keys.items()
        }
        if not all(lists.values()):
            by = [one.column for one in self.compiled.groups]
            nothing: Releases[Any, Any] = Releases({}, by=by, names=list(self.compiled.statistics))
            return self._arranged(nothing, keys)
        try:
            made = self._table(self._fitting(lists)).release(purpose=purpose, reuse=reuse)[_NAME]
        except BaseException as error:
            error.add_note("The keys of the groups were released and charged before this")
            raise
        return self._arranged(made, keys)

    def _fitting(self, lists: Mapping[str, list[Any]]) -> dict[str, list[Any]]:
        """Released keys, as many as make a table: where there are more the last are left out."""
        room = MOST_GROUPS
        for one in self.compiled.groups:
            room //= max(1, len(one.keys or ()))
        most = int(room ** (1 / len(lists)))
        return {name: keys[: max(1, most)] for name, keys in lists.items()}

    def _check_funds(self, keys: Batch, reuse: bool) -> None:
        """Refuse before the keys are charged what the table after them could not pay.

        With ``reuse`` keys that the ledger has cost nothing. If it has them all, then the table is
        the first to be charged, and is refused by that.
        """
        ledger = self._source.ledger
        if ledger is None or randomness.simulating():
            return
        drawn = [
            one
            for one in keys.requests(_KEYS).values()
            if not reuse or one.label is None or ledger.stored(one.label) is None
        ]
        if not drawn:
            return
        left = ledger.remaining.numbers
        needed: dict[str, Fraction] = {}
        for one in (charge_of(self._source, drawn), self._checked.charge()):
            for name, value in one.numbers.items():
                needed[name] = needed.get(name, Fraction(0)) + value
        for name, value in needed.items():
            if value > left.get(name, Fraction(0)):
                raise BudgetExceededError(
                    f"the query needs {name} {value} for its keys and its table together, and "
                    f"{ledger.path} has {left.get(name, 0)} left; nothing was spent"
                    f"{_NO_DELTA if name == 'delta' else ''}"
                )

    def _arranged(self, made: Releases[Any, Any], keys: Releases[Any, Any] | None) -> Answer:
        compiled = self.compiled
        rows = [
            ReleasedRow(
                tuple(one.shown(key) for one, key in zip(compiled.groups, row.key, strict=True)),
                tuple(row.records[name].value for name in compiled.statistics),
                tuple(row.records[name].interval for name in compiled.statistics),
            )
            for row in made.rows()
        ]
        return Answer(tuple(compiled.columns), tuple(compiled.shown(rows)), made, keys)


@contextmanager
def _of_its_type(query: Query) -> Generator[None]:
    """What a column cannot be read as is an error of the query, with its place."""
    try:
        yield
    except ColumnTypeError as error:
        raise query.error(query.tree, in_sql(str(error))) from None


def schema_table(source: Source) -> Table:
    """The table of a session, for its schema.

    Raises
    ------
    SchemaError
        If its columns have no names.
    """
    found: Any = source.opened(())
    if not isinstance(found, Table) or found.column_names() is None:
        raise SchemaError(
            "SQL needs named columns: open a file, a frame or a dict of columns, for example "
            "{'pay': pays}"
        )
    return found


def _weights(compiled: Compiled, given: object) -> object:
    """How epsilon is split; a count that only a sample needs gets a tenth of what that one gets."""
    shown = [name for name in compiled.statistics if name not in compiled.hidden]
    if is_mapping(given):
        known = {folded(name): name for name in shown}
        given = {known.get(folded(str(name)), name): one for name, one in given.items()}
        wrong = [f"no weight of {name}" for name in shown if name not in given]
        wrong += [
            f"a weight of {name}, which is none of them" for name in given if name not in shown
        ]
        if wrong:
            raise ParameterError(
                f"weights: the query has the aggregates {', '.join(shown)}, and there is "
                f"{wrong[0]}: give each of them one"
            )
        given = {name: parse_total(one, f"the weight of {name}") for name, one in given.items()}
    if not compiled.hidden:
        return given
    shares = split(Fraction(1), shown, given)
    for count, parents in compiled.hidden.items():
        tenths = {name: shares[name] / 10 for name in parents}
        shares |= {name: shares[name] - tenth for name, tenth in tenths.items()}
        shares[count] = sum(tenths.values(), Fraction(0))
    return shares


def _once(query: Query, name: str, inside: Any, beside: object, parse: Any) -> Fraction:
    """A number that stands in the query or beside it."""
    found = _maybe(query, name, inside, beside, parse)
    if found is None:
        query.refuse(None, no_number(name, f"{name}="))
    return found


def _maybe(query: Query, name: str, inside: Any, beside: object, parse: Any) -> Fraction | None:
    """A number that may stand in the query or beside it."""
    if inside is None and beside is None:
        return None
    try:
        found: Fraction = parse(beside if inside is None else inside, name)
    except ParameterError:
        if inside is None:
            raise
        query.refuse(option(query, name), f"{name} is too large or too small: write 1, or 1e-9")
    if inside is not None and beside is not None and parse(beside, name) != found:
        query.refuse(
            option(query, name),
            f"{name} is given here and beside the query, with two values: leave one of them out",
        )
    return found


def _undeclared(query: Query, one: GroupColumn, *, public: bool = False) -> str:
    if isinstance(one.cell, (Timed, Calendar)):
        value = one.cell.value if isinstance(one.cell, Timed) else one.cell
        column = next((part.column for part in walk(value) if isinstance(part, Moment)), "NAME")
        return (
            f"{query.written(one.node)} has no keys: they follow from limits of the column that "
            f"are dates, {section(column)} bounds = [2020-01-01, 2024-12-31], between "
            f"which lie at most {MOST_PARTS} of these, or give a delta, which pays for releasing "
            "those that enough rows have"
        )
    name = one.cell.name if isinstance(one.cell, RawColumn) else None
    if name is not None and isinstance(one.read, Timed):
        return (
            f"{as_name(name)} has no keys: declare them from public knowledge in the schema, "
            f"{section(name)} keys = [2024-01-31], or for days bounds = [2024-01-01, 2024-12-31], "
            f"at most {MOST_PARTS} of them, or give a delta, which pays for releasing those that "
            "enough rows have"
        )
    if name is None:
        told, where = query.written(one.node), "under a name of its own, AS band, [columns.band]"
    else:
        told, where = as_name(name), f"{section(name)} keys = [...]"
    other = (
        "leave group_selection_strategy = PUBLIC_GROUPS out: then delta pays for "
        if public
        else "give a delta, which pays for "
    )
    return (
        f"{told} has no keys: declare them from public knowledge in the schema, {where}, or "
        f"{other}releasing those that enough rows have"
    )


def _may_be_declared(key: Any) -> bool:
    """Whether a released key can be grouped by: numbers beyond 2^1023 are the keys of no table."""
    try:
        parse_constant(key, "key")
    except ParameterError:
        return False
    return True


def _stand_in(query: Query, table: Table, one: GroupColumn) -> list[Any]:
    """A key of no meaning, of the kind that private ones will have."""
    if one.kind(table) == "text":
        return ["a key", "another key"]
    if not one.computed and table.column_type(one.column).reading in _WIDE:
        query.refuse(
            one.node,
            f"column {one.column!r} has integers of 128 bits, whose keys must be declared",
        )
    return [0, 1]
