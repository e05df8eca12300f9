"""``leastnoise inspect``: the names and declared types of a file's columns, and no value."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from leastnoise.cli import show
from leastnoise.cli.reading import PLAIN_FILE, FileOptions


def inspect(
    file: str,
    /,
    *,
    as_json: Annotated[bool, Parameter(name="--json", show_default=False)] = False,
    reading: FileOptions = PLAIN_FILE,
) -> None:
    """Show the names and declared types of the columns of a file. No row is read, nothing spent.

    leastnoise inspect pay.csv

    A text file declares no types: any column of it can be read as numbers or as labels, and what
    is no number counts as missing. The number of rows is not shown, because it may be private. The
    first line counts as the names: of a file without them give --no-header.

    Parameters
    ----------
    file
        A .csv, .tsv, .txt (each also .gz) or .parquet file.
    as_json
        Print a JSON list and nothing else.
    reading
        How the file is read.
    """
    from leastnoise.frames import open_table
    from leastnoise.frames.readers.describe import describe

    columns = describe(open_table(file, **reading.given()))
    if as_json:
        show.json(
            [
                {
                    "name": column.name,
                    "type": column.type,
                    "reads": list(column.reads),
                    "nullable": column.nullable,
                    "trouble": column.trouble,
                }
                for column in columns
            ]
        )
        return
    found = show.table("column", "declared type", "can be read as", "missing values")
    for column in columns:
        found.add_row(
            show.clean(column.name),
            column.type,
            show.clean(" or ".join(column.reads) or column.trouble),
            "" if not column.reads else "possible" if column.nullable else "declared impossible",
        )
    show.write(found)
