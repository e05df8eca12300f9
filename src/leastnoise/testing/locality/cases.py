"""Random cases of a front end: rows, a change, a form in which they are handed over, readings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from importlib.util import find_spec
from random import Random
from typing import TYPE_CHECKING, Any

from leastnoise.frames import open_table
from leastnoise.summaries.columns import Clock
from leastnoise.summaries.subset import parse_subset
from leastnoise.testing.locality import requests
from leastnoise.testing.locality.changes import Build, Case, Row, Rows
from leastnoise.testing.locality.readings import Given, Read, columns, planned
from leastnoise.testing.locality.releases import features, fitted, released, scored
from leastnoise.testing.locality.surroundings import SETTINGS, Setting

if TYPE_CHECKING:
    from leastnoise.testing.locality.front_ends import ColumnKind, FrontEnd

_SIZES = (1, 2, 2, 3, 3, 4, 5, 6, 8, 13)
# Columns of the widest form.
WIDEST = 3
# The share of columns of any kind, the refused ones too.
_REFUSED = 0.1
# The share of releases of named columns that are of a table opened before.
_OPENED = 0.8
# How many changes of the same rows are tried, and the share of those that leave a row out.
_CHANGES, _LEFT_OUT = 3, 0.15
Name = str | None


@dataclass(frozen=True, slots=True)
class _Form:
    """How columns are handed over: how many, in which form, and which questions are put."""

    widths: Sequence[int]
    hand: Callable[[list[Any]], object]
    reads: Callable[[Random, tuple[ColumnKind, ...], str], Iterator[Read | None]]
    alike: bool = False
    reference: Callable[[list[Any]], object] | None = None


class Drawer:
    """Draws the cases of one front end, each with at most this many readings."""

    def __init__(self, front: FrontEnd, readings: int | None = None) -> None:
        self.front, self.readings = front, readings
        self._held: dict[str, tuple[bool, bool]] = {}
        self._clocks: dict[str, Clock | None] = {}
        forms: list[_Form] = []
        if front.table is not None:
            table, reference = front.table, front.reference
            forms += 4 * [
                _Form(
                    (1, 2, 2, 3),
                    lambda made: table(dict(zip(front.names, made, strict=False))),
                    self._of_tables,
                    reference=None
                    if reference is None
                    else lambda made: reference(dict(zip(front.names, made, strict=False))),
                )
            ]
        if front.bare:
            forms += 2 * [_Form((1,), lambda made: made[0], self._of_columns)]
            forms += [_Form((2,), tuple, self._of_pairs)]
            if front.table is not None:
                one = front.table
                forms += [
                    _Form((2,), lambda made: (one({"a": made[0]}), made[1]), self._of_pairs),
                    _Form((2,), lambda made: (made[0], one({"b": made[1]})), self._of_pairs),
                ]
                if find_spec("sklearn") is not None:
                    names = front.names
                    forms += [
                        _Form(
                            (2, 3),
                            lambda made: (one(dict(zip(names, made[1:], strict=False))), made[0]),
                            self._of_fits,
                        ),
                        _Form(
                            (2,),
                            lambda made: (one({"a": made[1]}), one({"b": made[0]})),
                            self._of_fits,
                        ),
                    ]
        if front.matrix is not None and front.bare and find_spec("sklearn") is not None:
            rows = front.matrix
            forms += [_Form((2, 3), lambda made: (rows(made[1:]), made[0]), self._of_fits)]
        if front.matrix is not None:
            forms += 2 * [_Form((1, 2, 2, 3), front.matrix, self._of_matrices, alike=True)]
        self._forms = forms

    def draw(self, random: Random) -> list[Case]:
        """Some changes of the same rows, which are read once for all of them."""
        form = random.choice(self._forms)
        width = random.choice(form.widths)
        kinds = tuple(self._kind(random) for _ in range(width))
        if form.alike:
            kinds = kinds[:1] * width
        rows = _rows(random, kinds)
        added = random.random() > _LEFT_OUT
        relation = random.choice(("replace-one", "edit")) if added else "add-remove"
        reads = [r for r in form.reads(random, kinds, relation) if r is not None]
        if self.readings is not None and self.readings < len(reads):
            reads = random.sample(reads, self.readings)
        build = self._build(form.hand)
        reference = None
        if form.reference is not None:
            reference = self._build(form.reference, memory=True)
        cases: list[Case] = []
        for _ in range(_CHANGES):
            at = random.randrange(len(rows))
            row = _changed(random, kinds, rows[at]) if added else None
            settings = self._settings(random)
            cases.append(Case(kinds, rows, at, row, build, tuple(reads), settings, reference))
        return cases

    def _settings(self, random: Random) -> dict[str, Setting]:
        """What x' is read under: nothing, or a setting or two."""
        if random.random() < 0.5:
            return {}
        known = {**SETTINGS, **self.front.settings}
        return {k: known[k] for k in random.sample([*known], random.choice((1, 1, 2)))}

    def _kind(self, random: Random) -> ColumnKind:
        """A kind of column, seldom one that is refused."""
        kinds = self.front.kinds
        if random.random() > _REFUSED:
            kinds = [kind for kind in kinds if self._is_read(kind)] or kinds
        return random.choice(kinds)

    def _build(self, hand: Callable[[list[Any]], object], *, memory: bool = False) -> Build:
        front = self.front

        def build(kinds: Sequence[ColumnKind], rows: Rows) -> Given:
            made = [kind.column([row[j] for row in rows]) for j, kind in enumerate(kinds)]
            if memory:
                return Given(hand(made), {}, ordered=False)
            return Given(hand(made), front.options, ordered=front.ordered)

        return build

    def _holds(self, kind: ColumnKind) -> tuple[bool, bool]:
        """Whether a kind holds numbers, and whether it holds texts, by its type alone."""
        if kind.name not in self._held:
            self._held[kind.name] = self._asked(kind)
        return self._held[kind.name]

    def _is_read(self, kind: ColumnKind) -> bool:
        """Whether a kind is read as numbers, texts or times."""
        return any(self._holds(kind)) or self._clocks.get(kind.name) is not None

    def _clock(self, random: Random, kind: ColumnKind) -> Clock | None:
        """By which clock a kind is read: that of its type, or any where entries have none."""
        if all(self._holds(kind)):
            return random.choice((*Clock, None))
        return self._clocks.get(kind.name)

    def _asked(self, kind: ColumnKind) -> tuple[bool, bool]:
        front = self.front
        try:
            column = kind.column([])
            bare = front.table is None
            native = column if front.table is None else front.table({front.names[0]: column})
            table = open_table(native, **front.options)
        except Exception:  # refused as a whole, or a library without empty columns
            return False, False
        name = None if bare else front.names[0]
        with suppress(Exception):  # refused as a whole, as below
            self._clocks[kind.name] = table.own_clock(name)
        found: list[bool] = []
        for ask in (table.column_type, table.text_type):
            try:
                ask(name)
                found.append(True)
            except Exception:  # refused; an error that is none of ours is found by reading
                found.append(False)
        return found[0], found[1]

    def _apart(
        self, kinds: Sequence[ColumnKind], names: Sequence[Name]
    ) -> tuple[list[Name], list[Name]]:
        """The names of the columns that hold numbers, and of those that hold texts."""
        held = [self._holds(kind) for kind in kinds]
        numbers = [name for name, (number, _) in zip(names, held, strict=True) if number]
        return numbers, [name for name, (_, text) in zip(names, held, strict=True) if text]

    # --- the questions for each form -----------------------------------------------------------

    def _of_tables(
        self, random: Random, kinds: tuple[ColumnKind, ...], relation: str
    ) -> Iterator[Read | None]:
        names: list[Any] = list(self.front.names[: len(kinds)])
        numbers, texts = self._apart(kinds, names)
        yield columns(names, random.sample(requests.TEXTS, 2), random.choice(requests.NUMBERS))
        for _ in range(2):
            statistic = _one(random, numbers, texts)
            if statistic is not None:
                depth = random.choice((None, None, 4))
                yield planned(statistic, relation, depth=depth)
                rows = requests.subset(random, texts, numbers)
                yield planned(statistic, relation, subset=rows)
        name, kind = random.choice(list(zip(names, kinds, strict=True)))
        clock = self._clock(random, kind)
        if clock is not None:
            times, where = requests.of_times(random, name, clock), None
            if random.random() < 0.5:
                where = requests.since(random, name, clock)
            yield _planned(times, relation, where=where)
            yield _released(random, times, relation, where=where)
        if len(names) > 1:
            a, b = random.sample(names, 2)
            yield _planned(
                requests.of_pairs(random, (a, b), (a not in numbers, b not in numbers)), relation
            )
            yield _planned(requests.of_edges(random, (a, b), text=a not in numbers), "edge")
        if len(numbers) > 1:
            several = requests.of_vectors(random, numbers, len(numbers))
            yield _planned(several, relation, missing="drop")
        where = requests.condition(random, texts, numbers) if texts or numbers else None
        for condition in (None, where):
            statistic, opened = _one(random, numbers, texts), random.random() < _OPENED
            yield _released(random, statistic, relation, where=condition, opened=opened)

    def _of_columns(
        self, random: Random, kinds: tuple[ColumnKind, ...], relation: str
    ) -> Iterator[Read | None]:
        numbers, texts = self._apart(kinds, [None])
        yield columns([None], random.sample(requests.TEXTS, 2), random.choice(requests.NUMBERS))
        clock = self._clock(random, kinds[0])
        if clock is not None:
            yield _planned(requests.of_times(random, None, clock), relation)
        for _ in range(2):
            yield _planned(_one(random, numbers, texts), relation)
            yield _released(random, _one(random, numbers, texts), relation)

    def _of_pairs(
        self, random: Random, kinds: tuple[ColumnKind, ...], relation: str
    ) -> Iterator[Read | None]:
        texts = not self._holds(kinds[0])[0], not self._holds(kinds[1])[0]
        for _ in range(2):
            statistic = requests.of_pairs(random, (None, None), texts)
            yield _planned(statistic, relation)
        yield _released(random, requests.of_pairs(random, (None, None), texts), relation)

    def _of_fits(
        self, random: Random, kinds: tuple[ColumnKind, ...], relation: str
    ) -> Iterator[Read | None]:
        numbers, text = self._holds(kinds[0])
        width = len(kinds) - 1
        if numbers:
            missing = random.choice(("none", "drop"))
            yield features(None, width, relation, missing=missing)
            yield fitted(width, relation, missing=missing)
        if text and not numbers:
            labels: tuple[Any, ...] = tuple(random.sample(requests.TEXTS, 2))
        else:
            labels = random.choice(requests.NUMBERS)
        yield features(labels, width, relation, missing="none")
        if numbers:
            yield scored(
                random.choice(("neg_mean_squared_error", "neg_mean_absolute_error")), relation
            )

    def _of_matrices(
        self, random: Random, kinds: tuple[ColumnKind, ...], relation: str
    ) -> Iterator[Read | None]:
        statistic = requests.of_vectors(random, None, len(kinds))
        yield _planned(statistic, relation, missing=random.choice(("none", "drop")))
        if statistic is not None:
            yield released(statistic, relation)
        if len(kinds) == 2:
            text = not self._holds(kinds[0])[0] or random.random() < 0.3
            yield _planned(requests.of_edges(random, (None, None), text=text), "edge")


def _rows(random: Random, kinds: Sequence[ColumnKind]) -> Rows:
    """A few rows, whose entries often repeat."""
    pools = [[kind.draw(random) for _ in range(random.randint(1, 4))] for kind in kinds]
    return tuple(
        tuple(
            random.choice(pool) if random.random() < 0.7 else kind.draw(random)
            for kind, pool in zip(kinds, pools, strict=True)
        )
        for _ in range(random.choice(_SIZES))
    )


def _changed(random: Random, kinds: Sequence[ColumnKind], row: Row) -> Row:
    """The row with one entry or all of them drawn anew."""
    j = random.randrange(len(kinds)) if random.random() < 0.6 else None
    return tuple(kind.draw(random) if j in (None, i) else row[i] for i, kind in enumerate(kinds))


def _planned(
    statistic: object | None, relation: str, *, missing: object = None, where: object = None
) -> Read | None:
    if statistic is None:
        return None
    return planned(statistic, relation, missing=missing, subset=parse_subset(where))


def _released(
    random: Random,
    statistic: object | None,
    relation: str,
    *,
    where: object = None,
    opened: bool = False,
) -> Read | None:
    if statistic is None:
        return None
    mechanism = random.choice(requests.MECHANISMS)()
    return released(statistic, relation, mechanism=mechanism, where=where, opened=opened)


def _one(random: Random, numbers: Sequence[Name], texts: Sequence[Name]) -> object | None:
    """A statistic of one of the columns."""
    if not (numbers or texts):
        return None
    name = random.choice([*numbers, *texts, *numbers])
    if name in texts and (name not in numbers or random.random() < 0.4):
        return requests.of_texts(random, name)
    return requests.of_numbers(random, name)
