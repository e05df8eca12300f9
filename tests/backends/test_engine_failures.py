"""Engines that die in the middle: no release, the charge stays, and nothing of the data is told."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import SchemaError
from support.engines import keep_open
from support.optional import optional

SECRET = 73914628

# A process of its own: the Java machine of a session is killed while it works on a query.
KILLED = """
import os, signal, sys, threading, time, warnings
warnings.simplefilter("ignore")
from pyspark.sql import SparkSession
import leastnoise as ln
from leastnoise.errors import SchemaError
session = (
    SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
    .config("spark.driver.bindAddress", "127.0.0.1").config("spark.driver.host", "127.0.0.1")
    .getOrCreate()
)
machine = session.sparkContext._gateway.proc.pid
slow = session.range(10**12).selectExpr("CAST({secret} + sin(id) AS DOUBLE) AS v")
ledger = ln.Ledger.create(sys.argv[1], dataset="d", budget=ln.PureDP(2))
with ln.open(slow, ledger=ledger, dataset="d") as data:
    threading.Timer(3, os.kill, (machine, signal.SIGKILL)).start()
    try:
        data.release(ln.Median("v", bounds=(0, 10)), epsilon=1)
        print("released", flush=True)
    except SchemaError as error:
        print("refused", error, error.__cause__, error.__context__, flush=True)
    print("spent", data.spent.epsilon, flush=True)
os._exit(0)
"""


@pytest.mark.nightly
def test_a_java_machine_that_is_killed(tmp_path: Path) -> None:
    optional("pyspark")
    if shutil.which("java") is None:
        # Reason: a program that no package of Python brings
        pytest.skip("Spark needs Java, and there is none on the path")
    script = KILLED.replace("{secret}", str(SECRET))
    out = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path / "b.db")],
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    assert "refused Spark could not run the query" in out.stdout, out.stderr[-2000:]
    assert out.stdout.rstrip().endswith("None None\nspent 1")
    assert str(SECRET) not in out.stdout


def rows_that_fail_late(size: int) -> Any:
    """A frame of Polars whose schema can be read, and which fails while its rows pass by."""
    pl = optional("polars")
    values = np.arange(size) / 7 + SECRET

    def fail(column: Any) -> Any:
        raise ValueError(f"a value was {column[0]}")

    late = pl.col("v").map_batches(fail, return_dtype=pl.Float64)
    return pl.LazyFrame({"v": values}).with_columns(late)


@pytest.mark.parametrize(
    "statistic",
    [
        ln.Variance("v", bounds=(0, 10)),
        ln.QuantileInterval("v", bounds=(0, 10)),
        ln.MeanSquaredError("v", "v", bounds=(0, 10)),
        ln.MomentVector(columns=["v"], bounds=[(0, 10)]),
    ],
)
def test_rows_that_fail_while_they_pass_by(statistic: Any, tmp_path: Path) -> None:
    ledger = ln.Ledger.create(tmp_path / "b.db", dataset="d", budget=ln.PureDP(2))
    with ln.open(rows_that_fail_late(300_000), ledger=ledger, dataset="d") as data:
        with pytest.raises(SchemaError, match="Polars could not run the query") as caught:
            data.release(statistic, epsilon=1)
        assert str(SECRET)[:6] not in str(caught.value)
        assert caught.value.__cause__ is None
        assert caught.value.__context__ is None
        assert data.spent.epsilon == 1


class Odd(BaseException):
    """No Exception."""


def fails(kind: str) -> Any:
    """A Polars frame with a function that raises on one row, among the last."""
    pl = optional("polars")
    kinds = {
        "odd": Odd, "stop": StopIteration, "exit": SystemExit, "interrupt": KeyboardInterrupt,
        "panic": optional("polars.exceptions").PanicException, "value": ValueError,
        "ours": ln.errors.ParameterError,
    }  # fmt: skip

    def function(column: Any) -> Any:
        if (column == SECRET).any():
            raise kinds[kind](str(SECRET))
        return column

    rows = pl.LazyFrame({"v": [*range(300_000), SECRET, 1]})
    return rows.select(
        v=pl.col("v").map_batches(function, return_dtype=pl.Int64, is_elementwise=True)
    )


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", ["odd", "stop", "panic", "value", "exit", "interrupt", "ours"])
@pytest.mark.parametrize(
    "statistic",
    [
        ln.Median("v", bounds=(0, 10)),
        ln.Mean("v", bounds=(0, 10)),
        ln.Variance("v", bounds=(0, 10)),
        ln.Mean("v", bounds=ln.PrivateBounds()),
        ln.CrossEntropy("v", "v", labels=[0, 1], loss_bound=2),
    ],
    ids=["median", "mean", "variance", "searched", "losses"],
)
def test_what_a_function_in_a_query_raises(statistic: Any, kind: str) -> None:
    """Panics are no Exceptions, and some exceptions end an iteration: nothing of them gets out."""
    with pytest.raises(SchemaError, match="Polars could not run the query") as told:
        ln.release(statistic, fails(kind), epsilon=1)
    assert told.value.__context__ is None
    assert told.value.__cause__ is None
    assert str(SECRET) not in f"{told.value} {told.value.args}"


def many_rows(engine: str) -> Any:
    """Rows that take a while; now and then DuckDB does not look for signals."""
    if engine == "duckdb":
        rows = "range(100000) AS a(i), range(2000) AS b(j)"
        return keep_open(optional("duckdb").connect()).sql(f"SELECT sqrt(i * j) AS v FROM {rows}")
    pl = optional("polars")
    rows = pl.LazyFrame({"v": range(7_000)})
    return rows.join(rows, how="cross").select(v=pl.col("v").sqrt().sin())


@pytest.mark.parametrize("engine", ["duckdb", "polars"])
def test_an_interrupt_stops_a_query(engine: str) -> None:
    """DuckDB hands on an error of its own for it."""
    rows = many_rows(engine)
    timer = threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT])
    timer.start()
    with pytest.raises(KeyboardInterrupt) as told:
        ln.release(ln.Sum("v", bounds=(0, 10)), rows, epsilon=1)
    timer.join()
    assert told.value.args == ()
    assert told.value.__context__ is None


def test_groups_whose_query_is_interrupted(tmp_path: Path) -> None:
    duckdb = optional("duckdb")
    connection = duckdb.connect()
    rows = "range(1000000) AS a(i), range(1000000) AS b(j)"
    query = f"SELECT {SECRET} + sqrt(i * j) AS v, i % 2 AS g FROM {rows}"
    ledger = ln.Ledger.create(tmp_path / "b.db", dataset="d", budget=ln.PureDP(9))
    relation = connection.sql(query)
    done = threading.Event()

    def stop() -> None:
        while not done.wait(0.5):
            connection.interrupt()

    with ln.open(relation, ledger=ledger, dataset="d") as data:
        groups = data.group_by({"g": [0, 1]})
        stopper = threading.Thread(target=stop)
        stopper.start()
        try:
            with pytest.raises(SchemaError, match="DuckDB could not run the query") as caught:
                groups.release({"m": ln.Median("v", bounds=(0, 10))}, epsilon=1)
        finally:
            done.set()
            stopper.join()
        assert str(SECRET) not in str(caught.value)
        assert data.spent.epsilon == 2  # a moved row changes two groups


def load(connection: Any, name: str) -> None:
    """An extension: by its name where DuckDB has it, else the file of a package that brings it."""
    duckdb = optional("duckdb")
    package = find_spec(f"duckdb_extension_{name}")
    folders = [] if package is None else package.submodule_search_locations or []
    files = [file for folder in folders for file in Path(folder).rglob("*.duckdb_extension")]
    try:
        connection.execute(f"LOAD '{files[0]}'" if files else f"LOAD {name}")
    except duckdb.Error:
        # Reason: DuckDB loads extensions from a place that not every machine can reach
        pytest.skip(f"DuckDB's extension {name} is not installed here")


@contextmanager
def postgres(statements: list[str]) -> Iterator[str]:
    """A server of our own that listens on a socket in a folder; how to reach it."""
    found = shutil.which("initdb") or next(
        (str(p) for p in sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))), None
    )
    if found is None:
        # Reason: a server that no package of Python brings
        pytest.skip("there is no PostgreSQL here")
    tools, root = Path(found).parent, os.getuid() == 0
    user = {"user": "nobody"} if root else {}  # a server refuses to run as root
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        if root:
            shutil.chown(folder, "nobody")

        def run(tool: str, *options: str) -> None:
            command = [shutil.which(tool) or str(tools / tool), *options]
            subprocess.run(command, check=True, capture_output=True, cwd=folder, **user)

        data, reach = f"{folder}/data", ["-h", folder, "-U", "owner", "-d", "postgres"]
        run("initdb", "-D", data, "-U", "owner", "-A", "trust", "--no-sync")
        sockets = f"-c listen_addresses='' -c unix_socket_directories='{folder}' -c fsync=off"
        run("pg_ctl", "-D", data, "-l", f"{folder}/log", "-o", sockets, "-w", "start")
        try:
            for statement in statements:
                run("psql", *reach, "-v", "ON_ERROR_STOP=1", "-c", statement)
            yield f"host={folder} user=owner dbname=postgres"
        finally:
            run("pg_ctl", "-D", data, "-m", "immediate", "stop")


@contextmanager
def attached(kind: str, folder: Path) -> Iterator[Any]:
    """A connection of DuckDB to which a database with a table is attached."""
    duckdb = optional("duckdb")
    connection = duckdb.connect()
    rows = [(i % 3, float(i)) for i in range(300)]
    table = 'CREATE TABLE pay (g INTEGER, "v""; DROP TABLE pay; --" DOUBLE PRECISION)'
    if kind == "postgres":
        load(connection, "postgres_scanner")
        filled = "INSERT INTO pay SELECT i % 3, i FROM generate_series(0, 299) AS t(i)"
        with postgres([table, filled]) as reach:
            connection.execute(f"ATTACH '{reach}' AS db (TYPE postgres, READ_ONLY)")
            yield connection
            connection.execute("DETACH db")
        return
    if kind == "sqlite":
        path = folder / "pay.sqlite"
        with sqlite3.connect(path) as writer:
            writer.execute(table)
            writer.executemany("INSERT INTO pay VALUES (?, ?)", rows)
        load(connection, "sqlite_scanner")
        connection.execute(f"ATTACH '{path}' AS db (TYPE sqlite, READ_ONLY)")
    else:
        path = folder / "pay.duckdb"
        with duckdb.connect(path) as writer:
            writer.execute(table)
            writer.executemany("INSERT INTO pay VALUES (?, ?)", rows)
        connection.execute(f"ATTACH '{path}' AS db (READ_ONLY)")
    yield connection


@pytest.mark.parametrize("kind", ["duckdb", "sqlite", "postgres"])
def test_a_database_that_is_attached(kind: str, tmp_path: Path) -> None:
    huge, hostile = 10**7, 'v"; DROP TABLE pay; --'
    name = "db.public.pay" if kind == "postgres" else "db.pay"
    with attached(kind, tmp_path) as connection:
        for source in (connection.table(name), connection):
            options: dict[str, Any] = {"source": name} if source is connection else {}
            with ln.open(source, **options) as data:
                assert data.release(ln.Count(), epsilon=huge).value == 300
                kept = data.where(ln.col(hostile) >= 150)
                least = kept.release(ln.Minimum(hostile, bounds=(0, 300)), epsilon=huge).value
                assert least == pytest.approx(150, abs=0.01)
                made = data.group_by({"g": [0, 1, 2]}).release(
                    {"n": ln.Count(), "m": ln.Median(hostile, bounds=(0, 300))}, epsilon=huge
                )
                assert [row["n"].value for row in made.values()] == [100] * 3


# The newest version of DuckDB whose extensions for other databases are packages.
PACKAGED = "1.5.5"


@pytest.mark.nightly
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_a_database_with_a_duckdb_that_can_attach_it(kind: str, tmp_path: Path) -> None:
    """The test above in a process of its own, with other packages before the installed ones."""
    folder = tmp_path / "packages"
    packages = [f"{name}=={PACKAGED}" for name in ("duckdb", f"duckdb-extension-{kind}-scanner")]
    install = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--target", str(folder)]
    if subprocess.run([*install, *packages], check=False, capture_output=True).returncode:
        pytest.skip(f"pip cannot install {' and '.join(packages)} here")
    here = Path(__file__)
    places = [folder, Path(ln.__file__).parents[1], here.parents[1]]
    test = f"{here}::test_a_database_that_is_attached[{kind}]"
    found = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-q", "-rs", test],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(map(str, places))},
        check=False,
        capture_output=True,
        text=True,
        cwd=here.parents[2],
    )
    assert found.returncode == 0, found.stdout
    if "no PostgreSQL" in found.stdout:
        pytest.skip("there is no PostgreSQL here")
    assert "1 passed" in found.stdout, found.stdout
