"""Check the modules of leastnoise: lengths, randomness, conversions of columns, hooks, casts.

Randomness that decides a release comes from `leastnoise.randomness` alone. The rooms that simulate
laws, draw synthetic records or pictures may use numpy's generators. What statistics, mechanisms,
tables and requests may say stands in their base classes: only the adapters of users' own objects
ask for it by name, and no module tells requests apart by their types.

    python3 tools/check_modules.py [PACKAGE FOLDER]
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

CEILING = 500
# How many casts there are: a type that needs one is wrong as a rule, so the number only falls.
# Containers of unknown entries are narrowed by `leastnoise.foreign`.
MOST_CASTS = 61
# Functions, classes and parameters whose name says nothing of what they give: the number falls.
VAGUE = {
    "asked", "found", "gone", "in_doubles", "keep", "said", "several", "told", "untied", "wanted",
    "worked",
}  # fmt: skip
MOST_VAGUE = 54
# Why numpy may draw there, each time from public parameters only:
# laws, testing, plots, app, reproduce simulate what is never released;
# geometry estimates volumes and losses of balls, whose exact samplers stand in sampling.
SIMULATION_ROOMS = {"testing", "laws", "plots", "app", "geometry", "reproduce"}
# The first two draw the synthetic records on which a sensitivity is measured, before any private
# data is opened; the last draws public noise again for intervals, after a release. Whatever else is
# in their rooms draws from leastnoise.randomness, as every room does.
SIMULATION_MODULES = {
    "blackbox/records.py", "blackbox/sampler.py", "estimators/intervals.py",
    "estimators/logistic_intervals.py", "estimators/objective_intervals.py",
}  # fmt: skip
GENERATORS = ("random", "secrets", "numpy.random")
PACKAGE = Path(__file__).resolve().parents[1] / "src" / "leastnoise"

# Rooms that see private data. A conversion that chooses the type of its result by the values lets
# one row decide how others are read; docs/decisions/0015-the-reading-contract.md.
DATA_ROOMS = {"frames", "session", "estimators", "blackbox"}
# Where such a conversion may stand, and why no row decides by it there.
CONVERSIONS = {
    "frames/libraries/": "the contract: missing entries are filled first, types are declared",
    "frames/engines/": "columns that a query made: of a type it sets, without missing entries",
    "frames/blocks.py": "types are compared with the declared ones before anything is handed on",
    "frames/copies.py": "objects in the cells of a column that declares nothing else",
    "frames/readers/open.py": "a buffer of array.array says its own type",
    "session/scoring/predictions.py": "what a public model says; others entry by entry",
    "estimators/matrix.py": "an array of another library says its own type; no frame comes here",
    "estimators/logistic.py": "declared classes and released coefficients, no rows",
    "estimators/objective.py": "released coefficients, no rows",
    "estimators/sigmoid.py": "a public table of numbers, no rows",
    "blackbox/": "forms that records must have are compared before a program runs on them",
}
# Methods of libraries that give Python objects or an array of a type of their own choice.
CHOOSERS = {"to_list", "to_pylist", "to_pandas", "factorize", "convert_dtypes", "infer_objects"}


def conversions(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the name of every conversion that may choose a type by the values."""
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Attribute):
            continue
        typed = any(word.arg == "dtype" for word in node.keywords)
        match node.func:
            case ast.Attribute(value=ast.Name(id="np" | "numpy"), attr="asanyarray"):
                yield node.lineno, "np.asanyarray"
            case ast.Attribute(value=ast.Name(id="np" | "numpy"), attr="asarray" | "array" as name):
                # a list that is written out holds numbers of our own
                own = bool(node.args) and isinstance(node.args[0], ast.List | ast.ListComp)
                if not (typed or own or len(node.args) > 1):
                    yield node.lineno, f"np.{name} without a dtype"
            case ast.Attribute(attr="to_numpy") if not typed:
                yield node.lineno, ".to_numpy without a dtype"
            case ast.Attribute(attr="astype") if node.args:
                match node.args[0]:
                    case ast.Name(id="str") | ast.Constant(value="str" | "string" | "category"):
                        yield node.lineno, ".astype of text"
                    case _:
                        continue
            case ast.Attribute(attr=name) if name in CHOOSERS:
                yield node.lineno, f".{name}"
            case _:
                continue


def hooks_by_name(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line of every look for a method by its name, or for the type of a request."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id="getattr" | "hasattr" as look), args=[asked, *_]):
                name = ast.unparse(asked).rsplit(".", 1)[-1]
                if name in ("statistic", "mechanism", "table", "request"):
                    yield node.lineno, f"{look} of a {name}"
            case ast.Call(func=ast.Name(id="isinstance"), args=[_, kinds]):
                names = [each.id for each in ast.walk(kinds) if isinstance(each, ast.Name)]
                if any(name.endswith("Request") for name in names):
                    yield node.lineno, "isinstance of a request"
            case _:
                continue


def casts(source: str) -> int:
    """How often a type checker is told a type that it cannot see."""
    return sum(
        isinstance(node, ast.Call) and ast.unparse(node.func) in ("cast", "typing.cast")
        for node in ast.walk(ast.parse(source))
    )


def vague_names(source: str) -> Iterator[str]:
    """Yield the names of functions, classes and parameters that say nothing of what they give."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                if name.strip("_") in VAGUE:
                    yield name
            case _:
                continue


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
    cast = vague = 0
    for path in sorted(package.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        cast += casts(source)
        vague += sum(1 for _ in vague_names(source))
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
        if place.name != "foreign.py":
            for line, name in hooks_by_name(source):
                yield f"{path}:{line}: {name}; its base class says it, with a default"
        allowed = any(place.as_posix().startswith(where) for where in CONVERSIONS)
        if room in DATA_ROOMS and not allowed:
            for line, name in conversions(source):
                yield (
                    f"{path}:{line}: {name}; a row must not decide how others are read, so columns "
                    "are read by leastnoise.frames.contract"
                )
    if cast > MOST_CASTS:
        yield f"{package}: {cast} casts, and {MOST_CASTS} is the most; give better types instead"
    if vague > MOST_VAGUE:
        names = ", ".join(sorted(VAGUE))
        yield f"{package}: {vague} of {names}, and {MOST_VAGUE} is the most; name what they give"


def main(arguments: list[str]) -> int:
    package = Path(arguments[0]) if arguments else PACKAGE
    if not package.is_dir():
        print(f"{package}: no such folder")
        return 2
    found = list(problems(package))
    right = "modules: lengths, sources of randomness, conversions, hooks and casts are right"
    print("\n".join(found) if found else right)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
