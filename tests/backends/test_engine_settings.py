"""No setting of a connection, a session or a library changes what an engine answers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from leastnoise.errors import LeastNoiseError
from leastnoise.frames import open_table
from leastnoise.testing.locality.readings import entries
from leastnoise.testing.releases import ADDRESS
from support.answers import ASKED, EXPECTED, SOME, TABLE, answers
from support.engines import keep_open, spark
from support.optional import optional


def switched() -> list[tuple[str, str]]:
    """Every setting of a DuckDB connection that is true or false, the other way, and some more."""
    duckdb = optional("duckdb")
    with duckdb.connect() as connection:
        found = connection.execute("SELECT name, value, input_type FROM duckdb_settings()")
        flags = [
            (name, value != "true") for name, value, kind in found.fetchall() if kind == "BOOLEAN"
        ]
        optimizers = [name for (name,) in connection.execute("FROM duckdb_optimizers()").fetchall()]
    more = [
        *(("default_order", order) for order in ("DESC", "ASC")),
        *(
            ("default_null_order", order)
            for order in ("NULLS_FIRST", "NULLS_FIRST_ON_ASC_LAST_ON_DESC")
        ),
        *(("default_collation", collation) for collation in ("NOCASE", "NOACCENT.NOCASE", "NFC")),
        *(("disabled_optimizers", names) for names in optimizers),
        *(("TimeZone", zone) for zone in ("Asia/Kathmandu", "America/St_Johns")),
        *(("arrow_output_version", version) for version in ("1.4", "1.5")),
        ("disabled_optimizers", ",".join(optimizers)),
        ("Calendar", "japanese"),
        ("disabled_compression_methods", "bitpacking"),
        ("dynamic_or_filter_threshold", "1"),
        ("explain_output", "ALL"),
        ("enable_profiling", "no_output"),
        ("force_compression", "uncompressed"),
        ("late_materialization_max_rows", "1000000"),
        ("lambda_syntax", "DISABLE_SINGLE_ARROW"),
        ("max_expression_depth", "150"),
        ("memory_limit", "200MB"),
        ("merge_join_threshold", "0"),
        ("nested_loop_join_threshold", "0"),
        ("null_order", "NULLS_FIRST"),
        ("ordered_aggregate_threshold", "1"),
        ("perfect_ht_threshold", "1"),
        ("preserve_identifier_case", "lowercase"),
        ("preserve_identifier_case", "uppercase"),
        ("search_path", "main,temp"),
        ("streaming_buffer_size", "1B"),
        ("threads", "1"),
        ("threads", "7"),
    ]
    return [(name, str(value).lower()) for name, value in flags] + more


ODD = [("arrow_lossless_conversion", "true"), ("preserve_identifier_case", "uppercase")]


@pytest.mark.parametrize(("name", "value"), ODD)
def test_settings_that_change_names_and_numbers(name: str, value: str) -> None:
    """Numbers of 128 bits are bytes in the Arrow of the one, and x is X in the other."""
    duckdb = optional("duckdb")
    connection = keep_open(duckdb.connect())
    try:
        connection.execute(f"SET {name} = '{value}'")
    except duckdb.Error:
        pytest.skip("this DuckDB has no such setting")
    asked = ["sum", "median", "groups", "persons"]
    found = answers(connection.from_arrow(TABLE), asked)
    assert found == {name: EXPECTED[name] for name in asked}


WIDE = """
    SELECT * FROM (VALUES (true, 7::HUGEINT, 7::UHUGEINT, 1.5::DECIMAL(4, 1)),
                          (NULL, -3::HUGEINT, NULL, NULL), (false, NULL, 0, 2)) t(t, h, u, d)
"""


def test_columns_come_in_one_form_whatever_a_connection_prefers() -> None:
    """Truth is a type of its own in the Arrow of such a connection, and 128 bits are bytes."""
    duckdb = optional("duckdb")
    told: list[Any] = []
    for setting in ("false", "true"):
        connection = keep_open(duckdb.connect())
        try:
            connection.execute(f"SET arrow_lossless_conversion = {setting}")
        except duckdb.Error:
            pytest.skip("this DuckDB has no such setting")
        table = open_table(connection.sql(WIDE))
        columns = [table.column(name) for name in "thud"]
        told.append([(c.type, c.values.dtype, entries(c)) for c in columns])
    assert told[0] == told[1]
    assert told[0][0][2] == [True, None, False]


@pytest.mark.nightly
def test_no_setting_of_a_connection_changes_an_answer() -> None:
    duckdb = optional("duckdb")
    tried = 0
    for name, value in switched():
        connection = keep_open(duckdb.connect())
        try:
            connection.execute(f"SET {name} = '{value}'")
        except duckdb.Error:  # only before a database is open
            continue
        tried += 1
        try:
            found = answers(connection.from_arrow(TABLE), list(ASKED))
        except LeastNoiseError as error:
            pytest.fail(f"{name} = {value}: {error}")
        assert found == EXPECTED, name
    assert tried > 40


CONFIG: list[tuple[str, Any]] = [
    ("set_engine_affinity", "streaming"),
    ("set_engine_affinity", "in-memory"),
    ("set_streaming_chunk_size", 1),
    ("set_decimal_separator", ","),
    ("set_thousands_separator", True),
    ("set_float_precision", 1),
    ("set_trim_decimal_zeros", True),
    ("set_fmt_float", "full"),
    ("set_expr_depth_warning", 1),
]


@pytest.mark.nightly
@pytest.mark.parametrize(("option", "value"), CONFIG)
def test_no_option_of_polars_changes_an_answer(option: str, value: Any) -> None:
    pl = optional("polars")
    with pl.Config() as config:
        getattr(config, option)(value)
        assert answers(pl.from_arrow(TABLE).lazy(), list(ASKED)) == EXPECTED


ENVIRONMENTS: list[dict[str, str]] = [
    {"POLARS_ENGINE_AFFINITY": "streaming"},
    {"POLARS_ENGINE_AFFINITY": "gpu"},  # without one, it is answered in memory
    {"POLARS_MAX_THREADS": "1"},
    {"POLARS_FORCE_PARTITION": "1"},
    {"ARROW_DEFAULT_MEMORY_POOL": "system"},
    {"ARROW_DEFAULT_MEMORY_POOL": "mimalloc"},
    {"ARROW_USER_SIMD_LEVEL": "NONE"},
    {"NPY_DISABLE_CPU_FEATURES": "AVX2"},
    {"OMP_NUM_THREADS": "1"},
    {"PYTHONHASHSEED": "1", "TZ": "Asia/Kathmandu"},
    {"PYTHONOPTIMIZE": "2", "PYTHONMALLOC": "malloc_debug"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
]
ANSWERED = """
import duckdb, polars
from support.answers import EXPECTED, TABLE, answers

names, connection = list(EXPECTED), duckdb.connect()
for data in (polars.from_arrow(TABLE).lazy(), connection.from_arrow(TABLE)):
    if answers(data, names) != EXPECTED:
        raise SystemExit(type(data).__name__)
print(repr(EXPECTED))
"""


def answered(environment: dict[str, str]) -> str:
    """What a fresh process with this environment answers, in memory and by both engines."""
    path = os.pathsep.join([*sys.path, str(Path(__file__).parents[1])])
    found = subprocess.run(
        [sys.executable, "-c", ANSWERED],
        env={**os.environ, "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=True,
    )
    return ADDRESS.sub("", found.stdout)


@pytest.mark.nightly
@pytest.mark.parametrize("environment", ENVIRONMENTS, ids=lambda e: next(iter(e)))
def test_no_variable_of_the_environment_changes_an_answer(environment: dict[str, str]) -> None:
    optional("duckdb")
    optional("polars")
    assert answered(environment) == ADDRESS.sub("", f"{EXPECTED!r}\n")


CONFIGURED = [
    ("spark.sql.ansi.enabled", "false"),
    ("spark.sql.ansi.enabled", "true"),
    ("spark.sql.caseSensitive", "true"),
    ("spark.sql.session.timeZone", "Asia/Kathmandu"),
    ("spark.sql.execution.arrow.pyspark.enabled", "true"),
    ("spark.sql.execution.arrow.maxRecordsPerBatch", "7"),
    ("spark.sql.execution.arrow.useLargeVarTypes", "true"),
    ("spark.sql.decimalOperations.allowPrecisionLoss", "false"),
    ("spark.sql.codegen.wholeStage", "false"),
    ("spark.sql.adaptive.enabled", "false"),
    ("spark.sql.legacy.allowNegativeScaleOfDecimal", "true"),
    ("spark.sql.parser.quotedRegexColumnNames", "true"),
]


@pytest.mark.nightly
@pytest.mark.parametrize(("option", "value"), CONFIGURED)
def test_no_option_of_a_spark_session_changes_an_answer(option: str, value: str) -> None:
    session = spark()
    before = session.conf.get(option, None)
    session.conf.set(option, value)
    try:
        found = answers(session.createDataFrame(TABLE.drop(["u"])), [*SOME, "mean", "keys"])
    finally:
        session.conf.unset(option) if before is None else session.conf.set(option, before)
    assert found == {name: EXPECTED[name] for name in [*SOME, "mean", "keys"]}
