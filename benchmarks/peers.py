"""leastnoise beside OpenDP, diffprivlib and PyDP on the same work: error and time, with ratios.

    python benchmarks/peers.py                       errors at 10,000 rows, times at 1e4 and 1e6
    python benchmarks/peers.py --rows 10000000       times at 1e7 rows as well

Each library runs in a virtual environment of its own, made at the first use in --folder. Errors are
means of |answer - truth| over --repeats releases, with the standard error of the mean; the truth is
the statistic of the clipped data. Times are CPU seconds of one release, the best of some, the
library's own input conversion included. Data: lognormal pay with bounds 0 to 500,000; the same with
loose bounds up to 1e9; ages in whole years (tied) with bounds 0 to 125.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import venv
from math import sqrt
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
HERE = Path(__file__).resolve().parent / "peers"
# What each library needs; diffprivlib 0.6 cannot be imported beside a newer scikit-learn.
PEERS = {
    "leastnoise": ["-e", str(ROOT)],
    "OpenDP": ["opendp>=0.13", "numpy"],
    "diffprivlib": ["diffprivlib==0.6.6", "scikit-learn<1.6", "numpy<2.2"],
    "PyDP": ["python-dp>=1.1.4", "numpy"],
}
STATISTICS = ("median", "quantile", "mean", "variance")
EPSILONS = (0.1, 0.5, 1.0, 2.0)
CASES = {
    "pay": ("pay", (0.0, 500_000.0)),
    "pay, loose bounds": ("pay", (0.0, 1e9)),
    "ages, tied": ("ages", (0.0, 125.0)),
}


def values(name: str, rows: int) -> np.ndarray:
    """The data of a case: a formula and a fixed stream of numpy."""
    stream = np.random.default_rng(2026)
    if name == "pay":
        return np.exp(10.5 + 0.7 * stream.standard_normal(rows))
    return np.clip(np.rint(45 + 18 * stream.standard_normal(rows)), 0, 110)


def truth(x: np.ndarray, bounds: tuple[float, float], statistic: str) -> float:
    """The answer without noise."""
    clipped = np.clip(x, *bounds)
    if statistic == "mean":
        return float(clipped.mean())
    if statistic == "variance":
        return float(clipped.var())
    return float(
        np.quantile(clipped, {"median": 0.5, "quantile": 0.9}[statistic], method="inverted_cdf")
    )


class Peer:
    """One library in its own environment, answering jobs."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        home = folder / name.lower()
        python = home / "bin" / "python"
        if not (home / "ready").exists():
            print(f"installing {name}", file=sys.stderr)
            venv.create(home, with_pip=True, clear=True)
            subprocess.run([python, "-m", "pip", "install", "-q", *PEERS[name]], check=True)
            (home / "ready").touch()
        self.process = subprocess.Popen(
            [python, HERE / f"with_{name.lower()}.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )

    def ask(self, **job: object) -> dict[str, object] | None:
        """One job; None if the library has no such statistic, or failed."""
        stdin, stdout = self.process.stdin, self.process.stdout
        if stdin is None or stdout is None or self.process.poll() is not None:
            return None
        try:
            stdin.write(json.dumps(job) + "\n")
            stdin.flush()
        except BrokenPipeError:
            return None
        line = stdout.readline()
        return json.loads(line) if line else None


def number(value: float) -> str:
    return format(value, ".3g")


def errors(peers: list[Peer], folder: Path, rows: int, repeats: int) -> None:
    """One table a case: mean absolute errors, and the best peer's error over ours."""
    for case, (name, bounds) in CASES.items():
        file = folder / f"{name}-{rows}.npy"
        x = np.load(file)
        print(f"\n**{case}**, {rows:,} rows: mean absolute error ({repeats} releases)\n")
        print(
            "| statistic | epsilon | " + " | ".join(p.name for p in peers) + " | best peer / ours |"
        )
        print("|---|---:|" + "---:|" * (len(peers) + 1))
        for statistic in STATISTICS:
            exact = truth(x, bounds, statistic)
            for epsilon in EPSILONS:
                cells, means = [], []
                for peer in peers:
                    found = peer.ask(
                        file=str(file),
                        statistic=statistic,
                        bounds=bounds,
                        epsilon=epsilon,
                        repeats=repeats,
                    )
                    if found is None:
                        cells.append("-")
                        means.append(float("inf"))
                        continue
                    gaps = np.abs(np.array(found["values"]) - exact)
                    means.append(float(gaps.mean()))
                    spread = float(gaps.std()) / sqrt(repeats)
                    cells.append(f"{number(means[-1])} ± {number(spread)}")
                ratio = min(means[1:]) / means[0] if means[0] else float("inf")
                print(
                    f"| {statistic} | {epsilon:g} | {' | '.join(cells)} | {ratio:.2f} |", flush=True
                )


def times(peers: list[Peer], folder: Path, rows: int) -> None:
    """CPU milliseconds of one release at epsilon = 1, and the best peer's over ours."""
    file = folder / f"pay-{rows}.npy"
    repeats = 10 if rows <= 10**5 else 3
    print(f"\n**pay**, {rows:,} rows: CPU milliseconds of one release\n")
    print("| statistic | " + " | ".join(p.name for p in peers) + " | best peer / ours |")
    print("|---|" + "---:|" * (len(peers) + 1))
    for statistic in STATISTICS:
        found = [
            peer.ask(
                file=str(file),
                statistic=statistic,
                bounds=CASES["pay"][1],
                epsilon=1.0,
                repeats=repeats,
            )
            for peer in peers
        ]
        seconds = [float("inf") if f is None else float(f["seconds"]) for f in found]
        cells = [number(1000 * s) if s < float("inf") else "-" for s in seconds]
        print(
            f"| {statistic} | {' | '.join(cells)} | {min(seconds[1:]) / seconds[0]:.2f} |",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="*", default=[10_000, 1_000_000])
    parser.add_argument("--repeats", type=int, default=100)
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "leastnoise-peers"
    )
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for rows in {10_000, *options.rows}:
        for name in ("pay", "ages"):
            np.save(options.folder / f"{name}-{rows}.npy", values(name, rows))
    peers = [Peer(name, options.folder) for name in PEERS]
    errors(peers, options.folder, 10_000, options.repeats)
    for rows in options.rows:
        times(peers, options.folder, rows)
    for peer in peers:
        peer.process.kill()


if __name__ == "__main__":
    main()
