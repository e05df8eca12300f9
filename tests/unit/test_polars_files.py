"""The columns at which Polars panics are told by the footer's schema, whatever is installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from leastnoise.errors import SchemaError
from leastnoise.frames.readers.polars_files import check_polars, intervals
from support.optional import optional

# An entry whose bytes are those of such a column in a schema: statistics of a footer hold it.
_LIKE_A_SCHEMA = b"\x15\x0e\x15\x18\x15\x02\x18\x02iv%\x2a\x00".decode()


def _file(path: Path, columns: str) -> Path:
    optional("duckdb").sql(f"COPY (SELECT {columns} FROM range(9) t(i)) TO '{path}'")
    return path


def test_intervals_are_found_by_the_schema_alone(tmp_path: Path) -> None:
    plain = (
        f"i, '{_LIKE_A_SCHEMA}' AS t, [1, 2] AS l, {{'a': 1.5::DECIMAL(9, 2)}} AS s, true AS b, "
        "DATE '2020-01-01' AS d, TIMESTAMPTZ '2020-01-01' AS at, map([1], [2]) AS m, "
        + ", ".join(f"i AS c{k}" for k in range(20))  # a list of more than 14 is written otherwise
    )
    assert intervals(_file(tmp_path / "plain.parquet", plain)) == []
    held = _file(tmp_path / "held.parquet", f"{plain}, INTERVAL (i) HOUR AS iv")
    assert intervals(held) == ["iv"]
    with pytest.raises(SchemaError, match=r"held.parquet: column 'iv' is an INTERVAL"):
        check_polars([tmp_path / "plain.parquet", held])
    pq = optional("pyarrow.parquet")
    schema = pq.ParquetFile(held).schema
    kinds = [schema.column(i).converted_type for i in range(len(schema))]
    assert kinds.count("INTERVAL") == 1


def test_what_is_no_parquet_file_is_told_of_elsewhere(tmp_path: Path) -> None:
    whole = _file(tmp_path / "held.parquet", "INTERVAL (i) HOUR AS iv").read_bytes()
    torn = whole[:-8] + b"\xff\xff\xff\x00PAR1"
    for i, data in enumerate((b"", b"PAR1", whole[:-1], whole[-12:], torn)):
        path = tmp_path / f"{i}.parquet"
        path.write_bytes(data)
        check_polars([path])


def test_a_footer_with_any_byte_changed_is_passed_over(tmp_path: Path) -> None:
    """Whoever opens the file tells of the damage: reading its schema never fails."""
    path = tmp_path / "t.parquet"
    optional("polars").DataFrame({"x": [1], "t": ["a"]}).write_parquet(path)
    whole = path.read_bytes()
    size = int.from_bytes(whole[-8:-4], "little") + 8
    start = len(whole) - size
    for place in [*range(start, start + 60), *range(len(whole) - 8, len(whole))]:
        for byte in (0, 0xFF):
            changed = bytearray(whole)
            changed[place] = byte
            path.write_bytes(bytes(changed))
            check_polars([path])
