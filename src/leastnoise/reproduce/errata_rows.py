"""One row of the errata's tables: without a correction, with it, and the ratio."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Row:
    """An error, a size or a cost without and with an improvement; either may be missing.

    ``spread``: the standard error of the share.
    """

    name: str
    without: float | None = None
    improved: float | None = None
    share: float | None = None
    spread: float | None = None

    def numbers(self) -> dict[str, float]:
        """By column; "factor" is without / with where both are there and no share is given."""
        found = {"without": self.without, "with": self.improved, "factor": self.share}
        if self.share is None and self.without is not None and self.improved:
            found["factor"] = self.without / self.improved
        return {name: float(value) for name, value in found.items() if value is not None}
