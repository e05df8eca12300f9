# pyright: basic, reportMissingImports=false, reportAttributeAccessIssue=false
# the library is audited where it is installed: it is not a dependency, and has no types
"""Opacus: one step of private gradient descent on a full batch."""

from __future__ import annotations

from math import nan
from unittest.mock import patch

from leastnoise.audit.peers.check import Check, Peer, Replayed, approximate
from leastnoise.audit.peers.replay import Additive, additive

# What PrivacyEngine.get_epsilon(1e-5) says after the step, rounded up.
CLAIM = approximate("4.4", "1e-5", "add-remove")


def _step(rows: list[list[float]]) -> Additive:
    """The weights after one step from 0."""
    import torch
    from opacus import PrivacyEngine
    from torch.utils.data import DataLoader, TensorDataset

    def run(variate: float) -> list[float]:
        def normal(*_: object, std: float, size: object, **__: object):
            return torch.full(size, float(std) * variate)

        model = torch.nn.Linear(len(rows[0]), 1, bias=False)
        torch.nn.init.zeros_(model.weight)
        data = TensorDataset(torch.tensor(rows), torch.ones(len(rows)))
        model, optimiser, loader = PrivacyEngine().make_private(
            module=model,
            optimizer=torch.optim.SGD(model.parameters(), lr=1.0),
            data_loader=DataLoader(data, batch_size=100),
            noise_multiplier=1.0,
            max_grad_norm=1.0,
        )
        with patch("torch.normal", normal):
            for x, y in loader:
                optimiser.zero_grad()
                ((model(x)[:, 0] - y) ** 2).sum().backward()
                optimiser.step()
        return [float(w) for w in model._module.weight.detach().ravel()]

    return additive(run)


def _nothing(count: int) -> list[list[float]]:
    return [[0.0] * 50] * count


PEER = Peer(
    "opacus",
    [
        Check(
            "number-of-rows",
            CLAIM,
            call="PrivacyEngine().make_private(..., noise_multiplier=1), a linear model of 50 "
            "weights, one step on all rows",
            neighbours="two rows of zeros, one more",
            source="https://github.com/meta-pytorch/opacus/issues/571",
            evidence=Replayed(_step, (_nothing(2), _nothing(3))),
        ),
        Check(
            "missing-values",
            approximate("4.4", "1e-5"),
            call="the same with one weight",
            neighbours="three rows, one number changed from 0 to NaN",
            source="https://arxiv.org/abs/2602.17454",
            evidence=Replayed(_step, ([[1.0], [0.0], [nan]], [[1.0], [0.0], [0.0]])),
        ),
    ],
)
