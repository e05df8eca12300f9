"""Libraries that leastnoise works without: tests that need one are left out where it is missing."""

from __future__ import annotations

from typing import Any

import pytest


def optional(module: str) -> Any:
    """The module of an optional library, or a skip of the test, or of its file, that names it."""
    # Reason: users need no extra, and tests of an extra can say nothing without its library
    return pytest.importorskip(module, reason=f"{module} is of an optional library")
