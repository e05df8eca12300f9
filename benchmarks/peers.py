"""leastnoise beside OpenDP, diffprivlib and PyDP on the same work: error and time, with ratios.

    python benchmarks/peers.py                     all tables, at 1e4, 1e6 and 1e7 rows
    python benchmarks/peers.py --rows 10000        at 10,000 rows only
    python benchmarks/peers.py --libraries PyDP    beside some of the others only
    python benchmarks/peers.py --svg FILE          the picture of the README too
    python benchmarks/peers.py --check             the exact errors against releases

Each library runs in a virtual environment of its own, made at the first use in --folder. Errors are
exact expected errors of |answer - truth| where the law of the library's answer is known (peers/
laws.py), else means over releases with their standard error; the truth is the statistic of the
clipped data. Times are CPU seconds of one release, the best of some, the library's own input
conversion included. Data: lognormal pay with bounds 0 to 500,000; the same with loose bounds up to
1e9; ages in whole years, as integers, with bounds 0 to 125.
"""

from __future__ import annotations

import argparse
import json
import os
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
    return np.clip(np.rint(45 + 18 * stream.standard_normal(rows)), 0, 110).astype(np.int64)


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


def interpreter(name: str, needs: list[str], folder: Path) -> Path:
    """That of a library's own environment, which is made at the first use."""
    home = folder / name.lower()
    python = home / "bin" / "python"
    if not (home / "ready").exists():
        print(f"installing {name}", file=sys.stderr)
        venv.create(home, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *needs], check=True)
        (home / "ready").touch()
    return python


class Peer:
    """One library in its own environment, answering jobs."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        python = interpreter(name, PEERS[name], folder)
        self.process = subprocess.Popen(
            [python, HERE / f"with_{name.lower()}.py"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            # an environment may be that of another clone
            env={**os.environ, "PYTHONPATH": str(ROOT / "src")},
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


def reason(case: str, statistic: str, best: str, ours: float, theirs: float) -> str:
    """The letter of docs/peers.md that says why another is more than 5 % ahead; "?" for none."""
    if theirs >= 0.95 * ours:
        return ""
    if statistic in ("median", "quantile") and best == "OpenDP":
        return " b" if case == "ages, tied" else " a"
    if statistic in ("median", "quantile") and best == "PyDP" and case == "ages, tied":
        return " b"
    if statistic == "variance" and best in ("OpenDP", "diffprivlib"):
        return " c"
    return " ?"


CERTAIN = 1e-9  # an error that is none


def compared(case: str, statistic: str, best: str, ours: float, theirs: float) -> str:
    """The best peer's error over ours, with the letter of the reason where that is small."""
    if max(ours, theirs) < CERTAIN:
        return "1"
    if ours < CERTAIN:
        return "inf"
    return number(theirs / ours) + reason(case, statistic, best, ours, theirs)


# Releases of a library whose law is not known, by the number of rows: large ones take too long.
RELEASES = {10_000: 400, 1_000_000: 20, 10_000_000: 5}
# A mean over fewer releases is shown with its standard error, and compared with nothing.
SURE = 100


def found_error(peer: Peer, exact: float, job: dict[str, object]) -> tuple[float, str]:
    """The expected error, infinite where it is not known well, and how it is written."""
    law = peer.ask(what="error", repeats=1, **job)
    if law is not None:
        return law["values"][0], number(law["values"][0])
    rows = int(str(job["file"]).rsplit("-", 1)[1].split(".")[0])
    repeats = RELEASES.get(rows, 100)
    found = peer.ask(what="values", repeats=repeats, **job)
    if found is None:
        return float("inf"), "-"
    gaps = np.abs(np.array(found["values"]) - exact)
    mean, error = float(gaps.mean()), float(gaps.std(ddof=1) / sqrt(repeats))
    return mean if repeats >= SURE else float("inf"), f"{number(mean)} ± {number(error)}"


def errors(
    peers: list[Peer], folder: Path, rows: int, cases: list[str], statistics: list[str]
) -> dict[str, dict[float, float]]:
    """One table a case: expected absolute errors, and the best peer's error over ours.

    What comes back are the errors of the median of pay by library and epsilon.
    """
    drawn: dict[str, dict[float, float]] = {peer.name: {} for peer in peers}
    for case in cases:
        name, bounds = CASES[case]
        file = folder / f"{name}-{rows}.npy"
        x = np.load(file)
        print(f"\n**{case}**, {rows:,} rows: expected absolute error\n")
        print(
            "| statistic | epsilon | " + " | ".join(p.name for p in peers) + " | best peer / ours |"
        )
        print("|---|---:|" + "---:|" * (len(peers) + 1))
        for statistic in statistics:
            exact = truth(x, bounds, statistic)
            for epsilon in EPSILONS:
                job = {"file": str(file), "statistic": statistic, "bounds": bounds}
                cells = [found_error(p, exact, {**job, "epsilon": epsilon}) for p in peers]
                ours, *others = (error for error, _ in cells)
                if (case, statistic) == ("pay", "median"):
                    for peer, (error, _) in zip(peers, cells, strict=True):
                        drawn[peer.name][epsilon] = error
                theirs = min(others)
                best = peers[1 + others.index(theirs)].name
                ratio = compared(case, statistic, best, ours, theirs)
                shown = " | ".join(text for _, text in cells)
                print(f"| {statistic} | {epsilon:g} | {shown} | {ratio} |", flush=True)
    return drawn


def draw(found: dict[str, dict[float, float]], rows: int, path: Path) -> None:
    """The picture of the README."""
    from leastnoise import plots

    title = f"Private median of {rows:,} pays, bounds 0 to 500,000"
    plots.save(plots.error_against_epsilon(found, title=title), path)


def check(peers: list[Peer], folder: Path, rows: int, repeats: int) -> int:
    """Compare the peers' exact errors with releases: within five standard errors, else exit 1."""
    worst = 0.0
    for case, (name, bounds) in CASES.items():
        file = folder / f"{name}-{rows}.npy"
        x = np.load(file)
        for statistic in STATISTICS:
            exact = truth(x, bounds, statistic)
            for peer in peers[1:]:
                job = {"file": str(file), "statistic": statistic, "bounds": bounds, "epsilon": 0.5}
                law = peer.ask(what="error", repeats=1, **job)
                found = peer.ask(what="values", repeats=repeats, **job)
                if law is None or found is None:
                    continue
                gaps = np.abs(np.array(found["values"]) - exact)
                spread = max(float(gaps.std()) / sqrt(repeats), 1e-6 * float(gaps.mean()))
                away = (float(gaps.mean()) - law["values"][0]) / spread
                worst = max(worst, abs(away))
                print(
                    f"{case:18} {statistic:9} {peer.name:12} law {number(law['values'][0]):>9} "
                    f"releases {number(gaps.mean()):>9}, {away:+.1f} standard errors",
                    flush=True,
                )
    return 0 if worst < 5 else 1


def times(peers: list[Peer], folder: Path, rows: int, statistics: list[str]) -> None:
    """CPU milliseconds of one release at epsilon = 1, and the best peer's over ours."""
    file = folder / f"pay-{rows}.npy"
    repeats = 20 if rows <= 10**5 else 5 if rows <= 10**6 else 2
    print(f"\n**pay**, {rows:,} rows: CPU milliseconds of one release\n")
    print("| statistic | " + " | ".join(p.name for p in peers) + " | best peer / ours |")
    print("|---|" + "---:|" * (len(peers) + 1))
    for statistic in statistics:
        job = {"file": str(file), "statistic": statistic, "bounds": CASES["pay"][1], "epsilon": 1.0}
        found = [peer.ask(what="values", repeats=repeats, **job) for peer in peers]
        seconds = [float("inf") if f is None else float(f["seconds"]) for f in found]
        cells = [number(1000 * s) if s < float("inf") else "-" for s in seconds]
        ratio = min(seconds[1:]) / seconds[0]
        why = "" if ratio >= 0.95 else " d" if rows < 10**5 else " e"  # docs/peers.md
        print(f"| {statistic} | {' | '.join(cells)} | {ratio:.2f}{why} |", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="*", default=[10_000, 1_000_000, 10_000_000])
    parser.add_argument("--statistics", nargs="*", default=STATISTICS, choices=STATISTICS)
    parser.add_argument("--cases", nargs="*", default=list(CASES), choices=list(CASES))
    others = list(PEERS)[1:]
    parser.add_argument("--libraries", nargs="+", default=others, choices=others)
    parser.add_argument("--check", action="store_true", help="exact errors against releases")
    parser.add_argument("--svg", type=Path, help="draw medians of pay at the first of --rows")
    parser.add_argument("--only", choices=("errors", "times"), help="one kind of table")
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "leastnoise-peers"
    )
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    for rows in options.rows:
        for name in ("pay", "ages"):
            np.save(options.folder / f"{name}-{rows}.npy", values(name, rows))
    peers = [Peer(name, options.folder) for name in ("leastnoise", *options.libraries)]
    try:
        if options.check:
            return check(peers, options.folder, options.rows[0], 300)
        for rows in options.rows:
            if options.only != "times":
                found = errors(peers, options.folder, rows, options.cases, options.statistics)
                if options.svg and rows == options.rows[0]:
                    draw(found, rows, options.svg)
        for rows in options.rows:
            if options.only != "errors":
                times(peers, options.folder, rows, options.statistics)
    finally:
        for peer in peers:
            peer.process.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
