"""How a text file is written: public parameters, checked before the file is opened."""

from __future__ import annotations

import codecs
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from leastnoise.errors import ParameterError, ParameterTypeError
from leastnoise.frames.readers.values import Dialect

if TYPE_CHECKING:
    from pathlib import Path

SEPARATORS = {".csv": ",", ".txt": ",", ".tsv": "\t", ".tab": "\t"}
"""The separator of each file name extension, before any ``.gz``."""

# Encodings whose order of bytes is told by the mark that a file begins with.
MARKED = {
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
}

_WRITTEN = {"\\t": "\t", "tab": "\t"}  # as typed on a command line

# Codecs that raise, or warn, on bytes they cannot decode, whatever the error handler.
_STRICT_CODECS = frozenset(
    {"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"}
)
# Codecs with shifts: bytes in one field decide how those after it are read.
_SHIFTED = ("utf-7", "hz", "iso2022")


@dataclass(frozen=True, slots=True)
class TextFormat:
    r"""How a text file is written.

    Parameters
    ----------
    separator
        One character, ``"\\t"`` or ``"tab"``; None takes it from the file name extension (a tab
        for .tsv, else a comma).
    encoding
        The name of a text encoding of Python. A byte order mark is no part of the first name; one
        that tells the order of bytes must stand above a line that is not a row.
    header
        Whether the first line that counts holds the names. Without, the columns are column_1,
        column_2, ..., as many as are asked for; a record too short to have one is missing there.
    skip_rows
        How many lines at the top of the file do not count, such as titles: lines as an editor shows
        them, blank ones included, whatever quotes they hold.
    skip_after_header
        How many lines below the names do not count either, such as units: lines as an editor shows
        them.
    comment
        A record that starts with this text is not a row.
    multiline
        Whether a quoted field may hold line ends. Else every line is one row, whatever it holds.
    dialect
        How numbers are written.

    Raises
    ------
    ParameterTypeError, ParameterError
        If a parameter is of the wrong type or outside its domain.
    """

    separator: str | None = None
    encoding: str = "utf-8"
    header: bool = True
    skip_rows: int = 0
    skip_after_header: int = 0
    comment: str | None = None
    multiline: bool = True
    dialect: Dialect = field(default_factory=Dialect)

    def __post_init__(self) -> None:
        """Check every parameter, and write separator and encoding in one way."""
        object.__setattr__(self, "separator", _separator(self.separator))
        object.__setattr__(self, "encoding", _encoding(self.encoding))
        for name, flag in (("header", self.header), ("multiline", self.multiline)):
            if not isinstance(flag, bool):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
                raise ParameterTypeError(f"{name} must be True or False, not {type(flag).__name__}")
        _check_lines(self.skip_rows, "skip_rows")
        _check_lines(self.skip_after_header, "skip_after_header")
        if self.skip_after_header and not self.header:
            raise ParameterError(
                "skip_after_header= is for files with a line of names; without one, use "
                "skip_rows= to leave out the lines above the rows"
            )
        _check_comment(self.comment, self.separator)
        if self.encoding in MARKED and not self.header and not self.skip_rows:
            raise ParameterError(
                f"encoding {self.encoding!r} takes its byte order from the start of the file, "
                f"which belongs to a row without a header; give '{self.encoding}-le' or "
                f"'{self.encoding}-be'"
            )

    def of(self, path: Path) -> TextFormat:
        """The same with the separator that the file name tells, if none was given."""
        if self.separator is not None:
            return self
        from pathlib import Path

        kind = Path(path.name.lower().removesuffix(".gz")).suffix
        return replace(self, separator=SEPARATORS.get(kind, ","))


def _separator(separator: str | None) -> str | None:
    if separator is None:
        return None
    if not isinstance(separator, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise ParameterTypeError(f"separator must be text, not {type(separator).__name__}")
    sign = _WRITTEN.get(separator.lower(), separator)
    if len(sign) != 1 or sign in '"\r\n\0':
        raise ParameterError(
            "separator must be one character such as ',' or ';', or 'tab' for a tab, not "
            f"{separator!r}"
        )
    return sign


def _encoding(encoding: str) -> str:
    if not isinstance(encoding, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise ParameterTypeError(f"encoding must be text, not {type(encoding).__name__}")
    try:
        name = codecs.lookup(encoding).name
        "".encode(name)
    except (LookupError, ValueError):
        name = "undefined"
    from importlib.util import find_spec

    own = find_spec(f"encodings.{name.replace('-', '_').replace('.', '_')}") is not None
    if name in _STRICT_CODECS or not own:  # what a codec of somebody's own does nobody knows
        raise ParameterError(
            f"encoding {encoding!r} is not a text encoding; common ones are 'utf-8', 'latin-1', "
            "'cp1252' and 'utf-16'"
        )
    if name.startswith(_SHIFTED):
        raise ParameterError(
            f"encoding {encoding!r} is stateful: bytes of one row may decide how others are read;"
            " write the file in UTF-8 first"
        )
    return "utf-8-sig" if name == "utf-8" else name


def _check_lines(lines: int, name: str) -> None:
    if isinstance(lines, bool) or not isinstance(lines, int):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise ParameterTypeError(
            f"{name} must be a whole number of lines, not {type(lines).__name__}"
        )
    if lines < 0:
        raise ParameterError(f"{name} must be 0 or more lines, got {lines}")


def _check_comment(comment: str | None, separator: str | None) -> None:
    if comment is None:
        return
    if not isinstance(comment, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise ParameterTypeError(f"comment must be text, not {type(comment).__name__}")
    # the separator that a file name tells is a comma or a tab
    signs = ",\t" if separator is None else separator
    if not comment.strip() or set(comment) & set('"\r\n\0' + signs):
        raise ParameterError(
            "comment must be the text that such lines start with, like '#' or '//', without "
            f"quotes, line ends and the separator, not {comment!r}"
        )
