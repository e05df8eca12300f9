"""Numbers, or choices among declared answers, each drawn from the law of its own profile."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from operator import add
from typing import Any

from leastnoise import randomness
from leastnoise.errors import ParameterError
from leastnoise.frames import Table
from leastnoise.frames.memory.summarise import summaries
from leastnoise.guarantees import Guarantee, PureDP
from leastnoise.laws import DiscreteLaplaceLaw, LevelsLaw, RatioLaw, saturated
from leastnoise.mechanisms import Laplace, Mechanism
from leastnoise.profiles import Profile, Scores
from leastnoise.profiles.alike import AlikeProfiles
from leastnoise.profiles.grid import grid_ends, grid_step
from leastnoise.session.kinds.kind import AlikeAnswers, Answer, Answering, Errors, Published
from leastnoise.session.prepare import different


class Numbers(Answering):
    """Independent answers, which share epsilon: all of them, or those that one row can move."""

    __slots__ = ("_firsts", "_parts")

    def _rehearse(self) -> tuple[Guarantee, ...]:
        plan, mechanism, epsilon, scope = self.plan, self.mechanism, self.epsilon, self.plan.scope
        parts = plan.rehearse(mechanism, epsilon)
        self._parts, self._firsts = len(parts), parts[:1]
        strongest = mechanism.strongest
        if any(isinstance(part, Scores) and part.binary for part in different(parts)):
            # two distances are drawn with twice the exponent: epsilon-DP, but a range of 2 epsilon
            strongest = mechanism.guarantee
        if plan.counts_moves:
            # several rows of a person may move one part, so only the sum of all moves is promised
            if not isinstance(mechanism.guarantee(epsilon, scope), PureDP):
                raise ParameterError(
                    f"the guarantee of {mechanism.name} does not add up over the rows of one "
                    f"person in the cells of {plan.statistic.name}: take Laplace(), or max_rows=1"
                )
            return (strongest(epsilon, scope),)
        shares = plan.shares(self._parts)
        return (strongest(epsilon / shares, scope),) * shares

    @property
    def share(self) -> Fraction:
        """The epsilon of each answer."""
        return self.epsilon / self.plan.shares(self._parts)

    def profiles(self, table: Table) -> Sequence[Profile | Scores]:
        """NOT PRIVATE. The profiles that answers are drawn from."""
        plan = self.plan
        levels = plan.levels(self.mechanism, self.share)
        return plan.profiles(table.summarise(plan.request, levels))

    def draw(self, tables: Sequence[Table]) -> Sequence[Answer]:
        """One exact draw for each profile, cut to the public range where the statistic says so."""
        plan = self.plan
        read = summaries(tables, plan.request, plan.levels(self.mechanism, self.share))
        values = self._together(read)
        if values is None:
            found: list[Answer] = []
            for summary in read:
                profiles = plan.profiles(summary)
                found.append(self._answer(profiles, self._value(profiles)))
            return found
        return AlikeAnswers(self._answer(self._firsts, values[0]), values)

    def _together(self, read: Sequence[Any]) -> list[Any] | None:
        """One answer from each of several summaries, if all can be drawn at once; else None."""
        if len(read) == 1 or self.plan.n_public or isinstance(self._firsts[0], Scores):
            return None
        found, parts = self._alike(read), self._parts
        values = self._ordered(read) if found is None else found
        if values is None:
            return None
        several = zip(*[iter(values)] * parts, strict=True)
        return [*map(self.plan.statistic.combine, several)]

    def _ordered(self, read: Sequence[Any]) -> list[int | float] | None:
        """Order statistics of all groups, whose laws are computed at once."""
        plan = self.plan
        law = self.mechanism.law(plan.profiles(read[0])[0], self.share)
        profiles = plan.order_profiles(read) if isinstance(law, LevelsLaw) else None
        if profiles is None or not isinstance(law, LevelsLaw):
            return None
        return law.values_of(law.draws(profiles, randomness.active()))

    def _alike(self, read: Sequence[Any]) -> list[int | float] | None:
        """Noise of one law, that of an empty table, because it depends on public facts only."""
        plan, source = self.plan, randomness.active()
        (first,) = self._firsts
        law, points = self.mechanism.law(first, self.share), None
        if isinstance(law, RatioLaw):
            pairs = plan.statistic.ratios(read)
            points = None if pairs is None else law.draws(pairs, source)
        elif isinstance(law, DiscreteLaplaceLaw) and isinstance(self.mechanism, Laplace):
            values = plan.statistic.values(read, plan.profile_relation)
            if values is not None and first.resolution == 1:
                noises = law.noises(len(values), source)
                points = [*map(add, values, noises)]
                if first.clamp:
                    points = [_cut(point, first) for point in points]
        return None if points is None else law.values_of(points)

    def answer(self, table: Table) -> Answer:
        """Read one table and draw."""
        return self.drawn(self.profiles(table))

    def drawn(self, profiles: Sequence[Profile | Scores]) -> Answer:
        """Draw from the profiles of a table."""
        return self._answer(profiles, self._value(profiles))

    def _answer(self, profiles: Sequence[Profile | Scores], value: Any) -> Answer:
        """The answer with this value; its record says the same for all profiles like these."""
        plan, mechanism, share = self.plan, self.mechanism, self.share
        first, noise = profiles[0], None
        if mechanism.public_noise and isinstance(first, Profile) and self._parts == 1:
            noise = saturated(mechanism.noise_scale(first, share))
        return Answer(
            value=value,
            step="1" if isinstance(first, Scores) else str(grid_step(first)),
            sensitivity="global" if mechanism.public_noise else "instance",
            bounds=plan.bounds,
            noise_scale=noise,
            noise=None if noise is None else type(mechanism).__name__,
            parts=self._split(self._parts),
            notes=plan.statistic.notes,
        )

    def _value(self, profiles: Sequence[Profile | Scores]) -> Any:
        """Draw once for each profile, in the user's units, and combine the draws."""
        mechanism, share, source = self.mechanism, self.share, randomness.active()
        combine = self.plan.statistic.combine
        if isinstance(profiles, AlikeProfiles):
            first: Profile = profiles[0]
            law = _shared_law(mechanism, first, share)
            if law is not None:
                pairs = zip(profiles.values, law.noises(len(profiles), source), strict=True)
                return combine([_cut(value + noise, first) for value, noise in pairs])
        values: list[Any] = []
        for profile in profiles:
            drawn = mechanism.law(profile, share)
            values.append(drawn.value_of(_cut(drawn.draw(source), profile)))
        return combine(values)

    def _split(self, parts: int) -> dict[str, str]:
        """How epsilon was split: over the parts of the answer, or inside the mechanism."""
        share, plan = self.share, self.plan
        if parts > 1 and plan.statistic.touched(plan.profile_relation) is not None:
            return {"each cell": str(share)}
        if parts > 1:
            return {f"part {i + 1}": str(share) for i in range(parts)}
        return {name: str(part) for name, part in self.mechanism.parts(share).items()}

    def laws(self, tables: Sequence[Table]) -> list[Published]:
        """NOT PRIVATE. The laws of all answers, before they are cut to the public range."""
        return [self._published(p) for table in tables for p in self.profiles(table)]

    def _published(self, profile: Profile | Scores) -> Published:
        mechanism, share = self.mechanism, self.share
        law = mechanism.law(profile, share)
        if isinstance(profile, Scores):
            return Published(law, profile.public)
        clamp = grid_ends(profile) if profile.clamp else None
        noise = mechanism.noise_scale(profile, share) if mechanism.public_noise else None
        return Published(law, (grid_step(profile), clamp, noise))

    def errors(self, tables: Sequence[Table]) -> Errors | None:
        """NOT PRIVATE. Exact, from the laws; a choice of labels has no distance."""
        from statistics import fmean

        from leastnoise.session.profiles import expected_error  # not for releases

        plan, shares = self.plan, self.plan.shares(self._parts)
        # every level, because a smaller epsilon looks further
        found: list[Sequence[Profile | Scores]] = [
            plan.profiles(table.summarise(plan.request, None)) for table in tables
        ]
        profiles = [[p for p in parts if isinstance(p, Profile)] for parts in found]
        if any(len(kept) < len(parts) for kept, parts in zip(profiles, found, strict=True)):
            return None

        def exact(epsilon: Fraction, draws: int) -> list[float]:
            return [
                fmean(
                    expected_error(self.mechanism, p.in_users_units(), epsilon / shares)
                    for p in parts
                )
                for parts in profiles
            ]

        return exact


def _shared_law(
    mechanism: Mechanism, profile: Profile, share: Fraction
) -> DiscreteLaplaceLaw | None:
    """The law whose noise serves all profiles like this one; None where none may."""
    law = mechanism.law(profile, share) if isinstance(mechanism, Laplace) else None
    return law if isinstance(law, DiscreteLaplaceLaw) else None


def _cut(point: int, profile: Profile | Scores) -> int:
    """A draw, cut to the public range where the statistic says so: post-processing."""
    if isinstance(profile, Scores) or not profile.clamp:
        return point
    low, high = grid_ends(profile)
    if low is not None:
        point = max(point, low)
    return point if high is None else min(point, high)
