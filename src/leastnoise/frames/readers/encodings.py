"""Encodings of text files by the languages that they are of."""

from __future__ import annotations

LANGUAGES: dict[str, tuple[str, ...]] = {
    "western European": ("cp1252", "latin-1"),
    "central European": ("cp1250",),
    "Turkish": ("cp1254",),
    "Cyrillic": ("cp1251", "koi8_r"),
    "Greek": ("cp1253",),
    "Hebrew": ("cp1255",),
    "Arabic": ("cp1256",),
    "Japanese": ("shift_jis", "euc_jp"),
    "Chinese": ("gb18030", "big5"),
    "Korean": ("euc_kr",),
}
"""The usual ones, the most frequent languages of open data first."""


def others_than(failed: str) -> str:
    """The cure where an encoding has just failed: all the others, by language."""
    told = [
        f"{' or '.join(map(repr, left))} for {language}"
        for language, names in LANGUAGES.items()
        if (left := [x for x in names if x != failed and (x, failed) != ("latin-1", "iso8859-1")])
    ]
    first, *more = told
    return f"give encoding={first} files, {', '.join(more)}, or the one that it has"
