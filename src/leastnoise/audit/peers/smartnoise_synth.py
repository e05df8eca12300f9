# pyright: basic, reportMissingImports=false
# the library is audited where it is installed: it is not a dependency, and has no types
"""smartnoise-synth: the private covariance matrix."""

from __future__ import annotations

import runpy
from importlib.util import find_spec
from math import nan
from pathlib import Path
from unittest.mock import patch

import numpy as np

from leastnoise.audit.peers.check import Check, Peer, Replayed, pure
from leastnoise.audit.peers.replay import Additive, additive
from leastnoise.errors import ParameterError

_ENTRIES = 3


def _covariance(rows: list[tuple[float, float]]) -> Additive:
    """The three entries; noise is drawn by the inverse of Laplace's distribution function."""
    import pandas as pd

    found = find_spec("snsynth")
    if found is None or not found.submodule_search_locations:
        raise ParameterError("snsynth is not there")
    # read as the file stands: importing the package brings PyTorch, and old versions of it name
    # modules that scikit-learn no longer has
    file = Path(found.submodule_search_locations[0], "models", "dp_covariance.py")
    covariance = runpy.run_path(str(file))["DPcovariance"]

    def run(variate: float) -> list[float]:
        def uniform(size: int) -> np.ndarray:
            # the noise of the entries; a missing number is replaced by some other draws
            return np.full(size, 1 - np.exp(-variate) / 2 if size == _ENTRIES else 0.5)

        # it draws from numpy: for this call a fixed number stands there, and nothing is released
        with patch("numpy.random.uniform", uniform):
            bounds = pd.DataFrame([[0.0, 0.0], [1.0, 1.0]])
            release = covariance(len(rows), [0, 1], bounds, 1.0)
            return release.release(pd.DataFrame(rows, columns=[0, 1]))

    return additive(run)


ROWS = [(0.0, 0.0), (1.0, 1.0), (0.5, 0.5)]
ISSUE = "https://github.com/opendp/smartnoise-sdk/issues/622"

PEER = Peer(
    "smartnoise-synth",
    [
        Check(
            "covariance",
            pure(1),
            call="DPcovariance(n, columns, bounds of 0 and 1, epsilon=1).release(data)",
            neighbours="four rows, one number changed from 0 to 1000, which the bounds clip to 1",
            source=ISSUE,
            evidence=Replayed(_covariance, ([*ROWS, (0.0, 0.0)], [*ROWS, (1000.0, 0.0)])),
        ),
        Check(
            "covariance-within-bounds",
            pure(1),
            call="the same",
            neighbours="four rows, one number changed from 0 to 1",
            source=ISSUE,
            evidence=Replayed(_covariance, ([*ROWS, (0.0, 0.0)], [*ROWS, (1.0, 0.0)])),
        ),
        Check(
            "missing-values",
            pure(1),
            call="the same",
            neighbours="four rows, one number changed from 0 to NaN",
            source="https://arxiv.org/abs/2602.17454",
            evidence=Replayed(_covariance, ([*ROWS, (0.0, 0.0)], [*ROWS, (nan, 0.0)])),
        ),
    ],
)
