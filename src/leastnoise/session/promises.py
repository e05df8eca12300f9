"""What a release will promise, known before a value is read: its draws, and epsilon's shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any, Protocol, cast

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.guarantees import ApproxDP, Guarantee, PureDP
from leastnoise.mechanisms import Gaussian, Mechanism
from leastnoise.mechanisms.joint import JointMechanism
from leastnoise.mechanisms.vectors import concentration
from leastnoise.params import parse_total
from leastnoise.session.prepare import Plan
from leastnoise.summaries.keys import KeyRequest
from leastnoise.summaries.vectors import VectorRequest


class Statistic(Protocol):
    """What a caller may ask for: an object that says what must be summarised."""

    def spec(self) -> Any:
        """What must be summarised."""
        ...


def promised(prepared: Plan, mechanism: Mechanism, epsilon: Fraction) -> tuple[Guarantee, ...]:
    """Rehearse on an empty table, and tell what each independent draw promises, at its strongest.

    Errors of parameters come now. A mechanism may say with ``strongest(epsilon, scope)`` that a
    draw keeps more than ``guarantee`` says, such as a bounded range.
    """
    scope = prepared.scope
    strongest = getattr(mechanism, "strongest", mechanism.guarantee)
    if isinstance(prepared.request, VectorRequest):
        from leastnoise.session.vectors import rehearse_vector  # only for vectors

        rehearse_vector(prepared, mechanism, epsilon)
        kept = mechanism.guarantee(epsilon, scope)
        if isinstance(kept, ApproxDP) and isinstance(mechanism, Gaussian):
            # normal noise in units of its sensitivity: rho is the same for every vector
            kept = replace(kept, rho=concentration(mechanism, 2, Fraction(1), epsilon))
        return (kept,)
    if isinstance(prepared.request, KeyRequest):
        from leastnoise.session.keys import rehearse_keys  # only where keys are private

        rehearse_keys(prepared, mechanism)
        return (mechanism.guarantee(epsilon, scope),)
    if isinstance(mechanism, JointMechanism):
        from leastnoise.session.joint import rehearse_joint  # only for answers drawn together

        rehearse_joint(prepared.by_rows(), mechanism, epsilon / prepared.stride)
        return (mechanism.guarantee(epsilon, scope),)
    parts = prepared.rehearse(mechanism, epsilon)
    if any(getattr(part, "binary", False) for part in parts):
        # two distances are drawn by twice the exponent: epsilon-DP, and of range 2 epsilon
        strongest = mechanism.guarantee
    shares = prepared.shares(len(parts))
    if prepared.counts_moves:
        # several rows of a person may move one part, so only the sum of all moves is promised
        if not isinstance(mechanism.guarantee(epsilon, scope), PureDP):
            raise ParameterError(
                f"the guarantee of {mechanism.name} does not add up over the rows of one person in "
                f"the cells of {type(prepared.statistic).__name__}: take Laplace(), or max_rows=1"
            )
        return (cast("Guarantee", strongest(epsilon, scope)),)
    return (cast("Guarantee", strongest(epsilon / shares, scope)),) * shares


def parse_several(statistics: Mapping[Any, object]) -> dict[str, object]:
    """Statistics by the names that the caller gives them."""
    if not statistics:
        raise ParameterError("give at least one statistic, such as {'median': Median(...)}")
    for name in statistics:
        if not isinstance(name, str) or not name:
            raise ParameterTypeError(f"the name of a statistic must be text, got {name!r}")
    return dict(statistics)


def split(epsilon: Fraction, names: Sequence[str], weights: object) -> dict[str, Fraction]:
    """Each name's share of epsilon, exact; even without weights.

    ``weights`` is a mapping of the names to numbers > 0, or the numbers in the names' order.
    """
    if weights is None:
        parsed = dict.fromkeys(names, Fraction(1))
    elif isinstance(weights, Mapping):
        given = cast("Mapping[object, object]", weights)
        if set(given) != set(names):
            raise ParameterError(
                f"weights must name each statistic once ({', '.join(names)}), got "
                f"{', '.join(map(str, given)) or 'none'}"
            )
        parsed = {name: parse_total(given[name], "weights") for name in names}
    elif isinstance(weights, Sequence) and not isinstance(weights, str):
        listed = list(cast("Sequence[object]", weights))
        if len(listed) != len(names):
            raise ParameterError(
                f"weights: got {len(listed)} for {len(names)} statistics; give one each"
            )
        parsed = {n: parse_total(w, "weights") for n, w in zip(names, listed, strict=True)}
    else:
        raise ParameterTypeError(
            f"weights must be a mapping or a list of numbers, not {type(weights).__name__}"
        )
    total = sum(parsed.values(), Fraction(0))
    return {name: epsilon * weight / total for name, weight in parsed.items()}
