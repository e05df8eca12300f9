"""The loss of one record, as a function of its target and its predictions.

A loss reads one chunk of rows at a time and works row by row in float64: what it makes of
a row depends on that row alone. The arrays of one ``Workspace`` always have whole blocks
of 64 entries, so that every row goes through the same vector instructions wherever it
stands (``docs/proofs/losses.md``). A row with a missing entry or an undeclared label has
the loss NaN here; ``repaired`` says what it counts as.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import log, log1p
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]

# Without declared bounds a number is clipped here, so that its square is finite.
FARTHEST = 2.0**500
# The least probability that counts, as in scikit-learn: the loss is at most 52 ln 2.
LEAST_PROBABILITY = 2.0**-52


class Workspace:
    """Reusable arrays of one chunk, in whole blocks of 64 entries; the padding holds zeros."""

    def __init__(self, rows: int, arrays: int) -> None:
        size = -(-rows // 64) * 64
        self._arrays = [np.zeros(size) for _ in range(arrays)]
        self._rows = rows

    def array(self, index: int, rows: int) -> NDArray[np.float64]:
        """One array, long enough for this many rows."""
        held = self._arrays[index][: -(-rows // 64) * 64]
        held[rows:] = 0.0
        return held


class Loss(Protocol):
    """What a metric averages. ``top`` is the public upper limit of one loss, if it has any."""

    @property
    def top(self) -> Fraction | None:
        """The largest loss of one record; None for no limit."""
        ...

    @property
    def labels(self) -> tuple[object, ...] | None:
        """The declared labels of the targets, which arrive as their positions; None: numbers."""
        ...

    def arrays(self, predictions: int) -> int:
        """How many arrays of a workspace it uses."""
        ...

    def of(self, target: Array, predictions: Sequence[Array], work: Workspace) -> Array:
        """The losses of a chunk, in an array of the workspace; NaN where an entry is missing."""
        ...

    def repaired(self, target: Array, predictions: Sequence[Array]) -> Array:
        """The loss of rows with a missing entry, if they are not dropped."""
        ...


@dataclass(frozen=True, slots=True)
class Distance:
    """|target - prediction|, or its square, both clipped to the bounds.

    ``fill`` stands for a missing target or prediction.
    """

    bounds: tuple[Fraction, Fraction] | None
    squared: bool
    fill: Fraction

    @property
    def top(self) -> Fraction | None:
        """The width of the bounds, or its square."""
        if self.bounds is None:
            return None
        width = self.bounds[1] - self.bounds[0]
        return width * width if self.squared else width

    @property
    def labels(self) -> None:
        """Targets are numbers."""

    def arrays(self, predictions: int) -> int:
        """One for the targets, one for the predictions."""
        return 2

    def of(self, target: Array, predictions: Sequence[Array], work: Workspace) -> Array:
        """The losses of a chunk."""
        rows = len(target)
        a, b = work.array(0, rows)[:rows], work.array(1, rows)[:rows]
        self._clip(target, a)
        self._clip(predictions[0], b)
        np.subtract(a, b, out=a)
        return np.multiply(a, a, out=a) if self.squared else np.abs(a, out=a)

    def repaired(self, target: Array, predictions: Sequence[Array]) -> Array:
        """Missing entries count as ``fill``."""
        fill = float(self.fill)
        whole = [np.where(np.isnan(x), fill, x) for x in (target, predictions[0])]
        work = Workspace(len(target), 2)
        return self.of(whole[0], whole[1:], work)

    def _clip(self, values: Array, out: Array) -> None:
        if values.dtype != np.float64:
            values = values.astype(np.float64)
        low, high = (-FARTHEST, FARTHEST) if self.bounds is None else map(float, self.bounds)
        np.clip(values, low, high, out=out)


@dataclass(frozen=True, slots=True)
class Entropy:
    """Cross-entropy of declared labels, from probabilities or from logits.

    With one prediction column it is that of the second of two labels; otherwise there is one
    column a label, in their order. A row with a missing or undeclared label, or with a missing
    prediction, counts as the uniform prediction: ln(number of labels).
    """

    labels: tuple[object, ...]
    logits: bool
    bounds: tuple[Fraction, Fraction] | None
    loss_bound: Fraction | None
    binary: bool

    @property
    def top(self) -> Fraction | None:
        """The largest loss that the bounds of the predictions allow, and ``loss_bound``."""
        limits = [] if self.loss_bound is None else [self.loss_bound]
        if not self.logits:
            limits.append(Fraction(-log(LEAST_PROBABILITY)))
        elif self.bounds is not None:
            low, high = map(float, self.bounds)
            if self.binary:  # max(log(1 + e^-a), log(1 + e^b)) (errata 2)
                limits.append(Fraction(max(_softplus(-low), _softplus(high))))
            else:
                limits.append(Fraction(_softplus(high - low + log(len(self.labels) - 1))))
        return min(limits) if limits else None

    def arrays(self, predictions: int) -> int:
        """Three for one column, one a column and four more for several."""
        return 3 if self.binary else predictions + 4

    def of(self, target: Array, predictions: Sequence[Array], work: Workspace) -> Array:
        """The losses of a chunk."""
        with np.errstate(all="ignore"):
            if self.binary:
                return self._binary(target, predictions[0], work)
            return self._of_classes(target, predictions, work)

    def repaired(self, target: Array, predictions: Sequence[Array]) -> Array:
        """The loss of the uniform prediction."""
        return np.full(len(target), log(len(self.labels)))

    def _binary(self, target: Array, prediction: Array, work: Workspace) -> Array:
        rows = len(target)
        a, b, c = (work.array(i, rows) for i in range(3))
        self._clip(prediction, a[:rows])
        positive = target == 1
        if self.logits:
            np.negative(a, out=b)
            np.copyto(b[:rows], a[:rows], where=positive)  # the logit of the true label
            np.negative(np.abs(b, out=a), out=a)
            np.log1p(np.exp(a, out=a), out=a)
            np.maximum(np.negative(b, out=c), 0.0, out=c)
            np.add(a, c, out=b)
        else:
            np.subtract(1.0, a, out=b)
            np.copyto(b[:rows], a[:rows], where=positive)  # the probability of the true label
            np.maximum(b, LEAST_PROBABILITY, out=b)
            np.negative(np.log(b, out=b), out=b)
        known = positive
        known |= target == 0
        if not known.all():
            b[:rows][~known] = np.nan
        return b[:rows]

    def _of_classes(self, target: Array, predictions: Sequence[Array], work: Workspace) -> Array:
        rows, count = len(target), len(predictions)
        columns = [work.array(i, rows) for i in range(count)]
        own, total, spare, most = (work.array(count + i, rows) for i in range(4))
        own[:rows] = np.nan  # stays so where the label is none of the declared
        total[:] = 0.0
        for k, (column, values) in enumerate(zip(columns, predictions, strict=True)):
            self._clip(values, column[:rows])
            np.copyto(own[:rows], column[:rows], where=target == k)
        if self.logits:
            np.copyto(most, columns[0])
            for column in columns[1:]:
                np.maximum(most, column, out=most)
            for column in columns:
                total += np.exp(np.subtract(column, most, out=spare), out=spare)
            np.subtract(most, own, out=own)
            np.add(np.log(total, out=total), own, out=own)
        else:
            for column in columns:
                total += column
            np.divide(own, total, out=own)
            empty = total == 0  # every probability is 0: the uniform prediction
            if empty[:rows].any():
                known = np.isin(target, np.arange(count))
                own[:rows][empty[:rows] & known] = 1 / count
            own[rows:] = 1.0
            own += total * 0.0  # a missing probability makes the whole row missing
            np.maximum(own, LEAST_PROBABILITY, out=own)
            np.negative(np.log(own, out=own), out=own)
        return own[:rows]

    def _clip(self, values: Array, out: Array) -> None:
        if values.dtype != np.float64:
            values = values.astype(np.float64)
        if not self.logits:
            low, high = 0.0, 1.0
        elif self.bounds is None:
            low, high = -FARTHEST, FARTHEST
        else:
            low, high = map(float, self.bounds)
        np.clip(values, low, high, out=out)


def _softplus(x: float) -> float:
    """log(1 + e^x), a little more than less: losses are clipped to it."""
    return max(x, 0.0) + log1p(2.718281828459045 ** -min(abs(x), 700.0))
