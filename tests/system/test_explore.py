"""The command ``leastnoise explore``, and its page in a browser: a phone, a desk, a keyboard."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

import leastnoise as ln
from leastnoise.app.view import BEST, Choices, view
from leastnoise.cli.comparison import MECHANISMS
from support.browser import chromium, resize, violations
from support.commands import Run, in_process
from support.optional import optional

# Reason: the pictures need the extra plots, everything else works without.
needs_matplotlib = pytest.mark.skipif(
    find_spec("matplotlib") is None, reason="matplotlib is not installed"
)
# Reason: the page needs the extra app, everything else works without.
needs_marimo = pytest.mark.skipif(find_spec("marimo") is None, reason="marimo is not installed")
VALUES = [(7 * i * i) % 83 + (i % 7) for i in range(60)]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.delenv("LEASTNOISE_PRODUCTION", raising=False)
    return partial(in_process, capsys)


def written(folder: Path) -> str:
    file = folder / "cars.csv"
    rows = [f"{value},{i % 5}" for i, value in enumerate(VALUES)]
    file.write_text("price,<b>&doors\n" + "\n".join(rows) + "\n", encoding="utf-8")
    return str(file)


@pytest.fixture
def cars(tmp_path: Path) -> str:
    return written(tmp_path)


class TestRefusals:
    def test_without_public_nothing_is_read(self, run: Run) -> None:
        outcome = run("explore", "no/such/file.csv")
        assert (outcome.code, outcome.out) == (2, "")
        assert "--public" in outcome.err
        assert "nothing it shows is private" in outcome.err
        assert "no file" not in outcome.err

    def test_production_refuses(self, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LEASTNOISE_PRODUCTION", "1")
        outcome = run("explore", "no/such/file.csv", "--public")
        assert outcome.code == 2
        assert "LEASTNOISE_PRODUCTION" in outcome.err

    @pytest.mark.parametrize("library", ["marimo", "matplotlib"])
    def test_what_is_missing_is_named_with_the_cure(
        self, run: Run, monkeypatch: pytest.MonkeyPatch, library: str
    ) -> None:
        from leastnoise.app import serve

        monkeypatch.setattr(serve, "find_spec", lambda name: None if name == library else object())
        outcome = run("explore", "no/such/file.csv", "--public")
        assert outcome.code == 2
        assert f"needs {library}: pip install leastnoise[app]" in outcome.err

    @needs_marimo
    @needs_matplotlib
    def test_files_and_ports_are_checked_first(self, run: Run, cars: str, tmp_path: Path) -> None:
        assert "no file" in run("explore", "no/such/file.csv", "--public").err
        (tmp_path / "empty.csv").write_text("", encoding="utf-8")
        assert run("explore", str(tmp_path / "empty.csv"), "--public").code == 2
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = str(taken.getsockname()[1])
            outcome = run("explore", cars, "--public", "--no-browser", "--port", port)
        assert outcome.code == 2
        assert "--port" in outcome.err
        assert run("explore", cars, "--public", "--no-browser", "--port", "99999").code == 2
        for host in ("0.0.0.0", "::"):
            outcome = run("explore", cars, "--public", "--no-browser", "--port=0", "--host", host)
            assert outcome.code == 2
            assert "only this machine reaches" in outcome.err


@needs_matplotlib
class TestView:
    def test_the_numbers_are_those_of_compare(self, run: Run, cars: str) -> None:
        shown = view(Choices(cars, "variance", "price", "0", "100", epsilon="1/2"))
        options = ("--public", "--stat", "variance", "--column", "price", "--bounds", "0", "100")
        found = json.loads(run("compare", cars, *options, "--epsilon", "1/2", "--json").out)
        for row in found["mechanisms"]:
            (error,) = row["errors"]
            (line,) = re.findall(rf'"row">{re.escape(row["mechanism"])}(?: .default.)?<.*?</tr>',
                                 shown.html.replace("&quot;", '"'))  # fmt: skip
            cells = re.findall(r"<td>\*?([^<]*)</td>", line)
            assert (cells[1] == "-") == (error is None)
            assert error is None or float(cells[1]) == pytest.approx(error, rel=0.005)

    @pytest.mark.share(1 / 3)
    @pytest.mark.parametrize("stat", ["count", "quantile", "standard-deviation"])
    def test_the_code_runs(
        self, cars: str, stat: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shown = view(Choices(cars, stat, "price", "0", "100", epsilon="2", q="0.9"))
        assert shown.code is not None
        Path(cars).rename(tmp_path / "private.csv")
        monkeypatch.chdir(tmp_path)
        names: dict[str, Any] = {}
        exec(shown.code, names)
        record = json.loads(names["r"].to_json())
        assert record["value"] is not None
        assert 'epsilon="2"' in shown.code

    def test_the_code_is_of_the_mechanism_that_was_chosen(self, cars: str) -> None:
        choices = partial(Choices, cars, "median", "price", "0", "100")
        shown = view(choices(mechanism="InverseSensitivity()"))
        assert "mechanism=ln.InverseSensitivity()" in (shown.code or "")
        assert "Law of the answer of InverseSensitivity()" in shown.html
        assert BEST not in MECHANISMS

    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"low": ""}, "bounds"),
            ({"low": "", "high": ""}, "from public knowledge"),
            ({"low": "100", "high": "0"}, "LOWER"),
            ({"epsilon": "0"}, "epsilon"),
            ({"epsilon": "1,5"}, "epsilon"),
            ({"missing": "maybe"}, "missing"),
            ({"statistic": "quantile"}, "q is missing"),
            ({"column": "<i>no</i>"}, "&lt;i&gt;no"),
        ],
    )
    def test_a_refusal_is_shown_with_its_cure(
        self, cars: str, changed: dict[str, Any], message: str
    ) -> None:
        given: dict[str, Any] = {"statistic": "median", "column": "price", "low": "0"}
        shown = view(Choices(cars, **{**given, "high": "100", **changed}))
        assert shown.code is None
        assert 'role="alert"' in shown.html
        assert message in shown.html
        assert "<img" not in shown.html

    @pytest.mark.share(1 / 3)
    @pytest.mark.parametrize(
        ("stat", "rows", "by", "pictures"),
        [
            ("variance", "0\n" * 9, BEST, 3),  # which finds limits, so it has no law to draw
            ("variance", "0\n" * 9, "TightOrLoose()", 4),
            ("mean", "", "LaplaceRatio()", 4),
            ("mean", "", "PrivateLimits()", 3),
        ],
    )
    def test_a_column_that_is_all_zeros_or_empty_is_shown(
        self, tmp_path: Path, stat: Any, rows: str, by: str, pictures: int
    ) -> None:
        file = tmp_path / "t.csv"
        file.write_text(f"price\n{rows}", encoding="utf-8")
        shown = view(Choices(str(file), stat, "price", "0", "1e6", mechanism=by))
        assert shown.html.count("<img") == pictures
        assert ("which has no law alone" in shown.html) == (pictures == 3)

    @pytest.mark.nightly
    @pytest.mark.parametrize("relation", ["replace-one", "add-remove"])
    @pytest.mark.parametrize("epsilon", ["0.000000001", "1000000"])
    def test_an_epsilon_of_any_size_is_shown(self, cars: str, epsilon: str, relation: Any) -> None:
        shown = view(
            Choices(cars, "variance", "price", "0", "9000", epsilon=epsilon, relation=relation)
        )
        assert "too large for a float" not in shown.html
        assert shown.code is not None

    def test_the_relation_that_holds_is_explained(self, tmp_path: Path) -> None:
        file = tmp_path / "gaps.csv"
        file.write_text("price,size\n1,2\n,2\n3.5,2\n", encoding="utf-8")
        assert "edit, not replace-one" in view(Choices(str(file), "median", "price", "0", "9")).html
        declared = Choices(str(file), "median", "price", "0", "9", missing="0")
        assert "not replace-one" not in view(declared).html

    @pytest.mark.parametrize(("low", "high", "told"), [("1", "", "upper"), ("", "9", "lower")])
    def test_one_bound_alone_is_refused(self, cars: str, low: str, high: str, told: str) -> None:
        assert f"the {told} bound too" in view(Choices(cars, "median", "price", low, high)).html

    def test_production_refuses(self, cars: str, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("LEASTNOISE_PRODUCTION", "1")
        with pytest.raises(ln.errors.ProductionError):
            view(Choices(cars, "median", "price", "0", "100"))


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the page, served by the command itself until it is interrupted."""
    for library in ("marimo", "matplotlib"):
        optional(library)
    file = written(tmp_path_factory.mktemp("explore"))
    command = [sys.executable, "-m", "leastnoise", "explore", file, "--public"]
    with subprocess.Popen(
        [*command, "--no-browser", "--port", "0"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env={k: v for k, v in os.environ.items() if k != "LEASTNOISE_PRODUCTION"}
        | {"PYTHONUNBUFFERED": "1", "COLUMNS": "80"},
    ) as page:
        assert page.stdout is not None
        address = re.search(r"http://\S+:\d+", page.stdout.readline())
        assert address, page.communicate()[1]
        yield address[0]
        page.send_signal(signal.SIGINT)
        assert page.wait(30) == 0
        assert page.stderr is not None
        assert page.stderr.read() == ""
    with pytest.raises(OSError):  # nobody listens any more
        urllib.request.urlopen(address[0], timeout=5)


@pytest.fixture(scope="module")
def browser(served: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with chromium(tmp_path_factory.mktemp("profile")) as driver:
        resize(driver, 390)
        driver.get(served)
        yield driver


def wait(browser: Any, script: str) -> Any:
    """What the script returns as soon as that is something."""
    from selenium.webdriver.support.wait import WebDriverWait

    return WebDriverWait(browser, 60, poll_frequency=0.2).until(
        lambda driver: driver.execute_script(f"return {script}")
    )


FOCUSED = """(() => {
    let e = document.activeElement;
    while (e && e.shadowRoot && e.shadowRoot.activeElement) e = e.shadowRoot.activeElement;
    return e && (e.labels && e.labels[0] ? e.labels[0].innerText : e.innerText);
})()"""


def tab_to(browser: Any, label: str) -> Any:
    """Press Tab until the field of this label has the focus."""
    from selenium.webdriver.common.action_chains import ActionChains
    from selenium.webdriver.common.keys import Keys

    for _ in range(20):
        ActionChains(browser).send_keys(Keys.TAB).perform()
        if label in (browser.execute_script(f"return {FOCUSED}") or ""):
            return ActionChains(browser)
    raise AssertionError(f"Tab does not reach {label}")


def test_the_page(served: str, browser: Any) -> None:
    """By keyboard alone on a phone: bounds are asked for, then everything is shown."""
    from selenium.webdriver.common.keys import Keys

    assert "bounds are missing" in wait(
        browser, "document.querySelector('[role=alert]')?.innerText"
    )
    assert "NOT PRIVATE" in browser.execute_script("return document.body.innerText")
    assert violations(browser) == []
    tab_to(browser, "Lower bound").send_keys("0").perform()
    tab_to(browser, "Upper bound").send_keys("100", Keys.TAB).perform()
    code = wait(browser, "document.querySelector('main pre')?.innerText")
    assert "ln.Median(" in code
    assert "bounds=(0, 100)" in code
    for width in (390, 1280):
        resize(browser, width)
        assert browser.execute_script("return document.documentElement.scrollWidth") <= width
        wide = (
            "return [...document.querySelectorAll('main > *, main img')].filter(e => "
            "e.getBoundingClientRect().right > window.innerWidth + 0.5).length"
        )
        assert browser.execute_script(wide) == 0
        assert browser.execute_script("return document.querySelectorAll('main img').length") == 4
        assert violations(browser) == []
        if folder := os.environ.get("LEASTNOISE_SCREENSHOTS"):
            height = browser.execute_script("return document.querySelector('main').scrollHeight")
            resize(browser, width, height + 900)
            browser.save_screenshot(str(Path(folder) / f"explore-{width}.png"))
    tab_to(browser, "Order of a quantile")  # the focus goes on to later fields, and round
    tab_to(browser, "Lower bound").send_keys("x", Keys.TAB).perform()
    assert wait(browser, "document.querySelector('[role=alert]')?.innerText")
    logged = [entry for entry in browser.get_log("browser") if entry["level"] == "SEVERE"]
    assert logged == []
    asked = browser.execute_script("return performance.getEntries().map(e => e.name)")
    assert [a for a in asked if a.startswith("http") and not a.startswith(served)] == []
