"""Names that are loaded at first use, so that imports stay cheap, and guesses at misspelt ones."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from typing import Any

# Names in other libraries of what has another name here, in lower case without signs.
_ELSEWHERE = {
    **dict.fromkeys(("average", "avg"), "mean"),
    **dict.fromkeys(("var", "varpop"), "variance"),
    **dict.fromkeys(("std", "stddev", "stdev", "sd"), "standarddeviation"),
    **dict.fromkeys(("percentile", "percentiles"), "quantile"),
    **dict.fromkeys(("hist",), "histogram"),
    **dict.fromkeys(("iqr",), "interquartilerange"),
    **dict.fromkeys(("countunique", "nunique", "unique", "distinct"), "countdistinct"),
    **dict.fromkeys(("bounded", "substitute", "changeone"), "replaceone"),
    **dict.fromkeys(("unbounded", "addremoveone"), "addremove"),
    **dict.fromkeys(("data", "load", "readcsv", "frompandas"), "open"),
    **dict.fromkeys(("sep", "delimiter", "delim"), "separator"),
    **dict.fromkeys(("skiprows", "skip", "skiplines"), "skiprows"),
    **dict.fromkeys(("navalues", "nullvalues"), "missingvalue"),
    **dict.fromkeys(("eps",), "epsilon"),
    **dict.fromkeys(("lower", "upper", "low", "high", "lowerbound", "upperbound"), "bounds"),
    **dict.fromkeys(("range", "limits", "clip", "minvalue", "maxvalue"), "bounds"),
    **dict.fromkeys(("labels", "values", "levels", "keys"), "categories"),
    **dict.fromkeys(("edges",), "bins"),
    **dict.fromkeys(("col", "field", "name"), "column"),
    **dict.fromkeys(("budgetaccountant", "accountant", "privacyaccountant", "odometer"), "ledger"),
    **dict.fromkeys(("statistic", "query"), "stat"),
    **dict.fromkeys(("total",), "sum"),
    **dict.fromkeys(("min",), "minimum"),
    **dict.fromkeys(("max",), "maximum"),
}


def lazy_names(
    package: str, homes: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package whose names live in ``homes``."""
    home = {name: module for module, names in homes.items() for name in names}

    def load(name: str) -> Any:
        if name not in home:
            hint = "" if name.startswith("_") else did_you_mean(name, home)
            raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
        value = getattr(import_module(f"{package}.{home[name]}"), name)
        setattr(sys.modules[package], name, value)
        return value

    names = sorted(home)
    return load, lambda: names, names


def meant(name: object, known: Iterable[str]) -> str | None:
    """The known name that was probably meant; None if none is near."""
    if not isinstance(name, str):
        return None
    from difflib import get_close_matches

    plain = {_plain(one): one for one in known}
    given = _plain(name)
    if (elsewhere := _ELSEWHERE.get(given)) in plain:
        return plain[elsewhere]
    near = get_close_matches(given, plain, 1, 0.7)
    return plain[near[0]] if near else None


def did_you_mean(name: object, known: Iterable[str]) -> str:
    """The same as part of an error message; empty if none is near."""
    found = meant(name, known)
    return "" if found is None else f" (did you mean {found!r}?)"


def _plain(name: str) -> str:
    return "".join(filter(str.isalnum, name.lower()))
