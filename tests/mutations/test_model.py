"""Deliberate changes of the model in proofs/: with each of them Coq must refuse a proof.

`model/` holds one file a change: `old` is replaced by `new` in `target`, a condition of a theorem
or a line of the model. If Coq accepts a change, the theorem does not need the condition.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from support.model import PROOFS, ROOT, compiled, needs_coq, tool

CHANGES = sorted((Path(__file__).resolve().parent / "model").glob("*.toml"))


def changed(path: Path) -> tuple[str, str]:
    """The file that a change breaks, and its text then."""
    fields = tomllib.loads(path.read_text(encoding="utf-8"))
    old, new = (fields[key].removesuffix("\n") for key in ("old", "new"))
    text = (PROOFS / fields["target"]).read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{path.stem}: its old text occurs {text.count(old)} times"
    assert fields["why"]
    return fields["target"], text.replace(old, new)


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The model as it is, compiled."""
    return compiled(tmp_path_factory.mktemp("model"))


@pytest.mark.parametrize("path", CHANGES, ids=lambda p: p.stem)
def test_changes_apply(path: Path) -> None:
    changed(path)


def test_there_are_changes_of_every_file_with_a_claim() -> None:
    claims = tomllib.loads((PROOFS / "claims.toml").read_text(encoding="utf-8"))["claims"]
    broken = {changed(path)[0] for path in CHANGES}
    assert broken == {f"{claim.split('.')[0]}.v" for claim in claims}


@needs_coq
@pytest.mark.nightly
@pytest.mark.parametrize("path", CHANGES, ids=lambda p: p.stem)
def test_coq_refuses(path: Path, build: Path) -> None:
    _, text = changed(path)
    (build / "Changed.v").write_text(text, encoding="utf-8")
    code, output = tool().coqc(build, "Changed.v")
    assert code == 1, f"{path.stem}: the proofs hold without it"
    # by a proof that fails, not because the change cannot be read
    assert "Error" in output
    for unread in ("Syntax error", "not found", "Cannot find a physical", "Unable to locate"):
        assert unread not in output


@needs_coq
@pytest.mark.nightly
def test_the_proofs_hold() -> None:
    done = subprocess.run(
        [sys.executable, "tools/dev.py", "proofs"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "all proofs hold" in done.stdout


def test_without_coq_it_says_what_to_install(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "tools/proofs.py"],
        cwd=ROOT,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == tool().UNAVAILABLE
    assert "apt-get install coq" in done.stdout


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("Lemma a : False.\nAdmitted.", "x.v:2: Admitted"),
        ("Axiom a : False.", "x.v:1: Axiom"),
        ("Parameters a b : nat.", "x.v:1: Parameters"),
        ("Variable a : False.", "x.v:1: Variable outside a section is an axiom"),
        ("Section A.\nEnd A.\nHypothesis a : False.", "x.v:3: Hypothesis outside a section"),
        ("Module A.\nEnd A.\nHypothesis a : False.", "x.v:3: Hypothesis outside a section"),
        ("Unset Guard Checking.", "x.v:1: Unset Guard Checking"),
        ("Goal False. admit. Abort.", "x.v:1: admit"),
        # what is no mark of a comment for Coq
        ('Definition s := "(*".\nUnset Guard Checking.', 'x.v:1: "'),
        ('(* " (* " *)\nUnset Guard Checking.', 'x.v:1: "'),
    ],
)
def test_what_is_taken_for_granted_is_found(text: str, fault: str, tmp_path: Path) -> None:
    path = tmp_path / "x.v"
    path.write_text(text, encoding="utf-8")
    proofs = tool()
    assert [f for f in proofs.faults("x", proofs.code_of(path)) if f.startswith(fault)]


def test_comments_and_sections_are_no_axioms(tmp_path: Path) -> None:
    path = tmp_path / "x.v"
    path.write_text("(* Axiom (* nested *) Admitted. *)\nSection A.\nVariable a : nat.\nEnd A.\n")
    proofs = tool()
    assert list(proofs.faults("x", proofs.code_of(path))) == []


def test_more_than_the_trusted_axioms_is_found() -> None:
    asked = "== A.b\nAxioms:\nB.axiom : forall x, x\n  with x\nR.fine\n  : nat\n"
    asked += "== A.c\nClosed under the global context\n"
    proofs = tool()
    found = proofs.answers(asked + "== A.d\nAxioms:\nf is assumed to be guarded.\nR.fine : nat\n")
    assert found == {"A.b": ["B.axiom", "R.fine"], "A.c": [], "A.d": ["f", "R.fine"]}
    assert list(proofs.report(found, {"R.fine"})) == [
        "A.b: rests on B.axiom",
        "A.d: rests on f",
    ]
