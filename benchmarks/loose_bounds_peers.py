"""Means and variances of real columns beside OpenDP, diffprivlib and PyDP, tight bounds and loose.

    python benchmarks/loose_bounds_peers.py [--data FOLDER] [--libraries PyDP] [--epsilons 0.1 1]

Tight bounds end at the next of 1, 2, 5, 10, 20, ... beyond the largest entry, loose ones a thousand
times as far. The folder holds public tables as gzipped CSV files; how peers are installed and how
their errors are found says ``peers.py``. Whatever cannot be read off a law is a mean over 300
releases of ours and 100 of PyDP, with the standard error of the latter.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import tempfile
from math import exp, log
from pathlib import Path
from statistics import fmean

import numpy as np
from numpy.typing import NDArray
from peers import PEERS, Peer, found_error, number, truth

COLUMNS = {
    "pay": ("uc_pay_2019", "gross_pay"),
    "California, house value": ("california_housing", "median_house_value"),
    "King County, price": ("king_county_house_sales", "price"),
    "diamonds, price": ("diamonds", "price"),
    "Adult, capital gain": ("adult", "capital-gain"),
    "bikes, count": ("bike_sharing_hour", "cnt"),
}
LOOSE = 1000
NEAR = 1.05


def column(folder: Path, table: str, name: str) -> NDArray[np.float64]:
    """One column of a gzipped CSV file."""
    with gzip.open(folder / f"{table}.csv.gz", "rt", encoding="utf-8") as file:
        return np.array([float(row[name]) for row in csv.DictReader(file)])


def round_above(value: float) -> float:
    """The next of 1, 2, 5, 10, ... that is not below a number."""
    power = 10.0 ** np.floor(np.log10(value))
    return next(power * digit for digit in (1.0, 2.0, 5.0, 10.0) if power * digit >= value)


def compared(peers: list[Peer], job: dict[str, object], exact: float) -> tuple[list[str], float]:
    """Errors as they are shown, and the best peer's over ours."""
    cells = [found_error(peer, exact, job) for peer in peers]
    ours, *others = (error for error, _ in cells)
    return [text for _, text in cells], min(others) / ours


def main() -> None:
    """One table, and in how many cells ours is the first."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    others = list(PEERS)[1:]
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--libraries", nargs="+", default=others, choices=others)
    parser.add_argument("--columns", nargs="+", default=list(COLUMNS), choices=list(COLUMNS))
    parser.add_argument("--epsilons", nargs="+", type=float, default=[0.1, 1.0])
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "leastnoise-peers"
    )
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    peers = [Peer(name, options.folder) for name in ("leastnoise", *options.libraries)]
    heads = ["column", "rows", "bounds", "statistic", "epsilon", *(p.name for p in peers)]
    heads.append("best peer / ours")
    print("| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))
    ratios: dict[str, list[float]] = {"tight": [], "loose": []}
    try:
        for place, name in enumerate(options.columns):
            x = column(options.data, *COLUMNS[name])
            file = options.folder / f"column{place}-{len(x)}.npy"
            np.save(file, x)
            top = round_above(float(x.max()))
            for kind, end in (("tight", top), ("loose", LOOSE * top)):
                for statistic in ("mean", "variance"):
                    exact = truth(x, (0.0, end), statistic)
                    for epsilon in options.epsilons:
                        job = {"file": str(file), "statistic": statistic, "bounds": (0.0, end)}
                        shown, ratio = compared(peers, {**job, "epsilon": epsilon}, exact)
                        ratios[kind].append(ratio)
                        cells = [name, f"{len(x):,}", f"0 to {end:g}", statistic, f"{epsilon:g}"]
                        print("| " + " | ".join([*cells, *shown, number(ratio)]) + " |", flush=True)
    finally:
        for peer in peers:
            peer.process.kill()
    print()
    for kind, found in ratios.items():
        held = sum(ratio * NEAR >= 1 for ratio in found)
        middle = exp(fmean(log(ratio) for ratio in found))
        print(
            f"- {kind} bounds: ours is first or within 5 % in {held} of {len(found)} cells; "
            f"the best peer's error over ours: geometric mean {middle:.3g}, least {min(found):.3g}"
        )


if __name__ == "__main__":
    main()
