"""The verdict on mechanisms: shipped ones pass, each rule has one that breaks it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.errors import ParameterError
from leastnoise.guarantees import Guarantee, PureDP, Scope
from leastnoise.laws import DiscreteLaplaceLaw, Law, LevelsLaw
from leastnoise.mechanisms.smooth_laplace import decay
from leastnoise.params import parse_epsilon
from leastnoise.profiles import Profile, on_grid
from leastnoise.sampling.dyadic import LevelLaw, Side
from leastnoise.testing import PrivacyViolation, check_mechanism

MEDIAN = ln.Median(bounds=(-1, 2))
QUICK: dict[str, Any] = {"relations": ["replace-one"], "draws": 0, "n": 2}

SHIPPED = [
    ln.PiecewiseLaplace(),
    ln.PiecewiseLaplace(rho=1),
    ln.InverseSensitivity(),
    ln.InverseSensitivity(rho=1),
    ln.Laplace(),
    ln.LaplaceRatio(),
]


@pytest.mark.share(1 / 2)
@pytest.mark.parametrize("mechanism", SHIPPED, ids=lambda m: m.name)
def test_shipped_mechanisms_keep_their_promises(mechanism: Any) -> None:
    report = check_mechanism(mechanism)
    refused = {text.split()[0] for text in report.refused}
    if isinstance(mechanism, ln.LaplaceRatio):
        # it is for a mean whose row count is private, and nothing else
        assert report.audits == 6
        assert "Mean under replace-one" in report.refused
        assert refused == {"Median", "InterquartileRange", "Sum", "Count", "Mean"}
    else:
        assert (report.audits, refused) == (33, set())


def as_far_as(bound: Callable[[int], int], depth: int) -> Callable[[int], int]:
    def read(level: int) -> int:
        assert level <= depth
        return bound(level)

    return read


@pytest.mark.parametrize("mechanism", [
    *SHIPPED[:5],
    ln.PiecewiseLaplace(shift=1),
    ln.PiecewiseLaplace(base="log"),
    ln.PiecewiseLaplace(above="2/3"),
    ln.SmoothLaplace(delta="1/1000"),
    ln.AsymmetricSensitivity(beta=2),
    ln.AsymmetricSensitivity(beta=2, side="down"),
], ids=lambda m: m.name)  # fmt: skip
def test_no_bound_is_read_beyond_the_depth_of_its_profile(mechanism: Any) -> None:
    """It gives the range beyond: the law is that of a profile which says so at every level."""
    depth, low, high = 3, 0, 40
    bounds = {"upper": (lambda l: 5 + 2 * l, high), "lower": (lambda l: 5 - l, low)}
    bounds["local_sensitivity"] = (lambda l: 2 + l, high)
    common: dict[str, Any] = {
        "value": 5, "support": (low, high), "sensitivity": 40, "monotone": True,
    }  # fmt: skip
    known = Profile(
        **common, depth=depth, **{k: as_far_as(b, depth) for k, (b, _) in bounds.items()}
    )
    said = Profile(
        **common,
        **{
            k: lambda l, b=b, end=end: b(l) if l <= depth else end for k, (b, end) in bounds.items()
        },
    )
    shared = audit.Adapter()
    for epsilon in ("1/4", "2"):
        found, wanted = (shared.audited(mechanism.law(p, epsilon)) for p in (known, said))
        assert found == wanted


def test_smooth_laplace_keeps_its_promise() -> None:
    for delta in ("1/1000", "1e-9"):
        check_mechanism(
            ln.SmoothLaplace(delta=delta),
            [MEDIAN, ln.Mean(bounds=(-1, 2)), ln.Sum(bounds=(-1, 2), max_rows=6)],
        )


def test_the_asymmetric_mechanism_keeps_its_promise() -> None:
    check_mechanism(
        ln.AsymmetricSensitivity(), [MEDIAN, ln.Sum(bounds=(0, 2), max_rows=4)], n=2, draws=300
    )


@pytest.mark.nightly
@pytest.mark.parametrize("mechanism", SHIPPED, ids=lambda m: m.name)
def test_larger_universes(mechanism: Any) -> None:
    check_mechanism(
        mechanism, universe=(-1, 0, 1, 2), n=5, epsilons=("1/10", 1, 8, 40), draws=20_000
    )


def test_a_report_says_what_was_refused() -> None:
    report = check_mechanism(ln.LaplaceRatio(), [MEDIAN], **QUICK)
    assert report.audits == 0
    assert "refused before data: Median under replace-one" in str(report)


def test_a_session_with_rows_of_several_columns_can_be_checked() -> None:
    def frame(records: tuple[Any, ...]) -> dict[str, Any]:
        return {"age": np.array(records, dtype=np.int64)}

    median = ln.Median("age", bounds=(-1, 2))
    assert check_mechanism(ln.PiecewiseLaplace(), [median], as_data=frame, **QUICK).audits == 3


# --- every rule fires --------------------------------------------------------


class _Plain:
    """A sound mechanism that the wrong ones change in one place."""

    name = "Plain()"

    def law(self, profile: Profile, epsilon: object) -> Law:
        return ln.PiecewiseLaplace().law(profile, epsilon)

    def guarantee(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        return PureDP(epsilon, scope)

    def depth(self, epsilon: Fraction, range_bits: int) -> int:
        return ln.PiecewiseLaplace().depth(epsilon, range_bits)


class LocalScale(_Plain):
    """upper(1) - value as the scale of Laplace noise: the first mistake of all."""

    def law(self, profile: Profile, epsilon: object) -> Law:
        grid, rate = on_grid(profile), parse_epsilon(epsilon)
        local = max(1, grid.upper(1) - grid.centre, grid.centre - grid.lower(1))
        return DiscreteLaplaceLaw(grid.centre, rate / local, grid.step)

    def depth(self, epsilon: Fraction, range_bits: int) -> int:
        return 1


class HalfScale(_Plain):
    def law(self, profile: Profile, epsilon: object) -> Law:
        return ln.Laplace().law(profile, 2 * parse_epsilon(epsilon))


class NoHalf(_Plain):
    """exp(-epsilon s) instead of exp(-(epsilon/2) s), on a statistic that is not monotone."""

    def law(self, profile: Profile, epsilon: object) -> Law:
        return ln.PiecewiseLaplace().law(profile, 2 * parse_epsilon(epsilon))


class OwnDepth(_Plain):
    """How far levels are read depends on where the data lie."""

    def law(self, profile: Profile, epsilon: object) -> Law:
        grid, rate = on_grid(profile), parse_epsilon(epsilon) / 2
        low, high = grid.finite_range(self.name)
        right = Side(lambda level: grid.upper(level) - grid.centre, high - grid.centre)
        left = Side(lambda level: grid.centre - grid.lower(level), grid.centre - low)
        depth = 100 if grid.centre == low else 0
        return LevelsLaw(grid.centre, LevelLaw(right, left, rate, True, depth), grid.step)


class Deep(_Plain):
    def depth(self, epsilon: Fraction, range_bits: int) -> int:
        return 0


class OwnEpsilon(_Plain):
    def guarantee(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        return PureDP(epsilon / 2, scope)


class Forgetful(_Plain):
    def guarantee(self, epsilon: Fraction, scope: Scope) -> Guarantee:
        return PureDP(epsilon)


class Late(_Plain):
    """Looks at the data before it looks at epsilon."""

    def law(self, profile: Profile, epsilon: object) -> Law:
        profile.upper(1)
        return super().law(profile, epsilon)


class Lenient(_Plain):
    """Takes any epsilon; 0 and less mean no noise."""

    def law(self, profile: Profile, epsilon: object) -> Law:
        try:
            parse_epsilon(epsilon)
        except ParameterError:
            epsilon = 10**6
        return super().law(profile, epsilon)


class Curt(_Plain):
    """A bad epsilon ends in some arithmetic error."""

    def law(self, profile: Profile, epsilon: object) -> Law:
        return super().law(profile, Fraction(1) / Fraction(epsilon))


class Fragile(_Plain):
    """Refuses a data set."""

    def law(self, profile: Profile, epsilon: object) -> Law:
        parse_epsilon(epsilon)
        if profile.value == profile.support[1]:
            raise ValueError("the data lie at the limit")
        return super().law(profile, epsilon)


class Narrow(_Plain):
    """Answers below the public range."""

    def law(self, profile: Profile, epsilon: object) -> Law:
        law = super().law(profile, epsilon)
        assert isinstance(law, LevelsLaw)
        return LevelsLaw(law.centre - 1, law.levels, law.step)


@pytest.mark.parametrize(
    ("mechanism", "claim"),
    [
        (LocalScale(), "privacy loss is within the guarantee"),
        (HalfScale(), "privacy loss is within the guarantee"),
        (NoHalf(), "privacy loss is within the guarantee"),
        (OwnDepth(), "privacy loss is within the guarantee"),
        (Deep(), "depth is public"),
        (OwnEpsilon(), "the guarantee names the epsilon that was given"),
        (Forgetful(), "the guarantee names relation and unit"),
        (Late(), "errors of parameters come before data"),
        (Lenient(), "a bad epsilon is an error of parameters"),
        (Curt(), "a bad epsilon is an error of parameters"),
        (Fragile(), "every data set gives a finite value"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_wrong_mechanisms_are_caught(mechanism: Any, claim: str) -> None:
    statistics = [MEDIAN, ln.InterquartileRange(bounds=(-1, 2))]
    with pytest.raises(PrivacyViolation) as caught:
        check_mechanism(mechanism, statistics, n=3, draws=0)
    assert caught.value.law == claim
    assert "Plain() breaks" in str(caught.value)


def test_the_message_shows_the_pair_and_the_loss() -> None:
    with pytest.raises(PrivacyViolation) as caught:
        check_mechanism(LocalScale(), [MEDIAN], **QUICK)
    message = str(caught.value)
    for text in ("pair = (", "output = ", "epsilon = 1/2", "relation = replace-one", "1/2 claimed"):
        assert text in message


def test_answers_outside_the_range_are_cut_before_they_leave() -> None:
    """The clamp after the draw hides a law that leaves the range: the record stays in it."""
    check = Narrow()
    law = check.law(ln.profile(MEDIAN, np.array([-1, -1, -1])), 5)
    assert law.pmf(-2) > 0
    for _ in range(30):
        assert -1 <= float(ln.release(MEDIAN, [-1, -1, -1], epsilon=5, mechanism=check)) <= 2


# --- smooth sensitivity: its two ingredients ---------------------------------


@pytest.mark.parametrize("epsilon", [Fraction(1, 100), Fraction(1), Fraction(5, 2)])
@pytest.mark.parametrize("delta", [Fraction(1, 10), Fraction(1, 10**9)])
def test_the_decay_is_rounded_to_the_private_side(epsilon: Fraction, delta: Fraction) -> None:
    from decimal import Decimal, localcontext

    with localcontext() as context:
        context.prec = 60
        two_over = Decimal(2 * delta.denominator) / Decimal(delta.numerator)
        exact = epsilon / (2 * Fraction(two_over.ln()))
    assert exact * (1 - Fraction(1, 2**50)) < decay(epsilon, delta) <= exact


def test_the_scale_is_the_smooth_sensitivity() -> None:
    """max over l of exp(-b l) A(l) times 2/epsilon, by brute force over all levels."""
    import math

    rng = np.random.default_rng(3)
    x = np.rint(rng.normal(50, 15, 60)).astype(np.int64)
    profile = ln.profile(ln.Median(bounds=(0, 100)), x)
    for epsilon in (Fraction(1, 4), Fraction(2)):
        delta = Fraction(1, 1000)
        law: Any = ln.SmoothLaplace(delta=delta).law(profile, epsilon)
        b = decay(epsilon, delta)
        grid = on_grid(profile)
        sizes = [min(100, grid.local_sensitivity(level)) for level in range(400)]
        smooth = max(1.0, *(math.exp(-float(b) * l) * a for l, a in enumerate(sizes)))
        low, high = (Fraction(end, 2**128) for end in law.scale(128))
        assert float(low) == pytest.approx(2 * smooth / float(epsilon), rel=1e-12)
        assert 0 <= high - low < Fraction(1, 2**100)


def test_replaced_profiles_are_what_is_audited() -> None:
    """A shrunken local sensitivity breaks the claim: A is really what the scale reads."""

    class Shrunk:
        def spec(self) -> Any:
            return MEDIAN.spec()

        def profile(self, s: Any, relation: str) -> Profile:
            return replace(MEDIAN.profile(s, relation), local_sensitivity=lambda level: 0)

    with pytest.raises(PrivacyViolation, match="privacy loss"):
        check_mechanism(ln.SmoothLaplace(delta="1e-9"), [Shrunk()], epsilons=[4], **QUICK)
