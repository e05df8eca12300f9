"""docs/sql.md tells the truth: its blocks run in their order, the queries and commands too."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

import leastnoise as ln
from support.commands import in_process
from support.optional import optional

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "sql.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^(```\w*|<!-- setup)\n(.*?)^(?:```|-->)", re.DOTALL | re.MULTILINE)


def test_every_block_of_the_page_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    optional("sqlglot")
    optional("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    ran: dict[str, int] = {}
    printed = ""
    for kind, text in BLOCK.findall(PAGE):
        ran[kind] = ran.get(kind, 0) + 1
        match kind:
            case "```toml":
                Path(text.split()[1]).write_text(text, encoding="utf-8")  # its comment says it
            case "```sql":
                with ln.open("pay.csv", relation="add-remove") as data:
                    epsilon = None if "epsilon" in text else 1
                    assert data.sql(text, schema="schema.toml", epsilon=epsilon).columns
            case "```text":
                line, cell = text.removeprefix("%%leastnoise ").split("\n", 1)
                shell = InteractiveShell()
                shell.extension_manager.load_extension("leastnoise.sql")
                with ln.open("pay.csv", relation="add-remove") as data:
                    shell.user_ns["data"] = data
                    assert shell.run_cell_magic("leastnoise", line, cell).rows
            case "```":
                for command in text.splitlines():
                    name, *arguments = shlex.split(command)
                    outcome = in_process(capsys, *arguments)
                    assert (name, outcome.code) == ("leastnoise", 0), outcome.err
                    assert "epsilon" in outcome.out
            case _:
                exec(compile(text, "sql.md", "exec"), names)
                printed += capsys.readouterr().out
    assert ran == {
        "<!-- setup": 1,
        "```toml": 2,
        "```": 4,
        "```python": 3,
        "```text": 1,
        "```sql": 7,
    }
    assert "line 2, column 7: CAST is refused" in printed


def test_the_page_names_every_key_of_a_schema_and_every_option() -> None:
    from dataclasses import fields

    from leastnoise.sql.options import Options
    from leastnoise.sql.schema import PRIVACY, ColumnFacts

    facts = {f.name for f in fields(ColumnFacts)} - {"times", "dates"}  # bounds and keys
    wanted = {*PRIVACY, *facts, *(f.name for f in fields(Options))}
    assert {name for name in wanted if f"`{name}`" not in PAGE and f"{name} =" not in PAGE} == set()
