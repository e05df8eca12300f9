"""Data given in place of a parameter: no error shows its entries, and none is pandas' own."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest

import leastnoise as ln
from leastnoise import estimators, geometry
from leastnoise.errors import LeastNoiseError, ParameterTypeError, quoted

PAY = [7773.25, 8884.5, 9995.75]
NAMES = ["Smith777", "Jones888", "Li999"]
SECRETS = ("7773", "8884", "9995", "Smith", "Jones", "Li999")
DATA: dict[str, Any] = {
    "list": PAY,
    "one": PAY[:1],
    "texts": NAMES,
    "rows": [{"pay": x} for x in PAY],
    "columns": {"pay": PAY},
    "set": set(NAMES),
    "array": np.array(PAY),
    "matrix": np.array([PAY, PAY]),
    "flags": np.array([True, False, True]),
    "series": pd.Series(PAY, name="pay"),
    "frame": pd.DataFrame({"pay": PAY, "name": NAMES}),
}
# What a call needs beside the parameter tried.
_FITTING = {
    "bounds": (0, 1),
    "columns": ("a", "b"),
    "column": "x",
    "q": 0.5,
    "statistic": ln.Count(),
    "epsilon": 1,
    "labels": [0, 1],
}
_ROOMS = (ln, estimators, geometry)
# Values that were released, which users do not make themselves.
_RELEASED = ("Release", "Releases", "Balance", "Description")


def _public() -> Iterator[tuple[str, Callable[..., Any]]]:
    for room in _ROOMS:
        for name in sorted(set(room.__all__)):
            part = getattr(room, name)
            error = inspect.isclass(part) and issubclass(part, BaseException)
            if callable(part) and not error and name not in _RELEASED:
                yield name, part
    opened = ln.open({"pay": [1.0, 2.0]})
    yield "where", opened.where
    yield "group_by", opened.group_by
    yield "is_in", ln.col("pay").is_in
    yield "between", ln.col("pay").between
    yield "release of a view", opened.release


def _calls(part: Callable[..., Any], data: Any) -> Iterator[tuple[str, Callable[[], Any]]]:
    """A call for each parameter, with the data in its place."""
    parameters = inspect.signature(part).parameters.values()
    for tried in parameters:
        if tried.kind is tried.VAR_KEYWORD:
            continue
        placed: list[Any] = []
        named: dict[str, Any] = {}
        for one in parameters:
            if one is tried:
                value = data
            elif one.default is one.empty and one.kind not in (one.VAR_KEYWORD, one.VAR_POSITIONAL):
                value = _FITTING.get(one.name, 1)
            else:
                continue
            if one.kind in (one.POSITIONAL_ONLY, one.VAR_POSITIONAL):
                placed.append(value)
            else:
                named[one.name] = value
        yield tried.name, lambda placed=placed, named=named: part(*placed, **named)


@pytest.mark.parametrize("kind", DATA)
def test_no_error_of_a_parameter_shows_the_data_given_for_it(kind: str) -> None:
    """Every parameter of every public constructor and function, and of the views of a session."""
    tried = refused = 0
    wrong = list[str]()
    for name, part in _public():
        for parameter, call in _calls(part, DATA[kind]):
            tried += 1
            try:
                call()
            except LeastNoiseError as error:
                refused += 1
                if any(secret in str(error) for secret in SECRETS):
                    wrong.append(f"{name}({parameter}=): {error}")
            except Exception as error:  # what is raw is told below
                wrong.append(f"{name}({parameter}=): {type(error).__name__}: {error}")
    assert not wrong, "\n".join(wrong)
    assert tried > 300
    assert refused > 200


@pytest.mark.parametrize("kind", sorted(set(DATA) - {"flags"}))
def test_data_in_place_of_a_column_is_sent_to_release(kind: str) -> None:
    with pytest.raises(ParameterTypeError, match=r"ln\.release\(ln\.Median\(bounds=.*epsilon=1"):
        ln.Median(DATA[kind], bounds=(0, 10))


def test_a_wrong_value_is_shown_where_it_is_short_and_single() -> None:
    assert [quoted(x) for x in ("up", 3, None, True)] == ["'up'", "3", "None", "True"]
    assert [quoted(x) for x in ([1], np.array([1]), {"a": 1})] == ["a list", "an ndarray", "a dict"]
    assert len(quoted("x" * 1000)) < 70
