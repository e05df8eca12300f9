"""The text of a query: read by sqlglot, with the place of every part of it.

Only trees of a few kinds are taken, and of each of them only the parts that are named: what sqlglot
reads and nobody asks for is refused, never passed over.
"""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from difflib import get_close_matches
from fractions import Fraction
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NoReturn

from leastnoise.errors import (
    LeastNoiseError,
    MissingDependencyError,
    ParameterError,
    ParameterTypeError,
    SchemaError,
)
from leastnoise.foreign import is_list
from leastnoise.sql.places import (
    Token,
    Tree,
    balanced,
    deepest_of,
    parse,
    span,
    tokens_of,
    written,
)
from leastnoise.sql.refusals import called, in_sql, is_sql, unclosed, unread
from leastnoise.sql.rewritings import of_last_day, valueless

if TYPE_CHECKING:
    from leastnoise.summaries.columns import Clock

LONGEST = 20_000
"""Characters of a query."""

TOO_NESTED = (
    "this is nested too deeply: leave out brackets and NOT that change nothing, write column IN "
    "(...) for a list and x * 3 for x + x + x, or divide what is joined into halves in brackets"
)
_CLAUSE = ("WITH", "DIFFERENTIAL_PRIVACY")
_PER_ROW = "contribution_bounds_per_row"
_PAIRED = ("CORR", "COVAR_POP", "COVAR_SAMP")
"""Calls that take limits of two columns."""


class QueryError(ParameterError, SchemaError):
    """A query that is not in the language, or that cannot be answered; it names the place.

    ``start`` is the place in the text, and ``part`` what begins there, as it is written, where that
    is a whole part of the query.
    """

    start: int | None = None
    part: str | None = None


@dataclass(frozen=True, slots=True)
class Query:
    """A query as it was written, and what sqlglot made of it.

    ``options`` is what stands in a WITH DIFFERENTIAL_PRIVACY clause, ``limits`` the bounds that
    calls are given in it, by the place of the name of the function.
    """

    text: str
    tree: Tree
    options: Tree | None = None
    limits: dict[int, Tree] = field(default_factory=dict[int, Tree])
    comments: tuple[str, ...] = ()
    clocks: dict[str, Clock] = field(default_factory=dict[str, "Clock"])
    """What columns of no type were compared with first."""

    def refuse(self, node: Tree | None, why: str) -> NoReturn:
        """Refuse a part of the query, with its place."""
        raise self.error(node, why)

    def error(self, node: Tree | None, why: str) -> QueryError:
        """What ``refuse`` raises."""
        while node is not None and span(node) is None:  # some forms have no place of their own
            node = node.parent
        found = None if node is None else balanced(self.text, span(node) or (0, 0))
        error = QueryError(f"{written_place(self.text, found and found[0])}{why}")
        error.start = None if found is None else found[0]
        error.part = None if node is None else self.written(node)
        return error

    def only(self, node: Tree, *known: str) -> None:
        """Refuse a part of the tree that has more to it than these."""
        for name, value in node.args.items():
            if name in known or value is None or value is False or value == []:
                continue
            inner: Any = value[0] if is_list(value) else value
            found: Tree = inner if is_tree(inner) and span(inner) is not None else node
            self.refuse(found, f"{clause_name(name, node)} is not supported here{near(name, node)}")

    def operands(self, node: Tree, *sides: Tree) -> None:
        """Refuse conditions that are compared: a > 50 IS NULL means one thing here, one there.

        So do 1 < k < 5 and a = b = c. sqlglot brackets an IS by itself, so that brackets of the
        query cannot be told from its own.
        """
        for side in sides or (node.this, node.expression):
            inner, bracketed = side, False
            while type(inner).__name__ == "Paren":
                inner, bracketed = inner.this, True
            of = inner.this if type(inner).__name__ == "Not" else inner
            while type(of).__name__ == "Paren":
                of = of.this
            kind = "" if bracketed else type(inner).__name__
            if kind in _COMPARISONS:
                if any(type(each).__name__ == "DPipe" for each in node.walk()):
                    self.refuse(side, "|| joins texts: write OR between conditions")
                self.refuse(
                    side,
                    "a comparison is compared here, which is true or false: write a < b AND b < c "
                    f"for a < b < c, or put {self.written(inner)} in brackets",
                )
            if type(of).__name__ in _BRACKETED or kind in _CONDITIONS:
                self.refuse(
                    side,
                    "a condition is compared here, and engines differ in what belongs to it: write "
                    "a comparison in brackets before IS NULL, or CASE WHEN ... THEN 1 ELSE 0 END",
                )

    def written(self, node: Tree) -> str:
        """A part of the query as it was written, on one line."""
        return written(self.text, node)

    @contextmanager
    def located(self, node: Tree | None) -> Generator[None]:
        """Errors of the library get the place of a part of the query."""
        try:
            yield
        except QueryError:
            raise
        except LeastNoiseError as error:
            raise self.error(node, in_sql(str(error))) from None


_NOTHING = ("NoneType", "Semicolon")  # behind the last semicolon there may be comments
_ALONE = "; ask each question by a query of its own"
_COMPARISONS = frozenset({"EQ", "NEQ", "LT", "LTE", "GT", "GTE"})
_CONDITIONS = frozenset({"Between", "In", "Not", "And", "Or", "Like", "ILike", "Escape"})
_BRACKETED = frozenset({"Is", "NullSafeEQ", "NullSafeNEQ"})
_DATE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")
_LONG_EXPONENT = re.compile(r"[eE][+-]?\d{4}")


def exact(text: str) -> Fraction:
    """A number as it is written; ValueError for one whose digits would fill the memory."""
    if _LONG_EXPONENT.search(text):
        raise ValueError("an exponent of 4 digits or more")
    return Fraction(text)


def is_tree(value: object) -> bool:
    """Whether it is a part of a tree, and no plain value."""
    from sqlglot import exp

    return isinstance(value, exp.Expression)  # pyright: ignore[reportPrivateImportUsage]  # a name of long standing


def written_place(text: str, start: int | None) -> str:
    """A place as people count: "line 2, column 5: "."""
    if start is None:
        return ""
    line = text.count("\n", 0, start) + 1
    return f"line {line}, column {start - text.rfind(chr(10), 0, start)}: "


def read_query(text: object) -> Query:
    """The tree of one SELECT.

    Raises
    ------
    ParameterTypeError, QueryError
        If it is no text, too long, or no SELECT.
    MissingDependencyError
        If sqlglot is not installed.
    """
    if not isinstance(text, str):
        raise ParameterTypeError(f"a query must be text, not {type(text).__name__}")
    if not text.strip():
        raise QueryError("a query must not be blank: write SELECT COUNT(*) FROM data")
    if len(text) > LONGEST or "\0" in text:
        raise QueryError(
            f"a query may have at most {LONGEST} characters, and no zero byte: write IN (...) for "
            "a long list of conditions"
        )
    try:
        from sqlglot import exp
        from sqlglot.errors import ParseError, TokenError
    except ImportError:
        raise MissingDependencyError(
            "SQL is read by sqlglot, which is not installed: pip install 'leastnoise[sql]'"
        ) from None
    tokens: list[Token] = []
    try:
        tokens = tokens_of(text)
        _check_first(text, tokens)
        _check_digits(text, tokens)
        plain, clause = _without_clause(text, tokens)
        plain, limits = _without_limits(text, plain)
        trees = [tree for tree in parse(text, plain) if type(tree).__name__ not in _NOTHING] or [
            None
        ]
        options = None if clause is None else parse(text, clause)[0]
        bounds = {at: parse(text, found)[0] for at, found in limits.items()}
    except ParseError as error:
        found = error.errors[0] if error.errors else {}
        start = _offset(text, found.get("line"), found.get("col"), found.get("highlight"))
        why = unread(text, start, str(found.get("description") or "").rstrip("."))
        unreadable = QueryError(f"{written_place(text, start)}this SQL cannot be read: {why}")
        unreadable.start = start
        raise unreadable from None
    except TokenError:
        at = written_place(text, unclosed(text))
        raise QueryError(
            f"{at}this quote or comment is opened and never closed: write its end; a quote inside "
            "a text stands twice, 'it''s'"
        ) from None
    except RecursionError:
        raise QueryError(f"{written_place(text, deepest_of(tokens))}{TOO_NESTED}") from None
    if len(trees) != 1:
        second = next((one.start for one in tokens if one.token_type.name == "SEMICOLON"), None)
        raise QueryError(
            f"{written_place(text, second)}give one query, without a second one after this "
            "semicolon"
        )
    (tree,) = trees
    if not isinstance(tree, exp.Select):
        bracketed = type(tree).__name__ == "Subquery"
        cure = "; leave out the brackets around it" if bracketed else _ALONE
        kind = "nothing" if tree is None else called(tree)
        kind = "a query in brackets" if bracketed else kind
        second = tree if tree is None else tree.args.get("expression")  # of a UNION
        start = (span(second if is_tree(second) else tree) or (None,))[0] if tree else None
        raise QueryError(
            f"{written_place(text, start)}a query is one SELECT of aggregates, not {kind}{cure}"
        )
    limited = {at: tree for at, tree in bounds.items() if tree is not None}
    comments = tuple(str(each) for token in tokens for each in token.comments)
    query = Query(text, tree, options, limited, comments)
    for call in valueless(tree):
        query.refuse(call, f"{called(call)} takes a value: write {called(call)}(x)")
    return query


def _check_first(text: str, tokens: Sequence[Token]) -> None:
    """Refuse what begins as no query does: to sqlglot it may be a command of some engine."""
    word = tokens[0].text.upper() if tokens else ""
    if word in ("SELECT", "WITH", "FROM", "(") or not word:
        return
    place = written_place(text, tokens[0].start)
    near = "; data is only read here: write SELECT COUNT(*) FROM data"
    near = "; did you mean SELECT?" if get_close_matches(word, ["SELECT"], 1, 0.75) else near
    raise QueryError(f"{place}a query is one SELECT of aggregates, not {word}{near}")


def _check_digits(text: str, tokens: Sequence[Token]) -> None:
    """Refuse 1_000 and 5k, 1 and 5 under other names, and 2023-01-01, which would be 2021."""
    from sqlglot import TokenType

    for one, other in zip(tokens, tokens[4:], strict=False):
        if date := _DATE.fullmatch(text[one.start : other.end + 1]):
            raise QueryError(
                f"{written_place(text, one.start)}without quotes this is a difference of numbers: "
                f"write DATE '{date[0]}'"
            )
    for one, other in pairwise(tokens):
        kinds = one.token_type, other.token_type
        if kinds == (TokenType.NUMBER, TokenType.VAR) and one.end + 1 == other.start:
            number = f"{one.text}{other.text}"
            raise QueryError(
                f"{written_place(text, one.start)}{number} is no number here: write numbers in "
                f"digits, {_in_digits(number)}"
            )


def _in_digits(number: str) -> str:
    """1_000, 0x1F, 3L and 5k in digits; some number for what is none of these."""
    found = _OTHER_DIGITS.fullmatch(number.replace("_", ""))
    if found is None:
        return "1000"
    digits, suffix, base = found["digits"], (found["suffix"] or "").lower(), found["base"]
    if base:
        return str(int(number.replace("_", ""), 0))
    return digits + {"k": "000", "m": "000000"}.get(suffix, "")


_OTHER_DIGITS = re.compile(
    r"0(?P<base>x[0-9a-f]+|b[01]+|o[0-7]+)|(?P<digits>[0-9]+)(?P<suffix>[a-z]*)", re.I
)


def _without_clause(text: str, tokens: list[Token]) -> tuple[list[Token], list[Token] | None]:
    """The query without WITH DIFFERENTIAL_PRIVACY OPTIONS (...), and the text in the brackets."""
    from sqlglot import TokenType

    for i in range(1, len(tokens) - 1):
        names = tuple(token.text.upper() for token in tokens[i : i + 2])
        kinds = tokens[i - 1].token_type, tokens[i].token_type, tokens[i + 1].token_type
        if kinds != (TokenType.SELECT, TokenType.WITH, TokenType.VAR):
            continue
        if names != _CLAUSE:
            raise QueryError(
                f"{written_place(text, tokens[i].start)}WITH {names[1]} is not supported: write "
                "WITH DIFFERENTIAL_PRIVACY OPTIONS (epsilon = 1)"
            )
        if _depth(tokens[:i]):
            raise QueryError(
                f"{written_place(text, tokens[i].start)}WITH DIFFERENTIAL_PRIVACY belongs to the "
                "outer SELECT: a query of rows has no budget of its own"
            )
        after = i + 2
        if after >= len(tokens) or tokens[after].text.upper() != "OPTIONS":
            return tokens[:i] + tokens[after:], None
        end = _closing(text, tokens, after + 1)
        return tokens[:i] + tokens[end + 1 :], tokens[after + 1 : end + 1]
    return tokens, None


def _without_limits(text: str, tokens: list[Token]) -> tuple[list[Token], dict[int, list[Token]]]:
    """The query without contribution_bounds_per_row => (low, high), which sqlglot does not read."""
    from sqlglot import TokenType

    kept: list[Token] = []
    found: dict[int, list[Token]] = {}
    calls: list[int] = []
    i = 0
    while i < len(tokens):
        token = tokens[i]
        kind = token.token_type
        if kind is TokenType.COMMA and [t.token_type for t in tokens[i + 2 : i + 3]] == [
            TokenType.FARROW
        ]:
            name = tokens[i + 1]
            if name.text.lower() != _PER_ROW or not calls:
                given = _limits_after(text, tokens, i + 3, calls)
                cure = f"limits are those of a row: write {given}"
                if name.text.lower() == "report_format":
                    cure = (
                        "leave it out: every number has a record, by --json, or to_dict in Python"
                    )
                raise QueryError(
                    f"{written_place(text, name.start)}{name.text} is not known; {cure}"
                )
            if calls[-1] in found:
                raise QueryError(
                    f"{written_place(text, name.start)}{_PER_ROW} is given twice: leave one of "
                    "them out"
                )
            end = _closing(
                text, tokens, i + 3, f": write {_limits_after(text, tokens, i + 3, calls)}"
            )
            found[calls[-1]] = tokens[i + 3 : end + 1]
            i = end + 1
            continue
        if kind in (TokenType.EQ, TokenType.COLON_EQ) and tokens[i - 1].text.lower() == _PER_ROW:
            raise QueryError(
                f"{written_place(text, token.start)}bounds of a call are given by an arrow: write "
                f"{_limits_after(text, tokens, i + 1, calls)}"
            )
        if kind is TokenType.L_PAREN:
            calls.append(tokens[i - 1].start if i else 0)
        elif kind is TokenType.R_PAREN and calls:
            calls.pop()
        kept.append(token)
        i += 1
    return kept, found


def _limits_after(text: str, tokens: Sequence[Token], start: int, calls: Sequence[int]) -> str:
    """How limits of the last call are written: as they stand in brackets there, or some."""
    paired = bool(calls) and text[calls[-1] :].partition("(")[0].strip().upper() in _PAIRED
    with suppress(QueryError):
        end = _closing(text, tokens, start)
        given = text[tokens[start].start : tokens[end].end + 1]
        alike = paired and tokens[start + 1].text != "("
        return f"{_PER_ROW} => {f'({given}, {given})' if alike else given}"
    return f"{_PER_ROW} => {'((0, 100), (0, 50))' if paired else '(0, 100)'}"


def _depth(tokens: Sequence[Token]) -> int:
    from sqlglot import TokenType

    opened = sum(token.token_type is TokenType.L_PAREN for token in tokens)
    return opened - sum(token.token_type is TokenType.R_PAREN for token in tokens)


def _closing(text: str, tokens: Sequence[Token], start: int, cure: str = "") -> int:
    """The place of the bracket that closes the one at ``start``."""
    depth = 0
    for end in range(start, len(tokens)):
        depth += _depth(tokens[end : end + 1])
        if depth == 0:
            if end > start:
                return end
            break
    at = tokens[min(start, len(tokens) - 1)].start
    raise QueryError(f"{written_place(text, at)}a list in round brackets is missing here{cure}")


def _offset(text: str, line: int | None, column: int | None, highlight: object) -> int | None:
    """The place of a token from its line and the column of its end."""
    if line is None or column is None:
        return None
    start = 0
    for _ in range(line - 1):
        start = text.find("\n", start) + 1
    return max(start, start + column - max(1, len(str(highlight or "x"))))


_CLAUSES = {
    "distinct": "DISTINCT",
    "qualify": "QUALIFY",
    "windows": "WINDOW",
    "method": "this kind of JOIN",
    "expressions": "a further part",
    "columns": "a list of names",
    "direction": "FETCH",
    "limit_options": "this kind of LIMIT",
    "version": "AS OF",
    "joins": "JOIN",
    "laterals": "LATERAL",
    "pivots": "PIVOT",
    "sample": "TABLESAMPLE",
    "locks": "FOR UPDATE",
    "into": "INTO",
    "hint": "a hint",
    "rollup": "ROLLUP",
    "cube": "CUBE",
    "grouping_sets": "GROUPING SETS",
    "all": "GROUP BY ALL",
    "with_": "WITH",
    "nulls_first": "NULLS FIRST",
    "except_": "EXCEPT or EXCLUDE",
    "db": "a name with a point",
    "catalog": "a name with points",
}
_FURTHER = {
    "Count": ": write COUNT(*) for rows, COUNT(x) for those with an x",
    "Max": ": write MAX(GREATEST(a, b))",
    "Min": ": write MIN(LEAST(a, b))",
}
_NEAREST = {
    "distinct": ": write GROUP BY over declared keys (each row of it stands once anyway), or "
    "COUNT(DISTINCT column)",
    "qualify": ": write HAVING on a private count",
    "windows": ": a window looks at other rows; write GROUP BY",
    "sample": ": all rows are used, and noise is added to the answers; leave it out",
    "direction": ": write LIMIT and a number of rows",
    "limit_options": ": write LIMIT and a number of rows",
    "all": ": name the columns",
    "columns": ": name them where they are made, SELECT x AS p",
    "into": ": leave it out; the answer is written by --csv, or by to_csv in Python",
    "locks": ": leave it out, as nothing is changed",
    "pivots": ": write COUNT(*) FILTER (WHERE sex = 'f') for each column",
    "laterals": ": a row stays one row; write each entry as a column",
    "version": ": a table is read as it is now; leave it out, and open the data as it was then",
    "db": ": write the name of the table alone",
    "catalog": ": write the name of the table alone",
    "joins": ": write JOIN in the SELECT whose rows are joined",
    "except_": ": name the columns that are meant",
    "replace": ": name the columns that are meant, and x + 1 AS x among them",
    "rename": ": name the columns that are meant, and x AS p among them",
    "symmetric": ": write the smaller end first",
    "method": ": write JOIN table ON column = table.key",
    "rollup": ": give each grouping a query of its own",
    "cube": ": give each grouping a query of its own",
    "grouping_sets": ": give each grouping a query of its own",
}


def clause_name(name: str, node: Tree) -> str:
    """What a part of sqlglot's trees is called in SQL."""
    if name in _CLAUSES:
        return _CLAUSES[name]
    words = name.rstrip("_").upper().split("_")
    if hasattr(node, "sql_names") and is_tree(node.args[name]):
        return f"a further value of {called(node)}"
    return " ".join(words) if is_sql(*words) else "a further part"


def near(name: str, node: Tree) -> str:
    """What to write instead."""
    if name == "unit" and type(node).__name__ == "LastDay":
        return f": {of_last_day(node)}"
    if name == "expressions":
        return _FURTHER.get(type(node).__name__, ": leave it out")
    return _NEAREST.get(name, ": leave it out")
