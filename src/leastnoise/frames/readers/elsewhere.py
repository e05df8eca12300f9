"""How other libraries call what is said about files, and what to write here."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from typing import NoReturn

from leastnoise.errors import ParameterError
from leastnoise.frames.readers.options import OPTIONS

# What has another name there.
_CALLED = {
    "sep": "separator",
    "delim": "separator",
    "delimiter": "separator",
    "skip": "skip_rows",
    "skiprows": "skip_rows",
    "skip_lines": "skip_rows",
    "skip_rows_after_header": "skip_after_header",
    "comment_prefix": "comment",
    "comments": "comment",
    "has_header": "header",
    "newlines_in_values": "multiline",
    "na_values": "missing_values",
    "null_values": "missing_values",
    "nullstr": "missing_values",
    "na": "missing_values",
    "thousand": "thousands",
}
# What others take here, and where it belongs.
_NO_OPTIONS = {
    **dict.fromkeys(("bounds", "q", "bins", "categories"), "it belongs in the statistic, such as "
                    "Median('pay', bounds=(0, 100))"),
    **dict.fromkeys(("column", "columns", "usecols", "col_select", "select"), "name the column in "
                    "the statistic, such as Median('pay', bounds=(0, 100))"),
    **dict.fromkeys(("seed", "random_state", "rng"), "noise that anybody can repeat hides nothing; "
                    "for tests there is leastnoise.testing.simulate(seed)"),
    **dict.fromkeys(("dtype", "dtypes", "converters", "schema", "schema_overrides", "col_types",
                     "infer_schema_length", "low_memory", "all_varchar", "types"),
                    "text files declare no types, and each entry is read as the statistic needs "
                    "it; leave it out"),
    **dict.fromkeys(("parse_dates", "date_format", "dayfirst", "try_parse_dates", "date_parser"),
                    "dates are read as 2024-01-31, where bounds= or a condition are dates; write "
                    "other forms anew, each entry on its own"),
    **dict.fromkeys(("compression", "compress"), "leave it out: gzip is known by the first bytes, "
                    "or by the name .gz where header=False"),
    **dict.fromkeys(("names", "new_columns", "col_names", "column_names", "colnames", "prefix"),
                    "names are those of the file's line of names; without one give header=False "
                    "and ask for column_1, column_2, ..."),
    **dict.fromkeys(("quotechar", "quote_char", "quote", "quoting", "doublequote", "escapechar",
                     "escape_char", "dialect"), 'the quote is " and is doubled inside a field; '
                    "rewrite the file where another is used"),
    **dict.fromkeys(("lineterminator", "eol_char", "newline", "skip_blank_lines",
                     "skipinitialspace", "trim_ws", "strip_whitespace", "delim_whitespace"),
                    "ends of lines and blanks around entries need no option; leave it out, and for "
                    "fields that blanks part give separator=' '"),
    **dict.fromkeys(("sheet_name", "sheet", "sheet_id"), "spreadsheets are not read; save the "
                    "sheet as CSV, or give the frame that pandas.read_excel makes of it"),
    **dict.fromkeys(("index_col", "index", "row_names"), "every column of the file is one; leave "
                    "it out"),
    **dict.fromkeys(("true_values", "false_values", "keep_default_na", "na_filter"), "words for a "
                    "missing entry are declared by missing_values=[...]; yes and no are labels, "
                    "which Histogram(categories=['Y', 'N']) counts"),
    **dict.fromkeys(("on_bad_lines", "error_bad_lines", "ignore_errors", "truncate_ragged_lines",
                     "encoding_errors", "fill"), "leave it out: what cannot be read is missing, "
                    "and no row is an error"),
    **dict.fromkeys(("skipfooter", "skip_footer"), "cut off the lines below the rows, or keep the "
                    "others by a filter, data.where(condition)"),
    **dict.fromkeys(("chunksize", "iterator", "batch_size", "memory_map", "n_threads"), "leave it "
                    "out: for files that do not fit give Parquet and engine='duckdb' or 'polars'"),
    **dict.fromkeys(("eps", "budget", "privacy_budget"), "give epsilon="),
    **dict.fromkeys(("privacy", "privacy_loss"), "give epsilon= to the release"),
    **dict.fromkeys(("accountant", "budget_accountant", "privacy_accountant", "odometer"),
                    "give ledger= and dataset=, which keep account of what is released"),
    "row_privacy": "leave it out: without unit= rows are protected",
    "rho": "give epsilon=, and mechanism=Gaussian(delta='1e-9') for Gaussian noise",
    **dict.fromkeys(("neighboring", "neighbouring", "adjacency", "neighbors"), "give relation=, "
                    "'add-remove' or 'replace-one'"),
    **dict.fromkeys(("privacy_unit", "user_id", "id_column", "privacy_id", "user"), "persons are "
                    "named where the data is opened: leastnoise.open(data, unit='person', "
                    "max_rows=1)"),
    **dict.fromkeys(("max_contributions", "max_contributions_per_partition"), "how many rows of a "
                    "person are used is said where the data is opened: leastnoise.open(data, "
                    "unit='person', max_rows=1)"),
    **dict.fromkeys(("max_partitions_contributed", "max_groups_contributed"), "how many groups a "
                    "person is in is said by group_by(..., max_groups=1)"),
    "delta": "it belongs in the mechanism, such as Gaussian(delta='1e-9')",
    **dict.fromkeys(("nrows", "n_rows", "n_max", "limit", "sample_size"), "which rows count is "
                    "said by a filter, data.where(condition)"),
}  # fmt: skip


def refuse(name: str, others: Iterable[str]) -> NoReturn:
    """Refuse an option that nothing knows, with the nearest name; ``others`` are known elsewhere.

    Raises
    ------
    ParameterError
        Always.
    """
    known = dict(zip(OPTIONS, OPTIONS, strict=True)) | _CALLED | {x: x for x in others}
    near = get_close_matches(name.lower(), known, 1, 0.7)
    hint = f" (did you mean {known[near[0]]}=?)" if near else ""
    hint = f": {_NO_OPTIONS[name]}" if name in _NO_OPTIONS else hint
    raise ParameterError(
        f"there is no parameter {name}={hint}. The options for reading data are "
        f"{', '.join(f'{option}=' for option in OPTIONS)}"
    )
