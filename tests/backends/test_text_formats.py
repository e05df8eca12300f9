"""Lines that do not count: titles above the names, and comments; the same in every engine."""

from __future__ import annotations

import gzip
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import leastnoise as ln
from leastnoise.accounting import Ledger, SchemaChangedWarning
from leastnoise.errors import ParameterError, ParameterTypeError, SchemaError
from leastnoise.frames import open_table
from leastnoise.frames.readers.fields import RecordRule, fields
from leastnoise.testing import simulate
from support.engines import spark
from support.fronts import entries
from support.optional import optional

EPSILON = 10**9
TITLED = 'Pay of "all", 2024\n\n# made by hand\nage,pay\n30,1\n# 31,7\n32,"2\n# 3"\n34,5\n'


def write(folder: Path, text: str, name: str = "t.csv", encoding: str = "utf-8") -> Path:
    data = text.encode(encoding)
    (folder / name).write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return folder / name


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("newline", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_titles_and_comments(
    tmp_path: Path, newline: str, mark: str, name: str, encoding: str
) -> None:
    path = write(tmp_path, mark + TITLED.replace("\n", newline), name, encoding)
    table = open_table(path, skip_rows=2, comment="#", encoding=encoding)
    assert table.column_names() == ("age", "pay")
    assert entries(table.column("age")) == [30.0, 32.0, 34.0]
    assert entries(table.column("pay")) == [1.0, None, 5.0]  # a quoted line is no comment
    assert table.row_count() == 3
    plain = open_table(path, skip_rows=3, encoding=encoding)
    assert entries(plain.column("age")) == [30.0, None, 32.0, 34.0]
    bare = open_table(path, skip_rows=4, header=False, encoding=encoding)
    assert bare.row_count() == 4


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le", "utf-16-be", "utf-32-be"])
def test_a_byte_order_mark_is_no_part_of_the_first_entry(
    tmp_path: Path, mark: str, encoding: str
) -> None:
    path = write(tmp_path, mark + "#x\n7,1\n", encoding=encoding)
    table = open_table(path, comment="#", header=False, encoding=encoding)
    assert entries(table.column("column_1")) == [7.0]
    path = write(tmp_path, mark + "7,1\n", encoding=encoding)
    table = open_table(path, header=False, encoding=encoding)
    assert entries(table.column("column_1")) == [7.0]


def test_longer_comments_and_separators(tmp_path: Path) -> None:
    path = write(tmp_path, "//x\ta\nv\tw\n1\t2\n/3\t4\n//\n")
    for separator in ("tab", "TAB", "\\t", "\t"):
        table = open_table(path, separator=separator, comment="//")
        assert table.column_names() == ("v", "w")
        assert entries(table.column("w")) == [2.0, 4.0]


lines_strategy = st.lists(st.text(st.sampled_from('",;a1# '), max_size=6), max_size=6)


@settings(max_examples=200, deadline=None)
@given(above=lines_strategy, rows=lines_strategy)
def test_skipped_lines_may_hold_anything(
    tmp_path_factory: pytest.TempPathFactory, above: list[str], rows: list[str]
) -> None:
    folder = tmp_path_factory.mktemp("skip")
    below = "\n".join(["v,w", *rows])
    plain = open_table(write(folder, below, "plain.csv"))
    path = write(folder, "\n".join([*above, below]))
    table = open_table(path, skip_rows=len(above))
    assert table.row_count() == plain.row_count()
    assert entries(table.column("w")) == entries(plain.column("w"))


def test_fields_beyond_the_csv_limit_in_a_file_with_comments(tmp_path: Path) -> None:
    long = "x" * 200_000
    text = f'title\nv,w\n1,2\n#{long}\n3,"{long}\n# no comment\n"\n# one\n5,6\n'
    table = open_table(write(tmp_path, text), skip_rows=1, comment="#")
    assert entries(table.column("v")) == [1.0, 3.0, 5.0]
    assert entries(table.column("w")) == [2.0, None, 6.0]


@pytest.mark.parametrize(
    ("options", "kind", "cure"),
    [
        ({"skip_rows": -1}, ParameterError, "skip_rows must be 0 or more lines, got -1"),
        ({"skip_rows": True}, ParameterTypeError, "skip_rows must be a whole number.*bool"),
        ({"skip_rows": 1.0}, ParameterTypeError, "skip_rows must be a whole number.*float"),
        ({"skip_rows": "2"}, ParameterTypeError, "skip_rows must be a whole number.*str"),
        ({"comment": ""}, ParameterError, "comment must be the text.*like '#'"),
        ({"comment": " "}, ParameterError, "comment must be the text"),
        ({"comment": '"'}, ParameterError, "without quotes"),
        ({"comment": "#,"}, ParameterError, "without quotes, line ends and the separator"),
        ({"comment": ";", "separator": ";"}, ParameterError, "and the separator"),
        ({"comment": "#\n"}, ParameterError, "line ends"),
        ({"comment": 5}, ParameterTypeError, "comment must be text, not int"),
        ({"separator": "tabs"}, ParameterError, "separator must be one character.*'tab' for a tab"),
    ],
)
def test_impossible_formats_are_refused(
    tmp_path: Path, options: dict[str, Any], kind: type[Exception], cure: str
) -> None:
    path = write(tmp_path, "v\n1\n")
    for refusing in (open_table, ln.open):
        with pytest.raises(kind, match=cure):
            refusing(path, **options)


@pytest.mark.parametrize(
    ("text", "options", "cure"),
    [
        ("Pay of all\nage,pay\n1,2\n", {}, "on a later line, give skip_rows="),
        ("# Pay, 2024\nage,pay\n1,2\n", {}, "skip_rows=, or comment='#' for lines that start so"),
        ("Pay; all\nage;pay\n1;2\n", {}, "if this line is a title above the names, give skip_rows"),
        ("2024\nage,pay\n1,2\n", {}, "on a later line, give skip_rows="),
        ("Pay,2024-01-01\nage,pay\n1,2\n", {}, "not shown.*give skip_rows="),
        ("age,pay\n", {"skip_rows": 3}, r"no line of column names below its first 3 lines"),
        ("#age,pay\n", {"comment": "#"}, r"no line of column names that does not start with '#'"),
        (" age, pay\n1,2\n", {}, r"did you mean ' age', with the blanks around it\?"),
        ("Age ,pay\n1,2\n", {}, r"did you mean 'Age ', with the blanks around it\?"),
    ],
)
def test_titles_are_met_with_the_cure(
    tmp_path: Path, text: str, options: dict[str, Any], cure: str
) -> None:
    with pytest.raises(SchemaError, match=cure):
        ln.release(ln.Median("age", bounds=(0, 1)), write(tmp_path, text), epsilon=1, **options)


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("Ann,30\nBob,31\n", {}),
        ("Ann;30\nBob;31\n", {}),
        ("Ann;30\nBob;31\n", {"separator": ","}),
        ("Ann;1961-03-02\nBob;1971-01-02\n", {}),
        ("Ann|30,5\nBob|31,5\n", {"separator": ";", "decimal": ","}),
        ("Ann,$30\nBob,$31\n", {}),
        ("Ann,30 EUR\nBob,31 EUR\n", {}),
        ("Ann,30 March 1961\nBob,31 May 1961\n", {}),
        ("Ann,Mar 30 1961\nBob,May 31 1961\n", {}),
        ("Ann,1961-03-30T10:00Z\nBob,\n", {}),
        ("Ann,30@1961.org\nBob,\n", {}),
        ("Ann,+1 (30) 1961\nBob,\n", {}),
    ],
)
@pytest.mark.parametrize("asked", ["age", None, " "])
def test_a_first_line_with_a_number_or_a_date_is_not_shown(
    tmp_path: Path, text: str, options: dict[str, Any], asked: str | None
) -> None:
    path = write(tmp_path, text)
    with pytest.raises(SchemaError, match=r"header=False|skip_rows=") as caught:
        open_table(path, **options).column_type(asked)
    told = str(caught.value)
    if len(options) < 2 and "separator" in options:
        told += repr(open_table(path, **options))
    for statistic in (
        ln.MeanVector(columns=["age"], bounds=[(0, 1)]),
        ln.MeanSquaredError("age", "pay", bounds=(0, 1)),
        ln.TriangleCount("age", "pay", nodes=5),
    ):
        with pytest.raises(SchemaError) as caught:
            ln.release(statistic, path, epsilon=1, **options)
        told += str(caught.value)
    told = told.replace(str(tmp_path), "")  # whose numbers are of the machine
    for secret in ("Ann", "30", "1961"):
        assert secret not in told


def test_without_a_header_not_even_the_number_of_columns_is_told(tmp_path: Path) -> None:
    told: set[str] = set()
    for text in ("Ann,30\n", "Ann,30,7\n", ""):
        with pytest.raises(SchemaError) as caught:
            open_table(write(tmp_path, text), header=False).column_type(None)
        told.add(str(caught.value))
    assert len(told) == 1


@pytest.mark.parametrize(
    "name",
    ["{0}", "Var1", "Q1 2024", "year 2015", "age 31+", "# of rows", "market 5", "May", "2nd visit"],
)
def test_names_with_digits_are_names(tmp_path: Path, name: str) -> None:
    with pytest.raises(SchemaError, match="did you mean 'pay'"):
        open_table(write(tmp_path, f"{name},pay\n1,2\n")).column_type("pya")


def test_a_ledger_keeps_nothing_of_a_first_line_that_may_be_a_row(tmp_path: Path) -> None:
    texts = ("Ann,ill,31\nBob,well,40\n", "Bob,well,40,7\n", "")
    for i, options in enumerate(({}, {"header": False})):
        ledger = tmp_path / f"{i}.db"
        Ledger.create(ledger, dataset="pay", budget=ln.PureDP(1)).close()
        for text in texts[: 2 + i]:  # no warning tells that the first row has changed
            with ln.open(write(tmp_path, text), ledger=ledger, dataset="pay", **options):
                pass
        assert b"Ann" not in ledger.read_bytes()
        assert b"column_" not in ledger.read_bytes()


def test_a_ledger_knows_the_names_of_a_header(tmp_path: Path) -> None:
    Ledger.create(tmp_path / "t.db", dataset="pay", budget=ln.PureDP(1)).close()
    asked: dict[str, Any] = {"ledger": tmp_path / "t.db", "dataset": "pay"}
    ln.open(write(tmp_path, "Title\nage,pay\n"), skip_rows=1, **asked).close()
    with pytest.warns(SchemaChangedWarning, match="columns of table"):
        ln.open(write(tmp_path, "Title\nage,size\n"), skip_rows=1, **asked).close()


def test_the_number_of_rows_is_private_where_lines_can_be_comments(tmp_path: Path) -> None:
    path = write(tmp_path, "v,w\n1,5\n2,6\n#3,7\n")
    for options, public in (({}, True), ({"skip_rows": 0}, True), ({"comment": "#"}, False)):
        with simulate(1):
            record = ln.release(
                ln.Sum("v", bounds=(0, 9)), path, epsilon=1, missing="none", **options
            )
        assert record.n_public is public
        assert record.profile_relation == ("replace-one" if public else "edit")


# ---------------------------------------------------------------------------------------------
# Other kinds of data, and engines that read such a file themselves.


def test_lines_belong_to_text_files(tmp_path: Path) -> None:
    pl, duckdb = optional("polars"), optional("duckdb")
    frame = pl.DataFrame({"v": [1, 2]})
    frame.write_parquet(tmp_path / "t.parquet")
    with duckdb.connect(tmp_path / "t.duckdb") as made:
        made.execute("CREATE TABLE t AS SELECT 1 AS v")
    kinds: list[tuple[Any, dict[str, Any]]] = [
        ([1, 2], {}),
        ({"v": [1]}, {}),
        (frame, {}),
        (frame.lazy(), {}),
        (duckdb.sql("SELECT 1 AS v"), {}),
        (tmp_path / "t.parquet", {}),
        (tmp_path / "t.parquet", {"engine": "duckdb"}),
        (tmp_path / "t.parquet", {"engine": "polars"}),
        (tmp_path / "t.duckdb", {"engine": "duckdb", "source": "t"}),
    ]
    for (data, others), (name, value) in product(
        kinds, (("skip_rows", 1), ("comment", "#"), ("separator", ";"))
    ):
        for refusing in (ln.open, open_table):
            with pytest.raises(ParameterError, match=rf"{name}= is for text files.*leave it out"):
                refusing(data, **others, **{name: value})
    write(tmp_path, TITLED)
    for engine in ("duckdb", "polars"):
        with pytest.raises(ParameterError, match="leave the engine out, or write the data as"):
            ln.open(tmp_path / "t.csv", engine=engine, skip_rows=2)


NAMES = ("PassengerId", "Survived", "Pclass", "Name", "Sex", "Age")


@pytest.mark.parametrize("engine", ["polars", "duckdb", "parquet by duckdb", "pandas", "spark"])
def test_a_real_file_with_a_title_is_the_same_in_every_engine(
    shared_data: Path, tmp_path: Path, engine: str
) -> None:
    lines = (shared_data / "messy" / "titanic_train.csv").read_text(encoding="utf-8").splitlines()
    path = write(tmp_path, "\n".join(["Passengers", "of one ship", *lines[:9], "# x", *lines[9:]]))
    types = dict.fromkeys(lines[0].split(","), "text") | {"Age": "number", "Fare": "number"}
    data: Any
    if engine == "polars":
        pl = optional("polars")
        schema = {x: pl.Float64 if kind == "number" else pl.String for x, kind in types.items()}
        data = pl.scan_csv(path, skip_rows=2, comment_prefix="#", schema=schema)
    elif engine == "pandas":
        pd = optional("pandas")
        dtype = {x: float if kind == "number" else str for x, kind in types.items()}
        data = pd.read_csv(path, skiprows=2, comment="#", dtype=dtype)
    elif engine == "spark":
        bare = write(tmp_path, "\n".join([*lines[:9], "# x", *lines[9:]]), "bare.csv")
        session = spark()
        kinds = ", ".join(
            f"{x} {'DOUBLE' if kind == 'number' else 'STRING'}" for x, kind in types.items()
        )
        data = session.read.csv(str(bare), header=True, comment="#", escape='"', schema=kinds)
    else:
        duckdb = optional("duckdb")
        columns = {x: "DOUBLE" if kind == "number" else "VARCHAR" for x, kind in types.items()}
        made = duckdb.connect()
        data = made.read_csv(
            str(path), skiprows=2, comment="#", header=True, sep=",", columns=columns,
            quotechar='"', escapechar='"', auto_detect=False,
        )  # fmt: skip
        if engine == "parquet by duckdb":
            data.write_parquet(str(tmp_path / "t.parquet"))
            data = tmp_path / "t.parquet"
    asked = {
        "rows": ln.Count(),
        "age": ln.Median("Age", bounds=(0, 120), step="1/4"),
        "fare": ln.Maximum("Fare", bounds=(0, 1000), step="1/10000"),
        "sex": ln.Histogram("Sex", categories=["male", "female"]),
        "port": ln.Mode("Embarked", categories=["C", "Q", "S"]),
    }
    if engine == "spark":  # some seconds a statistic
        asked = {name: asked[name] for name in ("rows", "age")}
    common: dict[str, Any] = {"epsilon": EPSILON, "relation": "add-remove"}
    with simulate(1):
        ours = ln.release(asked, path, **common, skip_rows=2, comment="#")
        options = {"engine": "duckdb"} if engine.startswith("parquet") else {}
        theirs = ln.release(asked, data, **common, **options)
    found = [{name: record.value for name, record in table.items()} for table in (ours, theirs)]
    assert found[0] == found[1]
    assert found[0]["rows"] == len(lines) - 1


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_quote_after_a_blank_opens_a_field(tmp_path: Path, end: str) -> None:
    path = tmp_path / "t.csv"
    lines = ['name,  "pay, gross" ,age', '"a, b", "1", 3', 'c,  "2" ,4', 'd e"f,5, "6"']
    path.write_bytes((end.join(lines) + end).encode())
    table = open_table(path)
    assert table.column_names() == ("name", "pay, gross ", "age")
    assert table.column("pay, gross ").values.tolist() == [1, 2, 5]
    assert table.column("age").values.tolist() == [3, 4, 6]


def test_a_quote_after_a_blank_is_read_alike_in_any_pieces() -> None:
    text = 'a, "b, c",d\n1,   "2\n3" ,4\n5, x"y,6\n7, "never, closed\n8,9,0\n'
    for position in range(3):
        for rule in (RecordRule(","), RecordRule(",", multiline=False)):
            whole = [x for block in fields([text], rule, position) for x in block]
            for size in (1, 2, 3, 7):
                cut = [text[i : i + size] for i in range(0, len(text), size)]
                assert [x for block in fields(cut, rule, position) for x in block] == whole


def test_lines_below_the_names_are_no_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('a,b\nEUR,"years\n(text),x\n1,2\n3,4\n', encoding="utf-8")
    table = open_table(path, skip_after_header=2)
    assert (table.row_count(), table.column("b").values.tolist()) == (2, [2, 4])
    assert open_table(path, skip_after_header=9).row_count() == 0
    for wrong in (-1, True, "2"):
        with pytest.raises((ParameterError, ParameterTypeError), match="skip_after_header"):
            open_table(path, skip_after_header=wrong)
    with pytest.raises(ParameterError, match="line of names"):
        open_table(path, header=False, skip_after_header=1)


def test_gzip_is_told_by_the_first_bytes_where_they_are_of_no_row(tmp_path: Path) -> None:
    text = b"a,b\n1,2\n"
    for name, content in (("t.csv", gzip.compress(text)), ("t.csv.gz", text)):
        (tmp_path / name).write_bytes(content)
        assert open_table(tmp_path / name).column("b").values.tolist() == [2]
    # without a header the bytes are of a row, which would decide how all are read
    row = tmp_path / "row.csv"
    row.write_bytes(b"\x1f\x8b,2\n3,4\n")
    table = open_table(row, header=False, encoding="latin-1")
    assert table.column("column_2").values.tolist() == [2, 4]


def test_a_filler_of_korean_takes_no_line_end(tmp_path: Path) -> None:
    """Python's decoder of EUC-KR takes eight bytes for one character: at the end, two rows."""
    path = tmp_path / "korean.csv"
    for name in ("ok", "\u3164", "\uac00"):
        text = "a,b\n" + "9,9\n" * 6 + f"1,{name}\n1,2\n"
        path.write_bytes(text.encode("euc_kr"))
        table = open_table(path, encoding="euc_kr")
        assert table.row_count() == 8
        assert table.text_codes("b", [name, "9"]).tolist() == [1] * 6 + [0, -1]


PIECES = {
    "marks inside": "\ufeffname,v\n\ufeffa,1\n\ufeff\ufeffb,2\nc\ufeff,3\n",
    "windows": 'name,v\r\na,1\r\n"b\r\nb",2\r\nc,3\r\n',
    "old": "name,v\ra,1\rb,2\rc,3\r",
    "wide characters": "n\u00e4me,v\n\U0001f44d,1\n\u20ac,2\n",
    "quotes": 'name,v\n"a ""q"" b",1\n"",2\n"x,y",3\n',
    "titles": "pay\r\n\r\nname,v\r\n# note\r\na,1\r\nb,2",
}


@pytest.mark.parametrize("name", PIECES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-16-le"])
def test_where_a_file_is_cut_for_reading_changes_nothing(
    name: str, encoding: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, PIECES[name], encoding=encoding)
    options: dict[str, Any] = {"skip_rows": 2, "comment": "#"} if name == "titles" else {}

    def read() -> Any:
        table = open_table(path, encoding=encoding, **options)
        names = table.column_names() or ()
        codes, texts = table.text_values(names[0])
        keys = [texts[code] if code >= 0 else None for code in codes.tolist()]
        return names, keys, entries(table.column("v")), table.row_count()

    whole = read()
    assert whole[2] == [float(i + 1) for i in range(whole[3])] != []
    for size in (1, 2, 3, 4, 5, 7, 11):
        monkeypatch.setattr("leastnoise.frames.readers.text_file.PIECE", size)
        assert read() == whole
