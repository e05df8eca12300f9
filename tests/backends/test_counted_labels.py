"""``Count`` of a column of labels: the declared type decides, or ``labels=`` if there is none."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.cli.rows import parse_declared
from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.testing import simulate
from support.commands import in_process
from support.engines import on_engine
from support.optional import optional

ENTRIES = ["N", "Köln, S", " ", "N/A", "12", None, "4.5"] * 10
REGION = ["a", "b"] * 35
THERE, NUMBERS = 40, 20
EXACT = 10**6


def text_file(folder: Path) -> Path:
    path = folder / "t.csv"
    rows = [f'"{"" if x is None else x}",{r}' for x, r in zip(ENTRIES, REGION, strict=True)]
    path.write_text("\n".join(["town,region", *rows]) + "\n", encoding="utf-8")
    return path


def pandas(kind: str) -> Callable[[], Any]:
    def made() -> Any:
        pd = optional("pandas")
        return pd.DataFrame({"town": pd.Series(ENTRIES, dtype=kind), "region": REGION})

    return made


DECLARED: dict[str, Callable[[], Any]] = {
    "pandas text": pandas("string"),
    "pandas categories": pandas("category"),
    "Polars": lambda: optional("polars").DataFrame({"town": ENTRIES, "region": REGION}),
    "Arrow": lambda: optional("pyarrow").table({"town": ENTRIES, "region": REGION}),
    **{
        label: lambda label=label: on_engine(
            label, optional("pyarrow").table({"town": ENTRIES, "region": REGION})
        )
        for label in ("polars lazy", "duckdb")
    },
}


def counted(data: object, statistic: ln.Count, **options: Any) -> int:
    with simulate(1):
        return ln.release(statistic, data, epsilon=EXACT, **options).value


def by_region(data: object, statistic: ln.Count) -> list[int]:
    with simulate(1), ln.open(data, relation="add-remove") as opened:
        groups = opened.group_by({"region": ["a", "b"]}).release(statistic, epsilon=EXACT)
    return [groups[key].value for key in ("a", "b")]


@pytest.mark.parametrize("kind", DECLARED)
def test_declared_text_is_counted_as_labels(kind: str) -> None:
    data = DECLARED[kind]()
    assert counted(data, ln.Count("town")) == THERE
    assert counted(data, ln.Count("town", labels=True)) == THERE
    assert counted(data, ln.Count("town", missing="none")) == len(ENTRIES)
    assert by_region(data, ln.Count("town")) == [THERE // 2, THERE // 2]


@pytest.mark.parametrize("kind", ["list", "objects", "text file"])
def test_where_no_type_is_declared_labels_says_which(kind: str, tmp_path: Path) -> None:
    data: object = {"town": ENTRIES, "region": REGION}
    if kind == "objects":
        data = pandas("object")()
    elif kind == "text file":
        data = text_file(tmp_path)
    assert counted(data, ln.Count("town")) == NUMBERS
    assert counted(data, ln.Count("town", labels=True)) == THERE
    assert by_region(data, ln.Count("town", labels=True)) == [THERE // 2, THERE // 2]
    seen = counted(data, ln.Count("town", labels=True), missing_values=["N"])
    assert seen == THERE  # without "N" (10), with "N/A" (10)
    assert counted(data, ln.Count("town", labels=True, missing="none")) == len(ENTRIES)
    with simulate(1):
        record = ln.release(ln.Count("town", labels=True), data, epsilon=1)
    assert not record.n_public
    assert "any entry that is not missing was counted" in record.notes


def test_numbers_and_times_are_entries_too() -> None:
    numpy = optional("numpy")
    days = numpy.array(["2024-01-01", "NaT"], "M8[D]")
    for column in (numpy.array([1.0, numpy.nan]), days):
        assert counted({"x": column}, ln.Count("x", labels=True)) == 1
    with pytest.raises(ParameterTypeError, match="labels"):
        ln.Count("x", labels="yes")  # pyright: ignore[reportArgumentType]


def test_the_command_and_plans_count_labels(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = text_file(tmp_path)
    asked = ("release", str(path), "--stat", "count", "--epsilon", str(EXACT), "--json")
    with simulate(1):
        made = in_process(capsys, *asked, "--column", "town", "--labels")
    assert json.loads(made.out)[0]["value"] == THERE
    assert "--labels is for --stat count" in in_process(capsys, *asked, "--labels").err
    plan = tmp_path / "p.toml"
    plan.write_text(
        f"[data]\nfile = {str(path)!r}\n[privacy]\nrelation = 'add-remove'\n"
        "[tables.all]\nepsilon = 1000000\n"
        "[tables.all.statistics]\n"
        "n = {statistic = 'count', column = 'town', labels = true}\n",
        encoding="utf-8",
    )
    with simulate(1):
        assert in_process(capsys, "plan", str(plan)).code == 0
    assert f'"value": {THERE}' in (tmp_path / "p.json").read_text(encoding="utf-8")


def test_labels_with_commas_are_given_in_quotes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = text_file(tmp_path)
    asked = ("release", str(path), "--epsilon", str(EXACT), "--json", "--relation", "add-remove")
    with simulate(1):
        cells = in_process(
            capsys,
            *asked,
            "--stat",
            "histogram",
            "--column",
            "town",
            "--categories",
            "Köln, S",
            "N",
        )
        keys = ("--group-by", "town", "--keys", 'town="Köln, S",N,"say ""no"""')
        groups = in_process(capsys, *asked, "--stat", "count", *keys)
        against = ("--against", 'town="Köln, S",N', "--column", "region", "--categories", "a", "b")
        crossed = in_process(capsys, *asked, "--stat", "cross-tab", *against)
    assert json.loads(cells.out)[0]["value"] == [10, 10]
    assert groups.code == 0, groups.err
    told = json.loads(groups.out)["rows"]
    found = {group["key"][0]: group["releases"]["count"]["value"] for group in told}
    assert found == {"Köln, S": 10, "N": 10, 'say "no"': 0}
    assert json.loads(crossed.out)[0]["value"] == [[5, 5], [5, 5]]
    for wrong in ('town="Köln, S', "town=a,,b", "=a,b"):
        refused = in_process(
            capsys, *asked, "--stat", "count", "--group-by", "town", "--keys", wrong
        )
        assert refused.code == 2
    assert parse_declared('"a=b, ""c"""=x,"y,z"', "--keys", "") == ('a=b, "c"', ["x", "y,z"])
    for wrong in ("=a", '""=a', '"a=b', "a"):
        with pytest.raises(ParameterError, match="names no column"):
            parse_declared(wrong, "--keys", "sex=f,m")
