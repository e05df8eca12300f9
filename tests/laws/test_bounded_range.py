"""Which mechanisms have a bounded range: the log-ratio of every pair of neighbours, in full.

``strongest`` says epsilon-bounded range for the inverse sensitivity and the piecewise Laplace
mechanism. Here the interval of ln(P/Q) over all outputs is computed for every pair of neighbouring
data sets of a small universe. Laplace noise breaks the claim, and is epsilon-DP all the same.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit
from leastnoise.audit import coverage
from leastnoise.audit.cases import EPSILONS
from leastnoise.testing.neighbours import data_sets, neighbours, records

UNIVERSE = (0, 1, 4, 6)
ROWS = 3
PARTS = 8
SLACK = 1e-9
STATISTICS: dict[str, Any] = {
    "median": ln.Median(bounds=(0, 6)),
    "interquartile range": ln.InterquartileRange(bounds=(0, 6)),
}
MECHANISMS: list[Any] = [
    ln.InverseSensitivity(),
    ln.InverseSensitivity(rho=1),
    ln.PiecewiseLaplace(),
    ln.PiecewiseLaplace(rho=1),
    ln.PiecewiseLaplace(base="log", shift=-2),
]


def losses(statistic: Any, mechanism: Any, relation: str, epsilon: Fraction) -> list[np.ndarray]:
    """ln(P/Q) at the outputs 0, ..., 6, for every pair of neighbours."""
    laws: dict[tuple[int, ...], np.ndarray] = {}
    for x in data_sets(len(UNIVERSE), ROWS):
        data = np.array(records(x, UNIVERSE), dtype=np.int64)
        profile = ln.profile(statistic, data, relation=relation)
        law = mechanism.law(profile, epsilon)
        laws[x] = np.array([law.point_mass(point) for point in range(7)])
    found: list[np.ndarray] = []
    for x, mass in laws.items():
        for other in neighbours(x, len(UNIVERSE), relation):
            if other not in laws:
                continue
            found.append(np.log(mass) - np.log(laws[other]))
    return found


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
@pytest.mark.parametrize("mechanism", MECHANISMS, ids=lambda m: m.name)
@pytest.mark.parametrize("name", ["median", "interquartile range"])
@pytest.mark.parametrize("epsilon", [Fraction(1, 2), Fraction(2)])
def test_the_log_ratio_stays_in_an_interval_of_length_epsilon(
    name: str, mechanism: Any, relation: str, epsilon: Fraction
) -> None:
    widest = 0.0
    for loss in losses(STATISTICS[name], mechanism, relation, epsilon):
        width = float(loss.max() - loss.min())
        assert width <= float(epsilon) + SLACK
        assert np.abs(loss).max() <= float(epsilon) + SLACK
        widest = max(widest, width)
    assert mechanism.strongest(epsilon, ln.Scope()) == ln.BoundedRange(epsilon)
    assert widest > 0.5 * float(epsilon)  # the test sees losses at all


@pytest.mark.share(1 / 8)
@pytest.mark.parametrize("part", range(PARTS))
def test_every_release_keeps_the_range_that_its_draws_promise(part: int) -> None:
    """All cases of the matrix whose mechanism may promise a range, each at one of the epsilons."""
    audited, every = 0, list(coverage._cells(None, None, EPSILONS, None))
    for case, mechanism, relation, epsilon in list(coverage.in_turn(every))[part::PARTS]:
        chosen = mechanism.mechanism
        scope = ln.Scope()
        if chosen is not None and chosen.strongest(epsilon, scope) == chosen.guarantee(
            epsilon, scope
        ):
            continue
        report = audit.exact(
            case.statistic,
            mechanism.mechanism,
            universe=case.universe,
            n=min(case.n, case.quick_n, mechanism.quick_n),
            relation=relation,
            epsilon=epsilon,
            missing=case.missing,
            build=case.build,
            measure="bounded-range",
        )
        assert report.passed, (case.name, mechanism.name, relation, epsilon)
        audited += 1
    assert audited > 500 / PARTS


def test_laplace_has_twice_the_range_and_does_not_claim_it() -> None:
    epsilon = Fraction(1)
    widest = max(
        float(loss.max() - loss.min())
        for loss in losses(STATISTICS["median"], ln.Laplace(), "replace-one", epsilon)
    )
    assert widest > 1.5 * float(epsilon)
    assert ln.Laplace().strongest(epsilon, ln.Scope()) == ln.PureDP(epsilon)
