# pyright: basic, reportMissingImports=false
# the library is audited where it is installed: it is not a dependency, and has no types
"""DataSynthesizer: the noise of PrivBayes' conditional distributions."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np

from leastnoise.audit.peers.check import Check, Peer, Replayed, pure
from leastnoise.audit.peers.replay import Additive, additive

ROWS = [(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 1)] * 25


def _marginals(rows: list[tuple[int, ...]]) -> Additive:
    """Both noisy tables of a network of three columns with one parent each, epsilon together."""
    import pandas as pd
    from DataSynthesizer.lib.PrivBayes import get_noisy_distribution_of_attributes

    table = pd.DataFrame(rows, columns=["a", "b", "c"])

    def run(variate: float) -> list[float]:
        def noise(loc: float = 0.0, scale: float = 1.0, size: int | None = None):
            return np.full(size or 1, loc + scale * variate)

        # it draws from numpy: for this call a fixed number stands there, and nothing is released
        with patch("numpy.random.laplace", noise):
            return [
                count
                for pair in (["a", "b"], ["b", "c"])
                for count in get_noisy_distribution_of_attributes(pair, table, 1.0)["count"]
            ]

    return additive(run)


PEER = Peer(
    "DataSynthesizer",
    [
        Check(
            "conditional-distributions",
            pure(1, "add-remove"),
            call="get_noisy_distribution_of_attributes(columns, table, epsilon=1), both tables of "
            "a network of three columns",
            neighbours="100 rows, one row more",
            source="https://github.com/DataResponsibly/DataSynthesizer/issues/34",
            evidence=Replayed(_marginals, (ROWS, [*ROWS, (0, 0, 0)])),
            needs="DataSynthesizer.lib.PrivBayes.get_noisy_distribution_of_attributes",
        ),
        Check(
            "conditional-distributions-replaced",
            pure(2),
            call="the same",
            neighbours="100 rows, one changed: two rows apart, so twice epsilon",
            source="https://github.com/DataResponsibly/DataSynthesizer/issues/34",
            evidence=Replayed(_marginals, (ROWS, [*ROWS[:-1], (0, 0, 0)])),
            needs="DataSynthesizer.lib.PrivBayes.get_noisy_distribution_of_attributes",
        ),
    ],
)
