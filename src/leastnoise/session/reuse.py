"""The key by which a release is found again: its public parameters, and nothing of the data."""

from __future__ import annotations

import json
from dataclasses import fields, is_dataclass
from datetime import date, timedelta
from enum import Enum
from math import isinf
from typing import Any

from leastnoise.foreign import is_mapping, is_sequence
from leastnoise.numbers import as_fraction


class _Unknown(Exception):
    """A parameter whose text may differ between processes."""


def release_label(**request: object) -> str | None:
    """A text that identifies a request; None if a parameter is not identified by its value.

    Plain values, numbers by their exact value, and the library's dataclasses with such fields are
    identified. Anything else, such as a function or a user's own statistic, might mean something
    else in the next process, so its releases are never reused.
    """
    try:
        text = json.dumps(_plain(request), sort_keys=True)
    except _Unknown:
        return None
    from hashlib import sha256  # which loads OpenSSL

    return f"release:{sha256(text.encode()).hexdigest()}"


def _plain(value: object) -> Any:
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (date, timedelta)):
        return {"time": repr(value)}
    if isinstance(value, Enum):
        return {"choice": value.name}
    if is_dataclass(value) and not isinstance(value, type):
        kind = type(value)
        if not kind.__module__.startswith("leastnoise."):  # its code may change, or its name recur
            raise _Unknown
        parts = {f.name: _plain(getattr(value, f.name)) for f in fields(value)}
        # by its public name: modules move from version to version
        return {"class": f"leastnoise.{kind.__qualname__}", "fields": parts}
    if is_mapping(value):
        return {"map": sorted((str(key), _plain(item)) for key, item in value.items())}
    if isinstance(value, (set, frozenset)):
        raise _Unknown
    if is_sequence(value) and not isinstance(value, (bytes, bytearray)):
        return [_plain(item) for item in value]
    if isinstance(value, float) and isinf(value):  # an open end
        return {"number": repr(value)}
    try:
        return {"number": str(as_fraction(value))}
    except (TypeError, ValueError):
        raise _Unknown from None
