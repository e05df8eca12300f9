"""The exact privacy loss distribution of a plan, through dp-accounting.

dp-accounting has no event for bounded-range releases; this module adds their dominating pair. The
hockey-stick curve of the class of eta-bounded-range releases is, with x = e^epsilon and E = e^eta,

    delta(epsilon) = (sqrt(E) - sqrt(x))^2 / (E - 1),      -eta <= epsilon <= eta,

and it is the curve of one pair: the loss has density proportional to e^(y/2) on [-eta, eta] under
the first law, e^(-y/2) under the second (``docs/proofs/bounded-range-composition.md``). Such a
dominating pair composes even when the next statistic is chosen after an answer, as long as eta was
fixed.

These numbers are floating point, with a margin for its error; the rest of the accounting is exact.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from math import ceil, exp, expm1, floor, isfinite, sinh
from typing import Any, Final

from leastnoise.accounting.conversions import LaplaceNoise, Loss
from leastnoise.accounting.rounding import round_up
from leastnoise.errors import MissingDependencyError, ParameterError
from leastnoise.guarantees import ApproxDP, BoundedRange, PureDP

SMALLEST_DELTA: Final = Fraction(1, 10**9)
"""Below it the error of double precision convolutions is no longer negligible."""

_GRID_POINTS: Final = 400_000


def distribution_epsilon(losses: Sequence[Loss], delta: Fraction) -> Fraction:
    """The epsilon of the composed loss distribution at ``delta``, rounded up.

    Parameters
    ----------
    losses
        Pure, approximate or bounded-range guarantees, or Laplace noise, in any number.
    delta
        At least `SMALLEST_DELTA`.

    Raises
    ------
    MissingDependencyError
        If dp-accounting is not installed.
    ParameterError
        If a guarantee is concentrated or random: neither kind has a dominating pair.
    """
    if delta < SMALLEST_DELTA:
        raise ParameterError(f"a loss distribution needs delta >= {float(SMALLEST_DELTA)}")
    counts = Counter(_key(loss) for loss in losses)
    step = _grid(counts)
    composed: Any = None
    for key, count in sorted(counts.items(), key=str):
        single = _distribution(key, step)
        many = single.self_compose(count) if count > 1 else single
        composed = many if composed is None else composed.compose(many)
    # 1e-11 is far above the error of the convolutions of masses that add up to 1
    target = float(delta) * (1 - 1e-4) - 1e-11
    epsilon = float(composed.get_epsilon_for_delta(target))
    if not isfinite(epsilon):
        raise ParameterError("the loss distribution has more than delta of unbounded loss")
    return round_up(Fraction(epsilon) * (1 + Fraction(1, 10**9)), 10)


def bounded_range_masses(eta: float, step: float) -> dict[int, float]:
    """The loss of the dominating pair on multiples of ``step``, never below the true loss curve.

    The mass between two grid points moves to both of them so that the mass under either law stays
    ("connect the dots", Doroshenko et al. 2022), which only raises the curve.
    """
    scale = 1 / (4 * sinh(eta / 2))  # the density is scale e^(y/2) and integrates to 1
    masses: dict[int, float] = {}
    span = exp(step)
    for i in range(floor(-eta / step), ceil(eta / step)):
        start, end = max(i * step, -eta), min((i + 1) * step, eta)
        if end <= start:
            continue
        u, v = start - i * step, end - i * step
        weight = scale * exp(i * step / 2)
        mass = weight * 4 * sinh((v - u) / 4) * exp((u + v) / 4)
        # the mass under the first law less that under the second, both relative to the grid point
        excess = weight * 8 * sinh((u + v) / 4) * sinh((v - u) / 4)
        right = min(mass, excess * span / (span - 1))
        masses[i] = masses.get(i, 0.0) + mass - right
        masses[i + 1] = masses.get(i + 1, 0.0) + right
    return masses


def pure_masses(epsilon: float, delta: float, step: float) -> dict[int, float]:
    """The finite losses of the worst (epsilon, delta)-private pair, moved in the same way."""
    masses: dict[int, float] = {}
    for loss in (epsilon, -epsilon):
        mass = (1 - delta) / (1 + exp(-loss))
        i = floor(loss / step)
        right = min(mass, mass * expm1(-(loss - i * step)) / expm1(-step))
        masses[i] = masses.get(i, 0.0) + mass - right
        masses[i + 1] = masses.get(i + 1, 0.0) + right
    return masses


_Key = tuple[str, Fraction, Fraction | int | None]


def _key(loss: Loss) -> _Key:
    match loss:
        case PureDP():
            return ("pure", loss.epsilon, None)
        case ApproxDP():
            return ("pure", loss.epsilon, loss.delta)
        case BoundedRange():
            return ("range", loss.eta, None)
        case LaplaceNoise():
            return ("laplace", loss.epsilon, loss.steps)
        case _:
            raise ParameterError(
                f"{loss} has no dominating pair, so no loss distribution; compose it by adding up "
                "rho"
            )


def _grid(counts: Counter[_Key]) -> float:
    """A spacing fine against the smallest loss, with a bounded number of points in all."""
    smallest = float(min(key[1] for key in counts))
    total = float(sum(key[1] * count for key, count in counts.items()))
    return max(min(1e-4, smallest / 50), 2 * total / _GRID_POINTS)


def _distribution(key: _Key, step: float) -> Any:
    """The pessimistic distribution of one release on the grid."""
    kind, size, extra = key
    library = _library()
    create = library.PrivacyLossDistribution.create_from_rounded_probability
    if kind == "range":
        return create(bounded_range_masses(float(size), step), 0.0, step)
    if kind == "pure":
        delta = float(extra or 0)
        return create(pure_masses(float(size), delta, step), delta, step)
    if extra is None:
        return library.from_laplace_mechanism(
            1 / float(size), value_discretization_interval=step, use_connect_dots=True
        )
    return library.from_discrete_laplace_mechanism(
        float(size / extra),
        int(extra),
        value_discretization_interval=step,
        use_connect_dots=True,
    )


def _library() -> Any:
    try:
        from dp_accounting.pld import privacy_loss_distribution
    except ImportError:
        raise MissingDependencyError(
            "a privacy loss distribution needs dp-accounting; install leastnoise[accounting]",
            extra="accounting",
        ) from None
    return privacy_loss_distribution
