"""Names loaded at first use, guesses at misspelt ones, and sequences made when asked for."""

from __future__ import annotations

import sys
from abc import abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib import import_module
from typing import Any, TypeVar, overload

Entry = TypeVar("Entry", covariant=True)

# Names in other libraries of what has another name here, in lower case without signs.
_ELSEWHERE = {
    **dict.fromkeys(("average", "avg", "boundedmean"), "mean"),
    **dict.fromkeys(("var", "varpop", "boundedvariance"), "variance"),
    **dict.fromkeys(("std", "stddev", "stdev", "sd", "boundedstandarddeviation"),
                    "standarddeviation"),
    **dict.fromkeys(("percentile", "percentiles"), "quantile"),
    **dict.fromkeys(("hist", "valuecounts", "countby", "counter"), "histogram"),
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
    **dict.fromkeys(("path", "filename", "source"), "file"),
    **dict.fromkeys(("epsilon", "budget"), "total"),
    **dict.fromkeys(("col", "field", "name"), "column"),
    **dict.fromkeys(("budgetaccountant", "accountant", "privacyaccountant", "odometer"), "ledger"),
    **dict.fromkeys(("statistic", "query"), "stat"),
    **dict.fromkeys(("total", "boundedsum"), "sum"),
    **dict.fromkeys(("min",), "minimum"),
    **dict.fromkeys(("max",), "maximum"),
}  # fmt: skip
_LABELS = (
    "the most frequent label is leastnoise.Mode, and how often each is there leastnoise.Histogram"
)
_SQL = "leastnoise.open(data).sql('SELECT COUNT(*) FROM data', epsilon=1)"
# Names that stand in a room of the package or are other libraries', by how they begin.
_ROOMS = {
    "tools": "statistics are here, such as leastnoise.Mean, and are released by leastnoise.release",
    "measurements": "write leastnoise.release(statistic, data, epsilon=1)",
    "transformations": "rows are chosen by leastnoise.open(data).where(...), and values "
    "are clipped to bounds=",
    "TopK": _LABELS,
    "top_k": _LABELS,
    **dict.fromkeys(
        (
            "DataFrame",
            "PrivateSession",
            "PrivateTable",
            "PrivateCollection",
            "PrivateRDD",
            "from_",
            "DPEngine",
            "make_private",
            "Analysis",
        ),
        "a frame, list or file is opened by leastnoise.open(data)",
    ),
    "Query": "a question is a statistic, such as leastnoise.Mean('pay', bounds=(0, 100)), or "
    f"SQL: {_SQL}",
    **dict.fromkeys(("PrivateReader", "PandasReader", "execute"), f"SQL is asked by {_SQL}"),
    **dict.fromkeys(
        ("Context", "Compositor"),
        "data and its budget are opened by leastnoise.open(data, ledger=, dataset=)",
    ),
    "enable_features": "there is nothing to enable: leave it out",
    **dict.fromkeys(
        ("KeySet", "Partition"),
        "keys are declared by leastnoise.open(data).group_by({'town': ['N', 'S']}); "
        "leastnoise.PrivateKeys finds some",
    ),
    "AddOneRow": "that is relation='add-remove', in leastnoise.release or leastnoise.open",
    **dict.fromkeys(
        ("AddMaxRows", "AddRowsWithID", "PrivacyUnit"),
        "persons are named by leastnoise.open(data, unit='person', max_rows=1)",
    ),
    "PureDPBudget": "it is leastnoise.PureDP(1), or epsilon=1 of a release",
    "ApproxDPBudget": "it is leastnoise.ApproxDP(1, '1e-9'), or epsilon=1 of a release",
    **dict.fromkeys(("RhoZCDPBudget", "ZCDPBudget"), "it is leastnoise.ZCDP('1/2')"),
    "PrivacyAccountant": "an account of releases is leastnoise.Ledger",
    "Privacy": "epsilon= goes into leastnoise.release(statistic, data, epsilon=1), and delta= into "
    "a mechanism such as leastnoise.Gaussian(delta='1e-9')",
    **dict.fromkeys(
        ("LaplaceMechanism", "LaplaceTruncated", "LaplaceBounded"), "it is leastnoise.Laplace"
    ),
    **dict.fromkeys(("GaussianMechanism", "GaussianAnalytic"), "it is leastnoise.Gaussian"),
    "models": "models are in leastnoise.estimators",
    "simulate": "it is leastnoise.testing.simulate",
    "set_seed": "it is leastnoise.testing.simulate(seed), for public data",
    "seed": "it is leastnoise.testing.simulate(seed), for public data",
    "PrivateL": "models are in leastnoise.estimators",
    "PrivateR": "models are in leastnoise.estimators",
    "LogisticRegression": "it is leastnoise.estimators.PrivateLogisticRegression",
    "LinearRegression": "it is leastnoise.estimators.PrivateLinearRegression",
}


class LazySequence(Sequence[Entry]):
    """Entries that are made when they are asked for, by their places from 0 on."""

    __slots__ = ()

    @abstractmethod
    def entry(self, place: int) -> Entry:
        """One entry."""

    @overload
    def __getitem__(self, index: int) -> Entry: ...

    @overload
    def __getitem__(self, index: slice) -> list[Entry]: ...

    def __getitem__(self, index: int | slice) -> Entry | list[Entry]:
        """An entry, or a list of some."""
        places = range(len(self))[index]
        return self.entry(places) if isinstance(places, int) else [*map(self.entry, places)]


def lazy_names(
    package: str, homes: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """``__getattr__``, ``__dir__`` and ``__all__`` of a package whose names live in ``homes``."""
    home = {name: module for module, names in homes.items() for name in names}

    def load(name: str) -> Any:
        if name not in home:
            room = _ROOMS.get(name)
            room = room or next((x for begun, x in _ROOMS.items() if name.startswith(begun)), None)
            hint = "" if name.startswith("_") else did_you_mean(name, home)
            hint = f": {room}" if room is not None and package == "leastnoise" else hint
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
