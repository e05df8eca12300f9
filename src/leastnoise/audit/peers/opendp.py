# pyright: basic, reportMissingImports=false, reportPrivateImportUsage=false
# pyright: reportAttributeAccessIssue=false
# the library is audited where it is installed: it is not a dependency, and its stubs change
"""OpenDP: selection under zCDP, and the last bits of Laplace noise."""

from __future__ import annotations

from functools import cache

from leastnoise.audit.peers.check import Check, Peer, Sampled, Selected, concentrated, pure


@cache
def _chooser():
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T=int)), dp.linf_distance(T=int)
    return dp.m.make_noisy_max(*space, dp.zero_concentrated_divergence(), scale=1.0)


def _choose(scores: list[int]) -> int:
    return _chooser()(scores)


@cache
def _adder():
    from opendp.mod import enable_features

    enable_features("contrib")
    try:
        import opendp.prelude as dp
    except ImportError:  # before 0.7
        return _early_adder()
    space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
    return dp.m.make_laplace(*space, scale=1.0)


def _early_adder():
    from opendp.mod import enable_features

    enable_features("floating-point")
    try:
        from opendp.measurements import make_base_laplace
    except ImportError:  # before 0.6
        from opendp.meas import make_base_laplace
    return make_base_laplace(scale=1.0)


def _laplace(x: float) -> float:
    return float(_adder()(x))


PEER = Peer(
    "opendp",
    [
        Check(
            "noisy-max",
            concentrated("1/2"),
            call="make_noisy_max(..., zero_concentrated_divergence(), scale=1), d_in = 1",
            neighbours="scores of 0 and 0 become 1 and -1",
            source="https://github.com/opendp/opendp/issues/2911",
            evidence=Selected(_choose, ([0, 0], [1, -1]), answer=1, draws=20_000),
            needs="opendp.measurements.make_noisy_max",
        ),
        Check(
            "last-bits",
            pure(1),
            call="make_laplace(scale=1), before 0.7 make_base_laplace, d_in = 1",
            neighbours="0 and 1",
            source="https://github.com/opendp/opendp/blob/main/CHANGELOG.md, Security of 0.5.0",
            evidence=Sampled(_laplace, (0.0, 1.0), 20_000),
        ),
    ],
)
