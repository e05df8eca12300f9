"""How a file is read: options that all commands with a file share."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any

from cyclopts import Parameter

from leastnoise.cli.names import EngineName
from leastnoise.errors import ParameterError

BLANKS = {"nbsp": "\u00a0", "thin": "\u2009", "narrow": "\u202f"}
"""Blanks between thousands that a shell cannot write well, by the names that they have here."""


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class TextOptions:
    """How a text file is written."""

    separator: Annotated[
        str | None,
        Parameter(help="The separator of a text file, or tab. Default: by the file name."),
    ] = None
    decimal: Annotated[
        str | None, Parameter(help="The decimal separator of a text file. Default: a point.")
    ] = None
    thousands: Annotated[
        str | None,
        Parameter(help="The thousands separator of a text file; nbsp, narrow, thin: such blanks."),
    ] = None
    encoding: Annotated[
        str | None, Parameter(help="The encoding of a text file. Default: utf-8.")
    ] = None
    skip_rows: Annotated[
        str | None,
        Parameter(help="How many lines of a text file precede the names, such as a title."),
    ] = None
    skip_after_header: Annotated[
        str | None,
        Parameter(help="How many lines below the names of a text file are no rows, such as units."),
    ] = None
    comment: Annotated[
        str | None,
        Parameter(
            help="What comment lines start with, such as #. The number of rows is then private."
        ),
    ] = None
    missing_value: Annotated[
        list[str] | None,
        Parameter(
            help="A text or number that stands for a missing entry, instead of the usual ones such "
            "as NA; may repeat."
        ),
    ] = None
    no_multiline: Annotated[
        bool,
        Parameter(
            help="Every line of a text file is one row, whatever quotes it contains: no field "
            "spans lines.",
            show_default=False,
        ),
    ] = False
    no_header: Annotated[
        bool,
        Parameter(
            help="The first line is data; columns are then column_1, column_2, ...",
            show_default=False,
        ),
    ] = False

    def given(self) -> dict[str, Any]:
        """The given options, as keywords of ``leastnoise.open``."""
        found: dict[str, Any] = {
            each.name: value
            for each in fields(self)
            if not each.name.startswith("no_") and (value := getattr(self, each.name)) is not None
        }
        if self.thousands is not None:
            found["thousands"] = BLANKS.get(self.thousands, self.thousands)
        for name in ("skip_rows", "skip_after_header"):
            lines = found.get(name)
            if lines is None:
                continue
            if not (lines.isascii() and lines.isdigit()):
                option = name.replace("_", "-")
                raise ParameterError(f"--{option} must be a whole number of lines, got {lines!r}")
            found[name] = int(lines)
        if self.missing_value is not None:
            found["missing_values"] = found.pop("missing_value")
        flags = {"header": self.no_header, "multiline": self.no_multiline}
        return found | {name: False for name, absent in flags.items() if absent}


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class FileOptions(TextOptions):
    """How a file is read."""

    engine: Annotated[
        EngineName | None,
        Parameter(
            help="Let duckdb or polars read a Parquet file: its columns then never enter this "
            "process, but for describe, which holds some. duckdb reads .duckdb files too."
        ),
    ] = None
    source: Annotated[str | None, Parameter(help="The table of a database file.")] = None


PLAIN_TEXT, PLAIN_FILE = TextOptions(), FileOptions()
