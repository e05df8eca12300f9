"""Plans and the command line over engines: the same words and the same answers as over files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from leastnoise import Releases
from support.commands import in_process
from support.optional import optional

PLAN = """
[data]
file = "{file}"
{engine}

[privacy]
relation = "add-remove"
unit = "who"
max_rows = 9

[tables.pay]
max_groups = 3
where = "pay >= 40 and not is_missing(region)"
groups = {{region = ["N", "S", "none"]}}
epsilon = 1000000000

[tables.pay.statistics]
n = {{statistic = "count"}}
median = {{statistic = "median", column = "pay", bounds = [0, 200], step = 1}}
most = {{statistic = "maximum", column = "age", bounds = [0, 120], step = 1}}
"""


@pytest.fixture(params=["csv", "parquet", "duckdb", "polars", "duckdb database"])
def source(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    """A file of one table, and the engine with its source."""
    pa, pq = (
        optional("pyarrow"),
        optional("pyarrow.parquet"),
    )
    random = np.random.default_rng(2)
    table = pa.table(
        {
            "who": [f"p{i % 150}" for i in range(600)],
            "region": pa.array(["N", " S", "W", None] * 150),
            "pay": random.integers(0, 150, 600).astype(float),
            "age": random.integers(0, 100, 600),
        }
    )
    pq.write_table(table, tmp_path / "t.parquet")
    kind: str = request.param
    if kind == "csv":
        optional("pyarrow.csv").write_csv(table, tmp_path / "t.csv")
        return "t.csv", ""
    if kind == "parquet":
        return "t.parquet", ""
    optional(kind.split()[0])
    if kind != "duckdb database":
        return "t.parquet", kind
    with optional("duckdb").connect(tmp_path / "t.duckdb") as writer:
        writer.execute(f"CREATE TABLE \"odd; name\" AS FROM '{tmp_path / 't.parquet'}'")
    return "t.duckdb", "duckdb"


def expected(tmp_path: Path) -> dict[str, tuple[int, float, int]]:
    """Worked out from the rows themselves."""
    pq = optional("pyarrow.parquet")
    rows = pq.read_table(tmp_path / "t.parquet").to_pylist()
    found: dict[str, tuple[int, float, int]] = {}
    for key in ("N", "S"):
        kept = [r for r in rows if (r["region"] or "").strip() == key and r["pay"] >= 40]
        pays = sorted(r["pay"] for r in kept)
        found[key] = len(kept), pays[-(-len(pays) // 2) - 1], max(r["age"] for r in kept)
    return found


def test_a_plan(
    source: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, engine = source
    lines = [f'engine = "{engine}"'] if engine else []
    lines += ['source = "odd; name"'] if file.endswith(".duckdb") else []
    plan = PLAN.format(file=file, engine="\n".join(lines))
    (tmp_path / "plan.toml").write_text(plan, encoding="utf-8")
    done = in_process(capsys, "plan", str(tmp_path / "plan.toml"))
    assert done.code == 0, done.err
    made = json.loads((tmp_path / "plan.json").read_text(encoding="utf-8"))["tables"][0]
    table = Releases.from_json(json.dumps(made["releases"]))
    rows = {key[0]: {name: cell.value for name, cell in row.items()} for key, row in table.items()}
    for key, (n, median, most) in expected(tmp_path).items():
        assert rows[key] == {"n": n, "median": median, "most": most}
    assert rows["none"]["n"] == 0


def test_the_command_line(
    source: tuple[str, str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, engine = source
    words = ["release", str(tmp_path / file), "--stat", "median", "--column", "pay"]
    words += ["--bounds", "0", "200", "--step", "1", "--where", "pay >= 40"]
    words += [
        "--group-by",
        "region",
        "--keys",
        "region=N,S",
        "--unit",
        "who",
        "--max-rows",
        "9",
        "--max-groups",
        "3",
    ]
    words += ["--relation", "add-remove", "--epsilon", "1e9", "--json"]
    words += ["--engine", engine] if engine else []
    words += ["--source", "odd; name"] if file.endswith(".duckdb") else []
    done = in_process(capsys, *words)
    assert done.code == 0, done.err
    table = Releases.from_json(done.out)
    found = [cell.value for row in table.values() for cell in row.values()]
    assert found == [median for _, median, _ in expected(tmp_path).values()]
