"""The library's errors and findings speak Python; on the command line the same cure is an option.

``as_options`` is the one place that translates: rules in order, each a pattern and what stands in
its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable

Rule = tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]]
# Keywords that are options of the same name.
_NAMED = (
    r"separator|decimal|thousands|encoding|skip_rows|skip_after_header|comment|engine|source"
    r"|bounds|step|unit|max_rows|max_groups|relation|missing|epsilon|delta|ledger|dataset|table"
    r"|purpose|weights|group_by|where|q"
)


def _kebab(match: re.Match[str]) -> str:
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "-", match[1]).lower()
    return f"--mechanism {words}"


def _option(match: re.Match[str]) -> str:
    name = "--" + match[1].replace("_", "-")
    return f"{name} " if match[2].strip(",;.):") else name  # a value follows, or none


def _column(match: re.Match[str]) -> str:
    name = match[2]
    return f"--where 'not is_missing({name if name.isidentifier() else f'`{name}`'})'"


def _date(match: re.Match[str]) -> str:
    year, month, day = map(int, match.groups())
    return f'date("{year:04d}-{month:02d}-{day:02d}")'


# A call of Python, whose parameters are none of the command line.
_CALL = re.compile(r"(\b[A-Z]\w*\((?:[^()]|\([^()]*\))+\))")
_RULES: tuple[Rule, ...] = (
    (re.compile(r"~ln\.col\((['\"])(.*?)\1\)\.is_missing\(\)"), _column),
    (re.compile(r"bounds=\(datetime\.date\(.*?\), datetime\.date\(.*?\)\)"),
     "--bounds 2024-01-01 2024-12-31 or date(\"2024-01-31\") in --where"),
    (re.compile(r"bounds=\(timedelta\(0\), timedelta\(hours=8\)\)"),
     "--bounds 0s 8h or timedelta(hours=8) in --where"),
    (re.compile(r"as datetime\.date, datetime\.datetime or datetime\.timedelta"),
     "as dates like 2024-01-31 or lengths of time like 8h"),
    (re.compile(r"datetime\.date\((\d+), (\d+), (\d+)\)"), _date),
    (re.compile(r"datetime\.timedelta\("), "timedelta("),
    (re.compile(r"use ==, != or \.is_in\(\[\.\.\.\]\)"), "use ==, != or in [...]"),
    (re.compile(r"mechanism=(\w+)\(\)"), _kebab),
    (re.compile(r"(?<=; use )(\w+)\(\)(?= here)"), _kebab),
    (re.compile(r"missing_values="), "--missing-value"),
    (re.compile(r"labels=True"), "--labels"),
    (re.compile(r"categories="), "--categories"),
    (re.compile(r"reuse=True"), "--reuse"),
    (re.compile(r", as in Ledger\.create\(path, dataset=\.\.\.\)"), "; give --dataset NAME"),
    (re.compile(r"PrivateLimit\(\) finds it"), "--max-rows private finds it"),
    (re.compile(r"only Ledger\.create or leastnoise budget --init"),
     "only leastnoise budget --init"),
    (re.compile(r"\b(header|multiline)=False"), r"--no-\1"),
    (re.compile(r"\b(bounds|weights)=\[?\(([^()=]*), ([^()=]*)\)\]?"), r"--\1 \2 \3"),
    (re.compile(rf"(?<![\w(-])({_NAMED})=(?=(\S?))"), _option),
)  # fmt: skip


_KEYS: tuple[Rule, ...] = (
    (re.compile(r"PrivateLimit\(\) finds it"), 'max_rows = "private" finds it'),
    (re.compile(r"PrivateBounds\(\)|PrivateLimit\(\)"), '"private"'),
    (re.compile(r"\b(header|multiline)=False"), r"\1 = false"),
    (re.compile(r"\b([a-z_]+)=\[?\(([^()=]*), ([^()=]*)\)\]?"), r"\1 = [\2, \3]"),
    (re.compile(r"such as \(([^()=]*), ([^()=]*)\)"), r"such as [\1, \2]"),
    (re.compile(rf"(?<![\w(-])({_NAMED}|missing_values|categories|bins|file)=(?=(\S?))"),
     lambda match: f"{match[1]} = " if match[2].strip(",;.):") else match[1]),
)  # fmt: skip


def as_keys(message: str) -> str:
    """A message with its cures as they are written in a plan."""
    for pattern, words in _KEYS:
        message = pattern.sub(words, message)
    return message


def as_options(message: str) -> str:
    """A message with its cures as they are typed on the command line."""
    parts = _CALL.split(message)
    for i, part in enumerate(parts[::2]):
        for pattern, words in _RULES:
            part = pattern.sub(words, part)
        parts[2 * i] = part
    return "".join(parts)
