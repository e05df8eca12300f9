"""A text file as pieces of text, read from its start as often as columns are asked for.

Bytes that the encoding does not know become replacement characters, so they make a field missing
and never an error. A file that changes while its columns are read is refused: one column would be
of another table than the next.
"""

from __future__ import annotations

import codecs
import gzip
import os
import zlib
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from leastnoise.errors import SchemaError
from leastnoise.frames.readers.fields import PIECE
from leastnoise.frames.table import raise_alone

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator
    from pathlib import Path

# Encodings that are told by a byte order mark, and what is read where there is none.
_MARKED = {
    "utf-16": ((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE), "utf-16-le"),
    "utf-32": ((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE), "utf-32-le"),
}


class TextFile:
    """NOT PRIVATE: the text of a file, gzipped if its name ends in ``.gz``.

    Parameters
    ----------
    path
        The file.
    encoding
        A name of ``text_format.ENCODINGS``.
    marked
        Whether a byte order mark that the encoding asks for must be there. It must not be where
        the text begins with a row.
    """

    __slots__ = ("_encoding", "_marked", "_state", "path")

    def __init__(self, path: Path, encoding: str, *, marked: bool) -> None:
        self.path, self._encoding, self._marked = path, encoding, marked
        self._state: tuple[int, int] | None = None  # size and time of the first reading

    @contextmanager
    def pieces(self) -> Generator[Iterator[str]]:
        """The text in pieces, without a byte order mark.

        Raises
        ------
        SchemaError
            If the file has gone, has changed, is damaged or cannot be read; nothing is quoted.
        """
        path = self.path
        try:
            with ExitStack() as stack:
                raw: Any = stack.enter_context(path.open("rb"))
                self._check(raw.fileno())
                stream = raw
                if path.name.lower().endswith(".gz"):
                    stream = stack.enter_context(gzip.GzipFile(fileobj=raw, mode="rb"))
                yield self._decoded(raw.fileno(), stream)
        except FileNotFoundError:
            raise SchemaError(f"there is no file {str(path)!r}") from None
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise_alone(SchemaError(f"{path} is no complete gzip file; fetch or pack it again"))
        except OSError as error:
            raise SchemaError(f"{path} cannot be read: {error.strerror}") from None

    def _decoded(self, number: int, stream: Any) -> Iterator[str]:
        first: bytes = stream.read(PIECE)
        encoding = self._encoding
        marks, unmarked = _MARKED.get(encoding, ((), ""))
        if first and marks and not first.startswith(marks):
            if self._marked:
                raise SchemaError(
                    f"{self.path} is not in the encoding {encoding!r}; give encoding=, which is "
                    f"{unmarked!r} or the like where only the byte order mark is missing"
                )
            encoding = unmarked
        decoder = codecs.getincrementaldecoder(encoding)("replace")
        mark, data = "\ufeff", first
        while data:
            piece = decoder.decode(data)
            if piece:
                yield piece.removeprefix(mark)
                mark = ""
            data = stream.read(PIECE)
        yield decoder.decode(b"", final=True)
        self._check(number)

    def _check(self, number: int) -> None:
        """Refuse a file that has changed."""
        found = os.fstat(number)
        state = (found.st_size, found.st_mtime_ns)
        if self._state is None:
            self._state = state
        if state != self._state:
            raise SchemaError(
                f"{self.path} has changed while it was read; give a file that nobody writes to"
            )
