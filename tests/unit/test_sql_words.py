"""Refusals of schemas, options and doors are in the words of each, with a place and a cure."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.errors import LeastNoiseError, ParameterError
from leastnoise.sql.magic import answered
from support.commands import in_process
from support.optional import optional
from support.sql_words import check_words

optional("sqlglot")

COUNT = "SELECT COUNT(*) FROM pay"
JOINED = f"{COUNT} JOIN r ON r.code = region"
GROUPED = "SELECT region, COUNT(*) FROM pay GROUP BY region"
# A schema, a query, and where the complaint says that the slip is.
SCHEMAS: list[tuple[str, str, str]] = [
    ("[columns.pya]\nbounds = [0, 1]", COUNT, "columns.pya: .*did you mean 'pay'"),
    ("[columns.Pay]\nbounds = [0, 1]", COUNT, "columns.Pay: .*did you mean 'pay'"),
    ("[columns.regoin]\nkeys = ['N']", COUNT, "columns.regoin: .*did you mean 'region'"),
    ("[tables.pay.columns.agee]\nbounds = [0, 1]", COUNT, "columns.agee: .*did you mean 'age'"),
    ('[columns."a.b"]\nkeys = [1, 1.0]', COUNT, "the keys of 'a.b' must differ"),
    ("[columns.pay]\nbound = [0, 1]", COUNT, "columns.pay.bound: .*did you mean bounds"),
    ("[columns.pay]\nbounds = [1, 0]", COUNT, "columns.pay.bounds: must have the smaller"),
    ("[columns.pay]\nbounds = [0]", COUNT, "columns.pay.bounds: must be two numbers"),
    ("[columns.pay]\nbounds = ['a', 'b']", COUNT, "columns.pay.bounds: must be two finite"),
    ("[columns.pay]\nbounds = [0, inf]", COUNT, "columns.pay.bounds: must be two finite"),
    ("[columns.pay]\nbounds = [0, 2024-01-01]", COUNT, "columns.pay.bounds: must be two finite"),
    (
        "[columns.day]\nbounds = [2024-01-02, 2024-01-01]",
        COUNT,
        "day.bounds: must have the earlier",
    ),
    ("[columns.day]\nbounds = [2024-01-01T00:00:00, 2024-01-01T00:00:00Z]", COUNT, "day.bounds: m"),
    ("[columns.day]\nbounds = [2024-01-01T00:00:00.5, 2024-01-02]", COUNT, "day.bounds: times are"),
    ("[columns.day]\nbounds = ['PT9S', 'PT8S']", COUNT, "day.bounds: must have the earlier"),
    ("[columns.day]\nbounds = ['P1Y', 'PT8S']", COUNT, "day.bounds: must be two finite"),
    (
        "[columns.day]\nbounds = [2024-01-01, 2024-01-02]\nstep = 3",
        COUNT,
        "day.step: is for numbers",
    ),
    ("[columns.pay]\nstep = 0", COUNT, "columns.pay.step: step must be greater"),
    ("[columns.pay]\nkeys = []", COUNT, "columns.pay.keys"),
    ("[columns.pay]\nkeys = [1, 1]", COUNT, "columns.pay.keys"),
    ("[columns.pay]\nkeys = [1, 'a']", COUNT, "columns.pay.keys: write them as text"),
    ("[columns.pay]\nkeys = [true, 2]", COUNT, "columns.pay.keys: write them as text"),
    ("[columns.pay]\nkeys = [[1]]", COUNT, "columns.pay.keys: write them as text"),
    ("[columns.pay]\nkeys = 'a'", COUNT, "columns.pay.keys: must be a list"),
    ("[columns.pay]\nkeys = ['']", COUNT, "columns.pay.keys: blank text"),
    (
        "[columns.day]\nbounds = [2024-01-01, 2024-01-09]\nkeys = [2024-01-01T00:00:00]",
        COUNT,
        "keys",
    ),
    ("[columns]\npay = 3", COUNT, "columns.pay: must be a table"),
    ("[colums.pay]\nbounds = [0, 1]", COUNT, "colums: .*did you mean columns"),
    ("[privacy]\nrelation = 'x'", COUNT, "privacy: relation must be one of"),
    ("[privacy]\nunit = 'person'", COUNT, "privacy.max_rows: is required with unit"),
    ("[privacy]\nunit = 3", COUNT, "toml: privacy.unit: must be text"),
    ("[privacy]\nmax_rows = '2'", COUNT, "toml: privacy.max_rows: must be a whole number"),
    ("[privacy]\nmax_groups = 0", COUNT, "privacy.max_groups: must be a whole number"),
    ("[privacy]\nmax_groups = 2", COUNT, "privacy.max_groups: is for persons"),
    ("[privacy]\ndelta = 3", COUNT, "privacy.delta: delta must lie"),
    ("[privacy]\nledger = 3", COUNT, "privacy.ledger: must be the path"),
    ("[privacy]\ndataset = 3", COUNT, "privacy.dataset: must be text"),
    ("[data]\nseparator = 3", COUNT, "data.separator: must be text"),
    ("[data]\nheader = 3", COUNT, "data.header: must be true or false"),
    ("[data]\nskip_rows = 'a'", COUNT, "data.skip_rows: must be a whole number"),
    ("[data]\nmissing_values = 'a'", COUNT, "data.missing_values: must be a list"),
    ("[data]\nmissing = 'x'", COUNT, "data.missing: missing must be"),
    ("[public.r]\nfile = 'r.csv'\nkey = 'cod'", JOINED, "public.r.key: there is no column 'cod'"),
    ("[public.r]\nfile = 'no.csv'\nkey = 'code'", JOINED, "public.r.file: there is no file"),
    ("[public.r]\ncolumns = {a = [1, 1]}\nkey = 'a'", COUNT, "public.r.key: 1 stands twice"),
    ("[public.r]\ncolumns = {}\nkey = 'a'", COUNT, "public.r.key: there is no column 'a'"),
]
# Words of the command line, and what the complaint says.
SHELL: list[tuple[list[str], str]] = [
    ([COUNT], "epsilon is missing: give --epsilon"),
    ([COUNT, COUNT, "--epsilon", "1"], "give files first, and then one query"),
    ([COUNT, "--epsilon", "0"], "epsilon must be greater than 0"),
    ([COUNT, "--epsilon", "1", "--interval", "95"], "interval is how sure it is"),
    ([COUNT, "--epsilon", "1", "--weights", "m=1"], r"aggregates COUNT\(\*\), .* weight of COUNT"),
    (
        [COUNT, "--epsilon", "1", "--weights", "COUNT(*)=0"],
        r"weight of COUNT\(\*\) must be greater",
    ),
    ([COUNT, "--epsilon", "1", "--weights", "n=1", "--weights", "n=1"], "--weights names n twice"),
    ([COUNT, "--epsilon", "1", "--unit", "person"], "give --unit COLUMN and --max-rows M together"),
    ([COUNT, "--epsilon", "1", "--purpose", "x"], "open the data with --ledger and --dataset"),
    ([COUNT, "--epsilon", "1", "--json", "--csv"], "give one of them"),
    (["pay.csv", COUNT, "--epsilon", "1"], "pay.csv is given twice: leave one of them out"),
    (["./pay.csv", COUNT, "--epsilon", "1"], "pay.csv is given twice: leave one of them out"),
    (
        [COUNT, "--epsilon", "1", "--public", "r.csv", "--public", "./r.csv"],
        "./r.csv is given twice as a public table: leave one of them out",
    ),
    (
        [COUNT, "--epsilon", "1", "--public", "r.csv", "--public", "o/r.csv"],
        "two public tables are called r, r.csv and o/r.csv: rename a file, or give one of them",
    ),
    ([COUNT, "--epsilon", "1", "--reuse"], "open the data with --ledger and --dataset"),
    ([COUNT, "--epsilon", "1", "--relation", "edge"], "relation 'edge' is for graphs"),
    ([COUNT, "--epsilon", "1", "--ledger", "no.db"], "only leastnoise budget --init makes"),
    ([GROUPED, "--epsilon", "1", "--unit", "person", "--max-rows", "2"], "max_groups_contributed"),
]
# Options of a query, and what the complaint says.
OPTIONS: list[tuple[str, str]] = [
    ("privacy_unit_column = person", "OPTIONS (max_rows_contributed = 2)"),
    (
        "privacy_unit_column = nope, max_rows_contributed = 2",
        "line 1, column 56: there is no column nope; the columns are person, region,",
    ),
    ("max_rows_contributed = 2", "open it with --unit and --max-rows 2"),
    ("max_groups_contributed = 2", "open the data with --unit and --max-rows"),
    ("purpose = 'x'", "purpose is for a ledger"),
    ("reuse = TRUE", "reuse is for a ledger"),
    ("weights = 3", "there is no option weights; they are given beside the query, --weights n=1"),
    ("epsilon = -1", "greater than 0"),
    ("delta = 2", "less than 1"),
    ("interval = 95", "between 0 and 1"),
    ("epsilon 1", "name = value, with commas between them"),
    ("epsilon: 1", "name = value, with commas between them"),
    ("epsilon = 1; delta = 1e-9", "name = value, with commas between them"),
    ("min_privacy_units_per_group = 7", "write HAVING COUNT(*) >= 7"),
    ("group_selection_strategy = x", "PUBLIC_GROUPS or LAPLACE_THRESHOLD"),
]


@pytest.fixture
def pay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    file = tmp_path / "pay.csv"
    rows = "".join(f"{i // 2},{'NS'[i % 2]},{i},{i * 9},2024-01-0{i % 9 + 1}\n" for i in range(40))
    file.write_text(f"person,region,age,pay,day\n{rows}", encoding="utf-8")
    Path("r.csv").write_text("code,land\nN,up\n", encoding="utf-8")
    Path("o").mkdir()
    Path("o/r.csv").write_text("code,land\nN,down\n", encoding="utf-8")
    return file


def _refused(capsys: Any, *words: str) -> str:
    done = in_process(capsys, "sql", "pay.csv", *words)
    assert done.code != 0
    assert done.out == ""
    return " ".join(done.err.split()).removeprefix("error: ")


@pytest.mark.parametrize(("text", "sql", "why"), SCHEMAS, ids=lambda x: str(x)[:60])
def test_a_slip_in_a_schema(pay: Path, capsys: Any, text: str, sql: str, why: str) -> None:
    Path("s.toml").write_text(f"{text}\n", encoding="utf-8")
    told = _refused(capsys, sql, "--epsilon", "1", "--schema", "s.toml")
    assert re.search(why, told), told
    assert "s.toml: " in told
    check_words(told, placed=sql is JOINED)


@pytest.mark.parametrize(("words", "why"), SHELL, ids=lambda x: str(x)[:60])
def test_a_slip_on_the_command_line(pay: Path, capsys: Any, words: list[str], why: str) -> None:
    Path("s.toml").write_text("[columns.region]\nkeys = ['N', 'S']\n", encoding="utf-8")
    told = _refused(capsys, *words, "--schema", "s.toml")
    assert re.search(why, told), told
    check_words(told, placed=False)


@pytest.mark.parametrize(("option", "why"), OPTIONS)
def test_a_slip_in_the_options_of_a_query(pay: Path, capsys: Any, option: str, why: str) -> None:
    more = "" if option.startswith("epsilon") else "epsilon = 1, "
    sql = f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS ({more}{option}) COUNT(*) FROM pay"
    told = _refused(capsys, sql)
    assert why in told
    check_words(told)


# Text and names in the ways of other dialects, and what they are told to write.
QUOTES: list[tuple[str, str]] = [
    *((f"region = {x}", "text in quotes by itself, 'N'") for x in ("U&'N'", "u&'\\004E'", "N'N'")),
    ("region IN ('S', U&'N')", "text in quotes by itself, 'N'"),
    ("region LIKE U&'N%'", "write a constant text in single quotes"),
    ("U&\"region\" = 'N'", 'write the name in double quotes by itself, "region"'),
    ("region = U&'N' UESCAPE '!'", "UESCAPE is not expected here"),
    *((f"region = {x}'N'", "texts stand in quotes, 'N', without a letter") for x in "EXBRbq"),
    ("region = _utf8'N'", "texts stand in quotes, 'N', without a letter"),
    ("region = $$N$$", "text stands in single quotes, 'N'"),
    ('region = "N"', "text stands in single quotes: 'N'"),
]


@pytest.mark.parametrize(("condition", "why"), QUOTES)
def test_quotes_of_other_dialects(pay: Path, condition: str, why: str) -> None:
    with ln.open("pay.csv", relation="add-remove") as data:
        with pytest.raises(LeastNoiseError) as error:
            data.prepare_sql(f"{COUNT} WHERE {condition}", epsilon=1)
        assert why in str(error.value)
        check_words(str(error.value))
        data.prepare_sql(f"{COUNT} WHERE region = 'N' AND \"region\" IN ('N')", epsilon=1)


def test_names_in_cures_are_keys_of_toml() -> None:
    rows = {"Active?": ["N", "S"], "a.b": ["N", "S"], "Joined at": ["2024-01-01"] * 2}
    with ln.open(rows, relation="add-remove") as data:
        for sql, name in (
            ('SELECT COUNT(*) FROM t GROUP BY "Active?"', "Active?"),
            ('SELECT COUNT(*) FROM t GROUP BY "a.b"', "a.b"),
            ("SELECT COUNT(*) FROM t WHERE UPPER(\"a.b\") = 'N'", "a.b"),
            ('SELECT COUNT(*) FROM t WHERE YEAR("Joined at") = 2024', "Joined at"),
        ):
            with pytest.raises(LeastNoiseError) as error:
                data.prepare_sql(sql, epsilon=1)
            assert f'[columns."{name}"] ' in str(error.value)
            check_words(str(error.value))


def test_two_files_of_one_name(pay: Path, capsys: Any) -> None:
    """Names are those before the first point; a pattern, and a public file, have one too."""
    for other in ("pay.2024.csv", "o/pay.csv", "my data.csv"):
        Path(other).write_bytes(pay.read_bytes())
    for other in ("pay.2024.csv", "o/pay.csv", "pay.csv.*"):
        done = in_process(capsys, "sql", "pay.csv", other, COUNT.replace("pay", "PAY"))
        told = " ".join(done.err.split()).removeprefix("error: ")
        assert f"column 22: pay.csv and {other} are both called PAY" in told or "no file" in told
        check_words(told, placed="no file" not in told)
    more = ("--epsilon", "1e6", "--relation", "add-remove", "--csv")
    done = in_process(
        capsys, "sql", "pay.csv", "my data.csv", 'SELECT COUNT(*) FROM "my data"', *more
    )
    assert done.out == "COUNT(*)\n40\n", done.err
    for sql in (f"{COUNT} JOIN pay r ON r.code = pay.region", f"{COUNT}, pay r"):
        told = _refused(capsys, sql, *more, "--public", "o/pay.csv")
        assert "of two of one name rename one" in told
        check_words(told)
    Path("o/pay.csv").write_text("code,land\nN,up\nS,down\n", encoding="utf-8")
    sql = "SELECT COUNT(*) FROM mine JOIN pay ON code = region WHERE land = 'up'"
    done = in_process(capsys, "sql", "pay.csv", sql, *more, "--public", "o/pay.csv")
    assert done.out == "COUNT(*)\n20\n", done.err


def test_data_is_opened_as_the_schema_reads_it(pay: Path) -> None:
    """Else the same schema would give other numbers on the command line than in Python."""
    for name, value, other in (("missing", 3, 0), ("missing", "none", None), ("decimal", ",", ".")):
        schema = {"data": {name: value}}
        told = pytest.raises(ParameterError, match=rf"schema: data.{name}: .*open it with {name}=")
        with ln.open("pay.csv", **{name: other}) as data, told:
            data.prepare_sql(COUNT, schema=schema, epsilon=1)
        with ln.open("pay.csv", **{name: value}) as data:
            data.prepare_sql(COUNT, schema=schema, epsilon=1)
    with ln.open({"k": [1]}) as data:  # no file, which has no decimal sign
        data.prepare_sql(COUNT, schema={"data": {"decimal": ","}}, epsilon=1)


def test_the_case_of_names_of_weights_does_not_matter(pay: Path) -> None:
    with ln.open("pay.csv", relation="add-remove") as data:
        sql = "SELECT COUNT(*) AS n, COUNT(age) AS Ages FROM pay"
        data.prepare_sql(sql, epsilon=1, weights={"N": 1, "ages": 3})


def test_a_delta_beside_declared_keys_is_not_charged(pay: Path) -> None:
    schema = {"columns": {"region": {"keys": ["N", "S"]}}}
    with ln.open("pay.csv", relation="add-remove") as data:
        for sql, how in (
            (GROUPED, {"delta": "1e-6", "schema": schema}),
            (GROUPED, {"schema": {**schema, "privacy": {"delta": "1e-6"}}}),
            (
                f"SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS (delta = 1e-6) {GROUPED[7:]}",
                {"schema": schema},
            ),
        ):
            (charge,) = data.prepare_sql(sql, epsilon=1, **how).charges()
            assert charge.epsilon == 1
            assert charge.delta is None
        both = data.prepare_sql(
            GROUPED.replace("region,", "region, person,") + ", person",
            epsilon=1,
            delta="1e-6",
            schema=schema,
        ).charges()
        assert [one.delta for one in both] == [Fraction("1e-6"), None]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("data --weights m=1", "weight of"),
        ("data --weights n", "names no aggregate: write it like n=3"),
        ("data --purpose x", "--purpose and --reuse are for a ledger"),
        ("data --reuse", "--purpose and --reuse are for a ledger"),
        ("data --interval 95", "interval is how sure"),
        ("data --delta 2", "delta must lie"),
        ("data --schema no.toml", "there is no file 'no.toml'"),
        ("data --public no.csv", "there is no file"),
        ("data --nosuch 1", "write it like %%leastnoise"),
    ],
)
def test_a_slip_in_the_line_of_a_cell(pay: Path, line: str, why: str) -> None:
    with ln.open("pay.csv", relation="add-remove") as data:
        sql = "SELECT COUNT(*) FROM pay" + (" JOIN no ON no.k = region" if "public" in line else "")
        with pytest.raises(LeastNoiseError) as error:
            answered(f"{line} --epsilon 1", sql, SimpleNamespace(data=data).__dict__)
    assert why in str(error.value)
    check_words(str(error.value), placed=False)


def test_names_of_values_and_of_other_tables_are_no_slips(pay: Path, capsys: Any) -> None:
    """Limits of what another query works out, and of a column that another table has."""
    Path("s.toml").write_text(
        "[columns.decade]\nkeys = [0, 10]\n[columns.rate]\nbounds = [0, 1]\n", encoding="utf-8"
    )
    sql = "SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) FROM pay GROUP BY decade"
    more = ("--epsilon", "1", "--schema", "s.toml", "--dry-run")
    for asked, unused in ((sql, "columns.rate of"), (COUNT, "columns.decade, columns.rate of")):
        done = in_process(capsys, "sql", "pay.csv", asked, *more)
        assert done.code == 0, done.err
        assert unused in " ".join(done.out.split())
    Path("s.toml").write_text(
        "[columns.ages]\nbounds = [0, 9]\n[tables.pay]\n[tables.other]\n", encoding="utf-8"
    )
    assert in_process(capsys, "sql", "pay.csv", COUNT, *more).code == 0
