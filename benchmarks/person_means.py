"""Means of persons in loose bounds, beside noise for every row in the range of the data itself.

    python benchmarks/person_means.py [--releases 40]

Errors are medians over releases of |answer - mean of all rows| at epsilon 1, in standard deviations
of a row; ``max_rows`` is the most rows of a person. "noise" is ``LaplaceRatio()``, which hides
every row by itself, with the least and the greatest record for public bounds: what nobody knows.
Then the processor time of a release of a million rows, as a ratio to numpy's mean of the means by
person, and its memory beyond the data.
"""

from __future__ import annotations

import argparse
import tracemalloc
from time import process_time
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

import leastnoise as ln
from leastnoise.testing import simulate

RNG_SEED = 5
LOOSE = 1000


def rows_of(kind: str, persons: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """How many rows each person has."""
    if kind == "1 to 5":
        return rng.integers(1, 6, persons)
    return np.minimum(rng.zipf(1.7, persons), 200)


def columns(who: NDArray[np.int64], rng: np.random.Generator) -> dict[str, NDArray[np.float64]]:
    """Columns of the usual shapes; an age is the same in all rows of a person."""
    n, persons = len(who), int(who.max()) + 1
    return {
        "ages": rng.integers(18, 90, persons)[who].astype(float),
        "spending": rng.lognormal(3, 1, n),
        "balances": rng.normal(50, 300, n),
        "amounts, 90 % zeros": np.where(rng.random(n) < 0.1, rng.lognormal(5, 1, n), 0),
    }


def frame_of(kind: str, persons: int) -> tuple[pl.DataFrame, int]:
    """A table of persons, and the most rows of one."""
    rng = np.random.default_rng(RNG_SEED)
    rows = rows_of(kind, persons, rng)
    who = np.repeat(np.arange(persons), rows)
    return pl.DataFrame({"who": who, **columns(who, rng)}), int(rows.max())


def error(session: ln.Session, asked: Any, truth: float, releases: int, **more: Any) -> float:
    """The median error of some releases."""
    values: list[float] = []
    for seed in range(releases):
        with simulate(str(seed)):
            record: Any = session.release(asked, epsilon=1, **more)
        values.append(record.value)
    return float(np.median(np.abs(np.array(values) - truth)))


def table(releases: int) -> list[float]:
    """Print errors; returns those in loose bounds as ratios to the noise for every row."""
    print("| persons | rows of one | column | loose bounds | noise | ratio |")
    print("|---:|---|---|---:|---:|---:|")
    ratios: list[float] = []
    for persons in (300, 1000, 3000, 30_000):
        for kind in ("1 to 5", "Zipf, 200"):
            frame, most = frame_of(kind, persons)
            session = ln.open(frame, unit="who", max_rows=most)
            for name in frame.columns[1:]:
                x = frame[name].to_numpy()
                low, high = float(x.min()), float(x.max())
                loose = (0 if low >= 0 else LOOSE * low, LOOSE * high)
                size, truth = float(np.std(x)), float(np.mean(x))
                asked = ln.Mean(name, bounds=loose, missing="none")
                exact = ln.Mean(name, bounds=(low, high), missing="none")
                ours = error(session, asked, truth, releases) / size
                noise = error(session, exact, truth, releases, mechanism=ln.LaplaceRatio()) / size
                ratios.append(ours / noise)
                shown = f"{ours:.4f} | {noise:.4f} | {ours / noise:.2f}"
                print(f"| {persons} | {kind} | {name} | {shown} |", flush=True)
    print(f"geometric mean of the ratios: {np.exp(np.mean(np.log(ratios))):.2f}")
    return ratios


def cost() -> None:
    """Processor time and memory of a release."""
    frame, most = frame_of("1 to 5", 333_000)
    session = ln.open(frame, unit="who", max_rows=most)
    asked = ln.Mean("spending", bounds=(0, 1e6), missing="none")
    session.release(asked, epsilon=1)
    start = process_time()
    session.release(asked, epsilon=1)
    ours, start = process_time() - start, process_time()
    who, x = (frame[name].to_numpy() for name in ("who", "spending"))
    np.mean(np.bincount(who, x) / np.bincount(who))
    plain = process_time() - start
    tracemalloc.start()
    session.release(asked, epsilon=1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    size = who.nbytes + x.nbytes
    print(
        f"{len(x)} rows: {ours:.2f} s, {ours / plain:.0f} times numpy's means by person; ", end=""
    )
    print(f"memory {peak / size:.1f} times both columns")


def main() -> None:
    """Errors, then the cost."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--releases", type=int, default=40)
    table(parser.parse_args().releases)
    cost()


if __name__ == "__main__":
    main()
