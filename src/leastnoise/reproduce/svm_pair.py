"""An accelerated pair for the sensitivity sampler: a linear SVM, refitted for one changed record.

The SVM is min |w|^2 / 2 + (C/n) sum max(0, 1 - y_i (w x_i + b)), the consistent form of Rubinstein
et al. (2012). Two ideas make a pair cheap:

* **KKT**: if the record that leaves is no support vector and the one that comes has a margin above
  1, the fit of the first database fulfils the optimality conditions of the second: nothing changes
  (errata 4.10);
* otherwise the second fit starts from the first, where all but a few records keep their side of
  the margin.

The solver is an active-set method in d + 1 dimensions with an exact line search. It is exact up to
rounding, so both fits of a pair are the minimisers that the KKT argument speaks of.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

CLASSES = (0.2, 0.8)
SPREAD = 0.1


def draw_records(rng: np.random.Generator, size: int, dimension: int) -> np.ndarray:
    """The paper's mixture: features near 0.2 (class 1) or 0.8 (class -1), the label last."""
    label = rng.integers(0, 2, size) * 2.0 - 1
    centre = np.where(label > 0, *CLASSES)
    features = centre[:, None] + SPREAD * rng.normal(size=(size, dimension))
    return np.column_stack([features, label])


@dataclass(slots=True)
class Fit:
    """Coefficients (w, b), margins, which records lie inside the margin, and which on it."""

    solution: np.ndarray
    margins: np.ndarray
    inside: np.ndarray
    on: list[int]


def signed(records: np.ndarray) -> np.ndarray:
    """y (x, 1) for every record, so that margins are products with (w, b)."""
    label = records[:, -1:]
    return np.column_stack([records[:, :-1] * label, label])


def fit(records: np.ndarray, C: float) -> np.ndarray:
    """(w, b) of the SVM: the function that is released."""
    return solve(signed(records), C / len(records)).solution


def pair(records: np.ndarray, C: float) -> np.ndarray:
    """(w, b) for the first n records, and for the first n - 1 with the last."""
    n = len(records) - 1
    rows = signed(records)
    first = solve(rows[:n], C / n)
    leaves, comes = n - 1, rows[n] @ first.solution
    # an intercept on a flat interval depends on its ends too: then nothing is skipped
    kept = first.on and not first.inside[leaves] and leaves not in first.on
    if kept and comes > 1:
        return np.concatenate([first.solution, first.solution])
    changed = rows[:n].copy()
    changed[leaves] = rows[n]
    start = Fit(
        first.solution.copy(),
        first.margins.copy(),
        first.inside.copy(),
        [i for i in first.on if i != leaves],
    )
    start.margins[leaves] = comes
    start.inside[leaves] = comes < 1
    return np.concatenate([first.solution, solve(changed, C / n, start).solution])


def solve(rows: np.ndarray, weight: float, start: Fit | None = None) -> Fit:
    """Minimise |w|^2 / 2 + weight sum max(0, 1 - rows (w, b)) by active sets."""
    n, size = rows.shape
    found = _first(rows, weight) if start is None else start
    curvature = np.ones(size)
    curvature[-1] = 0.0
    pull = weight * (found.inside @ rows)
    for _ in range(50 * size + n):
        on = found.on
        gradient = curvature * found.solution - pull
        # keep the records on the margin there: [[H, -Z'], [Z, 0]] (step, multipliers)
        system = np.zeros((size + len(on), size + len(on)))
        np.fill_diagonal(system, [*curvature, *[0.0] * len(on)])
        if not on:
            system[size - 1, size - 1] = 1e-6  # the intercept alone is flat
        system[:size, size:] = -rows[on].T
        system[size:, :size] = rows[on]
        answer = np.linalg.solve(system, np.concatenate([-gradient, 1 - found.margins[on]]))
        step, multipliers = answer[:size], answer[size:]
        if np.abs(step).max() < 1e-11:
            if not on:
                return _centred(found, rows)
            excess = np.maximum(-multipliers, multipliers - weight)
            worst = int(excess.argmax())
            if excess[worst] <= 1e-12:
                if len(on) == 1 and min(abs(multipliers[0]), abs(multipliers[0] - weight)) < 1e-12:
                    return _centred(found, rows, on[0], bool(multipliers[0] > weight / 2))
                return found
            record = on.pop(worst)
            if multipliers[worst] > weight:
                found.inside[record] = True
                pull = pull + weight * rows[record]
            continue
        pull = _advance(found, rows, weight, step, gradient, curvature, pull)
    raise RuntimeError("the active set did not settle")


def _centred(fit: Fit, rows: np.ndarray, end: int = -1, within: bool = False) -> Fit:
    """Where an interval of intercepts is optimal take its middle, as libsvm does.

    No record is on the margin inside the interval; at its ends one is, ``end``, that belongs inside
    the margin (``within``) or outside.
    """
    label = rows[:, -1]
    gaps = (1 - fit.margins) * label  # how far the intercept is from each record's margin
    if end >= 0:
        fit.on.clear()
        fit.inside[end] = within
        toward = -label[end] if within else label[end]
        gaps[end] = 0.0
        shift = toward * np.min(toward * gaps[toward * gaps > 0]) / 2
    else:
        shift = (gaps[gaps > 0].min() + gaps[gaps < 0].max()) / 2
    fit.solution = fit.solution + np.eye(len(fit.solution))[-1] * shift
    fit.margins = fit.margins + shift * label
    return fit


def _first(rows: np.ndarray, weight: float) -> Fit:
    """A start: the minimiser without an intercept if every record were inside the margin."""
    solution = weight * rows.sum(axis=0)
    solution[-1] = 0.0
    label = rows[:, -1]
    solution[-1] = -np.median(rows[:, :-1] @ solution[:-1] * label)
    margins = rows @ solution
    return Fit(solution, margins, margins < 1, [])


def _advance(
    fit: Fit,
    rows: np.ndarray,
    weight: float,
    step: np.ndarray,
    gradient: np.ndarray,
    curvature: np.ndarray,
    pull: np.ndarray,
) -> np.ndarray:
    """Exact line search over the records that cross the margin; one may stay on it."""
    moves = rows @ step
    moves[fit.on] = 0.0
    # a record just let go stands on the margin up to rounding: its side tells, not its margin
    toward = np.where(fit.inside, moves > 0, moves < 0)
    times = np.full(len(rows), np.inf)
    times[toward] = np.maximum(0.0, (1 - fit.margins[toward]) / moves[toward])
    crossing = np.flatnonzero(toward)
    crossing = crossing[np.argsort(times[crossing])]
    slope, bend = gradient @ step, (curvature * step) @ step
    # at the i-th crossing the slope has grown by the bend and by the jumps before it
    jumps = weight * np.abs(moves[crossing])
    after = slope + bend * times[crossing] + np.cumsum(jumps)
    place = int(np.searchsorted(after, 0.0))
    passed = crossing[:place]
    before = slope + jumps[:place].sum()
    time = -before / bend if bend > 0 else np.inf
    if place < len(crossing) and time >= times[crossing[place]]:
        time = times[crossing[place]]
        stays = int(crossing[place])
        fit.on.append(stays)
        if fit.inside[stays]:
            fit.inside[stays] = False
            pull = pull - weight * rows[stays]
    signs = np.where(fit.inside[passed], -weight, weight)
    pull = pull + signs @ rows[passed]
    fit.inside[passed] ^= True
    fit.solution = fit.solution + time * step
    fit.margins = fit.margins + time * moves
    return pull
