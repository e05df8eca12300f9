"""Order statistics inside an engine, whatever brackets are known: those of the sorted rows."""

from __future__ import annotations

import random
from typing import Any

import narwhals as nw
import numpy as np
import pytest

from leastnoise.frames.engines import engine, on_polars, windows
from leastnoise.frames.engines.windows import Bracket, ranked_runs
from support.optional import optional

pl = optional("polars")


def bracket(x: np.ndarray[Any, Any], low: Any, high: Any, *, read: bool) -> Bracket:
    below = 0 if low is None else int((x < low).sum())
    until = len(x) if high is None else int((x <= high).sum())
    return Bracket(low, high, below, until - below, x[below:until] if read else None)


def test_a_bracket_gives_the_ranks_that_it_holds_and_no_others() -> None:
    x = np.array([1, 2, 2, 2, 5, 7, 7, 9])
    ends = [None, 1, 2, 3, 7, 9]
    ranks = range(1, len(x) + 1)
    held = 0
    for low in ends:
        for high in ends:
            if low is not None and high is not None and low > high:
                continue
            known = bracket(x, low, high, read=True)
            inside = [i for i in ranks if (low is None or x[i - 1] >= low)
                      and (high is None or x[i - 1] <= high)]  # fmt: skip
            for first in ranks:
                for last in range(first, len(x) + 1):
                    run = known.run((first, last))
                    assert (run is not None) == {first, last}.issubset(inside)
                    if run is not None:
                        held += 1
                        assert run.tolist() == x[first - 1 : last].tolist()
    assert held


@pytest.mark.parametrize("seed", range(30))
def test_runs_are_those_of_the_sorted_rows_whatever_is_known(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Brackets that hold a window and that miss it, narrow and wide, with values and without."""
    draw = random.Random(seed)
    x = np.array(sorted(draw.randrange(draw.choice([3, 9, 60])) for _ in range(60)))
    for module in (windows, engine, on_polars):
        monkeypatch.setattr(module, "FEW", draw.choice([1, 5, 20]))
    asked: list[tuple[int, int]] = []
    known: list[Bracket] = []
    for _ in range(draw.randrange(1, 5)):
        first = draw.randrange(1, len(x) + 1)
        asked.append((first, draw.randrange(first, min(len(x), first + 9) + 1)))
        near = [None, *(x[min(len(x), max(1, end + draw.choice([-2, -1, 0, 1, 2]))) - 1].item()
                        for end in asked[-1])]  # fmt: skip
        low, high = draw.choice(near[:2]), draw.choice([near[0], near[2]])
        if low is not None and high is not None and low > high:
            low = high
        known.append(bracket(x, low, high, read=draw.random() < 0.3))
    shuffled = x.copy()
    np.random.default_rng(seed).shuffle(shuffled)
    frame = nw.from_native(pl.LazyFrame({"x": shuffled}))
    copies = draw.choice([None, 2])
    found = ranked_runs(on_polars.PolarsEngine(), frame, len(x), asked, known, copies)
    for (first, last), run in zip(asked, found, strict=True):
        wanted = x[first - 1 : last].tolist()
        if copies is not None and run.tolist() != wanted:  # a known bracket gives all of them
            wanted = [v for i, v in enumerate(wanted) if wanted[:i].count(v) <= copies]
        assert run.tolist() == wanted
