"""The pictures of docs/how-it-works.md, from public data made by a formula.

python benchmarks/pictures.py        writes docs/assets/profile.svg and docs/assets/law.svg
"""

from __future__ import annotations

from math import log
from pathlib import Path

import leastnoise as ln
from leastnoise import plots

ROWS = 1000
FOLDER = Path(__file__).resolve().parents[1] / "docs" / "assets"


def main() -> None:
    data = [-10 * log(1 - (i - 0.5) / ROWS) for i in range(1, ROWS + 1)]
    profile = ln.profile(ln.Median(bounds=(0, 100)), data, missing="none")
    plots.save(plots.profile(profile, range(101)), FOLDER / "profile.svg")
    plots.save(plots.law(ln.PiecewiseLaplace().law(profile, 1)), FOLDER / "law.svg")


if __name__ == "__main__":
    main()
