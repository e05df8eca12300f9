"""What can be refused about how data is read before anything is opened: options and formats."""

from __future__ import annotations

import codecs
import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, NoReturn

from leastnoise.errors import (
    DataFileError,
    MissingDependencyError,
    ParameterError,
    ParameterTypeError,
    quoted,
)
from leastnoise.foreign import is_list_or_tuple
from leastnoise.frames.readers.no_tables import no_path, reader_of
from leastnoise.frames.readers.values import Dialect
from leastnoise.frames.table import NO_FILES, class_name

if TYPE_CHECKING:
    from pathlib import Path


OPTIONS = (
    *("separator", "decimal", "thousands", "encoding", "header", "skip_rows"),
    *("skip_after_header", "comment", "multiline", "missing_values", "engine", "source"),
)
"""How data is read: the keywords of ``open_table``; ``readers/elsewhere.py`` knows what other
libraries call them.
"""

PARQUET = frozenset({".parquet", ".pq"})
DATABASES = frozenset({".duckdb", ".ddb", ".db"})
EDGES = frozenset({".txt", ".edges", ".edgelist", ".el"})
"""Text files whose fields blanks separate, as collections of graphs are published."""

_LINE_OF_NAMES = (
    ": header=False for a file without a line of names; lines above the names are skip_rows="
)
_PACKED = frozenset({".zip", ".bz2", ".xz", ".zst", ".7z", ".tar", ".tgz"})
_ENGINES = ("duckdb", "polars")


def check_options(names: Iterable[str], others: Iterable[str] = ()) -> None:
    """Refuse options that nothing knows; ``others`` are known elsewhere.

    Raises
    ------
    ParameterError
        If a name is not in `OPTIONS`.
    """
    for name in names:
        if name not in OPTIONS:
            from leastnoise.frames.readers.elsewhere import refuse  # only for an error

            refuse(name, others)


def check_path(data: str | os.PathLike[str]) -> Path:
    """The path of a file that is there.

    Raises
    ------
    ParameterTypeError
        If the path is bytes.
    DataFileError
        If there is no such file.
    """
    text = os.fspath(data)
    if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        raise ParameterTypeError("a path must be text, not bytes; decode it with os.fsdecode")
    from pathlib import Path

    path = Path(text)
    try:
        if path.is_file():
            return path
        folder = bool(text) and path.is_dir()
    except (OSError, ValueError):  # a name that no file can have
        folder = False
    if folder:
        raise DataFileError(
            f"data is the path of one file, and {_shown(text)} is a folder; give one of its files, "
            f"or as one table all that match a pattern, {_shown(f'{text}/*.csv')}"
        )
    if (why := no_path(text)) is not None:
        raise DataFileError(f"data is the path of one file: there is no file {_shown(text)}, {why}")
    if text and _exists(path):
        raise DataFileError(
            f"{_shown(text)} is a pipe or a device, and data is read once for every column; write "
            "it to a file first"
        )
    raise DataFileError(
        f"data that is text is the path of a file, and there is no file {_shown(text)}; give one "
        "that exists, or a list or frame for data in memory"
    )


def paths_of(data: str | os.PathLike[str]) -> tuple[Path, ...]:
    """The files of a path: one, or all that a pattern such as ``pay/*.parquet`` matches, by name.

    Raises
    ------
    ParameterTypeError, DataFileError
        As `check_path`, or if the files that a pattern matches are of several formats.
    """
    text = os.fspath(data)
    if not is_pattern(text):
        return (check_path(data),)
    from glob import glob
    from pathlib import Path

    found = tuple(Path(one) for one in sorted(glob(text, recursive=True)) if Path(one).is_file())
    if not found:
        raise DataFileError(
            f"there is no file that the pattern {_shown(text)} matches; give another"
        )
    formats = {suffix_of(path) for path in found}
    if len(formats) > 1:
        raise DataFileError(
            f"the files that {_shown(text)} matches are of several formats, "
            f"{', '.join(sorted(formats))}: give a pattern of one of them"
        )
    return found


def is_pattern(text: object) -> bool:
    """Whether a path is a pattern of names, and not the name of a file that is there."""
    from pathlib import Path

    return (
        isinstance(text, str)
        and bool(set(text) & set("*?["))
        and "\n" not in text
        and (no_path(text) is None and not _exists(Path(text)))
    )


def _exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _shown(text: str) -> str:
    """A path; not what may be the content of a file that was given in its place."""
    return repr(text) if text.isprintable() and len(text) <= 500 else "of such a name"


def suffix_of(path: Path) -> str:
    """The extension that tells the format, in small letters and without ``.gz``."""
    from pathlib import Path

    return Path(path.name.lower().removesuffix(".gz")).suffix


def check_file(path: Path, written: TextFormat, engine: object, source: object) -> None:
    """Refuse a file that is not read, or not in this way.

    Raises
    ------
    ParameterError, ParameterTypeError
        If an option is of no use for this file.
    DataFileError
        If the file name tells no format that is read.
    MissingDependencyError
        If the engine is not installed.
    """
    if engine is not None:
        check_engine(path, engine)
        _check_no_text(written, f"engine={engine!r} reads tables with names and types of their own")
        return
    if source is not None:
        raise ParameterError("source= needs engine='duckdb', which reads database files")
    suffix = suffix_of(path)
    if suffix in PARQUET:
        _check_no_text(written, f"{path.name} has names and types of its own")
    elif suffix not in SEPARATORS and written.separator is None:
        raise _unknown_format(path, suffix)


def check_engine(path: Path, engine: object) -> str:
    """The engine, if it is known, installed and reads this kind of file."""
    if not isinstance(engine, str):
        raise ParameterTypeError(f"engine must be text, not {type(engine).__name__}")
    if engine not in _ENGINES:
        raise ParameterError(f"engine must be 'duckdb' or 'polars', got {quoted(engine)}")
    suffix = path.suffix.lower()
    if not (suffix in PARQUET or (suffix in DATABASES and engine == "duckdb")):
        raise ParameterError(
            f"engine={engine!r} reads Parquet files"
            + (" and .duckdb databases" if engine == "duckdb" else "")
            + f", not {path.name}; leave the engine out, or write the data as Parquet first"
        )
    from importlib.util import find_spec

    if find_spec(engine) is None:
        raise MissingDependencyError(
            f"{engine} is not installed; pip install 'leastnoise[{engine}]' brings it", extra=engine
        )
    return engine


def check_engine_marks(missing_values: object) -> None:
    """Refuse missing values of the caller's own for data that an engine holds."""
    if missing_values is not None:
        raise ParameterError(
            "missing_values= is for data that this process reads: an engine knows only the "
            "usual texts for a missing entry; replace others by NULL in its own query"
        )


def refuse_engine() -> NoReturn:
    """Refuse an engine for data that is not a file."""
    raise ParameterError("engine= is for files: data that an engine holds is read by it anyway")


def check_not_a_file(data: object, written: TextFormat, source: object) -> None:
    """Refuse options of files for data that is not a file."""
    if source is not None:
        raise ParameterError("source= names a table of a DuckDB connection or database file")
    if is_list_or_tuple(data):
        _check_no_text(written, f"a {class_name(data)} is one column of entries", f". {NO_FILES}")
    _check_no_text(written, f"{class_name(data)} data has columns already")


def _check_no_text(written: TextFormat, reason: str, hint: str = "") -> None:
    """Refuse options of text files for data that is not one."""
    given = {
        "separator": written.separator is not None,
        "encoding": written.encoding != TextFormat().encoding,
        "skip_rows": written.skip_rows != 0,
        "skip_after_header": written.skip_after_header != 0,
        "comment": written.comment is not None,
        "multiline": not written.multiline,
    }
    for name, is_given in given.items():
        if is_given:
            raise ParameterError(f"{name}= is for text files, and {reason}; leave it out{hint}")


def _unknown_format(path: Path, suffix: str) -> DataFileError:
    if suffix in _PACKED:
        return DataFileError(
            f"{path}: {suffix} files are not read; unpack it, or pack it as .csv.gz"
        )
    if suffix in (".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers"):
        return DataFileError(f"{path}: spreadsheets are not read; save the sheet as CSV")
    if suffix in DATABASES:
        return DataFileError(
            f"{path}: a DuckDB database needs engine='duckdb' and source=, the name of a table"
        )
    if (reader := reader_of(suffix)) is not None:
        return DataFileError(
            f"{path}: {suffix} files are not read; save it as CSV or Parquet, or in Python give "
            f"{reader}"
        )
    return DataFileError(
        f"{path}: the format is told by the file name, and {suffix or 'no extension'!r} is not "
        "known; rename it to .csv, .tsv or .parquet, or give separator= if it is text; a list of "
        "edges that blanks part is .txt or .edges"
    )


SEPARATORS = {".csv": ",", ".txt": ",", ".tsv": "\t", ".tab": "\t"}
"""The separator of each file name extension, before any ``.gz``."""

# Encodings whose order of bytes is told by the mark that a file begins with.
MARKED = {
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
}

_WRITTEN = {"\\t": "\t", "tab": "\t"}  # as typed on a command line
_BYTE = re.compile(r"\\x[0-7][0-9a-f]", re.IGNORECASE)

# Codecs that raise, or warn, on bytes they cannot decode, whatever the error handler.
_STRICT_CODECS = frozenset(
    {"idna", "punycode", "undefined", "unicode-escape", "raw-unicode-escape"}
)
# Codecs with shifts: bytes in one field decide how those after it are read.
_SHIFTED = ("utf-7", "hz", "iso2022")
# Names with and without a mark. The decoder of EUC-KR takes the six bytes after a filler for more
# of it, line ends too; that of cp949, which holds all of EUC-KR, reads it alone.
_READ_AS = {"utf-8": "utf-8-sig", "euc_kr": "cp949"}


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
                raise ParameterTypeError(
                    f"{name} must be True or False, not {type(flag).__name__}"
                    f"{_LINE_OF_NAMES if name == 'header' else ''}"
                )
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

    @classmethod
    def declared(cls, options: Mapping[str, Any]) -> TextFormat:
        """What the keywords of ``open_table`` declare."""
        names = {each.name for each in fields(cls)}
        given = {name: option for name, option in options.items() if name in names}
        return cls(**given, dialect=Dialect.of(options))

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
    if _BYTE.fullmatch(sign):
        sign = chr(int(sign[2:], 16))
    if len(sign) != 1 or sign in '"\r\n\0':
        raise ParameterError(
            "separator must be one character such as ',' or ';', or 'tab' for a tab, not "
            f"{quoted(separator)}"
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
    return _READ_AS.get(name, name)


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
            f"quotes, line ends and the separator, not {quoted(comment)}"
        )
