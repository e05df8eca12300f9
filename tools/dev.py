"""Build the project's own virtual environment and run one job in it.

    python3 tools/dev.py demo      release statistics of real data
    python3 tools/dev.py test      run the tests
    python3 tools/dev.py nightly   run the long statistical tests and full reproductions
    python3 tools/dev.py locality  look for a row that decides how another is read
    python3 tools/dev.py mutate    change modules in small ways and list what no test sees
    python3 tools/dev.py lint      style, types, import layers, module rules
    python3 tools/dev.py proofs    check the proofs that a machine can; needs Coq, installs nothing
    python3 tools/dev.py docs      build the documentation into site/
    python3 tools/dev.py minimal   run the tests with the oldest dependencies that are allowed
    python3 tools/dev.py readme    make the pictures and tables of README and docs anew
    python3 tools/dev.py wheel     build the wheel and the source archive into dist/

Needs Python 3.11 or newer and nothing else. The environment is built at the first use, in `.venv`
or where --venv says, and built anew when pyproject.toml changes. What follows the job's name is
handed on: `python3 tools/dev.py test tests/unit -k profile`.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
STAMP = "leastnoise-dev.json"
# Settings of the caller that are none of the environment's. Tests start hundreds of processes, and
# without compiled modules each would compile the library anew.
FOREIGN = ("PYTHONHOME", "PYTHONPATH", "PYTHONDONTWRITEBYTECODE")

DEMO = ["-e", ".[demo]"]
DEV = ["-e", ".", "--group", "dev"]
DOCS = ["-e", ".", "--group", "docs"]


def oldest() -> list[str]:
    """The least version of every dependency that pyproject.toml allows, extras too.

    A library of two extras is installed at the higher of its two bounds.
    """
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    least: dict[str, tuple[int, ...]] = {}
    for requirements in (project["dependencies"], *project["optional-dependencies"].values()):
        for name, bound in (requirement.split(">=") for requirement in requirements):
            version = tuple(int(part) for part in bound.split("."))
            least[name] = max(version, least.get(name, version))
    return [f"{name}=={'.'.join(map(str, version))}.*" for name, version in least.items()]


# What a job installs, and its commands; all of them run, also after one has failed.
JOBS = {
    "demo": (DEMO, [("leastnoise", "demo")]),
    # neighbours stay together: what a module sets up, and the session of an engine, is made once
    "test": (DEV, [("pytest", "-n", "auto", "--dist", "worksteal")]),
    "nightly": (DEV, [("pytest", "-n", "auto", "-m", "nightly")]),
    "locality": (DEV, [("python", "tests/backends/locality.py")]),
    "mutate": (DEV, [("python", "tests/mutations/mutate.py")]),
    "lint": (
        DEV,
        [
            ("ruff", "check"),
            ("ruff", "format", "--check"),
            ("pyright",),
            ("lint-imports",),
            ("python", "tools/check_modules.py"),
        ],
    ),
    # pyparsing 3.3 deprecates names that matplotlib 3.9 calls, and warnings are errors
    "minimal": (
        [*DEV[:2], *oldest(), "pyparsing<3.3", "--group", "test"],
        [("pytest", "-n", "auto")],
    ),
    "readme": (DEV, [("python", "tools/readme.py")]),
    "proofs": (None, [("python", "tools/proofs.py")]),  # no environment: it says what it needs
    "wheel": (["build>=1.2"], [("python", "-m", "build", "--outdir", "dist")]),
    "docs": (
        DOCS,
        [("python", "tools/reference.py", "--check"), ("mkdocs", "build", "--quiet", "--strict")],
    ),
}


def say(text: str) -> None:
    print(f"\n== {text}", flush=True)


@dataclass(frozen=True)
class Environment:
    """A virtual environment that knows from which pyproject.toml it was built, and for what."""

    folder: Path

    @property
    def scripts(self) -> Path:
        return self.folder / ("Scripts" if os.name == "nt" else "bin")

    @property
    def python(self) -> Path:
        return self.scripts / ("python.exe" if os.name == "nt" else "python")

    @property
    def stamp(self) -> Path:
        return self.folder / STAMP

    def installed(self, source: list[str]) -> list[list[str]]:
        """Tell what was installed from this source; nothing if the environment is of another."""
        try:
            state = json.loads(self.stamp.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return []
        return state["installed"] if state["source"] == source and self.python.exists() else []

    def record(self, source: list[str], installed: list[list[str]]) -> None:
        state = {"source": source, "installed": installed}
        self.stamp.write_text(json.dumps(state), encoding="utf-8")

    def prepare(self, requirements: list[str]) -> None:
        """Build the environment, or add the requirements, unless that was done before."""
        project = hashlib.sha256((ROOT / "pyproject.toml").read_bytes()).hexdigest()
        source = [str(ROOT), sys.version, project]
        installed = self.installed(source)
        if requirements in installed:
            return
        if not installed:
            self.create()
        self.record(source, [])  # an interrupted installation counts for nothing
        say(f"installing {' '.join(requirements)}")
        self.run("python", "-m", "pip", "install", "--quiet", *requirements)
        self.record(source, [*installed, requirements])

    def create(self) -> None:
        """Make an empty environment with a pip that knows dependency groups."""
        if self.folder.exists() and any(self.folder.iterdir()):
            if not self.stamp.exists():
                sys.exit(f"{self.folder} was not made by this program: remove it, or use --venv")
            if Path(sys.prefix).resolve() == self.folder.resolve():
                sys.exit(f"{self.folder} has to be built anew, by another Python than its own")
            shutil.rmtree(self.folder)
        say(f"building the virtual environment {self.folder}; this takes a minute or two")
        self.folder.mkdir(parents=True, exist_ok=True)
        self.record([], [])
        subprocess.run([sys.executable, "-m", "venv", self.folder], check=True)
        self.run("python", "-m", "pip", "install", "--quiet", "--upgrade", "pip>=25.1")

    def run(self, command: str, *arguments: str) -> None:
        """Run one of the environment's programs in the repository, as if it were activated."""
        active = {k: v for k, v in os.environ.items() if k not in FOREIGN}
        active["VIRTUAL_ENV"] = str(self.folder)
        active["PATH"] = os.pathsep.join([str(self.scripts), os.environ.get("PATH", os.defpath)])
        program = self.python if command == "python" else self.scripts / command
        subprocess.run([program, *arguments], cwd=ROOT, env=active, check=True)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--venv", type=Path, default=ROOT / ".venv", help="default: .venv")
    parser.add_argument("job", choices=JOBS)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="handed on to the job")
    options = parser.parse_args()
    requirements, commands = JOBS[options.job]
    if options.arguments and len(commands) > 1:
        parser.error(f"{options.job} takes no arguments")

    if requirements is None:
        command = [sys.executable, *commands[0][1:], *options.arguments]
        sys.exit(subprocess.run(command, cwd=ROOT, check=False).returncode)
    environment = Environment(options.venv.absolute())
    environment.prepare(requirements)
    worst = 0
    for command in commands:
        say(" ".join(command))
        try:
            environment.run(*command, *options.arguments)
        except subprocess.CalledProcessError as error:
            worst = worst or error.returncode
    sys.exit(worst)


if __name__ == "__main__":
    if sys.version_info < (3, 11):  # noqa: UP036 - an older Python does reach this line
        sys.exit("leastnoise needs Python 3.11 or newer; this is " + sys.version.split()[0])
    try:
        main()
    except subprocess.CalledProcessError as error:  # its program has said why
        sys.exit(error.returncode)
    except KeyboardInterrupt:
        sys.exit(130)
