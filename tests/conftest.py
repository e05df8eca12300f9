"""What all tests share."""

import re
from importlib import metadata
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import settings

# No test is timed: how long an example takes is the machine's affair.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

SPARK_SHARE, SPARK_ALWAYS = 4, {"test_row_locality.py"}

ROOT = Path(__file__).resolve().parents[1]
SHARED_DATA = ROOT.parent / "shared" / "data"


def pytest_configure(config: pytest.Config) -> None:
    try:
        spark = metadata.version("pyspark")
    except metadata.PackageNotFoundError:
        return
    if spark.startswith("4.0."):
        # Reason: it leaves the sockets of its answers to the garbage collector, and says so.
        config.addinivalue_line("filterwarnings", "ignore:unclosed <socket:ResourceWarning")


@pytest.hookimpl(tryfirst=True)  # before -m selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if "shared_data" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.shared)
        # Reason: Spark takes seconds where the others take milliseconds, and runs expressions that
        # DuckDB and Polars run as well. A share of its tests runs with every change, all at night.
        kind = item.name.partition("[")[2]
        chosen = item.path.name in SPARK_ALWAYS or not crc32(item.name.encode()) % SPARK_SHARE
        if "spark" in re.split(r"[^a-z]", kind) and not chosen:
            item.add_marker(pytest.mark.nightly)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real data beside the repository, which is no part of the project."""
    if not SHARED_DATA.is_dir():
        # Reason: the data may not be redistributed with the project, so a clone can be without it.
        pytest.skip("the data folder ../shared/data is not beside the repository")
    return SHARED_DATA
