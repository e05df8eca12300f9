import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.optional import optional

ROOT = Path(__file__).resolve().parents[2]


def run(*command, **options):
    return subprocess.run(command, capture_output=True, text=True, check=False, **options)


def write(package, files):
    for name, text in {"__init__.py": "", **files}.items():
        path = package / name
        path.parent.mkdir(parents=True, exist_ok=True)
        (path.parent / "__init__.py").touch()
        path.write_text(text)


class TestCheckModules:
    def check(self, package, files):
        write(package, files)
        done = run(sys.executable, ROOT / "tools" / "check_modules.py", package)
        return done.returncode, done.stdout

    def test_a_module_of_500_lines_passes(self, tmp_path):
        code, _ = self.check(tmp_path, {"frames/big.py": "x = 1\n" * 500})
        assert code == 0

    def test_a_module_of_501_lines_is_named(self, tmp_path):
        code, text = self.check(tmp_path, {"frames/big.py": "x = 1\n" * 501, "small.py": ""})
        assert code == 1
        assert "big.py: 501 lines" in text
        assert "small.py" not in text

    @pytest.mark.parametrize(
        "source",
        [
            "import random",
            "import secrets",
            "import numpy.random as r",
            "from random import gauss",
            "from secrets import token_bytes",
            "from numpy import random",
            "from numpy.random import default_rng",
            "import numpy as np\ndef f():\n    return np.random.default_rng()",
            "import numpy\nrng = numpy.random.default_rng()",
        ],
    )
    def test_a_foreign_generator_is_found(self, tmp_path, source):
        code, text = self.check(tmp_path, {"mechanisms/plain.py": source})
        assert code == 1
        assert "plain.py" in text

    @pytest.mark.parametrize(
        "look",
        [
            "hasattr(statistic, 'x')",
            "getattr(self.mechanism, 'x', 1)",
            "hasattr(table, 'summarise')",
            "isinstance(plan.request, CellRequest | RowRequest)",
            "isinstance(request, (Plain, KeyRequest))",
        ],
    )
    def test_a_look_for_a_hook_by_its_name_is_found(self, tmp_path, look):
        code, text = self.check(tmp_path, {"session/plain.py": look})
        assert code == 1
        assert "its base class says it" in text
        assert self.check(tmp_path / "other", {"statistics/foreign.py": look})[0] == 0

    @pytest.mark.parametrize(
        "source",
        [
            '"""Never np.random, nor import random."""',
            "from leastnoise import randomness",
            "from .random import draw",
            "import randomised",
            "self = object()\nself.random",
        ],
    )
    def test_a_likeness_is_not_one(self, tmp_path, source):
        code, text = self.check(tmp_path, {"mechanisms/plain.py": source})
        assert code == 0, text

    @pytest.mark.parametrize("name", ["blackbox/aggregate.py", "blackbox/respond.py"])
    def test_the_rest_of_the_room_of_synthetic_records_may_not(self, tmp_path, name):
        code, text = self.check(tmp_path, {name: "import numpy as np\nx = np.random.default_rng()"})
        assert code == 1
        assert name in text

    @pytest.mark.parametrize(
        "name", ["testing.py", "laws/piece.py", "plots/a.py", "app.py", "blackbox/records.py"]
    )
    def test_simulation_rooms_may_use_one(self, tmp_path, name):
        code, text = self.check(tmp_path, {name: "from numpy.random import default_rng"})
        assert code == 0, text

    @pytest.mark.parametrize(
        "source",
        [
            "import numpy as np\nx = np.asanyarray(frame)",
            "import numpy as np\nx = np.asarray(frame)",
            "import numpy\nx = numpy.array(frame)",
            "x = series.to_numpy()",
            "x = series.to_numpy(copy=False)",
            "x = column.astype(str)",
            "x = column.astype('category')",
            "x = series.to_list()",
            "x = chunk.to_pylist()",
            "codes, x = series.factorize()",
            "x = series.convert_dtypes()",
        ],
    )
    @pytest.mark.parametrize("room", ["frames", "session", "estimators"])
    def test_a_conversion_by_the_values_is_found(self, tmp_path, source, room):
        code, text = self.check(tmp_path, {f"{room}/plain.py": source})
        assert code == 1
        assert f"plain.py:{len(source.splitlines())}: " in text
        assert "a row must not decide how others are read" in text

    @pytest.mark.parametrize(
        ("name", "source"),
        [
            ("frames/plain.py", "import numpy as np\nx = np.asarray(column, dtype=np.float64)"),
            ("frames/plain.py", "import numpy as np\nx = np.array([float(x) for x in bounds])"),
            ("frames/plain.py", "x = series.to_numpy(dtype=kind, na_value=0)"),
            ("frames/plain.py", "x = values.astype(kind)"),
            ("frames/libraries/on_new.py", "x = series.to_list()"),
            ("plots/plain.py", "import numpy as np\nx = np.asarray(released)"),
        ],
    )
    def test_a_declared_conversion_and_the_contract_are_not(self, tmp_path, name, source):
        write(tmp_path, {"frames/__init__.py": ""})
        code, text = self.check(tmp_path, {name: source})
        assert code == 0, text

    def test_a_folder_that_the_import_linter_would_not_see_is_found(self, tmp_path):
        write(tmp_path, {"frames/plain.py": ""})
        (tmp_path / "frames" / "__init__.py").unlink()
        code, text = self.check(tmp_path, {})
        assert code == 1
        assert "frames: no __init__.py" in text

    def test_a_folder_that_is_not_there_is_an_error(self, tmp_path):
        assert run(sys.executable, ROOT / "tools" / "check_modules.py", tmp_path / "no").returncode

    def test_more_casts_than_there_are_today_are_counted(self, tmp_path):
        source = "from typing import cast\nx = cast('int', 1)\n"
        assert self.check(tmp_path, {"frames/plain.py": source})[0] == 0
        code, text = self.check(tmp_path, {"frames/plain.py": source * 200})
        assert code == 1
        assert "200 casts" in text


class TestHouse:
    """The contracts of pyproject.toml, over a small package of the same name."""

    def lint(self, folder, files):
        # Reason: it belongs to the group lint, and the group test works without.
        optional("importlinter")
        write(folder / "leastnoise", files)
        code = "import sys; from importlinter.cli import lint_imports_command as c; sys.exit(c())"
        arguments = ["--config", ROOT / "pyproject.toml", "--no-cache"]
        environment = {**os.environ, "PYTHONPATH": str(folder)}
        done = run(sys.executable, "-c", code, *arguments, cwd=folder, env=environment)
        assert "Contracts:" in done.stdout, done.stdout + done.stderr
        return done.returncode, done.stdout

    def test_downward_imports_pass(self, tmp_path):
        files = {
            "errors.py": "",
            "params.py": "from leastnoise.errors import x",
            "frames/__init__.py": "import polars",
            "frames/duckdb.py": "import duckdb",
            "audit.py": "from leastnoise import testing",
            "testing.py": "from leastnoise import audit",
            "cli/demo.py": "from sklearn.datasets import load_diabetes",
            "cli/compare.py": "from leastnoise import plots",
            "plots.py": "import matplotlib",
        }
        code, text = self.lint(tmp_path, files)
        assert code == 0, text

    @pytest.mark.parametrize(
        ("name", "source"),
        [
            ("numbers.py", "from leastnoise import cli"),  # upwards
            ("numbers.py", "def f():\n    from leastnoise.cli import g"),  # upwards and late
            ("numbers.py", "import leastnoise"),  # upwards by way of the whole
            ("plots.py", "import leastnoise.cli"),  # upwards from the row below
            ("attic.py", ""),  # a room without a place
            ("params.py", "import polars"),
            ("statistics/rank.py", "from sklearn import metrics"),
            ("cli/compare.py", "import matplotlib"),
        ],
    )
    def test_any_other_import_is_found(self, tmp_path, name, source):
        files = {"__init__.py": "from leastnoise import cli", "cli/__init__.py": "", name: source}
        code, text = self.lint(tmp_path, files)
        assert code == 1
        assert name.split("/")[0].removesuffix(".py") in text


class TestDev:
    def dev(self, *arguments):
        return run(sys.executable, ROOT / "tools" / "dev.py", *arguments)

    def test_a_folder_of_somebody_else_is_left_alone(self, tmp_path):
        (tmp_path / "letter.txt").write_text("keep")
        done = self.dev("--venv", tmp_path, "demo")
        assert done.returncode == 1
        assert "--venv" in done.stderr
        assert [p.name for p in tmp_path.iterdir()] == ["letter.txt"]

    def test_lint_takes_no_arguments(self):
        assert self.dev("lint", "src").returncode == 2

    @pytest.fixture
    def environment(self, tmp_path, monkeypatch):
        """An environment whose steps are written down instead of taken."""
        monkeypatch.syspath_prepend(ROOT / "tools")
        import dev

        steps = []

        class Recorded(dev.Environment):
            def create(self):
                steps.append("create")
                self.scripts.mkdir(parents=True, exist_ok=True)
                self.python.touch()

            def run(self, command, *arguments):
                steps.append(arguments[-1])
                if arguments[-1] == "broken":
                    raise subprocess.CalledProcessError(1, command)

        (tmp_path / "pyproject.toml").write_text("first")
        monkeypatch.setattr(dev, "ROOT", tmp_path)
        return Recorded(tmp_path / ".venv"), steps

    def test_an_environment_serves_until_the_project_changes(self, environment, tmp_path):
        environment, steps = environment
        for requirement in ("a", "a", "b", "a"):
            environment.prepare([requirement])
        assert steps == ["create", "a", "b"]
        (tmp_path / "pyproject.toml").write_text("second")
        environment.prepare(["b"])
        assert steps[3:] == ["create", "b"]

    def test_no_environment_removes_the_python_that_runs(self, tmp_path, monkeypatch):
        monkeypatch.syspath_prepend(ROOT / "tools")
        import dev

        environment = dev.Environment(tmp_path)
        environment.stamp.touch()
        monkeypatch.setattr(sys, "prefix", str(tmp_path))
        with pytest.raises(SystemExit, match="by another Python than its own"):
            environment.create()
        assert environment.stamp.exists()

    def test_a_failed_installation_is_made_anew(self, environment):
        environment, steps = environment
        environment.prepare(["a"])
        with pytest.raises(subprocess.CalledProcessError):
            environment.prepare(["broken"])
        environment.prepare(["a"])
        assert steps == ["create", "a", "broken", "create", "a"]


def test_ci_runs_the_commands_of_the_readme():
    readme, ci = ((ROOT / name).read_text() for name in ("README.md", ".ci/run"))
    for job in ("demo", "test"):
        assert f"python3 tools/dev.py {job}\n" in readme
        assert (
            f'python3 tools/dev.py --venv "$place/{"dev" if job == "test" else job}" {job}\n' in ci
        )
