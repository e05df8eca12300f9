"""Which rows a call is about, in the words of the command line: a filter, groups, persons."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from leastnoise.errors import ParameterError
from leastnoise.params import PrivateLimit, parse_count

# One key of a list: text in quotes (a doubled quote stands for one), or all up to the comma.
_KEY = re.compile(r'\s*(?:"((?:[^"]|"")*)"\s*|((?:[^",][^,]*)?))(?:,|$)')
# The column of a list, in quotes where an equals sign is part of its name.
_DECLARED = re.compile(r'\s*(?:"((?:[^"]|"")+)"\s*|([^="][^=]*))=')
# A number as it is written; "01" is text, as codes with leading zeros are.
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?")

_EXAMPLE = "--group-by sex --keys sex=f,m"


def is_number(text: str) -> bool:
    """Whether a key or label is written as a number; "01" is text."""
    return _NUMBER.fullmatch(text) is not None


@dataclass(frozen=True, slots=True)
class Rows:
    """The options about rows, as text."""

    where: str | None = None
    group_by: Sequence[str] = ()
    keys: Sequence[str] = ()
    unit: str | None = None
    max_rows: str | None = None
    max_groups: str | None = None
    other: bool = False

    def persons(self) -> dict[str, Any]:
        """The options of a session."""
        if (self.unit is None) != (self.max_rows is None):
            raise ParameterError(
                "give --unit COLUMN and --max-rows M together: the column that names persons, "
                "and how many rows of one are used at most"
            )
        return {"unit": self.unit, "max_rows": _limit(self.max_rows, "max-rows")}

    def subset(self) -> dict[str, Any]:
        """The options of a table in a batch."""
        from leastnoise.plans.conditions import parse_condition  # only where rows are chosen

        where = None
        if self.where is not None:
            try:
                where = parse_condition(self.where)
            except ParameterError as error:
                raise ParameterError(f"--where: {error}") from None
        most = _limit(self.max_groups, "max-groups")
        groups = self._groups()
        if self.other and groups is None:
            raise ParameterError("--other is for groups: give --group-by and --keys as well")
        return {"where": where, "groups": groups, "max_groups": most, "other": self.other}

    def _groups(self) -> dict[str, list[str | int | float]] | None:
        declared: dict[str, list[str | int | float]] = {}
        for text in self.keys:
            column, values = parse_declared(text, "--keys", _EXAMPLE)
            declared[column] = values
        for column in declared:
            if column not in self.group_by:
                raise ParameterError(
                    f"--keys is for columns of --group-by: give --group-by {column}"
                )
        for column in self.group_by:
            if column not in declared:
                raise ParameterError(
                    f"the keys of {column!r} are missing: declare them with --keys {column}=A,B "
                    "from public knowledge; they are never taken from the data"
                )
        return {column: declared[column] for column in self.group_by} or None


def parse_declared(text: str, option: str, example: str) -> tuple[str, list[str | int | float]]:
    """A column and its keys, written "sex=f,m"; quotes make text of anything, names too.

    Raises
    ------
    ParameterError
        If no column is named, there is no key, or a key is blank.
    """
    found = _DECLARED.match(text)
    column = "" if found is None else (found[1] or found[2] or "").replace('""', '"').strip()
    if found is None or not column:
        raise ParameterError(f"{option} {text!r} names no column: write it like {example}")
    return column, parse_keys(text[found.end() :], column, option, example)


def parse_keys(
    text: str, column: str, option: str = "--keys", example: str = _EXAMPLE
) -> list[str | int | float]:
    """Keys between commas: numbers if all are, else text; quotes make text of anything.

    Raises
    ------
    ParameterError
        If there is none, or one is blank.
    """
    found: list[tuple[str, bool]] = []
    at = 0
    while at <= len(text):
        match = _KEY.match(text, at)
        if match is None:
            raise ParameterError(f"{option} {column}: unclosed quote in {text!r}")
        quoted = match[1] is not None
        found.append((match[1].replace('""', '"') if quoted else match[2].strip(), quoted))
        at = match.end()
        if not match[0].endswith(","):
            break
    if any(not key for key, _ in found):
        raise ParameterError(f"{option} {column}: blank key in {text!r}; write it like {example}")
    if all(not quoted and is_number(key) for key, quoted in found):
        return [int(key) if "." not in key else float(key) for key, _ in found]
    return [key for key, _ in found]


def _limit(given: str | None, name: str) -> int | PrivateLimit | None:
    """A limit of persons: a whole number, or "private" for one that is found privately."""
    if given is None or given == "private":
        return None if given is None else PrivateLimit()
    return parse_count(given, name)
