"""Random expressions over awkward rows, and what a row alone gives, in plain Python."""

from __future__ import annotations

import math
import random
from datetime import date, datetime
from fractions import Fraction
from typing import Any, get_args

import numpy as np

from leastnoise.frames import Table, open_table
from leastnoise.frames.contract import STANDARD, Absent
from leastnoise.frames.engines.table import LazyTable
from leastnoise.frames.readers.dataframes import open_series
from leastnoise.frames.readers.values import Dialect
from leastnoise.summaries import expressions as ex
from leastnoise.summaries.calendar import REACH, Part
from leastnoise.summaries.columns import Clock
from leastnoise.summaries.predicates import Compare, IsIn, IsMissing
from support.engines import on_engine
from support.optional import optional

Row = dict[str, Any]

ENTRIES: dict[str, list[Any]] = {
    "a": [
        *(None, 0.0, -0.0, 1.0, 0.1, -2.5, 2.5, 0.49999999999999994, 1e-320, 5e-324),
        *(1e308, -1e308, math.inf, -math.inf, math.nan, 2.0**500, 2.0**501, 2.0**-500),
        *(2.0**52 + 1, 2.0**51 - 0.5, 3.0, 1 / 3),
    ],
    "b": [None, 0, 1, -1, 7, 2**53 + 1, 2**60 + 1, -(2**63), 2**63 - 1, 100],
    "c": [None, 0.0, 0.1, math.nan, 3.4e38, -1.5],
    "m": [None, True, False],
    "s": [
        *(
            None,
            "",
            " N ",
            "N",
            "S",
            "NA",
            "é",
            "\0",
            "n",
            "N\u0301",
            "N\u00fcrn berg",
            "\U0001f44dx",
        ),
        *("ANA", "S\u2003", "SS", "\u0130\u00df", "xN", "%_"),
    ],
    "d": [
        *(None, date(1970, 1, 1), date(1969, 12, 31), date(2024, 2, 29), date(1583, 1, 1)),
        *(date(9999, 12, 31), date(2000, 3, 1)),
    ],
    "at": [
        *(None, datetime(1970, 1, 1), datetime(1969, 12, 31, 23, 59, 59, 999_999)),
        *(datetime(2024, 2, 29, 12, 30), datetime(1900, 1, 1, 0, 0, 0, 1)),
    ],
}
NUMBERS, TEXTS = ["a", "b", "c", "m"], ["N", "S", "é", "x"]


def random_row(draw: random.Random) -> Row:
    return {name: draw.choice(entries) for name, entries in ENTRIES.items()}


def frame(rows: list[Row]) -> Any:
    pa = optional("pyarrow")
    kinds = {"a": "float64", "b": "int64", "c": "float32", "m": "bool_", "s": "string"}
    types = {name: getattr(pa, kind)() for name, kind in kinds.items()}
    types |= {"d": pa.date32(), "at": pa.timestamp("us", tz="UTC")}
    return pa.table(
        {name: pa.array([row.get(name) for row in rows], kind) for name, kind in types.items()}
    )


# --- random expressions ---------------------------------------------------------------------------


def number(draw: random.Random, depth: int) -> ex.Numeric:
    if depth == 0 or draw.random() < 0.15:
        constant = draw.choice([0, 1, -3, Fraction(1, 10), 2**500, Fraction(1, 2**400), None])
        looked = ex.Lookup("t.x", "s", ("N", "é"), (Fraction(5), None))
        moment = draw.choice([("d", Clock.DAY), ("d", Clock.LOCAL), ("at", Clock.INSTANT)])
        return draw.choice(
            [
                *(ex.Entry(draw.choice(NUMBERS)), ex.Entry("a"), ex.Number(constant), looked),
                ex.Moment(*moment),
            ]
        )
    match draw.randrange(8):
        case 0 | 1 | 2:
            operation: ex.Operation = draw.choice(["+", "-", "*", "/"])
            return ex.Arithmetic(operation, number(draw, depth - 1), number(draw, depth - 1))
        case 3:
            return ex.Floor(number(draw, depth - 1))
        case 4:
            return ex.Length(text(draw, depth - 1))
        case 5:
            return ex.Calendar(draw.choice(get_args(Part)), ex.Floor(number(draw, depth - 1)))
        case _:
            branches = tuple(
                (truth(draw, depth - 1), number(draw, depth - 1)) for _ in range(draw.randrange(3))
            )
            return ex.Choice(branches, number(draw, depth - 1))


def text(draw: random.Random, depth: int) -> ex.Textual:
    if depth == 0 or draw.random() < 0.2:
        looked = ex.TextLookup("t.y", "b", (Fraction(7), Fraction(0)), ("seven", None))
        return draw.choice(
            [
                ex.TextEntry("s"),
                ex.TextEntry("s", ("NA", "N")),
                ex.Text(draw.choice([*TEXTS, None])),
                looked,
            ]
        )
    if draw.random() < 0.5:
        if draw.random() < 0.5:
            return ex.Joined((text(draw, depth - 1), ex.Text(" "), text(draw, depth - 1)))
        return ex.Slice(text(draw, depth - 1), draw.randrange(3), draw.choice([None, 0, 1, 2]))
    branches = tuple(
        (truth(draw, depth - 1), text(draw, depth - 1)) for _ in range(draw.randrange(3))
    )
    return ex.TextChoice(branches, text(draw, depth - 1))


def truth(draw: random.Random, depth: int) -> ex.Truth:
    match draw.randrange(7 if depth else 1):
        case 0:
            column, sign = draw.choice(["a", "b"]), draw.choice(["==", "<", ">="])
            leaf = draw.choice(
                [
                    Compare(column, sign, Fraction(draw.choice([0, 1, -2, 2**60]))),
                    Compare("s", draw.choice(["==", "!="]), draw.choice(TEXTS)),
                    IsIn("s", ("N", "é")),
                    IsMissing(draw.choice(["a", "s", "m"])),
                ]
            )
            return ex.Holds(leaf)
        case 1:
            return ex.Negation(truth(draw, depth - 1))
        case 2:
            joined = draw.choice([ex.Both, ex.Either])
            return joined(truth(draw, depth - 1), truth(draw, depth - 1))
        case 3:
            return ex.Absent(number(draw, depth - 1))
        case 4:
            how: Any = draw.choice(["is", "starts", "ends", "contains"])
            constant = draw.choice(["N", "", "x", "\u0301", "r", "\0", "%", "S"])
            return ex.Matches(how, text(draw, depth - 1), constant)
        case _:
            sign = draw.choice(["==", "!=", "<", "<=", ">", ">="])
            return ex.Compared(sign, number(draw, depth - 1), number(draw, depth - 1))


def random_values(seed: int, count: int) -> dict[str, ex.Value]:
    draw = random.Random(seed)
    made = [(text if i % 4 == 0 else number)(draw, 3) for i in range(count)]
    below = ex.Compared("<", ex.Entry("a"), ex.Entry("b"))
    other = ex.Compared(">=", ex.Entry("c"), ex.Entry("m"))
    logic = [
        ex.Negation(below),
        ex.Negation(ex.Both(below, other)),
        ex.Negation(ex.Either(below, other)),
        ex.Negation(ex.Matches("starts", ex.TextEntry("s"), "N")),
    ]
    made += [ex.Choice(((one, ex.Number(Fraction(1))),), ex.Number(Fraction(0))) for one in logic]
    made += [ex.Choice(((below, ex.Whole("a")),), ex.Whole("b")), ex.Whole("c")]
    return {f"v{i}": value for i, value in enumerate(made)}


# --- what a row alone gives -----------------------------------------------------------------------


def value_of(value: ex.Value, row: Row) -> Any:
    """None where it is missing."""
    match value:
        case ex.Number(constant):
            return None if constant is None else float(constant)
        case ex.Entry(column):
            entry = row[column]
            if column == "c" and entry is not None:
                entry = float(np.float32(entry))
            return within(entry)
        case ex.Whole(column):
            entry = row[column]
            entry = float(np.float32(entry)) if column == "c" and entry is not None else entry
            return None if entry is None or entry != entry else float(entry)
        case ex.Arithmetic(operation, left, right):
            one, other = value_of(left, row), value_of(right, row)
            if one is None or other is None:
                return None
            if operation == "/":
                return within(one / other) if abs(other) >= ex.SMALLEST else None
            return within({"+": one + other, "-": one - other, "*": one * other}[operation])
        case ex.Floor(of):
            found = value_of(of, row)
            return None if found is None or abs(found) >= ex.WHOLE else float(math.floor(found))
        case ex.Choice(branches, otherwise) | ex.TextChoice(branches, otherwise):
            for condition, chosen in branches:
                if holds(condition, row) is True:
                    return value_of(chosen, row)
            return value_of(otherwise, row)
        case ex.Length(of):
            found = value_of(of, row)
            return None if found is None else float(len(found))
        case ex.Moment(column, clock):
            entry = row.get(column)
            if entry is None:
                return None
            days = entry.toordinal() - date(1970, 1, 1).toordinal()
            midnight = datetime(entry.year, entry.month, entry.day)
            seconds = (entry - midnight).seconds if isinstance(entry, datetime) else 0
            return float(days if clock is Clock.DAY else days * 86_400 + seconds)
        case ex.Calendar(part, of):
            found = value_of(of, row)
            return None if found is None or abs(found) >= REACH else part_of_day(part, int(found))
        case ex.Slice(of, start, length):
            found = value_of(of, row)
            end = None if length is None else start + length
            return None if found is None else stripped_of(found[start:end])
        case ex.Joined(texts):
            several = [value_of(each, row) for each in texts]
            return None if None in several else stripped_of("".join(several))
        case ex.Text(constant):
            return constant
        case ex.TextEntry(column, keys):
            stripped = stripped_of(row[column])
            return stripped if stripped in keys else plain(row[column])
        case ex.Lookup(_, column, keys, values) | ex.TextLookup(_, column, keys, values):
            entry = plain(row[column]) if isinstance(keys[0], str) else row[column]
            found = dict(zip(keys, values, strict=True)).get(entry)
            return float(found) if isinstance(found, Fraction) else found


def within(number: float | None) -> float | None:
    """In reach, or missing."""
    return None if number is None or not abs(number) <= ex.LARGEST else float(number)


def plain(entry: str | None) -> str | None:
    """A text without blanks around it; what stands for a missing one is none."""
    stripped = stripped_of(entry)
    return None if stripped in STANDARD else stripped


def stripped_of(entry: str | None) -> str | None:
    """A text without blanks around it; nothing is none."""
    return None if entry is None else entry.strip() or None


def part_of_day(part: Part, day: int) -> float:
    """As numpy's calendar has it."""
    if part == "HOUR":
        return float(day // 3600)
    at = np.datetime64(day, "D")
    year, month = (int(at.astype(f"M8[{unit}]").astype(np.int64)) for unit in "YM")
    numbers = {
        "YEAR": year + 1970,
        "QUARTER": month % 12 // 3 + 1,
        "MONTH": month % 12 + 1,
        "WEEK START": day - (day + 3) % 7,
    }
    if part in numbers:
        return float(numbers[part])
    first = {"YEAR START": year * 12, "QUARTER START": month // 3 * 3, "MONTH START": month}[part]
    return float(np.datetime64(first, "M").astype("M8[D]").astype(np.int64))


def holds(condition: ex.Truth, row: Row) -> bool | None:
    match condition:
        case ex.Holds(IsMissing(column)):
            entry = row[column]
            return (plain(entry) if column == "s" else entry) is None or entry != entry
        case ex.Holds(IsIn(column, values)):
            entry = plain(row[column])
            return None if entry is None else entry in values
        case ex.Holds(Compare(column, sign, constant)):
            entry = plain(row[column]) if column == "s" else row[column]
            if entry is None or entry != entry:
                return None
            exact = entry if isinstance(entry, str) or math.isinf(entry) else Fraction(entry)
            return compared(sign, exact, constant)
        case ex.Negation(of):
            found = holds(of, row)
            return None if found is None else not found
        case ex.Both(left, right):
            two = [holds(left, row), holds(right, row)]
            return False if False in two else None if None in two else True
        case ex.Either(left, right):
            two = [holds(left, row), holds(right, row)]
            return True if True in two else None if None in two else False
        case ex.Absent(of):
            return value_of(of, row) is None
        case ex.Matches(how, of, text):
            found = value_of(of, row)
            if found is None:
                return None
            met = {"starts": found.startswith(text), "ends": found.endswith(text)}
            return {**met, "is": found == text, "contains": text in found}[how]
        case ex.Compared(sign, left, right):
            one, other = value_of(left, row), value_of(right, row)
            return None if one is None or other is None else compared(sign, one, other)


def compared(sign: str, one: Any, other: Any) -> bool:
    found = {"==": one == other, "!=": one != other}
    if sign in found:
        return found[sign]
    return {"<": one < other, "<=": one <= other, ">": one > other, ">=": one >= other}[sign]


# --- memory and engines ---------------------------------------------------------------------------


def entries_of(table: Table, name: str, value: ex.Value) -> list[Any]:
    if ex.is_text(value):
        codes, texts = table.text_values(name)
        return [texts[code] if code >= 0 else None for code in codes.tolist()]
    numbers = table.column(name).values.tolist()
    return [None if x != x else x for x in numbers]


def read(data: Any, values: dict[str, ex.Value]) -> dict[str, list[Any]]:
    """Every value of every row; an engine works them all out in one query."""
    table = open_table(data).derive(values)
    if isinstance(table, LazyTable):
        inner = [table.find(name) for name in values]
        found = table.engine.collect(table.frame.select(*inner))
        read: dict[str, list[Any]] = {}
        for name, column in zip(values, inner, strict=True):
            absent = Absent(frozenset()) if ex.is_text(values[name]) else Absent()
            bare = open_series(found.get_column(column).to_native(), Dialect(absent=absent))
            if ex.is_text(values[name]):
                codes, texts = bare.text_values(None)
                read[name] = [texts[code] if code >= 0 else None for code in codes.tolist()]
            else:
                read[name] = [None if x != x else x for x in bare.column(None).values.tolist()]
        return read
    return {name: entries_of(table, name, value) for name, value in values.items()}


def held(label: str, table: Any) -> Any:
    return table if label == "memory" else on_engine(label, table)


def check_engine(label: str, seed: int) -> None:
    """It gives what a row alone gives; a changed row changes what it gives itself alone."""
    values, draw = random_values(seed, 12), random.Random(f"rows {seed}")
    rows = [random_row(draw) for _ in range(40)]
    for _ in range(2):
        found = read(held(label, frame(rows)), values)
        for name, value in values.items():
            assert found[name] == [value_of(value, row) for row in rows], (name, str(value))
        rows[draw.randrange(len(rows))] = random_row(draw)
