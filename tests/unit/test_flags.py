"""Parameters that are True or False take nothing else for either."""

from collections.abc import Callable

import numpy as np
import pytest

import leastnoise as ln
from leastnoise.errors import ParameterTypeError, ProductionError

MAKERS: dict[str, Callable[[object], object]] = {
    "Count": lambda flag: ln.Count(nonnegative=flag),
    "CountDistinct": lambda flag: ln.CountDistinct("a", nonnegative=flag),
    "Histogram": lambda flag: ln.Histogram("a", categories=[0, 1], nonnegative=flag),
    "CrossTab": lambda flag: ln.CrossTab("a", "b", rows=[0, 1], columns=[0, 1], nonnegative=flag),
    "ConfusionMatrix": lambda flag: ln.ConfusionMatrix(labels=[0, 1], nonnegative=flag),
    "EdgeCount": lambda flag: ln.EdgeCount(nodes=3, nonnegative=flag),
    "TriangleCount": lambda flag: ln.TriangleCount(nodes=None if flag else 3, relabel=flag),
    "CrossEntropy": lambda flag: ln.CrossEntropy(labels=[0, 1], logits=flag),
    "SparseVector": lambda flag: ln.SparseVector(epsilon=1, threshold=0, monotone=flag),
}


@pytest.mark.parametrize("name", MAKERS)
def test_only_true_and_false(name: str) -> None:
    for flag in (True, False, np.bool_(True)):
        MAKERS[name](flag)
    for flag in ("yes", "False", 1, None):
        with pytest.raises(ParameterTypeError, match="must be True or False"):
            MAKERS[name](flag)


@pytest.mark.parametrize("setting", ["1", "true", "TRUE", " yes ", "on", "production"])
def test_any_setting_but_off_is_production(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEASTNOISE_PRODUCTION", setting)
    with pytest.raises(ProductionError):
        ln.profile(ln.Median(bounds=(0, 10)), [1, 2, 3])


@pytest.mark.parametrize("setting", ["", "0", "false", "No", "off"])
def test_settings_that_are_off(setting: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LEASTNOISE_PRODUCTION", setting)
    assert ln.profile(ln.Median(bounds=(0, 10)), [1, 2, 3]).value == 2
