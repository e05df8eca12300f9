"""``leastnoise check`` on files as strangers publish them: what is wrong is named, and fixed."""

from __future__ import annotations

import codecs
import csv
import gzip
import json
import re
import shlex
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import LedgerError, ProductionError, SchemaError
from leastnoise.frames.checks.look import check
from leastnoise.testing import simulate
from support.commands import in_process

ROWS = range(60)
PAYS = [1000 + 37 * i for i in ROWS]


def lines(pay: Callable[[int], str], *, separator: str = ",", names: str = "id,pay,town") -> str:
    rows = [f"{i}{separator}{pay(PAYS[i])}{separator}{'NS'[i % 2]}" for i in ROWS]
    return "\n".join([names.replace(",", separator), *rows]) + "\n"


def grouped(number: int, sign: str) -> str:
    return f"{number:,}".replace(",", sign)


def swallowed() -> str:
    rows = lines(str).splitlines()
    rows[10] = f'9,{PAYS[9]},"N'  # opened, and closed thirty rows on
    rows[40] = f'39,{PAYS[39]},"'
    return "\n".join(rows) + "\n"


# what is wrong: the bytes, the words of the finding, and the options that fix it
FILES: dict[str, tuple[bytes, str, dict[str, Any]]] = {
    "thousands": (
        lines(lambda x: f'"{grouped(x, ",")}"').encode(),
        "thousands",
        {"thousands": ","},
    ),
    "decimal commas": (
        lines(lambda x: f"{x},50", separator=";").encode(),
        "decimal sign is a comma",
        {"separator": ";", "decimal": ","},
    ),
    "decimal commas in the last column": (
        ("id;pay\n" + "".join(f"{i};{x},50\n" for i, x in enumerate(PAYS))).encode(),
        "decimal sign is a comma",
        {"separator": ";", "decimal": ","},
    ),
    "decimal commas in every column": (
        ("id;pay;x\n" + "".join(f"{i},5;{x},50;1,5\n" for i, x in enumerate(PAYS))).encode(),
        "decimal sign is a comma",
        {"separator": ";", "decimal": ","},
    ),
    "decimal commas in some rows": (
        ("pay\tid\n" + "".join(f"{x},50\t{'1,5' if x % 2 else 2}\n" for x in PAYS)).encode(),
        "decimal sign is a comma",
        {"separator": "tab", "decimal": ","},
    ),
    "a line for spreadsheets": (
        b"sep=;\n" + lines(str, separator=";").encode(),
        "tells spreadsheets",
        {"separator": ";", "skip_rows": 1},
    ),
    "signs for none among labels": (
        lines(str).replace(",S\n", ",?\n", 9).encode(),
        "among the labels",
        {"missing_values": "?"},
    ),
    "blank lines": (lines(str).replace("\n5,", "\n\n5,").encode(), "counts as a row", {}),
    "times with and without a zone": (
        lines(lambda x: f"2024-01-01T00:00:{x % 60:02}{'Z' * (x % 2)}").encode(),
        "have a time zone",
        {},
    ),
    "points and commas": (
        lines(lambda x: grouped(x, ".") + ",00", separator=";").encode(),
        "decimal sign is a comma",
        {"separator": ";", "decimal": ",", "thousands": "."},
    ),
    "blanks in numbers": (
        lines(lambda x: grouped(x, "\u00a0"), separator=";").encode(),
        "thousands",
        {"separator": ";", "thousands": "\u00a0"},
    ),
    "second line of names": (
        lines(str, names="id,pay,town\nnumber,EUR,text").encode(),
        "below the names",
        {"skip_after_header": 1},
    ),
    "title": (
        f"Pay by town\n\n{lines(str)}".encode(),
        "above the names",
        {"skip_rows": 2},
    ),
    "footer": (f"{lines(str)}\nSource: the office,,\n".encode(), "notes stand below", {}),
    "currency": (lines(lambda x: f"€ {x}").encode(), "currency", {}),
    "sentinel": (
        lines(lambda x: "-666666666" if x % 4 == 0 else str(x)).encode(),
        "-666666666",
        {"missing_values": -666666666},
    ),
    "words for none": (
        lines(lambda x: "suppressed" if x % 4 == 0 else str(x)).encode(),
        "suppressed",
        {"missing_values": "suppressed"},
    ),
    "a quote that swallows rows": (
        swallowed().encode(),
        "swallowed",
        {"multiline": False},
    ),
    "latin-1": (
        lines(str).replace("N", "Kölln").encode("latin-1"),
        "encoding",
        {"encoding": "cp1252"},
    ),
    "utf-16": (
        codecs.BOM_UTF16_LE + lines(str).encode("utf-16-le"),
        "encoding",
        {"encoding": "utf-16"},
    ),
    "gzipped utf-16": (
        gzip.compress(codecs.BOM_UTF16_LE + lines(str).encode("utf-16-le")),
        "encoding",
        {"encoding": "utf-16"},
    ),
    "unquoted separators": (
        lines(lambda x: f"{x},5").encode(),
        "more fields than",
        {},
    ),
    "American dates": (
        lines(lambda x: f"{x % 12 + 1}/{x % 28 + 1}/2019").encode(),
        "dates in another form",
        {},
    ),
    "points that part thousands": (
        lines(lambda x: f"{x // 1000}.{x % 1000:03}").encode(),
        "three digits after it",
        {},
    ),
    "percent": (lines(lambda x: f"{x % 100}%").encode(), "percent", {}),
    # and files that are read as they are
    "a byte order mark": (codecs.BOM_UTF8 + lines(str).encode(), "", {}),
    "gzip named csv": (gzip.compress(lines(str).encode()), "", {}),
    "a blank before quotes": (lines(lambda x: f' "{x}"').encode(), "", {}),
}


@pytest.mark.parametrize("kind", FILES)
def test_what_is_wrong_is_named_and_mended(kind: str, tmp_path: Path) -> None:
    content, words, options = FILES[kind]
    path = tmp_path / "t.csv"
    path.write_bytes(content)
    found = check(path)
    assert "NOT PRIVATE" in str(found)
    if not words:
        assert not found.findings, str(found)
    else:
        assert words in str(found), str(found)
    offered: dict[str, Any] = {
        name: value[-1] if isinstance(value, list) else value
        for name, value in found.options.items()
    }
    assert offered == options
    if not options and words:  # no option fixes it, so it is told what to do
        return
    again = check(path, **found.options)
    assert not again.findings, str(again)
    pays = [x for x in PAYS if kind not in ("sentinel", "words for none") or x % 4]
    half = 0.5 if kind.startswith("decimal commas") else 0
    with simulate(1):
        median = ln.release(
            ln.Median("pay", bounds=(0, 10**6)), path, epsilon=10**6, **found.options
        )
        rows = ln.release({"n": ln.Count("pay")}, path, epsilon=10**6, **found.options)
    assert median.value == pytest.approx(sorted(pays)[(len(pays) - 1) // 2] + half, abs=1e-3)
    assert rows["n"].value == len(pays)


def test_the_command_says_the_same_and_its_options_are_typed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(FILES["points and commas"][0])
    shown = in_process(capsys, "check", str(path), "--column", "pay")
    assert shown.code == 0
    assert "NOT PRIVATE" in shown.out
    assert "--separator ';' --thousands . --decimal ," in " ".join(shown.out.split())
    corrected = ("--separator", ";", "--thousands", ".", "--decimal", ",")
    bounds = ("--bounds", "0", "1500")
    clipped = in_process(
        capsys, "check", str(path), "--column", "pay", *bounds, *corrected, "--json"
    )
    told = json.loads(clipped.out)
    assert told["private"] is False
    assert "clip 46 of 60" in told["findings"][0]["what"]
    assert in_process(capsys, "check", str(path), *bounds).code == 2
    monkeypatch.setenv("LEASTNOISE_PRODUCTION", "1")
    assert "forbids" in in_process(capsys, "check", str(path)).err


def test_fields_of_several_lines_are_told_from_swallowed_rows(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(lines(str).replace(",N\n", ',"a\nb"\n'), encoding="utf-8")
    assert "leave multiline=False out" in str(check(path, "pay", multiline=False))
    path.write_text(swallowed(), encoding="utf-8")
    assert "leave multiline" not in str(check(path, multiline=False))


def test_options_that_mend_some_findings_only_say_which_they_leave(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    rents = "".join(f"o{i};{1 + i % 9}.{100 + 7 * i}\n" for i in range(99))
    path.write_text("ort;miete\n" + rents + ";\n", encoding="utf-8")
    told = str(check(path, separator=";", missing_values=["o1"]))
    assert "All options together" not in told
    path.write_text("titel;\nort;miete\n" + rents, encoding="utf-8")
    told = str(check(path))
    assert "would fix 1, 2; they do not fix 3, see there: " in told, told


@pytest.mark.parametrize(
    ("encoding", "name"),
    [("shift_jis", "\u6c0f\u540d"), ("gb18030", "\u59d3\u540d"), ("cp1251", "\u0438\u043c\u044f"),
     ("euc_kr", "\uc774\ub984"), ("cp1253", "\u03cc\u03bd\u03bf\u03bc\u03b1"),
     ("koi8_r", "\u0438\u043c\u044f")],
)  # fmt: skip
@pytest.mark.parametrize("given", ["utf-8", "cp1252"])
def test_an_encoding_of_another_script_is_told_by_what_it_reads(
    encoding: str, name: str, given: str, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes((f"{name},pay\n" + f"{name},7\n" * 30).encode(encoding))
    found = check(path, encoding=given)
    assert name in str(found)
    assert f"'{encoding}'" in str(found)
    assert "cp1252" not in str(found).replace("not of the encoding 'cp1252'", "")
    assert found.options.get("encoding", encoding) == encoding
    assert not check(path, "pay", encoding=encoding).findings


def test_bounds_of_another_kind_are_told(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(lines(lambda x: f"2024-01-01T00:00:{x % 60:02}"), encoding="utf-8")
    year = [datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 1, 1, tzinfo=UTC)]
    assert "no entry is read as seconds since 1970-01-01, of UTC" in str(
        check(path, "pay", bounds=year)
    )
    year = [datetime(2024, 1, 1), datetime(2025, 1, 1)]
    assert not check(path, "pay", bounds=year).findings
    year = [datetime(2024, 1, 2), datetime(2024, 1, 3)]
    assert "bounds 2024-01-02 00:00:00 to 2024-01-03" in str(check(path, "pay", bounds=year))


@pytest.mark.parametrize("sign", ["\u00a0", "\u202f", "\u2009"])
def test_options_are_written_as_a_shell_takes_them(
    sign: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    written = {PAYS[1]: "0", **dict.fromkeys((x for x in PAYS if x % 4 == 0), "-")}
    content = lines(lambda x: written.get(x, grouped(x, sign)), separator=";")
    path.write_text(content, encoding="utf-8")
    found = in_process(capsys, "check", str(path))
    typed = found.out.splitlines()[-1].partition("fix it: ")[2]
    assert repr(sign) not in found.out
    again = in_process(capsys, "check", str(path), *shlex.split(typed))
    assert "Nothing was found" in again.out, typed


def test_options_that_were_given_are_told_with_the_others(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    days = ["9999-12-31", "1900-01-01", *(f"2024-0{i}-1{i}" for i in range(1, 9))]
    content = "a title\n\nid;sent;pay\n" + "".join(
        f"{i};{days[i % 10]};{[998, 999, 20 + i, 21 + i][i % 4]}\n" for i in range(60)
    )
    path.write_text(content, encoding="utf-8")
    given = ("--missing-value", "998", "--skip-rows", "2")
    found = in_process(capsys, "check", str(path), *given)
    typed = shlex.split(found.out.splitlines()[-1].partition("fix it: ")[2])
    told = [typed[i + 1] for i, x in enumerate(typed) if x == "--missing-value"]
    assert told == ["998", "9999-12-31", "1900-01-01", "999"], found.out
    assert typed[typed.index("--skip-rows") + 1] == "2"
    assert typed[typed.index("--separator") + 1] == ";"
    again = in_process(capsys, "check", str(path), *typed)
    assert "Nothing was found" in again.out, again.out


def test_a_sign_that_was_given_gives_way(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text(lines(lambda x: f'"{1000 * x:,}.5"'), encoding="utf-8")
    found = check(path, decimal=",")
    assert found.options == {"thousands": ","}
    assert not check(path, **found.options).findings


def test_a_session_that_publishes_does_not_check(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = {"pay": ["1,5", "2,5", "n/a"], "x": [1.0, -999.0, -999.0]}
    with ln.open(data) as opened:
        assert "decimal=','" in str(opened.check("pay"))
    ln.Ledger.create(tmp_path / "t.db", dataset="t", budget=ln.PureDP(1)).close()  # pyright: ignore[reportArgumentType]
    with (
        ln.open(data, ledger=tmp_path / "t.db", dataset="t") as opened,
        pytest.raises(LedgerError, match="without ledger="),
    ):
        opened.check()
    monkeypatch.setenv("LEASTNOISE_PRODUCTION", "1")
    with ln.open(data) as opened, pytest.raises(ProductionError):
        opened.check()


def test_edges_that_vanish_are_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    edges = [(100 * i, 100 * (i + 1)) for i in range(20)]
    for data in (edges, np.array(edges)):
        told = str(check(data, nodes=21))
        assert "20 of 20 edges have an end that is none of the nodes" in told
        assert "21 different ids from 0 to 2000: give nodes=2001" in told
        assert not check(data, nodes=2001).findings
        assert not check(data, nodes=[100 * i for i in range(21)]).findings
    path = tmp_path / "g.txt"
    path.write_text("# a graph\n" + "".join(f"{a} {b}\n" for a, b in edges), encoding="utf-8")
    assert "nodes=2001" in in_process(capsys, "check", str(path), "--nodes", "21").out
    for name, words in (("t.txt", "no line has two ids"), ("t.csv", "which separator= tells")):
        apart = tmp_path / name
        apart.write_text("".join(f"a{a};a{b}\n" for a, b in edges), encoding="utf-8")
        labels = [f"a{100 * i}" for i in range(21)]
        assert check(apart, nodes=labels).options == {"separator": ";"}
        assert not check(apart, nodes=labels, separator=";").findings
        assert words in str(check(apart, nodes=21))
    packed = tmp_path / "packed.txt"
    packed.write_bytes(gzip.compress(path.read_bytes()))
    assert "add .gz to its name" in str(check(packed, nodes=2001))
    assert not check(packed.rename(tmp_path / "packed.txt.gz"), nodes=2001).findings
    named = tmp_path / "named.csv"
    lines = "source,target\n" + "".join(f"{a},{b}\n" for a, b in edges)
    named.write_text(lines, encoding="utf-8")
    assert "nodes=2001" in str(check(named, nodes=21))
    assert not check(named, nodes=2001).findings
    names = [("a", "b"), ("b", "c")]
    assert "list of public ids" in str(check(names, nodes=3))


def test_columns_of_declared_types_are_looked_at(tmp_path: Path) -> None:
    values = [float(i) for i in range(50)]
    found = check({"x": np.array([*values, -999.0, -999.0])})
    assert found.options["missing_values"][-1] == -999
    assert "clip 39 of 50" in str(check({"x": np.array(values)}, "x", bounds=(0, 10)))
    beside = {"x": np.array([*values, 99999.0, 99999.0]), "y": np.arange(52.0) * 1e5 / 50 - 1}
    beside["y"][7] = 99999.0
    assert "as y has it too, keep the others by data.where(ln.col('x') != 99999)" in str(
        check(beside)
    )
    long = {"x": np.array([*values, *values, *values, 10_000.0, 20_000.0])}
    told = str(check(long, "x", bounds=(0, 99_999)))
    assert "the largest 1 of 152 entries make 59 % of the sum" in told
    assert "the largest 1 of 152 entries make 59 % of the sum" in str(check(long))
    assert "% of the sum" not in str(check(long, "x", bounds=(0, 100)))
    assert "% of the sum" not in str(check({"x": np.array([*values, *values, *values])}))
    days = {"d": np.array(["2024-01-01", "NaT"], "M8[D]")}
    assert (check(days).columns[0].dates, check(days).columns[0].missing) == (1, 1)
    for kind in ("M8[D]", "M8[s]"):
        born = np.array(["1900-01-01"] * 9 + [f"19{i}-05-17" for i in range(40, 99)], kind)
        told = check({"born": born})
        assert "9 entries are 1900-01-01" in str(told)
        assert told.options["missing_values"][-1].startswith("1900-01-01")


def test_real_messy_files(shared_data: Path) -> None:
    known = {
        "fy09_edu_recipients_by_state.csv": ("thousands=','", "one row is blank", "'01'"),
        "hospital_dirty.csv": ("a percent sign", "'yes', 'yxs'"),
        "imf_gdp_per_capita_latin1.tsv": (
            "thousands=','",
            "encoding='cp1252'",
            "one row is blank",
        ),
        "ks_1033_military_surplus.csv": ("the month stands first", "1187 rows are exact copies"),
        "nyc_311_sample.csv": ("'Unspecified' (1) among the labels", "'0000000000'"),
        "oecd_bli_2015.csv": (
            "Value: its numbers are of several kinds",
            "ln.col('INEQUALITY') != 'TOT'",
        ),
        "sample_superstore.csv": ("zeros may be lost",),
        "star_wars_survey.csv": ("below the names", "a range is no number", "23 columns have"),
        "titanic_train.csv": (
            "Ticket: 230 entries are no numbers",
            "Fare: 15 entries are exactly 0",
        ),
    }
    for path in sorted((shared_data / "messy").iterdir()):
        told = str(check(path))
        assert "NOT PRIVATE" in told
        assert all(words in told for words in known[path.name]), told


@pytest.mark.parametrize(
    ("name", "labels", "factor"),
    [("per", "HM", 100), ("pay_period", "WM", 4), ("UNIT_MULT", "03", 1000),
     ("multiplier", ("1", "1000"), 1000), ("basis", "AB", 12)],
)  # fmt: skip
def test_numbers_of_several_units_are_told_by_their_size(
    name: str, labels: Sequence[str], factor: int, tmp_path: Path
) -> None:
    path = tmp_path / "t.csv"
    for apart in (1, factor):
        rows = "".join(
            f"{2000 + 7 * i if i % 2 else (2000 + 7 * i) // apart},{labels[i % 2]}\n"
            for i in range(200)
        )
        path.write_text(f"wage,{name}\n{rows}", encoding="utf-8")
        assert ("several units" in str(check(path))) is (apart > 1)


@pytest.mark.parametrize(
    ("names", "ends"),
    [
        ("id,from,to", ("from", "to")),
        ("weight,SourceId,target_id", ("SourceId", "target_id")),
        ("head,weight,tail", ("head", "tail")),
        ("w,node1,node2", ("node1", "node2")),
        ("nr,follower,followee", ("follower", "followee")),
        ("edge_id,p,q", None),
        ("from,to,weight", ()),
        ("u,v,start,end", ()),
        ("person,friend,weight", ()),
        ("0,1,2", ()),
    ],
)
def test_ends_that_are_not_the_first_columns_are_told(
    tmp_path: Path, names: str, ends: tuple[str, ...] | None
) -> None:
    """By the line of names alone: neither edges nor declared names of nodes are looked at."""
    path = tmp_path / "e.csv"
    rows = "".join(f"{k},{a},{b}\n" for k, (a, b) in enumerate([(0, 1), (1, 2), (2, 0)]))
    path.write_text(f"{names}\n{rows}", encoding="utf-8")
    statistic = ln.TriangleCount(nodes=3)
    if ends == ():
        assert ln.release(statistic, path, epsilon=50).relation == "edge"
        assert "line of names" not in str(check(path, nodes=3))
        return
    wrong = "'source', 'target'" if ends is None else ", ".join(map(repr, ends))
    cure = f"TriangleCount({wrong}, nodes=...)"
    with pytest.raises(SchemaError, match=re.escape(cure)):
        ln.release(statistic, path, epsilon=50)
    assert cure in str(check(path, nodes=3))
    ln.release(statistic, path, epsilon=50, header=False)
    if ends is not None:
        named = ln.TriangleCount(*ends, nodes=3)
        assert ln.release(named, path, epsilon=100).value == 1


def test_an_edge_of_declared_nodes_is_no_line_of_names(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    path.write_text("to,from,to\nfrom,to,x\n", encoding="utf-8")
    found = ln.release(ln.EdgeCount(nodes=["from", "to"]), path, epsilon=100)
    assert found.value == 1


@pytest.mark.parametrize(
    ("factor", "shift", "told"),
    [
        (12, 0, "12 times as large with 'b'"),
        (1000, 0, "1000 times as large with 'b'"),
        (1.8, 32, "degrees Fahrenheit"),
        (3, 0, ""),
        (1, 500, ""),
    ],
)
def test_labels_of_any_name_tell_units_by_all_quartiles(
    factor: float, shift: float, told: str
) -> None:
    rng = np.random.default_rng(5)
    numbers = rng.uniform(10, 40, 800)
    labels = np.where(np.arange(800) % 2 == 0, "a", "b")
    written = np.where(labels == "b", factor * numbers + shift, numbers)
    shown = str(check({"how": labels.tolist(), "size": written.tolist()}))
    assert (told in shown and "'how'" in shown) if told else "several units" not in shown


def test_what_was_told_by_a_wrong_cause_is_told_by_its_own(tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text("record\n" + "".join(f"id={k}; pay={k}.5\n" for k in range(9)), "utf-8")
    found = check(path)
    assert "names with their values" in str(found)
    assert not found.options
    ages = [str(18 + k % 60) for k in range(90)] + ["1970", "1985"] * 45
    assert "a year of birth is no age" in str(check({"age": ages}))
    assert "two digits" in str(check({"year": ages}))
    spans = {"td": [f"{k % 8}:00:00" for k in range(80)]}
    told = str(check(spans, "td", bounds=(timedelta(0), timedelta(days=1))))
    assert "PT1H30M" in told
    assert "typing errors" not in told
    dashes = str(check({"pay": [f"{2000 + k}.\u2013" for k in range(50)] + ["31.-"]}))
    assert "no cents" in dashes
    assert "currency" not in dashes
    words = ["..", "-", "/", "x", ".", "k.A."]
    found = check({"hours": [*words * 3, *(f"{k}.5" for k in range(40))]})
    assert {*words} <= {*found.options["missing_values"]}


def test_shares_beside_percents_and_ids_that_come_twice_are_told() -> None:
    shares = [0.01 * k for k in range(10, 90)]
    assert "shares beside percents" in str(check({"share": [*shares, *(100 * x for x in shares)]}))
    assert "shares beside percents" not in str(check({"share": [k / 8 for k in range(800)]}))
    assert "shares beside percents" not in str(check({"share": shares}))
    for name in ("id", "ID", "nr"):
        told = str(check({name: [*range(1000, 1100), *range(1000, 1010)]}))
        assert f"give unit={name!r}" in told


def test_a_filter_is_printed_as_it_is_typed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "t.csv"
    rows = "".join(f"{(2000 + k) // (100 if k % 2 else 1)},{'MH'[k % 2]}\n" for k in range(90))
    path.write_text(f"wage,per\n{rows}", encoding="utf-8")
    assert '''by --where "per == 'M'"''' in in_process(capsys, "check", str(path)).out


PAY = "id,pay,note\n" + "".join(
    f"{k},{'k.A.' if k % 9 == 0 else 1000 + 7 * k},{'NA' if k % 4 else 'x'}\n" for k in range(90)
)


def test_words_for_none_are_declared_beside_the_usual_ones_that_the_data_has(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`missing_values=` stands in the place of the usual texts, of which few files have any."""
    path = tmp_path / "t.csv"
    path.write_text(PAY)
    listed = dict(
        zip(("id", "pay", "note"), zip(*csv.reader(PAY.splitlines()[1:]), strict=True), strict=True)
    )
    both = {"missing_values": ["NA", "k.A."]}
    assert check(path, "pay").options == check(path).options == check(listed).options == both
    assert check(path, "pay", missing_values=["x"]).options == {"missing_values": ["x", "k.A."]}
    assert "--missing-value NA --missing-value k.A.\n" in in_process(capsys, "check", str(path)).out
    path.write_text(PAY.replace("NA", "y"))
    assert check(path).options == {"missing_values": ["k.A."]}


def test_what_stands_for_none_in_an_engine_is_left_to_its_query() -> None:
    """Where `missing_values=` is refused; the filter is one that can be pasted."""
    duckdb, pd = pytest.importorskip("duckdb"), pytest.importorskip("pandas")
    code = pd.DataFrame({"pay": [-999 if k % 9 == 0 else 1000 + k for k in range(180)]})
    days = [date(1900, 1, 1) if k % 9 == 0 else date(2024, 1, 1 + k % 28) for k in range(180)]
    dated = pd.DataFrame({"day": pd.to_datetime(days)})  # noqa: F841  # which a query reads
    for data, told in (
        (duckdb.sql("SELECT * FROM code"), "data.where(ln.col('pay') != -999)"),
        (duckdb.sql("SELECT day::DATE AS day FROM dated"),
         "data.where(ln.col('day') != datetime.date(1900, 1, 1))"),
    ):  # fmt: skip
        found = check(data)
        assert "write NULL for it in the engine's own query, or keep the others by" in str(found)
        assert told in str(found)
        assert not found.options
    assert check(code).options == {"missing_values": [-999]}


GRAPHS_READ_OTHERWISE: dict[str, tuple[str, str]] = {
    "arrows": ("".join(f"{i} -> {i + 1}\n" for i in range(20)), "a line is '0 -> 1'"),
    "brackets": ("".join(f"({i}, {i + 1})\n" for i in range(20)), "a line is '(0, 1)'"),
    "words": ("".join(f"n{i} n{i + 1}\n" for i in range(20)), "relabel=True in its place"),
    "edges counted": ("21 20\n" + "".join(f"{i} {i + 1}\n" for i in range(20)), "begin it with #"),
    "nodes counted": ("21 99\n" + "".join(f"{i} {i + 1}\n" for i in range(20)), "begin it with #"),
}


@pytest.mark.parametrize("kind", GRAPHS_READ_OTHERWISE)
def test_lines_that_are_read_otherwise_are_shown(kind: str, tmp_path: Path) -> None:
    text, told = GRAPHS_READ_OTHERWISE[kind]
    path = tmp_path / "g.txt"
    path.write_text(text)
    assert told in str(check(path, nodes=21))


def test_utf_16_is_told_of_a_list_of_edges(tmp_path: Path) -> None:
    path = tmp_path / "g.txt"
    path.write_text("0 1\n1 2\n", encoding="utf-16")
    assert "write it in UTF-8" in str(check(path, nodes=3))


def test_a_matrix_in_a_list_is_told() -> None:
    for rows in ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], ((0, 1), (1, 0)), np.eye(2, dtype=int)):
        assert "scipy.sparse.csr_array" in str(check(rows, nodes=3))
    for edges in ([(0, 1), (1, 2), (2, 0)], [(0, 1, 0.5), (1, 2, 0.5), (2, 0, 0.5)], [[0, 1]]):
        assert not check(edges, nodes=3).findings


def test_a_list_of_rows_is_told() -> None:
    """Nothing but its entries, which are private, says that a list is one of rows."""
    for rows in ([[1, 2]] * 9, [(1, 2), None] * 9, [{"pay": 1}] * 9, [[1]] * 9):
        told = str(check(rows))
        assert "rows of several values" in told
        assert "pandas.DataFrame(data)" in told
    for column in ([1, 2, None], ["a", "(b)", "c"], ["[1]"]):
        assert ("rows of several values" in str(check(column))) is (column == ["[1]"])
