"""Questions in SQL, each beside the same question by the Python API."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any

import leastnoise as ln

col = ln.col

_N = 48
ROWS: dict[str, list[Any]] = {
    "region": [["North", "South", "East", None][i * 7 % 4] for i in range(_N)],
    "sex": [["f", "m"][i * 5 % 2] for i in range(_N)],
    "age": [(i * 37) % 90 for i in range(_N)],
    "pay": [None if i % 11 == 3 else 100.5 * ((i * 29) % 61) for i in range(_N)],
    "hours": [None if i % 13 == 5 else (i * 17) % 60 for i in range(_N)],
    "kids": [(i * 3) % 5 for i in range(_N)],
    "member": [i % 3 == 0 for i in range(_N)],
    "town": [["Aach", "Ulm", "Zell"][i * i % 3] for i in range(_N)],
    "day": [None if i % 7 == 2 else date(2023, 11, 20) + timedelta(i * 5 % 99) for i in range(_N)],
}
SCHEMA: dict[str, Any] = {
    "columns": {
        "region": {"keys": ["North", "South", "East"]},
        "sex": {"keys": ["f", "m"]},
        "member": {"keys": [0, 1]},
        "age": {"bounds": [0, 120], "step": 1},
        "pay": {"bounds": [0, 10_000]},
        "hours": {"bounds": [0, 100], "step": 1},
        "kids": {"bounds": [0, 20], "step": 1, "keys": [0, 1, 2, 3, 4]},
        "day": {"bounds": [date(2023, 11, 1), date(2024, 2, 29)]},
        "area": {"keys": ["A", "U"]},
        "decade": {"keys": [0, 10, 20, 30, 40, 50, 60, 70, 80]},
    },
    "public": {
        "regions": {
            "key": "code",
            "columns": {
                "code": ["North", "South", "East"],
                "land": ["up", "down", "up"],
                "people": [5, 3, 2],
            },
        }
    },
}
AGE, PAY = {"bounds": (0, 120), "step": 1}, {"bounds": (0, 10_000)}
HOURS, KIDS = {"bounds": (0, 100), "step": 1}, {"bounds": (0, 20), "step": 1}
REGION, SEX = ["North", "South", "East"], ["f", "m"]
Row = Mapping[str, Any]


@dataclass(frozen=True)
class Case:
    """A query, and the table of a batch that asks the same.

    ``added`` are the columns that its values are, worked out row by row in Python; the columns of
    the answer are those of the statistics, after the keys, unless ``columns`` says otherwise.
    """

    sql: str
    statistics: Mapping[str, Any]
    where: Any = None
    groups: Mapping[str, Any] | None = None
    added: Mapping[str, Callable[[Row], Any]] = field(default_factory=dict)
    columns: Callable[..., Any] | None = None
    weights: Mapping[str, Any] | None = None


def of_sample(sql: str, statistic: Any, rows: Any, value: Callable[..., Any], **more: Any) -> Case:
    """What is divided by n - 1: a noisy number of rows costs a tenth of the aggregate's share."""
    return Case(
        f"SELECT {sql} FROM t",
        {"x": statistic, "n": rows},
        columns=lambda x, n: value(x, max(2, n)),
        weights={"x": 9, "n": 1},
        **more,
    )


def one(sql: str, statistic: Any, **more: Any) -> Case:
    """A query of one aggregate."""
    return Case(sql, {"x": statistic}, **more)


def total(value: Callable[[Row], Any], sql: str, low: float, high: float, step: int | None) -> Case:
    """The sum of a computed value, whose limits are worked out."""
    return one(
        f"SELECT SUM({sql}) FROM t",
        ln.Sum("v", bounds=(low, high), step=step),
        added={"v": value},
    )


def counted(value: Callable[[Row], Any], sql: str) -> Case:
    """The number of rows for which a condition is true."""
    return one(
        f"SELECT COUNT(*) FROM t WHERE {sql}",
        ln.Count(),
        where=col("v") == 1,
        added={"v": lambda row: None if value(row) is None else int(value(row))},
    )


def _maybe(value: Callable[..., Any], *names: str) -> Callable[[Row], Any]:
    """Missing where one of the columns is."""

    def found(row: Row) -> Any:
        given = [row[name] for name in names]
        return None if any(entry is None for entry in given) else value(*given)

    return found


_AGGREGATES: list[Case] = [
    one("SELECT COUNT(*) FROM t", ln.Count()),
    one("select count(*) from t", ln.Count()),
    one("SELECT COUNT(1) FROM t", ln.Count()),
    one("SELECT COUNT(pay) FROM t", ln.Count("pay")),
    one("SELECT COUNT(region) FROM t", ln.Count("v"), added={"v": _maybe(lambda x: 1, "region")}),
    one("SELECT COUNT(DISTINCT town) FROM t", ln.CountDistinct("town")),
    one("SELECT COUNT(DISTINCT age) FROM t", ln.CountDistinct("age")),
    one("SELECT APPROX_COUNT_DISTINCT(age) FROM t", ln.CountDistinct("age")),
    one("SELECT SUM(pay) FROM t", ln.Sum("pay", **PAY)),
    one("SELECT AVG(pay) FROM t", ln.Mean("pay", **PAY)),
    one("SELECT MEDIAN(pay) FROM t", ln.Median("pay", **PAY)),
    one("SELECT MIN(hours) FROM t", ln.Minimum("hours", **HOURS)),
    one("SELECT MAX(hours) FROM t", ln.Maximum("hours", **HOURS)),
    one("SELECT VAR_POP(age) FROM t", ln.Variance("age", **AGE)),
    one("SELECT STDDEV_POP(age) FROM t", ln.StandardDeviation("age", **AGE)),
    *(
        of_sample(sql, ln.Variance("pay", **PAY), ln.Count("pay"), lambda x, n: x * (n / (n - 1)))
        for sql in ("VAR_SAMP(pay)", "VARIANCE(pay)")
    ),
    *(
        of_sample(
            f"{sql}(age)",
            ln.StandardDeviation("age", **AGE),
            ln.Count("age"),
            lambda x, n: x * (n / (n - 1)) ** 0.5,
        )
        for sql in ("STDDEV", "STDDEV_SAMP")
    ),
    of_sample(
        "COVAR_SAMP(age, hours)",
        ln.Covariance(columns=["age", "hours"], bounds=[(0, 120), (0, 100)]),
        ln.Count("v"),
        lambda x, n: x[0][1] * (n / (n - 1)),
        added={"v": lambda r: None if r["hours"] is None else 1},
    ),
    one("SELECT QUANTILE_DISC(pay, 0.9) FROM t", ln.Quantile("pay", q="0.9", **PAY)),
    one("SELECT QUANTILE_CONT(pay, 0.25) FROM t", ln.Quantile("pay", q="0.25", **PAY)),
    one("SELECT QUANTILE(pay, 0.1) FROM t", ln.Quantile("pay", q="0.1", **PAY)),
    one("SELECT PERCENTILE_CONT(pay, 0.5) FROM t", ln.Quantile("pay", q="0.5", **PAY)),
    one("SELECT APPROX_QUANTILE(pay, 0.5) FROM t", ln.Quantile("pay", q="0.5", **PAY)),
    one(
        "SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY pay) FROM t",
        ln.Quantile("pay", q="0.9", **PAY),
    ),
    one(
        "SELECT PERCENTILE_DISC(0.75) WITHIN GROUP (ORDER BY age ASC) FROM t",
        ln.Quantile("age", q="0.75", **AGE),
    ),
    one("SELECT MODE(region) FROM t", ln.Mode("region", categories=REGION)),
    one(
        "SELECT MODE() WITHIN GROUP (ORDER BY region) FROM t",
        ln.Mode("region", categories=REGION),
    ),
    one(
        "SELECT CORR(age, pay) FROM t",
        ln.Correlation(columns=["age", "pay"], bounds=[(0, 120), (0, 10_000)]),
        columns=lambda x: x[0][1],
    ),
    one(
        "SELECT COVAR_POP(age, hours) FROM t",
        ln.Covariance(columns=["age", "hours"], bounds=[(0, 120), (0, 100)]),
        columns=lambda x: x[0][1],
    ),
    one(
        "SELECT COUNT_IF(age >= 65) FROM t",
        ln.Count("v"),
        added={"v": lambda r: 1 if r["age"] >= 65 else None},
    ),
    one(
        "SELECT COUNTIF(pay > 100) FROM t",
        ln.Count("v"),
        added={"v": lambda r: 1 if (r["pay"] or 0) > 100 else None},
    ),
    one(
        "SELECT COUNT(*) FILTER (WHERE sex = 'f') FROM t",
        ln.Count("v"),
        added={"v": lambda r: 1 if r["sex"] == "f" else None},
    ),
    one(
        "SELECT SUM(pay) FILTER (WHERE sex = 'f') FROM t",
        ln.Sum("v", **PAY),
        added={"v": lambda r: r["pay"] if r["sex"] == "f" else None},
    ),
    one(
        "SELECT AVG(pay, contribution_bounds_per_row => (0, 5000)) FROM t",
        ln.Mean("pay", bounds=(0, 5000)),
    ),
    one(
        "SELECT MEDIAN(CASE WHEN region = 'North' THEN pay END) FROM t",
        ln.Median("v", **PAY),
        added={"v": lambda r: r["pay"] if r["region"] == "North" else None},
    ),
    one(
        "SELECT MODE(CASE WHEN age < 30 THEN 'young' WHEN age < 60 THEN 'grown' ELSE 'old' "
        "END) FROM t",
        ln.Mode("v", categories=["young", "grown", "old"]),
        added={"v": lambda r: "young" if r["age"] < 30 else "grown" if r["age"] < 60 else "old"},
    ),
    Case(
        "SELECT COUNT(*) AS n, AVG(pay) AS mean, MEDIAN(hours) AS middle FROM t",
        {"n": ln.Count(), "mean": ln.Mean("pay", **PAY), "middle": ln.Median("hours", **HOURS)},
    ),
    Case(
        "SELECT COUNT(*) AS n, COUNT(*) + 1 AS more FROM t",
        {"n": ln.Count()},
        columns=lambda n: (n, n + 1),
    ),
    Case(
        "SELECT SUM(pay) / COUNT(*) AS mean FROM t",
        {"a": ln.Sum("pay", **PAY), "b": ln.Count()},
        columns=lambda a, b: None if b == 0 else a / b,
    ),
]
_FILTERS: list[Case] = [
    one(f"SELECT COUNT(*) FROM t WHERE {sql}", ln.Count(), where=where)
    for sql, where in [
        ("age >= 18", col("age") >= 18),
        ("18 <= age", col("age") >= 18),
        ("age > 17.5 AND age < 65", (col("age") > 17.5) & (col("age") < 65)),
        ("age BETWEEN 18 AND 65", (col("age") >= 18) & (col("age") <= 65)),
        ("age NOT BETWEEN 18 AND 65", ~((col("age") >= 18) & (col("age") <= 65))),
        ("sex = 'f'", col("sex") == "f"),
        ("'f' = sex", col("sex") == "f"),
        ("sex <> 'f'", col("sex") != "f"),
        ("sex != 'f'", col("sex") != "f"),
        ("NOT sex = 'f'", ~(col("sex") == "f")),
        ("region IN ('North', 'South')", col("region").is_in(["North", "South"])),
        ("region NOT IN ('North', 'South')", ~col("region").is_in(["North", "South"])),
        ("kids IN (1, 2, 3)", col("kids").is_in([1, 2, 3])),
        ("pay IS NULL", col("pay").is_missing()),
        ("pay IS NOT NULL", ~col("pay").is_missing()),
        ("region IS NULL OR age < 30", col("region").is_missing() | (col("age") < 30)),
        ("member", col("member") == 1),
        ("NOT member", ~(col("member") == 1)),
        ("member = TRUE", col("member") == 1),
        ("member = FALSE AND kids = 0", (col("member") == 0) & (col("kids") == 0)),
        (
            "(age < 20 OR age > 60) AND sex = 'm'",
            ((col("age") < 20) | (col("age") > 60)) & (col("sex") == "m"),
        ),
        ("pay > -1", col("pay") > -1),
        ("pay = 1e3", col("pay") == 1000),
    ]
]
_COMPUTED_FILTERS: list[Case] = [
    counted(_maybe(lambda p, h: p / h > 50 if h else None, "pay", "hours"), "pay / hours > 50"),
    counted(_maybe(lambda p, h: p > h, "pay", "hours"), "pay > hours"),
    counted(_maybe(lambda p, h: not p > h, "pay", "hours"), "NOT pay > hours"),
    counted(lambda r: r["age"] % 2 == 0, "age % 2 = 0"),
    counted(lambda r: r["age"] % 10 == 3, "MOD(age, 10) = 3"),
    counted(lambda r: r["age"] + r["kids"] in (20, 30), "age + kids IN (20, 30)"),
    counted(lambda r: abs(r["age"] - 40) <= 10, "ABS(age - 40) <= 10"),
    counted(lambda r: (r["pay"] or 0) < 500, "COALESCE(pay, 0) < 500"),
    counted(
        lambda r: r["region"] is None or r["region"] == "East", "COALESCE(region, 'East') = 'East'"
    ),
    counted(_maybe(lambda p, h: 1, "pay", "hours"), "pay + hours IS NOT NULL"),
    counted(lambda r: r["hours"] in (None, 0), "NULLIF(hours, 0) IS NULL"),
    counted(
        lambda r: r["age"] < 30 or r["region"] == "North",
        "CASE WHEN age < 30 THEN 'a' WHEN region = 'North' THEN 'a' ELSE 'b' END = 'a'",
    ),
    counted(lambda r: r["age"] == 7, "1 = 1 AND age = 7"),
]
_PATTERNS: list[Case] = [
    counted(lambda r, f=f: f(r["town"]), sql)
    for sql, f in [
        ("town LIKE 'A%'", lambda t: t.startswith("A")),
        ("town LIKE '%l_%' ESCAPE '_'", lambda t: "l%" in t),
        ("town NOT LIKE '%ll'", lambda t: not t.endswith("ll")),
        ("town LIKE '%l%' OR town LIKE 'A%ch'", lambda t: True),
        ("town LIKE 'Zell%ll'", lambda t: False),
        ("town LIKE 'Ulm'", lambda t: t == "Ulm"),
        ("STARTS_WITH(town, 'U')", lambda t: t[0] == "U"),
        ("SUBSTR(town, 2, 1) = 'e'", lambda t: t[1] == "e"),
        ("SUBSTRING(town FROM 3) IN ('ch', 'm')", lambda t: t[2:] in ("ch", "m")),
        ("LENGTH(town) = 3", lambda t: len(t) == 3),
        ("TRIM(town) || '!' = 'Ulm!'", lambda t: t == "Ulm"),
        ("CONCAT(LEFT(town, 1), ' ', town) LIKE 'A A%'", lambda t: t == "Aach"),
    ]
] + [
    counted(_maybe(f, "region"), sql)
    for sql, f in [
        ("region LIKE 'N_r%h'", lambda r: r == "North"),
        ("region ILIKE '%T%'", lambda r: "t" in r),
        ("UPPER(region) = 'EAST'", lambda r: r == "East"),
        ("LOWER(SUBSTR(region, 1, 1)) IN ('n', 's')", lambda r: r[0] in "NS"),
        ("RIGHT(REPLACE(region, 'th', 'd'), 1) = 'd'", lambda r: r.endswith("th")),
    ]
]
_CALENDAR: list[Case] = [
    counted(_maybe(f, "day"), sql)
    for sql, f in [
        ("YEAR(day) = 2024", lambda d: d.year == 2024),
        ("EXTRACT(MONTH FROM day) IN (1, 12)", lambda d: d.month in (1, 12)),
        ("QUARTER(day) < 3", lambda d: d.month < 7),
        ("DATE_TRUNC('month', day) = DATE '2024-01-01'", lambda d: (d.year, d.month) == (2024, 1)),
        ("DATE(day) >= DATE '2024-01-15' AND 1 < 2", lambda d: d >= date(2024, 1, 15)),
        (
            "DATE_TRUNC('week', day) IN (DATE '2024-01-01', DATE '2024-01-08')",
            lambda d: date(2024, 1, 1) <= d < date(2024, 1, 15),
        ),
    ]
] + [
    one(
        "SELECT COUNT_IF(CAST(day AS DATE) < DATE '2024-01-01') FROM t",
        ln.Count("v"),
        added={"v": lambda r: 1 if r["day"] and r["day"].year < 2024 else None},
    ),
]
_SUMS: list[Case] = [
    total(lambda r: r["age"] + 1, "CAST(age AS INT) + 1", 1, 121, 1),
    total(_maybe(lambda p: p / 2, "pay"), "pay::DOUBLE / 2", 0, 5000, None),
    total(lambda r: len(r["town"][:3]), "LENGTH(LEFT(town, 3))", 0, 3, 1),
    total(_maybe(lambda d: d.year, "day"), "YEAR(day)", 2023, 2024, 1),
    total(lambda r: r["age"] * 2, "age * 2", 0, 240, 1),
    total(lambda r: r["age"] - r["kids"], "age - kids", -20, 120, 1),
    total(lambda r: -r["age"], "-age", -120, 0, 1),
    total(_maybe(lambda p, h: p * h, "pay", "hours"), "pay * hours", 0, 1_000_000, None),
    total(_maybe(lambda p: p / 4, "pay"), "pay / 4", 0, 2500, None),
    total(_maybe(lambda p, a: p / (a + 1), "pay", "age"), "pay / (age + 1)", 0, 10_000, None),
    total(lambda r: 1 if r["sex"] == "f" else 0, "CASE WHEN sex = 'f' THEN 1 ELSE 0 END", 0, 1, 1),
    total(lambda r: 1 if r["sex"] == "f" else 0, "CASE sex WHEN 'f' THEN 1 ELSE 0 END", 0, 1, 1),
    total(lambda r: 1 if r["age"] > 40 else None, "CASE WHEN age > 40 THEN 1 END", 0, 1, 1),
    total(lambda r: 1 if r["age"] > 40 else 0, "IF(age > 40, 1, 0)", 0, 1, 1),
    total(lambda r: int(r["age"] > 40), "age > 40", 0, 1, 1),
    total(lambda r: r["age"] // 10, "FLOOR(age / 10)", 0, 12, 1),
    total(lambda r: -(-r["age"] // 10), "CEIL(age / 10)", 0, 12, 1),
    total(lambda r: int(r["age"] / 10 + 0.5), "ROUND(age / 10)", 0, 12, 1),
    total(lambda r: int(r["age"] / 7), "TRUNC(age / 7)", 0, 17, 1),
    total(lambda r: (r["age"] > 40) - (r["age"] < 40), "SIGN(age - 40)", -1, 1, 1),
    total(lambda r: min(r["age"], 65), "LEAST(age, 65)", 0, 65, 1),
    total(lambda r: max(r["age"], 18), "GREATEST(age, 18)", 18, 120, 1),
    total(lambda r: r["hours"] or 0, "COALESCE(hours, 0)", 0, 100, 1),
    total(lambda r: r["hours"] if r["hours"] else None, "NULLIF(hours, 0)", 0, 100, 1),
    total(
        lambda r: (r["age"] - r["kids"]) * (r["age"] + r["kids"]),
        "(age - kids) * (age + kids)",
        -2800,
        16_800,
        1,
    ),
]
_FIRSTS = [date(2023, 11, 1), date(2023, 12, 1), date(2024, 1, 1), date(2024, 2, 1)]
_GROUPED: list[Case] = [
    Case(
        "SELECT DATE_TRUNC('month', day) AS month, COUNT(*) AS n FROM t GROUP BY month",
        {"n": ln.Count()},
        groups={"v": list(range(4))},
        added={"v": _maybe(lambda d: _FIRSTS.index(d.replace(day=1)), "day")},
        columns=lambda key, n: (_FIRSTS[key], n),
    ),
    Case(
        "SELECT YEAR(day) AS y, AVG(pay) AS a FROM t GROUP BY YEAR(day)",
        {"a": ln.Mean("pay", **PAY)},
        groups={"v": [2023, 2024]},
        added={"v": _maybe(lambda d: d.year, "day")},
    ),
    Case(
        "WITH x AS (SELECT SUBSTR(town, 1, 1) AS area FROM t) SELECT area, COUNT(*) AS n FROM x "
        "GROUP BY area",
        {"n": ln.Count()},
        groups={"v": ["A", "U"]},
        added={"v": lambda r: r["town"][0]},
    ),
    Case(
        "SELECT UPPER(region) || '-' || sex AS both, COUNT(*) AS n FROM t GROUP BY both",
        {"n": ln.Count()},
        groups={"v": [f"{r.upper()}-{s}" for r in REGION for s in SEX]},
        added={"v": lambda r: r["region"] and f"{r['region'].upper()}-{r['sex']}"},
    ),
    Case(
        "SELECT CAST(kids AS TEXT) AS k, COUNT(*) AS n FROM t GROUP BY 1",
        {"n": ln.Count()},
        groups={"v": ["0", "1", "2", "3", "4"]},
        added={"v": lambda r: f" {r['kids']} "},
    ),
    Case(
        "SELECT region, COUNT(*) AS n FROM t GROUP BY region",
        {"n": ln.Count()},
        groups={"region": REGION},
    ),
    Case(
        "SELECT REGION, COUNT(*) AS n FROM t GROUP BY REGION",
        {"n": ln.Count()},
        groups={"region": REGION},
    ),
    Case(
        'SELECT "region", COUNT(*) AS n FROM t GROUP BY "region"',
        {"n": ln.Count()},
        groups={"region": REGION},
    ),
    Case(
        "SELECT region, COUNT(*) AS n FROM t GROUP BY 1",
        {"n": ln.Count()},
        groups={"region": REGION},
    ),
    Case(
        "SELECT t.region, COUNT(*) AS n FROM t GROUP BY t.region",
        {"n": ln.Count()},
        groups={"region": REGION},
    ),
    Case(
        "SELECT p.region AS r, COUNT(*) AS n FROM t AS p GROUP BY r",
        {"n": ln.Count()},
        groups={"region": REGION},
    ),
    Case(
        "SELECT region, sex, MEDIAN(pay) AS m FROM t GROUP BY region, sex",
        {"m": ln.Median("pay", **PAY)},
        groups={"region": REGION, "sex": SEX},
    ),
    Case(
        "SELECT kids, AVG(age) AS a FROM t GROUP BY kids",
        {"a": ln.Mean("age", **AGE)},
        groups={"kids": [0, 1, 2, 3, 4]},
    ),
    Case(
        "SELECT member, SUM(hours) AS s FROM t GROUP BY member",
        {"s": ln.Sum("hours", **HOURS)},
        groups={"member": [0, 1]},
    ),
    Case(
        "SELECT region, COUNT(*) AS n, AVG(pay) AS a FROM t WHERE age >= 18 GROUP BY region",
        {"n": ln.Count(), "a": ln.Mean("pay", **PAY)},
        where=col("age") >= 18,
        groups={"region": REGION},
    ),
    Case(
        "SELECT COUNT(*) AS n FROM t GROUP BY sex",
        {"n": ln.Count()},
        groups={"sex": SEX},
        columns=lambda key, n: n,
    ),
    Case(
        "SELECT COUNT(*) AS n, sex FROM t GROUP BY sex",
        {"n": ln.Count()},
        groups={"sex": SEX},
        columns=lambda key, n: (n, key),
    ),
    Case(
        "SELECT CASE WHEN age < 18 THEN 'child' ELSE 'adult' END AS band, COUNT(*) AS n "
        "FROM t GROUP BY band",
        {"n": ln.Count()},
        groups={"v": ["child", "adult"]},
        added={"v": lambda r: "child" if r["age"] < 18 else "adult"},
    ),
    Case(
        "SELECT age >= 65 AS old, COUNT(*) AS n FROM t GROUP BY age >= 65",
        {"n": ln.Count()},
        groups={"v": [1, 0]},
        added={"v": lambda r: int(r["age"] >= 65)},
    ),
    Case(
        "SELECT FLOOR(age / 10) * 10 AS decade, COUNT(*) AS n FROM t GROUP BY decade",
        {"n": ln.Count()},
        groups={"v": list(range(0, 90, 10))},
        added={"v": lambda r: r["age"] // 10 * 10},
    ),
]
_ROW_QUERIES: list[Case] = [
    one(
        "WITH adults AS (SELECT * FROM t WHERE age >= 18) SELECT MEDIAN(pay) FROM adults",
        ln.Median("pay", **PAY),
        where=col("age") >= 18,
    ),
    one(
        "SELECT MEDIAN(pay) FROM (SELECT * FROM t WHERE age >= 18) AS adults",
        ln.Median("pay", **PAY),
        where=col("age") >= 18,
    ),
    one("SELECT MEDIAN(x.p) FROM (SELECT pay AS p FROM t) x", ln.Median("pay", **PAY)),
    one(
        "WITH a AS (SELECT age * 2 AS twice FROM t), b AS (SELECT twice + 1 AS odd FROM a) "
        "SELECT SUM(odd) FROM b",
        ln.Sum("v", bounds=(1, 241), step=1),
        added={"v": lambda r: r["age"] * 2 + 1},
    ),
    Case(
        "WITH b AS (SELECT *, CASE WHEN age < 18 THEN 'child' ELSE 'adult' END AS band "
        "FROM t) SELECT band, COUNT(*) AS n FROM b GROUP BY band",
        {"n": ln.Count()},
        groups={"v": ["child", "adult"]},
        added={"v": lambda r: "child" if r["age"] < 18 else "adult"},
    ),
    one(
        "WITH b AS (SELECT CASE WHEN age < 18 THEN 'child' ELSE 'adult' END AS band FROM "
        "t) SELECT COUNT(*) FROM b WHERE band = 'child'",
        ln.Count(),
        where=col("v") == "child",
        added={"v": lambda r: "child" if r["age"] < 18 else "adult"},
    ),
    one(
        "WITH a AS (SELECT * FROM t WHERE sex = 'f'), b AS (SELECT * FROM a WHERE age > "
        "30) SELECT COUNT(*) FROM b WHERE kids > 0",
        ln.Count(),
        where=((col("sex") == "f") & (col("age") > 30)) & (col("kids") > 0),
    ),
    one(
        "WITH b AS (SELECT COALESCE(region, 'East') AS place FROM t) SELECT COUNT(DISTINCT "
        "place) FROM b",
        ln.CountDistinct("v"),
        added={"v": lambda r: r["region"] or "East"},
    ),
]
_JOINS: list[Case] = [
    Case(
        "SELECT r.land, COUNT(*) AS n FROM t JOIN regions r ON t.region = r.code GROUP BY r.land",
        {"n": ln.Count()},
        groups={"v": ["up", "down"]},
        where=col("region").is_in(REGION),
        added={"v": lambda r: {"North": "up", "South": "down", "East": "up"}.get(r["region"])},
    ),
    one(
        "SELECT SUM(people) FROM t LEFT JOIN regions r ON r.code = t.region",
        ln.Sum("v", bounds=(2, 5), step=1),
        added={"v": lambda r: {"North": 5, "South": 3, "East": 2}.get(r["region"])},
    ),
    one(
        "SELECT COUNT(*) FROM t INNER JOIN regions r ON r.code = region WHERE land = 'up'",
        ln.Count(),
        where=col("region").is_in(REGION) & (col("v") == "up"),
        added={"v": lambda r: {"North": "up", "South": "down", "East": "up"}.get(r["region"])},
    ),
    one(
        "SELECT COUNT(*) FROM t LEFT JOIN regions r ON r.code = region WHERE land IS NULL",
        ln.Count(),
        where=col("region").is_missing(),
    ),
    one(
        "SELECT COUNT(*) FROM t LEFT JOIN regions r ON r.code = region WHERE land IN "
        "('up', 'down')",
        ln.Count(),
        where=col("region").is_in(REGION),
    ),
]
_RELEASED: list[Case] = [
    Case(
        "SELECT COUNT(*) AS n, ROUND(AVG(pay), 1) AS a FROM t",
        {"n": ln.Count(), "a": ln.Mean("pay", **PAY)},
        columns=lambda n, a: (n, int(abs(a) * 10 + 0.5) / 10),
    ),
    Case("SELECT 100 * COUNT(*) AS n FROM t", {"n": ln.Count()}, columns=lambda n: 100 * n),
    Case(
        "SELECT CASE WHEN COUNT(*) > 10 THEN 'many' ELSE 'few' END AS w FROM t",
        {"n": ln.Count()},
        columns=lambda n: "many" if n > 10 else "few",
    ),
    Case(
        "SELECT ABS(-COUNT(*)) AS n, COUNT(*) / 0 AS none FROM t",
        {"n": ln.Count()},
        columns=lambda n: (abs(n), None),
    ),
    Case(
        "SELECT GREATEST(COUNT(*), 1000) AS n, NULLIF(1, 1) AS z FROM t",
        {"n": ln.Count()},
        columns=lambda n: (max(n, 1000), None),
    ),
    Case(
        "SELECT MAX(pay) - MIN(pay) AS span FROM t",
        {"a": ln.Maximum("pay", **PAY), "b": ln.Minimum("pay", **PAY)},
        columns=lambda a, b: a - b,
    ),
    Case("SELECT COALESCE(NULL, COUNT(*)) AS n FROM t", {"n": ln.Count()}),
]

CASES: list[Case] = [
    *_AGGREGATES,
    *_FILTERS,
    *_COMPUTED_FILTERS,
    *_PATTERNS,
    *_CALENDAR,
    *_SUMS,
    *_GROUPED,
    *_ROW_QUERIES,
    *_JOINS,
    *_RELEASED,
]
