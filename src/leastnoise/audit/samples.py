"""The statistical audit: a lower confidence bound on epsilon for anything that can be called."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from leastnoise.audit.events import (
    Array,
    Event,
    Features,
    Outputs,
    bin_edges,
    candidates,
    features_of,
    plain,
)
from leastnoise.errors import ParameterError, ParameterTypeError, quoted
from leastnoise.foreign import is_iterable
from leastnoise.frames.libraries.on_numpy import is_array
from leastnoise.guarantees import ApproxDP, PureDP
from leastnoise.params import parse_count, parse_epsilon, parse_number

_TESTS = 6
# What a release may end in; a program that ends itself does so on some data only, too.
_FAILURES = (Exception, SystemExit)

NOT_PROVED_STATISTICAL = (
    "A pass proves nothing: it covers this pair of data sets, the events tried and losses "
    "visible in this many draws. Only a failure is evidence."
)


@dataclass(frozen=True, slots=True)
class StatisticalReport:
    """What samples of two neighbouring data sets show.

    Attributes
    ----------
    epsilon_lower : float
        With the stated confidence the mechanism is not (epsilon, delta)-DP for any smaller
        epsilon; 0 where the samples show nothing.
    claimed, delta : float
        What was claimed.
    confidence : float
        Chance that ``epsilon_lower`` does not exceed the truth; all events tried are paid for.
    draws : int
        Outputs of each data set; half of them chose the events, the others tested them.
    event : str
        The event that gave the bound; ``counts`` are its hits among the ``tested`` draws, first of
        the data set where it is likelier.
    """

    epsilon_lower: float
    claimed: float
    delta: float
    confidence: float
    draws: int
    event: str
    counts: tuple[int, int]
    tested: int

    @property
    def passed(self) -> bool:
        """Whether the samples are compatible with the claim."""
        return self.epsilon_lower <= self.claimed

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "epsilon_lower": self.epsilon_lower,
            "claimed": self.claimed,
            "delta": self.delta,
            "confidence": self.confidence,
            "draws": self.draws,
            "event": self.event,
            "counts": list(self.counts),
            "tested": self.tested,
            "passed": self.passed,
        }

    def __str__(self) -> str:
        verdict = "no violation seen" if self.passed else "VIOLATED"
        return "\n".join(
            [
                f"statistical audit: {verdict}",
                f"  epsilon >= {self.epsilon_lower:.4g} with confidence {self.confidence:g}, "
                f"claimed {self.claimed:g}" + (f" at delta {self.delta:g}" if self.delta else ""),
                f"  event    {self.event}: {self.counts[0]:,} against {self.counts[1]:,} of "
                f"{self.tested:,} draws",
                f"  {NOT_PROVED_STATISTICAL}",
            ]
        )


def statistical(
    release_function: Callable[..., object],
    x: object,
    x_prime: object,
    *,
    claimed: object,
    draws: int = 20_000,
    confidence: float = 0.95,
    delta: object = 0,
    vectorised: bool = False,
) -> StatisticalReport:
    """A lower confidence bound on the epsilon of anything that can be called.

    Parameters
    ----------
    release_function : callable
        ``release_function(data)`` gives one output: a number, a tuple or list, an index, a text, a
        release. With ``vectorised`` it is called as ``release_function(data, size)`` and gives
        ``size`` independent outputs.
    x, x_prime
        Two neighbouring data sets, handed on as they are.
    claimed : number, PureDP or ApproxDP
        The epsilon (and delta) that is claimed.
    draws : int
        Outputs of each data set, at least 200.
    confidence : float
        Chance that a private mechanism is not accused.
    delta : number
        The claimed delta where ``claimed`` is a number.
    vectorised : bool
        Whether many outputs are asked for at once.

    Returns
    -------
    StatisticalReport
        ``passed`` is False when the bound exceeds the claim.

    Raises
    ------
    ParameterError, ParameterTypeError
        If a parameter is invalid.
    Exception
        Whatever ``release_function`` raises, if every call fails on both data sets.

    Notes
    -----
    A quarter of the draws proposes events (thresholds, windows, single values, sets of values by
    likelihood ratio, multiples of 2^-k and last bits of floats), a quarter ranks them, and the
    other half test the best six. For each, Clopper-Pearson bounds on both probabilities give
    epsilon >= log((p - delta) / p'); the confidence is split over all of these bounds (Bonferroni).
    An exception counts as an output of its own, unless every call fails on both data sets.

    A pass proves nothing: it says that these events showed no violation on this pair in so many
    draws. A failure is a violation at the stated confidence.

    Examples
    --------
    >>> import itertools
    >>> from leastnoise import audit
    >>> biased = itertools.cycle([True, True, True, False]).__next__
    >>> def answer(bit):
    ...     return bit if biased() else 1 - bit
    >>> audit.statistical(answer, 0, 1, claimed=2, draws=400).passed
    True
    """
    if not callable(release_function):
        raise ParameterTypeError(
            f"release_function must be callable, got {quoted(release_function)}"
        )
    epsilon, small = _claim(claimed, delta)
    if parse_count(draws, "draws") < 200:
        raise ParameterError(f"draws must be at least 200, got {quoted(draws)}")
    confidence = float(parse_number(confidence, "confidence"))
    if not 0 < confidence < 1:
        raise ParameterError(
            f"confidence must lie strictly between 0 and 1, got {quoted(confidence)}"
        )
    mine, theirs = (_draw(release_function, data, draws, vectorised) for data in (x, x_prime))
    if isinstance(mine, _FAILURES) and isinstance(theirs, _FAILURES):
        raise mine
    pair = _outputs(mine, draws), _outputs(theirs, draws)
    # a quarter of the draws proposes events, a quarter ranks them, half test the best
    quarter, half = draws // 4, draws // 2
    edges = bin_edges(pair[0][:quarter], pair[1][:quarter])
    first, second, third = (
        tuple(features_of(sample[part], edges) for sample in pair)
        for part in (slice(quarter), slice(quarter, half), slice(half, draws))
    )
    chosen = _best(list(candidates(first[0], first[1])), second, small, half - quarter)
    tested = draws - half
    level = (1 - confidence) / (2 * max(1, len(chosen)))
    best = (0.0, "none", (0, 0))
    for event, forward in chosen:
        hits = [int(event.contains(sample).sum()) for sample in third]
        k, k_prime = hits if forward else reversed(hits)
        bound = float(_bound(np.array([k]), np.array([k_prime]), tested, small, level)[0])
        if bound > best[0]:
            best = (bound, event.name, (k, k_prime))
    return StatisticalReport(best[0], epsilon, small, confidence, draws, best[1], best[2], tested)


def _claim(claimed: object, delta: object) -> tuple[float, float]:
    if isinstance(claimed, PureDP):
        return float(claimed.epsilon), 0.0
    if isinstance(claimed, ApproxDP):
        return float(claimed.epsilon), float(claimed.delta)
    small = parse_number(delta, "delta")
    if not 0 <= small < 1:
        raise ParameterError(f"delta must be at least 0 and below 1, got {quoted(delta)}")
    return float(parse_epsilon(claimed, "claimed")), float(small)


def _draw(
    function: Callable[..., object], data: object, draws: int, vectorised: bool
) -> Outputs | Array | Exception | SystemExit:
    """The outputs at one data set, or the exception that every call raised."""
    if vectorised:
        try:
            sample = function(data, draws)
        except _FAILURES as error:
            return error
        if is_array(sample) and sample.shape == (draws,) and sample.dtype.kind in "fiub":
            return sample
        listed = list(sample) if is_iterable(sample) else []
        if len(listed) != draws:
            raise ParameterError("a vectorised release_function must return size outputs")
        outputs = [plain(output) for output in listed]
        return outputs
    found: Outputs = []
    failure: Exception | SystemExit | None = None
    failures = 0
    for _ in range(draws):
        try:
            found.append(plain(function(data)))
        except _FAILURES as error:  # one that only some data sets raise is a leak
            failure, failures = error, failures + 1
            found.append(_raised(error))
    return failure if failure is not None and failures == draws else found


def _outputs(sample: Outputs | Array | Exception | SystemExit, draws: int) -> Outputs | Array:
    return [_raised(sample)] * draws if isinstance(sample, _FAILURES) else sample


def _raised(error: BaseException) -> str:
    return f"raised {type(error).__name__}"


def _best(
    events: list[Event], samples: tuple[Features, ...], delta: float, size: int
) -> list[tuple[Event, bool]]:
    """The events with the largest bounds on the choosing half, each with its direction."""
    hits = np.array([[int(e.contains(s).sum()) for s in samples] for e in events])
    if len(events) == 0:
        return []
    level = 0.01
    scores = np.concatenate(
        [
            _bound(hits[:, 0], hits[:, 1], size, delta, level),
            _bound(hits[:, 1], hits[:, 0], size, delta, level),
        ]
    )
    found: list[tuple[Event, bool]] = []
    seen: set[Hashable] = set()
    order: list[int] = np.argsort(-scores, kind="stable").tolist()
    for i in order:
        event, forward = events[i % len(events)], i < len(events)
        key = (*hits[i % len(events)].tolist(), forward)
        if key not in seen:  # events with equal hits are most likely one and the same
            seen.add(key)
            found.append((event, forward))
        if len(found) == _TESTS:
            break
    return found


def _bound(k: Array, k_prime: Array, size: int, delta: float, level: float) -> NDArray[np.float64]:
    """log((p - delta) / p') from Clopper-Pearson bounds, each wrong with chance ``level``."""
    from scipy.special import betaincinv

    low = np.where(k > 0, betaincinv(np.maximum(k, 1), size - k + 1, level), 0.0)
    high = np.where(
        k_prime < size, betaincinv(k_prime + 1, np.maximum(size - k_prime, 1), 1 - level), 1.0
    )
    with np.errstate(divide="ignore", invalid="ignore"):
        bound = np.log(np.maximum(low - delta, 0.0) / high)
    return np.where(np.isfinite(bound), bound, -np.inf)
