# pyright: basic, reportMissingImports=false
# the library is audited where it is installed: it is no dependency, and has no types
"""dpmm: the domain of a model that was given none."""

from __future__ import annotations

from unittest.mock import patch

import numpy as np

from leastnoise.audit.peers.check import Check, Peer, Replayed, approximate
from leastnoise.audit.peers.replay import Additive, additive


def _measured(domain: dict[str, int] | None):
    def law(column: list[int]) -> Additive:
        """The noisy counts of a column, which are all that such a model learns."""
        import pandas as pd
        from dpmm.models.mst import MSTGM

        def run(variate: float) -> list[float]:
            model = MSTGM(epsilon=1.0, delta=1e-5, n_jobs=1, compress=False, domain=domain)
            table = pd.DataFrame({"a": column})
            with (
                patch("dpmm.models.base.mechanisms.mechanism.gaussian_noise", _noise(variate)),
                patch("dpmm.models.mst.gaussian_noise", _noise(variate)),
            ):
                model.fit(table, marginals_only=True)
            return [float(y) for _, counts, _, _ in model.generator.measures for y in counts]

        return additive(run)

    return law


def _noise(variate: float):
    def gaussian_noise(sigma: float, size: int | tuple[int, ...], **_: object) -> np.ndarray:
        return np.full(size, sigma * variate)

    return gaussian_noise


ISSUE = "https://github.com/sassoftware/dpmm/issues/18"

PEER = Peer(
    "dpmm",
    [
        Check(
            "domain",
            approximate(1, "1e-5"),
            call="MSTGM(epsilon=1, delta=1e-5).fit(table), without a domain",
            neighbours="six rows of one column, one changed from 2 to 9",
            source=ISSUE,
            evidence=Replayed(_measured(None), ([0, 1, 0, 1, 2, 9], [0, 1, 0, 1, 2, 2])),
        ),
        Check(
            "domain-given",
            approximate(1, "1e-5"),
            call="the same with domain={'a': 10}",
            neighbours="the same",
            source=ISSUE,
            evidence=Replayed(_measured({"a": 10}), ([0, 1, 0, 1, 2, 9], [0, 1, 0, 1, 2, 2])),
        ),
    ],
)
