# pyright: basic, reportMissingImports=false
# the library is audited where it is installed: it is not a dependency, and has no types
"""synthcity: the noise and the network of PrivBayes."""

from __future__ import annotations

import sys
from functools import cache
from math import nan
from unittest.mock import MagicMock, patch

import numpy as np

from leastnoise.audit.peers.check import Check, Peer, Replayed, Sampled, pure
from leastnoise.audit.peers.replay import Additive, additive

ROWS: list[tuple[float, ...]] = [(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 1)] * 3


@cache
def _privbayes():
    """The class; its plots stay out, as they bring some fifty packages that no noise depends on."""
    plots = {name: MagicMock() for name in ("synthcity.metrics", "synthcity.metrics.plots")}
    plots = {name: plot for name, plot in plots.items() if name not in sys.modules}
    sys.modules.update(plots)
    try:
        from synthcity.plugins.privacy.plugin_privbayes import PrivBayes
    finally:
        for name in plots:
            del sys.modules[name]
    return PrivBayes


def _counts(parents: int):
    def law(rows: list[tuple[float, ...]]) -> Additive:
        """The noisy counts of two of three columns, with at most this many parents."""
        import pandas as pd

        model = _privbayes()(epsilon=1.0, K=parents)
        table, _ = model._encode(pd.DataFrame(rows, columns=["a", "b", "c"]))

        def run(variate: float) -> list[float]:
            def noise(loc: float = 0.0, scale: float = 1.0, size: int | None = None):
                return np.full(size or 1, loc + scale * variate)

            # it draws from numpy: a fixed number stands there for this call, nothing is released
            with patch("numpy.random.laplace", noise):
                counts = model._get_noisy_counts_for_attributes(table, ["a", "b"])
            return counts["count"].tolist()

        return additive(run)

    return law


def _network(a: list[int]) -> tuple[int, ...]:
    """How many parents each of two columns has."""
    import pandas as pd

    half = len(a) // 2
    table = pd.DataFrame({"a": a, "b": [0] * half + [1] * half})
    return tuple(len(parents) for _, parents in _privbayes()(epsilon=1.0, K=1)._greedy_bayes(table))


def _column(zeros: int) -> list[int]:
    """24 entries: this many zeros in the first half, and half of the second half."""
    return [0] * zeros + [1] * (12 - zeros) + [0] * 6 + [1] * 6


PAPER = "https://arxiv.org/abs/2602.17454"

PEER = Peer(
    "synthcity",
    [
        Check(
            "noise-of-counts",
            pure(1),
            call="PrivBayes(epsilon=1, K=3), noisy counts of two of three columns",
            neighbours="12 rows, one changed",
            source=PAPER,
            evidence=Replayed(_counts(3), (ROWS, [*ROWS[:-1], (0, 0, 0)])),
        ),
        Check(
            "missing-values",
            pure(1),
            call="PrivBayes(epsilon=1, K=1), noisy counts of two of three columns",
            neighbours="12 rows, one number changed from 1 to NaN",
            source=PAPER,
            evidence=Replayed(_counts(1), (ROWS, [*ROWS[:-1], (nan, 1, 1)])),
        ),
        Check(
            "weak-parents",
            pure(1),
            call="PrivBayes(epsilon=1, K=1), which columns have a parent",
            neighbours="24 rows, one changed",
            source=PAPER,
            evidence=Sampled(_network, (_column(7), _column(8)), 200),
        ),
    ],
)
