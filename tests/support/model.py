"""The proofs in Coq, and questions to their model."""

from __future__ import annotations

import importlib.util
import shutil
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]
PROOFS = ROOT / "proofs"

needs_coq = pytest.mark.skipif(
    shutil.which("coqc") is None, reason="needs Coq 8.16: apt-get install coq"
)


def tool() -> ModuleType:
    """tools/proofs.py, which is in no package."""
    spec = importlib.util.spec_from_file_location("proofs_tool", ROOT / "tools/proofs.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module


def compiled(build: Path) -> Path:
    """The model, compiled in a folder."""
    proofs = tool()
    sources = {path.stem: proofs.code_of(path) for path in PROOFS.glob("*.v")}
    for name in proofs.in_order(sources):
        (build / f"{name}.v").write_bytes((PROOFS / f"{name}.v").read_bytes())
        code, text = proofs.coqc(build, f"{name}.v")
        assert code == 0, text
    return build
