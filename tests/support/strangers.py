"""Files that a stranger may hand over: what was written well, changed at random.

``bytes_like`` changes the bytes of a file and ``values_like`` the values of a JSON or TOML
document; both know what readers stumble over: quotes, marks, numbers without end, deep nesting.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Sequence
from typing import Any

AWKWARD_BYTES = (
    *(b"\0", b'"', b'""', b"'", b",", b";", b"\t", b"\r", b"\n", b"\r\n", b"\\", b"#", b"="),
    *(b"\xff\xfe", b"\xef\xbb\xbf", b"\xfe\xff", b"\xff", b"\x80", b"\xc3", b"\xed\xa0\x80"),
    *(b"nan", b"inf", b"-inf", b"1e999999", b"-0", b"1e-999999", b"0x1p5", b"1_000", b"9" * 5000),
    *(b"2024-02-30", b"9999-12-31T23:59:60", b"true", b"NULL", b"[" * 3000, b"{" * 3000),
    *("\u0661\u0662".encode(), "\u2028".encode(), "\u202e".encode(), "\U0001f600".encode()),
)
AWKWARD_VALUES: tuple[Any, ...] = (
    *(None, True, False, 0, -1, 1, 2**31, 2**63, 2**64, -(2**63) - 1, 10**400, 0.5, -0.0, 1e308),
    *(5e-324, float("inf"), float("nan"), "", " ", "x", "0", "1/0", "1/3", "-1/3", "1e400", "nan"),
    *("9" * 5000, "1/" + "9" * 5000, "\0", "\ud800", "\u202e", "=1+1", "a" * 3000, "none", "inf"),
    *([], [[]], {}, {"": None}, [None], [0, 1], [1, 0], ["a", "a"], {"kind": "PureDP"}),
)


def bytes_like(text: bytes, dice: random.Random, *, keep: int = 0) -> bytes:
    """The text with one to four changes behind its first ``keep`` bytes."""
    for _ in range(dice.randint(1, 4)):
        first = dice.randint(keep, max(keep, len(text)))
        last = min(len(text), first + dice.choice((0, 0, 1, 1, 2, 8, 40)))
        piece = dice.choice(
            (
                b"",
                bytes([dice.randrange(256)]),
                dice.choice(AWKWARD_BYTES),
                dice.choice(AWKWARD_BYTES) * dice.choice((1, 2, 300)),
                text[first : first + dice.randrange(60)] * dice.choice((1, 2, 50)),
            )
        )
        text = text[:first] + piece + text[last:]
        if dice.random() < 0.05:
            text = text[: dice.randint(keep, max(keep, len(text)))]
    return text


def values_like(document: Any, dice: random.Random) -> Any:
    """The document with one to three values, keys or whole branches changed."""
    document = copy.deepcopy(document)
    for _ in range(dice.randint(1, 3)):
        places = list(_places(document))
        if not places:
            break
        inside, key = dice.choice(places)
        match dice.randrange(6):
            case 0:
                del inside[key]
            case 1 if isinstance(inside, dict):
                inside[dice.choice(("", "x", "kind", "\ud800", key + " "))] = inside[key]
            case 1:
                inside.insert(key, inside[key])
            case 2:
                other, place = dice.choice(places)
                inside[key] = copy.deepcopy(other.get(place) if isinstance(other, dict) else None)
            case 3:
                for _ in range(dice.choice((1, 9, 50))):
                    inside[key] = [inside[key]]
            case _:
                inside[key] = copy.deepcopy(dice.choice(AWKWARD_VALUES))
    return document


def _places(document: Any) -> Sequence[tuple[Any, Any]]:
    found: list[tuple[Any, Any]] = []
    waiting = [document]
    while waiting:
        inside = waiting.pop()
        if isinstance(inside, (dict, list)):
            keys = list(inside) if isinstance(inside, dict) else range(len(inside))
            found += [(inside, key) for key in keys]
            waiting += [inside[key] for key in keys]
    return found
