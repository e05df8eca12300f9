"""Runs checks on a library with one module changed, each in a forked child: `python server.py`.

Starting Python, numpy and Hypothesis takes longer than most checks, so one process has them loaded
and forks for every request, a line of JSON on standard input: {check, module, text, seconds}. The
child imports the library with ``text`` in place of the module's own source and answers with a line
{code, output}. `python server.py loaded` has the unchanged library loaded too, and changes nothing.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
import traceback
from importlib.abc import MetaPathFinder, SourceLoader
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_loader
from typing import Any


class Changed(SourceLoader):
    """Gives one module another source."""

    def __init__(self, path: str, text: str) -> None:
        self.path, self.text = path, text

    def get_filename(self, fullname: str) -> str:
        return self.path

    def get_data(self, path: str) -> bytes:
        if path != self.path:
            raise OSError(path)  # no compiled file may stand in for the changed text
        return self.text.encode()


class Finder(MetaPathFinder):
    """Finds the changed module before the one on disk."""

    def __init__(self, module: str, text: str) -> None:
        self.module, self.text = module, text

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if fullname != self.module:
            return None
        found = PathFinder.find_spec(fullname, path)
        if found is None or found.origin is None:
            raise ImportError(fullname)
        loader = Changed(found.origin, self.text)
        package = found.submodule_search_locations is not None
        spec = spec_from_loader(fullname, loader, origin=found.origin, is_package=package)
        if spec is not None:
            spec.has_location = True  # so that the module has its __file__
        return spec


def answer(request: dict[str, str]) -> tuple[int, str]:
    """What the check says, in this process."""
    if request["module"]:
        sys.meta_path.insert(0, Finder(request["module"], request["text"]))
    shown = io.StringIO()
    with contextlib.redirect_stdout(shown), contextlib.redirect_stderr(shown):
        try:
            import checks

            code = checks.main([request["check"]])
            if request["module"] and request["module"] not in sys.modules:
                code, _ = 1, print(f"{request['check']} does not import {request['module']}")
        except BaseException:
            traceback.print_exc()
            code = 1
    return code, shown.getvalue()


def serve(*, loaded: bool) -> None:
    """Fork for every line."""
    import hypothesis.strategies
    import numpy as np
    import pytest  # noqa: F401  # loaded once, for all children
    import scipy.special
    import scipy.stats  # noqa: F401  # loaded once, for all children

    np.random.default_rng(0)
    hypothesis.strategies.integers()
    if loaded:
        import checks  # noqa: F401  # and with them the library as it is
    for line in sys.stdin:
        with tempfile.TemporaryFile("w+") as results:
            child = os.fork()
            if not child:
                request = json.loads(line)
                signal_after(request.pop("seconds"))
                json.dump(dict(zip(("code", "output"), answer(request), strict=True)), results)
                results.flush()
                os._exit(0)
            os.waitpid(child, 0)
            results.seek(0)
            print(results.read() or json.dumps({"code": 1, "output": "the check died"}), flush=True)


def signal_after(seconds: int) -> None:
    """End this process when a check hangs."""
    import signal

    signal.alarm(seconds)


if __name__ == "__main__":
    serve(loaded=sys.argv[1:] == ["loaded"])
