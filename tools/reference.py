"""Write the pages of docs/reference from the public names, so that none is missing.

python tools/reference.py            write the pages
python tools/reference.py --check    say which pages differ from what would be written, exit 1
"""

from __future__ import annotations

import argparse
import importlib
import sys
from pathlib import Path

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"

# One page for each room of leastnoise whose names are public, by the prefix of where they live; a
# name is on the first page that has its prefix.
PAGES: dict[str, tuple[str, tuple[str, ...]]] = {
    "mechanisms": ("Mechanisms", ("mechanisms", "session.sparse_vector")),
    "releases": (
        "Releases, sessions, ledgers",
        ("session", "record", "accounting", "params", "postprocessing", "summaries.predicates"),
    ),
    "statistics": ("Statistics", ("statistics", "profiles", "summaries")),
    "guarantees": ("Guarantees", ("guarantees",)),
    "blackbox": ("Black boxes", ("blackbox",)),
}
MODULES = {
    "estimators": "Estimators",
    "plans": "Plans",
    "accounting": "Accounting",
    "profiles": "Profiles of your own function",
    "geometry": "Geometry",
    "audit": "Audit",
    "testing": "Testing",
    "theory": "Theory",
    "plots": "Plots",
    "reproduce": "Reproductions",
    "errors": "Errors",
}
# Of these modules only what the guides use beyond the top level.
CHOSEN = {
    "plans": ("load_plan", "parse_condition", "prepare", "render"),
    "accounting": (
        *("LaplaceNoise", "basic", "parallel", "to_approx", "to_bounded_range", "to_pure"),
        *("to_relation", "to_zcdp"),
    ),
    "profiles": (
        *("clip", "from_equation", "from_lipschitz", "from_local_sensitivity", "from_radius"),
        *("from_steady_sensitivity", "maximum", "minimum", "monotone_map", "quotient", "scale"),
        *("shift", "tightest", "total"),
    ),
    "errors": (
        *("BudgetExceededError", "ColumnTypeError", "DataFileError", "LeastNoiseError"),
        *("LedgerError", "MissingDependencyError", "ParameterError", "ParameterTypeError"),
        *("ProductionError", "SchemaError"),
    ),
}


def rooms() -> dict[str, list[str]]:
    """The public names of the top level by page."""
    import leastnoise

    found: dict[str, list[str]] = {page: [] for page in PAGES}
    told: dict[str, tuple[str, ...]] = vars(leastnoise)["_ROOMS"]
    home = {name: room for room, names in told.items() for name in names}
    for name in sorted(home):
        pages = [page for page, (_, starts) in PAGES.items() if _lives(home[name], starts)]
        if not pages:
            sys.exit(
                f"leastnoise.{name} lives in {home[name]}, which has no page: give it one here"
            )
        found[pages[0]].append(f"leastnoise.{name}")
    return found


def _lives(room: str, starts: tuple[str, ...]) -> bool:
    return any(room == start or room.startswith(start + ".") for start in starts)


def members(module: str) -> list[str]:
    """The public names of a module."""
    loaded = importlib.import_module(f"leastnoise.{module}")
    names = CHOSEN.get(module, getattr(loaded, "__all__", None))
    if names is None:
        names = [
            name
            for name, value in vars(loaded).items()
            if not name.startswith("_") and getattr(value, "__module__", "") == loaded.__name__
        ]
    return [f"leastnoise.{module}.{name}" for name in sorted(names)]


def pages() -> dict[str, str]:
    """The text of every page by its name."""
    found = {name: _page(PAGES[name][0], names) for name, names in rooms().items()}
    for module, title in MODULES.items():
        found[module] = _page(title, members(module), f"From `leastnoise.{module}`.\n\n")
    return found


def _page(title: str, names: list[str], lead: str = "") -> str:
    blocks = "\n\n".join(f"::: {name}" for name in sorted(names, key=str.casefold))
    return f"# {title}\n\n{lead}{blocks}\n"


def main() -> None:
    parser = argparse.ArgumentParser(description="Write the pages of docs/reference.")
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    wrong: list[str] = []
    for name, text in pages().items():
        path = FOLDER / f"{name}.md"
        if path.exists() and path.read_text(encoding="utf-8") == text:
            continue
        wrong.append(name)
        if not options.check:
            FOLDER.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
    print(f"{'stale' if options.check else 'written'}: {', '.join(wrong) or 'none'}")
    sys.exit(bool(options.check and wrong))


if __name__ == "__main__":
    main()
