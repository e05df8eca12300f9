# pyright: basic, reportMissingImports=false
# the library is audited where it is installed: it is not a dependency, and has no types
"""dpmm: the domain of a model that was given none, and what one missing entry adds."""

from __future__ import annotations

from contextlib import contextmanager
from unittest.mock import patch

import numpy as np

from leastnoise.audit.peers.check import Check, Peer, Replayed, approximate
from leastnoise.audit.peers.replay import Additive, additive


def _measured(domain: dict[str, int] | None):
    def law(column: list[int]) -> Additive:
        """The noisy counts of a column, which are all that such a model learns."""
        import pandas as pd

        def run(variate: float) -> list[float]:
            model = _model(domain)
            with _replaced(variate):
                model.fit(pd.DataFrame({"a": column}), marginals_only=True)
            return _counts(model)

        return additive(run)

    return law


def _binned(column: list[str | None]) -> Additive:
    """The counts of each column, behind the library's own preparation of a declared table."""
    import pandas as pd
    from dpmm.pipelines.base import GenerativePipeline
    from dpmm.processing.table_binner import TableBinner

    def run(variate: float) -> list[float]:
        model = _model(None)
        pipeline = GenerativePipeline(model, TableBinner())
        # which pairs of columns are counted besides does not matter: none is
        with _replaced(variate), patch("dpmm.models.mst.MST.select", _no_pairs):
            pipeline.fit(
                pd.DataFrame({"a": column}),
                domain={"a": {"categories": ["x", "y"]}},
                random_state=0,  # of what stands for a missing label
                marginals_only=True,
            )
        return _counts(model)

    return additive(run)


def _no_pairs(*_: object) -> list[object]:
    return []


def _model(domain: dict[str, int] | None):
    from dpmm.models.mst import MSTGM

    return MSTGM(epsilon=1.0, delta=1e-5, n_jobs=1, compress=False, domain=domain)


def _counts(model) -> list[float]:
    return [float(y) for _, counts, _, _ in model.generator.measures for y in counts]


@contextmanager
def _replaced(variate: float):
    """This number in the place of every standard variate."""
    with (
        patch("dpmm.models.base.mechanisms.mechanism.gaussian_noise", _noise(variate)),
        patch("dpmm.models.mst.gaussian_noise", _noise(variate)),
    ):
        yield


def _noise(variate: float):
    def gaussian_noise(sigma: float, size: int | tuple[int, ...], **_: object) -> np.ndarray:
        return np.full(size, sigma * variate)

    return gaussian_noise


_LABELS = ["x", "y", "x", "y", "y"]
PAPER = "https://arxiv.org/abs/2602.17454"
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
        Check(
            "missing-values",
            approximate(1, "1e-5"),
            call="GenerativePipeline(MSTGM(epsilon=1, delta=1e-5), TableBinner()).fit(table), with "
            "all categories in domain; counts of single columns",
            neighbours="six rows of one column, one label changed to a missing one",
            source=PAPER,
            evidence=Replayed(_binned, ([*_LABELS, "x"], [*_LABELS, None])),
        ),
        Check(
            "labels-given",
            approximate(1, "1e-5"),
            call="the same",
            neighbours="six rows of one column, one label changed to another",
            source=PAPER,
            evidence=Replayed(_binned, ([*_LABELS, "x"], [*_LABELS, "y"])),
        ),
    ],
)
