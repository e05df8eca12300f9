"""Arguments that the command line does not know: what is wrong, and what to write instead."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import get_args

from leastnoise._lazy import meant
from leastnoise.cli.names import PairName, StatisticName

# How a missing word is reported.
_EXAMPLES = {
    "--epsilon": "--epsilon 1",
    "--stat": "--stat median",
    "FILE": "the path of a file, such as pay.csv",
    "LEDGER": "the path of a ledger, such as pay.db",
    "--column": "--column pay",
}
# Names of options in other tools, and where to find statistics that the command line lacks.
_CALLED = {
    **dict.fromkeys(("person", "persons", "user", "id"), "unit"),
    **dict.fromkeys(("unit", "privacy-unit"), "person"),
}
# Options of other commands or of Python, and what to do instead.
_GOES = {
    "relabel": "In Python TriangleCount(relabel=True) numbers ids of any kind; the check takes "
    "--nodes with how many there are",
    **dict.fromkeys(
        ("seed", "random-state", "simulate"),
        "Noise that anybody can repeat hides nothing: leave it out; in Python "
        "leastnoise.testing.simulate(seed) makes releases of public data repeat",
    ),
}
_OF_CHECK = dict.fromkeys(
    ("epsilon", "delta", "stat", "unit", "relation", "ledger", "dataset"),
    "A check is not private, and nothing is charged: leave it out, and give it to leastnoise "
    "release",
)
_GRAPHS = re.compile(
    r"triangles?|edges?|degrees?|stars?|graphs?|nodes?|(?:triangle|edge)[-_ ]?count", re.I
)
_MISSING = re.compile(r'Command "[\w -]+" parameter (\S+) requires an argument\.')
_PAIR = re.compile(
    r'Command "[\w -]+" parameter (\S+) requires 2 positional arguments\..*', re.DOTALL
)
_UNKNOWN = re.compile(r"Unknown option: --([\w-]+)\.(?: Did you mean \S+\?)?")
_TWICE = re.compile(r"Parameter (--[\w-]+) specified multiple times\.")
_ONCE = {
    "--where": 'join the conditions in one, --where "first and second"',
    "--column": "give one and call again for the next, or write a plan for several",
    "--bounds": "give the lower and the upper one behind it, --bounds LOWER UPPER",
}
_UNUSED = re.compile(r"Unused Tokens: \[(.*)\]\.")
_INVALID = re.compile(r'Invalid value "([^"]*)" for (--[\w-]+)\. Choose from: ([^.]*)\.$')


def cure_of(message: str, tokens: Sequence[str], options: Sequence[str]) -> str:
    """The message of the parser, with what to do next.

    Parameters
    ----------
    message
        The message.
    tokens
        The arguments that were given.
    options
        The options that the command knows, without dashes.
    """
    if (found := _MISSING.search(message)) is not None and found[1] not in tokens:
        return f"{found[1]} is missing: give {_EXAMPLES.get(found[1], 'it')}."
    if (found := _PAIR.search(message)) is not None:
        return (
            f"{found[1]} takes two values with a space between them: {found[1]} LOWER UPPER. "
            'Limits that are found privately are bounds = "private" in a plan.'
        )
    if (found := _TWICE.search(message)) is not None:
        return f"{found[1]} is given more than once: {_ONCE.get(found[1], 'give it once')}."
    if any(token.startswith(("-- ", "--\n")) for token in tokens):
        return (
            "A query that begins with a comment reads as an option: begin with SELECT, and put the "
            "comment behind it."
        )
    if (found := _UNKNOWN.search(message)) is not None:
        called = _CALLED.get(found[1].lower(), "")
        near = called if called in options else meant(found[1], options)
        hint = f" Did you mean --{near}?" if near else ""
        cure = (_GOES | (_OF_CHECK if tokens[:1] == ["check"] else {})).get(found[1])
        return f"Unknown option: --{found[1]}.{f' {cure}.' if cure else hint}"
    if (found := _UNUSED.search(message)) is not None:
        words = re.findall(r"'([\w-]+)'", found[1])
        if words and {*words} <= {*get_args(StatisticName), *get_args(PairName)}:
            several = " ".join(f"--stat {word}" for word in words)
            return f"{found[1]} fits no option: give each statistic its own, {several}."
        return (
            f"{found[1]} fits no option: give one file, and put patterns and text with spaces "
            "in quotes."
        )
    if (found := _INVALID.search(message)) is not None:
        if found[2] == "--stat" and _GRAPHS.fullmatch(found[1]):
            return f"{message} Statistics of graphs are asked for in Python, such as TriangleCount."
        near = meant(found[1], re.findall(r'"([^"]+)"', found[3]))
        return f'{message} Did you mean "{near}"?' if near else message
    return message
