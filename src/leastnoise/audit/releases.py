"""The laws that a release draws from, built step by step as a release builds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import numpy as np

from leastnoise.accounting import basic
from leastnoise.audit.adapt import Adapter, Audited, Probabilities
from leastnoise.errors import ParameterError
from leastnoise.frames.subsets import split
from leastnoise.frames.summarise import summarise
from leastnoise.frames.table import Table
from leastnoise.guarantees import Guarantee
from leastnoise.mechanisms import Mechanism
from leastnoise.mechanisms.joint import JointMechanism
from leastnoise.profiles import Profile, Scores, on_grid
from leastnoise.sampling.keep import ONE, KeepChances
from leastnoise.session.prepare import Plan, choose_mechanism, plan
from leastnoise.session.promises import promised
from leastnoise.summaries.keys import KeyRequest
from leastnoise.summaries.spec import RankRequest
from leastnoise.summaries.subset import WHOLE, Subset

Dataset = tuple[Any, ...]


class ReleaseLaws:
    """NOT PRIVATE. From a data set to the law of its release, for one set of parameters.

    With groups it is the joint law of all of them.
    """

    def __init__(
        self,
        statistic: object,
        mechanism: object,
        epsilon: Fraction,
        relation: str,
        missing: object,
        build: Callable[[Dataset], object],
        adapter: Adapter,
        subset: Subset = WHOLE,
    ) -> None:
        self._statistic, self._chosen, self._epsilon = statistic, mechanism, epsilon
        self._relation, self._missing, self._build = relation, missing, build
        self._subset = subset
        self._adapter = adapter
        prepared = self._plan(())
        self.mechanism = self._mechanism(prepared)
        # an empty table is public: it tells how many answers share epsilon, and what they promise
        draws = promised(prepared, self.mechanism, epsilon)
        times = subset.times(relation)
        self.strongest: Guarantee = basic(draws * times)
        one = self.mechanism.guarantee(epsilon / len(draws), prepared.scope)
        self.guarantee: Guarantee = basic([one] * len(draws) * times)
        self._share = epsilon
        if isinstance(prepared.request, KeyRequest):
            return
        if not isinstance(self.mechanism, JointMechanism):
            self._share /= prepared.shares(len(prepared.rehearse(self.mechanism, epsilon)))

    def __call__(self, data: Dataset) -> Audited:
        """The form of the law at one data set, with what the release would show openly."""
        prepared = self._plan(data)
        mechanism = self._mechanism(prepared)
        parts: list[Audited] = []
        tables = split(prepared.table, self._subset, _NoBits())
        if isinstance(prepared.request, KeyRequest):
            return self._adapter.audited(self._keys(prepared, tables))
        for table in tables:
            here = replace(prepared, table=table)
            if isinstance(mechanism, JointMechanism):
                parts.append(self._adapter.audited(self._joint(here)))
                continue
            summary = summarise(table, here.request, here.levels(mechanism, self._share))
            parts += [self._part(mechanism, profile) for profile in here.profiles(summary)]
        return self._adapter.joined(parts)

    def _joint(self, prepared: Plan) -> Any:
        """The law of several numbers that are drawn together."""
        request = prepared.request
        if not isinstance(request, RankRequest) or not hasattr(self._statistic, "joint_law"):
            raise ParameterError(f"{self.mechanism.name} has no law that could be enumerated")
        request = replace(request, at=request.at[:1])
        summary = summarise(prepared.table, request, None)
        statistic, epsilon = cast("Any", self._statistic), self._epsilon / prepared.stride
        return statistic.joint_law(summary, prepared.profile_relation, epsilon)

    def _keys(self, prepared: Plan, tables: Sequence[Table]) -> Probabilities:
        """The joint law of the keys that are shown, each with the number of its group."""
        from leastnoise.session.keys import counts_of_keys, key_shares  # for private keys only

        chances = KeepChances(*key_shares(prepared, self.mechanism, self._epsilon))
        sets: dict[Any, Fraction] = {(): Fraction(1)}
        for group, table in enumerate(tables):
            for key, count in counts_of_keys(replace(prepared, table=table)):
                shown = Fraction(chances.of(count), ONE)
                sets = {
                    (*found, (group, key)) if more else found: mass * (shown if more else 1 - shown)
                    for found, mass in sets.items()
                    for more in (True, False)
                }
        return Probabilities(sets)

    def _part(self, mechanism: Mechanism, profile: Profile) -> Audited:
        share = self._share
        if isinstance(cast("object", profile), Scores):
            choice = cast("Scores", profile)
            return self._adapter.audited(mechanism.law(profile, share), choice.public)
        grid = on_grid(profile)
        clamp = (grid.low, grid.high) if profile.clamp else None
        scale = getattr(mechanism, "noise_scale", None)
        noise = None if scale is None else scale(profile, share)
        return self._adapter.audited(mechanism.law(profile, share), (grid.step, clamp, noise))

    def _plan(self, data: Dataset) -> Plan:
        table = self._build(data)
        return plan(self._statistic, table, self._relation, self._missing, subset=self._subset)

    def _mechanism(self, prepared: Plan) -> Mechanism:
        return choose_mechanism(self._chosen, self._statistic, prepared.profile_relation)


class _NoBits:
    """Stands for random bits where a law can be written down without."""

    def bits(self, k: int) -> int:
        return self.below(k)

    def below(self, n: int) -> int:
        raise ParameterError(
            "a person of the universe has more rows than max_rows (or lies in more groups than "
            "max_groups), so a release draws some of them; audit the data sets that are left "
            "after that: a mixture of private laws is private"
        )


def array_builder(universe: Sequence[Any]) -> Callable[[Dataset], object]:
    """Records to a column: int64 for a universe of ints, else float64 with None as missing."""
    whole = all(isinstance(x, (int, np.integer)) and not isinstance(x, bool) for x in universe)

    def build(data: Dataset) -> object:
        if whole:
            return np.array(data, dtype=np.int64)
        numbers = [np.nan if x is None else float(x) for x in data]
        return np.array(numbers, dtype=np.float64)

    return build
