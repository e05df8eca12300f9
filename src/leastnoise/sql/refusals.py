"""Why a part of a query is refused, and what comes nearest to it."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from leastnoise.sql.places import NAMED

if TYPE_CHECKING:
    from leastnoise.sql.text import Tree

_ROWS = (
    "ABS, CEIL, COALESCE, CONCAT, DATE_TRUNC, FLOOR, GREATEST, HOUR, IF, LEAST, LEFT, LENGTH, "
    "LOWER, MOD, MONTH, NULLIF, QUARTER, REPLACE, REVERSE, RIGHT, ROUND, SIGN, SUBSTR, TRIM, "
    "TRUNC, UPPER, YEAR"
)
AGGREGATES = (
    *("AVG", "CORR", "COUNT", "COUNT_IF", "COVAR_POP", "COVAR_SAMP", "MAX", "MEDIAN", "MIN"),
    *("MODE", "PERCENTILE_CONT", "PERCENTILE_DISC", "QUANTILE", "QUANTILE_CONT"),
    *("QUANTILE_DISC", "STDDEV", "STDDEV_POP", "STDDEV_SAMP", "SUM", "VARIANCE", "VAR_POP"),
    "VAR_SAMP",
)
_RELEASED = (
    "+ - * / %, comparisons, AND, OR, NOT, IN, BETWEEN, IS NULL, ABS, CEIL, FLOOR, ROUND, "
    "TRUNC, COALESCE, NULLIF, GREATEST, LEAST, IF and CASE"
)

_QUERY = (
    "a query inside a query would look at other rows; write WITH name AS (SELECT ...) before it"
)
_CAST = "engines differ in it, and a cast may fail on one row"
_TIME = "the answer would depend on when it is asked; write a constant, DATE '2024-01-31'"
_DATES = "dates are no numbers here; have a column of days since a public date (docs/tables.md)"
_PATTERN = "patterns other than LIKE are not supported; write LIKE 'N%', or IN ('N', 'S')"
_FORMATS = "engines differ in it; write EXTRACT(YEAR FROM column) or DATE_TRUNC('month', column)"
_TEXTS = "engines differ in it; write SUBSTR, CONCAT or LIKE, or a CASE"
_ORDER = "one row's value would depend on others; write MIN, MAX, MEDIAN or MODE"
_LISTS = "a list of rows is never released; write GROUP BY with aggregates"
_RANDOM = "queries draw no random numbers; the noise is added to the answers"
_ROUGH = "its last digits differ from engine to engine; write it with + - * / and CASE"

_BITS = "bits are not worked out; write + - * / for numbers, and AND, OR, NOT for conditions"

_WHY = {
    **dict.fromkeys(("Subquery", "Select", "Exists", "Any", "All", "Union"), _QUERY),
    **dict.fromkeys(("Cast", "TryCast", "ToNumber", "TryToNumber"), _CAST),
    **dict.fromkeys(
        ("CurrentTimestamp", "CurrentDate", "CurrentTime", "CurrentDatetime", "Now", "UnixSeconds"),
        _TIME,
    ),
    **dict.fromkeys(
        ("Extract", "DateDiff", "DateAdd", "DateSub", "Day", "DayOfWeek", "DayOfMonth"), _DATES
    ),
    **dict.fromkeys(("Interval", "StrToDate", "TsOrDsToDate", "StrToTime", "Minute"), _DATES),
    **dict.fromkeys(
        ("RegexpLike", "RegexpILike", "SimilarTo", "Glob", "RegexpExtract", "RegexpReplace"),
        _PATTERN,
    ),
    **dict.fromkeys(("LikeAny", "ILikeAny"), _PATTERN),
    **dict.fromkeys(("ConcatWs", "Split", "Initcap", "MD5", "SHA", "StrPosition"), _TEXTS),
    **dict.fromkeys(("First", "Last", "AnyValue", "FirstValue", "LastValue", "ArgMax"), _ORDER),
    **dict.fromkeys(("ArgMin", "Order", "IgnoreNulls", "RespectNulls", "HavingMax"), _ORDER),
    **dict.fromkeys(("ArrayAgg", "GroupConcat", "JSONObjectAgg", "ArrayConcatAgg"), _LISTS),
    **dict.fromkeys(("Rand", "Randn", "Uuid", "Uniform"), _RANDOM),
    **dict.fromkeys(("Exp", "Ln", "Log", "Pow", "Sqrt", "Cbrt", "Sin", "Cos", "Tan"), _ROUGH),
    "Window": "a window looks at other rows; write GROUP BY",
    **dict.fromkeys(("NullSafeEQ", "NullSafeNEQ"), "write = and IS NULL, joined by OR"),
    "IntDiv": "write TRUNC(a / b)",
    **dict.fromkeys(("BitwiseAnd", "BitwiseOr", "BitwiseNot"), _BITS),
    **dict.fromkeys(("BitwiseLeftShift", "BitwiseRightShift"), _BITS),
    "BitwiseXor": "write x * x for a square",
    "Lag": "a window looks at other rows; write GROUP BY",
    "Lead": "a window looks at other rows; write GROUP BY",
    "Star": "rows are never released; name aggregates, COUNT(*)",
    "Distinct": "DISTINCT is supported in COUNT(DISTINCT column) only",
    "National": "write the text in quotes by itself, 'N'",
    **dict.fromkeys(
        ("Rollup", "Cube", "GroupingSets", "Grouping"), "give each grouping a query of its own"
    ),
    "Tuple": "it takes one value; join two texts, a || '-' || b",
    "Array": "lists are not read; write one call for each of its entries",
    "Placeholder": "queries take no parameters; write the constant",
    "Parameter": "queries take no parameters; write the constant",
}

_NAMED = {
    **dict.fromkeys(("NOW", "TODAY", "GETDATE", "SYSDATE", "CLOCK_TIMESTAMP", "LOCALTIME"), _TIME),
    **dict.fromkeys(("NEWID", "RANDOM", "UUID", "GEN_RANDOM_UUID", "SETSEED"), _RANDOM),
    **dict.fromkeys(("REGEXP_MATCHES", "REGEXP_FULL_MATCH", "SUFFIX"), _PATTERN),
    "DATE_PART": "write EXTRACT(YEAR FROM column)",
    **dict.fromkeys(("MEAN", "AVERAGE"), "write AVG"),
    **dict.fromkeys(("STDEVP", "STD"), "write STDDEV or STDDEV_POP"),
    **dict.fromkeys(("VAR", "VARP"), "write VAR_SAMP or VAR_POP"),
    **dict.fromkeys(("APPROX_PERCENTILE", "PERCENTILE_APPROX"), "write QUANTILE_DISC(column, 0.9)"),
    **dict.fromkeys(("LISTAGG", "COLLECT_LIST", "COLLECT_SET"), _LISTS),
    **dict.fromkeys(("STRFTIME", "DATE_FORMAT", "TO_CHAR", "FORMAT_DATE"), _FORMATS),
}
_CALLED = {
    "National": "N'...'",
    "BitwiseAnd": "&", "BitwiseOr": "|", "BitwiseNot": "~",
    "BitwiseLeftShift": "<<", "BitwiseRightShift": ">>",
    "DPipe": "||", "IntDiv": "DIV", "BitwiseXor": "^", "NullSafeEQ": "IS NOT DISTINCT FROM",
    "NullSafeNEQ": "IS DISTINCT FROM", "GroupingSets": "GROUPING SETS",
    "Tuple": "a list in brackets", "Array": "[...]",
    "Placeholder": "a parameter", "Parameter": "a parameter",
    "Select": "SELECT", "Subquery": "a subquery", "Star": "*", "Order": "ORDER BY",
}  # fmt: skip


def explain(node: Tree, wanted: str = "a value") -> str:
    """Why a form is refused where ``wanted`` is needed."""
    kind = type(node).__name__
    if kind in ("Cast", "TryCast") and wanted == "a released value":
        return "CAST is refused of released numbers: write ROUND, FLOOR or CEIL"
    if kind in _WHY:
        return f"{called(node)} is refused: {_WHY[kind]}"
    if wanted != "a released value" and (_is_aggregate(node) or called(node) in AGGREGATES):
        return (
            f"{called(node)} is an aggregate, where a value of one row is needed: ask for it by a "
            "query of its own, and write the number that it released"
        )
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
    if wanted == "a released value" and _is_aggregate(node):
        return f"{called(node)} is no aggregate here; they are {', '.join(AGGREGATES)}"
    if wanted == "a released value":
        return f"{called(node)} is not supported of released values; they have {_RELEASED}"
    return f"{called(node)} is not supported; functions of rows are {_ROWS}, and CASE"


def _is_aggregate(node: Tree) -> bool:
    from sqlglot import exp

    return isinstance(node, exp.AggFunc)


def unclosed(text: str) -> int | None:
    """Where a quote or a comment begins that has no end."""
    return next((found.start() for found in _TOKEN.finditer(text) if found[0] in _OPENING), None)


_TOKEN = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|/\*|.", re.DOTALL)
_OPENING = ("'", '"', "/*")


def unread(text: str, start: int | None, why: str) -> str:
    """Why a text is no SQL that is read, with what to write where that is known."""
    at = len(text) if start is None else start
    rest, before = text[max(0, at - 1) :], text[:at].rstrip()
    word = re.match(r"\W*(\w+)", text[at:])
    missing = re.match(r"Required keyword: '\w+' missing for <class '.*\.(\w+)'>", why)
    if missing:
        why = f"something is missing beside {missing[1].upper()}"
    near = get_close_matches(word[1].upper(), _WORDS, 1, 0.7) if word else []
    if re.match(r"[A-Za-z]'", rest):
        return f"{why}; texts stand in quotes, 'N', without a letter before them"
    if word and word[1].upper() == "XOR":
        return f"{why}; write (a AND NOT b) OR (b AND NOT a) for a XOR b"
    if re.search(r"(?i)\bSELECT\s+TOP\s*\(?\s*\d*$", before):
        return f"{why}; write LIMIT and the number of rows at the end"
    if re.search(r"(?i)\bDIV\s*(\([^()]*)?$", before):
        return f"{why}; write TRUNC(a / b) for DIV(a, b)"
    for sign, cure in _SIGNS.items():
        if rest.startswith(sign) or rest[1:].startswith(sign) or before.endswith(sign):
            return f"{why}; {cure}"
    if near and word and near[0] != word[1].upper():
        return f"{why}, {word[1]}; did you mean {near[0]}?"
    return why


_WORDS = (
    *("SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "BETWEEN", "WITH", "JOIN"),
    *("FILTER", "DESC", "DISTINCT", "AND"),
)
_SIGNS = {
    "`": 'names stand in double quotes, "region"',
    "//": "write TRUNC(a / b)",
    "/ ": "write TRUNC(a / b)",
    "#": "comments begin with --",
    "~": _PATTERN,
    "**": "write x * x for a square",
    "&&": "write AND",
}


def called(node: Tree) -> str:
    """What a form is called, in the words of the query."""
    return str(node.meta.get(NAMED)) if NAMED in node.meta else named(node)


def named(node: Tree) -> str:
    """What a form is called in SQL, however the query calls it."""
    kind = type(node).__name__
    if kind in ("Anonymous", "AnonymousAggFunc"):
        return str(node.this).upper()
    names: Any = getattr(node, "sql_names", list[str])()  # of functions
    if names:
        return str(names[0])
    return _CALLED.get(kind, kind.upper())
