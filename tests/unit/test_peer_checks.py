"""Checks of other libraries: they convict what is broken, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from math import exp, inf, log, nan
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import chi2, norm

from leastnoise.audit.peers import NAMES, check, peer
from leastnoise.audit.peers.check import (
    Check,
    Finding,
    Outcome,
    Peer,
    Replayed,
    Sampled,
    Selected,
    approximate,
    concentrated,
    pure,
)
from leastnoise.audit.peers.replay import Additive, additive, gaussian_loss, laplace_loss
from leastnoise.errors import ParameterError


def run(claim: check.Claim, evidence: check.Evidence, needs: str = "") -> Outcome:
    made = Check("a-check", claim, "call()", "one changed", "https://a/report", evidence, needs)
    return made.run("library", "1.0")


def laplace(scale: float, clip: float = inf) -> Callable[[list[float]], Additive]:
    """The law of a sum in Laplace noise, each number clipped."""
    return lambda data: additive(lambda z: [sum(min(x, clip) for x in data) + scale * z])


# Replays


def test_the_noise_of_a_sum_is_read_off():
    law = additive(lambda z: [3.0 + 2 * z, 5.0 - z / 2])
    assert law == Additive((3.0, 5.0), (2.0, 0.5))


@pytest.mark.parametrize(
    "run_at",
    [
        lambda z: [z**2],
        lambda z: [max(z, 1.0)],
        lambda z: [0.0] * (1 + int(z)),
        lambda z: [nan if z == 2 else z],
    ],
    ids=["square", "cut", "count", "missing"],
)
def test_nothing_is_concluded_where_noise_is_not_added(run_at: Callable[[float], list[float]]):
    with pytest.raises(ParameterError):
        additive(run_at)


def test_laplace_loss_is_the_sum_of_distances_over_scales():
    loss, how = laplace_loss(Additive((0.0, 1.0), (2.0, 4.0)), Additive((1.0, 0.0), (2.0, 4.0)))
    assert loss == pytest.approx(0.75)
    assert how == "2 of 2 answers moved by 1 in noise of scale 2, 4"


@pytest.mark.parametrize(
    ("mine", "theirs", "why"),
    [
        (((0.0,), (1.0,)), ((0.0, 0.0), (1.0, 1.0)), "1 numbers against 2"),
        (((0.0,), (1.0,)), ((0.0,), (1.01,)), "noise of scale 1 against 1.01"),
        (((0.0,), (0.0,)), ((1.0,), (0.0,)), "without noise"),
        (((nan,), (nan,)), ((1.0,), (1.0,)), "NaN for one data set only"),
    ],
    ids=["counts", "scales", "no noise", "NaN"],
)
def test_what_no_noise_hides_is_an_infinite_loss(mine: Any, theirs: Any, why: str):
    assert laplace_loss(Additive(*mine), Additive(*theirs))[0] == inf
    assert laplace_loss(Additive(*theirs), Additive(*mine))[0] == inf
    assert why in laplace_loss(Additive(*mine), Additive(*theirs))[1]


def test_equal_laws_lose_nothing():
    same = Additive((1.0, nan, 0.0), (0.0, nan, 2.0))
    assert laplace_loss(same, same)[0] == 0
    assert gaussian_loss(same, same, 1e-5)[0] == 0


@pytest.mark.parametrize("mu", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("delta", [1e-5, 1e-2])
def test_shifted_normal_noise_by_integration(mu: float, delta: float):
    """delta(epsilon) = the integral of (p - e^epsilon q)+, from the densities themselves."""
    mine, theirs = Additive((0.0,), (2.0,)), Additive((2 * mu,), (2.0,))
    epsilon, _ = gaussian_loss(mine, theirs, delta)
    edge = mu / 2 - epsilon / mu  # p > e^epsilon q below it, p at 0 and q at mu
    found, _ = quad(lambda y: norm.pdf(y) - exp(epsilon) * norm.pdf(y - mu), -40, edge, limit=200)
    assert found == pytest.approx(delta, rel=1e-5)


@pytest.mark.parametrize("size", [1, 3, 50])
@pytest.mark.parametrize("ratio", [1.5, 1.01])
def test_widened_normal_noise_by_integration(size: int, ratio: float):
    delta = 1e-5
    mine, theirs = Additive((0.0,) * size, (ratio,) * size), Additive((0.0,) * size, (1.0,) * size)
    epsilon, _ = gaussian_loss(mine, theirs, delta)
    assert gaussian_loss(theirs, mine, delta)[0] == epsilon

    def delta_of(own: float, other: float) -> float:
        """Over the squared length, which is sufficient: both laws depend on nothing else."""
        square = np.linspace(0, 3000, 600_001)[1:]
        p = chi2.pdf(square / own**2, size) / own**2
        q = chi2.pdf(square / other**2, size) / other**2
        return float(np.maximum(p - np.exp(epsilon) * q, 0).sum() * (square[1] - square[0]))

    worst = max(delta_of(ratio, 1.0), delta_of(1.0, ratio))
    assert worst == pytest.approx(delta, rel=0.02)


def test_normal_noise_that_moves_and_widens_is_left_alone():
    with pytest.raises(ParameterError):
        gaussian_loss(Additive((0.0,), (1.0,)), Additive((1.0,), (2.0,)), 1e-5)


def test_replays_convict_the_clip_that_is_forgotten():
    pair = ([0.0, 1.0], [0.0, 1000.0])
    held = run(pure(1), Replayed(laplace(1.0, clip=1.0), pair))
    assert (held.verdict, held.loss) == ("held", 0)
    broken = run(pure(1), Replayed(laplace(1.0), pair))
    assert (broken.verdict, broken.loss) == ("VIOLATED", 999)


def test_a_claim_that_is_attained_holds():
    outcome = run(pure("1/10"), Replayed(laplace(10.0), ([0.0, 0.1], [0.0, 1.1])))
    assert outcome.verdict == "held"
    assert outcome.loss == pytest.approx(0.1)


# Samples


def coins(probabilities: list[float], seed: int) -> Callable[[int], int]:
    stream = np.random.default_rng(seed)
    return lambda data: int(stream.random() < probabilities[data])


def test_samples_convict_a_support_that_differs():
    outcome = run(pure(1), Sampled(lambda labels: tuple(set(labels)), ([0, 1], [0, 0]), 200))
    assert outcome.verdict == "VIOLATED"
    assert outcome.loss is not None
    assert outcome.loss > 1


def test_samples_do_not_convict_randomised_response_at_its_epsilon():
    heads = exp(1) / (1 + exp(1))
    for seed in range(20):
        evidence = Sampled(coins([heads, 1 - heads], seed), (0, 1), 2_000)
        assert run(pure(1), evidence).verdict == "held"


PERMUTE_AND_FLIP, EXPONENTIAL = exp(-2) / 2, exp(-2) / (1 + exp(-2))


@pytest.mark.parametrize("direction", [(0, 1), (1, 0)])
def test_selection_with_too_long_a_range_is_convicted(direction: tuple[int, int]):
    """Scores 0, 0 against 1, -1: permute and flip loses 0.69 in the order 2, claimed 1/2."""
    evidence = Selected(coins([0.5, PERMUTE_AND_FLIP], 7), direction, 1, 20_000)
    outcome = run(concentrated("1/2"), evidence)
    true = log(0.25 / PERMUTE_AND_FLIP + 0.25 / (1 - PERMUTE_AND_FLIP)) / 2
    if direction == (0, 1):
        assert outcome.verdict == "VIOLATED"
    assert outcome.loss is not None
    assert 0.2 < outcome.loss < true


def test_the_exponential_mechanism_is_not():
    for seed in range(20):
        evidence = Selected(coins([0.5, EXPONENTIAL], seed), (0, 1), 1, 20_000)
        assert run(concentrated("1/2"), evidence).verdict == "held"


def test_equal_frequencies_show_nothing():
    evidence = Selected(coins([0.5, 0.5], 3), (0, 1), 1, 1_000)
    assert evidence.find(concentrated(1)).loss == 0


def test_an_answer_that_one_side_never_gives():
    loss = Selected(lambda data: data, (1, 0), 1, 2_000).find(concentrated(1)).loss
    assert 1 < loss < inf


@pytest.mark.parametrize(
    ("claim", "evidence"),
    [
        (concentrated(1), Sampled(lambda x: x, (0, 1), 200)),
        (pure(1), Selected(lambda x: x, (0, 1), 1, 200)),
        (concentrated(1), Replayed(laplace(1.0), ([0.0], [1.0]))),
    ],
    ids=["sampled", "selected", "replayed"],
)
def test_evidence_of_another_kind_than_the_claim_is_refused(
    claim: check.Claim, evidence: check.Evidence
):
    with pytest.raises(ParameterError):
        evidence.find(claim)


# Outcomes


def test_a_check_that_fails_on_both_sides_is_no_verdict():
    def fails(data: object) -> object:
        raise AttributeError("no such mechanism")

    outcome = run(pure(1), Sampled(fails, (0, 1), 200))
    assert (outcome.verdict, outcome.loss) == ("not run", None)
    assert outcome.how == "AttributeError: no such mechanism"


@pytest.mark.parametrize("name", ["numpy.no_such_name", "no_such_module.name"])
def test_a_version_without_the_call_is_neither_accused_nor_cleared(name: str):
    outcome = run(pure(1), Sampled(lambda x: x, (0, 1), 200), needs=name)
    assert (outcome.verdict, outcome.loss, outcome.how) == ("not in this version", None, name)


def test_what_it_needs_is_found():
    for name in ("numpy", "numpy.linalg.norm", "leastnoise.audit.peers.peer"):
        assert run(pure(2), Sampled(lambda x: 0, (0, 1), 200), needs=name).verdict == "held"


def test_outcomes_are_json():
    outcome = run(
        approximate(1, "1e-5"), Replayed(lambda data: Additive(data, (0.0,)), ((0,), (1,)))
    )
    assert outcome.to_dict() == {
        "library": "library",
        "version": "1.0",
        "check": "a-check",
        "call": "call()",
        "neighbours": "one changed",
        "claim": approximate(1, "1e-5").to_dict(),
        "claimed": 1.0,
        "verdict": "VIOLATED",
        "loss": "inf",
        "how": "answers 1 apart without noise",
        "source": "https://a/report",
    }


def test_a_library_that_is_not_here():
    with pytest.raises(ParameterError, match="pip install no-such-library"):
        Peer("no-such-library", []).run()


def test_a_name_without_checks():
    with pytest.raises(ParameterError, match="choose from datasynthesizer"):
        peer("no-such-library")
    assert peer("SmartNoise-Synth") is peer("smartnoise_synth")


@pytest.mark.parametrize("name", NAMES)
def test_every_check_says_what_it_tries_and_where_it_was_reported(name: str):
    """The libraries themselves need not be here: nothing is imported before a check runs."""
    checks = peer(name).checks
    assert len({one.name for one in checks}) == len(checks) > 0
    for one in checks:
        assert one.source.startswith("https://") or name == "leastnoise"
        assert one.call
        assert one.neighbours


# What is installed with the tests


def steps(found: list[Outcome]) -> Iterator[tuple[str, str]]:
    for outcome in found:
        yield outcome.check.name, outcome.verdict


QUICK = ("missing-values", "out-of-range", "labels", "bounds-learnt")


def test_nothing_is_found_at_ourselves():
    """The quick ones; the nightly test runs all."""
    checks = [one for one in peer("leastnoise").checks if one.name in QUICK]
    assert list(steps(Peer("leastnoise", checks).run())) == [(name, "held") for name in QUICK]


@pytest.mark.nightly
def test_nothing_is_found_at_ourselves_in_full():
    done: list[tuple[int, int]] = []
    found = peer("leastnoise").run(lambda step, total: done.append((step, total)))
    assert {verdict for _, verdict in steps(found)} == {"held"}
    assert done[-1] == (len(found), len(found))


@pytest.mark.nightly
def test_nothing_is_found_at_the_opendp_of_the_tests():
    assert {verdict for _, verdict in steps(peer("opendp").run())} == {"held"}


def test_opendp_is_called():
    """Its checks run on the installed version; with few draws nothing can be said."""
    choose, bits = peer("opendp").checks
    few = Selected(choose.evidence.release, choose.evidence.pair, 1, 50)
    assert isinstance(few.find(choose.claim), Finding)
    assert isinstance(Sampled(bits.evidence.release, (0.0, 1.0), 200).find(bits.claim), Finding)


def test_claims_are_exact():
    assert approximate("4.4", "1e-5").epsilon == Fraction(22, 5)
