"""Random queries that DuckDB answers as well, and whether both answers are the same numbers.

The noise of a query is made small by a large epsilon, and nothing of the data lies beyond what the
schema declares, so what is left between the two answers is an error of ours, or a difference that
docs/sql.md states; what such a difference touches is not drawn.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import leastnoise as ln
from leastnoise.sql.text import QueryError
from leastnoise.testing import simulate
from support.engines import on_engine
from support.optional import optional

EPSILON = 10**10
SCHEMA: dict[str, Any] = {
    "columns": {
        "region": {"keys": ["N", "S", "E", "North East"]},
        "sex": {"keys": ["f", "m"]},
        "kids": {"bounds": [0, 9], "step": 1, "keys": [0, 1, 2, 3]},
        "age": {"bounds": [-5, 120], "step": 1},
        "pay": {"bounds": [-10, 100], "step": 0.25},
        "d": {"bounds": [date(2022, 1, 1), date(2024, 12, 31)]},
        "seen": {"bounds": [datetime(2022, 1, 1), datetime(2024, 12, 31)]},
        "member": {"keys": [False, True]},
        "home": {"keys": ["DE", "NA", "null", "FR"]},
        # in conditions alone, which limits do not touch: half of the entries lie beyond them
        "born": {"bounds": [date(1990, 2, 1), date(1999, 11, 30)]},
    },
    "public": {
        "places": {
            "key": "code",
            "columns": {
                "code": ["N", "S", "E"],
                "land": ["up", "down", "up"],
                "people": [50, 30, 20],
            },
        },
        "homes": {
            "key": "sign",
            "columns": {
                "sign": ["NA", "DE", "null"],
                "named": ["Namibia", "NA", None],
                "size": [3, None, 1],
            },
        },
    },
}
_LIMITS = (-(10**6), 10**6)
_WHOLE, _REAL, _TEXTS = (
    ("age", "kids"),
    ("age", "kids", "pay", "member"),
    ("region", "sex", "town", "home"),
)
_WORDS: dict[str, list[str]] = {
    "region": ["N", "S", "E", "North East", "W", "n"],
    "sex": ["f", "m", "x"],
    "town": ["Aach", "Ulm", "Zell", "a", ""],
    "home": ["NA", "null", "DE", "de"],
}


@dataclass(frozen=True)
class Query:
    """A query that both read, and how many of its first columns are keys; a count follows them."""

    sql: str
    keys: int


def random_rows(draw: random.Random, count: int) -> Any:
    """A table whose entries lie inside the limits; some are missing."""
    pa = optional("pyarrow")

    def some(entry: Any, share: float = 0.15) -> Any:
        return None if draw.random() < share else entry

    first = date(2022, 1, 1)
    days = [first + timedelta(draw.randrange(1095)) for _ in range(count)]
    times = [
        datetime(2022, 1, 1) + timedelta(seconds=draw.randrange(1094 * 86_400))
        for _ in range(count)
    ]
    numbers = {
        "age": (pa.int16(), lambda: draw.randrange(-5, 121)),
        "kids": (pa.int64(), lambda: draw.randrange(4)),
        "pay": (pa.float64(), lambda: draw.randrange(-40, 401) / 4),
        "member": (pa.bool_(), lambda: draw.random() < 0.5),
        "region": (pa.string(), lambda: draw.choice(["N", "S", "E", "North East"])),
        "sex": (pa.string(), lambda: draw.choice("fm")),
        "home": (pa.string(), lambda: draw.choice(["DE", "NA", "null", "FR"])),
        "town": (pa.string(), lambda: draw.choice(["Aach", "Ulm", "Zell", "Aa", "_%", "é"])),
    }
    columns = {
        name: pa.array([some(entry()) for _ in range(count)], kind)
        for name, (kind, entry) in numbers.items()
    }
    columns["d"] = pa.array([some(day) for day in days], pa.date32())
    born = [date(1985, 1, 1) + timedelta(draw.randrange(7300)) for _ in range(count)]
    columns["born"] = pa.array([some(day) for day in born], pa.date32())
    columns["seen"] = pa.array([some(time) for time in times], pa.timestamp("us"))
    return pa.table(columns)


# --- queries --------------------------------------------------------------------------------------


class Writer:
    """Draws a query."""

    def __init__(self, draw: random.Random) -> None:
        self.draw = draw
        self.columns = [*_REAL]
        self.texts = [*_TEXTS]
        self.joined = False

    def number(self, depth: int) -> str:
        """A number of a row."""
        draw = self.draw
        if depth == 0 or draw.random() < 0.2:
            if draw.random() < 0.3:
                return draw.choice(["0", "1", "2.5", "-3", "1e2", "0.1"])
            return draw.choice([c for c in self.columns if c != "member"])
        x, y = self.number(depth - 1), self.number(depth - 1)
        whole = draw.choice(_WHOLE)
        best = draw.choice(["GREATEST", "LEAST"])
        forms = [
            *(f"({x} + {y})", f"({x} - {y})", f"{x} * {y}", f"({x} / NULLIF({y}, 0))", f"-({x})"),
            *(
                f"COALESCE({x}, {y})",
                f"NULLIF({x}, {y})",
                f"{best}({x}, {y})",
            ),
            *(f"ABS({x})", f"SIGN({x})", f"FLOOR({x})", f"CEIL({x})", f"ROUND({whole} / 4.0)"),
            *(f"TRUNC({x})", f"IF({self.truth(depth - 1)}, {x}, {y})", f"CAST({x} AS DOUBLE)"),
            *(f"{x}::DOUBLE", f"ROUND({whole} * 2.25, 1)", f"({x} + 1) * ({y} - 1)"),
            f"CAST({self.truth(0)} AS INT)",
            f"CASE WHEN {self.truth(depth - 1)} THEN {x} ELSE {y} END",
            f"CASE WHEN {self.truth(depth - 1)} THEN {x} WHEN {self.truth(0)} THEN {y} END",
            f"CASE {whole} WHEN 1 THEN {x} WHEN 2 THEN {y} ELSE 0 END",
            f"LENGTH({self.text(depth - 1)})",
            f"YEAR({draw.choice(['d', 'seen'])})",
            f"EXTRACT({draw.choice(['MONTH', 'QUARTER'])} FROM {draw.choice(['d', 'seen'])})",
            f"({draw.choice(['d', 'DATE(seen)'])} - DATE '2023-06-15') / 100",
            *("HOUR(seen)", f"({whole} % {draw.choice([2, 3, -7])})", f"MOD({whole}, 5)"),
        ]
        return draw.choice(forms)

    def text(self, depth: int) -> str:
        """A text of a row."""
        draw = self.draw
        column = draw.choice(self.texts)
        if depth <= 0 or draw.random() < 0.3:
            return column
        x = self.text(depth - 1)
        return draw.choice(
            [
                f"SUBSTR({x}, 1, {draw.randrange(1, 4)})",
                f"LEFT({x}, {draw.randrange(1, 4)})",
                f"({x} || '-' || {draw.choice(self.texts)})",
                f"COALESCE({x}, 'none')",
                f"UPPER({draw.choice(['region', 'sex'])})",
                f"LOWER({draw.choice(['region', 'sex'])})",
                f"REPLACE({draw.choice(['region', 'sex'])}, 'N', 'x')",
                f"{draw.choice(['UPPER', 'LOWER', 'TRIM', 'REVERSE'])}(home)",
                "CASE home WHEN 'NA' THEN 'null' WHEN 'DE' THEN 'NA' ELSE home END",
                f"CAST({self.truth(0)} AS TEXT)",
                f"CASE WHEN {self.truth(depth - 1)} THEN {x} ELSE 'other' END",
                f"NULLIF({draw.choice(self.texts)}, 'N')",
            ]
        )

    def truth(self, depth: int) -> str:
        """A condition on a row."""
        draw = self.draw
        column = draw.choice(self.texts)
        words = draw.sample(_WORDS.get(column, ["up"])[:3], 1)
        day = (date(2022, 1, 1) + timedelta(draw.randrange(1095))).isoformat()
        sign = draw.choice(["=", "<>", "<", "<=", ">", ">=", "!="])
        many = ", ".join(f"'{w}'" for w in _WORDS.get(column, ["up"])[:2])
        nulls = ["NULL", "NOT NULL"]
        leaves = [
            f"{draw.choice(_WHOLE)} {sign} {draw.randrange(-2, 60)}",
            f"pay {sign} {draw.choice(['12.25', '0', '-0.5', '1e1'])}",
            f"{draw.randrange(4)} {sign} kids",
            *("member", "NOT member", f"member = {draw.choice(['TRUE', 'FALSE'])}"),
            f"{column} {draw.choice(['=', '<>'])} '{words[0]}'",
            f"{column} {draw.choice(['IN', 'NOT IN'])} ({many})",
            f"kids {draw.choice(['IN', 'NOT IN'])} (0, 2, 7)",
            f"{draw.choice(['pay', 'd', 'seen', 'sex', 'member', 'kids'])} IS {draw.choice(nulls)}",
            f"age BETWEEN {draw.randrange(-5, 40)} AND {draw.randrange(30, 99)}",
            f"age NOT BETWEEN 18 AND {draw.randrange(10, 99)}",
            f"town LIKE '{draw.choice(['A%', '%l%', '%m', 'Z%l', 'Ulm', '%'])}'",
            f"region NOT LIKE '{draw.choice(['N%', '%t%', '_', 'N_r%'])}'",
            f"region ILIKE '{draw.choice(['n%', '%EAST', '_'])}'",
            f"STARTS_WITH(town, '{draw.choice('AUZ')}')",
            f"d {sign} DATE '{day}'",
            f"d BETWEEN DATE '2022-06-01' AND DATE '{day}'",
            f"seen {draw.choice(['<', '>='])} TIMESTAMP '{day} 12:30:00'",
            f"YEAR(d) {sign} 2023",
            f"YEAR(born) {sign} {draw.randrange(1984, 2006)}",
            f"{draw.choice(['MONTH', 'QUARTER'])}(born) {sign} {draw.randrange(1, 13)}",
            f"DATE_TRUNC('{draw.choice(['year', 'quarter', 'month', 'week'])}', born) {sign} "
            f"DATE '{draw.randrange(1985, 2005)}-0{draw.randrange(1, 10)}-01'",
            "YEAR(born) IS NULL",
            f"home LIKE '{draw.choice(['NA', 'N%', 'null', '%'])}'",
            f"LEFT(home, 2) {draw.choice(['=', '<>'])} '{draw.choice(['NA', 'nu', 'DE'])}'",
            f"d {draw.choice(['IN', 'NOT IN'])} (DATE '{day}', DATE '2023-01-01')",
            f"DATE(seen) {sign} DATE '{day}'",
            *(
                f"d {sign} born",
                f"DATE(seen) {sign} d",
                f"DATE_TRUNC('month', d) {sign} DATE(seen)",
            ),
            f"d - {draw.choice(['born', 'DATE(seen)'])} {sign} {draw.randrange(-900, 12000)}",
            f"d {sign} DATE '{day}' + INTERVAL '{draw.randrange(-40, 40)}' DAY",
            f"d {sign} DATE '{day}' - INTERVAL {draw.randrange(14)} MONTH",
            f"d {draw.choice('+-')} INTERVAL {draw.randrange(1, 30)} MONTH {sign} DATE '{day}'",
            f"LAST_DAY({draw.choice(['d', 'born'])}) {sign} DATE '{day}'",
            f"COALESCE(d, born) {sign} DATE '{day}'",
            f"CASE WHEN sex = 'f' THEN d ELSE born END {sign} DATE '{day}'",
            f"pay BETWEEN 0.1 - {draw.randrange(9)}.35 AND 2.5 * {draw.randrange(1, 30)} + 0.15",
            f"DATE_TRUNC('month', d) {draw.choice(['=', '<', '>='])} DATE '{day[:8]}01'",
            "CASE WHEN sex = 'f' THEN age > 30 ELSE kids = 1 END",
            f"{draw.choice(['age', 'kids'])} > {draw.choice(['kids', 'pay', 'age'])}",
            *("LOWER(region) = 'n'", f"LENGTH(town) {sign} 3", "TRIM(town) = 'Ulm'"),
            *(f"NOT {column} = '{words[0]}'", f"'{words[0]}' = {column}", "1 = 1", "TRUE"),
            f"{draw.choice(['member', '(age > 30)'])} IS {draw.choice(['TRUE', 'NOT FALSE'])}",
            f"COALESCE(member, {draw.choice(['TRUE', 'FALSE'])})",
            f"COALESCE({column}, 'x') <> '{words[0]}'",
            f"({column} = '{words[0]}') = (kids = 1)",
        ]
        if depth <= 0 or draw.random() < 0.3:
            return draw.choice(leaves)
        one, other = self.truth(depth - 1), self.truth(depth - 1)
        return draw.choice(
            [
                *(f"({one} AND {other})", f"({one} OR {other})", f"NOT ({one})"),
                f"{self.number(depth - 1)} {sign} {self.number(depth - 1)}",
                f"({self.number(depth - 1)}) IS NOT NULL",
                f"{self.text(depth - 1)} = '{words[0]}'",
            ]
        )

    def aggregate(self) -> str:
        """An aggregate of which DuckDB has the same."""
        draw = self.draw
        limits = f", contribution_bounds_per_row => ({_LIMITS[0]}, {_LIMITS[1]})"
        x = self.number(2)
        plain = draw.choice(["age", "kids", "pay"])
        q = draw.choice(["0.1", "0.5", "0.75"])
        found = draw.choice(
            [
                *("COUNT(*)", f"COUNT({draw.choice([*_REAL, *_TEXTS, 'd', 'seen'])})"),
                f"COUNT({x})",
                f"COUNT(DISTINCT {draw.choice([*_REAL, *_TEXTS])})",
                *(f"COUNT(DISTINCT {self.text(2)})", f"COUNT_IF({self.truth(1)})"),
                *(f"SUM({plain})", f"AVG({plain})", f"MIN({plain})", f"MAX({plain})"),
                f"SUM({x}{limits})",
                f"AVG({x}{limits})",
                f"QUANTILE_DISC({plain}, {q})",
                f"PERCENTILE_DISC({q}) WITHIN GROUP (ORDER BY {plain})",
                f"VAR_POP({plain})",
                f"STDDEV_POP({plain})",
                f"VAR_SAMP({plain})",
                *(
                    f"SUM(CAST({self.truth(1)} AS INT))",
                    f"AVG(CASE WHEN {self.truth(1)} THEN 1 ELSE 0 END)",
                    f"SUM(CASE WHEN YEAR(born) < {draw.randrange(1984, 2006)} THEN 1 END)",
                    f"COUNT(DISTINCT {draw.choice(['UPPER(home)', 'YEAR(born)', 'kids > 1'])})",
                ),
                *("MIN(d)", "MAX(d)", "SUM(kids * 2)", f"SUM({plain} - 1)", "AVG(age + kids)"),
                *("MAX(age - kids)", "MIN(ABS(age))", "SUM(people)" if self.joined else "SUM(1)"),
                f"COVAR_POP(age, {draw.choice(['kids', 'pay'])})",
            ]
        )
        if draw.random() < 0.3 and "STDDEV" not in found:
            return f"{found} FILTER (WHERE {self.truth(1)})"
        return found

    def query(self) -> Query:
        """A whole query."""
        draw = self.draw
        source, before = "t", ""
        if draw.random() < 0.3:
            before = (
                f"WITH s AS (SELECT *, {self.number(2)} AS extra FROM t WHERE {self.truth(1)}) "
            )
            source = "s"
        if draw.random() < 0.15:
            kind = draw.choice(["JOIN", "LEFT JOIN"])
            source += f" {kind} places p ON p.code = region"
            self.joined = True
            self.columns.append("people")
            self.texts.append("land")
        elif draw.random() < 0.15:
            source += f" {draw.choice(['JOIN', 'LEFT JOIN'])} homes h ON {source}.home = h.sign"
            self.columns.append("size")
            self.texts.append("named")
        keys = draw.sample(
            ["region", "sex", "kids", "member", "(CASE WHEN age < 18 THEN 'c' ELSE 'a' END)",
             "UPPER(sex)", "QUARTER(d)", "DATE_TRUNC('year', d)", "EXTRACT(YEAR FROM seen)",
             "region || '/' || sex", "COALESCE(region, 'none')", "kids > 1", "LEFT(region, 1)",
             "d IS NULL", "HOUR(seen)", "home", "LOWER(home)", "COALESCE(home, '?')",
             "CAST(FLOOR(age / 40) AS INT)", "d > born",
             "NOT member", "home = 'NA'", "age > 20 OR member", "CAST(kids > 1 AS INT)",
             "CASE WHEN age > 20 THEN home ELSE sex END", "COALESCE(member, kids > 1)"],
            draw.choice([0, 0, 1, 1, 2]),
        )  # fmt: skip
        parts = [f"{key} AS k{i}" for i, key in enumerate(keys)]
        aggregates = ["COUNT(*)", *(self.aggregate() for _ in range(draw.randrange(1, 4)))]
        if draw.random() < 0.2:
            aggregates.append("CASE WHEN COUNT(*) > 5 THEN COUNT(*) * 2 - 1 ELSE 0 END")
        parts += [f"{aggregate} AS a{i}" for i, aggregate in enumerate(aggregates)]
        sql = f"{before}SELECT {', '.join(parts)} FROM {source}"
        if draw.random() < 0.6:
            sql += f" WHERE {self.truth(2)}"
        if keys:
            sql += " GROUP BY " + ", ".join(
                draw.choice([f"k{i}", str(i + 1)]) for i in range(len(keys))
            )
            if draw.random() < 0.3:
                sql += f" HAVING COUNT(*) {draw.choice(['>', '<='])} {draw.randrange(1, 9)}"
            elif draw.random() < 0.4:  # NULL and keys without rows are groups of one of the two
                there = [f"k{i} IS NOT NULL" for i in range(len(keys))]
                order = [f"k{i}{draw.choice(['', ' DESC'])}" for i in range(len(keys))]
                sql += f" HAVING {' AND '.join(['COUNT(*) > 0', *there])} ORDER BY "
                sql += f"{', '.join(order)} LIMIT {draw.randrange(1, 6)}"
        return Query(sql, len(keys))


# --- both answers ---------------------------------------------------------------------------------


def of_duckdb(connection: Any, sql: str) -> list[tuple[Any, ...]]:
    """Its answer, with the words of ours that it has not."""
    limits = f", contribution_bounds_per_row => ({_LIMITS[0]}, {_LIMITS[1]})"
    rows: list[tuple[Any, ...]] = connection.execute(sql.replace(limits, "")).fetchall()
    return rows


def connected(rows: Any) -> Any:
    """DuckDB with the private and the public table."""
    duckdb = optional("duckdb")
    connection = duckdb.connect()
    connection.register("t", rows)
    connection.execute(
        "CREATE TABLE places AS SELECT * FROM (VALUES ('N', 'up', 50), ('S', 'down', 30), "
        "('E', 'up', 20)) x(code, land, people)"
    )
    connection.execute(
        "CREATE TABLE homes AS SELECT * FROM (VALUES ('NA', 'Namibia', 3), ('DE', 'NA', NULL), "
        "('null', NULL, 1)) x(sign, named, size)"
    )
    return connection


def disagreement(found: Any, wanted: Any) -> bool:
    """Whether a number of ours is another one than theirs."""
    if wanted is not None and isinstance(wanted, bool) != isinstance(found, bool):
        return True
    if wanted is None or (isinstance(wanted, float) and not math.isfinite(wanted)):
        return False  # of no rows ours is a number
    if isinstance(wanted, (bool, str, date)) or isinstance(found, (str, date)):
        shown = wanted.date() if isinstance(wanted, datetime) else wanted
        return bool(found != shown)
    return abs(float(found) - float(wanted)) > 1e-6 * abs(float(wanted)) + 0.3


def check(query: Query, answer: Any, theirs: list[tuple[Any, ...]]) -> None:
    """Every group of theirs is one of ours with the same numbers; others of ours are empty."""
    groups = {row[: query.keys]: row[query.keys :] for row in map(_plain, answer.rows)}
    if " ORDER BY k0" in query.sql:
        ordered = [row[: query.keys] for row in map(_plain, theirs)]
        assert [*groups] == ordered, (query.sql, [*groups], ordered)
    for row in map(_plain, theirs):
        key, numbers = row[: query.keys], row[query.keys :]
        if None in key:
            continue  # it is a group here only if the schema says so
        assert key in groups, (query.sql, row, answer.rows)
        mine = next(one for one in groups if one == key)
        assert [*map(type, mine)] == [*map(type, key)], (query.sql, mine, key)
        for found, wanted in zip(groups.pop(key), numbers, strict=True):
            assert not disagreement(found, wanted), (query.sql, key, found, wanted)
    if "HAVING" not in query.sql:
        assert all(round(row[0]) == 0 for row in groups.values()), (query.sql, groups)


def _plain(row: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(x.date() if isinstance(x, datetime) else x for x in row)


def _entries(rows: Any) -> dict[str, list[Any]]:
    """Lists, whose columns have no types: text of everything but dates."""
    listed: dict[str, list[Any]] = rows.to_pydict()
    kept = ("d", "seen", "born", "member")
    return {
        name: entries if name in kept else [None if x is None else str(x) for x in entries]
        for name, entries in listed.items()
    }


def compare(seed: int, count: int, label: str = "memory") -> tuple[int, int]:
    """How many random queries of random rows were answered alike, and how many were refused."""
    draw = random.Random(seed)
    rows = random_rows(draw, 60)
    connection = connected(rows)
    answered = refused = 0
    front = {"memory": lambda: rows, "entries": lambda: _entries(rows)}
    data = front[label]() if label in front else on_engine(label, rows)
    with ln.open(data, relation="add-remove") as opened:
        for i in range(count):
            query = Writer(draw).query()
            theirs = of_duckdb(connection, query.sql)
            try:
                with simulate(i):
                    answer = opened.sql(query.sql, schema=SCHEMA, epsilon=EPSILON)
            except QueryError:
                refused += 1
                continue
            check(query, answer, theirs)
            answered += 1
    return answered, refused
