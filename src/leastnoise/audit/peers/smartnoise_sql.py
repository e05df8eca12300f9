# pyright: basic, reportMissingImports=false
# the library is audited where it is installed: it is not a dependency, and has no types
"""smartnoise-sql: bounds learnt from a noisy histogram."""

from __future__ import annotations

from math import inf, nan

from leastnoise.audit.peers.check import Check, Peer, Sampled, pure


def _bounds(values: list[float]) -> tuple[float | None, float | None]:
    from snsql.sql._mechanisms.approx_bounds import approx_bounds

    return approx_bounds(list(values), 1.0)


def _check(name: str, odd: float, shown: str) -> Check:
    return Check(
        name,
        pure(2, "replace-one"),
        call="approx_bounds(values, epsilon=1), where one value changed is two of a histogram",
        neighbours=f"four numbers, one changed from 1 to {shown}",
        source="https://github.com/opendp/smartnoise-sdk/pull/580",
        evidence=Sampled(_bounds, ([1.0, 2.0, 3.0, odd], [1.0, 2.0, 3.0, 1.0]), 400),
        needs="snsql.sql._mechanisms.approx_bounds.approx_bounds",
    )


PEER = Peer(
    "smartnoise-sql",
    [
        _check("bounds-out-of-range", -1e30, "-1e30"),
        _check("bounds-missing", nan, "NaN"),
        _check("bounds-infinite", inf, "infinity"),
    ],
)
