"""A Chromium without a window, and what readers of every kind need of a page in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from support.optional import optional

BROWSER = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
DRIVER = shutil.which("chromedriver")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars"),
    "--disable-dev-shm-usage",  # containers have little of it
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)


@contextmanager
def chromium(profile: Path) -> Iterator[Any]:
    """A browser with a profile of its own, that asks nobody for anything."""
    if BROWSER is None or DRIVER is None:
        # Reason: a browser is no Python package, and a clone may be tested without one.
        pytest.skip(
            "chromium and chromedriver are not installed (Debian: chromium, chromium-driver)"
        )
    webdriver = optional("selenium.webdriver")
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    try:
        yield driver
    finally:
        driver.quit()


def resize(browser: Any, width: int, height: int = 900) -> None:
    """Make the screen as wide as a phone's or a desk's."""
    screen = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)


def axe(browser: Any) -> dict[str, Any]:
    """What axe-core finds on the page."""
    found = find_spec("axe_core_python")
    if found is None or found.submodule_search_locations is None:
        # Reason: it brings axe-core, which is no Python and has no other package.
        pytest.skip("axe-core-python is not installed")
    script = Path(found.submodule_search_locations[0]) / "axe.min.js"
    browser.execute_script(script.read_text(encoding="utf-8"))
    return browser.execute_async_script(
        "const done = arguments[0]; axe.run().then(done, e => done({error: String(e)}))"
    )


def violations(browser: Any) -> list[Any]:
    """The rules that the page breaks, and where; it must have broken none and kept some."""
    result = axe(browser)
    assert "error" not in result
    assert {"color-contrast", "image-alt", "html-has-lang"} & {p["id"] for p in result["passes"]}
    return [(v["id"], [n["target"] for n in v["nodes"]]) for v in result["violations"]]
