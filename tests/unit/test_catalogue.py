"""What can be named: one catalogue of mechanisms feeds plans and the command line."""

from __future__ import annotations

from fractions import Fraction
from typing import get_args

import pytest

import leastnoise as ln
from leastnoise.audit.cases import STATISTICS, StatisticCase
from leastnoise.cli.names import MechanismName
from leastnoise.cli.requests import mechanism
from leastnoise.mechanisms.catalogue import MECHANISMS, WITH_DELTA
from leastnoise.mechanisms.joint.mechanism import JointMechanism
from leastnoise.statistics.foreign import as_statistic


@pytest.mark.parametrize("name", get_args(MechanismName))
def test_the_command_line_makes_what_plans_make(name: MechanismName) -> None:
    delta = Fraction(1, 10**9)
    expected = MECHANISMS[name](delta=delta) if name in WITH_DELTA else MECHANISMS[name]()
    assert mechanism(name, delta) == expected


@pytest.mark.parametrize("case", STATISTICS, ids=lambda case: case.name)
@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_every_default_can_be_named(case: StatisticCase, relation: str) -> None:
    default = as_statistic(case.statistic).default_mechanism(relation)
    assert isinstance(default, JointMechanism) or type(default) in MECHANISMS.values()


def test_the_default_of_a_variance_can_be_asked_for() -> None:
    chosen = MECHANISMS["tight-or-loose"]()
    assert chosen == ln.Variance(bounds=(0, 1)).settled_mechanism("edit")
