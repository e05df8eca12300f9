"""What every refusal of a query must be: in words of SQL, with its place and with a cure."""

from __future__ import annotations

import re

from leastnoise import statistics
from leastnoise.cli.in_shell import as_options

# Parameters of calls, of which each door has words of its own.
_NAMED = (
    *("bounds", "step", "unit", "max_rows", "max_groups", "weights", "epsilon", "delta", "ledger"),
    *("dataset", "relation", "reuse", "purpose", "interval", "missing", "engine", "source"),
    *("labels", "mechanism", "where", "table", "columns", "column", "schema", "header"),
)
_PYTHON = re.compile(
    r"\bln\.|\b(?:col|where|is_in|open)\(|is_missing|datetime\.|timedelta|\bNone\b|\bTrue\b|\bFalse\b"
    r"|group_by|categories|NoneType|Fraction|sqlglot|Token|class '|Expression"
    rf"|(?<![\w-])(?:{'|'.join(_NAMED)})=(?!=)"
    rf"|\b(?:{'|'.join(name for name in statistics.__all__ if name != 'Count')})\b"
)
OF_THE_WHOLE = ("at most 20000 characters", "must not be blank")
"""Refusals of a query as a whole, which have no place in it."""
_OPENING = re.compile(r"open (?:it|the data) with [^.;]*")
_CURE = re.compile(
    r"\b(?:write|declare|did you mean|give|make|leave|compare|ask|open|known (?:are|is)|JOIN|take|"
    r"name|begin|choose|rename|put|divide|its tables are|the columns are|there is|functions of "
    r"rows are|parts are|casts are|they are|missing beside|they have|FROM takes|SELECT has|must be|"
    r"is expected|such as|between|1e150|work|have|add|use|stand|without|is TRUE|from 0 to 1|is one "
    r"SELECT|must differ)\b",
    re.IGNORECASE,
)


def check_words(told: str, *, placed: bool = True) -> None:
    """Whether a refusal has its place, a cure, and no words of another door."""
    if placed:
        assert re.match(r"line \d+, column \d+: ", told), told
    assert _CURE.search(told), told
    for text in (as_options(told), _OPENING.sub("", told)):  # of the shell, and of the cell magic
        found = _PYTHON.search(re.sub(r"'[^']*'|\"[^\"]*\"", "''", text))
        assert found is None, (found, text)
