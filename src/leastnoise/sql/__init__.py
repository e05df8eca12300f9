"""Questions in SQL: read by sqlglot, answered by the statistics of the library."""

from __future__ import annotations

from typing import Any


def load_ipython_extension(shell: Any) -> None:
    """Know the cell magic ``%%leastnoise`` after ``%load_ext leastnoise.sql``."""
    from leastnoise.sql.magic import register  # only in notebooks

    register(shell)
