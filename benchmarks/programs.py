"""The programs of docs/programs.md beside each other: lines, and errors of the answers.

    python benchmarks/programs.py            prints the table
    python benchmarks/programs.py --page     puts it on docs/programs.md, too
    python benchmarks/programs.py --runs 20  fewer runs of each program

Each library runs in a virtual environment of its own, made at the first use in --folder. The error
is the median over the runs of |answer - truth|, on average over the answers of a program; the truth
is the same statistic without privacy. What costs nothing and tells nothing of the data has none.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import mean, median

import numpy as np
from peers import interpreter

ROOT = Path(__file__).resolve().parents[1]
CHILD = Path(__file__).resolve().parent / "peers" / "programs.py"
PAGE = ROOT / "docs" / "programs.md"
# What each library needs; some cannot be imported beside newer versions of theirs.
PEERS = {
    "leastnoise": ["-e", f"{ROOT}[estimators]"],
    "OpenDP": ["opendp==0.16.0", "numpy"],
    "diffprivlib": ["diffprivlib==0.6.6", "scikit-learn<1.6", "numpy<2.2"],
    "PyDP": ["python-dp==1.1.5", "numpy"],
    "Tumult": ["tmlt.analytics==0.21.0"],
    "SmartNoise": ["smartnoise-sql==1.0.10"],
}
RUNS = {"Tumult": 20}


def truths() -> dict[str, list[float]]:
    """The answers without privacy."""
    i = np.arange(3_000)
    age, region, pay = 16 + i % 60, i % 3, 1_000.0 + 7 * (i % 900)
    adults = age >= 18
    by_region = [float((region == r).sum()) for r in (2, 0, 1)]  # East, North, South
    paid = [float(pay[region == r].mean()) for r in (2, 0, 1)]
    rows, total, average = 3000.0, float(pay.sum()), float(pay.mean())
    middle = float(np.quantile(pay, 0.5, method="inverted_cdf"))
    ninth = float(np.quantile(pay, 0.9, method="inverted_cdf"))
    ages = [float(x) for x in np.histogram(age, [16, 30, 45, 60, 80])[0]]
    in_order = [1000.0] * 3  # North, South, East are as many
    return {
        "OpenDP 1": [rows],
        "OpenDP 2": [total],
        "OpenDP 3": [middle],
        "OpenDP 4": in_order,
        "OpenDP 5": [rows, total],
        "diffprivlib 1": [average],
        "diffprivlib 2": [middle],
        "diffprivlib 3": ages,
        "diffprivlib 4": [float(pay.var())],
        "diffprivlib 5": [1.0],
        "PyDP 1": [rows],
        "PyDP 2": [average],
        "PyDP 3": [ninth],
        "PyDP 4": [float(pay.std())],
        "PyDP 5": [16.0, 75.0],
        "Tumult 1": [float(adults.sum())],
        "Tumult 2": by_region,
        "Tumult 3": paid,
        "Tumult 4": [total],
        "Tumult 5": by_region,
        "SmartNoise 1": [rows],
        "SmartNoise 2": by_region,
        "SmartNoise 3": [total],
        "SmartNoise 4": [float(pay[adults].mean())],
        "SmartNoise 5": [],
    }


def programs() -> dict[str, tuple[str, str, str]]:
    """Title, their program and ours, by library and number; and what stands before them."""
    text = PAGE.read_text(encoding="utf-8")
    found = {"prelude": ("", _before(text, "opendp"), _before(text, "python"))}
    for library, body in re.findall(r"^## (\w+)(.*?)(?=^## |\Z)", text, re.M | re.S):
        for number, title, program in re.findall(
            r"^### (\d): ([^\n]*)\n(.*?)(?=^### |\Z)", body, re.M | re.S
        ):
            theirs, ours = re.findall(r"^```\w+\n(.*?)^```", program, re.M | re.S)
            found[f"{library} {number}"] = (title, theirs, ours)
    return found


def _before(text: str, kind: str) -> str:
    """The first block of a kind, which is no program."""
    blocks = re.findall(rf"^```{kind}\n(.*?)^```", text, re.M | re.S)
    return blocks[0]


def run(library: str, folder: Path, asked: dict[str, object], runs: int) -> dict[str, object]:
    """All programs of a library, in its environment."""
    python = interpreter(library, PEERS[library], folder)
    made = subprocess.run(
        [python, CHILD, library, str(runs)],
        input=json.dumps(asked),
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={**os.environ, "PYSPARK_PYTHON": str(python)},
    )
    lines = [line for line in made.stdout.splitlines() if line.startswith("ANSWERS")]
    return json.loads(lines[-1].removeprefix("ANSWERS")) if lines else {}


def error(found: object, truth: list[float]) -> str:
    """The error of a program's answers, or why there is none."""
    if not truth:
        return ""
    if not isinstance(found, list):
        print(f"failed: {found}", file=sys.stderr)
        return "failed"
    if any(len(answer) < len(truth) for answer in found):
        return "answers are missing"
    each = [median(abs(answer[i] - exact) for answer in found) for i, exact in enumerate(truth)]
    return f"{mean(each):.3g}"


def lines(program: str) -> int:
    return sum(bool(line.strip()) for line in program.splitlines())


def table(folder: Path, runs: int) -> str:
    """The table of the page."""
    listed, exact = programs(), truths()
    _, opendp, ours = listed.pop("prelude")
    found = run(
        "leastnoise",
        folder,
        {"prelude": ours, "programs": {name: mine for name, (_, _, mine) in listed.items()}},
        runs,
    )
    theirs: dict[str, object] = {}
    for library in PEERS:
        asked = {name: there for name, (_, there, _) in listed.items() if name.startswith(library)}
        if asked:
            prelude = opendp if library == "OpenDP" else ""
            told = {"prelude": prelude, "programs": asked}
            theirs |= run(library, folder, told, min(runs, RUNS.get(library, runs)))
    rows = ["| program | lines there | lines here | error there | error here |"]
    rows.append("|---|---|---|---|---|")
    for name, (title, there, here) in listed.items():
        errors = [
            error(answers.get(name, "did not run"), exact[name]) for answers in (theirs, found)
        ]
        counts = [str(lines(there)), str(lines(here))]
        rows.append(f"| {name}: {title} | {' | '.join([*counts, *errors])} |")
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "leastnoise-programs"
    )
    parser.add_argument("--page", action="store_true")
    options = parser.parse_args()
    made = table(options.folder, options.runs)
    print(made)
    if options.page:
        text = PAGE.read_text(encoding="utf-8")
        start = text.index("| program |")
        PAGE.write_text(text[:start] + made + text[text.index("\n\n", start) :], encoding="utf-8")


if __name__ == "__main__":
    main()
