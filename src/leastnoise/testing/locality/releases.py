"""Releases, scores and fits of random data: records, and what was read of features and targets."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Generator
from contextlib import contextmanager
from typing import Any, cast

import numpy as np

from leastnoise.session import release
from leastnoise.session.scoring.scoring import private_score
from leastnoise.statistics.statistic import Described
from leastnoise.testing.locality.readings import Given, Read, Seen, exact_floats, refusing
from leastnoise.testing.simulate import simulate


def released(
    statistic: object,
    relation: str,
    *,
    mechanism: object = None,
    where: object = None,
    opened: bool = False,
) -> Read:
    """The record of a release: all of it but the value, which is finite.

    ``opened``: of the table that the other readings read, since engines take long to open one.
    """
    how = {"relation": relation, "mechanism": mechanism, "where": where}
    given_how = {name: value for name, value in how.items() if value is not None}

    def work(given: Given) -> Seen:
        data, options = (given.table, {}) if opened else (given.native, given.options)
        return _recorded(
            lambda: release(cast("Described", statistic), data, epsilon=1, **how, **options)
        )

    told = "".join(f", {name}={value!s}" for name, value in given_how.items())
    told += ", of a table that is open" if opened else ""
    return Read(f"release({statistic!r}{told})", work, inside=False)


def scored(metric: str, relation: str) -> Read:
    """The record of a score of a model that predicts 1 for every row."""

    def work(given: Given) -> Seen:
        X, y = cast("tuple[Any, Any]", given.native)
        return _recorded(
            lambda: private_score(
                _One(), X, y, metric=metric, epsilon=1, relation=relation, bounds=(0, 10)
            )
        )

    return Read(f"private_score(metric={metric!r}, relation={relation!r})", work, inside=False)


class _One:
    """A model."""

    def predict(self, X: Any) -> list[float]:
        return [1.0] * len(X)


# Limits that a search has released, or that it found none, and what a record tells of them.
_LIMITS_FOUND = ("bounds", "limits", "step", "parts", "notes", "sensitivity_used", "noise_scale")


def _recorded(work: Callable[[], Any]) -> Seen:
    with simulate(0):
        record = refusing(work)
    found, seen = record.to_dict(), Seen()
    value = found.pop("value")
    if record.mechanism.startswith("PrivateLimits"):
        found = {name: told for name, told in found.items() if name not in _LIMITS_FOUND}
    else:
        seen.public["repr"] = repr(record).replace(repr(record.value), "")
    seen.public |= {f"record: {name}": told for name, told in found.items()}
    numbers = [x for x in np.ravel(value).tolist() if isinstance(x, float)]
    seen.public["finite"] = bool(np.isfinite(numbers).all())
    return seen


def features(
    labels: tuple[str | float, ...] | None, width: int, relation: str, *, missing: object
) -> Read:
    """Features and targets as a private regression reads them, entry by entry."""

    def work(given: Given) -> Seen:
        from leastnoise.estimators.matrix import open_features, open_labels, open_target

        X, y = cast("tuple[Any, Any]", given.native)
        seen = Seen()
        with _any_shape():
            model = _model(width, relation, missing)
            rows = refusing(lambda: open_features(model, X, y, _LIMITS * width))
            seen.public |= {"schema": rows.schema, "number of features": rows.columns}
            if labels is None:
                target = refusing(lambda: open_target(y, rows.rows))
                seen.rows["target"] = exact_floats(target.floats())
            else:
                declared = labels
                coded = refusing(lambda: open_labels(y, rows.rows, declared))
                seen.rows["labels"] = coded.codes().tolist()
        seen.rows["features"] = [tuple(exact_floats(row)) for row in rows.floats()]
        return seen

    told = "target" if labels is None else f"labels {labels!r}"
    return Read(f"features and {told} of a regression, relation={relation!r}", work)


def fitted(width: int, relation: str, *, missing: object) -> Read:
    """The record of a private regression."""

    def work(given: Given) -> Seen:
        X, y = cast("tuple[Any, Any]", given.native)
        with _any_shape():
            return _recorded(lambda: _model(width, relation, missing).fit(X, y).release_)

    told = f"PrivateLinearRegression(relation={relation!r}, missing={missing!r}).fit(X, y)"
    return Read(told, work, inside=False)


_LIMITS = [(0, 10)]


def _model(width: int, relation: str, missing: object) -> Any:
    from leastnoise.estimators import PrivateLinearRegression

    return PrivateLinearRegression(
        bounds=_LIMITS * width,
        target_bounds=_LIMITS[0],
        ball="l1",
        relation=relation,
        missing=missing,
    )


@contextmanager
def _any_shape() -> Generator[None]:
    """scikit-learn warns of a target that is a column of a matrix, whatever its values."""
    from leastnoise.estimators.interface import DataConversionWarning

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataConversionWarning)
        yield
