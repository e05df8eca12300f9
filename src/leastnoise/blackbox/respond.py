"""Sample-then-respond: a private answer of a program whose sensitivity was sampled."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from typing import Any

from leastnoise import randomness
from leastnoise.blackbox.charging import Charging
from leastnoise.blackbox.declared import Declared
from leastnoise.blackbox.estimate import SensitivityEstimate
from leastnoise.blackbox.identity import fingerprint, same_function
from leastnoise.blackbox.norms import (
    NORMS,
    in_dimension,
    is_known,
    norm_name,
    rounding,
    same_norm,
)
from leastnoise.blackbox.program import Program, tried
from leastnoise.blackbox.tables import as_records
from leastnoise.errors import ParameterError
from leastnoise.guarantees import ApproxDP, Guarantee, PureDP
from leastnoise.laws import saturated
from leastnoise.mechanisms import Bernstein, Exponential, Gaussian, Laplace, PermuteAndFlip
from leastnoise.mechanisms.gaussian_calibration import normal_ratio
from leastnoise.mechanisms.vector_noise import concentration, needed_norm, vector_noise
from leastnoise.params import parse_delta, parse_total
from leastnoise.production import releasing, sealed
from leastnoise.profiles import Scores
from leastnoise.randomness import BitSource
from leastnoise.record import Release, SimulatedRelease

Draw = Callable[[list[int], BitSource], list[int]]
Known = SensitivityEstimate | Declared


@dataclass(frozen=True, slots=True)
class Reply:
    """How a program is asked: the function, how it is called, the mechanism."""

    function: Callable[[Any], Any]
    batch: bool
    mechanism: Any
    norm: Any
    candidates: Sequence[object] | None
    same: bool = True
    same_ball: bool = True

    @property
    def chosen(self) -> Any:
        """The mechanism; Laplace noise by default."""
        return Laplace() if self.mechanism is None else self.mechanism

    @property
    def selects(self) -> bool:
        """Whether the answer is one of several candidates, and the program gives their scores."""
        return isinstance(self.chosen, (Exponential, PermuteAndFlip))


@releasing()
def respond(
    estimate: Known,
    answer: Reply,
    data: object,
    *,
    epsilon: object,
    ledger: object,
    dataset: str | None,
    table: str,
    purpose: str | None,
) -> Release:
    """Check everything, charge, run the program on a copy of the data, add noise, record."""
    exponent = parse_total(epsilon)
    _check(estimate, answer)
    draw = _noise(estimate, answer, exponent)
    records = as_records(data)
    if isinstance(estimate, SensitivityEstimate):
        _check_data(estimate, records)
    delta = getattr(answer.chosen, "delta", None)
    loss = Fraction(0) if delta is None else parse_delta(delta)
    promise = estimate.promise(exponent, loss)
    charging = Charging.open(ledger, dataset, table, purpose, estimate.relation)
    details = {
        "statistic": f"{estimate.function} (black box)",
        "mechanism": answer.chosen.name,
        "guarantee": promise.to_dict(),
        "estimate": estimate.key,
    }
    key = estimate.key
    repeated = key is not None and estimate.code is not None and charging.knows(key)
    # the share gamma is the same event for the same function: it was paid with the first release
    cost: Guarantee = promise
    if repeated:
        cost = ApproxDP(exponent, loss, promise.scope) if loss else PureDP(exponent, promise.scope)
    if isinstance(promise, ApproxDP):
        sensitivity = lattice_sensitivity(estimate, answer.norm)
        rho = concentration(answer.chosen, estimate.dimension, sensitivity, exponent)
        cost = replace(promise, rho=rho)
    program = Program(answer.function, estimate.dimension, estimate.bounds, answer.batch)

    def make() -> Release:
        with sealed():
            values, _ = program.run(_fitted(estimate, records))
        released = draw(_on_lattice(values, estimate), randomness.active())
        return _record(estimate, answer, released, promise, exponent)

    return charging.release([cost], details, make)


def _check(estimate: Known, answer: Reply) -> None:
    """Everything about the function and the mechanism that parameters can get wrong."""
    mechanism, dimension = answer.chosen, estimate.dimension
    needed = needed_norm(mechanism)
    norm, _ = in_dimension(answer.norm, dimension)
    if norm_name(norm) != estimate.norm or (dimension == 1 and estimate.norm not in NORMS):
        raise ParameterError(
            f"the sensitivity is in the norm {estimate.norm}, but norm= is {norm_name(norm)}"
        )
    if not (answer.same_ball or is_known(norm)):
        raise ParameterError(
            "norm is a ball that cannot be compared with others, so it is not known to be the "
            "one in which the sensitivity was sampled: if it is, say same_norm=True"
        )
    if dimension > 1 and not same_norm(needed, norm):
        raise ParameterError(
            f"{mechanism.name} needs a sensitivity in the norm {norm_name(needed)}, but it is "
            f"{estimate.kind} in {estimate.norm}: give norm={norm_name(needed)!r}"
        )
    running = fingerprint(answer.function)
    if estimate.kind == "sampled" and not same_function(estimate.code, running, assume=answer.same):
        known = estimate.code is not None and running is not None
        raise ParameterError(
            f"function is not the one that was sampled ({estimate.function}): sample its "
            "sensitivity first; its gamma is then added to the one of this function"
            if known and not same_function(estimate.code, running, assume=True)
            else f"function is not known to be the one that was sampled ({estimate.function}): "
            "if it is, say same_function=True"
        )
    if not isinstance(needed, str):
        in_dimension(needed, dimension)
        needed.check_sampler()
    if isinstance(mechanism, Bernstein) and mechanism.size != dimension:
        raise ParameterError(
            f"{mechanism.name} needs {mechanism.size} values, but the function returns "
            f"{dimension}: return its values at bernstein.grid"
        )
    if answer.candidates is not None and not answer.selects:
        raise ParameterError("candidates= is for Exponential() and PermuteAndFlip()")
    if answer.candidates is not None and len(answer.candidates) != dimension:
        raise ParameterError(
            f"there are {len(answer.candidates)} candidates and {dimension} scores; return one "
            "score per candidate"
        )
    if answer.selects and dimension < 2:
        raise ParameterError("a choice needs a function that returns one score for each candidate")


def lattice_sensitivity(estimate: Known, norm: Any) -> Fraction:
    """The sensitivity between rounded answers, in lattice steps: certain wherever the sampled one.

    The sampled one is a certified bound of exact norms; rounding moves each coordinate's difference
    by at most one step.
    """
    exact = estimate.sensitivity / estimate.step
    return exact + rounding(in_dimension(norm, estimate.dimension)[0], estimate.dimension)


def _noise(estimate: Known, answer: Reply, epsilon: Fraction) -> Draw:
    sensitivity = lattice_sensitivity(estimate, answer.norm)
    mechanism = answer.chosen
    if isinstance(mechanism, (Exponential, PermuteAndFlip)):

        def choose(points: list[int], source: BitSource) -> list[int]:
            scores = Scores(values=points, sensitivity=sensitivity)
            return [mechanism.law(scores, epsilon).draw(source)]

        return choose
    noise = vector_noise(mechanism, estimate.dimension, sensitivity, epsilon)

    def add(points: list[int], source: BitSource) -> list[int]:
        return [a + b for a, b in zip(points, noise(source), strict=True)]

    return add


def _check_data(estimate: SensitivityEstimate, records: Any) -> None:
    """Compare what is public of the private records with what was sampled: form and number."""
    estimate.form.check(records)
    if len(records) != estimate.n:
        raise ParameterError(
            f"the sensitivity was sampled for n={estimate.n} records, but the data has "
            f"{len(records)}: sample with n={len(records)} (the number of records is public under "
            "replace-one)"
        )


def _fitted(estimate: Known, records: Any) -> Any:
    """The records in the form of drawn ones; as they are where that fails."""
    if not isinstance(estimate, SensitivityEstimate):
        return records
    found = tried(lambda: estimate.form.fitted(records))
    return records if found is None else found


def _on_lattice(values: Any, estimate: Known) -> list[int]:
    """The answer in whole steps, exactly floor(value / step + 1/2)."""
    half = Fraction(1, 2)
    return [floor(Fraction(float(v)) / estimate.step + half) for v in values]


def _record(
    estimate: Known,
    answer: Reply,
    released: list[int],
    promise: Guarantee,
    epsilon: Fraction,
) -> Release:
    value: Any
    notes = [estimate.in_words()]
    step = estimate.step
    if answer.selects:
        value, step = released[0], Fraction(1)
        notes.append("the value is the index of the chosen candidate, from 0")
    else:
        value = [saturated(_cut(point * step, estimate)) for point in released]
        value = value[0] if len(value) == 1 else value
    scale, noise = _public_noise(estimate, answer, epsilon)
    kind = SimulatedRelease if randomness.simulating() else Release
    return kind(
        value=value,
        statistic=estimate.function,
        guarantee=promise,
        mechanism=answer.chosen.name,
        relation=estimate.relation,
        profile_relation=estimate.relation,
        n_public=estimate.relation == "replace-one",
        missing="none",
        bounds=None
        if estimate.bounds is None
        else (float(estimate.bounds[0]), float(estimate.bounds[1])),
        step=str(step),
        sensitivity=estimate.kind,
        noise_scale=scale,
        noise=noise,
        draws=(promise,),
        notes=tuple(notes),
        sampled=estimate.record(),
        secure=not randomness.simulating(),
    )


def _cut(value: Fraction, estimate: Known) -> Fraction:
    """Noisy numbers are cut to the bounds, which is post-processing."""
    if estimate.bounds is None:
        return value
    low, high = estimate.bounds
    return min(high, max(low, value))


def _public_noise(
    estimate: Known, answer: Reply, epsilon: Fraction
) -> tuple[float | None, str | None]:
    """Scale and kind of the noise of one number; it depends on nothing private."""
    if estimate.dimension > 1:
        return None, None
    size = lattice_sensitivity(estimate, answer.norm) * estimate.step
    match answer.chosen:
        case Laplace():
            return saturated(size / epsilon), "Laplace"
        case Gaussian():
            ratio = normal_ratio(epsilon, parse_delta(answer.chosen.delta))
            return saturated(size * ratio), "Gaussian"
        case _:
            return None, None
