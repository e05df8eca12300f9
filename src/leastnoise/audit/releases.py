"""The laws that a release draws from, built step by step as a release builds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from leastnoise.accounting import basic
from leastnoise.audit.adapt import Adapter, Audited, Probabilities
from leastnoise.audit.inputs import Dataset, Inputs
from leastnoise.guarantees import Guarantee
from leastnoise.mechanisms import Mechanism
from leastnoise.session.checking import kind_of
from leastnoise.session.kinds.keys import KeyLaw, WeightedKeyLaw
from leastnoise.session.kinds.kind import Kind
from leastnoise.session.prepare import StatisticPlan, choose_mechanism


class ReleaseLaws:
    """NOT PRIVATE. From a data set to the law of its release, for one set of parameters.

    With groups it is the joint law of all of them.
    """

    def __init__(
        self, inputs: Inputs, mechanism: object, epsilon: Fraction, adapter: Adapter
    ) -> None:
        self._inputs, self._chosen, self._epsilon = inputs, mechanism, epsilon
        self._adapter = adapter
        prepared = inputs.plan(())
        # an empty table is public: it tells how many answers share epsilon, and what they promise
        self._kind = kind_of(prepared, self._mechanism(prepared), epsilon)
        self.mechanism, draws = self._kind.mechanism, self._kind.promised
        times = inputs.subset.times(prepared.relation)
        self.strongest: Guarantee = basic(draws * times)
        one = self.mechanism.guarantee(epsilon / len(draws), prepared.scope)
        self.guarantee: Guarantee = basic([one] * len(draws) * times)

    @property
    def subject(self) -> str:
        """What is audited, in short."""
        statistic = self._kind.plan.statistic.name
        return f"{statistic}, {self.mechanism.name}, epsilon={self._epsilon}"

    def __call__(self, data: Dataset) -> Audited:
        """The form of the law at one data set, with what the release would show openly."""
        prepared = self._inputs.plan(data)
        laws = self._of(prepared).laws([group.table for group in self._inputs.groups(data)])
        if any(isinstance(one.law, KeyLaw | WeightedKeyLaw) for one in laws):
            return self._adapter.audited(_shown([one.law for one in laws]))
        return self._adapter.joined([self._adapter.audited(one.law, one.public) for one in laws])

    def _of(self, prepared: StatisticPlan) -> Kind:
        """The kind at one data set, whose plan is that of an empty table unless something leaks."""
        known = self._kind.plan
        if (prepared.request, prepared.profile_relation) == (known.request, known.profile_relation):
            return self._kind.on(prepared)
        return kind_of(prepared, self._mechanism(prepared), self._epsilon)

    def _mechanism(self, prepared: StatisticPlan) -> Mechanism:
        relation, persons = prepared.profile_relation, prepared.stride > 1
        return choose_mechanism(self._chosen, prepared.statistic, relation, persons=persons)


def _shown(laws: Sequence[KeyLaw | WeightedKeyLaw]) -> Probabilities:
    """The joint law of the keys that are shown, group by group."""
    sets: dict[Any, tuple[Fraction, Fraction]] = {(): (Fraction(1), Fraction(1))}
    for law in laws:
        one = law.sets()
        sets = {
            (*found, keys): (low * a, high * b)
            for found, (low, high) in sets.items()
            for keys, (a, b) in one.items()
        }
    return Probabilities(sets)


def array_builder(universe: Sequence[Any]) -> Callable[[Dataset], object]:
    """Records to a column: int64 for a universe of ints, else float64 with None as missing."""
    whole = all(isinstance(x, (int, np.integer)) and not isinstance(x, bool) for x in universe)

    def build(data: Dataset) -> object:
        if whole:
            return np.array(data, dtype=np.int64)
        numbers = [np.nan if x is None else float(x) for x in data]
        return np.array(numbers, dtype=np.float64)

    return build
