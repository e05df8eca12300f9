"""What is refused when the environment says that the data is real: LEASTNOISE_PRODUCTION=1.

A profile or a law looks at private data, a simulation gives results that are not private. On public
data they are for accuracy studies and tests; beside real releases they are accidents.
"""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from leastnoise.errors import ProductionError
from leastnoise.silence import quiet

_OFF = ("", "0", "false", "no", "off")

_releasing: ContextVar[bool] = ContextVar("leastnoise_releasing", default=False)


def in_production() -> bool:
    """Whether the environment says that the data is real: any value but 0, false, no and off."""
    return os.environ.get("LEASTNOISE_PRODUCTION", "").strip().lower() not in _OFF


def forbid_in_production(name: str) -> None:
    """Refuse ``name`` where LEASTNOISE_PRODUCTION is set, except inside a release.

    Raises
    ------
    ProductionError
        If the environment says so.
    """
    if in_production() and not _releasing.get():
        raise ProductionError(
            f"{name} looks at private data and LEASTNOISE_PRODUCTION forbids it; use it on "
            "public or synthetic data, in an environment without that variable"
        )


@contextmanager
def releasing() -> Generator[None]:
    """A release is in progress, in a quiet room: laws inside are drawn from and never shown."""
    token = _releasing.set(True)
    try:
        with quiet():
            yield
    finally:
        _releasing.reset(token)
