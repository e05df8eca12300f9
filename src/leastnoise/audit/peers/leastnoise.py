"""Ourselves, at the same places: what others were found at is tried here too."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from math import inf, nan
from typing import Any, cast

from leastnoise.audit.peers.check import Check, Peer, Sampled, pure
from leastnoise.params import PrivateBounds
from leastnoise.record import Release
from leastnoise.session import release
from leastnoise.statistics import Covariance, Histogram, Mean, Median, Sum

_RANGE = (0, 1)
_THREE = [0.0, 0.5, 1.0]
_PAIRS = [(0.0, 0.0), (1.0, 1.0), (0.5, 0.5)]


def _of(statistic: Any, relation: str = "replace-one") -> Callable[[Any], object]:
    """One release with epsilon 1."""
    return partial(_released, statistic, relation)


def _released(statistic: Any, relation: str, data: Any) -> object:
    released = cast("Release", release(statistic, data, epsilon=1, relation=relation))
    return released.value


def _regression(rows: list[tuple[float, float]]) -> float:
    from leastnoise.estimators import PrivateLinearRegression

    model = PrivateLinearRegression(
        epsilon=1, bounds=[(0, 100)], target_bounds=_RANGE, fit_intercept=False
    )
    return float(model.fit([[x] for x, _ in rows], [y for _, y in rows]).coef_[0])


def _check(
    name: str,
    call: str,
    neighbours: str,
    evidence: Sampled,
    relation: str = "replace-one",
    needs: str = "",
) -> Check:
    claim = pure(1, relation)
    return Check(name, claim, call, neighbours, "docs/privacy-guarantee.md", evidence, needs)


PEER = Peer(
    "leastnoise",
    [
        _check(
            "missing-values",
            "Mean(bounds=(0, 1)), epsilon=1",
            "four numbers, one changed to NaN",
            Sampled(_of(Mean(bounds=_RANGE)), ([*_THREE, nan], [*_THREE, 1.0]), 600),
        ),
        _check(
            "out-of-range",
            "Sum(bounds=(0, 1)), epsilon=1",
            "four numbers, one changed from 0 to 1e30",
            Sampled(_of(Sum(bounds=_RANGE)), ([*_THREE, 1e30], [*_THREE, 0.0]), 1_000),
        ),
        _check(
            "infinite",
            "Median(bounds=(0, 1)), epsilon=1",
            "four numbers, one changed from 0 to infinity",
            Sampled(_of(Median(bounds=_RANGE)), ([*_THREE, inf], [*_THREE, 0.0]), 1_000),
        ),
        _check(
            "last-bits",
            "Sum(bounds=(0, 1)), epsilon=1",
            "three numbers, one changed from 0 to 1",
            Sampled(_of(Sum(bounds=_RANGE)), ([0.0, 0.0, 0.0], [0.0, 0.0, 1.0]), 4_000),
        ),
        _check(
            "number-of-rows",
            "Sum(bounds=(0, 1)), epsilon=1",
            "two rows of zeros, one more",
            Sampled(_of(Sum(bounds=_RANGE), "add-remove"), ([0.0] * 2, [0.0] * 3), 2_000),
            "add-remove",
        ),
        _check(
            "covariance",
            "Covariance(bounds=(0, 1) twice), epsilon=1",
            "four rows, one number changed from 0 to 1000",
            Sampled(
                _of(Covariance(bounds=[_RANGE, _RANGE])),
                ([*_PAIRS, (1e3, 0.0)], [*_PAIRS, (0.0, 0.0)]),
                600,
            ),
        ),
        _check(
            "labels",
            "Histogram(categories=['a', 'b']), epsilon=1",
            "three labels, one changed to one that was not declared",
            Sampled(
                _of(Histogram(categories=["a", "b"])), (["a", "b", "c"], ["a", "b", "b"]), 1_000
            ),
        ),
        _check(
            "bounds-learnt",
            "Mean(bounds=PrivateBounds()), epsilon=1",
            "four numbers, one changed from 1 to -1e30",
            Sampled(
                _of(Mean(bounds=PrivateBounds())),
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
