"""A program with a declared sensitivity: pure and approximate guarantees for any mechanism."""

from fractions import Fraction

import numpy as np
import pytest

import leastnoise as ln
from leastnoise import audit, geometry
from leastnoise.blackbox.program import Program
from leastnoise.blackbox.respond import Reply, _on_lattice, lattice_sensitivity
from leastnoise.errors import LedgerError, ParameterError
from leastnoise.geometry import (
    Custom,
    Intersection,
    LpBall,
    MomentSpace,
    Polytope,
    Product,
    moment_ball,
)
from leastnoise.laws import DiscreteLaplaceLaw
from leastnoise.record import Release
from leastnoise.testing import simulate

F = Fraction
COLOURS = ("red", "green", "blue")


def votes(records):
    return [records.count(colour) for colour in COLOURS]


def poll(**changed):
    asked = {"sensitivity": 1, "norm": "linf", "dimension": 3, **changed}
    return ln.BlackBox(votes, **asked)


DATA = ["red"] * 70 + ["green"] * 25 + ["blue"] * 5


@pytest.mark.parametrize("mechanism", [ln.Exponential(), ln.PermuteAndFlip()], ids=lambda m: m.name)
def test_choices_are_pure(mechanism):
    r = poll().respond(DATA, epsilon=2, mechanism=mechanism, candidates=COLOURS)
    assert r.value == 0
    assert r.guarantee == ln.PureDP(2)
    assert r.sensitivity == "declared"
    assert r.sampled is None
    assert Release.from_json(r.to_json()) == r


def test_choices_follow_their_law():
    with simulate(3):
        found = [
            poll().respond(DATA, epsilon="0.05", mechanism=ln.Exponential()).value
            for _ in range(1500)
        ]
    p = np.exp(np.array(votes(DATA)) * 0.05 / 2)
    assert np.bincount(found, minlength=3) / 1500 == pytest.approx(p / p.sum(), abs=0.045)


@pytest.mark.parametrize(
    ("mechanism", "norm", "delta"),
    [
        (ln.Laplace(), "l1", 0),
        (ln.Gaussian(delta="1e-6"), "l2", F(1, 10**6)),
        (ln.DiscreteGaussian(delta="1e-6"), "l2", F(1, 10**6)),
    ],
    ids=lambda x: getattr(x, "name", str(x)),
)
@pytest.mark.parametrize("relation", ["replace-one", "add-remove", "edit"])
def test_vectors(mechanism, norm, delta, relation):
    box = poll(norm=norm, sensitivity=2, relation=relation)
    r = box.respond(DATA, epsilon=100, mechanism=mechanism)
    assert r.value == pytest.approx([70, 25, 5], abs=2)
    assert r.guarantee == (
        ln.ApproxDP(100, delta, ln.Scope(relation)) if delta else ln.PureDP(100, ln.Scope(relation))
    )
    assert r.n_public is (relation == "replace-one")


def test_a_number_has_a_public_interval():
    box = ln.BlackBox(lambda x: x.mean(), sensitivity="0.01", bounds=(0, 1))
    r = box.respond(np.linspace(0, 1, 100), epsilon=1)
    low, high = r.noise_interval()
    assert high - low == pytest.approx(2 * 0.01 * np.log(20), rel=1e-4)


UNITS = [
    Polytope([[100]]),
    Polytope([["1/100"]]),
    Polytope(facets=[["1/7"]]),
    LpBall(2, 1).scaled(3),
    LpBall(3, 1),
    Intersection(LpBall(1, 1).scaled(5), LpBall("inf", 1).scaled(2)),
    Product([(LpBall("inf", 1).scaled(8), (0,))]),
    Custom(lambda v: abs(v[0]) / 6, [6]),
    moment_ball("tri", MomentSpace(1, squares=())),
]


@pytest.mark.parametrize("ball", UNITS, ids=lambda b: b.name)
def test_a_ball_for_one_number_is_only_a_unit(ball):
    """A change of 1 has the norm ``bound([1])``; the noise is for the change, not the norm."""
    in_units = ball.bound([1])
    declared = ln.BlackBox(lambda x: sum(x), sensitivity=in_units, norm=ball)
    assert declared.declared.norm == "l1"
    assert declared.declared.sensitivity == 1
    plain = ln.BlackBox(lambda x: sum(x), sensitivity=1)
    for mechanism in (ln.Laplace(), ln.Gaussian(delta="1e-3")):
        here, there = (
            box.respond([0], epsilon=1, mechanism=mechanism) for box in (declared, plain)
        )
        assert here.noise_scale == there.noise_scale >= 1
    with simulate(4):
        found = [
            box.respond([0], epsilon=1, mechanism=ln.KNorm(ball)).value
            for box in (declared, plain)
            for _ in range(200)
        ]
    assert np.abs(found[:200]).mean() == pytest.approx(1, rel=0.2)
    assert np.abs(found[200:]).mean() == pytest.approx(1, rel=0.2)


@pytest.mark.parametrize("ball", UNITS, ids=lambda b: b.name)
@pytest.mark.parametrize("mechanism", [None, ln.KNorm(UNITS[0]), ln.KNorm(UNITS[3])])
def test_a_ball_for_one_number_keeps_the_declared_loss(ball, mechanism):
    """Exact: neighbours at the declared distance, the law of the shipped noise between them."""
    box = ln.BlackBox(lambda x: sum(x), sensitivity=ball.bound([1]), norm=ball)
    steps = lattice_sensitivity(box.declared, ball)
    # answers 0 and 1, a change of 1 on the lattice
    assert steps >= 1 / box.declared.step
    used = steps if mechanism is None else steps * mechanism.ball.bound([1])
    size = mechanism.ball.half_widths[0] if mechanism else 1
    assert used * size >= 1 / box.declared.step


def test_a_ball_of_another_dimension_is_refused():
    with pytest.raises(ParameterError, match="ball of 2 coordinates"):
        ln.BlackBox(votes, sensitivity=1, norm=LpBall(2, 2), dimension=3)
    with pytest.raises(ParameterError, match="ball of 2 coordinates"):
        ln.BlackBox(len, sensitivity=1).respond([0], epsilon=1, mechanism=ln.KNorm(LpBall(2, 2)))
    with pytest.raises(ParameterError, match="no exact norm"):
        ln.BlackBox(votes, sensitivity=1, norm=LpBall("1.5", 3), dimension=3)


def test_every_data_set_gives_an_answer():
    box = ln.BlackBox(lambda x: x.mean(), sensitivity=1, bounds=(0, 4))
    for data in ([], np.zeros(0), ["a"], [None], [[1], [2, 3]]):
        r = box.respond(data, epsilon=100)
        assert 0 <= r.value <= 4


@pytest.mark.parametrize("odd", [None, "x", 2**70, (1, 2), F(1, 2), 1.5], ids=repr)
def test_the_program_sees_the_records_as_they_are(odd):
    """One odd record must not turn the others into another type: the proof is about records."""

    def positives(records):
        return float(sum(isinstance(x, int) and x > 0 for x in records))

    box = ln.BlackBox(positives, sensitivity=1, bounds=(0, 1000))
    with simulate(1):
        whole = box.respond([1] * 500, epsilon=10**6).value
        other = box.respond([1] * 499 + [odd], epsilon=10**6).value
    assert whole == pytest.approx(500, abs=0.01)
    assert abs(whole - other) < 1.01


@pytest.mark.parametrize("sensitivity", [10**9, 1, F(1, 10**6)])
def test_numbers_stay_in_bounds_narrower_than_a_step(sensitivity):
    box = ln.BlackBox(lambda x: 0.5, sensitivity=sensitivity, bounds=(0.1, 0.9))
    for _ in range(20):
        assert 0.1 <= box.respond([1.0], epsilon=1).value <= 0.9


@pytest.mark.parametrize("batch", [True, False])
def test_answers_outside_the_bounds_cost_no_more_than_their_width(batch):
    """A program of any size may be declared to change by the width of its bounds."""
    wild = lambda x: 1e6 * np.sum(x, axis=-1) - 1e6
    box = ln.BlackBox(wild, sensitivity=4, bounds=(0, 4))
    program = Program(wild, 1, box.declared.bounds, batch)

    def law_of(data):
        values, failed = program.run(np.array(data))
        assert not failed
        (point,) = _on_lattice(values, box.declared)
        rate = 1 / lattice_sensitivity(box.declared, "l1")
        return DiscreteLaplaceLaw(point, rate, box.declared.step)

    report = audit.exact_law(law_of, universe=[0, 1, 2], n=2, claim=ln.PureDP(1))
    assert report.passed, report
    assert report.lo > F(9, 10)


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"sensitivity": 0}, "sensitivity"),
        ({"sensitivity": "x"}, "sensitivity"),
        ({"norm": "l7"}, "norm"),
        ({"dimension": 0}, "dimension"),
        ({"relation": "edge"}, "relation"),
        ({"bounds": (1, 0)}, "bounds"),
    ],
)
def test_wrong_parameters_are_named(changed, match):
    with pytest.raises(ParameterError, match=match):
        poll(**changed)


SLANTED = geometry.Polytope(facets=[(1, -1), ("1/100", "1/100")])


@pytest.mark.parametrize(
    "ball",
    [
        SLANTED,
        geometry.Linear([[1, 1], [0, 1]], geometry.LpBall("inf", 2)),
        geometry.Intersection(geometry.LpBall("inf", 2), SLANTED),
        geometry.Product([(SLANTED, (1, 0))]),
    ],
    ids=lambda ball: type(ball).__name__,
)
def test_no_cut_in_a_norm_in_which_it_moves_answers_apart(ball):
    options = {"sensitivity": 1, "norm": ball, "dimension": 2}
    with pytest.raises(ParameterError, match="bounds= clips each coordinate"):
        ln.BlackBox(votes, bounds=(0, 1), **options)
    ln.BlackBox(votes, **options)


@pytest.mark.parametrize(
    "ball", [geometry.LpBall(2, 2), geometry.Polytope(points=[(1, 0), (0, 1), (1, 1)])]
)
def test_cuts_in_norms_in_which_they_move_nothing_apart(ball):
    box = ln.BlackBox(lambda x: [7, -7], sensitivity=1, norm=ball, dimension=2, bounds=(0, 1))
    found = box.respond(DATA, epsilon=1, mechanism=ln.KNorm(ball)).value
    assert all(0 <= x <= 1 for x in found)


def test_ledger_is_charged_pure(tmp_path):
    ledger = ln.Ledger.create(tmp_path / "l.db", dataset="d", budget=ln.PureDP(3))
    poll(norm="l1").respond(DATA, epsilon=1, ledger=ledger, dataset="d")
    poll(norm="l1").respond(DATA, epsilon=1, ledger=ledger, dataset="d")
    assert ledger.spent.epsilon == 2
    other = ln.Ledger.create(
        tmp_path / "a.db", dataset="d", budget=ln.PureDP(1), relation="add-remove"
    )
    with pytest.raises(LedgerError):
        poll(norm="l1").respond(DATA, epsilon=1, ledger=other, dataset="d")
    assert other.spent.epsilon == 0


@pytest.mark.parametrize("kind", ["proportional", "flip"])
def test_released_choices_are_private_with_the_lattice_they_use(kind):
    """The whole way: scores in doubles, rounded to the lattice, its sensitivity, the law."""
    mechanism = ln.Exponential() if kind == "proportional" else ln.PermuteAndFlip()
    box = poll(sensitivity=1)
    answer = Reply(votes, False, mechanism, "linf", None)
    steps = lattice_sensitivity(box.declared, answer.norm)

    def law_of(data):
        points = [round(F(v) / box.declared.step) for v in votes(list(data))]
        return mechanism.law(ln.Scores(values=points, sensitivity=steps), 1)

    report = audit.exact_law(law_of, universe=COLOURS, n=3, claim=ln.PureDP(1))
    assert report.passed
    assert report.hi > F(1, 2)


@pytest.mark.parametrize("sensitivity", [1, F(3, 7), F(1, 1000)])
def test_rounding_to_the_lattice_is_paid_for(sensitivity):
    """Answers at the declared distance lie within what the noise is made for, at every offset."""
    known = ln.BlackBox(votes, sensitivity=sensitivity, norm="l1", dimension=2).declared
    allowed = lattice_sensitivity(known, "l1")
    step, half = float(known.step), float(sensitivity / F(2))
    for offset in np.random.default_rng(8).uniform(0, step, 200):
        here = _on_lattice([offset, -offset], known)
        there = _on_lattice([offset + half, -offset + half], known)
        assert sum(abs(a - b) for a, b in zip(here, there, strict=True)) <= allowed
