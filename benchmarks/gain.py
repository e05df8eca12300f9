"""Expected error of a private median, by mechanism and epsilon: exact, nothing is drawn.

    python benchmarks/gain.py                           the table of the README
    python benchmarks/gain.py --svg docs/assets/gain.svg    its picture (needs matplotlib)

The data is public and made by a formula: n = 1000 quantiles of an exponential law with mean 10,
x_i = -10 ln(1 - (i - 1/2)/n), public range 0 to 100. The number of rows is public (replace-one).
The error is the mean of |answer - median| after the answer is cut to the range, from the law.
"""

from __future__ import annotations

import argparse
from math import log
from pathlib import Path
from typing import Any

import leastnoise as ln
from leastnoise.session.profiles import expected_error

ROWS = 1000
BOUNDS = (0, 100)
DELTA = "1e-6"
MECHANISMS = {
    "Laplace": ln.Laplace(),
    f"smooth Laplace (delta = {DELTA})": ln.SmoothLaplace(delta=DELTA),
    "inverse sensitivity": ln.InverseSensitivity(),
    "piecewise Laplace": ln.PiecewiseLaplace(),
}
EPSILONS = ("0.1", "0.5", "1", "2")
COLOURS = ("#777777", "#b35c00", "#1f6f9f", "#1b7a3d")


def profile() -> ln.Profile:
    data = [-10 * log(1 - (i - 0.5) / ROWS) for i in range(1, ROWS + 1)]
    return ln.profile(ln.Median(bounds=BOUNDS), data, missing="none")


def number(error: float) -> str:
    return format(error, "#.3g").rstrip(".")


def table() -> str:
    seen = profile()
    lines = [
        "| epsilon | " + " | ".join(MECHANISMS) + " |",
        "|---:|" + "---:|" * len(MECHANISMS),
    ]
    for epsilon in EPSILONS:
        errors = [number(expected_error(m, seen, epsilon)) for m in MECHANISMS.values()]
        lines.append(f"| {epsilon} | " + " | ".join(errors) + " |")
    return "\n".join(lines)


def draw(path: Path) -> None:
    import matplotlib as mpl

    mpl.use("svg")
    from matplotlib import pyplot as plt

    mpl.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "leastnoise", "font.size": 11})
    seen = profile()
    epsilons = [10 ** (-1.5 + i / 20) for i in range(51)]
    figure, axes = plt.subplots(figsize=(7.2, 4.2))
    plot: Any = axes
    for (name, mechanism), colour in zip(MECHANISMS.items(), COLOURS, strict=True):
        errors = [expected_error(mechanism, seen, epsilon) for epsilon in epsilons]
        style = "--" if name == "inverse sensitivity" else "-"
        plot.loglog(epsilons, errors, style, color=colour, linewidth=2, label=name)
    plot.set_xlabel("epsilon (smaller is more private)")
    plot.set_ylabel("expected error of a private median")
    plot.set_title("1000 values, median 6.9, public range 0 to 100", fontsize=11)
    plot.grid(visible=True, which="major", color="#dddddd")
    plot.spines[["top", "right"]].set_visible(False)
    plot.legend(frameon=False, loc="lower left")
    figure.tight_layout()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None, "Creator": None})


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--svg", type=Path, help="draw the picture into this file")
    options = parser.parse_args()
    if options.svg:
        draw(options.svg)
    else:
        print(table())


if __name__ == "__main__":
    main()
