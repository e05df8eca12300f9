"""The least sum of squared deviations of consecutive records, the others left out at the ends.

Proofs: ``docs/proofs/variance.md``.
"""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from leastnoise.statistics.spread.sums import SpreadSums


class Ends:
    """Windows that leave i of the smallest and l - i of the largest records out.

    Everything is counted from the mean, rounded down, which changes no squared deviation.
    """

    def __init__(
        self, smallest: NDArray[Any], largest: NDArray[Any], total: int, squares: int, n: int
    ) -> None:
        mean = total // n
        self.n, self.total = n, total - n * mean
        self.squares = squares - 2 * mean * total + n * mean * mean
        self._smallest, self._largest = smallest - mean, largest - mean
        self._low, self._high = SpreadSums(self._smallest), SpreadSums(self._largest)
        self._low_floats, self._high_floats = self._low.floats(), self._high.floats()
        self._low_floats[0][:] -= self.total

    def least(self, removed: int) -> int:
        """min over i of kept * squares - sum^2, exact."""
        kept = self.n - removed
        best: int | None = None
        for i in self._near_least(removed, kept):
            j = removed - i
            total = self.total - self._low.first[i] - self._high.first[j]
            squares = self.squares - self._low.squares(i) - self._high.squares(j)
            value = kept * squares - total * total
            if value == 0:  # none is less
                return 0
            best = value if best is None or value < best else best
        return 0 if best is None else best

    def shortest(self, removed: int) -> int:
        """The least distance of the ends of such windows; 0 where the summary does not tell."""
        if removed >= len(self._smallest):
            return 0
        apart = self._largest[removed::-1] - self._smallest[: removed + 1]
        found: int = apart.item(apart.argmin())
        return found

    def _near_least(self, removed: int, kept: int) -> list[int]:
        """Windows whose float value is within far more than the float error of the least."""
        (low_sum, low), (high_sum, high) = self._low_floats, self._high_floats
        # what goes off the squares: those left out, and the square of the mean of the rest
        off = low[: removed + 1] + high[removed::-1]
        rest = low_sum[: removed + 1] + high_sum[removed::-1]
        rest *= rest
        rest /= kept
        off += rest
        slack = float(self.squares) * 2.0**-46 * (1 + removed // kept)
        most: float = off.item(off.argmax())
        near: list[int] = (off >= most - slack).nonzero()[0].tolist()
        return near
