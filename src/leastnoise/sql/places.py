"""Where every part of a query stands in its text: from its first token to its last.

sqlglot keeps the places of names and constants, and of no operator, bracket or CASE: by these alone
NOT k > 0 would begin at k. So its parser is asked at each of its steps that give a whole part which
tokens it took; what joins two parts, as a + b does, goes from the first of them to the last.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, lru_cache
from typing import Any, TypeAlias

Tree: TypeAlias = Any
Token: TypeAlias = Any
Span: TypeAlias = tuple[int, int]
"""The place of the first character, and that behind the last."""

_TAKEN, _NEAR, _SPAN = "taken", "near", "span"
NAMED = "named"
"""What the query calls a function, which sqlglot may know by another name."""
_CALL = "_parse_function_call"
_AFTER_CALLS = ("Filter", "WithinGroup", "Window", "IgnoreNulls", "RespectNulls")
# Steps that give a part with all of its tokens, brackets and words before and behind it.
_STEPS = (
    *("_parse_unary", "_parse_range", "_parse_lambda", "_parse_types", _CALL),
    *("_parse_select", "_parse_table", "_parse_subquery", "_parse_cte", "_parse_with"),
    *("_parse_join", "_parse_lateral", "_parse_pivot", "_parse_table_sample", "_parse_hint"),
    *("_parse_where", "_parse_group", "_parse_having", "_parse_qualify", "_parse_order"),
    *("_parse_ordered", "_parse_limit", "_parse_offset", "_parse_into", "_parse_star_ops"),
    *("_parse_grouping_sets", "_parse_cube_or_rollup", "_parse_interval", "_parse_table_alias"),
)


def parse(text: str, tokens: Sequence[Token]) -> list[Any]:
    """The trees of sqlglot, with the place of each part in the text.

    Raises
    ------
    ParseError
        If it is no SQL that sqlglot reads.
    """
    from sqlglot import Dialect, ErrorLevel

    dialect = Dialect.get_or_raise(None)
    options = {"dialect": dialect, "error_level": ErrorLevel.IMMEDIATE}
    parser = dialect.parser(error_level=ErrorLevel.IMMEDIATE)
    with suppress(TypeError):  # of sqlglot[c], which is compiled: parts stand where their names do
        parser = _marking(type(parser))(**options)
    trees = parser.parse(list(tokens), text)
    for tree in trees:
        for node in reversed([] if tree is None else list(tree.walk())):  # children come first
            _mark(node)
    return trees


def tokens_of(text: str) -> list[Token]:
    """What sqlglot reads a text as."""
    return [*_tokens(text)]


@lru_cache(maxsize=64)  # every part of a query asks for those of the whole
def _tokens(text: str) -> tuple[Token, ...]:
    from sqlglot import Dialect

    return tuple(Dialect.get_or_raise(None).tokenize(text))


def span(node: Tree) -> Span | None:
    """The place of a part; None if it has none in the text."""
    if _SPAN not in node.meta:  # it was made of parts of the query
        for inner in reversed(list(node.walk())):
            _mark(inner)
    return node.meta[_SPAN]


def deepest(tree: Tree) -> Tree:
    """The whole expression in which the most parts are one inside the other."""
    levels: dict[int, int] = {}
    node, most = tree, 0
    for part in tree.walk():
        levels[id(part)] = 1 + levels.get(id(part.parent), 0)
        if levels[id(part)] > most:
            node, most = part, levels[id(part)]
    while node.parent is not None and type(node.parent).__name__ not in _CLAUSES:
        node = node.parent
    return node


_CLAUSES = frozenset(
    {"Select", "Where", "Having", "Group", "Ordered", "Alias", "Subquery", "CTE", "Join", "Filter"}
)


def deepest_of(tokens: Sequence[Token]) -> int:
    """Where the most brackets stand one inside the other, or words such as NOT in a row."""
    opened: list[int] = []
    start = most = row = 0
    for i, token in enumerate(tokens):
        step = _BRACKETS.get(token.token_type.name, 0)
        opened = [*opened, token.start] if step > 0 else opened[: len(opened) + step]
        row = row + 1 if i and token.token_type is tokens[i - 1].token_type else 1
        if len(opened) > most:
            start, most = opened[0], len(opened)
        if row > most:
            start, most = tokens[i - row + 1].start, row
    return start


def written(text: str, node: Tree) -> str:
    """A part as it was written, on one line and without comments."""
    found = span(node)
    if found is None or not any({_TAKEN, _NEAR} & inner.meta.keys() for inner in node.walk()):
        return node.sql()  # as sqlglot writes it
    part = text[slice(*balanced(text, found))]
    end, pieces = 0, list[str]()
    for token in tokens_of(part):  # what is between tokens is blank, or a comment
        pieces.append(" " * (token.start > end) + part[token.start : token.end + 1])
        end = token.end + 1
    return "".join(pieces).strip()


def balanced(text: str, part: Span) -> Span:
    """A part, and the brackets that it opens or closes."""
    start, end = part
    places, steps = _brackets(text)
    first, after = bisect_left(places, start), bisect_left(places, end)
    depth = least = 0
    for step in steps[first:after]:
        depth += step
        least = min(least, depth)
    left, right = -least, depth - least
    while left and first:
        first -= 1
        left -= steps[first]
        start = places[first]
    while right and after < len(places):
        right += steps[after]
        end = places[after] + 1
        after += 1
    return start, end


@lru_cache(maxsize=64)
def _brackets(text: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Where the brackets of a text stand, and 1 for those that open, -1 for those that close."""
    found = [(one.start, _BRACKETS.get(one.token_type.name, 0)) for one in _tokens(text)]
    return tuple(at for at, step in found if step), tuple(step for _, step in found if step)


_BRACKETS = {
    "L_PAREN": 1,
    "L_BRACKET": 1,
    "L_BRACE": 1,
    "R_PAREN": -1,
    "R_BRACKET": -1,
    "R_BRACE": -1,
}


def _mark(node: Tree) -> None:
    """Keep where a part stands: all that it took, and all that its own parts did."""
    own = node.meta.get("start"), node.meta.get("end")
    spans = [node.meta.get(kind) for kind in (_TAKEN, _NEAR)]
    spans += [inner.meta.get(_SPAN) for inner in node.iter_expressions()]
    spans.append(None if None in own else (own[0], own[1] + 1))
    there = [each for each in spans if each is not None]
    ends = [end for _, end in there]
    node.meta[_SPAN] = (min(start for start, _ in there), max(ends)) if ends else None


@cache
def _marking(parser: Any) -> Any:
    """A parser of sqlglot whose steps tell the parts that they give what they took."""
    steps = {name: _marked(getattr(parser, name)) for name in _STEPS if hasattr(parser, name)}
    own = {"expression": _made(parser.expression), "_parse_window": _followed(parser._parse_window)}
    return type("MarkingParser", (parser,), steps | own)


_REGULAR = ("RLIKE", "REGEXP", "REGEXP_LIKE")


def _marked(step: Callable[..., Any]) -> Callable[..., Any]:
    def marked(self: Any, *args: Any, **options: Any) -> Any:
        first = self._curr
        found = step(self, *args, **options)
        _take(found, first, self._prev)
        if step.__name__ == _CALL:
            call = found
            while type(call).__name__ in _AFTER_CALLS:
                call = call.this
            if hasattr(call, "meta"):
                call.meta.setdefault(NAMED, first.text.upper())
        elif type(found).__name__ == "RegexpLike":  # RLIKE and REGEXP are one to sqlglot
            words = [token.text.upper() for token in self._tokens[: self._index]]
            found.meta.setdefault(NAMED, next(x for x in words[::-1] if x in _REGULAR))
        return found

    return marked


def _followed(step: Callable[..., Any]) -> Callable[..., Any]:
    """FILTER, WITHIN GROUP and OVER follow a call, which ends before them."""

    def followed(self: Any, this: Any, *args: Any, **options: Any) -> Any:
        if this is not None and type(this).__name__ != "Paren":
            _take(this, None, self._prev)
        return step(self, this, *args, **options)

    return followed


def _made(step: Callable[..., Any]) -> Callable[..., Any]:
    """The last token before a part is made is its own, and all of it where it is one word."""

    def made(self: Any, *args: Any, **options: Any) -> Any:
        found = step(self, *args, **options)
        _take(found, self._prev, self._prev, _NEAR)
        return found

    return made


def _take(node: Any, first: Token, last: Token, kind: str = _TAKEN) -> None:
    """The innermost step that gives a part took what is its own: later ones take brackets too."""
    meta = getattr(node, "meta", None)
    if last is None or meta is None or kind in meta:
        return
    start = meta.get("start") if first is None else first.start
    if start is not None and start <= last.end:
        meta[kind] = start, last.end + 1
