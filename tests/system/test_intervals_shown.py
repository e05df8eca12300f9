"""Intervals on the command line, in plans, tables and pictures."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import leastnoise as ln
from leastnoise.errors import LeastNoiseError
from leastnoise.plans import load_plan, prepare, render
from leastnoise.testing import simulate
from support.commands import in_process

ROWS = "\n".join(f"{20_000 + 37 * i},{'ab'[i % 2]}" for i in range(600))
PAY = ("--column", "pay", "--bounds", "0", "500000", "--epsilon", "2", "--interval", "0.9")


@pytest.fixture
def pay(tmp_path: Path) -> str:
    file = tmp_path / "pay.csv"
    file.write_text(f"pay,region\n{ROWS}\n", encoding="utf-8")
    return str(file)


def test_the_command_line_shows_both_ends(pay: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = in_process(capsys, "release", pay, "--stat", "median", *PAY)
    assert found.code == 0
    assert "lower end" in found.out
    assert "upper end" in found.out
    assert "90 % sure to hold the statistic of the records" in " ".join(found.out.split())
    told = json.loads(in_process(capsys, "release", pay, "--stat", "median", *PAY, "--json").out)
    low, high = told[0]["interval"]
    assert low <= told[0]["value"] <= high
    assert told[0]["coverage"]["level"] == "9/10"


def test_groups_have_columns_for_both_ends(pay: str, capsys: pytest.CaptureFixture[str]) -> None:
    groups = ("--group-by", "region", "--keys", "region=a,b", "--stat", "median")
    found = in_process(capsys, "release", pay, *groups, *PAY)
    assert found.code == 0
    assert "median lower end" in found.out


def test_what_has_no_interval_is_refused(pay: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = in_process(capsys, "release", pay, "--stat", "quantiles", "--q", "0.5", *PAY)
    assert found.code == 2
    assert "one number" in found.err


def test_a_plan_asks_for_an_interval_and_draws_it(pay: str, tmp_path: Path) -> None:
    file = tmp_path / "pay.toml"
    file.write_text(
        '[data]\nfile = "pay.csv"\n[tables.pay]\ngroups = {region = ["a", "b"]}\n'
        '[tables.pay.statistics.middle]\nstatistic = "median"\ncolumn = "pay"\n'
        'bounds = [0, 500_000]\nepsilon = 1\ninterval = "0.9"\n',
        encoding="utf-8",
    )
    with simulate("plan"), prepare(load_plan(file)) as prepared:
        made = prepared.release()
    assert all(record.interval is not None for record in made.records)
    assert "A line is the interval that was released with each answer." in render(made)


def test_intervals_of_the_population(
    pay: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("release", pay, "--stat", "median", "--interval-of", "population", "--json")
    told = json.loads(in_process(capsys, *asked, *PAY).out)
    assert told[0]["coverage"]["of"] == "population"
    refused = in_process(capsys, *asked, *PAY[:-2])
    assert refused.code == 2
    assert "--interval-of is for intervals" in refused.err
    file = tmp_path / "pay.toml"
    statistic = '[data]\nfile = "pay.csv"\n[tables.pay.statistics.middle]\nstatistic = "median"\n'
    limits = 'column = "pay"\nbounds = [0, 500_000]\nepsilon = 1\n'
    interval = 'interval = {level = 0.9, of = "population", favour = "value"}\n'
    file.write_text(statistic + limits + interval, encoding="utf-8")
    with simulate("plan"), prepare(load_plan(file)) as prepared:
        (record,) = prepared.release().records
    assert (record.coverage["of"], record.coverage["level"]) == ("population", "9/10")
    file.write_text(statistic + limits + "interval = {levels = 0.9}\n", encoding="utf-8")
    with pytest.raises(LeastNoiseError, match="did you mean level"):
        load_plan(file)


def test_a_mean_of_the_population_says_its_method(
    pay: str, capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ("release", pay, "--stat", "mean", "--interval-of", "population", *PAY)
    shown = " ".join(in_process(capsys, *asked).out.split())
    assert "hold the mean of the population" in shown
    assert "central limit theorem" in shown


def test_a_table_has_columns_for_both_ends(pay: str) -> None:
    asked = ln.WithInterval(ln.Median("pay", bounds=(0, 500_000)))
    with simulate("table"), ln.open(pay) as data:
        made = data.group_by({"region": ["a", "b"]}).release({"pay": asked}, epsilon=1)
    assert "pay lower end" in made.to_csv()
    plain = "cell,value"
    assert plain in made.to_csv(layout="long")
