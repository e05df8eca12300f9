"""The cost and benefit of sampling, before it starts."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from leastnoise.blackbox.sizes import GUARANTEES, SampleSize, sample_size
from leastnoise.errors import ParameterError

_GAMMAS = tuple(Fraction(g) for g in ("0.01", "0.05", "0.1", "0.25", "0.5"))
_DEFAULT_BETA = Fraction(1, 1000)


@dataclass(frozen=True, slots=True)
class Plan:
    """The chosen operating point and others beside it.

    ``seconds`` is the time of one evaluation as the rehearsal measured it.
    """

    size: SampleSize
    others: tuple[SampleSize, ...]
    seconds: float
    processes: int

    @property
    def expected_seconds(self) -> float:
        """Two evaluations a pair, spread over the processes."""
        return self.time_of(self.size)

    def time_of(self, size: SampleSize) -> float:
        """The expected time of another operating point."""
        return 2 * size.m * self.seconds / self.processes

    def __str__(self) -> str:
        chosen = self.size
        lines = [
            f"{chosen.m} pairs, {2 * chosen.m} evaluations of about {_time(self.seconds)} in "
            f"{self.processes} process{'es' if self.processes > 1 else ''}: about "
            f"{_time(self.expected_seconds)}",
            f"sensitivity: the {_ordinal(chosen.k)} smallest of {chosen.m} changes",
            _promise(chosen),
            "",
            f"{'gamma':>6}  " + "  ".join(f"{name:>18}" for name in GUARANTEES),
        ]
        for gamma in _GAMMAS:
            row = [size for size in self.others if size.gamma == gamma]
            cells = [f"{size.m:>8} {_time(self.time_of(size)):>9}" for size in row]
            lines.append(f"{float(gamma):>6g}  " + "  ".join(cells))
        lines.append("smaller gamma: more pairs covered, more work, more noise")
        return "\n".join(lines)

    def print(self, file: Any = None) -> None:
        """Write the plan to a file or to standard output."""
        (sys.stdout if file is None else file).write(f"{self}\n")


def plan_of(size: SampleSize, seconds: float, processes: int) -> Plan:
    """The plan of an operating point, with the smallest sizes for other shares beside it."""
    beta = size.beta or _DEFAULT_BETA
    others = [
        sample_size(name, gamma=gamma, beta=beta, m=None)
        for gamma in _GAMMAS
        for name in GUARANTEES
    ]
    return Plan(size, tuple(others), seconds, processes)


def operating_points(gamma: object = None, m: int | None = None) -> SampleSize:
    """A row of the paper's Table 1: from gamma, from m, or from both.

    Parameters
    ----------
    gamma : number, optional
        The share of pairs that may be missed, the sampler's luck included.
    m : int, optional
        Pairs.

    Returns
    -------
    SampleSize
        gamma alone: the smallest m. Both: the smallest k. m alone: the smallest gamma, k = m.

    Examples
    --------
    >>> from leastnoise.blackbox import operating_points
    >>> operating_points("0.1").m, operating_points(m=1500).k
    (285, 1500)
    """
    from leastnoise.params import parse_count, parse_delta

    share = None if gamma is None else parse_delta(gamma, "gamma")
    count = None if m is None else parse_count(m, "m")
    if share is None and count is None:
        raise ParameterError("give gamma or m, or both")
    return sample_size("paper", gamma=share, beta=_DEFAULT_BETA, m=count)


def _promise(size: SampleSize) -> str:
    share = f"a share {float(1 - size.gamma):g} of pairs"
    if size.beta:
        return f"covers {share} with confidence {float(1 - size.beta):g}"
    return f"covers {share} on average over the sampler's own luck"


def _time(seconds: float) -> str:
    if seconds < 1e-3:
        return f"{seconds * 1e6:.0f} us"
    if seconds < 1:
        return f"{seconds * 1e3:.0f} ms"
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _ordinal(k: int) -> str:
    ending = {1: "st", 2: "nd", 3: "rd"}.get(k % 10, "th")
    return f"{k}{'th' if k % 100 in (11, 12, 13) else ending}"
