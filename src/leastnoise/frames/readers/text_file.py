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
from collections.abc import Generator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from leastnoise.errors import DataFileError, SchemaError
from leastnoise.frames.readers.fields import PIECE
from leastnoise.frames.readers.no_tables import begins_like
from leastnoise.frames.readers.options import MARKED
from leastnoise.frames.table import raise_alone

_GZIP = b"\x1f\x8b"


class TextFile:
    """NOT PRIVATE: the text of a file, gzipped or not.

    Parameters
    ----------
    path
        The file.
    encoding
        The name of a codec, as ``text_format`` writes it. A byte order mark that it asks for must
        be there: a text that begins with a row has another encoding.
    by_content
        Whether the first bytes tell if the file is gzipped, and not its name, or is no text. Where
        the file may begin with a row they are of that row, and the name must tell.
    """

    __slots__ = ("_by_content", "_encoding", "_state", "path")

    def __init__(self, path: Path, encoding: str, *, by_content: bool = True) -> None:
        self.path, self._encoding, self._by_content = path, encoding, by_content
        self._state: tuple[int, int] | None = None  # size and time of the first reading

    @contextmanager
    def pieces(self) -> Generator[Iterator[str]]:
        """The text in pieces, without a byte order mark.

        Raises
        ------
        SchemaError
            If the file has gone, has changed, is damaged, no text or cannot be read; nothing is
            quoted.
        """
        path = self.path
        try:
            with ExitStack() as stack:
                raw: Any = stack.enter_context(path.open("rb"))
                self._check(raw.fileno())
                stream = raw
                if self._packed(raw):
                    stream = stack.enter_context(gzip.GzipFile(fileobj=raw, mode="rb"))
                yield self._decoded(raw.fileno(), stream)
        except FileNotFoundError:
            raise SchemaError(f"there is no file {str(path)!r}") from None
        except (EOFError, zlib.error, gzip.BadGzipFile):
            raise_alone(
                SchemaError(
                    f"{path} is no complete gzip file; fetch or pack it again, or name it without "
                    ".gz if it is plain text"
                )
            )
        except OSError as error:
            raise SchemaError(f"{path} cannot be read: {error.strerror}") from None

    def _packed(self, raw: Any) -> bool:
        if not self._by_content:
            return self.path.name.lower().endswith(".gz")
        first: bytes = raw.read(16)
        raw.seek(0)
        if (told := begins_like(first)) is not None:
            raise DataFileError(f"{self.path} begins like {told[0]}, which is not text: {told[1]}")
        return first.startswith(_GZIP)

    def _decoded(self, number: int, stream: Any) -> Iterator[str]:
        first: bytes = stream.read(PIECE)
        encoding = self._encoding
        if first and encoding in MARKED and not first.startswith(MARKED[encoding]):
            raise SchemaError(
                f"{self.path} is not in the encoding {encoding!r}; give encoding='{encoding}-le' "
                "or the like where only the byte order mark is missing, else the encoding it has"
            )
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
                f"{self.path} changed while it was being read; give a file that is not written to"
            )
