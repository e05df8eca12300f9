"""What all tests share."""

import re
from collections import defaultdict
from importlib import metadata
from math import ceil
from pathlib import Path
from zlib import crc32

import pytest
from hypothesis import settings

# No test is timed: how long an example takes is the machine's affair.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

# Of the tests of a function with Spark for a parameter so many run with every change, at least one.
SPARK_SHARE = 1 / 16

# Cells of a matrix that take ten seconds and more, where cheaper ones of the same function and of
# the same code run with every change.
AT_NIGHT = frozenset(
    {
        *(
            f"test_matrix[{case}]"
            for case in (
                *("confusion matrix", "table of two columns", "two quantiles"),
                "mean squared error without limit",
            )
        ),
        "test_matrix_of_searches[many quantiles]",
        # test_regression_limits.py and test_private_limits.py have the laws under every relation.
        "test_matrix_of_searches[limits of columns and a moment]",
        "test_matrix_of_searches[far limits and a sum]",
        *(
            f"test_no_row_decides_how_another_is_read[{front}]"
            for front in (
                *("duckdb_parquet_of_duckdb", "duckdb_parquet_of_small_row_groups"),
                *("duckdb_parquet_of_pyarrow", "polars_parquet_of_small_row_groups"),
                "duckdb_several_files",
                "csv_without_a_last_line_end",
            )
        ),
        "test_every_record_difference_lies_in_every_ball[sdp]",
        "test_every_difference_of_two_records_is_in_the_ball[groups0-sdp]",
        "test_large_groups_of_indicators_under_every_relation[edit]",
        "test_draws_are_uniform_and_noise_follows_its_law[2]",
        "test_dates_in_a_value_are_those_of_a_filter[duckdb]",
        "test_declared_limits_decide_alike_in_every_front_end[duckdb]",
        *(
            f"test_releases_are_those_of_memory[{case}]"
            for case in (
                *("duckdb-weights of integers", "duckdb-weights of few values"),
                *("duckdb-weights, outside", "duckdb-many quantiles of integers"),
                *("duckdb-many quantiles beyond the type", "spark-many quantiles"),
                "spark-trimmed far off",
            )
        ),
    }
)

# Functions that Spark runs at night alone: it takes four seconds and more for each, and with every
# change runs the same requests by the functions beside them.
SPARK_AT_NIGHT = frozenset(
    {
        "test_a_column_without_entries_is_all_missing",
        "test_columns_behind_a_repeated_name_are_their_own",
        "test_columns_that_nothing_reads_cost_nothing",
        "test_dates_in_a_value_are_those_of_a_filter",
        "test_every_front_end_gives_the_plain_number",
        "test_declared_limits_decide_alike_in_every_front_end",
        "test_groups_and_persons",
        "test_groups_that_are_all_empty",
        "test_hostile_names_are_names",
        "test_intervals_beside_a_value_are_the_same",
        "test_intervals_see_the_same_counts",
        "test_losses_without_bounds_read_both_columns_at_once",
        "test_number_labels_and_bins_are_the_same_in_every_front_end",
        "test_numbers_are_counted_on_both_sides_of_a_cut",
        "test_persons_are_limited_by_their_own_rows_alone",
        "test_persons_beyond_limits",
        "test_persons_of_keys",
        "test_persons_with_wide_numbers_are_not_one",
        "test_rows_of_no_key_are_one_more_group",
        "test_summaries_of_groups",
        "test_text_that_is_no_utf8",
    }
)

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


def names_spark(text: str) -> bool:
    return "spark" in re.split(r"[^a-z]", text)


@pytest.hookimpl(tryfirst=True)  # before -m selects
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    families: defaultdict[tuple[str, float], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if "shared_data" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.shared)
        function, _, parameters = item.nodeid.partition("[")
        if item.name in AT_NIGHT:
            item.add_marker(pytest.mark.nightly)
        share = item.get_closest_marker("share")
        if share is not None:
            families[function, share.args[0]].append(item)
        # Reason: Spark takes seconds where the others take milliseconds, and runs expressions that
        # DuckDB and Polars run as well.
        elif names_spark(parameters):
            families[function, SPARK_SHARE].append(item)
            if function.rpartition("::")[2] in SPARK_AT_NIGHT:
                item.add_marker(pytest.mark.nightly)
    for (_, share), family in families.items():
        family.sort(key=lambda item: crc32(item.name.encode()))
        for item in family[ceil(len(family) * share) :]:
            item.add_marker(pytest.mark.nightly)
    # First, and so by one worker: it takes Spark long to start, and to become fast.
    items.sort(key=lambda item: not names_spark(item.name))


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """Return the folder of real data beside the repository, which is no part of the project."""
    if not SHARED_DATA.is_dir():
        # Reason: the data may not be redistributed with the project, so a clone can be without it.
        pytest.skip("the data folder ../shared/data is not beside the repository")
    return SHARED_DATA
