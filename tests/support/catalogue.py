"""Every statistic and mechanism that is public, with parameters that fit a small table of numbers.

They are made from the names of their parameters, so that a new one is here without being added.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import MISSING, Field, fields, is_dataclass
from functools import cache
from itertools import product
from typing import Any

import leastnoise as ln
from leastnoise.errors import LeastNoiseError

_LIMITS = (-5, 50)
# What a parameter of this name is. Columns: g of 0 and 1, x, y and z of numbers, some of them
# missing in y, and a and b of nodes of a graph; those of a table of counts are labels. A fine
# resolution takes seconds.
_ALWAYS: Mapping[str, Sequence[Any]] = {
    "column": ("x", "y", "g"),
    "columns": (("x", "z"), (0, 1)),
    "target": ("x", "g", "b"),
    "prediction": ("z", "g"),
    "source": ("a",),
    "row": ("g",),
    "weights": ("b",),
    "resolution": (4,),
}
# What another parameter of this name may be beside its default.
_KNOWN: Mapping[str, Sequence[Any]] = {
    "bounds": (_LIMITS, ln.PrivateBounds(), (_LIMITS, _LIMITS), (1, 50)),
    "missing": ("drop", "none", 1),
    "step": ("0.5",),
    "bins": ((0, 1, 3),),
    "categories": ((0, 1),),
    "labels": ((0, 1),),
    "rows": ((0, 1),),
    "q": (("0.2", "0.8"), "0.4"),
    "nodes": (4,),
    "relabel": (True,),
    "largest": (4,),
    "most": (12,),
    "max_rows": (40,),
    "delta": ("1e-6",),
    "loss_bound": (2,),
    "function": (lambda record: record[:1], lambda counts: counts[0] - counts[1]),
    "box": ((_LIMITS,),),
    "statistic": (
        *(ln.Median("x", bounds=_LIMITS), ln.Mean("y", bounds=_LIMITS)),
        *(ln.Variance("x", bounds=_LIMITS), ln.Mean("x", bounds=ln.PrivateBounds())),
    ),
    "favour": ("interval",),
    "of": ("population",),
    "nonnegative": (True,),
    "score": ("distance",),
    "lattice": (2,),
    "rho": (1,),
    "base": ("log",),
    "shift": (1,),
    "scale": (2,),
    "side": ("down",),
    "spacing": ("uniform",),
    "fewest": (1,),
    "ball": ("l1", "linf"),
}


def known(field: Field[Any]) -> list[Any]:
    """What a parameter is tried with, first what it is where nothing is said."""
    if field.name in _ALWAYS:
        return [*_ALWAYS[field.name]]
    own = [] if field.default is MISSING else [field.default]
    assert own or field.name in _KNOWN, f"say in _KNOWN what {field.name} may be"
    return [*own, *_KNOWN.get(field.name, ())]


def _made(kind: Any) -> Iterator[Any]:
    given = [field for field in fields(kind) if not field.name.startswith("_")]
    for values in product(*map(known, given)):
        try:
            yield kind(**{field.name: v for field, v in zip(given, values, strict=True)})
        except LeastNoiseError:
            continue


@cache
def forms(kind: Any) -> list[Any]:
    """An object of a class with each choice of parameters that fit together."""
    found = list(_made(kind))
    assert found, f"nothing in _KNOWN makes a {kind.__name__}"
    return found


def _offered(method: str) -> dict[str, Any]:
    """Public classes that have a method, and are no records that hold something of its name."""
    found = {name: getattr(ln, name) for name in ln.__all__}
    return {
        name: kind
        for name, kind in found.items()
        if isinstance(kind, type)
        and is_dataclass(kind)
        and callable(getattr(kind, method, None))
        and method not in {field.name for field in fields(kind)}
    }


STATISTICS = _offered("spec")
"""By name."""
MECHANISMS = _offered("guarantee")
"""By name, those for numbers, choices and vectors."""
