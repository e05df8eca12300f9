"""The report of a plan in a real browser: a phone, a desk, paper, and readers of every kind."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from leastnoise.plans import load_plan, prepare, render
from support.browser import axe, chromium, resize, violations

PLAN = """
title = "A report with <hard> & long names, 'quotes' included"
note = "All numbers are of a small file made for this test."
[data]
file = "t.csv"
[privacy]
relation = "add-remove"

[tables.by_two]
title = "By region and sex"
note = "Both columns have few keys."
where = "pay >= 0"
groups = {region = ["North of the river, including the islands & ports", "South", "<West>", "East"], sex = ["f", "m"]}
epsilon = 3
[tables.by_two.statistics]
n = {statistic = "count", title = "People"}
median = {statistic = "median", column = "pay", bounds = [0, 1_000_000], title = "Median pay"}
deciles = {statistic = "quantiles", q = [0.1, 0.5, 0.9], column = "pay", bounds = [0, 1_000_000]}

[tables.by_one]
title = "By year"
groups = {year = [2021, 2022, 2023, 2024, 2025, 2026]}
epsilon = 3
[tables.by_one.statistics]
mean = {statistic = "mean", column = "pay", bounds = [0, 1_000_000]}
kinds = {statistic = "histogram", column = "sex", categories = ["f", "m"]}

[tables.whole]
title = "The whole file"
epsilon = 2
[tables.whole.statistics]
ages = {statistic = "histogram", column = "pay", bins = [0, 1_000, 10_000, inf], title = "Pay by band"}
cross = {statistic = "cross-tab", row = "region", column = "sex", rows = ["South", "East"], columns = ["f", "m"]}
total = {statistic = "sum", column = "pay", bounds = [0, 1_000_000]}
"""  # noqa: E501  # a plan has one statistic a line


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("page")
    regions = ("South", "East", "<West>")
    rows = [f"{regions[i % 3]},{'fm'[i % 2]},{2021 + i % 6},{i * 37}" for i in range(600)]
    (folder / "t.csv").write_text("region,sex,year,pay\n" + "\n".join(rows), encoding="utf-8")
    (folder / "plan.toml").write_text(PLAN, encoding="utf-8")
    with prepare(load_plan(folder / "plan.toml")) as prepared:
        (folder / "page.html").write_text(render(prepared.release()), encoding="utf-8")
    return folder / "page.html"


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        yield driver


def resized(browser: Any, page: Path, width: int, height: int = 900) -> None:
    resize(browser, width, height)
    browser.get(page.as_uri())


WIDE = """
return [...document.querySelectorAll('body *')]
    .filter(e => !e.closest('.scroll') || e.matches('.scroll'))
    .filter(e => e.getBoundingClientRect().right > window.innerWidth + 0.5)
    .map(e => e.tagName + ': ' + (e.textContent || '').slice(0, 60))
"""


@pytest.mark.parametrize("width", [390, 1280])
def test_nothing_overflows_and_no_error_is_logged(browser: Any, page: Path, width: int) -> None:
    resized(browser, page, width)
    assert browser.execute_script("return window.innerWidth") == width
    assert browser.execute_script("return document.documentElement.scrollWidth") <= width
    assert browser.execute_script(WIDE) == []
    assert browser.get_log("browser") == []


def test_all_tables_and_pictures_are_there(browser: Any, page: Path) -> None:
    resized(browser, page, 1280)
    count = "return document.querySelectorAll(arguments[0]).length"
    assert browser.execute_script(count, "table") == 3
    assert browser.execute_script(count, "table caption") == 3
    assert browser.execute_script(count, "[aria-labelledby=table-1] tbody tr") == 8
    assert browser.execute_script(count, "[aria-labelledby=table-2] tbody tr") == 6
    assert browser.execute_script(count, "[aria-labelledby=table-3] tbody tr") == 3 + 4 + 1
    assert browser.execute_script(count, "figure svg[role=img] > title") == 3 + 1 + 1
    assert browser.execute_script(count, "script, link, img, iframe") == 0
    drawn = browser.execute_script(
        "return [...document.querySelectorAll('figure > svg')].map(e => e.getBoundingClientRect())"
        ".map(r => [r.width, r.height])"
    )
    assert all(width > 250 and height > 60 for width, height in drawn)
    inside = browser.execute_script(
        "return [...document.querySelectorAll('figure > svg *')].filter(e => {"
        "  const b = e.getBBox ? e.getBBox() : null, v = e.ownerSVGElement.viewBox.baseVal;"
        "  return b && (b.x < -1 || b.y < -1 || b.x + b.width > v.width + 1 || "
        "b.y + b.height > v.height + 1)}).map(e => e.outerHTML)"
    )
    assert inside == []
    touching = browser.execute_script(
        "return [...document.querySelectorAll('figure > svg')].flatMap(s => {"
        "  const t = [...s.querySelectorAll('.tick')].map(e => e.getBBox());"
        "  return t.filter((a, i) => t.some((b, j) => i < j && Math.abs(a.y - b.y) < 4 && "
        "a.x < b.x + b.width && b.x < a.x + a.width))}).length"
    )
    assert touching == 0


@pytest.mark.parametrize("width", [390, 1280])
def test_readers_of_every_kind(browser: Any, page: Path, width: int) -> None:
    resized(browser, page, width)
    assert violations(browser) == []


def test_axe_sees_a_fault(browser: Any, page: Path, tmp_path: Path) -> None:
    """The check above can fail: without a language and with pale text it does."""
    text = page.read_text(encoding="utf-8").replace('<html lang="en">', "<html>")
    (tmp_path / "bad.html").write_text(text.replace("--soft: #4a5360", "--soft: #c0c5cc"))
    resized(browser, tmp_path / "bad.html", 1280)
    assert {"html-has-lang", "color-contrast"} <= {v["id"] for v in axe(browser)["violations"]}


def test_it_prints(browser: Any, page: Path) -> None:
    resized(browser, page, 1280)
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"paperWidth": 8.27, "paperHeight": 11.7})
    pdf = base64.b64decode(printed["data"])
    assert pdf.startswith(b"%PDF")
    assert 2 <= pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ") <= 12
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    hidden = browser.execute_script(
        "return [...document.querySelectorAll('.scroll')].filter(e => "
        "getComputedStyle(e).overflowX !== 'visible').length"
    )
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert hidden == 0
