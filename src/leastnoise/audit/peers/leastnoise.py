"""Ourselves, at the same places: what others were found at is tried here too."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf, nan
from typing import Any

import leastnoise as ln
from leastnoise.audit.peers.check import Check, Claim, Peer, Sampled, Selected
from leastnoise.guarantees import ZCDP, PureDP, Scope

_RANGE = (0, 1)
_FOUR = [0.0, 0.5, 1.0]


def _of(statistic: object, relation: str = "replace-one") -> Callable[[Any], object]:
    """One release with epsilon 1."""
    return partial(_released, statistic, relation)


def _released(statistic: Any, relation: str, data: Any) -> object:
    return ln.release(statistic, data, epsilon=1, relation=relation).value


def _regression(rows: list[tuple[float, float]]) -> float:
    from leastnoise.estimators import PrivateLinearRegression

    model = PrivateLinearRegression(
        epsilon=1, bounds=[(0, 100)], target_bounds=_RANGE, fit_intercept=False
    )
    return float(model.fit([[x] for x, _ in rows], [y for _, y in rows]).coef_[0])


def _selected(scores: list[int]) -> object:
    """Scores that move by 1, and noise that is (1/2)-zCDP: epsilon 2 of bounded range."""
    law = ln.Exponential().law(tuple(scores), epsilon=2)
    return law.sample()


def _check(
    name: str,
    call: str,
    neighbours: str,
    evidence: Sampled | Selected,
    claim: Claim = PureDP(1),
    needs: str = "",
) -> Check:
    return Check(name, claim, call, neighbours, "docs/privacy-guarantee.md", evidence, needs)


PEER = Peer(
    "leastnoise",
    [
        _check(
            "missing-values",
            "Mean(bounds=(0, 1)), epsilon=1",
            "four numbers, one changed to NaN",
            Sampled(_of(ln.Mean(bounds=_RANGE)), ([*_FOUR, nan], [*_FOUR, 1.0]), 600),
        ),
        _check(
            "out-of-range",
            "Sum(bounds=(0, 1)), epsilon=1",
            "four numbers, one changed from 0 to 1e30",
            Sampled(_of(ln.Sum(bounds=_RANGE)), ([*_FOUR, 1e30], [*_FOUR, 0.0]), 1_000),
        ),
        _check(
            "infinite",
            "Median(bounds=(0, 1)), epsilon=1",
            "four numbers, one changed from 0 to infinity",
            Sampled(_of(ln.Median(bounds=_RANGE)), ([*_FOUR, inf], [*_FOUR, 0.0]), 1_000),
        ),
        _check(
            "last-bits",
            "Sum(bounds=(0, 1)), epsilon=1",
            "three numbers, one changed from 0 to 1",
            Sampled(_of(ln.Sum(bounds=_RANGE)), ([0.0, 0.0, 0.0], [0.0, 0.0, 1.0]), 4_000),
        ),
        _check(
            "number-of-rows",
            "Sum(bounds=(0, 1)), epsilon=1",
            "two rows of zeros, one more",
            Sampled(_of(ln.Sum(bounds=_RANGE), "add-remove"), ([0.0] * 2, [0.0] * 3), 2_000),
            PureDP(1, Scope("add-remove")),
        ),
        _check(
            "covariance",
            "Covariance(bounds=(0, 1) twice), epsilon=1",
            "four rows, one number changed from 0 to 1000",
            Sampled(
                _of(ln.Covariance(bounds=[_RANGE, _RANGE])),
                ([(0.0, 0.0), (1.0, 1.0), (0.5, 0.5), (1e3, 0.0)],)
                + ([(0.0, 0.0), (1.0, 1.0), (0.5, 0.5), (0.0, 0.0)],),
                600,
            ),
        ),
        _check(
            "labels",
            "Histogram(categories=['a', 'b']), epsilon=1",
            "three labels, one changed to one that was not declared",
            Sampled(_of(ln.Histogram(categories=["a", "b"])), (["a", "b", "c"], ["a", "b", "b"]), 1_000),
        ),
        _check(
            "bounds-learnt",
            "Mean(bounds=PrivateBounds()), epsilon=1",
            "four numbers, one changed from 1 to -1e30",
            Sampled(
                _of(ln.Mean(bounds=ln.PrivateBounds())),
                ([1.0, 2.0, 3.0, -1e30], [1.0, 2.0, 3.0, 1.0]),
                400,
            ),
        ),
        _check(
            "linear-regression",
            "PrivateLinearRegression(epsilon=1, bounds=[(0, 100)], target_bounds=(0, 1))",
            "three rows, one x changed from 1 to 100",
            Sampled(
                _regression,
                ([(1.0, 0.0), (1.0, 0.0), (1.0, 0.0)], [(1.0, 0.0), (1.0, 0.0), (100.0, 0.0)]),
                400,
            ),
            needs="sklearn",
        ),
    ],
)
