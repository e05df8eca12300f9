"""The sensitivity sampler as a user meets it: estimates, responses, failures, ledgers, resuming."""

import io
import json
import os
import signal
import warnings
from fractions import Fraction
from itertools import product

import numpy as np
import pandas as pd
import pytest

import leastnoise as ln
from leastnoise.blackbox import workers
from leastnoise.blackbox.norms import VectorNorms, rounding
from leastnoise.blackbox.program import Program
from leastnoise.blackbox.respond import lattice_sensitivity
from leastnoise.errors import BudgetExceededError, LedgerError, ParameterError, ParameterTypeError
from leastnoise.geometry import Linear, LpBall
from leastnoise.record import Release
from leastnoise.testing import simulate

F = Fraction
LUCK = F(1, 1000)


def mean(records):
    return np.mean(records)


def exponential(rng, size):
    return rng.exponential(size=size)


class Kept:
    """An object with a state of its own, whose code says little."""

    def __call__(self, records):
        return np.mean(records)


def sampler(function=mean, **changed):
    asked = {"draw_record": exponential, "n": 50, "gamma": "0.1", **changed}
    return ln.SensitivitySampler(function, **asked)


DATA = np.random.default_rng(3).exponential(size=50)


# --- estimates --------------------------------------------------------------------------------


def test_estimate_is_the_order_statistic_of_the_changes():
    found = sampler()
    estimate = found.estimate()
    assert (estimate.m, estimate.k, estimate.gamma, estimate.beta) == (66, 66, F(1, 10), F(1, 1000))
    assert len(found.changes) == 66
    assert float(estimate) == found.changes[-1]
    more = sampler(m=500)
    assert float(more.estimate()) == more.changes[more.size.k - 1]
    assert more.size.k < 500
    assert found.estimate() is estimate


@pytest.mark.parametrize(
    "draw",
    [
        lambda rng, size: rng.normal(size=size),
        lambda rng: rng.normal(),
        lambda: np.random.default_rng().normal(),
        lambda rng, size: list(rng.normal(size=size)),
    ],
)
def test_records_may_be_drawn_in_several_ways(draw):
    assert 0 < float(sampler(draw_record=draw).estimate()) < 0.5


def test_records_may_be_frames():
    def draw(rng, size):
        return pd.DataFrame({"x": rng.random(size), "y": rng.random(size)})

    def slope(frame):
        assert list(frame.index) == list(range(len(frame)))
        return float(np.polyfit(frame["x"], frame["y"], 1)[0])

    found = sampler(slope, draw_record=draw)
    assert 0 < float(found.estimate()) < 1
    private = draw(np.random.default_rng(1), 50)
    assert np.isfinite(found.respond(private, epsilon=1).value)
    with pytest.raises(ParameterError, match="data has 49"):
        found.respond(private[:-1], epsilon=1)


def test_odd_private_data_is_no_error():
    """Ragged, mixed or hostile records of the right number: one answer, no exception."""

    class Hostile:
        def __array__(self, *args, **kwargs):
            raise RuntimeError("private")

    found = sampler(bounds=(0, 4))
    for odd in (
        [[1.0], [2.0, 3.0]] * 25,
        ["a", 1] * 25,
        [None] * 50,
        [10**400] * 50,
        [Hostile()] * 50,
        [float("nan")] * 50,
    ):
        assert 0 <= found.respond(odd, epsilon=100).value <= 4
        blocks = ln.SampleAndAggregate(mean, bounds=(0, 4), blocks=5)
        assert 0 <= blocks.respond(odd, epsilon=100).value <= 4


def test_stacks_give_what_single_calls_give():
    with simulate(5):
        one = sampler(lambda records: np.mean(records, axis=0), m=100)
        single = one.estimate()
    with simulate(5):
        stack = sampler(lambda records: np.mean(records, axis=1), m=100, batch=True)
        together = stack.estimate()
    # other chunks, so other draws, of one law
    assert float(together) == pytest.approx(float(single), rel=0.7)


@pytest.mark.parametrize(
    ("function", "stacks"),
    [
        (np.mean, False),
        (lambda records: records.mean(axis=-1), True),
        (lambda records: records.mean(axis=1), True),
        (lambda records: records.mean(axis=0), False),
        (lambda records: np.stack([records.mean(axis=-1), records.std(axis=-1)], axis=-1), True),
        (lambda records: sorted(records)[25], False),
        (lambda records: float(len(records)), False),
    ],
)
def test_stacks_are_found_out(function, stacks):
    found = sampler(function)
    assert found.program.batch is stacks
    answer, failed = found.program.run(DATA)
    assert not failed
    if stacks:
        assert answer[0] == pytest.approx(DATA.mean())


def test_a_stack_must_give_what_each_gives_alone():
    """Else the change in a stack says nothing about that of the private database."""
    with pytest.raises(ParameterError, match="for the database alone"):
        sampler(lambda stack: stack.mean(axis=1) / len(stack), batch=True)
    for flag in ("no", 0, 1):
        with pytest.raises(ParameterTypeError, match="batch"):
            sampler(batch=flag)


def test_an_estimate_keeps_how_its_function_is_called():
    def stacked(records):
        return records.mean(axis=1)

    def ratio(records):
        return np.abs(records).sum() / len(records)

    estimate = ln.SensitivityEstimate.from_json(sampler(stacked).estimate().to_json())
    assert estimate.batch
    with simulate(1):
        r = estimate.respond(stacked, DATA, epsilon=10**6)
    assert r.value == pytest.approx(DATA.mean(), abs=1e-3)
    single = sampler(ratio).estimate()
    assert not single.batch
    for flag in (True, "no", 1):
        with pytest.raises((ParameterError, ParameterTypeError), match="batch"):
            single.respond(ratio, DATA, epsilon=1, batch=flag)
    assert single.respond(ratio, DATA, epsilon=1, batch=False).secure


def test_rounding_that_depends_on_the_stack_is_added():
    def exact(records):
        return 5 + records.mean(axis=1)

    def rounded(records):
        return 5 + records.mean(axis=1) + len(records) * 1e-14

    with simulate(1):
        plain = sampler(exact, batch=True).estimate()
    with simulate(1):
        found = sampler(rounded, batch=True)
        wider = found.estimate()
    assert found.program.exact is False
    gap = float(wider.sensitivity - F(found.changes[-1]))
    assert plain.sensitivity == pytest.approx(float(wider.sensitivity), rel=1e-6)
    assert 2 * 2**-36 * 5 < gap < 2 * 2**-36 * 10


def test_processes_give_what_one_gives():
    with simulate(8):
        alone = sampler(workers=1)
        alone.estimate()
    with simulate(8):
        spread = sampler(workers=2)
        spread.estimate()
    assert np.array_equal(alone.changes, spread.changes)


def test_pairs_of_a_mean_change_as_they_must():
    """G = |x_n - x_(n+1)| / n for one pair, from the drawn records themselves."""
    seen = []

    def spy(records):
        seen.append(np.array(records))
        return np.mean(records)

    found = sampler(spy, m=66, workers=1)
    found.estimate()
    measured = seen[-2 * 66 :]  # the rehearsal comes before
    pairs = list(zip(measured[::2], measured[1::2], strict=True))
    assert len(pairs) == 66
    for first, second in pairs:
        assert (first != second).sum() == 1
    # at any place, not the last alone
    assert len({int(np.argmax(first != second)) for first, second in pairs}) > 20
    expected = sorted(abs((a - b).sum()) / 50 for a, b in pairs)
    assert found.changes == pytest.approx(expected, rel=1e-9, abs=1e-15)


@pytest.mark.parametrize(
    ("norm", "expected"), [("l1", 7.0), ("l2", 5.0), ("linf", 4.0)], ids=["l1", "l2", "linf"]
)
def test_norms(norm, expected):
    def both(records):
        return records.sum() * np.array([3.0, -4.0])

    with simulate(1):
        found = ln.SensitivitySampler(
            both,
            draw_record=lambda rng, size: (rng.random(size) < 0.5) * 1.0,
            n=3,
            norm=norm,
            gamma="0.5",
        )
        assert float(found.estimate()) == pytest.approx(expected)


def exact_pair(records):
    return [np.mean(records[:50]), np.mean([*records[:49], records[50]])]


def test_an_accelerated_pair_replaces_two_calls():
    """Where it fails the two calls are made, which give the same."""
    calls, single = [], []

    def pair(records):
        calls.append(len(records))
        return exact_pair(records)

    def fails_later(records):
        single.append(1)
        return exact_pair(records) if len(single) <= 3 else None

    with simulate(1):
        fast = sampler(pair=pair)
        fast.estimate()
    with simulate(1):
        slow = sampler(pair=fails_later)
        estimate = slow.estimate()
    assert calls == [51] * (3 + 66)
    assert estimate.failures == 0
    assert float(slow.estimate()) == pytest.approx(float(fast.estimate()), rel=2)
    assert (slow.changes > 0).all()


def test_a_pair_that_is_not_the_function_is_refused():
    with pytest.raises(ParameterError, match="two calls"):
        sampler(pair=lambda records: [np.mean(records[:50])] * 2)
    with pytest.raises(ParameterError, match="pair failed"):
        sampler(pair=lambda records: None)
    with pytest.raises(ParameterError, match="order"):
        sampler(lambda r: r[-1], pair=lambda r: [r[-2], r[-1]], n=50)


def test_a_pair_is_compared_by_its_change_not_by_the_answer():
    """An offset of the answers, as of Unix times, hides neither a small change nor an order."""

    def late(records):
        return 1.7e9 + 1e4 * np.mean(records)

    def smaller(records):
        first = late(records[:50])
        return [first, first + 1e4 * (records[50] - records[49]) / 50 / 10]

    def ordered(records):
        return 1e6 + np.mean(records) + 100 * records[0]

    with pytest.raises(ParameterError, match="two calls"):
        sampler(late, pair=smaller)
    with pytest.raises(ParameterError, match="order"):
        sampler(ordered, pair=lambda r: [ordered(r[:50]), ordered(np.append(r[:49], r[50]))])


def test_what_the_comparison_of_a_pair_allows_is_added():
    def short(records):
        first, second = exact_pair(records)
        return [first, first + (second - first) * (1 - 9e-4)]

    with simulate(1):
        found = sampler(pair=short)
        estimate = found.estimate()
    change = F(found.changes[-1])
    assert estimate.sensitivity * (1 - F(1, 10**9)) > change / (1 - F(9, 10**4))
    assert estimate.sensitivity < change * (1 + F(1, 900))


def test_a_program_that_looks_at_one_place_is_measured_at_all():
    """Exchanging the last record alone would not see the first, nor most pairs without change."""
    with simulate(1):
        found = sampler(lambda records: records[0], m=2000, gamma="0.005")
        found.estimate()
    assert 0.005 < (found.changes > 0).mean() < 0.05


def test_plan_prints_before_any_work():
    calls = []

    def watched(records):
        calls.append(1)
        return np.mean(records)

    found = sampler(watched)
    rehearsed = len(calls)
    out = io.StringIO()
    plan = found.plan(file=out)
    text = out.getvalue()
    assert len(calls) == rehearsed
    assert "66 pairs, 132 evaluations" in text
    assert "688" in text
    assert "41971" in text
    assert plan.size.m == 66


def test_zero_is_refused_with_the_reason():
    still = sampler(lambda records: float(len(records)))
    with pytest.raises(ParameterError, match="100% of the pairs did not change"):
        still.estimate()


def test_infinite_is_refused_with_the_cure():
    wild = sampler(lambda r: float(np.sign(r[-1] - 1)) * 1.7e308, m=66, n=1)
    with pytest.raises(ParameterError, match="bounds="):
        wild.estimate()


def test_failing_everywhere_is_refused():
    state = {"rehearsed": 0}

    def breaks(records):
        state["rehearsed"] += 1
        if state["rehearsed"] > 2:
            raise ValueError("later")
        return 1.0

    with pytest.raises(ParameterError, match="failed on every"):
        sampler(breaks).estimate()


# --- parameters ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"gamma": 0}, "gamma"),
        ({"gamma": None}, "gamma"),
        ({"gamma": 1.5}, "gamma"),
        ({"beta": 0}, "beta"),
        ({"n": 0}, "n must"),
        ({"m": 3}, "m=3"),
        ({"norm": "l3"}, "norm"),
        ({"guarantee": "exact"}, "guarantee"),
        ({"draw_record": 3}, "draw_record"),
        ({"draw_record": lambda a, b, c: 1}, "draw_record"),
        ({"draw_record": lambda size: np.zeros(size)}, "generator first"),
        ({"draw_record": lambda *, rng: rng.random()}, "generator first"),
        (
            {"draw_record": lambda rng, size: None},
            "as an array, a frame or a list; it returned NoneType",
        ),
        ({"draw_record": lambda rng, size: 1 / 0}, r"called as draw_record\(rng, size\): ZeroDiv"),
        ({"draw_record": lambda rng: {}["age"]}, r"called as draw_record\(rng\): KeyError: 'age'"),
        ({"pair": 5}, "pair must be callable: it takes n [+] 1 records"),
        ({"bounds": (2, 1)}, "bounds"),
        ({"workers": 0}, "workers"),
    ],
)
def test_wrong_parameters_are_named(changed, match):
    with pytest.raises(ParameterError, match=match):
        sampler(**changed)


@pytest.mark.parametrize("norm", [5, [], dict])
def test_a_norm_that_is_none_is_named_before_data(norm):
    estimate = sampler(m=66).estimate(show_progress=False)
    with pytest.raises(ParameterError, match='norm must be "l1", "l2", "linf" or a ball'):
        estimate.respond(np.mean, [1.0] * estimate.n, epsilon=1, norm=norm, same_function=True)


def test_a_function_that_fails_on_drawn_records_is_refused():
    with pytest.raises(ParameterError, match="failed on a database of drawn records"):
        sampler(lambda records: records["age"])
    with pytest.raises(ParameterError, match="finite"):
        sampler(lambda records: float("nan"))
    with pytest.raises(ParameterError, match="callable"):
        sampler(7)
    with pytest.raises(ParameterError, match="one answer for each"):
        sampler(np.mean, batch=True)


def test_a_function_with_two_answers_is_refused():
    rng = np.random.default_rng()
    with pytest.raises(ParameterError, match="different answers"):
        sampler(lambda records: rng.normal())


# --- responses ----------------------------------------------------------------------------------


def test_response_says_what_it_promises():
    r = sampler().respond(DATA, epsilon="0.5")
    assert r.secure
    assert r.guarantee == ln.RandomDP("0.5", 0, "0.1", "0.001")
    assert r.sensitivity == "sampled"
    assert r.sampled is not None
    assert (r.sampled["m"], r.sampled["k"], r.sampled["gamma"]) == (66, 66, "1/10")
    assert "random differential privacy" in r.notes[0]
    assert "nothing for any one given database" in r.notes[0]
    assert Release.from_json(r.to_json()) == r
    low, high = r.noise_interval()
    assert low < r.value < high
    assert r.statistic == "mean"


def test_noise_has_the_sampled_scale():
    found = sampler()
    estimate = found.estimate()
    with simulate(2):
        errors = [found.respond(DATA, epsilon=2).value - DATA.mean() for _ in range(400)]
    scale = float(estimate) / 2
    assert np.mean(np.abs(errors)) == pytest.approx(scale, rel=0.2)


@pytest.mark.parametrize(
    ("mechanism", "norm"),
    [
        (ln.Laplace(), "l1"),
        (ln.Gaussian(delta="1e-6"), "l2"),
        (ln.DiscreteGaussian(delta="1e-6"), "l2"),
    ],
    ids=lambda x: getattr(x, "name", x),
)
def test_vectors(mechanism, norm):
    def moments(records):
        return [np.mean(records), np.mean(records**2)]

    with simulate(2):
        r = sampler(moments, norm=norm).respond(DATA, epsilon=50, mechanism=mechanism)
    assert r.value == pytest.approx(moments(DATA), abs=0.5)
    assert r.guarantee.delta == (0 if norm == "l1" else F(1, 10**6))
    wrong = "l2" if norm == "l1" else "l1"
    with pytest.raises(ParameterError, match=f"give norm='{norm}'"):
        sampler(moments, norm=wrong).respond(DATA, epsilon=1, mechanism=mechanism)


def test_noise_of_a_ball():
    from leastnoise.geometry import LpBall

    def moments(records):
        return [np.mean(records), np.mean(records**2), 1.0]

    for ball in (LpBall("inf", 3), LpBall(2, 3)):
        with simulate(2):
            found = sampler(moments, norm=ball)
            assert found.estimate().norm == f"{ball.name} #{ball.key}"
            r = found.respond(DATA, epsilon=50, mechanism=ln.KNorm(ball))
        assert r.value == pytest.approx(moments(DATA), abs=0.5)
        text = found.estimate().to_json()
        again = ln.SensitivityEstimate.from_json(text)
        again.respond(moments, DATA, epsilon=50, mechanism=ln.KNorm(ball), norm=ball)
        with pytest.raises(ParameterError, match="needs a sensitivity in the norm"):
            found.respond(DATA, epsilon=1, mechanism=ln.KNorm(LpBall(1, 3)))
    with pytest.raises(ParameterError, match="with a ball"):
        sampler(moments).respond(DATA, epsilon=1, mechanism=ln.KNorm())


def three(records):
    return [float(np.mean(records)), float(np.mean(records**2)), 100 * float(np.mean(records))]


def test_balls_are_told_apart_by_their_contents():
    """Names repeat: a product's says no places, and a ball may be given any."""
    from leastnoise.geometry import Custom, LpBall, Polytope, Product

    wide, flat = LpBall(1, 1).scaled(100), LpBall("inf", 2)
    cube = [(1, 0, 0), (0, 1, 0), (0, 0, 1)]
    pairs = [
        (Product([(flat, (0, 1)), (wide, (2,))]), Product([(flat, (1, 2)), (wide, (0,))])),
        (Polytope(facets=cube, name="mine"), Polytope(cube, name="mine")),
        (
            Custom(lambda v: max(abs(x) for x in v) / 100, [100] * 3),
            Custom(lambda v: max(abs(x) for x in v) * 100, [F(1, 100)] * 3),
        ),
    ]
    for ball, namesake in pairs:
        assert ball.name == namesake.name
        found = sampler(three, norm=ball)
        for norm, needed in ((ball, namesake), (namesake, namesake)):
            mechanism = ln.KNorm(needed)
            with pytest.raises(ParameterError, match=r"norm"):
                found.estimate().respond(three, DATA, epsilon=1, mechanism=mechanism, norm=norm)
        with pytest.raises(ParameterError, match="needs a sensitivity in the norm"):
            found.respond(DATA, epsilon=1, mechanism=ln.KNorm(namesake))
        found.respond(DATA, epsilon=1, mechanism=ln.KNorm(ball))
    declared = ln.BlackBox(three, sensitivity=1, norm=pairs[0][0], dimension=3)
    with pytest.raises(ParameterError, match="needs a sensitivity in the norm"):
        declared.respond(DATA, epsilon=1, mechanism=ln.KNorm(pairs[0][1]))


def test_a_ball_of_the_users_own_is_known_by_its_object_or_by_word():
    from leastnoise.geometry import Custom, Intersection, LpBall

    class Mine(LpBall):
        """Its norm may be anything."""

    custom = Custom(lambda v: max(abs(x) for x in v), [1] * 3)
    for ball in (custom, custom.scaled(2), Intersection(custom, LpBall(1, 3)), Mine(1, 3)):
        assert ball.key is None
        stored = ln.SensitivityEstimate.from_json(sampler(three, norm=ball).estimate().to_json())
        asked = {"epsilon": 1, "mechanism": ln.KNorm(ball), "norm": ball}
        with pytest.raises(ParameterError, match="same_norm=True"):
            stored.respond(three, DATA, **asked)
        stored.respond(three, DATA, same_norm=True, **asked)
        with pytest.raises(ParameterError, match="in the norm"):
            stored.respond(three, DATA, same_norm=True, **(asked | {"norm": LpBall(1, 3)}))


def test_a_ball_for_one_number_measures_its_absolute_change():
    from leastnoise.geometry import LpBall, Polytope

    ball = Polytope([[100]])
    with simulate(1):
        plain = sampler().estimate()
    with simulate(1):
        found = sampler(norm=ball)
        assert found.estimate().norm == "l1"
        assert found.estimate().sensitivity == plain.sensitivity
        scales = [
            found.respond(DATA, epsilon=1, mechanism=m).noise_scale
            for m in (None, ln.Gaussian(delta="1e-6"))
        ]
        noisy = [
            found.respond(DATA, epsilon=1, mechanism=ln.KNorm(Polytope([["1/100"]]))).value
            for _ in range(400)
        ]
    assert scales[0] == pytest.approx(float(plain), rel=1e-5)
    assert scales[1] > float(plain)
    assert np.abs(np.array(noisy) - DATA.mean()).mean() == pytest.approx(float(plain), rel=0.2)
    with pytest.raises(ParameterError, match="ball of 2 coordinates"):
        sampler(norm=LpBall(1, 2))


@pytest.mark.parametrize("mechanism", [ln.Exponential(), ln.PermuteAndFlip()], ids=lambda m: m.name)
def test_choices(mechanism):
    def scores(records):
        return [-abs(np.median(records) - c) for c in (0.1, 0.7, 5.0)]

    names = ["low", "middle", "high"]
    with simulate(2):
        found = sampler(scores, norm="linf")
        r = found.respond(DATA, epsilon=100, mechanism=mechanism, candidates=names)
    assert r.value == 1
    assert any("index of the chosen" in note for note in r.notes)
    with pytest.raises(ParameterError, match="one score per candidate"):
        found.respond(DATA, epsilon=1, mechanism=mechanism, candidates=["low"])


@pytest.mark.parametrize("noise", ["linf", "laplace"])
def test_a_curve_by_the_bernstein_mechanism(noise):
    bernstein = ln.Bernstein(lattice=8, order=2, noise=noise)

    def curve(records):
        return [np.mean(np.exp(-records * p)) for (p,) in bernstein.grid]

    with simulate(2):
        r = sampler(curve, norm="linf").respond(DATA, epsilon=1000, mechanism=bernstein)
    released = bernstein.polynomial(r.value)
    y = np.linspace(0, 1, 21)
    assert released(y) == pytest.approx([np.mean(np.exp(-DATA * p)) for p in y], abs=0.02)
    with pytest.raises(ParameterError, match=r"bernstein\.grid"):
        sampler(lambda r: [r.mean(), r.std(), 1.0], norm="linf").respond(
            DATA, epsilon=1, mechanism=bernstein
        )


def test_number_of_records_is_checked_first():
    found = sampler()
    for data in (DATA[:-1], np.append(DATA, 1.0)):
        with pytest.raises(ParameterError, match=f"n=50 records, but the data has {len(data)}"):
            found.respond(data, epsilon=1)
    for bad in (0, -1, None, "1,5", float("nan")):
        with pytest.raises((ParameterError, TypeError)):
            found.respond(DATA, epsilon=bad)
    with pytest.raises(ParameterError, match="mechanism must be"):
        found.respond(DATA, epsilon=1, mechanism=ln.PiecewiseLaplace())


@pytest.mark.parametrize(
    "misbehave",
    [
        lambda records: 1 / 0,
        lambda records: float("nan"),
        lambda records: [1.0, 2.0, 3.0],
        lambda records: "text",
        lambda records: None,
        lambda records: exit(3),
        lambda records: print(records) or warnings.warn("private", stacklevel=1),
    ],
)
def test_private_failures_are_one_constant_and_silent(misbehave, capsys):
    """A program that misbehaves on private data only: the answer is the middle of the bounds."""

    def function(records):
        return misbehave(records) if np.max(records) > 90 else np.mean(records)

    found = sampler(function, bounds=(0, 10))
    found.estimate(show_progress=False)
    data = DATA.copy()
    data[0] = 99.0
    with simulate(6):
        r = found.respond(data, epsilon=10**9)
    assert r.value == pytest.approx(5.0, abs=1e-6)
    assert capsys.readouterr() == ("", "")


def test_a_stack_of_ragged_records_is_the_constant():
    found = sampler(lambda records: records.mean(axis=-1), bounds=(0, 10))
    assert found.program.batch
    with simulate(6):
        r = found.respond([[1.0], [2.0, 3.0]] * 25, epsilon=10**9)
    assert r.value == pytest.approx(5, abs=1e-6)


def test_private_data_is_not_changed():
    def vandal(records):
        records[:] = 0
        return float(records.sum())

    data = DATA.copy()
    Program(vandal, 1, None).run(data)
    assert np.array_equal(data, DATA)
    rows = [[1], [2]]
    Program(lambda r: r.clear() or 0, 1, None).run(rows)
    assert rows == [[1], [2]]
    objects = np.array([[1], [2], None], object)[:2]
    Program(lambda r: r[0].clear() or 0, 1, None).run(objects)
    assert objects[0] == [1]


def test_objects_in_cells_are_copies():
    frame = pd.DataFrame({"n": [1, 2], "x": [[1], [2]]}, index=[5, 6])
    Program(lambda r: [cell.clear() for cell in r["x"]] and 0, 1, None).run(frame)
    assert frame["x"].tolist() == [[1], [2]]
    Program(lambda r: [cell.clear() for cell in r] and 0, 1, None).run(frame["x"])
    assert frame["x"].tolist() == [[1], [2]]
    same, failed = Program(lambda r: len(r["x"][5]) + r["n"].sum(), 1, None).run(frame)
    assert (same.tolist(), failed) == ([4.0], False)
    fields = np.zeros(2, [("o", object)])
    fields["o"] = [[1], [2]]
    Program(lambda r: [cell.clear() for cell in r["o"]] and 0, 1, None).run(fields)
    assert fields["o"].tolist() == [[1], [2]]


def test_one_bad_database_of_a_stack_spoils_no_other():
    def reciprocal(stack):
        if (stack == 0).any():
            raise ZeroDivisionError
        return 1 / stack.mean(axis=1)

    stack = np.array([[1.0, 1.0], [0.0, 4.0], [2.0, 2.0]])
    answers, failed = Program(reciprocal, 1, None, batch=True).run_many(stack)
    assert answers.ravel().tolist() == [1.0, 0.0, 0.5]
    assert failed == 1


def test_failures_on_drawn_records_are_counted():
    def fragile(records):
        if records[0] > 1:
            raise ValueError
        return np.mean(records)

    with simulate(1):
        found = sampler(
            fragile, n=2, draw_record=lambda rng, size: rng.uniform(0, 1.2, size), m=300
        )
        estimate = found.estimate()
    assert 40 < estimate.failures < 200
    # the failure constant is one of the answers, so it counts in the changes
    assert float(estimate) > 0.3


def test_a_failure_that_is_not_counted_would_be_seen():
    """Pairs that fail change the answer by more than any other: leaving them out hides that."""

    def fragile(records):
        if records[0] > 0.9:
            raise ValueError
        return 5 + np.mean(records) / 100

    with simulate(2):
        found = sampler(
            fragile, n=2, draw_record=lambda rng, size: rng.random(size), bounds=(0, 20)
        )
        counted = float(found.estimate())
    left_out = max(g for g in found.changes if g < 1)
    assert counted > 4
    assert left_out < 0.01


def test_lattice_sensitivity_covers_rounding():
    for norm in ("l1", "l2", "linf"):
        estimate = sampler(lambda r: [r.mean(), r.max(), r.min()], norm=norm).estimate()
        steps = lattice_sensitivity(estimate, norm)
        exact = estimate.sensitivity / estimate.step
        assert exact + 1 <= steps <= exact * (1 + F(1, 2**20))


@pytest.mark.parametrize("dimension", range(1, 8))
def test_rounding_is_enough_where_every_coordinate_crosses_a_half(dimension):
    """Numbers as near as one likes, 1/2 between them, lie a whole step apart once rounded."""
    assert round_half_up(F(1, 2)) - round_half_up(F(1, 2) - F(1, 2**60)) == 1
    crossings = np.array(list(product((-1.0, 1.0), repeat=dimension)))
    ball = Linear(np.tri(dimension, dtype=int).tolist(), LpBall("inf", dimension))
    for norm in ("l1", "l2", "linf", ball):
        largest = VectorNorms(norm)(crossings, np.zeros_like(crossings)).max()
        assert largest <= float(rounding(norm, dimension)) * (1 + 1e-12)


@pytest.mark.parametrize("norm", ["l1", "l2", "linf"])
def test_pairs_within_the_sensitivity_stay_within_it_on_the_lattice(norm):
    """The privacy proof needs this of every pair, whatever the doubles are."""
    estimate = sampler(lambda r: [r.mean(), r.max(), r.min()], norm=norm).estimate()
    size, step = float(estimate.sensitivity), estimate.step
    steps = lattice_sensitivity(estimate, norm)
    rng = np.random.default_rng(4)
    for _ in range(2000):
        a = rng.normal(size=3) * 10.0 ** rng.integers(-6, 6)
        b = a + rng.normal(size=3) * 10.0 ** rng.integers(-9, 2)
        change = float(VectorNorms(norm)(a[None], b[None])[0])
        if change > size:
            b = a - (a - b) * (size / change)
            if float(VectorNorms(norm)(a[None], b[None])[0]) > size:
                continue
        gaps = [
            abs(round_half_up(F(x) / step) - round_half_up(F(y) / step))
            for x, y in zip(a.tolist(), b.tolist(), strict=True)
        ]
        if norm == "l1":
            assert sum(gaps) <= steps
        elif norm == "l2":
            assert sum(gap * gap for gap in gaps) <= steps * steps
        else:
            assert max(gaps) <= steps


def round_half_up(x: Fraction) -> int:
    return (x + F(1, 2)).__floor__()


# --- keeping and reusing --------------------------------------------------------------------------


def test_estimate_survives_json_and_is_reused():
    estimate = sampler().estimate()
    again = ln.SensitivityEstimate.from_json(estimate.to_json(indent=1))
    assert again == estimate
    assert again.key == estimate.key
    r = again.respond(mean, DATA, epsilon=1)
    assert r.guarantee == ln.RandomDP(1, 0, "0.1", "0.001")
    with pytest.raises(ParameterError, match="not the one that was sampled"):
        again.respond(lambda records: np.max(records), DATA, epsilon=1)


def test_a_function_that_cannot_be_told_apart_must_be_said_to_be_the_same():
    estimate = sampler(np.mean).estimate()
    assert estimate.code is not None
    estimate.respond(np.mean, DATA, epsilon=1)
    with pytest.raises(ParameterError, match="not the one"):
        estimate.respond(np.sum, DATA, epsilon=1, same_function=True)

    def scaled(factor):
        return lambda records: factor * np.mean(records)

    estimate = sampler(scaled(1)).estimate()
    estimate.respond(scaled(1), DATA, epsilon=1)
    with pytest.raises(ParameterError, match="not the one"):
        estimate.respond(scaled(2), DATA, epsilon=1)
    estimate = sampler(Kept()).estimate()
    with pytest.raises(ParameterError, match="same_function=True"):
        estimate.respond(Kept(), DATA, epsilon=1)
    estimate.respond(Kept(), DATA, epsilon=1, same_function=True)


@pytest.mark.parametrize("text", ["", "{}", "[]", '{"format": "other"}', "null"])
def test_damaged_estimates_are_refused(text):
    with pytest.raises(ParameterError, match="not a sensitivity estimate"):
        ln.SensitivityEstimate.from_json(text)


def test_ledger_keeps_random_guarantees_apart(tmp_path):
    pure = ln.Ledger.create(tmp_path / "pure.db", dataset="d", budget=ln.PureDP(5))
    found = sampler()
    with pytest.raises(LedgerError, match="random"):
        found.respond(DATA, epsilon=1, ledger=pure, dataset="d")
    assert pure.spent.epsilon == 0
    ledger = ln.Ledger.create(
        tmp_path / "random.db", dataset="d", budget=ln.RandomDP(5, "1e-5", "0.25", "0.01")
    )
    r = found.respond(DATA, epsilon=1, ledger=ledger, dataset="d", purpose="test")
    assert (ledger.spent.epsilon, ledger.spent.gamma) == (1, F(1, 10))
    assert r.ledger is not None
    assert r.tracked.startswith("charged")
    # the same estimate for the same function: gamma is the same event and was paid
    found.respond(DATA, epsilon=1, ledger=ledger, dataset="d")
    assert (ledger.spent.epsilon, ledger.spent.gamma, ledger.spent.beta) == (2, F(1, 10), LUCK)
    # another table is another database: its pairs are covered or not on their own
    again = ln.RandomDP(9, 0, "0.9", "0.1")
    wide = ln.Ledger.create(tmp_path / "wide.db", dataset="d", budget=again)
    for table in ("a", "b", "a"):
        found.respond(DATA, epsilon=1, ledger=wide, dataset="d", table=table)
    assert (wide.spent.epsilon, wide.spent.gamma) == (3, F(1, 5))
    # another function has an estimate of its own, whose gamma adds
    sampler(lambda records: np.mean(records**2)).respond(
        DATA, epsilon=1, ledger=ledger, dataset="d"
    )
    assert (ledger.spent.epsilon, ledger.spent.gamma) == (3, F(1, 5))
    with pytest.raises(BudgetExceededError, match="gamma"):
        sampler(lambda r: np.mean(np.sqrt(r))).respond(DATA, epsilon=1, ledger=ledger, dataset="d")
    kept = json.loads(json.dumps([entry.body for entry in ledger.history]))
    assert [b["charged"]["epsilon"] for b in kept if "charged" in b] == ["1", "1", "1"]


def test_what_cannot_be_told_apart_pays_for_its_gamma_every_time(tmp_path):
    """Two such functions may share one estimate: that theirs is the same event nobody knows."""
    budget = ln.RandomDP(9, 0, "0.9", "0.1")
    ledger = ln.Ledger.create(tmp_path / "l.db", dataset="d", budget=budget)
    estimate = sampler(Kept()).estimate()
    for times in (1, 2):
        estimate.respond(Kept(), DATA, epsilon=1, same_function=True, ledger=ledger, dataset="d")
        assert ledger.spent.gamma == F(times, 10)


def test_random_guarantees_do_not_compose_by_accident():
    r = sampler().respond(DATA, epsilon=1)
    with pytest.raises(ParameterError, match="random"):
        ln.compose([r, ln.PureDP(1)])
    assert ln.compose([r, ln.PureDP(1)], allow_random=True).gamma == F(1, 10)


def test_an_interrupted_run_resumes(tmp_path):
    calls = {"count": 0, "stop": 30}

    def counted(records):
        calls["count"] += 1
        if calls["count"] == calls["stop"]:
            signal.raise_signal(signal.SIGINT)
        return np.mean(records)

    path = tmp_path / "run.json"
    with simulate(3):
        found = sampler(counted, checkpoint=path, m=66, batch=False)
        with pytest.raises(KeyboardInterrupt):
            found.estimate()
    measured = len(found.changes)
    assert 0 < measured < 66
    before = calls["count"]
    # in a new process: the file alone
    resumed = sampler(counted, checkpoint=path, m=66, batch=False)
    resumed.estimate(same_function=True)
    # the rehearsal, two kept pairs drawn again, the missing ones
    assert calls["count"] - before == 2 + 4 + 2 * (66 - measured)
    assert set(found.changes) <= set(resumed.changes)
    with simulate(3):
        calls["stop"] = -1
        plain = sampler(counted, m=66, batch=False)
        plain.estimate()
    assert np.array_equal(plain.changes, resumed.changes)
    with pytest.raises(ParameterError, match="belongs to another"):
        sampler(counted, checkpoint=path, m=70).estimate()
    path.write_text("{")
    with pytest.raises(ParameterError, match="damaged"):
        sampler(counted, checkpoint=path, m=66).estimate()


def test_a_checkpoint_of_another_law_or_value_is_refused(tmp_path):
    def scaled(kept):
        return lambda records: kept[0] * np.mean(records)  # a list has no fingerprint

    path = tmp_path / "run.json"
    sampler(scaled([1]), checkpoint=path).estimate()
    with pytest.raises(ParameterError, match="function cannot be compared"):
        sampler(scaled([1]), checkpoint=path).estimate()
    sampler(scaled([1]), checkpoint=path).estimate(same_function=True)
    with pytest.raises(ParameterError, match="belongs to another"):
        sampler(scaled([2]), checkpoint=path).estimate(same_function=True)

    def wide(rng, size):
        return 3 * rng.exponential(size=size)

    with pytest.raises(ParameterError, match="belongs to another"):
        sampler(scaled([1]), checkpoint=path, draw_record=wide).estimate(same_function=True)

    def unseeded(kept):
        return lambda: kept[0].exponential()

    other = tmp_path / "other.json"
    state = [np.random.default_rng(1)]
    sampler(draw_record=unseeded(state), checkpoint=other).estimate()
    with pytest.raises(ParameterError, match="draw_record cannot be compared"):
        sampler(draw_record=unseeded(state), checkpoint=other).estimate()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs os.fork")
def test_two_runs_at_a_time_keep_their_own_task(monkeypatch):
    """A run in another thread begins between the start of this one and its first process."""
    from multiprocessing import get_context

    runs = []

    class Context:
        def Pool(self, *arguments):
            if not runs:
                runs.append(None)
                runs[0] = sorted(workers._with_fork(lambda item: 10 * item, range(3), 2))
            return get_context("fork").Pool(*arguments)

    monkeypatch.setattr("multiprocessing.get_context", lambda kind: Context())
    assert sorted(workers._with_fork(lambda item: item + 1, range(3), 2)) == [1, 2, 3]
    assert runs == [[0, 10, 20]]
