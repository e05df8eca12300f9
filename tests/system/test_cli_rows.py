"""``leastnoise release`` with a filter, groups and persons: one budget a call."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

import leastnoise as ln
from leastnoise.cli.rows import parse_keys
from leastnoise.errors import ParameterError
from leastnoise.testing import simulate
from support.commands import Outcome, in_process


@pytest.fixture
def file(tmp_path: Path) -> str:
    rows = [f"{i % 4},{'fm'[i % 2]},p{i // 3},{i}" for i in range(120)]
    (tmp_path / "t.csv").write_text("region,sex,my id,pay\n" + "\n".join(rows), encoding="utf-8")
    return str(tmp_path / "t.csv")


def run(capsys: pytest.CaptureFixture[str], file: str, *options: str) -> Outcome:
    return in_process(capsys, "release", file, *options)


COUNT = ("--stat", "count", "--epsilon", "1e6")


def test_a_filter_keeps_its_rows(capsys: pytest.CaptureFixture[str], file: str) -> None:
    with simulate(1):
        done = run(capsys, file, *COUNT, "--where", "pay < 50 and sex == 'f'", "--json")
    (record,) = json.loads(done.out)
    assert record["value"] == 25
    assert record["where"] == "(col('pay') < 50) & (col('sex') == 'f')"
    assert record["epsilon"] == "1000000"
    with simulate(1):
        assert "those with col('pay') < 5" in run(capsys, file, *COUNT, "--where", "pay < 5").out


@pytest.mark.parametrize(
    ("relation", "times"), [("replace-one", 2), ("add-remove", 1), ("edit", 2)]
)
def test_epsilon_is_that_of_the_whole_table(
    capsys: pytest.CaptureFixture[str], file: str, relation: str, times: int
) -> None:
    options = ("--group-by", "region", "sex", "--keys", "sex=f,m", "--keys", "region=0,1,2,3,4")
    asked = ("--stat", "count", "--epsilon", "3", "--relation", relation)
    with simulate(1):
        done = run(capsys, file, *asked, *options, "--json")
    made = ln.Releases.from_json(done.out)
    assert made.by == ("region", "sex")
    assert next(iter(made)) == (0, "f")
    assert len(made) == 10
    assert made.guarantee is not None
    assert made.guarantee.numbers() == {"epsilon": 3}
    each = made[0, "f"]["count"].guarantee.numbers()["epsilon"]
    assert each == Fraction(3, times)
    with simulate(1):
        shown = run(capsys, file, *asked, *options).out
    assert "epsilon = 3: " in shown
    assert f"epsilon = {'3' if times == 1 else '1.5'} for its answers" in shown


def test_limits_of_persons_are_found_where_they_are_private(
    capsys: pytest.CaptureFixture[str], file: str
) -> None:
    options = ("--unit", "pay", "--group-by", "region", "--keys", "region=0,1,2")
    with simulate(1):
        done = run(
            capsys, file, *COUNT, *options, "--max-rows", "private", "--max-groups", "private"
        )
    assert done.code == 0, done.err
    shown = " ".join(done.out.split())
    assert "which the groups of a person share" in shown
    assert "max_rows was found privately" in shown


def test_values_of_groups(capsys: pytest.CaptureFixture[str], file: str) -> None:
    with simulate(1):
        done = run(
            capsys, file, *COUNT, "--stat", "median", "--column", "pay", "--bounds", "0", "200",
            "--step", "1", "--group-by", "region", "--keys", "region=0,1,9",
        )  # fmt: skip
    lines = [line.split() for line in done.out.splitlines()[2:5]]
    assert [line[:2] for line in lines] == [["0", "30"], ["1", "30"], ["9", "0"]]
    assert [line[2] for line in lines[:2]] == ["56", "57"]


def test_rows_of_no_key(capsys: pytest.CaptureFixture[str], file: str) -> None:
    with simulate(1):
        done = run(capsys, file, *COUNT, "--group-by", "sex", "--keys", "sex=f", "--other")
    lines = [line.split() for line in done.out.splitlines()[2:4]]
    assert lines == [["f", "60"], ["(other)", "60"]]


def test_delta_is_that_of_the_whole_table(capsys: pytest.CaptureFixture[str], file: str) -> None:
    with simulate(1):
        done = run(
            capsys, file, "--stat", "median", "--column", "pay", "--bounds", "0", "200",
            "--epsilon", "1", "--mechanism", "smooth-laplace", "--delta", "1e-6",
            "--group-by", "sex", "--keys", "sex=f,m", "--json",
        )  # fmt: skip
    made = ln.Releases.from_json(done.out)
    assert made.guarantee is not None
    assert made.guarantee.numbers() == {"epsilon": 1, "delta": Fraction(1, 10**6)}


def test_persons(capsys: pytest.CaptureFixture[str], file: str) -> None:
    with simulate(1):
        done = run(capsys, file, *COUNT, "--unit", "my id", "--max-rows", "2", "--json")
    (record,) = json.loads(done.out)
    assert (record["value"], record["unit"], record["max_rows"]) == (80, "my id", 2)
    with simulate(1):
        done = run(
            capsys, file, *COUNT, "--unit", "my id", "--max-rows", "3", "--max-groups", "1",
            "--group-by", "sex", "--keys", "sex=f,m", "--json",
        )  # fmt: skip
    made = ln.Releases.from_json(done.out)
    assert sum(group["count"].value for group in made.values()) <= 80
    with simulate(1):
        done = run(capsys, file, *COUNT, "--unit", "my id", "--max-rows", "private", "--json")
    (record,) = json.loads(done.out)
    assert "limit of rows" in record["parts"]
    assert record["value"] <= 120


def test_histograms_and_distinct_entries(capsys: pytest.CaptureFixture[str], file: str) -> None:
    asked = ("--epsilon", "1e6", "--column")
    with simulate(1):
        done = run(
            capsys, file, "--stat", "histogram", "--bins", "-5", "10", "60", "inf", *asked, "pay"
        )
        assert [line.split()[-2] for line in done.out.splitlines()[3:6]] == ["10", "50", "60"]
        assert "[-5, 10)" in done.out
        for labels, counts in ((("f", "m", "x"), [60, 60, 0]), (("0", "3"), [0, 0])):
            options = ("--stat", "histogram", "--categories", *labels, *asked, "sex", "--json")
            assert json.loads(run(capsys, file, *options).out)[0]["value"] == counts
        options = ("--stat", "histogram", "--categories", "0", "3", *asked, "region", "--json")
        assert json.loads(run(capsys, file, *options).out)[0]["value"] == [30, 30]
        options = ("--stat", "count-distinct", *asked, "my id", "--json")
        assert json.loads(run(capsys, file, *options).out)[0]["value"] == 40


def test_modes_and_cross_tabs(capsys: pytest.CaptureFixture[str], file: str) -> None:
    asked = ("--epsilon", "1e6", "--column", "region", "--categories", "0", "1", "7")
    cross = ("--stat", "cross-tab", "--against", "sex=f,m")
    with simulate(1):
        done = run(capsys, file, "--stat", "mode", *cross, *asked, "--where", "pay >= 1", "--json")
        mode, table = json.loads(done.out)
        assert mode["value"] == 1
        assert table["value"] == [[29, 0], [0, 30], [0, 0]]
        assert [record["epsilon"] for record in (mode, table)] == ["500000", "500000"]
        shown = run(capsys, file, "--stat", "mode", *cross, *asked, "--relation", "add-remove").out
        assert "mode of region" in shown
        assert ["1", "m", "30"] in [line.split()[:3] for line in shown.splitlines()]
        told = " ".join(shown.split())
        assert "one of the declared categories is drawn" in told
        assert "95 % of the noise of each cell lies within +-1 " in told
        assert "a row with a missing or an undeclared entry is in no cell" in told
        assert "replaced by cell" not in told
        grouped = run(
            capsys, file, "--stat", "mode", "--epsilon", "1e6", "--column", "sex",
            "--categories", "f", "m", "--group-by", "region", "--keys", "region=0,1,2",
        )  # fmt: skip
    lines = [line.split() for line in grouped.out.splitlines()[2:5]]
    assert lines == [["0", "f"], ["1", "m"], ["2", "f"]]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--stat", "histogram", "--column", "pay"), "a histogram needs either --bins"),
        (("--stat", "histogram", "--bins", "0", "1"), "--column NAME for histogram"),
        (("--stat", "histogram", "--column", "pay", "--bins", "0"), "give two or more, such as"),
        (("--stat", "histogram", "--column", "pay", "--bins", "0", "1,5"), "120, got '1,5'"),
        (("--stat", "count", "--bins", "0", "1"), "for --stat histogram"),
        (
            (
                "--stat",
                "count-distinct",
            ),
            "--column NAME for count-distinct",
        ),
        (
            ("--stat", "count-distinct", "--column", "pay", "--bounds", "0", "1"),
            "takes no --bounds",
        ),
    ],
)
def test_wrong_cells_are_named(
    capsys: pytest.CaptureFixture[str], file: str, options: tuple[str, ...], message: str
) -> None:
    done = run(capsys, file, "--epsilon", "1", *options)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--where", "pay = 1"), "--where: .*use == for equality"),
        (("--where", "pay >"), "--where: it is not well formed"),
        (("--where", "wage > 1"), "no column 'wage'"),
        (("--group-by", "sex"), "the keys of 'sex' are missing.*--keys sex=A,B"),
        (("--keys", "sex=f,m"), "give --group-by sex"),
        (("--group-by", "sex", "--keys", "f,m"), "names no column"),
        (("--group-by", "sex", "--keys", "sex=f,,m"), "blank key in"),
        (("--group-by", "sex", "--keys", "sex="), "blank key in"),
        (("--group-by", "sex", "--keys", "sex=f,f"), "must differ"),
        (("--group-by", "gender", "--keys", "gender=f,m"), "no column 'gender'"),
        (("--unit", "my id"), "--unit COLUMN and --max-rows M together"),
        (("--max-rows", "2"), "together"),
        (("--unit", "my id", "--max-rows", "0"), "max-rows must be a whole number"),
        (("--unit", "id", "--max-rows", "2"), "no column 'id'"),
        (("--unit", "my id", "--max-rows", "2", "--group-by", "sex", "--keys", "sex=f,m"),
         "max_groups is required"),
    ],
)  # fmt: skip
def test_wrong_options_are_named(
    capsys: pytest.CaptureFixture[str], file: str, options: tuple[str, ...], message: str
) -> None:
    import re

    done = run(capsys, file, *COUNT, *options)
    assert (done.code, done.out) == (2, "")
    assert re.search(message, done.err), done.err


@pytest.mark.parametrize(
    ("text", "keys"),
    [
        ("f,m", ["f", "m"]),
        (" a b , c ", ["a b", "c"]),
        ("1,2,-3", [1, 2, -3]),
        ("0.5,1", [0.5, 1]),
        ("01,02", ["01", "02"]),
        ("1,b", ["1", "b"]),
        ('"1","2"', ["1", "2"]),
        ('"a,b",c', ["a,b", "c"]),
        ('"say ""x""",y', ['say "x"', "y"]),
        ("a=b,c", ["a=b", "c"]),
    ],
)
def test_keys_are_numbers_if_all_are(text: str, keys: list[object]) -> None:
    assert parse_keys(text, "c") == keys


@pytest.mark.parametrize("text", ["", ",", "a,", '"a', 'a,"b', '"a"b'])
def test_keys_that_cannot_be_meant(text: str) -> None:
    with pytest.raises(ParameterError, match="--keys c"):
        parse_keys(text, "c")
