"""What a check says of numbers that are thousands or millions, and what it must not say."""

from __future__ import annotations

from pathlib import Path

import pytest

from leastnoise.frames.checks.look import check

TOLD = "stands beside numbers: they may be tenths, thousands"
NAMES = (
    "Erlöse in Mio. Euro", "Turnover £bn", "salary_k", "Debt (million EUR)", "Schulden (MEUR)",
    "Ingresos (miles)", "Dette (M€)", "RevenueMillions", "assets_usd_bn", "Gehalt (Tsd)",
    "Spend $m", "cost (kUSD)", "profit_mn", "costs_mln", "Mio. EUR", "Loans (in crores)",
    "wages_in_thousands", "Heads (1.000)",
)  # fmt: skip
PLAIN = (
    "miles", "distance (miles)", "vitamin_k", "temp_k", "k", "m", "pop_m", "sales_m", "weight (kg)",
    "rain_mm", "births per 1000", "family_mill", "thousand", "million_dollar_home", "price_eur",
    "mean_radius", "top_k", "km", "usd", "value_bin", "income", "Gehalt", "price_per_m2",
)  # fmt: skip
COLUMNS = {
    "SCALAR_FACTOR": ("millions", "units"),
    "UNIT_MULT": ("3", "0"),
    "PowerCode": ("Thousands", "Units"),
    "scale": ("Millions", "Celsius"),
    "multiplier": ("1000", "1"),
    "unit": ("1000 head", "persons"),
    "Units": ("Millions of euros", "Euros"),
    "OBS_MULT": ("6", "0"),
    "factor": ("100000", "3"),
    "Einheit": ("Tsd. Tonnen", "Tonnen"),
}


def rows(path: Path, *lines: str, more: str = "") -> Path:
    found = [f"{1000 + i},{20 + i * 13 % 71}{more}" for i in range(90)]
    path.write_text("\n".join([*lines, *found, ""]), encoding="utf-8")
    return path


@pytest.mark.parametrize("name", NAMES)
def test_names_that_tell_a_multiple(name: str, tmp_path: Path) -> None:
    path = rows(tmp_path / "amounts.csv", f"key,{name}")
    assert TOLD in str(check(path, name))
    assert TOLD in str(check(path))
    assert TOLD in str(check({name: [20 + i % 7 for i in range(90)]}))
    assert TOLD not in str(check(path, "key"))


@pytest.mark.parametrize("name", PLAIN)
def test_names_that_tell_none(name: str, tmp_path: Path) -> None:
    assert TOLD not in str(check(rows(tmp_path / "amounts.csv", f"key,{name}"), name))


@pytest.mark.parametrize("name", COLUMNS)
def test_columns_that_tell_a_multiple(name: str, tmp_path: Path) -> None:
    multiple, one = COLUMNS[name]
    path = rows(tmp_path / "of.csv", f"key,x,{name}", more=f",{multiple}")
    assert f"'{multiple}' in '{name}' {TOLD}" in str(check(path, "x"))
    assert TOLD not in str(check(rows(tmp_path / "one.csv", f"key,x,{name}", more=f",{one}"), "x"))


@pytest.mark.parametrize(
    "title", ["in Millionen Euro", "Angaben: Mio. EUR", "# values in thousands"]
)
def test_a_unit_in_lines_that_are_skipped(title: str, tmp_path: Path) -> None:
    path = rows(tmp_path / "below.csv", title, "key,x")
    for other in ("Table 3", "a survey of 1,000 people", "# 5 million were asked"):
        assert TOLD not in str(check(rows(tmp_path / "plain.csv", other, "key,x"), skip_rows=1))
    assert TOLD in str(check(path, "x", skip_rows=1))
