"""Where the items of a query stand: each from its first token to its last.

sqlglot keeps the places of names, constants and some functions, and of no operator, bracket or
CASE: by these alone NOT k > 0 would begin at k.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, TypeAlias

Tree: TypeAlias = Any
Token: TypeAlias = Any

_CLAUSES = (
    *("SELECT", "FROM", "INTO", "WHERE", "GROUP_BY", "HAVING", "QUALIFY", "ORDER_BY", "LIMIT"),
    "SEMICOLON",
)


def mark_items(text: str, tree: Tree, tokens: Sequence[Token]) -> None:
    """Tell the items of SELECT, GROUP BY, WHERE and HAVING where they stand, and how.

    ``tokens`` are all of the query. What is found otherwise than sqlglot reads it is left alone.
    """
    from sqlglot import exp

    starts = [i for i, token in enumerate(tokens) if token.token_type.name == "SELECT"]
    for select in tree.find_all(exp.Select):
        known = [at for item in select.expressions for at in _known(item)]
        before = [i for i in starts if known and tokens[i].start < min(known)]
        if not before:
            continue
        clauses = dict(_clauses(tokens, before[-1]))
        group = select.args.get("group")
        wholes = [(name, select.args.get(name.lower())) for name in ("WHERE", "HAVING")]
        found: list[tuple[Sequence[Tree], list[Sequence[Token]]]] = [
            (select.expressions, list(_items(clauses["SELECT"]))),
            ([] if group is None else group.expressions, list(_items(clauses.get("GROUP_BY", ())))),
            *(([node.this], [clauses.get(name, ())]) for name, node in wholes if node is not None),
        ]
        for nodes, items in found:
            if len(nodes) == len(items):
                for node, item in zip(nodes, items, strict=True):
                    _mark(text, node, item)


def _known(node: Tree) -> list[int]:
    starts = [inner.meta.get("start") for inner in node.walk()]
    return [start for start in starts if start is not None]


def _clauses(tokens: Sequence[Token], first: int) -> Iterator[tuple[str, Sequence[Token]]]:
    """The clauses of the SELECT at a token, without what stands in brackets beside it."""
    depth, begun = 0, first
    for i in range(first + 1, len(tokens) + 1):
        kind = tokens[i].token_type.name if i < len(tokens) else "SEMICOLON"
        depth += (kind == "L_PAREN") - (kind == "R_PAREN")
        distinct = kind == "FROM" and tokens[i - 1].token_type.name == "DISTINCT"
        if depth < 0 or (depth == 0 and kind in _CLAUSES and not distinct):
            yield tokens[begun].token_type.name, tokens[begun + 1 : i]
            begun = i
        if depth < 0 or (depth == 0 and kind == "SEMICOLON"):
            return


def _items(tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
    """What stands between commas outside of brackets."""
    depth, begun = 0, 0
    if tokens and tokens[0].token_type.name in ("DISTINCT", "ALL"):
        tokens = tokens[1:]
    for i in range(len(tokens) + 1):
        kind = tokens[i].token_type.name if i < len(tokens) else "COMMA"
        depth += kind in ("L_PAREN", "L_BRACKET", "L_BRACE")
        depth -= kind in ("R_PAREN", "R_BRACKET", "R_BRACE")
        if depth == 0 and kind == "COMMA":
            if begun < i:
                yield tokens[begun:i]
            begun = i + 1


def _mark(text: str, node: Tree, tokens: Sequence[Token]) -> None:
    if not tokens:
        return
    node.meta["start"] = tokens[0].start
    if type(node).__name__ == "Alias":
        if tokens[-1].text != node.alias:
            return
        tokens, node = tokens[:-1], node.this
        tokens = tokens[:-1] if tokens[-1:] and tokens[-1].token_type.name == "ALIAS" else tokens
        return _mark(text, node, tokens)
    parts: list[str] = []
    end = tokens[0].start
    for token in tokens:  # what is between tokens is blank, or a comment
        parts.append(" " * (token.start > end) + text[token.start : token.end + 1])
        end = token.end + 1
    node.meta["written"] = "".join(parts)
    return None
