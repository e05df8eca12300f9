"""What other libraries call the parts of a release, and what they are called here."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

_VALUE = "the released number is .value"
_NOISE = (
    ".noise_scale is the scale of the noise where it is public, and WithInterval(statistic) "
    "releases an interval with the value"
)
_HINTS = {
    **dict.fromkeys(
        ("result", "results", "answer", "estimate", "output", "mean", "median", "sum", "count",
         "item", "values", "data", "numpy", "private_value", "noisy_value"),
        _VALUE,
    ),
    **dict.fromkeys(
        ("std", "stddev", "sd", "sigma", "scale", "variance", "stderr", "standard_error", "se",
         "error", "accuracy", "rmse", "noise_std", "noise_stddev", "noise_variance"),
        _NOISE,
    ),
    **dict.fromkeys(
        ("confidence_interval", "confidence_intervals", "conf_int", "ci", "margin_of_error",
         "error_bound", "error_bounds"),
        "WithInterval(statistic) releases an interval with the value; .noise_interval() tells of "
        "the noise alone, where its scale is public",
    ),
    **dict.fromkeys(
        ("epsilon", "delta", "rho", "eps", "budget", "privacy_loss", "cost"),
        "what it cost is .guarantee",
    ),
}  # fmt: skip
_TABLE = (
    "one answer is table['name'].value, with groups table['N']['name'].value, and all of them are "
    "table.to_pandas()"
)


class Hinted:
    """A release, which says what to write for an attribute that it has not, and for arithmetic: a
    sum of records would lose what they cost.
    """

    __slots__ = ()

    if not TYPE_CHECKING:  # a type checker tells of such names itself

        def __getattr__(self, name: str) -> NoReturn:
            message = f"a {type(self).__name__} has no {name!r}"
            if not name.startswith("_"):
                message += f": {self._hint(name)}"
            raise AttributeError(message, name=name, obj=self)

        def _refused(self, *_: object) -> NoReturn:
            name = type(self).__name__
            raise TypeError(f"a {name} is a record, not a number: {self._hint('value')}")

        __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _refused
        __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _refused
        __pow__ = __rpow__ = __neg__ = __pos__ = __abs__ = __round__ = __int__ = _refused
        __lt__ = __le__ = __gt__ = __ge__ = _refused

        def __array_ufunc__(self, function: object, *_: object, **__: object) -> bool:
            """Of NumPy's functions only the question whether it is a number: it is none."""
            if function.__name__ in ("equal", "not_equal"):
                return function.__name__ == "not_equal"
            return self._refused()

        def __format__(self, spec: str) -> str:
            return self._refused() if spec else str(self)

    @staticmethod
    def _hint(name: str) -> str:
        if name == "value":
            return f"{_VALUE}, as in release.value + 1"
        return _HINTS.get(name, f"{_VALUE}, and the rest of the record is .to_dict()")


class HintedTable(Hinted):
    """The same of a table of releases."""

    __slots__ = ()

    @staticmethod
    def _hint(name: str) -> str:
        return f"it may be drawn as table.to_pandas().{name}()" if name == "plot" else _TABLE
