"""CSV texts to read: tables of fields, and fields that have misled readers of such texts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

FIELDS = (
    *("", " ", "  ", "\t", "\u00a0", "\u3000", "0", "1", "-1.5", " 2 ", "1e400", "1,5", "NA"),
    *('"', '""', '"""', '"a', 'a"', 'a"b', '"a"', '"a"b', '",', ',"', '","', '"\n"', '\n"', '",\n'),
    *(",", ",,", ";", "|", "a,b", "1,2,3", "'", "`", "\\", "\\n", '\\"', "#", "# 1", "//", "%"),
    *("\n", "\n\n", "\r", "\r\n", "\n\r", "a\nb", "1\n2\n3", "a\r", "\na", "\n,", ",\n", "\n1,2"),
    *("\x00", "a\x00b", "\x0b", "\x0c", "\x1a", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"),
    *("\ufeff", "\ufeff1", "\ufffd", "\U0001f600", "e\u0301", "x" * 70_000, '"' * 70_001),
    *("x" * 100_000, "x" * 100_001, "x" * 131_073, "1" * 100_000, "0" * 100_001 + "1"),
    *("\n" * 100_001, "," * 100_001, '"' * 50_000, '"' * 100_001, '"' * 100_002, "a,\n" * 70_000),
)
"""What one person's field may hold: signs of CSV, line ends, control signs, texts of any length."""


def csv_text(
    rows: Sequence[Sequence[str]],
    *,
    separator: str = ",",
    line_end: str = "\n",
    quotes: Literal["needed", "all"] = "needed",
    ended: bool = True,
) -> str:
    """Rows as a writer of CSV puts them, the line of names first.

    Parameters
    ----------
    rows
        Fields by row.
    separator, line_end
        Between fields and after rows.
    quotes
        Whether only fields are quoted that hold a separator, a quote or a line end, or all.
    ended
        Whether the last line has an end too.
    """
    special = set(f'{separator}"\r\n')

    def written(field: str) -> str:
        if quotes == "needed" and not special & set(field):
            return field
        return '"' + field.replace('"', '""') + '"'

    lines = [separator.join(map(written, row)) for row in rows]
    return line_end.join(lines) + (line_end if ended else "")
