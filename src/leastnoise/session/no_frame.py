"""Hints for users who treat a view like a data frame: what to write instead."""

from __future__ import annotations

from typing import NoReturn

_ASK = "data.release(leastnoise.{}, epsilon=1)"
_OF = {
    "mean": "Mean",
    "average": "Mean",
    "median": "Median",
    "sum": "Sum",
    "var": "Variance",
    "std": "StandardDeviation",
    "min": "Minimum",
    "max": "Maximum",
}
_LOOK = (
    "leastnoise.open(...) of the same data without ledger=, and its check(), which is not private"
)
_FRAMES = {
    **{word: _ASK.format(f"{name}('pay', bounds=(0, 100))") for word, name in _OF.items()},
    "quantile": _ASK.format("Quantile('pay', q=0.9, bounds=(0, 100))"),
    "corr": _ASK.format("Correlation(['age', 'pay'], bounds=...)"),
    "cov": _ASK.format("Covariance(['age', 'pay'], bounds=...)"),
    "hist": _ASK.format("Histogram('pay', bins=[0, 50, 100])"),
    "value_counts": _ASK.format("Histogram('town', categories=['N', 'S'])"),
    "mode": _ASK.format("Mode('town', categories=['N', 'S'])"),
    **dict.fromkeys(("nunique", "unique"), _ASK.format("CountDistinct('town')")),
    **dict.fromkeys(("count", "size", "shape", "height"), _ASK.format("Count()")),
    **dict.fromkeys(("groupby", "pivot_table"), "data.group_by({'town': ['N', 'S']})"),
    **dict.fromkeys(("filter", "query", "loc", "iloc"), "data.where(leastnoise.col('age') >= 18)"),
    **dict.fromkeys(
        ("execute", "execute_df", "execute_with_interval", "evaluate"),
        _ASK.format("Count()") + ", or data.sql('SELECT COUNT(*) FROM data', epsilon=1)",
    ),
    **dict.fromkeys(
        ("add_private_dataframe", "from_dataframe", "from_df", "from_connection"),
        "leastnoise.open(data) for each frame or file",
    ),
    **dict.fromkeys(
        ("remaining_privacy_budget", "remaining_budget", "current_privacy_loss"), "data.remaining"
    ),
    **dict.fromkeys(("info", "head", "columns", "dtypes", "tail", "sample"), _LOOK),
}  # fmt: skip


class NoFrame:
    """A view of private data: it has no columns, entries or length to show, and says so."""

    __slots__ = ()

    def __getattr__(self, name: str) -> NoReturn:
        """Say what to write; only called for an attribute that does not exist."""
        told = f"a {type(self).__name__} has no {name!r}"
        if not name.startswith("_"):
            told += f": it shows no columns; write {_FRAMES.get(name, _FRAMES['median'])}"
        raise AttributeError(told, name=name, obj=self)

    def __getitem__(self, name: object) -> NoReturn:
        raise TypeError(
            f"a {type(self).__name__} shows no columns or rows: name the column in the statistic, "
            f"as in {_FRAMES['median']}"
        )

    def __len__(self) -> NoReturn:
        raise TypeError(
            f"a {type(self).__name__} has no length: how many rows there are may be private; "
            f"write {_FRAMES['size']}"
        )

    def __bool__(self) -> bool:
        return True
