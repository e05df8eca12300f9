"""One request on neighbours, the second of which is told what was drawn on the first.

Then nothing else may differ: what is asked of chance, the record, refusals, charges, the order of
groups, and all that is printed, warned or logged.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import IO, Any

import numpy as np

from leastnoise.errors import LeastNoiseError
from leastnoise.guarantees import PureDP
from leastnoise.randomness import HashedBits, simulation
from leastnoise.record import Description, Release
from leastnoise.session import door
from leastnoise.testing.locality.readings import chain
from leastnoise.testing.locality.surroundings import Watch
from support.paths import SHUT, Recorder, Tape, exchanged, recorder

Table = Mapping[str, np.ndarray]
Ask = Callable[[Any], Any]

ROWS = 8
EDGES = [(a, b) for b in range(4) for a in range(b)]
# Rows that move every answer, others without an entry or in the middle, and none at all.
_EXTREMES = [(1, 50, 40.0, -5), (0, -50, -40.0, 50), (1, 50, float("nan"), -50), (0, 1, 0.5, 4)]


def neighbours(seed: int, relation: str, rows_of_one: int = 1) -> tuple[Table, Table]:
    """Two tables that differ in one row, or in all rows of one person, which are alike."""
    dice = np.random.default_rng(seed)
    found: list[tuple[float, ...]] = []
    for i in range(len(EDGES) - 1 if relation == "edge" else ROWS):
        x = int(dice.choice((-3, 9))) + int(dice.integers(2))
        y = float("nan") if dice.random() < 0.2 else x / 2
        found.append((i, int(dice.integers(2)), x, y, int(dice.integers(-2, 5)), *EDGES[i % 6]))
    one, other = ((ROWS, *_EXTREMES[(seed + i) % 4], *EDGES[5 - i]) for i in (0, 1))
    gone = relation in ("add-remove", "edge") or (relation == "edit" and seed % 2 == 0)
    pair = [*found, one], found if gone else [*found, other]
    here, there = (_table([row for row in rows for _ in range(rows_of_one)]) for rows in pair)
    return (here, there) if seed % 3 else (there, here)


def _table(rows: Sequence[tuple[float, ...]]) -> Table:
    columns = zip(*rows, strict=True)
    return {
        name: np.array(column, np.float64 if name == "y" else np.int64)
        for name, column in zip(("id", "g", "x", "y", "z", "a", "b"), columns, strict=True)
    }


@dataclass(frozen=True)
class Seen:
    """All that a request shows, and what it asked of chance."""

    shown: Any
    said: tuple[str, ...]
    tape: Tape
    charged: str
    promised: Fraction | None

    @property
    def refused(self) -> bool:
        """Whether there was no answer."""
        return isinstance(self.shown, str)


def shown(answer: Any) -> Any:
    """All that is to be seen of an answer: records, in their order, and what is printed of them."""
    if isinstance(answer, Mapping):
        return [(str(key), shown(value)) for key, value in answer.items()]
    found = answer.to_dict() if isinstance(answer, Release | Description) else None
    return json.dumps(found), repr(answer)


@contextmanager
def replaying(file: IO[bytes]) -> Iterator[Replay]:
    """Requests are drawn and told inside of the block; what they print goes into the file."""
    charged: list[Any] = []
    pay = door.pay

    def paid(ledger: Any, charges: Iterable[Any], *given: Any, **options: Any) -> Any:
        found = list(charges)
        charged.extend(found)
        return pay(ledger, found, *given, **options)

    with recorder() as drawn, exchanged([(pay, paid)]):
        yield Replay(drawn, Watch(file), charged)


class Replay:
    """Requests on pairs of neighbours."""

    def __init__(self, recorder: Recorder, watch: Watch, charged: list[Any]) -> None:
        """Where draws, what is printed, and charges are written down."""
        self._recorder, self._watch, self._charged = recorder, watch, charged

    def seen(self, ask: Ask, table: Any, told: Sequence[Any] | None = None) -> Seen:
        """A request on one table, drawn, or told what to answer."""
        tape = Tape(told)
        self._charged.clear()

        def work() -> tuple[Any, Fraction | None]:
            source = HashedBits(b"replay") if told is None else SHUT
            with simulation(source), self._recorder.taped(tape):
                try:
                    answer = ask(table)
                except LeastNoiseError as error:
                    return chain(error), None
            promise = getattr(answer, "guarantee", None)
            pure = isinstance(promise, PureDP)
            return shown(answer), promise.epsilon if pure else None

        (found, promised), said = self._watch(work)
        return Seen(found, said, tape, repr(self._charged), promised)

    def compare(self, ask: Ask, here: Any, there: Any, *, priced: bool) -> Seen:
        """Nothing differs that no draw hides; ``priced``: and draws hide what they promise to."""
        one = self.seen(ask, here)
        other = self.seen(ask, there, one.tape.answers)
        assert one.tape.questions == other.tape.questions
        assert one.shown == other.shown
        assert one.said == other.said == ()
        assert one.charged == other.charged
        assert not (one.refused and one.charged != "[]"), f"refused after a charge: {one.shown}"
        if priced and one.promised is not None:
            lost = max(one.tape.lost(other.tape), other.tape.lost(one.tape))
            assert lost <= one.promised * (1 + 1e-6), f"{lost} for {float(one.promised)}"
        return one
