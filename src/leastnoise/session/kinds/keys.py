"""Private keys: which entries of a column occur in enough rows or for enough persons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

from leastnoise import randomness
from leastnoise.errors import ParameterTypeError
from leastnoise.frames import Table
from leastnoise.guarantees import Guarantee
from leastnoise.mechanisms import Mechanism
from leastnoise.mechanisms.key_selection import KeySelection
from leastnoise.mechanisms.weighted_keys import LARGE, is_better, rounds, weight_of
from leastnoise.params import parse_delta, parse_epsilon
from leastnoise.randomness import BitSource
from leastnoise.sampling.keep import ONE, KeepChances, NoisySum
from leastnoise.session.kinds.kind import Answer, Answering, Published
from leastnoise.session.prepare import StatisticPlan
from leastnoise.statistics.statistic import KeyStatistic
from leastnoise.summaries.keys import HolderRequest, KeySummary

Sets = Mapping[tuple[Any, ...], tuple[Fraction, Fraction]]
"""Sets of keys, with bounds on the probability that exactly each is shown."""

_SELDOM = "keys with few rows or persons are seldom shown"
# Precision of bounds on probabilities, where laws are compared.
_BITS = 256


class KeyLaw:
    """NOT PRIVATE. Each key is shown independently, with a probability by its count."""

    __slots__ = ("chances", "counts")

    def __init__(self, counts: Sequence[tuple[Any, int]], chances: KeepChances) -> None:
        self.counts, self.chances = counts, chances

    def draw(self, source: BitSource) -> list[Any]:
        """The keys that are shown, in the order of the entries."""
        return [key for key, count in self.counts if self.chances.draw(count, source)]

    def sets(self) -> Sets:
        """The probability of every set of keys."""
        chances = {key: (Fraction(self.chances.of(n), ONE),) * 2 for key, n in self.counts}
        return {
            tuple(key for key, kept in zip(chances, shown, strict=True) if kept): _chance_of(
                chances.values(), shown
            )
            for shown in product((False, True), repeat=len(chances))
        }


class WeightedKeyLaw:
    """NOT PRIVATE. In each round keys are shown independently, by the weights of their persons.

    What persons contribute to a key depends on which keys were shown before.
    """

    __slots__ = ("_request", "_rounds", "_table")

    def __init__(self, table: Table, request: HolderRequest, rounds: Sequence[NoisySum]) -> None:
        self._table, self._request, self._rounds = table, request, rounds

    def _sums(self, shown: Sequence[Any]) -> dict[Any, int]:
        """What the persons of each remaining key contribute to it, in the order of the entries."""
        found = self._table.summarise(replace(self._request, shown=tuple(shown)), 0).holders
        return {
            key: sum(n * weight_of(size) for size, n in sizes.items())
            for key, sizes in sorted(found.items())  # all text, or all numbers
        }

    def draw(self, source: BitSource) -> list[Any]:
        """The keys that are shown, in the order of the entries."""
        shown: list[Any] = []
        for one in self._rounds:
            sums = self._sums(shown)
            shown += [key for key, total in sums.items() if one.draw(total, source)]
        return sorted(shown)

    def sets(self) -> Sets:
        """The probability of every set of keys, over all outcomes of the earlier rounds."""
        found: dict[tuple[Any, ...], tuple[Fraction, Fraction]] = {(): (Fraction(1), Fraction(1))}
        known: dict[tuple[Any, ...], dict[Any, int]] = {}
        for one in self._rounds:
            later: dict[tuple[Any, ...], tuple[Fraction, Fraction]] = {}
            for before, (low, high) in found.items():
                sums = known.setdefault(before, {}) or self._sums(before)
                known[before] = sums
                ends = [one.chance(total, _BITS) for total in sums.values()]
                chances = [(Fraction(a, 1 << _BITS), Fraction(b, 1 << _BITS)) for a, b in ends]
                for shown in product((False, True), repeat=len(sums)):
                    more = [key for key, kept in zip(sums, shown, strict=True) if kept]
                    a, b = _chance_of(chances, shown)
                    keys = tuple(sorted([*before, *more]))
                    least, most = later.get(keys, (Fraction(0), Fraction(0)))
                    later[keys] = least + low * a, most + high * b
            found = later
        return found


def _chance_of(chances: Any, shown: Sequence[bool]) -> tuple[Fraction, Fraction]:
    """Bounds on the probability that exactly these of some independent keys are shown."""
    least = most = Fraction(1)
    for (low, high), kept in zip(chances, shown, strict=True):
        least *= low if kept else max(Fraction(0), 1 - high)
        most *= min(Fraction(1), high) if kept else 1 - low
    return least, most


class Keys(Answering):
    """One draw for every key that occurs; for persons with several keys in rounds, by weights."""

    __slots__ = ("_delta", "_rounds", "_share", "_whole")

    def __init__(
        self, plan: StatisticPlan, statistic: KeyStatistic, mechanism: Mechanism, epsilon: Fraction
    ) -> None:
        if not isinstance(mechanism, KeySelection):
            raise ParameterTypeError(
                f"{statistic.name} has its own mechanism, and {mechanism.name} is for numbers: "
                "omit mechanism="
            )
        # of one key: the whole over all keys that one row or person can change
        reached, delta = (
            statistic.reached(plan.profile_relation, plan.stride),
            parse_delta(mechanism.delta),
        )
        self._share, self._delta = parse_epsilon(epsilon / reached), delta / reached
        self._whole = delta
        super().__init__(plan, mechanism, epsilon)

    def _weighed(self) -> tuple[NoisySum, ...]:
        """The rounds by weights, from public numbers; none where plain counts show more keys."""
        plan = self.plan
        if plan.stride == 1 or self._share > LARGE:
            return ()
        replaced = plan.profile_relation != "add-remove"
        weighted = rounds(self.epsilon, self._whole, plan.stride, replaced=replaced)
        better = is_better(weighted[-1], plan.stride, self._share, self._delta)
        return weighted if better else ()

    def _rehearse(self) -> tuple[Guarantee, ...]:
        if not self.plan.table.tells_texts:
            raise ParameterTypeError(
                "private keys are read from texts, and this table has no text_values(); give a "
                "frame or a file, or declare the keys"
            )
        self._rounds = self._weighed()
        return (self.mechanism.guarantee(self.epsilon, self.plan.scope),)

    def _law(self, table: Table) -> KeyLaw | WeightedKeyLaw:
        request, unit = self.plan.request, self.plan.subset.unit
        weighted = self._rounds
        if weighted and unit is not None:
            return WeightedKeyLaw(table, HolderRequest(request.column, unit.column), weighted)
        summary = table.summarise(request, 0)
        if not isinstance(summary, KeySummary):
            raise TypeError("keys are shown by their counts")
        counts = sorted(summary.counts.items())  # all text, or all numbers
        return KeyLaw(counts, KeepChances(self._share, self._delta))

    def answer(self, table: Table) -> Answer:
        """Count the rows or persons of a table, and draw for every key that occurs."""
        parts = {"each key": str(self._share), "delta of each key": str(self._delta)}
        notes = [_SELDOM]
        weighted = self._rounds
        if weighted:
            last = weighted[-1]
            fewest = float(last.threshold) * self.plan.stride**0.5
            parts = {}
            notes.append(
                "a person with d keys gives each 1/sqrt(d); half of the keys of "
                f"{fewest:.4g} persons are shown who have {self.plan.stride} each, in "
                f"{len(weighted)} rounds"
            )
        return Answer(
            value=self._law(table).draw(randomness.active()),
            step="1",
            sensitivity="global",
            parts=parts,
            notes=tuple(notes),
        )

    def laws(self, tables: Sequence[Table]) -> list[Published]:
        """NOT PRIVATE. One law a table."""
        return [Published(self._law(table)) for table in tables]
