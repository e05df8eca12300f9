"""Why a part of a query is refused, and what comes nearest to it."""

from __future__ import annotations

import re
from difflib import get_close_matches
from functools import cache
from typing import TYPE_CHECKING, Any

from leastnoise.sql import nearest
from leastnoise.sql.formats import since_1970
from leastnoise.sql.places import NAMED
from leastnoise.sql.rewritings import rewritten

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
    "a query inside a query would look at other rows; ask for its aggregate by a query of its own "
    "first, and write the number that it released"
)
_EXISTS = (
    "a query inside a query would look at other rows; JOIN a public table by its key, or write "
    "x IN ('N', 'S')"
)
_CAST = (
    "engines differ in it, and a cast may fail on one row; declare bounds of a column whose "
    "entries are numbers, or write CASE x WHEN 'N' THEN 1 ELSE 0 END"
)
_DATES = "dates are no numbers here; have a column of days since a public date (docs/tables.md)"
_ORDER = "one row's value would depend on others; write MIN, MAX, MEDIAN or MODE"
_ROUGH = "its last digits differ from engine to engine; write it with + - * / and CASE"


_ROUGH_KINDS = (
    *("Exp", "Ln", "Log", "Pow", "Sqrt", "Cbrt", "Sin", "Cos", "Tan", "Asin", "Acos", "Atan"),
    *("Atan2", "Sinh", "Cosh", "Tanh", "Cot"),
)
_OF_TEXT = (
    *("Concat", "DPipe", "Upper", "Lower", "Like", "ILike", "Substring", "Left", "Right", "Trim"),
    *("Replace", "Reverse", "Length", "StartsWith", "EndsWith", "Contains", "FORMAT", "TO_CHAR"),
)

_WHY = {
    **dict.fromkeys(("Subquery", "Select", "Union"), _QUERY),
    "Exists": _EXISTS,
    **dict.fromkeys(("Any", "All"), "write x IN (1, 2), or a condition for each, joined by OR"),
    **dict.fromkeys(("Cast", "TryCast", "ToNumber", "TryToNumber"), _CAST),
    **dict.fromkeys(
        ("CurrentTimestamp", "CurrentDate", "CurrentTime", "CurrentDatetime", "Now", "UnixSeconds"),
        nearest.TIME,
    ),
    **dict.fromkeys(
        ("Extract", "DateDiff", "DateAdd", "DateSub", "Day", "DayOfWeek", "DayOfMonth"), _DATES
    ),
    **dict.fromkeys(("Interval", "StrToDate", "TsOrDsToDate", "StrToTime", "Minute"), _DATES),
    **dict.fromkeys(
        ("RegexpLike", "RegexpILike", "SimilarTo", "Glob", "RegexpExtract", "RegexpReplace"),
        nearest.PATTERN,
    ),
    **dict.fromkeys(("LikeAny", "ILikeAny"), nearest.PATTERN),
    **dict.fromkeys(("ConcatWs", "Split", "Initcap", "MD5", "SHA", "StrPosition"), nearest.TEXTS),
    **dict.fromkeys(("First", "Last", "AnyValue", "FirstValue", "LastValue", "ArgMax"), _ORDER),
    **dict.fromkeys(("ArgMin", "Order", "IgnoreNulls", "RespectNulls", "HavingMax"), _ORDER),
    **dict.fromkeys(("ArrayAgg", "GroupConcat", "JSONObjectAgg", "ArrayConcatAgg"), nearest.LISTS),
    **dict.fromkeys(("Rand", "Randn", "Uuid", "Uniform"), nearest.RANDOM),
    **dict.fromkeys(_ROUGH_KINDS, _ROUGH),
    "Window": "a window looks at other rows; write GROUP BY",
    "IntDiv": "write TRUNC(a / b)",
    **dict.fromkeys(("BitwiseAnd", "BitwiseOr", "BitwiseNot"), nearest.BITS),
    **dict.fromkeys(("BitwiseLeftShift", "BitwiseRightShift"), nearest.BITS),
    "BitwiseXor": "write x * x for a square, STARTS_WITH(x, 'N') for ^@",
    "Kwarg": "a call names no arguments but contribution_bounds_per_row => (0, 100): write the "
    "value by itself",
    **dict.fromkeys(("JSONExtract", "JSONExtractScalar", "Struct", "Dot"), nearest.FIELDS),
    "Bracket": "write QUANTILE(x, 0.5) for one of several quantiles, SUBSTR(x, 1, 1) for a letter, "
    "or make a column of the entry",
    "Collate": "text is compared as it is written; write x IN ('N', 'n') for both cases",
    "AtTimeZone": "times are compared as they stand: write TIMESTAMP '2024-01-31 12:30:00+00:00'",
    "Lambda": "functions of your own are not called; write CASE WHEN x > 1 THEN 1 ELSE 0 END",
    "PropertyEQ": "nothing is set here; write x = 3 for a comparison",
    "Overlaps": "write a_from <= b_to AND b_from <= a_to, each against a constant date",
    "Lag": "a window looks at other rows; write GROUP BY",
    "Lead": "a window looks at other rows; write GROUP BY",
    "Star": "rows are never released; name aggregates, COUNT(*)",
    "Distinct": "it is for COUNT(DISTINCT column) only; leave it out of MAX and MIN, of which it "
    "changes nothing, and else write GROUP BY x and work with the keys of the answer",
    "Xor": "write (a AND NOT b) OR (b AND NOT a)",
    "Try": "no row is an error here, whatever it holds; write x by itself",
    "National": "write the text in quotes by itself, 'N'",
    **dict.fromkeys(
        ("Rollup", "Cube", "GroupingSets", "Grouping"), "give each grouping a query of its own"
    ),
    "Tuple": "one value is needed; write a = 1 AND b = 2, or join two texts, a || '-' || b",
    "Array": "lists are not read; write one call for each of its entries",
    "Placeholder": "queries take no parameters; write the constant",
    "Parameter": "queries take no parameters; write the constant",
}

_NUMBERS = (
    *("Add", "Sub", "Mul", "Div", "Mod", "Neg", "Abs", "Ceil", "Floor", "Greatest", "Least"),
    *("Length", "Round", "Sign", "Trunc", "Day", "Month", "Quarter", "Year"),
)
_CALLED = {
    "National": "N'...'", "SimilarTo": "SIMILAR TO", "RegexpILike": "~*", "Collate": "COLLATE",
    "AtTimeZone": "AT TIME ZONE", "Bracket": "x[...]", "Struct": "{...}", "Lambda": "->",
    "PropertyEQ": ":=", "IgnoreNulls": "IGNORE NULLS", "RespectNulls": "RESPECT NULLS",
    "Window": "OVER (...)", "JSONExtract": "->", "JSONExtractScalar": "->>", "Dot": "a point",
    "LikeAny": "LIKE ANY", "ILikeAny": "ILIKE ANY", "Filter": "FILTER", "DataType": "a type",
    "BitwiseAnd": "&", "BitwiseOr": "|", "BitwiseNot": "~",
    "Kwarg": "=>", "BitwiseLeftShift": "<<", "BitwiseRightShift": ">>",
    "DPipe": "||", "IntDiv": "DIV", "BitwiseXor": "^", "NullSafeEQ": "IS NOT DISTINCT FROM",
    "NullSafeNEQ": "IS DISTINCT FROM", "GroupingSets": "GROUPING SETS",
    "Tuple": "a list in brackets", "RegexpLike": "RLIKE", "Array": "[...]",
    "Placeholder": "a parameter", "Parameter": "a parameter",
    "Select": "SELECT", "Subquery": "a subquery", "Star": "*", "Order": "ORDER BY",
}  # fmt: skip


def explain(node: Tree, wanted: str = "a value") -> str:
    """Why a form is refused where ``wanted`` is needed."""
    kind = type(node).__name__
    if kind in ("Cast", "TryCast") and wanted == "a released value":
        return (
            "CAST is refused of released numbers: write ROUND, FLOOR or CEIL, ROUND(x, 2) for "
            "decimals, or leave it out"
        )
    name = called(node)
    if kind == "Array" and [type(each).__name__ for each in node.expressions] == ["Column"]:
        column = node.expressions[0].name.replace('"', '""')
        return f'["{column}"] would be a list: names stand in double quotes, "{column}"'
    if wanted == "a released value" and (kind in _OF_TEXT or name in _OF_TEXT):
        return (
            f"{name} is refused of released values: write it into GROUP BY, as GROUP BY "
            "UPPER(region), where it makes a key, or work it out of the answer"
        )
    if wanted == "a released value" and kind in _ROUGH_KINDS:
        return (
            f"{name} is refused of released values, which have + - * / and ROUND: work it out of "
            "the answer, which costs nothing"
        )
    if kind == "Window" and _is_of_groups(node):
        return (
            "OVER (...) is refused: a window looks at other rows; leave it out, and work a share "
            "of the total out of the answer, which costs nothing"
        )
    if kind == "BitwiseAnd" and node.this.name.upper() == "U":
        if node.expression.args.get("is_string"):
            return f"U&'...' is refused: {_WHY['National']}"
        return 'U&"..." is refused: write the name in double quotes by itself, "region"'
    if told := rewritten(node, name):
        return f"{name} is refused: write {told}"
    if why := nearest.NAMED.get(name, _WHY.get(kind)):
        since = since_1970(name, node.expressions) if kind == "Anonymous" else None
        if since is not None:
            why = f"write TIMESTAMP '{since}', which is that in UTC"
        return f"{name} is refused: {why}"
    if wanted != "a released value" and (_is_aggregate(node) or called(node) in AGGREGATES):
        return (
            f"{called(node)} is an aggregate, where a value of one row is needed: ask for it by a "
            "query of its own, and write the number that it released"
        )
    if kind in ("Anonymous", "AnonymousAggFunc"):
        near = get_close_matches(str(node.this).upper(), (*AGGREGATES, *_ROWS.split(", ")), 1)
        hint = f"did you mean {near[0]}?" if near else f"functions of rows are {_ROWS}"
        return f"{called(node)} is not known, and functions of your own are not called; {hint}"
    if wanted == "a condition":
        if kind in _NUMBERS:
            return f"{_short(node.sql())} is no condition: write ({node.sql()} <> 0)"
        told = _short(node.sql()) if kind in ("Literal", "Null") or _sign(kind) else name
        return (
            f"{told} is no condition: write comparisons, IN, BETWEEN and IS NULL, joined "
            "by AND, OR and NOT"
        )
    if wanted == "a released value" and _is_aggregate(node):
        return f"{called(node)} is no aggregate here; they are {', '.join(AGGREGATES)}"
    if wanted == "a released value":
        return f"{called(node)} is not supported of released values; they have {_RELEASED}"
    return f"{called(node)} is not supported; functions of rows are {_ROWS}, and CASE"


def _is_of_groups(node: Tree) -> bool:
    """Whether a window looks at groups: its aggregate has another one in it, or GROUP BY stands."""
    grouped = node.parent_select is not None and node.parent_select.args.get("group")
    return bool(grouped) or sum(map(_is_aggregate, node.this.walk())) > 1


def _is_aggregate(node: Tree) -> bool:
    from sqlglot import exp

    return isinstance(node, exp.AggFunc)


def in_sql(told: str) -> str:
    """What another part of the library says, in words of SQL."""
    for words, meant in _IN_SQL:
        told = words.sub(meant, told)
    return told


_IN_SQL = (
    (re.compile(r"\.?\bis_missing\(\)"), "IS NULL"),
    (re.compile(r"\bnot NoneType(: None)?"), "not NULL"),
    (re.compile(r"\bgroup_by needs\b|\bgroup_by takes\b"), "GROUP BY takes"),
    (re.compile(r"\bgroup_by\b"), "GROUP BY"),
    (
        re.compile(
            r"column '([^']*)' has type [^,]+, which is not compared with dat[^;]*; (?!use|c"
            r"ompare).*"
        ),
        r'"\1" holds text, and its limits in the schema are dates: make it a column of dates where '
        r'the data comes from, CAST("\1" AS DATE), or leave the limits out and write "\1" = '
        r"'2024-01-31'",
    ),
    (re.compile(r"datetime\.date\(2024, 1, 31\)"), "DATE '2024-01-31'"),
    (
        re.compile(r"datetime\.datetime\(2024, 1, 31[^)]*tzinfo[^)]*\)"),
        "TIMESTAMP '2024-01-31 12:30:00+00:00'",
    ),
    (re.compile(r"datetime\.datetime\(2024, 1, 31[^)]*\)"), "TIMESTAMP '2024-01-31 12:30:00'"),
)


def unclosed(text: str) -> int | None:
    """Where a quote or a comment begins that has no end."""
    return next((found.start() for found in _TOKEN.finditer(text) if found[0] in _OPENING), None)


_TOKEN = re.compile(r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|/\*|.", re.DOTALL)
_OPENING = ("'", '"', "/*")


def unread(text: str, start: int | None, why: str) -> str:
    """Why a text is no SQL that is read, with what to write where that is known."""
    at = len(text) if start is None else start
    rest, before = text[max(0, at - 1) :], text[:at].rstrip()
    for call in _CONVERTED.finditer(text):
        if call.start() < at <= call.end():
            return converted(call[0])
    for call in re.finditer(r"(?i)\bDATETIME\s*(\([\d\s,]+\))", text):
        if call.start() < at <= call.end():
            return f"DATETIME takes a text: write TIMESTAMP_FROM_PARTS{call[1]}"
    if re.search(r"(?i)\bWITH\s+DIFFERENTIAL_PRIVACY\s+OPTIONS\s*\([^()]*$", before):
        return (
            "options are written name = value, with commas between them: OPTIONS (epsilon = 1, "
            "delta = 1e-9)"
        )
    if re.search(
        r"(?i)\b(OPTIONS\s*\([^()]*|SELECT\s+OPTIONS\s*\(.*\)\s*\w*)$", before
    ) or re.search(r"(?i)\bWITH\s+DIFFERENTIAL_PRIVACY\b", text[at : at + 40]):
        return (
            "OPTIONS stand at the beginning: write SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS "
            "(epsilon = 1) COUNT(*) FROM data"
        )
    if re.search(r"(?i)\bAS\s+OF\s*$", before):
        return "a table is read as it is now: leave AS OF out, and open the data as it was then"
    word = re.match(r"\W*(\w+)", text[at:])
    missing = re.match(r"Required keyword: '\w+' missing for <class '.*\.(\w+)'>", why)
    found = re.match(r"\s*(\w+|\S)", text[at:])
    token = found[1] if found else "the end"
    if missing:
        why = _lacking(missing[1], text[: at + 1])
    elif why.startswith("Invalid expression"):
        why = f"{token} is not expected here"
    elif why.startswith("Expecting )"):
        why = f"a bracket is opened and not closed before {token}: write )"
    elif why.startswith("Expected table name"):
        why = 'FROM takes the name of a table, in double quotes if it is no word, "my table"'
    elif why.startswith("The number of provided arguments"):
        why = "a function is given more than it takes: write AVG(x), ROUND(x, 2)"
    elif why.startswith("Found multiple"):
        why = f"{token} stands twice: join its conditions by AND"
    elif why.startswith("Expected END"):
        why = "CASE has no END: write CASE WHEN x > 1 THEN 1 ELSE 0 END"
    elif not _READABLE.fullmatch(why):
        why = f"{token} is not expected here"
    last = re.search(r"(\w+)\W*$", before)
    words = [found[1] for found in (last, word) if found and found[1].upper() not in _WORDS]
    blank = re.search(r"([^\W\d]\w*)$", before) and re.match(r"\s*([^\W\d]\w*)", text[at:])
    near = [(each, *get_close_matches(each.upper(), _WORDS, 1, 0.7)) for each in words]
    if re.match(r"\w'", rest):
        return f"{why}; texts stand in quotes, 'N', without a letter before them"
    if word and word[1].upper() == "UESCAPE":
        return f"{why}; {_WHY['National']}"
    if word and word[1].upper() == "XOR":
        return f"{why}; write (a AND NOT b) OR (b AND NOT a) for a XOR b"
    if re.search(r"(?i)\bSELECT\s+TOP\s*\(?\s*\d*\s*\)?$", before):
        return f"{why}; write LIMIT and the number of rows at the end"
    for form, cure in _UNREAD_FORMS:
        for part in form.finditer(text):
            if part.start() < at <= part.end():
                return f"{why}; write {part.expand(cure)} for {part[0]}"
    if re.search(r"(?i)\bDIV\s*(\([^()]*)?$", before):
        return f"{why}; write TRUNC(a / b) for DIV(a, b)"
    if re.search(r"(?is)\bFROM\b.*\bWHERE\s*;?\s*$", text):
        return "a condition is missing after WHERE: write WHERE age > 3, or leave WHERE out"
    for sign, cure in _SIGNS.items():
        if rest.startswith(sign) or rest[1:].startswith(sign) or before.endswith(sign):
            return f"{why}; {cure}"
    if re.search(r"(?i)(\bSELECT|,)\s*\w+\s*:\s*\w*$", before):
        return f"{why}; a name stands behind what it names: write COUNT(*) AS n"
    if last and last[1].upper() in ("GROUP", "ORDER"):
        return f"{why}; write {last[1].upper()} BY"
    for each, *meant in near:
        if meant:
            return f"{why}; did you mean {meant[0]} for {each}?"
    if blank and len(words) == 2 and not {each.upper() for each in words} & _keywords():
        why += f'; a name with a blank stands in double quotes, "{words[0]} {words[1]}"'
    return f"{why}; a query is SELECT ... FROM ... WHERE ... GROUP BY ... HAVING ... ORDER BY ..."


def converted(call: str) -> str:
    """Why CONVERT is refused: one engine writes the type first, another one the value."""
    why = "CONVERT is refused, whose order differs: write"
    found = _CONVERTED.search(call)
    if found is None:
        return f"{why} CAST(x AS INT)"
    to, of = found[1], found[2]
    if re.sub(r"\W.*", "", of).upper() in _TYPES and to.upper() not in _TYPES:
        to, of = of, to
    return f"{why} CAST({of} AS {to})"


_TYPES = (
    *("BIGINT", "BOOLEAN", "CHAR", "DATE", "DATETIME", "DECIMAL", "DOUBLE", "FLOAT", "INT"),
    *("INTEGER", "NUMERIC", "REAL", "SIGNED", "SMALLINT", "TEXT", "TIME", "TIMESTAMP", "UNSIGNED"),
    "VARCHAR",
)
_UNREAD_FORMS = (
    (re.compile(r"(?<![\w.\"*/%])(?<![*/%] )([\w.\"]+)\s*//\s*([\w.\"]+)"), r"TRUNC(\1 / \2)"),
    (re.compile(r"(?i)\bDIV\s*\(\s*([^(),]+?)\s*,\s*([^(),]+?)\s*\)"), r"TRUNC(\1 / \2)"),
)
_CONVERTED = re.compile(
    r"""(?ix)\b CONVERT \s* \( \s* (\w+ (?:\([\d,\s]+\))?) \s* , \s*
    ('[^']*' | [\w."]+ (?:\([\d,\s]+\))?) \s* (?:, \s* \d+ \s*)? \)"""
)
_WORDS = (
    *("SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "BETWEEN", "WITH", "JOIN"),
    *("FILTER", "DESC", "DISTINCT", "AND"),
)
# What the parser says in words of SQL.
_READABLE = re.compile(r"Expected (AS|FROM or comma|type) after (CAST|EXTRACT|'::')|.*[;:].*")


def _lacking(kind: str, before: str) -> str:
    """What lacks a part: an operator, or the call that a text ends with."""
    from sqlglot import exp

    if sign := "AS" if kind == "Alias" else _sign(kind):
        return f"something is missing beside {sign}"
    depth = at = 0
    for at in range(len(before) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(before[at], 0)
        if not depth:
            break
    call = re.search(r"(\w+)\s*$", before[:at])
    names: Any = getattr(getattr(exp, kind, None), "sql_names", list[str])()
    if not before.endswith(")") or call is None or call[1].upper() not in names:
        word = kind.upper()
        return f"something is missing beside {word if is_sql(word) else 'this: write it'}"
    name, inner = call[1], before[at + 1 : -1].strip()
    if not inner and not re.search("(?i)QUANTILE|PERCENTILE", name):
        return f"{name} takes a value: write {name}(x)"
    inner = inner or "x"
    more = "0.5" if re.search("(?i)QUANTILE|PERCENTILE", name) else "y"
    return f"{name} takes one value more: write {name}({inner}, {more})"


@cache
def _keywords() -> frozenset[str]:
    """The words of SQL that name nothing else."""
    from sqlglot.tokens import Tokenizer

    return frozenset(w for words in Tokenizer.KEYWORDS for w in words.split() if w.isalpha())


_SIGNS = {
    "CLAMPED": "write contribution_bounds_per_row => (0, 10) into the call",
    "[": 'names stand in double quotes, "region"',
    "=<": "write <=",
    "=>": "write >=",
    "0x": "write numbers in digits, 31",
    "OVER": "a window looks at other rows; write GROUP BY",
    "WHERE": "FROM comes first: SELECT COUNT(*) FROM data WHERE age > 3 GROUP BY region",
    "\u2265": "write >=",
    "\u2264": "write <=",
    "\u2260": "write <>",
    "!~": nearest.PATTERN,
    ":": nearest.FIELDS,
    "`": 'names stand in double quotes, "region"',
    "//": "write TRUNC(a / b)",
    "/ ": "write TRUNC(a / b)",
    "#": "comments begin with --",
    "~": nearest.PATTERN,
    "**": "write x * x for a square",
    "&&": "write AND",
    "?": 'names with signs in them stand in double quotes, "paid?"',
}


def is_sql(*words: str) -> bool:
    """Whether all of these are words of SQL."""
    return _keywords().issuperset(words)


def called(node: Tree) -> str:
    """What a form is called, in the words of the query."""
    return str(node.meta.get(NAMED)) if NAMED in node.meta else named(node)


def named(node: Tree) -> str:
    """What a form is called in SQL, however the query calls it."""
    kind = type(node).__name__
    if kind in ("Anonymous", "AnonymousAggFunc"):
        return str(node.this).upper()
    if kind in _CALLED:
        return _CALLED[kind]
    if sign := _sign(type(node).__name__):
        return sign
    names: Any = getattr(node, "sql_names", list[str])()  # of functions
    if names:
        return str(names[0])
    return kind.upper() if kind.upper() in _keywords() else _short(node.sql())


@cache
def _sign(name: str) -> str | None:
    """The sign or word of an operator of this kind."""
    from sqlglot import exp

    kind: Any = getattr(exp, name, None)
    if kind is None or not issubclass(kind, (exp.Binary, exp.Unary)):
        return None
    operands = {"this": exp.column("x"), "expression": exp.column("y")}
    found = kind(**{name: operands[name] for name in operands if name in kind.arg_types}).sql()
    between = re.fullmatch(r"(?:x )?([^()]*?)\s*[xy]", found)
    return between[1].strip() if between else None


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."
