"""The table of docs/auditing-other-libraries.md: pinned versions under `leastnoise audit --peer`.

    python benchmarks/audit_peers.py                    all versions, as a table; half an hour
    python benchmarks/audit_peers.py --only opendp      those of some libraries
    python benchmarks/audit_peers.py --json             what the audit printed, as one list

Needs a package index and six gigabytes in --folder. One environment holds what the libraries build
on; each audited version is installed beside it without its requirements, which contradict one
another, and comes first on the path of its own process.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
BASE = (
    *("narwhals>=2.10", "cyclopts>=4", "rich>=13.6"),  # ours
    *("numpy==1.26.4", "scipy<1.16", "pandas<2.3", "scikit-learn==1.5.2", "networkx<3"),
    *("matplotlib<3.10", "seaborn", "tqdm", "joblib", "setuptools", "disjoint-set", "deprecated"),
    *("PyYAML", "antlr4-python3-runtime==4.9.3", "graphviz", "sqlalchemy>=2,<3", "Faker>=17"),
    *("torch==2.2.2", "torchvision==0.17.2", "opt-einsum", "pgmpy<1.0", "pydantic>=2"),
    *("loguru", "geomloss", "cloudpickle", "optuna", "tenacity", "lifelines", "xgboost<3"),
)
# What an old version of one library needs of another; all of it comes before the environment.
AUDITED = (
    ("datasynthesizer", ("DataSynthesizer==0.1.4",)),
    ("datasynthesizer", ("DataSynthesizer==0.1.13",)),
    ("diffprivlib", ("diffprivlib==0.6.6",)),
    ("dpmm", ("dpmm==0.1.9", "opendp==0.12.1")),
    ("opacus", ("opacus==1.5.2",)),
    ("opacus", ("opacus==1.6.0", "torch==2.6.0")),
    ("opendp", ("opendp==0.4.0",)),
    ("opendp", ("opendp==0.14.0",)),
    ("opendp", ("opendp==0.14.2",)),
    ("opendp", ("opendp==0.15.1",)),
    ("opendp", ("opendp==0.16.0",)),
    ("smartnoise_sql", ("smartnoise-sql==1.0.1", "opendp==0.7.0")),
    ("smartnoise_sql", ("smartnoise-sql==1.0.10", "opendp==0.14.2")),
    ("smartnoise_synth", ("smartnoise-synth==1.0.5",)),
    ("smartnoise_synth", ("smartnoise-synth==1.0.6",)),
    ("smartnoise_synth", ("smartnoise-synth==1.0.8",)),
    ("synthcity", ("synthcity==0.2.12", "opacus==1.5.2")),
    ("leastnoise", ()),
)
WITH_REQUIREMENTS = ("torch",)


def python_of_base(folder: Path) -> Path:
    """The interpreter of the environment that all audited versions share."""
    home = folder / "base"
    python = home.joinpath(*(("Scripts", "python.exe") if os.name == "nt" else ("bin", "python")))
    if not (home / "ready").exists():
        print("installing what the libraries build on", file=sys.stderr)
        venv.create(home, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "-q", *BASE], check=True)
        (home / "ready").touch()
    return python


def place_of(package: str, folder: Path, python: Path) -> Path:
    """The folder that holds one version of one library."""
    place = folder / package
    if not (place / "ready").exists():
        print(f"installing {package}", file=sys.stderr)
        alone = [] if package.startswith(WITH_REQUIREMENTS) else ["--no-deps"]
        pinned = [] if alone else ["numpy==1.26.4", "networkx<3"]
        command = [python, "-m", "pip", "install", "-q", *alone, "--target", place, package]
        subprocess.run([*command, *pinned], check=True)
        (place / "ready").touch()
    return place


def outcomes(name: str, packages: tuple[str, ...], folder: Path) -> list[dict[str, object]]:
    """What the audit of one version printed."""
    python = python_of_base(folder) if packages else Path(sys.executable)
    places = [str(place_of(package, folder, python)) for package in packages]
    path = os.pathsep.join([str(ROOT / "src"), *places])
    done = subprocess.run(
        [python, "-m", "leastnoise", "audit", "--peer", name, "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        encoding="utf-8",
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path, "OMP_NUM_THREADS": "1"},
    )
    # a library may print: the list is what comes from the last line that opens one
    lines = done.stdout.splitlines()
    start = max((i for i, line in enumerate(lines) if line == "["), default=len(lines))
    text = "\n".join(lines[start:])
    if not text:
        raise SystemExit(f"{name} {packages}: the audit printed nothing, exit {done.returncode}")
    return json.loads(text)


def number(value: object) -> str:
    return "-" if value is None else value if isinstance(value, str) else format(value, ".3g")


def short(source: str) -> str:
    """A link with the end of its address as text."""
    parts = source.rstrip("/").split("/")
    name = " ".join(parts[-3::2]) if parts[-2] in ("issues", "pull") else parts[-1]
    if "arxiv" in source:
        name = f"arXiv {parts[-1]}"
    return f"[{name}]({source})" if source.startswith("https") else f"`{source}`"


def table(found: list[dict[str, object]]) -> str:
    lines = [
        "| library | version | check | neighbours | claimed | loss at least | verdict | report |",
        "|---|---|---|---|---:|---:|---|---|",
    ]
    for row in found:
        verdict = "**violated**" if row["verdict"] == "VIOLATED" else row["verdict"]
        claimed, loss = number(row["claimed"]), number(row["loss"])
        cells = [row["library"], row["version"], row["check"], row["neighbours"]]
        line = " | ".join(map(str, [*cells, claimed, loss, verdict, short(str(row["source"]))]))
        lines.append(f"| {line} |")
    return "\n".join(lines)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--only", nargs="*", help="names as --peer takes them")
    parser.add_argument("--json", action="store_true", help="what the audit printed")
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "leastnoise-audited"
    )
    options = parser.parse_args()
    options.folder.mkdir(parents=True, exist_ok=True)
    found: list[dict[str, object]] = []
    for name, packages in AUDITED:
        if not options.only or name in options.only:
            print(f"{name} {' '.join(packages)}", file=sys.stderr, flush=True)
            found += outcomes(name, packages, options.folder)
    print(json.dumps(found, indent=2) if options.json else table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
