"""The verdict on a mechanism: audited laws, public depth, errors first, answers in range."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from typing import Any, cast

import numpy as np

from leastnoise import audit
from leastnoise.errors import LeastNoiseError, ParameterError
from leastnoise.guarantees import ZCDP, ApproxDP, BoundedRange, PureDP, RandomDP, Scope
from leastnoise.params import RELATIONS, parse_count, parse_epsilon, parse_list, parse_relation
from leastnoise.profiles import Profile, exact
from leastnoise.record import Release
from leastnoise.session import release
from leastnoise.session.prepare import StatisticPlan, plan
from leastnoise.statistics import Count, InterquartileRange, Mean, Median, Sum
from leastnoise.statistics.statistic import Described
from leastnoise.testing.goodness import stream
from leastnoise.testing.law import check_law
from leastnoise.testing.readings import AsData, as_column
from leastnoise.testing.simulate import simulate
from leastnoise.testing.violations import PrivacyViolation, Subject, check_kind

# One more audit of the first statistic, with so many more rows and an epsilon of small depth.
_MORE_ROWS = 4
_DEEP_EPSILON = 12
# Records of the longest walk.
_STEPS = 12
_GUARANTEES = (PureDP, ApproxDP, ZCDP, BoundedRange, RandomDP)
_BAD_EPSILONS: tuple[object, ...] = (
    *(0, -1, float("nan"), float("inf"), "1,5", "", "nan", None, True, [1], b"1"),
)


@dataclass(frozen=True, slots=True)
class MechanismReport:
    """What was checked, what did not apply, and that nothing was found."""

    mechanism: str
    audits: int
    laws: int
    refused: tuple[str, ...]

    def __str__(self) -> str:
        refused = f"; refused before data: {', '.join(self.refused)}" if self.refused else ""
        return (
            f"{self.mechanism}: {self.audits} exact audits and {self.laws} laws; nothing broken"
            + refused
        )


def check_mechanism(
    mechanism: object,
    statistics: Sequence[object] | None = None,
    *,
    universe: Sequence[Any] = (-1, 0, 2),
    n: int = 3,
    relations: Sequence[str] = RELATIONS,
    epsilons: Sequence[object] = (Fraction(1, 2), 3),
    draws: int = 300,
    as_data: AsData | None = None,
) -> MechanismReport:
    """Try to refute what a mechanism promises.

    For every statistic, relation and epsilon the laws of all neighbouring pairs of a small
    universe are compared exactly (``leastnoise.audit.exact``). A bad epsilon is refused before
    the profile is looked at; the guarantee names the epsilon, relation and unit it was given;
    levels are read up to the public depth only; a huge and a tiny epsilon give finite answers in
    the public range; and one law of each kind passes ``check_law``. The laws of a value that
    moves one step a record, from one end of its range to the middle, are compared too.

    Parameters
    ----------
    mechanism
        An object with ``name``, ``law``, ``guarantee`` and ``depth``.
    statistics : sequence, optional
        What to release. Default: a median, an interquartile range, a mean, a sum and a count.
    universe, n, relations, epsilons
        What is enumerated; both ends of the statistics' bounds should be in the universe.
    draws : int
        Exact draws for each law's chi-square.
    as_data : callable, optional
        From a tuple of records to data. Default: a column of integers.

    Returns
    -------
    MechanismReport
        Counts, and the combinations that the mechanism refuses for their parameters.

    Raises
    ------
    ParameterError, ParameterTypeError
        For impossible parameters, and for anything but a mechanism.
    PrivacyViolation
        With the pair, the output and the loss, or the rule that was broken.

    Examples
    --------
    >>> import leastnoise as ln
    >>> from leastnoise.testing import check_mechanism
    >>> report = check_mechanism(ln.InverseSensitivity(), [ln.Median(bounds=(-1, 2))], n=2)
    >>> report.audits
    9
    """
    check_kind(mechanism, "mechanism", "law")
    universe = parse_list(universe, "universe", "records")
    n, draws = parse_count(n, "n"), parse_count(draws, "draws", least=0)
    relations = [parse_relation(r) for r in parse_list(relations, "relations", "names")]
    epsilons = [parse_epsilon(e) for e in parse_list(epsilons, "epsilons", "numbers")]
    if not (universe and epsilons):
        raise ParameterError("universe and epsilons must hold at least one entry each")
    maker = as_data or as_column(universe, None)
    chosen = (
        _statistics() if statistics is None else parse_list(statistics, "statistics", "statistics")
    )
    check = _Check(cast("Any", mechanism), maker, tuple(universe), n)
    check.errors_first()
    check.promises(relations)
    for statistic in chosen:
        for relation in relations:
            if not check.accepts(statistic, relation):
                continue
            check.depth_is_public(statistic, relation)
            check.answers_in_range(statistic, relation)
            for epsilon in epsilons:
                check.audited(statistic, relation, epsilon, n)
            check.law(statistic, relation, epsilons[0], draws)
    for epsilon in (*epsilons, _DEEP_EPSILON):
        check.walk(epsilon)
    # more rows of fewer values: levels far from the value, where depths and plateaus show
    for relation, statistic in check.accepted.items():
        check.audited(statistic, relation, _DEEP_EPSILON, n + _MORE_ROWS)
    return MechanismReport(check.name, check.audits, check.laws, tuple(check.refused))


def _statistics() -> list[Described]:
    limits = (-1, 2)
    return [
        Median(bounds=limits),
        InterquartileRange(bounds=limits),
        Mean(bounds=limits),
        Sum(bounds=limits, max_rows=6),
        Count(max_rows=6, missing="none"),
    ]


class _Check:
    def __init__(self, mechanism: Any, maker: AsData, universe: tuple[Any, ...], n: int) -> None:
        self.mechanism, self.maker, self.universe, self.n = mechanism, maker, universe, n
        self.name = str(mechanism.name)
        self.subject = Subject(self.name)
        self.refused: list[str] = []
        self.accepted: dict[str, object] = {}  # the first statistic of each relation
        self.audits = self.laws = 0

    def errors_first(self) -> None:
        """A bad epsilon is an error of parameters, raised before any bound is read."""

        def trap(level: int) -> int:
            raise self.subject.violation(
                "errors of parameters come before data", f"level {level} was read for a bad epsilon"
            )

        profile = Profile(value=1, lower=trap, upper=trap, support=(0, 2), local_sensitivity=trap)
        for epsilon in _BAD_EPSILONS:
            try:
                self.mechanism.law(profile, epsilon)
            except PrivacyViolation:
                raise
            except LeastNoiseError as error:
                if not isinstance(error, (ValueError, TypeError)):
                    raise
            except Exception as error:
                raise self.subject.violation(
                    "a bad epsilon is an error of parameters",
                    f"epsilon = {epsilon!r} raised {type(error).__name__}",
                ) from error
            else:
                raise self.subject.violation(
                    "a bad epsilon is an error of parameters", f"epsilon = {epsilon!r} was taken"
                )

    def promises(self, relations: Sequence[str]) -> None:
        """The guarantee is about the epsilon, relation and unit that were given."""
        for relation in relations:
            for epsilon in (Fraction(1, 3), Fraction(7)):
                scope = Scope(relation, "user_id")
                promise = self.mechanism.guarantee(epsilon, scope)
                if not isinstance(promise, _GUARANTEES) or promise.scope != scope:
                    raise self.subject.violation(
                        "the guarantee names relation and unit", f"{promise} for {scope}"
                    )
                stated = getattr(promise, "epsilon", epsilon)
                if stated != epsilon:
                    raise self.subject.violation(
                        "the guarantee names the epsilon that was given",
                        f"{stated} for {epsilon}",
                    )

    def plan(self, statistic: object, relation: str, records: tuple[Any, ...]) -> StatisticPlan:
        return plan(statistic, self.maker(records), relation, None)

    def profiles(
        self, statistic: object, relation: str, records: tuple[Any, ...], depth: int | None = None
    ) -> list[Profile]:
        prepared = self.plan(statistic, relation, records)
        return list(prepared.profiles(prepared.table.summarise(prepared.request, depth)))

    def accepts(self, statistic: object, relation: str) -> bool:
        """Whether the combination is refused for its parameters, which an empty table shows."""
        prepared = self.plan(statistic, relation, ())
        try:
            prepared.rehearse(self.mechanism, Fraction(1))
        except ParameterError:
            self.refused.append(f"{type(statistic).__name__} under {relation}")
            return False
        except Exception as error:
            raise self.subject.violation(
                "a statistic is refused by an error of parameters",
                f"{type(error).__name__}: {error}",
                statistic=statistic,
                relation=relation,
            ) from error
        self.accepted.setdefault(relation, statistic)
        return True

    def samples(self) -> list[tuple[Any, ...]]:
        """Data sets of one size, as different as the universe allows, and smaller ones."""
        u, n = self.universe, self.n
        mixed = tuple(u[i % len(u)] for i in range(n))
        return [(u[0],) * n, (u[-1],) * n, mixed, mixed[:1], ()]

    def depth_is_public(self, statistic: object, relation: str) -> None:
        """No level is read beyond the depth that was named from public parameters."""
        for epsilon in (Fraction(1, 10), Fraction(40)):
            for records in self.samples():
                prepared = self.plan(statistic, relation, records)
                allowed = self.mechanism.depth(epsilon, prepared.range_bits) + 1
                for profile in self.profiles(statistic, relation, records):
                    try:
                        deepest = _deepest(self.mechanism, profile, epsilon)
                    except Exception as error:
                        raise self._no_error(error, x=list(records)) from error
                    if deepest > allowed:
                        raise self.subject.violation(
                            "depth is public",
                            f"level {deepest} was read, but depth names {allowed - 1}",
                            statistic=statistic,
                            relation=relation,
                            epsilon=epsilon,
                            x=list(records),
                        )

    def answers_in_range(self, statistic: Described, relation: str) -> None:
        """Finite, and inside the public range where answers are cut to it."""
        for epsilon in (Fraction(1, 10**9), Fraction(1, 100), Fraction(10**6)):
            for records in self.samples():
                facts: dict[str, object] = {
                    "statistic": statistic,
                    "relation": relation,
                    "epsilon": epsilon,
                    "x": list(records),
                }
                try:
                    with simulate(repr(records)):
                        answer = release(
                            statistic,
                            self.maker(records),
                            epsilon=epsilon,
                            mechanism=self.mechanism,
                            relation=relation,
                        )
                except Exception as error:
                    raise self._no_error(error, **facts) from error
                self._inside(answer, self.profiles(statistic, relation, records), facts)

    def _no_error(self, error: Exception, **facts: object) -> PrivacyViolation:
        return self.subject.violation(
            "every data set gives a finite value", f"{type(error).__name__}: {error}", **facts
        )

    def _inside(self, answer: Release, profiles: list[Profile], facts: dict[str, object]) -> None:
        values: list[float] = np.ravel(cast("Any", answer.value)).tolist()
        for value, profile in zip(values, profiles, strict=False):
            ends = profile.in_users_units().support
            low, high = (None if end is None else float(exact(end)) for end in ends)
            beyond = (low is not None and value < low) or (high is not None and value > high)
            if not isfinite(value) or (profile.clamp and beyond):
                raise self.subject.violation(
                    "answers are finite and lie in the public range",
                    f"{value} for [{low}, {high}]",
                    **facts,
                )

    def audited(self, statistic: object, relation: str, epsilon: object, n: int) -> None:
        """The worst loss over all neighbouring pairs is within the guarantee."""
        report = audit.exact(
            statistic,
            self.mechanism,
            universe=self.universe,
            n=n,
            relation=relation,
            epsilon=epsilon,
            build=self.maker,
        )
        self.audits += 1
        if not report.passed:
            raise self.subject.violation(
                "privacy loss is within the guarantee",
                f"{report.measure} up to {report.hi!s} > {report.claimed} claimed",
                statistic=statistic,
                relation=relation,
                epsilon=epsilon,
                pair=report.pair,
                output=report.output,
            )

    def walk(self, epsilon: object) -> None:
        """Profiles that move by one step a record, far from both ends and near them: many levels
        carry weight, so whatever of a law moves with the value shows."""
        if not self.takes(_step_profile(0)):
            return
        exponent = parse_epsilon(epsilon)
        claim = self.mechanism.guarantee(exponent, Scope("add-remove", "row"))
        report = audit.exact_law(
            lambda data: self.mechanism.law(_step_profile(len(data)), exponent),
            universe=("one record",),
            n=_STEPS,
            relation="add-remove",
            claim=claim,
            subject=self.name,
        )
        if not report.passed and report.pair is not None:
            raise self.subject.violation(
                "privacy loss is within the guarantee",
                f"{report.measure} up to {report.hi!s} > {report.claimed} claimed",
                profile=f"value v, upper(l) = v + l, lower(l) = v - l in [0, {2 * _STEPS}]",
                epsilon=exponent,
                v=len(report.pair[0]),
                **{"v'": len(report.pair[1])},
                output=report.output,
            )

    def takes(self, profile: Profile) -> bool:
        """Whether the mechanism can release this profile."""
        try:
            self.mechanism.law(profile, Fraction(1))
        except ParameterError:
            return False
        return True

    def law(self, statistic: object, relation: str, epsilon: object, draws: int) -> None:
        """Analysis and exact draws of the law at a mixed data set."""
        records = self.samples()[2]
        for profile in self.profiles(statistic, relation, records):
            check_law(self.mechanism.law(profile, epsilon), draws=draws, tolerance=1e-7)
            self.laws += 1


def _step_profile(value: int) -> Profile:
    """A value between 0 and 2 * _STEPS that every record can move by one, in one direction."""
    most = 2 * _STEPS
    return Profile(
        value=value,
        lower=lambda level: max(0, value - level),
        upper=lambda level: min(most, value + level),
        support=(0, most),
        sensitivity=1,
        local_sensitivity=lambda level: 1,
        monotone=True,
        depth=8 * most,
        integral=True,
        unit=Fraction(1),
    )


def _deepest(mechanism: Any, profile: Profile, epsilon: Fraction) -> int:
    """The deepest level that building a law and drawing from it reads."""
    read = [0]

    def watched(bound: Callable[[int], Any]) -> Callable[[int], Any]:
        def look(level: int) -> Any:
            read.append(level)
            return bound(level)

        return look

    local = profile.local_sensitivity
    profile = replace(
        profile,
        upper=watched(profile.upper),
        lower=watched(profile.lower),
        local_sensitivity=None if local is None else watched(local),
    )
    law = mechanism.law(profile, epsilon)
    source = stream("depth")
    for _ in range(5):
        law.draw(source)
    return max(read)
