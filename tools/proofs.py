"""Check the proofs that a machine can: `python3 tools/proofs.py [FOLDER]`, by default proofs/.

Needs Coq 8.16 and Python, nothing of the library. The sources are copied to a place of their own
and compiled there, one after the other. Fails on a proof that is not finished, on an axiom or
parameter that a file declares, on a switch that weakens the checker, and where the theorems
rest on more than `assumptions.txt` lists. What each theorem of `claims.toml` rests on, and what all
of them together do, is asked of Coq, and printed.

Exit code 0: all hold. 1: something does not, and is printed. 69: there is no Coq.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path

PROOFS = Path(__file__).resolve().parents[1] / "proofs"
LIBRARY = "LeastNoise"
UNAVAILABLE = 69
INSTALL = "the proofs need Coq 8.16 (Debian, Ubuntu: apt-get install coq)"
ALL = "all_theorems"
LIMIT = 600  # seconds of processor time for all files together
WALL = 3600  # seconds by the clock for one of them

# A proof that is not finished, something taken for granted, a checker that looks away. A quotation
# mark anywhere: marks of comments inside one are none for Coq, and would hide what follows from us.
FORBIDDEN = re.compile(
    r"\b(Admitted|admit|give_up|Axioms?|Parameters?|Conjectures?|Unset\s+\w+\s+Checking"
    r"|bypass_check|type_in_type|Declare\s+Module|Module\s+Type|Load|Cd|Redirect|Extract\s+\w+"
    r"|Add\s+(?:Rec\s+)?LoadPath)\b|\""
)
ASSUMED = re.compile(r"^\s*(Variables?|Hypothes[ie]s|Context)\b", re.M)
SECTION = re.compile(r"^\s*(Section|End)\s+(\w+)\s*\.", re.M)
PROVED = re.compile(r"^\s*(?:#\[\w+\]\s*)?(?:Theorem|Lemma|Corollary|Example|Fact)\s+(\w+)", re.M)
NEEDS = re.compile(rf"^From\s+{LIBRARY}\s+Require\s+(?:Import|Export)\s+([\w\s]+)\.", re.M)


def code_of(path: Path) -> str:
    """The source without its comments, which nest; every line and quotation mark in its place."""
    found: list[str] = []
    depth = 0
    for part in re.split(r"(\(\*|\*\))", path.read_text(encoding="utf-8")):
        depth += (part == "(*") - (part == "*)")
        shown = depth == 0 and part != "*)"
        found.append(part if shown else "".join(c for c in part if c in '\n"'))
    return "".join(found)


def in_order(sources: dict[str, str]) -> list[str]:
    """The files, each after those that it needs."""
    done: list[str] = []

    def visit(name: str) -> None:
        for line in NEEDS.findall(sources[name]):
            for needed in line.split():
                visit(needed)
        if name not in done:
            done.append(name)

    for name in sorted(sources):
        visit(name)
    return done


def faults(name: str, code: str) -> Iterator[str]:
    """What no file may hold, whatever Coq says of it."""
    for found in FORBIDDEN.finditer(code):
        line = code.count("\n", 0, found.start()) + 1
        yield f"{name}.v:{line}: {found[0]}"
    depth = 0
    marks = [(m.start(), m[1]) for m in SECTION.finditer(code)]
    marks += [(m.start(1), m[1]) for m in ASSUMED.finditer(code)]
    for place, word in sorted(marks):
        if word == "Section":
            depth += 1
        elif word == "End":
            depth -= 1
        elif depth <= 0:  # a module ends as a section does
            line = code.count("\n", 0, place) + 1
            yield f"{name}.v:{line}: {word} outside a section is an axiom"


def spent() -> float:
    """Seconds of processor time that the compilers took so far."""
    used = os.times()
    return used.children_user + used.children_system


def coqc(folder: Path, file: str) -> tuple[int, str]:
    """Compile one file; its exit code and all that it printed."""
    command = ["coqc", "-q", "-Q", ".", LIBRARY, "-w", "+default", file]
    try:
        done = subprocess.run(
            command, cwd=folder, capture_output=True, text=True, check=False, timeout=WALL
        )
    except subprocess.TimeoutExpired:
        return 1, f"{file}: not done after {WALL} seconds"
    if done.returncode < 0:  # its output says nothing of it
        return 1, f"{file}: coqc was ended by signal {-done.returncode}, nothing is known"
    return done.returncode, done.stdout + done.stderr


def questions(claims: list[str], theorems: list[str]) -> str:
    """A file that asks what each claim rests on, and what all theorems together do."""
    files = " ".join(dict.fromkeys(name.split(".")[0] for name in theorems))
    lines = [f"From {LIBRARY} Require {files}.", f"Definition {ALL} := (I"]
    lines += [f", @{LIBRARY}.{theorem}" for theorem in theorems]
    lines.append(").")
    for name, asked in [(c, f"{LIBRARY}.{c}") for c in claims] + [(ALL, ALL)]:
        lines += [f'Goal True. idtac "== {name}". Abort.', f"Print Assumptions {asked}."]
    return "\n".join(lines) + "\n"


def answers(text: str) -> dict[str, list[str]]:
    """Theorem by theorem, the names of what it rests on: axioms, and what was left unchecked."""
    found: dict[str, list[str]] = {}
    for part in re.split(r"^== ", text, flags=re.M)[1:]:
        theorem, _, rest = part.partition("\n")
        names = [n for n in re.findall(r"^(\S+)", rest, re.M) if n != "Axioms:"]
        closed = rest.strip() == "Closed under the global context"
        found[theorem] = [] if closed else names or ["(unreadable)"]
    return found


def allowed(folder: Path) -> set[str]:
    lines = (folder / "assumptions.txt").read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


def check(folder: Path, build: Path) -> Iterator[str]:
    """Yield every reason why the proofs do not hold; what they rest on is printed."""
    sources = {path.stem: code_of(path) for path in sorted(folder.glob("*.v"))}
    wrong = [fault for name, code in sources.items() for fault in faults(name, code)]
    if wrong:
        yield from wrong
        return
    for name in in_order(sources):
        shutil.copy(folder / f"{name}.v", build)
        code, text = coqc(build, f"{name}.v")
        print(f"{name}.v: {spent():.0f} s", flush=True)
        if code:
            yield text.strip()
            return
    theorems = [f"{name}.{t}" for name in in_order(sources) for t in PROVED.findall(sources[name])]
    claims = tomllib.loads((folder / "claims.toml").read_text(encoding="utf-8"))["claims"]
    unknown = sorted(set(claims) - set(theorems))
    if unknown:
        yield f"claims.toml names what is no theorem: {', '.join(unknown)}"
        return
    (build / "Assumptions.v").write_text(questions(list(claims), theorems), encoding="utf-8")
    code, text = coqc(build, "Assumptions.v")
    if code:
        yield text.strip()
        return
    found = answers(text)
    yield from (f"{c}: nothing is known of what it rests on" for c in {*claims, ALL} - set(found))
    print(f"\n{len(theorems)} theorems; together they rest on:", *found[ALL], sep="\n  ")
    yield from report(found, allowed(folder))
    print(f"\n{spent():.0f} s of processor time")
    if spent() > LIMIT:
        yield f"that is more than {LIMIT} s"


def report(found: dict[str, list[str]], trusted: set[str]) -> Iterator[str]:
    """Print what each claim rests on; yield what is more than is trusted."""
    for theorem, names in found.items():
        if theorem != ALL:
            print(f"{theorem}: {', '.join(n.split('.')[-1] for n in names) or 'no assumption'}")
        for name in sorted(set(names) - trusted):
            yield f"{theorem}: rests on {name}"


def main() -> int:
    if shutil.which("coqc") is None:
        print(INSTALL)
        return UNAVAILABLE
    folder = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else PROOFS
    with tempfile.TemporaryDirectory() as build:
        wrong = list(check(folder, Path(build)))
    for line in wrong:
        print(f"\nWRONG: {line}")
    print("\nthe proofs do not hold" if wrong else "\nall proofs hold")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
