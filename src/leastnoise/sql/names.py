"""Names of columns as a query and a schema write them, and where a query should have done so."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from typing import Any

from leastnoise.document import toml_key
from leastnoise.sql.places import tokens_of
from leastnoise.sql.refusals import is_sql
from leastnoise.sql.text import QueryError


def as_name(name: str) -> str:
    """A name as SQL has it: in double quotes where it is no plain word, or a word of SQL."""
    return name if _is_plain(name) else '"' + name.replace('"', '""') + '"'


def section(name: str) -> str:
    """The table of a schema that is about a column: [columns."Joined at"]."""
    return f"[columns.{toml_key(name)}]"


@contextmanager
def telling_names(text: object, names: Iterable[str]) -> Generator[None]:
    """Tell of a refusal whether a column's name stands there without the quotes that it needs."""
    try:
        yield
    except QueryError as error:
        unread = _UNREAD.match(str(error))  # the rest is guessed
        hint = _unquoted(str(text), error.start, names, 4 if unread else 0)
        if hint is None:
            raise
        told = QueryError(f"{unread[0] if unread else error}; {hint}")
        told.start, told.part = error.start, error.part
        raise told from None


def _unquoted(text: str, start: int | None, names: Iterable[str], most: int) -> str | None:
    """What is told of a name that needs quotes and stands in the query without them.

    A word of SQL is meant as a name where it is refused: at most so many letters before ``start``.
    """
    bare = _QUOTED.sub(lambda found: " " * len(found[0]), text)
    for name in names:
        if _is_plain(name) or not name.strip():
            continue
        word = rf"(?<!\w){re.escape(name)}(?!\w)"
        at = [found.start() for found in re.finditer(word, bare, re.IGNORECASE)]
        if name.isidentifier() or is_sql(*name.upper().split()):
            ends = range(len(name) + most + 1) if most else range(1)
            at = [each for each in at if each and start is not None and start - each in ends]
        if at:
            return f"the name of the column {name} stands in double quotes, {as_name(name)}"
    return None


_UNREAD = re.compile(r"line \d+, column \d+: this SQL cannot be read: [^;]*(?=;)")
_QUOTED = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/", re.DOTALL)


def _is_plain(name: str) -> bool:
    """Whether a name is one word of letters, digits and _ that SQL reads as a name."""
    from sqlglot import parser

    kinds = [token.token_type for token in tokens_of(name)] if name.isidentifier() else []
    of_names: Any = parser
    return len(kinds) == 1 and kinds[0] in of_names.Parser.ID_VAR_TOKENS
