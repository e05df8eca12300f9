"""The laws that a release draws from, built step by step as a release builds them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, cast

import numpy as np

from leastnoise.accounting import basic
from leastnoise.audit.adapt import Adapter, Audited, Probabilities
from leastnoise.audit.inputs import Dataset, Inputs
from leastnoise.errors import ParameterError
from leastnoise.frames.summarise import summarise
from leastnoise.guarantees import Guarantee
from leastnoise.mechanisms import Mechanism
from leastnoise.mechanisms.joint import JointMechanism
from leastnoise.profiles import Profile, Scores, on_grid
from leastnoise.sampling.keep import ONE, KeepChances
from leastnoise.session.prepare import Plan, choose_mechanism
from leastnoise.session.promises import promised
from leastnoise.summaries.keys import KeyRequest
from leastnoise.summaries.spec import RankRequest


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
        self.mechanism = self._mechanism(prepared)
        # an empty table is public: it tells how many answers share epsilon, and what they promise
        draws = promised(prepared, self.mechanism, epsilon)
        times = inputs.subset.times(prepared.relation)
        self.strongest: Guarantee = basic(draws * times)
        one = self.mechanism.guarantee(epsilon / len(draws), prepared.scope)
        self.guarantee: Guarantee = basic([one] * len(draws) * times)
        self._share = epsilon
        if isinstance(prepared.request, KeyRequest):
            return
        if not isinstance(self.mechanism, JointMechanism):
            self._share /= prepared.shares(len(prepared.rehearse(self.mechanism, epsilon)))

    @property
    def subject(self) -> str:
        """What is audited, in short."""
        statistic = type(self._inputs.statistic).__name__
        return f"{statistic}, {self.mechanism.name}, epsilon={self._epsilon}"

    def __call__(self, data: Dataset) -> Audited:
        """The form of the law at one data set, with what the release would show openly."""
        prepared = self._inputs.plan(data)
        mechanism = self._mechanism(prepared)
        groups = self._inputs.groups(data)
        if isinstance(prepared.request, KeyRequest):
            return self._adapter.audited(self._keys(prepared, groups))
        if isinstance(mechanism, JointMechanism):
            laws = [self._joint(group) for group in groups]
            return self._adapter.joined([self._adapter.audited(law) for law in laws])
        levels = prepared.levels(mechanism, self._share)
        summaries = self._inputs.summaries(data, levels)
        profiles = [
            p for group, s in zip(groups, summaries, strict=True) for p in group.profiles(s)
        ]
        return self._adapter.joined([self._part(mechanism, profile) for profile in profiles])

    def _joint(self, prepared: Plan) -> Any:
        """The law of several numbers that are drawn together."""
        request, statistic = prepared.request, cast("Any", self._inputs.statistic)
        if not isinstance(request, RankRequest) or not hasattr(statistic, "joint_law"):
            raise ParameterError(f"{self.mechanism.name} has no law that could be enumerated")
        request = replace(request, at=request.at[:1])
        summary = summarise(prepared.table, request, None)
        epsilon = self._epsilon / prepared.stride
        return statistic.joint_law(summary, prepared.profile_relation, epsilon)

    def _keys(self, prepared: Plan, groups: Sequence[Plan]) -> Probabilities:
        """The joint law of the keys that are shown, each with the number of its group."""
        from leastnoise.session.keys import counts_of_keys, key_shares  # for private keys only

        chances = KeepChances(*key_shares(prepared, self.mechanism, self._epsilon))
        sets: dict[Any, Fraction] = {(): Fraction(1)}
        for number, group in enumerate(groups):
            for key, count in counts_of_keys(group):
                shown = Fraction(chances.of(count), ONE)
                sets = {
                    (*found, (number, key)) if more else found: mass
                    * (shown if more else 1 - shown)
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

    def _mechanism(self, prepared: Plan) -> Mechanism:
        return choose_mechanism(self._chosen, self._inputs.statistic, prepared.profile_relation)


def array_builder(universe: Sequence[Any]) -> Callable[[Dataset], object]:
    """Records to a column: int64 for a universe of ints, else float64 with None as missing."""
    whole = all(isinstance(x, (int, np.integer)) and not isinstance(x, bool) for x in universe)

    def build(data: Dataset) -> object:
        if whole:
            return np.array(data, dtype=np.int64)
        numbers = [np.nan if x is None else float(x) for x in data]
        return np.array(numbers, dtype=np.float64)

    return build
