"""NOT PRIVATE. The encoding that a text file seems to have, and what can be read with each."""

from __future__ import annotations

import codecs
import gzip
import re
import unicodedata
import zlib
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from leastnoise.errors import LeastNoiseError
from leastnoise.frames.checks.report import Finding
from leastnoise.frames.readers.encodings import others_than
from leastnoise.frames.readers.options import TextFormat
from leastnoise.frames.readers.text_file import TextFile

_WESTERN = ("cp1252", "iso8859-1")
_CONTROLS = range(128, 160)
# How letters are called that a byte stands for, and the first bytes of common ones of two.
_LETTERS = {
    **dict.fromkeys(("cp1251", "koi8_r"), "CYRILLIC"),
    "cp1253": "GREEK",
    "cp1255": "HEBREW",
    "cp1256": "ARABIC",
}
_LEADS = {
    "shift_jis": ((0x81, 0x83), (0x88, 0x97)),
    "euc_jp": ((0xA4, 0xA5), (0xB0, 0xCF)),
    "gb18030": ((0xB0, 0xD7),),
    "big5": ((0xA4, 0xC6),),
    "euc_kr": ((0xB0, 0xC8),),
}
_MOSTLY = 0.9  # of the words beyond ASCII: are of common letters, in small or capital ones
_LONG = 4  # letters of a word that a western language writes with one of ASCII at least
_CHANCE = 2  # signs that look like a word of another script
_WORD = re.compile(r"[^\s\d,;|\"'()]{2,}")
_ACCENT = re.compile(r"[A-Za-z]{0,20}[^\W\x00-\x7f]\w{0,20}")
_SHOWN = 40
_CENTRAL = re.compile(r"[^\W\d_][¹³¿¯£¼¾][^\W\d_]|\bz³(?!\w)")  # Polish letters, read as cp1252


def check_encoding(path: Path, written: TextFormat) -> Iterator[tuple[Finding, TextFormat]]:
    """What is said where the bytes are of another encoding, with the format that would fix it."""
    encoding = _other(path, written.encoding)
    if encoding is None:
        return
    what = f"bytes are not of the encoding {written.encoding.removesuffix('-sig')!r}"
    if encoding.startswith("utf") or (
        encoding != written.encoding and _fits(path, encoding) and _is_western(path, encoding)
    ):
        cure = f"give encoding={encoding!r}, or the one that the file has"
        read = _first_word(path, encoding)
        cure += f" (with this one {read!r} is read)" if read else ""
        yield (
            Finding("", what, cure, {"encoding": encoding}),
            replace(written, encoding=encoding),
        )
        return
    readings = dict(_readings(path))
    if not readings:
        yield Finding("", what, others_than(written.encoding.removesuffix("-sig"))), written
        return
    shown = ", ".join(f"{word!r} with {name!r}" for name, word in readings.items())
    first = next(iter(readings))
    sure = len(readings) == 1
    yield (
        Finding(
            "",
            what,
            f"give encoding={first!r} (with this one {readings[first]!r} is read)"
            if sure
            else f"give the encoding= that reads what was written: {shown}",
            {"encoding": first} if sure else {},
        ),
        replace(written, encoding=first),
    )


def _other(path: Path, given: str) -> str | None:
    """Another encoding, where the bytes are not of this one."""
    with path.open("rb") as file:
        mark = file.read(4)
    if mark.startswith(b"\x1f\x8b"):
        with suppress(OSError, EOFError, zlib.error), gzip.open(path) as packed:
            mark = packed.read(4)
    if mark.startswith((b"\xff\xfe", b"\xfe\xff")):
        return None if given.startswith("utf-16") else "utf-16"
    if b"\0" in mark and mark[:2] != b"\x1f\x8b" and not given.startswith(("utf-16", "utf-32")):
        return "utf-16-be" if mark.startswith(b"\0") else "utf-16-le"
    if _fits(path, given) and (given not in _WESTERN or _is_western(path, given)):
        return None
    with TextFile(path, _WESTERN[0]).pieces() as pieces:
        return "cp1250" if any(map(_CENTRAL.search, pieces)) else _WESTERN[0]


def _fits(path: Path, encoding: str) -> bool:
    """Whether all bytes are of an encoding, and in one of bytes no signs that nobody writes."""
    strange = "\ufffd" if encoding.startswith("utf") else "\ufffd" + "".join(map(chr, _CONTROLS))
    if encoding.startswith("utf-8") and _decodes(path):
        return True  # where the sign of a lost letter stands, it was lost before
    with TextFile(path, encoding).pieces() as pieces:
        return not any(sign in piece for piece in pieces for sign in strange)


def _decodes(path: Path) -> bool:
    """Whether all bytes are UTF-8."""
    with path.open("rb") as file:
        packed = file.read(2) == b"\x1f\x8b"
    try:
        with gzip.open(path) if packed else path.open("rb") as file:
            for _ in codecs.iterdecode(iter(lambda: file.read(1 << 20), b""), "utf-8"):
                pass
    except (OSError, EOFError, zlib.error, UnicodeDecodeError):
        return False
    return True


def _is_western(path: Path, encoding: str) -> bool:
    """Whether words are of the letters of a western encoding: of another script, or of two bytes
    for a letter, many would be of few others, or one of them alone.
    """
    words, alone = Counter[bool](), 0
    with TextFile(path, encoding).pieces() as pieces:
        for piece in pieces:
            for word in _WORD.findall(piece):
                beyond = sum(not c.isascii() for c in word)
                words[beyond > 1 and 2 * beyond >= len(word)] += beyond > 0
                alone += beyond == len(word) >= _LONG
    return words[True] <= max(_CHANCE, words[False]) and not (alone and not words[False])


def _readings(path: Path) -> Iterator[tuple[str, str]]:
    """Encodings of other scripts of which all bytes may be, each with a word that is then read."""
    for name in (*_LEADS, *_LETTERS):
        with suppress(LeastNoiseError):
            if _fits(path, name) and _is_written_in(path, name):
                yield name, _first_word(path, name)


def _is_written_in(path: Path, encoding: str) -> bool:
    """Whether most words beyond ASCII are of letters that those who use an encoding write."""
    found = Counter[bool]()
    with TextFile(path, encoding).pieces() as pieces:
        for piece in pieces:
            for word in _WORD.findall(piece):
                letters = [c for c in word if not c.isascii()]
                cased = word.islower() or word.isupper() or word.istitle() or word.lower() == word
                if letters:
                    found[cased and all(_is_common(c, encoding) for c in letters)] += 1
    return found[True] > 0 and found[True] >= _MOSTLY * found.total()


def _is_common(sign: str, encoding: str) -> bool:
    if encoding in _LETTERS:
        return unicodedata.name(sign, "").startswith(_LETTERS[encoding])
    lead = sign.encode(encoding, "replace")[0]
    return any(low <= lead <= high for low, high in _LEADS[encoding])


def _first_word(path: Path, encoding: str) -> str:
    """What a name or an entry with an accent becomes, so that who looks can tell."""
    with TextFile(path, encoding).pieces() as pieces:
        return next((x[0][:_SHOWN] for piece in pieces if (x := _ACCENT.search(piece))), "")
