"""``leastnoise inspect``: the names and declared types of a file's columns, and no value."""

from __future__ import annotations

from typing import Annotated

from cyclopts import Parameter

from leastnoise.cli import show


def inspect(
    file: str,
    /,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    no_header: Annotated[bool, Parameter(show_default=False)] = False,
    as_json: Annotated[bool, Parameter(name="--json", show_default=False)] = False,
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
    separator
        The separator of a text file. Default: by the file name.
    encoding
        The encoding of a text file. Default: utf-8.
    no_header
        The first line is data; columns are then column_1, column_2, ...
    as_json
        Print a JSON list and nothing else.
    """
    from leastnoise.frames import open_table
    from leastnoise.frames.describe import describe

    encoding = "utf-8" if encoding is None else encoding
    columns = describe(
        open_table(file, separator=separator, encoding=encoding, header=not no_header)
    )
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
