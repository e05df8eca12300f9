"""Sample and aggregate: assignment by secret randomness, failures, records, budgets."""

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.blackbox.aggregate import assigned
from leastnoise.errors import BudgetExceededError, ParameterError
from leastnoise.randomness import HashedBits
from leastnoise.testing import simulate

F = Fraction
DATA = np.random.default_rng(0).normal(50, 10, 2000)


def aggregate(function=np.mean, **changed):
    asked = {"bounds": (0, 100), "blocks": 50, **changed}
    return ln.SampleAndAggregate(function, **asked)


def test_answer_is_near_and_pure():
    r = aggregate().respond(DATA, epsilon=1)
    assert r.guarantee == ln.PureDP(1)
    assert r.draws == (ln.BoundedRange(1),)
    assert r.value == pytest.approx(50, abs=5)
    assert any("50 random blocks" in note for note in r.notes)


@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_relations(relation):
    r = aggregate().respond(DATA, epsilon=1, relation=relation)
    assert r.guarantee.scope.relation == relation
    assert r.n_public is (relation == "replace-one")


@pytest.mark.parametrize(
    "data",
    [
        [],
        np.zeros(0),
        [1.0],
        [float("nan")] * 5,
        [float("inf"), -float("inf")],
        ["a", "b"],
        pd.DataFrame({"x": [1.0, 2.0], "y": ["u", "v"]}),
        None,
        7,
        object(),
    ],
)
def test_every_data_set_gives_a_finite_answer_in_the_bounds(data):
    r = aggregate().respond(data, epsilon=5)
    assert 0 <= r.value <= 100


def test_empty_blocks_answer_the_constant():
    with simulate(1):
        r = aggregate(blocks=400).respond([90.0] * 20, epsilon=100)
    assert r.value == pytest.approx(50, abs=0.5)


def test_failures_answer_the_constant_and_are_silent(capsys):
    def breaks(records):
        print("private", records)
        raise ValueError(records)

    with simulate(1):
        r = aggregate(breaks, bounds=(0, 8)).respond(DATA, epsilon=100)
    assert r.value == pytest.approx(4, abs=0.2)
    assert capsys.readouterr() == ("", "")


def test_blocks_are_drawn_for_each_record_alone():
    """The block of a record depends on its own draw: a record more leaves all others in place."""
    one = assigned(300, 7, HashedBits(b"s"))
    more = assigned(301, 7, HashedBits(b"s"))
    differing = [i for i in range(7) if one[i] != more[i]]
    assert len(differing) == 1
    assert sorted(place for block in one for place in block) == list(range(300))
    # not by position: neighbours in the file are not neighbours in a block
    sizes = [len(block) for block in assigned(70_000, 7, HashedBits(b"t"))]
    assert min(sizes) > 9_500


def test_several_coordinates_share_epsilon():
    def both(records):
        return [np.mean(records), np.std(records)]

    r = aggregate(both, dimension=2).respond(DATA, epsilon=4)
    assert r.value == pytest.approx([50, 10], abs=4)
    assert r.guarantee == ln.PureDP(4)
    assert r.draws == (ln.BoundedRange(2), ln.BoundedRange(2))


def test_frames_are_cut_into_frames():
    frame = pd.DataFrame({"x": DATA, "y": 2 * DATA})
    r = aggregate(lambda block: block["y"].mean() - block["x"].mean()).respond(frame, epsilon=5)
    assert r.value == pytest.approx(50, abs=5)


def test_gaussian_median():
    r = aggregate().respond(DATA, epsilon=1, mechanism=ln.Gaussian(delta="1e-6"))
    assert r.guarantee == ln.ApproxDP(1, "1e-6")


def test_budget_is_charged_before_the_program_runs(tmp_path):
    ledger = ln.Ledger.create(tmp_path / "l.db", dataset="d", budget=ln.PureDP(1))
    seen = []

    def watched(records):
        seen.append(float(ledger.spent.epsilon))
        return 1.0

    aggregate(watched).respond(DATA, epsilon=1, ledger=ledger, dataset="d")
    assert set(seen) == {1.0}
    ran = len(seen)
    with pytest.raises(BudgetExceededError):
        aggregate(watched).respond(DATA, epsilon="0.1", ledger=ledger, dataset="d")
    assert len(seen) == ran


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"bounds": None}, "bounds"),
        ({"bounds": (3, 3)}, "bounds"),
        ({"blocks": 0}, "blocks"),
        ({"blocks": 2.5}, "blocks"),
        ({"dimension": 0}, "dimension"),
    ],
)
def test_wrong_parameters_are_named(changed, match):
    with pytest.raises(ParameterError, match=match):
        aggregate(**changed)


def test_wrong_requests_cost_nothing():
    seen = []
    program = aggregate(lambda records: seen.append(1) or 0.0)
    for bad in (0, -1, None, "x"):
        with pytest.raises((ParameterError, TypeError)):
            program.respond(DATA, epsilon=bad)
    with pytest.raises(ParameterError, match="relation"):
        program.respond(DATA, epsilon=1, relation="edge")
    assert seen == []
