"""The examples in the docstrings of black boxes, selection and Gaussian noise come out as shown."""

import doctest
from importlib import import_module

import pytest

MODULES = (
    "blackbox.aggregate",
    "blackbox.declared",
    "blackbox.plan",
    "blackbox.sampler",
    "mechanisms.bernstein",
    "mechanisms.gaussian",
    "profiles.scores",
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name: str):
    found = doctest.testmod(import_module(f"leastnoise.{name}"))
    assert found.attempted > 0
    assert found.failed == 0
