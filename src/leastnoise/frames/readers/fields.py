"""Text into records, and one field of each: the only splitter there is.

A record ends at a line end outside quotes. A field that begins with a quote, after blanks or not,
goes on to the quote that closes it, past separators and line ends; a doubled quote inside stands
for one, and what follows the closing quote belongs to the field. A quote elsewhere is a character.
A quote that is never closed takes the rest of the text; where no record spans lines, the rest of
its line.

A blank line is a record whose fields are all missing: whether a record is there never depends on
what stands in one of its fields. A comment is a whole record. A field of more than ``LONGEST``
characters is missing, whatever it holds, and no more than that of it is kept.

The grammar is a regular expression without backtracking; a text without a quote needs a simpler
one. Nothing here depends on the ``csv`` module or on its limit, which the whole process shares.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from leastnoise.frames.readers.values import LONGEST

PIECE = 1 << 16
"""How much text is read at once. Less than ``LONGEST``: only a record that spans pieces can hold a
longer field."""

_KEPT = 4 * LONGEST  # of a record whose end is not in sight
_OPENED = re.compile(r' *+"([^"]*+(?:""[^"]*+)*+)')


@dataclass(frozen=True, slots=True)
class RecordRule:
    r"""What a record is: public, or known from the lines above the first one.

    Parameters
    ----------
    separator, line_end
        One character each; the line end is ``"\n"``, or ``"\r"`` alone. A carriage return before a
        line end is a blank at the end of a field.
    comment
        A record that starts with this text is none.
    multiline
        Whether a quoted field may hold line ends. Else every line is read by itself.
    short_last
        Whether the end of the text is a record where neither a separator nor a line end stands in
        it. Where a record of one field is usual it must be.
    """

    separator: str
    line_end: str = "\n"
    comment: str | None = None
    multiline: bool = True
    short_last: bool = True


def fields(pieces: Iterable[str], rule: RecordRule, position: int) -> Iterator[list[str]]:
    """Yield the field at ``position`` of every record, in blocks; "" where a record is too short.

    Parameters
    ----------
    pieces
        The text, cut anywhere.
    rule
        What a record is.
    position
        Which field, from 0.
    """
    splitter = _Splitter(rule, position)
    tail = ""
    for piece in pieces:
        found, tail = splitter.split(tail + piece)
        if found:
            yield found
        if len(tail) > _KEPT:
            tail = splitter.shortened(tail)
    yield splitter.last(tail)


def fields_of(line: str, separator: str) -> list[str] | None:
    """All fields of a text that is one record; None if a quote in it is not closed."""
    field = re.compile(_field(re.escape(separator), "", multiline=True))
    found: list[str] = []
    at = 0
    while (one := field.match(line, at)) is not None:
        found.append(unquoted(one[0]))
        at = one.end() + 1
        if at > len(line):
            return found
        if line[at - 1] != separator:
            break
    return None


def records_of(text: str, rule: RecordRule) -> Iterator[list[str]]:
    """All fields of every record of a whole text, for whoever looks at a file."""
    for record in written_records_of(text, rule):
        yield list(map(unquoted, record))


def written_records_of(text: str, rule: RecordRule) -> Iterator[list[str]]:
    """The same with the quotes around fields."""
    separator, end = re.escape(rule.separator), re.escape(rule.line_end)
    field = _field(separator, end, multiline=rule.multiline)
    parts = re.compile(rf"(?:\A|(?<={separator}))({field})(?:{separator}|\Z)")
    whole = re.compile(rf"({field}(?:{separator}{field})*)({end}|\Z)")
    at = 0
    while at < len(text):
        quote = text.find('"', at)
        plain = text.rfind(rule.line_end, at, len(text) if quote < 0 else quote)
        if plain >= at:  # lines without a quote, which need no grammar
            lines, at = text[at:plain].split(rule.line_end), plain + 1
            for line in lines:
                if rule.comment is None or not line.startswith(rule.comment):
                    yield line.split(rule.separator)
            continue
        found = whole.match(text, at)
        if found is None:  # a quote is still open
            text, at = f'{text[at:]}"', 0
            found = whole.match(text)
        if found is None:
            return
        record, closed = found.groups()
        at = found.end()
        if not closed and not (rule.short_last or rule.separator in record):
            return
        if rule.comment is None or not record.startswith(rule.comment):
            yield [one[1] for one in parts.finditer(record)]


class _Splitter:
    """One field of every record of a text."""

    def __init__(self, rule: RecordRule, position: int) -> None:
        self.rule, self.position = rule, position
        separator, end = re.escape(rule.separator), re.escape(rule.line_end)
        field = _field(separator, end, multiline=rule.multiline)
        before = f"(?:{field}{separator}){{{position}}}"
        others = f"(?:{separator}{field})*"
        wanted = rf'(?:{_blanks(separator)}"([^"{end}]*+)"(?=[{separator}{end}])|({field}))'
        rest = f'(?:[^"{end}]*+|{others}){end}'
        dropped = ""
        if rule.comment is not None:
            dropped = f"({re.escape(rule.comment)}[^{separator}{end}]*+{others}{end})|"
        self._records = re.compile(
            rf"{dropped}{before}{wanted}{rest}|{field}{others}{end}|([\s\S]+)"
        )
        plain = f"[^{separator}{end}]*+"
        self._plain = re.compile(
            f"(?:{plain}{separator}){{{position}}}({plain})[^{end}]*+{end}|[^{end}]*+{end}"
        )
        self._one = re.compile(f"{field}{separator}")
        self._closed = re.compile(f"(?:{field}{separator})+")
        self._found = re.compile(f"{before}({field}){separator}")

    def split(self, text: str) -> tuple[list[str], str]:
        """The field of every whole record at the beginning of a text, and the rest of it."""
        rule = self.rule
        cut = text.rfind(rule.line_end) + 1
        whole, tail = text[:cut], text[cut:]
        if rule.comment is None and '"' not in whole:
            found: list[str] = self._plain.findall(whole)
        else:
            records: list[tuple[str, ...]] = self._records.findall(whole)
            if records and records[-1][-1]:  # a quote is still open
                tail = records.pop()[-1] + tail
            if rule.comment is not None:
                records = [record[1:] for record in records if not record[0]]
            found = [
                inner or (unquoted(field) if '"' in field else field) for inner, field, _ in records
            ]
        if len(text) > LONGEST:
            found = [field if len(field) <= LONGEST else _cut(field) for field in found]
        return found, tail

    def last(self, tail: str) -> list[str]:
        """The field of the record that the end of the text ends, if there is one."""
        if not tail or not (self.rule.short_last or self._one.match(tail)):
            return []
        found, rest = self.split(tail + self.rule.line_end)
        return self.split(f'{tail}"{self.rule.line_end}')[0] if rest else found

    def shortened(self, tail: str) -> str:
        """A shorter beginning of a record that reads the same, whatever follows."""
        comment = self.rule.comment
        begun = self._closed.match(tail)
        if begun is None:
            return _begun(tail)
        if comment is not None and tail.startswith(comment):
            before = comment + self.rule.separator
        elif (found := self._found.match(tail)) is not None:
            fits = len(unquoted(found[1]).removesuffix("\r")) <= LONGEST
            field = found[1] if fits else ""
            before = self.rule.separator * self.position + field + self.rule.separator
        else:
            before = self.rule.separator * len(self._one.findall(begun[0]))
        return before + _begun(tail[begun.end() :])


def _field(separator: str, end: str, *, multiline: bool) -> str:
    """A field, with no part of it that could be given back."""
    plain, inside = f"[^{separator}{end}]*+", f'[^"{"" if multiline else end}]*+'
    blanks = _blanks(separator)
    closed = f'(?:"{plain})' + ("" if multiline else "?+")  # an open quote ends with its line
    quoted = f'{blanks}"{inside}(?:""{inside})*+{closed}'
    return f'(?:{quoted}|(?!{blanks}")[^{separator}{end}]{plain}|)'


def _blanks(separator: str) -> str:
    """What may stand before the quote of a field."""
    return "" if separator == re.escape(" ") else " *+"


def _begun(field: str) -> str:
    """A field whose end is not in sight, with no more of it than tells that it is too long."""
    opened = _OPENED.match(field)
    if opened is None:
        return field[: LONGEST + 2]
    inner = opened[1].replace('""', '"')[: LONGEST + 2].replace('"', '""')
    return f'"{inner}{field[opened.end() :][: LONGEST + 3]}'


def _cut(field: str) -> str:
    """A field that is too long: none, unless all that is too much is a line end's beginning."""
    whole = field.removesuffix("\r")
    return whole if len(whole) <= LONGEST else ""


def runs_on(field: str) -> bool:
    """Whether more than blanks stands behind the quote that closes a field: no program writes it,
    and the quote belongs to another entry as a rule.
    """
    opened = _OPENED.match(field)
    return opened is not None and bool(field[opened.end() + 1 :].strip())


def unquoted(field: str) -> str:
    """What a field says."""
    opened = _OPENED.match(field)
    if opened is None:
        return field
    return opened[1].replace('""', '"') + field[opened.end() + 1 :]
