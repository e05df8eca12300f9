"""What newcomers write wrong: each answer names the parameter and the cure, and costs nothing."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, time, timedelta
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import leastnoise as ln
from leastnoise.cli.in_shell import as_keys, as_options
from leastnoise.errors import LeastNoiseError, ParameterError
from support.commands import in_process

LIMITS = (0, 100)


def asked(epsilon: Any = 1, bounds: Any = LIMITS, column: Any = "pay", **options: Any) -> Any:
    return ln.release(ln.Median(column, bounds=bounds), "pay.csv", epsilon=epsilon, **options)


def made(name: str, *values: Any, **parameters: Any) -> Any:
    """A statistic, by a name that a type checker does not know."""
    return getattr(ln, name)(*values, **parameters)


def released(*values: Any) -> Any:
    """``leastnoise.release`` without what a type checker asks for."""
    return cast(Any, ln.release)(*values)


# the call, the parameter that is told, and a part of the cure
CALLS: dict[str, tuple[Callable[[], Any], str, str]] = {
    "the scale of a mechanism": (lambda: made("Laplace", scale=1), "scale=", "follows from"),
    "epsilon of a mechanism": (
        lambda: made("Laplace", epsilon=1),
        "epsilon=",
        "leastnoise.release(statistic, data, epsilon=1)",
    ),
    "a mechanism without delta": (lambda: made("Gaussian"), "delta=", "give delta='1e-9'"),
    "bounds as dates in text": (
        lambda: made("Median", "day", bounds=("2024-01-01", "2025-01-01")),
        "bounds",
        "give both ends as datetime.date",
    ),
    "a level of errors": (
        lambda: made("WithInterval", ln.Median(bounds=LIMITS), alpha=0.05),
        "alpha=",
        "give level=0.95",
    ),
    "q by another name": (
        lambda: made("Quantile", "pay", percentile=90, bounds=LIMITS),
        "percentile=",
        "give q=0.9",
    ),
    "bounds by another name": (
        lambda: made("Mean", "pay", clamp=LIMITS),
        "clamp=",
        "bounds=(lower, upper)",
    ),
    "a range of bins": (
        lambda: made("Histogram", "pay", bins=10, range=LIMITS),
        "range=",
        "bins=[0, 18, 65, 120]",
    ),
    "a column as a condition": (
        lambda: made("Count", ln.col("pay") > 3),
        "column",
        "goes into leastnoise.open(data).where(...)",
    ),
    "a filter by keywords": (
        lambda: cast(Any, ln.open("pay.csv")).where(pay=3),
        "condition",
        "where(leastnoise.col('pay') == ...)",
    ),
    "a session in a session": (
        lambda: ln.open(cast(Any, ln.open("pay.csv"))),
        "Session",
        "give the data itself",
    ),
    "epsilon 0": (lambda: asked(0), "epsilon", "such as 1, 0.5"),
    "epsilon below 0": (lambda: asked(-1), "epsilon", "greater than 0"),
    "epsilon None": (lambda: asked(None), "epsilon", "such as 1, 0.5"),
    "epsilon infinite": (lambda: asked(float("inf")), "epsilon", "such as 1, 0.5"),
    "epsilon in percent": (lambda: asked("50%"), "epsilon", "such as 1, 0.5"),
    "epsilon with a comma": (lambda: asked("1,5"), "epsilon", "such as 1, 0.5"),
    "bounds reversed": (lambda: asked(1, (100, 0)), "bounds", "the smaller number first"),
    "bounds as text": (lambda: asked(1, ("0", "100")), "bounds", "without quotes"),
    "one text of bounds": (lambda: asked(1, "0,100"), "bounds", "such as (0, 100)"),
    "durations as text": (lambda: asked(1, ("0s", "2h")), "bounds", "datetime.timedelta"),
    "one bound": (lambda: asked(1, (0,)), "bounds", "such as (0, 100)"),
    "an infinite bound": (lambda: asked(1, (0, float("inf"))), "bounds", "two finite numbers"),
    "no bounds": (lambda: asked(1, None), "bounds", "bounds=(lower, upper)"),
    "limits by other names": (
        lambda: made("Median", "pay", lower=0, upper=100),
        "lower=",
        "did you mean bounds=?",
    ),
    "limits by place": (lambda: made("Median", "pay", 0, 100), "bounds=", "column by position"),
    "a column by its place": (lambda: asked(1, LIMITS, 2), "column", "and give the name"),
    "another column": (lambda: asked(1, LIMITS, "Pay"), "'Pay'", "did you mean 'pay'?"),
    "a statistic by name": (
        lambda: ln.release("median", "pay.csv", epsilon=1),
        "statistic",
        "an object such as Median",
    ),
    "a class": (lambda: ln.release(ln.Median, "pay.csv", epsilon=1), "statistic", "Median(...)"),
    "no epsilon": (
        lambda: released(ln.Median("pay", bounds=LIMITS), "pay.csv"),
        "epsilon=",
        "give epsilon=1",
    ),
    "epsilon by place": (
        lambda: released(ln.Median("pay", bounds=LIMITS), "pay.csv", 1),
        "epsilon=",
        "give epsilon=1",
    ),
    "no epsilon of a session": (
        lambda: cast(Any, ln.open("pay.csv")).release(ln.Count()),
        "epsilon=",
        "give epsilon=1",
    ),
    "eps of groups": (
        lambda: cast(Any, ln.open("pay.csv").group_by({"town": ["N"]})).release(ln.Count(), eps=1),
        "epsilon=",
        "did you mean epsilon=?",
    ),
    "q by place": (lambda: made("Quantile", "pay", 0.9, bounds=LIMITS), "q=", "give q=0.9"),
    "a level by place": (
        lambda: made("WithInterval", ln.Median(bounds=LIMITS), 0.95),
        "level=",
        "give level=0.95",
    ),
    "a class of mechanisms": (
        lambda: asked(mechanism=ln.Laplace),
        "mechanism",
        "a class: give Laplace(...)",
    ),
    "several in a list": (
        lambda: ln.release([ln.Count()], "pay.csv", epsilon=1),
        "statistic",
        "a dict of them by name",
    ),
    "the wrong way round": (
        lambda: ln.release("pay.csv", ln.Median("pay", bounds=LIMITS), epsilon=1),
        "data",
        "the statistic comes first",
    ),
    "q in percent": (lambda: ln.Quantile("pay", q=90, bounds=LIMITS), "q", "0.9 for 90 %"),
    "no q": (lambda: ln.Quantile("pay", bounds=LIMITS), "q", "give q=0.9"),
    "several q": (lambda: ln.Quantile("pay", q=[0.1], bounds=LIMITS), "q", "take Quantiles"),
    "a number of bins": (lambda: ln.Histogram("pay", bins=10), "bins", "a list of edges"),
    "a filter as text": (
        lambda: ln.open("pay.csv").where("pay > 3"),
        "where",
        "write it with col",
    ),
    "groups without keys": (
        lambda: ln.open("pay.csv").group_by("town"),
        "group_by",
        "{'region': ['N', 'S']}",
    ),
    "relation": (lambda: asked(relation="bounded"), "relation", "did you mean 'replace-one'?"),
    "sep": (lambda: asked(sep=";"), "sep=", "did you mean separator=?"),
    "bounds beside data": (
        lambda: asked(usecols=["pay"]),
        "usecols=",
        "in the statistic",
    ),
    "seed": (lambda: asked(seed=1), "seed=", "simulate(seed)"),
    "delta": (lambda: asked(delta=1e-6), "delta=", "in the mechanism"),
    "a list of paths": (
        lambda: ln.release(ln.Median("pay", bounds=LIMITS), [Path("pay.csv")], epsilon=1),
        "'pay'",
        "Paths in a list are entries, not files",
    ),
    "another list of paths": (
        lambda: ln.open(["pay.csv", "pay.csv"], separator=";"),
        "separator=",
        "give one path",
    ),
    "a score of no name": (
        lambda: cast(Any, ln.private_score)(object(), [[1]], [1], epsilon=1),
        "metric=",
        'give metric="accuracy"',
    ),
    "a header of pandas": (lambda: asked(header=None), "header", "header=False for a file without"),
    "days of times": (lambda: asked(1, (time(0), time(23))), "bounds", "seconds since midnight"),
    "nodes in words": (
        lambda: ln.TriangleCount(nodes="abc"),
        "nodes",
        "how many nodes there are, or a list",
    ),
    "a generator of paths": (lambda: ln.open(Path().glob("*")), "generator", "give one path"),
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("pay.csv").write_text("pay,town\n" + "7,N\n" * 50, encoding="utf-8")
    Path("stay.csv").write_text("stay\n" + "PT90M\n" * 50, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("kind", CALLS)
def test_calls_in_python(kind: str) -> None:
    call, parameter, cure = CALLS[kind]
    with pytest.raises(LeastNoiseError) as caught:
        call()
    assert parameter in str(caught.value)
    assert cure in str(caught.value)


@pytest.mark.parametrize(
    ("name", "meant"),
    [("Medain", "Median"), ("Average", "Mean"), ("Percentile", "Quantile"), ("Std", "StandardDev")],
)
def test_names_of_other_libraries(name: str, meant: str) -> None:
    with pytest.raises(AttributeError, match=f"{name}.*did you mean '{meant}"):
        getattr(ln, name)
    assert not hasattr(ln, "__path_of_nothing__")


@pytest.mark.parametrize(
    ("name", "room"),
    [
        ("simulate", "leastnoise.testing.simulate"),
        ("PrivateLinearRegression", "leastnoise.estimators"),
        ("LogisticRegression", "leastnoise.estimators.PrivateLogisticRegression"),
    ],
)
def test_names_of_other_rooms(name: str, room: str) -> None:
    with pytest.raises(AttributeError, match=f"{name}'?: .*{room}"):
        getattr(ln, name)


# what other libraries call an option, and a part of what to write
ELSEWHERE = {
    "sep delimiter": "did you mean separator=?",
    "skiprows skip": "did you mean skip_rows=?",
    "na_values null_values na nullstr": "did you mean missing_values=?",
    "compression": "gzip is known by the first bytes",
    "names col_names new_columns": "give header=False and ask for column_1",
    "quotechar quoting quote_char escapechar": 'the quote is " and is doubled inside a field',
    "sheet_name sheet_id": "save the sheet as CSV",
    "index_col index": "every column of the file is one",
    "usecols columns": "name the column in the statistic",
    "nrows n_rows n_max": "a filter, data.where(condition)",
    "parse_dates dayfirst try_parse_dates date_format": "dates are read as 2024-01-31",
    "dtype converters schema_overrides col_types low_memory": "text files declare no types",
    "true_values keep_default_na": "yes and no are labels",
    "on_bad_lines encoding_errors ignore_errors": "what cannot be read is missing",
    "skipfooter": "cut off the lines below the rows",
    "chunksize iterator": "engine='duckdb' or 'polars'",
    "skipinitialspace lineterminator": "need no option",
    "neighboring adjacency": "give relation=",
    "privacy_unit user_id": "unit='person'",
    "max_contributions": "max_rows=1",
    "rho": "Gaussian(",
}


@pytest.mark.parametrize("words", ELSEWHERE)
def test_options_of_other_libraries(words: str) -> None:
    for name in words.split():
        with pytest.raises(ParameterError) as caught:
            ln.open("pay.csv", **{name: 1})
        assert f"{name}=" in str(caught.value)
        assert ELSEWHERE[words] in str(caught.value)


def test_a_session_is_no_frame() -> None:
    data: Any = ln.open("pay.csv")
    for view in (data, data.where(ln.col("pay") > 3), data.group_by({"town": ["N"]})):
        with pytest.raises(TypeError, match=r"leastnoise.Median\('pay'"):
            view["pay"]
        with pytest.raises(TypeError, match=r"write .*leastnoise.Count\(\)") as caught:
            len(view)
        assert "50" not in str(caught.value)
        assert view
        with pytest.raises(TypeError):
            list(view)
        for name, cure in (
            ("mean", "leastnoise.Mean("),
            ("std", "leastnoise.StandardDeviation("),
            ("shape", "leastnoise.Count()"),
            ("groupby", "data.group_by("),
            ("pay", "leastnoise.Median("),
        ):
            with pytest.raises(AttributeError, match=re.escape(cure)):
                getattr(view, name)
        assert not hasattr(view, "__array__")


def test_groups_are_asked_by_what_was_declared() -> None:
    days = [date(2024, 1, 1), date(2024, 1, 2)]
    rows = {"day": days * 30, "stay": [timedelta(hours=1)] * 60}
    data = ln.open(rows, relation="add-remove")
    found: Any = data.group_by({"day": days}).release(ln.Count(), epsilon=9)
    assert found[days[0]] is found["2024-01-01"] is found[days[0],]
    with pytest.raises(KeyError, match="groups of day are '2024-01-01', '2024-01-02'"):
        found[date(2025, 1, 1)]
    both: Any = data.group_by({"day": days, "stay": [timedelta(hours=1)]}).release(
        {"n": ln.Count()}, epsilon=9
    )
    assert both[days[1], timedelta(hours=1)]["n"] is both["2024-01-02", "1:00:00"]["n"]
    with pytest.raises(KeyError, match="the names are 'n'"):
        both[days[1], "1:00:00"]["m"]


FILES = {
    "t.xlsx": "save the sheet as CSV",
    "t.json": "save it as CSV or Parquet",
    "t.sas7bdat": "save it as CSV or Parquet",
    "t.dta": "save it as CSV or Parquet",
    "t.feather": "save it as CSV or Parquet",
    "t.sqlite": "save it as CSV or Parquet",
    "t.zip": "unpack it",
    "t.mtx": "scipy.io.mmread(path)",
    "t.gml": "networkx.read_gml(path)",
    "t.graph": "the neighbours of a node on each line",
    "t.dat": "a list of edges that blanks part is .txt or .edges",
    "https://host/t.csv": "save it to a file first",
    "folder.csv": "give one of its files",
    "none.csv": "there is no file",
    "empty.csv": "it needs at least a line of column names",
    "semi.csv": "separator",
    "latin.csv": "give encoding='cp1252' or 'latin-1' for western European files, 'cp1250' for",
}
BASE = ("--stat", "median", "--column", "pay")
LINE = (*BASE, "--bounds", "0", "100", "--epsilon", "1")


@pytest.mark.parametrize("name", FILES)
def test_files_that_are_not_read(name: str, folder: Path, capsys) -> None:
    for made in (
        "xlsx",
        "json",
        "sas7bdat",
        "dta",
        "feather",
        "sqlite",
        "zip",
        "mtx",
        "gml",
        "graph",
        "dat",
    ):
        (folder / f"t.{made}").write_bytes(b"\0\1")
    (folder / "folder.csv").mkdir()
    (folder / "empty.csv").touch()
    (folder / "semi.csv").write_text("age;pay\n1;2\n", encoding="utf-8")
    (folder / "latin.csv").write_bytes("gr\u00f6\u00dfe,pay\n1,2\n".encode("cp1252"))
    told = in_process(capsys, "release", name, *LINE)
    assert told.code == 2
    assert FILES[name].replace("encoding=", "--encoding ") in told.err
    with pytest.raises(LeastNoiseError) as caught:
        ln.release(ln.Median("pay", bounds=LIMITS), name, epsilon=1)
    assert FILES[name] in str(caught.value)


# the words after "release pay.csv", what is told, and what stands in no answer
LINES: dict[str, tuple[tuple[str, ...], str]] = {
    "epsilon 0": ((*BASE, "--bounds", "0", "1", "--epsilon", "0"), "write it like 1, 0.5, 1/2"),
    "percent": ((*BASE, "--bounds", "0", "1", "--epsilon", "50%"), "write it like 1, 0.5, 1/2"),
    "no epsilon": ((*BASE, "--bounds", "0", "1"), "--epsilon is missing: give --epsilon 1"),
    "edges with commas": (
        ("--stat", "histogram", "--column", "age", "--epsilon", "1", "--bins", "0,18,65"),
        "edges with blanks between them, such as --bins 0 18 65 120",
    ),
    "two filters": (
        (*BASE, "--epsilon", "1", "--where", "age > 1", "--where", "age > 2"),
        'join the conditions in one, --where "first and second"',
    ),
    "limits twice": (
        (*BASE, "--epsilon", "1", "--bounds", "0", "1", "--bounds", "0", "2"),
        "--bounds is given more than once: give the lower and the upper one behind it",
    ),
    "no statistic": (("--epsilon", "1"), "--stat is missing: give --stat median"),
    "reversed": ((*BASE, "--bounds", "9", "1", "--epsilon", "1"), "must satisfy LOWER < UPPER"),
    "a comma": ((*BASE, "--bounds", "0,9", "--epsilon", "1"), "--bounds LOWER UPPER"),
    "words": ((*BASE, "--bounds", "a", "b", "--epsilon", "1"), "--bounds 0 1000000"),
    "two kinds": ((*BASE, "--bounds", "0", "2h", "--epsilon", "1"), "give two of one kind"),
    "average": (("--stat", "average", *LINE[2:]), 'Did you mean "mean"?'),
    "percentile": (("--stat", "percentile", *LINE[2:]), 'Did you mean "quantile"?'),
    "bounded": ((*LINE, "--relation", "bounded"), 'Did you mean "replace-one"?'),
    "sep": ((*LINE, "--sep", ";"), "Did you mean --separator?"),
    "a seed": ((*LINE, "--seed", "1"), "leave it out; in Python leastnoise.testing.simulate(seed)"),
    "two files": (("other.csv", *LINE), "give one file"),
    "bins": (
        ("--stat", "histogram", "--column", "pay", "--bins", "9", "--epsilon", "1"),
        "--bins 0 18 65 120, got 9",
    ),
    "two after one": (("--stat", "median", "mean", *LINE[2:]), "its own, --stat mean"),
    "a graph": (("--stat", "triangles", "--epsilon", "1"), "in Python, such as TriangleCount"),
    "a person": (("--stat", "count", "--person", "town", "--epsilon", "1"), "Did you mean --unit?"),
    **{
        f"a date as {day}": (
            (*BASE, "--bounds", day, "2025-01-01", "--epsilon", "1"),
            "write a date like 2024-01-31",
        )
        for day in (
            "2024-1-1",
            "01/01/2024",
            "1.1.24",
            "2024/01/01",
            "31 Dec 2024",
            "Jan 1, 2024",
            "2024-1-1 10:00",
            "01-Jan-2024",
            "today",
        )
    },
    "a date as text": ((*LINE, "--where", 'town >= "N"'), 'a date, as date("2024-01-31")'),
    "a date without quotes": ((*LINE, "--where", "pay >= 2024-01-02"), 'date("2024-01-31")'),
    "a mechanism for means": (
        (*LINE, "--mechanism", "laplace-ratio"),
        "use --mechanism laplace here",
    ),
    "a level in percent": ((*LINE, "--interval", "95"), "such as 0.95, got 95"),
    "a time of day": ((*BASE, "--bounds", "0:00", "24:00", "--epsilon", "1"), "like 8h or PT8H30M"),
    "q": (("--stat", "quantile", "--q", "90", *LINE[2:]), "0.9 for 90 %"),
}


@pytest.mark.parametrize("kind", LINES)
def test_calls_on_the_command_line(kind: str, capsys) -> None:
    words, cure = LINES[kind]
    with ln.Ledger.create("pay.db", dataset="pay", budget=ln.PureDP(2)) as ledger:
        before = ledger.remaining
    told = in_process(
        capsys, "release", "pay.csv", *words, "--ledger", "pay.db", "--dataset", "pay"
    )
    assert told.code == 2
    assert cure in told.err
    assert "Fraction" not in told.err
    with ln.Ledger.open("pay.db") as ledger:
        assert ledger.remaining == before


PLAN = """
[data]
file = "stay.csv"
[privacy]
relation = "add-remove"
total = 1000000
[tables.t.statistics]
m = {statistic = "median", column = "stay", bounds = ["0s", "PT8H"], step = "1 min"}
"""


@pytest.mark.parametrize("bounds", [("0s", "8h"), ("PT0S", "PT8H"), ("-1d", "480 min")])
def test_durations_on_the_command_line(bounds: tuple[str, str], capsys) -> None:
    words = ("--stat", "median", "--column", "stay", "--bounds", *bounds, "--epsilon", "1000000")
    told = in_process(capsys, "release", "stay.csv", *words, "--step", "1min")
    assert (told.code, "1:30:00" in told.out) == (0, True)


def test_durations_in_plans_and_schemas(capsys) -> None:
    Path("plan.toml").write_text(PLAN, encoding="utf-8")
    told = in_process(capsys, "plan", "plan.toml")
    assert (told.code, "1:30:00" in told.out) == (0, True)
    schema = {"columns": {"stay": {"bounds": ["0s", "8h"]}}}
    query = "SELECT MEDIAN(stay) AS m FROM stay"
    answer = ln.open("stay.csv").sql(query, schema=schema, epsilon=10**6)
    assert answer.to_dicts()[0]["m"].seconds == pytest.approx(5400, abs=1)


PYTHON = {
    "compare it with durations, bounds=(timedelta(0), timedelta(hours=8)), or": "--bounds 0s 8h",
    "keep the others by a filter, ~ln.col('a b').is_missing()": "--where 'not is_missing(`a b`)'",
    "give unit='worker', and max_rows= from public": "--unit 'worker', and --max-rows from public",
    "take a median, or mechanism=LaplaceRatio() for": "or --mechanism laplace-ratio for",
    "give nodes=7, or header=False and skip_rows=2": "--no-header and --skip-rows 2",
    "such as Median('pay', bounds=(0, 100))": "such as Median('pay', bounds=(0, 100))",
}


@pytest.mark.parametrize("message", PYTHON)
def test_cures_are_typed_as_in_a_shell(message: str) -> None:
    assert PYTHON[message] in as_options(message)


def test_durations_of_parquet_in_a_shell(capsys) -> None:
    days = {"stay": [timedelta(hours=1)], "day": [date(2024, 1, 1)]}
    pq.write_table(pa.table(days), "stay.parquet")
    for column, cure in (("stay", "--bounds 0s 8h"), ("day", "--bounds 2024-01-01 2024-12-31")):
        words = ("--stat", "median", "--column", column, "--bounds", "0", "9", "--epsilon", "1")
        assert cure in in_process(capsys, "release", "stay.parquet", *words).err


@pytest.mark.parametrize(
    ("message", "cure"),
    [
        ("no header? give header=False; else skip_rows=", "give header = false; else skip_rows"),
        ("q is missing: give q=0.9", "give q = 0.9"),
        ("such as (0, 100), not str; give PrivateBounds()", 'such as [0, 100], not str; give "pri'),
        ("required with unit='dept': PrivateLimit() finds it", 'max_rows = "private" finds it'),
    ],
)
def test_a_plan_is_told_its_keys(message: str, cure: str) -> None:
    assert cure in as_keys(message)
