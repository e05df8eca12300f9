"""Why a part of a query is refused, and what comes nearest to it."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from leastnoise.sql.text import Tree

_ROWS = "ABS, CEIL, COALESCE, FLOOR, GREATEST, IF, LEAST, MOD, NULLIF, ROUND, SIGN, TRUNC"
AGGREGATES = (
    *("AVG", "CORR", "COUNT", "COUNT_IF", "COVAR_POP", "COVAR_SAMP", "MAX", "MEDIAN", "MIN"),
    *("MODE", "PERCENTILE_CONT", "PERCENTILE_DISC", "QUANTILE", "QUANTILE_CONT"),
    *("QUANTILE_DISC", "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "SUM", "VARIANCE", "VAR_POP"),
    "VAR_SAMP",
)

_QUERY = (
    "a query inside a query would look at other rows; write WITH name AS (SELECT ...) before it"
)
_CAST = (
    "a cast may fail on one row; columns are read as numbers or as text by what is asked of them, "
    "without a cast, and ROUND, FLOOR and CEIL give whole numbers"
)
_TIME = "the answer would depend on when it is asked; write a constant, DATE '2024-01-31'"
_DATES = "dates are no numbers here; have a column of days since a public date (docs/tables.md)"
_PATTERN = "patterns are not supported; write column IN ('N', 'S') with the texts that are meant"
_TEXTS = "text is compared as a whole and never changed; write column IN ('N', 'S'), or a CASE"
_ORDER = "one row's value would depend on others; write MIN, MAX, MEDIAN or MODE"
_LISTS = "a list of rows is never released; write GROUP BY with aggregates"
_RANDOM = "queries draw no random numbers; the noise is added to the answers"
_ROUGH = "its last digits differ from engine to engine; write it with + - * / and CASE"

_WHY = {
    **dict.fromkeys(("Subquery", "Select", "Exists", "Any", "All", "Union"), _QUERY),
    **dict.fromkeys(("Cast", "TryCast", "ToNumber", "TryToNumber"), _CAST),
    **dict.fromkeys(
        ("CurrentTimestamp", "CurrentDate", "CurrentTime", "CurrentDatetime", "Now", "UnixSeconds"),
        _TIME,
    ),
    **dict.fromkeys(
        ("Extract", "DateDiff", "DateAdd", "DateSub", "DateTrunc", "TimestampTrunc", "Year"), _DATES
    ),
    **dict.fromkeys(("Month", "Day", "Interval", "StrToDate", "TsOrDsToDate", "StrToTime"), _DATES),
    **dict.fromkeys(
        ("Like", "ILike", "RegexpLike", "RegexpILike", "SimilarTo", "Glob", "RegexpExtract"),
        _PATTERN,
    ),
    **dict.fromkeys(("RegexpReplace", "Escape", "LikeAny", "ILikeAny"), _PATTERN),
    **dict.fromkeys(
        ("Upper", "Lower", "Trim", "Substring", "Concat", "ConcatWs", "DPipe", "Length", "Left"),
        _TEXTS,
    ),
    **dict.fromkeys(("Right", "Replace", "StartsWith", "Split", "Initcap", "MD5", "SHA"), _TEXTS),
    **dict.fromkeys(("First", "Last", "AnyValue", "FirstValue", "LastValue", "ArgMax"), _ORDER),
    **dict.fromkeys(("ArgMin", "Order", "IgnoreNulls", "RespectNulls", "HavingMax"), _ORDER),
    **dict.fromkeys(("ArrayAgg", "GroupConcat", "JSONObjectAgg", "ArrayConcatAgg"), _LISTS),
    **dict.fromkeys(("Rand", "Randn", "Uuid", "Uniform"), _RANDOM),
    **dict.fromkeys(("Exp", "Ln", "Log", "Pow", "Sqrt", "Cbrt", "Sin", "Cos", "Tan"), _ROUGH),
    "Window": "a window looks at other rows; write GROUP BY",
    "Lag": "a window looks at other rows; write GROUP BY",
    "Lead": "a window looks at other rows; write GROUP BY",
    "Star": "rows are never released; name aggregates, COUNT(*)",
    "Distinct": "DISTINCT is supported in COUNT(DISTINCT column) only",
    "Placeholder": "queries take no parameters; write the constant",
    "Parameter": "queries take no parameters; write the constant",
}

_NAMED = {
    **dict.fromkeys(("NOW", "TODAY", "GETDATE", "SYSDATE", "CLOCK_TIMESTAMP", "LOCALTIME"), _TIME),
    **dict.fromkeys(("NEWID", "RANDOM", "UUID", "GEN_RANDOM_UUID", "SETSEED"), _RANDOM),
    **dict.fromkeys(("REGEXP_MATCHES", "REGEXP_FULL_MATCH", "CONTAINS", "SUFFIX"), _PATTERN),
}
_CALLED = {
    "DPipe": "||", "Select": "SELECT", "Subquery": "a subquery", "Star": "*", "Order": "ORDER BY",
}  # fmt: skip


def explain(node: Tree, wanted: str = "a value") -> str:
    """Why a form is refused where ``wanted`` is needed."""
    kind = type(node).__name__
    if kind in _WHY:
        return f"{called(node)} is refused: {_WHY[kind]}"
    if kind in ("Anonymous", "AnonymousAggFunc"):
        if str(node.this).upper() in _NAMED:
            return f"{called(node)} is refused: {_NAMED[str(node.this).upper()]}"
        near = get_close_matches(str(node.this).upper(), (*AGGREGATES, *_ROWS.split(", ")), 1)
        hint = f"did you mean {near[0]}?" if near else f"functions of rows are {_ROWS}"
        return f"{called(node)} is not known, and functions of your own are not called; {hint}"
    if wanted == "a condition":
        return (
            f"{called(node)} is no condition: write comparisons, IN, BETWEEN and IS NULL, joined "
            "by AND, OR and NOT"
        )
    return f"{called(node)} is not supported; functions of rows are {_ROWS}, and CASE"


def called(node: Tree) -> str:
    """What a form is called in SQL."""
    kind = type(node).__name__
    if kind in ("Anonymous", "AnonymousAggFunc"):
        return str(node.this).upper()
    names: Any = getattr(node, "sql_names", list[str])()  # of functions
    if names:
        return str(names[0])
    return _CALLED.get(kind, kind.upper())
