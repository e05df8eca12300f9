"""Check the modules of leastnoise: none over 500 lines, no second source of randomness.

Randomness that decides a release comes from `leastnoise.randomness` alone. The rooms that simulate
laws, draw synthetic records or pictures may use numpy's generators.

    python3 tools/check_modules.py [PACKAGE FOLDER]
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

CEILING = 500
# Why numpy may draw there, each time from public parameters only:
# laws, testing, plots, app, reproduce simulate what is never released;
# geometry estimates volumes and losses of balls, whose exact samplers stand in sampling.
SIMULATION_ROOMS = {"testing", "laws", "plots", "app", "geometry", "reproduce"}
# These two draw the synthetic records on which a sensitivity is measured, before any private data
# is opened. Whatever else is in their room draws from leastnoise.randomness, as every room does.
SIMULATION_MODULES = {"blackbox/records.py", "blackbox/sampler.py"}
GENERATORS = ("random", "secrets", "numpy.random")
PACKAGE = Path(__file__).resolve().parents[1] / "src" / "leastnoise"


def generator_uses(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of every foreign generator that the source imports or reads."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Import(names=names):
                used = [alias.name for alias in names]
            case ast.ImportFrom(module=str(module), names=names, level=0):
                used = [module, *(f"{module}.{alias.name}" for alias in names)]
            case ast.Attribute(value=ast.Name(id="np" | "numpy"), attr="random"):
                used = ["numpy.random"]
            case _:
                continue
        found = next((g for g in GENERATORS for u in used if f"{u}.".startswith(f"{g}.")), None)
        if found:
            yield node.lineno, found


def problems(package: Path) -> Iterator[str]:
    """Yield one line of text for every rule that a module of the package breaks."""
    for path in sorted(package.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        length = len(source.splitlines())
        if length > CEILING:
            yield f"{path}: {length} lines; split it, the ceiling is {CEILING}"
        if not (path.parent / "__init__.py").exists():
            yield f"{path.parent}: no __init__.py; the import linter does not see {path.name}"
        place = path.relative_to(package)
        room = place.parts[0].removesuffix(".py")
        if room not in SIMULATION_ROOMS and place.as_posix() not in SIMULATION_MODULES:
            for line, name in generator_uses(source):
                yield f"{path}:{line}: {name}; privacy draws from leastnoise.randomness alone"


def main(arguments: list[str]) -> int:
    package = Path(arguments[0]) if arguments else PACKAGE
    if not package.is_dir():
        print(f"{package}: no such folder")
        return 2
    found = list(problems(package))
    print("\n".join(found) if found else "modules: lengths and sources of randomness are right")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
